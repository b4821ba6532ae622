//! Built-in predicates on atoms and characters.

use super::Table;
use crate::cell::{Cell, Tag};
use crate::machine::{Done, Machine};
use crate::names::atom;

type M<'c, 'a> = Machine<'c, 'a>;

pub(super) const TABLE: Table = &[
    ("atom_codes", 2, |m| convert(m, ["atom", "list"], |m, t| Ok(m.atom_cell(t)), |m, t| m.code_list(t))),
    ("atom_chars", 2, |m| convert(m, ["atom", "list"], |m, t| Ok(m.atom_cell(t)), |m, t| m.char_list(t))),
    ("char_code", 2, char_code),
    ("atom_length", 2, |m| text_length(m)),
    ("string_length", 2, |m| text_length(m)),
    ("atom_number", 2, atom_number),
    ("number_codes", 2, |m| convert(m, ["number", "list"], number_of, |m, t| m.code_list(t))),
    ("number_chars", 2, |m| convert(m, ["number", "list"], number_of, |m, t| m.char_list(t))),
    ("atom_string", 2, |m| {
        convert(m, ["atom", "string"], |m, t| Ok(m.atom_cell(t)), |m, t| m.heap.string(t))
    }),
    ("upcase_atom", 2, |m| {
        let text = upper(&m.text_as(m.x[0], "atomic")?);
        let cell = m.atom_cell(&text);
        Ok(m.unify_arg(1, cell))
    }),
    ("downcase_atom", 2, |m| {
        let text = lower(&m.text_as(m.x[0], "atomic")?);
        let cell = m.atom_cell(&text);
        Ok(m.unify_arg(1, cell))
    }),
    ("term_to_atom", 2, |m| term_to_text(m, false)),
    ("term_string", 2, |m| term_to_text(m, true)),
    ("$sub_text", 3, sub_texts),
    ("$concatenations", 2, concatenations),
    ("$text_without", 4, text_without),
    ("$only_part", 7, only_part),
    ("atomic_list_concat", 2, |m| {
        let mut text = String::new();
        for item in m.proper_list(m.x[0])? {
            text.push_str(&part_text(m, item)?);
        }
        let cell = m.atom_cell(&text);
        Ok(m.unify_arg(1, cell))
    }),
    ("atomic_list_concat", 3, join_or_split),
    ("$atom_concat", 3, |m| {
        let whole = m.arg(2);
        if whole.is_compound() {
            return Err(m.type_error("atomic", whole));
        }
        let text = m.text_as(m.x[0], "atomic")? + &m.text_as(m.x[1], "atomic")?;
        let cell = m.atom_cell(&text);
        Ok(m.unify_arg(2, cell))
    }),
    ("$char_type", 2, char_type),
];

/// The text in large letters; what has no single one stays.
pub(super) fn upper(text: &str) -> String {
    text.chars().map(|c| single(c, c.to_uppercase())).collect()
}

/// The text in small letters; what has no single one stays.
pub(super) fn lower(text: &str) -> String {
    text.chars().map(|c| single(c, c.to_lowercase())).collect()
}

fn single(c: char, mut others: impl Iterator<Item = char>) -> char {
    match (others.next(), others.next()) {
        (Some(other), None) => other,
        _ => c,
    }
}

/// A conversion both ways: from the first argument's text, or from the second's where the first is unbound. Errors call
/// both by what they should be.
pub(super) fn convert(
    m: &mut M<'_, '_>,
    wanted: [&str; 2],
    first: impl Fn(&mut M<'_, '_>, &str) -> Done<Cell>,
    second: impl Fn(&mut M<'_, '_>, &str) -> Cell,
) -> Done<bool> {
    let (a, b) = (m.arg(0), m.arg(1));
    if !a.is_var() {
        let text = m.text_as(a, wanted[0])?;
        // The other side may have another form with the same text.
        if let Some(other) = m.text_of(b).filter(|_| !b.is_compound()) {
            return Ok(text == other);
        }
        let cell = second(m, &text);
        return Ok(m.unify_arg(1, cell));
    }
    let is_text =
        b.is_compound() || b == Cell::atom(atom::nil) || b.tag() == Tag::Box && !m.heap.is_number(b);
    if wanted[1] == "list" && !b.is_var() && !is_text {
        return Err(m.type_error("list", b));
    }
    let text = m.text_as(b, wanted[1])?;
    let cell = first(m, &text)?;
    Ok(m.unify_arg(0, cell))
}

