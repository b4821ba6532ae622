//! Options and pragmas that say in another way what declarations and marks of heads say: they become these, so that
//! nothing behind the parser knows of them.

use gchr_base::hash::HashMap;
use gchr_base::source::{SourceId, Span};

use crate::ast::{ClauseKind, Module, Term, TermId, TermKind};
use crate::directives::{self, Directive};

/// What options say of the columns of a constraint.
#[derive(Default)]
struct Columns {
    /// `mode`: a mode for each column.
    modes: Vec<TermId>,
    /// `type_declaration`: a type for each column.
    types: Vec<TermId>,
}

/// A constraint that a text declares: its name and its number of arguments.
type Key = (SourceId, String, usize);

/// Writes options as declarations, and `mpassive` as `passive`.
pub(crate) fn rewrite(module: &mut Module) {
    let mut columns: HashMap<Key, Columns> = HashMap::default();
    for directive in all_parts(module) {
        let Some((Directive::Option, &[name, value])) = directives::of(module, directive) else { continue };
        let Some((name, [])) = module.functor(name) else { continue };
        match (name, module.functor(value)) {
            ("mode", Some(_)) => of(module, value, &mut columns, |columns, modes| columns.modes = modes),
            ("type_declaration", Some(_)) => {
                of(module, value, &mut columns, |columns, types| columns.types = types)
            }
            ("type_definition", Some(("type", &[head, alternatives]))) => {
                define_type(module, directive, head, alternatives);
            }
            ("toplevel_show_store", Some((shows @ ("on" | "off"), []))) => {
                let shows = if shows == "on" { "true" } else { "false" };
                show_store(module, directive, shows);
            }
            _ => {}
        }
    }
    if !columns.is_empty() {
        declare(module, &columns);
    }
    name_passive(module);
}

/// The parts of all directives.
fn all_parts(module: &Module) -> Vec<TermId> {
    let all = module.clauses.iter().filter_map(|clause| match clause.kind {
        ClauseKind::Directive(directive) => Some(module.members(directive, ",")),
        _ => None,
    });
    all.flatten().collect()
}

fn made(module: &mut Module, name: &str, args: Vec<TermId>, span: Span) -> TermId {
    module.terms.push(Term { kind: kind(name, args), span })
}

fn kind(name: &str, args: Vec<TermId>) -> TermKind {
    match args.is_empty() {
        true => TermKind::Atom(name.into()),
        false => TermKind::Compound { name: name.into(), args },
    }
}

/// Notes the arguments of a constraint pattern.
fn of(
    module: &Module,
    pattern: TermId,
    columns: &mut HashMap<Key, Columns>,
    note: impl FnOnce(&mut Columns, Vec<TermId>),
) {
    let Some((name, args)) = module.functor(pattern) else { return };
    let key = (module.span(pattern).source, name.to_string(), args.len());
    note(columns.entry(key).or_default(), args.to_vec());
}

/// `type(Head, Alternatives)` is `chr_type Head ---> ...`.
fn define_type(module: &mut Module, directive: TermId, head: TermId, alternatives: TermId) {
    let TermKind::List { items, tail: None } = module.kind(alternatives) else { return };
    let (items, span) = (items.clone(), module.span(alternatives));
    let all = items.into_iter().rev().reduce(|rest, one| made(module, ";", vec![one, rest], span));
    let Some(all) = all else { return };
    let definition = made(module, "--->", vec![head, all], module.span(directive));
    module.terms[directive].kind = kind("chr_type", vec![definition]);
}

/// The option says what the flag `chr_toplevel_show_store` says.
fn show_store(module: &mut Module, directive: TermId, shows: &str) {
    let span = module.span(directive);
    let flag = made(module, "chr_toplevel_show_store", Vec::new(), span);
    let value = made(module, shows, Vec::new(), span);
    module.terms[directive].kind = kind("set_prolog_flag", vec![flag, value]);
}

/// Declarations that say no more than a number of arguments get modes and types.
fn declare(module: &mut Module, columns: &HashMap<Key, Columns>) {
    for directive in all_parts(module) {
        let Some((Directive::Constraints, args)) = directives::of(module, directive) else { continue };
        for specification in directives::specifications(module, args) {
            let Some((name, arity)) = module.binary(specification, "/") else { continue };
            let (Some((name, [])), &TermKind::Int(arity)) = (module.functor(name), module.kind(arity)) else {
                continue;
            };
            let (span, name) = (module.span(specification), name.to_string());
            let Ok(arity) = usize::try_from(arity) else { continue };
            let key = (span.source, name, arity);
            let Some(Columns { modes, types }) = columns.get(&key) else { continue };
            let args = (0..arity).map(|i| column(module, modes.get(i), types.get(i), span)).collect();
            module.terms[specification].kind = kind(&key.1, args);
        }
    }
}

fn column(module: &mut Module, mode: Option<&TermId>, ty: Option<&TermId>, span: Span) -> TermId {
    let name = mode.and_then(|&mode| module.functor(mode)).map_or("?", |(name, _)| name).to_string();
    made(module, &name, ty.copied().into_iter().collect(), span)
}

/// `mpassive([A, B])` is `passive(A), passive(B)`.
fn name_passive(module: &mut Module) {
    let mut clauses = std::mem::take(&mut module.clauses);
    for clause in &mut clauses {
        let ClauseKind::Rule(rule) = &mut clause.kind else { continue };
        let pragmas = std::mem::take(&mut rule.pragmas).into_iter();
        rule.pragmas = pragmas
            .flat_map(|pragma| match module.functor(pragma) {
                Some(("mpassive", &[list]))
                    if let TermKind::List { items, tail: None } = module.kind(list) =>
                {
                    let items = items.clone();
                    let span = module.span(pragma);
                    items.into_iter().map(|id| made(module, "passive", vec![id], span)).collect()
                }
                _ => vec![pragma],
            })
            .collect();
    }
    module.clauses = clauses;
}
