//! Random structured kernels: lockstep with divergence gives what each thread alone would compute.

use gchr_base::ids::Id;
use proptest::prelude::*;

use super::support::*;
use crate::{Program, Shape, SimControl, Simulator, SimulatorOptions};
use gchr_kernel::device::Arg;
use gchr_kernel::ir::*;
use gchr_kernel::lower;
use gchr_kernel::testing::random;

/// Words of memory that a thread has for itself.
const WORDS: usize = 8;
const THREADS: usize = 64;

// A random kernel as text

struct Writer {
    choices: Vec<u16>,
    next: usize,
    text: String,
    /// Variables in scope, and all names given.
    live: Vec<String>,
    names: usize,
    loops: usize,
    wakes: bool,
    in_kernel: bool,
}

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        self.next += 1;
        usize::from(self.choices.get(self.next - 1).copied().unwrap_or(0)) % n
    }
    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }
    fn variable(&mut self) -> String {
        let i = self.below(self.live.len());
        self.live[i].clone()
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.below(3) {
                0 => format!("{}u", self.below(10)),
                1 => "threadIdx.x".into(),
                _ => self.variable(),
            };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.below(10) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} * {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({a} ^ ({b} >> 3u))"),
            4 => format!("({a} / ({b} | 1u))"),
            5 => format!("({a} << ({b} % 32u))"),
            6 => format!("mem[base + {a} % 8u]"),
            7 => {
                let c = self.condition(depth - 1);
                format!("({c} ? {a} : mem[base + {b} % 8u])")
            }
            8 => format!("u32(i32({a}) >> ({b} % 31u))"),
            _ => format!("max({a}, {b})"),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (a, b) = (self.expr(depth), self.expr(depth));
        let simple = format!("{a} % 5u < {b} % 5u");
        match self.below(4) {
            0 => format!("({simple} && {b} % 8u < mem[base + {a} % 8u])"),
            1 => format!("({simple} || mem[base + {b} % 8u] % 2u == 0u)"),
            2 => format!("(i32({a}) < i32({b}))"),
            _ => format!("({simple})"),
        }
    }

    fn block(&mut self, depth: usize, first: &str) {
        let live = self.live.len();
        self.text += &format!("{{ {first} ");
        for _ in 0..=self.below(3) {
            if self.statement(depth) {
                break;
            }
        }
        self.text += "} ";
        self.live.truncate(live);
    }

    /// Writes a statement; says whether it leaves the block.
    fn statement(&mut self, depth: usize) -> bool {
        match self.below(if depth == 0 { 5 } else { 12 }) {
            0 | 1 => {
                let (name, value) = (self.fresh(), self.expr(2));
                self.text += &format!("u32 {name} = {value}; ");
                self.live.push(name);
            }
            2 => {
                let (index, value) = (self.expr(1), self.expr(2));
                self.text += &format!("mem[base + {index} % 8u] = {value}; ");
            }
            3 if self.loops > 0 => {
                let condition = self.condition(1);
                let jump = ["break", "continue"][self.below(2)];
                self.text += &format!("if ({condition}) {{ {jump}; }} ");
            }
            3 | 4 if self.below(4) == 0 => {
                let (condition, value) = (self.condition(1), self.expr(1));
                let value = if self.in_kernel { String::new() } else { value };
                self.text += &format!("if ({condition}) {{ return {value}; }} ");
            }
            3 | 4 if self.in_kernel => {
                let (name, a, b) = (self.fresh(), self.expr(1), self.expr(1));
                self.text += &format!("u32 {name} = f(mem, base, {a}, {b}); ");
                self.live.push(name);
            }
            3 | 4 => {
                let name = self.variable();
                self.text += &format!("mem[base] = {name}; ");
            }
            5 | 6 => {
                let condition = self.condition(2);
                self.text += &format!("if ({condition}) ");
                self.block(depth - 1, "");
                if self.below(2) == 0 {
                    self.text += "else ";
                    self.block(depth - 1, "");
                }
            }
            7 => {
                let value = self.expr(2);
                self.text += &format!("switch ({value} % 6u) {{ case 0u: ");
                for i in 1..3 {
                    self.switch_case(depth, &format!("case {i}u: case {}u: ", i + 2));
                }
                self.switch_case(depth, "default: ");
                self.text += "} ";
            }
            8 | 9 => {
                let (name, start, count) = (self.fresh(), self.expr(1), self.below(5));
                self.text += &format!("for (u32 {name} = {start} % 4u; {name} < {count}u; {name} += 1u) ");
                self.live.push(name);
                self.repeated(depth, "");
                self.live.pop();
            }
            10 if self.wakes && self.in_kernel => {
                let (name, value) = (self.fresh(), self.expr(1));
                self.text += &format!(
                    "everywhere (u32 {name} = {value}) {{ if ({name} % 3u != lane_id() % 3u) {{ \
                     atomic_add(&total[lane_id()], {name} + lane_id()); }} }} "
                );
            }
            _ => {
                let (name, start) = (self.fresh(), self.expr(1));
                self.text += &format!("u32 {name} = {start} % 7u; while ({name} > 0u) ");
                self.repeated(depth, &format!("{name} -= 1u; "));
                self.live.push(name);
            }
        }
        false
    }

    fn switch_case(&mut self, depth: usize, head: &str) {
        // The first case was opened with the switch.
        let head = if self.text.ends_with("case 0u: ") { "" } else { head };
        self.text += head;
        let loops = std::mem::take(&mut self.loops);
        self.block(depth - 1, "");
        self.loops = loops;
        self.text += "break; ";
    }

    fn repeated(&mut self, depth: usize, first: &str) {
        self.loops += 1;
        self.block(depth - 1, first);
        self.loops -= 1;
    }
}

