//! What staged candidates want: claims and ranks of the rows that they would remove, and whether a better candidate has
//! them.

use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::ConstraintId;

use super::{CodegenCtx, any, function, op};
use crate::layout::ENTRY_WORDS;
use crate::layout::{Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::meter;

/// Rows of a staged entry, by head.
pub(super) struct Entry {
    at: Expr,
    buffer: Expr,
}

impl Entry {
    /// The entry of a number in the staged list.
    pub fn staged(ctx: CodegenCtx<'_>, b: &mut FunctionBuilder, p: &Expr, entry: &Expr) -> Self {
        let at = b.var("first_word", op(BinaryOp::Mul, entry.clone(), ctx.names.constants.entry.clone()));
        Self { at, buffer: ctx.field(p, "staged") }
    }

    fn word(&self, offset: u32) -> Expr {
        build::element(self.buffer.clone(), op(BinaryOp::Add, self.at.clone(), build::u32(offset)))
    }

    /// Its rule.
    pub fn rule(&self, ctx: CodegenCtx<'_>) -> Expr {
        op(BinaryOp::And, self.word(1), ctx.names.constants.rule.clone())
    }

    /// The row of a head.
    pub fn row(&self, b: &mut FunctionBuilder, head: usize) -> Expr {
        b.var(&format!("x{head}"), self.word((ENTRY_WORDS + head) as u32))
    }
}

/// A function of the template that is about a staged entry, as far as all of them begin alike.
struct OfEntry<const N: usize> {
    b: FunctionBuilder,
    p: Expr,
    args: [Expr; N],
    at: Entry,
    rule: Expr,
}

/// Parameters of such functions: the entry's number, its key and its place in the order of the round.
const ENTRY: (&str, Type) = ("entry", Type::U32);
const KEY: (&str, Type) = ("key", Type::U64);
const PLACE: (&str, Type) = ("place", Type::U32);

fn of_entry<const N: usize>(
    ctx: CodegenCtx<'_>,
    name: &str,
    params: [(&str, Type); N],
    result: Type,
) -> OfEntry<N> {
    let (mut b, p) = function(ctx, name, false, result);
    let mut entry = None;
    let args = params.map(|(name, ty)| {
        let arg = b.param(name, ty);
        if name == ENTRY.0 {
            entry = Some(arg.clone());
        }
        arg
    });
    let entry = entry.unwrap_or_else(|| build::u32(0));
    let at = Entry::staged(ctx, &mut b, &p, &entry);
    let rule = at.rule(ctx);
    OfEntry { b, p, args, at, rule }
}

/// Code by the rule of an entry.
pub(super) fn by_rule(
    ctx: CodegenCtx<'_>,
    b: &mut FunctionBuilder,
    rule: Expr,
    mut wanted: impl FnMut(RuleId) -> bool,
    mut code: impl FnMut(&mut FunctionBuilder, RuleId),
) {
    let cases: Vec<u64> = ctx
        .plan
        .general_rules()
        .map(|(r, _)| r)
        .filter(|&r| wanted(r))
        .map(|r| u64::from(number(r)))
        .collect();
    if !cases.is_empty() {
        b.switch(rule, cases, |b, case| code(b, RuleId(case as u32)), |_| {});
    }
}

fn removed_heads(ctx: CodegenCtx<'_>, rule: RuleId) -> impl Iterator<Item = (usize, ConstraintId)> {
    let heads = ctx.plan.rules[rule].heads.iter().enumerate();
    heads.filter(|(_, h)| h.role == Role::Removed).map(|(i, h)| (i, h.constraint))
}

/// Whether two candidates of the rule with one newest constraint can want the same row for reasons that claims do not
/// show: one keeps what the other one removes.
fn keeps_what_it_removes(ctx: CodegenCtx<'_>, rule: RuleId) -> bool {
    let heads = &ctx.plan.rules[rule].heads;
    heads.iter().any(|h| h.role == Role::Kept && removed_heads(ctx, rule).any(|(_, t)| t == h.constraint))
}

/// `claim_rows`.
pub(crate) fn claim_rows(ctx: CodegenCtx<'_>) -> Function {
    let params = [("turn", Type::U32), ENTRY, KEY];
    let OfEntry { mut b, p, args: [turn, _, key], at, rule } =
        of_entry(ctx, "claim_rows", params, Type::Void);
    let flag = op(BinaryOp::Add, turn, ctx.names.constants.contended.clone());
    let raise = vec![ctx.field(&p, "control"), flag];
    by_rule(
        ctx,
        &mut b,
        rule,
        |r| removed_heads(ctx, r).next().is_some(),
        |b, rule| {
            let several = ctx.plan.rules[rule].heads.len() > 1;
            for (head, table) in removed_heads(ctx, rule) {
                let row = at.row(b, head);
                let claims = ctx.part(&p, table, Part::Claims);
                let again = b.call(
                    "again",
                    ctx.module,
                    ctx.names.functions.claim,
                    vec![claims, row.clone(), key.clone()],
                );
                if several {
                    b.run(ctx.names.functions.unrank, vec![ctx.part(&p, table, Part::Ranks), row]);
                    b.when(again, |b| b.run(ctx.names.functions.raise, raise.clone()));
                }
            }
            if keeps_what_it_removes(ctx, rule) {
                b.run(ctx.names.functions.raise, raise.clone());
            }
        },
    );
    b.finish()
}

/// `rank_rows`.
pub(crate) fn rank_rows(ctx: CodegenCtx<'_>) -> Function {
    let params = [ENTRY, KEY, PLACE];
    let OfEntry { mut b, p, args: [_, key, place], at, rule } =
        of_entry(ctx, "rank_rows", params, Type::Void);
    let several = |r: RuleId| removed_heads(ctx, r).next().is_some() && ctx.plan.rules[r].heads.len() > 1;
    by_rule(ctx, &mut b, rule, several, |b, rule| {
        for (head, table) in removed_heads(ctx, rule) {
            let row = at.row(b, head);
            let claimed = build::element(ctx.part(&p, table, Part::Claims), row.clone());
            b.when(build::eq(claimed, key.clone()), |b| {
                let ranks = ctx.part(&p, table, Part::Ranks);
                b.run(ctx.names.functions.claim, vec![ranks, row, build::cast(Scalar::U64, place.clone())]);
            });
        }
    });
    b.finish()
}

/// `is_beaten`.
pub(crate) fn is_beaten(ctx: CodegenCtx<'_>) -> Function {
    let params = [ENTRY, KEY, PLACE];
    let OfEntry { mut b, p, args: [_, key, place], at, rule } =
        of_entry(ctx, "is_beaten", params, Type::BOOL);
    let result = b.var("lost", build::bool(false));
    let claimed = |r: RuleId| {
        let heads = ctx.plan.rules[r].heads.iter().enumerate();
        let tables = heads.map(|(i, h)| (i, h.constraint));
        tables.filter(|&(_, t)| ctx.layout.tables[t].claimed).collect::<Vec<_>>()
    };
    by_rule(
        ctx,
        &mut b,
        rule,
        |r| !claimed(r).is_empty(),
        |b, rule| {
            let heads = &ctx.plan.rules[rule].heads;
            let ranked = heads.len() > 1 && removed_heads(ctx, rule).next().is_some();
            let mut reasons = Vec::new();
            for (head, table) in claimed(rule) {
                let row = at.row(b, head);
                let claim = b.var("best", build::element(ctx.part(&p, table, Part::Claims), row.clone()));
                reasons.push(op(BinaryOp::Lt, claim.clone(), key.clone()));
                // A row that only other rules remove is not contended within the list.
                if ranked && removed_heads(ctx, rule).any(|(_, t)| t == table) {
                    let rank = build::element(ctx.part(&p, table, Part::Ranks), row);
                    let worse = op(BinaryOp::Lt, rank, build::cast(Scalar::U64, place.clone()));
                    reasons.push(op(BinaryOp::AndAlso, build::eq(claim, key.clone()), worse));
                }
            }
            b.assign(result.clone(), any(reasons));
        },
    );
    b.ret(Some(result));
    b.finish()
}

/// `remove_rows`.
pub(crate) fn remove_rows(ctx: CodegenCtx<'_>) -> Function {
    let params = [ENTRY];
    let OfEntry { mut b, p, args: [_], at, rule } = of_entry(ctx, "remove_rows", params, Type::Void);
    by_rule(
        ctx,
        &mut b,
        rule,
        |_| true,
        |b, rule| {
            b.push(StmtKind::Tally(meter::applied(rule)));
            for (head, table) in removed_heads(ctx, rule) {
                let row = at.row(b, head);
                let id = ctx.id(&p, table, &row);
                b.assign_owned(
                    "no other candidate that fires removes the row",
                    id,
                    ctx.names.constants.no_id.clone(),
                );
                let dead = build::element(ctx.field(&p, "dead"), build::u32(number(table)));
                b.update(AtomicOp::Add, dead, vec![build::u32(1)]);
            }
        },
    );
    b.finish()
}

/// `id_of`.
pub(crate) fn id_of(ctx: CodegenCtx<'_>) -> Function {
    let (mut b, p) = function(ctx, "id_of", false, Type::U32);
    let table = b.param("table", Type::U32);
    let row = b.param("row", Type::U32);
    let id = b.var("id", ctx.names.constants.no_id.clone());
    let tables: Vec<u64> = ctx.layout.tables.ids().map(|t| u64::from(number(t))).collect();
    if !tables.is_empty() {
        let code = |b: &mut FunctionBuilder, case: u64| {
            b.assign(id.clone(), ctx.id(&p, ConstraintId(case as u32), &row));
        };
        b.switch(table, tables, code, |_| {});
    }
    b.ret(Some(id));
    b.finish()
}

/// `all_live`.
pub(crate) fn all_live(ctx: CodegenCtx<'_>) -> Function {
    let (mut b, p) = function(ctx, "all_live", false, Type::BOOL);
    let rule = b.param("rule", Type::U32);
    let entries = b.param("entries", Type::Buffer(Space::Global, Scalar::U32));
    let at = b.param("at", Type::U32);
    let live = b.var("live", build::bool(true));
    by_rule(
        ctx,
        &mut b,
        rule,
        |_| true,
        |b, rule| {
            let heads = ctx.plan.rules[rule].heads.iter().enumerate();
            let conditions = heads.map(|(h, head)| {
                let row =
                    build::element(entries.clone(), op(BinaryOp::Add, at.clone(), build::u32(h as u32)));
                op(BinaryOp::Ne, ctx.id(&p, head.constraint, &row), ctx.names.constants.no_id.clone())
            });
            b.assign(live.clone(), build::all(conditions));
        },
    );
    b.ret(Some(live));
    b.finish()
}
