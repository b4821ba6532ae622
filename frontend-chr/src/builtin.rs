//! Built-ins: goals with their arity, arithmetic functions, and Prolog control that is refused.

use gchr_base::op::Op;

/// A built-in goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    True,
    Fail,
    /// `X is E`.
    Is,
    /// `X = Y`.
    Unify,
    /// `X \= Y`.
    NotUnify,
    /// Comparison of two arithmetic expressions.
    Compare(Op),
    /// Comparison of two terms.
    Structural(Op),
    /// Type test.
    TypeTest(Op),
    /// `var`.
    Var,
    /// `nonvar`, `ground`.
    NonVar,
    /// Writes its argument: quoted or not, with a line end or not.
    Write {
        quoted: bool,
        newline: bool,
    },
    Newline,
    /// `format/1,2`.
    Format,
}

/// The built-in goal of a name and a number of arguments.
pub(crate) fn goal(name: &str, arity: usize) -> Option<Builtin> {
    use Builtin::*;
    Some(match (name, arity) {
        ("true", 0) => True,
        ("fail" | "false", 0) => Fail,
        ("nl", 0) => Newline,
        ("var", 1) => Var,
        ("nonvar" | "ground", 1) => NonVar,
        ("integer", 1) => TypeTest(Op::IsInteger),
        ("float", 1) => TypeTest(Op::IsFloat),
        ("number", 1) => TypeTest(Op::IsNumber),
        ("atom", 1) => TypeTest(Op::IsAtom),
        ("string", 1) => TypeTest(Op::IsString),
        ("atomic", 1) => TypeTest(Op::IsAtomic),
        ("compound", 1) => TypeTest(Op::IsCompound),
        ("callable", 1) => TypeTest(Op::IsCallable),
        ("write", 1) => Write { quoted: false, newline: false },
        ("writeln", 1) => Write { quoted: false, newline: true },
        ("print" | "writeq", 1) => Write { quoted: true, newline: false },
        ("format", 1 | 2) => Format,
        ("is", 2) => Is,
        ("=", 2) => Unify,
        ("\\=", 2) => NotUnify,
        ("=:=", 2) => Compare(Op::Eq),
        ("=\\=", 2) => Compare(Op::Ne),
        ("<", 2) => Compare(Op::Lt),
        ("=<", 2) => Compare(Op::Le),
        (">", 2) => Compare(Op::Gt),
        (">=", 2) => Compare(Op::Ge),
        ("==", 2) => Structural(Op::Same),
        ("\\==", 2) => Structural(Op::Differ),
        ("@<", 2) => Structural(Op::Before),
        ("@=<", 2) => Structural(Op::BeforeOrSame),
        ("@>", 2) => Structural(Op::After),
        ("@>=", 2) => Structural(Op::AfterOrSame),
        _ => return None,
    })
}

/// Names of built-in goals, for suggestions.
pub(crate) const GOAL_NAMES: [&str; 21] = [
    "true", "fail", "false", "nl", "var", "nonvar", "ground", "integer", "float", "number", "atom", "string",
    "atomic", "compound", "callable", "write", "writeln", "print", "writeq", "format", "is",
];

/// Prolog control that constraint programs here do not have, and what to write instead.
pub(crate) fn refused(name: &str, arity: usize) -> Option<(&'static str, &'static str)> {
    Some(match (name, arity) {
        ("->" | "*->", 2) => {
            ("if-then-else", "write one rule for each case, with the condition in its guard")
        }
        (";" | "|", 2) => ("disjunction", "write one rule for each alternative; rules do not search"),
        ("\\+", 1) | ("not", 1) => ("negation", "use the opposite test, such as \\== for == or >= for <"),
        ("!", 0) => ("cut", "leave it out: rules commit to the first match anyway"),
        ("call", 1..=8)
        | ("findall", 3 | 4)
        | ("forall", 2)
        | ("once" | "ignore", 1)
        | ("bagof" | "setof", 3) => ("calling goals", "write constraints and rules for it"),
        _ => return None,
    })
}

/// Whether a name is a goal that no constraint may redefine.
pub(crate) fn is_goal(name: &str, arity: usize) -> bool {
    goal(name, arity).is_some() || refused(name, arity).is_some() || (name == "," && arity == 2)
}

/// A function of arithmetic expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Op(Op),
    /// `^`: on integers a power with an integer result.
    IntegerPower,
    /// Unary plus.
    Identity,
    /// `integer`, `round`: to the nearest integer, halves away from zero.
    Round,
    Floor,
    Ceiling,
}

/// The arithmetic function of a name and a number of operands.
pub(crate) fn function(name: &str, arity: usize) -> Option<Function> {
    use Function::*;
    Some(match (name, arity) {
        ("+", 2) => Op(self::Op::Add),
        ("-", 2) => Op(self::Op::Sub),
        ("*", 2) => Op(self::Op::Mul),
        ("/", 2) => Op(self::Op::Div),
        ("//", 2) => Op(self::Op::Quot),
        ("rem", 2) => Op(self::Op::Rem),
        ("div", 2) => Op(self::Op::FloorDiv),
        ("mod", 2) => Op(self::Op::Mod),
        ("min", 2) => Op(self::Op::Min),
        ("max", 2) => Op(self::Op::Max),
        ("gcd", 2) => Op(self::Op::Gcd),
        ("**", 2) => Op(self::Op::Pow),
        ("^", 2) => IntegerPower,
        ("/\\", 2) => Op(self::Op::And),
        ("\\/", 2) => Op(self::Op::Or),
        ("xor", 2) => Op(self::Op::Xor),
        ("<<", 2) => Op(self::Op::Shl),
        (">>", 2) => Op(self::Op::Shr),
        ("+", 1) => Identity,
        ("-", 1) => Op(self::Op::Neg),
        ("\\", 1) => Op(self::Op::Not),
        ("abs", 1) => Op(self::Op::Abs),
        ("sign", 1) => Op(self::Op::Sign),
        ("msb", 1) => Op(self::Op::Msb),
        ("float", 1) => Op(self::Op::ToFloat),
        ("truncate", 1) => Op(self::Op::Truncate),
        ("integer" | "round", 1) => Round,
        ("floor", 1) => Floor,
        ("ceiling", 1) => Ceiling,
        _ => return None,
    })
}

/// Names of arithmetic functions, for suggestions.
pub(crate) const FUNCTION_NAMES: [&str; 17] = [
    "rem", "div", "mod", "min", "max", "gcd", "xor", "abs", "sign", "msb", "float", "truncate", "integer",
    "round", "floor", "ceiling", "pi",
];
