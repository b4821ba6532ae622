//! Prints a module as a program text that parses back to the same module (places aside).

use std::fmt::{self, Display, Formatter, Write};

use gchr_base::escape::in_quotes;

use super::*;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = &self.names;
        self.sections.iter().try_for_each(|section| match section {
            Section::Sorts(clauses) => print_section(f, "sort", clauses, |c, f| sort(c, names, f)),
            Section::Constructors(clauses) => print_section(f, "cons", clauses, |c, f| symbol(c, names, f)),
            Section::Maps(clauses) => print_section(f, "map", clauses, |c, f| symbol(c, names, f)),
            Section::Variables(clauses) => print_section(f, "var", clauses, |c, f| variable(c, names, f)),
            Section::Equations(clauses) => print_section(f, "eqn", clauses, |c, f| equation(c, names, f)),
            Section::Input(input) => writeln!(f, "input {};", input.term.display(names)),
            Section::Import(import) => writeln!(f, "import \"{}\";", names.get(import.file.name)),
            Section::Strategy(clauses) => print_section(f, "strategy", clauses, |c, f| strategy(c, names, f)),
        })
    }
}

fn print_section<T>(
    f: &mut Formatter<'_>,
    keyword: &str,
    clauses: &[T],
    each: impl Fn(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    writeln!(f, "{keyword}")?;
    clauses.iter().try_for_each(|clause| {
        f.write_str("  ")?;
        each(clause, f)?;
        f.write_str(";\n")
    })
}

fn separated<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    separator: &str,
    each: impl Fn(&T, &mut Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    items.iter().enumerate().try_for_each(|(i, item)| {
        if i > 0 {
            f.write_str(separator)?;
        }
        each(item, f)
    })
}

fn idents(f: &mut Formatter<'_>, items: &[Ident], separator: &str, names: &Names) -> fmt::Result {
    separated(f, items, separator, |ident, f| f.write_str(names.get(ident.name)))
}

fn sort(clause: &SortDeclaration, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    idents(f, &clause.names, ", ", names)?;
    if !clause.parameters.is_empty() {
        f.write_str("(")?;
        idents(f, &clause.parameters, ", ", names)?;
        f.write_str(")")?;
    }
    let symbols = match &clause.body {
        SortBody::Own => return Ok(()),
        SortBody::Alias(of) => {
            f.write_str(" = ")?;
            return sort_ref(of, names, f);
        }
        SortBody::Struct(symbols) => symbols,
    };
    f.write_str(" = struct ")?;
    separated(f, symbols, " | ", |symbol, f| {
        write!(f, "{}(", names.get(symbol.name.name))?;
        separated(f, &symbol.args, ", ", |arg, f| {
            if let Some(projection) = arg.projection {
                write!(f, "{}: ", names.get(projection.name))?;
            }
            sort_ref(&arg.sort, names, f)
        })?;
        f.write_str(")")?;
        symbol.recogniser.map_or(Ok(()), |recogniser| write!(f, "?{}", names.get(recogniser.name)))
    })
}

fn symbol(clause: &SymbolDeclaration, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    idents(f, &clause.names, ", ", names)?;
    f.write_str(": ")?;
    if !clause.args.is_empty() {
        separated(f, &clause.args, " # ", |arg, f| sort_ref(arg, names, f))?;
        f.write_str(" -> ")?;
    }
    sort_ref(&clause.result, names, f)?;
    if clause.axioms.is_empty() {
        return Ok(());
    }
    f.write_str(" [")?;
    separated(f, &clause.axioms, " ", |axiom, f| match axiom.kind {
        AxiomKind::Associative => f.write_str("assoc"),
        AxiomKind::Commutative => f.write_str("comm"),
        AxiomKind::Identity(of) => write!(f, "id: {}", names.get(of.name)),
    })?;
    f.write_str("]")
}

fn strategy(clause: &StrategyClause, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    let (symbol, args) = match &clause.kind {
        StrategyKind::Order(order) => return f.write_str(word(&ORDERS, *order)),
        StrategyKind::Arguments { symbol, args } => (symbol, args),
    };
    let argument = |arg: &StrategyArgument, f: &mut Formatter<'_>| f.write_str(word(&ARGUMENTS, arg.kind));
    let Some(symbol) = symbol else { return separated(f, args, " |> ", argument) };
    write!(f, "{}(", names.get(symbol.name))?;
    separated(f, args, ", ", argument)?;
    f.write_str(")")
}

/// The word for something.
fn word<T: PartialEq>(words: &[(&'static str, T)], of: T) -> &'static str {
    words.iter().find(|(_, known)| *known == of).map_or("", |(word, _)| word)
}

impl SortRef {
    /// The sort as it is written.
    pub fn display<'a>(&'a self, names: &'a Names) -> impl Display + 'a {
        fmt::from_fn(move |f| sort_ref(self, names, f))
    }
}

fn sort_ref(sort: &SortRef, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    let Some(name) = sort.name else {
        let (result, args) = sort.args.split_last().expect("a sort of functions has a result");
        f.write_str("(")?;
        separated(f, args, " # ", |arg, f| sort_ref(arg, names, f))?;
        f.write_str(" -> ")?;
        sort_ref(result, names, f)?;
        return f.write_str(")");
    };
    f.write_str(names.get(name.name))?;
    if sort.args.is_empty() {
        return Ok(());
    }
    f.write_str("(")?;
    separated(f, &sort.args, ", ", |arg, f| sort_ref(arg, names, f))?;
    f.write_str(")")
}

fn variable(clause: &VariableDeclaration, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    idents(f, &clause.names, ", ", names)?;
    f.write_str(": ")?;
    match &clause.sort {
        Some(sort) => sort_ref(sort, names, f),
        None => f.write_str("sort"),
    }
}

fn equation(clause: &Equation, names: &Names, f: &mut Formatter<'_>) -> fmt::Result {
    if let Some(condition) = &clause.condition {
        write!(f, "{} -> ", condition.display(names))?;
    }
    write!(f, "{} = {}", clause.left.display(names), clause.right.display(names))?;
    if !clause.values.is_empty() {
        f.write_str(" whr ")?;
        separated(f, &clause.values, ", ", |binding, f| {
            write!(f, "{} = {}", names.get(binding.name.name), binding.value.display(names))
        })?;
        f.write_str(" end")?;
    }
    f.write_str(if clause.otherwise { " [owise]" } else { "" })
}

impl Term {
    /// The term as input syntax, with as few brackets as its meaning needs.
    pub fn display<'a>(&'a self, names: &'a Names) -> impl Display + 'a {
        TermDisplay { part: self.whole(), names }
    }
}

struct TermDisplay<'a> {
    part: Part<'a>,
    names: &'a Names,
}

/// What is still to be printed, last first.
enum Todo {
    /// The subterm with this root, in brackets when its operator is looser than the level.
    Subterm(usize, u8),
    Text(&'static str),
}

impl Display for TermDisplay<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut todo = vec![Todo::Subterm(self.part.nodes.len() - 1, 0)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Text(text) => f.write_str(text)?,
                Todo::Subterm(root, level) => self.subterm(root, level, &mut todo, f)?,
            }
        }
        Ok(())
    }
}

/// Characters between quotes.
fn quoted(f: &mut Formatter<'_>, text: impl IntoIterator<Item = char>, quote: char) -> fmt::Result {
    f.write_char(quote)?;
    for c in text {
        match in_quotes(c, quote) {
            Some(written) => f.write_str(&written)?,
            None => f.write_char(c)?,
        }
    }
    f.write_char(quote)
}

impl TermDisplay<'_> {
    fn subterm(&self, root: usize, level: u8, todo: &mut Vec<Todo>, f: &mut Formatter<'_>) -> fmt::Result {
        let first_operand = || root - 1;
        match self.part.nodes[root].kind {
            NodeKind::Name(name) => f.write_str(self.names.get(name)),
            NodeKind::Int(n) => write!(f, "{n}"),
            NodeKind::Large { digits, negative } => {
                write!(f, "{}{}", if negative { "-" } else { "" }, self.names.get(digits))
            }
            // `{:?}` writes a point or an exponent, and digits that read back to the same float.
            NodeKind::Float(x) => write!(f, "{x:?}"),
            NodeKind::Character(c) => quoted(f, [c], '\''),
            NodeKind::Text(text, _) => quoted(f, self.names.get(text).chars(), '"'),
            NodeKind::Power(name, count) => {
                todo.extend([Todo::Text(")"), Todo::Subterm(first_operand(), 0)]);
                write!(f, "{}^{count}(", self.names.get(name))
            }
            NodeKind::Call(name, args) => {
                todo.push(Todo::Text(")"));
                _ = self.operands(root, args, todo);
                write!(f, "{}(", self.names.get(name))
            }
            NodeKind::List(elements) => {
                todo.push(Todo::Text("]"));
                _ = self.operands(root, elements, todo);
                f.write_str("[")
            }
            NodeKind::Apply(args) => {
                todo.push(Todo::Text(")"));
                let function = self.operands(root, args, todo);
                // What ends with a bracket is applied as it is.
                let is_closed =
                    matches!(self.part.nodes[function].kind, NodeKind::Call(..) | NodeKind::Apply(_));
                if is_closed {
                    todo.extend([Todo::Text("("), Todo::Subterm(function, 0)]);
                    return Ok(());
                }
                todo.extend([Todo::Text(")("), Todo::Subterm(function, 0)]);
                f.write_str("(")
            }
            NodeKind::Parameters(at) => {
                separated(f, &self.part.lambdas[at as usize], ", ", |parameter, f| {
                    write!(f, "{}: ", self.names.get(parameter.name.name))?;
                    sort_ref(&parameter.sort, self.names, f)
                })
            }
            NodeKind::Lambda => {
                if level > 0 {
                    f.write_str("(")?;
                    todo.push(Todo::Text(")"));
                }
                let body = first_operand();
                let parameters = body - self.part.nodes[body].size as usize;
                todo.extend([Todo::Subterm(body, 0), Todo::Text(". "), Todo::Subterm(parameters, 0)]);
                f.write_str("lambda ")
            }
            NodeKind::ListOp(op @ ListOp::Size) => {
                todo.push(Todo::Subterm(first_operand(), PREFIX_LEVEL));
                f.write_str(op.text())
            }
            NodeKind::Prefix(prefix) => {
                f.write_str(operator_text(prefix))?;
                if prefix == Op::Neg && self.is_plain_number(first_operand()) {
                    // `-5` is a literal: the operator on a literal keeps its brackets.
                    f.write_str("(")?;
                    todo.extend([Todo::Text(")"), Todo::Subterm(first_operand(), 0)]);
                } else {
                    todo.push(Todo::Subterm(first_operand(), PREFIX_LEVEL));
                }
                Ok(())
            }
            infix @ (NodeKind::Infix(_) | NodeKind::Match | NodeKind::ListOp(_)) => {
                let (right, own) = (first_operand(), infix_level(infix));
                let left = right - self.part.nodes[right].size as usize;
                if own < level {
                    f.write_str("(")?;
                    todo.push(Todo::Text(")"));
                }
                // Left-associative: an operator of the same level on the right needs brackets, for `|>` on the left,
                // for comparisons on either side.
                let left_level = if [COMPARISON_LEVEL, CONS_LEVEL].contains(&own) { own + 1 } else { own };
                todo.extend([
                    Todo::Subterm(right, if own == CONS_LEVEL { own } else { own + 1 }),
                    Todo::Text(" "),
                    Todo::Text(infix_text(infix)),
                    Todo::Text(" "),
                    Todo::Subterm(left, left_level),
                ]);
                Ok(())
            }
        }
    }

    /// The last operands of a node, with commas between them, the last one first; the one before them is returned.
    fn operands(&self, root: usize, count: u32, todo: &mut Vec<Todo>) -> usize {
        let mut operand = root;
        for i in 0..count {
            operand = if i == 0 { root - 1 } else { operand - self.part.nodes[operand].size as usize };
            if i > 0 {
                todo.push(Todo::Text(", "));
            }
            todo.push(Todo::Subterm(operand, 0));
        }
        if count == 0 {
            root.saturating_sub(1)
        } else {
            operand.saturating_sub(self.part.nodes[operand].size as usize)
        }
    }

    fn is_plain_number(&self, node: usize) -> bool {
        match self.part.nodes[node].kind {
            NodeKind::Int(n) => n >= 0,
            NodeKind::Large { negative, .. } => !negative,
            NodeKind::Float(x) => x.is_sign_positive(),
            _ => false,
        }
    }
}
