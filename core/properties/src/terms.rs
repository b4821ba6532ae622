//! Terms with variables: equal terms are one node of a table, so that shared parts of any depth cost once.
//!
//! The arguments of a node come before it in the table. Whatever is done to all subterms of a term is a loop over them
//! in this order, without recursion.

mod show;
mod unify;

use gchr_base::define_id;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::rule::Const;
use gchr_base::signature::SymbolId;

pub(crate) use show::ShownTerm;

define_id!(
    /// A term.
    TermId, "t"
);
define_id!(
    /// A variable of a term.
    VariableId, "x"
);

/// A node of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// A variable.
    Var(VariableId),
    /// A constant of a built-in sort.
    Const(Const),
    /// A symbol applied.
    App(SymbolId, Box<[TermId]>),
}

/// What variables stand for.
pub(crate) type Substitution = HashMap<VariableId, TermId>;

/// Argument numbers from the root of a term to a subterm.
pub(crate) type Path = Vec<u32>;

/// The table of terms.
#[derive(Default)]
pub(crate) struct Terms {
    nodes: IdVec<TermId, Node>,
    ids: HashMap<Node, TermId>,
    /// Nodes of each term, counted as often as they occur; at most `u32::MAX`.
    sizes: IdVec<TermId, u32>,
    /// Names of the variables.
    variables: IdVec<VariableId, String>,
}

impl Terms {
    /// A new variable.
    pub fn variable(&mut self, name: String) -> TermId {
        let variable = self.variables.push(name);
        self.add(Node::Var(variable))
    }

    /// A constant.
    pub fn constant(&mut self, constant: Const) -> TermId {
        self.add(Node::Const(constant))
    }

    /// A symbol applied.
    pub fn app(&mut self, symbol: SymbolId, args: Box<[TermId]>) -> TermId {
        self.add(Node::App(symbol, args))
    }

    fn add(&mut self, node: Node) -> TermId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let below = match &node {
            Node::App(_, args) => args.iter().fold(0_u32, |sum, &arg| sum.saturating_add(self.sizes[arg])),
            Node::Var(_) | Node::Const(_) => 0,
        };
        self.sizes.push(below.saturating_add(1));
        let id = self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// The root of a term.
    pub fn node(&self, term: TermId) -> &Node {
        &self.nodes[term]
    }

    /// The arguments of a term.
    pub fn args(&self, term: TermId) -> &[TermId] {
        match &self.nodes[term] {
            Node::App(_, args) => args,
            Node::Var(_) | Node::Const(_) => &[],
        }
    }

    /// The symbol at the root.
    pub fn root(&self, term: TermId) -> Option<SymbolId> {
        match self.nodes[term] {
            Node::App(symbol, _) => Some(symbol),
            Node::Var(_) | Node::Const(_) => None,
        }
    }

    /// Number of nodes, shared ones counted as often as they occur; at most `u32::MAX`.
    pub fn size(&self, term: TermId) -> usize {
        self.sizes[term] as usize
    }

    /// Name of a variable.
    pub fn name(&self, variable: VariableId) -> &str {
        &self.variables[variable]
    }

