//! Answers of the logic machine as text and as JSON.

use std::io::{self, Write};

use gchr_base::logic::{CONS, LogicNode, LogicTermId, Terms};
use gchr_logic::Answer;

use super::answer::{LogicAnswers, Numbered};
use super::selection::Selection;

/// Bindings on one line, then constraints and waiting goals, one a line; `;` between answers. An answer that says
/// nothing is `true`.
pub(super) fn write_text(
    found: &LogicAnswers,
    selection: &Selection,
    out: &mut impl Write,
) -> io::Result<()> {
    (0..).zip(&found.answers).try_for_each(|(before, answer)| write_text_of(answer, before, selection, out))
}

/// The text of an answer behind so many others.
pub(crate) fn write_text_of(
    answer: &Answer,
    before: u64,
    selection: &Selection,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    if before > 0 {
        writeln!(out, ";")?;
    }
    if !answer.text.bindings.is_empty() {
        writeln!(out, "{}", answer.text.bindings.join(", "))?;
    }
    write_goals(answer, selection, out)?;
    if answer.text.bindings.is_empty() && answer.text.goals.is_empty() {
        writeln!(out, "true")?;
    }
    Ok(())
}

/// Constraints and waiting goals, one a line.
pub(super) fn write_goals(
    answer: &Answer,
    selection: &Selection,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let (store, waiting) = answer.text.goals.split_at(answer.text.rows.len());
    let selected = store.iter().zip(&answer.text.rows).filter(|(_, row)| selection.has_row(row));
    selected.map(|(goal, _)| goal).chain(waiting).try_for_each(|goal| writeln!(out, "{goal}"))
}

/// An answer on a line of its own, as in [`write_json`].
pub(super) fn write_line(answer: &Answer, selection: &Selection, out: &mut impl Write) -> io::Result<()> {
    write_answer(answer, selection, "", out)?;
    out.write_all(b"\n")
}

