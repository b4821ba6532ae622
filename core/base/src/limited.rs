//! A writer that hears limits: what is written may be without end, since shared parts of a value are written each time
//! they occur.

use std::io::{self, Write};

use crate::stop::StopReason;
use crate::watch::Watch;

/// Bytes, or calls, between two looks at the watch.
const LOOK: usize = 1 << 12;

/// Passes on what is written to it as long as its watch and a limit of bytes allow. Then writing fails, and
/// [`StopReason::from`] the error says why.
pub struct Limited<'a, W> {
    out: W,
    watch: Watch<'a>,
    limit: Option<(u64, StopReason)>,
    written: u64,
    /// What was written since the last look; a call counts as a byte, too.
    unseen: usize,
}

impl<'a, W: Write> Limited<'a, W> {
    /// A writer to `out` under a watch.
    pub fn new(out: W, watch: Watch<'a>) -> Self {
        // The first call looks: what begins after the limit ends at once.
        Self { out, watch, limit: None, written: 0, unseen: LOOK }
    }
    /// Passes on at most so many bytes; `reason` is why the next one is not.
    #[must_use]
    pub fn up_to(mut self, bytes: u64, reason: StopReason) -> Self {
        self.limit = Some((bytes, reason));
        self
    }
    /// Passes on what [`Limits::max_output`](crate::control::Limits::max_output) allows.
    #[must_use]
    pub fn max_output(self, limit: Option<u64>) -> Self {
        match limit {
            Some(limit) => self.up_to(limit, StopReason::OutputSize { limit }),
            None => self,
        }
    }
    /// Bytes that were passed on.
    pub fn written(&self) -> u64 {
        self.written
    }
    /// Where the bytes go.
    pub fn get_ref(&self) -> &W {
        &self.out
    }
    /// Where the bytes go, when no more are to come.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Write for Limited<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unseen += 1 + bytes.len();
        if self.unseen > LOOK {
            self.unseen = 0;
            self.watch.look()?;
        }
        let mut room = bytes.len().min(LOOK << 4);
        if let Some((limit, reason)) = &self.limit {
            room = room.min(usize::try_from(limit.saturating_sub(self.written)).unwrap_or(usize::MAX));
            if room == 0 && !bytes.is_empty() {
                return Err(reason.clone().into());
            }
        }
        let written = self.out.write(&bytes[..room])?;
        self.written += written as u64;
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Text up to a width: for messages, which show the beginning of a value.
struct Cut {
    text: String,
    /// Characters that may follow.
    left: usize,
}

impl std::fmt::Write for Cut {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for c in text.chars() {
            if self.left == 0 {
                self.text.push_str("...");
                return Err(std::fmt::Error);
            }
            self.left -= 1;
            self.text.push(c);
        }
        Ok(())
    }
}

/// The beginning of what `shown` displays as, up to so many characters.
pub fn cut(shown: impl std::fmt::Display, width: usize) -> String {
    use std::fmt::Write as _;
    let mut cut = Cut { text: String::new(), left: width };
    // It fails when the text is cut.
    let _ = write!(cut, "{shown}");
    cut.text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    #[test]
    fn bytes_are_counted_and_end_at_the_limit() {
        let mut out = Limited::new(Vec::new(), Watch::new()).max_output(Some(10));
        out.write_all(b"0123456").unwrap();
        let error = out.write_all(b"789ab").unwrap_err();
        assert_eq!(StopReason::from(error), StopReason::OutputSize { limit: 10 });
        assert_eq!((out.written(), &out.get_ref()[..]), (10, &b"0123456789"[..]));
        let mut exact = Limited::new(Vec::new(), Watch::new()).max_output(Some(3));
        exact.write_all(b"abc").unwrap();
        assert!(exact.write_all(b"").is_ok() && exact.flush().is_ok());
    }

    /// However small or large the pieces are.
    #[test]
    fn what_never_ends_hears_flags_and_clocks() {
        let endless = |out: &mut dyn Write, piece: &[u8]| loop {
            if let Err(error) = out.write_all(piece) {
                return StopReason::from(error);
            }
        };
        for piece in [&b"x"[..], &[b'x'; 1 << 20][..]] {
            let limit = Duration::from_millis(20);
            let watch = Watch::new().timeout(Some(limit), Instant::now());
            assert_eq!(endless(&mut Limited::new(io::sink(), watch), piece), StopReason::Timeout { limit });
            let flag = AtomicBool::new(true);
            let mut out = Limited::new(io::sink(), Watch::new().interrupt(&flag));
            assert_eq!(endless(&mut out, piece), StopReason::Interrupted);
            assert_eq!(out.written(), 0);
            flag.store(false, Ordering::Relaxed);
            out.write_all(b"more").unwrap();
        }
    }

    #[test]
    fn other_errors_are_told_as_they_are() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("no space"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = Limited::new(Full, Watch::new()).write_all(b"x").unwrap_err();
        assert_eq!(StopReason::from(error), StopReason::Output { message: "no space".into() });
    }

    #[test]
    fn texts_are_cut_at_characters() {
        assert_eq!(cut("größe", 5), "größe");
        assert_eq!(cut("größe", 3), "grö...");
    }
}
