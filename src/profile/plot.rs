//! Plots as SVG text. What is drawn is decided elsewhere: here are lines, areas and bars with axes.

use std::io;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;

/// Pixels of a plot of curves.
const SIZE: (u32, u32) = (760, 250);
/// Pixels of a bar, and around all bars.
const BAR: (u32, u32) = (24, 92);
const COLORS: [RGBColor; 3] = [RGBColor(31, 98, 168), RGBColor(214, 112, 28), RGBColor(70, 130, 80)];
const GRID: RGBColor = RGBColor(228, 228, 228);
const INK: RGBColor = RGBColor(60, 60, 60);

/// A curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What it shows.
    pub name: String,
    /// Its points, by ascending `x`.
    pub points: Vec<(f64, f64)>,
}

/// Axes and what is drawn between them.
#[derive(Clone, PartialEq, Debug)]
pub enum Chart {
    /// Curves over a common axis; the first one is filled.
    Curves {
        /// What the horizontal axis counts.
        x: String,
        /// What the vertical axis counts.
        y: String,
        /// The curves.
        series: Vec<Series>,
    },
    /// Curves over the logarithms of both axes.
    LogLog {
        /// What the horizontal axis counts.
        x: String,
        /// What the vertical axis counts.
        y: String,
        /// The curves; values are positive.
        series: Vec<Series>,
    },
    /// One bar a name, below each other.
    Bars {
        /// What the horizontal axis counts.
        x: String,
        /// Names and values.
        bars: Vec<(String, f64)>,
    },
}

/// A chart with its title.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// What one sees.
    pub title: String,
    /// The chart.
    pub chart: Chart,
}

impl Plot {
    fn height(&self) -> u32 {
        match &self.chart {
            Chart::Bars { bars, .. } => BAR.1 + BAR.0 * bars.len() as u32,
            Chart::Curves { .. } | Chart::LogLog { .. } => SIZE.1,
        }
    }

    /// The plot as an SVG element.
    pub fn svg(&self) -> io::Result<String> {
        sheet(std::slice::from_ref(self))
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Plots below each other as one SVG document.
pub fn sheet(plots: &[Plot]) -> io::Result<String> {
    let mut text = String::new();
    {
        let height = plots.iter().map(Plot::height).sum::<u32>().max(1);
        let root = SVGBackend::with_string(&mut text, (SIZE.0, height)).into_drawing_area();
        let drawn = root.fill(&WHITE).map_err(|e| e.to_string()).and_then(|()| {
            let mut rest = root.clone();
            plots.iter().try_for_each(|plot| {
                let (part, below) = rest.split_vertically(plot.height());
                rest = below;
                draw(plot, &part).map_err(|e| e.to_string())
            })
        });
        drawn.and_then(|()| root.present().map_err(|e| e.to_string())).map_err(io::Error::other)?;
    }
    Ok(text)
}

fn draw(plot: &Plot, area: &Area) -> Drawn {
    match &plot.chart {
        Chart::Curves { x, y, series } => curves(&plot.title, x, y, series, area),
        Chart::LogLog { x, y, series } => log_log(&plot.title, x, y, series, area),
        Chart::Bars { x, bars } => bar_chart(&plot.title, x, bars, area),
    }
}

fn builder<'a, 'b>(title: &str, area: &'a Area<'b>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", 15).into_font().color(&INK));
    builder.margin(10).margin_right(24).x_label_area_size(38).y_label_area_size(72);
    builder
}

/// The smallest range that holds all points and zero.
fn extent(series: &[Series], of: fn(&(f64, f64)) -> f64) -> f64 {
    let values = series.iter().flat_map(|s| s.points.iter().map(of));
    let top = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
    if top > 0.0 { top } else { 1.0 }
}

fn curves(title: &str, x: &str, y: &str, series: &[Series], area: &Area) -> Drawn {
    let (right, top) = (extent(series, |p| p.0), extent(series, |p| p.1) * 1.08);
    let mut chart = builder(title, area).build_cartesian_2d(0.0..right, 0.0..top)?;
    mesh(&mut chart, x, y)?;
    for (i, curve) in series.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let points = curve.points.iter().copied();
        if i == 0 {
            chart.draw_series(AreaSeries::new(points.clone(), 0.0, color.mix(0.18)))?;
        }
        line(&mut chart, &curve.name, points, color)?;
    }
    if series.len() > 1 {
        legend(&mut chart)?;
    }
    Ok(())
}

fn log_log(title: &str, x: &str, y: &str, series: &[Series], area: &Area) -> Drawn {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let all = series.iter().flat_map(|s| s.points.iter().map(of)).filter(|v| *v > 0.0);
        let (low, high) = all.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        if low < high { low * 0.9..high * 1.1 } else { 0.5 * low.min(1.0)..2.0 * high.max(1.0) }
    };
    let mut chart =
        builder(title, area).build_cartesian_2d(range(|p| p.0).log_scale(), range(|p| p.1).log_scale())?;
    mesh(&mut chart, x, y)?;
    for (i, curve) in series.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let points: Vec<_> = curve.points.iter().copied().filter(|p| p.0 > 0.0 && p.1 > 0.0).collect();
        chart.draw_series(points.iter().map(|&p| Circle::new(p, 3, color.filled())))?;
        line(&mut chart, &curve.name, points, color)?;
    }
    legend(&mut chart)
}

