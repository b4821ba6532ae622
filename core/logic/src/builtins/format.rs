//! `format/2`: directives and column stops.

use gchr_base::logic::Rational;
use num_bigint::{BigInt, Sign};

use crate::cell::Cell;
use crate::machine::{Done, Machine, Throw};
use crate::meter::Meter;
use crate::number::Number;
use crate::write::Style;

/// A line that is being made: text since the last column stop, with the places where it may be filled.
struct Line {
    done: String,
    /// Column at which `segment` begins.
    start: usize,
    segment: String,
    /// Byte in `segment`, and with what it is filled there.
    fills: Vec<(usize, char)>,
}

impl Line {
    fn column(&self) -> usize {
        match self.segment.rfind('\n') {
            Some(at) => self.segment[at + 1..].chars().count(),
            None => self.start + self.segment.chars().count(),
        }
    }
    /// Ends the segment at a column.
    fn stop(&mut self, column: usize) {
        let missing = column.saturating_sub(self.column());
        let mut segment = std::mem::take(&mut self.segment);
        let fills = std::mem::take(&mut self.fills);
        if fills.is_empty() {
            segment.push_str(&" ".repeat(missing));
        } else {
            let (share, rest) = (missing / fills.len(), missing % fills.len());
            for (i, &(at, c)) in fills.iter().enumerate().rev() {
                // What cannot be shared equally goes to the last place.
                let n = share + if i + 1 == fills.len() { rest } else { 0 };
                segment.insert_str(at, &c.to_string().repeat(n));
            }
        }
        self.start = match segment.rfind('\n') {
            Some(at) => segment[at + 1..].chars().count(),
            None => self.start + segment.chars().count(),
        };
        self.done.push_str(&segment);
    }
}

/// The number between `~` and a directive.
enum Argument {
    None,
    Number(usize),
    Char(char),
}

impl Machine<'_, '_> {
    /// Writes arguments by a format.
    pub(super) fn format(&mut self, stream: Option<usize>, format: usize, args: Option<usize>) -> Done<bool> {
        let format = self.text(self.x[format])?;
        let args = match args {
            Some(index) => {
                let (items, rest) = self.heap.list_items(self.x[index]);
                if rest == Cell::atom(crate::names::atom::nil) { items } else { vec![self.arg(index)] }
            }
            None => Vec::new(),
        };
        let start = self.column();
        let mut line = Line { done: String::new(), start, segment: String::new(), fills: Vec::new() };
        let formatted = self.formatted(&mut line, &format, args);
        // What comes before a mistake is written.
        let Line { done: mut text, segment, .. } = line;
        text.push_str(&segment);
        self.put_on(stream, &text)?;
        formatted.map(|()| true)
    }

    fn format_error(&mut self, what: &str) -> Throw {
        let (name, text) = (self.db.names.intern("format"), self.atom_cell(what));
        let formal = self.heap.compound(name, &[text]);
        self.error(formal)
    }

    /// The argument of a directive is not what it writes.
    fn wrong_argument(&mut self, directive: char, cell: Cell) -> Throw {
        let name = self.db.names.intern("format_argument_type");
        let directive = self.atom_cell(directive.encode_utf8(&mut [0; 4]));
        let formal = self.heap.compound(name, &[directive, cell]);
        self.error(formal)
    }

