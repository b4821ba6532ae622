//! What the grammar reads, before names and types are resolved.

use std::ops::Range;

use crate::ir::{BinaryOp, FunctionKind, Scalar, Space, UnaryOp};

/// A name in the text.
#[derive(Clone, Debug)]
pub(super) struct Ident {
    pub name: String,
    pub span: Range<usize>,
}

/// A type in the text: `u32`, `Cell*`, `in_shared u32*`.
#[derive(Clone, Debug)]
pub(super) struct TypeName {
    /// `in_shared` or `in_local` before a pointer.
    pub space: Option<Space>,
    pub name: Ident,
    pub pointer: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Bool(bool),
    Int(u64, Scalar),
    Float(f64),
    /// A string: name of an assumption.
    Text(String),
    Name(String),
    Field(Box<Expr>, Ident),
    Index(Box<Expr>, Box<Expr>),
    Call(Ident, Vec<Expr>),
    Record(Ident, Vec<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `&place`, as the first argument of an atomic.
    Address(Box<Expr>),
}

#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub line: Option<u32>,
    pub comments: Vec<String>,
    pub kind: StmtKind,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub place: Expr,
    /// The operation of `place op= value`.
    pub op: Option<BinaryOp>,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Values; empty for `default`.
    pub values: Vec<Expr>,
    pub body: Vec<Stmt>,
    /// Whether `break` stands after it.
    pub closed: bool,
    pub span: Range<usize>,
}

/// Where an array is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArrayKind {
    Local,
    Shared,
    Striped,
}

#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Declare {
        ty: TypeName,
        name: Ident,
        value: Option<Expr>,
    },
    Array {
        kind: ArrayKind,
        element: TypeName,
        name: Ident,
        length: Expr,
    },
    Assign(Assignment),
    Call(Expr),
    If {
        condition: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Switch {
        value: Expr,
        cases: Vec<Case>,
    },
    While {
        condition: Expr,
        body: Vec<Stmt>,
        label: Option<Ident>,
    },
    For {
        unroll: bool,
        ty: TypeName,
        name: Ident,
        head: Box<(Expr, Expr, Assignment)>,
        body: Vec<Stmt>,
        label: Option<Ident>,
    },
    Break,
    Goto(Ident),
    Continue,
    Return(Option<Expr>),
    Simulated(Vec<Stmt>),
    Everywhere {
        captures: Vec<(TypeName, Ident, Expr)>,
        body: Vec<Stmt>,
    },
    /// What could not be read; reported already.
    Error,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Alias { name: Ident, ty: Option<Ident> },
    Record { name: Ident, align: Option<u32>, fields: Vec<(TypeName, Ident)> },
    Constant { ty: Ident, name: Ident, value: Option<Expr> },
    Function(Box<Function>),
    Error,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub doc: Vec<String>,
    pub kind: FunctionKind,
    pub result: TypeName,
    pub name: Ident,
    pub params: Vec<(TypeName, Ident)>,
    pub body: Vec<Stmt>,
}
