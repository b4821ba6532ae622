//! Lowers rules to equations: linear patterns, scalar tests, and continuations for everything that must be rewritten first.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{
    self, Body, Const, Expr, ExprKind, GoalKind, GroundNode, HeadAtom, PatternKind, Program, RuleId, Start,
    VarId,
};
use gchr_base::signature::{SortId, SortKind, SymbolId};

use super::{Equation, EquationResult, Graph, Head, HeadId, HeadKind, Node, NodeId, Pattern, Ref, System};
use gchr_runtime::codegen::Site;

/// Lowers a program; see [`System::new`].
pub(super) fn lower(program: &Program) -> System {
    let mut lowering = Lowering::new(program);
    for symbol in program.signature.symbols.ids() {
        let rules: Vec<_> = program.rules_of(symbol).collect();
        let head = lowering.system.symbol_heads[symbol.0 as usize];
        lowering.rules(head, head, 0, &rules);
    }
    if let Start::Term(Some(term)) = &program.start {
        for node in &term.nodes {
            if let GroundNode::Op(op, sort) = *node {
                lowering.operator(op, sort, Site { rule: None, span: term.span });
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
    operators: HashMap<(Op, SortId, Site), HeadId>,
    /// Operator expressions of the rule at hand: equal ones have one site, so that they stay one node.
    operations: Vec<&'a Expr>,
}

/// A rule on its way to an equation: linear patterns, and what else must hold.
struct Linear<'a> {
    patterns: Vec<Pattern>,
    /// Pairs of variables that must be bound to equal values, with their sort.
    equal: Vec<(VarId, VarId, SortId)>,
    conditions: Vec<&'a Expr>,
    result: &'a Expr,
}

/// Rules tried in order on a head whose arguments, from `skip` on, are those of `symbol`.
#[derive(Clone, Copy)]
struct Target {
    head: HeadId,
    symbol: HeadId,
    skip: usize,
}

impl<'a> Lowering<'a> {
    fn new(program: &'a Program) -> Self {
        let sig = &program.signature;
        let mut heads = IdVec::new();
        let mut head = |name: &str, kind, arity| {
            heads.push(Head { name: name.into(), kind, arity, equations: Vec::new() })
        };
        head("free", HeadKind::Free, 0);
        let int_head = head("int", HeadKind::Int, 0);
        let float_head = head("float", HeadKind::Float, 0);
        let same_head = head("same", HeadKind::Same, 2);
        let widest = sig.symbols.iter().map(|s| s.args.len()).max().unwrap_or(0).max(2);
        let all_head = head("all", HeadKind::All, widest);
        let symbol_heads: Vec<_> = sig
            .symbols
            .iter_enumerated()
            .map(|(id, s)| head(&s.name, HeadKind::Symbol(id), s.args.len()))
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
            max_arity: 2,
        };
        Self { program, system, operators: HashMap::default(), operations: Vec::new() }
    }

    fn kind(&self, sort: SortId) -> SortKind {
        self.program.signature.kind(sort)
    }

    fn head_of(&self, symbol: SymbolId) -> HeadId {
        self.system.symbol_heads[symbol.0 as usize]
    }

    fn rules(&mut self, head: HeadId, symbol: HeadId, skip: usize, rules: &[RuleId]) {
        let target = Target { head, symbol, skip };
        for (at, &rule) in rules.iter().enumerate() {
            self.operations.clear();
            let Some(linear) = self.linear(rule, skip) else { continue };
            let mut graph = Graph::default();
            let Some(tests) = self.scalar_tests(&linear, &mut graph, rule) else {
                return self.conditional(target, rule, &linear, &rules[at + 1..]);
            };
            let result = EquationResult::Term(self.term(linear.result, &mut graph, rule));
            self.equation(
                head,
                Equation { patterns: linear.patterns, tests, result, graph, counted: true, rule },
            );
        }
    }

    /// The redex becomes a continuation that holds the rule's condition; the continuation applies the rule, goes on with the rules
    /// behind it, or becomes the redex again, now a normal form.
    fn conditional(&mut self, target: Target, rule: RuleId, linear: &Linear<'a>, rest: &[RuleId]) {
        let Target { head, symbol, skip } = target;
        let arity = self.system.heads[symbol].arity;
        let name = format!("{}_if_{}", self.system.heads[symbol].name, rule.0 + 1);
        let next = self.continuation(name, 1 + arity);

        let mut graph = Graph::default();
        let mut args = vec![self.condition(linear, &mut graph, rule)];
        args.extend((skip..skip + arity).map(Ref::Arg));
        let waiting = EquationResult::Term(Ref::Node(graph.add(Node::Apply(next, args))));
        let patterns = linear.patterns.clone();
        self.step(head, patterns, waiting, graph, rule);

        let mut graph = Graph::default();
        let result = EquationResult::Term(self.term(linear.result, &mut graph, rule));
        let mut patterns = vec![Pattern::App(self.system.true_head, Vec::new())];
        patterns.extend(linear.patterns[skip..].iter().cloned());
        self.equation(next, Equation { patterns, tests: Vec::new(), result, graph, counted: true, rule });
        self.rules(next, symbol, 1, rest);

        let stuck = EquationResult::Stuck { head: symbol, skip: 1 };
        self.step(next, vec![Pattern::Any; 1 + arity], stuck, Graph::default(), rule);
    }

    fn continuation(&mut self, name: String, arity: usize) -> HeadId {
        self.system.heads.push(Head { name, kind: HeadKind::Continuation, arity, equations: Vec::new() })
    }

    fn equation(&mut self, head: HeadId, equation: Equation) {
        self.system.heads[head].equations.push(equation);
    }

    /// An equation that is not a rule application.
    fn step(
        &mut self,
        head: HeadId,
        patterns: Vec<Pattern>,
        result: EquationResult,
        graph: Graph,
        rule: RuleId,
    ) {
        self.equation(head, Equation { patterns, tests: Vec::new(), result, graph, counted: false, rule });
    }

    fn operator(&mut self, op: Op, sort: SortId, site: Site) -> HeadId {
        let heads = &mut self.system.heads;
        *self.operators.entry((op, sort, site)).or_insert_with(|| {
            let (name, arity) = (format!("op_{}", heads.len()), op.arity());
            heads.push(Head {
                name,
                kind: HeadKind::Operator { op, sort, site },
                arity,
                equations: Vec::new(),
            })
        })
    }

    /// The place of the first operator expression of the rule that is equal to this one.
    fn site(&mut self, expr: &'a Expr, rule: RuleId) -> Site {
        let known = self.operations.iter().find(|e| same_expr(e, expr)).map(|e| e.span);
        if known.is_none() {
            self.operations.push(expr);
        }
        Site { rule: Some(rule), span: known.unwrap_or(expr.span) }
    }

    fn linear(&self, id: RuleId, skip: usize) -> Option<Linear<'a>> {
        let rule = &self.program.rules[id];
        let (HeadAtom::Term { args, .. }, Body::Replace(result)) = (&rule.heads.first()?.atom, &rule.body)
        else {
            return None;
        };
        let mut split =
            Split { heads: &self.system.symbol_heads, seen: vec![false; rule.vars.len()], equal: Vec::new() };
        let mut patterns = vec![Pattern::Any; skip];
        patterns.extend(args.iter().map(|arg| split.pattern(arg)));
        let conditions = rule
            .guard
            .iter()
            .filter_map(|goal| match &goal.kind {
                GoalKind::Test(test) => Some(test),
                _ => None,
            })
            .collect();
        Some(Linear { patterns, equal: split.equal, conditions, result })
    }

    /// The rule's conditions as scalar tests; `None` when one of them has to be rewritten first.
    fn scalar_tests(&mut self, linear: &Linear<'a>, graph: &mut Graph, rule: RuleId) -> Option<Vec<NodeId>> {
        let mut tests = Vec::new();
        for &(a, b, sort) in &linear.equal {
            let float = match self.kind(sort) {
                SortKind::Int => false,
                SortKind::Float => true,
                _ => return None,
            };
            let args = [a, b].map(|var| graph.add(Node::Payload { var, float })).to_vec();
            let site = Site { rule: Some(rule), span: self.program.rules[rule].span };
            tests.push(graph.add(Node::Compute { op: Op::Same, float, args, site }));
        }
        for condition in &linear.conditions {
            tests.push(self.scalar(condition, graph, rule)?);
        }
        Some(tests)
    }

    /// All conditions of a rule as one term: repeated variables first, then the tests, lazily from left to right.
    fn condition(&mut self, linear: &Linear<'a>, graph: &mut Graph, rule: RuleId) -> Ref {
        let same = self.system.same_head;
        let mut equal = Vec::new();
        for &(a, b, _) in &linear.equal {
            equal.push(Ref::Node(graph.add(Node::Apply(same, vec![Ref::Var(a), Ref::Var(b)]))));
        }
        if equal.is_empty() {
            return self.tests(&linear.conditions, graph, rule);
        }
        let all = self.all_of(equal, graph);
        if linear.conditions.is_empty() {
            return all;
        }
        self.lazy(Op::Both, all, &linear.conditions, graph, rule)
    }

    /// The conjunction of tests, each evaluated only when those before it hold.
    fn tests(&mut self, tests: &[&'a Expr], graph: &mut Graph, rule: RuleId) -> Ref {
        match tests {
            [] => Ref::Node(graph.add(Node::Apply(self.system.true_head, Vec::new()))),
            [one] => self.term(one, graph, rule),
            [first, rest @ ..] => {
                let first = self.term(first, graph, rule);
                self.lazy(Op::Both, first, rest, graph, rule)
            }
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

    /// A slot for the expression's value.
    fn term(&mut self, expr: &'a Expr, graph: &mut Graph, rule: RuleId) -> Ref {
        match &expr.kind {
            ExprKind::Var(var) => Ref::Var(*var),
            ExprKind::App { symbol, args } => {
                let args = args.iter().map(|a| self.term(a, graph, rule)).collect();
                Ref::Node(graph.add(Node::Apply(self.head_of(*symbol), args)))
            }
            ExprKind::Repeat { symbol, count, arg } => {
                let head = self.head_of(*symbol);
                let start = self.term(arg, graph, rule);
                (0..*count).fold(start, |at, _| Ref::Node(graph.add(Node::Apply(head, vec![at]))))
            }
            ExprKind::Const(_) | ExprKind::Op { .. } => match self.scalar(expr, graph, rule) {
                Some(value) => Ref::Node(graph.add(match self.kind(expr.sort) {
                    SortKind::Int => Node::Number { value, float: false },
                    SortKind::Float => Node::Number { value, float: true },
                    _ => Node::Truth(value),
                })),
                None => self.operation(expr, graph, rule),
            },
        }
    }

    /// An operator whose operands have to be rewritten first.
    fn operation(&mut self, expr: &'a Expr, graph: &mut Graph, rule: RuleId) -> Ref {
        let ExprKind::Op { op, args } = &expr.kind else {
            unreachable!("constants of this language are scalars")
        };
        if let (Op::Both | Op::Either, [a, b]) = (op, args.as_slice()) {
            let first = self.term(a, graph, rule);
            return self.lazy(*op, first, &[b], graph, rule);
        }
        let operand = args.first().map_or(expr.sort, |a| a.sort);
        let site = self.site(expr, rule);
        let args = args.iter().map(|a| self.term(a, graph, rule)).collect();
        let structural = matches!(op, Op::Same | Op::Differ) && self.kind(operand) == SortKind::Data;
        if !structural {
            return Ref::Node(graph.add(Node::Apply(self.operator(*op, operand, site), args)));
        }
        let same = Ref::Node(graph.add(Node::Apply(self.system.same_head, args)));
        if *op == Op::Same {
            return same;
        }
        let negate = self.operator(Op::Negate, expr.sort, site);
        Ref::Node(graph.add(Node::Apply(negate, vec![same])))
    }

    /// `first && second...` or `first || second`: a continuation that holds the variables of what is evaluated later.
    fn lazy(&mut self, op: Op, first: Ref, second: &[&'a Expr], graph: &mut Graph, rule: RuleId) -> Ref {
        let mut vars = Vec::new();
        for expr in second {
            expr.walk(&mut |e| match e.kind {
                ExprKind::Var(v) if !vars.contains(&v) => vars.push(v),
                _ => {}
            });
        }
        let next = self.continuation(format!("lazy_{}", self.system.heads.len()), 1 + vars.len());
        let (go, stop) = match op {
            Op::Both => (self.system.true_head, self.system.false_head),
            _ => (self.system.false_head, self.system.true_head),
        };
        let mut later = Graph::default();
        let result = EquationResult::Term(self.tests(second, &mut later, rule));
        let mut patterns = vec![Pattern::App(go, Vec::new())];
        patterns.extend(vars.iter().map(|&v| Pattern::Bind(v)));
        self.step(next, patterns, result, later, rule);
        let mut short = Graph::default();
        let value = EquationResult::Term(Ref::Node(short.add(Node::Apply(stop, Vec::new()))));
        let mut patterns = vec![Pattern::App(stop, Vec::new())];
        patterns.resize(1 + vars.len(), Pattern::Any);
        self.step(next, patterns, value, short, rule);
        let mut args = vec![first];
        args.extend(vars.iter().map(|&v| Ref::Var(v)));
        Ref::Node(graph.add(Node::Apply(next, args)))
    }

    /// The expression as a scalar, when it is arithmetic on numbers that are at hand.
    fn scalar(&mut self, expr: &'a Expr, graph: &mut Graph, rule: RuleId) -> Option<NodeId> {
        if !self.is_scalar(expr) {
            return None;
        }
        let float = |l: &Self, e: &Expr| l.kind(e.sort) == SortKind::Float;
        Some(match &expr.kind {
            ExprKind::Var(var) => graph.add(Node::Payload { var: *var, float: float(self, expr) }),
            ExprKind::Const(Const::Int(n)) => graph.add(Node::Int(*n)),
            ExprKind::Const(Const::Float(x)) => graph.add(Node::Float(x.to_bits())),
            ExprKind::Op { op, args } => {
                let is_float = args.first().is_some_and(|a| float(self, a));
                let args = args.iter().map(|a| self.scalar(a, graph, rule)).collect::<Option<Vec<_>>>()?;
                let site = self.site(expr, rule);
                graph.add(Node::Compute { op: *op, float: is_float, args, site })
            }
            _ => return None,
        })
    }

    fn is_scalar(&self, expr: &Expr) -> bool {
        let number = |e: &Expr| matches!(self.kind(e.sort), SortKind::Int | SortKind::Float);
        match &expr.kind {
            ExprKind::Var(_) => number(expr),
            ExprKind::Const(c) => matches!(c, Const::Int(_) | Const::Float(_)),
            ExprKind::Op { op, args } => {
                (op.is_logical() || args.iter().all(number)) && args.iter().all(|a| self.is_scalar(a))
            }
            _ => false,
        }
    }
}

/// Makes patterns linear: a variable that occurs again gets a fresh name and an equality.
struct Split<'a> {
    heads: &'a [HeadId],
    seen: Vec<bool>,
    equal: Vec<(VarId, VarId, SortId)>,
}

impl Split<'_> {
    fn pattern(&mut self, pattern: &rule::Pattern) -> Pattern {
        match &pattern.kind {
            PatternKind::Wild => Pattern::Any,
            PatternKind::Var(var) if std::mem::replace(&mut self.seen[var.0 as usize], true) => {
                let copy = VarId((self.seen.len() + self.equal.len()) as u32);
                self.equal.push((*var, copy, pattern.sort));
                Pattern::Bind(copy)
            }
            PatternKind::Var(var) => Pattern::Bind(*var),
            PatternKind::Const(Const::Float(x)) => Pattern::Float(x.to_bits()),
            PatternKind::Const(Const::Int(n)) => Pattern::Int(*n),
            PatternKind::Const(_) => unreachable!("term programs have numbers only as constants"),
            PatternKind::App { symbol, args } => {
                let args = args.iter().map(|a| self.pattern(a)).collect();
                Pattern::App(self.heads[symbol.0 as usize], args)
            }
        }
    }
}

/// Whether two expressions are equal but for their places.
fn same_expr(a: &Expr, b: &Expr) -> bool {
    let same_all =
        |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_expr(a, b));
    match (&a.kind, &b.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
        (ExprKind::App { symbol: f, args: a }, ExprKind::App { symbol: g, args: b }) => {
            f == g && same_all(a, b)
        }
        (ExprKind::Op { op: f, args: a }, ExprKind::Op { op: g, args: b }) => f == g && same_all(a, b),
        (
            ExprKind::Repeat { symbol: f, count: m, arg: a },
            ExprKind::Repeat { symbol: g, count: n, arg: b },
        ) => f == g && m == n && same_expr(a, b),
        _ => false,
    }
}
