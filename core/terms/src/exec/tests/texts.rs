//! Terms written by several threads: the same bytes as by one, whatever their shape.

use std::io::{self, Write};

use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::rule::Start;
use gchr_base::signature::{Mixfix, Notation};
use rayon::ThreadPoolBuilder;

use super::{program, run_with};
use crate::exec::{Cells, NormalForm, View, write_value};
use crate::plan::{ClassId, TermOptions, compile};

const TEXT: &str = "
sort T = struct L(Int) | N(T, T) | U(T) | M(T, Int, T);
map Tree: Int # Int -> T; Left: Int # T -> T; Right: Int # T -> T; Same: Int # T -> T; Deep: Int # T -> T;
    Spine: Int -> T;
var I, J: Int; A: T;
eqn Tree(0, J) = L(J); Tree(I, J) = N(Tree(I - 1, 2 * J), Tree(I - 1, 2 * J + 1));
    Left(0, A) = A; Left(I, A) = Left(I - 1, N(A, L(I)));
    Right(0, A) = A; Right(I, A) = Right(I - 1, M(L(I), I, A));
    Same(0, A) = A; Same(I, A) = Same(I - 1, N(A, A));
    Deep(0, A) = A; Deep(I, A) = Deep(I - 1, U(A));
    Spine(0) = L(7); Spine(I) = M(Deep(I mod 9, L(I)), I, U(Spine(I - 1)));
input ";

fn value(input: &str) -> NormalForm {
    let program = program(&format!("{TEXT}{input};"));
    let Start::Term(Some(term)) = &program.start else { panic!("an input") };
    let plan = compile(&program, &TermOptions::default()).expect("a plan");
    run_with(&program, &plan, term, &mut Control::default(), false).expect("a result").normal_form
}

#[test]
fn threads_write_what_one_writes() {
    for input in [
        "Tree(14, 1)",
        "Left(20000, L(1))",
        "Right(20000, L(1))",
        "Same(16, Tree(1, 5))",
        "Spine(9000)",
        "Deep(300000, N(Tree(13, 1), Deep(2, Tree(13, 1))))",
        "N(Left(9000, Tree(12, 3)), N(L(1), Right(9000, Same(12, Deep(5, L(2))))))",
        "L(1)",
    ] {
        let value = value(input);
        let mut expected = Vec::new();
        value.root().write_text(&mut expected).expect("memory takes it");
        for threads in [1, 2, 5] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut found = Vec::new();
            pool.install(|| value.write_text(&mut found)).expect("memory takes it");
            assert!(
                found == expected,
                "{input} by {threads} threads: {} bytes for {}",
                found.len(),
                expected.len()
            );
        }
    }
}

/// Takes so many bytes, and fails then.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.min(bytes.len()) {
            0 => Err(io::ErrorKind::StorageFull.into()),
            n => {
                self.0 -= n;
                Ok(n)
            }
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failing_output_ends_the_writing() {
    let value = value("Tree(15, 1)");
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    for room in [0, 1, 70_000, 200_000] {
        let written = pool.install(|| value.write_text(&mut Full(room)));
        assert_eq!(written.map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull), "{room}");
    }
}

/// A cell that is missing, or a tag that no symbol has, is told: the text is not just shorter.
#[test]
fn what_is_no_normal_form_is_not_written_as_one() {
    /// The cells of a value without those of one index in five.
    struct Lacking<'a>(&'a dyn Cells);
    impl Cells for Lacking<'_> {
        fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
            self.0.cell(class, index).filter(|_| !index.is_multiple_of(5))
        }
    }
    let value = value("Tree(6, 1)");
    let mut out = Vec::new();
    let written = write_value(&value.layout, value.held.cells(), value.sort, value.value, &mut out);
    written.expect("it is whole");
    let written = write_value(&value.layout, &Lacking(value.held.cells()), value.sort, value.value, &mut out);
    let reason = StopReason::from(written.expect_err("cells are missing"));
    assert!(matches!(reason, StopReason::Internal { .. }), "{reason:?}");
    let odd = value.value | 3;
    assert!(write_value(&value.layout, &Lacking(value.held.cells()), value.sort, odd, &mut out).is_err());
}

