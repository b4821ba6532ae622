//! Terms as text in input syntax, without recursion.

use std::io::{self, Write};

use num_bigint::BigInt;

use crate::plan::{ClassId, Layout, Variant};
use gchr_base::hash::HashMap;
use gchr_base::signature::{Brackets, Mixfix, MixfixPiece, Notation, SortId, SortKind};

/// Cells of values, wherever they are.
pub trait Cells {
    /// The words of a cell. `None` when the index names no cell.
    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]>;
    /// The integer that a word of sort `Int` names; `None` for one that is the number itself.
    fn integer(&self, _word: u64) -> Option<&BigInt> {
        None
    }
    /// The text of the application of sort `Int`, a normal form that is no number, that a word names.
    fn application(&self, _word: u64) -> Option<&str> {
        None
    }
}

/// Writes a value in input syntax on one line, as [`NormalForm::write_text`](super::NormalForm::write_text) does.
pub fn write_value(
    layout: &Layout,
    cells: &impl Cells,
    sort: SortId,
    value: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    write(layout, cells, sort, value, u64::MAX, out)
}

/// A unary symbol nested at least this often is written `S^n(...)`.
const MIN_POWER: u64 = 4;

/// What is still to be written.
enum Todo<'a> {
    Value(SortId, u64),
    Text(&'a str),
    /// The elements behind the first one, and the closing bracket.
    Elements(SortId, u32),
    /// The fields of a cell from this one on.
    Fields {
        sort: SortId,
        value: u32,
        next: usize,
    },
    /// So many closing brackets.
    Close(u64),
}

/// Writes a value. `longest_power`: nests of one symbol are followed no further than this (then what is written is cut
/// anyway).
pub(super) fn write(
    layout: &Layout,
    heap: &impl Cells,
    sort: SortId,
    value: u64,
    longest_power: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut todo = vec![Todo::Value(sort, value)];
    let mut powers = Powers { longest: longest_power, known: HashMap::default() };
    while let Some(next) = todo.pop() {
        match next {
            Todo::Close(n) => {
                for _ in 0..n {
                    out.write_all(b")")?;
                }
            }
            Todo::Text(text) => out.write_all(text.as_bytes())?,
            Todo::Elements(sort, value) => further_elements(layout, heap, sort, value, &mut todo, out)?,
            Todo::Value(sort, value) => match layout.sorts[sort].kind {
                SortKind::Float => out.write_all(float(f64::from_bits(value)).as_bytes())?,
                SortKind::Data => head(layout, heap, sort, value as u32, &mut powers, &mut todo, out)?,
                _ => match (heap.application(value), heap.integer(value)) {
                    (Some(text), _) => out.write_all(text.as_bytes())?,
                    (None, Some(number)) => write!(out, "{number}")?,
                    (None, None) => write!(out, "{}", value.cast_signed())?,
                },
            },
            Todo::Fields { sort, value, next } => {
                let Some((variant, cell)) = cell(layout, heap, sort, value) else { continue };
                let field = variant.fields[next];
                if next > 0 {
                    out.write_all(b", ")?;
                }
                if next + 1 < variant.fields.len() {
                    todo.push(Todo::Fields { sort, value, next: next + 1 });
                } else if let Some(Todo::Close(n)) = todo.last_mut() {
                    // The last field of a last field: brackets add up, and a list needs no stack.
                    *n += 1;
                } else {
                    todo.push(Todo::Close(1));
                }
                let arg = Todo::Value(field.sort, field_bits(cell, field.offset, field.wide));
                todo.extend(bracketed(layout, heap, arg, MIXFIX_ARGUMENT).into_iter().rev());
            }
        }
    }
    Ok(())
}

fn head<'a>(
    layout: &'a Layout,
    heap: &impl Cells,
    sort: SortId,
    value: u32,
    powers: &mut Powers,
    todo: &mut Vec<Todo<'a>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(variant) = variant(layout, sort, value) else { return Ok(()) };
    if variant.notation != Notation::Application && notated(layout, heap, sort, value, todo, out)? {
        return Ok(());
    }
    out.write_all(variant.name.as_bytes())?;
    if variant.fields.is_empty() {
        return Ok(());
    }
    if let [field] = variant.fields.as_slice()
        && field.sort == sort
        && variant.notation != Notation::Plain
    {
        let (count, inner) = powers.count(layout, heap, sort, value);
        if count >= MIN_POWER {
            write!(out, "^{count}(")?;
            if let Some(Todo::Close(n)) = todo.last_mut() {
                *n += 1;
            } else {
                todo.push(Todo::Close(1));
            }
            todo.push(Todo::Value(sort, inner.into()));
            return Ok(());
        }
    }
    out.write_all(b"(")?;
    todo.push(Todo::Fields { sort, value, next: 0 });
    Ok(())
}

