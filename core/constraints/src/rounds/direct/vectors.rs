//! Finds and fires the instances of an occurrence many at a time, by the steps of its pipeline.
//!
//! **Invariant:** registers of a frame have room for [`MOST`] elements; those behind [`Frame::len`] are meaningless.

use super::Halt;
use super::fire::Firing;
use super::place::{Columns, Place};
use crate::exec::code::{Access, Ins, Level, OccurrenceCode, Reg};
use crate::exec::index::{Cursor, ListHeads, NONE};
use crate::exec::round::added::{Added, Stretch};
use crate::exec::round::pipeline::{Pipeline, What};
use crate::exec::table::Table;
use gchr_base::op::ArithmeticError;

/// Elements of a vector: as many as stay in the nearest cache, with those of the other registers at work.
pub(super) const MOST: usize = if cfg!(test) { 8 } else { 1 << 10 };

/// The vectors of a thread, used again: those of the constraints that look for partners, then those of each level.
#[derive(Default)]
pub(crate) struct Vectors {
    frames: Vec<Frame>,
    /// Elements that are left.
    chosen: Vec<u32>,
}

/// The registers of one level.
#[derive(Default)]
struct Frame {
    len: usize,
    regs: Vec<Vec<u64>>,
    /// For each element the one of the level before that it comes from; at first its place among the constraints.
    from: Vec<u32>,
    /// The first rows of the lists of partners.
    heads: Vec<u32>,
    /// Those of lists that are not empty.
    lists: ListHeads,
    /// Rows of one list, the oldest last, and its place.
    list: Vec<u32>,
    place: u32,
    spare: Vec<u64>,
}

impl Frame {
    fn get(&self, reg: Reg) -> &[u64] {
        &self.regs[reg as usize][..self.len]
    }

    /// Sets a register by what others hold.
    fn put(&mut self, dst: Reg, f: impl FnOnce(&Self, &mut [u64])) {
        let mut values = std::mem::take(&mut self.spare);
        values.resize(MOST, 0);
        f(self, &mut values[..self.len]);
        self.spare = std::mem::replace(&mut self.regs[dst as usize], values);
    }

    /// Sets a register to what a function makes of two others, which says whether it has no result.
    fn try_put(
        &mut self,
        dst: Reg,
        (a, b): (Reg, Reg),
        f: impl Fn(u64, u64) -> (u64, bool),
    ) -> Result<(), Halt> {
        let mut fails = false;
        self.put(dst, |frame, values| {
            for (value, (&a, &b)) in values.iter_mut().zip(frame.get(a).iter().zip(frame.get(b))) {
                let (word, is_none) = f(a, b);
                *value = word;
                fails |= is_none;
            }
        });
        if fails { Err(Halt::General) } else { Ok(()) }
    }

    /// Keeps some elements, with these of their registers.
    fn keep(&mut self, chosen: &[u32], regs: &[Reg]) {
        if chosen.len() == self.len {
            return;
        }
        for &reg in regs {
            let values = &mut self.regs[reg as usize];
            (0..).zip(chosen).for_each(|(to, &at): (usize, _)| values[to] = values[at as usize]);
        }
        (0..).zip(chosen).for_each(|(to, &at): (usize, _)| self.from[to] = self.from[at as usize]);
        self.len = chosen.len();
    }

