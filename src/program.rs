//! A checked program, with its start and its facts.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::logic::LogicProgram;
use gchr_base::rule::{self, GroundTerm, Semantics, Start};
use gchr_base::source::{SourceMap, Span};
use gchr_terms::plan::TermOptions;

use crate::diagnostics::Diagnostics;
use crate::options::CompileOptions;
use crate::stack::with_large_stack;
use crate::term_reader::{OwnReader, TermReader};

/// What a program is made of: which of the two kinds of rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Many-sorted term rewriting.
    Terms,
    /// Constraint Handling Rules.
    Constraints,
}

impl Language {
    /// The language that the ending of a file name stands for.
    pub fn of_path(path: &Path) -> Option<Self> {
        Syntax::of_path(path).map(Syntax::language)
    }
}

/// How a program is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// gchr's own language of term programs (`.trs`).
    Trs,
    /// A format of term programs that others use (`.rec`, `.ari`, `.xml`, `.trs` that begins with a bracket).
    Format(gchr_formats::Format),
    /// The data part of mCRL2 specifications (`.mcrl2`, `.dataspec`).
    Mcrl2,
    /// Functional modules of Maude (`.maude`).
    Maude,
    /// Constraint Handling Rules (`.chr`, `.pl`).
    Chr,
}

impl Syntax {
    /// The syntax that the ending of a file name stands for.
    pub fn of_path(path: &Path) -> Option<Self> {
        use gchr_formats::Format;
        match path.extension()?.to_str()? {
            "trs" | "mtrs" => Some(Syntax::Trs),
            "rec" => Some(Syntax::Format(Format::Rec)),
            "ari" => Some(Syntax::Format(Format::Ari)),
            "xml" => Some(Syntax::Format(Format::Xtc)),
            "mcrl2" | "dataspec" => Some(Syntax::Mcrl2),
            "maude" | "fm" => Some(Syntax::Maude),
            "chr" | "pl" => Some(Syntax::Chr),
            _ => None,
        }
    }

    /// The syntax of a text whose file name ends as that of `self`: files of two formats end in `.trs`, and only one of
    /// them begins with a bracket.
    pub(crate) fn of_text(self, text: &str) -> Self {
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        match self {
            Syntax::Trs if text.starts_with("(format") => Syntax::Format(gchr_formats::Format::Ari),
            Syntax::Trs if text.starts_with('(') => Syntax::Format(gchr_formats::Format::Tpdb),
            syntax => syntax,
        }
    }

    /// What programs of this syntax are made of.
    pub fn language(self) -> Language {
        match self {
            Syntax::Trs | Syntax::Format(_) | Syntax::Mcrl2 | Syntax::Maude => Language::Terms,
            Syntax::Chr => Language::Constraints,
        }
    }
}

impl From<Language> for Syntax {
    fn from(language: Language) -> Self {
        match language {
            Language::Terms => Syntax::Trs,
            Language::Constraints => Syntax::Chr,
        }
    }
}

/// What the frontends hand over.
pub(crate) struct Parts {
    pub(crate) syntax: Syntax,
    pub(crate) ast: Box<dyn Display + Send + Sync>,
    pub(crate) rules: rule::Program,
    /// Reads further terms, where rules do not say enough for that.
    pub(crate) reader: Option<OwnReader>,
    /// A program for the logic machine; there are no rules over ground stores then.
    pub(crate) logic: Option<Logic>,
    pub(crate) facts: Vec<Facts>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) notices: Vec<String>,
}

impl Parts {
    /// Those of a term program.
    pub(crate) fn of_terms(
        syntax: Syntax,
        ast: Box<dyn Display + Send + Sync>,
        rules: rule::Program,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let (facts, notices) = (Vec::new(), Vec::new());
        Self { syntax, ast, rules, reader: None, logic: None, facts, diagnostics, notices }
    }
}

/// A program that needs logical variables, clauses or search.
pub(crate) struct Logic {
    pub(crate) program: LogicProgram,
    /// What in it ground stores cannot do.
    pub(crate) reasons: Vec<Diagnostic>,
    /// What is left of that where branches and clauses are rules, as in rounds and on devices.
    pub(crate) left: Vec<Diagnostic>,
}

