//! Compilation units: kernels of one module that a compiler is given apart from the others, each with no more than it
//! needs.
//!
//! Units are compiled side by side, and a unit whose text does not depend on the program is compiled once for all
//! programs. A large unit comes in several objects, which are compiled side by side as well, and linked.

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
    /// Names of outlined functions that are compiled apart from the kernels, each as an object of its own; those that
    /// the kernels do not need are left out.
    pub apart: Vec<String>,
}

impl Unit {
    /// All kernels of a module as one unit.
    pub fn whole(module: &Module) -> Unit {
        let kernels = module.functions.iter().filter(|function| function.is_kernel());
        let kernels = kernels.map(|kernel| kernel.name.clone()).collect();
        Unit { kernels, rare: false, apart: Vec::new() }
    }

    /// The kernels of this unit in units that compilers take about as long for: a kernel that has so many statements,
    /// functions that it calls included, is alone, and smaller ones are together.
    pub fn by_size(self, module: &Module, enough: usize) -> Vec<Unit> {
        let Unit { kernels, rare, apart } = self;
        let with = |kernels| Unit { kernels, rare, apart: apart.clone() };
        let mut units = Vec::new();
        let (mut small, mut size) = (Vec::new(), 0);
        for kernel in kernels {
            let alone = with(vec![kernel]);
            let statements: usize = alone.of(module).functions.iter().map(Function::statements).sum();
            if statements >= enough {
                units.push(alone);
                continue;
            }
            small.extend(alone.kernels);
            size += statements;
            if size >= enough {
                units.push(with(std::mem::take(&mut small)));
                size = 0;
            }
        }
        if !small.is_empty() {
            units.push(with(small));
        }
        units
    }

    /// The kernels of the unit, and what they need, as a module of their own.
    pub fn of(&self, module: &Module) -> Module {
        let named = module.functions.ids().filter(|&id| self.kernels.contains(&module.functions[id].name));
        extract(module, named, |_| false)
    }

    /// The objects of a module that has what [`of`](Self::of) gives: first that of the kernels, with all outlined
    /// functions that are not
    /// [apart](Self::apart). An outlined function is in one of them, and declared in others.
    pub fn objects(&self, module: &Module) -> Vec<Module> {
        let is_outlined = |id: FunctionId| module.functions[id].kind == FunctionKind::Outlined;
        let is_apart = |id: FunctionId| is_outlined(id) && self.apart.contains(&module.functions[id].name);
        if !module.functions.ids().any(is_apart) {
            return vec![module.clone()];
        }
        let (apart, here): (Vec<_>, Vec<_>) = module.functions.ids().partition(|&id| is_apart(id));
        let is_root = |id: FunctionId| is_outlined(id) || module.functions[id].is_kernel();
        let first = extract(module, here.into_iter().filter(|&id| is_root(id)), is_apart);
        let other = |own: FunctionId| extract(module, [own], |id| is_outlined(id) && id != own);
        std::iter::once(first).chain(apart.into_iter().map(other)).collect()
    }

    /// Registers that a thread may have when as many blocks fit as the kernels of a module ask for, on a multiprocessor
    /// that has so many registers. A function that is compiled apart from its kernel must be told.
    pub fn registers(module: &Module, of_a_multiprocessor: u32) -> u32 {
        const MOST: u32 = 255;
        const STEP: u32 = 8;
        let bound = |function: &Function| match function.kind {
            FunctionKind::Kernel { max_threads, min_blocks } => {
                Some(of_a_multiprocessor / (max_threads * min_blocks).max(1) / STEP * STEP)
            }
            _ => None,
        };
        module.functions.iter().filter_map(bound).min().unwrap_or(MOST).min(MOST)
    }
}

