//! The device runtime on a GPU, when there is one. The test binary needs nothing but itself, a driver and NVRTC.
//!
//! Without a GPU every test says that it is skipped; with `GCHR_REQUIRE_GPU` set it fails instead.

use gchr_testkit::compiler;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gchr_base::diagnostic::Diagnostic;
use gchr_cuda::{
    Arch, Cache, Compiler, Gpu, Image, NvrtcOptions, devices, driver, parse_resources, resource_table,
};
use gchr_kernel::device::{Arg, BufferId, Device, DeviceError, DeviceExt, KernelId, Launch, Value};

const SAMPLE: &str = include_str!("sample.cu");

/// One test at a time: a process has one context on a GPU, and a kernel that fails ends it.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Turn {
    gpu: Gpu,
    _guard: MutexGuard<'static, ()>,
}

/// A fresh GPU, or a note that the test is skipped.
fn bare(test: &str) -> Option<Turn> {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    compiler::open_gpu(test).map(|gpu| Turn { gpu, _guard: guard })
}

/// A fresh GPU with the sample kernels.
fn gpu(test: &str) -> Option<Turn> {
    let mut turn = bare(test)?;
    let capability = turn.gpu.info().capability;
    let built = compiler::compiler()
        .build_for(capability, SAMPLE, "sample.cu", &NvrtcOptions::kernels())
        .expect("compiles");
    assert_eq!(built.compiled.log, "");
    turn.gpu.load(&built.compiled.image).expect("loads");
    Some(turn)
}

fn launch(
    gpu: &mut Gpu,
    kernel: &str,
    grid: u32,
    block: u32,
    args: &[Arg<'_>],
) -> Result<KernelId, DeviceError> {
    let kernel = gpu.kernel(kernel)?;
    gpu.launch(&Launch { kernel, grid, block, args, cooperative: false })?;
    Ok(kernel)
}

fn numbers(n: usize, factor: u32) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(factor) ^ 0x5bd1).collect()
}

fn codes(error: DeviceError) -> Vec<&'static str> {
    error.into_diagnostics().iter().map(|d| d.code).collect()
}

#[test]
fn devices_are_listed() {
    let Some(turn) = bare("devices_are_listed") else { return };
    let list = devices().expect("there is one");
    for device in &list {
        compiler::note(&format!("{device:?}, driver {}", device.driver));
        assert!(!device.name.is_empty() && device.multiprocessors > 0 && device.l2_bytes > 0);
        assert!(device.memory_free.is_some_and(|free| free <= device.memory_total));
    }
    assert_eq!(list[0].name, turn.gpu.info().name);
    assert_eq!(driver::device_count().expect("driver"), list.len() as u32);
    let absent = Diagnostic::from(Gpu::open(list.len() as u32).err().expect("one too many"));
    assert_eq!(absent.code, "D0105");
}

fn add(gpu: &mut Gpu, n: usize) {
    let (a, b) = (numbers(n, 3), numbers(n, 7));
    let (left, right) = (gpu.upload_new(&a).expect("memory"), gpu.upload_new(&b).expect("memory"));
    let sum = gpu.alloc(4 * n as u64).expect("memory");
    let args = [left.into(), right.into(), sum.into(), Arg::from(n as u32)];
    launch(gpu, "vector_add", n.div_ceil(256) as u32, 256, &args).expect("launches");
    let found: Vec<u32> = gpu.download_vec(sum, n).expect("result");
    let expected: Vec<u32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    assert_eq!(found, expected, "{n} elements");
    for buffer in [left, right, sum] {
        gpu.free(buffer).expect("was in use");
    }
}

#[test]
fn vectors_are_added() {
    let Some(mut turn) = gpu("vectors_are_added") else { return };
    for n in [0, 1, 31, 255, 256, 257, 1 << 20, (2 << 20) - 1, 2 << 20, (20 << 20) + 1] {
        add(&mut turn.gpu, n);
    }
}

