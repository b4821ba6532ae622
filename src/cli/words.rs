//! Command lines as a shell has them: blanks, single and double quotes, backslashes.

/// The command line of this process, so that it can be given again.
pub fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("gchr".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+:,@%^".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The words of `text`.
pub fn split(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or("a quote is not closed")? {
                        end if end == c => break,
                        '\\' if c == '"' => word.push(chars.next().ok_or("a quote is not closed")?),
                        other => word.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next().ok_or("a backslash at the end")?),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::{quoted, split};

    #[test]
    fn quoted_words_are_words_again() {
        for word in ["", "run", "a b", "it's", "edge(1, 2)", "\"q\"", "\\", "$HOME", "`x`", "größe"] {
            assert_eq!(split(&quoted(word)).as_deref(), Ok(&[word.to_string()][..]), "{word}");
        }
        assert_eq!(quoted("--out=a/b.csv"), "--out=a/b.csv");
    }

    #[test]
    fn words_are_those_of_a_shell() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("  --device  sim ", &["--device", "sim"]),
            (r#"a "b c" 'd "e' f\ g"#, &["a", "b c", "d \"e", "f g"]),
            (r#"x"y"z """#, &["xyz", ""]),
            (r#""a\"b""#, &["a\"b"]),
        ];
        for (text, words) in cases {
            assert_eq!(
                split(text).as_deref(),
                Ok(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>()[..]),
                "{text}"
            );
        }
        assert!(split("'a").is_err() && split("a\\").is_err());
    }
}
