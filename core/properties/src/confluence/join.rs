//! Whether the two ends of a critical pair can be brought together.

use gchr_base::cases::Values;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::rule::Const;
use gchr_base::signature::{Signature, SortId, SortKind, SymbolId};

use super::overlap::CriticalPair;
use crate::rewrite::{Move, Normalised, Rewriter};
use crate::terms::{Node, Substitution, TermId, Terms, VariableId};
use crate::work::{Stop, Work};

/// Most steps from an end to its normal form.
const MOST_STEPS: usize = 300;
/// Most terms that come from an end.
const MOST_TERMS: usize = 300;

/// What became of the ends.
pub(super) enum Joined {
    Equal,
    /// Ways from the outer and from the inner end to one term.
    Joins(Vec<Move>, Vec<Move>),
    /// Different normal forms.
    Differs(Normalised, Normalised),
    /// All that comes from the ends, so many terms, and none of both.
    Apart(usize, usize),
    Open,
}

/// Looks at normal forms first, then at all that comes from both ends.
pub(super) fn join(
    rewriter: &mut Rewriter<'_, '_>,
    pair: &CriticalPair,
    work: &mut Work<'_>,
) -> Result<Joined, Stop> {
    let (outer, inner) = (pair.outer.result, pair.inner.result);
    if outer == inner {
        return Ok(Joined::Equal);
    }
    let left = rewriter.normalise(outer, MOST_STEPS, work)?;
    let right = rewriter.normalise(inner, MOST_STEPS, work)?;
    if left.last == right.last {
        return Ok(Joined::Joins(left.moves, right.moves));
    }
    if left.is_normal && right.is_normal {
        return Ok(Joined::Differs(left, right));
    }
    let mut sides = [Reached::new(outer), Reached::new(inner)];
    // The ends take turns, so that one without end does not keep the other from a short way.
    while sides.iter().any(|side| !side.is_done()) {
        for (one, other) in [(0, 1), (1, 0)] {
            let Some(new) = sides[one].grow(rewriter, work)? else { continue };
            if let Some(&common) = new.iter().find(|term| sides[other].came.contains_key(*term)) {
                return Ok(Joined::Joins(sides[0].way(common), sides[1].way(common)));
            }
        }
    }
    Ok(match &sides {
        [a, b] if a.is_complete && b.is_complete => Joined::Apart(a.order.len(), b.order.len()),
        _ => Joined::Open,
    })
}

/// The terms that come from a term.
struct Reached {
    /// In the order in which they were found.
    order: Vec<TermId>,
    /// The term before each of them, and the step.
    came: HashMap<TermId, Option<(TermId, Move)>>,
    /// How many of them have been rewritten.
    seen: usize,
    /// Whether nothing was left out.
    is_complete: bool,
}

impl Reached {
    fn new(start: TermId) -> Self {
        let mut came = HashMap::default();
        came.insert(start, None);
        Self { order: vec![start], came, seen: 0, is_complete: true }
    }

    fn is_done(&self) -> bool {
        self.seen == self.order.len()
    }

    /// Rewrites the next term in all ways; what is new, with the first term itself at the beginning.
    fn grow(
        &mut self,
        rewriter: &mut Rewriter<'_, '_>,
        work: &mut Work<'_>,
    ) -> Result<Option<Vec<TermId>>, Stop> {
        let Some(&term) = self.order.get(self.seen) else { return Ok(None) };
        let mut new = if self.seen == 0 { vec![term] } else { Vec::new() };
        self.seen += 1;
        let Some(moves) = rewriter.steps(term, work)? else {
            self.is_complete = false;
            return Ok(Some(new));
        };
        for step in moves {
            let result = step.result;
            if self.came.contains_key(&result) {
                continue;
            }
            if self.order.len() == MOST_TERMS {
                self.is_complete = false;
                break;
            }
            self.came.insert(result, Some((term, step)));
            self.order.push(result);
            new.push(result);
        }
        Ok(Some(new))
    }

