//! The form of a cache entry: magic number, two lengths, checksum, log, code.

use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"gchrker1";
const CHECKSUM: usize = 32;
const HEADER: usize = MAGIC.len() + 8 + 8 + CHECKSUM;

/// What is kept of a compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What the compiler said.
    pub log: String,
    /// Cubin or PTX.
    pub code: Vec<u8>,
}

impl Entry {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + self.log.len() + self.code.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(self.log.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.code.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&checksum(&bytes, self.log.as_bytes(), &self.code));
        bytes.extend_from_slice(self.log.as_bytes());
        bytes.extend_from_slice(&self.code);
        bytes
    }

    /// `None` unless every byte is as it was written.
    pub(super) fn decode(bytes: &[u8]) -> Option<Entry> {
        let (header, body) = bytes.split_at_checked(HEADER)?;
        let (lengths, sum) = header.split_at(HEADER - CHECKSUM);
        let length = |at: usize| -> Option<usize> {
            usize::try_from(u64::from_le_bytes(lengths.get(at..at + 8)?.try_into().ok()?)).ok()
        };
        let (log, code) = body.split_at_checked(length(MAGIC.len())?)?;
        let whole = lengths.starts_with(MAGIC) && code.len() == length(MAGIC.len() + 8)?;
        if !whole || checksum(lengths, log, code) != sum {
            return None;
        }
        Some(Entry { log: String::from_utf8(log.to_vec()).ok()?, code: code.to_vec() })
    }
}

fn checksum(lengths: &[u8], log: &[u8], code: &[u8]) -> [u8; CHECKSUM] {
    Sha256::new().chain_update(lengths).chain_update(log).chain_update(code).finalize().into()
}
