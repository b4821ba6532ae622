//! Right-hand sides and conditions: steps in leftmost innermost order, equal subterms once.

use super::{Bindings, FunctionLowering, Lower, MAX_NESTED, MAX_UNROLLED};
use crate::plan::declare::empty_function;
use crate::plan::ir::*;
use crate::plan::key::{ExprKey, shape};
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, RuleId};
use gchr_base::signature::{SortId, SymbolId};

impl Lower<'_> {
    /// Evaluates an expression, leftmost innermost; equal subterms of one scope once.
    pub(super) fn expr(
        &mut self,
        cx: &mut FunctionLowering,
        rule: RuleId,
        steps: &mut Vec<Step>,
        scope: &mut Bindings,
        expr: &Expr,
    ) -> LocalId {
        match &expr.kind {
            ExprKind::Var(var) => scope.vars[var],
            ExprKind::Const(value) => {
                let (key, name) = match value {
                    Const::Int(n) => (ExprKey::Int(*n), "n"),
                    Const::Float(x) => (ExprKey::Float(x.to_bits()), "x"),
                    Const::Atom(t) | Const::Str(t) => (ExprKey::Int(i64::from(t.0)), "t"),
                };
                let value = *value;
                step(cx, steps, scope, key, name, expr.sort, |dst| Step::Const { dst, value })
            }
            ExprKind::App { symbol, args } => {
                let args: Vec<LocalId> = args.iter().map(|a| self.expr(cx, rule, steps, scope, a)).collect();
                self.application(cx, steps, scope, *symbol, args)
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let arg = self.expr(cx, rule, steps, scope, arg);
                self.repeat(cx, steps, scope, *symbol, *count, arg)
            }
            ExprKind::Op { op, args } => {
                if let (Op::Both | Op::Either, [a, b]) = (op, args.as_slice()) {
                    return self.junction(cx, rule, steps, scope, *op, [a, b], expr);
                }
                let args: Vec<LocalId> = args.iter().map(|a| self.expr(cx, rule, steps, scope, a)).collect();
                let (op, site) = (*op, Site { rule, span: expr.span });
                let key = ExprKey::Op(op, args.clone());
                step(cx, steps, scope, key, "v", expr.sort, |dst| Step::Operate { dst, op, args, site })
            }
        }
    }

    pub(super) fn application(
        &mut self,
        cx: &mut FunctionLowering,
        steps: &mut Vec<Step>,
        scope: &mut Bindings,
        symbol: SymbolId,
        args: Vec<LocalId>,
    ) -> LocalId {
        let sort = self.program.signature.symbols[symbol].result;
        let key = ExprKey::App(symbol, args.clone());
        let name = if args.is_empty() { "c" } else { "v" };
        step(cx, steps, scope, key, name, sort, |dst| match self.function_of[symbol] {
            Some(function) => Step::call(dst, function, args),
            None => Step::Build { dst, symbol, args, reuse: None },
        })
    }

    pub(super) fn repeat(
        &mut self,
        cx: &mut FunctionLowering,
        steps: &mut Vec<Step>,
        scope: &mut Bindings,
        symbol: SymbolId,
        count: u32,
        arg: LocalId,
    ) -> LocalId {
        let sort = self.program.signature.symbols[symbol].result;
        let function = self.function_of[symbol];
        if count <= if function.is_some() { MAX_UNROLLED } else { MAX_NESTED } {
            return (0..count).fold(arg, |v, _| self.application(cx, steps, scope, symbol, vec![v]));
        }
        let key = ExprKey::Repeat(symbol, count, arg);
        if function.is_none() {
            return step(cx, steps, scope, key, "v", sort, |dst| Step::Repeat { dst, symbol, count, arg });
        }
        if let Some(&known) = scope.known.get(&key) {
            return known;
        }
        let mut value = arg;
        for bit in (0..u32::BITS).filter(|bit| count >> bit & 1 == 1) {
            let function = self.double(symbol, bit);
            let dst = cx.function.local("v", sort);
            steps.push(Step::call(dst, function, vec![value]));
            value = dst;
        }
        scope.known.insert(key, value);
        value
    }

    /// The function that applies a defined unary symbol 2^bit times.
    pub(super) fn double(&mut self, symbol: SymbolId, bit: u32) -> FunctionId {
        if let Some(&known) = self.doubles.get(&(symbol, bit)) {
            return known;
        }
        let id = match (bit, self.function_of[symbol]) {
            (0, Some(function)) => function,
            _ => {
                let half = self.double(symbol, bit.saturating_sub(1));
                let mut function = empty_function(self.program, symbol, &self.rules[symbol]);
                function.name = format!("{}^{}", function.name, 1u64 << bit);
                let sort = function.result;
                let (param, a, b) =
                    (function.region.params[0], function.local("v", sort), function.local("v", sort));
                let call = |dst, arg| Step::call(dst, half, vec![arg]);
                function.region.body = Block {
                    applied: Vec::new(),
                    steps: vec![call(a, param), call(b, a)],
                    end: End::Return(b),
                };
                self.functions.push(function)
            }
        };
        self.doubles.insert((symbol, bit), id);
        id
    }

    /// `a && b` and `a || b` as values: `b` is evaluated in a region, only when it matters. What it evaluates is not
    /// shared with what follows. An operand that is neither true nor false is a type error.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn junction(
        &mut self,
        cx: &mut FunctionLowering,
        rule: RuleId,
        steps: &mut Vec<Step>,
        scope: &mut Bindings,
        op: Op,
        [a, b]: [&Expr; 2],
        expr: &Expr,
    ) -> LocalId {
        let booleans = self.program.signature.booleans;
        let a = self.expr(cx, rule, steps, scope, a);
        let key = ExprKey::Junction(op, a, shape(b));
        if let Some(&known) = scope.known.get(&key) {
            return known;
        }
        let mut inner = Vec::new();
        let value = self.expr(cx, rule, &mut inner, &mut scope.clone(), b);
        let site = Site { rule, span: expr.span };
        let checked = self.truth(cx, value, op, site, &|value, _| Block::returning(value));
        let evaluate = Block { applied: Vec::new(), steps: inner, end: checked.end };
        let evaluated_on = if op == Op::Both { booleans.true_symbol } else { booleans.false_symbol };
        let evaluate = std::cell::RefCell::new(Some(evaluate));
        let body = self.truth(cx, a, op, site, &|a, symbol| {
            if symbol == evaluated_on {
                evaluate.borrow_mut().take().unwrap_or_else(|| Block::returning(a))
            } else {
                Block::returning(a)
            }
        });
        let dst = cx.function.local("b", booleans.sort);
        steps.push(Step::Region {
            dst,
            inits: Vec::new(),
            region: Box::new(Region { params: Vec::new(), body }),
        });
        scope.known.insert(key, dst);
        dst
    }

    /// A match on a truth value; other normal forms of its sort are type errors of `op`.
    pub(super) fn truth(
        &mut self,
        cx: &mut FunctionLowering,
        on: LocalId,
        op: Op,
        site: Site,
        case: &dyn Fn(LocalId, SymbolId) -> Block,
    ) -> Block {
        let booleans = self.program.signature.booleans;
        let mut arms: Vec<Arm> = [booleans.true_symbol, booleans.false_symbol]
            .into_iter()
            .filter(|&s| self.layout.variant(s).is_some())
            .map(|symbol| {
                let sorts = &self.program.signature.symbols[symbol].args;
                let fields = sorts.iter().map(|_| None).collect();
                Arm { symbol, fields, body: case(on, symbol) }
            })
            .collect();
        arms.sort_by_key(|arm| self.layout.tag(arm.symbol));
        let default = (arms.len() < self.layout.sorts[booleans.sort].variants.len()).then(|| {
            let dst = cx.function.local("error", booleans.sort);
            let steps = vec![Step::Operate { dst, op, args: vec![on; op.arity()], site }];
            Box::new(Block { applied: Vec::new(), steps, end: End::Return(dst) })
        });
        Block { applied: Vec::new(), steps: Vec::new(), end: End::Match { on, arms, default } }
    }
}

/// The local of an equal subterm evaluated before, or a fresh one bound by a new step.
fn step(
    cx: &mut FunctionLowering,
    steps: &mut Vec<Step>,
    scope: &mut Bindings,
    key: ExprKey<LocalId>,
    name: &str,
    sort: SortId,
    make: impl FnOnce(LocalId) -> Step,
) -> LocalId {
    if let Some(&known) = scope.known.get(&key) {
        return known;
    }
    let dst = cx.function.local(name, sort);
    steps.push(make(dst));
    scope.known.insert(key, dst);
    dst
}
