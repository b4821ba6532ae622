//! Choices between cells with the same head become choices between their fields: a match on the cell needs no cell
//! then.

use super::unfold::{Path, Unfolder};
use crate::plan::copy::Copier;
use crate::plan::ir::*;
use gchr_base::hash::HashMap;
use gchr_base::signature::SymbolId;

impl<'a> Unfolder<'a> {
    /// Where a deferred region chooses a value, and all choices are new cells of one head: replaces it by regions for
    /// the fields, one for the rules that it counts, and a cell of them, which is built if needed. Not where references
    /// are counted, since each choice gives away other references.
    pub(super) fn unbox(&mut self, path: &mut Path<'a>, value: LocalId) {
        let Some(at) = path.late.iter().position(|s| s.dst() == Some(value)) else { return };
        let Step::Region { inits, region, .. } = &path.late[at] else { return };
        if self.plan.references.is_some() || !inits.is_empty() || region.is_loop() {
            return;
        }
        let Some((symbol, fields)) = same_head(&region.body) else { return };
        let region = region.clone();
        let mut steps = Vec::new();
        if counts(&region.body) {
            // Its value is one that is there already, so that no cell is built for it.
            steps.push(self.choice(&region.body, &|block| returning(block, 0)));
        }
        let mut args = Vec::new();
        for field in 0..fields {
            let choice = self.choice(&region.body, &|block| {
                Some(Block { applied: Vec::new(), ..returning(block, field)? })
            });
            args.extend(choice.dst());
            steps.push(choice);
        }
        path.heads.insert(value, (symbol, args.clone()));
        steps.push(Step::Build { dst: value, symbol, args, reuse: None });
        path.late.splice(at..=at, steps);
    }

    /// A copy of a region without parameters, with other blocks in place of those that end it.
    fn choice(&mut self, body: &Block, change: &dyn Fn(&Block) -> Option<Block>) -> Step {
        let mut body = body.clone();
        let mut sort = None;
        let locals = self.into.locals.clone();
        body.for_each_tail_mut(&mut |block| {
            if !matches!(block.end, End::Return(_)) {
                return;
            }
            if let Some(changed) = change(block) {
                *block = changed;
            }
            if let End::Return(value) = block.end {
                sort = Some(locals[value].sort);
            }
        });
        let result = sort.unwrap_or(self.into.result);
        let map = HashMap::default();
        let body = Copier { from: Some(&locals), result, into: &mut self.into, map }.block(&body, true);
        let dst = self.into.local("v", result);
        Step::Region { dst, inits: Vec::new(), region: Box::new(Region { params: Vec::new(), body }) }
    }
}

/// The cell that a block builds and returns: its head and fields.
fn built(block: &Block) -> Option<(SymbolId, &[LocalId])> {
    let End::Return(value) = block.end else { return None };
    block.steps.iter().find_map(|step| match step {
        Step::Build { dst, symbol, args, .. } if *dst == value => Some((*symbol, args.as_slice())),
        _ => None,
    })
}

/// A block that returns a field of the cell that it builds, in place of the cell.
fn returning(block: &Block, field: usize) -> Option<Block> {
    let value = built(block)?.1.get(field).copied()?;
    Some(Block { end: End::Return(value), ..block.clone() })
}

/// Head and number of fields of the cell that a block builds and returns on all its paths.
fn same_head(block: &Block) -> Option<(SymbolId, usize)> {
    let below = block.end.blocks();
    if below.is_empty() {
        return built(block).map(|(symbol, args)| (symbol, args.len()));
    }
    let mut heads = below.into_iter().map(same_head);
    let first = heads.next()??;
    heads.all(|head| head == Some(first)).then_some(first)
}

/// Whether a block counts a rule on one of its paths.
fn counts(block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |b| found |= !b.applied.is_empty());
    found
}
