//! Finds and fires the instances of an occurrence many at a time, by the steps of its pipeline.

use super::Halt;
use super::fire::Firing;
use super::frames::{MOST, VectorFrame, Vectors, Work, select};
use super::place::{ArgumentColumns, FiringPlace};
use crate::exec::added::{Added, Stretch};
use crate::exec::code::{Level, Reg};
use crate::exec::index::{Cursor, ListHeads};
use crate::exec::round::pipeline::{Pipeline, What};

impl<'a, P: FiringPlace> Firing<'_, 'a, P> {
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
        frames.resize_with(frames.len().max(depth + 1), VectorFrame::default);
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
                    let columns = ArgumentColumns::new(args.iter().map(|&reg| frame.get(reg)));
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

/// Sets values to what numbers constraints: within a run they follow each other.
fn fill(mut values: &mut [u64], fresh: Stretch<'_>, first: impl Fn(Added) -> u64) {
    for run in fresh.runs() {
        let (own, behind) = values.split_at_mut(run.count as usize);
        (first(run.first)..).zip(own).for_each(|(number, value)| *value = number);
        values = behind;
    }
}
