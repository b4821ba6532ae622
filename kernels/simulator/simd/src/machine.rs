//! A run of a program: threads in warps, warps in turns of one step, limits, trace and counts.

use std::fmt::Write as _;

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;

use super::counters::Counters;
use super::fault::{Report, Stop};
use super::memory::Memory;
use super::print::{Shown, memory_lines};
use super::program::*;
use super::rules::{Reports, Rule, State};
use super::warp::Warp;

/// Poll interval: steps between two checks of limits and interrupts.
const POLL: u64 = 1 << 14;
/// Most values of variables in all threads together.
const MAX_VALUES: u64 = 1 << 26;
/// Lanes of a warp, and threads, when nobody says.
const DEFAULT_WARP: u32 = 32;
/// Cells of a memory segment when nobody says: 128 bytes of 32-bit words.
const DEFAULT_SEGMENT: u32 = 32;

/// What a caller may say in place of the program's settings.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Number of threads, up to [`MAX_THREADS`].
    pub threads: Option<u32>,
    /// Lanes of a warp, 1 to 64.
    pub warp: Option<u32>,
    /// Cells of a memory segment.
    pub segment: Option<u32>,
    /// Memory at the start.
    pub memory: Option<Vec<Value>>,
}

/// A machine with a program.
#[derive(Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    threads: u32,
    segment: u32,
    memory: Memory,
    warps: Vec<Warp>,
    counters: Counters,
    reports: Reports,
}

impl<'p> Machine<'p> {
    /// A machine before its first step.
    pub fn new(program: &'p Program, options: Options) -> Result<Self, Vec<Diagnostic>> {
        let diagnostics = program.verify();
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let settings = &program.settings;
        let size = options.warp.or(settings.warp).unwrap_or(DEFAULT_WARP).clamp(1, u64::BITS);
        let threads = options.threads.or(settings.threads).unwrap_or(size).clamp(1, MAX_THREADS);
        let variables = program.variables.len();
        if variables as u64 * u64::from(threads) > MAX_VALUES {
            let message = format!("{threads} threads with {variables} variables each are too many");
            return Err(vec![
                Diagnostic::error("S0204", message)
                    .note(format!("all threads together may have {MAX_VALUES}"))
                    .help("run fewer --threads, or use variables again"),
            ]);
        }
        let firsts: Vec<u32> = (0..threads).step_by(size as usize).collect();
        let warps = firsts.iter().map(|&first| Warp::new(first, size.min(threads - first), variables));
        let memory = options.memory.unwrap_or_else(|| settings.memory.clone());
        Ok(Self {
            program,
            threads,
            segment: options.segment.or(settings.segment).unwrap_or(DEFAULT_SEGMENT).max(1),
            memory: Memory::new(memory, firsts.len() > 1),
            warps: warps.collect(),
            counters: Counters::default(),
            reports: Reports::default(),
        })
    }

    /// Runs until all warps have stopped. Undefined results do not end the run: see [`reports`](Self::reports).
    pub fn run(&mut self, control: &mut Control<'_>) -> Result<(), Stop> {
        let mut polled = 0;
        while self.warps.iter().any(|warp| !warp.stopped) {
            for index in 0..self.warps.len() {
                if self.warps[index].stopped {
                    continue;
                }
                if control.fuel(self.counters.steps, POLL.saturating_sub(self.counters.steps - polled)) == 0 {
                    polled = self.counters.steps;
                    self.poll(index, control)?;
                }
                self.step(index, control)?;
            }
        }
        Ok(())
    }

    fn poll(&self, index: usize, control: &mut Control<'_>) -> Result<(), Stop> {
        let cells = self.memory.cells().len() as u64;
        let now = Progress { steps: self.counters.steps, bytes: 0, live: cells };
        let pc = self.warps[index].pc;
        control.poll(now).map_err(|reason| Stop::Limit { reason, pc, steps: now.steps })
    }

    /// One step of one warp.
    fn step(&mut self, index: usize, control: &mut Control<'_>) -> Result<(), Stop> {
        let warp = &mut self.warps[index];
        let (pc, active) = (warp.pc, warp.active);
        let mut state = State {
            program: self.program,
            warp,
            index: index as u32,
            memory: &mut self.memory,
            threads: self.threads,
            segment: self.segment,
            counters: &mut self.counters,
            reports: &mut self.reports,
        };
        let steps = state.counters.steps;
        let rule = state.step().map_err(|fault| Stop::Fault { fault, pc, warp: index as u32, steps })?;
        self.counters.steps += 1;
        self.counters.thread_steps += u64::from(active.count_ones());
        if control.traces() {
            control.trace_line(&self.trace_line(index, rule, pc, active));
        }
        Ok(())
    }

    /// Step, warp, rule, position and active lanes (lane 0 to the left) before the step, instruction.
    fn trace_line(&self, index: usize, rule: Rule, pc: u32, active: u64) -> String {
        let lanes =
            (0..self.warps[index].lanes()).map(|lane| if active >> lane & 1 == 1 { '1' } else { '.' });
        let lanes: String = lanes.collect();
        let instr = self.program.code.get(pc as usize).map(|&instr| self.program.instr(instr));
        let text = instr.map_or_else(String::new, |instr| instr.to_string());
        format!(
            "{:>6}  warp {index}  {:<2}  pc {:>3}  {lanes}  {text}",
            self.counters.steps,
            rule.name(),
            pc + 1
        )
    }

    /// What was counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }
    /// The undefined results, in the order in which they were found.
    pub fn reports(&self) -> &[Report] {
        self.reports.all()
    }
    /// The memory cells.
    pub fn memory(&self) -> &[Value] {
        self.memory.cells()
    }
    /// The value of a variable in a thread; `None` also when there is no such variable or thread.
    pub fn variable(&self, name: &str, thread: u32) -> Value {
        let variable = self.program.variables.ids().find(|&v| self.program.variables[v] == name)?;
        let warp = self.warps.iter().rfind(|warp| warp.first <= thread)?;
        let lane = (thread - warp.first) as usize;
        if lane < warp.lanes() { warp.get(variable, lane) } else { None }
    }

    /// Memory as a memory file, and the variables of all threads in comments of it.
    pub fn result(&self) -> String {
        let mut text: String =
            memory_lines(self.memory.cells()).into_iter().map(|line| line + "\n").collect();
        if self.program.variables.is_empty() {
            return text;
        }
        text += "% thread";
        for name in self.program.variables.iter() {
            let _ = write!(text, " {name}");
        }
        text += "\n";
        for warp in &self.warps {
            for lane in 0..warp.lanes() {
                let _ = write!(text, "% {}", warp.thread(lane));
                for variable in self.program.variables.ids() {
                    let _ = write!(text, " {}", Shown(warp.get(variable, lane)));
                }
                text += "\n";
            }
        }
        text
    }
}
