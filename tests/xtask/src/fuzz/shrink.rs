//! Makes a case smaller as long as it fails in the same way: clauses, goals, heads and subterms are left out one by
//! one.

use std::time::{Duration, Instant};

use gchr::Language;
use gchr::base::source::SourceMap;
use gchr_chr::ast::{ClauseKind, TermKind};
use gchr_trs::ast::{
    Binding, Equation, Input, NodeKind, Section, SortBody, SortDeclaration, Term, VariableDeclaration,
};

use super::case::Case;

/// The smallest case found in a while that still fails, as `fails` says.
pub fn shrink(case: &Case, patience: Duration, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let deadline = Instant::now() + patience;
    let mut best = case.clone();
    loop {
        let mut smaller = candidates(&best);
        smaller.retain(|c| size(c) < size(&best));
        smaller.sort_by_key(size);
        let next = smaller.into_iter().find(|c| Instant::now() < deadline && fails(c));
        match next {
            Some(next) => best = next,
            None => return best,
        }
    }
}

fn size(case: &Case) -> usize {
    case.text.split_whitespace().collect::<String>().len()
        + case.starts.iter().map(|s| 1 + s.len()).sum::<usize>()
}

fn candidates(case: &Case) -> Vec<Case> {
    let with = |text: String| Case { text, ..case.clone() };
    let mut found: Vec<Case> = match case.language {
        Language::Terms => terms(&case.text),
        Language::Constraints => constraints(&case.text),
    }
    .into_iter()
    .map(with)
    .collect();
    for i in 0..case.starts.len() {
        let mut starts = case.starts.clone();
        starts.remove(i);
        found.push(Case { starts, ..case.clone() });
    }
    found
}

/// Each list without one of its members, and without one half.
fn shorter<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    let half = list.len() / 2;
    let halves = [list[half..].to_vec(), list[..half].to_vec()];
    let without = (0..list.len()).map(|i| [&list[..i], &list[i + 1..]].concat());
    halves.into_iter().filter(|h| !h.is_empty() && h.len() < list.len()).chain(without).collect()
}

fn terms(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let id = sources.add("program.trs", text);
    let ast = gchr_trs::parse(&sources, id).ast;
    let mut found = vec![ast.to_string()];
    let mut with = |change: &mut dyn FnMut(&mut gchr_trs::ast::Module)| {
        let mut changed = ast.clone();
        change(&mut changed);
        found.push(changed.to_string());
    };
    for sections in shorter(&ast.sections) {
        with(&mut |m| m.sections = sections.clone());
    }
    for (s, section) in ast.sections.iter().enumerate() {
        for smaller in sections(section) {
            with(&mut |m| m.sections[s] = smaller.clone());
        }
    }
    found
}

/// The list with each member replaced by each of what is made of it.
fn with_each<T: Clone>(list: &[T], made: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let replaced = |i: usize, member: T| {
        let mut list = list.to_vec();
        list[i] = member;
        list
    };
    list.iter()
        .enumerate()
        .flat_map(|(i, old)| made(old).into_iter().map(move |new| replaced(i, new)))
        .collect()
}

/// Smaller sections in the place of one.
fn sections(section: &Section) -> Vec<Section> {
    match section {
        Section::Sorts(clauses) => {
            let fewer_symbols = with_each(clauses, |clause| {
                let symbols = shorter(clause.symbols()).into_iter().filter(|symbols| !symbols.is_empty());
                symbols
                    .map(|symbols| SortDeclaration { body: SortBody::Struct(symbols), ..clause.clone() })
                    .collect()
            });
            shorter(clauses).into_iter().chain(fewer_symbols).map(Section::Sorts).collect()
        }
        Section::Constructors(clauses) => shorter(clauses).into_iter().map(Section::Constructors).collect(),
        Section::Maps(clauses) => shorter(clauses).into_iter().map(Section::Maps).collect(),
        Section::Variables(clauses) => {
            let fewer_names = with_each(clauses, |clause| {
                let names = shorter(&clause.names).into_iter().filter(|names| !names.is_empty());
                names.map(|names| VariableDeclaration { names, ..clause.clone() }).collect()
            });
            shorter(clauses).into_iter().chain(fewer_names).map(Section::Variables).collect()
        }
        Section::Equations(equations) => {
            let simpler = with_each(equations, simpler_equations);
            shorter(equations).into_iter().chain(simpler).map(Section::Equations).collect()
        }
        Section::Input(input) => {
            let terms = simpler(&input.term).into_iter();
            terms.map(|term| Section::Input(Input { term, keyword: input.keyword })).collect()
        }
        Section::Strategy(clauses) => shorter(clauses).into_iter().map(Section::Strategy).collect(),
        Section::Import(_) => Vec::new(),
    }
}

/// Equations without a part of one, or with a simpler part.
fn simpler_equations(equation: &Equation) -> Vec<Equation> {
    let plain = || equation.clone();
    let mut found = vec![Equation { condition: None, ..plain() }, Equation { otherwise: false, ..plain() }];
    let values = shorter(&equation.values).into_iter().chain(with_each(&equation.values, |binding| {
        simpler(&binding.value).into_iter().map(|value| Binding { value, ..binding.clone() }).collect()
    }));
    found.extend(values.map(|values| Equation { values, ..plain() }));
    found.extend(simpler(&equation.left).into_iter().map(|left| Equation { left, ..plain() }));
    found.extend(simpler(&equation.right).into_iter().map(|right| Equation { right, ..plain() }));
    let conditions = equation.condition.iter().flat_map(simpler);
    found.extend(conditions.map(|condition| Equation { condition: Some(condition), ..plain() }));
    found
}

