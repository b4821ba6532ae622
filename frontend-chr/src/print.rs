//! Text form of the syntax tree: one clause a line, operators where Prolog has them, quotes where they are needed.

use std::fmt::{self, Display, Formatter, Write};

use gchr_base::escape::is_hidden;
use gchr_base::logic::{OpDef, Operators};
use gchr_base::value::is_symbol_char;

use crate::ast::*;
use crate::operators::{self, ARGUMENT, TERM};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Each clause is printed by the operators that it is read with.
        let mut operators = Operators::default();
        self.clauses.iter().try_for_each(|clause| {
            let mut text = String::new();
            Printer { module: self, operators: &operators }.clause(&clause.kind, &mut text)?;
            if let ClauseKind::Directive(directive) = clause.kind {
                operators::declare(self, directive, &mut operators);
            }
            // Behind an atom of symbols, the full stop would become a part of it.
            let glued = text.ends_with(is_symbol_char);
            writeln!(f, "{text}{}", if glued { " ." } else { "." })
        })
    }
}

impl Module {
    /// A term as text, with the quotes and brackets that reading it back needs.
    pub fn term_text(&self, id: TermId) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = Printer { module: self, operators: &self.operators }.term(id, TERM, &mut text);
        text
    }

    /// The name of a rule as text: without quotes where it is an atom.
    pub(crate) fn rule_name(&self, id: TermId) -> String {
        match self.functor(id) {
            Some((name, [])) => name.to_string(),
            _ => self.term_text(id),
        }
    }
}

/// What is still to be printed: an explicit stack instead of recursion over the depth of the term.
enum Work<'a> {
    Text(&'static str),
    /// An operator between its operands, or behind its operand.
    Name(&'a str),
    Term(TermId, u16),
    /// An argument or an item: nothing in front of a prefix operator there could take it for something else.
    Argument(TermId),
}

struct Printer<'a> {
    module: &'a Module,
    operators: &'a Operators,
}

impl<'a> Printer<'a> {
    fn clause(&self, kind: &ClauseKind, f: &mut String) -> fmt::Result {
        match kind {
            ClauseKind::Directive(term) => {
                f.write_str(":- ")?;
                self.term(*term, TERM - 1, f)
            }
            ClauseKind::Query(goals) => {
                f.write_str("?- ")?;
                self.all(goals, f)
            }
            ClauseKind::Prolog(term) => self.term(*term, TERM, f),
            ClauseKind::Rule(rule) => self.rule(rule, f),
        }
    }

    fn rule(&self, rule: &Rule, f: &mut String) -> fmt::Result {
        if let Some(name) = rule.name {
            self.term(name, TERM - 1, f)?;
            f.write_str(" @ ")?;
        }
        self.all(&rule.kept, f)?;
        match rule.arrow {
            Arrow::Propagate => f.write_str(" ==> ")?,
            Arrow::Simplify => {
                if !rule.kept.is_empty() {
                    f.write_str(" \\ ")?;
                }
                self.all(&rule.removed, f)?;
                f.write_str(" <=> ")?;
            }
        }
        if !rule.guard.is_empty() {
            self.all(&rule.guard, f)?;
            f.write_str(" | ")?;
        }
        self.all(&rule.body, f)?;
        if !rule.pragmas.is_empty() {
            f.write_str(" pragma ")?;
            self.all(&rule.pragmas, f)?;
        }
        Ok(())
    }

    fn all(&self, terms: &[TermId], f: &mut String) -> fmt::Result {
        terms.iter().enumerate().try_for_each(|(i, &term)| {
            if i > 0 {
                f.write_str(", ")?;
            }
            self.term(term, ARGUMENT, f)
        })
    }

    fn term(&self, id: TermId, max: u16, out: &mut dyn Write) -> fmt::Result {
        let mut work = vec![Work::Term(id, max)];
        while let Some(item) = work.pop() {
            let (id, max, free) = match item {
                Work::Text(text) => {
                    out.write_str(text)?;
                    continue;
                }
                Work::Name(name) => {
                    print_infix_name(name, out)?;
                    continue;
                }
                Work::Term(id, max) => (id, max, false),
                Work::Argument(id) => (id, ARGUMENT, true),
            };
            match self.module.kind(id) {
                TermKind::Var(name) => out.write_str(name)?,
                TermKind::Int(n) => write!(out, "{n}")?,
                TermKind::Big(n) => write!(out, "{n}")?,
                TermKind::Rational(n) => write!(out, "{n}")?,
                TermKind::Float(x) => print_float(*x, out)?,
                TermKind::Str(text) => print_quoted('"', text, out)?,
                TermKind::Atom(name) => self.atom(name, out)?,
                TermKind::List { items, tail } => {
                    work.push(Work::Text("]"));
                    if let Some(tail) = tail {
                        work.extend([Work::Argument(*tail), Work::Text("|")]);
                    }
                    push_list(&mut work, items);
                    out.write_char('[')?;
                }
                TermKind::Compound { name, args } => {
                    self.compound(name, args, (max, free), &mut work, out)?
                }
            }
        }
        Ok(())
    }

    /// `-(1)` is a compound term, `-1` a number.
    fn is_signed_number(&self, name: &str, operand: TermId) -> bool {
        let kind = self.module.kind(operand);
        matches!(name, "-" | "+") && kind.is_number()
    }

    fn starts_with_letter(&self, id: TermId) -> bool {
        match self.module.kind(id) {
            TermKind::Var(_) => true,
            TermKind::Atom(name) | TermKind::Compound { name, .. } => {
                name.starts_with(|c: char| c.is_ascii_lowercase()) && !self.operators.is_operator(name)
            }
            _ => false,
        }
    }

