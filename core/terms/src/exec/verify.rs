//! Checks bytecode before it is executed: the interpreter's unchecked accesses rest on it.

use std::ops::Range;

use super::bytecode::*;
use gchr_base::hash::HashMap;
use gchr_base::signature::SortId;

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
    /// First slot after those that stay live during a call.
    base: Slot,
    falls_through: bool,
}

impl Refs {
    fn slots(slots: &[Slot]) -> Self {
        Refs { slots: slots.to_vec(), falls_through: true, ..Refs::default() }
    }
    /// Control does not reach the next instruction.
    fn ends(self) -> Self {
        Refs { falls_through: false, ..self }
    }
    fn target(self, target: Pc) -> Self {
        Refs { target: Some(target), ..self }
    }
    fn callee(self, callee: Pc) -> Self {
        Refs { callee: Some(callee), ..self }
    }
    fn class(self, class: impl Into<usize>) -> Self {
        Refs { class: Some(class.into()), ..self }
    }
}

impl Instr {
    fn refs(&self) -> Refs {
        Refs {
            words: self.words(),
            allocates: self.allocates(),
            hole: self.uses_hole(),
            base: self.callee_base(),
            ..self.operands()
        }
    }

    /// Slots, targets and classes.
    fn operands(&self) -> Refs {
        use Instr::*;
        match *self {
            Count { .. } | Trace { .. } | Tally { .. } => Refs::slots(&[]),
            NoRule { .. } => Refs::slots(&[]).ends(),
            NoValue { dst, .. } => Refs::slots(&[dst]),
            Halt => Refs::slots(&[0]).ends(),
            Const { dst, .. } => Refs::slots(&[dst]),
            Move { dst, src } => Refs::slots(&[dst, src]),
            Move2 { dst, src } => Refs::slots(&[dst, src].concat()),
            Move3 { dst, src } => Refs::slots(&[dst, src].concat()),
            Jump { target, .. } | Loop { target, .. } => Refs::slots(&[]).target(target).ends(),
            Loop1 { dst, src, target, .. } => Refs::slots(&[dst, src]).target(target).ends(),
            Loop2 { dst, src, target, .. } => Refs::slots(&[dst, src].concat()).target(target).ends(),
            Unless { src, target, .. } | UnlessConst { src, target, .. } => {
                Refs::slots(&[src]).target(target)
            }
            UnlessLoad1 { class, src, dst, target, .. } => {
                Refs::slots(&[src, dst]).class(class).target(target)
            }
            UnlessLoad2 { class, src, dst, target, .. } => {
                Refs::slots(&[src, dst[0], dst[1]]).class(class).target(target)
            }
            Switch { src, .. } | Search { src, .. } => Refs::slots(&[src]).ends(),
            Load1 { src, dst, class, .. } | LoadWide { src, dst, class, .. } => {
                Refs::slots(&[src, dst]).class(class)
            }
            Load2 { src, dst, class, .. } => Refs::slots(&[src, dst[0], dst[1]]).class(class),
            Load3 { src, dst, class, .. } => Refs::slots(&[src, dst[0], dst[1], dst[2]]).class(class),
            Alloc1 { dst, class, a, .. } => Refs::slots(&[dst, a]).class(class),
            Alloc2 { dst, class, args, .. } => Refs::slots(&[dst, args[0], args[1]]).class(class),
            Alloc3 { dst, class, args, .. } => Refs::slots(&[dst, args[0], args[1], args[2]]).class(class),
            AllocN { dst, class, .. } => Refs::slots(&[dst]).class(class),
            Repeat { dst, class, arg, .. } => Refs::slots(&[dst, arg]).class(class),
            Hole1 { class, .. } => Refs::slots(&[]).class(class),
            Hole2 { class, other, .. } => Refs::slots(&[other]).class(class),
            Fill { root, cell, class, .. } => Refs::slots(&[root, cell]).class(class),
            Int { dst, a, b, .. }
            | AddInt { dst, a, b, .. }
            | SubInt { dst, a, b, .. }
            | Big { dst, a, b, .. }
            | CompareBig { dst, a, b, .. }
            | Float { dst, a, b, .. }
            | CompareInt { dst, a, b, .. }
            | CompareFloat { dst, a, b, .. }
            | CompareTerm { dst, a, b, .. } => Refs::slots(&[dst, a, b]),
            IntToFloat { dst, a } | FloatToInt { dst, a, .. } => Refs::slots(&[dst, a]),
            UnlessInt { a, b, target, .. }
            | UnlessBig { a, b, target, .. }
            | UnlessFloat { a, b, target, .. }
            | UnlessSame { a, b, target, .. } => Refs::slots(&[a, b]).target(target),
            TypeError { a, .. } => Refs::slots(&[a]),
            Call { dst, target, .. } | HoleCall { dst, target, .. } => Refs::slots(&[dst]).callee(target),
            Call1 { arg, dst, target, .. } | HoleCall1 { arg, dst, target, .. } => {
                Refs::slots(&[arg, dst]).callee(target)
            }
            Call2 { args, dst, target, .. } | HoleCall2 { args, dst, target, .. } => {
                Refs::slots(&[args[0], args[1], dst]).callee(target)
            }
            Call3 { args, dst, target, .. } | HoleCall3 { args, dst, target, .. } => {
                Refs::slots(&[args[0], args[1], args[2], dst]).callee(target)
            }
            Return { src, .. } | HoleReturn { src, .. } => Refs::slots(&[src]).ends(),
            ReturnConst { .. } | HoleReturnConst { .. } => Refs::slots(&[]).ends(),
        }
    }

