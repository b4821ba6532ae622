//! What filling the holes of a template does, and what it refuses.

use insta::assert_snapshot;

use super::*;
use crate::ir::Literal;
use crate::testing;

/// A program with something for every hole of [`FOLD`].
const PROGRAM: &str = include_str!("tests/program.cu");

static TWICE: Template = Template { name: "twice", text: include_str!("tests/twice.cu"), includes: &[] };

static FOLD: Template = Template { name: "fold", text: include_str!("tests/fold.cu"), includes: &[&TWICE] };

const CONSTANTS: [(&str, Literal); 1] = [("FIRST", Literal::Int(7))];
const TYPES: [(&str, Scalar); 1] = [("T", Scalar::U64)];

/// A module with [`PROGRAM`], and the holes that its definitions fill.
struct Filling {
    module: Module,
    records: [(&'static str, RecordId); 1],
    functions: [(&'static str, FunctionId); 1],
}

impl Filling {
    fn new() -> Self {
        let module = testing::module(PROGRAM);
        let records = [("Params", module.record("Launch").expect("there"))];
        let functions = [("value", module.function("element").expect("there"))];
        Self { module, records, functions }
    }
    fn holes(&self) -> Holes<'_> {
        Holes {
            types: &TYPES,
            constants: &CONSTANTS,
            records: &self.records,
            functions: &self.functions,
            kernels: true,
            ..Holes::default()
        }
    }
}

#[test]
fn an_instance_has_its_prefix_and_the_program_in_its_holes() {
    let filling = Filling::new();
    let mut module = filling.module.clone();
    instantiate(&mut module, &FOLD, &Holes { prefix: "my", ..filling.holes() }).expect("instantiates");
    assert_snapshot!(module);
}

#[test]
fn an_opened_template_has_what_it_includes_and_leaves_the_rest_to_the_generator() {
    let text = FOLD
        .text
        .replace("using T = HOLE;\n", "")
        .replace("T* ", "u64* ")
        .replace(" T ", " u64 ")
        .replace("struct Params;", "struct Params { u64* input; };");
    static OPENED: [&Template; 1] = [&TWICE];
    let open_template = Template { name: "open", text: Box::leak(text.into_boxed_str()), includes: &OPENED };
    let mut module = Module::default();
    open_in(&mut module, &open_template, &CONSTANTS).expect("opens");
    let defined = |name: &str| module.function(name).is_some_and(|f| !module.functions[f].is_hole());
    assert!(defined("twice") && defined("fold"));
    assert!(!defined("value"));
    assert_eq!(crate::verify::verify(&module), []);
    let found = open_in(&mut Module::default(), &open_template, &[]).expect_err("its constants are holes");
    assert_eq!(found[0].code, "K0202");
}

#[test]
fn two_instances_live_side_by_side() {
    let filling = Filling::new();
    let mut module = filling.module.clone();
    let holes = Holes { prefix: "first", ..filling.holes() };
    let first = instantiate(&mut module, &FOLD, &holes).expect("instantiates");
    let again = instantiate(&mut module, &FOLD, &holes).expect("the same definitions are one");
    assert_eq!(first, again);
    let second =
        instantiate(&mut module, &FOLD, &Holes { prefix: "second", ..holes.clone() }).expect("instantiates");
    assert_ne!(first.function("fold"), second.function("fold"));
    let no_kernels = Holes { prefix: "third", kernels: false, ..holes };
    let third = instantiate(&mut module, &FOLD, &no_kernels).expect("instantiates");
    assert_eq!(third.functions().map(|(name, _)| name).collect::<Vec<_>>(), ["fold"]);
}

#[test]
fn wrong_fillings_are_refused() {
    let filling = Filling::new();
    let mut module = filling.module.clone();
    let element = filling.functions[0];
    let wrong = [("value", module.function("keep").expect("there"))];
    let more = [element, ("other", element.1)];
    let good = filling.holes();
    let mut code = |template: &Template, holes: &Holes| {
        instantiate(&mut module, template, holes).map_err(|found| found[0].code).expect_err("it is wrong")
    };
    assert_eq!(code(&FOLD, &Holes { records: &[], ..good.clone() }), "K0202");
    assert_eq!(code(&FOLD, &Holes { constants: &[], ..good.clone() }), "K0202");
    assert_eq!(code(&FOLD, &Holes { functions: &[], ..good.clone() }), "K0202");
    assert_eq!(code(&FOLD, &Holes { functions: &more, ..good.clone() }), "K0202");
    assert_eq!(code(&FOLD, &Holes { functions: &wrong, ..good.clone() }), "K0203");
    assert_eq!(code(&FOLD, &Holes { types: &[], ..good.clone() }), "K0007");
    let mut clash = testing::module(&format!("{PROGRAM}__device__ __forceinline__ void fold() {{ }}\n"));
    let found = instantiate(&mut clash, &FOLD, &good).expect_err("it is wrong");
    assert_eq!(found[0].code, "K0204");
    assert_eq!(module, filling.module);
}
