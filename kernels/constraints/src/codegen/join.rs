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

/// Opens the loops over the partners of all joins, with what must hold of each.
pub(crate) fn partners(v: &mut Values<'_>, active: &Active, joins: &[Join]) {
    let mut rest = joins;
    while let [join, others @ ..] = rest {
        rest = match others {
            [other] if is_product(v, join, other) => {
                product(v, active, join, other);
                &[]
            }
            _ => {
                partner(v, active, join, None);
                join.steps.iter().for_each(|s| v.step(s));
                others
            }
        };
    }
}

/// Opens the loop over the partners of a join. Lanes that share a loop over all rows begin at their own number, and
/// take every row so many further on.
pub(crate) fn partner(v: &mut Values<'_>, active: &Active, join: &Join, lanes: Option<(&Expr, &Expr)>) {
    let row = match v.ctx.layout.keyed(join.constraint, join.index) {
        Some(index) => {
            let row = look_up(v, join, index);
            v.open_chain(row.clone(), next(v, join, index, &row));
            row
        }
        None => rows_of_table(v, active, join, lanes),
    };
    v.b.push(StmtKind::Tally(meter::tried(v.rule)));
    accept(v, active, join, row);
}

/// Goes on where a row is a partner.
fn accept(v: &mut Values<'_>, active: &Active, join: &Join, row: Expr) {
    let (ctx, table) = (v.ctx, join.constraint);
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

/// Whether two joins look for rows of keys that are both known before the first of them has a partner.
fn is_product(v: &Values<'_>, outer: &Join, inner: &Join) -> bool {
    let keyed = |join: &Join| v.ctx.layout.keyed(join.constraint, join.index).is_some();
    keyed(outer) && keyed(inner) && inner.keys.iter().all(|(_, key)| v.knows(key))
}

/// Opens one loop over all pairs of partners of two joins. The lanes of a warp go on together as long as one of them
/// has a pair: in one loop inside of the other they would also wait for the longest inner list in each turn of the
/// outer one.
fn product(v: &mut Values<'_>, active: &Active, outer: &Join, inner: &Join) {
    let none = v.ctx.names.constants.none.clone();
    let [(row, row_index), (first, first_index)] = [outer, inner].map(|join| {
        let index = v.ctx.layout.keyed(join.constraint, join.index).expect("both have keys");
        (look_up(v, join, index), index)
    });
    v.open_if(op(BinaryOp::Ne, first.clone(), none));
    let other = v.b.var(&format!("{}_now", name_of(inner)), first.clone());
    let next_row = next(v, outer, row_index, &row);
    let following = v.open_product(row.clone(), next_row, first.clone(), other.clone());
    v.b.when(build::eq(other.clone(), first), |b| b.push(StmtKind::Tally(meter::tried(v.rule))));
    accept(v, active, outer, row);
    outer.steps.iter().for_each(|s| v.step(s));
    let next_other = next(v, inner, first_index, &other);
    v.b.assign(following, next_other);
    v.b.push(StmtKind::Tally(meter::tried(v.rule)));
    accept(v, active, inner, other);
    inner.steps.iter().for_each(|s| v.step(s));
}

fn name_of(join: &Join) -> String {
    format!("x{}", join.head)
}

/// The first row of a join's key.
fn look_up(v: &mut Values<'_>, join: &Join, index: usize) -> Expr {
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
    v.b.call(&name_of(join), ctx.module, find, args)
}

/// The row behind one of the same key.
fn next(v: &Values<'_>, join: &Join, index: usize, row: &Expr) -> Expr {
    build::element(v.ctx.part(&v.p, join.constraint, Part::Next(index)), row.clone())
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
