//! The same on a GPU.

use gchr_cuda::{Compiler, Gpu};

use super::*;

#[test]
fn examples_on_a_gpu() {
    if compiler::open_gpu("examples_on_a_gpu").is_none() {
        return;
    }
    let compiler = compiler::compiler();
    for (name, text) in EXAMPLES {
        for gc in [Gc::None, Gc::Queue, Gc::Compact] {
            let case = Case::with(name, text, gc);
            let expected = case.expected();
            let ways = [Promote::WhenAsked, Promote::Always].map(|promote| Options { promote, ..FULL });
            case.check_on_gpu(name, &expected, &compiler, &ways);
        }
    }
}

/// Recursion and lists of a million, fifty times the memory, on threads that give cells to each other.
#[test]
fn memory_on_a_gpu() {
    if compiler::open_gpu("memory_on_a_gpu").is_none() {
        return;
    }
    let compiler = compiler::compiler();
    for (name, text) in
        [("deep.trs", deep(1_000_000)), ("lists.trs", LISTS.into()), ("exchange.trs", EXCHANGE.into())]
    {
        for gc in [Gc::None, Gc::Queue, Gc::Compact] {
            let case = Case::with(name, &text, gc);
            case.check_on_gpu(name, &case.expected(), &compiler, &[Options { batch: 64, ..FULL }]);
        }
    }
    for gc in [Gc::Queue, Gc::Compact] {
        let case = Case::with("fifty.trs", FIFTY, gc);
        case.check_on_gpu("fifty.trs", &case.expected(), &compiler, &[SMALL]);
    }
}

const FULL: Options =
    Options { memory: 1 << 32, first_memory: 1 << 30, block: 128, blocks: 264, run: 64, ..ONE };

const LISTS: &str = "sort Nat = struct Zero() | S(Nat);
    sort List = struct Nil() | Cons(Nat, List);
    var X, Y : Nat; L, M : List; K : Int;
    map Upto: Nat -> List; Len: List # Int -> Int; Rev: List # List -> List; App: List # List -> List;
    eqn Upto(Zero()) = Nil(); Upto(S(X)) = Cons(X, Upto(X));
        Len(Nil(), K) = K; Len(Cons(X, L), K) = Len(L, K + 1);
        Rev(Nil(), M) = M; Rev(Cons(X, L), M) = Rev(L, Cons(X, M));
        App(Nil(), M) = M; App(Cons(X, L), M) = Cons(X, App(L, M));
    input Len(App(Rev(Upto(S^1000000(Zero())), Nil()), Upto(S^3(Zero()))), 0);";

impl Case {
    fn check_on_gpu(&self, name: &str, expected: &Expected, compiler: &Compiler, ways: &[Options]) {
        let kernels = self.kernels(Tuning::default());
        let mut gpu = Gpu::open(0).expect("a GPU was there before");
        compiler::load(&mut gpu, compiler, &kernels.module, name);
        for &options in ways {
            let outcome = self.on(&mut gpu, &kernels, options).expect(name);
            self.compare(&format!("{name}, {:?}, {:?}", self.gc, options.promote), expected, &outcome);
        }
    }
}

/// Inside the binary, which is carried to machines that have a GPU and nothing else.
const EXAMPLES: [(&str, &str); 9] = [
    ("ackermann.trs", include_str!("../../../../../examples/ackermann.trs")),
    ("bst.trs", include_str!("../../../../../examples/bst.trs")),
    ("fib_int.trs", include_str!("../../../../../examples/fib_int.trs")),
    ("floyd.trs", include_str!("../../../../../examples/floyd.trs")),
    ("lexer.trs", include_str!("../../../../../examples/lexer.trs")),
    ("mergesort_tree.trs", include_str!("../../../../../examples/mergesort_tree.trs")),
    ("sieve.trs", include_str!("../../../../../examples/sieve.trs")),
    ("transformation_tree.trs", include_str!("../../../../../examples/transformation_tree.trs")),
    ("tree_exploration.trs", include_str!("../../../../../examples/tree_exploration.trs")),
];
