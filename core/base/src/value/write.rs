//! Text of values as SWI-Prolog's `writeq` and `write` show them: quoting, operators, lists, `{}` terms, spacing of
//! tokens.
//!
//! Works with an explicit stack, so terms of any depth can be written.

use std::fmt::{self, Display, Formatter, Write};

use unicode_ident::{is_xid_continue, is_xid_start};

use super::operators::{self, ARGUMENT, OperatorPriority, TERM};
use super::{Args, Value};
use crate::escape::is_hidden;
use crate::logic::{OpDef, Operators, right_limit};
use crate::signature::Signature;

/// A value with the way to show it; made by [`Value::quoted`] and [`Value::plain`].
#[derive(Clone, Copy)]
pub struct Written<'a> {
    value: Value<'a>,
    quoted: bool,
    /// Whether it must read back as the same value, even where `writeq` does not: `'$VAR'(1)` shown as `B`.
    readable: bool,
    max: u16,
}

impl<'a> Written<'a> {
    pub(super) fn new(value: Value<'a>, quoted: bool) -> Self {
        Self { value, quoted, readable: false, max: TERM }
    }
    pub(super) fn argument(value: Value<'a>) -> Self {
        Self { value, quoted: true, readable: true, max: ARGUMENT }
    }
}

impl Display for Written<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let syntax = Syntax {
            declared: match self.value {
                Value::Compound { args, .. } => args.terms.signature.operators.as_deref(),
                _ => None,
            },
            readable: self.readable,
        };
        Writer { out: f, quoted: self.quoted, syntax, last: ' ' }.run(self.value, self.max)
    }
}

/// A constraint whose name is an operator, written as one.
pub struct Operation<'a> {
    name: &'a str,
    operands: [Option<Value<'a>>; 2],
    signature: &'a Signature,
}

impl<'a> Operation<'a> {
    /// Whether a name of one or two operands is an operator of a program.
    pub fn is_one(signature: &Signature, name: &str, operands: usize) -> bool {
        let syntax = Syntax { declared: signature.operators.as_deref(), readable: true };
        match operands {
            1 => syntax.prefix(name).is_some() || syntax.postfix(name).is_some(),
            2 => syntax.infix(name).is_some(),
            _ => false,
        }
    }
    /// The operator with its operands.
    pub fn new(
        signature: &'a Signature,
        name: &'a str,
        mut operands: impl Iterator<Item = Value<'a>>,
    ) -> Self {
        Self { name, operands: [operands.next(), operands.next()], signature }
    }
}

impl Display for Operation<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let syntax = Syntax { declared: self.signature.operators.as_deref(), readable: true };
        let mut writer = Writer { out: f, quoted: true, syntax, last: ' ' };
        let mut pending = Vec::new();
        if writer.operation(self.name, self.operands, ARGUMENT, &mut pending)? {
            return writer.finish(pending);
        }
        Ok(())
    }
}

