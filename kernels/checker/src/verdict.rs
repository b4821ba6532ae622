//! Verdicts of the checker: rules, reasons, assumptions.

use std::fmt;

use gchr_base::diagnostic::Diagnostic;

/// A rule that a kernel can break. "Thesis" is the thesis on GPUCSL, a concurrent separation logic for GPU kernels;
/// sections and figures are its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// A block barrier is reached by all threads of the block or by none.
    Barrier,
    /// A grid barrier is reached by all threads of the grid or by none.
    GridBarrier,
    /// Between two barriers of the block, what its threads touch is disjoint, only read, or only touched by atomics.
    BlockPermission,
    /// Between two barriers of the grid, what its blocks touch is disjoint, only read, or only touched by atomics.
    GridPermission,
    /// Ownership transfer: claims of threads add up to at most the whole, so claims that do not depend on data are
    /// disjoint.
    OwnershipTransfer,
    /// The mask of a vote, a shuffle or a warp barrier is the set of lanes that are active there.
    Mask,
    /// A shuffle reads from a lane of its mask.
    ShuffleSource,
    /// The kernel is small enough to be checked.
    Limit,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 8] = [
        Self::Barrier,
        Self::GridBarrier,
        Self::BlockPermission,
        Self::GridPermission,
        Self::OwnershipTransfer,
        Self::Mask,
        Self::ShuffleSource,
        Self::Limit,
    ];
    /// Stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::GridBarrier => "grid-barrier",
            Self::BlockPermission => "block-permission",
            Self::GridPermission => "grid-permission",
            Self::OwnershipTransfer => "hand-over",
            Self::Mask => "mask",
            Self::ShuffleSource => "shuffle-source",
            Self::Limit => "limit",
        }
    }
    /// Stable number, as a diagnostic.
    pub fn code(self) -> &'static str {
        match self {
            Self::Barrier => "K0301",
            Self::GridBarrier => "K0302",
            Self::BlockPermission => "K0303",
            Self::GridPermission => "K0304",
            Self::OwnershipTransfer => "K0305",
            Self::Mask => "K0306",
            Self::ShuffleSource => "K0307",
            Self::Limit => "K0308",
        }
    }
    /// Where the rule comes from.
    pub fn source(self) -> &'static str {
        match self {
            Self::Barrier => "thesis on GPUCSL, section 2.2.3, figure 2.15: Ty-Barrier, Ty-If, Ty-While",
            Self::GridBarrier => "thesis on GPUCSL, section 2.2.3, for the threads of the grid",
            Self::BlockPermission => "thesis on GPUCSL, section 2.2.2, figure 2.9: rule Block",
            Self::GridPermission => "thesis on GPUCSL, section 2.2.2, figure 2.9: rule Grid",
            Self::OwnershipTransfer => {
                "thesis on GPUCSL, section 2.2.2, figures 2.9 and 2.11: BSpre and BSpost add up to the same"
            }
            Self::Mask | Self::ShuffleSource => {
                "Moreira, Collange, Pereira, \"Definição Semântica de Blocos Everywhere para Programação SIMD\": shfl of a sleeping lane is undefined"
            }
            Self::Limit => "gchr",
        }
    }
    /// What to do about it.
    fn help(self) -> &'static str {
        match self {
            Self::Barrier => {
                "branch on what is the same in all threads of the block, or say so with `assume_uniform_block`"
            }
            Self::GridBarrier => {
                "branch on what is the same in all threads of the grid, or say so with `assume_uniform`"
            }
            Self::BlockPermission => {
                "put a `barrier()` between them, use atomics, or name what keeps them apart with `own`"
            }
            Self::GridPermission => {
                "put a grid barrier between them, use atomics, or name what keeps them apart with `own`"
            }
            Self::OwnershipTransfer => "let each element be owned by one thread",
            Self::Mask => {
                "use `0xffffffffu` where the whole warp comes, or `active_mask()` taken in the same branch"
            }
            Self::ShuffleSource => "read from the first lane of the mask, `find_first_set(mask) - 1u`",
            Self::Limit => "make the kernel smaller",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A statement of a kernel or of a function that it calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The function.
    pub function: String,
    /// Number of the statement in the order of the text, from 0, outer ones before inner ones.
    pub statement: usize,
    /// Its first line.
    pub text: String,
    /// Line of the program that it was made from.
    pub line: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, statement {} ({})", self.function, self.statement, self.text)?;
        self.line.map_or(Ok(()), |line| write!(f, ", rule line {line}"))
    }
}

