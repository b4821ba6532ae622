//! Whole runs of small systems, compared with a naive rewriter.

mod bases;
mod growth;
mod instructions;
mod integers;
mod limits;
mod peers;
mod random;
mod recorded;
pub(crate) mod reference;
mod texts;

use super::*;
use crate::exec::heap::Heap;
use crate::plan::{TermOptions, compile};
use gchr_base::error::RunError;
use gchr_base::error::StopReason;
use gchr_base::rule::Start;
use gchr_base::stats::Stats;

fn program(text: &str) -> Program {
    gchr_testkit::programs::terms("test.trs", text).1
}

/// Runs the input of a program with given options.
fn run_text(text: &str, options: TermOptions, stress: bool) -> (String, Stats) {
    let program = program(text);
    let plan = compile(&program, &options).unwrap_or_else(|e| panic!("{e:?}"));
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let mut control = Control::default();
    let out = run_with(&program, &plan, input, &mut control, stress)
        .unwrap_or_else(|e| panic!("{:?}\n{plan}", e.error));
    (out.normal_form.to_text(), out.stats)
}

#[test]
fn a_call_whose_value_goes_into_two_cells_fills_no_hole() {
    let text = "sort N = struct Z | S(N); T = struct L | W(T) | B(T, T) | F(N) | G(N); var X : N;
        eqn F(Z) = L; F(S(X)) = B(W(F(X)), F(X)); G(Z) = L; G(S(X)) = B(G(X), W(W(G(X))));
        input B(F(S(S(Z))), G(S(S(Z))));";
    let f = "B(W(B(W(L), L)), B(W(L), L))";
    let g = "B(B(L, W(W(L))), W(W(B(L, W(W(L))))))";
    for options in [TermOptions::default(), TermOptions::traced()] {
        let (found, stats) = run_text(text, options, true);
        assert_eq!((found, stats.rewrites), (format!("B({f}, {g})"), Some(6)));
    }
}

#[test]
fn fields_behind_the_first_256_words_are_read() {
    let n = 300;
    let vars: Vec<String> = (0..n).map(|i| format!("X{i}")).collect();
    let args = |at: usize| {
        (0..n).map(|i| if i == at { "S(Z)" } else { "Z" }.to_string()).collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "sort N = struct Z | S(N) | Get(T); T = struct None | C({}); var {} : N;
         eqn Get(C({})) = X{}; Get(None) = Z; input Get(C({}));",
        vec!["N"; n].join(", "),
        vars.join(", "),
        vars.join(", "),
        n - 1,
        args(n - 1),
    );
    assert_eq!(run_text(&text, TermOptions::default(), true).0, "S(Z)");
}

#[test]
fn numbers_keep_no_cells_alive() {
    let program = program("sort L = struct E | C(Int, L); M = struct X(L);");
    let layout = compile(&program, &TermOptions::default()).expect("a plan").layout;
    let sort = |name| layout.sorts.iter_enumerated().find(|(_, s)| s.name == name).expect("a sort").0;
    let class = layout.sorts[sort("M")].variants[0].class.expect("a class");
    let mut heap = Heap::new(&layout, 1 << 20, false).expect("memory");
    for _ in 0..100 {
        heap.store(gchr_base::ids::Id::index(class), 0, &[0]).expect("a cell");
    }
    assert_eq!(heap.count_cells(sort("M"), 5, 1), 1);
    // The bits of a number that are those of a cell of the sort behind `Int`.
    assert_eq!(heap.count_cells(sort("Int"), 5, 1), 0);
}

/// Collections follow each other when as much as that has been allocated, of whatever classes it is: what a class gets
/// at a time after a collection that found nothing alive is little of what may be allocated.
#[test]
fn classes_that_take_turns_cause_few_collections() {
    const CLASSES: usize = 12;
    let sorts: Vec<String> = (0..CLASSES)
        .map(|k| format!("S{k} = struct E{k} | C{k}({})", vec!["Int"; k + 1].join(", ")))
        .collect();
    let program = program(&format!("sort {};", sorts.join("; ")));
    let layout = compile(&program, &TermOptions::default()).expect("a plan").layout;
    assert_eq!(layout.classes.len(), CLASSES);
    let words: Vec<usize> = layout.classes.iter().map(|class| class.words as usize).collect();
    for memory in [200 << 20, 1 << 30] {
        let mut heap = Heap::new(&layout, memory, false).expect("memory");
        let mut store = |class: usize| {
            heap.store_collecting(class, 0, &vec![0; words[class]], &[]).expect("a cell");
            heap.collections
        };
        // Each class has had most of the memory once.
        for (class, words) in words.iter().enumerate() {
            (0..(8 << 20) / (4 * words)).for_each(|_| _ = store(class));
        }
        let before = store(0);
        let turns = 20_000;
        let after = (0..turns).map(|_| (0..CLASSES).map(&mut store).max()).max().flatten().expect("turns");
        let bytes = turns * words.iter().sum::<usize>() * 4;
        let least = (bytes as u64).div_ceil((8 << 20).min(memory / 4));
        assert!(
            after - before <= 2 * least + 1,
            "{} collections in {memory} bytes, {least} needed",
            after - before
        );
    }
}
