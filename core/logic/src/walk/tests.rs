//! Tests: every predicate of the library ends on terms that hold themselves and on terms whose parts are shared, or
//! hears the limits.

use std::time::{Duration, Instant};

use gchr_base::control::{Control, Limits};
use gchr_base::logic::LogicProgram;
use gchr_base::stop::StopReason;

use crate::cell::Cell;
use crate::code::PredId;
use crate::database::Definition;
use crate::machine::{Machine, Throw};
use crate::meter::Meter;
use crate::names::atom;

/// Levels of a term whose parts are shared: written out it has two to the power of so many leaves.
const LEVELS: usize = 60;
/// What a goal may take before it is stopped, and until it has to have ended.
const STEPS: u64 = 20_000;
const TIME: Duration = Duration::from_millis(30);
const GRACE: Duration = Duration::from_millis(900);

/// What the walk is fed with.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// `X = f(X)`.
    Cyclic,
    /// `L = [a|L]`.
    Endless,
    /// `P = 1 + P`.
    Sum,
    /// `f(T, T)` of `f(U, U)` and so on, without variables and with one.
    Shared,
    SharedOpen,
}

const KINDS: [Kind; 5] = [Kind::Cyclic, Kind::Endless, Kind::Sum, Kind::Shared, Kind::SharedOpen];

fn term(m: &mut Machine<'_, '_>, kind: Kind) -> Cell {
    let f = m.db.names.intern("f");
    let a = m.db.names.cell("a");
    match kind {
        Kind::Cyclic => {
            let hole = m.heap.variable();
            let term = m.heap.compound(f, &[hole]);
            assert!(m.heap.unify(hole, term));
            term
        }
        Kind::Endless => {
            let hole = m.heap.variable();
            let list = m.heap.cons(a, hole);
            assert!(m.heap.unify(hole, list));
            list
        }
        Kind::Sum => {
            let hole = m.heap.variable();
            let sum = m.heap.compound(atom::plus, &[Cell::int(1), hole]);
            assert!(m.heap.unify(hole, sum));
            sum
        }
        Kind::Shared | Kind::SharedOpen => {
            let leaf = if matches!(kind, Kind::Shared) { a } else { m.heap.variable() };
            (0..LEVELS).fold(leaf, |part, _| m.heap.compound(f, &[part, part]))
        }
    }
}

/// Predicates that end the run, or call what they are given without end.
const LEFT_OUT: &[&str] = &["halt", "repeat", "listing"];

/// What a goal came to.
#[derive(PartialEq, Debug)]
enum Came {
    Ended,
    Stopped,
}

fn call(
    m: &mut Machine<'_, '_>,
    pred: PredId,
    args: impl FnOnce(&mut Machine<'_, '_>) -> Vec<Cell>,
) -> (Came, Duration) {
    // Nothing of the goal before is there any more.
    m.cut(0);
    m.roots.clear();
    m.saved.clear();
    m.heap.woken.clear();
    m.heap.cells.clear();
    m.globals.clear();
    m.output.kept.clear();
    let name = m.db.preds[pred as usize].name;
    let args = args(m);
    let goal = m.heap.compound(name, &args);
    *m.control =
        Control::new(Limits { max_steps: Some(m.steps + STEPS), timeout: Some(TIME), ..Limits::default() });
    m.heap.meter = Meter::of(m.control);
    let start = Instant::now();
    let solved = m.solve(goal);
    let came = match solved {
        Ok(_) | Err(Throw::Ball(_) | Throw::Halt(_)) => Came::Ended,
        Err(Throw::Rung) => panic!("no alarm was set"),
        Err(Throw::Stop(reason)) => match *reason {
            StopReason::Steps { .. } | StopReason::Timeout { .. } => Came::Stopped,
            other => panic!("{other:?}"),
        },
    };
    (came, start.elapsed())
}

