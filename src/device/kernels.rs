//! What is generated for a program, as those see it who compile, check and load it.

use gchr_kernel::Unit;
use gchr_kernel::ir::Module;

/// What messages of the compiler call the text.
pub(crate) const NAME: &str = "kernels.cu";

/// What has kernels.
pub(crate) trait HasKernels {
    /// All of them.
    fn module(&self) -> &Module;
    /// Which of them are compiled together.
    fn units(&self) -> Vec<Unit> {
        vec![Unit::whole(self.module())]
    }
}
