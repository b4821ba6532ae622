//! Answers as they are written, limits, and errors.

use gchr_base::control::Limits;
use gchr_logic::{Answers, Options};

use crate::support::{run, run_with};

const LEQ: &str = ":- use_module(library(chr)).
:- chr_constraint leq(?any, ?any).
reflexivity  @ leq(X,X) <=> true.
antisymmetry @ leq(X,Y), leq(Y,X) <=> X = Y.
idempotence  @ leq(X,Y) \\ leq(X,Y) <=> true.
transitivity @ leq(X,Y), leq(Y,Z) ==> leq(X,Z).
loop(N) :- N1 is N+1, loop(N1).
deep(0, z) :- !.
deep(N, s(T)) :- N1 is N-1, deep(N1, T).
";

fn first(query: &str) -> String {
    run(LEQ, query, Answers::First(1), Limits::default())
}

#[test]
fn bindings_come_before_constraints() {
    assert_eq!(first("leq(A,B), leq(B,C), leq(C,A)"), "A = B\nB = C\n");
    assert_eq!(first("X = f(_, Y), leq(Y, Z)"), "X = f(_1, Y)\nleq(Y, Z)\n");
    assert_eq!(first("leq(_, X), X = 1"), "X = 1\nleq(_1, 1)\n");
    assert_eq!(first("dif(X, a), leq(X, 1)"), "leq(X, 1)\ndif(X, a)\n");
}

#[test]
fn all_answers_come_in_order() {
    let all = |query| run(LEQ, query, Answers::All, Limits::default());
    assert_eq!(all("member(X, [1,2,3])"), "X = 1\nX = 2\nX = 3\n");
    assert_eq!(all("member(X, [1,2]), leq(X, Y)"), "X = 1\nleq(1, Y)\nX = 2\nleq(2, Y)\n");
    assert_eq!(run(LEQ, "member(X, [1,2,3])", Answers::First(2), Limits::default()), "X = 1\nX = 2\n");
}

#[test]
fn failures_errors_and_limits_are_told_apart() {
    assert_eq!(first("member(X, []), leq(X, X)"), "the derivation failed\n");
    assert_eq!(first("call(nothing(1))"), "error: unknown procedure: nothing/1\n");
    assert_eq!(first("throw(mine)"), "error: uncaught: mine\n");
    let limits = Limits { max_steps: Some(50_000), ..Limits::default() };
    assert_eq!(run(LEQ, "loop(0)", Answers::First(1), limits), "step limit of 50000 reached\n");
}

#[test]
fn terms_of_any_depth_are_worked_on() {
    let text = first("deep(300000, _T), copy_term(_T, U), _T == U, leq(_T, U)");
    assert!(text.contains("s(s(s("), "{}", &text[..text.len().min(200)]);
}

#[test]
fn tables_are_filled_in_steps_proportional_to_their_answers() {
    let program = |nodes: usize| {
        let edges: String = (0..nodes).map(|i| format!("edge({i}, {}).\n", (i + 1) % nodes)).collect();
        ":- table left/2, right/2, both/2, near(_, _, min), long/1.\n\
         left(X, Y) :- left(X, Z), edge(Z, Y).\nleft(X, Y) :- edge(X, Y).\n\
         right(X, Y) :- edge(X, Y).\nright(X, Y) :- edge(X, Z), right(Z, Y).\n\
         both(X, Y) :- edge(X, Y).\nboth(X, Y) :- both(Y, X).\n\
         near(X, Y, 1) :- edge(X, Y).\nnear(X, Y, D) :- near(X, Z, E), edge(Z, Y), D is E+1.\n\
         long([]).\nlong([_|L]) :- long(L).\n"
            .to_string()
            + &edges
    };
    let goals = [
        ("aggregate_all(count, left(_, _), N)", 3600, 3600),
        ("aggregate_all(count, left(1, _), N)", 60, 60),
        ("aggregate_all(count, right(1, _), N)", 60, 3600),
        ("aggregate_all(count, both(_, _), N)", 120, 120),
        ("aggregate_all(count, near(1, _, _), N)", 60, 60),
        ("aggregate_all(count, near(_, _, _), N)", 3600, 3600),
        ("length(_L, 60), aggregate_all(count, long(_L), N)", 1, 60),
    ];
    for (goal, answers, work) in goals {
        // Some goals each time that an answer is read or found, which is at most three times.
        let limits = Limits { max_steps: Some(5_000 + 60 * work.max(answers)), ..Limits::default() };
        let found = run(&program(60), goal, Answers::First(1), limits);
        assert!(found.contains(&format!("N = {answers}\n")), "{goal}: {found}");
    }
}

#[test]
fn goals_of_directives_run_before_the_query() {
    let text =
        ":- chr_constraint d/1.\n:- initialization((d(1), write(one), nl)).\n:- fail.\n:- d(X), X = Y.\n";
    assert_eq!(run(text, "d(1)", Answers::First(1), Limits::default()), "one\nd(1)\n");
}

