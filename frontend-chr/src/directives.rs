//! The directives of programs: what each is, by its name and its number of arguments. Whoever reads directives asks
//! here.

use gchr_base::logic::Functor;

use crate::ast::{Module, TermId, TermKind, without_module};

#[cfg(test)]
mod tests;

/// What a directive is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directive {
    /// Declares constraints and their columns.
    Constraints,
    /// Defines a type of columns.
    Type,
    /// An option of the compiler of rules.
    Option,
    /// Makes the text a module, with what it exports.
    Module,
    /// Names libraries, or files that are texts of their own: in its first argument, one or a list of them.
    Load,
    /// The same as a list: its arguments are the items.
    LoadAll,
    /// Names a file whose clauses stand in its place.
    Include,
    /// Declares operators.
    Operators,
    /// Sets a flag.
    Flag,
    /// Says something of predicates.
    Predicates(Property),
    /// A goal that runs when everything is read.
    Initialization,
    /// The clauses of `test/1,2` behind it are tests.
    BeginTests,
    /// Ends a unit of tests.
    EndTests,
    /// It has no effect.
    Nothing,
    /// It is refused: why, and what to write in its place.
    Refused(&'static str, &'static str),
}

/// What a directive says of predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// Their clauses come and go.
    Dynamic,
    /// Their clauses need not stand together, or in one file.
    Scattered,
    /// Their answers are kept.
    Tabled,
    /// Calls of theirs wait for arguments.
    Blocked,
    /// They succeed once.
    Deterministic,
}

/// What is done with a directive over ground stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ground {
    /// The same as in logic programs.
    Same,
    /// Nothing, of which a warning tells.
    Ignored,
    /// Nothing: it would say nothing about constraints and rules.
    Silent,
}

/// What a clause is that is a directive but for `:-`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bare {
    /// The directive: older programs have it so.
    Meant,
    /// A mistake.
    Mistake,
    /// A clause like every other one.
    Clause,
}

/// Directives of one kind.
struct Row {
    /// Their names, separated by blanks.
    names: &'static str,
    /// The least and the largest number of arguments.
    arity: (usize, usize),
    /// What they are.
    directive: Directive,
    /// What is done with them, for the documentation.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test makes the documentation"))]
    says: &'static str,
    ground: Ground,
    bare: Bare,
}

impl Row {
    const fn over_ground(self, ground: Ground) -> Self {
        Self { ground, ..self }
    }
    const fn bare(self, bare: Bare) -> Self {
        Self { bare, ..self }
    }
}

const fn row(names: &'static str, arity: (usize, usize), directive: Directive, says: &'static str) -> Row {
    Row { names, arity, directive, says, ground: Ground::Same, bare: Bare::Clause }
}

/// A directive that is refused.
const fn refused(names: &'static str, arity: usize, why: &'static str, help: &'static str) -> Row {
    row(names, (arity, arity), Directive::Refused(why, help), why)
}

/// Any number of arguments from one.
const SOME: (usize, usize) = (1, usize::MAX);

