//! Sorts of columns, variables and expressions.
//!
//! Undeclared columns get the least sorts that hold everything ever added to them: an abstract interpretation over
//! the closed
//! world of facts, queries and rule bodies, started at "nothing was ever added" and repeated until nothing changes.
//! [`assign`] then writes the sorts into the program and checks what the declarations promise.

mod assign;
mod kinds;

use std::collections::VecDeque;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::ids::Id;
use gchr_base::rule::{Body, HeadAtom, Program, Rule, RuleId, Start};
use gchr_base::signature::{ConstraintId, SortKind};

use crate::declare::Declarations;
use crate::lower::Sorts;
use kinds::{Clause, Kind, Walk};

/// What is known about the columns of one constraint symbol.
#[derive(Clone, Debug)]
struct Columns {
    kinds: Vec<Kind>,
    /// Declared, or forced to `any`: additions do not change the kind.
    fixed: Vec<bool>,
    /// Whether anything is ever added.
    inhabited: bool,
}

/// Infers all sorts and writes them into the program. Rules with a head that never matches are left out, with a
/// warning.
pub(crate) fn infer(
    program: &mut Program,
    sorts: Sorts,
    declarations: &Declarations,
    facts: &[Facts],
    diagnostics: &mut Vec<Diagnostic>,
) {
    infer_after(program, sorts, declarations, facts, &Inferred::default(), diagnostics);
}

/// What columns hold, as far as it is known.
#[derive(Clone, Default, Debug)]
pub(crate) struct Inferred(Vec<Columns>);

impl Inferred {
    /// Takes notice of constraints of a symbol that are there already.
    pub fn add(&mut self, constraint: ConstraintId, kinds: &[SortKind]) {
        let kinds: Vec<Kind> = kinds.iter().map(|&kind| Kind::of_sort(kind)).collect();
        add(&mut self.0, constraint, &kinds);
    }

    /// Whether columns have the same sorts by both.
    pub fn has_sorts_of(&self, other: &Self) -> bool {
        let kinds = |columns: &Self| columns.0.iter().map(|c| c.kinds.clone()).collect::<Vec<_>>();
        kinds(self) == kinds(other)
    }
}

/// The same for a program to whose constraints something was added already, which `before` tells. Gives what to tell
/// the next time.
pub(crate) fn infer_after(
    program: &mut Program,
    sorts: Sorts,
    declarations: &Declarations,
    facts: &[Facts],
    before: &Inferred,
    diagnostics: &mut Vec<Diagnostic>,
) -> Inferred {
    let mut columns = declared(program);
    loop {
        let mut inferred = columns.clone();
        for (id, known) in before.0.iter().enumerate().filter(|(_, known)| known.inhabited) {
            add(&mut inferred, ConstraintId::from_index(id), &known.kinds);
        }
        start(program, facts, &mut inferred);
        saturate(program, &mut inferred, Rules::ThatFire);
        // What the others would add must be storable, too: whether a program is accepted depends on no query.
        saturate(program, &mut inferred, Rules::All);
        // Arithmetic on a column that holds no numbers may be guarded by a type test: decided at run time.
        let conflicts = conflicts(program, &inferred);
        if conflicts.is_empty() {
            columns = inferred;
            break;
        }
        for (constraint, column) in conflicts {
            let c = &mut columns[constraint.0 as usize];
            (c.kinds[column], c.fixed[column]) = (Kind::Any, true);
        }
    }
    assign::assign(program, sorts, declarations, &columns, diagnostics);
    Inferred(columns)
}

fn declared(program: &Program) -> Vec<Columns> {
    let sig = &program.signature;
    let columns = sig.constraints.iter().map(|c| Columns {
        kinds: c
            .columns
            .iter()
            .map(|col| if col.declared { Kind::of_sort(sig.kind(col.sort)) } else { Kind::Nothing })
            .collect(),
        fixed: c.columns.iter().map(|col| col.declared).collect(),
        inhabited: false,
    });
    columns.collect()
}

