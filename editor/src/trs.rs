//! The symbols of `.trs` texts.

use std::collections::{HashMap, HashSet};

use gchr_base::names::{Ident, Name};
use gchr_base::source::{SourceMap, Span};
use gchr_trs::ast::{
    AxiomKind, Module, NodeKind, Parameter, Section, SortBody, SortRef, StrategyKind, StructSymbol,
    SymbolDeclaration, Term,
};

use crate::index::{Builder, Entry, Index, Kind, Role};

/// Words of the language, which are no names.
pub(crate) const WORDS: &[&str] = &[
    "sort", "struct", "cons", "map", "var", "eqn", "input", "import", "div", "mod", "Int", "Integer", "Bool",
    "Float", "true", "false", "if", "whr", "end", "owise", "in", "lambda", "List", "head", "tail", "rhead",
    "rtail", "Char", "String", "code", "char",
];

/// The names of the files that a term program imports.
pub(crate) fn imports(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let id = sources.add("text", text);
    let module = gchr_trs::parse(&sources, id).ast;
    module.imports().map(|import| module.names.get(import.file.name).to_string()).collect()
}

impl Index {
    /// The symbols of a term program.
    pub fn of_terms(text: &str) -> Self {
        let mut sources = SourceMap::new();
        let id = sources.add("text", text);
        let module = gchr_trs::parse(&sources, id).ast;
        let mut reader = Reader { module: &module, builder: Builder::new(WORDS), functions: HashSet::new() };
        // Names stand for what is declared anywhere in the text.
        module.sections.iter().for_each(|section| reader.declare(section));
        module.sections.iter().for_each(|section| reader.use_in(section));
        reader.builder.finish()
    }
}

struct Reader<'a> {
    module: &'a Module,
    builder: Builder,
    /// Variables that are functions.
    functions: HashSet<Name>,
}

