//! Random numbers of a seed: the same on every machine and in every run.

/// A random number generator: a case is its seed.
pub struct Random(fastrand::Rng);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number below a bound, each as likely as any other.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    /// True so many times of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Any word.
    pub fn word(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// One of several.
    pub fn pick<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }
}
