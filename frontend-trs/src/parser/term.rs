//! Reads a term: operator precedence parsing (the shunting-yard algorithm) into postfix nodes, with an explicit stack,
//! in linear time.
//!
//! `S^24(x)` and the infix operator `^` are told apart by what follows: a name, `^`, a number and `(` are a repeated
//! application, since a number is never followed by a bracket otherwise.

mod functions;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::source::Span;

use crate::ast::{
    COMPARISON_LEVEL, CONS_LEVEL, ListOp, Name, Node, NodeKind, Parameter, Term, infix_level, infix_text,
};
use crate::lexer::{Lexed, Literal, Token};

use super::error::reserved;

/// Reads the term that starts at token `start`; also returns the position behind it. A term ends before the first token
/// that cannot continue it.
pub(crate) fn read_term(lexed: &Lexed<'_>, start: usize) -> Result<(Term, usize), Box<Diagnostic>> {
    let (frames, operands, nodes, lambdas) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut reader = Reader { lexed, next: start, frames, operands, nodes, lambdas };
    loop {
        if reader.operand()? && !reader.goes_on()? {
            return Ok(reader.finish());
        }
    }
}

/// An operator or bracket that waits for its operands.
enum Frame {
    Call {
        name: Name,
        start: u32,
        open: u32,
        args: u32,
    },
    Power {
        name: Name,
        count: u32,
        start: u32,
        open: u32,
    },
    /// A function that is a term, which is the operand before the arguments.
    Apply {
        open: u32,
        args: u32,
    },
    /// A function without a name, whose parameters are the operand before its term.
    Lambda {
        start: u32,
    },
    Bracket {
        start: u32,
        open: u32,
    },
    List {
        start: u32,
        open: u32,
        elements: u32,
    },
    /// Which node it becomes.
    Prefix {
        prefix: NodeKind,
        start: u32,
    },
    /// Which node it becomes.
    Infix {
        infix: NodeKind,
        token: u32,
    },
}

impl Frame {
    /// Token of the opening bracket, if this is one.
    fn open(&self) -> Option<u32> {
        match *self {
            Frame::Call { open, .. }
            | Frame::Power { open, .. }
            | Frame::Apply { open, .. }
            | Frame::Bracket { open, .. }
            | Frame::List { open, .. } => Some(open),
            Frame::Prefix { .. } | Frame::Infix { .. } | Frame::Lambda { .. } => None,
        }
    }
}

/// A complete subterm.
#[derive(Clone, Copy)]
struct Operand {
    /// Its first node; the last one is known from what follows.
    first: u32,
    depth: u32,
    /// Its place, enclosing brackets included.
    start: u32,
    end: u32,
}

/// The digits of the least integer of 64 bits.
const LEAST: &str = "9223372036854775808";

struct Reader<'a> {
    lexed: &'a Lexed<'a>,
    next: usize,
    frames: Vec<Frame>,
    operands: Vec<Operand>,
    nodes: Vec<Node>,
    lambdas: Vec<Vec<Parameter>>,
}

