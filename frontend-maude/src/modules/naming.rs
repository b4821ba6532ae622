//! Other names for sorts and operators: renamings of modules, and values of their parameters.

use std::cell::{Cell, LazyCell};
use std::sync::Arc;

use gchr_base::hash::HashMap;

use crate::signature::{Declaration, Identity, ModulePart, Signature};
use crate::syntax::{Attribute, Name, RenamingItem, TypeName};
use crate::term::{Names, OpKey, Term};

/// What an operator of a theory becomes.
#[derive(Clone)]
pub(super) enum Becomes {
    Name(Arc<str>),
    Term(Arc<Template>),
}

/// What an application of an operator becomes, by the names of its arguments.
pub(super) struct Template {
    pub variables: Vec<Arc<str>>,
    pub term: Term,
}

impl Becomes {
    pub fn map(&self, names: &dyn Names) -> Self {
        match self {
            Becomes::Name(name) => Becomes::Name(name.clone()),
            Becomes::Term(of) => {
                let (variables, term) = (of.variables.clone(), of.term.map(names));
                Becomes::Term(Arc::new(Template { variables, term }))
            }
        }
    }
}

#[derive(Default)]
pub(super) struct Naming {
    sorts: HashMap<Arc<str>, Arc<str>>,
    ops: HashMap<Arc<str>, (Arc<str>, Vec<Attribute>)>,
    /// The same for those of which only some of this name are meant.
    some_ops: HashMap<OpKey, (Arc<str>, Vec<Attribute>)>,
    /// Operators of theories, which views map.
    becomes: HashMap<OpKey, Becomes>,
    /// Values of parameters, in the braces of names.
    arguments: HashMap<Arc<str>, Arc<str>>,
}

impl Naming {
    /// Of a renaming of a module with these parts.
    pub fn of_items(items: &[RenamingItem], parts: &[Arc<ModulePart>]) -> Self {
        let mut naming = Self::default();
        // What is wrong with the module has been reported.
        let signature = LazyCell::new(|| Signature::new(parts, &mut Vec::new()));
        for item in items {
            match item {
                RenamingItem::Sort(from, to) => naming.sort(&from.text, &to.text),
                RenamingItem::Op { from, of: None, to, attributes } => {
                    naming.operator(&from.text, &to.text, attributes.clone());
                }
                RenamingItem::Op { from, of: Some((domain, range)), to, attributes } => {
                    let meant =
                        OpKey { name: from.text.clone(), domain: domain.clone(), range: range.clone() };
                    let Some(op) = signature.op(&meant) else { continue };
                    let own = parts.iter().flat_map(|part| &part.ops).map(Declaration::key);
                    for key in own.filter(|key| signature.op(key) == Some(op)) {
                        naming.some_ops.insert(key, (to.text.clone(), attributes.clone()));
                    }
                }
            }
        }
        naming
    }

    /// The other name of an operator, and its attributes.
    fn renamed(&self, key: &OpKey) -> Option<&(Arc<str>, Vec<Attribute>)> {
        self.some_ops.get(key).or_else(|| self.ops.get(&key.name))
    }

    pub fn sort(&mut self, from: &str, to: &str) {
        self.sorts.insert(from.into(), to.into());
    }

    pub fn operator(&mut self, from: &str, to: &str, attributes: Vec<Attribute>) {
        self.ops.insert(from.into(), (to.into(), attributes));
    }

    /// An operator of the theory of a parameter is this one.
    pub fn becomes(&mut self, key: OpKey, becomes: Becomes) {
        self.becomes.insert(key, becomes);
    }

    /// What an operator becomes, if it is mapped or has another name.
    pub fn further(&self, key: &OpKey) -> Option<Becomes> {
        let renamed = || self.renamed(key).map(|(to, _)| Becomes::Name(to.clone()));
        self.becomes.get(key).cloned().or_else(renamed)
    }

    /// The value of a parameter.
    pub fn argument(&mut self, param: &Arc<str>, value: &Arc<str>) {
        self.arguments.insert(param.clone(), value.clone());
    }

    pub fn sort_name(&self, name: &Arc<str>) -> Arc<str> {
        if let Some(to) = self.sorts.get(name) {
            return to.clone();
        }
        match name.split_once('{').and_then(|(base, rest)| Some((base, rest.strip_suffix('}')?))) {
            Some((base, inside)) => {
                let args: Vec<String> = split(inside).map(|arg| self.argument_name(arg)).collect();
                format!("{base}{{{}}}", args.join(",")).into()
            }
            None => name.clone(),
        }
    }

    fn argument_name(&self, name: &str) -> String {
        match self.arguments.get(name) {
            Some(value) => value.to_string(),
            None => self.sort_name(&name.into()).to_string(),
        }
    }

