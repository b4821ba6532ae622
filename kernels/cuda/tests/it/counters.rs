//! Kernels count the same on the simulator and on a GPU: hand-computed figures of a small kernel.

use gchr_base::profile::Traffic;
use gchr_base::source::SourceMap;
use gchr_kernel::device::{Arg, Counts, Device, DeviceExt as _, Launch};
use gchr_kernel::ir::Module;
use gchr_kernel::text::parse;
use gchr_simulator::{Program, SimDevice, SimulatorOptions};
use gchr_testkit::compiler;

/// A block of two warps. Each access is one of a warp, unless it says otherwise.
const KERNEL: &str = r#"
struct alignas(16) Node {
    u32 a;
    u32 b;
    u32 c;
    u32 d;
};

struct Triple {
    u64 x;
    u64 y;
    u64 z;
};

extern "C" __global__ void __launch_bounds__(64) count(u32* words, u8* bytes, Node* nodes, Triple* triples, u64* sums) {
    u32 i = threadIdx.x;
    tally(0u);
    // In order: 32 words are 4 sectors, asked for whole.
    u32 w = words[i];
    // A stride of 8 words: a sector a lane, of which 4 bytes are asked for.
    u32 far = words[i * 8u];
    // All lanes the same word: one sector.
    u32 one = words[5u];
    // 32 bytes: one sector.
    u8 flag = bytes[i];
    // Whole records of 16 bytes: 16 sectors. One field of each: the same sectors for a quarter of the bytes.
    Node n = nodes[i];
    u32 field = nodes[i].c;
    // Records of 24 bytes: 32 of them fill 24 sectors.
    Triple t = triples[i];
    // Every other record of 24 bytes: 48 sectors, of which half is asked for.
    Triple u = triples[i * 2u];
    if (i % 4u == 1u) {
        tally(2u);
        // 8 lanes, 16 bytes apart: 16 sectors would hold 32 lanes, these are 4.
        words[i + 512u] = w + far + one + u32(flag);
    }
    if (i == 3u) {
        // A lane alone.
        tally(3u);
        nodes[i].d = n.a + field;
    }
    // In order, 8 bytes: 8 sectors.
    sums[i] = t.x + u.z;
    u64 before = atomic_add(&sums[64u], 1ull);
}
"#;

/// What two warps of the kernel do.
fn expected() -> Counts {
    let coalesced_reads = 4 + 1 + 1 + 16 + 24 + 48;
    let random_reads = 32 + 16;
    let read = 2 * (coalesced_reads + random_reads);
    // The writes of 8 lanes a warp, the lane alone, the sums.
    let written = 2 * 4 + 1 + 2 * 8;
    let random = 2 * random_reads + 2 * 4 + 1;
    let traffic = Traffic { read: 32 * read, written: 32 * written, random: 32 * random, atomics: 64 };
    Counts { traffic, tallies: vec![64, 0, 16, 1] }
}

fn module() -> Module {
    let mut sources = SourceMap::new();
    let id = sources.add("counters.cu", KERNEL);
    parse(&sources, id)
        .unwrap_or_else(|found| panic!("{}", gchr_base::diagnostic::render_all(&found, &sources, false)))
}

fn counted(device: &mut dyn Device) -> Counts {
    let words = device.upload_new(&vec![1u32; 1024]).expect("fits");
    let bytes = device.upload_new(&[1u8; 64]).expect("fits");
    let nodes = device.upload_new(&[[1u32; 4]; 64]).expect("fits");
    let triples = device.upload_new(&[[1u64; 3]; 128]).expect("fits");
    let sums = device.upload_new(&[0u64; 65]).expect("fits");
    let kernel = device.kernel("count").expect("is there");
    let args: Vec<Arg<'_>> = [words, bytes, nodes, triples, sums].map(Arg::from).to_vec();
    let before = device.counts().expect("counts").expect("it counts");
    assert_eq!(before.traffic, Traffic::default());
    device.launch(&Launch { kernel, grid: 1, block: 64, args: &args, cooperative: false }).expect("runs");
    device.synchronize().expect("runs");
    device.counts().expect("counts").expect("it counts")
}

#[test]
fn the_simulator_counts_as_computed_by_hand() {
    let program = Program::new(&module()).expect("lowers");
    let mut device = SimDevice::new(program, SimulatorOptions::default());
    assert_eq!(counted(&mut device), expected());
}

#[test]
fn a_gpu_counts_as_computed_by_hand() {
    use gchr_cuda::{Gpu, NvrtcOptions};
    use gchr_kernel::{Form, cuda_text_as};
    let Some(mut gpu) = compiler::open_gpu("counters") else { return };
    let compiler = compiler::compiler();
    let capability = gpu.info().capability;
    let load = |gpu: &mut Gpu, form| {
        let text = cuda_text_as(&module(), "counters.cu", form).expect("lowers");
        let built =
            compiler.build_for(capability, &text, "kernels.cu", &NvrtcOptions::kernels()).expect("compiles");
        gpu.load(&built.compiled.image).expect("loads");
    };
    load(&mut gpu, Form::Counting);
    let (counts, expected) = (counted(&mut gpu), expected());
    assert_eq!(counts.tallies, expected.tallies);
    assert_eq!(
        (counts.traffic.read, counts.traffic.atomics),
        (expected.traffic.read, expected.traffic.atomics)
    );
    // Lanes that have parted may meet later on a GPU than on the simulator, and are different accesses until then.
    let written = expected.traffic.written..=2 * expected.traffic.written;
    assert!(written.contains(&counts.traffic.written), "{counts:?}");
    let mut plain = Gpu::open(0).expect("opened before");
    load(&mut plain, Form::Plain);
    assert_eq!(plain.counts().expect("is there"), None);
}
