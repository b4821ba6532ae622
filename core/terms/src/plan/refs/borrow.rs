//! Borrow inference: a parameter is owned when its value, or a part of it, is stored in a place that keeps a reference;
//! else it is lent.
//!
//! Applications that no rule matches keep their arguments, too, but programs hardly ever build them: such a cell is no
//! reason to own a parameter. What goes into it is duplicated right before.

use super::uses::{FunctionUses, owners};
use crate::plan::cost::Callees;
use crate::plan::ir::*;
use crate::plan::live::LocalSet;
use gchr_base::ids::IdVec;
use gchr_base::signature::SymbolId;

/// The pass `borrow`: fills in [`Local::borrowed`]. The greatest solution, from all borrowed.
pub(in crate::plan) fn borrow(plan: &mut TermPlan) {
    for function in plan.functions.iter_mut() {
        let mut params = function.region.params.clone();
        function.region.body.walk(&mut |block| {
            for step in &block.steps {
                if let Step::Region { region, .. } = step {
                    params.extend_from_slice(&region.params);
                }
            }
        });
        for param in params {
            let local = &mut function.locals[param];
            local.borrowed = plan.layout.sorts[local.sort].has_cells();
        }
    }
    // Callees first: most demands go from callee to caller.
    let order: Vec<FunctionId> =
        Callees::of(plan).components().into_iter().flat_map(|(members, _)| members).collect();
    let owners: IdVec<FunctionId, _> = plan.functions.iter().map(owners).collect();
    loop {
        let mut changed = false;
        for &id in &order {
            let function = &plan.functions[id];
            let scope = FunctionUses { layout: &plan.layout, functions: &plan.functions, function };
            let inner = function.locals.iter().map(|_| false).collect();
            let (defined, owners) = (&plan.function_of, &owners[id]);
            let mut demand = Demand { scope, id, defined, owners, inner, owned: Vec::new() };
            demand.block(&function.region.body, &function.region, true, &LocalSet::default());
            for (function, param) in demand.owned {
                changed |= std::mem::take(&mut plan.functions[function].locals[param].borrowed);
            }
        }
        if !changed {
            return;
        }
    }
}

struct Demand<'a> {
    scope: FunctionUses<'a>,
    id: FunctionId,
    /// Functions of symbols.
    defined: &'a IdVec<SymbolId, Option<FunctionId>>,
    owners: &'a IdVec<LocalId, Option<LocalId>>,
    /// Bound in the innermost nested region.
    inner: IdVec<LocalId, bool>,
    /// Parameters that must be owned.
    owned: Vec<(FunctionId, LocalId)>,
}

impl<'a> Demand<'a> {
    fn root(&self, mut local: LocalId) -> LocalId {
        while let Some(owner) = self.owners[local] {
            local = owner;
        }
        local
    }

    /// Whether a step builds an application that no rule matches.
    fn is_stuck(&self, step: &Step) -> bool {
        matches!(step, Step::Build { symbol, .. } if self.defined[*symbol].is_some())
    }

    /// The reference of a local, or of what it is part of, is given away: no parameter can be only lent then.
    fn give(&mut self, local: LocalId, immediate: &LocalSet) {
        if !immediate.contains(local) {
            self.owned.push((self.id, self.root(local)));
        }
    }

    fn block(&mut self, block: &'a Block, region: &'a Region, top: bool, immediate: &LocalSet) {
        let mut immediate = immediate.clone();
        for step in &block.steps {
            if !self.is_stuck(step) {
                for local in self.scope.of_step(step).given {
                    self.give(local, &immediate);
                }
            }
            if let Step::Region { region, .. } = step {
                let outside = std::mem::replace(
                    &mut self.inner,
                    self.scope.function.locals.iter().map(|_| false).collect(),
                );
                region.params.iter().for_each(|&p| self.inner[p] = true);
                self.block(&region.body, region, false, &immediate);
                self.inner = outside;
            }
            if let Some(dst) = step.dst() {
                self.inner[dst] = true;
                if self.scope.is_immediate(step) {
                    immediate.insert(dst);
                }
            }
        }
        for local in self.scope.of_end(&block.end, region).given {
            self.give(local, &immediate);
        }
        match &block.end {
            End::Continue(args) => self.lend_on(args, (self.id, &region.params), top, &immediate),
            End::TailCall { function, args }
            | End::Context { target: Target::Function(function), args, .. } => {
                let params = &self.scope.functions[*function].region.params;
                self.lend_on(args, (*function, params), top, &immediate);
            }
            End::Context { target: Target::Again, args, .. } => {
                self.lend_on(args, (self.id, &region.params), top, &immediate);
            }
            End::Match { on, arms, default } => {
                for arm in arms {
                    arm.fields.iter().flatten().for_each(|&f| self.inner[f] = true);
                    let mut here = immediate.clone();
                    if self.scope.layout.variant(arm.symbol).is_none_or(|v| v.class.is_none()) {
                        here.insert(*on);
                    }
                    self.block(&arm.body, region, top, &here);
                }
                default.iter().for_each(|b| self.block(b, region, top, &immediate));
            }
            End::If { then, otherwise, .. } => {
                self.block(then, region, top, &immediate);
                self.block(otherwise, region, top, &immediate);
            }
            End::Return(_) | End::NoRule { .. } => {}
        }
    }

    /// Arguments of a tail call or a loop: a lent one must outlive what the caller itself holds, since no owner is left
    /// to drop it.
    fn lend_on(
        &mut self,
        args: &[LocalId],
        (of, params): (FunctionId, &[LocalId]),
        top: bool,
        immediate: &LocalSet,
    ) {
        for (&arg, &param) in args.iter().zip(params) {
            if !self.scope.functions[of].locals[param].borrowed || immediate.contains(arg) {
                continue;
            }
            let root = self.root(arg);
            let lent = self.scope.function.locals[root].borrowed;
            // What is bound outside of a nested region is held there as long as the region lasts.
            let outlives = lent || !top && !self.inner[root];
            if !outlives {
                self.owned.push((of, param));
            }
        }
    }
}
