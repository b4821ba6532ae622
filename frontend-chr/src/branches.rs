//! Conditionals, negations, disjunctions of tests and deterministic clauses as rules over ground stores, so that
//! programs that have them run in rounds and on devices.
//!
//! `H <=> G | B, (C -> T ; E), R` becomes `H <=> G | B, then(V)`, `then(V) <=> C | T, R` and `then(V) <=> E, R`, where
//! `V` are the variables with values that are needed: the first rule that fits wins in rounds, too. A guard with a
//! disjunction or a negation becomes one rule for each case; no two of them hold at once. A call of a predicate is
//! replaced by what its clauses do, unless they call themselves or leave choices.

mod clauses;
mod guards;

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::source::Span;

use crate::ast::{Arrow, Clause, ClauseKind, Module, Rule, Term, TermId, TermKind};
use crate::declare::Declarations;
use clauses::Predicates;

/// Most rules that one text becomes in addition.
const MAX_RULES: usize = 2000;
/// Most work on one text: goals that are made, copied or taken apart, and parts of terms that are looked at for them.
/// What follows a branch goes into both its rules, so that a text of some lines may stand for more rules than fit any
/// memory; one that may become few rules takes a small part of this.
const MAX_WORK: usize = 1_000_000;

/// A goal by what it does to what follows.
#[derive(Clone, Debug)]
enum Goal {
    /// A test, a binding, a constraint, output.
    Plain(TermId),
    If(Vec<Goal>, Vec<Goal>, Vec<Goal>),
    Not(Vec<Goal>),
    Or(Vec<Goal>, Vec<Goal>),
}

/// That something cannot become rules: what says why is left as it is.
struct Cannot;

/// The texts of a program with rules in place of branches; what cannot become rules is as it was.
pub(crate) struct Branched {
    pub ast: Module,
    pub queries: Vec<Module>,
    /// Names of the constraints that start branches.
    pub made: HashSet<String>,
}

/// Replaces what can become rules.
pub(crate) fn branched(ast: &Module, queries: &[Module], declarations: &Declarations) -> Branched {
    let predicates = Predicates::of(ast, declarations);
    let work_on = |text: &Module| Work {
        source: ast,
        predicates: &predicates,
        declarations,
        out: text.clone(),
        made: Vec::new(),
        names: Vec::new(),
        fresh: 0,
        work_left: MAX_WORK,
        depth: 0,
        rule: String::new(),
        bound: HashSet::default(),
    };
    let mut work = work_on(ast);
    work.out.clauses.clear();
    let (mut kept, mut number) = (Vec::new(), 0);
    for clause in &ast.clauses {
        let (made, names, fresh) = (work.made.len(), work.names.len(), work.fresh);
        let replaced = match &clause.kind {
            ClauseKind::Rule(rule) => {
                number += 1;
                work.rule(rule, number, clause.span)
            }
            ClauseKind::Query(goals) => work.query(goals, clause.span),
            _ => Err(Cannot),
        };
        match replaced {
            Ok(clauses) => kept.extend(clauses),
            Err(Cannot) => {
                work.made.truncate(made);
                work.names.truncate(names);
                work.fresh = fresh;
                kept.push(clause.clone());
            }
        }
    }
    // Clauses that are still called stay, as what shows that they are.
    let mut out = work.out;
    out.clauses = work.made;
    out.clauses.extend(kept);
    predicates.leave_out(&mut out);
    let made = work.names.into_iter().collect();
    let queries = queries.iter().map(|query| {
        let mut work = work_on(query);
        let clauses = query.clauses.iter().flat_map(|clause| match &clause.kind {
            ClauseKind::Query(goals) => {
                let replaced = work.query(goals, clause.span).ok().filter(|_| work.made.is_empty());
                work.made.clear();
                replaced.unwrap_or_else(|| vec![clause.clone()])
            }
            _ => vec![clause.clone()],
        });
        let clauses = clauses.collect();
        Module { clauses, ..work.out }
    });
    let queries = queries.collect();
    Branched { ast: out, queries, made }
}

