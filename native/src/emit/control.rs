//! Labels, jumps, and what leaves the straight way: the ends of the stack and of the fuel.

use cranelift_codegen::ir::{BlockArg, InstBuilder, TrapCode};
use cranelift_frontend::{Switch, Variable};

use super::{Compare, Cond, Emit, Label, MemoryAccess, Root, Val, Width, WordOp, type_of};
use crate::function::Kind;
use crate::vm::{self, Helper};

/// A word that changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Var(Variable);

impl Emit<'_> {
    /// A variable with its first value.
    pub fn variable(&mut self, value: Val) -> Var {
        let var = Var(self.b.declare_var(type_of(Kind::Word)));
        self.set(var, value);
        var
    }

    /// Changes a variable.
    pub fn set(&mut self, var: Var, value: Val) {
        self.b.def_var(var.0, value.0);
    }

    /// The value of a variable.
    pub fn get(&mut self, var: Var) -> Val {
        Val(self.b.use_var(var.0))
    }

    /// A label with parameters.
    pub fn label(&mut self, params: &[Kind]) -> Label {
        let block = self.b.create_block();
        for &kind in params {
            self.b.append_block_param(block, type_of(kind));
        }
        Label(block)
    }

    /// A label of code that is rarely needed.
    pub fn cold_label(&mut self, params: &[Kind]) -> Label {
        let label = self.label(params);
        self.b.set_cold_block(label.0);
        label
    }

    /// Goes on at a label; gives its parameters. What was emitted before must have ended.
    pub fn bind(&mut self, label: Label) -> Vec<Val> {
        self.b.switch_to_block(label.0);
        self.b.block_params(label.0).iter().map(|&v| Val(v)).collect()
    }

    /// Ends with a jump.
    pub fn jump(&mut self, to: Label, args: &[Val]) {
        let args = block_args(args);
        self.b.ins().jump(to.0, &args);
    }

    /// Ends with one of two jumps.
    pub fn branch(&mut self, which: Cond, yes: (Label, &[Val]), no: (Label, &[Val])) {
        let (a, b) = (block_args(yes.1), block_args(no.1));
        self.b.ins().brif(which.0, yes.0.0, &a, no.0.0, &b);
    }

    /// Goes on only where the condition does not hold; else at a label without parameters.
    pub fn jump_if(&mut self, which: Cond, to: Label) {
        let on = self.label(&[]);
        self.branch(which, (to, &[]), (on, &[]));
        self.bind(on);
    }

    /// Ends with a jump by a word; labels have no parameters.
    pub fn switch(&mut self, on: Val, cases: &[(u64, Label)], otherwise: Label) {
        let mut switch = Switch::new();
        for &(value, label) in cases {
            switch.set_entry(u128::from(value), label.0);
        }
        switch.emit(&mut self.b, on.0, otherwise.0);
    }

    /// Ends where control never comes.
    pub fn unreachable(&mut self) {
        self.b.ins().trap(TrapCode::unwrap_user(1));
    }

    /// Ends the function with a value.
    pub fn give(&mut self, value: Val) {
        self.b.ins().return_(&[value.0]);
    }
}

/// Limits.
impl Emit<'_> {
    /// In a function that calls others, before anything else: calls a rare helper when the frame lies below the
    /// machine's limit.
    pub fn check_stack(&mut self, grow: Helper, args: &[Val], roots: &[Root]) {
        let (full, on) = (self.cold_label(&[]), self.label(&[]));
        let below = self.is_stack_low();
        self.branch(below, (full, &[]), (on, &[]));
        self.rarely(full, on, grow, args, roots);
    }

    /// Whether the frame lies below the machine's limit.
    pub fn is_stack_low(&mut self) -> Cond {
        let limit = self.load_machine(Width::Word, MemoryAccess::Plain, vm::STACK_LIMIT);
        let sp = self.stack_pointer();
        self.compare(Compare::Below, sp, limit)
    }

    /// Takes steps from the machine's fuel.
    pub fn count(&mut self, steps: Val) -> Val {
        let fuel = self.load_machine(Width::Word, MemoryAccess::Plain, vm::FUEL);
        let fuel = self.word(WordOp::Sub, fuel, steps);
        self.store_machine(Width::Word, fuel, vm::FUEL);
        fuel
    }

    /// Takes steps from the machine's fuel; calls a rare helper where there is none left.
    pub fn burn(&mut self, steps: Val, refuel: Helper, args: &[Val], roots: &[Root]) {
        let fuel = self.count(steps);
        let (empty, on) = (self.cold_label(&[]), self.label(&[]));
        let none = self.compare_to(Compare::Less, fuel, 0);
        self.branch(none, (empty, &[]), (on, &[]));
        self.rarely(empty, on, refuel, args, roots);
    }

    /// A cold block that calls a helper and goes on; goes on there. What is kept elsewhere is not kept by this.
    fn rarely(&mut self, cold: Label, on: Label, helper: Helper, args: &[Val], roots: &[Root]) {
        let kept = self.kept();
        self.bind(cold);
        self.rare_helper(helper, args, roots);
        self.jump(on, &[]);
        self.bind(on);
        self.restore(kept);
    }
}

fn block_args(args: &[Val]) -> Vec<BlockArg> {
    args.iter().map(|v| BlockArg::Value(v.0)).collect()
}
