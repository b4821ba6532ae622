//! The part of the library that is written in Prolog. It is read when a program first calls something that has no
//! clauses.

use gchr_base::hash::HashMap;
use gchr_base::logic::{Fixity, Flags, Operators};

use crate::cell::Cell;
use crate::code::PredId;
use crate::compile;
use crate::database::Definition;
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;

/// The texts.
const TEXTS: [(&str, &str); 22] = [
    ("control", include_str!("library/control.pl")),
    ("lists", include_str!("library/lists.pl")),
    ("apply", include_str!("library/apply.pl")),
    ("solutions", include_str!("library/solutions.pl")),
    ("assoc", include_str!("library/assoc.pl")),
    ("attributes", include_str!("library/attributes.pl")),
    ("terms", include_str!("library/terms.pl")),
    ("sequences", include_str!("library/sequences.pl")),
    ("tables", include_str!("library/tables.pl")),
    ("graphs", include_str!("library/graphs.pl")),
    ("grammars", include_str!("library/grammars.pl")),
    ("dates", include_str!("library/dates.pl")),
    ("input", include_str!("library/input.pl")),
    ("clpfd", include_str!("library/clpfd.pl")),
    ("clpfd_functions", include_str!("library/clpfd_functions.pl")),
    ("clpfd_lists", include_str!("library/clpfd_lists.pl")),
    ("clpfd_search", include_str!("library/clpfd_search.pl")),
    ("plunit", include_str!("library/plunit.pl")),
    ("hprolog", include_str!("library/hprolog.pl")),
    ("more", include_str!("library/more.pl")),
    ("hooks", include_str!("library/hooks.pl")),
    ("expansion", include_str!("library/expansion.pl")),
];

impl Machine<'_, '_> {
    /// Reads the library, if it was not read before; whether a predicate has clauses now.
    pub fn load_library_for(&mut self, pred: PredId) -> Done<bool> {
        if self.db.library_loaded {
            return Ok(false);
        }
        self.db.library_loaded = true;
        let top = self.heap.top();
        let mut clauses = Vec::new();
        for (part, text) in TEXTS {
            read(self, part, text, &mut clauses)?;
        }
        // Which predicates the library has must be known before its clauses refer to them.
        for &(head, _) in &clauses {
            if let Some((name, arity)) = self.heap.functor(head) {
                let pred = self.db.pred(name, arity);
                if self.db.is_own(pred) {
                    self.db.shadow(pred);
                }
            }
        }
        self.db.in_library = true;
        for (head, body) in clauses {
            let Some((name, arity)) = self.heap.functor(head) else { continue };
            let pred = self.db.pred(name, arity);
            let pred = self.db.resolved(pred);
            // What the machine does itself, unless the program has hooks.
            if matches!(self.db.preds[pred as usize].definition, Definition::Native(_)) {
                continue;
            }
            let (code, keys) = compile::compile(&self.heap, &mut self.db, head, body);
            self.db.preds[pred as usize].library = true;
            self.db.add(compile::clause_info(pred, code, keys), false);
        }
        self.db.in_library = false;
        self.heap.cells.truncate(top);
        let definition = &self.db.preds[pred as usize].definition;
        Ok(matches!(definition, Definition::Clauses(clauses) if !clauses.all().is_empty()))
    }
}

/// Reads the clauses of a text onto the heap.
fn read(m: &mut Machine<'_, '_>, part: &str, text: &str, clauses: &mut Vec<(Cell, Cell)>) -> Done<()> {
    let (mut operators, flags) = (Operators::default(), Flags::default());
    let mut at = 0;
    loop {
        let read = m.reader.read(text, at, &operators, &flags).map_err(|error| {
            let line = text[..error.at.min(text.len())].matches('\n').count() + 1;
            let what = format!("library {part}, line {line}: {}", error.message);
            Throw::Stop(Box::new(gchr_base::stop::StopReason::Internal { what }))
        })?;
        let Some(term) = read.term else { return Ok(()) };
        at = read.end;
        let mut variables = vec![None; read.variables.len()];
        let cell = crate::build::build(
            &mut m.heap,
            &mut m.db.names,
            &read.terms,
            term,
            &mut variables,
            &mut HashMap::default(),
        );
        if let Some((atom::neck, 1)) = m.heap.functor(cell) {
            declare(m, m.heap.arg(cell, 0), &mut operators);
            continue;
        }
        clauses.push(compile::split(&m.heap, cell));
    }
}

/// The only directive of the library: `op(Priority, Kind, Names)`, for the rest of its text.
fn declare(m: &Machine<'_, '_>, directive: Cell, operators: &mut Operators) {
    let (priority, kind) = (m.heap.arg(directive, 0), m.heap.arg(directive, 1));
    let text = |cell: Cell| m.db.names.text(cell.as_atom());
    for name in m.heap.list_items(m.heap.arg(directive, 2)).0 {
        if let Some(fixity) = Fixity::of(text(kind)) {
            operators.set(priority.as_int() as u16, fixity, text(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use gchr_base::control::{Control, Limits};
    use gchr_base::logic::LogicProgram;

    use super::*;

    /// The frontend decides by name whether a goal is one of the machine's: it knows all of them, and no others.
    #[test]
    fn the_frontend_knows_the_predicates() {
        let loaded = crate::load::load(&LogicProgram::default()).expect("an empty program");
        let mut control = Control::new(Limits::default());
        let mut m = Machine::new(
            loaded.db,
            crate::builtins::natives(),
            loaded.constraints,
            &mut control,
            &gchr_chr::TermReader,
        );
        let append = m.db.named("append", 3);
        assert!(m.load_library_for(append).expect("the library is read"));
        let public = m.db.preds.iter().filter(|p| p.library && !matches!(p.definition, Definition::Unknown));
        let unknown: Vec<String> = public
            .map(|p| (m.db.names.text(p.name).to_string(), p.arity))
            .filter(|(name, arity)| !name.starts_with('$') && !gchr_chr::is_builtin(name, *arity))
            .map(|(name, arity)| format!("{name}/{arity}"))
            .filter(|name| name != "dynamic/1")
            .collect();
        assert!(unknown.is_empty(), "the frontend does not know {unknown:?}");
    }
}
