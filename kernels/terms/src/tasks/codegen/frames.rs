//! Frames: what they hold, pushing and popping, and how the oldest one is split.

use gchr_base::ids::IdVec;
use gchr_terms::plan::{FunctionId, LocalId};

use super::super::states::{ResumeId, States};
use super::{Generator, IDLE, JOIN_HEAD, Runtime, add, from_bits, halves, state_number, wide_bits};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;

/// Sizes chosen for a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// Frames.
    pub frames: IdVec<ResumeId, Frame>,
    /// Words a frame takes on the stack.
    pub stride: u32,
    /// Words of the stack.
    pub stack: u32,
    /// Whether it is in shared memory.
    pub striped: bool,
    /// Argument registers of one word, and of 64 bits.
    pub words: u32,
    /// See `words`.
    pub numbers: u32,
    /// The registers of the context that a function runs in, when some function does: its outermost cell, its hole and, where cells are
    /// found by tracing, the sort of the cell.
    pub context: &'static [&'static str],
    /// The most tasks that a frame becomes.
    pub siblings: u32,
}

/// What a frame holds behind the resume point.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// Live variables with their first words, and whether they have two.
    pub live: Vec<(LocalId, u32, bool)>,
    /// First of the words with the function's context, if it can have one.
    pub context: Option<u32>,
    /// Words in all.
    pub words: u32,
}

/// Registers of a context.
const CONTEXT: [&str; 3] = ["root", "hole", "around"];
/// Stacks hold so many frames, or fewer that are large.
const FRAMES: u32 = 32;
const FEWEST_FRAMES: u32 = 12;
/// Words of a stack in shared memory: for 128 threads less than the 48 KiB that a block has without asking.
const SHARED_WORDS: u32 = 92;
/// Words of one that is in local memory, since its frames are large.
const LOCAL_WORDS: u32 = 256;

impl Shape {
    /// Sizes for a plan; `frames`: how many a stack holds, instead of a number that suits a GPU.
    pub fn new(states: &States<'_>, frames: Option<u32>, compact: bool) -> Self {
        let wide =
            |f: FunctionId, l: LocalId| states.plan.layout.sorts[states.plan.functions[f].sort(l)].is_wide();
        let mut shape = Self {
            frames: IdVec::new(),
            stride: 2,
            stack: 0,
            striped: false,
            words: 0,
            numbers: 0,
            context: match states.holes.iter().any(|&h| h) {
                false => &[],
                true if compact => &CONTEXT,
                true => &CONTEXT[..2],
            },
            siblings: 0,
        };
        for resume in states.resumes.iter() {
            let mut next = 1;
            let live = resume.live.iter().map(|&l| {
                let wide = wide(resume.function, l);
                let at = next;
                next += 1 + u32::from(wide);
                (l, at, wide)
            });
            let live = live.collect();
            let context = states.holes[resume.function].then_some(next);
            next += if context.is_some() { shape.context.len() as u32 } else { 0 };
            shape.stride = shape.stride.max(next);
            let siblings = resume.split.as_ref().map_or(0, |split| split.siblings.len());
            shape.siblings = shape.siblings.max(siblings as u32);
            shape.frames.push(Frame { live, context, words: next });
        }
        for state in states.states.iter() {
            let numbers = state.params.iter().filter(|&&p| wide(state.function, p)).count() as u32;
            shape.numbers = shape.numbers.max(numbers);
            shape.words = shape.words.max(state.params.len() as u32 - numbers);
        }
        let shared = SHARED_WORDS / shape.stride;
        let fitting = if shared >= FEWEST_FRAMES { shared } else { LOCAL_WORDS / shape.stride };
        let count = frames.unwrap_or(fitting.clamp(FEWEST_FRAMES, FRAMES)) / 2 * 2;
        shape.stack = count.max(2) * shape.stride;
        shape.striped = shape.stack <= SHARED_WORDS;
        shape
    }

    /// Words a task.
    pub fn task(&self) -> u32 {
        2 + self.words + 2 * self.numbers
    }
    /// Words a join: a power of two.
    pub fn join(&self) -> u32 {
        (JOIN_HEAD + self.stride).next_power_of_two()
    }
    /// Words that a full stack leaves behind.
    pub fn half(&self) -> u32 {
        self.stack / 2
    }
    /// Words a chunk.
    pub fn chunk(&self) -> u32 {
        1 + self.half()
    }
}

impl Generator<'_, '_> {
    fn on_stack(&self, offset: u32) -> Expr {
        build::element(self.stack.clone(), add(self.reg("sp"), offset))
    }

