//! The program's text, line by line, with what its rules did.

use gchr_base::ids::Id;

use super::RunSubject;
use super::data::{Line, RuleProfile};

/// All lines; `rules` are in the order of their ids.
pub(super) fn lines(subject: RunSubject<'_>, rules: &[RuleProfile]) -> Vec<Line> {
    let Some((main, source)) = subject.sources.iter().next() else { return Vec::new() };
    let plain = |text: &str| Line { text: text.to_string(), applied: None, share: 0.0, of_rules: 0 };
    let mut lines: Vec<Line> = source.text.lines().map(plain).collect();
    for (id, rule) in subject.rules.rules.iter_enumerated() {
        let Some(count) = rules.get(id.index()).filter(|_| rule.span.source == main) else { continue };
        let end = source.text.floor_char_boundary((rule.span.end as usize).min(source.text.len()));
        let last = source.text[..end].matches('\n').count();
        let first = (count.line - 1).min(last);
        for line in lines.iter_mut().take(last + 1).skip(first) {
            line.of_rules += count.applied;
        }
        if let Some(line) = lines.get_mut(count.line - 1) {
            line.applied = Some(line.applied.unwrap_or(0) + count.applied);
            line.share += count.share;
        }
    }
    lines
}
