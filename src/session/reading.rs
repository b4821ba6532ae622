//! Reads the store of a session, which comes here from a device for that.

use std::io::{self, Write};
use std::sync::Arc;

use gchr_base::signature::Signature;
#[cfg(feature = "tables")]
use gchr_base::stop::StopReason;
use gchr_constraints::exec::Store;

use super::{Kind, Session};
use crate::diagnostics::Diagnostics;
#[cfg(feature = "tables")]
use crate::output::TermColumns;
use crate::output::{Format, FormatError, Selection};
use crate::stack::with_large_stack;

impl Session {
    /// Whether it has a store of ground terms.
    pub fn is_ground(&self) -> bool {
        matches!(self.kind, Kind::Ground(_))
    }

    /// Brings the store here from a device, once after each run; what reads the store does it, too.
    pub fn fetch(&mut self) -> Result<(), Diagnostics> {
        match &mut self.kind {
            Kind::Terms(_) | Kind::Logic(_) => Ok(()),
            Kind::Ground(session) => {
                let fetched = with_large_stack(|| session.fetch());
                fetched.map_err(|found| Diagnostics::new(Arc::new(self.texts.clone()), found))
            }
        }
    }

    /// The store of a program over ground terms, with the signature that its rows are read with.
    pub fn store(&mut self) -> Result<Option<(&Store, &Signature)>, Diagnostics> {
        self.fetch()?;
        Ok(self.fetched())
    }

    fn fetched(&self) -> Option<(&Store, &Signature)> {
        match &self.kind {
            Kind::Ground(session) => session.store().map(|store| (store, session.signature())),
            Kind::Terms(_) | Kind::Logic(_) => None,
        }
    }

    /// Name and number of arguments of the constraints that the program declares, in that order.
    pub fn constraints(&self) -> Vec<(String, usize)> {
        match &self.kind {
            Kind::Terms(_) => Vec::new(),
            Kind::Ground(session) => {
                let all = session.signature().declared_constraints();
                all.map(|(_, c)| (c.name.clone(), c.columns.len())).collect()
            }
            Kind::Logic(session) => session.constraints(),
        }
    }

    /// Names that goals or terms can have, for completion.
    pub fn names(&self) -> Vec<String> {
        match &self.kind {
            Kind::Terms(session) => session.names(),
            Kind::Ground(_) | Kind::Logic(_) => {
                self.constraints().into_iter().map(|(name, _)| name).collect()
            }
        }
    }

    /// How many constraints of a symbol are in the store; `None` where it is not declared.
    pub fn count(&mut self, name: &str, arity: usize) -> Option<usize> {
        match &mut self.kind {
            Kind::Terms(_) => None,
            Kind::Ground(session) => session.count(name, arity),
            Kind::Logic(session) => session.count(name, arity),
        }
    }

    /// Writes the constraints of the store that are selected.
    pub fn write_store(
        &mut self,
        selection: &Selection,
        format: Format,
        out: &mut impl Write,
    ) -> Result<(), FormatError> {
        self.fetch()?;
        match &mut self.kind {
            Kind::Logic(session) => {
                let store = session.store(&self.watch).map_err(io::Error::from)?;
                crate::output::write_logic_store(&store, selection, format, out)
            }
            Kind::Terms(_) | Kind::Ground(_) => match self.fetched() {
                Some((store, signature)) => {
                    crate::output::write_store(store, signature, selection, format, out)
                }
                None => Err(FormatError::NotTabular),
            },
        }
    }
}

#[cfg(feature = "tables")]
impl Session {
    /// Lends the constraints of a symbol as a table of typed columns: `arg1`, `arg2` and so on, as the programs' types
    /// say; `None` where it is not declared.
    pub fn with_table<T>(
        &mut self,
        name: &str,
        arity: usize,
        take: impl FnOnce(&gchr_tables::Table<'_>) -> T,
    ) -> Result<Option<T>, Diagnostics> {
        self.fetch()?;
        Ok(match &mut self.kind {
            Kind::Terms(_) | Kind::Ground(_) => self.fetched().and_then(|(store, signature)| {
                crate::output::with_store_table(store, signature, (name, arity), take)
            }),
            Kind::Logic(session) => {
                let declared = session.constraints().iter().any(|(n, a)| n == name && *a == arity);
                if !declared {
                    return Ok(None);
                }
                let store = session.store(&self.watch).map_err(|reason| {
                    Diagnostics::new(Arc::new(self.texts.clone()), vec![reason.to_diagnostic()])
                })?;
                Some(crate::output::with_logic_table([(None, &store)], (name, arity), take))
            }
        })
    }

    /// The columns of a symbol whose values have types of their own (`?any`, and all of the logic machine) as terms, in
    /// the order of [`with_table`](Self::with_table), which has texts for them; `None` where it is not declared.
    pub fn term_columns(&mut self, name: &str, arity: usize) -> Result<Option<TermColumns>, Diagnostics> {
        self.fetch()?;
        let made = match &mut self.kind {
            Kind::Terms(_) | Kind::Ground(_) => {
                let of =
                    |(store, signature)| crate::output::store_term_columns(store, signature, (name, arity));
                self.fetched().map_or(Ok(None), of)
            }
            Kind::Logic(session) => {
                if !session.constraints().iter().any(|(n, a)| n == name && *a == arity) {
                    return Ok(None);
                }
                session.store(&self.watch).map(|store| Some(TermColumns::of_answer(&store, (name, arity))))
            }
        };
        let refused =
            |reason: StopReason| Diagnostics::new(Arc::new(self.texts.clone()), vec![reason.to_diagnostic()]);
        made.map_err(refused)
    }
}