/// An axis of numbers.
trait Axis: Ranged<ValueType = f64> + ValueFormatter<f64> {}
impl<T: Ranged<ValueType = f64> + ValueFormatter<f64>> Axis for T {}

/// A chart with two axes.
type Axes<'a, 'b, X, Y> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, Y>>;

fn mesh<X: Axis, Y: Axis>(chart: &mut Axes<'_, '_, X, Y>, x: &str, y: &str) -> Drawn {
    let mut mesh = chart.configure_mesh();
    mesh.bold_line_style(GRID).light_line_style(TRANSPARENT).axis_style(INK).label_style(("sans-serif", 12));
    mesh.x_desc(x).y_desc(y).axis_desc_style(("sans-serif", 12)).x_labels(8).y_labels(6);
    mesh.x_label_formatter(&|v| short(*v)).y_label_formatter(&|v| short(*v)).draw()?;
    Ok(())
}

fn line<X: Axis, Y: Axis>(
    chart: &mut Axes<'_, '_, X, Y>,
    name: &str,
    points: impl IntoIterator<Item = (f64, f64)>,
    color: RGBColor,
) -> Drawn {
    let drawn = chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
    drawn.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    Ok(())
}

fn legend<'a, 'b: 'a, X: Axis, Y: Axis>(chart: &mut Axes<'a, 'b, X, Y>) -> Drawn {
    let mut labels = chart.configure_series_labels();
    labels.position(SeriesLabelPosition::UpperRight).label_font(("sans-serif", 12));
    labels.background_style(WHITE.mix(0.85)).border_style(GRID).draw()?;
    Ok(())
}

