//! One test for each rule: a state in which its premises hold, the rule that the step applies, and the state behind it.

use super::program;
use crate::counters::Counters;
use crate::fault::{Fault, Undefined};
use crate::memory::Memory;
use crate::program::{Program, Value, Variable};
use crate::rules::{Reports, Rule, State};
use crate::warp::Warp;
use gchr_simulator::divergence::{Lanes, Region};

/// A warp of four lanes at the first instruction of a program, with memory `10 11 12 _`.
struct Bench {
    program: Program,
    warp: Warp,
    memory: Memory,
    counters: Counters,
    reports: Reports,
}

impl Bench {
    fn new(text: &str) -> Self {
        let program = program(text);
        let warp = Warp::new(0, 4, program.variables.len());
        let memory = Memory::new(vec![Some(10), Some(11), Some(12), None], false);
        Self { program, warp, memory, counters: Counters::default(), reports: Reports::default() }
    }
    fn active(mut self, active: Lanes) -> Self {
        self.warp.active = active;
        self
    }
    fn variable(&self, name: &str) -> Variable {
        self.program.variables.ids().find(|&v| self.program.variables[v] == name).expect("a variable")
    }
    fn with(mut self, name: &str, values: [Value; 4]) -> Self {
        let variable = self.variable(name);
        for (lane, value) in values.into_iter().enumerate() {
            self.warp.set(variable, lane, value);
        }
        self
    }
    fn at(mut self, pc: u32) -> Self {
        self.warp.pc = pc;
        self
    }
    fn step(&mut self) -> Result<Rule, Fault> {
        let state = &mut State {
            program: &self.program,
            warp: &mut self.warp,
            index: 0,
            memory: &mut self.memory,
            threads: 4,
            segment: 4,
            counters: &mut self.counters,
            reports: &mut self.reports,
        };
        state.step()
    }
    fn values(&self, name: &str) -> [Value; 4] {
        let variable = self.variable(name);
        std::array::from_fn(|lane| self.warp.get(variable, lane))
    }
    /// `(pc, Θ)` and Π as `(branch, done, next, todo)`.
    #[expect(clippy::type_complexity, reason = "a tuple is what the paper writes")]
    fn control(&self) -> (u32, Lanes, Vec<(u32, Lanes, u32, Lanes)>) {
        let entry = |e: &Region| (e.id, e.done, e.next, e.todo);
        (self.warp.pc, self.warp.active, self.warp.stack.entries().iter().map(entry).collect())
    }
}

const SOME: [Value; 4] = [Some(0), Some(1), Some(0), Some(7)];
const ONES: [Value; 4] = [Some(1); 4];
const ZEROS: [Value; 4] = [Some(0); 4];

const BZ: &str = "bz v, end\n stop\n end: sync\n stop";
const BNZ: &str = "bnz v, end\n stop\n end: sync\n stop";

#[test]
fn bt_sends_all_lanes_to_the_label() {
    for (text, values) in [(BZ, ZEROS), (BNZ, ONES)] {
        let mut bench = Bench::new(text).with("v", values);
        assert_eq!(bench.step(), Ok(Rule::Bt));
        assert_eq!(bench.control(), (2, 0b1111, vec![(0, 0, 2, 0)]));
    }
}

#[test]
fn bf_sends_no_lane_to_the_label() {
    for (text, values) in [(BZ, ONES), (BNZ, ZEROS)] {
        let mut bench = Bench::new(text).with("v", values);
        assert_eq!(bench.step(), Ok(Rule::Bf));
        assert_eq!(bench.control(), (1, 0b1111, vec![(0, 0, 2, 0)]));
    }
}

#[test]
fn bd_lets_the_lanes_that_jump_wait() {
    let mut bench = Bench::new(BZ).with("v", SOME);
    assert_eq!(bench.step(), Ok(Rule::Bd));
    assert_eq!(bench.control(), (1, 0b1010, vec![(0, 0, 2, 0b0101)]));
    let mut bench = Bench::new(BNZ).with("v", SOME);
    assert_eq!(bench.step(), Ok(Rule::Bd));
    assert_eq!(bench.control(), (1, 0b0101, vec![(0, 0, 2, 0b1010)]));
    assert_eq!(bench.counters.divergent_branches, 1);
}

#[test]
fn split_looks_at_active_lanes_only() {
    let values = [Some(0), Some(1), None, Some(7)];
    let mut bench = Bench::new(BZ).with("v", values).active(0b1010);
    assert_eq!(bench.step(), Ok(Rule::Bf));
    let mut bench = Bench::new(BZ).with("v", values);
    assert_eq!(bench.step(), Err(Fault::Variable { name: "v".into(), thread: 2 }));
}

#[test]
fn push_unites_lanes_that_one_branch_lets_wait() {
    let mut bench = Bench::new(BZ).with("v", SOME);
    bench.step().expect("BD");
    let values = [None, Some(1), None, Some(0)];
    let mut bench = bench.with("v", values).at(0);
    assert_eq!(bench.step(), Ok(Rule::Bd));
    assert_eq!(bench.control(), (1, 0b0010, vec![(0, 0, 2, 0b1101)]));
}