/// Within built-in predicates and functions too, however long they would take; what they were about to do is undone.
#[test]
fn time_limits_of_goals_end_built_in_predicates() {
    let text = ":- chr_constraint c(?any).
:- dynamic f/1.
limited(G) :- catch(call_with_time_limit(0.05, G), E, true), write(E), nl.
";
    let ends = |goal: &str, rest: &str, answer: &str| {
        let limits = Limits { timeout: Some(std::time::Duration::from_secs(60)), ..Limits::default() };
        let query = format!("limited(({goal})), {rest}");
        let found = run(text, &query, Answers::First(1), limits);
        assert_eq!(found, format!("time_limit_exceeded\n{answer}\n"), "{query}");
    };
    ends("_ is 7 ** (10 ** 7) mod 10", "true", "true");
    ends("X is 3 ** (10 ** 6), repeat, atom_length(X, _), fail", "true", "true");
    ends("numlist(1, 3000000, L), msort(L, M), sort(0, @>=, M, _)", "true", "true");
    ends("repeat, c(X), X = 1, c(_), fail", "c(2)", "c(2)");
    ends("between(1, inf, N), assertz(f(N)), fail", "f(1), \\+ ( f(X), \\+ integer(X) )", "true");
    ends("length(L, 100000), repeat, copy_term(L, M), L = M, term_variables(M, _), fail", "var(L)", "true");
}

#[test]
fn what_a_query_leaves_open_is_cleaned_up_behind_its_answer() {
    let clean = |query: &str| {
        let query = format!("setup_call_catcher_cleanup(true, {query}, K, (write(K), nl))");
        run(LEQ, &query, Answers::First(2), Limits::default())
    };
    assert_eq!(clean("member(X, [1, 2, 3])"), "!\nX = 1\nX = 2\n");
    assert_eq!(clean("member(X, [1, 2])"), "exit\nX = 1\nX = 2\nK = exit\n");
    assert_eq!(clean("(member(X, [1]), throw(x))"), "exception(x)\nerror: uncaught: x\n");
}

#[test]
fn a_variable_without_constraints_has_no_attribute() {
    assert_eq!(first("leq(X, Y), attvar(X)"), "leq(X, Y)\n");
    assert_eq!(first("leq(X, Y), leq(Y, X), \\+ attvar(X)"), "X = Y\n");
}

#[test]
fn loops_that_need_no_memory_take_none() {
    let limits = || Limits { memory: Some(64 << 20), ..Limits::default() };
    let text = "count(N, N, _) :- !.
count(I, N, f(I)) :- J is I+1, count(J, N, f(J)).
list(0, []) :- !.
list(N, [N|T]) :- M is N-1, list(M, T).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
rev([], []).
rev([H|T], R) :- rev(T, S), app(S, [H], R).
rounds(0, _) :- !.
rounds(N, L) :- rev(L, R), M is N-1, rounds(M, R).
reversed(N, X) :- list(40, L), rounds(N, L), L = [X|_].
walk(X, stop, X).
walk(X, go(N), Y) :- next(N, G), walk(X, G, Y).
next(0, stop) :- !.
next(N, go(M)) :- M is N-1.
:- chr_constraint tick(?any, ?any), keep(?any).
tick(0, _) <=> true.
tick(N, _) <=> M is N-1, tick(M, f(N, _)).
";
    let first = |query| run(text, query, Answers::First(1), limits());
    assert_eq!(first("count(0, 3000000, f(0))"), "true\n");
    assert_eq!(first("reversed(10000, X)"), "X = 40\n");
    // The second argument tells the clauses apart, so that no choice points are left.
    assert_eq!(first("walk(a, go(2000000), X)"), "X = a\n");
    assert_eq!(first("keep(X), tick(1000000, X)"), "keep(X)\n");
    assert_eq!(first("member(X, [1,2]), count(0, 1000000, f(0)), X == 2"), "X = 2\n");
}

#[test]
fn terms_are_read_from_the_input() {
    let options = Options::default();
    let read = |query, input| run_with(LEQ, query, &options, Limits::default(), input);
    assert_eq!(
        read("read(X), read(Y), leq(X, Y)", "f(A, B).\n% more\n'x y'."),
        "X = f(_1, _2)\nY = 'x y'\nleq(f(_1, _2), 'x y')\n"
    );
    assert_eq!(read("read(X), leq(X, Y)", ""), "X = end_of_file\nleq(end_of_file, Y)\n");
    assert_eq!(
        read("get_char(X), read_line_to_string(user_input, Y), read_term(Z, []), leq(A, A)", "abc\nz. "),
        "X = a\nY = \"bc\"\nZ = z\n"
    );
}

#[test]
fn goals_of_another_arity_than_constraints_are_errors_when_they_are_called() {
    let text = ":- use_module(library(chr)).\n:- chr_constraint again(?), total(?).\n\
                again(X), total(0) <=> X = done.\nagain(_), total(1) <=> again(a, b).\n";
    let first = |query| run(text, query, Answers::First(1), Limits::default());
    assert_eq!(first("total(0), again(X)"), "X = done\n");
    let caught = "total(1), catch(again(_), error(existence_error(procedure, P), _), true)";
    assert_eq!(first(caught), "P = again/2\ntotal(1)\n");
}
