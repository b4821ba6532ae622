//! Ends of blocks: returns, tail calls, contexts, tests and matches.

use super::Assembler;
use crate::exec::bytecode::*;
use crate::plan::live::LocalSet;
use crate::plan::*;
use gchr_base::op::Op;
use gchr_base::signature::{SortKind, SymbolId};

/// Tags of a sort for which a table of jumps takes little room, however few of them are looked for.
const SMALL_TABLE: usize = if cfg!(test) { 4 } else { 256 };
/// Tags for each that is looked for in a larger table.
const SPARSE: usize = if cfg!(test) { 1 } else { 16 };

impl Assembler<'_> {
    pub(super) fn end(&mut self, end: &End, live: &LocalSet, after: &LocalSet) {
        self.keep_only(live);
        match end {
            End::Return(value) => self.ret(*value),
            End::TailCall { function, args } => {
                let params: Vec<Slot> = (0..args.len() as Slot).collect();
                let at = self.close(&params, args, 0);
                self.calls.push((at, *function));
            }
            End::NoRule { symbol, args } => {
                let index = self.code.failures.len() as u32;
                let args = args.iter().map(|&a| (self.slot(a), self.function.sort(a))).collect();
                let pending = self.state.pending;
                self.code.failures.push(NoRuleSite { symbol: *symbol, args, pending });
                match self.regions.last().map(|region| region.dst) {
                    Some(dst) if self.plan.layout.big_integers => {
                        self.emit(Instr::NoValue { index, dst });
                        self.leave_region();
                    }
                    _ => {
                        self.emit(Instr::NoRule { index });
                    }
                }
            }
            End::Continue(args) => {
                let (params, head) = match self.regions.last() {
                    Some(region) => (region.params.clone(), region.head),
                    None => ((0..args.len() as Slot).collect(), self.entry),
                };
                self.close(&params, args, head);
            }
            End::Context { hole, nest, target, args } => self.context(*hole, nest, *target, args),
            End::Match { on, arms, default } => self.match_(*on, arms, default.as_deref(), after),
            End::If { test, then, otherwise } => {
                let at = self.test(test);
                let saved = self.state.clone();
                self.block(then, after);
                self.state = saved;
                self.patch(at);
                self.block(otherwise, after);
            }
        }
    }

    pub(super) fn ret(&mut self, value: LocalId) {
        let src = self.slot(value);
        if let Some(region) = self.regions.last() {
            let dst = region.dst;
            self.moves(&[(dst, src)]);
            return self.leave_region();
        }
        let count = self.take_count(u32::from(u16::MAX)) as u16;
        let holes = self.holes[self.id];
        // A constant just made is returned as such.
        let own = self.label < self.code.ops.len();
        let constant = match self.code.ops.last() {
            Some(&Instr::Const { dst, value }) if own && dst == src && value <= u64::from(u32::MAX) => {
                Some(value as u32)
            }
            _ => None,
        };
        if let Some(value) = constant {
            let last = self.code.ops.len() - 1;
            self.code.ops[last] = if holes {
                Instr::HoleReturnConst { value, count }
            } else {
                Instr::ReturnConst { value, count }
            };
        } else {
            self.emit(if holes { Instr::HoleReturn { src, count } } else { Instr::Return { src, count } });
        }
    }

    /// Goes on behind the innermost region.
    fn leave_region(&mut self) {
        let count = self.take_count(u32::from(u16::MAX)) as u16;
        let at = self.emit(Instr::Jump { target: 0, count });
        if let Some(region) = self.regions.last_mut() {
            region.exits.push(at);
        }
    }

    pub(super) fn context(&mut self, hole: LocalId, nest: &[Step], target: Target, args: &[LocalId]) {
        let mut live = LocalSet::default();
        args.iter().for_each(|&a| live.insert(a));
        if !self.simple_hole(hole, nest, &live) {
            self.nest(hole, nest, &live);
        }
        self.keep_only(&live);
        let params: Vec<Slot> = (0..args.len() as Slot).collect();
        let at = self.close(&params, args, self.entry);
        if let Target::Function(function) = target {
            self.calls.push((at, function));
        }
    }

    /// One cell of one or two words: one instruction.
    pub(super) fn simple_hole(&mut self, hole: LocalId, nest: &[Step], live: &LocalSet) -> bool {
        let [Step::Build { symbol, args, .. }] = nest else { return false };
        let Some((tag, class)) = self.cell_of(*symbol) else { return false };
        let narrow = self.plan.layout.variant(*symbol).is_some_and(|v| v.fields.iter().all(|f| !f.wide));
        let op = match args.as_slice() {
            [_] if narrow => Instr::Hole1 { tag, class },
            [a, b] if narrow => {
                let (other, offset) = if *a == hole { (*b, 0) } else { (*a, 1) };
                Instr::Hole2 { tag, class, other: self.slot(other), offset }
            }
            _ => return false,
        };
        let mut needed = live.clone();
        args.iter().filter(|&&a| a != hole).for_each(|&a| needed.insert(a));
        let roots = self.roots_of(&needed);
        let at = self.emit(op);
        self.root_map(at, &roots);
        true
    }

    pub(super) fn nest(&mut self, hole: LocalId, nest: &[Step], live: &LocalSet) {
        // Live sets between the cells, with the innermost cell kept to the end.
        let mut sets = vec![live.clone()];
        let inner = nest.first().and_then(Step::dst);
        let root = nest.last().and_then(Step::dst);
        let (Some(inner), Some(root)) = (inner, root) else { return };
        let mut set = live.clone();
        set.insert(inner);
        set.insert(root);
        sets[0] = set.clone();
        for step in nest.iter().rev() {
            step.dst().into_iter().for_each(|d| set.remove(d));
            step.uses().for_each(|l| set.insert(l));
            sets.push(set.clone());
        }
        sets.reverse();
        let slot = self.bind(hole);
        self.emit(Instr::Const { dst: slot, value: 0 });
        let (mut cell, mut place) = (None, (0, 0));
        for (i, step) in nest.iter().enumerate() {
            match step {
                Step::Repeat { dst, symbol, count, .. } if i == 0 => {
                    cell = self.innermost(slot, *symbol, &sets[0]);
                    let Some((inner, (tag, class))) = cell.zip(self.cell_of(*symbol)) else { return };
                    place.0 = class;
                    let mut roots = self.roots_of(&sets[0]);
                    roots.push((inner, self.function.sort(*dst)));
                    let dst = self.result(*dst, &sets[1]);
                    if *count > 1 {
                        let at = self.emit(Instr::Repeat { dst, tag, class, arg: inner, count: *count - 1 });
                        self.root_map(at, &roots);
                    } else {
                        self.emit(Instr::Move { dst, src: inner });
                    }
                }
                Step::Build { symbol, args, .. } if i == 0 => {
                    let field = args.iter().position(|&a| a == hole).unwrap_or(0);
                    let fields = self.plan.layout.variant(*symbol).map_or(&[][..], |v| &v.fields);
                    place =
                        (self.cell_of(*symbol).map_or(0, |c| c.1), fields.get(field).map_or(0, |f| f.offset));
                    self.step(step, &sets[i], &sets[i + 1]);
                }
                _ => self.step(step, &sets[i], &sets[i + 1]),
            }
        }
        let (class, offset) = (place.0, place.1 as u16);
        let inner = cell.unwrap_or_else(|| self.slot(inner));
        self.emit(Instr::Fill { root: self.slot(root), cell: inner, class, offset });
        if let Some(slot) = cell {
            self.release(slot);
        }
    }

    /// The cell with the hole below a repeated symbol, in a slot of its own.
    pub(super) fn innermost(&mut self, hole: Slot, symbol: SymbolId, live: &LocalSet) -> Option<Slot> {
        let (tag, class) = self.cell_of(symbol)?;
        let roots = self.roots_of(live);
        let dst = self.free_slot();
        let at = self.emit(Instr::Alloc1 { dst, tag, class, a: hole });
        self.root_map(at, &roots);
        Some(dst)
    }

    pub(super) fn test(&mut self, test: &Test) -> usize {
        let target = 0;
        let op = match *test {
            Test::Same(a, b) => {
                let sort = self.function.sort(a);
                let (a, b) = (self.slot(a), self.slot(b));
                match self.plan.layout.sorts[sort].kind {
                    SortKind::Float => Instr::UnlessFloat { op: Op::Same, a, b, target },
                    SortKind::Data => Instr::UnlessSame { a, b, sort: sort.0 as u16, target },
                    _ => Instr::UnlessInt { op: Op::Eq, a, b, target },
                }
            }
            Test::Constant(src, value) => {
                Instr::UnlessConst { src: self.slot(src), target, value: constant_bits(value) }
            }
            Test::Holds(src) => {
                let sort = self.function.sort(src);
                let (mask, src) = (self.mask(sort), self.slot(src));
                match self.plan.layout.tag(self.booleans.true_symbol) {
                    Some(tag) => Instr::Unless { src, mask, tag: tag as u16, target },
                    // Truth is never a normal form.
                    None => Instr::UnlessConst { src, target, value: u64::MAX },
                }
            }
            Test::Compare(op, a, b) => {
                let sort = self.function.sort(a);
                let (a, b) = (self.slot(a), self.slot(b));
                match self.plan.layout.sorts[sort].kind {
                    SortKind::Float => Instr::UnlessFloat { op, a, b, target },
                    _ if self.plan.layout.is_big(sort) => Instr::UnlessBig { op, a, b, target },
                    _ => Instr::UnlessInt { op, a, b, target },
                }
            }
        };
        self.emit(op)
    }

    pub(super) fn match_(&mut self, on: LocalId, arms: &[Arm], default: Option<&Block>, after: &LocalSet) {
        let sort = self.function.sort(on);
        let (src, mask) = (self.slot(on), self.mask(sort));
        let branches = arms.len() + usize::from(default.is_some());
        if branches == 0 {
            // A value of a sort without values: never reached.
            self.emit(Instr::Loop { target: self.entry, count: 0 });
            return;
        }
        let saved = self.state.clone();
        // Two tests are faster than a jump through a table and a load, and mostly one of them decides: a default is for
        // terms that are stuck.
        if arms.len() > 2 {
            return self.switch(on, arms, default, after, mask);
        }
        let mut jump = None;
        for (i, arm) in arms.iter().enumerate() {
            self.state = saved.clone();
            if let Some(at) = jump.take() {
                self.patch(at);
            }
            let last = i + 1 == branches;
            let test = (!last).then(|| self.plan.layout.tag(arm.symbol).unwrap_or(0) as u16);
            jump = self.arm(on, src, arm, test.map(|tag| (tag, mask)), after);
        }
        if let Some(default) = default {
            self.state = saved;
            if let Some(at) = jump {
                self.patch(at);
            }
            self.block(default, after);
        }
    }

    pub(super) fn switch(
        &mut self,
        on: LocalId,
        arms: &[Arm],
        default: Option<&Block>,
        after: &LocalSet,
        mask: u16,
    ) {
        let src = self.slot(on);
        let saved = self.state.clone();
        let jump = self.emit(Instr::Switch { src, mask, table: 0 });
        let mut targets = Vec::with_capacity(arms.len());
        for arm in arms {
            self.state = saved.clone();
            let tag = self.plan.layout.tag(arm.symbol).unwrap_or(0);
            targets.push((tag, self.here()));
            self.arm(on, src, arm, None, after);
        }
        let rest = match default {
            Some(default) => {
                self.state = saved;
                let here = self.here();
                self.block(default, after);
                here
            }
            // Other tags never occur.
            None => targets[0].1,
        };
        self.code.ops[jump] = self.table(src, mask, targets, rest);
    }

    /// The jump by the tag of a slot, with its table: an entry for each tag, or for those alone that are looked for
    /// where they are few among those of the sort.
    fn table(&mut self, src: Slot, mask: u16, mut targets: Vec<(u32, Pc)>, rest: Pc) -> Instr {
        let tables = &mut self.code.tables;
        let table = tables.len();
        let tags = usize::from(mask) + 1;
        if tags > SMALL_TABLE && tags > SPARSE * targets.len() {
            targets.sort_unstable();
            tables.extend(targets.iter().map(|&(tag, _)| tag));
            tables.extend(targets.iter().map(|&(_, target)| target));
            tables.push(rest);
            return Instr::Search { src, mask, count: targets.len() as u16, table: table as u32 };
        }
        tables.resize(table + tags, rest);
        for (tag, target) in targets {
            tables[table + tag as usize] = target;
        }
        Instr::Switch { src, mask, table: table as u32 }
    }

    /// Tests the tag if asked to, loads the fields and goes on with the body. Gives the jump of the failed test.
    pub(super) fn arm(
        &mut self,
        on: LocalId,
        src: Slot,
        arm: &Arm,
        test: Option<(u16, u16)>,
        after: &LocalSet,
    ) -> Option<usize> {
        let mut live = self.before.block(&arm.body);
        let needs_on = live.contains(on);
        let variant = self.plan.layout.variant(arm.symbol);
        let fields: Vec<(LocalId, Field)> = variant
            .iter()
            .flat_map(|v| arm.fields.iter().zip(&v.fields))
            .filter_map(|(local, field)| Some(((*local)?, *field)))
            .filter(|(local, _)| live.contains(*local))
            .collect();
        let class = variant.and_then(|v| v.class).map_or(0, |c| c.0);
        let wide = fields.iter().any(|(_, f)| f.wide);
        let one_load = !wide && fields.len() <= 3;
        // With several loads the cell must stay until the last one.
        if !one_load {
            live.insert(on);
        }
        self.keep_on_path(&live);
        let loads: Vec<(Slot, Field)> = fields.iter().map(|&(l, f)| (self.bind(l), f)).collect();
        if !one_load && !needs_on {
            self.state.bound.remove(on);
            self.release(src);
        }
        let jump = self.loads(src, class, &loads, test, one_load);
        self.block(&arm.body, after);
        jump
    }

    pub(super) fn loads(
        &mut self,
        src: Slot,
        class: u32,
        loads: &[(Slot, Field)],
        test: Option<(u16, u16)>,
        one_load: bool,
    ) -> Option<usize> {
        let byte = |n: u32| u8::try_from(n).ok();
        if let (Some((tag, mask)), Some(class8), true) = (test, byte(class), one_load)
            && let (Some(tag), Some(mask)) = (byte(tag.into()), byte(mask.into()))
        {
            let target = 0;
            match *loads {
                [(dst, f)] if f.offset < 256 => {
                    let offset = f.offset as u8;
                    return Some(self.emit(Instr::UnlessLoad1 {
                        tag,
                        mask,
                        class: class8,
                        offset,
                        src,
                        dst,
                        target,
                    }));
                }
                [(d0, f0), (d1, f1)] if f0.offset < 256 && f1.offset < 256 => {
                    let (offset, dst) = ([f0.offset as u8, f1.offset as u8], [d0, d1]);
                    return Some(self.emit(Instr::UnlessLoad2 {
                        tag,
                        mask,
                        class: class8,
                        offset,
                        src,
                        dst,
                        target,
                    }));
                }
                _ => {}
            }
        }
        let jump = test.map(|(tag, mask)| self.emit(Instr::Unless { src, mask, tag, target: 0 }));
        if let (Some(class), true) = (byte(class), one_load && loads.iter().all(|l| l.1.offset < 256)) {
            match *loads {
                [(d0, f0), (d1, f1)] => {
                    let (dst, offset) = ([d0, d1], [f0.offset as u8, f1.offset as u8]);
                    self.emit(Instr::Load2 { src, dst, class, offset });
                    return jump;
                }
                [(d0, f0), (d1, f1), (d2, f2)] => {
                    let (dst, offset) = ([d0, d1, d2], [f0.offset as u8, f1.offset as u8, f2.offset as u8]);
                    self.emit(Instr::Load3 { src, dst, class, offset });
                    return jump;
                }
                _ => {}
            }
        }
        for &(dst, field) in loads {
            let (class, offset) = (class as u16, field.offset as u16);
            self.emit(if field.wide {
                Instr::LoadWide { src, dst, class, offset }
            } else {
                Instr::Load1 { src, dst, class, offset }
            });
        }
        jump
    }
}