/// The number of a text; a syntax error where it is none.
pub(super) fn number_of(m: &mut M<'_, '_>, text: &str) -> Done<Cell> {
    if let Some(number) = m.parse_number(text) {
        return Ok(number);
    }
    let (name, what) = (m.db.names.intern("syntax_error"), m.db.names.cell("illegal_number"));
    let formal = m.heap.compound(name, &[what]);
    Err(m.error(formal))
}

fn char_code(m: &mut M<'_, '_>) -> Done<bool> {
    let a = m.arg(0);
    if a.is_var() {
        let code = m.int_arg(1)?;
        let Some(c) = u32::try_from(code).ok().and_then(char::from_u32) else {
            return Err(m.type_error("character_code", m.x[1]));
        };
        let cell = m.atom_cell(c.encode_utf8(&mut [0; 4]));
        return Ok(m.unify_arg(0, cell));
    }
    let text = m.text_as(a, "character")?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(m.unify_arg(1, Cell::int(c as usize))),
        _ => Err(m.type_error("character", a)),
    }
}

fn text_length(m: &mut M<'_, '_>) -> Done<bool> {
    let length = m.text(m.x[0])?.chars().count();
    let known = m.arg(1);
    if !known.is_var() && !m.heap.is_integer(known) {
        return Err(m.type_error("integer", known));
    }
    Ok(m.unify_arg(1, Cell::int(length)))
}

fn atom_number(m: &mut M<'_, '_>) -> Done<bool> {
    let a = m.arg(0);
    if a.is_var() {
        let number = m.arg(1);
        if number.is_var() {
            return Err(m.instantiation_error());
        }
        if !m.heap.is_number(number) {
            return Err(m.type_error("number", number));
        }
        let text = m.text_as(number, "number")?;
        let cell = m.atom_cell(&text);
        return Ok(m.unify_arg(0, cell));
    }
    let text = m.text_as(a, "atom")?;
    if text.starts_with(char::is_whitespace) {
        return Ok(false);
    }
    Ok(match m.parse_number(&text) {
        Some(number) => m.unify_arg(1, number),
        None => false,
    })
}

fn term_to_text(m: &mut M<'_, '_>, string: bool) -> Done<bool> {
    let term = m.arg(0);
    if !term.is_var() || m.arg(1).is_var() {
        let text = m.written(term, crate::write::Style::QUOTED)?;
        let cell = if string { m.heap.string(&text) } else { m.atom_cell(&text) };
        return Ok(m.unify_arg(1, cell));
    }
    let text = m.text(m.x[1])?;
    let (read, _) = m.read_term(&text)?;
    Ok(m.unify_arg(0, read))
}

/// `$sub_text(Text, Sub, All)`: with `Sub` known, all `B-L-A` where it is; else all parts as `Sub-B-L-A`... as a list.
fn sub_texts(m: &mut M<'_, '_>) -> Done<bool> {
    let text: Vec<char> = m.text(m.x[0])?.chars().collect();
    let part: Vec<char> = m.text(m.x[1])?.chars().collect();
    let mut found = Vec::new();
    for before in 0..=text.len().saturating_sub(part.len()) {
        m.spend(1)?;
        if text.len() >= part.len() && text[before..before + part.len()] == part[..] {
            let after = text.len() - before - part.len();
            let args = [Cell::int(before), Cell::int(part.len()), Cell::int(after)];
            let name = m.db.names.intern("sub");
            found.push(m.heap.compound(name, &args));
        }
    }
    let list = m.heap.list(&found);
    Ok(m.unify_arg(2, list))
}

/// `$text_without(Text, Prefix, Suffix, Kind)`: the rest of a text, of which one part is known.
fn text_without(m: &mut M<'_, '_>) -> Done<bool> {
    let text = m.text_as(m.x[0], "atomic")?;
    let (prefix, suffix) = (m.arg(1), m.arg(2));
    let (known, place) = if prefix.is_var() { (suffix, 1) } else { (prefix, 2) };
    let Some(part) = m.text_of(known) else { return Ok(false) };
    let rest = if place == 1 { text.strip_suffix(&*part) } else { text.strip_prefix(&*part) };
    let Some(rest) = rest else { return Ok(false) };
    let rest = text_cell(m, rest, 3);
    Ok(m.unify_arg(place, rest))
}

