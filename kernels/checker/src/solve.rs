//! Refutation: whether facts over integers contradict each other. A positive answer is always right; a negative one
//! decides nothing.
//!
//! Besides linear arithmetic there is one rule for products: if `f * q + r = 0` and `|r| < f`, then `q = 0` and `r =
//! 0`. It splits strided indices, `threadIdx.x + blockDim.x * (blockIdx.x + gridDim.x * k)`, as digits of a number with
//! mixed radix.

use std::sync::Arc;

use gchr_base::hash::HashSet;

use super::linear::infeasible;
use super::poly::{Mono, Poly};
use super::symbol::Cond;

/// Rounds of simplification.
const MAX_ROUNDS: usize = 64;
/// Products of two facts that are added.
const MAX_PRODUCTS: usize = 48;

/// Facts that hold together.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Facts {
    equal: Vec<Poly>,
    at_least_zero: Vec<Poly>,
    not_zero: Vec<Poly>,
    one_of: Vec<Arc<[Cond]>>,
    contradiction: bool,
}

impl Facts {
    pub fn add(&mut self, cond: Cond) {
        match cond {
            Cond::Const(true) => {}
            Cond::Const(false) => self.contradiction = true,
            Cond::Ge(p) => self.at_least_zero.push(p),
            Cond::Eq(p) => self.equal.push(p),
            Cond::Ne(p) => self.not_zero.push(p),
            Cond::And(all) => all.iter().for_each(|c| self.add(c.clone())),
            Cond::Or(all) => self.one_of.push(all),
        }
    }

    /// The same facts with variables numbered from 0 in the order of their numbers, so that facts that differ in names
    /// only are mostly equal. `others` are renamed likewise.
    pub fn renumbered(&self, others: [&Poly; 2]) -> (Facts, [Poly; 2]) {
        let mut names: Vec<u32> = others.iter().flat_map(|p| p.vars()).collect();
        self.each(&mut |p| names.extend(p.vars()));
        names.sort_unstable();
        names.dedup();
        let rename = |p: &Poly| p.rename(|var| names.partition_point(|&name| name < var) as u32);
        let all = |list: &[Poly]| list.iter().map(rename).collect();
        let facts = Facts {
            equal: all(&self.equal),
            at_least_zero: all(&self.at_least_zero),
            not_zero: all(&self.not_zero),
            one_of: self
                .one_of
                .iter()
                .map(|all| all.iter().map(|c| c.map(&mut { rename })).collect())
                .collect(),
            contradiction: self.contradiction,
        };
        (facts, others.map(rename))
    }

    fn each(&self, visit: &mut impl FnMut(&Poly)) {
        [&self.equal, &self.at_least_zero, &self.not_zero].into_iter().flatten().for_each(&mut *visit);
        self.one_of.iter().flat_map(|all| all.iter()).for_each(|c| c.polys(visit));
    }

    /// Drops what is said twice.
    pub fn dedup(&mut self) {
        let mut seen: HashSet<Poly> = HashSet::default();
        for list in [&mut self.equal, &mut self.at_least_zero, &mut self.not_zero] {
            seen.clear();
            list.retain(|p| seen.insert(p.clone()));
        }
        let mut seen: HashSet<Arc<[Cond]>> = HashSet::default();
        self.one_of.retain(|all| seen.insert(all.clone()));
    }

    /// Whether the facts contradict each other, found out within so many cases.
    #[cfg(test)]
    pub fn refute(self, mut cases: usize) -> bool {
        self.refute_in(&mut cases)
    }

    /// Whether the facts contradict that two numbers differ, found out within so many cases for either order of the
    /// two. When the facts say the same of both numbers, one order is enough.
    pub fn refute_difference(mut self, one: &Poly, other: &Poly, symmetric: bool, cases: usize) -> bool {
        let less = |low: &Poly, high: &Poly| {
            let less = high.minus(low).and_then(|p| p.plus(&Poly::constant(-1), 1));
            less.map_or(Cond::Const(true), Cond::Ge)
        };
        // What follows in either order is found out once.
        self.one_of.push(Arc::from([less(one, other), less(other, one)]));
        if self.simplify() {
            return true;
        }
        let orders = self.one_of.pop().unwrap_or_default();
        orders.iter().take(if symmetric { 1 } else { 2 }).all(|order| {
            if let Cond::Ge(p) = order
                && p.as_constant().is_some_and(|n| n < 0)
            {
                return true;
            }
            let mut facts = self.clone();
            facts.add(order.clone());
            facts.refute_in(&mut { cases })
        })
    }

