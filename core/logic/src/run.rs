//! Runs of programs: queries, their answers, and why a run stopped.

use std::sync::Arc;

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::logic::{Goal, LogicNode, LogicProgram, LogicTermId, Reader, Terms, VarId};
use gchr_base::source::Span;
use gchr_base::stop::StopReason;

use crate::cell::{Cell, Tag};
use crate::machine::{Done, Machine, Outcome, Throw};
use crate::names::atom;
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
}

impl Default for Options {
    fn default() -> Self {
        Self { answers: Answers::First(1), seed: 1 }
    }
}

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
    /// Waiting goals, then constraints.
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
    /// What was in the store then: an answer without bindings; `None` where nothing ran.
    pub left: Option<Box<Answer>>,
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
    /// The plan could not be made.
    Program(Vec<Diagnostic>),
}

/// What keeps a program from being run.
pub fn check(program: &LogicProgram) -> Result<(), Vec<Diagnostic>> {
    crate::load::load(program).map(drop)
}

/// Runs the initialization goals and the queries of a program, and hands out the answers of the last query.
pub fn run(
    program: &LogicProgram,
    reader: &dyn Reader,
    options: &Options,
    control: &mut Control<'_>,
    errors: Option<Box<dyn std::io::Write>>,
    answer: &mut dyn FnMut(Answer) -> Result<(), StopReason>,
) -> Result<Run, Box<Stopped>> {
    let loaded = match crate::load::load(program) {
        Ok(loaded) => loaded,
        Err(found) => {
            let progress = Progress { steps: 0, bytes: 0, live: 0 };
            return Err(Box::new(Stopped {
                reason: Reason::Program(found),
                places: Vec::new(),
                progress,
                firings: 0,
                left: None,
            }));
        }
    };
    let mut machine = Machine::new(loaded.db, loaded.constraints, control, reader);
    machine.random = options.seed;
    machine.output.errors = errors;
    let run = machine.run_program(program, options, answer);
    let progress = machine.progress();
    let firings = machine.constraints.firings;
    match run {
        Ok(more) => Ok(Run { progress, firings, more, halted: None }),
        Err((Throw::Halt(code), _)) => Ok(Run { progress, firings, more: false, halted: Some(code) }),
        Err((throw, place)) => {
            let goal = Goal { goal: LogicTermId(0), variables: Vec::new(), span: place };
            let left = Some(Box::new(machine.answer(&goal, &[])));
            let (reason, mut places) = match throw {
                Throw::Stop(reason) => (Reason::Stop(*reason), Vec::new()),
                Throw::Ball(ball) => {
                    let term = machine.heap.restore(&ball);
                    let message = machine.error_text(term);
                    let term = machine.written(term, Style::QUOTED);
                    (Reason::Thrown { term, message }, std::mem::take(&mut machine.backtrace))
                }
                Throw::Halt(_) => (Reason::Stop(StopReason::Failed), Vec::new()),
            };
            places.push(place);
            places.dedup();
            Err(Box::new(Stopped { reason, places, progress, firings, left }))
        }
    }
}

impl Machine<'_, '_> {
    /// Whether there are more answers.
    fn run_program(
        &mut self,
        program: &LogicProgram,
        options: &Options,
        answer: &mut dyn FnMut(Answer) -> Result<(), StopReason>,
    ) -> Result<bool, (Throw, Span)> {
        for goal in &program.initialization {
            self.first(program, goal).map_err(|throw| (throw, goal.span))?;
        }
        let Some((last, others)) = program.queries.split_last() else { return Ok(false) };
        for goal in others {
            self.first(program, goal).map_err(|throw| (throw, goal.span))?;
        }
        self.answers(program, last, options.answers, answer).map_err(|throw| (throw, last.span))
    }

    fn goal(&mut self, program: &LogicProgram, goal: &Goal) -> (Cell, Vec<Option<Cell>>) {
        let mut variables = vec![None; goal.variables.len()];
        let (heap, names) = (&mut self.heap, &mut self.db.names);
        let known = &mut HashMap::default();
        let cell = crate::load::build(heap, names, &program.terms, goal.goal, &mut variables, known);
        (cell, variables)
    }

    /// Runs a goal for its effects: it must hold.
    fn first(&mut self, program: &LogicProgram, goal: &Goal) -> Done<()> {
        let (cell, _) = self.goal(program, goal);
        match self.solve(cell)? {
            Outcome::Holds => {
                let level = 0;
                self.cut(level);
                Ok(())
            }
            Outcome::Fails => Err(Throw::Stop(Box::new(StopReason::Failed))),
        }
    }

