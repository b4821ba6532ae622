//! `everywhere` blocks: the simulator's own, the lowered votes and shuffles on the simulator, the µ-SIMD machine, and
//! the GPU agree.

use gchr_testkit::machine;
use std::cell::Cell;

use gchr_base::control::Control;
use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_kernel::device::{Arg, Value};
use gchr_kernel::emit::lower;
use gchr_kernel::ir::Module;
use gchr_kernel::text::parse;
use gchr_simd as simd;
use gchr_simulator::Shape;
use gchr_testkit::machine::{Machine, MachineExt, Simulated};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const THREADS: usize = 128;
const CELLS: usize = 1024;

/// What the kernels are built on: every effect is a sum, so that its order does not matter.
const BASE: &str = "
struct Launch { u32* input; u32* sums; u32* others; };
struct Pair { u32 a; bool b; u8 c; u64 d; };

// Counts that a lane did something for an asker.
__device__ __forceinline__ void note(Launch p, u32 key, u32 amount) {
    u32 mixed = (key ^ key >> 7u ^ amount * 0x85ebca6bu) * 0x9e3779b1u;
    atomic_add(&p.sums[mixed >> 22u], 1u);
}
";

fn kernel(body: &str) -> String {
    format!(
        "extern \"C\" __global__ void __launch_bounds__(128) k(Launch p) {{\n\
         u32 me = blockIdx.x * blockDim.x + threadIdx.x;\nu32 x = p.input[me];\n{body}\n}}\n"
    )
}

fn read(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let id = sources.add("test.cu", text);
    parse(&sources, id).unwrap_or_else(|found| panic!("{text}\n{}", render_all(&found, &sources, false)))
}

