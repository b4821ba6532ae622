//! The typed layer over the code generator: what the bodies of functions are emitted with.
//!
//! Values are words or floats, [`Cond`]s are what comparisons give, [`Label`]s begin blocks and may have parameters. A
//! call is given its *roots*: values with a tag that are needed after it and that a collector must find. They are kept
//! in slots of the frame, which [`Code::for_each_root`](crate::code::Code::for_each_root) visits. A collector that
//! moves nothing need not write them back.

mod calls;
mod control;
mod memory;
mod operators;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{self, AbiParam, SigRef, StackSlot, Value};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use crate::function::{Func, Kind, Signature};

pub(crate) use calls::emit_adaptor;
pub use calls::{Kept, Root};
pub use control::Var;
pub use memory::{MemoryAccess, Width};
pub use operators::{CheckedOp, Compare, FloatOp, WordOp};

/// A word or a float.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Val(Value);

/// What a comparison gives: an operand of branches and selections.
#[derive(Clone, Copy, Debug)]
pub struct Cond(Value);

/// The beginning of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(ir::Block);

/// Words of the frame for anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room(StackSlot);

/// What emitting a function asks about the other functions of its program.
pub(crate) trait Functions {
    /// What code is generated for.
    fn isa(&self) -> &dyn TargetIsa;
    /// What a function takes and gives.
    fn signature(&self, function: Func) -> &Signature;
    /// Whether a function is compiled.
    fn is_compiled(&self, function: Func) -> bool;
    /// The address of the word that says where calls of a function go.
    fn entry(&self, function: Func) -> u64;
}

/// A function under construction.
pub struct Emit<'a> {
    b: FunctionBuilder<'a>,
    functions: &'a dyn Functions,
    function: Func,
    params: Vec<Val>,
    /// Tags of the slots; the first one stands for none.
    tags: Vec<u32>,
    slot: Option<StackSlot>,
    rooms: Vec<StackSlot>,
    kept: Kept,
    preserving: SigRef,
    system: SigRef,
}

impl<'a> Emit<'a> {
    pub(crate) fn new(
        functions: &'a dyn Functions,
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
        Self { b, functions, function, params, tags, slot: None, rooms: Vec::new(), kept, preserving, system }
    }

    pub(crate) fn finish(mut self) -> Vec<u32> {
        if let Some(slot) = self.slot {
            self.b.func.sized_stack_slots[slot].size = 8 * self.tags.len() as u32;
        }
        self.b.seal_all_blocks();
        self.b.finalize(self.functions.isa().frontend_config());
        self.tags
    }

    /// The parameters of the function.
    pub fn params(&self) -> Vec<Val> {
        self.params.clone()
    }
}

pub(crate) fn signature_of(signature: &Signature, convention: CallConv) -> ir::Signature {
    let mut made = ir::Signature::new(convention);
    made.params.extend(signature.params.iter().map(|&kind| AbiParam::new(type_of(kind))));
    made.returns.push(AbiParam::new(type_of(signature.result)));
    made
}

pub(crate) fn type_of(kind: Kind) -> ir::Type {
    match kind {
        Kind::Word => ir::types::I64,
        Kind::Float => ir::types::F64,
    }
}
