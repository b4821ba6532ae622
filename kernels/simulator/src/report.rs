//! Faults that the simulator finds in a kernel, with their places.

use std::fmt;
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;

use super::code::Site;

/// How an element was touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Touch {
    /// Plain read.
    Read,
    /// Plain write.
    Write,
    /// Atomic load, or compare-exchange without success.
    AtomicRead,
    /// Atomic store or read-modify-write.
    AtomicWrite,
}

impl Touch {
    /// Whether it is an atomic access.
    pub fn is_atomic(self) -> bool {
        matches!(self, Self::AtomicRead | Self::AtomicWrite)
    }
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::AtomicRead => "atomic read",
            Self::AtomicWrite => "atomic write",
        }
    }
}

/// A thread of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadName {
    /// Block.
    pub block: u32,
    /// Warp within the block.
    pub warp: u32,
    /// Lane within the warp.
    pub lane: u32,
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {} warp {} lane {}", self.block, self.warp, self.lane)
    }
}

/// An element of a buffer or array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// Name of the parameter or array.
    pub memory: String,
    /// Index; negative or too large when out of bounds.
    pub index: i64,
    /// Field of the record.
    pub field: u32,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.memory, self.index)?;
        if self.field > 0 { write!(f, " (field {})", self.field) } else { Ok(()) }
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Two threads touch an element, one of them writes, one of them not atomically, and nothing orders them.
    Race {
        /// The element.
        element: Element,
        /// How this thread touches it.
        touch: Touch,
        /// How the other one did.
        other_touch: Touch,
        /// The other thread.
        other: ThreadName,
        /// Where it did.
        other_site: Site,
    },
    /// An element is read that was never written.
    UnwrittenElement(Element),
    /// A variable, or the result of a call, is read in a thread that has not written it.
    UnwrittenVariable(String),
    /// An index is not less than the length.
    OutOfBounds {
        /// The element.
        element: Element,
        /// Number of elements.
        length: u64,
    },
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// Division of the least number by -1.
    DivisionOverflow,
    /// Shift by the width or more.
    ShiftTooWide {
        /// The amount.
        amount: u64,
    },
    /// A float that the integer type cannot hold is converted to it.
    FloatOutOfRange,
    /// The lanes of a mask are not those that execute the vote, shuffle or warp barrier, or not all give the same mask.
    Mask {
        /// The mask of this lane.
        mask: u32,
        /// The active lanes.
        active: u32,
    },
    /// A shuffle reads from a lane that is not in the mask.
    ShuffleSource {
        /// The lane it reads from.
        source: u32,
        /// The mask.
        mask: u32,
    },
    /// Not all threads of the block arrive at the barrier.
    BarrierDivergence {
        /// Why they do not.
        cause: String,
    },
    /// All threads wait for each other.
    Deadlock {
        /// Where they wait, one line per warp for the first few.
        waiting: Vec<String>,
        /// Blocks that have not been started.
        pending_blocks: u32,
    },
    /// A named assumption does not hold.
    AssumptionFailed {
        /// Its name.
        name: String,
    },
    /// The assertion of a step does not hold.
    StepFailed {
        /// Its name.
        name: String,
    },
    /// A variable that is assumed to be the same in all threads is not.
    NotUniform {
        /// Name of the assumption.
        name: String,
        /// Bits of the value of this thread.
        value: u64,
        /// Another thread.
        other: ThreadName,
        /// Bits of its value.
        other_value: u64,
    },
    /// A thread touches an element that another one owns until its next barrier.
    NotOwner {
        /// The element.
        element: Element,
        /// Name of the reason.
        name: String,
        /// The owner.
        owner: ThreadName,
    },
    /// Global memory that is accessed by a handle of no buffer.
    NoBuffer,
}

