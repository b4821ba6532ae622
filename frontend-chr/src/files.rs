//! Texts that a program names: files of its own beside it, read once each or as parts of other ones.

use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::named::{self, NamedFiles, Refusal, Times, find};
use gchr_base::source::{SourceId, SourceMap};

use crate::ast::{ClauseKind, Module, TermId, TermKind, without_module};
use crate::directives::{self, Directive};
use crate::libraries;

/// Endings that are tried where a name has none, as SWI-Prolog does.
pub const FILE_ENDINGS: [&str; 4] = ["pl", "chr", "prolog", "plt"];

/// A file that a directive names.
pub(crate) struct Named {
    /// The term with its name.
    pub file: TermId,
    /// Whether it is a part of the text that names it, and no text of its own.
    pub part: bool,
    /// The names that the term stands for by the folders that the program declares.
    pub places: Vec<String>,
}

/// Folders that a program declares by `file_search_path/2` and `library_directory/1`: what stands for them in names of
/// files, and where they are.
#[derive(Default)]
pub(crate) struct Folders(Vec<(String, String)>);

impl Folders {
    /// Takes a clause that declares a folder.
    pub fn clause(&mut self, module: &Module, clause: TermId) {
        self.declare(module, without_module(module, clause), None);
    }

    /// Takes the folders that a directive asserts; one may be that of the text itself.
    pub fn directive(&mut self, module: &Module, directive: TermId) {
        let goals = module.members(directive, ",");
        let here = goals.iter().find_map(|&goal| match module.functor(goal) {
            Some(("prolog_load_context", &[key, folder])) => {
                let wanted = matches!(module.functor(key), Some(("directory", [])));
                wanted.then(|| module.kind(folder))
            }
            _ => None,
        });
        for &goal in &goals {
            if let Some(("assert" | "asserta" | "assertz", &[clause])) = module.functor(goal) {
                self.declare(module, without_module(module, clause), here);
            }
        }
    }

    fn declare(&mut self, module: &Module, fact: TermId, here: Option<&TermKind>) {
        let (alias, folder) = match module.functor(fact) {
            Some(("library_directory", &[folder])) => ("library".to_string(), folder),
            Some(("file_search_path", &[alias, folder])) => match module.functor(alias) {
                Some((alias, [])) => (alias.to_string(), folder),
                _ => return,
            },
            _ => return,
        };
        let found = match here {
            Some(here) if module.kind(folder) == here => vec![".".to_string()],
            _ => self.places(module, folder),
        };
        self.0.extend(found.into_iter().map(|folder| (alias.clone(), folder)));
    }

    /// The names that a term stands for: itself, or the ones in the folders that it names.
    fn places(&self, module: &Module, file: TermId) -> Vec<String> {
        match module.functor(file) {
            Some((alias, &[inside])) => {
                let folders = self.0.iter().filter(|(declared, _)| declared == alias);
                let Some(name) = libraries::path(module, inside) else { return Vec::new() };
                folders.map(|(_, folder)| format!("{}/{name}", folder.trim_end_matches('/'))).collect()
            }
            _ => libraries::path(module, file).into_iter().collect(),
        }
    }
}

/// The files of its own that a directive of a program names; libraries are none.
pub(crate) fn named(module: &Module, directive: TermId, folders: &Folders) -> Vec<Named> {
    let mut found = Vec::new();
    for part in directives::parts(module, directive) {
        let is_part = part.0 == Directive::Include;
        found.extend(directives::files(module, part).iter().map(|&file| (file, is_part)));
    }
    let named =
        found.into_iter().map(|(file, part)| Named { file, part, places: folders.places(module, file) });
    let is_file = |named: &Named| match libraries::name(module, named.file) {
        Some(name) => !named.places.is_empty() && !libraries::is_known(&name),
        None => true,
    };
    named.filter(is_file).collect()
}

/// The files that a text names beside it: for each the names that are tried, without the endings that may be left out.
pub fn files_named(module: &Module) -> Vec<Vec<String>> {
    let (mut folders, mut found) = (Folders::default(), Vec::new());
    for clause in &module.clauses {
        match clause.kind {
            ClauseKind::Directive(directive) => {
                folders.directive(module, directive);
                found.extend(named(module, directive, &folders).into_iter().map(|named| named.places));
            }
            ClauseKind::Prolog(term) => folders.clause(module, term),
            ClauseKind::Rule(_) | ClauseKind::Query(_) => {}
        }
    }
    found
}

/// What naming a file leads to.
pub(crate) enum Found {
    /// Its text is to be read next.
    Text(SourceId),
    /// It has been read before, as this source.
    Read(SourceId),
    /// Files are not read here.
    Elsewhere,
}

/// Where texts come from.
pub(crate) trait Texts {
    /// The text of a source.
    fn text(&self, id: SourceId) -> &str;
    /// Opens a file that a text names.
    fn open(&mut self, module: &Module, named: &Named) -> Result<Found, Box<Diagnostic>>;
    /// The text that was opened last is read.
    fn close(&mut self);
}

/// One text alone.
pub(crate) struct One<'a>(pub &'a SourceMap);

impl Texts for One<'_> {
    fn text(&self, id: SourceId) -> &str {
        &self.0.get(id).text
    }
    fn open(&mut self, _: &Module, _: &Named) -> Result<Found, Box<Diagnostic>> {
        Ok(Found::Elsewhere)
    }
    fn close(&mut self) {}
}

/// A text with the files that it names, and those that they name.
impl Texts for NamedFiles<'_> {
    fn text(&self, id: SourceId) -> &str {
        &self.sources().get(id).text
    }

    fn open(&mut self, module: &Module, named: &Named) -> Result<Found, Box<Diagnostic>> {
        let place = module.span(named.file);
        let refuse = |files: &Self, message: String, label: &str, help: &'static str| {
            files.finding("C0114", Refusal { message, label: label.into(), help }, place)
        };
        let Some(name) = named.places.first() else {
            let help = "write a name of a file, relative to this one: 'rules.pl'";
            let label = "neither an atom nor a text, nor in a folder that was declared";
            return Err(refuse(self, "this names no file".into(), label, help));
        };
        let directory = self.folder(place);
        // Folders that are declared may also be meant from where the program is started.
        let aliased = libraries::name(module, named.file).is_some()
            || !matches!(module.functor(named.file), None | Some((_, [])));
        let from = [Some(directory.as_path()), aliased.then_some(Path::new(""))];
        let tried =
            from.into_iter().flatten().flat_map(|from| named.places.iter().map(move |name| (from, name)));
        let Some(path) = tried.into_iter().find_map(|(from, name)| find(from, name, &FILE_ENDINGS)) else {
            if libraries::name(module, named.file).is_some() {
                return Ok(Found::Elsewhere);
            }
            let help = "names of files are relative to the file that names them; .pl, .chr and .prolog may be left out";
            return Err(refuse(self, format!("there is no file {name}"), "not a file", help));
        };
        let times = if named.part { Times::Each } else { Times::Once };
        match NamedFiles::open(self, &path, name, place, times) {
            Ok(named::Found::Text(id)) => Ok(Found::Text(id)),
            Ok(named::Found::Read(id)) => Ok(Found::Read(id)),
            Err(refusal) => Err(self.finding("C0114", refusal, place)),
        }
    }

    fn close(&mut self) {
        NamedFiles::close(self);
    }
}
