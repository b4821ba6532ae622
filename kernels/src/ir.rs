//! The kernel IR: what is checked, simulated, printed as CUDA C++ and launched is this one value.
//!
//! A [`Module`] holds records, constants, device functions and kernels. Code is structured: blocks of statements, no jumps.
//! Expressions have no effects besides reading memory; everything that other threads can see or wait for (atomics, votes, shuffles,
//! calls, barriers, fences) is a statement of its own, so that executors and checkers find every such point in program order.
//! Every expression carries its type; [`verify`](crate::verify) checks that it is the right one.

use gchr_core::define_id;
use gchr_core::ids::IdVec;

define_id!(
    /// A record type.
    RecordId, "rec"
);
define_id!(
    /// A device function or kernel.
    FunctionId, "fun"
);
define_id!(
    /// A named constant.
    ConstantId, "const"
);
define_id!(
    /// A variable of one function: parameter, register variable, local or shared array.
    VarId, "var"
);

/// A scalar type. The text names are those of the CUDA prelude: `bool u8 i32 u32 i64 u64 f64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// Truth value; one byte in memory.
    Bool,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE 754 binary64.
    F64,
}

/// Where the memory behind a pointer or an array lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Device memory, visible to the whole grid.
    Global,
    /// Shared memory of one block.
    Shared,
    /// Memory of one thread.
    Local,
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// No value: result of a function that returns none.
    Void,
    /// A scalar value.
    Scalar(Scalar),
    /// A record value.
    Record(RecordId),
    /// A buffer or array of scalars: a pointer that is only ever indexed.
    Buffer(Space, Scalar),
    /// A buffer or array of records.
    Records(Space, RecordId),
}

impl Type {
    /// Type of an element of a buffer; `None` for other types.
    pub fn element(self) -> Option<Type> {
        match self {
            Type::Buffer(_, s) => Some(Type::Scalar(s)),
            Type::Records(_, r) => Some(Type::Record(r)),
            _ => None,
        }
    }
    /// Where a buffer lies; `None` for other types.
    pub fn space(self) -> Option<Space> {
        match self {
            Type::Buffer(space, _) | Type::Records(space, _) => Some(space),
            _ => None,
        }
    }
    /// The scalar, for scalar types.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) => Some(s),
            _ => None,
        }
    }
}

/// A record type: a C struct of scalars and global buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Name.
    pub name: String,
    /// Fields in order of memory.
    pub fields: Vec<Field>,
    /// Alignment in bytes, a power of two up to 16; `None` for the natural one. 16 makes element copies 16-byte accesses.
    pub align: Option<u32>,
}

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Scalar, or global buffer (only in records that are kernel parameters).
    pub ty: Type,
}

/// A named compile-time constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// Name.
    pub name: String,
    /// Its value; a literal, or a hole of a template that is still open.
    pub value: ConstantValue,
    /// Type.
    pub ty: Scalar,
}

/// Value of a [`Constant`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConstantValue {
    /// Given.
    Given(Literal),
    /// To be filled when a template is instantiated.
    Hole,
}

/// A module: all kernels of a program.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Module {
    /// Record types, each declared before its first use.
    pub records: IdVec<RecordId, Record>,
    /// Constants, each declared before its first use.
    pub constants: IdVec<ConstantId, Constant>,
    /// Functions and kernels, each declared before its first call: there is no recursion.
    pub functions: IdVec<FunctionId, Function>,
}

/// What a function is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FunctionKind {
    /// Called by other functions, always inlined.
    Device,
    /// As `Device`, but never inlined: keeps big cold code out of hot loops.
    Outlined,
    /// A hole of a template: declared with its contract, without a body until the template is instantiated.
    Hole,
    /// Launched by the host.
    Kernel {
        /// Largest number of threads a block may have.
        max_threads: u32,
        /// Smallest number of blocks that must fit on a multiprocessor; 0 leaves it to the compiler.
        min_blocks: u32,
    },
}

/// A device function or kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Name.
    pub name: String,
    /// What it is for.
    pub kind: FunctionKind,
    /// Parameters: variables of `vars`, in order.
    pub params: Vec<VarId>,
    /// Result type; `Void` for kernels.
    pub result: Type,
    /// Parameters, variables and arrays.
    pub vars: IdVec<VarId, Var>,
    /// Code.
    pub body: Block,
    /// Contract and purpose, one comment line each (`pre:`, `post:`, `shares:` lines are read by the checker).
    pub doc: Vec<String>,
}

/// A variable of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Var {
    /// Name, unique within the function.
    pub name: String,
    /// Type; an array's type is a buffer in space `Shared` or `Local`.
    pub ty: Type,
    /// What it is.
    pub storage: Storage,
}

