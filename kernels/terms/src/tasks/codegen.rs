//! Code of the `tasks` scheduler, generated as kernel IR into the holes of the template `tasks.cu`.
//!
//! Each state and each resume point is one case of a switch in `enter` or `pop`; within it the blocks of the plan are
//! structured code: inlined functions are branches, tail calls and contexts without calls are loops. A thread's
//! registers are the record `Machine`, which the generator widens by argument registers and cursors of allocation.

mod block;
mod expand;
mod frames;
mod memory;
mod narrow;
mod operate;
mod pieces;
mod promote;
mod references;

use gchr_base::hash::HashMap;
use gchr_base::op::Op;
use gchr_base::rule::Program;
use gchr_base::signature::{SortId, SortKind, SymbolId};
use gchr_base::source::SourceMap;
use gchr_terms::plan::{Block, ClassId, FunctionId, Layout, LocalId, RefStep, Region, Step, TermPlan};

use super::contract::{Generated, Machine, Names, ParamFields, TaskFormat};
use super::equality::Equality;
use super::frames::Shape;
use super::shapes::CellLayoutTable;
use super::states::{ResumeCode, ResumeId, StateId, States};
use super::tracing::Tracing;
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::{FunctionId as FunctionNumber, *};
use gchr_kernel::spelling;
use gchr_kernel::template::FieldId;
use gchr_runtime::codegen::{Site, Sites};

pub(super) use frames::holes;
use memory::Unread;
pub use memory::{FEWEST_CELLS, stride, view};
pub(super) use narrow::narrow;
pub use pieces::Pieces;
pub(super) use pieces::part;
pub(super) use promote::{HOLE as PROMOTE, promote};

/// Words of the buffer `error` before values.
pub const ERROR_VALUES: u32 = 8;
/// The kind of an error whose values are terms.
pub const TERM_ERROR: u32 = 4;

/// A case of a switch: its numbers, and what is done.
type Case = (Vec<u64>, Vec<Stmt>);

/// An error whose operands are terms, by the number that the device reports.
#[derive(Clone, PartialEq, Debug)]
pub enum TermError {
    /// No rule matches an application of a symbol whose result is a number.
    NoRule {
        /// The symbol.
        symbol: SymbolId,
        /// Sorts of its arguments.
        args: Vec<SortId>,
    },
    /// A comparison comes to the same subterms again and again.
    Compared {
        /// Their sort.
        sort: SortId,
    },
    /// An operand has the wrong type.
    Type {
        /// The operator.
        op: Op,
        /// Where.
        site: Site,
        /// Sort of the operand.
        sort: SortId,
    },
}

/// What generated code reports besides values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reports {
    /// Arithmetic.
    pub sites: Sites,
    /// Others.
    pub terms: Vec<TermError>,
}

/// A function that does a program's work. There are two, called one after the other, so that all lanes of a warp can
/// meet in between; and the same two for threads in safepoint mode ([`States::new`]), whose kernel is their own: few
/// runs need it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Pops a frame and goes on behind its call, instead of doing what the state of the machine is about, up to the
    /// next call or return.
    pub pops: bool,
    /// For threads in safepoint mode.
    pub safepoints: bool,
}

impl Part {
    /// The hole of the template.
    pub fn hole(self) -> &'static str {
        if self.pops { "pop" } else { "enter" }
    }
    fn function(self, names: &Names) -> FunctionNumber {
        if self.pops { names.functions.pop } else { names.functions.enter }
    }
    /// The name of the function.
    pub fn name(self) -> &'static str {
        match (self.safepoints, self.pops) {
            (false, _) => self.hole(),
            (true, false) => "enter_with_safepoints",
            (true, true) => "pop_with_safepoints",
        }
    }
}

/// What parts are made from.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a, 'p> {
    pub states: &'a States<'p>,
    pub equality: &'a Equality,
    pub runtime: Runtime<'a>,
    pub program: &'a Program,
    pub sources: &'a SourceMap,
}

/// A machine whose fields are parameters. NVRTC 13.0 may take a copy of a record that a function with code of its own
/// is given for the record itself, and lose what is written to the copy on some ways through the function: the caller
/// gets its argument back.
fn machine_of_parts(b: &mut FunctionBuilder, runtime: Runtime<'_>) -> Expr {
    let fields = &runtime.module.records[runtime.machine()].fields;
    let parts = fields.iter().map(|field| b.param(&format!("{}_before", field.name), field.ty)).collect();
    Expr::new(ExprKind::Record(parts), Type::Record(runtime.machine()))
}

