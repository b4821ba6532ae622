//! What the machine runs: a plan flattened into registers and instructions.
//!
//! An activation has one frame of registers: the arguments of the active constraint, then for each occurrence its slots, the rows
//! that its joins stand on, and temporaries. Instructions are a flat array; a sequence ends with [`Ins::End`]. An instruction that
//! does not hold ends the sequence with "fails"; what that means is the caller's business (the next row, or a failed body).

use gchr_base::op::Op;
use gchr_base::rule::RuleId;
use gchr_base::signature::{ConstraintId, SortKind, SymbolId};
use gchr_base::source::Span;

/// A register of the frame at hand.
pub(super) type Reg = u32;
/// A place in [`Code::ins`].
pub(super) type Pc = u32;

/// One instruction. "Fails unless" ends the sequence when the condition does not hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ins {
    /// The sequence is done.
    End,
    /// Fails.
    Fail,
    /// Reads a column of a row.
    Load { dst: Reg, row: Reg, table: u16, column: u16 },
    /// Fails unless a column of a row holds the word of a register.
    SameColumn { src: Reg, row: Reg, table: u16, column: u16 },
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

/// Where an instruction comes from: for errors, and for the kinds of operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) rule: Option<RuleId>,
    pub(super) span: Span,
    pub(super) kinds: [SortKind; 2],
    /// Kind of the result, or of the column to be stored in.
    pub(super) result: SortKind,
}

/// A compound term to build.
#[derive(Debug)]
pub(super) struct Build {
    pub(super) symbol: SymbolId,
    pub(super) args: Box<[Reg]>,
}

/// A constraint to add.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) constraint: ConstraintId,
    pub(super) args: Box<[Reg]>,
}

/// A sum of registers and a constant.
#[derive(Debug)]
pub(super) struct KeySum {
    pub(super) terms: Box<[(Reg, bool)]>,
    pub(super) constant: i64,
}

/// How the rows of a partner are found.
#[derive(Debug)]
pub(super) enum Access {
    All,
    One(Reg),
    Two(Reg, Reg),
    Many(Box<[Reg]>),
}

/// One join.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) table: usize,
    pub(super) index: usize,
    pub(super) access: Access,
    /// Computes key registers; when it fails there is no partner.
    pub(super) key: Option<Pc>,
    /// Holds the row.
    pub(super) row: Reg,
    /// Rows that it must differ from.
    pub(super) distinct: Box<[Reg]>,
    /// Columns that are read first: register and column.
    pub(super) loads: Box<[(Reg, u16)]>,
    /// Checks of a row.
    pub(super) check: Option<Pc>,
    /// Conditions whose errors do not count yet.
    pub(super) prunes: Box<[Pc]>,
}

/// One occurrence.
#[derive(Debug)]
pub(super) struct OccurrenceCode {
    pub(super) rule: RuleId,
    pub(super) removes_active: bool,
    pub(super) older_partners: bool,
    pub(super) entry: Option<Pc>,
    pub(super) entry_prunes: Box<[Pc]>,
    pub(super) levels: Box<[Level]>,
    pub(super) commit: Option<Pc>,
    /// Under rounds, the conditions among those that decide last, each on its own: when one is an error, a false one hides it.
    pub(super) commit_tests: Box<[Pc]>,
    /// Levels whose constraint is removed.
    pub(super) removed: Box<[usize]>,
    /// For each head of the rule its level; `None` for the active one.
    pub(super) level_of_head: Box<[Option<usize>]>,
    pub(super) history: bool,
    /// Body; `None` when there is nothing to do.
    pub(super) body: Option<Pc>,
    /// Whether the body adds constraints, so that the search is suspended while it runs.
    pub(super) calls: bool,
}

impl OccurrenceCode {
    /// Number of heads of the rule.
    pub(super) fn heads(&self) -> usize {
        self.level_of_head.len()
    }
}

/// Occurrences of one symbol.
#[derive(Debug, Default)]
pub(super) struct Activation {
    pub(super) occurrences: Vec<OccurrenceCode>,
    /// Number of registers of a frame.
    pub(super) registers: usize,
}

/// A query.
#[derive(Debug)]
pub(super) struct QueryCode {
    pub(super) body: Pc,
    pub(super) registers: usize,
}

/// All code of a program.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) ins: Vec<Ins>,
    /// One entry an instruction.
    pub(super) sites: Vec<Site>,
    pub(super) builds: Vec<Build>,
    pub(super) calls: Vec<Call>,
    pub(super) sums: Vec<KeySum>,
    /// By constraint symbol.
    pub(super) activations: Vec<Activation>,
    pub(super) queries: Vec<QueryCode>,
    /// Words of the constants of sort `Any`: roots of the heap.
    pub(super) constants: Vec<u64>,
}
