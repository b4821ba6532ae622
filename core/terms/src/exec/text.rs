//! Terms as text in input syntax, without recursion.

mod copies;
mod literals;

pub(super) use self::copies::Copies;
pub(super) use self::literals::bytes_of_text;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use num_bigint::BigInt;

use super::texts::Text;
use crate::plan::{ClassId, Layout, Variant};
use gchr_base::error::StopReason;
use gchr_base::hash::HashMap;
use gchr_base::ordered::{self, Piece};
use gchr_base::signature::{Mixfix, MixfixPiece, Notation, SortId, SortKind, character};

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
    /// The text that a word names which is neither a text itself nor one of the program.
    fn long_text(&self, _word: u64) -> Option<&Text> {
        None
    }
}

/// Writes a value in input syntax on one line, as [`NormalForm::write_text`](super::NormalForm::write_text) does.
pub fn write_value(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    sort: SortId,
    value: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    Writing::new(layout, cells, sort, value, u64::MAX).finish(out)
}

/// Writes what stands behind so many of the equal arguments at the beginning of a value.
pub(super) fn write_behind(
    layout: &Layout,
    cells: &(impl Cells + ?Sized),
    (sort, value): (SortId, u64),
    before: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut writing = Writing::new(layout, cells, sort, value, u64::MAX);
    if before > 0
        && let Some(copies) = Copies::of_value(layout, cells, sort, value as u32)
    {
        writing.todo = copies.after(before).map_or(Vec::new(), |left| vec![Todo::Copies(left)]);
    }
    writing.finish(out)
}

/// A unary symbol nested at least this often is written `S^n(...)`.
const MIN_POWER: u64 = 4;

