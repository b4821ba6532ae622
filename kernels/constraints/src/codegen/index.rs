//! Hash indexes: rows of one key in a list, its latest row in a slot.
//!
//! Slots are open addressing with linear probing; a slot holds a row, whose columns are the key, so that keys are
//! stored once. Rows are linked in any order. A removed row has no id; where the latest rows of a key are removed ones,
//! the next row of the key leaves them out, others go when their table is collected.

use gchr_base::ids::IdVec;
use gchr_base::signature::ConstraintId;

use super::{CodegenCtx, function, not, op, u64};
use crate::layout::{Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;

/// Functions for the hole `index_row`: for each index its look-up `find` and its insertion `link`, and last the one
/// that picks them.
pub(crate) fn index_functions(ctx: CodegenCtx<'_>) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let mut functions = Vec::new();
    let mut links: IdVec<ConstraintId, Vec<FunctionId>> = IdVec::new();
    for table in ctx.layout.tables.ids() {
        let mut own = Vec::new();
        for index in 0..ctx.layout.tables[table].indexes.len() {
            functions.push(find(ctx, table, index));
            own.push(FunctionId(first + functions.len() as u32));
            functions.push(link(ctx, table, index));
        }
        links.push(own);
    }
    let (mut b, p) = function(ctx, "index_row", false, Type::Void);
    let table = b.param("table", Type::U32);
    let row = b.param("row", Type::U32);
    let tables: Vec<u64> =
        links.iter_enumerated().filter(|(_, l)| !l.is_empty()).map(|(t, _)| u64::from(number(t))).collect();
    if !tables.is_empty() {
        let code = |b: &mut FunctionBuilder, case: u64| {
            let table = ConstraintId(case as u32);
            let live = op(BinaryOp::Ne, ctx.id(&p, table, &row), ctx.names.constants.no_id.clone());
            b.when(live, |b| {
                links[table].iter().for_each(|&link| b.run(link, vec![p.clone(), row.clone()]));
            });
        };
        b.switch(table, tables, code, |_| {});
    }
    functions.push(b.finish());
    functions
}

/// Name of the look-up of an index.
pub(super) fn find_name(ctx: CodegenCtx<'_>, table: ConstraintId, index: usize) -> String {
    format!("look_up_{}_x{index}", ctx.layout.tables[table].prefix)
}

/// The first place to look for a key.
fn start(
    ctx: CodegenCtx<'_>,
    b: &mut FunctionBuilder,
    p: &Expr,
    table: ConstraintId,
    index: usize,
    key: &[Expr],
) -> Expr {
    let mut hash = b.var("hash", u64(0));
    for word in key {
        let f = ctx.names.functions.hash_word;
        hash = b.call("hash", ctx.module, f, vec![hash, word.clone()]);
    }
    let at = op(BinaryOp::And, build::cast(Scalar::U32, hash), ctx.part(p, table, Part::Mask(index)));
    b.var("at", at)
}

/// Goes on to the next place.
fn step(
    ctx: CodegenCtx<'_>,
    b: &mut FunctionBuilder,
    p: &Expr,
    table: ConstraintId,
    index: usize,
    at: &Expr,
) {
    let next = op(BinaryOp::Add, at.clone(), build::u32(1));
    b.assign(at.clone(), op(BinaryOp::And, next, ctx.part(p, table, Part::Mask(index))));
}

/// Whether the row in a slot has the key.
fn has_key(
    ctx: CodegenCtx<'_>,
    p: &Expr,
    table: ConstraintId,
    index: usize,
    row: &Expr,
    key: &[Expr],
) -> Expr {
    let columns = &ctx.layout.tables[table].indexes[index].columns;
    build::all(columns.iter().zip(key).map(|(&c, word)| {
        build::eq(build::element(ctx.part(p, table, Part::Column(c)), row.clone()), word.clone())
    }))
}

/// The latest row of a key, NONE if there is none.
fn find(ctx: CodegenCtx<'_>, table: ConstraintId, index: usize) -> Function {
    let (mut b, p) = function(ctx, find_name(ctx, table, index), false, Type::U32);
    b.doc("The latest row of a key; NONE if there is none.");
    b.doc("shares: reads the index and the columns");
    let count = ctx.layout.tables[table].indexes[index].columns.len();
    let key: Vec<Expr> = (0..count).map(|k| b.param(&format!("key{k}"), Type::U64)).collect();
    let at = start(ctx, &mut b, &p, table, index, &key);
    let slots = ctx.part(&p, table, Part::Slots(index));
    b.begin();
    let row = b.var("row", build::element(slots, at.clone()));
    let empty = build::eq(row.clone(), ctx.names.constants.none.clone());
    let found = op(BinaryOp::OrElse, empty, has_key(ctx, &p, table, index, &row, &key));
    b.when(found, |b| b.ret(Some(row.clone())));
    step(ctx, &mut b, &p, table, index, &at);
    b.end_while(build::bool(true));
    b.finish()
}

/// Links a row with those of its key.
fn link(ctx: CodegenCtx<'_>, table: ConstraintId, index: usize) -> Function {
    let name = format!("link_{}_x{index}", ctx.layout.tables[table].prefix);
    let (mut b, p) = function(ctx, name, false, Type::Void);
    b.doc("Puts a row in front of those of its key.");
    b.doc("shares: slots: atomics only; the row's link belongs to this thread");
    let row = b.param("row", Type::U32);
    let columns = ctx.layout.tables[table].indexes[index].columns.clone();
    let mut key = Vec::new();
    for column in columns {
        key.push(b.var("key", build::element(ctx.part(&p, table, Part::Column(column)), row.clone())));
    }
    let at = start(ctx, &mut b, &p, table, index, &key);
    let slot = build::element(ctx.part(&p, table, Part::Slots(index)), at.clone());
    b.begin();
    let seen = b.atomic("seen", AtomicOp::Load, slot.clone(), Vec::new());
    let empty = build::eq(seen.clone(), ctx.names.constants.none.clone());
    let fits = op(BinaryOp::OrElse, empty, has_key(ctx, &p, table, index, &seen, &key));
    b.when(not(fits.clone()), |b| {
        step(ctx, b, &p, table, index, &at);
        b.push(StmtKind::Continue);
    });
    let next = build::element(ctx.part(&p, table, Part::Next(index)), row.clone());
    // Rows are linked live, and removed in other steps: what a removed one is linked to has been written long since.
    let removes = ctx.layout.tables[table].claimed;
    let follow = |b: &mut FunctionBuilder, before: Expr| {
        let latest = b.var("latest", before);
        if removes {
            let links = ctx.part(&p, table, Part::Next(index));
            b.begin();
            let older = b.atomic("older", AtomicOp::Load, build::element(links, latest.clone()), Vec::new());
            b.assign(latest.clone(), older);
            let present = op(BinaryOp::Ne, latest.clone(), ctx.names.constants.none.clone());
            let removed = build::eq(ctx.id(&p, table, &latest), ctx.names.constants.no_id.clone());
            b.end_while(build::all([present, removed]));
        }
        b.assign_owned("a row is linked once", next.clone(), latest);
        b.ret(None);
    };
    b.when(op(BinaryOp::Ne, seen.clone(), ctx.names.constants.none.clone()), |b| {
        // The place is this key's for good, so that many rows of one key do not wait for each other.
        let before = b.atomic("last", AtomicOp::Exchange, slot.clone(), vec![row.clone()]);
        follow(b, before);
    });
    let before = b.atomic("before", AtomicOp::CompareExchange, slot, vec![seen.clone(), row.clone()]);
    b.when(build::eq(before.clone(), seen), |b| follow(b, before));
    b.end_while(build::bool(true));
    b.finish()
}
