//! The typed layer over the code generator: what the bodies of functions are emitted with.
//!
//! Values are words or floats, [`Cond`]s are what comparisons give, [`Label`]s begin blocks and may have parameters. A call is given its
//! *roots*: values with a tag that are needed after it and that a collector must find. They are kept in slots of the frame, which
//! [`Code::for_each_root`](crate::code::Code::for_each_root) visits. A collector that moves nothing need not write them back.

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I8, I16, I32, I64};
use cranelift_codegen::ir::{
    self, AbiParam, BlockArg, ExtFuncData, ExternalName, InstBuilder, MemFlagsData, SigRef, StackSlot,
    StackSlotData, StackSlotKind, TrapCode, UserExternalName, UserStackMapEntry, Value,
};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch};

use crate::code::{Code, Func, Kind, Signature, signature_of, type_of};
use crate::stack;
use crate::vm::{self, Helper};

/// A word or a float.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Val(Value);

/// What a comparison gives: an operand of branches and selections.
#[derive(Clone, Copy, Debug)]
pub struct Cond(Value);

/// The beginning of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(ir::Block);

/// Comparisons of words; `Below` and its kin compare without a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// `a = b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterOrEqual,
    /// `a < b`, without a sign.
    Below,
    /// `a <= b`, without a sign.
    BelowOrEqual,
    /// `a > b`, without a sign.
    Above,
    /// `a >= b`, without a sign.
    AboveOrEqual,
}

/// Operators on words that never fail. Shifts take their distance modulo 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordOp {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// To the left.
    ShiftLeft,
    /// To the right, zeros from the left.
    ShiftRight,
    /// To the right, copies of the sign from the left.
    ShiftRightSigned,
    /// The smaller one, signed.
    Min,
    /// The larger one, signed.
    Max,
}

/// Operators on signed words that may overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckedOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
}

/// Division of signed words, towards zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DivideOp {
    /// Quotient.
    Quotient,
    /// Remainder.
    Remainder,
}

/// Operators on floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

/// What lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// 8 bits, without a sign.
    Byte,
    /// 16 bits, without a sign.
    Half,
    /// 32 bits, without a sign.
    Single,
    /// 64 bits.
    Word,
    /// A `f64`.
    Float,
}

/// How memory is accessed. Addresses are always valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Aligned.
    Plain,
    /// At any address.
    Unaligned,
    /// Aligned, and never written while the function runs.
    Constant,
}

impl Access {
    fn flags(self) -> MemFlagsData {
        match self {
            Access::Plain => MemFlagsData::trusted(),
            Access::Unaligned => MemFlagsData::new().with_notrap(),
            Access::Constant => MemFlagsData::trusted().with_readonly().with_can_move(),
        }
    }
}

/// A value that is needed after a call and that the collector must find, with a tag for it.
pub type Root = (u32, Val);

/// Which slots of the frame hold which roots, at a place in the code.
#[derive(Clone, Default, Debug)]
pub struct Kept(BTreeMap<Root, u32>);

/// A function under construction.
pub struct Emit<'a> {
    b: FunctionBuilder<'a>,
    code: &'a Code<'a>,
    function: Func,
    params: Vec<Val>,
    /// Tags of the slots; the first one stands for none.
    tags: Vec<u32>,
    slot: Option<StackSlot>,
    kept: Kept,
    preserving: SigRef,
    system: SigRef,
}

impl<'a> Emit<'a> {
    pub(crate) fn new(
        code: &'a Code<'_>,
        function: Func,
        into: &'a mut ir::Function,
        context: &'a mut FunctionBuilderContext,
    ) -> Self {
        let mut b = FunctionBuilder::new(into, context);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let params = b.block_params(entry).iter().map(|&v| Val(v)).collect();
        let mut helper = |convention, returns| {
            let mut signature = ir::Signature::new(convention);
            signature.params.extend([AbiParam::new(I64); 5]);
            if returns {
                signature.returns.push(AbiParam::new(I64));
            }
            b.import_signature(signature)
        };
        let (preserving, system) = (helper(CallConv::PreserveAll, false), helper(CallConv::SystemV, true));
        let (tags, kept) = (vec![u32::MAX], Kept::default());
        Self { b, code, function, params, tags, slot: None, kept, preserving, system }
    }

    pub(crate) fn finish(mut self) -> Vec<u32> {
        if let Some(slot) = self.slot {
            self.b.func.sized_stack_slots[slot].size = 8 * self.tags.len() as u32;
        }
        self.b.seal_all_blocks();
        self.b.finalize(self.code.isa().frontend_config());
        self.tags
    }

