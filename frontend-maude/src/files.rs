//! Where the texts are that a text loads: files beside it.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::Files;
use gchr_base::source::{SourceId, SourceMap, Span};

/// Reads a file with the ending `.maude` or without it; `None` if it is one of those read before, or the library.
pub(crate) fn read(
    files: &Files<'_>,
    name: &str,
    span: Span,
    sources: &mut SourceMap,
    before: &[SourceId],
) -> Result<Option<SourceId>, Box<Diagnostic>> {
    if ["prelude", "prelude.maude"].contains(&name) {
        return Ok(None);
    }
    let found = files.find(&[format!("{name}.maude"), name.to_string()]);
    // The library has these modules.
    if found.is_err() && ["model-checker", "model-checker.maude"].contains(&name) {
        return Ok(None);
    }
    let path = found.map_err(|why| {
        Box::new(
            Diagnostic::error("T3105", format!("the file `{name}` is not found"))
                .label(span, "loaded here")
                .note(why)
                .help("put the file beside the program"),
        )
    })?;
    let shown = path.display().to_string();
    if before.iter().any(|&id| sources.get(id).name == shown) {
        return Ok(None);
    }
    let text = files.read(&path, sources, "a file that the program loads")?;
    Ok(Some(sources.add(shown, text)))
}
