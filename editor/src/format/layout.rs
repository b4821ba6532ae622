//! Where lines begin and what stands below each other.
//!
//! A line that continues a clause is indented by four columns, inside of brackets to the column behind the bracket, and
//! behind a connective at the beginning of a line to the column behind that. What stood below its equal in the next
//! line by more than one space does so again.

use std::ops::Range;

use super::items::{Item, ItemKind, end_column};

/// Columns by which a line is indented that continues something.
const INDENT: usize = 4;
/// Columns between a bracket or a connective and what follows it, where the author left more than one.
const WIDE: usize = 4;
/// Rounds of alignment: what moves one column may move another one, in the same line or below.
const ROUNDS: usize = 8;

/// The text in its layout. It ends with a line break unless it is empty.
pub(super) fn lay_out(text: &str, items: &[Item]) -> String {
    let lines = lines(items);
    let groups = groups(text, items, &lines);
    let mut least = vec![0; groups.count];
    for round in 0.. {
        let columns = columns(text, items, &lines, |item| groups.of[item].map_or(0, |group| least[group]));
        let mut moved = false;
        for (item, group) in groups.of.iter().enumerate() {
            if let Some(group) = *group
                && columns[item] > least[group]
            {
                (least[group], moved) = (columns[item], true);
            }
        }
        if !moved {
            return write(text, items, &lines, &columns);
        }
        if round == ROUNDS {
            break;
        }
    }
    let columns = columns(text, items, &lines, |_| 0);
    write(text, items, &lines, &columns)
}