/// The value of a term, where `C(3, a)` stands for three arguments `a` of `N`, with a way to write `N`.
fn with_copies(input: &str, name: &str, binding: Option<Mixfix>) -> NormalForm {
    let mut program = program(&format!("{}{input};", TEXT.replace("U(T)", "U(T) | C(Int, T)")));
    let signature = &mut program.signature;
    let named =
        |name: &str| signature.symbols.iter_enumerated().find(|(_, of)| of.name == name).map(|(id, _)| id);
    let [whole, copies] = ["N", "C"].map(|name| named(name).expect("a symbol"));
    signature.notations.insert(whole, binding.map_or(Notation::Flat, Notation::Mixfix));
    signature.notations.insert(copies, Notation::Copies(binding));
    [whole, copies].into_iter().for_each(|symbol| signature.symbols[symbol].name = name.into());
    let Start::Term(Some(term)) = &program.start else { panic!("an input") };
    let plan = compile(&program, &TermOptions::default()).expect("a plan");
    run_with(&program, &plan, term, &mut Control::default(), false).expect("a result").normal_form
}

fn text(view: View<'_>) -> String {
    let mut bytes = Vec::new();
    view.write_text(&mut bytes).expect("memory takes it");
    String::from_utf8(bytes).expect("a text")
}

/// A term as it is seen: `N(a, b)` with the arguments between brackets.
fn seen(view: View<'_>) -> String {
    match view.symbol() {
        Some(_) if view.arity() == 2 => {
            let args: Vec<String> = view.args().map(seen).collect();
            format!("({})", args.join(" "))
        }
        _ => text(view),
    }
}

#[test]
fn copies_are_arguments() {
    let sum = Some(Mixfix::new(33, &[32, 33], true));
    for (input, flat, written, as_seen) in [
        ("C(2, L(1))", "f(L(1), L(1))", "L(1) + L(1)", "(L(1) L(1))"),
        ("C(3, L(1))", "f(L(1), L(1), L(1))", "L(1) + L(1) + L(1)", "(L(1) (L(1) L(1)))"),
        ("N(L(2), C(2, L(1)))", "f(L(2), L(1), L(1))", "L(2) + L(1) + L(1)", "(L(2) (L(1) L(1)))"),
        ("N(C(2, L(1)), L(2))", "f(L(1), L(1), L(2))", "L(1) + L(1) + L(2)", "(L(1) (L(1) L(2)))"),
        (
            "U(N(C(2, L(1)), N(L(2), N(C(2, L(3)), L(4)))))",
            "U(f(L(1), L(1), L(2), L(3), L(3), L(4)))",
            "U(L(1) + L(1) + L(2) + L(3) + L(3) + L(4))",
            "U(L(1) + L(1) + L(2) + L(3) + L(3) + L(4))",
        ),
        ("M(C(2, L(1)), 7, L(2))", "M(f(L(1), L(1)), 7, L(2))", "M(L(1) + L(1), 7, L(2))", ""),
    ] {
        assert_eq!(with_copies(input, "f", None).to_text(), flat);
        let value = with_copies(input, "_+_", sum);
        assert_eq!(value.to_text(), written);
        if !as_seen.is_empty() {
            assert_eq!(seen(value.root()), as_seen);
        }
        let mut todo = vec![value.root()];
        while let Some(view) = todo.pop() {
            assert_eq!(text(value.subterm(view.key())), text(view));
            let id = view.symbol_id();
            assert!(id.is_none() || view.arity() == view.args().count(), "{input}");
            todo.extend(view.args());
        }
    }
    for input in ["C(90000, L(1))", "N(C(9000, U(L(1))), N(Tree(13, 1), C(9000, C(3, L(2)))))"] {
        let value = with_copies(input, "_+_", sum);
        let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        let mut found = Vec::new();
        pool.install(|| value.write_text(&mut found)).expect("memory takes it");
        let mut expected = Vec::new();
        value.root().write_text(&mut expected).expect("memory takes it");
        assert!(found == expected, "{input}");
        assert!(value.shown(20).ends_with("..."));
    }
}
