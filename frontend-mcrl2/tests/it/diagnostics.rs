//! Every diagnostic: its code and the place it points at.

use gchr_testkit::findings;

use super::load_text;

/// Code and source text of the primary place of each diagnostic.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    check_term(text, None, expected);
}

#[track_caller]
fn check_term(text: &str, term: Option<&str>, expected: &[(&str, &str)]) {
    let (sources, loaded) = load_text(text, term);
    findings::check(&sources, &loaded.diagnostics, expected);
}

/// With some declarations.
#[track_caller]
fn check_equation(equation: &str, expected: &[(&str, &str)]) {
    let text = format!(
        "sort A = struct a | b(n: Nat); map f: A -> A; g: Nat -> Nat; c: Bool; h: A -> A;
         var x: A; m: Nat; i: Int; eqn h(x) = x; {equation}"
    );
    check(&text, expected);
}

#[test]
fn syntax() {
    check("frob", &[("T2001", "frob")]);
    check("sort A = ; map f: A;", &[("T2001", ";"), ("T2101", "A")]);
    check("map f: Nat # Nat;", &[("T2001", ";")]);
    check("map f: Nat", &[("T2001", "")]);
    check("var x: Nat; map f: Nat;", &[("T2001", "map")]);
    check("map in: Nat;", &[("T2001", "in")]);
    check_equation("f(x = x;", &[("T2001", "=")]);
    check_equation("c -> c -> f(x) = x;", &[("T2001", "->")]);
    check_equation("g(m) = 99999999999999999999;", &[]);
    let long = "9".repeat(10_001);
    check_equation(&format!("g(m) = {long};"), &[("T2002", &long)]);
    let deep = format!("map d: Nat; eqn d = {}1{};", "(1 + ".repeat(3_000), ")".repeat(3_000));
    let (_, loaded) = load_text(&deep, None);
    assert_eq!(loaded.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["T2003"]);
    check_term("map d: Nat;", Some("d d"), &[("T2001", "d")]);
}

#[test]
fn declarations() {
    check("map f: B -> Nat;", &[("T2101", "B")]);
    check("map f: Nat; f: Nat; eqn f = 1;", &[("T2405", "f")]);
    check("sort A = struct f | b; map f: A;", &[("T2104", "f")]);
    check("sort A; A = Nat;", &[("T2104", "A")]);
    check("sort Nat;", &[("T2104", "Nat")]);
    check("sort A = List(B); B = Set(A);", &[("T2106", "A")]);
    check("cons zero: Nat; eqn zero = 3;", &[("T2105", "zero")]);
    check("sort A = struct f | b; A = struct f | b;", &[("T2405", "A")]);
    check("sort A = struct f | b; A = struct f | c;", &[("T2104", "A")]);
    let double: String = (1..40).map(|i| format!("A{i} = A{} -> A{};", i - 1, i - 1)).collect();
    let (_, loaded) = load_text(&format!("sort A0; {double}"), None);
    assert!(loaded.diagnostics.iter().all(|d| d.code == "T2003") && !loaded.diagnostics.is_empty());
}

#[test]
fn names_and_sorts() {
    check_equation("f(y) = y;", &[("T2102", "y")]);
    check_equation("f(x, x) = x;", &[("T2103", "f")]);
    check_equation("f(x) = g(x);", &[("T2103", "g")]);
    check_equation("f(x) = k(x);", &[("T2102", "k")]);
    check_equation("f(x) = m;", &[("T2203", "m")]);
    check_equation("m -> f(x) = x;", &[("T2201", "m")]);
    check_equation("g(m) = m - 1;", &[("T2203", "m - 1")]);
    check_equation("f(x) = x(a);", &[("T2202", "x")]);
    check_equation("f(x) = head([a, 1]);", &[("T2202", "[a, 1]")]);
    check_equation("f(x) = if(c, x, b(i));", &[("T2103", "b")]);
    check_equation("c = exists k: Nat. k;", &[("T2202", "k")]);
}

#[test]
fn left_hand_sides() {
    check_equation("x = a;", &[("T2301", "x")]);
    check_equation("f(a) = x;", &[("T2302", "x")]);
    check_equation("f(b(if(c, m, m))) = a;", &[("T2403", "if(c, m, m)")]);
    check_equation("g(m + 1) = m;", &[("T2403", "m + 1")]);
    check_equation("(x == x) = true;", &[("T2403", "(x == x)")]);
    check_equation("f((lambda k: Nat. x)(1)) = a;", &[("T2403", "(lambda k: Nat. x)")]);
    check_equation("(lambda k: Nat. k)(m) = m;", &[("T2403", "(lambda k: Nat. k)")]);
}

#[test]
fn what_is_left_out_is_said() {
    check("act a: Nat; proc P = a(1) . P; init P;", &[("T2401", "act")]);
    check_equation("c = exists k: Nat. g(k) == k;", &[("T2402", "exists k: Nat. g(k) == k")]);
}

#[test]
fn terms_of_a_batch_use_what_there_is() {
    let (mut sources, loaded) = load_text("map f: List(Nat) -> Nat; var l: List(Nat); eqn f(l) = #l;", None);
    let mut reader = loaded.reader.expect("a program");
    for (term, expected) in [("f([1, 2])", None), ("f([1] ++ [2])", Some("T2404")), ("f(1)", Some("T2103"))] {
        let id = sources.add("--input", term);
        let found = reader.read(&sources, id).map_err(|found| found[0].code);
        assert_eq!(found.err(), expected, "{term}");
    }
}
