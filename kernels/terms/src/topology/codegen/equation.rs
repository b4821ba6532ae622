//! Code of one equation: match, tests, what is built, and the reference counts that change.

use gchr_base::hash::HashMap;
use gchr_base::op::Op;
use gchr_base::rule::VarId;

use super::{ArgId, Generator, Loaded, Strategy, TermError};
use crate::topology::system::{Equation, EquationResult, HeadId, Node, NodeId, Pattern, Ref};
use gchr_kernel::build;
use gchr_kernel::ir::*;
use gchr_runtime::meter;

/// What is known while the code of an equation is made.
struct Match<'e> {
    equation: &'e Equation,
    /// Slot indices that variables are bound to.
    slots: HashMap<VarId, Expr>,
    /// Argument positions that variables are bound to directly.
    direct: HashMap<VarId, usize>,
    /// Values of scalar nodes computed so far in an enclosing block.
    scalars: HashMap<NodeId, Expr>,
    /// Slot indices of nodes built.
    built: HashMap<NodeId, Expr>,
    /// Conditions of the open `if` blocks, innermost last.
    open: Vec<Expr>,
    /// How often each slot is referred to by what the equation builds.
    uses: HashMap<Slot, i32>,
}

impl Match<'_> {
    fn uses(&self, slot: Slot) -> i32 {
        self.uses.get(&slot).copied().unwrap_or(0)
    }
}

