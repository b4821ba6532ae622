//! Frames: what they hold, pushing and popping.

use gchr_base::ids::IdVec;
use gchr_terms::plan::{FunctionId, LocalId};

use super::super::contract::TaskFormat;
use super::super::states::{ResumeId, StateId, States};
use super::{Generator, Runtime, add, from_bits, halves, wide_bits};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_kernel::template::FieldId;

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
    /// The registers of the destination that a function with TRMC fills, if there is one: the outermost cell of its
    /// context, the word to fill and, where cells are found by tracing, the sort of the cell.
    pub destination: &'static [&'static str],
    /// The most tasks that a frame becomes.
    pub siblings: u32,
    /// Words of tasks and joins; the template's.
    pub format: TaskFormat,
}

/// What a frame holds behind the resume point.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// Live variables with their first words, and whether they have two.
    pub live: Vec<(LocalId, u32, bool)>,
    /// First of the words with the function's destination, if it can have one.
    pub destination: Option<u32>,
    /// Words in all.
    pub words: u32,
}

/// Registers of a destination, in the order of [`Shape::destination`].
pub(super) const ROOT: usize = 0;
pub(super) const HOLE: usize = 1;
pub(super) const SORT: usize = 2;
const DESTINATION: [&str; 3] = ["root", "hole", "around"];
/// Stacks hold so many frames, or fewer that are large.
const FRAMES: u32 = 32;
const FEWEST_FRAMES: u32 = 12;
/// Words of a stack in shared memory: for 128 threads less than the 48 KiB that a block has without asking.
const SHARED_WORDS: u32 = 92;
/// Words of one that is in local memory, since its frames are large.
const LOCAL_WORDS: u32 = 256;

impl Shape {
    /// Sizes for a plan; `frames`: how many a stack holds, instead of a number that suits a GPU.
    pub fn new(states: &States<'_>, frames: Option<u32>, compact: bool, format: TaskFormat) -> Self {
        let wide =
            |f: FunctionId, l: LocalId| states.plan.layout.sorts[states.plan.functions[f].sort(l)].is_wide();
        let mut shape = Self {
            frames: IdVec::new(),
            stride: 2,
            stack: 0,
            striped: false,
            words: 0,
            numbers: 0,
            destination: match states.holes.iter().any(|&h| h) {
                false => &[],
                true if compact => &DESTINATION,
                true => &DESTINATION[..2],
            },
            siblings: 0,
            format,
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
            let destination = states.holes[resume.function].then_some(next);
            next += if destination.is_some() { shape.destination.len() as u32 } else { 0 };
            shape.stride = shape.stride.max(next);
            let siblings = resume.split.as_ref().map_or(0, |split| split.siblings.len());
            shape.siblings = shape.siblings.max(siblings as u32);
            shape.frames.push(Frame { live, destination, words: next });
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
        self.format.task_head + self.words + 2 * self.numbers
    }
    /// Number of a state in `Machine::state`.
    pub fn state_number(&self, state: StateId) -> u32 {
        state.0 + self.format.first_state
    }
    /// Words a join: a power of two.
    pub fn join(&self) -> u32 {
        (self.format.join_head + self.stride).next_power_of_two()
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
        build::element(self.stack.clone(), add(self.reg(self.machine().sp), offset))
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
        if let Some(at) = frame.destination {
            for (k, &field) in self.generated().destination.iter().enumerate() {
                let (to, value) = (self.on_stack(at + k as u32), self.reg(field));
                self.b.assign(to, value);
            }
        }
        let sp = self.reg(self.machine().sp);
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
        if let Some(at) = frame.destination {
            for (k, &field) in self.generated().destination.iter().enumerate() {
                let value = self.on_stack(at + k as u32);
                self.set(field, value);
            }
        }
    }
}

/// The functions for the template's holes beside those with the program's work, by name.
pub(in crate::tasks) fn holes(runtime: Runtime<'_>) -> Vec<Function> {
    vec![begin(runtime), frame_words(runtime), accept(runtime), save_task(runtime), restore_task(runtime)]
}

/// A thread that has nothing to do: all registers zero but for the state and the ticket.
fn begin(runtime: Runtime<'_>) -> Function {
    let mut b = FunctionBuilder::new("begin", FunctionKind::Device, Type::Record(runtime.machine()));
    let fields = &runtime.module.records[runtime.machine()].fields;
    let (machine, format) = (&runtime.names.machine, runtime.shape.format);
    let values = fields.iter().zip(0..).map(|(field, at)| match FieldId(at) {
        at if at == machine.state => build::u32(format.idle),
        at if at == machine.ticket => build::u32(format.none),
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
    let (machine, generated) = (&runtime.names.machine, &runtime.names.generated);
    let zero =
        [machine.base, machine.sp, machine.scan].into_iter().chain(generated.destination.get(HOLE).copied());
    for field in zero {
        b.assign(build::field_at(runtime.module, m.clone(), field.0), build::u32(0));
    }
    b.ret(Some(m));
    b.finish()
}

/// Reads a task and the destination after it.
fn restore_task(runtime: Runtime<'_>) -> Function {
    let (mut b, from, at, m) = reader("restore_task", runtime);
    read_task(&mut b, runtime, &from, &at, &m);
    for (field, offset) in runtime.names.generated.destination.iter().zip(runtime.shape.task()..) {
        let word = build::element(from.clone(), add(at.clone(), offset));
        b.assign(build::field_at(runtime.module, m.clone(), field.0), word);
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
    let reg = |field: FieldId| build::field_at(runtime.module, m.clone(), field.0);
    let (machine, generated, format) = (&runtime.names.machine, &runtime.names.generated, shape.format);
    b.assign(reg(machine.state), word(0));
    b.assign(reg(machine.ret), word(format.task_return));
    for (&register, k) in generated.words.iter().zip(0..) {
        b.assign(reg(register), word(format.task_head + k));
    }
    for (&register, k) in generated.numbers.iter().zip(0..) {
        let low = format.task_head + shape.words + 2 * k;
        b.assign(reg(register), wide_bits(word(low), word(low + 1)));
    }
}

/// Writes what `restore_task` reads.
fn save_task(runtime: Runtime<'_>) -> Function {
    let mut b = FunctionBuilder::new("save_task", FunctionKind::Device, Type::Void);
    let to = b.param("to", Type::Buffer(Space::Global, Scalar::U32));
    let m = b.param("m", Type::Record(runtime.machine()));
    let at = b.param("at", Type::U32);
    let word = |offset| build::element(to.clone(), add(at.clone(), offset));
    let reg = |field: FieldId| build::field_at(runtime.module, m.clone(), field.0);
    let (machine, generated) = (&runtime.names.machine, &runtime.names.generated);
    let mut words = vec![reg(machine.state), reg(machine.ret)];
    words.extend(generated.words.iter().map(|&field| reg(field)));
    words.extend(generated.numbers.iter().flat_map(|&field| halves(reg(field))));
    let destination = generated.destination.iter().map(|&field| reg(field));
    for (offset, value) in words.into_iter().chain(destination).enumerate() {
        b.assign(word(offset as u32), value);
    }
    b.finish()
}
