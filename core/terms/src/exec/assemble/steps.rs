//! Steps: cells, operations, calls and nested regions.

use super::{Assembler, RegionFrame};
use crate::exec::bytecode::*;
use crate::plan::live::{self, LocalSet};
use crate::plan::*;
use gchr_base::op::Op;
use gchr_base::signature::{SortId, SortKind, SymbolId};

impl Assembler<'_> {
    pub(super) fn step(&mut self, step: &Step, before: &LocalSet, after: &LocalSet) {
        match step {
            Step::Const { dst, value } => {
                let dst = self.result(*dst, after);
                self.emit(Instr::Const { dst, value: constant_bits(*value) });
            }
            Step::Build { dst, symbol, args, .. } => {
                let args: Vec<Slot> = args.iter().map(|&a| self.slot(a)).collect();
                let before = self.roots_of(before);
                let dst = self.result(*dst, after);
                self.build(dst, *symbol, &args, &before);
            }
            Step::Repeat { dst, symbol, count, arg } => {
                let arg = self.slot(*arg);
                let before = self.roots_of(before);
                let dst = self.result(*dst, after);
                let Some((tag, class)) = self.cell_of(*symbol) else { return };
                let at = self.emit(Instr::Repeat { dst, tag, class, arg, count: *count });
                self.root_map(at, &before);
            }
            Step::Operate { dst, op, args, site } => self.operate(*dst, *op, args, *site, before, after),
            Step::Call { dst, function, args, .. } => self.call(*dst, *function, args, after),
            Step::Region { dst, inits, region } => self.region(*dst, inits, region, after),
            Step::Trace { rule, symbol, args } => {
                let index = self.code.traces.len() as u32;
                let args = args.iter().map(|&a| (self.slot(a), self.function.sort(a))).collect();
                let pending = self.state.pending;
                self.code.traces.push(TracePoint { rule: *rule, symbol: *symbol, args, pending });
                self.emit(Instr::Trace { index });
            }
            // The collector finds unreferenced cells.
            Step::Ref(_) => {}
        }
    }

    /// Slots and sorts of live locals that may hold cells or name integers.
    pub(super) fn roots_of(&self, live: &LocalSet) -> Vec<(Slot, SortId)> {
        live.iter()
            .filter_map(|local| {
                let sort = self.function.sort(local);
                let root = self.traced[sort] && self.state.bound.contains(local);
                root.then(|| (self.slot(local), sort))
            })
            .collect()
    }

    pub(super) fn root_map(&mut self, at: usize, roots: &[(Slot, SortId)]) {
        let first = self.code.roots.len() as u32;
        self.code.roots.extend_from_slice(roots);
        self.code.map_of[at] = self.code.maps.len() as u32;
        let pending = self.state.pending;
        let len = roots.len() as u16;
        self.code.maps.push(Map { first, len, pending, ..Map::default() });
    }

    pub(super) fn cell_of(&self, symbol: SymbolId) -> Option<(u16, u16)> {
        let class = self.plan.layout.variant(symbol)?.class?;
        Some((self.plan.layout.tag(symbol)? as u16, class.0 as u16))
    }

    pub(super) fn build(&mut self, dst: Slot, symbol: SymbolId, args: &[Slot], roots: &[(Slot, SortId)]) {
        let layout = &self.plan.layout;
        let (Some(variant), Some(tag)) = (layout.variant(symbol), layout.tag(symbol)) else { return };
        let Some(class) = variant.class else {
            self.emit(Instr::Const { dst, value: tag.into() });
            return;
        };
        let (tag, class) = (tag as u16, class.0 as u16);
        let narrow = variant.fields.iter().all(|f| !f.wide);
        let op = match *args {
            [a] if narrow => Instr::Alloc1 { dst, tag, class, a },
            [a, b] if narrow => Instr::Alloc2 { dst, tag, class, args: [a, b] },
            [a, b, c] if narrow => Instr::Alloc3 { dst, tag, class, args: [a, b, c] },
            _ => {
                let first = self.code.operands.len() as u32;
                for (&slot, field) in args.iter().zip(&variant.fields) {
                    self.code.operands.push(Operand { slot, offset: field.offset as u16, wide: field.wide });
                }
                Instr::AllocN { dst, tag, class, fields: args.len() as u16, first }
            }
        };
        let at = self.emit(op);
        self.root_map(at, roots);
    }

    pub(super) fn operate(
        &mut self,
        dst: LocalId,
        op: Op,
        args: &[LocalId],
        site: Site,
        before: &LocalSet,
        after: &LocalSet,
    ) {
        let Some(&first) = args.first() else { return };
        let sort = self.function.sort(first);
        let kind = self.plan.layout.sorts[sort].kind;
        let result = self.plan.layout.sorts[self.function.sort(dst)].kind;
        let a = self.slot(first);
        let b = args.get(1).map_or(a, |&b| self.slot(b));
        let float = kind == SortKind::Float;
        let index = self.code.sites.len() as u32;
        let Site { rule, span } = site;
        self.code.sites.push(OpSite { op, rule, span, pending: self.state.pending, float });
        let big = self.plan.layout.is_big(sort);
        let roots = if big { self.roots_of(before) } else { Vec::new() };
        let dst = self.result(dst, after);
        let truth = |symbol| self.plan.layout.tag(symbol).unwrap_or(0) as u16;
        let (yes, no) = (truth(self.booleans.true_symbol), truth(self.booleans.false_symbol));
        use Op::*;
        let op = match (kind, op) {
            (_, Both | Either | Negate) if kind != SortKind::Data => {
                Instr::TypeError { a, sort: sort.0 as u16, site: index }
            }
            (_, Negate) => return self.negate(dst, a, sort, index, yes, no),
            (SortKind::Data, Same | Differ) => {
                Instr::CompareTerm { negated: op == Differ, dst, a, b, sort: sort.0 as u16, yes, no }
            }
            (SortKind::Data, _) => Instr::TypeError { a, sort: sort.0 as u16, site: index },
            (SortKind::Float, _) if op.is_test() => Instr::CompareFloat { op, dst, a, b, yes, no },
            (_, _) if op.is_test() && big => Instr::CompareBig { op, dst, a, b, yes, no },
            (_, _) if op.is_test() => Instr::CompareInt { op, dst, a, b, yes, no },
            (SortKind::Float, _) if op.rounds() => Instr::FloatToInt { op, dst, a, site: index },
            (SortKind::Int, ToFloat) => Instr::IntToFloat { dst, a },
            (SortKind::Float, _) if result == SortKind::Int => {
                Instr::TypeError { a, sort: sort.0 as u16, site: index }
            }
            (SortKind::Float, _) => Instr::Float { op, dst, a, b, site: index },
            _ if big => {
                let at = self.emit(Instr::Big { op, dst, a, b, site: index });
                return self.root_map(at, &roots);
            }
            (_, Add) => Instr::AddInt { dst, a, b, site: index },
            (_, Sub) => Instr::SubInt { dst, a, b, site: index },
            _ => Instr::Int { op, dst, a, b, site: index },
        };
        self.emit(op);
    }

    /// `!x`: the other truth value; another normal form is a type error.
    pub(super) fn negate(&mut self, dst: Slot, a: Slot, sort: SortId, site: u32, yes: u16, no: u16) {
        let mask = self.mask(sort);
        let not_true = self.emit(Instr::Unless { src: a, mask, tag: yes, target: 0 });
        self.emit(Instr::Const { dst, value: no.into() });
        let end = self.emit(Instr::Jump { target: 0, count: 0 });
        self.patch(not_true);
        let not_false = self.emit(Instr::Unless { src: a, mask, tag: no, target: 0 });
        self.emit(Instr::Const { dst, value: yes.into() });
        let end2 = self.emit(Instr::Jump { target: 0, count: 0 });
        self.patch(not_false);
        self.emit(Instr::TypeError { a, sort: sort.0 as u16, site });
        self.patch(end);
        self.patch(end2);
        // The three paths join in an instruction, so that the last one does not run off the end.
        self.emit(Instr::Count { count: 0 });
    }

    pub(super) fn mask(&self, sort: SortId) -> u16 {
        ((1u32 << self.plan.layout.sorts[sort].tag_bits) - 1) as u16
    }

    pub(super) fn call(&mut self, dst: LocalId, function: FunctionId, args: &[LocalId], after: &LocalSet) {
        let args: Vec<Slot> = args.iter().map(|&a| self.slot(a)).collect();
        let mut live = after.clone();
        live.remove(dst);
        self.keep_only(&live);
        let live_end = self.state.used.end();
        let holes = self.holes[function];
        let header = if holes { HOLE_HEADER } else { PLAIN_HEADER };
        let count = self.take_count(255) as u8;
        let base = live_end as Slot;
        if args.len() > 3 {
            let start = live_end + header;
            let moves: Vec<(Slot, Slot)> =
                args.iter().enumerate().map(|(i, &src)| ((start + i) as Slot, src)).collect();
            self.frame = self.frame.max(start + args.len());
            self.moves(&moves);
        }
        let map_live = live;
        let at = self.emit(Instr::Halt);
        self.map(at, &map_live, Some(function));
        let dst = self.result(dst, after);
        let target = 0;
        self.code.ops[at] = match (holes, args.as_slice()) {
            (false, &[arg]) => Instr::Call1 { count, arg, base, dst, target },
            (false, &[a, b]) => Instr::Call2 { count, args: [a, b], base, dst, target },
            (false, &[a, b, c]) => Instr::Call3 { count, args: [a, b, c], base, dst, target },
            (false, _) => Instr::Call { count, base, dst, target },
            (true, &[arg]) => Instr::HoleCall1 { count, arg, base, dst, target },
            (true, &[a, b]) => Instr::HoleCall2 { count, args: [a, b], base, dst, target },
            (true, &[a, b, c]) => Instr::HoleCall3 { count, args: [a, b, c], base, dst, target },
            (true, _) => Instr::HoleCall { count, base, dst, target },
        };
        self.calls.push((at, function));
    }

    pub(super) fn region(&mut self, dst: LocalId, inits: &[LocalId], region: &Region, after: &LocalSet) {
        let mut live = after.clone();
        live.remove(dst);
        let around = live::around_loop(region, &live);
        let inits: Vec<Slot> = inits.iter().map(|&i| self.slot(i)).collect();
        // What the body needs stays; the first values of the parameters need not.
        let mut inside = live::before_block(&region.body, &around);
        inside.union(&around);
        self.keep_only(&inside);
        for (&param, &init) in region.params.iter().zip(&inits) {
            self.hints.insert(param, init);
        }
        let params: Vec<Slot> = region.params.iter().map(|&p| self.bind(p)).collect();
        let moves: Vec<(Slot, Slot)> = params.iter().copied().zip(inits).collect();
        self.moves(&moves);
        let value = match self.hints.get(&dst).copied().filter(|&s| self.is_free(s)) {
            Some(slot) => {
                self.use_slot(slot);
                slot
            }
            None => self.free_slot(),
        };
        // Reserved from now on, but not in use: a local that becomes the value may live there.
        self.release(value);
        self.reserved.push(value);
        if region.is_loop() && self.state.pending > 0 {
            let count = std::mem::take(&mut self.state.pending);
            self.emit(Instr::Count { count });
        }
        let head = self.here();
        self.hint_targets(&region.body, &params, Some(value));
        self.regions.push(RegionFrame { dst: value, params, head, exits: Vec::new() });
        let rule = self.state.rule;
        let outside = self.state.clone();
        self.body(&region.body, &around);
        self.state = outside;
        (self.state.pending, self.state.rule) = (0, rule);
        let exits = self.regions.pop().map_or_else(Vec::new, |r| r.exits);
        self.reserved.pop();
        self.exits(exits);
        self.keep_only(&live);
        if after.contains(dst) {
            self.take(dst, value);
        } else {
            self.frame = self.frame.max(value as usize + 1);
        }
    }

    /// Ends a region here: its last exit falls through.
    pub(super) fn exits(&mut self, mut exits: Vec<usize>) {
        let last = self.code.ops.len() - 1;
        if exits.last() == Some(&last)
            && let Instr::Jump { count, .. } = self.code.ops[last]
        {
            exits.pop();
            if count == 0 {
                self.code.ops.pop();
                self.code.map_of.pop();
                self.code.rule_of.pop();
            } else {
                self.code.ops[last] = Instr::Count { count: count.into() };
            }
        }
        self.label = self.code.ops.len();
        exits.into_iter().for_each(|at| self.patch(at));
    }
}
