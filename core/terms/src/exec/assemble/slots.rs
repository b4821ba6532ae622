//! Slots of a frame: which are in use, and moves between them that happen at once.

use super::Assembler;
use crate::exec::bytecode::{Instr, Slot};
use gchr_base::hash::HashMap;

/// A set of slots.
#[derive(Clone, Default)]
pub(super) struct SlotSet(Vec<u64>);

impl SlotSet {
    pub(super) fn insert(&mut self, slot: Slot) {
        let word = usize::from(slot) / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        if let Some(word) = self.0.get_mut(usize::from(slot) / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    pub(super) fn contains(&self, slot: Slot) -> bool {
        self.0.get(usize::from(slot) / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// One more than the last slot of the set.
    pub(super) fn end(&self) -> usize {
        let last = self.0.iter().rposition(|&word| word != 0);
        last.map_or(0, |at| at * 64 + 64 - self.0[at].leading_zeros() as usize)
    }

    /// The first slot that is neither in this set nor in the list.
    pub(super) fn first_free(&self, reserved: &[Slot]) -> usize {
        let mut from = 0;
        loop {
            let words = self.0.iter().enumerate().skip(from / 64);
            let free = words.map(|(at, &word)| {
                (at, !word & if at == from / 64 { u64::MAX << (from % 64) } else { u64::MAX })
            });
            let found = free.clone().find(|&(_, free)| free != 0);
            let slot = found
                .map_or(from.max(self.0.len() * 64), |(at, free)| at * 64 + free.trailing_zeros() as usize);
            if !reserved.iter().any(|&other| usize::from(other) == slot) {
                return slot;
            }
            from = slot + 1;
        }
    }
}

impl Assembler<'_> {
    /// Moves that happen at once.
    pub(super) fn moves(&mut self, moves: &[(Slot, Slot)]) {
        let mut left: Vec<(Slot, Slot)> = moves.iter().copied().filter(|(d, s)| d != s).collect();
        if left.len() > 3 {
            self.all_but_three(&mut left);
        }
        match *left.as_slice() {
            [] => {}
            [(dst, src)] => {
                self.emit(Instr::Move { dst, src });
            }
            [(d0, s0), (d1, s1)] => {
                self.emit(Instr::Move2 { dst: [d0, d1], src: [s0, s1] });
            }
            _ => {
                let dst = [left[0].0, left[1].0, left[2].0];
                let src = [left[0].1, left[1].1, left[2].1];
                self.emit(Instr::Move3 { dst, src });
            }
        }
    }

    /// Makes moves one after the other until three are left, which one instruction does at once.
    fn all_but_three(&mut self, left: &mut Vec<(Slot, Slot)>) {
        let mut into: HashMap<Slot, Slot> = left.iter().copied().collect();
        let mut readers: HashMap<Slot, u32> = HashMap::default();
        left.iter().for_each(|&(_, src)| *readers.entry(src).or_default() += 1);
        // Slots that are written and that no other move reads any more.
        let mut ready: Vec<Slot> =
            left.iter().map(|&(dst, _)| dst).filter(|dst| !readers.contains_key(dst)).collect();
        let mut pending = left.iter();
        while into.len() > 3 {
            if let Some(dst) = ready.pop() {
                let Some(src) = into.remove(&dst) else { continue };
                self.emit(Instr::Move { dst, src });
                let reads = readers.entry(src).or_default();
                *reads = reads.saturating_sub(1);
                if *reads == 0 && into.contains_key(&src) {
                    ready.push(src);
                }
            } else if let Some((dst, src)) = pending.next().and_then(|(dst, _)| Some((*dst, *into.get(dst)?)))
            {
                // A cycle: its value waits in a slot above all others. One that no move names may hold a value that
                // stays.
                let scratch = self.frame as Slot;
                self.frame += 1;
                self.emit(Instr::Move { dst: scratch, src });
                into.insert(dst, scratch);
                ready.push(src);
            }
        }
        left.retain_mut(|(dst, src)| {
            let still = into.get(dst);
            *src = still.copied().unwrap_or(*src);
            still.is_some()
        });
    }
}
