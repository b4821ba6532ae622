//! The operators of Prolog and of library(chr), by which terms are read and written: those of SWI-Prolog 9.

/// An operator in one of its roles: its priority and the greatest priorities of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperatorPriority {
    /// Its priority: the greater, the weaker it binds.
    pub priority: u16,
    /// Greatest priority of the left operand; 0 for a prefix operator.
    pub left: u16,
    /// Greatest priority of the right, or only, operand.
    pub right: u16,
    /// Whether it is one of library(chr), which terms are read with but not written with.
    pub of_chr: bool,
}

/// Greatest priority of an argument and of an item of a list.
pub const ARGUMENT: u16 = 999;
/// Greatest priority of a term.
pub const TERM: u16 = 1200;

const fn operator(priority: u16, left: u16, right: u16) -> OperatorPriority {
    OperatorPriority { priority, left, right, of_chr: false }
}
const fn xfx(p: u16) -> OperatorPriority {
    operator(p, p - 1, p - 1)
}
const fn xfy(p: u16) -> OperatorPriority {
    operator(p, p - 1, p)
}
const fn yfx(p: u16) -> OperatorPriority {
    operator(p, p, p - 1)
}
const fn fy(p: u16) -> OperatorPriority {
    operator(p, 0, p)
}
const fn fx(p: u16) -> OperatorPriority {
    operator(p, 0, p - 1)
}
const fn of_chr(operator: OperatorPriority) -> OperatorPriority {
    OperatorPriority { of_chr: true, ..operator }
}

/// Operators between two operands.
pub const INFIX: &[(&[&str], OperatorPriority)] = &[
    (&[":-", "-->", "=>"], xfx(1200)),
    (&["@"], of_chr(xfx(1200))),
    (&["pragma"], of_chr(xfx(1190))),
    (&["<=>", "==>"], of_chr(xfx(1180))),
    (&["--->"], of_chr(xfx(1130))),
    (&["|"], xfy(1105)),
    (&["\\"], of_chr(xfx(1100))),
    (&[";"], xfy(1100)),
    (&["->", "*->"], xfy(1050)),
    (&[","], xfy(1000)),
    (&[":="], xfx(800)),
    (
        &[
            "=", "\\=", "==", "\\==", "@<", "@=<", "@>", "@>=", "=:=", "=\\=", "<", "=<", ">", ">=", "is",
            "=..", "=@=", "\\=@=", "as", ">:<", ":<",
        ],
        xfx(700),
    ),
    (&[":"], xfy(600)),
    (&["+", "-", "/\\", "\\/"], yfx(500)),
    (&["#"], of_chr(yfx(500))),
    (&["*", "/", "//", "div", "mod", "rem", "<<", ">>", "xor", "rdiv"], yfx(400)),
    (&["**"], xfx(200)),
    (&["^"], xfy(200)),
];

/// Operators before their operand.
pub const PREFIX: &[(&[&str], OperatorPriority)] = &[
    (&[":-", "?-"], fx(1200)),
    (
        &[
            "dynamic",
            "discontiguous",
            "initialization",
            "meta_predicate",
            "module_transparent",
            "multifile",
            "public",
            "table",
            "thread_initialization",
            "thread_local",
            "volatile",
        ],
        fx(1150),
    ),
    (
        &[
            "chr_constraint",
            "chr_declaration",
            "chr_preprocessor",
            "chr_type",
            "constraints",
            "handler",
            "rules",
        ],
        of_chr(fx(1150)),
    ),
    // 1150 in SWI-Prolog; here modes of columns are printed without parentheses.
    (&["?"], of_chr(fy(200))),
    (&["\\+"], fy(900)),
    (&["+", "-", "\\"], fy(200)),
    (&["$"], fx(1)),
];

fn find(table: &[(&[&str], OperatorPriority)], name: &str) -> Option<OperatorPriority> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, operator)| *operator)
}

/// The operator `name` between two operands.
pub fn infix(name: &str) -> Option<OperatorPriority> {
    find(INFIX, name)
}

/// The operator `name` before its operand.
pub fn prefix(name: &str) -> Option<OperatorPriority> {
    find(PREFIX, name)
}

/// Whether a name is an operator in any role.
pub fn is_operator(name: &str) -> bool {
    infix(name).is_some() || prefix(name).is_some()
}