impl Logic {
    /// A diagnostic that shows what in the program ground stores cannot do, first.
    pub(crate) fn with_first_reason(&self, diagnostic: Diagnostic) -> Diagnostic {
        let first = self
            .left
            .first()
            .or(self.reasons.first())
            .and_then(|reason| Some((reason, reason.labels.first()?)));
        match first {
            Some((reason, label)) => diagnostic.label(label.span, reason.message.clone()),
            None => diagnostic,
        }
    }

    /// Why the logic machine runs the program; for each rule whether ground stores could do it, and why not.
    fn explain(&self, sources: &SourceMap) -> String {
        let line = |span| sources.line_column(span).0;
        let mut text = String::from("runs on the logic machine, one rule after the other, because of:\n");
        for reason in &self.reasons {
            let place = reason.labels.first().map_or(0, |label| line(label.span));
            text += &format!("  line {place}: {}\n", reason.message);
        }
        if self.left.is_empty() {
            text += "runs in rounds and on a GPU, too: its branches and clauses become rules there\n";
        }
        for (rule, (span, verdict)) in self.program.rules.iter().zip(self.explain_rules()) {
            let name = rule.name.as_deref().unwrap_or("rule");
            text += &format!("{name} (line {}): {verdict}\n", line(span));
        }
        text
    }

    /// Of each rule, whether ground stores could do it, and why not.
    fn explain_rules(&self) -> Vec<(Span, String)> {
        let place = |reason: &Diagnostic| reason.labels.first().map(|label| label.span);
        let within = |reason: &Diagnostic, rule: Span| {
            place(reason)
                .is_some_and(|p| p.source == rule.source && rule.start <= p.start && p.end <= rule.end)
        };
        let verdict = |rule: &gchr_base::logic::ConstraintRule| {
            let found: Vec<&str> = self
                .left
                .iter()
                .filter(|reason| within(reason, rule.span))
                .map(|reason| reason.message.as_str())
                .collect();
            let verdict = match found.as_slice() {
                [] => "could run in rounds and on a GPU".to_string(),
                found => format!("cannot run in rounds or on a GPU: {}", found.join("; ")),
            };
            (rule.span, verdict)
        };
        self.program.rules.iter().map(verdict).collect()
    }
}

/// A program that passed all checks of its frontend. Made by [`Input::parse`](crate::Input::parse).
pub struct Program {
    pub(crate) sources: Arc<SourceMap>,
    pub(crate) syntax: Syntax,
    pub(crate) rules: Arc<rule::Program>,
    pub(crate) reader: Option<OwnReader>,
    pub(crate) logic: Option<Logic>,
    pub(crate) facts: Arc<Vec<Facts>>,
    pub(crate) parse_time: Duration,
    ast: Box<dyn Display + Send + Sync>,
    warnings: Diagnostics,
    notices: Vec<String>,
}