/// All directives that are no goals.
const ROWS: &[Row] = {
    use Bare::{Meant, Mistake};
    use Directive::*;
    use Ground::{Ignored, Silent};
    use Property::{Blocked, Deterministic, Dynamic, Scattered, Tabled};
    &[
        row("chr_constraint", SOME, Constraints, "declares constraints").bare(Mistake),
        row("constraints", SOME, Constraints, "declares constraints").bare(Meant),
        row("chr_type", (1, 1), Type, "defines a type").bare(Meant),
        row("chr_option", (2, 2), Option, "an option of the compiler of rules").bare(Mistake),
        row("option", (2, 2), Option, "an option of the compiler of rules").bare(Meant),
        row("module", (2, 2), Module, "makes the text a module"),
        row("use_module load_files reexport autoload", (1, 2), Load, "names libraries or files to read"),
        row("ensure_loaded consult compile", (1, 1), Load, "names libraries or files to read"),
        row("include", (1, 1), Include, "names files whose clauses stand here"),
        row("op", (3, 3), Operators, "declares operators"),
        row("set_prolog_flag", (2, 2), Flag, "sets a flag, or is refused"),
        row(
            "dynamic thread_local volatile",
            SOME,
            Predicates(Dynamic),
            "clauses of these predicates may come and go",
        )
        .over_ground(Ignored),
        row("table", (1, 1), Predicates(Tabled), "answers of these predicates are kept").over_ground(Ignored),
        row("block", (1, 1), Predicates(Blocked), "calls wait for their arguments").over_ground(Ignored),
        row("det", (1, 1), Predicates(Deterministic), "these predicates must succeed, once")
            .over_ground(Ignored),
        row("initialization", (1, 2), Initialization, "a goal that runs when everything is read"),
        row("thread_initialization", (1, 1), Initialization, "the same: there is one thread"),
        row("begin_tests", (1, 2), BeginTests, "begins a unit of tests").over_ground(Silent),
        row("end_tests", (1, 1), EndTests, "ends a unit of tests").over_ground(Silent),
        row("discontiguous multifile", SOME, Predicates(Scattered), "clauses may stand anywhere")
            .over_ground(Ignored),
        row("handler rules", (1, 1), Nothing, "a name that is used nowhere").over_ground(Silent).bare(Meant),
        row("chr_preprocessor", (1, 1), Nothing, "there is one compiler of rules").over_ground(Silent),
        row("chr_declaration", (1, 1), Nothing, "nothing of the compiler is declared")
            .over_ground(Ignored)
            .bare(Mistake),
        row("style_check", (1, 1), Nothing, "options choose which warnings there are").over_ground(Ignored),
        row("public export import", (1, 1), Nothing, "what one file alone defines is seen by all")
            .over_ground(Ignored),
        row("meta_predicate module_transparent", SOME, Nothing, "which arguments are goals is not declared")
            .over_ground(Ignored),
        row("non_terminal", (1, 1), Nothing, "rules of grammars are known by `-->`").over_ground(Ignored),
        row("noprofile", SOME, Nothing, "profiles show rules").over_ground(Ignored),
        row(
            "redefine_system_predicate",
            (1, 1),
            Nothing,
            "all predicates may be defined anew but those of ISO Prolog",
        )
        .over_ground(Ignored),
        row("expects_dialect", (1, 1), Nothing, "texts are read as those of SWI-Prolog").over_ground(Ignored),
        row("license", (1, 2), Nothing, "the licence of a text").over_ground(Silent),
        row("encoding", (1, 1), Nothing, "texts are UTF-8").over_ground(Silent),
        row("set_stream", (2, 2), Nothing, "streams have one form").over_ground(Silent),
        row("garbage_collect", (0, 0), Nothing, "memory is collected when it is needed").over_ground(Silent),
        row("set_prolog_stack", (2, 2), Nothing, "`--memory` is the limit").over_ground(Ignored),
        row("set_prolog_gc_thread", (1, 1), Nothing, "there is one thread").over_ground(Ignored),
        row("use_foreign_library", (1, 2), Nothing, "nothing defines its predicates").over_ground(Silent),
        refused(
            "arithmetic_function",
            1,
            "functions of arithmetic cannot be defined",
            "call a predicate: area(R, A) in place of A is area(R)",
        ),
        refused(
            "format_predicate",
            2,
            "directives of format/2 cannot be defined",
            "write what it shows before format/2 is called: with_output_to/2 makes a text of it",
        ),
        refused(
            "create_prolog_flag",
            3,
            "flags cannot be created",
            "keep the value in a fact, or in a global variable: nb_setval/2",
        ),
    ]
};

/// The row of a name and a number of arguments.
fn row_of(name: &str, arity: usize) -> Option<&'static Row> {
    let is_row = |row: &&Row| {
        (row.arity.0..=row.arity.1).contains(&arity)
            && row.names.split_ascii_whitespace().any(|known| known == name)
    };
    ROWS.iter().find(is_row)
}

