//! Texts that are packed by zstd.

use std::io::{self, BufRead, Read};

/// What a packed text contains. Several packed parts after each other are one text.
pub fn unpack_zstd(packed: impl BufRead) -> io::Result<impl Read> {
    zstd::Decoder::with_buffer(packed)
}
