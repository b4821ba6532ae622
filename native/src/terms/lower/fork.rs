//! Calls that need neither each other's values nor come one after the other: while one of them runs, those behind it
//! are offered to other threads.
//!
//! An offer is a record in the frame, and an entry in the list of the machine: a function and its arguments. Making one
//! and taking it back take a few stores; nobody else looks at them until the thread, which looks up regularly, hands
//! its oldest offers over ([`super::super::workers`]). What is in a record need not be kept elsewhere: the collector
//! finds it there, and arguments are read from it when an offer is taken back. Base cases are computed first, so that
//! no offer is made of what is done at once.
//!
//! Control goes through a group of calls on two tracks: on the first one, as long as none was called, nothing is
//! offered; the first call offers all that wait behind it, and leads to the second track. Lazy promotion of the oldest
//! call at a regular beat is that of Acar, Charguéraud, Guatto, Rainey and Sieczkowski: "Heartbeat Scheduling: Provable
//! Efficiency for Nested Parallelism" (PLDI 2018).

use gchr_base::signature::SortId;
use gchr_terms::plan::live::LocalSet;
use gchr_terms::plan::{Block, End, FunctionId, LocalId, Step, Target};

use super::{Lower, NONE, Path, Pending};
use crate::emit::{Compare, Label, MemoryAccess, Root, Val, Var, Width, WordOp};
use crate::function::Kind;
use crate::terms::helpers::OFFERS;
use crate::terms::kind;
use crate::terms::lower::operate;

/// So many calls are looked at together; more of them are several groups.
const MOST: usize = 8;
/// Bytes of an entry in the list of offers.
const ENTRY: i64 = 8;

/// A call of a group.
struct Member<'p> {
    function: FunctionId,
    /// The locals that it is given, and their values.
    locals: &'p [LocalId],
    args: Vec<Val>,
    /// What is bound to its value; none for the call of a context.
    dst: Option<LocalId>,
    sort: SortId,
    base: Option<&'p Block>,
    /// Its value, as a word; zero, which is no cell, before it is known.
    value: Var,
    /// Whether it has no value yet, where a base case may have given it one before its turn.
    waits: Option<Var>,
}

/// A group of calls.
struct Group<'p> {
    members: Vec<Member<'p>>,
    /// Whether the last one is that of a context.
    context: bool,
    /// Applications that are pending.
    count: Var,
    /// What is needed after all calls, but for their values.
    live: LocalSet,
}

/// The ways through a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Track {
    /// Nothing has been offered.
    Plain,
    /// All that wait have been.
    Offered,
}

/// Where the turn of each member begins on each track, and the end of both.
struct Turns {
    plain: Vec<Label>,
    offered: Vec<Label>,
}

impl Turns {
    fn at(&self, track: Track, member: usize) -> Label {
        match track {
            Track::Plain => self.plain[member],
            Track::Offered => self.offered[member],
        }
    }
}

impl<'p> Lower<'_, '_, 'p> {
    /// Whether several threads share a run.
    pub(super) fn forks(&self) -> bool {
        self.helpers.join.is_some()
    }

    /// How many calls, from this step on, are looked at together.
    pub(super) fn side_by_side(&self, step: &Step) -> Option<usize> {
        match step {
            Step::Call { siblings, .. } if *siblings > 0 && self.forks() && self.miss.is_none() => {
                Some((*siblings as usize + 1).min(MOST))
            }
            _ => None,
        }
    }

    /// Calls from step `first` of a block on; says whether that was the end of the block. `sets` are the locals that
    /// are needed before each step.
    pub(super) fn fork(&mut self, block: &'p Block, first: usize, calls: usize, sets: &[LocalSet]) -> bool {
        let group = self.group(block, first, calls, sets);
        self.pending = NONE;
        for at in 1..group.members.len() {
            self.try_base(&group, at, &sets[first]);
        }
        let path = self.save();
        let turns = self.turns(group.members.len());
        self.e.jump(turns.plain[0], &[]);
        let turning = group.members.len() - usize::from(group.context);
        for at in 0..turning {
            self.turn(&group, at, Track::Plain, &turns, &path);
            // The first one begins the plain track.
            if at > 0 {
                self.turn(&group, at, Track::Offered, &turns, &path);
            }
        }
        if group.context {
            for track in [Track::Plain, Track::Offered] {
                self.last(&group, track, &turns, &path, block);
            }
            return true;
        }
        self.e.bind(turns.plain[turning]);
        self.restore(path);
        self.bind_values(&group);
        false
    }

