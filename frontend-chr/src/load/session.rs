//! Programs to which goals and facts are added one after the other: the program is read and lowered once.

use gchr_base::diagnostic::{Diagnostic, has_errors};
use gchr_base::facts::Facts;
use gchr_base::ids::IdVec;
use gchr_base::logic::{Evaluator, Goal, LogicProgram, Operators};
use gchr_base::reading::Account;
use gchr_base::rule::{Program, Query, Rule, RuleId, Start, verify};
use gchr_base::signature::{ConstraintId, Signature, SortId, SortKind};
use gchr_base::source::{SourceId, SourceMap};

use super::{Reading, Request, tidy};
use crate::ast::ClauseKind;
use crate::declare::Declarations;
use crate::facts::{self, FactFile};
use crate::flags::Quotes;
use crate::logic::Builder;
use crate::lower::{Lowering, Sorts};
use crate::parser;
use crate::sorts::{Inferred, infer_after};

/// A program that is ready for goals.
#[derive(Debug)]
pub enum Opened {
    /// One over ground stores.
    Ground(Box<GroundSession>),
    /// One for the logic machine.
    Logic(Box<LogicSession>),
}

/// What is added to a program.
#[derive(Debug)]
pub enum Addition {
    /// Texts of goals.
    Goals(Vec<SourceId>),
    /// The queries of the program text.
    OwnQueries,
    /// A file of facts.
    Facts(FactFile),
    /// Facts that are in memory.
    #[cfg(feature = "tables")]
    Table(FactTable),
}

/// A table in memory with facts for one constraint.
#[cfg(feature = "tables")]
#[derive(Debug)]
pub struct FactTable {
    /// `edge`, or `edge/3` where the name alone is ambiguous.
    pub constraint: String,
    /// What it is called in messages.
    pub name: String,
    /// Its rows.
    pub source: gchr_tables::Source,
}

#[cfg(feature = "tables")]
impl FactTable {
    fn load(
        &self,
        signature: &mut Signature,
        declarations: &Declarations,
        account: &Account,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Facts> {
        let named = (self.constraint.as_str(), self.name.as_str(), &self.source);
        facts::load_table(signature, declarations, named, account, diagnostics)
    }
}

/// What adding something gives.
#[derive(Clone, Default, Debug)]
pub struct Added {
    /// Facts of a file, until they wait for a run.
    facts: Option<Facts>,
    /// How many queries came.
    pub queries: usize,
    /// All findings; with an error among them, nothing was added.
    pub diagnostics: Vec<Diagnostic>,
    /// What of it only the logic machine can do; nothing was added then.
    pub beyond: Vec<Diagnostic>,
    /// What was guessed, one line each.
    pub notices: Vec<String>,
    /// Whether columns hold more than before, so that the program needs another plan.
    pub widened: bool,
}

impl Added {
    /// Whether it was added.
    pub fn is_done(&self) -> bool {
        self.beyond.is_empty() && !has_errors(&self.diagnostics)
    }
}

/// Reads a program text; its own queries wait until they are [added](Addition::OwnQueries). With an error among the
/// findings there is no program. `logic`: the logic machine is to run it, whatever it needs; `rounds`: it is to run in
/// rounds or on a device.
pub fn open(
    sources: &mut SourceMap,
    program: SourceId,
    (logic, rounds): (bool, bool),
    account: &Account,
    evaluator: &mut dyn Evaluator,
) -> (Option<Opened>, Vec<Diagnostic>) {
    let request = Request { program, queries: Vec::new(), facts: Vec::new() };
    let mut reading = Reading::new(sources, &request, account, evaluator);
    let rounds = reading.is_for_rounds(rounds);
    if !logic && rounds && !reading.beyond.is_empty() {
        let branched = reading.branched();
        if !branched.has_left() {
            reading = branched;
        }
    }
    if logic || !reading.beyond.is_empty() {
        let (quotes, signature) = (reading.quotes, reading.program.signature.clone());
        let (declarations, operators) = (reading.declarations.clone(), reading.ast.operators.clone());
        let loaded = reading.logic();
        let session = loaded.logic.map(|mut program| {
            let own = std::mem::take(&mut program.queries);
            Opened::Logic(Box::new(LogicSession { program, own, operators, quotes, declarations, signature }))
        });
        return (session, loaded.diagnostics);
    }
    let Reading { ast, quotes, declarations, mut program, sorts, mut diagnostics, whole, .. } = reading;
    let own = match std::mem::replace(&mut program.start, Start::Goals(Vec::new())) {
        Start::Goals(own) => own,
        Start::Term(_) => Vec::new(),
    };
    tidy(&mut diagnostics);
    if !whole || has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let rules = program.rules.clone();
    let mut session = GroundSession {
        operators: ast.operators,
        quotes,
        declarations,
        sorts,
        rules,
        own,
        program,
        known: Inferred::default(),
        pending: (Vec::new(), Vec::new()),
    };
    // What the own queries add is likely to come.
    let own = session.own.clone();
    let (known, found) = session.infer(own, &[]);
    session.known = known;
    diagnostics.extend(found);
    session.program.start = Start::Goals(Vec::new());
    tidy(&mut diagnostics);
    let opened = (!has_errors(&diagnostics)).then(|| Opened::Ground(Box::new(session)));
    (opened, diagnostics)
}

/// A program over ground stores that takes goals and facts.
#[derive(Debug)]
pub struct GroundSession {
    operators: Operators,
    quotes: Quotes,
    declarations: Declarations,
    sorts: Sorts,
    /// As they were lowered, without inferred sorts.
    rules: IdVec<RuleId, Rule>,
    /// The queries of the text.
    own: Vec<Query>,
    program: Program,
    /// What the columns of the store may hold.
    known: Inferred,
    /// Pending input of the next run: queries without inferred sorts, and what they and facts add to the columns.
    pending: (Vec<Query>, Vec<Facts>),
}

impl GroundSession {
    /// The program with the pending goals and facts as its start.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Facts that wait for a run, in the order in which they came.
    pub fn facts(&self) -> &[Facts] {
        &self.pending.1
    }

