//! Term programs whose terms are not all rewritten innermost, as rules for which they are.
//!
//! The symbols of such a program build terms that are not evaluated; functions that are made for them evaluate. Where
//! all places that are rewritten are innermost ones, each function gets one that is *called* with evaluated arguments
//! (`calls`). Outermost, a term is rewritten one *step* after the other, each looked for from the root on (`steps`).
//! Both ways, what gives a number is evaluated where it is built: a number is a machine word, and no term.

mod calls;
mod steps;

use std::sync::Arc;

use crate::hash::{HashMap, HashSet};
use crate::ids::{Id, IdVec};
use crate::op::Op;
use crate::rule::{
    Body, Expr, ExprKind, Goal, GoalKind, GroundNode, GroundTerm, Head, HeadAtom, Pattern, PatternKind,
    Program, Role, Rule, RuleId, Var, VarId,
};
use crate::signature::{Signature, SortId, SortKind, Symbol, SymbolId, SymbolKind};
use crate::source::Span;

/// Which places of a term are rewritten first; of several ones the leftmost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Order {
    /// Those that have no place to rewrite below them.
    #[default]
    Innermost,
    /// Those that are below no place to rewrite.
    Outermost,
}

/// When an argument of a symbol is rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Argument {
    /// As the order says.
    #[default]
    Evaluated,
    /// When a pattern has something other than a variable for it, and in results and comparisons.
    Lazy,
    /// Never, as long as it is an argument of this symbol.
    Frozen,
}

/// Where terms are rewritten.
#[derive(Clone, Default, Debug)]
pub struct Strategy {
    /// Which places come first.
    pub order: Order,
    /// The arguments of symbols that have others than evaluated ones; with [`Order::Outermost`] none are lazy.
    pub arguments: HashMap<SymbolId, Vec<Argument>>,
    /// Symbols that stand for a part of one rule, and which of their arguments is the first that is a variable of it:
    /// these variables are evaluated only where they are in the rule.
    pub parts: HashMap<SymbolId, usize>,
    /// Functions with the two rules that choose their second argument, or the third: the other one is not evaluated.
    pub choices: HashSet<SymbolId>,
}

impl Strategy {
    /// Whether all terms are rewritten innermost.
    pub fn is_eager(&self) -> bool {
        self.order == Order::Innermost && self.arguments.is_empty()
    }
}

/// The rules of a program under a strategy.
#[derive(Clone, Debug)]
pub struct Strategic {
    /// The program, without a start.
    pub program: Program,
    evaluates: Arc<HashMap<SortId, Evaluates>>,
    /// Symbols whose results are numbers, and which of their arguments are evaluated before they are called.
    numbers: Arc<HashMap<SymbolId, Vec<bool>>>,
}

/// What evaluates the terms of a sort.
#[derive(Clone, Copy, Debug)]
struct Evaluates {
    /// Up to what is lazy.
    evaluate: SymbolId,
    /// What is lazy in a term that is evaluated so far; `None` where nothing is.
    complete: Option<SymbolId>,
}

/// Whether a node is followed by the functions that evaluate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    AsBuilt,
    Evaluated,
    Complete,
}

