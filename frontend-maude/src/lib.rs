//! Functional modules of Maude to the rule IR (`docs/language-maude.md`).
//!
//! The order of calls: [`load`] reads, checks and lowers a text, with a term to evaluate; [`InputReader`] reads further
//! terms for it. No call fails: all findings are [`Diagnostic`]s. [`modulo`] has the rules of other languages match
//! modulo axioms, too.

mod files;
mod grammar;
mod input;
mod lower;
mod modules;
mod modulo;
mod parser;
mod signature;
mod subsorts;
mod syntax;
mod term;
mod token;

use std::sync::Arc;

use gchr_base::diagnostic::{self, Diagnostic, Severity, has_errors, shorten};
use gchr_base::rule::{GroundTerm, Program, Start};
use gchr_base::source::{SourceId, SourceMap, Span};
use gchr_base::stack::with_large_stack;

pub use gchr_base::reading::Files;
pub use input::InputReader;
pub use modulo::{Axioms, Modulo, modulo};
pub use syntax::Text;

use crate::lower::{Lower, Output, Space};
use crate::modules::{Flat, Modules};
use crate::signature::Signature;
use crate::syntax::{How, Item, Name};

/// Most findings that are shown.
const MAX_FINDINGS: usize = 100;
/// What every text has without declaring it.
const LIBRARY: &str = include_str!("library.maude");

/// What [`load`] found.
pub struct Loaded {
    /// The statements of the text; they print as a text that is read as the same.
    pub ast: Text,
    /// The program; `Some` iff no diagnostic is an error.
    pub program: Option<Program>,
    /// Reads further terms; there is one where there is a program.
    pub reader: Option<InputReader>,
    /// Errors and warnings, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, checks and lowers the text `id` and those that it loads, which become further texts. `term`: the text of a
/// term to evaluate in the place of those of the text, by its last module.
pub fn load(sources: &mut SourceMap, id: SourceId, term: Option<SourceId>, files: &Files<'_>) -> Loaded {
    with_large_stack(|| {
        let mut diagnostics = Vec::new();
        let too_long = [Some(id), term].into_iter().flatten().find_map(|id| too_long(sources, id));
        let (mut ast, mut made) = (Text::default(), None);
        match too_long {
            Some(found) => diagnostics.push(found),
            None => {
                ast = parser::parse(sources, id, files, &mut diagnostics);
                made = program(&ast, sources, id, term, &mut diagnostics);
            }
        }
        shorten(&mut diagnostics, MAX_FINDINGS, too_many(), "further ones are not shown");
        diagnostic::sort(&mut diagnostics);
        let (program, reader) = made.filter(|_| !has_errors(&diagnostics)).unzip();
        Loaded { ast, program, reader, diagnostics }
    })
}

/// A term with the module that it is of.
struct Reduction {
    module: Arc<Flat>,
    tokens: Vec<token::Token>,
    how: How,
}

impl Reduction {
    /// The term to evaluate, or what is wrong with it.
    fn term(&self, space: &mut Space, out: &mut Output) -> Result<GroundTerm, Vec<Diagnostic>> {
        let before = out.diagnostics.len();
        let read = input::read(&self.tokens, space, out).and_then(|term| match &self.how {
            How::Reduce => Ok(term),
            How::Rewrite { most } => Ok(Lower { space, out }.rewritten(term, *most)),
            How::Search(search) => input::search(term, search, space, out),
        });
        let mut wrong = out.diagnostics.split_off(before);
        if !matches!(self.how, How::Reduce) {
            wrong.extend(self.module.parts.to_vec().iter().flat_map(|part| &part.unread).cloned());
        }
        match (read, has_errors(&wrong)) {
            (Ok(term), false) => {
                out.diagnostics.append(&mut wrong);
                Ok(term)
            }
            (Ok(_), true) => Err(wrong),
            (Err(found), _) => Err(std::iter::once(*found).chain(wrong).collect()),
        }
    }
}

/// What is wrong with a term beside others that have results.
fn left_out(found: Diagnostic, term: Span) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..found }
        .label(term, "this term is not evaluated")
        .note("the other terms of the text are")
}