impl Reader<'_> {
    fn token(&self, ahead: usize) -> Option<Token> {
        self.lexed.tokens.get(self.next + ahead).copied()
    }

    fn span(&self) -> Span {
        self.lexed.span(self.next)
    }

    /// Reads what may stand where an operand begins. True when an operand is complete, false when another one must
    /// follow.
    fn operand(&mut self) -> Result<bool, Box<Diagnostic>> {
        let span = self.span();
        match self.token(0) {
            Some(Token::Ident(name)) if self.is_lambda(name) => self.lambda(span.start),
            Some(Token::Ident(name)) => self.name(name, span),
            Some(Token::Number(literal)) => {
                let kind = self.number(literal, false)?;
                self.leaf(kind, span.start, 1)
            }
            Some(Token::Character(c)) => self.leaf(NodeKind::Character(c), span.start, 1),
            Some(Token::Text(text)) => {
                let length = self.lexed.tables.names.get(text).chars().count();
                // A text has fewer than 2^32 bytes.
                self.leaf(NodeKind::Text(text, length as u32), span.start, 1)
            }
            Some(Token::Minus) => match self.token(1) {
                Some(Token::Number(literal)) => {
                    let kind = self.number(literal, true)?;
                    self.leaf(kind, span.start, 2)
                }
                _ => Ok(self.prefix(NodeKind::Prefix(Op::Neg), span)),
            },
            Some(Token::Bang) => Ok(self.prefix(NodeKind::Prefix(Op::Negate), span)),
            Some(Token::Hash) => Ok(self.prefix(NodeKind::ListOp(ListOp::Size), span)),
            Some(Token::OpenSquare) if self.token(1) == Some(Token::CloseSquare) => {
                self.leaf(NodeKind::List(0), span.start, 2)
            }
            Some(Token::OpenSquare) => {
                self.frames.push(Frame::List { start: span.start, open: self.next as u32, elements: 1 });
                self.next += 1;
                Ok(false)
            }
            Some(Token::Open) => {
                self.frames.push(Frame::Bracket { start: span.start, open: self.next as u32 });
                self.next += 1;
                Ok(false)
            }
            _ => Err(self.no_operand()),
        }
    }

    fn name(&mut self, name: Name, span: Span) -> Result<bool, Box<Diagnostic>> {
        let start = span.start;
        match (self.token(1), self.token(2), self.token(3)) {
            (Some(Token::Open), Some(Token::Close), _) => self.leaf(NodeKind::Call(name, 0), start, 3),
            (Some(Token::Open), ..) => {
                self.frames.push(Frame::Call { name, start, open: self.next as u32 + 1, args: 1 });
                self.next += 2;
                Ok(false)
            }
            (Some(Token::Caret), Some(Token::Number(literal)), Some(Token::Open)) => {
                let count = self.count(literal)?;
                self.frames.push(Frame::Power { name, count, start, open: self.next as u32 + 3 });
                self.next += 4;
                Ok(false)
            }
            _ => self.leaf(NodeKind::Name(name), start, 1),
        }
    }

    fn prefix(&mut self, prefix: NodeKind, span: Span) -> bool {
        self.frames.push(Frame::Prefix { prefix, start: span.start });
        self.next += 1;
        false
    }

    /// Adds a node without operands that takes `tokens` tokens.
    fn leaf(&mut self, kind: NodeKind, start: u32, tokens: usize) -> Result<bool, Box<Diagnostic>> {
        let end = self.lexed.span(self.next + tokens - 1).end;
        self.next += tokens;
        self.emit(kind, 0, start, end);
        Ok(true)
    }

    fn number(&self, literal: u32, negative: bool) -> Result<NodeKind, Box<Diagnostic>> {
        let at = self.next + usize::from(negative);
        match self.lexed.tables.literals[literal as usize] {
            Literal::Int(n) => Ok(NodeKind::Int(if negative { -n } else { n })),
            // The least one has an opposite that is too large.
            Literal::Large(digits) if negative && self.lexed.tables.names.get(digits) == LEAST => {
                Ok(NodeKind::Int(i64::MIN))
            }
            Literal::Large(digits) => Ok(NodeKind::Large { digits, negative }),
            Literal::Float(x) => Ok(NodeKind::Float(if negative { -x } else { x })),
            Literal::TooLarge => Err(self.too_large(at)),
        }
    }

    fn too_large(&self, token: usize) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error("T0002", "this number does not fit its sort")
                .label(self.lexed.span(token), "too large")
                .note("a `Float` is finite, and an integer has at most 10,000 digits")
                .help("write a smaller number"),
        )
    }

    fn count(&self, literal: u32) -> Result<u32, Box<Diagnostic>> {
        let value = match self.lexed.tables.literals[literal as usize] {
            Literal::Int(n) => u32::try_from(n).ok(),
            _ => None,
        };
        value.ok_or_else(|| {
            Box::new(
                Diagnostic::error("T0008", "this is not a number of applications")
                    .label(self.lexed.span(self.next + 2), "not an integer below 2^32")
                    .help(format!("write an integer up to {}", u32::MAX)),
            )
        })
    }

    /// Adds a node on top of the last `arity` operands.
    fn emit(&mut self, kind: NodeKind, arity: usize, start: u32, end: u32) {
        let base = self.operands.len() - arity;
        let first = self.operands.get(base).map_or(self.nodes.len() as u32, |operand| operand.first);
        let inner = self.operands[base..].iter().map(|operand| operand.depth).max().unwrap_or(0);
        let depth = kind.depth().saturating_add(inner);
        self.operands.truncate(base);
        self.operands.push(Operand { first, depth, start, end });
        let span = Span { source: self.lexed.source, start, end };
        self.nodes.push(Node { kind, size: self.nodes.len() as u32 + 1 - first, span });
    }

    /// Applies waiting operators that bind at least as tightly as `level`, down to the innermost open bracket.
    fn reduce(&mut self, level: u8) {
        loop {
            match self.frames.last() {
                Some(&Frame::Prefix { prefix, start }) => {
                    let end = self.operands.last().map_or(start, |operand| operand.end);
                    self.frames.pop();
                    self.emit(prefix, 1, start, end);
                }
                // Its term goes as far as it can.
                Some(&Frame::Lambda { start }) if level == 0 => {
                    let end = self.operands.last().map_or(start, |operand| operand.end);
                    self.frames.pop();
                    self.emit(NodeKind::Lambda, 2, start, end);
                }
                Some(&Frame::Infix { infix, .. }) if infix_level(infix) >= level => {
                    self.frames.pop();
                    let base = self.operands.len() - 2;
                    let (start, end) = (self.operands[base].start, self.operands[base + 1].end);
                    self.emit(infix, 2, start, end);
                }
                _ => return,
            }
        }
    }

    /// Behind an operand: whether another one follows, behind what closes brackets here.
    fn goes_on(&mut self) -> Result<bool, Box<Diagnostic>> {
        loop {
            let is_closed = self.lexed.tokens.get(self.next.wrapping_sub(1)) == Some(&Token::Close);
            if is_closed && self.token(0) == Some(Token::Open) {
                if self.applies() {
                    return Ok(true);
                }
            } else if !self.close_bracket()? {
                return self.continues();
            }
        }
    }

    /// Behind an operand: closes one bracket when the one that closes it follows.
    fn close_bracket(&mut self) -> Result<bool, Box<Diagnostic>> {
        let Some(close @ (Token::Close | Token::CloseSquare)) = self.token(0) else { return Ok(false) };
        self.reduce(0);
        let is_list = matches!(self.frames.last(), Some(Frame::List { .. }));
        if self.frames.last().is_some() && is_list != (close == Token::CloseSquare) {
            return Ok(false);
        }
        let end = self.span().end;
        let Some(frame) = self.frames.pop() else { return Ok(false) };
        match frame {
            Frame::Call { name, start, args, .. } => {
                self.emit(NodeKind::Call(name, args), args as usize, start, end);
            }
            Frame::Power { name, count, start, .. } => {
                self.emit(NodeKind::Power(name, count), 1, start, end);
            }
            Frame::Apply { args, .. } => {
                let function = self.operands.len() - args as usize - 1;
                let start = self.operands[function].start;
                self.emit(NodeKind::Apply(args), args as usize + 1, start, end);
            }
            Frame::Bracket { start, .. } => {
                if let Some(operand) = self.operands.last_mut() {
                    (operand.start, operand.end) = (start, end);
                }
            }
            Frame::List { start, elements, .. } => {
                self.emit(NodeKind::List(elements), elements as usize, start, end);
            }
            Frame::Prefix { .. } | Frame::Infix { .. } | Frame::Lambda { .. } => {}
        }
        self.next += 1;
        Ok(true)
    }

    /// Behind an operand: whether an operator or a comma follows (and is taken), hence another operand.
    fn continues(&mut self) -> Result<bool, Box<Diagnostic>> {
        if let Some(infix) = self.infix() {
            self.reduce(infix_level(infix) + u8::from(!is_left_associative(infix)));
            self.refuse_chain(infix)?;
            self.frames.push(Frame::Infix { infix, token: self.next as u32 });
            self.next += 1;
            return Ok(true);
        }
        self.reduce(0);
        match self.frames.last_mut() {
            None => Ok(false),
            Some(
                Frame::Call { args: parts, .. }
                | Frame::Apply { args: parts, .. }
                | Frame::List { elements: parts, .. },
            ) if self.lexed.tokens.get(self.next) == Some(&Token::Comma) => {
                *parts += 1;
                self.next += 1;
                Ok(true)
            }
            Some(_) => Err(self.bracket_goes_on()),
        }
    }

    /// What stands between two operands at the next token. `in` is a name elsewhere.
    fn infix(&self) -> Option<NodeKind> {
        match self.token(0)? {
            Token::Ident(name) if self.lexed.tables.names.get(name) == ListOp::In.text() => {
                Some(NodeKind::ListOp(ListOp::In))
            }
            token => infix(token),
        }
    }

    fn refuse_chain(&self, infix: NodeKind) -> Result<(), Box<Diagnostic>> {
        let Some(&Frame::Infix { infix: before, token }) = self.frames.last() else { return Ok(()) };
        if infix_level(before) != COMPARISON_LEVEL || infix_level(infix) != COMPARISON_LEVEL {
            return Ok(());
        }
        let text = infix_text(infix);
        Err(Box::new(
            Diagnostic::error("T0006", "comparisons do not associate")
                .label(self.span(), format!("`{text}` behind another comparison"))
                .label(self.lexed.span(token as usize), "the first comparison")
                .help("put one of the two in brackets, or join them with `&&`"),
        ))
    }

    fn finish(self) -> (Term, usize) {
        let depth = self.operands.first().map_or(0, |operand| operand.depth);
        (Term { nodes: self.nodes, depth, lambdas: self.lambdas }, self.next)
    }

    fn innermost_open(&self) -> Option<Span> {
        let open = self.frames.iter().rev().find_map(Frame::open)?;
        Some(self.lexed.span(open as usize))
    }

    /// The clause ends here although a bracket is open.
    fn unclosed(&self) -> Option<Box<Diagnostic>> {
        let ends = match self.token(0) {
            None | Some(Token::Semicolon | Token::Equals | Token::Arrow) => true,
            Some(token) => token.starts_section(),
        };
        let open = self.innermost_open().filter(|_| ends)?;
        Some(Box::new(
            Diagnostic::error("T0004", "this bracket is never closed")
                .label(open, "opened here")
                .label(self.span(), format!("still open at {}", self.lexed.show(self.next)))
                .help(match self.frames.iter().rev().find(|frame| frame.open().is_some()) {
                    Some(Frame::List { .. }) => "add the missing `]`",
                    _ => "add the missing `)`",
                }),
        ))
    }

    fn no_operand(&self) -> Box<Diagnostic> {
        let before = self.next.checked_sub(1).and_then(|i| self.lexed.tokens.get(i)).copied();
        let dangling = matches!(before, Some(Token::Comma)) || before.is_some_and(|t| infix(t).is_some());
        if let Some(unclosed) = self.unclosed().filter(|_| !dangling) {
            return unclosed;
        }
        let called = self.token(1) == Some(Token::Open);
        if called && matches!(self.token(0), Some(Token::IntDiv | Token::Mod)) {
            return Box::new(reserved(self.lexed, self.next));
        }
        let found = self.lexed.show(self.next);
        let help = match self.token(0) {
            Some(Token::Close) if dangling => "remove what stands before the bracket, or add a term",
            _ => {
                "a term is a name, `F(T, ...)`, `S^3(T)`, `[T, ...]`, a number, or terms joined by operators"
            }
        };
        Box::new(
            Diagnostic::error("T0003", format!("expected a term, found {found}"))
                .label(self.span(), "a term should start here")
                .help(help),
        )
    }

    fn bracket_goes_on(&self) -> Box<Diagnostic> {
        if let Some(unclosed) = self.unclosed() {
            return unclosed;
        }
        let (found, open) = (self.lexed.show(self.next), self.innermost_open());
        let close = if matches!(self.frames.last(), Some(Frame::List { .. })) { "]" } else { ")" };
        let mut diagnostic =
            Diagnostic::error("T0003", format!("expected an operator or `{close}`, found {found}"))
                .label(self.span(), "this does not continue the term");
        if let Some(open) = open {
            diagnostic = diagnostic.label(open, "inside this bracket");
        }
        let help = match self.frames.last() {
            Some(Frame::Call { .. } | Frame::Apply { .. }) => "arguments are separated by `,`",
            Some(Frame::List { .. }) => "elements are separated by `,`",
            Some(Frame::Power { .. }) => "`S^3(T)` has one argument",
            _ => "add an operator or the closing bracket",
        };
        Box::new(diagnostic.help(help))
    }
}

