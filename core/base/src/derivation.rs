//! What the constraints of a run were derived from: recorded while it goes on, read when it is over.
//!
//! A run whose control [records derivations](crate::control::Control::derive) tells of each constraint that gets an id,
//! with its [`Cause`], and of each rule instance that fires. Ids are given one after the other from 0 on, so they are
//! places in a list. Arguments are kept as words of sort `Any` on a heap of the record's own: collections of the run's
//! heap, and columns whose values become more general between two runs of a session, do not change them.

use crate::memory::{self, Shortage};
use crate::rule::RuleId;
use crate::signature::{ConstraintId, Signature, SortKind, TextId};
use crate::stop::StopReason;
use crate::value::heap::{HeapFull, Import, ImportError};
use crate::value::{Heap, Terms, tag};

/// Why a constraint was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is a row of facts.
    Fact {
        /// Which of the facts of the run, from 0.
        batch: u32,
        /// Its row, from 0.
        row: u64,
    },
    /// It is a goal.
    Goal {
        /// Which query of the run, from 0.
        query: u32,
        /// Which of the goals of the query that add constraints, from 0.
        number: u64,
    },
    /// The body of this rule instance added it.
    Instance(u64),
}

impl Cause {
    /// The cause of what the same facts or goals add next.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Cause::Fact { batch, row } => Cause::Fact { batch, row: row + 1 },
            Cause::Goal { query, number } => Cause::Goal { query, number: number + 1 },
            Cause::Instance(_) => self,
        }
    }
}

/// A constraint of the record.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// Its symbol.
    pub symbol: ConstraintId,
    /// Why it was added.
    pub cause: Cause,
    /// Its arguments: words of sort `Any` on the [heap of the record](Derivations::heap).
    pub args: &'a [u64],
}

/// A rule instance of the record.
#[derive(Clone, Copy, Debug)]
pub struct Fired<'a> {
    /// Its rule.
    pub rule: RuleId,
    /// The round of its run in which it fired, from 1; 0 under the refined semantics, and before the first round.
    pub round: u32,
    /// The id of the constraint at each head.
    pub heads: &'a [u64],
}

/// Entry of a constraint: its arguments end here.
#[derive(Clone, Copy)]
struct Entry {
    cause: Cause,
    symbol: ConstraintId,
    end: u64,
}

/// Entry of an instance: its heads end here.
#[derive(Clone, Copy)]
struct Instance {
    rule: RuleId,
    round: u32,
    end: u64,
}

/// The derivations of the constraints of one run, or of all runs of a session.
#[derive(Default)]
pub struct Derivations {
    heap: Heap,
    made: Vec<Entry>,
    words: Vec<u64>,
    fired: Vec<Instance>,
    heads: Vec<u64>,
    /// The first id of each run.
    runs: Vec<u64>,
    /// Why nothing more is recorded.
    stopped: Option<StopReason>,
}

/// How much a record had.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    made: usize,
    fired: usize,
    runs: usize,
}

impl Derivations {
    /// An empty record.
    pub fn new() -> Self {
        Self { heap: Heap::new(), ..Self::default() }
    }

    // What runs tell.

    /// A run begins that goes on with what the ones before it left.
    pub fn begin_run(&mut self) {
        self.runs.push(self.made.len() as u64);
    }

    /// A constraint gets an id. `args` are words of columns of these kinds, and `from` the heap that they refer to.
    pub fn made(
        &mut self,
        id: u64,
        symbol: ConstraintId,
        cause: Cause,
        args: impl Iterator<Item = (SortKind, u64)>,
        from: &Heap,
    ) {
        if self.stopped.is_some() {
            return;
        }
        if id != self.made.len() as u64 {
            let what = format!("constraint {id} was recorded where {} comes next", self.made.len());
            self.stopped = Some(StopReason::Internal { what });
            return;
        }
        let start = self.words.len();
        let kept = self.keep_args(args, from).and_then(|()| {
            let end = self.words.len() as u64;
            memory::reserve(&mut self.made, 1).map_err(Full::Memory)?;
            self.made.push(Entry { cause, symbol, end });
            Ok(())
        });
        if let Err(full) = kept {
            self.words.truncate(start);
            self.stopped = Some(full.reason());
        }
    }

