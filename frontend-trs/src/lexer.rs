//! Text to tokens (logos). Names and numbers are interned on the way, so that a token is 8 bytes and `Copy`.

use std::fmt;
use std::ops::Range;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::escape;
use gchr_base::source::{SourceId, Span};
use logos::Logos;

use crate::ast::{Name, Names};
use crate::quotes::{self, Wrong};

/// Value of a number in the text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Literal {
    /// An integer below 2^63.
    Int(i64),
    /// A larger one, by its digits.
    Large(Name),
    /// A finite float.
    Float(f64),
    /// A number that no float is near to, or with more digits than integers are read with.
    TooLarge,
}

/// Names and numbers of one text.
#[derive(Default)]
pub(crate) struct Tables {
    pub names: Names,
    pub literals: Vec<Literal>,
}

/// A token.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(extras = Tables, skip r"[ \t\r\n\f\u{FEFF}]+", skip(r"%[^\n]*", allow_greedy = true))]
pub(crate) enum Token {
    #[token("sort")]
    Sort,
    #[token("struct")]
    Struct,
    #[token("cons")]
    Constructors,
    #[token("map")]
    Map,
    #[token("var")]
    Var,
    #[token("eqn")]
    Eqn,
    #[token("input")]
    Input,
    /// The name `import` before a text in quotes.
    Import,
    /// The name `strategy` at the beginning of a clause and before another name.
    Strategy,
    /// The word `sort` behind a colon: what variables that stand for sorts are declared with, no section.
    AnySort,
    #[token("div")]
    IntDiv,
    #[token("mod")]
    Mod,
    #[regex("[A-Za-z_][A-Za-z0-9_']*", |lex| lex.extras.names.intern(lex.slice()))]
    Ident(Name),
    /// A name with other letters, which is reported.
    #[regex(r"[\p{XID_Start}_][\p{XID_Continue}']*", |lex| lex.extras.names.intern(lex.slice()), priority = 1)]
    ForeignName(Name),
    /// A text in quotes: behind [`Import`](Token::Import) what is between them, elsewhere what that means.
    #[regex(r#""([^"\\\n]|\\[^\n])*["\\]?"#, |_| Name(0))]
    Text(Name),
    /// A character in quotes.
    #[regex(r"'([^'\\\n]|\\[^\n])*['\\]?", |_| char::REPLACEMENT_CHARACTER)]
    Character(char),
    #[regex("[0-9]+", integer)]
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?", float)]
    #[regex("[0-9]+[eE][+-]?[0-9]+", float)]
    Number(u32),
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenSquare,
    #[token("]")]
    CloseSquare,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(":=")]
    Match,
    #[token("?")]
    Question,
    #[token("#")]
    Hash,
    #[token("->")]
    Arrow,
    #[token("=")]
    Equals,
    #[token("|>")]
    Cons,
    #[token("<|")]
    Snoc,
    #[token("++")]
    Concat,
    #[token(".")]
    Dot,
    #[token("|")]
    Bar,
    #[token("||")]
    BarBar,
    #[token("&")]
    And,
    #[token("&&")]
    AndAnd,
    #[token("^")]
    Caret,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEq,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEq,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("!")]
    Bang,
}

/// Most digits of an integer: to read them takes time by the square of their number.
const MOST_DIGITS: usize = 10_000;

fn integer(lex: &mut logos::Lexer<'_, Token>) -> u32 {
    let digits = lex.slice().trim_start_matches('0');
    let literal = match digits.parse() {
        Ok(small) => Literal::Int(small),
        Err(_) if digits.is_empty() => Literal::Int(0),
        Err(_) if digits.len() > MOST_DIGITS => Literal::TooLarge,
        Err(_) => Literal::Large(lex.extras.names.intern(digits)),
    };
    push_literal(lex, literal)
}

fn float(lex: &mut logos::Lexer<'_, Token>) -> u32 {
    let literal = match lex.slice().parse::<f64>() {
        Ok(x) if x.is_finite() => Literal::Float(x),
        _ => Literal::TooLarge,
    };
    push_literal(lex, literal)
}

