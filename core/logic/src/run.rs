//! Runs of programs: queries, their answers, and why a run stopped.

use std::sync::Arc;

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::logic::{Goal, LogicNode, LogicProgram, LogicTermId, OccursCheck, Reader, Terms, VarId};
use gchr_base::source::Span;
use gchr_base::stop::StopReason;

use crate::builtins;
use crate::cell::{Atom, Cell, Tag};
use crate::database::Database;
use crate::heap::Heap;
use crate::load::Loaded;
use crate::machine::{Choice, Done, FEWEST, Machine, Outcome, Throw};
use crate::meter::Meter;
use crate::names::atom;
use crate::store::Constraints;
use crate::undo::Global;
use crate::walk::Distinct;
use crate::write::Style;

/// How many answers are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answers {
    /// At most this many.
    First(u64),
    /// All there are.
    All,
}

/// How a program is run.
#[derive(Debug)]
pub struct Options {
    /// Answers of the last query; the others have one.
    pub answers: Answers,
    /// Seed of random numbers.
    pub seed: u64,
    /// Whether the heap is collected before each call, to find mistakes of the collection.
    pub collect_always: bool,
}

/// What a program reads and writes beside its output.
#[derive(Default)]
pub struct Streams {
    /// Where `user_error` goes.
    pub errors: Option<Box<dyn std::io::Write>>,
    /// What `read/1` and the like read.
    pub input: Option<Box<dyn std::io::Read>>,
    /// Whether files that the program opens may be read. What it writes to files is never stored.
    pub files: bool,
}

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Streams").finish_non_exhaustive()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { answers: Answers::First(1), seed: 1, collect_always: false }
    }
}

/// Bytes of the name of a variable, with what the allocator adds.
const NAME: usize = 32;
/// Bytes of a node of a term of an answer, its arguments left out.
const NODE: usize = size_of::<LogicNode>() + size_of::<Span>();

/// An answer: bindings of the query's variables, and the constraints that are left.
#[derive(Clone, Debug)]
pub struct Answer {
    /// All terms of it.
    pub terms: Terms,
    /// Names of its variables, by number.
    pub names: Vec<Arc<str>>,
    /// Variables with what they are; several variables may be the same.
    pub bindings: Vec<(Vec<Arc<str>>, LogicTermId)>,
    /// Goals that variables wait for.
    pub waiting: Vec<LogicTermId>,
    /// Constraints in the store.
    pub store: Vec<LogicTermId>,
    /// The same as text: `X = 1`, `Y = f(_1)`.
    pub text: AnswerText,
}

/// The text of an answer.
#[derive(Clone, Default, Debug)]
pub struct AnswerText {
    /// Bindings.
    pub bindings: Vec<String>,
    /// Constraints, then waiting goals.
    pub goals: Vec<String>,
    /// Constraints as rows: the name, then the arguments without quotes.
    pub rows: Vec<Vec<String>>,
}

/// A run that ended.
#[derive(Debug)]
pub struct Run {
    /// Calls and firings.
    pub progress: Progress,
    /// Firings.
    pub firings: u64,
    /// Whether the last query has more answers than were looked for.
    pub more: bool,
    /// `halt/1` was called with this code.
    pub halted: Option<i32>,
}

/// A run that has no answer.
#[derive(Debug)]
pub struct Stopped {
    /// Why.
    pub reason: Reason,
    /// Where: the goals that were running, innermost first.
    pub places: Vec<Span>,
    /// How far it got.
    pub progress: Progress,
    /// Firings.
    pub firings: u64,
    /// What was in the store then: an answer without bindings; or how many constraints, where their text takes more
    /// than the limits allow.
    pub left: Result<Box<Answer>, usize>,
}

/// Why a run stopped.
#[derive(Debug)]
pub enum Reason {
    /// A limit, a signal, or a goal that failed.
    Stop(StopReason),
    /// A term was thrown and not caught.
    Thrown {
        /// The term.
        term: String,
        /// What it means, where it is an error of Prolog.
        message: String,
    },
}

