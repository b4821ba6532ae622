//! Reads sorts: by recursion, as deep as sorts may be.

use chumsky::prelude::custom;
use gchr_base::diagnostic::Diagnostic;

use super::error::SyntaxError;
use super::rule::Rule;
use crate::ast::{Ident, SortRef};
use crate::lexer::{Lexed, Token};

/// Most sorts around a sort.
const DEEPEST_SORT: usize = 100;

/// A sort, which may be one of functions: `Nat # Nat -> Nat`.
pub(super) fn sort_ref<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, SortRef> {
    custom(|input| {
        let start = *input.cursor().inner();
        let mut next = start;
        let sort = read_sort(lexed, &mut next, 0)?;
        (start..next).for_each(|_| input.skip());
        Ok(sort)
    })
}

/// A sort beside the arrow of a symbol: sorts of functions stand in brackets.
pub(super) fn part_of_profile<'t>(lexed: &'t Lexed<'t>) -> impl Rule<'t, SortRef> {
    custom(|input| {
        let start = *input.cursor().inner();
        let mut next = start;
        let sort = read_one(lexed, &mut next, 0)?;
        (start..next).for_each(|_| input.skip());
        Ok(sort)
    })
}

/// Reads the sort at a token; moves on behind it.
pub(super) fn read_sort(lexed: &Lexed<'_>, next: &mut usize, depth: usize) -> Result<SortRef, SyntaxError> {
    let first = read_one(lexed, next, depth)?;
    let mut args = vec![first];
    while lexed.tokens.get(*next) == Some(&Token::Hash) {
        *next += 1;
        args.push(read_one(lexed, next, depth)?);
    }
    if lexed.tokens.get(*next) != Some(&Token::Arrow) {
        return match <[SortRef; 1]>::try_from(args) {
            Ok([only]) => Ok(only),
            Err(_) => Err(SyntaxError::Expected { expected: vec!["`#`", "`->`"], at: *next }),
        };
    }
    *next += 1;
    args.push(read_one(lexed, next, depth)?);
    let span = args[0].span.to(args[args.len() - 1].span);
    Ok(SortRef { name: None, args, span })
}

/// A sort that is none of functions, or in brackets.
fn read_one(lexed: &Lexed<'_>, next: &mut usize, depth: usize) -> Result<SortRef, SyntaxError> {
    let expected = |expected: Vec<&'static str>, at: usize| SyntaxError::Expected { expected, at };
    let start = lexed.span(*next);
    let name = match lexed.tokens.get(*next) {
        Some(&Token::Ident(name)) => Some(Ident { name, span: start }),
        Some(Token::Open) => None,
        _ => return Err(expected(vec!["a sort"], *next)),
    };
    *next += usize::from(name.is_some());
    let mut args = Vec::new();
    if lexed.tokens.get(*next) == Some(&Token::Open) {
        if depth == DEEPEST_SORT {
            return Err(SyntaxError::Specific(Box::new(
                Diagnostic::error("T0007", format!("this sort is nested more than {DEEPEST_SORT} deep"))
                    .label(start, "too deep")
                    .help("give a sort inside of it another name: `sort Row = List(Nat);`"),
            )));
        }
        loop {
            *next += 1;
            args.push(read_sort(lexed, next, depth + 1)?);
            match lexed.tokens.get(*next) {
                Some(Token::Comma) if name.is_some() => {}
                Some(Token::Close) => break *next += 1,
                _ if name.is_some() => return Err(expected(vec!["`,`", "`)`"], *next)),
                _ => return Err(expected(vec!["`->`", "`)`"], *next)),
            }
        }
    }
    let span = start.to(lexed.span(*next - 1));
    match (name, args.pop()) {
        (None, Some(inner)) => Ok(SortRef { span, ..inner }),
        (name, last) => {
            args.extend(last);
            Ok(SortRef { name, args, span })
        }
    }
}
