//! Rows that move, when a table grows or is collected: what names them, and what they hold.

use gchr_base::rule::RuleId;
use gchr_base::signature::ConstraintId;

use super::claim::by_rule;
use super::{CodegenCtx, function, op};
use crate::layout::ENTRY_WORDS;
use crate::layout::{Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;

/// The words of an entry that name rows of a table: the one of its newest constraint, and those of its heads.
fn named(
    ctx: CodegenCtx<'_>,
    name: &str,
    last: &str,
    mut code: impl FnMut(&mut FunctionBuilder, Expr, &Expr),
) -> Function {
    let (mut b, p) = function(ctx, name, false, Type::Void);
    let words = Type::Buffer(Space::Global, Scalar::U32);
    let table = b.param("table", Type::U32);
    let entries = b.param("entries", words);
    let entry = b.param("entry", Type::U32);
    let argument = b.param(last, words);
    drop(p);
    let at = b.var("first_word", op(BinaryOp::Mul, entry, ctx.names.constants.entry.clone()));
    let word =
        |offset: u32| build::element(entries.clone(), op(BinaryOp::Add, at.clone(), build::u32(offset)));
    let rule = b.var("rule", op(BinaryOp::And, word(1), ctx.names.constants.rule.clone()));
    b.begin();
    code(&mut b, word(3), &argument);
    b.end_if(build::eq(word(2), table.clone()));
    let heads = |r: RuleId| &ctx.plan.rules[r].heads;
    by_rule(
        ctx,
        &mut b,
        rule,
        |_| true,
        |b, rule| {
            for (h, head) in heads(rule).iter().enumerate() {
                b.begin();
                code(b, word((ENTRY_WORDS + h) as u32), &argument);
                b.end_if(build::eq(table.clone(), build::u32(number(head.constraint))));
            }
        },
    );
    b.finish()
}

/// `pin_rows`.
pub(crate) fn pin_rows(ctx: CodegenCtx<'_>) -> Function {
    named(ctx, "pin_rows", "keep", |b, row, keep| {
        b.update(AtomicOp::Store, build::element(keep.clone(), row), vec![build::u32(1)]);
    })
}

/// `rename_rows`.
pub(crate) fn rename_rows(ctx: CodegenCtx<'_>) -> Function {
    named(ctx, "rename_rows", "map", |b, row, map| {
        b.assign(row.clone(), build::element(map.clone(), row));
    })
}

/// `copy_row`.
pub(crate) fn copy_row(ctx: CodegenCtx<'_>) -> Function {
    let (mut b, p) = function(ctx, "copy_row", false, Type::Void);
    let to = b.param("to", ctx.params());
    let table = b.param("table", Type::U32);
    let row = b.param("row", Type::U32);
    let to_row = b.param("to_row", Type::U32);
    let tables: Vec<u64> = ctx.layout.tables.ids().map(|t| u64::from(number(t))).collect();
    if !tables.is_empty() {
        let code = |b: &mut FunctionBuilder, case: u64| {
            let table = ConstraintId(case as u32);
            for part in ctx.layout.parts(table) {
                if matches!(part, Part::Column(_) | Part::Ids) {
                    let value = build::element(ctx.part(&p, table, part), row.clone());
                    let place = build::element(ctx.part(&to, table, part), to_row.clone());
                    b.assign_owned("rows get new numbers by a scan", place, value);
                }
            }
        };
        b.switch(table, tables, code, |_| {});
    }
    b.finish()
}
