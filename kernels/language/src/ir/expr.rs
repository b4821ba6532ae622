//! Expressions of the kernel IR: typed, without effects besides reading memory.

use super::types::*;

/// A literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    /// `true`, `false`.
    Bool(bool),
    /// Integer, as the bits of its type with zeros above.
    Int(u64),
    /// Float.
    Float(f64),
}

impl Literal {
    /// Whether it is one of the type.
    pub fn fits(self, ty: Scalar) -> bool {
        match self {
            Literal::Bool(_) => ty == Scalar::Bool,
            Literal::Float(x) => ty == Scalar::F64 && x.is_finite(),
            Literal::Int(n) => match ty {
                Scalar::Bool | Scalar::F64 => false,
                Scalar::U8 => n <= 0xff,
                Scalar::I32 | Scalar::U32 => n <= u64::from(u32::MAX),
                Scalar::I64 | Scalar::U64 => true,
            },
        }
    }
}

/// A typed expression; its evaluation has no effect but reading memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Shape.
    pub kind: ExprKind,
    /// Type of the value.
    pub ty: Type,
}

impl Expr {
    /// An expression of a given type.
    pub fn new(kind: ExprKind, ty: Type) -> Self {
        Self { kind, ty }
    }
}

/// Shape of an [`Expr`].
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A literal of the expression's type.
    Literal(Literal),
    /// A named constant.
    Constant(ConstantId),
    /// A variable: its value, or the buffer it names. Besides parameters and arrays, register variables may refer to
    /// (whole) global or shared buffers and be assigned, as when two buffers change places.
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
    /// `condition ? a : b` on scalars or buffers; only the one taken is evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion between scalars, to the expression's type: modulo 2^n between integers, `!= 0` to `bool`, to nearest
    /// from integer to float, towards zero from float to integer (a float outside the integer's range is an error).
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

/// Two-operand operations. Integer arithmetic wraps; division by zero, the division of the least signed number by -1,
/// and shifts by the width or more are errors. `bool` and `u8` have comparisons and (for `bool`) `&&` and `||` only: a
/// byte is computed with as a
/// `u32`.
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

impl BinaryOp {
    /// Whether the result is a `bool`.
    pub fn is_test(self) -> bool {
        self.is_comparison() || self.is_logical()
    }
    /// `==` to `>=`.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
    /// `&&` and `||`.
    pub fn is_logical(self) -> bool {
        matches!(self, Self::AndAlso | Self::OrElse)
    }
    /// `<<` and `>>`.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }
}

/// Pure built-in functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// Number of set bits of a `u32` or `u64`, as `u32`.
    PopCount,
    /// One-based index of the lowest set bit of a `u32` or `u64`, 0 for none, as `u32`.
    FindFirstSet,
    /// Number of leading zeros of a `u32` or `u64`, as `u32`.
    LeadingZeros,
    /// Minimum of two numbers of 32 or 64 bits; of a float and a NaN the float.
    Min,
    /// Maximum, likewise.
    Max,
    /// High half of the product of two integers of 32 or 64 bits.
    MulHigh,
    /// Square root of a `f64`, correctly rounded.
    SquareRoot,
    /// Bits of a `f64` as `u64`.
    FloatBits,
    /// `u64` bits as `f64`.
    FloatFromBits,
}
