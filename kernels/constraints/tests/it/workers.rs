//! Workers on devices that share a run have the rounds, the firings and the store of one worker on the processor.

use std::num::NonZeroUsize;

use gchr_base::control::{Control, Limits};
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;
use gchr_constraints::plan::{ChrPlan, RoundsOptions, compile_rounds};
use gchr_constraints::rounds;
use gchr_constraints::rounds::workers::{
    Engines, Job, PartEngine, Stop, Unshared, Whole, Worker, WorkerProgram, run_local_by,
};
use gchr_kernel::device::Device;
use gchr_kernels_constraints::generate::kernels;
use gchr_kernels_constraints::kernels::Kernels;
use gchr_kernels_constraints::run::{DevicePart, Failure, Ground, Options, dealt};
use gchr_simulator::SimDevice;
use gchr_testkit::programs;
use gchr_testkit::random::Random;
use gchr_testkit::shared::{CLOSURE, DISTANCES, EDGES, random_program};

struct Case {
    sources: SourceMap,
    program: Program,
    plan: ChrPlan,
}

impl Case {
    fn new(text: &str) -> Self {
        let (sources, program) = programs::constraints("test.chr", text);
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        Self { sources, program, plan }
    }

    /// What workers on devices run of it, if they can share it.
    fn shared(&self) -> Option<Shared> {
        let program = WorkerProgram::with_ticks(&self.program, &self.plan).ok()?;
        let plan = compile_rounds(&program.program, RoundsOptions::default()).expect("the plan compiles");
        let kernels = programs::made(kernels(&program.program, &plan, &self.sources), &self.sources);
        Some(Shared { program, plan, kernels })
    }

    fn text(&self, store: &Store, stats: &Stats) -> String {
        let mut text = Vec::new();
        store.write_text(&self.program.signature, &mut text).expect("a vector takes any text");
        format!("{:?} {:?} {}", stats.rounds, stats.firings, String::from_utf8_lossy(&text))
    }

    /// The same from any number of workers on simulators.
    #[track_caller]
    fn check(&self, shared: &Shared, numbers: &[usize], limits: &Limits) {
        self.check_on(&Simulators { shared }, numbers, limits);
    }

    /// The same from any number of workers. A run that stops is left to one worker.
    #[track_caller]
    fn check_on(&self, devices: &dyn Devices, numbers: &[usize], limits: &Limits) {
        let alone = rounds::run(&self.program, &self.plan, &[], &mut Control::new(*limits));
        // What is dropped behind the last look at the limit goes beyond it alone.
        let is_beyond = |firings: Option<u64>| firings > limits.max_steps.or(Some(u64::MAX));
        if alone.as_ref().is_ok_and(|outcome| is_beyond(outcome.stats.firings)) {
            return;
        }
        let alone = alone.map(|outcome| self.text(&outcome.store, &outcome.stats)).ok();
        let job = Job {
            program: &self.program,
            plan: &self.plan,
            shared: &devices.shared().program,
            facts: &[],
            threads: 1,
            checkpoints: None,
            only_sizes: false,
        };
        for &workers in numbers {
            let workers = NonZeroUsize::new(workers).expect("some");
            let engines = OnDevices { devices, rows: 1 << (workers.get() % 3 * 3) };
            let ran = run_local_by(job, &engines, workers, &mut Control::new(*limits));
            let ran = match ran {
                Ok(Whole { outcome, sizes }) => {
                    let count = |table| outcome.store.count(table) as u64;
                    assert!(self.plan.tables.ids().map(count).eq(sizes), "sizes");
                    Some(self.text(&outcome.store, &outcome.stats))
                }
                Err(Unshared::Alone) => None,
                Err(Unshared::Stopped(stopped)) => panic!("{:?}", stopped.error),
            };
            assert_eq!(ran, alone, "{workers} workers\n{}", self.plan.explain_places());
        }
    }
}

struct Shared {
    program: WorkerProgram,
    plan: ChrPlan,
    kernels: Kernels,
}