    fn keep_args(&mut self, args: impl Iterator<Item = (SortKind, u64)>, from: &Heap) -> Result<(), Full> {
        for (kind, word) in args {
            let word = self.word(kind, word, from)?;
            memory::reserve(&mut self.words, 1).map_err(Full::Memory)?;
            self.words.push(word);
        }
        Ok(())
    }

    fn word(&mut self, kind: SortKind, word: u64, from: &Heap) -> Result<u64, Full> {
        let text = TextId(word as u32);
        Ok(match kind {
            SortKind::Int => self.heap.int(word.cast_signed())?,
            SortKind::Float => self.heap.float(f64::from_bits(word))?,
            SortKind::Atom => Heap::atom(text),
            SortKind::Str => Heap::str(text),
            SortKind::Any | SortKind::Data if !tag::is_cell(word) => word,
            SortKind::Any | SortKind::Data => Import::new(from.cells()).word(&mut self.heap, word)?,
        })
    }

    /// A rule fires, in a round, with these constraints at its heads: the number of the instance.
    pub fn fired(&mut self, rule: RuleId, round: u64, heads: impl Iterator<Item = u64>) -> u64 {
        let number = self.fired.len() as u64;
        if self.stopped.is_some() {
            return number;
        }
        let start = self.heads.len();
        let mut room = memory::reserve(&mut self.fired, 1);
        for id in heads {
            room = room.and_then(|()| memory::reserve(&mut self.heads, 1));
            if room.is_err() {
                break;
            }
            self.heads.push(id);
        }
        match room {
            Ok(()) => self.fired.push(Instance {
                rule,
                round: u32::try_from(round).unwrap_or(u32::MAX),
                end: self.heads.len() as u64,
            }),
            Err(shortage) => {
                self.heads.truncate(start);
                self.stopped = Some(Full::Memory(shortage).reason());
            }
        }
        number
    }

    /// Why nothing more is recorded, if so: the run must stop.
    pub fn stopped(&self) -> Option<&StopReason> {
        self.stopped.as_ref()
    }

    /// Bytes that the record takes.
    pub fn bytes(&self) -> u64 {
        let entries =
            self.made.capacity() * size_of::<Entry>() + self.fired.capacity() * size_of::<Instance>();
        let words = (self.words.capacity() + self.heads.capacity() + self.runs.capacity()) * 8;
        (entries + words) as u64 + self.heap.bytes()
    }

    /// How much there is, to be [returned to](Self::return_to).
    pub fn mark(&self) -> Mark {
        Mark { made: self.made.len(), fired: self.fired.len(), runs: self.runs.len() }
    }

    /// Forgets what was recorded since.
    pub fn return_to(&mut self, mark: Mark) {
        self.made.truncate(mark.made);
        self.fired.truncate(mark.fired);
        self.runs.truncate(mark.runs);
        self.words.truncate(self.made.last().map_or(0, |entry| entry.end as usize));
        self.heads.truncate(self.fired.last().map_or(0, |entry| entry.end as usize));
        self.stopped = None;
    }

    // What readers ask.

    /// How many constraints there are: their ids are below.
    pub fn constraints(&self) -> u64 {
        self.made.len() as u64
    }

    /// How many instances there are: their numbers are below.
    pub fn instances(&self) -> u64 {
        self.fired.len() as u64
    }

