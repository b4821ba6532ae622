//! Sorts and symbols that a module declares: the signature.

mod sorts;

use std::borrow::Cow;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::signature::{
    Booleans, ByteTexts, HIDDEN_BOOL, Signature, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind, Texts,
};
use gchr_base::source::Span;

use super::builtin::characters::Characters;
use super::builtin::functions::Functions;
use super::builtin::lists::Lists;
use super::builtin::no_truth;
use super::families::{Families, FamilyId};
use super::fields::{Field, Fields};
use super::reporter::Reporter;
use super::scope::{Made, Scope, VisibleVariables};
use super::sorts::Parametrics;
use crate::ast::{
    Ident, Module, Name, Names, NodeKind, Section, SortBody, SortDeclaration, SortRef, StructSymbol,
};

/// Collects the sorts and symbols of all sections; declarations may stand behind their use.
pub(crate) fn declare<'a>(module: &'a Module, reporter: &mut Reporter) -> Scope<'a> {
    let mut collector = Collector {
        names: &module.names,
        heads: heads(module),
        sorts: IdVec::new(),
        sort_of: vec![None; module.names.iter().len()],
        symbols: IdVec::new(),
        symbol_of: vec![None; module.names.iter().len()],
        parametric: Parametrics::default(),
        is_wide: false,
        fields: Fields::default(),
        families: Families::default(),
        lists: Lists::default(),
        functions: Functions::default(),
        characters: Characters::default(),
        reporter,
    };
    collector.sorts(module);
    let builtin_bool = collector.builtin_bool();
    collector.symbols(module);
    let mut scope = collector.finish(builtin_bool);
    scope.variable_names = variable_names(module);
    scope
}

fn variable_names(module: &Module) -> Vec<bool> {
    let mut declared = vec![false; module.names.iter().len()];
    for section in module.all_sections() {
        let Section::Variables(clauses) = section else { continue };
        clauses
            .iter()
            .filter(|clause| clause.sort.is_some())
            .flat_map(|clause| &clause.names)
            .for_each(|ident| declared[ident.name.0 as usize] = true);
    }
    declared
}

/// Names that stand at the head of a left-hand side: these symbols are defined functions.
fn heads(module: &Module) -> Vec<bool> {
    let mut heads = vec![false; module.names.iter().len()];
    for section in module.all_sections() {
        let Section::Equations(equations) = section else { continue };
        for equation in equations {
            if let NodeKind::Name(name) | NodeKind::Call(name, _) | NodeKind::Power(name, _) =
                equation.left.root().kind
            {
                heads[name.0 as usize] = true;
            }
        }
    }
    heads
}

/// Collects declarations.
struct Collector<'a, 'r> {
    names: &'a Names,
    heads: Vec<bool>,
    sorts: IdVec<SortId, Sort>,
    sort_of: Vec<Option<SortId>>,
    symbols: IdVec<SymbolId, Symbol>,
    symbol_of: Vec<Option<SymbolId>>,
    /// Sorts with parameters, and these.
    parametric: Parametrics,
    /// Whether integers have any size.
    is_wide: bool,
    fields: Fields,
    families: Families,
    lists: Lists,
    functions: Functions,
    characters: Characters,
    reporter: &'r mut Reporter,
}

