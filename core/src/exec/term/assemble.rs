//! From plans to bytecode: slots for locals, jumps for blocks, maps for the collector.
//!
//! Slots are given by one walk down the tree of blocks: a local gets a free slot when it is bound, preferably the one where its value
//! is wanted at the end (a parameter of the loop that continues, the value of a region), and gives it back after its last use.

use crate::exec::term::bytecode::*;
use crate::hash::HashMap;
use crate::ids::{Id, IdVec};
use crate::op::Op as Operator;
use crate::plan::term::live::{self, LocalSet};
use crate::plan::term::*;
use crate::signature::{Booleans, SortId, SortKind};

/// The largest frame: what fits the fields of the instructions with room for callees' arguments.
const MAX_FRAME: usize = 60_000;

/// The plan needs more than the bytecode can name.
#[derive(Debug)]
pub(super) struct TooLarge {
    /// What is too large.
    pub(super) what: String,
    /// The most there can be.
    pub(super) limit: u64,
}

/// Bytecode of a plan.
pub(super) fn assemble(plan: &TermPlan, booleans: Booleans) -> Result<Code, TooLarge> {
    let holes = functions_with_holes(plan);
    let mut code = Code {
        ops: vec![Op::Halt],
        functions: Vec::new(),
        tables: Vec::new(),
        operands: Vec::new(),
        sites: Vec::new(),
        traces: Vec::new(),
        failures: Vec::new(),
        map_of: vec![NO_MAP],
        maps: Vec::new(),
        roots: Vec::new(),
        rule_of: vec![u32::MAX],
        max_frame: 1,
        classes: plan.layout.classes.len(),
    };
    let limit = u64::from(u16::MAX);
    if plan.layout.sorts.len() as u64 > limit || plan.layout.classes.len() as u64 > limit {
        return Err(TooLarge { what: "sorts of the program".into(), limit });
    }
    let mut calls = Vec::new();
    for (id, function) in plan.functions.iter_enumerated() {
        let entry = code.ops.len() as Pc;
        let mut assembler = Assembler {
            plan,
            booleans,
            function,
            id,
            holes: &holes,
            code: &mut code,
            calls: &mut calls,
            state: State {
                slots: function.locals.iter().map(|_| None).collect(),
                used: Vec::new(),
                pending: 0,
                rule: u32::MAX,
            },
            hints: HashMap::default(),
            reserved: Vec::new(),
            frame: 1,
            regions: Vec::new(),
            entry,
            label: 0,
        };
        assembler.function();
        let frame = assembler.frame;
        if frame > MAX_FRAME {
            return Err(TooLarge { what: format!("locals of {}", function.name), limit: MAX_FRAME as u64 });
        }
        code.max_frame = code.max_frame.max(frame);
        code.functions.push(FunctionCode {
            entry,
            frame: frame as u16,
            holes: holes[id],
            params: function.region.params.len() as u16,
            result: function.result,
        });
    }
    for (at, callee) in calls {
        let entry = code.functions[callee.index()].entry;
        if let Some(target) = target_of(&mut code.ops[at]) {
            *target = entry;
        }
    }
    code.max_frame += 256;
    Ok(code)
}

/// Functions that fill holes: those that pass holes on, and all that share frames with them through tail calls.
fn functions_with_holes(plan: &TermPlan) -> IdVec<FunctionId, bool> {
    let mut holes: IdVec<FunctionId, bool> = plan.functions.iter().map(|_| false).collect();
    let mut edges = Vec::new();
    for (id, function) in plan.functions.iter_enumerated() {
        function.region.body.walk(&mut |block| match &block.end {
            End::TailCall { function, .. } => edges.push((id, *function)),
            End::Context { target, .. } => {
                holes[id] = true;
                if let Target::Function(function) = target {
                    edges.push((id, *function));
                }
            }
            _ => {}
        });
    }
    loop {
        let mut changed = false;
        for &(a, b) in &edges {
            if holes[a] != holes[b] {
                (holes[a], holes[b]) = (true, true);
                changed = true;
            }
        }
        if !changed {
            return holes;
        }
    }
}

