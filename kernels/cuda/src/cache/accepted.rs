//! The form of a note that kernels were accepted: magic number, the key that it is for, checksum.
//!
//! The key is in the name of the file and in its content: a file that is truncated, renamed or copied is invalid.

use sha2::{Digest, Sha256};

use super::key::CacheKey;

const MAGIC: &[u8; 8] = b"gchracc1";

pub(super) fn encode(key: &CacheKey) -> Vec<u8> {
    let mut bytes = [&MAGIC[..], &key.0].concat();
    bytes.extend_from_slice(&Sha256::digest(&bytes));
    bytes
}

pub(super) fn is_for(key: &CacheKey, bytes: &[u8]) -> bool {
    bytes == encode(key)
}