    /// A part with the other names; the same one where none occurs.
    pub fn part(&self, part: &Arc<ModulePart>) -> Arc<ModulePart> {
        let sort = |name: &Name| Name { text: self.sort_name(&name.text), span: name.span };
        let key = self.sort_name(&part.key);
        let renames = |name: &Arc<str>| self.sort_name(name) != *name;
        let touches = |op: &Declaration| {
            self.renamed(&op.key()).is_some()
                || op.domain.iter().chain([&op.range]).any(|of| renames(&of.sort))
        };
        let declares = part.sorts.iter().any(|name| renames(&name.text))
            || part.subsorts.iter().any(|(a, b)| renames(&a.text) || renames(&b.text))
            || part.ops.iter().any(touches);
        // Its terms may have operators and sorts that other parts declare.
        let has_terms = || {
            let seen = Seen { names: self, is_other: Cell::new(false) };
            let identities = part.ops.iter().filter_map(|op| op.properties.identity.as_ref()?.term.as_ref());
            identities.for_each(|term| drop(term.map(&seen)));
            part.rules.iter().for_each(|rule| drop(rule.map(&seen)));
            seen.is_other.get()
        };
        if key == part.key && !declares && !has_terms() {
            return part.clone();
        }
        let key = if key == part.key { format!("{key}*{}", self.tag()).into() } else { key };
        Arc::new(ModulePart {
            key,
            is_library: part.is_library,
            is_theory: part.is_theory,
            sorts: part.sorts.iter().map(sort).collect(),
            first_names: part.first_names.clone(),
            subsorts: part.subsorts.iter().map(|(a, b)| (sort(a), sort(b))).collect(),
            ops: part.ops.iter().map(|op| self.declaration(op)).collect(),
            rules: part.rules.iter().map(|rule| Arc::new(rule.map(self))).collect(),
            unread: part.unread.clone(),
        })
    }

    fn declaration(&self, op: &Declaration) -> Declaration {
        let mut properties = op.properties.clone();
        let mut name = op.name.clone();
        if let Some((to, attributes)) = self.renamed(&op.key()) {
            name = to.clone();
            // How the old name was read says nothing of the new one.
            (properties.prec, properties.gather) = (None, None);
            for attribute in attributes {
                match attribute {
                    Attribute::Prec(prec) => properties.prec = Some(*prec),
                    Attribute::Gather(letters) => properties.gather = Some(letters.clone()),
                    _ => {}
                }
            }
        }
        properties.identity = properties.identity.map(|identity| Identity {
            term: identity.term.map(|term| Arc::new(term.map(self))),
            ..identity
        });
        Declaration {
            name,
            domain: op.domain.iter().map(|of| self.type_name(of)).collect(),
            range: self.type_name(&op.range),
            properties,
            span: op.span,
        }
    }

    /// The renaming as text, in one order.
    fn tag(&self) -> String {
        let mut items: Vec<String> = self.sorts.iter().map(|(from, to)| format!("{from} {to}")).collect();
        items.extend(self.ops.iter().map(|(from, (to, _))| format!("{from} {to}")));
        items.extend(self.some_ops.iter().map(|(from, (to, _))| format!("{from:?} {to}")));
        items.sort();
        format!("({})", items.join(", "))
    }
}

/// Other names, and whether one of those that were asked for is another one.
struct Seen<'n> {
    names: &'n Naming,
    is_other: Cell<bool>,
}

impl Seen<'_> {
    fn note(&self, is_other: bool) {
        self.is_other.set(self.is_other.get() || is_other);
    }
}

impl Names for Seen<'_> {
    fn type_name(&self, of: &TypeName) -> TypeName {
        let found = self.names.type_name(of);
        self.note(found != *of);
        found
    }

    fn op(&self, key: &OpKey) -> OpKey {
        let found = self.names.op(key);
        self.note(found != *key);
        found
    }

    fn instead(&self, key: &OpKey, args: &[Term]) -> Option<Term> {
        let found = self.names.instead(key, args);
        self.note(found.is_some());
        found
    }
}

/// The arguments in braces, at the commas that are not in further braces.
fn split(inside: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    inside.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

impl Names for Naming {
    fn type_name(&self, of: &TypeName) -> TypeName {
        TypeName { sort: self.sort_name(&of.sort), is_kind: of.is_kind }
    }

    fn op(&self, key: &OpKey) -> OpKey {
        OpKey {
            name: match (self.becomes.get(key), self.renamed(key)) {
                (Some(Becomes::Name(to)), _) | (_, Some((to, _))) => to.clone(),
                _ => key.name.clone(),
            },
            domain: key.domain.iter().map(|of| self.type_name(of)).collect(),
            range: self.type_name(&key.range),
        }
    }

    fn instead(&self, key: &OpKey, args: &[Term]) -> Option<Term> {
        match self.becomes.get(key)? {
            Becomes::Term(template) => Some(template.with(args)),
            Becomes::Name(_) => None,
        }
    }
}
