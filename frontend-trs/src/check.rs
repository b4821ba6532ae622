//! Syntax tree to rule IR: declarations, well-sortedness, rules and input. Every error is reported; a program comes out
//! only without any.

mod builders;
mod choice;
mod condition;
mod declarations;
mod fields;
mod input;
mod lists;
mod resolve;
mod rules;
mod types;

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::rule::{GroundTerm, Program, Rule, RuleId, Start};
use gchr_base::signature::SymbolId;
use gchr_base::source::{SourceId, Span};

pub use input::{InputReader, parse_term};

use self::builders::GroundBuilder;
use self::declarations::{Scope, VisibleVariables};
use self::resolve::{Resolver, Vars};
use crate::ast::{Equation, Input, Module, Name, Section};

/// Findings, and what has been reported already.
#[derive(Default)]
pub(crate) struct Reporter {
    pub diagnostics: Vec<Diagnostic>,
    /// Names whose declaration is broken, or that were reported as unknown: one report is enough.
    silenced: HashSet<Name>,
}

impl Reporter {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// No more reports that this name is unknown.
    pub fn silence(&mut self, name: Name) {
        self.silenced.insert(name);
    }

    /// Whether an unknown name is still to be reported; false from the second time on.
    pub fn first_report(&mut self, name: Name) -> bool {
        self.silenced.insert(name)
    }

    /// Whether the declaration of this name is broken, or its use was reported already.
    pub fn is_silenced(&self, name: Name) -> bool {
        self.silenced.contains(&name)
    }

    /// Whether suggestions are still worth their time.
    pub fn suggests(&self) -> bool {
        self.diagnostics.len() < 50
    }
}

/// A checked module: its program, and what the warnings need beyond it.
pub(crate) struct Checked {
    pub program: Program,
    /// The text of the program: others are imported.
    pub source: SourceId,
    /// Declared variables, in textual order.
    pub variables: Vec<DeclaredVariable>,
    /// The functions whose equations symbols were made for that no text declares.
    pub owners: HashMap<SymbolId, SymbolId>,
    /// Projections and recognisers.
    pub fields: HashSet<SymbolId>,
    /// Rules that are tried when no other one applies.
    pub otherwise: HashSet<RuleId>,
}

/// A variable of a `var` section.
pub(crate) struct DeclaredVariable {
    pub text: String,
    pub span: Span,
    /// Whether an equation uses it.
    pub used: bool,
    /// The constant of the same name.
    pub hides: Option<SymbolId>,
}

/// Checks and lowers `module`. `Some` iff neither the parser nor the checks found an error.
pub(crate) fn check(module: &Module, syntax_errors: bool) -> (Option<Checked>, Vec<Diagnostic>) {
    let mut reporter = Reporter::default();
    module.damaged.iter().for_each(|&name| reporter.silence(name));
    let mut scope = Scope::declare(module, &mut reporter);
    let mut fields = std::mem::take(&mut scope.fields);
    let mut rules: IdVec<RuleId, Rule> = fields.rules(&mut scope, &mut reporter).into_iter().collect();
    let mut otherwise = Vec::new();
    let mut input = None;
    // The texts that are open, innermost last: where each goes on, and its variables while it imports another one.
    let mut texts = vec![(module.sections.iter(), VisibleVariables::default())];
    while let Some((sections, _)) = texts.last_mut() {
        let Some(section) = sections.next() else {
            if let Some((_, variables)) = texts.pop() {
                scope.swap_variables(variables);
            }
            continue;
        };
        match section {
            Section::Variables(clauses) => scope.declare_variables(clauses, &mut reporter),
            Section::Equations(equations) => {
                scope.close_variables();
                equations.iter().for_each(|equation: &Equation| {
                    match rules::lower(equation, &mut scope, &mut reporter) {
                        Some(rule) if equation.otherwise => otherwise.push(rule),
                        Some(rule) => _ = rules.push(rule),
                        None => {}
                    }
                });
                scope.made.owner = None;
            }
            // The input of another text is for running that one.
            Section::Input(found) if texts.len() == 1 => {
                read_input(found, &mut input, &mut scope, &mut reporter);
            }
            Section::Import(import) => {
                let own = scope.swap_variables(VisibleVariables::default());
                texts.push((import.sections.iter(), own));
            }
            Section::Sorts(_) | Section::Constructors(_) | Section::Maps(_) | Section::Input(_) => {}
        }
    }
    let diagnostics = reporter.diagnostics;
    if syntax_errors || has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let term = input.and_then(|(_, term)| term);
    let variables = declared_variables(&scope);
    let last = otherwise.into_iter().map(|rule| rules.push(rule)).collect();
    for rule in scope.made.rules {
        rules.push(rule);
    }
    let (mut signature, owners) = (scope.signature.into_owned(), scope.made.owners);
    signature.notations.extend(scope.lists.notations());
    let program = Program { signature, rules, start: Start::Term(term), semantics: None };
    debug_assert_eq!(gchr_base::rule::verify(&program), []);
    let (source, fields) = (module.source, fields.functions());
    (Some(Checked { program, source, variables, owners, fields, otherwise: last }), diagnostics)
}

fn declared_variables(scope: &Scope<'_>) -> Vec<DeclaredVariable> {
    let hides = |name| scope.symbol(name).filter(|&symbol| scope.signature.arity(symbol) == 0);
    let variables = scope.variables.iter().map(|variable| DeclaredVariable {
        text: scope.text(variable.ident.name).to_string(),
        span: variable.ident.span,
        used: variable.used.get(),
        hides: hides(variable.ident.name),
    });
    variables.collect()
}

/// The input seen so far: place of its keyword, and the term unless it is wrong.
type SeenInput = Option<(Span, Option<GroundTerm>)>;

fn read_input(input: &Input, seen: &mut SeenInput, scope: &mut Scope<'_>, reporter: &mut Reporter) {
    if let Some((first, _)) = seen {
        reporter.report(
            Diagnostic::error("T0107", "a program has one input")
                .label(input.keyword, "a second `input`")
                .label(*first, "the first one")
                .help("keep one of them; `--input TERM` runs another term without editing the program"),
        );
        return;
    }
    let mut builder = GroundBuilder::default();
    let sort = Resolver::new(scope, Vars::None, reporter).resolve(&input.term.nodes, None, &mut builder);
    let term = sort.map(|sort| GroundTerm { nodes: builder.nodes, sort, span: input.term.span() });
    *seen = Some((input.keyword, term));
}
