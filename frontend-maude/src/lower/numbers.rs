//! Operators on numbers, and what of the library is computed.

use super::*;

/// Floats from here on are whole: 2^53.
const WITH_FRACTIONS: f64 = 9_007_199_254_740_992.0;

/// How an operator on numbers is computed.
enum Computed {
    Number(Expr),
    Test(Expr),
}

impl Lower<'_> {
    /// The rules of an operator that is built in, on numbers.
    pub(super) fn special(&mut self, op: usize) {
        let declared = &self.space.signature.ops[op];
        let (Some(name), span) = (declared.properties.special.clone(), declared.span) else { return };
        let Some((kind, number)) = self.space.number else { return };
        if declared.domain.iter().any(|&of| of != kind) {
            return;
        }
        let count = declared.domain.len();
        let symbol = self.space.calls[op];
        let mut cx = Cx::default();
        let (mut patterns, mut values) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (var, pattern) = cx.fresh(self.out.int, span);
            patterns.push(self.built(number, vec![pattern], span));
            values.push(cx.value(var, span));
        }
        let Some(computed) = self.computed(&name, &values, &mut cx, span) else { return };
        let body = match computed {
            Computed::Number(value) => self.of_number(value, span),
            Computed::Test(test) => {
                let truth = self.function(Make::Truth);
                self.app(truth, vec![test], span)
            }
        };
        self.rule(symbol, cx, patterns, body, span);
    }

    /// The rules of an operator that is built in, on floats.
    pub(super) fn special_float(&mut self, op: usize) {
        let declared = self.space.signature.ops[op].clone();
        let (Some(name), span) = (declared.properties.special, declared.span) else { return };
        let Some((kind, float)) = self.space.float else { return };
        if declared.domain.is_empty() || declared.domain.iter().any(|&of| of != kind) {
            return;
        }
        let of_float = self.out.float();
        let mut cx = Cx::default();
        let (mut patterns, mut values) = (Vec::new(), Vec::new());
        for _ in &declared.domain {
            let (var, pattern) = cx.fresh(of_float, span);
            patterns.push(self.built(float, vec![pattern], span));
            values.push(cx.value(var, span));
        }
        let zero = self.float_constant(0.0, span);
        let plain = |op| (op, false);
        let (operator, is_test) = match &*name {
            "add" => plain(Operator::Add),
            "sub" => plain(Operator::Sub),
            "mul" => plain(Operator::Mul),
            "div" => {
                // What is divided by zero stays.
                cx.test(self.operation(Operator::Ne, vec![values[1].clone(), zero.clone()], span));
                plain(Operator::Div)
            }
            "min" => plain(Operator::Min),
            "max" => plain(Operator::Max),
            "neg" => plain(Operator::Neg),
            "abs" => plain(Operator::Abs),
            "floor" => plain(Operator::Floor),
            "ceiling" => plain(Operator::Ceiling),
            "lt" => (Operator::Lt, true),
            "le" => (Operator::Le, true),
            "gt" => (Operator::Gt, true),
            "ge" => (Operator::Ge, true),
            _ => return,
        };
        let symbol = self.space.calls[op];
        if operator.rounds() {
            self.large_floats(symbol, span);
            let absolute = self.operation(Operator::Abs, values.clone(), span);
            let limit = self.float_constant(WITH_FRACTIONS, span);
            cx.test(self.operation(Operator::Lt, vec![absolute, limit], span));
        }
        let mut value = self.operation(operator, values, span);
        if operator.rounds() {
            value = self.operation(Operator::ToFloat, vec![value], span);
        }
        let body = if is_test {
            let truth = self.function(Make::Truth);
            self.app(truth, vec![value], span)
        } else {
            // There is one zero: the sum of it and the negative one.
            let value = self.operation(Operator::Add, vec![value, zero], span);
            self.app(float, vec![value], span)
        };
        self.rule(symbol, cx, patterns, body, span);
    }

    /// Floats so large that they are whole are what they are rounded to.
    fn large_floats(&mut self, symbol: SymbolId, span: Span) {
        let Some((_, float)) = self.space.float else { return };
        let mut cx = Cx::default();
        let (value, pattern) = cx.fresh(self.out.float(), span);
        let value = cx.value(value, span);
        let absolute = self.operation(Operator::Abs, vec![value.clone()], span);
        let limit = self.float_constant(WITH_FRACTIONS, span);
        cx.test(self.operation(Operator::Ge, vec![absolute, limit], span));
        let pattern = self.built(float, vec![pattern], span);
        let body = self.app(float, vec![value], span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }

    fn float_constant(&mut self, value: f64, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(Const::Float(value)), sort: self.out.float(), span }
    }

    fn computed(&mut self, name: &str, args: &[Expr], cx: &mut Cx, span: Span) -> Option<Computed> {
        let zero = self.integer(0, span);
        let (x, y) = (args.first()?.clone(), args.get(1).unwrap_or(&zero).clone());
        let both = || vec![x.clone(), y.clone()];
        let plain = |op| Some(Computed::Number(self.operation(op, both(), span)));
        let test = |op| Some(Computed::Test(self.operation(op, both(), span)));
        match name {
            "add" => plain(Operator::Add),
            "sub" => plain(Operator::Sub),
            "mul" => plain(Operator::Mul),
            "gcd" => plain(Operator::Gcd),
            "min" => plain(Operator::Min),
            "max" => plain(Operator::Max),
            "xor" => plain(Operator::Xor),
            "bits-and" => plain(Operator::And),
            "bits-or" => plain(Operator::Or),
            "lt" => test(Operator::Lt),
            "le" => test(Operator::Le),
            "gt" => test(Operator::Gt),
            "ge" => test(Operator::Ge),
            "succ" => {
                let one = self.integer(1, span);
                Some(Computed::Number(self.operation(Operator::Add, vec![x, one], span)))
            }
            "neg" => Some(Computed::Number(self.operation(Operator::Neg, vec![x], span))),
            "abs" => Some(Computed::Number(self.operation(Operator::Abs, vec![x], span))),
            "bits-not" => {
                let (one, negated) = (self.integer(1, span), self.operation(Operator::Neg, vec![x], span));
                Some(Computed::Number(self.operation(Operator::Sub, vec![negated, one], span)))
            }
            "sd" => {
                let difference = self.operation(Operator::Sub, both(), span);
                Some(Computed::Number(self.operation(Operator::Abs, vec![difference], span)))
            }
            "shl" | "shr" => {
                cx.test(self.operation(Operator::Ge, vec![y.clone(), zero], span));
                plain(if name == "shl" { Operator::Shl } else { Operator::Shr })
            }
            "quo" | "rem" => {
                cx.test(self.operation(Operator::Ne, vec![y.clone(), zero], span));
                let quotient = self.quotient(&x, &y, span);
                Some(Computed::Number(match name {
                    "quo" => quotient,
                    _ => {
                        let product = self.operation(Operator::Mul, vec![y, quotient], span);
                        self.operation(Operator::Sub, vec![x, product], span)
                    }
                }))
            }
            "lcm" => {
                let gcd = self.operation(Operator::Gcd, both(), span);
                // The gcd of 0 and 0 is 0, and nothing is divided by it.
                let one = self.integer(1, span);
                let divisor = self.operation(Operator::Max, vec![gcd, one], span);
                let product = self.operation(Operator::Mul, both(), span);
                let product = self.operation(Operator::Abs, vec![product], span);
                Some(Computed::Number(self.operation(Operator::FloorDiv, vec![product, divisor], span)))
            }
            "pow" => {
                cx.test(self.operation(Operator::Ge, vec![y.clone(), zero], span));
                let power = self.function(Make::Power);
                let one = self.integer(1, span);
                Some(Computed::Number(self.app(power, vec![x, y, one], span)))
            }
            "divides" => {
                cx.test(self.operation(Operator::Ne, vec![x.clone(), zero.clone()], span));
                let rest = self.operation(Operator::Mod, vec![y, x], span);
                Some(Computed::Test(self.operation(Operator::Eq, vec![rest, zero], span)))
            }
            _ => None,
        }
    }

    /// The quotient, cut towards zero: that of the absolute values, with the sign of the product.
    fn quotient(&self, x: &Expr, y: &Expr, span: Span) -> Expr {
        let absolute = |of: &Expr| self.operation(Operator::Abs, vec![of.clone()], span);
        let quotient = self.operation(Operator::FloorDiv, vec![absolute(x), absolute(y)], span);
        let sign = |of: &Expr| self.operation(Operator::Sign, vec![of.clone()], span);
        let sign = self.operation(Operator::Mul, vec![sign(x), sign(y)], span);
        self.operation(Operator::Mul, vec![sign, quotient], span)
    }

    /// `power(x, n, y)` is `y * x^n`, by squares.
    pub(super) fn power(&mut self, symbol: SymbolId) {
        let (span, int) = (self.place(), self.out.int);
        let mut cx = Cx::default();
        let (_, x) = cx.fresh(int, span);
        let (y, y_pattern) = cx.fresh(int, span);
        let zero = Pattern { kind: PatternKind::Const(Const::Int(0)), sort: int, span };
        let body = cx.value(y, span);
        self.rule(symbol, cx, vec![x, zero, y_pattern], body, span);
        for odd in [false, true] {
            let mut cx = Cx::default();
            let (x, x_pattern) = cx.fresh(int, span);
            let (n, n_pattern) = cx.fresh(int, span);
            let (y, y_pattern) = cx.fresh(int, span);
            let [x, n, mut y] = [x, n, y].map(|var| cx.value(var, span));
            let two = self.integer(2, span);
            if odd {
                y = self.operation(Operator::Mul, vec![x.clone(), y], span);
            } else {
                let rest = self.operation(Operator::Mod, vec![n.clone(), two.clone()], span);
                let zero = self.integer(0, span);
                cx.test(self.operation(Operator::Eq, vec![rest, zero], span));
            }
            let square = self.operation(Operator::Mul, vec![x.clone(), x], span);
            let half = self.operation(Operator::FloorDiv, vec![n, two], span);
            let body = self.app(symbol, vec![square, half, y], span);
            self.rule(symbol, cx, vec![x_pattern, n_pattern, y_pattern], body, span);
        }
    }
}