/// What a [`Var`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// A parameter; never assigned.
    Param,
    /// A variable held in registers.
    Register,
    /// An array of so many elements, in the space its type names. Shared arrays belong to kernels only.
    Array(Length),
}

/// Length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// A number.
    Literal(u32),
    /// A named constant of integer type.
    Constant(ConstantId),
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// Where generated code comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin {
    /// One-based line of the rule in the program text; printed as a `#line` directive for CUDA and named in reports.
    pub line: Option<u32>,
    /// A comment line printed before the statement, e.g. the rule's name.
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

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// Declares a register variable or an array; `None` leaves it unwritten (reading it before it is written is an error).
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
        /// Values (each at most once) and code.
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
    /// All lanes of the warp wake up and run the body once for each lane that is active here (in lane order), then go back to sleep.
    /// After Moreira, Collange, Pereira, "Definição Semântica de Blocos Everywhere para Programação SIMD".
    Everywhere {
        /// Variables of the body with their values in the lane that asked, the same in all lanes.
        captures: Vec<(VarId, Expr)>,
        /// Body, run by all lanes.
        body: Block,
    },
    /// An assumption on data that the checker may use and the simulator tests. No code in CUDA.
    Assume {
        /// Name, shown by the checker.
        name: String,
        /// What is assumed to hold for the executing thread.
        condition: Expr,
    },
    /// From here to the next barrier only this thread touches the element, because of the named reason (an index handed out once, a
    /// slot won by an atomic). The checker lists it, the simulator tests it. No code in CUDA.
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
    /// Later accesses stay behind it (loads and read-modify-writes).
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
    /// A shuffle of a 32- or 64-bit scalar.
    Shuffle {
        /// Kind.
        op: ShuffleOp,
        /// Lanes that take part (`u32`).
        mask: Expr,
        /// What this lane offers.
        value: Expr,
        /// Lane, distance or mask, by kind (`u32`).
        lane: Expr,
    },
    /// Mask of the lanes that are active here.
    ActiveMask,
    /// Calls a device function.
    Call {
        /// The function.
        function: FunctionId,
        /// Arguments.
        args: Vec<Expr>,
    },
}

/// A literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    /// `true`, `false`.
    Bool(bool),
    /// Integer, as the bits of its type.
    Int(u64),
    /// Float.
    Float(f64),
}

/// A typed expression; its evaluation has no effect but reading memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Shape.
    pub kind: ExprKind,
    /// Type of the value.
    pub ty: Type,
}

/// Shape of an [`Expr`].
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A literal of the expression's type.
    Literal(Literal),
    /// A named constant.
    Constant(ConstantId),
    /// A variable: its value, or the buffer it names.
    Var(VarId),
    /// Field of a record value.
    Field(Box<Expr>, u32),
    /// Element of a buffer or array.
    Element {
        /// The buffer.
        buffer: Box<Expr>,
        /// Integer index.
        index: Box<Expr>,
    },
    /// Position of the thread.
    Special(Special),
    /// One-operand operation.
    Unary(UnaryOp, Box<Expr>),
    /// Two-operand operation; operands have the same type (shifts: any integer on the right).
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? a : b`; only the one taken is evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion between scalars, to the expression's type, as C does it.
    Cast(Box<Expr>),
    /// A pure built-in function.
    Intrinsic(Intrinsic, Vec<Expr>),
    /// A record from its fields.
    Record(Vec<Expr>),
}

/// Position of a thread, type `u32`; grids and blocks have one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// `threadIdx.x`.
    ThreadInBlock,
    /// `blockIdx.x`.
    Block,
    /// `blockDim.x`.
    BlockSize,
    /// `gridDim.x`.
    GridSize,
    /// Lane in the warp: `threadIdx.x & 31`.
    Lane,
}

/// One-operand operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-x`, wrapping.
    Neg,
    /// `~x`.
    BitNot,
    /// `!x` on `bool`.
    Not,
}

/// Two-operand operations. Integer arithmetic wraps; division by zero and shifts by the width or more are errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%` on integers
    Rem,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`
    Shl,
    /// `>>`, arithmetic for signed types
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`: the right operand is evaluated only when the left one holds
    AndAlso,
    /// `||`: the right operand is evaluated only when the left one does not hold
    OrElse,
}

/// Pure built-in functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// Number of set bits of a `u32`, as `u32`.
    PopCount,
    /// One-based index of the lowest set bit of a `u32`, 0 for none, as `u32`.
    FindFirstSet,
    /// Number of leading zeros of a `u32`, as `u32`.
    LeadingZeros,
    /// Minimum of two scalars.
    Min,
    /// Maximum of two scalars.
    Max,
    /// High half of the product of two `u32` or two `u64`.
    MulHigh,
    /// Bits of a `f64` as `u64`.
    FloatBits,
    /// `u64` bits as `f64`.
    FloatFromBits,
}
