//! Turns the slots that the result reaches into a normal form.

use gchr_base::error::StopReason;
use gchr_base::op::ArithmeticError;
use gchr_base::signature::SortKind;
use gchr_kernel::device::DeviceError;
use gchr_terms::exec::{Builder, Built};

use super::Job;
use super::slots::Slots;
use super::whole::{self, ReadBack};
use crate::topology::codegen::TermError;
use crate::topology::system::{HeadId, HeadKind};
use gchr_runtime::codegen::Site;

/// Builds the normal form of slot 1. Slots that are shared become cells that are shared; how many there are is counted
/// where at most so many are in use.
pub(super) fn read_back(job: &Job<'_>, slots: &mut Slots<'_>, counted: u64) -> Result<ReadBack, Unread> {
    normal_form(job, slots, 1, Some(counted))
}

/// Why there is no normal form.
pub(super) enum Unread {
    Device(DeviceError),
    Stopped(StopReason),
}

impl From<DeviceError> for Unread {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<StopReason> for Unread {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// Builds the normal form of a slot. `whole`: if all slots are brought, most of them are part of it, and up to so many
/// are counted.
fn normal_form(
    job: &Job<'_>,
    slots: &mut Slots<'_>,
    root: u32,
    mut whole: Option<u64>,
) -> Result<ReadBack, Unread> {
    // By slot, the number of its value and one. Zeros take no memory before they are written over.
    let mut built = vec![0; slots.len()];
    let memory = 64 + slots.words() as u64 * 8;
    let mut builder = Builder::new(&job.plan.layout, memory.max(1 << 20))?;
    let broken = || StopReason::Internal { what: "the device's result is no normal form".into() };
    let mut order: Vec<Built> = Vec::new();
    let mut stack = vec![root];
    let mut args: Vec<Built> = Vec::new();
    while let Some(&slot) = stack.last() {
        if built.get(slot as usize).ok_or_else(broken)? != &0 {
            stack.pop();
            continue;
        }
        if let (Some(counted), Some(all)) = (whole, slots.all()) {
            if let Some(found) = whole::normal_form(job, all, root, counted)? {
                return Ok(found);
            }
            whole = None;
        }
        let words = slots.slot(slot)?.ok_or_else(broken)?;
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
                let is_built = |&arg: &u32| built.get(arg as usize).is_none_or(|&number| number != 0);
                let args_of = words.get(1..=arity).ok_or_else(broken)?;
                stack.extend(args_of.iter().rev().filter(|&arg| !is_built(arg)));
                if stack.len() > waiting {
                    continue;
                }
                args.clear();
                for &arg in args_of {
                    let number: &u32 = built.get(arg as usize).ok_or_else(broken)?;
                    args.push(*order.get(*number as usize - 1).ok_or_else(broken)?);
                }
                builder.apply(symbol, &args).ok_or_else(broken)??
            }
            _ => return Err(broken().into()),
        };
        order.push(value);
        built[slot as usize] = order.len().try_into().map_err(|_| broken())?;
        stack.pop();
    }
    let root = *order.last().ok_or_else(broken)?;
    let (normal_form, cells) = builder.finish(root).ok_or_else(broken)?;
    Ok(ReadBack { normal_form, cells: Some(cells), reachable: Some(order.len() as u64) })
}

/// Why and where the device says that the run failed at a slot.
pub(super) fn explain(
    job: &Job<'_>,
    slots: &mut Slots<'_>,
    error: TermError,
    slot: u64,
) -> Result<(StopReason, Option<Site>), DeviceError> {
    let words = slots.slot(slot as u32)?.unwrap_or_default().to_vec();
    let mut args = |range: std::ops::Range<usize>| -> Result<Vec<String>, DeviceError> {
        let words = words.get(1..).and_then(|words| words.get(range)).unwrap_or_default();
        let show = |&slot: &u32| match normal_form(job, slots, slot, None) {
            Ok(found) => Ok(format!("{:?}", found.normal_form)),
            Err(Unread::Stopped(_)) => Ok("?".into()),
            Err(Unread::Device(error)) => Err(error),
        };
        words.iter().map(show).collect()
    };
    Ok(match error {
        TermError::NoRule { symbol, skip } => {
            let declared = &job.program.signature.symbols[symbol];
            let mut redex = declared.name.clone();
            if !declared.args.is_empty() {
                redex = format!("{redex}({})", args(skip..skip + declared.args.len())?.join(", "));
            }
            (StopReason::NoRule { redex, symbol: Some(symbol) }, None)
        }
        TermError::Type { op, site, operands } => {
            let operands = args(0..operands)?;
            (StopReason::Arithmetic { op, error: ArithmeticError::Type, operands }, Some(site))
        }
    })
}
