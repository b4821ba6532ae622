//! What is said of programs whose result in rounds may be another one than under the refined semantics.

use super::support::loaded;
use gchr_constraints::plan::{compile_rounds, differences};

/// The helps of the warnings for a program.
fn helps(rules: &str) -> Vec<String> {
    let text = format!(":- chr_constraint e(+int, +int), p(+int, +int), d(+int, +int, +int).\n{rules}");
    let program = loaded(&text, "").expect("a program");
    let plan = compile_rounds(&program, Default::default()).expect("a plan");
    differences(&program, &plan).into_iter().filter_map(|found| found.help).collect()
}

#[test]
fn rules_that_drop_constraints_too_late_are_named() {
    let set = "set @ p(X, Y) \\ p(X, Y) <=> true.\n";
    let least = "least @ d(X, Y, A) \\ d(X, Y, B) <=> A =< B | true.\n";
    let step = "step @ p(X, Y), e(Y, Z) ==> p(X, Z).\n";
    let add = "d(X, Y, A), e(Y, Z) ==> B is A + 1, d(X, Z, B).\n";
    for (late, early, rule, before) in [
        (format!("{step}{set}"), format!("{set}{step}"), "set", "step"),
        (format!("{add}{least}"), format!("{least}{add}"), "least", "rule 1"),
        (format!("e(X, Y) ==> p(X, Y).\n{step}{set}"), format!("{set}{step}"), "set", "step"),
    ] {
        let said = helps(&late);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with(&format!("write {rule} before {before}: ")), "{said:?}");
        assert_eq!(helps(&early), Vec::<String>::new());
    }
    // Rules that remove more than one constraint of a key drop none as it comes, wherever they stand.
    let said = helps("step @ p(X, Y), e(Y, Z) ==> p(X, Z).\nboth @ p(X, Y), p(Y, X) <=> e(X, Y).\n");
    assert!(said.len() == 1 && said[0].contains("--semantics refined"), "{said:?}");
}

/// A distance that a shorter one replaces later has been seen by other rules; what they make of it stays, unless the
/// best of that is kept, too, or the distance does not matter.
#[test]
fn rules_that_use_values_too_early_are_named() {
    let rules = "least @ d(X, Y, A) \\ d(X, Y, B) <=> A =< B | true.\nset @ p(X, Y) \\ p(X, Y) <=> true.\n";
    for (rule, warned) in [
        ("d(X, Y, A) ==> p(X, A).", true),
        ("d(X, Y, A), e(Y, A) ==> p(X, Y).", true),
        ("d(X, Y, 7) ==> p(X, Y).", true),
        ("d(X, Y, A) ==> A > 3 | p(X, Y).", true),
        ("d(X, Y, A), d(Y, X, A) ==> p(X, Y).", true),
        ("d(X, Y, _) ==> p(X, Y).", false),
        ("d(X, Y, A), e(Y, Z) ==> B is A + 1, d(X, Z, B).", false),
        ("e(X, Y) ==> d(X, Y, 1).", false),
    ] {
        let said = helps(&format!("{rules}{rule}\n"));
        let is_early = |help: &String| help.contains("a further query");
        assert_eq!(
            said.iter().filter(|help| is_early(help)).count(),
            usize::from(warned),
            "{rule}: {said:?}"
        );
    }
}
