//! `everywhere` blocks as votes and shuffles.
//!
//! A lane that sleeps cannot be woken on a GPU, so the code around an `everywhere` block keeps all lanes of the warp
//! awake: an `if` becomes a variable that says whether the lane is *on*, a loop goes on while any lane is, a jump turns
//! lanes off. Code without
//! `everywhere` stays as it is, below `if (on)`. At the block the lanes that are on are collected by a vote; for each
//! of them, in lane order, its captures are shuffled to all lanes and the body runs. Functions with `everywhere`
//! blocks, or calls of such functions, are called by all lanes and told which of them are on.
//!
//! This is the semantics of Moreira, Collange, Pereira, "Definição Semântica de Blocos Everywhere para Programação
//! SIMD" (rules EB and EE), with the context stack compiled away.

use gchr_base::ids::Id;

use crate::ir::*;

mod convert;
mod queries;

use convert::Converter;
use queries::contains;

/// Rewrites all `everywhere` blocks of the module.
pub fn everywhere(module: &mut Module) {
    let mut wakes = vec![false; module.functions.len()];
    for id in module.functions.ids() {
        wakes[id.index()] = contains(&module.functions[id].body, &wakes);
    }
    // Callers see callees with their new parameter.
    for id in module.functions.ids().filter(|id| wakes[id.index()]) {
        let function = function(module, id, &wakes);
        module.functions[id] = function;
    }
}

fn function(module: &Module, id: FunctionId, wakes: &[bool]) -> Function {
    let mut function = module.functions[id].clone();
    let body = std::mem::take(&mut function.body);
    let mut converter = Converter::new(module, function, wakes);
    let body = if converter.function.is_kernel() { converter.kernel(body) } else { converter.device(body) };
    let Converter { mut function, hoisted, .. } = converter;
    function.body = hoisted;
    function.body.extend(body);
    function.renumber();
    function
}
