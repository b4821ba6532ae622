//! What a search does for arguments of an operator with axioms: which element of a list an argument is, in which order.

use gchr_base::hash::HashSet;

use super::step::{Env, Step, Unmatched, Width};
use super::*;
use crate::term::Condition;

impl Space {
    /// The arguments of a term, flat where the operator is associative.
    pub(super) fn elements<'t>(&self, op: usize, term: &'t Term) -> Vec<&'t Term> {
        let assoc = self.signature.ops[op].properties.assoc;
        let mut found = Vec::new();
        let mut todo = vec![(term, true)];
        while let Some((term, is_root)) = todo.pop() {
            match &term.kind {
                TermKind::App(key, args) if !args.is_empty() && (is_root || assoc) && self.op(key) == op => {
                    todo.extend(args.iter().rev().map(|arg| (arg, false)));
                }
                _ => found.push(term),
            }
        }
        found
    }

    pub(super) fn width(&self, op: usize, term: &Term) -> Width {
        if !self.signature.ops[op].properties.assoc {
            return Width::One;
        }
        let many = match &term.kind {
            TermKind::Var(_, of) => {
                let of = self.signature.type_of(of);
                let fits = |range: Type| of.is_some_and(|of| self.signature.is_below(range, of));
                self.signature.ops[op].declared.iter().any(|(_, range)| fits(*range))
                    || of.is_some_and(|of| self.memberships_give(op, of))
            }
            _ => self.becomes(op, term).into_iter().any(|inner| self.width(op, inner) != Width::One),
        };
        let none = self.may_be_identity(op, term);
        if many || none && !matches!(term.kind, TermKind::Var(..)) {
            Width::Many { none }
        } else {
            Width::One
        }
    }

    /// Whether memberships may give a sort below a type to applications of an operator.
    fn memberships_give(&self, op: usize, of: Type) -> bool {
        let gives = |rule: &Rule| match &rule.left.kind {
            TermKind::Var(..) => true,
            TermKind::App(key, _) if self.op(key) == op => true,
            TermKind::App(..) => self.becomes(op, &rule.left).into_iter().any(|inner| match &inner.kind {
                TermKind::App(key, _) => self.op(key) == op,
                kind => matches!(kind, TermKind::Var(..)),
            }),
            _ => false,
        };
        self.rules.iter().filter(|rule| rule.kind == EquationKind::Membership).any(|rule| {
            let sort = rule.sort.as_ref().and_then(|sort| self.signature.type_of(sort));
            sort.is_some_and(|sort| self.signature.is_below(sort, of)) && gives(rule)
        })
    }

    /// Arguments of another operator that a term may become when the others are its identity.
    fn becomes<'t>(&self, op: usize, term: &'t Term) -> Vec<&'t Term> {
        let TermKind::App(key, args) = &term.kind else { return Vec::new() };
        let other = self.op(key);
        let has_identity = self.signature.ops[other].properties.identity.is_some();
        if other == op || !has_identity || args.is_empty() {
            return Vec::new();
        }
        let elements = self.elements(other, term);
        let gone = |at: usize| {
            let mut others = (0..elements.len()).filter(|&other| other != at);
            others.all(|at| self.may_be_identity(other, elements[at]))
        };
        (0..elements.len()).filter(|&at| gone(at)).map(|at| elements[at]).collect()
    }

    /// Whether a term may stand for the identity of an operator.
    pub(super) fn may_be_identity(&self, op: usize, term: &Term) -> bool {
        let identity = self.signature.ops[op].properties.identity.as_ref();
        let Some(identity) = identity.and_then(|identity| identity.term.as_ref()) else { return false };
        match &term.kind {
            TermKind::Var(_, of) => {
                let of = self.signature.type_of(of);
                of.is_some_and(|of| self.signature.is_below(self.least(identity), of))
            }
            _ => {
                term.is_same(identity)
                    || self.becomes(op, term).into_iter().any(|inner| self.may_be_identity(op, inner))
            }
        }
    }

    /// Whether a term is the identity of an operator where its variables are.
    fn vanishes(&self, op: usize, identity: &Term, term: &Term) -> bool {
        match &term.kind {
            TermKind::Var(..) => self.may_be_identity(op, term),
            _ if term.is_same(identity) => true,
            TermKind::App(key, args) if !args.is_empty() => {
                let other = self.op(key);
                let own = self.signature.ops[other].properties.identity.as_ref();
                own.and_then(|own| own.term.as_ref()).is_some_and(|own| own.is_same(identity))
                    && args.iter().all(|arg| self.vanishes(other, identity, arg))
            }
            _ => false,
        }
    }

    /// The least type of a term without variables.
    pub(super) fn least(&self, term: &Term) -> Type {
        let signature = &self.signature;
        let named = |name: &str| signature.library_sort(name).map_or(Type::Kind(0), Type::Sort);
        match &term.kind {
            TermKind::App(key, args) => {
                let args: Vec<Type> = args.iter().map(|arg| self.least(arg)).collect();
                signature.result(self.op(key), &args)
            }
            TermKind::Number(number) if *number == num_bigint::BigInt::ZERO => named("Zero"),
            TermKind::Number(_) => named("NzNat"),
            TermKind::Text(_, of) => signature.type_of(of).unwrap_or(Type::Kind(0)),
            _ => {
                let kind = crate::modules::kind_of(signature, term);
                Type::Kind(kind.unwrap_or(0))
            }
        }
    }

    /// Whether an argument takes whatever is left.
    pub(super) fn takes_all(&self, op: usize, term: &Term, elements: &[&Term]) -> bool {
        let TermKind::Var(_, of) = &term.kind else { return false };
        let once = elements.iter().filter(|other| same_variable(other, term));
        let total = self.signature.type_of(of).is_some_and(|of| sorts::is_total(&self.total, of));
        once.count() == 1 && total && matches!(self.width(op, term), Width::Many { .. })
    }
}

