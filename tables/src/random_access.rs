//! A file that several threads read at different places.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::Error;

/// Bytes read at a time where nobody says how many are needed.
const PIECE: usize = 1 << 16;

/// A file and its length.
#[derive(Clone, Debug)]
pub struct RandomAccess {
    file: Arc<File>,
    length: u64,
}

impl RandomAccess {
    /// Opens a file; only one of known length can be read at any place.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path)?;
        let known = file.metadata()?;
        if known.is_dir() {
            return Err(Error::Io(io::Error::other("it is a folder")));
        }
        if !known.is_file() {
            return Err(Error::Io(io::Error::other("only a file can be read at any place of it")));
        }
        Ok(Self { file: Arc::new(file), length: known.len() })
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether a range lies in the file; so nothing is allocated for one that does not.
    pub fn check(&self, start: u64, length: u64) -> io::Result<()> {
        match start.checked_add(length) {
            Some(end) if end <= self.length => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Fills `bytes` from a place on.
    pub fn read_exact_at(&self, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
        self.check(at, bytes.len() as u64)?;
        while !bytes.is_empty() {
            match self.read_at(bytes, at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    bytes = &mut bytes[read..];
                    at += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&*self.file, bytes, at)
    }

    #[cfg(windows)]
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&*self.file, bytes, at)
    }

    /// A reader from a place on.
    pub fn reader(&self, at: u64) -> io::BufReader<FromHere> {
        io::BufReader::with_capacity(PIECE, FromHere { source: self.clone(), at })
    }
}

/// Reads from a place on.
pub struct FromHere {
    source: RandomAccess,
    at: u64,
}

impl Read for FromHere {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read_at(bytes, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
