//! Indexes of many programs: what occurs is what is named, a cut text is read as far as it goes, and a program means
//! the same under other names.

mod format;

use std::path::{Path, PathBuf};

use gchr_base::logic::NoEvaluator;
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_chr::Request;
use gchr_editor::{Encoding, Index, Kind, Text};
use gchr_testkit::growth;
use gchr_testkit::programs::files_below;

/// All programs of the project in the two languages.
fn programs() -> Vec<(PathBuf, String)> {
    let below = |folder| files_below(folder, &["trs", "chr", "pl"]);
    let found = [below("examples"), below("core/logic/tests/programs")].concat();
    assert!(found.len() > 100, "{}", found.len());
    found
}

fn index(path: &Path, text: &str) -> Index {
    match path.extension().is_some_and(|ending| ending == "trs") {
        true => Index::of_terms(text),
        false => Index::of_constraints(text),
    }
}

#[test]
fn what_occurs_is_what_is_named() {
    let (mut symbols, mut occurrences) = (0, 0);
    for (path, text) in programs() {
        let index = index(&path, &text);
        for (number, symbol) in index.symbols().iter().enumerate() {
            symbols += 1;
            assert!(index.definition(number).is_some(), "{}: {}", path.display(), symbol.name);
            for occurrence in index.occurrences(number) {
                occurrences += 1;
                let shown = &text[occurrence.range.clone()];
                let bare = shown.trim_matches('\'').replace("\\'", "'").replace("''", "'");
                assert!(
                    bare == symbol.name || shown.contains('\\'),
                    "{}: {shown} {}",
                    path.display(),
                    symbol.name
                );
                let here = index.at(occurrence.range.start).map(|o| o.symbol);
                assert_eq!(here, Some(number), "{}: {shown}", path.display());
            }
        }
        for entry in index.outline() {
            assert!(entry.range.start <= entry.selection.start && entry.selection.end <= entry.range.end);
            assert!(text.get(entry.selection.clone()).is_some());
        }
    }
    assert!(symbols > 1500 && occurrences > 5000, "{symbols} {occurrences}");
}

#[test]
fn a_cut_text_is_read_as_far_as_it_goes() {
    for (path, text) in programs().into_iter().step_by(7) {
        for end in (0..text.len()).step_by(97).filter(|&end| text.is_char_boundary(end)) {
            index(&path, &text[..end]).outline().iter().for_each(|entry| {
                assert!(text[..end].get(entry.range.clone()).is_some(), "{} {end}", path.display());
            });
        }
    }
}

/// The codes of all findings in a program.
fn codes(path: &Path, text: &str) -> Vec<&'static str> {
    let mut sources = SourceMap::new();
    let id = sources.add(path.display().to_string(), text);
    let diagnostics = match path.extension().is_some_and(|ending| ending == "trs") {
        true => gchr_trs::load(&sources, id).diagnostics,
        false => {
            let request = Request { program: id, queries: Vec::new(), facts: Vec::new() };
            gchr_chr::load_any(&mut sources, &request, &Account::new(None), &mut NoEvaluator).diagnostics
        }
    };
    let mut codes: Vec<&str> = diagnostics.iter().map(|found| found.code).collect();
    codes.sort_unstable();
    codes
}

/// Other names leave the occurrences of all symbols as they are, and what is found in the program.
#[test]
fn other_names_change_nothing_else() {
    let mut renamed = 0;
    for (path, text) in programs() {
        let before = index(&path, &text);
        for (number, symbol) in before.symbols().iter().enumerate() {
            let name = match symbol.kind {
                Kind::Variable if symbol.scope.is_some() => "Fresh_name_1",
                _ => "fresh_name_1",
            };
            let Ok(mut edits) = before.rename(number, name) else { continue };
            edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
            let mut other = text.clone();
            for (range, with) in edits {
                other.replace_range(range, &with);
            }
            let after = index(&path, &other);
            let count = |index: &Index, symbol: usize| index.occurrences(symbol).count();
            let same = after.symbols().iter().position(|s| s.name == name && s.arity == symbol.arity);
            let Some(same) = same else { panic!("{}: {} is gone", path.display(), symbol.name) };
            assert_eq!(count(&after, same), count(&before, number), "{}: {}", path.display(), symbol.name);
            assert_eq!(after.symbols().len(), before.symbols().len(), "{}: {}", path.display(), symbol.name);
            // A definition that hides a built-in one is warned of.
            if !gchr_chr::is_builtin(&symbol.name, symbol.arity.unwrap_or(0)) {
                let findings = (codes(&path, &text), codes(&path, &other));
                assert_eq!(findings.0, findings.1, "{}: {}", path.display(), symbol.name);
            }
            renamed += 1;
        }
    }
    assert!(renamed > 1500, "{renamed}");
}