    /// The operator behind its operand; what may be infix as well would take away the operand of an operator before it.
    fn postfix(&self, name: &str) -> Option<OpDef> {
        self.operators.postfix(name).filter(|_| self.operators.infix(name).is_none())
    }

    /// The greatest priority of the first operand of a term whose operator is written behind it.
    fn left_limit(&self, term: TermId) -> Option<u16> {
        let TermKind::Compound { name, args } = self.module.kind(term) else { return None };
        match args.len() {
            1 if self.operators.prefix(name).is_none() => self.postfix(name).map(OpDef::left),
            2 => self.operators.infix(name).map(OpDef::left),
            _ => None,
        }
    }

    fn compound(
        &self,
        name: &'a str,
        args: &[TermId],
        (max, free): (u16, bool),
        work: &mut Vec<Work<'a>>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        let open = |close: bool, work: &mut Vec<Work<'a>>, out: &mut dyn Write| {
            if !close {
                return Ok(());
            }
            work.push(Work::Text(")"));
            out.write_char('(')
        };
        let is_name = matches!(name, "," | "|") || is_plain_atom(name) && !matches!(name, "[]" | "{}");
        let operators = is_name.then_some(self.operators);
        match *args {
            [left, right] if let Some(op) = operators.and_then(|o| o.infix(name)) => {
                open(op.priority > max, work, out)?;
                let max = op.right_of(self.left_limit(right));
                work.extend([Work::Term(right, max), Work::Name(name), Work::Term(left, op.left())]);
                return Ok(());
            }
            [inner] if name == "{}" => {
                work.extend([Work::Text("}"), Work::Term(inner, TERM)]);
                return out.write_char('{');
            }
            [operand]
                if let Some(op) = operators.and_then(|o| o.prefix(name))
                    && !self.is_signed_number(name, operand) =>
            {
                open(op.priority > max && !free, work, out)?;
                let max = op.right_of(self.left_limit(operand));
                work.push(Work::Term(operand, if free { max.min(ARGUMENT) } else { max }));
                quoted_atom(name, out)?;
                // Words and signs in front of brackets and signs need the space, `+int` reads better without it.
                let glued = self.operators.infix(name).is_some() || name == "?";
                let glued =
                    glued && !name.starts_with(char::is_alphabetic) && self.starts_with_letter(operand);
                return if glued { Ok(()) } else { out.write_char(' ') };
            }
            [operand] if let Some(op) = operators.and_then(|_| self.postfix(name)) => {
                open(op.priority > max, work, out)?;
                work.extend([Work::Name(name), Work::Term(operand, op.left())]);
                return Ok(());
            }
            _ => {}
        }
        match name {
            "[]" | "{}" => print_quoted('\'', name, out)?,
            _ => quoted_atom(name, out)?,
        }
        out.write_char('(')?;
        work.push(Work::Text(")"));
        push_list(work, args);
        Ok(())
    }

    /// An atom as an operand: in parentheses when it is an operator.
    fn atom(&self, name: &str, out: &mut dyn Write) -> fmt::Result {
        if self.operators.is_operator(name) {
            out.write_char('(')?;
            quoted_atom(name, out)?;
            return out.write_char(')');
        }
        quoted_atom(name, out)
    }
}

fn push_list(work: &mut Vec<Work<'_>>, items: &[TermId]) {
    for (i, &item) in items.iter().enumerate().rev() {
        work.push(Work::Argument(item));
        if i > 0 {
            work.push(Work::Text(", "));
        }
    }
}

fn print_float(x: f64, out: &mut dyn Write) -> fmt::Result {
    match x {
        x if x.is_nan() => out.write_str("1.5NaN"),
        f64::INFINITY => out.write_str("1.0Inf"),
        f64::NEG_INFINITY => out.write_str("-1.0Inf"),
        x => write!(out, "{x:?}"),
    }
}

fn print_infix_name(name: &str, out: &mut dyn Write) -> fmt::Result {
    match name {
        "," => out.write_str(", "),
        "|" | ";" => write!(out, " {name} "),
        _ => {
            out.write_char(' ')?;
            quoted_atom(name, out)?;
            out.write_char(' ')
        }
    }
}

/// Writes an atom with quotes where reading it back needs them.
fn quoted_atom(name: &str, out: &mut dyn Write) -> fmt::Result {
    if is_plain_atom(name) { out.write_str(name) } else { print_quoted('\'', name, out) }
}

fn is_plain_atom(name: &str) -> bool {
    let mut chars = name.chars();
    match chars.next() {
        None => false,
        Some(c) if c.is_ascii_lowercase() => chars.all(|c| c.is_ascii_alphanumeric() || c == '_'),
        Some(_) if matches!(name, "[]" | "{}" | "!" | ";") => true,
        // A comment, or the end of the clause, is not an atom.
        Some(_) if name.starts_with("/*") || name == "." => false,
        Some(_) => name.chars().all(is_symbol_char),
    }
}

fn print_quoted(quote: char, text: &str, out: &mut dyn Write) -> fmt::Result {
    out.write_char(quote)?;
    for c in text.chars() {
        match c {
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            c if c == quote => write!(out, "\\{c}")?,
            c if is_hidden(c) => write!(out, "\\x{:x}\\", u32::from(c))?,
            c => out.write_char(c)?,
        }
    }
    out.write_char(quote)
}
