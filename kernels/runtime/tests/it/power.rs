//! Powers of floats: the template `power` against the CPU's function, bit by bit, on the simulator and on a GPU when
//! there is one.

use gchr_base::diagnostic::render_all;
use gchr_base::source::SourceMap;
use gchr_kernel::device::{Arg, Value};
use gchr_kernel::ir::Module;
use gchr_kernel::template::{Holes, instantiate};
use gchr_kernel::text::parse;
use gchr_simulator::Shape;
use gchr_testkit::machine;
use gchr_testkit::machine::{Machine, MachineExt, Simulated};
use gchr_testkit::random::Random;

const PROGRAM: &str = "
extern \"C\" __global__ void __launch_bounds__(256) powers(u64* operands, u64* results, u32 count) {
    u32 stride = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        f64 result = float_pow_unchecked(float_from_bits(operands[2u * i]), float_from_bits(operands[2u * i + 1u]));
        results[i] = float_bits(result);
    }
}
";

/// The template with a kernel that computes many powers.
fn module() -> Module {
    let mut module = Module::default();
    instantiate(&mut module, &gchr_runtime::templates::POWER, &Holes { prefix: "float", ..Holes::default() })
        .unwrap_or_else(|found| panic!("{found:#?}"));
    let text = format!("{module}\n{PROGRAM}");
    let mut sources = SourceMap::new();
    let id = sources.add("powers.cu", text);
    parse(&sources, id).unwrap_or_else(|found| panic!("{}", render_all(&found, &sources, false)))
}

/// Operands that some case of the algorithm is about, with their neighbours.
fn special() -> Vec<f64> {
    let powers = [
        -1074, -1073, -1022, -1021, -53, -21, -20, -2, 0, 1, 9, 10, 20, 21, 31, 32, 52, 53, 54, 63, 64, 65,
        1023,
    ];
    let bases = [
        1.5,
        3.0,
        7.0,
        10.0,
        100.0,
        1e300,
        1e-300,
        1075.0,
        1074.0,
        1024.0,
        709.0,
        0.1,
        1.0 / 3.0,
        1.2247448713915892,
        1.7320508075688772,
    ];
    let mut found = vec![
        0.0,
        f64::INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        1.0 + 1e-7,
        1.0 - 1e-7,
    ];
    found.extend(powers.map(|e| libm::ldexp(1.0, e)));
    found.extend(bases);
    let near: Vec<f64> = found.iter().flat_map(|x| [x.next_down(), x.next_up()]).collect();
    found.extend(near);
    let negative: Vec<f64> = found.iter().map(|x| -x).collect();
    found.extend(negative);
    found
}

/// Pairs of operands: all special ones with each other, then `count` random ones, of which the results of most are
/// finite.
fn operands(count: usize) -> Vec<f64> {
    let special = special();
    let mut all: Vec<f64> = special.iter().flat_map(|&x| special.iter().flat_map(move |&y| [x, y])).collect();
    let mut random = Random::new(1);
    let unit = |bits: u64| (bits >> 11) as f64 / (1u64 << 53) as f64;
    for n in 0..count {
        let (a, b) = (random.word(), random.word());
        let (x, y) = match n % 6 {
            0 => (f64::from_bits(a), f64::from_bits(b)),
            // Any base; the logarithm of the result is at most a little more than fits.
            1 => (
                f64::from_bits(a & !(1 << 63)),
                (unit(b) - 0.5) * 2200.0 / f64::from_bits(a & !(1 << 63)).log2(),
            ),
            2 => (unit(a) * 4.0, (unit(b) - 0.5) * 100.0),
            3 => ((a % 2000) as f64 - 1000.0, (b % 60) as f64 - 30.0),
            4 => (1.0 + (unit(a) - 0.5) * 1e-6, (unit(b) - 0.5) * 1e10),
            _ => (unit(a) * 1e5, unit(b)),
        };
        all.extend([x, y]);
    }
    all
}

/// Whether all powers are those of the CPU; any NaN is as good as another.
fn agree(machine: &mut dyn Machine, shape: Shape, count: usize) {
    let operands = operands(count);
    let pairs = operands.len() / 2;
    let input = machine.buffer(&operands);
    let output = machine.buffer(&vec![0u64; pairs]);
    let args = [input.into(), output.into(), Arg::Value(Value::U32(pairs as u32))];
    machine.launch("powers", shape, &args).unwrap_or_else(|error| panic!("{error}"));
    let found: Vec<u64> = machine.get(output, pairs);
    let mut finite = 0;
    for (pair, bits) in operands.chunks_exact(2).zip(found) {
        let (wanted, found) = (libm::pow(pair[0], pair[1]), f64::from_bits(bits));
        finite += usize::from(wanted.is_finite() && wanted != 0.0);
        let same = wanted.to_bits() == bits || wanted.is_nan() && found.is_nan();
        assert!(same, "{:e} ** {:e}: {wanted:e} on the CPU, {found:e} here", pair[0], pair[1]);
    }
    assert!(finite * 2 > pairs, "{finite} of {pairs} are finite and not zero");
}

#[test]
fn powers_on_the_simulator() {
    let shape = Shape::new(2, 256);
    agree(&mut Simulated::new(&module(), 1), shape, 100_000);
}

#[test]
fn powers_on_the_gpu() {
    let Some(mut machine) = machine::OnGpu::new("powers_on_the_gpu", &module()) else { return };
    agree(&mut machine, Shape::new(256, 256), 3_000_000);
}
