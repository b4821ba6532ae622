//! Terms with the operators and functions of truth values and numbers.

use super::*;

impl Generator {
    pub(super) fn truth(&mut self, scope: &Scope<'_>, depth: usize) -> String {
        if depth == 0 {
            return self.truth_value();
        }
        let d = depth - 1;
        match self.below(9) {
            0 => self.truth_value(),
            1..4 => {
                let sort = if !self.numbers || self.chance(35) { self.below(5) } else { INT + self.below(2) };
                let op = COMPARISONS[self.below(if sort < INT { 2 } else { 6 })];
                format!("({} {op} {})", self.expr(sort, scope, d), self.expr(sort, scope, d))
            }
            4 => format!("!{}", self.bracketed(BOOL, scope, d)),
            5 => format!("!({})", self.expr(BOOL, scope, d)),
            shape => {
                let op = ["&&", "||"][shape % 2];
                if !scope.equation {
                    // Operands on the right are evaluated in inputs whether they matter or not, which is known: none
                    // that may fail.
                    return format!("({} {op} {})", self.expr(BOOL, scope, d), self.truth_value());
                }
                // Truth values in a chain mean something for every way of reading it.
                let text = format!("{} {op} {}", self.expr(BOOL, scope, d), self.expr(BOOL, scope, d));
                if self.chance(70) { format!("({text})") } else { text }
            }
        }
    }

    /// An expression in brackets unless it is a name or a call.
    pub(super) fn bracketed(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let text = self.expr(sort, scope, depth);
        let simple = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'');
        if simple { text } else { format!("({text})") }
    }

    pub(super) fn int_expr(&mut self, scope: &Scope<'_>, depth: usize) -> String {
        if depth == 0 {
            return self.int();
        }
        let d = depth - 1;
        match self.below(14) {
            0..3 => self.int(),
            3..8 => {
                let a = self.expr(INT, scope, d);
                let op = INT_INFIX[self.below(INT_INFIX.len())];
                let small = matches!(op, "div" | "mod" | "<<" | ">>") && self.chance(80);
                let b = if small { (1 + self.below(4)).to_string() } else { self.expr(INT, scope, d) };
                if self.chance(70) { format!("({a} {op} {b})") } else { format!("{a} {op} {b}") }
            }
            8 => format!("-{}", self.bracketed(INT, scope, d)),
            9 => format!("gcd({}, {})", self.expr(INT, scope, d), self.expr(INT, scope, d)),
            10 if self.chance(85) => format!("msb(abs({}) + 1)", self.expr(INT, scope, d)),
            10 => format!("msb({})", self.expr(INT, scope, d)),
            11 => {
                let sort = INT + self.below(2);
                format!("{}({})", ROUNDING[self.below(ROUNDING.len())], self.expr(sort, scope, d))
            }
            _ => self.either_number(INT, scope, d),
        }
    }

    pub(super) fn float_expr(&mut self, scope: &Scope<'_>, depth: usize) -> String {
        if depth == 0 {
            return self.float();
        }
        let d = depth - 1;
        match self.below(12) {
            0..3 => self.float(),
            3..7 => {
                let op = FLOAT_INFIX[self.below(FLOAT_INFIX.len())];
                let text = format!("{} {op} {}", self.expr(FLOAT, scope, d), self.expr(FLOAT, scope, d));
                if self.chance(70) { format!("({text})") } else { text }
            }
            7 => format!("-{}", self.bracketed(FLOAT, scope, d)),
            8 | 9 => {
                let sort = INT + self.below(2);
                format!("float({})", self.expr(sort, scope, d))
            }
            _ => self.either_number(FLOAT, scope, d),
        }
    }

    /// A function that integers and floats have.
    pub(super) fn either_number(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let name = BOTH_BINARY[self.below(2)];
        if self.chance(50) && self.own != name {
            return format!("{name}({}, {})", self.expr(sort, scope, depth), self.expr(sort, scope, depth));
        }
        format!("{}({})", BOTH_UNARY[self.below(2)], self.expr(sort, scope, depth))
    }
}
