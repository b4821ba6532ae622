//! No text makes the reader panic, and what is printed is read back as the same.

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::rule::verify;
use proptest::prelude::*;

use super::load_text;

/// Texts to change: every construct occurs.
const TEXTS: [&str; 4] = [
    "sort A = struct a | b(n: Nat, l: List(A))?is_b; B = A -> Set(Nat); C; D = struct d(f: B);\n\
     cons k: C; map f: A # Nat -> Bool; g: B; h: List(A) -> Real; % comment\n\
     var x: A; y, z: Nat; s: List(A); eqn y > 0 && x != a -> f(x, y) = y in {1, 2} || forall q: Nat. q < y => q * 2 != y;\n\
     f(x, z) = false; g = lambda v: A. { m: Nat | m > 1 && f(v, m) }; h([]) = 1 / 2; h(x |> s) = h(s) + #s;",
    "map m: Nat -> Bag(Bool); p: Pos; w: Nat -> Nat; var u: Nat; t: Pos; eqn m(u) = {true: u, false: 2} + {:};\n\
     p = if(1 == 2, 3, 4); w(t) = (v + v2 whr v = t, v2 = t end); w(u) = w(u);",
    "sort E = struct e1 | e2 | e3; T = struct leaf(E) | node(left: T, right: T); map c: T -> Nat; s: Set(E); o: T # T -> Bool;\n\
     var t, u: T; e: E; eqn c(leaf(e)) = 1; c(node(t, u)) = c(t) + c(u); s = !{e1} * { e: E | e < e3 }; o(t, u) = t <= u;",
    "map u: (Nat -> Nat) # Nat -> (Nat -> Nat); r: List(Int); var f: Nat -> Nat; n: Nat; eqn u(f, n) = f[n -> f(n) + 1];\n\
     r = ([1, -2] <| 3) ++ tail([0]); act a; proc P = a . P; init P;",
];

const WORDS: [&str; 48] = [
    "sort ",
    "cons ",
    "map ",
    "var ",
    "eqn ",
    "act ",
    "struct ",
    "A",
    "x",
    "f",
    " = ",
    ": ",
    "; ",
    ", ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "->",
    "=>",
    "==",
    "!",
    "-",
    "+",
    "*",
    " in ",
    "|>",
    "<|",
    "++",
    ".",
    "#",
    "if(",
    "1",
    "0",
    "Nat",
    "List(",
    "Set(",
    "forall x: A. ",
    "exists x: Nat. ",
    "lambda x: A. ",
    " whr x = 1 end",
    "?",
    "{:}",
    "%",
    "\n",
];

/// What holds for every text.
fn check_any(text: &str) {
    let (mut sources, loaded) = load_text(text, None);
    assert_eq!(loaded.program.is_none(), has_errors(&loaded.diagnostics));
    for Diagnostic { labels, .. } in &loaded.diagnostics {
        for label in labels {
            assert!(text.get(label.span.range()).is_some(), "{:?} lies in {text:?}", label.span);
        }
    }
    let (Some(program), Some(mut reader)) = (loaded.program, loaded.reader) else { return };
    assert_eq!(verify(&program), []);
    for term in [text, "f(a, 1)", "[1] ++ []", "lambda x: Nat. x"] {
        let id = sources.add("--input", term);
        let _ = reader.read(&sources, id);
        if let (_, gchr_mcrl2::Loaded { program: Some(program), .. }) = load_text(text, Some(term)) {
            assert_eq!(verify(&program), []);
        }
    }
    let printed = loaded.ast.to_string();
    let (_, again) = load_text(&printed, None);
    assert!(!has_errors(&again.diagnostics), "{printed}\n{:?}", again.diagnostics);
    assert_eq!(again.ast.to_string(), printed);
    assert_eq!(again.program.map(|program| program.to_string()), Some(program.to_string()));
}

#[test]
fn the_texts_are_programs() {
    for text in TEXTS {
        let (sources, loaded) = load_text(text, None);
        let shown = gchr_base::diagnostic::render_all(&loaded.diagnostics, &sources, false);
        assert!(loaded.program.is_some(), "{shown}");
        check_any(text);
    }
}

proptest! {
    #[test]
    fn any_text(text in any::<String>()) {
        check_any(&text);
    }

    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..60)) {
        check_any(&words.concat());
    }

    #[test]
    fn a_program_with_a_part_replaced(
        text in prop::sample::select(&TEXTS[..]),
        from in any::<prop::sample::Index>(),
        length in 0..12_usize,
        word in prop::sample::select(&WORDS[..]),
    ) {
        let from = from.index(text.len());
        let to = (from + length).min(text.len());
        check_any(&format!("{}{word}{}", &text[..from], &text[to..]));
    }
}
