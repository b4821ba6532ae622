//! Functions as values: their sorts, functions without names, and symbols that stand for theirs.

use super::support::load;
use gchr_base::diagnostic::render_all;
use gchr_base::rule::Start;
use gchr_testkit::findings;
use proptest::prelude::*;

/// The only error of a text.
#[track_caller]
fn check_error(text: &str, code: &str, place: &str) {
    let (sources, mut loaded) = load(text);
    loaded.diagnostics.retain(gchr_base::diagnostic::Diagnostic::is_error);
    findings::check(&sources, &loaded.diagnostics, &[(code, place)]);
}

const LISTS: &str = "var A, B, C: sort;
map Map: (A -> B) # List(A) -> List(B); Fold: (A # B -> B) # B # List(A) -> B; After: (B -> C) # (A -> B) -> (A -> C);
  Curry: (A # B -> C) -> (A -> (B -> C));
var f: A -> B; g: B -> C; h: A # B -> B; k: A # B -> C; x: A; xs: List(A); y: B;
eqn Map(f, []) = []; Map(f, x |> xs) = f(x) |> Map(f, xs);
  Fold(h, y, []) = y; Fold(h, y, x |> xs) = h(x, Fold(h, y, xs));
  After(g, f) = lambda z: A. g(f(z)); Curry(k) = lambda z: A. lambda w: B. k(z, w);
";

/// The normal form of a term of the program with functions on lists, which need not use them all.
#[track_caller]
fn check(rest: &str, expected: &str) {
    let (sources, mut loaded) = load(&format!("{LISTS} {rest};"));
    loaded.diagnostics.retain(|found| !["T0503", "T0504"].contains(&found.code));
    assert_eq!(loaded.diagnostics, [], "{}", render_all(&loaded.diagnostics, &sources, false));
    assert_eq!(gchr_terms::testing::normal_form(&loaded.program.expect("a program")), expected, "{rest}");
}

#[test]
fn functions_are_applied_with_the_values_that_they_use() {
    check("input Map(After(lambda i: Int. i * i, lambda i: Int. i + 1), [1, 2])", "[4, 9]");
    check("input Map(Curry(lambda i, j: Int. i - j)(10), [1, 2])", "[9, 8]");
    check("input Fold(lambda i: Int, n: List(Int). i |> i |> n, [], [1, 2])", "[1, 1, 2, 2]");
    check(
        "input Map(lambda l: List(Int). Fold(lambda i, j: Int. i + j, #l, l), [[5], [], [7, 8]])",
        "[6, 0, 17]",
    );
    check("input (lambda i: Int. lambda j: Int. if(i > j, i, j))(3)(4)", "4");
    let scale = "map Scale: Int # List(Int) -> List(Int); var n: Int; l: List(Int);
      eqn Scale(n, l) = Map(lambda i: Int. if(i > n, m * i, head(Map(lambda j: Int. j - m, [i]))), l) whr m = n + 1 end;";
    check(&format!("{scale} input Scale(2, [1, 3])"), "[-2, 9]");
    let nearest = "lambda i: Int. Map(lambda i: Int. i + 1, [i, 2 * i])";
    check(&format!("input Map({nearest}, [3])"), "[[4, 7]]");
}

#[test]
fn symbols_stand_for_their_functions() {
    let nat = "sort Nat = struct Zero?none | S(pred: Nat); Pair(A, B) = struct P(fst: A, snd: B);
      map Plus: Nat # Nat -> Nat; var m, n: Nat; eqn Plus(Zero, n) = n; Plus(S(m), n) = S(Plus(m, n));";
    check(&format!("{nat} input Map(S, [Zero, S(Zero)])"), "[S(Zero), S(S(Zero))]");
    check(
        &format!("{nat} input Fold(Plus, Zero, Map(Curry(Plus)(S(Zero)), [Zero, S(Zero)]))"),
        "S(S(S(Zero)))",
    );
    check(&format!("{nat} input Map(none, Map(pred, [S(Zero), S(S(Zero))]))"), "[true, false]");
    check(&format!("{nat} map f: Nat -> Nat; eqn f(n) = S(n); input Map(f, [Zero])"), "[S(Zero)]");
    check(&format!("{nat} input Map(Curry(P)(1), [true])"), "[P(1, true)]");
    check(&format!("{nat} input Map(fst, [P(1, 2)]) ++ Map(snd, [P(true, 3)])"), "[1, 3]");
}

#[test]
fn functions_without_value_stay() {
    let same = "map Add: Int -> (Int -> Int); var i: Int; eqn Add(i) = lambda j: Int. i + j;";
    check(
        &format!("{same} input [Add(1) == Add(1), Add(1) == Add(2), Add(1) == (lambda j: Int. 1 + j)]"),
        "[true, false, false]",
    );
    check(&format!("{same} input Add(7)"), "Add.lambda(7)");
    let unknown = "sort F = Bool -> List(Int); map G: Bool -> F; eqn G(true) = lambda c: Bool. [];";
    check(&format!("{unknown} input [G(false)(true), G(true)(true)]"), "[G(false)(true), []]");
}

#[test]
fn what_is_wrong_with_functions_is_said() {
    let sorts = "sort Nat = struct Zero | S(Nat); map F: (Nat -> Nat) # Nat -> Nat; var f: Nat -> Nat; g: Nat; eqn F(f, g) =";
    let check = |rest: &str, code, place| check_error(&format!("{sorts} {rest};"), code, place);
    check("f(Zero, g)", "T0103", "f");
    check("f(true)", "T0201", "true");
    check("(f)()", "T0103", "f");
    check("S(g)(g)", "T0209", "S(g)");
    check("F(S(g), g)", "T0201", "S(g)");
    check("F(f, S)", "T0201", "S");
    check("F(lambda x: Nat. y, g)", "T0102", "y");
    check("F(lambda x: Not. x, g)", "T0101", "Not");
    check("(lambda x: Nat, x: Nat. x)(g, g)", "T0106", "x");
    check("F(lambda x: Nat, y: Nat. x, g)", "T0201", "lambda x: Nat, y: Nat. x");
    check("F(lambda x: Bool. g, g)", "T0201", "lambda x: Bool. g");
    check("F(lambda x. g, g)", "T0003", "x");
    check("F(lambda x: Nat g, g)", "T0003", "g");
    check("h(Zero, g) whr h = lambda x: Nat. f(x) end", "T0103", "h");
    check("g; F(S, g) = g", "T0103", "S");
    check("g; F(lambda x: Nat. x, g) = g", "T0311", "x: Nat");
    check("g; F(f, f(g)) = g", "T0311", "f");
    check("g; f(g) = g", "T0311", "f");
    check("g; (lambda x: Nat. x)(g) = g", "T0301", "(lambda x: Nat. x)(g)");
    check("g; var h: Nat # Nat", "T0003", ";");
    check("g; var h: (Nat", "T0003", ";");
    check("g; map H: Nat -> Nat -> Nat", "T0003", "->");
    // The term of a function becomes one of a rule, also in the input.
    let nest = format!("{}x{}", "S(".repeat(30_000), ")".repeat(30_000));
    let function = format!("lambda x: Nat. {nest}");
    check(&format!("g; input ({function})({})", nest.replace('x', "Zero")), "T0007", &function);
    let deep = format!("g; var h: {}Nat{}", "(".repeat(200), ")".repeat(200));
    check(&deep, "T0007", "(");
}

#[test]
fn further_terms_use_the_functions_of_the_program() {
    let text = format!("{LISTS} map Neg: Int -> Int; var i: Int; eqn Neg(i) = -i; input Map(Neg, [1]);");
    let (mut sources, loaded) = load(&text);
    let (Some(mut program), Some(reader)) = (loaded.program, loaded.reader) else { panic!("no program") };
    let mut read = |term: &str| {
        let id = sources.add("--input", term);
        reader.read(&sources, id)
    };
    program.start = Start::Term(Some(read("Map(Neg, [2, 3])").expect("a term")));
    assert_eq!(gchr_terms::testing::normal_form(&program), "[-2, -3]");
    let refused = [
        ("Map(lambda i: Int. i, [1])", "lambda i: Int. i"),
        ("(lambda i: Int. i)(1)", "lambda i: Int. i"),
        ("lambda j: Int, k: Nowhere. head([])(lambda i: Int. i)", "lambda i: Int. i"),
        ("Map(Map, [])", "Map"),
    ];
    for (term, place) in refused {
        let found = read(term).expect_err("a finding");
        let codes: Vec<&str> = found.iter().map(|found| found.code).collect();
        assert_eq!(codes, ["T0306"], "{term}");
        let span = found[0].labels[0].span;
        assert_eq!(&term[span.start as usize..span.end as usize], place, "{term}");
    }
}

/// A function on integers.
#[derive(Clone, Debug)]
enum Function {
    Neg,
    Add(i64),
    Twice(Box<Function>),
    After(Box<Function>, Box<Function>),
    Choose(i64, Box<Function>, Box<Function>),
}

impl Function {
    fn text(&self) -> String {
        match self {
            Function::Neg => "Neg".into(),
            Function::Add(n) => format!("Curry(lambda i, j: Int. i + j)({n})"),
            Function::Twice(f) => format!("(lambda f: Int -> Int. lambda i: Int. f(f(i)))({})", f.text()),
            Function::After(f, g) => format!("After({}, {})", f.text(), g.text()),
            Function::Choose(n, f, g) => {
                format!("(lambda i: Int. if(i < {n}, ({})(i), ({})(i)))", f.text(), g.text())
            }
        }
    }

    fn value(&self, i: i64) -> i64 {
        match self {
            Function::Neg => -i,
            Function::Add(n) => n + i,
            Function::Twice(f) => f.value(f.value(i)),
            Function::After(f, g) => f.value(g.value(i)),
            Function::Choose(n, f, _) if i < *n => f.value(i),
            Function::Choose(_, _, g) => g.value(i),
        }
    }
}

fn functions() -> impl Strategy<Value = Function> {
    let leaf = prop_oneof![Just(Function::Neg), (-9..9i64).prop_map(Function::Add)];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            inner.prop_map(|f| Function::Twice(f.into())),
            two.clone().prop_map(|(f, g)| Function::After(f.into(), g.into())),
            (-9..9i64, two).prop_map(|(n, (f, g))| Function::Choose(n, f.into(), g.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Random functions have the values that they have in Rust.
    #[test]
    fn functions_have_their_values(f in functions(), args in prop::collection::vec(-20..20i64, 0..4)) {
        let list = |numbers: &[i64]| {
            let shown: Vec<String> = numbers.iter().map(|n| n.to_string()).collect();
            format!("[{}]", shown.join(", "))
        };
        let values: Vec<i64> = args.iter().map(|&i| f.value(i)).collect();
        let neg = "map Neg: Int -> Int; var i: Int; eqn Neg(i) = -i;";
        check(&format!("{neg} input Map({}, {})", f.text(), list(&args)), &list(&values));
    }
}