/// The classes of the cells that tokens are memory for.
fn tokens(plan: &TermPlan) -> HashMap<(FunctionId, LocalId), ClassId> {
    let mut found = HashMap::default();
    for (id, function) in plan.functions.iter_enumerated() {
        let mut note = |block: &Block| {
            for step in &block.steps {
                if let Step::Ref(RefStep::Open { symbol, token: Some(token), .. }) = step
                    && let Some(class) = plan.layout.variant(*symbol).and_then(|v| v.class)
                {
                    found.insert((id, *token), class);
                }
            }
        };
        function.region.body.walk(&mut note);
        function.base.iter().for_each(|base| base.walk(&mut note));
    }
    found
}

/// The template's module and the sizes chosen for the program.
#[derive(Clone, Copy)]
pub(super) struct Runtime<'a> {
    /// The template.
    pub module: &'a Module,
    /// What generated code uses of it.
    pub names: &'a Names,
    /// Sizes.
    pub shape: &'a Shape,
    /// What cells look like to the functions that give them back; none when no cell is given back.
    pub shapes: Option<&'a CellLayoutTable>,
    /// What the collector must know when cells are found by tracing. Then threads can stop wherever they need a cell
    /// and there is none.
    pub tracing: Option<&'a Tracing>,
}

impl<'a> Runtime<'a> {
    fn machine(self) -> RecordId {
        self.names.machine.record
    }
    fn params(self) -> RecordId {
        self.names.params.record
    }
}

/// Generator of the code of all states.
struct Generator<'a, 'p> {
    states: &'a States<'p>,
    equality: &'a Equality,
    runtime: Runtime<'a>,
    program: &'a Program,
    sources: &'a SourceMap,
    reports: &'a mut Reports,
    b: FunctionBuilder,
    p: Expr,
    stack: Expr,
    lists: Expr,
    m: Expr,
    /// The classes of the cells that tokens are memory for.
    tokens: HashMap<(FunctionId, LocalId), ClassId>,
    /// The function that code is generated for.
    function: FunctionId,
    /// What is in scope.
    scope: Scope<'p>,
    /// The region whose head is the structured loop around the code at hand, with the variables of its parameters.
    structured: Option<(*const Region, Vec<Expr>)>,
    /// Root and hole of the function whose code stands in the place of its call, if it has a context; else they are the
    /// machine's.
    context: Option<(Expr, Expr)>,
    /// What the code at hand is part of.
    within: Within,
    /// Rule applications counted when the thread last could stop.
    begun: Expr,
    /// Whether the code is for threads in safepoint mode.
    safepoints: bool,
}

/// What is in scope in the code of a function.
#[derive(Default)]
struct Scope<'p> {
    /// Values of locals.
    env: HashMap<LocalId, Expr>,
    /// Cells of which fields are in scope that are not read yet.
    unread: Vec<Unread<'p>>,
    /// Locals that were read from such cells, in order.
    read: Vec<LocalId>,
    /// By class: cells at hand that need no look whether they are.
    reserved: HashMap<ClassId, u32>,
}

/// What a thread goes back to when it cannot go on.
#[derive(Clone, Copy)]
enum Within {
    /// The state's beginning, or the head of the loop around it.
    State(StateId),
    /// The frame that was popped.
    Resume,
}

impl<'a, 'p> Generator<'a, 'p> {
    /// For a part, or for a piece of one: a function with code of its own.
    fn new(part: Part, from: Sources<'a, 'p>, reports: &'a mut Reports, piece: Option<usize>) -> Self {
        let Sources { states, equality, runtime, program, sources } = from;
        let (name, kind) = match piece {
            None => (part.name().to_string(), FunctionKind::Device),
            Some(number) => (format!("{}_{number}", part.name()), FunctionKind::Outlined),
        };
        let mut b = FunctionBuilder::new(name, kind, Type::Record(runtime.machine()));
        let p = b.param("p", Type::Record(runtime.params()));
        let stack = b.param("stack", Type::Buffer(Space::Local, Scalar::U32));
        // Where threads can stop there are no lists of free cells; an address would keep them out of registers.
        let lists = match piece.is_some() && runtime.tracing.is_some() {
            true => build::u32(0),
            false => b.param("lists", Type::Buffer(Space::Local, Scalar::U32)),
        };
        let before = match piece {
            Some(_) => machine_of_parts(&mut b, runtime),
            None => b.param("before", Type::Record(runtime.machine())),
        };
        let m = b.var("m", before);
        let mut g = Self {
            states,
            equality,
            runtime,
            program,
            sources,
            reports,
            b,
            p,
            stack,
            lists,
            m,
            tokens: tokens(states.plan),
            function: FunctionId(0),
            scope: Scope::default(),
            structured: None,
            within: Within::Resume,
            begun: build::u32(0),
            safepoints: part.safepoints,
            context: None,
        };
        if runtime.tracing.is_some() {
            let count = g.reg(g.machine().count);
            g.begun = g.b.var("begun", count);
        }
        g
    }

