//! Which rule application made each symbol of a normal form: an evaluator that keeps every term and every application.
//!
//! It evaluates as the plan does, leftmost and innermost, with each subterm of a right-hand side evaluated once, but
//! from the rules themselves, one after the other: slowly, on stacks of its own, with nothing freed. [`derive()`] runs
//! it,
//! [`TermDerivation`] is what it leaves.

mod code;
mod machine;
#[cfg(test)]
mod tests;

use gchr_base::control::Control;
use gchr_base::error::RunError;
use gchr_base::ids::IdVec;
use gchr_base::limited;
use gchr_base::notation::{self, Notated, View};
use gchr_base::rule::{GroundTerm, Pattern, PatternKind, Program, RuleId, VarId};
use gchr_base::signature::SymbolId;

use crate::exec::text::float;

/// Evaluates a term and keeps how.
pub fn derive<'a>(
    program: &'a Program,
    input: &GroundTerm,
    control: &mut Control<'_>,
) -> Result<TermDerivation<'a>, Box<RunError>> {
    machine::Machine::new(program, control).run(input)
}

/// A term: a place among all terms.
pub type Node = u32;

/// A rule application: a place among all applications.
pub type Application = u32;

/// What is no application: what made the start term.
const START: Application = u32::MAX;

/// The outermost symbol of a term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Top {
    /// A symbol with arguments.
    Symbol(SymbolId),
    /// An integer.
    Int(i64),
    /// A float, by its bits.
    Float(u64),
}

#[derive(Clone, Copy)]
struct Cell {
    top: Top,
    /// Where its arguments end; they begin where those of the cell before end.
    end: u32,
    maker: Application,
}

/// An application of a rule.
#[derive(Clone, Copy)]
struct Applied {
    rule: RuleId,
    symbol: SymbolId,
    /// Where the arguments of the redex end.
    end: u32,
    /// In whose right-hand side the redex was.
    caller: Application,
}

/// All terms and applications of an evaluation.
pub struct TermDerivation<'a> {
    program: &'a Program,
    cells: Vec<Cell>,
    fields: Vec<Node>,
    applied: Vec<Applied>,
    redexes: Vec<Node>,
    root: Node,
}

impl TermDerivation<'_> {
    /// The normal form.
    pub fn root(&self) -> Node {
        self.root
    }
    /// How many rules were applied.
    pub fn applications(&self) -> u64 {
        self.applied.len() as u64
    }
    /// The outermost symbol of a term.
    pub fn top(&self, node: Node) -> Top {
        self.cells[node as usize].top
    }
    /// The arguments of a term.
    pub fn args(&self, node: Node) -> &[Node] {
        part(&self.fields, &self.cells, node, |cell| cell.end)
    }
    /// The application whose right-hand side made the outermost symbol of a term; `None` for one of the start term.
    pub fn maker(&self, node: Node) -> Option<Application> {
        Some(self.cells[node as usize].maker).filter(|&maker| maker != START)
    }
    /// The application in whose right-hand side the redex of one was; `None` for one of the start term.
    pub fn caller(&self, application: Application) -> Option<Application> {
        Some(self.applied[application as usize].caller).filter(|&caller| caller != START)
    }
    /// The rule of an application.
    pub fn rule(&self, application: Application) -> RuleId {
        self.applied[application as usize].rule
    }
    /// The arguments of the redex of an application.
    pub fn redex_args(&self, application: Application) -> &[Node] {
        part(&self.redexes, &self.applied, application, |applied| applied.end)
    }
    /// The redex of an application as text, cut after so many characters.
    pub fn redex_text(&self, application: Application, width: usize) -> String {
        self.shown(Shown::Redex(application), width)
    }
    /// A term as text, cut after so many characters.
    pub fn text(&self, node: Node, width: usize) -> String {
        self.shown(Shown::Term(node), width)
    }
    /// In input syntax, without powers.
    fn shown(&self, node: Shown, width: usize) -> String {
        let signature = &self.program.signature;
        limited::cut(Notated { view: &Kept(self), signature, node, powers: None }, width)
    }
    /// The variables of the left-hand side of an application that have a value.
    pub fn bindings(&self, application: Application) -> Vec<(VarId, Node)> {
        let rule = &self.program.rules[self.rule(application)];
        let mut bound: IdVec<VarId, Option<Node>> = rule.vars.iter().map(|_| None).collect();
        let Some(head) = rule.heads.first() else { return Vec::new() };
        let args = self.redex_args(application).iter().copied();
        let mut todo: Vec<(&Pattern, Node)> = head.atom.args().iter().zip(args).collect();
        while let Some((pattern, node)) = todo.pop() {
            match &pattern.kind {
                PatternKind::Var(var) => bound[*var] = Some(node),
                PatternKind::App { args, .. } => {
                    todo.extend(args.iter().zip(self.args(node).iter().copied()))
                }
                PatternKind::Wild | PatternKind::Const(_) => {}
            }
        }
        bound.iter_enumerated().filter_map(|(var, node)| Some((var, (*node)?))).collect()
    }
}

/// What belongs to an entry of a list whose entries know where theirs ends: it begins where that of the one before
/// does.
fn part<'n, T>(all: &'n [Node], list: &[T], at: u32, end: impl Fn(&T) -> u32) -> &'n [Node] {
    let at = at as usize;
    let start = at.checked_sub(1).map_or(0, |before| end(&list[before]));
    &all[start as usize..end(&list[at]) as usize]
}

impl std::fmt::Debug for TermDerivation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} applications that made {} terms", self.applied.len(), self.cells.len())
    }
}

/// A term, or the redex of an application.
#[derive(Clone, Copy)]
enum Shown {
    Term(Node),
    Redex(Application),
}

/// What was kept, as it is shown.
struct Kept<'d, 'a>(&'d TermDerivation<'a>);

impl View for Kept<'_, '_> {
    type Node = Shown;
    fn top(&self, node: Shown) -> notation::Top<'_, Shown> {
        let app = |symbol, args: &[Node]| {
            notation::Top::App(symbol, args.iter().map(|&n| Shown::Term(n)).collect())
        };
        match node {
            Shown::Redex(application) => {
                app(self.0.applied[application as usize].symbol, self.0.redex_args(application))
            }
            Shown::Term(node) => match self.0.cells[node as usize].top {
                Top::Int(n) => notation::Top::Text(n.to_string().into()),
                Top::Float(bits) => notation::Top::Text(float(f64::from_bits(bits)).into()),
                Top::Symbol(symbol) => app(symbol, self.0.args(node)),
            },
        }
    }
}
