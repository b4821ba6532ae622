//! Sorts and functions with parameters.

use gchr_base::diagnostic::render_all;
use gchr_base::reading::Account;
use gchr_base::rule::{GroundNode, Start};
use gchr_base::source::SourceMap;
use gchr_trs::Loaded;

const TREES: &str = "sort Tree(A) = struct Leaf | Node(Tree(A), A, Tree(A));
sort Pair(A, B) = struct P(fst: A, snd: B);
map  Size: Tree(A) -> Int; Mirror: Tree(A) -> Tree(A); Swap: Pair(A, B) -> Pair(B, A); Zip: Tree(A) # B -> Tree(Pair(A, B));
var  X: A; Y: B; L, R: Tree(A);
eqn  Size(Leaf) = 0;
     Size(Node(L, X, R)) = Size(L) + 1 + Size(R);
     Mirror(Leaf) = Leaf;
     Mirror(Node(L, X, R)) = Node(Mirror(R), X, Mirror(L));
     Swap(P(X, Y)) = P(Y, X);
     Zip(Leaf, Y) = Leaf;
     Zip(Node(L, X, R), Y) = Node(Zip(L, Y), P(X, Y), Zip(R, Y));
";

fn load(text: &str) -> (SourceMap, Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    (sources, loaded)
}

/// Codes and places of the findings.
fn findings(text: &str) -> Vec<(&'static str, String)> {
    let (sources, loaded) = load(text);
    assert_eq!(loaded.program.is_none(), loaded.diagnostics.iter().any(|found| found.is_error()));
    let place = |found: &gchr_base::diagnostic::Diagnostic| sources.snippet(found.labels[0].span).to_string();
    loaded.diagnostics.iter().map(|found| (found.code, place(found))).collect()
}

#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let found = findings(text);
    let found: Vec<(&str, &str)> = found.iter().map(|(code, place)| (*code, place.as_str())).collect();
    let (sources, loaded) = load(text);
    assert_eq!(found, expected, "{}", render_all(&loaded.diagnostics, &sources, false));
}

