//! Parts of statements: names, sorts, module expressions, renamings.

use gchr_base::source::Span;

use super::declarations::named;
use super::{Fail, expected};
use crate::syntax::*;
use crate::token::Token;

/// Reads a part of a statement.
pub(crate) struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    place: Span,
}

impl<'t> Reader<'t> {
    /// `place`: of the token before.
    pub fn new(tokens: &'t [Token], place: Span) -> Self {
        Self { tokens, at: 0, place }
    }

    /// How many tokens are left.
    pub fn left(&self) -> usize {
        self.tokens.len() - self.at
    }

    pub fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub fn token(&mut self, what: &str) -> Result<Token, Fail> {
        match self.tokens.get(self.at) {
            Some(token) => {
                self.at += 1;
                self.place = token.span;
                Ok(token.clone())
            }
            None => Err(expected(self.place.after(), what)),
        }
    }

    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(text));
        self.at += usize::from(found);
        found
    }

    pub fn expect(&mut self, text: &str) -> Result<(), Fail> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    pub fn end(&self, what: &str) -> Result<(), Fail> {
        if self.at == self.tokens.len() { Ok(()) } else { Err(self.unexpected(what)) }
    }

    pub fn unexpected(&self, what: &str) -> Fail {
        expected(self.peek().map_or(self.place.after(), |token| token.span), what)
    }

    pub fn skip_until(&mut self, text: &str) {
        while self.peek().is_some_and(|token| !token.is(text)) {
            self.at += 1;
        }
    }

    /// A sort: `List{Nat}` is one name.
    pub fn sort(&mut self) -> Result<Name, Fail> {
        let first = self.token("a sort")?;
        if crate::token::is_special(first.text.chars().next().unwrap_or(' ')) {
            return Err(expected(first.span, "a sort"));
        }
        let (mut text, mut span) = (first.text.to_string(), first.span);
        while self.peek().is_some_and(|token| token.is("{")) {
            text += &self.braces()?;
            span = span.to(self.place);
        }
        Ok(Name { text: text.into(), span })
    }

    /// What stands in braces, these included.
    pub fn braces(&mut self) -> Result<String, Fail> {
        let (mut text, mut depth) = (String::new(), 0);
        loop {
            let token = self.token("`}`")?;
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            text += &token.text;
            if depth == 0 {
                return Ok(text);
            }
        }
    }

    /// A sort, or a kind in brackets.
    pub fn type_name(&mut self) -> Result<TypeName, Fail> {
        let is_kind = self.eat("[");
        let sort = self.sort()?.text;
        if is_kind {
            while self.eat(",") {
                self.sort()?;
            }
            self.expect("]")?;
        }
        Ok(TypeName { sort, is_kind })
    }

    /// The name of an operator: all tokens before one of the given ones; what brackets enclose is kept together.
    pub fn operator_name(&mut self, before: &[&str]) -> Result<Name, Fail> {
        let mut tokens = vec![self.token("an operator")?];
        while let Some(token) = self.peek()
            && !before.contains(&&*token.text)
        {
            tokens.push(token.clone());
            self.at += 1;
        }
        Ok(named(&tokens))
    }

    /// `A B -> C`, behind the colon; `A B ~> C` is of the kinds.
    pub fn sorts_of_operator(&mut self) -> Result<(Vec<TypeName>, TypeName), Fail> {
        let mut domain = Vec::new();
        while self.peek().is_some_and(|token| !token.is("->") && !token.is("~>")) {
            domain.push(self.type_name()?);
        }
        let partial = self.eat("~>");
        if !partial {
            self.expect("->")?;
        }
        let mut range = self.type_name()?;
        if partial {
            range.is_kind = true;
            domain.iter_mut().for_each(|of| of.is_kind = true);
        }
        Ok((domain, range))
    }

    pub fn parameters(&mut self) -> Result<Vec<(Token, ModuleExpr)>, Fail> {
        let mut found = Vec::new();
        loop {
            let name = self.token("a parameter")?;
            self.expect("::")?;
            found.push((name, self.module_expr()?));
            if !self.eat(",") {
                self.expect("}")?;
                return Ok(found);
            }
        }
    }

    pub fn module_expr(&mut self) -> Result<ModuleExpr, Fail> {
        let mut parts = vec![self.module_part()?];
        while self.eat("+") {
            parts.push(self.module_part()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { ModuleExpr::Sum(parts) })
    }

    fn module_part(&mut self) -> Result<ModuleExpr, Fail> {
        let mut found = if self.eat("(") {
            let inner = self.module_expr()?;
            self.expect(")")?;
            inner
        } else {
            let token = self.token("a module")?;
            ModuleExpr::Name(Name { text: token.text, span: token.span })
        };
        loop {
            if self.eat("{") {
                let mut args = vec![self.module_expr()?];
                while self.eat(",") {
                    args.push(self.module_expr()?);
                }
                self.expect("}")?;
                found = ModuleExpr::Instance(Box::new(found), args);
            } else if self.eat("*") {
                self.expect("(")?;
                found = ModuleExpr::Renamed(Box::new(found), self.renaming()?);
            } else {
                return Ok(found);
            }
        }
    }

    /// `sort A to B, op f to g)`.
    fn renaming(&mut self) -> Result<Vec<RenamingItem>, Fail> {
        let mut items = Vec::new();
        loop {
            let word = self.token("`sort` or `op`")?;
            match &*word.text {
                "sort" | "class" => {
                    let from = self.sort()?;
                    self.expect("to")?;
                    items.push(RenamingItem::Sort(from, self.sort()?));
                }
                "op" => {
                    let from = self.operator_name(&["to", ":"])?;
                    let of = if self.eat(":") { Some(self.sorts_of_operator()?) } else { None };
                    self.expect("to")?;
                    let to = self.operator_in_renaming()?;
                    let attributes =
                        if self.eat("[") { super::declarations::attributes(self)? } else { Vec::new() };
                    items.push(RenamingItem::Op { from, of, to, attributes });
                }
                "label" => self.skip_until(","),
                _ => return Err(expected(word.span, "`sort` or `op`")),
            }
            if self.eat(")") {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// The new name of an operator in a renaming, where a comma or a bracket may belong to it or end it.
    fn operator_in_renaming(&mut self) -> Result<Name, Fail> {
        let mut tokens = vec![self.token("an operator")?];
        let mut open = usize::from(tokens[0].is("("));
        while let Some(token) = self.peek() {
            let next = self.tokens.get(self.at + 1);
            let ends = match &*token.text {
                ")" => open == 0,
                "," => next.is_none_or(|token| ["sort", "op", "label", "class"].contains(&&*token.text)),
                "[" => next.is_some_and(|token| super::declarations::is_attribute(&token.text)),
                _ => false,
            };
            if ends {
                break;
            }
            open = open + usize::from(token.is("(")) - usize::from(token.is(")"));
            tokens.push(token.clone());
            self.at += 1;
        }
        Ok(named(&tokens))
    }
}