fn input() -> Vec<u32> {
    (0..THREADS as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect()
}

/// Two blocks, or one of all threads.
const TWO: Shape = Shape::new(2, 64);
const ONE: Shape = Shape::new(1, THREADS as u32);

fn run(machine: &mut dyn Machine, shape: Shape) -> Result<Vec<u32>, String> {
    let (input, sums) = (machine.buffer(&input()), machine.buffer(&[0u32; CELLS]));
    let others = machine.buffer(&[0u32; 4]);
    let record = [input, sums, others].map(Value::Buffer);
    machine.launch("k", shape, &[Arg::Record(&record)])?;
    let mut all: Vec<u32> = machine.get(sums, CELLS);
    all.extend(machine.get::<u32>(others, 4));
    Ok(all)
}

/// Runs the kernel in both forms; gives the sums, or what is wrong.
fn both(text: &str, shape: Shape, seed: u64) -> Result<Vec<u32>, String> {
    let module = read(text);
    let lowered = lower(&module).map_err(|found| format!("{module}\n{found:#?}"))?;
    let woken = run(&mut Simulated::new(&module, seed), shape).map_err(|e| format!("{module}\n{e}"))?;
    let voted =
        run(&mut Simulated::new(&lowered, seed), shape).map_err(|e| format!("{module}\n{lowered}\n{e}"))?;
    if woken == voted { Ok(woken) } else { Err(format!("{module}\n{lowered}\ndo not agree")) }
}

/// Runs the kernel on the µ-SIMD machine; `None` when that cannot express it.
fn on_simd(text: &str) -> Option<Vec<u32>> {
    let program = simd::compile(&read(text), "k").ok()?;
    let mut sources = SourceMap::new();
    let id = sources.add("k.simd", program.to_string());
    let again = simd::parse(&sources, id).unwrap_or_else(|e| panic!("{program}\n{e:?}"));
    assert_eq!(again.to_string(), program.to_string());
    let cells = |values: &[u32]| values.iter().map(|&v| Some(i64::from(v))).collect::<Vec<_>>();
    // Where the three buffers begin, then the buffers.
    let starts = [3, 3 + THREADS as u32, (3 + THREADS + CELLS) as u32];
    let memory = [cells(&starts), cells(&input()), vec![Some(0); CELLS + 4]].concat();
    let options = simd::Options { threads: Some(THREADS as u32), memory: Some(memory), ..Default::default() };
    let mut machine = simd::Machine::new(&program, options).unwrap_or_else(|e| panic!("{program}\n{e:?}"));
    let stopped = machine.run(&mut Control::default());
    assert!(
        stopped.is_ok() && machine.reports().is_empty(),
        "{program}\n{stopped:?}\n{:?}",
        machine.reports()
    );
    let result =
        machine.memory()[3 + THREADS..].iter().map(|cell| cell.and_then(|value| value.try_into().ok()));
    Some(result.map(|cell| cell.expect("a u32")).collect())
}

/// Runs the kernel with `everywhere` on the simulator, lowered to votes and shuffles, and as a µ-SIMD program.
fn all_three(text: &str, seed: u64) -> Result<Vec<u32>, String> {
    let simulated = both(text, ONE, seed)?;
    match on_simd(text) {
        Some(counts) if counts == simulated => Ok(simulated),
        Some(_) => Err(format!("{text}\nµ-SIMD does not agree")),
        None => Err(format!("{text}\nµ-SIMD cannot express it")),
    }
}

const CASES: [(&str, &str, &str); 12] = [
    (
        "below a divergent test",
        "",
        "if (x % 3u == 0u) { everywhere (u32 y = x) { note(p, y + lane_id(), y); } }",
    ),
    (
        "in both branches, with code around",
        "",
        "u32 z = 1u; if (x % 3u == 0u) { z = x; u32 w = z + 1u; everywhere (u32 y = w) { note(p, y, lane_id()); } z += w; }\n\
         else if (x % 3u == 1u) { z = 7u; } else { everywhere () { note(p, 5u, lane_id()); } z = 9u; }\nnote(p, me, z);",
    ),
    (
        "in a loop that lanes leave at different times",
        "",
        "u32 i = x % 5u; while (i > 0u) { i -= 1u; if (i == 3u) { continue; } everywhere (u32 y = i, u32 z = me) { note(p, y, z + lane_id()); }\n\
         if (i == 1u && x % 2u == 0u) { break; } note(p, i, 2u); }\nnote(p, me, i);",
    ),
    (
        "in a counting loop",
        "",
        "for (u32 i = 0u; i < x % 4u; i += 1u) { if (i == 2u) { continue; } u32 v = i * x; everywhere (u32 y = v) { note(p, y, 1u); } note(p, v, i); }",
    ),
    (
        "in a switch inside a loop",
        "",
        "for (u32 i = 0u; i < 6u; i += 1u) { switch ((x + i) % 4u) {\ncase 0u: { everywhere (u32 y = x) { note(p, y, lane_id()); } } break;\n\
         case 1u:\ncase 2u: { if (i > 3u) { goto leave_1; } note(p, x, i); } break;\ndefault: { everywhere (u32 z = i) { note(p, z, 3u); } continue; }\n}\nnote(p, i, x); } leave_1:;",
    ),
    (
        "after some lanes have ended",
        "",
        "if (x % 2u == 0u) { note(p, 1u, x); return; }\neverywhere (u32 y = x) { note(p, y ^ lane_id(), 1u); }\n\
         if (x % 3u == 0u) { return; }\nnote(p, 2u, x);",
    ),
    (
        "after some lanes have returned",
        "__device__ __forceinline__ void work(Launch p, u32 x) {\n\
         if (x % 2u == 0u) { note(p, 1u, x); return; }\neverywhere (u32 y = x) { note(p, y ^ lane_id(), 1u); }\n\
         if (x % 3u == 0u) { return; }\nnote(p, 2u, x); }\n",
        "work(p, x);",
    ),
    (
        "in a function that is called by some lanes",
        "__device__ __forceinline__ u32 work(Launch p, u32 from, u32 by) { u32 n = from;\n\
         while (true) { if (n < by) { return n * 2u; } n -= by; everywhere (u32 y = n) { note(p, y + lane_id(), 1u); } if (n == 17u) { break; } }\nreturn 99u; }\n\
         __device__ __noinline__ u32 outer(Launch p, u32 from) { u32 r = work(p, from % 200u, 50u); return r + 1u; }\n",
        "u32 r = 5u; if (x % 5u != 0u) { r = outer(p, x); u32 s = work(p, r, 30u); r += s; }\nnote(p, me, r);",
    ),
    (
        "inside another one",
        "",
        "if (x % 4u == 1u) { everywhere (u32 y = x) { u32 z = y + lane_id(); if (z % 7u == 0u) { everywhere (u32 w = z) { note(p, w + y, lane_id()); } }\n\
         for (u32 i = 0u; i < z % 3u; i += 1u) { everywhere (u32 v = i) { note(p, v, y); } } note(p, z, 1u); } }",
    ),
    (
        "with captures of all kinds",
        "",
        "Pair pair = Pair{x, x % 2u == 0u, u8(x), u64(x) << 33u};\nu32* to = p.sums; if (x % 2u == 1u) { to = p.others; }\nf64 real = f64(x) * 0.5;\n\
         if (x % 3u == 2u) { everywhere (Pair q = pair, bool odd = x % 2u == 1u, u8 low = u8(me), i64 wide = -i64(x), f64 f = real, u32* target = to) {\n\
         u32 sum = q.a + (q.b ? 1u : 0u) + u32(q.c) + u32(q.d >> 33u) + u32(low) + u32(wide) + u32(f);\nnote(p, sum, odd ? lane_id() : 1u);\n\
         if (odd && lane_id() == 0u) { atomic_add(&target[0u], q.a); } } }",
    ),
    (
        "with a body of votes, shuffles and divergence",
        "",
        "if (x % 2u == 0u) { everywhere (u32 y = x) { u32 mine = 0u; u32 n = (y + lane_id()) % 5u; while (n > 0u) { mine += n; n -= 1u; }\n\
         u32 sum = shfl(0xffffffffu, mine, (lane_id() + 1u) % 32u); u32 votes = ballot(0xffffffffu, sum > 3u); if (votes % 2u == 0u) { note(p, y, sum); } } }",
    ),
    (
        "beside barriers",
        "",
        "__shared__ u32 tile[64];\ntile[threadIdx.x] = x;\nif (x % 2u == 0u) { everywhere (u32 y = x) { note(p, y, lane_id()); } }\n\
         for (u32 i = 0u; i < 2u; i += 1u) { barrier(); u32 other = tile[63u - threadIdx.x]; if (other % 3u == 0u) { everywhere (u32 z = other) { note(p, z, 1u); } }\n\
         barrier(); tile[threadIdx.x] = other + i; }\nnote(p, me, tile[threadIdx.x]);",
    ),
];

#[test]
fn every_place_of_an_everywhere_block_lowers() {
    for (name, functions, body) in CASES {
        for seed in 0..4 {
            let sums = both(&format!("{BASE}{functions}{}", kernel(body)), TWO, seed);
            let sums = sums.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(sums.iter().any(|&s| s != 0), "{name}");
        }
    }
}

/// Kernels of nested tests, loops, jumps and `everywhere` blocks, from a list of choices.
struct Random {
    choices: std::vec::IntoIter<u8>,
    names: u32,
    /// Variables that can be read, per `everywhere` level.
    visible: Vec<Vec<String>>,
    /// The innermost loop, if the nearest jump target is one.
    in_loop: bool,
    /// Whether there may be jumps at all.
    jumps: bool,
    text: String,
}

impl Random {
    fn below(&mut self, n: u8) -> u8 {
        self.choices.next().unwrap_or(0) % n
    }
    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }
    fn value(&mut self) -> String {
        let level = self.visible.last().cloned().unwrap_or_default();
        let pick = usize::from(self.below(level.len() as u8 + 2));
        match level.get(pick) {
            Some(name) => name.clone(),
            None if pick == level.len() => "lane_id()".into(),
            None => format!("{}u", self.below(9)),
        }
    }
    fn expr(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        let op = ["+", "*", "^", "%"][usize::from(self.below(4))];
        if op == "%" { format!("{a} % {}u", 2 + self.below(4)) } else { format!("{a} {op} {b}") }
    }
    fn test(&mut self) -> String {
        format!("({}) % {}u == {}u", self.expr(), 2 + self.below(3), self.below(2))
    }
    /// Adds a block; whether its end is never reached.
    fn block(&mut self, depth: u8) -> bool {
        let scope = self.visible.last().map_or(0, Vec::len);
        self.text += "{\n";
        let ended = (0..self.below(5)).any(|_| self.statement(depth));
        self.text += "}\n";
        if let Some(level) = self.visible.last_mut() {
            level.truncate(scope);
        }
        ended
    }
    /// Adds a statement; whether nothing may follow it.
    fn statement(&mut self, depth: u8) -> bool {
        let kind = if depth > 4 { self.below(3) } else { self.below(11) };
        match kind {
            0 | 1 => {
                let line = format!("note(p, {}, {});\n", self.expr(), self.expr());
                self.text += &line;
            }
            2 => {
                let (value, name) = (self.expr(), self.name());
                self.text += &format!("u32 {name} = {value};\n");
                self.visible.last_mut().expect("a level").push(name);
            }
            3 | 4 => {
                let test = self.test();
                self.text += &format!("if ({test}) ");
                let mut ended = self.block(depth + 1);
                let other = self.below(2) == 0;
                if other {
                    self.text += "else ";
                    ended &= self.block(depth + 1);
                }
                return ended && other;
            }
            5 | 6 => {
                let (bound, name) = (self.expr(), self.name());
                self.text += &format!("for (u32 {name} = 0u; {name} < ({bound}) % 4u; {name} += 1u) ");
                self.visible.last_mut().expect("a level").push(name);
                let outer = std::mem::replace(&mut self.in_loop, true);
                self.block(depth + 1);
                self.in_loop = outer;
                self.visible.last_mut().expect("a level").pop();
            }
            7 if !self.jumps => {}
            7 => {
                if self.in_loop {
                    let jump = if self.below(2) == 0 { "break;\n" } else { "continue;\n" };
                    self.text += jump;
                    return true;
                }
                if self.visible.len() == 1 && depth > 0 {
                    self.text += "return;\n";
                    return true;
                }
            }
            // Deeper ones would run their bodies 32 times as often each.
            _ if self.visible.len() > 2 => {}
            _ => {
                let captures: Vec<_> = (0..self.below(3)).map(|_| (self.expr(), self.name())).collect();
                let list: Vec<_> =
                    captures.iter().map(|(value, name)| format!("u32 {name} = {value}")).collect();
                self.text += &format!("everywhere ({}) ", list.join(", "));
                // Captures of the blocks around are the same in all lanes.
                let mut level = captures.into_iter().map(|(_, name)| name).collect::<Vec<_>>();
                level.push("blockIdx.x".into());
                self.visible.push(level);
                let outer = std::mem::replace(&mut self.in_loop, false);
                self.block(depth + 1);
                self.in_loop = outer;
                self.visible.pop();
            }
        }
        false
    }
}