struct Work<'a> {
    /// Where the clauses of predicates are.
    source: &'a Module,
    predicates: &'a Predicates,
    declarations: &'a Declarations,
    /// Where terms are made.
    out: Module,
    /// Declarations and rules of branches.
    made: Vec<Clause>,
    /// Names of the constraints that start them.
    names: Vec<String>,
    /// Names given so far.
    fresh: usize,
    /// Of [`MAX_WORK`], what is left.
    work_left: usize,
    /// Goals around the one that is looked at. A rule with more of them in each other would be too many rules.
    depth: usize,
    /// What the branches of the rule at hand are called after.
    rule: String,
    /// Variables of its heads: they have values.
    bound: HashSet<String>,
}

impl Work<'_> {
    /// The rules in place of one, which has this number in the text: other rules stand before it then.
    fn rule(&mut self, rule: &Rule, number: usize, span: Span) -> Result<Vec<Clause>, Cannot> {
        let own = rule.name.map_or_else(|| format!("rule {number}"), |name| self.out.rule_name(name));
        self.rule.clone_from(&own);
        let mut bound = HashSet::default();
        for &head in rule.kept.iter().chain(&rule.removed) {
            self.variables(head, &mut bound);
        }
        self.bound = bound;
        let mut guard = Vec::new();
        for &goal in &rule.guard {
            guard.extend(self.goals(goal, &mut Vec::new())?);
        }
        let mut body = Vec::new();
        for &goal in &rule.body {
            body.extend(self.goals(goal, &mut Vec::new())?);
        }
        let cases = self.cases(&guard)?;
        let mut clauses = Vec::new();
        for (i, guard) in cases.iter().enumerate() {
            let mut known = HashSet::default();
            for &term in rule.kept.iter().chain(&rule.removed).chain(guard) {
                self.variables(term, &mut known);
            }
            let body = self.body(&body, known)?;
            let name = match rule.name {
                Some(name) if cases.len() == 1 => name,
                name => {
                    let text = if cases.len() > 1 { format!("{own}/{}", i + 1) } else { own.clone() };
                    self.term(TermKind::Atom(text), name.map_or(span, |name| self.out.span(name)))
                }
            };
            let rule = Rule { name: Some(name), guard: guard.clone(), body, ..rule.clone() };
            clauses.push(Clause { kind: ClauseKind::Rule(rule), span });
        }
        Ok(clauses)
    }

    fn query(&mut self, goals: &[TermId], span: Span) -> Result<Vec<Clause>, Cannot> {
        self.rule = "the query".into();
        let mut all = Vec::new();
        for &goal in goals {
            all.extend(self.goals(goal, &mut Vec::new())?);
        }
        let goals = self.body(&all, HashSet::default())?;
        Ok(vec![Clause { kind: ClauseKind::Query(goals), span }])
    }

    fn term(&mut self, kind: TermKind, span: Span) -> TermId {
        self.out.terms.push(Term { kind, span })
    }

    /// Counts some work.
    fn work(&mut self, amount: usize) -> Result<(), Cannot> {
        self.work_left = self.work_left.checked_sub(amount).ok_or(Cannot)?;
        Ok(())
    }

    /// A copy of goals, which counts each of them.
    fn copy_of(&mut self, goals: &[Goal]) -> Result<Vec<Goal>, Cannot> {
        let mut pending = vec![goals];
        while let Some(goals) = pending.pop() {
            self.work(goals.len())?;
            for goal in goals {
                match goal {
                    Goal::Plain(_) => {}
                    Goal::If(a, b, c) => pending.extend([a.as_slice(), b, c]),
                    Goal::Not(a) => pending.push(a),
                    Goal::Or(a, b) => pending.extend([a.as_slice(), b]),
                }
            }
        }
        Ok(goals.to_vec())
    }

    /// The variables of some goals; each part of their terms counts.
    fn variables_used(&mut self, goals: &[&[Goal]]) -> Result<HashSet<String>, Cannot> {
        let mut used = HashSet::default();
        let looked_at: usize = goals.iter().map(|goals| self.variables_of(goals, &mut used)).sum();
        self.work(looked_at)?;
        Ok(used)
    }

    /// The names of the variables of a term; how many parts it has.
    fn variables(&self, term: TermId, names: &mut HashSet<String>) -> usize {
        let (mut pending, mut parts) = (vec![term], 0);
        while let Some(id) = pending.pop() {
            parts += 1;
            match self.out.kind(id) {
                TermKind::Var(name) if name != "_" => drop(names.insert(name.clone())),
                TermKind::Compound { args, .. } => pending.extend(args),
                TermKind::List { items, tail } => pending.extend(items.iter().chain(tail)),
                _ => {}
            }
        }
        parts
    }

    fn variables_of(&self, goals: &[Goal], names: &mut HashSet<String>) -> usize {
        let mut of = |goal: &Goal| match goal {
            Goal::Plain(term) => self.variables(*term, names),
            Goal::If(a, b, c) => [a, b, c].into_iter().map(|goals| self.variables_of(goals, names)).sum(),
            Goal::Not(a) => self.variables_of(a, names),
            Goal::Or(a, b) => [a, b].into_iter().map(|goals| self.variables_of(goals, names)).sum(),
        };
        goals.iter().map(|goal| 1 + of(goal)).sum()
    }

    /// A goal with the control constructs in it; `calls` are the predicates that are being replaced.
    fn goals(&mut self, id: TermId, calls: &mut Vec<(String, usize)>) -> Result<Vec<Goal>, Cannot> {
        self.work(1)?;
        if calls.len() > 40 || self.depth > MAX_RULES || self.made.len() > MAX_RULES {
            return Err(Cannot);
        }
        self.depth += 1;
        let goals = self.goals_inside(id, calls);
        self.depth -= 1;
        goals
    }

    fn goals_inside(&mut self, id: TermId, calls: &mut Vec<(String, usize)>) -> Result<Vec<Goal>, Cannot> {
        let Some((name, args)) = self.out.functor(id) else { return Ok(vec![Goal::Plain(id)]) };
        let args = args.to_vec();
        let condition = |work: &Self, id, arrow| work.out.binary(id, arrow);
        Ok(match (name, args.as_slice()) {
            ("true", []) => Vec::new(),
            (",", _) => {
                let mut all = Vec::new();
                for part in self.out.members(id, ",") {
                    all.extend(self.goals(part, calls)?);
                }
                all
            }
            (";", &[left, right]) => {
                match condition(self, left, "->").or_else(|| condition(self, left, "*->")) {
                    Some((test, then)) => vec![Goal::If(
                        self.goals(test, calls)?,
                        self.goals(then, calls)?,
                        self.goals(right, calls)?,
                    )],
                    None => vec![Goal::Or(self.goals(left, calls)?, self.goals(right, calls)?)],
                }
            }
            ("->", &[test, then]) => {
                let fail = Goal::Plain(self.term(TermKind::Atom("fail".into()), self.out.span(id)));
                vec![Goal::If(self.goals(test, calls)?, self.goals(then, calls)?, vec![fail])]
            }
            ("\\+" | "not", &[test]) => vec![Goal::Not(self.goals(test, calls)?)],
            ("call", &[goal]) if !self.is_variable(goal) => self.goals(goal, calls)?,
            ("once", &[test]) => {
                let fail = Goal::Plain(self.term(TermKind::Atom("fail".into()), self.out.span(id)));
                vec![Goal::If(self.goals(test, calls)?, Vec::new(), vec![fail])]
            }
            ("ignore", &[test]) => vec![Goal::If(self.goals(test, calls)?, Vec::new(), Vec::new())],
            _ if self.predicates.is_defined(name, args.len()) => {
                let key = (name.to_string(), args.len());
                if calls.contains(&key) {
                    return Err(Cannot);
                }
                calls.push(key);
                let goals = self.call(&args, self.out.span(id), calls);
                calls.pop();
                goals?
            }
            _ => vec![Goal::Plain(id)],
        })
    }

    /// The goals of a body; a branch ends it, and what follows goes into its rules.
    fn body(&mut self, goals: &[Goal], mut known: HashSet<String>) -> Result<Vec<TermId>, Cannot> {
        let mut body = Vec::new();
        for (i, goal) in goals.iter().enumerate() {
            let (test, then, other) = match goal {
                Goal::Plain(term) => {
                    body.push(*term);
                    self.variables(*term, &mut known);
                    // Nothing follows a failure.
                    if matches!(self.out.functor(*term), Some(("fail" | "false", []))) {
                        break;
                    }
                    continue;
                }
                // A search.
                Goal::Or(..) => return Err(Cannot),
                Goal::Not(test) => {
                    let fail = self.term(TermKind::Atom("fail".into()), self.place(test));
                    (test, vec![Goal::Plain(fail)], Vec::new())
                }
                Goal::If(test, then, other) => (test, self.copy_of(then)?, self.copy_of(other)?),
            };
            let test = self.copy_of(test)?;
            let mut follow = |mut branch: Vec<Goal>| {
                branch.append(&mut self.copy_of(&goals[i + 1..])?);
                Ok(branch)
            };
            let branch = Branch { test, then: follow(then)?, other: follow(other)? };
            body.push(self.branch(branch, &known)?);
            break;
        }
        Ok(body)
    }

    /// Where goals stand.
    fn place(&self, goals: &[Goal]) -> Span {
        match goals.first() {
            Some(Goal::Plain(term)) => self.out.span(*term),
            Some(Goal::If(a, ..) | Goal::Not(a) | Goal::Or(a, _)) if !a.is_empty() => self.place(a),
            _ => self.out.clauses.first().map_or_else(|| self.source.clauses[0].span, |clause| clause.span),
        }
    }

    /// Makes the rules of a branch; the constraint that starts it.
    fn branch(&mut self, mut branch: Branch, known: &HashSet<String>) -> Result<TermId, Cannot> {
        let span = self.place(&branch.test);
        let used = self.variables_used(&[&branch.test, &branch.then, &branch.other])?;
        let mut values: Vec<String> = used.into_iter().filter(|name| known.contains(name)).collect();
        values.sort();
        let name = loop {
            self.fresh += 1;
            let name = format!("branch {} of {}", self.fresh, self.rule);
            if self.declarations.constraint(&name, values.len()).is_none() {
                break name;
            }
        };
        self.declare(&name, values.len(), span);
        self.names.push(name.clone());
        let inside: HashSet<String> = values.iter().cloned().collect();
        loop {
            let at = branch.test.iter().position(|goal| !matches!(goal, Goal::Plain(_)));
            let Some(at) = at else {
                self.branch_rule(&name, &values, &branch.test, &branch.then, &inside, span)?;
                if !matches!(branch.other.first(), Some(Goal::If(..))) {
                    self.branch_rule(&name, &values, &[], &branch.other, &inside, span)?;
                    break;
                }
                // A chain of conditionals has one constraint. It is taken apart, not copied, since it may be long.
                let mut rest = branch.other.split_off(1);
                let Some(Goal::If(test, mut then, mut other)) = branch.other.pop() else { break };
                then.append(&mut self.copy_of(&rest)?);
                other.append(&mut rest);
                branch = Branch { test, then, other };
                continue;
            };
            branch = self.without_control(branch, at)?;
        }
        let args = values.into_iter().map(|v| self.term(TermKind::Var(v), span)).collect();
        Ok(self.constraint(name, args, span))
    }

    /// A branch that does the same, where the goal `at` this place of the test is more than a test.
    fn without_control(&mut self, branch: Branch, at: usize) -> Result<Branch, Cannot> {
        let Branch { mut test, then, other } = branch;
        let rest = test.split_off(at + 1);
        let Some(goal) = test.pop() else { return Err(Cannot) };
        let with = |before: &[Goal], goals: Vec<Goal>, rest: &[Goal]| [before, &goals, rest].concat();
        let again = |work: &mut Self, test: Vec<Goal>| {
            // Nothing to test: what follows is all that is left.
            if test.is_empty() {
                return work.copy_of(&then);
            }
            Ok(vec![Goal::If(test, work.copy_of(&then)?, work.copy_of(&other)?)])
        };
        Ok(match goal {
            Goal::Or(a, b) => {
                let (before, behind) = (self.copy_of(&test)?, self.copy_of(&rest)?);
                let other = again(self, with(&before, b, &behind))?;
                Branch { test: with(&test, a, &rest), then, other }
            }
            Goal::Not(inner) if at == 0 => {
                let otherwise = again(self, rest)?;
                Branch { test: inner, then: other, other: otherwise }
            }
            Goal::If(inner, a, b) if at == 0 => {
                let behind = self.copy_of(&rest)?;
                let (a, b) = (again(self, with(&[], a, &rest))?, again(self, with(&[], b, &behind))?);
                Branch { test: inner, then: a, other: b }
            }
            goal => {
                let inner = again(self, with(&[], vec![goal], &rest))?;
                Branch { test, then: inner, other }
            }
        })
    }

    fn constraint(&mut self, name: String, args: Vec<TermId>, span: Span) -> TermId {
        let kind = if args.is_empty() { TermKind::Atom(name) } else { TermKind::Compound { name, args } };
        self.term(kind, span)
    }

    fn declare(&mut self, name: &str, arity: usize, span: Span) {
        let name = self.term(TermKind::Atom(name.into()), span);
        let arity = self.term(TermKind::Int(arity as i64), span);
        let declared = self.constraint("/".into(), vec![name, arity], span);
        let directive = self.constraint("chr_constraint".into(), vec![declared], span);
        self.made.push(Clause { kind: ClauseKind::Directive(directive), span });
    }

    /// One rule of a branch.
    fn branch_rule(
        &mut self,
        name: &str,
        values: &[String],
        test: &[Goal],
        goals: &[Goal],
        known: &HashSet<String>,
        span: Span,
    ) -> Result<(), Cannot> {
        if self.made.len() > MAX_RULES {
            return Err(Cannot);
        }
        let guard: Vec<TermId> = test
            .iter()
            .filter_map(|goal| if let Goal::Plain(term) = goal { Some(*term) } else { None })
            .collect();
        let used = self.variables_used(&[test, goals])?;
        self.work(known.len())?;
        let mut known = known.clone();
        for &term in &guard {
            self.variables(term, &mut known);
        }
        let body = self.body(goals, known)?;
        // A value that this rule does not need has no name in it.
        let value = |v: &String| if used.contains(v) { v.clone() } else { "_".into() };
        let names: Vec<String> = values.iter().map(value).collect();
        let args = names.into_iter().map(|v| self.term(TermKind::Var(v), span)).collect();
        let head = self.constraint(name.into(), args, span);
        let rule = Rule {
            name: Some(self.term(TermKind::Atom(name.into()), span)),
            kept: Vec::new(),
            removed: vec![head],
            arrow: Arrow::Simplify,
            arrow_span: span,
            guard,
            body,
            pragmas: Vec::new(),
        };
        self.made.push(Clause { kind: ClauseKind::Rule(rule), span });
        Ok(())
    }
}

/// A conditional with what follows it in both branches.
struct Branch {
    test: Vec<Goal>,
    then: Vec<Goal>,
    other: Vec<Goal>,
}

/// Terms that stand for variables.
type Values = HashMap<String, TermId>;

impl Work<'_> {
    /// Copies a term of the source; its variables are replaced.
    fn copy(&mut self, id: TermId, values: &mut Values, clause: usize) -> TermId {
        self.source.copy_with(
            id,
            &mut self.out.terms,
            |span| span,
            |leaf, terms| match &leaf.kind {
                TermKind::Var(name) if name != "_" => *values.entry(name.clone()).or_insert_with(|| {
                    terms.push(Term { kind: TermKind::Var(format!("_{name}_{clause}")), span: leaf.span })
                }),
                _ => terms.push(leaf.clone()),
            },
        )
    }
}
