//! Prints programs in the text form, and memory; both parse back.

use std::fmt;

use super::program::*;

/// Cells on a line of printed memory.
const CELLS_A_LINE: usize = 8;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { threads, warp, segment, memory } = &self.settings;
        for (name, value) in [(".threads", threads), (".warp", warp), (".segment", segment)] {
            if let Some(value) = value {
                writeln!(f, "{name} {value}")?;
            }
        }
        for line in memory_lines(memory) {
            writeln!(f, ".memory {line}")?;
        }
        let mut labels = self.labels.iter().peekable();
        for (pc, &instr) in self.code.iter().enumerate() {
            while let Some(label) = labels.next_if(|label| label.target as usize <= pc) {
                writeln!(f, "{}:", label.name)?;
            }
            writeln!(f, "    {}", self.instr(instr))?;
        }
        Ok(())
    }
}

impl Program {
    /// An instruction as text.
    pub fn instr(&self, instr: Instr) -> impl fmt::Display {
        let at = |target: u32| match self.labels.iter().find(|label| label.target == target) {
            Some(label) => label.name.clone(),
            None => (u64::from(target) + 1).to_string(),
        };
        let name = |variable: Variable| self.variables.get(variable).map_or("?", String::as_str);
        let operand = |operand: Operand| match operand {
            Operand::Const(value) => value.to_string(),
            Operand::Variable(variable) => name(variable).to_string(),
            named => {
                Operand::NAMED.iter().find(|(_, n)| *n == named).map_or("?", |(name, _)| name).to_string()
            }
        };
        match instr {
            Instr::Branch { on_zero: true, value, target } => {
                format!("bz {}, {}", operand(value), at(target))
            }
            Instr::Branch { value, target, .. } => format!("bnz {}, {}", operand(value), at(target)),
            Instr::BranchMask { lane, target } => format!("branch_mask {}, {}", operand(lane), at(target)),
            Instr::Jump { target } => format!("jump {}", at(target)),
            Instr::Load { to, address } => format!("load {}, [{}]", name(to), operand(address)),
            Instr::Store { address, value } => format!("store [{}], {}", operand(address), operand(value)),
            Instr::Increment { to, address } => format!("atomic_inc {}, [{}]", name(to), operand(address)),
            Instr::Binary { op, to, a, b } => {
                format!("{} {}, {}, {}", op.name(), name(to), operand(a), operand(b))
            }
            Instr::Copy { to, from: Operand::Const(value) } => format!("const {}, {value}", name(to)),
            Instr::Copy { to, from } => format!("copy {}, {}", name(to), operand(from)),
            Instr::Shuffle { to, from, lane } if to == from => {
                format!("shfl {}, {}", name(to), operand(lane))
            }
            Instr::Shuffle { to, from, lane } => {
                format!("shfl {}, {}, {}", name(to), name(from), operand(lane))
            }
            Instr::Sync => "sync".into(),
            Instr::Everywhere => "everywhere".into(),
            Instr::EndEverywhere => "end_everywhere".into(),
            Instr::Stop => "stop".into(),
        }
    }
}

/// A value; `_` when it is undefined.
pub(super) struct Shown(pub Value);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => write!(f, "{value}"),
            None => f.write_str("_"),
        }
    }
}

/// Memory in the form of memory files: an address and the values from there on; long runs of equal values are counted.
pub(super) fn memory_lines(memory: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < memory.len() {
        let equal = memory[at..].iter().take_while(|&&value| value == memory[at]).count();
        if equal > CELLS_A_LINE {
            lines.push(format!("{at}: {}*{equal}", Shown(memory[at])));
            at += equal;
            continue;
        }
        let mut line = format!("{at}:");
        for &value in memory[at..].iter().take(CELLS_A_LINE) {
            line += &format!(" {}", Shown(value));
        }
        lines.push(line);
        at += CELLS_A_LINE;
    }
    lines
}