fn random(choices: Vec<u8>, jumps: bool) -> String {
    let mut random = Random {
        choices: choices.into_iter(),
        names: 0,
        visible: vec![vec!["x".into(), "me".into()]],
        in_loop: false,
        jumps,
        text: String::new(),
    };
    random.text += "{\n";
    for _ in 0..6 {
        if random.choices.as_slice().is_empty() || random.statement(0) {
            break;
        }
    }
    random.text += "}\n";
    // In a function, some lanes can return while others go on.
    let function = format!("__device__ __forceinline__ void work(Launch p, u32 x, u32 me) {}", random.text);
    format!("{BASE}{function}{}", kernel("if (x % 7u != 0u) { work(p, x, me); }"))
}

/// Random kernels, as many as `GCHR_CASES` says, that pass the check with each seed; a failure is shrunk to a small
/// kernel.
fn for_random_kernels(default_cases: u32, jumps: bool, check: fn(&str, u64) -> Result<Vec<u32>, String>) {
    let cases = std::env::var("GCHR_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default_cases);
    let config = Config { cases, max_shrink_iters: 500, source_file: Some(file!()), ..Config::default() };
    let mut runner = TestRunner::new(config);
    let choice = (prop::collection::vec(any::<u8>(), 20..150), any::<u64>());
    // Kernels that wake lanes, that do so within such a block, and that count something.
    let (woken, nested, counting) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let add = |count: &Cell<u32>, holds: bool| count.set(count.get() + u32::from(holds));
    let result = runner.run(&choice, |(choices, seed)| {
        let text = random(choices, jumps);
        let sums = check(&text, seed).map_err(TestCaseError::fail)?;
        add(&woken, nesting(&text) > 0);
        add(&nested, nesting(&text) > 1);
        add(&counting, sums.iter().any(|&sum| sum != 0));
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
    let shares = [woken, nested, counting].map(Cell::into_inner);
    let least = [cases / 3, cases / 20, cases / 3];
    assert!(shares.iter().zip(least).all(|(&n, least)| n >= least), "{shares:?} of {cases} kernels");
}

/// How deeply `everywhere` blocks are nested.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (Vec::new(), 0);
    for line in text.lines() {
        for bracket in line.chars() {
            match bracket {
                '{' => open.push(line.contains("everywhere (")),
                '}' => drop(open.pop()),
                _ => {}
            }
        }
        most = most.max(open.iter().filter(|wakes| **wakes).count());
    }
    most
}

#[test]
fn random_kernels_agree() {
    for_random_kernels(60, true, |text, seed| both(text, TWO, seed));
}

#[test]
fn random_kernels_agree_with_the_simd_machine() {
    for_random_kernels(60, false, all_three);
}

#[test]
fn the_simd_machine_agrees_where_it_can() {
    let texts = CASES.map(|(_, functions, body)| format!("{BASE}{functions}{}", kernel(body)));
    let expressible: Vec<_> = texts.iter().filter(|text| on_simd(text).is_some()).collect();
    assert_eq!(expressible.len(), 3, "below a divergent test, in both branches, inside another one");
    for text in expressible {
        all_three(text, 1).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn the_gpu_agrees() {
    use proptest::strategy::ValueTree;
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(any::<u8>(), 40..150);
    let mut choices = || strategy.new_tree(&mut runner).expect("a list").current();
    let mut texts: Vec<_> =
        CASES.iter().map(|(_, functions, body)| format!("{BASE}{functions}{}", kernel(body))).collect();
    texts.extend((0..20).map(|_| random(choices(), true)));
    let simple: Vec<_> = (0..20).map(|_| random(choices(), false)).collect();
    let expected: Vec<(_, fn(&str) -> _, _)> =
        vec![(texts, |text| both(text, TWO, 0), TWO), (simple, |text| all_three(text, 0), ONE)];
    for (texts, check, shape) in expected {
        for text in texts {
            let module = read(&text);
            let Some(mut gpu) = machine::OnGpu::new("the_gpu_agrees", &module) else { return };
            assert!(run(&mut gpu, shape).is_ok_and(|counts| Ok(counts) == check(&text)), "{module}");
        }
    }
}
