//! What holds for the text of every template.

use std::iter::repeat_n;

use gchr_base::source::SourceMap;
use gchr_kernel::ir::Scalar;
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
