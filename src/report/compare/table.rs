//! A comparison as text.

use std::fmt;

use super::comparison::Comparison;
use super::growth::Growth;
use super::measured::Measured;
use super::plan::Row;
use crate::report::format::{bytes, count, ms, short, write_aligned};

/// A column.
#[derive(Clone, Copy)]
pub(super) struct Column {
    /// Its head.
    pub head: &'static str,
    /// What the head means.
    pub says: &'static str,
    /// What it shows of a cell.
    pub show: fn(&Measured) -> Option<String>,
}

const fn column(head: &'static str, says: &'static str, show: fn(&Measured) -> Option<String>) -> Column {
    Column { head, says, show }
}

/// What is shown of a cell; columns without any value are left out.
pub(super) const COLUMNS: [Column; 17] = [
    column("best ms", "wall time of the shortest of the timed runs", |m| Some(ms(m.run_ms.min))),
    column("median", "the median of the timed runs, in milliseconds", |m| Some(ms(m.run_ms.median))),
    column("slowest", "the longest of the timed runs, in milliseconds", |m| Some(ms(m.run_ms.max))),
    column("device ms", "the shortest time on the device's clock", |m| m.device_ms.map(|t| ms(t.min))),
    column("compile ms", "from the rules to what is executed", |m| m.stats.compile_ms.map(ms)),
    column("rewrites", "rule applications of terms", |m| m.stats.rewrites.map(count)),
    column("firings", "firings of constraint rules", |m| m.stats.firings.map(count)),
    column("tried", "rows looked at as partners, and active constraints tried", |m| m.tried.map(count)),
    column("steps/s", "rule applications or firings a second, of the best run", |m| {
        m.steps.map(|n| short(n as f64 / (m.run_ms.min.max(1e-6) / 1e3)))
    }),
    column("rounds", "rounds or iterations", |m| m.rounds.map(count)),
    column("mean par.", "mean number of steps in a round", |m| m.mean_parallelism.map(|p| format!("{p:.1}"))),
    column("peak par.", "most steps in a round", |m| m.peak_parallelism.map(count)),
    column("moved", "bytes that kernels read and wrote", |m| m.traffic.map(|t| bytes(t.moved()))),
    column("random", "of these, bytes of random accesses", |m| m.traffic.map(|t| bytes(t.random))),
    column(
        "of ceil.",
        "share of the device's time that this traffic takes at the measured ceilings of its memory",
        |m| m.ceiling.map(|share| format!("{:.0} %", share * 100.0)),
    ),
    column("peak mem.", "the run's own tables at their largest", |m| m.stats.peak_bytes.map(bytes)),
    column("coll.", "garbage collections", |m| m.stats.collections.map(count)),
];

/// Columns that show something in one of the rows.
pub(super) fn used(rows: &[&Row]) -> Vec<Column> {
    let shows = |column: &Column| {
        rows.iter().any(|row| row.outcome.as_ref().is_ok_and(|m| (column.show)(m).is_some()))
    };
    COLUMNS.into_iter().filter(shows).collect()
}

/// What a row says of its answer.
pub(super) fn verdict(row: &Row) -> String {
    match (&row.outcome, row.agrees) {
        (Err(why), _) => why.clone(),
        (Ok(m), Some(true)) => match &m.uncounted {
            None => format!("agrees ({})", rows(m.rows)),
            Some(why) => format!("agrees ({}); nothing was counted: {why}", rows(m.rows)),
        },
        (Ok(_), Some(false)) => format!("DIFFERS: {}", row.difference.as_deref().unwrap_or("")),
        (Ok(_), None) => "not compared".into(),
    }
}

fn rows(n: usize) -> String {
    if n == 1 { "1 row".into() } else { format!("{n} rows") }
}

/// Sizes in the order of the rows.
pub(super) fn sizes(comparison: &Comparison) -> Vec<Option<u64>> {
    let mut sizes: Vec<_> = comparison.rows.iter().map(|row| row.size).collect();
    sizes.dedup();
    sizes
}

pub(super) fn write(comparison: &Comparison, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "{}; {} each; {}", comparison.title, runs(comparison.repeats), comparison.machine)?;
    for size in sizes(comparison) {
        let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.size == size).collect();
        match size {
            Some(n) => writeln!(f, "\nsize {n}")?,
            None => writeln!(f, "\nas started in the files")?,
        }
        let columns = used(&rows);
        let mut lines = vec![heads(&columns)];
        lines.extend(rows.iter().map(|row| cells(row, &columns)));
        write_aligned(f, &lines)?;
    }
    if !comparison.growth.is_empty() {
        writeln!(f, "\ngrowth: exponent of the size")?;
        write_aligned(f, &growth(&comparison.growth))?;
    }
    Ok(())
}

fn heads(columns: &[Column]) -> Vec<String> {
    let names = columns.iter().map(|c| c.head.to_string());
    ["program".to_string()].into_iter().chain(names).chain(["answer".to_string()]).collect()
}

fn cells(row: &Row, columns: &[Column]) -> Vec<String> {
    let shown = |column: &Column| {
        row.outcome.as_ref().ok().and_then(|m| (column.show)(m)).unwrap_or_else(|| "-".into())
    };
    [row.way()].into_iter().chain(columns.iter().map(shown)).chain([verdict(row)]).collect()
}

/// The growth as a table with heads.
pub(super) fn growth(growth: &[Growth]) -> Vec<Vec<String>> {
    let heads = ["program", "time", "steps", "tried", "rounds", "memory"];
    let mut lines = vec![heads.map(str::to_string).to_vec()];
    for g in growth {
        let show = |k: Option<f64>| k.map_or("-".to_string(), |k| format!("{k:.2}"));
        lines.push(vec![
            g.way.clone(),
            show(g.time),
            show(g.steps),
            show(g.tried),
            show(g.rounds),
            show(g.memory),
        ]);
    }
    lines
}

/// How often each cell was timed, in words.
pub(super) fn runs(repeats: usize) -> String {
    format!("{repeats} timed {}", if repeats == 1 { "run" } else { "runs" })
}