    /// The parameters of the function.
    pub fn params(&self) -> Vec<Val> {
        self.params.clone()
    }

    // Words.

    /// A constant.
    pub fn int(&mut self, value: i64) -> Val {
        Val(self.b.ins().iconst(I64, value))
    }

    /// The value of a word if it is a constant.
    pub fn constant(&self, word: Val) -> Option<i64> {
        let inst = self.b.func.dfg.value_def(word.0).inst()?;
        match self.b.func.dfg.insts[inst] {
            ir::InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// An operator that never fails.
    pub fn word(&mut self, op: WordOp, a: Val, b: Val) -> Val {
        let (a, b) = (a.0, b.0);
        let ins = self.b.ins();
        Val(match op {
            WordOp::Add => ins.iadd(a, b),
            WordOp::Sub => ins.isub(a, b),
            WordOp::Mul => ins.imul(a, b),
            WordOp::And => ins.band(a, b),
            WordOp::Or => ins.bor(a, b),
            WordOp::Xor => ins.bxor(a, b),
            WordOp::ShiftLeft => ins.ishl(a, b),
            WordOp::ShiftRight => ins.ushr(a, b),
            WordOp::ShiftRightSigned => ins.sshr(a, b),
            WordOp::Min => ins.smin(a, b),
            WordOp::Max => ins.smax(a, b),
        })
    }

    /// The same with a constant.
    pub fn word_by(&mut self, op: WordOp, a: Val, b: i64) -> Val {
        let neutral = match op {
            WordOp::Add | WordOp::Sub | WordOp::Or | WordOp::Xor => b == 0,
            WordOp::ShiftLeft | WordOp::ShiftRight | WordOp::ShiftRightSigned => b == 0,
            WordOp::Mul => b == 1,
            WordOp::And => b == -1,
            WordOp::Min | WordOp::Max => false,
        };
        if neutral {
            return a;
        }
        let b = self.int(b);
        self.word(op, a, b)
    }

    /// `a + b`
    pub fn add(&mut self, a: Val, b: Val) -> Val {
        self.word(WordOp::Add, a, b)
    }

    /// An operator that may overflow, and whether it does.
    pub fn checked(&mut self, op: CheckedOp, a: Val, b: Val) -> (Val, Cond) {
        let ins = self.b.ins();
        let (value, overflow) = match op {
            CheckedOp::Add => ins.sadd_overflow(a.0, b.0),
            CheckedOp::Sub => ins.ssub_overflow(a.0, b.0),
            CheckedOp::Mul => ins.smul_overflow(a.0, b.0),
        };
        (Val(value), Cond(overflow))
    }

    /// Division: `b` is neither 0 nor, where `a` may be the smallest number, -1.
    pub fn divide(&mut self, op: DivideOp, a: Val, b: Val) -> Val {
        Val(match op {
            DivideOp::Quotient => self.b.ins().sdiv(a.0, b.0),
            DivideOp::Remainder => self.b.ins().srem(a.0, b.0),
        })
    }

    /// A comparison of words.
    pub fn compare(&mut self, how: Compare, a: Val, b: Val) -> Cond {
        let cc = match how {
            Compare::Equal => IntCC::Equal,
            Compare::NotEqual => IntCC::NotEqual,
            Compare::Less => IntCC::SignedLessThan,
            Compare::LessOrEqual => IntCC::SignedLessThanOrEqual,
            Compare::Greater => IntCC::SignedGreaterThan,
            Compare::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
            Compare::Below => IntCC::UnsignedLessThan,
            Compare::BelowOrEqual => IntCC::UnsignedLessThanOrEqual,
            Compare::Above => IntCC::UnsignedGreaterThan,
            Compare::AboveOrEqual => IntCC::UnsignedGreaterThanOrEqual,
        };
        Cond(self.b.ins().icmp(cc, a.0, b.0))
    }

    /// The same with a constant.
    pub fn compare_to(&mut self, how: Compare, a: Val, b: i64) -> Cond {
        let b = self.int(b);
        self.compare(how, a, b)
    }

    /// A value that is known to hold or not.
    pub fn holds(&mut self, holds: bool) -> Cond {
        Cond(self.b.ins().iconst(I8, i64::from(holds)))
    }

    /// One of two values.
    pub fn select(&mut self, which: Cond, yes: Val, no: Val) -> Val {
        Val(self.b.ins().select(which.0, yes.0, no.0))
    }

    // Floats.

    /// A constant.
    pub fn float(&mut self, value: f64) -> Val {
        Val(self.b.ins().f64const(value))
    }

    /// An operator.
    pub fn float_op(&mut self, op: FloatOp, a: Val, b: Val) -> Val {
        let ins = self.b.ins();
        Val(match op {
            FloatOp::Add => ins.fadd(a.0, b.0),
            FloatOp::Sub => ins.fsub(a.0, b.0),
            FloatOp::Mul => ins.fmul(a.0, b.0),
            FloatOp::Div => ins.fdiv(a.0, b.0),
        })
    }

    /// Square root.
    pub fn sqrt(&mut self, a: Val) -> Val {
        Val(self.b.ins().sqrt(a.0))
    }

    /// Without the sign.
    pub fn float_abs(&mut self, a: Val) -> Val {
        Val(self.b.ins().fabs(a.0))
    }

    /// A comparison of floats, `how` not among those without a sign.
    pub fn float_compare(&mut self, how: Compare, a: Val, b: Val) -> Cond {
        let cc = match how {
            Compare::Equal => FloatCC::Equal,
            Compare::NotEqual => FloatCC::NotEqual,
            Compare::Less | Compare::Below => FloatCC::LessThan,
            Compare::LessOrEqual | Compare::BelowOrEqual => FloatCC::LessThanOrEqual,
            Compare::Greater | Compare::Above => FloatCC::GreaterThan,
            Compare::GreaterOrEqual | Compare::AboveOrEqual => FloatCC::GreaterThanOrEqual,
        };
        Cond(self.b.ins().fcmp(cc, a.0, b.0))
    }

    /// A signed word as a float.
    pub fn float_of_int(&mut self, a: Val) -> Val {
        Val(self.b.ins().fcvt_from_sint(F64, a.0))
    }

    /// The bits of a float as a word; a word stays what it is.
    pub fn bits(&mut self, a: Val) -> Val {
        if self.kind(a) == Kind::Word {
            return a;
        }
        Val(self.b.ins().bitcast(I64, MemFlagsData::new(), a.0))
    }

    /// The float with these bits; a float stays what it is.
    pub fn float_of_bits(&mut self, a: Val) -> Val {
        if self.kind(a) == Kind::Float {
            return a;
        }
        Val(self.b.ins().bitcast(F64, MemFlagsData::new(), a.0))
    }

    fn kind(&self, a: Val) -> Kind {
        if self.b.func.dfg.value_type(a.0) == F64 { Kind::Float } else { Kind::Word }
    }

    // Memory.

    /// What lies at an address.
    pub fn load(&mut self, width: Width, access: Access, address: Val, offset: i32) -> Val {
        let (flags, ins) = (access.flags(), self.b.ins());
        Val(match width {
            Width::Byte => ins.uload8(I64, flags, address.0, offset),
            Width::Half => ins.uload16(I64, flags, address.0, offset),
            Width::Single => ins.uload32(flags, address.0, offset),
            Width::Word => ins.load(I64, flags, address.0, offset),
            Width::Float => ins.load(F64, flags, address.0, offset),
        })
    }

    /// Writes (the low bits of) a value.
    pub fn store(&mut self, width: Width, access: Access, value: Val, address: Val, offset: i32) {
        let (flags, ins) = (access.flags(), self.b.ins());
        match width {
            Width::Byte => ins.istore8(flags, value.0, address.0, offset),
            Width::Half => ins.istore16(flags, value.0, address.0, offset),
            Width::Single => ins.istore32(flags, value.0, address.0, offset),
            Width::Word | Width::Float => ins.store(flags, value.0, address.0, offset),
        };
    }

    /// A signed value of 8, 16 or 32 bits.
    pub fn load_signed(&mut self, width: Width, access: Access, address: Val, offset: i32) -> Val {
        let (flags, ins) = (access.flags(), self.b.ins());
        match width {
            Width::Byte => Val(ins.sload8(I64, flags, address.0, offset)),
            Width::Half => Val(ins.sload16(I64, flags, address.0, offset)),
            Width::Single => Val(ins.sload32(flags, address.0, offset)),
            Width::Word | Width::Float => self.load(width, access, address, offset),
        }
    }

    /// The low 32 bits of a word, without a sign.
    pub fn low_half(&mut self, a: Val) -> Val {
        let low = self.b.ins().ireduce(I32, a.0);
        Val(self.b.ins().uextend(I64, low))
    }

    /// The low 16 bits of a word, without a sign.
    pub fn low_quarter(&mut self, a: Val) -> Val {
        let low = self.b.ins().ireduce(I16, a.0);
        Val(self.b.ins().uextend(I64, low))
    }

    /// The machine.
    pub fn machine(&mut self) -> Val {
        Val(self.b.ins().get_pinned_reg(I64))
    }

    /// A field of the machine.
    pub fn load_machine(&mut self, width: Width, access: Access, offset: usize) -> Val {
        let machine = self.machine();
        self.load(width, access, machine, offset as i32)
    }

    /// Writes a field of the machine.
    pub fn store_machine(&mut self, width: Width, value: Val, offset: usize) {
        let machine = self.machine();
        self.store(width, Access::Plain, value, machine, offset as i32);
    }

    /// The end of the frame.
    pub fn stack_pointer(&mut self) -> Val {
        Val(self.b.ins().get_stack_pointer(I64))
    }

    // Limits.

    /// In a function that calls others, before anything else: calls a rare helper when the frame lies below the machine's limit.
    pub fn check_stack(&mut self, grow: Helper, args: &[Val], roots: &[Root]) {
        let (full, on) = (self.cold_label(&[]), self.label(&[]));
        let limit = self.load_machine(Width::Word, Access::Plain, vm::STACK_LIMIT);
        let sp = self.stack_pointer();
        let below = self.compare(Compare::Below, sp, limit);
        self.branch(below, (full, &[]), (on, &[]));
        self.rarely(full, on, grow, args, roots);
    }

    /// Takes steps from the machine's fuel.
    pub fn count(&mut self, steps: Val) -> Val {
        let fuel = self.load_machine(Width::Word, Access::Plain, vm::FUEL);
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

    // Control.

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

    // Calls.

    /// Says something about the calls that are emitted from here on, for [`Code::notes`].
    pub fn note(&mut self, note: u32) {
        self.b.set_srcloc(ir::SourceLoc::new(note));
    }

    /// Calls a function, whose frame may end in a collection: `roots` are what is needed after the call and must be found.
    /// Pass the values on from [`kept`](Self::kept_value) where they are used after the call.
    pub fn call(&mut self, function: Func, args: &[Val], roots: &[Root]) -> Val {
        self.keep(roots);
        let args: Vec<Value> = args.iter().map(|v| v.0).collect();
        let inst = if function == self.function || self.code.is_compiled(function) {
            let callee = self.known(function);
            self.b.ins().call(callee, &args)
        } else {
            let (signature, target) = self.unknown(function);
            self.b.ins().call_indirect(signature, target, &args)
        };
        self.map(inst, roots);
        Val(self.b.inst_results(inst)[0])
    }

    /// Ends the function with the value of another one, which takes over the frame.
    pub fn tail_call(&mut self, function: Func, args: &[Val]) {
        let args: Vec<Value> = args.iter().map(|v| v.0).collect();
        if function == self.function || self.code.is_compiled(function) {
            let callee = self.known(function);
            self.b.ins().return_call(callee, &args);
        } else {
            let (signature, target) = self.unknown(function);
            self.b.ins().return_call_indirect(signature, target, &args);
        }
    }

    /// Calls a helper with up to four words. `roots` as for [`call`](Self::call).
    pub fn helper(&mut self, helper: Helper, args: &[Val], roots: &[Root]) -> Val {
        let (inst, _) = self.call_helper(self.system, stack::call_helper as *const (), helper, args, roots);
        Val(self.b.inst_results(inst)[0])
    }

    /// Calls a helper that is rarely needed: it preserves all registers, so that the code around it is as if it were not there.
    pub fn rare_helper(&mut self, helper: Helper, args: &[Val], roots: &[Root]) -> Val {
        let shim = stack::call_helper_preserving as *const ();
        let (_, machine) = self.call_helper(self.preserving, shim, helper, args, roots);
        Val(self.b.ins().load(I64, MemFlagsData::trusted(), machine.0, vm::RESULT as i32))
    }

    /// Ends by calling a helper that always [leaves](crate::vm::Vm::leave) native code.
    pub fn leave(&mut self, helper: Helper, args: &[Val]) {
        let shim = stack::call_helper_preserving as *const ();
        self.call_helper(self.preserving, shim, helper, args, &[]);
        self.unreachable();
    }

    fn call_helper(
        &mut self,
        signature: SigRef,
        shim: *const (),
        helper: Helper,
        args: &[Val],
        roots: &[Root],
    ) -> (ir::Inst, Val) {
        self.keep(roots);
        let machine = self.machine();
        let mut words = vec![self.int(helper as *const () as i64).0];
        for &arg in args {
            words.push(self.bits(arg).0);
        }
        // The rest are not looked at.
        words.resize(5, machine.0);
        let shim = self.int(shim as i64);
        let inst = self.b.ins().call_indirect(signature, shim.0, &words);
        self.map(inst, roots);
        (inst, machine)
    }

    /// A function that has been compiled, or is being compiled.
    fn known(&mut self, function: Func) -> ir::FuncRef {
        let name = UserExternalName { namespace: 0, index: function.0 };
        let name = ExternalName::user(self.b.func.declare_imported_user_function(name));
        let signature = signature_of(self.code.signature(function), CallConv::Tail);
        let signature = self.b.import_signature(signature);
        self.b.import_function(ExtFuncData { name, signature, colocated: true, patchable: false })
    }

    /// A function by its entry of the table.
    fn unknown(&mut self, function: Func) -> (SigRef, Value) {
        let signature = signature_of(self.code.signature(function), CallConv::Tail);
        let signature = self.b.import_signature(signature);
        let entry = self.int(self.code.entry(function) as i64);
        (signature, self.b.ins().load(I64, MemFlagsData::trusted(), entry.0, 0))
    }

    // Roots.

    /// Which slots hold which roots here: to be restored where code is emitted that follows on this place, not on what is emitted next.
    pub fn kept(&self) -> Kept {
        self.kept.clone()
    }

    /// The other half of [`kept`](Self::kept).
    pub fn restore(&mut self, kept: Kept) {
        self.kept = kept;
    }

    /// A root after a call that it was a root of: read from its slot, so that no register holds it during the call.
    pub fn kept_value(&mut self, root: Root) -> Val {
        let Some(&at) = self.kept.0.get(&root) else { return root.1 };
        let slot = self.slot();
        let value = Val(self.b.ins().stack_load(I64, I64, slot, 8 * at as i32));
        self.kept.0.insert((root.0, value), at);
        value
    }

    /// Puts roots into slots, those that are not there yet. Slots of others are free: nothing needs them after the call.
    fn keep(&mut self, roots: &[Root]) {
        if roots.is_empty() {
            return;
        }
        self.kept.0.retain(|root, _| roots.contains(root));
        for &(tag, value) in roots {
            if self.kept.0.contains_key(&(tag, value)) {
                continue;
            }
            let free = |at: &u32| self.tags[*at as usize] == tag && !self.kept.0.values().any(|k| k == at);
            let at = (1..self.tags.len() as u32).find(free).unwrap_or_else(|| {
                self.tags.push(tag);
                self.tags.len() as u32 - 1
            });
            let slot = self.slot();
            self.b.ins().stack_store(I64, value.0, slot, 8 * at as i32);
            self.kept.0.insert((tag, value), at);
        }
    }

    /// Tells where the roots are during a call.
    fn map(&mut self, inst: ir::Inst, roots: &[Root]) {
        let slot = self.slot();
        let mut entry = |offset| {
            let entry = UserStackMapEntry { ty: I64, slot, offset };
            self.b.func.dfg.append_user_stack_map_entry(inst, entry);
        };
        entry(0);
        let mut places: Vec<u32> = roots.iter().filter_map(|root| self.kept.0.get(root).copied()).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().for_each(|at| entry(8 * at));
    }

    fn slot(&mut self) -> StackSlot {
        let b = &mut self.b;
        *self.slot.get_or_insert_with(|| {
            // Its size is known at the end; meanwhile none is too small.
            b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 1 << 20, 3))
        })
    }
}

fn block_args(args: &[Val]) -> Vec<BlockArg> {
    args.iter().map(|v| BlockArg::Value(v.0)).collect()
}

/// Code that the host calls: `(arguments in memory, target) -> value`.
pub(crate) fn emit_adaptor(
    isa: &OwnedTargetIsa,
    signature: &Signature,
    into: &mut ir::Function,
    context: &mut FunctionBuilderContext,
) {
    let mut own = ir::Signature::new(CallConv::SystemV);
    own.params.extend([AbiParam::new(I64); 2]);
    own.returns.push(AbiParam::new(I64));
    into.signature = own;
    let mut b = FunctionBuilder::new(into, context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let (memory, target) = (b.block_params(entry)[0], b.block_params(entry)[1]);
    let mut args = Vec::new();
    for (i, &kind) in signature.params.iter().enumerate() {
        args.push(b.ins().load(type_of(kind), MemFlagsData::trusted(), memory, 8 * i as i32));
    }
    let callee = b.import_signature(signature_of(signature, CallConv::Tail));
    let call = b.ins().call_indirect(callee, target, &args);
    let mut value = b.inst_results(call)[0];
    if signature.result == Kind::Float {
        value = b.ins().bitcast(I64, MemFlagsData::new(), value);
    }
    b.ins().return_(&[value]);
    b.seal_all_blocks();
    b.finalize(isa.frontend_config());
}
