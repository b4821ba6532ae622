//! The list of a constraint: its instances as the newest one, rule by rule, up to the first that removes it.
//!
//! For each rule and each table that can fill a head of it there is one function. It looks for the best instance that removes the
//! constraint first, as that one ends the list; then it stages those before it in rank, and last that one itself.

use gchr_core::plan::chr::Occurrence;
use gchr_core::rule::{Role, RuleId};
use gchr_core::signature::ConstraintId;

use super::join::{Active, Age, all_rows, partner};
use super::value::{OnError, Values};
use super::{Made, Scene, any, function, not, op};
use crate::build::{self, FunctionBuilder};
use crate::codegen::Sites;
use crate::ir::*;
use crate::meter;
use crate::rounds::layout::{general, number};

/// Functions for the hole `list`: one a rule and table, one a table, and last the one that picks a table.
pub(in crate::rounds) fn list_functions(scene: Scene<'_>, sites: &mut Sites) -> Made<Vec<Function>> {
    let first = scene.function("list").0;
    let mut functions = Vec::new();
    let mut of_tables = Vec::new();
    for table in scene.layout.tables.ids() {
        let mut of_rules = Vec::new();
        for (rule, _) in general(scene.plan) {
            let found = |o: &&Occurrence| o.rule == rule && o.constraint == table;
            let occurrences: Vec<&Occurrence> = scene.plan.occurrences.iter().filter(found).collect();
            if !occurrences.is_empty() {
                of_rules.push((rule, FunctionId(first + functions.len() as u32)));
                functions.push(RuleList::new(scene, rule, table, sites).function(&occurrences)?);
            }
        }
        if !of_rules.is_empty() {
            of_tables.push((table, FunctionId(first + functions.len() as u32)));
            functions.push(list_of_table(scene, table, &of_rules));
        }
    }
    functions.push(list(scene, &of_tables));
    Ok(functions)
}

/// Parameters that all lists have, before or behind the row.
struct Params {
    p: Expr,
    turn: Expr,
    item: Expr,
    row: Expr,
    behind: Expr,
    entries: Expr,
    at: Expr,
}

fn list(scene: Scene<'_>, of_tables: &[(ConstraintId, FunctionId)]) -> Function {
    let (mut b, p) = function(scene, "list", false, Type::Void);
    let (turn, item) = (b.param("turn", Type::U32), b.param("item", Type::U32));
    let (table, row) = (b.param("table", Type::U32), b.param("row", Type::U32));
    let behind = b.param("behind", Type::BOOL);
    let entries = b.param("entries", Type::Buffer(Space::Global, Scalar::U32));
    let at = b.param("at", Type::U32);
    if !of_tables.is_empty() {
        let cases = of_tables.iter().map(|(t, _)| u64::from(number(*t))).collect();
        let args = vec![p, turn, item, row, behind, entries, at];
        let code = |b: &mut FunctionBuilder, case: u64| {
            let (_, f) =
                of_tables[of_tables.iter().position(|(t, _)| u64::from(number(*t)) == case).unwrap_or(0)];
            b.run(f, args.clone());
        };
        b.switch(table, cases, code, |_| {});
    }
    b.finish()
}

fn list_of_table(scene: Scene<'_>, table: ConstraintId, rules: &[(RuleId, FunctionId)]) -> Function {
    let name = format!("list_{}", scene.layout.tables[table].prefix);
    let (mut b, p) = function(scene, name, false, Type::Void);
    b.doc(format!("The list of a constraint {}: its rules in order.", scene.plan.tables[table].name));
    let params = common(&mut b, p);
    let id = b.var("id", scene.id(&params.p, table, &params.row));
    let from = b.var("from", build::u32(0));
    let tag = op(BinaryOp::Add, params.at.clone(), scene.constant("TAG"));
    let rule = op(BinaryOp::And, build::element(params.entries.clone(), tag), scene.constant("RULE"));
    b.when(params.behind.clone(), |b| b.assign(from.clone(), rule));
    let ended = b.var("ended", build::bool(false));
    for &(rule, function) in rules {
        let here = build::u32(number(rule));
        let reached = op(BinaryOp::Le, from.clone(), here.clone());
        let resumed = op(BinaryOp::AndAlso, params.behind.clone(), build::eq(from.clone(), here));
        let args = vec![
            params.p.clone(),
            params.turn.clone(),
            params.item.clone(),
            params.row.clone(),
            resumed,
            params.entries.clone(),
            params.at.clone(),
            id.clone(),
        ];
        b.when(op(BinaryOp::AndAlso, not(ended.clone()), reached), |b| {
            let ExprKind::Var(target) = ended.kind else { return };
            let effect = Effect::Call { function, args };
            b.push(StmtKind::Effect { result: Some(Target::Assign(target)), effect });
        });
    }
    b.finish()
}