/// The term with one subterm replaced by a part of it, or by a leaf.
fn simpler(term: &Term) -> Vec<Term> {
    let mut found = Vec::new();
    let is_term = |i: &usize| !matches!(term.nodes[*i].kind, NodeKind::Parameters(_));
    let leaves: Vec<usize> =
        (0..term.nodes.len()).filter(|&i| term.nodes[i].size == 1).filter(is_term).collect();
    for (end, node) in term.nodes.iter().enumerate().filter(|(end, _)| is_term(end)) {
        let start = end + 1 - node.size as usize;
        let inner =
            (start..end).filter(is_term).map(|root| (root + 1 - term.nodes[root].size as usize, root));
        let leaf = leaves.iter().filter(|_| node.size > 1).map(|&leaf| (leaf, leaf));
        for (from, root) in inner.chain(leaf) {
            let part = &term.nodes[from..=root];
            found.push(replaced(term, start, end, part));
        }
        let mut number = *node;
        match node.kind {
            NodeKind::Int(n) if n.unsigned_abs() > 1 => number.kind = NodeKind::Int(n / 2),
            NodeKind::Float(x) if x != 0.0 => number.kind = NodeKind::Float(0.0),
            NodeKind::Power(name, n) if n > 0 => number.kind = NodeKind::Power(name, n / 2),
            _ => continue,
        }
        let mut nodes = term.nodes.clone();
        nodes[end] = number;
        found.push(Term { nodes, depth: term.depth, lambdas: term.lambdas.clone() });
    }
    found
}

/// The term with the nodes of a subterm replaced by others.
fn replaced(term: &Term, start: usize, end: usize, part: &[gchr_trs::ast::Node]) -> Term {
    let removed = (end + 1 - start) - part.len().min(end + 1 - start);
    let mut nodes = term.nodes[..start].to_vec();
    nodes.extend_from_slice(part);
    for (i, node) in term.nodes.iter().enumerate().skip(end + 1) {
        let mut node = *node;
        // An ancestor: it begins before what is replaced.
        if i + 1 - node.size as usize <= start {
            node.size -= removed as u32;
        }
        nodes.push(node);
    }
    Term { nodes, depth: term.depth, lambdas: term.lambdas.clone() }
}

fn constraints(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let id = sources.add("program.chr", text);
    let ast = gchr_chr::parse(&sources, id).ast;
    let mut found = vec![ast.to_string()];
    let mut with = |change: &mut dyn FnMut(&mut gchr_chr::ast::Module)| {
        let mut changed = ast.clone();
        change(&mut changed);
        found.push(changed.to_string());
    };
    for clauses in shorter(&ast.clauses) {
        with(&mut |m| m.clauses = clauses.clone());
    }
    for (c, clause) in ast.clauses.iter().enumerate() {
        match &clause.kind {
            ClauseKind::Query(goals) => {
                for goals in shorter(goals).into_iter().filter(|g| !g.is_empty()) {
                    with(&mut |m| m.clauses[c].kind = ClauseKind::Query(goals.clone()));
                }
            }
            ClauseKind::Rule(rule) => {
                let mut set = |rule: gchr_chr::ast::Rule| {
                    with(&mut |m| m.clauses[c].kind = ClauseKind::Rule(rule.clone()));
                };
                set(gchr_chr::ast::Rule { name: None, ..rule.clone() });
                set(gchr_chr::ast::Rule { pragmas: Vec::new(), ..rule.clone() });
                for guard in shorter(&rule.guard) {
                    set(gchr_chr::ast::Rule { guard, ..rule.clone() });
                }
                for body in shorter(&rule.body).into_iter().filter(|b| !b.is_empty()) {
                    set(gchr_chr::ast::Rule { body, ..rule.clone() });
                }
                for kept in shorter(&rule.kept) {
                    set(gchr_chr::ast::Rule { kept, ..rule.clone() });
                }
                for removed in shorter(&rule.removed) {
                    set(gchr_chr::ast::Rule { removed, ..rule.clone() });
                }
            }
            ClauseKind::Directive(_) | ClauseKind::Prolog(_) => {}
        }
    }
    // A term by one of its parts, or by a constant.
    for (id, term) in ast.terms.iter_enumerated() {
        let parts: Vec<_> = match &term.kind {
            TermKind::Compound { args, .. } => args.clone(),
            TermKind::List { items, tail } => items.iter().chain(tail).copied().collect(),
            TermKind::Int(n) if n.unsigned_abs() > 1 => {
                let half = n / 2;
                with(&mut |m| m.terms[id].kind = TermKind::Int(half));
                continue;
            }
            _ => Vec::new(),
        };
        for part in parts {
            let kind = ast.kind(part).clone();
            with(&mut |m| m.terms[id].kind = kind.clone());
        }
        for kind in [TermKind::Int(0), TermKind::Atom("a".into()), TermKind::Atom("true".into())] {
            with(&mut |m| m.terms[id].kind = kind.clone());
        }
    }
    found
}
