//! Sorts, symbols and variables of a module: the signature, and what a name means.

mod sorts;

use std::borrow::Cow;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::Rule;
use gchr_base::signature::{
    Booleans, HIDDEN_BOOL, Signature, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind, Texts,
};
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use self::sorts::{Parametrics, Sorts};
use super::Reporter;
use super::families::{Families, FamilyId};
use super::made::characters::{CharFunction, Characters};
use super::made::choice::IF;
use super::made::fields::{Field, Fields};
use super::made::functions::Functions;
use super::made::lists::{LIST, ListSymbol, Lists};
use super::resolve::no_truth;
use crate::ast::{
    Ident, Module, Name, Names, NodeKind, Section, SortBody, SortDeclaration, SortRef, StructSymbol,
    VariableDeclaration,
};

/// The name of the sort of integers of any size, unless the program declares a sort of this name.
pub(crate) const INTEGER: &str = "Integer";

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
    sorts: Vec<Option<SortId>>,
    /// Sorts with parameters, and these.
    parametric: Parametrics,
    /// By name; a symbol with parameters itself, not an instance.
    pub symbols: Vec<Option<SymbolId>>,
    pub int: Option<SortId>,
    pub float: Option<SortId>,
    /// The truth values, unless the program declares a `Bool` without them.
    pub truth: Option<Booleans>,
    /// All variables ever declared.
    pub variables: Vec<Variable>,
    visible: VisibleVariables,
    /// Names that some `var` section declares, by name.
    variable_names: Vec<bool>,
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
    /// Collects the sorts and symbols of all sections; declarations may stand behind their use.
    pub fn declare(module: &'a Module, reporter: &mut Reporter) -> Self {
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
            Op::term_functions().map(|name| -> &str { name }).chain([IF]).chain(ListSymbol::functions());
        nearest(name, symbols.chain(variables).chain(functions).chain(CharFunction::names()))
    }
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
