//! Which plots a run gets: parallelism, throughput, traffic and memory over its course, then kernels and rules.

use gchr_core::profile::{Ceilings, Point};

use super::plot::{Chart, Plot, Series};
use super::{Profile, RuleProfile};

/// Points of a curve at most.
const RESOLUTION: usize = 400;
/// Rules in a plot.
const MOST_BARS: usize = 12;

pub(super) fn of(profile: &Profile) -> Vec<Plot> {
    let mut plots = Vec::new();
    if profile.has_rounds() {
        plots.push(parallelism(profile));
    }
    plots.push(throughput(profile));
    let last = profile.points.last().copied().unwrap_or_default();
    if last.traffic != Default::default() {
        plots.extend(traffic(profile));
    }
    if last.tried > 0 {
        plots.push(candidates(profile));
    }
    plots.push(over(profile, "Memory of the run's tables", "bytes", |p| p.bytes as f64));
    let live = if profile.has_rounds() { "Live slots or constraints" } else { "Live cells or constraints" };
    plots.push(over(profile, live, "live", |p| p.live as f64));
    if !profile.kernels.is_empty() {
        let bars = profile.kernels.iter().map(|k| (k.name.clone(), k.ms)).collect();
        let x = "milliseconds".to_string();
        plots.push(Plot { title: "Time by kernel".into(), chart: Chart::Bars { x, bars } });
    }
    plots.extend(rules(profile));
    plots
}

/// The horizontal axis: rounds where there are some, else seconds.
fn axis(profile: &Profile) -> (&'static str, fn(&Point) -> f64) {
    if profile.has_rounds() { ("round", |p| p.rounds as f64) } else { ("seconds", |p| p.seconds) }
}

fn curves(title: String, x: &str, y: &str, series: Vec<Series>) -> Plot {
    Plot { title, chart: Chart::Curves { x: x.into(), y: y.into(), series } }
}

/// A quantity of each moment. Of neighbours the highest is drawn: a peak is what one looks for.
fn over(profile: &Profile, title: &str, y: &str, of: fn(&Point) -> f64) -> Plot {
    let (x, at) = axis(profile);
    let every = profile.points.len().div_ceil(RESOLUTION).max(1);
    let top = |group: &[Point]| (group.last().map_or(0.0, at), group.iter().map(of).fold(0.0, f64::max));
    let points = profile.points.chunks(every).map(top).collect();
    curves(title.into(), x, y, vec![Series { name: y.into(), points }])
}

/// Steps of each round: their mean, and the most in one round when several share a point of the curve.
fn parallelism(profile: &Profile) -> Plot {
    let mean = rate(&profile.points, |p| p.rounds as f64, |p| p.steps as f64);
    let every = profile.points.len().div_ceil(RESOLUTION).max(1);
    let mut series = vec![Series { name: "mean".into(), points: mean }];
    if every > 1 || profile.points.iter().any(|p| p.rounds > 4096) {
        let peak = |group: &[Point]| {
            let x = group.last().map_or(0.0, |p| p.rounds as f64);
            (x, group.iter().map(|p| p.peak_steps).max().unwrap_or(0) as f64)
        };
        series.push(Series { name: "most".into(), points: profile.points.chunks(every).map(peak).collect() });
    }
    curves(format!("Parallelism: {} in a round", profile.unit), "round", profile.unit, series)
}

fn throughput(profile: &Profile) -> Plot {
    let points = rate(&profile.points, |p| p.seconds, |p| p.steps as f64);
    let series = vec![Series { name: profile.unit.into(), points }];
    curves(format!("Throughput: {} a second", profile.unit), "seconds", "a second", series)
}

fn candidates(profile: &Profile) -> Plot {
    let (x, at) = axis(profile);
    let points = rate(&profile.points, at, |p| p.tried as f64);
    let y = if profile.has_rounds() { "in a round" } else { "a second" };
    curves(format!("Candidates tried {y}"), x, y, vec![Series { name: "candidates".into(), points }])
}

