//! What the machine runs: a plan flattened into registers and instructions.
//!
//! An activation has one frame of registers: the arguments of the active constraint, then for each occurrence its
//! slots, the rows that its joins stand on, and temporaries. Instructions are a flat array; a sequence ends with
//! [`Ins::End`]. An instruction that does not hold ends the sequence with "fails"; what that means is the caller's
//! business (the next row, or a failed body).

use gchr_base::op::Op;
use gchr_base::rule::RuleId;
use gchr_base::signature::{ConstraintId, SortKind, SymbolId, TypeId};
use gchr_base::source::Span;

/// A register of the frame at hand.
pub(crate) type Reg = u32;
/// A place in [`Code::ins`].
pub(crate) type Pc = u32;

/// One instruction. "Fails unless" ends the sequence when the condition does not hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ins {
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
pub(crate) struct Site {
    pub(crate) rule: Option<RuleId>,
    pub(crate) span: Span,
    pub(crate) kinds: [SortKind; 2],
    /// Kind of the result, or of the column to be stored in.
    pub(crate) result: SortKind,
}

/// A compound term to build.
#[derive(Debug)]
pub(crate) struct Build {
    pub(crate) symbol: SymbolId,
    pub(crate) args: Box<[Reg]>,
}

/// A constraint to add.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) constraint: ConstraintId,
    pub(crate) args: Box<[Reg]>,
}

/// A sum of registers and a constant.
#[derive(Debug)]
pub(crate) struct KeySum {
    pub(crate) terms: Box<[(Reg, bool)]>,
    pub(crate) constant: i64,
}

/// How the rows of a partner are found.
#[derive(Debug)]
pub(crate) enum Access {
    All,
    One(Reg),
    Two(Reg, Reg),
    Many(Box<[Reg]>),
}

/// One join.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) table: usize,
    pub(crate) index: usize,
    pub(crate) access: Access,
    /// Computes key registers; when it fails there is no partner.
    pub(crate) key: Option<Pc>,
    /// Holds the row.
    pub(crate) row: Reg,
    /// Rows that it must differ from.
    pub(crate) distinct: Box<[Reg]>,
    /// Columns that are read first: register and column.
    pub(crate) loads: Box<[(Reg, u16)]>,
    /// Checks of a row.
    pub(crate) check: Option<Pc>,
    /// Conditions whose errors do not count yet.
    pub(crate) prunes: Box<[Pc]>,
}

/// One occurrence.
#[derive(Debug)]
pub(crate) struct OccurrenceCode {
    pub(crate) rule: RuleId,
    pub(crate) removes_active: bool,
    pub(crate) older_partners: bool,
    pub(crate) entry: Option<Pc>,
    pub(crate) entry_prunes: Box<[Pc]>,
    pub(crate) levels: Box<[Level]>,
    pub(crate) commit: Option<Pc>,
    /// Under rounds, the conditions among those that decide last, each on its own: when one is an error, a false one
    /// hides it.
    pub(crate) commit_tests: Box<[Pc]>,
    /// Levels whose constraint is removed.
    pub(crate) removed: Box<[usize]>,
    /// For each head of the rule its level; `None` for the active one.
    pub(crate) level_of_head: Box<[Option<usize>]>,
    pub(crate) history: bool,
    /// Body; `None` when there is nothing to do.
    pub(crate) body: Option<Pc>,
    /// Whether the body adds constraints, so that the search is suspended while it runs.
    pub(crate) calls: bool,
}

impl OccurrenceCode {
    /// Number of heads of the rule.
    pub(crate) fn heads(&self) -> usize {
        self.level_of_head.len()
    }
}

/// Occurrences of one symbol.
#[derive(Debug, Default)]
pub(crate) struct Activation {
    pub(crate) occurrences: Vec<OccurrenceCode>,
    /// Number of registers of a frame.
    pub(crate) registers: usize,
}

/// A query.
#[derive(Debug)]
pub(crate) struct QueryCode {
    pub(crate) body: Pc,
    pub(crate) registers: usize,
}

/// All code of a program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) ins: Vec<Ins>,
    /// One entry an instruction.
    pub(crate) sites: Vec<Site>,
    pub(crate) builds: Vec<Build>,
    pub(crate) calls: Vec<Call>,
    pub(crate) sums: Vec<KeySum>,
    /// By constraint symbol.
    pub(crate) activations: Vec<Activation>,
    pub(crate) queries: Vec<QueryCode>,
    /// Words of the constants of sort `Any`: roots of the heap.
    pub(crate) constants: Vec<u64>,
}
