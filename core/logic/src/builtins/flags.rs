//! Built-in predicates about the system: operators, flags, statistics, time, random numbers, reading terms from text.

use gchr_base::hash::HashMap;
use gchr_base::logic::{Fixity, QuotedText, ReadTerm, SyntaxError, Terms, Unknown};

use super::Table;
use crate::cell::{Atom, Cell};
use crate::machine::{Done, Machine};
use crate::names::atom;

/// Bytes that are needed to read a byte of text, when each is a term.
const READING: usize = 64;

type M<'c, 'a> = Machine<'c, 'a>;

pub(super) const TABLE: Table = &[
    ("$op", 3, |m| {
        let priority = m.int_arg(0)?;
        let (fixity, name) = (m.atom_arg(1)?, m.atom_arg(2)?);
        let fixity_text = m.db.names.text(fixity).to_string();
        let Some(fixity) = Fixity::of(&fixity_text) else {
            let culprit = m.arg(1);
            return Err(m.domain_error("operator_specifier", culprit));
        };
        if !(0..=1200).contains(&priority) {
            let culprit = m.arg(0);
            return Err(m.domain_error("operator_priority", culprit));
        }
        let name = m.db.names.text(name).to_string();
        m.db.operators.set(priority as u16, fixity, &name);
        Ok(true)
    }),
    ("$operators", 1, |m| {
        let all: Vec<(String, u16, &str)> =
            m.db.operators.iter().map(|(n, op)| (n.to_string(), op.priority, op.fixity.name())).collect();
        let mut items = Vec::new();
        for (name, priority, fixity) in all {
            let args = [Cell::int(priority as usize), m.atom_cell(fixity), m.atom_cell(&name)];
            let functor = m.db.names.intern("op");
            items.push(m.heap.compound(functor, &args));
        }
        let list = m.heap.list(&items);
        Ok(m.unify_arg(0, list))
    }),
    ("set_prolog_flag", 2, set_flag),
    ("$flag_value", 2, flag_value),
    ("$statistics", 2, statistics),
    ("get_time", 1, |m| {
        let cell = m.heap.float(since_epoch());
        Ok(m.unify_arg(0, cell))
    }),
    ("set_random_seed", 1, |m| {
        m.random = m.int_arg(0)? as u64;
        Ok(true)
    }),
    ("$term_from_text", 3, |m| {
        // `$term_from_text(Text, Term, Names)`.
        let text = m.text(m.x[0])?;
        let (term, names) = m.read_term(&text)?;
        Ok(m.unify_arg(1, term) && m.unify_arg(2, names))
    }),
];

fn set_flag(m: &mut M<'_, '_>) -> Done<bool> {
    let name = m.atom_arg(0)?;
    let given = m.arg(1);
    if given.is_var() {
        return Err(m.instantiation_error());
    }
    let value = m.text_of(given).unwrap_or_default();
    let flag = m.db.names.text(name).clone();
    let values: &[&str] = match &*flag {
        "double_quotes" => &["codes", "chars", "atom", "string"],
        "occurs_check" => &["true", "false", "error"],
        "unknown" => &["error", "fail", "warning"],
        "bounded" | "max_integer" | "min_integer" | "max_tagged_integer" | "min_tagged_integer" => {
            return Err(m.permission_error("modify", "flag", Cell::atom(name)));
        }
        _ => &[],
    };
    if !values.is_empty() && !values.contains(&&*value) {
        return Err(m.domain_error(&flag, given));
    }
    match &*flag {
        "double_quotes" => {
            m.db.flags.double_quotes = match &*value {
                "codes" => QuotedText::Codes,
                "chars" => QuotedText::Chars,
                "atom" => QuotedText::Atom,
                _ => QuotedText::Str,
            }
        }
        "occurs_check" => m.heap.occurs_check = value == "true",
        "unknown" => m.db.flags.unknown = if value == "fail" { Unknown::Fail } else { Unknown::Error },
        "chr_toplevel_show_store" => m.db.flags.show_store = value == "true",
        _ => {}
    }
    Ok(true)
}

fn flag_value(m: &mut M<'_, '_>) -> Done<bool> {
    let name = m.atom_arg(0)?;
    let value = match &**m.db.names.text(name) {
        "bounded" => m.atom_cell("false"),
        "max_tagged_integer" => Cell::int((1 << 60) - 1),
        "min_tagged_integer" => m.heap.integer(-(1 << 60)),
        "max_integer" => m.heap.integer(i64::MAX),
        "min_integer" => m.heap.integer(i64::MIN),
        "double_quotes" => {
            let text = match m.db.flags.double_quotes {
                QuotedText::Codes => "codes",
                QuotedText::Chars => "chars",
                QuotedText::Atom => "atom",
                QuotedText::Str => "string",
            };
            m.atom_cell(text)
        }
        "prefer_rationals" | "iso" => m.atom_cell("false"),
        "rational_syntax" => m.atom_cell("compatibility"),
        "unknown" => {
            let text = if m.db.flags.unknown == Unknown::Fail { "fail" } else { "error" };
            m.atom_cell(text)
        }
        "occurs_check" => m.atom_cell(if m.heap.occurs_check { "true" } else { "false" }),
        "chr_toplevel_show_store" => m.atom_cell(if m.db.flags.show_store { "true" } else { "false" }),
        _ => return Ok(false),
    };
    Ok(m.unify_arg(1, value))
}

