//! Statements of the kernel IR: structured control, and the effects that other threads can see or take part in.

use super::expr::Expr;
use super::types::{FunctionId, Type, VarId};

/// Statements in order.
pub type Block = Vec<Stmt>;

/// Where generated code comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin {
    /// One-based line of the rule in the program text; printed as a `#line` directive for CUDA and named in reports.
    pub line: Option<u32>,
    /// Comment printed before the statement, e.g. the rule's name; may have several lines.
    pub comment: Option<String>,
}

/// A statement with its origin.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub origin: Origin,
}

impl From<StmtKind> for Stmt {
    fn from(kind: StmtKind) -> Self {
        Self { kind, origin: Origin::default() }
    }
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// Declares a register variable or an array; `None` leaves it unwritten (reading it before it is written is an
    /// error).
    Declare {
        /// The variable; each is declared once.
        var: VarId,
        /// First value.
        value: Option<Expr>,
    },
    /// Writes a variable, a field, or an element.
    Assign {
        /// What is written.
        place: Place,
        /// The value.
        value: Expr,
    },
    /// Does something that other threads can see or take part in.
    Effect {
        /// Where the result goes; `None` drops it (or there is none).
        result: Option<Target>,
        /// What is done.
        effect: Effect,
    },
    /// Two-way branch.
    If {
        /// Condition of type `bool`.
        condition: Expr,
        /// Taken when it holds.
        then: Block,
        /// Taken otherwise.
        otherwise: Block,
    },
    /// Multi-way branch without fall-through.
    Switch {
        /// Integer value.
        value: Expr,
        /// Values (as in [`Literal::Int`](super::Literal::Int), each at most once) and code.
        cases: Vec<(Vec<u64>, Block)>,
        /// Code for all other values.
        default: Block,
    },
    /// Loop with its test at the top.
    While {
        /// Condition of type `bool`.
        condition: Expr,
        /// Body.
        body: Block,
    },
    /// Counting loop `for (T var = start; condition; var = next)`. The body does not assign `var`.
    For {
        /// Counter, declared by the loop.
        var: VarId,
        /// First value.
        start: Expr,
        /// Goes on while this holds.
        condition: Expr,
        /// Next value.
        next: Expr,
        /// Body.
        body: Block,
        /// Asks the compiler to unroll it whole; the trip count must be a constant.
        unroll: bool,
    },
    /// Leaves the innermost loop.
    Break,
    /// Starts the next iteration of the innermost loop.
    Continue,
    /// Returns from the function, or ends the thread's part in the kernel.
    Return(Option<Expr>),
    /// Block barrier: every thread of the block arrives.
    Barrier,
    /// Warp barrier for the lanes of the mask.
    WarpBarrier {
        /// Lanes, type `u32`.
        mask: Expr,
    },
    /// Memory fence of this thread.
    Fence(Scope),
    /// Lets the thread rest for about so many nanoseconds (spin loops).
    Sleep(u32),
    /// Counts that this thread gets here, under a number: recorded runs count rules so. No code in plain CUDA.
    Tally(u32),
    /// All lanes of the warp wake up and run the body once for each lane that is active here (in lane order), then go
    /// back to sleep. After Moreira, Collange, Pereira, "Definição Semântica de Blocos Everywhere para Programação
    /// SIMD".
    ///
    /// The body sees its captures (which it does not assign), the captures of enclosing `everywhere` bodies, the
    /// variables it declares, shared arrays, parameters of kernels, and parameters whose type is a record with buffers:
    /// whatever is the same in all lanes. It has no block barrier and no return, and no break or continue out of it.
    Everywhere {
        /// Variables of the body with their values in the lane that asked, the same in all lanes: scalars, records of
        /// scalars, and global or shared buffers.
        captures: Vec<(VarId, Expr)>,
        /// Body, run by all lanes.
        body: Block,
    },
    /// What only the simulator runs, and only when it is asked to test steps: no code in CUDA. The statements compute
    /// and read, and change nothing that others see. An `Assume` among them is a *step*: what the algorithm has
    /// achieved here, as a function of what it was given. After the simulating function by which the thesis on GPUCSL,
    /// section 4.5, proves its reduce; the checker takes no step for true.
    Simulated(Block),
    /// An assumption on data that the checker may use and the simulator tests. No code in CUDA.
    Assume {
        /// Name, shown by the checker.
        name: String,
        /// What is assumed to hold for the executing thread.
        condition: Expr,
    },
    /// An assumption that a variable is the same in all threads of the grid (`Device`) or of the block (`Block`): what
    /// a thread gives the nth time that it gets here is what every other one gives the nth time. The checker may use
    /// it, the simulator tests it. No code in CUDA.
    Uniform {
        /// Name, shown by the checker.
        name: String,
        /// Which threads agree.
        scope: Scope,
        /// A variable of scalar type.
        value: Expr,
    },
    /// From here to the next barrier only this thread touches the element, because of the named reason (an index handed
    /// out once, a slot won by an atomic). The checker lists it, the simulator tests it. No code in CUDA.
    Own {
        /// Name of the reason.
        name: String,
        /// The element.
        place: Place,
    },
}

