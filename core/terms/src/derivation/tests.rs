//! The evaluator that keeps everything agrees with the naive rewriter, and what it keeps is a derivation.

use gchr_base::control::{Control, Limits};
use gchr_base::error::StopReason;
use gchr_base::op::ArithmeticError;
use gchr_base::rule::{Program, Start};
use gchr_testkit::systems::Generator;

use super::{TermDerivation, derive};
use crate::exec::tests::reference::{GiveUp, Rewriter};

fn program(text: &str) -> Program {
    let mut sources = gchr_base::source::SourceMap::new();
    let id = sources.add("test", text);
    gchr_trs::load(&sources, id).program.expect("a program")
}

fn text(found: &TermDerivation<'_>) -> String {
    found.text(found.root(), usize::MAX)
}

/// Each application has an earlier caller, and each symbol of the normal form a maker.
fn check(found: &TermDerivation<'_>) {
    for application in 0..found.applications() as u32 {
        assert!(found.caller(application).is_none_or(|caller| caller < application));
        let rule = &found.program.rules[found.rule(application)];
        assert_eq!(found.redex_args(application).len(), rule.heads[0].atom.args().len());
    }
    let mut todo = vec![found.root()];
    while let Some(node) = todo.pop() {
        assert!(found.maker(node).is_none_or(|maker| u64::from(maker) < found.applications()));
        todo.extend(found.args(node));
    }
}

#[test]
fn random_programs_have_the_normal_forms_of_the_rewriter() {
    let mut kinds = [0; 2];
    for seed in 1..600_u64 {
        let source = Generator::program(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let program = program(&source);
        let Start::Term(Some(input)) = &program.start else { continue };
        let expected = {
            let mut rewriter = Rewriter::new(&program, 20_000);
            match rewriter.ground(input) {
                Ok(value) => Ok(rewriter.show(&value)),
                Err(GiveUp::Limit) => continue,
                Err(why) => Err(format!("{why:?}")),
            }
        };
        let found = match derive(&program, input, &mut Control::default()) {
            Ok(found) => {
                check(&found);
                Ok(text(&found))
            }
            Err(error) => Err(match error.reason {
                StopReason::NoRule { .. } => "NoRule".into(),
                StopReason::Arithmetic { error: ArithmeticError::Type, .. } => "Type".into(),
                StopReason::Arithmetic { error, .. } => format!("Number({error:?})"),
                other => format!("{other:?}"),
            }),
        };
        kinds[usize::from(expected.is_ok())] += 1;
        assert_eq!(found, expected, "{source}");
    }
    assert!(kinds[0] > 20 && kinds[1] > 250, "{kinds:?}");
}

#[test]
fn symbols_are_made_by_applications() {
    let program = program(
        "sort Nat = struct Zero | S(Nat) | Plus(Nat, Nat) | Twice(Nat);
         var X, Y : Nat;
         eqn Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y)); Twice(X) = Plus(X, X);
         input Twice(S(Zero));",
    );
    let Start::Term(Some(input)) = &program.start else { unreachable!() };
    let found = derive(&program, input, &mut Control::default()).expect("a normal form");
    assert_eq!((text(&found).as_str(), found.applications()), ("S(S(Zero))", 3));
    let outer = found.maker(found.root()).expect("a rule");
    assert_eq!(found.redex_text(outer, 100), "Plus(S(Zero), S(Zero))");
    let caller = found.caller(outer).expect("a rule");
    assert_eq!((found.redex_text(caller, 100), found.caller(caller)), ("Twice(S(Zero))".into(), None));
    // The inner symbol is that of the start term.
    assert_eq!(found.maker(found.args(found.root())[0]), None);
    let bound: Vec<String> = found.bindings(outer).iter().map(|&(_, node)| found.text(node, 9)).collect();
    assert_eq!(bound, ["Zero", "S(Zero)"]);
}

#[test]
fn limits_are_heard() {
    let program = program("sort N = struct A | F(N);\nvar X: N;\neqn F(X) = F(F(X));\ninput F(A);");
    let Start::Term(Some(input)) = &program.start else { unreachable!() };
    let stopped = |limits| derive(&program, input, &mut Control::new(limits)).expect_err("no end");
    let steps = stopped(Limits { max_steps: Some(100_000), ..Limits::default() });
    assert_eq!((steps.reason, steps.progress.steps), (StopReason::Steps { limit: 100_000 }, 100_000));
    let memory = stopped(Limits { memory: Some(1 << 22), ..Limits::default() });
    assert!(matches!(memory.reason, StopReason::Memory { .. }), "{memory:?}");
}
