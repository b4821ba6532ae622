//! From rules to decision trees: one test a column, textual rule order kept.
//!
//! The matrix method of Luc Maranget, "Compiling Pattern Matching to Good Decision Trees" (ML 2008): rows are rules, columns are
//! values not yet inspected; a column that the first row needs is tested, and the matrix is specialised for each outcome.
//! A tree can be exponential in the number of rows; [`compile`] then splits the rows into groups that are tried one after
//! the other, which keeps the code linear.

use crate::plan::ir::{Function, LocalId};
use crate::plan::layout::Layout;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::rule::{Const, Head, HeadAtom, Pattern, PatternKind, Program, RuleId, VarId};
use gchr_base::signature::SymbolId;

/// A decision tree for a group of rules.
#[derive(Debug)]
pub(super) enum Tree {
    /// No rule of the group matches.
    Fail,
    /// A rule matches, provided that its checks and its guard hold.
    Leaf(Leaf),
    /// By the head symbol of a value.
    Switch { on: LocalId, arms: Vec<(SymbolId, Vec<LocalId>, Tree)>, default: Option<Box<Tree>> },
    /// Whether a number is a constant.
    Equal { on: LocalId, constant: Const, then: Box<Tree>, otherwise: Box<Tree> },
}

/// A row of which everything but checks and guard has matched.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) rule: RuleId,
    pub(super) binds: Vec<(VarId, LocalId)>,
    /// Pairs that must be structurally equal: occurrences of one variable.
    pub(super) checks: Vec<(LocalId, LocalId)>,
    /// Where to go when checks or guard fail; `None` when the rule has neither.
    pub(super) otherwise: Option<Box<Tree>>,
}

#[derive(Clone)]
struct Row<'a> {
    rule: RuleId,
    /// Columns that are still to be tested, with constructor or constant patterns only.
    tests: Vec<(LocalId, &'a Pattern)>,
    binds: Vec<(VarId, LocalId)>,
    checks: Vec<(LocalId, LocalId)>,
}

/// The tree has more nodes than its budget.
struct TooBig;

/// Decision trees for the rules, in groups of consecutive rules: where one fails, the next goes on. Locals for fields are
/// added to `function`, whose parameters are the columns.
pub(super) fn compile(
    program: &Program,
    layout: &Layout,
    function: &mut Function,
    rules: &[RuleId],
) -> Vec<(Vec<RuleId>, Tree)> {
    if rules.is_empty() {
        return Vec::new();
    }
    let rows: Vec<Row<'_>> =
        rules.iter().filter_map(|&rule| Row::new(program, layout, function, rule)).collect();
    let mut nodes = 0;
    for row in &rows {
        row.tests.iter().for_each(|(_, p)| p.walk(&mut |_| nodes += 1));
    }
    let mut build = Build { program, layout, budget: 64 + 16 * nodes, single: rules.len() == 1, function };
    match build.tree(rows, 0) {
        Ok(tree) => vec![(rules.to_vec(), tree)],
        Err(TooBig) => {
            let (first, second) = rules.split_at(rules.len() / 2);
            let mut groups = compile(program, layout, function, first);
            groups.extend(compile(program, layout, function, second));
            groups
        }
    }
}

/// Whether some path fails, or may fail because checks or guards do not hold.
pub(super) fn can_fail(tree: &Tree) -> bool {
    match tree {
        Tree::Fail => true,
        Tree::Leaf(leaf) => leaf.otherwise.as_deref().is_some_and(can_fail),
        Tree::Switch { arms, default, .. } => {
            arms.iter().any(|(_, _, t)| can_fail(t)) || default.as_deref().is_some_and(can_fail)
        }
        Tree::Equal { then, otherwise, .. } => can_fail(then) || can_fail(otherwise),
    }
}

impl<'a> Row<'a> {
    fn new(program: &'a Program, layout: &Layout, function: &Function, rule: RuleId) -> Option<Self> {
        let [Head { atom: HeadAtom::Term { args, .. }, .. }] = program.rules[rule].heads.as_slice() else {
            return None;
        };
        let mut row = Row { rule, tests: Vec::new(), binds: Vec::new(), checks: Vec::new() };
        for (pattern, &param) in args.iter().zip(&function.region.params) {
            row.add(layout, param, pattern)?;
        }
        Some(row)
    }

    /// `None` when no normal form matches.
    fn add(&mut self, layout: &Layout, on: LocalId, pattern: &'a Pattern) -> Option<()> {
        match &pattern.kind {
            PatternKind::Wild => {}
            PatternKind::Var(var) => match self.binds.iter().find(|(v, _)| v == var) {
                Some(&(_, first)) => self.checks.push((first, on)),
                None => self.binds.push((*var, on)),
            },
            PatternKind::App { symbol, .. } if layout.tag(*symbol).is_none() => return None,
            PatternKind::Const(_) | PatternKind::App { .. } => self.tests.push((on, pattern)),
        }
        Some(())
    }

    fn test(&self, on: LocalId) -> Option<&'a Pattern> {
        self.tests.iter().find(|(l, _)| *l == on).map(|(_, p)| *p)
    }

    fn without(mut self, on: LocalId) -> Self {
        self.tests.retain(|(l, _)| *l != on);
        self
    }
}

struct Build<'a, 'b> {
    program: &'a Program,
    layout: &'a Layout,
    function: &'b mut Function,
    budget: usize,
    /// One rule: its tree is linear, however deep.
    single: bool,
}

/// Trees are walked by recursion, so that a chain of constants must not get too deep.
const MAX_DEPTH: usize = 200;

