//! The term reader: tokens to terms by a table of operators, as SWI-Prolog reads them.
//!
//! Operands and the operators that wait for theirs are on two stacks, brackets on a third one, so that no nesting
//! overflows
//! the machine's stack. Which role a name has where several are possible, and when an operator is an atom, is decided
//! as in
//! SWI-Prolog: before an operand it is a prefix operator if it can be one; a prefix operator in front of an infix one
//! that
//! binds weaker is an atom.

mod errors;

pub(crate) use errors::no_heads;

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::logic::Rational;
use gchr_base::logic::{OpDef, Operators};
use gchr_base::source::Span;
use num_bigint::BigInt;

use crate::ast::{Term, TermId, TermKind};
use crate::flags::{Quoted, Quotes};
use crate::lexer::{Tok, Token};

/// What the meaning of a text depends on.
#[derive(Clone, Copy)]
pub(crate) struct Syntax<'a> {
    pub operators: &'a Operators,
    pub quotes: Quotes,
}

/// Reads the term of a clause.
pub(crate) struct Reader<'a> {
    tokens: &'a [Token],
    /// Index of the next token.
    at: usize,
    /// Empty place behind the last token.
    end: Span,
    syntax: Syntax<'a>,
    terms: &'a mut IdVec<TermId, Term>,
    levels: Vec<Level<'a>>,
    operands: Vec<Operand>,
    waiting: Vec<Waiting<'a>>,
}

/// A bracket that is open, or the clause.
struct Level<'a> {
    bracket: Bracket<'a>,
    /// Place of the opening bracket.
    open: Span,
    /// Operators that wait outside of it.
    waiting: usize,
    /// Whether an operand is complete: what follows it is an operator or the end.
    complete: bool,
}

enum Bracket<'a> {
    Clause,
    Parens,
    Curly,
    Call { name: &'a str, span: Span, args: Vec<TermId> },
    List { items: Vec<TermId>, in_tail: bool },
}

struct Operand {
    term: TermId,
    priority: u16,
    /// Place of its outermost operator, if it has one that no bracket encloses.
    operator: Option<Span>,
}

/// An operator whose operands are not complete.
struct Waiting<'a> {
    name: &'a str,
    span: Span,
    op: OpDef,
}

type Read<T> = Result<T, Box<Diagnostic>>;

impl<'a> Reader<'a> {
    /// A reader of the tokens of one clause.
    pub fn new(
        tokens: &'a [Token],
        end: Span,
        syntax: Syntax<'a>,
        terms: &'a mut IdVec<TermId, Term>,
    ) -> Self {
        let clause = Level { bracket: Bracket::Clause, open: end, waiting: 0, complete: false };
        let (operands, waiting) = (Vec::new(), Vec::new());
        Self { tokens, at: 0, end, syntax, terms, levels: vec![clause], operands, waiting }
    }

    /// Reads the term up to the full stop, or to the end of the tokens.
    pub fn clause(mut self) -> Read<TermId> {
        loop {
            if !self.level().complete {
                self.operand()?;
            } else if !self.operator()? {
                self.reduce(u16::MAX)?;
                if let Some(term) = self.close_level()? {
                    return Ok(term);
                }
            }
        }
    }

