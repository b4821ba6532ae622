//! The program of a worker: copies of tables, and what is to be sent, are tables of their own, so that the engine of
//! rounds runs it as any other program.

mod counting;

use super::parcel::{Columns, Parcels};
use crate::exec::common::Stop;
use crate::exec::round::dealing::{Deal, Worker, owner};
use crate::ir::ChrPlan;
use crate::ir::classes::{Reduction, Verdict};
use crate::ir::places::Place;
use crate::plan::{RoundsOptions, compile_rounds};
use counting::Count;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, HeadAtom, Pattern, PatternKind, Program, Rule, RuleId, Var,
};
use gchr_base::signature::{Constraint, ConstraintId};

/// What each worker runs of a program that workers share.
pub struct WorkerProgram {
    /// The tables of the shared program have the same numbers; copies and outboxes are behind them.
    pub program: Program,
    /// Its plan for rounds.
    pub plan: ChrPlan,
    /// By table of the shared program.
    pub(crate) deals: IdVec<ConstraintId, Deal>,
    /// What rules leave for other workers.
    pub outboxes: Vec<Outbox>,
    /// Whether constraints go on from their homes to copies after a round.
    pub forwards: bool,
    /// By rule: which workers count its firings.
    counts: IdVec<RuleId, Count>,
    /// Tables of a constraint for each firing of a rule that all workers fire, where engines do not tell rules apart.
    ticks: Vec<(RuleId, ConstraintId)>,
    /// By rule: the one of the shared program that it is made of.
    origins: IdVec<RuleId, RuleId>,
}

/// A table of what rules have added that is not kept where its instances are found.
#[derive(Clone, Copy, Debug)]
pub struct Outbox {
    /// Its number.
    pub table: ConstraintId,
    /// The table of the shared program.
    pub of: ConstraintId,
    /// Whether all workers have the same there, and each takes its part.
    pub is_known: bool,
}

/// Why workers cannot share a program.
#[derive(Debug)]
pub enum Undividable {
    /// A rule stands in the way, in words.
    Rule(RuleId, String),
    /// An invariant of gchr is broken.
    Plan(Vec<Diagnostic>),
}

impl WorkerProgram {
    /// The program of workers that share `program`, by the places of its plan.
    pub fn new(program: &Program, plan: &ChrPlan) -> Result<Self, Undividable> {
        Self::written(Writer::new(program, plan), program, plan)
    }

    /// The same for engines that count all firings together: what some workers do not count of them is
    /// [known](Self::uncounted) from what is in the tables.
    pub fn with_ticks(program: &Program, plan: &ChrPlan) -> Result<Self, Undividable> {
        let places = &plan.places.tables;
        let in_place = |rule: &RuleId| {
            let mut heads = plan.rules[*rule].heads.iter();
            let is_reduction = matches!(plan.classes.verdicts[*rule], Verdict::Reduction(_));
            !plan.is_general(*rule)
                && !is_reduction
                && heads.all(|head| places[head.constraint].home == Place::Everywhere)
        };
        if let Some(rule) = plan.rules.ids().find(in_place) {
            let why = "it replaces values in place, and all workers would count that".to_string();
            return Err(Undividable::Rule(rule, why));
        }
        Self::written(Writer { ticks: Some(Vec::new()), ..Writer::new(program, plan) }, program, plan)
    }

    fn written(mut writer: Writer<'_>, program: &Program, plan: &ChrPlan) -> Result<Self, Undividable> {
        if let Err((rule, why)) = plan.places.exchanges() {
            return Err(Undividable::Rule(rule, why.to_string()));
        }
        for (id, rule) in program.rules.iter_enumerated() {
            writer.rule(id, rule);
        }
        writer.reduce_outboxes();
        let Writer { program: own, deals, outboxes, counts, origins, ticks, .. } = writer;
        let ticks = ticks.unwrap_or_default();
        let mut own_plan = compile_rounds(&own, RoundsOptions::default()).map_err(Undividable::Plan)?;
        if let Some(rule) = lost_reduction(plan, &own_plan, &deals) {
            let why = "its constraints are not reduced in copies as at their homes".to_string();
            return Err(Undividable::Rule(rule, why));
        }
        // Nothing sees the order of what is sent.
        for (id, deal) in deals.iter_enumerated() {
            for &(_, table) in &deal.places {
                own_plan.tables[table].any_order |= plan.tables[id].any_order;
            }
        }
        let forwards = plan.places.tables.iter().any(|table| table.is_added_to && !table.copies.is_empty());
        Ok(Self { program: own, plan: own_plan, deals, outboxes, forwards, counts, origins, ticks })
    }