/// What is still to be written.
enum Todo<'a> {
    Value(SortId, u64),
    Text(&'a str),
    /// The elements behind the first one, and the closing bracket.
    Elements(SortId, u32, &'static str),
    /// The characters of a text, and the closing quote.
    Characters(SortId, u32),
    /// The bytes from a place on of the text that a word is or names.
    Bytes(u64, u64),
    /// The arguments behind the first one, of applications of one symbol in each other, and the closing bracket.
    Arguments(&'a Variant, SortId, u32),
    /// Copies of an argument, and what stands behind them.
    Copies(Copies<'a>),
    /// The same behind the first argument of applications in each other, and the closing bracket.
    FurtherCopies(Copies<'a>),
    /// The fields of a cell from this one on, which is not the first.
    Fields {
        variant: &'a Variant,
        cell: &'a [u32],
        next: usize,
    },
    /// So many closing brackets.
    Close(u64),
}

/// Bytes that are passed on at once.
const BLOCK: usize = 1 << 16;
/// Closing brackets that are written at once.
const CLOSED: u64 = 1 << 12;

/// A value of which a part is written.
pub(super) struct Writing<'a, C: ?Sized> {
    layout: &'a Layout,
    cells: &'a C,
    /// What is still to be written, in reverse.
    todo: Vec<Todo<'a>>,
    powers: Powers,
    /// Whether a part of the value is none of the layout, which no plan makes: it is left out.
    is_broken: Arc<AtomicBool>,
}

impl<'a, C: Cells + ?Sized> Writing<'a, C> {
    /// Nothing is written yet. `longest_power`: nests of one symbol are followed no further than this (then what is
    /// written is cut anyway).
    pub fn new(layout: &'a Layout, cells: &'a C, sort: SortId, value: u64, longest_power: u64) -> Self {
        let powers = Powers { longest: longest_power, known: HashMap::default() };
        Self { layout, cells, todo: vec![Todo::Value(sort, value)], powers, is_broken: Arc::default() }
    }

    /// Writes all that is left, by all threads if it is much.
    pub fn finish_together(self, out: &mut impl Write) -> io::Result<()>
    where
        C: Sync,
    {
        let is_broken = self.is_broken.clone();
        ordered::write(self, out)?;
        unbroken(&is_broken)
    }

    /// Writes all that is left.
    pub fn finish(&mut self, out: &mut impl Write) -> io::Result<()> {
        let mut block = Vec::new();
        let mut goes_on = true;
        while goes_on {
            block.clear();
            goes_on = self.advance(&mut block, BLOCK);
            out.write_all(&block)?;
        }
        unbroken(&self.is_broken)
    }

    /// Writes until there are so many bytes, or a few more; says whether something is left.
    pub fn advance(&mut self, out: &mut Vec<u8>, bytes: usize) -> bool {
        while out.len() < bytes {
            let Some(next) = self.todo.pop() else { return false };
            self.step(next, out, bytes);
        }
        !self.todo.is_empty()
    }

    fn step(&mut self, next: Todo<'a>, out: &mut Vec<u8>, bytes: usize) {
        match next {
            Todo::Close(n) => {
                let now = n.min(CLOSED);
                out.resize(out.len() + now as usize, b')');
                if n > now {
                    self.todo.push(Todo::Close(n - now));
                }
            }
            Todo::Text(text) => out.extend_from_slice(text.as_bytes()),
            Todo::Elements(sort, value, close) => {
                further_elements(self.layout, self.cells, (sort, value), close, &mut self.todo, out);
            }
            Todo::Characters(sort, value) => {
                let rest = literals::characters(self.layout, self.cells, (sort, value), out, bytes);
                self.todo.extend(rest.map(|rest| Todo::Characters(sort, rest)));
            }
            Todo::Bytes(word, from) => {
                let mut write = |piece: &[u8]| {
                    piece.iter().for_each(|&byte| out.extend_from_slice(character(byte).as_bytes()));
                };
                let rest = literals::bytes(self.layout, self.cells, word, from, &mut write);
                self.todo.extend(rest.map(|from| Todo::Bytes(word, from)));
            }
            Todo::Arguments(of, sort, value) => {
                further_arguments(self.layout, self.cells, of, sort, value, &mut self.todo);
            }
            Todo::Copies(copies) => copies.begin(self.layout, self.cells, &mut self.todo, out),
            Todo::FurtherCopies(copies) => copies.further(self.layout, self.cells, &mut self.todo),
            Todo::Value(sort, value) => self.value(sort, value, out, bytes),
            Todo::Fields { variant, cell, next } => {
                out.extend_from_slice(b", ");
                let (sort, value) = self.field(variant, cell, next, out);
                self.value(sort, value, out, bytes);
            }
        }
    }

    /// Has a value written as the first argument of another one, and that as the first one of a further one, until
    /// there are so many bytes.
    fn value(&mut self, mut sort: SortId, mut value: u64, out: &mut Vec<u8>, bytes: usize) {
        let (layout, cells) = (self.layout, self.cells);
        loop {
            let shape = &layout.sorts[sort];
            match shape.kind {
                SortKind::Data => {}
                SortKind::Float => return out.extend_from_slice(float(f64::from_bits(value)).as_bytes()),
                _ => {
                    return match (cells.application(value), cells.integer(value)) {
                        (Some(text), _) => out.extend_from_slice(text.as_bytes()),
                        (None, Some(number)) => append(out, format_args!("{number}")),
                        (None, None) => {
                            out.extend_from_slice(itoa::Buffer::new().format(value.cast_signed()).as_bytes());
                        }
                    };
                }
            }
            let Some(variant) = variant(layout, sort, value as u32) else { return self.break_off() };
            if !self.opens(variant, sort, value as u32, out) {
                return;
            }
            let cell = variant.class.and_then(|class| cells.cell(class, value as u32 >> shape.tag_bits));
            let Some(cell) = cell else { return self.break_off() };
            (sort, value) = self.field(variant, cell, 0, out);
            if out.len() >= bytes {
                return self.todo.push(Todo::Value(sort, value));
            }
        }
    }

    fn break_off(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// Begins a term; whether its fields are to be written behind an opening bracket.
    fn opens(&mut self, variant: &'a Variant, sort: SortId, value: u32, out: &mut Vec<u8>) -> bool {
        let (layout, cells, todo) = (self.layout, self.cells, &mut self.todo);
        if !matches!(variant.notation, Notation::Application)
            && notated(layout, cells, sort, value, todo, out)
        {
            return false;
        }
        out.extend_from_slice(variant.name.as_bytes());
        if variant.fields.is_empty() {
            return false;
        }
        if let [field] = variant.fields.as_slice()
            && field.sort == sort
            && !matches!(variant.notation, Notation::Plain)
        {
            let (count, inner) = self.powers.count(layout, cells, sort, value);
            if count >= MIN_POWER {
                append(out, format_args!("^{count}("));
                close(todo);
                todo.push(Todo::Value(sort, inner.into()));
                return false;
            }
        }
        out.push(b'(');
        true
    }

    /// A field, which is to be written next; what comes behind it waits.
    #[inline]
    fn field(
        &mut self,
        variant: &'a Variant,
        cell: &'a [u32],
        at: usize,
        out: &mut Vec<u8>,
    ) -> (SortId, u64) {
        if at + 1 < variant.fields.len() {
            self.todo.push(Todo::Fields { variant, cell, next: at + 1 });
        } else {
            // The last field of a last field: brackets add up, and a list needs no stack.
            close(&mut self.todo);
        }
        let field = variant.fields[at];
        let value = field_bits(cell, field.offset, field.wide);
        if self.layout.sorts[field.sort].may_bind
            && binds(self.layout, self.cells, &Todo::Value(field.sort, value))
                .is_some_and(|found| found > Mixfix::ARGUMENT)
        {
            out.push(b'(');
            self.todo.push(Todo::Text(")"));
        }
        (field.sort, value)
    }
}

impl<C: Cells + Sync + ?Sized> Piece for Writing<'_, C> {
    fn advance(&mut self, out: &mut Vec<u8>, bytes: usize) -> io::Result<bool> {
        Ok(Writing::advance(self, out, bytes))
    }

    /// About a half, where the value is a balanced tree. A list of small elements cannot be divided: only its spine
    /// leads to what is behind.
    fn split(&mut self) -> Option<Self> {
        let is_value = |todo: &Todo<'_>| !matches!(todo, Todo::Text(_) | Todo::Close(_));
        let last = self.todo.iter().position(is_value)?;
        if !self.todo[last + 1..].iter().any(is_value) {
            return None;
        }
        let before = self.todo.split_off(last + 1);
        let todo = std::mem::replace(&mut self.todo, before);
        let powers = Powers { longest: self.powers.longest, known: HashMap::default() };
        let is_broken = self.is_broken.clone();
        Some(Self { layout: self.layout, cells: self.cells, todo, powers, is_broken })
    }
}

/// Nothing of a value was left out.
fn unbroken(is_broken: &AtomicBool) -> io::Result<()> {
    if is_broken.load(Ordering::Relaxed) {
        return Err(StopReason::Internal { what: "the result is no normal form of its layout".into() }.into());
    }
    Ok(())
}

/// One closing bracket more behind what is to be written next.
#[inline]
fn close(todo: &mut Vec<Todo<'_>>) {
    match todo.last_mut() {
        Some(Todo::Close(n)) => *n += 1,
        _ => todo.push(Todo::Close(1)),
    }
}

fn append(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // A vector takes any text.
    let _ = out.write_fmt(text);
}

/// The variant of a value.
#[inline]
fn variant(layout: &Layout, sort: SortId, value: u32) -> Option<&Variant> {
    let shape = &layout.sorts[sort];
    shape.variants.get((value & ((1u32 << shape.tag_bits) - 1)) as usize)
}

/// Begins a value that is not written as an application; whether it is one.
fn notated<'a>(
    layout: &'a Layout,
    heap: &(impl Cells + ?Sized),
    sort: SortId,
    value: u32,
    todo: &mut Vec<Todo<'a>>,
    out: &mut Vec<u8>,
) -> bool {
    let Some(of) = variant(layout, sort, value) else { return false };
    let notation = of.notation;
    if let Notation::Empty(brackets) = notation {
        out.extend_from_slice(brackets.open.as_bytes());
        out.extend_from_slice(brackets.close.as_bytes());
        return true;
    }
    if let Some(copies) = Copies::of_value(layout, heap, sort, value) {
        copies.begin(layout, heap, todo, out);
        return true;
    }
    let Some((variant, cell)) = cell(layout, heap, sort, value) else { return false };
    let field = |at: usize| {
        let field = variant.fields[at];
        Todo::Value(field.sort, field_bits(cell, field.offset, field.wide))
    };
    match (notation, variant.fields.len()) {
        (list @ (Notation::Element(_) | Notation::Text), 2 | 3)
            if let Some(brackets) = list.around_elements()
                && is_closed(layout, heap, sort, value, list) =>
        {
            if list == Notation::Text && literals::is_text(layout, heap, sort, value) {
                out.push(b'"');
                todo.push(Todo::Characters(sort, value));
            } else {
                out.extend_from_slice(brackets.open.as_bytes());
                element(variant, cell, sort, brackets.close, todo);
            }
        }
        // Names that begin so cannot be written.
        (Notation::Element(_) | Notation::Text, 2) if !of.name.starts_with('@') => {
            open_list(layout, heap, sort, value, of, todo);
        }
        (Notation::CodePoint, 1) => match literals::code_point(layout, heap, field(0)) {
            Some(c) => literals::in_quotes(c, '\'', out),
            None => return false,
        },
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
        (Notation::Flat, 2) => {
            out.extend_from_slice(of.name.as_bytes());
            out.push(b'(');
            first_argument(layout, heap, of, cell, todo);
        }
        (Notation::Ratio(_), 2) if literals::is_ratio(layout, heap, variant, cell) => {
            todo.push(field(1));
            todo.extend(Mixfix::pieces(&of.name).filter_map(MixfixPiece::word).map(Todo::Text));
            todo.push(field(0));
        }
        (Notation::Quoted(around), 1) => match literals::text_word(layout, heap, field(0)) {
            Some(word) => {
                out.extend_from_slice(around.open.as_bytes());
                todo.extend([Todo::Text(around.close), Todo::Bytes(word, 0)]);
            }
            None => return false,
        },
        (Notation::Mixfix(binding) | Notation::Ratio(binding), _) => {
            let (mut args, count) = (0, variant.fields.len());
            let mut parts: Vec<Todo<'a>> = Vec::new();
            for (has_space, piece) in Mixfix::spaced(&of.name) {
                if has_space {
                    parts.push(Todo::Text(" "));
                }
                if let MixfixPiece::Word(word) = piece {
                    parts.push(Todo::Text(word));
                    continue;
                }
                let arg = field(args);
                let limit = binding.limit_in(args, count, || is_again(&arg, sort, of, layout));
                args += 1;
                parts.extend(bracketed(layout, heap, arg, limit));
            }
            todo.extend(parts.into_iter().rev());
        }
        (Notation::Updated, 3) => {
            todo.extend([Todo::Text("]"), field(2), Todo::Text(" -> "), field(1), Todo::Text("[")]);
            todo.push(field(0));
        }
        _ => return false,
    }
    true
}

/// Whether a value has a variant outermost.
fn is_again(value: &Todo<'_>, sort: SortId, of: &Variant, layout: &Layout) -> bool {
    match *value {
        Todo::Copies(copies) => copies.are_of(of),
        Todo::Value(found, bits) if found == sort && layout.sorts[sort].has_copies => {
            let again = variant(layout, sort, bits as u32);
            let is_copies = |of: &Variant| matches!(of.notation, Notation::Copies(_));
            again.is_some_and(|again| {
                std::ptr::eq(again, of) || again.name == of.name && (is_copies(again) || is_copies(of))
            })
        }
        Todo::Value(found, bits) if found == sort => {
            variant(layout, sort, bits as u32).is_some_and(|again| std::ptr::eq(again, of))
        }
        _ => false,
    }
}

/// A value, in brackets where it does not bind tightly enough.
fn bracketed<'a>(layout: &Layout, heap: &(impl Cells + ?Sized), value: Todo<'a>, limit: u8) -> Vec<Todo<'a>> {
    match binds(layout, heap, &value) {
        Some(found) if found > limit => vec![Todo::Text("("), value, Todo::Text(")")],
        _ => vec![value],
    }
}

