//! What a caller gives: a program text or file, and the term, goals and fact files to start it on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::escape;
use gchr_base::ids::IdVec;
use gchr_base::logic::Evaluator;
use gchr_base::reading::{Account, is_stdin, read_stdin_text, read_text};
use gchr_base::rule::{self, Start};
use gchr_base::signature::Signature;
use gchr_base::source::{SourceId, SourceMap};
use gchr_base::watch::Watch;
use gchr_chr::{FactFile, Header};
use gchr_logic::MachineEvaluator;

use crate::diagnostics::Diagnostics;
use crate::program::{Language, Logic, Parts, Program, Syntax};
use crate::stack::with_large_stack;
use crate::term_reader::{OwnReader, TermReader};
use crate::text_file::PROGRAM_FILE;
use crate::turned_text;

#[derive(Clone, Debug)]
enum Text {
    File(PathBuf),
    Given {
        name: String,
        text: String,
    },
    /// A file with what is to be taken for its content.
    Unsaved {
        path: PathBuf,
        text: String,
    },
}

/// A program and what to start it on.
///
/// ```
/// let program = gchr::Input::constraints(":- chr_constraint min(+int).\n min(A) \\ min(B) <=> A =< B | true.\n")
///     .query("min(3), min(1), min(2)")
///     .parse()?;
/// assert!(program.warnings().list().is_empty());
/// # Ok::<(), gchr::Diagnostics>(())
/// ```
#[derive(Clone, Debug)]
pub struct Input {
    text: Text,
    language: Option<Language>,
    syntax: Option<Syntax>,
    term: Option<String>,
    queries: Vec<String>,
    facts: Vec<gchr_chr::FactFile>,
    memory: Option<u64>,
    watch: Watch<'static>,
    rounds: bool,
    logic: bool,
    readable: bool,
}

