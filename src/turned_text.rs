//! Characters that let a program look like another one (Boucher, Anderson: Trojan Source, 2021): an editor shows the
//! text around them in another order than the one in which it is read.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::escape::{code, reorders_text};
use gchr_base::source::{SourceMap, Span};

/// Places that are shown for one text; the others are counted.
const MAX_SHOWN: usize = 3;

/// A warning for each text with such characters.
pub(crate) fn warnings(sources: &SourceMap) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (id, source) in sources.iter() {
        let places: Vec<_> = source.text.char_indices().filter(|&(_, c)| reorders_text(c)).collect();
        if places.is_empty() {
            continue;
        }
        let message = format!("{} has characters that change the order in which text is shown", source.name);
        let mut warning = Diagnostic::warning("U0115", message);
        for &(at, c) in &places[..places.len().min(MAX_SHOWN)] {
            warning = warning.label(Span::new(id, at, at + c.len_utf8()), format!("here is {}", code(c)));
        }
        if places.len() > MAX_SHOWN {
            warning =
                warning.note(format!("there are {} of them, the first {MAX_SHOWN} are shown", places.len()));
        }
        found.push(warning.note("an editor may show other rules than those that are run").help(
            "remove them; in a quoted atom or a string of a .chr program write their numbers: '\\x202e\\'",
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::Input;

    /// Warnings of a program, and what is on its terminal.
    fn warned(input: &Input) -> usize {
        let found = match input.parse() {
            Ok(program) => program.warnings().clone(),
            Err(found) => found,
        };
        let shown = found.render(false);
        assert!(!shown.contains(gchr_base::escape::turns_text), "{shown}");
        found.list().iter().filter(|d| d.code == "U0115").count()
    }

    #[test]
    fn programs_that_look_like_others_are_named() {
        let rule = "\na(X) <=> X > 0 | true.\n";
        for c in ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}') {
            for text in
                [format!("% {c} comment"), format!("/* {c} */"), format!("?- a('{c}').\n{c}{c}{c}{c}{c}")]
            {
                let chr = format!(":- chr_constraint a(?any).{rule}{text}");
                assert_eq!(warned(&Input::constraints(chr)), 1, "{text:?}");
            }
            let trs = format!("map F: Int -> Int;\nvar n: Int;\neqn F(n) = n; % {c}\ninput F(1);\n");
            assert_eq!(warned(&Input::terms(&trs)), 1);
            assert_eq!(warned(&Input::terms(trs.replace(c, "")).term(format!("F(1{c})"))), 1);
            let chr = Input::constraints(format!(":- chr_constraint a(?any).{rule}"));
            assert_eq!(warned(&chr.clone().query(format!("a('{c}')"))), 1);
            assert_eq!(warned(&chr.query(format!("a('\\x{:x}\\')", u32::from(c)))), 0);
        }
        // Letters of languages that are written from right to left, and marks between them, are text like any other.
        let chr = format!(":- chr_constraint a(?any).{rule}% שלום\u{200f} العربية\n?- a('שלום').");
        assert_eq!(warned(&Input::constraints(chr)), 0);
    }
}
