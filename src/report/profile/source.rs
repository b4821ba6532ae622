//! The program's text, line by line, with what its rules did.

use gchr_base::ids::Id;

use super::RuleProfile;
use crate::program::Program;

/// A line of the program's text.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The text, without its end.
    pub text: String,
    /// Applications or firings of the rules that begin here; `None` when none does.
    pub applied: Option<u64>,
    /// Share of the run's time of these rules.
    pub share: f64,
}

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
