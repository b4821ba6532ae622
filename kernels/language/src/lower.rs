//! Passes that bring a module closer to what CUDA has: same kernels, same meaning, fewer constructs.
//!
//! - [`simulated`]: what only the simulator runs goes.
//! - [`everywhere`]: `everywhere` blocks become votes and shuffles of whole warps.
//! - [`striped`]: striped arrays become shared arrays.
//! - [`signed`]: wrapping arithmetic on signed integers becomes arithmetic on unsigned ones, since C++ leaves signed
//!   overflow open.

mod everywhere;
mod signed;
mod striped;
mod vars;

pub use crate::ir::simulated::remove_all as simulated;
pub use everywhere::everywhere;
pub use signed::signed;
pub use striped::striped;
#[cfg(any(test, feature = "testing"))]
pub(crate) use vars::zero;

/// A pass: a name, what it does, and how.
pub struct Pass {
    /// Name, as in `gchr emit --after NAME`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The pass.
    pub run: fn(&mut crate::ir::Module),
}

/// The passes before CUDA text, in order.
pub const CUDA_PASSES: [Pass; 4] = [
    Pass { name: "simulated", about: "leaves out what only the simulator runs", run: simulated },
    Pass { name: "everywhere", about: "everywhere blocks to votes and shuffles", run: everywhere },
    Pass { name: "striped", about: "striped arrays to shared ones", run: striped },
    Pass { name: "signed", about: "wrapping signed arithmetic to unsigned arithmetic", run: signed },
];
