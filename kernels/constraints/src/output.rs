//! What rules write: rows of a log that bodies add to as they add to tables.
//!
//! A row says which output of the program it is, and the value that is written there. Literal text that bodies write
//! before and behind it is the same for all rows of a kind, so that it stays on the host.

use std::fmt::Write as _;
use std::io;
use std::ops::Range;

use gchr_base::ids::IdVec;
use gchr_base::rule::{Const, Expr, ExprKind, GoalKind, Program, RuleId};
use gchr_base::signature::{Signature, SortKind};
use gchr_base::source::Span;
use gchr_base::value::Value;
use gchr_constraints::plan::{ChrPlan, Occurrence, RulePlan, SlotId};

use gchr_runtime::codegen::Site;

/// What the rules of a program write.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// The kinds of rows; rows name them by number.
    kinds: Vec<RowKind>,
    /// Those of each rule, in the order of its goals.
    of_rules: IdVec<RuleId, Range<usize>>,
}

/// What rows of one kind have in common.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RowKind {
    before: String,
    /// The value that is written; `None` for a body that writes literal text only.
    pub value: Option<WrittenValue>,
    behind: String,
    /// Where it is written.
    pub site: Site,
}

/// A value that a goal writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WrittenValue {
    /// Position of the goal in its body.
    pub goal: usize,
    /// What the values are.
    pub kind: SortKind,
    quoted: bool,
}

impl Output {
    /// What the rules of a plan write.
    pub(super) fn of(program: &Program, plan: &ChrPlan) -> Self {
        let mut output = Self::default();
        let is_general = |rule: RuleId| plan.general_rules().any(|(id, _)| id == rule);
        for (id, rule) in plan.rules.iter_enumerated() {
            let first = output.kinds.len();
            // A rule without an occurrence never fires.
            if let Some(occurrence) =
                plan.occurrences.iter().find(|o| o.rule == id).filter(|_| is_general(id))
            {
                output.kinds.extend(kinds_of(&program.signature, id, rule, occurrence));
            }
            output.of_rules.push(first..output.kinds.len());
        }
        output
    }

    /// Whether rules write nothing.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The rows that the body of a rule adds, each by the number of its kind.
    pub(super) fn of_rule(&self, rule: RuleId) -> impl ExactSizeIterator<Item = (usize, &RowKind)> {
        let range = self.of_rules[rule].clone();
        range.clone().zip(&self.kinds[range])
    }

    /// The kind of a number, if it is one.
    pub(super) fn kind(&self, number: u32) -> Option<&RowKind> {
        self.kinds.get(number as usize)
    }
}

impl RowKind {
    /// Writes the text of a row; `value` is what the row holds.
    pub fn write<'a>(
        &self,
        out: &mut dyn io::Write,
        value: impl FnOnce(SortKind) -> Value<'a>,
    ) -> io::Result<()> {
        out.write_all(self.before.as_bytes())?;
        if let Some(WrittenValue { kind, quoted, .. }) = self.value {
            let value = value(kind);
            write!(out, "{}", if quoted { value.quoted() } else { value.plain() })?;
        }
        out.write_all(self.behind.as_bytes())
    }
}

fn push(text: &mut String, value: Value<'_>, quoted: bool) {
    let written = if quoted { value.quoted() } else { value.plain() };
    let written = write!(text, "{written}");
    debug_assert!(written.is_ok(), "a string takes any text");
}

/// The kinds of rows that a body adds: one a value, or one for all its literal text.
fn kinds_of(signature: &Signature, id: RuleId, rule: &RulePlan, occurrence: &Occurrence) -> Vec<RowKind> {
    let mut kinds: Vec<RowKind> = Vec::new();
    let mut text = String::new();
    let mut place = rule.span;
    let row = |before: String, value: Option<WrittenValue>, span: Span| RowKind {
        before,
        value,
        behind: String::new(),
        site: Site { rule: Some(id), span },
    };
    for (at, goal) in rule.body.iter().enumerate() {
        match &goal.kind {
            GoalKind::Newline => text.push('\n'),
            GoalKind::Write { value, quoted } => match literal(signature, value) {
                Some(value) => push(&mut text, value, *quoted),
                None => {
                    let kind = kind_of(signature, occurrence, value);
                    let written = WrittenValue { goal: at, kind, quoted: *quoted };
                    kinds.push(row(std::mem::take(&mut text), Some(written), value.span));
                }
            },
            GoalKind::Test(_)
            | GoalKind::Bind { .. }
            | GoalKind::Match { .. }
            | GoalKind::Add { .. }
            | GoalKind::Fail => continue,
        }
        place = goal.span;
    }
    match kinds.last_mut() {
        Some(last) => last.behind = text,
        None if text.is_empty() => {}
        None => kinds.push(row(text, None, place)),
    }
    kinds
}

/// The value of a constant.
fn literal<'a>(signature: &'a Signature, expr: &Expr) -> Option<Value<'a>> {
    let ExprKind::Const(constant) = expr.kind else { return None };
    Some(match constant {
        Const::Int(n) => Value::Int(n),
        Const::Float(x) => Value::Float(x),
        Const::Atom(text) => Value::Atom(signature.texts.get(text)),
        Const::Str(text) => Value::Str(signature.texts.get(text)),
    })
}

/// What the values of an expression are.
fn kind_of(signature: &Signature, occurrence: &Occurrence, expr: &Expr) -> SortKind {
    match expr.kind {
        ExprKind::Var(var) => occurrence.slots[SlotId(var.0)].kind,
        ExprKind::Repeat { .. } => SortKind::Any,
        _ => signature.kind(expr.sort),
    }
}
