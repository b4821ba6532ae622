//! The interpreter: executes verified bytecode on an explicit stack.
//!
//! A frame lies right above the live slots of its caller: `[root, hole,] return, slots...`. `return` packs the position
//! after the call, the distance to the caller's frame and the slot for the result. `hole` is the address of the field
//! that the result goes into; at first that is `root` itself, so that a return always stores through the hole and hands
//! out the root, whether cells have been put around the call or not.

mod slow;

use crate::exec::bytecode::*;
use crate::exec::compare;
use crate::exec::heap::{Bump, Full, Heap};
use crate::exec::integers;
use crate::exec::run::{Run, Stop};
use crate::exec::start::Engine;
use crate::exec::tally::Tally;
use crate::plan::FunctionId;
use gchr_base::error::{RunError, StopReason};
use gchr_base::memory::Reservation;
use gchr_base::op::ArithmeticError;
use gchr_base::signature::SortId;

/// The stack is taken in steps of this many bytes.
const STACK_STEP: u64 = 1 << 20;
/// Everything a run needs.
pub(super) struct Machine<'a, 'c> {
    pub(super) run: Run<'a, 'c>,
    code: &'a Code,
    stack: Reservation,
    /// First address at which no frame may start: leaves room for the largest frame.
    stack_end: *mut u64,
    /// Fuel when the machine is not in its loop.
    fuel: i64,
    /// Sort of the outermost frame's root, if it has one.
    outermost: Option<SortId>,
    tally: Tally,
}

type Fp = *mut u64;

impl<'a, 'c> Machine<'a, 'c> {
    pub(super) fn new(run: Run<'a, 'c>, code: &'a Code, mut stack: Reservation) -> Self {
        let stack_end = stack.base().cast();
        let tally = Tally::new(code, run.control);
        let fuel = run.granted();
        Self { run, code, stack, stack_end, fuel, outermost: None, tally }
    }

    /// Address space for the frames of a run that may take so much memory.
    pub(super) fn stack(code: &Code, memory: u64) -> Option<Reservation> {
        let least = (code.max_frame as u64 + 4096) * 16;
        Reservation::new(memory.max(least), least)
    }

    /// The parts that another run can reuse.
    pub(super) fn into_parts(self) -> (Heap, Reservation) {
        (self.run.heap, self.stack)
    }

    /// Rule applications so far.
    pub(super) fn steps(&self) -> u64 {
        self.run.steps(self.fuel)
    }

    /// Reports the end of a recorded run.
    pub(super) fn report(&mut self) {
        self.run.record(self.fuel);
        self.tally.report(self.code, self.run.control);
    }

    /// The step limit is exceeded, even if the run is done.
    pub(super) fn over_limit(&self) -> Option<RunError> {
        self.run.over_limit(self.fuel)
    }

    fn enter(&mut self, function: FunctionCode, args: &[u64]) -> Result<u64, Stop> {
        let base: Fp = self.stack.base().cast();
        self.outermost = function.holes.then_some(function.result);
        // SAFETY: the reservation holds the largest frame twice and more (see `new`), so that the outermost frame with
        // slot 0 for the result, the header and the arguments fit. The map of position 0 has no slots.
        let fp = unsafe {
            *base = 0;
            let header = if function.holes { HOLE_HEADER } else { PLAIN_HEADER };
            let fp = base.add(1 + header);
            *fp.sub(1) = return_word(0, 1 + header as u64, 0);
            if function.holes {
                open_hole(fp);
            }
            for (i, &arg) in args.iter().enumerate() {
                *fp.add(i) = arg;
            }
            fp
        };
        if self.stack_end <= base {
            self.grow_stack(base, self.fuel)?;
        }
        self.execute(function, fp)?;
        // SAFETY: the outermost frame's slot 0, written by the return.
        Ok(unsafe { *base })
    }

