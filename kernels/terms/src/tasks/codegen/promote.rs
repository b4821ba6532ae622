//! How the oldest frame of a thread is split: into a join, and a task for each call that can run beside the first.
//!
//! Frames that are split alike but for the numbers of the resume point and of the states have one piece of code, which
//! gets the numbers from tables: a program has many calls, but they move their arguments in few ways.

use gchr_base::hash::HashMap;
use gchr_terms::plan::LocalId;

use super::super::contract::TaskFormat;
use super::super::states::{ResumeId, States};
use super::{Case, Runtime, add, machine_of_parts};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_kernel::template::FieldId;

/// Frames that are split alike, from which on they share their code. Fewer have the numbers in the code.
const SHARE: usize = 4;

/// The template's hole, and the function that fills it where that one is compiled apart.
pub(in crate::tasks) const HOLE: &str = "promote";
const APART: &str = "promote_apart";

/// Splits the frame at the bottom of the stack. `apart`: by a function with code of its own, the first of two.
pub(in crate::tasks) fn promote(states: &States<'_>, runtime: Runtime<'_>, apart: bool) -> Vec<Function> {
    if !apart {
        return vec![splits(states, runtime, false)];
    }
    let machine = Type::Record(runtime.machine());
    let Given { mut b, p, stack, join, to, m } = Given::new(HOLE, false, runtime);
    let mut args = vec![p, stack, join, to];
    let fields = runtime.module.records[runtime.machine()].fields.len() as u32;
    args.extend((0..fields).map(|field| build::field_at(runtime.module, m.clone(), field)));
    let split = runtime.names.functions.promote;
    let after = b.call_typed("after", machine, split, args);
    b.assign(m.clone(), after);
    b.ret(Some(m));
    vec![splits(states, runtime, true), b.finish()]
}

/// What the function gets.
struct Given {
    b: FunctionBuilder,
    p: Expr,
    stack: Expr,
    join: Expr,
    to: Expr,
    m: Expr,
}

impl Given {
    /// `apart`: field by field, see [`machine_of_parts`].
    fn new(name: &str, apart: bool, runtime: Runtime<'_>) -> Self {
        let kind = if apart { FunctionKind::Outlined } else { FunctionKind::Device };
        let machine = Type::Record(runtime.machine());
        let mut b = FunctionBuilder::new(name, kind, machine);
        let p = b.param("p", Type::Record(runtime.params()));
        let stack = b.param("stack", Type::Buffer(Space::Local, Scalar::U32));
        let before = if apart { None } else { Some(b.param("before", machine)) };
        let join = b.param("join", Type::U32);
        let to = b.param("to", Type::U32);
        let before = before.unwrap_or_else(|| machine_of_parts(&mut b, runtime));
        let m = b.var("m", before);
        Self { b, p, stack, join, to, m }
    }
}

/// The function that does it.
fn splits(states: &States<'_>, runtime: Runtime<'_>, apart: bool) -> Function {
    let name = if apart { APART } else { HOLE };
    let Given { b, p, stack, join, to, m } = Given::new(name, apart, runtime);
    let mut s = Splitter { runtime, b, p, stack, m, join, to };
    let mut cases = Vec::new();
    for (split, frames) in alike(states, runtime) {
        if frames.len() < SHARE {
            for (id, numbers) in frames {
                s.b.begin();
                s.split(&split, &numbers.into_iter().map(build::u32).collect::<Vec<_>>());
                cases.push((vec![u64::from(id.0)], s.b.end()));
            }
        } else {
            let ids = frames.iter().map(|(id, _)| u64::from(id.0)).collect();
            s.b.begin();
            let numbers = s.look_up(frames);
            s.split(&split, &numbers);
            cases.push((ids, s.b.end()));
        }
    }
    cases.sort_by(|(one, _): &Case, (other, _)| one.cmp(other));
    if !cases.is_empty() {
        let value = s.frame();
        s.b.push(StmtKind::Switch { value, cases, default: Vec::new() });
    }
    s.b.ret(Some(s.m.clone()));
    s.b.finish()
}

/// A slot of a join: its offset, and whether its value has two words.
type Slot = (u32, bool);

