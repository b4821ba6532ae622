//! Guards as cases: conjunctions of tests, no two of which hold at once.

use gchr_base::hash::HashSet;

use super::{Cannot, Goal, Work};
use crate::ast::{TermId, TermKind};

/// Most cases of one guard.
const MAX_CASES: usize = 64;

/// A case: what must hold, in order.
type Case = Vec<TermId>;

/// Tests and what holds where they do not.
const OPPOSITES: [(&str, &str); 6] =
    [("=:=", "=\\="), ("<", ">="), (">", "=<"), ("==", "\\=="), ("@<", "@>="), ("@>", "@=<")];

/// The same of tests of variables that have values.
const OPPOSITES_OF_VALUES: (&str, &str) = ("=", "\\=");

/// Kinds of ground terms, of which each has one, and the tests that some of them pass.
const KINDS: [&str; 5] = ["integer", "float", "atom", "string", "compound"];
const TESTS: [(&str, &[&str]); 4] = [
    ("number", &["integer", "float"]),
    ("atomic", &["integer", "float", "atom", "string"]),
    ("callable", &["atom", "compound"]),
    ("ground", &KINDS),
];

impl Work<'_> {
    /// The cases of a guard.
    pub(super) fn cases(&mut self, guard: &[Goal]) -> Result<Vec<Case>, Cannot> {
        self.work(1)?;
        let mut cases = vec![Vec::new()];
        for goal in guard {
            self.work(cases.len())?;
            let more = match goal {
                Goal::Plain(term) => {
                    cases.iter_mut().for_each(|case| case.push(*term));
                    continue;
                }
                Goal::Not(test) => self.opposites(test)?,
                Goal::Or(a, b) => {
                    let mut all = self.cases(a)?;
                    let (otherwise, b) = (self.opposites(a)?, self.cases(b)?);
                    all.extend(product(&otherwise, &b)?);
                    all
                }
                Goal::If(test, then, other) => {
                    let mut all = self.cases(&[test.as_slice(), then].concat())?;
                    let (otherwise, other) = (self.opposites(test)?, self.cases(other)?);
                    all.extend(product(&otherwise, &other)?);
                    all
                }
            };
            self.work(cases.iter().map(Vec::len).sum::<usize>() * more.len())?;
            cases = product(&cases, &more)?;
        }
        Ok(cases)
    }

    /// The cases in which a guard does not hold.
    fn opposites(&mut self, guard: &[Goal]) -> Result<Vec<Case>, Cannot> {
        self.work(1)?;
        let mut all = Vec::new();
        for (i, goal) in guard.iter().enumerate() {
            if all.len() > MAX_CASES {
                return Err(Cannot);
            }
            let before = self.cases(&guard[..i])?;
            let here = match goal {
                Goal::Plain(term) => self.opposite(*term)?,
                Goal::Not(test) => self.cases(test)?,
                Goal::Or(a, b) => product(&self.opposites(a)?, &self.opposites(b)?)?,
                Goal::If(test, then, other) => {
                    let mut here = product(&self.cases(test)?, &self.opposites(then)?)?;
                    here.extend(product(&self.opposites(test)?, &self.opposites(other)?)?);
                    here
                }
            };
            all.extend(product(&before, &here)?);
        }
        Ok(all)
    }

    /// The cases in which a test does not hold.
    fn opposite(&mut self, test: TermId) -> Result<Vec<Case>, Cannot> {
        let span = self.out.span(test);
        let Some((name, args)) = self.out.functor(test) else { return Err(Cannot) };
        let (name, args) = (name.to_string(), args.to_vec());
        let mut variables = HashSet::default();
        self.variables(test, &mut variables);
        let is_of_values = variables.is_subset(&self.bound);
        let mut with = |name: &str| vec![self.constraint(name.into(), args.clone(), span)];
        Ok(match args.len() {
            0 if name == "fail" || name == "false" => vec![Vec::new()],
            1 => {
                let passing = TESTS.iter().find(|(test, _)| *test == name).map(|(_, kinds)| *kinds);
                let own = KINDS.iter().find(|kind| **kind == name).map(std::slice::from_ref);
                let passing = passing.or(own).ok_or(Cannot)?;
                KINDS.iter().filter(|kind| !passing.contains(kind)).map(|kind| with(kind)).collect()
            }
            2 => {
                let pair = |(a, b): &(&'static str, &'static str)| {
                    if *a == name { Some(*b) } else { (*b == name).then_some(*a) }
                };
                let of_values = is_of_values.then_some(&OPPOSITES_OF_VALUES);
                vec![with(OPPOSITES.iter().chain(of_values).find_map(pair).ok_or(Cannot)?)]
            }
            _ => return Err(Cannot),
        })
    }

    /// The texts of tests that do not hold where one does.
    pub(super) fn excluded(&mut self, test: TermId) -> Vec<String> {
        let opposite = self.opposite(test).unwrap_or_default();
        let text = |case: &Case| if let [one] = case[..] { Some(self.out.term_text(one)) } else { None };
        opposite.iter().filter_map(text).collect()
    }

    /// Whether a term is a variable.
    pub(super) fn is_variable(&self, term: TermId) -> bool {
        matches!(self.out.kind(term), TermKind::Var(_))
    }
}

/// Each of some cases with each of others.
fn product(a: &[Case], b: &[Case]) -> Result<Vec<Case>, Cannot> {
    if a.len() * b.len() > MAX_CASES {
        return Err(Cannot);
    }
    Ok(a.iter().flat_map(|a| b.iter().map(move |b| [a.as_slice(), b].concat())).collect())
}
