//! Checks bytecode before it is executed: the interpreter's unchecked accesses rest on it.

use super::bytecode::*;

/// What an instruction refers to.
#[derive(Default)]
struct Refs {
    slots: Vec<Slot>,
    target: Option<Pc>,
    callee: Option<Pc>,
    class: Option<usize>,
    /// The words of the cell that are read or written end before this one.
    words: u32,
    /// May collect: needs a map.
    allocates: bool,
    /// Reads or writes the hole of the frame.
    hole: bool,
    /// First slot behind those that stay live during a call.
    base: Slot,
    falls_through: bool,
}

impl Op {
    fn refs(&self) -> Refs {
        use Op::*;
        let mut r = Refs { falls_through: true, ..Refs::default() };
        match *self {
            Count { .. } | Trace { .. } | Tally { .. } => {}
            NoRule { .. } => r.falls_through = false,
            Halt => {
                r.slots.push(0);
                r.falls_through = false;
            }
            Const { dst, .. } => r.slots.push(dst),
            Move { dst, src } => r.slots.extend([dst, src]),
            Move2 { dst, src } => r.slots.extend(dst.into_iter().chain(src)),
            Move3 { dst, src } => r.slots.extend(dst.into_iter().chain(src)),
            Jump { target, .. } | Loop { target, .. } => {
                r.target = Some(target);
                r.falls_through = false;
            }
            Loop1 { dst, src, target, .. } => {
                r.slots.extend([dst, src]);
                r.target = Some(target);
                r.falls_through = false;
            }
            Loop2 { dst, src, target, .. } => {
                r.slots.extend(dst.into_iter().chain(src));
                r.target = Some(target);
                r.falls_through = false;
            }
            Unless { src, target, .. } | UnlessConst { src, target, .. } => {
                r.slots.push(src);
                r.target = Some(target);
            }
            UnlessLoad1 { class, src, dst, target, .. } => {
                r.slots.extend([src, dst]);
                r.class = Some(class.into());
                r.target = Some(target);
            }
            UnlessLoad2 { class, src, dst, target, .. } => {
                r.slots.extend([src, dst[0], dst[1]]);
                r.class = Some(class.into());
                r.target = Some(target);
            }
            Switch { src, .. } => {
                r.slots.push(src);
                r.falls_through = false;
            }
            Load1 { src, dst, class, .. } | LoadWide { src, dst, class, .. } => {
                r.slots.extend([src, dst]);
                r.class = Some(class.into());
            }
            Load2 { src, dst, class, .. } => {
                r.slots.extend([src, dst[0], dst[1]]);
                r.class = Some(class.into());
            }
            Load3 { src, dst, class, .. } => {
                r.slots.extend([src, dst[0], dst[1], dst[2]]);
                r.class = Some(class.into());
            }
            Alloc1 { dst, class, a, .. } => {
                r.slots.extend([dst, a]);
                r.class = Some(class.into());
            }
            Alloc2 { dst, class, args, .. } => {
                r.slots.extend([dst, args[0], args[1]]);
                r.class = Some(class.into());
            }
            Alloc3 { dst, class, args, .. } => {
                r.slots.extend([dst, args[0], args[1], args[2]]);
                r.class = Some(class.into());
            }
            AllocN { dst, class, .. } => {
                r.slots.push(dst);
                r.class = Some(class.into());
            }
            Repeat { dst, class, arg, .. } => {
                r.slots.extend([dst, arg]);
                r.class = Some(class.into());
            }
            Hole1 { class, .. } => r.class = Some(class.into()),
            Hole2 { class, other, .. } => {
                r.slots.push(other);
                r.class = Some(class.into());
            }
            Fill { root, cell, class, .. } => {
                r.slots.extend([root, cell]);
                r.class = Some(class.into());
            }
            Int { dst, a, b, .. }
            | AddInt { dst, a, b, .. }
            | SubInt { dst, a, b, .. }
            | Float { dst, a, b, .. }
            | CompareInt { dst, a, b, .. }
            | CompareFloat { dst, a, b, .. }
            | CompareTerm { dst, a, b, .. } => r.slots.extend([dst, a, b]),
            IntToFloat { dst, a } | FloatToInt { dst, a, .. } => r.slots.extend([dst, a]),
            UnlessInt { a, b, target, .. }
            | UnlessFloat { a, b, target, .. }
            | UnlessSame { a, b, target, .. } => {
                r.slots.extend([a, b]);
                r.target = Some(target);
            }
            TypeError { a, .. } => r.slots.push(a),
            Call { dst, target, .. } | HoleCall { dst, target, .. } => {
                r.slots.push(dst);
                r.callee = Some(target);
            }
            Call1 { arg, dst, target, .. } | HoleCall1 { arg, dst, target, .. } => {
                r.slots.extend([arg, dst]);
                r.callee = Some(target);
            }
            Call2 { args, dst, target, .. } | HoleCall2 { args, dst, target, .. } => {
                r.slots.extend([args[0], args[1], dst]);
                r.callee = Some(target);
            }
            Call3 { args, dst, target, .. } | HoleCall3 { args, dst, target, .. } => {
                r.slots.extend([args[0], args[1], args[2], dst]);
                r.callee = Some(target);
            }
            Return { src, .. } | HoleReturn { src, .. } => {
                r.slots.push(src);
                r.falls_through = false;
            }
            ReturnConst { .. } | HoleReturnConst { .. } => r.falls_through = false,
        }
        r.allocates = matches!(
            self,
            Alloc1 { .. }
                | Alloc2 { .. }
                | Alloc3 { .. }
                | AllocN { .. }
                | Repeat { .. }
                | Hole1 { .. }
                | Hole2 { .. }
        );
        r.hole = matches!(
            self,
            Hole1 { .. } | Hole2 { .. } | Fill { .. } | HoleReturn { .. } | HoleReturnConst { .. }
        );
        r.words = self.words();
        r.base = match *self {
            Call { base, .. } | Call1 { base, .. } | Call2 { base, .. } | Call3 { base, .. } => base,
            HoleCall { base, .. } | HoleCall1 { base, .. } => base,
            HoleCall2 { base, .. } | HoleCall3 { base, .. } => base,
            _ => 0,
        };
        r
    }

