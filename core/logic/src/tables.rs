//! Tables of answers (`:- table`): which calls have one, and when they are complete.
//!
//! A call that has no complete table is evaluated. Calls of it within its own evaluation read the answers that are
//! there, and those that come while they read. A call that depends on one that was begun before it is incomplete as
//! long as that one is; the first of such a group evaluates its clauses again until every reader in the group has come
//! to the end behind the last answer.

use std::rc::Rc;

use gchr_base::hash::HashMap;

/// A term as words, depth first: variants are equal.
pub(crate) type Words = Rc<[u64]>;

/// A call with its answers.
#[derive(Clone, Debug)]
struct Table {
    call: Words,
    /// In the order in which they were found; none where another one took the place.
    answers: Vec<Option<Words>>,
    /// Which of them is known by a key: the answer itself, or the arguments that have no mode.
    keys: HashMap<Words, usize>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Complete,
    Incomplete(Progress),
}

/// How far the evaluation of a call is.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Where it is among the incomplete ones.
    place: usize,
    /// The first of them that it depends on.
    lowest: usize,
    /// The pass in which its clauses were last evaluated, and the one in which that was begun.
    pass: u64,
    outer: u64,
    /// Whether they are being evaluated.
    active: bool,
    /// The fewest answers behind which a reader came to the end in this pass.
    read: usize,
}

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// It has all answers.
    Complete,
    /// It reads the answers that there are.
    Read,
    /// It evaluates its clauses first.
    Evaluate,
}

/// All tables of a program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tables {
    all: Vec<Table>,
    by_call: HashMap<Words, u32>,
    /// Those that are not complete, in the order in which they were begun.
    incomplete: Vec<u32>,
    /// Those whose clauses are being evaluated, the innermost last.
    active: Vec<u32>,
    /// The pass that is going on, and the last one that was begun: a group within another one has its own.
    pass: u64,
    last_pass: u64,
}

impl Tables {
    /// The table of a call, and what the call does.
    pub fn call(&mut self, call: Words) -> (u32, Turn) {
        let id = match self.by_call.get(&call) {
            Some(&id) => id,
            None => self.begin(call),
        };
        let State::Incomplete(progress) = self.all[id as usize].state else { return (id, Turn::Complete) };
        if !progress.active && progress.pass != self.pass {
            return (id, Turn::Evaluate);
        }
        self.depend(progress.lowest);
        (id, Turn::Read)
    }

    fn begin(&mut self, call: Words) -> u32 {
        let id = self.all.len() as u32;
        let place = self.incomplete.len();
        // No pass has the number before the first one.
        let (pass, outer) = (u64::MAX, self.pass);
        let progress = Progress { place, lowest: place, pass, outer, active: false, read: usize::MAX };
        let state = State::Incomplete(progress);
        self.all.push(Table { call: Rc::clone(&call), answers: Vec::new(), keys: HashMap::default(), state });
        self.by_call.insert(call, id);
        self.incomplete.push(id);
        id
    }

    fn progress(&mut self, id: u32) -> Option<&mut Progress> {
        match &mut self.all[id as usize].state {
            State::Incomplete(progress) => Some(progress),
            State::Complete => None,
        }
    }

    /// The innermost evaluation depends on an incomplete table.
    fn depend(&mut self, place: usize) {
        if let Some(&id) = self.active.last()
            && let Some(progress) = self.progress(id)
        {
            progress.lowest = progress.lowest.min(place);
        }
    }

    /// The clauses of a call are evaluated now.
    pub fn enter(&mut self, id: u32) {
        let pass = self.pass;
        if let Some(progress) = self.progress(id) {
            (progress.active, progress.pass, progress.outer) = (true, pass, pass);
            self.active.push(id);
        }
    }

