//! Plots as SVG text. What is drawn is decided elsewhere: here are curves, areas and bars with axes, titles and
//! legends.

mod axis;
mod chart;
mod draw;

use std::fmt::Write;

use super::page::escape;
use chart::WIDTH;

pub use axis::{Axis, Unit};
pub use chart::{Chart, Plot, Series};

impl Plot {
    /// The plot as an SVG element.
    pub fn svg(&self) -> String {
        sheet(std::slice::from_ref(self))
    }
}

/// Plots below each other as one SVG document.
pub fn sheet(plots: &[Plot]) -> String {
    let drawn: Vec<draw::Drawing> = plots.iter().map(draw::plot).collect();
    let height = drawn.iter().map(|d| d.height).sum::<f64>().max(1.0);
    let titles: Vec<&str> = plots.iter().map(|p| p.title.as_str()).collect();
    let mut text = format!(
        "<svg width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\" \
         xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"12\" fill=\"{}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escape(&titles.join("; ")),
        draw::INK,
    );
    let mut top = 0.0;
    for drawing in drawn {
        let _ = writeln!(text, "<g transform=\"translate(0 {top})\">\n{}</g>", drawing.text);
        top += drawing.height;
    }
    text + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str) -> Axis {
        Axis { name: name.into(), unit: Unit::Count }
    }

    #[test]
    fn every_chart_draws_its_names() {
        let series = vec![Series { name: "one & two".into(), points: vec![(1.0, 1.0), (2.0, 8.0)] }; 2];
        let charts = [
            Chart::Curves { x: axis("size"), y: axis("ms"), series: series.clone() },
            Chart::LogLog { x: axis("size"), y: axis("ms"), series },
            Chart::Bars { x: axis("size"), bars: vec![("one & two".into(), 3.0), ("two".into(), 0.0)] },
        ];
        for chart in charts {
            let text = Plot { title: "Title & more".into(), chart }.svg();
            for wanted in ["<svg ", ">Title &amp; more<", ">one &amp; two<", ">size<"] {
                assert!(text.contains(wanted), "no {wanted} in {text}");
            }
        }
    }

    /// A chart without points says so, and has no place that is not a number.
    #[test]
    fn nothing_to_draw_is_said() {
        let odd = vec![Series { name: "odd".into(), points: vec![(0.0, f64::NAN), (-1.0, f64::INFINITY)] }];
        for series in [vec![], odd] {
            let charts = [
                Chart::Curves { x: axis("x"), y: axis("y"), series: series.clone() },
                Chart::LogLog { x: axis("x"), y: axis("y"), series },
                Chart::Bars { x: axis("x"), bars: vec![] },
            ];
            for chart in charts {
                let plot = Plot { title: "none".into(), chart };
                let text = plot.svg();
                assert!(text.contains("nothing to draw") && !text.contains("NaN"), "{text}");
                assert!(!text.contains("inf"), "{text}");
            }
        }
    }

    /// Nine curves have nine looks, and their names have places of their own.
    #[test]
    fn curves_can_be_told_apart() {
        let series: Vec<_> = (0..9)
            .map(|i| Series {
                name: format!("program {i} with many options"),
                points: vec![(1.0, 1.0), (2.0, 2.0)],
            })
            .collect();
        let chart = Chart::LogLog { x: axis("size"), y: axis("ms"), series };
        let text = Plot { title: "Many".into(), chart }.svg();
        let mut looks: Vec<&str> = text.lines().filter(|l| l.contains("class=\"key\"")).collect();
        let places = |line: &&str| line.split(" stroke=").next().map(str::to_string);
        let mut at: Vec<_> = looks.iter().filter_map(places).collect();
        let mut styles: Vec<_> = looks.drain(..).filter_map(|l| l.split(" stroke=").nth(1)).collect();
        at.sort();
        styles.sort_unstable();
        at.dedup();
        styles.dedup();
        assert_eq!((at.len(), styles.len()), (9, 9), "{text}");
    }
}
