//! State of one warp: the machine `M(Θ, β, Σ, Π, Λ, P, pc)` of figure 4 without memory Σ and program P, which all warps
//! share.

use super::program::{Value, Variable};
use gchr_simulator::divergence::{ContextStack, DivergenceStack, Lanes};

/// One warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Warp {
    /// Thread of lane 0.
    pub first: u32,
    /// Θ_all: all lanes.
    pub all: Lanes,
    /// Θ: the active lanes; never empty.
    pub active: Lanes,
    /// Π: where lanes part and meet.
    pub stack: DivergenceStack,
    /// Λ: the lanes that ran before each open `everywhere` block.
    pub contexts: ContextStack,
    /// Position of the next instruction.
    pub pc: u32,
    /// Whether it has stopped.
    pub stopped: bool,
    /// β: by variable, one value a lane.
    registers: Vec<Value>,
}

impl Warp {
    /// A warp before its first instruction: all lanes active, no variable written.
    pub fn new(first: u32, lanes: u32, variables: usize) -> Self {
        let all = Lanes::MAX >> (Lanes::BITS - lanes.clamp(1, Lanes::BITS));
        Self {
            first,
            all,
            active: all,
            stack: DivergenceStack::new(),
            contexts: ContextStack::new(),
            pc: 0,
            stopped: false,
            registers: vec![None; variables * all.count_ones() as usize],
        }
    }
    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        self.all.count_ones() as usize
    }
    /// Θ_mask: the lanes that asked for the innermost `everywhere` block; outside of all blocks the active ones.
    pub fn mask(&self) -> Lanes {
        self.contexts.top().map_or(self.active, |context| context.active)
    }
    /// Number of the thread in a lane.
    pub fn thread(&self, lane: usize) -> u32 {
        self.first + lane as u32
    }
    /// Value of a variable in a lane.
    pub fn get(&self, variable: Variable, lane: usize) -> Value {
        self.registers[variable.0 as usize * self.lanes() + lane]
    }
    /// Writes a variable in a lane.
    pub fn set(&mut self, variable: Variable, lane: usize, value: Value) {
        let lanes = self.lanes();
        self.registers[variable.0 as usize * lanes + lane] = value;
    }
}