/// Takes an answer of the last query when it is found; it may write to the program's output.
pub type OnAnswer<'a> = &'a mut dyn FnMut(Answer, &mut dyn std::io::Write) -> Result<(), StopReason>;

/// Runs the initialization goals and the queries of a program, and hands out the answers of the last query.
pub fn run(
    program: &LogicProgram,
    loaded: Loaded,
    reader: &dyn Reader,
    options: &Options,
    control: &mut Control<'_>,
    streams: Streams,
    answer: OnAnswer<'_>,
) -> Result<Run, Box<Stopped>> {
    Resident::of(program, loaded, options, false).run(&[program], reader, options, control, streams, answer)
}

/// A program with what its runs leave: clauses that were asserted, global variables, and the store. Each run goes on
/// with what the ones before it left; one that stops takes back what backtracking takes back.
pub struct Resident {
    db: Database,
    heap: Heap<'static>,
    constraints: Constraints,
    globals: HashMap<Atom, Global>,
    random: u64,
    collect_at: usize,
    /// Whether runs that stop are taken back.
    returns: bool,
    /// Where the runs begin that can be taken back, oldest first.
    beginnings: Vec<Choice>,
    /// An empty database, which is there while a run has the other one.
    empty: Option<Database>,
}

/// Runs that can be taken back. What they changed is kept for that, with all terms that were there before.
const UNDO: usize = 1;

impl Resident {
    /// Compiles a program. Its goals are not run.
    pub fn new(program: &LogicProgram, options: &Options) -> Result<Self, Vec<Diagnostic>> {
        crate::load::load_for_goals(program).map(|loaded| Self::of(program, loaded, options, true))
    }

    fn of(program: &LogicProgram, loaded: Loaded, options: &Options, returns: bool) -> Self {
        let Loaded { db, constraints } = loaded;
        let mut heap = Heap::new();
        heap.occurs_check = program.flags.occurs_check == OccursCheck::True;
        let (globals, random) = (HashMap::default(), options.seed);
        let beginnings = Vec::new();
        Self { db, heap, constraints, globals, random, collect_at: FEWEST, returns, beginnings, empty: None }
    }

    /// Adds the clauses of a further text. Its goals are not run.
    ///
    /// # Errors
    ///
    /// Clauses that are too large; the others are added.
    pub fn consult(&mut self, part: &LogicProgram) -> Result<(), Vec<Diagnostic>> {
        crate::load::consult(part, &mut self.db)
    }

    /// Runs the initialization goals and the queries of `goals`, and hands out the answers of the last query. What the
    /// last answer that was looked for did stays.
    pub fn run(
        &mut self,
        goals: &[&LogicProgram],
        reader: &dyn Reader,
        options: &Options,
        control: &mut Control<'_>,
        streams: Streams,
        answer: OnAnswer<'_>,
    ) -> Result<Run, Box<Stopped>> {
        self.constraints.firings = 0;
        self.with_machine(control, reader, |machine| {
            if options.collect_always {
                machine.collect_always();
            }
            machine.output.errors = streams.errors;
            machine.input.source = streams.input;
            machine.files.readable = streams.files;
            machine.begin();
            let run = machine.run_program(goals, options, answer);
            machine.ended(run)
        })
    }

    /// Takes back the last run, as far as backtracking does; whether there was one that is not taken back. Only the
    /// last run can be.
    pub fn undo(&mut self, reader: &dyn Reader) -> bool {
        let can = !self.beginnings.is_empty();
        if can {
            self.with_machine(&mut Control::default(), reader, |machine| {
                machine.earlier -= 1;
                machine.return_to_start();
            });
        }
        can
    }

    /// The constraints in the store: an answer without bindings; or why they are not told.
    pub fn store(&mut self, reader: &dyn Reader, control: &mut Control<'_>) -> Result<Answer, StopReason> {
        self.with_machine(control, reader, |machine| machine.nothing_bound()).map_err(|throw| match throw {
            Throw::Stop(reason) => *reason,
            Throw::Ball(_) | Throw::Halt(_) | Throw::Rung => StopReason::Failed,
        })
    }

