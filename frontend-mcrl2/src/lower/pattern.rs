//! Left-hand sides.

use super::*;

/// Why a left-hand side matches nothing.
pub(super) struct Unmatched {
    pub span: Span,
    pub reason: &'static str,
    /// Whether it cannot be meant; else it is true for terms that are never seen.
    pub severe: bool,
}

impl Unmatched {
    fn never(span: Span, reason: &'static str) -> Self {
        Self { span, reason, severe: false }
    }
    fn severe(span: Span, reason: &'static str) -> Self {
        Self { span, reason, severe: true }
    }
}

impl Lowering {
    /// The symbol and the arguments that the rule of a left-hand side has.
    pub(super) fn head(
        &mut self,
        cx: &mut Cx<'_>,
        left: &Term,
    ) -> Result<(SymbolId, Vec<Pattern>), Unmatched> {
        let span = cx.span(left.span);
        match &left.kind {
            Kind::Call(callee, args) => {
                let of_library = matches!(self.scope.symbols[callee.symbol].origin, Origin::Library(_));
                if of_library && cx.place.is_none() {
                    let reason = "what this stands for is built in";
                    return Err(Unmatched::never(span, reason));
                }
                let symbol = self.symbol(callee, span);
                let args = args.iter().map(|arg| self.pattern(cx, arg)).collect::<Result<_, _>>()?;
                Ok((symbol, args))
            }
            Kind::Apply(function, args) => {
                let mut patterns = vec![self.pattern(cx, function)?];
                for arg in args {
                    patterns.push(self.pattern(cx, arg)?);
                }
                Ok((self.apply_symbol(&function.ty, span), patterns))
            }
            Kind::Var(_) => Err(Unmatched::severe(span, "this is a variable")),
            _ => Err(Unmatched::severe(span, "this is no mapping with arguments")),
        }
    }

    /// A term on a left-hand side.
    pub(super) fn pattern(&mut self, cx: &mut Cx<'_>, term: &Term) -> Result<Pattern, Unmatched> {
        let span = cx.span(term.span);
        let sort = self.sort(&term.ty);
        let kind = match &term.kind {
            Kind::Var(var) => return Ok(self.own_var(cx, *var, span)),
            Kind::Number(value) => match Const::of_integer(value) {
                Some(small) => PatternKind::Const(small),
                None => {
                    let (var, pattern) = self.new_var(cx, "x", &term.ty, span);
                    let (number, value) = (Expr::integer(value, sort, span), self.value_of(cx, var, span));
                    let test = self.operation(Op::Eq, vec![value, number], span);
                    cx.tests.push(test);
                    return Ok(pattern);
                }
            },
            Kind::Value(callee) => {
                PatternKind::App { symbol: self.value_symbol(callee, &term.ty, span), args: Vec::new() }
            }
            Kind::Call(callee, args) => match self.meaning(callee) {
                Meaning::Constructor | Meaning::Equations => {
                    let meaning = self.meaning(callee);
                    if meaning == Meaning::Equations {
                        if self.signature.kind(sort) != SortKind::Data {
                            return Err(Unmatched::never(
                                span,
                                "this is a number when the equation is tried",
                            ));
                        }
                        if matches!(self.scope.symbols[callee.symbol].origin, Origin::Library(_)) {
                            return Err(Unmatched::never(span, "this is evaluated before"));
                        }
                    }
                    let symbol = self.symbol(callee, span);
                    let args = args.iter().map(|arg| self.pattern(cx, arg)).collect::<Result<_, _>>()?;
                    PatternKind::App { symbol, args }
                }
                Meaning::Identity => {
                    let [arg] = args.as_slice() else { return Err(Unmatched::severe(span, "this")) };
                    return self.pattern(cx, arg);
                }
                Meaning::Special(crate::library::Special::True | crate::library::Special::False) => {
                    let value = self.meaning(callee) == Meaning::Special(crate::library::Special::True);
                    let booleans = self.signature.booleans;
                    let symbol = if value { booleans.true_symbol } else { booleans.false_symbol };
                    PatternKind::App { symbol, args: Vec::new() }
                }
                Meaning::Number(_) | Meaning::Special(_) => {
                    return Err(Unmatched::never(span, "this is evaluated before"));
                }
            },
            // What a function value gives, where its equations want further arguments: a normal form.
            Kind::Apply(function, args) if self.signature.kind(sort) == SortKind::Data => {
                let mut patterns = vec![self.pattern(cx, function)?];
                for arg in args {
                    patterns.push(self.pattern(cx, arg)?);
                }
                PatternKind::App { symbol: self.apply_symbol(&function.ty, span), args: patterns }
            }
            Kind::Apply(..) => return Err(Unmatched::never(span, "this is evaluated before")),
            Kind::Lambda(..) | Kind::Where(..) | Kind::Quantifier { .. } => {
                return Err(Unmatched::never(span, "this binds variables"));
            }
        };
        Ok(Pattern { kind, sort, span })
    }
}
