//! The texts that are open in the editor.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use gchr::base::diagnostic::Severity;
use gchr::base::escape;
use gchr::base::memory;
use gchr::base::reading::{self, Account, named};
use gchr::{Language, Syntax};
use gchr_editor::{Encoding, Index, Layout, Place, Text};
use lsp_types as lsp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::checking::{Checked, Finding, Job};

/// A text that is open.
pub struct Document {
    pub uri: lsp::Uri,
    pub text: Text,
    pub version: i32,
    /// Made when something is asked about the text, and forgotten when it changes.
    index: OnceCell<Index>,
    /// The texts that it imports, read when something is asked, and forgotten when a text is saved.
    imported: OnceCell<Vec<Document>>,
    /// What is known of how rules can run: a line and what is said of it.
    pub explained: Vec<(u32, String)>,
    syntax: Syntax,
    path: PathBuf,
}

/// All of them by their names.
pub struct Documents {
    all: HashMap<String, Document>,
    encoding: Encoding,
}

impl Default for Documents {
    fn default() -> Self {
        Self { all: HashMap::new(), encoding: Encoding::Utf16 }
    }
}

impl Documents {
    /// Agrees on how columns are counted: in bytes where the client can.
    pub fn agree(&mut self, params: &Value) {
        let offered = &params["capabilities"]["general"]["positionEncodings"];
        let bytes = offered.as_array().is_some_and(|all| all.iter().any(|one| one == "utf-8"));
        self.encoding = if bytes { Encoding::Utf8 } else { Encoding::Utf16 };
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub fn get(&self, uri: &lsp::Uri) -> Option<&Document> {
        self.all.get(uri.as_str())
    }

    /// Takes a notice about a text; what is to be checked because of it.
    pub fn change(&mut self, method: &str, params: Value) -> Result<Vec<Job>, String> {
        match method {
            "textDocument/didOpen" => {
                let lsp::DidOpenTextDocumentParams { text_document: opened } = read(params)?;
                let path = path_of(&opened.uri);
                let syntax = syntax_of(&path, &opened.language_id)
                    .ok_or_else(|| format!("{} is no program that gchr knows", opened.uri.as_str()))?;
                let text = Text::new(opened.text, self.encoding);
                let key = opened.uri.as_str().to_string();
                let (uri, version) = (opened.uri, opened.version);
                let document = Document::new(uri, text, version, syntax, path);
                let job = document.job();
                self.all.insert(key, document);
                Ok(vec![job])
            }
            "textDocument/didChange" => {
                let changed: lsp::DidChangeTextDocumentParams = read(params)?;
                let encoding = self.encoding;
                let document = self.open(&changed.text_document.uri)?;
                for change in changed.content_changes {
                    match change.range {
                        Some(range) => document.text.replace(places(range), &change.text),
                        None => document.text = Text::new(change.text, encoding),
                    }
                }
                document.version = changed.text_document.version;
                (document.index, document.imported) = (OnceCell::new(), OnceCell::new());
                Ok(vec![document.job()])
            }
            "textDocument/didSave" => {
                let saved: lsp::DidSaveTextDocumentParams = read(params)?;
                self.open(&saved.text_document.uri)?;
                self.all.values_mut().for_each(|document| document.imported = OnceCell::new());
                // Others may name it.
                Ok(self.all.values().map(Document::job).collect())
            }
            other => Err(format!("{other} changes no text")),
        }
    }

    /// Closes a text: nothing is found in it any more.
    pub fn close(&mut self, params: Value) -> Result<lsp::PublishDiagnosticsParams, String> {
        let uri = read::<lsp::DidCloseTextDocumentParams>(params)?.text_document.uri;
        self.all.remove(uri.as_str());
        Ok(lsp::PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None })
    }

    fn open(&mut self, uri: &lsp::Uri) -> Result<&mut Document, String> {
        self.all.get_mut(uri.as_str()).ok_or_else(|| format!("{} is not open", uri.as_str()))
    }

    /// Takes what was found in a text, unless it has changed since.
    pub fn take(&mut self, checked: Checked) -> Option<lsp::PublishDiagnosticsParams> {
        let document =
            self.all.get_mut(&checked.key).filter(|document| document.version == checked.version)?;
        document.explained = checked.explained;
        let diagnostics = checked.findings.into_iter().map(|found| document.diagnostic(found)).collect();
        Some(lsp::PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics,
            version: Some(checked.version),
        })
    }
}

impl Document {
    fn new(uri: lsp::Uri, text: Text, version: i32, syntax: Syntax, path: PathBuf) -> Self {
        let (index, imported, explained) = (OnceCell::new(), OnceCell::new(), Vec::new());
        Self { uri, text, version, index, imported, explained, syntax, path }
    }

    /// The texts that this one imports, and those that they import, as they are stored. `encoding`: of places in them.
    pub fn imported(&self, encoding: Encoding) -> &[Document] {
        self.imported.get_or_init(|| read_imported(self, encoding))
    }

