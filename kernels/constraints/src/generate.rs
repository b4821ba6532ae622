//! Generates the kernels of one constraint program: the template `rounds.cu` with its holes filled.

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{self, Program, Role};
use gchr_base::signature::SortKind;
use gchr_base::source::SourceMap;
use gchr_constraints::plan::{ChrPlan, checked_arguments};

use super::class;
use super::codegen::{self, CodegenCtx};
use super::contract::{Host, Names, Parts};
use super::kernels::Kernels;
use super::layout::{ENTRY_WORDS, Layout, MinPlusTable};
use super::specialised::product::WIDTHS;
use super::specialised::{self, Source};
use super::terms::{HANDED, Terms, intern_prefix};
use crate::templates;
use gchr_kernel::ir::*;
use gchr_kernel::template::Holes;
use gchr_kernel::{build, template, verify};
use gchr_runtime::codegen::{Sites, applies};
use gchr_runtime::templates::POWER;

/// Whether rules compute powers that can be floats.
fn has_float_powers(program: &Program) -> bool {
    let is_int = |expr: &rule::Expr| program.signature.kind(expr.sort) == SortKind::Int;
    applies(program, |op, whole, args| op == Op::Pow && !(is_int(whole) && args.iter().all(is_int)))
}

/// Whether rules compare numbers, not all of them integers, in the standard order.
fn orders_floats(program: &Program) -> bool {
    let kind = |expr: &rule::Expr| program.signature.kind(expr.sort);
    applies(program, |op, _, args| {
        matches!(op, Op::Before | Op::BeforeOrSame | Op::After | Op::AfterOrSame)
            && args.iter().all(|a| matches!(kind(a), SortKind::Int | SortKind::Float))
            && args.iter().any(|a| kind(a) == SortKind::Float)
    })
}

/// What builds and compares terms.
fn add_terms(module: &mut Module, terms: &Terms) -> Result<(), Vec<Diagnostic>> {
    template::instantiate(module, &templates::TERMS, &Holes { kernels: true, ..Holes::default() })?;
    for &size in &terms.sizes {
        let constants = [("FIELDS", Literal::Int(u64::from(size)))];
        let prefix = intern_prefix(size);
        let holes = Holes { prefix: &prefix, constants: &constants, ..Holes::default() };
        template::instantiate(module, &templates::INTERN, &holes)?;
    }
    Ok(())
}

/// What the kernels that build cells say and need: calls of functions that are not inlined take registers.
fn prepare_for_terms(module: &mut Module) {
    for function in module.functions.iter_mut() {
        if ["rounds", "explain_failure"].contains(&&*function.name) {
            function.doc.push(HANDED.into());
            function.kind = FunctionKind::Kernel { max_threads: 256, min_blocks: 2 };
        }
    }
}

/// Most rules, as their number is a part of a claim's key; most heads, as removed ones are bits of a word.
const MAX_RULES: usize = 1 << 12;
const MAX_HEADS: usize = 32;

/// What the format of claims and entries cannot hold.
fn limits(program: &Program, layout: &Layout) -> Vec<Diagnostic> {
    let refuse = |what: String, most: usize| {
        Diagnostic::error("D0612", what)
            .note(format!("a claim on a device has room for {most}"))
            .help("use --device cpu, or split the program")
    };
    let mut found = Vec::new();
    for (span, place, ty) in checked_arguments(program) {
        found.push(
            Diagnostic::error("D0613", format!("{place} is checked for its type when the program runs"))
                .label(span, format!("not known to be of type {ty}"))
                .note("devices do not check types of values that they compute")
                .help("use --device cpu, or declare the column with a wider type, such as +int or ?any"),
        );
    }
    if program.rules.len() > MAX_RULES {
        found.push(refuse(format!("the program has {} rules", program.rules.len()), MAX_RULES));
    }
    if layout.heads > MAX_HEADS {
        found.push(refuse(format!("some rule has {} heads", layout.heads), MAX_HEADS));
    }
    found
}

