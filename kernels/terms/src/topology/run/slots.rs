//! Reads slots of the device where they are looked at: a page at a time, all of them once many pages were read.

use gchr_kernel::device::{BufferId, Device, DeviceExt, Result};

/// Slots of a page: enough for one transfer to cost little more than its start.
const PAGE: usize = 1 << 12;

/// Bytes that cross the bus while one page is brought and looked into.
const TIME_OF_A_PAGE: usize = 1 << 20;

/// The slots of a device.
pub(super) struct Slots<'d> {
    term: BufferId,
    /// Slots in use.
    used: usize,
    /// Words a slot.
    width: usize,
    device: &'d mut dyn Device,
    here: Here,
}

/// What was brought.
enum Here {
    /// By number, the words of a page; so many more may be brought before all slots take less time.
    Pages(Vec<Option<Box<[u32]>>>, usize),
    All(Vec<u32>),
}

impl<'d> Slots<'d> {
    pub fn new(term: BufferId, used: usize, width: usize, device: &'d mut dyn Device) -> Self {
        Self::paged(term, used, width, used * width * 4 / TIME_OF_A_PAGE, device)
    }

    /// Slots of which so many pages are brought before all of them are.
    fn paged(term: BufferId, used: usize, width: usize, most: usize, device: &'d mut dyn Device) -> Self {
        Self { term, used, width, device, here: Here::Pages(vec![None; used.div_ceil(PAGE)], most) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.used
    }

    /// The words of all of them.
    pub fn words(&self) -> usize {
        self.used * self.width
    }

    /// The words of all of them and how many a slot has, once all were brought.
    pub fn all(&self) -> Option<(&[u32], usize)> {
        match &self.here {
            Here::All(words) => Some((words, self.width)),
            Here::Pages(..) => None,
        }
    }

    /// The words of a slot, if there is one.
    pub fn slot(&mut self, at: u32) -> Result<Option<&[u32]>> {
        let at = at as usize;
        if at >= self.used {
            return Ok(None);
        }
        self.bring(at / PAGE)?;
        let (words, from) = match &self.here {
            Here::All(words) => (Some(words.as_slice()), at * self.width),
            Here::Pages(pages, _) => (pages[at / PAGE].as_deref(), at % PAGE * self.width),
        };
        Ok(words.and_then(|words| words.get(from..from + self.width)))
    }

    /// Has a page here.
    fn bring(&mut self, page: usize) -> Result<()> {
        let Here::Pages(pages, left) = &mut self.here else { return Ok(()) };
        if pages[page].is_some() {
            return Ok(());
        }
        let Some(fewer) = left.checked_sub(1) else {
            // The pages make room first.
            self.here = Here::All(Vec::new());
            self.here = Here::All(self.device.download_vec(self.term, self.used * self.width)?);
            return Ok(());
        };
        *left = fewer;
        let first = page * PAGE;
        let mut words = vec![0u32; (self.used - first).min(PAGE) * self.width].into_boxed_slice();
        let from = (first * self.width * 4) as u64;
        self.device.download(self.term, from, bytemuck::cast_slice_mut(&mut words))?;
        pages[page] = Some(words);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gchr_kernel::ir::Module;
    use gchr_simulator::{Program, SimDevice, SimulatorOptions};

    use super::*;

    #[test]
    fn slots_are_read_by_pages_and_as_a_whole_where_there_are_many() {
        const WIDTH: usize = 8;
        let used = 5 * PAGE + 100;
        let module = Module::default();
        let program = Program::new(&module).expect("an empty module");
        let mut device = SimDevice::new(program, SimulatorOptions::default());
        let words: Vec<u32> = (0..used * WIDTH).map(|at| at as u32 ^ 0x5a5a).collect();
        let term = device.upload_new(&words).expect("room");
        for most in 0..8 {
            let mut slots = Slots::paged(term, used, WIDTH, most, &mut device);
            let some = (0..200).map(|k| k * 7919 % used);
            for at in [0, used - 1, PAGE - 1, PAGE].into_iter().chain(some) {
                let read = slots.slot(at as u32).expect("a transfer");
                assert_eq!(read, Some(&words[at * WIDTH..][..WIDTH]), "{at}, {most} pages");
            }
            assert_eq!(slots.slot(used as u32).expect("no transfer"), None);
            assert_eq!(slots.slot(u32::MAX).expect("no transfer"), None);
            match slots.here {
                Here::Pages(pages, left) => assert!(most >= 6 && left == most - pages.len(), "{most}"),
                Here::All(_) => assert!(most < 6, "{most}"),
            }
        }
    }
}
