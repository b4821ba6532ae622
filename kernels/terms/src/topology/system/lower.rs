//! Lowers rules to equations: linear patterns, scalar tests, and continuations for everything that must be rewritten
//! first.

mod heads;
mod pattern;
mod terms;

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Body, Expr, ExprKind, GoalKind, GroundNode, HeadAtom, Program, RuleId, Start, VarId};
use gchr_base::signature::{SortId, SortKind, SymbolId};

use super::{Equation, EquationResult, Graph, Head, HeadId, HeadKind, Node, NodeId, Pattern, Ref, System};
use gchr_runtime::codegen::Site;
use pattern::Split;
use terms::Scope;

/// Lowers a program; see [`System::new`].
pub(super) fn lower(program: &Program) -> System {
    let mut lowering = Lowering::new(program);
    for (symbol, rules) in program.rules_by_symbol().iter_enumerated() {
        lowering.rules(lowering.head_of(symbol), rules);
    }
    if let Start::Term(Some(term)) = &program.start {
        for node in &term.nodes {
            if let GroundNode::Op(op, sort) = *node {
                lowering.start_operator(op, sort, Site { rule: None, span: term.span });
            }
        }
    }
    let mut system = lowering.system;
    system.max_arity = system.heads.iter().map(|h| h.arity).max().unwrap_or(0).max(2);
    system
}

struct Lowering<'a> {
    program: &'a Program,
    system: System,
    /// Operators, and checks of the second operands of lazy ones, by place.
    operators: HashMap<(Op, SortId, Site), HeadId>,
    /// Heads that stand for a unary one applied 2^n times.
    powers: HashMap<(HeadId, u32), HeadId>,
    /// Whether a term of the sort of truth values may be neither true nor false.
    open_truth: bool,
    /// The rule at hand.
    rule: Option<RuleId>,
    /// Next variable that the rule at hand does not have.
    next_var: u32,
}

/// What must hold before a rule applies.
enum Condition<'a> {
    /// Two variables are bound to the same number.
    SameNumber { vars: [VarId; 2], float: bool },
    /// In each pair both variables are bound to the same term.
    SameTerms(Vec<[VarId; 2]>),
    /// A test.
    Test(&'a Expr),
}

/// Where a rule is tried: on the applications of a head, whose arguments from `skip` on are those of the symbol.
#[derive(Clone, Copy)]
struct Place {
    head: HeadId,
    skip: usize,
}

impl<'a> Lowering<'a> {
    fn new(program: &'a Program) -> Self {
        let sig = &program.signature;
        let mut heads = IdVec::new();
        let mut head = |name: &str, kind, arity, numeric| {
            heads.push(Head { name: name.into(), kind, arity, equations: Vec::new(), numeric })
        };
        head("free", HeadKind::Free, 0, false);
        let int_head = head("int", HeadKind::Int, 0, false);
        let float_head = head("float", HeadKind::Float, 0, false);
        let same_head = head("same", HeadKind::Same, 2, false);
        let widest = sig.symbols.iter().map(|s| s.args.len()).max().unwrap_or(0).max(2);
        let all_head = head("all", HeadKind::All, widest, false);
        let numeric = |sort| sig.kind(sort) != SortKind::Data;
        let symbol_heads: Vec<_> = sig
            .symbols
            .iter_enumerated()
            .map(|(id, s)| head(&s.name, HeadKind::Symbol(id), s.args.len(), numeric(s.result)))
            .collect();
        let of = |symbol: SymbolId| symbol_heads[symbol.0 as usize];
        let (true_head, false_head) = (of(sig.booleans.true_symbol), of(sig.booleans.false_symbol));
        let system = System {
            heads,
            true_head,
            false_head,
            int_head,
            float_head,
            same_head,
            all_head,
            symbol_heads,
            start_heads: HashMap::default(),
            max_arity: 2,
        };
        Self {
            program,
            system,
            operators: HashMap::default(),
            powers: HashMap::default(),
            open_truth: sig.symbols_of(sig.booleans.sort).count() > 2,
            rule: None,
            next_var: 0,
        }
    }

    fn kind(&self, sort: SortId) -> SortKind {
        self.program.signature.kind(sort)
    }

    fn head_of(&self, symbol: SymbolId) -> HeadId {
        self.system.symbol_heads[symbol.0 as usize]
    }