/// From some size on, copies go through several threads: each byte gets to its place from any offset, in any length,
/// and comes after the work before it.
#[test]
fn large_copies_keep_every_byte() {
    let Some(mut turn) = gpu("large_copies_keep_every_byte") else { return };
    let gpu = &mut turn.gpu;
    const MIB: usize = 1 << 20;
    let bytes: Vec<u8> = numbers(16 * MIB, 2_654_435_761).iter().flat_map(|n| n.to_le_bytes()).collect();
    let buffer = gpu.alloc(bytes.len() as u64 + 64).expect("memory");
    for (offset, length) in
        [(0, 8 * MIB - 1), (0, 8 * MIB), (5, 8 * MIB + 1), (63, 37 * MIB + 3), (1, 64 * MIB)]
    {
        let before = gpu.transferred();
        gpu.fill(buffer, 0, bytes.len() as u64 + 64, 0).expect("fills");
        gpu.upload(buffer, offset as u64, &bytes[..length]).expect("uploads");
        let mut found = vec![1u8; length + 64 - offset];
        gpu.download(buffer, offset as u64, &mut found).expect("downloads");
        assert!(found[..length] == bytes[..length], "{length} bytes at {offset}");
        assert!(found[length..].iter().all(|&byte| byte == 0), "{length} bytes at {offset}, and no more");
        assert!(gpu.transferred() > before);
    }
}

#[test]
fn a_gpu_may_move_to_another_thread() {
    let Some(turn) = gpu("a_gpu_may_move_to_another_thread") else { return };
    let Turn { mut gpu, _guard } = turn;
    let mut gpu = std::thread::spawn(move || {
        add(&mut gpu, 1000);
        gpu
    })
    .join()
    .expect("no panic");
    add(&mut gpu, 1000);
}

#[test]
fn records_carry_buffers() {
    let Some(mut turn) = gpu("records_carry_buffers") else { return };
    let gpu = &mut turn.gpu;
    let n = 100_000;
    let (a, b) = (numbers(n, 3), numbers(n, 7));
    let (left, right) = (gpu.upload_new(&a).expect("memory"), gpu.upload_new(&b).expect("memory"));
    let sum = gpu.upload_new(&[0u64]).expect("memory");
    let fields =
        [Value::Buffer(left), Value::Buffer(right), Value::U32(n as u32), Value::U8(3), Value::Buffer(sum)];
    launch(gpu, "dot", n.div_ceil(256) as u32, 256, &[Arg::Record(&fields)]).expect("launches");
    let expected = a.iter().zip(&b).fold(0u64, |sum, (&a, &b)| {
        sum.wrapping_add(u64::from(a).wrapping_mul(u64::from(b)).wrapping_mul(3))
    });
    assert_eq!(gpu.download_vec::<u64>(sum, 1).expect("result"), [expected]);
}

#[test]
fn blocks_wait_for_each_other() {
    let Some(mut turn) = gpu("blocks_wait_for_each_other") else { return };
    let gpu = &mut turn.gpu;
    let kernel = gpu.kernel("rotate").expect("is there");
    let (block, rounds) = (256u32, 1000u32);
    let grid = gpu.resident_blocks(kernel, block).expect("occupancy");
    assert!(grid >= gpu.limits().multiprocessors);
    let n = (grid * block) as usize;
    let values = numbers(n, 11);
    let (from, to) =
        (gpu.upload_new(&values).expect("memory"), gpu.upload_new(&vec![0u32; n]).expect("memory"));
    let arrived = gpu.upload_new(&[0u32]).expect("memory");
    let args = [from.into(), to.into(), arrived.into(), Arg::from(rounds)];
    let timer = gpu.start_timer().expect("timer");
    gpu.launch(&Launch { kernel, grid, block, args: &args, cooperative: true }).expect("launches");
    let time = gpu.stop_timer(timer).expect("time");
    compiler::note(&format!(
        "{grid} blocks: {:.2} us a round with barrier",
        time.as_secs_f64() * 1e6 / f64::from(rounds)
    ));
    let found: Vec<u32> = gpu.download_vec(from, n).expect("result");
    let shift = rounds as usize * block as usize % n;
    assert!((0..n).all(|i| found[i] == values[(i + shift) % n]));
    assert_eq!(gpu.download_vec::<u32>(arrived, 1).expect("count"), [grid * rounds]);

    let error = gpu
        .launch(&Launch { kernel, grid: grid + 1, block, args: &args, cooperative: true })
        .expect_err("too many blocks");
    assert!(matches!(&error, DeviceError::Launch { kernel, .. } if kernel == "rotate"), "{error:?}");
    add(gpu, 1000);
}

