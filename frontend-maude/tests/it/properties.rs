//! What holds for any text.

use gchr_base::reading::Account;
use gchr_base::rule::verify;
use gchr_maude::{Files, load};
use gchr_testkit::pages;
use proptest::prelude::*;

use super::load_text;

/// Words that texts are made of.
const WORDS: [&str; 66] = [
    "mod",
    "endm",
    "rl",
    "=>",
    "rew",
    "\"a\\n\"",
    "term",
    "STRING",
    "fmod",
    "M",
    "is",
    "endfm",
    "fth",
    "endfth",
    "view",
    "from",
    "to",
    "endv",
    "protecting",
    "BOOL",
    "NAT",
    "LIST{Nat}",
    "sort",
    "sorts",
    "subsort",
    "<",
    "A",
    "B",
    "op",
    "ops",
    "f",
    "_+_",
    "__",
    ":",
    "->",
    "[",
    "]",
    "assoc",
    "comm",
    "id:",
    "prec",
    "3",
    "ctor",
    "var",
    "X",
    "eq",
    "ceq",
    "=",
    "if",
    ":=",
    "/\\",
    "mb",
    "(",
    ")",
    ",",
    "{",
    "}",
    "X:A",
    "s_^2",
    "red",
    "in",
    ".\n",
    ".",
    "***",
    "owise",
    "==",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_is_too_bad(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..80)) {
        check(&words.join(" "));
    }

    #[test]
    fn no_change_of_a_text_is_too_bad(at in 0.0..1.0, length in 0usize..30, with in prop::sample::select(WORDS.to_vec())) {
        let text = example();
        let from = (at * text.len() as f64) as usize;
        let start = (0..=from).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let end = (start + length..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
        check(&format!("{} {with} {}", &text[..start], &text[end..]));
    }
}

fn example() -> String {
    pages::read("examples/formats/routes.maude")
}

/// A text loads without a panic; a program passes the verifier, and prints as a text that is read as the same.
fn check(text: &str) {
    let (mut sources, loaded) = load_text(text, None);
    let Some(program) = loaded.program else { return };
    assert_eq!(verify(&program), []);
    let printed = loaded.ast.to_string();
    let id = sources.add("printed", printed.clone());
    let account = Account::default();
    let again = load(&mut sources, id, None, &Files::beside(None, &account));
    assert_eq!(again.ast.to_string(), printed);
    assert_eq!(again.program.map(|program| program.to_string()), Some(program.to_string()), "{printed}");
}

#[test]
fn examples_print_as_what_they_are() {
    check(&example());
}
