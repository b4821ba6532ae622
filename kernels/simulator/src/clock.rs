//! Vector clocks over one global time, compressed by warp and block.
//!
//! Time is one counter for the whole device; it advances with every event that orders threads (barriers, releases,
//! fences). A thread
//! *knows* another one up to time `t` when everything that one did until `t` happened before. A [`Clock`] says so for
//! whole blocks, for warps, and for single threads; an entry that a wider one covers is dropped.
//!
//! Two bounds keep a clock small. When it has more than [`MAX_THREADS`] entries for threads they are widened to their
//! warps, and more than [`MAX_WARPS`] entries for warps are widened to their blocks. That claims more order than there
//! is: it can hide a race, and never invents one.

/// Entries for single threads that a clock keeps.
const MAX_THREADS: usize = 96;
/// Entries for warps that a clock keeps.
const MAX_WARPS: usize = 256;

/// A moment: the count of ordering events.
pub(crate) type Time = u32;
/// Number of a thread in the grid: lane in the low 5 bits, warps of a block adjacent.
pub(crate) type Thread = u32;

/// Sorted pairs of a number and the time up to which it is known.
type Entries = Vec<(u32, Time)>;

/// The vector clock of a thread.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Clock {
    blocks: Entries,
    warps: Entries,
    threads: Entries,
}

/// A component of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockIndex {
    Block(u32),
    Warp(u32),
    Thread(Thread),
}

fn get(entries: &Entries, key: u32) -> Time {
    match entries.as_slice() {
        [] => 0,
        [(k, t)] => {
            if *k == key {
                *t
            } else {
                0
            }
        }
        more => more.binary_search_by_key(&key, |e| e.0).map_or(0, |i| more[i].1),
    }
}

fn raise(entries: &mut Entries, key: u32, time: Time) {
    match entries.binary_search_by_key(&key, |e| e.0) {
        Ok(i) => entries[i].1 = entries[i].1.max(time),
        Err(i) => entries.insert(i, (key, time)),
    }
}

fn merge(a: &Entries, b: &Entries) -> Entries {
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let (mut i, mut j) = (0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        match x.0.cmp(&y.0) {
            std::cmp::Ordering::Less => {
                out.push(x);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(y);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                out.push((x.0, x.1.max(y.1)));
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

impl Clock {
    /// Whether everything that `thread` did up to `time` happened before.
    pub(crate) fn knows(&self, thread: Thread, time: Time, warps_per_block: u32) -> bool {
        let warp = thread / 32;
        time <= get(&self.blocks, warp / warps_per_block)
            || time <= get(&self.warps, warp)
            || time <= get(&self.threads, thread)
    }
    /// Learns that everything `who` did up to `time` happened before.
    pub(crate) fn learn(&mut self, who: ClockIndex, time: Time, warps_per_block: u32) {
        match who {
            ClockIndex::Block(block) => raise(&mut self.blocks, block, time),
            ClockIndex::Warp(warp) => raise(&mut self.warps, warp, time),
            ClockIndex::Thread(thread) => raise(&mut self.threads, thread, time),
        }
        self.compress(warps_per_block);
    }
    /// The maximum of two clocks.
    pub(crate) fn joined(&self, other: &Clock, warps_per_block: u32) -> Clock {
        let mut clock = Clock {
            blocks: merge(&self.blocks, &other.blocks),
            warps: merge(&self.warps, &other.warps),
            threads: merge(&self.threads, &other.threads),
        };
        clock.compress(warps_per_block);
        clock
    }
    /// Whether this clock knows all that `other` does.
    pub(crate) fn covers(&self, other: &Clock, warps_per_block: u32) -> bool {
        other.blocks.iter().all(|&(b, t)| t <= get(&self.blocks, b))
            && other
                .warps
                .iter()
                .all(|&(w, t)| t <= get(&self.warps, w).max(get(&self.blocks, w / warps_per_block)))
            && other.threads.iter().all(|&(thread, t)| self.knows(thread, t, warps_per_block))
    }

    fn compress(&mut self, warps_per_block: u32) {
        if self.threads.len() > MAX_THREADS {
            for (thread, time) in std::mem::take(&mut self.threads) {
                raise(&mut self.warps, thread / 32, time);
            }
        }
        if self.warps.len() > MAX_WARPS {
            for (warp, time) in std::mem::take(&mut self.warps) {
                raise(&mut self.blocks, warp / warps_per_block, time);
            }
        }
        let Self { blocks, warps, threads } = self;
        if !blocks.is_empty() {
            warps.retain(|&(warp, time)| time > get(blocks, warp / warps_per_block));
        }
        if !(blocks.is_empty() && warps.is_empty()) {
            threads.retain(|&(thread, time)| {
                let warp = thread / 32;
                time > get(warps, warp) && time > get(blocks, warp / warps_per_block)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WPB: u32 = 2;

    fn clock(entries: &[(ClockIndex, Time)]) -> Clock {
        let mut clock = Clock::default();
        for &(who, time) in entries {
            clock.learn(who, time, WPB);
        }
        clock
    }

    #[test]
    fn wider_entries_cover_narrower_ones() {
        let c = clock(&[(ClockIndex::Thread(70), 5), (ClockIndex::Warp(2), 3), (ClockIndex::Block(1), 4)]);
        assert!(c.knows(70, 5, WPB) && !c.knows(70, 6, WPB));
        assert!(c.knows(71, 4, WPB) && !c.knows(71, 5, WPB));
        assert!(c.warps.is_empty());
        let c = clock(&[(ClockIndex::Thread(70), 5), (ClockIndex::Block(1), 9)]);
        assert!(c.threads.is_empty() && c.knows(70, 9, WPB));
    }

    #[test]
    fn joining_knows_both() {
        let a = clock(&[(ClockIndex::Thread(1), 5), (ClockIndex::Block(3), 2)]);
        let b = clock(&[(ClockIndex::Thread(1), 7), (ClockIndex::Warp(0), 4)]);
        let c = a.joined(&b, WPB);
        assert!(c.covers(&a, WPB) && c.covers(&b, WPB));
        assert!(!a.covers(&b, WPB) && !b.covers(&a, WPB));
        assert!(c.knows(1, 7, WPB) && c.knows(2, 4, WPB) && !c.knows(2, 5, WPB));
    }

    #[test]
    fn a_clock_stays_small() {
        let mut c = Clock::default();
        for i in 0..100_000 {
            c.learn(ClockIndex::Thread(i), i + 1, WPB);
            assert!(c.threads.len() <= MAX_THREADS && c.warps.len() <= MAX_WARPS);
        }
        assert!(c.knows(12_345, 12_346, WPB));
    }
}
