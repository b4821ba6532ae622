//! Characters and texts.

use super::*;

/// Equations of what [`DECLARATIONS`] declares.
pub(super) const EQUATIONS: &str = "\
var
  c1, c2: Char; s1, s2: String;
eqn
  Spell(\"\") = \"\\u{1b}'%\";
  Spell(\"ab\") = \"x\\n\";
  Spell('a' |> s1) = Spell(s1) <| 'é';
  Spell(c1 |> s1) = c1 |> s1;
  'b' |> s2 := c1 |> s1 -> Weight(c1, s1) = #s2;
  c1 in \"bé\\\"\" && s1 != \"b\" || c1 == '\\'' -> Weight(c1, s1) = code(c1);
  Weight('\\n', s1) = code(char(#s1 + 65));
  Weight(c1, c2 |> s1) = Weight(c2, s1) + 1;
  Weight(c1, s1) = -code(c1) [owise];
";

/// Functions on texts.
pub(super) const DECLARATIONS: &str = "\
map Spell: String -> String; Weight: Char # List(Char) -> Int;
";

const TEXTS: [&str; 6] = ["\"\"", "\"a\"", "\"ab\"", "\"b'\\\"\"", "\"\\u{202e}aab\\\\\"", "['b', 'a']"];
const CHARACTERS: [&str; 5] = ["'a'", "'\\n'", "'\\''", "'é'", "'b'"];

impl Generator {
    fn text(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 1 } else { 5 }) {
            0 => TEXTS[self.below(TEXTS.len())].into(),
            1 => format!("Spell({})", self.text(depth - 1)),
            2 => format!("({} ++ {})", self.text(depth - 1), self.text(depth - 1)),
            3 => format!("({} |> {})", self.character(), self.text(depth - 1)),
            _ => format!("Spell(Spell({}))", self.text(depth - 1)),
        }
    }

    fn character(&mut self) -> String {
        match self.below(4) {
            0 => format!("char({})", 32 + self.below(90)),
            _ => CHARACTERS[self.below(CHARACTERS.len())].into(),
        }
    }

    /// A truth value or a number that is made with texts.
    pub(super) fn of_texts(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> Option<String> {
        let text = self.text(2);
        match (sort, self.below(3)) {
            (BOOL, 0) => Some(format!("({} in {text})", self.character())),
            (BOOL, 1) => Some(format!("({} == char({}))", self.character(), self.expr(INT, scope, depth))),
            (BOOL, _) => Some(format!("({text} == {})", self.text(1))),
            (INT, 0) => Some(format!("code({})", self.character())),
            (INT, 1) => Some(format!("Weight({}, {text})", self.character())),
            (INT, _) => Some(format!("#{text}")),
            _ => None,
        }
    }
}
