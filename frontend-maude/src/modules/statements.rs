//! Equations and memberships of a module, and the identities of its operators, by its grammar.

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;

use super::Fail;
use crate::grammar::{Forms, Grammar};
use crate::parser::{Reader, expected};
use crate::signature::{ModulePart, Signature, Type};
use crate::syntax::*;
use crate::term::{Condition, Rule, Special, Term, TermKind};
use crate::token::{Token, outside_brackets};

/// The declared variables of a module.
pub(super) fn variables(module: &Module) -> HashMap<Arc<str>, TypeName> {
    let mut found = HashMap::default();
    for statement in &module.statements {
        if let Statement::Variables(names, of, _) = statement {
            found.extend(names.iter().map(|name| (name.text.clone(), of.clone())));
        }
    }
    found
}

/// Reads what has terms; whether all of it is right.
pub(super) fn read(
    module: &Module,
    (signature, forms): (&Signature, &mut Forms),
    variables: &HashMap<Arc<str>, TypeName>,
    own: &mut ModulePart,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let before = diagnostics.len();
    for statement in &module.statements {
        if let Statement::Variables(_, of, span) = statement {
            signature.type_or_report(of, *span, diagnostics);
        }
    }
    let has_terms = own.ops.iter().any(|op| op.properties.identity.is_some())
        || module.statements.iter().any(|statement| matches!(statement, Statement::Equation(_)));
    if has_terms {
        forms.extend(signature);
    }
    let grammar = Grammar { forms, signature, variables };
    for op in &mut own.ops {
        let Some(identity) = &mut op.properties.identity else { continue };
        let side = op.domain.get(usize::from(!identity.left)).and_then(|side| signature.type_of(side));
        match grammar.term(&identity.tokens, op.span, side.map(|side| signature.kind(side))) {
            Ok(term) if uses(&term, &op.name) => diagnostics.push(
                Diagnostic::error(
                    "T3107",
                    format!("the identity of `{}` is one of its applications", op.name),
                )
                .label(term.span, "this")
                .help("write a term without the operator"),
            ),
            Ok(term) => identity.term = Some(Arc::new(term)),
            Err(found) => diagnostics.push(*found),
        }
    }
    for statement in &module.statements {
        let Statement::Equation(written) = statement else { continue };
        if own.is_theory {
            continue;
        }
        let reading = Reading { signature, grammar: &grammar, written };
        match reading.rule() {
            Ok(rule) => own.rules.push(Arc::new(rule)),
            // Terms can still be reduced.
            Err(found) if written.kind == EquationKind::Rule => own.unread.push(*found),
            Err(found) => diagnostics.push(*found),
        }
    }
    !diagnostics[before..].iter().any(Diagnostic::is_error)
}

/// Whether a term has an operator of a name in it.
fn uses(term: &Term, name: &str) -> bool {
    let own = matches!(&term.kind, TermKind::App(key, _) if &*key.name == name);
    own || term.children().iter().any(|child| uses(child, name))
}

/// The conditions of a search.
pub(crate) fn conditions(grammar: &Grammar<'_>, tokens: &[Token]) -> Result<Vec<Condition>, Fail> {
    let span = tokens[0].span;
    let kind = EquationKind::Rule;
    let written = Equation { kind, tokens: Vec::new(), conditional: true, otherwise: false, span };
    Reading { signature: grammar.signature, grammar, written: &written }.conditions(tokens)
}

struct Reading<'a> {
    signature: &'a Signature,
    grammar: &'a Grammar<'a>,
    written: &'a Equation,
}

