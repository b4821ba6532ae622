//! Draws one chart: title and legend on top, then the area with its axes.

use std::fmt::Write;

use super::axis::{Axis, Scale};
use super::chart::{Chart, Frame, Plot, Series};
use crate::report::page::escape;

/// Colour of texts and axes.
pub(super) const INK: &str = "#3c3c3c";
const GRID: &str = "#e4e4e4";
/// Colours that people with any kind of colour vision can tell apart; when they are used up, curves are dashed.
const COLORS: [&str; 6] = ["#1f62a8", "#d6701c", "#2a8f80", "#9c4f96", "#8a6d1c", "#555555"];
const DASHES: [&str; 3] = ["", "7 4", "2 3"];
/// Pixels around the area of curves, and its height.
const RIGHT: f64 = 24.0;
const BELOW: f64 = 48.0;
const HEIGHT: f64 = 170.0;
/// Pixels of the line of a title, of a line of a legend, and of a bar.
const TITLE: f64 = 34.0;
const LEGEND: f64 = 18.0;
const BAR: f64 = 24.0;
/// The part of the width that names of bars take at most, and the space for values after them.
const WIDEST_NAME: f64 = 0.38;
const VALUE: f64 = 76.0;

/// What was drawn, from its own top left corner.
pub(super) struct Drawing {
    pub text: String,
    pub height: f64,
}

/// Draws a plot.
pub(super) fn plot(plot: &Plot, frame: Frame) -> Drawing {
    let mut pen = Pen { text: String::new(), frame };
    pen.label(
        10.0,
        22.0,
        "start",
        &clip(&plot.title, frame.width - 20.0),
        " font-size=\"14\" font-weight=\"bold\"",
    );
    let height = match &plot.chart {
        Chart::Curves { x, y, series } => curves(&mut pen, x, y, series),
        Chart::LogLog { x, y, series } => log_log(&mut pen, x, y, series),
        Chart::Bars { x, bars } => bar_chart(&mut pen, x, bars),
    };
    Drawing { text: pen.text, height }
}

/// Pixels that a text takes, roughly.
fn width(text: &str) -> f64 {
    6.6 * text.chars().count() as f64
}

