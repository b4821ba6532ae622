//! Text form of the syntax tree: one clause a line, operators where Prolog has them, quotes where they are needed.

use std::fmt::{self, Display, Formatter, Write};

use gchr_base::escape::is_hidden;

use super::*;
use crate::operators::{self, ARGUMENT, Operator, TERM};

/// Greatest priority of what stands at the start of a clause: below the `\` and `|` of rules.
const HEAD: u16 = 1099;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.clauses.iter().try_for_each(|clause| {
            let mut text = String::new();
            print_clause(self, &clause.kind, &mut text)?;
            // Behind an atom of symbols, the full stop would become a part of it.
            let glued = text.ends_with(is_symbol);
            writeln!(f, "{text}{}", if glued { " ." } else { "." })
        })
    }
}

impl Module {
    /// A term as text, with the quotes and brackets that reading it back needs.
    pub fn term_text(&self, id: TermId) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = print_term(self, id, TERM, &mut text);
        text
    }
}

fn print_clause(module: &Module, kind: &ClauseKind, f: &mut String) -> fmt::Result {
    match kind {
        ClauseKind::Directive(term) => {
            f.write_str(":- ")?;
            print_term(module, *term, TERM - 1, f)
        }
        ClauseKind::Query(goals) => {
            f.write_str("?- ")?;
            print_all(module, goals, f)
        }
        ClauseKind::Prolog(term) => {
            let neck = [":-", "-->"].into_iter().find_map(|n| Some((n, module.binary(*term, n)?)));
            let Some((neck, (head, body))) = neck else { return print_term(module, *term, HEAD, f) };
            print_term(module, head, HEAD, f)?;
            write!(f, " {neck} ")?;
            print_term(module, body, TERM - 1, f)
        }
        ClauseKind::Rule(rule) => print_rule(module, rule, f),
    }
}

fn print_rule(module: &Module, rule: &Rule, f: &mut String) -> fmt::Result {
    if let Some(name) = rule.name {
        print_term(module, name, HEAD, f)?;
        f.write_str(" @ ")?;
    }
    print_all(module, &rule.kept, f)?;
    match rule.arrow {
        Arrow::Propagate => f.write_str(" ==> ")?,
        Arrow::Simplify => {
            if !rule.kept.is_empty() {
                f.write_str(" \\ ")?;
            }
            print_all(module, &rule.removed, f)?;
            f.write_str(" <=> ")?;
        }
    }
    if !rule.guard.is_empty() {
        print_all(module, &rule.guard, f)?;
        f.write_str(" | ")?;
    }
    print_all(module, &rule.body, f)?;
    if !rule.pragmas.is_empty() {
        f.write_str(" pragma ")?;
        print_all(module, &rule.pragmas, f)?;
    }
    Ok(())
}

fn print_all(module: &Module, terms: &[TermId], f: &mut String) -> fmt::Result {
    terms.iter().enumerate().try_for_each(|(i, &term)| {
        if i > 0 {
            f.write_str(", ")?;
        }
        print_term(module, term, ARGUMENT, f)
    })
}

/// What is still to be printed: an explicit stack instead of recursion over the depth of the term.
enum Work<'a> {
    Text(&'static str),
    Name(&'a str),
    Term(TermId, u16),
}

fn print_term(module: &Module, id: TermId, max: u16, out: &mut dyn Write) -> fmt::Result {
    let mut work = vec![Work::Term(id, max)];
    while let Some(item) = work.pop() {
        match item {
            Work::Text(text) => out.write_str(text)?,
            Work::Name(name) => print_infix_name(name, out)?,
            Work::Term(id, max) => match module.kind(id) {
                TermKind::Var(name) => out.write_str(name)?,
                TermKind::Int(n) => write!(out, "{n}")?,
                TermKind::Float(x) => write!(out, "{x:?}")?,
                TermKind::Str(text) => print_quoted('"', text, out)?,
                TermKind::Atom(name) => print_atom(name, out)?,
                TermKind::List { items, tail } => {
                    work.push(Work::Text("]"));
                    if let Some(tail) = tail {
                        work.extend([Work::Term(*tail, ARGUMENT), Work::Text("|")]);
                    }
                    push_list(&mut work, items);
                    out.write_char('[')?;
                }
                TermKind::Compound { name, args } => print_compound(module, name, args, max, &mut work, out)?,
            },
        }
    }
    Ok(())
}

fn push_list(work: &mut Vec<Work<'_>>, items: &[TermId]) {
    for (i, &item) in items.iter().enumerate().rev() {
        work.push(Work::Term(item, ARGUMENT));
        if i > 0 {
            work.push(Work::Text(", "));
        }
    }
}

/// `-(1)` is a compound term, `-1` a number.
fn is_signed_number(module: &Module, name: &str, operand: TermId) -> bool {
    matches!(name, "-" | "+") && matches!(module.kind(operand), TermKind::Int(_) | TermKind::Float(_))
}

fn starts_with_letter(module: &Module, id: TermId) -> bool {
    match module.kind(id) {
        TermKind::Var(_) => true,
        TermKind::Atom(name) | TermKind::Compound { name, .. } => {
            name.starts_with(|c: char| c.is_ascii_lowercase()) && !operators::is_operator(name)
        }
        _ => false,
    }
}

fn print_compound<'a>(
    module: &Module,
    name: &'a str,
    args: &[TermId],
    max: u16,
    work: &mut Vec<Work<'a>>,
    out: &mut dyn Write,
) -> fmt::Result {
    if let (&[left, right], Some(op)) = (args, operators::infix(name)) {
        let Operator { priority, left: left_max, right: right_max, .. } = op;
        if priority > max {
            out.write_char('(')?;
            work.push(Work::Text(")"));
        }
        work.extend([Work::Term(right, right_max), Work::Name(name), Work::Term(left, left_max)]);
        return Ok(());
    }
    if let ("{}", &[inner]) = (name, args) {
        work.extend([Work::Text("}"), Work::Term(inner, TERM)]);
        return out.write_char('{');
    }
    if let (&[operand], Some(op)) = (args, operators::prefix(name))
        && !is_signed_number(module, name, operand)
    {
        if op.priority > max {
            out.write_char('(')?;
            work.push(Work::Text(")"));
        }
        work.push(Work::Term(operand, op.right));
        quoted_atom(name, out)?;
        // Words and signs in front of brackets and signs need the space, `+int` reads better without it.
        let glued = operators::infix(name).is_some() || name == "?";
        return if glued && starts_with_letter(module, operand) { Ok(()) } else { out.write_char(' ') };
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

/// An atom as an operand: in parentheses when it is an operator.
fn print_atom(name: &str, out: &mut dyn Write) -> fmt::Result {
    if operators::is_operator(name) {
        out.write_char('(')?;
        quoted_atom(name, out)?;
        return out.write_char(')');
    }
    quoted_atom(name, out)
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
        Some(_) => name.chars().all(is_symbol),
    }
}

/// Whether a character is one of those that symbolic atoms are made of.
fn is_symbol(c: char) -> bool {
    "+-*/\\^<>=~:.?@#&$".contains(c)
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