    /// Whether something waits for a run.
    pub fn is_pending(&self) -> bool {
        !(self.pending.0.is_empty() && self.pending.1.is_empty())
    }

    /// The sort of all values.
    pub fn any(&self) -> SortId {
        self.sorts.any
    }

    /// The signature, for texts and functors that a store brings with it.
    pub fn signature_mut(&mut self) -> &mut Signature {
        &mut self.program.signature
    }

    /// Takes a store for that of this program: what the columns of each constraint hold that is in it. Whether columns
    /// hold more than before; what is wrong with that.
    pub fn take_store(&mut self, kinds: &[(ConstraintId, Vec<SortKind>)]) -> Result<bool, Vec<Diagnostic>> {
        let before = self.known.clone();
        kinds.iter().for_each(|(constraint, kinds)| self.known.add(*constraint, kinds));
        let (known, found) = self.infer(Vec::new(), &[]);
        if found.is_empty() {
            let widened = !known.has_sorts_of(&before);
            self.known = known;
            return Ok(widened);
        }
        self.known = before;
        self.infer(Vec::new(), &[]);
        Err(found)
    }

    /// Forgets pending goals and facts: they have run, or are not wanted.
    pub fn clear_pending(&mut self) {
        self.pending = (Vec::new(), Vec::new());
        self.program.start = Start::Goals(Vec::new());
    }

    /// Adds goals or facts, which wait for a run.
    pub fn add(&mut self, sources: &mut SourceMap, addition: &Addition, account: &Account) -> Added {
        let mut added = Added::default();
        let mut queries = Vec::new();
        let signature = std::mem::replace(&mut self.program.signature, Signature::with_builtin_bool());
        let mut lowering = Lowering::of_program(&self.declarations, signature, self.sorts);
        match addition {
            Addition::Goals(texts) => {
                for &text in texts {
                    let parsed = parser::parse_query(sources, text, &self.operators, self.quotes);
                    added.diagnostics.extend(parsed.diagnostics);
                    for clause in &parsed.ast.clauses {
                        if let ClauseKind::Query(terms) = &clause.kind {
                            queries.push(lowering.query(&parsed.ast, terms, clause.span));
                        }
                    }
                }
            }
            Addition::OwnQueries => queries.extend(self.own.iter().cloned()),
            Addition::Facts(file) => {
                let Added { diagnostics, notices, .. } = &mut added;
                let signature = &mut lowering.signature;
                added.facts =
                    facts::load(sources, signature, &self.declarations, file, account, diagnostics, notices);
            }
            #[cfg(feature = "tables")]
            Addition::Table(table) => {
                let signature = &mut lowering.signature;
                added.facts = table.load(signature, &self.declarations, account, &mut added.diagnostics);
            }
        }
        added.diagnostics.append(&mut lowering.diagnostics);
        added.beyond.append(&mut lowering.beyond);
        self.program.signature = lowering.signature;
        added.queries = queries.len();
        if added.is_done() {
            self.take(queries, &mut added);
        }
        tidy(&mut added.diagnostics);
        added
    }

