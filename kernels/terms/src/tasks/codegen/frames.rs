//! Frames as code: pushing and popping them, and tasks that become registers.

use super::super::frames::HOLE;
use super::super::states::ResumeId;
use super::{Generator, Runtime, add, from_bits, halves, wide_bits};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_kernel::template::FieldId;

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
