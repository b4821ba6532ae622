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
        ("write", 1) => Write { quoted: false, newline: false },
        ("writeln", 1) => Write { quoted: false, newline: true },
        ("print" | "writeq", 1) => Write { quoted: true, newline: false },
        ("format", 1 | 2) => Format,
        ("is", 2) => Is,
        ("=", 2) => Unify,
        ("\\=", 2) => NotUnify,
        _ => match Op::of_constraints(name, arity, true)? {
            op if op.is_type_test() => TypeTest(op),
            op if op.is_structural() => Structural(op),
            op => Compare(op),
        },
    })
}

/// Names of built-in goals, for suggestions.
pub(crate) fn goal_names() -> impl Iterator<Item = &'static str> {
    let control = [
        "true", "fail", "false", "nl", "var", "nonvar", "ground", "write", "writeln", "print", "writeq",
        "format", "is",
    ];
    control.into_iter().chain(operator_names(true).filter(is_word))
}

/// Names of the operators that are goals, or of those that are functions.
fn operator_names(goals: bool) -> impl Iterator<Item = &'static str> {
    let wanted = Op::ALL.iter().filter(move |op| op.is_test() == goals);
    wanted.flat_map(|op| op.row().constraints).copied()
}

fn is_word(name: &&'static str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

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
        (":", 2) => ("the module of a goal", "leave it out: constraints are those of this program"),
        _ => return None,
    })
}

/// Predicates of Prolog and its libraries that programs use most.
const PREDICATES: &[(&str, &[usize])] = &[
    ("append", &[2, 3]),
    ("arg", &[3]),
    ("assert", &[1]),
    ("asserta", &[1]),
    ("assertz", &[1]),
    ("atom_chars", &[2]),
    ("atom_codes", &[2]),
    ("atom_concat", &[3]),
    ("atom_length", &[2]),
    ("atom_number", &[2]),
    ("b_getval", &[2]),
    ("b_setval", &[2]),
    ("between", &[3]),
    ("copy_term", &[2]),
    ("delete", &[3]),
    ("dif", &[2]),
    ("exclude", &[3]),
    ("find_chr_constraint", &[1]),
    ("foldl", &[4, 5, 6]),
    ("freeze", &[2]),
    ("functor", &[3]),
    ("halt", &[0, 1]),
    ("is_list", &[1]),
    ("last", &[2]),
    ("length", &[2]),
    ("maplist", &[2, 3, 4, 5]),
    ("max_list", &[2]),
    ("member", &[2]),
    ("memberchk", &[2]),
    ("min_list", &[2]),
    ("msort", &[2]),
    ("nb_getval", &[2]),
    ("nb_setval", &[2]),
    ("nth0", &[3]),
    ("nth1", &[3]),
    ("plus", &[3]),
    ("put_char", &[1]),
    ("random_between", &[3]),
    ("read", &[1]),
    ("retract", &[1]),
    ("reverse", &[2]),
    ("select", &[3]),
    ("sort", &[2, 4]),
    ("statistics", &[2]),
    ("subtract", &[3]),
    ("succ", &[2]),
    ("sum_list", &[2]),
    ("sumlist", &[2]),
    ("tab", &[1]),
    ("when", &[2]),
    ("=..", &[2]),
    ("=@=", &[2]),
    ("\\=@=", &[2]),
];

/// Whether a name is one of a predicate of Prolog that is not there.
pub(crate) fn is_predicate(name: &str, arity: usize) -> bool {
    PREDICATES.iter().any(|(known, arities)| *known == name && arities.contains(&arity))
}

/// Whether a name is a goal that no constraint may redefine.
pub(crate) fn is_goal(name: &str, arity: usize) -> bool {
    let is_control = refused(name, arity).is_some() && name != ":";
    goal(name, arity).is_some() || is_control || (name == "," && arity == 2)
}

/// Names of arithmetic functions and constants, for suggestions.
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    // A name of one letter is near to every other one.
    let constants = gchr_base::op::CONSTANTS.map(|(name, _)| name).into_iter().filter(|name| name.len() > 1);
    operator_names(false).filter(is_word).chain(constants)
}

/// All arithmetic functions, in the order of the table, as messages list them.
pub(crate) fn function_list() -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in operator_names(false) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" ")
}
