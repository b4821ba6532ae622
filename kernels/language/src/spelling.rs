//! Names and texts of programs in the kernel language: every one has a spelling there, and no two names have the same.

use gchr_base::escape;

/// What a character is written between that stands in no name.
const OPEN: &str = "Ux";
const CLOSE: char = 'x';

/// What a name of the language begins with that no program can give.
const TAKEN: [&str; 2] = ["gchr_", "leave_"];

/// A name of a program as a part of a name of the kernel language: to be joined to other parts by single underscores.
/// It begins with a letter, and ends in a letter or digit. Names of letters, digits and single underscores between them
/// stay as they are; any other character is written by its number: `größe` is `grUxf6xUxdfxe`. Different names stay
/// different.
pub fn part(name: &str) -> String {
    if name.is_empty() {
        return format!("{OPEN}{CLOSE}");
    }
    let is_taken = TAKEN.iter().any(|start| name.starts_with(start));
    let mut spelled = String::new();
    let mut rest = name.chars();
    while let Some(c) = rest.next() {
        let plain = match c {
            _ if is_taken && spelled.is_empty() => false,
            '_' => !spelled.is_empty() && !spelled.ends_with('_') && !rest.as_str().is_empty(),
            'U' => !rest.as_str().starts_with(&OPEN[1..]),
            _ => c.is_ascii_alphabetic() || c.is_ascii_digit() && !spelled.is_empty(),
        };
        if plain {
            spelled.push(c);
        } else {
            spelled += &format!("{OPEN}{:x}{CLOSE}", u32::from(c));
        }
    }
    spelled
}

/// A text of a program as a line of a comment: on one line, and nothing in it is read as anything else.
pub fn comment(text: &str) -> String {
    let line = escape::line(text.trim_end()).into_owned();
    // A backslash at its end would make the next line a part of the comment.
    match line.strip_suffix('\\') {
        Some(before) => format!("{before}{}", escape::code('\\')),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{KEYWORDS, atomics, is_free_name};
    use crate::verify::is_comment_line;
    use proptest::prelude::*;

    /// The name that a spelling is of.
    fn unspell(spelled: &str) -> String {
        let mut name = String::new();
        let mut rest = spelled;
        while let Some(at) = rest.find(OPEN) {
            name += &rest[..at];
            let (number, after) = rest[at + OPEN.len()..].split_once(CLOSE).expect("a number ends");
            if !number.is_empty() {
                let number = u32::from_str_radix(number, 16).expect("a number");
                name.push(char::from_u32(number).expect("a character"));
            }
            rest = after;
        }
        name + rest
    }

    #[test]
    fn plain_names_stay() {
        for name in ["x", "edge", "N2", "go_on", "a_1", "U0", "FLUX", "U", "min", "int", "gchr", "leave"] {
            assert_eq!(part(name), name);
        }
        for (name, spelled) in [
            ("größe", "grUxf6xUxdfxe"),
            ("my__fact", "my_Ux5fxfact"),
            ("fact_", "factUx5fx"),
            ("_", "Ux5fx"),
            ("c-", "cUx2dx"),
            ("", "Uxx"),
            ("1a", "Ux31xa"),
            ("gchr_a", "Ux67xchr_a"),
            ("Ux", "Ux55xx"),
        ] {
            assert_eq!(part(name), spelled);
        }
    }

    /// Names that are likely to be taken for others, or to be taken by the language.
    fn names() -> impl Strategy<Value = String> {
        let taken: Vec<String> = KEYWORDS
            .iter()
            .map(ToString::to_string)
            .chain(atomics().into_iter().map(|(name, _)| name))
            .chain(["gchr_x", "leave_0", "main", "threadIdx", "popcount", "barrier", "own"].map(String::from))
            .collect();
        prop_oneof![
            "[a-zUx0-9_]{0,8}",
            "[Ux0-9a-f_]{0,12}",
            any::<String>(),
            prop::sample::select(taken.clone()),
            (prop::sample::select(taken), "[_xU]{0,3}").prop_map(|(name, more)| name + &more),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        #[test]
        fn every_name_has_a_spelling_of_its_own(name in names()) {
            let spelled = part(&name);
            prop_assert_eq!(unspell(&spelled), name);
            for joined in [format!("t0_{spelled}_x1"), format!("v_{spelled}"), format!("{spelled}_v")] {
                prop_assert!(is_free_name(&joined), "{}", joined);
            }
        }

        #[test]
        fn every_text_is_a_comment(text in any::<String>(), end in "[\\\\ \t\r\n]{0,3}") {
            let text = text + &end;
            prop_assert!(is_comment_line(&comment(&text)), "{text:?}");
        }
    }
}