    #[expect(clippy::too_many_lines, reason = "one arm an instruction")]
    fn execute(&mut self, function: FunctionCode, mut fp: Fp) -> Result<(), Stop> {
        let code: &'a Code = self.code;
        let ops: *const Instr = code.ops.as_ptr();
        let bumps: *mut Bump = self.run.heap.bumps();
        let mut fuel = self.fuel;
        // SAFETY: (all unsafe code below) the bytecode is verified (see `Code`): slots are inside frames, and a frame
        // that starts below `stack_end` is inside the reservation; targets are inside the code; classes exist. Values
        // are made by `Alloc*` from indices below the arena's `high`, and plans are well-sorted, so that a value whose
        // tag was tested names an initialised cell of the class given in the instruction. Holes are fields of live
        // cells or roots on the stack.
        let mut ip = unsafe { ops.add(function.entry as usize) };

        macro_rules! slot {
            ($s:expr) => {
                *fp.add($s as usize)
            };
        }
        macro_rules! at {
            () => {
                ip.offset_from(ops) as usize
            };
        }
        macro_rules! goto {
            ($target:expr) => {{
                ip = ops.add($target as usize);
                continue;
            }};
        }
        macro_rules! stop {
            ($stop:expr) => {{
                self.fuel = fuel;
                return Err($stop);
            }};
        }
        macro_rules! burn {
            ($count:expr) => {
                fuel -= $count as i64;
                if fuel < 0 {
                    match self.run.refuel(fuel) {
                        Ok(new) => fuel = new,
                        Err(reason) => {
                            let rule = code.rule_at(at!());
                            stop!(Stop { reason, rule, span: None });
                        }
                    }
                }
            };
        }
        // Address of a cell; fields are read from there.
        macro_rules! cell {
            ($value:expr, $class:expr) => {{
                let bump = bumps.add($class as usize);
                (*bump).base.add(($value as u32 >> (*bump).shift) as usize * (*bump).words as usize)
            }};
        }
        macro_rules! alloc {
            ($class:expr, $tag:expr, |$cell:ident, $value:ident| $fill:expr) => {{
                let bump = bumps.add($class as usize);
                if (*bump).next == (*bump).end {
                    match self.slow_alloc($class as usize, fp, at!(), fuel) {
                        Ok(()) => {}
                        Err(stop) => {
                            fuel -= i64::from(self.pending(at!()));
                            stop!(stop);
                        }
                    }
                }
                let index = (*bump).next;
                (*bump).next = index + 1;
                let $cell = (*bump).base.add(index as usize * (*bump).words as usize);
                let $value = u64::from((index << (*bump).shift) | u32::from($tag));
                $fill
            }};
        }
        macro_rules! call {
            ($count:expr, $base:expr, $dst:expr, $target:expr, $header:expr, [$($arg:expr),*]) => {{
                let delta = $base as usize + $header;
                let new = fp.add(delta);
                burn!($count);
                if new >= self.stack_end {
                    if let Err(reason) = self.grow_stack(new, fuel) {
                        let rule = code.rule_at(at!());
                        stop!(Stop { reason, rule, span: None });
                    }
                }
                let args: [u64; 0 $(+ { let _ = stringify!($arg); 1 })*] = [$(slot!($arg)),*];
                *new.sub(1) = return_word(at!() as u64 + 1, delta as u64, $dst as u64);
                if $header == HOLE_HEADER {
                    open_hole(new);
                }
                for (i, arg) in args.into_iter().enumerate() {
                    *new.add(i) = arg;
                }
                fp = new;
                goto!($target);
            }};
        }
        macro_rules! ret {
            ($value:expr, $count:expr) => {{
                let value: u64 = $value;
                fuel -= $count as i64;
                let word = *fp.sub(1);
                fp = fp.sub((word >> 16) as u16 as usize);
                slot!(word as u16) = value;
                goto!(word >> 32);
            }};
        }
        macro_rules! same {
            ($a:expr, $b:expr, $sort:expr) => {{
                let (a, b) = (slot!($a) as u32, slot!($b) as u32);
                if a == b {
                    true
                } else {
                    match self.run.same(SortId($sort.into()), a, b, fuel) {
                        Ok(same) => same,
                        Err(reason) => {
                            let rule = code.rule_at(at!());
                            stop!(Stop { reason, rule, span: None });
                        }
                    }
                }
            }};
        }
        macro_rules! big {
            ($op:expr, $a:expr, $b:expr) => {{
                match self.run.heap.integers().holds($op, slot!($a), slot!($b)) {
                    Some(holds) => holds,
                    None => {
                        let reason = self.run.no_number($op, slot!($a), slot!($b));
                        let rule = code.rule_at(at!());
                        stop!(Stop { reason, rule, span: None });
                    }
                }
            }};
        }
        macro_rules! arithmetic {
            ($site:expr, $a:expr, $b:expr, $result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(error) => {
                        fuel -= i64::from(code.sites[$site as usize].pending);
                        stop!(self.arithmetic($site, error, &[$a, $b]));
                    }
                }
            };
        }

