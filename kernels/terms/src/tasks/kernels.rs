//! The module of kernels for one program: the template `tasks.cu` with its holes filled.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_terms::plan::{ClassId, TermPlan};

use super::codegen::{self, Part, Pieces, Reports, Runtime, Sources};
use super::contract::{ClassFields, Formats, Generated, Host, Names};
use super::equality::Equality;
use super::frames::Shape;
use super::phases::has_phases;
use super::shapes::CellLayoutTable;
use super::states::States;
use super::tracing::Tracing;
use crate::templates;
use gchr_kernel::ir::*;
use gchr_kernel::template::{FieldId, Template};
use gchr_kernel::{Unit, build, verify};

/// Kernels of a program, and what its host code must know of them.
pub struct Kernels {
    /// All kernels and functions.
    pub module: Module,
    /// Errors, by the numbers that the device reports.
    pub reports: Reports,
    /// Sizes of frames, tasks and joins.
    pub shape: Shape,
    /// What cells look like to the functions that give them back; none when no cell is given back.
    pub shapes: Option<CellLayoutTable>,
    /// What the collector must know when cells are found by tracing.
    pub tracing: Option<Tracing>,
    /// By function of the plan: the number of the state at its entry.
    pub entries: IdVec<gchr_terms::plan::FunctionId, u32>,
    /// Blocks a multiprocessor of a GPU with which the program takes the least time, as far as its code tells.
    pub blocks: u32,
    /// Whether the lanes of a warp share with each other before they share with others: parallel work comes in phases.
    pub phases: bool,
    /// The pieces of each kernel that are compiled apart from it: of the usual one, and of that of threads in safepoint
    /// mode.
    apart: [Vec<String>; 2],
    /// Numbers of the templates.
    pub(super) formats: Formats,
    /// What host code uses of the module.
    pub(super) host: Host,
}

impl Kernels {
    /// What is compiled apart: the collector, which is the same for most programs, for runs that fill their memory; and
    /// what only those need that have hardly any memory left.
    pub fn units(&self) -> Vec<Unit> {
        if self.tracing.is_none() {
            return vec![Unit { apart: self.apart.concat(), ..Unit::whole(&self.module) }];
        }
        let [usual, safepoints] = self.apart.clone();
        let unit = |name: &str, rare, apart| Unit { kernels: vec![name.to_string()], rare, apart };
        let collector = self.host.collector.as_ref().map(|(_, kernel)| unit(kernel.name(), true, Vec::new()));
        let run = [unit(self.host.run.name(), false, usual), unit(SAFEPOINT_KERNEL, true, safepoints)];
        run.into_iter().chain(collector).collect()
    }
}

/// Choices that do not change results.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tuning {
    /// Frames that a thread's stack holds; the rest of a deep recursion is in device memory.
    pub stack_frames: Option<u32>,
    /// Cells that nothing refers to are found by tracing and shifted out when memory is full, for plans that do not
    /// give them back.
    pub compact: bool,
    /// Whether lanes of a warp share with each other first, in place of what suits the program.
    pub phases: Option<bool>,
    /// How the program's code is cut into functions.
    pub pieces: Pieces,
    /// Pairs of cells after which a comparison may be refused; a power of two.
    pub compared: Option<u32>,
}

/// Pairs of cells after which a comparison is refused that looks at some again and again: on a GPU, 8 seconds of a
/// thread.
const COMPARED: u32 = 1 << 22;

/// Blocks a multiprocessor, if there are registers and shared memory for so many. While lanes wait for memory, and for
/// each other, other warps go on.
const BLOCKS: u32 = 4;
/// Blocks a multiprocessor for programs without loops between their calls that work on large frames: the more threads
/// do, the longer it takes (queens of 14 on an H200, 11 words: 7.2 ms with two, 8.2 with three, 10.1 with four; build
/// and fold of 2^24 leaves, 8 words: 3.6, 3.1 and 2.9).
const BLOCKS_OF_LARGE_FRAMES: u32 = 2;
/// Blocks a multiprocessor for programs whose parallel work comes in phases: the fewer threads there are, the sooner
/// all have some (bitonic sort of 2^20 leaves: 50.3 ms with four, 47.5 with three).
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
    kernels_of(&templates::TASKS, plan, program, sources, tuning)
}

