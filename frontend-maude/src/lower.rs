//! Modules to the rule IR. A kind becomes a sort, an operator a symbol; associativity, commutativity and identities
//! become rules that keep arguments flat and ordered, and functions that search for a match.

mod apart;
mod counts;
mod equations;
mod expr;
mod identifiers;
mod lists;
mod make;
mod numbers;
mod order;
mod output;
mod pairs;
mod pattern;
mod picks;
mod reach;
mod rewriting;
mod search;
mod sets;
mod solutions;
mod sorts;
mod step;
mod steps;
mod strings;
mod theory;

use std::collections::VecDeque;
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::op::Op as Operator;
use gchr_base::rule::{
    self, Body, Const, Expr, ExprKind, Goal, GoalKind, Head, HeadAtom, Pattern, PatternKind, Role, Var, VarId,
};
use gchr_base::signature::{
    self as ir, Brackets, Mixfix, MixfixPiece, Notation, SortId, SortKind, Symbol, SymbolId, SymbolKind,
};
use gchr_base::source::Span;

pub(crate) use self::output::Output;

use self::make::Make;
use self::reach::Contexts;
use self::sets::Sets;
use self::step::Reach;

use crate::grammar::{Forms, binding};
use crate::modules::Flat;
use crate::signature::{Op, Signature, Type};
use crate::syntax::{EquationKind, TypeName};
use crate::term::{OpKey, Rule, Term, TermKind, Variables};

/// Lists of the values of a kind.
#[derive(Clone, Copy)]
struct Lists {
    sort: SortId,
    nil: SymbolId,
    cons: SymbolId,
    /// A list, or none.
    maybe: SortId,
    some: SymbolId,
    none: SymbolId,
    /// A value, or nothing.
    left: SortId,
    others: SymbolId,
    no_others: SymbolId,
}

/// One module.
#[derive(Clone)]
pub(crate) struct Space {
    pub signature: Arc<Signature>,
    pub variables: Arc<HashMap<Arc<str>, TypeName>>,
    /// The forms of terms to evaluate, once there is one.
    pub forms: Option<Arc<Forms>>,
    rules: Arc<Vec<Arc<Rule>>>,
    /// By kind.
    sorts: Vec<SortId>,
    /// By operator: what is rewritten, and what normal forms have. The same where no axioms are declared.
    calls: Vec<SymbolId>,
    values: Vec<SymbolId>,
    /// By operator whose equal arguments are counted, an argument with its count.
    counted: HashMap<usize, SymbolId>,
    /// Integers as values of their kind, and floats and strings as values of theirs.
    number: Option<(usize, SymbolId)>,
    float: Option<(usize, SymbolId)>,
    string: Option<(usize, SymbolId)>,
    /// Quoted identifiers and variables of terms to evaluate, with their sorts.
    texts: HashMap<(usize, Arc<str>), (SymbolId, Type)>,
    /// By kind.
    lists: HashMap<usize, Lists>,
    sets: HashMap<usize, Sets>,
    /// Once there is a search.
    contexts: Option<Contexts>,
    /// By sort, whether all terms of its kind have it.
    total: Vec<bool>,
    made: HashMap<Make, SymbolId>,
    todo: VecDeque<(Make, SymbolId)>,
    /// Operators that some equation has outermost.
    with_equations: HashSet<usize>,
    /// Operators with axioms whose normalised applications are tried.
    defined: HashSet<usize>,
    /// Those that have equations that are tried on arguments of two normal forms.
    apart: HashSet<usize>,
    /// Those that have equations by which one argument decides.
    decided: HashSet<usize>,
    /// How many places there are.
    places: usize,
    /// Operators of which an equation says that equal arguments are one, with the type of such arguments.
    idempotent: HashMap<usize, Type>,
    /// The sort of the arguments of which each two equal ones become a constant, by operator.
    pairs: HashMap<usize, Type>,
}

/// A variable of a rule: one of the equation, or a place for something in between.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Named(Arc<str>, TypeName),
    Place(usize),
}

/// A rule that is being made.
#[derive(Default)]
struct Cx {
    vars: IdVec<VarId, Var>,
    known: HashMap<Key, VarId>,
    goals: Vec<Goal>,
}

