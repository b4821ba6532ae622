//! What an entry of the cache is found by.

use sha2::{Digest, Sha256};

use crate::arch::Arch;
use crate::nvrtc::{NvrtcOptions, Version};

/// What an entry is found by: a SHA-256 hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CacheKey(pub(super) [u8; 32]);

impl CacheKey {
    /// The key of a compile.
    pub fn new(source: &str, name: &str, arch: Arch, options: &NvrtcOptions, version: Version) -> CacheKey {
        let (version, arch) = (version.to_string(), arch.to_string());
        let mut fields = vec![version.as_str(), &arch];
        fields.extend(options.as_slice().iter().map(String::as_str));
        fields.extend(["", name, source]);
        CacheKey::of(&fields)
    }

    /// The key of what objects are linked to, each compiled from one of the sources.
    pub fn linked(
        sources: &[String],
        name: &str,
        arch: Arch,
        options: &NvrtcOptions,
        version: Version,
    ) -> CacheKey {
        let (version, arch) = (version.to_string(), arch.to_string());
        let mut fields = vec!["linked", version.as_str(), &arch];
        fields.extend(options.as_slice().iter().map(String::as_str));
        fields.extend(["", name]);
        fields.extend(sources.iter().map(String::as_str));
        CacheKey::of(&fields)
    }

    /// The key of a check: the names of the checker, and the kernels in the kernel language.
    pub fn of_check(checker: [&str; 2], kernels: &str) -> CacheKey {
        CacheKey::of(&["check", checker[0], checker[1], kernels])
    }

    pub(super) fn of(fields: &[&str]) -> CacheKey {
        let mut hash = Sha256::new();
        for field in fields {
            // The length makes the sequence of fields unambiguous.
            hash.update((field.len() as u64).to_le_bytes());
            hash.update(field);
        }
        CacheKey(hash.finalize().into())
    }

    pub(super) fn file_name(&self, ending: &str) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "." + ending
    }
}

/// Whether a name is one that [`CacheKey::file_name`] gives.
pub(super) fn is_file_name(name: &str) -> bool {
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    name.split_once('.').is_some_and(|(hash, ending)| {
        hash.len() == 64 && hash.bytes().all(is_digit) && [super::COMPILED, super::ACCEPTED].contains(&ending)
    })
}