/// A text as an atom, or as a string where an argument says so.
fn text_cell(m: &mut M<'_, '_>, text: &str, kind: usize) -> Cell {
    match m.arg(kind) == Cell::atom(atom::string) {
        true => m.heap.string(text),
        false => m.atom_cell(text),
    }
}

/// `$only_part(Text, Before, Length, After, Part, Kind, How)`: the part of a text of which the arguments say where it
/// is, where there is one only (`How` is `done`) or none (`none`); fails where there may be several, or an argument is
/// wrong.
fn only_part(m: &mut M<'_, '_>) -> Done<bool> {
    let (whole, part) = (m.arg(0), m.arg(4));
    let places = [1, 2, 3].map(|i| m.arg(i));
    let is_place = |cell: &Cell| cell.is_var() || cell.is_int() && cell.as_int() >= 0;
    if whole.is_var()
        || whole.is_compound()
        || !part.is_var() && part.is_compound()
        || !places.iter().all(is_place)
    {
        return Ok(false);
    }
    let Some(text) = m.text_of(whole) else { return Ok(false) };
    let known = places.map(|cell| cell.is_int().then(|| cell.as_int() as usize));
    // Bytes and characters are the same in most texts; others take the long way.
    if !text.is_ascii() {
        return Ok(false);
    }
    m.spend(1 + text.len() / 8)?;
    let found = if part.is_var() {
        let (from, to) = match known {
            [Some(before), Some(length), _] => (Some(before), before.checked_add(length)),
            [Some(before), None, Some(after)] => (Some(before), text.len().checked_sub(after)),
            [None, Some(length), Some(after)] => {
                let to = text.len().checked_sub(after);
                (to.and_then(|to| to.checked_sub(length)), to)
            }
            _ => return Ok(false),
        };
        from.zip(to).filter(|(from, to)| from <= to && *to <= text.len())
    } else {
        let Some(part) = m.text_of(part) else { return Ok(false) };
        let fits = |at: &usize| {
            known[0].is_none_or(|before| before == *at)
                && known[2].is_none_or(|after| after == text.len() - at - part.len())
        };
        if part.is_empty() {
            return Ok(false);
        }
        let places = text.match_indices(&*part).map(|(at, _)| at);
        let overlaps = places.clone().next().is_some_and(|at| text[at + 1..].contains(&*part));
        let only =
            [known[0], known[2].and_then(|after| (text.len()).checked_sub(after.checked_add(part.len())?))];
        let at = match only.into_iter().flatten().next() {
            Some(at) => text.get(at..).is_some_and(|rest| rest.starts_with(&*part)).then_some(at),
            None if overlaps => return Ok(false),
            None => places.clone().next(),
        };
        at.filter(fits).map(|at| (at, at + part.len()))
    };
    let how = m.atom_cell(if found.is_some() { "done" } else { "none" });
    let Some((from, to)) = found else { return Ok(m.unify_arg(6, how)) };
    let places = [from, to - from, text.len() - to];
    for (i, place) in places.into_iter().enumerate() {
        if !m.unify_arg(1 + i, Cell::int(place)) {
            let none = m.atom_cell("none");
            return Ok(m.unify_arg(6, none));
        }
    }
    let cell = if part.is_var() { text_cell(m, &text[from..to], 5) } else { part };
    Ok(m.unify_arg(4, cell) && m.unify_arg(6, how))
}

/// `$concatenations(Text, Pairs)`: all ways to cut a text in two atoms.
fn concatenations(m: &mut M<'_, '_>) -> Done<bool> {
    let text = m.text_as(m.x[0], "atomic")?;
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut pairs = Vec::new();
    for cut in cuts {
        let (a, b) = (m.atom_cell(&text[..cut]), m.atom_cell(&text[cut..]));
        m.spend(1)?;
        pairs.push(m.heap.compound(atom::minus, &[a, b]));
    }
    let list = m.heap.list(&pairs);
    Ok(m.unify_arg(1, list))
}

/// The text of a part: lists are no parts.
fn part_text(m: &mut M<'_, '_>, part: Cell) -> Done<String> {
    let part = m.heap.deref(part);
    if part.is_compound() { Err(m.type_error("text", part)) } else { m.text(part) }
}

