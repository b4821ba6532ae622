//! Terms to clauses: directives, queries, rules and clauses of Prolog are recognised by their outermost operators.

use gchr_base::diagnostic::Diagnostic;

use crate::ast::{Arrow, ClauseKind, Module, Rule, TermId, without_module};
use crate::directives::{self, Bare};
use crate::lexer::Token;
use crate::reader::no_heads;

/// What the term of a clause is; its tokens are where to look for the places of operators.
pub(crate) fn recognise(module: &Module, term: TermId, tokens: &[Token]) -> Result<ClauseKind, Diagnostic> {
    let Some((name, args)) = module.functor(term) else { return Ok(ClauseKind::Prolog(term)) };
    match (name, args) {
        (":-" | "?-", []) => {
            let place = tokens.last().map_or(module.span(term), |t| t.span);
            Err(Diagnostic::error("C0101", "expected a goal, found the end of the clause")
                .label(place, "not a goal")
                .help("write goals separated by commas, such as c(1), c(2)"))
        }
        (":-", &[directive]) => Ok(ClauseKind::Directive(directive)),
        ("?-", &[goals]) => Ok(ClauseKind::Query(module.members(goals, ","))),
        ("@" | "pragma" | "<=>" | "==>", [_, _]) => rule(module, term, tokens).map(ClauseKind::Rule),
        // It binds weaker than the arrow of a rule, which it was meant to stand in.
        ("=>", &[left, _])
            if matches!(module.functor(left), Some(("<=>" | "==>" | "@" | "\\" | "pragma", [_, _]))) =>
        {
            let behind = module.span(left).end;
            let place = tokens.iter().find(|t| t.span.start >= behind && t.is_atom("=>"));
            let place = place.map_or_else(|| module.span(left).after(), |t| t.span);
            Err(Diagnostic::error("C0101", "`=>` is no comparison")
                .label(place, "not in a rule")
                .help("greater or equal is written `>=`, less or equal `=<`"))
        }
        (name, args) => match directives::bare(name, args.len()) {
            Bare::Meant => Ok(ClauseKind::Directive(term)),
            Bare::Mistake => Err(Diagnostic::error("C0101", "a directive begins with `:-`")
                .label(module.span(term), "not a rule")
                .help(format!("write :- {name} ..."))),
            Bare::Clause => Ok(ClauseKind::Prolog(term)),
        },
    }
}

/// `name @ kept \ removed <=> guard | body pragma pragmas`.
fn rule(module: &Module, term: TermId, tokens: &[Token]) -> Result<Rule, Diagnostic> {
    let (name, rest) = module.binary(term, "@").map_or((None, term), |(name, rest)| (Some(name), rest));
    let (rest, pragmas) = module
        .binary(rest, "pragma")
        .map_or((rest, Vec::new()), |(rest, all)| (rest, module.members(all, ",")));
    let arrows = [("<=>", Arrow::Simplify), ("==>", Arrow::Propagate)];
    let found = arrows.into_iter().find_map(|(text, arrow)| Some((text, arrow, module.binary(rest, text)?)));
    let Some((text, arrow, (heads, body))) = found else {
        let span = module.span(rest);
        if module.functor(rest).is_some_and(|(name, args)| args.is_empty() && matches!(name, "<=>" | "==>")) {
            return Err(no_heads(span));
        }
        return Err(Diagnostic::error("C0101", "this rule has no arrow")
            .label(span, "neither `<=>` nor `==>`")
            .help("write Heads <=> Body to replace the heads, Heads ==> Body to keep them"));
    };
    let behind = module.span(heads).end;
    let arrow_span = tokens
        .iter()
        .find(|t| t.span.start >= behind && t.is_atom(text))
        .map_or_else(|| module.span(heads).after(), |t| t.span);
    let (guard, body) = match module.binary(body, "|") {
        Some((guard, body)) => (module.members(guard, ","), body),
        None => (Vec::new(), body),
    };
    let (first, second) =
        module.binary(heads, "\\").map_or((heads, None), |(kept, removed)| (kept, Some(removed)));
    let (first, second) = (module.members(first, ","), second.map(|removed| module.members(removed, ",")));
    let (kept, removed) = match (arrow, second) {
        (Arrow::Propagate, None) => (first, Vec::new()),
        (Arrow::Simplify, None) => (Vec::new(), first),
        (Arrow::Simplify, Some(removed)) => (first, removed),
        (Arrow::Propagate, Some(_)) => {
            return Err(Diagnostic::error("C0110", "a propagation rule removes no heads")
                .label(arrow_span, "`==>` behind heads with `\\`")
                .help("write `<=>` to remove the heads behind `\\`, or put `,` in place of `\\`"));
        }
    };
    Ok(Rule { name, kept, removed, arrow, arrow_span, guard, body: module.members(body, ","), pragmas })
}

/// A clause that cannot be read and begins like a directive, but for a letter.
pub(crate) fn misspelt_directive(tokens: &[Token]) -> Option<Diagnostic> {
    use crate::lexer::Tok;
    let first = tokens.first()?;
    let second = tokens.get(1).filter(|_| first.is_atom(":-"))?;
    let Tok::Atom(name) = &second.tok else { return None };
    let near = directives::near(name)?;
    let diagnostic = Diagnostic::error("C0206", format!("unknown directive {name}"));
    Some(diagnostic.label(second.span, "not a directive of CHR").help(format!("did you mean {near}?")))
}

/// Name and number of arguments of the predicate that a clause, or a rule of a grammar, belongs to.
pub(crate) fn defined(module: &Module, clause: TermId) -> Option<(String, usize)> {
    let (head, more) = match module.functor(clause)? {
        (":-", &[head, _]) => (head, 0),
        // A head of a rule that commits may have a guard, a head of a grammar a list that is put back.
        ("=>", &[head, _]) => (module.binary(head, ",").map_or(head, |(head, _)| head), 0),
        ("-->", &[head, _]) => (module.binary(head, ",").map_or(head, |(head, _)| head), 2),
        _ => (clause, 0),
    };
    let (name, args) = module.functor(without_module(module, head))?;
    Some((name.to_string(), args.len() + more))
}