/// The variant of a value.
fn variant(layout: &Layout, sort: SortId, value: u32) -> Option<&Variant> {
    let shape = &layout.sorts[sort];
    shape.variants.get((value & ((1u32 << shape.tag_bits) - 1)) as usize)
}

/// Begins a value that is not written as an application; whether it is one.
fn notated<'a>(
    layout: &'a Layout,
    heap: &impl Cells,
    sort: SortId,
    value: u32,
    todo: &mut Vec<Todo<'a>>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let Some(of) = variant(layout, sort, value) else { return Ok(false) };
    let notation = of.notation;
    if let Notation::Empty(brackets) = notation {
        out.write_all(brackets.open.as_bytes())?;
        out.write_all(brackets.close.as_bytes())?;
        return Ok(true);
    }
    let Some((variant, cell)) = cell(layout, heap, sort, value) else { return Ok(false) };
    let field = |at: usize| {
        let field = variant.fields[at];
        Todo::Value(field.sort, field_bits(cell, field.offset, field.wide))
    };
    match (notation, variant.fields.len()) {
        (Notation::Element(brackets), 2 | 3) if is_closed(layout, heap, sort, value, brackets) => {
            out.write_all(brackets.open.as_bytes())?;
            element(variant, cell, sort, todo);
        }
        (Notation::Argument, 1) => todo.push(field(0)),
        (Notation::Fraction, 2) if matches!(field(1), Todo::Value(_, 1)) => todo.push(field(0)),
        (Notation::Infix | Notation::Fraction, 2) => {
            todo.extend([Todo::Text(")"), field(1), Todo::Text(" "), Todo::Text(&of.name), Todo::Text(" ")]);
            todo.extend([field(0), Todo::Text("(")]);
        }
        (Notation::Applied, count @ 2..) => {
            todo.push(Todo::Text(")"));
            for at in (1..count).rev() {
                todo.extend([field(at), Todo::Text(if at == 1 { "(" } else { ", " })]);
            }
            todo.push(field(0));
        }
        (Notation::Mixfix(binding), _) => {
            let mut args = 0;
            let mut parts: Vec<Todo<'a>> = Vec::new();
            let mut before = "";
            for piece in Mixfix::pieces(&of.name) {
                let word = if let MixfixPiece::Word(word) = piece { word } else { "_" };
                let opens = before.is_empty() || matches!(before, "(" | "[" | "{");
                if !(opens || matches!(word, ")" | "]" | "}" | ",")) {
                    parts.push(Todo::Text(" "));
                }
                before = word;
                if piece != MixfixPiece::Hole {
                    parts.push(Todo::Text(word));
                    continue;
                }
                let arg = field(args);
                args += 1;
                let chain = binding.is_associative()
                    && args == variant.fields.len()
                    && is_again(&arg, sort, of, layout);
                let limit = if chain { u8::MAX } else { binding.limit(args - 1) };
                parts.extend(bracketed(layout, heap, arg, limit));
            }
            todo.extend(parts.into_iter().rev());
        }
        (Notation::Updated, 3) => {
            todo.extend([Todo::Text("]"), field(2), Todo::Text(" -> "), field(1), Todo::Text("[")]);
            todo.push(field(0));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether a value has a variant outermost.
fn is_again(value: &Todo<'_>, sort: SortId, of: &Variant, layout: &Layout) -> bool {
    match *value {
        Todo::Value(found, bits) if found == sort => {
            variant(layout, sort, bits as u32).is_some_and(|again| std::ptr::eq(again, of))
        }
        _ => false,
    }
}

/// The most that the precedence of an argument behind a name may be: a comma separates arguments.
const MIXFIX_ARGUMENT: u8 = 95;

/// A value, in brackets where it does not bind tightly enough.
fn bracketed<'a>(layout: &Layout, heap: &impl Cells, value: Todo<'a>, limit: u8) -> Vec<Todo<'a>> {
    match binds(layout, heap, &value) {
        Some(found) if found > limit => vec![Todo::Text("("), value, Todo::Text(")")],
        _ => vec![value],
    }
}

/// How tightly a value binds, if it is written with its name around its arguments.
fn binds(layout: &Layout, heap: &impl Cells, value: &Todo<'_>) -> Option<u8> {
    let mut value = match value {
        Todo::Value(sort, bits) if layout.sorts[*sort].has_cells() => (*sort, *bits as u32),
        _ => return None,
    };
    loop {
        let (sort, bits) = value;
        let found = variant(layout, sort, bits)?;
        match (found.notation, found.fields.as_slice()) {
            (Notation::Mixfix(binding), _) => return Some(binding.precedence()),
            (Notation::Argument, [field]) if layout.sorts[field.sort].has_cells() => {
                let (_, cell) = cell(layout, heap, sort, bits)?;
                value = (field.sort, field_bits(cell, field.offset, field.wide).try_into().ok()?);
            }
            _ => return None,
        }
    }
}

