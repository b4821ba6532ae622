//! The text that a program reads.

use std::io::Read;

/// Where input comes from, and what of it was not read yet.
#[derive(Default)]
pub(crate) struct Input {
    /// The source; `None` where there is none, or at its end.
    pub source: Option<Box<dyn Read>>,
    pub text: String,
    /// The byte of `text` that is read next.
    pub at: usize,
    /// Bytes at the end of what was read that are no whole character.
    pub partial: Vec<u8>,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Input {
    /// A text that is there already.
    pub fn of(text: String) -> Self {
        Self { text, ..Self::default() }
    }
    /// What is to be read next.
    pub fn rest(&self) -> &str {
        &self.text[self.at..]
    }
}