    fn refute_in(mut self, cases: &mut usize) -> bool {
        if *cases == 0 {
            return false;
        }
        *cases -= 1;
        if self.simplify() {
            return true;
        }
        self.prune();
        if infeasible(self.with_products().iter()) {
            return true;
        }
        if let Some(alternatives) = self.choice() {
            return self.either(&alternatives, cases);
        }
        let Some(p) = self.not_zero.pop() else { return false };
        let minus_one = Poly::constant(-1);
        let (Some(above), Some(below)) = (p.plus(&minus_one, 1), minus_one.minus(&p)) else { return false };
        self.either(&[Cond::Ge(above), Cond::Ge(below)], cases)
    }

    /// Drops inequalities that can always be satisfied, because one of their variables is unbounded on the other side.
    fn prune(&mut self) {
        let mut elsewhere = VarSet::default();
        self.equal.iter().chain(&self.not_zero).for_each(|p| elsewhere.take(p));
        self.one_of.iter().flat_map(|all| all.iter()).for_each(|c| c.polys(&mut |p| elsewhere.take(p)));
        for _ in 0..MAX_ROUNDS {
            let [mut below, mut above] = [elsewhere.clone(), elsewhere.clone()];
            for (mono, n) in self.at_least_zero.iter().flat_map(|p| p.terms()) {
                let linear = mono.degree() == 1;
                for var in mono.vars() {
                    if !linear || *n > 0 {
                        below.put(var);
                    }
                    if !linear || *n < 0 {
                        above.put(var);
                    }
                }
            }
            let before = self.at_least_zero.len();
            self.at_least_zero.retain(|p| p.vars().all(|v| below.has(v) && above.has(v)));
            if self.at_least_zero.len() == before {
                break;
            }
        }
    }

    /// Removes and returns a disjunction that shares variables with the inequalities; drops those that share none.
    fn choice(&mut self) -> Option<Arc<[Cond]>> {
        let mut vars = VarSet::default();
        self.equal.iter().chain(&self.at_least_zero).for_each(|p| vars.take(p));
        self.not_zero.retain(|p| p.vars().all(|v| vars.has(v)));
        // Facts about the two indices come first, facts about the symbols that they are computed from later.
        while !self.one_of.is_empty() {
            let alternatives = self.one_of.remove(0);
            let mut near = true;
            for cond in alternatives.iter() {
                cond.polys(&mut |p| near &= p.vars().any(|v| vars.has(v)));
            }
            if near {
                return Some(alternatives);
            }
        }
        None
    }

    fn either(&self, alternatives: &[Cond], cases: &mut usize) -> bool {
        alternatives.iter().all(|cond| {
            let mut facts = self.clone();
            facts.add(cond.clone());
            facts.refute_in(cases)
        })
    }

    /// Eliminates variables by the equalities; returns whether there is a contradiction.
    fn simplify(&mut self) -> bool {
        // Equalities that substitution would spoil are split first.
        for at in (0..self.equal.len()).rev() {
            self.split_equality(at);
        }
        for _ in 0..MAX_ROUNDS {
            if self.contradiction || self.constants() {
                return true;
            }
            match self.unit() {
                Some((at, var, value)) => {
                    if !self.split_equality(at) {
                        self.equal.swap_remove(at);
                        self.replace(var, &value);
                    }
                }
                None if (0..self.equal.len()).any(|at| self.split_equality(at)) => {}
                None => break,
            }
        }
        self.contradiction || self.constants()
    }

    /// Drops facts about constants; says whether one of them is false.
    fn constants(&mut self) -> bool {
        let mut wrong = false;
        self.equal.retain(|p| match p.as_constant() {
            Some(n) => {
                wrong |= n != 0;
                false
            }
            None => {
                let content = p.content();
                wrong |= content > 1 && p.constant_part() % content != 0;
                true
            }
        });
        self.at_least_zero.retain(|p| {
            p.as_constant().is_none_or(|n| {
                wrong |= n < 0;
                false
            })
        });
        self.not_zero.retain(|p| {
            p.as_constant().is_none_or(|n| {
                wrong |= n == 0;
                false
            })
        });
        wrong
    }

    /// Replaces an equality by simpler ones.
    fn split_equality(&mut self, at: usize) -> bool {
        let parts = self.digits(&self.equal[at]).or_else(|| self.factor(&self.equal[at]));
        let Some(parts) = parts else { return false };
        self.equal.swap_remove(at);
        self.equal.extend(parts);
        true
    }

