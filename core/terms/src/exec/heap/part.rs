//! A part of the bitmap of an arena: where runs of free cells are found.

/// A part of a bitmap, to be searched for runs of unmarked cells.
pub(super) struct Part {
    bits: *const u64,
    cursor: u32,
    end: u32,
}

impl Part {
    /// The cells `from..end` of the bitmap that begins at `bits`.
    pub fn new(bits: *const u64, from: u32, end: u32) -> Self {
        Self { bits, cursor: from, end }
    }

    /// No cells.
    pub fn empty() -> Self {
        Self::new(std::ptr::null(), 0, 0)
    }

    /// The next run of unmarked cells, or so many of them where there are more.
    pub fn next_run(&mut self, most: u32) -> Option<(u32, u32)> {
        if self.cursor >= self.end {
            return None;
        }
        let words = (self.end as usize).div_ceil(64);
        // SAFETY: the bitmap has a bit for each cell that was ever handed out, and nobody writes to it between
        // collections, which empty all parts.
        let bits = unsafe { std::slice::from_raw_parts(self.bits, words) };
        let run = find(bits, self.cursor, self.end, 0).map(|start| {
            let last = self.end.min(start.saturating_add(most));
            let end = find(bits, start, last, u64::MAX).unwrap_or(last);
            (start, end)
        });
        self.cursor = run.map_or(self.end, |run| run.1);
        run
    }

    /// Looks at the cells from `from` on again.
    pub fn back_to(&mut self, from: u32) {
        self.cursor = self.cursor.min(from);
    }
}

/// The first bit at or after `from` and below `limit` that is set after exclusive or with `flip` is undone: `flip` is 0
/// to look for clear bits, all ones to look for set bits.
fn find(bits: &[u64], from: u32, limit: u32, flip: u64) -> Option<u32> {
    let mut word = from as usize / 64;
    let mut current = !(*bits.get(word)? ^ flip) & (u64::MAX << (from % 64));
    while current == 0 {
        word += 1;
        current = !(*bits.get(word)? ^ flip);
    }
    let found = word as u32 * 64 + current.trailing_zeros();
    (found < limit).then_some(found)
}
