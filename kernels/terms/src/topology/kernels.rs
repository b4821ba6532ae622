//! The module of kernels for one program: the template `topology.cu` with its holes filled.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;

use super::codegen::{self, Strategy};
use super::system::System;
use crate::templates;
use gchr_kernel::ir::*;
use gchr_kernel::{build, template, verify};
use gchr_runtime::codegen::Sites;

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

/// Most arguments and heads that the head word of a slot can hold.
const MAX_ARITY: usize = 255;
const MAX_HEADS: usize = 1 << 16;

/// What the format of slots cannot hold.
fn limits(system: &System) -> Vec<Diagnostic> {
    let refuse = |what: String, most: usize| {
        Diagnostic::error("D0601", what)
            .note(format!("a term slot of the topology scheduler holds at most {most}"))
            .help("use --device cpu, or split the symbol or the program")
    };
    let mut found = Vec::new();
    if let Some(wide) = system.heads.iter().find(|h| h.arity > MAX_ARITY) {
        found.push(refuse(format!("{} has {} arguments", wide.name, wide.arity), MAX_ARITY));
    }
    if system.heads.len() > MAX_HEADS {
        found.push(refuse(
            format!("the program has {} symbols and conditions", system.heads.len()),
            MAX_HEADS,
        ));
    }
    found
}

/// Makes the kernels. Fails when the program has symbols that slots cannot hold.
pub fn kernels(
    system: &System,
    program: &Program,
    sources: &SourceMap,
    strategy: Strategy,
    collector: Collector,
) -> Result<Kernels, Vec<Diagnostic>> {
    let found = limits(system);
    if !found.is_empty() {
        return Err(found);
    }
    let relaxed = Literal::Int(u64::from(strategy == Strategy::Relaxed));
    let constants = [("RELAXED", relaxed), ("COLLECTOR", Literal::Int(collector as u64))];
    let mut module = template::open(&templates::TOPOLOGY, &constants)?;
    widen(&mut module, system.max_arity);
    relax_occupancy(&mut module, system);
    for hole in ["first_waiting", "retain_arguments", "release_arguments", "renamed"] {
        let function = codegen::argument_function(hole, &module, system.max_arity);
        build::fill_hole(&mut module, hole, vec![function]);
    }
    let (functions, sites) = codegen::rewrite_functions(system, program, sources, strategy, &module);
    build::fill_hole(&mut module, "rewrite", functions);
    let broken = verify::verify_closed(&module);
    if broken.is_empty() { Ok(Kernels { module, sites }) } else { Err(broken) }
}

/// Values of a right-hand side beyond which three blocks a multiprocessor leave too few registers.
const MANY_VALUES: usize = 16;

/// Lets the kernel have more registers when slots are wide or right-hand sides large, so that none are spilled.
fn relax_occupancy(module: &mut Module, system: &System) {
    let equations = system.heads.iter().flat_map(|head| &head.equations);
    let values = equations.map(|e| e.graph.nodes.len()).max().unwrap_or(0);
    let blocks = match system.max_arity {
        0..=3 if values <= MANY_VALUES => 3,
        0..=3 => 2,
        _ => 1,
    };
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
            Err(found) => panic!("{}", gchr_base::diagnostic::render_all(&found, &sources, false)),
        }
    }

    #[test]
    fn slots_that_are_too_wide_are_refused() {
        let text = |n: usize| {
            let (sorts, zeros) = (vec!["T"; n].join(", "), vec!["Zero"; n].join(", "));
            format!(
                "sort T = struct Zero() | Wide({sorts}) | F(T); var X : T; eqn F(X) = X; input F(Wide({zeros}));"
            )
        };
        let made = |text: &str| {
            let mut sources = SourceMap::new();
            let id = sources.add("test.trs", text);
            let program = gchr_trs::load(&sources, id).program.expect("the program is right");
            kernels(&System::new(&program), &program, &sources, Strategy::Innermost, Collector::Queue)
        };
        assert!(made(&text(20)).is_ok());
        let codes: Vec<_> = made(&text(256)).err().expect("too wide").iter().map(|d| d.code).collect();
        assert_eq!(codes, ["D0601"]);
    }

    #[test]
    fn plus() {
        let text = "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
            var X, Y : Nat;
            eqn Plus(Zero(), Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
            input Plus(S(Zero()), Zero());";
        for strategy in [Strategy::Innermost, Strategy::Relaxed] {
            let text = module(text, strategy, Collector::Queue).to_string();
            let code: Vec<_> =
                text.split("\n\n").filter(|f| f.contains(" rewrite_9_Plus(Params p")).collect();
            insta::assert_snapshot!(format!("plus_{}", strategy.name()), code.join("\n\n"));
        }
    }
}
