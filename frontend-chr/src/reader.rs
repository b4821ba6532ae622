//! The operator-precedence term reader: tokens to terms with an explicit stack, so that no nesting overflows the machine's.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::source::Span;

use crate::ast::{Term, TermId, TermKind};
use crate::flags::{Quoted, Quotes};
use crate::lexer::{Tok, Token};
use crate::operators::{self, TERM};

/// Reads one term after the other from the tokens of a clause.
pub(crate) struct Reader<'a> {
    tokens: &'a [Token],
    /// Index of the next token.
    pub at: usize,
    /// Empty place behind the last token.
    end: Span,
    terms: &'a mut IdVec<TermId, Term>,
    quotes: Quotes,
    stack: Vec<Frame>,
    /// The brackets among the frames.
    brackets: Vec<Bracket>,
}

/// A term that is not complete: what is known of it, and the greatest priority of the operand that is read next.
struct Frame {
    kind: FrameKind,
    max: u16,
}

enum FrameKind {
    Prefix { name: String, span: Span, priority: u16 },
    Infix { name: String, left: TermId, priority: u16 },
    Parens { open: Span },
    Curly { open: Span },
    Call { name: String, span: Span, open: Span, args: Vec<TermId> },
    List { open: Span, items: Vec<TermId>, in_tail: bool },
}

/// What a comma and a bar mean depends on the innermost bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// Parentheses and braces: both are operators.
    Group,
    /// Argument lists: a comma separates, a bar is an operator.
    Call,
    /// Lists: both separate.
    List,
}

