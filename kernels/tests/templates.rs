//! Every template against its plain definition, on the simulator and on a GPU when there is one.

#[path = "support/machine.rs"]
mod machine;
#[path = "templates/steps.rs"]
mod steps;
#[cfg(feature = "cuda")]
mod support;

use gchr_core::diagnostic::render_all;
use gchr_core::source::SourceMap;
use gchr_kernels::device::{Arg, BufferId, Value};
use gchr_kernels::ir::{Literal, Module, Scalar};
use gchr_kernels::sim::Shape;
use gchr_kernels::template::{Holes, instantiate};
use gchr_kernels::text::parse;
use machine::{Machine, MachineExt, Simulated};

/// What fills the holes.
const PROGRAM: &str = "
struct Launch { u64* input; u32* small; u64* output; };

__device__ __forceinline__ void element(Launch p, u64 index) {
    p.output[index] = p.input[index] * 3ull + 1ull;
}
__device__ __forceinline__ u64 value(Launch p, u64 index) {
    return p.input[index];
}
__device__ __forceinline__ u64 combine(u64 a, u64 b) {
    return a + b;
}
__device__ __forceinline__ u64 larger(u64 a, u64 b) {
    return max(a, b);
}
__device__ __forceinline__ f64 real(Launch p, u64 index) {
    return f64(p.input[index]) * 0.1;
}
__device__ __forceinline__ f64 plus(f64 a, f64 b) {
    return a + b;
}
__device__ __forceinline__ void accept(Launch p, u64 index, u64 mine, u64 before) {
    p.output[index] = before * 8ull + mine;
}
__device__ __forceinline__ u32 value32(Launch p, u64 index) {
    return p.small[index];
}
__device__ __forceinline__ void accept32(Launch p, u64 index, u32 mine, u32 before) {
    p.output[index] = u64(before) * 8ull + u64(mine);
}
__device__ __forceinline__ bool keep(Launch p, u64 index) {
    return p.input[index] % 3ull == 0ull;
}
__device__ __forceinline__ void move(Launch p, u64 from, u64 to) {
    p.output[to] = p.input[from] + 1ull;
}
__device__ __forceinline__ bool claim(Launch p, u64 index) {
    bool dead = p.input[index] % 2ull == 0ull;
    if (dead) {
        p.input[index] = 1ull;
    }
    return dead;
}
";

/// Kernels that use the grid barrier: after each round every block reads what its neighbour wrote in it.
const ROUNDS: &str = "
extern \"C\" __global__ void __launch_bounds__(1024) rounds(Launch p, u32* word, u32 count) {
    u32 me = blockIdx.x * blockDim.x + threadIdx.x;
    u32 all = gridDim.x * blockDim.x;
    u32 next = me + blockDim.x < all ? me + blockDim.x : me + blockDim.x - all;
    for (u32 round = 0u; round < count; round += 1u) {
        p.input[me] = p.output[next] + u64(me);
        grid_barrier(word);
        p.output[me] = p.input[next] + 1ull;
        grid_barrier(word);
    }
}
";

fn program(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let id = sources.add("program.cu", text);
    parse(&sources, id).unwrap_or_else(|found| panic!("{}", render_all(&found, &sources, false)))
}

/// Adds a template; `by` pairs its holes with functions of the program.
fn add(
    module: &mut Module,
    name: &str,
    prefix: &str,
    types: &[(&str, Scalar)],
    constants: &[(&str, Literal)],
    by: &[(&str, &str)],
) {
    let functions: Vec<_> =
        by.iter().map(|(hole, f)| (*hole, module.function(f).expect("is there"))).collect();
    let params = [("Params", module.record("Launch").expect("is there"))];
    let records: &[_] = if name == "grid_barrier" { &[] } else { &params };
    let holes =
        Holes { prefix, types, constants, records, functions: &functions, kernels: true, open: false };
    instantiate(module, name, &holes).unwrap_or_else(|found| panic!("{found:#?}"));
}

