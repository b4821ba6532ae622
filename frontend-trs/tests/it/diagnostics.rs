//! Every diagnostic: its code and the place it points at; and how some of them look.

use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_base::source::{SourceId, SourceMap};
use gchr_testkit::findings;

/// Declarations that most programs below start with.
pub(crate) const NAT: &str =
    "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat); List = struct Nil() | Cons(Nat, List);
var X, Y: Nat; L: List;
eqn Plus(Zero(), Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
";

pub(crate) fn load(text: &str) -> (SourceMap, SourceId, gchr_trs::Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("test.trs", text);
    let loaded = gchr_trs::load(&sources, id);
    assert_eq!(
        loaded.program.is_none(),
        loaded.diagnostics.iter().any(Diagnostic::is_error),
        "a program exists exactly without errors"
    );
    findings::are_complete(&loaded.diagnostics);
    (sources, id, loaded)
}

/// Code and source text of the primary place of each diagnostic.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let (sources, _, loaded) = load(text);
    findings::check(&sources, &loaded.diagnostics, expected);
}

/// As [`check`], behind [`NAT`] and without the warnings that fragments of programs cause.
#[track_caller]
fn check_nat(rest: &str, expected: &[(&str, &str)]) {
    check_fragment(&format!("{NAT}{rest}"), expected);
}

/// As [`check`], without the warnings that fragments of programs cause.
#[track_caller]
fn check_fragment(text: &str, expected: &[(&str, &str)]) {
    let (sources, _, loaded) = load(text);
    let noise = ["T0503", "T0504", "T0505", "T0506"];
    let found: Vec<_> = loaded
        .diagnostics
        .iter()
        .filter(|d| !noise.contains(&d.code))
        .map(|d| (d.code, sources.snippet(d.labels[0].span)))
        .collect();
    assert_eq!(found, expected, "\n{}", render_all(&loaded.diagnostics, &sources, false));
}

pub(crate) fn rendered(text: &str) -> String {
    let (sources, _, loaded) = load(text);
    render_all(&loaded.diagnostics, &sources, false)
}

#[test]
fn comments_of_other_languages_are_named() {
    for mark in ["#", "//", "--"] {
        for before in ["", "sort A = struct B();\n", "sort A = struct B(); map F: A -> A;\n  "] {
            let shown = rendered(&format!("{before}{mark} a comment\nsort C;"));
            assert!(shown.contains("comments start with `%`"), "{before}{mark}: {shown}");
        }
    }
    let shown = rendered("sort A = struct B(); map F: A # -> A;");
    assert!(!shown.contains("comments start"), "{shown}");
}

/// Slips that have one cause have one message, which says what to write.
#[test]
fn slips_of_other_languages() {
    let text = |rest: &str| {
        format!("sort Nat = struct Z | S(Nat); map F: Nat -> Nat; var X: Nat; eqn F(Z) = Z; {rest}")
    };
    for (rest, messages, way_out) in [
        ("F(Y) = Z;", 1, "declare `Y` in"),
        ("var Y: Nat; eq F(Y) = Z;", 1, "write `eqn`"),
        ("F(X) = if(X == Z, X);", 1, "if(C, X, Y)"),
        ("if(X == Z, X, Z) = Z;", 1, "declare `if`"),
        ("F(if(true, _, _)) = Z;", 1, "cannot be matched"),
        ("F(X) = \"a\";", 1, "replace the right-hand side by a term of sort `Nat`"),
        ("F(X) = 'ab';", 2, "write texts in double quotes"),
        ("X = Z -> F(X) = X;", 1, "compare with `==`"),
        ("map Größe: Nat -> Nat; eqn Größe(X) = X;", 1, "from `a` to `z`"),
        ("map div: Nat -> Nat; var map: Nat; eqn div(map) = map;", 2, "choose another name"),
        ("F(X) = _;", 1, "`_` has no value"),
        ("_ = Z;", 1, "is `_`"),
        ("F(_(X)) = Z;", 1, "`_` is a pattern"),
        ("input _;", 1, "not ground"),
    ] {
        let shown = rendered(&text(rest));
        assert_eq!(shown.matches("Error:").count(), messages, "{rest}:\n{shown}");
        assert!(shown.contains(way_out), "{rest}:\n{shown}");
    }
}

