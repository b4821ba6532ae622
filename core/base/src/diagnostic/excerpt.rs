//! Shortens very long lines of a source text, so that a diagnostic about one of them fits on a screen.

use std::ops::Range;

/// Lines up to so many bytes are shown whole.
const LONGEST: usize = 400;
/// Bytes shown on either side of an end of a label.
const CONTEXT: usize = 80;
/// What stands for a part left out.
const ELLIPSIS: &str = "\u{2026}";

/// A text whose long lines are cut to what lies around some places, up to the line of the last one; line numbers stay.
pub(super) struct Excerpt {
    /// The shortened text.
    pub text: String,
    /// What was left out: from where, and to where in the whole text. In order, apart from each other.
    gaps: Vec<Range<usize>>,
}

impl Excerpt {
    /// Cuts the lines that hold one of the `places`; `None` when there is nothing to cut. Places are at character
    /// boundaries of `text`.
    pub fn new(text: &str, places: impl Iterator<Item = usize>) -> Option<Self> {
        let mut places: Vec<usize> = places.collect();
        places.sort_unstable();
        places.dedup();
        let mut gaps: Vec<Range<usize>> = Vec::new();
        let mut shown_to = 0;
        for (i, &place) in places.iter().enumerate() {
            let line = line_at(text, place);
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
        if gaps.is_empty() {
            return None;
        }
        let mut short = String::new();
        let mut end = 0;
        for gap in &gaps {
            short += &text[end..gap.start];
            short += ELLIPSIS;
            end = gap.end;
        }
        let last = places.last().map_or(text.len(), |&place| line_at(text, place).end);
        short += &text[end..last.max(end)];
        Some(Self { text: short, gaps })
    }

    /// Where a place of the whole text is in the shortened one.
    pub fn map(&self, place: usize) -> usize {
        let before = self.gaps.iter().take_while(|gap| gap.end <= place);
        place - before.map(|gap| gap.len() - ELLIPSIS.len()).sum::<usize>()
    }
}

/// Leaves out a part that is longer than what stands for it.
fn push_gap(gaps: &mut Vec<Range<usize>>, gap: Range<usize>) {
    if gap.start + ELLIPSIS.len() < gap.end {
        gaps.push(gap);
    }
}

/// The line around a place, without its end.
fn line_at(text: &str, place: usize) -> Range<usize> {
    let start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    start..text[place..].find('\n').map_or(text.len(), |at| place + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_common_length_stay() {
        let text = format!("{}\n{}\n", "a".repeat(LONGEST), "b".repeat(5000));
        assert!(Excerpt::new(&text, [0, 7, LONGEST].into_iter()).is_none());
        assert!(Excerpt::new("", [0].into_iter()).is_none());
    }

    #[test]
    fn places_keep_their_surroundings() {
        let text = format!("x\n{}é{}\nend\n", "é".repeat(1000), "ö".repeat(3000));
        let places = [2, 2002, 2004, 8004, 8005];
        let excerpt = Excerpt::new(&text, places.into_iter()).expect("a long line");
        assert!(excerpt.text.len() < 800, "{}", excerpt.text.len());
        assert_eq!(excerpt.text.lines().count(), 3);
        for place in places {
            let short = excerpt.map(place);
            assert_eq!(excerpt.text[short..].chars().next(), text[place..].chars().next(), "{place}");
            assert_eq!(
                excerpt.text[..short].chars().next_back(),
                text[..place].chars().next_back(),
                "{place}"
            );
        }
    }
}
