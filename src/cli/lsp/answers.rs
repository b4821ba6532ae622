//! Answers to what an editor asks about a text.

use std::collections::HashMap;

use gchr_editor::{Encoding, Entry, Kind, Occurrence, Role, Symbol};
use lsp_server::ErrorCode;
use lsp_types as lsp;
use serde::Serialize;
use serde_json::{Value, json};

use super::documents::{Document, Documents, read};

/// An answer, or why there is none.
type Answer = Result<Value, (ErrorCode, String)>;

/// What the server can do.
pub fn capabilities(encoding: Encoding) -> Value {
    let encoding = match encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
    };
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": {"openClose": true, "change": 2, "save": {}},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "renameProvider": {"prepareProvider": true},
            "completionProvider": {},
            "documentFormattingProvider": true,
        },
        "serverInfo": {"name": "gchr", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// Answers a request.
pub fn answer(documents: &Documents, method: &str, params: Value) -> Answer {
    let answer = match method {
        "textDocument/documentSymbol" => symbols,
        "textDocument/hover" => hovered,
        "textDocument/definition" => definition,
        "textDocument/references" => references,
        "textDocument/documentHighlight" => highlights,
        "textDocument/prepareRename" => renamed_range,
        "textDocument/rename" => rename,
        "textDocument/completion" => completions,
        "textDocument/formatting" => formatting,
        _ => return Err((ErrorCode::MethodNotFound, format!("gchr does not know {method}"))),
    };
    answer(documents, params)
}

fn symbols(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::DocumentSymbolParams = parameters(params)?;
    let document = open(documents, &asked.text_document.uri)?;
    value(document.index().outline().iter().map(|entry| outline(document, entry)).collect::<Vec<_>>())
}

fn hovered(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::HoverParams = parameters(params)?;
    let (document, byte) = at(documents, &asked.text_document_position_params)?;
    value(hover(document, byte, documents.encoding()))
}

fn definition(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::GotoDefinitionParams = parameters(params)?;
    let (document, byte) = at(documents, &asked.text_document_position_params)?;
    let (of, symbol) = match document.index().at(byte) {
        Some(here) => (document, here.symbol),
        None => match imported(document, byte, documents.encoding()) {
            Some(found) => found,
            None => return Ok(Value::Null),
        },
    };
    value(of.index().definition(symbol).map(|occurrence| location(of, occurrence)))
}

fn references(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::ReferenceParams = parameters(params)?;
    let (document, byte) = at(documents, &asked.text_document_position)?;
    let with_declaration = asked.context.include_declaration;
    let wanted = |o: &&Occurrence| with_declaration || o.role != Role::Declaration;
    let found = document.index().at(byte).map(|here| document.index().occurrences(here.symbol));
    value(found.into_iter().flatten().filter(wanted).map(|o| location(document, o)).collect::<Vec<_>>())
}

fn highlights(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::DocumentHighlightParams = parameters(params)?;
    let (document, byte) = at(documents, &asked.text_document_position_params)?;
    let found = document.index().at(byte).map(|here| document.index().occurrences(here.symbol));
    let shown = found.into_iter().flatten().map(|o| lsp::DocumentHighlight {
        range: document.range(&o.range),
        kind: Some(match o.role {
            Role::Use => lsp::DocumentHighlightKind::READ,
            Role::Declaration | Role::Definition => lsp::DocumentHighlightKind::WRITE,
        }),
    });
    value(shown.collect::<Vec<_>>())
}

/// What another name would take the place of.
fn renamed_range(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::TextDocumentPositionParams = parameters(params)?;
    let (document, byte) = at(documents, &asked)?;
    value(document.index().at(byte).map(|here| document.range(&here.range)))
}

fn completions(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::CompletionParams = parameters(params)?;
    let (document, byte) = at(documents, &asked.text_document_position)?;
    let (symbols, words) = document.index().completions(byte);
    let word = |word: &&str| lsp::CompletionItem {
        label: word.to_string(),
        kind: Some(lsp::CompletionItemKind::KEYWORD),
        ..lsp::CompletionItem::default()
    };
    let imported = document.imported(documents.encoding()).iter();
    let imported = imported.flat_map(|other| other.index().symbols());
    let imported = imported.filter(|symbol| !matches!(symbol.kind, Kind::Variable | Kind::Parameter));
    let symbols = symbols.into_iter().chain(imported).map(completion);
    value(symbols.chain(words.iter().map(word)).collect::<Vec<_>>())
}

fn parameters<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    read(params).map_err(|error| (ErrorCode::InvalidParams, error))
}

fn value(answer: impl Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

fn open<'a>(documents: &'a Documents, uri: &lsp::Uri) -> Result<&'a Document, (ErrorCode, String)> {
    documents.get(uri).ok_or_else(|| (ErrorCode::InvalidParams, format!("{} is not open", uri.as_str())))
}

/// A text and the byte in it that is asked about.
fn at<'a>(
    documents: &'a Documents,
    place: &lsp::TextDocumentPositionParams,
) -> Result<(&'a Document, usize), (ErrorCode, String)> {
    let document = open(documents, &place.text_document.uri)?;
    Ok((document, document.byte(place.position)))
}

fn location(document: &Document, occurrence: &Occurrence) -> lsp::Location {
    lsp::Location { uri: document.uri.clone(), range: document.range(&occurrence.range) }
}

