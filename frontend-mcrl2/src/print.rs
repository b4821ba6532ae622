//! The syntax tree as a text that is read as the same.

use std::fmt::{self, Display, Formatter};

use crate::ast::*;

impl Display for Specification {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            match section {
                Section::Sorts(sorts) => {
                    for sort in sorts {
                        write!(f, "sort {}", sort.name.text)?;
                        match &sort.definition {
                            Some(definition) => writeln!(f, " = {definition};")?,
                            None => writeln!(f, ";")?,
                        }
                    }
                }
                Section::Constructors(symbols) => {
                    symbols.iter().try_for_each(|s| writeln!(f, "cons {s};"))?
                }
                Section::Mappings(symbols) => symbols.iter().try_for_each(|s| writeln!(f, "map {s};"))?,
                Section::Equations { variables, equations } => {
                    if !variables.is_empty() {
                        f.write_str("var ")?;
                        variables.iter().try_for_each(|v| write!(f, "{v}; "))?;
                        writeln!(f)?;
                    }
                    writeln!(f, "eqn")?;
                    equations.iter().try_for_each(|equation| writeln!(f, "  {equation};"))?;
                }
            }
        }
        Ok(())
    }
}

impl Display for SymbolDeclaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Joined(&self.names), self.sort)
    }
}

impl Display for Binding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Joined(&self.names), self.sort)
    }
}

impl Display for Ident {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Display for Equation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(condition) = &self.condition {
            write!(f, "{condition} -> ")?;
        }
        write!(f, "{} = {}", self.left, self.right)
    }
}

impl Display for Sort {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            SortKind::Name(name) => f.write_str(name),
            SortKind::Container(container, of) => write!(f, "{container}({of})"),
            SortKind::Function(args, result) => {
                for (i, arg) in args.iter().enumerate() {
                    let between = if i > 0 { " # " } else { "" };
                    match arg.kind {
                        SortKind::Function(..) | SortKind::Struct(_) => write!(f, "{between}({arg})")?,
                        _ => write!(f, "{between}{arg}")?,
                    }
                }
                match result.kind {
                    SortKind::Struct(_) => write!(f, " -> ({result})"),
                    _ => write!(f, " -> {result}"),
                }
            }
            SortKind::Struct(constructors) => {
                f.write_str("struct ")?;
                for (i, constructor) in constructors.iter().enumerate() {
                    write!(f, "{}{constructor}", if i > 0 { " | " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

impl Display for Constructor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        for (i, (projection, sort)) in self.fields.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "(" })?;
            if let Some(projection) = projection {
                write!(f, "{projection}: ")?;
            }
            match sort.kind {
                SortKind::Struct(_) => write!(f, "({sort})")?,
                _ => write!(f, "{sort}")?,
            }
        }
        if !self.fields.is_empty() {
            f.write_str(")")?;
        }
        self.recogniser.iter().try_for_each(|name| write!(f, "?{name}"))
    }
}

struct Joined<'a, T>(&'a [T]);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Name(text) | ExprKind::Number(text) => f.write_str(text),
            ExprKind::Apply(head, args) => write!(f, "{}({})", Inner(head), Joined(args)),
            ExprKind::Operator(mark, args) => match args.as_slice() {
                [arg] => write!(f, "{mark}{}", Inner(arg)),
                [left, right] => write!(f, "{} {mark} {}", Inner(left), Inner(right)),
                _ => f.write_str(mark),
            },
            ExprKind::List(items) => write!(f, "[{}]", Joined(items)),
            ExprKind::Set(items) => write!(f, "{{{}}}", Joined(items)),
            ExprKind::Bag(items) if items.is_empty() => f.write_str("{:}"),
            ExprKind::Bag(items) => {
                for (i, (item, count)) in items.iter().enumerate() {
                    write!(f, "{}{}: {}", if i > 0 { ", " } else { "{" }, Inner(item), Inner(count))?;
                }
                f.write_str("}")
            }
            ExprKind::Comprehension(variable, body) => write!(f, "{{{variable} | {body}}}"),
            ExprKind::Update(parts) => {
                write!(f, "{}[{} -> {}]", Inner(&parts[0]), Inner(&parts[1]), Inner(&parts[2]))
            }
            ExprKind::Binder(binder, variables, body) => {
                write!(f, "{} {}. ", binder.word(), Joined(variables))?;
                match body.kind {
                    ExprKind::Where(..) => write!(f, "({body})"),
                    _ => write!(f, "{body}"),
                }
            }
            ExprKind::Where(body, bindings) => {
                write!(f, "{} whr ", Inner(body))?;
                for (i, (name, value)) in bindings.iter().enumerate() {
                    write!(f, "{}{name} = {}", if i > 0 { ", " } else { "" }, Inner(value))?;
                }
                f.write_str(" end")
            }
        }
    }
}

/// A part of an expression, in brackets where it needs them.
struct Inner<'a>(&'a Expr);

impl Display for Inner<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.kind {
            ExprKind::Operator(..) | ExprKind::Binder(..) | ExprKind::Where(..) => write!(f, "({})", self.0),
            _ => write!(f, "{}", self.0),
        }
    }
}