/// A parameter is one symbol in the whole text, and sorts are shown with theirs.
#[test]
fn parameters_of_sorts_are_found() {
    let text = "sort Tree(A) = struct Leaf | Node(left: Tree(A), A, Tree(A));\nvar B: sort; X: A;\nmap F: Tree(B) # A -> A;\n";
    let index = Index::of_terms(text);
    let detail = |name: &str| {
        let symbol = index.symbols().iter().position(|s| s.name == name).expect("a symbol");
        (index.symbol(symbol).detail.as_str(), index.occurrences(symbol).count())
    };
    assert_eq!(detail("A"), ("A: sort", 7));
    assert_eq!(detail("B"), ("B: sort", 2));
    assert_eq!(detail("Tree"), ("sort Tree(A)", 4));
    assert_eq!(detail("Node"), ("Node: Tree(A) # A # Tree(A) -> Tree(A)", 1));
    assert_eq!(detail("left"), ("left: Tree(A) -> Tree(A)", 1));
}

/// Names stand in more than goals: declarations, bodies of grammars, closures, types.
#[test]
fn names_are_found_wherever_they_stand() {
    let text = ":- module(m, [near/1, s//0]).
:- dynamic near/1.
:- chr_constraint c(+town), d(?).
:- chr_type town ---> pair(town, int) ; none.
near(a).
s --> s, { near(a) }.
c(X) # passive, d(Y) <=> maplist(near, [X]), find_chr_constraint(d(Y)).
";
    let index = Index::of_constraints(text);
    let count = |kind: Kind, name: &str| {
        let symbol = index.symbols().iter().position(|s| s.kind == kind && s.name == name);
        symbol.map_or(0, |symbol| index.occurrences(symbol).count())
    };
    assert_eq!(count(Kind::Predicate, "near"), 5);
    assert_eq!(count(Kind::Predicate, "s"), 3);
    assert_eq!(count(Kind::Type, "town"), 3);
    assert_eq!((count(Kind::Constraint, "c"), count(Kind::Constraint, "d")), (2, 3));
}

/// Places of a text that is one line.
#[test]
fn places_take_time_in_proportion_to_their_number() {
    for encoding in [Encoding::Utf8, Encoding::Utf16] {
        let line = |n: usize| Text::new("x".repeat(n), encoding);
        let work = |text: &Text| {
            (0..text.as_str().len()).step_by(7).map(|byte| text.place(byte).column as usize).sum::<usize>()
        };
        let measure = || growth::ratio([100_000, 400_000], line, work);
        let found = measure().min(measure());
        assert!(found <= 9.0, "{encoding:?}: {found:.1} times as long");
    }
}

#[test]
fn parameters_of_functions_are_known_where_they_stand() {
    let text = "map F: (Int -> Int) -> (Int -> Int); var x: Int; f: Int -> Int;
eqn F(f) = lambda x: Int. f(x) + (lambda y: Int. x + y)(x); input F(lambda x: Int. -x)(1);";
    let index = Index::of_terms(text);
    let places = |byte: usize| {
        let symbol = index.at(byte).expect("a symbol").symbol;
        let found = index.occurrences(symbol).map(|occurrence| occurrence.range.start);
        (index.symbol(symbol).detail.as_str(), found.collect::<Vec<_>>())
    };
    let all = |word: &str| text.match_indices(word).map(|(at, _)| at).collect::<Vec<_>>();
    let [declared, outer, of_f, in_inner, argument, last, used] = all("x")[..] else {
        panic!("{:?}", all("x"))
    };
    assert_eq!(places(declared), ("x: Int", vec![declared]));
    assert_eq!(places(outer), ("x: Int", vec![outer, of_f, in_inner, argument]));
    assert_eq!(places(used), ("x: Int", vec![last, used]));
    assert_eq!(
        places(all("f(x)")[0]),
        ("f: (Int -> Int)", vec![all("f: ")[0], all("f)")[0], all("f(x)")[0]])
    );
    let symbol = |byte: usize| index.at(byte).expect("a symbol").symbol;
    assert!(index.rename(symbol(outer), "y").is_err(), "the inner function would hide it");
    assert!(index.rename(symbol(outer), "f").is_err(), "it would hide the function");
    assert_eq!(index.rename(symbol(last), "y").map(|edits| edits.len()), Ok(2));
}
