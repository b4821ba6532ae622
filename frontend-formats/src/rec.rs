//! The format of the Rewriting Engines Competition, `.rec`: a module with sorts, constructors, operations, variables,
//! rules and terms to evaluate, and the modules that it includes.

use std::fmt;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::names::{Ident, Name};
use gchr_base::reading::Files;
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::files;
use crate::system::*;
use crate::term::{self, Notation, Shown, Term, ident, idents};
use crate::tokens::{Fail, Lexis, Reader};

/// What texts of the format are made of.
pub(crate) const LEXIS: Lexis = Lexis {
    comments: &['%', '#'],
    marks: &["->/<-", "-><-", "->", "<>", "=", ":", ",", "(", ")"],
    reserved: &SECTIONS,
};

const SECTIONS: [&str; 8] = ["SORTS", "CONS", "OPNS", "OPS", "VARS", "RULES", "EVAL", "END-SPEC"];

/// Reads the module in `id` and those that it includes.
pub(crate) fn parse(
    sources: &mut SourceMap,
    id: SourceId,
    files: &Files<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> System {
    let mut parser = Parser {
        sources,
        files,
        diagnostics,
        system: System::new(),
        modules: Vec::new(),
        read: HashSet::default(),
    };
    parser.module(id, true);
    let Parser { modules, mut system, .. } = parser;
    merge(&mut system, modules);
    system
}

/// What is a module's own: its variables are in force in its rules.
struct Module {
    variables: Vec<VariableDeclaration>,
    rules: Vec<RuleDeclaration>,
}

struct Parser<'a, 'f> {
    sources: &'a mut SourceMap,
    files: &'a Files<'f>,
    diagnostics: &'a mut Vec<Diagnostic>,
    system: System,
    modules: Vec<Module>,
    /// Modules that have been read, or are being read.
    read: HashSet<String>,
}

impl Parser<'_, '_> {
    fn module(&mut self, id: SourceId, main: bool) {
        let text = self.sources.get(id).text.clone();
        let mut reader = match Reader::new(id, &text, &LEXIS) {
            Ok(reader) => reader,
            Err(found) => return self.diagnostics.push(*found),
        };
        let mut module = Module { variables: Vec::new(), rules: Vec::new() };
        if let Err(found) = self.header(&mut reader, main) {
            let help = "a module begins with `REC-SPEC NAME`, or with `REC-SPEC NAME : MODULE, ...`";
            self.diagnostics.push(found.help(help));
            while !reader.at_end() && !SECTIONS.contains(&reader.text(0)) {
                reader.skip();
            }
        }
        loop {
            if reader.at_end() {
                let missing = reader.expected("a section or `END-SPEC`");
                self.diagnostics.push(missing.help("sections are SORTS, CONS, OPNS, VARS, RULES and EVAL"));
                break;
            }
            if reader.text(0) == "END-SPEC" {
                reader.skip();
                break;
            }
            if let Err(found) = self.section(&mut reader, &mut module, main) {
                self.diagnostics.push(*found);
                while !reader.at_end() && !SECTIONS.contains(&reader.text(0)) {
                    reader.skip();
                }
            }
        }
        if !reader.at_end() {
            self.diagnostics.push(
                Diagnostic::warning("T1403", "what stands behind `END-SPEC` is not read")
                    .label(reader.span(), "from here on")
                    .help("write comments with `%`, and terms to evaluate behind `EVAL`"),
            );
        }
        self.modules.push(module);
    }

    fn header(&mut self, reader: &mut Reader<'_>, main: bool) -> Result<(), Fail> {
        if reader.text(0) != "REC-SPEC" {
            return Err(reader.expected("`REC-SPEC`"));
        }
        reader.skip();
        let (name, _) = reader.word("the name of the module")?;
        self.read.insert(name.to_lowercase());
        if main {
            self.system.title = Some(name.to_string());
        }
        if reader.eat(":") {
            while reader.is_word(0) && !SECTIONS.contains(&reader.text(0)) {
                let (name, span) = reader.word("the name of a module")?;
                self.include(name, span);
                reader.eat(",");
            }
        }
        Ok(())
    }

    fn include(&mut self, name: &str, span: Span) {
        if !self.read.insert(name.to_lowercase()) {
            return;
        }
        match files::read(self.files, name, span, self.sources) {
            Ok(id) => self.module(id, false),
            Err(found) => self.diagnostics.push(*found),
        }
    }

    fn section(&mut self, reader: &mut Reader<'_>, module: &mut Module, main: bool) -> Result<(), Fail> {
        let section = reader.text(0);
        if !SECTIONS.contains(&section) {
            return Err(Box::new(
                reader.expected("a section").help("sections are SORTS, CONS, OPNS, VARS, RULES and EVAL"),
            ));
        }
        reader.skip();
        while !reader.at_end() && !SECTIONS.contains(&reader.text(0)) {
            let names = &mut self.system.names;
            match section {
                "SORTS" => {
                    let sort = ident(reader, names, "a sort")?;
                    reader.eat(",");
                    self.system.sorts.push(sort);
                }
                "CONS" => self.symbols(reader, true)?,
                "OPNS" | "OPS" => self.symbols(reader, false)?,
                "VARS" => {
                    let declared = names_of(reader, &mut self.system.names, "a variable")?;
                    let sort = ident(reader, &mut self.system.names, "a sort")?;
                    module
                        .variables
                        .extend(declared.into_iter().map(|name| VariableDeclaration { name, sort }));
                }
                "RULES" => {
                    let rule = self.rule(reader)?;
                    module.rules.push(rule);
                }
                _ => {
                    let term = term::read(reader, names, Notation::Functional)?;
                    reader.eat(",");
                    if main {
                        self.system.terms.push(term);
                    }
                }
            }
        }
        Ok(())
    }

    fn symbols(&mut self, reader: &mut Reader<'_>, constructor: bool) -> Result<(), Fail> {
        let names = &mut self.system.names;
        let declared = names_of(reader, names, "a symbol")?;
        let args = idents(reader, names);
        reader.expect("->")?;
        let result = ident(reader, names, "a sort")?;
        let declare = |name| SymbolDeclaration { name, args: args.clone(), result, constructor };
        self.system.symbols.extend(declared.into_iter().map(declare));
        Ok(())
    }

    fn rule(&mut self, reader: &mut Reader<'_>) -> Result<RuleDeclaration, Fail> {
        let start = reader.span();
        let left = self.term(reader)?;
        reader.expect("->")?;
        let right = self.term(reader)?;
        let mut conditions = Vec::new();
        let mut word = "if";
        while reader.text(0) == word && !self.begins_a_rule(reader) {
            reader.skip();
            conditions.push(self.condition(reader)?);
            word = "and-if";
        }
        let span = start.to(reader.last_span());
        Ok(RuleDeclaration { left, right, conditions, relative: false, span })
    }

    /// Whether `if` is a symbol that the next rule begins with.
    fn begins_a_rule(&self, reader: &Reader<'_>) -> bool {
        let declared = |name: Name| self.system.symbols.iter().any(|symbol| symbol.name.name == name);
        reader.is(1, "(") && self.system.names.find(reader.text(0)).is_some_and(declared)
    }

    fn condition(&mut self, reader: &mut Reader<'_>) -> Result<Condition, Fail> {
        let left = self.term(reader)?;
        let differ = reader.is(0, "<>") || reader.is(0, "->/<-");
        if !(reader.eat("=") || reader.eat("-><-") || reader.eat("<>") || reader.eat("->/<-")) {
            return Err(reader.expected("`=` or `<>`"));
        }
        let right = self.term(reader)?;
        Ok(Condition { left, right, differ })
    }

    fn term(&mut self, reader: &mut Reader<'_>) -> Result<Term, Fail> {
        term::read(reader, &mut self.system.names, Notation::Functional)
    }
}

/// Names and a colon.
fn names_of(
    reader: &mut Reader<'_>,
    names: &mut gchr_base::names::Names,
    what: &str,
) -> Result<Vec<Ident>, Fail> {
    let mut found = vec![ident(reader, names, what)?];
    loop {
        reader.eat(",");
        if reader.eat(":") {
            return Ok(found);
        }
        found.push(ident(reader, names, "`:`")?);
    }
}

/// Puts the modules together. A variable that means something else in another module gets a name of its own.
fn merge(system: &mut System, modules: Vec<Module>) {
    let symbols: HashSet<Name> = system.symbols.iter().map(|symbol| symbol.name.name).collect();
    let mut sorts: HashMap<Name, Name> = HashMap::default();
    for (number, mut module) in modules.into_iter().enumerate() {
        let mut renamed = HashMap::default();
        for variable in &mut module.variables {
            let old = variable.name.name;
            let elsewhere = sorts.get(&old).is_some_and(|&sort| sort != variable.sort.name);
            if elsewhere && !system.variables.contains(variable) || symbols.contains(&old) {
                let text = system.names.get(old).to_string();
                let fresh = |n: &usize| format!("{text}'{n}");
                let mut numbers = number + 1..;
                let free = numbers.find(|n| system.names.find(&fresh(n)).is_none());
                let name = system.names.intern(&fresh(&free.unwrap_or_default()));
                renamed.insert(old, name);
                variable.name.name = name;
            }
            sorts.entry(variable.name.name).or_insert(variable.sort.name);
        }
        for node in module.rules.iter_mut().flat_map(RuleDeclaration::terms_mut).flat_map(|t| &mut t.nodes) {
            if node.arity == 0 {
                node.name = renamed.get(&node.name).copied().unwrap_or(node.name);
            }
        }
        system.variables.extend(module.variables);
        system.rules.extend(module.rules);
    }
}

/// A system as a module without includes.
pub(crate) struct Printed<'a>(pub &'a System);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = self.0;
        let term = |term| Shown { term, names: &system.names, notation: Notation::Functional };
        writeln!(f, "REC-SPEC {}", system.title.as_deref().unwrap_or("Module"))?;
        writeln!(f, "SORTS\n  {}", joined(&system.names, &system.sorts, " "))?;
        for (section, constructor) in [("CONS", true), ("OPNS", false)] {
            writeln!(f, "{section}")?;
            for symbol in system.symbols.iter().filter(|symbol| symbol.constructor == constructor) {
                let args = joined(&system.names, &symbol.args, " ");
                let (name, result) = (system.text(symbol.name.name), system.text(symbol.result.name));
                writeln!(f, "  {name} : {args}{}-> {result}", if args.is_empty() { "" } else { " " })?;
            }
        }
        writeln!(f, "VARS")?;
        for variable in &system.variables {
            writeln!(f, "  {} : {}", system.text(variable.name.name), system.text(variable.sort.name))?;
        }
        writeln!(f, "RULES")?;
        for rule in &system.rules {
            write!(f, "  {} -> {}", term(&rule.left), term(&rule.right))?;
            for (i, condition) in rule.conditions.iter().enumerate() {
                let word = if i == 0 { "if" } else { "and-if" };
                let relation = if condition.differ { "<>" } else { "=" };
                write!(f, " {word} {} {relation} {}", term(&condition.left), term(&condition.right))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "EVAL")?;
        for evaluated in &system.terms {
            writeln!(f, "  {}", term(evaluated))?;
        }
        writeln!(f, "END-SPEC")
    }
}
