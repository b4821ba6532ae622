//! Splits a text into words as a shell does: blanks, single and double quotes, backslashes.

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
    use super::split;

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
