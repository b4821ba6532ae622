//! What code generators share: arithmetic that reports errors, and where in the program they arise.
//!
//! The functions that generated arithmetic calls are the template `arithmetic.cu`, and further ones for operators that
//! few programs have.

mod arithmetic;

pub use arithmetic::{Arithmetic, checked_name, expression, rounded};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::notation::shown_text;
use gchr_base::op::{ArithmeticError, Op, texts};
use gchr_base::rule::{Expr, ExprKind, Program, RuleId};
use gchr_base::signature::SortKind;
use gchr_base::source::Span;

use gchr_kernel::device::DeviceError;

/// Whether rules apply an operator, given with the whole expression and its operands, that is looked for.
pub fn applies(program: &Program, looked_for: impl Fn(Op, &Expr, &[Expr]) -> bool) -> bool {
    let mut found = false;
    for rule in program.rules.iter() {
        rule.walk(&mut |expr| {
            if let ExprKind::Op { op, args } = &expr.kind {
                found |= looked_for(*op, expr, args);
            }
        });
    }
    found
}

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

#[derive(Clone, PartialEq, Debug)]
struct ErrorSite {
    what: What,
    site: Site,
}

/// What can go wrong at a place.
#[derive(Clone, PartialEq, Debug)]
enum What {
    /// An operator may have no value for operands of these kinds.
    Operator(Op, [SortKind; 2]),
    /// A goal may not hold.
    Goal,
    /// A value may be none of those that a column or variable takes, here as text.
    Column(String),
}

impl Sites {
    /// Gives a place its number.
    pub fn add(&mut self, op: Op, float: bool, site: Site) -> u32 {
        let kind = if float { SortKind::Float } else { SortKind::Int };
        self.add_operator(op, [kind; 2], site)
    }

    /// Gives an operator on operands of these kinds its number.
    pub fn add_operator(&mut self, op: Op, kinds: [SortKind; 2], site: Site) -> u32 {
        self.push(What::Operator(op, kinds), site)
    }

    /// Gives a goal that must hold its number.
    pub fn add_goal(&mut self, site: Site) -> u32 {
        self.push(What::Goal, site)
    }

    /// Gives a value of any kind that is to be stored where only one kind fits its number.
    pub fn add_column(&mut self, column: String, site: Site) -> u32 {
        self.push(What::Column(column), site)
    }

    fn push(&mut self, what: What, site: Site) -> u32 {
        self.0.push(ErrorSite { what, site });
        self.0.len() as u32 - 1
    }

    /// Why and where the run ended; `None` when the device names a place that does not exist.
    pub fn explain(&self, noted: &DeviceTrap) -> Option<(StopReason, Site)> {
        self.explain_with(noted, |_, bits| bits.cast_signed().to_string())
    }

    /// As [`explain`](Self::explain), with operands that are neither integers nor floats shown by `show`.
    pub fn explain_with(
        &self,
        noted: &DeviceTrap,
        show: impl Fn(SortKind, u64) -> String,
    ) -> Option<(StopReason, Site)> {
        let ErrorSite { what, site } = self.0.get(noted.site as usize)?;
        let text = |(bits, kind): (u64, SortKind)| match kind {
            SortKind::Int => bits.cast_signed().to_string(),
            SortKind::Float => format!("{:?}", f64::from_bits(bits)),
            _ => show(kind, bits),
        };
        let reason = match what {
            What::Goal => StopReason::Failed,
            What::Column(column) => {
                let value = text((noted.operands[0], SortKind::Any));
                StopReason::Column { column: column.clone(), value }
            }
            What::Operator(op, kinds) => {
                let operands = noted.operands.into_iter().zip(*kinds).take(op.arity()).enumerate();
                let shown = |(at, operand): (usize, (u64, SortKind))| match texts::is_text(*op, at) {
                    true => shown_text(operand.0.cast_signed()),
                    false => text(operand),
                };
                let operands = operands.map(shown).collect();
                let error = match noted.kind {
                    DeviceTrap::OVERFLOW => ArithmeticError::Overflow,
                    DeviceTrap::DIVISION => ArithmeticError::DivisionByZero,
                    DeviceTrap::TYPE => ArithmeticError::Type,
                    _ => ArithmeticError::Undefined,
                };
                StopReason::Arithmetic { op: *op, error, operands }
            }
        };
        Some((reason, *site))
    }
}

/// The arithmetic error that a device noted in the buffer `error` of the template `arithmetic.cu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceTrap {
    site: u32,
    kind: u32,
    operands: [u64; 2],
}

impl DeviceTrap {
    /// Words of the buffer.
    pub const WORDS: usize = 8;
    /// A result does not fit.
    pub const OVERFLOW: u32 = 0;
    /// A divisor is zero.
    pub const DIVISION: u32 = 1;
    /// There is no result for these operands.
    pub const UNDEFINED: u32 = 2;
    /// A goal does not hold, or a value has no place where it is to be stored.
    pub const FAILED: u32 = 3;
    /// An operand has the wrong type.
    pub const TYPE: u32 = 4;

    /// For an error of the kind [`TYPE`](Self::TYPE): its number, and the first operand.
    pub fn term(&self) -> Option<(usize, u64)> {
        (self.kind == Self::TYPE).then_some((self.site as usize, self.operands[0]))
    }

    /// What the buffer says; `None` when there was no error.
    pub fn new(words: &[u32]) -> Option<Self> {
        let &[noted, site, kind, a, a_high, b, b_high, ..] = words else { return None };
        let bits = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        (noted != 0).then(|| Self { site, kind, operands: [bits(a, a_high), bits(b, b_high)] })
    }
}

/// The device says that an error has arisen at a place that does not exist, or does not say where.
pub fn unknown_site(noted: Option<DeviceTrap>) -> DeviceError {
    let place =
        noted.map_or("an unnamed place".to_string(), |noted| format!("the unknown place {}", noted.site));
    DeviceError::Findings(vec![
        Diagnostic::error("I0201", format!("internal error: the device reports an error at {place}"))
            .help("this is a bug of gchr, not of the program; please report it with the program"),
    ])
}
