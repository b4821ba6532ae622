//! Warnings: rules and declarations that are probably not what was meant. Only for programs without errors.

mod usage;

use gchr_core::diagnostic::Diagnostic;

use crate::check::Checked;

/// All warnings for a checked program, in no order.
pub(crate) fn analyse(checked: &Checked) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    usage::variables(checked, &mut found);
    usage::symbols_and_sorts(&checked.program, &mut found);
    found
}