/// Bytes of random and of coalesced accesses (Figures 1c and 1d of "Innermost many-sorted term rewriting on GPUs"), and atomic operations. A
/// simulator's seconds are not those of a device: there they are drawn over rounds.
fn traffic(profile: &Profile) -> Vec<Plot> {
    let simulated = profile.stats.device.as_deref() == Some("sim");
    let (x, at): (_, fn(&Point) -> f64) =
        if simulated { axis(profile) } else { ("seconds", |p: &Point| p.seconds) };
    let per = if x == "round" { "in a round" } else { "a second" };
    let plot = |title: &str, unit: &str, of: fn(&Point) -> f64, ceiling: Option<f64>| {
        let points = rate(&profile.points, at, of);
        let ends = points.first().zip(points.last()).map(|(first, last)| [first.0, last.0]);
        let mut series = vec![Series { name: unit.into(), points }];
        if let (Some(ceiling), Some(ends), false) = (ceiling, ends, simulated) {
            let points = ends.map(|x| (x, ceiling)).to_vec();
            series.push(Series { name: "measured ceiling".into(), points });
        }
        curves(format!("{title}: {unit} {per}"), x, per, series)
    };
    let ceiling = |of: fn(&Ceilings) -> f64| profile.ceilings.as_ref().map(of);
    let last = profile.points.last().map(|p| p.traffic).unwrap_or_default();
    let mut plots = vec![
        plot("Random accesses", "bytes", |p| p.traffic.random as f64, ceiling(|c| c.random)),
        plot("Coalesced accesses", "bytes", |p| p.traffic.coalesced() as f64, ceiling(|c| c.coalesced)),
    ];
    if last.atomics > 0 {
        plots.push(plot(
            "Atomic operations",
            "operations",
            |p| p.traffic.atomics as f64,
            ceiling(|c| c.atomics),
        ));
    }
    plots
}

fn rules(profile: &Profile) -> Vec<Plot> {
    let mut plots = Vec::new();
    let mut bars = |title: String, x: &str, of: fn(&RuleProfile) -> f64| {
        let mut bars: Vec<_> = profile.rules.iter().map(|r| (r.name.clone(), of(r))).collect();
        bars.retain(|b| b.1 > 0.0);
        bars.sort_by(|a, b| b.1.total_cmp(&a.1));
        bars.truncate(MOST_BARS);
        if !bars.is_empty() {
            plots.push(Plot { title, chart: Chart::Bars { x: x.into(), bars } });
        }
    };
    bars(format!("Hot rules by {}", profile.unit), profile.unit, |r| r.applied as f64);
    bars("Hot rules by time, sampled".into(), "% of the run", |r| r.share * 100.0);
    bars("Hot rules by candidates tried".into(), "candidates", |r| r.tried as f64);
    plots
}

/// The rate of a total over an axis, in equal pieces of the axis. Totals between points are interpolated.
fn rate(points: &[Point], x: fn(&Point) -> f64, total: fn(&Point) -> f64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let (start, end) = (x(first), x(last));
    if end <= start {
        return Vec::new();
    }
    let pieces = RESOLUTION.min(points.len().saturating_sub(1)).max(1);
    let mut at = 0;
    let mut total_at = |wanted: f64| {
        while at + 1 < points.len() && x(&points[at + 1]) < wanted {
            at += 1;
        }
        let Some(next) = points.get(at + 1) else { return total(&points[at]) };
        let (a, b) = (x(&points[at]), x(next));
        let part = if b > a { ((wanted - a) / (b - a)).clamp(0.0, 1.0) } else { 1.0 };
        total(&points[at]) + part * (total(next) - total(&points[at]))
    };
    let width = (end - start) / pieces as f64;
    let mut before = total_at(start);
    let mut rates = Vec::with_capacity(pieces);
    for piece in 1..=pieces {
        let to = start + width * piece as f64;
        let now = total_at(to);
        rates.push((to, (now - before) / width));
        before = now;
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(seconds: f64, steps: u64) -> Point {
        Point { seconds, steps, ..Point::default() }
    }

    #[test]
    fn rates_are_differences_over_equal_pieces() {
        let points = [point(0.0, 0), point(1.0, 10), point(2.0, 10), point(4.0, 50)];
        let rates = rate(&points, |p| p.seconds, |p| p.steps as f64);
        assert_eq!(rates.len(), 3);
        let total: f64 = rates.iter().map(|r| r.1 * 4.0 / 3.0).sum();
        assert!((total - 50.0).abs() < 1e-9, "{rates:?}");
        assert!((rates[0].1 - 7.5).abs() < 1e-9 && rates[2].1 > rates[1].1, "{rates:?}");
    }

    #[test]
    fn a_curve_has_bounded_many_points() {
        let points: Vec<_> = (0..5000).map(|i| point(f64::from(i), u64::from(i as u32) * 3)).collect();
        let rates = rate(&points, |p| p.seconds, |p| p.steps as f64);
        assert_eq!(rates.len(), RESOLUTION);
        assert!(rates.iter().all(|r| (r.1 - 3.0).abs() < 1e-6));
        assert!(rate(&points[..1], |p| p.seconds, |p| p.steps as f64).is_empty());
        assert!(rate(&[], |p| p.seconds, |p| p.steps as f64).is_empty());
    }
}
