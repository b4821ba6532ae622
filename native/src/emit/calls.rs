//! Calls of functions and helpers, and the slots of the frame that keep roots during them.

use std::collections::BTreeMap;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{
    self, AbiParam, ExtFuncData, ExternalName, InstBuilder, MemFlagsData, SigRef, StackSlot, StackSlotData,
    StackSlotKind, UserExternalName, UserStackMapEntry, Value,
};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use super::{Emit, Val, signature_of, type_of};
use crate::function::{Func, Kind, Signature, place_of_note};
use crate::stack;
use crate::vm::{self, Helper};

/// A value that is needed after a call and that the collector must find, with a tag for it.
pub type Root = (u32, Val);

/// Which slots of the frame hold which roots, at a place in the code.
#[derive(Clone, Default, Debug)]
pub struct Kept(BTreeMap<Root, u32>);

impl Emit<'_> {
    /// Says something about the calls that are emitted from here on, for `Code::notes`.
    pub fn note(&mut self, note: u32) {
        self.b.set_srcloc(ir::SourceLoc::new(place_of_note(note)));
    }

    /// Calls a function, whose frame may end in a collection: `roots` are what is needed after the call and must be
    /// found. Pass the values on from [`kept`](Self::kept_value) where they are used after the call.
    pub fn call(&mut self, function: Func, args: &[Val], roots: &[Root]) -> Val {
        self.keep(roots);
        let args: Vec<Value> = args.iter().map(|v| v.0).collect();
        let inst = if function == self.function || self.functions.is_compiled(function) {
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
        if function == self.function || self.functions.is_compiled(function) {
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

    /// Calls a helper that is rarely needed: it preserves all registers, so that the code around it is as if it were
    /// not there.
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
        let signature = signature_of(self.functions.signature(function), CallConv::Tail);
        let signature = self.b.import_signature(signature);
        self.b.import_function(ExtFuncData { name, signature, colocated: true, patchable: false })
    }

    /// A function by its entry of the table.
    fn unknown(&mut self, function: Func) -> (SigRef, Value) {
        let signature = signature_of(self.functions.signature(function), CallConv::Tail);
        let signature = self.b.import_signature(signature);
        let entry = self.int(self.functions.entry(function) as i64);
        (signature, self.b.ins().load(I64, MemFlagsData::trusted(), entry.0, 0))
    }
}

/// Roots.
impl Emit<'_> {
    /// Which slots hold which roots here: to be restored where code is emitted that follows on this place, not on what
    /// is emitted next.
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

    /// Puts roots into slots, those that are not there yet. Slots of others are free: nothing needs them after the
    /// call.
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
