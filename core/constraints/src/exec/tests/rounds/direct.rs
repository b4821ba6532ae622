//! Direct rounds: their stores and counts are those of general rounds, to which a trace leads.

use super::super::builder::*;
use super::{Rounds, summary};
use gchr_base::control::Limits;
use gchr_base::op::Op;

/// Edges of a pseudo-random graph, with nodes that are so many apart.
fn edges(b: &mut Builder, name: &'static str, nodes: i64, edges: i64, scale: i64, offset: i64) {
    let mut seed = 7;
    let mut node = || {
        seed = (seed * 1_103_515_245 + 12345) % (1 << 31);
        n((seed >> 8) % nodes * scale + offset)
    };
    b.query((0..edges).map(|_| add(name, [node(), node()])).collect::<Vec<_>>());
}

fn set_semantics(b: &mut Builder, name: &'static str) {
    let pair = || (name, vec![v("X"), v("Y")]);
    b.rule(name, R { kept: vec![pair()], removed: vec![pair()], ..R::default() });
}

/// Closure by edges, or of paths with paths.
fn closure(column: &'static str, of_paths: bool, scale: i64, offset: i64) -> Builder {
    let mut b = closure_rules(column, of_paths);
    edges(&mut b, "e", 40, 70, scale, offset);
    b
}

fn closure_rules(column: &'static str, of_paths: bool) -> Builder {
    let mut b = Builder::new();
    b.con("e", &[column, column]).con("p", &[column, column]);
    set_semantics(&mut b, "e");
    set_semantics(&mut b, "p");
    let pair = |name, x, y| (name, vec![v(x), v(y)]);
    let body = |x, y| vec![add("p", [v(x), v(y)])];
    b.rule("base", R { kept: vec![pair("e", "X", "Y")], body: body("X", "Y"), ..R::default() });
    let first = if of_paths { "p" } else { "e" };
    let kept = vec![pair(first, "X", "Y"), pair("p", "Y", "Z")];
    b.rule("step", R { kept, body: body("X", "Z"), ..R::default() });
    b
}

/// Rules of three heads, whose order cannot be told.
fn three_heads(column: &'static str) -> Builder {
    let mut b = Builder::new();
    b.con("l", &[column, column]).con("t", &[column, column]);
    set_semantics(&mut b, "t");
    let pair = |name, x, y| (name, vec![v(x), v(y)]);
    let base = vec![pair("l", "X", "Y")];
    b.rule("base", R { kept: base, body: vec![add("t", [v("X"), v("Y")])], ..R::default() });
    let kept = vec![pair("l", "Y", "X"), pair("t", "X", "Z"), pair("t", "Z", "W")];
    b.rule("load", R { kept, body: vec![add("t", [v("Y"), v("W")])], ..R::default() });
    let kept = vec![pair("l", "Y", "X"), pair("t", "Y", "Z"), pair("t", "X", "W")];
    b.rule("store", R { kept, body: vec![add("t", [v("Z"), v("W")])], ..R::default() });
    edges(&mut b, "l", 25, 45, 1, 0);
    b
}

/// Least distances, whose sums can be too large.
fn distances(length: i64) -> Builder {
    let mut b = Builder::new();
    b.con("w", &["int", "int"]).con("d", &["int", "int"]);
    let d = |x, a| ("d", vec![v(x), v(a)]);
    let guard = vec![G::Test(op(Op::Le, [v("A"), v("B")]))];
    b.rule("best", R { kept: vec![d("X", "A")], removed: vec![d("X", "B")], guard, ..R::default() });
    let sum = G::Is("B", op(Op::Add, [v("A"), n(length)]));
    let kept = vec![d("X", "A"), ("w", vec![v("X"), v("Y")])];
    b.rule("relax", R { kept, body: vec![sum, add("d", [v("Y"), v("B")])], ..R::default() });
    edges(&mut b, "w", 30, 80, 1, 0);
    b.query(&[add("d", [n(0), n(0)])]);
    b
}

/// Conditions, sums and keys that are computed, and constraints of two and three columns, with a key and without.
fn computed(scale: i64, least: i64) -> Builder {
    let mut b = Builder::new();
    b.con("e", &["int", "int"]).con("s", &["int", "int", "int"]).con("r", &["int", "int"]);
    b.con("m", &["int", "int"]).con("near", &["int", "int"]);
    set_semantics(&mut b, "e");
    set_semantics(&mut b, "r");
    let triple = || ("s", vec![v("X"), v("Y"), v("Z")]);
    b.rule("s", R { kept: vec![triple()], removed: vec![triple()], ..R::default() });
    let pair = |name, x, y| (name, vec![v(x), v(y)]);
    let test = |o, x, y| G::Test(op(o, [v(x), v(y)]));
    let sum = |to, x, y| G::Is(to, op(Op::Add, [v(x), y]));
    let guard = vec![test(Op::Lt, "X", "Z"), G::Test(op(Op::Ne, [v("Y"), n(3 * scale)]))];
    let body = vec![
        sum("A", "X", v("Z")),
        add("r", [v("A"), v("X")]),
        add("s", [v("X"), v("Y"), v("Z")]),
        sum("B", "A", n(scale)),
        add("m", [v("B"), v("B")]),
    ];
    let kept = vec![pair("e", "X", "Y"), pair("e", "Y", "Z")];
    b.rule("join", R { kept, guard, body, ..R::default() });
    let guard = vec![G::Test(op(Op::Eq, [v("Y"), op(Op::Add, [v("X"), n(scale)])]))];
    let kept = vec![pair("e", "X", "A"), pair("e", "Y", "B")];
    b.rule("near", R { kept, guard, body: vec![add("near", [v("A"), v("B")])], ..R::default() });
    edges(&mut b, "e", 12, 40, scale, least);
    b
}