fn push_literal(lex: &mut logos::Lexer<'_, Token>, literal: Literal) -> u32 {
    let literals = &mut lex.extras.literals;
    literals.push(literal);
    // A text has fewer than 2^32 bytes (checked by `lex`), hence fewer numbers.
    (literals.len() - 1) as u32
}

impl Token {
    /// Whether a section of a program starts here: the place where error recovery always ends.
    pub fn starts_section(self) -> bool {
        matches!(
            self,
            Token::Sort
                | Token::Constructors
                | Token::Map
                | Token::Var
                | Token::Eqn
                | Token::Input
                | Token::Import
                | Token::Strategy
        )
    }

    /// The token as messages show it; its own text for names and numbers is not known here.
    pub fn describe(self) -> &'static str {
        match self {
            Token::Sort | Token::AnySort => "`sort`",
            Token::Struct => "`struct`",
            Token::Constructors => "`cons`",
            Token::Map => "`map`",
            Token::Var => "`var`",
            Token::Eqn => "`eqn`",
            Token::Input => "`input`",
            Token::Import => "`import`",
            Token::Strategy => "`strategy`",
            Token::IntDiv => "`div`",
            Token::Mod => "`mod`",
            Token::Ident(_) | Token::ForeignName(_) => "a name",
            Token::Text(_) => "a text",
            Token::Character(_) => "a character",
            Token::Number(_) => "a number",
            Token::Open => "`(`",
            Token::Close => "`)`",
            Token::OpenSquare => "`[`",
            Token::CloseSquare => "`]`",
            Token::Comma => "`,`",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::Match => "`:=`",
            Token::Question => "`?`",
            Token::Hash => "`#`",
            Token::Arrow => "`->`",
            Token::Equals => "`=`",
            Token::Cons => "`|>`",
            Token::Snoc => "`<|`",
            Token::Concat => "`++`",
            Token::Dot => "`.`",
            Token::Bar => "`|`",
            Token::BarBar => "`||`",
            Token::And => "`&`",
            Token::AndAnd => "`&&`",
            Token::Caret => "`^`",
            Token::EqEq => "`==`",
            Token::NotEq => "`!=`",
            Token::Less => "`<`",
            Token::LessEq => "`<=`",
            Token::Greater => "`>`",
            Token::GreaterEq => "`>=`",
            Token::ShiftLeft => "`<<`",
            Token::ShiftRight => "`>>`",
            Token::Plus => "`+`",
            Token::Minus => "`-`",
            Token::Star => "`*`",
            Token::Slash => "`/`",
            Token::Bang => "`!`",
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe())
    }
}

/// The tokens of one text with their places.
pub(crate) struct Lexed<'a> {
    pub source: SourceId,
    pub text: &'a str,
    pub tokens: Vec<Token>,
    /// Byte range of each token.
    pub ranges: Vec<(u32, u32)>,
    pub tables: Tables,
    /// Names that are reported already.
    pub reported: Vec<Name>,
}

impl Lexed<'_> {
    /// Place of token `index`; the empty place behind the last token when there are fewer.
    pub fn span(&self, index: usize) -> Span {
        match (self.ranges.get(index), self.ranges.last()) {
            (Some(&(start, end)), _) => Span { source: self.source, start, end },
            (None, Some(&(_, end))) => Span { source: self.source, start: end, end },
            (None, None) => Span::new(self.source, 0, 0),
        }
    }

    /// Text of token `index` in backquotes, or what stands for the end.
    pub fn show(&self, index: usize) -> String {
        match self.ranges.get(index) {
            Some(&(start, end)) => format!("`{}`", &self.text[start as usize..end as usize]),
            None => "the end of the text".into(),
        }
    }
}

/// The word before the name of a file.
const IMPORT: &str = "import";
/// The word before what says where terms are rewritten.
const STRATEGY: &str = "strategy";
/// The operator that is written like a name.
const IN: &str = "in";