fn target_of(op: &mut Op) -> Option<&mut Pc> {
    use Op::*;
    match op {
        Jump { target, .. }
        | Loop { target, .. }
        | Loop1 { target, .. }
        | Loop2 { target, .. }
        | Unless { target, .. }
        | UnlessLoad1 { target, .. }
        | UnlessLoad2 { target, .. }
        | UnlessInt { target, .. }
        | UnlessFloat { target, .. }
        | UnlessConst { target, .. }
        | UnlessSame { target, .. }
        | Call { target, .. }
        | Call1 { target, .. }
        | Call2 { target, .. }
        | Call3 { target, .. }
        | HoleCall { target, .. }
        | HoleCall1 { target, .. }
        | HoleCall2 { target, .. }
        | HoleCall3 { target, .. } => Some(target),
        _ => None,
    }
}

/// What differs from path to path.
#[derive(Clone)]
struct State {
    slots: IdVec<LocalId, Option<Slot>>,
    used: Vec<bool>,
    /// Rule applications complete but not counted yet.
    pending: u32,
    /// The last rule applied.
    rule: u32,
}

/// The nested region whose body is being assembled.
struct RegionFrame {
    dst: Slot,
    params: Vec<Slot>,
    head: Pc,
    /// Jumps to the end of the region.
    exits: Vec<usize>,
}

struct Assembler<'a> {
    plan: &'a TermPlan,
    booleans: Booleans,
    function: &'a Function,
    id: FunctionId,
    holes: &'a IdVec<FunctionId, bool>,
    code: &'a mut Code,
    /// Instructions whose target is the entry of a function.
    calls: &'a mut Vec<(usize, FunctionId)>,
    state: State,
    /// Where a local had better be.
    hints: HashMap<LocalId, Slot>,
    /// Slots of the values of the regions around: free for the locals that become these values, and for no others.
    reserved: Vec<Slot>,
    frame: usize,
    regions: Vec<RegionFrame>,
    entry: Pc,
    /// The last position that something jumps to: instructions before it belong to several paths.
    label: usize,
}

