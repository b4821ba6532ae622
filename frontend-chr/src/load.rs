//! A program with its queries and fact files, to the rule IR or to a logic program: the order of all steps of the
//! frontend.
//!
//! Which of the two a program becomes is decided here, once: lowering to rules says what ground stores cannot do.

mod session;

use std::sync::Arc;

use gchr_base::diagnostic::{Diagnostic, Severity, has_errors, sort};
use gchr_base::facts::Facts;
use gchr_base::hash::HashSet;
use gchr_base::ids::IdVec;
use gchr_base::logic::{Evaluator, LogicProgram, NoEvaluator, Operators};
use gchr_base::reading::Account;
use gchr_base::reading::named::NamedFiles;
use gchr_base::rule::{Program, Semantics, Start, verify};
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::ast::{ClauseKind, Module, Term, TermKind};
use crate::branches::{self, Branched};
use crate::declare::Declarations;
use crate::facts::{self, FactFile};
use crate::flags::Quotes;
use crate::logic::Builder;
use crate::lower::{Lowering, Sorts};
use crate::{Parsed, declare, lint, parser, scopes, sorts};

#[cfg(feature = "tables")]
pub use session::FactTable;
pub use session::{Added, Addition, GroundSession, LogicSession, Opened, open};

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
    /// The program over ground stores; `None` where there is an error among the diagnostics, or a logic program.
    pub program: Option<Program>,
    /// The program for the logic machine, where it needs that.
    pub logic: Option<LogicProgram>,
    /// Why it needs that: what a plan over ground stores cannot do, by place.
    pub reasons: Vec<Diagnostic>,
    /// What of that is left where branches and clauses have become rules, as they do for rounds and devices.
    pub left: Vec<Diagnostic>,
    /// Facts in the order of the files.
    pub facts: Vec<Facts>,
    /// All findings, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What was guessed or left out, one line each.
    pub notices: Vec<String>,
}

/// Most errors of a program that are shown.
const MAX_ERRORS: usize = 200;

/// Loads a program over ground stores. Never fails and never stops at the first error.
pub fn load(sources: &mut SourceMap, request: &Request) -> Loaded {
    load_within(sources, request, &Account::default())
}

/// Loads a program over ground stores; the facts take what the account allows, else an error says so.
pub fn load_within(sources: &mut SourceMap, request: &Request, account: &Account) -> Loaded {
    let mut reading = Reading::new(sources, request, account, &mut NoEvaluator).with_facts(
        sources,
        &request.facts,
        account,
    );
    let beyond = std::mem::take(&mut reading.beyond);
    reading.diagnostics.extend(beyond);
    let (loaded, _) = reading.ground();
    loaded
}

/// Loads a program: one over ground stores where these suffice, else one for the logic machine. The evaluator runs the
/// clauses by which the text changes its own terms.
pub fn load_any(
    sources: &mut SourceMap,
    request: &Request,
    account: &Account,
    evaluator: &mut dyn Evaluator,
) -> Loaded {
    load_as(sources, request, account, evaluator, false)
}

/// Loads a program that is to run in rounds or on a device: branches and clauses become rules over ground stores where
/// they can.
pub fn load_for_rounds(
    sources: &mut SourceMap,
    request: &Request,
    account: &Account,
    evaluator: &mut dyn Evaluator,
) -> Loaded {
    load_as(sources, request, account, evaluator, true)
}

/// Loads a program for answers as Prolog systems give them: clauses that cannot be read and files that are not there
/// are left out, and what is wrong with them is among the diagnostics, as errors. Where something was left out, or
/// queries of the request name variables whose values an answer shows, it is a program for the logic machine.
pub fn load_readable(
    sources: &mut SourceMap,
    request: &Request,
    account: &Account,
    evaluator: &mut dyn Evaluator,
) -> Loaded {
    let mut reading = Reading::new(sources, request, account, evaluator);
    let unread = reading.take_unread(request);
    if unread.is_empty() {
        if reading.beyond.is_empty()
            && let Some((name, reason)) = reading.named_in_queries()
        {
            reading.notices.push(format!(
                "the query names {name}, so the logic machine runs the program; `_{name}` leaves it to ground stores"
            ));
            reading.beyond.push(reason);
        }
        return load_read(reading, sources, request, account, evaluator, false);
    }
    reading.with_facts(sources, &request.facts, account).logic_without(unread)
}

