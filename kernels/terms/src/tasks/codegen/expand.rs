//! Calls in the place of which the code of their function stands ([`crate::tasks::direct`]).

use gchr_base::signature::SortKind;
use gchr_terms::plan::{End, FunctionId, LocalId, Step, Target};

use super::Generator;
use super::block::Inner;
use gchr_kernel::build;
use gchr_kernel::ir::*;

impl Generator<'_, '_> {
    /// The value of a call: its function's code stands here.
    pub(super) fn expand(&mut self, function: FunctionId, args: &[LocalId]) -> Expr {
        let args = args.iter().map(|&a| self.local(a)).collect();
        self.expand_with(function, args)
    }

    fn expand_with(&mut self, function: FunctionId, args: Vec<Expr>) -> Expr {
        let callee = &self.states.plan.functions[function];
        let scalar = match self.layout().sorts[callee.result].kind {
            SortKind::Int => Scalar::I64,
            SortKind::Float => Scalar::F64,
            _ => Scalar::U32,
        };
        let value = self.b.declare("of_call", Type::Scalar(scalar));
        let context = self.states.holes[function].then(|| {
            let root = self.b.var("root", build::u32(0));
            (root, self.b.var("hole", build::u32(0)))
        });
        let caller =
            (std::mem::replace(&mut self.function, function), std::mem::replace(&mut self.context, context));
        let outside = std::mem::take(&mut self.scope);
        let region = &callee.region;
        if region.is_loop() {
            region.params.iter().zip(args).for_each(|(&param, arg)| self.bind(param, arg));
            let params = region.params.iter().map(|&p| self.local(p)).collect();
            let around = Inner { value: value.clone(), params: Some(params), found: None, function: true };
            self.b.begin();
            self.guard(false);
            self.inner_block(&region.body, &around);
            self.b.end_while(build::bool(true));
        } else {
            self.scope.env.extend(region.params.iter().copied().zip(args));
            let around = Inner { value: value.clone(), params: None, found: None, function: true };
            self.inner_block(&region.body, &around);
        }
        self.scope = outside;
        (self.function, self.context) = caller;
        value
    }

    /// The value of the call at the end of a block, which goes into the context that is built around it.
    pub(super) fn at_end(&mut self, end: &End) -> Expr {
        match end {
            End::TailCall { function, args } => self.expand(*function, args),
            End::Context { hole, nest, target: Target::Function(function), args } => {
                if self.runtime.tracing.is_some() {
                    // A thread that stops in there goes back to before: its context must be what it was.
                    let value = self.expand(*function, args);
                    self.scope.env.insert(*hole, value);
                    nest.iter().for_each(|step| self.step(step));
                    return nest.last().and_then(Step::dst).map_or(build::u32(0), |outer| self.local(outer));
                }
                let args = args.iter().map(|&a| self.local(a)).collect();
                self.context(*hole, nest);
                self.expand_with(*function, args)
            }
            _ => build::u32(0),
        }
    }

    /// The innermost region without calls has a value.
    pub(super) fn leave_inner(&mut self, value: Expr, around: &Inner) {
        let fills = around.function && self.states.holes[self.function];
        let value = if fills { self.fill_hole(value) } else { value };
        self.b.assign(around.value.clone(), value);
        if around.params.is_some() {
            self.b.push(StmtKind::Break);
        }
    }

    /// Once more through the innermost loop.
    pub(super) fn inner_again(&mut self, values: Vec<Expr>, around: &Inner) {
        if let Some(params) = &around.params {
            self.assign_all(params, values);
            self.b.push(StmtKind::Continue);
        }
    }
}
