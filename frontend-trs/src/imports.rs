//! The texts that a program imports: files beside the one that names them, and those of the library, each read once.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::names::Ident;
use gchr_base::reading::named::{Found, NamedFiles, Refusal, Times, find};
use gchr_base::source::{SourceId, SourceMap};

use crate::ast::Section;
use crate::parser::{Parsed, parse, parse_with};

/// Endings that are tried where a name has none.
const ENDINGS: [&str; 1] = ["trs"];

/// Parses a program whose texts it imports are in files.
pub(crate) fn parse_program(files: &mut NamedFiles<'_>, id: SourceId) -> Parsed {
    let mut parsed = parse(files.sources(), id);
    let mut sections = std::mem::take(&mut parsed.ast.sections);
    Reader { files, parsed: &mut parsed }.read(&mut sections);
    parsed.ast.sections = sections;
    parsed.ast.damaged.sort_unstable();
    parsed.ast.damaged.dedup();
    parsed
}

/// Parses a text alone: it cannot import others.
pub(crate) fn parse_alone(sources: &SourceMap, id: SourceId) -> Parsed {
    let mut parsed = parse(sources, id);
    parsed.diagnostics.extend(parsed.ast.imports().map(|import| {
        Diagnostic::error("T0110", "files are not read here")
            .label(import.file.span, "names a file")
            .help("read the program from a file, or put everything into one text")
    }));
    parsed
}

/// What names of texts of the library begin with.
const LIBRARY: &str = "library:";

/// The texts of the library.
const TEXTS: [(&str, &str); 5] = [
    ("sets", include_str!("../library/sets.trs")),
    ("bags", include_str!("../library/bags.trs")),
    ("maps", include_str!("../library/maps.trs")),
    ("rationals", include_str!("../library/rationals.trs")),
    ("strings", include_str!("../library/strings.trs")),
];

struct Reader<'r, 'f> {
    files: &'r mut NamedFiles<'f>,
    /// The program; the sections that are being read are taken out of it.
    parsed: &'r mut Parsed,
}

impl Reader<'_, '_> {
    /// Reads what these sections import, and what that imports. Files are nested as deep as there may be files.
    fn read(&mut self, sections: &mut [Section]) {
        for section in sections {
            let Section::Import(import) = section else { continue };
            match self.open(import.file) {
                Ok(Found::Text(id)) => {
                    let names = std::mem::take(&mut self.parsed.ast.names);
                    let Parsed { ast, diagnostics } = parse_with(names, self.files.sources(), id);
                    self.parsed.ast.names = ast.names;
                    self.parsed.ast.damaged.extend(ast.damaged);
                    self.parsed.diagnostics.extend(diagnostics);
                    import.sections = ast.sections;
                    self.read(&mut import.sections);
                    self.files.close();
                }
                Ok(Found::Read(_)) => {}
                Err(refusal) => {
                    self.parsed.diagnostics.push(*self.files.finding("T0110", refusal, import.file.span));
                }
            }
        }
    }

    fn open(&mut self, file: Ident) -> Result<Found, Refusal> {
        let name = self.parsed.ast.names.get(file.name);
        if let Some(wanted) = name.strip_prefix(LIBRARY) {
            let found = TEXTS.iter().find(|(known, _)| *known == wanted);
            let (_, text) = found.ok_or_else(|| Refusal {
                message: format!("the library has no text `{wanted}`"),
                label: "not known".into(),
                help: "there are `library:sets`, `library:bags`, `library:maps`, `library:rationals` and `library:strings`",
            })?;
            return Ok(self.files.open_text(name, text, file.span));
        }
        let folder = self.files.folder(file.span);
        let Some(path) = find(&folder, name, &ENDINGS) else {
            let path = folder.join(name);
            let label = match path.metadata() {
                Ok(found) if found.is_dir() => "a folder",
                Ok(_) => "not a regular file",
                Err(_) => "not found",
            };
            return Err(Refusal {
                message: format!("there is no file {}", path.display()),
                label: label.into(),
                help: "names of files are relative to the file that names them; .trs may be left out",
            });
        };
        self.files.open(&path, name, file.span, Times::OnceWithoutCycle)
    }
}
