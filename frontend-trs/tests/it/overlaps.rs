//! The ways out that T0502 names: rules of which both match a term say that their order is meant.

use gchr_base::diagnostic::render_all;

use crate::diagnostics::{NAT, load, rendered};

/// `[owise]` behind the last equation says that the order is meant. Elsewhere it may change results, and is not named.
#[test]
fn the_attribute_silences_an_overlap_at_the_end() {
    let f = format!("{NAT}map F: Nat # Nat -> Nat;\neqn F(Zero, Y) = Zero; F(X, Zero) = S(X)");
    let names = |text: &str| rendered(text).contains("`[owise]` behind the later one");
    assert!(names(&format!("{f};")));
    assert!(!names(&format!("{f}; F(S(X), S(Y)) = F(X, Y);")));
    let rest = "F(S(X), S(Y)) = F(X, Y) [owise];";
    assert!(!names(&format!("{f}; {rest}")));
    assert!(!rendered(&format!("{f} [owise];")).contains("T0502"));
    // The way that the note leaves.
    assert!(rendered(&format!("{f}; {rest}")).contains("--allow T0502"));
}

/// Follows the way out of each T0502 until there is none; a warning never comes back. Gives the number of equations.
#[track_caller]
fn follow_overlaps(text: &str) -> usize {
    let mut text = text.to_string();
    let mut followed = std::collections::HashSet::new();
    loop {
        let (sources, id, loaded) = load(&text);
        let shown = render_all(&loaded.diagnostics, &sources, false);
        assert!(loaded.program.is_some(), "{text}\n{shown}");
        let Some(warning) = loaded.diagnostics.iter().find(|d| d.code == "T0502") else {
            return followed.len();
        };
        let help = warning.help.as_deref().expect("a way out");
        let mut quoted = help.split('`').skip(1).step_by(2);
        let left = quoted.next().expect("an equation").to_string();
        let declarations: String = quoted.collect::<Vec<_>>().join(" ");
        assert!(followed.insert(left.clone()), "{left} again\n{text}\n{shown}");
        assert!(followed.len() < 100, "{text}\n{shown}");
        // Before both: the first place, in the order of the text, of the two left-hand sides and what they belong to.
        let rules = loaded.program.expect("no errors").rules;
        let first = warning.labels.iter().map(|label| label.span.start).min().expect("two places");
        let place = rules.iter().find(|rule| rule.heads[0].span.start == first).expect("a rule").span;
        assert_eq!(place.source, id);
        // The right-hand side is nobody else's: the term itself.
        let (before, after) = text.split_at(place.start as usize);
        text = format!("{before} {declarations} eqn {left} = {left}; eqn {after}");
    }
}

#[test]
fn the_way_out_of_an_overlap_silences_it() {
    let peano = "sort T = struct A | B | P(T, T); map F: T # T -> T; ";
    // Both rules have a variable of the same name, which is another one in each.
    let text = "var x, y: T; eqn F(P(x, A), y) = x; F(y, P(A, x)) = x; F(x, y) = y; input F(P(A, A), A);";
    assert_eq!(follow_overlaps(&format!("{peano}{text}")), 1);
    // No other variable of the sort is left; the next name is a symbol's.
    let text = "var x, y, z: T; eqn F(P(x, y), z) = x; F(z, P(x, y)) = y;";
    assert_eq!(follow_overlaps(&format!("{peano}{text}")), 1);
    assert_eq!(follow_overlaps(&format!("{peano} map x': T; {text}")), 1);
    // A name that is declared anew behind the first rule.
    let text =
        "map H: T # Int -> T; var x: T; eqn H(P(x, A), 0) = x; var x: Int; y, z: T; eqn H(P(y, z), x) = y;
        H(P(B, z), 0) = z;";
    follow_overlaps(&format!("{peano}{text}"));
    // Numbers and zeros of both signs.
    let text = "map H: Float # Float -> Int; var u, w: Float; eqn H(0.0, u) = 1; H(u, 0.0) = 2; H(-0.0, u) = 3; H(w, -0.0) = 4;";
    assert_eq!(follow_overlaps(text), 4);
    let balance = "sort C = struct R | B; T = struct E | N(C, T, Int, T); map balance: C # T # Int # T -> T;
        var a, b, c, d, e: T; x, y, z: Int; k: C;
        eqn balance(B, N(R, N(R, a, x, b), y, c), z, d) = N(R, N(B, a, x, b), y, N(B, c, z, d));
            balance(B, N(R, a, x, N(R, b, y, c)), z, d) = N(R, N(B, a, x, b), y, N(B, c, z, d));
            balance(B, a, x, N(R, N(R, b, y, c), z, d)) = N(R, N(B, a, x, b), y, N(B, c, z, d));
            balance(B, a, x, N(R, b, y, N(R, c, z, d))) = N(R, N(B, a, x, b), y, N(B, c, z, d));
            balance(k, a, x, b) = N(k, a, x, b);";
    assert!(follow_overlaps(balance) >= 3);
    let examples = gchr_testkit::programs::examples("trs");
    let overlaps: usize = examples.iter().map(|(_, text)| follow_overlaps(text)).sum();
    assert!(overlaps >= 2, "{overlaps} overlaps in examples");
}
