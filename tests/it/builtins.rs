//! Built-in predicates of the logic machine that would take much memory or time: each ends with the limit that it met,
//! soon, and the process stays within its memory.

use std::time::Duration;

use crate::support::Scratch;
use crate::support::process::{Ended, Process, Stdout};

/// `--memory`, and the most that a process may have had then, with its code and what the system adds.
const MEMORY: &str = "80M";
const MOST: u64 = (80 << 20) / 10 * 12 + (56 << 20);
const TIMEOUT: &str = "700ms";
/// Processor time of a run, its start and its end with it.
const SOON: Duration = Duration::from_millis(2200);

const PROGRAM: &str = "
:- table path/2.
share(0, a) :- !.
share(N, f(X, X)) :- M is N-1, share(M, X).
open(0, _) :- !.
open(N, f(X, X)) :- M is N-1, open(M, X).
twice(0, A, A) :- !.
twice(N, A, B) :- atom_concat(A, A, C), M is N-1, twice(M, C, B).
codes(N, L) :- length(L, N), all(L).
all([]).
all([0'x|T]) :- all(T).
again(G) :- repeat, G, fail.
add(N) :- assertz(fact(N, N)), M is N+1, add(M).
grow(N) :- atom_concat(N, abcdefghijklmnopqrstuvwxyz, M), grow(M).
deep(N, s(X)) :- M is N+1, deep(M, X), X \\== N.
list(N, [N|T]) :- M is N+1, list(M, T).
keep(N) :- nb_setval(key, N), keep(f(N, N)).
left(0, X, X) :- !.
left(N, X, Y) :- M is N-1, left(M, s(X), Y).
both(0, X, X) :- !.
both(N, X, Y) :- M is N-1, both(M, g(X, X, a), Y).
inner(N) :- M is N+1, inner(M), M > 0.
ways(N) :- M is N+1, ( ways(M) ; true ).
sum(0, 1) :- !.
sum(N, X+X) :- M is N-1, sum(M, X).
edge(X, Y) :- Y is X+1.
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
:- table holds/1.
holds(_).
:- chr_constraint c(?any), d(?any).
d(X) ==> d(f(X)).
";

/// Goals, one a kind of work.
const GOALS: &[&str] = &[
    // Texts of terms.
    "share(60, X), write(X)",
    "share(60, X), print(X)",
    "share(60, X), write_canonical(X)",
    "share(60, X), term_to_atom(X, A), atom_length(A, N)",
    "share(60, X), with_output_to(string(S), write(X))",
    "share(60, X), format(\"~w\", [X])",
    "share(60, X), format(atom(A), \"~q~p\", [X, X])",
    "share(60, X)",
    "share(60, X), c(X)",
    "share(60, X), catch(atom_length(X, _), E, (print_message(error, E), write(E)))",
    // Texts.
    "tab(1000000000)",
    "with_output_to(string(S), tab(100000000000))",
    "format(atom(A), \"~t~w~1000000000|\", [x])",
    "format(atom(A), \"~*c\", [1000000000, 0'x])",
    "format(\"~1000000000n\", [])",
    "format(atom(A), \"~1000000000d\", [1])",
    "format(atom(A), \"~1000000000e\", [1.5])",
    "twice(40, abcdefgh, B)",
    "grow('')",
    "twice(20, ab, B), again(atom_codes(B, _))",
    "twice(24, ab, B), sub_atom(B, X, _, _, b), fail",
    "twice(18, ab, B), atom_concat(X, Y, B), X == Y",
    "twice(23, ab, B), atom_codes(B, L), atom_codes(C, L)",
    "twice(23, ab, B), split_string(B, \"a\", \"\", L)",
    "twice(23, ab, B), atomic_list_concat(L, a, B)",
    "twice(23, '1+', B), atom_concat(B, '1', C), term_to_atom(T, C)",
    // Lists.
    "length(L, 100000000)",
    "functor(T, f, 16000000), T =.. L, copy_term(L, M), N = x(M)",
    "numlist(1, 1000000000, L)",
    "findall(X, between(1, 1000000000, X), L)",
    "findall(X-Y, (repeat, Y = f(X)), L)",
    "length(L, 1000000), msort(L, M), sort(0, @>=, M, K), list_to_set(K, J), again(msort(J, _))",
    "list(0, L)",
    "deep(0, X)",
    "bagof(X, between(1, 1000000000, X), L)",
    // Copies.
    "length(L, 500000), findall(L, repeat, M)",
    "length(L, 1000000), again((copy_term(L, M), nb_setval(k, M)))",
    "length(L, 1000000), copy_term(L, A), copy_term(A, B), copy_term(B, C), copy_term(f(A, B, C), D)",
    "keep(a)",
    "add(0)",
    "codes(1000000, L), again(assertz(fact(L)))",
    "open(60, X), assertz(fact(X))",
    "path(1, X), X < 0",
    // Goals that hold themselves.
    "X = (X, true), call(X)",
    "X = (true, X), call(X)",
    "X = (X -> true ; true), call(X)",
    "X = catch(X, _, true), call(X)",
    "X = call(call, X), call(X)",
    "X = findall(_, X, _), call(X)",
    "X = m:X, call(X)",
    // Numbers.
    "share(0, _), X is 7 ** (7 ** 10)",
    "share(0, _), X is 1 << 1000000000000",
    "share(0, _), X is (1 << 100000000) * (1 << 20000000)",
    "share(0, _), X is 3 ** 20000000, Y is X mod 7 ** 1000000, Y > 0",
    "share(0, _), X is 7 ** 3000000, atom_length(X, N)",
    "share(0, _), X is 7 ** 3000000, format(\"~2f\", [X])",
    "share(0, _), X is 7 ** 30000000 + 1",
    "share(0, _), X is gcd(7 ** 2000000, 5 ** 3000000)",
    "twice(21, '12', A), atom_number(A, N)",
    "sum(60, X), Y is X",
    "numlist(1, 200000, L), foldl([X, A, B]>>(B is A*X), L, 1, _)",
    "X is 7 ** 1000000, again(number_codes(X, _))",
    "X is 7 ** 1000000, again(format(atom(_), \"~D\", [X]))",
    "X is powm(7, 10 ** 100000, 10 ** 100000 + 1)",
    // Deep terms: what looks at them has a note of each level, at most.
    "left(2000000, a, X)",
    "left(2000000, a, X), c(X)",
    "left(2000000, a, X), again(term_hash(X, _))",
    "left(2000000, a, X), again(copy_term(X, _))",
    "left(2000000, X, Y), again(term_variables(Y, _))",
    "left(2000000, X, Y), again(numbervars(Y, 0, _))",
    "left(2000000, a, X), again(X =@= X)",
    "left(2000000, a, X), left(2000000, a, Y), again(X == Y)",
    "left(2000000, X, A), again(\\+ A = a)",
    "left(2000000, a, X), again(holds(X))",
    "left(2000000, a, X), again(recorda(k, X))",
    "left(2000000, a, X), again(with_output_to(string(_), print(X)))",
    "left(2000000, a, X), again(catch(throw(X), _, true))",
    "left(2000000, X, A), again(term_singletons(A, _))",
    "both(1000000, a, X), both(1000000, a, Y), X == Y",
    "both(1000000, a, X), both(1000000, a, Y), X = Y",
    "both(1000000, a, X), both(1000000, a, Y), compare(O, X, Y)",
    "both(1000000, a, X), again(ground(X))",
    "both(1000000, a, X), term_variables(X, L), write(X)",
    "inner(0)",
    "ways(0)",
    "d(a)",
    // Texts and streams without end, and what is kept for good.
    "between(1, inf, X), atom_number(A, X), fail",
    "between(1, inf, X), atom_concat(abcdefghijklmnopqrstuvwxyz, X, _), fail",
    "between(1, inf, X), atom_concat(p, X, P), F =.. [P, X], assertz(F), fail",
    "between(1, inf, X), atom_concat(p, X, P), op(700, xfx, P), fail",
    "between(1, inf, X), recordz(X, X), fail",
    "between(1, inf, X), open_string(abc, _), fail",
    "assertz(fact(1)), repeat, fact(X), retract(fact(X)), assertz(fact(X)), fail",
    "aggregate_all(bag(X), repeat, L)",
    "setof(X, between(1, inf, X), L)",
    "twice(22, '(', B), again(catch(term_to_atom(_, B), _, true))",
    "twice(22, '- ', B), atom_concat(B, '1', C), again(term_to_atom(_, C))",
    "format(\"~`-t~1000000000|~n\")",
    "format(atom(_), \"~`x~t~100000000000000|\", [])",
    "repeat, write(abcdefgh), fail",
];

/// Diagnostics of limits, and the error of a number that is too large for the memory.
const NAMED: [&str; 3] = ["[R0202]", "[R0204]", "[R0304] Error: not enough resources: memory"];

fn run(scratch: &Scratch, goal: &str) -> Ended {
    let args = ["run", "p.chr", "--memory", MEMORY, "--timeout", TIMEOUT, "--query", goal];
    Process::start(scratch.folder(), &args, Stdout::Dropped).end(None)
}

#[test]
fn each_goal_ends_with_the_limit_that_it_met() {
    let scratch = Scratch::new();
    scratch.file("p.chr", PROGRAM);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    let work = || {
        while let Some(goal) = GOALS.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let ended = run(&scratch, goal);
            let is_named = ended.code == Some(1) && NAMED.iter().any(|named| ended.stderr.contains(named));
            if !is_named || ended.cpu > SOON || ended.peak > MOST || ended.stderr.len() > 20_000 {
                let told: String = ended.stderr.chars().take(300).collect();
                let (code, cpu, peak) = (ended.code, ended.cpu, ended.peak >> 20);
                wrong.lock().unwrap().push(format!("{goal}: {code:?} {cpu:?} {peak} MiB: {told}"));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A text that is long and has an end is whole.
#[test]
fn texts_are_whole() {
    let scratch = Scratch::new();
    scratch.file("p.chr", PROGRAM);
    let run = |goal: &str| scratch.gchr(&["run", "p.chr", "--query", goal]);
    let length = run("(share(20, X), term_to_atom(X, A), atom_length(A, N), write(N), nl, fail ; true)");
    assert_eq!(length.stdout.lines().next(), Some("5242876"), "{}", length.stderr);
    let written = run("(share(20, X), write(X), nl, fail ; true)");
    assert_eq!(written.stdout.lines().next().map(str::len), Some(5_242_876), "{}", written.stderr);
    let limited =
        scratch.gchr(&["run", "p.chr", "--max-output", "100K", "--query", "share(20, X), write(X)"]);
    assert!(limited.stderr.contains("R0207") && limited.code == 1, "{}", limited.stderr);
}

/// A limit of a session stops the goal at hand, whatever it does, and leaves the session.
#[test]
fn a_session_goes_on_behind_a_goal_that_took_too_long() {
    let scratch = Scratch::new();
    scratch.file("p.chr", PROGRAM);
    let lines = "X = here.\n:set timeout 300ms\nshare(60, X), term_to_atom(X, A), atom_length(A, N).\n\
                 X is gcd(7 ** 2000000, 5 ** 3000000).\nX = still.\n";
    let start = std::time::Instant::now();
    let ended = scratch.gchr_with_input(&["repl", "p.chr", "--logic"], lines);
    let (out, told) = (ended.stdout, ended.stderr);
    assert!(out.contains("X = here") && out.contains("X = still"), "{out}{told}");
    assert_eq!(told.matches("R0204").count(), 2, "{out}{told}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
