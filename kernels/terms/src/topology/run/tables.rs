//! Device tables of the topology scheduler: slots, flags, counts, control words.

use gchr_base::error::StopReason;
use gchr_base::rule::{Const, GroundNode};
use gchr_base::{control::Progress, ids::Id};

use super::slots::Slots;
use super::{Failure, Job, Options};
use crate::topology::contract::{Host, Params};
use crate::topology::kernels::Collector;
use crate::topology::system::HeadId;
use gchr_kernel::device::{BufferId, Device, DeviceExt, Result, Value};
use gchr_runtime::codegen::DeviceTrap;

/// What the device has counted so far.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    pub applied: u64,
    pub marked: u64,
    pub iterations: u64,
    pub collections: u64,
    /// Slots up to the last one in use.
    pub slots: u64,
    /// Free slots among them.
    pub free: u64,
}

/// What the host reads after a launch.
pub(super) struct End {
    pub stop: u32,
    pub counts: Counts,
    pub error: Option<DeviceTrap>,
}

pub(super) struct Tables {
    /// Words a slot.
    width: usize,
    capacity: u64,
    used: u64,
    collector: Collector,
    term: BufferId,
    spare: BufferId,
    nf: BufferId,
    nf_read: BufferId,
    rc: BufferId,
    rc_read: BufferId,
    keys: BufferId,
    words: Words,
}

/// Buffers whose size does not depend on the slots.
#[derive(Clone, Copy)]
struct Words {
    block_counts: BufferId,
    control: BufferId,
    arrivals: BufferId,
    error: BufferId,
    counts: BufferId,
}

impl Words {
    fn new(host: &Host, device: &mut dyn Device) -> Result<Self> {
        let kernel = device.kernel(host.iterate.name())?;
        let blocks = u64::from(device.resident_blocks(kernel, host.format.block)?);
        Ok(Self {
            block_counts: device.alloc(4 * blocks)?,
            control: device.upload_new(&vec![0u32; host.control.control_words])?,
            arrivals: device.upload_new(&[0u32])?,
            error: device.upload_new(&[0u32; DeviceTrap::WORDS])?,
            counts: device.upload_new(&vec![0u64; host.counts.count_words])?,
        })
    }

    fn free(self, device: &mut dyn Device) -> Result<()> {
        [self.block_counts, self.control, self.arrivals, self.error, self.counts]
            .into_iter()
            .try_for_each(|buffer| device.free(buffer))
    }
}

/// Most slots: an index is a positive 32-bit integer.
const MOST_SLOTS: u64 = (1 << 31) - 1;

/// The start term as slots.
struct Input {
    words: Vec<u32>,
    nf: Vec<u8>,
    rc: Vec<i32>,
    arity_shift: u32,
}

impl Tables {
    /// Tables that hold the job's input.
    pub fn new(
        job: &Job<'_>,
        options: &Options,
        device: &mut dyn Device,
    ) -> std::result::Result<Self, Failure> {
        let width = 1 + job.system.max_arity;
        let width = width.next_multiple_of(4);
        let memory = |what: &str| {
            let reason = StopReason::Memory { limit: options.memory, what: what.into() };
            Failure::stopped(reason, Progress { steps: 0, bytes: 0, live: 0 })
        };
        let input = Input::new(job, width).ok_or_else(|| memory("slots of the start term"))?;
        let used = input.nf.len() as u64;
        let most = (options.memory / slot_bytes(width, options.collector)).min(MOST_SLOTS);
        if used + 1 > most {
            return Err(memory("slots of the start term"));
        }
        let capacity = options.slots.clamp(used + 1, most);
        let words = Words::new(&job.kernels.host, device)?;
        let mut tables = Self::alloc(width, capacity, options.collector, words, device)?;
        tables.used = used;
        device.upload(tables.term, 0, bytemuck::cast_slice(&input.words))?;
        device.upload(tables.nf, 0, &input.nf)?;
        device.upload(tables.rc, 0, bytemuck::cast_slice(&input.rc))?;
        let next = 4 * job.kernels.host.control.next as u64;
        device.upload(tables.words.control, next, bytemuck::bytes_of(&(used as u32)))?;
        Ok(tables)
    }

    fn alloc(
        width: usize,
        capacity: u64,
        collector: Collector,
        words: Words,
        device: &mut dyn Device,
    ) -> Result<Self> {
        let spare =
            if collector == Collector::Compact { capacity * 4 * width as u64 } else { 4 * width as u64 };
        let keys = if collector == Collector::None { 4 } else { capacity * 4 };
        Ok(Self {
            width,
            capacity,
            used: 0,
            collector,
            term: device.alloc(capacity * 4 * width as u64)?,
            spare: device.alloc(spare)?,
            nf: device.alloc(capacity)?,
            nf_read: device.alloc(capacity)?,
            rc: device.alloc(capacity * 4)?,
            rc_read: device.alloc(capacity * 4)?,
            keys: device.alloc(keys)?,
            words,
        })
    }

    pub fn bytes(&self) -> u64 {
        self.capacity * slot_bytes(self.width, self.collector)
    }

    /// The template's `Params`.
    pub fn params(&self, host: &Host) -> Result<Vec<Value>> {
        let values = host.params.fill(&Params {
            term: self.term,
            spare: self.spare,
            nf: self.nf,
            nf_read: self.nf_read,
            rc: self.rc,
            rc_read: self.rc_read,
            keys: self.keys,
            block_counts: self.words.block_counts,
            control: self.words.control,
            arrivals: self.words.arrivals,
            error: self.words.error,
            counts: self.words.counts,
            capacity: self.capacity as u32,
        });
        values.finish()
    }

