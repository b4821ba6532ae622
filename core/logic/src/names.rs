//! The table of names of atoms and functors.

use std::sync::Arc;

use gchr_base::hash::HashMap;

use crate::cell::{Atom, Cell};

/// Names by number.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Atom>,
}

macro_rules! known {
    ($($name:ident = $text:literal,)*) => {
        /// Atoms that the machine itself knows, by the number that they always have.
        #[allow(non_upper_case_globals)]
        pub(crate) mod atom {
            use crate::cell::Atom;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            #[repr(u32)]
            enum Number { $($name,)* }
            $(pub const $name: Atom = Atom(Number::$name as u32);)*
            pub(super) const TEXTS: &[&str] = &[$($text,)*];
        }
    };
}

known! {
nil = "[]", cons = "[|]", curly = "{}", comma = ",", semicolon = ";", bar = "|", arrow = "->", soft = "*->", not = "\\+",
cut = "!", guard = "$", true_ = "true", fail = "fail", false_ = "false", call = "call", colon = ":", neck = ":-", equal = "=", identical = "==", not_identical = "\\==", not_unifiable = "\\=", minus = "-", plus = "+", star = "*",
slash = "/", error = "error", var_ = "$VAR", is = "is", lt = "<", gt = ">", le = "=<", ge = ">=", num_eq = "=:=", num_ne = "=\\=", var = "var", nonvar = "nonvar",
atom_ = "atom", number = "number", atomic = "atomic", compound = "compound", callable = "callable", integer = "integer", modulo = "mod", quotient = "//",
remainder = "rem", minimum = "min", maximum = "max", shift_right = ">>", bit_and = "/\\",
float = "float", string = "string", chr = "$chr", att = "att",
end_of_file = "end_of_file", once = "once", ignore = "ignore", forall = "forall",
// Functions of arithmetic.
div = "div", tdiv = "tdiv", gcd = "gcd", shift_left = "<<", bit_or = "\\/", bit_xor = "xor", bit_not = "\\",
power = "**", hat = "^", atan2 = "atan2", copysign = "copysign", lcm = "lcm", getbit = "getbit", nexttoward = "nexttoward",
powm = "powm", abs = "abs", sign = "sign", truncate = "truncate", trunc = "trunc", cot = "cot", acot = "acot", round = "round", floor = "floor",
ceiling = "ceiling", integer_part = "float_integer_part", fractional_part = "float_fractional_part", succ = "succ",
plus_of = "plus", msb = "msb", lsb = "lsb", popcount = "popcount", eval = "eval", random = "random",
random_float = "random_float", sqrt = "sqrt", sin = "sin", cos = "cos", tan = "tan", asin = "asin", acos = "acos",
atan = "atan", exp = "exp", log = "log", log2 = "log2", sinh = "sinh", cosh = "cosh", tanh = "tanh", asinh = "asinh",
acosh = "acosh", atanh = "atanh", numerator = "numerator", denominator = "denominator", rational = "rational",
rationalize = "rationalize", rdiv = "rdiv", pi = "pi", e = "e", epsilon = "epsilon", inf = "inf", infinite = "infinite", nan = "nan",
max_tagged = "max_tagged_integer", min_tagged = "min_tagged_integer", max_integer = "max_integer",
min_integer = "min_integer", cputime = "cputime", realtime = "realtime",
// Constraints over integers.
clpfd = "clpfd", fd = "fd", idle = "idle", queued = "queued", running = "running", again = "again", done = "done", large = "large",
differs = "differs", apart = "apart", one = "one", shift = "shift", mirror = "mirror", lin = "lin", fd_eq = "eq", fd_ne = "ne",
fd_le = "le", distinct = "distinct", reified = "reified", in_ = "in", fd_if = "$fd_if", fd_or = "$fd_or", fd_and = "$fd_and",
}

impl Cell {
    /// Whether the cell is an atom as programs test for it: the empty list is none.
    #[inline(always)]
    pub fn is_text_atom(self) -> bool {
        self.is_atom() && self != Cell::atom(atom::nil)
    }
}

impl Names {
    pub fn new() -> Self {
        let mut names = Self { texts: Vec::new(), numbers: HashMap::default() };
        for text in atom::TEXTS {
            let number = Atom(names.texts.len() as u32);
            names.texts.push((*text).into());
            names.numbers.entry((*text).into()).or_insert(number);
        }
        // `[]` is no atom of that name.
        names.numbers.remove("[]");
        names
    }
    /// The number of a name.
    pub fn intern(&mut self, text: &str) -> Atom {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = Atom(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }
    /// The name of a number.
    pub fn text(&self, atom: Atom) -> &Arc<str> {
        &self.texts[atom.0 as usize]
    }
    /// An atom as a cell.
    pub fn cell(&mut self, text: &str) -> Cell {
        Cell::atom(self.intern(text))
    }
}
