//! Warnings: rules and declarations that are probably not what was meant. Only for programs without errors.
//!
//! The questions about patterns are exact, hence expensive in the worst case; an [`Effort`] bounds them, and what is
//! not decided in time is not warned of.

mod coverage;
mod endless;
mod index;
mod overlap;
mod show;
mod usage;
mod values;

use gchr_base::cases::Effort;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;
use gchr_base::rule::{GoalKind, HeadAtom, Pattern, PatternKind, Program, Rule, RuleId};
use gchr_base::signature::{SymbolId, SymbolKind};

use crate::check::Checked;

/// All warnings for a checked program, in no order.
pub(crate) fn analyse(checked: &Checked) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let program = &checked.program;
    usage::variables(checked, &mut diagnostics);
    usage::symbols_and_sorts(checked, &mut diagnostics);
    let functions = functions(program);
    let effort = effort_for(&functions);
    coverage::missing_cases(checked, &functions, &effort, &mut diagnostics);
    let values = match checked.strategy.is_eager() {
        true => values::with_stuck_terms(program, &functions, &effort),
        false => values::all_terms(program),
    };
    // Of what is not evaluated, a term may contain itself.
    if checked.strategy.is_eager() {
        endless::rules(checked, &functions, (&values, &effort), &mut diagnostics);
    }
    let unreachable = coverage::unreachable_rules(program, &functions, &values, &effort, &mut diagnostics);
    overlap::overlapping_rules(checked, &functions, &values, &unreachable, &effort, &mut diagnostics);
    say_once(&mut diagnostics);
    if effort.exhausted() {
        tracing::debug!("too many rules for the whole static analysis");
    }
    diagnostics
}

/// What is found in several instances of one declaration or equation is said once.
fn say_once(diagnostics: &mut Vec<Diagnostic>) {
    let mut said = HashSet::default();
    diagnostics.retain(|found| {
        let places = found.labels.iter().map(|label| label.span);
        said.insert((found.code, places.collect::<Vec<_>>()))
    });
}

/// Steps in proportion to the left-hand sides.
fn effort_for(functions: &[Function<'_>]) -> Effort {
    let size: usize = functions.iter().flat_map(|function| &function.cases).map(|case| case.size).sum();
    Effort::new(2_000_000 + 64 * size as u64)
}

/// A rule as the analysis sees it.
pub(crate) struct Case<'p> {
    pub id: RuleId,
    pub rule: &'p Rule,
    pub args: &'p [Pattern],
    /// No variable occurs twice in the left-hand side.
    pub linear: bool,
    /// Symbols, constants and variables of the left-hand side.
    pub size: usize,
}

impl Case<'_> {
    /// Whether matching its left-hand side, variables taken as different, is enough for the rule to apply.
    pub fn certain(&self) -> bool {
        self.linear && self.rule.guard.iter().all(|goal| matches!(goal.kind, GoalKind::Bind { .. }))
    }
}

/// A defined function with its rules in textual order.
pub(crate) struct Function<'p> {
    pub symbol: SymbolId,
    pub cases: Vec<Case<'p>>,
}

fn functions(program: &Program) -> Vec<Function<'_>> {
    let mut cases: Vec<Vec<Case<'_>>> = program.signature.symbols.iter().map(|_| Vec::new()).collect();
    for (id, rule) in program.rules.iter_enumerated() {
        if let Some(HeadAtom::Term { symbol, args }) = rule.heads.first().map(|head| &head.atom) {
            let mut size = 1;
            args.iter().for_each(|arg| arg.walk(&mut |_| size += 1));
            cases[symbol.0 as usize].push(Case { id, rule, args, linear: is_linear(args), size });
        }
    }
    let symbols = program.signature.symbols.iter_enumerated().zip(cases);
    symbols
        .filter(|((_, symbol), _)| symbol.kind == SymbolKind::Defined)
        .map(|((symbol, _), cases)| Function { symbol, cases })
        .collect()
}

fn is_linear(args: &[Pattern]) -> bool {
    let mut seen = HashSet::default();
    let mut linear = true;
    args.iter().for_each(|arg| {
        arg.walk(&mut |pattern| {
            if let PatternKind::Var(var) = pattern.kind {
                linear &= seen.insert(var);
            }
        });
    });
    linear
}