    /// How many constraints of a symbol are in the store.
    pub fn count(&mut self, reader: &dyn Reader, name: &str, arity: usize) -> usize {
        self.with_machine(&mut Control::default(), reader, |machine| {
            // One of each symbol, and how many of it there are.
            let mut symbols: Vec<(usize, u32, usize)> = Vec::new();
            for (symbol, id) in machine.alive() {
                match symbols.last_mut() {
                    Some((same, _, count)) if *same == symbol => *count += 1,
                    _ => symbols.push((symbol, id, 1)),
                }
            }
            let top = machine.heap.top();
            let mut is_one = |id: u32| {
                let term = machine.shown(id);
                let functor = machine.heap.functor(term);
                functor.is_some_and(|(found, n)| n == arity && &**machine.db.names.text(found) == name)
            };
            let found = symbols.iter().filter(|(_, id, _)| is_one(*id));
            let count = found.map(|(_, _, count)| count).sum();
            machine.heap.cells.truncate(top);
            count
        })
    }

    fn with_machine<T>(
        &mut self,
        control: &mut Control<'_>,
        reader: &dyn Reader,
        work: impl FnOnce(&mut Machine<'_, '_>) -> T,
    ) -> T {
        let empty = self.empty.take().unwrap_or_else(Database::new);
        let mut db = std::mem::replace(&mut self.db, empty);
        db.tables.abandon_incomplete();
        let constraints = std::mem::take(&mut self.constraints);
        let mut machine = Machine::new(db, builtins::natives(), constraints, control, reader);
        let meter = std::mem::take(&mut machine.heap.meter);
        machine.heap = Heap { meter, ..std::mem::replace(&mut self.heap, Heap::new()) };
        machine.globals = std::mem::take(&mut self.globals);
        (machine.random, machine.collect_at, machine.returns) = (self.random, self.collect_at, self.returns);
        machine.choices = std::mem::take(&mut self.beginnings);
        machine.earlier = machine.choices.len();
        let done = work(&mut machine);
        if self.returns {
            machine.keep_beginnings(UNDO);
            self.beginnings = std::mem::take(&mut machine.choices);
        }
        (self.random, self.collect_at) = (machine.random, machine.collect_at);
        (self.heap, self.globals) = (machine.heap.released(), machine.globals);
        self.empty = Some(std::mem::replace(&mut self.db, machine.db));
        self.constraints = machine.constraints;
        done
    }
}

impl std::fmt::Debug for Resident {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resident").finish_non_exhaustive()
    }
}

impl Machine<'_, '_> {
    /// What a run came to.
    fn ended(&mut self, run: Result<bool, (Throw, Span)>) -> Result<Run, Box<Stopped>> {
        let progress = self.progress();
        let firings = self.constraints.firings;
        match run {
            Ok(more) => Ok(Run { progress, firings, more, halted: None }),
            Err((Throw::Halt(code), _)) => Ok(Run { progress, firings, more: false, halted: Some(code) }),
            Err((throw, place)) => {
                // What a built-in predicate threw when it had to stop means nothing.
                let throw = self.checked(()).err().unwrap_or(throw);
                let is_interrupted =
                    matches!(&throw, Throw::Stop(reason) if matches!(**reason, StopReason::Interrupted));
                self.heap.meter = Meter::afterwards(self.control, is_interrupted);
                // What is taken back is shown to nobody.
                let left = match self.returns {
                    true => Err(self.alive().count()),
                    false => self.nothing_bound().map(Box::new).map_err(|_| self.alive().count()),
                };
                self.heap.meter = Meter::afterwards(self.control, is_interrupted);
                let (reason, mut places) = match throw {
                    Throw::Stop(reason) => (Reason::Stop(*reason), Vec::new()),
                    Throw::Ball(ball) => {
                        let term = self.restored(&ball);
                        let message = self.error_text(term);
                        let term = self.shortly_written(term);
                        (Reason::Thrown { term, message }, std::mem::take(&mut self.backtrace))
                    }
                    Throw::Halt(_) | Throw::Rung => (Reason::Stop(StopReason::Failed), Vec::new()),
                };
                places.push(place);
                places.dedup();
                if self.returns {
                    self.return_to_start();
                }
                Err(Box::new(Stopped { reason, places, progress, firings, left }))
            }
        }
    }