#[test]
fn timers_measure_the_device() {
    let Some(mut turn) = gpu("timers_measure_the_device") else { return };
    let gpu = &mut turn.gpu;
    let stop = gpu.upload_new(&[0u32, 0]).expect("memory");
    let clocks = u64::from(gpu.info().clock_khz) * 20;
    let (outer, host) = (gpu.start_timer().expect("timer"), Instant::now());
    let inner = gpu.start_timer().expect("timer");
    let args = [stop.into(), stop.into(), Arg::from(clocks)];
    launch(gpu, "wait_for_stop", 1, 1, &args).expect("launches");
    let inner = gpu.stop_timer(inner).expect("time");
    let outer_time = gpu.stop_timer(outer).expect("time");
    // 20 ms at the highest clock; longer when the clock is lower.
    assert!(inner >= Duration::from_millis(15) && inner <= outer_time, "{inner:?} {outer_time:?}");
    assert!(outer_time <= host.elapsed() + Duration::from_millis(5));
    assert!(matches!(gpu.stop_timer(outer), Err(DeviceError::Stale { .. })));
}

#[test]
fn a_running_kernel_can_be_told_to_stop() {
    let Some(mut turn) = gpu("a_running_kernel_can_be_told_to_stop") else { return };
    let gpu = &mut turn.gpu;
    let stop = gpu.upload_new(&[0u32]).expect("memory");
    let seen = gpu.upload_new(&[0u32]).expect("memory");
    // Ends by itself after some five seconds.
    let clocks = u64::from(gpu.info().clock_khz) * 5000;
    launch(gpu, "wait_for_stop", 1, 1, &[stop.into(), seen.into(), Arg::from(clocks)]).expect("launches");
    assert!(!gpu.is_idle().expect("query"));
    let posted = Instant::now();
    gpu.post(stop, 0, 42).expect("posted");
    gpu.synchronize().expect("done");
    compiler::note(&format!("stopped {:?} after the post", posted.elapsed()));
    assert!(posted.elapsed() < Duration::from_secs(2));
    assert!(gpu.is_idle().expect("query"));
    assert_eq!(gpu.download_vec::<u32>(seen, 1).expect("result"), [42]);
}

#[test]
fn memory_that_does_not_suffice_is_told() {
    let Some(mut turn) = gpu("memory_that_does_not_suffice_is_told") else { return };
    let gpu = &mut turn.gpu;
    let total = gpu.info().memory_total;
    let Err(DeviceError::OutOfMemory { requested, used, free, total: named }) = gpu.alloc(2 * total) else {
        panic!("twice the memory of the GPU")
    };
    assert_eq!((requested, used, named), (2 * total, 0, total));
    assert!(free > 0 && free <= total);
    assert!(matches!(gpu.alloc(u64::MAX), Err(DeviceError::OutOfMemory { .. })));

    let mut taken: Vec<BufferId> = Vec::new();
    let before = gpu.free_bytes().expect("free");
    let error = loop {
        match gpu.alloc(before / 8) {
            Ok(buffer) => taken.push(buffer),
            Err(e) => break e,
        }
        assert!(taken.len() <= 8);
    };
    assert!(taken.len() >= 6);
    assert!(matches!(error, DeviceError::OutOfMemory { used, .. } if used >= 6 * (before / 8)), "{error:?}");
    assert_eq!(codes(error), ["D0401"]);
    for buffer in taken {
        gpu.free(buffer).expect("was in use");
    }
    assert!(gpu.free_bytes().expect("free") >= before - (128 << 20));
    add(gpu, 1 << 20);
}

#[test]
fn the_memory_limit_of_the_run_holds() {
    let Some(mut turn) = gpu("the_memory_limit_of_the_run_holds") else { return };
    let gpu = &mut turn.gpu;
    gpu.set_memory_limit(Some(10 << 20));
    let four = gpu.alloc(4 << 20).expect("within the limit");
    let error = gpu.alloc(8 << 20).expect_err("beyond the limit");
    assert!(matches!(error, DeviceError::OutOfMemory { total, .. } if total == 10 << 20), "{error:?}");
    gpu.free(four).expect("was in use");
    gpu.alloc(8 << 20).expect("within the limit, once the rest is given back");
}

