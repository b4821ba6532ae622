//! Cells that wait and are given up before they are built: neither happens, and no memory comes of it.

use super::unfold::{Path, Unfolder, free_locals_of};
use crate::plan::ir::*;
use gchr_base::hash::HashSet;

impl Unfolder<'_> {
    /// What a step means that accounts for references and needs no place among the steps that wait: whether the path goes on behind it.
    pub(super) fn settle(&self, path: &mut Path<'_>, step: &RefStep) -> Option<bool> {
        match step {
            RefStep::Free { token } => path.empty.contains(token).then_some(true),
            RefStep::Open { cell, fields, token, .. } => {
                path.late.iter().any(|s| s.dst() == Some(*cell)).then(|| {
                    let fields: Vec<bool> = fields.iter().map(Option::is_some).collect();
                    self.take_apart(path, *cell, &fields, *token)
                })
            }
            RefStep::Drop { local } => {
                self.give_up(path, *local);
                Some(true)
            }
            RefStep::Dup { local, .. } => self.is_symbol(path, *local).then_some(true),
        }
    }

    /// Whether a value is known to be no cell: there is no account of who needs it.
    fn is_symbol(&self, path: &Path<'_>, local: LocalId) -> bool {
        let head = path.heads.get(&local).and_then(|(symbol, _)| self.plan.layout.variant(*symbol));
        head.is_some_and(|variant| variant.class.is_none())
    }

    /// Gives up a reference to a value, which may be a cell that waits.
    fn give_up(&self, path: &mut Path<'_>, local: LocalId) {
        if !self.is_symbol(path, local) && !self.take_apart(path, local, &[], None) {
            path.late.push(Step::Ref(RefStep::Drop { local }));
        }
    }

    /// Takes apart a cell that is still to be built: these of its fields stay, the others are dropped. Whether that can be.
    fn take_apart(&self, path: &mut Path<'_>, cell: LocalId, stay: &[bool], token: Option<LocalId>) -> bool {
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
        dropped.into_iter().for_each(|local| self.give_up(path, local));
        true
    }
}

/// A step without the tokens that have no memory.
pub(super) fn without_memory(step: &mut Step, empty: &HashSet<LocalId>) {
    match step {
        Step::Build { reuse, .. } => *reuse = reuse.filter(|token| !empty.contains(token)),
        Step::Region { region, .. } => block_without_memory(&mut region.body, empty),
        _ => {}
    }
}

fn block_without_memory(block: &mut Block, empty: &HashSet<LocalId>) {
    block.steps.retain(|s| !matches!(s, Step::Ref(RefStep::Free { token }) if empty.contains(token)));
    block.steps.iter_mut().for_each(|step| without_memory(step, empty));
    block.end.blocks_mut().into_iter().for_each(|b| block_without_memory(b, empty));
}
