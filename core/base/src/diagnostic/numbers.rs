//! Numbers of lines in the margin of a diagnostic that shows parts of texts.

/// The digits in the margin of a line, and the spaces that may give way to more of them.
struct Number {
    start: usize,
    end: usize,
    value: usize,
    room: usize,
}

impl Number {
    /// The number of a line that has one. A colour may come before it.
    fn of(line: &str) -> Option<Self> {
        let (margin, _) = line.split_once('│')?;
        let end = margin.trim_end_matches(' ').len();
        let start = margin[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        let before = margin[..start].trim_end_matches(' ');
        let is_colour = before.starts_with(" \u{1b}[") && before.ends_with('m');
        if !before.is_empty() && !is_colour {
            return None;
        }
        // One space stays at the start of a line.
        let room = (start - before.len()).saturating_sub(usize::from(before.is_empty()));
        Some(Self { start, end, value: margin[start..end].parse().ok()?, room })
    }
}

/// Adds to the numbers of lines, each so much as stands beside it, and keeps the margin straight.
pub(super) fn renumber(lines: &[(String, usize)]) -> String {
    let number = |(i, (line, more)): (usize, &(String, usize))| {
        // The first line is the message.
        let number = Number::of(line).filter(|_| i > 0)?;
        let wide = number.value.saturating_add(*more).to_string();
        let longer = wide.len() - (number.end - number.start);
        Some((longer.saturating_sub(number.room), longer.min(number.room), wide, number))
    };
    let numbers: Vec<_> = lines.iter().enumerate().map(number).collect();
    let wider = numbers.iter().flatten().map(|(over, ..)| *over).max().unwrap_or(0);
    let mut out = String::new();
    for (i, ((line, _), number)) in lines.iter().zip(numbers).enumerate() {
        match number {
            Some((over, taken, wide, Number { start, end, .. })) => {
                let pad = " ".repeat(wider - over);
                out += &format!("{pad}{}{wide}{}", &line[..start - taken], &line[end..]);
            }
            None if i > 0 && !line.is_empty() => out += &format!("{}{line}", " ".repeat(wider)),
            None => out += line,
        }
        out.push('\n');
    }
    out
}
