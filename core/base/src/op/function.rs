//! Arithmetic functions of constraint programs by their names: the same for expressions in the text and for terms
//! that are evaluated when the program runs.

use super::Op;

/// What a constant of arithmetic stands for.
pub const CONSTANTS: [(&str, f64); 3] =
    [("pi", std::f64::consts::PI), ("e", std::f64::consts::E), ("epsilon", f64::EPSILON)];

impl Op {
    /// The operator that a name in front of so many operands means in an arithmetic expression of a constraint program.
    pub fn arithmetic_function(name: &str, arity: usize) -> Option<Op> {
        Op::of_constraints(name, arity, false)
    }

    /// The value of an atom in an arithmetic expression of a constraint program.
    pub fn arithmetic_constant(name: &str) -> Option<f64> {
        CONSTANTS.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
    }
}