impl Lower<'_> {
    /// The rests that an equation for an associative operator leaves: before what it matches, and behind. There is none
    /// where a variable takes it that stands for anything: one that occurs nowhere else.
    pub(super) fn extensions(&self, op: usize, rule: &Rule) -> Vec<(Key, bool)> {
        let properties = &self.space.signature.ops[op].properties;
        if !properties.assoc {
            return Vec::new();
        }
        let elements = self.space.elements(op, &rule.left);
        let is_free = |term: &Term| {
            let terms = rule.conditions.iter().flat_map(Condition::terms).chain([&rule.left]);
            terms.map(|within| occurrences(term, within)).sum::<usize>() == 1
        };
        let takes = |term: &&Term| is_free(term) && self.space.takes_all(op, term, &elements);
        if properties.comm {
            return if elements.iter().any(takes) { Vec::new() } else { vec![(BEHIND, false)] };
        }
        let mut found = Vec::new();
        found.extend((!elements.last().is_some_and(takes)).then_some((BEHIND, false)));
        found.extend((!elements.first().is_some_and(takes)).then_some((BEFORE, true)));
        found
    }

    /// The steps that match a list with the arguments of a term.
    pub(super) fn steps<'t>(
        &self,
        op: usize,
        list: &Key,
        term: &'t Term,
        rests: &[(Key, bool)],
        env: &Env,
    ) -> Vec<Step<'t>> {
        let elements = self.space.elements(op, term);
        let known = env.iter().map(|(key, _)| key.clone()).collect();
        match self.space.signature.ops[op].properties.comm {
            true => self.steps_of_set(op, list, &elements, rests, known),
            false => self.steps_of_sequence(op, list, &elements, rests, known),
        }
    }

    /// Known values first, then other terms than variables, single elements, and what takes several ones.
    fn steps_of_set<'t>(
        &self,
        op: usize,
        list: &Key,
        elements: &[&'t Term],
        rests: &[(Key, bool)],
        mut known: HashSet<Key>,
    ) -> Vec<Step<'t>> {
        let mut left: Vec<&'t Term> = elements.to_vec();
        let mut steps = Vec::new();
        let list = list.clone();
        let mut complete = false;
        while !left.is_empty() {
            let rank = |term: &&Term| match (&term.kind, self.space.width(op, term)) {
                _ if is_known(term, &known) && self.is_value(term) => 0,
                (TermKind::Var(..), Width::One) => 2,
                (_, Width::One) => 1,
                (_, Width::Many { none: false }) => 3,
                (_, Width::Many { none: true }) => 4,
            };
            let at = (0..left.len()).min_by_key(|&at| rank(&left[at])).unwrap_or(0);
            let term = left.remove(at);
            let width = self.space.width(op, term);
            let (op, list) = (op, list.clone());
            // Elements that occur again stand next to themselves in the order.
            let again = |left: &mut Vec<&'t Term>| {
                let at = left.iter().position(|other| is_variable(term) && same_variable(other, term));
                at.map(|at| left.remove(at)).is_some()
            };
            steps.push(match (rank(&term), width) {
                (0, Width::One) => Step::Without { op, list, value: term, all: false },
                (0, Width::Many { .. }) => Step::Without { op, list, value: term, all: true },
                (_, Width::One) => Step::Take { op, list, pattern: term, twice: again(&mut left) },
                (_, Width::Many { none }) if left.is_empty() && rests.is_empty() => {
                    complete = true;
                    Step::Rest { op, list, var: term, none }
                }
                (_, Width::Many { none }) => {
                    Step::Split { op, list, var: term, none, twice: again(&mut left) }
                }
            });
            add_known(term, &mut known);
        }
        steps.extend(what_is_left(op, list, rests.first(), complete));
        steps
    }

    fn steps_of_sequence<'t>(
        &self,
        op: usize,
        list: &Key,
        elements: &[&'t Term],
        rests: &[(Key, bool)],
        mut known: HashSet<Key>,
    ) -> Vec<Step<'t>> {
        let mut steps = Vec::new();
        let list = list.clone();
        if let Some((key, _)) = rests.iter().find(|(_, before)| *before) {
            steps.push(Step::Before { op, list: list.clone(), key: key.clone() });
        }
        let behind = rests.iter().find(|(_, before)| !*before);
        let mut complete = false;
        for (at, &term) in elements.iter().enumerate() {
            let (op, list) = (op, list.clone());
            let last = at + 1 == elements.len() && behind.is_none();
            steps.push(match self.space.width(op, term) {
                Width::One => Step::First { op, list, pattern: term },
                Width::Many { .. } if is_known(term, &known) && self.is_value(term) => {
                    Step::Behind { op, list, value: term }
                }
                Width::Many { none } if last => {
                    complete = true;
                    Step::Rest { op, list, var: term, none }
                }
                Width::Many { none } => Step::Prefix { op, list, var: term, none },
            });
            add_known(term, &mut known);
        }
        steps.extend(what_is_left(op, list, behind, complete));
        steps
    }

    /// Whether a pattern whose variables have values stands for one value: evaluation would not change it.
    pub(super) fn is_value(&self, term: &Term) -> bool {
        match &term.kind {
            TermKind::Var(..) | TermKind::Number(_) | TermKind::Text(..) | TermKind::Value(..) => true,
            TermKind::App(key, args) => {
                let op = self.op(key);
                let declared = &self.space.signature.ops[op];
                !self.space.with_equations.contains(&op)
                    && (!is_computed(declared) || declared.domain.is_empty())
                    && !has_axioms(declared)
                    && args.iter().all(|arg| self.is_value(arg))
            }
            _ => false,
        }
    }

    /// An equation whose left-hand side becomes another operator when variables stand for the identity: `eq a X = b X`
    /// rewrites `a` alone.
    pub(super) fn collapsed(&mut self, rule: &Rule) -> Option<Rule> {
        let TermKind::App(key, _) = &rule.left.kind else { return None };
        let op = self.op(key);
        let declared = self.space.signature.ops[op].properties.identity.clone()?;
        let identity = declared.term?;
        let elements = self.space.elements(op, &rule.left);
        let sides = [declared.left, declared.right];
        // On one side only, there are two arguments.
        let may_go = |at: usize| sides == [true; 2] || sides.get(at) == Some(&true);
        let mut stays: Option<&Term> = None;
        let mut gone = Variables::default();
        for (at, &term) in elements.iter().enumerate() {
            if may_go(at) && self.space.vanishes(op, &identity, term) {
                term.variables(&mut gone);
            } else if stays.replace(term).is_some() {
                return None;
            }
        }
        let stays = stays.filter(|term| !is_variable(term))?;
        let replace = |term: &Term| {
            term.with(&|inner| match &inner.kind {
                TermKind::Var(name, of)
                    if gone.iter().any(|(gone, gone_of, _)| *gone == name && *gone_of == of) =>
                {
                    Some((*identity).clone())
                }
                _ => None,
            })
        };
        let rule = Rule {
            left: replace(stays),
            right: rule.right.as_ref().map(replace),
            conditions: rule.conditions.iter().map(|condition| condition.map(&replace)).collect(),
            ..rule.clone()
        };
        let rule = theory::without_identities(&self.space.signature, &Arc::new(rule));
        // An equation for every term of a sort would have no end.
        (!is_variable(&rule.left)).then(|| (*rule).clone())
    }

    pub(super) fn unordered<'t>(&self, term: &'t Term) -> Result<[&'t Term; 2], Unmatched> {
        match &term.kind {
            TermKind::App(_, args) if args.len() == 2 => Ok([&args[0], &args[1]]),
            _ => Err(Unmatched { span: term.span, reason: "this has no two arguments" }),
        }
    }
}

