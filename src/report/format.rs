//! Numbers and tables as text.

use std::fmt;

/// Milliseconds.
pub(crate) fn ms(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// A count, exactly.
pub(crate) fn count(n: u64) -> String {
    n.to_string()
}

/// `20MB`: bytes, rounded.
pub(crate) fn bytes(n: u64) -> String {
    format!("{}B", short(n as f64))
}

/// `1.5k`, `20M`, `3µ`: a number with three significant digits and a unit prefix.
pub(crate) fn short(value: f64) -> String {
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
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}{}", trimmed(format!("{scaled:.digits$}")), prefixes[at])
}

/// Without zeros after the decimal point.
pub(crate) fn trimmed(mut text: String) -> String {
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    text
}

/// Lines whose first and last columns are aligned to the left, the others to the right.
pub(crate) fn write_aligned(f: &mut dyn fmt::Write, lines: &[Vec<String>]) -> fmt::Result {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |c: usize| lines.iter().filter_map(|l| l.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        let mut text = String::new();
        for (c, cell) in line.iter().enumerate() {
            let fill = " ".repeat(widths[c] - cell.chars().count());
            let text_column = c == 0 || c + 1 == columns && cell.parse::<f64>().is_err() && cell != "-";
            match text_column {
                true => text += &format!("{cell}{fill}  "),
                false => text += &format!("{fill}{cell}  "),
            }
        }
        writeln!(f, "{}", text.trim_end())?;
    }
    Ok(())
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
    fn numbers_end_where_those_below_end() {
        let lines = [["program", "ms", ""], ["a", "1.5", "equal"], ["long name", "20", "-"]];
        let lines: Vec<Vec<String>> = lines.iter().map(|line| line.map(str::to_string).to_vec()).collect();
        let mut text = String::new();
        write_aligned(&mut text, &lines).expect("a text takes all");
        assert_eq!(text, "program     ms\na          1.5  equal\nlong name   20      -\n");
    }
}
