//! What goals call: predicates and constraints, those within control constructs, and closures that others call with
//! more arguments.

use std::sync::LazyLock;

use gchr_base::hash::HashMap;

use crate::ast::{Module, TermId, TermKind};

#[cfg(test)]
mod tests;

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

/// Predicates that call arguments of theirs, in the notation of `meta_predicate/1`: a number is a goal that is called
/// with so many further arguments, `^` a goal behind variables (`V^G`), `//` the body of a grammar rule.
const META_PREDICATES: &str = "
    ,(0,0) ;(0,0) |(0,0) ->(0,0) *->(0,0) \\+(0) ^(?,0) $(0) @(0,+) >>(?,0) not(0) once(0) ignore(0)
    call(0) call(1,?) call(2,?,?) call(3,?,?,?) call(4,?,?,?,?) call(5,?,?,?,?,?) call(6,?,?,?,?,?,?)
    call(7,?,?,?,?,?,?,?)
    /(?,0) /(?,1,?) /(?,2,?,?) /(?,3,?,?,?) /(?,4,?,?,?,?) /(?,5,?,?,?,?,?) /(?,6,?,?,?,?,?,?)
    /(?,7,?,?,?,?,?,?,?)
    catch(0,?,0) catch_with_backtrace(0,?,0) on_exception(+,0,0)
    call_cleanup(0,0) call_cleanup(0,?,0) setup_call_cleanup(0,0,0) setup_call_catcher_cleanup(0,0,?,0)
    findall(?,0,-) findall(?,0,-,?) findnsols(+,?,0,-) bagof(?,^,-) setof(?,^,-)
    aggregate(?,^,-) aggregate(?,?,^,-) aggregate_all(?,0,-) aggregate_all(?,?,0,-)
    forall(0,0) foreach(0,0) concurrent_forall(0,0) concurrent_forall(0,0,+)
    call_nth(0,?) distinct(0) distinct(?,0) limit(+,0) offset(+,0) order_by(+,0) reduced(0) reduced(?,0,+)
    group_by(?,?,0,-)
    call_with_depth_limit(0,+,-) call_with_inference_limit(0,+,-) call_with_time_limit(+,0)
    alarm(+,0,-) alarm(+,0,-,+) alarm_at(+,0,-,+)
    freeze(?,0) when(+,0) with_mutex(+,0) tnot(0) assertion(0) time(0) time(0,-,-) profile(0) profile(0,+)
    initialization(0) initialization(0,+)
    with_output_to(+,0) with_output_to_chars(0,-) with_output_to_codes(0,-)
    maplist(1,?) maplist(2,?,?) maplist(3,?,?,?) maplist(4,?,?,?,?)
    concurrent_maplist(1,+) concurrent_maplist(2,?,?) concurrent_maplist(3,?,?,?)
    foldl(3,+,+,-) foldl(4,+,+,+,-) foldl(5,+,+,+,+,-) foldl(6,+,+,+,+,+,-) scanl(3,+,+,-) scanl(4,+,+,+,-)
    include(1,+,-) exclude(1,+,-) partition(1,+,-,-) partition(2,+,-,-,-) convlist(2,+,-) sublist(1,+,?)
    checklist(1,+) predsort(3,+,-) max_member(2,-,+) min_member(2,-,+) map_list_to_pairs(2,+,-)
    map_assoc(1,?) map_assoc(2,?,?) rb_apply(+,+,2,-) rb_fold(3,+,+,-) rb_map(?,1) rb_map(+,2,-)
    rb_partial_map(+,+,2,-) mapargs(2,?,?) mapsubterms(2,?,?) foldsubterms(3,+,+,-) foldsubterms(4,+,?,+,-)
    indent_lines(1,+,+,-)
    call_dcg(//,?,?) phrase(//,?) phrase(//,?,?) phrase_from_file(//,+) phrase_from_file(//,+,+)
    phrase_from_stream(//,+) optional(//,//,?,?) sequence(3,?,?,?) sequence(3,//,?,?,?)
    sequence(//,3,//,//,?,?,?)
";

/// Predicates that take clauses in their first argument, which are no goals.
const TAKERS: [(&str, usize); 6] =
    [("assert", 1), ("asserta", 1), ("assertz", 1), ("retract", 1), ("retractall", 1), ("clause", 2)];

/// What an argument that is called is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Called {
    /// A goal, with so many arguments that are added when it is called.
    Goal(usize),
    /// The body of a rule of a grammar.
    Grammar,
}

/// The arguments of a predicate that are called, with their places.
type Places = Vec<(usize, Called)>;

/// Where goals, bodies of grammars and clauses stand among the arguments of predicates.
static PLACES: LazyLock<HashMap<&str, Vec<(usize, Places)>>> = LazyLock::new(|| {
    let takers = TAKERS.map(|taker| (taker, vec![(0, Called::Goal(0))]));
    let mut found: HashMap<&str, Vec<(usize, Places)>> = HashMap::default();
    for ((name, arity), places) in meta_predicates().chain(takers) {
        found.entry(name).or_default().push((arity, places));
    }
    found
});

/// The predicates of [`META_PREDICATES`].
fn meta_predicates() -> impl Iterator<Item = ((&'static str, usize), Places)> {
    META_PREDICATES.split_ascii_whitespace().filter_map(meta_predicate)
}

/// Name, number of arguments and called arguments of `name(0,?,//)`.
fn meta_predicate(text: &'static str) -> Option<((&'static str, usize), Places)> {
    let (name, args) = text.strip_suffix(')')?.rsplit_once('(')?;
    let called = |arg: &str| match arg {
        "^" => Some(Called::Goal(0)),
        "//" => Some(Called::Grammar),
        more => more.parse().ok().map(Called::Goal),
    };
    let places = args.split(',').enumerate().filter_map(|(at, arg)| Some((at, called(arg)?))).collect();
    Some(((name, args.split(',').count()), places))
}

/// The called arguments of a predicate.
fn places(name: &str, arity: usize) -> &'static [(usize, Called)] {
    let of_name = PLACES.get(name).map_or(&[][..], Vec::as_slice);
    of_name.iter().find(|(known, _)| *known == arity).map_or(&[], |(_, places)| places)
}

/// The places of arguments that a predicate calls as they are.
pub(crate) fn goals_of(name: &str, arity: usize) -> impl Iterator<Item = usize> {
    places(name, arity).iter().filter(|(_, called)| *called == Called::Goal(0)).map(|(at, _)| *at)
}

/// All predicates that call arguments of theirs: name, number of arguments, and where the goals stand, with how many
/// arguments that are added when they are called.
pub(crate) fn callers() -> impl Iterator<Item = (&'static str, usize, Vec<(usize, usize)>)> {
    meta_predicates().map(|((name, arity), places)| {
        let goals = places.into_iter().filter_map(|(at, called)| match called {
            Called::Goal(more) => Some((at, more)),
            Called::Grammar => None,
        });
        (name, arity, goals.collect())
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
        for &(at, called) in if more == 0 { places(name, arity) } else { &[] } {
            match called {
                Called::Goal(more) => pending.push((args[at], more, modules.clone())),
                Called::Grammar => found.extend(of_grammar(module, args[at]).into_iter().map(|call| Call {
                    modules: modules.iter().copied().chain(call.modules).collect(),
                    ..call
                })),
            }
        }
        // A closure with parameters: `[X]>>G`, `Shared/[X]>>G`.
        match (name, args) {
            (">>", &[parameters, goal]) if more > 0 => {
                let parameters = module.binary(parameters, "/").map_or(parameters, |(_, own)| own);
                let taken = match module.kind(parameters) {
                    TermKind::List { items, .. } => items.len(),
                    _ => 0,
                };
                pending.push((goal, more.saturating_sub(taken), modules.clone()));
            }
            ("/", &[_, closure]) if more > 0 => pending.push((closure, more, modules.clone())),
            _ => {}
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