/// Where what an equation leaves is kept.
const BEHIND: Key = Key::Place(usize::MAX);
const BEFORE: Key = Key::Place(usize::MAX - 1);

/// The step behind all arguments: what is left is kept, or nothing may be left. `complete`: an argument has taken it.
fn what_is_left<'t>(op: usize, list: Key, rest: Option<&(Key, bool)>, complete: bool) -> Option<Step<'t>> {
    match rest {
        Some((key, _)) => Some(Step::Keep { op, list, key: key.clone() }),
        None if complete => None,
        None => Some(Step::Empty { op, list }),
    }
}

/// Whether applications of an operator may be computed.
fn is_computed(op: &Op) -> bool {
    let special = op.properties.special.as_deref();
    special.is_some_and(|special| !["ratio", "identifier"].contains(&special))
}

fn is_variable(term: &Term) -> bool {
    matches!(term.kind, TermKind::Var(..))
}

pub(super) fn same_variable(a: &Term, b: &Term) -> bool {
    match (&a.kind, &b.kind) {
        (TermKind::Var(a, of_a), TermKind::Var(b, of_b)) => a == b && of_a == of_b,
        _ => false,
    }
}

/// How often a variable occurs in a term.
pub(super) fn occurrences(variable: &Term, within: &Term) -> usize {
    let (mut count, mut todo) = (0, vec![within]);
    while let Some(term) = todo.pop() {
        count += usize::from(same_variable(variable, term));
        todo.extend(term.children());
    }
    count
}

pub(super) fn is_known(term: &Term, known: &HashSet<Key>) -> bool {
    let mut variables = Variables::default();
    term.variables(&mut variables);
    variables.iter().all(|(name, of, _)| known.contains(&Key::Named((*name).clone(), (*of).clone())))
}

pub(super) fn add_known(term: &Term, known: &mut HashSet<Key>) {
    let mut variables = Variables::default();
    term.variables(&mut variables);
    known.extend(variables.iter().map(|(name, of, _)| Key::Named((*name).clone(), (*of).clone())));
}
