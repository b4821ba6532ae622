//! Arithmetic, tests, and goals that add no constraint.

use super::{Bound, Generator, Type};

const INT_BINARY: [&str; 13] =
    ["+", "-", "*", "//", "rem", "div", "mod", "/\\", "\\/", "xor", "<<", ">>", "**"];
const COMPARISONS: [&str; 6] = ["=:=", "=\\=", "<", "=<", ">", ">="];
const STRUCTURAL: [&str; 7] = ["==", "\\==", "@<", "@=<", "@>", "@>=", "\\="];
const TYPE_TESTS: [&str; 8] =
    ["integer", "float", "number", "atom", "string", "atomic", "compound", "callable"];

impl Generator {
    /// An expression of integers.
    pub(super) fn int_expr(&mut self, bound: &[Bound], depth: usize) -> String {
        let vars: Vec<&Bound> = bound.iter().filter(|b| b.ty.is_int()).collect();
        if depth == 0 || self.chance(35) {
            if !vars.is_empty() && self.chance(75) {
                return vars[self.below(vars.len())].name.into();
            }
            return self.literal(Type::Int, 0);
        }
        let d = depth - 1;
        match self.below(20) {
            0..11 => {
                // Sums are what programs and plans are full of.
                let op = if self.chance(55) { self.pick(&["+", "-"]) } else { self.pick(&INT_BINARY) };
                let a = self.int_expr(bound, d);
                let small = matches!(op, "//" | "rem" | "div" | "mod" | "<<" | ">>") && self.chance(80);
                let b = match op {
                    "**" => self.below(3).to_string(),
                    _ if small => (1 + self.below(3)).to_string(),
                    _ => self.int_expr(bound, d),
                };
                if self.chance(60) { format!("({a} {op} {b})") } else { bracketed(&a, op, &b) }
            }
            11 => format!("(- ({}))", self.int_expr(bound, d)),
            12 => format!("\\ ({})", self.int_expr(bound, d)),
            13 => format!("+({})", self.int_expr(bound, d)),
            14 => format!("{}({})", self.pick(&["abs", "sign", "eval"]), self.int_expr(bound, d)),
            15 => format!("msb(1 + abs({}))", self.int_expr(bound, d)),
            16 => {
                let (a, b) = (self.int_expr(bound, d), self.int_expr(bound, d));
                format!("{}({a}, {b})", self.pick(&["min", "max", "gcd"]))
            }
            17 => {
                let inner = self.number_expr(bound, d);
                format!("{}({inner})", self.pick(&["truncate", "round", "integer", "floor", "ceiling"]))
            }
            18 => format!("({} ^ {})", self.int_expr(bound, d), self.below(3)),
            _ => format!("[{}]", self.int_expr(bound, d)),
        }
    }

    /// An expression of numbers.
    pub(super) fn number_expr(&mut self, bound: &[Bound], depth: usize) -> String {
        let vars: Vec<&Bound> = bound.iter().filter(|b| b.ty.is_number() || b.ty == Type::Any).collect();
        if depth == 0 || self.chance(35) {
            if !vars.is_empty() && self.chance(70) {
                let numbers: Vec<&&Bound> = vars.iter().filter(|b| b.ty.is_number()).collect();
                // What is of any type is mostly no number.
                if !numbers.is_empty() && self.chance(92) {
                    return numbers[self.below(numbers.len())].name.into();
                }
                return vars[self.below(vars.len())].name.into();
            }
            return match self.below(12) {
                0 => self.pick(&["pi", "e", "epsilon"]).into(),
                1..5 => self.literal(Type::Float, 0),
                _ => self.literal(Type::Int, 0),
            };
        }
        let d = depth - 1;
        match self.below(12) {
            0..3 => self.int_expr(bound, depth),
            3..6 => {
                let op = self.pick(&["+", "-", "*", "/"]);
                format!("({} {op} {})", self.number_expr(bound, d), self.number_expr(bound, d))
            }
            6 => format!("({} ** {})", self.number_expr(bound, d), self.number_expr(bound, d)),
            7 => format!("({} ^ {})", self.number_expr(bound, d), self.below(3)),
            8 => format!("float({})", self.number_expr(bound, d)),
            9 => {
                let (a, b) = (self.number_expr(bound, d), self.number_expr(bound, d));
                format!("{}({a}, {b})", self.pick(&["min", "max"]))
            }
            10 => {
                format!("{}({})", self.pick(&["abs", "sign", "-", "+", "eval"]), self.number_expr(bound, d))
            }
            _ => format!("{}({})", self.pick(&["truncate", "round"]), self.number_expr(bound, d)),
        }
    }

    /// Conditions of a guard; they may bind variables.
    pub(super) fn guard(&mut self, bound: &mut Vec<Bound>) -> Vec<String> {
        let count = [1, 1, 1, 2, 3][self.below(5)];
        (0..count).map(|_| self.condition(bound)).collect()
    }