/// Loads a program that the logic machine is to run, whatever it needs; clauses that cannot be read are left out as by
/// [`load_readable`].
pub fn load_for_logic(
    sources: &mut SourceMap,
    request: &Request,
    account: &Account,
    evaluator: &mut dyn Evaluator,
) -> Loaded {
    let mut reading = Reading::new(sources, request, account, evaluator);
    let unread = reading.take_unread(request);
    let mut loaded = reading.with_facts(sources, &request.facts, account).logic_without(unread);
    loaded.left.push(Diagnostic::error("C0307", "the logic machine is asked for"));
    loaded
}

fn load_as(
    sources: &mut SourceMap,
    request: &Request,
    account: &Account,
    evaluator: &mut dyn Evaluator,
    rounds: bool,
) -> Loaded {
    let reading = Reading::new(sources, request, account, evaluator);
    load_read(reading, sources, request, account, evaluator, rounds)
}

fn load_read(
    mut reading: Reading,
    sources: &mut SourceMap,
    request: &Request,
    account: &Account,
    evaluator: &mut dyn Evaluator,
    rounds: bool,
) -> Loaded {
    let rounds = reading.is_for_rounds(rounds);
    if !reading.beyond.is_empty() {
        let branched = reading.branched();
        if rounds && !branched.has_left() {
            return branched.with_facts(sources, &request.facts, account).ground().0;
        }
        let mut loaded = reading.with_facts(sources, &request.facts, account).logic();
        loaded.left = branched.beyond;
        sort(&mut loaded.left);
        return loaded;
    }
    let (loaded, untyped) = reading.with_facts(sources, &request.facts, account).ground();
    if !untyped {
        return loaded;
    }
    // Types that do not hold are no error where nothing checks them.
    let reading = Reading::new(sources, request, account, evaluator);
    let mut reading = reading.with_facts(sources, &request.facts, account);
    reading.beyond = loaded.diagnostics.into_iter().filter(|d| d.is_error()).collect();
    reading.logic()
}

/// A program whose texts are read and whose rules are lowered as far as ground stores suffice.
struct Reading {
    ast: Module,
    quotes: Quotes,
    /// The syntax trees of further queries.
    queries: Vec<Module>,
    declarations: Declarations,
    program: Program,
    sorts: Sorts,
    facts: Vec<Facts>,
    diagnostics: Vec<Diagnostic>,
    beyond: Vec<Diagnostic>,
    /// Whether all clauses were looked at.
    whole: bool,
    notices: Vec<String>,
    /// Whether rules stand in place of branches and clauses: nobody has written these.
    branched: bool,
}

/// What is read: a program text with the files it names, and queries.
struct Texts {
    ast: Module,
    queries: Vec<Module>,
    quotes: Quotes,
    diagnostics: Vec<Diagnostic>,
}

impl Reading {
    fn new(
        sources: &mut SourceMap,
        request: &Request,
        account: &Account,
        evaluator: &mut dyn Evaluator,
    ) -> Self {
        let mut files = NamedFiles::new(sources, request.program, account);
        let Parsed { ast, mut diagnostics, quotes } =
            parser::parse_program(&mut files, request.program, Some(&mut *evaluator));
        let queries = request.queries.iter().map(|&text| {
            let mut parsed = parser::parse_query(sources, text, &ast.operators, quotes);
            scopes::qualify(&mut parsed.ast, &ast.renamed);
            diagnostics.append(&mut parsed.diagnostics);
            parsed.ast
        });
        let queries = queries.collect();
        Self::of_texts(Texts { ast, queries, quotes, diagnostics })
    }

    /// The same program with rules in place of branches and clauses; without facts yet.
    fn branched(&self) -> Self {
        let Branched { ast, queries, made } =
            branches::branched(&self.ast, &self.queries, &self.declarations);
        let is_warning = |d: &&Diagnostic| !d.is_error();
        let mut reading =
            Self::of_texts(Texts { ast, queries, quotes: self.quotes, diagnostics: Vec::new() });
        reading.diagnostics.retain(Diagnostic::is_error);
        reading.diagnostics.extend(self.diagnostics.iter().filter(is_warning).cloned());
        reading.branched = true;
        for constraint in reading.program.signature.constraints.iter_mut() {
            constraint.is_made = made.contains(&constraint.name);
        }
        reading
    }

    /// What is wrong with clauses and files of the program that could not be read.
    fn take_unread(&mut self, request: &Request) -> Vec<Diagnostic> {
        let of_query = |d: &Diagnostic| d.labels.iter().any(|l| request.queries.contains(&l.span.source));
        let is_unread = |d: &mut Diagnostic| d.is_error() && UNREAD.contains(&d.code) && !of_query(d);
        self.diagnostics.extract_if(.., is_unread).collect()
    }

