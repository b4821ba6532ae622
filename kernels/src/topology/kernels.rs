//! The module of kernels for one program: the template `topology.cu` with its holes filled.

use gchr_core::diagnostic::Diagnostic;
use gchr_core::rule::Program;
use gchr_core::source::SourceMap;

use super::codegen::{self, Sites, Strategy};
use super::system::System;
use crate::ir::*;
use crate::{build, text, verify};

/// What happens to slots that nothing refers to any more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Collector {
    /// Nothing.
    None,
    /// They are collected on a stack and used again.
    Queue,
    /// They are shifted out now and then; the order of the others stays.
    Compact,
}

impl Collector {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Collector::None => "none",
            Collector::Queue => "queue",
            Collector::Compact => "compact",
        }
    }
}

/// Kernels of a program, and what its host code must know of them.
pub struct Kernels {
    /// All kernels and functions.
    pub module: Module,
    /// Where arithmetic errors can arise, by the number that the device reports.
    pub sites: Sites,
}

/// Makes the kernels. Fails only when the template itself is broken.
pub fn kernels(
    system: &System,
    program: &Program,
    sources: &SourceMap,
    strategy: Strategy,
    collector: Collector,
) -> Result<Kernels, Vec<Diagnostic>> {
    let mut texts = SourceMap::new();
    let id = texts.add("topology.cu", include_str!("../../templates/topology.cu"));
    let mut module = text::parse(&texts, id)?;
    widen(&mut module, system.max_arity);
    relax_occupancy(&mut module, system.max_arity);
    fill(&mut module, "RELAXED", u64::from(strategy == Strategy::Relaxed));
    fill(&mut module, "COLLECTOR", collector as u64);
    for hole in ["first_waiting", "retain_arguments", "release_arguments", "renamed"] {
        let function = codegen::argument_function(hole, &module, system.max_arity);
        build::fill_hole(&mut module, hole, vec![function]);
    }
    let (functions, sites) = codegen::rewrite_functions(system, program, sources, strategy, &module);
    build::fill_hole(&mut module, "rewrite", functions);
    let broken = verify::verify_closed(&module);
    if broken.is_empty() { Ok(Kernels { module, sites }) } else { Err(broken) }
}

fn fill(module: &mut Module, constant: &str, value: u64) {
    if let Some(id) = module.constant(constant) {
        module.constants[id].value = ConstantValue::Given(Literal::Int(value));
    }
}

/// Lets the kernel have more registers when slots are wide, so that none are spilled.
fn relax_occupancy(module: &mut Module, max_arity: usize) {
    let blocks = if max_arity <= 3 { 3 } else { 1 };
    for function in module.functions.iter_mut() {
        if let FunctionKind::Kernel { min_blocks, .. } = &mut function.kind {
            *min_blocks = blocks;
        }
    }
}

/// Gives the slot record as many argument words as the program needs, filled up to a multiple of 16 bytes.
fn widen(module: &mut Module, max_arity: usize) {
    let Some(term) = module.record("Term") else { return };
    let words = (1 + max_arity).next_multiple_of(4);
    let fields = &mut module.records[term].fields;
    for k in fields.len()..words {
        fields.push(Field { name: format!("a{}", k - 1), ty: Type::U32 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str, strategy: Strategy, collector: Collector) -> Module {
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let loaded = gchr_trs::load(&sources, id);
        let program = loaded.program.expect("the program is right");
        let system = System::new(&program);
        match kernels(&system, &program, &sources, strategy, collector) {
            Ok(kernels) => kernels.module,
            Err(found) => panic!("{}", gchr_core::diagnostic::render_all(&found, &sources, false)),
        }
    }

    #[test]
    fn plus() {
        let text = "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
            var X, Y : Nat;
            eqn Plus(Zero(), Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
            input Plus(S(Zero()), Zero());";
        for strategy in [Strategy::Innermost, Strategy::Relaxed] {
            println!("{}", module(text, strategy, Collector::Queue));
        }
    }
}
