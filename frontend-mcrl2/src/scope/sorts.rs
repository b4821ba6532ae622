//! Declared sorts, and what sort expressions stand for.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use crate::ast::{Constructor, Section, Sort, SortKind, Specification};
use crate::types::{Con, Type};

/// Declared sorts.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sorts {
    declared: Vec<Declared>,
    by_name: HashMap<Arc<str>, Meaning>,
    /// `struct`s without a name, by their text.
    anonymous: HashMap<String, u32>,
    /// Reported already.
    unknown: HashSet<Arc<str>>,
    /// Aliases whose definitions are being looked up.
    within: HashSet<Arc<str>>,
}

#[derive(Clone, Debug)]
struct Declared {
    name: Arc<str>,
    span: Span,
    constructors: Option<Arc<[Constructor]>>,
}

#[derive(Clone, Debug)]
enum Meaning {
    Sort(u32),
    Alias(Sort),
    /// An alias that was looked up before.
    Known(Type),
}

/// The largest sort that an alias may stand for.
const MAX_SIZE: usize = 1_000;

const BASIC: [(&str, Con); 5] =
    [("Bool", Con::Bool), ("Pos", Con::Pos), ("Nat", Con::Nat), ("Int", Con::Int), ("Real", Con::Real)];

impl Sorts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.declared.len()
    }
    pub fn name(&self, sort: u32) -> &str {
        &self.declared[sort as usize].name
    }
    pub fn span(&self, sort: u32) -> Span {
        self.declared[sort as usize].span
    }
    /// What a `struct` is.
    pub fn definition(&self, sort: u32) -> Option<Arc<[Constructor]>> {
        self.declared[sort as usize].constructors.clone()
    }

    /// Declares the sorts of a specification.
    pub fn declare(&mut self, specification: &Specification, diagnostics: &mut Vec<Diagnostic>) {
        let mut texts: HashMap<Arc<str>, Option<String>> = HashMap::default();
        for section in &specification.sections {
            let Section::Sorts(sorts) = section else { continue };
            for sort in sorts {
                let name = sort.name.text.clone();
                let basic = BASIC.iter().any(|(basic, _)| **basic == *name);
                let text = sort.definition.as_ref().map(Sort::to_string);
                let same = texts.get(&name) == Some(&text) && !basic;
                if basic || self.by_name.contains_key(&name) {
                    let place = if basic { "built in" } else { "declared again here" };
                    let found = if same {
                        let what = format!("the sort `{name}` is declared twice, as the same");
                        Diagnostic::warning("T2405", what).help("remove one of the two")
                    } else {
                        let what = format!("the sort `{name}` is declared twice");
                        Diagnostic::error("T2104", what)
                            .help("remove one of the two, or give it another name")
                    };
                    diagnostics.push(found.label(sort.name.span, place));
                }
                if same {
                    continue;
                }
                texts.insert(name.clone(), text);
                let meaning = match sort.definition.as_ref().map(|definition| (&definition.kind, definition))
                {
                    Some((SortKind::Struct(constructors), _)) => {
                        let constructors = Some(constructors.clone().into());
                        Meaning::Sort(self.push(name.clone(), sort.name.span, constructors))
                    }
                    Some((_, definition)) => Meaning::Alias(definition.clone()),
                    None => Meaning::Sort(self.push(name.clone(), sort.name.span, None)),
                };
                self.by_name.insert(name, meaning);
            }
        }
        for section in &specification.sections {
            let Section::Sorts(sorts) = section else { continue };
            for sort in sorts {
                let alias = matches!(self.by_name.get(&sort.name.text), Some(Meaning::Alias(_)));
                if let (true, Some(definition)) = (alias, &sort.definition) {
                    self.within.insert(sort.name.text.clone());
                    self.resolve(definition, diagnostics);
                    self.within.remove(&sort.name.text);
                }
            }
        }
    }

    fn push(&mut self, name: Arc<str>, span: Span, constructors: Option<Arc<[Constructor]>>) -> u32 {
        self.declared.push(Declared { name, span, constructors });
        self.declared.len() as u32 - 1
    }

    /// What a sort expression stands for.
    pub fn resolve(&mut self, sort: &Sort, diagnostics: &mut Vec<Diagnostic>) -> Option<Type> {
        match &sort.kind {
            SortKind::Container(container, of) => {
                let con = match *container {
                    "List" => Con::List,
                    "Set" => Con::Set,
                    "Bag" => Con::Bag,
                    "FSet" => Con::FSet,
                    _ => Con::FBag,
                };
                Some(Type::of(con, self.resolve(of, diagnostics)?))
            }
            SortKind::Function(args, result) => {
                let mut found = Vec::new();
                for arg in args {
                    found.push(self.resolve(arg, diagnostics)?);
                }
                Some(Type::function(found, self.resolve(result, diagnostics)?))
            }
            SortKind::Struct(constructors) => {
                let text = sort.to_string();
                let id = match self.anonymous.get(&text) {
                    Some(&id) => id,
                    None => {
                        let constructors = Some(constructors.clone().into());
                        let id = self.push(text.as_str().into(), sort.span, constructors);
                        self.anonymous.insert(text, id);
                        id
                    }
                };
                Some(Type::basic(Con::Data(id)))
            }
            SortKind::Name(name) => self.named(name, sort.span, diagnostics),
        }
    }

    fn named(&mut self, name: &Arc<str>, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Option<Type> {
        if let Some((_, con)) = BASIC.iter().find(|(basic, _)| **basic == **name) {
            return Some(Type::basic(*con));
        }
        // Sorts of the library: `S` and `T` of its own texts are never declared by programs before their lookup.
        if span.source.0 == u32::MAX {
            return Some(Type::Param(u32::from(&**name == "T")));
        }
        match self.by_name.get(name).cloned() {
            Some(Meaning::Sort(id)) => Some(Type::basic(Con::Data(id))),
            Some(Meaning::Alias(_)) if self.within.contains(name) => {
                diagnostics.push(
                    Diagnostic::error("T2106", format!("the sort `{name}` stands for itself"))
                        .label(span, "part of its own definition")
                        .help("a sort that contains itself is a `struct`"),
                );
                self.by_name.remove(name);
                self.unknown.insert(name.clone());
                None
            }
            Some(Meaning::Alias(definition)) => {
                self.within.insert(name.clone());
                let found = self.resolve(&definition, diagnostics);
                self.within.remove(name);
                let found = found?;
                if found.size(MAX_SIZE) >= MAX_SIZE {
                    diagnostics.push(
                        Diagnostic::error(
                            "T2003",
                            format!("the sort `{name}` has more than {MAX_SIZE} parts"),
                        )
                        .label(span, "too large")
                        .help("put parts of it into a `struct`"),
                    );
                    self.by_name.remove(name);
                    self.unknown.insert(name.clone());
                    return None;
                }
                self.by_name.insert(name.clone(), Meaning::Known(found.clone()));
                Some(found)
            }
            Some(Meaning::Known(ty)) => Some(ty),
            None => {
                if self.unknown.insert(name.clone()) {
                    let near = nearest(name, self.by_name.keys().map(|name| &**name));
                    diagnostics.push(
                        Diagnostic::error("T2101", format!("unknown sort `{name}`"))
                            .label(span, "not declared")
                            .help(match near {
                                Some(near) => format!("did you mean `{near}`?"),
                                None => format!("declare it: `sort {name};`"),
                            }),
                    );
                }
                None
            }
        }
    }
}

impl Type {
    /// The name, with those of declared sorts.
    pub fn shown<'a>(&'a self, sorts: &'a Sorts) -> Shown<'a> {
        Shown(self, sorts)
    }
}

/// A sort with the names of declared sorts.
pub(crate) struct Shown<'a>(&'a Type, &'a Sorts);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Shown(ty, sorts) = self;
        let (con, args) = match ty {
            Type::Con(con, args) => (con, args),
            Type::Param(_) | Type::Hole => return f.write_str("?"),
        };
        if let Some((args, result)) = ty.as_function() {
            for (i, arg) in args.iter().enumerate() {
                let between = if i > 0 { " # " } else { "" };
                match arg.as_function() {
                    Some(_) => write!(f, "{between}({})", arg.shown(sorts))?,
                    None => write!(f, "{between}{}", arg.shown(sorts))?,
                }
            }
            return write!(f, " -> {}", result.shown(sorts));
        }
        match con {
            Con::Data(id) => f.write_str(sorts.name(*id)),
            other => write!(f, "{other:?}"),
        }?;
        args.iter().try_for_each(|arg| write!(f, "({})", arg.shown(sorts)))
    }
}