    /// All names of variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(String::as_str)
    }

    /// The different subterms of a term, itself last, arguments before what they are arguments of.
    pub fn below(&self, term: TermId) -> Vec<TermId> {
        let mut seen: HashSet<TermId> = HashSet::default();
        seen.insert(term);
        let mut found = vec![term];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            next += 1;
            found.extend(self.args(at).iter().copied().filter(|&arg| seen.insert(arg)));
        }
        found.sort_unstable();
        found
    }

    /// The variables of a term.
    pub fn variables_of(&self, term: TermId) -> Vec<VariableId> {
        let var = |id: TermId| match self.nodes[id] {
            Node::Var(variable) => Some(variable),
            _ => None,
        };
        self.below(term).into_iter().filter_map(var).collect()
    }

    /// Whether no variable occurs twice.
    pub fn is_linear(&self, term: TermId) -> bool {
        let mut seen = HashSet::default();
        let mut todo = vec![term];
        while let Some(at) = todo.pop() {
            if let Node::Var(variable) = self.nodes[at]
                && !seen.insert(variable)
            {
                return false;
            }
            todo.extend(self.args(at));
        }
        true
    }

    /// A term with other terms for its variables.
    pub fn substitute(&mut self, term: TermId, by: &Substitution) -> TermId {
        let mut done: HashMap<TermId, TermId> = HashMap::default();
        for at in self.below(term) {
            let new = match &self.nodes[at] {
                Node::Var(variable) => by.get(variable).copied().unwrap_or(at),
                Node::Const(_) => at,
                Node::App(symbol, args) => {
                    let symbol = *symbol;
                    let args: Box<[TermId]> = args.iter().map(|arg| done[arg]).collect();
                    self.app(symbol, args)
                }
            };
            done.insert(at, new);
        }
        done[&term]
    }

    /// What the variables of a pattern stand for where it matches a term; together with `by`, what is known already.
    pub fn matches(&self, pattern: TermId, term: TermId, by: &mut Substitution) -> bool {
        let mut todo = vec![(pattern, term)];
        while let Some((pattern, term)) = todo.pop() {
            match (&self.nodes[pattern], &self.nodes[term]) {
                (&Node::Var(variable), _) => {
                    if *by.entry(variable).or_insert(term) != term {
                        return false;
                    }
                }
                (Node::App(f, a), Node::App(g, b)) if f == g => {
                    todo.extend(a.iter().copied().zip(b.iter().copied()));
                }
                (Node::Const(a), Node::Const(b)) if a == b => {}
                _ => return false,
            }
        }
        true
    }

    /// A term with another subterm at a path.
    pub fn replace(&mut self, term: TermId, path: &[u32], by: TermId) -> TermId {
        let mut around = Vec::with_capacity(path.len());
        let mut at = term;
        for &arg in path {
            around.push((at, arg));
            at = self.args(at)[arg as usize];
        }
        around.into_iter().rev().fold(by, |new, (around, arg)| match &self.nodes[around] {
            Node::App(symbol, args) => {
                let (symbol, mut args) = (*symbol, args.clone());
                args[arg as usize] = new;
                self.app(symbol, args)
            }
            Node::Var(_) | Node::Const(_) => new,
        })
    }

    /// The path to the leftmost occurrence of a subterm.
    pub fn path_to(&self, term: TermId, wanted: TermId) -> Option<Path> {
        let mut holders: HashSet<TermId> = HashSet::default();
        for at in self.below(term) {
            if at == wanted || self.args(at).iter().any(|arg| holders.contains(arg)) {
                holders.insert(at);
            }
        }
        let (mut path, mut at) = (Vec::new(), term);
        while at != wanted {
            let arg = self.args(at).iter().position(|arg| holders.contains(arg))?;
            path.push(u32::try_from(arg).ok()?);
            at = self.args(at)[arg];
        }
        Some(path)
    }

    /// The places of a term, its root first. A place is the number of the one around it, the argument, and the subterm.
    pub fn places(&self, term: TermId) -> Vec<Place> {
        let mut places = vec![Place { around: 0, arg: 0, term }];
        let mut next = 0;
        while let Some(&Place { term, .. }) = places.get(next) {
            let below = self.args(term).iter().enumerate();
            places.extend(below.map(|(arg, &term)| Place { around: next, arg, term }));
            next += 1;
        }
        places
    }
}

/// A place in a term.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The place around it, by its number.
    around: usize,
    /// Which argument of that it is.
    arg: usize,
    /// The subterm there.
    pub term: TermId,
}

/// The path to a place.
pub(crate) fn path_of(places: &[Place], mut place: usize) -> Path {
    let mut path = Vec::new();
    while place != 0 {
        path.push(u32::try_from(places[place].arg).unwrap_or(u32::MAX));
        place = places[place].around;
    }
    path.reverse();
    path
}
