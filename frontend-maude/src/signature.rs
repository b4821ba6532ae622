//! Sorts, kinds and operators of a module with all that it imports.

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use crate::subsorts::Subsorts;
use crate::syntax::{Name, TypeName};
use crate::term::{OpKey, Rule, Term};

/// A sort, or all terms of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    Sort(usize),
    Kind(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Sort {
    pub name: Arc<str>,
    pub span: Span,
    /// Whether the library declares it.
    pub is_library: bool,
}

/// What one module declares itself.
#[derive(Clone, Default, Debug)]
pub(crate) struct ModulePart {
    /// The same for the same declarations.
    pub key: Arc<str>,
    pub is_library: bool,
    /// Whether it is what a parameter asks for.
    pub is_theory: bool,
    pub sorts: Vec<Name>,
    /// By sort, the name that the module declares it by, before renamings.
    pub first_names: Vec<Arc<str>>,
    pub subsorts: Vec<(Name, Name)>,
    pub ops: Vec<Declaration>,
    pub rules: Vec<Arc<Rule>>,
    /// Rules of a system module that are not read, with the reason: no term is rewritten by such a module.
    pub unread: Vec<Diagnostic>,
}

/// What an operator is declared as, in a part of a module.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub name: Arc<str>,
    pub domain: Vec<TypeName>,
    pub range: TypeName,
    pub properties: Properties,
    pub span: Span,
}

impl Declaration {
    /// What terms know the operator by.
    pub fn key(&self) -> OpKey {
        OpKey { name: self.name.clone(), domain: self.domain.clone(), range: self.range.clone() }
    }
}

/// Attributes of an operator.
#[derive(Clone, Default, Debug)]
pub(crate) struct Properties {
    pub assoc: bool,
    pub comm: bool,
    pub iter: bool,
    pub identity: Option<Identity>,
    /// Arguments below which rules do not apply, counted from 1.
    pub frozen: Vec<u32>,
    pub prec: Option<u8>,
    pub gather: Option<Vec<char>>,
    /// What is built in.
    pub special: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub left: bool,
    pub right: bool,
    pub tokens: Vec<crate::token::Token>,
    /// Known when the operators of its module are.
    pub term: Option<Arc<Term>>,
}

/// An operator with all declarations that share its name and the kinds of its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub name: Arc<str>,
    /// Kinds of the arguments.
    pub domain: Vec<usize>,
    /// Kind of the result.
    pub range: usize,
    pub declared: Vec<(Vec<Type>, Type)>,
    pub key: Arc<OpKey>,
    pub properties: Properties,
    pub span: Span,
}

/// What literals a module has, by the modules that it imports.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Literals {
    pub truth: bool,
    pub naturals: bool,
    pub integers: bool,
    pub rationals: bool,
    pub identifiers: bool,
    pub strings: bool,
    pub floats: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Signature {
    pub sorts: Vec<Sort>,
    names: HashMap<Arc<str>, usize>,
    /// Sorts of the library by the names that it declares them by.
    of_library: HashMap<Arc<str>, usize>,
    order: Subsorts,
    /// By kind, its sorts; maximal ones first.
    pub kinds: Vec<Vec<usize>>,
    pub ops: Vec<Op>,
    index: HashMap<(Arc<str>, usize), Vec<usize>>,
    pub literals: Literals,
}

impl Signature {
    /// Of the parts of a module. What is wrong is reported.
    pub fn new(parts: &[Arc<ModulePart>], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut signature = Self::default();
        signature.declare_sorts(parts);
        let edges = signature.edges(parts, diagnostics);
        (signature.order, signature.kinds) = Subsorts::new(signature.sorts.len(), &edges);
        for declared in parts.iter().flat_map(|part| &part.ops) {
            signature.operator(declared, diagnostics);
        }
        signature.ops.iter_mut().for_each(Op::declare_in_both_orders);
        signature
    }

    /// Adds further parts, in time in proportion to these. `None` where they change what is known of the others so that
    /// all of it has to be made again: nothing is reported then, and this is no signature any more.
    pub fn extend(&mut self, parts: &[Arc<ModulePart>], diagnostics: &mut Vec<Diagnostic>) -> Option<()> {
        let mut found = Vec::new();
        self.declare_sorts(parts);
        let edges = self.edges(parts, &mut found);
        if !self.order.extend(self.sorts.len(), &edges, &mut self.kinds) {
            return None;
        }
        let first = self.ops.len();
        for declared in parts.iter().flat_map(|part| &part.ops) {
            if let Some((op, is_read_otherwise)) = self.operator(declared, &mut found)
                && op < first
                && (is_read_otherwise || self.ops[op].properties.comm)
            {
                return None;
            }
        }
        self.ops[first..].iter_mut().for_each(Op::declare_in_both_orders);
        diagnostics.append(&mut found);
        Some(())
    }

