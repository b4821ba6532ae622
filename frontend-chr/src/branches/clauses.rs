//! Clauses of Prolog in place of the calls of their predicates.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::source::Span;

use super::{Cannot, Goal, Values, Work};
use crate::ast::{ClauseKind, Module, TermId, TermKind};
use crate::builtin;
use crate::declare::Declarations;

/// Name and number of arguments.
type Key = (String, usize);

/// The predicates of a program whose clauses do not change, with head and body of each clause.
pub(super) struct Predicates(HashMap<Key, Vec<(TermId, Option<TermId>)>>);

impl Predicates {
    pub fn of(ast: &Module, declarations: &Declarations) -> Self {
        let (mut all, mut changing) = (HashMap::default(), HashSet::default());
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
                    let (Some((name, _)), mut pending) = (ast.functor(term), vec![term]) else { continue };
                    if !["dynamic", "table", "multifile"].contains(&name) {
                        continue;
                    }
                    while let Some(id) = pending.pop() {
                        match ast.functor(id) {
                            Some(("/", &[name, arity])) => {
                                if let (Some((name, [])), TermKind::Int(arity)) =
                                    (ast.functor(name), ast.kind(arity))
                                {
                                    changing.insert((name.to_string(), usize::try_from(*arity).unwrap_or(0)));
                                }
                            }
                            Some((_, args)) => pending.extend(args),
                            None => {}
                        }
                    }
                }
                _ => {}
            }
        }
        all.retain(|key, _| !changing.contains(key));
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
    /// The argument of the clause's head at each of these.
    patterns: Vec<(usize, TermId)>,
    /// What stands before the first cut, or all.
    test: Vec<Goal>,
    /// What stands behind it.
    then: Option<Vec<Goal>>,
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
        let mut chosen = Vec::new();
        for &(head, body) in clauses {
            chosen.push(self.clause(head, body, args, calls)?);
        }
        let fail = Goal::Plain(self.term(TermKind::Atom("fail".into()), span));
        let mut rest = vec![fail];
        for i in (0..chosen.len()).rev() {
            let heads = || chosen[i].heads.iter().map(|&term| Goal::Plain(term));
            let test: Vec<Goal> = heads().chain(chosen[i].test.iter().cloned()).collect();
            rest = match &chosen[i].then {
                Some(then) => vec![Goal::If(test, then.clone(), rest)],
                None if i + 1 == chosen.len() => test,
                None => {
                    // Tests at its beginning decide for it where no later clause fits as well.
                    let tests = chosen[i].test.iter().take_while(|goal| self.is_test(goal)).count();
                    let alone = (i + 1..chosen.len()).all(|j| self.excludes(&chosen[i], &chosen[j]));
                    let (first, behind) = test.split_at(chosen[i].heads.len() + tests);
                    match alone {
                        true => vec![Goal::If(first.to_vec(), behind.to_vec(), rest)],
                        false => vec![Goal::Or(test, rest)],
                    }
                }
            };
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
        let (mut heads, mut patterns) = (Vec::new(), Vec::new());
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
            if !self.is_variable(pattern) {
                patterns.push((i, pattern));
            }
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
        Ok(Chosen { heads, patterns, test, then })
    }

    /// Whether a goal is a comparison or a test of a kind.
    fn is_test(&self, goal: &Goal) -> bool {
        let Goal::Plain(term) = goal else { return false };
        let Some((name, args)) = self.out.functor(*term) else { return false };
        use builtin::Builtin::{Compare, NotUnify, Structural, TypeTest};
        matches!(builtin::goal(name, args.len()), Some(Compare(_) | Structural(_) | TypeTest(_) | NotUnify))
    }

    /// Whether two clauses never fit the same call.
    fn excludes(&mut self, a: &Chosen, b: &Chosen) -> bool {
        let functor = |work: &Self, id| match work.out.kind(id) {
            TermKind::Compound { name, args } => format!("{name}/{}", args.len()),
            TermKind::List { .. } => "[|]/2".into(),
            _ => work.out.term_text(id),
        };
        let apart = a
            .patterns
            .iter()
            .any(|(i, a)| b.patterns.iter().any(|(j, b)| i == j && functor(self, *a) != functor(self, *b)));
        if apart {
            return true;
        }
        let tests = |work: &Self, chosen: &Chosen| -> Vec<TermId> {
            let plain = |goal: &Goal| if let Goal::Plain(term) = goal { Some(*term) } else { None };
            chosen.test.iter().take_while(|goal| work.is_test(goal)).filter_map(plain).collect()
        };
        let (a, b) = (tests(self, a), tests(self, b));
        a.iter().any(|&a| b.iter().any(|&b| self.exclude(a, b)))
    }
}
