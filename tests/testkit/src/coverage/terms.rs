//! Constructs of term programs.

use std::collections::{HashMap, HashSet};

use gchr_base::op::{Op, TermSyntax};
use gchr_base::rule::Program;
use gchr_trs::ast::{ListOp, Module, NodeKind, Section, SortBody, Term, operator_text};

use super::rules;

const PLACES: [&str; 4] = ["left-hand side", "condition", "right-hand side", "input"];
const BUILT_IN: [&str; 3] = ["Bool", "Int", "Float"];

/// All constructs.
pub fn all() -> Vec<String> {
    let mut all: Vec<String> = [
        "sort without symbols",
        "several sorts in a clause",
        "struct",
        "struct: symbol with arguments",
        "struct: symbol without arguments",
        "struct: projection",
        "struct: projection of several symbols",
        "struct: recogniser",
        "another name of a sort",
        "struct with parameters",
        "sort with parameters and without symbols",
        "another name of a sort, with parameters",
        "variable of sorts",
        "sort of lists",
        "sort of functions",
        "axioms of a symbol",
        "cons",
        "map",
        "symbols: several in a clause",
        "symbols: with arguments",
        "symbols: without arguments",
        "variables: several in a clause",
        "variables declared anew",
        "equation with a condition",
        "equation without a condition",
        "own sort Bool",
        "own sort Int",
        "own symbol of the name of a function",
        "own symbol of the name if",
        "variable of the name _",
        "variable of the name of a constant",
        "condition: a variable",
        "condition: a literal",
        "condition: a call",
        "condition: an operator",
        "condition: a pattern",
        "values of variables",
        "values of variables: several",
        "values of variables: of a name that is not declared",
        "equation for what is left",
        "comment",
        "input without a semicolon",
    ]
    .map(String::from)
    .to_vec();
    let nodes = [
        "a variable",
        "a constant",
        "a constant with brackets",
        "an application",
        "S^n",
        "an integer",
        "a float",
        "a character",
        "a text",
        "a list",
        "a function",
        "a symbol as a function",
        "an application of a function",
    ];
    for place in PLACES {
        all.extend(
            nodes
                .iter()
                .filter(|n| place != "input" || **n != "a variable")
                .filter(|n| place != PLACES[0] || !n.contains("function"))
                .map(|n| format!("{place}: {n}")),
        );
        if place == PLACES[0] {
            all.push(format!("{place}: a function inside"));
            all.push(format!("{place}: a wildcard"));
            all.push(format!("{place}: list operator {}", ListOp::Cons.text()));
            continue;
        }
        all.push(format!("{place}: function if"));
        let functions = ["head", "tail", "rhead", "rtail", "code", "char"]
            .map(|name| format!("{place}: function {name}"));
        all.extend(functions);
        all.extend(ListOp::ALL.map(|op| format!("{place}: list operator {}", op.text())));
        all.extend(
            Op::ALL.iter().filter_map(|op| written(*op)).flatten().map(|text| format!("{place}: {text}")),
        );
    }
    let sorts = ["data", "Bool", "Int", "Float"];
    all.extend(sorts.map(|sort| format!("repeated variable of sort {sort}")));
    all.extend(rules::of_terms());
    all
}

/// How an operator is written.
fn written(op: Op) -> Option<Vec<String>> {
    match op.row().terms {
        TermSyntax::None => None,
        TermSyntax::Prefix(text) => Some(vec![format!("operator {text}X")]),
        TermSyntax::Infix(text, _) => Some(vec![format!("operator X {text} Y")]),
        TermSyntax::Function(names) => Some(names.iter().map(|name| format!("function {name}")).collect()),
    }
}

/// What the walk through a program knows.
struct Walk<'m> {
    module: &'m Module,
    /// Sort of each variable in force.
    variables: HashMap<&'m str, &'m str>,
    symbols: HashSet<&'m str>,
    functions: HashSet<&'m str>,
    /// Symbols with arguments.
    with_arguments: HashSet<&'m str>,
    found: Vec<String>,
}

/// The constructs that a program uses: its text, its tree, its rules.
pub fn used(text: &str, module: &Module, program: &Program) -> Vec<String> {
    let mut walk = Walk {
        module,
        variables: HashMap::new(),
        symbols: HashSet::new(),
        functions: HashSet::new(),
        with_arguments: HashSet::new(),
        found: rules::used(program),
    };
    walk.sections();
    if text.contains('%') {
        walk.say("comment");
    }
    if text.contains("input ") && !text.trim_end().ends_with(';') {
        walk.say("input without a semicolon");
    }
    walk.found
}

