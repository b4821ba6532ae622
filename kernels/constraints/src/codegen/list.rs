//! The list of a constraint: its instances as the newest one, rule by rule, up to the first that removes it.
//!
//! A list is found in *parts*, in the order of ranks: a rule of two heads has one for each head that the constraint can
//! fill (`pair`), any other rule has one (`many`). One thread begins; where a part has many rows to look at, it asks
//! its warp for that part, and goes on behind it. Part `k` of rule `r` has the number `4 * r + k`.

mod many;
mod pair;

use gchr_base::rule::RuleId;
use gchr_base::signature::ConstraintId;
use gchr_constraints::plan::Occurrence;

use super::{CodegenCtx, function, op};
use crate::layout::ENTRY_WORDS;
use crate::layout::number;
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_runtime::codegen::Sites;
use many::Many;
use pair::Pair;

/// Numbers of parts that each rule has room for.
const PARTS: u32 = 4;

/// Rows that one thread looks at before it asks for its warp.
const ALONE: u32 = 32;

/// What is found with a constraint of a table in a rule.
enum Parts<'a> {
    Pairs(Vec<Pair<'a>>),
    Many(Many<'a>),
}

/// The parts of the list of a table's constraints, rule by rule.
fn parts_of(ctx: CodegenCtx<'_>, table: ConstraintId) -> Vec<Parts<'_>> {
    let mut parts = Vec::new();
    for (rule, _) in ctx.plan.general_rules() {
        let found = |o: &&Occurrence| o.rule == rule && o.constraint == table;
        let occurrences: Vec<&Occurrence> = ctx.plan.occurrences.iter().filter(found).collect();
        if occurrences.is_empty() {
            continue;
        }
        parts.push(match ctx.plan.rules[rule].heads.len() {
            2 => Parts::Pairs(Pair::all(ctx, &occurrences)),
            _ => Parts::Many(Many { ctx, rule, table, occurrences }),
        });
    }
    parts
}

/// Functions for the hole `matches`: one per part with one partner, and last the one that picks it.
pub(crate) fn match_functions(ctx: CodegenCtx<'_>, sites: &mut Sites) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let (mut functions, mut cases) = (Vec::new(), Vec::new());
    for table in ctx.layout.tables.ids() {
        for parts in parts_of(ctx, table) {
            let Parts::Pairs(pairs) = parts else { continue };
            for pair in pairs {
                cases.push((u64::from(pair.number), FunctionId(first + functions.len() as u32)));
                functions.push(pair.matches(sites));
            }
        }
    }
    let (mut b, p) = function(ctx, "matches", false, Type::U32);
    let part = b.param("part", Type::U32);
    let args = ["row", "id", "partner"].map(|name| b.param(name, Type::U32));
    let said = b.var("said", build::u32(0));
    let args: Vec<Expr> = [p].into_iter().chain(args).collect();
    switch_to(&mut b, part, &cases, &args, Some(&said));
    b.ret(Some(said));
    functions.push(b.finish());
    functions
}

/// Functions for the hole `seek` or `stage_kept`: those of rules of which a warp searches all instances.
pub(crate) fn shared_functions(ctx: CodegenCtx<'_>, hole: &str, sites: &mut Sites) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let (mut functions, mut found) = (Vec::new(), Vec::new());
    for table in ctx.layout.tables.ids() {
        for parts in parts_of(ctx, table) {
            let Parts::Many(many) = parts else { continue };
            found.push((table, many.rule, FunctionId(first + functions.len() as u32)));
            functions.push(if hole == "seek" { many.seek(sites) } else { many.keep(sites) });
        }
    }
    let (mut b, p) = function(ctx, hole, false, Type::Void);
    let mut args = vec![p];
    if hole == "stage_kept" {
        args.extend(["turn", "item"].map(|name| b.param(name, Type::U32)));
    }
    let (rule, table) = (b.param("rule", Type::U32), b.param("table", Type::U32));
    args.extend(many::params(&mut b));
    for (of, own, f) in found {
        let here = [(&table, number(of)), (&rule, number(own))];
        let here = build::all(here.map(|(a, n)| build::eq(a.clone(), build::u32(n))));
        b.when(here, |b| b.run(f, args.clone()));
    }
    functions.push(b.finish());
    functions
}

/// Functions for the hole `list`: one per part with one partner, one per table, and last the one that picks a table.
pub(crate) fn list_functions(ctx: CodegenCtx<'_>, sites: &mut Sites) -> Vec<Function> {
    let first = ctx.names.hole.0;
    let (mut functions, mut cases) = (Vec::new(), Vec::new());
    for table in ctx.layout.tables.ids() {
        let parts = parts_of(ctx, table);
        if parts.is_empty() {
            continue;
        }
        let mut searches = Vec::new();
        for pair in parts.iter().flat_map(|p| if let Parts::Pairs(pairs) = p { &pairs[..] } else { &[] }) {
            searches.push(FunctionId(first + functions.len() as u32));
            functions.push(pair.search(sites));
        }
        cases.push((u64::from(number(table)), FunctionId(first + functions.len() as u32)));
        functions.push(list_of_table(ctx, table, &parts, &searches));
    }
    let (mut b, p) = function(ctx, "list", false, Type::U32);
    let (turn, item) = (b.param("turn", Type::U32), b.param("item", Type::U32));
    let table = b.param("table", Type::U32);
    let params = Params::declare(&mut b, [p, turn, item], ("from", Type::U32));
    let asked = b.var("asked", ctx.names.constants.none.clone());
    switch_to(&mut b, table, &cases, &params.args(), Some(&asked));
    b.ret(Some(asked));
    functions.push(b.finish());
    functions
}

/// Calls the function of a case.
fn switch_to(
    b: &mut FunctionBuilder,
    value: Expr,
    cases: &[(u64, FunctionId)],
    args: &[Expr],
    result: Option<&Expr>,
) {
    if cases.is_empty() {
        return;
    }
    let code = |b: &mut FunctionBuilder, case: u64| {
        let found = cases.iter().find(|(c, _)| *c == case);
        let function = found.map_or(cases[0].1, |(_, f)| *f);
        let result = result.and_then(|to| match to.kind {
            ExprKind::Var(target) => Some(Target::Assign(target)),
            _ => None,
        });
        b.push(StmtKind::Effect { result, effect: Effect::Call { function, args: args.to_vec() } });
    };
    b.switch(value, cases.iter().map(|(c, _)| *c).collect(), code, |_| {});
}

/// Parameters of the list of a table.
struct Params {
    p: Expr,
    turn: Expr,
    item: Expr,
    row: Expr,
    from: Expr,
    behind: Expr,
    entries: Expr,
    at: Expr,
    search: Expr,
    best: Expr,
}

impl Params {
    /// Declares them behind the first three; `from` by its name and type.
    fn declare(b: &mut FunctionBuilder, [p, turn, item]: [Expr; 3], from: (&str, Type)) -> Self {
        Self {
            p,
            turn,
            item,
            row: b.param("row", Type::U32),
            from: b.param(from.0, from.1),
            behind: b.param("behind", Type::BOOL),
            entries: b.param("entries", Type::Buffer(Space::Global, Scalar::U32)),
            at: b.param("at", Type::U32),
            search: b.param("search", Type::Buffer(Space::Local, Scalar::U32)),
            best: b.param("best", Type::Buffer(Space::Local, Scalar::U32)),
        }
    }

    fn args(&self) -> Vec<Expr> {
        let Self { p, turn, item, row, from, behind, entries, at, search, best } = self;
        [p, turn, item, row, from, behind, entries, at, search, best].map(Expr::clone).to_vec()
    }

    /// A word of the entry behind which the list goes on.
    fn entry(&self, offset: usize) -> Expr {
        build::element(self.entries.clone(), op(BinaryOp::Add, self.at.clone(), build::u32(offset as u32)))
    }
}

fn list_of_table(
    ctx: CodegenCtx<'_>,
    table: ConstraintId,
    parts: &[Parts<'_>],
    searches: &[FunctionId],
) -> Function {
    let name = format!("list_{}", ctx.layout.tables[table].prefix);
    let (mut b, p) = function(ctx, name, false, Type::U32);
    b.doc(format!("The list of a constraint {}: its rules in order.", ctx.plan.tables[table].name));
    let (turn, item) = (b.param("turn", Type::U32), b.param("item", Type::U32));
    let params = Params::declare(&mut b, [p, turn, item], ("from", Type::U32));
    let id = b.var("id", ctx.id(&params.p, table, &params.row));
    let first = b.var("first", op(BinaryOp::Shr, params.from.clone(), build::u32(1)));
    let mut searches = searches.iter();
    for part in parts {
        match part {
            Parts::Pairs(pairs) => {
                for (pair, search) in pairs.iter().zip(&mut searches) {
                    pair.call(&mut b, &params, &id, &first, *search);
                }
            }
            Parts::Many(many) => many.call(&mut b, &params, &id, &first),
        }
    }
    b.ret(Some(ctx.names.constants.none.clone()));
    b.finish()
}

/// A candidate that is staged.
struct Candidate<'a> {
    /// Table and row of the constraint whose list it is in.
    table: ConstraintId,
    row: &'a Expr,
    id: &'a Expr,
    /// Its rule, with flags but that of a guard without value.
    tag: Expr,
    /// Whether its guard has no value.
    fails: Expr,
    /// The rows of its heads.
    rows: Vec<Expr>,
}

/// Appends a candidate to the staged list.
fn stage(
    ctx: CodegenCtx<'_>,
    b: &mut FunctionBuilder,
    [p, turn, item]: [&Expr; 3],
    candidate: Candidate<'_>,
) {
    let Candidate { table, row, id, tag, fails, rows } = candidate;
    let failing = op(BinaryOp::Or, tag.clone(), ctx.names.constants.fails.clone());
    let tag = Expr::new(ExprKind::Select(Box::new(fails), Box::new(failing), Box::new(tag)), Type::U32);
    let args =
        vec![p.clone(), turn.clone(), item.clone(), tag, build::u32(number(table)), row.clone(), id.clone()];
    let to = b.call("to", ctx.module, ctx.names.functions.stage, args);
    let staged = ctx.field(p, "staged");
    b.when(op(BinaryOp::Ne, to.clone(), ctx.names.constants.none.clone()), |b| {
        for h in 0..ctx.layout.heads {
            let place = build::element(staged.clone(), op(BinaryOp::Add, to.clone(), build::u32(h as u32)));
            let row = rows.get(h).cloned().unwrap_or_else(|| build::u32(0));
            b.assign_owned("an entry is handed out once", place, row);
        }
    });
}

/// The tag of candidates of a rule, with flags.
fn tag<'e>(rule: RuleId, flags: impl IntoIterator<Item = &'e Expr>) -> Expr {
    flags.into_iter().fold(build::u32(number(rule)), |tag, flag| op(BinaryOp::Or, tag, flag.clone()))
}

/// The word of an entry that holds the row of a head.
fn row_word(head: usize) -> usize {
    ENTRY_WORDS + head
}