impl Strategic {
    /// A term over the symbols of the program that the rules were made of, as one that they evaluate.
    pub fn term(&self, mut term: GroundTerm) -> GroundTerm {
        let signature = &self.program.signature;
        let mut wanted = vec![Wanted::AsBuilt; term.nodes.len()];
        // The roots of the terms that are not yet arguments.
        let mut roots: Vec<usize> = Vec::new();
        for (at, node) in term.nodes.iter().enumerate() {
            match node {
                GroundNode::Const(_) | GroundNode::Repeat(..) => {}
                GroundNode::App(symbol) => {
                    let args = roots.split_off(roots.len() - signature.arity(*symbol));
                    if let Some(evaluated) = self.numbers.get(symbol) {
                        let evaluated = args.iter().zip(evaluated).filter(|(_, evaluated)| **evaluated);
                        evaluated.for_each(|(&arg, _)| wanted[arg] = Wanted::Evaluated);
                    }
                }
                GroundNode::Op(op, _) => {
                    for arg in roots.split_off(roots.len() - op.arity()) {
                        wanted[arg] = if compares(*op) { Wanted::Complete } else { Wanted::Evaluated };
                    }
                }
            }
            if matches!(node, GroundNode::Repeat(..)) {
                roots.pop();
            }
            roots.push(at);
        }
        if let Some(root) = wanted.last_mut() {
            *root = Wanted::Complete;
        }
        let mut nodes = Vec::with_capacity(term.nodes.len() + 2);
        for (node, wanted) in term.nodes.iter().zip(wanted) {
            nodes.push(*node);
            let sort = match node {
                GroundNode::App(symbol) | GroundNode::Repeat(symbol, _) => signature.symbols[*symbol].result,
                GroundNode::Const(_) | GroundNode::Op(..) => continue,
            };
            let Some(of) = self.evaluates.get(&sort) else { continue };
            if wanted >= Wanted::Evaluated {
                nodes.push(GroundNode::App(of.evaluate));
            }
            if wanted == Wanted::Complete {
                nodes.extend(of.complete.map(GroundNode::App));
            }
        }
        term.nodes = nodes;
        term
    }
}

/// The rules of a term program under a strategy. Its start is left out: [`Strategic::term`] makes one of it.
///
/// Recurses over the terms of rules.
pub fn under(source: &Program, strategy: &Strategy) -> Strategic {
    let mut made = Made::new(source, strategy);
    match strategy.order {
        Order::Innermost => calls::make(&mut made, strategy),
        Order::Outermost => steps::make(&mut made, strategy),
    }
    made.finish(strategy.order)
}

/// Whether an operator compares terms of any sort.
fn compares(op: Op) -> bool {
    matches!(op, Op::Same | Op::Differ)
}

/// A program in the making.
struct Made<'p> {
    source: &'p Program,
    signature: Signature,
    rules: IdVec<RuleId, Rule>,
    /// The arguments of symbols that have others than evaluated ones.
    arguments: HashMap<SymbolId, Vec<Argument>>,
    /// Sorts of terms that may have to be evaluated.
    evaluates: HashMap<SortId, Evaluates>,
}

/// Variables of a rule that is being made.
#[derive(Default)]
struct Vars(IdVec<VarId, Var>);

impl Vars {
    fn fresh(&mut self, sort: SortId, span: Span) -> (Pattern, Expr) {
        let var = self.0.push(Var { name: "x".into(), sort, span });
        (Pattern { kind: PatternKind::Var(var), sort, span }, Expr { kind: ExprKind::Var(var), sort, span })
    }
}

impl<'p> Made<'p> {
    fn new(source: &'p Program, strategy: &Strategy) -> Self {
        let mut made = Self {
            source,
            signature: source.signature.clone(),
            rules: IdVec::new(),
            arguments: arguments(source, strategy),
            evaluates: HashMap::default(),
        };
        for (id, symbol) in source.signature.symbols.iter_enumerated() {
            if !made.is_number(symbol.result) && symbol.kind == SymbolKind::Defined {
                made.signature.symbols[id].kind = SymbolKind::Constructor;
            }
        }
        made
    }

    fn finish(self, order: Order) -> Strategic {
        let mut numbers = HashMap::default();
        for (id, symbol) in self.source.signature.symbols.iter_enumerated() {
            if order == Order::Innermost && self.is_number(symbol.result) {
                let evaluated = (0..symbol.args.len()).map(|at| self.argument(id, at) == Argument::Evaluated);
                numbers.insert(id, evaluated.collect());
            }
        }
        let start = crate::rule::Start::Term(None);
        let program = Program { signature: self.signature, rules: self.rules, start, semantics: None };
        Strategic { program, evaluates: Arc::new(self.evaluates), numbers: Arc::new(numbers) }
    }