impl<'m> Walk<'m> {
    fn say(&mut self, construct: &str) {
        self.found.push(construct.into());
    }

    fn text(&self, ident: &gchr_trs::ast::Ident) -> &'m str {
        self.module.names.get(ident.name)
    }

    fn sections(&mut self) {
        let equations = self.module.sections.iter().filter_map(|s| match s {
            Section::Equations(equations) => Some(equations),
            _ => None,
        });
        for equation in equations.flatten() {
            if let NodeKind::Name(name) | NodeKind::Call(name, _) = equation.left.root().kind {
                self.functions.insert(self.module.names.get(name));
            }
        }
        for section in &self.module.sections {
            match section {
                Section::Sorts(clauses) => clauses.iter().for_each(|c| self.sort(c)),
                Section::Constructors(clauses) => {
                    self.say("cons");
                    clauses.iter().for_each(|c| self.symbol(c));
                }
                Section::Maps(clauses) => {
                    self.say("map");
                    clauses.iter().for_each(|c| self.symbol(c));
                }
                Section::Variables(clauses) => clauses.iter().for_each(|c| self.variable(c)),
                Section::Equations(equations) => equations.iter().for_each(|e| self.equation(e)),
                Section::Input(input) => {
                    self.variables.clear();
                    self.term(&input.term, PLACES[3]);
                }
                // Random programs are texts without files, and have no strategies.
                Section::Import(_) | Section::Strategy(_) => {}
            }
        }
    }

    fn sort(&mut self, clause: &'m gchr_trs::ast::SortDeclaration) {
        if clause.names.len() > 1 {
            self.say("several sorts in a clause");
        }
        let names: Vec<&str> = clause.names.iter().map(|n| self.text(n)).collect();
        for name in names.into_iter().filter(|n| BUILT_IN.contains(n)) {
            self.say(&format!("own sort {name}"));
        }
        if !clause.parameters.is_empty() {
            self.say(match &clause.body {
                SortBody::Own => "sort with parameters and without symbols",
                SortBody::Alias(_) => "another name of a sort, with parameters",
                SortBody::Struct(_) => "struct with parameters",
            });
        }
        match &clause.body {
            SortBody::Own => self.say("sort without symbols"),
            SortBody::Alias(_) => self.say("another name of a sort"),
            SortBody::Struct(_) => self.say("struct"),
        }
        for symbol in clause.symbols() {
            for projection in symbol.args.iter().filter_map(|arg| arg.projection) {
                self.say("struct: projection");
                if !self.symbols.insert(self.text(&projection)) {
                    self.say("struct: projection of several symbols");
                }
            }
            if let Some(recogniser) = &symbol.recogniser {
                self.say("struct: recogniser");
                self.symbols.insert(self.text(recogniser));
            }
            let with = if symbol.args.is_empty() { "without" } else { "with" };
            self.say(&format!("struct: symbol {with} arguments"));
            self.declare(self.text(&symbol.name));
            if !symbol.args.is_empty() {
                self.with_arguments.insert(self.text(&symbol.name));
            }
        }
    }

    fn symbol(&mut self, clause: &'m gchr_trs::ast::SymbolDeclaration) {
        if clause.names.len() > 1 {
            self.say("symbols: several in a clause");
        }
        if !clause.axioms.is_empty() {
            self.say("axioms of a symbol");
        }
        self.say(if clause.args.is_empty() {
            "symbols: without arguments"
        } else {
            "symbols: with arguments"
        });
        clause.names.iter().for_each(|n| self.declare(self.text(n)));
        if !clause.args.is_empty() {
            self.with_arguments.extend(clause.names.iter().map(|n| self.module.names.get(n.name)));
        }
    }

    fn declare(&mut self, name: &'m str) {
        if Op::term_function(name).is_some() {
            self.say("own symbol of the name of a function");
        }
        if name == "if" {
            self.say("own symbol of the name if");
        }
        self.symbols.insert(name);
    }

    fn variable(&mut self, clause: &'m gchr_trs::ast::VariableDeclaration) {
        if clause.names.len() > 1 {
            self.say("variables: several in a clause");
        }
        let Some(sort) = &clause.sort else { return self.say("variable of sorts") };
        for ident in &clause.names {
            let name = self.text(ident);
            if self.symbols.contains(name) {
                self.say("variable of the name of a constant");
            }
            if name == "_" {
                self.say("variable of the name _");
            }
            let of = sort.name.as_ref().map_or("->", |name| self.text(name));
            if sort.args.len() == 1 && of == "List" {
                self.say("sort of lists");
            }
            if sort.name.is_none() {
                self.say("sort of functions");
            }
            if self.variables.insert(name, of).is_some() {
                self.say("variables declared anew");
            }
        }
    }

    fn equation(&mut self, equation: &'m gchr_trs::ast::Equation) {
        self.term(&equation.left, PLACES[0]);
        self.term(&equation.right, PLACES[2]);
        if equation.otherwise {
            self.say("equation for what is left");
        }
        if !equation.values.is_empty() {
            self.say("values of variables");
        }
        if equation.values.len() > 1 {
            self.say("values of variables: several");
        }
        for binding in &equation.values {
            if !self.variables.contains_key(self.text(&binding.name)) {
                self.say("values of variables: of a name that is not declared");
            }
            self.term(&binding.value, PLACES[2]);
        }
        let Some(condition) = &equation.condition else { return self.say("equation without a condition") };
        self.say("equation with a condition");
        self.term(condition, PLACES[1]);
        self.say(match condition.root().kind {
            NodeKind::Name(name) if self.variables.contains_key(self.module.names.get(name)) => {
                "condition: a variable"
            }
            NodeKind::Name(name) | NodeKind::Call(name, _) | NodeKind::Power(name, _) => {
                let function = self.functions.contains(self.module.names.get(name));
                if function { "condition: a call" } else { "condition: a literal" }
            }
            NodeKind::Int(_)
            | NodeKind::Large { .. }
            | NodeKind::Float(_)
            | NodeKind::Character(_)
            | NodeKind::Text(..)
            | NodeKind::List(_)
            | NodeKind::Lambda
            | NodeKind::Parameters(_) => "condition: a literal",
            NodeKind::Apply(_) => "condition: a call",
            NodeKind::Match => "condition: a pattern",
            NodeKind::Prefix(_) | NodeKind::Infix(_) | NodeKind::ListOp(_) => "condition: an operator",
        });
    }

    fn term(&mut self, term: &Term, place: &str) {
        let mut seen = HashSet::new();
        let root = term.nodes.len() - 1;
        for (i, node) in term.nodes.iter().enumerate() {
            let text = |name| self.module.names.get(name);
            let kind = match node.kind {
                NodeKind::Name(name) if self.variables.contains_key(text(name)) => {
                    if place == PLACES[0] && !seen.insert(name) {
                        let sort = self.variables[text(name)];
                        let sort = if BUILT_IN.contains(&sort) { sort } else { "data" };
                        self.found.push(format!("repeated variable of sort {sort}"));
                    }
                    "a variable".to_string()
                }
                NodeKind::Name(name) if text(name) == "_" && !self.symbols.contains("_") => {
                    "a wildcard".into()
                }
                NodeKind::Name(name) if self.with_arguments.contains(text(name)) => {
                    "a symbol as a function".into()
                }
                NodeKind::Name(_) => "a constant".into(),
                NodeKind::Call(_, 0) => "a constant with brackets".into(),
                NodeKind::Call(name, _) if self.symbols.contains(text(name)) => {
                    if place == PLACES[0] && i != root && self.functions.contains(text(name)) {
                        self.found.push(format!("{place}: a function inside"));
                    }
                    "an application".into()
                }
                NodeKind::Call(name, _) if self.variables.contains_key(text(name)) => {
                    "an application of a function".into()
                }
                NodeKind::Call(name, _) => format!("function {}", text(name)),
                NodeKind::Apply(_) => "an application of a function".into(),
                NodeKind::Lambda => "a function".into(),
                NodeKind::Parameters(_) => continue,
                NodeKind::Power(..) => "S^n".into(),
                NodeKind::Int(_) | NodeKind::Large { .. } => "an integer".into(),
                NodeKind::Float(_) => "a float".into(),
                NodeKind::Character(_) => "a character".into(),
                NodeKind::Text(..) => "a text".into(),
                NodeKind::Prefix(op) => format!("operator {}X", operator_text(op)),
                NodeKind::Infix(op) => format!("operator X {} Y", operator_text(op)),
                NodeKind::List(_) => "a list".into(),
                NodeKind::ListOp(op) => format!("list operator {}", op.text()),
                NodeKind::Match => {
                    self.found.push("condition: a pattern".into());
                    continue;
                }
            };
            self.found.push(format!("{place}: {kind}"));
        }
    }
}