/// Pairs of siblings, whose numbers at last are too large for an array of bits, which several threads have begun.
fn siblings() -> Builder {
    let mut b = Builder::new();
    b.con("e", &["int", "int"]).con("s", &["int", "int"]);
    set_semantics(&mut b, "s");
    let e = |x| ("e", vec![v("P"), v(x)]);
    let body = vec![add("s", [v("X"), v("Y")])];
    b.rule("base", R { kept: vec![e("X"), e("Y")], body, ..R::default() });
    b.query((1..12_000).map(|x| add("e", [n(x / 2), n(x)])).collect::<Vec<_>>());
    b
}

#[test]
fn sets_that_threads_share_may_become_too_large_for_bits() {
    let one = told(&siblings(), 1, None);
    for threads in 2..=4 {
        assert_eq!(told(&siblings(), threads, None), one, "{threads} threads");
    }
}

#[test]
fn they_give_what_general_rounds_give() {
    let mut programs = vec![distances(3), distances(i64::MAX / 4), distances(-1)];
    programs.extend([computed(1, 0), computed(7, -30), computed(1 << 59, 0), computed(1 << 40, 0)]);
    for column in ["int", "dense"] {
        programs.push(three_heads(column));
        for (scale, offset) in [(1, 0), (1_000_003, 0), (1 << 50, -5)] {
            programs.extend([false, true].map(|of_paths| closure(column, of_paths, scale, offset)));
        }
    }
    for (at, b) in programs.iter().enumerate() {
        for max_steps in [None, Some(1), Some(100), Some(500), Some(3000)] {
            let limits = || Limits { max_steps, ..Limits::default() };
            let run = |how: Rounds| summary(&b.run_rounds(&how.until(60), limits()));
            let general = run(Rounds::on(1, true).traced());
            for threads in [1, 3] {
                assert_eq!(
                    run(Rounds::on(threads, true)),
                    general,
                    "program {at}, {max_steps:?}, {threads} threads"
                );
            }
        }
    }
}

/// Everything that a run tells, on so many threads.
fn told(b: &Builder, threads: usize, max_steps: Option<u64>) -> impl PartialEq + std::fmt::Debug + use<> {
    summary(&b.run_rounds(&Rounds::on(threads, true).until(60), Limits { max_steps, ..Limits::default() }))
}

#[test]
fn the_number_of_threads_shows_at_no_size() {
    // The rounds of a chain have one constraint less each: as many as threads share, and fewer.
    for length in 1..=24 {
        for of_paths in [false, true] {
            let mut b = closure_rules("int", of_paths);
            b.query((0..length).map(|x| add("e", [n(x), n(x + 1)])).collect::<Vec<_>>());
            for max_steps in [None, Some(30)] {
                let one = told(&b, 1, max_steps);
                for threads in 2..=5 {
                    assert_eq!(told(&b, threads, max_steps), one, "chain of {length}, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn one_thread_does_rounds_that_build_terms() {
    let mut b = Builder::new();
    b.con("p", &["int"]).con("t", &["any"]).con("u", &["any", "int"]);
    let guard = vec![G::Test(op(Op::Lt, [v("X"), n(60)]))];
    let next = G::Is("Y", op(Op::Add, [v("X"), n(20)]));
    let p = || vec![("p", vec![v("X")])];
    b.rule("count", R { kept: p(), guard, body: vec![next, add("p", [v("Y")])], ..R::default() });
    b.rule("wrap", R { kept: p(), body: vec![add("t", [f("f", [v("X")])])], ..R::default() });
    let t = vec![("t", vec![v("T")]), ("p", vec![n(79)])];
    b.rule("pair", R { kept: t, body: vec![add("u", [f("g", [v("T"), v("T")]), n(1)])], ..R::default() });
    b.query((0..20).map(|x| add("p", [n(x)])).collect::<Vec<_>>());
    let one = told(&b, 1, None);
    for threads in 2..=4 {
        assert_eq!(told(&b, threads, None), one, "{threads} threads");
    }
}

#[test]
fn constraints_without_arguments_are_found_by_several_threads() {
    let mut b = Builder::new();
    b.con("p", &["int"]).con("flag", &[]).con("seen", &["int"]);
    b.rule("flag", R { kept: vec![("flag", vec![])], removed: vec![("flag", vec![])], ..R::default() });
    let p = vec![("p", vec![v("X")])];
    let body = vec![add("flag", []), add("seen", [v("X")]), add("flag", [])];
    b.rule("see", R { kept: p, body, ..R::default() });
    b.query((0..30).map(|x| add("p", [n(x)])).collect::<Vec<_>>());
    let one = told(&b, 1, None);
    for threads in 2..=4 {
        assert_eq!(told(&b, threads, None), one, "{threads} threads");
    }
}