fn kernel_text(choices: Vec<u16>, wakes: bool) -> String {
    let mut w = Writer {
        choices,
        next: 0,
        text: String::new(),
        live: vec!["p".into(), "q".into()],
        names: 0,
        loops: 0,
        wakes,
        in_kernel: false,
    };
    w.text += "DEVICE u32 f(u32* mem, u32 base, u32 p, u32 q) { ";
    for _ in 0..2 {
        w.statement(2);
    }
    w.text += "return p ^ q; } KERNEL k(u32* mem, u32* total) { u32 base = (blockIdx.x * blockDim.x + threadIdx.x) * 8u; u32 p = 5u; ";
    w.live = vec!["p".into(), "base".into()];
    w.in_kernel = true;
    for _ in 0..5 {
        w.statement(3);
    }
    w.text += "}";
    w.text
}

// The oracle: one thread after the other

enum Flow {
    Next,
    Break,
    Continue,
    Return(u32),
}

struct Thread<'m> {
    module: &'m Module,
    function: &'m Function,
    vars: Vec<u32>,
    memory: &'m mut Vec<u32>,
    number: u32,
}

impl Thread<'_> {
    fn block(&mut self, block: &Block) -> Flow {
        for stmt in block {
            match self.statement(&stmt.kind) {
                Flow::Next => {}
                other => return other,
            }
        }
        Flow::Next
    }

    fn statement(&mut self, stmt: &StmtKind) -> Flow {
        match stmt {
            StmtKind::Declare { var, value: Some(value) } => self.vars[var.index()] = self.value(value),
            StmtKind::Assign { place, value } => {
                let value = self.value(value);
                match &place.base {
                    PlaceBase::Var(var) => self.vars[var.index()] = value,
                    PlaceBase::Element { index, .. } => {
                        let index = self.value(index) as usize;
                        self.memory[index] = value;
                    }
                }
            }
            StmtKind::Effect {
                result: Some(Target::Declare(var)),
                effect: Effect::Call { function, args },
            } => {
                self.vars[var.index()] = self.call(*function, args);
            }
            StmtKind::If { condition, then, otherwise } => {
                return if self.value(condition) != 0 { self.block(then) } else { self.block(otherwise) };
            }
            StmtKind::Switch { value, cases, default } => {
                let value = u64::from(self.value(value));
                let case = cases.iter().find(|c| c.0.contains(&value));
                return self.block(case.map_or(default, |c| &c.1));
            }
            StmtKind::While { condition, body } => return self.repeat(condition, body, |_| {}),
            StmtKind::For { var, start, condition, next, body, .. } => {
                self.vars[var.index()] = self.value(start);
                return self.repeat(condition, body, |t| t.vars[var.index()] = t.value(next));
            }
            StmtKind::Break => return Flow::Break,
            StmtKind::Continue => return Flow::Continue,
            StmtKind::Return(value) => return Flow::Return(value.as_ref().map_or(0, |v| self.value(v))),
            other => unreachable!("not written by the generator: {other:?}"),
        }
        Flow::Next
    }

    fn repeat(&mut self, condition: &Expr, body: &Block, mut step: impl FnMut(&mut Self)) -> Flow {
        while self.value(condition) != 0 {
            match self.block(body) {
                Flow::Next | Flow::Continue => step(self),
                Flow::Break => break,
                done @ Flow::Return(_) => return done,
            }
        }
        Flow::Next
    }

    fn call(&mut self, id: FunctionId, args: &[Expr]) -> u32 {
        let function = &self.module.functions[id];
        let mut vars = vec![0; function.vars.len()];
        for (param, arg) in function.params.iter().zip(args).skip(1) {
            vars[param.index()] = self.value(arg);
        }
        let (module, number) = (self.module, self.number);
        let mut callee = Thread { module, function, vars, memory: self.memory, number };
        match callee.block(&callee.function.body) {
            Flow::Return(value) => value,
            _ => unreachable!("every function returns"),
        }
    }

    fn value(&self, e: &Expr) -> u32 {
        let signed = |e: &Expr| self.value(e) as i32;
        match &e.kind {
            ExprKind::Literal(Literal::Int(bits)) => *bits as u32,
            ExprKind::Literal(Literal::Bool(b)) => u32::from(*b),
            ExprKind::Var(var) => self.vars[var.index()],
            ExprKind::Element { index, .. } => self.memory[self.value(index) as usize],
            ExprKind::Special(Special::ThreadInBlock) => self.number % THREADS as u32,
            ExprKind::Special(Special::Block) => self.number / THREADS as u32,
            ExprKind::Special(Special::BlockSize) => THREADS as u32,
            ExprKind::Cast(a) => self.value(a),
            ExprKind::Select(c, a, b) => self.value(if self.value(c) != 0 { a } else { b }),
            ExprKind::Intrinsic(Intrinsic::Max, args) => self.value(&args[0]).max(self.value(&args[1])),
            ExprKind::Binary(BinaryOp::AndAlso, a, b) => u32::from(self.value(a) != 0 && self.value(b) != 0),
            ExprKind::Binary(BinaryOp::OrElse, a, b) => u32::from(self.value(a) != 0 || self.value(b) != 0),
            ExprKind::Binary(BinaryOp::Lt, a, b) if a.ty == Type::Scalar(Scalar::I32) => {
                u32::from(signed(a) < signed(b))
            }
            ExprKind::Binary(BinaryOp::Shr, a, b) if a.ty == Type::Scalar(Scalar::I32) => {
                (signed(a) >> self.value(b)) as u32
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match op {
                    BinaryOp::Add => a.wrapping_add(b),
                    BinaryOp::Sub => a.wrapping_sub(b),
                    BinaryOp::Mul => a.wrapping_mul(b),
                    BinaryOp::Div => a / b,
                    BinaryOp::Rem => a % b,
                    BinaryOp::Or => a | b,
                    BinaryOp::Xor => a ^ b,
                    BinaryOp::Shl => a << b,
                    BinaryOp::Shr => a >> b,
                    BinaryOp::Lt => u32::from(a < b),
                    BinaryOp::Gt => u32::from(a > b),
                    BinaryOp::Eq => u32::from(a == b),
                    other => unreachable!("not written by the generator: {other:?}"),
                }
            }
            other => unreachable!("not written by the generator: {other:?}"),
        }
    }
}

