//! Writers that escape what goes through them: for results of any size.

use std::io::{self, IsTerminal, Write};

use super::{code, is_hidden};

/// A writer that passes text on with some characters replaced. The text comes in pieces of any size, cut anywhere.
pub struct Filter<W> {
    pub(super) out: W,
    replace: fn(char) -> Option<String>,
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

/// A writer for a terminal: ends of lines and tabs stay, everything else that is hidden is written by its number.
pub fn terminal<W: Write>(out: W) -> Filter<W> {
    let replace = |c: char| (is_hidden(c) && !matches!(c, '\n' | '\t')).then(|| code(c));
    Filter { out, replace, begun: Vec::new() }
}

/// A stream for what programs hold and write: a terminal obeys nothing of it, any other reader gets it as it is.
pub fn shown(stream: impl Write + IsTerminal + Send + 'static) -> Box<dyn Write + Send> {
    if stream.is_terminal() { Box::new(terminal(stream)) } else { Box::new(stream) }
}

/// A writer for JSON that is valid already: hidden characters, which may stand in strings only, are escaped, so that a
/// terminal can show it. It means the same.
pub fn json<W: Write>(out: W) -> Filter<W> {
    // The ends of lines and tabs are those between values.
    let replace = |c: char| {
        (is_hidden(c) && !matches!(c, '\n' | '\t' | '\r')).then(|| format!("\\u{:04x}", u32::from(c)))
    };
    Filter { out, replace, begun: Vec::new() }
}

/// JSON that is valid already, as [`json`] writes it.
pub fn json_text(text: &str) -> String {
    let mut out = Vec::new();
    // Memory takes everything, and what is text stays text.
    let _ = json(&mut out).write_all(text.as_bytes());
    String::from_utf8(out).unwrap_or_default()
}

/// First bytes of characters that are hidden.
fn may_begin_hidden(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2)
}

impl<W: Write> Filter<W> {
    /// Passes whole characters on.
    fn pass(&mut self, text: &str) -> io::Result<()> {
        let bytes = text.as_bytes();
        let (mut done, mut at) = (0, 0);
        while let Some(found) = bytes[at..].iter().position(|&b| may_begin_hidden(b)) {
            let start = at + found;
            let Some(c) = text[start..].chars().next() else { break };
            at = start + c.len_utf8();
            if let Some(other) = (self.replace)(c) {
                self.out.write_all(&bytes[done..start])?;
                self.out.write_all(other.as_bytes())?;
                done = at;
            }
        }
        self.out.write_all(&bytes[done..])
    }

    /// Passes on what is whole, and keeps the rest.
    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => return self.pass(text),
                Err(error) => {
                    let (whole, rest) = bytes.split_at(error.valid_up_to());
                    // It has just been found to be text.
                    self.pass(std::str::from_utf8(whole).unwrap_or_default())?;
                    match error.error_len() {
                        None => {
                            self.begun = rest.to_vec();
                            return Ok(());
                        }
                        Some(wrong) => {
                            self.out.write_all("\u{fffd}".as_bytes())?;
                            bytes = &rest[wrong..];
                        }
                    }
                }
            }
        }
    }
}

impl<W: Write> Write for Filter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun.is_empty() {
            self.take(bytes)?;
        } else {
            let mut all = std::mem::take(&mut self.begun);
            all.extend_from_slice(bytes);
            self.take(&all)?;
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