    /// Pushes the frame of a resume point.
    pub(super) fn push_frame(&mut self, resume: ResumeId) {
        let frame = &self.runtime.shape.frames[resume];
        let to = self.on_stack(0);
        self.b.assign(to, build::u32(resume.0));
        for &(local, at, wide) in &frame.live {
            let value = self.local(local);
            let words = if wide { halves(value).to_vec() } else { vec![value] };
            for (k, word) in words.into_iter().enumerate() {
                let to = self.on_stack(at + k as u32);
                self.b.assign(to, word);
            }
        }
        if let Some(at) = frame.context {
            for (k, name) in self.runtime.shape.context.iter().enumerate() {
                let (to, value) = (self.on_stack(at + k as u32), self.reg(name));
                self.b.assign(to, value);
            }
        }
        let sp = self.reg("sp");
        self.b.assign(sp.clone(), add(sp, self.runtime.shape.stride));
    }

    /// Binds the live variables of the frame that was popped.
    pub(super) fn load_frame(&mut self, resume: ResumeId) {
        let frame = &self.runtime.shape.frames[resume];
        for &(local, at, wide) in &frame.live {
            let low = self.on_stack(at);
            let value =
                if wide { from_bits(self.scalar(local), wide_bits(low, self.on_stack(at + 1))) } else { low };
            self.bind(local, value);
        }
        if let Some(at) = frame.context {
            for (k, name) in self.runtime.shape.context.iter().enumerate() {
                let value = self.on_stack(at + k as u32);
                self.set(name, value);
            }
        }
    }
}

/// The functions for the template's holes beside `enter` and `pop`, by name.
pub(in crate::tasks) fn holes(states: &States<'_>, runtime: Runtime<'_>) -> Vec<Function> {
    vec![
        begin(runtime),
        frame_words(runtime),
        accept(runtime),
        put_down(runtime),
        take_up(runtime),
        promote(states, runtime),
    ]
}

/// A thread that has nothing to do: all registers zero but for the state and the ticket.
fn begin(runtime: Runtime<'_>) -> Function {
    let mut b = FunctionBuilder::new("begin", FunctionKind::Device, Type::Record(runtime.machine()));
    let fields = &runtime.module.records[runtime.machine()].fields;
    let values = fields.iter().map(|field| match field.name.as_str() {
        "state" => build::u32(IDLE),
        "ticket" => build::u32(u32::MAX),
        _ => Expr::new(ExprKind::Literal(Literal::Int(0)), field.ty),
    });
    let record = Expr::new(ExprKind::Record(values.collect()), Type::Record(runtime.machine()));
    b.ret(Some(record));
    b.finish()
}

fn frame_words(runtime: Runtime<'_>) -> Function {
    let mut b = FunctionBuilder::new("frame_words", FunctionKind::Device, Type::U32);
    let resume = b.param("resume", Type::U32);
    let mut sizes: Vec<(u32, Vec<u64>)> = Vec::new();
    for (id, frame) in runtime.shape.frames.iter_enumerated() {
        match sizes.iter_mut().find(|(words, _)| *words == frame.words) {
            Some((_, ids)) => ids.push(u64::from(id.0)),
            None => sizes.push((frame.words, vec![u64::from(id.0)])),
        }
    }
    let words = b.var("words", build::u32(sizes.first().map_or(1, |(words, _)| *words)));
    let mut cases = Vec::new();
    for (size, ids) in sizes.into_iter().skip(1) {
        b.begin();
        b.assign(words.clone(), build::u32(size));
        cases.push((ids, b.end()));
    }
    if !cases.is_empty() {
        b.push(StmtKind::Switch { value: resume, cases, default: Vec::new() });
    }
    b.ret(Some(words));
    b.finish()
}

/// Reads a task: registers of the machine that are set before a state is entered.
fn accept(runtime: Runtime<'_>) -> Function {
    let (mut b, from, at, m) = reader("accept", runtime);
    read_task(&mut b, runtime, &from, &at, &m);
    let reg = |name: &str| build::field(runtime.module, m.clone(), name);
    for name in ["base", "sp", "scan"] {
        b.assign(reg(name), build::u32(0));
    }
    if !runtime.shape.context.is_empty() {
        b.assign(reg("hole"), build::u32(0));
    }
    b.ret(Some(m));
    b.finish()
}

