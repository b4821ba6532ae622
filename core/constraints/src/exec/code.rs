//! What the machine runs: a plan flattened into registers and instructions.
//!
//! An activation has one frame of registers: the arguments of the active constraint, then for each occurrence its
//! slots, the rows that its joins stand on, and temporaries. Instructions are a flat array; a sequence ends with
//! [`Ins::End`]. An instruction that does not hold ends the sequence with "fails"; what that means is the caller's
//! business (the next row, or a failed body).

use gchr_base::op::Op;
use gchr_base::rule::{RuleId, VarId};
use gchr_base::signature::{ConstraintId, SortKind, SymbolId, TypeId};
use gchr_base::source::Span;

/// A register of the frame at hand.
pub type Reg = u32;
/// A place in [`Code::ins`].
pub type Pc = u32;

/// One instruction. "Fails unless" ends the sequence when the condition does not hold.
#[derive(Clone, Copy, Debug)]
pub enum Ins {
    /// The sequence is done.
    End,
    /// Fails.
    Fail,
    /// Reads a column of a row.
    Load { dst: Reg, row: Reg, table: u32, column: u16 },
    /// Fails unless a column of a row holds the word of a register.
    SameColumn { src: Reg, row: Reg, table: u32, column: u16 },
    /// Sets a register.
    Const { dst: Reg, word: u64 },
    /// Copies a register.
    Move { dst: Reg, src: Reg },
    /// Reads an argument of a compound term.
    Field { dst: Reg, src: Reg, index: u32 },
    /// Fails unless a register holds a compound term with this functor.
    Functor { src: Reg, symbol: SymbolId },
    /// Fails unless two registers hold the same word.
    Same { a: Reg, b: Reg },
    /// Fails if two registers hold the same word.
    Differ { a: Reg, b: Reg },
    /// Fails unless a register holds this word.
    SameConst { a: Reg, word: u64 },
    /// Tags a word of another kind.
    ToAny { dst: Reg, src: Reg, kind: SortKind },
    /// Untags a word; fails unless it is of this kind.
    FromAny { dst: Reg, src: Reg, kind: SortKind },
    /// Untags a word that is to be stored where only this kind fits: else an error.
    Narrow { dst: Reg, src: Reg, kind: SortKind },
    /// An error unless a register, of the site's kind, holds a value of this type, which is to be an argument of the
    /// next call.
    Check { src: Reg, ty: TypeId, column: u16 },
    /// Builds a compound term: an entry of [`Code::builds`].
    Build { dst: Reg, build: u32 },
    /// Applies a unary functor several times.
    Repeat { dst: Reg, symbol: SymbolId, count: u32 },
    /// Integer sum.
    Add { dst: Reg, a: Reg, b: Reg },
    /// Integer difference.
    Sub { dst: Reg, a: Reg, b: Reg },
    /// Integer plus a constant.
    AddConst { dst: Reg, a: Reg, n: i32 },
    /// Any integer operation.
    Int { dst: Reg, a: Reg, b: Reg, op: Op },
    /// Any float operation.
    Float { dst: Reg, a: Reg, b: Reg, op: Op },
    /// Any operation on operands of any kinds: those of the instruction's [`Site`].
    Num { dst: Reg, a: Reg, b: Reg, op: Op },
    /// The integer key `a + n`; fails when no 64-bit integer is.
    KeyAdd { dst: Reg, a: Reg, n: i32 },
    /// The integer key that an entry of [`Code::sums`] gives; fails when no 64-bit integer is.
    KeySum { dst: Reg, sum: u32 },
    /// Fails unless integers compare so.
    Less { a: Reg, b: Reg },
    /// Fails unless integers compare so.
    LessEq { a: Reg, b: Reg },
    /// Fails unless an integer compares so with a constant.
    LessConst { a: Reg, n: i64 },
    /// Fails unless an integer compares so with a constant.
    GreaterConst { a: Reg, n: i64 },
    /// Fails if an integer is this constant.
    DifferConst { a: Reg, n: i64 },
    /// Truth of a comparison of integers.
    IntTest { dst: Reg, a: Reg, b: Reg, op: Op },
    /// Truth of a comparison of numbers, of the standard order, or of a type test, for operands of any kinds.
    AnyTest { dst: Reg, a: Reg, b: Reg, op: Op },
    /// Fails unless a truth value holds.
    Holds { a: Reg },
    /// The other truth value.
    Not { dst: Reg, a: Reg },
    /// Goes on elsewhere if a truth value is this one.
    JumpIf { a: Reg, truth: bool, to: Pc },
    /// Adds a constraint: an entry of [`Code::calls`].
    Call { call: u32 },
    /// Adds a constraint as the last goal of a body whose active constraint is gone: its frame is given up.
    CallLast { call: u32 },
    /// Writes a value of the site's kind.
    Write { src: Reg, quoted: bool },
    /// Writes a line end.
    Newline,
}