    fn formatted(&mut self, line: &mut Line, format: &str, args: Vec<Cell>) -> Done<()> {
        let (mut args, mut chars) = (args.into_iter(), format.chars());
        // Column of the last stop, for `~+`. Lines that end do not move it, as in SWI-Prolog.
        let mut last_stop = 0;
        while let Some(c) = chars.next() {
            if c != '~' {
                line.segment.push(c);
                continue;
            }
            let Some(mut directive) = chars.next() else {
                return Err(self.format_error("truncated format specification"));
            };
            let mut argument = Argument::None;
            if directive == '`' {
                argument = Argument::Char(chars.next().unwrap_or(' '));
                directive = chars.next().unwrap_or('t');
            } else if directive == '*' {
                let Some(cell) = args.next() else { return Err(self.format_error("not enough arguments")) };
                let Some(n) = cell.is_int().then(|| usize::try_from(cell.as_int()).ok()).flatten() else {
                    return Err(self.format_error("no or negative integer for `*' argument"));
                };
                argument = Argument::Number(n);
                directive = chars.next().unwrap_or('~');
            } else {
                let mut number = None;
                while let Some(digit) = directive.to_digit(10) {
                    number =
                        Some(number.unwrap_or(0_usize).saturating_mul(10).saturating_add(digit as usize));
                    directive = chars.next().unwrap_or('~');
                }
                if let Some(n) = number {
                    argument = Argument::Number(n);
                }
            }
            // By the locale: numbers have no groups of digits in the one of C.
            if directive == ':' {
                directive = chars.next().unwrap_or('~');
            }
            let number = match argument {
                Argument::Number(n) => Some(n),
                _ => None,
            };
            // Columns, repetitions and digits are made at once.
            self.afford(number.unwrap_or(0).saturating_mul(4))?;
            match directive {
                '~' => line.segment.push('~'),
                'n' => line.segment.push_str(&"\n".repeat(number.unwrap_or(1))),
                'N' if line.column() > 0 => line.segment.push('\n'),
                'N' => {}
                't' => {
                    let fill = match argument {
                        Argument::Char(c) => c,
                        Argument::Number(n) => char::from_u32(n as u32).unwrap_or(' '),
                        Argument::None => ' ',
                    };
                    line.fills.push((line.segment.len(), fill));
                }
                '|' => {
                    let column = number.unwrap_or_else(|| line.column());
                    line.stop(column);
                    last_stop = line.start;
                }
                '+' => {
                    last_stop += number.unwrap_or(8);
                    line.stop(last_stop);
                }
                _ => {
                    let Some(cell) = args.next() else {
                        return Err(self.format_error("not enough arguments"));
                    };
                    let text = match directive {
                        'W' => match args.next() {
                            Some(options) => self.text_by_options(cell, options)?,
                            None => return Err(self.format_error("not enough arguments")),
                        },
                        _ => self.directive(directive, number, cell)?,
                    };
                    self.afford(text.len())?;
                    line.segment.push_str(&text);
                }
            }
        }
        if args.next().is_some() {
            return Err(self.format_error("too many arguments"));
        }
        Ok(())
    }

    fn directive(&mut self, directive: char, number: Option<usize>, cell: Cell) -> Done<String> {
        Ok(match directive {
            'w' => self.written(cell, Style::PLAIN)?,
            'p' | 'q' => self.written(cell, Style::QUOTED)?,
            'k' => self.canonical_text(cell)?,
            'a' | 's' => match self.text_of(cell) {
                Some(text) => text,
                None => {
                    self.checked(())?;
                    return Err(self.wrong_argument(directive, cell));
                }
            },
            'd' | 'D' | 'I' => {
                // A term is evaluated.
                let value = self.evaluate(cell)?;
                let whole = self.heap.push_number(&value);
                if !self.heap.is_integer(whole) {
                    return Err(self.wrong_argument(directive, cell));
                }
                let text = self.text(whole)?;
                match directive {
                    'd' => grouped(&text, number.unwrap_or(0), None),
                    'D' => grouped(&text, number.unwrap_or(0), Some((3, ','))),
                    _ => grouped(&text, 0, Some((number.unwrap_or(3).max(1), '_'))),
                }
            }
            'e' | 'f' | 'g' => {
                let value = self.evaluate(cell)?;
                float_text(&self.heap.meter, directive, number.unwrap_or(6), &value)
            }
            'c' => {
                if !cell.is_int() {
                    return Err(self.wrong_argument(directive, cell));
                }
                let code = cell.as_int();
                let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                c.to_string().repeat(number.unwrap_or(1))
            }
            'r' | 'R' => {
                let base = number.unwrap_or(8);
                if !(2..=36).contains(&base) {
                    return Err(self.domain_error("radix", Cell::int(base)));
                }
                if !self.heap.is_integer(cell) {
                    return Err(self.wrong_argument(directive, cell));
                }
                let text = self.evaluate(cell)?.to_big().unwrap_or_default().to_str_radix(base as u32);
                if directive == 'R' { text.to_uppercase() } else { text }
            }
            'i' => String::new(),
            _ => {
                let directive = self.atom_cell(directive.encode_utf8(&mut [0; 4]));
                return Err(self.existence_error("format_character", directive));
            }
        })
    }
}

