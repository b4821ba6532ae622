//! The kernel IR: the one value that is checked, simulated, printed as CUDA C++ and launched.
//!
//! A [`Module`] holds records, constants, device functions and kernels. Code is structured: blocks of statements, no
//! jumps. A block of threads is a whole number of warps of 32. Expressions have no effects besides reading memory;
//! everything that other threads can see or wait for (atomics, votes, shuffles, calls, barriers, fences) is a statement
//! of its own, so that executors and checkers find every such point in program order. Every expression carries its
//! type; [`verify`](crate::verify) checks that it is the right one.

mod expr;
pub mod flow;
pub mod rewrite;
pub mod simulated;
mod stmt;
mod types;

pub use expr::*;
pub use flow::completes;
pub use stmt::*;
pub use types::*;

use gchr_base::ids::IdVec;

/// A record type: a C struct of scalars and global buffers. Without fields it is a hole of a template. A record with
/// buffers is only ever the type of parameters, and what is passed for such a parameter is itself one: its value is the
/// same in all threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Name.
    pub name: String,
    /// Fields in order of memory.
    pub fields: Vec<Field>,
    /// Alignment in bytes, a power of two up to 16; `None` for the natural one. 16 makes element copies 16-byte
    /// accesses.
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

    /// Whether a type is a record that kernels are launched with.
    pub fn is_launch(&self, ty: Type) -> bool {
        matches!(ty, Type::Record(record) if self.records.get(record).is_some_and(Record::is_launch))
    }

    /// How many statements the largest function has, those inside of others included.
    pub fn largest_function(&self) -> usize {
        self.functions.iter().map(Function::statements).max().unwrap_or(0)
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
    /// The functions that it calls, as often as it does.
    pub fn calls(&self) -> Vec<FunctionId> {
        let mut found = Vec::new();
        flow::each_statement(&self.body, &mut |stmt| {
            if let StmtKind::Effect { effect: Effect::Call { function, .. }, .. } = &stmt.kind {
                found.push(*function);
            }
        });
        found
    }
    /// How many statements it has, those inside of others included.
    pub fn statements(&self) -> usize {
        let mut count = 0;
        flow::each_statement(&self.body, &mut |_| count += 1);
        count
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
    /// A local array that CUDA keeps in shared memory, next to those of the other threads of the block: for stacks.
    /// Kernels only.
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
