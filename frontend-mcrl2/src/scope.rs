//! What the names of a specification mean: sorts, and symbols with their sorts.

mod sorts;

use std::sync::{Arc, OnceLock};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::source::{SourceId, Span};

use crate::ast::{Equation, Ident, Section, Specification, SymbolDeclaration};
use crate::library::{LIBRARY, Meaning};
use crate::parser;
use crate::types::{Con, Type};

pub(crate) use self::sorts::Sorts;

/// A symbol.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub name: Arc<str>,
    /// How many parameters its sort has.
    pub type_params: usize,
    pub params: Vec<Type>,
    pub result: Type,
    pub meaning: Meaning,
    /// Where it is declared, or the part of the library.
    pub origin: Origin,
    /// What it does with values of a `struct`, of which it is a projection or a test.
    pub access: Option<Access>,
}

/// Where a symbol comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Program(Span),
    Library(usize),
}

/// Constructors, each with a position among its arguments.
type Places = Vec<(usize, usize)>;

/// What a projection or a test does with the constructors of its sort.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// Constructors that have it, with the argument that it gives.
    Projection(Places),
    /// The constructor that it holds for.
    Test(usize),
}

impl Symbol {
    /// Its sort as a value.
    pub fn value_type(&self) -> Type {
        if self.params.is_empty() {
            self.result.clone()
        } else {
            Type::function(self.params.clone(), self.result.clone())
        }
    }
}

/// The meaning of all names.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub sorts: Sorts,
    pub symbols: Vec<Symbol>,
    by_name: HashMap<Arc<str>, Vec<usize>>,
    /// By sort, its constructors.
    pub constructors: Vec<Vec<usize>>,
}

/// The parts of the library as specifications. Places in them are places in no text.
pub(crate) fn library() -> &'static [Specification] {
    static PARTS: OnceLock<Vec<Specification>> = OnceLock::new();
    PARTS.get_or_init(|| {
        let mut found = Vec::new();
        let parse = |part: &crate::library::Part| {
            parser::specification(SourceId(u32::MAX), part.text, true, &mut found)
        };
        let parts: Vec<Specification> = LIBRARY.iter().map(parse).collect();
        debug_assert!(found.is_empty(), "{found:?}");
        parts
    })
}

impl Scope {
    /// Of the declarations of a specification and of the library.
    pub fn declare(specification: &Specification, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut scope = Self {
            sorts: Sorts::default(),
            symbols: Vec::new(),
            by_name: HashMap::default(),
            constructors: Vec::new(),
        };
        scope.sorts.declare(specification, diagnostics);
        for section in &specification.sections {
            match section {
                Section::Constructors(symbols) => {
                    scope.declare_symbols(symbols, Meaning::Constructor, None, diagnostics);
                }
                Section::Mappings(symbols) => {
                    scope.declare_symbols(symbols, Meaning::Equations, None, diagnostics);
                }
                Section::Sorts(_) | Section::Equations { .. } => {}
            }
        }
        // Sorts in the declarations of symbols may be `struct`s of their own.
        scope.declare_structs(diagnostics);
        let own = scope.symbols.len();
        for (part, specification) in library().iter().enumerate() {
            for section in &specification.sections {
                match section {
                    Section::Constructors(symbols) => {
                        scope.declare_symbols(symbols, Meaning::Constructor, Some(part), diagnostics);
                    }
                    Section::Mappings(symbols) => {
                        scope.declare_symbols(symbols, LIBRARY[part].meaning, Some(part), diagnostics);
                    }
                    Section::Sorts(_) | Section::Equations { .. } => {}
                }
            }
        }
        scope.constructors = vec![Vec::new(); scope.sorts.len()];
        for (id, symbol) in scope.symbols[..own].iter().enumerate() {
            if let (Meaning::Constructor, Some(Con::Data(sort))) = (symbol.meaning, symbol.result.con()) {
                scope.constructors[sort as usize].push(id);
            }
        }
        scope
    }

    fn add(&mut self, symbol: Symbol, diagnostics: &mut Vec<Diagnostic>) -> usize {
        let id = self.symbols.len();
        let known = self.by_name.entry(symbol.name.clone()).or_default();
        let is_mapping = |symbol: &Symbol| symbol.meaning == Meaning::Equations && symbol.access.is_none();
        for &other in known.iter() {
            let first = &self.symbols[other];
            let (Origin::Program(span), Origin::Program(place)) = (symbol.origin, first.origin) else {
                continue;
            };
            if first.params != symbol.params || first.result != symbol.result {
                continue;
            }
            let name = &symbol.name;
            if is_mapping(first) && is_mapping(&symbol) {
                diagnostics.push(
                    Diagnostic::warning("T2405", format!("the mapping `{name}` is declared twice"))
                        .label(span, "declared again here, with the same sort: the same mapping")
                        .label(place, "first declared here")
                        .help("remove one of the two"),
                );
                return other;
            }
            diagnostics.push(
                Diagnostic::error("T2104", format!("`{name}` is declared twice"))
                    .label(span, "declared again here, with the same sort")
                    .label(place, "first declared here")
                    .help("remove one of the two, or give it another name"),
            );
            break;
        }
        known.push(id);
        self.symbols.push(symbol);
        id
    }

