//! What frames hold, and how large stacks, tasks and joins of a program are.

use gchr_base::ids::IdVec;
use gchr_terms::plan::{FunctionId, LocalId};

use super::contract::TaskFormat;
use super::states::{ResumeId, StateId, States};

/// Sizes chosen for a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// Frames.
    pub frames: IdVec<ResumeId, Frame>,
    /// Words a frame takes on the stack.
    pub stride: u32,
    /// Words of the stack.
    pub stack: u32,
    /// Whether it is in shared memory.
    pub striped: bool,
    /// Argument registers of one word, and of 64 bits.
    pub words: u32,
    /// See `words`.
    pub numbers: u32,
    /// The registers of the destination that a function with TRMC fills, if there is one: the outermost cell of its
    /// context, the word to fill and, where cells are found by tracing, the sort of the cell.
    pub destination: &'static [&'static str],
    /// The most tasks that a frame becomes.
    pub siblings: u32,
    /// Words of tasks and joins; the template's.
    pub format: TaskFormat,
}

/// What a frame holds behind the resume point.
#[derive(Clone, PartialEq, Debug)]
pub struct Frame {
    /// Live variables with their first words, and whether they have two.
    pub live: Vec<(LocalId, u32, bool)>,
    /// First of the words with the function's destination, if it can have one.
    pub destination: Option<u32>,
    /// Words in all.
    pub words: u32,
}

/// Registers of a destination, in the order of [`Shape::destination`].
pub(super) const ROOT: usize = 0;
pub(super) const HOLE: usize = 1;
pub(super) const SORT: usize = 2;
const DESTINATION: [&str; 3] = ["root", "hole", "around"];
/// Stacks hold so many frames, or fewer that are large.
const FRAMES: u32 = 32;
const FEWEST_FRAMES: u32 = 12;
/// Words of a stack in shared memory: for 128 threads less than the 48 KiB that a block has without asking.
const SHARED_WORDS: u32 = 92;
/// Words of one that is in local memory, since its frames are large.
const LOCAL_WORDS: u32 = 256;

impl Shape {
    /// Sizes for a plan; `frames`: how many a stack holds, instead of a number that suits a GPU.
    pub fn new(states: &States<'_>, frames: Option<u32>, compact: bool, format: TaskFormat) -> Self {
        let wide =
            |f: FunctionId, l: LocalId| states.plan.layout.sorts[states.plan.functions[f].sort(l)].is_wide();
        let mut shape = Self {
            frames: IdVec::new(),
            stride: 2,
            stack: 0,
            striped: false,
            words: 0,
            numbers: 0,
            destination: match states.holes.iter().any(|&h| h) {
                false => &[],
                true if compact => &DESTINATION,
                true => &DESTINATION[..2],
            },
            siblings: 0,
            format,
        };
        for resume in states.resumes.iter() {
            let mut next = 1;
            let live = resume.live.iter().map(|&l| {
                let wide = wide(resume.function, l);
                let at = next;
                next += 1 + u32::from(wide);
                (l, at, wide)
            });
            let live = live.collect();
            let destination = states.holes[resume.function].then_some(next);
            next += if destination.is_some() { shape.destination.len() as u32 } else { 0 };
            shape.stride = shape.stride.max(next);
            let siblings = resume.split.as_ref().map_or(0, |split| split.siblings.len());
            shape.siblings = shape.siblings.max(siblings as u32);
            shape.frames.push(Frame { live, destination, words: next });
        }
        for state in states.states.iter() {
            let numbers = state.params.iter().filter(|&&p| wide(state.function, p)).count() as u32;
            shape.numbers = shape.numbers.max(numbers);
            shape.words = shape.words.max(state.params.len() as u32 - numbers);
        }
        let shared = SHARED_WORDS / shape.stride;
        let fitting = if shared >= FEWEST_FRAMES { shared } else { LOCAL_WORDS / shape.stride };
        let count = frames.unwrap_or(fitting.clamp(FEWEST_FRAMES, FRAMES)) / 2 * 2;
        shape.stack = count.max(2) * shape.stride;
        shape.striped = shape.stack <= SHARED_WORDS;
        shape
    }

    /// Words a task.
    pub fn task(&self) -> u32 {
        self.format.task_head + self.words + 2 * self.numbers
    }
    /// Number of a state in `Machine::state`.
    pub fn state_number(&self, state: StateId) -> u32 {
        state.0 + self.format.first_state
    }
    /// Words a join: a power of two.
    pub fn join(&self) -> u32 {
        (self.format.join_head + self.stride).next_power_of_two()
    }
    /// Words that a full stack leaves behind.
    pub fn half(&self) -> u32 {
        self.stack / 2
    }
    /// Words a chunk.
    pub fn chunk(&self) -> u32 {
        1 + self.half()
    }
}
