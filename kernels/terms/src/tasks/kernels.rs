//! The module of kernels for one program: the template `tasks.cu` with its holes filled.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_terms::plan::{ClassId, TermPlan};

use super::codegen::{self, Part, Reports, Runtime, Shape};
use super::equality::Equality;
use super::phases::has_phases;
use super::shapes::Shapes;
use super::states::States;
use super::tracing::Tracing;
use crate::templates;
use gchr_kernel::ir::*;
use gchr_kernel::{build, template, verify};

/// Kernels of a program, and what its host code must know of them.
pub struct Kernels {
    /// All kernels and functions.
    pub module: Module,
    /// Errors, by the numbers that the device reports.
    pub reports: Reports,
    /// Sizes of frames, tasks and joins.
    pub shape: Shape,
    /// What cells look like to the functions that give them back; none when no cell is given back.
    pub shapes: Option<Shapes>,
    /// What the collector must know when cells are found by tracing.
    pub tracing: Option<Tracing>,
    /// By function of the plan: the number of the state at its entry.
    pub entries: IdVec<gchr_terms::plan::FunctionId, u32>,
    /// Blocks a multiprocessor of a GPU with which the program takes the least time, as far as its code tells.
    pub blocks: u32,
    /// Whether the lanes of a warp share with each other before they share with others: parallel work comes in phases.
    pub phases: bool,
}

/// Choices that do not change results.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tuning {
    /// Frames that a thread's stack holds; the rest of a deep recursion is in device memory.
    pub stack_frames: Option<u32>,
    /// Cells that nothing refers to are found by tracing and shifted out when memory is full, for plans that do not give them back.
    pub compact: bool,
    /// Whether lanes of a warp share with each other first, in place of what suits the program.
    pub phases: Option<bool>,
}

/// Blocks a multiprocessor, if there are registers and shared memory for so many. While lanes wait for memory, and for each other, other
/// warps go on.
const BLOCKS: u32 = 4;
/// Blocks a multiprocessor for programs without loops between their calls that work on large frames: the more threads do, the longer it
/// takes (queens of 14 on an H200, 11 words: 7.2 ms with two, 8.2 with three, 10.1 with four; build and fold of
/// 2^24 leaves, 8 words: 3.6, 3.1 and 2.9).
const BLOCKS_OF_LARGE_FRAMES: u32 = 2;
/// Blocks a multiprocessor for programs whose parallel work comes in phases: the fewer threads there are, the sooner all have some (bitonic
/// sort of 2^20 leaves: 50.3 ms with four, 47.5 with three).
const BLOCKS_OF_PHASES: u32 = 3;
/// Words of a frame that is not large.
const SMALL_FRAME: u32 = 8;