fn outline(document: &Document, entry: &Entry) -> Value {
    let kind = match entry.kind {
        Kind::Sort | Kind::Type => lsp::SymbolKind::CLASS,
        Kind::Constructor => lsp::SymbolKind::CONSTRUCTOR,
        Kind::Function | Kind::Predicate => lsp::SymbolKind::FUNCTION,
        Kind::Variable | Kind::Parameter => lsp::SymbolKind::VARIABLE,
        Kind::Constraint => lsp::SymbolKind::INTERFACE,
        Kind::Rule => lsp::SymbolKind::EVENT,
    };
    json!({
        "name": entry.name,
        "detail": entry.detail,
        "kind": kind,
        "range": document.range(&entry.range),
        "selectionRange": document.range(&entry.selection),
    })
}

/// The symbol of another text that a name at a byte stands for, with that text.
fn imported(document: &Document, byte: usize, encoding: Encoding) -> Option<(&Document, usize)> {
    let name = document.word(byte);
    let mut texts = document.imported(encoding).iter();
    texts.find_map(|other| Some((other, other.index().exported(name)?)))
}

/// The declaration of a symbol, and the comment above it.
fn about(document: &Document, symbol: usize) -> Vec<String> {
    let (index, known) = (document.index(), document.index().symbol(symbol));
    let shown = if known.detail.is_empty() { &known.name } else { &known.detail };
    let declared =
        index.definition(symbol).filter(|_| !matches!(known.kind, Kind::Variable | Kind::Parameter));
    let comment = declared.map(|o| document.text.comment_above(o.range.start)).filter(|c| !c.is_empty());
    [format!("```\n{shown}\n```")].into_iter().chain(comment).collect()
}

fn markup(parts: &[String]) -> lsp::HoverContents {
    let value = parts.join("\n\n");
    lsp::HoverContents::Markup(lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value })
}

/// The declaration of a symbol, which may be one of another text, with the comment above it; of a rule, what is known
/// of how it can run.
fn hover(document: &Document, byte: usize, encoding: Encoding) -> Option<lsp::Hover> {
    let here = document.index().at(byte);
    let symbol = here.map(|here| (document, here.symbol)).or_else(|| imported(document, byte, encoding));
    let mut parts = symbol.map(|(of, symbol)| about(of, symbol)).unwrap_or_default();
    let in_rule = |entry: &&Entry| entry.kind == Kind::Rule && entry.range.contains(&byte);
    if here.is_none_or(|here| here.role == Role::Definition)
        && let Some(rule) = document.index().outline().iter().find(in_rule)
    {
        let line = document.text.place(rule.range.start).line;
        let said = document.explained.iter().filter(|(at, _)| *at == line);
        parts.extend(said.map(|(_, said)| format!("{}: {said}", rule.name)));
    }
    let range = here.map(|here| document.range(&here.range));
    (!parts.is_empty()).then(|| lsp::Hover { contents: markup(&parts), range })
}

fn rename(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::RenameParams = parameters(params)?;
    let (document, byte) = at(documents, &asked.text_document_position)?;
    let Some(here) = document.index().at(byte) else {
        return Err((ErrorCode::InvalidParams, "there is no name here that can be changed".into()));
    };
    let edits = document.index().rename(here.symbol, &asked.new_name);
    let edits = edits.map_err(|why| (ErrorCode::InvalidParams, why.to_string()))?;
    let edit = |(range, text): (std::ops::Range<usize>, String)| lsp::TextEdit {
        range: document.range(&range),
        new_text: text,
    };
    let edits: Vec<lsp::TextEdit> = edits.into_iter().map(edit).collect();
    let changes: HashMap<&str, Vec<lsp::TextEdit>> = HashMap::from([(document.uri.as_str(), edits)]);
    value(json!({"changes": changes}))
}

/// The lines that another layout has in place of others; nothing where the text has none as it is.
fn formatting(documents: &Documents, params: Value) -> Answer {
    let asked: lsp::DocumentFormattingParams = parameters(params)?;
    let document = open(documents, &asked.text_document.uri)?;
    let Some(made) = document.formatted() else { return Ok(Value::Null) };
    let text = document.text.as_str();
    if text == made {
        return value(Vec::<lsp::TextEdit>::new());
    }
    // What is the same at both ends stays, so that the cursor and the folds of the editor do.
    let (old, new): (Vec<&str>, Vec<&str>) =
        (text.split_inclusive('\n').collect(), made.split_inclusive('\n').collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let range = bytes(&old[..head])..text.len() - bytes(&old[old.len() - tail..]);
    let new_text = new[head..new.len() - tail].concat();
    value(vec![lsp::TextEdit { range: document.range(&range), new_text }])
}

fn completion(symbol: &Symbol) -> lsp::CompletionItem {
    lsp::CompletionItem {
        label: symbol.name.clone(),
        kind: Some(match symbol.kind {
            Kind::Sort | Kind::Type => lsp::CompletionItemKind::CLASS,
            Kind::Constructor => lsp::CompletionItemKind::CONSTRUCTOR,
            Kind::Function | Kind::Predicate | Kind::Rule => lsp::CompletionItemKind::FUNCTION,
            Kind::Variable | Kind::Parameter => lsp::CompletionItemKind::VARIABLE,
            Kind::Constraint => lsp::CompletionItemKind::INTERFACE,
        }),
        detail: (!symbol.detail.is_empty()).then(|| symbol.detail.clone()),
        ..lsp::CompletionItem::default()
    }
}