fn start() -> Vec<u32> {
    (0..(2 * THREADS * WORDS) as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

fn oracle(module: &Module) -> Vec<u32> {
    let mut memory = start();
    let function = &module.functions[module.function("k").unwrap()];
    for number in 0..2 * THREADS as u32 {
        let vars = vec![0; function.vars.len()];
        let mut thread = Thread { module, function, vars, memory: &mut memory, number };
        thread.block(&function.body);
    }
    memory
}

/// Memory and totals after a clean run.
fn simulate(module: &Module, seed: u64) -> Result<(Vec<u32>, Vec<u32>), String> {
    let program = Program::new(module).map_err(|e| format!("{e:?}"))?;
    let device = Simulator::new(SimulatorOptions { seed, ..SimulatorOptions::default() });
    let mut bench = Bench { device, program };
    let memory = bench.buffer(&start());
    let totals = bench.zeros(32);
    bench
        .launch(Shape::new(2, THREADS as u32), &[memory.into(), totals.into()])
        .map_err(|e| e.to_string())?;
    Ok((bench.get(memory, 2 * THREADS * WORDS), bench.get(totals, 32)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn lockstep_computes_what_each_thread_would(choices in prop::collection::vec(any::<u16>(), 20..400)) {
        let text = kernel_text(choices, false);
        let module = read(&text);
        let (memory, _) = simulate(&module, 1).map_err(|e| TestCaseError::fail(format!("{text}\n{e}")))?;
        prop_assert!(memory == oracle(&module), "{}", text);
    }

    #[test]
    fn everywhere_is_what_votes_and_shuffles_make_of_it(choices in prop::collection::vec(any::<u16>(), 20..400)) {
        let text = kernel_text(choices, true);
        let module = read(&text);
        let mut lowered = module.clone();
        lower::everywhere(&mut lowered);
        lower::signed(&mut lowered);
        let direct = simulate(&module, 1).map_err(|e| TestCaseError::fail(format!("{text}\n{e}")))?;
        let lowered = simulate(&lowered, 2).map_err(|e| TestCaseError::fail(format!("{text}\n{lowered}\n{e}")))?;
        prop_assert!(direct == lowered, "{}", text);
    }

    /// Whatever the verifier accepts is run to an end or refused, and the same twice.
    #[test]
    fn any_module_is_bearable(choices in prop::collection::vec(any::<u16>(), 0..600), seed in 0u64..3) {
        let mut module = random::module(choices);
        gchr_kernel::testing::fill(&mut module);
        let Ok(program) = Program::new(&module) else { return Ok(()) };
        let text = module.to_string();
        let lines: Vec<_> = text.lines().collect();
        for kernel in program.kernels() {
            for site in program.sites(kernel).into_iter().flatten().filter(|site| site.kernel_line > 0) {
                let line = lines[site.kernel_line as usize - 1];
                // A `break` inside a `switch` is printed as a jump.
                let found = line.contains(&site.text) || site.text == "break;" && line.contains("goto leave_");
                prop_assert!(found, "{:?} is not in {:?}", site, line);
            }
            let run = || {
                let mut device = Simulator::new(SimulatorOptions { seed, memory_limit: 64 << 20, ..SimulatorOptions::default() });
                let mut control = gchr_base::control::Control::default();
                let mut control = SimControl::new(&mut control).max_thread_steps(100_000);
                let (args, values) = arguments(&program, kernel, &mut device);
                let args: Vec<Arg<'_>> = args.iter().zip(&values).map(|(a, v)| a.unwrap_or(Arg::Record(v))).collect();
                device.launch(&program, kernel, Shape::new(2, 32), &args, &mut control)
            };
            prop_assert_eq!(run(), run());
        }
    }
}

/// Arguments of the right shape: scalars are small, buffers have 64 elements of 32 bytes.
fn arguments(
    program: &Program,
    kernel: &str,
    device: &mut Simulator,
) -> (Vec<Option<Arg<'static>>>, Vec<Vec<gchr_kernel::device::Value>>) {
    use crate::ParamShape;
    use gchr_kernel::device::Value;
    let mut value = |shape: &ParamShape| match shape {
        ParamShape::Scalar(Scalar::Bool) => Value::Bool(true),
        ParamShape::Scalar(Scalar::U8) => Value::U8(3),
        ParamShape::Scalar(Scalar::I32) => Value::I32(-1),
        ParamShape::Scalar(Scalar::U32) => Value::U32(2),
        ParamShape::Scalar(Scalar::I64) => Value::I64(5),
        ParamShape::Scalar(Scalar::U64) => Value::U64(1),
        ParamShape::Scalar(Scalar::F64) => Value::F64(0.5),
        _ => Value::Buffer(device.alloc_zeroed::<[u8; 32]>(64).unwrap()),
    };
    let params = program.params(kernel).unwrap();
    let pairs = params.iter().map(|(_, shape)| match shape {
        ParamShape::Record(fields) => (None, fields.iter().map(&mut value).collect()),
        other => (Some(Arg::Value(value(other))), Vec::new()),
    });
    pairs.unzip()
}