    fn turns(&mut self, members: usize) -> Turns {
        let mut labels = || (0..members).map(|_| self.e.label(&[])).collect::<Vec<Label>>();
        let (mut plain, mut offered) = (labels(), labels());
        let end = self.e.label(&[]);
        plain.push(end);
        offered.push(end);
        Turns { plain, offered }
    }

    fn group(&mut self, block: &'p Block, first: usize, calls: usize, sets: &[LocalSet]) -> Group<'p> {
        let pending = self.pending();
        let count = self.e.variable(pending);
        let end = (first + calls).min(block.steps.len());
        let steps = &block.steps[first..end];
        let mut members = Vec::new();
        let mut live = sets[end].clone();
        for (at, step) in steps.iter().enumerate() {
            let Step::Call { dst, function, args, .. } = step else { unreachable!("siblings are calls") };
            members.push(self.of_group(*function, args, Some(*dst), at > 0));
            live.remove(*dst);
        }
        let context = steps.len() < calls;
        if context {
            let End::Context { hole, nest, target, args } = &block.end else {
                unreachable!("the last sibling is the call of a context")
            };
            let function = match target {
                Target::Again => self.id,
                Target::Function(function) => *function,
            };
            members.push(self.of_group(function, args, None, false));
            live = LocalSet::default();
            let values = |local: &LocalId| members.iter().any(|member| member.dst == Some(*local));
            let bound = |local: &LocalId| nest.iter().any(|step| step.dst() == Some(*local));
            let fields = nest.iter().flat_map(Step::uses);
            fields
                .filter(|local| local != hole && !values(local) && !bound(local))
                .for_each(|l| live.insert(l));
        }
        Group { members, context, count, live }
    }

    /// A member; `early`: its base case is tried before the others are called.
    fn of_group(
        &mut self,
        function: FunctionId,
        args: &'p [LocalId],
        dst: Option<LocalId>,
        early: bool,
    ) -> Member<'p> {
        let callee = &self.plan.functions[function];
        let base = callee.base.as_deref().filter(|base| operate::all_in_line(self.plan, callee, base));
        let base = base.filter(|_| dst.is_some());
        let (zero, one) = (self.e.int(0), self.e.int(1));
        let value = self.e.variable(zero);
        let waits = (early && base.is_some()).then(|| self.e.variable(one));
        Member {
            function,
            locals: args,
            args: self.values(args),
            dst,
            sort: callee.result,
            base,
            value,
            waits,
        }
    }

    fn counted(&mut self, group: &Group<'p>) -> Pending {
        Pending { fixed: 0, more: Some(self.e.get(group.count)) }
    }

    /// Values with cells that may be known when it is the turn of a member: those of the members before it, and of base
    /// cases that were tried.
    fn known(&mut self, group: &Group<'p>, at: usize) -> (Vec<Root>, Vec<Var>) {
        let others = group.members.iter().enumerate().filter(|&(other, _)| other != at);
        let known = others.filter(|(other, m)| (*other < at || m.waits.is_some()) && self.has_cells(m.sort));
        let known: Vec<(SortId, Var)> = known.map(|(_, member)| (member.sort, member.value)).collect();
        let roots = known.iter().map(|&(sort, var)| (sort.0, self.e.get(var))).collect();
        (roots, known.into_iter().map(|known| known.1).collect())
    }

    fn set_value(&mut self, var: Var, value: Val) {
        let bits = self.e.bits(value);
        self.e.set(var, bits);
    }

    /// Binds all values, and takes over what is pending.
    fn bind_values(&mut self, group: &Group<'p>) {
        for member in &group.members {
            let Some(dst) = member.dst else { continue };
            let bits = self.e.get(member.value);
            let float = kind(self.plan.layout.sorts[member.sort].kind) == Kind::Float;
            let value = if float { self.e.float_of_bits(bits) } else { bits };
            self.set(dst, value);
        }
        self.pending = self.counted(group);
    }

