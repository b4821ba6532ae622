//! Options that say what runs a program and how.

use std::num::NonZeroUsize;

use clap::ValueEnum;
use gchr::device::{Collector, Strategy};
use gchr::{Device, Schedule, Scheduler};

use super::exit::Exit;
use super::report;

/// Options of the device and its scheduler.
#[derive(clap::Args)]
pub struct DeviceArgs {
    /// What runs the program: cpu, auto (cpu, and a GPU beside it for what takes longer: the first result counts), gpu,
    /// gpu:N (`gchr devices` lists them), gpu:N-M (.chr with --semantics rounds: these share the run), or sim, the
    /// simulator of a GPU (gpu, sim: .trs, and .chr with --semantics rounds)
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = devices)]
    device: Devices,
    #[command(flatten)]
    schedule: ScheduleArgs,
}

/// What `--device` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Devices {
    /// The first one.
    device: Device,
    /// How many share the run, if several do.
    count: Option<NonZeroUsize>,
}

/// Options that the kernels depend on.
#[derive(clap::Args)]
pub struct ScheduleArgs {
    /// How gpu and sim find work [default: tasks; topology with --strategy]
    #[arg(long, value_name = "SCHEDULER")]
    scheduler: Option<SchedulerArg>,
    /// When --scheduler topology rewrites a term [default: innermost]
    #[arg(long, value_name = "STRATEGY")]
    strategy: Option<StrategyArg>,
    /// What becomes of terms that nothing refers to any more [default: compact; queue with --scheduler topology]
    #[arg(long, value_name = "COLLECTOR")]
    gc: Option<CollectorArg>,
}

#[derive(Clone, Copy, ValueEnum)]
enum SchedulerArg {
    /// Calls, evaluated depth-first by each thread and given away when other threads wait for work
    Tasks,
    /// One thread a term, in iterations over all of them
    Topology,
}

#[derive(Clone, Copy, ValueEnum)]
enum StrategyArg {
    /// When all its arguments are in normal form
    Innermost,
    /// When the arguments that a rule inspects, returns or drops are in normal form
    Relaxed,
}

#[derive(Clone, Copy, ValueEnum)]
enum CollectorArg {
    /// Nothing
    None,
    /// Use their place again; tasks: as soon as a count of references says so
    Queue,
    /// Shift them out when memory is full (topology: when half of it is garbage); the others keep their order
    Compact,
}

impl DeviceArgs {
    /// What runs the program; the first of several.
    pub fn device(&self) -> Device {
        self.device.device
    }

    /// How many devices share the run, where several do.
    pub fn count(&self) -> Option<NonZeroUsize> {
        self.device.count
    }

    /// Refuses several devices for what one of them does alone.
    pub fn check_alone(&self, command: &str) -> Result<(), Exit> {
        if self.device.count.is_none() {
            return Ok(());
        }
        let message = format!("{command} takes one device");
        report::problem("U0105", &message, "several share what `gchr run` runs; name one of them");
        Err(Exit::Usage)
    }

    /// Whether an option was given that is for term programs.
    pub fn is_for_terms(&self) -> bool {
        self.schedule.given().is_some()
    }

    /// The schedule. The CPU evaluates in its own way: options that would have no effect there are refused.
    pub fn schedule(&self) -> Result<Schedule, Exit> {
        let given = self.schedule.given();
        if let (Device::Cpu, Some(option)) = (self.device(), given) {
            let message = format!("{option} does not apply to --device cpu");
            report::problem(
                "U0105",
                &message,
                &format!("leave out {option}, or give --device gpu or --device sim"),
            );
            return Err(Exit::Usage);
        }
        self.schedule.schedule()
    }
}