/// Why a kernel is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The rule that it breaks.
    pub rule: Rule,
    /// Where.
    pub place: Location,
    /// The other place that is involved: the branch around a barrier, the other access of a race.
    pub other: Option<Location>,
    /// How.
    pub text: String,
}

impl Reason {
    /// The reason for the user.
    pub fn diagnostic(&self, kernel: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.rule.code(), self.text.clone())
            .note(format!("in kernel `{kernel}`, at {}", self.place));
        if let Some(other) = &self.other {
            diagnostic = diagnostic.note(format!("and {other}"));
        }
        diagnostic.note(format!("rule {}: {}", self.rule, self.rule.source())).help(self.rule.help())
    }
}

/// What a kernel assumes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Assumed {
    /// `own`: only this thread touches the element up to its next barrier.
    Own,
    /// `assume`: a condition.
    Condition,
    /// `assume_uniform`: a variable is the same in all threads of the grid or block.
    Uniform,
    /// A function keeps the contract that its comment states.
    Contract,
    /// `assume` in a `simulated` block: the verdict does not depend on it.
    Step,
    /// `handed`: threads hand memory to each other by release and acquire.
    Handed,
}

impl Assumed {
    /// The statement that makes it, and what tests it.
    pub fn source(&self) -> &'static str {
        match self {
            Self::Own => "own, tested by the simulator",
            Self::Condition => "assume, tested by the simulator",
            Self::Uniform => "assume_uniform, tested by the simulator",
            Self::Step => "step, tested by the simulator, not proved",
            Self::Contract => "contract of the function",
            Self::Handed => "handed over by release and acquire, races are looked for by the simulator",
        }
    }
}

/// A named assumption, and where it is stated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Assumed,
    /// The first place that states it.
    pub place: Location,
    /// How many places do.
    pub places: usize,
}

/// Figures of a check.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CheckStats {
    /// Statements visited, those of called functions at each call.
    pub statements: usize,
    /// Barrier intervals of the block and of the grid.
    pub intervals: usize,
    /// Accesses to shared and global memory.
    pub accesses: usize,
    /// Pairs of accesses that had to be proved disjoint.
    pub pairs: usize,
}

/// The result of checking one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The kernel.
    pub kernel: String,
    /// Why it is refused; it is accepted when there is no reason.
    pub reasons: Vec<Reason>,
    /// How many more reasons there are.
    pub omitted: usize,
    /// For a kernel refused for divergent control: divergent atomic loads, each with a write that may happen at the
    /// same time.
    pub divergent_loads: Vec<(Location, Location)>,
    /// The assumptions of the acceptance.
    pub assumptions: Vec<Assumption>,
    /// Assertions on results of the kernel that the simulator tests. They are not proved, and the acceptance does not
    /// depend on them.
    pub steps: Vec<Assumption>,
    /// Figures of the check.
    pub effort: CheckStats,
}

impl Verdict {
    /// Whether the kernel may be launched.
    pub fn accepted(&self) -> bool {
        self.reasons.is_empty()
    }
    /// The reasons for the user.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.reasons.iter().map(|r| r.diagnostic(&self.kernel)).collect()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let says = if self.accepted() { "accepted" } else { "refused" };
        writeln!(f, "kernel {}: {says}", self.kernel)?;
        for Reason { rule, place, other, text } in &self.reasons {
            writeln!(f, "  {rule}: {text}\n    at {place}")?;
            if let Some(other) = other {
                writeln!(f, "    and {other}")?;
            }
        }
        if self.omitted > 0 {
            writeln!(f, "  and {} more reasons", self.omitted)?;
        }
        for (load, store) in &self.divergent_loads {
            writeln!(
                f,
                "  not the same in all threads, as it may be written meanwhile: {load}\n    by {store}"
            )?;
        }
        for Assumption { name, kind, place, places } in &self.assumptions {
            let more = more_places(*places);
            writeln!(f, "  assumes \"{name}\" ({}): {place}{more}", kind.source())?;
        }
        for Assumption { name, place, places, .. } in &self.steps {
            let more = more_places(*places);
            writeln!(f, "  tested, not proved: \"{name}\": {place}{more}")?;
        }
        let CheckStats { statements, intervals, accesses, pairs } = self.effort;
        let counted = [
            count(statements, "statement", "s"),
            count(intervals, "interval", "s"),
            count(accesses, "access", "es"),
            count(pairs, "pair", "s"),
        ];
        writeln!(f, "  {}", counted.join(", "))
    }
}

fn count(n: usize, what: &str, plural: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { plural })
}

/// How many places there are beside the first one.
fn more_places(places: usize) -> String {
    match places {
        0 | 1 => String::new(),
        n => format!(" and {}", count(n - 1, "more place", "s")),
    }
}