    /// Whether it may collect, and so needs a map of roots.
    fn allocates(&self) -> bool {
        use Instr::*;
        matches!(
            self,
            Alloc1 { .. }
                | Alloc2 { .. }
                | Alloc3 { .. }
                | AllocN { .. }
                | Repeat { .. }
                | Hole1 { .. }
                | Hole2 { .. }
                | Big { .. }
        )
    }

    /// Whether it reads or writes the hole of the frame.
    fn uses_hole(&self) -> bool {
        use Instr::*;
        matches!(self, Hole1 { .. } | Hole2 { .. } | Fill { .. } | HoleReturn { .. } | HoleReturnConst { .. })
    }

    /// Whether it calls a function that fills a hole.
    fn is_hole_call(&self) -> bool {
        use Instr::*;
        matches!(self, HoleCall { .. } | HoleCall1 { .. } | HoleCall2 { .. } | HoleCall3 { .. })
    }

    /// First slot after those that stay live during a call.
    fn callee_base(&self) -> Slot {
        use Instr::*;
        match *self {
            Call { base, .. } | Call1 { base, .. } | Call2 { base, .. } | Call3 { base, .. } => base,
            HoleCall { base, .. } | HoleCall1 { base, .. } => base,
            HoleCall2 { base, .. } | HoleCall3 { base, .. } => base,
            _ => 0,
        }
    }

