//! What the names of a text mean: its sorts, symbols and variables.

use std::borrow::Cow;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::Rule;
use gchr_base::signature::{Booleans, HIDDEN_BOOL, Signature, Sort, SortId, SortKind, Symbol, SymbolId};
use gchr_base::suggest::nearest;

use super::builtin::characters::{CharFunction, Characters};
use super::builtin::functions::Functions;
use super::builtin::lists::{ListSymbol, Lists};
use super::builtin::{IF, Named};
use super::families::{Families, FamilyId};
use super::fields::Fields;
use super::reporter::Reporter;
use super::sorts::{Parametrics, Sorts};
use crate::ast::{Ident, Name, Names, SortRef, VariableDeclaration};

/// A declared variable.
pub(crate) struct Variable {
    pub ident: Ident,
    pub sort: SortId,
    /// Whether an equation uses it.
    pub used: std::cell::Cell<bool>,
}

/// The variables that are in force at a place of a text.
#[derive(Default)]
pub(crate) struct VisibleVariables {
    /// As positions in [`Scope::variables`].
    by_name: HashMap<Name, usize>,
    /// First variable of the sections since the last `eqn`: those may not clash with each other.
    open_from: usize,
}

/// What the names of a text mean.
pub(crate) struct Scope<'a> {
    pub names: &'a Names,
    pub signature: Cow<'a, Signature>,
    /// By name.
    pub sorts: Vec<Option<SortId>>,
    /// Sorts with parameters, and these.
    pub parametric: Parametrics,
    /// By name; a symbol with parameters itself, not an instance.
    pub symbols: Vec<Option<SymbolId>>,
    pub int: Option<SortId>,
    pub float: Option<SortId>,
    /// The truth values, unless the program declares a `Bool` without them.
    pub truth: Option<Booleans>,
    /// All variables ever declared.
    pub variables: Vec<Variable>,
    pub visible: VisibleVariables,
    /// Names that some `var` section declares, by name.
    pub variable_names: Vec<bool>,
    pub fields: Fields,
    pub families: Cow<'a, Families>,
    pub lists: Cow<'a, Lists>,
    pub functions: Cow<'a, Functions>,
    pub characters: Cow<'a, Characters>,
    pub made: Made,
}

/// Symbols and rules that equations need and no text declares.
#[derive(Default)]
pub(crate) struct Made {
    /// Rules of such symbols.
    pub rules: Vec<Rule>,
    /// The function that chooses between two values.
    pub choice: Option<SymbolId>,
    /// The function whose equation is being lowered.
    pub owner: Option<SymbolId>,
    /// The function whose equation a symbol was first needed for.
    pub owners: HashMap<SymbolId, SymbolId>,
    /// Symbols that stand for a part of one rule, and the first argument that is a variable of it.
    pub parts: HashMap<SymbolId, usize>,
    /// Whether nothing can be added.
    pub is_final: bool,
}

impl<'a> Scope<'a> {
    /// The meaning of the names of another text, e.g. a line of a batch, in a finished program.
    pub fn of_program(
        signature: &'a Signature,
        names: &'a Names,
        find: impl Fn(&str) -> Option<SymbolId>,
        families: &'a Families,
        (lists, functions, characters): (&'a Lists, &'a Functions, &'a Characters),
        choice: Option<SymbolId>,
    ) -> Self {
        let truth = Some(signature.booleans).filter(|b| signature.sorts[b.sort].name != HIDDEN_BOOL);
        Self {
            symbols: names.iter().map(find).collect(),
            int: signature.sort_of_kind(SortKind::Int),
            float: signature.sort_of_kind(SortKind::Float),
            truth,
            names,
            signature: Cow::Borrowed(signature),
            sorts: Vec::new(),
            parametric: Parametrics::default(),
            variables: Vec::new(),
            visible: VisibleVariables::default(),
            variable_names: Vec::new(),
            fields: Fields::default(),
            families: Cow::Borrowed(families),
            lists: Cow::Borrowed(lists),
            functions: Cow::Borrowed(functions),
            characters: Cow::Borrowed(characters),
            made: Made { choice, is_final: true, ..Made::default() },
        }
    }

    /// What may get sorts and symbols, in a program that is not finished.
    pub fn store(&mut self) -> (&mut Families, &mut IdVec<SortId, Sort>, &mut IdVec<SymbolId, Symbol>) {
        let signature = self.signature.to_mut();
        (self.families.to_mut(), &mut signature.sorts, &mut signature.symbols)
    }

    /// A sort that is made of others; `None` where a finished program has none, or it would be too large.
    pub fn sort_instance(&mut self, family: FamilyId, args: Vec<SortId>) -> Option<SortId> {
        let known = self.families.known_sort(family, &args);
        if known.is_some() || self.made.is_final {
            return known;
        }
        let (families, sorts, _) = self.store();
        families.sort(family, args, sorts)
    }

    /// A symbol for these sorts; in the same cases there is none.
    pub fn instance(&mut self, symbol: SymbolId, args: &[SortId]) -> Option<SymbolId> {
        let known = self.families.known_symbol(symbol, args);
        if known.is_some() || self.made.is_final {
            return known;
        }
        let (families, sorts, symbols) = self.store();
        families.symbol(symbol, args.to_vec(), sorts, symbols)
    }

    pub fn text(&self, name: Name) -> &'a str {
        self.names.get(name)
    }

