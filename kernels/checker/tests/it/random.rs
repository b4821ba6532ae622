//! Random kernels: what the checker accepts shows no fault on the simulator, whatever the schedule.
//!
//! The kernels are made of what the rules are about: barriers, shared and global arrays, affine and strided indices,
//! guards, loops with uniform and other trip counts, atomics, votes. Their indices are in bounds and their memory is
//! written, which the checker assumes.

use gchr_base::control::Control;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use gchr_checker::{Verdict, check};
use gchr_kernel::testing;
use gchr_kernel::testing::random::Choices;
use gchr_simulator::{LaunchError, Program, Shape, SimControl, Simulator, SimulatorOptions};

/// Verdicts on a text in which `KERNEL` stands for the start of a kernel's definition.
fn verdicts(text: &str) -> Vec<Verdict> {
    check(&testing::module(&text.replace("KERNEL", "extern \"C\" __global__ void __launch_bounds__(256)")))
}

/// Elements of a buffer, above every index.
const CELLS: usize = 1024;
/// Elements of the shared arrays, and most threads of a block.
const TILE: usize = 64;
/// Statements nested within each other.
const DEPTH: usize = 3;

/// What a kernel has of the constructs that the rules are about.
#[derive(Clone, Copy, Default)]
struct Has {
    barriers: usize,
    loops: usize,
    atomics: usize,
    writes: usize,
}

struct Builder {
    choices: Choices,
    text: String,
    /// Variables with any value, loop counters (below 8).
    values: Vec<String>,
    counters: Vec<String>,
    names: usize,
    has: Has,
}

impl Builder {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn pick(&mut self, list: fn(&Self) -> &Vec<String>) -> Option<String> {
        let count = list(self).len();
        (count > 0).then(|| {
            let at = self.choices.below(count);
            list(self)[at].clone()
        })
    }

    /// An index of a shared array.
    fn place(&mut self) -> String {
        match self.choices.below(9) {
            0..=2 => "threadIdx.x".into(),
            3 => format!("{}u - threadIdx.x", TILE - 1),
            4 => "threadIdx.x >> 1u".into(),
            5 => format!("{}u", self.choices.below(TILE)),
            6 => format!("(threadIdx.x + {}u) % {TILE}u", 1 + self.choices.below(40)),
            7 => match self.pick(|b| &b.counters) {
                Some(counter) => format!("(threadIdx.x + {counter} * 8u) % {TILE}u"),
                None => "lane_id()".into(),
            },
            _ => match self.pick(|b| &b.values) {
                Some(value) => format!("{value} % {TILE}u"),
                None => "threadIdx.x % 32u".into(),
            },
        }
    }

    /// An index of a buffer.
    fn index(&mut self) -> String {
        match self.choices.below(9) {
            0..=2 => "me".into(),
            3 => format!("me + {}u", 256 * self.choices.below(3)),
            4 => format!("me * 2u + {}u", self.choices.below(3)),
            5 => match self.pick(|b| &b.counters) {
                Some(counter) if self.choices.chance(2) => format!("me + 192u * ({counter} % 4u)"),
                Some(counter) => format!("me * 4u + {counter} % 4u"),
                None => "blockIdx.x".into(),
            },
            6 => format!("{}u", self.choices.below(CELLS)),
            7 => format!("blockIdx.x * 64u + {}", self.place()),
            _ => self.place(),
        }
    }

    fn value(&mut self) -> String {
        match self.choices.below(5) {
            0 => format!("{}u", self.choices.below(9)),
            1 => self.pick(|b| &b.counters).unwrap_or_else(|| "n".into()),
            2 => "me".into(),
            _ => self.pick(|b| &b.values).unwrap_or_else(|| "threadIdx.x".into()),
        }
    }

    fn test(&mut self) -> String {
        match self.choices.below(8) {
            0 | 1 => format!("n > {}u", self.choices.below(9)),
            2 => "blockIdx.x == 0u".into(),
            3 => format!("threadIdx.x < {}u", self.choices.of(&[1, 16, 32, 48])),
            4 => "lane_id() == 0u".into(),
            5 => format!("me == {}u", self.choices.below(9)),
            _ => format!("{} % {}u == 0u", self.value(), 2 + self.choices.below(3)),
        }
    }

    fn block(&mut self, depth: usize) {
        let (values, counters) = (self.values.len(), self.counters.len());
        for _ in 0..=self.choices.below(3) {
            self.statement(depth);
        }
        self.values.truncate(values);
        self.counters.truncate(counters);
    }

    fn declare(&mut self, value: String) {
        let name = self.name();
        self.text += &format!("u32 {name} = {value};\n");
        self.values.push(name);
    }

