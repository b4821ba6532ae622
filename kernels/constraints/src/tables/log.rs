//! The log of what rules write. Launches add rows; the host takes them when a launch has ended, so that the next one
//! begins with none.

use super::{End, Grown, MOST, Tables};
use gchr_kernel::device::{BufferId, Device, DeviceExt, Result, Value};

/// Rows that are worth their memory for fewer ends of launches.
const ROOMY: u32 = 1 << 20;
/// Bytes of a row.
const ROW: u64 = 12;

/// The log on the device, and what the host has taken from it.
pub(crate) struct Log {
    kinds: BufferId,
    values: BufferId,
    pub(crate) capacity: u32,
    /// Rows that are still to be written: the kind of each, and its value.
    taken: Vec<(u32, u64)>,
}

impl Log {
    pub(crate) fn new(capacity: u32, device: &mut dyn Device) -> Result<Self> {
        let rows = u64::from(capacity);
        let (kinds, values) = (device.alloc(4 * rows)?, device.alloc(8 * rows)?);
        Ok(Self { kinds, values, capacity, taken: Vec::new() })
    }

    pub(crate) fn bytes(&self) -> u64 {
        ROW * u64::from(self.capacity)
    }

    /// Its fields of the template's `Params`.
    pub(crate) fn params(&self) -> [Value; 2] {
        [Value::Buffer(self.kinds), Value::Buffer(self.values)]
    }

    /// Takes the rows that a launch has added.
    pub(crate) fn take(&mut self, rows: u32, device: &mut dyn Device) -> Result<()> {
        if rows > 0 {
            let kinds: Vec<u32> = device.download_vec(self.kinds, rows as usize)?;
            let values: Vec<u64> = device.download_vec(self.values, rows as usize)?;
            self.taken.extend(kinds.into_iter().zip(values));
        }
        Ok(())
    }

    pub(crate) fn free(self, device: &mut dyn Device) -> Result<()> {
        device.free(self.kinds)?;
        device.free(self.values)
    }
}

impl Tables {
    /// The rows that were taken from the log and are not written yet, each with its kind and its value.
    pub(crate) fn written(&mut self) -> Vec<(u32, u64)> {
        self.log.as_mut().map(|log| std::mem::take(&mut log.taken)).unwrap_or_default()
    }

    /// Makes room for what one round writes, and for more where a launch has ended for want of it.
    pub(crate) fn grow_log(&mut self, end: &End, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        let all = self.bytes();
        let Some(log) = &mut self.log else { return Ok(Grown::Yes) };
        if u64::from(end.output) > MOST {
            return Ok(Grown::NoNumbers("output of a round".into()));
        }
        let others = all - log.bytes();
        let fits = |rows: &u32| others + ROW * u64::from(*rows) <= memory;
        let twice = log.capacity.saturating_mul(if end.log_is_full { 2 } else { 1 }).min(ROOMY);
        let least = end.output.max(log.capacity);
        let Some(rows) = [twice.max(least), least].into_iter().find(fits) else {
            return Ok(Grown::NoMemory("output of a round".into()));
        };
        if rows > log.capacity {
            let grown = Log::new(rows, device)?;
            std::mem::replace(log, grown).free(device)?;
        }
        Ok(Grown::Yes)
    }
}