fn common(b: &mut FunctionBuilder, p: Expr) -> Params {
    Params {
        p,
        turn: b.param("turn", Type::U32),
        item: b.param("item", Type::U32),
        row: b.param("row", Type::U32),
        behind: b.param("behind", Type::BOOL),
        entries: b.param("entries", Type::Buffer(Space::Global, Scalar::U32)),
        at: b.param("at", Type::U32),
    }
}

/// Words that compare as the ranks of instances of a rule do: two heads a word, removed ones complemented.
fn rank_words(scene: Scene<'_>, rule: RuleId, rows: &[Expr]) -> Vec<Expr> {
    let heads = &scene.plan.rules[rule].heads;
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

/// The best instance so far that removes the constraint.
struct Cut {
    found: Expr,
    fails: Expr,
    rows: Vec<Expr>,
    rank: Vec<Expr>,
}

/// Whether the list has ended before all instances with the constraint at the first head, which is kept.
fn ends_before(cut: &Cut, row: &Expr) -> Expr {
    op(BinaryOp::AndAlso, cut.found.clone(), op(BinaryOp::Lt, cut.rows[0].clone(), row.clone()))
}

/// Generator of the list of one rule and table.
struct RuleList<'a, 's> {
    scene: Scene<'a>,
    rule: RuleId,
    table: ConstraintId,
    sites: &'s mut Sites,
}

impl<'a, 's> RuleList<'a, 's> {
    fn new(scene: Scene<'a>, rule: RuleId, table: ConstraintId, sites: &'s mut Sites) -> Self {
        Self { scene, rule, table, sites }
    }

    fn function(mut self, occurrences: &[&Occurrence]) -> Made<Function> {
        let scene = self.scene;
        let prefix = &scene.layout.tables[self.table].prefix;
        let name = format!("list_{prefix}_r{}", self.rule.0);
        let (mut b, p) = function(scene, name, false, Type::BOOL);
        let rule_name = scene.program.rule_name(self.rule);
        b.doc(format!(
            "Instances of {rule_name} whose newest constraint is a {}.",
            scene.plan.tables[self.table].name
        ));
        let params = common(&mut b, p);
        let id = b.param("id", Type::U32);
        let place = self.place(&mut b, &params);
        let (removing, keeping): (Vec<&Occurrence>, Vec<&Occurrence>) =
            occurrences.iter().partition(|o| o.removes_active);
        let cut = if removing.is_empty() { None } else { Some(self.cut(&mut b)) };
        for occurrence in removing.iter().chain(&keeping) {
            b = self.search(b, &params, &id, occurrence, &place, cut.as_ref())?;
        }
        match &cut {
            Some(cut) => {
                b.begin();
                let tag = op(BinaryOp::Or, build::u32(self.rule.0), scene.constant("CUTS"));
                self.stage(&mut b, &params, &id, tag, cut.fails.clone(), &cut.rows);
                b.end_if(cut.found.clone());
                b.ret(Some(cut.found.clone()));
            }
            None => b.ret(Some(build::bool(false))),
        }
        Ok(b.finish())
    }

    /// Rank words of the place behind which the list goes on; not meant unless it does so in this rule.
    fn place(&self, b: &mut FunctionBuilder, params: &Params) -> Vec<Expr> {
        let heads = self.scene.plan.rules[self.rule].heads.len();
        let rows: Vec<Expr> = (0..heads).map(|h| b.var(&format!("behind{h}"), build::u32(0))).collect();
        let entries = |h: usize| {
            let word = op(BinaryOp::Add, params.at.clone(), build::u32(4 + h as u32));
            build::element(params.entries.clone(), word)
        };
        b.when(params.behind.clone(), |b| {
            rows.iter().enumerate().for_each(|(h, row)| b.assign(row.clone(), entries(h)));
        });
        rank_words(self.scene, self.rule, &rows)
    }

    fn cut(&self, b: &mut FunctionBuilder) -> Cut {
        let heads = self.scene.plan.rules[self.rule].heads.len();
        let found = b.var("found", build::bool(false));
        let fails = b.var("fails", build::bool(false));
        let rows: Vec<Expr> = (0..heads).map(|h| b.var(&format!("best{h}"), build::u32(0))).collect();
        let rank = rank_words(self.scene, self.rule, &rows);
        Cut { found, fails, rows, rank }
    }

    /// Enumerates the instances with the constraint at the head of an occurrence.
    fn search(
        &mut self,
        b: FunctionBuilder,
        params: &Params,
        id: &Expr,
        occurrence: &Occurrence,
        place: &[Expr],
        cut: Option<&Cut>,
    ) -> Made<FunctionBuilder> {
        let scene = self.scene;
        let p = params.p.clone();
        let mut v = Values::new(scene, b, p, self.rule, &occurrence.slots, OnError::Flag, &mut *self.sites);
        v.b.origin(
            scene.line(self.rule),
            format!("{}, head {}", scene.program.rule_name(self.rule), occurrence.head + 1),
        );
        v.open_if(match cut {
            Some(cut) if occurrence.head == 0 && !occurrence.removes_active => {
                not(ends_before(cut, &params.row))
            }
            _ => build::bool(true),
        });
        if occurrence.joins.is_empty() {
            v.b.push(StmtKind::Tally(meter::tried(self.rule)));
        }
        v.rows[occurrence.head] = Some(params.row.clone());
        occurrence.entry.iter().try_for_each(|s| v.step(s))?;
        // Rows of all come in the order of ranks, as the constraint's own place is the same in all: the first is the best.
        let first_match =
            occurrence.removes_active && matches!(&occurrence.joins[..], [join] if all_rows(scene, join));
        let active = Active { table: self.table, row: params.row.clone(), age: Age::Older(id.clone()) };
        for join in &occurrence.joins {
            partner(&mut v, &active, join, first_match);
            join.steps.iter().try_for_each(|s| v.step(s))?;
        }
        occurrence.commit.iter().try_for_each(|s| v.step(s))?;
        let rows: Vec<Expr> = v.rows.iter().flatten().cloned().collect();
        let rank = rank_words(scene, self.rule, &rows);
        let behind = op(BinaryOp::OrElse, not(params.behind.clone()), before(place, &rank));
        v.open_if(behind);
        let fails = v.fails();
        let earlier = cut.map(|cut| op(BinaryOp::OrElse, not(cut.found.clone()), before(&rank, &cut.rank)));
        match cut.filter(|_| occurrence.removes_active) {
            Some(cut) => {
                v.b.when(earlier.unwrap_or_else(|| build::bool(true)), |b| {
                    b.assign(cut.found.clone(), build::bool(true));
                    b.assign(cut.fails.clone(), fails);
                    cut.rows.iter().zip(&rows).for_each(|(best, row)| b.assign(best.clone(), row.clone()));
                });
                if first_match {
                    v.b.push(StmtKind::Break);
                }
            }
            None => {
                if let Some(earlier) = earlier {
                    v.open_if(earlier);
                }
                let tag = build::u32(self.rule.0);
                stage(scene, self.table, &mut v.b, params, id, tag, fails, &rows);
            }
        }
        v.close();
        Ok(v.b)
    }

    fn stage(
        &self,
        b: &mut FunctionBuilder,
        params: &Params,
        id: &Expr,
        tag: Expr,
        fails: Expr,
        rows: &[Expr],
    ) {
        stage(self.scene, self.table, b, params, id, tag, fails, rows);
    }
}

/// Appends an instance to the staged list.
#[expect(clippy::too_many_arguments, reason = "what an entry holds")]
fn stage(
    scene: Scene<'_>,
    table: ConstraintId,
    b: &mut FunctionBuilder,
    params: &Params,
    id: &Expr,
    tag: Expr,
    fails: Expr,
    rows: &[Expr],
) {
    let failing = op(BinaryOp::Or, tag.clone(), scene.constant("FAILS"));
    let tag = Expr::new(ExprKind::Select(Box::new(fails), Box::new(failing), Box::new(tag)), Type::U32);
    let args = vec![
        params.p.clone(),
        params.turn.clone(),
        params.item.clone(),
        tag,
        build::u32(number(table)),
        params.row.clone(),
        id.clone(),
    ];
    let to = b.call("to", scene.module, scene.function("stage"), args);
    let staged = scene.field(&params.p, "staged");
    b.when(op(BinaryOp::Ne, to.clone(), scene.constant("NONE")), |b| {
        for h in 0..scene.layout.heads {
            let place = build::element(staged.clone(), op(BinaryOp::Add, to.clone(), build::u32(h as u32)));
            let row = rows.get(h).cloned().unwrap_or_else(|| build::u32(0));
            b.assign_owned("an entry is handed out once", place, row);
        }
    });
}
