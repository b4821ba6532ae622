//! The XML format of the termination problem data base, XTC: `.xml`.

use std::fmt;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;
use gchr_base::names::{Ident, Name};
use gchr_base::source::{SourceId, SourceMap, Span};

use crate::system::*;
use crate::term::{Node, Term, write_nodes};
use crate::tokens::{Fail, argument_of};
use crate::unsupported::{self, unsupported};
use crate::xml::Reader;

/// Reads a system.
pub(crate) fn parse(sources: &SourceMap, id: SourceId, diagnostics: &mut Vec<Diagnostic>) -> System {
    let start = Span::new(id, 0, 0);
    let mut system = System { conditions: ConditionKind::Oriented, ..System::with_one_sort(start) };
    let mut variables = HashSet::default();
    let mut parser = Parser { system: &mut system, variables: &mut variables, diagnostics };
    let read = Reader::new(id, &sources.get(id).text).and_then(|mut reader| {
        reader.expect("problem")?;
        parser.problem(&mut reader)?;
        if reader.at_end() { Ok(()) } else { Err(reader.expected("the end of the text")) }
    });
    if let Err(found) = read {
        diagnostics.push(*found);
    }
    for declared in &system.symbols {
        if declared.args.is_empty() && variables.contains(&declared.name.name) {
            let name = system.text(declared.name.name);
            diagnostics.push(
                Diagnostic::error("T1104", format!("`{name}` is a constant and a variable"))
                    .label(declared.name.span, "declared here, and a `<var>` elsewhere")
                    .help("rename one of the two: a name has one meaning"),
            );
        }
    }
    if let Some(sort) = system.one_sort {
        system.declare_what_occurs(sort);
    }
    system
}

