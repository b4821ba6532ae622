//! The part of the library that is written in Prolog. It is read when a program first calls something that has no
//! clauses.

use std::sync::OnceLock;

use gchr_base::hash::HashMap;
use gchr_base::logic::{Fixity, Flags, LogicNode, LogicTermId, Operators, ReadTerm, Reader, Terms};

use crate::build::build;
use crate::code::PredId;
use crate::compile;
use crate::database::Definition;
use crate::machine::{Done, Machine, Throw};

/// The texts.
const TEXTS: [(&str, &str); 25] = [
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
    ("strings", include_str!("library/strings.pl")),
    ("csv", include_str!("library/csv.pl")),
    ("base64", include_str!("library/base64.pl")),
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
        for read in terms(self.reader)? {
            let Some(term) = read.term else { continue };
            let mut variables = vec![None; read.variables.len()];
            let cell = build(
                &mut self.heap,
                &mut self.db.names,
                &read.terms,
                term,
                &mut variables,
                &mut HashMap::default(),
            );
            clauses.push(compile::split(&self.heap, cell));
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
            let compiled = compile::compile(&self.heap, &mut self.db, head, body);
            let (code, keys) = compiled.map_err(|_| self.resource_error("max_frame_size"))?;
            self.db.preds[pred as usize].library = true;
            self.db.add(compile::clause_info(pred, code, keys), false);
        }
        self.db.in_library = false;
        self.heap.cells.truncate(top);
        let definition = &self.db.preds[pred as usize].definition;
        Ok(matches!(definition, Definition::Clauses(clauses) if !clauses.all().is_empty()))
    }
}

/// The terms of all texts. They are read once in a process.
fn terms(reader: &dyn Reader) -> Done<&'static [ReadTerm]> {
    static READ: OnceLock<Vec<ReadTerm>> = OnceLock::new();
    if let Some(terms) = READ.get() {
        return Ok(terms);
    }
    let mut terms = Vec::new();
    for (part, text) in TEXTS {
        let (mut operators, flags, mut at) = (Operators::default(), Flags::default(), 0);
        loop {
            let read = reader.read(text, at, &operators, &flags).map_err(|error| {
                let line = text[..error.at.min(text.len())].matches('\n').count() + 1;
                let what = format!("library {part}, line {line}: {}", error.message);
                Throw::Stop(Box::new(gchr_base::stop::StopReason::Internal { what }))
            })?;
            let Some(term) = read.term else { break };
            at = read.end;
            match read.terms.functor(term) {
                Some((":-", &[directive])) => declare(&read.terms, directive, &mut operators),
                _ => terms.push(read),
            }
        }
    }
    Ok(READ.get_or_init(|| terms))
}

/// The only directive of the library: `op(Priority, Kind, Names)`, for the rest of its text.
fn declare(terms: &Terms, directive: LogicTermId, operators: &mut Operators) {
    let Some((_, &[priority, kind, mut names])) = terms.functor(directive) else { return };
    let (LogicNode::Int(priority), LogicNode::Atom(kind)) = (terms.node(priority), terms.node(kind)) else {
        return;
    };
    let Some(fixity) = Fixity::of(kind) else { return };
    while let Some((_, &[name, rest])) = terms.functor(names) {
        if let LogicNode::Atom(name) = terms.node(name) {
            operators.set(*priority as u16, fixity, name);
        }
        names = rest;
    }
}

#[cfg(test)]
mod tests {
    use gchr_base::control::{Control, Limits};
    use gchr_base::hash::HashSet;
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

    /// A program that mentions none of the predicates that give variables attributes wakes nothing: the loader knows
    /// all of them, those of the library too that come to `put_attr/3` by others.
    #[test]
    fn the_loader_knows_what_gives_variables_attributes() {
        const CONTROL: [&str; 5] = [",", ";", "->", "*->", "\\+"];
        let mut calls: Vec<(&str, HashSet<&str>)> = Vec::new();
        for read in terms(&gchr_chr::TermReader).expect("the library is read") {
            let Some(term) = read.term else { continue };
            let (head, body) = match read.terms.functor(term) {
                Some((":-", &[head, body])) => (head, body),
                _ => continue,
            };
            let Some((head, _)) = read.terms.functor(head) else { continue };
            // Goals, and what else has a name that no term of a program has: closures of helpers.
            let (mut called, mut todo) = (HashSet::default(), vec![(body, true)]);
            while let Some((term, is_goal)) = todo.pop() {
                if let LogicNode::Atom(name) = read.terms.node(term)
                    && (is_goal || name.starts_with('$'))
                {
                    called.insert(&**name);
                }
                let Some((name, args)) = read.terms.functor(term) else { continue };
                if is_goal || name.starts_with('$') {
                    called.insert(name);
                }
                todo.extend(args.iter().map(|&arg| (arg, is_goal && CONTROL.contains(&name))));
            }
            calls.push((head, called));
        }
        let mut reach: HashSet<&str> = HashSet::default();
        reach.insert("put_attr");
        loop {
            let further = calls.iter().filter(|(head, called)| {
                !reach.contains(head) && called.iter().any(|name| reach.contains(name))
            });
            let further: Vec<&str> = further.map(|(head, _)| *head).collect();
            if further.is_empty() {
                break;
            }
            reach.extend(further);
        }
        // These give attributes where there are some, or run goals of the program.
        const OF_OTHERS: [&str; 5] =
            ["copy_term", "duplicate_term", "expand_goal", "expand_term", "findnsols"];
        let known = |name: &str| crate::load::ATTRIBUTES.contains(&name) || OF_OTHERS.contains(&name);
        let mut unknown: Vec<&str> =
            reach.into_iter().filter(|name| !name.starts_with('$') && !known(name)).collect();
        unknown.sort_unstable();
        assert!(unknown.is_empty(), "the loader does not know {unknown:?}");
    }
}
