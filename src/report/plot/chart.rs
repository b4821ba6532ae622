//! What is drawn: charts of curves or bars.

use super::axis::Axis;

/// Pixels from left to right.
pub(super) const WIDTH: f64 = 900.0;

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
