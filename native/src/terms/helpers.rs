//! What emitted code and the machines that it runs on agree on: the fields that it reads and writes, and the helpers
//! that it calls.

use std::mem::offset_of;

use gchr_base::op::Op;
use gchr_base::rule::Program;
use gchr_base::signature::SortId;
use gchr_terms::exec::engine::{Bump, Marker};
use gchr_terms::plan::{Site, Step};

use crate::vm::{Helper, Vm};

/// The tag of the root of a context: its sort is in the high half, for the function that fills the hole may have
/// another one.
pub(super) const CONTEXT: u32 = u32::MAX;

/// Stacks are taken in steps of this many bytes.
pub(super) const STACK_STEP: u64 = 1 << 20;

/// The first field of every machine.
#[repr(C)]
pub(super) struct Head {
    pub vm: Vm,
    /// Where allocation takes cells from, by class.
    pub bumps: *mut Bump,
    /// Room for the arguments of an application that no rule matches.
    pub operands: *mut u64,
    /// Behind the last entry of the list of calls that others may take over ([`super::fork`]).
    pub offers: *mut *mut u64,
}

pub(super) const BUMPS: usize = offset_of!(Head, bumps);
pub(super) const OPERANDS: usize = offset_of!(Head, operands);
pub(super) const OFFERS: usize = offset_of!(Head, offers);

/// The helpers of a machine.
#[derive(Clone, Copy)]
pub(super) struct Helpers {
    /// More fuel, or the end at a limit.
    pub refuel: Helper,
    /// More stack for a function that has been entered.
    pub grow: Helper,
    /// `(class, pending)`: a new run of free cells of a class; so many applications are complete but not counted yet.
    pub refill: Helper,
    /// `(sort, a, b)`: whether two values of a sort are structurally equal.
    pub same: Helper,
    /// `(step, a, b, pending)`: an operator on integers.
    pub int: Helper,
    /// `(step, a, b, pending)`: an operator on floats.
    pub float: Helper,
    /// `(step, a, b, pending)`: a float as an integer.
    pub float_to_int: Helper,
    /// `(step, sort, a, pending)`, leaves: an operator on a value of the wrong type.
    pub type_error: Helper,
    /// `(end, function, pending)`, leaves: no rule matches an application, whose arguments are in the machine.
    pub no_rule: Helper,
    /// `(offer)`: takes back a call that was given to others, where several threads share a run: gives 1 and has its
    /// value in the offer, or gives 0 where nobody has begun it.
    pub join: Option<Helper>,
}

/// Operators that a helper computes, at least in special cases.
#[derive(Clone, Copy)]
pub(super) enum Slow {
    /// On integers.
    Int,
    /// On floats.
    Float,
    /// A float as an integer.
    FloatToInt,
}

impl Helpers {
    pub fn slow(&self, operator: Slow) -> Helper {
        match operator {
            Slow::Int => self.int,
            Slow::Float => self.float,
            Slow::FloatToInt => self.float_to_int,
        }
    }
}

/// The most arguments of a symbol: what there must be room for where no rule matches.
pub(super) fn widest(program: &Program) -> usize {
    program.signature.symbols.iter().map(|symbol| symbol.args.len()).max().unwrap_or(0)
}

/// Marks what a root of a frame reaches.
pub(super) fn mark_root(marker: &mut Marker<'_>, tag: u32, value: u64) {
    let sort = if tag == CONTEXT { (value >> 32) as u32 } else { tag };
    marker.root(SortId(sort), value as u32);
}

/// Something of the plan that emitted code passes by its address.
///
/// # Safety
/// The address was emitted from a reference into the plan, which the code owns.
pub(super) unsafe fn of_plan<'p, T>(address: u64) -> &'p T {
    // SAFETY: by the contract.
    unsafe { &*(address as *const T) }
}

/// The operator of a step and its place.
pub(super) fn operation(step: &Step) -> (Op, Site) {
    match step {
        Step::Operate { op, site, .. } => (*op, *site),
        _ => unreachable!("operators are emitted for operations only"),
    }
}
