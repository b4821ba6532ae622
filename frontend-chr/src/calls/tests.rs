//! Which predicates call arguments is what swipl says of those that are known here.

use std::collections::BTreeSet;
use std::process::Command;

use super::META_PREDICATES;
use crate::builtin;

/// What is called here, and no meta predicate for swipl: control that it reads itself.
const OWN: [&str; 2] = ["|(0,0)", "^(?,0)"];

/// Libraries whose predicates are asked for.
const LIBRARIES: &str = "aggregate apply assoc backcomp clpfd csv dcg/basics dcg/high_order dialect/hprolog edinburgh \
                         heaps lists nb_set occurs option pairs prolog_code pure_input quintus random rbtrees \
                         readutil solution_sequences statistics strings terms thread time when yall";

fn quoted(name: &str) -> String {
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[test]
fn meta_predicates_are_those_of_swipl() {
    let known: Vec<String> =
        builtin::all_predicates().map(|(name, arity)| format!("{}-{arity}", quoted(name))).collect();
    let libraries: Vec<String> =
        LIBRARIES.split_ascii_whitespace().map(|name| format!("use_module(library({name}))")).collect();
    let program = format!(
        "{}, forall((member(N-A, [{}]), functor(H, N, A), catch(predicate_property(H, meta_predicate(M)), _, fail),
           M =.. [_|Ss], once((member(S, Ss), (integer(S) ; S == ^ ; S == (//))))),
           ( atomic_list_concat(Ss, ',', T), format('~w(~w)~n', [N, T]) )), halt",
        libraries.join(", "),
        known.join(", ")
    );
    let Ok(output) = Command::new("swipl").args(["-q", "-g", &program]).output() else {
        assert!(std::env::var_os("GCHR_REQUIRE_SWIPL").is_none(), "there is no swipl (.ci/fetch-swipl)");
        eprintln!("skipped: swipl is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let theirs: BTreeSet<&str> = text.lines().collect();
    let ours: BTreeSet<&str> =
        META_PREDICATES.split_ascii_whitespace().filter(|one| !OWN.contains(one)).collect();
    let missing: Vec<_> = theirs.difference(&ours).collect();
    let more: Vec<_> = ours.difference(&theirs).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(missing.is_empty() && more.is_empty(), "missing: {missing:?}\nonly here: {more:?}\n{errors}");
}