    /// A variable with a name in the queries that were given beside the program: answers say what it is bound to.
    fn named_in_queries(&self) -> Option<(String, Diagnostic)> {
        let terms = self.queries.iter().flat_map(|text| text.terms.iter());
        let mut named = terms.filter_map(|term| match &term.kind {
            TermKind::Var(name) if !name.starts_with('_') => Some((name, term.span)),
            _ => None,
        });
        let (name, span) = named.next()?;
        let reason = Diagnostic::error("C0403", format!("an answer says what {name} is bound to"));
        Some((name.to_string(), reason.label(span, "not shown over ground stores")))
    }

    /// Whether the program is to run in rounds, by its own word or as `asked`. The refined semantics has reasons for
    /// the logic machine that rounds cannot take.
    fn is_for_rounds(&mut self, asked: bool) -> bool {
        let rounds = asked || self.declarations.semantics == Some(Semantics::Rounds);
        if !rounds && self.beyond.is_empty() {
            self.beyond.extend(self.infinite_atom());
        }
        rounds
    }

    /// An atom among the values of a program that computes, which arithmetic takes for a number: `dist(X, inf)`.
    fn infinite_atom(&self) -> Option<Diagnostic> {
        const NUMBERS: [&str; 3] = ["inf", "infinite", "nan"];
        const ARITHMETIC: [&str; 7] = ["is", "<", ">", "=<", ">=", "=:=", "=\\="];
        let terms = || std::iter::once(&self.ast).chain(&self.queries).flat_map(|text| text.terms.iter());
        let computes = |term: &Term| match &term.kind {
            TermKind::Compound { name, args } => args.len() == 2 && ARITHMETIC.contains(&name.as_str()),
            _ => false,
        };
        let mut types = self.ast.terms.ids().filter_map(|id| self.ast.binary(id, "--->"));
        let mut atoms = terms().filter_map(|term| match &term.kind {
            TermKind::Atom(name) if NUMBERS.contains(&name.as_str()) => Some((name, term.span)),
            _ => None,
        });
        let (name, span) = atoms.next()?;
        // A type of its own may have a constant of the name.
        let is_declared = types.any(|(_, of)| {
            let named = |id| matches!(self.ast.kind(id), TermKind::Atom(of) if of == name);
            self.ast.members(of, ";").into_iter().any(named)
        });
        (!is_declared && terms().any(computes)).then(|| {
            Diagnostic::error(
                "C0307",
                format!("{name}, which arithmetic takes for a number, needs the logic machine"),
            )
            .label(span, "an atom over ground stores")
        })
    }

    /// Whether ground stores do not suffice.
    fn has_left(&self) -> bool {
        !self.beyond.is_empty() || has_errors(&self.diagnostics)
    }

    fn of_texts(texts: Texts) -> Self {
        let Texts { ast, queries, quotes, mut diagnostics } = texts;
        let mut declarations = declare::declare(&ast, &mut diagnostics);
        let mut beyond = std::mem::take(&mut declarations.beyond);
        let mut lowering = Lowering::new(&declarations);
        lowering.signature.operators =
            (*ast.shown() != Operators::default()).then(|| Arc::new(ast.shown().clone()));
        lowering.refuse_clauses(&ast);
        let (mut rules, mut goals) = (IdVec::new(), Vec::new());
        for clause in &ast.clauses {
            // What is hopeless already is not looked at further.
            if lowering.errors() > MAX_ERRORS {
                break;
            }
            match &clause.kind {
                ClauseKind::Rule(rule) => drop(rules.push(lowering.rule(&ast, rule, clause.span))),
                ClauseKind::Query(terms) => goals.push(lowering.query(&ast, terms, clause.span)),
                ClauseKind::Directive(_) | ClauseKind::Prolog(_) => {}
            }
        }
        for query in &queries {
            for clause in &query.clauses {
                if let ClauseKind::Query(terms) = &clause.kind {
                    goals.push(lowering.query(query, terms, clause.span));
                }
            }
        }
        let whole = lowering.errors() <= MAX_ERRORS;
        diagnostics.append(&mut lowering.diagnostics);
        beyond.append(&mut lowering.beyond);
        let (sorts, semantics) = (lowering.sorts, declarations.semantics);
        let program = Program { signature: lowering.signature, rules, start: Start::Goals(goals), semantics };
        Self {
            ast,
            quotes,
            queries,
            declarations,
            program,
            sorts,
            facts: Vec::new(),
            diagnostics,
            beyond,
            whole,
            notices: Vec::new(),
            branched: false,
        }
    }

