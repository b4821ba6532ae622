//! A comparison as text.

use std::fmt;

use super::{Comparison, Growth, Measured, Row};
use crate::profile::short;

/// A column: its head, and what it shows of a cell.
pub(super) type Column = (&'static str, fn(&Measured) -> Option<String>);

/// What is shown of a cell; columns without any value are left out.
pub(super) const COLUMNS: [Column; 17] = [
    ("best ms", |m| Some(ms(m.run_ms.min))),
    ("median", |m| Some(ms(m.run_ms.median))),
    ("slowest", |m| Some(ms(m.run_ms.max))),
    ("device ms", |m| m.device_ms.map(|t| ms(t.min))),
    ("compile ms", |m| m.stats.compile_ms.map(ms)),
    ("rewrites", |m| m.stats.rewrites.map(count)),
    ("firings", |m| m.stats.firings.map(count)),
    ("candidates", |m| m.tried.map(count)),
    ("steps/s", |m| m.steps.map(|n| short(n as f64 / (m.run_ms.min.max(1e-6) / 1e3)))),
    ("rounds", |m| m.rounds.map(count)),
    ("mean par.", |m| m.mean_parallelism.map(|p| format!("{p:.1}"))),
    ("peak par.", |m| m.peak_parallelism.map(count)),
    ("moved", |m| m.traffic.map(|t| bytes(t.moved()))),
    ("random", |m| m.traffic.map(|t| bytes(t.random))),
    ("of ceil.", |m| m.ceiling.map(|share| format!("{:.0} %", share * 100.0))),
    ("peak mem.", |m| m.stats.peak_bytes.map(bytes)),
    ("coll.", |m| m.stats.collections.map(count)),
];

fn ms(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

fn count(n: u64) -> String {
    n.to_string()
}

fn bytes(n: u64) -> String {
    format!("{}B", short(n as f64))
}

/// Columns that show something in one of the rows.
pub(super) fn used(rows: &[&Row]) -> Vec<Column> {
    let shows =
        |column: &Column| rows.iter().any(|row| row.outcome.as_ref().is_ok_and(|m| (column.1)(m).is_some()));
    COLUMNS.into_iter().filter(shows).collect()
}

/// What a row says of its answer.
pub(super) fn verdict(row: &Row) -> String {
    match (&row.outcome, row.agrees) {
        (Err(why), _) => why.clone(),
        (Ok(m), Some(true)) => format!("agrees ({} rows)", m.rows),
        (Ok(_), Some(false)) => format!("DIFFERS: {}", row.difference.as_deref().unwrap_or("")),
        (Ok(_), None) => "not compared".into(),
    }
}

/// Sizes in the order of the rows.
pub(super) fn sizes(comparison: &Comparison) -> Vec<Option<u64>> {
    let mut sizes: Vec<_> = comparison.rows.iter().map(|row| row.size).collect();
    sizes.dedup();
    sizes
}

pub(super) fn write(comparison: &Comparison, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "{}; {} timed runs each; {}", comparison.title, comparison.repeats, comparison.machine)?;
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
    let names = columns.iter().map(|c| c.0.to_string());
    ["program".to_string()].into_iter().chain(names).chain(["answer".to_string()]).collect()
}

fn cells(row: &Row, columns: &[Column]) -> Vec<String> {
    let shown =
        |column: &Column| row.outcome.as_ref().ok().and_then(|m| (column.1)(m)).unwrap_or_else(|| "-".into());
    [row.way()].into_iter().chain(columns.iter().map(shown)).chain([verdict(row)]).collect()
}

/// The growth as a table with heads.
pub(super) fn growth(growth: &[Growth]) -> Vec<Vec<String>> {
    let heads = ["program", "time", "steps", "candidates", "rounds", "memory"];
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

/// Lines whose first and last columns are aligned to the left, the others to the right.
pub fn write_aligned(f: &mut dyn fmt::Write, lines: &[Vec<String>]) -> fmt::Result {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |c: usize| lines.iter().filter_map(|l| l.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        let mut text = String::new();
        for (c, cell) in line.iter().enumerate() {
            let fill = " ".repeat(widths[c] - cell.chars().count());
            let text_column = c == 0 || c + 1 == columns && cell.parse::<f64>().is_err() && cell != "-";
            match text_column {
                true => text += &format!("{cell}{fill}  "),
                false => text += &format!("{fill}{cell}  "),
            }
        }
        writeln!(f, "{}", text.trim_end())?;
    }
    Ok(())
}
