//! Syntax tree of a `.trs` text. It owns its names, prints as a program ([`Display`](std::fmt::Display)) and parses
//! back to itself.
//!
//! Terms are flat vectors of nodes in postfix order, never boxes in boxes: a term of 10^7 nodes is read, printed and
//! dropped without recursion.

mod print;

pub use gchr_base::names::{Ident, Name, Names};
use gchr_base::op::{Op, TermSyntax};
use gchr_base::source::{SourceId, Span};
pub use gchr_base::strategy::{Argument, Order};

/// A `.trs` text: sections in textual order.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// The text it was parsed from.
    pub source: SourceId,
    /// Its identifiers.
    pub names: Names,
    /// What was understood of it: a clause with a syntax error is left out.
    pub sections: Vec<Section>,
    /// Identifiers in clauses with syntax errors: they may have been declared there.
    pub damaged: Vec<Name>,
}

/// A section: a keyword with its clauses.
#[derive(Clone, PartialEq, Debug)]
pub enum Section {
    /// `sort`.
    Sorts(Vec<SortDeclaration>),
    /// `cons`: symbols, declared like those of `map`.
    Constructors(Vec<SymbolDeclaration>),
    /// `map`.
    Maps(Vec<SymbolDeclaration>),
    /// `var`.
    Variables(Vec<VariableDeclaration>),
    /// `eqn`.
    Equations(Vec<Equation>),
    /// `input`.
    Input(Input),
    /// `import`.
    Import(Import),
    /// `strategy`.
    Strategy(Vec<StrategyClause>),
}

/// `A, B;`, `A = struct ...;` or `A = B;`, the one sort perhaps with parameters
#[derive(Clone, PartialEq, Debug)]
pub struct SortDeclaration {
    /// The names; exactly one when something is behind them.
    pub names: Vec<Ident>,
    /// The parameters of the one sort: `A` of `sort Tree(A)`.
    pub parameters: Vec<Ident>,
    /// What is behind them.
    pub body: SortBody,
    /// The clause.
    pub span: Span,
}

/// What a sort is declared as.
#[derive(Clone, PartialEq, Debug)]
pub enum SortBody {
    /// A sort of its own.
    Own,
    /// A sort of its own with the symbols behind `struct`.
    Struct(Vec<StructSymbol>),
    /// Another name of this sort.
    Alias(SortRef),
}

/// A sort where it is used: `Nat`, `List(Nat)`, `(Nat # Nat -> Nat)`.
#[derive(Clone, PartialEq, Debug)]
pub struct SortRef {
    /// Its name, or that of what is applied to sorts; `None` of a sort of functions.
    pub name: Option<Ident>,
    /// These sorts; of functions those of the arguments, and then that of the result.
    pub args: Vec<SortRef>,
    /// From its first word or bracket to its last one.
    pub span: Span,
}

impl SortRef {
    /// All names in it.
    pub fn names(&self) -> Vec<Ident> {
        let (mut names, mut todo) = (Vec::new(), vec![self]);
        while let Some(sort) = todo.pop() {
            names.extend(sort.name);
            todo.extend(&sort.args);
        }
        names
    }
}

impl Module {
    /// What the text itself imports, in textual order.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.sections.iter().filter_map(|section| match section {
            Section::Import(import) => Some(import),
            _ => None,
        })
    }

    /// The sections of the text and of those that it imports, in the order of the program.
    pub fn all_sections(&self) -> impl Iterator<Item = &Section> {
        let mut todo = vec![self.sections.iter()];
        std::iter::from_fn(move || {
            loop {
                match todo.last_mut()?.next() {
                    Some(Section::Import(import)) => todo.push(import.sections.iter()),
                    Some(section) => return Some(section),
                    None => _ = todo.pop(),
                }
            }
        })
    }
}

impl SortDeclaration {
    /// The symbols behind `struct`.
    pub fn symbols(&self) -> &[StructSymbol] {
        match &self.body {
            SortBody::Struct(symbols) => symbols,
            SortBody::Own | SortBody::Alias(_) => &[],
        }
    }
}

/// A symbol in a `struct`: `S(Nat)`, `S(pred: Nat)?isS`.
#[derive(Clone, PartialEq, Debug)]
pub struct StructSymbol {
    /// Its name.
    pub name: Ident,
    /// Its arguments.
    pub args: Vec<StructArgument>,
    /// `?name` behind it.
    pub recogniser: Option<Ident>,
    /// From name to closing bracket or recogniser.
    pub span: Span,
}

/// An argument of a symbol in a `struct`.
#[derive(Clone, PartialEq, Debug)]
pub struct StructArgument {
    /// `name:` before the sort.
    pub projection: Option<Ident>,
    /// Its sort.
    pub sort: SortRef,
}

