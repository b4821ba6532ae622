//! Files that a program opens while it runs: what it reads is there, what it writes is kept in memory.

use std::path::Path;

use gchr_base::reading::{self, Account};
use gchr_base::stop::StopReason;

use super::Table;
use crate::cell::Cell;
use crate::machine::{Done, Machine, Throw};
use crate::streams::{Input, Stream};

pub(super) const TABLE: Table = &[
    ("$open", 3, |m| m.open_file()),
    ("$open_text", 2, |m| {
        let text = m.text(m.x[0])?;
        m.afford(text.len())?;
        let id = m.files.add(Stream::Read { name: String::new(), input: Input::of(text) });
        Ok(m.unify_arg(1, Cell::int(id)))
    }),
    ("$close", 1, |m| m.close_file()),
    ("$select_input", 2, |m| m.select_input()),
    ("$select_output", 2, |m| {
        let old = Cell::int(m.files.output);
        let id = m.stream_number(0)?;
        if id != 0 && m.files.text(id).is_none() {
            return Ok(false);
        }
        m.files.output = id;
        Ok(m.unify_arg(1, old))
    }),
    ("$stream_file", 3, |m| {
        let id = m.stream_number(0)?;
        let (name, mode) = match m.files.get(id) {
            Some(Stream::Read { name, .. }) => (name.clone(), "read"),
            Some(Stream::Write { name, .. }) => (name.clone(), "write"),
            None => return Ok(false),
        };
        let (name, mode) = (m.atom_cell(&name), m.db.names.cell(mode));
        Ok(m.unify_arg(1, name) && m.unify_arg(2, mode))
    }),
    ("$set_alias", 2, |m| {
        let (name, id) = (m.text(m.x[0])?, m.stream_number(1)?);
        m.files.aliases.insert(name, id);
        Ok(true)
    }),
    ("$alias", 2, |m| {
        let name = m.text(m.x[0])?;
        let Some(&id) = m.files.aliases.get(&name) else { return Ok(false) };
        Ok(m.unify_arg(1, Cell::int(id)))
    }),
    ("exists_file", 1, |m| {
        let name = m.text(m.x[0])?;
        Ok(m.files.written.contains_key(&name) || (m.files.readable && Path::new(&name).is_file()))
    }),
    ("exists_directory", 1, |m| {
        let name = m.text(m.x[0])?;
        Ok(m.files.readable && Path::new(&name).is_dir())
    }),
    ("delete_file", 1, |m| {
        let name = m.text(m.x[0])?;
        if m.files.written.remove(&name).is_some() {
            return Ok(true);
        }
        let culprit = m.arg(0);
        match m.files.readable && Path::new(&name).exists() {
            true => Err(m.permission_error("delete", "file", culprit)),
            false => Err(m.existence_error("file", culprit)),
        }
    }),
];

/// Where the output goes that a program writes to a stream.
pub(super) enum Target {
    /// `user_error`.
    Errors,
    /// `user_output`, also where `with_output_to/2` keeps what is written to the current output.
    Console,
    /// The text that `with_output_to/2` keeps.
    Kept,
    /// A file, by its number.
    File(usize),
}

impl Machine<'_, '_> {
    /// The number of a stream that is open.
    fn stream_number(&mut self, index: usize) -> Done<usize> {
        let cell = self.arg(index);
        Ok(if cell.is_int() { usize::try_from(cell.as_int()).unwrap_or(usize::MAX) } else { usize::MAX })
    }

    /// `'$open'(Name, Mode, Stream)`.
    fn open_file(&mut self) -> Done<bool> {
        let name = self.text(self.x[0])?;
        let mode = self.atom_arg(1)?;
        let mode = self.db.names.text(mode).to_string();
        let stream = match &*mode {
            "read" => Stream::Read { input: Input::of(self.content(&name)?), name },
            "append" | "update" => {
                let known = self.files.written.contains_key(&name)
                    || (self.files.readable && Path::new(&name).is_file());
                let text = if known { self.content(&name)? } else { String::new() };
                Stream::Write { text, name }
            }
            "write" => Stream::Write { text: String::new(), name },
            _ => {
                let mode = self.arg(1);
                return Err(self.domain_error("io_mode", mode));
            }
        };
        let id = self.files.add(stream);
        Ok(self.unify_arg(2, Cell::int(id)))
    }