    /// `f * q + r = 0` with `|r| < f`.
    fn digits(&self, equality: &Poly) -> Option<Vec<Poly>> {
        let mut factors: Vec<i128> = equality.terms().iter().map(|t| t.1.abs()).filter(|&n| n > 1).collect();
        factors.sort_unstable();
        factors.dedup();
        for factor in factors {
            let (quotient, rest) = equality.split(factor);
            for by in [0, 1] {
                let quotient = quotient.plus(&Poly::constant(by), 1)?;
                let rest = rest.plus(&Poly::constant(-factor * by), 1)?;
                let trivial = quotient.as_constant().is_some() || rest.is_zero();
                if !trivial && self.is_below(&rest, &Poly::constant(factor)) {
                    return Some(vec![quotient, rest]);
                }
            }
        }
        let vars: HashSet<u32> =
            equality.terms().iter().filter(|t| t.0.degree() > 1).flat_map(|t| t.0.vars()).collect();
        let mut vars: Vec<u32> = vars.into_iter().collect();
        vars.sort_unstable();
        for var in vars {
            let (quotient, rest) = equality.split_var(var);
            let content = super::poly::gcd(quotient.content(), quotient.constant_part());
            if content == 0 || rest.is_zero() {
                continue;
            }
            if self.is_below(&rest, &Poly::var(var).scaled(content)?) {
                return Some(vec![quotient, rest]);
            }
        }
        None
    }

    /// `f * q = 0` with `f > 0`.
    fn factor(&self, equality: &Poly) -> Option<Vec<Poly>> {
        let vars: HashSet<u32> = equality.vars().collect();
        let mut vars: Vec<u32> = vars.into_iter().collect();
        vars.sort_unstable();
        let divides = |var: u32| {
            let (quotient, rest) = equality.split_var(var);
            let positive = || Poly::var(var).scaled(-1).is_some_and(|p| self.excludes(p));
            (rest.is_zero() && positive()).then(|| vec![quotient])
        };
        vars.into_iter().find_map(divides)
    }

    /// Whether `|poly| < bound`.
    fn is_below(&self, poly: &Poly, bound: &Poly) -> bool {
        let beyond = |sign| poly.scaled(sign).and_then(|p| p.minus(bound));
        [1, -1].into_iter().all(|sign| beyond(sign).is_some_and(|p| self.excludes(p)))
    }

    /// Whether `poly >= 0` contradicts the inequalities.
    fn excludes(&self, poly: Poly) -> bool {
        self.opposes(&poly) && infeasible(self.near(&poly).into_iter().chain([&poly]))
    }

    /// Whether each product in it has the other sign in some inequality: if not, nothing bounds the polynomial.
    fn opposes(&self, poly: &Poly) -> bool {
        poly.terms().iter().filter(|t| t.0 != Mono::ONE).all(|&(mono, n)| {
            let opposed = |t: &(Mono, i128)| t.0 == mono && (t.1 < 0) != (n < 0);
            self.at_least_zero.iter().any(|p| p.terms().iter().any(opposed))
        })
    }

    /// The inequalities that have to do with a polynomial.
    fn near(&self, poly: &Poly) -> Vec<&Poly> {
        let mut vars = VarSet::default();
        vars.take(poly);
        let mut out = Vec::new();
        let mut rest: Vec<&Poly> = self.at_least_zero.iter().collect();
        for _ in 0..3 {
            let from = out.len();
            rest.retain(|&p| {
                let far = !p.vars().any(|v| vars.has(v));
                if !far {
                    out.push(p);
                }
                far
            });
            out[from..].iter().for_each(|p| vars.take(p));
        }
        out
    }

    /// An equality that gives the value of a variable.
    fn unit(&self) -> Option<(usize, u32, Poly)> {
        let value = |(at, equality): (usize, &Poly)| {
            let unit = |t: &&(Mono, i128)| {
                let once = |v: u32| equality.vars().filter(|&w| w == v).count() == 1;
                t.1.abs() == 1 && t.0.degree() == 1 && t.0.vars().all(once)
            };
            // The newest variable: older ones stand for what newer ones are computed from.
            let &(mono, n) = equality.terms().iter().rfind(unit)?;
            let var = mono.vars().next()?;
            let value = equality.plus(&Poly::var(var), -n)?.scaled(-n)?;
            Some((at, var, value))
        };
        self.equal.iter().enumerate().find_map(value)
    }

    /// Puts the value of a variable in its place everywhere.
    fn replace(&mut self, var: u32, value: &Poly) {
        let facts = [&mut self.equal, &mut self.at_least_zero, &mut self.not_zero];
        for list in facts {
            // A fact that grows too long is dropped, which leaves less to refute with.
            list.retain_mut(|p| {
                if !p.has(var) {
                    return true;
                }
                let new = p.substitute(var, value);
                new.map(|new| *p = new).is_some()
            });
        }
        for alternatives in &mut self.one_of {
            let mut found = false;
            alternatives.iter().for_each(|c| c.polys(&mut |p| found |= p.has(var)));
            if !found {
                continue;
            }
            let mut lost = false;
            let mut put = |p: &Poly| {
                p.substitute(var, value).unwrap_or_else(|| {
                    lost = true;
                    Poly::zero()
                })
            };
            let new: Arc<[Cond]> = alternatives.iter().map(|c| c.map(&mut put)).collect();
            *alternatives = if lost { Arc::from([Cond::Const(true)]) } else { new };
        }
    }

