//! Expressions, by precedence.

use gchr_base::source::Span;

use super::{Fail, Parser, name_of, too_deep};
use crate::ast::*;
use crate::lexer::Kind;

impl Parser<'_> {
    /// An expression with everything behind it that belongs to it.
    pub(super) fn expr(&mut self) -> Result<Expr, Fail> {
        self.nested(0)
    }

    fn nested(&mut self, depth: u32) -> Result<Expr, Fail> {
        let mut body = self.level(1, depth)?;
        while self.eat("whr") {
            let mut bindings = Vec::new();
            loop {
                let name = self.ident("a variable")?;
                self.expect("=")?;
                bindings.push((name, self.nested(depth + 1)?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("end")?;
            let span = body.span.to(self.last_span());
            let below = bindings.iter().map(|(_, value)| value.depth).max().unwrap_or(0).max(body.depth);
            body = node(ExprKind::Where(Box::new(body), bindings), span, below)?;
        }
        Ok(body)
    }

    /// Operators that bind at least so tightly.
    fn level(&mut self, least: u8, depth: u32) -> Result<Expr, Fail> {
        if depth > MAX_DEPTH {
            return Err(too_deep(self.span()));
        }
        let mut left = self.operand(depth)?;
        while let Some(Kind::Mark(mark)) = self.peek(0) {
            let Some((binds, to_the_right)) = infix(mark).filter(|(binds, _)| *binds >= least) else { break };
            self.skip();
            let right = self.level(if to_the_right { binds } else { binds + 1 }, depth + 1)?;
            let (span, below) = (left.span.to(right.span), left.depth.max(right.depth));
            left = node(ExprKind::Operator(mark, vec![left, right]), span, below)?;
        }
        Ok(left)
    }

    fn operand(&mut self, depth: u32) -> Result<Expr, Fail> {
        let start = self.span();
        let binder = match self.peek(0) {
            Some(Kind::Mark("forall")) => Some(Binder::All),
            Some(Kind::Mark("exists")) => Some(Binder::Some),
            Some(Kind::Mark("lambda")) => Some(Binder::Lambda),
            _ => None,
        };
        if let Some(binder) = binder {
            self.skip();
            let variables = self.bindings()?;
            self.expect(".")?;
            let body = self.level(1, depth + 1)?;
            let (span, below) = (start.to(body.span), body.depth);
            return node(ExprKind::Binder(binder, variables, Box::new(body)), span, below);
        }
        for mark in ["!", "-", "#"] {
            if self.eat(mark) {
                let operand = self.level(PREFIX, depth + 1)?;
                let (span, below) = (start.to(operand.span), operand.depth);
                return node(ExprKind::Operator(mark, vec![operand]), span, below);
            }
        }
        let primary = self.primary(depth)?;
        self.applied(primary, depth)
    }

    /// Arguments and updates behind what they belong to.
    fn applied(&mut self, mut head: Expr, depth: u32) -> Result<Expr, Fail> {
        loop {
            if self.eat("(") {
                let args = self.list(")", depth)?;
                let span = head.span.to(self.last_span());
                let below = deepest(&args).max(head.depth);
                head = node(ExprKind::Apply(Box::new(head), args), span, below)?;
            } else if self.eat("[") {
                let at = self.nested(depth + 1)?;
                self.expect("->")?;
                let value = self.nested(depth + 1)?;
                self.expect("]")?;
                let span = head.span.to(self.last_span());
                let below = at.depth.max(value.depth).max(head.depth);
                head = node(ExprKind::Update(Box::new([head, at, value])), span, below)?;
            } else {
                return Ok(head);
            }
        }
    }

    fn primary(&mut self, depth: u32) -> Result<Expr, Fail> {
        let start = self.span();
        let Some(kind) = self.peek(0) else { return Err(self.expected("a term")) };
        let kind = match kind {
            Kind::Name => ExprKind::Name(name_of(self.text_of(start))),
            Kind::Number => ExprKind::Number(name_of(self.text_of(start))),
            Kind::Mark("(") => {
                self.skip();
                let mut inner = self.nested(depth + 1)?;
                self.expect(")")?;
                inner.span = start.to(self.last_span());
                return Ok(inner);
            }
            Kind::Mark("[") => {
                self.skip();
                let items = if self.eat("]") { Vec::new() } else { self.list("]", depth)? };
                let below = deepest(&items);
                return node(ExprKind::List(items), start.to(self.last_span()), below);
            }
            Kind::Mark("{") => {
                self.skip();
                return self.braces(start, depth);
            }
            _ => return Err(self.expected("a term")),
        };
        self.skip();
        node(kind, start, 0)
    }

    /// What stands between braces, behind the opening one.
    fn braces(&mut self, start: Span, depth: u32) -> Result<Expr, Fail> {
        if self.eat("}") {
            return node(ExprKind::Set(Vec::new()), start.to(self.last_span()), 0);
        }
        if self.is(0, ":") && self.is(1, "}") {
            self.skip();
            self.skip();
            return node(ExprKind::Bag(Vec::new()), start.to(self.last_span()), 0);
        }
        if self.is_name(0) && self.is(1, ":") {
            let before = self.next;
            if let Ok(variable) = self.binding()
                && self.eat("|")
            {
                let body = self.nested(depth + 1)?;
                self.expect("}")?;
                let below = body.depth;
                let kind = ExprKind::Comprehension(Box::new(variable), Box::new(body));
                return node(kind, start.to(self.last_span()), below);
            }
            self.next = before;
        }
        let first = self.nested(depth + 1)?;
        if !self.is(0, ":") {
            let mut items = vec![first];
            while self.eat(",") {
                items.push(self.nested(depth + 1)?);
            }
            self.expect("}")?;
            let below = deepest(&items);
            return node(ExprKind::Set(items), start.to(self.last_span()), below);
        }
        self.skip();
        let mut items = vec![(first, self.nested(depth + 1)?)];
        while self.eat(",") {
            let item = self.nested(depth + 1)?;
            self.expect(":")?;
            items.push((item, self.nested(depth + 1)?));
        }
        self.expect("}")?;
        let below = items.iter().map(|(item, count)| item.depth.max(count.depth)).max().unwrap_or(0);
        node(ExprKind::Bag(items), start.to(self.last_span()), below)
    }

    /// Terms with commas between them, and what closes them.
    fn list(&mut self, close: &str, depth: u32) -> Result<Vec<Expr>, Fail> {
        let mut items = vec![self.nested(depth + 1)?];
        while self.eat(",") {
            items.push(self.nested(depth + 1)?);
        }
        self.expect(close)?;
        Ok(items)
    }
}

fn deepest(items: &[Expr]) -> u32 {
    items.iter().map(|item| item.depth).max().unwrap_or(0)
}

fn node(kind: ExprKind, span: Span, below: u32) -> Result<Expr, Fail> {
    let depth = below + 1;
    if depth > MAX_DEPTH { Err(too_deep(span)) } else { Ok(Expr { kind, span, depth }) }
}
