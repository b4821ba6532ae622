//! Operators of a checked program with the sorts of their operands, and kinds of goals.

use gchr_base::op::{Op, Operands, ResultSort, TermSyntax};
use gchr_base::rule::{Body, Expr, ExprKind, Goal, GoalKind, Program, Start};
use gchr_base::signature::SortKind;

/// The operators and goals of rules and queries.
pub fn used(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    for rule in &program.rules {
        rule.guard.iter().for_each(|g| goal(program, g, "guard", &mut found));
        match &rule.body {
            Body::Replace(right) => expression(program, right, &mut found),
            Body::Goals(goals) => goals.iter().for_each(|g| goal(program, g, "body", &mut found)),
        }
    }
    if let Start::Goals(queries) = &program.start {
        queries.iter().flat_map(|q| &q.goals).for_each(|g| goal(program, g, "query", &mut found));
    }
    found
}

fn goal(program: &Program, goal: &Goal, place: &str, found: &mut Vec<String>) {
    let (name, expressions): (&str, Vec<&Expr>) = match &goal.kind {
        GoalKind::Test(test) => ("a test", vec![test]),
        GoalKind::Bind { value, .. } => ("a value", vec![value]),
        GoalKind::Match { value, .. } => ("a value taken apart", vec![value]),
        GoalKind::Add { args, .. } => ("a constraint", args.iter().collect()),
        GoalKind::Fail => ("a failure", Vec::new()),
        GoalKind::Write { value, .. } => ("output", vec![value]),
        GoalKind::Newline => ("a new line", Vec::new()),
    };
    found.push(format!("{place}: {name}"));
    expressions.iter().for_each(|e| expression(program, e, found));
}

fn expression(program: &Program, of: &Expr, found: &mut Vec<String>) {
    match &of.kind {
        ExprKind::Var(_) | ExprKind::Const(_) => {}
        ExprKind::App { args, .. } => args.iter().for_each(|a| expression(program, a, found)),
        ExprKind::Repeat { arg, .. } => expression(program, arg, found),
        ExprKind::Op { op, args } => {
            let kinds = args.iter().map(|a| program.signature.kind(a.sort));
            found.extend(kinds.map(|kind| operator(*op, kind)));
            args.iter().for_each(|a| expression(program, a, found));
        }
    }
}

fn operator(op: Op, kind: SortKind) -> String {
    format!("operator {} on {kind:?}", op.name())
}

/// All operators of term programs.
pub fn of_terms() -> Vec<String> {
    let written = Op::ALL.iter().filter(|op| op.row().terms != TermSyntax::None);
    let mut all: Vec<String> = written
        .flat_map(|&op| {
            let kinds: &[SortKind] = match (op.row().operands, op.row().result) {
                (Operands::Truth, _) => &[SortKind::Data],
                (Operands::Integers, _) => &[SortKind::Int],
                (_, ResultSort::Quotient) => &[SortKind::Float],
                _ => &[SortKind::Int, SortKind::Float],
            };
            kinds.iter().map(move |&kind| operator(op, kind))
        })
        .collect();
    all.extend(["a test", "a value", "a value taken apart"].map(|goal| format!("guard: {goal}")));
    // Comparisons of terms.
    all.extend([Op::Same, Op::Differ].map(|op| operator(op, SortKind::Data)));
    all
}

/// All operators of constraint programs, and the goals of each place.
pub fn of_constraints() -> Vec<String> {
    // `eval` of a number is the number: rules apply it to values of unknown type only.
    let written = Op::ALL.iter().filter(|op| !op.row().constraints.is_empty() && **op != Op::Eval);
    let operators = written.flat_map(|&op| {
        let kinds: &[SortKind] = match op.row().operands {
            Operands::Integers => &[SortKind::Int],
            Operands::Numbers => &[SortKind::Int, SortKind::Float, SortKind::Any],
            _ => &[SortKind::Int, SortKind::Float, SortKind::Atom, SortKind::Str, SortKind::Any],
        };
        kinds.iter().map(move |&kind| operator(op, kind))
    });
    let guards = ["a test", "a value", "a value taken apart", "a failure"].map(|g| format!("guard: {g}"));
    let everywhere =
        ["a test", "a value", "a value taken apart", "a constraint", "a failure", "output", "a new line"];
    let bodies = everywhere.map(|g| format!("body: {g}"));
    let queries =
        ["a test", "a value", "a constraint", "output", "a new line"].map(|g| format!("query: {g}"));
    operators.chain(guards).chain(bodies).chain(queries).collect()
}
