//! Turns the slots that the result reaches into a normal form.

use gchr_base::error::StopReason;
use gchr_base::signature::SortKind;
use gchr_terms::exec::{Builder, Built, NormalForm};

use super::Job;
use super::tables::Slots;
use crate::topology::system::{HeadId, HeadKind};

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
    const NONE: u32 = u32::MAX;
    let memory = 64 + slots.words.len() as u64 * 8;
    let mut builder = Builder::new(&job.plan.layout, memory.max(1 << 20))?;
    let broken = || StopReason::Memory { limit: memory, what: "a result that is not a normal form".into() };
    let mut order: Vec<Built> = Vec::new();
    let mut built = vec![NONE; slots.words.len() / slots.width];
    let mut stack = vec![1u32];
    let mut args: Vec<Built> = Vec::new();
    while let Some(&slot) = stack.last() {
        if built[slot as usize] != NONE {
            stack.pop();
            continue;
        }
        let words = &slots.words[slot as usize * slots.width..][..slots.width];
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