/// Splits `text` into tokens. Characters that belong to no token are reported (once a run) and left out.
pub(crate) fn lex<'a>(source: SourceId, text: &'a str, diagnostics: &mut Vec<Diagnostic>) -> Lexed<'a> {
    lex_with(Names::default(), source, text, diagnostics)
}

/// The same for a text whose names are added to those of others.
pub(crate) fn lex_with<'a>(
    names: Names,
    source: SourceId,
    text: &'a str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Lexed<'a> {
    let mut lexed = Lexed {
        source,
        text,
        tokens: Vec::new(),
        ranges: Vec::new(),
        tables: Tables { names, ..Tables::default() },
        reported: Vec::new(),
    };
    if u32::try_from(text.len()).is_err() {
        diagnostics.push(
            Diagnostic::error("T0010", "the text has 4 GiB or more")
                .label(Span::new(source, 0, 0), "places in a text are 32-bit numbers")
                .help("build large terms by rules, or with `S^n(...)`"),
        );
        return lexed;
    }
    let mut lexer = Token::lexer_with_extras(text, std::mem::take(&mut lexed.tables));
    let mut bad: Option<Span> = None;
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        match token {
            Ok(token) => {
                let token = match token {
                    Token::Text(_) if let Some(file) = imported(&lexed.tokens, &lexer) => {
                        lexed.tokens.pop();
                        lexed.tokens.push(Token::Import);
                        Token::Text(lexer.extras.names.intern(file))
                    }
                    Token::Text(_) => {
                        let read = quotes::text(lexer.slice()).unwrap_or_else(|wrong| {
                            diagnostics.push(bad_quotes(wrong, text, source, range.clone()));
                            String::new()
                        });
                        Token::Text(lexer.extras.names.intern(&read))
                    }
                    Token::Character(unknown) => {
                        Token::Character(quotes::character(lexer.slice()).unwrap_or_else(|wrong| {
                            diagnostics.push(bad_quotes(wrong, text, source, range.clone()));
                            unknown
                        }))
                    }
                    Token::ForeignName(name) => {
                        if !lexed.reported.contains(&name) {
                            lexed.reported.push(name);
                            diagnostics.push(no_name(text, Span::new(source, range.start, range.end)));
                        }
                        Token::Ident(name)
                    }
                    Token::Sort if lexed.tokens.last() == Some(&Token::Colon) => Token::AnySort,
                    token => token,
                };
                if begins_strategy(&lexed.tokens, token, &lexer.extras.names) {
                    lexed.tokens.pop();
                    lexed.tokens.push(Token::Strategy);
                }
                lexed.tokens.push(token);
                lexed.ranges.push((range.start as u32, range.end as u32));
            }
            Err(()) => {
                let here = Span::new(source, range.start, range.end);
                match &mut bad {
                    Some(run) if run.end == here.start => run.end = here.end,
                    _ => diagnostics.extend(bad.replace(here).map(|run| bad_characters(text, run))),
                }
            }
        }
    }
    diagnostics.extend(bad.map(|run| bad_characters(text, run)));
    lexed.tables = lexer.extras;
    lexed
}

/// The name of a file between the quotes of a text, where the token before is the word for that.
fn imported<'a>(before: &[Token], lexer: &logos::Lexer<'a, Token>) -> Option<&'a str> {
    let Some(Token::Ident(name)) = before.last() else { return None };
    let text = lexer.slice().strip_prefix('"')?.strip_suffix('"')?;
    (lexer.extras.names.get(*name) == IMPORT).then_some(text)
}

/// Whether the last token before a token is the word that a section about strategies begins with: no clause of another
/// section begins with two names.
fn begins_strategy(before: &[Token], token: Token, names: &Names) -> bool {
    let (word, earlier) = match before {
        [.., earlier, Token::Ident(word)] => (word, Some(earlier)),
        [Token::Ident(word)] => (word, None),
        _ => return false,
    };
    let Token::Ident(next) = token else { return false };
    names.get(*word) == STRATEGY
        && names.get(next) != IN
        && earlier.is_none_or(|earlier| *earlier == Token::Semicolon)
}

