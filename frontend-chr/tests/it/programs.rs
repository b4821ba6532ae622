//! Whole programs: their syntax trees and rules as snapshots, checked by the verifier and by printing and reading
//! again.

use gchr_base::diagnostic::render_all;
use gchr_base::rule::verify;
use gchr_base::source::SourceMap;
use gchr_chr::{Request, load, parse};

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

/// What stands at the start or the end of a clause prints so that it reads back.
#[test]
fn clause_borders() {
    for text in
        ["?- c($) .", "(a \\ b).", "f((:- a)) :- b, (c :- d).", "(:- a) --> b.", "?- c((a, b)), (d ; e)."]
    {
        let mut sources = SourceMap::new();
        let first = sources.add("p.chr", text);
        let parsed = parse(&sources, first);
        assert_eq!((parsed.diagnostics.as_slice(), parsed.ast.clauses.len()), ([].as_slice(), 1), "{text}");
        let again = sources.add("printed", parsed.ast.to_string());
        assert!(parse(&sources, again).ast.canonical(first) == parsed.ast.canonical(first), "{}", parsed.ast);
    }
}