/// The items of each line.
fn lines(items: &[Item]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = (0..items.len()).filter(|&at| at == 0 || items[at].breaks > 0).collect();
    let ends = starts.iter().skip(1).copied().chain([items.len()]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
}

/// Items that stand below each other.
struct Groups {
    /// By item.
    of: Vec<Option<usize>>,
    count: usize,
}

/// Equal tokens at the same column of neighbouring lines, and comments behind lines, one of them behind several spaces.
fn groups(text: &str, items: &[Item], lines: &[Range<usize>]) -> Groups {
    let mut groups = Groups { of: vec![None; items.len()], count: 0 };
    let mut depth = 0_usize;
    let depths: Vec<usize> = items
        .iter()
        .map(|item| {
            match item.kind {
                ItemKind::Open { .. } => depth += 1,
                ItemKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth
        })
        .collect();
    let text = |item: &Item| &text[item.range.clone()];
    let wide =
        |at: usize| at > 0 && items[at].column > end_column(text(&items[at - 1]), items[at - 1].column) + 1;
    let same = |a: usize, b: usize| {
        let (a_item, b_item) = (&items[a], &items[b]);
        let comments = a_item.kind == ItemKind::Comment && b_item.kind == ItemKind::Comment;
        let tokens = text(a_item) == text(b_item) && depths[a] == 0 && depths[b] == 0;
        let apart = [a_item, b_item].iter().all(|item| item.gap && item.space);
        a_item.column == b_item.column && apart && (comments || tokens)
    };
    // Items of a line are in the order of their columns, but behind one of several lines.
    let near = |above: &Range<usize>, at: usize| {
        let near = above.start + items[above.clone()].partition_point(|i| i.column < items[at].column);
        Some(near).filter(|&near| near > above.start && near < above.end && same(near, at))
    };
    let mut is_wide = Vec::new();
    // The line above, and the last one that began a clause.
    let (mut above, mut clause) = (0..0, 0..0);
    let mut fresh = true;
    for below in lines {
        if items[below.start].breaks > 1 {
            (above, clause) = (0..0, 0..0);
        }
        for at in below.clone().skip(1) {
            let begun = if fresh { clause.clone() } else { 0..0 };
            let Some(other) = near(&above, at).or_else(|| near(&begun, at)) else { continue };
            let group = *groups.of[other].get_or_insert_with(|| {
                groups.count += 1;
                is_wide.push(wide(other));
                groups.count - 1
            });
            is_wide[group] |= wide(at);
            groups.of[at] = Some(group);
        }
        above = below.clone();
        if fresh && is_code(&items[below.start]) {
            clause = below.clone();
        }
        let last = items[below.clone()].iter().rev().find(|item| is_code(item));
        fresh = last.map_or(fresh, |last| matches!(last.kind, ItemKind::End));
    }
    groups.of.iter_mut().for_each(|group| *group = group.filter(|&group| is_wide[group]));
    groups
}

/// An open bracket.
struct Bracket {
    column: usize,
    /// Where its line begins.
    line: usize,
    /// Where the lines inside begin; none when nothing follows it in its line.
    content: Option<usize>,
}

/// Where the next line begins depends on it.
struct State {
    brackets: Vec<Bracket>,
    /// Where clauses begin, or declarations of the section.
    base: usize,
    /// Nothing of a clause has been read.
    fresh: bool,
    /// Where lines begin behind a connective at the beginning of a line.
    hang: Option<usize>,
    /// What the last token was.
    last: ItemKind,
}

impl State {
    /// The column of a line that begins with an item.
    fn indentation(&self, first: &Item) -> usize {
        if matches!(first.kind, ItemKind::Section(_)) {
            return 0;
        }
        if self.fresh {
            return self.base;
        }
        let operand = self.last == ItemKind::Infix || first.kind == ItemKind::Infix;
        self.part(first) + if operand { INDENT } else { 0 }
    }

    /// The column of a line that begins with a part of a clause.
    fn part(&self, first: &Item) -> usize {
        let Some(bracket) = self.brackets.last() else {
            let plain = self.base + INDENT;
            return if first.kind == ItemKind::Connective { plain } else { self.hang.unwrap_or(plain) };
        };
        match (first.kind, bracket.content) {
            (ItemKind::Close | ItemKind::Connective, Some(_)) => bracket.column,
            (ItemKind::Close | ItemKind::Connective, None) => bracket.line,
            (_, Some(content)) => content,
            (_, None) => bracket.line + INDENT,
        }
    }
}

/// The column of each item, of which some are at least at a column.
fn columns(text: &str, items: &[Item], lines: &[Range<usize>], least: impl Fn(usize) -> usize) -> Vec<usize> {
    let mut columns = vec![0; items.len()];
    let mut state = State { brackets: Vec::new(), base: 0, fresh: true, hang: None, last: ItemKind::End };
    let next = next_tokens(items);
    for line in lines {
        // A comment is indented as what it stands above.
        let first = items.get(next[line.start]);
        let indentation = first.map_or(0, |first| state.indentation(first));
        let mut end = indentation;
        for at in line.clone() {
            let item = &items[at];
            let column = if at == line.start {
                indentation
            } else {
                let natural = end + usize::from(item.space);
                wide(items, line, at, columns[at - 1]).unwrap_or(natural).max(natural).max(least(at))
            };
            columns[at] = column;
            end = end_column(&text[item.range.clone()], column);
            let more = at + 1 < line.end && next[at + 1] < line.end;
            // Where the line begins, behind a connective.
            let leads = items[line.start].kind == ItemKind::Connective && at > line.start;
            let begin = if leads { columns[line.start + 1] } else { indentation };
            advance(&mut state, items, at, &columns, (line.start, begin), more);
            // What follows a bracket, or a connective at the beginning of a line, is where the next lines begin.
            if at > line.start && is_code(item) {
                follow(&mut state, items, line, at, column);
            }
        }
    }
    columns
}

/// By item: the first token from there on.
fn next_tokens(items: &[Item]) -> Vec<usize> {
    let mut next = vec![items.len(); items.len()];
    let mut found = items.len();
    for at in (0..items.len()).rev() {
        if is_code(&items[at]) {
            found = at;
        }
        next[at] = found;
    }
    next
}

fn is_code(item: &Item) -> bool {
    item.kind != ItemKind::Comment
}

/// The column of what follows a bracket or a connective by more than one space.
fn wide(items: &[Item], line: &Range<usize>, at: usize, before: usize) -> Option<usize> {
    let last = &items[at - 1];
    let leads = last.kind == ItemKind::Connective && at - 1 == line.start;
    let opens = matches!(last.kind, ItemKind::Open { aside: true });
    (is_code(&items[at]) && (leads || opens) && items[at].column == last.column + WIDE)
        .then_some(before + WIDE)
}

/// Goes past an item, of a line that begins with an item and at a column; `more`: it is not the last one of its line.
fn advance(
    state: &mut State,
    items: &[Item],
    at: usize,
    columns: &[usize],
    (start, line): (usize, usize),
    more: bool,
) {
    if is_code(&items[at]) {
        state.last = items[at].kind;
    }
    match items[at].kind {
        ItemKind::Comment => return,
        ItemKind::Open { .. } => {
            state.brackets.push(Bracket {
                column: columns[at],
                line,
                content: more.then_some(columns[at] + 1),
            });
        }
        ItemKind::Close => drop(state.brackets.pop()),
        ItemKind::End | ItemKind::Section(_) => {
            state.brackets.clear();
            (state.fresh, state.hang) = (true, None);
            if let ItemKind::Section(width) = items[at].kind {
                state.base = if more { columns[at] + width } else { INDENT };
            }
            return;
        }
        ItemKind::Connective | ItemKind::Infix | ItemKind::Other => {}
    }
    state.fresh = false;
    if items[at].kind == ItemKind::Connective && at == start && state.brackets.is_empty() {
        state.hang = None;
    }
}

/// Notes the column of the first item behind a bracket or a leading connective.
fn follow(state: &mut State, items: &[Item], line: &Range<usize>, at: usize, column: usize) {
    // An item that opens a bracket itself is inside of the one before.
    let opens = matches!(items[at].kind, ItemKind::Open { .. });
    let depth = state.brackets.len().saturating_sub(usize::from(opens));
    match items[at - 1].kind {
        ItemKind::Open { .. } if items[at].kind != ItemKind::Close => {
            if let Some(bracket) = depth.checked_sub(1).and_then(|inner| state.brackets.get_mut(inner)) {
                bracket.content = Some(column);
            }
        }
        ItemKind::Connective if at - 1 == line.start => match depth.checked_sub(1) {
            None => state.hang = Some(column),
            Some(inner) => {
                let bracket = &mut state.brackets[inner];
                bracket.content = bracket.content.map(|_| column);
            }
        },
        _ => {}
    }
}

fn write(text: &str, items: &[Item], lines: &[Range<usize>], columns: &[usize]) -> String {
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in lines {
        if !out.is_empty() {
            out.push_str(line_break);
            if items[line.start].breaks > 1 {
                out.push_str(line_break);
            }
        }
        let mut end = 0;
        for at in line.clone() {
            let token = &text[items[at].range.clone()];
            out.extend(std::iter::repeat_n(' ', columns[at].saturating_sub(end)));
            out.push_str(token);
            end = end_column(token, columns[at]);
        }
    }
    if !out.is_empty() {
        out.push_str(line_break);
    }
    // At the very beginning it would be the line of a script, which is a comment.
    if out.starts_with("#!") && items.first().is_some_and(is_code) {
        out.insert_str(0, line_break);
    }
    out
}
