//! Quoted identifiers. Those of the text are constants, which matching tells apart by their symbols; others, that a
//! string is turned into or that a later term has, are spelled: `$qid` of their string. `string` and `$named` of
//! the library get a rule for each constant, so that an identifier has one normal form.

use super::*;

impl Lower<'_> {
    /// The rules that spell the constants of the text.
    pub(super) fn identifiers(&mut self) {
        let signature = self.space.signature.clone();
        let Some(spelled) = signature.built_in("identifier") else { return };
        let kind = signature.ops[spelled].range;
        let of_identifier = |&op: &usize| signature.ops[op].domain == [kind];
        let string = signature.named("string", 1).iter().copied().find(of_identifier);
        let named = signature.named("$named", 1).first().copied();
        let (Some(string), Some(named)) = (string, named) else { return };
        let span = signature.ops[spelled].span;
        let texts = self.space.texts.iter().filter(|((of, text), _)| *of == kind && text.starts_with('\''));
        let mut texts: Vec<(Arc<str>, SymbolId)> =
            texts.map(|((_, text), &(symbol, _))| (text.clone(), symbol)).collect();
        texts.sort();
        for (text, symbol) in texts {
            let body = self.string(&text.as_bytes()[1..], span);
            let constant = self.built(symbol, Vec::new(), span);
            self.rule(self.space.calls[string], Cx::default(), vec![constant], body.clone(), span);
            let pattern = as_pattern(&body);
            let body = self.app(symbol, Vec::new(), span);
            self.rule(self.space.calls[named], Cx::default(), vec![pattern], body, span);
        }
        let mut cx = Cx::default();
        let sort = self.space.sorts[signature.ops[spelled].domain[0]];
        let (var, pattern) = cx.fresh(sort, span);
        let body = self.app(self.space.values[spelled], vec![cx.value(var, span)], span);
        self.rule(self.space.calls[named], cx, vec![pattern], body, span);
    }

    /// An identifier that is no constant of the text, in modules that can spell it.
    pub(super) fn spelled(&mut self, text: &str, span: Span) -> Option<Expr> {
        let op = self.space.signature.built_in("identifier")?;
        let string = self.string(text.strip_prefix('\'')?.as_bytes(), span);
        Some(self.app(self.space.values[op], vec![string], span))
    }
}

/// A term of constructors and constants as a pattern.
fn as_pattern(term: &Expr) -> Pattern {
    let kind = match &term.kind {
        ExprKind::App { symbol, args } => {
            PatternKind::App { symbol: *symbol, args: args.iter().map(as_pattern).collect() }
        }
        ExprKind::Const(value) => PatternKind::Const(*value),
        _ => unreachable!("strings are constructors and numbers"),
    };
    Pattern { kind, sort: term.sort, span: term.span }
}
