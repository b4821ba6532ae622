//! Every diagnostic: its code and the place it points at.

use gchr_testkit::findings;

use super::load_text;

/// Code and source text of the primary place of each diagnostic.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let (sources, loaded) = load_text(text, None);
    findings::check(&sources, &loaded.diagnostics, expected);
}

/// Statements of a module with some declarations.
#[track_caller]
fn check_module(statements: &str, expected: &[(&str, &str)]) {
    let text = format!(
        "fmod M is\n sorts A B .\n ops a b : -> A .\n op f : A -> A .\n op g : A A -> A [assoc comm] .\n var X : A .
 {statements}\nendfm\n"
    );
    check(&text, expected);
}

#[test]
fn syntax() {
    check("frob", &[("T3001", "frob")]);
    check("fmod M is\n sort A .\n", &[("T3001", "M")]);
    check("fmod M is\n sort A \nendfm\n", &[("T3001", "endfm")]);
    check("fmod M is\n frob A .\nendfm\n", &[("T3001", "frob")]);
    check("fmod M is\nendfm\nred .\n", &[("T3001", "")]);
    check("*** (never", &[("T3002", "***")]);
    check("fmod M is\nendfm\nred \"x .\n", &[("T3002", "\""), ("T3001", "")]);
    check_module("op h : A A .\n", &[("T3001", "")]);
    check_module("op h : A -> A [frob] .\n", &[("T3001", "frob")]);
    check_module("op h : A A -> A [prec 500] .\n", &[("T3001", "500")]);
    check_module("eq f(X) X .\n", &[("T3001", "eq f(X) X .")]);
    check_module("ceq f(X) = X .\n", &[("T3001", "ceq f(X) = X .")]);
    check("*** nothing\n", &[("T3108", "")]);
}

#[test]
fn names() {
    check_module("op h : C -> A .\n", &[("T3101", "h")]);
    check_module("eq f(Y) = a .\n", &[("T3102", "Y")]);
    check_module("protecting N .\n", &[("T3103", "N")]);
    check_module("protecting LIST{Frob} .\n", &[("T3103", "Frob")]);
    check_module("op f : A -> B .\n", &[("T3104", "f")]);
    check("load other\nfmod M is\nendfm\n", &[("T3105", "other")]);
    check_module("protecting LIST{Nat,Nat} .\n", &[("T3106", "LIST")]);
    check_module("op h : A -> A [assoc] .\n", &[("T3107", "op h : A -> A [assoc] .")]);
    check_module("op h : A B -> A [comm] .\n", &[("T3107", "h")]);
    check_module("op h : A A -> B [assoc] .\n", &[("T3107", "h")]);
    check_module("op h : A A -> B [comm id: a] .\n", &[("T3107", "h")]);
    check_module("op h : A A A -> A [id: a] .\n", &[("T3107", "h")]);
    check_module("op h : A A -> A [assoc id: h(a, b)] .\n", &[("T3107", "h(a, b)")]);
    check_module("op h : A B -> B [left id: a] .\n", &[]);
    check("fmod M is\n protecting M .\nendfm\n", &[("T3109", "M")]);
    check("red true .\nfmod M is\nendfm\n", &[("T3108", "true")]);
    check_module("op h : -> B .\n eq f(X) = h .\n", &[("T3201", "h")]);
}

#[test]
fn equations_that_are_left_out() {
    check_module("eq f(if X == a then a else b fi) = a .\n", &[("T3301", "if X == a then a else b fi")]);
    check_module("eq f(a) = X .\n", &[("T3302", "X")]);
    check_module("ceq f(a) = a if Y:A == a .\n", &[("T3302", "Y:A")]);
}

#[test]
fn what_is_not_supported_is_said() {
    check("omod M is\nendom\nfmod N is\nendfm\n", &[("T3401", "omod")]);
    check_module("op h : A A -> A [idem] .\n", &[("T3401", "idem")]);
    check_module("op h : A A -> A [strat (1 0)] .\n", &[("T3401", "strat")]);
    check_module(
        "op h : A A -> A [assoc left id: a] .\n",
        &[("T3401", "op h : A A -> A [assoc left id: a] .")],
    );
    check_module("protecting META-LEVEL .\n", &[("T3401", "META-LEVEL")]);
    check_module("eq X = a .\n", &[("T3401", "X")]);
    check_module("op h : A -> A [special (id-hook H (x) op-hook i (f : A ~> A))] .\n", &[]);
    check_module("op h : A -> A [special (id-hook H)] .\n eq f(a) = h(a) .\n", &[("T3401", "h(a)")]);
    check(
        "load model-checker\nmod M is\n including MODEL-CHECKER .\n op s : -> State .\nendm\nred modelCheck(s, [] True) .\n",
        &[("T3401", "modelCheck(s, [] True)")],
    );
    check("fmod M is\n protecting FLOAT .\nendfm\nred sqrt(2.0) .\n", &[("T3401", "sqrt(2.0)")]);
    check("fmod M is\n protecting NAT .\n eq 3 = 0 .\nendfm\n", &[("T3401", "3")]);
    check("fmod M is\n protecting NAT .\n var N : Nat .\n eq s s N = N .\nendfm\n", &[("T3401", "s s N")]);
    check("fmod M is\n protecting NAT .\n eq s_^3(0) = 0 .\nendfm\n", &[("T3401", "s_^3(0)")]);
    check("fmod M is\n protecting QID .\n eq 'a = 'b .\nendfm\n", &[("T3401", "'a")]);
    check("fmod M is\nendfm\nsearch true =>* false .\n", &[]);
    check("fmod M is\nendfm\nsearch true => false .\n", &[("T3001", "")]);
    check("fmod M is\nendfm\nsearch true =>* .\n", &[("T3001", "")]);
    check("fmod M is\nendfm\nsearch true =>* x .\n", &[("T3102", "x")]);
    let module = "mod M is\n sort A .\n ops a b : -> A .\n crl a => b if a => b .\nendm\n";
    check(&format!("{module}red a .\n"), &[]);
    check(&format!("{module}rew a .\nrew b .\n"), &[("T3401", "=>")]);
    check("fmod M is\nendfm\nfrew [3] true .\n", &[("T3402", "frew")]);
    check("fmod M is\nendfm\nrew [x] true .\n", &[("T3102", "[")]);
    check("fmod M is\nendfm\npwd\nls -l\ncd ..\nred true and false .\n", &[]);
    check("fmod M is\nendfm\nsred true .\n", &[("T3402", "sred")]);
}