enum Item<'a> {
    Term(Value<'a>, u16),
    /// An operand of an operator: there, an atom that is an operator stands in parentheses.
    Operand(Value<'a>, u16),
    /// The arguments from a position on, then `)`.
    Args(Args<'a>, usize),
    /// The rest of a list, then `]`.
    Tail(Value<'a>),
    Infix(&'a str),
    Close(char),
}

struct Writer<'o> {
    out: &'o mut dyn Write,
    quoted: bool,
    syntax: Syntax<'o>,
    last: char,
}

/// The operators that terms are written with.
#[derive(Clone, Copy)]
struct Syntax<'a> {
    /// Those of the program; `None` where it declares none.
    declared: Option<&'a Operators>,
    /// Whether the text must read back.
    readable: bool,
}

impl Syntax<'_> {
    /// The operator `name` between two operands.
    fn infix(self, name: &str) -> Option<OperatorPriority> {
        let standard = operators::infix(name);
        self.of_prolog(standard, |table| table.infix(name))
    }

    /// The operator `name` before its operand.
    fn prefix(self, name: &str) -> Option<OperatorPriority> {
        let standard = operators::prefix(name);
        self.of_prolog(standard, |table| table.prefix(name))
    }

    /// The operator `name` behind its operand: only programs declare some.
    fn postfix(self, name: &str) -> Option<OperatorPriority> {
        // What may be infix as well would take away the operand of an operator before it.
        self.of_prolog(None, |table| table.postfix(name).filter(|_| table.infix(name).is_none()))
    }

    /// Operators of library(chr) are not written as such, unless the program declares them otherwise.
    fn of_prolog(
        self,
        standard: Option<OperatorPriority>,
        declared: impl FnOnce(&Operators) -> Option<OpDef>,
    ) -> Option<OperatorPriority> {
        let Some(table) = self.declared else { return standard.filter(|op| !op.of_chr) };
        let op = declared(table)?;
        let of_chr = standard.is_some_and(|standard| standard.of_chr && standard.priority == op.priority);
        let (priority, left, right) = (op.priority, op.left(), op.right());
        (!of_chr).then_some(OperatorPriority { priority, left, right, of_chr })
    }

    /// Whether a name is an operator where the text is read.
    fn is_operator(self, name: &str) -> bool {
        self.infix(name).is_some()
            || self.prefix(name).is_some()
            || self.postfix(name).is_some()
            || self.readable && operators::is_operator(name)
    }
}

impl Writer<'_> {
    fn run(&mut self, value: Value<'_>, max: u16) -> fmt::Result {
        // Most values are numbers and texts: no stack for them.
        let mut pending = Vec::new();
        self.term(value, max, &mut pending)?;
        self.finish(pending)
    }

    fn finish(&mut self, mut pending: Vec<Item<'_>>) -> fmt::Result {
        while let Some(item) = pending.pop() {
            match item {
                Item::Operand(Value::Atom(name), _) if self.syntax.is_operator(name) => {
                    self.raw("(")?;
                    self.atom(name)?;
                    self.raw(")")?;
                }
                Item::Term(value, max) | Item::Operand(value, max) => self.term(value, max, &mut pending)?,
                Item::Args(args, index) => match args.get(index) {
                    Some(arg) => {
                        if index > 0 {
                            self.raw(",")?;
                        }
                        pending.push(Item::Args(args, index + 1));
                        pending.push(Item::Term(arg, ARGUMENT));
                    }
                    None => self.raw(")")?,
                },
                Item::Tail(rest) => match rest.as_list_cell() {
                    Some((head, tail)) => {
                        self.raw(",")?;
                        pending.push(Item::Tail(tail));
                        pending.push(Item::Term(head, ARGUMENT));
                    }
                    None => {
                        pending.push(Item::Close(']'));
                        if !matches!(rest, Value::Atom("[]")) {
                            self.raw("|")?;
                            pending.push(Item::Term(rest, ARGUMENT));
                        }
                    }
                },
                Item::Infix(",") => self.raw(",")?,
                Item::Infix(name) if name.starts_with(char::is_alphabetic) => {
                    self.raw(" ")?;
                    self.atom(name)?;
                    self.raw(" ")?;
                }
                Item::Infix("|") => self.raw("|")?,
                Item::Infix(name) => self.atom(name)?,
                Item::Close(c) => self.raw(c.encode_utf8(&mut [0; 4]))?,
            }
        }
        Ok(())
    }

    fn term<'a>(&mut self, value: Value<'a>, max: u16, pending: &mut Vec<Item<'a>>) -> fmt::Result {
        match value {
            Value::Int(n) => self.token(&n.to_string()),
            Value::Float(x) => {
                let mut text = String::new();
                write_float(&mut text, x)?;
                self.token(&text)
            }
            Value::Str(text) if self.quoted => {
                self.raw("\"")?;
                write_escaped(self.out, text, '"')?;
                self.raw("\"")
            }
            Value::Str(text) => self.token(text),
            Value::Atom(name) => self.atom(name),
            Value::Compound { name, args } => self.compound(value, name, args, max, pending),
        }
    }

    fn compound<'a>(
        &mut self,
        value: Value<'a>,
        name: &'a str,
        args: Args<'a>,
        max: u16,
        pending: &mut Vec<Item<'a>>,
    ) -> fmt::Result {
        if let Some((head, tail)) = value.as_list_cell() {
            self.token("[")?;
            pending.push(Item::Tail(tail));
            pending.push(Item::Term(head, ARGUMENT));
            return Ok(());
        }
        match (name, args.get(0), args.get(1), args.len()) {
            ("{}", Some(arg), _, 1) => {
                self.token("{")?;
                pending.push(Item::Close('}'));
                pending.push(Item::Term(arg, TERM));
                return Ok(());
            }
            ("$VAR", Some(Value::Int(n @ 0..)), _, 1) if !self.syntax.readable => {
                return self.numbered_variable(n);
            }
            (_, left, right, 1 | 2) if self.operation(name, [left, right], max, pending)? => return Ok(()),
            _ => {}
        }
        match name {
            // A bracket behind bare brackets does not make them a functor.
            "[]" | "{}" if self.syntax.readable => self.token(&format!("'{name}'"))?,
            _ => self.atom(name)?,
        }
        self.raw("(")?;
        pending.push(Item::Args(args, 0));
        Ok(())
    }

    /// Begins an operator with its operands; whether the name is one.
    fn operation<'a>(
        &mut self,
        name: &'a str,
        operands: [Option<Value<'a>>; 2],
        max: u16,
        pending: &mut Vec<Item<'a>>,
    ) -> Result<bool, fmt::Error> {
        match operands {
            [Some(left), Some(right)] => {
                let Some(op) = self.syntax.infix(name) else { return Ok(false) };
                self.open(op.priority > max, pending)?;
                pending.push(Item::Operand(right, self.syntax.right_limit(op, right)));
                pending.push(Item::Infix(name));
                pending.push(Item::Operand(left, op.left));
            }
            [Some(arg), None] => {
                if let Some(op) = self.syntax.prefix(name) {
                    self.open(op.priority > max, pending)?;
                    self.atom(name)?;
                    let max = self.syntax.right_limit(op, arg);
                    if name.starts_with(char::is_alphabetic) || self.syntax.needs_space(name, arg, max) {
                        self.raw(" ")?;
                    }
                    pending.push(Item::Operand(arg, max));
                } else if let Some(op) = self.syntax.postfix(name) {
                    self.open(op.priority > max, pending)?;
                    pending.push(Item::Infix(name));
                    pending.push(Item::Operand(arg, op.left));
                } else {
                    return Ok(false);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn open(&mut self, parenthesis: bool, pending: &mut Vec<Item<'_>>) -> fmt::Result {
        if parenthesis {
            pending.push(Item::Close(')'));
            self.raw("(")?;
        }
        Ok(())
    }

    /// `'$VAR'(27)` shows as `B1`, as `print` and `writeq` have it.
    fn numbered_variable(&mut self, n: i64) -> fmt::Result {
        let letter = char::from(b'A' + (n % 26) as u8);
        let number = if n < 26 { String::new() } else { (n / 26).to_string() };
        self.token(&format!("{letter}{number}"))
    }

    fn atom(&mut self, name: &str) -> fmt::Result {
        if !self.quoted {
            return self.token(name);
        }
        let mut text = String::with_capacity(name.len());
        write_atom(&mut text, name)?;
        self.token(&text)
    }

    /// A token, kept apart from the one before where both would read as one.
    fn token(&mut self, text: &str) -> fmt::Result {
        if let Some(first) = text.chars().next()
            && glues(self.last, first)
        {
            self.out.write_char(' ')?;
        }
        self.raw(text)
    }

    fn raw(&mut self, text: &str) -> fmt::Result {
        self.last = text.chars().next_back().unwrap_or(self.last);
        self.out.write_str(text)
    }
}

fn glues(last: char, first: char) -> bool {
    let word = |c: char| (c.is_alphanumeric() || c == '_') && !is_symbol_char(c);
    word(last) && word(first) || is_symbol_char(last) && is_symbol_char(first) || last == ',' && first == ','
}

impl Syntax<'_> {
    /// The operator that is written behind the first operand of a term, if it has one.
    fn behind_first(self, name: &str, count: usize) -> Option<OperatorPriority> {
        match count {
            1 if self.prefix(name).is_none() => self.postfix(name),
            2 => self.infix(name),
            _ => None,
        }
    }

    /// Greatest priority of a right operand that is written without brackets.
    fn right_limit(self, op: OperatorPriority, operand: Value<'_>) -> u16 {
        let Value::Compound { name, args } = operand else { return op.right };
        right_limit(op.priority, op.right, self.behind_first(name, args.len()).map(|op| op.left))
    }

    /// Whether a prefix operator and its operand need a space between them: `- 1` is not the number, `- (` not a
    /// compound term.
    fn needs_space(self, name: &str, arg: Value<'_>, max: u16) -> bool {
        match arg {
            Value::Compound { name: "{}", args } if args.len() == 1 => true,
            _ => name == "-" && self.begins_with_digit(arg, max) || self.begins_with_parenthesis(arg, max),
        }
    }

    /// Whether the text of an operand begins with a parenthesis.
    fn begins_with_parenthesis(self, mut value: Value<'_>, mut max: u16) -> bool {
        loop {
            match value {
                Value::Atom(name) => return self.is_operator(name),
                Value::Compound { name, args } => match (self.behind_first(name, args.len()), args.get(0)) {
                    (Some(op), Some(left)) if op.priority <= max => (value, max) = (left, op.left),
                    (Some(_), _) => return true,
                    (None, Some(_)) if args.len() == 1 => {
                        return self.prefix(name).is_some_and(|op| op.priority > max);
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
    }

    /// Whether the text of an operand begins with a number that has no sign.
    fn begins_with_digit(self, mut value: Value<'_>, mut max: u16) -> bool {
        loop {
            match value {
                Value::Int(n) => return n >= 0,
                Value::Float(x) => return x.is_sign_positive(),
                Value::Compound { name, args } => match (self.behind_first(name, args.len()), args.get(0)) {
                    (Some(op), Some(left)) if op.priority <= max => (value, max) = (left, op.left),
                    _ => return false,
                },
                _ => return false,
            }
        }
    }
}

/// Writes an atom with quotes where reading it back needs them.
pub fn write_atom(out: &mut dyn Write, name: &str) -> fmt::Result {
    if is_bare(name) {
        return out.write_str(name);
    }
    out.write_char('\'')?;
    write_escaped(out, name, '\'')?;
    out.write_char('\'')
}

/// Whether a character is one of those that symbolic atoms are made of, for the readers and for SWI-Prolog: the
/// symbols of ASCII, and what Unicode has as punctuation and symbols, with numbers like `²` of Latin-1 only.
pub fn is_symbol_char(c: char) -> bool {
    use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
    if c.is_ascii() {
        return "#$&*+-./:<=>?@^~\\".contains(c);
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Symbol => !is_xid_continue(c),
        GeneralCategoryGroup::Number => c <= '\u{ff}' && c.general_category() == GeneralCategory::OtherNumber,
        _ => false,
    }
}

fn is_bare(name: &str) -> bool {
    if matches!(name, "[]" | "{}" | "!" | ";") {
        return true;
    }
    let Some(first) = name.chars().next() else { return false };
    // What both readers take for a small letter: a letter that is none of another size.
    if is_xid_start(first) && !first.is_uppercase() && first.to_lowercase().eq([first]) {
        return name.chars().all(|c| is_xid_continue(c) && c != '\u{b7}');
    }
    name.chars().all(is_symbol_char) && !name.starts_with("/*") && name != "."
}

/// Writes the characters of a text between quotes.
pub fn write_escaped(out: &mut dyn Write, text: &str, quote: char) -> fmt::Result {
    for c in text.chars() {
        match c {
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            '\u{7}' => out.write_str("\\a")?,
            '\u{8}' => out.write_str("\\b")?,
            '\u{b}' => out.write_str("\\v")?,
            '\u{c}' => out.write_str("\\f")?,
            '\\' => out.write_str("\\\\")?,
            c if c == quote => write!(out, "\\{c}")?,
            c if is_hidden(c) || c != ' ' && c.is_whitespace() || c == '\u{200b}' => {
                write!(out, "\\x{:X}\\", c as u32)?;
            }
            c => out.write_char(c)?,
        }
    }
    Ok(())
}

/// Writes a float with the fewest digits that read back as the same float, always with a point: `1.0`, `1.0e+22`,
/// `1.0e-5`, `1.0Inf`, `1.5NaN`.
pub fn write_float(out: &mut dyn Write, x: f64) -> fmt::Result {
    if x.is_nan() {
        return out.write_str("1.5NaN");
    }
    if x.is_infinite() {
        return out.write_str(if x > 0.0 { "1.0Inf" } else { "-1.0Inf" });
    }
    let text = format!("{x:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Sixteen digits before the point are written where others follow it.
    let has_fraction = mantissa.bytes().filter(u8::is_ascii_digit).count() > 16;
    if (-4..15).contains(&exponent) || exponent == 15 && has_fraction {
        return write!(out, "{x:?}");
    }
    out.write_str(mantissa)?;
    if !mantissa.contains('.') {
        out.write_str(".0")?;
    }
    write!(out, "e{exponent:+}")
}

#[cfg(test)]
mod tests;
