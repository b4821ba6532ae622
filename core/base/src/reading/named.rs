//! The files that the texts of a program name: each text is read beside the one that names it.

use std::path::{Path, PathBuf};

use super::{Account, read};
use crate::diagnostic::{Diagnostic, Label};
use crate::hash::HashMap;
use crate::source::{SourceId, SourceMap, Span};

/// Most files of a program.
pub const MAX_FILES: usize = 1000;

/// How often a file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// Wherever it is named, but not inside of itself: it is a part of the text that names it.
    Each,
    /// Once; where it is named again there is nothing to read.
    Once,
    /// Once, and it is an error that it is named inside of itself.
    OnceWithoutCycle,
}

/// What naming a file leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// Its text is to be read next.
    Text(SourceId),
    /// It has been read before, as this source.
    Read(SourceId),
}

/// Why a file is not read.
pub struct Refusal {
    /// The whole message.
    pub message: String,
    /// What is said at the place that names it.
    pub label: String,
    /// The way out.
    pub help: &'static str,
}

/// The texts of one program that are files, and which of them are being read.
pub struct NamedFiles<'a> {
    sources: &'a mut SourceMap,
    account: &'a Account<'a>,
    /// Files that are being read, outermost first, with the place that names each.
    open: Vec<(PathBuf, Option<Span>)>,
    read: HashMap<PathBuf, SourceId>,
}

impl<'a> NamedFiles<'a> {
    /// Those of a program that begins with the text `id`. What is read counts in `account`.
    pub fn new(sources: &'a mut SourceMap, id: SourceId, account: &'a Account<'a>) -> Self {
        let main = identity(Path::new(&sources.get(id).name));
        let read = [(main.clone(), id)].into_iter().collect();
        Self { sources, account, open: vec![(main, None)], read }
    }

    /// All texts of the program.
    pub fn sources(&self) -> &SourceMap {
        self.sources
    }

    /// The folder of the text that a place is in.
    pub fn folder(&self, place: Span) -> PathBuf {
        let name = Path::new(&self.sources.get(place.source).name);
        name.parent().map(Path::to_path_buf).unwrap_or_default()
    }

    /// Opens the file at `path`, which `place` calls `name`.
    pub fn open(&mut self, path: &Path, name: &str, place: Span, times: Times) -> Result<Found, Refusal> {
        let identity = identity(path);
        if times != Times::Once && self.open.iter().any(|(open, _)| *open == identity) {
            let (verb, help) = match times {
                Times::Each => {
                    ("includes", "a file that is included cannot include the one that includes it")
                }
                _ => ("imports", "put what both files need into a third one, which both import"),
            };
            let message = format!("{name} {verb} itself");
            return Err(Refusal { message, label: "is being read already".into(), help });
        }
        if times != Times::Each
            && let Some(&source) = self.read.get(&identity)
        {
            return Ok(Found::Read(source));
        }
        if self.read.len() >= MAX_FILES {
            return Err(Refusal {
                message: format!("more than {MAX_FILES} files"),
                label: "not read any more".into(),
                help: "put several of them into one",
            });
        }
        let text = read(path, self.account)
            .map_err(|error| error.to_string())
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string()));
        let text = text.map_err(|error| Refusal {
            message: format!("{name} cannot be read: {error}"),
            label: "not readable".into(),
            help: "make it a text in UTF-8 that may be read",
        })?;
        let source = self.sources.add(path.display().to_string(), text);
        self.read.insert(identity.clone(), source);
        self.open.push((identity, Some(place)));
        Ok(Found::Text(source))
    }

    /// Opens a text that is no file, which `place` names, once.
    pub fn open_text(&mut self, name: &str, text: &str, place: Span) -> Found {
        let identity = PathBuf::from(name);
        if let Some(&source) = self.read.get(&identity) {
            return Found::Read(source);
        }
        let source = self.sources.add(name, text);
        self.read.insert(identity.clone(), source);
        self.open.push((identity, Some(place)));
        Found::Text(source)
    }

    /// The text that was opened last is read.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// The finding that a file is not read, with the places that lead to it.
    pub fn finding(&self, code: &'static str, refusal: Refusal, place: Span) -> Box<Diagnostic> {
        let Refusal { message, label, help } = refusal;
        let mut found = Diagnostic::error(code, message).label(place, label).help(help);
        for (_, span) in self.open.iter().rev() {
            found
                .labels
                .extend(span.map(|span| Label { span, text: "in the file that is read from here".into() }));
        }
        Box::new(found)
    }
}

/// The file that a text in `folder` calls `name`: one of that name, or one with one of the endings. What is no regular
/// file may have no end, or wait for somebody.
pub fn find(folder: &Path, name: &str, endings: &[&str]) -> Option<PathBuf> {
    let plain = folder.join(name);
    let ended = endings.iter().map(|ending| {
        let mut path = plain.clone().into_os_string();
        path.push(".");
        path.push(ending);
        PathBuf::from(path)
    });
    std::iter::once(plain.clone()).chain(ended).find(|path| path.is_file())
}

/// A name of a file that all its names have in common, where there is one.
pub fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
