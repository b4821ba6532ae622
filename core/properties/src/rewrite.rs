//! Rewriting of terms with variables, in bounds: one step, normal forms, all that comes from a term.

use std::rc::Rc;

use gchr_base::hash::HashMap;
use gchr_base::rule::RuleId;

use crate::system::System;
use crate::terms::{Path, TermId, path_of};
use crate::work::{Stop, Work};

/// Largest term that is rewritten.
const LARGEST: usize = 20_000;
/// Largest term of which all places are rewritten.
const LARGEST_OF_ALL: usize = 2_000;

/// A rewrite step, for a reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The rule that applies.
    pub rule: RuleId,
    /// Where: the numbers of arguments from the root on, from 1; empty at the root.
    pub place: Vec<u32>,
    /// What it gives.
    pub result: String,
}

/// A rewrite step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// The rule, by its number in the system.
    pub rule: usize,
    pub path: Path,
    pub result: TermId,
}

/// Where a term leads.
pub(crate) struct Normalised {
    pub moves: Vec<Move>,
    pub last: TermId,
    /// Whether no rule applies to the last one.
    pub is_normal: bool,
}

/// The rules that apply to a term at its root, by their numbers, with what they give.
type AtRoot = Rc<[(usize, TermId)]>;

/// Rewrites terms of a system.
pub(crate) struct Rewriter<'s, 'p> {
    pub system: &'s mut System<'p>,
    /// What each rule makes of a term at its root.
    at_root: HashMap<TermId, AtRoot>,
}

impl<'s, 'p> Rewriter<'s, 'p> {
    pub fn new(system: &'s mut System<'p>) -> Self {
        Self { system, at_root: HashMap::default() }
    }

    /// What rules make of a term at its root, in textual order.
    fn at_root(&mut self, term: TermId, work: &mut Work<'_>) -> Result<AtRoot, Stop> {
        if let Some(known) = self.at_root.get(&term) {
            return Ok(Rc::clone(known));
        }
        let System { terms, rules, by_symbol, .. } = &mut *self.system;
        let mut found = Vec::new();
        let of_symbol = terms.root(term).and_then(|symbol| by_symbol.get(&symbol));
        for &rule in of_symbol.into_iter().flatten() {
            let (left, right) = (rules[rule].left, rules[rule].right);
            work.spend(1)?;
            let mut by = HashMap::default();
            if terms.matches(left, term, &mut by) {
                work.spend(terms.size(left).saturating_add(terms.size(right)))?;
                found.push((rule, terms.substitute(right, &by)));
            }
        }
        let found: AtRoot = found.into();
        self.at_root.insert(term, Rc::clone(&found));
        Ok(found)
    }

    /// Rewrites a term innermost, rules in textual order, at most so often.
    pub fn normalise(&mut self, term: TermId, most: usize, work: &mut Work<'_>) -> Result<Normalised, Stop> {
        let mut done = Normalised { moves: Vec::new(), last: term, is_normal: false };
        while done.moves.len() < most && self.system.terms.size(done.last) <= LARGEST {
            let below = self.system.terms.below(done.last);
            work.spend(below.len())?;
            // Arguments come first: the first one to which a rule applies has none below it.
            let mut found = None;
            for at in below {
                if let Some(&(rule, result)) = self.at_root(at, work)?.first() {
                    found = Some((at, rule, result));
                    break;
                }
            }
            let Some((at, rule, result)) = found else {
                done.is_normal = true;
                return Ok(done);
            };
            let terms = &mut self.system.terms;
            let path = terms.path_to(done.last, at).unwrap_or_default();
            let result = terms.replace(done.last, &path, result);
            done.moves.push(Move { rule, path, result });
            done.last = result;
        }
        Ok(done)
    }

    /// All that one step makes of a term; `None` of a term that is too large.
    pub fn steps(&mut self, term: TermId, work: &mut Work<'_>) -> Result<Option<Vec<Move>>, Stop> {
        if self.system.terms.size(term) > LARGEST_OF_ALL {
            return Ok(None);
        }
        let places = self.system.terms.places(term);
        work.spend(places.len())?;
        let mut moves = Vec::new();
        for (number, place) in places.iter().enumerate() {
            for &(rule, result) in &*self.at_root(place.term, work)? {
                let path = path_of(&places, number);
                work.spend(1 + path.len())?;
                let result = self.system.terms.replace(term, &path, result);
                moves.push(Move { rule, path, result });
            }
        }
        Ok(Some(moves))
    }

    /// Steps as a reader wants them.
    pub fn shown(&self, moves: &[Move]) -> Vec<Step> {
        let step = |one: &Move| Step {
            rule: self.system.rules[one.rule].id,
            place: one.path.iter().map(|arg| arg + 1).collect(),
            result: self.system.text(one.result),
        };
        moves.iter().map(step).collect()
    }
}