    fn finish(mut self) -> Function {
        self.b.ret(Some(self.m.clone()));
        let mut function = self.b.finish();
        function.renumber();
        function
    }

    fn layout(&self) -> &'p Layout {
        &self.states.plan.layout
    }
    fn sort(&self, local: LocalId) -> SortId {
        self.states.plan.functions[self.function].sort(local)
    }
    fn name(&self, local: LocalId) -> String {
        // It ends in a letter, so that it differs from what the builder makes of others by numbers, and from names of
        // the template.
        format!("{}_v", spelling::part(&self.states.plan.functions[self.function].locals[local].name))
    }
    fn is_wide(&self, local: LocalId) -> bool {
        self.layout().sorts[self.sort(local)].is_wide()
    }
    fn scalar(&self, local: LocalId) -> Scalar {
        match self.layout().sorts[self.sort(local)].kind {
            SortKind::Int => Scalar::I64,
            SortKind::Float => Scalar::F64,
            _ => Scalar::U32,
        }
    }

    fn machine(&self) -> &'a Machine {
        &self.runtime.names.machine
    }
    fn params(&self) -> &'a ParamFields {
        &self.runtime.names.params
    }
    fn generated(&self) -> &'a Generated {
        &self.runtime.names.generated
    }
    fn format(&self) -> TaskFormat {
        self.runtime.shape.format
    }
    /// A field of the machine.
    fn reg(&self, field: FieldId) -> Expr {
        build::field_at(self.runtime.module, self.m.clone(), field.0)
    }
    /// A register of the destination that the function fills: see [`Shape::destination`].
    fn destination(&self, register: usize) -> Expr {
        self.reg(self.destination_field(register))
    }
    fn destination_field(&self, register: usize) -> FieldId {
        self.generated().destination[register]
    }
    /// A field of the parameters.
    fn param(&self, field: FieldId) -> Expr {
        build::field_at(self.runtime.module, self.p.clone(), field.0)
    }
    fn set(&mut self, field: FieldId, value: Expr) {
        let reg = self.reg(field);
        self.b.assign(reg, value);
    }
    fn local(&mut self, local: LocalId) -> Expr {
        if self.scope.unread.iter().any(|cell| cell.binds(local)) {
            self.read_cells();
        }
        match self.scope.env.get(&local) {
            Some(value) => value.clone(),
            None => panic!("local {} has no value here", self.name(local)),
        }
    }
    /// The statements of a block. What is read from cells in there is out of scope behind it.
    fn block_of(&mut self, code: impl FnOnce(&mut Self)) -> Vec<Stmt> {
        let (unread, read) = (self.scope.unread.clone(), self.scope.read.len());
        let reserved = std::mem::take(&mut self.scope.reserved);
        self.b.begin();
        code(self);
        self.scope.reserved = reserved;
        for local in self.scope.read.drain(read..) {
            self.scope.env.remove(&local);
        }
        self.scope.unread = unread;
        self.b.end()
    }
    /// Binds a local to a new variable.
    fn bind(&mut self, local: LocalId, value: Expr) {
        let name = self.name(local);
        let variable = self.b.var(&name, value);
        self.scope.env.insert(local, variable);
    }

    fn state(&mut self, id: StateId) {
        let state = &self.states.states[id];
        self.scope = Scope::default();
        self.structured = None;
        let locals = &self.states.plan.functions[self.function].name;
        self.b.origin(None, locals.clone());
        let params = self.read_arguments(&state.params);
        let compares = self.equality.compares(self.function);
        let loops = state.head_of.filter(|_| self.continues(state.code));
        let whole = &self.states.plan.functions[self.function].region;
        let Some(region) = loops.or(compares.then_some(whole)) else {
            return self.code(state.code);
        };
        self.structured = Some((std::ptr::from_ref(region), params[..region.params.len()].to_vec()));
        self.b.begin();
        self.guard(true);
        if compares {
            self.identical(&params);
            self.count_compared(&state.params);
        }
        self.code(state.code);
        self.b.end_while(build::bool(true));
        self.structured = None;
    }

    /// A function that compares terms knows without looking that a term equals itself.
    fn identical(&mut self, params: &[Expr]) {
        let [a, b] = params else { return };
        self.b.begin();
        let yes = self.truth_word(true);
        self.return_word(yes);
        self.b.end_if(build::eq(a.clone(), b.clone()));
    }

    /// Counts the pair of cells that a comparison looks at, and ends the run where it has looked at more pairs than
    /// there are cells: nothing is remembered of them, so the time would be that of the terms written out as trees.
    fn count_compared(&mut self, params: &[LocalId]) {
        let (Some(compared), &[first, ..]) = (self.generated().compared, params) else { return };
        let compared = self.reg(compared);
        self.b.assign(compared.clone(), build::binary(BinaryOp::Add, compared.clone(), build::u32(1)));
        self.b.begin();
        let classes = self.layout().classes.len() as u32;
        let args = vec![self.param(self.params().control), build::u32(classes), compared.clone()];
        let again = self.runtime.names.functions.compares_again;
        let again = self.b.call("again", self.runtime.module, again, args);
        self.b.begin();
        self.too_much_compared(first);
        self.b.end_if(again);
        let every = self.runtime.names.constants.compared_mask.clone();
        self.b.end_if(build::eq(build::binary(BinaryOp::And, compared, every), build::u32(0)));
    }

    /// Argument registers as variables of the parameters.
    fn read_arguments(&mut self, params: &[LocalId]) -> Vec<Expr> {
        let registers = self.argument_registers(params);
        let mut variables = Vec::new();
        for (&param, register) in params.iter().zip(registers) {
            let value = from_bits(self.scalar(param), register);
            self.bind(param, value);
            variables.push(self.local(param));
        }
        variables
    }

    fn argument_registers(&self, params: &[LocalId]) -> Vec<Expr> {
        self.registers_of(params.iter().map(|&p| self.is_wide(p)))
    }

    fn registers_of(&self, wide: impl Iterator<Item = bool>) -> Vec<Expr> {
        let (mut words, mut numbers) = (0, 0);
        wide.map(|wide| {
            let count = if wide { &mut numbers } else { &mut words };
            *count += 1;
            let generated = self.generated();
            self.reg(if wide { generated.numbers[*count - 1] } else { generated.words[*count - 1] })
        })
        .collect()
    }

    fn resume(&mut self, id: ResumeId) {
        self.scope = Scope::default();
        let resume = &self.states.resumes[id];
        let name = &self.states.plan.functions[self.function].name;
        self.b.origin(None, format!("{name}, behind {}", self.name(resume.dst)));
        self.load_frame(id);
        let value = self.returned(resume.dst);
        self.bind(resume.dst, value);
        match resume.code {
            ResumeCode::Rest(code) => self.code(code),
            ResumeCode::Nest(nest) => self.meet(nest),
        }
    }

    /// The value that a call brought.
    fn returned(&self, dst: LocalId) -> Expr {
        if !self.is_wide(dst) {
            return self.reg(self.machine().value);
        }
        from_bits(self.scalar(dst), wide_bits(self.reg(self.machine().value), self.reg(self.machine().high)))
    }

    /// Looks at the limits now and then; `head`: at the head of the state's own loop, where the thread can stop.
    fn guard(&mut self, head: bool) {
        let compact = self.runtime.tracing.is_some();
        let many = self.param(self.params().report);
        let count = self.reg(self.machine().count);
        self.b.begin();
        if compact && !head {
            // What is reported here may be done again.
            let left = build::binary(BinaryOp::Sub, self.begun.clone(), count.clone());
            self.b.assign(self.begun.clone(), left);
        }
        let args = vec![
            self.param(self.params().control),
            self.param(self.params().counts),
            self.param(self.params().error),
            count.clone(),
            self.param(self.params().max_applied),
        ];
        let over = self.b.call("over", self.runtime.module, self.runtime.names.functions.report, args);
        self.b.assign(count.clone(), build::u32(0));
        self.b.begin();
        match (compact, head) {
            (false, _) => self.end_thread(),
            (true, true) => {
                self.can_stop();
                self.suspend();
            }
            (true, false) => {
                // The thread leaves the loop in either case: lanes that went on from here would not meet the others of
                // their warp again.
                let args = vec![self.param(self.params().control)];
                let waits = self.runtime.names.functions.waits_for_cells;
                let waits = self.b.call("waits", self.runtime.module, waits, args);
                self.b.begin();
                self.suspend();
                self.b.end_if(waits);
                self.end_thread();
            }
        }
        self.b.end_if(over);
        let condition = match compact {
            false => build::binary(BinaryOp::Ge, count, many),
            true => {
                let [count, many] = [count, many].map(|e| build::cast(Scalar::I32, e));
                build::binary(BinaryOp::Ge, count, many)
            }
        };
        self.b.end_if(condition);
        if head {
            self.can_stop();
        }
    }

    /// Here the thread can stop and go on later: nothing of what it has counted is done again.
    fn can_stop(&mut self) {
        if self.runtime.tracing.is_some() {
            let count = self.reg(self.machine().count);
            self.b.assign(self.begun.clone(), count);
        }
    }

    /// The thread goes back to where it could stop, and stops.
    fn suspend(&mut self) {
        let begun = self.begun.clone();
        self.set(self.machine().count, begun);
        let suspended = self.runtime.names.constants.suspended.clone();
        let state = match self.within {
            Within::State(id) => {
                let variables = self.structured.as_ref().map_or_else(Vec::new, |s| s.1.clone());
                let inlined = std::mem::replace(&mut self.function, self.states.states[id].function);
                let registers = self.argument_registers(&self.states.states[id].params);
                self.function = inlined;
                // What the loop does not change is still where it was.
                for (register, value) in registers.into_iter().zip(variables) {
                    let value = if value.ty == Type::U32 { value } else { to_bits(value) };
                    self.b.assign(register, value);
                }
                build::u32(self.runtime.shape.state_number(id))
            }
            Within::Resume => {
                let stride = build::u32(self.runtime.shape.stride);
                let sp = self.reg(self.machine().sp);
                self.b.assign(sp.clone(), build::binary(BinaryOp::Add, sp, stride));
                build::u32(self.format().returns)
            }
        };
        self.set(self.machine().state, build::binary(BinaryOp::Or, state, suspended));
        self.b.ret(Some(self.m.clone()));
    }

    /// A thread that gets no cell: where cells are found by tracing it is to get one later.
    fn without_cell(&mut self) {
        if self.runtime.tracing.is_some() { self.suspend() } else { self.end_thread() }
    }

    /// The thread has nothing to do any more.
    fn end_thread(&mut self) {
        self.set(self.machine().state, build::u32(self.format().ended));
        self.b.ret(Some(self.m.clone()));
    }
}

