//! From plans to bytecode: slots for locals, jumps for blocks, maps for the collector.
//!
//! Slots are given by one walk down the tree of blocks: a local gets a free slot when it is bound, preferably the one
//! where its value is wanted at the end (a parameter of the loop that continues, the value of a region), and gives it
//! back after its last use.

mod ends;
mod slots;
mod steps;

use self::slots::SlotSet;
use crate::exec::bytecode::*;
use crate::plan::live::{Before, LocalSet};
use crate::plan::*;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::{Booleans, SortId};

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

/// Bytecode of a plan; `recorded` counts how often each block is entered in which rules are applied.
pub(super) fn assemble(plan: &TermPlan, booleans: Booleans, recorded: bool) -> Result<Code, TooLarge> {
    let holes = functions_with_holes(plan);
    let is_traced = |(id, sort): (SortId, &SortLayout)| sort.has_cells() || plan.layout.is_big(id);
    let traced = plan.layout.sorts.iter_enumerated().map(is_traced).collect();
    let mut code = empty(plan)?;
    let mut calls = Vec::new();
    for (id, function) in plan.functions.iter_enumerated() {
        let entry = code.ops.len() as Pc;
        let mut assembler = Assembler {
            plan,
            booleans,
            function,
            id,
            holes: &holes,
            traced: &traced,
            recorded,
            code: &mut code,
            calls: &mut calls,
            state: PathState {
                bound: LocalSet::default(),
                used: SlotSet::default(),
                pending: 0,
                rule: u32::MAX,
            },
            slots: function.locals.iter().map(|_| 0).collect(),
            before: Before::default(),
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

/// Bytecode without functions.
fn empty(plan: &TermPlan) -> Result<Code, TooLarge> {
    let limit = u64::from(u16::MAX);
    if plan.layout.sorts.len() as u64 > limit || plan.layout.classes.len() as u64 > limit {
        return Err(TooLarge { what: "sorts of the program".into(), limit });
    }
    Ok(Code {
        ops: vec![Instr::Halt],
        functions: Vec::new(),
        tables: Vec::new(),
        operands: Vec::new(),
        sites: Vec::new(),
        traces: Vec::new(),
        blocks: Vec::new(),
        failures: Vec::new(),
        map_of: vec![NO_MAP],
        maps: Vec::new(),
        roots: Vec::new(),
        rule_of: vec![u32::MAX],
        max_frame: 1,
        classes: plan.layout.classes.iter().map(|c| c.words).collect(),
    })
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
    let mut neighbours: IdVec<FunctionId, Vec<FunctionId>> =
        plan.functions.iter().map(|_| Vec::new()).collect();
    for (a, b) in edges {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut todo: Vec<FunctionId> = holes.ids().filter(|&id| holes[id]).collect();
    while let Some(id) = todo.pop() {
        for &other in &neighbours[id] {
            if !std::mem::replace(&mut holes[other], true) {
                todo.push(other);
            }
        }
    }
    holes
}

fn target_of(op: &mut Instr) -> Option<&mut Pc> {
    use Instr::*;
    match op {
        Jump { target, .. }
        | Loop { target, .. }
        | Loop1 { target, .. }
        | Loop2 { target, .. }
        | Unless { target, .. }
        | UnlessLoad1 { target, .. }
        | UnlessLoad2 { target, .. }
        | UnlessInt { target, .. }
        | UnlessBig { target, .. }
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

/// The part of the state that differs between paths.
#[derive(Clone)]
struct PathState {
    /// The locals that are bound and needed.
    bound: LocalSet,
    /// Their slots.
    used: SlotSet,
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
    /// Whether values of a sort may be cells.
    traced: &'a IdVec<SortId, bool>,
    /// Whether blocks are counted.
    recorded: bool,
    code: &'a mut Code,
    /// Instructions whose target is the entry of a function.
    calls: &'a mut Vec<(usize, FunctionId)>,
    state: PathState,
    /// The slots of the locals that have been bound.
    slots: IdVec<LocalId, Slot>,
    /// What is needed before the blocks of the region at hand.
    before: Before,
    /// The preferred slot of a local.
    hints: HashMap<LocalId, Slot>,
    /// Slots of the values of enclosing regions: free for the locals that become these values, and for no others.
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
        self.body(body, &LocalSet::default());
    }

    /// Records preferred slots for the arguments of loops and tail calls, and for the value of a region.
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
        self.slots[local]
    }

    fn take(&mut self, local: LocalId, slot: Slot) {
        self.use_slot(slot);
        self.slots[local] = slot;
        self.state.bound.insert(local);
    }

    fn use_slot(&mut self, slot: Slot) {
        self.state.used.insert(slot);
        self.frame = self.frame.max(usize::from(slot) + 1);
    }

    fn is_free(&self, slot: Slot) -> bool {
        !self.state.used.contains(slot)
    }

    fn free_slot(&mut self) -> Slot {
        // One more than fits is noticed by the size of the frame.
        let slot = self.state.used.first_free(&self.reserved).min(MAX_FRAME) as Slot;
        self.use_slot(slot);
        slot
    }

    /// A slot for a local that is bound now.
    fn bind(&mut self, local: LocalId) -> Slot {
        let hint = self.hints.get(&local).copied().filter(|&s| self.is_free(s));
        let slot = hint.unwrap_or_else(|| self.free_slot());
        self.take(local, slot);
        slot
    }

    fn release(&mut self, slot: Slot) {
        self.state.used.remove(slot);
    }

    /// Gives back the slots of all locals that are not live.
    fn keep_only(&mut self, live: &LocalSet) {
        let PathState { bound, used, .. } = &mut self.state;
        bound.retain(live, &mut |local| used.remove(self.slots[local]));
    }

    /// The same where a path begins. All slots in use are those of locals there; where a path needs a few of very many,
    /// these are less to look at than the others.
    fn keep_on_path(&mut self, live: &LocalSet) {
        if live.words() * 16 > self.state.bound.words() {
            return self.keep_only(live);
        }
        let PathState { bound, used, .. } = &mut self.state;
        bound.intersect(live);
        *used = SlotSet::default();
        bound.iter().for_each(|local| used.insert(self.slots[local]));
    }

    // Code.

    fn here(&self) -> Pc {
        self.code.ops.len() as Pc
    }

    fn emit(&mut self, op: Instr) -> usize {
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
            self.emit(Instr::Count { count: pending });
            return 0;
        }
        pending
    }

    /// A map of the live locals for the instruction at `at`.
    fn map(&mut self, at: usize, live: &LocalSet, result: Option<FunctionId>) {
        let first = self.code.roots.len() as u32;
        let roots = self.roots_of(live);
        self.code.roots.extend(roots);
        let len = (self.code.roots.len() as u32 - first) as u16;
        let (hole_callee, sort) =
            result.map_or((false, 0), |f| (self.holes[f], self.plan.functions[f].result.0 as u16));
        let pending = self.state.pending;
        self.code.map_of[at] = self.code.maps.len() as u32;
        self.code.maps.push(Map { first, len, hole_callee, result: sort, pending });
    }

    /// Moves arguments into place and closes a loop.
    fn close(&mut self, params: &[Slot], args: &[LocalId], target: Pc) -> usize {
        let moves: Vec<(Slot, Slot)> =
            params.iter().zip(args).map(|(&p, &a)| (p, self.slot(a))).filter(|(d, s)| d != s).collect();
        params.iter().for_each(|&p| self.frame = self.frame.max(p as usize + 1));
        match *moves.as_slice() {
            [(dst, src)] => {
                let count = self.take_count(255) as u8;
                self.emit(Instr::Loop1 { count, dst, src, target })
            }
            [(d0, s0), (d1, s1)] => {
                let count = self.take_count(255) as u8;
                self.emit(Instr::Loop2 { count, dst: [d0, d1], src: [s0, s1], target })
            }
            _ => {
                self.moves(&moves);
                let count = self.take_count(u32::from(u16::MAX)) as u16;
                self.emit(Instr::Loop { target, count })
            }
        }
    }

    // Blocks.

    /// The body of a region.
    fn body(&mut self, body: &Block, after: &LocalSet) {
        let outer = std::mem::replace(&mut self.before, Before::new(body, after));
        self.block(body, after);
        self.before = outer;
    }

    fn block(&mut self, block: &Block, after: &LocalSet) {
        if let Some(last) = block.applied.last() {
            self.state.pending += block.applied.len() as u32;
            self.state.rule = last.0;
            if self.recorded {
                let tally = Instr::Tally { block: self.code.blocks.len() as u32 };
                let pending = self.state.pending;
                self.code.blocks.push(CountedBlock { rules: block.applied.as_slice().into(), pending });
                self.emit(tally);
            }
        }
        let sets = self.before.steps(block, after);
        self.keep_on_path(&sets[0]);
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
            self.state.bound.remove(dst);
            self.release(slot);
        }
        slot
    }
}
