//! Numbers of what a round finds: positions of 32 bits, checked where they are made.

use gchr_base::error::StopReason;

/// Makes positions numbers, as long as they fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    most: u32,
}

/// A position has no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooMany;

impl Numbers {
    pub(crate) fn new() -> Self {
        #[cfg(test)]
        let most = tests::MOST.get();
        #[cfg(not(test))]
        let most = u32::MAX;
        Self { most }
    }

    /// The number of a position.
    #[inline]
    pub(crate) fn of(self, position: usize) -> Result<u32, TooMany> {
        u32::try_from(position).ok().filter(|&number| number <= self.most).ok_or(TooMany)
    }

    /// What stops a run whose positions have no numbers.
    pub(crate) fn reason(self) -> StopReason {
        StopReason::Indices { what: "what a round finds".into(), limit: u64::from(self.most) }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// The greatest number in runs that this thread starts.
        pub(crate) static MOST: Cell<u32> = const { Cell::new(u32::MAX) };
    }
}
