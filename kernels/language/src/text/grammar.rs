//! The grammar of the text form, from tokens to the syntax tree.

use chumsky::prelude::*;

use super::ast::*;
use super::lex::{Number, Token, number};
use crate::ir::{FunctionKind, Scalar, Space};

mod expr;
mod tokens;

use tokens::{Extra, Part, Tokens, ident, list, parens, punct, span, word};

/// A scalar, `void`, or the name of a record.
fn base_type<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Ident> {
    let built_in = select! {
        Token::Word(s) if s == "void" || Scalar::ALL.iter().any(|t| t.name() == s) => s,
    };
    built_in
        .map_with(|s, e| Ident { name: s.to_string(), span: span(e.span()) })
        .or(ident())
        .labelled("a type")
        .boxed()
}

fn type_name<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, TypeName> {
    let pointer = || punct("*").or_not().map(|p| p.is_some());
    let placed = choice((word("in_shared").to(Space::Shared), word("in_local").to(Space::Local)))
        .then(base_type())
        .then_ignore(punct("*"))
        .map(|(space, name)| TypeName { space: Some(space), name, pointer: true });
    placed
        .or(base_type().then(pointer()).map(|(name, pointer)| TypeName { space: None, name, pointer }))
        .boxed()
}

fn small_number<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, u32> {
    select! { Token::Number(s) => s }
        .try_map(|s: &str, at| match number(s) {
            Some(Number::Int(n, _)) => {
                u32::try_from(n).map_err(|_| Rich::custom(at, "this number is too large here"))
            }
            _ => Err(Rich::custom(at, "a whole number is expected here")),
        })
        .boxed()
}

fn comments<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Vec<String>> {
    select! { Token::Comment(s) => s.to_string() }.repeated().collect().boxed()
}

/// Comments and line marks where they describe nothing.
fn remarks<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, ()> {
    select! { Token::Comment(_) => (), Token::Line(_) => () }.repeated().boxed()
}

/// A whole text.
pub(super) fn module<'t, 's: 't, I: Tokens<'t, 's>>() -> impl Parser<'t, I, Vec<Item>, Extra<'t, 's>> {
    let body = block(statement());
    // Skips to the end of what looks like an item.
    let skip = any().filter(|t| !matches!(t, Token::Punct(";" | "}"))).repeated().then(any()).to(Item::Error);
    choice((alias(), constant(), record(), function(body)))
        .recover_with(via_parser(skip))
        .repeated()
        .collect()
        .then_ignore(remarks())
        .then_ignore(end())
}

fn alias<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Item> {
    remarks()
        .ignore_then(word("using"))
        .ignore_then(ident())
        .then_ignore(punct("="))
        .then(word("HOLE").to(None).or(base_type().map(Some)))
        .then_ignore(punct(";"))
        .map(|(name, ty)| Item::Alias { name, ty })
        .boxed()
}

fn constant<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Item> {
    remarks()
        .ignore_then(word("constexpr"))
        .ignore_then(base_type())
        .then(ident())
        .then_ignore(punct("="))
        .then(word("HOLE").to(None).or(expr::expr().map(Some)))
        .then_ignore(punct(";"))
        .map(|((ty, name), value)| Item::Constant { ty, name, value })
        .boxed()
}

fn record<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Item> {
    let align = word("alignas").ignore_then(parens(small_number())).or_not();
    let field = remarks().ignore_then(type_name()).then(ident()).then_ignore(punct(";"));
    let fields = field.repeated().at_least(1).collect().then_ignore(remarks());
    remarks()
        .ignore_then(word("struct"))
        .ignore_then(align)
        .then(ident())
        .then(fields.delimited_by(punct("{"), punct("}")).or_not())
        .then_ignore(punct(";"))
        .map(|((align, name), fields)| Item::Record { name, align, fields: fields.unwrap_or_default() })
        .boxed()
}

