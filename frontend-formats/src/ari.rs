//! The ARI format of termination and confluence problems, `.ari`: lists in brackets. Systems with one sort (`TRS`),
//! with many (`MSTRS`) and with conditions (`CTRS`).

use std::fmt;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::names::Ident;
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::system::*;
use crate::term::{self, Notation, Shown, ident, idents};
use crate::tokens::{Fail, Lexis, Reader, argument, arity};
use crate::unsupported::{self, unsupported};

/// What texts of the format are made of.
pub(crate) const LEXIS: Lexis = Lexis { comments: &[';'], marks: &["(", ")"], reserved: &[] };

/// Reads a system.
pub(crate) fn parse(sources: &SourceMap, id: SourceId, diagnostics: &mut Vec<Diagnostic>) -> System {
    let mut system = System { undeclared_variables: true, ..System::new() };
    let mut reader = match Reader::new(id, &sources.get(id).text, &LEXIS) {
        Ok(reader) => reader,
        Err(found) => {
            diagnostics.push(*found);
            return system;
        }
    };
    let mut parser = Parser { system: &mut system, diagnostics, format: None };
    while !reader.at_end() {
        if let Err(found) = reader.expect("(") {
            parser.diagnostics.push(
                found.help("the text is a sequence of lists: `(format TRS) (fun f 2) (rule (f x y) x)`"),
            );
            return system;
        }
        let inside = reader.position();
        let form = parser.form(&mut reader).and_then(|()| reader.expect(")"));
        if let Err(found) = form {
            parser.diagnostics.push(*found);
            reader.go_to(inside);
            reader.skip_bracket();
        }
    }
    if parser.format.is_none() {
        let place = Span::new(id, 0, 0);
        parser.diagnostics.push(
            Diagnostic::error("T1003", "the text does not say what it is")
                .label(place, "`(format ...)` should come first")
                .help("begin with `(format TRS)`, `(format MSTRS)` or `(format CTRS oriented)`"),
        );
    }
    system
}

struct Parser<'a> {
    system: &'a mut System,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// What the text says that it is.
    format: Option<&'static str>,
}

