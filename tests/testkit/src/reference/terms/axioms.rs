//! Symbols with axioms: all ways to match are tried, one after the other.

use gchr_trs::ast::AxiomKind;

use super::*;

/// What holds for a symbol.
#[derive(Clone, Default, Debug)]
pub(super) struct Axioms {
    associative: bool,
    commutative: bool,
    identity: Option<Arc<str>>,
}

/// The symbols that declare axioms.
pub(super) fn declared(module: &Module) -> HashMap<Arc<str>, Axioms> {
    let text = |ident: &ast::Ident| -> Arc<str> { module.names.get(ident.name).into() };
    let mut found = HashMap::new();
    for section in &module.sections {
        let (Section::Constructors(clauses) | Section::Maps(clauses)) = section else { continue };
        for clause in clauses.iter().filter(|clause| !clause.axioms.is_empty()) {
            let mut axioms = Axioms::default();
            for axiom in &clause.axioms {
                match &axiom.kind {
                    AxiomKind::Associative => axioms.associative = true,
                    AxiomKind::Commutative => axioms.commutative = true,
                    AxiomKind::Identity(of) => axioms.identity = Some(text(of)),
                }
            }
            found.extend(clause.names.iter().map(|name| (text(name), axioms.clone())));
        }
    }
    found
}

/// The arguments of a term that an equation leaves as they are, before and behind those that it is about.
#[derive(Clone, Default)]
pub(super) struct Rest(Vec<Term>, Vec<Term>);

impl Rest {
    /// What an application is rewritten to where these arguments are left.
    pub fn within(self, run: &mut Run<'_>, name: &Arc<str>, value: Term) -> Result<Term, Stop> {
        let Rest(before, behind) = self;
        match before.is_empty() && behind.is_empty() {
            true => Ok(value),
            false => run.apply(name, before.into_iter().chain([value]).chain(behind).collect()),
        }
    }
}

/// A way to match patterns with elements: the values of variables, and what is left at the ends.
type Found = (Env, Rest);

impl Program {
    /// The arguments of an application in their order, without those that axioms leave out.
    pub(super) fn flattened(&self, name: &Arc<str>, args: Vec<Term>) -> Vec<Term> {
        let Some(axioms) = self.axioms.get(name) else { return args };
        let mut all: Vec<Term> = args.into_iter().flat_map(|arg| self.elements(name, &arg)).collect();
        if axioms.commutative {
            all.sort_by_key(show);
        }
        all
    }

    /// The arguments that a term has modulo the axioms of a symbol.
    fn elements(&self, name: &Arc<str>, term: &Term) -> Vec<Term> {
        let axioms = &self.axioms[name];
        match term {
            Term::App(f, args) if f == name && axioms.associative => {
                args.iter().flat_map(|arg| self.elements(name, arg)).collect()
            }
            Term::App(f, args) if args.is_empty() && axioms.identity.as_ref() == Some(f) => Vec::new(),
            _ => vec![term.clone()],
        }
    }

    /// The term that a symbol with axioms makes of other than two arguments, or of more.
    pub(super) fn made_of(&self, name: &Arc<str>, args: &[Term]) -> Option<Term> {
        let axioms = self.axioms.get(name)?;
        match args {
            [] => axioms.identity.clone().map(|identity| Term::App(identity, [].into())),
            [one] => Some(one.clone()),
            [_, _] => None,
            [first, rest @ ..] => {
                let rest = self.made_of(name, rest).unwrap_or_else(|| Term::App(name.clone(), rest.into()));
                Some(Term::App(name.clone(), [first.clone(), rest].into()))
            }
        }
    }

    fn term_of(&self, name: &Arc<str>, args: &[Term]) -> Term {
        self.made_of(name, args).unwrap_or_else(|| Term::App(name.clone(), args.into()))
    }

    /// The ways in which an equation applies to a symbol with these arguments.
    pub(super) fn instances(&self, name: &Arc<str>, rule: &Rule, args: &[Term]) -> Vec<Found> {
        let Some(axioms) = self.axioms.get(name) else {
            let all = self.each(&rule.left, args, Vec::new());
            return all.into_iter().map(|env| (env, Rest::default())).collect();
        };
        let whole = Tree::App(name.clone(), rule.left.clone());
        let patterns = self.patterns(name, &whole);
        let mut found = Vec::new();
        match (axioms.associative, axioms.commutative) {
            // What is no application any more is not rewritten as one.
            _ if args.len() < 2 => {}
            (true, true) => {
                for chosen in subsets(args.len()) {
                    let (inner, rest) = parted(args, &chosen);
                    let all = self.arguments(name, &patterns, &inner, Vec::new());
                    found.extend(all.into_iter().map(|env| (env, Rest(rest.clone(), Vec::new()))));
                }
            }
            (true, false) => {
                for from in 0..args.len() {
                    for to in from + 1..=args.len() {
                        let all = self.arguments(name, &patterns, &args[from..to], Vec::new());
                        let rest = Rest(args[..from].to_vec(), args[to..].to_vec());
                        found.extend(all.into_iter().map(|env| (env, rest.clone())));
                    }
                }
            }
            _ => {
                let all = self.arguments(name, &patterns, args, Vec::new());
                found.extend(all.into_iter().map(|env| (env, Rest::default())));
            }
        }
        found
    }