fn function<'t, 's: 't, I: Tokens<'t, 's>>(body: Part<'t, 's, I, Vec<Stmt>>) -> Part<'t, 's, I, Item> {
    let qualifier = choice((
        word("__forceinline__").to(FunctionKind::Device),
        word("__noinline__").to(FunctionKind::Outlined),
    ))
    .or_not()
    .map(|k| k.unwrap_or(FunctionKind::Hole));
    let device = word("__device__").ignore_then(qualifier).then(type_name());
    let bounds = small_number().then(punct(",").ignore_then(small_number()).or_not());
    let kernel = word("extern")
        .then(just(Token::Text("C")))
        .then(word("__global__"))
        .ignore_then(type_name())
        .then(word("__launch_bounds__").ignore_then(parens(bounds)))
        .map(|(result, (max_threads, min_blocks))| {
            (FunctionKind::Kernel { max_threads, min_blocks: min_blocks.unwrap_or(0) }, result)
        });
    let body = punct(";").to(None).or(body.map(Some));
    comments()
        .then(device.or(kernel))
        .then(ident())
        .then(parens(list(type_name().then(ident()))))
        .then(body)
        .validate(|((((doc, (kind, result)), name), params), body), e, emitter| {
            let has_body = body.is_some();
            if has_body == (kind == FunctionKind::Hole) {
                let text = if has_body {
                    "a device function with a body is __forceinline__ or __noinline__"
                } else {
                    "only a hole, `__device__ T f(..);`, is without a body"
                };
                emitter.emit(Rich::custom(e.span(), text));
            }
            let body = body.unwrap_or_default();
            Item::Function(Box::new(Function { doc, kind, result, name, params, body }))
        })
        .boxed()
}

fn block<'t, 's: 't, I: Tokens<'t, 's>>(
    statement: impl Parser<'t, I, Stmt, Extra<'t, 's>> + 't,
) -> Part<'t, 's, I, Vec<Stmt>> {
    statement.repeated().collect().then_ignore(remarks()).delimited_by(punct("{"), punct("}")).boxed()
}

fn statement<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Stmt> {
    recursive(|statement| {
        let block = block(statement);
        let kind = choice((
            branch(block.clone()),
            switch(block.clone()),
            repeat(block.clone()),
            everywhere(block.clone()),
            word("simulated").ignore_then(block).map(StmtKind::Simulated),
            jump(),
            declaration(),
            assignment().then_ignore(punct(";")).map(StmtKind::Assign),
            expr::expr().then_ignore(punct(";")).map(StmtKind::Call),
        ));
        let skip = none_of([Token::Punct(";"), Token::Punct("{"), Token::Punct("}")])
            .repeated()
            .at_least(1)
            .then(punct(";"))
            .to(StmtKind::Error);
        let line = select! { Token::Line(s) => s.parse().ok() }.or_not().map(Option::flatten);
        line.then(comments())
            .then(kind.recover_with(via_parser(skip)).map_with(|kind, e| (kind, span(e.span()))))
            .map(|((line, comments), (kind, span))| Stmt { line, comments, kind, span })
    })
    .boxed()
}

fn branch<'t, 's: 't, I: Tokens<'t, 's>>(block: Part<'t, 's, I, Vec<Stmt>>) -> Part<'t, 's, I, StmtKind> {
    let test = word("if").ignore_then(parens(expr::expr())).then(block.clone()).boxed();
    let again = remarks().then(word("else")).ignore_then(test.clone());
    let otherwise = remarks().then(word("else")).ignore_then(block).or_not();
    test.map_with(|test, e| (test, span(e.span())))
        .then(again.map_with(|test, e| (test, span(e.span()))).repeated().collect::<Vec<_>>())
        .then(otherwise)
        .map(|((first, more), otherwise)| {
            // The last test is the innermost one.
            let mut rest = otherwise.unwrap_or_default();
            for ((condition, then), span) in more.into_iter().rev() {
                let kind = StmtKind::If { condition, then, otherwise: rest };
                rest = vec![Stmt { line: None, comments: Vec::new(), kind, span }];
            }
            let (condition, then) = first.0;
            StmtKind::If { condition, then, otherwise: rest }
        })
        .boxed()
}

