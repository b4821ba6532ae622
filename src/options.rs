//! How a program is compiled: for which device, under which semantics, by which scheduler.

use std::num::NonZeroUsize;

use gchr_base::rule::{Program, Semantics};
use gchr_constraints::plan::{Joins, RoundsOptions};
use gchr_kernel::Form;
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::Collector;
use gchr_logic::Answers;
use gchr_terms::plan::TermOptions;

/// As many threads as the process has cores to run on.
pub(crate) fn all_cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// What runs a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// The processor and, for runs that take longer, the first GPU beside it: whichever is done first.
    Auto,
    /// The GPU of this number.
    Gpu(u32),
    /// The simulator: the kernels of a GPU on the processor, watched for races and other mistakes. For small inputs.
    Sim,
}

impl Device {
    /// Whether it runs generated kernels.
    pub(crate) fn runs_kernels(self) -> bool {
        matches!(self, Device::Gpu(_) | Device::Sim)
    }
}

/// How a device finds work in a term program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Scheduler {
    /// Calls, evaluated depth-first by each thread and given away when other threads wait for work.
    #[default]
    Tasks,
    /// One thread per term, in iterations over all of them.
    Topology,
}

/// How a device runs a term program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// How it finds work.
    pub scheduler: Scheduler,
    /// When a term may be rewritten; a choice of the topology scheduler only.
    pub strategy: Strategy,
    /// What happens to terms without references; `None`: the fastest choice under the scheduler.
    pub collector: Option<Collector>,
}

impl Schedule {
    /// The defaults of a scheduler.
    pub fn of(scheduler: Scheduler) -> Self {
        Self { scheduler, strategy: Strategy::Innermost, collector: None }
    }

    /// What happens to cells under the tasks scheduler. A run that never fills its memory pays next to nothing for
    /// compaction.
    pub(crate) fn collector_of_tasks(self) -> Collector {
        self.collector.unwrap_or(Collector::Compact)
    }

    /// What happens to terms under the topology scheduler.
    pub(crate) fn collector_of_topology(self) -> Collector {
        self.collector.unwrap_or(Collector::Queue)
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self::of(Scheduler::default())
    }
}

/// How rounds find what can fire.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Firing {
    /// By indexes from new constraints, and by classes of rules.
    #[default]
    Indexed,
    /// By indexes from new constraints, rule by rule: no classes.
    General,
    /// By trying every combination of constraints in every round (Zaki, Frühwirth, Geller: Parallel Execution of
    /// Constraint Handling Rules on a Graphical Processing Unit). No classes.
    Exhaustive,
}

impl Firing {
    pub(crate) fn plan_options(self) -> RoundsOptions {
        match self {
            Firing::Indexed => RoundsOptions { classes: true, joins: Joins::Indexed },
            Firing::General => RoundsOptions { classes: false, joins: Joins::Indexed },
            Firing::Exhaustive => RoundsOptions { classes: false, joins: Joins::Exhaustive },
        }
    }
}

/// Whether the processor runs native code of a program, of terms or of constraints under the refined semantics, in the
/// place of the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Native {
    /// When the run is not over after a moment.
    #[default]
    Auto,
    /// From the start.
    On,
    /// Never.
    Off,
}

/// Which workers share a constraint program in rounds on the processor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Workers {
    /// None: one has it all.
    #[default]
    Alone,
    /// So many, in this process.
    Here(NonZeroUsize),
    /// One in each of the processes that were started together: a [`Team`](crate::Team).
    Team,
}

/// What matters of kernels for a GPU that are not in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum KernelTier {
    /// That they are fast.
    #[default]
    Fast,
    /// That they are compiled soon: less code, and a compiler that tries less. They take up to twice as long to run.
    Soon,
}

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompileOptions {
    /// Inline small functions that do not call themselves. The result and all counts are the same without.
    pub inline: bool,
    /// Evaluate redexes one by one, so that each can be traced: leaves out every optimisation, inlining too.
    pub trace: bool,
    /// What is to run it.
    pub device: Device,
    /// Whether the processor runs native code. Runs that are traced or recorded are interpreted.
    pub native: Native,
    /// How devices other than the CPU are to run it.
    pub schedule: Schedule,
    /// What a constraint program means; `None`: as its own options say, else the refined semantics.
    pub semantics: Option<Semantics>,
    /// How rounds find what can fire.
    pub firing: Firing,
    /// Whether a device refuses a term program without calls that can run side by side: one thread would do it all.
    pub only_parallel: bool,
    /// Whether nothing but the term of the program is evaluated: then nothing is compiled that it cannot come to (for
    /// a device, where that is at least a quarter of the rules).
    pub only_start: bool,
    /// Whether runs will be recorded: then kernels for a GPU count their memory traffic and the applications of each
    /// rule, which costs time. The CPU and the simulator record without it.
    pub record: bool,
    /// What matters of the kernels of a GPU where they must be compiled first.
    pub kernels: KernelTier,
    /// How many answers of a program with choices are looked for.
    pub answers: Answers,
    /// Whether these are written to the program's output as text when they are found, and not kept.
    pub answers_as_found: bool,
    /// Seed of the random numbers of programs that the logic machine runs.
    pub seed: u64,
    /// How many threads share the run of a term by native code; `None`: one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Which workers share the program.
    pub workers: Workers,
    /// Whether a session of a constraint program records what its constraints are derived from, for
    /// [`Session::why`](crate::Session::why).
    pub derivations: bool,
    /// Whether nothing is asked of a run on a device but how many constraints there are: the store is not brought back.
    pub only_sizes: bool,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            inline: true,
            trace: false,
            device: Device::Cpu,
            native: Native::default(),
            schedule: Schedule::default(),
            semantics: None,
            firing: Firing::default(),
            only_parallel: false,
            only_start: false,
            record: false,
            kernels: KernelTier::default(),
            answers: Answers::First(1),
            answers_as_found: false,
            seed: 1,
            threads: None,
            workers: Workers::default(),
            derivations: false,
            only_sizes: false,
        }
    }
}

impl CompileOptions {
    /// Whether recorded runs need kernels that count in the place of the plain ones: on a GPU.
    pub fn counts_apart(&self) -> bool {
        matches!(self.device, Device::Gpu(_))
    }

    /// Under which semantics a constraint program runs: that of the options, else its own, else the refined one.
    pub(crate) fn semantics_of(&self, program: &Program) -> Semantics {
        self.semantics.or(program.semantics).unwrap_or(Semantics::Refined)
    }

    /// How many threads may share a run.
    pub(crate) fn threads(&self) -> NonZeroUsize {
        self.threads.unwrap_or_else(all_cores)
    }

    pub(crate) fn form(&self) -> Form {
        if self.record && self.counts_apart() { Form::Counting } else { Form::Plain }
    }

    pub(crate) fn to_term_options(self) -> TermOptions {
        let only_start = self.only_start;
        match self.trace {
            true => TermOptions { only_start, ..TermOptions::traced() },
            false => TermOptions { inline: self.inline, only_start, ..TermOptions::default() },
        }
    }
}