impl Parser<'_> {
    /// What is inside of a list.
    fn form(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        let (word, span) = reader.word("`format`, `sort`, `fun` or `rule`")?;
        match word {
            "format" => self.format(reader),
            "meta-info" => {
                self.skip_list(reader);
                Ok(())
            }
            "sort" => {
                let sort = ident(reader, &mut self.system.names, "a sort")?;
                if matches!(self.format, None | Some("MSTRS" | "another")) {
                    self.system.sorts.push(sort);
                    return Ok(());
                }
                Err(Box::new(
                    Diagnostic::error("T1001", "systems of this format have no sorts")
                        .label(sort.span, "declared here")
                        .help("write `(format MSTRS)`, or leave the sort out"),
                ))
            }
            "fun" => self.function(reader),
            "rule" => self.rule(reader, span),
            "infeasible?" => {
                self.diagnostics
                    .push(unsupported::skipped(span, "this question about the system is not answered"));
                self.skip_list(reader);
                Ok(())
            }
            "theory" | "define-fun" | "smtlib" | "prule" | "entrypoint" => Err(unsupported(
                span,
                &format!("`{word}` is not supported"),
                "only rules over terms are read",
            )),
            _ => Err(unsupported(
                span,
                &format!("`{word}` is not known"),
                "`format`, `sort`, `fun` and `rule` are",
            )),
        }
    }

    /// Skips to before the end of the list.
    fn skip_list(&mut self, reader: &mut Reader<'_>) {
        while !reader.at_end() && !reader.is(0, ")") {
            if reader.eat("(") {
                reader.skip_bracket();
            } else {
                reader.skip();
            }
        }
    }

    fn format(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        let (word, span) = reader.word("a format")?;
        let known = ["TRS", "MSTRS", "CTRS", "CSTRS", "CSCTRS"].into_iter().find(|known| *known == word);
        let Some(format) = known else {
            self.format = Some("another");
            let help = "formats that are read: TRS, MSTRS, CTRS, CSTRS and CSCTRS";
            return Err(unsupported(
                span,
                &format!("systems of the format `{word}` are not supported"),
                help,
            ));
        };
        if self.format.replace(format).is_some() {
            return Err(Box::new(
                Diagnostic::error("T1104", "a text has one format")
                    .label(span, "a second one")
                    .help("write each system into a file of its own"),
            ));
        }
        if format != "MSTRS" {
            self.system.set_one_sort(span);
        }
        while reader.is_word(0) {
            let (word, span) = reader.word("a property")?;
            match word {
                "oriented" => self.system.conditions = ConditionKind::Oriented,
                "join" => self.system.conditions = ConditionKind::Join,
                "semi-equational" => self.system.conditions = ConditionKind::SemiEquational,
                ":problem" | ":number" => reader.skip(),
                _ => {
                    return Err(unsupported(
                        span,
                        &format!("`{word}` is not supported here"),
                        "leave it out",
                    ));
                }
            }
        }
        Ok(())
    }

    fn function(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        let name = ident(reader, &mut self.system.names, "a function symbol")?;
        let (args, result) = match self.system.one_sort {
            Some(sort) => {
                let arity = arity(reader, "only systems of the format MSTRS declare sorts")?;
                (vec![sort; arity], sort)
            }
            None => self.profile(reader)?,
        };
        self.system.symbols.push(SymbolDeclaration { name, args, result, constructor: false });
        self.properties(name, reader)
    }

    /// `:sort (A B C)`, `(-> A B C)` or `C`.
    fn profile(&mut self, reader: &mut Reader<'_>) -> Result<(Vec<Ident>, Ident), Fail> {
        let keyword = reader.text(0) == ":sort";
        if keyword {
            reader.skip();
        }
        if !reader.eat("(") {
            return Ok((Vec::new(), ident(reader, &mut self.system.names, "a sort")?));
        }
        if !keyword {
            let (arrow, span) = reader.word("`->`")?;
            if arrow != "->" {
                return Err(Box::new(
                    Diagnostic::error("T1001", format!("expected `->`, found `{arrow}`"))
                        .label(span, "not understood here")
                        .help("write `(fun cons (-> Nat List List))`"),
                ));
            }
        }
        let mut sorts = idents(reader, &mut self.system.names);
        let result = sorts.pop().ok_or_else(|| reader.expected("a sort"))?;
        reader.expect(")")?;
        Ok((sorts, result))
    }

    /// `:theory AC`, `:replacement-map (1)`.
    fn properties(&mut self, name: Ident, reader: &mut Reader<'_>) -> Result<(), Fail> {
        while reader.is_word(0) {
            let (word, span) = reader.word("a property")?;
            match word {
                ":theory" => {
                    let (kind, span) = reader.word("`AC`, `A` or `C`")?;
                    let Some(axioms) = axioms_of(kind) else {
                        let what = format!("axioms of the kind `{kind}` are not supported");
                        return Err(unsupported(span, &what, "matching is modulo A, C and AC"));
                    };
                    self.system.theory.push((name, axioms));
                }
                ":replacement-map" => {
                    self.system.strategy.order = Order::Outermost;
                    reader.expect("(")?;
                    let mut arguments = Vec::new();
                    while !reader.is(0, ")") && !reader.at_end() {
                        arguments.push(argument(reader)?);
                    }
                    reader.expect(")")?;
                    self.system.strategy.below.push((name, arguments));
                }
                _ => {
                    return Err(unsupported(span, "this property of a symbol is not supported", "remove it"));
                }
            }
        }
        Ok(())
    }

    fn rule(&mut self, reader: &mut Reader<'_>, span: Span) -> Result<(), Fail> {
        let left = self.term(reader)?;
        let right = self.term(reader)?;
        let (mut conditions, mut relative) = (Vec::new(), false);
        while !reader.is(0, ")") && !reader.at_end() {
            if reader.is(0, "(") {
                conditions.push(self.condition(reader)?);
                continue;
            }
            let (word, place) = reader.word("a condition or a property")?;
            match word {
                ":condition" => self.conditions(reader, &mut conditions)?,
                ":cost" => relative = reader.word("a cost")?.0 == "0",
                ":index" | ":number" => reader.skip(),
                _ => {
                    let what = format!("`{word}` of a rule is not supported");
                    return Err(unsupported(place, &what, "remove it"));
                }
            }
        }
        let span = span.to(reader.last_span());
        self.system.rules.push(RuleDeclaration { left, right, conditions, relative, span });
        Ok(())
    }

    /// `(= S T)`, `(and (= S T) ...)` or `((= S T) ...)`.
    fn conditions(&mut self, reader: &mut Reader<'_>, found: &mut Vec<Condition>) -> Result<(), Fail> {
        if reader.is(0, "(") && reader.text(1) == "=" {
            found.push(self.condition(reader)?);
            return Ok(());
        }
        reader.expect("(")?;
        if reader.text(0) == "and" {
            reader.skip();
        }
        while reader.is(0, "(") {
            found.push(self.condition(reader)?);
        }
        reader.expect(")")
    }

    fn condition(&mut self, reader: &mut Reader<'_>) -> Result<Condition, Fail> {
        reader.expect("(")?;
        if reader.text(0) != "=" {
            return Err(reader.expected("`=`"));
        }
        reader.skip();
        let condition = Condition { left: self.term(reader)?, right: self.term(reader)?, differ: false };
        reader.expect(")")?;
        Ok(condition)
    }

    fn term(&mut self, reader: &mut Reader<'_>) -> Result<crate::term::Term, Fail> {
        term::read(reader, &mut self.system.names, Notation::Prefix)
    }
}