        // SAFETY: see above.
        unsafe {
            loop {
                match *ip {
                    Instr::Halt => {
                        self.fuel = fuel;
                        return Ok(());
                    }
                    Instr::Count { count } => fuel -= i64::from(count),
                    Instr::Const { dst, value } => slot!(dst) = value,
                    Instr::Move { dst, src } => slot!(dst) = slot!(src),
                    Instr::Move2 { dst, src } => {
                        let (a, b) = (slot!(src[0]), slot!(src[1]));
                        slot!(dst[0]) = a;
                        slot!(dst[1]) = b;
                    }
                    Instr::Move3 { dst, src } => {
                        let (a, b, c) = (slot!(src[0]), slot!(src[1]), slot!(src[2]));
                        slot!(dst[0]) = a;
                        slot!(dst[1]) = b;
                        slot!(dst[2]) = c;
                    }
                    Instr::Jump { target, count } => {
                        fuel -= i64::from(count);
                        goto!(target);
                    }
                    Instr::Loop { target, count } => {
                        burn!(count);
                        goto!(target);
                    }
                    Instr::Loop1 { count, dst, src, target } => {
                        slot!(dst) = slot!(src);
                        burn!(count);
                        goto!(target);
                    }
                    Instr::Loop2 { count, dst, src, target } => {
                        let (a, b) = (slot!(src[0]), slot!(src[1]));
                        slot!(dst[0]) = a;
                        slot!(dst[1]) = b;
                        burn!(count);
                        goto!(target);
                    }
                    Instr::Unless { src, mask, tag, target } => {
                        if slot!(src) as u16 & mask != tag {
                            goto!(target);
                        }
                    }
                    Instr::UnlessLoad1 { tag, mask, class, offset, src, dst, target } => {
                        let value = slot!(src);
                        if value as u8 & mask != tag {
                            goto!(target);
                        }
                        slot!(dst) = u64::from(*cell!(value, class).add(offset as usize));
                    }
                    Instr::UnlessLoad2 { tag, mask, class, offset, src, dst, target } => {
                        let value = slot!(src);
                        if value as u8 & mask != tag {
                            goto!(target);
                        }
                        let cell = cell!(value, class);
                        let (a, b) = (*cell.add(offset[0] as usize), *cell.add(offset[1] as usize));
                        slot!(dst[0]) = u64::from(a);
                        slot!(dst[1]) = u64::from(b);
                    }
                    Instr::Switch { src, mask, table } => {
                        let tag = slot!(src) as u16 & mask;
                        goto!(*code.tables.as_ptr().add(table as usize + tag as usize));
                    }
                    Instr::Search { src, mask, count, table } => {
                        let tag = u32::from(slot!(src) as u16 & mask);
                        let count = usize::from(count);
                        let entries = code.tables.as_ptr().add(table as usize);
                        let tags = std::slice::from_raw_parts(entries, count);
                        let at = tags.binary_search(&tag).unwrap_or(count);
                        goto!(*entries.add(count + at));
                    }
                    Instr::Load1 { src, dst, class, offset } => {
                        slot!(dst) = u64::from(*cell!(slot!(src), class).add(offset as usize));
                    }
                    Instr::Load2 { src, dst, class, offset } => {
                        let cell = cell!(slot!(src), class);
                        let (a, b) = (*cell.add(offset[0] as usize), *cell.add(offset[1] as usize));
                        slot!(dst[0]) = u64::from(a);
                        slot!(dst[1]) = u64::from(b);
                    }
                    Instr::Load3 { src, dst, class, offset } => {
                        let cell = cell!(slot!(src), class);
                        let (a, b) = (*cell.add(offset[0] as usize), *cell.add(offset[1] as usize));
                        let c = *cell.add(offset[2] as usize);
                        slot!(dst[0]) = u64::from(a);
                        slot!(dst[1]) = u64::from(b);
                        slot!(dst[2]) = u64::from(c);
                    }
                    Instr::LoadWide { src, dst, class, offset } => {
                        let field = cell!(slot!(src), class).add(offset as usize);
                        slot!(dst) = field.cast::<u64>().read_unaligned();
                    }
                    Instr::Alloc1 { dst, tag, class, a } => alloc!(class, tag, |cell, value| {
                        *cell = slot!(a) as u32;
                        slot!(dst) = value;
                    }),
                    Instr::Alloc2 { dst, tag, class, args } => alloc!(class, tag, |cell, value| {
                        *cell = slot!(args[0]) as u32;
                        *cell.add(1) = slot!(args[1]) as u32;
                        slot!(dst) = value;
                    }),
                    Instr::Alloc3 { dst, tag, class, args } => alloc!(class, tag, |cell, value| {
                        *cell = slot!(args[0]) as u32;
                        *cell.add(1) = slot!(args[1]) as u32;
                        *cell.add(2) = slot!(args[2]) as u32;
                        slot!(dst) = value;
                    }),
                    Instr::AllocN { dst, tag, class, fields, first } => alloc!(class, tag, |cell, value| {
                        for operand in &code.operands[first as usize..][..fields as usize] {
                            let field = cell.add(operand.offset as usize);
                            if operand.wide {
                                field.cast::<u64>().write_unaligned(slot!(operand.slot));
                            } else {
                                *field = slot!(operand.slot) as u32;
                            }
                        }
                        slot!(dst) = value;
                    }),
                    Instr::Repeat { dst, tag, class, arg, count } => {
                        // What is built so far is kept in the argument's slot, which the collector knows; its old value
                        // is restored for later readers.
                        let original = slot!(arg);
                        let kept = self.run.values.len();
                        self.run.values.push((self.repeat_sort(at!(), arg), original));
                        for _ in 0..count {
                            alloc!(class, tag, |cell, value| {
                                *cell = slot!(arg) as u32;
                                slot!(arg) = value;
                            });
                        }
                        self.run.values.truncate(kept);
                        let value = slot!(arg);
                        slot!(arg) = original;
                        slot!(dst) = value;
                    }
                    Instr::Hole1 { tag, class } => alloc!(class, tag, |cell, value| {
                        *cell = 0;
                        fill_hole(fp, value, cell);
                    }),
                    Instr::Hole2 { tag, class, other, offset } => alloc!(class, tag, |cell, value| {
                        let hole = cell.add(offset as usize);
                        *hole = 0;
                        *cell.add(1 - offset as usize) = slot!(other) as u32;
                        fill_hole(fp, value, hole);
                    }),
                    Instr::Fill { root, cell, class, offset } => {
                        let hole = cell!(slot!(cell), class).add(offset as usize);
                        fill_hole(fp, slot!(root), hole);
                    }
                    Instr::AddInt { dst, a, b, site } => {
                        let (a, b) = (slot!(a), slot!(b));
                        let sum =
                            a.cast_signed().checked_add(b.cast_signed()).ok_or(ArithmeticError::Overflow);
                        slot!(dst) = arithmetic!(site, a, b, sum).cast_unsigned();
                    }
                    Instr::SubInt { dst, a, b, site } => {
                        let (a, b) = (slot!(a), slot!(b));
                        let difference =
                            a.cast_signed().checked_sub(b.cast_signed()).ok_or(ArithmeticError::Overflow);
                        slot!(dst) = arithmetic!(site, a, b, difference).cast_unsigned();
                    }
                    Instr::Int { op, dst, a, b, site } => {
                        let (a, b) = (slot!(a), slot!(b));
                        let result = op.int(a.cast_signed(), b.cast_signed());
                        slot!(dst) = arithmetic!(site, a, b, result).cast_unsigned();
                    }
                    Instr::Big { op, dst, a, b, site } => {
                        let (a, b) = (slot!(a), slot!(b));
                        slot!(dst) = match integers::small(op, a, b) {
                            Some(value) => value,
                            None => match self.big(site, [a, b], fp, at!(), fuel) {
                                Ok(value) => value,
                                Err(stop) => {
                                    fuel -= i64::from(code.sites[site as usize].pending);
                                    stop!(stop);
                                }
                            },
                        };
                    }
                    Instr::Float { op, dst, a, b, site } => {
                        let (a, b) = (slot!(a), slot!(b));
                        let result = op.float(f64::from_bits(a), f64::from_bits(b));
                        slot!(dst) = arithmetic!(site, a, b, result).to_bits();
                    }
                    Instr::IntToFloat { dst, a } => slot!(dst) = (slot!(a).cast_signed() as f64).to_bits(),
                    Instr::FloatToInt { op, dst, a, site } => {
                        let a = slot!(a);
                        slot!(dst) =
                            arithmetic!(site, a, a, op.float_to_int(f64::from_bits(a))).cast_unsigned();
                    }
                    Instr::CompareInt { op, dst, a, b, yes, no } => {
                        let holds = compare::ints(op, slot!(a), slot!(b));
                        slot!(dst) = u64::from(if holds { yes } else { no });
                    }
                    Instr::CompareBig { op, dst, a, b, yes, no } => {
                        let holds = big!(op, a, b);
                        slot!(dst) = u64::from(if holds { yes } else { no });
                    }
                    Instr::CompareFloat { op, dst, a, b, yes, no } => {
                        let holds = compare::floats(op, slot!(a), slot!(b));
                        slot!(dst) = u64::from(if holds { yes } else { no });
                    }
                    Instr::CompareTerm { negated, dst, a, b, sort, yes, no } => {
                        let same = same!(a, b, sort);
                        slot!(dst) = u64::from(if same != negated { yes } else { no });
                    }
                    Instr::UnlessInt { op, a, b, target } => {
                        if !compare::ints(op, slot!(a), slot!(b)) {
                            goto!(target);
                        }
                    }
                    Instr::UnlessBig { op, a, b, target } => {
                        if !big!(op, a, b) {
                            goto!(target);
                        }
                    }
                    Instr::UnlessFloat { op, a, b, target } => {
                        if !compare::floats(op, slot!(a), slot!(b)) {
                            goto!(target);
                        }
                    }
                    Instr::UnlessConst { src, target, value } => {
                        if slot!(src) != value {
                            goto!(target);
                        }
                    }
                    Instr::UnlessSame { a, b, sort, target } => {
                        if !same!(a, b, sort) {
                            goto!(target);
                        }
                    }
                    Instr::TypeError { a, sort, site, .. } => {
                        fuel -= i64::from(code.sites[site as usize].pending);
                        stop!(self.type_error(site, SortId(sort.into()), slot!(a)));
                    }
                    Instr::Call { count, base, dst, target } => {
                        call!(count, base, dst, target, PLAIN_HEADER, [])
                    }
                    Instr::Call1 { count, arg, base, dst, target } => {
                        call!(count, base, dst, target, PLAIN_HEADER, [arg])
                    }
                    Instr::Call2 { count, args: [a, b], base, dst, target } => {
                        call!(count, base, dst, target, PLAIN_HEADER, [a, b])
                    }
                    Instr::Call3 { count, args: [a, b, c], base, dst, target } => {
                        call!(count, base, dst, target, PLAIN_HEADER, [a, b, c])
                    }
                    Instr::HoleCall { count, base, dst, target } => {
                        call!(count, base, dst, target, HOLE_HEADER, [])
                    }
                    Instr::HoleCall1 { count, arg, base, dst, target } => {
                        call!(count, base, dst, target, HOLE_HEADER, [arg])
                    }
                    Instr::HoleCall2 { count, args: [a, b], base, dst, target } => {
                        call!(count, base, dst, target, HOLE_HEADER, [a, b])
                    }
                    Instr::HoleCall3 { count, args: [a, b, c], base, dst, target } => {
                        call!(count, base, dst, target, HOLE_HEADER, [a, b, c])
                    }
                    Instr::Return { src, count } => ret!(slot!(src), count),
                    Instr::ReturnConst { value, count } => ret!(u64::from(value), count),
                    Instr::HoleReturn { src, count } => ret!(close_hole(fp, slot!(src) as u32), count),
                    Instr::HoleReturnConst { value, count } => ret!(close_hole(fp, value), count),
                    Instr::NoValue { index, dst } => {
                        let failure = &code.failures[index as usize];
                        slot!(dst) = self.no_value(failure.symbol, &failure.args, fp).unwrap_or_default();
                    }
                    Instr::NoRule { index } => {
                        let failure = &code.failures[index as usize];
                        if let Some(value) = self.no_value(failure.symbol, &failure.args, fp) {
                            ret!(value, failure.pending);
                        }
                        fuel -= i64::from(failure.pending);
                        let redex = self.application(failure.symbol, &failure.args, fp);
                        let rule = code.rule_at(at!());
                        let reason = StopReason::NoRule { redex, symbol: Some(failure.symbol) };
                        stop!(Stop { reason, rule, span: None });
                    }
                    Instr::Trace { index } => {
                        if let Err(stop) = self.trace(index, fp, fuel) {
                            fuel -= i64::from(code.traces[index as usize].pending);
                            stop!(stop);
                        }
                    }
                    Instr::Tally { block } => {
                        if let Err(stop) = self.enter_block(block, fuel) {
                            fuel -= i64::from(code.blocks[block as usize].pending);
                            stop!(stop);
                        }
                    }
                }
                ip = ip.add(1);
            }
        }
    }
}

