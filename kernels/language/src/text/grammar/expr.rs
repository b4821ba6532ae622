//! Expressions.

use chumsky::pratt::{infix, left};
use chumsky::prelude::*;

use super::tokens::{Extra, Part, Tokens, ident, list, parens, punct, span, word};
use crate::ir::{BinaryOp, Scalar, UnaryOp};
use crate::names;
use crate::text::ast::{Expr, ExprKind, Ident};
use crate::text::lex::{Number, Token, number};

/// What follows an operand.
enum Suffix {
    Field(Ident),
    Index(Expr),
}

/// An expression.
pub(super) fn expr<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Expr> {
    recursive(|expr| {
        let operand = operand(expr.clone());
        let operations = operations(operand);
        // `a ? b : c` binds weakest and to the right.
        operations
            .then(punct("?").ignore_then(expr.clone()).then_ignore(punct(":")).then(expr).or_not())
            .map_with(|(condition, rest), e| match rest {
                None => condition,
                Some((a, b)) => Expr {
                    kind: ExprKind::Select(Box::new(condition), Box::new(a), Box::new(b)),
                    span: span(e.span()),
                },
            })
    })
    .labelled("an expression")
    .boxed()
}

/// A variable, field or element: what can stand left of `=`.
pub(super) fn place<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Expr> {
    let name = ident().map(|name| Expr { span: name.span.clone(), kind: ExprKind::Name(name.name) });
    suffixes(name.boxed(), expr())
}

/// `=`, or `op=`.
pub(super) fn assignment_sign<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Option<BinaryOp>> {
    use BinaryOp as B;
    choice((
        punct("=").to(None),
        punct("+=").to(Some(B::Add)),
        punct("-=").to(Some(B::Sub)),
        punct("*=").to(Some(B::Mul)),
        punct("/=").to(Some(B::Div)),
        punct("%=").to(Some(B::Rem)),
        punct("&=").to(Some(B::And)),
        punct("|=").to(Some(B::Or)),
        punct("^=").to(Some(B::Xor)),
        punct("<<=").to(Some(B::Shl)),
        punct(">>=").to(Some(B::Shr)),
    ))
    .boxed()
}

fn suffixes<'t, 's: 't, I: Tokens<'t, 's>>(
    base: Part<'t, 's, I, Expr>,
    expr: impl Parser<'t, I, Expr, Extra<'t, 's>> + Clone + 't,
) -> Part<'t, 's, I, Expr> {
    let suffix = choice((
        punct(".").ignore_then(ident()).map(Suffix::Field),
        expr.delimited_by(punct("["), punct("]")).map(Suffix::Index),
    ));
    base.foldl_with(suffix.repeated(), |base, suffix, e| Expr {
        kind: match suffix {
            Suffix::Field(field) => ExprKind::Field(Box::new(base), field),
            Suffix::Index(index) => ExprKind::Index(Box::new(base), Box::new(index)),
        },
        span: span(e.span()),
    })
    .boxed()
}

fn literal<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, ExprKind> {
    let sign = punct("-").or_not().map(|s| s.is_some());
    let value = sign.then(select! { Token::Number(s) => s }).validate(|(negative, text), e, emitter| {
        let wrong = match number(text) {
            Some(Number::Float(x)) => return ExprKind::Float(if negative { -x } else { x }),
            Some(Number::Int(n, scalar)) if !negative => return ExprKind::Int(n, scalar),
            Some(Number::Int(n, Scalar::I32)) => {
                return ExprKind::Int(u64::from((n as u32).wrapping_neg()), Scalar::I32);
            }
            Some(Number::Int(n, Scalar::I64)) => return ExprKind::Int(n.wrapping_neg(), Scalar::I64),
            Some(Number::Int(..)) => "an unsigned number has no sign",
            None => "this number is malformed or too large for its type",
        };
        emitter.emit(Rich::custom(e.span(), wrong));
        ExprKind::Float(0.0)
    });
    choice((
        value,
        word("true").to(ExprKind::Bool(true)),
        word("false").to(ExprKind::Bool(false)),
        word("I32_MIN").to(ExprKind::Int(1 << 31, Scalar::I32)),
        word("I64_MIN").to(ExprKind::Int(1 << 63, Scalar::I64)),
        select! { Token::Text(s) => ExprKind::Text(s.to_string()) },
    ))
    .boxed()
}

fn operand<'t, 's: 't, I: Tokens<'t, 's>>(
    expr: impl Parser<'t, I, Expr, Extra<'t, 's>> + Clone + 't,
) -> Part<'t, 's, I, Expr> {
    let scalar = select! { Token::Word(s) if Scalar::ALL.iter().any(|t| t.name() == s) => s }
        .map_with(|s, e| Ident { name: s.to_string(), span: span(e.span()) });
    let args = parens(list(expr.clone()));
    let fields = list(expr.clone()).delimited_by(punct("{"), punct("}"));
    let named =
        ident().or(scalar).then(choice((args.map(Ok), fields.map(Err))).or_not()).map(|(name, rest)| {
            match rest {
                None => ExprKind::Name(name.name),
                Some(Ok(args)) => ExprKind::Call(name, args),
                Some(Err(fields)) => ExprKind::Record(name, fields),
            }
        });
    let address = punct("&").ignore_then(place_in(expr.clone())).map(|p| ExprKind::Address(Box::new(p)));
    let simple = choice((literal(), address, named)).map_with(|kind, e| Expr { kind, span: span(e.span()) });
    suffixes(choice((simple, parens(expr.clone()))).boxed(), expr)
}

/// The place after `&`.
fn place_in<'t, 's: 't, I: Tokens<'t, 's>>(
    expr: impl Parser<'t, I, Expr, Extra<'t, 's>> + Clone + 't,
) -> Part<'t, 's, I, Expr> {
    let name = ident().map(|name| Expr { span: name.span.clone(), kind: ExprKind::Name(name.name) });
    suffixes(name.boxed(), expr)
}

fn operations<'t, 's: 't, I: Tokens<'t, 's>>(operand: Part<'t, 's, I, Expr>) -> Part<'t, 's, I, Expr> {
    use BinaryOp as B;
    let level = |level: u16, ops: &'static [BinaryOp]| {
        let sign = select! { Token::Punct(s) => s }
            .filter(|s| ops.iter().any(|&op| names::binary_text(op) == *s))
            .map(|s| ops.iter().copied().find(|&op| names::binary_text(op) == s).unwrap_or(ops[0]));
        infix(left(level), sign.boxed(), |a: Expr, op, b: Expr, e| Expr {
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
            span: span(e.span()),
        })
    };
    // An operand before a sign: `-5` is a literal, not an operation.
    let signed = recursive(|signed| {
        let sign = choice((
            punct("-").to(UnaryOp::Neg),
            punct("~").to(UnaryOp::BitNot),
            punct("!").to(UnaryOp::Not),
        ));
        operand.or(sign
            .then(signed)
            .map_with(|(op, a), e| Expr { kind: ExprKind::Unary(op, Box::new(a)), span: span(e.span()) }))
    });
    signed
        .pratt((
            level(13, &[B::Mul, B::Div, B::Rem]),
            level(12, &[B::Add, B::Sub]),
            level(11, &[B::Shl, B::Shr]),
            level(10, &[B::Lt, B::Le, B::Gt, B::Ge]),
            level(9, &[B::Eq, B::Ne]),
            level(8, &[B::And]),
            level(7, &[B::Xor]),
            level(6, &[B::Or]),
            level(5, &[B::AndAlso]),
            level(4, &[B::OrElse]),
        ))
        .boxed()
}