    /// The base case of a member: goes on where it has no value, else at a label. `live` is needed after it.
    fn base_of(&mut self, group: &Group<'p>, at: usize, live: &LocalSet, done: Label) {
        let member = &group.members[at];
        let Some(base) = member.base else { return };
        let path = self.save();
        let known = self.known(group, at).0;
        let roots = self.roots_with(live, &known);
        self.pending = self.counted(group);
        let (join, miss) = self.attempt(member.function, base, &member.args, roots);
        let joined = self.e.bind(join);
        self.restore(path.clone());
        self.set_value(member.value, joined[0]);
        self.e.set(group.count, joined[1]);
        if let Some(waits) = member.waits {
            let zero = self.e.int(0);
            self.e.set(waits, zero);
        }
        self.e.jump(done, &[]);
        self.e.bind(miss);
        self.restore(path);
    }

    /// The base case of a member before its turn; `before` is what is needed by all members and after them.
    fn try_base(&mut self, group: &Group<'p>, at: usize, before: &LocalSet) {
        if group.members[at].waits.is_none() {
            return;
        }
        let path = self.save();
        let next = self.e.label(&[]);
        self.base_of(group, at, before, next);
        self.e.jump(next, &[]);
        self.e.bind(next);
        self.restore(path);
    }

    /// The turn of a member on a track.
    fn turn(&mut self, group: &Group<'p>, at: usize, track: Track, turns: &Turns, path: &Path) {
        let member = &group.members[at];
        let hole = self.hole;
        self.e.bind(turns.at(track, at));
        self.restore(path.clone());
        let (same, offered) = (turns.at(track, at + 1), turns.at(Track::Offered, at + 1));
        self.unless_known(member, same);
        let mut args = member.args.clone();
        match track {
            Track::Plain => {
                if at == 0 {
                    let live = self.needed_by_others(group);
                    self.base_of(group, at, &live, same);
                }
                self.offer_rest(group, at);
            }
            Track::Offered => {
                let (there, value, here) = self.take_back(group, at);
                self.e.bind(there);
                self.e.set(member.value, value);
                self.e.jump(offered, &[]);
                self.e.bind(here);
                self.restore(path.clone());
                args = self.arguments_of_record(group, at);
            }
        }
        self.pending = self.counted(group);
        let (known, vars) = self.known(group, at);
        let (value, known) = self.plain_call(member.function, &args, &group.live, &known);
        self.set_value(member.value, value);
        for (var, value) in vars.into_iter().zip(known) {
            self.e.set(var, value);
        }
        let zero = self.e.int(0);
        self.e.set(group.count, zero);
        self.e.jump(offered, &[]);
        self.hole = hole;
    }

    /// What is needed after the base case of the first member: by the others, and after them.
    fn needed_by_others(&self, group: &Group<'p>) -> LocalSet {
        let mut live = group.live.clone();
        group.members[1..].iter().flat_map(|member| member.locals).for_each(|&local| live.insert(local));
        live
    }

    /// The call of a context, at the end of a block, on a track.
    fn last(&mut self, group: &Group<'p>, track: Track, turns: &Turns, path: &Path, block: &'p Block) {
        let at = group.members.len() - 1;
        let End::Context { hole, nest, .. } = &block.end else { unreachable!("as when it was grouped") };
        let around = self.hole;
        self.e.bind(turns.at(track, at));
        self.restore(path.clone());
        if track == Track::Offered {
            let (there, value, here) = self.take_back(group, at);
            self.e.bind(there);
            self.bind_values(group);
            // The value, until it is in its place.
            let outer = self.outer.len();
            if self.has_cells(group.members[at].sort) {
                self.outer.push((group.members[at].sort.0, value));
            }
            let (root, place) = self.around(*hole, nest, &LocalSet::default());
            self.outer.truncate(outer);
            self.e.store(Width::Single, MemoryAccess::Plain, value, place, 0);
            self.count();
            let root = self.e.low_half(root);
            self.e.give(root);
            self.e.bind(here);
            self.restore(path.clone());
            self.hole = around;
            let args = self.arguments_of_record(group, at);
            self.bind(group.members[at].locals, &args);
        }
        self.bind_values(group);
        self.end(&block.end, &LocalSet::default());
        self.hole = around;
    }