    /// Executes an instruction that sets a register.
    fn compute(&mut self, ins: Ins) -> Result<(), Halt> {
        let whole = |result: Result<i64, ArithmeticError>| match result {
            Ok(n) => (n.cast_unsigned(), false),
            Err(_) => (0, true),
        };
        let sum = |(n, overflows): (i64, bool)| (n.cast_unsigned(), overflows);
        match ins {
            Ins::Const { dst, word } => self.put(dst, |_, values| values.fill(word)),
            Ins::Move { dst, src } => self.put(dst, |frame, values| values.copy_from_slice(frame.get(src))),
            Ins::Add { dst, a, b } => {
                self.try_put(dst, (a, b), |a, b| sum(a.cast_signed().overflowing_add(b.cast_signed())))?;
            }
            Ins::Sub { dst, a, b } => {
                self.try_put(dst, (a, b), |a, b| sum(a.cast_signed().overflowing_sub(b.cast_signed())))?;
            }
            Ins::AddConst { dst, a, n } => {
                self.try_put(dst, (a, a), |a, _| sum(a.cast_signed().overflowing_add(i64::from(n))))?;
            }
            Ins::KeyAdd { dst, a, n } => {
                self.try_put(dst, (a, a), |a, _| (a.wrapping_add_signed(i64::from(n)), false))?;
            }
            Ins::Int { dst, a, b, op } => {
                self.try_put(dst, (a, b), |a, b| whole(op.int(a.cast_signed(), b.cast_signed())))?;
            }
            Ins::Float { dst, a, b, op } => {
                self.try_put(dst, (a, b), |a, b| match op.float(f64::from_bits(a), f64::from_bits(b)) {
                    Ok(x) => (x.to_bits(), false),
                    Err(_) => (0, true),
                })?;
            }
            Ins::IntTest { dst, a, b, op } => {
                let truth = |a: u64, b: u64| op.holds(a.cast_signed().cmp(&b.cast_signed()));
                self.try_put(dst, (a, b), |a, b| (u64::from(truth(a, b)), false))?;
            }
            Ins::Not { dst, a } => self.try_put(dst, (a, a), |a, _| (u64::from(a == 0), false))?,
            _ => return Err(Halt::General),
        }
        Ok(())
    }

    /// The elements for which an instruction holds.
    fn test(&self, tables: &[Table], ins: Ins, chosen: &mut Vec<u32>) -> Result<(), Halt> {
        let word = |reg: Reg| self.get(reg);
        let int = |reg: Reg, at: usize| self.regs[reg as usize][at].cast_signed();
        macro_rules! pairs {
            ($a:expr, $b:expr, $holds:expr) => {{
                let (a, b) = (word($a), word($b));
                select(chosen, a.len(), |at| $holds(a[at].cast_signed(), b[at].cast_signed()))
            }};
        }
        match ins {
            Ins::Same { a, b } => pairs!(a, b, |a: i64, b: i64| a == b),
            Ins::Differ { a, b } => pairs!(a, b, |a: i64, b: i64| a != b),
            Ins::Less { a, b } => pairs!(a, b, |a: i64, b: i64| a < b),
            Ins::LessEq { a, b } => pairs!(a, b, |a: i64, b: i64| a <= b),
            Ins::SameConst { a, word } => select(chosen, self.len, |at| int(a, at) == word.cast_signed()),
            Ins::LessConst { a, n } => select(chosen, self.len, |at| int(a, at) < n),
            Ins::GreaterConst { a, n } => select(chosen, self.len, |at| int(a, at) > n),
            Ins::DifferConst { a, n } => select(chosen, self.len, |at| int(a, at) != n),
            Ins::Holds { a } => select(chosen, self.len, |at| int(a, at) != 0),
            Ins::KeyAdd { a, n, .. } => {
                select(chosen, self.len, |at| int(a, at).checked_add(i64::from(n)).is_some());
            }
            Ins::SameColumn { src, row, table, column } => {
                let column = &tables[table as usize].columns[usize::from(column)];
                let (rows, words) = (word(row), word(src));
                select(chosen, self.len, |at| column.get(rows[at] as u32) == words[at]);
            }
            _ => return Err(Halt::General),
        }
        Ok(())
    }

    /// The first row of the list of each element's partners at a level.
    fn find_heads(&mut self, tables: &[Table], level: &Level) {
        let table = &tables[level.table];
        let index = &table.indexes[level.index];
        let mut heads = std::mem::take(&mut self.heads);
        heads.clear();
        match &level.access {
            Access::All => heads.resize(self.len, index.first()),
            Access::One(a) => index.heads(&table.columns, &[self.get(*a)], self.len, &mut heads),
            Access::Two(a, b) => {
                index.heads(&table.columns, &[self.get(*a), self.get(*b)], self.len, &mut heads);
            }
            Access::Many(regs) => {
                let key: Vec<&[u64]> = regs.iter().map(|&reg| self.get(reg)).collect();
                index.heads(&table.columns, &key, self.len, &mut heads);
            }
        }
        self.heads = heads;
    }