    /// The name at a byte, or one that ends there.
    pub fn word(&self, byte: usize) -> &str {
        let text = self.text.as_str();
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
        let (before, behind) = text.split_at(text.floor_char_boundary(byte));
        let start = before.trim_end_matches(is_of_name).len();
        let end = text.len() - behind.trim_start_matches(is_of_name).len();
        &text[start..end]
    }

    fn job(&self) -> Job {
        Job {
            key: self.uri.as_str().to_string(),
            version: self.version,
            text: self.text.as_str().to_string(),
            path: self.path.clone(),
            syntax: self.syntax,
        }
    }

    /// The symbols of the text.
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| index_of(self.syntax, self.text.as_str()))
    }

    /// The text in its usual layout, where it has one.
    pub fn formatted(&self) -> Option<String> {
        let input = gchr::Input::unsaved(&self.path, self.text.as_str()).syntax(self.syntax);
        Some(input.formatted().ok()?.1)
    }

    /// The byte at a place of the protocol.
    pub fn byte(&self, place: lsp::Position) -> usize {
        self.text.byte(Place { line: place.line, column: place.character })
    }

    /// A part of the text as the protocol has it.
    pub fn range(&self, range: &Range<usize>) -> lsp::Range {
        let place = |byte: usize| {
            let Place { line, column } = self.text.place(byte);
            lsp::Position { line, character: column }
        };
        lsp::Range { start: place(range.start), end: place(range.end) }
    }
}

fn places(range: lsp::Range) -> Range<Place> {
    let place = |at: lsp::Position| Place { line: at.line, column: at.character };
    place(range.start)..place(range.end)
}

/// The parameters of a message.
pub fn read<T: DeserializeOwned>(params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|error| error.to_string())
}

/// What a program imports or includes; files that cannot be read are left out, which is a finding of the program.
fn read_imported(document: &Document, encoding: Encoding) -> Vec<Document> {
    let mut found: Vec<Document> = Vec::new();
    let (mut seen, mut next) = (HashSet::from([named::identity(&document.path)]), 0);
    let account = Account::new(Some(memory::bound()));
    loop {
        let of = match next {
            0 => document,
            at => match found.get(at - 1) {
                Some(of) => of,
                None => return found,
            },
        };
        next += 1;
        let (layout, syntax) = match of.syntax {
            Syntax::Trs => (Layout::Terms, Syntax::Trs),
            Syntax::Chr => (Layout::Constraints, Syntax::Chr),
            Syntax::Format(_) | Syntax::Mcrl2 | Syntax::Maude => continue,
        };
        let folder = of.path.parent().unwrap_or(Path::new("")).to_path_buf();
        for path in gchr::with_large_stack(|| gchr_editor::imports(layout, of.text.as_str(), &folder)) {
            let path = named::identity(&path);
            if !seen.insert(path.clone()) || seen.len() > named::MAX_FILES {
                continue;
            }
            let bytes = reading::read(&path, &account).ok();
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            if let (Some(text), Some(uri)) = (text, uri_of(&path)) {
                found.push(Document::new(uri, Text::new(text, encoding), 0, syntax, path));
            }
        }
    }
}

/// The name of a file in the protocol.
fn uri_of(path: &Path) -> Option<lsp::Uri> {
    let text = format!("file://{}", escape::uri_path(path.to_str()?));
    text.parse().ok()
}

fn index_of(syntax: Syntax, text: &str) -> Index {
    gchr::with_large_stack(|| match syntax {
        Syntax::Trs => Index::of_terms(text),
        Syntax::Chr => Index::of_constraints(text),
        // Programs of other systems are checked, and not taken apart.
        Syntax::Format(_) | Syntax::Mcrl2 | Syntax::Maude => Index::default(),
    })
}

/// The syntax by the ending of the name, or by what the editor calls it.
fn syntax_of(path: &Path, language: &str) -> Option<Syntax> {
    Syntax::of_path(path).or(match language {
        "trs" | "gchr-trs" => Some(Language::Terms.into()),
        "chr" | "gchr-chr" | "prolog" => Some(Language::Constraints.into()),
        _ => None,
    })
}

/// The file of a name; the name itself where it is no file.
fn path_of(uri: &lsp::Uri) -> PathBuf {
    let text = uri.as_str();
    let path = text.strip_prefix("file://").unwrap_or(text);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let code = more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            _ => {
                bytes.push(first);
                rest = more;
            }
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

impl Document {
    /// A finding as the protocol has it.
    fn diagnostic(&self, found: Finding) -> lsp::Diagnostic {
        let related = found.related.iter().map(|(range, text)| lsp::DiagnosticRelatedInformation {
            location: lsp::Location { uri: self.uri.clone(), range: self.range(range) },
            message: text.clone(),
        });
        let related: Vec<_> = related.collect();
        lsp::Diagnostic {
            range: self.range(&found.range.unwrap_or(0..0)),
            severity: Some(match found.severity {
                Severity::Error => lsp::DiagnosticSeverity::ERROR,
                Severity::Warning => lsp::DiagnosticSeverity::WARNING,
            }),
            code: Some(lsp::NumberOrString::String(found.code.into())),
            source: Some("gchr".into()),
            message: found.message,
            related_information: (!related.is_empty()).then_some(related),
            ..lsp::Diagnostic::default()
        }
    }
}