impl Reader<'_> {
    fn text(&self, name: Name) -> &str {
        self.module.names.get(name)
    }

    fn texts<'s>(&self, sorts: impl IntoIterator<Item = &'s SortRef>) -> String {
        let texts: Vec<String> = sorts.into_iter().map(|sort| self.sort(sort)).collect();
        texts.join(" # ")
    }

    fn sort(&self, sort: &SortRef) -> String {
        sort.display(&self.module.names).to_string()
    }

    fn add(&mut self, kind: Kind, ident: Ident, detail: String, whole: Span) {
        let name = self.text(ident.name).to_string();
        let symbol = self.builder.symbol(kind, &name, None, None);
        self.builder.detail(symbol, detail.clone());
        self.builder.occurs(symbol, ident.span.range(), Role::Declaration);
        if kind != Kind::Variable {
            let (range, selection) = (whole.range(), ident.span.range());
            self.builder.entry(Entry { name, detail, kind, range, selection });
        }
    }

    fn declare(&mut self, section: &Section) {
        match section {
            Section::Sorts(sorts) => {
                for sort in sorts {
                    for &name in &sort.names {
                        let of = match &sort.body {
                            SortBody::Alias(of) => format!(" = {}", self.sort(of)),
                            SortBody::Own | SortBody::Struct(_) => String::new(),
                        };
                        let detail = format!("sort {}{of}", self.applied(name, &sort.parameters));
                        self.add(Kind::Sort, name, detail, sort.span);
                    }
                    sort.parameters.iter().for_each(|&parameter| self.parameter(parameter));
                    for symbol in sort.symbols() {
                        let result = sort.names.first().map(|&name| self.applied(name, &sort.parameters));
                        self.declare_of_struct(symbol, &result.unwrap_or_default());
                    }
                }
            }
            Section::Constructors(symbols) => self.declare_symbols(Kind::Constructor, symbols),
            Section::Maps(symbols) => self.declare_symbols(Kind::Function, symbols),
            Section::Variables(variables) => {
                for variable in variables {
                    for &name in &variable.names {
                        let Some(sort) = &variable.sort else {
                            self.parameter(name);
                            continue;
                        };
                        let detail = format!("{}: {}", self.text(name.name), self.sort(sort));
                        if sort.name.is_none() {
                            self.functions.insert(name.name);
                        }
                        self.add(Kind::Variable, name, detail, variable.span);
                    }
                }
            }
            Section::Equations(_) | Section::Input(_) | Section::Import(_) | Section::Strategy(_) => {}
        }
    }

    /// A sort with its parameters.
    fn applied(&self, name: Ident, parameters: &[Ident]) -> String {
        let of: Vec<&str> = parameters.iter().map(|parameter| self.text(parameter.name)).collect();
        let brackets = if of.is_empty() { String::new() } else { format!("({})", of.join(", ")) };
        format!("{}{brackets}", self.text(name.name))
    }

    /// What stands for any sort: one name is one parameter, in the whole text.
    fn parameter(&mut self, ident: Ident) {
        let name = self.text(ident.name).to_string();
        let symbol = self.builder.symbol(Kind::Sort, &name, None, None);
        self.builder.detail(symbol, format!("{name}: sort"));
        self.builder.occurs(symbol, ident.span.range(), Role::Declaration);
    }

    fn declare_of_struct(&mut self, symbol: &StructSymbol, result: &str) {
        let args = self.texts(symbol.args.iter().map(|arg| &arg.sort));
        let arrow = if args.is_empty() { String::new() } else { format!("{args} -> ") };
        let detail = format!("{}: {arrow}{result}", self.text(symbol.name.name));
        self.add(Kind::Constructor, symbol.name, detail, symbol.span);
        for arg in &symbol.args {
            if let Some(projection) = arg.projection {
                let to = self.sort(&arg.sort);
                let detail = format!("{}: {result} -> {to}", self.text(projection.name));
                self.add(Kind::Function, projection, detail, symbol.span);
            }
        }
        if let Some(recogniser) = symbol.recogniser {
            let detail = format!("{}: {result} -> Bool", self.text(recogniser.name));
            self.add(Kind::Function, recogniser, detail, symbol.span);
        }
    }

    fn declare_symbols(&mut self, kind: Kind, symbols: &[SymbolDeclaration]) {
        for declared in symbols {
            let args = self.texts(&declared.args);
            let arrow = if args.is_empty() { String::new() } else { format!("{args} -> ") };
            for &name in &declared.names {
                let detail = format!("{}: {arrow}{}", self.text(name.name), self.sort(&declared.result));
                self.add(kind, name, detail, declared.span);
            }
        }
    }

    fn use_in(&mut self, section: &Section) {
        match section {
            Section::Sorts(sorts) => {
                let symbols = sorts.iter().flat_map(|sort| sort.symbols());
                symbols.flat_map(|symbol| &symbol.args).for_each(|arg| self.use_sort(&arg.sort));
                for sort in sorts {
                    if let SortBody::Alias(of) = &sort.body {
                        self.use_sort(of);
                    }
                }
            }
            Section::Constructors(symbols) | Section::Maps(symbols) => {
                for declared in symbols {
                    declared.args.iter().for_each(|sort| self.use_sort(sort));
                    self.use_sort(&declared.result);
                    for axiom in &declared.axioms {
                        if let AxiomKind::Identity(of) = axiom.kind {
                            self.use_symbol(of);
                        }
                    }
                }
            }
            Section::Variables(variables) => {
                variables.iter().filter_map(|v| v.sort.as_ref()).for_each(|sort| self.use_sort(sort))
            }
            Section::Equations(equations) => {
                for equation in equations {
                    if let Some(condition) = &equation.condition {
                        self.use_term(condition, Role::Use);
                    }
                    self.use_term(&equation.left, Role::Definition);
                    self.use_term(&equation.right, Role::Use);
                    for binding in &equation.values {
                        if let Some(symbol) =
                            self.builder.find(Kind::Variable, self.text(binding.name.name), None)
                        {
                            self.builder.occurs(symbol, binding.name.span.range(), Role::Use);
                        }
                        self.use_term(&binding.value, Role::Use);
                    }
                }
            }
            Section::Input(input) => self.use_term(&input.term, Role::Use),
            Section::Import(_) => {}
            Section::Strategy(clauses) => {
                for clause in clauses {
                    if let StrategyKind::Arguments { symbol: Some(symbol), .. } = clause.kind {
                        self.use_symbol(symbol);
                    }
                }
            }
        }
    }

    fn use_sort(&mut self, sort: &SortRef) {
        for name in sort.names() {
            if let Some(symbol) = self.builder.find(Kind::Sort, self.text(name.name), None) {
                self.builder.occurs(symbol, name.span.range(), Role::Use);
            }
        }
    }

    fn use_symbol(&mut self, name: Ident) {
        let kinds = [Kind::Function, Kind::Constructor];
        let found = kinds.iter().find_map(|&kind| self.builder.find(kind, self.text(name.name), None));
        if let Some(symbol) = found {
            self.builder.occurs(symbol, name.span.range(), Role::Use);
        }
    }

    /// A parameter of a function without a name.
    fn local(&mut self, parameter: &Parameter, whole: Span) -> (Name, usize) {
        let name = self.text(parameter.name.name).to_string();
        let symbol = self.builder.symbol(Kind::Parameter, &name, None, Some(whole.range()));
        self.builder.detail(symbol, format!("{name}: {}", self.sort(&parameter.sort)));
        self.builder.occurs(symbol, parameter.name.span.range(), Role::Declaration);
        self.use_sort(&parameter.sort);
        (parameter.name.name, symbol)
    }

    /// Whether a symbol is declared under a name.
    fn is_symbol(&self, name: Name) -> bool {
        let kinds = [Kind::Function, Kind::Constructor];
        kinds.iter().any(|&kind| self.builder.find(kind, self.text(name), None).is_some())
    }

    /// `root`: what the symbol of the root does.
    fn use_term(&mut self, term: &Term, root: Role) {
        let last = term.nodes.len().saturating_sub(1);
        let role = |at: usize| if at == last { root } else { Role::Use };
        // The parameters of the functions without names around a node, innermost last.
        let mut open: Vec<Vec<(Name, usize)>> = Vec::new();
        let lambdas = term.nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Lambda);
        let whole: HashMap<usize, Span> =
            lambdas.map(|(at, node)| (at + 1 - node.size as usize, node.span)).collect();
        for (at, node) in term.nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Parameters(of) => {
                    let (parameters, whole) = (&term.lambdas[of as usize], whole[&at]);
                    open.push(parameters.iter().map(|one| self.local(one, whole)).collect());
                }
                NodeKind::Lambda => _ = open.pop(),
                NodeKind::Name(name) | NodeKind::Call(name, _)
                    if let Some(&(_, symbol)) =
                        open.iter().rev().flatten().find(|(known, _)| *known == name)
                        && (!matches!(node.kind, NodeKind::Call(_, 0)) || !self.is_symbol(name)) =>
                {
                    let start = node.span.range().start;
                    self.builder.occurs(symbol, start..start + self.text(name).len(), Role::Use);
                    continue;
                }
                _ => {}
            }
            let (NodeKind::Name(name) | NodeKind::Call(name, _) | NodeKind::Power(name, _)) = node.kind
            else {
                continue;
            };
            let text = self.text(name);
            // With brackets it is a symbol, also where a variable has the name, if there is one.
            let is_function = matches!(node.kind, NodeKind::Call(_, 1..)) && self.functions.contains(&name);
            let is_head = role(at) == Role::Definition;
            let is_bare =
                matches!(node.kind, NodeKind::Name(_)) || is_function && !is_head || !self.is_symbol(name);
            let kinds = [Kind::Variable, Kind::Function, Kind::Constructor];
            let Some(symbol) =
                kinds[usize::from(!is_bare)..].iter().find_map(|&kind| self.builder.find(kind, text, None))
            else {
                continue;
            };
            let start = node.span.range().start;
            let range = start..start + text.len();
            self.builder.occurs(symbol, range, role(at));
        }
    }
}