/// What is wrong with a text or a character in quotes.
fn bad_quotes(wrong: Wrong, text: &str, source: SourceId, range: Range<usize>) -> Diagnostic {
    let within = |part: &Range<usize>| Span::new(source, range.start + part.start, range.start + part.end);
    let shown = |part: &Range<usize>| escape::line(&text[range.clone()][part.clone()]).into_owned();
    let whole = Span::new(source, range.start, range.end);
    let error = |what: String, place: Span, label: &str| Diagnostic::error("T0012", what).label(place, label);
    match wrong {
        Wrong::Open => error("a quote is not closed on its line".into(), whole, "begins here")
            .help("close it; an end of a line is written `\\n`, a quote between quotes `\\\"` or `\\'`"),
        Wrong::Escape(part) => {
            error(format!("`{}` stands for no character", shown(&part)), within(&part), "here")
                .help("write `\\n`, `\\t`, `\\r`, `\\\\`, `\\\"`, `\\'`, or a code as `\\u{41}`")
        }
        Wrong::Code(part) => {
            error(format!("`{}` is no code of a character", shown(&part)), within(&part), "this number")
                .help("codes are hexadecimal, up to `d7ff`, and from `e000` to `10ffff`")
        }
        Wrong::Count(count) => {
            let found = if count == 0 { "none".into() } else { count.to_string() };
            error(
                format!("single quotes are around one character, found {found}"),
                whole,
                "not one character",
            )
            .help("write texts in double quotes, and a single quote as `'\\''`")
        }
    }
}

/// What stands where a name may, and is none.
fn no_name(text: &str, place: Span) -> Diagnostic {
    let ascii = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    let other = text[place.range()].chars().find(|&c| !ascii(c)).unwrap_or('_');
    Diagnostic::error("T0001", format!("`{}` is no letter of a name", escape::line(&other.to_string())))
        .label(place, "this name has it, wherever it occurs")
        .help("write names with the letters from `a` to `z`, digits, `_` and `'`")
}

fn bad_characters(text: &str, run: Span) -> Diagnostic {
    let shown: String = text[run.range()].chars().take(20).collect();
    Diagnostic::error("T0001", format!("unexpected `{}`", escape::line(&shown)))
        .label(run, "no token starts like this")
        .help("names are letters, digits, `_` and `'`; comments start with `%`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_base::source::SourceMap;

    fn tokens(text: &str) -> (Vec<Token>, Vec<Literal>, Vec<Diagnostic>) {
        let id = SourceMap::new().add("test", text);
        let mut diagnostics = Vec::new();
        let lexed = lex(id, text, &mut diagnostics);
        (lexed.tokens, lexed.tables.literals, diagnostics)
    }

    #[test]
    fn numbers_keep_their_values_and_limits() {
        let (_, literals, _) = tokens("0 18446744073709551615 18446744073709551616 1.5 2e3 1e999 % 7\n8");
        use Literal::*;
        assert_eq!(literals[1..3], [Large(Name(0)), Large(Name(1))]);
        assert_eq!(literals[3..], [Float(1.5), Float(2000.0), TooLarge, Int(8)]);
        let (_, literals, _) = tokens(&format!("9223372036854775807 00 {}", "1".repeat(MOST_DIGITS + 1)));
        assert_eq!(literals, [Int(i64::MAX), Int(0), TooLarge]);
    }

    #[test]
    fn longest_operator_wins() {
        let (found, ..) = tokens("a->b - > <<= == =|| |");
        use Token::*;
        let names = [Name(0), Name(1)].map(Ident);
        assert_eq!(
            found,
            [names[0], Arrow, names[1], Minus, Greater, ShiftLeft, Equals, EqEq, Equals, BarBar, Bar]
        );
    }

    #[test]
    fn runs_of_bad_characters_are_reported_once() {
        let (found, _, diagnostics) = tokens("a @@ä b $");
        assert_eq!(found.len(), 3);
        let spans: Vec<_> = diagnostics.iter().map(|d| (d.code, d.labels[0].span.range())).collect();
        assert_eq!(spans, [("T0001", 4..6), ("T0001", 2..4), ("T0001", 9..10)]);
    }
}
