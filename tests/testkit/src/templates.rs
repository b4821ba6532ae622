//! What holds for the text of every template, and what kernels have beside the texts of their templates.

use std::collections::BTreeSet;
use std::iter::repeat_n;

use gchr_base::source::SourceMap;
use gchr_kernel::ir::{FunctionKind, Module, Scalar};
use gchr_kernel::template::{Template, parsed};
use gchr_kernel::text::parse;

/// Templates print as they were read, and each of their device functions has a contract in its comment.
pub fn are_well_formed(templates: &[&Template]) {
    for template in templates {
        let open = usize::from(template.text.contains("using T"));
        for ty in [Scalar::U32, Scalar::U64, Scalar::I64, Scalar::F64] {
            let types: Vec<_> = repeat_n(("T", ty), open).collect();
            let module =
                parsed(template, &types).unwrap_or_else(|found| panic!("{}: {found:#?}", template.name));
            let mut sources = SourceMap::new();
            let id = sources.add("again.cu", module.to_string());
            assert_eq!(parse(&sources, id).as_ref(), Ok(&*module), "{}", template.name);
            for function in module.functions.iter().filter(|f| !f.is_kernel()) {
                assert!(!function.doc.is_empty(), "{}: {}", template.name, function.name);
            }
        }
    }
}

/// The functions of kernels that were generated for a program: all but those that their templates define.
pub fn generated_functions(kernels: &Module, templates: &[&Template]) -> String {
    let mut defined = BTreeSet::new();
    templates.iter().for_each(|template| add_defined(template, &mut defined));
    let generated = kernels.functions.iter().filter(|f| !f.is_kernel() && !defined.contains(&f.name));
    let starts: Vec<String> = generated.map(|f| format!(" {}(", f.name)).collect();
    let text = kernels.to_string();
    let is_generated = |block: &&str| {
        let head = block.lines().find(|line| line.contains("__device__"));
        head.is_some_and(|head| starts.iter().any(|start| head.contains(start)))
    };
    text.split("\n\n").filter(is_generated).collect::<Vec<_>>().join("\n\n")
}

/// Adds the names of the functions that a template and those that it includes have a body for.
fn add_defined(template: &Template, names: &mut BTreeSet<String>) {
    let open = usize::from(template.text.contains("using T"));
    let types: Vec<_> = repeat_n(("T", Scalar::U32), open).collect();
    let module = parsed(template, &types).unwrap_or_else(|found| panic!("{}: {found:#?}", template.name));
    let functions = module.functions.iter().filter(|f| f.kind != FunctionKind::Hole);
    names.extend(functions.map(|f| f.name.clone()));
    template.includes.iter().for_each(|included| add_defined(included, names));
}
