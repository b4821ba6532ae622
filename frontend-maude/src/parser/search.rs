//! `search [SOLUTIONS, DEPTH] in MODULE : TERM =>* PATTERN such that CONDITION .`

use super::*;
use crate::token::outside_brackets;

/// Between a term and a pattern.
const ARROWS: [(&str, SearchSteps); 4] = [
    ("=>1", SearchSteps::One),
    ("=>+", SearchSteps::OneOrMore),
    ("=>*", SearchSteps::Any),
    ("=>!", SearchSteps::ToEnd),
];

pub(super) fn search(statement: &[Token]) -> Result<Item, Fail> {
    let word = statement[0].span;
    let ([most, depth], rest) = bounds(&statement[1..])?;
    let (module, tokens) = in_module(rest)?;
    let arrow = |token: &Token| ARROWS.iter().find(|(text, _)| token.is(text)).map(|(_, steps)| *steps);
    let Some((at, steps)) = outside_brackets(&tokens).find_map(|at| Some((at, arrow(&tokens[at])?))) else {
        return Err(expected(word.after(), "a term, then `=>1`, `=>+`, `=>*` or `=>!` and a pattern"));
    };
    let behind = &tokens[at + 1..];
    let begins_condition = |&at: &usize| match &behind[at..] {
        [first, ..] if first.is("s.t.") => true,
        [first, second, ..] => first.is("such") && second.is("that"),
        _ => false,
    };
    let (pattern, condition) = match outside_brackets(behind).find(begins_condition) {
        Some(at) => (&behind[..at], &behind[at + if behind[at].is("such") { 2 } else { 1 }..]),
        None => (behind, &behind[..0]),
    };
    for (part, place) in [(&tokens[..at], word), (pattern, tokens[at].span)] {
        if part.is_empty() {
            return Err(expected(place.after(), "a term"));
        }
    }
    let (pattern, condition) = (pattern.to_vec(), condition.to_vec());
    let search = Search { steps, pattern, condition, most, depth };
    Ok(Item::Reduce { module, term: tokens[..at].to_vec(), how: How::Search(search) })
}

/// `[3]`, `[3, 10]` or `[, 10]` before a term, and what comes behind it. Other brackets are of the term.
fn bounds(tokens: &[Token]) -> Result<([Option<u32>; 2], &[Token]), Fail> {
    let none = Ok(([None; 2], tokens));
    let Some(close) = tokens.iter().position(|token| token.is("]")) else { return none };
    let (inner, behind) = (&tokens[1.min(close)..close], &tokens[close + 1..]);
    let is_number = |token: &Token| token.text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |token: &Token| match token.text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(expected(token.span, "a smaller number")),
    };
    let goes_on = behind.first().is_some_and(|next| !ARROWS.iter().any(|(text, _)| next.is(text)));
    if !tokens[0].is("[") || !goes_on {
        return none;
    }
    match inner {
        [most] if is_number(most) => Ok(([number(most)?, None], behind)),
        [comma, depth] if comma.is(",") && is_number(depth) => Ok(([None, number(depth)?], behind)),
        [most, comma, depth] if is_number(most) && comma.is(",") && is_number(depth) => {
            Ok(([number(most)?, number(depth)?], behind))
        }
        _ => none,
    }
}
