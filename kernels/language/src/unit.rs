//! Compilation units: kernels of one module that a compiler is given apart from the others, each with no more than it needs.
//!
//! Units are compiled side by side, and a unit whose text does not depend on the program is compiled once for all programs.

use gchr_base::ids::{Id, IdVec};

use crate::ir::flow::each_statement;
use crate::ir::*;
use crate::link::Linker;

/// Kernels that are compiled together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Their names.
    pub kernels: Vec<String>,
    /// Whether few runs launch them: they are compiled when one does.
    pub rare: bool,
}

impl Unit {
    /// The only unit of a module: all its kernels.
    pub fn whole(module: &Module) -> Vec<Unit> {
        let kernels = module.functions.iter().filter(|function| function.is_kernel());
        vec![Unit { kernels: kernels.map(|kernel| kernel.name.clone()).collect(), rare: false }]
    }

    /// The kernels of the unit, and what they need, as a module of their own.
    pub fn of(&self, module: &Module) -> Module {
        let mut needed = Needed::none(module);
        let named = module.functions.ids().filter(|&id| self.kernels.contains(&module.functions[id].name));
        named.for_each(|id| needed.functions[id] = true);
        needed.find();
        let mut linker = Linker::new(module);
        let mut into = Module::default();
        // Nothing of another name is there yet: linking into an empty module finds no two definitions of one name.
        for (id, record) in module.records.iter_enumerated().filter(|(id, _)| needed.records[*id]) {
            let mut record = record.clone();
            record.fields.iter_mut().for_each(|field| field.ty = linker.ty(field.ty));
            linker.records[id] = Some(into.records.push(record));
        }
        for (id, constant) in module.constants.iter_enumerated().filter(|(id, _)| needed.constants[*id]) {
            linker.constants[id] = Some(into.constants.push(constant.clone()));
        }
        for id in module.functions.ids().filter(|&id| needed.functions[id]) {
            let function = linker.counterpart(id);
            linker.functions[id] = Some(into.functions.push(function));
        }
        into
    }
}

/// What some functions of a module need.
struct Needed<'m> {
    module: &'m Module,
    records: IdVec<RecordId, bool>,
    constants: IdVec<ConstantId, bool>,
    functions: IdVec<FunctionId, bool>,
}

impl<'m> Needed<'m> {
    fn none(module: &'m Module) -> Self {
        Self {
            module,
            records: module.records.iter().map(|_| false).collect(),
            constants: module.constants.iter().map(|_| false).collect(),
            functions: module.functions.iter().map(|_| false).collect(),
        }
    }

    /// Adds what the functions need. Definitions come before their uses, so callers and users are looked at first.
    fn find(&mut self) {
        let module = self.module;
        for at in (0..module.functions.len()).rev().map(FunctionId::from_index) {
            if self.functions[at] {
                self.function(&module.functions[at]);
            }
        }
        for at in (0..module.records.len()).rev().map(RecordId::from_index) {
            if self.records[at] {
                module.records[at].fields.iter().for_each(|field| self.ty(field.ty));
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.ty(function.result);
        for var in function.vars.iter() {
            self.ty(var.ty);
            if let Storage::Array(Length::Constant(c)) | Storage::Striped(Length::Constant(c)) = var.storage {
                self.constants[c] = true;
            }
        }
        each_statement(&function.body, &mut |stmt| {
            if let StmtKind::Effect { effect: Effect::Call { function, .. }, .. } = &stmt.kind {
                self.functions[*function] = true;
            }
            stmt.exprs().into_iter().for_each(|expr| self.expr(expr));
        });
    }

    fn expr(&mut self, expr: &Expr) {
        self.ty(expr.ty);
        if let ExprKind::Constant(constant) = expr.kind {
            self.constants[constant] = true;
        }
        expr.operands().into_iter().for_each(|operand| self.expr(operand));
    }

    fn ty(&mut self, ty: Type) {
        if let Type::Record(record) | Type::Records(_, record) = ty {
            self.records[record] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::module as module_of;
    use crate::verify::verify_closed;

    const TEXT: &str = "
        struct Used { u32 a; };
        struct Other { u32 a; u32 b; };
        constexpr u32 N = 3u;
        constexpr u32 M = 4u;
        __device__ __forceinline__ u32 twice(u32 a) { return 2u * a; }
        __device__ __forceinline__ u32 more(u32 a) { return a + M; }
        extern \"C\" __global__ void __launch_bounds__(32) first(u32* to, Used used) { u32 t = twice(used.a); to[threadIdx.x] = t + N; }
        extern \"C\" __global__ void __launch_bounds__(32) second(u32* to, Other other) { u32 t = more(other.b); to[threadIdx.x] = t; }";

    #[test]
    fn a_unit_has_its_kernels_and_what_they_need() {
        let module = module_of(TEXT);
        let whole = Unit::whole(&module);
        assert_eq!(whole[0].kernels, ["first", "second"]);
        let all = whole[0].of(&module);
        assert_eq!(all.functions.len(), 4);
        for (kernel, function, record, constant) in
            [("first", "twice", "Used", "N"), ("second", "more", "Other", "M")]
        {
            let unit = Unit { kernels: vec![kernel.into()], rare: false }.of(&module);
            assert_eq!(verify_closed(&unit), [], "{unit}");
            let functions: Vec<&str> = unit.functions.iter().map(|f| f.name.as_str()).collect();
            assert_eq!(functions, [function, kernel]);
            assert_eq!(unit.records.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), [record]);
            assert_eq!(unit.constants.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), [constant]);
        }
    }
}
