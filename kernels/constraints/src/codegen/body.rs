//! Bodies: what a candidate that fires adds to the store; and, when something in it or in its guard has no value, what
//! that is.

use gchr_base::rule::{self, GoalKind, RuleId, VarId};
use gchr_base::signature::ConstraintId;
use gchr_constraints::exec::{column_text, variable_text};
use gchr_constraints::plan::Occurrence;

use super::claim::{Entry, by_rule};
use super::value::{OnError, TypedExpr, Values};
use super::{CodegenCtx, any, function, not, op};
use crate::layout::{LOG_KINDS, LOG_VALUES, Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::codegen::{DeviceTrap, Site, Sites};

/// Functions for the hole `build`: one per rule, and last the one that picks a rule.
pub(crate) fn build_functions(ctx: CodegenCtx<'_>, sites: &mut Sites) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let mut functions = Vec::new();
    let mut of_rules = Vec::new();
    for (rule, occurrence) in firing_rules(ctx) {
        of_rules.push((rule, FunctionId(first + functions.len() as u32)));
        functions.push(build_rule(ctx, rule, occurrence, sites));
    }
    let (mut b, p) = function(ctx, "build", false, Type::BOOL);
    let entry = b.param("entry", Type::U32);
    let rows = b.param("rows", Type::Buffer(Space::Local, Scalar::U32));
    let id = b.param("id", Type::U32);
    let delta = b.param("delta", Type::Buffer(Space::Global, Scalar::U64));
    let failed = b.var("failed", build::bool(false));
    let at = Entry::staged(ctx, &mut b, &p, &entry);
    let rule = at.rule(ctx);
    let args = vec![p.clone(), entry, rows, id, delta];
    dispatch(ctx, &mut b, rule, &of_rules, &args, Some(&failed));
    b.ret(Some(failed));
    functions.push(b.finish());
    functions
}

/// Functions for the hole `explain`: one per rule, and last the one that picks a rule.
pub(crate) fn explain_functions(ctx: CodegenCtx<'_>, sites: &mut Sites) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let mut functions = Vec::new();
    let mut of_rules = Vec::new();
    for (rule, occurrence) in firing_rules(ctx) {
        of_rules.push((rule, FunctionId(first + functions.len() as u32)));
        functions.push(explain_rule(ctx, rule, occurrence, sites));
    }
    let (mut b, p) = function(ctx, "explain", false, Type::Void);
    let entry = b.param("entry", Type::U32);
    let body = b.param("body", Type::BOOL);
    let at = Entry::staged(ctx, &mut b, &p, &entry);
    let rule = at.rule(ctx);
    dispatch(ctx, &mut b, rule, &of_rules, &[p.clone(), entry, body], None);
    functions.push(b.finish());
    functions
}

/// Rules that can fire, each with an occurrence that says how its variables are bound.
fn firing_rules<'a>(ctx: CodegenCtx<'a>) -> impl Iterator<Item = (RuleId, &'a Occurrence)> {
    let found = move |rule| ctx.plan.occurrences.iter().find(move |o| o.rule == rule);
    ctx.plan.general_rules().filter_map(move |(rule, _)| Some((rule, found(rule)?)))
}

fn dispatch(
    ctx: CodegenCtx<'_>,
    b: &mut FunctionBuilder,
    rule: Expr,
    of_rules: &[(RuleId, FunctionId)],
    args: &[Expr],
    result: Option<&Expr>,
) {
    let target = |e: &Expr| match e.kind {
        ExprKind::Var(v) => Some(Target::Assign(v)),
        _ => None,
    };
    by_rule(
        ctx,
        b,
        rule,
        |r| of_rules.iter().any(|(of, _)| *of == r),
        |b, rule| {
            for &(_, function) in of_rules.iter().filter(|(of, _)| *of == rule) {
                let effect = Effect::Call { function, args: args.to_vec() };
                b.push(StmtKind::Effect { result: result.and_then(target), effect });
            }
        },
    );
}

