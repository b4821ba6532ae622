//! Uses facts about locals: a match on a value of known head becomes its arm, a cell that exists already is not built
//! again, unused values and fields are dropped. No rule application is added or removed.

use crate::plan::ir::*;
use crate::plan::layout::Layout;
use crate::plan::live::LocalSet;
use gchr_base::op::Op;
use gchr_base::scoped::ScopedMap;
use gchr_base::signature::SymbolId;

/// The pass `simplify`.
pub(super) fn simplify(plan: &mut TermPlan) {
    let layout = &plan.layout;
    for function in plan.functions.iter_mut() {
        let (shapes, values, same) = Default::default();
        let mut known = Known { layout, shapes, values, same };
        known.block(&mut function.region.body);
        drop_unused(&mut function.region.body, &mut LocalSet::default());
    }
}

/// Facts at a point, from the code that dominates it.
struct Known<'a> {
    layout: &'a Layout,
    /// Head and fields of a value.
    shapes: ScopedMap<LocalId, (SymbolId, Vec<LocalId>)>,
    /// The local that holds a value of this head and fields.
    values: ScopedMap<(SymbolId, Vec<LocalId>), LocalId>,
    /// Locals that are another local.
    same: ScopedMap<LocalId, LocalId>,
}

impl Known<'_> {
    fn learn(&mut self, local: LocalId, symbol: SymbolId, fields: Vec<LocalId>) {
        let value = (symbol, fields);
        self.shapes.insert(local, value.clone());
        if !self.values.contains_key(&value) {
            self.values.insert(value, local);
        }
    }

    /// Goes through code that is not on the way to what follows: what it learns is forgotten.
    fn aside(&mut self, code: impl FnOnce(&mut Self)) {
        let entered = (self.shapes.enter(), self.values.enter(), self.same.enter());
        code(self);
        self.shapes.leave(entered.0);
        self.values.leave(entered.1);
        self.same.leave(entered.2);
    }

    fn resolve(&self, local: &mut LocalId) {
        if let Some(&other) = self.same.get(local) {
            *local = other;
        }
    }

    fn block(&mut self, block: &mut Block) {
        let mut done = Vec::with_capacity(block.steps.len());
        loop {
            for step in std::mem::take(&mut block.steps) {
                self.step(step, &mut block.applied, &mut done);
            }
            block.end.for_each_use_mut(&mut |l| self.resolve(l));
            fuse_comparison(&done, &mut block.end);
            self.match_constant(block);
            if !self.take_known_branch(block) {
                break;
            }
        }
        block.steps = done;
        match &mut block.end {
            End::Match { on, arms, default } => {
                for arm in arms {
                    let fields: Option<Vec<LocalId>> = arm.fields.iter().copied().collect();
                    self.aside(|known| {
                        if let Some(fields) = fields {
                            known.learn(*on, arm.symbol, fields);
                        }
                        known.block(&mut arm.body);
                    });
                }
                default.iter_mut().for_each(|b| self.aside(|known| known.block(b)));
            }
            End::If { then, otherwise, .. } => {
                self.aside(|known| known.block(then));
                self.aside(|known| known.block(otherwise));
            }
            End::Context { nest, .. } => {
                nest.iter_mut().for_each(|s| s.uses_mut().for_each(|l| self.resolve(l)));
            }
            _ => {}
        }
    }

    fn step(&mut self, mut step: Step, applied: &mut Vec<gchr_base::rule::RuleId>, out: &mut Vec<Step>) {
        step.uses_mut().for_each(|l| self.resolve(l));
        match &mut step {
            Step::Build { dst, symbol, args, .. } => {
                if let Some(&known) = self.values.get(&(*symbol, args.clone())) {
                    self.same.insert(*dst, known);
                    return;
                }
                self.learn(*dst, *symbol, args.clone());
            }
            Step::Region { region, dst, .. } => {
                self.aside(|known| known.block(&mut region.body));
                // A region without a branch is part of the block around it.
                if let (End::Return(value), true) = (&region.body.end, region.params.is_empty()) {
                    let (value, dst) = (*value, *dst);
                    applied.append(&mut region.body.applied);
                    for inner in std::mem::take(&mut region.body.steps) {
                        self.step(inner, applied, out);
                    }
                    let mut value = value;
                    self.resolve(&mut value);
                    self.same.insert(dst, value);
                    return;
                }
            }
            _ => {}
        }
        out.push(step);
    }

    /// Replaces a match on a value of known head by the arm that is taken, whose steps are the block's then.
    fn take_known_branch(&mut self, block: &mut Block) -> bool {
        let End::Match { on, arms, default } = &mut block.end else { return false };
        let Some((symbol, fields)) = self.shapes.get(on) else { return false };
        let body = match arms.iter().position(|arm| arm.symbol == *symbol) {
            Some(i) => {
                let arm = arms.swap_remove(i);
                for (field, value) in arm.fields.iter().zip(fields) {
                    if let Some(field) = field {
                        self.same.insert(*field, *value);
                    }
                }
                arm.body
            }
            None => match default.take() {
                Some(body) => *body,
                None => return false,
            },
        };
        block.applied.extend(body.applied);
        block.steps = body.steps;
        block.end = body.end;
        true
    }

    /// Whether a value is a symbol without arguments is told by its head.
    fn match_constant(&self, block: &mut Block) {
        let End::If { test: Test::Same(a, b), .. } = block.end else { return };
        let constant = |local: LocalId| self.shapes.get(&local).filter(|(_, fields)| fields.is_empty());
        let Some((on, &(symbol, _))) =
            constant(b).map(|shape| (a, shape)).or_else(|| constant(a).map(|shape| (b, shape)))
        else {
            return;
        };
        // What is known of both is decided by the caller.
        let Some((sort, _)) = self.layout.sort_and_tag(symbol) else { return };
        let end = std::mem::replace(&mut block.end, End::Return(on));
        let End::If { then, otherwise, .. } = end else { return };
        let arms = vec![Arm { symbol, fields: Vec::new(), body: *then }];
        let default = (self.layout.sorts[sort].variants.len() > 1).then_some(otherwise);
        block.end = End::Match { on, arms, default };
    }
}

