//! Reductions on insertion: new rows meet those of their key, of which one lives.

use gchr_base::rule::RuleId;
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_constraints::class::{Best, BestOrder};
use gchr_constraints::plan::ChrPlan;

use crate::codegen::{CodegenCtx, function, not, op, u64};
use crate::layout::{Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::meter;

/// A table in which one constraint of a key lives.
pub(crate) struct Reducing<'a> {
    pub(crate) table: ConstraintId,
    pub(crate) key: &'a [usize],
    /// What makes one better than another, besides being older.
    pub(crate) best: Option<Best>,
    /// Column of values whose greatest common divisor the one that lives takes; it alone of the constraints is stored
    /// whose value is not positive.
    pub(crate) divisor: Option<usize>,
}

pub(crate) fn reducing(plan: &ChrPlan) -> Vec<Reducing<'_>> {
    let reductions = plan.classes.reductions.iter().map(|r| Reducing {
        table: r.constraint,
        key: &r.key,
        best: r.best,
        divisor: None,
    });
    let divisors = plan.classes.divisors.iter().map(|d| Reducing {
        table: d.constraint,
        key: &d.key,
        best: None,
        divisor: Some(d.column),
    });
    reductions.chain(divisors).collect()
}

/// Functions for the hole `reduce_row`: one per table with a reduction, and last the one that picks a table.
pub(crate) fn reduce_functions(ctx: CodegenCtx<'_>) -> Vec<Function> {
    let all = reducing(ctx.plan);
    let mut functions: Vec<Function> = all.iter().map(|reduction| reduce(ctx, reduction)).collect();
    let (mut b, p) = function(ctx, "reduce_row", false, Type::U32);
    let table = b.param("table", Type::U32);
    let row = b.param("row", Type::U32);
    let losers = b.var("losers", build::u32(0));
    pick(ctx, &all, &mut b, table, [p, row], Some(&losers));
    b.ret(Some(losers));
    functions.push(b.finish());
    functions
}

