//! What names of sorts mean.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::signature::SymbolId;
use gchr_base::signature::{Sort, SortId, SortKind, Symbol};
use gchr_base::source::{SourceId, Span};
use gchr_base::suggest::nearest;

use super::builtin::INTEGER;
use super::builtin::characters::{CHAR, Characters, STRING};
use super::builtin::functions::Functions;
use super::builtin::lists::{LIST, Lists};
use super::families::{Families, too_large};
use super::reporter::Reporter;
use crate::ast::{Ident, Name, Names, SortRef};

/// A sort with parameters, or another name of one.
pub(crate) struct Parametric {
    pub parameters: Vec<SortId>,
    /// What it stands for, made of its parameters.
    pub whole: SortId,
    pub span: Span,
}

/// The sorts with parameters, and what parameters are called.
#[derive(Default)]
pub(crate) struct Parametrics {
    pub sorts: HashMap<Name, Parametric>,
    /// One name is one parameter ...
    pub parameters: HashMap<Name, SortId>,
    /// ... in the texts that say so.
    pub texts: HashSet<(Name, SourceId)>,
}

impl Parametrics {
    /// What a sort with parameters stands for.
    pub fn whole(&self, name: Name) -> Option<SortId> {
        self.sorts.get(&name).map(|sort| sort.whole)
    }

    /// The parameter that a name stands for at its place.
    pub fn parameter(&self, ident: Ident) -> Option<SortId> {
        let here = self.texts.contains(&(ident.name, ident.span.source));
        self.parameters.get(&ident.name).copied().filter(|_| here)
    }
}

/// What names of sorts mean.
pub(crate) struct Sorts<'v> {
    pub names: &'v Names,
    /// By name.
    pub of: &'v [Option<SortId>],
    /// Those with parameters.
    pub parametric: &'v Parametrics,
    pub sorts: &'v mut IdVec<SortId, Sort>,
    pub symbols: &'v mut IdVec<SymbolId, Symbol>,
    pub families: &'v mut Families,
    pub lists: &'v mut Lists,
    pub functions: &'v mut Functions,
    pub characters: &'v mut Characters,
}

impl Sorts<'_> {
    /// The sort, which may be a new one that is made of others.
    pub fn find(&mut self, sort: &SortRef, reporter: &mut Reporter) -> Option<SortId> {
        let Some(name) = sort.name else { return self.of_functions(sort, reporter) };
        let (text, parametric) = (self.names.get(name.name), self.parametric);
        let parameter = parametric.parameter(name);
        let mut found = parameter.or(self.of[name.name.0 as usize]);
        let declared = parametric.sorts.get(&name.name).filter(|_| parameter.is_none());
        let is_free = found.is_none() && declared.is_none() && !reporter.is_silenced(name.name);
        let is_list = is_free && text == LIST;
        if is_free && [CHAR, STRING].contains(&text) {
            found = self.of_characters(text);
        }
        let known = found.is_some() || declared.is_some();
        if !is_list && !known {
            unknown_sort(self.sorts, name, self.names, reporter);
            return None;
        }
        let wanted = declared.map_or(usize::from(is_list), |declared| declared.parameters.len());
        if sort.args.len() != wanted {
            let form = match declared {
                Some(declared) => self.sorts[declared.whole].name.clone(),
                None if is_list => format!("{LIST}(Nat)"),
                None => text.to_string(),
            };
            let message = format!("`{text}` stands with another number of sorts in brackets");
            let mut wrong =
                Diagnostic::error("T0109", message).label(sort.span, format!("{} here", sort.args.len()));
            if let Some(declared) = declared {
                wrong = wrong.label(declared.span, "declared here");
            }
            reporter.report(wrong.help(format!("write `{form}`")));
            return None;
        }
        if wanted == 0 {
            return found;
        }
        let args = self.all(&sort.args, reporter)?;
        let made = match declared {
            Some(Parametric { parameters, whole, .. }) => {
                self.families.substitute(*whole, parameters, &args, self.sorts)
            }
            None => {
                let family = self.lists.family(self.families, self.sorts, self.symbols);
                self.families.sort(family, args, self.sorts)
            }
        };
        if made.is_none() {
            reporter.report(too_large(sort.span));
        }
        made
    }

    /// Characters, or texts; `None` where the program has others, or no integers.
    fn of_characters(&mut self, text: &str) -> Option<SortId> {
        let character = self.characters.built(self.sorts, self.symbols)?.sort;
        if text == CHAR {
            return Some(character);
        }
        let family = self.lists.family(self.families, self.sorts, self.symbols);
        self.families.sort(family, vec![character], self.sorts)
    }

    fn of_functions(&mut self, sort: &SortRef, reporter: &mut Reporter) -> Option<SortId> {
        let profile = self.all(&sort.args, reporter)?;
        let arity = profile.len() - 1;
        let family = self.functions.family(arity, self.families, self.sorts, self.symbols);
        let made = self.families.sort(family, profile, self.sorts);
        if made.is_none() {
            reporter.report(too_large(sort.span));
        }
        made
    }

    /// These sorts, after all of them are looked at.
    fn all(&mut self, sorts: &[SortRef], reporter: &mut Reporter) -> Option<Vec<SortId>> {
        let found: Vec<_> = sorts.iter().map(|sort| self.find(sort, reporter)).collect();
        found.into_iter().collect()
    }
}

fn unknown_sort(sorts: &IdVec<SortId, Sort>, ident: Ident, names: &Names, reporter: &mut Reporter) {
    if !reporter.first_report(ident.name) {
        return;
    }
    let text = names.get(ident.name);
    let is_wide = sorts.iter().any(|sort| sort.name == INTEGER && sort.kind == SortKind::Int);
    if is_wide && text == "Float" {
        return reporter.report(
            Diagnostic::error("T0116", format!("a program with the sort `{INTEGER}` has no `Float`"))
                .label(ident.span, "numbers of another kind")
                .help(format!("use `{INTEGER}` here, or `Int` in the place of `{INTEGER}`")),
        );
    }
    // With its one letter replaced, a name is another one.
    let suggests = reporter.suggests() && text.len() > 1;
    let near = suggests.then(|| nearest(text, sorts.iter().map(|sort| sort.name.as_str())));
    reporter.report(
        Diagnostic::error("T0101", format!("unknown sort `{text}`")).label(ident.span, "not declared").help(
            match near.flatten() {
                Some(near) => format!("did you mean `{near}`?"),
                None if text.len() > 1 => {
                    format!("declare it: `sort {text} = struct ...;` or `sort {text};`")
                }
                None => {
                    format!("declare it: `sort {text};`, or `var {text}: sort;` where it stands for any sort")
                }
            },
        ),
    );
}