/// A place that can be written.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Where.
    pub base: PlaceBase,
    /// Field of the record there, if only one is meant.
    pub field: Option<u32>,
    /// Type of what is written.
    pub ty: Type,
}

/// Base of a [`Place`].
#[derive(Clone, PartialEq, Debug)]
pub enum PlaceBase {
    /// A register variable.
    Var(VarId),
    /// Element of a buffer or array.
    Element {
        /// Expression of buffer type: a variable, or a field of a record variable.
        buffer: Box<Expr>,
        /// Integer index.
        index: Box<Expr>,
    },
}

/// Where the result of an effect goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Declares this register variable.
    Declare(VarId),
    /// Assigns this register variable.
    Assign(VarId),
}

/// Which threads an ordering or a fence is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// All threads of the device.
    Device,
}

/// Memory order of an atomic operation, as in C++.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// No ordering of other accesses.
    Relaxed,
    /// Later accesses are not moved before it (loads and read-modify-writes).
    Acquire,
    /// Earlier accesses stay before it (stores and read-modify-writes).
    Release,
    /// Both (read-modify-writes).
    AcquireRelease,
}

/// An atomic operation on one element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Reads (no operand).
    Load,
    /// Writes (one operand, no result).
    Store,
    /// Adds; result is the old value, as for all below.
    Add,
    /// Subtracts.
    Sub,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Exchanges.
    Exchange,
    /// Compares with the first operand, writes the second when equal.
    CompareExchange,
}

/// A vote of the lanes of a mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VoteOp {
    /// Mask of the lanes whose predicate holds (`u32`).
    Ballot,
    /// Whether it holds for one.
    Any,
    /// Whether it holds for all.
    All,
}

/// Which lane a shuffle reads from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShuffleOp {
    /// The lane given.
    Index,
    /// The lane so many below.
    Up,
    /// The lane so many above.
    Down,
    /// The lane whose number differs by exclusive or.
    Xor,
}

/// Something that other threads can see or take part in.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// An atomic operation on an element of `u32`, `i32`, `u64` or `i64`.
    Atomic {
        /// Operation.
        op: AtomicOp,
        /// Order.
        order: Order,
        /// Scope of the order.
        scope: Scope,
        /// The element.
        place: Place,
        /// Operands.
        operands: Vec<Expr>,
    },
    /// A vote.
    Vote {
        /// Kind.
        op: VoteOp,
        /// Lanes that take part (`u32`); all of them must be active here.
        mask: Expr,
        /// Predicate of type `bool`.
        predicate: Expr,
    },
    /// A shuffle of a 32- or 64-bit scalar; `Index` also moves references to global and shared buffers.
    Shuffle {
        /// Kind.
        op: ShuffleOp,
        /// Lanes that take part (`u32`).
        mask: Expr,
        /// What this lane offers.
        value: Expr,
        /// Lane, distance or mask, by kind (`u32`). `Index` takes the low five bits; `Up` and `Down` past the end of
        /// the warp give the lane its own value.
        lane: Expr,
    },
    /// Mask of the lanes that are active here.
    ActiveMask,
    /// A clock of the multiprocessor, which all threads of a block share: cycles, with wrap around (`u32`). In the
    /// simulator steps of all warps so far.
    Cycles,
    /// Calls a device function.
    Call {
        /// The function.
        function: FunctionId,
        /// Arguments.
        args: Vec<Expr>,
    },
}