/// Calls the function of the table: those of a hole stand in the order of `all` from its place on.
pub(crate) fn pick(
    ctx: CodegenCtx<'_>,
    all: &[Reducing<'_>],
    b: &mut FunctionBuilder,
    table: Expr,
    args: [Expr; 2],
    result: Option<&Expr>,
) {
    let first = ctx.names.hole.0;
    let tables: Vec<u64> = all.iter().map(|r| u64::from(number(r.table))).collect();
    if tables.is_empty() {
        return;
    }
    let code = |b: &mut FunctionBuilder, case: u64| {
        let at = tables.iter().position(|&t| t == case).unwrap_or(0) as u32;
        let effect = Effect::Call { function: FunctionId(first + at), args: args.to_vec() };
        let result = result.and_then(|to| match to.kind {
            ExprKind::Var(target) => Some(Target::Assign(target)),
            _ => None,
        });
        b.push(StmtKind::Effect { result, effect });
    };
    b.switch(table, tables.clone(), code, |_| {});
}

/// Whether a row is better than another one of its key: by value, then by age.
fn is_better(ctx: CodegenCtx<'_>, p: &Expr, reduction: &Reducing<'_>, row: &Expr, other: &Expr) -> Expr {
    let older = op(BinaryOp::Lt, row.clone(), other.clone());
    let Some(best) = reduction.best else { return older };
    let table = reduction.table;
    let value = |row: &Expr| {
        let word = build::element(ctx.part(p, table, Part::Column(best.column)), row.clone());
        match ctx.layout.tables[table].columns[best.column] {
            SortKind::Float => build::intrinsic(Intrinsic::FloatFromBits, vec![word], Scalar::F64),
            _ => build::cast(Scalar::I64, word),
        }
    };
    let comparison = match best.order {
        BestOrder::Least => BinaryOp::Lt,
        BestOrder::Greatest => BinaryOp::Gt,
    };
    let same = build::eq(value(row), value(other));
    op(BinaryOp::OrElse, op(comparison, value(row), value(other)), op(BinaryOp::AndAlso, same, older))
}

/// Where to look for the row of a key that lives: the key, the first place, and the number of places less one.
pub(crate) struct Places {
    pub(crate) key: Vec<Expr>,
    pub(crate) at: Expr,
    pub(crate) mask: Expr,
}

impl Places {
    pub(crate) fn of(
        ctx: CodegenCtx<'_>,
        b: &mut FunctionBuilder,
        p: &Expr,
        reduction: &Reducing<'_>,
        row: &Expr,
    ) -> Self {
        let mut hash = b.var("hash", u64(0));
        let mut key = Vec::new();
        for &c in reduction.key {
            let word = b.var("key", column(ctx, p, reduction, c, row));
            hash = b.call("hash", ctx.module, ctx.names.functions.hash_word, vec![hash, word.clone()]);
            key.push(word);
        }
        let mask = ctx.part(p, reduction.table, Part::BestMask);
        let at = b.var("at", op(BinaryOp::And, build::cast(Scalar::U32, hash), mask.clone()));
        Self { key, at, mask }
    }

    /// Goes on to the next place if the row in this one has another key.
    pub(crate) fn pass_by(
        &self,
        ctx: CodegenCtx<'_>,
        b: &mut FunctionBuilder,
        p: &Expr,
        reduction: &Reducing<'_>,
        seen: &Expr,
    ) {
        let words = reduction.key.iter().zip(&self.key);
        let same = words.map(|(&c, word)| build::eq(column(ctx, p, reduction, c, seen), word.clone()));
        b.when(not(build::all(same)), |b| {
            let next = op(BinaryOp::Add, self.at.clone(), build::u32(1));
            b.assign(self.at.clone(), op(BinaryOp::And, next, self.mask.clone()));
            b.push(StmtKind::Continue);
        });
    }
}

pub(crate) fn column(ctx: CodegenCtx<'_>, p: &Expr, reduction: &Reducing<'_>, c: usize, row: &Expr) -> Expr {
    build::element(ctx.part(p, reduction.table, Part::Column(c)), row.clone())
}

/// Puts a row to the place of its key, or drops it: the better one stays, whatever the order in which rows come.
fn reduce(ctx: CodegenCtx<'_>, reduction: &Reducing<'_>) -> Function {
    let table = reduction.table;
    let name = format!("reduce_{}", ctx.layout.tables[table].prefix);
    let (mut b, p) = function(ctx, name, false, Type::U32);
    b.doc("Lets a row meet the one of its key; says how many of them are dropped.");
    b.doc("shares: places of the keys and ids: atomics only");
    let row = b.param("row", Type::U32);
    let id = |row: &Expr| ctx.id(&p, table, row);
    let dead = build::element(ctx.field(&p, "dead"), build::u32(number(table)));
    let divisor = ctx.plan.classes.divisor_of(table);
    let rule = ctx.plan.classes.reduction_of(table).map(|r| r.rule).or(divisor.map(|d| d.rule));
    let drop_by = |b: &mut FunctionBuilder, row: &Expr, rule: Option<RuleId>| {
        b.update(AtomicOp::Store, id(row), vec![ctx.names.constants.no_id.clone()]);
        b.update(AtomicOp::Add, dead.clone(), vec![build::u32(1)]);
        if let Some(rule) = rule {
            b.push(StmtKind::Tally(meter::applied(rule)));
        }
        b.ret(Some(build::u32(1)));
    };
    let drop = |b: &mut FunctionBuilder, row: &Expr| drop_by(b, row, rule);
    if let Some(c) = reduction.divisor {
        let value = b.var("value", build::cast(Scalar::I64, column(ctx, &p, reduction, c, &row)));
        b.when(build::eq(value.clone(), build::i64(0)), |b| drop_by(b, &row, divisor.map(|d| d.zero)));
        b.when(op(BinaryOp::Lt, value, build::i64(0)), |b| b.ret(Some(build::u32(0))));
    }
    let places = Places::of(ctx, &mut b, &p, reduction, &row);
    let place = build::element(ctx.part(&p, table, Part::Best), places.at.clone());
    b.begin();
    let seen = b.atomic("seen", AtomicOp::Load, place.clone(), Vec::new());
    let free = b.var("free", build::eq(seen.clone(), ctx.names.constants.none.clone()));
    b.begin();
    places.pass_by(ctx, &mut b, &p, reduction, &seen);
    // A row that was removed in an earlier step, and that no other thread has replaced: then the exchange below fails.
    let held = b.atomic("held", AtomicOp::Load, id(&seen), Vec::new());
    b.assign(free.clone(), build::eq(held, ctx.names.constants.no_id.clone()));
    let worse = build::all([not(free.clone()), not(is_better(ctx, &p, reduction, &row, &seen))]);
    b.when(worse, |b| drop(b, &row));
    b.end_if(not(free.clone()));
    let before = b.atomic("before", AtomicOp::CompareExchange, place, vec![seen.clone(), row.clone()]);
    b.when(build::eq(before, seen.clone()), |b| {
        b.when(free.clone(), |b| b.ret(Some(build::u32(0))));
        drop(b, &seen);
    });
    b.end_while(build::bool(true));
    b.finish()
}
