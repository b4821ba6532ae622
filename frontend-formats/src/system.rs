//! Syntax tree of the first-order formats: sorts, symbols, variables, rules and terms to evaluate. All of them are read
//! into it, each prints it in its own way, and one lowering makes rules of it.

use gchr_base::hash::HashSet;
use gchr_base::names::{Ident, Name, Names};
use gchr_base::source::Span;
pub use gchr_base::strategy::Order;
use gchr_maude::Axioms;

use crate::term::Term;

/// A rewrite system.
#[derive(Clone, PartialEq, Debug)]
pub struct System {
    /// Its identifiers.
    pub names: Names,
    /// What the text calls it.
    pub title: Option<String>,
    /// The only sort of a format without sorts.
    pub one_sort: Option<Ident>,
    /// Declared sorts; the one of a format without sorts is among them.
    pub sorts: Vec<Ident>,
    /// Declared symbols, or in formats that do not declare them those that occur.
    pub symbols: Vec<SymbolDeclaration>,
    /// Symbols that rules match modulo axioms.
    pub theory: Vec<(Ident, Axioms)>,
    /// Where terms are rewritten.
    pub strategy: Strategy,
    /// Whether the text declares symbols by their numbers of arguments alone.
    pub arities: bool,
    /// Whether names that are no symbols are variables.
    pub undeclared_variables: bool,
    /// Declared variables.
    pub variables: Vec<VariableDeclaration>,
    /// What conditions mean, where the format has several kinds of them.
    pub conditions: ConditionKind,
    /// Rules in textual order.
    pub rules: Vec<RuleDeclaration>,
    /// Terms to evaluate.
    pub terms: Vec<Term>,
}

/// Where terms are rewritten.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Strategy {
    /// Which places come first.
    pub order: Order,
    /// Arguments below which terms are rewritten, counted from 1, of symbols with others.
    pub below: Vec<(Ident, Vec<u32>)>,
}

impl Strategy {
    /// Whether arguments are evaluated before what they are arguments of, all of them.
    pub fn is_eager(&self) -> bool {
        *self == Strategy::default()
    }
}

/// What the conditions of a system mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConditionKind {
    /// The left side is rewritten to the right side, which may bind variables.
    Oriented,
    /// Both sides have a common reduct.
    Join,
    /// Both sides are convertible.
    SemiEquational,
}

/// A symbol with the sorts of its arguments and of its result.
#[derive(Clone, PartialEq, Debug)]
pub struct SymbolDeclaration {
    /// Its name.
    pub name: Ident,
    /// Sorts of the arguments.
    pub args: Vec<Ident>,
    /// Sort of the result.
    pub result: Ident,
    /// Whether it is declared as a constructor.
    pub constructor: bool,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableDeclaration {
    /// Its name.
    pub name: Ident,
    /// Its sort.
    pub sort: Ident,
}

/// A rule.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleDeclaration {
    /// Left-hand side.
    pub left: Term,
    /// Right-hand side.
    pub right: Term,
    /// Conditions, all of which must hold.
    pub conditions: Vec<Condition>,
    /// Of a relative system: one of the rules whose number of applications does not count.
    pub relative: bool,
    /// The whole.
    pub span: Span,
}

/// A condition of a rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// Left side.
    pub left: Term,
    /// Right side.
    pub right: Term,
    /// Whether the two must be different.
    pub differ: bool,
}

/// The axioms that a name stands for, `A`, `C` or `AC`.
pub(crate) fn axioms_of(name: &str) -> Option<Axioms> {
    let (associative, commutative) = match name {
        "A" => (true, false),
        "C" => (false, true),
        "AC" => (true, true),
        _ => return None,
    };
    Some(Axioms { associative, commutative, ..Axioms::default() })
}

/// The numbers of arguments, with something between them.
pub(crate) fn numbered(arguments: &[u32], between: &str) -> String {
    arguments.iter().map(u32::to_string).collect::<Vec<_>>().join(between)
}

/// The name of axioms.
pub(crate) fn axioms_name(axioms: Axioms) -> &'static str {
    match (axioms.associative, axioms.commutative) {
        (true, false) => "A",
        (false, true) => "C",
        _ => "AC",
    }
}

impl System {
    /// An empty system of a format with sorts.
    pub fn new() -> Self {
        Self {
            names: Names::default(),
            title: None,
            one_sort: None,
            sorts: Vec::new(),
            symbols: Vec::new(),
            theory: Vec::new(),
            strategy: Strategy::default(),
            arities: false,
            undeclared_variables: false,
            variables: Vec::new(),
            conditions: ConditionKind::Join,
            rules: Vec::new(),
            terms: Vec::new(),
        }
    }

    /// An empty system of a format without sorts.
    pub fn with_one_sort(span: Span) -> Self {
        let mut system = Self::new();
        system.set_one_sort(span);
        system
    }

    /// Gives the system one sort for everything.
    pub fn set_one_sort(&mut self, span: Span) {
        let sort = Ident { name: self.names.intern("Term"), span };
        self.one_sort = Some(sort);
        self.sorts = vec![sort];
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.names.get(name)
    }

    /// Declares the names of rules that are no declared variables, with as many arguments as they are first seen with;
    /// everything has one sort.
    pub(crate) fn declare_what_occurs(&mut self, sort: Ident) {
        let variables: HashSet<Name> = self.variables.iter().map(|variable| variable.name.name).collect();
        let mut known: HashSet<Name> = self.symbols.iter().map(|symbol| symbol.name.name).collect();
        for node in self.rules.iter().flat_map(RuleDeclaration::terms).flat_map(|term| &term.nodes) {
            if node.arity == 0 && variables.contains(&node.name) || !known.insert(node.name) {
                continue;
            }
            let name = Ident { name: node.name, span: node.span };
            let args = vec![sort; node.arity as usize];
            self.symbols.push(SymbolDeclaration { name, args, result: sort, constructor: false });
        }
    }

    /// The declared symbols; one that is declared again in the same way is there once.
    pub(crate) fn distinct_symbols(&self) -> impl Iterator<Item = &SymbolDeclaration> {
        let mut seen: HashSet<(Name, Vec<Name>, Name)> = HashSet::default();
        self.symbols.iter().filter(move |symbol| {
            let args = symbol.args.iter().map(|sort| sort.name).collect();
            seen.insert((symbol.name.name, args, symbol.result.name))
        })
    }
}

impl RuleDeclaration {
    /// Its terms.
    pub(crate) fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        let conditions = self.conditions.iter_mut().flat_map(|c| [&mut c.left, &mut c.right]);
        [&mut self.left, &mut self.right].into_iter().chain(conditions)
    }
    /// Its terms.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term> {
        let conditions = self.conditions.iter().flat_map(|c| [&c.left, &c.right]);
        [&self.left, &self.right].into_iter().chain(conditions)
    }
}

impl Default for System {
    fn default() -> Self {
        Self::new()
    }
}

/// Texts of names, with something between them.
pub(crate) fn joined(names: &Names, idents: &[Ident], between: &str) -> String {
    idents.iter().map(|ident| names.get(ident.name)).collect::<Vec<_>>().join(between)
}
