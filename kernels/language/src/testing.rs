//! Modules for the tests of this workspace, behind the feature `testing`: from text, at random, with their holes
//! filled.

pub mod random;

use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_base::source::SourceMap;

use crate::ir::{
    ConstantValue, Expr, Field, Function, FunctionKind, Literal, Module, Scalar, StmtKind, Type,
};

/// The module of a text that is known to be good.
pub fn module(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let id = sources.add("test.cu", text);
    match crate::text::parse(&sources, id) {
        Ok(module) => module,
        Err(found) => panic!("{}", render_all(&found, &sources, false)),
    }
}

/// Fills open holes with something.
pub fn fill(module: &mut Module) {
    for constant in module.constants.iter_mut().filter(|c| c.value == ConstantValue::Hole) {
        constant.value = ConstantValue::Given(match constant.ty {
            Scalar::Bool => Literal::Bool(true),
            Scalar::F64 => Literal::Float(1.5),
            _ => Literal::Int(7),
        });
    }
    for record in module.records.iter_mut().filter(|r| r.is_hole()) {
        record.fields.push(Field { name: "unused".into(), ty: Type::U32 });
    }
    for id in module.functions.ids() {
        if module.functions[id].is_hole() {
            let body = zero(module, module.functions[id].result).map(|z| StmtKind::Return(Some(z)).into());
            let function: &mut Function = &mut module.functions[id];
            function.kind = FunctionKind::Device;
            function.body.extend(body);
        }
    }
}

fn zero(module: &Module, ty: Type) -> Option<Expr> {
    crate::lower::zero(module, ty)
}

/// A text in which a word is another one.
pub fn renamed(text: &str, word: &str, other: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        result.push_str(before);
        result.push_str(if whole { other } else { word });
        rest = after;
    }
    result + rest
}

/// The names of constants, fields, parameters of kernels and functions without which `resolve` fails: each is renamed
/// in turn.
///
/// # Panics
/// When an error does not say the name.
pub fn names_of_contract(
    module: &Module,
    resolve: impl Fn(&Module) -> Result<(), Vec<Diagnostic>>,
) -> Vec<String> {
    assert_eq!(resolve(module).err(), None, "nothing is missing");
    let mut found = Vec::new();
    let mut check = |name: &str, without: &mut dyn FnMut(&mut Module)| {
        let mut changed = module.clone();
        without(&mut changed);
        if let Err(errors) = resolve(&changed) {
            let says = errors.iter().any(|e| e.code == "K0205" && e.message.contains(&format!("`{name}`")));
            assert!(says, "{name}: {errors:?}");
            found.push(name.to_string());
        }
    };
    for (id, constant) in module.constants.iter_enumerated() {
        check(&constant.name, &mut |m| m.constants[id].name.push_str("_renamed"));
    }
    for (id, record) in module.records.iter_enumerated() {
        for (at, field) in record.fields.iter().enumerate() {
            check(&field.name, &mut |m| m.records[id].fields[at].name.push_str("_renamed"));
        }
    }
    for (id, function) in module.functions.iter_enumerated() {
        check(&function.name, &mut |m| m.functions[id].name.push_str("_renamed"));
        for &param in function.params.iter().filter(|_| function.is_kernel()) {
            check(&function.vars[param].name, &mut |m| {
                m.functions[id].vars[param].name.push_str("_renamed");
            });
        }
    }
    found
}
