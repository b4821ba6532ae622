//! What is kept of a compile: the length of the log, the log, the code.

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
        [&(self.log.len() as u64).to_le_bytes(), self.log.as_bytes(), &self.code].concat()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Entry> {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (log, code) = rest.split_at_checked(length)?;
        Some(Entry { log: String::from_utf8(log.to_vec()).ok()?, code: code.to_vec() })
    }
}