    /// Reads the files of facts.
    fn with_facts(mut self, sources: &mut SourceMap, files: &[FactFile], account: &Account) -> Self {
        for file in files {
            let (signature, declarations) = (&mut self.program.signature, &self.declarations);
            let (diagnostics, notices) = (&mut self.diagnostics, &mut self.notices);
            let loaded = facts::load(sources, signature, declarations, file, account, diagnostics, notices);
            self.facts.extend(loaded);
        }
        self
    }

    /// The program over ground stores; and whether it has none only because of types that nothing checks.
    fn ground(mut self) -> (Loaded, bool) {
        let broken = has_errors(&self.diagnostics);
        if !broken && !self.branched {
            lint::lint(&self.program, &self.facts, &mut self.diagnostics);
        }
        let (mut of_sorts, branched) = (Vec::new(), self.branched);
        if self.whole {
            sorts::infer(&mut self.program, self.sorts, &self.declarations, &self.facts, &mut of_sorts);
        }
        // Where something is missing already, a warning of the inference may be wrong; an error is not.
        self.diagnostics.extend(of_sorts.into_iter().filter(|d| !broken && !branched || d.is_error()));
        if !has_errors(&self.diagnostics) {
            self.diagnostics.extend(verify(&self.program));
        }
        let clauses = self.ast.clauses.iter().filter(|c| matches!(c.kind, ClauseKind::Prolog(_))).count();
        if clauses > 0 {
            let (number, verb) =
                if clauses == 1 { ("1 clause", "is") } else { (&*format!("{clauses} clauses"), "are") };
            self.notices.push(format!("{number} of Prolog that no rule and no query calls {verb} left out"));
        }
        let unchecked = self.declarations.unchecked;
        let mut loaded = self.loaded();
        let errors = || loaded.diagnostics.iter().filter(|d| d.is_error());
        let untyped = unchecked && errors().count() > 0 && errors().all(|d| TYPES.contains(&d.code));
        loaded.program = loaded.program.filter(|_| !has_errors(&loaded.diagnostics));
        (loaded, untyped)
    }

    /// The program for the logic machine.
    fn logic(mut self) -> Loaded {
        self.diagnostics.retain(|d| d.code != "C0206" || d.is_error());
        // What ground stores must know before may turn out when the program runs.
        let heads: HashSet<Span> = self.ast.heads().map(|head| self.ast.span(head)).collect();
        let is_goal = |d: &Diagnostic| d.labels.first().is_some_and(|label| !heads.contains(&label.span));
        for diagnostic in self.diagnostics.iter_mut() {
            if LATER.contains(&diagnostic.code) || diagnostic.code == "C0303" && is_goal(diagnostic) {
                diagnostic.severity = Severity::Warning;
            }
        }
        let mut builder = Builder::new(&self.ast, self.quotes);
        builder.unchecked = self.declarations.unchecked;
        builder.guards_bind = self.declarations.guards_bind;
        self.queries.iter().for_each(|text| builder.queries(text));
        builder.facts(&self.declarations, &self.program.signature, &self.facts);
        let (logic, found) = builder.finish();
        self.diagnostics.extend(found);
        let mut loaded = self.loaded();
        loaded.logic = (!has_errors(&loaded.diagnostics)).then_some(logic);
        loaded.program = None;
        loaded
    }

    /// The same without clauses and files that could not be read.
    fn logic_without(self, unread: Vec<Diagnostic>) -> Loaded {
        let mut loaded = self.logic();
        loaded.reasons.extend(unread.iter().cloned());
        sort(&mut loaded.reasons);
        loaded.diagnostics.extend(unread);
        tidy(&mut loaded.diagnostics);
        loaded
    }

    fn loaded(mut self) -> Loaded {
        tidy(&mut self.diagnostics);
        parser::cap(&mut self.diagnostics, "C0112", "errors", MAX_ERRORS);
        sort(&mut self.beyond);
        let Self { ast, program, facts, diagnostics, beyond, notices, .. } = self;
        let left = Vec::new();
        Loaded {
            ast,
            program: Some(program),
            logic: None,
            reasons: beyond,
            left,
            facts,
            diagnostics,
            notices,
        }
    }
}

/// Errors about types of columns.
const TYPES: [&str; 3] = ["C0404", "C0405", "C0406"];

/// Errors of programs over ground stores that are none before a logic program runs: goals that nothing defines,
/// values of
/// other types, functions that are not known.
const LATER: [&str; 7] = ["C0302", "C0308", "C0310", "C0311", "C0404", "C0405", "C0406"];

/// Errors of single clauses, and of directives that name a file: what is left is a program without them.
const UNREAD: [&str; 12] = [
    "C0101", "C0102", "C0103", "C0104", "C0105", "C0106", "C0107", "C0108", "C0114", "C0316", "C0318",
    "C0319",
];

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