/// A match on the truth value of a comparison just made is a test.
fn fuse_comparison(steps: &[Step], end: &mut End) {
    let Some(Step::Operate { dst, op, args, .. }) = steps.last() else { return };
    let (End::If { test, then, otherwise }, &[a, b]) = (end, args.as_slice()) else { return };
    if *test != Test::Holds(*dst) {
        return;
    }
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => *test = Test::Compare(*op, a, b),
        Op::Same => *test = Test::Same(a, b),
        Op::Differ => {
            *test = Test::Same(a, b);
            std::mem::swap(then, otherwise);
        }
        _ => {}
    }
}

/// Drops steps without effect whose values are unused, and fields that are never read.
pub(super) fn drop_unused(block: &mut Block, used: &mut LocalSet) {
    block.end.blocks_mut().into_iter().for_each(|b| drop_unused(b, used));
    match &mut block.end {
        End::Match { arms, .. } => {
            for field in arms.iter_mut().flat_map(|arm| &mut arm.fields) {
                *field = field.filter(|&f| used.contains(f));
            }
        }
        End::Context { nest, .. } => {
            nest.iter().for_each(|s| s.uses().for_each(|l| used.insert(l)));
        }
        _ => {}
    }
    block.end.uses().into_iter().for_each(|l| used.insert(l));
    let mut kept = Vec::with_capacity(block.steps.len());
    for mut step in block.steps.drain(..).rev() {
        let pure = match &step {
            Step::Const { .. } | Step::Build { .. } | Step::Repeat { .. } => true,
            Step::Operate { op, .. } => op.is_test() && !op.is_logical(),
            _ => false,
        };
        if pure && step.dst().is_some_and(|dst| !used.contains(dst)) {
            continue;
        }
        if let Step::Region { region, .. } = &mut step {
            drop_unused(&mut region.body, used);
        }
        step.uses().for_each(|l| used.insert(l));
        if let Step::Ref(RefStep::Open { fields, .. }) = &step {
            fields.iter().flatten().for_each(|&field| used.insert(field));
        }
        kept.push(step);
    }
    kept.reverse();
    block.steps = kept;
}
