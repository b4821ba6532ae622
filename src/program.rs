//! A checked program, with its start and its facts.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::rule::{self, Semantics};
use gchr_base::source::SourceMap;
use gchr_terms::plan::TermOptions;

use crate::device::Device;
use crate::diagnostics::Diagnostics;
use crate::executable::{CompileOptions, Executable, Plan};
use crate::executors::auto_terms::{AutoPlan, AutoRounds};
use crate::executors::device_rounds::RoundsPlan;
use crate::executors::device_terms::DevicePlan;
use crate::input::Language;
use crate::stack::with_large_stack;

/// What the frontends hand over.
pub(crate) struct Parts {
    pub(crate) language: Language,
    pub(crate) ast: Box<dyn Display + Send + Sync>,
    pub(crate) rules: rule::Program,
    pub(crate) facts: Vec<Facts>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A program that passed all checks of its frontend. Made by [`Input::parse`](crate::Input::parse).
pub struct Program {
    pub(crate) sources: Arc<SourceMap>,
    pub(crate) language: Language,
    pub(crate) rules: Arc<rule::Program>,
    pub(crate) facts: Arc<Vec<Facts>>,
    pub(crate) parse_time: Duration,
    ast: Box<dyn Display + Send + Sync>,
    warnings: Diagnostics,
}

impl Program {
    pub(crate) fn new(sources: Arc<SourceMap>, parts: Parts, parse_time: Duration) -> Self {
        let Parts { language, ast, rules, facts, diagnostics } = parts;
        let warnings = Diagnostics::new(Arc::clone(&sources), diagnostics);
        let (rules, facts) = (Arc::new(rules), Arc::new(facts));
        Self { sources, language, rules, facts, parse_time, ast, warnings }
    }
    /// The language it is written in.
    pub fn language(&self) -> Language {
        self.language
    }
    /// What its author probably wants to know.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }
    /// The texts it comes from.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
    /// The syntax tree, which prints as a program text that means the same.
    pub fn ast(&self) -> &dyn Display {
        &*self.ast
    }
    /// The rules in the common form of both languages.
    pub fn rules(&self) -> &rule::Program {
        &self.rules
    }

    /// Makes a plan that can be run.
    pub fn compile(&self, options: &CompileOptions) -> Result<Executable<'_>, Diagnostics> {
        let _span = tracing::info_span!("compile").entered();
        let start = Instant::now();
        let plan = with_large_stack(|| self.plan(options));
        let plan = plan.map_err(|list| Diagnostics::new(Arc::clone(&self.sources), list))?;
        Ok(Executable { program: self, plan, compile_time: start.elapsed() })
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
        compiled.map_err(|list| Diagnostics::new(Arc::clone(&self.sources), list))?;
        Ok(text)
    }

    /// What the program means when it is compiled so.
    pub fn semantics(&self, options: &CompileOptions) -> Semantics {
        options.semantics.or(self.rules.semantics).unwrap_or(Semantics::Refined)
    }

    /// What the semantics of rounds makes of each rule of a constraint program: its class, or why it has none.
    pub fn explain(&self) -> Result<String, Diagnostics> {
        let plan = with_large_stack(|| {
            gchr_constraints::plan::compile_rounds(
                &self.rules,
                gchr_constraints::plan::RoundsOptions::default(),
            )
        });
        let plan = plan.map_err(|list| Diagnostics::new(Arc::clone(&self.sources), list))?;
        Ok(plan.explain().to_string())
    }

    fn plan(&self, options: &CompileOptions) -> Result<Plan, Vec<Diagnostic>> {
        match options.device {
            Device::Cpu => {}
            Device::Auto if self.language == Language::Terms => {
                let plan = gchr_terms::plan::compile(&self.rules, &options.to_term_options())?;
                return Ok(Plan::Auto(Box::new(AutoPlan::new(self, plan, options.schedule))));
            }
            Device::Auto if self.semantics(options) == Semantics::Rounds => {
                let plan =
                    gchr_constraints::plan::compile_rounds(&self.rules, options.firing.plan_options())?;
                return Ok(Plan::AutoRounds(Box::new(AutoRounds::new(self, plan, options.firing))));
            }
            Device::Auto => {}
            Device::Gpu(_) | Device::Sim => return self.device_plan(options),
        }
        match self.language {
            Language::Terms => {
                gchr_terms::plan::compile(&self.rules, &options.to_term_options()).map(Plan::Term)
            }
            Language::Constraints => match self.semantics(options) {
                Semantics::Refined => gchr_constraints::plan::compile(&self.rules).map(Plan::Chr),
                Semantics::Rounds => {
                    gchr_constraints::plan::compile_rounds(&self.rules, options.firing.plan_options())
                        .map(Plan::Chr)
                }
            },
        }
    }

    fn device_plan(&self, options: &CompileOptions) -> Result<Plan, Vec<Diagnostic>> {
        if options.trace {
            return Err(vec![trace_missing()]);
        }
        if self.language == Language::Constraints {
            if self.semantics(options) == Semantics::Refined {
                return Err(vec![
                    Diagnostic::error("U0110", "a device runs constraint programs in rounds only")
                        .note("the refined semantics applies one rule after the other")
                        .help("give --semantics rounds, or --device cpu"),
                ]);
            }
            let plan = RoundsPlan::new(&self.rules, &self.sources, options)?;
            return Ok(Plan::Rounds(Box::new(plan)));
        }
        let plan = gchr_terms::plan::compile(&self.rules, &options.to_term_options())?;
        let plan = DevicePlan::new(&self.rules, &self.sources, plan, options)?;
        Ok(Plan::Device(Box::new(plan)))
    }
}

/// The name of the program text among the texts of a program, for places in generated code.
pub(crate) fn program_name(sources: &SourceMap) -> &str {
    sources.iter().next().map_or("program", |(_, source)| &source.name)
}

fn trace_missing() -> Diagnostic {
    Diagnostic::error("U0105", "--trace is for --device cpu: a device applies many rules at once")
        .help("leave out --trace, or give --device cpu")
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("language", &self.language).finish_non_exhaustive()
    }
}
