//! Confluence of the rules without their order, by critical pairs: D. Knuth and P. Bendix, "Simple Word Problems in
//! Universal Algebras"; G. Huet, "Confluent Reductions: Abstract Properties and Applications to Term Rewriting
//! Systems".
//!
//! - No overlaps, and no variable twice on a left-hand side: confluent (orthogonal). The same where both ends of every
//!   overlap are one term (weakly orthogonal).
//! - Every overlap joins and rewriting ends: confluent, by M. Newman, "On Theories with a Combinatorial Definition of
//!   Equivalence".
//! - Two ends of an overlap lead to different normal forms, or all that comes from the one differs from all that comes
//!   from the other: not confluent.

mod join;
mod overlap;

use gchr_base::rule::{Program, RuleId};
use gchr_base::stop::StopReason;

use crate::Watch;
use crate::rewrite::{Rewriter, Step};
use crate::system::{Outside, System};
use crate::termination::{self, Termination};
use crate::work::Work;

use join::Joined;
use overlap::CriticalPair;

/// Steps that the search for overlaps may take.
const FINDING: u64 = 20_000_000;
/// Steps that one overlap may take.
const JOINING: u64 = 400_000;
/// Steps that all of them may take.
const ALL: u64 = 20_000_000;

/// The verdict on confluence, with what it rests on.
#[derive(Clone, PartialEq, Debug)]
pub struct Confluence {
    /// What is known.
    pub verdict: Verdict,
    /// Whether no left-hand side has a variable twice.
    pub left_linear: bool,
    /// All overlaps, or those that were found within the bounds.
    pub overlaps: Vec<Overlap>,
    /// Whether these are all.
    pub all_overlaps: bool,
    /// The proof that rewriting ends, where the verdict needed one.
    pub termination: Option<Termination>,
    /// Rules that are more than rules between terms: nothing is claimed then.
    pub outside: Vec<(RuleId, Outside)>,
}

/// What is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Any two ways to rewrite a term can be brought together again.
    Confluent(Reason),
    /// Some term has two results; the overlap at this position shows it.
    NotConfluent(usize),
    /// All overlaps join; whether that is enough is open, since it is not shown that rewriting ends.
    LocallyConfluent,
    /// Some overlap is not decided.
    Open,
    /// Some rules are more than rules between terms.
    NotCovered,
}

/// Why a system is confluent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Left-linear, without overlaps.
    Orthogonal,
    /// Left-linear, and both ends of each overlap are one term.
    WeaklyOrthogonal,
    /// All overlaps join, and rewriting ends.
    Terminating,
}

/// A term that two rules rewrite at overlapping places.
#[derive(Clone, PartialEq, Debug)]
pub struct Overlap {
    /// The term.
    pub peak: String,
    /// What the rule at the root makes of it.
    pub outer: Step,
    /// What the other rule makes of it.
    pub inner: Step,
    /// Whether both can be brought together.
    pub joining: Joining,
}

/// Whether the ends of an overlap can be brought together.
#[derive(Clone, PartialEq, Debug)]
pub enum Joining {
    /// They are one term.
    Equal,
    /// Both lead to one term.
    Joins {
        /// From the outer end.
        outer: Vec<Step>,
        /// From the inner end.
        inner: Vec<Step>,
    },
    /// They lead to different normal forms.
    Differs {
        /// From the outer end.
        outer: Side,
        /// From the inner end.
        inner: Side,
        /// A ground term with two normal forms, and these: the overlap with terms of constructors for its variables.
        ground: Option<[String; 3]>,
    },
    /// All that comes from the one end differs from all that comes from the other; so many terms each.
    Apart(usize, usize),
    /// Neither within the bounds.
    Open,
}

/// The way from an end of an overlap to a normal form.
#[derive(Clone, PartialEq, Debug)]
pub struct Side {
    /// The steps.
    pub steps: Vec<Step>,
    /// The normal form.
    pub normal: String,
}

