//! Ids and types.

use gchr_base::define_id;

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

/// The memory space of a pointer or an array.
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
