//! A comparison as one page, in the dress of profiles.

use std::fmt::Write;
use std::io;

use super::table::{growth, sizes, used, verdict};
use super::{Comparison, Measured, Row};
use crate::profile::{Chart, Plot, Series, document, escape};

pub(super) fn page(comparison: &Comparison) -> io::Result<String> {
    let mut body = format!(
        "<p class=note>Median of {} timed runs without counters; counters come from another run. {}</p>\n",
        comparison.repeats,
        escape(&comparison.machine.to_string())
    );
    for plot in plots(comparison) {
        let _ = writeln!(body, "<figure>{}</figure>", plot.svg()?);
    }
    for size in sizes(comparison) {
        let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.size == size).collect();
        let title = size.map_or("As started in the files".to_string(), |n| format!("Size {n}"));
        let _ = writeln!(body, "<h2>{title}</h2>");
        table(&rows, &mut body);
    }
    if !comparison.growth.is_empty() {
        body += "<h2>Growth: exponent of the size</h2>\n<table>\n";
        for (i, line) in growth(&comparison.growth).iter().enumerate() {
            let tag = if i == 0 { "th" } else { "td" };
            let cells: String = line.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            let _ = writeln!(body, "<tr>{cells}</tr>");
        }
        body += "</table>\n";
    }
    Ok(document(&comparison.title, &body))
}

fn table(rows: &[&Row], out: &mut String) {
    let columns = used(rows);
    *out += "<table>\n<tr><th>program</th>";
    columns.iter().for_each(|c| *out += &format!("<th>{}</th>", c.0));
    *out += "<th>answer</th></tr>\n";
    for row in rows {
        let _ = write!(out, "<tr><td class=name>{}</td>", escape(&row.way()));
        for column in &columns {
            let shown = row.outcome.as_ref().ok().and_then(|m| (column.1)(m));
            let _ = write!(out, "<td>{}</td>", shown.as_deref().unwrap_or("-"));
        }
        let differs = if row.agrees == Some(true) { "" } else { " class=differs" };
        let _ = writeln!(out, "<td{differs}>{}</td></tr>", escape(&verdict(row)));
    }
    *out += "</table>\n";
}

/// What a plot shows of a cell.
type Quantity = fn(&Measured) -> Option<f64>;

/// Over sizes when there are several, else bars.
fn plots(comparison: &Comparison) -> Vec<Plot> {
    let quantities: [(&str, &str, Quantity); 5] = [
        ("Best time of the run", "ms", |m| Some(m.run_ms.min)),
        ("Rule applications or firings", "steps", |m| m.steps.map(|n| n as f64)),
        ("Candidates tried", "candidates", |m| m.tried.map(|n| n as f64)),
        ("Mean parallelism", "steps in a round", |m| m.mean_parallelism),
        ("Peak memory", "bytes", |m| m.stats.peak_bytes.map(|n| n as f64)),
    ];
    let plot = |(title, unit, of): (&str, &str, Quantity)| {
        let chart = match comparison.growth.is_empty() {
            true => bars(comparison, unit, of)?,
            false => lines(comparison, unit, of)?,
        };
        Some(Plot { title: title.into(), chart })
    };
    quantities.into_iter().filter_map(plot).collect()
}

fn bars(comparison: &Comparison, unit: &str, of: Quantity) -> Option<Chart> {
    let bar = |row: &Row| Some((row.name(), of(row.outcome.as_ref().ok()?)?));
    let bars: Vec<_> = comparison.rows.iter().filter_map(bar).collect();
    (!bars.is_empty()).then(|| Chart::Bars { x: unit.into(), bars })
}

fn lines(comparison: &Comparison, unit: &str, of: Quantity) -> Option<Chart> {
    let series = comparison.growth.iter().map(|growth| {
        let own = comparison.rows.iter().filter(|row| row.way() == growth.way);
        let point = |row: &Row| Some((row.size? as f64, of(row.outcome.as_ref().ok()?)?));
        Series { name: growth.way.clone(), points: own.filter_map(point).collect() }
    });
    let series: Vec<_> = series.filter(|s: &Series| !s.points.is_empty()).collect();
    (!series.is_empty()).then(|| Chart::LogLog { x: "size".into(), y: unit.into(), series })
}
