//! Where the modules are that a text includes: files beside it.

use std::path::{Path, PathBuf};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::{Account, read_text};
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::tokens::Fail;

/// The folder of a program file, and how much may be read.
pub struct Files<'a> {
    folder: Option<PathBuf>,
    account: &'a Account,
}

impl<'a> Files<'a> {
    /// Files beside a program file, or none when the text comes from no file.
    pub fn beside(program: Option<&Path>, account: &'a Account) -> Self {
        let folder = program.map(|path| path.parent().unwrap_or(Path::new("")).to_path_buf());
        Self { folder, account }
    }

    /// Reads the file of a module: `NAME.rec`, or the same in lower case.
    pub(crate) fn read(&self, name: &str, span: Span, sources: &mut SourceMap) -> Result<SourceId, Fail> {
        let missing = |why: String| {
            Box::new(
                Diagnostic::error("T1105", format!("module `{name}` is not found"))
                    .label(span, "included here")
                    .note(why)
                    .help(
                        "put the module into a file of this name, with the ending .rec, beside the program",
                    ),
            )
        };
        let Some(folder) = &self.folder else {
            return Err(missing("the program is not read from a file".into()));
        };
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(missing("the name of a module has no folders in it".into()));
        }
        let paths = [name.to_string(), name.to_lowercase()].map(|name| folder.join(format!("{name}.rec")));
        let Some(path) = paths.iter().find(|path| path.is_file()) else {
            return Err(missing(format!("there is no file {}", paths[0].display())));
        };
        let mut found = read_text(path, sources, "the file of a module", self.account);
        if let Err(found) = &mut found {
            found.notes.push(format!("module `{name}` is included by the program"));
        }
        Ok(sources.add(path.display().to_string(), found?))
    }
}
