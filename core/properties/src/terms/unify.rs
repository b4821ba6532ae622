//! Unification: the most general terms for variables that make two terms equal, after J. A. Robinson, "A
//! Machine-Oriented Logic Based on the Resolution Principle", with bindings in triangular form.

use gchr_base::hash::{HashMap, HashSet};

use super::{Node, Substitution, TermId, Terms, VariableId};
use crate::work::{Stop, Work};

impl Terms {
    /// The most general unifier of two terms, if they have one.
    pub fn unify(
        &mut self,
        left: TermId,
        right: TermId,
        work: &mut Work<'_>,
    ) -> Result<Option<Substitution>, Stop> {
        let mut bound: Substitution = HashMap::default();
        let mut seen: HashSet<(TermId, TermId)> = HashSet::default();
        let mut todo = vec![(left, right)];
        while let Some((left, right)) = todo.pop() {
            work.spend(1)?;
            let (left, right) = (self.value(left, &bound), self.value(right, &bound));
            if left == right || !seen.insert((left, right)) {
                continue;
            }
            match (self.node(left), self.node(right)) {
                (&Node::Var(variable), _) => drop(bound.insert(variable, right)),
                (_, &Node::Var(variable)) => drop(bound.insert(variable, left)),
                (Node::App(f, a), Node::App(g, b)) if f == g => {
                    todo.extend(a.iter().copied().zip(b.iter().copied()));
                }
                _ => return Ok(None),
            }
        }
        self.solve(&bound, work)
    }

    /// What a variable is bound to, as far as that is a variable again.
    fn value(&self, mut term: TermId, bound: &Substitution) -> TermId {
        while let Node::Var(variable) = self.node(term)
            && let Some(&next) = bound.get(variable)
        {
            term = next;
        }
        term
    }

    /// The bindings with all variables replaced, unless a variable would stand for a term around itself.
    fn solve(&mut self, bound: &Substitution, work: &mut Work<'_>) -> Result<Option<Substitution>, Stop> {
        let mut solved: Substitution = HashMap::default();
        let mut open: HashSet<VariableId> = HashSet::default();
        let mut first: Vec<VariableId> = bound.keys().copied().collect();
        first.sort_unstable();
        for start in first {
            let mut todo = vec![start];
            while let Some(&variable) = todo.last() {
                if solved.contains_key(&variable) {
                    todo.pop();
                    continue;
                }
                let term = bound[&variable];
                let inner = self.variables_of(term);
                work.spend(1 + self.below(term).len())?;
                let waits = |v: &VariableId| bound.contains_key(v) && !solved.contains_key(v);
                let waiting: Vec<VariableId> = inner.into_iter().filter(waits).collect();
                if waiting.is_empty() {
                    let value = self.substitute(term, &solved);
                    solved.insert(variable, value);
                    open.remove(&variable);
                    todo.pop();
                } else if !open.insert(variable) || waiting.iter().any(|v| open.contains(v)) {
                    return Ok(None);
                } else {
                    todo.extend(waiting);
                }
            }
        }
        Ok(Some(solved))
    }
}
