//! Flags of Prolog (`:- set_prolog_flag(Flag, Value)`): what text in quotes means, and flags that may not be changed.

use gchr_base::diagnostic::Diagnostic;
pub(crate) use gchr_base::logic::QuotedText as Quoted;
use gchr_base::suggest::nearest;

use crate::ast::{Module, TermId};
use crate::directives::{self, Directive};

/// What text in quotes stands for, by the value of a flag.
const MEANINGS: [(&str, Quoted); 4] =
    [("string", Quoted::Str), ("codes", Quoted::Codes), ("chars", Quoted::Chars), ("atom", Quoted::Atom)];

fn meaning(value: &str) -> Option<Quoted> {
    MEANINGS.iter().find(|(name, _)| *name == value).map(|(_, meaning)| *meaning)
}

/// The value of a flag for a meaning of text in quotes.
pub(crate) fn meaning_name(meaning: Quoted) -> &'static str {
    MEANINGS.iter().find(|(_, known)| *known == meaning).map_or("string", |(name, _)| name)
}

/// What `"text"` and `` `text` `` stand for from a clause on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quotes {
    pub double: Quoted,
    pub back: Quoted,
}

impl Default for Quotes {
    fn default() -> Self {
        Self { double: Quoted::Str, back: Quoted::Codes }
    }
}

/// Flags that change what programs mean, with the value that they have here. Other values are refused.
const FIXED: [(&str, &str); 10] = [
    ("iso", "false"),
    ("prefer_rationals", "false"),
    ("rational_syntax", "compatibility"),
    ("float_overflow", "error"),
    ("float_zero_div", "error"),
    ("float_undefined", "error"),
    ("float_rounding", "to_nearest"),
    ("character_escapes", "true"),
    ("character_escapes_unicode", "true"),
    ("var_prefix", "false"),
];

/// Takes a directive into account that sets what quotes mean. What it gets wrong, [`check`] says.
pub(crate) fn set_quotes(module: &Module, directive: TermId, quotes: &mut Quotes) {
    for part in directives::parts(module, directive) {
        let (Directive::Flag, &[flag, value]) = part else { continue };
        let (Some((flag, [])), Some((value, []))) = (module.functor(flag), module.functor(value)) else {
            continue;
        };
        match (flag, meaning(value)) {
            ("double_quotes", Some(meaning)) => quotes.double = meaning,
            ("back_quotes", Some(meaning)) => quotes.back = meaning,
            _ => {}
        }
    }
}

/// Whether a directive says that answers show no store: those of the logic machine can do without.
pub(crate) fn hides_store(module: &Module, flag: TermId, value: TermId) -> bool {
    let is = |id, name| module.functor(id) == Some((name, &[][..]));
    is(flag, "chr_toplevel_show_store") && !is(value, "true")
}

/// What is to be said about `set_prolog_flag(flag, value)`.
pub(crate) fn check(module: &Module, flag: TermId, value: TermId) -> Option<Diagnostic> {
    let name = |id| module.functor(id).filter(|(_, args)| args.is_empty()).map(|(name, _)| name);
    let (place, text) = (module.span(value), module.term_text(value));
    let Some(known) = name(flag) else {
        let diagnostic = Diagnostic::error("C0206", "this is not a flag of Prolog");
        return Some(diagnostic.label(module.span(flag), "not an atom").help("remove the directive"));
    };
    let refused = |help: String| {
        let message = format!("the flag {known} cannot be {text}");
        Some(
            Diagnostic::error("C0206", message)
                .label(place, "would change what the program means")
                .help(help),
        )
    };
    match (known, name(value)) {
        ("double_quotes" | "back_quotes", Some(value)) if meaning(value).is_some() => None,
        ("double_quotes" | "back_quotes", _) => refused("it may be string, codes, chars or atom".into()),
        // All but `true` hides the store.
        ("chr_toplevel_show_store", Some(_)) => None,
        ("chr_toplevel_show_store", _) => refused("it may be true or false".into()),
        (known, value) => match FIXED.iter().find(|(flag, _)| *flag == known) {
            Some((_, fixed)) if value == Some(fixed) => None,
            Some((_, fixed)) => refused(format!("it is always {fixed}: remove the directive")),
            None => {
                let names = FIXED.iter().map(|(flag, _)| *flag).chain(["double_quotes", "back_quotes"]);
                let help = match nearest(known, names) {
                    Some(near) => format!("did you mean {near}? Else remove it to silence this warning"),
                    None => "remove it to silence this warning".into(),
                };
                let diagnostic = Diagnostic::warning("C0206", format!("the flag {known} is ignored"));
                Some(diagnostic.label(module.span(flag), "has no meaning here").help(help))
            }
        },
    }
}
