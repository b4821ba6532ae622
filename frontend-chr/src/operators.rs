//! The operator table of Prolog with the operators of library(chr).

/// An operator in one of its roles: its priority and the greatest priorities of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operator {
    pub priority: u32,
    /// Greatest priority of the left operand; unused for a prefix operator.
    pub left: u32,
    /// Greatest priority of the right (or only) operand.
    pub right: u32,
}

/// Greatest priority at which an argument or an item of a list is printed without parentheses (they are read at any priority).
pub(crate) const ARGUMENT: u32 = 999;
/// Greatest priority of a term.
pub(crate) const TERM: u32 = 1200;

const fn xfx(p: u32) -> Operator {
    Operator { priority: p, left: p - 1, right: p - 1 }
}
const fn xfy(p: u32) -> Operator {
    Operator { priority: p, left: p - 1, right: p }
}
const fn yfx(p: u32) -> Operator {
    Operator { priority: p, left: p, right: p - 1 }
}
const fn fy(p: u32) -> Operator {
    Operator { priority: p, left: 0, right: p }
}
const fn fx(p: u32) -> Operator {
    Operator { priority: p, left: 0, right: p - 1 }
}

/// The operator `name` between two operands.
pub(crate) fn infix(name: &str) -> Option<Operator> {
    Some(match name {
        ":-" | "-->" | "@" => xfx(1200),
        "pragma" => xfx(1190),
        "<=>" | "==>" => xfx(1180),
        "--->" => xfx(1130),
        "\\" => xfx(1100),
        ";" | "|" => xfy(1100),
        "->" | "*->" => xfy(1050),
        "," => xfy(1000),
        ":=" => xfx(990),
        "=" | "\\=" | "==" | "\\==" | "@<" | "@=<" | "@>" | "@>=" | "=:=" | "=\\=" | "<" | "=<" | ">"
        | ">=" | "is" | "=.." | "=@=" | "\\=@=" | "as" | ">:<" | ":<" | "::" => xfx(700),
        ":" => xfy(600),
        "+" | "-" | "/\\" | "\\/" | "#" => yfx(500),
        "*" | "/" | "//" | "div" | "mod" | "rem" | "<<" | ">>" | "xor" | "rdiv" | "divs" | "tdiv" => yfx(400),
        "**" => xfx(200),
        "^" => xfy(200),
        _ => return None,
    })
}

/// The operator `name` before its operand.
pub(crate) fn prefix(name: &str) -> Option<Operator> {
    Some(match name {
        ":-" | "?-" => fx(1200),
        "chr_constraint" | "constraints" | "chr_type" | "chr_declaration" | "handler" | "rules"
        | "dynamic" | "discontiguous" | "initialization" | "multifile" | "module_transparent"
        | "meta_predicate" | "public" | "table" => fx(1150),
        "\\+" => fy(900),
        "+" | "-" | "\\" | "?" => fy(200),
        "$" => fx(1),
        _ => return None,
    })
}

/// Whether a name is an operator in any role.
pub(crate) fn is_operator(name: &str) -> bool {
    infix(name).is_some() || prefix(name).is_some()
}