/// [`kernels`] with another text in place of the template `tasks.cu`.
fn kernels_of(
    tasks: &Template,
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
    let formats = Formats::of(tasks)?;
    let shape = Shape::new(&states, tuning.stack_frames, compact, formats.tasks);
    let shapes = match &plan.references {
        Some(references) => Some(CellLayoutTable::new(&plan.layout, references, formats.cells)?),
        None => None,
    };
    let phases = tuning.phases.unwrap_or_else(|| has_phases(plan));
    let lists = formats.cells.list_head + formats.cells.list_words * plan.layout.classes.len() as u32;
    let sizes = [lists, tuning.compared.unwrap_or(COMPARED)];
    let constants = constants(&states, &shape, sizes, [compact, shapes.is_some(), phases]);
    let mut module = templates::open(tasks, program, &constants)?;
    let generated = widen(&mut module, plan, &shape, shapes.is_some(), equality.branches());
    let names = Names::of(&module, generated)?;
    if !shape.striped {
        keep_local(&mut module);
    }
    let tracing = if compact { Some(Tracing::new(&states, &shape, formats.trace)?) } else { None };
    let (shapes_of, tracing_of) = (shapes.as_ref(), tracing.as_ref());
    let runtime =
        Runtime { module: &module, names: &names, shape: &shape, shapes: shapes_of, tracing: tracing_of };
    for function in codegen::holes(runtime) {
        fill(&mut module, function);
    }
    let mut reports = Reports::default();
    let runtime =
        Runtime { module: &module, names: &names, shape: &shape, shapes: shapes_of, tracing: tracing_of };
    let from = Sources { states: &states, equality: &equality, runtime, program, sources };
    let work = Work::of(from, tuning.pieces, &mut reports);
    let blocks = if phases {
        BLOCKS_OF_PHASES
    } else if shape.stride <= SMALL_FRAME || work.loops {
        BLOCKS
    } else {
        BLOCKS_OF_LARGE_FRAMES
    };
    let apart = work.fill(&mut module, &names);
    if let Some(tracing) = &tracing {
        tracing.add(&mut module)?;
        add_safepoint_mode(&mut module);
    }
    let broken = verify::verify_closed(&module);
    let entries = states.entries.iter().map(|&state| shape.state_number(state)).collect();
    if broken.is_empty() {
        let host = Host::of(&module, &names.generated, tracing.is_some())?;
        Ok(Kernels { module, reports, shape, shapes, tracing, entries, blocks, phases, apart, formats, host })
    } else {
        Err(broken)
    }
}

