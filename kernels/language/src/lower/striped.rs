//! Striped arrays in shared memory: element `i` of a thread's own array lies next to element `i` of the others, so that
//! threads which work at different places of theirs do not meet in a bank. (In local memory they would touch a line
//! each.)

use gchr_base::hash::HashSet;

use crate::build;
use crate::ir::rewrite::each_statement_mut;
use crate::ir::*;

/// Makes striped arrays shared arrays of all threads of a block, and indices count in steps of the block's size.
pub fn striped(module: &mut Module) {
    let arrays = arrays(module);
    let mut threads = 0;
    for &(id, var) in &arrays {
        if let FunctionKind::Kernel { max_threads, .. } = module.functions[id].kind {
            threads = threads.max(max_threads);
        }
        let Storage::Striped(length) = module.functions[id].vars[var].storage else { continue };
        let Some(each) = elements(module, length) else { continue };
        module.functions[id].vars[var].storage = Storage::Striped(Length::Literal(each));
    }
    if arrays.is_empty() || threads == 0 {
        return;
    }
    let stripes = reached(module, arrays);
    for id in module.functions.ids() {
        let own: HashSet<VarId> = stripes.iter().filter(|(f, _)| *f == id).map(|&(_, var)| var).collect();
        if !own.is_empty() {
            function(&mut module.functions[id], &own, threads);
        }
    }
}

fn elements(module: &Module, length: Length) -> Option<u32> {
    match length {
        Length::Literal(n) => Some(n),
        Length::Constant(id) => match module.constants.get(id)?.value {
            ConstantValue::Given(Literal::Int(n)) => u32::try_from(n).ok(),
            _ => None,
        },
    }
}

fn arrays(module: &Module) -> Vec<(FunctionId, VarId)> {
    let of = |(id, function): (FunctionId, &Function)| {
        let striped = function.vars.iter_enumerated();
        let striped = striped.filter(|(_, var)| matches!(var.storage, Storage::Striped(_)));
        striped.map(|(var, _)| (id, var)).collect::<Vec<_>>()
    };
    module.functions.iter_enumerated().flat_map(of).collect()
}

/// The arrays, and the parameters of functions that they are handed to.
fn reached(module: &Module, arrays: Vec<(FunctionId, VarId)>) -> HashSet<(FunctionId, VarId)> {
    let mut found: HashSet<(FunctionId, VarId)> = arrays.into_iter().collect();
    loop {
        let mut more = Vec::new();
        for (id, caller) in module.functions.iter_enumerated() {
            flow::each_statement(&caller.body, &mut |stmt| {
                let StmtKind::Effect { effect: Effect::Call { function, args }, .. } = &stmt.kind else {
                    return;
                };
                for (arg, &param) in args.iter().zip(&module.functions[*function].params) {
                    if matches!(arg.kind, ExprKind::Var(var) if found.contains(&(id, var))) {
                        more.push((*function, param));
                    }
                }
            });
        }
        let before = found.len();
        found.extend(more);
        if found.len() == before {
            return found;
        }
    }
}

fn function(function: &mut Function, own: &HashSet<VarId>, threads: u32) {
    for &id in own {
        let var = &mut function.vars[id];
        var.ty = shared(var.ty);
        if let Storage::Striped(Length::Literal(each)) = var.storage {
            var.storage = Storage::Array(Length::Literal(each * threads));
        }
    }
    let is_own = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if own.contains(&var));
    each_statement_mut(&mut function.body, &mut |stmt| {
        stmt.exprs_mut(&mut |e| {
            e.rewrite(&mut |e| match &mut e.kind {
                ExprKind::Var(var) if own.contains(var) => e.ty = shared(e.ty),
                ExprKind::Element { buffer, index } if is_own(buffer) => stride(index, threads),
                _ => {}
            });
        });
        let place = match &mut stmt.kind {
            StmtKind::Assign { place, .. } | StmtKind::Own { place, .. } => place,
            _ => return,
        };
        if let PlaceBase::Element { buffer, index } = &mut place.base
            && is_own(buffer)
        {
            stride(index, threads);
        }
    });
}

fn shared(ty: Type) -> Type {
    match ty {
        Type::Buffer(Space::Local, scalar) => Type::Buffer(Space::Shared, scalar),
        Type::Records(Space::Local, record) => Type::Records(Space::Shared, record),
        other => other,
    }
}

/// The index of the thread's own element among those of all threads.
fn stride(index: &mut Expr, threads: u32) {
    let each = std::mem::replace(index, build::u32(0));
    let first = build::binary(BinaryOp::Mul, each, build::u32(threads));
    let thread = Expr::new(ExprKind::Special(Special::ThreadInBlock), Type::U32);
    *index = build::binary(BinaryOp::Add, first, thread);
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use crate::testing::module;

    #[test]
    fn a_striped_array_is_shared_by_the_block() {
        let mut lowered = module(
            "__device__ __forceinline__ void push(in_local u32* to, u32 at) {\n\
             to[at] = to[at + 1u];\n}\n\
             extern \"C\" __global__ void __launch_bounds__(64) k(u32* out) {\n\
             __striped__ u32 mine[8];\nmine[0u] = 1u;\npush(mine, 2u);\nout[threadIdx.x] = mine[mine[0u]];\n}",
        );
        assert_eq!(crate::verify::verify(&lowered), vec![]);
        super::striped(&mut lowered);
        assert_eq!(crate::verify::verify(&lowered), vec![]);
        assert_snapshot!(lowered, @r#"
        __device__ __forceinline__ void push(in_shared u32* to, u32 at) {
            to[at * 64u + threadIdx.x] = to[(at + 1u) * 64u + threadIdx.x];
        }

        extern "C" __global__ void __launch_bounds__(64) k(u32* out) {
            __shared__ u32 mine[512];
            mine[0u * 64u + threadIdx.x] = 1u;
            push(mine, 2u);
            out[threadIdx.x] = mine[mine[0u * 64u + threadIdx.x] * 64u + threadIdx.x];
        }
        "#);
    }
}