    /// Whether workers send each other anything in a round.
    pub fn exchanges_anything(&self) -> bool {
        self.forwards || self.outboxes.iter().any(|outbox| !outbox.is_known)
    }

    /// How many tables the shared program has: the first ones.
    pub fn tables(&self) -> usize {
        self.deals.len()
    }

    /// The tables of a worker that have a constraint of the shared program, with these values.
    pub fn tables_of(
        &self,
        worker: Worker,
        of: ConstraintId,
        values: &[u64],
    ) -> impl Iterator<Item = ConstraintId> {
        self.deals[of].tables(worker, |column| values[column]).map(ConstraintId::from_index)
    }

    /// Packs rows of an outbox for their homes.
    pub fn pack_for_homes(
        &self,
        outbox: &Outbox,
        from: &impl Columns,
        rows: impl Iterator<Item = u32>,
        parcels: &mut Parcels,
    ) {
        let (place, home) = &self.deals[outbox.of].places[0];
        let ranks = parcels.to.len();
        let owner_of = |row| owner(ranks, place, |column| from.value(column, row));
        parcels.pack(from, *home, rows, owner_of);
    }

    /// Whether constraints of a table go on from their homes to copies.
    pub fn has_copies(&self, of: ConstraintId) -> bool {
        !self.deals[of].copies().is_empty()
    }

    /// Packs rows of a table of the shared program for its copies.
    pub fn pack_for_copies<R: Iterator<Item = u32>>(
        &self,
        of: ConstraintId,
        from: &impl Columns,
        rows: impl Fn() -> R,
        parcels: &mut Parcels,
    ) {
        for (place, copy) in self.deals[of].copies() {
            let ranks = parcels.to.len();
            let owner_of = |row| owner(ranks, place, |column| from.value(column, row));
            parcels.pack(from, *copy, rows(), owner_of);
        }
    }

    /// A stop of a worker as one of the shared program.
    pub(super) fn stop(&self, mut stop: Stop) -> Stop {
        stop.rule = stop.rule.map(|rule| self.origins[rule]);
        stop
    }

    /// The rule of the shared program for one of a worker.
    pub(crate) fn origin(&self, rule: RuleId) -> RuleId {
        self.origins[rule]
    }

    /// The rule of a worker for one of the shared program.
    pub(crate) fn own(&self, rule: RuleId) -> Option<RuleId> {
        self.origins.ids().find(|&own| self.origins[own] == rule && self.counts[own] != Count::Never)
    }
}

/// The rule of a reduction that the plan of a worker has not at some place of its table.
fn lost_reduction(plan: &ChrPlan, own: &ChrPlan, deals: &IdVec<ConstraintId, Deal>) -> Option<RuleId> {
    let is_same = |a: &Reduction, b: &Reduction| a.key == b.key && a.best == b.best;
    let is_lost = |reduction: &&Reduction| {
        let mut places = deals[reduction.constraint].places.iter();
        places.any(|(_, table)| !own.classes.reduction_of(*table).is_some_and(|own| is_same(own, reduction)))
    };
    plan.classes.reductions.iter().find(is_lost).map(|reduction| reduction.rule)
}

/// Writes the program of a worker.
struct Writer<'p> {
    shared: &'p Program,
    plan: &'p ChrPlan,
    program: Program,
    deals: IdVec<ConstraintId, Deal>,
    outboxes: Vec<Outbox>,
    by_outbox: HashMap<(ConstraintId, bool), ConstraintId>,
    counts: IdVec<RuleId, Count>,
    origins: IdVec<RuleId, RuleId>,
    /// See [`WorkerProgram::ticks`]; `None`: there are none.
    ticks: Option<Vec<(RuleId, ConstraintId)>>,
}

