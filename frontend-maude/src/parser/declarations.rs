//! Statements of a module: declarations, and equations with the tokens of their terms.

use super::{Fail, Reader, expected, unsupported};
use crate::syntax::*;
use crate::token::{Token, operator_name};

/// What one statement declares; the last token is the period.
pub(super) fn statement(line: &[Token]) -> Result<Vec<Statement>, Fail> {
    let word = &line[0];
    let span = word.span.to(line[line.len() - 1].span);
    let inner = &line[1..line.len() - 1];
    let mut reader = Reader::new(inner, word.span);
    let found = match &*word.text {
        "pr" | "protecting" | "ex" | "extending" | "inc" | "including" | "gb" | "generated-by" => {
            vec![Statement::Import(reader.module_expr()?)]
        }
        "sort" | "sorts" => {
            let mut sorts = Vec::new();
            while reader.peek().is_some() {
                sorts.push(reader.sort()?);
            }
            vec![Statement::Sorts(sorts)]
        }
        "subsort" | "subsorts" => {
            let mut groups = vec![Vec::new()];
            while let Some(token) = reader.peek() {
                if token.is("<") {
                    reader.eat("<");
                    groups.push(Vec::new());
                } else if let Some(last) = groups.last_mut() {
                    last.push(reader.sort()?);
                }
            }
            if groups.len() < 2 || groups.iter().any(Vec::is_empty) {
                return Err(reader.unexpected("sorts on both sides of `<`"));
            }
            vec![Statement::Subsorts(groups)]
        }
        "op" | "ops" => vec![Statement::Ops(operators(&mut reader, word, inner, span)?)],
        "var" | "vars" => {
            let (names, of) = variables(&mut reader)?;
            vec![Statement::Variables(names, of, span)]
        }
        "eq" | "ceq" | "cq" | "mb" | "cmb" | "rl" | "crl" => {
            return Ok(equation(word, inner, span).into_iter().map(Statement::Equation).collect());
        }
        _ => return Err(unsupported(word.span, "statements of strategies")),
    };
    reader.end("the end of the statement")?;
    Ok(found)
}

/// Variables with their sort.
pub(super) fn variables(reader: &mut Reader<'_>) -> Result<(Vec<Token>, TypeName), Fail> {
    let mut names = Vec::new();
    while let Some(token) = reader.peek()
        && !token.is(":")
    {
        names.push(reader.token("a variable")?);
    }
    reader.expect(":")?;
    Ok((names, reader.type_name()?))
}

fn operators(
    reader: &mut Reader<'_>,
    word: &Token,
    inner: &[Token],
    span: gchr_base::source::Span,
) -> Result<OpDeclaration, Fail> {
    let mut names = Vec::new();
    if word.is("ops") {
        while let Some(token) = reader.peek()
            && !token.is(":")
        {
            if token.is("(") {
                reader.eat("(");
                names.push(bracketed_name(reader)?);
            } else {
                names.push(word_name(reader)?);
            }
        }
    } else {
        names.push(single_name(reader, inner)?);
    }
    reader.expect(":")?;
    let (domain, range) = reader.sorts_of_operator()?;
    let attributes = if reader.eat("[") { attributes(reader)? } else { Vec::new() };
    Ok(OpDeclaration { names, domain, range, attributes, span })
}

/// The name before the colon that the sorts follow: a colon may be part of it.
fn single_name(reader: &mut Reader<'_>, inner: &[Token]) -> Result<Name, Fail> {
    // Attributes may have arrows, too.
    let begins = |pair: &[Token]| pair[0].is("[") && is_attribute(&pair[1].text);
    let inner = &inner[..inner.windows(2).position(begins).unwrap_or(inner.len())];
    let arrow = inner.iter().rposition(|token| token.is("->") || token.is("~>")).unwrap_or(inner.len());
    let colon = inner[..arrow].iter().rposition(|token| token.is(":"));
    let Some(colon) = colon.filter(|&at| at > 0) else { return reader.operator_name(&[":"]) };
    for _ in 0..colon {
        reader.token("an operator")?;
    }
    Ok(named(&inner[..colon]))
}

/// A name of several ones, with the brackets and commas that belong to it.
fn word_name(reader: &mut Reader<'_>) -> Result<Name, Fail> {
    let mut tokens = vec![reader.token("an operator")?];
    let opens = |token: &Token| token.is("[") || token.is("{");
    let mut open = usize::from(opens(&tokens[0]));
    while open > 0 {
        let token = reader.token("a closing bracket")?;
        open += usize::from(opens(&token));
        open -= usize::from(token.is("]") || token.is("}"));
        tokens.push(token);
    }
    Ok(named(&tokens))
}

/// The name that tokens write.
pub(super) fn named(tokens: &[Token]) -> Name {
    Name { text: operator_name(tokens), span: tokens[0].span.to(tokens[tokens.len() - 1].span) }
}

fn bracketed_name(reader: &mut Reader<'_>) -> Result<Name, Fail> {
    let mut tokens = vec![reader.token("an operator")?];
    let mut depth = i32::from(tokens[0].is("("));
    loop {
        let token = reader.token("`)`")?;
        if token.is(")") && depth == 0 {
            return Ok(named(&tokens));
        }
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        tokens.push(token);
    }
}

