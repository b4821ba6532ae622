//! Figure 8: the rules of data, which work on one thread each; IT of figure 7 and TL run them for all active ones.

use super::{Rule, State};
use crate::fault::{Fault, Undefined};
use crate::memory::segments;
use crate::program::*;
use gchr_simulator::divergence::lanes;

impl State<'_> {
    /// IT: an instruction that does not change the flow of control.
    pub(super) fn it(&mut self, instr: Instr) -> Result<Rule, Fault> {
        let rule = self.tl(instr)?;
        self.next();
        Ok(rule)
    }

    /// TL: the rule of the instruction for each active thread. Their order must not matter: shuffles read what was
    /// there before the instruction, stores that contradict each other are undefined. It only shows in the values of
    /// atomic increments: lane order.
    fn tl(&mut self, instr: Instr) -> Result<Rule, Fault> {
        match instr {
            Instr::Load { to, address } => {
                self.each_cell(address, |state, lane, cell| state.ld(lane, to, cell))
            }
            Instr::Increment { to, address } => {
                self.each_cell(address, |state, lane, cell| state.at(lane, to, cell))
            }
            Instr::Store { address, value } => self.stores(address, value),
            Instr::Shuffle { to, from, lane } => self.shuffles(to, from, lane),
            Instr::Binary { op, to, a, b } => self.each(|state, lane| state.bp(lane, op, to, a, b)),
            Instr::Copy { to, from: Operand::Const(value) } => {
                self.each(|state, lane| Ok(state.ct(lane, to, value)))
            }
            Instr::Copy { to, from } => self.each(|state, lane| state.assign(lane, to, from)),
            _ => Err(Fault::NoInstruction),
        }
    }

    fn each(&mut self, mut rule: impl FnMut(&mut Self, usize) -> Result<Rule, Fault>) -> Result<Rule, Fault> {
        let mut applied = Rule::Ct;
        for lane in lanes(self.warp.active) {
            applied = rule(self, lane)?;
        }
        Ok(applied)
    }

    /// The rule for each lane and its cell. Increments are counted one a lane, other accesses by segments.
    fn each_cell(
        &mut self,
        address: Operand,
        mut rule: impl FnMut(&mut Self, usize, usize) -> Result<Rule, Fault>,
    ) -> Result<Rule, Fault> {
        let cells = self.addresses(address)?;
        let mut applied = Rule::Ld;
        for (lane, &cell) in lanes(self.warp.active).zip(&cells) {
            applied = rule(self, lane, cell)?;
        }
        match applied {
            Rule::At => self.counters.atomics += cells.len() as u64,
            Rule::St => self.counters.store_transactions += segments(&cells, self.segment),
            _ => self.counters.load_transactions += segments(&cells, self.segment),
        }
        Ok(applied)
    }

    /// The cell that each active lane names.
    fn addresses(&self, address: Operand) -> Result<Vec<usize>, Fault> {
        let cell = |lane| {
            let address = self.operand(address, lane)?;
            self.memory.cell(address).ok_or(Fault::Address {
                address,
                cells: self.memory.cells().len(),
                thread: self.warp.thread(lane),
            })
        };
        lanes(self.warp.active).map(cell).collect()
    }

    /// CT.
    fn ct(&mut self, lane: usize, to: Variable, value: i64) -> Rule {
        self.warp.set(to, lane, Some(value));
        Rule::Ct
    }

    /// AS.
    fn assign(&mut self, lane: usize, to: Variable, from: Operand) -> Result<Rule, Fault> {
        let value = self.operand(from, lane)?;
        self.warp.set(to, lane, Some(value));
        Ok(Rule::As)
    }

    /// LD.
    fn ld(&mut self, lane: usize, to: Variable, cell: usize) -> Result<Rule, Fault> {
        let value = match self.memory.load(cell, self.index) {
            Ok(()) => Some(self.mm(cell, lane)?),
            Err(_) => {
                self.unordered(cell, lane);
                None
            }
        };
        self.warp.set(to, lane, value);
        Ok(Rule::Ld)
    }

    /// AT.
    fn at(&mut self, lane: usize, to: Variable, cell: usize) -> Result<Rule, Fault> {
        let value = match self.memory.increment(cell, self.index) {
            Ok(()) => {
                let old = self.mm(cell, lane)?;
                Some(self.arithmetic(BinaryOp::Add, old, 1, lane)?)
            }
            Err(_) => {
                self.unordered(cell, lane);
                None
            }
        };
        self.memory.set(cell, value);
        self.warp.set(to, lane, value);
        Ok(Rule::At)
    }

    /// BP.
    fn bp(&mut self, lane: usize, op: BinaryOp, to: Variable, a: Operand, b: Operand) -> Result<Rule, Fault> {
        let (a, b) = (self.operand(a, lane)?, self.operand(b, lane)?);
        let value = self.arithmetic(op, a, b, lane)?;
        self.warp.set(to, lane, Some(value));
        Ok(Rule::Bp)
    }

    fn arithmetic(&self, op: BinaryOp, a: i64, b: i64, lane: usize) -> Result<i64, Fault> {
        let thread = self.warp.thread(lane);
        op.apply(a, b).map_err(|cause| Fault::Arithmetic { op, operands: [a, b], cause, thread })
    }

    /// ST for all lanes; a cell to which two of them store different values is undefined afterwards.
    fn stores(&mut self, address: Operand, value: Operand) -> Result<Rule, Fault> {
        let cells = self.addresses(address)?;
        let active: Vec<usize> = lanes(self.warp.active).collect();
        let values: Vec<i64> =
            active.iter().map(|&lane| self.operand(value, lane)).collect::<Result<_, _>>()?;
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|&i| cells[i]);
        for same_cell in order.chunk_by(|&i, &j| cells[i] == cells[j]) {
            let first = same_cell[0];
            self.st(active[first], cells[first], values[first]);
            if let Some(&other) = same_cell.iter().find(|&&i| values[i] != values[first]) {
                let threads = [first, other].map(|i| self.warp.thread(active[i]));
                let values = [values[first], values[other]];
                self.undefined(Undefined::Stores { address: cells[first] as i64, threads, values });
                self.memory.set(cells[first], None);
            }
        }
        self.counters.store_transactions += segments(&cells, self.segment);
        Ok(Rule::St)
    }

    /// ST.
    fn st(&mut self, lane: usize, cell: usize, value: i64) {
        let ordered = self.memory.store(cell, Some(value), self.index).is_ok();
        if !ordered {
            self.unordered(cell, lane);
        }
        self.memory.set(cell, Some(value).filter(|_| ordered));
    }

    /// SV and SI for all lanes, on what was there before.
    fn shuffles(&mut self, to: Variable, from: Variable, source: Operand) -> Result<Rule, Fault> {
        let mask = self.warp.mask();
        let mut applied = Rule::Sv;
        let mut values = Vec::with_capacity(self.warp.lanes());
        for lane in lanes(self.warp.active) {
            let source = self.operand(source, lane)?;
            match usize::try_from(source) {
                Ok(other) if other < 64 && mask >> other & 1 == 1 => values.push(Some(self.sv(from, other)?)),
                _ => {
                    self.undefined(Undefined::Shuffle { source, mask, thread: self.warp.thread(lane) });
                    values.push(self.si());
                    applied = Rule::Si;
                }
            }
        }
        for (lane, value) in lanes(self.warp.active).zip(values) {
            self.warp.set(to, lane, value);
        }
        Ok(applied)
    }

    /// SV: the other lane's value.
    fn sv(&self, from: Variable, other: usize) -> Result<i64, Fault> {
        self.mv(from, other)
    }

    /// SI: an undefined value.
    fn si(&self) -> Value {
        None
    }

    /// MM: the value of a cell.
    fn mm(&self, cell: usize, lane: usize) -> Result<i64, Fault> {
        let thread = self.warp.thread(lane);
        self.memory.value(cell).ok_or(Fault::Cell { address: cell as i64, thread })
    }

    /// MT: the number of the thread.
    fn mt(&self, lane: usize) -> i64 {
        i64::from(self.warp.thread(lane))
    }

    /// MV: the value of a variable.
    fn mv(&self, variable: Variable, lane: usize) -> Result<i64, Fault> {
        self.warp.get(variable, lane).ok_or_else(|| Fault::Variable {
            name: self.program.variables.get(variable).cloned().unwrap_or_default(),
            thread: self.warp.thread(lane),
        })
    }

    /// The value of an operand in a lane.
    pub(super) fn operand(&self, operand: Operand, lane: usize) -> Result<i64, Fault> {
        Ok(match operand {
            Operand::Const(value) => value,
            Operand::Variable(variable) => self.mv(variable, lane)?,
            Operand::Thread => self.mt(lane),
            Operand::Lane => lane as i64,
            Operand::WarpSize => self.warp.lanes() as i64,
            Operand::Threads => i64::from(self.threads),
        })
    }

    fn unordered(&mut self, cell: usize, lane: usize) {
        let thread = self.warp.thread(lane);
        self.undefined(Undefined::Warps { address: cell as i64, thread });
    }
}