    /// How many words a cell must have at least.
    fn words(&self) -> u32 {
        use Instr::*;
        let end = |offsets: &[u8]| offsets.iter().map(|&o| u32::from(o) + 1).max().unwrap_or(0);
        match *self {
            UnlessLoad1 { offset, .. } => end(&[offset]),
            UnlessLoad2 { offset, .. } | Load2 { offset, .. } => end(&offset),
            Load3 { offset, .. } => end(&offset),
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

/// Checks the invariant of [`Code`]; one text per violation.
pub(super) fn verify(code: &Code) -> Vec<String> {
    let entries = code.functions.iter().map(|f| (f.entry, *f)).collect();
    let mut check = CodeCheck { code, entries, violations: Vec::new() };
    check.tables();
    let mut starts: Vec<(usize, FunctionCode)> =
        code.functions.iter().map(|f| (f.entry as usize, *f)).collect();
    starts.sort_by_key(|s| s.0);
    for (i, &(start, function)) in starts.iter().enumerate() {
        let end = starts.get(i + 1).map_or(code.ops.len(), |s| s.0);
        for pc in start..end {
            check.instruction(pc, start..end, function);
        }
    }
    check.violations
}

struct CodeCheck<'a> {
    code: &'a Code,
    /// Functions by their first instruction.
    entries: HashMap<Pc, FunctionCode>,
    violations: Vec<String>,
}

impl CodeCheck<'_> {
    fn tables(&mut self) {
        let Code { ops, functions, max_frame, map_of, rule_of, .. } = self.code;
        if functions.iter().any(|f| usize::from(f.frame) > *max_frame || f.params > f.frame) {
            self.violations.push("a frame is larger than the largest, or smaller than its parameters".into());
        }
        if !matches!(ops.first(), Some(Instr::Halt))
            || map_of.len() != ops.len()
            || rule_of.len() != ops.len()
        {
            self.violations.push("code has no halt, or tables of another length".into());
        }
    }

    /// Checks one instruction of a function, whose instructions are `body`.
    fn instruction(&mut self, pc: usize, body: Range<usize>, function: FunctionCode) {
        let (code, entries) = (self.code, &self.entries);
        let op = &code.ops[pc];
        let mut require = |holds: bool, what: &str| {
            if !holds {
                self.violations.push(format!("{pc}: {op:?}: {what}"));
            }
        };
        let inside = |pc: Pc| body.contains(&(pc as usize));
        let refs = op.refs();
        require(refs.slots.iter().all(|&s| s < function.frame), "slot outside the frame");
        let words = words_of(code, &refs);
        require(
            refs.class.is_none() || (words > 0 && refs.words <= words),
            "unknown class, or a word outside the cell",
        );
        let has_map = code.map_of[pc] != NO_MAP;
        require(!refs.allocates || has_map, "an allocation has no map");
        require(!refs.hole || function.holes, "a function without holes uses one");
        require(refs.base <= function.frame, "a callee's frame lies beyond the caller's");
        let tail_call = matches!(op, Instr::Loop { .. } | Instr::Loop1 { .. } | Instr::Loop2 { .. });
        let shares_frame = |t| tail_call && entries.get(&t).is_some_and(|f| f.holes == function.holes);
        require(refs.target.is_none_or(|t| inside(t) || shares_frame(t)), "target outside the function");
        require(!refs.falls_through || pc + 1 < body.end, "control runs off the end");
        let fits = |callee: Pc| entries.get(&callee).is_some_and(|f| f.holes == op.is_hole_call());
        require(
            refs.callee.is_none_or(|callee| fits(callee) && has_map),
            "a call does not fit its callee, or has no map",
        );
        let returns = matches!(op, Instr::Return { .. } | Instr::ReturnConst { .. });
        require(!returns || !function.holes, "a return does not fill the hole");
        self.indirect(pc, &body, function.frame);
    }

    /// Checks the entries of tables that an instruction refers to.
    fn indirect(&mut self, pc: usize, body: &Range<usize>, frame: Slot) {
        let code = self.code;
        let op = &code.ops[pc];
        let args_fit = |args: &[(Slot, SortId)]| args.iter().all(|a| a.0 < frame);
        let violation = match *op {
            Instr::Switch { mask, table, .. } => {
                let entries = code.tables.get(table as usize..table as usize + mask as usize + 1);
                let fits = entries.is_some_and(|e| e.iter().all(|&t| body.contains(&(t as usize))));
                (!fits).then_some("a jump table does not stay in the function")
            }
            Instr::Search { count, table, .. } => {
                let (start, count) = (table as usize, usize::from(count));
                let entries = code.tables.get(start..start + 2 * count + 1);
                let fits = entries.is_some_and(|e| {
                    e[..count].is_sorted_by(|a, b| a < b)
                        && e[count..].iter().all(|&t| body.contains(&(t as usize)))
                });
                (!fits).then_some("tags are not ascending, or a jump does not stay in the function")
            }
            Instr::AllocN { first, fields, .. } => {
                let words = words_of(code, &op.refs());
                let operands = code.operands.get(first as usize..first as usize + fields as usize);
                let fits = |o: &Operand| o.slot < frame && u32::from(o.offset) + u32::from(o.wide) < words;
                let fits = operands.is_some_and(|o| o.iter().all(fits));
                (!fits).then_some("operands outside the frame, or fields outside the cell")
            }
            Instr::NoRule { index } | Instr::NoValue { index, .. } => {
                let site = code.failures.get(index as usize);
                (!site.is_some_and(|s| args_fit(&s.args))).then_some("error outside the frame")
            }
            Instr::Trace { index } => {
                let point = code.traces.get(index as usize);
                (!point.is_some_and(|p| args_fit(&p.args))).then_some("trace outside the frame")
            }
            _ => None,
        };
        let map = code.maps.get(code.map_of[pc] as usize).is_none_or(|map| {
            let roots = code.roots.get(map.first as usize..map.first as usize + map.len as usize);
            roots.is_some_and(|r| r.iter().all(|r| r.0 < frame))
        });
        let violations = violation.into_iter().chain((!map).then_some("map outside the frame"));
        self.violations.extend(violations.map(|what| format!("{pc}: {op:?}: {what}")));
    }
}

/// Words of the cells of the class that an instruction names; unlimited when it names none, 0 when there is no such
/// class.
fn words_of(code: &Code, refs: &Refs) -> u32 {
    refs.class.map_or(u32::MAX, |c| code.classes.get(c).copied().unwrap_or(0))
}
