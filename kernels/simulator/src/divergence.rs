//! Which lanes of a warp run next: the synchronisation stack Π and the context stack Λ of the µ-SIMD machine.
//!
//! After Moreira, Collange, Pereira, "Definição Semântica de Blocos Everywhere para Programação SIMD", figures 6 and 7.
//! Both machines that use this module (the simulator of kernels, and µ-SIMD itself) keep a program counter and the set
//! Θ of active lanes; these two stacks say how both change where control of a warp splits and joins.
//!
//! * A branch [`push`](DivergenceStack::push)es an entry with the lanes that must wait (`todo`) and where they go on;
//!   the caller
//!   continues with the others (rules BT, BF, BD).
//! * The matching synchronisation point calls [`sync`](DivergenceStack::sync): either the waiting lanes get their turn
//!   (rule SS) or all
//!   join (rule SP).
//! * `everywhere` moves Θ and Π to the [`ContextStack`] and starts with all lanes and an empty Π (rule EB); its end
//!   restores them (EE).
//!
//! Beyond the paper, lanes can leave a region early (`break`, `continue`, `return`): they
//! [`park`](DivergenceStack::park) in the entry at whose synchronisation point they go on. When no active lane is left,
//! [`resume`](DivergenceStack::resume) finds the next group.

/// A set of lanes of one warp, lane `i` at bit `i`.
pub type Lanes = u64;

/// The lanes of a set in increasing order.
pub fn lanes(mut set: Lanes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (lane < Lanes::BITS).then_some(lane as usize)
    })
}

/// A divergent region: one element `(id, done, next, todo)` of Π, and where it ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Region {
    /// The branch that opened the region.
    pub id: u32,
    /// Lanes that wait at the synchronisation point.
    pub done: Lanes,
    /// Where the lanes of `todo` go on.
    pub next: u32,
    /// Lanes that wait for their turn.
    pub todo: Lanes,
    /// Position of the synchronisation point; only [`DivergenceStack::resume`] needs it.
    pub join: u32,
}

/// What follows a synchronisation point, or a set of active lanes that ran empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resumption {
    /// The lanes that waited for their turn go on at `next` (rule SS).
    Switch {
        /// Where they go on.
        next: u32,
        /// They.
        active: Lanes,
    },
    /// All lanes of the region leave it together, after its synchronisation point (rule SP).
    Join {
        /// The synchronisation point.
        join: u32,
        /// All lanes that waited there, and those that just arrived.
        active: Lanes,
    },
}

/// The synchronisation stack Π of one warp.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct DivergenceStack {
    entries: Vec<Region>,
}

impl DivergenceStack {
    /// An empty stack.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }
    /// Number of open regions.
    pub fn depth(&self) -> usize {
        self.entries.len()
    }
    /// The open regions, outermost first.
    pub fn entries(&self) -> &[Region] {
        &self.entries
    }
    /// The function `push` of figure 6: opens a region, or adds lanes to the innermost one when the same branch opened
    /// it (a loop).
    pub fn push(&mut self, id: u32, todo: Lanes, next: u32, join: u32) {
        match self.entries.last_mut() {
            Some(top) if top.id == id => {
                top.todo |= todo;
                top.next = next;
            }
            _ => self.entries.push(Region { id, done: 0, next, todo, join }),
        }
    }
    /// The rules SS and SP: `active` lanes arrive at the synchronisation point of the innermost region. `None` when no
    /// region is open.
    pub fn sync(&mut self, active: Lanes) -> Option<Resumption> {
        let top = self.entries.last_mut()?;
        if top.todo != 0 {
            top.done |= active;
            return Some(Resumption::Switch { next: top.next, active: std::mem::take(&mut top.todo) });
        }
        let Region { done, join, .. } = *top;
        self.entries.pop();
        Some(Resumption::Join { join, active: done | active })
    }
    /// Adds waiting lanes to the region at `level` (0 is the outermost), which then go on at `next`: the other ways of
    /// a multi-way branch.
    pub fn postpone(&mut self, level: usize, lanes: Lanes, next: u32) {
        if let Some(entry) = self.entries.get_mut(level) {
            entry.todo |= lanes;
            entry.next = next;
        }
    }
    /// Lets `lanes` leave the regions above `level` (0 is the outermost) and wait at the synchronisation point of that
    /// one. The caller takes them out of its active set, and calls [`resume`](Self::resume) when that is empty.
    pub fn park(&mut self, level: usize, lanes: Lanes) {
        if let Some(entry) = self.entries.get_mut(level) {
            entry.done |= lanes;
        }
    }
    /// The next lanes to run when no active lane is left: those who wait for their turn or at the synchronisation point
    /// of the innermost region that has any. `None` when all regions are empty: the warp is done.
    pub fn resume(&mut self) -> Option<Resumption> {
        while !self.entries.is_empty() {
            match self.sync(0) {
                Some(Resumption::Join { active: 0, .. }) => {}
                step => return step,
            }
        }
        None
    }
}

/// One element (Θ, Π) of Λ: the lanes that ran before an `everywhere` block, and which of them it still has to serve.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Context {
    /// The lanes that were active: they asked for the block, and go on after it.
    pub active: Lanes,
    /// Their synchronisation stack.
    pub stack: DivergenceStack,
    /// The lanes whose turn is still to come, for a block that runs once for each of them.
    pub pending: Lanes,
}

/// The context stack Λ of one warp.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct ContextStack {
    contexts: Vec<Context>,
}

