//! Deferred cells that are released before they are built: neither the build nor the release happens.

use super::unfold::{Path, Unfolder};
use crate::plan::copy::free_locals_of;
use crate::plan::ir::*;

impl Unfolder<'_> {
    /// Handles a reference step that need not be deferred: whether the path continues after it; none if the step must
    /// be deferred.
    pub(super) fn settle(&self, path: &mut Path<'_>, step: &RefStep) -> Option<bool> {
        match step {
            RefStep::Free { token } => path.empty.contains(token).then_some(true),
            RefStep::Open { cell, fields, token, .. } => {
                path.late.iter().any(|s| s.dst() == Some(*cell)).then(|| {
                    let fields: Vec<bool> = fields.iter().map(Option::is_some).collect();
                    self.open_cell(path, *cell, &fields, *token)
                })
            }
            RefStep::Drop { local } => {
                self.release(path, *local);
                Some(true)
            }
            RefStep::Dup { local, .. } => self.is_symbol(path, *local).then_some(true),
        }
    }

    /// Whether a value is known to be no cell: it needs no reference counting.
    fn is_symbol(&self, path: &Path<'_>, local: LocalId) -> bool {
        let head = path.heads.get(&local).and_then(|(symbol, _)| self.plan.layout.variant(*symbol));
        head.is_some_and(|variant| variant.class.is_none())
    }

    /// Releases a reference to a value, which may be a deferred cell.
    fn release(&self, path: &mut Path<'_>, local: LocalId) {
        if !self.is_symbol(path, local) && !self.open_cell(path, local, &[], None) {
            path.late.push(Step::Ref(RefStep::Drop { local }));
        }
    }

    /// Opens a deferred cell: these of its fields stay, the others are dropped. Returns whether that is possible.
    fn open_cell(&self, path: &mut Path<'_>, cell: LocalId, stay: &[bool], token: Option<LocalId>) -> bool {
        let Some(at) = path.late.iter().position(|s| s.dst() == Some(cell)) else { return false };
        let Step::Build { args, reuse, .. } = &path.late[at] else { return false };
        if path.late.iter().any(|step| free_locals_of(step).contains(&cell)) {
            return false;
        }
        let stays = stay.iter().copied().chain(std::iter::repeat(false));
        let dropped = args.iter().zip(stays).filter(|(_, stays)| !stays).map(|(&arg, _)| arg);
        let dropped: Vec<LocalId> =
            dropped.filter(|&l| self.plan.layout.sorts[self.into.sort(l)].has_cells()).collect();
        let memory = *reuse;
        path.late.remove(at);
        match (memory, token) {
            // The memory that the cell would have been built in.
            (Some(memory), Some(token)) => path.rename(token, memory),
            (Some(token), None) => path.late.push(Step::Ref(RefStep::Free { token })),
            (None, Some(token)) => {
                path.empty.insert(token);
            }
            (None, None) => {}
        }
        dropped.into_iter().for_each(|local| self.release(path, local));
        true
    }
}
