//! Loops over the partners of a constraint: the rows of a key, or all rows.

use gchr_base::ids::IdVec;
use gchr_base::signature::ConstraintId;
use gchr_constraints::plan::{IndexKind, Join};

use super::value::Values;
use super::{CodegenCtx, op};
use crate::layout::{Part, number};
use gchr_kernel::build;
use gchr_kernel::ir::*;
use gchr_runtime::meter;

/// The constraint whose partners are sought.
pub(crate) struct Active {
    pub table: ConstraintId,
    pub row: Expr,
    pub age: Age,
}

/// Which partners count.
pub(crate) enum Age {
    /// Those of lesser ids than this one.
    Older(Expr),
    /// All that live.
    Any,
    /// Rows before these, by table; what is in an index lives.
    Before(IdVec<ConstraintId, Expr>),
}

/// Whether a join goes over all rows.
pub(crate) fn all_rows(ctx: CodegenCtx<'_>, join: &Join) -> bool {
    ctx.plan.tables[join.constraint].indexes[join.index].kind == IndexKind::All
}

/// Opens the loop over the partners of a join. Lanes that share a loop over all rows begin at their own number, and
/// take every row so many further on.
pub(crate) fn partner(v: &mut Values<'_>, active: &Active, join: &Join, lanes: Option<(&Expr, &Expr)>) {
    let (ctx, table) = (v.ctx, join.constraint);
    let row = match ctx.layout.keyed(table, join.index) {
        Some(index) => rows_of_key(v, join, index),
        None => rows_of_table(v, active, join, lanes),
    };
    v.b.push(StmtKind::Tally(meter::tried(v.rule)));
    v.rows[join.head] = Some(row.clone());
    let id = ctx.id(&v.p, table, &row);
    let lives = op(BinaryOp::Ne, id.clone(), ctx.names.constants.no_id.clone());
    let age = match &active.age {
        Age::Older(own) => op(BinaryOp::Lt, id, own.clone()),
        Age::Any => lives,
        Age::Before(_) if all_rows(ctx, join) => lives,
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
    let (ctx, table) = (v.ctx, join.constraint);
    let mut key = Vec::new();
    for (column, value) in &join.keys {
        let (word, fits) = v.key(value, ctx.plan.tables[table].columns[*column].kind);
        key.push(v.b.var("key", word));
        if let Some(fits) = fits {
            v.open_if(fits);
        }
    }
    let find = ctx.generated(&super::index::find_name(ctx, table, index));
    let args = [v.p.clone()].into_iter().chain(key).collect();
    let row = v.b.call(&name_of(join), ctx.module, find, args);
    let next = build::element(ctx.part(&v.p, table, Part::Next(index)), row.clone());
    v.open_chain(row.clone(), next);
    row
}

fn rows_of_table(v: &mut Values<'_>, active: &Active, join: &Join, lanes: Option<(&Expr, &Expr)>) -> Expr {
    let (ctx, table) = (v.ctx, join.constraint);
    // Rows are in the order of ids: of the constraint's own table only those before it are older.
    let bound = match &active.age {
        Age::Older(_) if table == active.table => active.row.clone(),
        Age::Before(limits) => limits[table].clone(),
        _ => build::element(ctx.field(&v.p, "used"), build::u32(number(table))),
    };
    let name = name_of(join);
    let counter = v.b.counter(&name, Type::U32);
    let (first, stride) = match lanes {
        Some((lane, stride)) => (lane.clone(), stride.clone()),
        None => (build::u32(0), build::u32(1)),
    };
    let more = op(BinaryOp::Lt, counter.clone(), bound);
    v.open_all(counter.clone(), first, more, op(BinaryOp::Add, counter.clone(), stride));
    counter
}