struct Parser<'a> {
    system: &'a mut System,
    variables: &'a mut HashSet<Name>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn problem(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        while let Some(name) = reader.peek() {
            let span = reader.span();
            reader.enter(name);
            match name {
                "trs" => self.system(reader)?,
                "strategy" => self.strategy(&reader.text()?)?,
                // These ask for something about the system.
                "startterm" | "status" | "metainformation" | "comment" => reader.skip(),
                _ => self.skipped(reader, name, span),
            }
        }
        reader.close()
    }

    fn strategy(&mut self, (word, span): &(std::borrow::Cow<'_, str>, Span)) -> Result<(), Fail> {
        self.system.strategy.order = match &**word {
            "INNERMOST" => Order::Innermost,
            "OUTERMOST" => Order::Outermost,
            // Any order is right: the outermost one ends more often where terms are rewritten below some arguments.
            "FULL" if self.system.strategy.below.is_empty() => Order::Innermost,
            "FULL" => Order::Outermost,
            _ => {
                let what = format!("strategy `{word}` is not supported");
                return Err(unsupported(*span, &what, "FULL, INNERMOST and OUTERMOST are"));
            }
        };
        Ok(())
    }

    /// What is inside of `<trs>`.
    fn system(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        while let Some(name) = reader.peek() {
            let span = reader.span();
            reader.enter(name);
            match name {
                "rules" => self.rules(reader, false)?,
                "signature" => self.signature(reader)?,
                "comment" => reader.skip(),
                "conditiontype" => {
                    let (kind, span) = reader.text()?;
                    self.system.conditions = match &*kind {
                        "ORIENTED" | "NONE" => ConditionKind::Oriented,
                        "JOIN" => ConditionKind::Join,
                        "SEMI-EQUATIONAL" => ConditionKind::SemiEquational,
                        _ => {
                            let what = format!("conditions of the kind `{kind}` are not known");
                            return Err(unsupported(span, &what, "kinds are ORIENTED and JOIN"));
                        }
                    };
                }
                "higherOrderSignature" => {
                    return Err(unsupported(
                        span,
                        "functions as values are not supported",
                        "this is not read",
                    ));
                }
                _ => self.skipped(reader, name, span),
            }
        }
        reader.close()
    }

    fn skipped(&mut self, reader: &mut Reader<'_>, name: &str, span: Span) {
        self.diagnostics.push(unsupported::skipped(span, &format!("`<{name}>` is not read")));
        reader.skip();
    }

    fn rules(&mut self, reader: &mut Reader<'_>, relative: bool) -> Result<(), Fail> {
        while !reader.leave() {
            let start = reader.span();
            if reader.enter("relrules") {
                self.rules(reader, true)?;
                continue;
            }
            reader.expect("rule")?;
            let (left, right) = self.sides(reader)?;
            let mut conditions = Vec::new();
            if reader.enter("conditions") {
                while reader.enter("condition") {
                    let (left, right) = self.sides(reader)?;
                    conditions.push(Condition { left, right, differ: false });
                    reader.close()?;
                }
                reader.close()?;
            }
            let span = start.to(reader.span());
            reader.close()?;
            self.system.rules.push(RuleDeclaration { left, right, conditions, relative, span });
        }
        Ok(())
    }

    /// `<lhs>...</lhs><rhs>...</rhs>`.
    fn sides(&mut self, reader: &mut Reader<'_>) -> Result<(Term, Term), Fail> {
        let mut side = |name| {
            reader.expect(name)?;
            let found = self.term(reader)?;
            reader.close()?;
            Ok::<Term, Fail>(found)
        };
        Ok((side("lhs")?, side("rhs")?))
    }

    /// A term, with the applications that are open on a stack.
    fn term(&mut self, reader: &mut Reader<'_>) -> Result<Term, Fail> {
        let start = reader.span();
        let (mut nodes, mut open): (Vec<Node>, Vec<Node>) = (Vec::new(), Vec::new());
        'terms: loop {
            if reader.enter("var") {
                nodes.push(self.variable(reader)?);
            } else if reader.enter("funapp") {
                reader.expect("name")?;
                let (text, span) = reader.text()?;
                let mut call = Node { name: self.name(&text, span)?, arity: 0, span };
                if reader.enter("arg") {
                    call.arity = 1;
                    open.push(call);
                    continue;
                }
                reader.close()?;
                nodes.push(call);
            } else if let Some("lambda" | "application") = reader.peek() {
                let help = "only first-order systems are read";
                return Err(unsupported(reader.span(), "functions as values are not supported", help));
            } else {
                return Err(reader.expected("`<funapp>` or `<var>`"));
            }
            // An argument ends, and maybe what it is one of.
            while let Some(call) = open.last_mut() {
                reader.close()?;
                if reader.enter("arg") {
                    call.arity += 1;
                    continue 'terms;
                }
                reader.close()?;
                nodes.extend(open.pop());
            }
            return Ok(Term { nodes, span: start.to(reader.span()) });
        }
    }

    fn variable(&mut self, reader: &mut Reader<'_>) -> Result<Node, Fail> {
        let (text, span) = reader.text()?;
        let name = self.name(&text, span)?;
        if self.variables.insert(name)
            && let Some(sort) = self.system.one_sort
        {
            self.system.variables.push(VariableDeclaration { name: Ident { name, span }, sort });
        }
        Ok(Node { name, arity: 0, span })
    }

    fn signature(&mut self, reader: &mut Reader<'_>) -> Result<(), Fail> {
        while reader.enter("funcsym") {
            reader.expect("name")?;
            let (text, span) = reader.text()?;
            let name = Ident { name: self.name(&text, span)?, span };
            reader.expect("arity")?;
            let (arity, place) = reader.text()?;
            let arity: usize = arity.parse().ok().filter(|&n| n <= u16::MAX.into()).ok_or_else(|| {
                Diagnostic::error("T1001", "this is no number of arguments")
                    .label(place, "a number up to 65535 should be here")
                    .help("`<arity>2</arity>` says that a symbol has two arguments")
            })?;
            if let Some(sort) = self.system.one_sort {
                let args = vec![sort; arity];
                self.system.symbols.push(SymbolDeclaration { name, args, result: sort, constructor: false });
            }
            while let Some(property) = reader.peek() {
                let span = reader.span();
                reader.enter(property);
                match property {
                    "theory" => {
                        let (kind, span) = reader.text()?;
                        let axioms = axioms_of(&kind).ok_or_else(|| {
                            let what = format!("axioms of the kind `{kind}` are not supported");
                            unsupported(span, &what, "matching is modulo A, C and AC")
                        })?;
                        self.system.theory.push((name, axioms));
                    }
                    "replacementmap" => {
                        let mut arguments = Vec::new();
                        while reader.enter("entry") {
                            let (number, span) = reader.text()?;
                            arguments.push(argument_of(&number, span)?);
                        }
                        reader.close()?;
                        self.system.strategy.below.push((name, arguments));
                    }
                    _ => {
                        return Err(unsupported(
                            span,
                            "this property of a symbol is not supported",
                            "remove it",
                        ));
                    }
                }
            }
            reader.close()?;
        }
        reader.close()
    }

    fn name(&mut self, text: &str, span: Span) -> Result<Name, Fail> {
        match text.is_empty() {
            false => Ok(self.system.names.intern(text)),
            true => Err(Box::new(
                Diagnostic::error("T1001", "a name is empty").label(span, "here").help("write a name"),
            )),
        }
    }
}