    /// Puts the rows behind a place of the lists into a register, as many as there is room for, each list from its end
    /// on. Gives their number.
    fn reversed(
        &mut self,
        (lists, cursor): (&ListHeads, &mut Cursor),
        next: impl Fn(u32) -> u32,
        reg: Reg,
    ) -> usize {
        let rows = &mut self.regs[reg as usize];
        let mut count = 0;
        while count < MOST {
            if let Some(row) = self.list.pop() {
                (rows[count], self.from[count]) = (u64::from(row), self.place);
                count += 1;
                continue;
            }
            let Some((place, mut row)) = cursor.list(lists) else { break };
            self.place = place;
            while row != NONE {
                self.list.push(row);
                row = next(row);
            }
        }
        count
    }
}

/// The elements for which something holds.
#[inline]
fn select(chosen: &mut Vec<u32>, len: usize, holds: impl Fn(usize) -> bool) {
    chosen.resize(len, 0);
    let mut count = 0;
    for at in 0..len {
        chosen[count] = at as u32;
        count += usize::from(holds(at));
    }
    chosen.truncate(count);
}

/// Sets values to what numbers constraints: within a run they follow each other.
fn fill(mut values: &mut [u64], fresh: Stretch<'_>, first: impl Fn(Added) -> u64) {
    for run in fresh.runs() {
        let (own, behind) = values.split_at_mut(run.count as usize);
        (first(run.first)..).zip(own).for_each(|(number, value)| *value = number);
        values = behind;
    }
}

/// An occurrence at work.
#[derive(Clone, Copy)]
pub(super) struct Work<'w, 'a> {
    pub(super) pipeline: &'w Pipeline,
    pub(super) occurrence: &'a OccurrenceCode,
    /// Whether the rows of a list must come oldest first.
    pub(super) oldest_first: bool,
    /// No constraint that looks for partners is older.
    least: u64,
}

impl<'w, 'a> Work<'w, 'a> {
    pub(super) fn new(pipeline: &'w Pipeline, occurrence: &'a OccurrenceCode, oldest_first: bool) -> Self {
        Self { pipeline, occurrence, oldest_first, least: 0 }
    }
}