impl ScheduleArgs {
    /// One of the options that were given.
    pub fn given(&self) -> Option<&'static str> {
        let scheduler = self.scheduler.map(|_| "--scheduler");
        scheduler.or(self.strategy.map(|_| "--strategy")).or(self.gc.map(|_| "--gc"))
    }
    /// The schedule that they stand for. Options that a scheduler does not have are refused.
    pub fn schedule(&self) -> Result<Schedule, Exit> {
        let scheduler = match self.scheduler {
            None if self.strategy.is_some() => Scheduler::Topology,
            None => Scheduler::default(),
            Some(SchedulerArg::Tasks) => Scheduler::Tasks,
            Some(SchedulerArg::Topology) => Scheduler::Topology,
        };
        if self.strategy.is_some() && scheduler == Scheduler::Tasks {
            let message = "--strategy does not apply to --scheduler tasks";
            report::problem("U0105", message, "leave out --strategy, or give --scheduler topology");
            return Err(Exit::Usage);
        }
        let default = Schedule::of(scheduler);
        let strategy = self.strategy.map(|strategy| match strategy {
            StrategyArg::Innermost => Strategy::Innermost,
            StrategyArg::Relaxed => Strategy::Relaxed,
        });
        let collector = self.gc.map(|collector| match collector {
            CollectorArg::None => Collector::None,
            CollectorArg::Queue => Collector::Queue,
            CollectorArg::Compact => Collector::Compact,
        });
        Ok(Schedule {
            scheduler,
            strategy: strategy.unwrap_or(default.strategy),
            collector: collector.or(default.collector),
        })
    }
}

/// What [`device`] reads, or `gpu:0-3`.
fn devices(text: &str) -> Result<Devices, String> {
    let range = text.strip_prefix("gpu:").and_then(|numbers| numbers.split_once('-'));
    let Some((first, last)) = range else { return Ok(Devices { device: device(text)?, count: None }) };
    let wrong = "expected gpu:N-M with the numbers of the first and the last GPU, N less than M";
    let number = |digits: &str| device(&format!("gpu:{digits}")).map_err(|_| wrong.to_string());
    match (number(first)?, number(last)?) {
        (Device::Gpu(first), Device::Gpu(last)) if first < last => {
            let count = NonZeroUsize::new((last - first) as usize + 1);
            Ok(Devices { device: Device::Gpu(first), count })
        }
        _ => Err(wrong.to_string()),
    }
}

/// `cpu`, `sim`, `gpu`, `gpu:1`.
pub fn device(text: &str) -> Result<Device, String> {
    let wrong = || "expected auto, cpu, gpu, gpu:N with a number N, or sim".to_string();
    match text {
        "cpu" => Ok(Device::Cpu),
        "auto" => Ok(Device::Auto),
        "sim" => Ok(Device::Sim),
        "gpu" => Ok(Device::Gpu(0)),
        _ => {
            let number = text.strip_prefix("gpu:").filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
            Ok(Device::Gpu(number.ok_or_else(wrong)?.parse().map_err(|_| wrong())?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_devices() {
        assert_eq!(device("cpu"), Ok(Device::Cpu));
        assert_eq!(device("auto"), Ok(Device::Auto));
        assert_eq!(device("gpu"), Ok(Device::Gpu(0)));
        assert_eq!(device("gpu:3"), Ok(Device::Gpu(3)));
        assert_eq!(device("sim"), Ok(Device::Sim));
        for wrong in ["", "GPU", "gpu:", "gpu:-1", "gpu:+1", "gpu:x", "gpu:99999999999", "sim:1", "Auto"] {
            assert!(device(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn several_devices() {
        let count = NonZeroUsize::new;
        assert_eq!(devices("gpu:1"), Ok(Devices { device: Device::Gpu(1), count: None }));
        assert_eq!(devices("gpu:0-3"), Ok(Devices { device: Device::Gpu(0), count: count(4) }));
        assert_eq!(devices("gpu:2-3"), Ok(Devices { device: Device::Gpu(2), count: count(2) }));
        for wrong in ["gpu:3-2", "gpu:1-1", "gpu:-", "gpu:1-", "gpu:-1", "gpu:0-1-2", "gpu:0-x", "sim:0-1"] {
            assert!(devices(wrong).is_err(), "{wrong}");
        }
    }
}