    fn is_number(&self, sort: SortId) -> bool {
        self.source.signature.kind(sort) != SortKind::Data
    }

    fn argument(&self, symbol: SymbolId, at: usize) -> Argument {
        argument(&self.arguments, symbol, at)
    }

    /// Sorts of terms of which some part may have to be evaluated: those with a function, or with a symbol that has an
    /// argument of such a sort. In the order of the signature.
    fn open_sorts(&self) -> Vec<SortId> {
        self.reaching(|_, symbol| symbol.kind == SymbolKind::Defined)
    }

    /// Sorts of terms for which there is such a symbol, or one that has an argument of such a sort.
    fn reaching(&self, is_wanted: impl Fn(SymbolId, &Symbol) -> bool) -> Vec<SortId> {
        let signature = &self.source.signature;
        let mut open: IdVec<SortId, bool> = signature.sorts.iter().map(|_| false).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (id, symbol) in signature.symbols.iter_enumerated() {
                if !open[symbol.result]
                    && !self.is_number(symbol.result)
                    && (is_wanted(id, symbol) || symbol.args.iter().any(|&arg| open[arg]))
                {
                    open[symbol.result] = true;
                    changed = true;
                }
            }
        }
        open.iter_enumerated().filter(|(_, open)| **open).map(|(sort, _)| sort).collect()
    }

    /// The symbols with each of these sorts as result, in order of declaration.
    fn symbols_of(&self, sorts: &[SortId]) -> HashMap<SortId, Vec<SymbolId>> {
        let mut found: HashMap<SortId, Vec<SymbolId>> =
            sorts.iter().map(|&sort| (sort, Vec::new())).collect();
        for (id, symbol) in self.source.signature.symbols.iter_enumerated() {
            if let Some(of) = found.get_mut(&symbol.result) {
                of.push(id);
            }
        }
        found
    }

    fn declare(&mut self, name: &str, args: Vec<SortId>, result: SortId, kind: SymbolKind) -> SymbolId {
        self.signature.symbols.push(Symbol { name: name.into(), args, result, kind, span: None })
    }

    fn app(&self, symbol: SymbolId, args: Vec<Expr>, span: Span) -> Expr {
        Expr { sort: self.signature.symbols[symbol].result, kind: ExprKind::App { symbol, args }, span }
    }

    fn built(&self, symbol: SymbolId, args: Vec<Pattern>, span: Span) -> Pattern {
        Pattern { sort: self.signature.symbols[symbol].result, kind: PatternKind::App { symbol, args }, span }
    }

    /// A term that is built, evaluated.
    fn evaluated(&self, term: Expr) -> Expr {
        match self.evaluates.get(&term.sort) {
            Some(of) if !matches!(term.kind, ExprKind::Op { .. }) => {
                let span = term.span;
                self.app(of.evaluate, vec![term], span)
            }
            _ => term,
        }
    }

    /// A term that is evaluated, with what is lazy in it.
    fn completed(&self, term: Expr) -> Expr {
        match self.evaluates.get(&term.sort).and_then(|of| of.complete) {
            Some(complete) => {
                let span = term.span;
                self.app(complete, vec![term], span)
            }
            None => term,
        }
    }

    fn rule(
        &mut self,
        symbol: SymbolId,
        vars: IdVec<VarId, Var>,
        args: Vec<Pattern>,
        guard: Vec<Goal>,
        body: Expr,
    ) {
        let span = body.span;
        let head = Head { role: Role::Removed, atom: HeadAtom::Term { symbol, args }, passive: false, span };
        let body = Body::Replace(body);
        self.rules.push(Rule { name: None, vars, heads: vec![head], guard, body, span });
    }

    /// A place for what is made for a symbol.
    fn place(&self, symbol: SymbolId) -> Span {
        let own = self.source.signature.symbols[symbol].span;
        own.or_else(|| self.source.rules.iter().next().map(|rule| rule.span)).unwrap_or(NOWHERE)
    }

    /// The same for a sort.
    fn place_of_sort(&self, sort: SortId) -> Span {
        let mut symbols = self.source.signature.symbols_of(sort);
        symbols.next().map_or(NOWHERE, |symbol| self.place(symbol))
    }
}

