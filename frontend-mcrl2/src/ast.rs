//! Syntax tree of the data part of a specification.

use std::sync::Arc;

use gchr_base::source::Span;

/// A name with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Ident {
    /// The name.
    pub text: Arc<str>,
    /// Its place.
    pub span: Span,
}

/// A specification.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Specification {
    /// Its sections in textual order.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Clone, PartialEq, Debug)]
pub enum Section {
    /// `sort`.
    Sorts(Vec<SortDeclaration>),
    /// `cons`.
    Constructors(Vec<SymbolDeclaration>),
    /// `map`.
    Mappings(Vec<SymbolDeclaration>),
    /// `var` and `eqn`.
    Equations {
        /// Variables that are in force here.
        variables: Vec<Binding>,
        /// Equations in textual order.
        equations: Vec<Equation>,
    },
}

/// `A;`, `A = B;` or `A = struct ...;`.
#[derive(Clone, PartialEq, Debug)]
pub struct SortDeclaration {
    /// The sort.
    pub name: Ident,
    /// What it stands for.
    pub definition: Option<Sort>,
}

/// A sort expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Sort {
    /// Shape.
    pub kind: SortKind,
    /// Place.
    pub span: Span,
}

/// Shape of a [`Sort`].
#[derive(Clone, PartialEq, Debug)]
pub enum SortKind {
    /// A declared or built-in sort.
    Name(Arc<str>),
    /// `List(A)` and others.
    Container(&'static str, Box<Sort>),
    /// `A # B -> C`.
    Function(Vec<Sort>, Box<Sort>),
    /// `struct a(p: A)?is_a | b`.
    Struct(Vec<Constructor>),
}

/// A constructor of a `struct`.
#[derive(Clone, PartialEq, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Ident,
    /// Arguments, each perhaps with the name of its projection.
    pub fields: Vec<(Option<Ident>, Sort)>,
    /// Name of the test for it.
    pub recogniser: Option<Ident>,
}

/// `a, b: A # B -> C;`.
#[derive(Clone, PartialEq, Debug)]
pub struct SymbolDeclaration {
    /// The symbols.
    pub names: Vec<Ident>,
    /// Their sort.
    pub sort: Sort,
}

/// `x, y: A`.
#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    /// The variables.
    pub names: Vec<Ident>,
    /// Their sort.
    pub sort: Sort,
}

/// An equation.
#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    /// What must hold.
    pub condition: Option<Expr>,
    /// Left-hand side.
    pub left: Expr,
    /// Right-hand side.
    pub right: Expr,
    /// The whole.
    pub span: Span,
}

/// An expression, at most [`MAX_DEPTH`] deep.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Shape.
    pub kind: ExprKind,
    /// Place.
    pub span: Span,
    /// How deep it is nested.
    pub depth: u32,
}

/// The deepest expression.
pub const MAX_DEPTH: u32 = 2_000;

/// What binds variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binder {
    /// `forall`
    All,
    /// `exists`
    Some,
    /// `lambda`
    Lambda,
}

impl Binder {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Binder::All => "forall",
            Binder::Some => "exists",
            Binder::Lambda => "lambda",
        }
    }
}

/// Shape of an [`Expr`].
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A variable or a symbol.
    Name(Arc<str>),
    /// A number.
    Number(Arc<str>),
    /// `f(a, b)`
    Apply(Box<Expr>, Vec<Expr>),
    /// An operator before its operand or between its operands.
    Operator(&'static str, Vec<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `{a: 1, b: 2}`, or `{:}`
    Bag(Vec<(Expr, Expr)>),
    /// `{x: A | e}`
    Comprehension(Box<Binding>, Box<Expr>),
    /// `f[a -> b]`
    Update(Box<[Expr; 3]>),
    /// `forall x: A. e` and others
    Binder(Binder, Vec<Binding>, Box<Expr>),
    /// `e whr x = a end`
    Where(Box<Expr>, Vec<(Ident, Expr)>),
}

/// How tightly an operator between operands binds, and whether it associates to the right.
pub(crate) fn infix(mark: &str) -> Option<(u8, bool)> {
    Some(match mark {
        "=>" => (2, true),
        "||" => (3, true),
        "&&" => (4, true),
        "==" | "!=" => (5, false),
        "<" | "<=" | ">" | ">=" | "in" => (6, false),
        "|>" => (7, true),
        "<|" => (8, false),
        "++" => (9, false),
        "+" | "-" => (10, false),
        "/" | "div" | "mod" => (11, false),
        "*" | "." => (12, false),
        _ => return None,
    })
}

/// How tightly an operator before its operand binds.
pub(crate) const PREFIX: u8 = 13;

impl Expr {
    /// What stands at the head of a left-hand side, with its arguments.
    pub(crate) fn head(&self) -> (&str, Vec<&Expr>) {
        match &self.kind {
            ExprKind::Name(name) => (name, Vec::new()),
            ExprKind::Apply(head, args) => match &head.kind {
                ExprKind::Name(name) => (name, args.iter().collect()),
                _ => ("", Vec::new()),
            },
            ExprKind::Operator(mark, args) => (mark, args.iter().collect()),
            _ => ("", Vec::new()),
        }
    }
}
