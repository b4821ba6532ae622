//! `everywhere` blocks as votes and shuffles.
//!
//! A lane that sleeps cannot be woken on a GPU, so the code around an `everywhere` block keeps all lanes of the warp awake: an `if`
//! becomes a variable that says whether the lane is *on*, a loop goes on while any lane is, a jump turns lanes off. Code without
//! `everywhere` stays as it is, below `if (on)`. At the block the lanes that are on are collected by a vote; for each of them, in
//! lane order, its captures are shuffled to all lanes and the body runs. Functions with `everywhere` blocks, or calls of such
//! functions, are called by all lanes and told which of them are on.
//!
//! This is the semantics of Moreira, Collange, Pereira, "Definição Semântica de Blocos Everywhere para Programação SIMD" (rules EB
//! and EE), with the context stack compiled away.

use gchr_base::ids::Id;

use super::vars::*;
use crate::ir::rewrite::each_statement_mut;
use crate::ir::*;

mod convert;

use convert::Converter;

const ALL_LANES: u32 = u32::MAX;

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

/// Whether the block wakes up lanes, itself or through a call.
fn contains(block: &[Stmt], wakes: &[bool]) -> bool {
    let mut found = false;
    flow::each_statement(block, &mut |stmt| found |= wakes_up(stmt, wakes));
    found
}

fn wakes_up(stmt: &Stmt, wakes: &[bool]) -> bool {
    match &stmt.kind {
        StmtKind::Everywhere { .. } => true,
        StmtKind::Effect { effect: Effect::Call { function, .. }, .. } => {
            wakes.get(function.index()).copied().unwrap_or(false)
        }
        _ => false,
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

/// Replaces declarations directly in the block by plain writes; returns the declared variables.
fn undeclare(block: &mut [Stmt], declared: &mut Vec<VarId>) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Effect { result: Some(target @ Target::Declare(_)), .. } => {
                if let Target::Declare(var) = *target {
                    declared.push(var);
                    *target = Target::Assign(var);
                }
            }
            StmtKind::Declare { var, value: Some(value) } => {
                declared.push(*var);
                let place = Place { base: PlaceBase::Var(*var), field: None, ty: value.ty };
                let value = value.clone();
                stmt.kind = StmtKind::Assign { place, value };
            }
            _ => {}
        }
    }
}

/// Whether a jump in the block leaves it: a `return`, or a `break` or `continue` of a loop around it.
fn escapes(block: &[Stmt], in_loop: bool) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Break | StmtKind::Continue => !in_loop,
        StmtKind::While { body, .. } | StmtKind::For { body, .. } => escapes(body, true),
        StmtKind::Everywhere { .. } => false,
        _ => stmt.blocks().into_iter().any(|b| escapes(b, in_loop)),
    })
}

/// Generated statements come from where the statement that they stand for does.
fn inherit(block: &mut [Stmt], origin: &Origin) {
    each_statement_mut(block, &mut |stmt| {
        if stmt.origin.line.is_none() {
            stmt.origin.line = origin.line;
        }
    });
}
