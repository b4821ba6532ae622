//! Heads of steps that are no rule applications: operators, truth values, repeated symbols.

use super::*;

impl<'a> Lowering<'a> {
    /// A head of such steps.
    pub(super) fn step_head(&mut self, name: String, arity: usize) -> HeadId {
        self.head(name, HeadKind::Continuation, arity)
    }

    fn head(&mut self, name: String, kind: HeadKind, arity: usize) -> HeadId {
        self.system.heads.push(Head { name, kind, arity, equations: Vec::new(), numeric: false })
    }

    /// The head of an operator that needs the values of all its operands, at its place.
    pub(super) fn operator(&mut self, op: Op, sort: SortId, site: Site) -> HeadId {
        if let Some(&known) = self.operators.get(&(op, sort, site)) {
            return known;
        }
        let name = format!("op_{}", self.system.heads.len());
        let head = if self.kind(sort) == SortKind::Data {
            let head = self.step_head(name, 1);
            let negated = op == Op::Negate;
            for value in [true, false] {
                self.truth_step(head, vec![self.truth(value)], Some(value != negated));
            }
            self.type_error(head, op, site, 1);
            head
        } else {
            self.head(name, HeadKind::Operator { op, sort, site }, op.arity())
        };
        self.operators.insert((op, sort, site), head);
        head
    }

    /// The pattern of a truth value.
    pub(super) fn truth(&self, value: bool) -> Pattern {
        Pattern::App(if value { self.system.true_head } else { self.system.false_head }, Vec::new())
    }

    /// An equation of which the result is a truth value, or the last argument.
    pub(super) fn truth_step(&mut self, head: HeadId, mut patterns: Vec<Pattern>, value: Option<bool>) {
        let arity = self.system.heads[head].arity;
        patterns.resize(arity, Pattern::Any);
        let mut graph = Graph::default();
        let result = match value {
            Some(value) => {
                let head = if value { self.system.true_head } else { self.system.false_head };
                Ref::Node(graph.add(Node::Apply(head, Vec::new())))
            }
            None => Ref::Arg(arity - 1),
        };
        self.step(head, patterns, EquationResult::Term(result), graph);
    }

    /// Where the first arguments of a head are no truth values, an operator has no value.
    pub(super) fn type_error(&mut self, head: HeadId, op: Op, site: Site, operands: usize) {
        if self.open_truth {
            let any = vec![Pattern::Any; self.system.heads[head].arity];
            self.step(head, any, EquationResult::TypeError { op, site, operands }, Graph::default());
        }
    }

    /// The head of an operator of the start term, whose operands are all evaluated.
    pub(super) fn start_operator(&mut self, op: Op, sort: SortId, site: Site) {
        if self.system.start_heads.contains_key(&(op, sort)) {
            return;
        }
        self.rule = None;
        let data = self.kind(sort) == SortKind::Data;
        let head = match op {
            Op::Same if data => self.system.same_head,
            Op::Differ if data => {
                let head = self.step_head("differ".into(), 2);
                let negate = self.operator(Op::Negate, self.program.signature.booleans.sort, site);
                let mut graph = Graph::default();
                let same = graph.add(Node::Apply(self.system.same_head, vec![Ref::Arg(0), Ref::Arg(1)]));
                let differ = Ref::Node(graph.add(Node::Apply(negate, vec![Ref::Node(same)])));
                self.step(head, vec![Pattern::Any; 2], EquationResult::Term(differ), graph);
                head
            }
            Op::Both | Op::Either => {
                let head = self.step_head(format!("start_{}", self.system.heads.len()), 2);
                let goes_on = op == Op::Both;
                self.truth_step(head, vec![self.truth(!goes_on)], Some(!goes_on));
                for second in [true, false] {
                    self.truth_step(head, vec![self.truth(goes_on), self.truth(second)], None);
                }
                self.type_error(head, op, site, 2);
                head
            }
            _ => self.operator(op, sort, site),
        };
        self.system.start_heads.insert((op, sort), head);
    }

    /// The heads that together apply a unary one so many times, innermost first, and whether they are several for the
    /// sake of size.
    pub(super) fn repeated(&mut self, head: HeadId, count: u32) -> (Vec<HeadId>, bool) {
        if count <= MAX_UNROLLED {
            return (vec![head; count as usize], false);
        }
        let bits = (0..u32::BITS).filter(|bit| count >> bit & 1 == 1);
        (bits.map(|bit| self.power(head, bit)).collect(), true)
    }

    /// The head that stands for a unary one applied 2^bit times.
    fn power(&mut self, head: HeadId, bit: u32) -> HeadId {
        if bit == 0 {
            return head;
        }
        if let Some(&known) = self.powers.get(&(head, bit)) {
            return known;
        }
        let half = self.power(head, bit - 1);
        let power = self.step_head(format!("{}_{}_times", self.system.heads[head].name, 1u64 << bit), 1);
        let mut graph = Graph::default();
        let inner = graph.add(Node::Apply(half, vec![Ref::Arg(0)]));
        let outer = graph.add(Node::Apply(half, vec![Ref::Node(inner)]));
        let rule = self.rule.take();
        self.step(power, vec![Pattern::Any], EquationResult::Term(Ref::Node(outer)), graph);
        self.rule = rule;
        self.powers.insert((head, bit), power);
        power
    }
}

/// A symbol repeated more often than this is applied by heads that stand for many applications.
const MAX_UNROLLED: u32 = 64;