/// How a frame is split, but for numbers.
#[derive(PartialEq, Eq, Hash)]
struct Split {
    /// Words of the join that are copied from the frame: from where in the frame, to where in the join.
    kept: Vec<(u32, u32)>,
    /// Words of the join, rounded up to what is written at once.
    words: usize,
    /// The slot that the first call brings its value to.
    own: Slot,
    /// The other calls: the slot of each, and its arguments, from where in the frame to where in the task.
    tasks: Vec<(Slot, Vec<(u32, u32)>)>,
}

/// Of a frame: the resume point behind the last call, and the states at the entries of the other calls.
type Numbers = Vec<u32>;

/// The frames that can be split, those together that are split alike.
fn alike(states: &States<'_>, runtime: Runtime<'_>) -> Vec<(Split, Vec<(ResumeId, Numbers)>)> {
    let mut found: HashMap<Split, Vec<(ResumeId, Numbers)>> = HashMap::default();
    for id in states.resumes.ids() {
        if let Some((split, numbers)) = split(states, runtime, id) {
            found.entry(split).or_default().push((id, numbers));
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, frames)| frames.first().map(|&(id, _)| id));
    found
}

/// How the frame of a resume point is split, if it can be.
fn split(states: &States<'_>, runtime: Runtime<'_>, id: ResumeId) -> Option<(Split, Numbers)> {
    let resume = &states.resumes[id];
    let split = resume.split.as_ref()?;
    let function = &states.plan.functions[resume.function];
    let wide = |l: LocalId| states.plan.layout.sorts[function.sort(l)].is_wide();
    let shape = runtime.shape;
    let (here, meet) = (&shape.frames[id], &shape.frames[split.meet]);
    let TaskFormat { join_value, join_unused, join_head, task_head, .. } = shape.format;
    let in_frame =
        |local: LocalId| here.live.iter().find(|(l, ..)| *l == local).map(|&(_, at, wide)| (at, wide));
    let words = |wide: bool| 0..1 + u32::from(wide);
    // What the children bring is not there yet.
    let brought = |local: LocalId| local == resume.dst || split.siblings.iter().any(|s| s.0 == local);
    let mut kept = Vec::new();
    for &(local, at, wide) in meet.live.iter().filter(|&&(local, ..)| !brought(local)) {
        let (from, _) = in_frame(local).expect("what is live where calls meet is live while they run");
        kept.extend(words(wide).map(|k| (from + k, join_head + at + k)));
    }
    if let (Some(from), Some(to)) = (here.destination, meet.destination) {
        kept.extend((0..shape.destination.len() as u32).map(|k| (from + k, join_head + to + k)));
    }
    let slot = |local: LocalId, last: bool| {
        let at = meet.live.iter().find(|(l, ..)| *l == local).map(|f| join_head + f.1);
        (if last { join_value } else { at.unwrap_or(join_unused) }, wide(local))
    };
    let task = |(k, (dst, _, args)): (usize, &(LocalId, _, &[LocalId]))| {
        let (mut narrow, mut numbers) = (task_head, task_head + shape.words);
        let mut moves = Vec::new();
        for &arg in *args {
            let (at, wide) = in_frame(arg).expect("the arguments of a sibling are live");
            let to = if wide { &mut numbers } else { &mut narrow };
            moves.extend(words(wide).map(|k| (at + k, *to + k)));
            *to += 1 + u32::from(wide);
        }
        (slot(*dst, k + 1 == split.siblings.len()), moves)
    };
    let entries = split.siblings.iter().map(|(_, called, _)| shape.state_number(states.entries[*called]));
    let numbers = std::iter::once(split.meet.0).chain(entries).collect();
    let words = (join_head + meet.words).next_multiple_of(4) as usize;
    let tasks = split.siblings.iter().enumerate().map(task).collect();
    Some((Split { kept, words, own: slot(resume.dst, false), tasks }, numbers))
}

struct Splitter<'a> {
    runtime: Runtime<'a>,
    b: FunctionBuilder,
    p: Expr,
    stack: Expr,
    m: Expr,
    join: Expr,
    to: Expr,
}

