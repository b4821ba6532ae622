//! Greatest common divisors: the row of a key that lives takes in the values of those that were dropped.

use crate::class::reduction::codegen::{Places, Reducing, column, pick, reducing};
use crate::codegen::{CodegenCtx, function, op};
use crate::layout::Part;
use gchr_kernel::build;
use gchr_kernel::ir::*;

/// Functions for the hole `merge_row`: one per table that keeps greatest common divisors, and last the one that picks a
/// table.
pub(crate) fn merge_functions(ctx: CodegenCtx<'_>) -> Vec<Function> {
    let mut all = reducing(ctx.plan);
    all.retain(|r| r.divisor.is_some());
    let mut functions: Vec<Function> = all.iter().filter_map(|reduction| merge(ctx, reduction)).collect();
    let (mut b, p) = function(ctx, "merge_row", false, Type::Void);
    let table = b.param("table", Type::U32);
    let row = b.param("row", Type::U32);
    pick(ctx, &all, &mut b, table, [p, row], None);
    functions.push(b.finish());
    functions
}

/// Lets the row of the key that lives take in the value of a new row.
fn merge(ctx: CodegenCtx<'_>, reduction: &Reducing<'_>) -> Option<Function> {
    let (table, value) = (reduction.table, reduction.divisor?);
    let name = format!("merge_{}", ctx.layout.tables[table].prefix);
    let (mut b, p) = function(ctx, name, false, Type::Void);
    b.doc("Gives the value of a row that was dropped to the one of its key that lives.");
    b.doc("shares: values of rows that live: atomics only");
    let row = b.param("row", Type::U32);
    let held = b.atomic("held", AtomicOp::Load, ctx.id(&p, table, &row), Vec::new());
    b.when(op(BinaryOp::Ne, held, ctx.names.constants.no_id.clone()), |b| b.ret(None));
    let word = b.atomic("word", AtomicOp::Load, column(ctx, &p, reduction, value, &row), Vec::new());
    let mine = b.var("mine", build::cast(Scalar::I64, word));
    b.when(build::eq(mine.clone(), build::i64(0)), |b| b.ret(None));
    let places = Places::of(ctx, &mut b, &p, reduction, &row);
    let place = build::element(ctx.part(&p, table, Part::Best), places.at.clone());
    b.begin();
    let seen = b.var("seen", place);
    b.when(build::eq(seen.clone(), ctx.names.constants.none.clone()), |b| b.ret(None));
    places.pass_by(ctx, &mut b, &p, reduction, &seen);
    let cell = column(ctx, &p, reduction, value, &seen);
    let old = b.atomic("old", AtomicOp::Load, cell.clone(), Vec::new());
    let args = vec![build::cast(Scalar::I64, old.clone()), mine.clone()];
    let common = b.call("common", ctx.module, ctx.names.functions.divisor, args);
    b.when(build::eq(common.clone(), old.clone()), |b| b.ret(None));
    b.atomic("before", AtomicOp::CompareExchange, cell, vec![old, common]);
    b.end_while(build::bool(true));
    Some(b.finish())
}
