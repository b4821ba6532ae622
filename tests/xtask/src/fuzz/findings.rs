//! What is compared, and what came of it.

use gchr_testkit::coverage::Coverage;

use super::answer::{Answer, Ran};

/// Two answers that must be equal and are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// What ran: device, scheduler, semantics and so on.
    pub executor: String,
    /// What differs. A smaller program with the same difference is the same failure.
    pub what: String,
    /// The two sides.
    pub told: String,
}

impl Difference {
    /// Whether two differences are the same failure.
    pub fn is_like(&self, other: &Difference) -> bool {
        self.executor == other.executor && self.what == other.what
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.executor, self.what, self.told)
    }
}

/// Which devices take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Devices {
    /// The simulator.
    pub simulator: bool,
    /// The first GPU.
    pub gpu: bool,
}

/// Counts, and the differences of one case.
#[derive(Clone, Default, Debug)]
pub struct Findings {
    pub differences: Vec<Difference>,
    /// Runs of executors.
    pub runs: u64,
    /// Starts on which the reference has an answer, and those on which it has none.
    pub known: u64,
    pub unknown: u64,
    /// Runs of kernels: on the simulator, on a GPU.
    pub simulated: u64,
    pub on_gpu: u64,
    /// The case is no program.
    pub refused: Option<String>,
    /// What the reference does not know, and why runs end in errors.
    pub reasons: std::collections::BTreeMap<String, u64>,
    pub coverage: Option<(Coverage, bool)>,
}

impl Findings {
    /// Notes a difference.
    pub fn differ(&mut self, executor: &str, what: impl Into<String>, told: impl Into<String>) {
        let (what, told) = (what.into(), told.into());
        self.differences.push(Difference { executor: executor.into(), what, told });
    }

    /// Notes the outcome of the reference.
    pub fn note(&mut self, end: &gchr_testkit::reference::End) {
        use gchr_testkit::reference::End;
        let reason = match end {
            End::Done => "a result".into(),
            End::Error(code) => format!("error {code}"),
            End::Unknown(why) => format!("not known: {why}"),
        };
        *self.reasons.entry(reason).or_default() += 1;
        *(if matches!(end, End::Unknown(_)) { &mut self.unknown } else { &mut self.known }) += 1;
    }

    /// Compares a run with what is expected of it. With `any_error`, one error is as good as another.
    pub fn compare(&mut self, executor: &str, expected: &Answer, ran: &Ran, any_error: bool) {
        self.runs += 1;
        let same = match (expected, &ran.answer) {
            (Answer::Error(_), Answer::Error(_)) if any_error => true,
            (a, b) => a == b,
        };
        if !same {
            let what = format!("{} instead of {}", ran.answer.kind(), expected.kind());
            self.differ(executor, what, format!("expected {expected}\nfound {}", ran.answer));
        }
    }

    /// Reports what is wrong with a run of which nothing is known.
    pub fn look_at(&mut self, executor: &str, ran: &Ran) {
        let internal = |code: &str| code.starts_with(['I', 'D', 'K']);
        match &ran.answer {
            Answer::Panic(message) => self.differ(executor, "panic", message.clone()),
            Answer::Stopped(code) | Answer::Refused(code) if internal(code) => {
                self.differ(executor, code.clone(), "a program must not lead to this");
            }
            _ => {}
        }
    }
}
