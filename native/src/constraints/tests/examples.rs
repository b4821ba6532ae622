//! The programs of the folder `examples`, on their own queries and on larger ones.

use super::*;

/// Queries beside those of the examples.
const LARGER: [(&str, &str); 5] = [
    ("floyd.chr", "complete(12, 42)"),
    ("primes.chr", "candidate(2, 400)"),
    ("transitive_closure.chr", "random(60, 110, 7)"),
    ("fib.chr", "fib(15, _)"),
    ("union_find.chr", "make(1), make(2), make(3), union(1, 2), union(2, 3)"),
];

#[test]
fn examples_agree() {
    let examples = gchr_testkit::programs::examples("chr");
    let mut programs = 0;
    for (name, text) in &examples {
        // Programs with logical variables are run by another machine.
        let Some(program) = load(text, None) else { continue };
        agree(&program, Limits::default(), name);
        programs += 1;
    }
    assert!(programs >= 12, "{programs} examples");
    let mut larger = 0;
    for (name, query) in LARGER {
        let text = &examples.iter().find(|(own, _)| own == name).expect("an example").1;
        let Some(program) = load(text, Some(query)) else { continue };
        agree(&program, Limits::default(), query);
        larger += 1;
    }
    assert!(larger >= 3, "{larger} queries");
}
