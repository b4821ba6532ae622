//! A program with its queries and fact files, to the rule IR: the order of all steps of the frontend.

use gchr_base::diagnostic::{Diagnostic, has_errors, sort};
use gchr_base::facts::Facts;
use gchr_base::hash::HashSet;
use gchr_base::ids::IdVec;
use gchr_base::reading::Account;
use gchr_base::rule::{Program, Query, Start, verify};
use gchr_base::source::{SourceId, SourceMap};

use crate::ast::{ClauseKind, Module};
use crate::facts::{self, FactFile};
use crate::flags::Quotes;
use crate::lower::Lowering;
use crate::{declare, lint, parser, sorts};

/// What to load.
#[derive(Clone, Debug)]
pub struct Request {
    /// The program text.
    pub program: SourceId,
    /// Texts of further queries, run after those of the program: goals with or without `?-` and final full stop.
    pub queries: Vec<SourceId>,
    /// Files of facts, added before all queries.
    pub facts: Vec<FactFile>,
}

/// What loading gives.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The syntax tree of the program text.
    pub ast: Module,
    /// The program; `None` exactly when there is an error among the diagnostics.
    pub program: Option<Program>,
    /// Facts in the order of the files.
    pub facts: Vec<Facts>,
    /// All findings, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What was guessed about fact files, one line each.
    pub notices: Vec<String>,
}

/// Most errors of a program that are shown.
const MAX_ERRORS: usize = 200;

/// Loads a program. Never fails and never stops at the first error.
pub fn load(sources: &mut SourceMap, request: &Request) -> Loaded {
    load_within(sources, request, &Account::default())
}

/// Loads a program; the facts take what the account allows, else an error says so.
pub fn load_within(sources: &mut SourceMap, request: &Request, account: &Account) -> Loaded {
    let parsed = parser::parse(sources, request.program);
    let (ast, mut diagnostics, quotes) = (parsed.ast, parsed.diagnostics, parsed.quotes);
    let declarations = declare::declare(&ast, &mut diagnostics);
    let mut lowering = Lowering::new(&declarations);
    lowering.refuse_clauses(&ast);
    let (mut rules, mut queries) = (IdVec::new(), Vec::new());
    for clause in &ast.clauses {
        // What is hopeless already is not looked at further.
        if lowering.errors() > MAX_ERRORS {
            break;
        }
        match &clause.kind {
            ClauseKind::Rule(rule) => drop(rules.push(lowering.rule(&ast, rule, clause.span))),
            ClauseKind::Query(goals) => queries.push(lowering.query(&ast, goals, clause.span)),
            ClauseKind::Directive(_) | ClauseKind::Prolog(_) => {}
        }
    }
    for &text in &request.queries {
        queries.extend(further_queries(sources, text, quotes, &mut lowering, &mut diagnostics));
    }
    diagnostics.append(&mut lowering.diagnostics);
    let (mut facts, mut notices) = (Vec::new(), Vec::new());
    for file in &request.facts {
        let texts = &mut lowering.signature.texts;
        facts.extend(facts::load(
            sources,
            texts,
            &declarations,
            file,
            account,
            &mut diagnostics,
            &mut notices,
        ));
    }
    let (sorts, whole) = (lowering.sorts, lowering.errors() <= MAX_ERRORS);
    let semantics = declarations.semantics;
    let mut program =
        Program { signature: lowering.signature, rules, start: Start::Goals(queries), semantics };
    let broken = has_errors(&diagnostics);
    if !broken {
        lint::lint(&program, &facts, &mut diagnostics);
    }
    let mut of_sorts = Vec::new();
    if whole {
        sorts::infer(&mut program, sorts, &declarations, &facts, &mut of_sorts);
    }
    // Where something is missing already, a warning of the inference may be wrong; an error is not.
    diagnostics.extend(of_sorts.into_iter().filter(|d| !broken || d.is_error()));
    if !has_errors(&diagnostics) {
        diagnostics.extend(verify(&program));
    }
    tidy(&mut diagnostics);
    parser::cap(&mut diagnostics, "C0112", "errors", MAX_ERRORS);
    let program = (!has_errors(&diagnostics)).then_some(program);
    Loaded { ast, program, facts, diagnostics, notices }
}

fn further_queries(
    sources: &SourceMap,
    text: SourceId,
    quotes: Quotes,
    lowering: &mut Lowering<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Query> {
    let parsed = parser::parse_query(sources, text, quotes);
    diagnostics.extend(parsed.diagnostics);
    let mut queries = Vec::new();
    for clause in &parsed.ast.clauses {
        if let ClauseKind::Query(goals) = &clause.kind {
            queries.push(lowering.query(&parsed.ast, goals, clause.span));
        }
    }
    queries
}

/// By place, each finding once; a variable that is unbound at its only occurrence is reported for that alone.
fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    sort(diagnostics);
    let mut seen = HashSet::default();
    diagnostics.retain(|d| d.labels.first().is_none_or(|l| seen.insert((d.code, l.span))));
    let unbound = |code, span| {
        ["C0401", "C0402", "C0403"].iter().any(|&c| seen.contains(&(c, span)) && code == "C0501")
    };
    diagnostics.retain(|d| d.labels.first().is_none_or(|l| !unbound(d.code, l.span)));
}
