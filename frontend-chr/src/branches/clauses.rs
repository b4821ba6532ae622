//! Clauses of Prolog in place of the calls of their predicates.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::source::Span;

use super::{Cannot, Goal, MAX_RULES, Values, Work};
use crate::ast::{ClauseKind, Module, TermId, TermKind};
use crate::builtin;
use crate::declare::Declarations;
use crate::directives::{self, Directive, Property};

/// Name and number of arguments.
type Key = (String, usize);

/// The predicates of a program that do no more than their clauses say, which do not change, with head and body of each
/// clause.
pub(super) struct Predicates(HashMap<Key, Vec<(TermId, Option<TermId>)>>);

impl Predicates {
    pub fn of(ast: &Module, declarations: &Declarations) -> Self {
        let (mut all, mut special) = (HashMap::default(), HashSet::default());
        for clause in &ast.clauses {
            match clause.kind {
                ClauseKind::Prolog(term) => {
                    let (head, body) = match ast.functor(term) {
                        Some((":-", &[head, body])) => (head, Some(body)),
                        Some(("-->" | "=>", _)) => continue,
                        _ => (term, None),
                    };
                    let Some((name, args)) = ast.functor(head) else { continue };
                    let key = (name.to_string(), args.len());
                    let own = !builtin::is_protected(name, args.len()) && declarations.clauses.contains(&key);
                    if own && declarations.constraint(name, args.len()).is_none() {
                        all.entry(key).or_insert_with(Vec::new).push((head, body));
                    }
                }
                ClauseKind::Directive(term) => {
                    for (directive, args) in directives::parts(ast, term) {
                        if matches!(directive, Directive::Predicates(property) if property != Property::Scattered)
                        {
                            let named = directives::subjects(ast, args).into_iter();
                            special.extend(named.map(|named| (named.name.to_string(), named.arity)));
                        }
                    }
                }
                _ => {}
            }
        }
        all.retain(|key, _| !special.contains(key));
        Self(all)
    }

    pub fn is_defined(&self, name: &str, arity: usize) -> bool {
        self.0.contains_key(&(name.to_string(), arity))
    }

    /// Leaves out the clauses of predicates that nothing calls any more.
    pub fn leave_out(&self, out: &mut Module) {
        let mut called = HashSet::default();
        let mut pending: Vec<TermId> = Vec::new();
        for clause in &out.clauses {
            match &clause.kind {
                ClauseKind::Rule(rule) => pending.extend(rule.guard.iter().chain(&rule.body)),
                ClauseKind::Query(goals) => pending.extend(goals),
                ClauseKind::Directive(term) => pending.push(*term),
                ClauseKind::Prolog(_) => {}
            }
        }
        while let Some(id) = pending.pop() {
            match out.kind(id) {
                TermKind::Atom(name) => drop(called.insert((name.clone(), 0))),
                TermKind::Compound { name, args } => {
                    called.insert((name.clone(), args.len()));
                    pending.extend(args);
                }
                TermKind::List { items, tail } => pending.extend(items.iter().chain(tail)),
                _ => {}
            }
        }
        let clauses = std::mem::take(&mut out.clauses);
        out.clauses = clauses
            .into_iter()
            .filter(|clause| match clause.kind {
                ClauseKind::Prolog(term) => {
                    let head = out.binary(term, ":-").map_or(term, |(head, _)| head);
                    let key = out.functor(head).map(|(name, args)| (name.to_string(), args.len()));
                    key.is_none_or(|key| !self.0.contains_key(&key) || called.contains(&key))
                }
                _ => true,
            })
            .collect();
    }
}

/// A clause for one call.
struct Chosen {
    /// Unifications with the arguments of the call, for arguments that are no new variables.
    heads: Vec<TermId>,
    /// What stands before the first cut, or all.
    test: Vec<Goal>,
    /// What stands behind it.
    then: Option<Vec<Goal>>,
    fits: Fits,
}

/// When a clause fits a call, as far as that tells it from others.
struct Fits {
    /// By argument: name and number of arguments of the term that stands there, unless it is a variable.
    functors: Vec<Option<String>>,
    /// Texts of the tests at its beginning, and of those that exclude one of them.
    tests: Vec<String>,
    excluded: Vec<String>,
}

impl Fits {
    /// Whether two clauses never fit the same call.
    fn excludes(&self, other: &Self) -> bool {
        let differ = |(a, b): (&Option<String>, &Option<String>)| a.is_some() && b.is_some() && a != b;
        self.functors.iter().zip(&other.functors).any(differ)
            || self.excluded.iter().any(|test| other.tests.contains(test))
    }
}

/// The clauses behind one, by argument.
#[derive(Default)]
struct Later(Vec<AtArgument>);

/// Clauses by what stands at an argument.
#[derive(Default)]
struct AtArgument {
    by_functor: HashMap<String, Vec<usize>>,
    variables: Vec<usize>,
}

impl AtArgument {
    /// Those that the argument of another clause does not exclude; `None`: it excludes none.
    fn candidates(&self, functor: Option<&String>) -> Option<Vec<usize>> {
        let same = self.by_functor.get(functor?);
        Some(same.into_iter().flatten().chain(&self.variables).copied().collect())
    }
}

impl Later {
    fn add(&mut self, clause: usize, fits: &Fits) {
        self.0.resize_with(fits.functors.len(), Default::default);
        for (functor, at) in fits.functors.iter().zip(&mut self.0) {
            match functor {
                Some(functor) => at.by_functor.entry(functor.clone()).or_default().push(clause),
                None => at.variables.push(clause),
            }
        }
    }