    /// The store as an answer, which is asked for to be seen.
    fn nothing_bound(&mut self) -> Done<Answer> {
        let span = Span::new(gchr_base::source::SourceId(0), 0, 0);
        let shown = std::mem::replace(&mut self.db.flags.show_store, true);
        let store = self.answer(&Goal { goal: LogicTermId(0), variables: Vec::new(), span }, &[]);
        self.db.flags.show_store = shown;
        store
    }

    /// Whether there are more answers.
    fn run_program(
        &mut self,
        programs: &[&LogicProgram],
        options: &Options,
        answer: OnAnswer<'_>,
    ) -> Result<bool, (Throw, Span)> {
        for program in programs {
            for goal in &program.initialization {
                self.loading(program, goal).map_err(|throw| (throw, goal.span))?;
            }
        }
        let mut queries =
            programs.iter().flat_map(|program| program.queries.iter().map(move |q| (program, q)));
        let Some(mut next) = queries.next() else { return Ok(false) };
        for after in queries {
            let (program, goal) = std::mem::replace(&mut next, after);
            self.first(program, goal).map_err(|throw| (throw, goal.span))?;
        }
        let (program, last) = next;
        self.answers(program, last, options.answers, answer).map_err(|throw| (throw, last.span))
    }

    fn goal(&mut self, program: &LogicProgram, goal: &Goal) -> (Cell, Vec<Option<Cell>>) {
        let mut variables = vec![None; goal.variables.len()];
        let (heap, names) = (&mut self.heap, &mut self.db.names);
        let known = &mut HashMap::default();
        let cell = crate::build::build(heap, names, &program.terms, goal.goal, &mut variables, known);
        (cell, variables)
    }

    /// Runs the goal of a directive. What it binds and adds to the store is taken back, as when a file is loaded; that
    /// it fails or throws is said.
    fn loading(&mut self, program: &LogicProgram, goal: &Goal) -> Done<()> {
        let (cell, _) = self.goal(program, goal);
        let text = self.shortly_written(cell);
        let negated = self.heap.compound(atom::not, &[cell]);
        let tried = self.heap.compound(atom::not, &[negated]);
        let why = match self.solve(tried) {
            Ok(Outcome::Holds) => return Ok(()),
            Ok(Outcome::Fails) => "it does not hold".to_string(),
            Err(Throw::Ball(ball)) => {
                let term = self.restored(&ball);
                self.backtrace.clear();
                self.error_text(term)
            }
            Err(other) => return Err(other),
        };
        if let Some(errors) = &mut self.output.errors {
            let _ = writeln!(errors, "Warning: goal of a directive: {text}: {why}");
        }
        Ok(())
    }

    /// Runs a goal for its effects: it must hold.
    fn first(&mut self, program: &LogicProgram, goal: &Goal) -> Done<()> {
        let (cell, _) = self.goal(program, goal);
        match self.solve(cell)? {
            Outcome::Holds => self.end_goal(),
            Outcome::Fails => Err(Throw::Stop(Box::new(StopReason::Failed))),
        }
    }

