//! Rules that never fire because an earlier rule removes what they match.
//!
//! Claim: let rule R remove all its heads, have no guard and no passive head, and let no earlier rule keep a
//! constraint of a
//! symbol of R's heads. Then no rule after R fires whose heads contain an instance of R's heads. For when the last
//! constraint of
//! such an instance is added, the others are in the store and none of them is in the middle of a rule before R (that
//! would keep it),
//! so R fires before any later rule is tried.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::rule::{Const, Head, HeadAtom, Pattern, PatternKind, Program, Role, Rule, RuleId, VarId};
use gchr_base::signature::{ConstraintId, SymbolId, TextId};

use super::heads;

/// Rules with more heads are not compared: the search for a mapping of heads is exponential in their number.
const MAX_HEADS: usize = 5;

/// Earlier rules of one key that one rule is compared with, at most.
const MAX_COMPARED: usize = 256;

/// What an argument of a head says about the values it matches: tables of rules over constants are not compared
/// pairwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum First {
    Any,
    Int(i64),
    Float(u64),
    Text(TextId),
    App(SymbolId),
}

/// A symbol, a column, and what a head says about its value there; no column for a head that takes any values.
type Key = (ConstraintId, usize, First);

const NO_COLUMN: usize = usize::MAX;

/// What an argument says about the values it matches.
fn first(pattern: &Pattern) -> First {
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Var(_) => First::Any,
        PatternKind::Const(Const::Int(n)) => First::Int(*n),
        PatternKind::Const(Const::Float(x)) => First::Float(x.to_bits()),
        PatternKind::Const(Const::Atom(t) | Const::Str(t)) => First::Text(*t),
        PatternKind::App { symbol, .. } => First::App(*symbol),
    }
}

/// Where a rule with this head is looked for: by the first column in which it does not take all values.
fn key(head: &Head) -> Option<Key> {
    let HeadAtom::Constraint { constraint, args } = &head.atom else { return None };
    let mut columns = args.iter().map(first).enumerate();
    let (column, first) = columns.find(|(_, first)| *first != First::Any).unwrap_or((NO_COLUMN, First::Any));
    Some((*constraint, column, first))
}

/// Where a rule is looked for: by a head that takes few values, if there is one. Whatever has an instance of all heads
/// has one of that head.
fn rule_key(rule: &Rule) -> Option<Key> {
    let mut keys = rule.heads.iter().filter_map(key);
    let first = keys.next()?;
    if first.1 != NO_COLUMN {
        return Some(first);
    }
    Some(keys.find(|(_, column, _)| *column != NO_COLUMN).unwrap_or(first))
}

/// Where the rules are one of whose heads may match all that this head does.
fn keys(head: &Head) -> Vec<Key> {
    let HeadAtom::Constraint { constraint, args } = &head.atom else { return Vec::new() };
    let columns = args.iter().map(first).enumerate().filter(|(_, first)| *first != First::Any);
    columns.chain([(NO_COLUMN, First::Any)]).map(|(column, first)| (*constraint, column, first)).collect()
}

pub(super) fn unreachable(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut kept = vec![false; program.signature.constraints.len()];
    let mut removers: HashMap<Key, Vec<RuleId>> = HashMap::default();
    for (id, rule) in program.rules.iter_enumerated() {
        let keys = rule.heads.iter().flat_map(keys);
        let lists = keys.filter_map(|key| removers.get(&key));
        let earliest = |list: &Vec<RuleId>| {
            let compared = list.iter().take(MAX_COMPARED);
            compared.copied().find(|&r| contains(rule, &program.rules[r]))
        };
        if let Some(first) = lists.filter_map(earliest).min() {
            let label = program.rule_name(first);
            diagnostics.push(
                Diagnostic::warning("C0503", format!("{} never fires", program.rule_name(id)))
                    .label(rule.span, "its heads are removed before it is tried")
                    .label(program.rules[first].span, format!("{label} matches all of them first"))
                    .help("move the more special rule before the more general one, or give the general one a guard"),
            );
        }
        let symbols: Vec<_> = heads(rule).collect();
        let removes_all = symbols.iter().all(|&(c, role)| role == Role::Removed && !kept[c.index()]);
        if removes_all
            && rule.guard.is_empty()
            && symbols.len() <= MAX_HEADS
            && !rule.heads.iter().any(|h| h.passive)
            && let Some(key) = rule_key(rule)
        {
            removers.entry(key).or_default().push(id);
        }
        for (c, role) in symbols {
            kept[c.index()] |= role == Role::Kept;
        }
    }
}

/// Whether the heads of `special` contain an instance of the heads of `general`.
fn contains(special: &Rule, general: &Rule) -> bool {
    special.heads.len() <= 4 * MAX_HEADS
        && assign(special, general, 0, &mut vec![false; special.heads.len()], &mut HashMap::default())
}

type Substitution<'a> = HashMap<VarId, &'a Pattern>;

fn assign<'a>(
    special: &'a Rule,
    general: &Rule,
    at: usize,
    used: &mut [bool],
    map: &mut Substitution<'a>,
) -> bool {
    let Some(head) = general.heads.get(at) else { return true };
    for (i, other) in special.heads.iter().enumerate() {
        if used[i] {
            continue;
        }
        let (
            HeadAtom::Constraint { constraint: c, args: a },
            HeadAtom::Constraint { constraint: d, args: b },
        ) = (&head.atom, &other.atom)
        else {
            continue;
        };
        if c != d {
            continue;
        }
        let mut extended = map.clone();
        if a.iter().zip(b).all(|(general, special)| subsumes(general, special, &mut extended)) {
            used[i] = true;
            if assign(special, general, at + 1, used, &mut extended) {
                return true;
            }
            used[i] = false;
        }
    }
    false
}

/// Whether every value that `special` matches is matched by `general`.
fn subsumes<'a>(general: &Pattern, special: &'a Pattern, map: &mut Substitution<'a>) -> bool {
    match (&general.kind, &special.kind) {
        (PatternKind::Wild, _) => true,
        (PatternKind::Var(v), _) => match map.get(v) {
            Some(known) => equal(known, special),
            None => {
                map.insert(*v, special);
                true
            }
        },
        (PatternKind::Const(a), PatternKind::Const(b)) => same(*a, *b),
        (PatternKind::App { symbol: f, args: a }, PatternKind::App { symbol: g, args: b }) => {
            f == g && a.iter().zip(b).all(|(general, special)| subsumes(general, special, map))
        }
        _ => false,
    }
}

/// Whether two patterns of one rule always match equal values.
fn equal(a: &Pattern, b: &Pattern) -> bool {
    match (&a.kind, &b.kind) {
        (PatternKind::Var(v), PatternKind::Var(w)) => v == w,
        (PatternKind::Const(a), PatternKind::Const(b)) => same(*a, *b),
        (PatternKind::App { symbol: f, args: a }, PatternKind::App { symbol: g, args: b }) => {
            f == g && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        _ => false,
    }
}

fn same(a: Const, b: Const) -> bool {
    match (a, b) {
        (Const::Float(x), Const::Float(y)) => x.to_bits() == y.to_bits(),
        _ => a == b,
    }
}
