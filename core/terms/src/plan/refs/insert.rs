//! Inserts the steps that account for references: a reference is duplicated right before it is given away for the first
//! time while it is still needed, and dropped as soon as neither its local nor anything borrowed from it is needed.
//!
//! Before each step the locals that hold a reference are exactly those owned locals that are live, and those that
//! something live is borrowed from. So all paths that join agree.

use super::uses::{FunctionUses, Uses, owners};
use crate::plan::ir::*;
use crate::plan::live::{self, LocalSet};
use gchr_base::ids::IdVec;
use gchr_base::signature::{SortId, SymbolId};

/// The pass `counts`: fills in [`TermPlan::references`] and brings the resume points up to date.
pub(in crate::plan) fn counts(plan: &mut TermPlan) {
    let ids: Vec<FunctionId> = plan.functions.ids().collect();
    for id in ids {
        let function = &plan.functions[id];
        let scope = FunctionUses { layout: &plan.layout, functions: &plan.functions, function };
        let states = function.locals.iter().map(|_| Holding::Free).collect();
        let mut insert = Insert { scope, owners: owners(function), states, heads: Vec::new() };
        insert.parameters(&function.region);
        let mut body = function.region.body.clone();
        insert.block(&mut body, &function.region, &LocalSet::default());
        plan.functions[id].region.body = body;
    }
    plan.references = Some(References { counted: counted(plan) });
    live::annotate(plan);
}

/// How a local holds its value at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holding {
    /// No reference: not bound, no cell, or given away.
    Free,
    /// Its own reference.
    Owned,
    /// Borrowed: another owner holds it at least until the region ends.
    Lent,
    /// Its owner's: it is a field of that local's cell.
    Field,
}

/// A cell of known head on the path.
struct OpenedCell {
    local: LocalId,
    symbol: SymbolId,
    fields: Vec<Option<LocalId>>,
}

struct Insert<'a> {
    scope: FunctionUses<'a>,
    owners: IdVec<LocalId, Option<LocalId>>,
    states: IdVec<LocalId, Holding>,
    /// Cells that were matched on the path to here, outermost first.
    heads: Vec<OpenedCell>,
}

impl<'a> Insert<'a> {
    fn parameters(&mut self, region: &Region) {
        for &param in region.params.iter().filter(|&&p| self.scope.has_cells(p)) {
            let borrowed = self.scope.function.locals[param].borrowed;
            self.states[param] = if borrowed { Holding::Lent } else { Holding::Owned };
        }
    }

    /// Locals whose references are needed as long as some locals are.
    fn needed(&self, locals: impl Iterator<Item = LocalId>) -> LocalSet {
        let mut needed = LocalSet::default();
        for mut local in locals {
            while self.states[local] == Holding::Field
                && let Some(owner) = self.owners[local]
            {
                local = owner;
            }
            if self.states[local] == Holding::Owned {
                needed.insert(local);
            }
        }
        needed
    }

    /// Drops references that are no longer needed.
    fn drop_unneeded(&mut self, live: &LocalSet, out: &mut Vec<Step>) {
        let needed = self.needed(live.iter());
        let owned: Vec<LocalId> =
            self.states.iter_enumerated().filter(|(_, s)| **s == Holding::Owned).map(|(l, _)| l).collect();
        for local in owned.into_iter().filter(|&l| !needed.contains(l)) {
            out.push(Step::Ref(RefStep::Drop { local }));
            self.states[local] = Holding::Free;
        }
    }

    /// Gives references away, with a duplicate of those that are needed `later`, or during the step.
    fn give(&mut self, uses: &Uses, later: &LocalSet, out: &mut Vec<Step>) {
        let kept = self.needed(later.iter().chain(uses.lent.iter().copied()));
        let mut given: Vec<LocalId> = uses.given.clone();
        given.sort_unstable();
        for same in given.chunk_by(|a, b| a == b) {
            let (local, times) = (same[0], same.len() as u32);
            let moved = match self.states[local] {
                Holding::Free => continue,
                Holding::Owned => !kept.contains(local),
                Holding::Lent | Holding::Field => false,
            };
            let times = times - u32::from(moved);
            if times > 0 {
                out.push(Step::Ref(RefStep::Dup { local, times }));
            }
            if moved {
                self.states[local] = Holding::Free;
            }
        }
    }

    fn bind(&mut self, step: &Step) {
        if let Some(dst) = step.dst().filter(|&dst| self.scope.has_cells(dst)) {
            self.states[dst] = if self.scope.is_immediate(step) { Holding::Free } else { Holding::Owned };
        }
    }