impl Splitter<'_> {
    fn reg(&self, field: FieldId) -> Expr {
        build::field_at(self.runtime.module, self.m.clone(), field.0)
    }
    fn param(&self, field: FieldId) -> Expr {
        build::field_at(self.runtime.module, self.p.clone(), field.0)
    }
    /// The resume point of the frame.
    fn frame(&self) -> Expr {
        build::element(self.stack.clone(), self.reg(self.runtime.names.machine.base))
    }
    fn on_stack(&self, offset: u32) -> Expr {
        build::element(self.stack.clone(), add(self.reg(self.runtime.names.machine.base), offset))
    }

    /// The numbers of the frame at hand, which is one of these.
    fn look_up(&mut self, frames: Vec<(ResumeId, Numbers)>) -> Vec<Expr> {
        let first = frames.first().map_or(&[] as &[u32], |(_, numbers)| numbers);
        let names = std::iter::once("meet").chain(std::iter::repeat("entry"));
        let vars: Vec<_> =
            first.iter().zip(names).map(|(&n, name)| self.b.var(name, build::u32(n))).collect();
        let mut cases: Vec<Case> = Vec::new();
        for (id, numbers) in frames {
            self.b.begin();
            vars.iter().zip(numbers).for_each(|(var, n)| self.b.assign(var.clone(), build::u32(n)));
            cases.push((vec![u64::from(id.0)], self.b.end()));
        }
        let value = self.frame();
        self.b.push(StmtKind::Switch { value, cases, default: Vec::new() });
        vars
    }

    /// Splits the frame; `numbers` as in [`Numbers`].
    fn split(&mut self, split: &Split, numbers: &[Expr]) {
        let TaskFormat { join_return, join_head, .. } = self.runtime.shape.format;
        let Some((meet, entries)) = numbers.split_first() else { return };
        // All other words are 0: the collector looks at what has arrived.
        let mut record = vec![build::u32(0); split.words];
        record[0] = build::u32(1 + split.tasks.len() as u32);
        record[join_return as usize] = self.reg(self.runtime.names.machine.ret);
        record[join_head as usize] = meet.clone();
        for &(from, to) in &split.kept {
            record[to as usize] = self.on_stack(from);
        }
        self.write_record(record);
        for ((slot, moves), entry) in split.tasks.iter().zip(entries) {
            self.task(entry.clone(), *slot, moves);
        }
        let own = self.address(split.own);
        let ret = self.reg(self.runtime.names.machine.ret);
        self.b.assign(ret, own);
    }

    /// Writes the first words of the join, four at a time.
    fn write_record(&mut self, words: Vec<Expr>) {
        let records = self.param(self.runtime.names.params.records);
        let first = build::binary(BinaryOp::Div, self.join.clone(), build::u32(4));
        let first = self.b.var("record", first);
        for (number, quad) in words.chunks_exact(4).enumerate() {
            let to = build::element(records.clone(), add(first.clone(), number as u32));
            let value = Expr::new(ExprKind::Record(quad.to_vec()), to.ty);
            self.b.assign(to, value);
        }
    }

    /// The return address of a slot of the join.
    fn address(&self, (offset, wide): Slot) -> Expr {
        let address = add(self.join.clone(), offset);
        if wide {
            build::binary(BinaryOp::Or, address, self.runtime.names.constants.wide.clone())
        } else {
            address
        }
    }

    /// A call that becomes a task: the state at its entry, the slot of its value, and where its arguments go.
    fn task(&mut self, entry: Expr, slot: Slot, moves: &[(u32, u32)]) {
        let (module, functions) = (self.runtime.module, &self.runtime.names.functions);
        let format = self.runtime.shape.format;
        let p = self.p.clone();
        let number = self.b.call("number", module, functions.take_number, vec![p.clone(), self.to.clone()]);
        let at = vec![p, number.clone(), self.to.clone()];
        let first = self.b.call("task", module, functions.task_at, at);
        let queue = self.param(self.runtime.names.params.queue);
        let word = |offset: u32| build::element(queue.clone(), add(first.clone(), offset));
        self.b.assign(word(0), entry);
        let address = self.address(slot);
        self.b.assign(word(format.task_return), address);
        for &(from, to) in moves {
            let value = self.on_stack(from);
            self.b.assign(word(to), value);
        }
        self.b.run(functions.publish, vec![self.p.clone(), number]);
    }
}
