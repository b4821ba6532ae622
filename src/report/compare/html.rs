//! A comparison as one page, in the dress of profiles.

use std::fmt::Write;

use super::comparison::Comparison;
use super::measured::Measured;
use super::plan::Row;
use super::table::{growth, runs, sizes, used, verdict};
use crate::report::page::{Origin, TABLE, document, escape, grouped};
use crate::report::plot::{Axis, Chart, Plot, Series, Unit};

pub(super) fn page(comparison: &Comparison) -> String {
    let mut body = format!(
        "<p class=note>{} each, without counters; counters come from another run.</p>\n\
         <h2 id=plots>At a glance</h2>\n<div class=plots>\n",
        runs(comparison.repeats),
    );
    plots(comparison).iter().for_each(|plot| body += &plot.figure());
    body += "</div>\n<div id=tables>\n";
    for size in sizes(comparison) {
        let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.size == size).collect();
        let title = size.map_or("As started in the files".to_string(), |n| format!("Size {n}"));
        let _ = writeln!(body, "<h2>{title}</h2>");
        table(&rows, &mut body);
    }
    body += "</div>\n";
    let mut sections = vec![("plots", "At a glance"), ("tables", "Tables")];
    if !comparison.growth.is_empty() {
        sections.push(("growth", "Growth"));
        body += "<h2 id=growth>Growth: exponent of the size</h2>\n";
        body += TABLE[0];
        for (i, line) in growth(&comparison.growth).iter().enumerate() {
            let (tag, scope) = if i == 0 { ("th", " scope=col") } else { ("td", "") };
            body += "<tr>";
            for (column, cell) in line.iter().enumerate() {
                let class = if i > 0 && column == 0 { " class=name" } else { "" };
                let _ = write!(body, "<{tag}{scope}{class}>{}</{tag}>", escape(cell));
            }
            body += "</tr>\n";
        }
        body += TABLE[1];
    }
    let machine = Some(comparison.machine.to_string());
    let origin = Origin { command: comparison.command.as_deref(), machine };
    document(&comparison.title, &sections, &body, &origin)
}

fn table(rows: &[&Row], out: &mut String) {
    let columns = used(rows);
    *out += TABLE[0];
    *out += "<tr><th scope=col>program</th><th scope=col class=answer>answer</th>";
    for column in &columns {
        let _ = write!(out, "<th scope=col title=\"{}\">{}</th>", escape(column.says), column.head);
    }
    *out += "</tr>\n";
    for row in rows {
        let differs = if row.agrees == Some(true) { "" } else { " differs" };
        let _ = write!(
            out,
            "<tr><td class=name>{}</td><td class=\"answer{differs}\">{}</td>",
            escape(&row.way()),
            escape(&verdict(row))
        );
        for column in &columns {
            let shown = row.outcome.as_ref().ok().and_then(|m| (column.show)(m));
            let shown = shown.map(|text| text.parse().map_or(text, grouped));
            let _ = write!(out, "<td>{}</td>", shown.as_deref().unwrap_or("-"));
        }
        *out += "</tr>\n";
    }
    *out += TABLE[1];
}

/// What a plot shows of a cell.
type Quantity = fn(&Measured) -> Option<f64>;

/// Over sizes when there are several, else bars.
fn plots(comparison: &Comparison) -> Vec<Plot> {
    let quantities: [(&str, &str, Unit, Quantity); 8] = [
        ("Best time of the run", "time", Unit::Seconds, |m| Some(m.run_ms.min / 1e3)),
        ("Best time on the device", "time", Unit::Seconds, |m| m.device_ms.map(|ms| ms.min / 1e3)),
        ("Rule applications or firings", "steps", Unit::Count, |m| m.steps.map(|n| n as f64)),
        ("Rows tried", "rows", Unit::Count, |m| m.tried.map(|n| n as f64)),
        ("Rounds or iterations", "rounds", Unit::Count, |m| m.rounds.map(|n| n as f64)),
        ("Mean parallelism", "steps in a round", Unit::Count, |m| m.mean_parallelism),
        ("Bytes moved by kernels", "moved", Unit::Bytes, |m| m.traffic.map(|t| t.moved() as f64)),
        ("Peak memory", "memory", Unit::Bytes, |m| m.stats.peak_bytes.map(|n| n as f64)),
    ];
    let plot = |(title, name, unit, of): (&str, &str, Unit, Quantity)| {
        let axis = Axis::new(name, unit);
        let chart = match comparison.growth.is_empty() {
            true => bars(comparison, axis, of),
            false => lines(comparison, axis, of),
        };
        Plot { title: title.into(), chart }
    };
    quantities.into_iter().map(plot).filter(Plot::shows_something).collect()
}

fn bars(comparison: &Comparison, axis: Axis, of: Quantity) -> Chart {
    let one_size = sizes(comparison).len() == 1;
    let name = |row: &Row| if one_size { row.way() } else { row.name() };
    let bar = |row: &Row| Some((name(row), of(row.outcome.as_ref().ok()?)?));
    Chart::Bars { x: axis, bars: comparison.rows.iter().filter_map(bar).collect() }
}

fn lines(comparison: &Comparison, axis: Axis, of: Quantity) -> Chart {
    let series = comparison.growth.iter().map(|growth| {
        let own = comparison.rows.iter().filter(|row| row.way() == growth.way);
        let point = |row: &Row| Some((row.size? as f64, of(row.outcome.as_ref().ok()?)?));
        Series { name: growth.way.clone(), points: own.filter_map(point).collect() }
    });
    // A program keeps its place, and so its colour, in charts that do not show it.
    Chart::LogLog { x: Axis::new("size", Unit::Count), y: axis, series: series.collect() }
}
