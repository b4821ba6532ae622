//! Sessions as files: the store of a constraint program, for a later process.
//!
//! A file is a first line, the SHA-256 of all behind it, and a [`Body`] by `postcard`. It holds the hash of the
//! program's texts: with other rules, the store would be one that the program never makes.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::limited::Limited;
use gchr_base::source::SourceMap;
use gchr_base::watch::Watch;
use gchr_constraints::exec::Unrestored;
use gchr_constraints::resident::Image;
use postcard::de_flavors::Flavor;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Kind, Session};
use crate::diagnostics::Diagnostics;
use crate::stack::with_large_stack;

/// What a file begins with; the number is that of the format.
const FIRST_LINE: &[u8] = b"gchr session 1\n";
const HASH: usize = 32;
/// Bytes between two looks at the watch.
const LOOK: usize = 1 << 22;
/// As many where each is a value, or a part of one.
const LOOK_OF_VALUES: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
struct Body {
    /// Of the program's texts.
    program: [u8; HASH],
    /// Names and numbers of arguments.
    constraints: Vec<(String, u32)>,
    store: Image,
}

impl Session {
    /// The store as bytes, which [`restore`](Self::restore) makes a store of again. Sessions of the logic machine and
    /// of term programs have none, and nothing may wait for a run. Limits, answers and what can be taken back are not
    /// kept.
    pub fn save(&mut self) -> Result<Vec<u8>, Diagnostics> {
        self.saved().map_err(|found| self.refused(found))
    }

    fn saved(&mut self) -> Result<Vec<u8>, Vec<Diagnostic>> {
        let (constraints, is_pending) = (self.declared(), self.is_pending());
        let Kind::Ground(session) = &mut self.kind else { return Err(vec![no_store("saved")]) };
        if is_pending {
            let found = Diagnostic::error("U0144", "goals wait for a run: the session is not saved");
            return Err(vec![found.help("run them first, or drop them")]);
        }
        let watch = &self.watch;
        let body = Body { program: program(&self.texts), constraints, store: session.image(watch)? };
        let mut bytes = FIRST_LINE.to_vec();
        bytes.resize(FIRST_LINE.len() + HASH, 0);
        let written = postcard::to_io(&body, Limited::new(&mut bytes, watch.clone())).map(drop);
        written.map_err(|_| {
            let stopped = watch.look().err();
            let formless = StopReason::Internal { what: "a store that has no form as bytes".into() };
            vec![stopped.unwrap_or(formless).to_diagnostic()]
        })?;
        let hash = checksum(&bytes[FIRST_LINE.len() + HASH..], watch)?;
        bytes[FIRST_LINE.len()..][..HASH].copy_from_slice(&hash);
        Ok(bytes)
    }

    /// Makes the store what it was when a session of the same program was [saved](Self::save): the next run goes on
    /// from there. `name` is what the bytes are called in messages. A store that cannot be had so leaves the session as
    /// it is.
    pub fn restore(&mut self, name: &str, bytes: &[u8]) -> Result<(), Diagnostics> {
        let restored = with_large_stack(|| self.restored(name, bytes));
        restored.map_err(|found| self.refused(found))
    }

    fn restored(&mut self, name: &str, bytes: &[u8]) -> Result<(), Vec<Diagnostic>> {
        let (program, declared, watch) = (program(&self.texts), self.declared(), &self.watch);
        let Kind::Ground(session) = &mut self.kind else { return Err(vec![no_store("restored")]) };
        let damaged = |what: &str| vec![damaged(name, what)];
        let rest = bytes.strip_prefix(FIRST_LINE).ok_or_else(|| damaged("its first line is another one"))?;
        let (hash, body) = rest.split_at_checked(HASH).ok_or_else(|| damaged("it is cut off"))?;
        if checksum(body, watch)?[..] != *hash {
            return Err(damaged("its checksum does not hold"));
        }
        let mut input = postcard::Deserializer::from_flavor(Watched { rest: body, unseen: 0, watch });
        let body = Body::deserialize(&mut input).map_err(|_| match watch.look() {
            Ok(()) => damaged("it is of another version"),
            Err(stopped) => vec![stopped.to_diagnostic()],
        })?;
        if body.program != program || body.constraints != declared {
            let found = Diagnostic::error("U0144", format!("{name} was saved by another program"));
            return Err(vec![
                found.help("open it with the program as it was; other rules give another store"),
            ]);
        }
        session.take_image(body.store, watch, |unrestored| match unrestored {
            Unrestored::Damaged(what) => self::damaged(name, what),
            Unrestored::Stopped(reason) => reason.to_diagnostic(),
        })
    }

