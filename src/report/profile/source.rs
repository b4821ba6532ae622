//! The program's text, line by line, with what its rules did.

use gchr_base::ids::Id;

use super::data::{Line, RuleProfile};
use crate::program::Program;

/// All lines; `rules` are in the order of their ids.
pub(super) fn lines(program: &Program, rules: &[RuleProfile]) -> Vec<Line> {
    let Some((main, source)) = program.sources.iter().next() else { return Vec::new() };
    let plain = |text: &str| Line { text: text.to_string(), applied: None, share: 0.0 };
    let mut lines: Vec<Line> = source.text.lines().map(plain).collect();
    for (id, rule) in program.rules.rules.iter_enumerated() {
        let Some(count) = rules.get(id.index()).filter(|_| rule.span.source == main) else { continue };
        if let Some(line) = lines.get_mut(count.line - 1) {
            line.applied = Some(line.applied.unwrap_or(0) + count.applied);
            line.share += count.share;
        }
    }
    lines
}