    /// Takes what was read, unless the inference finds an error.
    fn take(&mut self, queries: Vec<Query>, added: &mut Added) {
        let before = (self.pending.0.len(), self.pending.1.len());
        self.pending.0.extend(queries);
        self.pending.1.extend(added.facts.take());
        let facts = std::mem::take(&mut self.pending.1);
        let (known, found) = self.infer(self.pending.0.clone(), &facts);
        self.pending.1 = facts;
        added.diagnostics.extend(found);
        if added.is_done() {
            added.widened = !known.has_sorts_of(&self.known);
            self.known = known;
            return;
        }
        self.pending.0.truncate(before.0);
        self.pending.1.truncate(before.1);
        let facts = std::mem::take(&mut self.pending.1);
        self.infer(self.pending.0.clone(), &facts);
        self.pending.1 = facts;
    }

    /// Makes the program of the rules and these goals, with sorts for all that may be in the store.
    fn infer(&mut self, queries: Vec<Query>, facts: &[Facts]) -> (Inferred, Vec<Diagnostic>) {
        let signature = std::mem::replace(&mut self.program.signature, Signature::with_builtin_bool());
        let semantics = self.program.semantics;
        let (rules, start) = (self.rules.clone(), Start::Goals(queries));
        self.program = Program { signature, rules, start, semantics };
        let mut found = Vec::new();
        let known =
            infer_after(&mut self.program, self.sorts, &self.declarations, facts, &self.known, &mut found);
        // What a rule cannot match now may be added later.
        found.retain(Diagnostic::is_error);
        if found.is_empty() {
            found.extend(verify(&self.program));
        }
        (known, found)
    }
}

/// A program for the logic machine that takes goals and facts.
#[derive(Debug)]
pub struct LogicSession {
    program: LogicProgram,
    own: Vec<Goal>,
    operators: Operators,
    quotes: Quotes,
    declarations: Declarations,
    signature: Signature,
}

impl LogicSession {
    /// The program without queries.
    pub fn program(&self) -> &LogicProgram {
        &self.program
    }

    /// What is added, as a program of queries alone.
    pub fn goals(
        &mut self,
        sources: &mut SourceMap,
        addition: &Addition,
        account: &Account,
    ) -> (LogicProgram, Added) {
        let mut added = Added::default();
        let mut builder = Builder::of_goals(&self.operators, self.quotes);
        match addition {
            Addition::Goals(texts) => {
                for &text in texts {
                    let parsed = parser::parse_query(sources, text, &self.operators, self.quotes);
                    added.diagnostics.extend(parsed.diagnostics);
                    let queries = |clause: &&crate::ast::Clause| matches!(clause.kind, ClauseKind::Query(_));
                    added.queries += parsed.ast.clauses.iter().filter(queries).count();
                    builder.queries(&parsed.ast);
                }
            }
            Addition::OwnQueries => {
                added.queries = self.own.len();
                let (terms, queries) = (self.program.terms.clone(), self.own.clone());
                return (LogicProgram { terms, queries, ..LogicProgram::default() }, added);
            }
            Addition::Facts(file) => {
                let Added { diagnostics, notices, .. } = &mut added;
                let signature = &mut self.signature;
                let loaded =
                    facts::load(sources, signature, &self.declarations, file, account, diagnostics, notices);
                added.facts = loaded;
                builder.facts(&self.declarations, &self.signature, added.facts.as_slice());
            }
            #[cfg(feature = "tables")]
            Addition::Table(table) => {
                let signature = &mut self.signature;
                added.facts = table.load(signature, &self.declarations, account, &mut added.diagnostics);
                builder.facts(&self.declarations, &self.signature, added.facts.as_slice());
            }
        }
        let (program, found) = builder.finish();
        added.diagnostics.extend(found);
        tidy(&mut added.diagnostics);
        (program, added)
    }
}