/// Seconds since 1970.
fn since_epoch() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0.0, |d| d.as_secs_f64())
}

/// Keys of `statistics/2` for what this machine has none of, or has without a limit or a count.
const NOT_COUNTED: &[&str] = &[
    "agc",
    "agc_gained",
    "agc_time",
    "atom_space",
    "atoms",
    "c_stack",
    "clauses",
    "codes",
    "core",
    "engines",
    "functor_space",
    "functors",
    "garbage_collection",
    "global_shifts",
    "global_stack",
    "globallimit",
    "local",
    "local_shifts",
    "local_stack",
    "locallimit",
    "localused",
    "modules",
    "predicates",
    "program",
    "stack",
    "stack_limit",
    "stack_shifts",
    "table_space_used",
    "thread_cputime",
    "threads",
    "trail",
    "trail_shifts",
    "traillimit",
    "trailused",
];

/// `$statistics(Key, Value)`; times of the processor are those of the clock, since the run began.
fn statistics(m: &mut Machine<'_, '_>) -> Done<bool> {
    let key = m.atom_arg(0)?;
    let seconds = m.seconds();
    let value = match &**m.db.names.text(key) {
        "cputime" | "process_cputime" => m.heap.float(seconds),
        "inferences" => {
            let steps = m.steps as i64;
            m.heap.integer(steps)
        }
        "runtime" | "process_runtime" | "system_time" | "walltime" => m.time(key, seconds * 1000.0),
        "real_time" => m.time(key, since_epoch()),
        "globalused" | "global" | "heapused" | "memory" => {
            let bytes = m.bytes() as i64;
            m.heap.integer(bytes)
        }
        text if NOT_COUNTED.contains(&text) => Cell::int(0),
        _ => {
            let culprit = m.arg(0);
            return Err(m.domain_error("statistics_key", culprit));
        }
    };
    Ok(m.unify_arg(1, value))
}

impl Machine<'_, '_> {
    /// `[Now, SinceLast]`, the second one from the time that was given last of the key.
    fn time(&mut self, key: Atom, now: f64) -> Cell {
        let now = now as usize;
        let last = self.times.insert(key, now).unwrap_or(0);
        self.heap.list(&[Cell::int(now), Cell::int(now.saturating_sub(last))])
    }

    /// Seconds since the run began.
    pub fn seconds(&self) -> f64 {
        self.control.start().elapsed().as_secs_f64()
    }

    /// Reads the term of a text, and the list of its named variables; the end of the text is `end_of_file`.
    pub fn read_term(&mut self, text: &str) -> Done<(Cell, Cell)> {
        // What a term takes while it is read, at most.
        self.afford(text.len().saturating_mul(READING))?;
        let read = self.reader.read(text, 0, &self.db.operators, &self.db.flags);
        self.term_of(read)
    }

    /// A term that was read, and the list of its named variables.
    pub(super) fn term_of(&mut self, read: Result<ReadTerm, SyntaxError>) -> Done<(Cell, Cell)> {
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                let (name, what) = (self.db.names.intern("syntax_error"), self.atom_cell(&error.message));
                let formal = self.heap.compound(name, &[what]);
                return Err(self.error(formal));
            }
        };
        let Some(term) = read.term else {
            return Ok((Cell::atom(atom::end_of_file), Cell::atom(atom::nil)));
        };
        let mut variables = vec![None; read.variables.len()];
        let cell = build(self, &read.terms, term, &mut variables);
        let mut pairs = Vec::new();
        for (variable, value) in read.variables.iter().zip(&variables) {
            if let (Some(name), Some(value)) = (&variable.name, value) {
                let name = self.atom_cell(name);
                pairs.push(self.heap.compound(atom::equal, &[name, *value]));
            }
        }
        let list = self.heap.list(&pairs);
        Ok((cell, list))
    }
}

/// Builds a term of a table on the heap.
pub(crate) fn build(
    m: &mut M<'_, '_>,
    terms: &Terms,
    term: gchr_base::logic::LogicTermId,
    variables: &mut [Option<Cell>],
) -> Cell {
    crate::build::build(&mut m.heap, &mut m.db.names, terms, term, variables, &mut HashMap::default())
}