    /// The constraint of an id.
    pub fn constraint(&self, id: u64) -> Option<Made<'_>> {
        let at = usize::try_from(id).ok()?;
        let entry = self.made.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.made[before].end as usize);
        let args = &self.words[start..entry.end as usize];
        Some(Made { symbol: entry.symbol, cause: entry.cause, args })
    }

    /// The instance of a number.
    pub fn instance(&self, number: u64) -> Option<Fired<'_>> {
        let at = usize::try_from(number).ok()?;
        let entry = self.fired.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.fired[before].end as usize);
        Some(Fired { rule: entry.rule, round: entry.round, heads: &self.heads[start..entry.end as usize] })
    }

    /// The run in which a constraint was added, from 0.
    pub fn run_of(&self, id: u64) -> usize {
        self.runs.partition_point(|&first| first <= id).saturating_sub(1)
    }

    /// What arguments are read with.
    pub fn terms<'a>(&'a self, signature: &'a Signature) -> Terms<'a> {
        Terms { signature, heap: &self.heap }
    }

    /// The heap of the arguments.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// The same, to compute further values on.
    pub fn heap_mut(&mut self) -> &mut Heap {
        &mut self.heap
    }
}

impl std::fmt::Debug for Derivations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "derivations of {} constraints by {} instances", self.made.len(), self.fired.len())
    }
}

/// Why an entry was not kept.
enum Full {
    Memory(Shortage),
    Heap(HeapFull),
    /// A word of the run points nowhere.
    Broken,
}

impl Full {
    fn reason(self) -> StopReason {
        match self {
            Full::Memory(shortage) => shortage.of("the record of derivations"),
            Full::Heap(HeapFull::Memory(shortage)) => shortage.of("the record of derivations"),
            Full::Heap(full) => full.reason(),
            Full::Broken => StopReason::Internal { what: "a recorded term points nowhere".into() },
        }
    }
}

impl From<HeapFull> for Full {
    fn from(full: HeapFull) -> Self {
        Full::Heap(full)
    }
}

impl From<ImportError> for Full {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Full(full) => Full::Heap(full),
            ImportError::Broken => Full::Broken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(record: &mut Derivations, id: u64, n: i64) {
        let args = [(SortKind::Int, n as u64)];
        record.made(
            id,
            ConstraintId(0),
            Cause::Goal { query: 0, number: id },
            args.into_iter(),
            &Heap::new(),
        );
    }

    #[test]
    fn what_was_told_is_read_and_taken_back() {
        let mut record = Derivations::new();
        record.begin_run();
        goal(&mut record, 0, 7);
        let mark = record.mark();
        record.begin_run();
        goal(&mut record, 1, i64::MAX);
        let number = record.fired(RuleId(3), 1, [0, 1].into_iter());
        let mut heap = Heap::new();
        let half = heap.float(0.5).unwrap();
        let args = [(SortKind::Any, half), (SortKind::Float, 0.5_f64.to_bits())];
        record.made(2, ConstraintId(1), Cause::Instance(number), args.into_iter(), &heap);
        let made = record.constraint(2).unwrap();
        assert_eq!((made.symbol, made.cause), (ConstraintId(1), Cause::Instance(0)));
        assert_eq!(made.args[0], made.args[1], "equal values are the same word");
        assert_eq!(record.instance(0).map(|i| (i.rule, i.heads.to_vec())), Some((RuleId(3), vec![0, 1])));
        assert_eq!([0, 1, 2].map(|id| record.run_of(id)), [0, 1, 1]);
        record.return_to(mark);
        assert_eq!((record.constraints(), record.instances()), (1, 0));
        assert!(record.constraint(1).is_none() && record.instance(0).is_none());
        goal(&mut record, 1, 8);
        let word = record.constraint(1).unwrap().args[0];
        assert_eq!(record.heap().as_int(word), Some(8));
    }

    #[test]
    fn an_id_out_of_order_ends_the_record() {
        let mut record = Derivations::new();
        goal(&mut record, 1, 0);
        assert!(matches!(record.stopped(), Some(StopReason::Internal { .. })));
        goal(&mut record, 0, 0);
        assert_eq!(record.constraints(), 0);
    }
}
