//! Where the texts are that a text loads: files beside it.

use std::path::{Path, PathBuf};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::{Account, read_text};
use gchr_base::source::{SourceId, SourceMap, Span};

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

    /// Reads a file with the ending `.maude` or without it; `None` if it has been read before, or is the library.
    pub(crate) fn read(
        &self,
        name: &str,
        span: Span,
        sources: &mut SourceMap,
        before: &[SourceId],
    ) -> Result<Option<SourceId>, Box<Diagnostic>> {
        if ["prelude", "prelude.maude"].contains(&name) {
            return Ok(None);
        }
        let missing = |why: String| {
            Box::new(
                Diagnostic::error("T3105", format!("the file `{name}` is not found"))
                    .label(span, "loaded here")
                    .note(why)
                    .help("put the file beside the program"),
            )
        };
        let Some(folder) = &self.folder else {
            return Err(missing("the program is not read from a file".into()));
        };
        let paths = [folder.join(format!("{name}.maude")), folder.join(name)];
        let Some(path) = paths.iter().find(|path| path.is_file()) else {
            return Err(missing(format!("there is no file {}", paths[1].display())));
        };
        let shown = path.display().to_string();
        if before.iter().any(|&id| sources.get(id).name == shown) {
            return Ok(None);
        }
        let text = read_text(path, sources, "a file that the program loads", self.account)?;
        Ok(Some(sources.add(shown, text)))
    }
}