/// All templates in one module, as a program has them.
fn module() -> Module {
    let mut module = program(PROGRAM);
    let zero = [("IDENTITY", Literal::Int(0))];
    let real_zero = [("IDENTITY", Literal::Float(0.0))];
    add(&mut module, "map", "", &[], &[], &[("element", "element")]);
    add(
        &mut module,
        "reduce",
        "sum",
        &[("T", Scalar::U64)],
        &zero,
        &[("value", "value"), ("combine", "combine")],
    );
    add(
        &mut module,
        "reduce",
        "max",
        &[("T", Scalar::U64)],
        &zero,
        &[("value", "value"), ("combine", "larger")],
    );
    add(
        &mut module,
        "reduce",
        "real",
        &[("T", Scalar::F64)],
        &real_zero,
        &[("value", "real"), ("combine", "plus")],
    );
    add(&mut module, "scan", "wide", &[("T", Scalar::U64)], &[], &[("value", "value"), ("accept", "accept")]);
    add(
        &mut module,
        "scan",
        "narrow",
        &[("T", Scalar::U32)],
        &[],
        &[("value", "value32"), ("accept", "accept32")],
    );
    add(&mut module, "compact", "gc", &[], &[], &[("keep", "keep"), ("move", "move")]);
    add(&mut module, "collect", "", &[], &[], &[("claim", "claim")]);
    add(&mut module, "grid_barrier", "", &[], &[], &[]);
    // The kernel that waits is in the text form too.
    let text = format!("{module}{ROUNDS}");
    program(&text)
}

/// A launch's buffers.
struct Bench<'m> {
    machine: &'m mut dyn Machine,
    input: Vec<u64>,
    record: [Value; 3],
    output: BufferId,
}

impl<'m> Bench<'m> {
    /// Values below `bound`, pseudo-random; the outputs hold a mark.
    fn new(machine: &'m mut dyn Machine, count: usize, bound: u64, seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let input: Vec<u64> = (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % bound
            })
            .collect();
        let small: Vec<u32> = input.iter().map(|&x| x as u32).collect();
        let (a, b, c) =
            (machine.buffer(&input), machine.buffer(&small), machine.buffer(&vec![MARK; count.max(1)]));
        Self { machine, input, record: [a, b, c].map(Value::Buffer), output: c }
    }
    fn launch(&mut self, kernel: &str, shape: Shape, args: &[Arg<'_>]) {
        let record = self.record;
        let all: Vec<_> = [Arg::Record(&record)].into_iter().chain(args.iter().copied()).collect();
        self.machine.launch(kernel, shape, &all).unwrap_or_else(|e| panic!("{e}"));
    }
    fn count(&self) -> Arg<'static> {
        (self.input.len() as u64).into()
    }
    fn output(&mut self) -> Vec<u64> {
        self.machine.get(self.output, self.input.len())
    }
}

const MARK: u64 = 0xdead_beef_dead_beef;