    fn answers(
        &mut self,
        program: &LogicProgram,
        goal: &Goal,
        wanted: Answers,
        answer: OnAnswer<'_>,
    ) -> Done<bool> {
        let (cell, mut variables) = self.goal(program, goal);
        let cell = self.with_own_goals(cell, &mut variables);
        self.roots = variables;
        let mut found = 0;
        let mut outcome = self.solve(cell)?;
        while outcome == Outcome::Holds {
            found += 1;
            let variables = self.roots.clone();
            let one = self.answer(goal, &variables)?;
            self.fresh_line()?;
            answer(one, self.control.out()).map_err(|reason| Throw::Stop(Box::new(reason)))?;
            let more = self.choices.len() > self.floor();
            if !more || wanted == Answers::First(found) {
                self.end_goal()?;
                return Ok(more);
            }
            outcome = self.again()?;
        }
        if found == 0 {
            return Err(Throw::Stop(Box::new(StopReason::Failed)));
        }
        Ok(false)
    }

    /// The current bindings of a query's variables, and the store.
    fn answer(&mut self, goal: &Goal, variables: &[Option<Cell>]) -> Done<Answer> {
        let named: Vec<(Arc<str>, Cell)> = goal
            .variables
            .iter()
            .zip(variables)
            .filter_map(|(v, cell)| Some((v.name.clone()?, self.heap.deref((*cell)?))))
            .collect();
        let groups = self.groups(&named);
        let mut names: HashMap<Cell, String> = HashMap::default();
        for (group, cell) in &groups {
            if cell.is_var()
                && let Some(last) = group.last()
            {
                names.insert(*cell, last.to_string());
            }
        }
        let store = if self.db.flags.show_store { self.stored() } else { Vec::new() };
        self.checked(())?;
        let terms: Vec<Cell> = groups.iter().map(|(_, cell)| *cell).chain(store.iter().copied()).collect();
        let own = variables.get(goal.variables.len()).copied().flatten();
        let own = Some(own.unwrap_or(Cell::atom(atom::nil)));
        let waiting = self.waiting(&terms, own);
        let shown =
            groups.iter().map(|(_, cell)| *cell).chain(store.iter().copied()).chain(waiting.iter().copied());
        let shown: Vec<Cell> = shown.collect();
        let loops = if self.heap.may_be_cyclic(&shown) { self.heap.compounds(&shown).1 } else { Vec::new() };
        self.checked(())?;
        for (i, &cell) in loops.iter().enumerate() {
            let group = groups.iter().find(|(_, other)| *other == cell);
            let name = group.and_then(|(names, _)| names.last()).map(|name| name.to_string());
            names.insert(cell, name.unwrap_or_else(|| format!("_S{}", i + 1)));
        }
        let mut number = 0;
        let taken: HashSet<String> = named.iter().map(|(name, _)| name.to_string()).collect();
        for &term in &shown {
            if !self.heap.meter.spend(1) {
                break;
            }
            for variable in self.heap.variables(term) {
                let is_full = names.len() == names.capacity();
                let bytes = if is_full { 2 * names.capacity() * size_of::<(Cell, String)>() } else { NAME };
                if !self.heap.meter.ask(bytes as u64) {
                    break;
                }
                names.entry(variable).or_insert_with(|| {
                    loop {
                        number += 1;
                        let name = format!("_{number}");
                        if !taken.contains(&name) {
                            return name;
                        }
                    }
                });
            }
        }
        let style =
            Style { spaced: true, max: 699, names: Some(&names), loops: !loops.is_empty(), ..Style::QUOTED };
        let mut text = AnswerText::default();
        let mut export = Export { loops: loops.iter().copied().collect(), ..Export::default() };
        let mut bindings = Vec::new();
        for (group, cell) in &groups {
            let shown = self.written_for_output(*cell, style)?;
            let mut parts: Vec<&str> = group.iter().map(|name| &**name).collect();
            if !cell.is_var() {
                parts.push(&shown);
            }
            if parts.len() > 1 {
                let pairs: Vec<String> = parts.windows(2).map(|p| format!("{} = {}", p[0], p[1])).collect();
                text.bindings.extend(pairs);
            }
            bindings.push((group.clone(), export.term(self, *cell)));
        }
        for cell in loops.iter().filter(|cell| groups.iter().all(|(_, other)| other != *cell)) {
            text.bindings.push(format!("{} = {}", names[cell], self.written_for_output(*cell, style)?));
            bindings.push((vec![names[cell].as_str().into()], export.term(self, *cell)));
        }
        let goals = Style { max: 999, ..style };
        let written = store.iter().chain(&waiting).map(|&term| self.written_for_output(term, goals));
        text.goals = written.collect::<Done<_>>()?;
        let plain = Style { quoted: false, ..goals };
        text.rows = store.iter().map(|&term| self.row(term, plain)).collect::<Done<_>>()?;
        let waiting = waiting.into_iter().map(|term| export.term(self, term)).collect();
        let store = store.into_iter().take_while(|_| self.heap.meter.spend(1));
        let store = store.map(|term| export.term(self, term)).collect();
        let Export { terms, variables, .. } = export;
        let names = variables.iter().map(|v| names.get(v).map_or("_", String::as_str).into()).collect();
        self.checked(Answer { terms, names, bindings, waiting, store, text })
    }

