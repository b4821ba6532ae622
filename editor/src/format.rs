//! One layout for programs: spaces between tokens, indentation, alignment. Lines stay where the author broke them, and
//! comments stay as they are.
//!
//! What separates tokens is the language's matter ([`chr`], [`trs`]); where lines begin, and what stands below each
//! other, is that of [`layout`]. A text is read again after that: it has the same tokens, or nothing is changed.

mod chr;
mod items;
mod layout;
mod trs;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_base::stack::with_large_stack;

use items::Item;

/// The languages that there is a layout for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// `.trs`.
    Terms,
    /// `.chr` and `.pl`.
    Constraints,
}

/// A program in its usual layout; the findings where it cannot be read token by token, or its brackets do not match.
pub fn format(layout: Layout, sources: &SourceMap, id: SourceId) -> Result<String, Vec<Diagnostic>> {
    let text = sources.get(id).text.as_str();
    let items = read(layout, sources, id)?;
    let made = layout::lay_out(text, &items);
    let mut again = SourceMap::new();
    let other = again.add("the new layout", made.as_str());
    let same = read(layout, &again, other)
        .is_ok_and(|found| found.iter().map(|i| i.token(&made)).eq(items.iter().map(|i| i.token(text))));
    if same { Ok(made) } else { Err(vec![changed(sources.get(id).text.len(), id)]) }
}

fn read(layout: Layout, sources: &SourceMap, id: SourceId) -> Result<Vec<Item>, Vec<Diagnostic>> {
    // Scanners that are not optimised take a frame for each comment of a row.
    let (items, diagnostics) = with_large_stack(|| match layout {
        Layout::Terms => trs::items(sources, id),
        Layout::Constraints => chr::items(sources, id),
    });
    if diagnostics.is_empty() { Ok(items) } else { Err(diagnostics) }
}

fn changed(len: usize, id: SourceId) -> Diagnostic {
    Diagnostic::error("I0007", "internal error: another layout would change the program")
        .label(Span::new(id, 0, len.min(1)), "the text stays as it is")
        .help("this is a bug of gchr, not of the program; please report it with the program")
}