// Instructions are read all the time: four words of 32 bits are enough for each.
const _: () = assert!(size_of::<Ins>() <= 16);

/// Where an instruction comes from: for errors, and for the kinds of operands.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    pub rule: Option<RuleId>,
    pub span: Span,
    pub kinds: [SortKind; 2],
    /// Kind of the result, or of the column to be stored in.
    pub result: SortKind,
}

/// A compound term to build.
#[derive(Debug)]
pub struct Build {
    pub symbol: SymbolId,
    pub args: Box<[Reg]>,
}

/// A constraint to add.
#[derive(Debug)]
pub struct Call {
    pub constraint: ConstraintId,
    pub args: Box<[Reg]>,
}

/// A sum of registers and a constant.
#[derive(Debug)]
pub struct KeySum {
    pub terms: Box<[(Reg, bool)]>,
    pub constant: i64,
}

/// How the rows of a partner are found.
#[derive(Debug)]
pub enum Access {
    All,
    One(Reg),
    Two(Reg, Reg),
    Many(Box<[Reg]>),
}

impl Access {
    /// The registers with the key.
    pub fn registers(&self) -> Vec<Reg> {
        match self {
            Access::All => Vec::new(),
            Access::One(a) => vec![*a],
            Access::Two(a, b) => vec![*a, *b],
            Access::Many(key) => key.to_vec(),
        }
    }
}

/// One join.
#[derive(Debug)]
pub struct Level {
    pub table: usize,
    pub index: usize,
    pub access: Access,
    /// Computes key registers; when it fails there is no partner.
    pub key: Option<Pc>,
    /// Holds the row.
    pub row: Reg,
    /// Rows that it must differ from.
    pub distinct: Box<[Reg]>,
    /// Columns that are read first: register and column.
    pub loads: Box<[(Reg, u16)]>,
    /// Checks of a row.
    pub check: Option<Pc>,
    /// Conditions whose errors do not count yet.
    pub prunes: Box<[Pc]>,
}

/// A step of those that decide last.
#[derive(Debug)]
pub struct CommitTest {
    pub code: Pc,
    /// Variables that it needs the values of.
    pub needs: Box<[VarId]>,
    /// Variables that have no value if it is an error.
    pub binds: Box<[VarId]>,
}

/// One occurrence.
#[derive(Debug)]
pub struct OccurrenceCode {
    pub rule: RuleId,
    pub removes_active: bool,
    pub older_partners: bool,
    pub entry: Option<Pc>,
    pub entry_prunes: Box<[Pc]>,
    pub levels: Box<[Level]>,
    pub commit: Option<Pc>,
    /// Under rounds, what decides last, each step on its own: when one is an error, a condition that does not hold
    /// hides it.
    pub commit_tests: Box<[CommitTest]>,
    /// Levels whose constraint is removed.
    pub removed: Box<[usize]>,
    /// For each head of the rule its level; `None` for the active one.
    pub level_of_head: Box<[Option<usize>]>,
    pub history: bool,
    /// Body; `None` when there is nothing to do.
    pub body: Option<Pc>,
    /// Whether the body adds constraints, so that the search is suspended while it runs.
    pub calls: bool,
}

impl Ins {
    /// Whether it writes output, which cannot be taken back.
    pub fn writes(self) -> bool {
        matches!(self, Ins::Write { .. } | Ins::Newline)
    }