impl Cx {
    fn fresh(&mut self, sort: SortId, span: Span) -> (VarId, Pattern) {
        let id = self.vars.push(Var { name: "x".into(), sort, span });
        (id, Pattern { kind: PatternKind::Var(id), sort, span })
    }

    /// A new variable for a key.
    fn bind(&mut self, key: &Key, sort: SortId, span: Span) -> Pattern {
        let name = match key {
            Key::Named(name, _) => name.to_string(),
            Key::Place(_) => "x".into(),
        };
        let id = self.vars.push(Var { name, sort, span });
        self.known.insert(key.clone(), id);
        Pattern { kind: PatternKind::Var(id), sort, span }
    }

    fn value(&self, var: VarId, span: Span) -> Expr {
        Expr { kind: ExprKind::Var(var), sort: self.vars[var].sort, span }
    }

    /// The values of keys, other ones for some of them.
    fn values(&self, keys: &[(Key, SortId)], others: &[(&Key, Expr)], span: Span) -> Vec<Expr> {
        let value = |key: &Key| match others.iter().find(|(other, _)| *other == key) {
            Some((_, value)) => value.clone(),
            None => self.value(self.known[key], span),
        };
        keys.iter().map(|(key, _)| value(key)).collect()
    }

    fn test(&mut self, test: Expr) {
        self.goals.push(Goal { span: test.span, kind: GoalKind::Test(test) });
    }

    fn matches(&mut self, value: Expr, pattern: Pattern) {
        self.goals.push(Goal { span: value.span, kind: GoalKind::Match { value, pattern } });
    }
}

/// Makes the rules of one module.
pub(crate) struct Lower<'a> {
    pub space: &'a mut Space,
    pub out: &'a mut Output,
}

impl Space {
    /// Declares everything of a module and makes its rules.
    pub fn new(flat: &Flat, signature: Arc<Signature>, out: &mut Output) -> Self {
        let parts = flat.parts.to_vec();
        let rules = parts.iter().flat_map(|part| &part.rules);
        let has_identities = signature.ops.iter().any(|op| op.properties.identity.is_some());
        let normal = |rule: &Arc<Rule>| match has_identities {
            true => theory::without_identities(&signature, rule),
            false => rule.clone(),
        };
        let rules: Vec<Arc<Rule>> = rules.map(normal).collect();
        let mut space = Self {
            with_equations: with_equations(&signature, rules.iter().map(|rule| &**rule)),
            rules: Arc::new(rules),
            total: sorts::total(&signature),
            signature: signature.clone(),
            variables: flat.variables.clone(),
            forms: None,
            sorts: Vec::new(),
            calls: Vec::new(),
            values: Vec::new(),
            counted: HashMap::default(),
            number: None,
            float: None,
            string: None,
            texts: HashMap::default(),
            lists: HashMap::default(),
            sets: HashMap::default(),
            contexts: None,
            made: HashMap::default(),
            todo: VecDeque::new(),
            defined: HashSet::default(),
            apart: HashSet::default(),
            decided: HashSet::default(),
            places: 0,
            idempotent: HashMap::default(),
            pairs: HashMap::default(),
        };
        for kind in 0..signature.kinds.len() {
            let name = signature.kind_name(kind).to_string();
            let span = signature.kinds[kind].first().map(|&sort| signature.sorts[sort].span);
            let known = out.host.sorts.get(name.as_str()).copied();
            let new =
                |out: &mut Output| out.signature.sorts.push(ir::Sort { name, kind: SortKind::Data, span });
            space.sorts.push(known.unwrap_or_else(|| new(out)));
        }
        let mut lower = Lower { space: &mut space, out };
        lower.declare();
        lower.equations();
        space
    }

    /// What is rewritten for an operator.
    pub fn call(&self, op: usize) -> SymbolId {
        self.calls[op]
    }

    /// What normal forms have for an operator.
    pub fn value(&self, op: usize) -> SymbolId {
        self.values[op]
    }

    /// What the sort of this name became.
    pub fn sort_named(&self, name: &str) -> Option<SortId> {
        self.signature.sort(name).map(|sort| self.sorts[self.signature.kind(Type::Sort(sort))])
    }

    fn op(&self, key: &OpKey) -> usize {
        self.signature.op(key).unwrap_or_else(|| unreachable!("the operators of a term are declared"))
    }
}