impl Generator<'_> {
    /// Tries an equation: code that returns when it applies (or has to wait) and goes on behind it when it does not.
    pub(super) fn equation(&mut self, equation: &Equation) {
        if let Some(rule) = equation.rule {
            let (line, _) = self.sources.line_column(self.program.rules[rule].span);
            let step = if equation.counted { "" } else { " (step)" };
            self.b.origin(u32::try_from(line).ok(), format!("{}{step}", self.program.rule_name(rule)));
        }
        let mut m = Match {
            equation,
            slots: HashMap::default(),
            direct: HashMap::default(),
            scalars: HashMap::default(),
            built: HashMap::default(),
            open: Vec::new(),
            uses: HashMap::default(),
        };
        self.bind_arguments(&mut m);
        m.uses = self.count_uses(&m);
        if self.strategy == Strategy::Relaxed {
            self.hold_back(&mut m);
        }
        self.match_arguments(&mut m);
        for &test in &equation.tests {
            let holds = self.scalar(&mut m, test);
            self.open(&mut m, holds);
        }
        self.apply(&mut m);
        while let Some(condition) = m.open.pop() {
            self.b.end_if(condition);
        }
    }

    fn open(&mut self, m: &mut Match<'_>, condition: Expr) {
        m.open.push(condition);
        self.b.begin();
    }

    fn bind_arguments(&self, m: &mut Match<'_>) {
        for (k, pattern) in m.equation.patterns.iter().enumerate() {
            if let Pattern::Bind(var) = pattern {
                m.slots.insert(*var, self.argument(k));
                m.direct.insert(*var, k);
            }
        }
    }

    fn loaded(&self, k: usize) -> Option<Loaded> {
        self.args[ArgId(k as u32)].clone()
    }

    /// Top-level test of an argument, on the values read at the start.
    fn top_test(&self, pattern: &Pattern, value: Expr) -> Option<Expr> {
        let head = |h: HeadId| build::eq(super::head_of(self.runtime, value.clone()), build::u32(h.0));
        let number = |h: HeadId, bits: u64| {
            let words = [bits as u32, (bits >> 32) as u32];
            let word = |k: usize| build::eq(self.child(value.clone(), k), build::u32(words[k]));
            build::all([head(h), word(0), word(1)])
        };
        match pattern {
            Pattern::Any | Pattern::Bind(_) => None,
            Pattern::App(h, _) => Some(head(*h)),
            Pattern::Int(n) => Some(number(self.system.int_head, *n as u64)),
            Pattern::Float(bits) => Some(number(self.system.float_head, *bits)),
        }
    }

    /// Relaxed strategy: unless an argument in normal form already rules the equation out, wait for all that it needs.
    fn hold_back(&mut self, m: &mut Match<'_>) {
        let mut possible = Vec::new();
        let mut ready = Vec::new();
        for (k, pattern) in m.equation.patterns.iter().enumerate() {
            match self.loaded(k).filter(|_| pattern.inspects()) {
                Some(Loaded { normal: Some(normal), value }) => {
                    if let Some(test) = self.top_test(pattern, value) {
                        let not =
                            Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(normal.clone())), Type::BOOL);
                        possible.push(build::binary(BinaryOp::OrElse, not, test));
                    }
                    ready.push(normal);
                }
                _ if self.needs(m, k) => ready.push(self.is_normal(self.argument(k))),
                _ => {}
            }
        }
        let unconditional = possible.is_empty();
        if !ready.is_empty() {
            self.b.begin();
            self.wait_unless(build::all(ready));
            let code = self.b.end();
            if unconditional {
                code.into_iter().for_each(|s| self.b.push(s.kind));
            } else {
                self.b.push(StmtKind::If {
                    condition: build::all(possible),
                    then: code,
                    otherwise: Vec::new(),
                });
            }
        }
    }

    /// Whether an argument that is not inspected must be in normal form: its number is read, it is returned, or it is
    /// dropped.
    fn needs(&self, m: &Match<'_>, k: usize) -> bool {
        let bound: Vec<VarId> = m.direct.iter().filter(|&(_, &at)| at == k).map(|(&v, _)| v).collect();
        let graph = &m.equation.graph;
        let returned = match m.equation.result {
            EquationResult::Term(Ref::Var(v)) => bound.contains(&v),
            EquationResult::Term(Ref::Arg(a)) => a == k,
            EquationResult::Stuck { skip, .. } => k >= skip,
            EquationResult::TypeError { operands, .. } => k < operands,
            EquationResult::Term(_) => false,
        };
        let read = graph.payloads().any(|v| bound.contains(&v));
        returned || read || m.uses(Slot::Argument(k)) == 0
    }

    /// Opens `if`s for the argument patterns and binds variables.
    fn match_arguments(&mut self, m: &mut Match<'_>) {
        let mut tests = Vec::new();
        let mut inner: Vec<(Expr, &[Pattern])> = Vec::new();
        let equation = m.equation;
        for (k, pattern) in equation.patterns.iter().enumerate() {
            let Some(loaded) = self.loaded(k).filter(|_| pattern.inspects()) else { continue };
            // Held back above until it is in normal form, or already known not to match.
            tests.extend(loaded.normal.clone());
            tests.extend(self.top_test(pattern, loaded.value.clone()));
            if let Pattern::App(_, args) = pattern {
                inner.push((loaded.value, args));
            }
        }
        if !tests.is_empty() {
            self.open(m, build::all(tests));
        }
        while let Some((value, patterns)) = inner.pop() {
            for (k, pattern) in patterns.iter().enumerate() {
                let index = self.child(value.clone(), k);
                match pattern {
                    Pattern::Any => {}
                    Pattern::Bind(var) => {
                        m.slots.insert(*var, index);
                    }
                    _ => {
                        let slot = self.slot(index);
                        let value = self.b.var("inner", slot);
                        if let Some(test) = self.top_test(pattern, value.clone()) {
                            self.open(m, test);
                        }
                        if let Pattern::App(_, args) = pattern {
                            inner.push((value, args));
                        }
                    }
                }
            }
        }
    }

    /// Code for a scalar node; each is computed once in a block.
    fn scalar(&mut self, m: &mut Match<'_>, id: NodeId) -> Expr {
        if let Some(known) = m.scalars.get(&id) {
            return known.clone();
        }
        let value = match m.equation.graph.nodes[id].clone() {
            Node::Int(n) => return build::i64(n),
            Node::Float(bits) => return float_literal(f64::from_bits(bits)),
            Node::Payload { var, float } => {
                let slot = self.slot(m.slots[&var].clone());
                let term = self.b.var("operand", slot);
                let value = self.payload(term, float);
                self.b.var("value", value)
            }
            Node::Compute { op: op @ (Op::Both | Op::Either), args, .. } => {
                let first = self.scalar(m, args[0]);
                let result = self.b.var("holds", first);
                let outer = m.scalars.clone();
                self.b.begin();
                let second = self.scalar(m, args[1]);
                self.b.assign(result.clone(), second);
                m.scalars = outer;
                let condition = match op {
                    Op::Both => result.clone(),
                    _ => Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(result.clone())), Type::BOOL),
                };
                self.b.end_if(condition);
                result
            }
            Node::Compute { op, float, args, site } => {
                let args = args.iter().map(|&a| self.scalar(m, a)).collect();
                self.compute(op, float, args, site)
            }
            Node::Apply(..) | Node::Number { .. } | Node::Truth(_) => unreachable!("builds a slot"),
        };
        m.scalars.insert(id, value.clone());
        value
    }

    /// Builds what the equation builds, writes the slot, changes reference counts, returns; or reports that there is no
    /// value.
    fn apply(&mut self, m: &mut Match<'_>) {
        match m.equation.result {
            EquationResult::TypeError { op, site, operands } => {
                return self.raise(TermError::Type { op, site, operands });
            }
            EquationResult::Stuck { head, skip } if self.system.heads[head].numeric => {
                return self.no_rule(self.system.heads[head].kind, skip);
            }
            _ => {}
        }
        let done = if m.equation.counted {
            self.runtime.names.format.applies
        } else {
            self.runtime.names.format.stepped
        };
        let graph = &m.equation.graph;
        let root = match m.equation.result {
            EquationResult::Term(Ref::Node(id)) => Some(id),
            _ => None,
        };
        let built: Vec<NodeId> =
            graph.nodes.ids().filter(|&id| !graph.is_scalar(id) && Some(id) != root).collect();
        self.reserve(m, &built);
        for id in built {
            let index = m.built[&id].clone();
            let (value, normal) = self.node_value(m, id);
            let count = m.uses(Slot::Node(id));
            let args = vec![self.p.clone(), index.clone(), value, normal, build::u32(count as u32)];
            self.run(self.functions().write_new, args);
        }
        match m.equation.result {
            EquationResult::Term(Ref::Node(id)) => {
                let (value, normal) = self.node_value(m, id);
                self.run(self.functions().write_root, vec![self.p.clone(), self.i.clone(), value, normal]);
            }
            EquationResult::Term(at) => {
                let source = self.index(m, at);
                self.run(self.functions().copy_root, vec![self.p.clone(), self.i.clone(), source]);
            }
            EquationResult::Stuck { head, skip } => {
                let arity = self.system.heads[head].arity;
                let args = (skip..skip + arity).map(|k| self.argument(k)).collect();
                let value = self.term_value(head, args);
                self.run(
                    self.functions().write_root,
                    vec![self.p.clone(), self.i.clone(), value, build::bool(true)],
                );
            }
            EquationResult::TypeError { .. } => unreachable!("reported above"),
        }
        self.count(m);
        if let Some(rule) = m.equation.rule.filter(|_| m.equation.counted) {
            self.b.push(StmtKind::Tally(meter::applied(rule)));
        }
        self.b.ret(Some(build::u32(done)));
    }

    /// Takes a slot for each node. When one is missing the others are given back and the redex waits for more memory.
    fn reserve(&mut self, m: &mut Match<'_>, nodes: &[NodeId]) {
        let fresh = self.functions().fresh;
        for &id in nodes {
            let index = self.b.call("n", self.module(), fresh, vec![self.p.clone()]);
            m.built.insert(id, index);
        }
        self.give_back_unless_all(nodes.iter().map(|id| m.built[id].clone()).collect());
    }

    /// Unless all slots are there: gives back those that are, and waits.
    pub(super) fn give_back_unless_all(&mut self, slots: Vec<Expr>) {
        let missing = slots.iter().map(|n| build::eq(n.clone(), build::u32(0)));
        let Some(missing) = missing.reduce(|a, b| build::binary(BinaryOp::OrElse, a, b)) else { return };
        self.b.begin();
        if slots.len() > 1 {
            for slot in slots {
                self.run(self.functions().give_back, vec![self.p.clone(), slot]);
            }
        }
        self.b.ret(Some(build::u32(self.runtime.names.format.waits)));
        self.b.end_if(missing);
    }

    /// Value of a node's slot, and whether it is in normal form.
    fn node_value(&mut self, m: &mut Match<'_>, id: NodeId) -> (Expr, Expr) {
        match m.equation.graph.nodes[id].clone() {
            Node::Apply(head, args) => {
                let indices: Vec<_> = args.iter().map(|&a| self.index(m, a)).collect();
                let normal = if self.system.is_active(head) {
                    build::bool(false)
                } else {
                    build::all(args.iter().filter_map(|&a| self.normal_argument(m, a)))
                };
                (self.term_value(head, indices), normal)
            }
            Node::Number { value, float } => {
                let value = self.scalar(m, value);
                (self.number_value(value, float), build::bool(true))
            }
            Node::Truth(value) => {
                let value = self.scalar(m, value);
                let word = self.truth_word(value);
                (self.term_value_of(word, Vec::new()), build::bool(true))
            }
            _ => unreachable!("a scalar"),
        }
    }

    /// Whether an argument of a new constructor term is in normal form; `None` when it surely is.
    fn normal_argument(&self, m: &Match<'_>, at: Ref) -> Option<Expr> {
        match at {
            Ref::Node(id) => match &m.equation.graph.nodes[id] {
                Node::Apply(head, args) if !self.system.is_active(*head) => {
                    let inner: Vec<_> = args.iter().filter_map(|&a| self.normal_argument(m, a)).collect();
                    (!inner.is_empty()).then(|| build::all(inner))
                }
                Node::Apply(..) => Some(build::bool(false)),
                _ => None,
            },
            // Below an inspected argument everything is in normal form, and so are all arguments under the innermost
            // strategy.
            Ref::Var(v) if !m.direct.contains_key(&v) => None,
            _ if self.strategy == Strategy::Innermost => None,
            _ => Some(self.is_normal(self.index(m, at))),
        }
    }

    fn index(&self, m: &Match<'_>, at: Ref) -> Expr {
        match at {
            Ref::Var(v) => m.slots[&v].clone(),
            Ref::Arg(k) => self.argument(k),
            Ref::Node(id) => m.built[&id].clone(),
        }
    }

    /// How often each slot is referred to by what the equation builds; arguments are bound.
    fn count_uses(&self, m: &Match<'_>) -> HashMap<Slot, i32> {
        let mut uses = HashMap::default();
        let mut add = |at: Ref| {
            let slot = match at {
                Ref::Node(id) => Slot::Node(id),
                Ref::Arg(k) => Slot::Argument(k),
                Ref::Var(v) => m.direct.get(&v).map_or(Slot::Inner(v), |&k| Slot::Argument(k)),
            };
            *uses.entry(slot).or_insert(0) += 1;
        };
        for node in &m.equation.graph.nodes {
            if let Node::Apply(_, args) = node {
                args.iter().for_each(|&a| add(a));
            }
        }
        if let EquationResult::Stuck { head, skip } = m.equation.result {
            (skip..skip + self.system.heads[head].arity).for_each(|k| add(Ref::Arg(k)));
        }
        uses
    }

    /// Changes the counts of slots that existed before: uses in what was built, less the redex's own references to its
    /// arguments.
    fn count(&mut self, m: &Match<'_>) {
        let change = |g: &mut Self, index: Expr, by: i32| match by {
            0 => {}
            1.. => g.run(g.functions().retain, vec![g.p.clone(), index, build::u32(by as u32)]),
            _ => g.run(g.functions().release, vec![g.p.clone(), index]),
        };
        for k in 0..self.system.heads[self.head].arity {
            let index = self.argument(k);
            change(self, index, m.uses(Slot::Argument(k)) - 1);
        }
        let mut inner: Vec<VarId> = m.slots.keys().copied().filter(|v| !m.direct.contains_key(v)).collect();
        inner.sort_unstable();
        for var in inner {
            change(self, m.slots[&var].clone(), m.uses(Slot::Inner(var)));
        }
    }
}

/// A constant. Literals have no sign.
fn float_literal(x: f64) -> Expr {
    if x.is_sign_negative() {
        let bits = Expr::new(ExprKind::Literal(Literal::Int(x.to_bits())), Type::U64);
        return build::intrinsic(Intrinsic::FloatFromBits, vec![bits], Scalar::F64);
    }
    Expr::new(ExprKind::Literal(Literal::Float(x)), Type::F64)
}

/// A slot whose references are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Slot {
    Argument(usize),
    Inner(VarId),
    Node(NodeId),
}