#[test]
fn ss_gives_the_waiting_lanes_their_turn() {
    let mut bench = Bench::new("sync\n stop\n stop").active(0b0011);
    bench.warp.stack.push(9, 0b1100, 2, 0);
    assert_eq!(bench.step(), Ok(Rule::Ss));
    assert_eq!(bench.control(), (2, 0b1100, vec![(9, 0b0011, 2, 0)]));
}

#[test]
fn sp_of_sync_unites_the_lanes() {
    let mut bench = Bench::new("sync\n stop").active(0b0011);
    bench.warp.stack.push(9, 0b1100, 0, 0);
    bench.step().expect("SS");
    assert_eq!(bench.step(), Ok(Rule::SpSync));
    assert_eq!(bench.control(), (1, 0b1111, vec![]));
    assert_eq!(Bench::new("sync\n stop").step(), Err(Fault::NoBranch));
}

#[test]
fn sp_of_stop_needs_closed_regions() {
    let mut bench = Bench::new("stop");
    assert_eq!(bench.step(), Ok(Rule::SpStop));
    assert!(bench.warp.stopped);
    let mut bench = Bench::new("stop");
    bench.warp.stack.push(7, 0, 0, 0);
    assert_eq!(bench.step(), Err(Fault::Open { branch: 7 }));
    let mut bench = Bench::new("everywhere\n stop").active(0b0001);
    bench.warp.stack.push(7, 0b0110, 0, 0);
    bench.step().expect("EB");
    assert_eq!(bench.step(), Err(Fault::Asleep { threads: vec![1, 2] }));
}

#[test]
fn jp_goes_to_the_label() {
    let mut bench = Bench::new("jump end\n stop\n end: stop").active(0b0100);
    assert_eq!(bench.step(), Ok(Rule::Jp));
    assert_eq!(bench.control(), (2, 0b0100, vec![]));
}

#[test]
fn eb_wakes_all_lanes_and_ee_puts_them_back() {
    let mut bench =
        Bench::new("everywhere\n everywhere\n end_everywhere\n end_everywhere\n stop").active(0b0110);
    bench.warp.stack.push(7, 0b1001, 2, 0);
    assert_eq!(bench.step(), Ok(Rule::Eb));
    assert_eq!(bench.control(), (1, 0b1111, vec![]));
    assert_eq!(bench.warp.mask(), 0b0110);
    assert_eq!(bench.step(), Ok(Rule::Eb));
    assert_eq!(bench.warp.mask(), 0b1111);
    assert_eq!(bench.step(), Ok(Rule::Ee));
    bench.warp.stack.push(8, 0, 0, 0);
    assert_eq!(bench.step(), Err(Fault::Open { branch: 8 }));
    bench.warp.stack.sync(0b1111);
    assert_eq!(bench.step(), Ok(Rule::Ee));
    assert_eq!(bench.control(), (4, 0b0110, vec![(7, 0, 2, 0b1001)]));
    assert_eq!(Bench::new("end_everywhere\n stop").step(), Err(Fault::NoEverywhere));
}

#[test]
fn ba_and_bi_ask_who_asked() {
    let text = "everywhere\n branch_mask v, end\n stop\n end: stop";
    for (lane, rule, pc) in [(1, Rule::Ba, 3), (0, Rule::Bi, 2), (-1, Rule::Bi, 2), (64, Rule::Bi, 2)] {
        let mut bench = Bench::new(text).with("v", [Some(lane); 4]).active(0b0110);
        bench.step().expect("EB");
        assert_eq!(bench.step(), Ok(rule));
        assert_eq!(bench.control(), (pc, 0b1111, vec![]));
    }
    let mut bench = Bench::new(text).with("v", SOME);
    bench.step().expect("EB");
    assert_eq!(bench.step(), Err(Fault::Disagree { lanes: [0, 1] }));
    assert_eq!(Bench::new(text).at(1).step(), Err(Fault::NoEverywhere));
}

#[test]
fn ct_writes_a_constant_in_active_lanes() {
    let mut bench = Bench::new("const v, -5\n stop").active(0b0101);
    assert_eq!(bench.step(), Ok(Rule::Ct));
    assert_eq!(bench.values("v"), [Some(-5), None, Some(-5), None]);
    assert_eq!(bench.warp.pc, 1);
}

#[test]
fn as_copies_a_variable_and_mt_is_the_thread() {
    let mut bench = Bench::new("copy v, w\n copy v, tid\n stop").with("w", SOME).active(0b1100);
    assert_eq!(bench.step(), Ok(Rule::As));
    assert_eq!(bench.values("v"), [None, None, Some(0), Some(7)]);
    assert_eq!(bench.step(), Ok(Rule::As));
    assert_eq!(bench.values("v"), [None, None, Some(2), Some(3)]);
}

