//! The kernel IR: what is checked, simulated, printed as CUDA C++ and launched is this one value.
//!
//! A [`Module`] holds records, constants, device functions and kernels. Code is structured: blocks of statements, no jumps.
//! A block of threads is a whole number of warps of 32. Expressions have no effects besides reading memory; everything that other threads can see or wait for (atomics, votes, shuffles,
//! calls, barriers, fences) is a statement of its own, so that executors and checkers find every such point in program order.
//! Every expression carries its type; [`verify`](crate::verify) checks that it is the right one.

mod expr;
pub mod flow;
pub mod rewrite;
pub mod simulated;
mod stmt;

pub use expr::*;
pub use flow::completes;
pub use stmt::*;

use gchr_base::define_id;
use gchr_base::ids::IdVec;

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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

impl Scalar {
    /// All scalar types.
    pub const ALL: [Scalar; 7] =
        [Self::Bool, Self::U8, Self::I32, Self::U32, Self::I64, Self::U64, Self::F64];
    /// Name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "u8",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F64 => "f64",
        }
    }
    /// Size in memory.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Bool | Self::U8 => 1,
            Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
    /// Integers, bytes included.
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::Bool | Self::F64)
    }
    /// `i32` and `i64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }
    /// Integers of 32 and 64 bits: what arithmetic and atomics work on.
    pub fn is_word(self) -> bool {
        self.is_integer() && self != Self::U8
    }
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
    /// A reference to a whole buffer or array of scalars: a pointer that is only ever indexed.
    Buffer(Space, Scalar),
    /// A reference to a whole buffer or array of records (without buffers).
    Records(Space, RecordId),
}

impl Type {
    /// `bool`.
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `u32`.
    pub const U32: Type = Type::Scalar(Scalar::U32);
    /// `u64`.
    pub const U64: Type = Type::Scalar(Scalar::U64);
    /// `i64`.
    pub const I64: Type = Type::Scalar(Scalar::I64);
    /// `f64`.
    pub const F64: Type = Type::Scalar(Scalar::F64);

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

/// A record type: a C struct of scalars and global buffers. Without fields it is a hole of a template. A record with buffers is only
/// ever the type of parameters, and what is passed for such a parameter is itself one: its value is the same in all threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Name.
    pub name: String,
    /// Fields in order of memory.
    pub fields: Vec<Field>,
    /// Alignment in bytes, a power of two up to 16; `None` for the natural one. 16 makes element copies 16-byte accesses.
    pub align: Option<u32>,
}

impl Record {
    /// Whether this is a hole of a template that is still open.
    pub fn is_hole(&self) -> bool {
        self.fields.is_empty()
    }
    /// Whether it can only be the type of parameters: it has buffers, or may have once its hole is filled.
    pub fn is_launch(&self) -> bool {
        self.is_hole() || self.fields.iter().any(|f| f.ty.element().is_some())
    }
}

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Scalar, or global buffer.
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

impl Module {
    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        self.functions.ids().find(|&f| self.functions[f].name == name)
    }
    /// The record type of that name.
    pub fn record(&self, name: &str) -> Option<RecordId> {
        self.records.ids().find(|&r| self.records[r].name == name)
    }
    /// The constant of that name.
    pub fn constant(&self, name: &str) -> Option<ConstantId> {
        self.constants.ids().find(|&c| self.constants[c].name == name)
    }
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

impl Function {
    /// Whether the host launches it.
    pub fn is_kernel(&self) -> bool {
        matches!(self.kind, FunctionKind::Kernel { .. })
    }
    /// Whether this is a hole of a template that is still open.
    pub fn is_hole(&self) -> bool {
        self.kind == FunctionKind::Hole
    }
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
    /// A parameter; never assigned. Any type but `Void`; parameters of kernels have no shared or local buffers.
    Param,
    /// A variable held in registers.
    Register,
    /// An array of so many elements, in the space its type names. Shared arrays belong to kernels only.
    Array(Length),
    /// A local array that CUDA keeps in shared memory, beside those of the other threads of the block: for stacks. Kernels only.
    Striped(Length),
}

/// Length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// A number.
    Literal(u32),
    /// A named constant of integer type.
    Constant(ConstantId),
}
