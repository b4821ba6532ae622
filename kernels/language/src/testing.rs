//! Modules for the tests of this workspace, behind the feature `testing`: from text, at random, with their holes filled.

pub mod random;

use gchr_base::diagnostic::render_all;
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
