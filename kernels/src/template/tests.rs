//! The texts of the templates, and what filling them checks.

use gchr_core::source::SourceMap;
use insta::assert_snapshot;

use super::*;
use crate::ir::Literal;
use crate::testing;
use crate::text::parse;

/// A module with something for every hole.
pub const PROGRAM: &str = include_str!("tests/program.cu");

/// Fills a template with the functions of [`PROGRAM`] that are named like its holes.
pub fn filled(name: &str, ty: Scalar) -> Module {
    let mut module = testing::module(PROGRAM);
    let functions: &[&str] = match name {
        "map" => &["element"],
        "reduce" if ty == Scalar::U64 => &["value", "combine"],
        "scan" if ty == Scalar::U32 => &["value:value32", "accept:accept32"],
        "scan" => &["value", "accept"],
        "compact" => &["keep", "move"],
        "collect" => &["claim"],
        _ => &[],
    };
    let functions: Vec<_> = functions
        .iter()
        .map(|f| f.split_once(':').unwrap_or((f, f)))
        .map(|(hole, by)| (hole, module.function(by).expect("the program has it")))
        .collect();
    let types: &[_] = if matches!(name, "reduce" | "scan") { &[("T", ty)] } else { &[] };
    let constants: &[_] = if name == "reduce" { &[("IDENTITY", Literal::Int(0))] } else { &[] };
    let params = [("Params", module.record("Launch").expect("the program has it"))];
    let records: &[_] = if matches!(name, "grid_barrier" | "arithmetic") { &[] } else { &params };
    let holes =
        Holes { prefix: "my", types, constants, records, functions: &functions, kernels: true, open: false };
    instantiate(&mut module, name, &holes).expect("instantiates");
    module
}

#[test]
fn templates_print_and_parse_back() {
    for template in TEMPLATES.iter().chain(&SCHEDULERS) {
        for ty in [Scalar::U32, Scalar::U64] {
            let types: &[_] = if template.text.contains("using T") { &[("T", ty)] } else { &[] };
            let module =
                parsed(template, types).unwrap_or_else(|found| panic!("{}: {found:#?}", template.name));
            let mut sources = SourceMap::new();
            let id = sources.add("again.cu", module.to_string());
            assert_eq!(parse(&sources, id).as_ref(), Ok(&*module), "{}", template.name);
        }
    }
}

#[test]
fn every_function_of_a_template_has_a_contract() {
    for template in TEMPLATES.iter().chain(&SCHEDULERS) {
        let types: &[_] = if template.text.contains("using T") { &[("T", Scalar::U64)] } else { &[] };
        let module = parsed(template, types).expect("parses");
        for function in module.functions.iter().filter(|f| !f.is_kernel()) {
            assert!(!function.doc.is_empty(), "{}: {}", template.name, function.name);
        }
    }
}

#[test]
fn an_instance_has_its_prefix_and_the_program_in_its_holes() {
    assert_snapshot!(filled("compact", Scalar::U32));
}

#[test]
fn a_scheduler_is_opened_with_what_it_includes() {
    let module =
        open("topology", &[("RELAXED", Literal::Int(0)), ("COLLECTOR", Literal::Int(1))]).expect("opens");
    let defined = |name: &str| module.function(name).is_some_and(|f| !module.functions[f].is_hole());
    assert!(defined("grid_barrier") && defined("int_add") && defined("iterate"));
    assert!(!defined("rewrite"));
    assert_eq!(crate::verify::verify(&module), []);
    let found = open("topology", &[]).expect_err("its constants are holes");
    assert_eq!(found[0].code, "K0202");
}

#[test]
fn two_instances_live_side_by_side() {
    let mut module = testing::module(PROGRAM);
    let records = [("Params", module.record("Launch").expect("there"))];
    let functions = [("element", module.function("element").expect("there"))];
    let holes = Holes {
        prefix: "first",
        records: &records,
        functions: &functions,
        kernels: true,
        ..Holes::default()
    };
    let first = instantiate(&mut module, "map", &holes).expect("instantiates");
    let again = instantiate(&mut module, "map", &holes).expect("the same definitions are one");
    assert_eq!(first, again);
    let second =
        instantiate(&mut module, "map", &Holes { prefix: "second", ..holes.clone() }).expect("instantiates");
    assert_ne!(first.function("map"), second.function("map"));
    let no_kernels = Holes { prefix: "third", kernels: false, ..holes };
    let third = instantiate(&mut module, "map", &no_kernels).expect("instantiates");
    assert_eq!(third.functions().map(|(name, _)| name).collect::<Vec<_>>(), ["map_all"]);
}

#[test]
fn wrong_fillings_are_refused() {
    let mut module = testing::module(PROGRAM);
    let before = module.clone();
    let records = [("Params", module.record("Launch").expect("there"))];
    let element = [("element", module.function("element").expect("there"))];
    let wrong = [("element", module.function("keep").expect("there"))];
    let more = [element[0], ("other", element[0].1)];
    let good = Holes { records: &records, functions: &element, ..Holes::default() };
    let mut code = |template: &str, holes: &Holes| {
        instantiate(&mut module, template, holes).map_err(|found| found[0].code).expect_err("it is wrong")
    };
    assert_eq!(code("no such", &good), "K0201");
    assert_eq!(code("map", &Holes { records: &[], ..good.clone() }), "K0202");
    assert_eq!(code("map", &Holes { functions: &[], ..good.clone() }), "K0202");
    assert_eq!(code("map", &Holes { functions: &more, ..good.clone() }), "K0202");
    assert_eq!(code("map", &Holes { functions: &wrong, ..good.clone() }), "K0203");
    assert_eq!(code("reduce", &good), "K0007");
    // The program's own function `move` stands in the way of nothing, its `kept` of the template's.
    let mut clash = testing::module(&format!("{PROGRAM}__device__ __forceinline__ void map_all() {{ }}\n"));
    let found = instantiate(&mut clash, "map", &good).expect_err("it is wrong");
    assert_eq!(found[0].code, "K0204");
    assert_eq!(module, before);
}

#[cfg(feature = "cuda")]
#[test]
fn templates_compile_without_a_word_for_all_generations() {
    use crate::cuda::{Arch, Options, parse_resources, resource_table};
    let Some(nvrtc) = testing::nvrtc("templates_compile") else { return };
    let mut tables = Vec::new();
    for (name, ty) in [
        ("map", Scalar::U32),
        ("reduce", Scalar::U64),
        ("scan", Scalar::U32),
        ("scan", Scalar::U64),
        ("compact", Scalar::U32),
        ("collect", Scalar::U32),
        ("grid_barrier", Scalar::U32),
    ] {
        let module = filled(name, ty);
        let text = crate::cuda_text(&module, "program.chr").expect("lowers");
        for arch in [80, 90, 100] {
            let compiled = nvrtc.compile(&text, "kernels.cu", Arch::Real(arch), &Options::kernels());
            let compiled = compiled.unwrap_or_else(|e| panic!("{name}: {e:?}"));
            assert_eq!(compiled.log, "", "{name} for sm_{arch}");
        }
        let options = Options::kernels().with_resource_usage();
        let compiled = nvrtc.compile(&text, "kernels.cu", Arch::Real(90), &options).expect("compiles");
        tables.push(format!("{name} {}\n{}", ty.name(), resource_table(&parse_resources(&compiled.log))));
    }
    assert_snapshot!(tables.join("\n"));
}