    /// A block of `region`; `after`: what is needed after the region.
    fn block(&mut self, block: &mut Block, region: &Region, after: &LocalSet) {
        let sets = live::before_steps(block, after);
        let mut out = Vec::with_capacity(block.steps.len());
        self.open_unneeded(block, region, after, &mut out);
        self.drop_unneeded(&sets[0], &mut out);
        let mut steps = std::mem::take(&mut block.steps);
        let mut first = 0;
        while first < steps.len() {
            let behind = first + siblings(&steps[first]) + 1;
            if behind > steps.len() {
                if self.with_context(&steps[first..], &block.end, region, &mut out) {
                    block.steps = out;
                    return;
                }
                part_from_context(&mut steps[first..]);
                continue;
            }
            if let Step::Region { .. } = &steps[first] {
                self.region(&mut steps[first], &sets[behind], &mut out);
            } else {
                // Siblings stay side by side: they get their references before the first one, what they borrow is
                // dropped after the last.
                let uses = self.uses(&steps[first..behind]);
                self.give(&uses, &sets[behind], &mut out);
            }
            steps[first..behind].iter().for_each(|s| self.bind(s));
            out.extend_from_slice(&steps[first..behind]);
            self.drop_unneeded(&sets[behind], &mut out);
            first = behind;
        }
        self.end(&mut block.end, region, after, &mut out);
        block.steps = out;
    }

    fn uses(&self, steps: &[Step]) -> Uses {
        let mut uses = Uses::default();
        for step in steps {
            let Uses { given, lent } = self.scope.of_step(step);
            uses.given.extend(given);
            uses.lent.extend(lent);
        }
        uses
    }

    /// Accounts for siblings of which the call of a context is the last. That works only if nothing is left to be done
    /// between them and it; else nothing is changed.
    fn with_context(&mut self, steps: &[Step], end: &End, region: &Region, out: &mut Vec<Step>) -> bool {
        let at_end = self.scope.of_end(end, region).given;
        let results: Vec<LocalId> =
            steps.iter().filter_map(Step::dst).filter(|&d| self.scope.has_cells(d)).collect();
        let once = |d: &LocalId| at_end.iter().filter(|l| *l == d).count() == 1;
        let mut uses = self.uses(steps);
        uses.given.extend(at_end.iter().filter(|l| !results.contains(l)));
        let (states, before) = (self.states.clone(), out.len());
        self.give(&uses, &LocalSet::default(), out);
        let mut lent = LocalSet::default();
        uses.lent.iter().for_each(|&l| lent.insert(l));
        self.drop_unneeded(&lent, out);
        if !results.iter().all(once) || self.states.iter().any(|s| *s == Holding::Owned) {
            self.states = states;
            out.truncate(before);
            return false;
        }
        out.extend_from_slice(steps);
        true
    }

    fn region(&mut self, step: &mut Step, live_behind: &LocalSet, out: &mut Vec<Step>) {
        let uses = self.scope.of_step(step);
        let Step::Region { dst, region, .. } = step else { return };
        let mut behind = live_behind.clone();
        behind.remove(*dst);
        let mut around = live::around_loop(region, &behind);
        // What the region borrows stays until it is left.
        let mut lent = uses.lent.clone();
        self.lent_on(region, &region.body, &mut lent);
        for owner in self.needed(lent.into_iter()).iter() {
            around.insert(owner);
        }
        let mut inside = live::before_block(&region.body, &around);
        region.params.iter().for_each(|&p| inside.remove(p));
        inside.union(&around);
        self.give(&uses, &inside, out);
        self.drop_unneeded(&inside, out);
        let outside = self.states.clone();
        self.parameters(region);
        let shape = Region { params: region.params.clone(), body: Block::returning(*dst) };
        self.block(&mut region.body, &shape, &around);
        self.states = outside;
        // The others have been given away or dropped on every path.
        let kept = self.needed(around.iter());
        for state in self.states.ids().collect::<Vec<_>>() {
            if self.states[state] == Holding::Owned && !kept.contains(state) {
                self.states[state] = Holding::Free;
            }
        }
    }

    /// Locals bound outside of a region that it lends to its own next iteration.
    fn lent_on(&self, region: &Region, block: &Block, lent: &mut Vec<LocalId>) {
        if let End::Continue(_) = block.end {
            lent.extend(self.scope.of_end(&block.end, region).lent.into_iter().map(|mut l| {
                while let Some(owner) = self.owners[l] {
                    l = owner;
                }
                l
            }));
        }
        block.end.blocks().into_iter().for_each(|b| self.lent_on(region, b, lent));
    }

    fn end(&mut self, end: &mut End, region: &Region, after: &LocalSet, out: &mut Vec<Step>) {
        match end {
            End::Return(_) | End::TailCall { .. } | End::Continue(_) | End::Context { .. } => {
                let uses = self.scope.of_end(end, region);
                self.give(&uses, after, out);
                self.drop_unneeded(after, out);
            }
            End::NoRule { .. } => {}
            End::Match { on, arms, default } => {
                let states = self.states.clone();
                for arm in arms {
                    self.arm(*on, arm, region, after);
                    self.states.clone_from(&states);
                }
                if let Some(default) = default {
                    self.block(default, region, after);
                    self.states = states;
                }
            }
            End::If { then, otherwise, .. } => {
                let states = self.states.clone();
                self.block(then, region, after);
                self.states = states;
                self.block(otherwise, region, after);
            }
        }
    }