/// Makes the kernels of a plan compiled with `TermOptions::tasks`.
pub fn kernels(
    plan: &TermPlan,
    program: &Program,
    sources: &SourceMap,
    tuning: Tuning,
) -> Result<Kernels, Vec<Diagnostic>> {
    let mut plan = plan.clone();
    let equality = Equality::add(&mut plan, program.signature.booleans);
    let plan = &plan;
    let compact = tuning.compact && plan.references.is_none();
    let states = States::new(plan, &equality, compact);
    let shape = Shape::new(&states, tuning.stack_frames, compact);
    let shapes = match &plan.references {
        Some(references) => Some(Shapes::new(&plan.layout, references)?),
        None => None,
    };
    let phases = tuning.phases.unwrap_or_else(|| has_phases(plan));
    let constants = [
        ("STRIDE", shape.stride),
        ("STACK", shape.stack),
        ("HALF", shape.half()),
        ("TASK", shape.task()),
        ("JOIN", shape.join()),
        ("CHUNK", shape.chunk()),
        ("SPLITS", states.splits() as u32),
        ("SINGLE", states.single_splits() as u32),
        ("LISTS", 1 + 4 * plan.layout.classes.len() as u32),
        ("COMPACT", u32::from(compact)),
        ("COUNTED", u32::from(shapes.is_some())),
        ("PHASES", u32::from(phases)),
        ("DEEP", if phases { 2 } else { 4 }),
        ("DEEPER", if phases { 4 } else { 8 }),
        ("FEW", if phases { 1 } else { 2 }),
    ];
    let constants = constants.map(|(name, value)| (name, Literal::Int(u64::from(value))));
    let mut module = template::open(&templates::TASKS, &constants)?;
    widen(&mut module, plan, &shape, shapes.is_some());
    if !shape.striped {
        keep_local(&mut module);
    }
    let tracing = if compact { Some(Tracing::new(&states, &shape)?) } else { None };
    let (shapes_of, tracing_of) = (shapes.as_ref(), tracing.as_ref());
    let runtime = Runtime { module: &module, shape: &shape, shapes: shapes_of, tracing: tracing_of };
    for function in codegen::holes(&states, runtime) {
        fill(&mut module, function);
    }
    let mut reports = Reports::default();
    let runtime = Runtime { module: &module, shape: &shape, shapes: shapes_of, tracing: tracing_of };
    let mut parts: Vec<(&str, Vec<Function>)> = Vec::new();
    let mut loops = false;
    for pops in [false, true] {
        let mut part = |careful| {
            let part = Part { pops, careful };
            codegen::part(part, &states, &equality, runtime, program, sources, &mut reports)
        };
        let careful = compact.then(|| part(true));
        let usual = part(false);
        loops |= has_loops(&usual.body);
        parts.push((Part { pops, careful: false }.hole(), careful.into_iter().chain([usual]).collect()));
    }
    let blocks = if phases {
        BLOCKS_OF_PHASES
    } else if shape.stride <= SMALL_FRAME || loops {
        BLOCKS
    } else {
        BLOCKS_OF_LARGE_FRAMES
    };
    // The last hole first: what is put into one moves what comes behind it.
    for (hole, functions) in parts.into_iter().rev() {
        build::fill_hole(&mut module, hole, functions);
    }
    if let Some(tracing) = &tracing {
        tracing.add(&mut module, &shape)?;
    }
    let broken = verify::verify_closed(&module);
    let entries = states.entries.iter().map(|&state| codegen::state_number(state)).collect();
    if broken.is_empty() {
        Ok(Kernels { module, reports, shape, shapes, tracing, entries, blocks, phases })
    } else {
        Err(broken)
    }
}

fn fill(module: &mut Module, function: Function) {
    let name = function.name.clone();
    build::fill_hole(module, &name, vec![function]);
}

/// Whether the generated code of a step goes round anywhere, besides popping frames: that loop has a condition.
fn has_loops(body: &Block) -> bool {
    let forever = ExprKind::Literal(Literal::Bool(true));
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        for stmt in block {
            match &stmt.kind {
                StmtKind::While { condition, .. } if condition.kind == forever => return true,
                _ => blocks.extend(stmt.blocks()),
            }
        }
    }
    false
}

/// Leaves stacks that are too large for shared memory in local memory.
fn keep_local(module: &mut Module) {
    let vars = module.functions.iter_mut().flat_map(|function| function.vars.iter_mut());
    for var in vars {
        if let Storage::Striped(length) = var.storage {
            var.storage = Storage::Array(length);
        }
    }
}