/// What stands in quotes, and names for it that a program has itself.
#[test]
fn texts_and_characters() {
    let code = |text: &str, expected: &[(&str, &str)]| {
        check(&format!("map F: Char -> Int; G: String -> Int; var X: Char; S: String; {text}"), expected);
    };
    code("eqn F('') = 1;", &[("T0012", "''")]);
    code("eqn F('ab') = 1;", &[("T0012", "'ab'")]);
    code("eqn F('\\x') = 1;", &[("T0012", "\\x")]);
    code("eqn G(\"é\\u{110000}\") = 1;", &[("T0012", "\\u{110000}")]);
    code("eqn G(\"a) = 1;\nF(X) = 2;", &[("T0012", "\"a) = 1;"), ("T0003", "F")]);
    code("eqn G('a') = 1; F(\"a\") = 2;", &[("T0201", "'a'"), ("T0201", "\"a\"")]);
    code("eqn \"a\" = \"b\"; 'a' = 'b';", &[("T0301", "\"a\""), ("T0301", "'a'")]);
    code("eqn code(X) = 1; char(1) = X;", &[("T0302", "code(X)"), ("T0302", "char(1)")]);
    code("eqn F(char(1)) = 1;", &[("T0303", "char(1)")]);
    code("eqn F(X) = code(X, X) + code^2(X);", &[("T0103", "code"), ("T0206", "code^2(X)")]);
    code("eqn F(X) = code(\"a\"); G(S) = code(char('b'));", &[("T0202", "\"a\""), ("T0202", "'b'")]);
    code("eqn F(X) = if(X < 'b', 1, 2);", &[("T0202", "X")]);
    check("sort A = Char(Int); B = String(Int);", &[("T0109", "Char(Int)"), ("T0109", "String(Int)")]);
    check("sort Char = struct A; map F: List(Char) -> Int; input F(\"a\");", &[("T0205", "\"a\"")]);
    check("sort Char = struct A; map F: String;", &[("T0101", "String")]);
    check("sort Int = struct A; map F: Char;", &[("T0101", "Char")]);
    check("sort Int = struct A; map F: A; input 'a';", &[("T0101", "A"), ("T0205", "'a'")]);
}

