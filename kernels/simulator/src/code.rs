//! The bytecode of the simulator: flat code over lane registers, with explicit divergence instructions.
//!
//! A kernel with all its device functions inlined becomes one [`KernelCode`]. A register holds one 64-bit value a lane:
//! the bits of the scalar, zero-extended. Registers from [`UNIFORM`] on live in a bank that the whole grid reads and
//! nobody writes: constants, kernel parameters, sizes.

use std::sync::Arc;

use gchr_base::hash::HashMap;

use super::layout::Layout;
use gchr_kernel::ir::{AtomicOp, BinaryOp, Intrinsic, Order, Scalar, Scope, ShuffleOp, UnaryOp, VoteOp};

/// Number of lanes of a warp.
pub const WARP: usize = 32;
/// One value a lane.
pub(crate) type LaneValues = [u64; WARP];

/// A lane register.
pub(crate) type Reg = u32;
/// First register of the uniform bank.
pub(crate) const UNIFORM: Reg = 1 << 31;
/// Lane registers that are set when a warp starts.
pub(crate) const LANE: Reg = 0;
pub(crate) const THREAD: Reg = 1;
pub(crate) const BLOCK: Reg = 2;
/// First register for the kernel's own use.
pub(crate) const FIRST_FREE: Reg = 3;
/// Uniform registers that are set when a kernel is launched.
pub(crate) const BLOCK_SIZE: Reg = UNIFORM;
pub(crate) const GRID_SIZE: Reg = UNIFORM + 1;
/// First uniform register for parameters and constants.
pub(crate) const FIRST_UNIFORM: Reg = UNIFORM + 2;

/// The memory that an access is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemRef {
    /// A buffer parameter.
    Global(u32),
    /// A shared array.
    Shared(u32),
    /// A local array.
    Local(u32),
    /// The buffer whose handle each lane has in a register.
    Handle(Reg),
}

/// Handle of a shared array as a value: the slot above this bit. Global buffers are their slot.
pub(crate) const SHARED_HANDLE: u64 = 1 << 32;

/// An access to fields `first ..` of an element, one register a field.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Access {
    pub mem: MemRef,
    /// Register with the index, sign-extended to 64 bits.
    pub index: Reg,
    pub first: u32,
    pub regs: Box<[Reg]>,
}

/// An atomic operation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Atomic {
    pub op: AtomicOp,
    pub order: Order,
    pub scope: Scope,
    pub ty: Scalar,
    pub mem: MemRef,
    pub index: Reg,
    pub field: u32,
    pub operands: [Reg; 2],
    pub result: Option<Reg>,
}

