//! Terms as trees, and rewriting of them without any cleverness.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

/// A term; a variable has no brackets in text either, and is told by its first letter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Tree {
    Var(String),
    App(String, Vec<Tree>),
}

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Var(name) => f.write_str(name),
            Tree::App(name, args) if args.is_empty() => f.write_str(name),
            Tree::App(name, args) => {
                let args: Vec<String> = args.iter().map(Tree::to_string).collect();
                write!(f, "{name}({})", args.join(", "))
            }
        }
    }
}

/// What a text means: names that begin with `X`, `Y`, `U`, `V` or `_` are variables, `S^3(t)` is read.
pub fn read(text: &str) -> Tree {
    let mut rest = text;
    let tree = read_term(&mut rest);
    assert_eq!(rest, "", "{text}");
    tree
}

fn read_term(rest: &mut &str) -> Tree {
    let end = rest.find([',', '(', ')', ' ', '^', '#']).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    *rest = behind.strip_prefix('#').unwrap_or(behind);
    let mut count = 1;
    if let Some(number) = rest.strip_prefix('^') {
        let end = number.find('(').expect("an argument");
        count = number[..end].parse().expect("a number");
        *rest = &number[end..];
    }
    let mut args = Vec::new();
    if let Some(behind) = rest.strip_prefix('(') {
        *rest = behind;
        loop {
            args.push(read_term(rest));
            if let Some(behind) = rest.strip_prefix(", ") {
                *rest = behind;
            } else {
                *rest = rest.strip_prefix(')').expect("the end of arguments");
                break;
            }
        }
    }
    if name.starts_with(['X', 'Y', 'U', 'V', '_']) {
        return Tree::Var(name.to_string());
    }
    let mut tree = Tree::App(name.to_string(), args);
    for _ in 1..count {
        tree = Tree::App(name.to_string(), vec![tree]);
    }
    tree
}

pub type Bindings<'t> = HashMap<&'t str, &'t Tree>;

pub fn matches<'t>(pattern: &'t Tree, tree: &'t Tree, by: &mut Bindings<'t>) -> bool {
    match (pattern, tree) {
        (Tree::Var(name), _) => *by.entry(name).or_insert(tree) == tree,
        (Tree::App(f, a), Tree::App(g, b)) => {
            f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| matches(a, b, by))
        }
        _ => false,
    }
}

fn instance(tree: &Tree, by: &Bindings<'_>) -> Tree {
    match tree {
        Tree::Var(name) => by.get(name.as_str()).map_or_else(|| tree.clone(), |&tree| tree.clone()),
        Tree::App(f, args) => Tree::App(f.clone(), args.iter().map(|arg| instance(arg, by)).collect()),
    }
}

/// Rules between trees.
#[derive(Clone, Debug)]
pub struct Rules(pub Vec<(Tree, Tree)>);

impl Rules {
    /// What a rule makes of a tree at a place, whose argument numbers begin at 1.
    pub fn apply(&self, rule: usize, tree: &Tree, place: &[u32]) -> Option<Tree> {
        let Some((&first, rest)) = place.split_first() else {
            let (left, right) = &self.0[rule];
            let mut by = HashMap::new();
            return matches(left, tree, &mut by).then(|| instance(right, &by));
        };
        let Tree::App(f, args) = tree else { return None };
        let at = first as usize - 1;
        let mut args = args.clone();
        args[at] = self.apply(rule, &args[at], rest)?;
        Some(Tree::App(f.clone(), args))
    }

    /// All places of a tree where rules apply, with these.
    pub fn redexes(&self, tree: &Tree) -> Vec<(usize, Vec<u32>)> {
        let mut found = Vec::new();
        self.collect(tree, &mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, tree: &Tree, place: &mut Vec<u32>, found: &mut Vec<(usize, Vec<u32>)>) {
        for (rule, (left, _)) in self.0.iter().enumerate() {
            if matches(left, tree, &mut HashMap::new()) {
                found.push((rule, place.clone()));
            }
        }
        if let Tree::App(_, args) = tree {
            for (at, arg) in (1..).zip(args) {
                place.push(at);
                self.collect(arg, place, found);
                place.pop();
            }
        }
    }
}

impl Tree {
    pub fn size(&self) -> usize {
        match self {
            Tree::Var(_) => 1,
            Tree::App(_, args) => 1 + args.iter().map(Tree::size).sum::<usize>(),
        }
    }
}