impl ContextStack {
    /// An empty stack.
    pub const fn new() -> Self {
        Self { contexts: Vec::new() }
    }
    /// Number of open `everywhere` blocks.
    pub fn depth(&self) -> usize {
        self.contexts.len()
    }
    /// The open blocks, outer before inner.
    pub fn iter(&self) -> impl Iterator<Item = &Context> {
        self.contexts.iter()
    }
    /// The innermost open block.
    pub fn top(&self) -> Option<&Context> {
        self.contexts.last()
    }
    /// Rule EB: saves Θ and Π; the caller goes on with all lanes and finds `stack` empty.
    pub fn enter(&mut self, active: Lanes, stack: &mut DivergenceStack) {
        self.contexts.push(Context { active, stack: std::mem::take(stack), pending: active });
    }
    /// The next lane to serve, in increasing order.
    pub fn next_lane(&mut self) -> Option<usize> {
        let top = self.contexts.last_mut()?;
        let lane = lanes(top.pending).next()?;
        top.pending &= top.pending - 1;
        Some(lane)
    }
    /// Rule EE: forgets the current Π, restores the one from before the block, and returns Θ. `None` when no block is
    /// open.
    pub fn leave(&mut self, stack: &mut DivergenceStack) -> Option<Lanes> {
        let context = self.contexts.pop()?;
        *stack = context.stack;
        Some(context.active)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEN: u32 = 1;
    const ELSE: u32 = 5;
    const JOIN: u32 = 9;

    #[test]
    fn lanes_come_in_order() {
        assert_eq!(lanes(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(lanes(0).count(), 0);
        assert_eq!(lanes(u64::MAX).count(), 64);
    }

    #[test]
    fn a_divergent_branch_runs_both_ways_and_joins() {
        let mut stack = DivergenceStack::new();
        stack.push(THEN, 0b1100, ELSE, JOIN);
        assert_eq!(stack.sync(0b0011), Some(Resumption::Switch { next: ELSE, active: 0b1100 }));
        assert_eq!(stack.sync(0b1100), Some(Resumption::Join { join: JOIN, active: 0b1111 }));
        assert_eq!(stack.depth(), 0);
    }

    #[test]
    fn a_uniform_branch_joins_at_once() {
        let mut stack = DivergenceStack::new();
        stack.push(THEN, 0, ELSE, JOIN);
        assert_eq!(stack.sync(0b11), Some(Resumption::Join { join: JOIN, active: 0b11 }));
    }

    #[test]
    fn a_loop_gathers_leaving_lanes_in_one_entry() {
        let mut stack = DivergenceStack::new();
        stack.push(THEN, 0b001, JOIN, JOIN);
        stack.push(THEN, 0b010, JOIN, JOIN);
        stack.push(THEN, 0, JOIN, JOIN);
        assert_eq!(stack.depth(), 1);
        assert_eq!(stack.sync(0b100), Some(Resumption::Switch { next: JOIN, active: 0b011 }));
        assert_eq!(stack.sync(0b011), Some(Resumption::Join { join: JOIN, active: 0b111 }));
    }

    #[test]
    fn different_branches_nest() {
        let mut stack = DivergenceStack::new();
        stack.push(THEN, 0b1000, ELSE, JOIN);
        stack.push(THEN + 1, 0b0001, ELSE + 1, JOIN + 1);
        assert_eq!(stack.depth(), 2);
        assert_eq!(stack.sync(0b0110), Some(Resumption::Switch { next: ELSE + 1, active: 0b0001 }));
        assert_eq!(stack.sync(0b0001), Some(Resumption::Join { join: JOIN + 1, active: 0b0111 }));
        assert_eq!(stack.sync(0b0111), Some(Resumption::Switch { next: ELSE, active: 0b1000 }));
    }

    #[test]
    fn parked_lanes_wait_at_their_region() {
        let mut stack = DivergenceStack::new();
        stack.push(1, 0, 0, 100); // a loop
        stack.push(2, 0b0100, ELSE, JOIN); // a branch in its body
        stack.park(0, 0b0011); // break of all lanes of the first way
        assert_eq!(stack.resume(), Some(Resumption::Switch { next: ELSE, active: 0b0100 }));
        stack.park(0, 0b0100);
        assert_eq!(stack.resume(), Some(Resumption::Join { join: 100, active: 0b0111 }));
        assert_eq!(stack.resume(), None);
    }

    #[test]
    fn a_multi_way_branch_postpones_lanes() {
        let mut stack = DivergenceStack::new();
        stack.push(1, 0, 0, JOIN);
        stack.postpone(0, 0b110, 2);
        assert_eq!(stack.sync(0b001), Some(Resumption::Switch { next: 2, active: 0b110 }));
        stack.postpone(0, 0b100, 2);
        assert_eq!(stack.sync(0b010), Some(Resumption::Switch { next: 2, active: 0b100 }));
        assert_eq!(stack.sync(0b100), Some(Resumption::Join { join: JOIN, active: 0b111 }));
    }

    #[test]
    fn synchronising_without_a_branch_is_told() {
        assert_eq!(DivergenceStack::new().sync(1), None);
    }

    #[test]
    fn contexts_nest_and_restore() {
        let mut stack = DivergenceStack::new();
        let mut contexts = ContextStack::new();
        stack.push(THEN, 0b1000, ELSE, JOIN);
        let before = stack.clone();
        contexts.enter(0b0101, &mut stack);
        assert_eq!(stack.depth(), 0);
        assert_eq!(contexts.next_lane(), Some(0));
        contexts.enter(0b1111, &mut stack);
        assert_eq!(contexts.depth(), 2);
        assert_eq!(contexts.leave(&mut stack), Some(0b1111));
        assert_eq!(contexts.next_lane(), Some(2));
        assert_eq!(contexts.next_lane(), None);
        assert_eq!(contexts.leave(&mut stack), Some(0b0101));
        assert_eq!(stack, before);
        assert_eq!(contexts.leave(&mut stack), None);
    }
}