    pub fn sort_name(&self, sort: SortId) -> &str {
        &self.signature.sorts[sort].name
    }

    pub fn symbol(&self, name: Name) -> Option<SymbolId> {
        self.symbols[name.0 as usize]
    }

    pub fn variable(&self, name: Name) -> Option<&Variable> {
        self.visible.by_name.get(&name).map(|&i| &self.variables[i])
    }

    /// Whether some `var` section, perhaps a later one, declares the name.
    pub fn is_variable_somewhere(&self, name: Name) -> bool {
        self.variable_names.get(name.0 as usize).is_some_and(|&declared| declared)
    }

    /// The sort that a text names, in a program that is not finished.
    pub fn find_sort(&mut self, sort: &SortRef, reporter: &mut Reporter) -> Option<SortId> {
        let signature = self.signature.to_mut();
        let mut known = Sorts {
            names: self.names,
            of: &self.sorts,
            parametric: &self.parametric,
            sorts: &mut signature.sorts,
            symbols: &mut signature.symbols,
            families: self.families.to_mut(),
            lists: self.lists.to_mut(),
            functions: self.functions.to_mut(),
            characters: self.characters.to_mut(),
        };
        known.find(sort, reporter)
    }

    /// A `var` section: its variables are in force from here on, until one of the same name is declared.
    pub fn declare_variables(&mut self, clauses: &[VariableDeclaration], reporter: &mut Reporter) {
        for clause in clauses {
            // What stands for sorts is known everywhere.
            let Some(sort) = &clause.sort else { continue };
            let sort = self.find_sort(sort, reporter);
            for &ident in &clause.names {
                let Some(sort) = sort else {
                    reporter.silence(ident.name);
                    continue;
                };
                let earlier = self.visible.by_name.get(&ident.name).filter(|&&i| i >= self.visible.open_from);
                if let Some(first) = earlier.map(|&i| &self.variables[i]) {
                    reporter.report(
                        Diagnostic::error(
                            "T0106",
                            format!("variable `{}` is declared twice", self.text(ident.name)),
                        )
                        .label(ident.span, "declared again here")
                        .label(
                            first.ident.span,
                            format!("first declared here, of sort `{}`", self.sort_name(first.sort)),
                        )
                        .help("remove or rename one of the two"),
                    );
                    continue;
                }
                self.visible.by_name.insert(ident.name, self.variables.len());
                self.variables.push(Variable { ident, sort, used: false.into() });
            }
        }
    }

    /// An `eqn` section: a later `var` section may declare the same names anew.
    pub fn close_variables(&mut self) {
        self.visible.open_from = self.variables.len();
    }

    /// Puts other variables in force; gives those that were.
    pub fn swap_variables(&mut self, variables: VisibleVariables) -> VisibleVariables {
        std::mem::replace(&mut self.visible, variables)
    }

    /// The nearest name among symbols, visible variables and built-in functions.
    pub fn nearest_term(&self, name: &str) -> Option<&str> {
        let symbols = self.signature.symbols.iter().map(|symbol| symbol.name.as_str());
        let mut variables: Vec<&str> = self.visible.by_name.keys().map(|&v| self.text(v)).collect();
        variables.sort_unstable();
        let functions =
            Op::term_functions().map(|name| -> &str { name }).chain([IF]).chain(ListSymbol::names());
        nearest(name, symbols.chain(variables).chain(functions).chain(CharFunction::names()))
    }
}
