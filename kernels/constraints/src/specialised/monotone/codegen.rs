//! Monotone rules: their instances fire where they are found (the holes of `monotone.cu`).

use gchr_base::rule::{GoalKind, RuleId};
use gchr_base::signature::ConstraintId;
use gchr_constraints::class::Monotone;
use gchr_constraints::plan::{ChrPlan, Occurrence};

use crate::codegen::join::{Active, Age, partners};
use crate::codegen::value::{OnError, Values};
use crate::codegen::{CodegenCtx, function, op, u64};
use crate::layout::{Layout, Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::codegen::Sites;
use gchr_runtime::meter;

/// What the code of an occurrence is given beside the record of buffers.
struct Context {
    row: Expr,
    begin: Expr,
    end: Expr,
    counts: Expr,
    turn: Expr,
    kept: Expr,
    held: Expr,
}

impl Context {
    fn params(b: &mut FunctionBuilder) -> Self {
        let local = Type::Buffer(Space::Local, Scalar::U32);
        Self {
            row: b.param("row", Type::U32),
            begin: b.param("begin", local),
            end: b.param("end", local),
            counts: b.param("counts", Type::Buffer(Space::Global, Scalar::U32)),
            turn: b.param("turn", Type::U32),
            kept: b.param("kept", Type::Buffer(Space::Local, Scalar::U64)),
            held: b.param("held", local),
        }
    }

    fn args(&self, p: &Expr) -> Vec<Expr> {
        let own = [&self.row, &self.begin, &self.end, &self.counts, &self.turn, &self.kept, &self.held];
        [p].into_iter().chain(own).cloned().collect()
    }
}

/// Functions for the hole `derive`: one per table that is added to, one per occurrence, and last the one that picks
/// those of a table.
pub(crate) fn derive_functions(ctx: CodegenCtx<'_>, monotone: &Monotone, sites: &mut Sites) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let mut functions = Vec::new();
    let mut adders = Vec::new();
    for table in monotone.added_tables() {
        adders.push((table, FunctionId(first + functions.len() as u32)));
        functions.push(adder(ctx, monotone, table));
    }
    let mut found: Vec<(&Occurrence, FunctionId)> = Vec::new();
    for occurrence in monotone.occurrences(ctx.plan) {
        found.push((occurrence, FunctionId(first + functions.len() as u32)));
        functions.push(derive_occurrence(ctx, occurrence, &adders, sites));
    }
    let (mut b, p) = function(ctx, "derive", false, Type::U32);
    let table = b.param("table", Type::U32);
    let context = Context::params(&mut b);
    let fired = b.var("fired", build::u32(0));
    let cases: Vec<ConstraintId> =
        ctx.layout.tables.ids().filter(|&t| found.iter().any(|(o, _)| o.constraint == t)).collect();
    let code = |b: &mut FunctionBuilder, case: u64| {
        let table = ConstraintId(case as u32);
        let live = op(BinaryOp::Ne, ctx.id(&p, table, &context.row), ctx.names.constants.no_id.clone());
        b.when(live, |b| {
            for (_, f) in found.iter().filter(|(o, _)| o.constraint == table) {
                let more = b.call_typed("more", Type::U32, *f, context.args(&p));
                b.assign(fired.clone(), op(BinaryOp::Add, fired.clone(), more));
            }
        });
    };
    b.switch(table, cases.iter().map(|t| u64::from(number(*t))).collect(), code, |_| {});
    b.ret(Some(fired));
    functions.push(b.finish());
    functions
}

/// Whether a monotone table is a set: equal constraints are dropped.
fn is_set(plan: &ChrPlan, table: ConstraintId) -> bool {
    plan.classes.reduction_of(table).is_some()
}

/// Constraints that a thread keeps of each table: the template's `KEPT`.
const KEPT: u32 = 8;

/// Words that a thread needs for what it keeps; at least one.
pub(crate) fn kept_words(layout: &Layout, monotone: &Monotone) -> u64 {
    let words: usize = monotone.added_tables().map(|t| layout.tables[t].columns.len()).sum();
    (words as u64 * u64::from(KEPT)).max(1)
}

/// Where what is kept of a table begins.
fn first_kept(ctx: CodegenCtx<'_>, monotone: &Monotone, table: ConstraintId) -> u32 {
    let before = monotone.added_tables().take_while(|&t| t != table);
    before.map(|t| ctx.layout.tables[t].columns.len() as u32 * KEPT).sum()
}

fn put_name(ctx: CodegenCtx<'_>, table: ConstraintId) -> String {
    format!("put_{}", ctx.layout.tables[table].prefix)
}

/// Functions for the hole `put_kept`: one per table that is added to, and last the one that picks a table.
pub(crate) fn put_functions(ctx: CodegenCtx<'_>, monotone: &Monotone) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let tables: Vec<ConstraintId> = monotone.added_tables().collect();
    let mut functions: Vec<Function> = tables.iter().map(|&t| put(ctx, monotone, t)).collect();
    let (mut b, p) = function(ctx, "put_kept", false, Type::Void);
    let table = b.param("table", Type::U32);
    let local = Type::Buffer(Space::Local, Scalar::U32);
    let args = vec![
        p,
        b.param("from", Type::U32),
        b.param("place", Type::U32),
        b.param("kept", Type::Buffer(Space::Local, Scalar::U64)),
        b.param("held", local),
    ];
    let code = |b: &mut FunctionBuilder, case: u64| {
        let at = tables.iter().position(|&t| u64::from(number(t)) == case).unwrap_or(0) as u32;
        b.run(FunctionId(first + at), args.clone());
    };
    b.switch(table, tables.iter().map(|&t| u64::from(number(t))).collect(), code, |_| {});
    functions.push(b.finish());
    functions
}

/// Writes what a thread keeps of one table.
fn put(ctx: CodegenCtx<'_>, monotone: &Monotone, table: ConstraintId) -> Function {
    let (mut b, p) = function(ctx, put_name(ctx, table), false, Type::Void);
    b.doc(format!("Writes the constraints {} that a thread keeps.", ctx.plan.tables[table].name));
    b.doc("shares: bits: atomics only; the rows belong to this thread");
    let from = b.param("from", Type::U32);
    let place = b.param("place", Type::U32);
    let kept = b.param("kept", Type::Buffer(Space::Local, Scalar::U64));
    let held = b.param("held", Type::Buffer(Space::Local, Scalar::U32));
    let columns = ctx.layout.tables[table].columns.len() as u32;
    let count = b.var("count", build::element(held.clone(), build::u32(number(table))));
    let capacity = build::element(ctx.field(&p, "capacity"), build::u32(number(table)));
    let room = b.var("room", op(BinaryOp::Sub, capacity, from.clone()));
    let k = b.counter("k", Type::U32);
    b.begin();
    let first = build::u32(first_kept(ctx, monotone, table));
    let at = op(BinaryOp::Add, first, op(BinaryOp::Mul, k.clone(), build::u32(columns)));
    let at = b.var("at", at);
    let value = |c: u32| build::element(kept.clone(), op(BinaryOp::Add, at.clone(), build::u32(c)));
    let values: Vec<Expr> = (0..columns).map(|c| b.var(&format!("value{c}"), value(c))).collect();
    let rank = b.var("rank", op(BinaryOp::Add, place, k.clone()));
    b.begin();
    let row = b.var("row", op(BinaryOp::Add, from, rank.clone()));
    let own = |b: &mut FunctionBuilder, place: Expr| {
        b.push(StmtKind::Own { name: "handed out once by the counts".into(), place: build::place(place) });
    };
    for (c, value) in values.iter().enumerate() {
        let place = build::element(ctx.part(&p, table, Part::Column(c)), row.clone());
        own(&mut b, place.clone());
        b.assign(place, value.clone());
    }
    let id = ctx.id(&p, table, &row);
    own(&mut b, id.clone());
    b.assign(id, op(BinaryOp::Add, row, ctx.part(&p, table, Part::Bias)));
    let then = b.end();
    b.begin();
    if is_set(ctx.plan, table) {
        let bit = bit_of(ctx, &mut b, &p, table, &values);
        b.run(ctx.bits().clear_bit, vec![ctx.part(&p, table, Part::Bits), bit]);
    }
    let otherwise = b.end();
    b.push(StmtKind::If { condition: op(BinaryOp::Lt, rank, room), then, otherwise });
    let (more, next) = (op(BinaryOp::Lt, k.clone(), count), op(BinaryOp::Add, k.clone(), build::u32(1)));
    b.end_for(&k, build::u32(0), more, next);
    b.assign(build::element(held, build::u32(number(table))), build::u32(0));
    b.finish()
}

fn adder_name(ctx: CodegenCtx<'_>, table: ConstraintId) -> String {
    format!("add_{}", ctx.layout.tables[table].prefix)
}

/// Adds a constraint; says 1 when it is dropped as there is an equal one.
fn adder(ctx: CodegenCtx<'_>, monotone: &Monotone, table: ConstraintId) -> Function {
    let (mut b, p) = function(ctx, adder_name(ctx, table), false, Type::U32);
    b.doc(format!(
        "Adds a constraint {} unless there is one; says how many are dropped.",
        ctx.plan.tables[table].name
    ));
    b.doc("shares: bits and counts: atomics only; rows as `put_kept`");
    let from = b.param("from", Type::U32);
    let counts = b.param("counts", Type::Buffer(Space::Global, Scalar::U32));
    let turn = b.param("turn", Type::U32);
    let kept = b.param("kept", Type::Buffer(Space::Local, Scalar::U64));
    let held = b.param("held", Type::Buffer(Space::Local, Scalar::U32));
    let columns = ctx.layout.tables[table].columns.len();
    let values: Vec<Expr> = (0..columns).map(|c| b.param(&format!("value{c}"), Type::U64)).collect();
    if is_set(ctx.plan, table) {
        let bit = bit_of(ctx, &mut b, &p, table, &values);
        let args = vec![ctx.part(&p, table, Part::Bits), bit];
        let known = b.call("known", ctx.module, ctx.bits().set_bit, args);
        b.when(known, |b| {
            if let Some(reduction) = ctx.plan.classes.reduction_of(table) {
                b.push(StmtKind::Tally(meter::applied(reduction.rule)));
            }
            b.ret(Some(build::u32(1)));
        });
    }
    let own_count = build::element(held.clone(), build::u32(number(table)));
    let count = b.var("count", own_count.clone());
    let at = op(BinaryOp::Mul, count.clone(), build::u32(columns as u32));
    let at = b.var("at", op(BinaryOp::Add, build::u32(first_kept(ctx, monotone, table)), at));
    for (c, value) in values.iter().enumerate() {
        let word = build::element(kept.clone(), op(BinaryOp::Add, at.clone(), build::u32(c as u32)));
        b.assign(word, value.clone());
    }
    b.assign(own_count, op(BinaryOp::Add, count.clone(), build::u32(1)));
    b.when(build::eq(count, build::u32(KEPT - 1)), |b| {
        let word = build::element(counts, op(BinaryOp::Add, turn, build::u32(number(table))));
        let place = b.atomic("place", AtomicOp::Add, word, vec![build::u32(KEPT)]);
        let put = ctx.generated(&put_name(ctx, table));
        b.run(put, vec![p, from, place, kept, held]);
    });
    b.ret(Some(build::u32(0)));
    b.finish()
}

/// The place of a key's bit.
fn bit_of(
    ctx: CodegenCtx<'_>,
    b: &mut FunctionBuilder,
    p: &Expr,
    table: ConstraintId,
    values: &[Expr],
) -> Expr {
    let mut place = u64(0);
    for (c, value) in values.iter().enumerate() {
        let above = op(BinaryOp::Sub, value.clone(), ctx.part(p, table, Part::Low(c)));
        place = match c {
            0 => above,
            _ => op(BinaryOp::Add, op(BinaryOp::Mul, place, ctx.part(p, table, Part::Span(c))), above),
        };
    }
    b.var("place", place)
}

fn derive_occurrence(
    ctx: CodegenCtx<'_>,
    occurrence: &Occurrence,
    adders: &[(ConstraintId, FunctionId)],
    sites: &mut Sites,
) -> Function {
    let name = format!("derive_r{}_h{}", occurrence.rule.0, occurrence.head);
    let (mut b, p) = function(ctx, name, false, Type::U32);
    let rule_name = ctx.program.rule_name(occurrence.rule);
    b.doc(format!("Fires {rule_name} with a constraint at head {}.", occurrence.head + 1));
    let context = Context::params(&mut b);
    b.origin(ctx.line(occurrence.rule), rule_name);
    let fired = b.var("fired", build::u32(0));
    let limit = |table: ConstraintId| {
        let at = build::u32(number(table));
        match number(table).cmp(&number(occurrence.constraint)) {
            std::cmp::Ordering::Less => build::element(context.end.clone(), at),
            std::cmp::Ordering::Equal => context.row.clone(),
            std::cmp::Ordering::Greater => build::element(context.begin.clone(), at),
        }
    };
    let limits = ctx.layout.tables.ids().map(limit).collect();
    let mut v = Values::new(ctx, b, p.clone(), occurrence.rule, &occurrence.slots, OnError::Flag, sites);
    v.open_if(build::bool(true));
    v.rows[occurrence.head] = Some(context.row.clone());
    occurrence.entry.iter().for_each(|s| v.step(s));
    let active = Active { table: occurrence.constraint, row: context.row.clone(), age: Age::Before(limits) };
    partners(&mut v, &active, &occurrence.joins);
    occurrence.commit.iter().for_each(|s| v.step(s));
    v.b.assign(fired.clone(), op(BinaryOp::Add, fired.clone(), build::u32(1)));
    v.b.push(StmtKind::Tally(meter::applied(occurrence.rule)));
    body(&mut v, occurrence.rule, &context, adders, &fired);
    v.close();
    v.b.ret(Some(fired));
    v.b.finish()
}

fn body(
    v: &mut Values<'_>,
    rule: RuleId,
    context: &Context,
    adders: &[(ConstraintId, FunctionId)],
    fired: &Expr,
) {
    let ctx = v.ctx;
    for goal in &ctx.plan.rules[rule].body {
        match &goal.kind {
            GoalKind::Bind { var, value } => {
                let held = v.expr(value);
                v.bind_var(*var, held);
            }
            GoalKind::Add { constraint, args } => {
                let from = build::element(context.end.clone(), build::u32(number(*constraint)));
                let mut all = vec![v.p.clone(), from];
                all.extend([&context.counts, &context.turn, &context.kept, &context.held].map(Expr::clone));
                for (column, arg) in args.iter().enumerate() {
                    let held = v.expr(arg);
                    debug_assert_eq!(held.kind, ctx.plan.tables[*constraint].columns[column].kind);
                    all.push(Values::word(&held));
                }
                let found = adders.iter().find(|(t, _)| t == constraint);
                let (_, adder) = found.expect("monotone rules add to tables that are added to");
                let dropped = v.b.call_typed("dropped", Type::U32, *adder, all);
                v.b.assign(fired.clone(), op(BinaryOp::Add, fired.clone(), dropped));
            }
            // Monotone rules have no other goals.
            _ => {}
        }
    }
}

/// `link_added`: a row enters all indexes of its table.
pub(crate) fn link_function(ctx: CodegenCtx<'_>, monotone: &Monotone) -> Function {
    let (mut b, p) = function(ctx, "link_added", false, Type::Void);
    let table = b.param("table", Type::U32);
    let row = b.param("row", Type::U32);
    let linked: Vec<u64> =
        ctx.layout.tables.ids().filter(|&t| monotone.is_linked(t)).map(|t| u64::from(number(t))).collect();
    if !linked.is_empty() {
        let index_row = ctx.names.functions.index_row;
        let code = |b: &mut FunctionBuilder, case: u64| {
            b.run(index_row, vec![p.clone(), build::u32(case as u32), row.clone()]);
        };
        b.switch(table, linked, code, |_| {});
    }
    b.finish()
}

/// `remember` and `forget`: the bit of a row.
pub(crate) fn row_bit(ctx: CodegenCtx<'_>, monotone: &Monotone, name: &str) -> Function {
    let (mut b, p) = function(ctx, name, false, Type::Void);
    let table = b.param("table", Type::U32);
    let row = b.param("row", Type::U32);
    let sets: Vec<u64> =
        monotone.added_tables().filter(|&t| is_set(ctx.plan, t)).map(|t| u64::from(number(t))).collect();
    if !sets.is_empty() {
        let code = |b: &mut FunctionBuilder, case: u64| {
            let table = ConstraintId(case as u32);
            let column = |c| build::element(ctx.part(&p, table, Part::Column(c)), row.clone());
            let values: Vec<Expr> = (0..ctx.layout.tables[table].columns.len()).map(column).collect();
            let place = bit_of(ctx, b, &p, table, &values);
            let bits = ctx.bits();
            let change = if name == "remember" { bits.set_bit } else { bits.clear_bit };
            b.run(change, vec![ctx.part(&p, table, Part::Bits), place]);
        };
        b.switch(table, sets, code, |_| {});
    }
    b.finish()
}
