//! The grid barrier, on the simulator and on a GPU when there is one.

use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_kernel::ir::Module;
use gchr_kernel::template::{Holes, instantiate};
use gchr_kernel::text::parse;
use gchr_runtime::templates::GRID_BARRIER;
use gchr_simulator::Shape;
use gchr_testkit::machine::{Machine, MachineExt, OnGpu, Simulated};

/// After each round every block reads what its neighbour wrote in it.
const ROUNDS: &str = "
extern \"C\" __global__ void __launch_bounds__(1024) rounds(u64* front, u64* back, u32* word, u32 count) {
    u32 me = blockIdx.x * blockDim.x + threadIdx.x;
    u32 all = gridDim.x * blockDim.x;
    u32 next = me + blockDim.x < all ? me + blockDim.x : me + blockDim.x - all;
    for (u32 round = 0u; round < count; round += 1u) {
        front[me] = back[next] + u64(me);
        grid_barrier(word);
        back[me] = front[next] + 1ull;
        grid_barrier(word);
    }
}
";

fn program(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let id = sources.add("program.cu", text);
    parse(&sources, id).unwrap_or_else(|found| panic!("{}", render_all(&found, &sources, false)))
}

/// The template and the kernel that waits.
fn module() -> Module {
    let mut module = Module::default();
    instantiate(&mut module, &GRID_BARRIER, &Holes::default()).expect("has no holes");
    program(&format!("{module}{ROUNDS}"))
}

fn check(machine: &mut dyn Machine, grid: u32, block: u32, rounds: u32) {
    let threads = (grid * block) as usize;
    let mut front: Vec<u64> = (0..threads as u64).map(|i| i * 7 % 100).collect();
    let mut back = vec![5u64; threads];
    let (front_buffer, back_buffer) = (machine.buffer(&front), machine.buffer(&back));
    let word = machine.buffer(&[0u32]);
    let next = |i: usize| (i + block as usize) % threads;
    // The word keeps its sense from one launch to the next.
    for _ in 0..2 {
        let args = [front_buffer.into(), back_buffer.into(), word.into(), rounds.into()];
        machine.launch("rounds", Shape::cooperative(grid, block), &args).unwrap_or_else(|e| panic!("{e}"));
        for _ in 0..rounds {
            front = (0..threads).map(|i| back[next(i)] + i as u64).collect();
            back = (0..threads).map(|i| front[next(i)] + 1).collect();
        }
        assert!(machine.get::<u64>(back_buffer, threads) == back, "{grid} {block} {rounds}");
    }
}

#[test]
fn all_threads_wait_on_the_simulator() {
    let module = module();
    for (seed, (grid, block)) in [(1, 32), (2, 32), (5, 64), (16, 32)].into_iter().enumerate() {
        check(&mut Simulated::new(&module, seed as u64), grid, block, 5);
    }
}

/// Without either of its block barriers, or without the barrier of the grid, a round reads what is not written yet.
#[test]
fn no_barrier_can_be_left_out() {
    let text = module().to_string();
    let barriers: Vec<usize> = ["    barrier();\n", "        grid_barrier(word);\n"]
        .iter()
        .flat_map(|barrier| text.match_indices(barrier).map(|(at, _)| at))
        .collect();
    assert!(barriers.len() >= 4, "{text}");
    for at in barriers {
        let end = at + text[at..].find('\n').expect("a line");
        let broken = program(&format!("{}{}", &text[..at], &text[end..]));
        let runs = |seed: u64| {
            let run = || check(&mut Simulated::new(&broken, seed), 3, 64, 4);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_ok()
        };
        assert!(!(0..6).all(runs), "needless: {}", &text[at..end]);
    }
}

#[test]
fn all_threads_wait_on_the_gpu() {
    let module = module();
    let Some(mut gpu) = OnGpu::new("all_threads_wait_on_the_gpu", &module) else { return };
    for (grid, block, rounds) in [(1, 32, 10), (2, 32, 10), (132, 256, 200), (264, 1024, 50)] {
        check(&mut gpu, grid, block, rounds);
    }
}
