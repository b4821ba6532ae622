//! The propagator of values that are all different: by a matching.

use super::{Domain, Halt, NO_HIGH, NO_LOW, Operand, Propagation, Step};
use crate::builtins::domains::matching::Edges;
use crate::cell::Cell;

impl Propagation<'_, '_, '_> {
    /// Values stay that the variables have in some matching of all of them.
    pub(super) fn distinct(&mut self, propagator: Cell, variables: Cell) -> Step {
        let variables = self.m.heap.list_items(variables).0;
        let domains: Vec<Domain> = variables.iter().map(|&of| self.domain(of)).collect::<Step<_>>()?;
        if variables.iter().all(|&of| matches!(self.operand(of), Ok(Operand::Known(_)))) {
            self.over(propagator);
        }
        let ends = domains.iter().flatten();
        if ends.clone().any(|&(low, high)| low == NO_LOW || high == NO_HIGH) {
            return Ok(());
        }
        // Where there are too many values, constraints of pairs do their part.
        let Some(edges) = Edges::of(&domains) else { return Ok(()) };
        self.m.spend(8 * edges.len())?;
        let left = edges.filtered().ok_or(Halt::Fails)?;
        for (of, left) in variables.into_iter().zip(left) {
            if let Some(left) = left {
                self.narrow(of, &left)?;
            }
        }
        Ok(())
    }
}