fn clip(name: &str, most: f64) -> String {
    let most = (most / 6.6) as usize;
    match name.chars().count() <= most {
        true => name.into(),
        false => name.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn xs(series: &[Series]) -> impl Iterator<Item = f64> {
    series.iter().flat_map(|s| s.points.iter().map(|p| p.0))
}

fn ys(series: &[Series]) -> impl Iterator<Item = f64> {
    series.iter().flat_map(|s| s.points.iter().map(|p| p.1))
}

fn curves(pen: &mut Pen, x: &Axis, y: &Axis, series: &[Series]) -> f64 {
    let area = Area {
        frame: pen.frame,
        top: TITLE + legend(pen, series),
        x: Scale::from_zero(xs(series), 1.0),
        y: Scale::from_zero(ys(series), 1.06),
    };
    area.axes(pen, x, y, &area.x.ticks(pen.frame.ticks));
    for (i, curve) in series.iter().enumerate() {
        let points = area.points(curve, |p| p.0 >= 0.0 && p.1 >= 0.0);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        if i == 0 {
            let base = area.top + HEIGHT;
            let (from, to) = (first.0, last.0);
            let outline = path(&points);
            let _ = writeln!(
                pen.text,
                "<path class=\"f0\" d=\"{outline}L{to:.1} {base:.1}L{from:.1} {base:.1}Z\" fill=\"{}\" fill-opacity=\".18\"/>",
                COLORS[0]
            );
        }
        pen.line(&points, i, 2.0);
    }
    area.stripes(pen, x, y, series);
    area.say_if_empty(pen, series, |p| p.0 >= 0.0 && p.1 >= 0.0);
    area.bottom()
}

fn log_log(pen: &mut Pen, x: &Axis, y: &Axis, series: &[Series]) -> f64 {
    let positive = |p: &(f64, f64)| p.0 > 0.0 && p.1 > 0.0;
    let area = Area {
        frame: pen.frame,
        top: TITLE + legend(pen, series),
        x: Scale::logarithmic(xs(series)),
        y: Scale::logarithmic(ys(series)),
    };
    let mut sizes: Vec<f64> = xs(series).filter(|v| v.is_finite() && *v > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    area.axes(pen, x, y, &sizes);
    for (i, curve) in series.iter().enumerate() {
        let points = area.points(curve, positive);
        pen.line(&points, i, 2.0 + 1.5 * (series.len() - 1 - i).min(3) as f64);
        for (place, value) in points.iter().zip(curve.points.iter().filter(|p| positive(p))) {
            let (color, _) = look(i);
            let says =
                format!("{}, {} {}: {}", curve.name, x.name, x.unit.show(value.0), y.unit.show(value.1));
            let _ = writeln!(
                pen.text,
                "<circle class=\"f{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{color}\"><title>{}</title></circle>",
                i % COLORS.len(),
                place.0,
                place.1,
                escape(&says)
            );
        }
    }
    area.say_if_empty(pen, series, positive);
    area.bottom()
}

/// Names of curves and their looks, if there are several. Those without a point are left out. Gives the height.
fn legend(pen: &mut Pen, series: &[Series]) -> f64 {
    if series.len() < 2 {
        return 0.0;
    }
    let Frame { width: whole, left: start, .. } = pen.frame;
    let (mut left, mut top) = (start, TITLE + 6.0);
    for (i, curve) in series.iter().enumerate().filter(|(_, curve)| !curve.points.is_empty()) {
        let name = clip(&curve.name, whole - start - RIGHT - 40.0);
        let takes = 40.0 + width(&name);
        if left > start && left + takes > whole - RIGHT {
            (left, top) = (start, top + LEGEND);
        }
        let (color, dash) = look(i);
        let _ = writeln!(
            pen.text,
            "<path class=\"key s{}\" d=\"M{left:.1} {:.1}h18\" stroke=\"{color}\" stroke-width=\"3\"{dash}/>",
            i % COLORS.len(),
            top - 4.0
        );
        pen.label(left + 24.0, top, "start", &name, "");
        left += takes;
    }
    top - TITLE + 6.0
}

/// The colour of a curve, and how it is dashed.
fn look(i: usize) -> (&'static str, String) {
    let dash = DASHES[(i / COLORS.len()) % DASHES.len()];
    let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    (COLORS[i % COLORS.len()], dash)
}

fn bar_chart(pen: &mut Pen, x: &Axis, bars: &[(String, f64)]) -> f64 {
    let Frame { width: whole, left: least, ticks, .. } = pen.frame;
    let names = bars.iter().map(|b| width(&b.0)).fold(least - 12.0, f64::max).min(WIDEST_NAME * whole);
    let (left, right) = (names + 20.0, whole - RIGHT - VALUE);
    let bottom = TITLE + BAR * bars.len().max(1) as f64;
    let scale = Scale::from_zero(bars.iter().map(|b| b.1), 1.0);
    let at = |value: f64| left + scale.place(value) * (right - left);
    for tick in scale.ticks(ticks - 2) {
        pen.rule((at(tick), TITLE), (at(tick), bottom), Rule::Grid);
        pen.label(at(tick), bottom + 16.0, "middle", &x.unit.show(tick), "");
    }
    for (i, (name, value)) in bars.iter().enumerate() {
        let (top, long) = (TITLE + BAR * i as f64, at(value.max(0.0)) - left);
        let (high, says) = (BAR - 6.0, format!("{name}: {}", x.unit.show(*value)));
        let _ = writeln!(
            pen.text,
            "<rect class=\"f0\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"{high}\" fill=\"{}\"><title>{}</title></rect>",
            top + 3.0,
            COLORS[0],
            escape(&says)
        );
        pen.label(left - 8.0, top + 16.0, "end", &clip(name, names), "");
        pen.label(left + long + 6.0, top + 16.0, "start", &x.unit.show(*value), "");
    }
    pen.rule((left, TITLE), (left, bottom), Rule::Axis);
    if bars.is_empty() {
        pen.label(left + 12.0, TITLE + 16.0, "start", "nothing to draw", "");
    }
    pen.label((left + right) / 2.0, bottom + 34.0, "middle", &x.name, "");
    bottom + BELOW
}

/// The area of curves between its axes.
struct Area {
    frame: Frame,
    top: f64,
    x: Scale,
    y: Scale,
}

impl Area {
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let across = self.x.place(x).clamp(0.0, 1.0) * (self.right() - self.frame.left);
        let up = self.y.place(y).clamp(0.0, 1.0) * HEIGHT;
        (self.frame.left + across, self.top + HEIGHT - up)
    }

    /// Places of the points that can be drawn.
    fn points(&self, curve: &Series, fits: impl Fn(&(f64, f64)) -> bool) -> Vec<(f64, f64)> {
        let finite = curve.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite() && fits(p));
        finite.map(|&p| self.at(p)).collect()
    }

    fn axes(&self, pen: &mut Pen, x: &Axis, y: &Axis, marks: &[f64]) {
        let (base, left, right) = (self.top + HEIGHT, self.frame.left, self.right());
        let mut free = 0.0;
        for &mark in marks {
            let (at, text) = (left + self.x.place(mark) * (right - left), x.unit.show(mark));
            pen.rule((at, self.top), (at, base), Rule::Grid);
            // A text that would touch the one before it is left out.
            if at - width(&text) / 2.0 >= free {
                pen.label(at, base + 16.0, "middle", &text, "");
                free = at + width(&text) / 2.0 + 6.0;
            }
        }
        for mark in self.y.ticks(5) {
            let at = base - self.y.place(mark) * HEIGHT;
            pen.rule((left, at), (right, at), Rule::Grid);
            pen.label(left - 8.0, at + 4.0, "end", &y.unit.show(mark), "");
        }
        pen.rule((left, base), (right, base), Rule::Axis);
        pen.rule((left, self.top), (left, base), Rule::Axis);
        pen.label((left + right) / 2.0, base + 34.0, "middle", &x.name, "");
        let middle = self.top + HEIGHT / 2.0;
        pen.label(16.0, middle, "middle", &y.name, &format!(" transform=\"rotate(-90 16 {middle:.1})\""));
    }

    fn right(&self) -> f64 {
        self.frame.width - RIGHT
    }

    /// Stripes that are not seen, and say the values of the curves under the pointer.
    fn stripes(&self, pen: &mut Pen, x: &Axis, y: &Axis, series: &[Series]) {
        let places: Vec<f64> = series.first().map_or(Vec::new(), |s| s.points.iter().map(|p| p.0).collect());
        let every = places.len().div_ceil(self.frame.stripes).max(1);
        let mut from = self.frame.left;
        for group in places.chunks(every) {
            let Some(&last) = group.last().filter(|x| x.is_finite()) else { continue };
            let to = self.at((last, 0.0)).0;
            let says = series
                .iter()
                .filter_map(|curve| Some(format!("{} {}", curve.name, y.unit.show(curve.at(last)?))));
            let says = says.collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                pen.text,
                "<rect class=\"hit\" x=\"{from:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{HEIGHT}\" fill=\"#fff\" \
                 fill-opacity=\"0\"><title>{} {}: {}</title></rect>",
                self.top,
                (to - from).max(0.1),
                escape(&x.name),
                x.unit.show(last),
                escape(&says)
            );
            from = to;
        }
    }

    fn say_if_empty(&self, pen: &mut Pen, series: &[Series], fits: impl Fn(&(f64, f64)) -> bool) {
        if series.iter().all(|s| self.points(s, &fits).is_empty()) {
            pen.label(self.frame.width / 2.0, self.top + HEIGHT / 2.0, "middle", "nothing to draw", "");
        }
    }

    fn bottom(&self) -> f64 {
        self.top + HEIGHT + BELOW
    }
}

/// `M1 2L3 4`.
fn path(points: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(text, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    text
}

struct Pen {
    text: String,
    frame: Frame,
}

/// What a straight line is.
enum Rule {
    Grid,
    Axis,
}

impl Pen {
    fn label(&mut self, x: f64, y: f64, anchor: &str, text: &str, more: &str) {
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{}</text>",
            escape(text)
        );
    }

    fn rule(&mut self, from: (f64, f64), to: (f64, f64), rule: Rule) {
        let (class, color) = match rule {
            Rule::Grid => ("grid", GRID),
            Rule::Axis => ("axis", INK),
        };
        let (d, fill) = (path(&[from, to]), "none");
        let _ = writeln!(self.text, "<path class=\"{class}\" d=\"{d}\" stroke=\"{color}\" fill=\"{fill}\"/>");
    }

    /// The curve with a number.
    fn line(&mut self, points: &[(f64, f64)], i: usize, wide: f64) {
        let (color, dash) = look(i);
        let _ = writeln!(
            self.text,
            "<path class=\"s{}\" d=\"{}\" stroke=\"{color}\" stroke-width=\"{wide}\" stroke-linejoin=\"round\" fill=\"none\"{dash}/>",
            i % COLORS.len(),
            path(points)
        );
    }
}