/// One instruction, executed for all active lanes at once.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Instr {
    Unary {
        op: UnaryOp,
        ty: Scalar,
        dst: Reg,
        a: Reg,
    },
    Binary {
        op: BinaryOp,
        ty: Scalar,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Shift {
        left: bool,
        ty: Scalar,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Select {
        dst: Reg,
        cond: Reg,
        a: Reg,
        b: Reg,
    },
    Cast {
        from: Scalar,
        to: Scalar,
        dst: Reg,
        a: Reg,
    },
    Intrinsic {
        op: Intrinsic,
        ty: Scalar,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Writes a variable in the active lanes only; the instructions above write temporaries in all lanes.
    Set {
        dst: Reg,
        src: Reg,
    },
    /// The register is unwritten in the active lanes.
    Undefine {
        reg: Reg,
    },
    /// Reports lanes in which the register is unwritten.
    CheckWritten {
        reg: Reg,
        name: u32,
    },
    /// The local array is unwritten in the active lanes.
    FreshLocal {
        array: u32,
    },
    Load(Access),
    /// A read that nobody else sees: no race, no traffic.
    Peek(Access),
    Store(Access),
    Atomic(Box<Atomic>),
    Assume {
        cond: Reg,
        name: u32,
    },
    /// As an assumption, of what a step has achieved.
    Step {
        cond: Reg,
        name: u32,
    },
    Uniform {
        scope: Scope,
        value: Reg,
        name: u32,
    },
    Own {
        mem: MemRef,
        index: Reg,
        first: u32,
        count: u32,
        name: u32,
    },
    Vote {
        op: VoteOp,
        mask: Reg,
        predicate: Reg,
        dst: Reg,
    },
    Shuffle {
        op: ShuffleOp,
        mask: Reg,
        value: Reg,
        lane: Reg,
        dst: Reg,
    },
    ActiveMask {
        dst: Reg,
    },
    /// Steps of all warps so far.
    Cycles {
        dst: Reg,
    },
    WarpBarrier {
        mask: Reg,
    },
    Fence(Scope),
    Sleep,
    /// Counts the active lanes; no step of the kernel.
    Tally {
        number: u32,
    },
    Barrier,
    /// Opens a region in which no lane waits for a turn.
    Push {
        join: u32,
    },
    /// Two-way branch: the lanes without the condition go to `otherwise` after the others. Opens a region.
    Branch {
        cond: Reg,
        otherwise: u32,
        join: u32,
    },
    /// One-way branch: the lanes whose condition is not `expect` wait at `join`. Opens a region.
    Guard {
        cond: Reg,
        expect: bool,
        join: u32,
    },
    /// Head of a loop: the lanes without the condition wait at the end of the innermost region.
    Filter {
        cond: Reg,
    },
    /// Multi-way branch within an opened region: first the way of the lowest active lane.
    Switch {
        value: Reg,
        table: u32,
    },
    /// The active lanes leave to the end of the region at this level.
    Park {
        level: u32,
    },
    /// End of the innermost region.
    Sync,
    Jump {
        target: u32,
    },
    /// Jump back to the head of a loop.
    Loop {
        target: u32,
    },
    /// The active lanes end.
    Exit,
    EverywhereBegin,
    /// Next lane to serve: its `captures` (variable, value) go to all lanes; without one, jump to `exit`.
    EverywhereNext {
        captures: Box<[(Reg, Reg)]>,
        exit: u32,
    },
    EverywhereEnd,
}

impl Instr {
    /// Whether it stands for an operation or a statement of the kernel, and not for bookkeeping of the machine.
    pub(crate) fn is_step(&self) -> bool {
        !matches!(
            self,
            Instr::Push { .. }
                | Instr::Sync
                | Instr::Jump { .. }
                | Instr::Loop { .. }
                | Instr::Undefine { .. }
                | Instr::CheckWritten { .. }
                | Instr::FreshLocal { .. }
                | Instr::Tally { .. }
                | Instr::EverywhereNext { .. }
                | Instr::EverywhereEnd
        )
    }
}

/// Targets of a multi-way branch.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct SwitchTable {
    pub cases: HashMap<u64, u32>,
    pub default: u32,
}

/// A statement, for reports.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    /// The function that holds it.
    pub function: Arc<str>,
    /// Its line in the text of the module, from 1; 0 for the end of the kernel.
    pub kernel_line: u32,
    /// What it does, in a few words.
    pub text: String,
    /// Line of the rule it was made from: its own, or the last one given before it.
    pub line: Option<u32>,
    /// Comment at the statement, or the last one before it.
    pub comment: Option<Arc<str>>,
    /// The call that brought the function in, as an index into the same table.
    pub call: Option<u32>,
}

/// An array of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ArrayCode {
    pub name: String,
    pub layout: Arc<Layout>,
    pub length: u32,
}

/// Shape of a kernel parameter, as far as the host has to know it.
#[derive(Clone, PartialEq, Debug)]
pub enum ParamShape {
    /// A scalar.
    Scalar(Scalar),
    /// A global buffer.
    Buffer(Arc<Layout>),
    /// A record: its fields.
    Record(Vec<ParamShape>),
}

/// A kernel ready to run.
#[derive(Clone, Debug)]
pub(crate) struct KernelCode {
    pub name: Arc<str>,
    pub max_threads: u32,
    pub params: Vec<(String, ParamShape)>,
    /// Global buffers, in the order of the parameters' scalars and buffers.
    pub buffers: Vec<(String, Arc<Layout>)>,
    /// Values of the constants; their registers follow those of the scalar parameters.
    pub constants: Vec<u64>,
    pub scalar_params: u32,
    pub registers: u32,
    pub shared: Vec<ArrayCode>,
    pub local: Vec<ArrayCode>,
    pub code: Vec<Instr>,
    /// Statement of each instruction.
    pub sites_of: Vec<u32>,
    pub sites: Vec<Site>,
    pub names: Vec<String>,
    pub tables: Vec<SwitchTable>,
}