/// Predicates of the library's Prolog that walk terms and must have an end; those in Rust have one anyway.
const WALKS: &[&str] = &[
    "length",
    "copy_term",
    "duplicate_term",
    "term_variables",
    "numbervars",
    "term_hash",
    "variant_hash",
    "hash_term",
    "subsumes_term",
    "subsumes",
    "variant",
    "findall",
    "bagof",
    "setof",
    "aggregate_all",
    "arg",
    "compound_name_arguments",
    "compound_name_arity",
    "is_set",
    "nth0",
    "nth1",
    "freeze",
    "dif",
    "when",
    "consult",
    "open",
    "see",
    "absolute_file_name",
    "same_term",
    "is_most_general_term",
    "writef",
];

/// Predicates that write parts of a term, or make code of them, as often as they occur.
const WRITE_OUT: &[&str] = &[
    "write",
    "print",
    "writeln",
    "writeq",
    "write_canonical",
    "write_term",
    "term_to_atom",
    "term_string",
    "assert",
    "asserta",
    "assertz",
    "format",
    "is",
    "=:=",
    "tab",
];

/// Whether a goal must have an end of its own.
fn must_end(name: &str, is_native: bool, kind: Kind) -> bool {
    let is_shared = matches!(kind, Kind::Shared | Kind::SharedOpen);
    (is_native || WALKS.contains(&name)) && !(is_shared && WRITE_OUT.contains(&name))
}

fn is_native(definition: &Definition) -> bool {
    matches!(definition, Definition::Native(_))
}

#[test]
fn every_predicate_ends_or_hears_limits() {
    let loaded = crate::load::load(&LogicProgram::default()).expect("an empty program");
    let mut control = Control::new(Limits::default());
    let mut m = Machine::new(
        loaded.db,
        crate::builtins::natives(),
        loaded.constraints,
        &mut control,
        &gchr_chr::TermReader,
    );
    let append = m.db.named("append", 3);
    assert!(m.load_library_for(append).expect("the library is read"));
    let all: Vec<(PredId, String, usize, bool)> = (0..m.db.preds.len() as PredId)
        .map(|pred| (pred, &m.db.preds[pred as usize]))
        .filter(|(_, p)| p.library && !matches!(p.definition, Definition::Unknown))
        .map(|(pred, p)| (pred, m.db.names.text(p.name).to_string(), p.arity, is_native(&p.definition)))
        .filter(|(_, name, arity, _)| !name.starts_with('$') && *arity > 0 && !LEFT_OUT.contains(&&**name))
        .collect();
    assert!(all.len() > 300, "{}", all.len());
    let (mut late, mut endless) = (Vec::new(), Vec::new());
    for (pred, name, arity, is_native) in all {
        for kind in KINDS {
            // In one argument, the others unbound; in all; and behind something that is there.
            let some = [0, 1, arity - 1, arity].into_iter().filter(|&at| at <= arity);
            let mut places: Vec<usize> = some.collect();
            places.sort_unstable();
            places.dedup();
            for place in places {
                let (came, time) = call(&mut m, pred, |m| {
                    let term = term(m, kind);
                    (0..arity)
                        .map(|i| if i == place || place == arity { term } else { m.heap.variable() })
                        .collect()
                });
                let shown = format!("{name}/{arity} {kind:?} at {place}");
                if time > TIME + GRACE {
                    late.push(format!("{shown}: {time:?}"));
                }
                if came == Came::Stopped && must_end(&name, is_native, kind) {
                    endless.push(shown);
                }
            }
        }
    }
    assert!(late.is_empty(), "{late:#?}");
    assert!(endless.is_empty(), "{endless:#?}");
}

#[test]
fn attributes_end_where_the_heap_does() {
    let mut heap = crate::heap::Heap::new();
    let bare = heap.attributed();
    assert_eq!(heap.attributes(bare).count(), 0, "nothing behind the last cell is read");
    // The list of attributes ends with the last cell of the heap, whatever the end is read as.
    let end = Cell::atom(atom::min_integer);
    let variable = heap.attributed();
    let att = heap.compound(atom::att, &[Cell::atom(atom::chr), Cell::int(1), end]);
    heap.cells[variable.place() + 1] = att;
    assert_eq!(heap.attributes(variable).collect::<Vec<_>>(), [att]);
}