impl<'p> Writer<'p> {
    fn new(shared: &'p Program, plan: &'p ChrPlan) -> Self {
        let mut program = Program { rules: IdVec::new(), ..shared.clone() };
        let deals = plan.places.tables.iter_enumerated().map(|(id, table)| {
            let mut places = vec![(table.home.clone(), id)];
            for copy in &table.copies {
                let constraint = shared.signature.constraints[id].clone();
                places.push((copy.clone(), program.signature.constraints.push(constraint)));
            }
            Deal { places }
        });
        let deals = deals.collect();
        let (outboxes, by_outbox) = (Vec::new(), HashMap::default());
        let (counts, origins) = (IdVec::new(), IdVec::new());
        Self { shared, plan, program, deals, outboxes, by_outbox, counts, origins, ticks: None }
    }

    fn push(&mut self, rule: Rule, origin: RuleId, count: Count) {
        self.program.rules.push(rule);
        self.origins.push(origin);
        self.counts.push(count);
    }

    fn rule(&mut self, id: RuleId, rule: &Rule) {
        let places = &self.plan.places;
        let is_undivided = |table: ConstraintId| places.tables[table].home == Place::Everywhere;
        let heads = || self.plan.rules[id].heads.iter().map(|head| head.constraint);
        let count = if heads().all(is_undivided) { Count::Once } else { Count::Each };
        if self.plan.is_general(id) {
            let mut rewritten = self.general(id, rule);
            if count == Count::Once {
                self.tick(&mut rewritten);
            }
            return self.push(rewritten, id, count);
        }
        self.push(rule.clone(), id, count);
        if let Verdict::Reduction(at) = self.plan.classes.verdicts[id] {
            let copies = self.deals[self.plan.classes.reductions[at].constraint].copies().to_vec();
            for (_, copy) in copies {
                let mut of_copy = rule.clone();
                of_copy.heads.iter_mut().for_each(|head| set_constraint(&mut head.atom, copy));
                self.push(of_copy, id, Count::Never);
            }
        }
    }

    /// What is sent is reduced as it is at its home: in each round, each worker sends one constraint of each key. Those
    /// that it does not send are firings as they would be there.
    fn reduce_outboxes(&mut self) {
        for Outbox { table, of, .. } in self.outboxes.clone().into_iter().filter(|outbox| !outbox.is_known) {
            let Some(reduction) = self.plan.classes.reduction_of(of) else { continue };
            let mut of_outbox = self.shared.rules[reduction.rule].clone();
            of_outbox.heads.iter_mut().for_each(|head| set_constraint(&mut head.atom, table));
            self.push(of_outbox, reduction.rule, Count::Each);
        }
    }

    /// A general rule that looks for its partners in copies, and leaves in outboxes what is kept elsewhere.
    fn general(&mut self, id: RuleId, rule: &Rule) -> Rule {
        let mut rule = rule.clone();
        let places = &self.plan.places.rules[id];
        let heads = rule.heads.iter_mut().zip(&places.heads).zip(&self.plan.rules[id].heads);
        for ((head, place), plan) in heads {
            let of = self.deals[plan.constraint].places.iter().find(|(at, _)| at == place);
            if let Some((_, table)) = of {
                set_constraint(&mut head.atom, *table);
            }
        }
        self.keep_apart(id, &mut rule);
        let Body::Goals(goals) = &mut rule.body else { return rule };
        let mut stays = places.stays.iter();
        for goal in goals {
            let GoalKind::Add { constraint, .. } = &mut goal.kind else { continue };
            let (stays, is_known) = (stays.next() == Some(&true), places.finder.is_none());
            let is_undivided = self.plan.places.tables[*constraint].home == Place::Everywhere;
            if is_known && !is_undivided || !is_known && !stays {
                *constraint = self.outbox(*constraint, is_known);
            }
        }
        rule
    }

