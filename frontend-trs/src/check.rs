//! Syntax tree to rule IR: declarations, well-sortedness, rules and input. Every error is reported; a program comes out
//! only without any.

mod axioms;
mod builders;
mod builtin;
mod condition;
mod declarations;
mod families;
mod fields;
mod input;
mod instances;
mod made;
mod reporter;
mod resolve;
mod rules;
mod scope;
mod sorts;
mod strategy;
mod types;

use std::sync::Arc;

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::rule::{GroundTerm, Program, Rule, RuleId, Start};
use gchr_base::signature::SymbolId;
use gchr_base::source::{SourceId, Span};
use gchr_base::strategy::{Strategy, under};
use gchr_maude::Axioms;

pub use input::InputReader;
pub(crate) use input::parse_input;

use self::declarations::declare;
use self::instances::Numbers;
pub(crate) use self::reporter::Reporter;
use self::scope::{Scope, VisibleVariables};
use crate::ast::{Equation, Input, Module, Section, Term};

/// A checked module: its program with all that has parameters, and what the warnings need beyond it.
pub(crate) struct Checked {
    pub program: Program,
    /// The term to start on in place of the program's own.
    term: Option<GroundTerm>,
    /// Whether there is something to leave out.
    has_parameters: bool,
    reader: InputReader,
    /// The text of the program: others are imported.
    pub source: SourceId,
    /// Declared variables, in textual order.
    pub variables: Vec<DeclaredVariable>,
    /// The functions whose equations symbols were made for that no text declares.
    pub owners: HashMap<SymbolId, SymbolId>,
    /// The symbols with parameters that symbols are instances of.
    pub origins: HashMap<SymbolId, SymbolId>,
    /// Projections and recognisers.
    pub fields: HashSet<SymbolId>,
    /// Rules that are tried when no other one applies.
    pub otherwise: HashSet<RuleId>,
    /// Symbols whose equations match modulo axioms.
    pub axioms: HashMap<SymbolId, Axioms>,
    /// Where terms are rewritten.
    pub strategy: Strategy,
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

impl Checked {
    /// The symbol with parameters that a symbol is an instance of; itself where it is none.
    pub fn origin(&self, symbol: SymbolId) -> SymbolId {
        self.origins.get(&symbol).copied().unwrap_or(symbol)
    }

