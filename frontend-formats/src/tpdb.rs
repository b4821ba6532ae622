//! The older text format of the termination problem data base and of COPS: `(VAR x) (RULES f(x) -> x)`. Its files end
//! in `.trs`, as gchr's own do, and begin with a bracket, as gchr's own never do.

use std::fmt;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::names::Ident;
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::system::*;
use crate::term::{self, Notation, Shown, ident, idents};
use crate::tokens::{Fail, Lexis, Reader, argument, arity};
use crate::unsupported::{self, unsupported};

/// What texts of the format are made of.
pub(crate) const LEXIS: Lexis =
    Lexis { comments: &[], marks: &["->=", "-><-", "->", "==", "(", ")", ",", "|"], reserved: &[] };

/// Reads a system.
pub(crate) fn parse(sources: &SourceMap, id: SourceId, diagnostics: &mut Vec<Diagnostic>) -> System {
    let start = Span::new(id, 0, 0);
    let mut system = System { conditions: ConditionKind::Oriented, ..System::with_one_sort(start) };
    let mut reader = match Reader::new(id, &sources.get(id).text, &LEXIS) {
        Ok(reader) => reader,
        Err(found) => {
            diagnostics.push(*found);
            return system;
        }
    };
    let mut parser = Parser { system: &mut system, diagnostics };
    while !reader.at_end() {
        if let Err(found) = reader.expect("(") {
            let help = "the text is a sequence of sections: `(VAR x y) (RULES f(x, y) -> x)`";
            parser.diagnostics.push(found.help(help));
            break;
        }
        let inside = reader.position();
        let section = parser.section(&mut reader).and_then(|()| reader.expect(")"));
        if let Err(found) = section {
            parser.diagnostics.push(*found);
            reader.go_to(inside);
            reader.skip_bracket();
        }
    }
    match system.one_sort {
        Some(sort) if !system.arities || !system.variables.is_empty() => system.declare_what_occurs(sort),
        _ => system.undeclared_variables = true,
    }
    system
}

struct Parser<'a> {
    system: &'a mut System,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    /// What is inside of a section.
    fn section(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        let (word, span) = reader.word("`VAR`, `RULES` or another section")?;
        match word {
            "VAR" => {
                let declared = idents(reader, &mut self.system.names);
                if let Some(sort) = self.system.one_sort {
                    let variable = |name| VariableDeclaration { name, sort };
                    self.system.variables.extend(declared.into_iter().map(variable));
                }
                Ok(())
            }
            "SIG" => self.signature(reader),
            "RULES" => self.rules(reader),
            "STRATEGY" => self.strategy(reader),
            "CONDITIONTYPE" => {
                let (kind, span) = reader.word("a kind of conditions")?;
                self.system.conditions = match kind {
                    "ORIENTED" => ConditionKind::Oriented,
                    "JOIN" => ConditionKind::Join,
                    "SEMI-EQUATIONAL" => ConditionKind::SemiEquational,
                    _ => {
                        let what = format!("conditions of the kind `{kind}` are not known");
                        return Err(unsupported(span, &what, "kinds are ORIENTED, JOIN and SEMI-EQUATIONAL"));
                    }
                };
                Ok(())
            }
            "THEORY" => self.theory(reader),
            "REPLACEMENT-MAP" => self.replacement(reader),
            "COMMENT" => {
                self.skip_rest(reader);
                Ok(())
            }
            _ => {
                self.diagnostics.push(unsupported::skipped(span, &format!("section `{word}` is not read")));
                self.skip_rest(reader);
                Ok(())
            }
        }
    }

    /// `(AC plus times) (C max)`.
    fn theory(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        while reader.eat("(") {
            let (word, span) = reader.word("`AC`, `A` or `C`")?;
            let Some(axioms) = axioms_of(word) else {
                let what = format!("axioms of the kind `{word}` are not supported");
                return Err(unsupported(span, &what, "matching is modulo A, C and AC"));
            };
            let symbols = idents(reader, &mut self.system.names);
            self.system.theory.extend(symbols.into_iter().map(|symbol| (symbol, axioms)));
            reader.expect(")")?;
        }
        Ok(())
    }

    /// Skips to before the end of the section.
    fn skip_rest(&mut self, reader: &mut Reader<'_>) {
        while !reader.at_end() && !reader.is(0, ")") {
            if reader.eat("(") {
                reader.skip_bracket();
            } else {
                reader.skip();
            }
        }
    }

    fn strategy(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        let (word, span) = reader.word("a strategy")?;
        match word {
            "INNERMOST" => Ok(()),
            "OUTERMOST" => {
                self.system.strategy.order = Order::Outermost;
                Ok(())
            }
            "CONTEXTSENSITIVE" => self.replacement(reader),
            _ => {
                let what = format!("strategy `{word}` is not known");
                Err(unsupported(span, &what, "INNERMOST, OUTERMOST and CONTEXTSENSITIVE are"))
            }
        }
    }

    /// `(cons 1) (if 1 2)`, also with commas.
    fn replacement(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        self.system.strategy.order = Order::Outermost;
        while reader.eat("(") {
            let symbol = ident(reader, &mut self.system.names, "a function symbol")?;
            let mut arguments = Vec::new();
            while !reader.is(0, ")") && !reader.at_end() {
                arguments.push(argument(reader)?);
                reader.eat(",");
            }
            reader.expect(")")?;
            self.system.strategy.below.push((symbol, arguments));
        }
        Ok(())
    }

    /// `(cons Nat List -> List) (nil -> List)`, or with one sort for everything `(cons 2) (nil 0)`.
    fn signature(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        let has_arities = reader.is(0, "(") && reader.is_word(2) && reader.is(3, ")");
        if let (Some(sort), true) = (self.system.one_sort, has_arities) {
            while reader.eat("(") {
                let name = ident(reader, &mut self.system.names, "a function symbol")?;
                let args = vec![sort; arity(reader, "other symbols have numbers of arguments, too")?];
                reader.expect(")")?;
                self.system.symbols.push(SymbolDeclaration { name, args, result: sort, constructor: false });
            }
            self.system.arities = true;
            return Ok(());
        }
        self.system.one_sort = None;
        self.system.sorts.clear();
        while reader.eat("(") {
            let names = &mut self.system.names;
            let name = ident(reader, names, "a function symbol")?;
            let args: Vec<Ident> = idents(reader, names);
            reader.expect("->")?;
            let result = ident(reader, names, "a sort")?;
            reader.expect(")")?;
            for &sort in args.iter().chain([&result]) {
                if self.system.sorts.iter().all(|known| known.name != sort.name) {
                    self.system.sorts.push(sort);
                }
            }
            self.system.symbols.push(SymbolDeclaration { name, args, result, constructor: false });
        }
        Ok(())
    }

    fn rules(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        while !reader.is(0, ")") && !reader.at_end() {
            let start = reader.span();
            let left = self.term(reader)?;
            let relative = reader.eat("->=");
            if !relative {
                reader.expect("->")?;
            }
            let right = self.term(reader)?;
            let mut conditions = Vec::new();
            if reader.eat("|") {
                conditions.push(self.condition(reader)?);
                while reader.eat(",") {
                    conditions.push(self.condition(reader)?);
                }
            }
            let span = start.to(reader.last_span());
            self.system.rules.push(RuleDeclaration { left, right, conditions, relative, span });
        }
        Ok(())
    }

    fn condition(&mut self, reader: &mut Reader<'_>) -> Result<Condition, Fail> {
        let left = self.term(reader)?;
        if !(reader.eat("==") || reader.eat("->") || reader.eat("-><-")) {
            return Err(reader.expected("`==`"));
        }
        Ok(Condition { left, right: self.term(reader)?, differ: false })
    }

    fn term(&mut self, reader: &mut Reader<'_>) -> Result<crate::term::Term, Fail> {
        term::read(reader, &mut self.system.names, Notation::Functional)
    }
}

