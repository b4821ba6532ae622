//! The rows of a pattern matrix, which are changed in place while a tree is built and changed back afterwards.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::plan::ir::{Function, LocalId};
use crate::plan::layout::Layout;
use gchr_base::rule::{ExprKind, GoalKind, Head, HeadAtom, Pattern, PatternKind, Program, RuleId, VarId};

/// A rule, as far as it has been matched.
#[derive(Clone)]
pub(super) struct Row<'a> {
    pub(super) rule: RuleId,
    /// Columns that are still to be tested, in order, with constructor or constant patterns only.
    pub(super) tests: BTreeMap<LocalId, &'a Pattern>,
    /// The variables bound so far, of those that are needed.
    binds: BTreeMap<VarId, LocalId>,
    pub(super) checks: Vec<(LocalId, LocalId)>,
    /// By variable: whether guard or right-hand side needs it, or it occurs again.
    needed: Rc<[bool]>,
}

/// The rows of a group.
pub(super) struct Rows<'a> {
    rows: Vec<Row<'a>>,
    layout: &'a Layout,
}

/// How a row was before a column was taken apart.
pub(super) struct Before<'a> {
    row: usize,
    pattern: &'a Pattern,
    bound: Vec<VarId>,
    checks: usize,
}

impl<'a> Rows<'a> {
    /// Of rules of a symbol whose function has these parameters. Rules that match no normal form have none.
    pub(super) fn new(
        program: &'a Program,
        layout: &'a Layout,
        function: &Function,
        rules: &[RuleId],
    ) -> Self {
        let mut rows = Self { rows: Vec::with_capacity(rules.len()), layout };
        for &rule in rules {
            let [Head { atom: HeadAtom::Term { args, .. }, .. }] = program.rules[rule].heads.as_slice()
            else {
                continue;
            };
            let (tests, binds, checks) = Default::default();
            rows.rows.push(Row { rule, tests, binds, checks, needed: needed(program, rule) });
            let at = rows.rows.len() - 1;
            if !rows.add(at, &function.region.params, args, &mut Vec::new()) {
                rows.rows.pop();
            }
        }
        rows
    }

    /// Some of the rows, with other names for locals.
    pub(super) fn renamed(&self, of: &[usize], name: &dyn Fn(LocalId) -> LocalId) -> Self {
        let rename = |&at: &usize| {
            let row = &self.rows[at];
            Row {
                rule: row.rule,
                tests: row.tests.iter().map(|(&on, &pattern)| (name(on), pattern)).collect(),
                binds: row.binds.iter().map(|(&var, &local)| (var, name(local))).collect(),
                checks: row.checks.iter().map(|&(a, b)| (name(a), name(b))).collect(),
                needed: row.needed.clone(),
            }
        };
        Self { rows: of.iter().map(rename).collect(), layout: self.layout }
    }

    /// All rows by their numbers, in textual order.
    pub(super) fn all(&self) -> Vec<usize> {
        (0..self.rows.len()).collect()
    }

    pub(super) fn row(&self, at: usize) -> &Row<'a> {
        &self.rows[at]
    }

    /// The pattern that a row has for a column that is still to be tested.
    pub(super) fn test(&self, at: usize, on: LocalId) -> Option<&'a Pattern> {
        self.rows[at].tests.get(&on).copied()
    }

    /// Takes the patterns below the column `on` of a row for the columns of its fields. `None`, and nothing changed,
    /// when no normal form matches.
    pub(super) fn open(&mut self, row: usize, on: LocalId, fields: &[LocalId]) -> Option<Before<'a>> {
        let pattern = self.rows[row].tests.remove(&on)?;
        let mut before = Before { row, pattern, bound: Vec::new(), checks: self.rows[row].checks.len() };
        if self.add(row, fields, args(pattern), &mut before.bound) {
            return Some(before);
        }
        self.close(before, on, fields);
        None
    }

    /// Undoes [`open`](Self::open).
    pub(super) fn close(&mut self, before: Before<'a>, on: LocalId, fields: &[LocalId]) {
        let row = &mut self.rows[before.row];
        fields.iter().for_each(|field| {
            row.tests.remove(field);
        });
        before.bound.iter().for_each(|var| {
            row.binds.remove(var);
        });
        row.checks.truncate(before.checks);
        row.tests.insert(on, before.pattern);
    }

    /// Patterns of columns. False when no normal form matches.
    fn add(
        &mut self,
        at: usize,
        columns: &[LocalId],
        patterns: &'a [Pattern],
        bound: &mut Vec<VarId>,
    ) -> bool {
        let row = &mut self.rows[at];
        for (pattern, &on) in patterns.iter().zip(columns) {
            match &pattern.kind {
                PatternKind::Wild => {}
                PatternKind::Var(var) if !row.needed[var.0 as usize] => {}
                PatternKind::Var(var) => match row.binds.get(var) {
                    Some(&first) => row.checks.push((first, on)),
                    None => {
                        row.binds.insert(*var, on);
                        bound.push(*var);
                    }
                },
                PatternKind::App { symbol, .. } if self.layout.tag(*symbol).is_none() => return false,
                PatternKind::Const(_) | PatternKind::App { .. } => {
                    row.tests.insert(on, pattern);
                }
            }
        }
        true
    }
}

impl Row<'_> {
    /// The variables bound so far.
    pub(super) fn binds(&self) -> impl Iterator<Item = (VarId, LocalId)> + '_ {
        self.binds.iter().map(|(&var, &local)| (var, local))
    }

    /// How much a copy of it holds.
    pub(super) fn size(&self) -> usize {
        1 + self.tests.len() + self.binds.len() + self.checks.len()
    }

    /// The locals that the rest of the decision needs.
    pub(super) fn locals(&self) -> impl Iterator<Item = LocalId> + '_ {
        let checked = self.checks.iter().flat_map(|&(a, b)| [a, b]);
        self.tests.keys().copied().chain(self.binds.values().copied()).chain(checked)
    }
}

fn args(pattern: &Pattern) -> &[Pattern] {
    match &pattern.kind {
        PatternKind::App { args, .. } => args,
        _ => &[],
    }
}

/// By variable of a rule: whether its value matters.
fn needed(program: &Program, rule: RuleId) -> Rc<[bool]> {
    let rule = &program.rules[rule];
    let mut needed = vec![false; rule.vars.len()];
    rule.walk(&mut |expr| {
        if let ExprKind::Var(var) = expr.kind {
            needed[var.0 as usize] = true;
        }
    });
    for goal in &rule.guard {
        // A variable that the head binds stands for an equal value in the pattern of a condition.
        let GoalKind::Match { pattern, .. } = &goal.kind else { continue };
        pattern.walk(&mut |pattern| {
            if let PatternKind::Var(var) = pattern.kind {
                needed[var.0 as usize] = true;
            }
        });
    }
    let mut seen = vec![false; rule.vars.len()];
    for arg in rule.heads.iter().flat_map(|head| head.atom.args()) {
        arg.walk(&mut |pattern| {
            if let PatternKind::Var(var) = pattern.kind {
                needed[var.0 as usize] |= std::mem::replace(&mut seen[var.0 as usize], true);
            }
        });
    }
    needed.into()
}
