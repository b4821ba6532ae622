//! What is in the store of a run that stops.

use gchr_base::control::Limits;

use crate::support::{How, execute, loaded, shown};

/// The store after so many steps.
fn after(text: &str, query: &str, steps: u64) -> Option<String> {
    let program = loaded(text, query).expect("a program");
    let limits = Limits { max_steps: Some(steps), ..Limits::default() };
    let stopped = execute(&program, How::Refined, limits).err()?;
    Some(shown(&stopped.store, &program))
}

#[test]
fn the_active_constraint_is_in_the_store_of_a_stopped_run() {
    let text = ":- chr_constraint p(+int).\np(X) ==> Y is X + 1, p(Y).";
    for steps in 0..20 {
        let all: Vec<String> = (0..=steps).map(|i| format!("p({i})")).collect();
        assert_eq!(after(text, "p(0)", steps), Some(all.join(" ")));
    }
    // Each firing removes a constraint and adds one: there is one at every moment.
    for body in ["t(M)", "true, t(M)", "write(M), t(M)"] {
        let text = format!(":- chr_constraint t(+int).\nt(N) <=> N > 0 | M is N - 1, {body}.");
        for steps in 0..10 {
            assert_eq!(after(&text, "t(10)", steps), Some(format!("t({})", 10 - steps)));
        }
        assert_eq!(after(&text, "t(10)", 10), None);
    }
    // It has fired without being stored, and lives.
    let text = ":- chr_constraint c, d, e.\nc ==> write(x).\nc ==> true.\nc ==> d.\nd ==> e.";
    for (steps, store) in [(0, "c"), (1, "c"), (2, "c"), (3, "c d")] {
        assert_eq!(after(text, "c", steps).as_deref(), Some(store), "{steps}");
    }
}

#[test]
fn the_active_constraint_is_in_the_store_of_a_run_with_an_error() {
    for (rule, query, store) in [
        ("a(X) ==> 1 // X > 0 | b(X).", "a(1), a(0)", "a(0) a(1) b(1)"),
        ("a(X) ==> Y is 1 // X, b(Y).", "a(0)", "a(0)"),
        ("a(X), a(Y) ==> X // Y > 0 | b(X).", "a(0), a(1)", "a(0) a(1)"),
        ("a(X) <=> Y is 1 // X, b(Y).", "a(0)", ""),
        ("a(X) ==> fail.", "a(0)", "a(0)"),
    ] {
        let text = format!(":- chr_constraint a(+int), b(+int).\n{rule}");
        let program = loaded(&text, query).expect("a program");
        let stopped = execute(&program, How::Refined, Limits::default()).expect_err("an error");
        assert_eq!(shown(&stopped.store, &program), store, "{rule}");
    }
}
