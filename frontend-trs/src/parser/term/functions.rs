//! Functions without names, and terms that are applied.

use super::*;
use crate::ast::Ident;
use crate::parser::sort::read_sort;

/// What begins a function without a name, and is a name elsewhere.
const LAMBDA: &str = "lambda";

impl Reader<'_> {
    /// Whether a name begins a function without a name: elsewhere no name stands before another one and a colon.
    pub(super) fn is_lambda(&self, name: Name) -> bool {
        self.lexed.tables.names.get(name) == LAMBDA
            && matches!(self.token(1), Some(Token::Ident(_)))
            && matches!(self.token(2), Some(Token::Colon | Token::Comma))
    }

    /// `lambda X, Y: Nat, Z: Bool.`, before the term of the function.
    pub(super) fn lambda(&mut self, start: u32) -> Result<bool, Box<Diagnostic>> {
        let mut parameters = Vec::new();
        self.next += 1;
        let first = self.span().start;
        loop {
            let mut names = Vec::new();
            loop {
                let Some(Token::Ident(name)) = self.token(0) else {
                    return Err(self.not_in_lambda("a variable"));
                };
                names.push(Ident { name, span: self.span() });
                self.next += 1;
                match self.token(0) {
                    Some(Token::Comma) => self.next += 1,
                    Some(Token::Colon) => break self.next += 1,
                    _ => return Err(self.not_in_lambda("`:`")),
                }
            }
            let sort = read_sort(self.lexed, &mut self.next, 0);
            let sort = sort.map_err(|error| Box::new(error.into_diagnostic(self.lexed, None)))?;
            parameters.extend(names.into_iter().map(|name| Parameter { name, sort: sort.clone() }));
            match self.token(0) {
                Some(Token::Comma) => self.next += 1,
                Some(Token::Dot) => break self.next += 1,
                _ => return Err(self.not_in_lambda("`,` or `.`")),
            }
        }
        let end = self.lexed.span(self.next - 2).end;
        self.lambdas.push(parameters);
        self.emit(NodeKind::Parameters(self.lambdas.len() as u32 - 1), 0, first, end);
        self.frames.push(Frame::Lambda { start });
        Ok(false)
    }

    fn not_in_lambda(&self, expected: &str) -> Box<Diagnostic> {
        let found = self.lexed.show(self.next);
        Box::new(
            Diagnostic::error("T0003", format!("expected {expected}, found {found}"))
                .label(self.span(), "this does not continue the parameters of a function")
                .help("write `lambda X: Nat, Y: Bool. T`"),
        )
    }

    /// A bracket behind a bracket applies the term before it. Whether arguments follow.
    pub(super) fn applies(&mut self) -> bool {
        let open = self.next as u32;
        if self.token(1) == Some(Token::Close) {
            let start = self.operands.last().map_or(0, |operand| operand.start);
            let end = self.lexed.span(self.next + 1).end;
            self.next += 2;
            self.emit(NodeKind::Apply(0), 1, start, end);
            return false;
        }
        self.frames.push(Frame::Apply { open, args: 1 });
        self.next += 1;
        true
    }
}