/// Values of a rule whose heads are the rows of a staged entry, with the variables of its heads and guard bound.
fn bound<'a>(
    ctx: CodegenCtx<'a>,
    mut b: FunctionBuilder,
    p: Expr,
    entry: &Expr,
    occurrence: &Occurrence,
    on_error: OnError,
    sites: &'a mut Sites,
) -> Values<'a> {
    let rule = occurrence.rule;
    b.origin(ctx.line(rule), ctx.program.rule_name(rule));
    let at = Entry::staged(ctx, &mut b, &p, entry);
    let heads = ctx.plan.rules[rule].heads.len();
    let rows: Vec<Expr> = (0..heads).map(|h| at.row(&mut b, h)).collect();
    let mut v = Values::new(ctx, b, p, rule, &occurrence.slots, on_error, sites);
    v.rows = rows.into_iter().map(Some).collect();
    let joins = occurrence.joins.iter().flat_map(|j| &j.steps);
    occurrence.entry.iter().chain(joins).chain(&occurrence.commit).for_each(|s| v.replay(s));
    v
}

fn build_rule(ctx: CodegenCtx<'_>, rule: RuleId, occurrence: &Occurrence, sites: &mut Sites) -> Function {
    let (mut b, p) = function(ctx, format!("build_r{}", rule.0), false, Type::BOOL);
    b.doc(format!("The body of {}; says whether it fails.", ctx.program.rule_name(rule)));
    let entry = b.param("entry", Type::U32);
    let rows = b.param("rows", Type::Buffer(Space::Local, Scalar::U32));
    let id = b.param("id", Type::U32);
    let delta = b.param("delta", Type::Buffer(Space::Global, Scalar::U64));
    let places = Places { rows, id, delta };
    let mut v = bound(ctx, b, p, &entry, occurrence, OnError::Flag, sites);
    let mut failed = Vec::new();
    let mut added: Vec<ConstraintId> = Vec::new();
    for (at, (goal, can_fail)) in goals(ctx, rule).enumerate() {
        match &goal.kind {
            GoalKind::Test(test) => {
                let (held, wrong) = v.goal(test, can_fail[0]);
                failed.extend(wrong);
                failed.push(not(held.expr));
            }
            GoalKind::Bind { var, value } => {
                let wrong = bind(&mut v, *var, value, can_fail[0]);
                failed.extend(wrong);
            }
            GoalKind::Match { value, pattern } => {
                let (held, wrong) = v.goal(value, can_fail[0]);
                failed.extend(wrong);
                let matches = v.pattern(held, pattern);
                failed.push(not(matches));
            }
            GoalKind::Add { constraint, args } => {
                let mut values = Vec::with_capacity(args.len());
                for (column, arg) in args.iter().enumerate() {
                    let (held, wrong) = argument(&mut v, *constraint, column, arg, can_fail[column]);
                    failed.extend(wrong);
                    values.push(held);
                }
                add(&mut v, *constraint, &values, &places, &added);
                added.push(*constraint);
            }
            GoalKind::Fail => failed.push(build::bool(true)),
            GoalKind::Write { value, .. } => {
                failed.extend(write(&mut v, rule, Some((at, value, can_fail[0])), &places));
            }
            GoalKind::Newline => {}
        }
    }
    failed.extend(write(&mut v, rule, None, &places));
    v.b.ret(Some(any(failed)));
    v.b.finish()
}

/// The goals of a body, with whether each of their expressions can fail.
fn goals<'a>(ctx: CodegenCtx<'a>, rule: RuleId) -> impl Iterator<Item = (&'a rule::Goal, &'a [bool])> {
    let plan = &ctx.plan.rules[rule];
    plan.body.iter().zip(plan.can_fail.iter().map(Vec::as_slice))
}

/// Gives a variable its value; says whether there is none.
fn bind(v: &mut Values<'_>, var: VarId, value: &rule::Expr, can_fail: bool) -> Option<Expr> {
    let kind = v.kind_of_var(var);
    let (held, wrong) = v.goal_of_kind(value, can_fail, kind, || variable_text(kind));
    v.bind_var(var, held);
    wrong
}

/// The value for a column of a constraint that is added; whether there is none.
fn argument(
    v: &mut Values<'_>,
    table: ConstraintId,
    column: usize,
    arg: &rule::Expr,
    can_fail: bool,
) -> (TypedExpr, Option<Expr>) {
    let plan = v.ctx.plan;
    let kind = plan.tables[table].columns[column].kind;
    v.goal_of_kind(arg, can_fail, kind, || column_text(plan, table, column))
}

/// Why rows and ids of what bodies add belong to one candidate.
const ROWS: &str = "rows and ids are exclusive sums";

/// Where what a body adds goes: its rows by table, its first id, the list of new constraints.
struct Places {
    rows: Expr,
    id: Expr,
    delta: Expr,
}