/// Adds what facts and queries add.
fn start(program: &Program, facts: &[Facts], columns: &mut [Columns]) {
    for f in facts.iter().filter(|f| f.rows > 0) {
        let kinds: Vec<Kind> = f
            .columns
            .iter()
            .map(|c| match c {
                FactColumn::Int(_) => Kind::Int,
                FactColumn::Float(_) => Kind::Float,
                FactColumn::Atom(_) => Kind::Atom,
                FactColumn::Str(_) => Kind::Str,
                FactColumn::Any(_) => Kind::Any,
            })
            .collect();
        add(columns, f.constraint, &kinds);
    }
    if let Start::Goals(queries) = &program.start {
        for query in queries {
            let walk = Walk::of(columns, &Clause::of_query(query));
            for (c, kinds) in &walk.added {
                add(columns, *c, kinds);
            }
        }
    }
}

/// The rules that a fixpoint is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// Those that can fire: something is added for each of their heads.
    ThatFire,
    /// All. One that cannot fire makes a column wider only where it would add what the column surely does not hold.
    All,
}

/// Adds what rules add until nothing changes. A rule is looked at again when a column of its heads has changed.
fn saturate(program: &Program, columns: &mut [Columns], which: Rules) {
    let readers = readers(program);
    let mut pending: VecDeque<RuleId> = program.rules.ids().collect();
    let mut waits = vec![true; program.rules.len()];
    while let Some(id) = pending.pop_front() {
        waits[id.index()] = false;
        let rule = &program.rules[id];
        let fires = can_fire(rule, columns);
        if !fires && which == Rules::ThatFire {
            continue;
        }
        let added = Walk::of(columns, &Clause::of_rule(rule)).added;
        for (constraint, kinds) in added {
            let changed = if fires {
                add(columns, constraint, &kinds)
            } else {
                widen(&mut columns[constraint.index()], &kinds)
            };
            if changed {
                let again = readers[constraint.index()].iter().copied();
                pending.extend(again.filter(|r| !std::mem::replace(&mut waits[r.index()], true)));
            }
        }
    }
}

/// For each constraint symbol the rules with a head over it.
fn readers(program: &Program) -> Vec<Vec<RuleId>> {
    let mut readers: Vec<Vec<RuleId>> = vec![Vec::new(); program.signature.constraints.len()];
    for (id, rule) in program.rules.iter_enumerated() {
        for constraint in heads(rule) {
            let readers = &mut readers[constraint.index()];
            if readers.last() != Some(&id) {
                readers.push(id);
            }
        }
    }
    readers
}

/// The constraint symbols of a rule's heads.
fn heads(rule: &Rule) -> impl Iterator<Item = ConstraintId> {
    rule.heads.iter().filter_map(|h| match h.atom {
        HeadAtom::Constraint { constraint, .. } => Some(constraint),
        HeadAtom::Term { .. } => None,
    })
}

/// Makes inferred columns wide enough for values that they surely do not hold; whether they changed.
fn widen(columns: &mut Columns, kinds: &[Kind]) -> bool {
    let mut changed = false;
    for ((known, &fixed), &kind) in columns.kinds.iter_mut().zip(&columns.fixed).zip(kinds) {
        let is_other =
            ![kind, *known].iter().any(|k| matches!(k, Kind::Nothing | Kind::Any)) && kind != *known;
        if !fixed && is_other {
            *known = Kind::Any;
            changed = true;
        }
    }
    changed
}

/// Joins what is added into the columns; whether they changed.
fn add(columns: &mut [Columns], constraint: ConstraintId, kinds: &[Kind]) -> bool {
    let c = &mut columns[constraint.0 as usize];
    let mut changed = !std::mem::replace(&mut c.inhabited, true);
    for ((known, &fixed), &kind) in c.kinds.iter_mut().zip(&c.fixed).zip(kinds) {
        let joined = known.join(kind);
        if !fixed && joined != *known {
            *known = joined;
            changed = true;
        }
    }
    changed
}

fn can_fire(rule: &Rule, columns: &[Columns]) -> bool {
    heads(rule).all(|constraint| columns[constraint.index()].inhabited)
}

/// Inferred columns whose values are surely no numbers, yet are computed with.
fn conflicts(program: &Program, columns: &[Columns]) -> Vec<(ConstraintId, usize)> {
    let mut found = Vec::new();
    for rule in program.rules.iter().filter(|r| matches!(r.body, Body::Goals(_))) {
        let walk = Walk::of(columns, &Clause::of_rule(rule));
        for conflict in walk.conflicts {
            if let Some((constraint, column)) = conflict.origin
                && !columns[constraint.0 as usize].fixed[column]
            {
                found.push((constraint, column));
            }
        }
    }
    found
}
