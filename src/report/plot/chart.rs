//! What is drawn: charts of curves or bars.

use super::axis::Axis;

/// How wide a drawing is, in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Frame {
    /// From left to right.
    pub width: f64,
    /// From the left to the area of curves.
    pub left: f64,
    /// How many values are written below the area, about.
    pub ticks: usize,
    /// Stripes of the area that say their values.
    pub stripes: usize,
}

/// For a drawing of its own.
pub(super) const SHEET: Frame = Frame { width: 900.0, left: 84.0, ticks: 8, stripes: 60 };
/// For screens, two beside each other, and for paper.
pub(super) const WIDE: Frame = Frame { width: 620.0, left: 78.0, ticks: 6, stripes: 50 };
/// For telephones.
pub(super) const NARROW: Frame = Frame { width: 380.0, left: 70.0, ticks: 4, stripes: 20 };

/// A curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What it shows.
    pub name: String,
    /// Its points, by ascending `x`.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// The value of the last point that is not behind a place; nothing before the first one.
    pub(super) fn at(&self, x: f64) -> Option<f64> {
        let end = self.points.partition_point(|point| point.0 <= x);
        end.checked_sub(1).map(|at| self.points[at].1).filter(|value| value.is_finite())
    }
}

/// Axes and what is drawn between them.
#[derive(Clone, PartialEq, Debug)]
pub enum Chart {
    /// Curves over a common axis; both begin at zero, and the first curve is filled.
    Curves {
        /// What the horizontal axis counts.
        x: Axis,
        /// What the vertical axis counts.
        y: Axis,
        /// The curves.
        series: Vec<Series>,
    },
    /// Curves over the logarithms of both axes. Curves that cover each other are all seen: earlier ones are wider.
    LogLog {
        /// What the horizontal axis counts.
        x: Axis,
        /// What the vertical axis counts.
        y: Axis,
        /// The curves; points that are not positive are left out. A curve without points only takes its colour.
        series: Vec<Series>,
    },
    /// One bar a name, below each other, with its value.
    Bars {
        /// What the horizontal axis counts.
        x: Axis,
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
    /// Whether something in it is not zero.
    pub fn shows_something(&self) -> bool {
        match &self.chart {
            Chart::Curves { series, .. } | Chart::LogLog { series, .. } => {
                series.iter().any(|s| s.points.iter().any(|p| p.1 > 0.0))
            }
            Chart::Bars { bars, .. } => bars.iter().any(|b| b.1 > 0.0),
        }
    }
}
