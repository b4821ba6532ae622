//! Whole programs: their syntax trees and rules as snapshots, checked by the verifier and by printing and reading again.

use gchr_chr::{Request, load, parse};
use gchr_core::diagnostic::render_all;
use gchr_core::rule::verify;
use gchr_core::source::SourceMap;

fn check(name: &str, text: &str) {
    let mut sources = SourceMap::new();
    let program = sources.add(format!("{name}.chr"), text);
    let loaded = load(&mut sources, &Request { program, queries: Vec::new(), facts: Vec::new() });
    let diagnostics = render_all(&loaded.diagnostics, &sources, false);
    let rules = loaded.program.as_ref().map_or("no program\n".to_string(), ToString::to_string);
    if let Some(program) = &loaded.program {
        assert_eq!(verify(program), []);
    }
    insta::assert_snapshot!(
        name,
        format!("{}\n---- rules ----\n{rules}\n---- diagnostics ----\n{diagnostics}", loaded.ast)
    );

    let again = sources.add("printed", loaded.ast.to_string());
    let parsed = parse(&sources, again);
    assert_eq!(parsed.diagnostics, []);
    let same = parsed.ast.canonical(again) == loaded.ast.canonical(again);
    assert!(same, "{name} printed and read again:\n{}", parsed.ast);
}

macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), include_str!(concat!("programs/", stringify!($name), ".chr")));
        })*
    };
}

programs!(min, gcd, primes, floyd, tc, fib, mergesort, unionfind, dijkstra, evaluator, syntax);
