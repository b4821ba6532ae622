//! Values and patterns of columns.

use super::{Bound, Generator, Type};

/// Names of variables in the order in which rules bind them.
pub(super) const VARS: [&str; 16] =
    ["X", "Y", "Z", "W", "V1", "V2", "V3", "_V4", "V5", "V6", "V7", "V8", "V9", "V10", "V11", "V12"];

const INTS: [&str; 10] = [
    "9223372036854775807",
    "-9223372036854775808",
    "4611686018427387904",
    "-1152921504606846977",
    "4294967296",
    "2147483648",
    "9007199254740993",
    "-1",
    "63",
    "-7",
];
const WRITTEN_INTS: [&str; 7] = ["0x1F", "0o17", "0b101", "16'FF", "0'a", "1_000", "0'\\n"];
const FLOATS: [&str; 12] = [
    "0.0",
    "-0.0",
    "1.0",
    "0.5",
    "-2.5",
    "1e5",
    "1.0e300",
    "5.0e-324",
    "1.7976931348623157e308",
    "9007199254740992.0",
    "9.3e18",
    "2.0",
];
const ATOMS: [&str; 12] =
    ["a", "b", "[]", "'hello world'", "{}", "'A'", "foo_1", "'it\\'s'", "+", "'\\x41\\b'", "red", "leaf"];
const STRINGS: [&str; 6] = ["\"ab\"", "\"\"", "\"a\"", "\"x\\ny\"", "\"\\u0041\"", "\"say \\\"\""];

impl Generator {
    /// A literal of a type.
    pub(super) fn literal(&mut self, ty: Type, depth: usize) -> String {
        match ty {
            Type::Int | Type::Weight if self.chance(self.extremes) => INTS[self.below(INTS.len())].into(),
            Type::Int | Type::Weight if self.chance(4) => WRITTEN_INTS[self.below(WRITTEN_INTS.len())].into(),
            Type::Int | Type::Weight | Type::Dense | Type::Natural => self.below(4).to_string(),
            Type::Float => FLOATS[self.below(FLOATS.len())].into(),
            Type::Atom => ATOMS[self.below(ATOMS.len())].into(),
            Type::Str => STRINGS[self.below(STRINGS.len())].into(),
            Type::Number => {
                let ty = if self.chance(60) { Type::Int } else { Type::Float };
                self.literal(ty, depth)
            }
            Type::Color => self.pick(&["red", "green", "blue"]).into(),
            Type::Tree if depth == 0 || self.chance(50) => "leaf".into(),
            Type::Tree => {
                let (a, b) = (self.literal(Type::Tree, depth - 1), self.literal(Type::Tree, depth - 1));
                format!("node({a}, {}, {b})", self.literal(Type::Int, 0))
            }
            Type::Ints => {
                let items: Vec<String> = (0..self.below(3)).map(|_| self.literal(Type::Int, 0)).collect();
                format!("[{}]", items.join(", "))
            }
            Type::Any | Type::Open => self.term(depth, &mut |g, depth| g.simple(depth)),
        }
    }

    /// A value without parts, mostly a small number.
    fn simple(&mut self, _: usize) -> String {
        let ty = [Type::Dense, Type::Dense, Type::Dense, Type::Int, Type::Float, Type::Atom, Type::Str]
            [self.below(7)];
        self.literal(ty, 0)
    }

    /// A term whose leaves are given.
    fn term(&mut self, depth: usize, leaf: &mut dyn FnMut(&mut Self, usize) -> String) -> String {
        if depth == 0 || self.chance(55) {
            return leaf(self, depth);
        }
        let d = depth - 1;
        let mut part = |g: &mut Self| g.term(d, leaf);
        match self.below(12) {
            0..3 => format!("f({})", part(self)),
            3..5 => format!("g({}, {})", part(self), part(self)),
            5 => format!("[{}]", part(self)),
            6 => format!("[{}, {}]", part(self), part(self)),
            7 => format!("[{}|{}]", part(self), part(self)),
            8 => format!("{{{}}}", part(self)),
            9 => {
                let op = self.pick(&["+", "-", "*", "/", "mod", "=", "^", ":"]);
                format!("({}) {op} ({})", part(self), part(self))
            }
            10 => format!("'f g'({})", part(self)),
            _ => self.pick(&["`ab`", "- (1)", "- a", "\\ a", "f(_)"]).replace("f(_)", "h(0)"),
        }
    }

    /// A value for a column: a variable that has one, a literal, or a term around both.
    pub(super) fn argument(&mut self, ty: Type, bound: &[Bound]) -> String {
        let fitting: Vec<&Bound> = bound.iter().filter(|b| b.ty.fits(ty)).collect();
        if !fitting.is_empty() && self.chance(75) {
            return fitting[self.below(fitting.len())].name.into();
        }
        // Now and then what is checked only when it arrives.
        if self.chance(2)
            && let Some(other) = bound.iter().find(|b| matches!(b.ty, Type::Any | Type::Open | Type::Number))
        {
            return other.name.into();
        }
        if matches!(ty, Type::Any | Type::Open) && !bound.is_empty() {
            return self.term(2, &mut |g, depth| {
                if g.chance(60) { bound[g.below(bound.len())].name.into() } else { g.simple(depth) }
            });
        }
        self.literal(ty, 2)
    }

    /// What a head asks of a column; the variables that it binds are added to those bound.
    pub(super) fn pattern(&mut self, ty: Type, bound: &mut Vec<Bound>) -> String {
        match self.below(20) {
            0 | 1 => "_".into(),
            2 | 3 => self.literal(ty, 1),
            4..9 if matches!(ty, Type::Any | Type::Open) => {
                let mut seen = std::mem::take(bound);
                let text = self.term(2, &mut |g, depth| match g.below(6) {
                    0 => "_".into(),
                    1 => g.simple(depth),
                    _ => g.variable(Type::Any, &mut seen),
                });
                *bound = seen;
                text
            }
            4 | 5 if ty == Type::Tree => {
                format!("node({}, {}, _)", self.variable(Type::Tree, bound), self.variable(Type::Int, bound))
            }
            4 | 5 if ty == Type::Ints => {
                format!("[{}|{}]", self.variable(Type::Int, bound), self.variable(Type::Ints, bound))
            }
            _ => self.variable(ty, bound),
        }
    }

    /// A variable of a head: a new one, or one again, whatever its type.
    pub(super) fn variable(&mut self, ty: Type, bound: &mut Vec<Bound>) -> String {
        let again = self.chance(25);
        let known = bound.iter().find(|b| b.ty.fits(ty) || ty.fits(b.ty)).copied();
        match (again, known) {
            (true, Some(known)) => known.name.into(),
            _ => self.fresh(ty, bound).unwrap_or("_").into(),
        }
    }

    /// A new variable.
    pub(super) fn fresh(&mut self, ty: Type, bound: &mut Vec<Bound>) -> Option<&'static str> {
        let name = VARS.into_iter().find(|name| !bound.iter().any(|b| b.name == *name))?;
        bound.push(Bound { name, ty });
        Some(name)
    }
}