impl FrameKind {
    fn bracket(&self) -> Option<Bracket> {
        match self {
            FrameKind::Prefix { .. } | FrameKind::Infix { .. } => None,
            FrameKind::Parens { .. } | FrameKind::Curly { .. } => Some(Bracket::Group),
            FrameKind::Call { .. } => Some(Bracket::Call),
            FrameKind::List { .. } => Some(Bracket::List),
        }
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

impl<'a> Reader<'a> {
    pub fn new(
        tokens: &'a [Token],
        at: usize,
        end: Span,
        quotes: Quotes,
        terms: &'a mut IdVec<TermId, Term>,
    ) -> Self {
        Self { tokens, at, end, terms, quotes, stack: Vec::new(), brackets: Vec::new() }
    }

    /// Reads the longest term of at most the given priority. A bar outside of brackets ends it.
    pub fn term(&mut self, max: u16) -> Read<TermId> {
        self.stack.clear();
        self.brackets.clear();
        loop {
            let Some(mut operand) = self.primary(max)? else { continue };
            // An operand is complete: look for an infix operator, else complete what waits for it.
            loop {
                if self.infix(operand, max) {
                    break;
                }
                match self.stack.pop() {
                    None => return Ok(operand.0),
                    Some(frame) => match self.complete(frame, operand)? {
                        Some(complete) => operand = complete,
                        None => break,
                    },
                }
            }
        }
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn max(&self, bottom: u16) -> u16 {
        self.stack.last().map_or(bottom, |f| f.max)
    }

    fn push(&mut self, kind: TermKind, span: Span) -> TermId {
        self.terms.push(Term { kind, span })
    }

    fn open(&mut self, kind: FrameKind, max: u16) {
        self.brackets.extend(kind.bracket());
        self.stack.push(Frame { kind, max });
    }

    /// Reads an operand without operators, or opens a frame (`None`): the operand follows.
    fn primary(&mut self, bottom: u16) -> Read<Option<(TermId, u16)>> {
        let Some(token) = self.peek() else { return Err(self.unexpected("a term")) };
        let span = token.span;
        self.at += 1;
        let called = self.peek().filter(|t| t.tok == Tok::OpenCall).map(|t| t.span);
        let kind = match &token.tok {
            Tok::Atom(name) | Tok::QuotedAtom(name) if called.is_some() => {
                self.at += 1;
                let open = called.unwrap_or(span);
                self.open(FrameKind::Call { name: name.clone(), span, open, args: Vec::new() }, TERM);
                return Ok(None);
            }
            Tok::Atom(name) => return self.atom(name, span, self.max(bottom)),
            Tok::QuotedAtom(name) => TermKind::Atom(name.clone()),
            Tok::Var(_) if called.is_some() => return Err(variable_call(span)),
            Tok::Var(name) => TermKind::Var(name.clone()),
            Tok::Int(n) => TermKind::Int(i64::try_from(*n).map_err(|_| out_of_range(span))?),
            Tok::Float(x) => TermKind::Float(*x),
            Tok::Str(text) => return Ok(Some((self.text(text, self.quotes.double, span), 0))),
            Tok::Codes(text) => return Ok(Some((self.text(text, self.quotes.back, span), 0))),
            Tok::Open | Tok::OpenCall => {
                self.open(FrameKind::Parens { open: span }, TERM);
                return Ok(None);
            }
            Tok::OpenList => return Ok(self.open_list(span)),
            Tok::OpenCurly => return Ok(self.open_curly(span)),
            Tok::Close | Tok::CloseList | Tok::CloseCurly | Tok::Comma | Tok::Bar | Tok::End | Tok::Error => {
                self.at -= 1;
                return Err(self.unexpected("a term"));
            }
        };
        Ok(Some((self.push(kind, span), 0)))
    }

    fn open_list(&mut self, span: Span) -> Option<(TermId, u16)> {
        if let Some(close) = self.peek().filter(|t| t.tok == Tok::CloseList) {
            self.at += 1;
            return Some((self.push(TermKind::Atom("[]".into()), span.to(close.span)), 0));
        }
        self.open(FrameKind::List { open: span, items: Vec::new(), in_tail: false }, TERM);
        None
    }

    fn open_curly(&mut self, span: Span) -> Option<(TermId, u16)> {
        if let Some(close) = self.peek().filter(|t| t.tok == Tok::CloseCurly) {
            self.at += 1;
            return Some((self.push(TermKind::Atom("{}".into()), span.to(close.span)), 0));
        }
        self.open(FrameKind::Curly { open: span }, TERM);
        None
    }

    /// What a text in double or back quotes stands for.
    fn text(&mut self, text: &str, meaning: Quoted, span: Span) -> TermId {
        let item = |c: char| match meaning {
            Quoted::Chars => TermKind::Atom(c.to_string()),
            _ => TermKind::Int(i64::from(u32::from(c))),
        };
        let kind = match meaning {
            Quoted::Str => TermKind::Str(text.into()),
            Quoted::Atom => TermKind::Atom(text.into()),
            _ if text.is_empty() => TermKind::Atom("[]".into()),
            _ => {
                let items = text.chars().map(|c| self.push(item(c), span)).collect();
                TermKind::List { items, tail: None }
            }
        };
        self.push(kind, span)
    }

    /// An unquoted atom: the sign of a number, a prefix operator, or itself.
    fn atom(&mut self, name: &str, span: Span, max: u16) -> Read<Option<(TermId, u16)>> {
        if name == "-"
            && let Some(next) = self.peek().filter(|t| t.span.start == span.end)
        {
            let span = span.to(next.span);
            let number = match next.tok {
                Tok::Int(n) => {
                    Some(TermKind::Int(0_i64.checked_sub_unsigned(n).ok_or_else(|| out_of_range(span))?))
                }
                Tok::Float(x) => Some(TermKind::Float(-x)),
                _ => None,
            };
            if let Some(kind) = number {
                self.at += 1;
                return Ok(Some((self.push(kind, span), 0)));
            }
        }
        if let Some(op) = operators::prefix(name).filter(|op| op.priority <= max)
            && self.starts_operand()
        {
            self.open(FrameKind::Prefix { name: name.into(), span, priority: op.priority }, op.right);
            return Ok(None);
        }
        Ok(Some((self.push(TermKind::Atom(name.into()), span), 0)))
    }

    /// Whether what follows a prefix operator is its operand; else the operator is an atom.
    fn starts_operand(&self) -> bool {
        let Some(token) = self.peek() else { return false };
        match &token.tok {
            Tok::Close | Tok::CloseList | Tok::CloseCurly | Tok::Comma | Tok::Bar | Tok::End | Tok::Error => {
                false
            }
            Tok::Atom(name) if operators::infix(name).is_some() => {
                operators::prefix(name).is_some() || self.is_operand(self.at + 1)
            }
            _ => true,
        }
    }

    /// Whether the operator in front of a place is an operand, not between two: in `- = x` the atom `-` is compared, while
    /// `\\+ #`, `dynamic is/2` and `- =(a, b)` apply the first operator to what follows it.
    fn is_operand(&self, next: usize) -> bool {
        let Some(token) = self.tokens.get(next) else { return true };
        match &token.tok {
            Tok::Close | Tok::CloseList | Tok::CloseCurly | Tok::Comma | Tok::Bar | Tok::End | Tok::Error => {
                true
            }
            Tok::OpenCall => true,
            Tok::Atom(name) => operators::infix(name).is_some() && operators::prefix(name).is_none(),
            _ => false,
        }
    }

    /// Opens a frame for the infix operator behind `operand`, if there is one that fits here.
    fn infix(&mut self, (left, left_priority): (TermId, u16), bottom: u16) -> bool {
        let bracket = self.brackets.last();
        let name = match self.peek().map(|t| &t.tok) {
            Some(Tok::Atom(name)) => name.as_str(),
            Some(Tok::Comma) if matches!(bracket, None | Some(Bracket::Group)) => ",",
            Some(Tok::Bar) if matches!(bracket, Some(Bracket::Group | Bracket::Call)) => "|",
            _ => return false,
        };
        let Some(op) = operators::infix(name) else { return false };
        if op.priority > self.max(bottom) || left_priority > op.left {
            return false;
        }
        self.at += 1;
        self.open(FrameKind::Infix { name: name.into(), left, priority: op.priority }, op.right);
        true
    }

    /// Gives a complete operand to the frame that waits for it; the term it completes, if it does.
    fn complete(&mut self, frame: Frame, (operand, _): (TermId, u16)) -> Read<Option<(TermId, u16)>> {
        if frame.kind.bracket().is_some() {
            self.brackets.pop();
        }
        match frame.kind {
            FrameKind::Prefix { name, span, priority } => {
                let span = span.to(self.terms[operand].span);
                Ok(Some((self.push(TermKind::Compound { name, args: vec![operand] }, span), priority)))
            }
            FrameKind::Infix { name, left, priority } => {
                let span = self.terms[left].span.to(self.terms[operand].span);
                Ok(Some((self.push(TermKind::Compound { name, args: vec![left, operand] }, span), priority)))
            }
            FrameKind::Parens { open } => {
                let close = self.close(&Tok::Close, open, "`)`")?;
                self.terms[operand].span = open.to(close);
                Ok(Some((operand, 0)))
            }
            FrameKind::Curly { open } => {
                let close = self.close(&Tok::CloseCurly, open, "`}`")?;
                let kind = TermKind::Compound { name: "{}".into(), args: vec![operand] };
                Ok(Some((self.push(kind, open.to(close)), 0)))
            }
            FrameKind::Call { name, span, open, mut args } => {
                args.push(operand);
                if self.skip(&Tok::Comma) {
                    self.open(FrameKind::Call { name, span, open, args }, TERM);
                    return Ok(None);
                }
                let close = self.close(&Tok::Close, open, "`,` or `)`")?;
                Ok(Some((self.call(name, args, span.to(close)), 0)))
            }
            FrameKind::List { open, items, in_tail } => self.list_item(open, items, in_tail, operand),
        }
    }

    /// A functor with its arguments; `'[|]'(H, T)` is the list `[H|T]`.
    fn call(&mut self, name: String, args: Vec<TermId>, span: Span) -> TermId {
        let kind = match (name.as_str(), args.as_slice()) {
            ("[|]", &[head, tail]) => TermKind::List { items: vec![head], tail: Some(tail) },
            _ => TermKind::Compound { name, args },
        };
        self.push(kind, span)
    }

    fn list_item(
        &mut self,
        open: Span,
        mut items: Vec<TermId>,
        in_tail: bool,
        operand: TermId,
    ) -> Read<Option<(TermId, u16)>> {
        if in_tail {
            let close = self.close(&Tok::CloseList, open, "`]`")?;
            let kind = TermKind::List { items, tail: Some(operand) };
            return Ok(Some((self.push(kind, open.to(close)), 0)));
        }
        items.push(operand);
        let in_tail = self.skip(&Tok::Bar);
        if in_tail || self.skip(&Tok::Comma) {
            self.open(FrameKind::List { open, items, in_tail }, TERM);
            return Ok(None);
        }
        let close = self.close(&Tok::CloseList, open, "`,`, `|` or `]`")?;
        Ok(Some((self.push(TermKind::List { items, tail: None }, open.to(close)), 0)))
    }

    fn skip(&mut self, tok: &Tok) -> bool {
        let found = self.peek().is_some_and(|t| t.tok == *tok);
        self.at += usize::from(found);
        found
    }

    /// Takes a closing bracket.
    fn close(&mut self, tok: &Tok, open: Span, expected: &str) -> Read<Span> {
        match self.peek() {
            Some(token) if token.tok == *tok => {
                self.at += 1;
                Ok(token.span)
            }
            Some(token) if !matches!(token.tok, Tok::End | Tok::Close | Tok::CloseList | Tok::CloseCurly) => {
                let mut error = self.unexpected(expected);
                error
                    .labels
                    .push(gchr_base::diagnostic::Label { span: open, text: "in this bracket".into() });
                Err(error)
            }
            found => {
                let (span, text) = match found {
                    Some(token) if token.tok != Tok::End => (token.span, "closed by another bracket"),
                    Some(token) => (token.span, "the clause ends here"),
                    None => (self.end, "the text ends here"),
                };
                Err(Box::new(
                    Diagnostic::error("C0102", "this bracket is not closed")
                        .label(open, "opened here")
                        .label(span, text)
                        .help(format!("put {tok} before it")),
                ))
            }
        }
    }

    /// What stands at the reader's place is not what should.
    pub fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        unexpected(self.peek(), self.end, expected)
    }
}

/// The syntax error for `found` (or the end of the text) where `expected` should stand.
pub(crate) fn unexpected(found: Option<&Token>, end: Span, expected: &str) -> Box<Diagnostic> {
    let (span, text) = found.map_or((end, "the end of the text".to_string()), |t| (t.span, t.to_string()));
    let help = match found.map(|t| &t.tok) {
        Some(Tok::Atom(name)) if other_operator(name).is_some() => other_operator(name).unwrap_or_default(),
        Some(Tok::Atom(name)) if operators::infix(name).is_some() || operators::prefix(name).is_some() => {
            "an operator binds weaker than its surroundings allow, or an operand is missing: put parentheses around the inner term"
        }
        Some(Tok::Atom(_) | Tok::Var(_) | Tok::QuotedAtom(_)) => {
            "is a full stop missing at the end of the clause before, or a comma?"
        }
        _ => "complete the term before this place",
    };
    Box::new(
        Diagnostic::error("C0101", format!("expected {expected}, found {text}"))
            .label(span, format!("not {expected}"))
            .help(help),
    )
}

/// What is written here for an operator of other languages.
fn other_operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "<=" => "less or equal is written `=<`",
        "=>" => "a propagation rule is written `==>`, greater or equal `>=`",
        "!" | "!=" | "<>" | "/=" => "numbers that differ are written `=\\=`, terms that differ `\\==`",
        "===" => "terms that are the same are written `==`, numbers that are equal `=:=`",
        "&&" | "&" => "conditions that must all hold are separated by commas",
        "||" => "write one rule for each alternative",
        "<-" | "->>" => "rules are written with `<=>` or `==>`",
        _ => return None,
    })
}

fn variable_call(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("C0101", "a variable cannot be a functor")
            .label(span, "followed by an argument list")
            .help("write the functor as an atom: it starts with a small letter"),
    )
}

fn out_of_range(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("C0105", "this number is out of range")
            .label(span, "does not fit")
            .help("integers have 64 bits; use a smaller number"),
    )
}