    fn answers(
        &mut self,
        program: &LogicProgram,
        goal: &Goal,
        wanted: Answers,
        answer: &mut dyn FnMut(Answer) -> Result<(), StopReason>,
    ) -> Done<bool> {
        let (cell, variables) = self.goal(program, goal);
        let mut found = 0;
        let mut outcome = self.solve(cell)?;
        while outcome == Outcome::Holds {
            found += 1;
            let one = self.answer(goal, &variables);
            answer(one).map_err(|reason| Throw::Stop(Box::new(reason)))?;
            let more = !self.choices.is_empty();
            if !more || wanted == Answers::First(found) {
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
    fn answer(&mut self, goal: &Goal, variables: &[Option<Cell>]) -> Answer {
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
        let store = self.stored();
        let waiting = self.waiting(&groups, &store);
        let shown =
            groups.iter().map(|(_, cell)| *cell).chain(waiting.iter().copied()).chain(store.iter().copied());
        let shown: Vec<Cell> = shown.collect();
        let mut number = 0;
        let taken: HashSet<String> = named.iter().map(|(name, _)| name.to_string()).collect();
        for &term in &shown {
            for variable in self.heap.variables(term) {
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
        let style = Style { spaced: true, max: 699, names: Some(&names), ..Style::QUOTED };
        let mut text = AnswerText::default();
        let mut export = Export::default();
        let mut bindings = Vec::new();
        for (group, cell) in &groups {
            let shown = self.written(*cell, style);
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
        let goals = Style { max: 999, ..style };
        text.goals = waiting.iter().chain(&store).map(|&term| self.written(term, goals)).collect();
        let plain = Style { quoted: false, ..goals };
        text.rows = store.iter().map(|&term| self.row(term, plain)).collect();
        let waiting = waiting.into_iter().map(|term| export.term(self, term)).collect();
        let store = store.into_iter().map(|term| export.term(self, term)).collect();
        let Export { terms, variables, .. } = export;
        let names = variables.iter().map(|v| names.get(v).map_or("_", String::as_str).into()).collect();
        Answer { terms, names, bindings, waiting, store, text }
    }

    /// Name and arguments of a constraint.
    fn row(&self, term: Cell, style: Style<'_>) -> Vec<String> {
        let (start, n) = self.heap.args(term);
        let name = self.heap.functor(term).map(|(name, _)| self.db.names.text(name).to_string());
        let args = self.heap.cells[start..start + n].iter().map(|&arg| self.written(arg, style));
        name.into_iter().chain(args).collect()
    }

    /// Variables by what they are, in the order of the query.
    fn groups(&self, named: &[(Arc<str>, Cell)]) -> Vec<(Vec<Arc<str>>, Cell)> {
        let mut groups: Vec<(Vec<Arc<str>>, Cell)> = Vec::new();
        for (name, cell) in named {
            let same = |other: Cell| match cell.is_compound() {
                true => other.is_compound() && self.heap.identical(other, *cell),
                false => self.heap.identical(other, *cell),
            };
            match groups.iter_mut().find(|(_, other)| same(*other)) {
                Some((names, _)) => names.push(name.clone()),
                None => groups.push((vec![name.clone()], *cell)),
            }
        }
        groups
    }

    /// Goals that the variables of an answer wait for.
    fn waiting(&mut self, groups: &[(Vec<Arc<str>>, Cell)], store: &[Cell]) -> Vec<Cell> {
        let mut goals = Vec::new();
        let mut seen = HashSet::default();
        let terms: Vec<Cell> = groups.iter().map(|(_, cell)| *cell).chain(store.iter().copied()).collect();
        for term in terms {
            for variable in self.heap.variables(term) {
                if variable.tag() == Tag::Att && seen.insert(variable) {
                    self.attribute_goals(variable, &mut goals);
                }
            }
        }
        goals
    }

    fn attribute_goals(&mut self, variable: Cell, goals: &mut Vec<Cell>) {
        let mut rest = self.heap.deref(self.heap.cells[variable.place() + 1]);
        while rest.is_compound() {
            let (module, value) = (self.heap.arg(rest, 0), self.heap.arg(rest, 1));
            let module_name = self.db.names.text(module.as_atom()).to_string();
            match &*module_name {
                "$chr" => {}
                "freeze" => {
                    let mut pending = vec![value];
                    let and = self.db.names.intern("$and");
                    while let Some(goal) = pending.pop() {
                        match self.heap.binary(goal, and) {
                            Some((a, b)) => pending.extend([b, a]),
                            None => goals.push(self.heap.compound(module.as_atom(), &[variable, goal])),
                        }
                    }
                }
                "dif" | "when" => {
                    for goal in self.heap.list_items(value).0 {
                        let done = module_name == "when" && self.heap.arg(goal, 2) == Cell::atom(atom::true_);
                        let shown = match &*module_name {
                            "dif" => goal,
                            _ => {
                                let args = [self.heap.arg(goal, 0), self.heap.arg(goal, 1)];
                                self.heap.compound(module.as_atom(), &args)
                            }
                        };
                        if !done && !goals.iter().any(|&known| self.heap.identical(known, shown)) {
                            goals.push(shown);
                        }
                    }
                }
                _ => {
                    let name = self.db.names.intern("put_attr");
                    goals.push(self.heap.compound(name, &[variable, module, value]));
                }
            }
            rest = self.heap.arg(rest, 2);
        }
    }

    /// What an error means, in words.
    pub fn error_text(&self, term: Cell) -> String {
        let term = self.heap.deref(term);
        let Some((formal, _)) = self.heap.binary(term, atom::error) else {
            return format!("uncaught: {}", self.written(term, Style::QUOTED));
        };
        let shown = |cell| self.written(cell, Style::QUOTED);
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
            ("existence_error", 2) => format!("{} `{}` does not exist", arg(0), arg(1)),
            ("permission_error", 3) => format!("no permission to {} {} `{}`", arg(0), arg(1), arg(2)),
            ("evaluation_error", 1) => format!("arithmetic: evaluation error: {}", arg(0)),
            ("syntax_error", 1) => format!("syntax error: {}", arg(0)),
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
}

impl Export {
    fn term(&mut self, m: &Machine<'_, '_>, term: Cell) -> LogicTermId {
        enum Task {
            Visit(Cell),
            Build(Cell),
        }
        let span = Span::new(gchr_base::source::SourceId(0), 0, 0);
        let (mut tasks, mut done) = (vec![Task::Visit(term)], Vec::new());
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(cell) => {
                    let cell = m.heap.deref(cell);
                    if cell.is_compound() {
                        tasks.push(Task::Build(cell));
                        let (start, n) = m.heap.args(cell);
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
                    done.push(self.terms.push(LogicNode::Compound { name, args }, span));
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