/// Whether a directive of this name is no goal.
pub(crate) fn is_directive(name: &str, arity: usize) -> bool {
    row_of(name, arity).is_some()
}

/// What a clause of this functor is, though it does not begin with `:-`.
pub(crate) fn bare(name: &str, arity: usize) -> Bare {
    row_of(name, arity).map_or(Bare::Clause, |row| row.bare)
}

/// The directive of CHR that a name may be meant for.
pub(crate) fn near(name: &str) -> Option<&'static str> {
    let of_chr = ROWS.iter().filter(|row| row.bare != Bare::Clause);
    let names: Vec<&str> = of_chr.flat_map(|row| row.names.split_ascii_whitespace()).collect();
    if names.contains(&name) {
        return None;
    }
    gchr_base::suggest::nearest(name, names)
}

/// The name of a directive that has a meaning, but none over ground stores.
pub(crate) fn ignored(module: &Module, part: TermId) -> Option<&str> {
    let (name, args) = module.functor(without_module(module, part))?;
    row_of(name, args.len()).filter(|row| row.ground == Ground::Ignored).map(|_| name)
}

/// What a part of a directive is, and its arguments; `None` for a goal.
pub fn of(module: &Module, part: TermId) -> Option<(Directive, &[TermId])> {
    let part = without_module(module, part);
    if let TermKind::List { items, tail: None } = module.kind(part) {
        return Some((Directive::LoadAll, items));
    }
    let (name, args) = module.functor(part)?;
    Some((row_of(name, args.len())?.directive, args))
}

/// The parts of a directive that are no goals.
pub fn parts(module: &Module, directive: TermId) -> impl Iterator<Item = (Directive, &[TermId])> {
    module.members(directive, ",").into_iter().filter_map(|part| of(module, part))
}

/// The files and libraries that a part of a directive names.
pub(crate) fn files<'a>(module: &'a Module, (directive, args): (Directive, &'a [TermId])) -> &'a [TermId] {
    match (directive, args) {
        (Directive::LoadAll, items) => items,
        (Directive::Load | Directive::Include, [file, ..]) => match module.kind(*file) {
            TermKind::List { items, .. } => items,
            _ => std::slice::from_ref(file),
        },
        _ => &[],
    }
}

/// The terms by which a directive names constraints or predicates: `name/arity`, or a name with columns.
pub(crate) fn specifications(module: &Module, args: &[TermId]) -> Vec<TermId> {
    args.iter().flat_map(|&arg| module.members(arg, ",")).collect()
}

/// The predicates that `name/arity`, a list or a conjunction of such names.
pub(crate) fn predicates(module: &Module, id: TermId, found: &mut Vec<Functor>) {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        let id = without_module(module, id);
        match (module.kind(id), module.functor(id)) {
            (TermKind::List { items, .. }, _) => pending.extend(items.iter().rev()),
            (_, Some(("," | "as", &[left, right]))) => pending.extend([right, left]),
            (_, Some((sign @ ("/" | "//"), &[name, arity]))) => {
                if let (Some((name, [])), TermKind::Int(arity)) = (module.functor(name), module.kind(arity))
                    && let Ok(arity) = usize::try_from(*arity)
                {
                    found
                        .push(Functor { name: name.into(), arity: arity + if sign == "//" { 2 } else { 0 } });
                }
            }
            _ => {}
        }
    }
}

/// The predicates that a directive is about: by names and numbers of arguments, or by heads (`p(_, min)`, `p(-, ?)`).
pub(crate) fn subjects(module: &Module, args: &[TermId]) -> Vec<Functor> {
    let mut found = Vec::new();
    args.iter().for_each(|&arg| predicates(module, arg, &mut found));
    for spec in specifications(module, args) {
        let spec = module.binary(spec, "as").map_or(spec, |(spec, _)| spec);
        if let Some((name, heads)) = module.functor(without_module(module, spec))
            && !matches!(name, "/" | "//")
        {
            found.push(Functor { name: name.into(), arity: heads.len() });
        }
    }
    found
}
