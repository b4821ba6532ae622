//! What goals call: predicates and constraints, those within control constructs, and closures that others call with
//! more arguments.

use crate::ast::{Module, TermId};

/// A term that is called.
#[derive(Clone, Debug)]
pub struct Call {
    /// The term.
    pub term: TermId,
    /// Its arguments when it is called: more than it has where it is a closure.
    pub arity: usize,
    /// Modules that qualify it, the outermost first.
    pub modules: Vec<TermId>,
}

/// Names of predicates, the numbers of their arguments, and where goals stand among these, with how many arguments that
/// are added when they are called.
type Callers = (&'static [&'static str], &'static [usize], &'static [(usize, usize)]);

/// Predicates that call arguments of theirs.
const CALLERS: &[Callers] = &[
    (&[",", ";", "|", "->", "*->", "forall", "foreach", "call_cleanup"], &[2], &[(0, 0), (1, 0)]),
    (
        &[
            "\\+",
            "not",
            "once",
            "ignore",
            "call",
            "time",
            "initialization",
            "tnot",
            "distinct",
            "$",
            "assertion",
        ],
        &[1],
        &[(0, 0)],
    ),
    (&["catch"], &[3], &[(0, 0), (2, 0)]),
    (&["setup_call_cleanup"], &[3], &[(0, 0), (1, 0), (2, 0)]),
    (&["setup_call_catcher_cleanup"], &[4], &[(0, 0), (1, 0), (3, 0)]),
    (&["call_cleanup"], &[3], &[(0, 0), (2, 0)]),
    (&["call_with_time_limit", "alarm", "alarm_at"], &[3], &[(1, 0)]),
    (&["alarm", "alarm_at"], &[4], &[(1, 0)]),
    (&["call_with_inference_limit"], &[3], &[(0, 0)]),
    (&["findall", "bagof", "setof", "aggregate_all"], &[3], &[(1, 0)]),
    (&["findall"], &[4], &[(1, 0)]),
    (&["aggregate_all"], &[4], &[(2, 0)]),
    (
        &["^", "with_output_to", "freeze", "when", "limit", "order_by", "call_with_time_limit", ">>"],
        &[2],
        &[(1, 0)],
    ),
    (&["include", "exclude"], &[3], &[(0, 1)]),
    (&["partition"], &[4], &[(0, 1)]),
    (&["partition"], &[6], &[(0, 2)]),
    (&["convlist"], &[3], &[(0, 2)]),
    (&["predsort"], &[3], &[(0, 3)]),
    (&["maplist", "call"], &[2], &[(0, 1)]),
    (&["maplist", "call"], &[3], &[(0, 2)]),
    (&["maplist", "call", "foldl"], &[4], &[(0, 3)]),
    (&["maplist", "call", "foldl"], &[5], &[(0, 4)]),
    (&["maplist", "call", "foldl"], &[6], &[(0, 5)]),
    (&["maplist", "call", "foldl"], &[7], &[(0, 6)]),
    (&["call"], &[8], &[(0, 7)]),
];

/// Predicates that take clauses or rules of grammars in arguments, which are no goals.
const TAKERS: &[Callers] = &[
    (&["assert", "asserta", "assertz", "retract", "retractall"], &[1], &[(0, 0)]),
    (&["phrase"], &[2, 3], &[(0, 2)]),
    (&["phrase_from_file", "phrase_from_stream"], &[2], &[(0, 2)]),
    (&["call_dcg"], &[3], &[(0, 2)]),
    (&["clause"], &[2], &[(0, 0)]),
];

/// Where goals and clauses stand among the arguments of a predicate.
fn goals_of(name: &str, arity: usize) -> Option<&'static [(usize, usize)]> {
    let is_one = |(names, arities, _): &&Callers| arities.contains(&arity) && names.contains(&name);
    CALLERS.iter().chain(TAKERS).find(is_one).map(|(_, _, places)| *places)
}

/// All predicates that call arguments of theirs: name, number of arguments, and where the goals stand.
pub(crate) fn callers() -> impl Iterator<Item = (&'static str, usize, &'static [(usize, usize)])> {
    CALLERS.iter().flat_map(|(names, arities, places)| {
        names.iter().flat_map(move |name| arities.iter().map(move |&arity| (*name, arity, *places)))
    })
}

/// What goals call; with each, how many arguments it is called with beside its own.
pub fn of_goals(module: &Module, goals: impl IntoIterator<Item = (TermId, usize)>) -> Vec<Call> {
    let mut found = Vec::new();
    let mut pending: Vec<(TermId, usize, Vec<TermId>)> =
        goals.into_iter().map(|(id, more)| (id, more, Vec::new())).collect();
    while let Some((id, more, mut modules)) = pending.pop() {
        if let Some((qualifier, inner)) = module.binary(id, ":") {
            modules.push(qualifier);
            pending.push((inner, more, modules));
            continue;
        }
        let Some((name, args)) = module.functor(id) else { continue };
        let arity = args.len() + more;
        let inner = goals_of(name, arity).filter(|_| more == 0);
        for &(at, more) in inner.unwrap_or_default() {
            pending.extend(args.get(at).map(|&arg| (arg, more, modules.clone())));
        }
        if name == ":-" && args.len() == 2 {
            pending.extend(args.iter().map(|&arg| (arg, 0, modules.clone())));
        }
        found.push(Call { term: id, arity, modules });
    }
    found
}

/// What the body of a rule of a grammar calls.
pub fn of_grammar(module: &Module, body: TermId) -> Vec<Call> {
    let (mut goals, mut pending) = (Vec::new(), vec![body]);
    while let Some(id) = pending.pop() {
        match module.functor(id) {
            Some(("," | ";" | "|" | "->", &[left, right])) => pending.extend([right, left]),
            Some(("\\+", &[inner])) => pending.push(inner),
            Some(("{}", &[goal])) => goals.push((goal, 0)),
            Some(("call", args)) if !args.is_empty() => goals.push((args[0], args.len() + 1)),
            Some(_) => goals.push((id, 2)),
            None => {}
        }
    }
    of_goals(module, goals)
}