impl Assembler<'_> {
    fn function(&mut self) {
        let params = self.function.region.params.clone();
        for (i, &param) in params.iter().enumerate() {
            self.take(param, i as Slot);
        }
        let body = &self.function.region.body;
        self.hint_targets(body, &(0..params.len() as Slot).collect::<Vec<_>>(), None);
        self.block(body, &LocalSet::default());
    }

    /// Notes where the arguments of loops and tail calls, and the value of a region, had better be.
    fn hint_targets(&mut self, block: &Block, params: &[Slot], value: Option<Slot>) {
        match &block.end {
            End::Continue(args) | End::TailCall { args, .. } | End::Context { args, .. } => {
                let slots: Vec<Slot> = match block.end {
                    End::Continue(_) => params.to_vec(),
                    _ => (0..args.len() as Slot).collect(),
                };
                for (&arg, slot) in args.iter().zip(slots) {
                    self.hints.entry(arg).or_insert(slot);
                }
            }
            End::Return(local) => {
                if let Some(slot) = value {
                    self.hints.entry(*local).or_insert(slot);
                }
            }
            _ => {}
        }
        block.end.blocks().into_iter().for_each(|b| self.hint_targets(b, params, value));
    }

    // Slots.

    fn slot(&self, local: LocalId) -> Slot {
        // Verified plans bind before they use; slot 0 is in every frame.
        self.state.slots[local].unwrap_or(0)
    }

    fn take(&mut self, local: LocalId, slot: Slot) {
        self.use_slot(slot);
        self.state.slots[local] = Some(slot);
    }

    fn use_slot(&mut self, slot: Slot) {
        let slot = slot as usize;
        if slot >= self.state.used.len() {
            self.state.used.resize(slot + 1, false);
        }
        self.state.used[slot] = true;
        self.frame = self.frame.max(slot + 1);
    }

    fn is_free(&self, slot: Slot) -> bool {
        !self.state.used.get(slot as usize).copied().unwrap_or(false)
    }

    fn free_slot(&mut self) -> Slot {
        // One more than fits is noticed by the size of the frame.
        let free = (0..=MAX_FRAME as Slot).find(|&s| self.is_free(s) && !self.reserved.contains(&s));
        let slot = free.unwrap_or(MAX_FRAME as Slot);
        self.use_slot(slot);
        slot
    }

    /// A slot for a local that is bound now.
    fn bind(&mut self, local: LocalId) -> Slot {
        let hint = self.hints.get(&local).copied().filter(|&s| self.is_free(s));
        let slot = match hint {
            Some(slot) => {
                self.use_slot(slot);
                slot
            }
            None => self.free_slot(),
        };
        self.state.slots[local] = Some(slot);
        slot
    }

    fn release(&mut self, slot: Slot) {
        self.state.used[slot as usize] = false;
    }

    /// Gives back the slots of all locals that are not live.
    fn keep_only(&mut self, live: &LocalSet) {
        for (local, slot) in self.state.slots.iter_enumerated().map(|(l, s)| (l, *s)).collect::<Vec<_>>() {
            if let Some(slot) = slot
                && !live.contains(local)
            {
                self.state.slots[local] = None;
                self.release(slot);
            }
        }
    }

    // Code.

    fn here(&self) -> Pc {
        self.code.ops.len() as Pc
    }

    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.map_of.push(NO_MAP);
        self.code.rule_of.push(self.state.rule);
        self.code.ops.len() - 1
    }

    fn patch(&mut self, at: usize) {
        let here = self.here();
        self.label = here as usize;
        if let Some(target) = target_of(&mut self.code.ops[at]) {
            *target = here;
        }
    }

    /// The applications that are complete, at most `max`; more are counted at once.
    fn take_count(&mut self, max: u32) -> u32 {
        let pending = std::mem::take(&mut self.state.pending);
        if pending > max {
            self.emit(Op::Count { count: pending });
            return 0;
        }
        pending
    }

    /// A map of the live locals for the instruction at `at`.
    fn map(&mut self, at: usize, live: &LocalSet, result: Option<FunctionId>) {
        let first = self.code.roots.len() as u32;
        for local in live.iter() {
            let sort = self.function.sort(local);
            if let Some(slot) = self.state.slots[local]
                && self.plan.layout.sorts[sort].has_cells()
            {
                self.code.roots.push((slot, sort));
            }
        }
        let len = (self.code.roots.len() as u32 - first) as u16;
        let (hole_callee, sort) =
            result.map_or((false, 0), |f| (self.holes[f], self.plan.functions[f].result.0 as u16));
        let pending = self.state.pending;
        self.code.map_of[at] = self.code.maps.len() as u32;
        self.code.maps.push(Map { first, len, hole_callee, result: sort, pending });
    }

    /// Moves that happen at once.
    fn moves(&mut self, moves: &[(Slot, Slot)]) {
        let mut left: Vec<(Slot, Slot)> = moves.iter().copied().filter(|(d, s)| d != s).collect();
        while left.len() > 3 {
            let ready = left.iter().position(|&(d, _)| left.iter().all(|&(_, s)| s != d));
            if let Some(i) = ready {
                let (dst, src) = left.swap_remove(i);
                self.emit(Op::Move { dst, src });
            } else {
                // A cycle: its value waits in a slot above all others. One that no move names may hold a value that stays.
                let scratch = self.frame as Slot;
                self.frame += 1;
                let src = left[0].1;
                self.emit(Op::Move { dst: scratch, src });
                left.iter_mut().filter(|m| m.1 == src).for_each(|m| m.1 = scratch);
            }
        }
        match left.as_slice() {
            [] => {}
            &[(dst, src)] => {
                self.emit(Op::Move { dst, src });
            }
            &[(d0, s0), (d1, s1)] => {
                self.emit(Op::Move2 { dst: [d0, d1], src: [s0, s1] });
            }
            _ => {
                let dst = [left[0].0, left[1].0, left[2].0];
                let src = [left[0].1, left[1].1, left[2].1];
                self.emit(Op::Move3 { dst, src });
            }
        }
    }

    /// Moves arguments into place and closes a loop.
    fn close(&mut self, params: &[Slot], args: &[LocalId], target: Pc) -> usize {
        let moves: Vec<(Slot, Slot)> =
            params.iter().zip(args).map(|(&p, &a)| (p, self.slot(a))).filter(|(d, s)| d != s).collect();
        params.iter().for_each(|&p| self.frame = self.frame.max(p as usize + 1));
        match *moves.as_slice() {
            [(dst, src)] => {
                let count = self.take_count(255) as u8;
                self.emit(Op::Loop1 { count, dst, src, target })
            }
            [(d0, s0), (d1, s1)] => {
                let count = self.take_count(255) as u8;
                self.emit(Op::Loop2 { count, dst: [d0, d1], src: [s0, s1], target })
            }
            _ => {
                self.moves(&moves);
                let count = self.take_count(u32::from(u16::MAX)) as u16;
                self.emit(Op::Loop { target, count })
            }
        }
    }

    // Blocks.

    fn block(&mut self, block: &Block, after: &LocalSet) {
        if let Some(last) = block.applied.last() {
            self.state.pending += block.applied.len() as u32;
            self.state.rule = last.0;
        }
        let sets = live::before_steps(block, after);
        self.keep_only(&sets[0]);
        for (i, step) in block.steps.iter().enumerate() {
            self.step(step, &sets[i], &sets[i + 1]);
        }
        self.end(&block.end, sets.last().unwrap_or(after), after);
    }

    /// Frees what dies at a step, and binds its result. Every instruction reads its operands before it writes.
    fn result(&mut self, dst: LocalId, live: &LocalSet) -> Slot {
        self.keep_only(live);
        let slot = self.bind(dst);
        if !live.contains(dst) {
            self.state.slots[dst] = None;
            self.release(slot);
        }
        slot
    }

    fn step(&mut self, step: &Step, before: &LocalSet, after: &LocalSet) {
        match step {
            Step::Const { dst, value } => {
                let dst = self.result(*dst, after);
                self.emit(Op::Const { dst, value: constant_bits(*value) });
            }
            Step::Build { dst, symbol, args } => {
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
                let at = self.emit(Op::Repeat { dst, tag, class, arg, count: *count });
                self.root_map(at, &before);
            }
            Step::Operate { dst, op, args, site } => self.operate(*dst, *op, args, *site, after),
            Step::Call { dst, function, args, .. } => self.call(*dst, *function, args, after),
            Step::Region { dst, inits, region } => self.region(*dst, inits, region, after),
            Step::Trace { rule, symbol, args } => {
                let index = self.code.traces.len() as u32;
                let args = args.iter().map(|&a| (self.slot(a), self.function.sort(a))).collect();
                self.code.traces.push(TracePoint { rule: *rule, symbol: *symbol, args });
                self.emit(Op::Trace { index });
            }
        }
    }

    /// Slots and sorts of live locals that may hold cells.
    fn roots_of(&self, live: &LocalSet) -> Vec<(Slot, SortId)> {
        live.iter()
            .filter_map(|local| {
                let sort = self.function.sort(local);
                let slot = self.state.slots[local]?;
                self.plan.layout.sorts[sort].has_cells().then_some((slot, sort))
            })
            .collect()
    }

    fn root_map(&mut self, at: usize, roots: &[(Slot, SortId)]) {
        let first = self.code.roots.len() as u32;
        self.code.roots.extend_from_slice(roots);
        self.code.map_of[at] = self.code.maps.len() as u32;
        let pending = self.state.pending;
        let len = roots.len() as u16;
        self.code.maps.push(Map { first, len, pending, ..Map::default() });
    }

    fn cell_of(&self, symbol: crate::signature::SymbolId) -> Option<(u16, u16)> {
        let class = self.plan.layout.variant(symbol)?.class?;
        Some((self.plan.layout.tag(symbol)? as u16, class.0 as u16))
    }

    fn build(
        &mut self,
        dst: Slot,
        symbol: crate::signature::SymbolId,
        args: &[Slot],
        roots: &[(Slot, SortId)],
    ) {
        let layout = &self.plan.layout;
        let (Some(variant), Some(tag)) = (layout.variant(symbol), layout.tag(symbol)) else { return };
        let Some(class) = variant.class else {
            self.emit(Op::Const { dst, value: tag.into() });
            return;
        };
        let (tag, class) = (tag as u16, class.0 as u16);
        let narrow = variant.fields.iter().all(|f| !f.wide);
        let op = match *args {
            [a] if narrow => Op::Alloc1 { dst, tag, class, a },
            [a, b] if narrow => Op::Alloc2 { dst, tag, class, args: [a, b] },
            [a, b, c] if narrow => Op::Alloc3 { dst, tag, class, args: [a, b, c] },
            _ => {
                let first = self.code.operands.len() as u32;
                for (&slot, field) in args.iter().zip(&variant.fields) {
                    self.code.operands.push(Operand { slot, offset: field.offset as u16, wide: field.wide });
                }
                Op::AllocN { dst, tag, class, fields: args.len() as u16, first }
            }
        };
        let at = self.emit(op);
        self.root_map(at, roots);
    }

    fn operate(&mut self, dst: LocalId, op: Operator, args: &[LocalId], site: Site, after: &LocalSet) {
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
        let dst = self.result(dst, after);
        let truth = |symbol| self.plan.layout.tag(symbol).unwrap_or(0) as u16;
        let (yes, no) = (truth(self.booleans.true_symbol), truth(self.booleans.false_symbol));
        use Operator::*;
        let op = match (kind, op) {
            (_, Both | Either | Negate) if kind != SortKind::Data => {
                Op::TypeError { a, sort: sort.0 as u16, site: index }
            }
            (_, Negate) => return self.negate(dst, a, sort, index, yes, no),
            (SortKind::Data, Same | Differ) => {
                Op::CompareTerm { negated: op == Differ, dst, a, b, sort: sort.0 as u16, yes, no }
            }
            (SortKind::Data, _) => Op::TypeError { a, sort: sort.0 as u16, site: index },
            (SortKind::Float, _) if op.is_test() => Op::CompareFloat { op, dst, a, b, yes, no },
            (_, _) if op.is_test() => Op::CompareInt { op, dst, a, b, yes, no },
            (SortKind::Float, Truncate) => Op::FloatToInt { dst, a, site: index },
            (SortKind::Int, ToFloat) => Op::IntToFloat { dst, a },
            (SortKind::Float, _) if result == SortKind::Int => {
                Op::TypeError { a, sort: sort.0 as u16, site: index }
            }
            (SortKind::Float, _) => Op::Float { op, dst, a, b, site: index },
            (_, Add) => Op::AddInt { dst, a, b, site: index },
            (_, Sub) => Op::SubInt { dst, a, b, site: index },
            _ => Op::Int { op, dst, a, b, site: index },
        };
        self.emit(op);
    }

    /// `!x`: the other truth value; another normal form is a type error.
    fn negate(&mut self, dst: Slot, a: Slot, sort: SortId, site: u32, yes: u16, no: u16) {
        let mask = self.mask(sort);
        let not_true = self.emit(Op::Unless { src: a, mask, tag: yes, target: 0 });
        self.emit(Op::Const { dst, value: no.into() });
        let end = self.emit(Op::Jump { target: 0, count: 0 });
        self.patch(not_true);
        let not_false = self.emit(Op::Unless { src: a, mask, tag: no, target: 0 });
        self.emit(Op::Const { dst, value: yes.into() });
        let end2 = self.emit(Op::Jump { target: 0, count: 0 });
        self.patch(not_false);
        self.emit(Op::TypeError { a, sort: sort.0 as u16, site });
        self.patch(end);
        self.patch(end2);
        // The three paths meet in an instruction, so that the last one does not run off the end.
        self.emit(Op::Count { count: 0 });
    }

    fn mask(&self, sort: SortId) -> u16 {
        ((1u32 << self.plan.layout.sorts[sort].tag_bits) - 1) as u16
    }

    fn call(&mut self, dst: LocalId, function: FunctionId, args: &[LocalId], after: &LocalSet) {
        let args: Vec<Slot> = args.iter().map(|&a| self.slot(a)).collect();
        let mut live = after.clone();
        live.remove(dst);
        self.keep_only(&live);
        let live_end = self.state.used.iter().rposition(|&u| u).map_or(0, |s| s + 1);
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
        let at = self.emit(Op::Halt);
        self.map(at, &map_live, Some(function));
        let dst = self.result(dst, after);
        let target = 0;
        self.code.ops[at] = match (holes, args.as_slice()) {
            (false, &[arg]) => Op::Call1 { count, arg, base, dst, target },
            (false, &[a, b]) => Op::Call2 { count, args: [a, b], base, dst, target },
            (false, &[a, b, c]) => Op::Call3 { count, args: [a, b, c], base, dst, target },
            (false, _) => Op::Call { count, base, dst, target },
            (true, &[arg]) => Op::HoleCall1 { count, arg, base, dst, target },
            (true, &[a, b]) => Op::HoleCall2 { count, args: [a, b], base, dst, target },
            (true, &[a, b, c]) => Op::HoleCall3 { count, args: [a, b, c], base, dst, target },
            (true, _) => Op::HoleCall { count, base, dst, target },
        };
        self.calls.push((at, function));
    }

    fn region(&mut self, dst: LocalId, inits: &[LocalId], region: &Region, after: &LocalSet) {
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
            self.emit(Op::Count { count });
        }
        let head = self.here();
        self.hint_targets(&region.body, &params, Some(value));
        self.regions.push(RegionFrame { dst: value, params, head, exits: Vec::new() });
        let rule = self.state.rule;
        let outside = self.state.clone();
        self.block(&region.body, &around);
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
    fn exits(&mut self, mut exits: Vec<usize>) {
        let last = self.code.ops.len() - 1;
        if exits.last() == Some(&last)
            && let Op::Jump { count, .. } = self.code.ops[last]
        {
            exits.pop();
            if count == 0 {
                self.code.ops.pop();
                self.code.map_of.pop();
                self.code.rule_of.pop();
            } else {
                self.code.ops[last] = Op::Count { count: count.into() };
            }
        }
        self.label = self.code.ops.len();
        exits.into_iter().for_each(|at| self.patch(at));
    }

    fn end(&mut self, end: &End, live: &LocalSet, after: &LocalSet) {
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
                self.code.failures.push(Failure { symbol: *symbol, args, pending });
                self.emit(Op::NoRule { index });
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

    fn ret(&mut self, value: LocalId) {
        let src = self.slot(value);
        if let Some(region) = self.regions.last() {
            let dst = region.dst;
            self.moves(&[(dst, src)]);
            let count = self.take_count(u32::from(u16::MAX)) as u16;
            let at = self.emit(Op::Jump { target: 0, count });
            if let Some(region) = self.regions.last_mut() {
                region.exits.push(at);
            }
            return;
        }
        let count = self.take_count(u32::from(u16::MAX)) as u16;
        let holes = self.holes[self.id];
        // A constant just made is returned as such.
        let own = self.label < self.code.ops.len();
        let constant = match self.code.ops.last() {
            Some(&Op::Const { dst, value }) if own && dst == src && value <= u64::from(u32::MAX) => {
                Some(value as u32)
            }
            _ => None,
        };
        if let Some(value) = constant {
            let last = self.code.ops.len() - 1;
            self.code.ops[last] =
                if holes { Op::HoleReturnConst { value, count } } else { Op::ReturnConst { value, count } };
        } else {
            self.emit(if holes { Op::HoleReturn { src, count } } else { Op::Return { src, count } });
        }
    }

    fn context(&mut self, hole: LocalId, nest: &[Step], target: Target, args: &[LocalId]) {
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
    fn simple_hole(&mut self, hole: LocalId, nest: &[Step], live: &LocalSet) -> bool {
        let [Step::Build { symbol, args, .. }] = nest else { return false };
        let Some((tag, class)) = self.cell_of(*symbol) else { return false };
        let narrow = self.plan.layout.variant(*symbol).is_some_and(|v| v.fields.iter().all(|f| !f.wide));
        let op = match args.as_slice() {
            [_] if narrow => Op::Hole1 { tag, class },
            [a, b] if narrow => {
                let (other, offset) = if *a == hole { (*b, 0) } else { (*a, 1) };
                Op::Hole2 { tag, class, other: self.slot(other), offset }
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

    fn nest(&mut self, hole: LocalId, nest: &[Step], live: &LocalSet) {
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
            step.uses().iter().for_each(|&l| set.insert(l));
            sets.push(set.clone());
        }
        sets.reverse();
        let slot = self.bind(hole);
        self.emit(Op::Const { dst: slot, value: 0 });
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
                        let at = self.emit(Op::Repeat { dst, tag, class, arg: inner, count: *count - 1 });
                        self.root_map(at, &roots);
                    } else {
                        self.emit(Op::Move { dst, src: inner });
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
        self.emit(Op::Fill { root: self.slot(root), cell: inner, class, offset });
        if let Some(slot) = cell {
            self.release(slot);
        }
    }

    /// The cell with the hole below a repeated symbol, in a slot of its own.
    fn innermost(&mut self, hole: Slot, symbol: crate::signature::SymbolId, live: &LocalSet) -> Option<Slot> {
        let (tag, class) = self.cell_of(symbol)?;
        let roots = self.roots_of(live);
        let dst = self.free_slot();
        let at = self.emit(Op::Alloc1 { dst, tag, class, a: hole });
        self.root_map(at, &roots);
        Some(dst)
    }

    fn test(&mut self, test: &Test) -> usize {
        let target = 0;
        let op = match *test {
            Test::Same(a, b) => {
                let sort = self.function.sort(a);
                let (a, b) = (self.slot(a), self.slot(b));
                match self.plan.layout.sorts[sort].kind {
                    SortKind::Float => Op::UnlessFloat { op: Operator::Same, a, b, target },
                    SortKind::Data => Op::UnlessSame { a, b, sort: sort.0 as u16, target },
                    _ => Op::UnlessInt { op: Operator::Eq, a, b, target },
                }
            }
            Test::Constant(src, value) => {
                Op::UnlessConst { src: self.slot(src), target, value: constant_bits(value) }
            }
            Test::Holds(src) => {
                let sort = self.function.sort(src);
                let (mask, src) = (self.mask(sort), self.slot(src));
                match self.plan.layout.tag(self.booleans.true_symbol) {
                    Some(tag) => Op::Unless { src, mask, tag: tag as u16, target },
                    // Truth is never a normal form.
                    None => Op::UnlessConst { src, target, value: u64::MAX },
                }
            }
            Test::Compare(op, a, b) => {
                let kind = self.plan.layout.sorts[self.function.sort(a)].kind;
                let (a, b) = (self.slot(a), self.slot(b));
                match kind {
                    SortKind::Float => Op::UnlessFloat { op, a, b, target },
                    _ => Op::UnlessInt { op, a, b, target },
                }
            }
        };
        self.emit(op)
    }

    fn match_(&mut self, on: LocalId, arms: &[Arm], default: Option<&Block>, after: &LocalSet) {
        let sort = self.function.sort(on);
        let (src, mask) = (self.slot(on), self.mask(sort));
        let branches = arms.len() + usize::from(default.is_some());
        if branches == 0 {
            // A value of a sort without values: never reached.
            self.emit(Op::Loop { target: self.entry, count: 0 });
            return;
        }
        let saved = self.state.clone();
        if branches > 2 {
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

    fn switch(&mut self, on: LocalId, arms: &[Arm], default: Option<&Block>, after: &LocalSet, mask: u16) {
        let src = self.slot(on);
        let saved = self.state.clone();
        let table = self.code.tables.len();
        self.emit(Op::Switch { src, mask, table: table as u32 });
        self.code.tables.resize(table + mask as usize + 1, 0);
        let mut known = vec![false; mask as usize + 1];
        for arm in arms {
            self.state = saved.clone();
            let tag = self.plan.layout.tag(arm.symbol).unwrap_or(0) as usize;
            self.code.tables[table + tag] = self.here();
            known[tag] = true;
            self.arm(on, src, arm, None, after);
        }
        let rest = match default {
            Some(default) => {
                self.state = saved;
                let here = self.here();
                self.block(default, after);
                here
            }
            // Tags without a symbol never occur.
            None => self.code.tables[table],
        };
        for (tag, known) in known.into_iter().enumerate() {
            if !known {
                self.code.tables[table + tag] = rest;
            }
        }
    }

    /// Tests the tag if asked to, loads the fields and goes on with the body. Gives the jump of the failed test.
    fn arm(
        &mut self,
        on: LocalId,
        src: Slot,
        arm: &Arm,
        test: Option<(u16, u16)>,
        after: &LocalSet,
    ) -> Option<usize> {
        let mut live = live::before_block(&arm.body, after);
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
        self.keep_only(&live);
        let loads: Vec<(Slot, Field)> = fields.iter().map(|&(l, f)| (self.bind(l), f)).collect();
        if !one_load && !needs_on {
            self.state.slots[on] = None;
            self.release(src);
        }
        let jump = self.loads(src, class, &loads, test, one_load);
        self.block(&arm.body, after);
        jump
    }

    fn loads(
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
                [(dst, f)] => {
                    let offset = f.offset as u8;
                    return Some(self.emit(Op::UnlessLoad1 {
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
                    return Some(self.emit(Op::UnlessLoad2 {
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
        let jump = test.map(|(tag, mask)| self.emit(Op::Unless { src, mask, tag, target: 0 }));
        if let (Some(class), true) = (byte(class), one_load && loads.iter().all(|l| l.1.offset < 256)) {
            match *loads {
                [(d0, f0), (d1, f1)] => {
                    let (dst, offset) = ([d0, d1], [f0.offset as u8, f1.offset as u8]);
                    self.emit(Op::Load2 { src, dst, class, offset });
                    return jump;
                }
                [(d0, f0), (d1, f1), (d2, f2)] => {
                    let (dst, offset) = ([d0, d1, d2], [f0.offset as u8, f1.offset as u8, f2.offset as u8]);
                    self.emit(Op::Load3 { src, dst, class, offset });
                    return jump;
                }
                _ => {}
            }
        }
        for &(dst, field) in loads {
            let (class, offset) = (class as u16, field.offset as u16);
            self.emit(if field.wide {
                Op::LoadWide { src, dst, class, offset }
            } else {
                Op::Load1 { src, dst, class, offset }
            });
        }
        jump
    }
}