#[test]
fn mv_needs_a_value() {
    let mut bench = Bench::new("copy v, w\n stop");
    assert_eq!(bench.step(), Err(Fault::Variable { name: "w".into(), thread: 0 }));
}

#[test]
fn ld_reads_memory() {
    let mut bench = Bench::new("load v, [tid]\n stop").active(0b0111);
    assert_eq!(bench.step(), Ok(Rule::Ld));
    assert_eq!(bench.values("v"), [Some(10), Some(11), Some(12), None]);
    assert_eq!(bench.counters.load_transactions, 1);
    let mut bench = Bench::new("load v, [tid]\n stop");
    assert_eq!(bench.step(), Err(Fault::Cell { address: 3, thread: 3 }));
    let mut bench = Bench::new("load v, [-1]\n stop");
    assert_eq!(bench.step(), Err(Fault::Address { address: -1, cells: 4, thread: 0 }));
}

#[test]
fn st_writes_memory() {
    let mut bench = Bench::new("store [tid], v\n stop").with("v", SOME).active(0b1010);
    assert_eq!(bench.step(), Ok(Rule::St));
    assert_eq!(bench.memory.cells(), [Some(10), Some(1), Some(12), Some(7)]);
    assert_eq!(bench.counters.store_transactions, 1);
    let mut bench = Bench::new("store [4], 0\n stop");
    assert_eq!(bench.step(), Err(Fault::Address { address: 4, cells: 4, thread: 0 }));
}

#[test]
fn tl_leaves_contradicting_stores_undefined() {
    let mut bench = Bench::new("store [1], v\n stop").with("v", SOME);
    assert_eq!(bench.step(), Ok(Rule::St));
    assert_eq!(bench.memory.cells(), [Some(10), None, Some(12), None]);
    let what = Undefined::Stores { address: 1, threads: [0, 1], values: [0, 1] };
    assert_eq!(bench.reports.all().iter().map(|r| &r.what).collect::<Vec<_>>(), [&what]);
    let mut bench = Bench::new("store [1], v\n stop").with("v", ONES);
    assert_eq!(bench.step(), Ok(Rule::St));
    assert_eq!(bench.memory.cells()[1], Some(1));
    assert!(bench.reports.all().is_empty());
}

#[test]
fn at_gives_every_lane_its_own_number() {
    let mut bench = Bench::new("atomic_inc v, [1]\n stop").active(0b1011);
    assert_eq!(bench.step(), Ok(Rule::At));
    assert_eq!(bench.values("v"), [Some(12), Some(13), None, Some(14)]);
    assert_eq!(bench.memory.cells()[1], Some(14));
    assert_eq!(bench.counters.atomics, 3);
}

#[test]
fn bp_computes() {
    let mut bench = Bench::new("mul v, w, tid\n stop").with("w", SOME);
    assert_eq!(bench.step(), Ok(Rule::Bp));
    assert_eq!(bench.values("v"), [Some(0), Some(1), Some(0), Some(21)]);
    for (text, cause) in [
        ("add v, 9223372036854775807, tid", "the result does not fit 64 bits"),
        ("shl v, 2, 62", "the result does not fit 64 bits"),
        ("div v, 1, tid", "division by zero"),
        ("mod v, -9223372036854775808, -1", "the result does not fit 64 bits"),
        ("shr v, 1, 64", "a shift is by 0 to 63"),
    ] {
        let fault = Bench::new(&format!("{text}\n stop")).step();
        assert!(matches!(fault, Err(Fault::Arithmetic { cause: c, .. }) if c == cause), "{text}: {fault:?}");
    }
}

#[test]
fn sv_reads_from_lanes_of_the_mask() {
    // All lanes exchange at once: what is read is what was there before.
    let mut bench = Bench::new("shfl v, l\n stop").with("v", SOME).with("l", [1, 2, 3, 0].map(Some));
    assert_eq!(bench.step(), Ok(Rule::Sv));
    assert_eq!(bench.values("v"), [Some(1), Some(0), Some(7), Some(0)]);
    // In a block the mask is who asked for it, awake or not; the reading lanes need no value of their own.
    let mut bench =
        Bench::new("everywhere\n shfl w, v, 1\n stop").with("v", [None, Some(6), None, None]).active(0b0010);
    bench.step().expect("EB");
    assert_eq!(bench.step(), Ok(Rule::Sv));
    assert_eq!(bench.values("w"), [Some(6); 4]);
}

#[test]
fn si_gives_an_undefined_value() {
    for source in [2, 4, -1] {
        let mut bench =
            Bench::new("shfl v, l\n stop").with("v", ONES).with("l", [Some(source); 4]).active(0b0011);
        assert_eq!(bench.step(), Ok(Rule::Si));
        assert_eq!(bench.values("v"), [None, None, Some(1), Some(1)]);
        assert_eq!(bench.reports.all()[0].count, 2);
        let what = &bench.reports.all()[0].what;
        assert_eq!(*what, Undefined::Shuffle { source, mask: 0b0011, thread: 0 });
    }
}