impl<'a, P: Place> Firing<'_, 'a, P> {
    /// Fires the instances of an occurrence of which one of these constraints is the newest: of one table, [`MOST`] at
    /// most; `position` is that of the first one among those of the round.
    pub(super) fn fire_vectors(
        &mut self,
        mut work: Work<'_, 'a>,
        position: usize,
        fresh: Stretch<'_>,
    ) -> Result<(), Halt> {
        self.tick(fresh.len())?;
        let Pipeline { registers, active, ids, .. } = *work.pipeline;
        let depth = work.occurrence.levels.len();
        let frames = &mut self.vectors.frames;
        frames.resize_with(frames.len().max(depth + 1), Frame::default);
        for frame in &mut frames[..=depth] {
            frame.regs.resize_with(frame.regs.len().max(registers), Vec::new);
            frame.from.resize(MOST, 0);
            frame.list.clear();
        }
        let frame = &mut frames[0];
        frame.len = fresh.len();
        (0..).zip(&mut frame.from[..fresh.len()]).for_each(|(at, from)| *from = at);
        frame.put(active, |_, rows| fill(rows, fresh, |first| u64::from(first.row)));
        frame.put(ids, |_, ids| fill(ids, fresh, |first| first.id));
        work.least = fresh.runs().map(|run| run.first.id).min().unwrap_or(0);
        self.position = position;
        self.steps(work, 0, 0)
    }

    /// Goes on with a step.
    fn steps(&mut self, work: Work<'_, 'a>, first: usize, depth: usize) -> Result<(), Halt> {
        for (at, step) in work.pipeline.steps.iter().enumerate().skip(first) {
            let frame = &mut self.vectors.frames[depth];
            match &step.what {
                What::Load { dst, row, table, column } => {
                    let column = &self.place.tables()[*table].columns[*column];
                    frame.put(*dst, |frame, values| column.gather(frame.get(*row), values));
                }
                What::Compute(ins) => frame.compute(*ins)?,
                What::Test(ins) => {
                    frame.test(self.place.tables(), *ins, &mut self.vectors.chosen)?;
                    frame.keep(&self.vectors.chosen, &step.keep);
                }
                What::Natural(src) => {
                    if frame.get(*src).iter().any(|&word| word.cast_signed() < 0) {
                        return Err(Halt::General);
                    }
                }
                What::Join(level) => return self.join(work, (at, *level), depth),
                What::Fire => {
                    let newest = self.newest(depth);
                    let count = self.vectors.frames[depth].len as u64;
                    self.count(work.occurrence.rule, count, newest)?;
                }
                What::Add { table, args } => {
                    let columns = Columns::new(args.iter().map(|&reg| frame.get(reg)));
                    self.place.add(*table, columns.as_slice(), frame.len)?;
                }
            }
            if self.vectors.frames[depth].len == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Position of the constraint that the last element of a frame comes from.
    fn newest(&self, depth: usize) -> usize {
        let frames = &self.vectors.frames;
        let last = frames[depth].len.saturating_sub(1);
        let at = frames[..=depth].iter().rev().fold(last, |at, frame| frame.from[at] as usize);
        self.position + at
    }

    /// Goes on with the partners of a level.
    fn join(&mut self, work: Work<'_, 'a>, (at, k): (usize, usize), depth: usize) -> Result<(), Halt> {
        let level = &work.occurrence.levels[k];
        let tables = self.place.tables();
        let frame = &mut self.vectors.frames[depth];
        frame.find_heads(tables, level);
        let mut heads = std::mem::take(&mut frame.heads);
        if k == 0 && level.table == self.active.table as usize {
            let constraints = frame.get(work.pipeline.active).iter().zip(frame.get(work.pipeline.ids));
            for (head, (&row, &id)) in heads.iter_mut().zip(constraints) {
                let own = Added { row: row as u32, id, ..self.active };
                *head = tables[level.table].behind(level.index, *head, Some(own));
            }
        }
        let mut lists = std::mem::take(&mut frame.lists);
        lists.fill(&heads);
        frame.heads = heads;
        let mut cursor = Cursor::new(&lists);
        loop {
            self.follow(work, (&lists, &mut cursor), level, depth)?;
            let left = &self.vectors.frames[depth + 1];
            let is_done = cursor.is_done(&lists) && left.list.is_empty();
            if left.len > 0 {
                self.carry(&work.pipeline.steps[at].keep, depth);
                self.steps(work, at + 1, depth + 1)?;
            }
            if is_done {
                break;
            }
        }
        self.vectors.frames[depth].lists = lists;
        Ok(())
    }

    /// Makes the rows of some lists, as many as there is room for, the elements of the next frame, as far as they may
    /// be partners.
    fn follow(
        &mut self,
        work: Work<'_, 'a>,
        (lists, cursor): (&ListHeads, &mut Cursor),
        level: &Level,
        depth: usize,
    ) -> Result<(), Halt> {
        let Self { place, vectors: Vectors { frames, chosen }, .. } = self;
        let table = &place.tables()[level.table];
        let index = &table.indexes[level.index];
        let (outer, inner) = frames.split_at_mut(depth + 1);
        let (frame, next) = (&outer[depth], &mut inner[0]);
        next.regs[level.row as usize].resize(MOST, 0);
        let count = if work.oldest_first {
            next.reversed((lists, cursor), |row| index.next(row), level.row)
        } else {
            index.follow(lists, cursor, &mut next.regs[level.row as usize], &mut next.from)
        };
        next.len = count;
        if !level.distinct.is_empty() || !table.all_older(level.index, work.least) {
            let (rows, ids) = (next.get(level.row), frame.get(work.pipeline.ids));
            let others = |at: usize| level.distinct.iter().map(move |&reg| frame.get(reg)[at]);
            select(chosen, count, |at| {
                let from = next.from[at] as usize;
                table.ids.get(rows[at] as u32) < ids[from] && others(from).all(|row| row != rows[at])
            });
            next.keep(chosen, &[level.row]);
        }
        self.tick(count)
    }

    /// Copies registers to the elements that come from theirs.
    fn carry(&mut self, regs: &[Reg], depth: usize) {
        let (outer, inner) = self.vectors.frames.split_at_mut(depth + 1);
        let (frame, next) = (&outer[depth], &mut inner[0]);
        for &reg in regs {
            let values = frame.get(reg);
            next.put(reg, |next, into| {
                into.iter_mut().zip(&next.from).for_each(|(to, &from)| *to = values[from as usize]);
            });
        }
    }
}
