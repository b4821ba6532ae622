//! Files that a program opens, as it sees them.

use gchr_base::hash::HashMap;

use super::input::Input;

/// Streams beside the standard ones. A stream is a number; 0 is the console.
#[derive(Default, Debug)]
pub(crate) struct Files {
    pub open: Vec<Option<Stream>>,
    /// The stream that is read from, and the one that is written to.
    pub input: usize,
    pub output: usize,
    /// Files that the program wrote, which nothing else sees.
    pub written: HashMap<String, String>,
    pub aliases: HashMap<String, usize>,
    /// Whether files of the machine may be read.
    pub readable: bool,
}

/// A file that is open.
#[derive(Debug)]
pub(crate) enum Stream {
    Read { name: String, input: Input },
    Write { name: String, text: String },
}

impl Files {
    /// A stream that is open.
    pub fn get(&mut self, id: usize) -> Option<&mut Stream> {
        self.open.get_mut(id.checked_sub(1)?)?.as_mut()
    }
    /// The text that a stream was given.
    pub fn text(&mut self, id: usize) -> Option<&mut String> {
        match self.get(id)? {
            Stream::Write { text, .. } => Some(text),
            Stream::Read { .. } => None,
        }
    }
    /// The text of the current output, if it is a file.
    pub fn current(&mut self) -> Option<&mut String> {
        self.text(self.output)
    }
    /// Adds a stream; its number.
    pub fn add(&mut self, stream: Stream) -> usize {
        self.open.push(Some(stream));
        self.open.len()
    }
}