/// Whether the rules of a term program are confluent, whatever their order. What is known of termination is looked for
/// where that decides.
pub fn confluence(program: &Program, watch: &Watch<'_>) -> Result<Confluence, StopReason> {
    let mut system = System::new(program);
    let left_linear = system.rules.iter().all(|rule| system.terms.is_linear(rule.left));
    let outside = system.outside();
    let mut result = Confluence {
        verdict: Verdict::NotCovered,
        left_linear,
        overlaps: Vec::new(),
        all_overlaps: false,
        termination: None,
        outside,
    };
    if !result.outside.is_empty() {
        return Ok(result);
    }
    let mut found = Vec::new();
    let mut work = Work::new(watch, FINDING);
    result.all_overlaps = work.part(FINDING, |work| overlap::find(&mut system, &mut found, work))?.is_some();
    let mut work = Work::new(watch, ALL);
    for pair in &found {
        let overlap = look_at(&mut system, pair, &mut work)?;
        result.overlaps.push(overlap);
    }
    result.verdict = result.verdict_of_overlaps();
    if result.verdict == Verdict::LocallyConfluent {
        let shown = termination::termination(program, watch)?;
        if shown.is_shown() {
            result.verdict = Verdict::Confluent(Reason::Terminating);
        }
        result.termination = Some(shown);
    }
    Ok(result)
}

impl Confluence {
    /// What follows from the overlaps alone.
    fn verdict_of_overlaps(&self) -> Verdict {
        let differs = |joining: &Joining| matches!(joining, Joining::Differs { .. } | Joining::Apart(..));
        if let Some(at) = self.overlaps.iter().position(|overlap| differs(&overlap.joining)) {
            return Verdict::NotConfluent(at);
        }
        if !self.all_overlaps {
            return Verdict::Open;
        }
        if self.left_linear && self.overlaps.is_empty() {
            return Verdict::Confluent(Reason::Orthogonal);
        }
        if self.left_linear && self.overlaps.iter().all(|overlap| overlap.joining == Joining::Equal) {
            return Verdict::Confluent(Reason::WeaklyOrthogonal);
        }
        if self.overlaps.iter().any(|overlap| overlap.joining == Joining::Open) {
            return Verdict::Open;
        }
        Verdict::LocallyConfluent
    }

    /// Whether confluence is shown.
    pub fn is_shown(&self) -> bool {
        matches!(self.verdict, Verdict::Confluent(_))
    }
}

fn look_at(system: &mut System<'_>, pair: &CriticalPair, work: &mut Work<'_>) -> Result<Overlap, StopReason> {
    let mut rewriter = Rewriter::new(system);
    let mut joined =
        work.part(JOINING, |work| join::join(&mut rewriter, pair, work))?.unwrap_or(Joined::Open);
    let mut ground = None;
    if let Joined::Differs(..) = joined {
        ground = work.part(JOINING, |work| join::ground_witness(&mut rewriter, pair, work))?.flatten();
    }
    let shown = rewriter.shown(&[pair.outer.clone(), pair.inner.clone()]);
    let [outer, inner] = <[Step; 2]>::try_from(shown).unwrap_or_else(|_| unreachable!("two steps are shown"));
    let joining = match &mut joined {
        Joined::Equal => Joining::Equal,
        Joined::Joins(outer, inner) => {
            Joining::Joins { outer: rewriter.shown(outer), inner: rewriter.shown(inner) }
        }
        Joined::Differs(outer, inner) => {
            let side = |side: &crate::rewrite::Normalised| Side {
                steps: rewriter.shown(&side.moves),
                normal: rewriter.system.text(side.last),
            };
            Joining::Differs { outer: side(outer), inner: side(inner), ground }
        }
        Joined::Apart(outer, inner) => Joining::Apart(*outer, *inner),
        Joined::Open => Joining::Open,
    };
    Ok(Overlap { peak: rewriter.system.text(pair.peak), outer, inner, joining })
}