    /// The program without what has parameters, whose rules match modulo the axioms of its symbols, and the reader of
    /// further terms. What is wrong is reported.
    pub fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> Option<(Program, InputReader)> {
        let mut program = self.program;
        let numbers = self.reader.numbers();
        let otherwise = match self.has_parameters {
            true => numbers.rules(&program, &self.otherwise),
            false => std::mem::take(&mut self.otherwise),
        };
        let axioms = numbers.axioms(&self.axioms);
        let strategy = numbers.strategy(&self.strategy);
        let own = match std::mem::replace(&mut program.start, Start::Term(None)) {
            Start::Term(own) => own,
            Start::Goals(_) => None,
        };
        if self.has_parameters {
            program = numbers.program(program);
        }
        program.start = Start::Term(self.term.or(own).map(|term| numbers.term(term)));
        debug_assert_eq!(gchr_base::rule::verify(&program), []);
        if !strategy.is_eager() {
            let made = under(&program, &strategy);
            let start = match program.start {
                Start::Term(term) => term.map(|term| made.term(term)),
                Start::Goals(_) => None,
            };
            let program = Program { start: Start::Term(start), ..made.program.clone() };
            debug_assert_eq!(gchr_base::rule::verify(&program), []);
            return Some((program, self.reader.made(input::Made::Strategic(Arc::new(made)))));
        }
        if axioms.is_empty() {
            return Some((program, self.reader));
        }
        let modulo = Arc::new(gchr_maude::modulo(&program, &axioms, &otherwise, diagnostics)?);
        debug_assert_eq!(gchr_base::rule::verify(&modulo.program), []);
        let program = modulo.program.clone();
        Some((program, self.reader.made(input::Made::Modulo(modulo))))
    }
}

/// Checks and lowers `module`. `Some` iff neither the parser nor the checks of the module found an error. `term`: what
/// the program is to start on in place of its own input, from another text.
pub(crate) fn check(
    module: &Module,
    syntax_errors: bool,
    term: Option<&Term>,
) -> (Option<Checked>, Vec<Diagnostic>) {
    let mut reporter = Reporter::default();
    module.damaged.iter().for_each(|&name| reporter.silence(name));
    let mut scope = declare(module, &mut reporter);
    _ = instances::make_constructors(&mut scope, &mut reporter);
    let axioms = axioms::declared(module, &scope, &mut reporter);
    let mut fields = std::mem::take(&mut scope.fields);
    let Sections { rules, otherwise, input } = sections(module, &mut scope, &mut reporter);
    let failed = |reporter: &Reporter| syntax_errors || has_errors(&reporter.diagnostics);
    // What is wrong with the term is no finding in the program.
    let mut of_term = Reporter::default();
    let term = term.filter(|_| !failed(&reporter)).and_then(|t| input::ground(t, &mut scope, &mut of_term));
    let own = input.and_then(|(_, term)| term);
    // It is known by now what may be a term of a sort.
    let declared = strategy::declared(module, &axioms, &mut scope, &mut reporter);
    let of_fields = made::fields::rules(&mut fields, declared.is_eager(), &mut scope, &mut reporter);
    let mut rules: IdVec<RuleId, Rule> = of_fields.into_iter().chain(rules).collect();
    let mut last: HashSet<RuleId> = otherwise.into_iter().map(|rule| rules.push(rule)).collect();
    std::mem::take(&mut scope.made.rules).into_iter().for_each(|rule| _ = rules.push(rule));
    if !failed(&reporter) {
        instances::complete(&mut rules, &mut last, &mut scope, &mut reporter);
    }
    if failed(&reporter) {
        return (None, reporter.diagnostics);
    }
    reporter.diagnostics.extend(of_term.diagnostics);
    let choice = scope.made.choice;
    let parts = std::mem::take(&mut scope.made.parts);
    let checked = finished(module, rules, Start::Term(own), scope, fields.functions());
    axioms::identities_in_heads(&axioms, &checked, &mut reporter);
    if failed(&reporter) {
        return (None, reporter.diagnostics);
    }
    let axioms = axioms::of_instances(&axioms, &checked.program.signature, &checked.origins);
    let strategy = strategy::of_instances(declared, (choice, &parts), &checked);
    (Some(Checked { term, otherwise: last, axioms, strategy, ..checked }), reporter.diagnostics)
}

/// What the sections of a program have.
struct Sections {
    rules: Vec<Rule>,
    /// Rules that are tried last.
    otherwise: Vec<Rule>,
    input: SeenInput,
}

/// Lowers the sections of the text and of those that it imports.
fn sections(module: &Module, scope: &mut Scope<'_>, reporter: &mut Reporter) -> Sections {
    let mut found = Sections { rules: Vec::new(), otherwise: Vec::new(), input: None };
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
            Section::Variables(clauses) => scope.declare_variables(clauses, reporter),
            Section::Equations(equations) => {
                scope.close_variables();
                equations.iter().for_each(|equation: &Equation| {
                    match rules::lower(equation, scope, reporter) {
                        Some(rule) if equation.otherwise => found.otherwise.push(rule),
                        Some(rule) => found.rules.push(rule),
                        None => {}
                    }
                });
                scope.made.owner = None;
            }
            // The input of another text is for running that one.
            Section::Input(input) if texts.len() == 1 => {
                read_input(input, &mut found.input, scope, reporter);
            }
            Section::Import(import) => {
                let own = scope.swap_variables(VisibleVariables::default());
                texts.push((import.sections.iter(), own));
            }
            Section::Sorts(_)
            | Section::Constructors(_)
            | Section::Maps(_)
            | Section::Input(_)
            | Section::Strategy(_) => {}
        }
    }
    found
}

/// A module without errors. `fields`: its projections and recognisers.
fn finished(
    module: &Module,
    rules: IdVec<RuleId, Rule>,
    start: Start,
    mut scope: Scope<'_>,
    mut fields: HashSet<SymbolId>,
) -> Checked {
    let variables = declared_variables(&scope);
    let owners = std::mem::take(&mut scope.made.owners);
    let mut notations: HashMap<_, _> = scope.lists.notations().chain(scope.functions.notations()).collect();
    let origins: HashMap<SymbolId, SymbolId> = scope.families.instances().collect();
    for (&id, origin) in &origins {
        if let Some(&notation) = notations.get(origin) {
            notations.insert(id, notation);
        }
        if fields.contains(origin) {
            fields.insert(id);
        }
    }
    notations.extend(scope.characters.notations(&scope.families, &scope.lists));
    scope.signature.to_mut().notations.extend(notations);
    let signature = scope.signature.clone().into_owned();
    let program = Program { signature, rules, start, semantics: None };
    debug_assert_eq!(gchr_base::rule::verify(&program), []);
    let has_parameters = !scope.families.is_empty();
    let numbers = Numbers::of(&program.signature, &scope.families);
    let (source, reader) = (module.source, InputReader::new(scope, numbers));
    Checked {
        program,
        term: None,
        has_parameters,
        reader,
        source,
        variables,
        owners,
        origins,
        fields,
        otherwise: HashSet::default(),
        axioms: HashMap::default(),
        strategy: Strategy::default(),
    }
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
    let term = input::ground(&input.term, scope, reporter);
    *seen = Some((input.keyword, term));
}
