//! Sorts and symbols with parameters, and their instances.
//!
//! A parameter is a sort of its own, of which nothing is known. So a definition with parameters is checked once, as any
//! other one, and what it is used with are instances: the same with other sorts in the place of the parameters. They
//! are made where they are needed: a symbol when a term has it, the constructors of a sort when the sort is there,
//! rules when their function is there. What still has parameters at the end is left out of the program.

use std::collections::VecDeque;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::signature::{Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind};
use gchr_base::source::Span;

/// Deepest sort.
const MAX_DEPTH: u32 = 200;
/// Most sorts that a sort is made of.
const MAX_SIZE: u32 = 2_000;
/// Most sorts that are made of others.
const MAX_SORTS: usize = 10_000;

/// Most symbols that are instances.
const MAX_SYMBOLS: usize = 100_000;

/// A sort with parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FamilyId(u32);

/// What is known of a sort with parameters.
#[derive(Clone)]
struct Family {
    name: String,
    /// Whether its sorts are those of functions, made of the sorts of arguments and of the result.
    is_function: bool,
    span: Option<Span>,
    parameters: Vec<SortId>,
    /// Symbols whose result is this sort of their own parameters.
    constructors: Vec<SymbolId>,
}

/// Something with the sorts that stand in it for parameters.
type Applied<T> = (T, Vec<SortId>);

/// All sorts and symbols with parameters, and their instances.
#[derive(Clone, Default)]
pub(crate) struct Families {
    families: Vec<Family>,
    /// Sorts that stand for any sort.
    parameters: HashSet<SortId>,
    /// The one of what is built in.
    hidden: Option<SortId>,
    /// The sorts that are instances.
    sorts: HashMap<SortId, Applied<FamilyId>>,
    sort_of: HashMap<FamilyId, HashMap<Vec<SortId>, SortId>>,
    /// Depth and size of instances.
    extent: HashMap<SortId, (u32, u32)>,
    /// Sorts with parameters in them.
    open: HashSet<SortId>,
    /// The parameters of symbols.
    symbols: HashMap<SymbolId, Vec<SortId>>,
    /// The symbols that are instances.
    origins: HashMap<SymbolId, Applied<SymbolId>>,
    symbol_of: HashMap<SymbolId, HashMap<Vec<SortId>, SymbolId>>,
    /// Sorts whose constructors are not there yet.
    new_sorts: VecDeque<SortId>,
    /// Symbols whose rules are not there yet.
    new_symbols: VecDeque<SymbolId>,
    /// Whether a sort was too large to be made.
    too_large: bool,
}