/// The symbols of a program, with their sorts.
fn symbols(text: &str) -> Vec<String> {
    let (sources, loaded) = load(text);
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let program = loaded.program.unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(gchr_base::rule::verify(&program), []);
    let name = |sort| program.signature.sorts[sort].name.as_str();
    let shown = program.signature.symbols.iter().filter(|symbol| symbol.span.is_some()).map(|symbol| {
        let args: Vec<&str> = symbol.args.iter().map(|&arg| name(arg)).collect();
        format!("{}: {} -> {}", symbol.name, args.join(" # "), name(symbol.result))
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown
}

#[test]
fn instances_are_those_that_are_used() {
    let text = format!("{TREES}input Size(Zip(Node(Leaf, true, Leaf), 1.5));");
    let expected = [
        "Leaf:  -> Tree(Bool)",
        "Leaf:  -> Tree(Pair(Bool, Float))",
        "Node: Tree(Bool) # Bool # Tree(Bool) -> Tree(Bool)",
        "Node: Tree(Pair(Bool, Float)) # Pair(Bool, Float) # Tree(Pair(Bool, Float)) -> Tree(Pair(Bool, Float))",
        "P: Bool # Float -> Pair(Bool, Float)",
        "Size: Tree(Pair(Bool, Float)) -> Int",
        "Zip: Tree(Bool) # Float -> Tree(Pair(Bool, Float))",
    ];
    assert_eq!(symbols(&text), expected);
    // Nothing is used, nothing is there.
    assert_eq!(symbols(TREES), Vec::<String>::new());
    // A place says which instance is meant.
    let leaf = format!(
        "{TREES}map F: Tree(Int) -> Tree(Int); var T: Tree(Int); eqn F(Leaf) = Mirror(Leaf); F(T) = T; input F(Leaf);"
    );
    assert!(symbols(&leaf).contains(&"Mirror: Tree(Int) -> Tree(Int)".to_string()));
}

#[test]
fn declarations_that_are_wrong() {
    check("sort Tree(Int) = struct L;", &[("T0112", "Int")]);
    check("sort Nat = struct Z; Tree(Nat) = struct L;", &[("T0112", "Nat")]);
    check("sort P(A, A) = struct L;", &[("T0112", "A")]);
    check("sort A; var A: sort;", &[("T0112", "A")]);
    check("sort T(A) = struct L; T = struct M;", &[("T0104", "T")]);
    check("sort T = struct L; T(A) = struct M;", &[("T0104", "T")]);
    check(
        "sort T(A) = struct L(A); map F: T -> Int; G: T(Int, Int) -> Int;",
        &[("T0109", "T"), ("T0109", "T(Int, Int)")],
    );
    check("sort T(A) = struct L(B);", &[("T0101", "B")]);
    check("sort T(A) = struct L; S(B) = struct M(A);", &[("T0113", "M")]);
    check("sort T(A) = struct L(A); R = List(A);", &[("T0113", "List(A)")]);
    check("sort T(A) = struct L(A); R(B) = R(B);", &[("T0108", "R(B) = R(B)")]);
    check("sort T(A) = struct L(A); cons C: A -> A;", &[("T0113", "C")]);
    check("sort T(A) = struct L(A); cons C: A -> T(List(A));", &[("T0113", "C")]);
    check("sort T(A) = struct L(A); map F: A -> Int;", &[("T0113", "F")]);
    // A parameter without a declaration that names it.
    check("map Id: A -> A;", &[("T0101", "A")]);
    check("var A: sort; X: A; map Id: A -> A; eqn Id(X) = X; input Id(1) + Id(2);", &[]);
}

#[test]
fn equations_are_checked_for_all_sorts() {
    let wrong = |more: &str, expected: &[(&str, &str)]| check(&format!("{TREES}{more}"), expected);
    wrong("eqn Size(Node(L, 1, R)) = 0;", &[("T0201", "1")]);
    wrong("eqn Size(Node(L, X, R)) = X + 1;", &[("T0202", "X")]);
    wrong("eqn Size(Node(L, Y, R)) = 0;", &[("T0201", "Y")]);
    wrong("map F: A -> Tree(A); eqn F(X) = X;", &[("T0203", "X")]);
    wrong("map F: Int -> Int; eqn F(Size(L)) = 0;", &[("T0113", "L")]);
    wrong("map F: Int -> Int; eqn F(0) = Size(Leaf);", &[("T0208", "Leaf")]);
    wrong("map F: Tree(Int) -> Tree(Bool); var T: Tree(Int); eqn F(T) = T;", &[("T0203", "T")]);
    wrong("input Size(Leaf);", &[("T0208", "Leaf")]);
    wrong("input Node(Leaf, 1, Node(Leaf, true, Leaf));", &[("T0201", "Node(Leaf, true, Leaf)")]);
    wrong("input P(1);", &[("T0103", "P")]);
    let unused = [("T0504", "Size"), ("T0504", "Swap"), ("T0504", "Zip")];
    wrong("input Mirror^2(Node(Leaf, 1, Leaf));", &unused);
    wrong("input Size^2(Node(Leaf, 1, Leaf));", &[("T0206", "Size^2(Node(Leaf, 1, Leaf))")]);
}

#[test]
fn patterns_of_conditions_say_what_terms_leave_open() {
    let opt = "sort Opt(A) = struct None | Some(A); map F: Int -> Bool; var N, M: Int; O: Opt(Int);";
    let fits = "eqn O := None && [M] := [] && Some(M) := None -> F(N) = O == None; F(N) = false [owise];";
    check(&format!("{opt} {fits}"), &[]);
    check(&format!("{opt} eqn None := None -> F(N) = true;"), &[("T0208", "None"), ("T0208", "None")]);
    // The variables of a pattern have no values in its term.
    check(&format!("{opt} eqn O := O -> F(N) = true;"), &[("T0304", "O")]);
}

#[test]
fn instances_without_end_are_named() {
    let nest = "sort Pair(A, B) = struct P(A, B);\n";
    // The sort of an argument grows without end.
    check(&format!("{nest}sort Nest(A) = struct N | C(A, Nest(Pair(A, A)));"), &[("T0111", "C")]);
    // A function that calls itself with ever larger sorts, in one step and in two.
    let one = "map F: A -> Int; var X: A; eqn F(X) = F([X]);";
    check(&format!("{nest}{one}"), &[("T0111", "F(X) = F([X])")]);
    let two = "map F, G: A -> Int; var X: A; eqn F(X) = G(P(X, X)); G(X) = 1 + F(X);";
    assert_eq!(findings(&format!("{nest}{two}"))[0].0, "T0111");
    // So many sorts in few steps.
    let many = "map F, G, H: A -> Int; var X: A; eqn F(X) = G([X]) + H(P(X, X)); G(X) = F(X); H(X) = F(X);";
    assert_eq!(findings(&format!("{nest}{many}"))[0].0, "T0111");
    // A text may name a sort that is too large.
    let names: String = (0..40).map(|n| format!("S{}(A) = Pair(S{n}(A), S{n}(A)); ", n + 1)).collect();
    let large = findings(&format!("{nest}sort S0(A) = Pair(A, A); {names}"));
    assert!(large.iter().all(|found| found.0 == "T0111") && !large.is_empty(), "{large:?}");
    let lists = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    let found = findings(&format!("input {lists};"));
    assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), ["T0111"]);
}

