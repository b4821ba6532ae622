//! Registers whose values are vectors, those of many instances of an occurrence, and instructions on them.
//!
//! **Invariant:** registers of a frame have room for [`MOST`] elements; those behind its length are meaningless.

use super::Halt;
use crate::exec::code::{Access, Ins, Level, OccurrenceCode, Reg};
use crate::exec::index::{Cursor, ListHeads, NONE};
use crate::exec::round::pipeline::Pipeline;
use crate::exec::table::Table;
use gchr_base::op::ArithmeticError;

/// Elements of a vector: as many as stay in the nearest cache, with those of the other registers at work.
pub(super) const MOST: usize = if cfg!(test) { 8 } else { 1 << 10 };

/// The vectors of a thread, used again: those of the constraints that look for partners, then those of each level.
#[derive(Default)]
pub(crate) struct Vectors {
    pub(super) frames: Vec<VectorFrame>,
    /// Elements that are left.
    pub(super) chosen: Vec<u32>,
}

/// The registers of one level.
#[derive(Default)]
pub(super) struct VectorFrame {
    pub(super) len: usize,
    pub(super) regs: Vec<Vec<u64>>,
    /// For each element the one of the level before that it comes from; at first its place among the constraints.
    pub(super) from: Vec<u32>,
    /// The first rows of the lists of partners.
    pub(super) heads: Vec<u32>,
    /// Those of lists that are not empty.
    pub(super) lists: ListHeads,
    /// Rows of one list, the oldest last, and its place.
    pub(super) list: Vec<u32>,
    place: u32,
    spare: Vec<u64>,
}

impl VectorFrame {
    pub(super) fn get(&self, reg: Reg) -> &[u64] {
        &self.regs[reg as usize][..self.len]
    }

    /// Sets a register by what others hold.
    pub(super) fn put(&mut self, dst: Reg, f: impl FnOnce(&Self, &mut [u64])) {
        let mut values = std::mem::take(&mut self.spare);
        values.resize(MOST, 0);
        f(self, &mut values[..self.len]);
        self.spare = std::mem::replace(&mut self.regs[dst as usize], values);
    }

    /// Sets a register to what a function makes of two others, which says whether it has no result.
    pub(super) fn try_put(
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
    pub(super) fn keep(&mut self, chosen: &[u32], regs: &[Reg]) {
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
    pub(super) fn compute(&mut self, ins: Ins) -> Result<(), Halt> {
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
    pub(super) fn test(&self, tables: &[Table], ins: Ins, chosen: &mut Vec<u32>) -> Result<(), Halt> {
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
    pub(super) fn find_heads(&mut self, tables: &[Table], level: &Level) {
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
    pub(super) fn reversed(
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
pub(super) fn select(chosen: &mut Vec<u32>, len: usize, holds: impl Fn(usize) -> bool) {
    chosen.resize(len, 0);
    let mut count = 0;
    for at in 0..len {
        chosen[count] = at as u32;
        count += usize::from(holds(at));
    }
    chosen.truncate(count);
}

/// An occurrence at work.
#[derive(Clone, Copy)]
pub(super) struct Work<'w, 'a> {
    pub(super) pipeline: &'w Pipeline,
    pub(super) occurrence: &'a OccurrenceCode,
    /// Whether the rows of a list must come oldest first.
    pub(super) oldest_first: bool,
    /// No constraint that looks for partners is older.
    pub(super) least: u64,
}

impl<'w, 'a> Work<'w, 'a> {
    pub(super) fn new(pipeline: &'w Pipeline, occurrence: &'a OccurrenceCode, oldest_first: bool) -> Self {
        Self { pipeline, occurrence, oldest_first, least: 0 }
    }
}
