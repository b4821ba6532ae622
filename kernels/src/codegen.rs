//! What code generators share: arithmetic that reports errors, and where in the program they arise.
//!
//! The functions that generated arithmetic calls are the template `arithmetic.cu`.

mod arithmetic;

pub use arithmetic::{Arithmetic, checked_name, expression};

use gchr_core::diagnostic::Diagnostic;
use gchr_core::error::StopReason;
use gchr_core::op::{ArithmeticError, Op};
use gchr_core::rule::RuleId;
use gchr_core::source::Span;

use crate::device::DeviceError;

/// Where an operator is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    /// In which rule; `None` in what the run starts with.
    pub rule: Option<RuleId>,
    /// Where.
    pub span: Span,
}

/// Where arithmetic errors can arise, by the number that the device reports.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sites(Vec<ErrorSite>);

#[derive(Clone, Copy, PartialEq, Debug)]
struct ErrorSite {
    /// The operator and whether its operands are floats; `None` for a goal that must hold.
    op: Option<(Op, bool)>,
    site: Site,
}

impl Sites {
    /// Gives a place its number.
    pub fn add(&mut self, op: Op, float: bool, site: Site) -> u32 {
        self.0.push(ErrorSite { op: Some((op, float)), site });
        self.0.len() as u32 - 1
    }

    /// Gives a goal that must hold its number.
    pub fn add_goal(&mut self, site: Site) -> u32 {
        self.0.push(ErrorSite { op: None, site });
        self.0.len() as u32 - 1
    }

    /// Why and where the run ended; `None` when the device names a place that does not exist.
    pub fn explain(&self, noted: &Noted) -> Option<(StopReason, Site)> {
        let &ErrorSite { op, site } = self.0.get(noted.site as usize)?;
        let Some((op, float)) = op else { return Some((StopReason::Failed, site)) };
        let show = |bits: u64| {
            if float { format!("{:?}", f64::from_bits(bits)) } else { bits.cast_signed().to_string() }
        };
        let operands = noted.operands.into_iter().take(op.arity()).map(show).collect();
        let error = match noted.kind {
            0 => ArithmeticError::Overflow,
            1 => ArithmeticError::DivisionByZero,
            _ => ArithmeticError::Undefined,
        };
        Some((StopReason::Arithmetic { op, error, operands }, site))
    }
}

/// The arithmetic error that a device noted in the buffer `error` of the template `arithmetic.cu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noted {
    site: u32,
    kind: u32,
    operands: [u64; 2],
}

impl Noted {
    /// Words of the buffer.
    pub const WORDS: usize = 8;

    /// What the buffer says; `None` when there was no error.
    pub fn new(words: &[u32]) -> Option<Self> {
        let &[noted, site, kind, a, a_high, b, b_high, ..] = words else { return None };
        let bits = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        (noted != 0).then(|| Self { site, kind, operands: [bits(a, a_high), bits(b, b_high)] })
    }
}

/// The device says that an error has arisen at a place that does not exist, or does not say where.
pub fn unknown_site(noted: Option<Noted>) -> DeviceError {
    let place =
        noted.map_or("an unnamed place".to_string(), |noted| format!("the unknown place {}", noted.site));
    DeviceError::Findings(vec![
        Diagnostic::error("I0201", format!("internal error: the device reports an error at {place}"))
            .help("this is a bug of gchr, not of the program; please report it with the program"),
    ])
}
