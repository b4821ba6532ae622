//! Which plots a run gets: parallelism, throughput, traffic and memory over its course, then kernels and rules.

use gchr_base::profile::{Point, RooflinePeaks};

use super::data::{Profile, RuleProfile};
use crate::program::Language;
use crate::report::plot::{Axis, Chart, Plot, Series, Unit};

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
        plots.push(tried(profile));
    }
    let memory = Axis::new("in use", Unit::Bytes);
    plots.push(over(profile, "Memory of the run's tables", memory, |p| p.bytes as f64));
    let live = match profile.language {
        Language::Terms => "cells or slots",
        Language::Constraints => "constraints",
    };
    plots.push(over(profile, &format!("Live {live}"), Axis::new(live, Unit::Count), |p| p.live as f64));
    if !profile.kernels.is_empty() {
        let bars = profile.kernels.iter().map(|k| (k.name.clone(), k.ms / 1e3)).collect();
        let x = Axis::new("time in the kernel", Unit::Seconds);
        plots.push(Plot { title: "Time by kernel".into(), chart: Chart::Bars { x, bars } });
    }
    plots.extend(rules(profile));
    plots.retain(Plot::shows_something);
    plots
}

/// The horizontal axis: what it counts, and where a point is on it.
type Horizontal = (Axis, fn(&Point) -> f64);

fn seconds() -> Horizontal {
    (Axis::new("time", Unit::Seconds), |p| p.seconds)
}

fn rounds() -> Horizontal {
    (Axis::new("round", Unit::Count), |p| p.rounds as f64)
}

/// Rounds where there are some, else seconds.
fn course(profile: &Profile) -> Horizontal {
    if profile.has_rounds() { rounds() } else { seconds() }
}

fn curves(title: String, x: Axis, y: Axis, series: Vec<Series>) -> Plot {
    Plot { title, chart: Chart::Curves { x, y, series } }
}

/// A quantity of each moment. Of neighbours the highest is drawn: a peak is what one looks for.
fn over(profile: &Profile, title: &str, y: Axis, of: fn(&Point) -> f64) -> Plot {
    let (x, at) = course(profile);
    let every = profile.points.len().div_ceil(RESOLUTION).max(1);
    let top = |group: &[Point]| (group.last().map_or(0.0, at), group.iter().map(of).fold(0.0, f64::max));
    let points = profile.points.chunks(every).map(top).collect();
    let series = vec![Series { name: y.name.clone(), points }];
    curves(title.into(), x, y, series)
}

/// Steps of each round: their mean, and the most in one round when several share a point of the curve.
fn parallelism(profile: &Profile) -> Plot {
    let (x, at) = rounds();
    let mean = rate(&profile.points, at, |p| p.steps as f64, profile.rounds());
    let mut series = vec![Series { name: "mean".into(), points: mean }];
    if profile.rounds() > RESOLUTION as u64 {
        let every = profile.points.len().div_ceil(RESOLUTION).max(1);
        let peak = |group: &[Point]| {
            (group.last().map_or(0.0, at), group.iter().map(|p| p.peak_steps).max().unwrap_or(0) as f64)
        };
        series.push(Series { name: "most".into(), points: profile.points.chunks(every).map(peak).collect() });
    }
    let y = Axis::new(profile.unit, Unit::Count);
    curves(format!("Parallelism: {} in a round", profile.unit), x, y, series)
}

fn throughput(profile: &Profile) -> Plot {
    let (x, at) = seconds();
    let points = from_zero(rate(&profile.points, at, |p| p.steps as f64, u64::MAX));
    let series = vec![Series { name: profile.unit.into(), points }];
    curves(format!("Throughput: {} a second", profile.unit), x, Axis::new("a second", Unit::Count), series)
}

fn tried(profile: &Profile) -> Plot {
    let (x, at) = course(profile);
    let (y, most) = match profile.has_rounds() {
        true => ("in a round", profile.rounds()),
        false => ("a second", u64::MAX),
    };
    let points = rate(&profile.points, at, |p| p.tried as f64, most);
    let points = if profile.has_rounds() { points } else { from_zero(points) };
    let series = vec![Series { name: "rows".into(), points }];
    curves(format!("Rows tried {y}"), x, Axis::new(y, Unit::Count), series)
}