/// `F, G: A # B -> C;` or `F: A # A -> A [assoc comm id: Empty];`
#[derive(Clone, PartialEq, Debug)]
pub struct SymbolDeclaration {
    /// The names.
    pub names: Vec<Ident>,
    /// Sorts of the arguments.
    pub args: Vec<SortRef>,
    /// Sort of the result.
    pub result: SortRef,
    /// What stands in square brackets.
    pub axioms: Vec<Axiom>,
    /// The clause.
    pub span: Span,
}

/// An axiom of a symbol with two arguments: its equations match modulo this.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axiom {
    /// What holds.
    pub kind: AxiomKind,
    /// Its place.
    pub span: Span,
}

/// Kind of an [`Axiom`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AxiomKind {
    /// `assoc`
    Associative,
    /// `comm`
    Commutative,
    /// `id: Empty`
    Identity(Ident),
}

/// `outermost;` or `Cons(_, lazy);`
#[derive(Clone, PartialEq, Debug)]
pub struct StrategyClause {
    /// What it says.
    pub kind: StrategyKind,
    /// The clause.
    pub span: Span,
}

/// What a [`StrategyClause`] says.
#[derive(Clone, PartialEq, Debug)]
pub enum StrategyKind {
    /// `innermost`, `outermost`
    Order(Order),
    /// `Cons(_, lazy)`, `_ |> lazy`
    Arguments {
        /// The symbol; `None` of `|>`.
        symbol: Option<Ident>,
        /// When each of its arguments is rewritten.
        args: Vec<StrategyArgument>,
    },
}

/// `_`, `lazy` or `frozen` in the place of an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StrategyArgument {
    /// When the argument is rewritten.
    pub kind: Argument,
    /// The word.
    pub span: Span,
}

/// The words for when an argument is rewritten.
pub const ARGUMENTS: [(&str, Argument); 3] =
    [("_", Argument::Evaluated), ("lazy", Argument::Lazy), ("frozen", Argument::Frozen)];

/// The words for where terms are rewritten first.
pub const ORDERS: [(&str, Order); 2] = [("innermost", Order::Innermost), ("outermost", Order::Outermost)];

/// `X, Y : Nat;` or `A : sort;`
#[derive(Clone, PartialEq, Debug)]
pub struct VariableDeclaration {
    /// The names.
    pub names: Vec<Ident>,
    /// Their sort; `None` of variables that stand for sorts.
    pub sort: Option<SortRef>,
    /// The clause.
    pub span: Span,
}

/// `L = R;` or `C -> L = R whr X = T end [owise];`
#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    /// The condition.
    pub condition: Option<Term>,
    /// Left-hand side: the redex.
    pub left: Term,
    /// Right-hand side.
    pub right: Term,
    /// Values of further variables of the right-hand side, behind `whr`.
    pub values: Vec<Binding>,
    /// `[owise]`: tried when no other equation applies.
    pub otherwise: bool,
    /// The clause without its semicolon.
    pub span: Span,
}

/// `X = T` behind `whr`.
#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    /// The variable.
    pub name: Ident,
    /// Its value.
    pub value: Term,
}

/// `input T;`
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// The term.
    pub term: Term,
    /// The keyword.
    pub keyword: Span,
}

/// `import "lists.trs";`
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    /// The name of the file, at the text in quotes.
    pub file: Ident,
    /// The sections of the file, where it is read here. They are no part of this text, and not printed with it.
    pub sections: Vec<Section>,
}

/// A term: nodes in postfix order, operands before operators; never empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// The nodes; the last one is the root.
    pub nodes: Vec<Node>,
    /// Longest way from the root to a leaf, counted in nodes; a list counts as many as it has elements, and one.
    pub depth: u32,
    /// The parameters of its functions without names, each at its place in the text.
    pub lambdas: Vec<Vec<Parameter>>,
}

/// `X: Nat` of `lambda X: Nat. S(X)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The variable.
    pub name: Ident,
    /// Its sort.
    pub sort: SortRef,
}

/// A term, or one in it.
#[derive(Clone, Copy, Debug)]
pub struct Part<'t> {
    /// The nodes; the last one is the root.
    pub nodes: &'t [Node],
    /// [`lambdas`](Term::lambdas) of the whole term.
    pub lambdas: &'t [Vec<Parameter>],
}

impl<'t> Part<'t> {
    /// One in it, with these nodes.
    pub fn within(self, nodes: &'t [Node]) -> Self {
        Self { nodes, ..self }
    }
}

impl Term {
    /// All of it.
    pub fn whole(&self) -> Part<'_> {
        Part { nodes: &self.nodes, lambdas: &self.lambdas }
    }
    /// The root.
    pub fn root(&self) -> &Node {
        self.nodes.last().expect("a term has a node")
    }
    /// Place of the whole.
    pub fn span(&self) -> Span {
        self.root().span
    }
}

/// A node of a term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Nodes of the subterm of which this is the root: they end here.
    pub size: u32,
    /// Place of the subterm.
    pub span: Span,
}

