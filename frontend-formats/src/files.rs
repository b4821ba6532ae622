//! Where the modules are that a text includes: files beside it.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::Files;
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::tokens::Fail;

/// Reads the file of a module: `NAME.rec`, or the same in lower case.
pub(crate) fn read(
    files: &Files<'_>,
    name: &str,
    span: Span,
    sources: &mut SourceMap,
) -> Result<SourceId, Fail> {
    let missing = |why: String| {
        Box::new(
            Diagnostic::error("T1105", format!("module `{name}` is not found"))
                .label(span, "included here")
                .note(why)
                .help("put the module into a file of this name, with the ending .rec, beside the program"),
        )
    };
    if name.contains(['/', '\\']) || name.starts_with('.') {
        return Err(missing("the name of a module has no folders in it".into()));
    }
    let names = [name.to_string(), name.to_lowercase()].map(|name| format!("{name}.rec"));
    let path = files.find(&names).map_err(missing)?;
    let mut found = files.read(&path, sources, "the file of a module");
    if let Err(found) = &mut found {
        found.notes.push(format!("module `{name}` is included by the program"));
    }
    Ok(sources.add(path.display().to_string(), found?))
}