    /// The rules of a symbol. A rule with a condition that must be rewritten is tried by its head up to there; what is
    /// left of it and the rules behind it are the continuation's. A redex that the rule does not match goes on there
    /// too, with a condition that is false: so each rule is lowered once.
    fn rules(&mut self, symbol: HeadId, rules: &[RuleId]) {
        let mut place = Place { head: symbol, skip: 0 };
        for (at, &rule) in rules.iter().enumerate() {
            let last = at + 1 == rules.len();
            if let Some(next) = self.try_rule(symbol, place, rule, last) {
                self.otherwise(symbol, place, next, last);
                place = Place { head: next, skip: 1 };
            }
        }
        self.rule = None;
        self.stuck(symbol, place);
    }

    /// The equations of one rule at a place; the continuation with which the rules behind it go on, if there is one.
    fn try_rule(&mut self, symbol: HeadId, place: Place, rule: RuleId, last: bool) -> Option<HeadId> {
        let body = match (&self.program.rules[rule].heads.first()?.atom, &self.program.rules[rule].body) {
            (HeadAtom::Term { .. }, Body::Replace(body)) => body,
            _ => return None,
        };
        self.rule = Some(rule);
        let (patterns, conditions) = self.left_hand_side(rule);
        let mut conditions = conditions.as_slice();
        let mut first = None;
        let mut here = place;
        loop {
            let mut scope = Scope::default();
            let mut tests = Vec::new();
            while let Some((test, rest)) = conditions
                .split_first()
                .and_then(|(test, rest)| Some((self.scalar_condition(test, &mut scope)?, rest)))
            {
                tests.push(test);
                conditions = rest;
            }
            let mut all = vec![Pattern::Any; here.skip];
            if first.is_some() {
                all[0] = Pattern::App(self.system.true_head, Vec::new());
            }
            all.extend(patterns.iter().cloned());
            let Some((condition, rest)) = conditions.split_first() else {
                let result = EquationResult::Term(self.term(body, &mut scope));
                self.equation(here.head, all, tests, result, scope.graph, true);
                if let Some(first) = first.filter(|&first| first != here.head) {
                    self.otherwise(symbol, here, first, last);
                }
                return first;
            };
            let next = self.continuation(symbol, rule);
            let condition = self.condition(condition, &mut scope);
            let waiting = self.go_on(symbol, here, next, condition, &mut scope.graph);
            self.equation(here.head, all, tests, waiting, scope.graph, false);
            if let Some(first) = first.filter(|&first| first != here.head) {
                self.otherwise(symbol, here, first, last);
            }
            first = first.or(Some(next));
            here = Place { head: next, skip: 1 };
            conditions = rest;
        }
    }

    /// Patterns of a rule's arguments, and what must hold besides, in order.
    fn left_hand_side(&mut self, rule: RuleId) -> (Vec<Pattern>, Vec<Condition<'a>>) {
        let program = self.program;
        let rule = &program.rules[rule];
        let mut split = Split::new(&self.system.symbol_heads, rule.vars.len());
        let patterns = rule.heads[0].atom.args().iter().map(|arg| split.pattern(arg)).collect();
        self.next_var = split.vars();
        let mut conditions = Vec::new();
        let mut terms = Vec::new();
        for (a, b, sort) in split.equal {
            match self.kind(sort) {
                SortKind::Data => terms.push([a, b]),
                kind => {
                    conditions.push(Condition::SameNumber { vars: [a, b], float: kind == SortKind::Float })
                }
            }
        }
        if !terms.is_empty() {
            conditions.push(Condition::SameTerms(terms));
        }
        for goal in &rule.guard {
            let GoalKind::Test(test) = &goal.kind else { unreachable!("guards of terms are tests") };
            let mut conjuncts = vec![test];
            while let Some(expr) = conjuncts.pop() {
                match &expr.kind {
                    ExprKind::Op { op: Op::Both, args } => conjuncts.extend(args.iter().rev()),
                    _ => conditions.push(Condition::Test(expr)),
                }
            }
        }
        (patterns, conditions)
    }

