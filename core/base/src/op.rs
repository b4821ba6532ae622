//! Built-in operators of expressions: one table of all of them, and their arithmetic on the CPU.

mod eval;
mod function;
mod table;
pub mod texts;

pub use self::eval::{max_float, min_float};
pub use self::function::CONSTANTS;
pub use self::table::{Op, Operands, Operator, ResultSort, TermSyntax};

use std::cmp::Ordering;

use crate::sort::SortKind;

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArithmeticError {
    /// The result needs more than 64 bits, or is not a finite float.
    Overflow,
    /// An integer of any size has more digits than are computed with.
    TooLarge,
    /// Division by zero.
    DivisionByZero,
    /// An operand has the wrong type for the operator.
    Type,
    /// The operation is undefined there (`msb(0)`, a negative shift, `0 ** -1`).
    Undefined,
    /// An operand is a term that has a value, on a device that computes with numbers only.
    Unevaluated,
}

impl Op {
    /// Number of operands.
    pub fn arity(self) -> usize {
        self.row().arity
    }
    /// Whether the result is a truth value.
    pub fn is_test(self) -> bool {
        self.row().result == ResultSort::Truth
    }
    /// Whether the operands are truth values.
    pub fn is_logical(self) -> bool {
        self.row().operands == Operands::Truth
    }
    /// Whether the operands are compared or inspected as they are, whatever their sort.
    pub fn is_structural(self) -> bool {
        self.row().operands == Operands::Values
    }
    /// Whether the operation inspects the type of its operand.
    pub fn is_type_test(self) -> bool {
        self.is_structural() && self.arity() == 1
    }
    /// Whether the operation is defined on integers only.
    pub fn is_integer_only(self) -> bool {
        matches!(self.row().operands, Operands::Integers | Operands::Texts)
    }
    /// Whether the operation is one on texts, whose words may name what is in a table.
    pub fn is_of_texts(self) -> bool {
        self.row().operands == Operands::Texts
    }
    /// Whether the operation turns a float into an integer; an integer stays as it is.
    pub fn rounds(self) -> bool {
        self.row().result == ResultSort::Int
    }
    /// Name as the rules and plan printers show it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Sort of the result on operands of these kinds; `Any` where it depends on their values.
    pub fn result(self, operands: &[SortKind]) -> SortKind {
        let all = |kind| operands.iter().all(|&operand| operand == kind);
        match self.row().result {
            ResultSort::Truth => SortKind::Data,
            ResultSort::Int => SortKind::Int,
            ResultSort::Float => SortKind::Float,
            _ if operands.contains(&SortKind::Any) => SortKind::Any,
            ResultSort::Quotient if all(SortKind::Int) => SortKind::Any,
            ResultSort::Chosen | ResultSort::Power if all(SortKind::Float) => SortKind::Float,
            ResultSort::Chosen if all(SortKind::Int) => SortKind::Int,
            ResultSort::Chosen | ResultSort::Power => SortKind::Any,
            ResultSort::Operands if all(SortKind::Int) => SortKind::Int,
            ResultSort::Operands | ResultSort::Quotient => SortKind::Float,
        }
    }

    /// Whether the operation may end in an error on some operands of these kinds. Truth values are taken to be `true`
    /// or `false`.
    pub fn can_fail(self, operands: &[SortKind]) -> bool {
        let row = self.row();
        let is_number = |kind: &SortKind| matches!(kind, SortKind::Int | SortKind::Float);
        match row.operands {
            Operands::Values | Operands::Truth => false,
            _ if !operands.iter().all(is_number) => true,
            _ if !operands.contains(&SortKind::Float) => !row.int_errors.is_empty(),
            Operands::Integers | Operands::Texts => true,
            Operands::Numbers => !row.float_errors.is_empty(),
        }
    }

    /// Whether an ordering satisfies a comparison (`Eq` to `Ge` and `Same` to `AfterOrSame`); false for other
    /// operators.
    pub fn holds(self, ordering: Ordering) -> bool {
        use Op::*;
        match self {
            Eq | Same => ordering.is_eq(),
            Ne | Differ => ordering.is_ne(),
            Lt | Before => ordering.is_lt(),
            Le | BeforeOrSame => ordering.is_le(),
            Gt | After => ordering.is_gt(),
            Ge | AfterOrSame => ordering.is_ge(),
            _ => false,
        }
    }

    /// The operator that a name means in an expression of a constraint program, and the one that it means as a goal.
    pub fn of_constraints(name: &str, arity: usize, goal: bool) -> Option<Op> {
        let fits = |op: &Op| op.arity() == arity && op.is_test() == goal;
        Op::ALL.iter().copied().filter(fits).find(|op| op.row().constraints.contains(&name))
    }

    /// The operator that a name in front of arguments means in a term program that declares no symbol of that name.
    pub fn term_function(name: &str) -> Option<Op> {
        let named = |op: &Op| matches!(op.row().terms, TermSyntax::Function(names) if names.contains(&name));
        Op::ALL.iter().copied().find(named)
    }

    /// Names of the operators that term programs write in front of arguments.
    pub fn term_functions() -> impl Iterator<Item = &'static str> {
        let names = |op: &Op| match op.row().terms {
            TermSyntax::Function(names) => names,
            _ => &[],
        };
        Op::ALL.iter().flat_map(names).copied()
    }
}

#[cfg(test)]
mod docs;
#[cfg(test)]
mod tests;