    fn declare_sorts(&mut self, parts: &[Arc<ModulePart>]) {
        for part in parts {
            for (sort, first_name) in part.sorts.iter().zip(&part.first_names) {
                self.declare(sort, part.is_library.then_some(first_name));
            }
            // Also with other names for its operators.
            let library = |name: &str| part.is_library && part.key.split('*').next() == Some(name);
            self.literals.truth |= library("TRUTH");
            self.literals.naturals |= library("NAT");
            self.literals.integers |= library("INT");
            self.literals.rationals |= library("RAT");
            self.literals.identifiers |= library("QID");
            self.literals.floats |= library("FLOAT");
            self.literals.strings |= library("$STRINGS");
        }
    }

    /// Pairs of sorts that some parts declare to be below each other.
    fn edges(&self, parts: &[Arc<ModulePart>], diagnostics: &mut Vec<Diagnostic>) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        for (below, above) in parts.iter().flat_map(|part| &part.subsorts) {
            let found = [below, above].map(|name| self.sort_or_report(&name.text, name.span, diagnostics));
            if let [Some(below), Some(above)] = found {
                edges.push((below, above));
            }
        }
        edges
    }

    /// `library`: the name that the library declares it by.
    fn declare(&mut self, sort: &Name, library: Option<&Arc<str>>) {
        if !self.names.contains_key(&sort.text) {
            let is_library = library.is_some();
            if let Some(name) = library {
                self.of_library.entry(name.clone()).or_insert(self.sorts.len());
            }
            self.names.insert(sort.text.clone(), self.sorts.len());
            self.sorts.push(Sort { name: sort.text.clone(), span: sort.span, is_library });
        }
    }

    /// Adds a declaration: the operator that it is of, and whether terms with an operator that was known are read
    /// otherwise now. `None`: it is wrong, which is reported.
    fn operator(
        &mut self,
        declared: &Declaration,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<(usize, bool)> {
        let mut of = |name: &TypeName| self.type_or_report(name, declared.span, diagnostics);
        let domain: Option<Vec<Type>> = declared.domain.iter().map(&mut of).collect();
        let (domain, range) = (domain?, of(&declared.range)?);
        let kinds: Vec<usize> = domain.iter().map(|&of| self.kind(of)).collect();
        if !has_fitting_sorts(&declared.properties, &kinds, self.kind(range)) {
            diagnostics.push(
                Diagnostic::error("T3107", format!("the axioms of `{}` do not fit its sorts", declared.name))
                    .label(declared.span, "arguments, or arguments and result, have sorts of different kinds")
                    .note("arguments of a commutative operator have one kind; those of an associative one, and what \
                           stands beside an identity, have that of the result")
                    .help("relate the sorts by `subsort`, or leave the attribute out"),
            );
            return None;
        }
        let index = (declared.name.clone(), kinds.len());
        let range_kind = self.kind(range);
        // Constants are told apart by the kinds of their sorts.
        let is_same = |op: &Op| op.domain == kinds && (!kinds.is_empty() || op.range == range_kind);
        let known = self.index.get(&index).and_then(|list| list.iter().find(|&&op| is_same(&self.ops[op])));
        if let Some(&known) = known {
            if self.ops[known].range != self.kind(range) {
                diagnostics.push(
                    Diagnostic::error("T3104", format!("`{}` has results of two kinds", declared.name))
                        .label(declared.span, "declared with other sorts before")
                        .help("relate the sorts of the results by `subsort`, or use another name"),
                );
                return None;
            }
            let op = &mut self.ops[known];
            op.declared.push((domain, range));
            return Some((known, op.properties.merge(&declared.properties)));
        }
        let key = declared.key();
        self.index.entry(index).or_default().push(self.ops.len());
        self.ops.push(Op {
            name: declared.name.clone(),
            domain: kinds,
            range: self.kind(range),
            declared: vec![(domain, range)],
            key: Arc::new(key),
            properties: declared.properties.clone(),
            span: declared.span,
        });
        Some((self.ops.len() - 1, false))
    }

    /// The term that is the identity of an operator of a declaration has been read.
    pub fn has_identity(&mut self, of: &Declaration) {
        let Some(term) = of.properties.identity.as_ref().and_then(|identity| identity.term.clone()) else {
            return;
        };
        if let Some(op) = self.op(&of.key())
            && let Some(identity) = &mut self.ops[op].properties.identity
        {
            identity.term.get_or_insert(term);
        }
    }

    fn sort_or_report(
        &self,
        name: &Arc<str>,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let found = self.names.get(name).copied();
        if found.is_none() {
            let near = nearest(name, self.sorts.iter().map(|sort| &*sort.name));
            diagnostics.push(
                Diagnostic::error("T3101", format!("unknown sort `{name}`")).label(span, "used here").help(
                    match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("declare `sort {name} .`, or import a module that does"),
                    },
                ),
            );
        }
        found
    }

    /// What a name of a sort or kind stands for; an unknown one is reported.
    pub fn type_or_report(
        &self,
        name: &TypeName,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Type> {
        let sort = self.sort_or_report(&name.sort, span, diagnostics)?;
        Some(if name.is_kind { Type::Kind(self.order.kind(sort)) } else { Type::Sort(sort) })
    }

    /// What a known name of a sort or kind stands for.
    pub fn type_of(&self, name: &TypeName) -> Option<Type> {
        let &sort = self.names.get(&name.sort)?;
        Some(if name.is_kind { Type::Kind(self.order.kind(sort)) } else { Type::Sort(sort) })
    }

    /// The sort of a name.
    pub fn sort(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The sort that the library declares by a name: a renaming may have given it another one.
    pub fn library_sort(&self, name: &str) -> Option<usize> {
        self.of_library.get(name).copied()
    }

    pub fn kind(&self, of: Type) -> usize {
        match of {
            Type::Sort(sort) => self.order.kind(sort),
            Type::Kind(kind) => kind,
        }
    }

    /// Whether all terms of a type have another one.
    pub fn is_below(&self, below: Type, above: Type) -> bool {
        match (below, above) {
            (Type::Sort(below), Type::Sort(above)) => self.order.is_below(below, above),
            (_, Type::Kind(kind)) => self.kind(below) == kind,
            (Type::Kind(_), Type::Sort(_)) => false,
        }
    }

    /// The name of a type: `Nat`, or `[Nat]`.
    pub fn name(&self, of: Type) -> String {
        match of {
            Type::Sort(sort) => self.sorts[sort].name.to_string(),
            Type::Kind(kind) => format!("[{}]", self.kind_name(kind)),
        }
    }

    /// The name of a kind: that of its largest sort.
    pub fn kind_name(&self, kind: usize) -> &str {
        self.kinds[kind].first().map_or("", |&sort| &self.sorts[sort].name)
    }

    /// Whether all sorts of a kind are of the library.
    pub fn is_of_library(&self, kind: usize) -> bool {
        self.kinds[kind].iter().all(|&sort| self.sorts[sort].is_library)
    }

    /// The operator of a key.
    pub fn op(&self, key: &OpKey) -> Option<usize> {
        let kinds: Option<Vec<usize>> =
            key.domain.iter().map(|name| Some(self.kind(self.type_of(name)?))).collect();
        let kinds = kinds?;
        let range = self.kind(self.type_of(&key.range)?);
        let is_same = |op: &Op| op.domain == kinds && (!kinds.is_empty() || op.range == range);
        let list = self.index.get(&(key.name.clone(), kinds.len()))?;
        list.iter().copied().find(|&op| is_same(&self.ops[op]))
    }

    /// The operator that something built in stands for.
    pub fn built_in(&self, special: &str) -> Option<usize> {
        self.ops.iter().position(|op| op.properties.special.as_deref() == Some(special))
    }

    /// Operators of a name with so many arguments.
    pub fn named(&self, name: &str, arity: usize) -> &[usize] {
        self.index.get(&(Arc::from(name), arity)).map_or(&[], Vec::as_slice)
    }

    /// The least type of an application.
    pub fn result(&self, op: usize, args: &[Type]) -> Type {
        let op = &self.ops[op];
        let mut least: Option<Type> = None;
        for (domain, range) in &op.declared {
            let fits = domain.iter().zip(args).all(|(&wanted, &found)| self.is_below(found, wanted));
            if fits && least.is_none_or(|least| self.is_below(*range, least)) {
                least = Some(*range);
            }
        }
        least.unwrap_or(Type::Kind(op.range))
    }
}

/// Whether axioms make sense for the kinds of arguments and result.
fn has_fitting_sorts(of: &Properties, domain: &[usize], range: usize) -> bool {
    let [left, right] = domain else { return !(of.assoc || of.comm || of.identity.is_some()) };
    // Beside an identity, the other argument is the result.
    let (to_left, to_right) = of.identity.as_ref().map_or((false, false), |of| (of.right, of.left));
    (!of.comm || left == right)
        && (!(of.assoc || to_left) || *left == range)
        && (!(of.assoc || to_right) || *right == range)
}

impl Op {
    /// What is declared for arguments of a commutative operator holds for them in the other order, too.
    fn declare_in_both_orders(&mut self) {
        if !self.properties.comm {
            return;
        }
        for at in 0..self.declared.len() {
            let (domain, range) = &self.declared[at];
            let swapped = (domain.iter().rev().copied().collect(), *range);
            if !self.declared.contains(&swapped) {
                self.declared.push(swapped);
            }
        }
    }
}

impl Properties {
    /// Adds those of a further declaration; whether terms are read otherwise now.
    fn merge(&mut self, other: &Properties) -> bool {
        let read_by = |of: &Self| {
            let axioms = (of.assoc, of.comm, of.iter, of.identity.is_some());
            (axioms, of.prec, of.gather.clone(), of.special.clone())
        };
        let before = read_by(self);
        self.assoc |= other.assoc;
        self.comm |= other.comm;
        self.iter |= other.iter;
        self.frozen.extend(&other.frozen);
        let first = |mine: &mut Option<Identity>| {
            if mine.is_none() {
                mine.clone_from(&other.identity);
            }
        };
        first(&mut self.identity);
        self.prec = self.prec.or(other.prec);
        if self.gather.is_none() {
            self.gather.clone_from(&other.gather);
        }
        if self.special.is_none() {
            self.special.clone_from(&other.special);
        }
        read_by(self) != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_base::source::SourceId;
    use gchr_testkit::random::Random;

    fn random_part(random: &mut Random, key: usize, sorts: usize) -> ModulePart {
        let span = Span::new(SourceId(0), 0, 0);
        let name = |at: usize| Name { text: format!("S{at}").into(), span };
        let own: Vec<Name> = (sorts..sorts + random.below(3)).map(name).collect();
        let mut sort = || name(random.below(sorts + own.len()));
        let subsorts = vec![(sort(), sort())];
        let mut of = || TypeName { sort: sort().text, is_kind: false };
        let types: Vec<TypeName> = (0..9).map(|_| of()).collect();
        let ops = types.chunks(3).map(|types| Declaration {
            name: format!("f{}", random.below(12)).into(),
            domain: types[..random.below(3)].to_vec(),
            range: types[2].clone(),
            properties: Properties {
                comm: random.chance(10),
                prec: random.chance(10).then_some(20),
                ..Properties::default()
            },
            span,
        });
        let ops = ops.filter(|op| !op.properties.comm || op.domain.len() == 2).collect();
        let first_names = own.iter().map(|sort| sort.text.clone()).collect();
        let subsorts = subsorts.into_iter().filter(|_| random.chance(20)).collect();
        ModulePart {
            key: key.to_string().into(),
            sorts: own,
            first_names,
            subsorts,
            ops,
            ..ModulePart::default()
        }
    }

    /// Signatures that get random parts one after the other are those of all parts, and the same is reported.
    #[test]
    fn a_signature_that_is_extended_is_that_of_all_its_parts() {
        let (mut extended, mut renewed) = (0, 0);
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut sorts = 40;
            let names: Vec<Name> = (0..sorts)
                .map(|at| Name { text: format!("S{at}").into(), span: Span::new(SourceId(0), 0, 0) })
                .collect();
            let first_names = names.iter().map(|sort| sort.text.clone()).collect();
            let first = ModulePart { sorts: names, first_names, ..ModulePart::default() };
            let mut parts = vec![Arc::new(first)];
            let mut found = Vec::new();
            let mut signature = Signature::new(&parts, &mut found);
            for key in 0..12 {
                let part = random_part(&mut random, key, sorts);
                sorts += part.sorts.len();
                parts.push(Arc::new(part));
                let mut expected = Vec::new();
                let whole = Signature::new(&parts, &mut expected);
                let reported = found.clone();
                if signature.extend(&parts[parts.len() - 1..], &mut found).is_some() {
                    extended += 1;
                    let shown = |of: &Signature| format!("{:?} {:?} {:?}", of.kinds, of.ops, of.index);
                    assert_eq!(shown(&signature), shown(&whole), "seed {seed}");
                    let missing: Vec<&Diagnostic> =
                        expected.iter().filter(|diagnostic| !found.contains(diagnostic)).collect();
                    assert!(missing.is_empty() && found.len() <= expected.len(), "seed {seed}: {missing:?}");
                } else {
                    renewed += 1;
                    assert_eq!(found, reported);
                    (signature, found) = (whole, expected);
                }
            }
        }
        assert!(extended > 300 && renewed > 300, "{extended} and {renewed}");
    }
}
