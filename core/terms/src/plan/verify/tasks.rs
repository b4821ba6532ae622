//! Checks what only schedulers with many workers need: siblings, base cases, and the form of steps that account for
//! references.

use super::{PlanCheck, Scope};
use crate::plan::effects;
use crate::plan::ir::*;
use crate::plan::layout::Variant;
use crate::plan::live::LocalSet;
use gchr_base::signature::SymbolId;

impl<'a> PlanCheck<'a> {
    /// A base case is checked as a body of its own, whose locals have the same names.
    pub(super) fn base(&mut self, base: &'a Block) {
        let function = self.function;
        (self.scope, self.tokens) = (Scope::new(function), LocalSet::default());
        function.region.params.iter().for_each(|&p| self.bind(p));
        self.block(base, &function.region, function.result, false);
        if !self.is_base(base, true) {
            self.fail("a base case does more than its function would before the first call");
        }
    }

    /// Whether each path through a block ends in a value, or in the original call without an earlier effect. `pure`: no
    /// effect so far.
    fn is_base(&self, block: &Block, pure: bool) -> bool {
        let pure = pure && effects::is_pure(block);
        let short = block.steps.iter().all(effects::is_short);
        short
            && match &block.end {
                End::Return(_) => true,
                End::Match { .. } | End::If { .. } => {
                    block.end.blocks().iter().all(|b| self.is_base(b, pure))
                }
                End::TailCall { function, args } => {
                    let again = self.plan.functions.get(*function);
                    pure && again.is_some_and(|f| std::ptr::eq(f, self.function))
                        && *args == self.function.region.params
                }
                _ => false,
            }
    }

    /// Siblings are consecutive calls, none of which needs the result of another one.
    pub(super) fn siblings(&mut self, block: &Block) {
        for (i, step) in block.steps.iter().enumerate() {
            let Step::Call { dst, siblings, .. } = step else { continue };
            for left in (0..*siblings).rev() {
                let behind = i + (*siblings - left) as usize;
                let fits = match (block.steps.get(behind), &block.end) {
                    (Some(Step::Call { args, siblings, .. }), _) => !args.contains(dst) && *siblings == left,
                    (None, End::Context { args, .. }) => {
                        behind == block.steps.len() && left == 0 && !args.contains(dst)
                    }
                    _ => false,
                };
                if !fits {
                    return self.fail(format!("{dst} has siblings that are no calls beside it"));
                }
            }
        }
    }

    pub(super) fn reference(&mut self, step: &RefStep) {
        if self.plan.references.is_none() {
            self.fail("references are accounted for where nothing is known about them");
        }
        match step {
            RefStep::Dup { local, times: 0 } => self.fail(format!("{local} is duplicated no times")),
            RefStep::Dup { local, .. } | RefStep::Drop { local } => self.with_cells(*local),
            RefStep::Open { cell, symbol, fields, token } => {
                let sorts = self.plan.layout.variant(*symbol).map(|v| &v.fields);
                let class = self.plan.layout.variant(*symbol).and_then(|v| v.class);
                let (Some(sorts), Some(_), Some((sort, _))) =
                    (sorts, class, self.plan.layout.sort_and_tag(*symbol))
                else {
                    return self.fail(format!("{symbol} has no cell to be opened"));
                };
                self.expect(*cell, sort);
                if fields.len() != sorts.len() {
                    return self.fail("a cell is opened with another number of fields");
                }
                for (field, layout) in fields.iter().zip(sorts) {
                    if let Some(field) = *field {
                        self.expect(field, layout.sort);
                        self.with_cells(field);
                    }
                }
                if let Some(token) = *token {
                    self.bind(token);
                    self.expect(token, sort);
                    self.tokens.insert(token);
                }
            }
            RefStep::Free { token } => {
                if !self.tokens.contains(*token) || !self.scope.contains(*token) {
                    self.fail(format!("{token} is freed and no token here"));
                }
            }
        }
    }

    fn with_cells(&mut self, local: LocalId) {
        if self.sort_of(local).is_some_and(|s| !self.plan.layout.sorts[s].has_cells()) {
            self.fail(format!("{local} is accounted for and has no cell"));
        }
    }

    /// A token for a cell of `symbol`.
    pub(super) fn token(&mut self, token: LocalId, symbol: SymbolId) {
        let class = self.plan.layout.variant(symbol).and_then(|v| v.class);
        let sort = self.function.locals.get(token).map(|l| l.sort);
        let same = |v: &Variant| v.class.is_some() && v.class == class;
        let fits = sort.is_some_and(|s| self.plan.layout.sorts[s].variants.iter().any(same));
        if !fits || !self.tokens.contains(token) || !self.scope.contains(token) {
            self.fail(format!("{token} is no token for a cell of {symbol} here"));
        }
    }
}