/// An integer with a point before its last digits, and a character between groups of so many.
fn grouped(digits: &str, point: usize, groups: Option<(usize, char)>) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let padded = "0".repeat((point + 1).saturating_sub(digits.len())) + digits;
    let (whole, fraction) = padded.split_at(padded.len() - point);
    let mut text = String::from(sign);
    for (i, c) in whole.chars().enumerate() {
        if let Some((size, between)) = groups
            && i > 0
            && (whole.len() - i).is_multiple_of(size)
        {
            text.push(between);
        }
        text.push(c);
    }
    if point > 0 {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// Most digits behind the point that a float has.
const DIGITS: usize = 1100;

fn float_text(meter: &Meter, directive: char, digits: usize, value: &Number) -> String {
    let whole = match value {
        Number::Int(n) if directive == 'f' => Some(n.to_string()),
        Number::Big(n) if directive == 'f' => Some(crate::big::text(meter, n)),
        Number::Rational(n) if directive == 'f' => return decimals(meter, n, digits),
        _ => None,
    };
    if let Some(whole) = whole {
        return if digits == 0 { whole } else { format!("{whole}.{}", "0".repeat(digits)) };
    }
    let x = value.to_float();
    // A float has fewer digits than the library can be asked for; zeros follow.
    let zeros = "0".repeat(digits.saturating_sub(DIGITS));
    let digits = digits.min(DIGITS);
    match directive {
        'f' if x.is_finite() => format!("{x:.digits$}{zeros}"),
        'f' => x.to_string(),
        'e' => exponent(x, digits).replacen('e', &(zeros + "e"), 1),
        _ => {
            // The shorter of both forms, without zeros at the end.
            let magnitude = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
            let digits = digits.max(1);
            if magnitude < -4 || magnitude >= digits as i32 {
                let text = exponent(x, digits - 1);
                match text.split_once('e') {
                    Some((mantissa, power)) if mantissa.contains('.') => {
                        format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
                    }
                    _ => text,
                }
            } else {
                let places = (digits as i32 - 1 - magnitude).max(0) as usize;
                let text = format!("{x:.places$}");
                match text.contains('.') {
                    true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                    false => text,
                }
            }
        }
    }
}

/// A rational number with so many decimals, halves rounded away from zero.
fn decimals(meter: &Meter, n: &Rational, digits: usize) -> String {
    let ten = crate::big::power(meter, &BigInt::from(10), u32::try_from(digits).unwrap_or(u32::MAX));
    let twice = crate::big::multiply(meter, &BigInt::from(n.numerator.magnitude().clone()), &ten) * 2;
    let rounded = crate::big::divide(meter, &(twice + &n.denominator), &(&n.denominator * 2)).0;
    let text = crate::big::text(meter, &rounded);
    let padded = format!("{text:0>width$}", width = digits + 1);
    let (whole, fraction) = padded.split_at(padded.len() - digits);
    let sign = if n.numerator.sign() == Sign::Minus { "-" } else { "" };
    let point = if digits > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

fn exponent(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, power)) => {
            let power: i32 = power.parse().unwrap_or(0);
            format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
        }
        None => text,
    }
}
