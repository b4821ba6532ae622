//! Compiled code: a cubin for one architecture, or PTX that the driver translates.

use std::fmt;

use gchr_base::diagnostic::Diagnostic;

use super::arch::Arch;

/// A module of compiled kernels that has the right outer form: the driver gets no length, so it must never see a
/// damaged one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    arch: Arch,
    /// An ELF file, or PTX text that ends with a NUL.
    bytes: Vec<u8>,
}

/// Why bytes are no image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageError(&'static str);

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the compiled kernels are damaged: {}", self.0)
    }
}

impl std::error::Error for ImageError {}

impl From<ImageError> for Diagnostic {
    fn from(error: ImageError) -> Self {
        Diagnostic::error("D0301", error.to_string()).help("compile them again")
    }
}

impl Image {
    /// Machine code.
    pub fn cubin(arch: Arch, bytes: Vec<u8>) -> Result<Image, ImageError> {
        check_elf(&bytes)?;
        Ok(Image { arch, bytes })
    }

    /// PTX.
    pub fn ptx(arch: Arch, text: String) -> Result<Image, ImageError> {
        let mut bytes = text.into_bytes();
        if bytes.is_empty() || bytes.contains(&0) {
            return Err(ImageError("PTX is text without NUL characters"));
        }
        bytes.push(0);
        Ok(Image { arch, bytes })
    }

    /// The form that fits the architecture: cubin for a real one, PTX for a virtual one. Takes what
    /// [`content`](Self::content) gives.
    pub fn from_content(arch: Arch, content: Vec<u8>) -> Result<Image, ImageError> {
        match arch {
            Arch::Real(_) => Image::cubin(arch, content),
            Arch::Virtual(_) => {
                Image::ptx(arch, String::from_utf8(content).map_err(|_| ImageError("PTX is UTF-8 text"))?)
            }
        }
    }

    /// What it is compiled for.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// The cubin or the PTX text, as it would be written to a file.
    pub fn content(&self) -> &[u8] {
        match self.arch {
            Arch::Real(_) => &self.bytes,
            Arch::Virtual(_) => &self.bytes[..self.bytes.len() - 1],
        }
    }

    /// What the driver is given.
    pub(super) fn loadable(&self) -> &[u8] {
        &self.bytes
    }
}

/// Checks that a 64-bit little-endian ELF file ends where its tables say that it does.
fn check_elf(bytes: &[u8]) -> Result<(), ImageError> {
    const HEADER: usize = 64;
    const SECTION_HEADER: u64 = 64;
    const PROGRAM_HEADER: u64 = 56;
    /// Sections without content in the file: SHT_NOBITS, and those of objects for global, local and shared memory.
    const NO_BITS: [u32; 4] = [8, 0x7000_0007, 0x7000_0009, 0x7000_000a];
    let truncated = ImageError("the file is truncated");
    if bytes.len() < HEADER || !bytes.starts_with(b"\x7fELF\x02\x01") {
        return Err(ImageError("a cubin is a 64-bit ELF file"));
    }
    let half = |at: usize| u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let word = |at: u64| -> Option<u32> {
        let at = usize::try_from(at).ok()?;
        Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
    };
    let long = |at: u64| -> Option<u64> {
        let at = usize::try_from(at).ok()?;
        Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
    };
    let within = |start: u64, size: u64| start.checked_add(size).is_some_and(|end| end <= bytes.len() as u64);
    let (programs, sections) = (long(0x20).unwrap_or(0), long(0x28).unwrap_or(0));
    let (n_programs, n_sections) = (half(0x38), half(0x3c));
    if n_sections == 0 {
        return Err(ImageError("the file has no sections"));
    }
    if (n_programs > 0 && half(0x36) != PROGRAM_HEADER) || half(0x3a) != SECTION_HEADER {
        return Err(ImageError("its tables have an unknown form"));
    }
    if !within(programs, n_programs * PROGRAM_HEADER) || !within(sections, n_sections * SECTION_HEADER) {
        return Err(truncated);
    }
    for i in 0..n_sections {
        let at = sections + i * SECTION_HEADER;
        let (Some(kind), Some(offset), Some(size)) = (word(at + 4), long(at + 0x18), long(at + 0x20)) else {
            return Err(truncated);
        };
        if !NO_BITS.contains(&kind) && !within(offset, size) {
            return Err(truncated);
        }
    }
    for i in 0..n_programs {
        let at = programs + i * PROGRAM_HEADER;
        let (Some(offset), Some(size)) = (long(at + 0x08), long(at + 0x20)) else {
            return Err(truncated);
        };
        if !within(offset, size) {
            return Err(truncated);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file with one section of eight bytes after the header table.
    fn elf() -> Vec<u8> {
        let mut bytes = vec![0; 64 + 64 + 8];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[0x28] = 64;
        bytes[0x3a] = 64;
        bytes[0x3c] = 1;
        bytes[64 + 4] = 1;
        bytes[64 + 0x18] = 128;
        bytes[64 + 0x20] = 8;
        bytes
    }

    #[test]
    fn a_whole_file_is_taken_and_every_shorter_one_refused() {
        let whole = elf();
        assert!(Image::cubin(Arch::Real(90), whole.clone()).is_ok());
        for length in 0..whole.len() {
            assert!(Image::cubin(Arch::Real(90), whole[..length].to_vec()).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn tables_outside_the_file_are_refused() {
        for at in [0x28, 0x3a, 0x3c, 64 + 0x18, 64 + 0x20] {
            let mut bytes = elf();
            bytes[at..at + 2].fill(0xff);
            assert!(Image::cubin(Arch::Real(90), bytes).is_err(), "field at {at:#x}");
        }
        let mut bytes = elf();
        bytes[64 + 0x18..64 + 0x20].fill(0xff);
        assert!(Image::cubin(Arch::Real(90), bytes).is_err());
    }

    #[test]
    fn ptx_ends_with_nul_for_the_driver_only() {
        let image = Image::ptx(Arch::Virtual(90), ".version 9.0".into()).expect("text");
        assert_eq!(image.content(), b".version 9.0");
        assert_eq!(image.loadable(), b".version 9.0\0");
        assert!(Image::ptx(Arch::Virtual(90), "a\0b".into()).is_err());
        assert!(Image::ptx(Arch::Virtual(90), String::new()).is_err());
        assert!(Image::from_content(Arch::Virtual(90), vec![0xff]).is_err());
    }
}