    fn statement(&mut self, depth: usize) {
        match self.choices.below(if depth < DEPTH { 15 } else { 10 }) {
            0 | 1 => {
                let (place, value) = (self.place(), self.value());
                self.text += &format!("tile[{place}] = {value};\n");
                self.has.writes += 1;
            }
            2 | 3 => {
                let (buffer, index, value) = (self.choices.of(&["a", "b"]), self.index(), self.value());
                self.text += &format!("{buffer}[{index}] = {value};\n");
                self.has.writes += 1;
            }
            4 => {
                let read = format!("tile[{}]", self.place());
                self.declare(read);
            }
            5 => {
                let read = format!("{}[{}]", self.choices.of(&["a", "b"]), self.index());
                self.declare(read);
            }
            6 => {
                let value = format!("{} + {}", self.value(), self.value());
                self.declare(value);
            }
            7 | 8 => {
                self.text += "barrier();\n";
                self.has.barriers += 1;
            }
            9 => {
                let (index, value) = (self.index(), self.value());
                match self.choices.below(4) {
                    0 => self.declare(format!("atomic_add(&sums[{index}], {value})")),
                    1 => self.declare(format!("load_relaxed(&sums[{index}])")),
                    2 => {
                        let test = self.test();
                        self.declare(format!("ballot(0xffffffffu, {test})"));
                    }
                    _ => self.text += &format!("atomic_max(&sums[{index}], {value});\n"),
                }
                self.has.atomics += 1;
            }
            10..=12 => {
                let test = self.test();
                self.text += &format!("if ({test}) {{\n");
                self.block(depth + 1);
                if self.choices.chance(3) {
                    self.text += "} else {\n";
                    self.block(depth + 1);
                }
                self.text += "}\n";
            }
            13 => {
                let name = self.name();
                let bound = match self.choices.below(5) {
                    0 => "threadIdx.x % 4u".into(),
                    1 => format!("{} % 4u", self.value()),
                    2 => "n % 5u".into(),
                    _ => format!("{}u", 1 + self.choices.below(4)),
                };
                self.text += &format!("for (u32 {name} = 0u; {name} < {bound}; {name} += 1u) {{\n");
                self.counters.push(name);
                self.block(depth + 1);
                self.counters.pop();
                self.text += "}\n";
                self.has.loops += 1;
            }
            _ => {
                let name = self.name();
                let step = self.choices.of(&["gridDim.x * blockDim.x", "blockDim.x", "64u"]);
                self.text += &format!("for (u32 {name} = me; {name} < 256u; {name} += {step}) {{\n");
                let (buffer, value) = (self.choices.of(&["a", "b"]), self.value());
                self.text += &format!("{buffer}[{name}] = {value} + {name};\n}}\n");
                self.has.loops += 1;
                self.has.writes += 1;
            }
        }
    }
}

/// The kernel that a list of choices stands for.
fn kernel(choices: Vec<u16>) -> (String, Has) {
    let mut builder = Builder {
        choices: Choices::new(choices),
        text: String::new(),
        values: Vec::new(),
        counters: Vec::new(),
        names: 0,
        has: Has::default(),
    };
    while !builder.choices.is_used_up() {
        builder.statement(0);
    }
    let text = format!(
        "extern \"C\" __global__ void __launch_bounds__({TILE}) k(u32* a, u32* b, u32* sums, u32 n) {{\n\
         __shared__ u32 tile[{TILE}];\nu32 me = blockIdx.x * blockDim.x + threadIdx.x;\n\
         for (u32 at = threadIdx.x; at < {TILE}u; at += blockDim.x) {{ tile[at] = at; }}\nbarrier();\n{}}}\n",
        builder.text
    );
    (text, builder.has)
}

/// What the simulator finds wrong.
fn simulate(program: &Program, shape: Shape, seed: u64) -> Result<(), String> {
    let mut device = Simulator::new(SimulatorOptions { seed, ..SimulatorOptions::default() });
    let cells: Vec<u32> = (0..CELLS as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 25).collect();
    let buffers = [0; 3].map(|_| device.alloc_from(&cells).expect("fits").into());
    let [a, b, sums] = buffers;
    let n = (seed % 7) as u32;
    let mut control = Control::default();
    let mut control = SimControl::new(&mut control).max_thread_steps(2_000_000);
    match device.launch(program, "k", shape, &[a, b, sums, n.into()], &mut control) {
        Ok(_) => Ok(()),
        // Long runs are not wrong ones.
        Err(LaunchError::Steps { reports, .. }) if reports.is_empty() => Ok(()),
        Err(error) => Err(format!("{shape:?}, seed {seed}: {error}")),
    }
}

fn runs(text: &str) -> Result<(), String> {
    let program = Program::new(&testing::module(text)).map_err(|e| format!("{e:?}"))?;
    for shape in [Shape::new(1, 32), Shape::new(2, 64), Shape::new(3, 32)] {
        for seed in 0..3 {
            simulate(&program, shape, seed)?;
        }
    }
    Ok(())
}

#[test]
fn accepted_kernels_run_without_faults() {
    let cases = std::env::var("GCHR_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let config = Config { cases, max_shrink_iters: 500, source_file: Some(file!()), ..Config::default() };
    let mut runner = TestRunner::new(config);
    // Accepted, refused, and of these those that are wrong on these runs; accepted ones with barriers, loops, atomics
    // and writes.
    let counts = std::cell::RefCell::new([0_u32; 4]);
    let result = runner.run(&prop::collection::vec(any::<u16>(), 5..60), |choices| {
        let (text, has) = kernel(choices);
        let accepted = verdicts(&text)[0].accepted();
        let ran = runs(&text);
        let counts = &mut *counts.borrow_mut();
        match (accepted, ran) {
            (true, Err(fault)) => return Err(TestCaseError::fail(format!("{text}\n{fault}"))),
            (true, Ok(())) => {
                counts[0] += 1;
                counts[3] += u32::from(has.writes > 0 && has.barriers + has.loops + has.atomics > 1);
            }
            (false, ran) => {
                counts[1] += 1;
                counts[2] += u32::from(ran.is_err());
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
    let [accepted, refused, wrong, rich] = counts.into_inner();
    // Enough on both sides for the property to say something; most of what is refused is wrong indeed.
    assert!(accepted * 8 > cases && refused * 8 > cases, "{accepted} accepted, {refused} refused");
    assert!(wrong * 2 > refused, "{wrong} of {refused} refused kernels are wrong");
    assert!(rich * 4 > accepted, "{rich} of {accepted} accepted kernels have several constructs");
}