    /// Name and arguments of a constraint.
    fn row(&self, term: Cell, style: Style<'_>) -> Done<Vec<String>> {
        let (start, n) = self.heap.args(term);
        let name = self.heap.functor(term).map(|(name, _)| self.db.names.text(name).to_string());
        let args = self.heap.cells[start..start + n].iter().map(|&arg| self.written_for_output(arg, style));
        name.map(Ok).into_iter().chain(args).collect()
    }

    /// Variables by what they are, in the order of the query.
    fn groups(&self, named: &[(Arc<str>, Cell)]) -> Vec<(Vec<Arc<str>>, Cell)> {
        let mut groups: Vec<(Vec<Arc<str>>, Cell)> = Vec::new();
        let mut distinct = Distinct::default();
        for (name, cell) in named {
            let at = distinct.number(&self.heap, *cell, groups.len());
            match groups.get_mut(at) {
                Some((names, _)) => names.push(name.clone()),
                None => groups.push((vec![name.clone()], *cell)),
            }
        }
        groups
    }

    /// What an error means, in words.
    pub fn error_text(&self, term: Cell) -> String {
        let term = self.heap.deref(term);
        let Some((formal, _)) = self.heap.binary(term, atom::error) else {
            return format!("uncaught: {}", self.shortly_written(term));
        };
        let shown = |cell| self.shortly_written(cell);
        let Some((name, n)) = self.heap.functor(formal) else { return shown(term) };
        let arg = |i| shown(self.heap.arg(formal, i));
        match (&**self.db.names.text(name), n) {
            ("instantiation_error", 0) => "arguments are not sufficiently instantiated".into(),
            ("type_error", 2) if arg(0) == "evaluable" => {
                format!("{} is not a function of arithmetic", arg(1))
            }
            ("type_error", 2) => format!("type error: `{}` expected, found `{}`", arg(0), arg(1)),
            ("domain_error", 2) => format!("domain error: `{}` expected, found `{}`", arg(0), arg(1)),
            ("existence_error", 2) if arg(0) == "procedure" => format!("unknown procedure: {}", arg(1)),
            ("existence_error", 2) if arg(0) == "matching_rule" => format!("no rule matches {}", arg(1)),
            ("existence_error", 2) => format!("{} `{}` does not exist", arg(0), arg(1)),
            ("permission_error", 3) => format!("no permission to {} {} `{}`", arg(0), arg(1), arg(2)),
            ("evaluation_error", 1) => format!("arithmetic: evaluation error: {}", arg(0)),
            ("format", 1) => format!("format: {}", arg(0).trim_matches('\'')),
            ("syntax_error", 1) => format!("syntax error: {}", arg(0)),
            ("determinism_error", 4) => {
                let what = if arg(3) == "goal" { "the goal" } else { "the deterministic predicate" };
                let found = if arg(2) == "fail" { "failed" } else { "left choice points" };
                let behind = if arg(3) == "guard" { " behind `$`" } else { "" };
                format!("{what} {} {found}{behind}", arg(0))
            }
            ("representation_error", 1) => format!("cannot represent due to `{}`", arg(0)),
            ("resource_error", 1) => format!("not enough resources: {}", arg(0)),
            _ => format!("unknown error: {}", shown(term)),
        }
    }
}

