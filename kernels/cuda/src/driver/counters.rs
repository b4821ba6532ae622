//! The counters of a module in its counting form, read while its kernels run or after.

use cudarc::driver::{result, sys};
use gchr_base::profile::Traffic;

use super::error::{DriverError, call};
use super::handles::{LoadedModule, Stream};
use gchr_kernel::device::Counts;
use gchr_kernel::emit::counters::{FIRST_TALLY, NAME, SLOTS};

/// Counters of a loaded module. They are read on a stream of their own, beside kernels that run.
pub(super) struct Counters {
    address: sys::CUdeviceptr,
    stream: Stream,
    /// What was read, slot by slot.
    words: Vec<u64>,
}

impl Counters {
    /// Those of a module, which must stay loaded; `None` when it does not count.
    pub fn of(module: &LoadedModule) -> Result<Option<Self>, DriverError> {
        let Some((address, bytes)) = module.global(NAME)? else { return Ok(None) };
        Ok(Some(Self { address, stream: Stream::new()?, words: vec![0; bytes / size_of::<u64>()] }))
    }

    /// Adds up what the slots hold.
    pub fn read(&mut self) -> Result<Counts, DriverError> {
        // SAFETY: the module is loaded and the variable has as many bytes as `words`, which live until the copy is
        // done: it is waited for.
        let copied = unsafe { result::memcpy_dtoh_async(&mut self.words, self.address, self.stream.raw()) };
        call("cuMemcpyDtoHAsync", copied)?;
        self.stream.synchronize()?;
        Ok(sum(&self.words))
    }
}

fn sum(words: &[u64]) -> Counts {
    let width = words.len() / SLOTS;
    let mut sums = vec![0u64; width.max(FIRST_TALLY)];
    for slot in words.chunks_exact(width.max(1)) {
        sums.iter_mut().zip(slot).for_each(|(sum, word)| *sum += word);
    }
    let bytes = |sectors: u64| sectors * Traffic::SECTOR;
    let traffic =
        Traffic { read: bytes(sums[0]), written: bytes(sums[1]), random: bytes(sums[2]), atomics: sums[3] };
    Counts { traffic, tallies: sums.split_off(FIRST_TALLY) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_added_up() {
        let mut words = vec![0; SLOTS * 6];
        words[..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
        words[6 * 255..].copy_from_slice(&[10, 20, 30, 40, 50, 60]);
        let traffic = Traffic { read: 11 * 32, written: 22 * 32, random: 33 * 32, atomics: 44 };
        assert_eq!(sum(&words), Counts { traffic, tallies: vec![55, 66] });
        assert_eq!(sum(&[0; SLOTS * 4]), Counts::default());
    }
}