/// Sizes around those where something changes, for a shape whose threads take `items` at a time.
fn sizes(shape: Shape, items: usize, large: usize) -> Vec<usize> {
    let block = shape.block as usize * items;
    let grid = block * shape.grid as usize;
    let mut sizes = vec![0, 1, large];
    for edge in [32, block, grid, 32 * block] {
        sizes.extend([edge - 1, edge, edge + 1]);
    }
    sizes.retain(|&n| n <= large);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn map(machine: &mut dyn Machine, shape: Shape, count: usize, seed: u64) {
    let mut bench = Bench::new(machine, count, 1 << 30, seed);
    let n = bench.count();
    bench.launch("map", shape, &[n]);
    let expected: Vec<u64> = bench.input.iter().map(|x| x * 3 + 1).collect();
    assert!(bench.output() == expected, "map {shape:?} {count}");
}

fn reduce(machine: &mut dyn Machine, shape: Shape, count: usize, seed: u64) {
    let mut bench = Bench::new(machine, count, 1 << 30, seed);
    let partials = bench.machine.buffer(&vec![MARK; shape.grid as usize]);
    let arrived = bench.machine.buffer(&[0u32]);
    let result = bench.machine.buffer(&[MARK]);
    let n = bench.count();
    let args = [n, partials.into(), arrived.into(), result.into()];
    let mut results = Vec::new();
    for kernel in ["sum_reduce", "max_reduce"] {
        bench.launch(kernel, shape, &args);
        results.push(bench.machine.get::<u64>(result, 1)[0]);
    }
    let expected = [bench.input.iter().sum::<u64>(), bench.input.iter().copied().max().unwrap_or(0)];
    assert_eq!(results, expected, "reduce {shape:?} {count}");
    let partials = bench.machine.buffer(&vec![0.0f64; shape.grid as usize]);
    let result = bench.machine.buffer(&[-1.0f64]);
    let args = [n, partials.into(), arrived.into(), result.into()];
    let mut sums = Vec::new();
    for _ in 0..2 {
        bench.launch("real_reduce", shape, &args);
        sums.push(bench.machine.get::<f64>(result, 1)[0]);
    }
    // The order is fixed, so the rounding is.
    assert_eq!(sums[0].to_bits(), sums[1].to_bits(), "reduce {shape:?} {count}");
    let expected: f64 = bench.input.iter().map(|&x| x as f64 * 0.1).sum();
    assert!((sums[0] - expected).abs() <= 1e-9 * expected, "{} {expected}", sums[0]);
    assert_eq!(bench.machine.get::<u32>(arrived, 1), [0]);
}

/// Words for a scan.
struct Tiles {
    tiles: BufferId,
    tickets: BufferId,
    total: BufferId,
}

impl Tiles {
    fn new(machine: &mut dyn Machine, shape: Shape, count: usize) -> Self {
        let tiles = count.div_ceil(8 * shape.block as usize).max(1);
        Self {
            tiles: machine.buffer(&vec![0u64; tiles]),
            tickets: machine.buffer(&[0u32]),
            total: machine.buffer(&[MARK]),
        }
    }
    fn args(&self, count: Arg<'static>, round: u32) -> [Arg<'static>; 5] {
        [count, self.tiles.into(), self.tickets.into(), round.into(), self.total.into()]
    }
}

fn scan(machine: &mut dyn Machine, shape: Shape, count: usize, seed: u64) {
    let mut bench = Bench::new(machine, count, 8, seed);
    let tiles = Tiles::new(bench.machine, shape, count);
    let mut sum = 0;
    let expected: Vec<u64> = bench.input.iter().map(|x| (sum * 8 + x, sum += x).0).collect();
    // The same words serve several scans, told apart by their rounds.
    for (round, kernel) in [(1, "wide_scan"), (2, "narrow_scan"), (65535, "wide_scan")] {
        let args = tiles.args(bench.count(), round);
        bench.launch(kernel, shape, &args);
        assert!(bench.output() == expected, "{kernel} {shape:?} {count}");
        assert_eq!(bench.machine.get::<u64>(tiles.total, 1), [sum], "{kernel} {shape:?} {count}");
        assert_eq!(bench.machine.get::<u32>(tiles.tickets, 1), [0]);
    }
}

fn compact(machine: &mut dyn Machine, shape: Shape, count: usize, seed: u64) {
    let mut bench = Bench::new(machine, count, 1000, seed);
    let tiles = Tiles::new(bench.machine, shape, count);
    let args = tiles.args(bench.count(), 7);
    bench.launch("gc_compact", shape, &args);
    let mut expected: Vec<u64> = bench.input.iter().filter(|&x| x % 3 == 0).map(|x| x + 1).collect();
    assert_eq!(bench.machine.get::<u64>(tiles.total, 1), [expected.len() as u64]);
    expected.resize(count, MARK);
    assert!(bench.output() == expected, "compact {shape:?} {count}");
}

fn collect(machine: &mut dyn Machine, shape: Shape, count: usize, seed: u64) {
    let mut bench = Bench::new(machine, count, 1000, seed);
    let old = [77u32, 78];
    let stack: Vec<u32> = old.iter().copied().chain(vec![u32::MAX; count]).collect();
    let (stack, top) = (bench.machine.buffer(&stack), bench.machine.buffer(&[2u64]));
    let n = bench.count();
    let mut dead: Vec<u32> =
        (0..count as u32).filter(|&i| bench.input[i as usize].is_multiple_of(2)).collect();
    // The second time nothing is dead any more.
    for _ in 0..2 {
        bench.launch("collect", shape, &[n, stack.into(), top.into()]);
        assert_eq!(bench.machine.get::<u64>(top, 1), [2 + dead.len() as u64], "collect {shape:?} {count}");
    }
    let mut found = bench.machine.get::<u32>(stack, 2 + dead.len());
    assert_eq!(found[..2], old);
    found[2..].sort_unstable();
    dead.sort_unstable();
    assert!(found[2..] == dead, "collect {shape:?} {count}");
}

fn grid_barrier(machine: &mut dyn Machine, shape: Shape, rounds: u32) {
    let threads = (shape.grid * shape.block) as usize;
    let mut bench = Bench::new(machine, threads, 100, 3);
    let start = vec![5u64; threads];
    let output = bench.machine.buffer(&start);
    bench.record[2] = Value::Buffer(output);
    let word = bench.machine.buffer(&[0u32]);
    let cooperative = Shape::cooperative(shape.grid, shape.block);
    let (mut front, mut back) = (bench.input.clone(), start);
    let next = |i: usize| (i + shape.block as usize) % threads;
    // The word keeps its sense from one launch to the next.
    for _ in 0..2 {
        bench.launch("rounds", cooperative, &[word.into(), rounds.into()]);
        for _ in 0..rounds {
            front = (0..threads).map(|i| back[next(i)] + i as u64).collect();
            back = (0..threads).map(|i| front[next(i)] + 1).collect();
        }
        assert!(bench.machine.get::<u64>(output, threads) == back, "{shape:?} {rounds}");
    }
    assert_eq!(front.len(), threads);
}

type Check = fn(&mut dyn Machine, Shape, usize, u64);

/// Templates with the number of indices that a thread takes at a time.
const CHECKS: [(Check, usize); 5] = [(map, 1), (reduce, 1), (scan, 8), (compact, 8), (collect, 1)];

fn shapes() -> [Shape; 4] {
    [Shape::new(1, 32), Shape::new(3, 64), Shape::new(2, 256), Shape::new(9, 96)]
}

fn simulate(check: usize) {
    let module = module();
    let (check, items) = CHECKS[check];
    for (i, shape) in shapes().into_iter().enumerate() {
        for (j, count) in sizes(shape, items, 20_000).into_iter().enumerate() {
            let seed = (i * 100 + j) as u64;
            check(&mut Simulated::new(&module, seed), shape, count, seed + 1);
        }
    }
}

#[test]
fn map_on_the_simulator() {
    simulate(0);
}

#[test]
fn reduce_on_the_simulator() {
    simulate(1);
}

#[test]
fn scan_on_the_simulator() {
    simulate(2);
}

#[test]
fn compact_on_the_simulator() {
    simulate(3);
}

#[test]
fn collect_on_the_simulator() {
    simulate(4);
}

#[test]
fn grid_barrier_on_the_simulator() {
    let module = module();
    for (seed, shape) in [(1, 32), (2, 32), (5, 64), (16, 32)].into_iter().enumerate() {
        grid_barrier(&mut Simulated::new(&module, seed as u64), Shape::new(shape.0, shape.1), 5);
    }
}

/// Schedules and sizes at random, on the simulator.
#[test]
fn random_sizes_and_schedules_on_the_simulator() {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    let module = module();
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    let choice = (0..CHECKS.len(), 1u32..6, 1u32..9, 0usize..3000, any::<u64>());
    let run = runner.run(&choice, |(check, grid, warps, count, seed)| {
        let shape = Shape::new(grid, (32 * warps).min(256));
        CHECKS[check].0(&mut Simulated::new(&module, seed), shape, count, seed);
        Ok(())
    });
    run.unwrap_or_else(|e| panic!("{e}"));
}

/// The module without its nth block barrier, and the function that this was in.
fn without_barrier(module: &Module, nth: usize) -> Option<(Module, String)> {
    let text = module.to_string();
    let (at, _) = text.match_indices("barrier();\n").filter(|(at, _)| text[..*at].ends_with(' ')).nth(nth)?;
    let start = |name: &str| text.find(&format!(" {name}(")).filter(|&start| start < at);
    let function = module.functions.iter().filter_map(|f| Some((start(&f.name)?, &f.name))).max()?.1.clone();
    Some((program(&format!("{}{}", &text[..at], &text[at + "barrier();".len()..])), function))
}

/// Every barrier of the templates is there for a reason: without it, the simulator finds a race.
#[test]
fn no_barrier_can_be_left_out() {
    let module = module();
    let mut needless = Vec::new();
    for nth in 0.. {
        let Some((broken, function)) = without_barrier(&module, nth) else { break };
        let runs = |seed: u64| {
            let shape = Shape::new(3, 64);
            let run = || {
                CHECKS
                    .iter()
                    .for_each(|(check, _)| check(&mut Simulated::new(&broken, seed), shape, 2000, seed));
                grid_barrier(&mut Simulated::new(&broken, seed), shape, 4);
            };
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_ok()
        };
        if (0..6).all(runs) {
            needless.push(format!("{nth} in {function}"));
        }
    }
    // These let the caller use the shared arrays again.
    insta::assert_snapshot!(needless.join("\n"));
}

#[cfg(feature = "cuda")]
#[test]
fn templates_on_the_gpu() {
    let module = module();
    let Some(mut gpu) = machine::OnGpu::new("templates_on_the_gpu", &module) else { return };
    for (i, (check, items)) in CHECKS.into_iter().enumerate() {
        for shape in shapes().into_iter().chain([Shape::new(132, 256), Shape::new(1000, 256)]) {
            let large = if shape.grid > 100 { 20_000_000 } else { 300_000 };
            for count in sizes(shape, items, large) {
                check(&mut gpu, shape, count, i as u64 + 1);
            }
        }
    }
    for (grid, block, rounds) in [(1, 32, 10), (2, 32, 10), (132, 256, 200), (264, 1024, 50)] {
        grid_barrier(&mut gpu, Shape::new(grid, block), rounds);
    }
}
