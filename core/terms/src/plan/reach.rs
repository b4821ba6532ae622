//! Leaves out functions that a term cannot come to: of libraries, a program uses a part.

use gchr_base::ids::IdVec;
use gchr_base::rule::{ExprKind, Program, RuleId, Start};
use gchr_base::signature::SymbolId;

/// What is compiled of a program.
pub(super) struct Reach {
    /// By symbol, its rules.
    pub rules: IdVec<SymbolId, Vec<RuleId>>,
    /// Whether the terms that are evaluated, and what they come to, may have a symbol.
    pub symbols: IdVec<SymbolId, bool>,
}

impl Reach {
    /// All of a program; with `only_start` what the evaluation of its own term may need. The symbols of a term that a
    /// rule makes are those of its right-hand side and of the arguments that its variables stand for.
    pub fn new(program: &Program, only_start: bool) -> Self {
        let rules = program.rules_by_symbol();
        let term = match &program.start {
            Start::Term(Some(term)) if only_start => term,
            _ => return Self { symbols: rules.iter().map(|_| true).collect(), rules },
        };
        let mut reach = Self { symbols: rules.iter().map(|_| false).collect(), rules };
        let mut todo: Vec<SymbolId> = term.symbols().collect();
        while let Some(symbol) = todo.pop() {
            if std::mem::replace(&mut reach.symbols[symbol], true) {
                continue;
            }
            for &rule in &reach.rules[symbol] {
                program.rules[rule].walk(&mut |expr| {
                    if let ExprKind::App { symbol, .. } | ExprKind::Repeat { symbol, .. } = &expr.kind {
                        todo.push(*symbol);
                    }
                });
            }
        }
        let left_out =
            reach.rules.iter_mut().zip(reach.symbols.iter()).filter(|(_, is_reached)| !**is_reached);
        left_out.for_each(|(rules, _)| rules.clear());
        reach
    }
}

/// Whether the evaluation of a program's own term may need more than three quarters of its rules. What is compiled for
/// that term alone is hardly smaller then, and is of no use to other terms.
pub fn start_needs_most(program: &Program) -> bool {
    let count = |only_start| Reach::new(program, only_start).rules.iter().map(Vec::len).sum::<usize>();
    count(true) * 4 > count(false) * 3
}
