//! Instructions of the machine: an abstract machine in the manner of Warren's, with arithmetic, tests and control in
//! line.

use crate::cell::{Atom, Cell};

/// Number of a predicate.
pub(crate) type PredId = u32;
/// An argument or temporary register.
pub(crate) type X = u16;
/// A slot of the environment.
pub(crate) type Y = u16;
/// A place in the code.
pub(crate) type Label = u32;

/// A register or a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    X(X),
    Y(Y),
}

/// A comparison of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
}

/// A test of what a term is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Var,
    Nonvar,
    Atom,
    Number,
    Atomic,
    Compound,
    Callable,
    Integer,
    Float,
    Str,
    /// Whether goals of variables decide about what `$may_differ` looked at.
    Wakes,
}

/// An instruction. Labels of tests say where to go on when they do not hold; [`FAIL`] is to the latest choice point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Instr {
    // Heads: arguments are taken apart or, where they are variables, built.
    Move(X, X),
    GetY(Y, X),
    GetValue(X, X),
    GetValueY(Y, X),
    GetConst(X, Cell),
    GetList(X),
    GetStruct(X, Cell),
    UnifyX(X),
    UnifyY(Y),
    UnifyValue(X),
    UnifyValueY(Y),
    UnifyConst(Cell),
    UnifyVoid(u32),
    /// The last argument of a structure or list is a list whose cell follows.
    UnifyTailList,

    // Bodies: arguments are built.
    Fresh(X),
    FreshY(Y),
    PutY(Y, X),
    PutConst(X, Cell),
    PutList(X),
    PutStruct(X, Cell),
    SetX(X),
    SetY(Y),
    SetValue(X),
    SetValueY(Y),
    SetConst(Cell),
    SetVoid(u32),
    /// A copy of a stored term.
    PutRecord(X, u32),
    GetRecord(X, u32),

    // Control.
    Allocate(u16),
    Deallocate,
    Call(PredId, u16),
    Execute(PredId, u16),
    Proceed,
    /// Calls a built-in predicate with its arguments in the first registers.
    Builtin(u32),
    /// Runs the goals of variables that were bound, keeping the first registers.
    Wake(u16),
    NeckCut,
    /// Notes the choice points that the clause's cut leaves.
    Level(Y),
    /// Notes the choice points there are.
    Mark(Y),
    CutTo(Y),
    /// The choice point made behind this mark has no alternative any more.
    SoftCut(Y),
    /// A choice point: the alternative is at the label.
    Try(Label),
    Jump(Label),
    Fail,

    // Arithmetic on a stack.
    NumX(X),
    NumY(Y),
    NumInt(i32),
    NumConst(Cell),
    /// Applies an evaluable functor of one or two operands.
    Eval(Atom, u8),
    Add,
    Sub,
    Mul,
    AddInt(i32),
    /// The result is a new value, or is unified with one.
    Result(X),
    ResultY(Y),
    IsX(X),
    IsY(Y),
    Compare(Compare, Label),

    // Tests.
    Test(Kind, Place, Label),
    Identical(Place, Place, bool, Label),

    // What the machine itself continues with.
    /// The goal of `catch/3` ended.
    PopCatch,
    /// A goal ended that is cleaned up after.
    PopCleanup,
    /// The registers that were kept while goals of bound variables ran are restored.
    Woken,
    /// Second goal of a conjunction that is interpreted.
    NextGoal,
    /// The condition of an interpreted if-then-else holds.
    Commit,
    /// Same, without cutting.
    SoftCommit,
    /// `\+` of an interpreted goal: it holds, so this does not.
    NotHeld,
    /// The goal of the query holds.
    Answer,
    /// Goes on with the constraint that is active.
    Continue,
    /// Goes on with the constraints that a binding woke.
    NextWoken,
}

/// The label of an instruction that fails.
pub(crate) const FAIL: Label = 0;
/// Fixed places in the code.
pub(crate) mod at {
    use super::Label;
    pub const POP_CATCH: Label = 1;
    pub const WOKEN: Label = 2;
    pub const NEXT_GOAL: Label = 3;
    pub const COMMIT: Label = 4;
    pub const SOFT_COMMIT: Label = 5;
    pub const NOT_HELD: Label = 6;
    pub const ANSWER: Label = 7;
    pub const CONTINUE: Label = 8;
    pub const NEXT_WOKEN: Label = 9;
    pub const PROCEED: Label = 10;
    pub const POP_CLEANUP: Label = 11;
    /// The last one of them.
    pub const LAST: Label = POP_CLEANUP;
}

/// What lies at the fixed places.
pub(crate) fn fixed_code() -> Vec<Instr> {
    use Instr::*;
    vec![
        Fail, PopCatch, Woken, NextGoal, Commit, SoftCommit, NotHeld, Answer, Continue, NextWoken, Proceed,
        PopCleanup,
    ]
}