    /// How many words a cell must have at least.
    fn words(&self) -> u32 {
        use Op::*;
        let behind = |offsets: &[u8]| offsets.iter().map(|&o| u32::from(o) + 1).max().unwrap_or(0);
        match *self {
            UnlessLoad1 { offset, .. } => behind(&[offset]),
            UnlessLoad2 { offset, .. } | Load2 { offset, .. } => behind(&offset),
            Load3 { offset, .. } => behind(&offset),
            Load1 { offset, .. } | Fill { offset, .. } => u32::from(offset) + 1,
            LoadWide { offset, .. } => u32::from(offset) + 2,
            Alloc1 { .. } | Repeat { .. } | Hole1 { .. } => 1,
            // The other word is at `1 - offset`.
            Hole2 { offset, .. } if offset > 1 => u32::MAX,
            Alloc2 { .. } | Hole2 { .. } => 2,
            Alloc3 { .. } => 3,
            _ => 0,
        }
    }
}

/// Checks the invariant of [`Code`]; one text a violation.
pub(super) fn verify(code: &Code) -> Vec<String> {
    let mut found = Vec::new();
    let len = code.ops.len();
    let mut starts: Vec<(usize, FunctionCode)> =
        code.functions.iter().map(|f| (f.entry as usize, *f)).collect();
    starts.sort_by_key(|s| s.0);
    let entries: gchr_base::hash::HashMap<Pc, FunctionCode> =
        code.functions.iter().map(|f| (f.entry, *f)).collect();
    if code.functions.iter().any(|f| usize::from(f.frame) > code.max_frame || f.params > f.frame) {
        found.push("a frame is larger than the largest, or smaller than its parameters".to_string());
    }
    if !matches!(code.ops.first(), Some(Op::Halt)) || code.map_of.len() != len || code.rule_of.len() != len {
        found.push("code has no halt, or tables of another length".to_string());
    }
    for (i, &(start, function)) in starts.iter().enumerate() {
        let end = starts.get(i + 1).map_or(len, |s| s.0);
        let inside = |pc: Pc| (start..end).contains(&(pc as usize));
        let frame = function.frame;
        for pc in start..end {
            let op = &code.ops[pc];
            let refs = op.refs();
            let mut fail = |what: &str| found.push(format!("{pc}: {op:?}: {what}"));
            if refs.slots.iter().any(|&s| s >= frame) {
                fail("slot outside the frame");
            }
            let words = refs.class.map_or(u32::MAX, |c| code.classes.get(c).copied().unwrap_or(0));
            if refs.class.is_some() && (words == 0 || refs.words > words) {
                fail("unknown class, or a word outside the cell");
            }
            if refs.allocates && code.map_of[pc] == NO_MAP {
                fail("an allocation has no map");
            }
            if refs.hole && !function.holes {
                fail("a function without holes uses one");
            }
            if refs.base > frame {
                fail("a callee's frame lies beyond the caller's");
            }
            let tail_call = matches!(op, Op::Loop { .. } | Op::Loop1 { .. } | Op::Loop2 { .. });
            let shares_frame = |t| tail_call && entries.get(&t).is_some_and(|f| f.holes == function.holes);
            if refs.target.is_some_and(|t| !(inside(t) || shares_frame(t))) {
                fail("target outside the function");
            }
            if refs.falls_through && pc + 1 == end {
                fail("control runs off the end");
            }
            if let Some(target) = refs.callee {
                let holes = matches!(
                    op,
                    Op::HoleCall { .. } | Op::HoleCall1 { .. } | Op::HoleCall2 { .. } | Op::HoleCall3 { .. }
                );
                if entries.get(&target).is_none_or(|f| f.holes != holes) || code.map_of[pc] == NO_MAP {
                    fail("a call does not fit its callee, or has no map");
                }
            }
            if matches!(op, Op::Return { .. } | Op::ReturnConst { .. }) && function.holes {
                fail("a return does not fill the hole");
            }
            match *op {
                Op::Switch { mask, table, .. } => {
                    let entries = code.tables.get(table as usize..table as usize + mask as usize + 1);
                    if entries.is_none_or(|e| e.iter().any(|&t| !inside(t))) {
                        fail("a jump table does not stay in the function");
                    }
                }
                Op::AllocN { first, fields, .. } => {
                    let operands = code.operands.get(first as usize..first as usize + fields as usize);
                    if operands.is_none_or(|o| {
                        o.iter().any(|o| o.slot >= frame || u32::from(o.offset) + u32::from(o.wide) >= words)
                    }) {
                        fail("operands outside the frame, or fields outside the cell");
                    }
                }
                Op::NoRule { index }
                    if code
                        .failures
                        .get(index as usize)
                        .is_none_or(|t| t.args.iter().any(|a| a.0 >= frame)) =>
                {
                    fail("error outside the frame");
                }
                Op::Trace { index }
                    if code
                        .traces
                        .get(index as usize)
                        .is_none_or(|t| t.args.iter().any(|a| a.0 >= frame)) =>
                {
                    fail("trace outside the frame");
                }
                _ => {}
            }
            if let Some(map) = code.maps.get(code.map_of[pc] as usize) {
                let roots = code.roots.get(map.first as usize..map.first as usize + map.len as usize);
                if roots.is_none_or(|r| r.iter().any(|r| r.0 >= frame)) {
                    fail("map outside the frame");
                }
            }
        }
    }
    found
}