impl<'a, 'c> Engine<'a, 'c> for Machine<'a, 'c> {
    fn run(&mut self) -> &mut Run<'a, 'c> {
        &mut self.run
    }

    fn fuel(&self) -> i64 {
        self.fuel
    }

    fn apply(&mut self, function: FunctionId, args: &[u64]) -> Result<u64, RunError> {
        let code = self.code.function(function);
        self.enter(code, args).map_err(|stop| self.run.error(self.fuel, stop))
    }

    fn big_integers(&self) -> bool {
        self.run.plan.layout.big_integers
    }

    fn cell(&mut self, class: usize, tag: u32, words: &[u32]) -> Result<u64, RunError> {
        let mut stored = self.run.heap.store_collecting(class, tag, words, &self.run.values);
        // No call is pending.
        let base = self.stack.base().cast();
        if stored == Err(Full::Memory) && self.trim_stack(base) {
            stored = self.run.heap.store_collecting(class, tag, words, &self.run.values);
        }
        stored.map_err(|full| self.run.error(self.fuel, self.run.full(full, class).into()))
    }
}

/// Position after the call, distance to the caller's frame, slot for the result.
#[inline(always)]
fn return_word(pc: u64, delta: u64, dst: u64) -> u64 {
    pc << 32 | delta << 16 | dst
}