impl Input {
    /// A program file; its language follows from the ending of its name unless [`language`](Self::language) says
    /// otherwise. `-` is standard input.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Text::File(path.into()), None)
    }
    /// A program file with a text in the place of its content, as an editor has it before it is saved. Files that the
    /// program names are looked for beside it.
    pub fn unsaved(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self::new(Text::Unsaved { path: path.into(), text: text.into() }, None)
    }
    /// A program text, with the name it has in diagnostics.
    pub fn text(language: Language, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Text::Given { name: name.into(), text: text.into() }, Some(language))
    }
    /// A term rewriting program.
    pub fn terms(text: impl Into<String>) -> Self {
        Self::text(Language::Terms, "program.trs", text)
    }
    /// A CHR program.
    pub fn constraints(text: impl Into<String>) -> Self {
        Self::text(Language::Constraints, "program.chr", text)
    }
    fn new(text: Text, language: Option<Language>) -> Self {
        Self {
            text,
            language,
            syntax: None,
            term: None,
            queries: Vec::new(),
            facts: Vec::new(),
            memory: None,
            watch: Watch::new(),
            rounds: false,
            logic: false,
            readable: false,
        }
    }
    /// Says which language the program is in, whatever its name.
    #[must_use]
    pub fn language(mut self, language: Language) -> Self {
        self.language = Some(language);
        self
    }
    /// Says how the program is written, whatever its name and its first words.
    #[must_use]
    pub fn syntax(mut self, syntax: Syntax) -> Self {
        self.syntax = Some(syntax);
        self
    }
    /// The term to rewrite, in place of the program's own input.
    #[must_use]
    pub fn term(mut self, term: impl Into<String>) -> Self {
        self.term = Some(term.into());
        self
    }
    /// Goals to run, in place of the program's own queries; several are run in order on one store.
    #[must_use]
    pub fn query(mut self, goals: impl Into<String>) -> Self {
        self.queries.push(goals.into());
        self
    }
    /// A file with rows of `constraint`, added to the store before the queries. Whether its first line names the
    /// columns is guessed; a [notice](Program::notices) says how.
    #[must_use]
    pub fn facts(self, constraint: impl Into<String>, file: impl Into<PathBuf>) -> Self {
        self.facts_with_header(constraint, file, Header::Auto)
    }
    /// The same, where it is known whether the first line of the file names the columns.
    #[must_use]
    pub fn facts_with_header(
        self,
        constraint: impl Into<String>,
        file: impl Into<PathBuf>,
        header: Header,
    ) -> Self {
        let file = FactFile { constraint: constraint.into(), path: file.into(), header, format: None };
        self.fact_file(file)
    }

    /// The same of a file of which more is said; `-` is standard input.
    #[must_use]
    pub fn fact_file(mut self, file: FactFile) -> Self {
        self.facts.push(file);
        self
    }

    /// Lets the texts that are read and the rows of facts take at most so many bytes.
    #[must_use]
    pub fn memory(mut self, limit: Option<u64>) -> Self {
        self.memory = limit;
        self
    }

    /// Says that a constraint program is to run in rounds or on a device: its conditionals, negations and deterministic
    /// clauses become rules then, where they can, in place of work for the logic machine.
    #[must_use]
    pub fn for_rounds(mut self, rounds: bool) -> Self {
        self.rounds = rounds;
        self
    }

    /// Says that the logic machine is to run a constraint program, whatever it needs: integers have any size there.
    #[must_use]
    pub fn for_logic(mut self, logic: bool) -> Self {
        self.logic = logic;
        self
    }

    /// Says that clauses of a constraint program that cannot be read, and files that it names and that are not there,
    /// are left out, as Prolog systems do. What is wrong with them is among the [`warnings`](Program::warnings) of the
    /// program, as errors.
    #[must_use]
    pub fn without_unreadable(mut self, readable: bool) -> Self {
        self.readable = readable;
        self
    }

    /// What stops the reading of texts and facts, as soon as more memory is taken for them; of a session also what is
    /// read later, until [`Session::set_watch`](crate::Session::set_watch) says otherwise.
    #[must_use]
    pub fn watched(mut self, watch: Watch<'static>) -> Self {
        self.watch = watch;
        self
    }
    pub(crate) fn watch(&self) -> &Watch<'static> {
        &self.watch
    }
    pub(crate) fn account(&self) -> Account<'static> {
        Account::new(self.memory).watched(self.watch.clone())
    }
    /// Bytes that reading may take.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.memory
    }

    /// The files of facts.
    pub(crate) fn fact_files(&self) -> &[gchr_chr::FactFile] {
        &self.facts
    }

    /// Reads and checks everything. Findings of an unusable input are the error; those of a usable one are its
    /// [`warnings`](Program::warnings).
    pub fn parse(&self) -> Result<Program, Diagnostics> {
        with_large_stack(|| {
            let _span = tracing::info_span!("parse").entered();
            let start = Instant::now();
            let mut sources = SourceMap::new();
            let loaded = self.load(&mut sources);
            let turned = turned_text::warnings(&sources);
            let sources = Arc::new(sources);
            match loaded {
                Ok(mut parts) => {
                    parts.diagnostics.extend(turned);
                    diagnostic::sort(&mut parts.diagnostics);
                    Ok(Program::new(sources, parts, start.elapsed()))
                }
                Err(mut list) => {
                    list.extend(turned);
                    diagnostic::sort(&mut list);
                    Err(Diagnostics::new(sources, list))
                }
            }
        })
    }

    /// The text of the program, and the same program in its usual layout: spaces and indentation, with the author's
    /// lines and comments. There is one for `.trs` and `.chr`; a text that cannot be read token by token has none.
    pub fn formatted(&self) -> Result<(String, String), Diagnostics> {
        let mut sources = SourceMap::new();
        let account = self.account();
        let made =
            self.program_text(&mut sources, &account).map_err(|d| vec![*d]).and_then(|(id, syntax)| {
                let layout = match syntax {
                    Syntax::Trs => gchr_editor::Layout::Terms,
                    Syntax::Chr => gchr_editor::Layout::Constraints,
                    Syntax::Format(_) | Syntax::Mcrl2 | Syntax::Maude => {
                        let found = Diagnostic::error("U0125", "there is no layout for this format");
                        return Err(vec![found.help("give programs in gchr's own languages, .trs and .chr")]);
                    }
                };
                let made = gchr_editor::format(layout, &sources, id)?;
                Ok((sources.get(id).text.clone(), made))
            });
        made.map_err(|found| Diagnostics::new(Arc::new(sources), found))
    }

    fn load(&self, sources: &mut SourceMap) -> Result<Parts, Vec<Diagnostic>> {
        let account = self.account();
        let (id, syntax) = self.program_text(sources, &account).map_err(|d| vec![*d])?;
        self.check_language(syntax.language())?;
        match syntax {
            Syntax::Trs => self.load_terms(sources, id, &account),
            Syntax::Format(format) => self.load_format(sources, id, format, &account),
            Syntax::Mcrl2 => self.load_mcrl2(sources, id),
            Syntax::Maude => self.load_maude(sources, id, &account),
            Syntax::Chr => self.load_constraints(sources, id, &account),
        }
    }

    pub(crate) fn program_text(
        &self,
        sources: &mut SourceMap,
        account: &Account,
    ) -> Result<(SourceId, Syntax), Box<Diagnostic>> {
        match &self.text {
            Text::Given { name, text } => {
                let syntax = self.syntax.or(self.language.map(Syntax::from)).unwrap_or(Syntax::Trs);
                Ok((sources.add(name, text), syntax))
            }
            Text::File(path) => {
                let text = match is_stdin(path) {
                    true => read_stdin_text(sources, PROGRAM_FILE, account)?,
                    false => read_text(path, sources, PROGRAM_FILE, account)?,
                };
                self.file_text(sources, path, text)
            }
            Text::Unsaved { path, text } => self.file_text(sources, path, text.clone()),
        }
    }

    fn file_text(
        &self,
        sources: &mut SourceMap,
        path: &Path,
        text: String,
    ) -> Result<(SourceId, Syntax), Box<Diagnostic>> {
        let syntax = self.syntax_of(path, &text).ok_or_else(|| unknown_ending(path))?;
        if text.trim().is_empty() {
            return Err(Box::new(
                Diagnostic::error("U0103", format!("{} is empty", path.display()))
                    .help("a program has at least one declaration; see the folder examples/"),
            ));
        }
        Ok((sources.add(path.display().to_string(), text), syntax))
    }

    /// How a program file is written: as the caller says, else as its ending and its first words do.
    fn syntax_of(&self, path: &Path, text: &str) -> Option<Syntax> {
        let fits = |syntax: &Syntax| self.language.is_none_or(|language| syntax.language() == language);
        let by_name = || Syntax::of_path(path).filter(fits).map(|syntax| syntax.of_text(text));
        self.syntax.or_else(by_name).or(self.language.map(Syntax::from))
    }

    pub(crate) fn check_language(&self, language: Language) -> Result<(), Vec<Diagnostic>> {
        let mut found = Vec::new();
        let mut refuse = |given: bool, option: &str, other: &str, instead: &str| {
            if given {
                let message = format!("{option} is for {other}");
                found.push(Diagnostic::error("U0105", message).help(instead.to_string()));
            }
        };
        match language {
            Language::Terms => {
                let term = "start a term program with --input TERM";
                refuse(!self.queries.is_empty(), "--query", "constraint programs (.chr)", term);
                refuse(!self.facts.is_empty(), "--facts", "constraint programs (.chr)", term);
            }
            Language::Constraints => {
                let goals = "start a constraint program with --query GOALS or --facts C=FILE";
                refuse(
                    self.term.is_some(),
                    "--input",
                    "term programs (.trs, .rec, .ari, .mcrl2, .maude)",
                    goals,
                );
            }
        }
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    /// A term may need rules of its own, so that it is read together with the program.
    fn load_terms(
        &self,
        sources: &mut SourceMap,
        id: SourceId,
        account: &Account,
    ) -> Result<Parts, Vec<Diagnostic>> {
        let term = self.term.as_ref().map(|term| sources.add("--input", term));
        let gchr_trs::Loaded { ast, program, reader, diagnostics } =
            gchr_trs::load_files(sources, id, term, account);
        let Some(rules) = program else { return Err(diagnostics) };
        let reader = reader.map(OwnReader::Trs);
        Ok(Parts { reader, ..Parts::of_terms(Syntax::Trs, Box::new(ast), rules, diagnostics) })
    }

    fn load_format(
        &self,
        sources: &mut SourceMap,
        id: SourceId,
        format: gchr_formats::Format,
        account: &Account,
    ) -> Result<Parts, Vec<Diagnostic>> {
        let files = gchr_formats::Files::beside(self.path(), account);
        let gchr_formats::Loaded { ast, program, reader, mut diagnostics } =
            gchr_formats::load(sources, id, format, &files);
        let Some(rules) = program else { return Err(diagnostics) };
        let syntax = Syntax::Format(format);
        let reader = reader.map(|reader| OwnReader::Made(Box::new(reader)));
        let rules = self.with_term(rules, reader.as_ref(), sources, &mut diagnostics)?;
        Ok(Parts { reader, ..Parts::of_terms(syntax, Box::new(ast), rules, diagnostics) })
    }

    /// A term is read together with the program, as in [`load_terms`](Self::load_terms).
    fn load_mcrl2(&self, sources: &mut SourceMap, id: SourceId) -> Result<Parts, Vec<Diagnostic>> {
        let term = self.term.as_ref().map(|term| sources.add("--input", term));
        let gchr_mcrl2::Loaded { ast, program, reader, diagnostics } = gchr_mcrl2::load(sources, id, term);
        let Some(rules) = program else { return Err(diagnostics) };
        let reader = reader.map(|reader| OwnReader::Mcrl2(Box::new(reader)));
        Ok(Parts { reader, ..Parts::of_terms(Syntax::Mcrl2, Box::new(ast), rules, diagnostics) })
    }

    /// As [`load_mcrl2`](Self::load_mcrl2).
    fn load_maude(
        &self,
        sources: &mut SourceMap,
        id: SourceId,
        account: &Account,
    ) -> Result<Parts, Vec<Diagnostic>> {
        let term = self.term.as_ref().map(|term| sources.add("--input", term));
        let files = gchr_maude::Files::beside(self.path(), account);
        let gchr_maude::Loaded { ast, program, reader, diagnostics } =
            gchr_maude::load(sources, id, term, &files);
        let Some(rules) = program else { return Err(diagnostics) };
        let reader = reader.map(|reader| OwnReader::Maude(Box::new(reader)));
        Ok(Parts { reader, ..Parts::of_terms(Syntax::Maude, Box::new(ast), rules, diagnostics) })
    }

    /// The file of the program, if it is one.
    fn path(&self) -> Option<&Path> {
        match &self.text {
            Text::File(path) | Text::Unsaved { path, .. } => Some(path.as_path()),
            Text::Given { .. } => None,
        }
    }

    /// The rules with the caller's term in the place of the program's own; on errors, all findings.
    fn with_term(
        &self,
        mut rules: rule::Program,
        reader: Option<&OwnReader>,
        sources: &mut SourceMap,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<rule::Program, Vec<Diagnostic>> {
        let Some(term) = &self.term else { return Ok(rules) };
        let id = sources.add("--input", term);
        let read = match reader {
            Some(reader) => reader.clone().read(sources, id),
            None => TermReader::of_rules(&rules).read(sources, id),
        };
        match read {
            Ok(ground) => rules.start = Start::Term(Some(ground)),
            Err(errors) => {
                diagnostics.extend(errors);
                return Err(std::mem::take(diagnostics));
            }
        }
        Ok(rules)
    }

    fn load_constraints(
        &self,
        sources: &mut SourceMap,
        id: SourceId,
        account: &Account,
    ) -> Result<Parts, Vec<Diagnostic>> {
        let queries: Vec<_> = self.queries.iter().map(|goals| sources.add("--query", goals)).collect();
        let request = gchr_chr::Request { program: id, queries, facts: self.facts.clone() };
        let load = match (self.logic, self.rounds, self.readable) {
            (true, _, _) => gchr_chr::load_for_logic,
            (false, true, _) => gchr_chr::load_for_rounds,
            (false, false, true) => gchr_chr::load_readable,
            (false, false, false) => gchr_chr::load_any,
        };
        let mut evaluator = MachineEvaluator::new(&gchr_chr::TermReader, self.memory);
        let mut loaded = load(sources, &request, account, &mut evaluator);
        loaded.notices.extend(written_while_reading(&mut evaluator));
        let own_queries = self.queries.is_empty();
        let logic = loaded.logic.map(|mut program| {
            program.queries.retain(|query| own_queries || query.span.source != id);
            Logic { program, reasons: loaded.reasons, left: loaded.left }
        });
        let rules = loaded.program.or_else(|| logic.is_some().then(no_rules));
        let Some(mut rules) = rules else { return Err(loaded.diagnostics) };
        if let (Start::Goals(all), false) = (&mut rules.start, self.queries.is_empty()) {
            all.retain(|query| query.span.source != id);
        }
        Ok(Parts {
            syntax: Syntax::Chr,
            ast: Box::new(loaded.ast),
            rules,
            reader: None,
            logic,
            facts: loaded.facts,
            diagnostics: loaded.diagnostics,
            notices: loaded.notices,
        })
    }
}

/// What goals wrote while a program was read, as notices.
pub(crate) fn written_while_reading(evaluator: &mut dyn Evaluator) -> Vec<String> {
    let notice = |line: &str| format!("written while the program was read: {}", escape::line(line));
    evaluator.written().lines().map(notice).collect()
}

/// The rules of a program that the logic machine runs.
pub(crate) fn no_rules() -> rule::Program {
    rule::Program {
        signature: Signature::with_builtin_bool(),
        rules: IdVec::new(),
        start: Start::Goals(Vec::new()),
        semantics: None,
    }
}

fn unknown_ending(path: &Path) -> Box<Diagnostic> {
    if is_stdin(path) {
        let message = "nothing says in which language standard input is";
        return Box::new(Diagnostic::error("U0104", message).help("give --language, e.g. --language trs"));
    }
    let message = format!("the ending of {} names no language", path.display());
    Box::new(Diagnostic::error("U0104", message).help(
        "name the file .trs, .rec, .ari, .xml, .mcrl2 or .maude for term rewriting, or .chr for Constraint Handling Rules",
    ))
}
