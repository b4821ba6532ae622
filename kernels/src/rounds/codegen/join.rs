//! Loops over the partners of a constraint: the rows of a key, or all rows.

use gchr_core::ids::IdVec;
use gchr_core::plan::chr::{IndexKind, Join};
use gchr_core::rule::Role;
use gchr_core::signature::ConstraintId;

use super::value::Values;
use super::{Scene, op};
use crate::build;
use crate::ir::*;
use crate::meter;
use crate::rounds::layout::{Part, number};

/// The constraint whose partners are sought.
pub(super) struct Active {
    pub table: ConstraintId,
    pub row: Expr,
    pub age: Age,
}

/// Which partners count.
pub(super) enum Age {
    /// Those of lesser ids than this one.
    Older(Expr),
    /// All that live.
    Any,
    /// Rows before these, by table; what is in an index lives.
    Before(IdVec<ConstraintId, Expr>),
}

/// Whether a join goes over all rows.
pub(super) fn all_rows(scene: Scene<'_>, join: &Join) -> bool {
    scene.plan.tables[join.constraint].indexes[join.index].kind == IndexKind::All
}

/// Opens the loop over the partners of a join. With `in_rank_order` the rows of all come as ranks do: of a kept head the oldest first, of a
/// removed one the youngest.
pub(super) fn partner(v: &mut Values<'_>, active: &Active, join: &Join, in_rank_order: bool) {
    let (scene, table) = (v.scene, join.constraint);
    let row = match scene.layout.keyed(table, join.index) {
        Some(index) => rows_of_key(v, join, index),
        None => rows_of_table(v, active, join, in_rank_order),
    };
    v.b.push(StmtKind::Tally(meter::tried(v.rule)));
    v.rows[join.head] = Some(row.clone());
    let id = scene.id(&v.p, table, &row);
    let lives = op(BinaryOp::Ne, id.clone(), scene.constant("NO_ID"));
    let age = match &active.age {
        Age::Older(own) => op(BinaryOp::Lt, id, own.clone()),
        Age::Any => lives,
        Age::Before(_) if all_rows(scene, join) => lives,
        Age::Before(limits) => op(BinaryOp::Lt, row.clone(), limits[table].clone()),
    };
    let mut others: Vec<Expr> = join.distinct.iter().filter_map(|&h| v.rows[h].clone()).collect();
    if matches!(active.age, Age::Any) && table == active.table {
        others.push(active.row.clone());
    }
    let distinct = others.into_iter().map(|other| op(BinaryOp::Ne, row.clone(), other));
    v.open_if(build::all([age].into_iter().chain(distinct)));
}

fn name_of(join: &Join) -> String {
    format!("x{}", join.head)
}

fn rows_of_key(v: &mut Values<'_>, join: &Join, index: usize) -> Expr {
    let (scene, table) = (v.scene, join.constraint);
    let mut key = Vec::new();
    for (column, value) in &join.keys {
        let (word, fits) = v.key(value, scene.plan.tables[table].columns[*column].kind);
        key.push(v.b.var("key", word));
        if let Some(fits) = fits {
            v.open_if(fits);
        }
    }
    let find = scene.function(&super::index::find_name(scene, table, index));
    let args = [v.p.clone()].into_iter().chain(key).collect();
    let row = v.b.call(&name_of(join), scene.module, find, args);
    let next = build::element(scene.part(&v.p, table, Part::Next(index)), row.clone());
    v.open_chain(row.clone(), next);
    row
}

fn rows_of_table(v: &mut Values<'_>, active: &Active, join: &Join, in_rank_order: bool) -> Expr {
    let (scene, table) = (v.scene, join.constraint);
    // Rows are in the order of ids: of the constraint's own table only those before it are older.
    let bound = match &active.age {
        Age::Older(_) if table == active.table => active.row.clone(),
        Age::Before(limits) => limits[table].clone(),
        _ => build::element(scene.field(&v.p, "used"), build::u32(number(table))),
    };
    let name = name_of(join);
    let counter = v.b.counter(&name, Type::U32);
    let one = build::u32(1);
    if in_rank_order && scene.plan.rules[v.rule].heads[join.head].role == Role::Removed {
        let more = op(BinaryOp::Gt, counter.clone(), build::u32(0));
        v.open_all(counter.clone(), bound, more, op(BinaryOp::Sub, counter.clone(), one.clone()));
        return v.b.var(&name, op(BinaryOp::Sub, counter, one));
    }
    let more = op(BinaryOp::Lt, counter.clone(), bound);
    v.open_all(counter.clone(), build::u32(0), more, op(BinaryOp::Add, counter.clone(), one));
    counter
}