    fn declare_symbols(
        &mut self,
        declared: &[SymbolDeclaration],
        meaning: Meaning,
        part: Option<usize>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        for declaration in declared {
            let Some(ty) = self.sorts.resolve(&declaration.sort, diagnostics) else { continue };
            let (params, result) = match ty.as_function() {
                Some((params, result)) => (params.to_vec(), result.clone()),
                None => (Vec::new(), ty.clone()),
            };
            for name in &declaration.names {
                let origin = part.map_or(Origin::Program(name.span), Origin::Library);
                let meaning = match meaning {
                    Meaning::Constructor
                        if part.is_none() && !self.check_constructor(name, &result, diagnostics) =>
                    {
                        Meaning::Equations
                    }
                    _ => meaning,
                };
                let symbol = Symbol {
                    name: name.text.clone(),
                    type_params: ty.params() as usize,
                    params: params.clone(),
                    result: result.clone(),
                    meaning,
                    origin,
                    access: None,
                };
                self.add(symbol, diagnostics);
            }
        }
    }

    /// Whether values of a sort can have constructors; one of another sort is a mapping.
    fn check_constructor(&self, name: &Ident, result: &Type, diagnostics: &mut Vec<Diagnostic>) -> bool {
        let found = matches!(result.con(), Some(Con::Data(_)));
        if !found {
            let shown = result.shown(&self.sorts).to_string();
            diagnostics.push(
                Diagnostic::warning("T2105", format!("`{}` is a mapping, not a constructor", name.text))
                    .label(name.span, format!("the values of the sort `{shown}` are built in"))
                    .help("write `map` here: constructors build values of declared sorts"),
            );
        }
        found
    }

    /// Constructors, projections and tests of all `struct`s.
    fn declare_structs(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let mut next = 0;
        while next < self.sorts.len() {
            let sort = next as u32;
            next += 1;
            let Some(constructors) = self.sorts.definition(sort) else { continue };
            let result = Type::basic(Con::Data(sort));
            let mut projections: Vec<(Ident, Type, Places)> = Vec::new();
            let mut tests = Vec::new();
            for constructor in constructors.iter() {
                let mut params = Vec::new();
                for (_, field) in &constructor.fields {
                    params.push(self.sorts.resolve(field, diagnostics).unwrap_or(Type::Hole));
                }
                let id = self.symbols.len();
                for (at, (projection, _)) in constructor.fields.iter().enumerate() {
                    let Some(projection) = projection else { continue };
                    let ty = &params[at];
                    match projections.iter_mut().find(|(n, t, _)| n.text == projection.text && t == ty) {
                        Some((_, _, places)) => places.push((id, at)),
                        None => projections.push((projection.clone(), ty.clone(), vec![(id, at)])),
                    }
                }
                tests.extend(constructor.recogniser.iter().map(|name| (name.clone(), id)));
                let (name, origin) = (constructor.name.text.clone(), Origin::Program(constructor.name.span));
                let (result, meaning) = (result.clone(), Meaning::Constructor);
                let symbol = Symbol { name, type_params: 0, params, result, meaning, origin, access: None };
                self.add(symbol, diagnostics);
            }
            let projections =
                projections.into_iter().map(|(name, ty, places)| (name, ty, Access::Projection(places)));
            let tests = tests.into_iter().map(|(name, of)| (name, Type::basic(Con::Bool), Access::Test(of)));
            for (name, ty, access) in projections.chain(tests).collect::<Vec<_>>() {
                let symbol = Symbol {
                    name: name.text.clone(),
                    type_params: 0,
                    params: vec![result.clone()],
                    result: ty,
                    meaning: Meaning::Equations,
                    origin: Origin::Program(name.span),
                    access: Some(access),
                };
                self.add(symbol, diagnostics);
            }
        }
    }

    /// The symbols with a name, those of the program first.
    pub fn named(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The symbol of the library with a name that it has once.
    pub fn in_library(&self, name: &str) -> usize {
        let of_library = |id: &&usize| matches!(self.symbols[**id].origin, Origin::Library(_));
        self.named(name).iter().find(of_library).copied().unwrap_or(0)
    }

    /// All names that symbols have.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let of_program = |symbol: &&Symbol| !symbol.name.starts_with('@');
        self.symbols.iter().filter(of_program).map(|symbol| &*symbol.name)
    }

    /// The equations that the library has for a symbol, each with the variables in force.
    pub fn library_equations(&self, id: usize) -> Vec<(&'static Equation, &'static [crate::ast::Binding])> {
        let symbol = &self.symbols[id];
        let Origin::Library(part) = symbol.origin else { return Vec::new() };
        let mut found = Vec::new();
        for section in &library()[part].sections {
            if let Section::Equations { variables, equations } = section {
                let of_symbol = |equation: &&Equation| {
                    let (name, args) = equation.left.head();
                    *name == *symbol.name && args.len() == symbol.params.len()
                };
                found.extend(equations.iter().filter(of_symbol).map(|equation| (equation, &variables[..])));
            }
        }
        found
    }

    /// Constructors of a declared sort. One without any has the mappings that no equation is about.
    pub fn values_of(&self, sort: u32, with_equations: &HashSet<usize>) -> Vec<usize> {
        let declared = &self.constructors[sort as usize];
        if !declared.is_empty() {
            return declared.clone();
        }
        let is_free = |(id, symbol): &(usize, &Symbol)| {
            symbol.result.con() == Some(Con::Data(sort))
                && matches!(symbol.origin, Origin::Program(_))
                && !with_equations.contains(id)
                && symbol.access.is_none()
        };
        self.symbols.iter().enumerate().filter(is_free).map(|(id, _)| id).collect()
    }
}