/// A system in the format.
pub(crate) struct Printed<'a>(pub &'a System);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = self.0;
        let variables: HashSet<Name> = system.variables.iter().map(|variable| variable.name.name).collect();
        let element = |term| Element { system, variables: &variables, term };
        writeln!(f, "<problem type=\"termination\">\n<trs>\n<rules>")?;
        for rule in &system.rules {
            let (open, close) = if rule.relative { ("<relrules>", "</relrules>") } else { ("", "") };
            write!(f, "{open}<rule><lhs>{}</lhs><rhs>{}</rhs>", element(&rule.left), element(&rule.right))?;
            if !rule.conditions.is_empty() {
                write!(f, "<conditions>")?;
                for Condition { left, right, .. } in &rule.conditions {
                    write!(
                        f,
                        "<condition><lhs>{}</lhs><rhs>{}</rhs></condition>",
                        element(left),
                        element(right)
                    )?;
                }
                write!(f, "</conditions>")?;
            }
            writeln!(f, "</rule>{close}")?;
        }
        writeln!(f, "</rules>\n<signature>")?;
        for symbol in system.distinct_symbols() {
            let (name, arity) = (Escaped(system.text(symbol.name.name)), symbol.args.len());
            write!(f, "<funcsym><name>{name}</name><arity>{arity}</arity>")?;
            if let Some((_, axioms)) = system.theory.iter().find(|(of, _)| of.name == symbol.name.name) {
                write!(f, "<theory>{}</theory>", axioms_name(*axioms))?;
            }
            let below = system.strategy.below.iter().find(|(of, _)| of.name == symbol.name.name);
            if let Some((_, arguments)) = below {
                let entries: Vec<String> =
                    arguments.iter().map(|argument| format!("<entry>{argument}</entry>")).collect();
                write!(f, "<replacementmap>{}</replacementmap>", entries.concat())?;
            }
            writeln!(f, "</funcsym>")?;
        }
        let kind = match system.conditions {
            ConditionKind::Oriented => "ORIENTED",
            ConditionKind::Join => "JOIN",
            ConditionKind::SemiEquational => "SEMI-EQUATIONAL",
        };
        let strategy = match (system.strategy.order, system.strategy.below.is_empty()) {
            (Order::Innermost, false) => "INNERMOST",
            (Order::Outermost, true) => "OUTERMOST",
            _ => "FULL",
        };
        writeln!(f, "</signature>\n<conditiontype>{kind}</conditiontype>\n</trs>")?;
        writeln!(f, "<strategy>{strategy}</strategy>\n</problem>")
    }
}

/// A term as an element.
struct Element<'a> {
    system: &'a System,
    variables: &'a HashSet<Name>,
    term: &'a Term,
}

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nodes(&self.term.nodes, f, |node, f| {
            let name = Escaped(self.system.text(node.name));
            match node.arity {
                0 if self.variables.contains(&node.name) => write!(f, "<var>{name}</var>").map(|()| ("", "")),
                0 => write!(f, "<funapp><name>{name}</name>").map(|()| ("", "</funapp>")),
                _ => {
                    let arguments = ("</arg><arg>", "</arg></funapp>");
                    write!(f, "<funapp><name>{name}</name><arg>").map(|()| arguments)
                }
            }
        })
    }
}

/// A name in which characters of the format have their names.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '&' => f.write_str("&amp;"),
            c => write!(f, "{c}"),
        })
    }
}
