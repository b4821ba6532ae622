//! Rules of one function that both match some term and make different terms of it.
//!
//! Rules are tried in textual order, so an overlap is legal, but then the order carries meaning that is easily lost
//! when rules are moved. Not reported, because the order is certainly meant: an earlier rule that is a special case of
//! the later one, an overlap that still earlier rules take away, and right-hand sides that are the same term on the
//! overlap. Rules with conditions, values behind `whr` or repeated variables are left out: whether they overlap depends
//! on more than patterns.

use gchr_base::cases::{Effort, Matrix, Question, Values};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Body, Expr, ExprKind, Pattern, PatternKind, Program, RuleId, Var, VarId};
use gchr_base::source::Span;

use crate::check::Checked;

use super::coverage::is_instance;
use super::index::Index;
use super::{Case, Function, show};

/// Warns of overlapping rules: once a rule, with the first of the earlier rules that it overlaps.
pub(crate) fn overlapping_rules(
    checked: &Checked,
    functions: &[Function<'_>],
    values: &Values,
    unreachable: &HashSet<RuleId>,
    effort: &Effort,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let program = &checked.program;
    let mut names = None;
    for function in functions {
        let left_out = |id: &RuleId| unreachable.contains(id) || checked.otherwise.contains(id);
        let looked_at =
            |case: &&Case<'_>| case.certain() && case.rule.guard.is_empty() && !left_out(&case.id);
        let cases: Vec<&Case<'_>> = function.cases.iter().filter(looked_at).collect();
        let mut index = Index::default();
        for later in &cases {
            if effort.exhausted() {
                return;
            }
            let candidates: Vec<usize> = index.candidates(later.args).collect();
            if !effort.spend(candidates.len()) {
                return;
            }
            let overlaps = candidates.iter().enumerate().filter_map(|(n, &at)| {
                let overlap = conflict(cases[at], later, effort)?;
                let before = candidates[..n].iter().map(|&at| cases[at]);
                reached(program, before, &overlap, values, effort).then_some((at, overlap))
            });
            let mut overlaps: Vec<(usize, Overlap)> = overlaps.take(MOST_OVERLAPS).collect();
            let more = overlaps.len().saturating_sub(1);
            if let Some((i, overlap)) = overlaps.first_mut() {
                let names = names.get_or_insert_with(|| names_of(program));
                let variables = cases[*i].rule.vars.len() + later.rule.vars.len();
                if !effort.spend(overlap.vars.len() * variables) {
                    return;
                }
                let fresh = overlap.rename_apart([cases[*i], later], names);
                // Behind all others, the attribute changes no result.
                let is_last = function.cases.last().is_some_and(|last| last.id == later.id);
                let found = warning(program, function, [cases[*i], later], overlap, &fresh, more);
                diagnostics.push(found.note(if is_last { WAYS_OUT_OF_THE_LAST } else { WAYS_OUT }));
            }
            index.push(later.args);
        }
    }
}

/// Terms that two left-hand sides both match.
struct Overlap {
    args: Vec<Pattern>,
    vars: IdVec<VarId, Var>,
}

/// Names of symbols, and of variables of rules.
fn names_of(program: &Program) -> HashSet<&str> {
    let symbols = program.signature.symbols.iter().map(|symbol| symbol.name.as_str());
    symbols
        .chain(program.rules.iter().flat_map(|rule| rule.vars.iter().map(|var| var.name.as_str())))
        .collect()
}

impl Overlap {
    /// Gives each variable a name of its own, so that the text stands for the whole overlap: variables of two rules are
    /// different also when they have one name. Names of the rules' variables of the same sort come first, then new
    /// ones; gives the latter.
    fn rename_apart(&mut self, rules: [&Case<'_>; 2], names: &HashSet<&str>) -> Vec<VarId> {
        let declared = rules.map(|case| &case.rule.vars);
        // Where a name is declared twice, the equation stands behind the first declaration.
        let fits =
            |var: &Var| declared[0].iter().all(|other| other.name != var.name || other.sort == var.sort);
        let mut used: HashSet<String> = HashSet::default();
        let kept: Vec<bool> =
            self.vars.iter().map(|var| fits(var) && used.insert(var.name.clone())).collect();
        let mut fresh = Vec::new();
        for id in self.vars.ids().filter(|id| !kept[id.0 as usize]).collect::<Vec<_>>() {
            let sort = self.vars[id].sort;
            let mut candidates = declared.iter().flat_map(|vars| vars.iter());
            let known = candidates.find(|var| var.sort == sort && fits(var) && !used.contains(&var.name));
            let name = known.map(|var| var.name.clone()).unwrap_or_else(|| {
                fresh.push(id);
                let mut name = format!("{}'", self.vars[id].name);
                while names.contains(name.as_str()) || used.contains(&name) {
                    name.push('\'');
                }
                name
            });
            used.insert(name.clone());
            self.vars[id].name = name;
        }
        fresh
    }
}

/// The overlap of two rules if it makes a difference which one is tried first.
fn conflict(earlier: &Case<'_>, later: &Case<'_>, effort: &Effort) -> Option<Overlap> {
    if !effort.spend(earlier.size + later.size) || is_instance(earlier.args, later.args) {
        return None;
    }
    let mut meet = Meet::new(earlier, later);
    let args = meet.all(earlier.args, later.args)?;
    let (Body::Replace(first), Body::Replace(second)) = (&earlier.rule.body, &later.rule.body) else {
        return None;
    };
    let place = first.span;
    let first = instantiate(first, &meet.sides[0], place);
    let second = instantiate(second, &meet.sides[1], place);
    (first != second).then_some(Overlap { args, vars: meet.vars })
}

/// Whether some term of the overlap gets past all rules before both; no, when it takes too long to say.
fn reached<'p>(
    program: &Program,
    before: impl Iterator<Item = &'p Case<'p>>,
    overlap: &Overlap,
    values: &Values,
    effort: &Effort,
) -> bool {
    let mut matrix = Matrix::new(&program.signature, values, effort);
    for case in before {
        if !effort.spend(1 + case.args.len()) {
            return false;
        }
        matrix.push(case.args);
    }
    matches!(matrix.useful(&overlap.args), Question::Yes(_))
}

/// So many of the earlier rules that overlap one rule are counted.
const MOST_OVERLAPS: usize = 10;

/// How else a program or a user says that the order is meant.
const WAYS_OUT: &str = "`gchr check --allow T0502` leaves such warnings out";
const WAYS_OUT_OF_THE_LAST: &str = "`[owise]` behind the later one says that it is meant, too; \
                                    `gchr check --allow T0502` leaves such warnings out";

/// Longest equation that is proposed, in bytes.
const LONGEST: usize = 1_000;

/// `fresh`: variables of the overlap that are declared nowhere.
fn warning(
    program: &Program,
    function: &Function<'_>,
    [earlier, later]: [&Case<'_>; 2],
    overlap: &Overlap,
    fresh: &[VarId],
    more: usize,
) -> Diagnostic {
    let signature = &program.signature;
    let name = &signature.symbols[function.symbol].name;
    let shown = |longest| show::redex(signature, function.symbol, &overlap.args, &overlap.vars, longest);
    let common = shown(show::LONGEST);
    let mut warning = Diagnostic::warning(
        "T0502",
        format!("the order of two rules of `{name}` decides what `{common}` becomes"),
    )
    .label(later.rule.heads[0].span, format!("also matches `{common}`"))
    .label(earlier.rule.heads[0].span, "is tried first");
    if more > 0 {
        let least = if more + 1 == MOST_OVERLAPS { "at least " } else { "" };
        warning = warning.note(format!("the same holds for {least}{more} more of the rules before it"));
    }
    let declared = fresh.iter().map(|&id| {
        let var = &overlap.vars[id];
        format!("`var {}: {};`", var.name, signature.sorts[var.sort].name)
    });
    let declared: Vec<String> = declared.collect();
    let with = if declared.is_empty() { String::new() } else { format!(", with {}", declared.join(" ")) };
    let equation = shown(LONGEST);
    warning.help(format!("if the order is meant, say so by an equation for `{equation}` before both{with}"))
}

/// The common instance of two linear left-hand sides whose variables are different.
struct Meet<'p> {
    declared: [&'p IdVec<VarId, Var>; 2],
    /// For each variable of either rule what it is in the common instance.
    sides: [Vec<Option<Pattern>>; 2],
    /// Variables of the common instance.
    vars: IdVec<VarId, Var>,
}

impl<'p> Meet<'p> {
    fn new(a: &'p Case<'_>, b: &'p Case<'_>) -> Self {
        let declared = [&a.rule.vars, &b.rule.vars];
        Self { declared, sides: declared.map(|vars| vec![None; vars.len()]), vars: IdVec::new() }
    }

    fn all(&mut self, a: &[Pattern], b: &[Pattern]) -> Option<Vec<Pattern>> {
        a.iter().zip(b).map(|(a, b)| self.one(a, b)).collect()
    }

    fn one(&mut self, a: &Pattern, b: &Pattern) -> Option<Pattern> {
        match (&a.kind, &b.kind) {
            (PatternKind::Var(x), _) => {
                let copy = self.copy(1, b);
                self.sides[0][x.0 as usize] = Some(copy.clone());
                Some(copy)
            }
            (_, PatternKind::Var(y)) => {
                let copy = self.copy(0, a);
                self.sides[1][y.0 as usize] = Some(copy.clone());
                Some(copy)
            }
            (PatternKind::Const(c), PatternKind::Const(d)) => (c == d).then(|| a.clone()),
            (PatternKind::App { symbol: f, args: xs }, PatternKind::App { symbol: g, args: ys })
                if f == g =>
            {
                let args = self.all(xs, ys)?;
                Some(Pattern { kind: PatternKind::App { symbol: *f, args }, sort: a.sort, span: a.span })
            }
            _ => None,
        }
    }

    /// A pattern of one side in variables of the common instance.
    fn copy(&mut self, side: usize, pattern: &Pattern) -> Pattern {
        let kind = match &pattern.kind {
            PatternKind::Var(var) => {
                let fresh = self.vars.push(self.declared[side][*var].clone());
                let copy = Pattern { kind: PatternKind::Var(fresh), ..pattern.clone() };
                self.sides[side][var.0 as usize] = Some(copy.clone());
                return copy;
            }
            PatternKind::App { symbol, args } => {
                let args = args.iter().map(|arg| self.copy(side, arg)).collect();
                PatternKind::App { symbol: *symbol, args }
            }
            other => other.clone(),
        };
        Pattern { kind, sort: pattern.sort, span: pattern.span }
    }
}

/// A right-hand side in variables of the common instance; all places are `span`, so that equal terms compare equal.
fn instantiate(expr: &Expr, bound: &[Option<Pattern>], span: Span) -> Expr {
    let each = |args: &[Expr]| args.iter().map(|arg| instantiate(arg, bound, span)).collect();
    let kind = match &expr.kind {
        ExprKind::Var(var) => match &bound[var.0 as usize] {
            Some(pattern) => return built(pattern, span),
            None => ExprKind::Var(*var),
        },
        ExprKind::Const(c) => ExprKind::Const(*c),
        ExprKind::App { symbol, args } => ExprKind::App { symbol: *symbol, args: each(args) },
        ExprKind::Op { op, args } => ExprKind::Op { op: *op, args: each(args) },
        ExprKind::Repeat { symbol, count, arg } => {
            ExprKind::Repeat { symbol: *symbol, count: *count, arg: Box::new(instantiate(arg, bound, span)) }
        }
    };
    Expr { kind, sort: expr.sort, span }
}

fn built(pattern: &Pattern, span: Span) -> Expr {
    let kind = match &pattern.kind {
        // The frontend makes no wildcards; were there one, it would differ from every other term.
        PatternKind::Wild => ExprKind::Var(VarId(u32::MAX)),
        PatternKind::Var(var) => ExprKind::Var(*var),
        PatternKind::Const(c) => ExprKind::Const(*c),
        PatternKind::App { symbol, args } => {
            ExprKind::App { symbol: *symbol, args: args.iter().map(|arg| built(arg, span)).collect() }
        }
    };
    Expr { kind, sort: pattern.sort, span }
}
