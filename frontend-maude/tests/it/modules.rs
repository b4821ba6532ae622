//! Modules that import each other under other names.

use super::value;

/// What a module says of operators and sorts that others declare is renamed with these: in equations, identities,
/// memberships, and through several renamings.
#[test]
fn renamings_go_through_modules_that_declare_nothing_of_what_they_rename() {
    let text = "fmod THINGS is sort T . ops a b : -> T . op f : T -> T . endfm\n\
         fmod VALUES is protecting THINGS . eq f(b) = a . eq f(f(X:T)) = X:T . endfm\n\
         fmod SUMS is protecting VALUES . op _+_ : T T -> T [id: a] . endfm\n\
         fmod SOME is protecting SUMS . sort S . subsort S < T . mb f(a) : S .\n\
         op in : S -> T . eq in(X:S) = a . endfm\n\
         fmod ONCE is protecting SOME * (op a to z) . op c : -> T . eq c = f(z) . endfm\n\
         fmod TWICE is protecting ONCE * (op z to y, sort T to U) . op d : -> U . eq d = c + y . endfm\n";
    let cases = [
        ("THINGS", "f(a)", "f(a)"),
        ("SOME", "in(f(a))", "a"),
        ("ONCE", "f(b)", "z"),
        ("ONCE", "b + z", "b"),
        ("ONCE", "in(c)", "z"),
        ("TWICE", "f(f(y))", "y"),
        ("TWICE", "b + y", "b"),
        ("TWICE", "f(b) + c", "f(y)"),
        ("TWICE", "in(d)", "y"),
    ];
    for (module, term, expected) in cases {
        let found = value(&format!("{text}red in {module} : {term} ."), None);
        assert_eq!(found, expected, "{term} in {module}");
    }
}

/// A view with parameters maps operators to those of a parameter, by name or because they are called the same, and the
/// view that is the parameter's value maps these to others or to terms.
#[test]
fn views_of_parameters_map_further_what_views_with_parameters_map() {
    let text = "fth A is protecting BOOL . sort E . op less : E E -> Bool . endfth\n\
         fth B is protecting BOOL . sort K . op lt : K K -> Bool . endfth\n\
         fmod BOX{X :: A} is sort Box{X} . endfm\n\
         view BOXED{X :: A} from B to BOX{X} is sort K to X$E . op lt to less . endv\n\
         view SAME{X :: A} from A to BOX{X} is sort E to X$E . endv\n\
         view NATS from A to NAT is sort E to Nat . op less to _<_ . endv\n\
         view TERMS from A to NAT is sort E to Nat . op less(P:E, Q:E) to term P:Nat > Q:Nat . endv\n\
         fmod B-USE{X :: B} is protecting BOOL . op most : X$K X$K -> X$K . vars P Q : X$K .\n\
         eq most(P, Q) = if lt(P, Q) then Q else P fi . endfm\n\
         fmod A-USE{X :: A} is protecting BOOL . op best : X$E X$E -> X$E . vars P Q : X$E .\n\
         eq best(P, Q) = if less(P, Q) then Q else P fi . endfm\n";
    let cases = [
        ("B-USE{BOXED{NATS}}", "most(3, 5)", "5"),
        ("B-USE{BOXED{TERMS}}", "most(3, 5)", "3"),
        ("A-USE{NATS}", "best(3, 5)", "5"),
        ("A-USE{SAME{NATS}}", "best(3, 5)", "5"),
        ("A-USE{SAME{TERMS}}", "best(3, 5)", "3"),
        ("B-USE{BOXED{SAME{TERMS}}}", "most(3, 5)", "3"),
    ];
    for (module, term, expected) in cases {
        let found = value(&format!("{text}fmod M is protecting {module} . endfm red {term} ."), None);
        assert_eq!(found, expected, "{term} in {module}");
    }
}

/// A module is the same whether its imports are read before or together with it: what is known of the module before is
/// used where its parts begin with that, and made again where kinds come together or operators get other properties.
#[test]
fn modules_that_import_one_another_mean_what_one_module_with_all_means() {
    let own = [
        "sorts A B . op a : -> A . op b : -> B .",
        "sort C . subsort A < C . op c : -> C . op _;_ : C C -> C . eq a ; c = a .",
        "subsort B < C . op g : C -> C . eq g(b) = c .",
        "op _;_ : C C -> C [prec 20] . eq g(a ; b) = b .",
        "sort D . subsort C < D . op _;_ : D D -> D [comm] . op d : -> D . eq d ; a = b .",
        "op _!_ : D D -> D [prec 15] . eq a ! b ; c = g(a) .",
        "protecting NAT . op n : D -> Nat . eq n(X:D) = 2 . eq n(d) = 1 + n(c) .",
    ];
    let terms =
        ["a ; c", "g(b)", "g(a ; b)", "a ; d", "a ! b ; c", "n(d) + n(a)", "g(g(b) ; c)", "c ! d ; a ! b"];
    let module = |at: usize| match at.checked_sub(1) {
        Some(before) => format!("fmod M{at} is protecting M{before} . {} endfm\n", own[at]),
        None => format!("fmod M0 is {} endfm\n", own[0]),
    };
    let chain: String = (0..own.len()).map(module).collect();
    let whole = format!("fmod M is {} endfm\n", own.join(" "));
    for term in terms {
        let expected = value(&format!("{whole}red {term} ."), None);
        assert_eq!(value(&format!("{chain}red {term} ."), None), expected, "{term}");
    }
}
