//! Built-in steps: operators on numbers and truth values, structural equality, conjunction.

use gchr_base::op::Op;
use gchr_base::signature::{SortId, SortKind};

use super::{ArgId, Generator, head_of};
use gchr_kernel::build;
use gchr_kernel::ir::*;
use gchr_runtime::codegen::{Arithmetic, Site};

impl Generator<'_> {
    fn argument_value(&self, k: usize) -> Expr {
        self.args[ArgId(k as u32)]
            .as_ref()
            .map(|a| a.value.clone())
            .expect("built-in steps read all arguments")
    }

    fn argument_head(&self, k: usize) -> Expr {
        head_of(self.runtime, self.argument_value(k))
    }

    /// Replaces the slot by a value without arguments, releases the arguments, returns.
    fn become_value(&mut self, value: Expr, normal: Expr, arity: usize) {
        self.run(self.functions().write_root, vec![self.p.clone(), self.i.clone(), value, normal]);
        for k in 0..arity {
            let index = self.argument(k);
            self.run(self.functions().release, vec![self.p.clone(), index]);
        }
        self.b.ret(Some(build::u32(self.runtime.names.format.stepped)));
    }

    fn become_truth(&mut self, value: Expr, arity: usize) {
        let word = self.truth_word(value);
        let term = self.term_value_of(word, Vec::new());
        self.become_value(term, build::bool(true), arity);
    }

    /// An operator on numbers: these have no other normal forms.
    pub(super) fn operator(&mut self, op: Op, sort: SortId, site: Site) {
        let arity = op.arity();
        let float = self.program.signature.kind(sort) == SortKind::Float;
        let mut operands = Vec::new();
        for k in 0..arity {
            let value = self.payload(self.argument_value(k), float);
            operands.push(self.b.var("operand", value));
        }
        let value = self.compute(op, float, operands, site);
        if op.is_test() {
            self.become_truth(value, arity);
        } else {
            let float = value.ty == Type::F64;
            let term = self.number_value(value, float);
            self.become_value(term, build::bool(true), arity);
        }
    }

    /// Structural equality: of one slot, of two numbers, of two constants; of two applications of one symbol it is the
    /// conjunction of the equalities of their arguments.
    pub(super) fn same(&mut self) {
        let one = build::eq(self.argument(0), self.argument(1));
        self.b.begin();
        self.become_truth(build::bool(true), 2);
        self.b.end_if(one);
        let differ = build::binary(BinaryOp::Ne, self.argument_head(0), self.argument_head(1));
        self.b.begin();
        self.become_truth(build::bool(false), 2);
        self.b.end_if(differ);
        // Numbers inside terms are equal when their bits are.
        let number = [self.system.int_head, self.system.float_head]
            .map(|head| build::eq(self.argument_head(0), build::u32(head.0)))
            .into_iter()
            .reduce(|a, b| build::binary(BinaryOp::OrElse, a, b));
        self.b.begin();
        let [a, b] = [0, 1].map(|k| self.payload(self.argument_value(k), false));
        self.become_truth(build::eq(a, b), 2);
        self.b.end_if(number.expect("two sorts of numbers"));
        let arities: std::collections::BTreeSet<usize> = self.system.heads.iter().map(|h| h.arity).collect();
        let arity = build::binary(
            BinaryOp::And,
            build::binary(
                BinaryOp::Shr,
                build::field_at(self.module(), self.argument_value(0), self.runtime.names.term.head.0),
                build::u32(self.runtime.names.format.arity_shift),
            ),
            build::u32(self.runtime.names.format.arity_mask),
        );
        let arity = self.b.var("arity", arity);
        for n in arities {
            self.b.begin();
            self.same_arguments(n);
            self.b.end_if(build::eq(arity.clone(), build::u32(n as u32)));
        }
    }

    fn same_arguments(&mut self, n: usize) {
        let same = self.system.same_head;
        let mut parts = Vec::new();
        let value = |g: &Self, k: usize| {
            let [a, b] = [0, 1].map(|side| g.child(g.argument_value(side), k));
            (g.term_value(same, vec![a.clone(), b.clone()]), a, b)
        };
        let retain =
            |g: &mut Self, index: Expr| g.run(g.functions().retain, vec![g.p.clone(), index, build::u32(1)]);
        match n {
            0 => return self.become_truth(build::bool(true), 2),
            1 => {
                let (term, a, b) = value(self, 0);
                retain(self, a);
                retain(self, b);
                return self.become_value(term, build::bool(false), 2);
            }
            _ => {}
        }
        let width = self.system.heads[self.system.all_head].arity;
        let fresh = self.functions().fresh;
        let slots: Vec<_> =
            (0..n).map(|_| self.b.call("n", self.module(), fresh, vec![self.p.clone()])).collect();
        self.give_back_unless_all(slots.clone());
        for (k, index) in slots.into_iter().enumerate() {
            let (term, a, b) = value(self, k);
            // The first one also fills the places that a narrow symbol leaves in the conjunction.
            let count = if k == 0 { 1 + width.saturating_sub(n) } else { 1 };
            let args =
                vec![self.p.clone(), index.clone(), term, build::bool(false), build::u32(count as u32)];
            self.run(self.functions().write_new, args);
            retain(self, a);
            retain(self, b);
            parts.push(index);
        }
        let first = parts[0].clone();
        parts.resize(width.max(n), first);
        let term = self.term_value(self.system.all_head, parts);
        self.become_value(term, build::bool(false), 2);
    }

    /// A conjunction of truth values.
    pub(super) fn all(&mut self) {
        let arity = self.system.heads[self.system.all_head].arity;
        let yes = self.system.true_head.0;
        let all = build::all((0..arity).map(|k| build::eq(self.argument_head(k), build::u32(yes))));
        self.become_truth(all, arity);
    }

    /// Code for an operator on scalars.
    pub(super) fn compute(&mut self, op: Op, float: bool, args: Vec<Expr>, site: Site) -> Expr {
        let error = self.param(self.runtime.names.params.error);
        let arithmetic = Arithmetic { module: self.runtime.module, error, sites: &mut self.reports.sites };
        arithmetic.compute(&mut self.b, op, float, args, site)
    }
}
