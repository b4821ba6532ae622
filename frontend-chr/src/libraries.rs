//! Libraries of SWI-Prolog: those whose predicates are there, and the operators that importing one brings.

use gchr_base::logic::{Fixity, Operators};

use crate::ast::{Module, TermId, TermKind};
use crate::files;

/// Libraries whose predicates are built in, or are of no use here.
const KNOWN: &[&str] = &[
    "aggregate",
    "ansi_term",
    "apply",
    "apply_macros",
    "arithmetic",
    "assoc",
    "backcomp",
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
    "dialect/sicstus",
    "dialect/sicstus/block",
    "dialect/sicstus4",
    "dicts",
    "edit",
    "error",
    "gensym",
    "hashtable",
    "heaps",
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

/// Whether the predicates of a library are there as far as they are known at all.
pub(crate) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// Takes the operators of the libraries that a directive imports into the table.
pub(crate) fn declare_operators(module: &Module, directive: TermId, operators: &mut Operators) {
    for goal in module.members(directive, ",") {
        let Some(("use_module" | "ensure_loaded", &[file] | &[file, _])) = module.functor(goal) else {
            continue;
        };
        let files = match module.kind(file) {
            TermKind::List { items, .. } => items.as_slice(),
            _ => &[file],
        };
        for &file in files {
            let name = files::library(module, file).unwrap_or_default();
            for (_, declared) in OPERATORS.iter().filter(|(library, _)| *library == name) {
                for (priority, fixity, names) in *declared {
                    names.split(' ').for_each(|name| operators.set(*priority, *fixity, name));
                }
            }
        }
    }
}
