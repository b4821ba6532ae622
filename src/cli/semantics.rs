//! Options that say what a constraint program means.

use clap::ValueEnum;
use gchr::base::rule::Semantics;
use gchr::{CompileOptions, Firing};

/// The semantics of a constraint program.
#[derive(clap::Args, Clone, Copy)]
pub struct SemanticsArgs {
    /// How rules are applied [default: as the program says, else refined] (.chr)
    #[arg(long, value_name = "SEMANTICS")]
    semantics: Option<SemanticsArg>,
    /// How rounds find what can fire [default: indexed] (.chr)
    #[arg(long, value_name = "FIRING")]
    firing: Option<FiringArg>,
}

#[derive(Clone, Copy, ValueEnum)]
enum SemanticsArg {
    /// One after the other, in the order of SWI-Prolog
    Refined,
    /// In parallel and deterministic rounds
    Rounds,
}

/// How rounds find what can fire.
#[derive(Clone, Copy, ValueEnum)]
pub enum FiringArg {
    /// By indexes from what is new, and by classes of rules
    Indexed,
    /// By indexes from what is new, rule by rule
    General,
    /// By trying every combination of constraints in every round
    Exhaustive,
}

impl FiringArg {
    /// What it stands for.
    pub fn firing(self) -> Firing {
        match self {
            FiringArg::Indexed => Firing::Indexed,
            FiringArg::General => Firing::General,
            FiringArg::Exhaustive => Firing::Exhaustive,
        }
    }
}

impl SemanticsArgs {
    /// Whether the program is to run in rounds.
    pub fn rounds(&self) -> bool {
        matches!(self.semantics, Some(SemanticsArg::Rounds))
    }
    /// One of them that was given.
    pub fn given(&self) -> Option<&'static str> {
        self.semantics.map(|_| "--semantics").or(self.firing.map(|_| "--firing"))
    }
    /// Whether `--firing` was given.
    pub fn firing_is_given(&self) -> bool {
        self.firing.is_some()
    }

    /// The options with what was given.
    pub fn complete(&self, options: CompileOptions) -> CompileOptions {
        let semantics = match self.semantics {
            Some(SemanticsArg::Refined) => Some(Semantics::Refined),
            Some(SemanticsArg::Rounds) => Some(Semantics::Rounds),
            None => None,
        };
        let firing = self.firing.map_or(Firing::default(), FiringArg::firing);
        CompileOptions { semantics, firing, ..options }
    }
}
