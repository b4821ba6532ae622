//! Any text is read as goals of a program, and as a start term of one, without a panic.

#![no_main]

use gchr::Input;
use libfuzzer_sys::fuzz_target;

const CONSTRAINTS: &str = ":- chr_constraint edge(+int, ?any), color(?atom), f(+float, +string), done.\n\
    edge(X, Y) \\ edge(X, Y) <=> true.\n";
const TERMS: &str = "sort N = struct Z | S(N) | L(Int, Float, Bool);\nmap P: N # N -> N;\nvar X, Y: N;\n\
    eqn P(Z, Y) = Y; P(S(X), Y) = S(P(X, Y));\n";

fuzz_target!(|text: &str| {
    for parsed in
        [Input::constraints(CONSTRAINTS).query(text).parse(), Input::terms(TERMS).term(text).parse()]
    {
        match parsed {
            // Rendering looks at every place.
            Ok(program) => drop(program.warnings().render(false)),
            Err(found) => assert!(found.counts().0 > 0 && !found.render(false).is_empty()),
        }
    }
});