/// What workers run on.
trait Devices: Sync {
    fn shared(&self) -> &Shared;
    /// Takes a device with the kernels for a worker.
    fn with_device(&self, work: &mut dyn FnMut(&mut dyn Device));
}

/// A simulator for each worker.
struct Simulators<'c> {
    shared: &'c Shared,
}

impl Devices for Simulators<'_> {
    fn shared(&self) -> &Shared {
        self.shared
    }
    fn with_device(&self, work: &mut dyn FnMut(&mut dyn Device)) {
        let module = &self.shared.kernels.module;
        let simulated = gchr_simulator::Program::new(module).expect("kernels for a simulator");
        let options = gchr_simulator::SimulatorOptions {
            resident_blocks: 2,
            ..gchr_simulator::SimulatorOptions::default()
        };
        work(&mut SimDevice::new(simulated, options).max_thread_steps(400_000_000));
    }
}

/// The engines of workers.
struct OnDevices<'c> {
    devices: &'c dyn Devices,
    rows: u32,
}

impl Engines for OnDevices<'_> {
    fn with_engine(
        &self,
        worker: Worker,
        control: &mut Control<'_>,
        work: &mut dyn FnMut(&mut dyn PartEngine),
    ) -> Result<(), Stop> {
        let Shared { program, plan, kernels } = self.devices.shared();
        let ground = Ground { program: &program.program, plan, kernels };
        let input = dealt(ground, program, worker, &[], control);
        let options = Options {
            memory: 1 << 28,
            rows: self.rows,
            store: true,
            fast_paths: true,
            few: 4 * (self.rows % 2),
        };
        let mut ended = Ok(());
        self.devices.with_device(&mut |device| match DevicePart::new(
            ground,
            &input,
            (program, worker),
            options,
            device,
            control,
        ) {
            Ok(mut part) => {
                work(&mut part);
                part.end().unwrap_or_else(|error| panic!("{:?}", error.into_diagnostics()));
            }
            Err(Failure::Stopped(stopped)) => ended = Err(Box::new(stopped.error)),
            Err(Failure::Device(error)) => panic!("{:?}", error.into_diagnostics()),
        });
        ended
    }
}

fn distances() -> String {
    format!("{DISTANCES}?- {EDGES}.\n")
}

fn check(text: &str, numbers: &[usize]) {
    let case = Case::new(text);
    let shared = case.shared().expect("workers can share it");
    case.check(&shared, numbers, &Limits::default());
}

/// With and without anything to exchange; with facts, and with a generator that all workers run.
#[test]
fn closures_are_those_of_one_worker() {
    for step in
        ["e(X, Y), p(Y, Z) ==> p(X, Z).", "p(X, Y), e(Y, Z) ==> p(X, Z).", "p(X, Y), p(Y, Z) ==> p(X, Z)."]
    {
        check(&format!("{CLOSURE}{step}\n?- draw(40, 7).\n"), &[1, 2, 3]);
        check(&format!("{CLOSURE}{step}\n?- e(1, 2), e(2, 3), e(2, 3), e(3, 1), e(3, 4).\n"), &[2, 4]);
    }
}

#[test]
fn best_values_go_to_their_key_and_to_copies() {
    check(&distances(), &[1, 2, 3]);
}

/// Each further query is a batch of its own.
#[test]
fn batches_follow_each_other() {
    let rules = format!("{CLOSURE}p(X, Y), p(Y, Z) ==> p(X, Z).\n");
    check(&format!("{rules}?- e(1, 2), e(2, 3).\n?- e(3, 4), p(9, 1).\n?- e(4, 1).\n"), &[2, 3]);
}

