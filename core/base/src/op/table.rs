//! The table of operators: names in both languages, operands, result, errors, device function. Everything else derives
//! from it.

use super::ArithmeticError::{self, *};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Name as the printers of rules and plans show it.
    pub name: &'static str,
    /// Number of operands: 1 or 2.
    pub arity: usize,
    /// What the operands are.
    pub operands: Operands,
    /// Sort of the result.
    pub result: ResultSort,
    /// How term programs write it.
    pub terms: TermSyntax,
    /// Names of the function or goal in constraint programs.
    pub constraints: &'static [&'static str],
    /// Errors that are possible when all operands are integers.
    pub int_errors: &'static [ArithmeticError],
    /// Errors that are possible when one of the operands is a float.
    pub float_errors: &'static [ArithmeticError],
    /// Name of the device function behind `int_` and `float_`; `None` for an expression of the kernel language.
    pub device: Option<&'static str>,
}

/// What the operands of an operator are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operands {
    /// Integers and floats. Two operands have one sort in term programs, any two in constraint programs.
    Numbers,
    /// Integers.
    Integers,
    /// Texts of term programs, whose words are integers; some second operands are numbers.
    Texts,
    /// Values of any sort, taken as they are.
    Values,
    /// Truth values.
    Truth,
}

/// What the sort of a result depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultSort {
    /// An integer of integers, else a float.
    Operands,
    /// One of the operands.
    Chosen,
    /// A float, but for two integers an integer if it is exact.
    Quotient,
    /// A float of two floats; of two integers an integer, but a float for negative exponents; else either.
    Power,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A truth value.
    Truth,
}

/// How term programs write an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermSyntax {
    /// They do not.
    None,
    /// Before its operand; binds tighter than all operators between operands.
    Prefix(&'static str),
    /// Between its operands; level 1 binds loosest.
    Infix(&'static str, u8),
    /// A name before operands in brackets.
    Function(&'static [&'static str]),
}

impl Operator {
    const fn new(
        summary: &'static str,
        name: &'static str,
        arity: usize,
        operands: Operands,
        result: ResultSort,
    ) -> Self {
        Self {
            summary,
            name,
            arity,
            operands,
            result,
            terms: TermSyntax::None,
            constraints: &[],
            int_errors: &[],
            float_errors: &[],
            device: None,
        }
    }
    const fn terms(self, terms: TermSyntax) -> Self {
        Self { terms, ..self }
    }
    const fn constraints(self, constraints: &'static [&'static str]) -> Self {
        Self { constraints, ..self }
    }
    const fn int_errors(self, int_errors: &'static [ArithmeticError]) -> Self {
        Self { int_errors, ..self }
    }
    const fn float_errors(self, float_errors: &'static [ArithmeticError]) -> Self {
        Self { float_errors, ..self }
    }
    const fn device(self, name: &'static str) -> Self {
        Self { device: Some(name), ..self }
    }
}

/// Makes the type `Op` and its table of the rows.
macro_rules! operators {
    ($(#[doc = $summary:literal] $op:ident = ($name:expr, $arity:expr, $operands:ident, $result:ident) $(.$field:ident($value:expr))*;)*) => {
        /// A built-in operator.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Op {
            $(#[doc = $summary] $op,)*
        }

        static TABLE: &[Operator] = &[
            $(Operator::new($summary, $name, $arity, Operands::$operands, ResultSort::$result)$(.$field($value))*,)*
        ];

        impl Op {
            /// All operators, in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$op,)*];

            /// Its row of the table.
            pub fn row(self) -> &'static Operator {
                &TABLE[self as usize]
            }
        }
    };
}

use TermSyntax::{Function, Infix, Prefix};