    /// Patterns with one argument each.
    fn each(&self, patterns: &[Tree], args: &[Term], env: Env) -> Vec<Env> {
        if patterns.len() != args.len() {
            return Vec::new();
        }
        patterns.iter().zip(args).fold(vec![env], |all, (pattern, arg)| {
            all.into_iter().flat_map(|env| self.matches(pattern, arg, env)).collect()
        })
    }

    /// The arguments that a pattern has modulo the axioms of a symbol.
    fn patterns<'t>(&self, name: &Arc<str>, pattern: &'t Tree) -> Vec<&'t Tree> {
        match pattern {
            Tree::App(f, args) if f == name && (self.axioms[name].associative || args.len() == 2) => {
                let inner = |arg: &'t Tree| match self.axioms[name].associative {
                    true => self.patterns(name, arg),
                    false => vec![arg],
                };
                args.iter().flat_map(inner).collect()
            }
            _ => vec![pattern],
        }
    }

    /// The ways to match all arguments of a symbol with axioms.
    fn arguments(&self, name: &Arc<str>, patterns: &[&Tree], args: &[Term], env: Env) -> Vec<Env> {
        let axioms = &self.axioms[name];
        let Some((first, rest)) = patterns.split_first() else {
            return if args.is_empty() { vec![env] } else { Vec::new() };
        };
        let takes_many = axioms.associative && matches!(first, Tree::Var(_) | Tree::Wild);
        let sizes = match takes_many {
            true => usize::from(axioms.identity.is_none())..=args.len(),
            false => 1..=1.min(args.len()),
        };
        let choices: Vec<Vec<bool>> = match axioms.commutative {
            true => subsets(args.len()),
            false => (0..=args.len()).map(|n| (0..args.len()).map(|at| at < n).collect()).collect(),
        };
        let mut found = Vec::new();
        for chosen in choices {
            let (taken, left) = parted(args, &chosen);
            if sizes.contains(&taken.len()) {
                for env in self.matches(first, &self.term_of(name, &taken), env.clone()) {
                    found.extend(self.arguments(name, rest, &left, env));
                }
            }
        }
        found
    }

    /// All ways to match a term.
    pub(super) fn matches(&self, pattern: &Tree, term: &Term, mut env: Env) -> Vec<Env> {
        match (pattern, term) {
            (Tree::Wild, _) => vec![env],
            (Tree::Var(name), _) => match lookup(&env, name) {
                Some(known) if !same(known, term) => Vec::new(),
                Some(_) => vec![env],
                None => {
                    env.push((name.clone(), term.clone()));
                    vec![env]
                }
            },
            (Tree::App(f, _), _) if self.axioms.contains_key(f) => {
                let elements = self.elements(f, term);
                // Without associativity, the term itself is the application.
                let elements = match (self.axioms[f].associative, term) {
                    (false, Term::App(g, args)) if f == g => args.to_vec(),
                    _ => elements,
                };
                self.arguments(f, &self.patterns(f, pattern), &elements, env)
            }
            (Tree::App(f, patterns), Term::App(g, args)) if f == g => self.each(patterns, args, env),
            (Tree::Power(_, 0, inner), _) => self.matches(inner, term, env),
            (Tree::Power(f, n, inner), Term::App(g, args)) if f == g && args.len() == 1 => {
                self.matches(&Tree::Power(f.clone(), n - 1, inner.clone()), &args[0], env)
            }
            (Tree::Int(_) | Tree::Float(_), _) if same_leaf(pattern, term) => vec![env],
            _ => Vec::new(),
        }
    }
}

/// All ways to choose some of so many, all of them first.
fn subsets(count: usize) -> Vec<Vec<bool>> {
    assert!(count < 20, "too many arguments for a naive matcher");
    (0..1u32 << count).rev().map(|bits| (0..count).map(|at| bits >> at & 1 == 1).collect()).collect()
}

/// Those that are chosen, and the others.
fn parted(all: &[Term], chosen: &[bool]) -> (Vec<Term>, Vec<Term>) {
    let part = |side: bool| {
        all.iter().zip(chosen).filter(|(_, chosen)| **chosen == side).map(|(term, _)| term.clone()).collect()
    };
    (part(true), part(false))
}
