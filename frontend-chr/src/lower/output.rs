//! `format/1,2`: a literal format string with simple directives becomes writes.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{ExprKind, GoalKind};
use gchr_base::source::Span;

use super::{Lowering, Scope};
use crate::ast::{Module, TermId, TermKind};

/// The text that an atom, a string, or a list of character codes or characters stands for.
fn literal(module: &Module, id: TermId) -> Option<String> {
    let character = |&item: &TermId| match module.kind(item) {
        TermKind::Int(code) => char::from_u32(u32::try_from(*code).ok()?),
        TermKind::Atom(name) => {
            let mut chars = name.chars();
            chars.next().filter(|_| chars.next().is_none())
        }
        _ => None,
    };
    match module.kind(id) {
        TermKind::Atom(name) if name == "[]" => Some(String::new()),
        TermKind::Atom(text) | TermKind::Str(text) => Some(text.clone()),
        TermKind::List { items, tail: None } => items.iter().map(character).collect(),
        _ => None,
    }
}

impl<'a> Lowering<'_> {
    /// Lowers `format(Text)` or `format(Text, Args)`.
    pub(super) fn format(&mut self, scope: &mut Scope<'a>, args: &[TermId], span: Span) {
        let module = scope.module;
        let Some(text) = args.first().and_then(|&text| literal(module, text)) else {
            return self.bad_format(args.first().map_or(span, |&t| module.span(t)), "not a literal text");
        };
        let mut values = match args.get(1).map(|&a| (a, module.kind(a))) {
            None => Vec::new(),
            Some((_, TermKind::Atom(name))) if name == "[]" => Vec::new(),
            Some((_, TermKind::List { items, tail: None })) => items.clone(),
            // As in Prolog, a single argument needs no list.
            Some((only, _)) => vec![only],
        }
        .into_iter();
        let (mut literal, mut chars) = (String::new(), text.chars());
        while let Some(c) = chars.next() {
            if c == '\n' {
                self.flush(scope, &mut literal, span);
                scope.push(GoalKind::Newline, span);
                continue;
            }
            if c != '~' {
                literal.push(c);
                continue;
            }
            let directive = chars.next();
            match directive {
                Some('~') => literal.push('~'),
                Some('n') => {
                    self.flush(scope, &mut literal, span);
                    scope.push(GoalKind::Newline, span);
                }
                Some(d @ ('w' | 'a' | 'd' | 'p' | 'q')) => {
                    let Some(value) = values.next() else {
                        return self.bad_format(span, "fewer arguments than directives");
                    };
                    self.flush(scope, &mut literal, span);
                    self.format_value(scope, d, value, span);
                }
                _ => return self.bad_format(span, "only ~w ~p ~q ~a ~d ~n ~~ are supported"),
            }
        }
        self.flush(scope, &mut literal, span);
        if values.next().is_some() {
            self.bad_format(span, "more arguments than directives");
        }
    }

    fn flush(&mut self, scope: &mut Scope<'_>, literal: &mut String, span: Span) {
        if !literal.is_empty() {
            let text = self.string(&std::mem::take(literal));
            let value = self.expr(ExprKind::Const(text), span);
            scope.push(GoalKind::Write { value, quoted: false }, span);
        }
    }

    fn format_value(&mut self, scope: &mut Scope<'_>, directive: char, id: TermId, span: Span) {
        let Some(value) = self.term(scope, id) else { return };
        if directive == 'd' {
            // `~d` is for integers only.
            self.test(scope, Op::IsInteger, vec![value.clone()], span);
        }
        scope.push(GoalKind::Write { value, quoted: matches!(directive, 'p' | 'q') }, span);
    }

    fn bad_format(&mut self, span: Span, text: &str) {
        self.beyond(
            Diagnostic::error("C0312", "this format is not supported").label(span, text).help(
                "use a literal text with ~w and ~n, such as format(\"~w~n\", [X]), or write/1 and nl/0",
            ),
        );
    }
}