/// Reads a task and the context behind it.
fn take_up(runtime: Runtime<'_>) -> Function {
    let (mut b, from, at, m) = reader("take_up", runtime);
    read_task(&mut b, runtime, &from, &at, &m);
    for (name, offset) in runtime.shape.context.iter().zip(runtime.shape.task()..) {
        let word = build::element(from.clone(), add(at.clone(), offset));
        b.assign(build::field(runtime.module, m.clone(), name), word);
    }
    b.ret(Some(m));
    b.finish()
}

/// A function that reads into the machine: its builder, from where, and the machine.
fn reader(name: &str, runtime: Runtime<'_>) -> (FunctionBuilder, Expr, Expr, Expr) {
    let mut b = FunctionBuilder::new(name, FunctionKind::Device, Type::Record(runtime.machine()));
    let from = b.param("from", Type::Buffer(Space::Global, Scalar::U32));
    let before = b.param("before", Type::Record(runtime.machine()));
    let at = b.param("at", Type::U32);
    let m = b.var("m", before);
    (b, from, at, m)
}

fn read_task(b: &mut FunctionBuilder, runtime: Runtime<'_>, from: &Expr, at: &Expr, m: &Expr) {
    let shape = runtime.shape;
    let word = |offset| build::element(from.clone(), add(at.clone(), offset));
    let reg = |name: &str| build::field(runtime.module, m.clone(), name);
    b.assign(reg("state"), word(0));
    b.assign(reg("ret"), word(1));
    for k in 0..shape.words {
        b.assign(reg(&format!("w{k}")), word(2 + k));
    }
    for k in 0..shape.numbers {
        let low = 2 + shape.words + 2 * k;
        b.assign(reg(&format!("n{k}")), wide_bits(word(low), word(low + 1)));
    }
}

/// Writes what `take_up` reads.
fn put_down(runtime: Runtime<'_>) -> Function {
    let shape = runtime.shape;
    let mut b = FunctionBuilder::new("put_down", FunctionKind::Device, Type::Void);
    let to = b.param("to", Type::Buffer(Space::Global, Scalar::U32));
    let m = b.param("m", Type::Record(runtime.machine()));
    let at = b.param("at", Type::U32);
    let word = |offset| build::element(to.clone(), add(at.clone(), offset));
    let reg = |name: &str| build::field(runtime.module, m.clone(), name);
    let mut words = vec![reg("state"), reg("ret")];
    words.extend((0..shape.words).map(|k| reg(&format!("w{k}"))));
    words.extend((0..shape.numbers).flat_map(|k| halves(reg(&format!("n{k}")))));
    let context = shape.context.iter().map(|name| reg(name));
    for (offset, value) in words.into_iter().chain(context).enumerate() {
        b.assign(word(offset as u32), value);
    }
    b.finish()
}

/// Splits the frame at the bottom of the stack.
fn promote(states: &States<'_>, runtime: Runtime<'_>) -> Function {
    let mut b = FunctionBuilder::new("promote", FunctionKind::Device, Type::Record(runtime.machine()));
    let p = b.param("p", Type::Record(runtime.params()));
    let stack = b.param("stack", Type::Buffer(Space::Local, Scalar::U32));
    let before = b.param("before", Type::Record(runtime.machine()));
    let join = b.param("join", Type::U32);
    let to = b.param("to", Type::U32);
    let m = b.var("m", before);
    let mut s = Splitter { states, runtime, b, p, stack, m, join, to };
    let mut cases = Vec::new();
    for id in states.resumes.ids().filter(|&id| states.resumes[id].split.is_some()) {
        s.b.begin();
        s.split(id);
        cases.push((vec![u64::from(id.0)], s.b.end()));
    }
    if !cases.is_empty() {
        let base = s.reg("base");
        let value = build::element(s.stack.clone(), base);
        s.b.push(StmtKind::Switch { value, cases, default: Vec::new() });
    }
    s.b.ret(Some(s.m.clone()));
    s.b.finish()
}

struct Splitter<'a, 'p> {
    states: &'a States<'p>,
    runtime: Runtime<'a>,
    b: FunctionBuilder,
    p: Expr,
    stack: Expr,
    m: Expr,
    join: Expr,
    to: Expr,
}

impl Splitter<'_, '_> {
    fn reg(&self, name: &str) -> Expr {
        build::field(self.runtime.module, self.m.clone(), name)
    }
    fn on_stack(&self, offset: u32) -> Expr {
        build::element(self.stack.clone(), add(self.reg("base"), offset))
    }
    fn constant(&self, name: &str) -> Expr {
        let id = self.runtime.module.constant(name);
        Expr::new(ExprKind::Constant(id.unwrap_or_else(|| panic!("the template defines {name}"))), Type::U32)
    }

