//! The module of kernels for one program: the template `topology.cu` with its holes filled.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;

use super::codegen::{self, Reports, Runtime, Strategy};
use super::contract::{Format, Host, Names};
use super::system::{HeadKind, System};
use crate::templates;
use gchr_kernel::ir::*;
use gchr_kernel::template::{self, Contract, Template};
use gchr_kernel::{build, verify};

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
    /// Errors that can arise, by the number that the device reports.
    pub(super) reports: Reports,
    /// What host code uses of the module.
    pub(super) host: Host,
}

/// Most arguments and heads that the head word of a slot can hold.
const MAX_ARITY: usize = 255;
const MAX_HEADS: usize = 1 << 16;

/// What the format of slots cannot hold.
fn limits(system: &System) -> Vec<Diagnostic> {
    let refuse = |what: String, most: usize| {
        Diagnostic::error("D0601", what)
            .note(format!("a term slot of the topology scheduler holds at most {most}"))
            .help("use --scheduler tasks or --device cpu, or split the symbol or the program")
    };
    let mut found = Vec::new();
    // The head of conjunctions is as wide as the widest symbol, which is told.
    let mut named = system.heads.iter().filter(|head| head.kind != HeadKind::All);
    if let Some(wide) = named.find(|head| head.arity > MAX_ARITY) {
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
    kernels_of(&templates::TOPOLOGY, system, program, sources, strategy, collector)
}

/// [`kernels`] with another text in place of the template `topology.cu`.
fn kernels_of(
    topology: &Template,
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
    let text = template::parsed(topology, &[])?;
    let format = Format::of(&text, "topology")?;
    let collector = match collector {
        Collector::None => 0,
        Collector::Queue => format.collect_queue,
        Collector::Compact => format.collect_compact,
    };
    let constants = [("RELAXED", relaxed), ("COLLECTOR", Literal::Int(collector.into()))];
    let mut module = templates::open(topology, program, &constants)?;
    widen(&mut module, system.max_arity);
    relax_occupancy(&mut module, system);
    // Holes that are filled by one function leave the others where they are.
    let names = Names::of(&module)?;
    let f = names.functions;
    for hole in [f.first_waiting, f.retain_arguments, f.release_arguments, f.renamed] {
        let function =
            codegen::argument_function(hole, Runtime { module: &module, names: &names }, system.max_arity);
        let name = function.name.clone();
        build::fill_hole(&mut module, &name, vec![function]);
    }
    let runtime = Runtime { module: &module, names: &names };
    let (functions, reports) = codegen::rewrite_functions(system, program, sources, strategy, runtime);
    build::fill_hole(&mut module, "rewrite", functions);
    let broken = verify::verify_closed(&module);
    if !broken.is_empty() {
        return Err(broken);
    }
    let host = Host::of(&module)?;
    Ok(Kernels { module, reports, host })
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
    use gchr_kernel::testing::{names_of_contract, renamed};

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
    fn a_name_that_the_template_lacks_is_an_error() {
        let text = "map F: Int -> Int; var N: Int; eqn F(N) = N; input F(1);";
        let module = module(text, Strategy::Relaxed, Collector::Queue);
        let found = names_of_contract(&module, |module| {
            Host::of(module)?;
            Names::of(module).map(|_| ())
        });
        for name in [
            "STOP",
            "GARBAGE",
            "MUST_GROW",
            "MARKED",
            "HEAD_MASK",
            "block_counts",
            "max_applied",
            "write_root",
        ] {
            assert!(found.iter().any(|found| found == name), "{name} is not part of {found:?}");
        }
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let system = System::new(&program);
        for (name, other) in [("STOP", "HALT"), ("nf_read", "nf_before"), ("give_back", "drop_slot")] {
            let text = renamed(templates::TOPOLOGY.text, name, other);
            let includes = templates::TOPOLOGY.includes;
            let template = Template { name: "topology", text: text.leak(), includes };
            let (strategy, collector) = (Strategy::Relaxed, Collector::Queue);
            let found = kernels_of(&template, &system, &program, &sources, strategy, collector);
            let found = found.err().expect("the name is missing");
            assert_eq!(found[0].code, "K0205");
            assert!(found.iter().any(|d| d.message.contains(&format!("`{name}`"))), "{found:?}");
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
        let found = made(&text(256)).err().expect("too wide");
        let found: Vec<_> = found.iter().map(|d| (d.code, d.message.as_str())).collect();
        assert_eq!(found, [("D0601", "Wide has 256 arguments")]);
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