    /// Lets a rule add a constraint without columns that says that it has fired.
    fn tick(&mut self, rule: &mut Rule) {
        let (Some(ticks), Body::Goals(goals)) = (&mut self.ticks, &mut rule.body) else { return };
        let (name, span) = (format!("fired {}", ticks.len()), rule.span);
        let constraint = Constraint { name, columns: Vec::new(), span: Some(span), is_made: true };
        let table = self.program.signature.constraints.push(constraint);
        goals.push(Goal { kind: GoalKind::Add { constraint: table, args: Vec::new() }, span });
        ticks.push((self.program.rules.next_id(), table));
    }

    fn outbox(&mut self, of: ConstraintId, is_known: bool) -> ConstraintId {
        if let Some(&table) = self.by_outbox.get(&(of, is_known)) {
            return table;
        }
        let constraint = self.shared.signature.constraints[of].clone();
        let table = self.program.signature.constraints.push(constraint);
        self.outboxes.push(Outbox { table, of, is_known });
        self.by_outbox.insert((of, is_known), table);
        table
    }

    /// Two heads of one table that are looked for in different ones must not be the same constraint.
    fn keep_apart(&self, id: RuleId, rule: &mut Rule) {
        let (plan, places) = (&self.plan.rules[id].heads, &self.plan.places.rules[id].heads);
        for a in 0..plan.len() {
            for b in a + 1..plan.len() {
                let table = plan[a].constraint;
                let reduction = self.plan.classes.reduction_of(table);
                if let (true, Some(reduction)) = (table == plan[b].constraint, reduction)
                    && places[a] != places[b]
                    && let Some(goal) = self.differ(rule, (a, b), &reduction.key)
                {
                    rule.guard.insert(0, goal);
                }
            }
        }
    }

    /// The condition that the constraints at two heads have different keys; `None` where they always have.
    fn differ(&self, rule: &mut Rule, (a, b): (usize, usize), key: &[usize]) -> Option<Goal> {
        let span = rule.span;
        let sort = self.shared.signature.booleans.sort;
        let op = |op, args| Expr { kind: ExprKind::Op { op, args }, sort, span };
        let mut either: Option<Expr> = None;
        for &column in key {
            let (x, y) = (value_at(rule, a, column)?, value_at(rule, b, column)?);
            match (&x.kind, &y.kind) {
                (ExprKind::Var(x), ExprKind::Var(y)) if x == y => continue,
                (ExprKind::Const(x), ExprKind::Const(y)) if x == y => continue,
                (ExprKind::Const(_), ExprKind::Const(_)) => return None,
                _ => {}
            }
            let differ = op(Op::Differ, vec![x, y]);
            either = Some(match either {
                Some(others) => op(Op::Either, vec![others, differ]),
                None => differ,
            });
        }
        let kind = either.map_or(GoalKind::Fail, GoalKind::Test);
        Some(Goal { kind, span })
    }
}

/// The value of a column of a constraint at a head; columns of tables that are divided hold no terms.
fn value_at(rule: &mut Rule, head: usize, column: usize) -> Option<Expr> {
    let (HeadAtom::Constraint { args, .. } | HeadAtom::Term { args, .. }) = &mut rule.heads[head].atom;
    let Pattern { kind, sort, span } = args.get_mut(column)?;
    let value = match kind {
        PatternKind::Var(var) => ExprKind::Var(*var),
        PatternKind::Const(value) => ExprKind::Const(*value),
        PatternKind::Wild => {
            let var = rule.vars.push(Var { name: "_".into(), sort: *sort, span: *span });
            *kind = PatternKind::Var(var);
            ExprKind::Var(var)
        }
        PatternKind::App { .. } => return None,
    };
    Some(Expr { kind: value, sort: *sort, span: *span })
}

fn set_constraint(atom: &mut HeadAtom, table: ConstraintId) {
    if let HeadAtom::Constraint { constraint, .. } = atom {
        *constraint = table;
    }
}
