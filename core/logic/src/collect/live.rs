//! Which registers and slots the code from a place on reads before it writes them.

use gchr_base::hash::HashMap;

use crate::code::{FAIL, Instr, Label, Place};
use crate::database::Database;

/// What is read from a place of the code on.
#[derive(Debug)]
pub(super) struct Live {
    pub registers: Vec<u16>,
    pub slots: Vec<u16>,
    /// Whether it runs in an environment of its own clause, which it leaves.
    pub leaves: bool,
}

/// A set of registers and slots.
#[derive(Clone, Default, PartialEq)]
struct Set {
    x: Vec<u64>,
    y: Vec<u64>,
}

fn words(set: &mut Set, place: Place) -> (&mut Vec<u64>, usize) {
    match place {
        Place::X(x) => (&mut set.x, x as usize),
        Place::Y(y) => (&mut set.y, y as usize),
    }
}

impl Set {
    fn insert(&mut self, place: Place) {
        let (words, at) = words(self, place);
        if words.len() <= at / 64 {
            words.resize(at / 64 + 1, 0);
        }
        words[at / 64] |= 1 << (at % 64);
    }
    fn remove(&mut self, place: Place) {
        let (words, at) = words(self, place);
        if let Some(word) = words.get_mut(at / 64) {
            *word &= !(1 << (at % 64));
        }
    }
    fn extend(&mut self, other: &Set) {
        for (mine, others) in [(&mut self.x, &other.x), (&mut self.y, &other.y)] {
            if mine.len() < others.len() {
                mine.resize(others.len(), 0);
            }
            mine.iter_mut().zip(others).for_each(|(mine, other)| *mine |= other);
        }
    }
}

fn members(words: &[u64]) -> Vec<u16> {
    (0..words.len() * 64).filter(|at| words[at / 64] >> (at % 64) & 1 == 1).map(|at| at as u16).collect()
}

/// What the code from a place on reads.
pub(super) fn at(db: &Database, label: Label) -> Live {
    let mut reached = reach(db, label);
    reached.sort_unstable();
    let index: HashMap<Label, usize> = reached.iter().enumerate().map(|(i, &at)| (at, i)).collect();
    let mut sets = vec![Set::default(); reached.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, &at) in reached.iter().enumerate().rev() {
            let instr = db.code[at as usize];
            let mut set = Set::default();
            for next in successors(instr, at).into_iter().flatten() {
                set.extend(&sets[index[&next]]);
            }
            effect(db, instr, &mut set);
            if set != sets[i] {
                sets[i] = set;
                changed = true;
            }
        }
    }
    let set = &sets[index[&label]];
    let leaves = reached.iter().any(|&at| matches!(db.code[at as usize], Instr::Deallocate));
    Live { registers: members(&set.x), slots: members(&set.y), leaves }
}

/// All places that the code of the clause can come to.
fn reach(db: &Database, label: Label) -> Vec<Label> {
    let (mut seen, mut pending) = (gchr_base::hash::HashSet::default(), vec![label]);
    let mut reached = Vec::new();
    while let Some(at) = pending.pop() {
        if seen.insert(at) {
            reached.push(at);
            pending.extend(successors(db.code[at as usize], at).into_iter().flatten());
        }
    }
    reached
}

/// Where the clause goes on behind an instruction.
fn successors(instr: Instr, at: Label) -> [Option<Label>; 2] {
    let label = |label: Label| (label != FAIL).then_some(label);
    match instr {
        Instr::Jump(to) => [label(to), None],
        Instr::Try(to) | Instr::Compare(_, to) | Instr::Test(_, _, to) | Instr::Identical(_, _, _, to) => {
            [Some(at + 1), label(to)]
        }
        Instr::Fail
        | Instr::Proceed
        | Instr::Execute(..)
        | Instr::PopCatch
        | Instr::PopCleanup
        | Instr::Woken
        | Instr::NextGoal
        | Instr::Commit
        | Instr::SoftCommit
        | Instr::NotHeld
        | Instr::Answer
        | Instr::Continue
        | Instr::NextWoken => [None, None],
        _ => [Some(at + 1), None],
    }
}

/// What is live before an instruction, of what is live behind it.
fn effect(db: &Database, instr: Instr, set: &mut Set) {
    use Instr::*;
    let (x, y) = (Place::X, Place::Y);
    let (written, read): (Option<Place>, [Option<Place>; 2]) = match instr {
        Move(to, from) => (Some(x(to)), [Some(x(from)), None]),
        GetY(slot, from) => (Some(y(slot)), [Some(x(from)), None]),
        GetValue(a, b) => (None, [Some(x(a)), Some(x(b))]),
        GetValueY(slot, a) => (None, [Some(y(slot)), Some(x(a))]),
        GetConst(a, _) | GetList(a) | GetStruct(a, _) | GetRecord(a, _) => (None, [Some(x(a)), None]),
        UnifyX(a)
        | Fresh(a)
        | PutConst(a, _)
        | PutList(a)
        | PutStruct(a, _)
        | SetX(a)
        | PutRecord(a, _)
        | Result(a) => (Some(x(a)), [None; 2]),
        UnifyY(slot) | FreshY(slot) | SetY(slot) | Level(slot) | Mark(slot) | ResultY(slot) => {
            (Some(y(slot)), [None; 2])
        }
        UnifyValue(a) | SetValue(a) | NumX(a) | IsX(a) => (None, [Some(x(a)), None]),
        UnifyValueY(slot) | SetValueY(slot) | NumY(slot) | IsY(slot) | CutTo(slot) | SoftCut(slot) => {
            (None, [Some(y(slot)), None])
        }
        PutY(slot, a) => (Some(x(a)), [Some(y(slot)), None]),
        Test(_, place, _) => (None, [Some(place), None]),
        Identical(a, b, _, _) => (None, [Some(a), Some(b)]),
        Call(_, arity) | Execute(_, arity) => {
            set.x.clear();
            (0..arity).for_each(|a| set.insert(x(a)));
            (None, [None; 2])
        }
        Builtin(number) => {
            let pred = db.natives[number as usize];
            (0..db.preds[pred as usize].arity).for_each(|a| set.insert(x(a as u16)));
            (None, [None; 2])
        }
        Deallocate => {
            set.y.clear();
            (None, [None; 2])
        }
        _ => (None, [None; 2]),
    };
    if let Some(place) = written {
        set.remove(place);
    }
    read.into_iter().flatten().for_each(|place| set.insert(place));
}