impl Reading<'_> {
    fn rule(&self) -> Result<Rule, Fail> {
        let tokens = &self.written.tokens;
        if !self.written.conditional {
            return self.sides(tokens, Vec::new());
        }
        let mut first = None;
        for at in outside(tokens, "if").into_iter().rev() {
            let read = self.conditions(&tokens[at + 1..]);
            match read.and_then(|conditions| self.sides(&tokens[..at], conditions)) {
                Ok(rule) => return Ok(rule),
                Err(found) => {
                    first.get_or_insert(found);
                }
            }
        }
        Err(first.unwrap_or_else(|| expected(self.written.span, "`if` and a condition")))
    }

    /// `left = right`, or `left : Sort`.
    fn sides(&self, tokens: &[Token], conditions: Vec<Condition>) -> Result<Rule, Fail> {
        let Equation { kind, otherwise, span, .. } = *self.written;
        let rule = |left, right, sort| Rule { kind, left, right, sort, conditions, otherwise, span };
        if kind == EquationKind::Membership {
            let (left, sort) = self.with_sort(tokens)?;
            return Ok(rule(left, None, Some(sort)));
        }
        let (left, right) = self.between(tokens, if kind == EquationKind::Rule { "=>" } else { "=" })?;
        Ok(rule(left, Some(right), None))
    }

    /// Two terms of one kind with a token between them.
    fn between(&self, tokens: &[Token], between: &str) -> Result<(Term, Term), Fail> {
        let mut first = None;
        for at in outside(tokens, between) {
            let place = tokens[at].span;
            let read = self.grammar.term(&tokens[..at], place, None).and_then(|left| {
                let kind = self.kind_of(&left);
                Ok((left, self.grammar.term(&tokens[at + 1..], place, kind)?))
            });
            match read {
                Ok(found) => return Ok(found),
                Err(found) => {
                    first.get_or_insert(found);
                }
            }
        }
        Err(first.unwrap_or_else(|| expected(self.written.span, &format!("`{between}`"))))
    }

    fn with_sort(&self, tokens: &[Token]) -> Result<(Term, TypeName), Fail> {
        let colon = outside(tokens, ":").pop();
        let Some(at) = colon else { return Err(expected(self.written.span, "`:` and a sort")) };
        let mut reader = Reader::new(&tokens[at + 1..], tokens[at].span);
        let sort = reader.type_name()?;
        reader.end("the end of the sort")?;
        let mut found = Vec::new();
        let of = self.signature.type_or_report(&sort, tokens[at].span, &mut found);
        let Some(of) = of else { return Err(Box::new(found.remove(0))) };
        let term = self.grammar.term(&tokens[..at], tokens[at].span, Some(self.signature.kind(of)))?;
        Ok((term, sort))
    }

    fn conditions(&self, tokens: &[Token]) -> Result<Vec<Condition>, Fail> {
        let mut found = Vec::new();
        let mut start = 0;
        let mut ends = outside(tokens, "/\\");
        ends.push(tokens.len());
        for end in ends {
            found.push(self.condition(&tokens[start..end])?);
            start = end + 1;
        }
        Ok(found)
    }

    fn condition(&self, tokens: &[Token]) -> Result<Condition, Fail> {
        let Some(first) = tokens.first() else {
            return Err(expected(self.written.span, "a condition"));
        };
        if !outside(tokens, ":=").is_empty() {
            let (pattern, value) = self.between(tokens, ":=")?;
            return Ok(Condition::Match(pattern, value));
        }
        if !outside(tokens, "=").is_empty()
            && let Ok((a, b)) = self.between(tokens, "=")
        {
            return Ok(Condition::Equal(a, b));
        }
        if !outside(tokens, ":").is_empty()
            && let Ok((term, sort)) = self.with_sort(tokens)
        {
            return Ok(Condition::HasSort(term, sort));
        }
        if let Some(&at) = outside(tokens, "=>").first()
            && self.grammar.term(tokens, first.span, None).is_err()
        {
            return Err(crate::parser::unsupported(tokens[at].span, "conditions with rewrites"));
        }
        let truth = self.signature.sort("Bool").map(|sort| self.signature.kind(Type::Sort(sort)));
        match (self.grammar.term(tokens, first.span, truth), outside(tokens, "=").is_empty()) {
            (Ok(term), _) => Ok(Condition::Holds(term)),
            (Err(found), true) => Err(found),
            (Err(_), false) => self.between(tokens, "=").map(|(a, b)| Condition::Equal(a, b)),
        }
    }

    fn kind_of(&self, term: &Term) -> Option<usize> {
        kind_of(self.signature, term)
    }
}

/// The kind of a term.
pub(crate) fn kind_of(signature: &Signature, term: &Term) -> Option<usize> {
    let of = |name: &TypeName| signature.type_of(name).map(|of| signature.kind(of));
    match &term.kind {
        TermKind::Var(_, name)
        | TermKind::Text(_, name)
        | TermKind::Value(_, name)
        | TermKind::Operation(_, _, name) => of(name),
        TermKind::App(key, _) | TermKind::Repeat(key, ..) => of(&key.range),
        TermKind::Number(_) => signature.library_sort("Nat").map(|sort| signature.kind(Type::Sort(sort))),
        TermKind::Special(Special::If, args) => args.get(1).and_then(|arg| kind_of(signature, arg)),
        TermKind::Special(..) | TermKind::HasSort(..) => {
            signature.sort("Bool").map(|sort| signature.kind(Type::Sort(sort)))
        }
    }
}

/// The places of a token outside of brackets, with something before it.
fn outside(tokens: &[Token], text: &str) -> Vec<usize> {
    outside_brackets(tokens).filter(|&at| at > 0 && tokens[at].is(text)).collect()
}
