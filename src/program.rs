//! A checked program, with its start and its facts.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::logic::LogicProgram;
use gchr_base::rule::{self, GroundTerm, Semantics, Start};
use gchr_base::source::SourceMap;
use gchr_terms::plan::TermOptions;

use crate::diagnostics::Diagnostics;
use crate::options::CompileOptions;
use crate::stack::with_large_stack;

/// Which of the two languages a program is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Many-sorted term rewriting (`.trs`).
    Terms,
    /// Constraint Handling Rules (`.chr`, `.pl`).
    Constraints,
}

impl Language {
    /// The language that the ending of a file name stands for.
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "trs" | "mtrs" => Some(Language::Terms),
            "chr" | "pl" => Some(Language::Constraints),
            _ => None,
        }
    }
}

/// What the frontends hand over.
pub(crate) struct Parts {
    pub(crate) language: Language,
    pub(crate) ast: Box<dyn Display + Send + Sync>,
    pub(crate) rules: rule::Program,
    /// A program for the logic machine; there are no rules over ground stores then.
    pub(crate) logic: Option<Logic>,
    pub(crate) facts: Vec<Facts>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) notices: Vec<String>,
}

/// A program that needs logical variables, clauses or search.
pub(crate) struct Logic {
    pub(crate) program: LogicProgram,
    /// What in it ground stores cannot do.
    pub(crate) reasons: Vec<Diagnostic>,
}

/// A program that passed all checks of its frontend. Made by [`Input::parse`](crate::Input::parse).
pub struct Program {
    pub(crate) sources: Arc<SourceMap>,
    pub(crate) language: Language,
    pub(crate) rules: Arc<rule::Program>,
    pub(crate) logic: Option<Logic>,
    pub(crate) facts: Arc<Vec<Facts>>,
    pub(crate) parse_time: Duration,
    ast: Box<dyn Display + Send + Sync>,
    warnings: Diagnostics,
    notices: Vec<String>,
}

impl Program {
    pub(crate) fn new(sources: Arc<SourceMap>, parts: Parts, parse_time: Duration) -> Self {
        let Parts { language, ast, rules, logic, facts, diagnostics, notices } = parts;
        let warnings = Diagnostics::new(Arc::clone(&sources), diagnostics);
        let (rules, facts) = (Arc::new(rules), Arc::new(facts));
        Self { sources, language, rules, logic, facts, parse_time, ast, warnings, notices }
    }
    /// The language it is written in.
    pub fn language(&self) -> Language {
        self.language
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
        options.semantics.or(self.rules.semantics).unwrap_or(Semantics::Refined)
    }

    /// What the semantics of rounds makes of each rule of a constraint program: its class, or why it has none.
    pub fn explain(&self) -> Result<String, Diagnostics> {
        if let Some(logic) = &self.logic {
            let mut text = String::from("runs on the logic machine, one rule after the other, because of:\n");
            for reason in &logic.reasons {
                let line = reason.labels.first().map_or(0, |label| self.sources.line_column(label.span).0);
                text.push_str(&format!("  line {line}: {}\n", reason.message));
            }
            return Ok(text);
        }
        let plan = with_large_stack(|| {
            gchr_constraints::plan::compile_rounds(
                &self.rules,
                gchr_constraints::plan::RoundsOptions::default(),
            )
        });
        let plan = plan.map_err(|list| self.diagnostics(list))?;
        Ok(plan.explain().to_string())
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
        f.debug_struct("Program").field("language", &self.language).finish_non_exhaustive()
    }
}
