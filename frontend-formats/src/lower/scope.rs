//! What the names of a system mean.

use std::borrow::Cow;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::names::{Ident, Name, Names};
use gchr_base::signature::{
    Booleans, ByteTexts, ColumnTypes, HIDDEN_BOOL, Signature, Sort, SortId, SortKind, Symbol, SymbolId,
    SymbolKind, Texts,
};
use gchr_base::suggest::nearest;

use super::{is_repeatable, kind_of};
use crate::system::System;
use crate::term::Term;

/// What a name means.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Symbol(SymbolId),
    /// `s^24`: a unary symbol so many times.
    Repeat(SymbolId, u32),
    /// With its sort, where it is declared.
    Variable(Option<SortId>),
    Unknown,
}

/// The meaning of all names.
pub(super) struct Scope<'a> {
    names: &'a Names,
    pub signature: Cow<'a, Signature>,
    /// By name.
    symbols: Vec<Option<SymbolId>>,
    variables: HashMap<Name, Option<SortId>>,
    undeclared_variables: bool,
}

impl<'a> Scope<'a> {
    /// Of the declarations of a system.
    pub fn declare(system: &'a System, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut sorts = IdVec::new();
        let mut sort_of: HashMap<Name, SortId> = HashMap::default();
        for &ident in &system.sorts {
            sort_of.entry(ident.name).or_insert_with(|| {
                let (name, kind) = (system.text(ident.name).to_string(), SortKind::Data);
                sorts.push(Sort { name, kind, span: Some(ident.span) })
            });
        }
        let mut finder = Finder { system, sort_of, unknown: HashSet::default(), diagnostics };
        let heads: HashSet<Name> = system.rules.iter().map(|rule| rule.left.root().name).collect();
        let mut symbols: IdVec<SymbolId, Symbol> = IdVec::new();
        let mut symbol_of = vec![None; system.names.iter().len()];
        for declared in &system.symbols {
            let args: Option<Vec<SortId>> = declared.args.iter().map(|&sort| finder.sort(sort)).collect();
            let (Some(args), Some(result)) = (args, finder.sort(declared.result)) else { continue };
            let name = system.text(declared.name.name).to_string();
            let known = &mut symbol_of[declared.name.name.0 as usize];
            if let Some(first) = known.map(|first: SymbolId| &symbols[first]) {
                if first.args != args || first.result != result {
                    finder.diagnostics.push(twice(declared.name, first));
                }
                continue;
            }
            let kind = kind_of(heads.contains(&declared.name.name));
            *known = Some(symbols.push(Symbol { name, args, result, kind, span: Some(declared.name.span) }));
        }
        let variables = system.variables.iter().map(|v| (v.name.name, finder.sort(v.sort))).collect();
        Self {
            names: &system.names,
            signature: Cow::Owned(signature(sorts, symbols)),
            symbols: symbol_of,
            variables,
            undeclared_variables: system.undeclared_variables,
        }
    }

    /// Of the names in another text, where there are no variables.
    pub fn of_input(
        names: &'a Names,
        signature: &'a Signature,
        find: impl Fn(&str) -> Option<SymbolId>,
    ) -> Self {
        Self {
            symbols: names.iter().map(find).collect(),
            names,
            signature: Cow::Borrowed(signature),
            variables: HashMap::default(),
            undeclared_variables: false,
        }
    }

    /// What a name with so many arguments means.
    pub fn meaning(&self, name: Name, arity: u32) -> Meaning {
        if arity == 0
            && let Some(&sort) = self.variables.get(&name)
        {
            return Meaning::Variable(sort);
        }
        if let Some(symbol) = self.symbols[name.0 as usize] {
            return Meaning::Symbol(symbol);
        }
        match self.repeated(name) {
            Some((symbol, count)) if arity == 1 => Meaning::Repeat(symbol, count),
            _ if self.undeclared_variables => Meaning::Variable(None),
            _ => Meaning::Unknown,
        }
    }

    /// `s^24`, where terms to evaluate are read against a finished program.
    fn repeated(&self, name: Name) -> Option<(SymbolId, u32)> {
        let (symbol, count) = self.text(name).rsplit_once('^')?;
        let symbol = self.symbols[self.names.find(symbol)?.0 as usize]?;
        let count = count.parse().ok().filter(|&count| count > 0)?;
        is_repeatable(&self.signature, symbol).then_some((symbol, count))
    }

    /// The sort of a term whose root is a symbol.
    pub fn root_sort(&self, term: &Term) -> Option<SortId> {
        let root = term.root();
        match self.meaning(root.name, root.arity) {
            Meaning::Symbol(symbol) | Meaning::Repeat(symbol, _) => {
                Some(self.signature.symbols[symbol].result)
            }
            Meaning::Variable(sort) => sort,
            Meaning::Unknown => None,
        }
    }

    pub fn text(&self, name: Name) -> &'a str {
        self.names.get(name)
    }

    pub fn sort_name(&self, sort: SortId) -> &str {
        &self.signature.sorts[sort].name
    }
}

/// Finds declared sorts.
struct Finder<'a, 'd> {
    system: &'a System,
    sort_of: HashMap<Name, SortId>,
    /// Reported already.
    unknown: HashSet<Name>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Finder<'_, '_> {
    fn sort(&mut self, ident: Ident) -> Option<SortId> {
        let found = self.sort_of.get(&ident.name).copied();
        if found.is_none() && self.unknown.insert(ident.name) {
            let text = self.system.text(ident.name);
            let near = nearest(text, self.system.sorts.iter().map(|sort| self.system.text(sort.name)));
            self.diagnostics.push(
                Diagnostic::error("T1101", format!("unknown sort `{text}`"))
                    .label(ident.span, "not declared")
                    .help(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("declare the sort `{text}`"),
                    }),
            );
        }
        found
    }
}

fn twice(name: Ident, first: &Symbol) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        "T1104",
        format!("symbol `{}` is declared twice, with different sorts", first.name),
    )
    .label(name.span, "declared again here");
    if let Some(span) = first.span {
        diagnostic = diagnostic.label(span, "first declared here");
    }
    diagnostic.help("rename one of the two: a name has one meaning")
}

/// A signature whose truth values are hidden: conditions compare terms, and no term of the text has their sort.
fn signature(mut sorts: IdVec<SortId, Sort>, mut symbols: IdVec<SymbolId, Symbol>) -> Signature {
    let sort = sorts.push(Sort { name: HIDDEN_BOOL.into(), kind: SortKind::Data, span: None });
    let mut constant = |name: &str| {
        let (name, kind) = (name.to_string(), SymbolKind::Constructor);
        symbols.push(Symbol { name, args: Vec::new(), result: sort, kind, span: None })
    };
    let booleans = Booleans { sort, true_symbol: constant("true"), false_symbol: constant("false") };
    Signature {
        sorts,
        symbols,
        constraints: IdVec::new(),
        column_types: ColumnTypes::default(),
        texts: Texts::default(),
        booleans,
        operators: None,
        notations: HashMap::default(),
        big_integers: false,
        byte_texts: ByteTexts::default(),
    }
}