/// A system in the format.
pub(crate) struct Printed<'a>(pub &'a System);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = self.0;
        let term = |term| Shown { term, names: &system.names, notation: Notation::Functional };
        match system.conditions {
            ConditionKind::Oriented => {}
            ConditionKind::Join => writeln!(f, "(CONDITIONTYPE JOIN)")?,
            ConditionKind::SemiEquational => writeln!(f, "(CONDITIONTYPE SEMI-EQUATIONAL)")?,
        }
        if system.one_sort.is_some() {
            let variables: Vec<Ident> = system.variables.iter().map(|variable| variable.name).collect();
            if !system.undeclared_variables {
                writeln!(f, "(VAR {})", joined(&system.names, &variables, " "))?;
            }
            if system.arities {
                let symbol = |symbol: &SymbolDeclaration| {
                    format!("({} {})", system.text(symbol.name.name), symbol.args.len())
                };
                let all: Vec<String> = system.distinct_symbols().map(symbol).collect();
                writeln!(f, "(SIG {})", all.join(" "))?;
            }
        } else {
            writeln!(f, "(SIG")?;
            for symbol in system.distinct_symbols() {
                let (name, result) = (system.text(symbol.name.name), system.text(symbol.result.name));
                writeln!(f, "  ({name} {} -> {result})", joined(&system.names, &symbol.args, " "))?;
            }
            writeln!(f, ")")?;
        }
        if !system.theory.is_empty() {
            write!(f, "(THEORY")?;
            for (symbol, axioms) in &system.theory {
                write!(f, " ({} {})", axioms_name(*axioms), system.text(symbol.name))?;
            }
            writeln!(f, ")")?;
        }
        match (system.strategy.order, system.strategy.below.as_slice()) {
            (Order::Innermost, _) => {}
            (Order::Outermost, []) => writeln!(f, "(STRATEGY OUTERMOST)")?,
            (Order::Outermost, below) => {
                write!(f, "(STRATEGY CONTEXTSENSITIVE")?;
                for (symbol, arguments) in below {
                    write!(f, " ({} {})", system.text(symbol.name), numbered(arguments, " "))?;
                }
                writeln!(f, ")")?;
            }
        }
        writeln!(f, "(RULES")?;
        for rule in &system.rules {
            let arrow = if rule.relative { "->=" } else { "->" };
            write!(f, "  {} {arrow} {}", term(&rule.left), term(&rule.right))?;
            for (i, condition) in rule.conditions.iter().enumerate() {
                let before = if i == 0 { " |" } else { "," };
                write!(f, "{before} {} == {}", term(&condition.left), term(&condition.right))?;
            }
            writeln!(f)?;
        }
        writeln!(f, ")")
    }
}
