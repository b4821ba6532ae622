//! Shortens very long lines of a source text, so that a diagnostic about one of them fits on a screen.

use std::ops::Range;

use crate::source::Source;

/// Lines up to so many bytes are shown whole.
const LONGEST: usize = 400;
/// Bytes shown on either side of an end of a label.
const CONTEXT: usize = 80;
/// What stands for a part left out.
const ELLIPSIS: &str = "\u{2026}";

/// Some lines of a text, those that are long cut to what lies around some places.
pub(super) struct Excerpt {
    /// The lines from that of the first place to that of the last one, shortened.
    pub text: String,
    /// Lines of the whole text before them.
    pub lines_before: usize,
    /// Where they start in the whole text.
    start: usize,
    /// What was left out: from where, and to where in the whole text. In order, apart from each other.
    gaps: Vec<Range<usize>>,
}

impl Excerpt {
    /// Cuts the lines that hold one of the `places`; `None` when there is nothing to cut. Places are at character
    /// boundaries of the text. Takes no longer where the whole text is longer: there may be as many diagnostics as
    /// there is text.
    pub fn new(source: &Source, places: impl Iterator<Item = usize>) -> Option<Self> {
        let text = &source.text;
        let mut places: Vec<usize> = places.collect();
        places.sort_unstable();
        places.dedup();
        let mut gaps: Vec<Range<usize>> = Vec::new();
        let mut shown_to = 0;
        for (i, &place) in places.iter().enumerate() {
            let line = source.line_at(place);
            if line.len() <= LONGEST {
                continue;
            }
            let from = text.floor_char_boundary(place.saturating_sub(CONTEXT));
            push_gap(&mut gaps, shown_to.max(line.start)..from);
            shown_to = text.ceil_char_boundary(place + CONTEXT).min(line.end);
            if places.get(i + 1).is_none_or(|&next| next > line.end) {
                push_gap(&mut gaps, shown_to..line.end);
            }
        }
        let (&first, &last) = places.first().zip(places.last())?;
        if gaps.is_empty() {
            return None;
        }
        let start = source.line_at(first).start;
        let mut short = String::new();
        let mut end = start;
        for gap in &gaps {
            short += &text[end..gap.start];
            short += ELLIPSIS;
            end = gap.end;
        }
        short += &text[end..source.line_at(last).end.max(end)];
        Some(Self { text: short, lines_before: source.line_of(first), start, gaps })
    }

    /// Where a place of the whole text is in the shortened one.
    pub fn map(&self, place: usize) -> usize {
        let before = self.gaps.iter().take_while(|gap| gap.end <= place);
        place - self.start - before.map(|gap| gap.len() - ELLIPSIS.len()).sum::<usize>()
    }
}

/// Leaves out a part that is longer than what stands for it.
fn push_gap(gaps: &mut Vec<Range<usize>>, gap: Range<usize>) {
    if gap.start + ELLIPSIS.len() < gap.end {
        gaps.push(gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    fn source(text: String) -> Source {
        let mut map = SourceMap::new();
        let id = map.add("a text", text);
        map.get(id).clone()
    }

    #[test]
    fn lines_of_common_length_stay() {
        let text = source(format!("{}\n{}\n", "a".repeat(LONGEST), "b".repeat(5000)));
        assert!(Excerpt::new(&text, [0, 7, LONGEST].into_iter()).is_none());
        assert!(Excerpt::new(&source(String::new()), [0].into_iter()).is_none());
    }

    #[test]
    fn places_keep_their_surroundings() {
        let text = format!("before\nx\n{}é{}\nend\n", "é".repeat(1000), "ö".repeat(3000));
        let source = source(text.clone());
        let places = [7, 9, 2009, 2011, 8011, 8012];
        for from in [0, 1, 2] {
            let places = &places[from..];
            let excerpt = Excerpt::new(&source, places.iter().copied()).expect("a long line");
            assert!(excerpt.text.len() < 800, "{}", excerpt.text.len());
            // From the line of the first place to that of the last one.
            assert_eq!(excerpt.lines_before, [1, 2, 2][from]);
            assert_eq!(excerpt.text.lines().count(), [3, 2, 2][from]);
            for &place in places {
                let short = excerpt.map(place);
                assert_eq!(excerpt.text[short..].chars().next(), text[place..].chars().next(), "{place}");
                let before = excerpt.text[..short].chars().next_back();
                assert!(before.is_none_or(|c| text[..place].ends_with(c)), "{place}");
            }
        }
    }
}
