//! Operators and tests, and the errors that they end a run with.

use gchr_base::ids::Id;
use gchr_base::op::Op;
use gchr_base::rule::Const;
use gchr_base::signature::{SortKind, SymbolId};
use gchr_terms::plan::{LocalId, Site as PlanSite, Test};

use super::{ERROR_VALUES, Generator, TERM_ERROR, TermError, halves, to_bits};
use gchr_kernel::build;
use gchr_kernel::ir::*;
use gchr_runtime::codegen::{Arithmetic, Site};

impl Generator<'_, '_> {
    /// Tag of a truth value.
    pub(super) fn truth(&self, value: bool) -> u32 {
        let booleans = self.program.signature.booleans;
        let symbol = if value { booleans.true_symbol } else { booleans.false_symbol };
        self.layout().tag(symbol).unwrap_or(u32::MAX)
    }

    /// The condition of a test.
    pub(super) fn test(&mut self, test: &Test) -> Expr {
        match *test {
            Test::Holds(local) => build::eq(self.local(local), build::u32(self.truth(true))),
            Test::Constant(local, value) => same(self.local(local), constant(value)),
            Test::Same(a, b) => same(self.local(a), self.local(b)),
            Test::Compare(op, a, b) => {
                let args = [self.local(a), self.local(b)];
                gchr_runtime::codegen::expression(op, &args).unwrap_or_else(|| build::bool(false))
            }
        }
    }

    /// The value of an operator.
    pub(super) fn operate(&mut self, dst: LocalId, op: Op, args: &[LocalId], site: PlanSite) {
        let site = Site { rule: Some(site.rule), span: site.span };
        let values: Vec<Expr> = args.iter().map(|&a| self.local(a)).collect();
        let sort = self.sort(args[0]);
        let kind = self.layout().sorts[sort].kind;
        if kind == SortKind::Data {
            return self.operate_on_term(dst, op, args, values, site);
        }
        if matches!(op, Op::Both | Op::Either | Op::Negate) {
            return self.type_error(op, args[0], site);
        }
        let error = self.param(self.params().error);
        let arithmetic = Arithmetic { module: self.runtime.module, error, sites: &mut self.reports.sites };
        let value = arithmetic.compute(&mut self.b, op, kind == SortKind::Float, values, site);
        let value = if op.is_test() { self.truth_value(value) } else { value };
        self.bind(dst, value);
    }

    fn truth_value(&self, condition: Expr) -> Expr {
        let [yes, no] = [true, false].map(|v| Box::new(build::u32(self.truth(v))));
        Expr::new(ExprKind::Select(Box::new(condition), yes, no), Type::U32)
    }

    /// Structural equality of values without cells, and negation.
    fn operate_on_term(&mut self, dst: LocalId, op: Op, args: &[LocalId], values: Vec<Expr>, site: Site) {
        match (op, values.as_slice()) {
            (Op::Same, [a, b]) => {
                let value = self.truth_value(build::eq(a.clone(), b.clone()));
                self.bind(dst, value);
            }
            (Op::Differ, [a, b]) => {
                let value = self.truth_value(build::binary(BinaryOp::Ne, a.clone(), b.clone()));
                self.bind(dst, value);
            }
            (Op::Negate, [a]) => {
                let is = |g: &Self, v| build::eq(a.clone(), build::u32(g.truth(v)));
                let (yes, no) = (is(self, true), is(self, false));
                if self.layout().sorts[self.sort(args[0])].has_cells() {
                    self.b.begin();
                    self.type_error(op, args[0], site);
                    let known = build::binary(BinaryOp::OrElse, yes, no.clone());
                    self.b.end_if(Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(known)), Type::BOOL));
                }
                let value = self.truth_value(no);
                self.bind(dst, value);
            }
            _ => self.type_error(op, args[0], site),
        }
    }

    fn type_error(&mut self, op: Op, local: LocalId, site: Site) {
        let sort = self.sort(local);
        self.fail(TermError::Type { op, site, sort }, &[local]);
    }

    /// No rule matches, and the application is no value.
    pub(super) fn no_rule(&mut self, symbol: SymbolId, args: &[LocalId]) {
        let sorts = args.iter().map(|&a| self.sort(a)).collect();
        self.fail(TermError::NoRule { symbol, args: sorts }, args);
    }

    /// A comparison of terms of the sort of this local comes to the same subterms again and again.
    pub(super) fn too_much_compared(&mut self, local: LocalId) {
        let sort = self.sort(local);
        self.fail(TermError::Compared { sort }, &[]);
    }

    /// Notes an error with terms, unless there is one, and ends the run.
    fn fail(&mut self, error: TermError, values: &[LocalId]) {
        let number = self.reports.terms.len() as u32;
        self.reports.terms.push(error);
        let buffer = self.param(self.params().error);
        let word = |k: u32| build::element(buffer.clone(), build::u32(k));
        let args = vec![buffer.clone(), build::u32(number), build::u32(TERM_ERROR)];
        let first = self.b.call("first", self.runtime.module, self.runtime.names.functions.report_trap, args);
        self.b.begin();
        for (k, &local) in values.iter().enumerate() {
            let value = self.local(local);
            let words = if self.is_wide(local) { halves(value) } else { [value, build::u32(0)] };
            for (half, value) in words.into_iter().enumerate() {
                let to = word(ERROR_VALUES + 2 * k as u32 + half as u32);
                self.b.push(StmtKind::Own { name: "first error".into(), place: build::place(to.clone()) });
                self.b.assign(to, value);
            }
        }
        self.b.end_if(first);
        let failed = self.runtime.names.constants.failed.clone();
        let args = vec![self.param(self.params().control), failed];
        self.b.run(self.runtime.names.functions.stop, args);
        self.end_thread();
    }
}

/// A constant of the program.
pub(super) fn constant(value: Const) -> Expr {
    match value {
        Const::Int(n) => build::i64(n),
        // Literals have no sign.
        Const::Float(x) if x.is_sign_negative() => {
            let bits = Expr::new(ExprKind::Literal(Literal::Int(x.to_bits())), Type::U64);
            build::intrinsic(Intrinsic::FloatFromBits, vec![bits], Scalar::F64)
        }
        Const::Float(x) => Expr::new(ExprKind::Literal(Literal::Float(x)), Type::F64),
        Const::Atom(text) | Const::Str(text) => build::u32(text.index() as u32),
    }
}

/// Structural equality of values without cells: floats are the same when their bits are.
fn same(a: Expr, b: Expr) -> Expr {
    if a.ty == Type::F64 { build::eq(to_bits(a), to_bits(b)) } else { build::eq(a, b) }
}