    /// Those that may fit the same calls: as the argument that leaves fewest has it; `None`: all.
    fn candidates(&self, fits: &Fits) -> Option<Vec<usize>> {
        let arguments = fits.functors.iter().zip(&self.0);
        arguments.filter_map(|(functor, at)| at.candidates(functor.as_ref())).min_by_key(Vec::len)
    }
}

impl Work<'_> {
    /// What a call does.
    pub(super) fn call(
        &mut self,
        args: &[TermId],
        span: Span,
        calls: &mut Vec<(String, usize)>,
    ) -> Result<Vec<Goal>, Cannot> {
        let Some(clauses) = calls.last().and_then(|key| self.predicates.0.get(key)) else {
            return Err(Cannot);
        };
        // Each clause would become a rule at least.
        if clauses.len() > MAX_RULES {
            return Err(Cannot);
        }
        let mut chosen = Vec::new();
        for &(head, body) in clauses {
            chosen.push(self.clause(head, body, args, calls)?);
        }
        let mut later = Later::default();
        let fail = Goal::Plain(self.term(TermKind::Atom("fail".into()), span));
        let mut rest = vec![fail];
        for i in (0..chosen.len()).rev() {
            let heads = || chosen[i].heads.iter().map(|&term| Goal::Plain(term));
            let own = self.copy_of(&chosen[i].test)?;
            let test: Vec<Goal> = heads().chain(own).collect();
            rest = match &chosen[i].then {
                Some(then) => vec![Goal::If(test, self.copy_of(then)?, rest)],
                None if i + 1 == chosen.len() => test,
                None => {
                    // Tests at its beginning decide for it where no later clause fits as well.
                    let tests = chosen[i].fits.tests.len();
                    let fits = &chosen[i].fits;
                    let alone = match later.candidates(fits) {
                        Some(candidates) => candidates.into_iter().all(|j| fits.excludes(&chosen[j].fits)),
                        None => chosen[i + 1..].iter().all(|other| fits.excludes(&other.fits)),
                    };
                    let (first, behind) = test.split_at(chosen[i].heads.len() + tests);
                    match alone {
                        true => vec![Goal::If(first.to_vec(), behind.to_vec(), rest)],
                        false => vec![Goal::Or(test, rest)],
                    }
                }
            };
            later.add(i, &chosen[i].fits);
        }
        Ok(rest)
    }

    fn clause(
        &mut self,
        head: TermId,
        body: Option<TermId>,
        args: &[TermId],
        calls: &mut Vec<(String, usize)>,
    ) -> Result<Chosen, Cannot> {
        self.fresh += 1;
        let (mut values, number, source) = (Values::default(), self.fresh, self.source);
        let parts = source.functor(head).map_or(&[][..], |(_, parts)| parts);
        let (mut heads, mut functors) = (Vec::new(), vec![None; args.len()]);
        for (i, (&part, &arg)) in parts.iter().zip(args).enumerate() {
            match source.kind(part) {
                TermKind::Var(name) if name == "_" => continue,
                TermKind::Var(name) if !values.contains_key(name) => {
                    values.insert(name.clone(), arg);
                    continue;
                }
                _ => {}
            }
            let pattern = self.copy(part, &mut values, number);
            let equal = self.constraint("=".into(), vec![arg, pattern], source.span(part));
            heads.push(equal);
            functors[i] = self.functor_text(pattern);
        }
        let goals = body.map_or_else(Vec::new, |body| source.members(body, ","));
        let cut = goals.iter().position(|&goal| matches!(source.functor(goal), Some(("!", []))));
        let (mut test, mut then) = (Vec::new(), cut.map(|_| Vec::new()));
        for (i, &goal) in goals.iter().enumerate() {
            if matches!(source.functor(goal), Some(("!", []))) {
                continue;
            }
            let goal = self.copy(goal, &mut values, number);
            let made = self.goals(goal, calls)?;
            match (&mut then, cut) {
                (Some(then), Some(cut)) if i > cut => then.extend(made),
                _ => test.extend(made),
            }
        }
        let decisive: Vec<TermId> = test.iter().map_while(|goal| self.test(goal)).collect();
        let tests = decisive.iter().map(|&test| self.out.term_text(test)).collect();
        let excluded = decisive.iter().flat_map(|&test| self.excluded(test)).collect();
        Ok(Chosen { heads, test, then, fits: Fits { functors, tests, excluded } })
    }

    /// Name and number of arguments of a term, or what it is; `None` for a variable.
    fn functor_text(&self, id: TermId) -> Option<String> {
        match self.out.kind(id) {
            TermKind::Var(_) => None,
            TermKind::Compound { name, args } => Some(format!("{name}/{}", args.len())),
            TermKind::List { .. } => Some("[|]/2".into()),
            _ => Some(self.out.term_text(id)),
        }
    }

    /// A goal that is a comparison or a test of a kind.
    fn test(&self, goal: &Goal) -> Option<TermId> {
        let Goal::Plain(term) = goal else { return None };
        let (name, args) = self.out.functor(*term)?;
        use builtin::Builtin::{Compare, NotUnify, Structural, TypeTest};
        let decides = matches!(
            builtin::goal(name, args.len()),
            Some(Compare(_) | Structural(_) | TypeTest(_) | NotUnify)
        );
        decides.then_some(*term)
    }
}
