//! The part of a list that is all of a rule with several partners, or with none.
//!
//! The best instance that removes the constraint is sought first, as that one ends the list; then those before it in
//! rank are staged, in any order, and last that one itself. Where partners are rows of whole tables, the lanes of a
//! warp share the innermost of them.

use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::ConstraintId;
use gchr_constraints::plan::Occurrence;

use super::{Candidate, PARTS, Params, row_word, stage, tag};
use crate::codegen::join::{Active, Age, all_rows, partner};
use crate::codegen::value::{OnError, Values};
use crate::codegen::{CodegenCtx, any, function, not, op};
use crate::layout::number;
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::codegen::Sites;
use gchr_runtime::meter;

/// Rows of a table that one thread looks at by itself.
const FEW: u32 = 64;

/// The part of a rule with several partners.
pub(super) struct Many<'a> {
    pub ctx: CodegenCtx<'a>,
    pub rule: RuleId,
    pub table: ConstraintId,
    pub occurrences: Vec<&'a Occurrence>,
}

/// Parameters of `seek` and `stage_kept` behind those that say of what.
pub(super) fn params(b: &mut FunctionBuilder) -> Vec<Expr> {
    let entries = Type::Buffer(Space::Global, Scalar::U32);
    let own = [("row", Type::U32), ("id", Type::U32), ("behind", Type::BOOL), ("entries", entries)];
    let best = Type::Buffer(Space::Local, Scalar::U32);
    let shared = [("at", Type::U32), ("lane", Type::U32), ("stride", Type::U32), ("best", best)];
    own.into_iter().chain(shared).map(|(name, ty)| b.param(name, ty)).collect()
}

/// What both functions have.
struct Shared {
    p: Expr,
    row: Expr,
    id: Expr,
    behind: Expr,
    entries: Expr,
    at: Expr,
    lane: Expr,
    stride: Expr,
    best: Expr,
}

impl Shared {
    fn declare(b: &mut FunctionBuilder, p: Expr) -> Self {
        let all = params(b);
        let [row, id, behind, entries, at, lane, stride, best] =
            <[Expr; 8]>::try_from(all).unwrap_or_else(|_| unreachable!("there are eight"));
        Self { p, row, id, behind, entries, at, lane, stride, best }
    }

    fn found(&self) -> Expr {
        op(BinaryOp::Ne, self.best_word(0), build::u32(0))
    }

    fn best_word(&self, word: usize) -> Expr {
        build::element(self.best.clone(), build::u32(word as u32))
    }
}

/// Words that compare as the ranks of instances of a rule do: two heads a word, removed ones complemented.
fn rank_words(ctx: CodegenCtx<'_>, rule: RuleId, rows: &[Expr]) -> Vec<Expr> {
    let heads = &ctx.plan.rules[rule].heads;
    let half = |(h, row): (usize, &Expr)| {
        let row = match heads[h].role {
            Role::Kept => row.clone(),
            Role::Removed => Expr::new(ExprKind::Unary(UnaryOp::BitNot, Box::new(row.clone())), Type::U32),
        };
        build::cast(Scalar::U64, row)
    };
    let halves: Vec<Expr> = rows.iter().enumerate().map(half).collect();
    let word = |pair: &[Expr]| match pair {
        [high, low] => op(BinaryOp::Or, op(BinaryOp::Shl, high.clone(), build::u32(32)), low.clone()),
        _ => pair[0].clone(),
    };
    halves.chunks(2).map(word).collect()
}

/// Whether rank words come before others.
fn before(a: &[Expr], b: &[Expr]) -> Expr {
    let mut all = Vec::new();
    for k in 0..a.len() {
        let equal = (0..k).map(|j| build::eq(a[j].clone(), b[j].clone()));
        let less = op(BinaryOp::Lt, a[k].clone(), b[k].clone());
        all.push(build::all(equal.chain([less])));
    }
    any(all)
}