    /// The clauses of a call have been evaluated: whether that was for the last time, for now or for ever.
    pub fn leave(&mut self, id: u32) -> bool {
        let Some(&mut Progress { place, lowest, .. }) = self.progress(id) else { return true };
        if lowest < place {
            self.end(id);
            self.depend(lowest);
            return true;
        }
        let group: Vec<u32> = self.incomplete[place..].to_vec();
        let is_behind = |&id: &u32| match self.all[id as usize].state {
            State::Incomplete(progress) => progress.read < self.all[id as usize].answers.len(),
            State::Complete => false,
        };
        if group.iter().any(is_behind) {
            self.last_pass += 1;
            self.pass = self.last_pass;
            let pass = self.pass;
            group.iter().filter_map(|&id| self.progress(id).map(|p| p.read = usize::MAX)).for_each(drop);
            if let Some(progress) = self.progress(id) {
                progress.pass = pass;
            }
            return false;
        }
        self.end(id);
        self.incomplete.truncate(place);
        for id in group {
            let table = &mut self.all[id as usize];
            table.state = State::Complete;
            table.keys = HashMap::default();
            table.answers.retain(Option::is_some);
        }
        true
    }

    fn end(&mut self, id: u32) {
        self.active.pop();
        if let Some(progress) = self.progress(id) {
            (progress.active, progress.pass) = (false, progress.outer);
            self.pass = progress.outer;
        }
    }

    /// The evaluation of a call was ended by an error: it is forgotten, with all that were begun in it.
    pub fn abandon(&mut self, id: u32) {
        let Some(&mut Progress { place, outer, .. }) = self.progress(id) else { return };
        self.pass = outer;
        for id in self.incomplete.split_off(place) {
            self.forget(id);
        }
        if let Some(at) = self.active.iter().position(|&active| active == id) {
            self.active.truncate(at);
        }
    }

    fn forget(&mut self, id: u32) {
        let table = &mut self.all[id as usize];
        self.by_call.remove(&table.call);
        (table.answers, table.keys, table.state) = (Vec::new(), HashMap::default(), State::Complete);
    }

    /// Forgets what an evaluation that was stopped has left.
    pub fn abandon_incomplete(&mut self) {
        if let Some(&first) = self.incomplete.first() {
            self.abandon(first);
        }
    }

    /// Forgets all complete tables.
    pub fn abolish(&mut self) {
        if self.incomplete.is_empty() {
            *self = Self::default();
            return;
        }
        for id in 0..self.all.len() as u32 {
            if matches!(self.all[id as usize].state, State::Complete) {
                self.forget(id);
            }
        }
    }

    /// All answers of a table that is complete.
    pub fn answers(&self, id: u32) -> Option<impl Iterator<Item = &Words>> {
        let table = &self.all[id as usize];
        matches!(table.state, State::Complete).then(|| table.answers.iter().flatten())
    }

    /// The first answer at a place or behind it, with the place behind that; where there is none, the reader has come
    /// to the end.
    pub fn read(&mut self, id: u32, from: usize) -> Option<(Words, usize)> {
        let answers = &self.all[id as usize].answers;
        let found = (from..answers.len()).find_map(|at| Some((answers[at].clone()?, at + 1)));
        let end = answers.len();
        if let (None, Some(progress)) = (&found, self.progress(id)) {
            progress.read = progress.read.min(end);
        }
        found
    }

    /// The answer that has a key.
    pub fn find(&self, id: u32, key: &[u64]) -> Option<&Words> {
        let table = &self.all[id as usize];
        table.answers[*table.keys.get(key)?].as_ref()
    }

    /// Adds an answer, in the place of one that has the same key. An answer that is its own key is added once.
    pub fn add(&mut self, id: u32, key: Words, answer: Option<Words>) {
        let table = &mut self.all[id as usize];
        let place = table.answers.len();
        let known = table.keys.get(&key).copied();
        match (known, &answer) {
            (Some(_), None) => return,
            (Some(before), Some(_)) => table.answers[before] = None,
            (None, _) => {}
        }
        table.answers.push(Some(answer.unwrap_or_else(|| Rc::clone(&key))));
        table.keys.insert(key, place);
    }
}