/// Copies terms from the heap into a table.
#[derive(Default)]
struct Export {
    terms: Terms,
    variables: Vec<Cell>,
    numbers: HashMap<Cell, VarId>,
    /// Compound terms that are there already.
    known: HashMap<Cell, LogicTermId>,
    /// Terms that hold themselves: within them they are variables with their names.
    loops: HashSet<Cell>,
}

impl Export {
    fn term(&mut self, m: &Machine<'_, '_>, term: Cell) -> LogicTermId {
        enum Task {
            Visit(Cell),
            Build(Cell),
        }
        let span = Span::new(gchr_base::source::SourceId(0), 0, 0);
        let (mut tasks, mut done, mut first) = (vec![Task::Visit(term)], Vec::new(), true);
        let root = m.heap.deref(term);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(cell) => {
                    let cell = m.heap.deref(cell);
                    let is_root = std::mem::take(&mut first) && cell == root;
                    if let Some(&known) = self.known.get(&cell) {
                        done.push(known);
                        continue;
                    }
                    let (start, n) = m.heap.args(cell);
                    let meter = &m.heap.meter;
                    if !meter.spend(1 + n) || !meter.room(&mut tasks, 1 + n) || !meter.room(&mut done, 1) {
                        done.push(self.terms.push(LogicNode::Nil, span));
                        continue;
                    }
                    if cell.is_compound() && (is_root || !self.loops.contains(&cell)) {
                        tasks.push(Task::Build(cell));
                        tasks.extend(m.heap.cells[start..start + n].iter().rev().map(|&c| Task::Visit(c)));
                    } else {
                        let node = self.leaf(m, cell);
                        done.push(self.terms.push(node, span));
                    }
                }
                Task::Build(cell) => {
                    let Some((name, n)) = m.heap.functor(cell) else { continue };
                    let args = done.split_off(done.len() - n).into_boxed_slice();
                    let name = m.db.names.text(name).clone();
                    let bytes = NODE + n * size_of::<LogicTermId>();
                    if !m.heap.meter.spend(bytes) || !m.heap.meter.room_in_map(&mut self.known) {
                        done.push(self.terms.push(LogicNode::Nil, span));
                        continue;
                    }
                    let id = self.terms.push(LogicNode::Compound { name, args }, span);
                    if !self.loops.contains(&cell) {
                        self.known.insert(cell, id);
                    }
                    done.push(id);
                }
            }
        }
        done[0]
    }

    fn leaf(&mut self, m: &Machine<'_, '_>, cell: Cell) -> LogicNode {
        match cell.tag() {
            Tag::Int => LogicNode::Int(cell.as_int()),
            Tag::Atom if cell.as_atom() == atom::nil => LogicNode::Nil,
            Tag::Atom => LogicNode::Atom(m.db.names.text(cell.as_atom()).clone()),
            Tag::Box => match m.heap.box_kind(cell) {
                crate::cell::BoxKind::Float => LogicNode::Float(m.heap.float_at(cell)),
                crate::cell::BoxKind::Str => LogicNode::Str(m.heap.string_at(cell).into()),
                crate::cell::BoxKind::Big => LogicNode::Big(Arc::new(m.heap.big_at(cell))),
                crate::cell::BoxKind::Rational => LogicNode::Rational(Arc::new(m.heap.rational_at(cell))),
            },
            _ => {
                let next = VarId(self.variables.len() as u32);
                let number = *self.numbers.entry(cell).or_insert(next);
                if number == next {
                    self.variables.push(cell);
                }
                LogicNode::Var(number)
            }
        }
    }
}