fn program(
    ast: &Text,
    sources: &mut SourceMap,
    id: SourceId,
    term: Option<SourceId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Program, InputReader)> {
    let library = sources.add("(the library of Maude)", LIBRARY);
    let nothing = gchr_base::reading::Account::default();
    let library = parser::parse(sources, library, &Files::beside(None, &nothing), diagnostics);
    let Reductions { mut reductions, mut wrong, last } = reductions(ast, &library, diagnostics);
    if let Some(term) = term {
        wrong.clear();
        match parser::term_tokens(sources, term) {
            Ok(tokens) => {
                reductions = last
                    .iter()
                    .map(|module| Reduction {
                        module: module.clone(),
                        tokens: tokens.clone(),
                        how: How::Reduce,
                    })
                    .collect();
            }
            Err(found) => diagnostics.push(*found),
        }
    }
    if reductions.is_empty() {
        diagnostics.extend(wrong.drain(..).map(|(found, _)| found));
    }
    let Some(last) = last else {
        if !has_errors(diagnostics) {
            diagnostics.push(no_module(Span::new(id, 0, 0)));
        }
        return None;
    };
    if has_errors(diagnostics) {
        return None;
    }
    let mut out = Output::new();
    let mut spaces: Vec<(Arc<Flat>, Space)> = Vec::new();
    let mut terms = Vec::new();
    for module in reductions.iter().map(|reduction| &reduction.module).chain([&last]) {
        if spaces.iter().any(|(known, _)| Arc::ptr_eq(known, module)) {
            continue;
        }
        let signature = Arc::new(Signature::new(&module.parts.to_vec(), diagnostics));
        let space = Space::new(module, signature, &mut out);
        spaces.push((module.clone(), space));
    }
    for reduction in &reductions {
        let found = spaces.iter_mut().find(|(module, _)| Arc::ptr_eq(module, &reduction.module));
        let Some((_, space)) = found else { continue };
        match reduction.term(space, &mut out) {
            Ok(term) => terms.push(term),
            Err(found) => wrong.extend(found.into_iter().map(|found| (found, reduction.tokens[0].span))),
        }
    }
    for (found, place) in wrong {
        // Where other terms have results, one that is wrong is left out.
        let found = if terms.is_empty() { found } else { left_out(found, place) };
        if !diagnostics.contains(&found) {
            diagnostics.push(found);
        }
    }
    for (_, space) in &mut spaces {
        Lower { space, out: &mut out }.finish();
    }
    diagnostics.append(&mut out.diagnostics);
    if has_errors(diagnostics) {
        return None;
    }
    let mut program = out.program();
    let start = GroundTerm::together(terms, &mut program.signature);
    program.start = Start::Term(start);
    debug_assert_eq!(gchr_base::rule::verify(&program), []);
    let space = spaces.into_iter().find(|(module, _)| Arc::ptr_eq(module, &last)).map(|(_, space)| space);
    space.map(|space| (program, InputReader::new(space, out)))
}

/// The terms to evaluate.
struct Reductions {
    reductions: Vec<Reduction>,
    /// What is wrong with the modules of others, with their places.
    wrong: Vec<(Diagnostic, Span)>,
    /// The module that further terms are of.
    last: Option<Arc<Flat>>,
}

fn reductions(ast: &Text, library: &Text, diagnostics: &mut Vec<Diagnostic>) -> Reductions {
    let mut modules = Modules::new(library, diagnostics);
    let (mut reductions, mut wrong) = (Vec::new(), Vec::new());
    let mut current: Option<Arc<Flat>> = None;
    for item in &ast.items {
        if modules.diagnostics.len() > MAX_FINDINGS {
            break;
        }
        modules.add(item, false);
        match item {
            Item::Module(module) => {
                let name = Name { text: module.name.text.clone(), span: module.name.span };
                let found = modules.named(&name);
                if module.kind != syntax::ModuleKind::Theory {
                    current = found;
                }
            }
            Item::View(_) | Item::Include(..) => {}
            Item::Select(module) => current = modules.expr(module, &[]),
            Item::Reduce { module, term, how } => {
                let before = modules.diagnostics.len();
                let module = match module {
                    Some(module) => modules.expr(module, &[]),
                    None => current.clone(),
                };
                if module.is_none() {
                    wrong.extend(modules.diagnostics.drain(before..).map(|found| (found, term[0].span)));
                }
                if module.is_none() && wrong.is_empty() && !has_errors(modules.diagnostics) {
                    modules.diagnostics.push(no_module(term[0].span));
                }
                // Further terms are of this one where the text declares none.
                current = current.or_else(|| module.clone());
                let (tokens, how) = (term.clone(), how.clone());
                reductions.extend(module.map(|module| Reduction { module, tokens, how }));
            }
        }
    }
    Reductions { reductions, wrong, last: current }
}

fn no_module(place: Span) -> Diagnostic {
    Diagnostic::error("T3108", "there is no module")
        .label(place, "no module is declared before this")
        .help("write `fmod NAME is ... endfm`, or `select` a module of the library")
}

/// Places are 32-bit numbers.
fn too_long(sources: &SourceMap, id: SourceId) -> Option<Diagnostic> {
    u32::try_from(sources.get(id).text.len()).err().map(|_| {
        Diagnostic::error("T3004", "the text has 4 GiB or more")
            .label(Span::new(id, 0, 0), "places in a text are 32-bit numbers")
            .help("build large terms by equations")
    })
}

/// The finding that there are more than are shown.
fn too_many() -> Diagnostic {
    Diagnostic::error("T3005", format!("more than {MAX_FINDINGS} findings"))
        .help("is this a text of Maude? `--language` says what a text is")
}
