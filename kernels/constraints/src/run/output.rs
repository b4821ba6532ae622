//! What a program writes: the goals of a query before its batch, rules when a launch has ended.

use gchr_base::control::Control;
use gchr_base::error::{RunError, StopReason};
use gchr_base::signature::SortKind;
use gchr_base::value::heap::Import;
use gchr_base::value::{Heap, Terms, tag};

use super::Runner;
use crate::output::RowKind;
use crate::tables::{Tables, broken};
use gchr_kernel::device::Device;
use gchr_runtime::codegen::Site;
use gchr_runtime::outcome::Failure;

impl Runner<'_> {
    /// Writes what the goals of a query write.
    pub(crate) fn write_of_query(&self, number: usize, control: &mut Control<'_>) -> Result<(), Failure> {
        let Some(written) = self.job.input.written.get(number) else { return Ok(()) };
        control.out().write_all(written).map_err(|error| self.unwritten(error, None))
    }

    /// Writes what rules have written in the rounds of the last launch.
    pub(crate) fn write(
        &self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), Failure> {
        let rows = tables.written();
        if rows.is_empty() {
            return Ok(());
        }
        let output = &self.job.kernels.layout.output;
        let of_terms = |kind: &RowKind| kind.value.is_some_and(|value| value.kind == SortKind::Any);
        let cells = match rows
            .iter()
            .any(|&(kind, word)| tag::is_cell(word) && output.kind(kind).is_some_and(of_terms))
        {
            true => tables.terms(device)?,
            false => Vec::new(),
        };
        let (mut heap, mut import) = (Heap::new(), Import::new(&cells));
        for (kind, mut word) in rows {
            let kind = output.kind(kind).ok_or_else(broken)?;
            if of_terms(kind) {
                word = import.word(&mut heap, word).map_err(|_| broken())?;
            }
            let terms = Terms { signature: &self.job.program.signature, heap: &heap };
            let written = kind.write(control.out(), |kind| terms.value(kind, word));
            written.map_err(|error| self.unwritten(error, Some(kind.site)))?;
        }
        Ok(())
    }

    fn unwritten(&self, error: std::io::Error, site: Option<Site>) -> Failure {
        let reason = StopReason::from(error);
        let (rule, span) = (site.and_then(|site| site.rule), site.map(|site| site.span));
        RunError { reason, rule, span, progress: self.progress() }.into()
    }
}