    fn declared(&self) -> Vec<(String, u32)> {
        self.constraints().into_iter().map(|(name, arity)| (name, arity as u32)).collect()
    }
}

fn checksum(bytes: &[u8], watch: &Watch<'_>) -> Result<[u8; HASH], Vec<Diagnostic>> {
    let mut hash = Sha256::new();
    for some in bytes.chunks(LOOK) {
        watch.look().map_err(|stopped| vec![stopped.to_diagnostic()])?;
        hash.update(some);
    }
    Ok(hash.finalize().into())
}

/// Bytes that a body is read from, until the watch says stop.
struct Watched<'de> {
    rest: &'de [u8],
    /// Bytes since the last look.
    unseen: usize,
    watch: &'de Watch<'static>,
}

impl<'de> Flavor<'de> for Watched<'de> {
    type Remainder = &'de [u8];
    type Source = &'de [u8];

    fn pop(&mut self) -> postcard::Result<u8> {
        self.try_take_n(1).map(|bytes| bytes[0])
    }

    fn try_take_n(&mut self, count: usize) -> postcard::Result<&'de [u8]> {
        let parts = self.rest.split_at_checked(count);
        let (taken, rest) = parts.ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
        self.rest = rest;
        self.unseen += count;
        if self.unseen >= LOOK_OF_VALUES {
            self.unseen = 0;
            self.watch.look().map_err(|_| postcard::Error::SerdeDeCustom)?;
        }
        Ok(taken)
    }

    fn finalize(self) -> postcard::Result<&'de [u8]> {
        Ok(self.rest)
    }
}

/// The hash of all texts of a program.
fn program(texts: &SourceMap) -> [u8; HASH] {
    let mut hash = Sha256::new();
    for (_, source) in texts.iter() {
        hash.update((source.text.len() as u64).to_le_bytes());
        hash.update(source.text.as_bytes());
    }
    hash.finalize().into()
}

fn no_store(what: &str) -> Diagnostic {
    Diagnostic::error("U0144", format!("this session cannot be {what}"))
        .help("sessions of constraint programs over ground stores can; `gchr check --explain` says whether a program is one")
}

fn damaged(name: &str, what: &str) -> Diagnostic {
    Diagnostic::error("U0145", format!("{name} is no saved session: {what}"))
        .help("give a file that `:save`, or `Session::save`, has written")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Whoever wants to stop is heard while values are made of the bytes, too.
    #[test]
    fn a_watch_stops_what_is_made_of_bytes() {
        let values: Vec<u64> = (0..100_000).collect();
        let bytes = postcard::to_stdvec(&values).expect("bytes");
        let read = |watch: &Watch<'static>, bytes: &[u8]| {
            let flavor = Watched { rest: bytes, unseen: 0, watch };
            Vec::<u64>::deserialize(&mut postcard::Deserializer::from_flavor(flavor))
        };
        assert_eq!(read(&Watch::new(), &bytes), Ok(values));
        let cut_off = Err(postcard::Error::DeserializeUnexpectedEnd);
        assert_eq!(read(&Watch::new(), &bytes[..bytes.len() - 1]), cut_off);
        let mut stopped = Watch::new();
        stopped.also_stop(Arc::new(AtomicBool::new(true)));
        assert_eq!(read(&stopped, &bytes), Err(postcard::Error::SerdeDeCustom));
    }
}