/// Writes a constraint behind those that the body has added before.
fn add(
    v: &mut Values<'_>,
    table: ConstraintId,
    values: &[TypedExpr],
    places: &Places,
    added: &[ConstraintId],
) {
    let ctx = v.ctx;
    let p = v.p.clone();
    let before = added.iter().filter(|&&t| t == table).count() as u32;
    let sum = ctx.layout.added.iter().position(|&t| t == table).expect("a body adds to it") as u32;
    let row = op(BinaryOp::Add, build::element(places.rows.clone(), build::u32(sum)), build::u32(before));
    let row = v.b.var("row", row);
    let own = op(BinaryOp::Add, places.id.clone(), build::u32(added.len() as u32));
    let own = v.b.var("new_id", own);
    for (column, held) in values.iter().enumerate() {
        let place = build::element(ctx.part(&p, table, Part::Column(column)), row.clone());
        v.b.assign_owned(ROWS, place, Values::word(held));
    }
    v.b.assign_owned(ROWS, ctx.id(&p, table, &row), own.clone());
    let next_id = build::element(ctx.field(&p, "state"), ctx.names.constants.next_id.clone());
    let place = v.b.var("place", op(BinaryOp::Sub, build::cast(Scalar::U64, own), next_id));
    let high = super::u64(u64::from(number(table)) << 32);
    let entry = op(BinaryOp::Or, high, build::cast(Scalar::U64, row));
    v.b.assign_owned(ROWS, build::element(places.delta.clone(), place), entry);
}

/// Puts what a goal writes, or for `None` a body without values, behind what the body has written before, if there is a
/// row for it; says whether there is no value.
fn write(
    v: &mut Values<'_>,
    rule: RuleId,
    goal: Option<(usize, &rule::Expr, bool)>,
    places: &Places,
) -> Option<Expr> {
    let ctx = v.ctx;
    let position = goal.map(|(at, ..)| at);
    let mut rows = ctx.layout.output.of_rule(rule).enumerate();
    let found = rows.find(|(_, (_, kind))| kind.value.map(|value| value.goal) == position);
    let (before, (number, _)) = found?;
    let (word, wrong) = match goal {
        Some((_, value, can_fail)) => {
            let (held, wrong) = v.goal(value, can_fail);
            (Values::word(&held), wrong)
        }
        None => (super::u64(0), None),
    };
    let log = ctx.layout.added.len() as u32;
    let first = build::element(places.rows.clone(), build::u32(log));
    let row = v.b.var("row", op(BinaryOp::Add, first, build::u32(before as u32)));
    let p = v.p.clone();
    for (field, value) in [(LOG_KINDS, build::u32(number as u32)), (LOG_VALUES, word)] {
        v.b.assign_owned(ROWS, build::element(ctx.field(&p, field), row.clone()), value);
    }
    wrong
}

fn explain_rule(ctx: CodegenCtx<'_>, rule: RuleId, occurrence: &Occurrence, sites: &mut Sites) -> Function {
    let (mut b, p) = function(ctx, format!("explain_r{}", rule.0), false, Type::Void);
    b.doc(format!("Notes the error of an instance of {}.", ctx.program.rule_name(rule)));
    let entry = b.param("entry", Type::U32);
    let body = b.param("body", Type::BOOL);
    let mut v = bound(ctx, b, p, &entry, occurrence, OnError::Note, sites);
    v.open_if(body);
    for (goal, can_fail) in goals(ctx, rule) {
        let holds = match &goal.kind {
            GoalKind::Test(test) => v.expr(test).expr,
            GoalKind::Bind { var, value } => {
                bind(&mut v, *var, value, can_fail[0]);
                continue;
            }
            GoalKind::Match { value, pattern } => {
                let held = v.expr(value);
                v.pattern(held, pattern)
            }
            GoalKind::Add { constraint, args } => {
                for (column, arg) in args.iter().enumerate() {
                    argument(&mut v, *constraint, column, arg, can_fail[column]);
                }
                continue;
            }
            GoalKind::Write { value, .. } => {
                v.expr(value);
                continue;
            }
            GoalKind::Fail => build::bool(false),
            GoalKind::Newline => continue,
        };
        let site = v.sites.add_goal(Site { rule: Some(rule), span: goal.span });
        let error = ctx.field(&v.p, "error");
        let zero = || super::u64(0);
        v.b.when(not(holds), |b| {
            b.run(
                ctx.names.functions.fail,
                vec![error, build::u32(site), build::u32(DeviceTrap::FAILED), zero(), zero()],
            );
        });
    }
    v.close();
    v.b.finish()
}