    fn arm(&mut self, on: LocalId, arm: &mut Arm, region: &Region, after: &LocalSet) {
        if self.scope.layout.variant(arm.symbol).is_some_and(|v| v.class.is_some()) {
            let state = if self.states[on] == Holding::Free { Holding::Free } else { Holding::Field };
            for &field in arm.fields.iter().flatten().filter(|&&f| self.scope.has_cells(f)) {
                self.states[field] = state;
            }
            self.heads.push(OpenedCell { local: on, symbol: arm.symbol, fields: arm.fields.clone() });
            self.block(&mut arm.body, region, after);
            self.heads.pop();
            return;
        }
        // What is needed after the region is held on all paths through it, also where it is no cell.
        if !after.contains(on) {
            self.states[on] = Holding::Free;
        }
        self.block(&mut arm.body, region, after);
    }

    /// Opens cells that are known and needed only for their fields, when one of these is given away or a new cell takes
    /// their place.
    fn open_unneeded(&mut self, block: &Block, region: &Region, after: &LocalSet, out: &mut Vec<Step>) {
        let live = &live::before_block(block, after);
        for at in 0..self.heads.len() {
            let OpenedCell { local, symbol, ref fields } = self.heads[at];
            if self.states[local] != Holding::Owned || live.contains(local) {
                continue;
            }
            let moved = |f: &LocalId| live.contains(*f) && self.states[*f] == Holding::Field;
            let fields: Vec<Option<LocalId>> = fields.iter().map(|f| f.filter(moved)).collect();
            let taken: Vec<LocalId> = fields.iter().flatten().copied().collect();
            // What is needed after the region is held on all paths through it in the same way.
            let others = live.iter().filter(|l| !taken.contains(l)).chain(after.iter());
            let class = self.scope.layout.variant(symbol).and_then(|v| v.class);
            let pays =
                self.gives(block, region, &taken) || super::reuse::fits(self.scope.layout, block, class);
            if !pays || self.needed(others).contains(local) {
                continue;
            }
            self.states[local] = Holding::Free;
            taken.iter().for_each(|&f| self.states[f] = Holding::Owned);
            out.push(Step::Ref(RefStep::Open { cell: local, symbol, fields, token: None }));
        }
    }

    /// Whether a block gives away one of some fields, or a part of one.
    fn gives(&self, block: &Block, region: &Region, fields: &[LocalId]) -> bool {
        let part = |mut l: LocalId| loop {
            if fields.contains(&l) {
                return true;
            }
            match self.owners[l] {
                Some(owner) => l = owner,
                None => return false,
            }
        };
        let given = |uses: Uses| uses.given.into_iter().any(part);
        block.steps.iter().any(|step| {
            given(self.scope.of_step(step))
                || matches!(step, Step::Region { region, .. } if self.gives(&region.body, region, fields))
        }) || given(self.scope.of_end(&block.end, region))
            || block.end.blocks().into_iter().any(|b| self.gives(b, region, fields))
    }
}

fn siblings(step: &Step) -> usize {
    match step {
        Step::Call { siblings, .. } => *siblings as usize,
        _ => 0,
    }
}

/// The call of the context that follows them is no longer a sibling of some calls.
fn part_from_context(steps: &mut [Step]) {
    for step in steps {
        if let Step::Call { siblings, .. } = step {
            *siblings = siblings.saturating_sub(1);
        }
    }
}

/// Sorts with values that may have several references: those that are duplicated, and those of the fields of cells that
/// may be shared when they are opened.
fn counted(plan: &TermPlan) -> IdVec<SortId, bool> {
    let mut counted: IdVec<_, bool> = plan.layout.sorts.iter().map(|_| false).collect();
    let mut opened = Vec::new();
    for function in plan.functions.iter() {
        function.region.body.walk(&mut |block| {
            for step in &block.steps {
                match step {
                    Step::Ref(RefStep::Dup { local, .. }) => counted[function.sort(*local)] = true,
                    Step::Ref(RefStep::Open { cell, fields, .. }) => {
                        opened.extend(
                            fields.iter().flatten().map(|&f| (function.sort(*cell), function.sort(f))),
                        );
                    }
                    _ => {}
                }
            }
        });
    }
    opened.sort_unstable();
    opened.dedup();
    loop {
        let mut changed = false;
        for &(cell, field) in &opened {
            if counted[cell] && !counted[field] {
                counted[field] = true;
                changed = true;
            }
        }
        if !changed {
            return counted;
        }
    }
}
