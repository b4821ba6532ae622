//! Terms to expressions. What an `if` may leave out becomes a function of its own over the variables that it uses.

use gchr_base::rule::GroundTerm;
use num_bigint::BigInt;

use super::*;
use crate::term::Special;

impl Space {
    /// The argument beside an identity that equations would make something else of before it goes.
    fn beside_identity<'t>(&self, op: usize, args: &'t [Term]) -> Option<&'t Term> {
        let identity = self.signature.ops[op].properties.identity.as_ref()?;
        let term = identity.term.as_ref()?;
        let ([first, second], TermKind::App(key, _)) = (args, &term.kind) else { return None };
        if !self.with_equations.contains(&self.op(key)) {
            return None;
        }
        match (identity.left && first.is_same(term), identity.right && second.is_same(term)) {
            (true, _) => Some(second),
            (_, true) => Some(first),
            _ => None,
        }
    }
}

impl Lower<'_> {
    /// A term whose variables have values.
    pub(super) fn expr(&mut self, cx: &Cx, term: &Term) -> Expr {
        let span = term.span;
        match &term.kind {
            TermKind::Var(name, of) => match cx.known.get(&Key::Named(name.clone(), of.clone())) {
                Some(&var) => cx.value(var, span),
                None => unreachable!("variables without a value are reported before"),
            },
            TermKind::Number(number) => self.number(number, span),
            TermKind::Value(value, of) => {
                Expr { kind: ExprKind::Const(*value), sort: self.sort_of(of), span }
            }
            TermKind::Operation(op, args, of) => {
                let args = args.iter().map(|arg| self.expr(cx, arg)).collect();
                Expr { kind: ExprKind::Op { op: *op, args }, sort: self.sort_of(of), span }
            }
            TermKind::Text(text, of) => {
                if let Some((symbol, value)) = self.float(text, of) {
                    let kind = ExprKind::Const(Const::Float(value));
                    let value = Expr { kind, sort: self.out.float(), span };
                    return self.app(symbol, vec![value], span);
                }
                if let Some((symbol, word)) = self.string_word(text, span) {
                    return self.app(symbol, vec![word], span);
                }
                let known = !self.out.frozen || self.text_symbol(text, of).is_some();
                if let (false, Some(spelled)) = (known, self.spelled(text, span)) {
                    return spelled;
                }
                let symbol = self.text(text, of, span);
                self.app(symbol, Vec::new(), span)
            }
            TermKind::App(key, args) => {
                let op = self.op(key);
                if let Some(other) = self.space.beside_identity(op, args) {
                    return self.expr(cx, other);
                }
                let special = self.space.signature.ops[op].properties.special.clone();
                match (special.as_deref(), args.as_slice()) {
                    (Some("and-then"), [a, b]) => self.decided(cx, a, [Some(b), None], Some(op), span),
                    (Some("or-else"), [a, b]) => self.decided(cx, a, [None, Some(b)], Some(op), span),
                    (Some("zero"), _) => self.number(&BigInt::ZERO, span),
                    (special, _) => {
                        if special == Some("missing") {
                            self.missing(&key.name, span);
                        }
                        let args = args.iter().map(|arg| self.expr(cx, arg)).collect();
                        self.app(self.space.calls[op], args, span)
                    }
                }
            }
            TermKind::Repeat(key, count, arg) => {
                let op = self.op(key);
                let arg = Box::new(self.expr(cx, arg));
                let (symbol, sort) = (self.space.calls[op], arg.sort);
                Expr { kind: ExprKind::Repeat { symbol, count: *count, arg }, sort, span }
            }
            TermKind::Special(Special::If, args) => match args.as_slice() {
                [test, a, b] => self.decided(cx, test, [Some(a), Some(b)], None, span),
                _ => unreachable!("`if` has three arguments"),
            },
            TermKind::Special(..) | TermKind::HasSort(..) => {
                let test = self.test(cx, term).unwrap_or_else(|| unreachable!("these are tests"));
                let symbol = self.function(Make::Truth);
                self.app(symbol, vec![test], span)
            }
        }
    }

    /// An operator is evaluated that is built into another interpreter.
    fn missing(&mut self, name: &str, span: Span) {
        match self.out.frozen {
            true => self.out.missing = self.out.missing.or(Some(span)),
            false => {
                let what =
                    format!("`{name}` and other operators that are built into the interpreter of Maude");
                self.out.diagnostics.push(*crate::parser::unsupported(span, &what));
            }
        }
    }

    /// A term to evaluate. Its variables are constants, which stay.
    pub fn ground(&mut self, term: &Term) -> GroundTerm {
        let constant = |term: &Term| match &term.kind {
            TermKind::Var(name, of) => {
                let sort = if of.is_kind { format!("[{}]", of.sort) } else { of.sort.to_string() };
                let text = match self.space.variables.get(name) {
                    Some(declared) if declared == of => name.clone(),
                    _ => format!("{name}:{sort}").into(),
                };
                let kind = TermKind::Text(text, of.clone());
                Some(Term { kind, span: term.span })
            }
            _ => None,
        };
        let expr = self.expr(&Cx::default(), &term.with(&constant));
        GroundTerm::of(&expr, term.span)
    }

    /// A term as a condition of the rule IR, where it is one.
    pub(super) fn test(&mut self, cx: &Cx, term: &Term) -> Option<Expr> {
        let span = term.span;
        match &term.kind {
            TermKind::Special(special @ (Special::Equal | Special::Differ), args) => {
                let args = args.iter().map(|arg| self.expr(cx, arg)).collect();
                let same = self.operation(Operator::Same, args, span);
                Some(match special {
                    Special::Differ => self.operation(Operator::Negate, vec![same], span),
                    _ => same,
                })
            }
            TermKind::HasSort(arg, of) => {
                let value = self.expr(cx, arg);
                let of = self.space.signature.type_of(of);
                let test = of.and_then(|of| self.sort_test(of, value, span));
                Some(test.unwrap_or_else(|| self.condition(true, span)))
            }
            _ => None,
        }
    }

    /// What a text stands for that is a finite float, and what makes a value of its kind of that.
    pub(super) fn float(&self, text: &str, of: &TypeName) -> Option<(SymbolId, f64)> {
        let (_, symbol) = self.space.float?;
        let finite = self.space.signature.library_sort("FiniteFloat").map(Type::Sort);
        let (text, _) = crate::token::float(text).filter(|_| self.space.signature.type_of(of) == finite)?;
        let value: f64 = text.parse().ok()?;
        // There is one zero.
        value.is_finite().then_some((symbol, value + 0.0))
    }

    /// A number as a value of its kind.
    pub(super) fn number(&mut self, number: &BigInt, span: Span) -> Expr {
        let value = Expr::integer(number, self.out.int, span);
        self.of_number(value, span)
    }

    pub(super) fn of_number(&self, value: Expr, span: Span) -> Expr {
        match self.space.number {
            Some((_, symbol)) => self.app(symbol, vec![value], span),
            None => unreachable!("only modules with numbers have some"),
        }
    }

    /// The constant for a text, where there is one.
    fn text_symbol(&self, text: &Arc<str>, of: &TypeName) -> Option<SymbolId> {
        let of = self.space.signature.type_of(of).unwrap_or(Type::Kind(0));
        let kind = self.space.signature.kind(of);
        self.space.texts.get(&(kind, text.clone())).map(|&(symbol, _)| symbol)
    }

    /// The constant for a quoted identifier, or for a variable that has no value.
    pub(super) fn text(&mut self, text: &Arc<str>, of: &TypeName, span: Span) -> SymbolId {
        if let Some(known) = self.text_symbol(text, of) {
            return known;
        }
        let of = self.space.signature.type_of(of).unwrap_or(Type::Kind(0));
        let kind = self.space.signature.kind(of);
        let symbol = self.symbol(text, Vec::new(), self.space.sorts[kind], Some(span));
        if !self.out.frozen {
            self.space.texts.insert((kind, text.clone()), (symbol, of));
        }
        symbol
    }

    /// One of two terms, of which only the one that matters is evaluated; in the place of one that is not given stands
    /// the value of the test. `stuck`: the operator that stays where the test is neither true nor false, else `if`.
    fn decided(
        &mut self,
        cx: &Cx,
        test: &Term,
        sides: [Option<&Term>; 2],
        stuck: Option<usize>,
        span: Span,
    ) -> Expr {
        let given: Vec<&Term> = sides.iter().copied().flatten().collect();
        if self.out.frozen {
            // No new functions: all arguments are evaluated.
            let mut args = vec![self.expr(cx, test)];
            args.extend(given.iter().map(|side| self.expr(cx, side)));
            let symbol = match stuck {
                Some(op) => self.space.values[op],
                None => {
                    let kind = self.space.kind_of_sort(args[1].sort);
                    self.function(Make::Choice(kind))
                }
            };
            return self.app(symbol, args, span);
        }
        let keys = self.used(cx, &given);
        let decided = self.test(cx, test);
        let first = decided.unwrap_or_else(|| self.expr(cx, test));
        let by_condition = first.sort == self.out.signature.booleans.sort;
        let result = self.expr_sort(given[0]);
        let sorts = [first.sort].into_iter().chain(keys.iter().map(|(_, sort)| *sort)).collect();
        let symbol = self.symbol("if_then_else_fi", sorts, result, None);
        let booleans = self.out.signature.booleans;
        for (value, side) in [(true, sides[0]), (false, sides[1])] {
            let (inner, mut patterns) = self.again(&keys, span);
            let of = match (by_condition, value) {
                (true, true) => booleans.true_symbol,
                (true, false) => booleans.false_symbol,
                (false, _) => self.truth_symbol(value),
            };
            patterns.insert(0, self.built(of, Vec::new(), span));
            let body = match side {
                Some(side) => self.expr(&inner, side),
                None => self.app(self.truth_symbol(value), Vec::new(), span),
            };
            self.rule(symbol, inner, patterns, body, span);
        }
        if !by_condition {
            let (mut inner, mut patterns) = self.again(&keys, span);
            let (other, pattern) = inner.fresh(first.sort, span);
            patterns.insert(0, pattern);
            let mut values = vec![inner.value(other, span)];
            values.extend(given.iter().map(|side| self.expr(&inner, side)));
            let stays = match stuck {
                Some(op) => self.space.values[op],
                None => {
                    let kind = self.space.kind_of_sort(result);
                    self.function(Make::Choice(kind))
                }
            };
            let body = self.app(stays, values, span);
            self.rule(symbol, inner, patterns, body, span);
        }
        let mut args = vec![first];
        args.extend(cx.values(&keys, &[], span));
        self.app(symbol, args, span)
    }

    /// The sort of the values of a type.
    pub(super) fn sort_of(&self, of: &TypeName) -> SortId {
        match self.space.signature.type_of(of) {
            Some(of) => self.space.sorts[self.space.signature.kind(of)],
            None => unreachable!("the sorts of a term are declared"),
        }
    }

    /// The variables of some terms, with their sorts.
    fn used(&self, cx: &Cx, terms: &[&Term]) -> Vec<(Key, SortId)> {
        let mut variables = Variables::default();
        terms.iter().for_each(|term| term.variables(&mut variables));
        let key = |(name, of, _): &(&Arc<str>, &TypeName, Span)| Key::Named((*name).clone(), (*of).clone());
        let sort = |key: Key| Some((key.clone(), cx.vars[*cx.known.get(&key)?].sort));
        variables.iter().map(key).filter_map(sort).collect()
    }

    /// The sort of the value of a term.
    pub(super) fn expr_sort(&self, term: &Term) -> SortId {
        let kind = crate::modules::kind_of(&self.space.signature, term);
        kind.map_or(self.truth_sort(), |kind| self.space.sorts[kind])
    }

    /// Names as the variables of a new rule.
    pub(super) fn again(&self, keys: &[(Key, SortId)], span: Span) -> (Cx, Vec<Pattern>) {
        let mut cx = Cx::default();
        let patterns = keys.iter().map(|(key, sort)| cx.bind(key, *sort, span)).collect();
        (cx, patterns)
    }

    pub(super) fn truth_rules(&mut self, symbol: SymbolId) {
        let span = self.place();
        let booleans = self.out.signature.booleans;
        for (from, value) in [(booleans.true_symbol, true), (booleans.false_symbol, false)] {
            let pattern = self.built(from, Vec::new(), span);
            let body = self.app(self.truth_symbol(value), Vec::new(), span);
            self.rule(symbol, Cx::default(), vec![pattern], body, span);
        }
    }

    /// `if` on values: what is neither true nor false stays.
    pub(super) fn choice_rules(&mut self, symbol: SymbolId, kind: usize) {
        let (span, sort) = (self.place(), self.space.sorts[kind]);
        self.out.signature.notations.insert(symbol, Notation::Mixfix(Mixfix::new(0, &[127; 3], false)));
        for value in [true, false] {
            let mut cx = Cx::default();
            let (then, then_pattern) = cx.fresh(sort, span);
            let (otherwise, otherwise_pattern) = cx.fresh(sort, span);
            let test = self.built(self.truth_symbol(value), Vec::new(), span);
            let body = cx.value(if value { then } else { otherwise }, span);
            self.rule(symbol, cx, vec![test, then_pattern, otherwise_pattern], body, span);
        }
    }
}
