//! Cuts large functions of a module into smaller ones, for compilers that get them as objects of a
//! [unit](crate::Unit), side by side.
//!
//! A compiler inlines all that a kernel calls, and takes time that grows faster than the text. Here functions stay
//! functions of their own where a caller would be larger than wanted with them inside. Results do not change.

use gchr_base::ids::{Id, IdVec};

use crate::ir::*;

/// How finely a module is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Statements that a function should have at most, those of inlined functions included.
    pub most: usize,
    /// Statements that a function has at least that is worth a call, and an object.
    pub least: usize,
}

/// Makes functions outlined, the largest ones first, until each function has no more statements than wanted or calls
/// only small ones. Gives their names, in the order of the module.
pub fn outline(module: &mut Module, cut: Cut) -> Vec<String> {
    let calls: IdVec<FunctionId, Vec<FunctionId>> = module.functions.iter().map(Function::calls).collect();
    let own: IdVec<FunctionId, usize> = module.functions.iter().map(Function::statements).collect();
    let mut sizes = sizes(module, &own, &calls);
    let mut outlined = Vec::new();
    // Definitions come before their uses: a function's size is final when a caller is looked at, but for functions
    // that the caller has in common with it.
    for caller in module.functions.ids() {
        while sizes[caller] > cut.most {
            let times = times(caller, module, &calls);
            let candidates = module.functions.ids().filter(|&id| times[id] > 0 && sizes[id] >= cut.least);
            let largest = candidates.max_by_key(|&id| sizes[id].saturating_mul(times[id]));
            let Some(largest) = largest else { break };
            module.functions[largest].kind = FunctionKind::Outlined;
            outlined.push(largest);
            sizes = self::sizes(module, &own, &calls);
        }
    }
    outlined.sort_by_key(|id| id.index());
    outlined.into_iter().map(|id| module.functions[id].name.clone()).collect()
}

/// Statements of each function with all that is inlined into it.
fn sizes(
    module: &Module,
    own: &IdVec<FunctionId, usize>,
    calls: &IdVec<FunctionId, Vec<FunctionId>>,
) -> IdVec<FunctionId, usize> {
    let mut sizes: IdVec<FunctionId, usize> = IdVec::new();
    for (id, own) in own.iter_enumerated() {
        let inlined = |callee: &&FunctionId| module.functions[**callee].kind == FunctionKind::Device;
        // Recursion is refused by the verifier.
        let callees = calls[id].iter().filter(inlined).filter(|callee| callee.index() < id.index());
        let size = callees.fold(*own, |size, &callee| size.saturating_add(sizes[callee]));
        sizes.push(size);
    }
    sizes
}

/// How often each function is inlined into one.
fn times(
    caller: FunctionId,
    module: &Module,
    calls: &IdVec<FunctionId, Vec<FunctionId>>,
) -> IdVec<FunctionId, usize> {
    let mut times: IdVec<FunctionId, usize> = module.functions.iter().map(|_| 0).collect();
    for id in (0..=caller.index()).rev().map(FunctionId::from_index) {
        let here = if id == caller { 1 } else { times[id] };
        for &callee in calls[id].iter().filter(|_| here > 0) {
            if module.functions[callee].kind == FunctionKind::Device {
                times[callee] = times[callee].saturating_add(here);
            }
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::module as module_of;

    /// A function of so many statements that calls others.
    fn function(name: &str, statements: usize, calls: &[&str]) -> String {
        let calls: String = calls.iter().map(|callee| format!("{callee}(to); ")).collect();
        let code = "to[threadIdx.x] = 1u; ".repeat(statements - calls.matches(';').count());
        format!("__device__ __forceinline__ void {name}(u32* to) {{ {code}{calls}}}\n")
    }

    #[test]
    fn functions_are_outlined_until_their_callers_are_as_small_as_wanted() {
        let kernel = "extern \"C\" __global__ void __launch_bounds__(32) run(u32* to) { twice(to); large(to); small(to); }";
        let text = [
            function("small", 4, &[]),
            function("middle", 10, &[]),
            function("large", 30, &[]),
            function("twice", 5, &["middle", "middle", "small"]),
        ];
        let module = module_of(&(text.concat() + kernel));
        let outlined = |most, least| {
            let mut module = module.clone();
            let names = outline(&mut module, Cut { most, least });
            assert_eq!(crate::verify::verify_closed(&module), []);
            for function in module.functions.iter() {
                assert_eq!(function.kind == FunctionKind::Outlined, names.contains(&function.name));
            }
            names
        };
        // 30 of `large`, 29 of `twice`, 4 of `small` and 3 calls.
        assert_eq!(outlined(66, 5), [""; 0]);
        assert_eq!(outlined(65, 5), ["large"]);
        assert_eq!(outlined(35, 5), ["large", "twice"]);
        assert_eq!(outlined(28, 5), ["middle", "large"]);
        assert_eq!(outlined(0, 5), ["middle", "large", "twice"]);
        assert_eq!(outlined(0, 1), ["small", "middle", "large", "twice"]);
    }
}
