//! Parts of a list with one partner: instances of a rule of two heads with the constraint at one of them.
//!
//! Partners come in the order of ranks, where they are rows of the whole table: of a kept head the oldest first, of a
//! removed one the youngest. So candidates are staged in their order, and the first that removes the constraint is the
//! last. Rows of a key come in no order: all of them are looked at, or the rows of the whole table where the rows of
//! the key are many.

use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::ConstraintId;
use gchr_constraints::plan::{Join, Occurrence, Step};

use super::{ALONE, Candidate, PARTS, Params, row_word, stage, tag};
use crate::codegen::value::{OnError, Values};
use crate::codegen::{CodegenCtx, any, function, not, op};
use crate::contract::Constants;
use crate::layout::{Part, number};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::codegen::Sites;
use gchr_runtime::meter;

/// The part of an occurrence.
pub(super) struct Pair<'a> {
    ctx: CodegenCtx<'a>,
    occurrence: &'a Occurrence,
    pub number: u32,
    /// Whether a part of the same rule comes before it, or behind it.
    follows: bool,
    precedes: bool,
}

impl<'a> Pair<'a> {
    /// The parts of the occurrences of a rule that one table can fill, in the order of ranks.
    pub fn all(ctx: CodegenCtx<'a>, occurrences: &[&'a Occurrence]) -> Vec<Self> {
        let mut ordered = occurrences.to_vec();
        // The constraint has the greatest row: at the first head it comes first where that is removed, and last where
        // it is kept.
        let at_first_head = |o: &&Occurrence| o.head == 0;
        ordered.sort_by_key(|o| {
            let removed = ctx.plan.rules[o.rule].heads[0].role == Role::Removed;
            at_first_head(o) != removed
        });
        let count = ordered.len();
        let pair = |(k, occurrence): (usize, &'a Occurrence)| Self {
            ctx,
            occurrence,
            // Heads that different tables fill have different parts.
            number: number(occurrence.rule) * PARTS + if count == 1 { occurrence.head } else { k } as u32,
            follows: k > 0,
            precedes: k + 1 < count,
        };
        ordered.into_iter().enumerate().map(pair).collect()
    }

    fn rule(&self) -> RuleId {
        self.occurrence.rule
    }

    fn table(&self) -> ConstraintId {
        self.occurrence.constraint
    }

    fn join(&self) -> &'a Join {
        &self.occurrence.joins[0]
    }

    fn index(&self) -> Option<usize> {
        self.ctx.layout.keyed(self.join().constraint, self.join().index)
    }

    /// Whether partners come from the youngest on.
    fn down(&self) -> bool {
        self.ctx.plan.rules[self.rule()].heads[self.join().head].role == Role::Removed
    }

    fn name(&self, prefix: &str) -> String {
        let table = &self.ctx.layout.tables[self.table()].prefix;
        format!("{prefix}_{table}_r{}_h{}", self.rule().0, self.occurrence.head)
    }

    fn origin(&self, b: &mut FunctionBuilder) {
        let comment =
            format!("{}, head {}", self.ctx.program.rule_name(self.rule()), self.occurrence.head + 1);
        b.origin(self.ctx.line(self.rule()), comment);
    }

    /// What a thread says that asks its warp for this part.
    fn asked(&self) -> Expr {
        let Constants { ends, down, keyed, second, .. } = &self.ctx.names.constants;
        let flags = [
            (self.occurrence.removes_active, ends),
            (self.down(), down),
            (self.index().is_some(), keyed),
            (self.occurrence.head == 1, second),
        ];
        let wanted = flags.into_iter().filter(|(holds, _)| *holds);
        wanted.fold(build::u32(self.number), |word, (_, flag)| op(BinaryOp::Or, word, flag.clone()))
    }

    /// Whether a row, which may lack the key of the look-up, is a partner.
    pub fn matches(&self, sites: &mut Sites) -> Function {
        let ctx = self.ctx;
        let (mut b, p) = function(ctx, self.name("match"), false, Type::U32);
        let [row, id, partner] = ["row", "id", "partner"].map(|name| b.param(name, Type::U32));
        let said = b.var("said", build::u32(0));
        let mut v = self.values(b, &p, &row, sites);
        if self.index().is_some() {
            let join = self.join();
            let mut conditions = Vec::new();
            for (column, value) in &join.keys {
                let kind = ctx.plan.tables[join.constraint].columns[*column].kind;
                let (word, fits) = v.key(value, kind);
                let column = ctx.part(&p, join.constraint, Part::Column(*column));
                conditions.extend(fits);
                conditions.push(build::eq(build::element(column, partner.clone()), word));
            }
            v.open_if(build::all(conditions));
            v.b.assign(said.clone(), ctx.names.constants.has_key.clone());
        }
        self.test(&mut v, &partner, &id);
        let valueless =
            op(BinaryOp::Or, ctx.names.constants.matches.clone(), ctx.names.constants.valueless.clone());
        let select = ExprKind::Select(
            Box::new(v.fails()),
            Box::new(valueless),
            Box::new(ctx.names.constants.matches.clone()),
        );
        let is = Expr::new(select, Type::U32);
        v.b.assign(said.clone(), op(BinaryOp::Or, said.clone(), is));
        v.close();
        v.b.ret(Some(said));
        v.b.finish()
    }

    /// What is known of the constraint itself.
    fn values<'s>(&self, mut b: FunctionBuilder, p: &Expr, row: &Expr, sites: &'s mut Sites) -> Values<'s>
    where
        'a: 's,
    {
        self.origin(&mut b);
        let slots = &self.occurrence.slots;
        let mut v = Values::new(self.ctx, b, p.clone(), self.rule(), slots, OnError::Flag, sites);
        v.open_if(build::bool(true));
        v.rows[self.occurrence.head] = Some(row.clone());
        self.occurrence.entry.iter().for_each(|s| v.step(s));
        v
    }

    /// What follows is run if a row, which has the key of the look-up, is a partner.
    fn test(&self, v: &mut Values<'_>, partner: &Expr, id: &Expr) {
        let join = self.join();
        v.b.push(StmtKind::Tally(meter::tried(self.rule())));
        v.rows[join.head] = Some(partner.clone());
        // What is read of the row is asked for at once.
        let own = v.b.var("own_id", self.ctx.id(&v.p, join.constraint, partner));
        let reads = join.steps.iter().take_while(|s| matches!(s, Step::Load { .. })).count();
        let (reads, tests) = join.steps.split_at(reads);
        reads.iter().for_each(|s| v.step(s));
        v.open_if(op(BinaryOp::Lt, own, id.clone()));
        tests.iter().for_each(|s| v.step(s));
        self.occurrence.commit.iter().for_each(|s| v.step(s));
    }

    /// Calls the search of this part, unless the list begins behind it; returns where the list has ended, or its warp
    /// is asked for.
    pub fn call(
        &self,
        b: &mut FunctionBuilder,
        params: &Params,
        id: &Expr,
        first: &Expr,
        search: FunctionId,
    ) {
        let ctx = self.ctx;
        let here = build::u32(self.number);
        b.when(op(BinaryOp::Le, first.clone(), here.clone()), |b| {
            let walks = build::eq(
                params.from.clone(),
                op(BinaryOp::Add, op(BinaryOp::Mul, here, build::u32(2)), build::u32(1)),
            );
            let mut args = params.args();
            args[4] = walks;
            args.push(id.clone());
            let came = b.call_typed("came", Type::U32, search, args);
            b.when(build::eq(came.clone(), ctx.names.constants.has_ended.clone()), |b| {
                b.ret(Some(ctx.names.constants.none.clone()))
            });
            b.when(build::eq(came, ctx.names.constants.none.clone()), |b| b.ret(Some(self.asked())));
        });
    }

    /// One thread's search: says whether the list ends here, and NONE where it asks for its warp.
    pub fn search(&self, sites: &mut Sites) -> Function {
        let ctx = self.ctx;
        let (mut b, p) = function(ctx, self.name("part"), false, Type::U32);
        b.doc(format!(
            "Instances of {} with a {} as the newest constraint, at head {}.",
            ctx.program.rule_name(self.rule()),
            ctx.plan.tables[self.table()].name,
            self.occurrence.head + 1
        ));
        let (turn, item) = (b.param("turn", Type::U32), b.param("item", Type::U32));
        let params = Params::declare(&mut b, [p, turn, item], ("walks", Type::BOOL));
        let id = b.param("id", Type::U32);
        let (low, high) = self.range(&mut b, &params);
        match self.index() {
            Some(index) => self.walk(b, &params, &id, [&low, &high], index, sites),
            None => self.scan(b, &params, &id, [&low, &high]),
        }
    }

    /// The rows that can be partners: all older ones, or those behind the place where the list goes on.
    fn range(&self, b: &mut FunctionBuilder, params: &Params) -> (Expr, Expr) {
        let ctx = self.ctx;
        let join = self.join();
        let own = join.constraint == self.table();
        let used = build::element(ctx.field(&params.p, "used"), build::u32(number(join.constraint)));
        let low = b.var("low", build::u32(0));
        // Rows are in the order of ids: of the constraint's own table only those before it are older.
        let high = b.var("high", if own { params.row.clone() } else { used });
        b.begin();
        let rule = op(BinaryOp::And, params.entry(1), ctx.names.constants.rule.clone());
        b.begin();
        b.begin();
        let last = b.var("last", params.entry(row_word(join.head)));
        if self.down() {
            b.assign(high.clone(), last);
        } else {
            b.assign(low.clone(), op(BinaryOp::Add, last, build::u32(1)));
        }
        let then = b.end();
        b.begin();
        if self.precedes {
            b.ret(Some(ctx.names.constants.goes_on.clone()));
        }
        let otherwise = b.end();
        let here = match self.follows || self.precedes {
            true => build::eq(params.entry(row_word(self.occurrence.head)), params.row.clone()),
            false => build::bool(true),
        };
        b.push(StmtKind::If { condition: here, then, otherwise });
        b.end_if(build::eq(rule, build::u32(number(self.rule()))));
        b.end_if(params.behind.clone());
        (low, high)
    }

    fn candidate<'c>(&self, row: &'c Expr, id: &'c Expr, partner: &Expr, fails: Expr) -> Candidate<'c> {
        let Constants { cuts, unordered, .. } = &self.ctx.names.constants;
        let flag = match (self.occurrence.removes_active, self.index()) {
            (true, _) => Some(cuts),
            (false, Some(_)) => Some(unordered),
            (false, None) => None,
        };
        let rows = match self.occurrence.head {
            0 => vec![row.clone(), partner.clone()],
            _ => vec![partner.clone(), row.clone()],
        };
        Candidate { table: self.table(), row, id, tag: tag(self.rule(), flag), fails, rows }
    }

    /// Leaves the rows that are to be looked at to the warp.
    fn ask(&self, b: &mut FunctionBuilder, params: &Params, [low, high]: [&Expr; 2]) {
        let word = |at: &Expr| build::element(params.search.clone(), at.clone());
        b.assign(word(&self.ctx.names.constants.low), low.clone());
        b.assign(word(&self.ctx.names.constants.high), high.clone());
        b.ret(Some(self.ctx.names.constants.none.clone()));
    }

    /// The first rows of the table.
    fn scan(&self, mut b: FunctionBuilder, params: &Params, id: &Expr, range: [&Expr; 2]) -> Function {
        let ctx = self.ctx;
        let [low, high] = range;
        let to = [&params.p, &params.turn, &params.item];
        let left = op(BinaryOp::Lt, low.clone(), high.clone());
        let tries = b.var("tries", build::u32(0));
        b.begin();
        let one = build::u32(1);
        if self.down() {
            b.assign(high.clone(), op(BinaryOp::Sub, high.clone(), one.clone()));
        }
        let partner = b.var("partner", if self.down() { high.clone() } else { low.clone() });
        if !self.down() {
            b.assign(low.clone(), op(BinaryOp::Add, low.clone(), one.clone()));
        }
        b.assign(tries.clone(), op(BinaryOp::Add, tries.clone(), one));
        let args = vec![params.p.clone(), params.row.clone(), id.clone(), partner.clone()];
        let matches = ctx.generated(&self.name("match"));
        let is = b.call("is", ctx.module, matches, args);
        let says = |flag: &Expr| {
            let bit = op(BinaryOp::And, is.clone(), flag.clone());
            op(BinaryOp::Ne, bit, build::u32(0))
        };
        b.when(says(&ctx.names.constants.matches), |b| {
            stage(
                ctx,
                b,
                to,
                self.candidate(&params.row, id, &partner, says(&ctx.names.constants.valueless)),
            );
            if self.occurrence.removes_active {
                b.ret(Some(ctx.names.constants.has_ended.clone()));
            }
        });
        let few = op(BinaryOp::Lt, tries, build::u32(ALONE));
        b.end_while(build::all([left.clone(), few]));
        b.when(left, |b| self.ask(b, params, range));
        b.ret(Some(ctx.names.constants.goes_on.clone()));
        b.finish()
    }

    /// The rows of the key.
    fn walk(
        &self,
        mut b: FunctionBuilder,
        params: &Params,
        id: &Expr,
        range: [&Expr; 2],
        index: usize,
        sites: &mut Sites,
    ) -> Function {
        let ctx = self.ctx;
        let join = self.join();
        let [low, high] = range;
        let ends = self.occurrence.removes_active;
        let to = [&params.p, &params.turn, &params.item];
        let best = b.var("first", ctx.names.constants.none.clone());
        let bad = b.var("bad", build::bool(false));
        let steps = b.var("steps", build::u32(0));
        let mut v = self.values(b, &params.p, &params.row, sites);
        let mut key = Vec::new();
        for (column, value) in &join.keys {
            let (word, fits) = v.key(value, ctx.plan.tables[join.constraint].columns[*column].kind);
            key.push(v.b.var("key", word));
            if let Some(fits) = fits {
                v.open_if(fits);
            }
        }
        let find = ctx.generated(&crate::codegen::index::find_name(ctx, join.constraint, index));
        let args = [v.p.clone()].into_iter().chain(key).collect();
        let partner = v.b.call("partner", ctx.module, find, args);
        let next = build::element(ctx.part(&v.p, join.constraint, Part::Next(index)), partner.clone());
        v.open_chain(partner.clone(), next);
        if ends {
            let many = op(BinaryOp::Ge, steps.clone(), build::u32(ALONE));
            v.b.when(build::all([not(params.from.clone()), many]), |b| self.ask(b, params, range));
            v.b.assign(steps.clone(), op(BinaryOp::Add, steps, build::u32(1)));
        }
        let inside =
            [op(BinaryOp::Ge, partner.clone(), low.clone()), op(BinaryOp::Lt, partner.clone(), high.clone())];
        v.open_if(build::all(inside));
        if ends {
            let nearer = if self.down() { BinaryOp::Gt } else { BinaryOp::Lt };
            let none = build::eq(best.clone(), ctx.names.constants.none.clone());
            v.open_if(any([none, op(nearer, partner.clone(), best.clone())]));
        }
        self.test(&mut v, &partner, id);
        let fails = v.fails();
        if ends {
            v.b.assign(best.clone(), partner);
            v.b.assign(bad.clone(), fails);
        } else {
            stage(ctx, &mut v.b, to, self.candidate(&params.row, id, &partner, fails));
        }
        v.close();
        let mut b = v.b;
        if ends {
            b.when(op(BinaryOp::Ne, best.clone(), ctx.names.constants.none.clone()), |b| {
                stage(ctx, b, to, self.candidate(&params.row, id, &best, bad));
                b.ret(Some(ctx.names.constants.has_ended.clone()));
            });
        }
        b.ret(Some(ctx.names.constants.goes_on.clone()));
        b.finish()
    }
}