/// How tightly a value binds, if it is written with its name around its arguments.
fn binds(layout: &Layout, heap: &(impl Cells + ?Sized), value: &Todo<'_>) -> Option<u8> {
    let mut value = match value {
        Todo::Copies(copies) => return copies.binds(),
        Todo::Value(sort, bits) if layout.sorts[*sort].has_cells() => (*sort, *bits as u32),
        _ => return None,
    };
    loop {
        let (sort, bits) = value;
        let found = variant(layout, sort, bits)?;
        match (found.notation, found.fields.as_slice()) {
            (Notation::Mixfix(binding) | Notation::Copies(Some(binding)), _) => {
                return Some(binding.precedence());
            }
            (Notation::Ratio(binding), _) => {
                let (_, cell) = cell(layout, heap, sort, bits)?;
                return (!literals::is_ratio(layout, heap, found, cell)).then_some(binding.precedence());
            }
            (Notation::Argument, [field]) if layout.sorts[field.sort].has_cells() => {
                let (_, cell) = cell(layout, heap, sort, bits)?;
                value = (field.sort, field_bits(cell, field.offset, field.wide).try_into().ok()?);
            }
            _ => return None,
        }
    }
}

/// What is to be written for an element, and behind it.
fn element(variant: &Variant, cell: &[u32], sort: SortId, close: &'static str, todo: &mut Vec<Todo<'_>>) {
    let bits = |at: usize| {
        let field = variant.fields[at];
        (field.sort, field_bits(cell, field.offset, field.wide))
    };
    let last = variant.fields.len() - 1;
    todo.push(Todo::Elements(sort, bits(last).1 as u32, close));
    if last == 2 {
        let (sort, count) = bits(1);
        todo.extend([Todo::Value(sort, count), Todo::Text(": ")]);
    }
    let (sort, first) = bits(0);
    todo.push(Todo::Value(sort, first));
}