/// Bytes of random and of coalesced accesses (Figures 1c and 1d of "Innermost many-sorted term rewriting on GPUs"), and
/// atomic operations. A simulator's seconds are not those of a device: there they are drawn over rounds.
fn traffic(profile: &Profile) -> Vec<Plot> {
    let simulated = profile.stats.device.as_deref() == Some("sim");
    let by_round = simulated && profile.has_rounds();
    let (per, most) = if by_round { ("in a round", profile.rounds()) } else { ("a second", u64::MAX) };
    let plot = |title: &str, unit: Unit, of: fn(&Point) -> f64, peak: Option<f64>| {
        let (x, at) = if by_round { rounds() } else { seconds() };
        let points = rate(&profile.points, at, of, most);
        let points = if by_round { points } else { from_zero(points) };
        let ends = points.first().zip(points.last()).map(|(first, last)| [first.0, last.0]);
        let mut series = vec![Series { name: "this run".into(), points }];
        if let (Some(peak), Some(ends), false) = (peak, ends, simulated) {
            let points = ends.map(|x| (x, peak)).to_vec();
            series.push(Series { name: "measured ceiling of the device".into(), points });
        }
        curves(format!("{title} {per}"), x, Axis::new(per, unit), series)
    };
    let peak = |of: fn(&RooflinePeaks) -> f64| profile.roofline.as_ref().map(of);
    let random: fn(&Point) -> f64 = |p| p.traffic.random as f64;
    let coalesced: fn(&Point) -> f64 = |p| p.traffic.coalesced() as f64;
    vec![
        plot("Bytes moved by random accesses", Unit::Bytes, random, peak(|c| c.random)),
        plot("Bytes moved by coalesced accesses", Unit::Bytes, coalesced, peak(|c| c.coalesced)),
        plot("Atomic operations", Unit::Count, |p| p.traffic.atomics as f64, peak(|c| c.atomics)),
    ]
}

fn rules(profile: &Profile) -> Vec<Plot> {
    let bars = |title: String, x: Axis, of: fn(&RuleProfile) -> f64| {
        let mut bars: Vec<_> = profile.rules.iter().map(|r| (r.name.clone(), of(r))).collect();
        bars.retain(|b| b.1 > 0.0);
        bars.sort_by(|a, b| b.1.total_cmp(&a.1));
        bars.truncate(MOST_BARS);
        Plot { title, chart: Chart::Bars { x, bars } }
    };
    let count = |name: &str| Axis::new(name, Unit::Count);
    let share = Axis::new("of the run", Unit::Percent);
    vec![
        bars(format!("Hot rules by {}", profile.unit), count(profile.unit), |r| r.applied as f64),
        bars("Hot rules by time, sampled".into(), share, |r| r.share * 100.0),
        bars("Hot rules by rows tried".into(), count("rows"), |r| r.tried.unwrap_or(0) as f64),
    ]
}

/// A rate over time holds from the start of its piece: the first one from zero on.
fn from_zero(mut rates: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if let Some(&(_, first)) = rates.first() {
        rates.insert(0, (0.0, first));
    }
    rates
}

/// The rate of a total over an axis, in equal pieces of the axis: as many as there are points, if they are not more
/// than `most`. Totals between points are interpolated.
fn rate(points: &[Point], x: fn(&Point) -> f64, total: fn(&Point) -> f64, most: u64) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let (start, end) = (x(first), x(last));
    if end <= start {
        return Vec::new();
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let pieces = RESOLUTION.min(points.len().saturating_sub(1)).min(most).max(1);
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
        let rates = rate(&points, |p| p.seconds, |p| p.steps as f64, u64::MAX);
        assert_eq!(rates.len(), 3);
        let total: f64 = rates.iter().map(|r| r.1 * 4.0 / 3.0).sum();
        assert!((total - 50.0).abs() < 1e-9, "{rates:?}");
        assert!((rates[0].1 - 7.5).abs() < 1e-9 && rates[2].1 > rates[1].1, "{rates:?}");
    }

    #[test]
    fn a_curve_has_bounded_many_points() {
        let points: Vec<_> = (0..5000).map(|i| point(f64::from(i), u64::from(i as u32) * 3)).collect();
        let rates = rate(&points, |p| p.seconds, |p| p.steps as f64, u64::MAX);
        assert_eq!(rates.len(), RESOLUTION);
        assert!(rates.iter().all(|r| (r.1 - 3.0).abs() < 1e-6));
        assert!(rate(&points[..1], |p| p.seconds, |p| p.steps as f64, u64::MAX).is_empty());
        assert!(rate(&[], |p| p.seconds, |p| p.steps as f64, u64::MAX).is_empty());
    }
}