/// Examples are written as a program has them, and say what becomes of them.
#[test]
fn examples_with_texts() {
    let shown = rendered(
        "map Kind: String -> Int; Rest: String -> String; First: Char # List(Char) -> Bool; var C: Char; S: String;
         eqn Kind(\"if\") = 1; Rest(C |> C |> S) = S; Rest(\"\") = \"a\"; Rest(\"\\n\") = \"b\";
         First('a', S) = true; First(C, \"a\") = false;",
    );
    for wanted in [
        "no rule of `Kind` matches `Kind(\"\")`",
        "`Kind(\"\")` is no number: a run that comes to it ends with an error",
        "no rule of `Rest` matches `Rest(\"\\u{0}\")`",
        "no rule of `First` matches `First('\\u{0}', \"\")`",
        "decides what `First('a', \"a\")` becomes",
        "`First('\\u{0}', \"\")` is a normal form",
    ] {
        assert!(shown.contains(wanted), "{wanted}:\n{shown}");
    }
}

/// Programs that have these names themselves mean what they did.
#[test]
fn names_of_texts_are_free() {
    check(
        "sort Char = struct code(Int) | char; String = struct Nil | Cons(Char, String); map F: String -> Char;
         var S: String; X: Char; eqn F(Nil) = char; F(Cons(X, S)) = X; input F(Cons(code(1), Nil));",
        &[],
    );
    check(
        "sort String = struct Nil; map F: String -> List(Char); code: Int -> Int; var char: Int; S: String;
         eqn code(char) = char; F(S) = \"a\"; input [code(#F(Nil))];",
        &[],
    );
}

#[test]
fn characters_and_numbers() {
    check("sort A @= struct B();", &[("T0001", "@")]);
    check_nat("eqn Plus(X, Y) = 9223372036854775808;", &[("T0002", "9223372036854775808")]);
    check_nat("input -9223372036854775808 < 0;", &[]);
    check_nat("input 1e999;", &[("T0002", "1e999")]);
    check_nat("input S^4294967296(Zero);", &[("T0008", "4294967296")]);
}

#[test]
fn too_many_syntax_errors() {
    let (_, _, loaded) = load(&"; ".repeat(1_000));
    assert_eq!(loaded.diagnostics.len(), 101);
    assert_eq!(loaded.diagnostics[100].code, "T0011");
}

#[test]
fn empty_texts() {
    check("", &[("T0005", "")]);
    check("  % nothing\n", &[("T0005", "")]);
}

#[test]
fn clauses_recover_at_their_end() {
    check(
        "sort A = struct B( | C();\nmap F A -> A; G: A -> A;\nvar X A; Y: A;\neqn G(Y = Y; G(Y) = = Y; G(Y) = Y;\ninput G(B;",
        &[("T0003", "|"), ("T0003", "A"), ("T0003", "A"), ("T0004", "("), ("T0003", "="), ("T0004", "(")],
    );
    check("sort A = struct B() var X: A eqn", &[("T0003", "var"), ("T0003", "eqn")]);
    check("A = B; sort C = struct D();", &[("T0003", "A")]);
    check_nat("input Zero Zero;", &[("T0003", "Zero")]);
    check_nat(
        "eqn Plus(X,) = X; Plus(X Y) = X; Plus(X, Y;",
        &[("T0003", ")"), ("T0003", "Y"), ("T0004", "(")],
    );
    check_nat("eqn X < Y < X -> Plus(X, Y) = X;", &[("T0006", "<")]);
    check("sort A = B C;", &[("T0003", "C")]);
    // Behind a colon `sort` begins no section.
    check("var A B: sort; X: Nat; sort Nat = struct Z;", &[("T0003", "B")]);
    check("var A B: sort; X: Nat;", &[("T0003", "B"), ("T0101", "Nat")]);
    let (.., loaded) = load("map F: sort -> Int;");
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(messages, ["`sort` is a reserved word"]);
    check("sort A; map F: A # A;", &[("T0003", ";")]);
}

#[test]
fn names() {
    check("sort A = struct B(C);", &[("T0101", "C")]);
    check_nat("eqn Plus(X, Y) = Pluss(X, Y); Plus(X, Y) = Pluss(Y, X);", &[("T0102", "Pluss")]);
    check_nat("eqn Plus(X, Y) = Z;", &[("T0102", "Z")]);
    check_nat("eqn Plus(V, Y) = V; var V: Nat;", &[("T0102", "V")]);
    check_nat("eqn Plus(X) = X;", &[("T0103", "Plus")]);
    check_nat("eqn Plus = Zero;", &[("T0103", "Plus")]);
    check_nat("eqn Plus(X, Y) = X(Y);", &[("T0103", "X")]);
    check("sort A; A = struct B();", &[("T0104", "A")]);
    check("sort A = struct B() | B(A);", &[("T0105", "B")]);
    check("sort A = struct true() | B();", &[("T0105", "true")]);
    check_nat("var Z, Z: Nat; eqn Plus(Z, Z) = Z;", &[("T0106", "Z")]);
    check_nat("input Zero; input S(Zero);", &[("T0107", "input")]);
}

#[test]
fn other_names_of_sorts() {
    check("sort A = B; C = A; B = struct b; map F: C # B -> A; eqn F(b, b) = b; input F(b, b);", &[]);
    check("sort A = B; map F: A -> A;", &[("T0101", "B")]);
    check(
        "sort A = B; B = C; C = A; D = A; map F: A -> B;",
        &[("T0108", "A = B"), ("T0108", "B = C"), ("T0108", "C = A"), ("T0108", "D = A")],
    );
    check("sort A = A;", &[("T0108", "A = A")]);
    check("sort A = struct b; C = A; C = A; A = C;", &[("T0104", "C"), ("T0104", "A")]);
    check("sort Number = Int; map F: Number -> Int; var X: Number; eqn F(X) = X + 1; input F(2);", &[]);
    // Another name hides a built-in sort as a sort of its own does.
    check("sort Int = A; A = struct b; input 1;", &[("T0205", "1")]);
    check(
        "sort Bool = B; B = struct true | false; map F: B -> B; var X: B; eqn X -> F(X) = 1 < 2; F(X) = X; input F(true);",
        &[("T0504", "false")],
    );
}

#[test]
fn projections_and_recognisers() {
    let list =
        "sort N = struct z?is_z | s(p: N)?is_s; L = struct e | a(head: N, tail: L) | b(key: Int, tail: L);";
    check(&format!("{list} input head(tail(b(1, e)));"), &[("T0504", "z"), ("T0504", "s"), ("T0504", "a")]);
    check(
        &format!("{list} eqn head(e) = z; tail(e) = e; input s(head(e));"),
        &[("T0504", "a"), ("T0504", "b")],
    );
    check(
        &format!("{list} eqn head(a(_, _)) = z; input is_s(s(z));"),
        &[("T0504", "e"), ("T0504", "b"), ("T0501", "head(a(_, _))")],
    );
    check("sort N = struct z | s(p: N) | t(p: Int);", &[("T0105", "p")]);
    check("sort N = struct z?p | s(p: N);", &[("T0105", "p")]);
    check("sort N = struct z | s(z: N);", &[("T0105", "z")]);
    check("sort N = struct z | s(p: M); input p(z);", &[("T0101", "M")]);
    check("sort N = struct z | s(p: N)?is_s; eqn s(s(z)) = z;", &[("T0009", "p"), ("T0009", "is_s")]);
    check("sort N = struct z?is_z; Bool = struct yes;", &[("T0207", "is_z")]);
    check("sort N = struct z?is_z; Bool = struct True | False; input is_z(z) == True && False;", &[]);
}

#[test]
fn lists() {
    let f = "sort Nat = struct Zero | S(Nat); A = struct Nil; map F: List(Nat) -> Nat; G: List(List(Nat)) -> List(Nat);
        var X: Nat; N: List(Nat); eqn G([]) = [];";
    let check = |rules: &str, expected: &[(&str, &str)]| check_fragment(&format!("{f} {rules}"), expected);
    check("eqn F(X |> N) = head(tail(N)); F([]) = Zero; G([[X], N]) = X |> N ++ [] <| X;", &[]);
    check("eqn G([[], _ |> N]) = [head(N), rhead(N), N . #N] ++ rtail(N);", &[]);
    check(
        "eqn X in N && [] == [] ++ N && [[]] != [N] && [] == N -> F(N) = if(N == [], X, F([]));",
        &[("T0304", "X"), ("T0304", "X")],
    );
    check("eqn F(N) = F([X]);", &[("T0304", "X")]);
    check("eqn F([Zero, Nil]) = Zero;", &[("T0202", "Nil")]);
    check("eqn F([1]) = Zero;", &[("T0201", "[1]")]);
    check("eqn G([Zero]) = [];", &[("T0201", "[Zero]")]);
    check("eqn F(N) = #N;", &[("T0203", "#N")]);
    check("eqn F(N) = #Zero;", &[("T0202", "Zero")]);
    check("eqn F(N) = head(Zero, Zero);", &[("T0103", "head")]);
    check("eqn F(N) = Nil ++ N;", &[("T0202", "Nil")]);
    check("eqn 1 in N -> F(N) = Zero;", &[("T0202", "1")]);
    check("eqn X in [] -> F(X |> N) = Zero;", &[]);
    check("eqn [] == [] -> F(X |> N) = Zero;", &[("T0208", "[]")]);
    check("eqn #[] > 0 -> F(X |> N) = Zero;", &[("T0208", "[]")]);
    check("eqn F(X |> N ++ N) = X;", &[("T0303", "N ++ N")]);
    check("eqn F(tail(N)) = X;", &[("T0303", "tail(N)"), ("T0304", "X")]);
    check("eqn [X] = N;", &[("T0301", "[X]")]);
    check("eqn X |> N = N;", &[("T0301", "X |> N")]);
    check("eqn head(N) = X;", &[("T0302", "head(N)")]);
    check("eqn F(N) = [X;", &[("T0004", "[")]);
    check("eqn F(N) = [X);", &[("T0003", ")")]);
    check("eqn F(N) = (X];", &[("T0003", "]")]);
    check("eqn F(N) = [X,];", &[("T0003", "]")]);
    check(
        "map K: List -> Nat; M: List(Nat, Nat) -> Nat; O: Nat(Nat) -> Nat;",
        &[("T0109", "List"), ("T0109", "List(Nat, Nat)"), ("T0109", "Nat(Nat)")],
    );
    // The program's own names.
    check("map head: Nat -> Nat; in: Nat; eqn head(X) = in; F(N) = head(in);", &[]);
    let own = "sort L = List(A); A = struct a; map f: L -> A; var l: List(A); eqn f([]) = a; f(_ |> l) = a; input f([a]);";
    let (_, _, loaded) = load(own);
    assert!(loaded.diagnostics.is_empty(), "{}", rendered(own));
    let (_, _, loaded) = load("map f: List -> Int; eqn f([]) = 1;");
    assert_eq!(loaded.diagnostics[0].code, "T0109");
    let deep = format!("map f: {}Int{} -> Int;", "List(".repeat(101), ")".repeat(101));
    assert_eq!(load(&deep).2.diagnostics[0].code, "T0007");
}

/// Terms for a finished program use the lists that it has.
#[test]
fn lists_in_terms_for_a_program() {
    let text =
        "map f: List(List(Int)) -> Int; var l: List(List(Int)); eqn f(l) = #head(l) + if(f(l) == 0, 1, #l);";
    let (mut sources, _, loaded) = load(text);
    let reader = loaded.reader.expect("no errors");
    for (term, code) in [
        ("f([[1, 2], [], 3 |> []])", None),
        ("#head([[1]]) + if(true, 1, 2)", None),
        ("[] == [1]", None),
        ("[1.5]", Some("T0306")),
        ("tail([1])", Some("T0306")),
        ("if(true, [1], [])", Some("T0306")),
        ("[]", Some("T0208")),
        ("[1, true]", Some("T0202")),
    ] {
        let id = sources.add("term", term);
        let found = reader.read(&sources, id);
        assert_eq!(found.as_ref().err().map(|found| found[0].code), code, "{term}: {found:?}");
    }
}

#[test]
fn conditions_that_match() {
    let f = "sort P = struct pair(Nat, Nat); map F: Nat -> Nat; G: Nat -> P; eqn G(X) = pair(X, X);";
    let check = |rules: &str, expected: &[(&str, &str)]| check_nat(&format!("{f} {rules}"), expected);
    check("eqn pair(X, Y) := G(Zero) && S(Y) := Y && _ := X -> F(S(X)) = Y; F(X) = X [owise];", &[]);
    check("eqn pair(X, Y) := G(Y) -> F(X) = Y;", &[("T0304", "Y")]);
    check("eqn X == Y && pair(X, Y) := G(X) -> F(X) = Y;", &[("T0304", "Y")]);
    check("eqn pair(X, _) := X -> F(X) = X;", &[("T0308", "pair(X, _)")]);
    check("eqn G(X) := G(X) -> F(X) = X;", &[]);
    check("eqn S(X) + 1 := X -> F(X) = X;", &[("T0202", "S(X)")]);
    check("var I: Int; eqn I + 1 := 2 -> F(X) = X;", &[("T0303", "I + 1")]);
    check("eqn X := X == X -> F(X) = X;", &[("T0006", "==")]);
    check("eqn !(X := X) -> F(X) = X;", &[("T0307", "X := X")]);
    check("eqn X := X || X == X -> F(X) = X;", &[("T0307", "X := X")]);
    check("eqn F(X) = X := X;", &[("T0307", "X := X")]);
    check("eqn X := Zero = X;", &[("T0301", "X := Zero")]);
    check("input Zero := Zero;", &[("T0307", "Zero := Zero")]);
    check("eqn F(Zero := X) = X;", &[("T0307", "Zero := X")]);
    check("eqn S^19999(Y) := X -> F(X) = Y;", &[]);
}

#[test]
fn values_of_variables() {
    let f = "map F: Nat -> Nat;";
    let check = |rules: &str, expected: &[(&str, &str)]| check_nat(&format!("{f} {rules}"), expected);
    check("eqn F(X) = Plus(new, Y) whr new = F(X), Y = Plus(X, X) end;", &[]);
    // Values do not see each other; a variable of the section does not matter.
    check("eqn F(X) = V whr U = X, V = S(U) end;", &[("T0102", "U")]);
    check("eqn F(X) = L whr L = X end;", &[]);
    check("eqn F(X) = X whr X = Zero end;", &[("T0309", "X")]);
    check("eqn F(X) = Y whr Y = Zero, Y = X end;", &[("T0309", "Y")]);
    check("eqn F(X) = Y whr Y = Nil end;", &[("T0203", "Y")]);
    check("eqn F(X) = Y whr Y = Zeroo end;", &[("T0102", "Zeroo")]);
    check("eqn F(X) = Y whr Y = Zero;", &[("T0003", ";")]);
    check("eqn F(X) = Y whr end;", &[("T0003", ";")]);
    check("eqn F(X) = X [other];", &[("T0003", "other")]);
    // The words are names where names stand.
    check("map whr, end, owise: Nat; eqn F(whr) = end whr end = owise end [owise];", &[]);
}

/// `[owise]` equations come last, wherever they stand.
#[test]
fn equations_for_what_is_left() {
    let f = "map F: Nat # Nat -> Nat;";
    let check = |rules: &str, expected: &[(&str, &str)]| check_nat(&format!("{f} {rules}"), expected);
    check("eqn F(X, Y) = X [owise]; F(Zero, Y) = Y; F(X, Zero) = S(X);", &[("T0502", "F(X, Zero)")]);
    check("eqn F(Zero, Y) = Y; F(X, Zero) = S(X) [owise];", &[]);
    check("eqn F(X, Y) = X [owise]; F(X, Y) = Y;", &[("T0501", "F(X, Y)")]);
    let (_, _, loaded) = load(&format!("{NAT} {f} eqn F(X, Y) = X [owise]; F(Zero, Y) = Y;"));
    let rules = loaded.program.expect("no errors").to_string();
    assert!(
        rules.find("removed F(Zero").expect("a rule") < rules.find("removed F(X.").expect("a rule"),
        "{rules}"
    );
}

/// A recogniser says `false` of other constructors, and nothing of terms that are built by none.
#[test]
fn recognisers_know_constructors() {
    let (_, _, loaded) = load("sort N = struct z?is_z | s(N) | f(N); cons c: N; eqn f(z) = z;");
    let rules = loaded.program.expect("no errors").to_string();
    for rule in ["is_z(z)", "is_z(s(_.0))", "is_z(c)"] {
        assert!(rules.contains(&format!("removed {rule}\n")), "{rules}");
    }
    assert!(!rules.contains("is_z(f"), "{rules}");
    // Many constructors: rules in proportion to them.
    let many = |n: usize| {
        let symbols: Vec<String> = (0..n).map(|i| format!("c{i}(N)?r{i}")).collect();
        let text =
            format!("sort N = struct z | {} | f(N); eqn f(z) = z; input r0(f(z));", symbols.join(" | "));
        load(&text).2.program.expect("no errors").rules.len()
    };
    assert_eq!((many(40) - many(30)) / 10, 3);
}

#[test]
fn sorts() {
    check_nat("eqn Plus(X, L) = X;", &[("T0201", "L")]);
    check_nat("input Cons(Nil, Zero);", &[("T0201", "Nil"), ("T0201", "Zero")]);
    check_nat("eqn Plus(X, Y) = X + Y;", &[("T0202", "X")]);
    check_nat("input 1 + 1.0;", &[("T0202", "1.0")]);
    check_nat("input 1 / 2;", &[("T0202", "1")]);
    check_nat("input 1 & true;", &[("T0202", "true")]);
    check_nat("input !1;", &[("T0202", "1")]);
    check_nat("input Zero == Nil;", &[("T0202", "Nil")]);
    check_nat("eqn Plus(X, Y) = Nil;", &[("T0203", "Nil")]);
    check_nat("eqn X -> Plus(X, Y) = X;", &[("T0204", "X")]);
    check("sort Int = struct One(); input 1;", &[("T0205", "1")]);
    check("sort A = struct B(C); C = struct D(); input B^2(D);", &[("T0206", "B^2(D)")]);
    check("sort Bool = struct Yes() | No(); input 1 < 2;", &[("T0207", "1 < 2")]);
    check(
        "sort Bool = struct Yes() | No(); map F: Bool -> Bool; var B: Bool; eqn B -> F(B) = B;",
        &[("T0207", "B")],
    );
}

#[test]
fn rules() {
    check_nat("eqn X = Zero;", &[("T0301", "X")]);
    check_nat("eqn 1 + 2 = 3;", &[("T0301", "1 + 2")]);
    check_nat("eqn true = false;", &[("T0302", "true")]);
    check("map F: Int -> Int; var X: Int; eqn F(X + 1) = X;", &[("T0303", "X + 1")]);
    check_nat("var Z: Nat; eqn Plus(X, X) = Z; Z == X -> Plus(X, X) = X;", &[("T0304", "Z"), ("T0304", "Z")]);
    check_nat("input S(X);", &[("T0305", "X")]);
    check_nat("input S(W); var W: Nat;", &[("T0305", "W")]);
    check_nat("eqn Plus(S^20001(X), Y) = X;", &[("T0008", "S^20001(X)")]);
    let deep = format!("{}X{}", "S(".repeat(20_000), ")".repeat(20_000));
    check_nat(&format!("eqn Plus(X, Y) = {deep};"), &[("T0007", deep.as_str())]);
}

/// A broken declaration is one error, not one at each use of what it declares.
#[test]
fn damage_does_not_spread() {
    check(
        "sort A = struct B( | C();\nmap F: A -> A;\nvar X: A;\neqn F(B) = C; F(X) = F(X);",
        &[("T0003", "|")],
    );
    check("sort A = struct B(D); map F: A -> A; eqn F(B(F(B))) = F(B);", &[("T0101", "D")]);
}

#[test]
fn errors_of_one_term_are_limited() {
    let list = format!("{}Nil{}", "Cons(Nil, ".repeat(1000), ")".repeat(1000));
    let text = format!("{NAT}input {list};");
    assert_eq!(load(&text).2.diagnostics.len(), 20);
}

#[test]
fn unreachable_rules() {
    check_nat("eqn Plus(Zero(), Zero()) = Zero();", &[("T0501", "Plus(Zero(), Zero())")]);
    // All earlier rules together.
    check_nat("eqn Plus(X, Y) = X;", &[("T0501", "Plus(X, Y)")]);
    // A stuck term of sort Nat reaches the last rule.
    check_nat("map Pred: Nat -> Nat; eqn Pred(S(X)) = X; Plus(X, Y) = X;", &[]);
    // Innermost rewriting leaves no application of a total function to match; one of a partial function may stay.
    check_nat("eqn Plus(Plus(X, Y), Zero) = X;", &[("T0501", "Plus(Plus(X, Y), Zero)")]);
    check_nat("map Pred: Nat -> Nat; eqn Pred(S(X)) = X; Pred(Pred(X)) = X;", &[]);
    // A condition or a repeated variable lets terms through.
    check_nat("map F: Nat # Nat -> Nat; eqn F(X, X) = X; X == Y -> F(X, Y) = X; F(X, Y) = Y;", &[]);
    check_nat(
        "map F: Nat # Nat -> Nat; eqn F(X, Y) = X; X == Y -> F(X, Y) = Y; F(X, X) = X;",
        &[("T0501", "F(X, Y)"), ("T0501", "F(X, X)")],
    );
    // Numbers are never exhausted.
    check_nat(
        "map F: Int -> Nat; var N: Int; eqn F(0) = Zero; F(1) = Zero; F(N) = S(Zero); F(2) = Zero;",
        &[("T0501", "F(2)")],
    );
}

#[test]
fn overlaps() {
    let f = "map F: Nat # Nat -> Nat; G: Nat -> Nat; eqn G(X) = X;\n";
    let check = |rules: &str, expected: &[(&str, &str)]| check_nat(&format!("{f}eqn {rules}"), expected);
    check("F(Zero, Y) = Zero; F(X, Zero) = S(X);", &[("T0502", "F(X, Zero)")]);
    // The same result on the overlap.
    check("F(Zero, Y) = Y; F(X, Zero) = X;", &[]);
    // A special case first.
    check("F(Zero, Zero) = S(Zero); F(Zero, Y) = Zero; F(X, Zero) = S(X);", &[]);
    check("F(Zero, Y) = Zero; F(X, Y) = S(X);", &[]);
    // Conditions may exclude each other.
    check("X == Y -> F(X, Y) = X; X != Y -> F(X, Y) = Y;", &[]);
    // One warning a rule.
    check("F(Zero, Y) = Zero; F(S(Zero), Y) = S(Y); F(X, Zero) = S(X);", &[("T0502", "F(X, Zero)")]);
}

/// A `;` is missing where a clause ends: at the end of its line, whatever begins in the next one.
#[test]
fn a_missing_end_is_shown_at_the_end_of_the_line() {
    let declared = "sort A = struct B() | C(A);\nmap F: A -> A;\nvar X: A;\neqn F(X) = X;\n";
    let place = |text: &str| {
        let (sources, _, loaded) = load(text);
        let found = &loaded.diagnostics[0];
        let (line, column) = sources.line_column(found.labels[0].span);
        (found.message.clone(), found.labels[0].text.clone(), line, column)
    };
    let lines: Vec<&str> = declared.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let cut = line.trim_end_matches(';');
        for (end, next) in [("", "\n"), ("   % behind", "\n\n  ")] {
            let mut text: String = lines[..at].iter().map(|line| format!("{line}\n")).collect();
            text += &format!("{cut}{end}{next}");
            text.extend(lines[at + 1..].iter().map(|line| format!("{line}\n")));
            let (message, label, found, column) = place(&text);
            assert!(message.contains("expected") && message.contains("`;`"), "{text}\n{message}");
            assert_eq!((label.as_str(), found), ("`;` is missing here", at + 1), "{text}");
            assert_eq!(column, cut.len() + 1, "{text}");
        }
    }
    // Within a line it is the token that is not understood.
    assert_eq!(place("sort A = struct B() var X: A;").1, "not understood here");
}

#[test]
fn missing_cases() {
    let missing = |rules: &str| {
        let (_, _, loaded) = load(&format!("{NAT}{rules}"));
        let cases = loaded.diagnostics.into_iter().filter(|d| d.code == "T0503");
        cases.map(|d| d.message).collect::<Vec<_>>()
    };
    assert!(missing("").is_empty());
    assert_eq!(
        missing("map F: Nat # List -> Nat; eqn F(Zero, L) = Zero; F(X, Cons(Y, L)) = Y;"),
        ["no rule of `F` matches `F(S(Zero), Nil)`"]
    );
    assert_eq!(
        missing("map F: Int -> Nat; eqn F(0) = Zero; F(1) = Zero;"),
        ["no rule of `F` matches `F(2)`"]
    );
    assert_eq!(missing("map F: Float -> Nat; eqn F(0.0) = Zero;"), ["no rule of `F` matches `F(1.0)`"]);
    assert_eq!(missing("map F: Bool -> Nat; eqn F(true) = Zero;"), ["no rule of `F` matches `F(false)`"]);
    // Conditions and repeated variables are taken to hold.
    assert!(missing("map F: Nat # Nat -> Nat; eqn X == Y -> F(X, Y) = X; F(X, X) = X;").is_empty());
    // A sort without values has no cases to miss.
    assert!(
        missing("sort E; map F: E -> E; G: Nat # E -> E; var A: E; eqn F(F(A)) = A; G(Zero, A) = A;")
            .is_empty()
    );
}

#[test]
fn unused_names() {
    check(
        "sort A = struct B() | C(); D = struct E(); map F, G: A -> A; var X, Y: A; eqn F(X) = X; G(X) = G(X); input F(B);",
        &[("T0504", "C"), ("T0505", "D"), ("T0504", "G"), ("T0506", "Y"), ("T0508", "G(X)")],
    );
    // Without an input every function is an entry.
    check("sort A = struct B() | C(); map F: A -> A; var X: A; eqn F(X) = X;", &[]);
}

#[test]
fn hidden_constants_and_endless_rules() {
    check("sort A = struct X() | F(A); var X: A; eqn F(X) = X; input F(X);", &[("T0507", "X")]);
    check_nat("map F: Nat -> Nat; eqn F(X) = S(F(X));", &[("T0508", "F(X)")]);
    check_nat("map F: Nat -> Nat; eqn F(Zero) = Zero; F(X) = F(Plus(X, X));", &[]);
    check_nat("map F: Nat -> Bool; eqn F(X) = X == Zero || F(X);", &[]);
}

#[test]
fn rendered_errors() {
    insta::assert_snapshot!(rendered(
        "% Lists\nsort Nat = struct Zero() | S(Nat);\n     List = struct Nil() | Cons(Nat, List);\nmap Len: List -> Nat;\nvar X: Nat; L: List;\neqn\n  Len(Nil) = Zero;\n  Len(Cons(X, L)) = S(Len(X));\n  Len(Cons(X, L) = Lenn(L);\n  X + 1 -> Len(L) = Y;\ninput Len(Cons(Zero, Zero)"
    ));
}

#[test]
fn rendered_warnings() {
    insta::assert_snapshot!(rendered(
        "sort Nat = struct Zero() | S(Nat);\nmap Sub, Max: Nat # Nat -> Nat;\nvar X, Y: Nat;\neqn\n  Sub(X, Zero) = X;\n  Sub(S(X), S(Y)) = Sub(X, Y);\n  Sub(S(X), Zero) = S(X);\n  Max(Zero, Y) = Y;\n  Max(X, Zero) = S(X);\n  Max(S(X), S(Y)) = S(Max(X, Y));\ninput Sub(Max(Zero, Zero), Zero);"
    ));
}

/// A program over numbers with this input.
fn numbers(input: &str) -> String {
    format!("sort N = struct Z | I(Int, Float, N);\ninput I({input}, Z);")
}

#[test]
fn functions_take_operands_of_their_sorts() {
    let check = |input: &str, expected: &[(&str, &str)]| check(&numbers(input), expected);
    check("min(1, 2), max(1.0, -0.0)", &[]);
    check("truncate(1.5) + round(2) + integer(2.5), float(1) + float(2.5)", &[]);
    check("floor(abs(-1.5)) + ceiling(sign(0.5)) + gcd(4, msb(8)), abs(-2.0)", &[]);
    check("min(1), max()", &[("T0103", "min"), ("T0103", "max")]);
    check("min, 1.0", &[("T0103", "min")]);
    check("min(1, 2.0), 1.0", &[("T0202", "2.0")]);
    check("gcd(1, 2.0), 1.0", &[("T0202", "2.0")]);
    check("msb(2.0), 1.0", &[("T0202", "2.0")]);
    check("abs(true), sign(Z)", &[("T0202", "true"), ("T0202", "Z")]);
    check("float(1), truncate(1.0)", &[("T0201", "float(1)"), ("T0201", "truncate(1.0)")]);
    check("abs^3(1), 1.0", &[("T0206", "abs^3(1)")]);
    check("mim(1, 2), 1.0", &[("T0102", "mim")]);
}

#[test]
fn functions_are_suggested() {
    let shown = rendered(&numbers("trunkate(1.5), flaot(1)"));
    assert!(shown.contains("did you mean `truncate`?") && shown.contains("did you mean `float`?"), "{shown}");
}

#[test]
fn functions_are_built_in_until_a_program_declares_them() {
    check("var X, Y: Int; eqn min(X, Y) = X;", &[("T0302", "min(X, Y)")]);
    check("map F: Int -> Int; var X: Int; eqn F(abs(X)) = X; input F(1);", &[("T0303", "abs(X)")]);
    check("map min: Int -> Int; var X: Int; eqn min(X) = X; input min(1);", &[]);
    check("map min: Int -> Int; var X: Int; eqn min(X) = X; input min(1, 2);", &[("T0103", "min")]);
    // A declaration that is wrong hides the function, too.
    check("map min: Itn -> Int; input min(1);", &[("T0101", "Itn")]);
}

#[test]
fn a_sort_of_the_program_hides_numbers_from_functions() {
    check("sort Float = struct F; input float(1);", &[("T0205", "float")]);
    check("sort Int = struct I; input min(I, I);", &[("T0202", "I")]);
    check("sort Int = struct I; input min(1.0, 2.0);", &[("T0505", "Int")]);
}

/// The distance of names takes quadratic time and space: it is not asked for between long ones.
#[test]
fn long_names_are_told_apart_in_no_time() {
    let (long, other) = ("a".repeat(40_000), "b".repeat(40_000));
    let text = format!("sort A = struct {long}; input {other};");
    let (_, _, loaded) = load(&text);
    assert_eq!(loaded.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), ["T0102"]);
}