    /// Goes on only where a member has no value yet.
    fn unless_known(&mut self, member: &Member<'p>, done: Label) {
        if let Some(waits) = member.waits {
            let waits = self.e.get(waits);
            let known = self.e.compare_to(Compare::Equal, waits, 0);
            self.e.jump_if(known, done);
        }
    }

    // Offers.

    /// Offers all members behind one that have no value yet.
    fn offer_rest(&mut self, group: &Group<'p>, at: usize) {
        // The next one is to be the newest.
        for later in (at + 1..group.members.len()).rev() {
            let next = self.e.label(&[]);
            self.unless_known(&group.members[later], next);
            self.offer(group, later);
            self.e.jump(next, &[]);
            self.e.bind(next);
        }
    }

    /// The address of the record of a member.
    fn record(&mut self, group: &Group<'p>, at: usize) -> Val {
        let room = self.e.room(at - 1, 1 + group.members[at].args.len());
        self.e.address(room)
    }

    fn offer(&mut self, group: &Group<'p>, at: usize) {
        let member = &group.members[at];
        let record = self.record(group, at);
        // Odd: nobody else has it. A task has an even address.
        let function = self.func(member.function, false);
        let own = self.e.int(i64::from(function.0) << 1 | 1);
        self.e.store(Width::Word, MemoryAccess::Plain, own, record, 0);
        for (i, &arg) in member.args.iter().enumerate() {
            let bits = self.e.bits(arg);
            self.e.store(Width::Word, MemoryAccess::Plain, bits, record, 8 * (i as i32 + 1));
        }
        let end = self.e.load_machine(Width::Word, MemoryAccess::Plain, OFFERS);
        self.e.store(Width::Word, MemoryAccess::Plain, record, end, 0);
        let end = self.e.word_by(WordOp::Add, end, ENTRY);
        self.e.store_machine(Width::Word, end, OFFERS);
    }

    /// The arguments of an offer that was taken back.
    fn arguments_of_record(&mut self, group: &Group<'p>, at: usize) -> Vec<Val> {
        let record = self.record(group, at);
        let member = &group.members[at];
        let mut args = Vec::new();
        for (i, &local) in member.locals.iter().enumerate() {
            let width = if self.kind(local) == Kind::Float { Width::Float } else { Width::Word };
            args.push(self.e.load(width, MemoryAccess::Plain, record, 8 * (i as i32 + 1)));
        }
        args
    }

    /// Takes back the newest offer, which is of this member: a label where another thread has computed its value, the
    /// value there, and a label where the member is to be called.
    fn take_back(&mut self, group: &Group<'p>, at: usize) -> (Label, Val, Label) {
        let (call, taken, there) = (self.e.label(&[]), self.e.cold_label(&[]), self.e.cold_label(&[]));
        let end = self.e.load_machine(Width::Word, MemoryAccess::Plain, OFFERS);
        let end = self.e.word_by(WordOp::Add, end, -ENTRY);
        self.e.store_machine(Width::Word, end, OFFERS);
        let record = self.record(group, at);
        let state = self.e.load(Width::Word, MemoryAccess::Plain, record, 0);
        let own = self.e.word_by(WordOp::And, state, 1);
        let own = self.e.compare_to(Compare::NotEqual, own, 0);
        self.e.branch(own, (call, &[]), (taken, &[]));
        self.e.bind(taken);
        let known = self.known(group, at).0;
        let roots = self.roots_with(&group.live, &known);
        let Some(join) = self.helpers.join else { unreachable!("only programs that fork have groups") };
        let found = self.e.rare_helper(join, &[record], &roots);
        let found = self.e.compare_to(Compare::NotEqual, found, 0);
        let value = self.e.load(Width::Word, MemoryAccess::Plain, record, 0);
        self.e.branch(found, (there, &[]), (call, &[]));
        (there, value, call)
    }
}
