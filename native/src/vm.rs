//! What native code and its helpers share: the head of a machine, at which the pinned register points while native code
//! runs.

use std::mem::offset_of;

/// The head of a machine: the first field of every structure that native code runs on (`repr(C)`), so that helpers can
/// cast the pointer which they are given to their own machine.
#[repr(C)]
#[derive(Debug)]
pub struct Vm {
    /// Steps that native code may take before it must call a helper: it counts down, and calls where this is below
    /// zero.
    pub fuel: i64,
    /// The lowest address at which the frame of a function that calls others may end.
    pub stack_limit: u64,
    /// Why native code must be left: set by helpers, zero to go on. See [`leave`](Self::leave).
    pub(crate) status: u64,
    /// The value of the last helper that was called with all registers preserved.
    pub(crate) result: u64,
    /// The host's stack pointer while native code runs.
    pub(crate) host_sp: u64,
    /// The frame of the function that called the last helper.
    pub(crate) frame: u64,
    /// The return address of that call.
    pub(crate) site: u64,
    /// The code that runs, for what compiles its functions.
    pub(crate) code: *const (),
    /// What compiles a function that native code has called; set while native code runs.
    pub(crate) compile: Option<Compile>,
}

/// Offsets of the fields, for assembly and emitted code.
pub(crate) const FUEL: usize = offset_of!(Vm, fuel);
pub(crate) const STACK_LIMIT: usize = offset_of!(Vm, stack_limit);
pub(crate) const STATUS: usize = offset_of!(Vm, status);
pub(crate) const RESULT: usize = offset_of!(Vm, result);
pub(crate) const HOST_SP: usize = offset_of!(Vm, host_sp);
pub(crate) const FRAME: usize = offset_of!(Vm, frame);
pub(crate) const SITE: usize = offset_of!(Vm, site);
pub(crate) const COMPILE: usize = offset_of!(Vm, compile);

/// The status of a run that stops, where helpers need no other.
pub(crate) const STOPPED: u64 = 1;
/// The status of a run that cannot go on because a function could not be compiled.
pub const NOT_COMPILED: u64 = u64::MAX;

impl Vm {
    /// A head for code that has not been entered yet.
    pub fn new() -> Self {
        Self {
            fuel: 0,
            stack_limit: 0,
            status: 0,
            result: 0,
            host_sp: 0,
            frame: 0,
            site: 0,
            code: std::ptr::null(),
            compile: None,
        }
    }

    /// To be called by a helper: as soon as it returns, all native frames are dropped, and
    /// [`Code::enter`](crate::code::Code::enter) gives this error. Not zero, and not [`NOT_COMPILED`].
    pub fn leave(&mut self, status: u64) {
        self.status = status;
    }

    /// The return address of the call of the helper that runs: says which call it was.
    pub fn site(&self) -> u64 {
        self.site
    }
}

impl Default for Vm {
    fn default() -> Self {
        Self::new()
    }
}

/// A function of the host that native code calls: on the host's stack, with the machine and up to four words. It must
/// not unwind, and has to return also when it [leaves](Vm::leave) native code.
pub type Helper = unsafe extern "C" fn(vm: *mut Vm, a: u64, b: u64, c: u64, d: u64) -> u64;

/// Compiles the function of a number for the code that runs. It gives the address, or leaves native code.
pub(crate) type Compile = unsafe extern "C" fn(vm: *mut Vm, function: u64) -> u64;