/// Whether a word begins an attribute of an operator.
pub(super) fn is_attribute(word: &str) -> bool {
    [
        "assoc",
        "associative",
        "comm",
        "commutative",
        "id:",
        "left",
        "right",
        "idem",
        "idempotent",
        "ctor",
        "constructor",
        "prec",
        "gather",
        "format",
        "strat",
        "strategy",
        "memo",
        "frozen",
        "poly",
        "ditto",
        "iter",
        "special",
        "metadata",
        "latex",
        "config",
        "object",
        "msg",
        "message",
        "pconst",
        "rpo",
    ]
    .contains(&word)
}

/// Attributes of an operator, behind the opening bracket.
pub(super) fn attributes(reader: &mut Reader<'_>) -> Result<Vec<Attribute>, Fail> {
    let mut found = Vec::new();
    loop {
        let word = reader.token("`]`")?;
        found.push(match &*word.text {
            "]" => return Ok(found),
            "assoc" | "associative" => Attribute::Assoc,
            "comm" | "commutative" => Attribute::Comm,
            "idem" | "idempotent" => Attribute::Idem(word.span),
            "ditto" => Attribute::Ditto,
            "iter" => Attribute::Iter,
            "left" | "right" => {
                reader.expect("id:")?;
                let left = word.is("left");
                Attribute::Identity { left, right: !left, term: identity(reader)? }
            }
            "id:" => Attribute::Identity { left: true, right: true, term: identity(reader)? },
            "prec" => {
                let number = reader.token("a number")?;
                let value = number.text.parse::<u8>().ok().filter(|&value| value <= 127);
                Attribute::Prec(value.ok_or_else(|| expected(number.span, "a number up to 127"))?)
            }
            "gather" => {
                let inside = in_brackets(reader)?;
                Attribute::Gather(inside.iter().filter_map(|token| token.text.chars().next()).collect())
            }
            "strat" | "strategy" => {
                let inside = in_brackets(reader)?;
                let numbers: Option<Vec<u32>> = inside.iter().map(|token| token.text.parse().ok()).collect();
                Attribute::Strategy(numbers.ok_or_else(|| expected(word.span, "numbers"))?, word.span)
            }
            "special" => {
                let inside = in_brackets(reader)?;
                let name = inside.first().map_or("".into(), |token| token.text.clone());
                Attribute::Special(name)
            }
            "frozen" => {
                let inside = if reader.peek().is_some_and(|token| token.is("(")) {
                    in_brackets(reader)?
                } else {
                    Vec::new()
                };
                let numbers: Option<Vec<u32>> = inside.iter().map(|token| token.text.parse().ok()).collect();
                Attribute::Frozen(numbers.ok_or_else(|| expected(word.span, "numbers"))?)
            }
            "format" | "poly" | "metadata" | "latex" => {
                if reader.peek().is_some_and(|token| token.is("(")) {
                    in_brackets(reader)?;
                } else if word.is("metadata") {
                    reader.token("a string")?;
                }
                Attribute::Other
            }
            word if is_attribute(word) => Attribute::Other,
            _ => return Err(expected(word.span, "an attribute of an operator")),
        });
    }
}

/// The term of an identity: up to the next attribute.
fn identity(reader: &mut Reader<'_>) -> Result<Vec<Token>, Fail> {
    let mut found = vec![reader.token("a term")?];
    let mut depth = i32::from(found[0].is("("));
    while let Some(token) = reader.peek()
        && (depth > 0 || !token.is("]") && !is_attribute(&token.text))
    {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        found.push(reader.token("a term")?);
    }
    Ok(found)
}

fn in_brackets(reader: &mut Reader<'_>) -> Result<Vec<Token>, Fail> {
    reader.expect("(")?;
    let mut found = Vec::new();
    let mut depth = 0;
    loop {
        let token = reader.token("`)`")?;
        if token.is(")") && depth == 0 {
            return Ok(found);
        }
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        found.push(token);
    }
}

/// An equation, a membership or a rule; none if it is not to be executed.
fn equation(word: &Token, inner: &[Token], span: gchr_base::source::Span) -> Option<Equation> {
    let kind = match &*word.text {
        "mb" | "cmb" => EquationKind::Membership,
        "rl" | "crl" => EquationKind::Rule,
        _ => EquationKind::Equation,
    };
    let conditional = word.text.starts_with('c');
    let mut tokens = inner;
    if let [open, _, close, colon, ..] = tokens
        && open.is("[")
        && close.is("]")
        && colon.is(":")
    {
        tokens = &tokens[4..];
    }
    let (mut otherwise, mut executed) = (false, true);
    if tokens.last().is_some_and(|token| token.is("]"))
        && let Some(open) = tokens.iter().rposition(|token| token.is("["))
        && tokens.get(open + 1).is_some_and(|token| is_statement_attribute(&token.text))
    {
        for token in &tokens[open + 1..] {
            otherwise |= token.is("owise") || token.is("otherwise");
            executed &= !token.is("nonexec");
        }
        tokens = &tokens[..open];
    }
    executed.then(|| Equation { kind, tokens: tokens.to_vec(), conditional, otherwise, span })
}

fn is_statement_attribute(word: &str) -> bool {
    ["owise", "otherwise", "nonexec", "variant", "label", "metadata", "print", "narrowing", "dnt"]
        .contains(&word)
}
