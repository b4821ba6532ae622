//! The search for partners of the active constraint: nested loops over rows, as a loop over levels.

use super::code::{Access, Level, OccurrenceCode, Pc};
use super::index::NONE;
use super::step::{Cells, EvalCtx, Flow, Trap};
use super::table::{DEAD, Table};

/// How a search ended.
pub(crate) enum Searched {
    /// All partners are found; their rows are in the registers of their levels.
    Match,
    /// There are no more.
    Nothing,
    /// Many rows were tried: the run may have to stop. Goes on at this level with this row.
    Pause(usize, u32),
}

/// A search for one occurrence of one active constraint.
pub(crate) struct Search<'a, 's, H> {
    pub(crate) ctx: EvalCtx<'a, H>,
    pub(crate) regs: &'s mut [u64],
    pub(crate) occurrence: &'a OccurrenceCode,
    /// Id of the active constraint.
    pub(crate) active: u64,
    /// Rows to try before a pause.
    pub(crate) until_poll: &'s mut u32,
}

impl<'a, H: Cells> Search<'a, '_, H> {
    /// Whether the active constraint alone fits.
    pub(crate) fn entry(&mut self) -> Result<bool, Trap> {
        let fits = match self.occurrence.entry {
            Some(pc) => self.holds(pc)?,
            None => true,
        };
        Ok(fits && !self.pruned(&self.occurrence.entry_prunes))
    }

    /// Whether the conditions that decide last hold.
    #[inline]
    pub(crate) fn commit(&mut self) -> Result<bool, Trap> {
        match self.occurrence.commit {
            Some(pc) => self.holds(pc),
            None => Ok(true),
        }
    }

    /// Searches on from a row of a level.
    pub(crate) fn find(&mut self, mut k: usize, mut row: u32) -> Result<Searched, Trap> {
        let occurrence = self.occurrence;
        let levels = &occurrence.levels;
        let older = occurrence.older_partners;
        // Dead rows have the greatest id, so one comparison says "alive and older".
        let limit = if older { self.active } else { DEAD };
        let mut until_poll = *self.until_poll;
        let found = loop {
            let level = &levels[k];
            let table = &self.ctx.tables[level.table];
            if row == NONE {
                if k == 0 {
                    break Searched::Nothing;
                }
                k -= 1;
                let outer = &levels[k];
                let on = self.regs[outer.row as usize] as u32;
                row = self.ctx.tables[outer.table].indexes[outer.index].next(on);
                continue;
            }
            if until_poll == 0 {
                break Searched::Pause(k, row);
            }
            until_poll -= 1;
            let id = table.ids.get(row);
            if id < limit && (older || id != self.active) && self.fits(level, table, row)? {
                if k + 1 < levels.len() {
                    k += 1;
                    row = self.first(&levels[k])?;
                    continue;
                }
                if self.commit()? {
                    break Searched::Match;
                }
            }
            row = table.indexes[level.index].next(row);
        };
        *self.until_poll = until_poll;
        Ok(found)
    }

    /// The first row to try at a level.
    #[inline]
    pub(crate) fn first(&mut self, level: &Level) -> Result<u32, Trap> {
        if let Some(pc) = level.key
            && !self.holds(pc)?
        {
            return Ok(NONE);
        }
        let table = &self.ctx.tables[level.table];
        let index = &table.indexes[level.index];
        let reg = |r: u32| self.regs[r as usize];
        Ok(match &level.access {
            Access::All => index.first(),
            Access::One(a) => index.find1(&table.columns, reg(*a)),
            Access::Two(a, b) => index.find2(&table.columns, reg(*a), reg(*b)),
            Access::Many(regs) => {
                let mut few = [0; 16];
                if regs.len() <= few.len() {
                    few.iter_mut().zip(regs).for_each(|(k, &r)| *k = reg(r));
                    index.find(&table.columns, &few[..regs.len()])
                } else {
                    let many: Vec<u64> = regs.iter().map(|&r| reg(r)).collect();
                    index.find(&table.columns, &many)
                }
            }
        })
    }

    #[inline]
    pub(crate) fn fits(&mut self, level: &Level, table: &'a Table, row: u32) -> Result<bool, Trap> {
        self.regs[level.row as usize] = u64::from(row);
        if level.distinct.iter().any(|&r| self.regs[r as usize] == u64::from(row)) {
            return Ok(false);
        }
        for &(dst, column) in &level.loads {
            self.regs[dst as usize] = table.columns[column as usize].get(row);
        }
        if let Some(pc) = level.check
            && !self.holds(pc)?
        {
            return Ok(false);
        }
        Ok(level.prunes.is_empty() || !self.pruned(&level.prunes))
    }

    #[inline]
    fn holds(&mut self, pc: Pc) -> Result<bool, Trap> {
        Ok(matches!(self.ctx.run(self.regs, pc)?, Flow::Done))
    }

    /// Whether a condition is false already; one that raises an error is decided at the end.
    fn pruned(&mut self, prunes: &[Pc]) -> bool {
        prunes.iter().any(|&pc| matches!(self.ctx.run(self.regs, pc), Ok(Flow::Failed(_))))
    }
}