/// Kind of a [`Node`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum NodeKind {
    /// A bare name: a variable, or a symbol without arguments.
    Name(Name),
    /// A name with brackets and so many arguments.
    Call(Name, u32),
    /// `S^24(x)`: one argument.
    Power(Name, u32),
    /// An integer.
    Int(i64),
    /// An integer that has more than 64 bits, by its digits without a sign.
    Large {
        /// The digits.
        digits: Name,
        /// Whether a minus stands before them.
        negative: bool,
    },
    /// A float.
    Float(f64),
    /// A character: `'a'`.
    Character(char),
    /// A text, `"abc"`, and the number of its characters, which are the elements of a list.
    Text(Name, u32),
    /// An operator before its operand.
    Prefix(Op),
    /// An operator between its operands. `==` and `!=` are those of numbers until the sort of the operands is known.
    Infix(Op),
    /// `P := T` in a condition: a pattern and a term.
    Match,
    /// `[a, b]`, of so many elements.
    List(u32),
    /// An operator on lists.
    ListOp(ListOp),
    /// `F(x)(y)`: a term that is a function, and so many arguments.
    Apply(u32),
    /// `X: Nat` of `lambda X: Nat. S(X)`, by its place in [`Term::lambdas`]: no term, but the first operand of
    /// [`Lambda`](NodeKind::Lambda).
    Parameters(u32),
    /// `lambda X: Nat. S(X)`, of its parameters and a term.
    Lambda,
}

/// An operator on lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ListOp {
    /// `x |> l`: an element before a list.
    Cons,
    /// `l <| x`: an element behind a list.
    Snoc,
    /// `l ++ m`.
    Concat,
    /// `l . n`: the element with so many before it.
    At,
    /// `x in l`.
    In,
    /// `#l`: the number of elements.
    Size,
}

impl ListOp {
    /// All of them.
    pub const ALL: [ListOp; 6] =
        [ListOp::Cons, ListOp::Snoc, ListOp::Concat, ListOp::At, ListOp::In, ListOp::Size];

    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            ListOp::Cons => "|>",
            ListOp::Snoc => "<|",
            ListOp::Concat => "++",
            ListOp::At => ".",
            ListOp::In => "in",
            ListOp::Size => "#",
        }
    }
}

impl NodeKind {
    /// How much deeper a term with this root is than its operands: a list is as deep as it is long.
    pub fn depth(self) -> u32 {
        match self {
            NodeKind::List(elements) | NodeKind::Text(_, elements) => elements.saturating_add(1),
            NodeKind::Character(_) => 2,
            _ => 1,
        }
    }

    /// Number of operands.
    pub fn arity(self) -> usize {
        match self {
            NodeKind::Name(_)
            | NodeKind::Int(_)
            | NodeKind::Large { .. }
            | NodeKind::Float(_)
            | NodeKind::Character(_)
            | NodeKind::Text(..)
            | NodeKind::Parameters(_) => 0,
            NodeKind::Call(_, args) | NodeKind::List(args) => args as usize,
            NodeKind::Apply(args) => args as usize + 1,
            NodeKind::Power(..) | NodeKind::Prefix(_) | NodeKind::ListOp(ListOp::Size) => 1,
            NodeKind::Infix(_) | NodeKind::Match | NodeKind::ListOp(_) | NodeKind::Lambda => 2,
        }
    }
}

/// Text of an operator before or between its operands.
pub fn operator_text(op: Op) -> &'static str {
    match op.row().terms {
        TermSyntax::Prefix(text) | TermSyntax::Infix(text, _) => text,
        TermSyntax::Function(_) | TermSyntax::None => op.name(),
    }
}

/// Text of what stands between two operands.
pub fn infix_text(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Infix(op) => operator_text(op),
        NodeKind::ListOp(op) => op.text(),
        _ => ":=",
    }
}

/// How tightly that binds; lower numbers are looser. Operators of one level associate to the left, `|>` to the right,
/// comparisons and `:=` not at all.
pub fn infix_level(kind: NodeKind) -> u8 {
    match kind {
        NodeKind::Infix(op) => match op.row().terms {
            TermSyntax::Infix(_, level) => level * LEVEL,
            _ => PREFIX_LEVEL,
        },
        NodeKind::ListOp(ListOp::Cons) => CONS_LEVEL,
        NodeKind::ListOp(ListOp::Snoc) => CONS_LEVEL + 1,
        NodeKind::ListOp(ListOp::Concat) => CONS_LEVEL + 2,
        NodeKind::ListOp(ListOp::At) => 9 * LEVEL,
        _ => COMPARISON_LEVEL,
    }
}

/// Levels between two of the table of operators.
const LEVEL: u8 = 4;
/// Level of `|>`: looser than all that makes numbers.
pub const CONS_LEVEL: u8 = COMPARISON_LEVEL + 1;

/// Level of the comparisons, which do not associate.
pub const COMPARISON_LEVEL: u8 = 3 * LEVEL;
/// Level of prefix operators.
pub const PREFIX_LEVEL: u8 = 10 * LEVEL;