/// A system in the format.
pub(crate) struct Printed<'a>(pub &'a System);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = self.0;
        let term = |term| Shown { term, names: &system.names, notation: Notation::Prefix };
        let conditional = system.rules.iter().any(|rule| !rule.conditions.is_empty());
        let kind = match system.conditions {
            ConditionKind::Oriented => "CTRS oriented",
            ConditionKind::SemiEquational => "CTRS semi-equational",
            ConditionKind::Join if conditional => "CTRS join",
            ConditionKind::Join if !system.strategy.below.is_empty() => "CSTRS",
            ConditionKind::Join => "TRS",
        };
        writeln!(f, "(format {})", if system.one_sort.is_none() { "MSTRS" } else { kind })?;
        for sort in system.sorts.iter().filter(|_| system.one_sort.is_none()) {
            writeln!(f, "(sort {})", system.text(sort.name))?;
        }
        for symbol in system.distinct_symbols() {
            let name = system.text(symbol.name.name);
            if system.one_sort.is_some() {
                write!(f, "(fun {name} {}", symbol.args.len())?;
            } else {
                let args = joined(&system.names, &symbol.args, " ");
                let gap = if args.is_empty() { "" } else { " " };
                write!(f, "(fun {name} :sort ({args}{gap}{})", system.text(symbol.result.name))?;
            }
            if let Some((_, axioms)) = system.theory.iter().find(|(of, _)| of.name == symbol.name.name) {
                write!(f, " :theory {}", axioms_name(*axioms))?;
            }
            let below = system.strategy.below.iter().find(|(of, _)| of.name == symbol.name.name);
            if let Some((_, arguments)) = below {
                write!(f, " :replacement-map ({})", numbered(arguments, " "))?;
            }
            writeln!(f, ")")?;
        }
        for rule in &system.rules {
            write!(f, "(rule {} {}", term(&rule.left), term(&rule.right))?;
            for condition in &rule.conditions {
                write!(f, " (= {} {})", term(&condition.left), term(&condition.right))?;
            }
            writeln!(f, "{})", if rule.relative { " :cost 0" } else { "" })?;
        }
        Ok(())
    }
}