fn switch<'t, 's: 't, I: Tokens<'t, 's>>(block: Part<'t, 's, I, Vec<Stmt>>) -> Part<'t, 's, I, StmtKind> {
    let value = remarks().ignore_then(word("case")).ignore_then(expr::expr()).then_ignore(punct(":"));
    let default = remarks().then(word("default")).then(punct(":")).to(Vec::new());
    let closed = word("break").then(punct(";")).or_not().map(|b| b.is_some());
    let case = value
        .repeated()
        .at_least(1)
        .collect()
        .or(default)
        .then(block)
        .then(closed)
        .map_with(|((values, body), closed), e| Case { values, body, closed, span: span(e.span()) });
    let cases = case.repeated().collect().then_ignore(remarks());
    word("switch")
        .ignore_then(parens(expr::expr()))
        .then(cases.delimited_by(punct("{"), punct("}")))
        .map(|(value, cases)| StmtKind::Switch { value, cases })
        .boxed()
}

fn repeat<'t, 's: 't, I: Tokens<'t, 's>>(block: Part<'t, 's, I, Vec<Stmt>>) -> Part<'t, 's, I, StmtKind> {
    let label = || ident().then_ignore(punct(":")).then_ignore(punct(";")).or_not();
    let while_loop = word("while")
        .ignore_then(parens(expr::expr()))
        .then(block.clone())
        .then(label())
        .map(|((condition, body), label)| StmtKind::While { condition, body, label });
    let head = type_name()
        .then(ident())
        .then_ignore(punct("="))
        .then(expr::expr())
        .then_ignore(punct(";"))
        .then(expr::expr())
        .then_ignore(punct(";"))
        .then(assignment());
    let for_loop = just(Token::Unroll)
        .or_not()
        .then_ignore(word("for"))
        .then(parens(head))
        .then(block)
        .then(label())
        .map(|(((unroll, ((((ty, name), start), condition), next)), body), label)| StmtKind::For {
            unroll: unroll.is_some(),
            ty,
            name,
            head: Box::new((start, condition, next)),
            body,
            label,
        });
    while_loop.or(for_loop).boxed()
}

fn everywhere<'t, 's: 't, I: Tokens<'t, 's>>(block: Part<'t, 's, I, Vec<Stmt>>) -> Part<'t, 's, I, StmtKind> {
    let capture = type_name().then(ident()).then_ignore(punct("=")).then(expr::expr());
    word("everywhere")
        .ignore_then(parens(list(capture.map(|((ty, name), value)| (ty, name, value)))))
        .then(block)
        .map(|(captures, body)| StmtKind::Everywhere { captures, body })
        .boxed()
}

fn jump<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, StmtKind> {
    choice((
        word("break").to(StmtKind::Break),
        word("continue").to(StmtKind::Continue),
        word("goto").ignore_then(ident()).map(StmtKind::Goto),
        word("return").ignore_then(expr::expr().or_not()).map(StmtKind::Return),
    ))
    .then_ignore(punct(";"))
    .boxed()
}

fn declaration<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, StmtKind> {
    let length = || expr::expr().delimited_by(punct("["), punct("]"));
    let placed =
        choice((word("__shared__").to(ArrayKind::Shared), word("__striped__").to(ArrayKind::Striped)));
    let placed = placed
        .then(type_name())
        .then(ident())
        .then(length())
        .map(|(((kind, element), name), length)| StmtKind::Array { kind, element, name, length });
    enum Rest {
        Array(Expr),
        Value(Option<Expr>),
    }
    let rest = length().map(Rest::Array).or(punct("=").ignore_then(expr::expr()).or_not().map(Rest::Value));
    let plain = type_name().then(ident()).then(rest).map(|((ty, name), rest)| match rest {
        Rest::Array(length) => StmtKind::Array { kind: ArrayKind::Local, element: ty, name, length },
        Rest::Value(value) => StmtKind::Declare { ty, name, value },
    });
    placed.or(plain).then_ignore(punct(";")).boxed()
}

fn assignment<'t, 's: 't, I: Tokens<'t, 's>>() -> Part<'t, 's, I, Assignment> {
    expr::place()
        .then(expr::assignment_sign())
        .then(expr::expr())
        .map(|((place, op), value)| Assignment { place, op, value })
        .boxed()
}