    /// The registers that an instruction reads, but for those of the arguments of calls.
    pub fn reads(self, code: &Code) -> Vec<Reg> {
        match self {
            Ins::End | Ins::Fail | Ins::Const { .. } | Ins::Newline => Vec::new(),
            Ins::Call { .. } | Ins::CallLast { .. } => Vec::new(),
            Ins::Load { row, .. } => vec![row],
            Ins::SameColumn { src, row, .. } => vec![src, row],
            Ins::Move { src, .. }
            | Ins::Field { src, .. }
            | Ins::Functor { src, .. }
            | Ins::ToAny { src, .. }
            | Ins::FromAny { src, .. }
            | Ins::Narrow { src, .. }
            | Ins::Check { src, .. }
            | Ins::Write { src, .. } => vec![src],
            Ins::SameConst { a, .. }
            | Ins::AddConst { a, .. }
            | Ins::KeyAdd { a, .. }
            | Ins::LessConst { a, .. }
            | Ins::GreaterConst { a, .. }
            | Ins::DifferConst { a, .. }
            | Ins::Holds { a }
            | Ins::Not { a, .. }
            | Ins::JumpIf { a, .. } => vec![a],
            Ins::Same { a, b }
            | Ins::Differ { a, b }
            | Ins::Add { a, b, .. }
            | Ins::Sub { a, b, .. }
            | Ins::Int { a, b, .. }
            | Ins::Float { a, b, .. }
            | Ins::Num { a, b, .. }
            | Ins::Less { a, b }
            | Ins::LessEq { a, b }
            | Ins::IntTest { a, b, .. }
            | Ins::AnyTest { a, b, .. } => vec![a, b],
            Ins::Build { build, .. } => code.builds[build as usize].args.to_vec(),
            Ins::Repeat { dst, .. } => vec![dst],
            Ins::KeySum { sum, .. } => code.sums[sum as usize].terms.iter().map(|term| term.0).collect(),
        }
    }

    /// The register that an instruction sets.
    pub fn sets(self) -> Option<Reg> {
        match self {
            Ins::Load { dst, .. }
            | Ins::Const { dst, .. }
            | Ins::Move { dst, .. }
            | Ins::Field { dst, .. }
            | Ins::ToAny { dst, .. }
            | Ins::FromAny { dst, .. }
            | Ins::Narrow { dst, .. }
            | Ins::Build { dst, .. }
            | Ins::Repeat { dst, .. }
            | Ins::Add { dst, .. }
            | Ins::Sub { dst, .. }
            | Ins::AddConst { dst, .. }
            | Ins::Int { dst, .. }
            | Ins::Float { dst, .. }
            | Ins::Num { dst, .. }
            | Ins::KeyAdd { dst, .. }
            | Ins::KeySum { dst, .. }
            | Ins::IntTest { dst, .. }
            | Ins::AnyTest { dst, .. }
            | Ins::Not { dst, .. } => Some(dst),
            _ => None,
        }
    }
}

impl OccurrenceCode {
    /// Whether firing stores the active constraint, if it is not stored yet.
    pub fn stores_active(&self) -> bool {
        !self.removes_active && (self.calls || self.history)
    }

    /// Number of heads of the rule.
    pub fn heads(&self) -> usize {
        self.level_of_head.len()
    }
}

/// Occurrences of one symbol.
#[derive(Debug, Default)]
pub struct Activation {
    pub occurrences: Vec<OccurrenceCode>,
    /// Number of registers of a frame.
    pub registers: usize,
}

/// A query.
#[derive(Debug)]
pub struct QueryCode {
    pub body: Pc,
    pub registers: usize,
}

/// All code of a program.
#[derive(Debug, Default)]
pub struct Code {
    pub ins: Vec<Ins>,
    /// One entry an instruction.
    pub sites: Vec<Site>,
    pub builds: Vec<Build>,
    pub calls: Vec<Call>,
    pub sums: Vec<KeySum>,
    /// By constraint symbol.
    pub activations: Vec<Activation>,
    pub queries: Vec<QueryCode>,
    /// Words of the constants of sort `Any`: roots of the heap.
    pub constants: Vec<u64>,
}