    /// The steps to a term.
    fn way(&self, mut term: TermId) -> Vec<Move> {
        let mut moves = Vec::new();
        while let Some(Some((before, step))) = self.came.get(&term) {
            moves.push(step.clone());
            term = *before;
        }
        moves.reverse();
        moves
    }
}

/// A ground term with two normal forms: the peak of a pair whose ends lead to different normal forms, with small terms
/// of constructors for its variables.
pub(super) fn ground_witness(
    rewriter: &mut Rewriter<'_, '_>,
    pair: &CriticalPair,
    work: &mut Work<'_>,
) -> Result<Option<[String; 3]>, Stop> {
    let signature = &rewriter.system.program.signature;
    let small = small_terms(signature, &mut rewriter.system.terms);
    let sorts = sorts_of(signature, &rewriter.system.terms, pair.peak);
    let variables = rewriter.system.terms.variables_of(pair.peak);
    // The same small term for all variables of a sort, then others for later ones.
    for attempt in 0..4_usize {
        let mut by: Substitution = HashMap::default();
        for (number, variable) in variables.iter().enumerate() {
            let Some(terms) = sorts.get(variable).map(|sort| &small[*sort]) else { return Ok(None) };
            let at = match attempt {
                0 => 0,
                1 => number,
                2 => 1,
                _ => number + 1,
            };
            let Some(&term) = terms.get(at % terms.len().max(1)) else { return Ok(None) };
            by.insert(*variable, term);
        }
        let terms = &mut rewriter.system.terms;
        let [peak, outer, inner] =
            [pair.peak, pair.outer.result, pair.inner.result].map(|term| terms.substitute(term, &by));
        let outer = rewriter.normalise(outer, MOST_STEPS, work)?;
        let inner = rewriter.normalise(inner, MOST_STEPS, work)?;
        if outer.is_normal && inner.is_normal && outer.last != inner.last {
            return Ok(Some([peak, outer.last, inner.last].map(|term| rewriter.system.text(term))));
        }
    }
    Ok(None)
}

/// The sorts of the variables of an application.
fn sorts_of(signature: &Signature, terms: &Terms, term: TermId) -> HashMap<VariableId, SortId> {
    let mut sorts = HashMap::default();
    for at in terms.below(term) {
        let Node::App(symbol, args) = terms.node(at) else { continue };
        for (arg, &sort) in args.iter().zip(&signature.symbols[*symbol].args) {
            if let &Node::Var(variable) = terms.node(*arg) {
                sorts.insert(variable, sort);
            }
        }
    }
    sorts
}

/// Up to three small ground terms of constructors, by sort.
fn small_terms(signature: &Signature, terms: &mut Terms) -> IdVec<SortId, Vec<TermId>> {
    const WANTED: usize = 3;
    let values = Values::inhabited(signature);
    let mut small: IdVec<SortId, Vec<TermId>> = IdVec::new();
    for sort in &signature.sorts {
        small.push(match sort.kind {
            SortKind::Int => [0, 1, 2].map(|n| terms.constant(Const::Int(n))).to_vec(),
            SortKind::Float => [0.0, 1.0, 2.0].map(|x| terms.constant(Const::Float(x))).to_vec(),
            _ => Vec::new(),
        });
    }
    let heads: Vec<SymbolId> = signature.symbols.ids().filter(|&symbol| values.is_head(symbol)).collect();
    // Each turn that changes something adds a term, of which there are few.
    let mut changed = true;
    while changed {
        changed = false;
        for &symbol in &heads {
            let declared = &signature.symbols[symbol];
            for at in 0..WANTED {
                let arg = |sort: &SortId| {
                    let known = &small[*sort];
                    known.get(at.min(known.len().checked_sub(1)?)).copied()
                };
                let Some(args) = declared.args.iter().map(arg).collect::<Option<Box<[TermId]>>>() else {
                    break;
                };
                let term = terms.app(symbol, args);
                let of_sort = &mut small[declared.result];
                if of_sort.len() < WANTED && !of_sort.contains(&term) {
                    of_sort.push(term);
                    changed = true;
                }
            }
        }
    }
    small
}