impl Families {
    /// A new parameter. The constant that it gets stands for its terms where programs are looked at.
    pub fn parameter(
        &mut self,
        name: &str,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> SortId {
        let sort = sorts.push(Sort { name: name.into(), kind: SortKind::Data, span: None });
        let (name, kind) = ("X".to_string(), SymbolKind::Constructor);
        symbols.push(Symbol { name, args: Vec::new(), result: sort, kind, span: None });
        self.parameters.insert(sort);
        self.open.insert(sort);
        sort
    }

    /// The parameter of what is built in.
    pub fn hidden_parameter(
        &mut self,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> SortId {
        let known = self.hidden;
        let parameter = known.unwrap_or_else(|| self.parameter("S", sorts, symbols));
        self.hidden = Some(parameter);
        parameter
    }

    /// A new sort with these parameters.
    pub fn family(&mut self, name: &str, span: Option<Span>, parameters: Vec<SortId>) -> FamilyId {
        let id = FamilyId(self.families.len() as u32);
        let (name, constructors) = (name.into(), Vec::new());
        self.families.push(Family { name, is_function: false, span, parameters, constructors });
        id
    }

    /// The sorts of functions with one argument less than there are parameters.
    pub fn function_family(&mut self, parameters: Vec<SortId>) -> FamilyId {
        let id = self.family("->", None, parameters);
        self.families[id.0 as usize].is_function = true;
        id
    }

    pub fn is_function(&self, family: FamilyId) -> bool {
        self.families[family.0 as usize].is_function
    }

    pub fn name(&self, family: FamilyId) -> &str {
        &self.families[family.0 as usize].name
    }

    pub fn parameters(&self, family: FamilyId) -> &[SortId] {
        &self.families[family.0 as usize].parameters
    }

    /// What a sort is an instance of.
    pub fn origin_of_sort(&self, sort: SortId) -> Option<(FamilyId, &[SortId])> {
        self.sorts.get(&sort).map(|(family, args)| (*family, args.as_slice()))
    }

    /// The parameters of a symbol.
    pub fn parameters_of(&self, symbol: SymbolId) -> &[SortId] {
        self.symbols.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// The sorts that a symbol is an instance for.
    pub fn args_of(&self, symbol: SymbolId) -> &[SortId] {
        self.origins.get(&symbol).map_or_else(|| self.parameters_of(symbol), |(_, args)| args)
    }

    /// Whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Whether a sort has parameters in it.
    pub fn is_open(&self, sort: SortId) -> bool {
        self.open.contains(&sort)
    }

    pub fn is_parameter(&self, sort: SortId) -> bool {
        self.parameters.contains(&sort)
    }

    /// Whether a symbol has parameters, or is an instance for sorts that have.
    pub fn is_open_symbol(&self, symbol: SymbolId, args: &[SortId], result: SortId) -> bool {
        let of = self.origins.get(&symbol).map_or(&[][..], |(_, args)| args);
        self.symbols.contains_key(&symbol)
            || args.iter().chain([&result]).chain(of).any(|&sort| self.is_open(sort))
    }

    /// Whether a sort was too large to be made.
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// The parameters in a sort, added to others.
    pub fn parameters_in(&self, sort: SortId, found: &mut Vec<SortId>) {
        if self.parameters.contains(&sort) {
            if !found.contains(&sort) {
                found.push(sort);
            }
        } else if let (true, Some((_, args))) = (self.is_open(sort), self.sorts.get(&sort)) {
            args.iter().for_each(|&arg| self.parameters_in(arg, found));
        }
    }

    /// Says that a symbol has parameters.
    pub fn generalise(&mut self, symbol: SymbolId, parameters: Vec<SortId>) {
        self.symbol_of.entry(symbol).or_default().insert(parameters.clone(), symbol);
        self.symbols.insert(symbol, parameters);
    }

    /// Adds a constructor, which has the parameters that its result is applied to.
    pub fn constructor(&mut self, family: FamilyId, symbol: SymbolId) {
        self.families[family.0 as usize].constructors.push(symbol);
    }

    /// The instance of a sort, if it is there.
    pub fn known_sort(&self, family: FamilyId, args: &[SortId]) -> Option<SortId> {
        self.sort_of.get(&family)?.get(args).copied()
    }

    /// The instance of a symbol, if it is there.
    pub fn known_symbol(&self, symbol: SymbolId, args: &[SortId]) -> Option<SymbolId> {
        self.symbol_of.get(&symbol)?.get(args).copied()
    }

    /// The instance of a sort; `None` where it would be too large.
    pub fn sort(
        &mut self,
        family: FamilyId,
        args: Vec<SortId>,
        sorts: &mut IdVec<SortId, Sort>,
    ) -> Option<SortId> {
        if let Some(known) = self.known_sort(family, &args) {
            return Some(known);
        }
        let extents = args.iter().map(|arg| self.extent.get(arg).copied().unwrap_or((1, 1)));
        let (depth, size) =
            extents.fold((0, 0u32), |(d, s), (depth, size)| (depth.max(d), s.saturating_add(size)));
        let (depth, size) = (depth + 1, size.saturating_add(1));
        if depth > MAX_DEPTH || size > MAX_SIZE || self.sorts.len() >= MAX_SORTS {
            self.too_large = true;
            return None;
        }
        let names: Vec<&str> = args.iter().map(|&arg| sorts[arg].name.as_str()).collect();
        let of = &self.families[family.0 as usize];
        let (name, span) = match names.split_last() {
            Some((result, args)) if of.is_function => (format!("({} -> {result})", args.join(" # ")), None),
            _ => (format!("{}({})", of.name, names.join(", ")), of.span),
        };
        let sort = sorts.push(Sort { name, kind: SortKind::Data, span });
        if args.iter().any(|arg| self.open.contains(arg)) {
            self.open.insert(sort);
        }
        self.extent.insert(sort, (depth, size));
        self.sorts.insert(sort, (family, args.clone()));
        self.sort_of.entry(family).or_default().insert(args, sort);
        self.new_sorts.push_back(sort);
        Some(sort)
    }

    /// The sort with these sorts in the place of parameters; `None` where it would be too large.
    pub fn substitute(
        &mut self,
        sort: SortId,
        parameters: &[SortId],
        by: &[SortId],
        sorts: &mut IdVec<SortId, Sort>,
    ) -> Option<SortId> {
        if !self.is_open(sort) {
            return Some(sort);
        }
        if let Some(at) = parameters.iter().position(|&parameter| parameter == sort) {
            return Some(by[at]);
        }
        let Some((family, args)) = self.sorts.get(&sort).cloned() else { return Some(sort) };
        let args = args.into_iter().map(|arg| self.substitute(arg, parameters, by, sorts));
        let args = args.collect::<Option<Vec<_>>>()?;
        self.sort(family, args, sorts)
    }

    /// The instance of a symbol; `None` where a sort in it would be too large, or where there are too many.
    pub fn symbol(
        &mut self,
        symbol: SymbolId,
        args: Vec<SortId>,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> Option<SymbolId> {
        if let Some(known) = self.known_symbol(symbol, &args) {
            return Some(known);
        }
        if self.origins.len() >= MAX_SYMBOLS {
            self.too_large = true;
            return None;
        }
        let parameters = self.symbols[&symbol].clone();
        let mut made = symbols[symbol].clone();
        for sort in made.args.iter_mut().chain([&mut made.result]) {
            *sort = self.substitute(*sort, &parameters, &args, sorts)?;
        }
        let id = symbols.push(made);
        self.origins.insert(id, (symbol, args.clone()));
        self.symbol_of.entry(symbol).or_default().insert(args, id);
        self.new_symbols.push_back(id);
        Some(id)
    }

    /// The symbol that another one is where these sorts stand in the place of parameters.
    pub fn symbol_within(
        &mut self,
        symbol: SymbolId,
        parameters: &[SortId],
        by: &[SortId],
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> Option<SymbolId> {
        let (of, args) = match self.origins.get(&symbol) {
            Some(origin) => origin.clone(),
            None => match self.symbols.get(&symbol) {
                Some(own) => (symbol, own.clone()),
                None => return Some(symbol),
            },
        };
        let args = args.into_iter().map(|arg| self.substitute(arg, parameters, by, sorts));
        let args = args.collect::<Option<Vec<_>>>()?;
        self.symbol(of, args, sorts, symbols)
    }

    /// Makes the constructors of new sorts; the constructor of which a sort would be too large is the error.
    pub fn make_constructors(
        &mut self,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> Result<(), SymbolId> {
        while let Some(sort) = self.new_sorts.pop_front() {
            let (family, args) = self.sorts[&sort].clone();
            for constructor in self.families[family.0 as usize].constructors.clone() {
                self.symbol(constructor, args.clone(), sorts, symbols).ok_or(constructor)?;
            }
        }
        Ok(())
    }

    /// A symbol whose rules are to be made, with what it is an instance of.
    pub fn next_symbol(&mut self) -> Option<(SymbolId, Vec<SortId>)> {
        let symbol = self.new_symbols.pop_front()?;
        Some(self.origins[&symbol].clone())
    }

    /// All instances of symbols, with what they are instances of.
    pub fn instances(&self) -> impl Iterator<Item = (SymbolId, SymbolId)> + '_ {
        self.origins.iter().map(|(id, (origin, _))| (*id, *origin))
    }
}

/// A sort that could not be made.
pub(crate) fn too_large(place: Span) -> Diagnostic {
    Diagnostic::error("T0111", "this sort is made of too many others")
        .label(place, "has this sort")
        .help("declare a `struct` that takes some of them together")
}