operators! {
    /// Sum.
    Add = ("+", 2, Numbers, Operands)
        .terms(Infix("+", 8)).constraints(&["+"])
        .int_errors(&[Overflow]).float_errors(&[Overflow]).device("add");
    /// Difference.
    Sub = ("-", 2, Numbers, Operands)
        .terms(Infix("-", 8)).constraints(&["-"])
        .int_errors(&[Overflow]).float_errors(&[Overflow]).device("sub");
    /// Product.
    Mul = ("*", 2, Numbers, Operands)
        .terms(Infix("*", 9)).constraints(&["*"])
        .int_errors(&[Overflow]).float_errors(&[Overflow]).device("mul");
    /// Real division; in `.chr`, of two integers the quotient when it is exact, else a float (as in SWI-Prolog).
    Div = ("/", 2, Numbers, Quotient)
        .terms(Infix("/", 9)).constraints(&["/"])
        .int_errors(&[DivisionByZero, Overflow]).float_errors(&[DivisionByZero, Overflow]).device("div");
    /// Integer division, truncated towards zero.
    Quot = ("//", 2, Integers, Operands)
        .constraints(&["//"]).int_errors(&[DivisionByZero, Overflow]).device("quot");
    /// Remainder of the truncated division, with the sign of the dividend.
    Rem = ("rem", 2, Integers, Operands)
        .constraints(&["rem"]).int_errors(&[DivisionByZero]).device("rem");
    /// Integer division, rounded down.
    FloorDiv = ("div", 2, Integers, Operands)
        .terms(Infix("div", 9)).constraints(&["div"])
        .int_errors(&[DivisionByZero, Overflow]).device("floor_div");
    /// Remainder of the division rounded down, with the sign of the divisor.
    Mod = ("mod", 2, Integers, Operands)
        .terms(Infix("mod", 9)).constraints(&["mod"]).int_errors(&[DivisionByZero]).device("mod");
    /// Smaller operand; -0.0 is smaller than 0.0.
    Min = ("min", 2, Numbers, Chosen).terms(Function(&["min"])).constraints(&["min"]);
    /// Greater operand; 0.0 is greater than -0.0.
    Max = ("max", 2, Numbers, Chosen).terms(Function(&["max"])).constraints(&["max"]);
    /// Negation.
    Neg = ("neg", 1, Numbers, Operands)
        .terms(Prefix("-")).constraints(&["-"]).int_errors(&[Overflow]).device("neg");
    /// Absolute value.
    Abs = ("abs", 1, Numbers, Operands)
        .terms(Function(&["abs"])).constraints(&["abs"]).int_errors(&[Overflow]).device("abs");
    /// Sign: -1, 0 or 1 of an integer; -1.0, -0.0, 0.0 or 1.0 of a float.
    Sign = ("sign", 1, Numbers, Operands)
        .terms(Function(&["sign"])).constraints(&["sign"]).device("sign");
    /// Greatest common divisor, never negative.
    Gcd = ("gcd", 2, Integers, Operands)
        .terms(Function(&["gcd"])).constraints(&["gcd"]).int_errors(&[Overflow]).device("gcd");
    /// Index of the most significant bit of a positive integer.
    Msb = ("msb", 1, Integers, Operands)
        .terms(Function(&["msb"])).constraints(&["msb"]).int_errors(&[Undefined]).device("msb");
    /// The value itself; a term is evaluated.
    Eval = ("eval", 1, Numbers, Operands).constraints(&["eval", "+"]);
    /// Power.
    Pow = ("**", 2, Numbers, Power)
        .constraints(&["**", "^"])
        .int_errors(&[Overflow, DivisionByZero, Type])
        .float_errors(&[Overflow, DivisionByZero, Undefined]).device("pow");
    /// Bitwise and.
    And = ("/\\", 2, Integers, Operands).terms(Infix("&", 6)).constraints(&["/\\"]);
    /// Bitwise or.
    Or = ("\\/", 2, Integers, Operands).terms(Infix("|", 4)).constraints(&["\\/"]);
    /// Bitwise exclusive or.
    Xor = ("xor", 2, Integers, Operands).terms(Infix("^", 5)).constraints(&["xor"]);
    /// Bitwise complement.
    Not = ("\\", 1, Integers, Operands).constraints(&["\\"]);
    /// Shift left; losing a bit is an overflow.
    Shl = ("<<", 2, Integers, Operands)
        .terms(Infix("<<", 7)).constraints(&["<<"]).int_errors(&[Undefined, Overflow]).device("shl");
    /// Arithmetic shift right.
    Shr = (">>", 2, Integers, Operands)
        .terms(Infix(">>", 7)).constraints(&[">>"]).int_errors(&[Undefined]).device("shr");
    /// Conversion to a float.
    ToFloat = ("float", 1, Numbers, Float).terms(Function(&["float"])).constraints(&["float"]);
    /// Conversion to an integer, towards zero.
    Truncate = ("truncate", 1, Numbers, Int)
        .terms(Function(&["truncate"])).constraints(&["truncate"]).float_errors(&[Overflow]).device("truncate");
    /// Conversion to the nearest integer, halves away from zero.
    Round = ("round", 1, Numbers, Int)
        .terms(Function(&["round", "integer"])).constraints(&["round", "integer"])
        .float_errors(&[Overflow]).device("truncate");
    /// Conversion to the next integer that is not greater.
    Floor = ("floor", 1, Numbers, Int)
        .terms(Function(&["floor"])).constraints(&["floor"]).float_errors(&[Overflow]).device("truncate");
    /// Conversion to the next integer that is not smaller.
    Ceiling = ("ceiling", 1, Numbers, Int)
        .terms(Function(&["ceiling"])).constraints(&["ceiling"]).float_errors(&[Overflow]).device("truncate");
    /// Number of bytes of a text.
    TextLength = ("text-length", 1, Texts, Operands).int_errors(&[Overflow]).device("text_length");
    /// Two texts as one.
    TextJoin = ("text-join", 2, Texts, Operands).int_errors(&[Overflow]).device("text_join");
    /// The first so many bytes of a text, or all.
    TextPrefix = ("text-prefix", 2, Texts, Operands).int_errors(&[Overflow]).device("text_prefix");
    /// A text behind so many bytes.
    TextBehind = ("text-behind", 2, Texts, Operands).int_errors(&[Overflow]).device("text_behind");
    /// Where a text is in another one for the first time; -1 where it is not.
    TextFind = ("text-find", 2, Texts, Operands).int_errors(&[Overflow]).device("text_find");
    /// Where a text is in another one for the last time; -1 where it is not.
    TextFindLast = ("text-find-last", 2, Texts, Operands).int_errors(&[Overflow]).device("text_find_last");
    /// The order of two texts, whose bytes have signs: -1, 0 or 1.
    TextCompare = ("text-compare", 2, Texts, Operands).int_errors(&[Overflow]).device("text_compare");
    /// A text with upper case letters of ASCII.
    TextUpper = ("text-upper", 1, Texts, Operands).int_errors(&[Overflow]).device("text_upper");
    /// A text with lower case letters of ASCII.
    TextLower = ("text-lower", 1, Texts, Operands).int_errors(&[Overflow]).device("text_lower");
    /// Numbers are equal; in term programs two terms of any one sort.
    Eq = ("=:=", 2, Numbers, Truth).terms(Infix("==", 3)).constraints(&["=:="]);
    /// Numbers are different; in term programs two terms of any one sort.
    Ne = ("=\\=", 2, Numbers, Truth).terms(Infix("!=", 3)).constraints(&["=\\="]);
    /// Less.
    Lt = ("<", 2, Numbers, Truth).terms(Infix("<", 3)).constraints(&["<"]);
    /// Less or equal.
    Le = ("=<", 2, Numbers, Truth).terms(Infix("<=", 3)).constraints(&["=<"]);
    /// Greater.
    Gt = (">", 2, Numbers, Truth).terms(Infix(">", 3)).constraints(&[">"]);
    /// Greater or equal.
    Ge = (">=", 2, Numbers, Truth).terms(Infix(">=", 3)).constraints(&[">="]);
    /// Structurally the same value of any sort.
    Same = ("==", 2, Values, Truth).constraints(&["=="]);
    /// Structurally different.
    Differ = ("\\==", 2, Values, Truth).constraints(&["\\=="]);
    /// Before in the standard order of terms.
    Before = ("@<", 2, Values, Truth).constraints(&["@<"]);
    /// Before or the same.
    BeforeOrSame = ("@=<", 2, Values, Truth).constraints(&["@=<"]);
    /// After in the standard order of terms.
    After = ("@>", 2, Values, Truth).constraints(&["@>"]);
    /// After or the same.
    AfterOrSame = ("@>=", 2, Values, Truth).constraints(&["@>="]);
    /// Both truth values hold; the second one is evaluated only if it matters.
    Both = ("&&", 2, Truth, Truth).terms(Infix("&&", 2));
    /// One of the truth values holds; the second one is evaluated only if it matters.
    Either = ("||", 2, Truth, Truth).terms(Infix("||", 1));
    /// The truth value does not hold.
    Negate = ("!", 1, Truth, Truth).terms(Prefix("!"));
    /// An integer.
    IsInteger = ("integer", 1, Values, Truth).constraints(&["integer"]);
    /// A float.
    IsFloat = ("float?", 1, Values, Truth).constraints(&["float"]);
    /// An integer or a float.
    IsNumber = ("number", 1, Values, Truth).constraints(&["number"]);
    /// An atom.
    IsAtom = ("atom", 1, Values, Truth).constraints(&["atom"]);
    /// A string.
    IsString = ("string", 1, Values, Truth).constraints(&["string"]);
    /// Not a compound term.
    IsAtomic = ("atomic", 1, Values, Truth).constraints(&["atomic"]);
    /// A compound term.
    IsCompound = ("compound", 1, Values, Truth).constraints(&["compound"]);
    /// An atom or a compound term.
    IsCallable = ("callable", 1, Values, Truth).constraints(&["callable"]);
}