/// A new frame's hole: its own root.
///
/// # Safety
/// `fp` has a header for holes below it.
#[inline(always)]
unsafe fn open_hole(fp: Fp) {
    // SAFETY: by the contract.
    unsafe {
        *fp.sub(3) = 0;
        *fp.sub(2) = fp.sub(3) as u64;
    }
}

/// Puts a value into the frame's hole; `next` is the hole from now on.
///
/// # Safety
/// `fp` has a header for holes below it, and its hole is a field of a live cell or the frame's root.
#[inline(always)]
unsafe fn fill_hole(fp: Fp, value: u64, next: *mut u32) {
    // SAFETY: by the contract.
    unsafe {
        let hole = *fp.sub(2) as *mut u32;
        *hole = value as u32;
        *fp.sub(2) = next as u64;
    }
}

/// Puts the last value into the frame's hole and gives the root.
///
/// # Safety
/// As for [`fill_hole`].
#[inline(always)]
unsafe fn close_hole(fp: Fp, value: u32) -> u64 {
    // SAFETY: by the contract. The root is written as 32 bits at the address of a zeroed slot, and read back the same
    // way.
    unsafe {
        let hole = *fp.sub(2) as *mut u32;
        *hole = value;
        u64::from(*fp.sub(3).cast::<u32>())
    }
}
