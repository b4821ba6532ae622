//! Libraries of SWI-Prolog: those whose predicates are there, and the operators that importing one brings.

use gchr_base::logic::{Fixity, Operators};

use crate::ast::{Module, TermId, TermKind};
use crate::directives;

/// Libraries whose predicates are built in, or are of no use here.
const KNOWN: &[&str] = &[
    "aggregate",
    "ansi_term",
    "apply",
    "apply_macros",
    "arithmetic",
    "assoc",
    "backcomp",
    "base64",
    "between",
    "charsio",
    "chr",
    "chr/chr_op",
    "chr/chr_runtime",
    "chr/chr_translate",
    "chr_runtime",
    "clpfd",
    "codesio",
    "ctypes",
    "date",
    "debug",
    "dcg/basics",
    "dcg/high_order",
    "dialect",
    "dialect/hprolog",
    "dialect/sicstus",
    "dialect/sicstus/block",
    "dialect/sicstus4",
    "dicts",
    "edit",
    "error",
    "gensym",
    "hashtable",
    "heaps",
    "hprolog",
    "listing",
    "lists",
    "main",
    "make",
    "nb_set",
    "occurs",
    "option",
    "optparse",
    "ordsets",
    "pairs",
    "plunit",
    "portray_text",
    "pprint",
    "prolog_stack",
    "prolog_code",
    "quintus",
    "random",
    "rbtrees",
    "readutil",
    "record",
    "settings",
    "shell",
    "solution_sequences",
    "sort",
    "statistics",
    "strings",
    "system",
    "tabling",
    "terms",
    "thread",
    "time",
    "timeout",
    "ugraphs",
    "url",
    "varnumbers",
    "when",
    "yall",
];

/// An operator: its priority, its kind, its name.
type Operator = (u16, Fixity, &'static str);

const BLOCK: &[Operator] = &[(1150, Fixity::Fx, "block")];

/// Operators of libraries.
const OPERATORS: &[(&str, &[Operator])] = &[
    (
        "clpfd",
        &[
            (760, Fixity::Yfx, "#<==>"),
            (750, Fixity::Xfy, "#==>"),
            (750, Fixity::Yfx, "#<=="),
            (740, Fixity::Yfx, "#\\/"),
            (730, Fixity::Yfx, "#\\"),
            (720, Fixity::Yfx, "#/\\"),
            (710, Fixity::Fy, "#\\"),
            (700, Fixity::Xfx, "#> #< #>= #=< #= #\\= in ins in_set"),
            (450, Fixity::Xfx, ".."),
        ],
    ),
    ("dialect/sicstus", BLOCK),
    ("dialect/sicstus/block", BLOCK),
    ("dialect/sicstus4", BLOCK),
    ("yall", &[(201, Fixity::Xfx, "+\\")]),
    ("record", &[(1150, Fixity::Fx, "record")]),
];

/// The name of `library(name)`, as `dcg/basics`; `chr(name)` stands for `library(chr/name)`.
pub(crate) fn name(module: &Module, file: TermId) -> Option<String> {
    match module.functor(file)? {
        ("library", &[name]) => Some(path(module, name).unwrap_or_else(|| module.term_text(name))),
        ("chr", &[name]) => Some(format!("chr/{}", path(module, name)?)),
        _ => None,
    }
}

/// The path that a term stands for: an atom or a text, or several of them with `/` between.
pub(crate) fn path(module: &Module, mut id: TermId) -> Option<String> {
    let mut text = String::new();
    loop {
        let (left, right) = match module.binary(id, "/") {
            Some((left, right)) => (Some(left), right),
            None => (None, id),
        };
        match module.kind(right) {
            TermKind::Atom(name) | TermKind::Str(name) => text.insert_str(0, name),
            _ => return None,
        }
        let Some(left) = left else { return Some(text) };
        text.insert(0, '/');
        id = left;
    }
}

/// What a library solves that nothing here does: a program that imports it wants more than single predicates.
pub(crate) fn solver(name: &str) -> Option<&'static str> {
    Some(match name {
        "clpq" | "clp/clpq" => "linear constraints over rational numbers",
        "clpr" | "clp/clpr" => "linear constraints over floats",
        _ => return None,
    })
}

/// Whether the predicates of a library are there as far as they are known at all.
pub(crate) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// Takes the operators of the libraries that a directive imports into the table.
pub(crate) fn declare_operators(module: &Module, directive: TermId, operators: &mut Operators) {
    for part in directives::parts(module, directive) {
        for &file in directives::files(module, part) {
            let name = name(module, file).unwrap_or_default();
            for (_, declared) in OPERATORS.iter().filter(|(library, _)| *library == name) {
                for (priority, fixity, names) in *declared {
                    names.split(' ').for_each(|name| operators.set(*priority, *fixity, name));
                }
            }
        }
    }
}
