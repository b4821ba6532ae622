//! Built-in predicates on strings.

use super::Table;
use super::atoms::{convert, lower, upper};
use crate::cell::Cell;
use crate::machine::{Done, Machine};
use crate::meter::Meter;

type M<'c, 'a> = Machine<'c, 'a>;

fn string(m: &mut M<'_, '_>, text: &str) -> Done<Cell> {
    Ok(m.heap.string(text))
}

pub(super) const TABLE: Table = &[
    ("string_chars", 2, |m| convert(m, ["text", "list"], string, |m, t| m.char_list(t))),
    ("string_codes", 2, |m| convert(m, ["text", "list"], string, |m, t| m.code_list(t))),
    ("string_to_atom", 2, |m| convert(m, ["string", "atom"], string, |m, t| m.atom_cell(t))),
    ("number_string", 2, number_string),
    ("$string_concat", 3, |m| {
        let text = m.text_as(m.x[0], "atomic")? + &m.text_as(m.x[1], "atomic")?;
        let cell = m.heap.string(&text);
        Ok(m.unify_arg(2, cell))
    }),
    ("string_lower", 2, |m| {
        let text = lower(&m.text_as(m.x[0], "atomic")?);
        let cell = m.heap.string(&text);
        Ok(m.unify_arg(1, cell))
    }),
    ("string_upper", 2, |m| {
        let text = upper(&m.text_as(m.x[0], "atomic")?);
        let cell = m.heap.string(&text);
        Ok(m.unify_arg(1, cell))
    }),
    ("$string_code", 3, |m| {
        let index = m.int_arg(0)?;
        let text = m.text(m.x[1])?;
        let found = usize::try_from(index - 1).ok().and_then(|i| text.chars().nth(i));
        Ok(match found {
            Some(c) => m.unify_arg(2, Cell::int(c as usize)),
            None => false,
        })
    }),
    ("split_string", 4, split_string),
    ("$text_to_string", 2, |m| {
        let text = m.text(m.x[0])?;
        let cell = m.heap.string(&text);
        Ok(m.unify_arg(1, cell))
    }),
    ("normalize_space_text", 2, |m| {
        let text = m.text_as(m.x[0], "atomic")?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let cell = m.heap.string(&words.join(" "));
        Ok(m.unify_arg(1, cell))
    }),
    ("read_term_from_atom", 3, |m| {
        let text = m.text(m.x[0])?;
        let (term, _) = m.read_term(&text)?;
        Ok(m.unify_arg(1, term))
    }),
    ("$slice", 4, |m| {
        // `$slice(Text, Before, Length, Sub)`, as a string.
        let text = m.text(m.x[0])?;
        let (before, length) = (m.int_arg(1)?.max(0) as usize, m.int_arg(2)?.max(0) as usize);
        let part: String = text.chars().skip(before).take(length).collect();
        let cell = m.heap.string(&part);
        Ok(m.unify_arg(3, cell))
    }),
];

fn number_string(m: &mut M<'_, '_>) -> Done<bool> {
    let text = m.arg(1);
    if text.is_var() {
        let number = m.text(m.x[0])?;
        let cell = m.heap.string(&number);
        return Ok(m.unify_arg(1, cell));
    }
    let text = m.text_as(text, "list")?;
    if text.starts_with(char::is_whitespace) {
        return Ok(false);
    }
    match m.parse_number(&text) {
        Some(number) => Ok(m.unify_arg(0, number)),
        None => Ok(false),
    }
}

/// The fields of a text as SWI-Prolog finds them: padding is skipped before a field, separators among it, unless one
/// begins the field, and behind a separator that is padding itself.
fn fields<'t>(
    meter: &Meter,
    text: &'t str,
    separates: impl Fn(char) -> bool,
    pads: impl Fn(char) -> bool,
) -> Vec<&'t str> {
    let mut rest = text.trim_matches(&pads);
    let mut fields = Vec::new();
    loop {
        if !meter.spend(1) {
            return fields;
        }
        if rest.chars().next().is_some_and(|c| !separates(c)) {
            rest = rest.trim_start_matches(&pads);
        }
        let Some((end, separator)) = rest.char_indices().find(|&(_, c)| separates(c)) else {
            fields.push(rest.trim_end_matches(&pads));
            return fields;
        };
        fields.push(rest[..end].trim_end_matches(&pads));
        rest = &rest[end + separator.len_utf8()..];
        if pads(separator) {
            rest = rest.trim_start_matches(&pads);
        }
    }
}

fn split_string(m: &mut M<'_, '_>) -> Done<bool> {
    let text = m.text(m.x[0])?;
    let (separators, pad) = (m.text(m.x[1])?, m.text(m.x[2])?);
    let parts = fields(&m.heap.meter, &text, |c| separators.contains(c), |c| pad.contains(c));
    let mut items = Vec::new();
    for part in parts {
        items.push(m.heap.string(part));
    }
    let list = m.heap.list(&items);
    Ok(m.unify_arg(3, list))
}
