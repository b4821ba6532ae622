//! The recorder of a run: what an executor reports of its course, for `--profile` and for comparisons.
//!
//! A caller makes a [`Recorder`], lends it to the run through [`Control::profile`](crate::control::Control::profile),
//! and reads it afterwards. An executor asks [`Control::recorder`](crate::control::Control::recorder) and reports
//! - its course: one [`Recorder::round`] a round or iteration if it works in such; otherwise nothing, because every
//!   [`Control::poll`](crate::control::Control::poll) adds a point by itself;
//! - running totals between points: [`Recorder::tried`], [`Recorder::collected`], [`Recorder::traffic`];
//! - at the end, counts by source rule ([`Recorder::rule`]), and by kernel ([`Recorder::kernel`]) as launches return.
//!
//! Points are cumulative, so a long run keeps every second point when the recorder is full, and differences stay right.
//! Nothing is recorded when no recorder is lent: executors keep their counting apart from the code that runs then.

mod roofline;
mod sampler;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::rule::RuleId;
use crate::stop::Progress;

pub use roofline::RooflinePeaks;
pub use sampler::{Place, Sampler};

/// Points kept at most; when there are as many, every second one is dropped.
pub const MOST_POINTS: usize = 4096;
/// Steps between two points at first. Doubles when points are dropped.
const FIRST_SLICE: u64 = 64;

/// Where a run was at one moment. All counts are totals since the start, except the peaks.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize)]
pub struct Point {
    /// Seconds since the recorder was made.
    pub seconds: f64,
    /// Rounds or iterations; 0 for executors that have none.
    pub rounds: u64,
    /// Rule applications or firings.
    pub steps: u64,
    /// Rows tried: what was looked at as a partner in a join, and active constraints of rules with one head.
    pub tried: u64,
    /// Live constraints, or cells or slots in use.
    pub live: u64,
    /// Bytes in use by the run's own tables.
    pub bytes: u64,
    /// Garbage collections.
    pub collections: u64,
    /// Device memory traffic, where it is counted.
    pub traffic: Traffic,
    /// Most steps in one round since the point before.
    pub peak_steps: u64,
}

/// Memory traffic of kernels, as their text states it: what compilers and caches save is not taken off.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
pub struct Traffic {
    /// Bytes read, in whole sectors of 32 bytes that a warp's access touches.
    pub read: u64,
    /// Bytes written, in whole sectors.
    pub written: u64,
    /// Of the bytes read and written, those of random accesses: see [`Traffic::is_random`].
    pub random: u64,
    /// Atomic read-modify-writes. Loads and stores with an order are not counted: threads wait with them.
    pub atomics: u64,
}

impl Traffic {
    /// Bytes of the unit in which GPUs move memory.
    pub const SECTOR: u64 = 32;

    /// Whether a warp's access is random: its lanes asked for less than half of the bytes in the sectors that they
    /// touch. All other accesses are coalesced.
    pub fn is_random(sectors: u64, asked: u64) -> bool {
        sectors * Self::SECTOR > 2 * asked
    }

    /// Bytes read and written.
    pub fn moved(&self) -> u64 {
        self.read + self.written
    }

    /// Bytes of accesses that are not random.
    pub fn coalesced(&self) -> u64 {
        self.moved().saturating_sub(self.random)
    }

    /// What was added since an earlier total.
    #[must_use]
    pub fn since(&self, before: &Traffic) -> Traffic {
        Traffic {
            read: self.read.saturating_sub(before.read),
            written: self.written.saturating_sub(before.written),
            random: self.random.saturating_sub(before.random),
            atomics: self.atomics.saturating_sub(before.atomics),
        }
    }
}

impl std::ops::AddAssign for Traffic {
    fn add_assign(&mut self, more: Self) {
        self.read += more.read;
        self.written += more.written;
        self.random += more.random;
        self.atomics += more.atomics;
    }
}

/// What one source rule did.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize)]
pub struct RuleCount {
    /// Times it was applied, or fired.
    pub applied: u64,
    /// Rows tried for it; see [`Point::tried`].
    pub tried: u64,
    /// Share of the run's time, if sampled: from a rule's application, or the beginning of the search for it, to that
    /// of the next rule.
    pub share: f64,
}

/// What one kernel did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelCount {
    /// Its name.
    pub name: String,
    /// Launches.
    pub launches: u64,
    /// Milliseconds on the device's clock.
    pub ms: f64,
    /// Memory traffic, where the device counts it.
    pub traffic: Option<Traffic>,
}

/// Where a round ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// Rounds so far.
    pub rounds: u64,
    /// Steps, bytes and live constraints or cells so far.
    pub progress: Progress,
}

