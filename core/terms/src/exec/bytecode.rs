//! The bytecode that plans are lowered to for the CPU.
//!
//! Registers are 64-bit slots of a frame: a term value in the low half (high half zero), or the bits of an `Int` or a
//! `Float`. An `Int` of any size is a number or names one (`integers`). Every operand is a slot number; jump targets
//! are positions in the code.

use crate::plan::FunctionId;
use gchr_base::op::Op;
use gchr_base::rule::{Const, RuleId};
use gchr_base::signature::{SortId, SymbolId};
use gchr_base::source::Span;

/// Slot of a frame.
pub(super) type Slot = u16;
/// Position in the code.
pub(super) type Pc = u32;

/// Words between the caller's slots and the callee's when the callee may fill holes: root, hole, return.
pub(super) const HOLE_HEADER: usize = 3;
/// The same when it does not: return.
pub(super) const PLAIN_HEADER: usize = 1;

/// An instruction. `count`: rule applications that are complete when it is executed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instr {
    /// End of the run; the value is in slot 0.
    Halt,
    /// Counts.
    Count {
        count: u32,
    },
    /// A constant.
    Const {
        dst: Slot,
        value: u64,
    },
    Move {
        dst: Slot,
        src: Slot,
    },
    /// Two moves at once: both are read before either is written.
    Move2 {
        dst: [Slot; 2],
        src: [Slot; 2],
    },
    Move3 {
        dst: [Slot; 3],
        src: [Slot; 3],
    },
    Jump {
        target: Pc,
        count: u16,
    },
    /// A jump that closes a loop, or a tail call: may run out of fuel.
    Loop {
        target: Pc,
        count: u16,
    },
    /// A move and a loop.
    Loop1 {
        count: u8,
        dst: Slot,
        src: Slot,
        target: Pc,
    },
    Loop2 {
        count: u8,
        dst: [Slot; 2],
        src: [Slot; 2],
        target: Pc,
    },
    /// Goes on when the tag is this one, else jumps.
    Unless {
        src: Slot,
        mask: u16,
        tag: u16,
        target: Pc,
    },
    /// `Unless`, then a field.
    UnlessLoad1 {
        tag: u8,
        mask: u8,
        class: u8,
        offset: u8,
        src: Slot,
        dst: Slot,
        target: Pc,
    },
    /// `Unless`, then two fields.
    UnlessLoad2 {
        tag: u8,
        mask: u8,
        class: u8,
        offset: [u8; 2],
        src: Slot,
        dst: [Slot; 2],
        target: Pc,
    },
    /// Jumps to `tables[table + tag]`.
    Switch {
        src: Slot,
        mask: u16,
        table: u32,
    },
    /// Looks for the tag among `count` ascending ones from `tables[table]` on, and jumps to what stands as far behind
    /// them, or, when it is none of them, to the last entry.
    Search {
        src: Slot,
        mask: u16,
        count: u16,
        table: u32,
    },
    Load1 {
        src: Slot,
        dst: Slot,
        class: u16,
        offset: u16,
    },
    Load2 {
        src: Slot,
        dst: [Slot; 2],
        class: u8,
        offset: [u8; 2],
    },
    Load3 {
        src: Slot,
        dst: [Slot; 3],
        class: u8,
        offset: [u8; 3],
    },
    /// A field of two words.
    LoadWide {
        src: Slot,
        dst: Slot,
        class: u16,
        offset: u16,
    },
    /// A cell with one field of one word; and so on.
    Alloc1 {
        dst: Slot,
        tag: u16,
        class: u16,
        a: Slot,
    },
    Alloc2 {
        dst: Slot,
        tag: u16,
        class: u16,
        args: [Slot; 2],
    },
    Alloc3 {
        dst: Slot,
        tag: u16,
        class: u16,
        args: [Slot; 3],
    },
    /// A cell with the fields `operands[first..first + fields]`.
    AllocN {
        dst: Slot,
        tag: u16,
        class: u16,
        fields: u16,
        first: u32,
    },
    /// Cells with one field each, nested.
    Repeat {
        dst: Slot,
        tag: u16,
        class: u16,
        arg: Slot,
        count: u32,
    },
    /// A cell of one word goes into the hole, and its field is the hole now.
    Hole1 {
        tag: u16,
        class: u16,
    },
    /// A cell of two words goes into the hole, and its field `offset` is the hole now; the other field is `other`.
    Hole2 {
        tag: u16,
        class: u16,
        other: Slot,
        offset: u16,
    },
    /// `root` goes into the hole, and the field at `offset` of `cell` is the hole now.
    Fill {
        root: Slot,
        cell: Slot,
        class: u16,
        offset: u16,
    },
    /// Integer arithmetic.
    Int {
        op: Op,
        dst: Slot,
        a: Slot,
        b: Slot,
        site: u32,
    },
    AddInt {
        dst: Slot,
        a: Slot,
        b: Slot,
        site: u32,
    },
    SubInt {
        dst: Slot,
        a: Slot,
        b: Slot,
        site: u32,
    },
    /// Arithmetic of integers of any size: may collect.
    Big {
        op: Op,
        dst: Slot,
        a: Slot,
        b: Slot,
        site: u32,
    },
    /// Float arithmetic.
    Float {
        op: Op,
        dst: Slot,
        a: Slot,
        b: Slot,
        site: u32,
    },
    IntToFloat {
        dst: Slot,
        a: Slot,
    },
    FloatToInt {
        op: Op,
        dst: Slot,
        a: Slot,
        site: u32,
    },
    /// A comparison as a truth value.
    CompareInt {
        op: Op,
        dst: Slot,
        a: Slot,
        b: Slot,
        yes: u16,
        no: u16,
    },
    CompareBig {
        op: Op,
        dst: Slot,
        a: Slot,
        b: Slot,
        yes: u16,
        no: u16,
    },
    CompareFloat {
        op: Op,
        dst: Slot,
        a: Slot,
        b: Slot,
        yes: u16,
        no: u16,
    },
    CompareTerm {
        negated: bool,
        dst: Slot,
        a: Slot,
        b: Slot,
        sort: u16,
        yes: u16,
        no: u16,
    },
    /// Goes on when the comparison holds, else jumps.
    UnlessInt {
        op: Op,
        a: Slot,
        b: Slot,
        target: Pc,
    },
    UnlessBig {
        op: Op,
        a: Slot,
        b: Slot,
        target: Pc,
    },
    UnlessFloat {
        op: Op,
        a: Slot,
        b: Slot,
        target: Pc,
    },
    /// Goes on when the slot holds exactly these bits, else jumps.
    UnlessConst {
        src: Slot,
        target: Pc,
        value: u64,
    },
    /// Goes on when the values are structurally equal, else jumps.
    UnlessSame {
        a: Slot,
        b: Slot,
        sort: u16,
        target: Pc,
    },
    /// An operand of the wrong type.
    TypeError {
        a: Slot,
        sort: u16,
        site: u32,
    },
    /// A call of a function without holes, arguments in place; `base`: first slot after those that stay live.
    Call {
        count: u8,
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    Call1 {
        count: u8,
        arg: Slot,
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    Call2 {
        count: u8,
        args: [Slot; 2],
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    Call3 {
        count: u8,
        args: [Slot; 3],
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    /// The same for a function that may fill holes.
    HoleCall {
        count: u8,
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    HoleCall1 {
        count: u8,
        arg: Slot,
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    HoleCall2 {
        count: u8,
        args: [Slot; 2],
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    HoleCall3 {
        count: u8,
        args: [Slot; 3],
        base: Slot,
        dst: Slot,
        target: Pc,
    },
    /// Return from a function without holes.
    Return {
        src: Slot,
        count: u16,
    },
    ReturnConst {
        value: u32,
        count: u16,
    },
    /// Fills the hole and returns the root.
    HoleReturn {
        src: Slot,
        count: u16,
    },
    HoleReturnConst {
        value: u32,
        count: u16,
    },
    /// No rule matches: an error, or where integers have any size the value of the function.
    NoRule {
        index: u32,
    },
    /// No rule matches in a part of a function, where integers have any size.
    NoValue {
        index: u32,
        dst: Slot,
    },
    /// Reports a rule application.
    Trace {
        index: u32,
    },
    /// Counts an entry of a block in which rules are applied: an entry of [`Code::blocks`].
    Tally {
        block: u32,
    },
}

/// A field of an `AllocN`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    pub(super) slot: Slot,
    pub(super) offset: u16,
    pub(super) wide: bool,
}

/// What a `Trace` reports.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TracePoint {
    pub(super) rule: RuleId,
    pub(super) symbol: SymbolId,
    pub(super) args: Vec<(Slot, SortId)>,
    /// Applications up to this one that are not counted yet.
    pub(super) pending: u32,
}

/// A block in which rules are applied.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CountedBlock {
    pub(super) rules: Box<[RuleId]>,
    /// Applications up to the end of the block that are not counted yet.
    pub(super) pending: u32,
}

/// An application that no rule matches.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct NoRuleSite {
    pub(super) symbol: SymbolId,
    pub(super) args: Vec<(Slot, SortId)>,
    /// Rule applications complete there but not counted yet.
    pub(super) pending: u32,
}

/// Where an operation that can fail stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct OpSite {
    pub(super) op: Op,
    pub(super) rule: RuleId,
    pub(super) span: Span,
    /// Rule applications complete there but not counted yet.
    pub(super) pending: u32,
    /// Whether the operands are floats.
    pub(super) float: bool,
}

/// Which slots hold term values, and integers of any size, at an instruction that may collect: before it for an
/// allocation, after the return for a call.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Map {
    pub(super) first: u32,
    pub(super) len: u16,
    /// Whether the callee's frame has a root and a hole (calls).
    pub(super) hole_callee: bool,
    /// Sort of the callee's result (calls).
    pub(super) result: u16,
    /// Rule applications complete but not counted yet (allocations).
    pub(super) pending: u32,
}

