//! Plots as SVG text. What is drawn is decided elsewhere: here are curves, areas and bars with axes, titles and
//! legends.

mod axis;
mod chart;
mod draw;

use std::fmt::Write;

use super::page::escape;
use chart::{Frame, NARROW, SHEET, WIDE};

pub use axis::{Axis, Unit};
pub use chart::{Chart, Plot, Series};

impl Plot {
    /// The plot for a page: a drawing for wide and one for narrow screens, and the values of its curves.
    pub fn figure(&self) -> String {
        let one = std::slice::from_ref(self);
        let mut text = format!("<figure>{}\n{}", drawing(one, WIDE, "wide"), drawing(one, NARROW, "narrow"));
        values(&self.chart, &mut text);
        text + "</figure>\n"
    }
}

/// Plots below each other as one SVG document.
pub fn sheet(plots: &[Plot]) -> String {
    drawing(plots, SHEET, "wide")
}

/// Plots as an SVG element. Its colours are those of a light page; a page gives its own by class.
fn drawing(plots: &[Plot], frame: Frame, class: &str) -> String {
    let drawn: Vec<draw::Drawing> = plots.iter().map(|plot| draw::plot(plot, frame)).collect();
    let height = drawn.iter().map(|d| d.height).sum::<f64>().max(1.0);
    let titles: Vec<&str> = plots.iter().map(|p| p.title.as_str()).collect();
    let width = frame.width;
    let mut text = format!(
        "<svg class=\"{class}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{}\" xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"{}\">\n<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
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

/// Rows of values that a page has of a curve.
const VALUES: usize = 16;

/// The values of curves as a table that is folded up.
fn values(chart: &Chart, text: &mut String) {
    let (Chart::Curves { x, y, series } | Chart::LogLog { x, y, series }) = chart else { return };
    let mut at: Vec<f64> = series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect();
    at.retain(|x| x.is_finite());
    at.sort_by(f64::total_cmp);
    at.dedup();
    if at.is_empty() {
        return;
    }
    let every = at.len().div_ceil(VALUES);
    let (x_name, y_name) = (escape(&x.name), escape(&y.name));
    let _ = write!(
        text,
        "<details><summary>Values</summary><div class=scroll><table>\n<tr><th scope=col>{x_name}</th>"
    );
    for curve in series.iter().filter(|curve| !curve.points.is_empty()) {
        let name = if series.len() > 1 { escape(&curve.name) } else { y_name.clone() };
        let _ = write!(text, "<th scope=col>{name}</th>");
    }
    *text += "</tr>\n";
    // The last value is one of them.
    for x_value in at.iter().rev().step_by(every).collect::<Vec<_>>().into_iter().rev() {
        let _ = write!(text, "<tr><td class=name>{}</td>", escape(&x.unit.show(*x_value)));
        for curve in series.iter().filter(|curve| !curve.points.is_empty()) {
            let value = curve.at(*x_value).map_or("-".into(), |value| y.unit.show(value));
            let _ = write!(text, "<td>{}</td>", escape(&value));
        }
        *text += "</tr>\n";
    }
    *text += "</table></div></details>";
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
            let text = sheet(&[Plot { title: "Title & more".into(), chart }]);
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
                let text = sheet(&[plot]);
                assert!(text.contains("nothing to draw") && !text.contains("NaN"), "{text}");
                assert!(!text.contains("inf"), "{text}");
            }
        }
    }

    /// Values of an area can be read off: under the pointer, and as a table.
    #[test]
    fn values_can_be_read_off() {
        let points = (0..500).map(|i| (f64::from(i), f64::from(i * i))).collect();
        let series = vec![
            Series { name: "squares".into(), points },
            Series { name: "limit".into(), points: vec![(0.0, 7.0), (499.0, 7.0)] },
        ];
        let chart = Chart::Curves { x: axis("round"), y: axis("firings"), series };
        let text = Plot { title: "Squares".into(), chart }.figure();
        let stripes = text.matches("class=\"hit\"").count();
        assert!((40..=WIDE.stripes + NARROW.stripes).contains(&stripes), "{stripes} in {text}");
        assert!(text.contains("round 499: squares 249k, limit 7"), "{text}");
        let rows = text.matches("<td class=name>").count();
        assert!((10..=VALUES).contains(&rows), "{rows}");
        assert!(text.contains("<td class=name>499</td><td>249k</td><td>7</td>"), "{text}");
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
        let text = sheet(&[Plot { title: "Many".into(), chart }]);
        let mut looks: Vec<&str> = text.lines().filter(|l| l.contains("class=\"key ")).collect();
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
