//! Texts of programs for the logic machine that are large in one respect each.

use super::{Kind, join, lines};

/// What makes a text one for the logic machine.
const C: &str = ":- chr_constraint c(?any).";

fn variables(n: usize) -> String {
    join(n, ", ", |i| format!("X{i}"))
}

/// Logic programs without errors.
pub const LOGIC_PROGRAMS: &[Kind] = &[
    ("facts", 500, |n| lines(C, n, |i| format!("p({i}, a{i}).")) + "?- p(3, X).\n"),
    ("facts of two predicates in turn", 250, |n| {
        lines(C, n, |i| format!("p({i}).\nq({i}).")) + "?- p(1), q(1).\n"
    }),
    ("predicates in a chain", 500, |n| {
        lines(C, n, |i| format!("p{i}(X) :- p{}(X).", i + 1)) + &format!("p{n}(a).\n?- p0(X).\n")
    }),
    ("calls of a clause", 500, |n| {
        format!("{C}\np :- {}.\nq(X, X).\n?- p.\n", join(n, ", ", |i| format!("q(X{i}, X{})", i + 1)))
    }),
    ("alternatives of a clause", 500, |n| {
        format!("{C}\np(X) :- {}.\n?- p(a3).\n", join(n, " ; ", |i| format!("X = a{i}")))
    }),
    ("cases of a clause", 500, |n| {
        let cases = join(n, " ; ", |i| format!("X == a{i} -> Y = {i}"));
        format!("{C}\np(X, Y) :- ( {cases} ; Y = 0 ).\n?- p(a3, Y).\n")
    }),
    ("variables of a head", 500, |n| {
        let xs = variables(n);
        format!("{C}\np(f({xs}), g({xs})).\n?- p(X, Y).\n")
    }),
    ("arguments of a predicate", 500, |n| {
        let calls = join(n, ", ", |i| format!("q(X{i})"));
        format!("{C}\np({}) :- {calls}.\nq(_).\n?- q(1).\n", variables(n))
    }),
    ("rules of a grammar", 500, |n| {
        lines(C, n, |i| format!("s{i} --> [a], s{}.", i + 1))
            + &format!("s{n} --> [].\n?- phrase(s0, L, []).\n")
    }),
    ("terminals of a rule", 500, |n| {
        format!("{C}\ns --> [{}].\n?- phrase(s, L, []).\n", join(n, ", ", |i| format!("a{i}")))
    }),
    ("dynamic predicates", 500, |n| lines(C, n, |i| format!(":- dynamic d{i}/1.")) + "?- assertz(d1(1)).\n"),
    ("libraries that are named again", 500, |n| {
        lines(C, n, |_| ":- use_module(library(lists)).".into()) + "?- true.\n"
    }),
    ("conditions around clauses", 200, |n| {
        lines(C, n, |i| format!(":- if(true).\np({i}).\n:- endif.")) + "?- p(1).\n"
    }),
    ("conditions inside of conditions", 2000, |n| {
        format!("{C}\n{}p(1).\n{}?- p(1).\n", ":- if(true).\n".repeat(n), ":- endif.\n".repeat(n))
    }),
    ("a sum of many parts", 1500, |n| {
        format!("{C}\np(X, Y) :- Y is X + {}.\n?- p(1, Y).\n", join(n, " + ", |i| i.to_string()))
    }),
    ("deep terms that hold a variable", 1500, |n| {
        let deep = |end: &str| format!("{}{end}{}", "s(".repeat(n), ")".repeat(n));
        format!("{C}\np(a, {}).\nr(_).\nq(X) :- r({}).\n?- p(a, X).\n", deep("Y"), deep("X"))
    }),
    ("choices inside of choices", 300, |n| {
        let choices = join(n, "", |i| format!("( X == {i} -> Y = {i} ; "));
        format!("{C}\np(X, Y) :- {choices}true{}.\n?- p(3, Y).\n", " )".repeat(n))
    }),
    ("goals when the program is loaded", 300, |n| {
        lines(C, n, |_| ":- initialization(true).".into()) + "?- true.\n"
    }),
    ("clauses that are expanded", 200, |n| {
        let header = format!("{C}\nterm_expansion(x(N), y(N)).");
        lines(&header, n, |i| format!("x({i}).")) + "?- y(3).\n"
    }),
    ("goals that are expanded", 200, |n| {
        let header = format!("{C}\ngoal_expansion(x(N), y(N)).\ny(_).");
        lines(&header, n, |i| format!("p{i} :- x({i}).")) + "?- p3.\n"
    }),
    ("a clause that becomes many", 500, |n| {
        let expansion = "term_expansion(go(N), L) :- findall(y(X), between(1, N, X), L).";
        format!("{C}\n{expansion}\ngo({n}).\n?- y(3).\n")
    }),
    ("rules over constants", 300, |n| {
        let header = ":- chr_constraint c(?any), d(?any).";
        lines(header, n, |i| format!("c({i}) <=> d({i}).")) + "?- c(Y).\n"
    }),
    ("a rule for each constraint", 300, |n| {
        let symbols = join(n + 1, ", ", |i| format!("c{i}(?any)"));
        let header = format!(":- chr_constraint {symbols}.");
        lines(&header, n, |i| format!("c{i}(X) <=> c{}(X).", i + 1)) + "p(X) :- c0(X).\n?- p(Y).\n"
    }),
    ("variables of a query", 500, |n| format!("{C}\n?- {}.\n", join(n, ", ", |i| format!("c(X{i})")))),
    ("constraints that hold one variable", 500, |n| {
        format!(
            ":- chr_constraint c(?any, ?any).\nc(X, Y) \\ c(X, Y) <=> true.\np(0, _) :- !.\n\
             p(N, Z) :- c(Z, N), M is N-1, p(M, Z).\n?- p({n}, Z), Z = a.\n"
        )
    }),
    ("clauses that are asserted and retracted", 500, |n| {
        let goal = |what: &str| format!("forall(between(1, {n}, X), {what}(q(X)))");
        format!("{C}\n:- dynamic q/1.\n?- {}, {}.\n", goal("assertz"), goal("retract"))
    }),
    ("goals that variables wait for", 500, |n| {
        format!("{C}\n?- length(L, {n}), maplist([X]>>freeze(Y, true), L), Y = 1.\n")
    }),
    ("terms that differ from one", 500, |n| {
        format!("{C}\n?- numlist(1, {n}, L), maplist([X]>>dif(Y, X), L), Y = a.\n")
    }),
    ("goals that an answer shows", 500, |n| {
        format!("{C}\n?- {}.\n", join(n, ", ", |i| format!("dif(X{i}, X{}), Y{i} = f({i})", i + 1)))
    }),
    ("paths of a table", 100, |n| {
        let rules = ":- table p/2.\np(X, Y) :- e(X, Y).\np(X, Y) :- p(X, Z), e(Z, Y).";
        lines(&format!("{C}\n{rules}"), n, |i| format!("e({i}, {}).", i + 1))
            + "?- findall(Y, p(0, Y), L), length(L, N).\n"
    }),
    ("an atom of many parts", 500, |n| {
        format!("{C}\n?- numlist(1, {n}, L), atomic_list_concat(L, A), atom_length(A, N).\n")
    }),
];
