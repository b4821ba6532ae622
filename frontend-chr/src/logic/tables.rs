//! Predicates with tables (`:- table`): their clauses get another name, and a clause of theirs looks into the table.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::{Clause, Functor, LogicNode, LogicTermId, Variable};
use gchr_base::source::Span;

use super::goals::Goals;
use super::terms::{Building, Scope};
use crate::ast::{TermId, TermKind, without_module};
use crate::directives::predicates;

/// A predicate with a table.
#[derive(Debug)]
pub(super) struct Tabled {
    functor: Functor,
    /// What each argument is: `index`, or how answers are joined; empty where all are `index`.
    modes: Vec<LogicTermId>,
    /// The variables of the modes.
    variables: Vec<Variable>,
    span: Span,
}

/// The predicates that a directive names: `p/2`, or `p(_, min)` with modes.
pub(super) fn declared(goals: &mut Goals<'_>, id: TermId, found: &mut Vec<Tabled>) {
    let module = goals.module;
    for spec in module.members(id, ",") {
        let spec = without_module(module, spec);
        let spec = match module.binary(spec, "as") {
            Some((spec, options)) => {
                warn_of_options(goals, options);
                spec
            }
            None => spec,
        };
        let span = module.span(spec);
        let mut plain = Vec::new();
        predicates(module, spec, &mut plain);
        let Some((name, args)) = module.functor(spec) else { continue };
        if !plain.is_empty() || name == "/" || name == "//" {
            let table = |functor| Tabled { functor, modes: Vec::new(), variables: Vec::new(), span };
            found.extend(plain.into_iter().map(table));
            continue;
        }
        let (mut modes, mut scope): (Vec<LogicTermId>, _) = (Vec::new(), Scope::default());
        let mut plain = true;
        for &arg in args {
            let is_index = matches!(module.kind(arg), TermKind::Var(_))
                || module.functor(arg).is_some_and(|f| matches!(f, ("index" | "+", _)));
            plain &= is_index;
            modes.push(match is_index {
                true => goals.building.atom("index", span),
                false => mode(goals, arg, &mut scope),
            });
        }
        let functor = Functor { name: name.into(), arity: args.len() };
        let modes = if plain { Vec::new() } else { modes };
        found.push(Tabled { functor, modes, variables: scope.variables, span });
    }
}

/// Tables follow the clauses that there are when they are made, not changes of dynamic predicates behind them.
fn warn_of_options(goals: &mut Goals<'_>, options: TermId) {
    let module = goals.module;
    for option in module.members(options, ",") {
        let Some((name @ ("incremental" | "monotonic"), _)) = module.functor(option) else { continue };
        goals.diagnostics.push(
            Diagnostic::warning("C0321", format!("tables are not {name} here"))
                .label(module.span(option), "a table stays as it is when clauses change")
                .help("call abolish_all_tables behind the change"),
        );
    }
}

/// How answers are joined: `lattice(join(_, _, _))` is `lattice(join/3)`, and `po` likewise.
fn mode<'a>(goals: &mut Goals<'a>, id: TermId, scope: &mut Scope<'a>) -> LogicTermId {
    let module = goals.module;
    if let Some((kind @ ("lattice" | "po"), &[head])) = module.functor(id)
        && let Some((name, args @ [_, ..])) = module.functor(without_module(module, head))
        && name != "/"
    {
        let span = module.span(head);
        let name = goals.building.atom(name, span);
        let arity = goals.building.terms.push(LogicNode::Int(args.len() as i64), span);
        let indicator = goals.building.compound("/", &[name, arity], span);
        return goals.building.compound(kind, &[indicator], span);
    }
    goals.term(id, scope)
}

/// Renames the clauses of predicates with tables, and adds those that look into the tables.
pub(super) fn rename(building: &mut Building, clauses: &mut Vec<Clause>, tabled: &[Tabled]) {
    let inner = |name: &str| format!("{name} tabled");
    for clause in clauses.iter_mut() {
        let Some((name, args)) = building.terms.functor(clause.head) else { continue };
        if tabled.iter().any(|t| *t.functor.name == *name && t.functor.arity == args.len()) {
            let (name, args) = (inner(name), args.to_vec());
            clause.head = building.compound(&name, &args, clause.span);
        }
    }
    for one in tabled {
        let (span, mut scope) = (one.span, Scope::default());
        scope.variables.extend(one.variables.iter().cloned());
        let args = building.fresh_args(one.functor.arity, &mut scope, span);
        let head = building.compound(&one.functor.name, &args, span);
        let call = building.compound(&inner(&one.functor.name), &args, span);
        let modes = building.list(&one.modes, span);
        let body = building.compound("$tabled", &[head, call, modes], span);
        clauses.push(Clause { head, body, variables: scope.variables, span });
    }
}