impl<'a> Collector<'a, '_> {
    /// `true` and `false`, when `Bool` is built in; `True` and `False` mean the same unless the program declares them.
    fn builtin_bool(&mut self) -> Option<Booleans> {
        let (sort, _) = self.sorts.iter_enumerated().find(|(_, s)| s.name == "Bool" && s.span.is_none())?;
        let mut constant = |name: &str| {
            let symbol = Symbol {
                name: name.into(),
                args: Vec::new(),
                result: sort,
                kind: SymbolKind::Constructor,
                span: None,
            };
            let id = self.symbols.push(symbol);
            if let Some(name) = self.names.find(name) {
                self.symbol_of[name.0 as usize] = Some(id);
            }
            id
        };
        Some(Booleans { sort, true_symbol: constant("true"), false_symbol: constant("false") })
    }

    fn symbols(&mut self, module: &'a Module) {
        for section in module.all_sections() {
            match section {
                Section::Sorts(clauses) => {
                    for clause in clauses {
                        let sort = clause.names.first().copied();
                        for symbol in clause.symbols() {
                            self.struct_symbol(sort, symbol);
                        }
                    }
                }
                Section::Constructors(clauses) | Section::Maps(clauses) => {
                    for clause in clauses {
                        let args: Vec<_> = clause.args.iter().map(|sort| self.find(sort)).collect();
                        let result = self.find(&clause.result);
                        for &name in &clause.names {
                            self.symbol(name, &args, result);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn struct_symbol(&mut self, sort: Option<Ident>, symbol: &StructSymbol) {
        let args: Vec<_> = symbol.args.iter().map(|arg| self.find(&arg.sort)).collect();
        let sort = sort.and_then(|sort| {
            let parametric = self.parametric.whole(sort.name);
            parametric.or(self.sort_of[sort.name.0 as usize])
        });
        let of = self.symbol(symbol.name, &args, sort);
        for (at, arg) in symbol.args.iter().enumerate() {
            if let Some(projection) = arg.projection {
                self.field(projection, of, Some(at), sort, args[at]);
            }
        }
        if let Some(recogniser) = symbol.recogniser {
            let truth = self.bool_sort();
            if truth.is_none() {
                self.reporter.report(no_truth(recogniser.span));
            }
            self.field(recogniser, of, None, sort, truth);
        }
    }

    /// The sort of the name `Bool`.
    fn bool_sort(&self) -> Option<SortId> {
        let named = self.names.find("Bool").and_then(|name| self.sort_of[name.0 as usize]);
        let built_in = || self.sorts.iter_enumerated().find(|(_, s)| s.name == "Bool" && s.span.is_none());
        named.or_else(|| built_in().map(|(id, _)| id))
    }

    /// A projection, to an argument, or a recogniser of a constructor.
    fn field(
        &mut self,
        ident: Ident,
        of: Option<SymbolId>,
        argument: Option<usize>,
        sort: Option<SortId>,
        result: Option<SortId>,
    ) {
        let known = self.symbol_of[ident.name.0 as usize]
            .filter(|&known| argument.is_some() && self.fields.is_projection(known, sort, result));
        let function = match known {
            Some(known) => Some(known),
            None => self.symbol_with(ident, &[sort], result, Some(SymbolKind::Defined)),
        };
        let (Some(function), Some(of), Some(sort), Some(result)) = (function, of, sort, result) else {
            return;
        };
        self.fields.add(Field { function, of, argument, span: ident.span }, sort, result);
    }

    fn symbol(&mut self, ident: Ident, args: &[Option<SortId>], result: Option<SortId>) -> Option<SymbolId> {
        self.symbol_with(ident, args, result, None)
    }

    /// A symbol, a function where the equations do not say what it is and `kind` does.
    fn symbol_with(
        &mut self,
        ident: Ident,
        args: &[Option<SortId>],
        result: Option<SortId>,
        kind: Option<SymbolKind>,
    ) -> Option<SymbolId> {
        let index = ident.name.0 as usize;
        let args: Option<Vec<SortId>> = args.iter().copied().collect();
        let (Some(args), Some(result)) = (args, result) else {
            self.reporter.silence(ident.name);
            return None;
        };
        if let Some(first) = self.symbol_of[index] {
            self.duplicate(ident, &args, first);
            return None;
        }
        let by_rules = if self.heads[index] { SymbolKind::Defined } else { SymbolKind::Constructor };
        let kind = kind.unwrap_or(by_rules);
        let name = self.names.get(ident.name).to_string();
        let mut parameters = Vec::new();
        args.iter().chain([&result]).for_each(|&sort| self.families.parameters_in(sort, &mut parameters));
        let id = self.symbols.push(Symbol { name, args, result, kind, span: Some(ident.span) });
        self.symbol_of[index] = Some(id);
        if parameters.is_empty() {
            return Some(id);
        }
        if kind == SymbolKind::Constructor {
            let Some((family, own)) = self.built_family(result, &parameters) else {
                self.not_built(ident, result, &parameters);
                return Some(id);
            };
            parameters = own;
            self.families.constructor(family, id);
        }
        self.families.generalise(id, parameters);
        Some(id)
    }

    /// The sort that a constructor with these parameters builds, and its parameters in the order of that sort: they all
    /// stand there, each once.
    fn built_family(&self, result: SortId, parameters: &[SortId]) -> Option<(FamilyId, Vec<SortId>)> {
        let (family, own) = self.families.origin_of_sort(result)?;
        let once = |sort: &SortId| own.iter().filter(|other| *other == sort).count() == 1;
        let fits = own.iter().all(|sort| self.families.is_parameter(*sort) && once(sort))
            && parameters.iter().all(|parameter| own.contains(parameter));
        fits.then(|| (family, own.to_vec()))
    }

    fn not_built(&mut self, ident: Ident, result: SortId, parameters: &[SortId]) {
        let name = |sort: SortId| self.sorts[sort].name.as_str();
        let names: Vec<&str> = parameters.iter().map(|&parameter| name(parameter)).collect();
        let (text, names) = (self.names.get(ident.name), names.join(", "));
        let message = format!("what the constructor `{text}` builds does not name its parameters");
        let label = format!("has the parameters `{names}`, and builds a `{}`", name(result));
        let help =
            format!("let it build a sort of these, `{text}: ... -> Box({names})`, or give it equations");
        self.reporter.report(
            Diagnostic::error("T0113", message)
                .label(ident.span, label)
                .note("a symbol without equations is a constructor; it builds a sort with parameters, each once")
                .help(help),
        );
    }

    fn duplicate(&mut self, ident: Ident, args: &[SortId], first: SymbolId) {
        let first = &self.symbols[first];
        let mut diagnostic = Diagnostic::error("T0105", format!("symbol `{}` is declared twice", first.name))
            .label(ident.span, "declared again here");
        diagnostic = match first.span {
            Some(span) => diagnostic.label(span, "first declared here"),
            None => diagnostic.note(format!(
                "`{}` is a constant of the built-in sort `Bool`; a program that declares `Bool` itself has none",
                first.name
            )),
        };
        if first.args != args {
            diagnostic =
                diagnostic.note("a name has one meaning: overloading by argument sorts is not supported");
        }
        self.reporter.report(diagnostic.help("rename one of the two"));
    }

    fn finish(mut self, builtin_bool: Option<Booleans>) -> Scope<'a> {
        if let Some(booleans) = builtin_bool {
            for (alias, symbol) in [("True", booleans.true_symbol), ("False", booleans.false_symbol)] {
                if let Some(name) = self.names.find(alias) {
                    self.symbol_of[name.0 as usize].get_or_insert(symbol);
                }
            }
        }
        let truth = builtin_bool.or_else(|| self.declared_bool());
        let booleans = truth.unwrap_or_else(|| self.hidden_bool());
        let signature = Signature {
            sorts: self.sorts,
            symbols: self.symbols,
            constraints: IdVec::new(),
            column_types: gchr_base::signature::ColumnTypes::default(),
            texts: Texts::default(),
            booleans,
            operators: None,
            notations: HashMap::default(),
            big_integers: self.is_wide,
            byte_texts: ByteTexts::default(),
        };
        Scope {
            names: self.names,
            int: signature.sort_of_kind(SortKind::Int),
            float: signature.sort_of_kind(SortKind::Float),
            signature: Cow::Owned(signature),
            sorts: self.sort_of,
            parametric: self.parametric,
            symbols: self.symbol_of,
            truth,
            variables: Vec::new(),
            visible: VisibleVariables::default(),
            variable_names: Vec::new(),
            fields: self.fields,
            families: Cow::Owned(self.families),
            lists: Cow::Owned(self.lists),
            functions: Cow::Owned(self.functions),
            characters: Cow::Owned(self.characters),
            made: Made::default(),
        }
    }

    /// The truth values of a `Bool` that the program declares: `true` and `false`, or `True` and `False`.
    fn declared_bool(&self) -> Option<Booleans> {
        let sort = self.bool_sort()?;
        let constant = |text: &str| {
            let id = self.symbol_of[self.names.find(text)?.0 as usize]?;
            let symbol = &self.symbols[id];
            let fits = symbol.result == sort && symbol.args.is_empty();
            (fits && symbol.kind == SymbolKind::Constructor).then_some(id)
        };
        [("true", "false"), ("True", "False")].into_iter().find_map(|(yes, no)| {
            Some(Booleans { sort, true_symbol: constant(yes)?, false_symbol: constant(no)? })
        })
    }

    /// The rule IR always has truth values; here no term of the program has their sort.
    fn hidden_bool(&mut self) -> Booleans {
        let sort = self.sorts.push(Sort { name: HIDDEN_BOOL.into(), kind: SortKind::Data, span: None });
        let mut constant = |name: &str| {
            let (name, kind) = (name.to_string(), SymbolKind::Constructor);
            self.symbols.push(Symbol { name, args: Vec::new(), result: sort, kind, span: None })
        };
        Booleans { sort, true_symbol: constant("true"), false_symbol: constant("false") }
    }
}
