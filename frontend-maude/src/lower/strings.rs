//! Strings: texts of bytes, of which the words are [integers](gchr_base::op::texts), and what of the library is
//! computed on them.

use gchr_base::op::texts;

use super::*;

impl Lower<'_> {
    /// What makes a value of its kind of the word of a string, and that word, where a text is a string.
    pub(super) fn string_word(&mut self, text: &str, span: Span) -> Option<(SymbolId, Expr)> {
        let (_, symbol) = self.space.string?;
        let bytes = text.starts_with('"').then(|| crate::token::bytes(text))?;
        Some((symbol, self.bytes(&bytes, span)))
    }

    /// The word of a string of bytes.
    fn bytes(&mut self, bytes: &[u8], span: Span) -> Expr {
        let known = match self.out.frozen {
            true => self.out.signature.byte_texts.known(bytes),
            false => Some(self.out.signature.byte_texts.word(bytes)),
        };
        // A final program has no new texts: it joins short ones.
        known.map(|word| self.integer(word, span)).unwrap_or_else(|| {
            let half = (bytes.len() / 2).max(texts::MAX_PACKED);
            let (a, b) = bytes.split_at(half);
            let parts = vec![self.bytes(a, span), self.bytes(b, span)];
            self.operation(Operator::TextJoin, parts, span)
        })
    }

    /// A string as a value of its kind.
    pub(super) fn string(&mut self, bytes: &[u8], span: Span) -> Expr {
        let word = self.bytes(bytes, span);
        self.of_string(word, span)
    }

    fn of_string(&self, word: Expr, span: Span) -> Expr {
        match self.space.string {
            Some((_, symbol)) => self.app(symbol, vec![word], span),
            None => unreachable!("only modules with strings have some"),
        }
    }

    /// The rules of an operator that is built in, on strings and numbers.
    pub(super) fn special_string(&mut self, op: usize) {
        let declared = self.space.signature.ops[op].clone();
        let (Some(name), span) = (declared.properties.special, declared.span) else { return };
        let (Some((_, string)), Some((_, number))) = (self.space.string, self.space.number) else { return };
        let signature = self.space.signature.clone();
        // Strings and numbers may be of one kind.
        let whole = signature.library_sort("String").map(Type::Sort);
        let is_string = |of: &Type| whole.is_some_and(|whole| signature.is_below(*of, whole));
        let is_about = |(domain, _): &&(Vec<Type>, Type)| &*name == "of-code" || domain.iter().any(is_string);
        let Some((domain, _)) = declared.declared.iter().find(is_about) else { return };
        let mut cx = Cx::default();
        let (mut patterns, mut vars) = (Vec::new(), Vec::new());
        for of in domain {
            let (var, pattern) = cx.fresh(self.out.int, span);
            let symbol = if is_string(of) { string } else { number };
            patterns.push(self.built(symbol, vec![pattern], span));
            vars.push(var);
        }
        let mut values: Vec<Expr> = vars.iter().map(|&var| cx.value(var, span)).collect();
        let operator = match &*name {
            "length" => Operator::TextLength,
            "join" => Operator::TextJoin,
            "prefix" => Operator::TextPrefix,
            "behind" => Operator::TextBehind,
            "find" => Operator::TextFind,
            "find-last" => Operator::TextFindLast,
            "upper" => Operator::TextUpper,
            "lower" => Operator::TextLower,
            "lt" | "le" | "gt" | "ge" => Operator::TextCompare,
            // The word of a character is its code behind a 1.
            "code" => Operator::Sub,
            "of-code" => Operator::Add,
            _ => return,
        };
        let test = match &*name {
            "lt" => Some(Operator::Lt),
            "le" => Some(Operator::Le),
            "gt" => Some(Operator::Gt),
            "ge" => Some(Operator::Ge),
            _ => None,
        };
        if name.ends_with("code") {
            let limits = if &*name == "code" { [CODES, 2 * CODES] } else { [0, CODES] };
            self.between(&mut cx, vars[0], limits, span);
            values.push(self.integer(CODES, span));
        }
        let value = self.operation(operator, values, span);
        let body = if let Some(test) = test {
            let zero = self.integer(0, span);
            let holds = self.operation(test, vec![value, zero], span);
            let truth = self.function(Make::Truth);
            self.app(truth, vec![holds], span)
        } else if ["join", "prefix", "behind", "upper", "lower", "of-code"].contains(&&*name) {
            self.of_string(value, span)
        } else {
            self.of_number(value, span)
        };
        let symbol = self.space.calls[op];
        self.rule(symbol, cx, patterns, body, span);
    }

    /// A condition: a word is at least the first of two numbers, and less than the second one.
    fn between(&self, cx: &mut Cx, var: VarId, limits: [i64; 2], span: Span) {
        for (test, limit) in [Operator::Ge, Operator::Lt].into_iter().zip(limits) {
            cx.test(self.operation(test, vec![cx.value(var, span), self.integer(limit, span)], span));
        }
    }

    /// The sorts of strings of a kind, smaller ones first, and whether those of one character have it alone.
    pub(super) fn string_sorts(&self, kind: usize) -> Vec<(usize, bool)> {
        if self.space.string.is_none_or(|(of, _)| of != kind) {
            return Vec::new();
        }
        let signature = &self.space.signature;
        let sorts = [("Char", true), ("String", false)];
        sorts.into_iter().filter_map(|(name, short)| Some((signature.library_sort(name)?, short))).collect()
    }

    /// A rule for strings, or for characters.
    pub(super) fn string_rule(&mut self, symbol: SymbolId, is_character: bool, body: Expr) {
        let Some((_, string)) = self.space.string else { return };
        let span = body.span;
        let mut cx = Cx::default();
        let (var, pattern) = cx.fresh(self.out.int, span);
        if is_character {
            self.between(&mut cx, var, [CODES, 2 * CODES], span);
        }
        let pattern = self.built(string, vec![pattern], span);
        self.rule(symbol, cx, vec![pattern], body, span);
    }
}

/// How many characters there are; the word of the first one.
const CODES: i64 = 256;