/// Errors, failures and limits are left to one worker, which tells them exactly.
#[test]
fn stops_are_left_to_one_worker() {
    let ring = "?- e(1, 2), e(2, 3), e(3, 4), e(4, 1).\n";
    let rules = format!("{CLOSURE}e(X, Y), p(Y, Z) ==> p(X, Z).\n");
    let endless = format!("{rules}p(X, Y) ==> Z is Y + 1, p(X, Z).\n{ring}");
    let bounded = [
        Limits { max_steps: Some(200), ..Limits::default() },
        Limits { max_rounds: Some(9), ..Limits::default() },
    ];
    let cases = [
        (format!("{rules}bad @ p(X, X) ==> Y is 1 // (X - 3), p(X, Y).\n{ring}"), Limits::default()),
        (format!("{rules}?- e(1, 2), 1 > 2.\n"), Limits::default()),
        (endless.clone(), bounded[0]),
        (endless, bounded[1]),
    ];
    for (text, limits) in cases {
        let case = Case::new(&text);
        case.check(&case.shared().expect("workers can share it"), &[2], &limits);
    }
}

/// Random programs. Set `GCHR_WORKER_CASES` for more of them.
#[test]
fn random_programs_are_those_of_one_worker() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (cases, seed) = (number("GCHR_WORKER_CASES").unwrap_or(12), number("GCHR_WORKER_SEED").unwrap_or(1));
    let mut shared = 0;
    for case in 0..cases {
        let mut random = Random::new(seed * 1_000_003 + case);
        let (rules, query) = random_program(&mut random);
        let text = format!("{rules}?- {query}.\n");
        let case = Case::new(&text);
        let Some(parts) = case.shared() else { continue };
        shared += 1;
        let limits = Limits { max_steps: Some(3_000), ..Limits::default() };
        let workers = 1 + random.below(4);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            case.check(&parts, &[workers], &limits)
        }));
        assert!(checked.is_ok(), "{text}");
    }
    assert!(shared * 2 > cases, "workers can share only {shared} of {cases} programs");
}

mod gpu {
    //! The same workers on GPUs: as many as there are, which several workers may share.

    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use gchr_cuda::{Gpu, Image, NvrtcOptions, driver};
    use gchr_testkit::compiler;

    struct Gpus<'c> {
        shared: &'c Shared,
        image: Image,
        count: u32,
        next: AtomicU32,
    }

    impl Devices for Gpus<'_> {
        fn shared(&self) -> &Shared {
            self.shared
        }
        fn with_device(&self, work: &mut dyn FnMut(&mut dyn Device)) {
            let number = self.next.fetch_add(1, Ordering::Relaxed) % self.count;
            let mut gpu = Gpu::open(number).expect("a GPU was there before");
            gpu.load(&self.image).expect("kernels load");
            work(&mut gpu);
        }
    }

    fn check_on_gpus(test: &str, text: &str, numbers: &[usize]) {
        let Some(gpu) = compiler::open_gpu(test) else { return };
        let capability = gpu.info().capability;
        drop(gpu);
        let case = Case::new(text);
        let shared = case.shared().expect("workers can share it");
        let compiler = compiler::compiler();
        let source = compiler::text(&shared.kernels.module, "workers.chr");
        let built = compiler.build_for(capability, &source, "workers.cu", &NvrtcOptions::kernels());
        let image = built.expect("the kernels compile").compiled.image;
        let count = driver::device_count().expect("the number of GPUs").max(1);
        let gpus = Gpus { shared: &shared, image, count, next: AtomicU32::new(0) };
        case.check_on(&gpus, numbers, &Limits::default());
    }

    #[test]
    fn closures_on_gpus() {
        for step in ["p(X, Y), e(Y, Z) ==> p(X, Z).", "p(X, Y), p(Y, Z) ==> p(X, Z)."] {
            let text = format!("{CLOSURE}{step}\n?- draw(40, 7).\n?- e(1, 2), e(2, 30), e(30, 1).\n");
            check_on_gpus("closures_on_gpus", &text, &[1, 2, 3]);
        }
    }

    #[test]
    fn best_values_on_gpus() {
        check_on_gpus("best_values_on_gpus", &distances(), &[1, 2, 3]);
    }
}