/// What is to be written for an element, and behind it.
fn element(variant: &Variant, cell: &[u32], sort: SortId, todo: &mut Vec<Todo<'_>>) {
    let bits = |at: usize| {
        let field = variant.fields[at];
        (field.sort, field_bits(cell, field.offset, field.wide))
    };
    let last = variant.fields.len() - 1;
    todo.push(Todo::Elements(sort, bits(last).1 as u32));
    if last == 2 {
        let (sort, count) = bits(1);
        todo.extend([Todo::Value(sort, count), Todo::Text(": ")]);
    }
    let (sort, first) = bits(0);
    todo.push(Todo::Value(sort, first));
}

fn further_elements<'a>(
    layout: &'a Layout,
    heap: &impl Cells,
    sort: SortId,
    value: u32,
    todo: &mut Vec<Todo<'a>>,
    out: &mut impl Write,
) -> io::Result<()> {
    match cell(layout, heap, sort, value) {
        Some((variant, cell)) => {
            out.write_all(b", ")?;
            element(variant, cell, sort, todo);
            Ok(())
        }
        None => match variant(layout, sort, value).map(|variant| variant.notation) {
            Some(Notation::Empty(brackets)) => out.write_all(brackets.close.as_bytes()),
            _ => Ok(()),
        },
    }
}

/// Whether the elements end with an empty value: another term may be in its place.
fn is_closed(layout: &Layout, heap: &impl Cells, sort: SortId, mut value: u32, brackets: Brackets) -> bool {
    loop {
        match variant(layout, sort, value).map(|variant| variant.notation) {
            Some(Notation::Empty(found)) => return found.close == brackets.close,
            Some(Notation::Element(found)) if found.close == brackets.close => {}
            _ => return false,
        }
        let Some((variant, cell)) = cell(layout, heap, sort, value) else { return false };
        match variant.fields.last() {
            Some(rest) if rest.sort == sort => value = cell[rest.offset as usize],
            _ => return false,
        }
    }
}

/// Lengths of nests. Numbers of a list may share one nest: known lengths at some places of it keep the walks short.
struct Powers {
    longest: u64,
    known: HashMap<(SortId, u32), (u64, u32)>,
}

/// Every so many cells of a nest its length from there on is kept.
const MILESTONE: u64 = 1024;

impl Powers {
    /// How often the unary head of a value is nested, and what is inside.
    fn count(&mut self, layout: &Layout, heap: &impl Cells, sort: SortId, value: u32) -> (u64, u32) {
        let mask = (1u32 << layout.sorts[sort].tag_bits) - 1;
        let tag = value & mask;
        let (mut count, mut inner) = (0, value);
        let mut milestones = Vec::new();
        while inner & mask == tag && count < self.longest {
            if let Some(&(rest, end)) = self.known.get(&(sort, inner)) {
                (count, inner) = (count + rest, end);
                break;
            }
            let Some((_, cell)) = cell(layout, heap, sort, inner) else { break };
            if count % MILESTONE == MILESTONE - 1 {
                milestones.push((inner, count));
            }
            inner = cell[0];
            count += 1;
        }
        for (value, before) in milestones {
            self.known.insert((sort, value), (count - before, inner));
        }
        (count, inner)
    }
}

/// The cell of a value with its variant; `None` for one without fields.
pub(super) fn cell<'a>(
    layout: &'a Layout,
    heap: &'a impl Cells,
    sort: SortId,
    value: u32,
) -> Option<(&'a Variant, &'a [u32])> {
    let shape = &layout.sorts[sort];
    let variant = variant(layout, sort, value)?;
    Some((variant, heap.cell(variant.class?, value >> shape.tag_bits)?))
}

/// The bits of a field.
pub(super) fn field_bits(cell: &[u32], offset: u32, wide: bool) -> u64 {
    let at = offset as usize;
    if !wide {
        return cell[at].into();
    }
    let [a, b] = [cell[at].to_ne_bytes(), cell[at + 1].to_ne_bytes()];
    u64::from_ne_bytes([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]])
}

/// A float so that it is read back as the same float: always with a point.
pub(crate) fn float(x: f64) -> String {
    let text = format!("{x:?}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

/// A value as text, cut after so many characters.
pub fn bounded(layout: &Layout, heap: &impl Cells, sort: SortId, value: u64, width: usize) -> String {
    struct Cut(Vec<u8>, usize);
    impl Write for Cut {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0.len() > self.1 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut cut = Cut(Vec::new(), width);
    let whole = write(layout, heap, sort, value, 1000, &mut cut).is_ok() && cut.0.len() <= width;
    let mut text = String::from_utf8_lossy(&cut.0).into_owned();
    if !whole {
        text = text.chars().take(width).collect();
        text.push_str("...");
    }
    text
}