/// Some functions and what they need, as a module of their own; functions that are elsewhere are declared only.
fn extract(
    module: &Module,
    roots: impl IntoIterator<Item = FunctionId>,
    is_elsewhere: impl Fn(FunctionId) -> bool,
) -> Module {
    let mut needed = Needed::none(module);
    roots.into_iter().for_each(|id| needed.functions[id] = true);
    needed.find(&is_elsewhere);
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
        let mut function = linker.counterpart(id);
        if is_elsewhere(id) {
            function = Function { kind: FunctionKind::Hole, body: Block::new(), doc: Vec::new(), ..function };
        }
        linker.functions[id] = Some(into.functions.push(function));
    }
    into
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

    /// Adds what the functions need, those that are elsewhere only for their types. Definitions come before their uses,
    /// so callers and users are looked at first.
    fn find(&mut self, is_elsewhere: &impl Fn(FunctionId) -> bool) {
        let module = self.module;
        for at in (0..module.functions.len()).rev().map(FunctionId::from_index) {
            match self.functions[at] {
                true if is_elsewhere(at) => self.signature(&module.functions[at]),
                true => self.function(&module.functions[at]),
                false => {}
            }
        }
        for at in (0..module.records.len()).rev().map(RecordId::from_index) {
            if self.records[at] {
                module.records[at].fields.iter().for_each(|field| self.ty(field.ty));
            }
        }
    }

    fn signature(&mut self, function: &Function) {
        self.ty(function.result);
        function.params.iter().for_each(|&param| self.ty(function.vars[param].ty));
    }

    fn function(&mut self, function: &Function) {
        self.ty(function.result);
        for var in function.vars.iter() {
            self.ty(var.ty);
            if let Storage::Array(Length::Constant(c)) | Storage::Striped(Length::Constant(c)) = var.storage {
                self.constants[c] = true;
            }
        }
        function.calls().into_iter().for_each(|callee| self.functions[callee] = true);
        each_statement(&function.body, &mut |stmt| {
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
    fn an_outlined_function_is_in_one_object() {
        let module = module_of(
            "struct Used { u32 a; };
            __device__ __forceinline__ u32 twice(u32 a) { return 2u * a; }
            __device__ __noinline__ u32 rare(u32 a) { return a + 1u; }
            __device__ __noinline__ Used one(u32 a) { u32 t = twice(a); u32 r = rare(t); return Used{r}; }
            __device__ __noinline__ Used two(u32 a) { u32 r = rare(a); return Used{r}; }
            __device__ __noinline__ u32 unused(u32 a) { return a; }
            extern \"C\" __global__ void __launch_bounds__(128, 3) run(u32* to) {
                Used u = one(threadIdx.x); Used v = two(u.a); to[threadIdx.x] = v.a; }",
        );
        let apart = ["one", "two", "unused"].map(String::from).to_vec();
        let unit = Unit { apart, ..Unit::whole(&module) };
        let whole = unit.of(&module);
        let objects = unit.objects(&whole);
        let shown: Vec<String> = objects
            .iter()
            .map(|object| {
                let state = |f: &Function| if f.is_hole() { "declared " } else { "" };
                object
                    .functions
                    .iter()
                    .map(|f| format!("{}{}", state(f), f.name))
                    .collect::<Vec<_>>()
                    .join(", ")
            })
            .collect();
        assert_eq!(
            shown,
            ["rare, declared one, declared two, run", "twice, declared rare, one", "declared rare, two"]
        );
        assert_eq!(Unit { apart: Vec::new(), ..unit }.objects(&whole), std::slice::from_ref(&whole));
        assert_eq!(Unit::registers(&whole, 65536), 168);
    }

    #[test]
    fn large_kernels_are_alone() {
        let kernel = |name: &str, statements: usize| {
            let code = "to[threadIdx.x] = 1u; ".repeat(statements);
            format!("extern \"C\" __global__ void __launch_bounds__(32) {name}(u32* to) {{ {code} }}")
        };
        let text = [kernel("a", 2), kernel("b", 9), kernel("c", 4), kernel("d", 5), kernel("e", 1)].concat();
        let module = module_of(&text);
        let units = Unit::whole(&module).by_size(&module, 6);
        let kernels: Vec<String> = units.iter().map(|unit| unit.kernels.concat()).collect();
        assert_eq!(kernels, ["b", "ac", "de"]);
    }

    #[test]
    fn a_unit_has_its_kernels_and_what_they_need() {
        let module = module_of(TEXT);
        let whole = Unit::whole(&module);
        assert_eq!(whole.kernels, ["first", "second"]);
        let all = whole.of(&module);
        assert_eq!(all.functions.len(), 4);
        for (kernel, function, record, constant) in
            [("first", "twice", "Used", "N"), ("second", "more", "Other", "M")]
        {
            let unit = Unit { kernels: vec![kernel.into()], rare: false, apart: Vec::new() }.of(&module);
            assert_eq!(verify_closed(&unit), [], "{unit}");
            let functions: Vec<&str> = unit.functions.iter().map(|f| f.name.as_str()).collect();
            assert_eq!(functions, [function, kernel]);
            assert_eq!(unit.records.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), [record]);
            assert_eq!(unit.constants.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), [constant]);
        }
    }
}
