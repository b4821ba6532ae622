//! Lists, and what is done with them.

use super::*;

impl Generator {
    /// Whether lists of a sort may be used: a finished program has what it uses.
    pub(super) fn has_list(&mut self, sort: usize) -> bool {
        if !self.lists || sort == INTS_LIST && !self.numbers {
            return false;
        }
        self.chosen_list[sort - NS] |= !self.complete;
        self.chosen_list[sort - NS]
    }

    pub(super) fn list_expr(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let element = if sort == NS { N } else { INT };
        let d = depth.saturating_sub(1);
        let of = |g: &mut Self, s: usize| g.expr(s, scope, d);
        let shape = self.below(if depth == 0 {
            1
        } else if self.complete {
            4
        } else {
            9
        });
        match shape {
            0 => "[]".into(),
            1 => format!("[{}]", of(self, element)),
            2 => format!("[{}, {}, {}]", of(self, element), of(self, element), of(self, element)),
            3 => format!("({} |> {})", self.bracketed(element, scope, d), of(self, sort)),
            4 => format!("({} <| {})", of(self, sort), self.bracketed(element, scope, d)),
            5 => format!("({} ++ {})", of(self, sort), of(self, sort)),
            6 => format!("tail({})", of(self, sort)),
            7 => format!("rtail({})", of(self, sort)),
            _ => format!("({} ++ [{}])", of(self, sort), of(self, element)),
        }
    }

    /// What a list gives that is none; nothing for further inputs, as a finished program has the functions that it
    /// uses.
    pub(super) fn of_list(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> Option<String> {
        let list = NS + self.below(2);
        if self.complete || !self.has_list(list) {
            return None;
        }
        let element = if list == NS { N } else { INT };
        let text = self.list_expr(list, scope, depth);
        // A list that says of which sort its elements are.
        let text = if text == "[]" { format!("[{}]", self.expr(element, scope, 0)) } else { text };
        match sort {
            BOOL => Some(format!("({} in {text})", self.bracketed(element, scope, depth))),
            INT if self.numbers && self.chance(50) => Some(format!("#({text})")),
            _ if sort == element => Some(match self.below(3) {
                0 => format!("head({text})"),
                1 => format!("rhead({text})"),
                _ if self.numbers => format!("({text} . {})", self.below(3)),
                _ => format!("head({text})"),
            }),
            _ => None,
        }
    }
}