/// Two words as bits of a number.
fn wide_bits(low: Expr, high: Expr) -> Expr {
    let high = build::binary(BinaryOp::Shl, build::cast(Scalar::U64, high), build::u32(32));
    build::binary(BinaryOp::Or, build::cast(Scalar::U64, low), high)
}

/// Bits as a value; words are values.
fn from_bits(scalar: Scalar, bits: Expr) -> Expr {
    match scalar {
        Scalar::F64 => build::intrinsic(Intrinsic::FloatFromBits, vec![bits], Scalar::F64),
        other => build::cast(other, bits),
    }
}

/// A number as bits.
fn to_bits(value: Expr) -> Expr {
    if value.ty == Type::F64 {
        build::intrinsic(Intrinsic::FloatBits, vec![value], Scalar::U64)
    } else {
        build::cast(Scalar::U64, value)
    }
}

/// The two words of a number.
fn halves(value: Expr) -> [Expr; 2] {
    let bits = to_bits(value);
    let high = build::binary(BinaryOp::Shr, bits.clone(), build::u32(32));
    [build::cast(Scalar::U32, bits), build::cast(Scalar::U32, high)]
}

fn add(value: Expr, offset: u32) -> Expr {
    if offset == 0 { value } else { build::binary(BinaryOp::Add, value, build::u32(offset)) }
}