impl<'a> Build<'a, '_> {
    fn tree(&mut self, mut rows: Vec<Row<'a>>, depth: usize) -> Result<Tree, TooBig> {
        if !self.single {
            self.budget = self.budget.checked_sub(1).ok_or(TooBig)?;
            if depth > MAX_DEPTH {
                return Err(TooBig);
            }
        }
        let Some(first) = rows.first() else { return Ok(Tree::Fail) };
        if first.tests.is_empty() {
            let first = rows.remove(0);
            let conditional = !first.checks.is_empty() || !self.program.rules[first.rule].guard.is_empty();
            let otherwise = if conditional { Some(Box::new(self.tree(rows, depth + 1)?)) } else { None };
            let Row { rule, binds, checks, .. } = first;
            return Ok(Tree::Leaf(Leaf { rule, binds, checks, otherwise }));
        }
        let on = choose_column(&rows);
        match rows[0].test(on).map(|p| &p.kind) {
            Some(PatternKind::Const(c)) => self.equal(rows, on, *c, depth),
            _ => self.switch(rows, on, depth),
        }
    }

    fn equal(
        &mut self,
        rows: Vec<Row<'a>>,
        on: LocalId,
        constant: Const,
        depth: usize,
    ) -> Result<Tree, TooBig> {
        let is =
            |row: &Row<'a>| row.test(on).map(|p| matches!(&p.kind, PatternKind::Const(c) if *c == constant));
        let then = rows.iter().filter(|r| is(r) != Some(false)).map(|r| r.clone().without(on)).collect();
        let otherwise = rows.into_iter().filter(|r| is(r) != Some(true)).collect();
        Ok(Tree::Equal {
            on,
            constant,
            then: Box::new(self.tree(then, depth + 1)?),
            otherwise: Box::new(self.tree(otherwise, depth + 1)?),
        })
    }

    fn switch(&mut self, rows: Vec<Row<'a>>, on: LocalId, depth: usize) -> Result<Tree, TooBig> {
        let sort = self.function.sort(on);
        let variants = self.layout.sorts[sort].variants.len();
        let mut symbols: Vec<(u32, SymbolId)> = rows
            .iter()
            .filter_map(|row| match &row.test(on)?.kind {
                PatternKind::App { symbol, .. } => Some((self.layout.tag(*symbol)?, *symbol)),
                _ => None,
            })
            .collect();
        symbols.sort_unstable();
        symbols.dedup();
        // The rows of each arm: those with its symbol, and those without a test, in order.
        let arm_of: HashMap<SymbolId, usize> =
            symbols.iter().enumerate().map(|(at, &(_, symbol))| (symbol, at)).collect();
        let mut rows_of: Vec<Vec<&Row<'a>>> = symbols.iter().map(|_| Vec::new()).collect();
        for row in &rows {
            match row.test(on).map(|p| &p.kind) {
                Some(PatternKind::App { symbol, .. }) => rows_of[arm_of[symbol]].push(row),
                _ => rows_of.iter_mut().for_each(|of| of.push(row)),
            }
        }
        let mut arms = Vec::with_capacity(symbols.len());
        for (&(_, symbol), rows) in symbols.iter().zip(&rows_of) {
            let fields = self.fields(rows, on, symbol);
            let specialised =
                rows.iter().filter_map(|row| specialise(self.layout, row, on, symbol, &fields)).collect();
            let tree = self.tree(specialised, depth + 1)?;
            arms.push((symbol, fields, tree));
        }
        drop(rows_of);
        let default = if arms.len() < variants {
            let others = rows.into_iter().filter(|row| row.test(on).is_none()).collect();
            Some(Box::new(self.tree(others, depth + 1)?))
        } else {
            None
        };
        Ok(Tree::Switch { on, arms, default })
    }

    /// Locals for the fields of `symbol`, named after variables that the rows have there.
    fn fields(&mut self, rows: &[&Row<'a>], on: LocalId, symbol: SymbolId) -> Vec<LocalId> {
        let sorts = &self.program.signature.symbols[symbol].args;
        let name = |i: usize| {
            rows.iter().find_map(|row| match &row.test(on)?.kind {
                PatternKind::App { symbol: s, args } if *s == symbol => match args.get(i)?.kind {
                    PatternKind::Var(v) => Some(self.program.rules[row.rule].vars[v].name.to_lowercase()),
                    _ => None,
                },
                _ => None,
            })
        };
        let names: Vec<String> = (0..sorts.len()).map(|i| name(i).unwrap_or_else(|| "v".into())).collect();
        names.into_iter().zip(sorts).map(|(name, &sort)| self.function.local(name, sort)).collect()
    }
}

fn specialise<'a>(
    layout: &Layout,
    row: &Row<'a>,
    on: LocalId,
    symbol: SymbolId,
    fields: &[LocalId],
) -> Option<Row<'a>> {
    let Some(pattern) = row.test(on) else { return Some(row.clone()) };
    match &pattern.kind {
        PatternKind::App { symbol: s, args } if *s == symbol => {
            let mut row = row.clone().without(on);
            for (p, &field) in args.iter().zip(fields) {
                row.add(layout, field, p)?;
            }
            Some(row)
        }
        _ => None,
    }
}

/// A column that the first row needs: the one that most of the rows below need too without a gap, the leftmost of these.
fn choose_column(rows: &[Row<'_>]) -> LocalId {
    let mut best: Vec<LocalId> = rows[0].tests.iter().map(|&(on, _)| on).collect();
    for row in &rows[1..] {
        if best.len() == 1 {
            break;
        }
        let needed: HashSet<LocalId> = row.tests.iter().map(|&(on, _)| on).collect();
        let left: Vec<LocalId> = best.iter().copied().filter(|on| needed.contains(on)).collect();
        if left.is_empty() {
            break;
        }
        best = left;
    }
    best[0]
}