    /// The text of a file: one that the program wrote, or a regular file of the machine.
    fn content(&mut self, name: &str) -> Done<String> {
        if let Some(text) = self.files.written.get(name) {
            return Ok(text.clone());
        }
        let culprit = self.arg(0);
        let path = Path::new(name);
        if !self.files.readable {
            return Err(self.permission_error("open", "source_sink", culprit));
        }
        // What is no regular file may have no end, or wait for somebody.
        if !path.is_file() {
            return Err(self.existence_error("source_sink", culprit));
        }
        let length = std::fs::metadata(path).map_or(0, |known| known.len());
        self.afford(usize::try_from(length).unwrap_or(usize::MAX))?;
        let bytes = reading::read(path, &Account::new(self.control.limits().memory));
        let bytes = bytes.map_err(|error| match StopReason::from(error) {
            reason @ StopReason::Memory { .. } => Throw::Stop(Box::new(reason)),
            _ => self.permission_error("open", "source_sink", culprit),
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn close_file(&mut self) -> Done<bool> {
        let id = self.stream_number(0)?;
        if self.files.input == id {
            self.select_number(0);
        }
        if self.files.output == id {
            self.files.output = 0;
        }
        let Some(stream) = id.checked_sub(1).and_then(|at| self.files.open.get_mut(at)?.take()) else {
            return Ok(false);
        };
        self.files.aliases.retain(|_, &mut named| named != id);
        let Stream::Write { name, text } = stream else { return Ok(true) };
        if let Some(errors) = &mut self.output.errors
            && !self.files.written.contains_key(&name)
        {
            let _ = writeln!(errors, "gchr: the file {name} is there only while the program runs");
        }
        self.files.written.insert(name, text);
        Ok(true)
    }

    /// Reads from another stream from here on: their inputs change places.
    fn select_number(&mut self, id: usize) {
        let old = std::mem::replace(&mut self.files.input, id);
        if old == id {
            return;
        }
        for id in [old, id] {
            if let Some(Stream::Read { input, .. }) =
                id.checked_sub(1).and_then(|at| self.files.open.get_mut(at)?.as_mut())
            {
                std::mem::swap(input, &mut self.input);
            }
        }
    }

    fn select_input(&mut self) -> Done<bool> {
        let old = Cell::int(self.files.input);
        let id = self.stream_number(0)?;
        if id != 0 && !matches!(self.files.get(id), Some(Stream::Read { .. })) {
            return Ok(false);
        }
        self.select_number(id);
        Ok(self.unify_arg(1, old))
    }

    /// The stream that an argument of an output predicate is.
    pub(super) fn output_stream(&mut self, stream: Cell) -> Done<Target> {
        if stream.is_var() {
            return Err(self.instantiation_error());
        }
        if let Some((_, 1)) = self.heap.functor(stream) {
            let number = self.heap.arg(stream, 0);
            let id = if number.is_int() { number.as_int() as usize } else { usize::MAX };
            if self.files.text(id).is_some() {
                return Ok(Target::File(id));
            }
            if id == 0 && !self.output.kept.is_empty() {
                return Ok(Target::Kept);
            }
            return Err(self.existence_error("stream", stream));
        }
        if stream.is_atom() {
            match &**self.db.names.text(stream.as_atom()) {
                "user_error" => return Ok(Target::Errors),
                "user_output" | "user" => return Ok(Target::Console),
                "current_output" if !self.output.kept.is_empty() => return Ok(Target::Kept),
                "current_output" => return Ok(Target::Console),
                name => {
                    if let Some(&id) = self.files.aliases.get(name) {
                        return Ok(Target::File(id));
                    }
                }
            }
        }
        Err(self.existence_error("stream", stream))
    }
}