/// Whether an operator takes one of its level as its left operand.
fn is_left_associative(infix: NodeKind) -> bool {
    ![COMPARISON_LEVEL, CONS_LEVEL].contains(&infix_level(infix))
}

fn infix(token: Token) -> Option<NodeKind> {
    Some(NodeKind::Infix(match token {
        Token::BarBar => Op::Either,
        Token::AndAnd => Op::Both,
        Token::EqEq => Op::Eq,
        Token::NotEq => Op::Ne,
        Token::Less => Op::Lt,
        Token::LessEq => Op::Le,
        Token::Greater => Op::Gt,
        Token::GreaterEq => Op::Ge,
        Token::Bar => Op::Or,
        Token::Caret => Op::Xor,
        Token::And => Op::And,
        Token::ShiftLeft => Op::Shl,
        Token::ShiftRight => Op::Shr,
        Token::Plus => Op::Add,
        Token::Minus => Op::Sub,
        Token::Star => Op::Mul,
        Token::Slash => Op::Div,
        Token::IntDiv => Op::FloorDiv,
        Token::Mod => Op::Mod,
        Token::Match => return Some(NodeKind::Match),
        Token::Cons => return Some(NodeKind::ListOp(ListOp::Cons)),
        Token::Snoc => return Some(NodeKind::ListOp(ListOp::Snoc)),
        Token::Concat => return Some(NodeKind::ListOp(ListOp::Concat)),
        Token::Dot => return Some(NodeKind::ListOp(ListOp::At)),
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_base::op::TermSyntax;
    use gchr_base::source::SourceMap;

    #[test]
    fn every_operator_of_the_table_is_read() {
        for &op in Op::ALL {
            let (text, kind) = match op.row().terms {
                TermSyntax::Prefix(text) => (format!("{text} X"), NodeKind::Prefix(op)),
                TermSyntax::Infix(text, _) => (format!("X {text} Y"), NodeKind::Infix(op)),
                TermSyntax::Function(_) | TermSyntax::None => continue,
            };
            let lexed = crate::lexer::lex(SourceMap::new().add("test", &*text), &text, &mut Vec::new());
            let (term, end) = read_term(&lexed, 0).expect("a term");
            assert_eq!((term.root().kind, end), (kind, lexed.tokens.len()), "{text}");
        }
    }
}