#[test]
fn buffers_are_apart() {
    let Some(mut turn) = gpu("buffers_are_apart") else { return };
    let gpu = &mut turn.gpu;
    let sizes: Vec<u64> = (0..500).map(|i| (i * i * 37) % 70_001).collect();
    let buffers: Vec<_> = sizes.iter().map(|&s| gpu.alloc(s).expect("memory")).collect();
    for (i, (&buffer, &size)) in buffers.iter().zip(&sizes).enumerate() {
        gpu.fill(buffer, 0, size, i as u8).expect("in range");
    }
    for (i, (&buffer, &size)) in buffers.iter().zip(&sizes).enumerate() {
        let bytes: Vec<u8> = gpu.download_vec(buffer, size as usize).expect("in range");
        assert!(bytes.iter().all(|&b| b == i as u8), "buffer {i}");
    }
    let [from, to] = [buffers[40], buffers[41]];
    gpu.upload(from, 5, b"copied").expect("in range");
    gpu.copy(from, to, 20).expect("in range");
    assert_eq!(
        &gpu.download_vec::<u8>(to, 21).expect("in range")[4..],
        b"\x28copied\x28\x28\x28\x28\x28\x28\x28\x28\x28\x29"
    );
}

#[test]
fn images_of_the_wrong_kind_are_refused() {
    let Some(mut turn) = bare("images_of_the_wrong_kind_are_refused") else { return };
    let gpu = &mut turn.gpu;
    let device = gpu.info().capability.number();
    let other = if device / 10 == 8 { 90 } else { 80 };
    let foreign = compiler::compiler()
        .build(SAMPLE, "sample.cu", Arch::Real(other), &NvrtcOptions::kernels())
        .expect("compiles");
    let ptx = |text: &str| Image::ptx(Arch::Virtual(90), text.to_string()).expect("text");
    let images = [
        foreign.compiled.image,
        ptx("this is no PTX"),
        ptx(".version 99.0\n.target sm_90\n.address_size 64\n"),
        ptx(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { no_such_instruction; }\n"),
    ];
    for image in images {
        let error = gpu.load(&image).expect_err("not for this GPU");
        compiler::note(&format!("refused: {:?}", error.clone().into_diagnostics()[0].notes));
        assert_eq!(codes(error), ["D0106"]);
    }
    assert!(!gpu.is_lost());
}

#[test]
fn the_driver_translates_ptx() {
    let Some(mut turn) = bare("the_driver_translates_ptx") else { return };
    let gpu = &mut turn.gpu;
    let arch = Arch::Virtual(if gpu.info().capability.number() >= 90 { 90 } else { 75 });
    let built =
        compiler::compiler().build(SAMPLE, "sample.cu", arch, &NvrtcOptions::kernels()).expect("compiles");
    let start = Instant::now();
    gpu.load(&built.compiled.image).expect("loads");
    compiler::note(&format!("PTX loaded in {:?}", start.elapsed()));
    add(gpu, 100_000);
}

/// Set for the process in which a kernel is made to fail.
const FAULT: &str = "GCHR_TEST_FAULT";

/// A fault ends the GPU for the whole process, so it happens in a process of its own.
#[test]
fn a_failing_kernel_is_told() {
    if std::env::var_os(FAULT).is_some() {
        return fault();
    }
    let Some(turn) = bare("a_failing_kernel_is_told") else { return };
    drop(turn);
    let output = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "a_failing_kernel_is_told", "--test-threads=1"])
        .env(FAULT, "1")
        .output()
        .expect("the test runs once more");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn fault() {
    let mut turn = gpu("a_failing_kernel_is_told").expect("a GPU");
    let gpu = &mut turn.gpu;
    launch(gpu, "write_anywhere", 1, 1, &[Arg::from(0xdead_0000u64)]).expect("launches");
    let error = gpu.synchronize().expect_err("illegal address");
    let DeviceError::Fault { kernels, what } = &error else { panic!("{error:?}") };
    assert_eq!(
        (kernels.as_slice(), what.as_str()),
        (&["write_anywhere".to_string()][..], "illegal memory access")
    );
    assert!(gpu.is_lost());
    assert_eq!(gpu.alloc(4).expect_err("lost"), error);
    assert_eq!(codes(error), ["D0403"]);
}