/// The constraints of an answer, each as an object on a line.
pub(super) fn write_rows(answer: &Answer, selection: &Selection, out: &mut impl Write) -> io::Result<()> {
    for &term in answer.store.iter().filter(|&&term| is_selected(answer, selection, term)) {
        write_constraint(answer, term, out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The same without names: arrays of arguments, behind the number of the answer if it has one.
pub(super) fn write_table(
    (number, answer): Numbered<'_>,
    selection: &Selection,
    out: &mut impl Write,
) -> io::Result<()> {
    for &term in answer.store.iter().filter(|&&term| is_selected(answer, selection, term)) {
        write_args(answer, number, answer.terms.functor(term).map_or(&[], |(_, args)| args), out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn is_selected(answer: &Answer, selection: &Selection, term: LogicTermId) -> bool {
    answer.terms.functor(term).is_none_or(|(name, args)| selection.has(name, args.len()))
}

/// `"answers": [{"bindings": {"X": 1}, "goals": [], "store": [...]}], "more": false`.
pub(super) fn write_json(
    found: &LogicAnswers,
    selection: &Selection,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"{\"answers\": [")?;
    for (i, answer) in found.answers.iter().enumerate() {
        out.write_all(if i > 0 { b",\n" } else { b"\n" })?;
        write_answer(answer, selection, "\n", out)?;
    }
    write!(out, "], \"more\": {}", found.more)
}

fn write_answer(
    answer: &Answer,
    selection: &Selection,
    separator: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"{\"bindings\": {")?;
    let all = answer.bindings.iter().flat_map(|(names, term)| names.iter().map(move |name| (name, *term)));
    for (i, (name, term)) in all.enumerate() {
        out.write_all(if i > 0 { b", " } else { b"" })?;
        serde_json::to_writer(&mut *out, &**name)?;
        out.write_all(b": ")?;
        write_term(answer, term, out)?;
    }
    out.write_all(b"}, \"goals\": [")?;
    for (i, &term) in answer.waiting.iter().enumerate() {
        out.write_all(if i > 0 { b", " } else { b"" })?;
        write_term(answer, term, out)?;
    }
    out.write_all(b"], \"store\": ")?;
    write_store(answer, selection, separator, out)?;
    out.write_all(b"}")
}

/// The constraints of an answer as a list of `{"constraint": "leq", "args": [...]}`, with a separator before each.
pub(super) fn write_store(
    answer: &Answer,
    selection: &Selection,
    separator: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"[")?;
    let selected = answer.store.iter().filter(|&&term| is_selected(answer, selection, term));
    for (i, &term) in selected.enumerate() {
        out.write_all(if i > 0 { b"," } else { b"" })?;
        out.write_all(separator.as_bytes())?;
        write_constraint(answer, term, out)?;
    }
    out.write_all(b"]")
}

fn write_constraint(answer: &Answer, term: LogicTermId, out: &mut impl Write) -> io::Result<()> {
    let (name, args) = answer.terms.functor(term).unwrap_or(("", &[]));
    out.write_all(b"{\"constraint\": ")?;
    serde_json::to_writer(&mut *out, name)?;
    out.write_all(b", \"args\": ")?;
    write_args(answer, None, args, out)?;
    out.write_all(b"}")
}

/// Arguments, behind a number if there is one.
fn write_args(
    answer: &Answer,
    number: Option<i64>,
    args: &[LogicTermId],
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"[")?;
    if let Some(number) = number {
        write!(out, "{number}")?;
    }
    for (i, &arg) in args.iter().enumerate() {
        out.write_all(if i > 0 || number.is_some() { b", " } else { b"" })?;
        write_term(answer, arg, out)?;
    }
    out.write_all(b"]")
}

/// What is still to be written of a term.
enum Todo {
    Term(LogicTermId),
    /// What follows an element of a list that ends in `[]`.
    Elements(LogicTermId),
    Text(&'static str),
}

fn list_cell(terms: &Terms, id: LogicTermId) -> Option<(LogicTermId, LogicTermId)> {
    terms.binary(id, CONS)
}

fn is_list(terms: &Terms, mut id: LogicTermId) -> bool {
    while let Some((_, rest)) = list_cell(terms, id) {
        id = rest;
    }
    matches!(terms.node(id), LogicNode::Nil)
}

fn write_term(answer: &Answer, term: LogicTermId, out: &mut impl Write) -> io::Result<()> {
    let terms = &answer.terms;
    let mut todo = vec![Todo::Term(term)];
    while let Some(next) = todo.pop() {
        let id = match next {
            Todo::Text(text) => {
                out.write_all(text.as_bytes())?;
                continue;
            }
            Todo::Elements(rest) => {
                match list_cell(terms, rest) {
                    Some((head, rest)) => {
                        todo.extend([Todo::Elements(rest), Todo::Term(head), Todo::Text(", ")]);
                    }
                    None => todo.push(Todo::Text("]")),
                }
                continue;
            }
            Todo::Term(id) => id,
        };
        match terms.node(id) {
            LogicNode::Int(n) => write!(out, "{n}")?,
            LogicNode::Big(n) => write!(out, "{n}")?,
            // JSON has no numbers for the others.
            LogicNode::Rational(n) => write!(out, "{{\"rational\": \"{n}\"}}")?,
            LogicNode::Float(x) if !x.is_finite() => write!(out, "{{\"float\": \"{x}\"}}")?,
            LogicNode::Float(x) => serde_json::to_writer(&mut *out, x)?,
            LogicNode::Nil => out.write_all(b"[]")?,
            LogicNode::Atom(text) => serde_json::to_writer(&mut *out, &**text)?,
            LogicNode::Str(text) => write_string(text, out)?,
            LogicNode::Var(v) => {
                out.write_all(b"{\"variable\": ")?;
                let name = answer.names.get(v.0 as usize).map_or("_", |name| &**name);
                serde_json::to_writer(&mut *out, name)?;
                out.write_all(b"}")?;
            }
            LogicNode::Compound { name, args } => match list_cell(terms, id) {
                Some((head, rest)) if is_list(terms, rest) => {
                    todo.extend([Todo::Elements(rest), Todo::Term(head), Todo::Text("[")]);
                }
                _ => {
                    out.write_all(b"{\"functor\": ")?;
                    serde_json::to_writer(&mut *out, &**name)?;
                    out.write_all(b", \"args\": [")?;
                    todo.push(Todo::Text("]}"));
                    for (i, &arg) in args.iter().enumerate().rev() {
                        todo.push(Todo::Term(arg));
                        if i > 0 {
                            todo.push(Todo::Text(", "));
                        }
                    }
                }
            },
        }
    }
    Ok(())
}

/// A string where atoms may stand too.
pub(super) fn write_string(text: &str, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"string\": ")?;
    serde_json::to_writer(&mut *out, text)?;
    out.write_all(b"}")
}