impl Program {
    /// A reader of further terms.
    pub(crate) fn term_reader(&self) -> TermReader<'_> {
        match &self.reader {
            Some(reader) => TermReader::Own(Box::new(reader.clone())),
            None => TermReader::of_rules(&self.rules),
        }
    }

    pub(crate) fn new(sources: Arc<SourceMap>, parts: Parts, parse_time: Duration) -> Self {
        let Parts { syntax, ast, rules, reader, logic, facts, diagnostics, notices } = parts;
        let warnings = Diagnostics::new(Arc::clone(&sources), diagnostics);
        let (rules, facts) = (Arc::new(rules), Arc::new(facts));
        Self { sources, syntax, rules, reader, logic, facts, parse_time, ast, warnings, notices }
    }
    /// What it is made of.
    pub fn language(&self) -> Language {
        self.syntax.language()
    }
    /// How it is written.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }
    /// What its author probably wants to know.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }
    /// What was guessed where it was read, one line each: how the first lines of fact files were taken.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }
    /// The texts it comes from.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
    /// The syntax tree, which prints as a program text that means the same.
    pub fn ast(&self) -> &dyn Display {
        &*self.ast
    }
    /// Whether the logic machine runs it: it has variables in its store, clauses, or choices.
    pub fn is_logic(&self) -> bool {
        self.logic.is_some()
    }
    /// The rules in the common form of both languages; none of a program that [`is_logic`](Self::is_logic).
    pub fn rules(&self) -> &rule::Program {
        &self.rules
    }

    /// The plan of a term program in text form, as it is after the last run of the compiler pass `pass` (see
    /// [`PASSES`](gchr_terms::plan::PASSES); the first plan is made by `lower`). Empty for a pass that does not exist.
    pub fn term_plan_after(&self, pass: &str) -> Result<String, Diagnostics> {
        let mut text = String::new();
        let compiled = with_large_stack(|| {
            gchr_terms::plan::compile_here(&self.rules, &TermOptions::tasks(true), &mut |name, plan| {
                if name == pass {
                    text = plan.to_string();
                }
            })
        });
        compiled.map_err(|list| self.diagnostics(list))?;
        Ok(text)
    }

    /// What the program means when it is compiled so.
    pub fn semantics(&self, options: &CompileOptions) -> Semantics {
        options.semantics_of(&self.rules)
    }

    /// What the semantics of rounds makes of each rule of a constraint program: its class, or why it has none.
    pub fn explain(&self) -> Result<String, Diagnostics> {
        if let Some(logic) = &self.logic {
            return Ok(logic.explain(&self.sources));
        }
        let plan = self.plan_of_rounds()?;
        let explained = plan.explain();
        Ok(format!("{explained}{}\n\nplaces\n{}", explained.summary(), plan.explain_places()))
    }

    /// The same by rule, with its place.
    pub fn explain_rules(&self) -> Result<Vec<(Span, String)>, Diagnostics> {
        if let Some(logic) = &self.logic {
            return Ok(logic.explain_rules());
        }
        let plan = self.plan_of_rounds()?;
        let rules = plan.explain().rules().into_iter();
        Ok(rules.map(|(rule, lines)| (plan.rules[rule].span, lines.join("\n"))).collect())
    }

    fn plan_of_rounds(&self) -> Result<gchr_constraints::ir::ChrPlan, Diagnostics> {
        let options = gchr_constraints::plan::RoundsOptions::default();
        let plan = with_large_stack(|| gchr_constraints::plan::compile_rounds(&self.rules, options));
        plan.map_err(|list| self.diagnostics(list))
    }

    /// Name and number of arguments of the constraints that it declares, in that order.
    pub fn constraints(&self) -> Vec<(String, usize)> {
        match &self.logic {
            Some(logic) => {
                logic.program.constraints.iter().map(|c| (c.name.to_string(), c.columns.len())).collect()
            }
            None => {
                let all = self.rules.signature.declared_constraints();
                all.map(|(_, c)| (c.name.clone(), c.columns.len())).collect()
            }
        }
    }

    /// Whether its rules write, so that two runs of it side by side would write twice.
    pub fn writes(&self) -> bool {
        self.is_logic() || self.rules.writes()
    }

    /// The name of the program text, for places in generated code.
    pub(crate) fn name(&self) -> &str {
        program_name(&self.sources)
    }

    /// The term to rewrite, if it is a term program that has one.
    pub(crate) fn term(&self) -> Option<&GroundTerm> {
        match &self.rules.start {
            Start::Term(term) => term.as_ref(),
            Start::Goals(_) => None,
        }
    }

    /// How many terms a term program evaluates, all in one run.
    pub fn terms(&self) -> usize {
        self.term().map_or(0, |term| gchr_terms::exec::terms_together(&self.rules, term))
    }

    /// Whether a constraint program has goals or facts to begin with.
    pub(crate) fn has_goals(&self) -> bool {
        if let Some(Logic { program, .. }) = &self.logic {
            return !(program.queries.is_empty() && program.initialization.is_empty());
        }
        match &self.rules.start {
            Start::Term(_) => false,
            Start::Goals(queries) => !(queries.is_empty() && self.facts.is_empty()),
        }
    }

    /// Findings that point into its texts.
    pub(crate) fn diagnostics(&self, list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(Arc::clone(&self.sources), list)
    }
}

/// The name of the program text among the texts of a program, for places in generated code.
pub(crate) fn program_name(sources: &SourceMap) -> &str {
    sources.iter().next().map_or("program", |(_, source)| &source.name)
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("syntax", &self.syntax).finish_non_exhaustive()
    }
}
