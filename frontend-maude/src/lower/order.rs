//! The order of normal forms by which arguments of commutative operators are kept: by their outermost symbols, numbers
//! first, then by arguments from left to right.

use super::*;

impl Lower<'_> {
    /// Whether a value is before another one of its kind.
    pub(super) fn before(&mut self, kind: usize, a: Expr, b: Expr, span: Span) -> Expr {
        let symbol = self.function(Make::Before(kind));
        self.app(symbol, vec![a, b], span)
    }

    /// Symbols that normal forms of a kind may have outermost, with the sorts of their arguments.
    fn builders(&self, kind: usize) -> Vec<(SymbolId, Vec<SortId>)> {
        let signature = &self.space.signature;
        let ops = signature.ops.iter().enumerate().filter(|(_, op)| op.range == kind);
        let symbols = ops
            .filter(|(_, op)| op.properties.special.as_deref() != Some("zero"))
            .flat_map(|(id, _)| [Some(self.space.values[id]), self.space.counted.get(&id).copied()]);
        let sorts = |symbol: SymbolId| (symbol, self.out.signature.symbols[symbol].args.clone());
        let mut found: Vec<(SymbolId, Vec<SortId>)> = symbols.flatten().map(sorts).collect();
        let texts = self.space.texts.iter().filter(|((of, _), _)| *of == kind);
        let mut texts: Vec<(&Arc<str>, SymbolId)> =
            texts.map(|((_, text), &(symbol, _))| (text, symbol)).collect();
        texts.sort();
        found.extend(texts.into_iter().map(|(_, symbol)| (symbol, Vec::new())));
        found
    }

    /// What makes values of a kind of integers, floats and strings, with the sorts of these.
    fn numbers_of(&mut self, kind: usize) -> Vec<(SymbolId, SortId)> {
        let of_kind = |numbers: Option<(usize, SymbolId)>| numbers.filter(|(of, _)| *of == kind);
        let (number, float) = (of_kind(self.space.number), of_kind(self.space.float));
        let number = number.map(|(_, symbol)| (symbol, self.out.int));
        let float = float.map(|(_, symbol)| (symbol, self.out.float()));
        let string = of_kind(self.space.string).map(|(_, symbol)| (symbol, self.out.int));
        number.into_iter().chain(float).chain(string).collect()
    }

    pub(super) fn before_rules(&mut self, symbol: SymbolId, kind: usize) {
        let (span, sort) = (self.place(), self.space.sorts[kind]);
        for (number, of) in self.numbers_of(kind) {
            let mut cx = Cx::default();
            let (a, left) = cx.fresh(of, span);
            let (b, right) = cx.fresh(of, span);
            let mut values = vec![cx.value(a, span), cx.value(b, span)];
            if self.space.string.is_some_and(|(_, string)| string == number) {
                let order = self.operation(Operator::TextCompare, values, span);
                values = vec![order, self.integer(0, span)];
            }
            let body = self.operation(Operator::Lt, values, span);
            let patterns = [left, right].map(|pattern| self.built(number, vec![pattern], span)).to_vec();
            self.rule(symbol, cx, patterns, body, span);
        }
        if self.out.signature.sorts[sort].kind != SortKind::Data {
            let mut cx = Cx::default();
            let (a, left) = cx.fresh(sort, span);
            let (b, right) = cx.fresh(sort, span);
            let values = vec![cx.value(a, span), cx.value(b, span)];
            let body = self.operation(Operator::Lt, values, span);
            return self.rule(symbol, cx, vec![left, right], body, span);
        }
        for (builder, sorts) in self.builders(kind) {
            if sorts.is_empty() {
                continue;
            }
            let mut cx = Cx::default();
            let mut sides = [Vec::new(), Vec::new()];
            let mut vars = [Vec::new(), Vec::new()];
            for side in 0..2 {
                for &of in &sorts {
                    let (var, pattern) = cx.fresh(of, span);
                    vars[side].push(var);
                    sides[side].push(pattern);
                }
            }
            let mut body: Option<Expr> = None;
            for (at, &of) in sorts.iter().enumerate().rev() {
                let (a, b) = (cx.value(vars[0][at], span), cx.value(vars[1][at], span));
                let before = match self.space.sorts.iter().position(|&sort| sort == of) {
                    Some(of) => self.before(of, a.clone(), b.clone(), span),
                    None => self.operation(Operator::Lt, vec![a.clone(), b.clone()], span),
                };
                body = Some(match body {
                    None => before,
                    Some(rest) => {
                        let same = self.operation(Operator::Same, vec![a, b], span);
                        let then = self.operation(Operator::Both, vec![same, rest], span);
                        self.operation(Operator::Either, vec![before, then], span)
                    }
                });
            }
            let patterns = sides.map(|side| self.built(builder, side, span)).to_vec();
            if let Some(body) = body {
                self.rule(symbol, cx, patterns, body, span);
            }
        }
        let rank = self.function(Make::Rank(kind));
        let mut cx = Cx::default();
        let (a, left) = cx.fresh(sort, span);
        let (b, right) = cx.fresh(sort, span);
        let ranks = [a, b].map(|var| self.app(rank, vec![cx.value(var, span)], span)).to_vec();
        let body = self.operation(Operator::Lt, ranks, span);
        self.rule(symbol, cx, vec![left, right], body, span);
    }

    pub(super) fn rank_rules(&mut self, symbol: SymbolId, kind: usize) {
        let span = self.place();
        let mut ranked: Vec<(SymbolId, Vec<SortId>)> = Vec::new();
        ranked.extend(self.numbers_of(kind).into_iter().map(|(number, of)| (number, vec![of])));
        ranked.extend(self.builders(kind));
        for (rank, (builder, args)) in ranked.into_iter().enumerate() {
            let mut cx = Cx::default();
            let args = args.into_iter().map(|sort| cx.fresh(sort, span).1).collect();
            let pattern = self.built(builder, args, span);
            let body = self.integer(rank as i64, span);
            self.rule(symbol, cx, vec![pattern], body, span);
        }
        // What `if` leaves behind where its test has no value.
        let mut cx = Cx::default();
        let (_, pattern) = cx.fresh(self.space.sorts[kind], span);
        let body = self.integer(-1, span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }
}