/// The other terms have results, and what is wrong is a warning; alone it is an error.
#[test]
fn a_term_that_is_wrong_leaves_the_others() {
    let text =
        "load model-checker\nmod M is\n including MODEL-CHECKER .\n protecting NAT .\n op s : -> State .
 sort A .\n ops a b : -> A .\n crl a => b if a => b .\nendm\n";
    for (wrong, code) in [
        ("red frob .", "T3102"),
        ("red 1 + + 2 .", "T3102"),
        ("red modelCheck(s, [] True) .", "T3401"),
        ("rew a .", "T3401"),
        ("red in N : 1 .", "T3103"),
        ("red 1.5 + 2.5 .", "T3102"),
    ] {
        let (_, alone) = load_text(&format!("{text}{wrong}\n"), None);
        assert_eq!(
            alone.diagnostics.iter().map(|d| (d.code, d.is_error())).collect::<Vec<_>>(),
            [(code, true)]
        );
        for commands in
            [format!("{wrong}\nred 1 + 1 .\nred 3 .\n"), format!("red 1 + 1 .\n{wrong}\nred 3 .\n")]
        {
            let (_, loaded) = load_text(&format!("{text}{commands}"), None);
            let found: Vec<_> = loaded.diagnostics.iter().map(|d| (d.code, d.is_error())).collect();
            assert_eq!(found, [(code, false)], "{wrong}");
            let program = loaded.program.expect("the other terms");
            assert_eq!(gchr_terms::testing::normal_form(&program), "EVAL(2, 3)");
        }
    }
}

/// The first token that a term does not explain.
#[test]
fn terms_that_do_not_go_on() {
    let term = |term: &str, place: &str| {
        let text =
            "fmod M is\n protecting NAT .\n op f : Nat Nat -> Nat .\n op g :_ : Nat -> Nat .\nendfm\nred ";
        check(&format!("{text}{term} .\n"), &[("T3102", place)]);
    };
    term("f(1, (2 + x) * 3)", "x");
    term("f(1 2)", "2");
    term("1 + f(2, 3) ++ 4", "++");
    term("g : (h : 1)", "h");
    term("unknown", "unknown");
    term("f(1, 2", "");
}

#[test]
fn views_that_do_not_fit() {
    let text = |view: &str| {
        let theory =
            "fth T is\n sort E .\n op f : E -> E .\nendfth\nfmod L{X :: T} is\n op g : X$E -> X$E .\nendfm\n";
        let view = view.replace("from T to NAT is", "from T to NAT is\n sort E to Nat .\n");
        format!("{theory}{view}\nendv\nfmod M is\n protecting L{{V}} .\nendfm\n")
    };
    check(&text("view V from T to NAT is op h to s_ ."), &[("T3102", "h")]);
    check(&text("view V from T to NAT is op f to unknown ."), &[("T3102", "V")]);
    check(&text("view V from T to NAT is op f to _+_ ."), &[("T3102", "V")]);
    check(&text("view V from T to NAT is op f(X:E) to term Y:Nat ."), &[("T3001", "Y:Nat")]);
    check(&text("view V from T to NAT is op f(f(X:E)) to term X:Nat ."), &[("T3001", "f(f(X:E))")]);
    check(&text("view V from T to NAT is op f(X:E) to term nothing ."), &[("T3102", "nothing")]);
    check(&text("view V{Y :: TRIV} from T to NAT is op f to s_ ."), &[("T3106", "V")]);
}

#[test]
fn terms_of_a_batch_use_what_there_is() {
    let text = "fmod M is\n protecting QID .\n sort A .\n subsort Qid < A .\n op f : A -> A .\n eq f('x) = 'y .\nendfm\n";
    let (mut sources, loaded) = load_text(text, None);
    let mut reader = loaded.reader.expect("a program");
    for (term, expected) in [
        ("f('x)", None),
        ("f('z)", None),
        ("f(", Some("T3102")),
        ("", Some("T3001")),
        ("if f('x) == 'y then 'x else 'y fi", Some("T3404")),
    ] {
        let id = sources.add("--input", term);
        let found = reader.read(&sources, id).map_err(|found| found[0].code);
        assert_eq!(found.err(), expected, "{term}");
    }
}