/// The constants of the template. The sizes: words for a thread's lists of free cells, and pairs of cells after which a
/// comparison may be refused.
fn constants(
    states: &States<'_>,
    shape: &Shape,
    [lists, compared]: [u32; 2],
    [compact, counted, phases]: [bool; 3],
) -> [(&'static str, Literal); 16] {
    [
        ("STRIDE", shape.stride),
        ("STACK", shape.stack),
        ("HALF", shape.half()),
        ("TASK", shape.task()),
        ("JOIN", shape.join()),
        ("CHUNK", shape.chunk()),
        ("SPLITS", states.splits() as u32),
        ("SINGLE", states.single_splits() as u32),
        ("LISTS", lists),
        ("COMPARED_MASK", compared - 1),
        ("COMPACT", u32::from(compact)),
        ("COUNTED", u32::from(counted)),
        ("PHASES", u32::from(phases)),
        ("MIN_FRAMES_MANY_IDLE", if phases { 2 } else { 4 }),
        ("MIN_FRAMES_FEW_IDLE", if phases { 4 } else { 8 }),
        ("POLL_STEPS", if phases { 1 } else { 2 }),
    ]
    .map(|(name, value)| (name, Literal::Int(u64::from(value))))
}

/// The functions that do a program's work, for the template's holes.
struct Work {
    /// By hole, in the order of the template.
    parts: Vec<(&'static str, Vec<Function>)>,
    /// Names of the pieces: of the usual parts, and of those for threads in safepoint mode.
    pieces: [Vec<String>; 2],
    /// Names of the functions that split frames, where they have code of their own.
    splits: Vec<String>,
    /// Whether the usual code of a step goes round anywhere.
    loops: bool,
    /// Whether what has code of its own is compiled apart.
    apart: bool,
}

impl Work {
    fn of(from: Sources<'_, '_>, sizes: Pieces, reports: &mut Reports) -> Self {
        let outlined = |functions: &[Function]| -> Vec<String> {
            let outlined = functions.iter().filter(|function| function.kind == FunctionKind::Outlined);
            outlined.map(|function| function.name.clone()).collect()
        };
        let (mut parts, mut pieces, mut loops) = (Vec::new(), [Vec::new(), Vec::new()], false);
        for pops in [false, true] {
            let [usual, stopping] = [false, true].map(|safepoints| Part { pops, safepoints });
            let stopping = from.runtime.tracing.is_some().then_some(stopping);
            let mut functions = Vec::new();
            for part in stopping.into_iter().chain([usual]) {
                let made = codegen::part(part, from, functions.len(), sizes, reports);
                loops |= !part.safepoints && made.iter().any(|function| has_loops(&function.body));
                pieces[usize::from(part.safepoints)].extend(outlined(&made));
                functions.extend(made);
            }
            parts.push((usual.hole(), functions));
        }
        let split = codegen::promote(from.states, from.runtime, sizes.apart);
        let splits = outlined(&split);
        parts.push((codegen::PROMOTE, split));
        Self { parts, pieces, splits, loops, apart: sizes.apart }
    }

    /// Fills the holes. Gives the functions that are compiled apart from each kernel: the usual one, and that of
    /// threads in safepoint mode.
    fn fill(self, module: &mut Module, names: &Names) -> [Vec<String>; 2] {
        let Self { parts, mut pieces, splits, apart, .. } = self;
        // The last hole first: what is put into one moves what comes behind it.
        for (hole, functions) in parts.into_iter().rev() {
            build::fill_hole(module, hole, functions);
        }
        let (params, machine) = (names.params.record, names.machine.record);
        codegen::narrow(module, "UsedRegisters", &pieces.concat(), params, machine);
        codegen::narrow(module, "SplitRegisters", &splits, params, machine);
        if !apart {
            return Default::default();
        }
        outline(module, "task_number");
        pieces.iter_mut().for_each(|pieces| pieces.extend_from_slice(&splits));
        pieces
    }
}

/// Gives a function code of its own, in place of a copy at each call.
fn outline(module: &mut Module, name: &str) {
    if let Some(function) = module.function(name) {
        module.functions[function].kind = FunctionKind::Outlined;
    }
}

fn fill(module: &mut Module, function: Function) {
    let name = function.name.clone();
    build::fill_hole(module, &name, vec![function]);
}

/// The kernel of threads in safepoint mode.
pub(super) const SAFEPOINT_KERNEL: &str = "run_with_safepoints";

/// Adds the kernel of threads in safepoint mode: the same as the usual one, but for the code of states and resume
/// points. As many blocks of it fit as of the other one, since threads of one go on with what threads of the other have
/// saved.
fn add_safepoint_mode(module: &mut Module) {
    const WORK: &str = "work_with_safepoints";
    let parts = [false, true].map(|pops| Part { pops, safepoints: true });
    let instead = parts.map(|part| (part.hole(), part.name()));
    build::copy_function(module, "work", WORK, &instead);
    build::copy_function(module, "run", SAFEPOINT_KERNEL, &[("work", WORK)]);
    if let Some(kernel) = module.functions.iter_mut().last()
        && let FunctionKind::Kernel { min_blocks, .. } = &mut kernel.kind
    {
        *min_blocks = BLOCKS;
    }
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
fn widen(module: &mut Module, plan: &TermPlan, shape: &Shape, counts: bool, compares: bool) -> Generated {
    let mut machine = Widening::of(module, "Machine");
    let destination = shape.destination.iter().map(|name| machine.add(name.to_string(), Type::U32)).collect();
    let words = (0..shape.words).map(|k| machine.add(format!("w{k}"), Type::U32)).collect();
    let numbers = (0..shape.numbers).map(|k| machine.add(format!("n{k}"), Type::U64)).collect();
    let uncounted = classes(plan).filter(|_| !counts);
    let cursors = uncounted.map(|c| machine.add(format!("c{}", c.index()), Type::U32)).collect();
    let compared = compares.then(|| machine.add("compared".into(), Type::U32));
    let mut params = Widening::of(module, "Params");
    let declared = params.declared;
    let of_class = |c: ClassId| {
        let mut add = |name: &str| params.add(format!("{name}{}", c.index()), Type::U32);
        let (base, limit) = (add("base"), add("limit"));
        ClassFields { base, limit, counted: counts.then(|| (add("mark"), add("shared"))) }
    };
    let classes = classes(plan).map(of_class).collect();
    Generated { destination, words, numbers, cursors, compared, classes, declared }
}

/// A record that gets more fields. One that the template lacks is reported with the other names of the template.
struct Widening<'m> {
    fields: Option<&'m mut Vec<Field>>,
    declared: usize,
}

impl<'m> Widening<'m> {
    fn of(module: &'m mut Module, record: &str) -> Self {
        let fields = match module.record(record) {
            Some(id) => Some(&mut module.records[id].fields),
            None => None,
        };
        let declared = fields.as_ref().map_or(0, |fields| fields.len());
        Self { fields, declared }
    }

    fn add(&mut self, name: String, ty: Type) -> FieldId {
        let Some(fields) = &mut self.fields else { return FieldId(0) };
        fields.push(Field { name, ty });
        FieldId(fields.len() as u32 - 1)
    }
}

/// The size classes of a plan.
pub(super) fn classes(plan: &TermPlan) -> impl Iterator<Item = ClassId> + '_ {
    plan.layout.classes.ids()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_kernel::testing::{names_of_contract, renamed};
    use gchr_terms::plan::{TermOptions, compile};

    fn made(text: &str, tuning: Tuning) -> Kernels {
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let plan = compile(&program, &TermOptions::tasks(!tuning.compact)).expect("the plan compiles");
        kernels(&plan, &program, &sources, tuning).expect("kernels are generated")
    }

    /// Every name that Rust uses of the templates: without it no kernels are made, and the error says which one it is.
    #[test]
    fn a_name_that_the_templates_lack_is_an_error() {
        let text = "sort L = struct N() | C(Int, L); map F: Int -> L; var N: Int;
            eqn N > 0 -> F(N) = C(N, F(N - 1)); F(N) = N(); input F(9);";
        let Kernels { module, .. } = made(text, Tuning { compact: true, ..Tuning::default() });
        let generated = Generated { declared: 31, ..Generated::default() };
        let found = names_of_contract(&module, |module| {
            Host::of(module, &generated, true)?;
            Names::of(module, generated.clone()).map(|_| ())
        });
        for name in [
            "STOP",
            "NEXT_CHUNK",
            "COLLECT",
            "IN_USE",
            "WIDE",
            "split_threshold",
            "code_words",
            "state",
            "alloc_cell",
            "compact",
        ] {
            assert!(found.iter().any(|found| found == name), "{name} is not part of {found:?}");
        }
    }

    #[test]
    fn a_template_that_breaks_the_contract_gives_no_kernels() {
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", "map F: Int -> Int; var N: Int; eqn F(N) = N; input F(1);");
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let plan = compile(&program, &TermOptions::tasks(true)).expect("the plan compiles");
        for (name, other) in [
            ("STOP", "HALT"),
            ("JOIN_HEAD", "JOIN_WORDS"),
            ("split_threshold", "threshold"),
            ("publish", "complete"),
        ] {
            let text = renamed(templates::TASKS.text, name, other);
            let template = Template { name: "tasks", text: text.leak(), includes: templates::TASKS.includes };
            let found = kernels_of(&template, &plan, &program, &sources, Tuning::default());
            let found = found.err().expect("the name is missing");
            assert_eq!(found[0].code, "K0205");
            assert!(found.iter().any(|d| d.message.contains(&format!("`{name}`"))), "{found:?}");
        }
    }

    /// A program of so many functions that call each other.
    fn many_functions(count: usize) -> String {
        let mut text = String::from("sort T = struct L(Int) | N(T, T) | U(T); var A, B: T; I, J: Int; map ");
        (0..count).for_each(|i| text.push_str(&format!("F{i}: T # Int -> T; ")));
        text.push_str("eqn ");
        for i in 0..count {
            let (n, m) = ((i * 7 + 3) % count, (i * 5 + 1) % count);
            text.push_str(&format!("F{i}(L(I), J) = L((I * {} + J) mod 1009); ", i + 3));
            text.push_str(&format!("F{i}(N(A, B), J) = N(F{n}(A, J + 1), F{m}(B, J + 2)); "));
            text.push_str(&format!("F{i}(U(A), J) = U(F{m}(A, J)); "));
        }
        text.push_str("input F0(N(L(1), U(L(2))), 3);");
        text
    }

    /// The size of the code follows the number of functions, however many there are, and no function of it is large.
    #[test]
    fn code_grows_with_the_program() {
        let size = |count| {
            let module = made(&many_functions(count), Tuning { compact: true, ..Tuning::default() }).module;
            (module.to_string().len(), module.largest_function())
        };
        let ((small, _), (large, most)) = (size(20), size(80));
        assert!(large < 4 * small + small / 2, "{small} bytes for 20 functions, {large} for 80");
        assert!(most < 2000, "{most} statements in one function");
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
        let module = made(&many_functions(150), Tuning { compact: true, ..Tuning::default() }).module;
        let outlined: Vec<_> = module.functions.iter().filter(|f| f.kind == FunctionKind::Outlined).collect();
        for name in ["enter_0", "enter_1", "pop_0", "enter_with_safepoints_0", "pop_with_safepoints_0"] {
            assert!(outlined.iter().any(|f| f.name == name), "a large program comes in pieces: {name}");
        }
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