    /// Reads counts and the reason of the end, and makes the control words ready for another launch.
    pub fn end_of_launch(&mut self, host: &Host, device: &mut dyn Device) -> Result<End> {
        let (word, counted) = (host.control, host.counts);
        let mut control: Vec<u32> = device.download_vec(self.words.control, word.control_words)?;
        let counts: Vec<u64> = device.download_vec(self.words.counts, counted.count_words)?;
        let error = device.download_vec(self.words.error, DeviceTrap::WORDS)?;
        self.used = u64::from(control[word.next]).min(self.capacity);
        let end = End {
            stop: control[word.stop],
            counts: Counts {
                applied: counts[counted.applied],
                marked: counts[counted.marked],
                // The last iteration, which finds nothing to do, belongs to the papers' figure.
                iterations: counts[counted.iterations] + 1,
                collections: counts[counted.collections],
                slots: self.used - 1,
                free: u64::from(control[word.keys]),
            },
            error: DeviceTrap::new(&error),
        };
        for at in [word.active, word.active + 1, word.garbage, word.garbage + 1, word.full, word.stop] {
            control[at] = 0;
        }
        // Threads that found the tables full have counted beyond their end.
        control[word.next] = self.used as u32;
        device.upload(self.words.control, 0, bytemuck::cast_slice(&control))?;
        Ok(end)
    }

    /// Doubles the tables, contents kept; says whether that was possible within `memory` bytes.
    pub fn grow(&mut self, memory: u64, device: &mut dyn Device) -> Result<bool> {
        let most = (memory / slot_bytes(self.width, self.collector)).min(MOST_SLOTS);
        let capacity = (self.capacity * 2).min(most);
        if capacity <= self.capacity {
            return Ok(false);
        }
        let mut grown = Self::alloc(self.width, capacity, self.collector, self.words, device)?;
        grown.used = self.used;
        device.copy(self.term, grown.term, self.used * 4 * self.width as u64)?;
        device.copy(self.nf, grown.nf, self.used)?;
        device.copy(self.rc, grown.rc, self.used * 4)?;
        if self.collector == Collector::Queue {
            device.copy(self.keys, grown.keys, self.used * 4)?;
        }
        std::mem::swap(self, &mut grown);
        grown.free_slots(device)?;
        Ok(true)
    }

    fn free_slots(&self, device: &mut dyn Device) -> Result<()> {
        let slots = [self.term, self.spare, self.nf, self.nf_read, self.rc, self.rc_read, self.keys];
        slots.into_iter().try_for_each(|buffer| device.free(buffer))
    }

    /// Gives all device memory back.
    pub fn free(self, device: &mut dyn Device) -> Result<()> {
        self.free_slots(device)?;
        self.words.free(device)
    }

    /// The slots in use, to be read by the host.
    pub fn slots<'d>(&self, device: &'d mut dyn Device) -> Slots<'d> {
        Slots::new(self.term, self.used as usize, self.width, device)
    }
}

/// Bytes that a slot takes in all tables.
fn slot_bytes(width: usize, collector: Collector) -> u64 {
    let slot = 4 * width as u64;
    let flags_and_counts = 2 * (1 + 4);
    match collector {
        Collector::None => slot + flags_and_counts,
        Collector::Queue => slot + flags_and_counts + 4,
        Collector::Compact => 2 * slot + flags_and_counts + 4,
    }
}

impl Input {
    /// Slots of the job's start term: the root is slot 1, nothing is shared, constants are in normal form. `None` when
    /// there are more than an index can name.
    fn new(job: &Job<'_>, width: usize) -> Option<Self> {
        let slots: u64 = job
            .input
            .nodes
            .iter()
            .map(|n| if let GroundNode::Repeat(_, n) = n { u64::from(*n) } else { 1 })
            .sum();
        if slots >= MOST_SLOTS {
            return None;
        }
        let total = slots as usize;
        let mut input = Self {
            words: vec![0; (total + 1) * width],
            nf: vec![0; total + 1],
            rc: vec![1; total + 1],
            arity_shift: job.kernels.host.format.arity_shift,
        };
        input.rc[0] = 1;
        input.nf[0] = 1;
        // Postfix order ends with the root: counting down from the end makes it slot 1.
        let mut next = total as u32;
        let mut stack: Vec<u32> = Vec::new();
        let system = job.system;
        for node in &job.input.nodes {
            let (head, count) = match *node {
                GroundNode::Const(c) => {
                    let (head, bits) = match c {
                        Const::Float(x) => (system.float_head, x.to_bits()),
                        Const::Int(n) => (system.int_head, n.cast_unsigned()),
                        Const::Atom(_) | Const::Str(_) => (system.int_head, 0),
                    };
                    input.put(width, next, head, 0, &[bits as u32, (bits >> 32) as u32], true);
                    stack.push(next);
                    next -= 1;
                    continue;
                }
                GroundNode::App(symbol) => (system.symbol_heads[symbol.index()], 1),
                GroundNode::Repeat(symbol, count) => (system.symbol_heads[symbol.index()], count),
                GroundNode::Op(op, sort) => (*system.start_heads.get(&(op, sort))?, 1),
            };
            for _ in 0..count {
                let arity = system.heads[head].arity;
                let args = stack.split_off(stack.len().checked_sub(arity)?);
                input.put(width, next, head, arity, &args, arity == 0 && !system.is_active(head));
                stack.push(next);
                next -= 1;
            }
        }
        Some(input)
    }

    fn put(&mut self, width: usize, slot: u32, head: HeadId, arity: usize, words: &[u32], normal: bool) {
        let at = slot as usize * width;
        self.words[at] = head.0 | (arity as u32) << self.arity_shift;
        self.words[at + 1..at + 1 + words.len()].copy_from_slice(words);
        self.nf[slot as usize] = u8::from(normal);
    }
}
