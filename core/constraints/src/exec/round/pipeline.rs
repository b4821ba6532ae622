//! How the instances of an occurrence are found and fired many at a time: its instructions as steps over vectors, which
//! have an element for each instance.
//!
//! Steps up to the first join are made for each of some constraints, those behind a join for each of the rows that it
//! finds. Registers are vectors. Each step that drops elements, or that makes several of one, says which of them are
//! read later.

use crate::exec::code::{Code, Ins, Level, OccurrenceCode, Pc, Reg};
use gchr_base::ids::Id;
use gchr_base::signature::{Signature, SortKind, TypeKind};

/// The steps of an occurrence.
pub(crate) struct Pipeline {
    pub(crate) steps: Box<[PipelineStep]>,
    /// Registers: those of the activation, and two more.
    pub(crate) registers: usize,
    /// The register of the rows of the constraints that look for partners.
    pub(crate) active: Reg,
    /// That of their ids.
    pub(crate) ids: Reg,
    /// Number of constraints that a body adds.
    pub(crate) calls: usize,
}

/// One step.
pub(crate) struct PipelineStep {
    pub(crate) what: What,
    /// Registers of elements that are left, or of those that others come from, which are read later.
    pub(crate) keep: Box<[Reg]>,
}

/// What a step does.
pub(crate) enum What {
    /// Reads a column of rows.
    Load { dst: Reg, row: Reg, table: usize, column: usize },
    /// Sets a register.
    Compute(Ins),
    /// Goes on where an instruction holds.
    Test(Ins),
    /// Stops the round unless values are natural numbers.
    Natural(Reg),
    /// Goes on with each row of a level.
    Join(usize),
    /// An instance is found.
    Fire,
    /// Adds a constraint.
    Add { table: usize, args: Box<[Reg]> },
}

impl Pipeline {
    /// The steps of an occurrence of a symbol with so many columns, if all its instructions can be steps.
    pub(crate) fn new(
        signature: &Signature,
        code: &Code,
        (table, columns): (usize, usize),
        registers: usize,
        occurrence: &OccurrenceCode,
    ) -> Option<Self> {
        if !occurrence.older_partners || !occurrence.entry_prunes.is_empty() || occurrence.removes_active {
            return None;
        }
        let active = registers as Reg;
        let mut steps = Steps { signature, code, list: Vec::new() };
        for column in 0..columns {
            steps.list.push(What::Load { dst: column as Reg, row: active, table, column });
        }
        steps.sequence(occurrence.entry)?;
        for (k, level) in occurrence.levels.iter().enumerate() {
            // What prunes is asked again in the end.
            if !level.prunes.is_empty() && k + 1 < occurrence.levels.len() {
                return None;
            }
            steps.sequence(level.key)?;
            steps.list.push(What::Join(k));
            let loads = level.loads.iter().map(|&(dst, column)| What::Load {
                dst,
                row: level.row,
                table: level.table,
                column: column as usize,
            });
            steps.list.extend(loads);
            steps.sequence(level.check)?;
        }
        steps.sequence(occurrence.commit)?;
        steps.list.push(What::Fire);
        let calls = steps.body(occurrence.body)?;
        let registers = registers + 2;
        let ids = active + 1;
        let steps = with_lives(code, steps.list, &occurrence.levels, (active, ids));
        Some(Self { steps, registers, active, ids, calls })
    }
}

struct Steps<'a> {
    signature: &'a Signature,
    code: &'a Code,
    list: Vec<What>,
}