/// A list that does not end, all at once: its elements before what it ends with, e.g. `(1 |> (2 |> f(3)))`.
fn open_list<'a>(
    layout: &'a Layout,
    heap: &(impl Cells + ?Sized),
    sort: SortId,
    mut value: u32,
    of: &'a Variant,
    todo: &mut Vec<Todo<'a>>,
) {
    let (mut parts, mut elements) = (Vec::new(), 0);
    while let Some((variant, cell)) = cell(layout, heap, sort, value)
        && variant.notation == of.notation
    {
        let bits = |at: usize| {
            let field = variant.fields[at];
            field_bits(cell, field.offset, field.wide)
        };
        parts.extend([Todo::Text("("), Todo::Value(variant.fields[0].sort, bits(0))]);
        parts.extend([Todo::Text(" "), Todo::Text(&of.name), Todo::Text(" ")]);
        (value, elements) = (bits(1) as u32, elements + 1);
    }
    parts.extend([Todo::Value(sort, u64::from(value)), Todo::Close(elements)]);
    todo.extend(parts.into_iter().rev());
}

/// The first of two arguments, with the second one behind it.
fn first_argument<'a>(
    layout: &Layout,
    heap: &(impl Cells + ?Sized),
    of: &'a Variant,
    cell: &[u32],
    todo: &mut Vec<Todo<'a>>,
) {
    let [first, rest] = [0, 1].map(|at| {
        let field = of.fields[at];
        (field.sort, field_bits(cell, field.offset, field.wide))
    });
    match layout.sorts[rest.0].has_cells() {
        true => todo.push(Todo::Arguments(of, rest.0, rest.1 as u32)),
        false => todo.extend([Todo::Text(")"), Todo::Value(rest.0, rest.1)]),
    }
    todo.push(Todo::Text(", "));
    todo.extend(bracketed(layout, heap, Todo::Value(first.0, first.1), Mixfix::ARGUMENT).into_iter().rev());
}