impl Fault {
    /// Stable short name of the kind.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Race { touch, other_touch, .. } if touch.is_atomic() || other_touch.is_atomic() => {
                "race-with-atomic"
            }
            Self::Race { .. } => "race",
            Self::UnwrittenElement(_) => "unwritten-element",
            Self::UnwrittenVariable(_) => "unwritten-variable",
            Self::OutOfBounds { .. } => "out-of-bounds",
            Self::DivisionByZero => "division-by-zero",
            Self::DivisionOverflow => "division-overflow",
            Self::ShiftTooWide { .. } => "shift-too-wide",
            Self::FloatOutOfRange => "float-out-of-range",
            Self::Mask { .. } => "mask",
            Self::ShuffleSource { .. } => "shuffle-source",
            Self::BarrierDivergence { .. } => "barrier-divergence",
            Self::Deadlock { .. } => "deadlock",
            Self::AssumptionFailed { .. } => "assumption-failed",
            Self::StepFailed { .. } => "step-failed",
            Self::NotUniform { .. } => "not-uniform",
            Self::NotOwner { .. } => "not-owner",
            Self::NoBuffer => "no-buffer",
        }
    }
    /// Stable number of the kind, as a diagnostic.
    pub fn number(&self) -> &'static str {
        match self.code() {
            "race" => "D0511",
            "race-with-atomic" => "D0512",
            "unwritten-element" => "D0513",
            "unwritten-variable" => "D0514",
            "out-of-bounds" => "D0515",
            "division-by-zero" => "D0516",
            "division-overflow" => "D0517",
            "shift-too-wide" => "D0518",
            "float-out-of-range" => "D0519",
            "mask" => "D0520",
            "shuffle-source" => "D0521",
            "barrier-divergence" => "D0522",
            "deadlock" => "D0523",
            "assumption-failed" => "D0524",
            "not-owner" => "D0525",
            "not-uniform" => "D0527",
            "step-failed" => "D0528",
            _ => "D0526",
        }
    }
    /// Whether the launch cannot go on after it.
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::BarrierDivergence { .. } | Self::Deadlock { .. })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Race { element, touch, other_touch, other, other_site } => write!(
                f,
                "data race on {element}: {} here, {} by {other} at {other_site}, and nothing orders them",
                touch.name(),
                other_touch.name(),
            ),
            Self::UnwrittenElement(element) => write!(f, "{element} is read before it is written"),
            Self::UnwrittenVariable(name) => write!(f, "{name} is read before it is written"),
            Self::OutOfBounds { element, length } => {
                write!(f, "{element} is out of bounds: there are {length} elements")
            }
            Self::DivisionByZero => write!(f, "integer division by zero"),
            Self::DivisionOverflow => write!(f, "the least integer is divided by -1"),
            Self::ShiftTooWide { amount } => write!(f, "shift by {amount}, the width or more"),
            Self::FloatOutOfRange => write!(f, "the integer type cannot hold the float"),
            Self::Mask { mask, active } => {
                write!(f, "mask {mask:#010x} does not fit the active lanes {active:#010x}")
            }
            Self::ShuffleSource { source, mask } => {
                write!(f, "shuffle from lane {source}, which is not in the mask {mask:#010x}")
            }
            Self::BarrierDivergence { cause } => write!(f, "barrier divergence: {cause}"),
            Self::Deadlock { waiting, pending_blocks } => {
                write!(f, "deadlock: no thread can make progress; {}", waiting.join("; "))?;
                match pending_blocks {
                    0 => Ok(()),
                    n => write!(f, "; {n} blocks wait for a running one to end"),
                }
            }
            Self::AssumptionFailed { name } => write!(f, "assumption {name} does not hold"),
            Self::StepFailed { name } => write!(f, "the step \"{name}\" has not achieved what it says"),
            Self::NotUniform { name, value, other, other_value } => {
                write!(f, "assumption {name} does not hold: {value} here, {other_value} in {other}")
            }
            Self::NotOwner { element, name, owner } => {
                write!(f, "{element} belongs to {owner} until its next barrier ({name})")
            }
            Self::NoBuffer => write!(f, "the buffer variable names no buffer"),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, kernel line {} ({})", self.function, self.kernel_line, self.text)?;
        if let Some(line) = self.line {
            write!(f, ", rule line {line}")?;
        }
        if let Some(comment) = &self.comment {
            write!(f, ", {comment}")?;
        }
        Ok(())
    }
}

/// One finding; equal ones at the same place are counted, not repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// What is wrong.
    pub fault: Fault,
    /// The kernel.
    pub kernel: Arc<str>,
    /// The statement; its line and comment name the rule it was made from.
    pub site: Site,
    /// The calls that led there, innermost first.
    pub calls: Vec<Site>,
    /// The first thread that found it.
    pub thread: ThreadName,
    /// How often it was found.
    pub count: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}: {}; at {}, {}", self.kernel, self.fault, self.site, self.thread)?;
        for call in &self.calls {
            write!(f, ", called from {call}")?;
        }
        match self.count {
            0 | 1 => Ok(()),
            n => write!(f, " ({n} times)"),
        }
    }
}

impl Report {
    /// The finding for the user.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut d = Diagnostic::error(self.fault.number(), self.fault.to_string())
            .note(format!("in kernel `{}`, at {}", self.kernel, self.site))
            .note(match self.count {
                1 => format!("by {}", self.thread),
                n => format!("{n} times, first by {}", self.thread),
            });
        for call in &self.calls {
            d = d.note(format!("called at {call}"));
        }
        d.help("kernels are generated, so this is a bug of gchr: please report it, with the program")
    }
}

/// The findings of a launch.
pub(crate) struct Reports {
    found: Vec<Report>,
    index: HashMap<(&'static str, u32, u32), usize>,
    max: usize,
    /// Findings beyond the maximum.
    pub dropped: u64,
}

impl Reports {
    pub(crate) fn new(max: usize) -> Self {
        Self { found: Vec::new(), index: HashMap::default(), max: max.max(1), dropped: 0 }
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
    pub(crate) fn into_vec(self) -> Vec<Report> {
        self.found
    }
    /// Whether this one has been found before; counts it if so. `other` is a second place that distinguishes findings.
    pub(crate) fn seen(&mut self, code: &'static str, site: u32, other: u32) -> bool {
        match self.index.get(&(code, site, other)) {
            Some(&i) => {
                self.found[i].count += 1;
                true
            }
            None if self.found.len() >= self.max => {
                self.dropped += 1;
                true
            }
            None => false,
        }
    }
    /// Adds a finding that has not been seen. Fatal ones are kept even when there are too many.
    pub(crate) fn add(&mut self, site: u32, other: u32, report: Report) {
        self.index.insert((report.fault.code(), site, other), self.found.len());
        self.found.push(report);
    }
}
