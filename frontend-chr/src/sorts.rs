//! Sorts of columns, variables and expressions.
//!
//! Undeclared columns get the least sorts that hold everything ever added to them: an abstract interpretation over the closed
//! world of facts, queries and rule bodies, started at "nothing was ever added" and repeated until nothing changes.
//! [`assign`] then writes the sorts into the program and checks what the declarations promise.

mod assign;
mod kinds;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::rule::{Body, Program, Rule, Start};
use gchr_base::signature::ConstraintId;

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

/// Infers all sorts and writes them into the program. Rules with a head that never matches are left out, with a warning.
pub(crate) fn infer(
    program: &mut Program,
    sorts: Sorts,
    declarations: &Declarations,
    facts: &[Facts],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut columns = declared(program);
    loop {
        let mut inferred = columns.clone();
        fixpoint(program, facts, &mut inferred);
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

fn fixpoint(program: &Program, facts: &[Facts], columns: &mut [Columns]) {
    for f in facts.iter().filter(|f| f.rows > 0) {
        let kinds: Vec<Kind> = f
            .columns
            .iter()
            .map(|c| match c {
                FactColumn::Int(_) => Kind::Int,
                FactColumn::Float(_) => Kind::Float,
                FactColumn::Atom(_) => Kind::Atom,
                FactColumn::Str(_) => Kind::Str,
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
    let mut changed = true;
    while changed {
        changed = false;
        for rule in &program.rules {
            if !can_fire(rule, columns) {
                continue;
            }
            let walk = Walk::of(columns, &Clause::of_rule(rule));
            for (c, kinds) in &walk.added {
                changed |= add(columns, *c, kinds);
            }
        }
    }
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
    rule.heads.iter().all(|h| match h.atom {
        gchr_base::rule::HeadAtom::Constraint { constraint, .. } => columns[constraint.0 as usize].inhabited,
        gchr_base::rule::HeadAtom::Term { .. } => false,
    })
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