    fn split(&mut self, id: ResumeId) {
        let resume = &self.states.resumes[id];
        let Some(split) = resume.split.clone() else { return };
        let function = &self.states.plan.functions[resume.function];
        let wide = |l: LocalId| self.states.plan.layout.sorts[function.sort(l)].is_wide();
        let pending = 1 + split.siblings.len() as u32;
        // What the children bring is not there yet.
        let mut brought: Vec<LocalId> = vec![resume.dst];
        brought.extend(split.siblings.iter().map(|s| s.0));
        let (here, meet) = (&self.runtime.shape.frames[id], &self.runtime.shape.frames[split.meet]);
        // All other words are 0: the collector looks at what has arrived.
        let mut record = vec![build::u32(0); (JOIN_HEAD + meet.words).next_multiple_of(4) as usize];
        record[0] = build::u32(pending);
        record[1] = self.reg("ret");
        record[JOIN_HEAD as usize] = build::u32(split.meet.0);
        let mut copy = |from: u32, to: u32, words: u32| {
            for k in 0..words {
                record[(JOIN_HEAD + to + k) as usize] = self.on_stack(from + k);
            }
        };
        for &(local, at, wide) in meet.live.iter().filter(|(l, ..)| !brought.contains(l)) {
            let from = here.live.iter().find(|(l, ..)| *l == local).map(|f| f.1);
            let from = from.expect("what is live where calls meet is live while they run");
            copy(from, at, 1 + u32::from(wide));
        }
        if let (Some(from), Some(to)) = (here.context, meet.context) {
            copy(from, to, self.runtime.shape.context.len() as u32);
        }
        self.write_record(record);
        let slot = |local: LocalId, last: bool| {
            let at = meet.live.iter().find(|(l, ..)| *l == local).map(|f| JOIN_HEAD + f.1);
            let offset = if last { 2 } else { at.unwrap_or(4) };
            (offset, wide(local))
        };
        for (k, (dst, called, args)) in split.siblings.iter().enumerate() {
            let to = slot(*dst, k + 1 == split.siblings.len());
            self.task(id, *called, args, to);
        }
        let own = self.address(slot(resume.dst, false));
        let ret = self.reg("ret");
        self.b.assign(ret, own);
    }

    /// Writes the first words of the join, four at a time.
    fn write_record(&mut self, words: Vec<Expr>) {
        let records = build::field(self.runtime.module, self.p.clone(), "records");
        let first = build::binary(BinaryOp::Div, self.join.clone(), build::u32(4));
        let first = self.b.var("record", first);
        for (number, quad) in words.chunks_exact(4).enumerate() {
            let to = build::element(records.clone(), add(first.clone(), number as u32));
            let value = Expr::new(ExprKind::Record(quad.to_vec()), to.ty);
            self.b.assign(to, value);
        }
    }

    /// The return address of a slot of the join.
    fn address(&self, (offset, wide): (u32, bool)) -> Expr {
        let address = add(self.join.clone(), offset);
        if wide { build::binary(BinaryOp::Or, address, self.constant("WIDE")) } else { address }
    }

    /// A call that becomes a task; its arguments are in the frame.
    fn task(&mut self, id: ResumeId, function: FunctionId, args: &[LocalId], to: (u32, bool)) {
        let module = self.runtime.module;
        let shape = self.runtime.shape;
        let p = self.p.clone();
        let to_lane = vec![p.clone(), self.to.clone()];
        let number = self.b.call("number", module, self.runtime.function("take_number"), to_lane);
        let at = vec![p, number.clone(), self.to.clone()];
        let first = self.b.call("task", module, self.runtime.function("task_at"), at);
        let queue = build::field(module, self.p.clone(), "queue");
        let word = |offset: u32| build::element(queue.clone(), add(first.clone(), offset));
        let state = self.states.entries[function];
        self.b.assign(word(0), build::u32(state_number(state)));
        let address = self.address(to);
        self.b.assign(word(1), address);
        let (mut words, mut numbers) = (2, 2 + shape.words);
        for &arg in args {
            let frame = shape.frames[id].live.iter().find(|(l, ..)| *l == arg);
            let &(_, at, wide) = frame.expect("the arguments of a sibling are live");
            let next = if wide { &mut numbers } else { &mut words };
            let to = *next;
            *next += 1 + u32::from(wide);
            for k in 0..1 + u32::from(wide) {
                let value = self.on_stack(at + k);
                self.b.assign(word(to + k), value);
            }
        }
        self.b.run(self.runtime.function("publish"), vec![self.p.clone(), number]);
    }
}