    /// A condition as a scalar test; `None` when it has to be rewritten first.
    fn scalar_condition(&mut self, condition: &Condition<'a>, scope: &mut Scope<'a>) -> Option<NodeId> {
        match *condition {
            Condition::SameNumber { vars, float } => {
                let args = vars.map(|var| scope.graph.add(Node::Payload { var, float })).to_vec();
                let span = self.rule.map(|rule| self.program.rules[rule].span)?;
                let site = Site { rule: self.rule, span };
                Some(scope.graph.add(Node::Compute { op: Op::Same, float, args, site }))
            }
            Condition::SameTerms(_) => None,
            Condition::Test(test) => self.is_scalar(test).then(|| self.scalar(test, scope)),
        }
    }

    /// A condition as a term.
    fn condition(&mut self, condition: &Condition<'a>, scope: &mut Scope<'a>) -> Ref {
        match condition {
            Condition::SameNumber { .. } => unreachable!("numbers are compared at once"),
            Condition::SameTerms(pairs) => {
                let same = self.system.same_head;
                let equal = pairs
                    .iter()
                    .map(|pair| Ref::Node(scope.graph.add(Node::Apply(same, pair.map(Ref::Var).to_vec()))));
                let equal = equal.collect();
                self.all_of(equal, &mut scope.graph)
            }
            Condition::Test(test) => self.term(test, scope),
        }
    }

    /// A conjunction of truth values, in groups as wide as the head of conjunctions.
    fn all_of(&mut self, mut parts: Vec<Ref>, graph: &mut Graph) -> Ref {
        let (all, width) = (self.system.all_head, self.system.heads[self.system.all_head].arity);
        while parts.len() > 1 {
            let group = |group: &[Ref]| match group {
                [one] => *one,
                _ => {
                    let mut args = group.to_vec();
                    args.resize(width, group[0]);
                    Ref::Node(graph.add(Node::Apply(all, args)))
                }
            };
            parts = parts.chunks(width).map(group).collect();
        }
        parts[0]
    }

    /// A continuation of a symbol's rules: a condition, and the arguments of the redex.
    fn continuation(&mut self, symbol: HeadId, rule: RuleId) -> HeadId {
        let symbol = &self.system.heads[symbol];
        let (name, arity) = (format!("{}_if_{}", symbol.name, rule.0 + 1), 1 + symbol.arity);
        self.step_head(name, arity)
    }

    /// The redex becomes a continuation.
    fn go_on(
        &self,
        symbol: HeadId,
        from: Place,
        to: HeadId,
        condition: Ref,
        graph: &mut Graph,
    ) -> EquationResult {
        let mut args = vec![condition];
        args.extend((from.skip..from.skip + self.system.heads[symbol].arity).map(Ref::Arg));
        EquationResult::Term(Ref::Node(graph.add(Node::Apply(to, args))))
    }

    /// A redex for which a rule does not apply after all goes on with the rules behind it, if there are any.
    fn otherwise(&mut self, symbol: HeadId, place: Place, next: HeadId, last: bool) {
        if last {
            return self.stuck(symbol, place);
        }
        let mut graph = Graph::default();
        let never = Ref::Node(graph.add(Node::Apply(self.system.false_head, Vec::new())));
        let result = self.go_on(symbol, place, next, never, &mut graph);
        let any = vec![Pattern::Any; self.system.heads[place.head].arity];
        self.step(place.head, any, result, graph);
    }

    /// No rule applies to the redex: a continuation becomes the redex again, now a normal form.
    fn stuck(&mut self, symbol: HeadId, place: Place) {
        if place.head == symbol {
            return;
        }
        let any = vec![Pattern::Any; self.system.heads[place.head].arity];
        let stuck = EquationResult::Stuck { head: symbol, skip: place.skip };
        self.step(place.head, any, stuck, Graph::default());
    }

    fn equation(
        &mut self,
        head: HeadId,
        patterns: Vec<Pattern>,
        tests: Vec<NodeId>,
        result: EquationResult,
        graph: Graph,
        counted: bool,
    ) {
        let equation = Equation { patterns, tests, result, graph, counted, rule: self.rule };
        self.system.heads[head].equations.push(equation);
    }

    /// An equation that is not a rule application.
    fn step(&mut self, head: HeadId, patterns: Vec<Pattern>, result: EquationResult, graph: Graph) {
        self.equation(head, patterns, Vec::new(), result, graph, false);
    }
}
