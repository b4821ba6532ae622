//! From lines to a program: names of variables, labels and instructions, operands and their number, directives.

use chumsky::span::SimpleSpan;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::source::SourceId;

use super::grammar::{Arg, At, Item, Line, Statement, Written, place};
use crate::program::*;

/// The program that the lines spell.
pub(super) fn program(source: SourceId, lines: &[Line<'_>], diagnostics: &mut Vec<Diagnostic>) -> Program {
    let mut resolver = Resolver {
        source,
        program: Program::default(),
        variables: HashMap::default(),
        labels: HashMap::default(),
        diagnostics,
    };
    resolver.labels(lines);
    for line in lines {
        match &line.statement {
            Some((Statement::Instr { name, args }, span)) => {
                let instr = resolver.instr(name, args, *span);
                resolver.program.code.push(instr.unwrap_or(Instr::Stop));
                resolver.program.spans.push(place(source, *span));
            }
            Some((Statement::Directive { name, items }, span)) => resolver.directive(name, items, *span),
            None => {}
        }
    }
    resolver.program
}

/// Adds items to a memory; addresses before the first one given count from where the memory ends.
pub(super) fn memory(
    source: SourceId,
    items: &[At<Item<'_>>],
    memory: &mut Vec<Value>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut at = memory.len();
    for (item, span) in items {
        let wrong = match item {
            Item::Address(text) => match text.parse() {
                Ok(address) if address <= MAX_CELLS => {
                    at = address;
                    continue;
                }
                _ => format!("an address is a number up to {MAX_CELLS}"),
            },
            Item::Values { value, count } => match (value_of(*value), count_of(*count)) {
                (Some(value), Some(count)) if at + count <= MAX_CELLS => {
                    memory.resize(memory.len().max(at + count), None);
                    memory[at..at + count].fill(value);
                    at += count;
                    continue;
                }
                (Some(_), Some(_)) => format!("memory has at most {MAX_CELLS} cells"),
                (None, _) => "a value is an integer of 64 bits, or _ for none".into(),
                (_, None) => format!("a count is a number from 1 to {MAX_CELLS}"),
            },
        };
        diagnostics.push(
            Diagnostic::error("S0007", wrong)
                .label(place(source, *span), "this does not fit")
                .help("memory is written as `ADDRESS: VALUE VALUE*COUNT _`, see docs/simd.md"),
        );
        return;
    }
}

fn value_of(value: Arg<'_>) -> Option<Value> {
    match value {
        Arg::Word("_") => Some(None),
        Arg::Word(_) => None,
        Arg::Number(text) => text.parse().ok().map(Some),
    }
}

fn count_of(count: Option<At<&str>>) -> Option<usize> {
    match count {
        None => Some(1),
        Some((text, _)) => text.parse().ok().filter(|count| (1..=MAX_CELLS).contains(count)),
    }
}

struct Resolver<'s, 'f> {
    source: SourceId,
    program: Program,
    variables: HashMap<&'s str, Variable>,
    labels: HashMap<&'s str, u32>,
    diagnostics: &'f mut Vec<Diagnostic>,
}

impl<'s> Resolver<'s, '_> {
    fn error(&mut self, code: &'static str, message: String, span: SimpleSpan, label: &str, help: &str) {
        let span = place(self.source, span);
        self.diagnostics.push(Diagnostic::error(code, message).label(span, label).help(help));
    }

    fn labels(&mut self, lines: &[Line<'s>]) {
        let mut position = 0;
        for line in lines {
            for &(name, span) in &line.labels {
                if self.labels.insert(name, position).is_some() {
                    let message = format!("the label {name} stands twice");
                    self.error("S0006", message, span, "this is the second one", "give it another name");
                }
                self.program.labels.push(Label { name: name.into(), target: position });
            }
            position += u32::from(matches!(line.statement, Some((Statement::Instr { .. }, _))));
        }
    }

    fn directive(&mut self, name: &str, items: &[At<Item<'_>>], span: SimpleSpan) {
        let settings = &mut self.program.settings;
        let (slot, max) = match name {
            "memory" => return memory(self.source, items, &mut settings.memory, self.diagnostics),
            "threads" => (&mut settings.threads, MAX_THREADS),
            "warp" => (&mut settings.warp, u64::BITS),
            "segment" => (&mut settings.segment, 1 << 20),
            _ => {
                let message = format!("there is no directive .{name}");
                let help = "directives are .threads, .warp, .segment and .memory";
                return self.error("S0007", message, span, "unknown", help);
            }
        };
        let value = match items {
            [(Item::Values { value: Arg::Number(text), count: None }, _)] => text.parse().ok(),
            _ => None,
        };
        match value {
            Some(value) if (1..=max).contains(&value) => *slot = Some(value),
            _ => {
                let message = format!(".{name} takes a number from 1 to {max}");
                self.error("S0007", message, span, "this does not fit", "write for example `.threads 64`");
            }
        }
    }

    fn instr(&mut self, name: &str, args: &[Written<'s>], span: SimpleSpan) -> Option<Instr> {
        let op = BinaryOp::ALL.iter().find(|(known, _)| *known == name).map(|&(_, op)| op);
        Some(match (name, args) {
            ("bz" | "bnz", [value, target]) => Instr::Branch {
                on_zero: name == "bz",
                value: self.operand(value)?,
                target: self.target(target)?,
            },
            ("branch_mask", [lane, target]) => {
                Instr::BranchMask { lane: self.operand(lane)?, target: self.target(target)? }
            }
            ("jump", [target]) => Instr::Jump { target: self.target(target)? },
            ("load", [to, address]) => {
                Instr::Load { to: self.variable(to)?, address: self.address(address)? }
            }
            ("store", [address, value]) => {
                Instr::Store { address: self.address(address)?, value: self.operand(value)? }
            }
            ("atomic_inc", [to, address]) => {
                Instr::Increment { to: self.variable(to)?, address: self.address(address)? }
            }
            ("const", [to, from @ Written { arg: Arg::Number(_), .. }])
            | ("copy", [to, from @ Written { arg: Arg::Word(_), .. }]) => {
                Instr::Copy { to: self.variable(to)?, from: self.operand(from)? }
            }
            ("shfl", [to, lane]) => {
                let to = self.variable(to)?;
                Instr::Shuffle { to, from: to, lane: self.operand(lane)? }
            }
            ("shfl", [to, from, lane]) => Instr::Shuffle {
                to: self.variable(to)?,
                from: self.variable(from)?,
                lane: self.operand(lane)?,
            },
            ("sync", []) => Instr::Sync,
            ("everywhere", []) => Instr::Everywhere,
            ("end_everywhere", []) => Instr::EndEverywhere,
            ("stop", []) => Instr::Stop,
            (_, [to, a, b]) if op.is_some() => {
                Instr::Binary { op: op?, to: self.variable(to)?, a: self.operand(a)?, b: self.operand(b)? }
            }
            _ => {
                self.no_instruction(name, op.is_some(), span);
                return None;
            }
        })
    }

    fn no_instruction(&mut self, name: &str, is_binary: bool, span: SimpleSpan) {
        let usage = match name {
            "bz" | "bnz" => " VALUE, LABEL",
            "branch_mask" => " LANE, LABEL",
            "jump" => " LABEL",
            "load" | "atomic_inc" => " VARIABLE, [ADDRESS]",
            "store" => " [ADDRESS], VALUE",
            "const" => " VARIABLE, NUMBER",
            "copy" => " VARIABLE, NAME",
            "shfl" => " VARIABLE, LANE` or `shfl VARIABLE, VARIABLE, LANE",
            "sync" | "everywhere" | "end_everywhere" | "stop" => "",
            _ if is_binary => " VARIABLE, VALUE, VALUE",
            _ => {
                let message = format!("there is no instruction {name}");
                return self.error("S0003", message, span, "unknown", "docs/simd.md lists the instructions");
            }
        };
        let message = format!("{name} is written `{name}{usage}`");
        self.error("S0004", message, span, "this has other operands", "docs/simd.md lists the instructions");
    }

    fn variable(&mut self, written: &Written<'s>) -> Option<Variable> {
        let name = match written.arg {
            Arg::Word(name) if !written.cell => name,
            _ => {
                let help = "name a variable; brackets stand around addresses only";
                self.error("S0004", "a variable is needed here".into(), written.span, "this is none", help);
                return None;
            }
        };
        if Operand::NAMED.iter().any(|(known, _)| *known == name) {
            let message = format!("{name} is the machine's own and cannot be written");
            self.error("S0004", message, written.span, "written here", "name another variable");
            return None;
        }
        let variables = &mut self.program.variables;
        Some(*self.variables.entry(name).or_insert_with(|| variables.push(name.into())))
    }

    fn operand(&mut self, written: &Written<'s>) -> Option<Operand> {
        match written.arg {
            _ if written.cell => {
                let help = "load it into a variable first";
                self.error(
                    "S0004",
                    "a value is needed here".into(),
                    written.span,
                    "this is a memory cell",
                    help,
                );
                None
            }
            Arg::Number(text) => match text.parse() {
                Ok(value) => Some(Operand::Const(value)),
                Err(_) => {
                    let message = format!("{text} does not fit 64 bits");
                    self.error(
                        "S0009",
                        message,
                        written.span,
                        "too large",
                        "use numbers from -2^63 to 2^63 - 1",
                    );
                    None
                }
            },
            Arg::Word(name) => match Operand::NAMED.iter().find(|(known, _)| *known == name) {
                Some(&(_, operand)) => Some(operand),
                None => self.variable(written).map(Operand::Variable),
            },
        }
    }

    fn address(&mut self, written: &Written<'s>) -> Option<Operand> {
        if !written.cell {
            let help = "write addresses in brackets, e.g. `load v, [tid]`";
            self.error("S0004", "a memory cell is needed here".into(), written.span, "this is none", help);
            return None;
        }
        self.operand(&Written { cell: false, ..*written })
    }

    /// The position that a label names, or the instruction of that number, counted from 1 as in figure 9 of the paper.
    fn target(&mut self, written: &Written<'s>) -> Option<u32> {
        let (message, label) = match written.arg {
            Arg::Word(name) if !written.cell => match self.labels.get(name) {
                Some(&target) => return Some(target),
                None => (format!("there is no label {name}"), "unknown"),
            },
            Arg::Number(text) if !written.cell => match text.parse::<u32>() {
                Ok(number @ 1..) => return Some(number - 1),
                _ => {
                    (format!("there is no instruction {text} to jump to"), "instructions are numbered from 1")
                }
            },
            _ => ("a label is needed here".into(), "this is none"),
        };
        self.error("S0005", message, written.span, label, "put a label before an instruction and jump to it");
        None
    }
}
