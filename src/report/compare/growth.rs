//! How cost grows with size: the exponent `k` of the power law `c * n^k` that fits best.

use serde::Serialize;

use super::plan::Row;
use crate::report::spread::exponent;

/// Growth of one program in one way.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Growth {
    /// Program and options.
    pub way: String,
    /// Sizes that have results.
    pub sizes: Vec<u64>,
    /// Exponent of the best time of the run: other work on the machine only ever adds to it.
    pub time: Option<f64>,
    /// Exponent of rule applications or firings.
    pub steps: Option<f64>,
    /// Exponent of rows tried.
    pub tried: Option<f64>,
    /// Exponent of rounds.
    pub rounds: Option<f64>,
    /// Exponent of peak memory.
    pub memory: Option<f64>,
}

/// The growth of each program and variant that has results at two sizes or more.
pub(super) fn of(rows: &[Row]) -> Vec<Growth> {
    let mut ways: Vec<String> = Vec::new();
    for row in rows {
        if !ways.contains(&row.way()) {
            ways.push(row.way());
        }
    }
    let growth = |way: String| {
        let own = rows.iter().filter(|row| row.way() == way);
        let cells: Vec<_> = own.filter_map(|row| Some((row.size?, row.outcome.as_ref().ok()?))).collect();
        let fit = |of: &dyn Fn(&super::Measured) -> Option<f64>| {
            let points: Vec<_> = cells.iter().filter_map(|(n, m)| Some((*n as f64, of(m)?))).collect();
            exponent(&points)
        };
        let count = |n: Option<u64>| n.map(|n| n as f64);
        Growth {
            sizes: cells.iter().map(|c| c.0).collect(),
            time: fit(&|m| Some(m.run_ms.min)),
            steps: fit(&|m| count(m.steps)),
            tried: fit(&|m| count(m.tried)),
            rounds: fit(&|m| count(m.rounds)),
            memory: fit(&|m| count(m.stats.peak_bytes)),
            way,
        }
    };
    ways.into_iter().map(growth).filter(|g| g.sizes.len() > 1).collect()
}