    /// The inequalities, with products of those that meet in a product.
    fn with_products(&self) -> Vec<Poly> {
        let mut all = self.at_least_zero.clone();
        for equality in &self.equal {
            all.push(equality.clone());
            all.extend(equality.scaled(-1));
        }
        let pairs: HashSet<(u32, u32)> = all
            .iter()
            .flat_map(|p| p.terms())
            .filter(|t| t.0.degree() == 2)
            .filter_map(|t| {
                let mut vars = t.0.vars();
                Some((vars.next()?, vars.next()?))
            })
            .collect();
        let mut pairs: Vec<(u32, u32)> = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut products = Vec::new();
        for (var, factor) in pairs {
            let bounds = |p: &&Poly| p.terms().iter().all(|t| t.0.degree() <= 1);
            let lower: Vec<&Poly> = self
                .at_least_zero
                .iter()
                .filter(bounds)
                .filter(|p| {
                    p.content() == 1 && p.vars().eq([factor]) && p.split_var(factor).0 == Poly::constant(1)
                })
                .collect();
            let about = self
                .at_least_zero
                .iter()
                .filter(bounds)
                .filter(|p| p.terms().len() <= 4 && p.vars().any(|v| v == var));
            for fact in about {
                products.extend(lower.iter().filter_map(|low| fact.times(low)));
            }
            if products.len() > MAX_PRODUCTS {
                break;
            }
        }
        all.extend(products);
        all
    }
}

/// Variables with small numbers.
#[derive(Clone, Default)]
struct VarSet(Vec<u64>);

impl VarSet {
    fn put(&mut self, var: u32) {
        let word = var as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (var % 64);
    }
    fn take(&mut self, poly: &Poly) {
        poly.vars().for_each(|var| self.put(var));
    }
    fn has(&self, var: u32) -> bool {
        self.0.get(var as usize / 64).is_some_and(|word| word >> (var % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::linear;

    fn sum(terms: &[(u32, i128)], constant: i128) -> Poly {
        terms.iter().fold(Poly::constant(constant), |p, &(v, n)| p.plus(&Poly::var(v), n).unwrap())
    }

    /// Threads `t` of blocks of `n`, blocks `b` of grids of `m`, iterations `k`: `t + n * (b + m * k)`.
    fn strided(t: u32, b: u32, k: u32) -> Poly {
        let (n, m) = (Poly::var(0), Poly::var(1));
        let blocks = Poly::var(b).plus(&Poly::var(k).times(&m).unwrap(), 1).unwrap();
        Poly::var(t).plus(&blocks.times(&n).unwrap(), 1).unwrap()
    }

    #[test]
    fn strided_indices_are_disjoint() {
        let mut facts = Facts::default();
        for (t, b, k) in [(2, 3, 4), (5, 6, 7)] {
            for (low, high) in [(t, 0), (b, 1)] {
                facts.add(Cond::Ge(sum(&[(low, 1)], 0)));
                facts.add(Cond::Ge(sum(&[(high, 1), (low, -1)], -1)));
            }
            facts.add(Cond::Ge(sum(&[(k, 1)], 0)));
        }
        facts.add(Cond::Eq(strided(2, 3, 4).minus(&strided(5, 6, 7)).unwrap()));
        assert!(!facts.clone().refute(64));
        facts.add(Cond::Ne(sum(&[(2, 1), (5, -1)], 0)));
        assert!(facts.refute(64));
    }

    #[test]
    fn shares_of_blocks_are_disjoint() {
        // b * s <= i < (b + 1) * s, for two blocks b < c.
        let (s, b, c, i) = (0, 1, 2, 3);
        let times = |x: u32| Poly::var(x).times(&Poly::var(s)).unwrap();
        let mut facts = Facts::default();
        facts.add(Cond::Ge(Poly::var(s)));
        facts.add(Cond::Ge(sum(&[(b, 1)], 0)));
        for block in [b, c] {
            facts.add(Cond::Ge(linear(&[(&Poly::var(i), 1), (&times(block), -1)], 0)));
            facts.add(Cond::Ge(linear(&[(&times(block), 1), (&Poly::var(s), 1), (&Poly::var(i), -1)], -1)));
        }
        assert!(!facts.clone().refute(64));
        facts.add(Cond::Ge(sum(&[(c, 1), (b, -1)], -1)));
        assert!(facts.refute(64));
    }
}
