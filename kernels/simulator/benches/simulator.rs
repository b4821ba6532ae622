//! Thread steps a second of the simulator, with all checks on: `cargo bench -p gchr-simulator --bench simulator`.

use std::io::Write;
use std::time::Instant;

use gchr_base::control::Control;
use gchr_base::source::SourceMap;
use gchr_kernel::device::Arg;
use gchr_simulator::{Program, Shape, SimControl, Simulator, SimulatorOptions};

const KERNELS: &str = r#"
// Registers only, all lanes together.
extern "C" __global__ void __launch_bounds__(256) arithmetic(u32* a, u32* b, u32* c, u32 n) {
    u32 x = threadIdx.x;
    for (u32 i = 0u; i < 200u; i += 1u) {
        x = x * 1664525u + 1013904223u ^ x >> 7u;
    }
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = x;
}

// Neighbouring elements, read and written.
extern "C" __global__ void __launch_bounds__(256) stream(u32* a, u32* b, u32* c, u32 n) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        b[i] = a[i] * 3u + 1u;
    }
}

// Random reads, relaxed atomics, half of the lanes asleep.
extern "C" __global__ void __launch_bounds__(256) scatter(u32* a, u32* b, u32* c, u32 n) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u32 j = a[i] * 2654435761u % n;
        u32 x = a[j];
        if ((i + x) % 2u == 0u) {
            atomic_add(&c[j % 1024u], 1u);
        } else {
            b[i] = x;
        }
    }
}

// Tree sums in shared memory with barriers.
extern "C" __global__ void __launch_bounds__(256) reduce(u32* a, u32* b, u32* c, u32 n) {
    __shared__ u32 tile[256];
    u32 sum = 0u;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += a[i];
    }
    tile[threadIdx.x] = sum;
    barrier();
    for (u32 s = 128u; s > 0u; s >>= 1u) {
        if (threadIdx.x < s) {
            tile[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + s];
        }
        barrier();
    }
    if (threadIdx.x == 0u) {
        b[blockIdx.x] = tile[0u];
    }
}

// Trip counts that differ by lane, a local stack: fib by an explicit stack.
extern "C" __global__ void __launch_bounds__(256) uneven(u32* a, u32* b, u32* c, u32 n) {
    u32 stack[64];
    u32 depth = 1u;
    stack[0u] = threadIdx.x % 12u;
    u32 sum = 0u;
    while (depth > 0u) {
        depth -= 1u;
        u32 x = stack[depth];
        if (x < 2u) {
            sum += x;
        } else {
            stack[depth] = x - 1u;
            stack[depth + 1u] = x - 2u;
            depth += 2u;
        }
    }
    b[(blockIdx.x * blockDim.x + threadIdx.x) % n] = sum;
}
"#;

fn main() {
    let mut sources = SourceMap::new();
    let id = sources.add("bench.cu", KERNELS);
    let module = gchr_kernel::text::parse(&sources, id).expect("the kernels are good");
    let program = Program::new(&module).expect("the kernels are closed");
    let mut out = std::io::stdout().lock();
    for seed in [0, 1] {
        for (kernel, n, grid) in [
            ("arithmetic", 1 << 16, 256u32),
            ("stream", 1 << 21, 64),
            ("scatter", 1 << 20, 64),
            ("reduce", 1 << 20, 64),
            ("uneven", 1 << 14, 64),
        ] {
            let mut device = Simulator::new(SimulatorOptions { seed, ..SimulatorOptions::default() });
            let values: Vec<u32> = (0..n).collect();
            let a = device.alloc_from(&values).expect("memory");
            let b = device.alloc_zeroed::<u32>(u64::from(n)).expect("memory");
            let c = device.alloc_zeroed::<u32>(1024).expect("memory");
            let args: [Arg<'_>; 4] = [a.into(), b.into(), c.into(), n.into()];
            let mut control = Control::default();
            let start = Instant::now();
            let report = device
                .launch(&program, kernel, Shape::new(grid, 256), &args, &mut SimControl::new(&mut control))
                .unwrap_or_else(|e| panic!("{e}"));
            let seconds = start.elapsed().as_secs_f64();
            let steps = report.counters.thread_steps as f64;
            let lanes = steps / report.counters.warp_steps as f64;
            let rate = steps / seconds / 1e6;
            let _ = writeln!(
                out,
                "seed {seed} {kernel:>10}: {rate:6.0} M thread steps/s ({lanes:.1} lanes a step, {seconds:.2} s)"
            );
        }
    }
}
