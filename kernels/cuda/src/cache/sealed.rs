//! The form of every file of the cache: magic number, key, length, checksum, content.
//!
//! The key is in the name of the file and in its content: a file that is truncated, renamed or copied is invalid.

use sha2::{Digest, Sha256};

use super::key::CacheKey;

const HASH: usize = 32;
const HEADER: usize = 8 + HASH + 8 + HASH;

/// A content with what it is found by. `magic` says what kind of content it is.
pub(super) fn seal(magic: &[u8; 8], key: &CacheKey, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + content.len());
    bytes.extend_from_slice(magic);
    bytes.extend_from_slice(&key.0);
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
    let sum = Sha256::new().chain_update(&bytes).chain_update(content).finalize();
    bytes.extend_from_slice(&sum);
    bytes.extend_from_slice(content);
    bytes
}

/// The content for a key; `None` unless every byte is as it was written, under this key.
pub(super) fn open<'a>(magic: &[u8; 8], key: &CacheKey, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (header, content) = bytes.split_at_checked(HEADER)?;
    let (known, sum) = header.split_at(HEADER - HASH);
    let length = (content.len() as u64).to_le_bytes();
    let is_right = known == [&magic[..], &key.0, &length].concat()
        && Sha256::new().chain_update(known).chain_update(content).finalize().as_slice() == sum;
    is_right.then_some(content)
}
