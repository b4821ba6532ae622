//! What led to a constraint in the store of a session, or to a symbol of its last normal form.

use std::sync::Arc;

use gchr_base::control::Control;

use super::{Kind, Session};
use crate::diagnostics::Diagnostics;
use crate::output::Failure;
use crate::stack::with_large_stack;
use crate::why::{Explanation, Path, TermUnexplained, WhyOptions, no_derivations_of_logic, refused};

impl Session {
    /// Explains the constraints in the store that match `of`, as [`Program::why`](crate::Program::why) does, from the
    /// record of all runs of a session that was opened with
    /// [`derivations`](crate::CompileOptions::derivations). Of a term program, explains a symbol of the last normal
    /// form; its term is evaluated again.
    pub fn why(
        &mut self,
        of: &str,
        options: &WhyOptions,
        control: &mut Control<'_>,
    ) -> Result<Explanation, Box<Failure>> {
        let mut sources = self.texts.clone();
        let explained = with_large_stack(|| match &mut self.kind {
            Kind::Ground(session) => session.why(of, &self.texts, &mut sources, *options, control),
            Kind::Logic(_) => Err(vec![no_derivations_of_logic()]),
            Kind::Terms(session) => {
                let path = Path::read(of, "why", &mut sources).map_err(|found| vec![*found])?;
                session.why(&path, *options, control).map_err(|unexplained| match unexplained {
                    TermUnexplained::Refused(found) => vec![*found],
                    TermUnexplained::Stopped(error) => vec![session.stopped(&error)],
                })
            }
        });
        explained.map_err(|list| refused(Diagnostics::new(Arc::new(sources), list)))
    }
}