fn join_or_split(m: &mut M<'_, '_>) -> Done<bool> {
    let separator = part_text(m, m.x[1])?;
    let (items, rest) = m.heap.list_items(m.x[0]);
    let texts: Option<Vec<String>> = items.iter().map(|&item| m.text_of(item)).collect();
    m.checked(())?;
    if let (Some(texts), true) = (texts, rest == Cell::atom(atom::nil)) {
        let cell = m.atom_cell(&texts.join(&separator));
        return Ok(m.unify_arg(2, cell));
    }
    if let Some(&item) = items.iter().find(|&&item| !item.is_var() && m.text_of(item).is_none()) {
        return Err(m.type_error("text", item));
    }
    if m.arg(2).is_var() {
        return Err(m.instantiation_error());
    }
    if separator.is_empty() {
        return Err(m.domain_error("non_empty_atom", m.x[1]));
    }
    let text = m.text_as(m.x[2], "atomic")?;
    let count = 1 + text.matches(&*separator).count();
    m.afford(24 * count)?;
    let mut parts = Vec::with_capacity(count);
    for part in text.split(&*separator) {
        parts.push(m.atom_cell(part));
    }
    let list = m.heap.list(&parts);
    Ok(m.unify_arg(0, list))
}

/// Whether a line may be broken at the character, as the C library has it, which SWI-Prolog asks.
fn is_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}')
}

fn char_type(m: &mut M<'_, '_>) -> Done<bool> {
    let cell = m.arg(0);
    let c = match cell.is_int() {
        true => u32::try_from(cell.as_int()).ok().and_then(char::from_u32),
        false => {
            let text = m.text_as(cell, "character")?;
            let mut chars = text.chars();
            let first = chars.next();
            if chars.next().is_some() {
                return Err(m.type_error("character", cell));
            }
            first
        }
    };
    let Some(c) = c else { return Ok(false) };
    let kind = m.arg(1);
    let Some((name, arity)) = m.heap.functor(kind) else { return Err(m.instantiation_error()) };
    let name = m.db.names.text(name).to_string();
    let character = |m: &mut M<'_, '_>, c: char| match cell.is_int() {
        true => Cell::int(c as usize),
        false => m.atom_cell(c.encode_utf8(&mut [0; 4])),
    };
    if arity == 1 {
        let value = match &*name {
            "digit" => match c.to_digit(10) {
                Some(weight) => Cell::int(weight as usize),
                None => return Ok(false),
            },
            "xdigit" => match c.to_digit(16) {
                Some(weight) => Cell::int(weight as usize),
                None => return Ok(false),
            },
            // SWI-Prolog's `to_lower(U)` is: the character can be made of `U` by that.
            "to_upper" | "upper" if name == "to_upper" || c.is_uppercase() => {
                let lower = c.to_lowercase().next().unwrap_or(c);
                character(m, lower)
            }
            "to_lower" | "lower" if name == "to_lower" || c.is_lowercase() => {
                let upper = c.to_uppercase().next().unwrap_or(c);
                character(m, upper)
            }
            "upper" | "lower" => return Ok(false),
            _ => return Err(m.type_error("char_type", kind)),
        };
        let arg = m.heap.arg(kind, 0);
        return Ok(m.heap.unify(arg, value));
    }
    Ok(match &*name {
        "alpha" => c.is_alphabetic(),
        "alnum" => c.is_alphanumeric(),
        "csym" => c.is_alphanumeric() || c == '_',
        "csymf" => c.is_alphabetic() || c == '_',
        "digit" => c.is_ascii_digit(),
        "space" => is_space(c),
        "white" => matches!(c, ' ' | '\t'),
        "upper" => c.is_uppercase(),
        "lower" => c.is_lowercase(),
        "punct" => !c.is_alphanumeric() && !is_space(c) && !c.is_control(),
        "graph" => !is_space(c) && !c.is_control(),
        "print" => !c.is_control(),
        "cntrl" => c.is_control(),
        "end_of_line" => matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}'),
        "newline" => c == '\n',
        "period" => matches!(c, '.' | '!' | '?'),
        "quote" => matches!(c, '\'' | '"' | '`'),
        "prolog_var_start" => c.is_uppercase() || c == '_',
        "prolog_atom_start" => c.is_lowercase(),
        "prolog_identifier_continue" => c.is_alphanumeric() || c == '_',
        "prolog_symbol" => "#$&*+-./:<=>?@\\^~".contains(c),
        _ => return Err(m.type_error("char_type", kind)),
    })
}
