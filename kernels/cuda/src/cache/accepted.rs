//! The form of a note that kernels were accepted: magic number, the key that it is for, checksum.
//!
//! The name of the file says whose note it is, and so does its content: a file that was torn, renamed or copied is no note.

use sha2::{Digest, Sha256};

use super::Key;

const MAGIC: &[u8; 8] = b"gchracc1";

pub(super) fn encode(key: &Key) -> Vec<u8> {
    let mut bytes = [&MAGIC[..], &key.0].concat();
    bytes.extend_from_slice(&Sha256::digest(&bytes));
    bytes
}

pub(super) fn is_for(key: &Key, bytes: &[u8]) -> bool {
    bytes == encode(key)
}