/// A function in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FunctionCode {
    pub(super) entry: Pc,
    /// Slots of a frame.
    pub(super) frame: u16,
    /// Whether calls to it set up a hole.
    pub(super) holes: bool,
    pub(super) params: u16,
    pub(super) result: SortId,
}

/// Verified bytecode of a plan.
///
/// **Invariant:** [`verify`](super::verify::verify) has found nothing: each slot an instruction names lies in the frame
/// of its function, each target, table, operand and class exists, and control never runs off the end of a function. The
/// interpreter relies on it.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) ops: Vec<Instr>,
    pub(super) functions: Vec<FunctionCode>,
    pub(super) tables: Vec<Pc>,
    pub(super) operands: Vec<Operand>,
    pub(super) sites: Vec<OpSite>,
    pub(super) traces: Vec<TracePoint>,
    /// Rules that are applied in a block; for recorded runs only.
    pub(super) blocks: Vec<CountedBlock>,
    pub(super) failures: Vec<NoRuleSite>,
    /// By position: which entry of `maps`, or [`NO_MAP`].
    pub(super) map_of: Vec<u32>,
    pub(super) maps: Vec<Map>,
    pub(super) roots: Vec<(Slot, SortId)>,
    /// By position: the last rule applied on the path there, or `u32::MAX`.
    pub(super) rule_of: Vec<u32>,
    /// Slots of the largest frame, with what it writes into frames of callees.
    pub(super) max_frame: usize,
    /// Words of a cell, by class.
    pub(super) classes: Vec<u32>,
}

/// Positions that never collect.
pub(super) const NO_MAP: u32 = u32::MAX;

impl Code {
    /// The function with an id.
    pub(super) fn function(&self, id: FunctionId) -> FunctionCode {
        self.functions[id.0 as usize]
    }
    /// The last rule applied on the path to a position.
    pub(super) fn rule_at(&self, pc: usize) -> Option<RuleId> {
        self.rule_of.get(pc).filter(|&&r| r != u32::MAX).map(|&r| RuleId(r))
    }
}

/// The bits of a constant in a slot.
pub fn constant_bits(value: Const) -> u64 {
    match value {
        Const::Int(n) => n.cast_unsigned(),
        Const::Float(x) => x.to_bits(),
        Const::Atom(t) | Const::Str(t) => t.0.into(),
    }
}