impl Lower<'_> {
    fn declare(&mut self) {
        let signature = self.space.signature.clone();
        let naturals = signature.literals.naturals.then(|| signature.library_sort("Nat")).flatten();
        if let Some(sort) = naturals {
            let kind = signature.kind(Type::Sort(sort));
            let symbol = self.symbol("@int", vec![self.out.int], self.space.sorts[kind], None);
            self.out.signature.notations.insert(symbol, Notation::Argument);
            self.space.number = Some((kind, symbol));
        }
        let floats = signature.literals.floats.then(|| signature.library_sort("Float")).flatten();
        if let Some(sort) = floats {
            let kind = signature.kind(Type::Sort(sort));
            let float = self.out.float();
            let symbol = self.symbol("@float", vec![float], self.space.sorts[kind], None);
            self.out.signature.notations.insert(symbol, Notation::Argument);
            self.space.float = Some((kind, symbol));
        }
        let strings = signature.literals.strings.then(|| signature.library_sort("String")).flatten();
        if let Some(sort) = strings {
            let kind = signature.kind(Type::Sort(sort));
            let symbol = self.symbol("@string", vec![self.out.int], self.space.sorts[kind], None);
            self.out.signature.notations.insert(symbol, Notation::Quoted(Brackets::QUOTES));
            self.space.string = Some((kind, symbol));
        }
        for op in &signature.ops {
            let args: Vec<SortId> = op.domain.iter().map(|&kind| self.space.sorts[kind]).collect();
            let result = self.space.sorts[op.range];
            let call = match self.out.host.symbols.get(&op.name) {
                Some(&known) => known,
                None => self.symbol(&op.name, args.clone(), result, Some(op.span)),
            };
            let value = match has_axioms(op) {
                true => self.symbol(&op.name, args, result, Some(op.span)),
                false => call,
            };
            self.space.calls.push(call);
            self.space.values.push(value);
            let pieces: Vec<MixfixPiece<'_>> = Mixfix::pieces(&op.name).collect();
            let holes = pieces.iter().filter(|piece| **piece == MixfixPiece::Hole).count();
            let special = op.properties.special.as_deref();
            let notation = if special == Some("identifier") {
                Notation::Quoted(Brackets::QUOTE)
            } else if holes == op.domain.len() && holes > 0 {
                let (prec, mut limits) = binding(op, &pieces);
                if let [first, .., last] = limits.as_mut_slice()
                    && (*first == prec && *last == prec || op.properties.assoc)
                {
                    // `a ; b ; c` could be read in two ways.
                    let less = prec.saturating_sub(1);
                    (*first, *last) = (less.min(*first), less.min(*last));
                }
                let binding = Mixfix::new(prec, &limits, op.properties.assoc);
                if special == Some("ratio") { Notation::Ratio(binding) } else { Notation::Mixfix(binding) }
            } else if op.properties.assoc {
                Notation::Flat
            } else {
                Notation::Plain
            };
            for symbol in [call, value] {
                self.out.signature.notations.insert(symbol, notation);
            }
        }
        self.declare_counts();
    }

    /// The rules of everything that was used and has none yet.
    pub fn finish(&mut self) {
        while let Some((make, symbol)) = self.space.todo.pop_front() {
            self.make(&make, symbol);
        }
        self.identifiers();
    }

    fn make(&mut self, make: &Make, symbol: SymbolId) {
        match *make {
            Make::Normal(op) => self.normal(symbol, op),
            Make::Ahead(op) => self.ahead(symbol, op),
            Make::Element(op) => self.element_of(symbol, op),
            Make::Joined(op) => self.joined(symbol, op),
            Make::Fewer(op) => self.fewer(symbol, op),
            Make::Put(op) => self.put(symbol, op),
            Make::Copies(kind) => self.copies(symbol, kind),
            Make::Several(op) => self.has_several(symbol, op),
            Make::CodeOfCopies(op) => self.sort_of_copies(symbol, op),
            Make::Top(op) => self.top(symbol, op),
            Make::Before(kind) => self.before_rules(symbol, kind),
            Make::Rank(kind) => self.rank_rules(symbol, kind),
            Make::ToList(op) => self.list_rules(symbol, op),
            Make::Build(op) => self.build(symbol, op),
            Make::Onto(kind) => self.onto(symbol, kind),
            Make::Without(kind) => self.without(symbol, kind),
            Make::WithoutAll(kind) => self.without_all(symbol, kind),
            Make::Behind(kind) => self.behind(symbol, kind),
            Make::Has(op) => self.has(symbol, op),
            Make::Remove(op) => self.remove(symbol, op),
            Make::OthersHaveSort(op, sort) => self.others_have_sort(symbol, op, sort),
            Make::Extended(op) => self.extended(symbol, op, false),
            Make::ExtendedBefore(op) => self.extended(symbol, op, true),
            Make::Beside(op) => self.beside(symbol, op),
            Make::Meet(op) => self.meet(symbol, op),
            Make::Unshared(op) => self.unshared(symbol, op),
            Make::InFront(op) => self.in_front(symbol, op),
            Make::Together(op) => self.together(symbol, op),
            Make::Code(kind) => self.codes(symbol, kind),
            Make::Lookup(op) => self.lookup(symbol, op),
            Make::HasSort(sort) => self.has_sort_rules(symbol, sort),
            Make::Truth => self.truth_rules(symbol),
            Make::Step(kind) => self.step_rules(symbol, kind),
            Make::Rewrite(kind) => self.rewrite_rules(symbol, kind),
            Make::Reach(reach) => self.reach_rules(symbol, reach),
            Make::Within(reach) => self.within(symbol, reach),
            Make::Includes(kind) => self.includes(symbol, kind),
            Make::Insert(kind) => self.insert(symbol, kind),
            Make::Skew(kind) => self.skewed(symbol, kind),
            Make::Split(kind) => self.raised(symbol, kind),
            Make::Choice(kind) => self.choice_rules(symbol, kind),
            Make::Power => self.power(symbol),
        }
    }

    // Symbols.

    fn symbol(&mut self, name: &str, args: Vec<SortId>, result: SortId, span: Option<Span>) -> SymbolId {
        if self.out.frozen {
            let place = span.unwrap_or_else(|| self.place());
            self.out.missing = self.out.missing.or(Some(place));
            return self.out.signature.booleans.true_symbol;
        }
        let kind = SymbolKind::Constructor;
        self.out.signature.symbols.push(Symbol { name: name.to_string(), args, result, kind, span })
    }

    /// The function for something that gets rules when it is first used.
    fn function(&mut self, make: Make) -> SymbolId {
        if let Some(&known) = self.space.made.get(&make) {
            return known;
        }
        let (int, truth) = (self.out.int, self.out.signature.booleans.sort);
        let of = |space: &Space, op: usize| space.sorts[space.signature.ops[op].range];
        let (name, args, result) = match make {
            Make::Normal(op) | Make::Together(op) => {
                let declared = &self.space.signature.ops[op];
                let args = declared.domain.iter().map(|&kind| self.space.sorts[kind]).collect();
                (declared.name.to_string(), args, of(self.space, op))
            }
            Make::ExtendedBefore(op) | Make::Extended(op) | Make::Beside(op) => {
                let (sort, name) = (of(self.space, op), self.space.signature.ops[op].name.to_string());
                let lists = self.lists(self.space.signature.ops[op].range);
                let before = matches!(make, Make::ExtendedBefore(_));
                (name, vec![if before { lists.sort } else { lists.left }, sort], sort)
            }
            Make::Ahead(op) => ("@before".into(), vec![of(self.space, op); 2], truth),
            Make::Element(op) => ("@element".into(), vec![of(self.space, op)], of(self.space, op)),
            Make::Joined(op) | Make::Put(op) => {
                let (sort, name) = (of(self.space, op), self.space.signature.ops[op].name.to_string());
                (name, vec![sort; 2], sort)
            }
            Make::Fewer(op) => ("@fewer".into(), vec![int, of(self.space, op)], of(self.space, op)),
            Make::Copies(kind) => {
                let list = self.lists(kind).sort;
                ("@copies".into(), vec![int, self.space.sorts[kind], list], list)
            }
            Make::Several(op) => ("@several".into(), vec![of(self.space, op)], truth),
            Make::CodeOfCopies(_) => ("@sort".into(), vec![int; 3], int),
            Make::Has(op) => ("@has".into(), vec![of(self.space, op); 2], truth),
            Make::Meet(op) => ("@meet".into(), vec![of(self.space, op); 2], truth),
            Make::Unshared(op) => {
                let left = self.lists(self.space.signature.ops[op].range).left;
                ("@unshared".into(), vec![of(self.space, op); 2], left)
            }
            Make::InFront(op) => {
                let left = self.lists(self.space.signature.ops[op].range).left;
                ("@in-front".into(), vec![of(self.space, op), left], left)
            }
            Make::OthersHaveSort(op, _) => ("@others::".into(), vec![of(self.space, op); 2], truth),
            Make::Remove(op) => ("@others".into(), vec![of(self.space, op); 2], of(self.space, op)),
            Make::Top(op) => {
                let sort = of(self.space, op);
                (self.space.signature.ops[op].name.to_string(), vec![sort], sort)
            }
            Make::Before(kind) => ("@before".into(), vec![self.space.sorts[kind]; 2], truth),
            Make::Rank(kind) => ("@rank".into(), vec![self.space.sorts[kind]], int),
            Make::ToList(op) => {
                let list = self.lists(self.space.signature.ops[op].range).sort;
                ("@list".into(), vec![of(self.space, op), list], list)
            }
            Make::Build(op) => {
                let list = self.lists(self.space.signature.ops[op].range).sort;
                ("@build".into(), vec![list], of(self.space, op))
            }
            Make::Onto(kind) => {
                let list = self.lists(kind).sort;
                ("@onto".into(), vec![list, list], list)
            }
            Make::Without(kind) => {
                let lists = self.lists(kind);
                ("@without".into(), vec![lists.sort, self.space.sorts[kind]], lists.maybe)
            }
            Make::WithoutAll(kind) | Make::Behind(kind) => {
                let lists = self.lists(kind);
                ("@without".into(), vec![lists.sort, lists.sort], lists.maybe)
            }
            Make::Code(kind) => ("@sort".into(), vec![self.space.sorts[kind]], int),
            Make::Lookup(op) => {
                let args = vec![int; self.space.signature.ops[op].domain.len()];
                ("@sort".into(), args, int)
            }
            Make::HasSort(sort) => {
                let signature = &self.space.signature;
                let kind = signature.kind(Type::Sort(sort));
                (format!("_::{}", signature.sorts[sort].name), vec![self.space.sorts[kind]], truth)
            }
            Make::Truth => ("@truth".into(), vec![truth], self.truth_sort()),
            Make::Step(kind) => ("@step".into(), vec![self.space.sorts[kind]], self.lists(kind).left),
            Make::Rewrite(kind) => {
                let sort = self.space.sorts[kind];
                ("@rewrite".into(), vec![sort, int], sort)
            }
            Make::Reach(Reach { kind, root }) => {
                let (context, set) = (self.contexts().0, self.sets(root).sort);
                ("@reach".into(), vec![self.space.sorts[kind], context, set], self.lists(root).left)
            }
            Make::Within(Reach { kind, root }) => {
                let context = self.contexts().0;
                ("@within".into(), vec![self.space.sorts[kind], context], self.space.sorts[root])
            }
            Make::Includes(kind) => {
                ("@includes".into(), vec![self.space.sorts[kind], self.sets(kind).sort], truth)
            }
            Make::Insert(kind) => {
                let set = self.sets(kind).sort;
                ("@insert".into(), vec![self.space.sorts[kind], set], set)
            }
            Make::Skew(kind) | Make::Split(kind) => {
                let set = self.sets(kind).sort;
                ("@balanced".into(), vec![set], set)
            }
            Make::Choice(kind) => {
                let sort = self.space.sorts[kind];
                ("if_then_else_fi".into(), vec![self.truth_sort(), sort, sort], sort)
            }
            Make::Power => ("@power".into(), vec![int; 3], int),
        };
        let symbol = self.symbol(&name, args, result, None);
        if !self.out.frozen {
            self.space.made.insert(make.clone(), symbol);
            self.space.todo.push_back((make, symbol));
        }
        symbol
    }

    fn lists(&mut self, kind: usize) -> Lists {
        if let Some(&known) = self.space.lists.get(&kind) {
            return known;
        }
        let element = self.space.sorts[kind];
        let mut sort = |name: &str| {
            let name = format!("{name}({})", self.space.signature.kind_name(kind));
            self.out.signature.sorts.push(ir::Sort { name, kind: SortKind::Data, span: None })
        };
        let (list, maybe, left) = (sort("@list"), sort("@maybe"), sort("@left"));
        let lists = Lists {
            sort: list,
            nil: self.symbol("@nil", Vec::new(), list, None),
            cons: self.symbol("@cons", vec![element, list], list, None),
            maybe,
            some: self.symbol("@some", vec![list], maybe, None),
            none: self.symbol("@none", Vec::new(), maybe, None),
            left,
            others: self.symbol("@others", vec![element], left, None),
            no_others: self.symbol("@none", Vec::new(), left, None),
        };
        self.space.lists.insert(kind, lists);
        lists
    }

    /// The sort of the truth values of the module.
    fn truth_sort(&self) -> SortId {
        let sort = self.space.signature.sort("Bool");
        sort.map_or(self.out.signature.booleans.sort, |sort| {
            self.space.sorts[self.space.signature.kind(Type::Sort(sort))]
        })
    }

    /// `true` or `false` of the module.
    fn truth_symbol(&self, value: bool) -> SymbolId {
        let name = if value { "true" } else { "false" };
        let of = self.space.signature.named(name, 0);
        let booleans = self.out.signature.booleans;
        match of.iter().find(|&&op| Some(self.space.signature.ops[op].range) == self.truth_kind()) {
            Some(&op) => self.space.calls[op],
            None if value => booleans.true_symbol,
            None => booleans.false_symbol,
        }
    }

    fn truth_kind(&self) -> Option<usize> {
        self.space.signature.sort("Bool").map(|sort| self.space.signature.kind(Type::Sort(sort)))
    }

    fn op(&self, key: &OpKey) -> usize {
        self.space.op(key)
    }

    /// A place for what no text says.
    fn place(&self) -> Span {
        self.space
            .rules
            .first()
            .map(|rule| rule.span)
            .or_else(|| self.space.signature.sorts.first().map(|sort| sort.span))
            .unwrap_or_else(|| Span::new(gchr_base::ids::Id::from_index(0), 0, 0))
    }

    // Rules.

    fn rule(&mut self, symbol: SymbolId, cx: Cx, args: Vec<Pattern>, body: Expr, span: Span) {
        if self.out.frozen {
            return;
        }
        let head = Head { role: Role::Removed, atom: HeadAtom::Term { symbol, args }, passive: false, span };
        self.out.rules.push(rule::Rule {
            name: None,
            vars: cx.vars,
            heads: vec![head],
            guard: cx.goals,
            body: Body::Replace(body),
            span,
        });
    }

    fn app(&self, symbol: SymbolId, args: Vec<Expr>, span: Span) -> Expr {
        let sort = self.out.signature.symbols[symbol].result;
        Expr { kind: ExprKind::App { symbol, args }, sort, span }
    }

    fn built(&self, symbol: SymbolId, args: Vec<Pattern>, span: Span) -> Pattern {
        let sort = self.out.signature.symbols[symbol].result;
        Pattern { kind: PatternKind::App { symbol, args }, sort, span }
    }

    fn operation(&self, op: Operator, args: Vec<Expr>, span: Span) -> Expr {
        let op = match self.out.signature.sorts[args[0].sort].kind {
            SortKind::Int | SortKind::Float if op == Operator::Same => Operator::Eq,
            _ => op,
        };
        let sort = self.out.signature.sort_of_result(op, args[0].sort);
        Expr { kind: ExprKind::Op { op, args }, sort, span }
    }

    fn integer(&self, value: i64, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(Const::Int(value)), sort: self.out.int, span }
    }

    fn condition(&self, value: bool, span: Span) -> Expr {
        let booleans = self.out.signature.booleans;
        self.app(if value { booleans.true_symbol } else { booleans.false_symbol }, Vec::new(), span)
    }
}

/// Operators that some equation has outermost.
fn with_equations<'r>(signature: &Signature, rules: impl IntoIterator<Item = &'r Rule>) -> HashSet<usize> {
    let equations = rules.into_iter().filter(|rule| rule.kind == EquationKind::Equation);
    equations
        .filter_map(|rule| match &rule.left.kind {
            TermKind::App(key, _) => signature.op(key),
            _ => None,
        })
        .collect()
}

/// Whether arguments of an operator are normalised.
fn has_axioms(op: &Op) -> bool {
    op.properties.assoc || op.properties.comm || op.properties.identity.is_some()
}
