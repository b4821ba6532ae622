//! A text as it is shown: with what a terminal would obey written by its number.

use crate::escape::{code, is_hidden};

/// A text without hidden characters, and where its parts are from.
pub(super) struct Shown {
    /// The text that is shown.
    pub text: String,
    /// Where a character that was replaced ends in the whole text, and how much longer the shown text is up to there
    /// than the whole one. In order.
    replaced: Vec<(usize, isize)>,
}

impl Shown {
    /// Replaces what is hidden in a text; `None` if there is nothing to replace. Ends of lines stay, and nothing else
    /// counts as one.
    pub fn new(whole: &str) -> Option<Self> {
        let replace = |c: char| is_hidden(c) && c != '\n' && c != '\t';
        whole.find(replace)?;
        let (mut text, mut replaced) = (String::with_capacity(whole.len()), Vec::new());
        for (at, c) in whole.char_indices() {
            if !replace(c) {
                text.push(c);
                continue;
            }
            // The first half of an end of a line is none of its characters.
            if c != '\r' || whole.as_bytes().get(at + 1) != Some(&b'\n') {
                text += &code(c);
            }
            let end = at + c.len_utf8();
            replaced.push((end, text.len().wrapping_sub(end) as isize));
        }
        Some(Self { text, replaced })
    }

    /// Where a place of the whole text is in the shown one.
    pub fn map(&self, place: usize) -> usize {
        let before = self.replaced.partition_point(|&(end, _)| end <= place);
        let longer = before.checked_sub(1).map_or(0, |i| self.replaced[i].1);
        // A place inside a character is at its start.
        place.saturating_add_signed(longer).min(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_texts_stay() {
        assert!(Shown::new("a\n\tä\n").is_none());
        assert_eq!(Shown::new("a\r\n\u{202e}b\r").map(|s| s.text).as_deref(), Some("a\n\\u{202e}b\\u{d}"));
    }

    proptest! {
        #[test]
        fn places_lead_to_the_same_characters(text in "[a\\x00-\\x1f\u{85}\u{202e}\u{2028}äß\r\n]{1,40}") {
            let Some(shown) = Shown::new(&text) else { return Ok(()) };
            prop_assert!(!shown.text.contains(|c| is_hidden(c) && c != '\n' && c != '\t'));
            prop_assert_eq!(shown.text.matches('\n').count(), text.matches('\n').count());
            for (at, c) in text.char_indices() {
                let there = &shown.text[shown.map(at)..];
                let wanted = match c {
                    '\r' if text[at + 1..].starts_with('\n') => '\n'.to_string(),
                    c if is_hidden(c) && c != '\n' && c != '\t' => code(c),
                    c => c.to_string(),
                };
                prop_assert!(there.starts_with(&wanted), "{at}: {there:?}");
            }
            prop_assert_eq!(shown.map(text.len()), shown.text.len());
        }
    }
}