/// The arguments of a value that is an application of the symbol around it, else the value.
fn further_arguments<'a>(
    layout: &'a Layout,
    heap: &(impl Cells + ?Sized),
    of: &'a Variant,
    sort: SortId,
    value: u32,
    todo: &mut Vec<Todo<'a>>,
) {
    if let Some(copies) = Copies::of_value(layout, heap, sort, value).filter(|copies| copies.are_of(of)) {
        return copies.further(layout, heap, todo);
    }
    match cell(layout, heap, sort, value) {
        Some((again, cell)) if std::ptr::eq(again, of) => first_argument(layout, heap, of, cell, todo),
        _ => {
            todo.push(Todo::Text(")"));
            let last = Todo::Value(sort, value.into());
            todo.extend(bracketed(layout, heap, last, Mixfix::ARGUMENT).into_iter().rev());
        }
    }
}

fn further_elements(
    layout: &Layout,
    heap: &(impl Cells + ?Sized),
    (sort, value): (SortId, u32),
    close: &'static str,
    todo: &mut Vec<Todo<'_>>,
    out: &mut Vec<u8>,
) {
    match cell(layout, heap, sort, value) {
        Some((variant, cell)) => {
            out.extend_from_slice(b", ");
            element(variant, cell, sort, close, todo);
        }
        None => out.extend_from_slice(close.as_bytes()),
    }
}

/// Whether the elements end with an empty value: another term may be in its place.
fn is_closed(
    layout: &Layout,
    heap: &(impl Cells + ?Sized),
    sort: SortId,
    mut value: u32,
    list: Notation,
) -> bool {
    loop {
        match variant(layout, sort, value).map(|variant| variant.notation) {
            Some(found) if found == list => {}
            found => return found.is_some_and(|found| found.is_end_of(list)),
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
    fn count(
        &mut self,
        layout: &Layout,
        heap: &(impl Cells + ?Sized),
        sort: SortId,
        value: u32,
    ) -> (u64, u32) {
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
pub(super) fn cell<'l, 'h>(
    layout: &'l Layout,
    heap: &'h (impl Cells + ?Sized),
    sort: SortId,
    value: u32,
) -> Option<(&'l Variant, &'h [u32])> {
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
pub fn bounded(
    layout: &Layout,
    heap: &(impl Cells + ?Sized),
    sort: SortId,
    value: u64,
    width: usize,
) -> String {
    let mut text = Vec::new();
    let cut = Writing::new(layout, heap, sort, value, 1000).advance(&mut text, width + 1);
    let whole = !cut && text.len() <= width;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if !whole {
        text = text.chars().take(width).collect();
        text.push_str("...");
    }
    text
}
