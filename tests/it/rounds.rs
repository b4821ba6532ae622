//! Rounds as `docs/semantics.md` says: its programs have the stores that it shows, round by round, on both executors;
//! every example has the classes that are expected of it.

use gchr::constraints::plan::{Joins, RoundsOptions, compile_rounds};
use gchr::constraints::rounds;
use gchr::{Control, Input, Limits, Program};
use gchr_testkit::pages::{self, fences};

/// Programs of the document, each with its stores.
fn specifications() -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for fence in fences(&pages::read("docs/semantics.md")) {
        match fence.info.as_str() {
            "chr" => found.push((fence.text, Vec::new())),
            "rounds" => {
                let stores = &mut found.last_mut().expect("a program before its rounds").1;
                stores.extend(fence.text.lines().map(String::from));
            }
            _ => {}
        }
    }
    found
}

/// The store after so many rounds, and whether more would follow.
fn store(program: &Program, options: RoundsOptions, max_rounds: u64) -> (String, bool) {
    let rules = program.rules();
    let plan = compile_rounds(rules, options).expect("a plan");
    let mut control = Control::new(Limits { max_rounds: Some(max_rounds), ..Limits::default() });
    let (store, more) = match rounds::run(rules, &plan, &[], &mut control) {
        Ok(outcome) => (outcome.store, false),
        Err(stopped) => (stopped.store, true),
    };
    let mut text = Vec::new();
    store.write_text(&rules.signature, &mut text).expect("written");
    let lines: Vec<String> = String::from_utf8(text).expect("text").lines().map(String::from).collect();
    (lines.join(", "), more)
}

#[test]
fn programs_of_the_specification_have_its_stores() {
    let specifications = specifications();
    assert!(specifications.len() >= 7, "{} programs", specifications.len());
    for (text, expected) in specifications {
        let program = Input::constraints(text.as_str()).parse().unwrap_or_else(|e| panic!("{text}\n{e}"));
        for joins in [Joins::Exhaustive, Joins::Indexed] {
            let options = RoundsOptions { classes: true, joins };
            let mut stores = Vec::new();
            for round in 0.. {
                let (store, more) = store(&program, options, round);
                stores.push(format!("{round}: {store}").trim_end().to_string());
                if !more {
                    break;
                }
            }
            assert_eq!(stores, expected, "{joins:?}\n{text}");
        }
    }
}

#[test]
fn classes_of_the_examples() {
    let mut text = String::new();
    for name in ["dijkstra", "fib", "floyd", "gcd", "min", "paths", "primes", "roads", "transitive_closure"] {
        let program = Input::file(format!("{}/examples/{name}.chr", env!("CARGO_MANIFEST_DIR"))).parse();
        let program = program.unwrap_or_else(|e| panic!("{name}: {e}"));
        text += &format!("{name}\n{}", program.explain().expect("a plan"));
    }
    insta::assert_snapshot!(text);
}

/// Why a replacement is no product of matrices.
#[test]
fn joins_of_replacements_are_explained() {
    let explained = |text: &str| {
        let program = Input::constraints(text).parse().unwrap_or_else(|e| panic!("{text}\n{e}"));
        program.explain().expect("a plan")
    };
    let floyd = |columns: &str, sum: &str| {
        explained(&format!(
            ":- chr_constraint c({columns}).\nr @ c(I, K, A), c(K, J, B) \\ c(I, J, V) <=> V > {sum} | W is {sum}, c(I, J, W).\n"
        ))
    };
    let one = "+dense_int, +dense_int, +int";
    assert!(floyd(one, "A + B").contains("    dense keyed join: the product of matrices\n"));
    assert!(
        floyd("+dense_int, +int, +int", "A + B")
            .contains("no dense keyed join, as column 2 of c/3 is not declared as dense_int")
    );
    assert!(floyd(one, "max(A, B)").contains("no dense keyed join, as it is not of the form"));
    let relax = ":- chr_constraint e(+dense_int, +dense_int, +int), d(+dense_int, +int).
        r @ e(X, Y, C), d(X, A) \\ d(Y, B) <=> B > A + C | S is A + C, d(Y, S).\n";
    assert!(
        explained(relax).contains("no dense keyed join, as d/2 has not two keys"),
        "{}",
        explained(relax)
    );
}