/// Records the course of one run.
#[derive(Clone, Debug)]
pub struct Recorder {
    start: Instant,
    points: Vec<Point>,
    /// The totals that executors report between points.
    now: Point,
    slice: u64,
    rules: Vec<RuleCount>,
    kernels: Vec<KernelCount>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// An empty recorder; its clock starts now.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            points: Vec::new(),
            now: Point::default(),
            slice: FIRST_SLICE,
            rules: Vec::new(),
            kernels: Vec::new(),
        }
    }

    /// Steps that an executor without rounds should take between two points.
    pub fn slice(&self) -> u64 {
        self.slice
    }

    /// Rounds that an executor may run between two calls of [`round`](Self::round): one, until a run has so many rounds
    /// that points are dropped many times over.
    pub fn rounds_per_point(&self) -> u32 {
        (self.now.rounds / (16 * MOST_POINTS as u64)).clamp(1, 1 << 10) as u32
    }

    /// Adds a point between rounds, or in a run without rounds. A run in rounds is drawn by its rounds alone: once it
    /// has reported one, other points are dropped.
    pub fn point(&mut self, progress: Progress) {
        if self.now.rounds == 0 {
            self.push(progress);
        }
    }

    /// Adds a point at the end of a round.
    pub fn round(&mut self, round: Round) {
        let before = self.now;
        self.now.rounds = round.rounds;
        let rounds = round.rounds.saturating_sub(before.rounds).max(1);
        // Of several rounds at once only the mean is known.
        let peak = round.progress.steps.saturating_sub(before.steps).div_ceil(rounds);
        self.now.peak_steps = before.peak_steps.max(peak);
        self.push(round.progress);
    }

    /// Counts rows that were tried.
    pub fn tried(&mut self, more: u64) {
        self.now.tried += more;
    }

    /// Sets the number of collections so far.
    pub fn collected(&mut self, total: u64) {
        self.now.collections = total;
    }

    /// Sets the memory traffic so far.
    pub fn traffic(&mut self, total: Traffic) {
        self.now.traffic = total;
    }

    /// Adds to the counts of a rule.
    pub fn rule(&mut self, rule: RuleId, count: RuleCount) {
        let index = rule.0 as usize;
        if index >= self.rules.len() {
            self.rules.resize(index + 1, RuleCount::default());
        }
        let sum = &mut self.rules[index];
        sum.applied += count.applied;
        sum.tried += count.tried;
        sum.share += count.share;
    }

    /// Adds a launch of a kernel.
    pub fn kernel(&mut self, name: &str, took: Duration, traffic: Option<Traffic>) {
        let ms = took.as_secs_f64() * 1e3;
        let at = self.kernels.iter().position(|k| k.name == name).unwrap_or_else(|| {
            self.kernels.push(KernelCount { name: name.into(), launches: 0, ms: 0.0, traffic: None });
            self.kernels.len() - 1
        });
        let sum = &mut self.kernels[at];
        sum.launches += 1;
        sum.ms += ms;
        if let Some(more) = traffic {
            *sum.traffic.get_or_insert_default() += more;
        }
    }

    /// Takes over what another run of the same program counted: counts by rule, traffic, rows tried. Kernels that count
    /// take longer, so this run says when, and the other one how much. Says whether the runs took as many steps; if
    /// they did not, nothing is taken.
    pub fn adopt(&mut self, counted: &Recorder) -> bool {
        let (Some(end), Some(other)) = (self.points.last(), counted.points.last()) else { return false };
        if end.steps != other.steps {
            return false;
        }
        if end.rounds > 0 {
            for point in &mut self.points {
                let there = counted.at_round(point.rounds);
                (point.traffic, point.tried) = (there.traffic, there.tried);
            }
        } else if let (Some(begin), Some(from)) = (self.points.first(), counted.points.first()) {
            // Points of a launch come from counters: its course is that of the other run, in the time of this one.
            let scale = (end.seconds - begin.seconds) / (other.seconds - from.seconds).max(1e-9);
            let (begin, from) = (begin.seconds, from.seconds);
            let moved = |p: &Point| Point { seconds: begin + (p.seconds - from) * scale, ..*p };
            self.points = counted.points.iter().map(moved).collect();
        }
        self.rules.clone_from(&counted.rules);
        for kernel in &mut self.kernels {
            let same = counted.kernels.iter().find(|other| other.name == kernel.name);
            kernel.traffic = same.and_then(|other| other.traffic);
        }
        true
    }

    /// The first point at a round, or behind it.
    fn at_round(&self, round: u64) -> Point {
        let at = self.points.partition_point(|p| p.rounds < round);
        self.points.get(at).or(self.points.last()).copied().unwrap_or_default()
    }

    /// The points in order of time.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Counts by rule, at the position of its id; shorter than the program when the last rules were not reported.
    pub fn rules(&self) -> &[RuleCount] {
        &self.rules
    }

    /// Counts by kernel, in order of the first launch.
    pub fn kernels(&self) -> &[KernelCount] {
        &self.kernels
    }

    /// Whether rules were counted; not all executors can.
    pub fn counts_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Most steps in one round; nothing for runs without rounds.
    pub fn peak_parallelism(&self) -> Option<u64> {
        (self.now.rounds > 0).then(|| self.points.iter().map(|p| p.peak_steps).max().unwrap_or(0))
    }

    fn push(&mut self, progress: Progress) {
        let Progress { steps, bytes, live } = progress;
        let seconds = self.start.elapsed().as_secs_f64();
        self.now = Point { seconds, steps, bytes, live, ..self.now };
        self.points.push(self.now);
        self.now.peak_steps = 0;
        if self.points.len() >= MOST_POINTS {
            self.thin();
        }
    }

    /// Keeps the first point and every second one from the last backwards; what is dropped leaves its peaks behind.
    fn thin(&mut self) {
        let old = std::mem::take(&mut self.points);
        // The start, perhaps with its successor, then pairs up to the last point.
        let (start, pairs) = old.split_at(2 - old.len() % 2);
        for pair in start.chunks(1).chain(pairs.chunks(2)) {
            let Some(&last) = pair.last() else { continue };
            let kept = pair.iter().fold(last, |kept, p| Point {
                bytes: kept.bytes.max(p.bytes),
                live: kept.live.max(p.live),
                peak_steps: kept.peak_steps.max(p.peak_steps),
                ..kept
            });
            self.points.push(kept);
        }
        self.slice = self.slice.saturating_mul(2);
    }
}