    fn condition(&mut self, bound: &mut Vec<Bound>) -> String {
        let depth = self.below(3);
        match self.below(20) {
            0..9 => self.comparison(bound, depth),
            9 => {
                let value = self.number_expr(bound, depth);
                self.bind(Type::Number, bound, &format!("is {value}"))
            }
            10 => {
                let value = self.int_expr(bound, depth);
                self.bind(Type::Int, bound, &format!("is {value}"))
            }
            11..14 => {
                let op = self.pick(&STRUCTURAL);
                format!("{} {op} {}", self.operand(bound), self.operand(bound))
            }
            14 | 15 => format!("{}({})", self.pick(&TYPE_TESTS), self.operand(bound)),
            16 => format!("{} = {}", self.operand(bound), self.operand(bound)),
            17 => self.takes_apart(bound),
            18 => format!("{} is {}", self.int_expr(bound, 0), self.int_expr(bound, 1)),
            _ => {
                let name = bound.first().map_or("1", |b| b.name);
                match self.below(6) {
                    0 => "true".into(),
                    1 => self.pick(&["fail", "false"]).into(),
                    2 => format!("var({name})"),
                    3 => format!("ground({name})"),
                    _ => format!("nonvar({name})"),
                }
            }
        }
    }

    fn comparison(&mut self, bound: &[Bound], depth: usize) -> String {
        let op = self.pick(&COMPARISONS);
        if self.chance(70) {
            return format!("{} {op} {}", self.int_expr(bound, depth), self.int_expr(bound, depth));
        }
        format!("{} {op} {}", self.number_expr(bound, depth), self.number_expr(bound, depth))
    }

    /// A value as it is.
    fn operand(&mut self, bound: &[Bound]) -> String {
        if !bound.is_empty() && self.chance(70) {
            return bound[self.below(bound.len())].name.into();
        }
        let text = self.literal(Type::Any, 1);
        if text.contains(' ') { format!("({text})") } else { text }
    }

    /// A new variable with a goal that gives it a value.
    fn bind(&mut self, ty: Type, bound: &mut Vec<Bound>, goal: &str) -> String {
        match self.fresh(ty, bound) {
            Some(name) => format!("{name} {goal}"),
            None => "true".into(),
        }
    }

    /// A goal that takes a value apart.
    fn takes_apart(&mut self, bound: &mut Vec<Bound>) -> String {
        let Some(known) = bound.iter().find(|b| matches!(b.ty, Type::Any | Type::Open)).map(|b| b.name)
        else {
            return "true".into();
        };
        let pattern = match self.below(4) {
            0 => format!("f({})", self.fresh(Type::Any, bound).unwrap_or("_")),
            1 => format!("g({}, _)", self.fresh(Type::Any, bound).unwrap_or("_")),
            2 => format!("[{}|_]", self.fresh(Type::Any, bound).unwrap_or("_")),
            _ => format!("f({known})"),
        };
        if self.chance(50) { format!("{known} = {pattern}") } else { format!("{pattern} = {known}") }
    }

    /// Goals of a body or a query before a constraint: values, output, rarely a test.
    pub(super) fn aside(&mut self, bound: &mut Vec<Bound>) -> Vec<String> {
        let mut goals = Vec::new();
        if self.chance(18) {
            let (depth, int) = (1 + self.below(2), self.chance(60));
            let ty = if int { Type::Int } else { Type::Number };
            let value = if int { self.int_expr(bound, depth) } else { self.number_expr(bound, depth) };
            goals.push(self.bind(ty, bound, &format!("is {value}")));
        }
        if self.chance(6) {
            let value = self.argument(Type::Any, bound);
            goals.push(self.bind(Type::Any, bound, &format!("= ({value})")));
        }
        if self.chance(3) {
            goals.push(self.condition(bound));
        }
        if self.writes && self.chance(50) {
            goals.push(self.output(bound));
        }
        goals
    }

    fn output(&mut self, bound: &[Bound]) -> String {
        let value = self.operand(bound);
        match self.below(9) {
            0 => "nl".into(),
            1 => "write(' and ')".into(),
            2 => format!("print({value})"),
            3 => format!("writeq({value})"),
            4 => format!("writeln({value})"),
            5 => format!("format(\"<~w> ~q ~a~~~p~n\", [{value}, {value}, b, {value}])"),
            6 => format!("format('~d~n', [{}])", self.int_expr(bound, 0)),
            7 => "format(\"text\")".into(),
            _ => format!("write({value})"),
        }
    }
}

/// An operator between operands of which one may have to be bracketed: a sum is taken as it is where that means the
/// same.
fn bracketed(a: &str, op: &str, b: &str) -> String {
    let simple = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    match simple(b) {
        true if matches!(op, "+" | "-" | "*") && !a.starts_with('\\') => format!("{a} {op} {b}"),
        _ => format!("({a}) {op} ({b})"),
    }
}