impl Steps<'_> {
    /// The instructions at a place, up to the end.
    fn sequence(&mut self, pc: Option<Pc>) -> Option<()> {
        for ins in pc.map_or(&[][..], |pc| &self.code.ins[pc as usize..]) {
            match *ins {
                Ins::End => break,
                Ins::Same { .. }
                | Ins::Differ { .. }
                | Ins::SameConst { .. }
                | Ins::SameColumn { .. }
                | Ins::Less { .. }
                | Ins::LessEq { .. }
                | Ins::LessConst { .. }
                | Ins::GreaterConst { .. }
                | Ins::DifferConst { .. }
                | Ins::Holds { .. } => self.list.push(What::Test(*ins)),
                Ins::KeyAdd { .. } => {
                    self.list.push(What::Test(*ins));
                    self.list.push(What::Compute(*ins));
                }
                _ => self.list.push(self.compute(*ins)?),
            }
        }
        Some(())
    }

    fn compute(&self, ins: Ins) -> Option<What> {
        match ins {
            Ins::Load { dst, row, table, column } => {
                Some(What::Load { dst, row, table: table as usize, column: column as usize })
            }
            Ins::Const { .. }
            | Ins::Move { .. }
            | Ins::Add { .. }
            | Ins::Sub { .. }
            | Ins::AddConst { .. }
            | Ins::Int { .. }
            | Ins::Float { .. }
            | Ins::IntTest { .. }
            | Ins::Not { .. } => Some(What::Compute(ins)),
            _ => None,
        }
    }

    /// The goals of a body. Gives the number of constraints that it adds.
    fn body(&mut self, pc: Option<Pc>) -> Option<usize> {
        let mut calls = 0;
        let Some(pc) = pc else { return Some(0) };
        for (at, ins) in self.code.ins[pc as usize..].iter().enumerate() {
            let step = match *ins {
                Ins::End => return Some(calls),
                Ins::Call { call } | Ins::CallLast { call } => {
                    let call = &self.code.calls[call as usize];
                    calls += 1;
                    What::Add { table: call.constraint.index(), args: call.args.clone() }
                }
                Ins::Check { src, ty, .. } => {
                    let is_int = self.code.sites[pc as usize + at].kinds[0] == SortKind::Int;
                    let is_natural = self.signature.column_types.types[ty].kind == TypeKind::Natural;
                    match (is_int, is_natural) {
                        (true, true) => What::Natural(src),
                        (true, false) => continue,
                        _ => return None,
                    }
                }
                other => self.compute(other)?,
            };
            self.list.push(step);
        }
        None
    }
}

/// The steps without loads that nobody reads, each with the registers that are read later.
fn with_lives(
    code: &Code,
    list: Vec<What>,
    levels: &[Level],
    (active, ids): (Reg, Reg),
) -> Box<[PipelineStep]> {
    let mut live: Vec<Reg> = Vec::new();
    let mut steps = Vec::with_capacity(list.len());
    for what in list.into_iter().rev() {
        let sets = match &what {
            What::Load { dst, .. } => Some(*dst),
            What::Compute(ins) => ins.sets(),
            What::Join(level) => Some(levels[*level].row),
            What::Test(_) | What::Natural(_) | What::Fire | What::Add { .. } => None,
        };
        let is_read = sets.is_some_and(|set| live.contains(&set));
        let only_copies =
            matches!(what, What::Load { .. } | What::Compute(Ins::Const { .. } | Ins::Move { .. }));
        if only_copies && !is_read {
            continue;
        }
        live.retain(|&reg| Some(reg) != sets);
        let keep: Box<[Reg]> = live.as_slice().into();
        let reads = match &what {
            What::Load { row, .. } => vec![*row],
            What::Compute(ins) | What::Test(ins) => ins.reads(code),
            What::Natural(src) => vec![*src],
            What::Join(k) => {
                let level = &levels[*k];
                let active = if *k == 0 { vec![active, ids] } else { vec![ids] };
                [level.access.registers(), level.distinct.to_vec(), active].concat()
            }
            What::Fire => Vec::new(),
            What::Add { args, .. } => args.to_vec(),
        };
        live.extend(reads);
        live.sort_unstable();
        live.dedup();
        steps.push(PipelineStep { what, keep });
    }
    steps.reverse();
    steps.into()
}