/// What `rounds.cu` is told of the program.
fn constants(source: Source<'_>) -> [(&'static str, Literal); 13] {
    let Source { plan, layout, parts, .. } = source;
    let number = |n: usize| Literal::Int(n as u64);
    let sums = layout.added_targets().len();
    [
        ("TARGETS", number(layout.targets())),
        ("STORED", number(layout.added.len())),
        ("SUMS", number(sums)),
        ("SUMS_AND_TWO", number(sums + 2)),
        ("HEADS", number(layout.heads)),
        ("HEADS_AND_ONE", number(layout.heads + 1)),
        ("ENTRY", number(ENTRY_WORDS + layout.heads)),
        ("REPLACES", number(usize::from(!plan.classes.replacements.is_empty()))),
        ("REDUCES", number(usize::from(layout.tables.iter().any(|t| t.reduced)))),
        // Four take more registers than calls of functions that build terms leave.
        ("AT_ONCE", number(if parts.terms { 1 } else { 4 })),
        ("TERMS", number(usize::from(parts.terms))),
        ("MERGES", number(usize::from(!plan.classes.divisors.is_empty()))),
        ("FAST_PATHS", number(usize::from(specialised::has_fast_path(source)))),
    ]
}

/// Makes the kernels. Fails when the program has something that devices cannot run.
pub fn kernels(program: &Program, plan: &ChrPlan, sources: &SourceMap) -> Result<Kernels, Vec<Diagnostic>> {
    kernels_of(&templates::ROUNDS, program, plan, sources)
}

/// [`kernels`] with another text in place of the template `rounds.cu`.
fn kernels_of(
    rounds: &template::Template,
    program: &Program,
    plan: &ChrPlan,
    sources: &SourceMap,
) -> Result<Kernels, Vec<Diagnostic>> {
    let layout = Layout::new(program, plan);
    let found = limits(program, &layout);
    if !found.is_empty() {
        return Err(found);
    }
    let products = MinPlusTable::of(plan);
    let has_terms = layout.terms.is_some();
    let parts = Parts { numbers: has_terms || orders_floats(program), terms: has_terms, ..Parts::default() };
    let source = Source { program, plan, layout: &layout, sources, parts };
    let mut module = Module::default();
    if let Some(terms) = &layout.terms {
        add_terms(&mut module, terms)?;
    } else if parts.numbers {
        template::instantiate(&mut module, &templates::NUMBERS, &Holes::default())?;
    }
    if has_float_powers(program) {
        template::instantiate(&mut module, &POWER, &Holes { prefix: "float", ..Holes::default() })?;
    }
    template::open_in(&mut module, rounds, &constants(source))?;
    let declared = module.record("Params").map_or(0, |params| module.records[params].fields.len());
    layout.extend_params(&mut module);
    // Before anything is generated that names what the template defines.
    Host::of(&module, declared, parts, std::iter::empty())?;
    if layout.terms.is_some() {
        prepare_for_terms(&mut module);
    }
    let mut sites = Sites::default();
    for hole in HOLES {
        let names = Names::of(&module, parts, hole)?;
        let ctx = CodegenCtx { program, plan, layout: &layout, sources, module: &module, names: &names };
        let functions = fill(hole, ctx, &mut sites);
        build::fill_hole(&mut module, hole, functions);
    }
    specialised::add(&mut module, source, &mut sites)?;
    let broken = verify::verify_closed(&module);
    if !broken.is_empty() {
        return Err(broken);
    }
    let adds = plan.rules.iter_enumerated().flat_map(|(id, rule)| {
        let count = |t| rule.added().filter(|&c| c == t).count() as u32;
        let written = (!layout.output.is_empty()).then(|| layout.output.of_rule(id).len() as u32);
        layout.added.iter().map(|&t| count(t)).chain(written).collect::<Vec<_>>()
    });
    let bits = plan.rules.iter().map(|rule| {
        let removed = rule.heads.iter().enumerate().filter(|(_, h)| h.role == Role::Removed);
        removed.fold(0, |bits, (h, _)| bits | 1 << h)
    });
    let (adds, removed_heads) = (adds.collect(), bits.collect());
    let prefixes = WIDTHS.into_iter().map(|width| width.0).filter(|_| !products.is_empty());
    let host = Arc::new(Host::of(&module, declared, specialised::parts(source), prefixes)?);
    Ok(Kernels { module, sites, layout, adds, removed_heads, products, host, apart: Vec::new() })
}