#[test]
fn warnings_are_said_once() {
    let used =
        "input Size(Zip(Mirror(Node(Leaf, 1, Leaf)), 1)) + Size(Zip(Node(Leaf, true, Leaf), Swap(P(1, 2))));";
    check(&format!("{TREES}{used}"), &[]);
    let partial =
        "sort Opt(A) = struct None | Some(A);\nmap Get: Opt(A) -> A; All: Opt(A) # A -> A; var X, Y: A;
eqn Get(Some(X)) = X; All(Some(X), Y) = X; All(None, Y) = Y; All(Some(X), X) = X;\n";
    let found = [("T0503", "Get"), ("T0501", "All(Some(X), X)")];
    check(partial, &found);
    check(&format!("{partial}input Get(Some(1)) + All(Some(2), Get(Some(3)));"), &found);
    let unused = "sort Opt(A) = struct None | Some(A); T(B) = struct C(B); map Get: Opt(A) -> Bool; var X: A;
eqn Get(Some(X)) = true; Get(None) = false; input true;";
    check(unused, &[("T0505", "T"), ("T0504", "Get")]);
}

#[test]
fn terms_may_need_instances_of_their_own() {
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", TREES);
    let term = sources.add("--input", "Size(Node(Leaf, [1], Leaf))");
    let loaded = gchr_trs::load_files(&mut sources, id, Some(term), &Account::default());
    let program = loaded.program.expect("a program");
    let Start::Term(Some(start)) = &program.start else { panic!("a term") };
    assert_eq!(gchr_base::rule::verify(&program), []);
    assert!(matches!(start.nodes.last(), Some(GroundNode::App(_))));
    // Terms that come later have what there is.
    let reader = loaded.reader.expect("a reader");
    for (term, code) in [
        ("Size(Node(Node(Leaf, [], Leaf), [1, 2], Leaf))", None),
        ("Node(Leaf, [3], Leaf)", None),
        ("Size(Node(Leaf, true, Leaf))", Some("T0306")),
        ("Mirror(Node(Leaf, [3], Leaf))", Some("T0306")),
        ("Leaf", Some("T0208")),
        ("Node(Leaf, [3])", Some("T0103")),
    ] {
        let id = sources.add("term", term);
        let found = reader.read(&sources, id);
        assert_eq!(found.as_ref().err().map(|found| found[0].code), code, "{term}: {found:?}");
    }
}