/// Gives the records what depends on the program: argument registers, cursors of allocation, places of the classes.
fn widen(module: &mut Module, plan: &TermPlan, shape: &Shape, counts: bool) {
    let mut machine = Vec::new();
    machine.extend(shape.context.iter().map(|name| (name.to_string(), Type::U32)));
    machine.extend((0..shape.words).map(|k| (format!("w{k}"), Type::U32)));
    machine.extend((0..shape.numbers).map(|k| (format!("n{k}"), Type::U64)));
    if !counts {
        machine.extend(classes(plan).map(|c| (format!("c{}", c.index()), Type::U32)));
    }
    let of_class: &[&str] = if counts { &["base", "limit", "mark", "shared"] } else { &["base", "limit"] };
    let params = classes(plan).flat_map(|c| of_class.iter().map(move |name| format!("{name}{}", c.index())));
    let params: Vec<_> = params.map(|name| (name, Type::U32)).collect();
    for (record, fields) in [("Machine", machine), ("Params", params)] {
        let Some(id) = module.record(record) else { continue };
        module.records[id].fields.extend(fields.into_iter().map(|(name, ty)| Field { name, ty }));
    }
}

/// The size classes of a plan.
pub(super) fn classes(plan: &TermPlan) -> impl Iterator<Item = ClassId> + '_ {
    plan.layout.classes.ids()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_terms::plan::{TermOptions, compile};

    fn made(text: &str, tuning: Tuning) -> Kernels {
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let plan = compile(&program, &TermOptions::tasks(!tuning.compact)).expect("the plan compiles");
        kernels(&plan, &program, &sources, tuning).expect("kernels are generated")
    }

    fn blocks(text: &str) -> u32 {
        made(text, Tuning::default()).blocks
    }

    /// See `machine_of_parts`: a compiler may lose what is written to such a copy.
    #[test]
    fn functions_with_code_of_their_own_copy_no_record() {
        fn copies(block: &Block, param: VarId) -> bool {
            block.iter().any(|stmt| match &stmt.kind {
                StmtKind::Declare { value: Some(value), .. } | StmtKind::Assign { value, .. } => {
                    value.kind == ExprKind::Var(param)
                }
                _ => stmt.blocks().into_iter().any(|block| copies(block, param)),
            })
        }
        let module = made(
            include_str!("../../../../examples/floyd.trs"),
            Tuning { compact: true, ..Tuning::default() },
        )
        .module;
        let outlined: Vec<_> = module.functions.iter().filter(|f| f.kind == FunctionKind::Outlined).collect();
        assert!(outlined.iter().any(|f| f.name == "careful_enter"), "threads can be careful");
        for function in outlined {
            let records = function.params.iter().filter(|&&p| matches!(function.vars[p].ty, Type::Record(_)));
            for &param in records {
                assert!(
                    !copies(&function.body, param),
                    "{} copies {}",
                    function.name,
                    function.vars[param].name
                );
            }
        }
    }

    #[test]
    fn large_frames_without_loops_between_calls_get_fewer_blocks() {
        let fib = "map Fib: Int -> Int; var N: Int;
            eqn N < 2 -> Fib(N) = N; Fib(N) = Fib(N - 1) + Fib(N - 2); input Fib(9);";
        assert_eq!(blocks(fib), BLOCKS);
        let large = "map F: Int # Int # Int # Int # Int -> Int; var A, B, C, D, E: Int;
            eqn A < 2 -> F(A, B, C, D, E) = B + C + D + E;
                F(A, B, C, D, E) = F(A - 1, B, C, D, E) + F(A - 2, C, D, E, B) + A * B * C * D * E; input F(9, 1, 2, 3, 4);";
        assert_eq!(blocks(large), BLOCKS_OF_LARGE_FRAMES);
        let loops =
            "map F: Int # Int # Int # Int # Int -> Int; Sum: Int # Int -> Int; var A, B, C, D, E, N, S: Int;
            eqn A < 2 -> F(A, B, C, D, E) = Sum(9, B + C + D + E);
                F(A, B, C, D, E) = F(A - 1, B, C, D, E) + F(A - 2, C, D, E, B) + A * B * C * D * E;
                Sum(0, S) = S; Sum(N, S) = Sum(N - 1, S + N); input F(9, 1, 2, 3, 4);";
        assert_eq!(blocks(loops), BLOCKS);
    }
}
