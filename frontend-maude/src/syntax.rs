//! Syntax tree of Maude texts: modules, views and commands, with terms as the tokens that they are written with.

use std::fmt;
use std::sync::Arc;

use gchr_base::source::Span;

use crate::token::Token;

/// What a text is made of.
#[derive(Clone, Default, Debug)]
pub struct Text {
    /// The statements, one a line, as tokens: what is printed.
    pub(crate) lines: Vec<Vec<Token>>,
    pub(crate) items: Vec<Item>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            for (i, token) in line.iter().enumerate() {
                write!(f, "{}{}", if i > 0 { " " } else { "" }, token.text)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Module(Module),
    View(View),
    /// A term to reduce, with the module that it is a term of if that is said.
    Reduce {
        module: Option<ModuleExpr>,
        term: Vec<Token>,
        how: How,
    },
    /// The module that further terms are of.
    Select(ModuleExpr),
    /// Whether further modules import a module without saying so.
    Include(Name, bool),
}

/// What is done with a term to evaluate.
#[derive(Clone, Debug)]
pub(crate) enum How {
    /// It is reduced by equations.
    Reduce,
    /// It is rewritten by the rules of a system module, too: by so many steps, or by all.
    Rewrite { most: Option<u32> },
    /// Terms are searched that rules can make of it.
    Search(Search),
}

/// A search for terms that are reached by rules.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub steps: SearchSteps,
    pub pattern: Vec<Token>,
    /// Empty: any term that is like the pattern is a solution.
    pub condition: Vec<Token>,
    /// Most solutions, and most steps to one.
    pub most: Option<u32>,
    pub depth: Option<u32>,
}

/// How many steps there are to a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchSteps {
    One,
    OneOrMore,
    Any,
    /// Any number, to a term that no rule applies to.
    ToEnd,
}

/// What a module is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ModuleKind {
    Functional,
    System,
    Theory,
}

#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub kind: ModuleKind,
    pub name: Token,
    pub params: Vec<(Token, ModuleExpr)>,
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct View {
    pub name: Token,
    pub params: Vec<(Token, ModuleExpr)>,
    pub from: ModuleExpr,
    pub to: ModuleExpr,
    pub sorts: Vec<(Name, Name)>,
    pub variables: Vec<(Token, TypeName)>,
    pub ops: Vec<OpMapping>,
}

/// What an operator of a theory is in the module that a view goes to.
#[derive(Clone, Debug)]
pub(crate) enum OpMapping {
    Name {
        from: Name,
        /// Arguments and result of the one that is meant, where that is said.
        of: Option<(Vec<TypeName>, TypeName)>,
        to: Name,
    },
    /// An application to variables is a term.
    Term { from: Vec<Token>, to: Vec<Token>, span: Span },
}

/// The name of a sort, a module or an operator, put together of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

/// A sort, or the kind that it belongs to: `[Nat]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TypeName {
    pub sort: Arc<str>,
    pub is_kind: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum ModuleExpr {
    Name(Name),
    Sum(Vec<ModuleExpr>),
    Renamed(Box<ModuleExpr>, Vec<RenamingItem>),
    Instance(Box<ModuleExpr>, Vec<ModuleExpr>),
}

impl ModuleExpr {
    pub fn span(&self) -> Span {
        match self {
            ModuleExpr::Name(name) => name.span,
            ModuleExpr::Sum(parts) => parts[0].span(),
            ModuleExpr::Renamed(of, _) | ModuleExpr::Instance(of, _) => of.span(),
        }
    }

    /// The text of a view, as it is an argument in the names of sorts: `Map{Nat,List{Qid}}`.
    pub fn text(&self) -> String {
        let all = |parts: &[ModuleExpr], between: &str| {
            let texts: Vec<String> = parts.iter().map(ModuleExpr::text).collect();
            texts.join(between)
        };
        match self {
            ModuleExpr::Name(name) => name.text.to_string(),
            ModuleExpr::Sum(parts) => all(parts, " + "),
            ModuleExpr::Renamed(of, _) => of.text(),
            ModuleExpr::Instance(of, args) => format!("{}{{{}}}", of.text(), all(args, ",")),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum RenamingItem {
    Sort(Name, Name),
    Op {
        from: Name,
        /// Arguments and result of the one that is meant, where that is said.
        of: Option<(Vec<TypeName>, TypeName)>,
        to: Name,
        attributes: Vec<Attribute>,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Import(ModuleExpr),
    Sorts(Vec<Name>),
    /// Each group is below the next one.
    Subsorts(Vec<Vec<Name>>),
    Ops(OpDeclaration),
    Variables(Vec<Token>, TypeName, Span),
    Equation(Equation),
}

#[derive(Clone, Debug)]
pub(crate) struct OpDeclaration {
    pub names: Vec<Name>,
    pub domain: Vec<TypeName>,
    pub range: TypeName,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// An attribute of an operator.
#[derive(Clone, Debug)]
pub(crate) enum Attribute {
    Assoc,
    Comm,
    Idem(Span),
    Ditto,
    Iter,
    /// The identity, and of which side it is one.
    Identity {
        left: bool,
        right: bool,
        term: Vec<Token>,
    },
    Prec(u8),
    /// Arguments below which rules do not apply, counted from 1; none: all.
    Frozen(Vec<u32>),
    Gather(Vec<char>),
    Strategy(Vec<u32>, Span),
    /// What is built in.
    Special(Arc<str>),
    /// Has no effect on results.
    Other,
}

/// What a statement with terms says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EquationKind {
    Equation,
    Membership,
    Rule,
}

#[derive(Clone, Debug)]
pub(crate) struct Equation {
    pub kind: EquationKind,
    /// What stands behind the keyword and the label, up to the attributes.
    pub tokens: Vec<Token>,
    pub conditional: bool,
    pub otherwise: bool,
    pub span: Span,
}
