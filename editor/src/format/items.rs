//! What a text is made of: tokens and comments, with what was between them.

use std::ops::Range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, Span};

/// What an item is for the layout of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ItemKind {
    /// A comment.
    Comment,
    /// An opening bracket; `aside`: of a goal or an expression, not of arguments.
    Open {
        aside: bool,
    },
    Close,
    /// Separates parts of a clause and may begin a line: `->`, `;`, `|`, `<=>`.
    Connective,
    /// An operator that is none of these between two operands: a line behind it continues an operand.
    Infix,
    /// The end of a clause or a declaration.
    End,
    /// The word that begins a section, so many characters before what follows it.
    Section(usize),
    Other,
}

/// A token or a comment.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub kind: ItemKind,
    /// Its bytes.
    pub range: Range<usize>,
    /// Line breaks before it.
    pub breaks: usize,
    /// Column where it begins, in characters.
    pub column: usize,
    /// Whether something is between it and the item before it.
    pub gap: bool,
    /// Whether a space is to be there in the same line.
    pub space: bool,
    /// What must be so in another layout as well, beside its text.
    pub bound: bool,
}

impl Item {
    /// What stays the same in every layout.
    pub fn token<'t>(&self, text: &'t str) -> (ItemKind, &'t str, bool, bool) {
        let shown = &text[self.range.clone()];
        // Spaces at the ends of lines are the layout's.
        let shown = if self.kind == ItemKind::Comment { shown.trim_end() } else { shown };
        (self.kind, shown, self.bound, self.breaks > 0)
    }
}

/// The items of a text: its tokens and the comments between them, in order.
pub(super) fn with_comments(
    text: &str,
    tokens: impl IntoIterator<Item = (ItemKind, Range<usize>)>,
) -> Vec<Item> {
    let mut reader = Reader { text, items: Vec::new(), end: 0, column: 0 };
    for (kind, range) in tokens {
        reader.comments(range.start);
        reader.push(kind, range);
    }
    reader.comments(text.len());
    reader.items
}

/// The column behind a text that begins at a column.
pub(super) fn end_column(text: &str, column: usize) -> usize {
    match text.rfind('\n') {
        Some(last) => text[last + 1..].chars().count(),
        None => column + text.chars().count(),
    }
}

struct Reader<'t> {
    text: &'t str,
    items: Vec<Item>,
    /// The end of the item before.
    end: usize,
    /// The column of that end.
    column: usize,
}

impl Reader<'_> {
    fn push(&mut self, kind: ItemKind, range: Range<usize>) {
        let between = &self.text[self.end..range.start];
        // What begins the text begins its first line.
        let breaks = if self.items.is_empty() { 0 } else { between.matches('\n').count() };
        let column = end_column(between, self.column);
        let gap = !between.is_empty();
        self.column = end_column(&self.text[range.clone()], column);
        self.end = range.end;
        // There is a space before a comment; before a token, if the language says so.
        let space = kind == ItemKind::Comment;
        self.items.push(Item { kind, range, breaks, column, gap, space, bound: false });
    }

    /// The comments up to a byte.
    fn comments(&mut self, to: usize) {
        let mut at = self.end;
        while at < to {
            let rest = &self.text[at..to];
            let script = at == 0 && rest.starts_with("#!");
            let length = if script || rest.starts_with('%') {
                let line = rest.find('\n').unwrap_or(rest.len());
                rest[..line].trim_end().len()
            } else if rest.starts_with("/*") {
                gchr_chr::block_comment(rest)
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            self.push(ItemKind::Comment, at..at + length);
            at += length;
        }
    }
}

/// Reports the first bracket that has no partner.
pub(super) fn unbalanced(items: &[Item], text: &str, code: &'static str, id: SourceId) -> Option<Diagnostic> {
    let partner = |open: &str| match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    };
    let report = |item: &Item| {
        let shown = &text[item.range.clone()];
        Diagnostic::error(code, format!("`{shown}` has no partner"))
            .label(Span::new(id, item.range.start, item.range.end), "this bracket")
            .help("a program with syntax errors has no layout; `gchr check` shows all of them")
    };
    let mut open: Vec<&Item> = Vec::new();
    for item in items {
        match item.kind {
            ItemKind::Open { .. } => open.push(item),
            ItemKind::Close => match open.pop() {
                Some(other) if partner(&text[other.range.clone()]) == &text[item.range.clone()] => {}
                _ => return Some(report(item)),
            },
            ItemKind::End => {
                if let Some(item) = open.pop() {
                    return Some(report(item));
                }
            }
            _ => {}
        }
    }
    open.pop().map(report)
}