#[test]
fn misuse_is_told_before_it_happens() {
    let Some(mut turn) = gpu("misuse_is_told_before_it_happens") else { return };
    let gpu = &mut turn.gpu;
    let unknown = gpu.kernel("absent").expect_err("no such kernel");
    let DeviceError::UnknownKernel { known, .. } = &unknown else { panic!("{unknown:?}") };
    assert_eq!(known.join(" "), "dot rotate vector_add wait_for_stop write_anywhere");
    assert!(gpu.kernel("a\0b").is_err());

    let buffer = gpu.alloc(64).expect("memory");
    let b = Arg::from(buffer);
    let refused: [(u32, &[Arg<'_>]); 4] = [
        (256, &[b, b, b]),
        (256, &[b, b, b, Arg::from(1u64)]),
        (0, &[b, b, b, Arg::from(1u32)]),
        (257, &[b, b, b, Arg::from(1u32)]),
    ];
    for (block, args) in refused {
        let error = launch(gpu, "vector_add", 1, block, args).expect_err("refused");
        assert!(matches!(error, DeviceError::Launch { .. }), "{error:?}");
    }
    launch(gpu, "vector_add", 0, 256, &[b, b, b, Arg::from(1u32)]).expect("nothing to do");

    assert!(matches!(gpu.upload(buffer, 60, &[0; 5]), Err(DeviceError::Range { size: 64, .. })));
    assert!(matches!(gpu.fill(buffer, u64::MAX, 2, 0), Err(DeviceError::Range { .. })));
    assert!(matches!(gpu.download(buffer, 65, &mut []), Err(DeviceError::Range { .. })));
    gpu.free(buffer).expect("was in use");
    assert!(matches!(gpu.free(buffer), Err(DeviceError::Stale { .. })));
    assert!(matches!(
        launch(gpu, "vector_add", 1, 256, &[b, b, b, Arg::from(1u32)]),
        Err(DeviceError::Stale { .. })
    ));
    assert!(!gpu.is_lost());
}

#[test]
fn the_driver_sees_the_resources_of_the_compiler() {
    let Some(mut turn) = gpu("the_driver_sees_the_resources_of_the_compiler") else { return };
    let gpu = &mut turn.gpu;
    let options = NvrtcOptions::kernels().with_resource_usage();
    let built = compiler::compiler()
        .build_for(gpu.info().capability, SAMPLE, "sample.cu", &options)
        .expect("compiles");
    let expected = parse_resources(&built.compiled.log);
    assert_eq!(expected.len(), 5);
    let found: Vec<_> = expected
        .iter()
        .map(|k| {
            let kernel = gpu.kernel(&k.name).expect("is there");
            gpu.kernel_resources(kernel).expect("attributes").clone()
        })
        .collect();
    assert_eq!(resource_table(&found), resource_table(&expected));
}

#[test]
fn everything_is_released() {
    let Some(turn) = bare("everything_is_released") else { return };
    let Turn { gpu, _guard } = turn;
    drop(gpu);
    let free = || devices().expect("there is one")[0].memory_free.expect("known");
    let before = free();
    let (mut open, mut cold, mut cached) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let folder = tempfile::tempdir().expect("temporary folder");
    let rounds = 10;
    for round in 0..rounds {
        let start = Instant::now();
        let mut gpu = Gpu::open(0).expect("opens");
        open += start.elapsed();
        let start = Instant::now();
        let compiler =
            Compiler::new(compiler::find_nvrtc().expect("NVRTC"), Cache::at(folder.path(), 1 << 20));
        let built = compiler
            .build_for(gpu.info().capability, SAMPLE, "sample.cu", &NvrtcOptions::kernels())
            .expect("compiles");
        gpu.load(&built.compiled.image).expect("loads");
        if round == 0 {
            cold = start.elapsed()
        } else {
            cached += start.elapsed() / (rounds - 1)
        }
        add(&mut gpu, 1000);
        gpu.alloc(1 << 30).expect("memory");
        let _timer = gpu.start_timer().expect("timer");
        let buffer = gpu.alloc(4).expect("memory");
        gpu.post(buffer, 0, 1).expect("posted");
    }
    compiler::note(&format!(
        "context {:?}, compile and load {cold:?} cold, {cached:?} cached",
        open / rounds
    ));
    assert!(free() + (64 << 20) >= before, "{} bytes are gone", before - free());
}