fn bar_chart(title: &str, x: &str, bars: &[(String, f64)], area: &Area) -> Drawn {
    let most = bars.iter().map(|b| b.1).fold(0.0, f64::max);
    let right = if most > 0.0 { most * 1.12 } else { 1.0 };
    let mut builder = builder(title, area);
    let mut chart =
        builder.y_label_area_size(170).build_cartesian_2d(0.0..right, 0.0..bars.len().max(1) as f64)?;
    let mut mesh = chart.configure_mesh();
    mesh.disable_y_mesh().disable_y_axis().bold_line_style(GRID).light_line_style(TRANSPARENT);
    mesh.x_desc(x).axis_desc_style(("sans-serif", 12)).label_style(("sans-serif", 12)).axis_style(INK);
    mesh.x_labels(8).x_label_formatter(&|v| short(*v)).draw()?;
    let (left, lines) = (chart.plotting_area().get_pixel_range().0.start, bars.len().max(1) as f64);
    let pixels = chart.plotting_area().get_pixel_range().1;
    for (i, (name, value)) in bars.iter().enumerate() {
        let (low, high) = (lines - i as f64 - 0.85, lines - i as f64 - 0.15);
        chart.draw_series([Rectangle::new([(0.0, low), (*value, high)], COLORS[0].mix(0.75).filled())])?;
        let middle =
            f64::from(pixels.start) + (i as f64 + 0.5) / lines * f64::from(pixels.end - pixels.start);
        let at = (left - 8, middle as i32 - 6);
        let right_aligned = ("sans-serif", 12).into_font().color(&INK);
        let style = right_aligned.pos(plotters::style::text_anchor::Pos::new(
            plotters::style::text_anchor::HPos::Right,
            plotters::style::text_anchor::VPos::Top,
        ));
        area.draw(&Text::new(clip(name), to_area(area, at), style))?;
    }
    Ok(())
}

/// Positions of the whole drawing as positions of a part of it.
fn to_area(area: &Area, (x, y): (i32, i32)) -> (i32, i32) {
    let (xs, ys) = area.get_pixel_range();
    (x - xs.start, y - ys.start)
}

fn clip(name: &str) -> String {
    const MOST: usize = 24;
    if name.chars().count() <= MOST {
        name.into()
    } else {
        name.chars().take(MOST - 1).chain(['…']).collect()
    }
}

/// `1.5k`, `20M`, `3µ`: a number with three significant digits and a unit prefix.
pub fn short(value: f64) -> String {
    const LARGE: [&str; 6] = ["", "k", "M", "G", "T", "P"];
    const SMALL: [&str; 4] = ["", "m", "µ", "n"];
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "∞".into() };
    }
    let (mut scaled, mut at) = (value.abs(), 0);
    let prefixes: &[&str] = if scaled >= 1.0 {
        while scaled >= 999.5 && at + 1 < LARGE.len() {
            (scaled, at) = (scaled / 1e3, at + 1);
        }
        &LARGE
    } else {
        while scaled < 0.9995 && at + 1 < SMALL.len() {
            (scaled, at) = (scaled * 1e3, at + 1);
        }
        &SMALL
    };
    let digits = if scaled >= 100.0 {
        0
    } else if scaled >= 10.0 {
        1
    } else {
        2
    };
    let mut text = format!("{scaled:.digits$}");
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{text}{}", prefixes[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases =
            [(0.0, "0"), (1.0, "1"), (1500.0, "1.5k"), (999_600.0, "1M"), (0.0021, "2.1m"), (12.345, "12.3")];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(-2_000_000.0), "-2M");
        assert_eq!(short(123.4), "123");
    }

    #[test]
    fn every_chart_draws_its_names() {
        let series = vec![Series { name: "one".into(), points: vec![(1.0, 1.0), (2.0, 8.0)] }];
        let (x, y) = (String::from("size"), String::from("ms"));
        let charts = [
            Chart::Curves { x: x.clone(), y: y.clone(), series: series.clone() },
            Chart::LogLog { x: x.clone(), y, series },
            Chart::Bars { x, bars: vec![("a < b".into(), 3.0), ("two".into(), 0.0)] },
        ];
        for chart in charts {
            let text = Plot { title: "Title & more".into(), chart }.svg().expect("a drawing");
            assert!(
                text.starts_with("<svg ") && text.contains("Title &amp; more") && text.contains("size"),
                "{text}"
            );
        }
    }

    #[test]
    fn nothing_to_draw_is_no_error() {
        let empty = Chart::Curves { x: "x".into(), y: "y".into(), series: vec![] };
        let log = Chart::LogLog { x: "x".into(), y: "y".into(), series: vec![] };
        let bars = Chart::Bars { x: "x".into(), bars: vec![] };
        for chart in [empty, log, bars] {
            assert!(Plot { title: "nothing".into(), chart }.svg().is_ok());
        }
    }
}
