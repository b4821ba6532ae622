//! Values that are replaced in place by the best of what rules compute (monotone replacement).
//!
//! A better value waits in a buffer of its own until the round's end, as all instances see the values at its start. It
//! is kept as a word of which less is better: the bits of the integer with the sign turned, complemented where the
//! greatest is sought.

use gchr_constraints::class::{Best, BestOrder, Replacement};
use gchr_constraints::plan::{Occurrence, Step};

use crate::codegen::join::{Active, Age, partners};
use crate::codegen::value::{OnError, Values};
use crate::codegen::{CodegenCtx, function, op, u64};
use crate::layout::{Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::codegen::Sites;
use gchr_runtime::meter;

const SIGN: u64 = 1 << 63;

/// Why a row that is touched belongs to one thread: who finds its word unclaimed notes it.
const TOUCHED_ONCE: &str = "a row is noted once";

/// Functions for the hole `improve`: one per occurrence, and last the one that picks those of a table.
pub(crate) fn improve_functions(ctx: CodegenCtx<'_>, sites: &mut Sites) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let mut functions = Vec::new();
    let mut found: Vec<(&Occurrence, FunctionId)> = Vec::new();
    for replacement in &ctx.plan.classes.replacements {
        for occurrence in ctx.plan.occurrences.iter().filter(|o| o.rule == replacement.rule) {
            found.push((occurrence, FunctionId(first + functions.len() as u32)));
            functions.push(improve(ctx, replacement, occurrence, sites));
        }
    }
    let (mut b, p) = function(ctx, "improve", false, Type::Void);
    let (turn, table) = (b.param("turn", Type::U32), b.param("table", Type::U32));
    let (row, fresh) = (b.param("row", Type::U32), b.param("fresh", Type::BOOL));
    let tables = ctx.layout.tables.ids().filter(|&t| found.iter().any(|(o, _)| o.constraint == t));
    let cases: Vec<u64> = tables.map(|t| u64::from(number(t))).collect();
    if !cases.is_empty() {
        let args = vec![p, turn, row];
        let code = |b: &mut FunctionBuilder, case: u64| {
            for (occurrence, f) in found.iter().filter(|(o, _)| u64::from(number(o.constraint)) == case) {
                // A value that changed has become better: no guard has come true that compares it.
                match occurrence.removes_active {
                    true => b.when(fresh.clone(), |b| b.run(*f, args.clone())),
                    false => b.run(*f, args.clone()),
                }
            }
        };
        b.switch(table, cases, code, |_| {});
    }
    functions.push(b.finish());
    functions
}

fn improve(
    ctx: CodegenCtx<'_>,
    replacement: &Replacement,
    occurrence: &Occurrence,
    sites: &mut Sites,
) -> Function {
    let name = format!("improve_r{}_h{}", occurrence.rule.0, occurrence.head);
    let (mut b, p) = function(ctx, name, false, Type::Void);
    let rule_name = ctx.program.rule_name(occurrence.rule);
    b.doc(format!("Values that {rule_name} computes with a constraint at head {}.", occurrence.head + 1));
    let turn = b.param("turn", Type::U32);
    let row = b.param("row", Type::U32);
    b.origin(ctx.line(occurrence.rule), rule_name);
    let mut v = Values::new(ctx, b, p.clone(), occurrence.rule, &occurrence.slots, OnError::Note, sites);
    v.open_if(build::bool(true));
    v.rows[occurrence.head] = Some(row.clone());
    occurrence.entry.iter().for_each(|s| v.step(s));
    let active = Active { table: occurrence.constraint, row, age: Age::Any };
    partners(&mut v, &active, &occurrence.joins);
    // The guard is the comparison with the candidate, which is made below.
    let loads = occurrence.commit.iter().filter(|s| matches!(s, Step::Load { .. }));
    loads.into_iter().for_each(|s| v.step(s));
    let candidate = v.expr(&replacement.candidate).expr;
    let candidate = v.b.var("candidate", candidate);
    let target = v.rows[replacement.head].clone().expect("all heads are joined");
    let value = v.column(replacement.head, replacement.best.column).expr;
    let comparison = match replacement.best.order {
        BestOrder::Least => BinaryOp::Lt,
        BestOrder::Greatest => BinaryOp::Gt,
    };
    v.open_if(op(comparison, candidate.clone(), value));
    let word = v.b.var("word", ordered(replacement.best, candidate));
    let place = build::element(ctx.part(&p, replacement.constraint, Part::Better), target.clone());
    let seen = v.b.atomic("seen", AtomicOp::Load, place.clone(), Vec::new());
    v.open_if(op(BinaryOp::Lt, word.clone(), seen));
    let before = v.b.atomic("before", AtomicOp::Min, place, vec![word]);
    v.open_if(build::eq(before, ctx.names.constants.unclaimed.clone()));
    let args = vec![p, turn, build::u32(number(replacement.constraint)), target];
    v.b.run(ctx.names.functions.touch, args);
    v.close();
    v.b.finish()
}

/// The word of an integer.
fn ordered(best: Best, value: Expr) -> Expr {
    let word = op(BinaryOp::Xor, build::cast(Scalar::U64, value), u64(SIGN));
    complemented(best, word)
}

fn complemented(best: Best, word: Expr) -> Expr {
    match best.order {
        BestOrder::Least => word,
        BestOrder::Greatest => Expr::new(ExprKind::Unary(UnaryOp::BitNot, Box::new(word)), Type::U64),
    }
}

/// `settle_row`.
pub(crate) fn settle_row(ctx: CodegenCtx<'_>) -> Function {
    let (mut b, p) = function(ctx, "settle_row", false, Type::Void);
    let (table, row) = (b.param("table", Type::U32), b.param("row", Type::U32));
    let keeps = b.param("keeps", Type::BOOL);
    let replaced: Vec<&Replacement> =
        ctx.layout.tables.ids().filter_map(|t| ctx.plan.classes.replacement_of(t)).collect();
    let cases: Vec<u64> = replaced.iter().map(|r| u64::from(number(r.constraint))).collect();
    if !cases.is_empty() {
        let code = |b: &mut FunctionBuilder, case: u64| {
            for replacement in replaced.iter().filter(|r| u64::from(number(r.constraint)) == case) {
                let (table, best) = (replacement.constraint, replacement.best);
                let better = build::element(ctx.part(&p, table, Part::Better), row.clone());
                b.own(TOUCHED_ONCE, better.clone());
                b.when(keeps.clone(), |b| {
                    b.push(StmtKind::Tally(meter::applied(replacement.rule)));
                    let value = op(BinaryOp::Xor, complemented(best, better.clone()), u64(SIGN));
                    let column = ctx.part(&p, table, Part::Column(best.column));
                    b.assign_owned(TOUCHED_ONCE, build::element(column, row.clone()), value);
                });
                b.assign(better, ctx.names.constants.unclaimed.clone());
            }
        };
        b.switch(table, cases, code, |_| {});
    }
    b.finish()
}
