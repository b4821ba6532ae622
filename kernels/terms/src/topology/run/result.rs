//! Turns the slots that the result reaches into a normal form.

use gchr_base::error::StopReason;
use gchr_base::op::ArithmeticError;
use gchr_base::signature::SortKind;
use gchr_terms::exec::{Builder, Built, NormalForm};

use super::Job;
use super::tables::Slots;
use crate::topology::codegen::TermError;
use crate::topology::system::{HeadId, HeadKind};
use gchr_runtime::codegen::Site;

/// A normal form that came back from the device.
pub(super) struct ReadBack {
    pub normal_form: NormalForm,
    /// Cells that it reaches.
    pub cells: u64,
    /// Slots that it reached on the device.
    pub reachable: u64,
}

/// Builds the normal form of slot 1. Slots that are shared become cells that are shared.
pub(super) fn read_back(job: &Job<'_>, slots: &Slots) -> Result<ReadBack, StopReason> {
    normal_form(job, slots, 1)
}

/// Builds the normal form of a slot.
fn normal_form(job: &Job<'_>, slots: &Slots, root: u32) -> Result<ReadBack, StopReason> {
    const NONE: u32 = u32::MAX;
    let memory = 64 + slots.words.len() as u64 * 8;
    let mut builder = Builder::new(&job.plan.layout, memory.max(1 << 20))?;
    let broken = || StopReason::Internal { what: "the device's result is no normal form".into() };
    let mut order: Vec<Built> = Vec::new();
    let mut built = vec![NONE; slots.words.len() / slots.width];
    let mut stack = vec![root];
    let mut args: Vec<Built> = Vec::new();
    while let Some(&slot) = stack.last() {
        if built[slot as usize] != NONE {
            stack.pop();
            continue;
        }
        let words = slots.slot(slot).ok_or_else(broken)?;
        let head = HeadId(words[0] & job.kernels.host.format.head_mask);
        let arity = job.system.heads[head].arity;
        let bits = u64::from(words[1]) | u64::from(words[2]) << 32;
        let value = match job.system.heads[head].kind {
            HeadKind::Int | HeadKind::Float => {
                let kind = if head == job.system.int_head { SortKind::Int } else { SortKind::Float };
                let sort = job.program.signature.sort_of_kind(kind).ok_or_else(broken)?;
                builder.number(sort, bits)
            }
            HeadKind::Symbol(symbol) => {
                let waiting = stack.len();
                stack.extend(words[1..=arity].iter().rev().filter(|&&a| built[a as usize] == NONE));
                if stack.len() > waiting {
                    continue;
                }
                args.clear();
                args.extend(words[1..=arity].iter().map(|&a| order[built[a as usize] as usize]));
                builder.apply(symbol, &args).ok_or_else(broken)??
            }
            _ => return Err(broken()),
        };
        built[slot as usize] = order.len().try_into().map_err(|_| broken())?;
        order.push(value);
        stack.pop();
    }
    let root = *order.last().ok_or_else(broken)?;
    let (normal_form, cells) = builder.finish(root).ok_or_else(broken)?;
    Ok(ReadBack { normal_form, cells, reachable: order.len() as u64 })
}

/// Why and where the device says that the run failed at a slot.
pub(super) fn explain(
    job: &Job<'_>,
    slots: &Slots,
    error: TermError,
    slot: u64,
) -> (StopReason, Option<Site>) {
    let args = |range: std::ops::Range<usize>| -> Vec<String> {
        let words = slots.slot(slot as u32).and_then(|words| words.get(1..)?.get(range));
        let show = |&slot: &u32| match normal_form(job, slots, slot) {
            Ok(found) => format!("{:?}", found.normal_form),
            Err(_) => "?".into(),
        };
        words.unwrap_or_default().iter().map(show).collect()
    };
    match error {
        TermError::NoRule { symbol, skip } => {
            let declared = &job.program.signature.symbols[symbol];
            let mut redex = declared.name.clone();
            if !declared.args.is_empty() {
                redex = format!("{redex}({})", args(skip..skip + declared.args.len()).join(", "));
            }
            (StopReason::NoRule { redex }, None)
        }
        TermError::Type { op, site, operands } => {
            let operands = args(0..operands);
            (StopReason::Arithmetic { op, error: ArithmeticError::Type, operands }, Some(site))
        }
    }
}