/// The place of what is made for a program without any.
const NOWHERE: Span = Span { source: crate::source::SourceId(0), start: 0, end: 0 };

/// When an argument of a symbol is rewritten, by those that have others than evaluated ones.
fn argument(arguments: &HashMap<SymbolId, Vec<Argument>>, symbol: SymbolId, at: usize) -> Argument {
    arguments.get(&symbol).and_then(|of| of.get(at)).copied().unwrap_or_default()
}

/// The arguments of all symbols that have others than evaluated ones: numbers are evaluated, and the variables that
/// parts of rules are given are what they are in these rules.
fn arguments(source: &Program, strategy: &Strategy) -> HashMap<SymbolId, Vec<Argument>> {
    let signature = &source.signature;
    let mut arguments = strategy.arguments.clone();
    for (symbol, of) in &mut arguments {
        let sorts = signature.symbols[*symbol].args.iter();
        for (argument, _) in
            of.iter_mut().zip(sorts).filter(|(_, sort)| signature.kind(**sort) != SortKind::Data)
        {
            *argument = Argument::Evaluated;
        }
    }
    if strategy.parts.is_empty() {
        return arguments;
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for rule in &source.rules {
            let kinds = kinds(rule, &arguments);
            let mut found = Vec::new();
            rule.walk(&mut |expr| {
                let ExprKind::App { symbol, args } = &expr.kind else { return };
                let Some(&first) = strategy.parts.get(symbol) else { return };
                for (at, arg) in args.iter().enumerate().skip(first) {
                    if let ExprKind::Var(var) = arg.kind
                        && kinds[var.index()] != Argument::Evaluated
                        && argument(&arguments, *symbol, at) == Argument::Evaluated
                    {
                        found.push((*symbol, at, kinds[var.index()]));
                    }
                }
            });
            for (symbol, at, kind) in found {
                let evaluated = || vec![Argument::Evaluated; signature.arity(symbol)];
                arguments.entry(symbol).or_insert_with(evaluated)[at] = kind;
                changed = true;
            }
        }
    }
    arguments
}

/// What is known of the values of the variables of a rule: whether they are evaluated, or else why not.
fn kinds(rule: &Rule, arguments: &HashMap<SymbolId, Vec<Argument>>) -> Vec<Argument> {
    let mut found: Vec<Option<Argument>> = vec![None; rule.vars.len()];
    let mut todo: Vec<(&Pattern, Argument)> = Vec::new();
    for head in &rule.heads {
        if let HeadAtom::Term { symbol, args } = &head.atom {
            todo.extend(args.iter().enumerate().map(|(at, arg)| (arg, argument(arguments, *symbol, at))));
        }
    }
    for goal in &rule.guard {
        match &goal.kind {
            GoalKind::Match { pattern, .. } => todo.push((pattern, Argument::Evaluated)),
            GoalKind::Bind { var, .. } => found[var.index()] = Some(Argument::Evaluated),
            _ => {}
        }
    }
    while let Some((pattern, kind)) = todo.pop() {
        match &pattern.kind {
            // Equal to a term that is evaluated, a value is evaluated.
            PatternKind::Var(var) => {
                let known = &mut found[var.index()];
                if known.is_none() || kind == Argument::Evaluated {
                    *known = Some(kind);
                }
            }
            PatternKind::App { symbol, args } => {
                todo.extend(args.iter().enumerate().map(|(at, arg)| {
                    // What is matched is evaluated before, but where it never is.
                    let of = argument(arguments, *symbol, at);
                    (arg, if kind == Argument::Frozen { Argument::Frozen } else { of })
                }));
            }
            PatternKind::Wild | PatternKind::Const(_) => {}
        }
    }
    found.into_iter().map(Option::unwrap_or_default).collect()
}