impl Many<'_> {
    fn name(&self, prefix: &str) -> String {
        format!("{prefix}_{}_r{}", self.ctx.layout.tables[self.table].prefix, self.rule.0)
    }

    fn heads(&self) -> usize {
        self.ctx.plan.rules[self.rule].heads.len()
    }

    /// The best instance that removes the constraint.
    pub fn seek(&self, sites: &mut Sites) -> Function {
        let ctx = self.ctx;
        let (mut b, p) = function(ctx, self.name("seek"), false, Type::Void);
        b.doc(format!("The first instance of {} that removes its newest constraint.", self.what()));
        let shared = Shared::declare(&mut b, p);
        let place = self.place(&mut b, &shared);
        b.assign(shared.best_word(0), build::u32(0));
        let rows: Vec<Expr> = (0..self.heads()).map(|h| shared.best_word(h + 1)).collect();
        let found = rank_words(ctx, self.rule, &rows);
        for occurrence in self.occurrences.iter().filter(|o| o.removes_active) {
            let mut v = self.instances(b, &shared, occurrence, build::bool(true), &place, sites);
            let own: Vec<Expr> = v.rows.iter().flatten().cloned().collect();
            let earlier = before(&rank_words(ctx, self.rule, &own), &found);
            v.open_if(any([not(shared.found()), earlier]));
            let fails = v.fails();
            let select = ExprKind::Select(Box::new(fails), Box::new(build::u32(2)), Box::new(build::u32(1)));
            v.b.assign(shared.best_word(0), Expr::new(select, Type::U32));
            rows.iter().zip(own).for_each(|(best, row)| v.b.assign(best.clone(), row));
            v.close();
            b = v.b;
        }
        b.finish()
    }

    /// The instances before it that keep the constraint.
    pub fn keep(&self, sites: &mut Sites) -> Function {
        let ctx = self.ctx;
        let (mut b, p) = function(ctx, self.name("keep"), false, Type::Void);
        b.doc(format!("Stages the instances of {} that keep their newest constraint.", self.what()));
        let (turn, item) = (b.param("turn", Type::U32), b.param("item", Type::U32));
        let shared = Shared::declare(&mut b, p);
        let place = self.place(&mut b, &shared);
        let rows: Vec<Expr> = (0..self.heads()).map(|h| shared.best_word(h + 1)).collect();
        let found = rank_words(ctx, self.rule, &rows);
        for occurrence in self.occurrences.iter().filter(|o| !o.removes_active) {
            // With the constraint at the first head all instances come behind those with an older one there.
            let ended = op(BinaryOp::Lt, shared.best_word(1), shared.row.clone());
            let wanted = match occurrence.head {
                0 => not(op(BinaryOp::AndAlso, shared.found(), ended)),
                _ => build::bool(true),
            };
            let mut v = self.instances(b, &shared, occurrence, wanted, &place, sites);
            let own: Vec<Expr> = v.rows.iter().flatten().cloned().collect();
            v.open_if(any([not(shared.found()), before(&rank_words(ctx, self.rule, &own), &found)]));
            let candidate = Candidate {
                table: self.table,
                row: &shared.row,
                id: &shared.id,
                tag: tag(self.rule, (!occurrence.joins.is_empty()).then_some(&ctx.names.constants.unordered)),
                fails: v.fails(),
                rows: own,
            };
            stage(ctx, &mut v.b, [&shared.p, &turn, &item], candidate);
            v.close();
            b = v.b;
        }
        b.finish()
    }

    fn what(&self) -> String {
        let table = &self.ctx.plan.tables[self.table].name;
        format!("{} with a {table} as the newest constraint", self.ctx.program.rule_name(self.rule))
    }

    /// Rank words of the place behind which the list goes on, and whether it does so in this rule.
    fn place(&self, b: &mut FunctionBuilder, shared: &Shared) -> (Expr, Vec<Expr>) {
        let word = |n: usize| {
            let at = op(BinaryOp::Add, shared.at.clone(), build::u32(n as u32));
            build::element(shared.entries.clone(), at)
        };
        let resumes = b.var("resumes", build::bool(false));
        let rows: Vec<Expr> =
            (0..self.heads()).map(|h| b.var(&format!("behind{h}"), build::u32(0))).collect();
        b.when(shared.behind.clone(), |b| {
            let rule = op(BinaryOp::And, word(1), self.ctx.names.constants.rule.clone());
            b.assign(resumes.clone(), build::eq(rule, build::u32(number(self.rule))));
            rows.iter().enumerate().for_each(|(h, row)| b.assign(row.clone(), word(row_word(h))));
        });
        (resumes, rank_words(self.ctx, self.rule, &rows))
    }

    /// Opens the loops over the instances with the constraint at the head of an occurrence, as far as they are this
    /// lane's.
    fn instances<'s>(
        &'s self,
        mut b: FunctionBuilder,
        shared: &Shared,
        occurrence: &Occurrence,
        wanted: Expr,
        (resumes, place): &(Expr, Vec<Expr>),
        sites: &'s mut Sites,
    ) -> Values<'s> {
        let ctx = self.ctx;
        b.origin(
            ctx.line(self.rule),
            format!("{}, head {}", ctx.program.rule_name(self.rule), occurrence.head + 1),
        );
        let slots = &occurrence.slots;
        let mut v = Values::new(ctx, b, shared.p.clone(), self.rule, slots, OnError::Flag, sites);
        let parted = occurrence.joins.iter().rposition(|join| all_rows(ctx, join));
        let once = match parted {
            Some(_) => build::bool(true),
            None => build::eq(shared.lane.clone(), build::u32(0)),
        };
        v.open_if(build::all([wanted, once]));
        if occurrence.joins.is_empty() {
            v.b.push(StmtKind::Tally(meter::tried(self.rule)));
        }
        v.rows[occurrence.head] = Some(shared.row.clone());
        occurrence.entry.iter().for_each(|s| v.step(s));
        let active =
            Active { table: self.table, row: shared.row.clone(), age: Age::Older(shared.id.clone()) };
        for (k, join) in occurrence.joins.iter().enumerate() {
            let lanes = (parted == Some(k)).then_some((&shared.lane, &shared.stride));
            partner(&mut v, &active, join, lanes);
            join.steps.iter().for_each(|s| v.step(s));
        }
        occurrence.commit.iter().for_each(|s| v.step(s));
        let rows: Vec<Expr> = v.rows.iter().flatten().cloned().collect();
        let rank = rank_words(ctx, self.rule, &rows);
        v.open_if(any([not(resumes.clone()), before(place, &rank)]));
        v
    }

    /// Searches the whole part, unless the list begins behind it; returns where the list has ended, or its warp is
    /// asked for.
    pub fn call(&self, b: &mut FunctionBuilder, params: &Params, id: &Expr, first: &Expr) {
        let ctx = self.ctx;
        let here = number(self.rule) * PARTS;
        b.begin();
        let joins = self.occurrences.iter().flat_map(|o| &o.joins).filter(|join| all_rows(ctx, join));
        let mut tables: Vec<ConstraintId> = joins.map(|join| join.constraint).collect();
        tables.sort_unstable();
        tables.dedup();
        let used = |&t: &ConstraintId| build::element(ctx.field(&params.p, "used"), build::u32(number(t)));
        let long = tables.iter().map(|t| op(BinaryOp::Gt, used(t), build::u32(FEW)));
        if !tables.is_empty() {
            let asked = op(BinaryOp::Or, build::u32(here), ctx.names.constants.many.clone());
            b.when(any(long), |b| b.ret(Some(asked)));
        }
        let of = [&params.row, id, &params.behind, &params.entries, &params.at].map(Expr::clone);
        let alone = [build::u32(0), build::u32(1), params.best.clone()];
        let own: Vec<Expr> = of.into_iter().chain(alone).collect();
        let function = |name| ctx.generated(&self.name(name));
        b.run(function("seek"), [params.p.clone()].into_iter().chain(own.clone()).collect());
        let to = [&params.p, &params.turn, &params.item];
        b.run(function("keep"), to.map(Expr::clone).into_iter().chain(own).collect());
        let best = |word: usize| build::element(params.best.clone(), build::u32(word as u32));
        b.when(op(BinaryOp::Ne, best(0), build::u32(0)), |b| {
            let candidate = Candidate {
                table: self.table,
                row: &params.row,
                id,
                tag: tag(self.rule, [&ctx.names.constants.cuts]),
                fails: build::eq(best(0), build::u32(2)),
                rows: (0..self.heads()).map(|h| best(h + 1)).collect(),
            };
            stage(ctx, b, to, candidate);
            b.ret(Some(ctx.names.constants.none.clone()));
        });
        b.end_if(op(BinaryOp::Le, first.clone(), build::u32(here)));
    }
}
