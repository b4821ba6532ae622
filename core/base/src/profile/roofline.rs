//! What a device can move at most, as measured on it.

use serde::{Deserialize, Serialize};

use super::Traffic;

/// Measured peak rates of a device's memory, which bound what a kernel can move.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct RooflinePeaks {
    /// Bytes a second that a copy in order reads and writes, both counted.
    pub coalesced: f64,
    /// Bytes a second of the sectors that random reads of 4 bytes touch, over more memory than caches hold.
    pub random: f64,
    /// Atomic additions a second at random places.
    pub atomics: f64,
}

impl RooflinePeaks {
    /// Seconds that so much traffic takes at least. Different kinds of it go through the same memory one after the
    /// other.
    pub fn seconds(&self, traffic: &Traffic) -> f64 {
        let part = |amount: u64, rate: f64| if rate > 0.0 { amount as f64 / rate } else { 0.0 };
        part(traffic.coalesced(), self.coalesced)
            + part(traffic.random, self.random)
            + part(traffic.atomics, self.atomics)
    }

    /// Share of a time that the memory traffic in it would take at the peak rates. Above 1, caches have served part of
    /// it.
    pub fn share(&self, traffic: &Traffic, seconds: f64) -> Option<f64> {
        (seconds > 0.0).then(|| self.seconds(traffic) / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_traffic_has_its_peak_rate() {
        let peaks = RooflinePeaks { coalesced: 1000.0, random: 100.0, atomics: 10.0 };
        let traffic = Traffic { read: 1500, written: 600, random: 100, atomics: 5 };
        assert_eq!(peaks.seconds(&traffic), 2.0 + 1.0 + 0.5);
        assert_eq!(peaks.share(&traffic, 7.0), Some(0.5));
        assert_eq!(peaks.share(&traffic, 0.0), None);
    }
}