/// The holes of the template, those before it being filled when one is.
const HOLES: [&str; 21] = [
    "is_crowded",
    "index_row",
    "reduce_row",
    "merge_row",
    "improve",
    "settle_row",
    "id_of",
    "all_live",
    "matches",
    "seek",
    "stage_kept",
    "list",
    "claim_rows",
    "rank_rows",
    "is_beaten",
    "build",
    "remove_rows",
    "explain",
    "pin_rows",
    "rename_rows",
    "copy_row",
];

fn fill(hole: &str, ctx: CodegenCtx<'_>, sites: &mut Sites) -> Vec<Function> {
    if let Some(functions) = class::functions(hole, ctx, sites) {
        return functions;
    }
    match hole {
        "is_crowded" => vec![codegen::is_crowded(ctx)],
        "index_row" => codegen::index_functions(ctx),
        "id_of" => vec![codegen::id_of(ctx)],
        "all_live" => vec![codegen::all_live(ctx)],
        "matches" => codegen::match_functions(ctx, sites),
        "seek" | "stage_kept" => codegen::shared_functions(ctx, hole, sites),
        "list" => codegen::list_functions(ctx, sites),
        "claim_rows" => vec![codegen::claim_rows(ctx)],
        "rank_rows" => vec![codegen::rank_rows(ctx)],
        "is_beaten" => vec![codegen::is_beaten(ctx)],
        "build" => codegen::build_functions(ctx, sites),
        "remove_rows" => vec![codegen::remove_rows(ctx)],
        "explain" => codegen::explain_functions(ctx, sites),
        "pin_rows" => vec![codegen::pin_rows(ctx)],
        "rename_rows" => vec![codegen::rename_rows(ctx)],
        _ => vec![codegen::copy_row(ctx)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_constraints::plan::{RoundsOptions, compile_rounds};
    use gchr_kernel::template::Template;
    use gchr_kernel::testing::{names_of_contract, renamed};

    /// Every name that host code uses of the templates: without it no kernels are made, and the error says which one it
    /// is.
    #[test]
    fn a_name_that_the_template_lacks_is_an_error() {
        let text = ":- chr_constraint edge(+int, +int), path(+int, +int).
            path(X, Y) \\ path(X, Y) <=> true. edge(X, Y) ==> path(X, Y).
            edge(X, Y), path(Y, Z) ==> path(X, Z).";
        let mut sources = SourceMap::new();
        let request = gchr_chr::Request {
            program: sources.add("test.chr", text),
            queries: Vec::new(),
            facts: Vec::new(),
        };
        let program = gchr_chr::load(&mut sources, &request).program.expect("the program is right");
        let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
        let made = kernels(&program, &plan, &sources).expect("kernels are made");
        let declared = 27;
        let monotone = made.layout.monotone.is_some();
        let parts = Parts { monotone, column_range: monotone, ..Parts::default() };
        let found = names_of_contract(&made.module, |module| {
            Host::of(module, declared, parts, std::iter::empty()).map(|_| ())
        });
        for name in
            ["STOP", "NEXT_ID", "SMALL_ROUNDS", "MUST_CLEAR", "staged_capacity", "hysteresis", "move_rows"]
        {
            assert!(found.iter().any(|found| found == name), "{name} is not part of {found:?}");
        }
        let found = names_of_contract(&made.module, |module| Names::of(module, parts, "build").map(|_| ()));
        for name in ["GOES_ON", "UNORDERED", "LOW", "stage", "hash_word", "fail", "set_bit"] {
            assert!(found.iter().any(|found| found == name), "{name} is not part of {found:?}");
        }
        for name in ["STOP", "EPOCH", "touched", "max_firings", "NEXT_ID"] {
            let text = renamed(templates::ROUNDS.text, name, &format!("{name}_of_old"));
            let template =
                Template { name: "rounds", text: text.leak(), includes: templates::ROUNDS.includes };
            let found = kernels_of(&template, &program, &plan, &sources).err().expect("the name is missing");
            assert_eq!(found[0].code, "K0205");
            assert!(found.iter().any(|d| d.message.contains(&format!("`{name}`"))), "{found:?}");
        }
    }
}