    fn level(&mut self) -> &mut Level<'a> {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn push(&mut self, kind: TermKind, span: Span) -> TermId {
        self.terms.push(Term { kind, span })
    }

    /// An operand without operators outside of brackets is complete.
    fn complete(&mut self, term: TermId) {
        self.operands.push(Operand { term, priority: 0, operator: None });
        self.level().complete = true;
    }

    fn simple(&mut self, kind: TermKind, span: Span) {
        let term = self.push(kind, span);
        self.complete(term);
    }

    fn open(&mut self, bracket: Bracket<'a>, open: Span) {
        self.levels.push(Level { bracket, open, waiting: self.waiting.len(), complete: false });
    }

    /// Name and place of a token that may be an operator here: a name, or punctuation that separates nothing.
    fn name(&self, token: &'a Token) -> Option<&'a str> {
        let bracket = &self.levels[self.levels.len() - 1].bracket;
        match &token.tok {
            Tok::Atom(name) => Some(name),
            Tok::Comma if matches!(bracket, Bracket::Clause | Bracket::Parens | Bracket::Curly) => Some(","),
            Tok::Bar if !matches!(bracket, Bracket::List { .. }) => Some("|"),
            _ => None,
        }
    }

    /// Reads one operand without operators, opens a bracket, or puts a prefix operator on the stack.
    fn operand(&mut self) -> Read<()> {
        let Some(token) = self.peek() else { return self.no_operand() };
        let span = token.span;
        let called = self.tokens.get(self.at + 1).filter(|t| t.tok == Tok::OpenCall).map(|t| t.span);
        match &token.tok {
            Tok::Atom(name) | Tok::QuotedAtom(name) if called.is_some() => {
                self.at += 2;
                self.open_call(name, span, called.unwrap_or(span));
                return Ok(());
            }
            Tok::Var(_) if called.is_some() => return Err(errors::variable_call(span)),
            Tok::Atom(_) | Tok::Comma | Tok::Bar => return self.name_operand(token),
            Tok::Close | Tok::CloseList | Tok::CloseCurly | Tok::End | Tok::Error => {
                return self.no_operand();
            }
            _ => self.at += 1,
        }
        match &token.tok {
            Tok::QuotedAtom(name) => self.simple(TermKind::Atom(name.clone()), span),
            Tok::Var(name) => self.simple(TermKind::Var(name.clone()), span),
            Tok::Int(n) => self.simple(integer(*n), span),
            Tok::Big(n) => self.simple(TermKind::Big(Arc::new(n.clone())), span),
            Tok::Rational(n) => self.simple(TermKind::Rational(Arc::new(n.clone())), span),
            Tok::Float(x) => self.simple(TermKind::Float(*x), span),
            Tok::Str(text) => self.text(text, self.syntax.quotes.double, span),
            Tok::Codes(text) => self.text(text, self.syntax.quotes.back, span),
            Tok::OpenList => self.open_pair(
                &Tok::CloseList,
                "[]",
                Bracket::List { items: Vec::new(), in_tail: false },
                span,
            ),
            Tok::OpenCurly => self.open_pair(&Tok::CloseCurly, "{}", Bracket::Curly, span),
            _ => self.open(Bracket::Parens, span),
        }
        Ok(())
    }

    /// `[]` and `{}`, which may be functors; or a bracket with something in it.
    fn open_pair(&mut self, close: &Tok, name: &'static str, bracket: Bracket<'a>, open: Span) {
        let Some(token) = self.peek().filter(|t| t.tok == *close) else { return self.open(bracket, open) };
        self.at += 1;
        let span = open.to(token.span);
        match self.peek().filter(|t| t.tok == Tok::OpenCall) {
            Some(parenthesis) => {
                self.at += 1;
                self.open_call(name, span, parenthesis.span);
            }
            None => self.simple(TermKind::Atom(name.into()), span),
        }
    }

    /// A functor and the parenthesis behind it: its arguments follow. Without arguments it is an atom, which names the
    /// same predicate.
    fn open_call(&mut self, name: &'a str, span: Span, parenthesis: Span) {
        match self.peek().filter(|t| t.tok == Tok::Close) {
            Some(close) => {
                self.at += 1;
                self.simple(TermKind::Atom(name.into()), span.to(close.span));
            }
            None => self.open(Bracket::Call { name, span, args: Vec::new() }, parenthesis),
        }
    }

    /// What a text in double or back quotes stands for.
    fn text(&mut self, text: &str, meaning: Quoted, span: Span) {
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
        self.simple(kind, span);
    }

    /// A name where an operand should be: the sign of a number, a prefix operator, an infix one behind a prefix
    /// operator that
    /// is an atom therefore, or an atom.
    fn name_operand(&mut self, token: &'a Token) -> Read<()> {
        let Some(name) = self.name(token) else { return self.no_operand() };
        if name == "-" && self.negative(token.span) {
            return Ok(());
        }
        let operators = self.syntax.operators;
        if let Some(op) = operators.prefix(name) {
            self.at += 1;
            self.waiting.push(Waiting { name, span: token.span, op });
            return Ok(());
        }
        for op in [operators.infix(name), operators.postfix(name)].into_iter().flatten() {
            if self.make_atom(op.left()) {
                self.at += 1;
                return self.apply(name, token.span, op);
            }
        }
        match &token.tok {
            Tok::Atom(name) => {
                self.at += 1;
                self.simple(TermKind::Atom(name.clone()), token.span);
                Ok(())
            }
            _ => self.no_operand(),
        }
    }

    /// A number directly behind its sign.
    fn negative(&mut self, sign: Span) -> bool {
        let Some(next) = self.tokens.get(self.at + 1).filter(|t| t.span.start == sign.end) else {
            return false;
        };
        let kind = match &next.tok {
            Tok::Int(n) => match 0_i64.checked_sub_unsigned(*n) {
                Some(n) => TermKind::Int(n),
                None => TermKind::Big(Arc::new(-BigInt::from(*n))),
            },
            Tok::Big(n) => TermKind::Big(Arc::new(-n)),
            Tok::Rational(n) => {
                let (numerator, denominator) = (-&n.numerator, n.denominator.clone());
                TermKind::Rational(Arc::new(Rational { numerator, denominator }))
            }
            Tok::Float(x) => TermKind::Float(-x),
            _ => return false,
        };
        self.at += 2;
        self.simple(kind, sign.to(next.span));
        true
    }

    /// Nothing here can be an operand: a prefix operator before it is an atom, or one is missing.
    fn no_operand(&mut self) -> Read<()> {
        if self.make_atom(u16::MAX) { Ok(()) } else { Err(self.unexpected("a term")) }
    }

    /// The operator in front is an atom, or a postfix operator, when something of a weaker `priority` follows it.
    fn make_atom(&mut self, priority: u16) -> bool {
        let outside = self.level().waiting;
        let Some(last) = self.waiting[outside..].last().filter(|w| priority > w.op.right()) else {
            return false;
        };
        if last.op.fixity.is_prefix() {
            let (kind, span) = (TermKind::Atom(last.name.into()), last.span);
            self.waiting.pop();
            self.simple(kind, span);
            return true;
        }
        let (last, postfix) = (self.waiting.len() - 1, self.syntax.operators.postfix(last.name));
        match postfix {
            Some(op) if !self.waiting[last].op.fixity.is_postfix() => {
                self.waiting[last].op = op;
                self.level().complete = true;
                true
            }
            _ => false,
        }
    }

    /// Takes the infix or postfix operator behind a complete operand, if there is one.
    fn operator(&mut self) -> Read<bool> {
        let Some(token) = self.peek() else { return Ok(false) };
        let Some(name) = self.name(token) else { return Ok(false) };
        let operators = self.syntax.operators;
        let Some(op) = operators.infix(name).or_else(|| operators.postfix(name)) else { return Ok(false) };
        self.at += 1;
        self.apply(name, token.span, op)?;
        Ok(true)
    }

    /// Puts an infix or postfix operator on the stack; those before it that bind stronger have their operands.
    fn apply(&mut self, name: &'a str, span: Span, op: OpDef) -> Read<()> {
        self.reduce(op.left())?;
        self.waiting.push(Waiting { name, span, op });
        self.level().complete = op.fixity.is_postfix();
        Ok(())
    }

    /// Applies the operators that wait and bind at least as strong as a priority.
    fn reduce(&mut self, priority: u16) -> Read<()> {
        let outside = self.level().waiting;
        while self.waiting.len() > outside
            && let Some(operator) = self.waiting.pop_if(|w| w.op.priority <= priority)
        {
            self.build(&operator)?;
        }
        Ok(())
    }

    fn build(&mut self, &Waiting { name, span, op }: &Waiting<'a>) -> Read<()> {
        let infix = op.fixity.is_infix();
        let from = self.operands.len() - if infix { 2 } else { 1 };
        let limits = if op.fixity.is_prefix() { [op.right(), 0] } else { [op.left(), op.right()] };
        let (mut args, mut place) = (Vec::with_capacity(2), span);
        for (operand, limit) in self.operands[from..].iter().zip(limits) {
            if operand.priority > limit {
                return Err(errors::clash(&self.terms[operand.term].kind, operand, (name, span), limit));
            }
            place = self.terms[operand.term].span.to(place);
            args.push(operand.term);
        }
        self.operands.truncate(from);
        let term = self.push(TermKind::Compound { name: name.into(), args }, place);
        self.operands.push(Operand { term, priority: op.priority, operator: Some(span) });
        Ok(())
    }

    /// Ends an argument, an item or a bracket whose term is complete, and takes the token that does so. The term of
    /// the clause,
    /// if that has ended.
    fn close_level(&mut self) -> Read<Option<TermId>> {
        let Some(Operand { term, .. }) = self.operands.pop() else { return Err(self.unexpected("a term")) };
        let separator = self.peek().map(|t| &t.tok);
        let open = self.level().open;
        let complete = match &mut self.level().bracket {
            Bracket::Clause if separator.is_none_or(|tok| *tok == Tok::End) => return Ok(Some(term)),
            Bracket::Clause => return Err(self.unexpected("the end of the clause")),
            Bracket::Parens => {
                let close = self.close(&Tok::Close, open, "`)`")?;
                self.terms[term].span = open.to(close);
                term
            }
            Bracket::Curly => {
                let close = self.close(&Tok::CloseCurly, open, "`}`")?;
                self.push(TermKind::Compound { name: "{}".into(), args: vec![term] }, open.to(close))
            }
            Bracket::Call { args, name, span } => {
                let (name, span) = (*name, *span);
                args.push(term);
                if separator == Some(&Tok::Comma) {
                    return Ok(self.next_item());
                }
                let args = std::mem::take(args);
                let close = self.close(&Tok::Close, open, "`,` or `)`")?;
                self.call(name, args, span.to(close))
            }
            Bracket::List { items, in_tail } => match (*in_tail, separator) {
                (false, Some(Tok::Comma | Tok::Bar)) => {
                    items.push(term);
                    *in_tail = separator == Some(&Tok::Bar);
                    return Ok(self.next_item());
                }
                (in_tail, _) => {
                    let mut items = std::mem::take(items);
                    let tail = in_tail.then_some(term);
                    items.extend((!in_tail).then_some(term));
                    let expected = if in_tail { "`]`" } else { "`,`, `|` or `]`" };
                    let close = self.close(&Tok::CloseList, open, expected)?;
                    self.push(TermKind::List { items, tail }, open.to(close))
                }
            },
        };
        self.levels.pop();
        self.complete(complete);
        Ok(None)
    }

    fn next_item(&mut self) -> Option<TermId> {
        self.at += 1;
        self.level().complete = false;
        None
    }

    /// A functor with its arguments; `'[|]'(H, T)` is the list `[H|T]`.
    fn call(&mut self, name: &str, args: Vec<TermId>, span: Span) -> TermId {
        let kind = match (name, args.as_slice()) {
            ("[|]", &[head, tail]) => TermKind::List { items: vec![head], tail: Some(tail) },
            _ => TermKind::Compound { name: name.into(), args },
        };
        self.push(kind, span)
    }

    /// Takes a closing bracket.
    fn close(&mut self, tok: &Tok, open: Span, expected: &str) -> Read<Span> {
        match self.peek() {
            Some(token) if token.tok == *tok => {
                self.at += 1;
                Ok(token.span)
            }
            found => Err(errors::unclosed(self, found, tok, open, expected)),
        }
    }

    /// What stands at the reader's place is not what should.
    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        errors::unexpected(self, expected)
    }
}

fn integer(magnitude: u64) -> TermKind {
    match i64::try_from(magnitude) {
        Ok(n) => TermKind::Int(n),
        Err(_) => TermKind::Big(Arc::new(magnitude.into())),
    }
}
