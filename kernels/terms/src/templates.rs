//! The templates of the schedulers of terms.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Program;
use gchr_kernel::ir::{Literal, Module};
use gchr_kernel::template::{self, Holes, Template};
use gchr_runtime::codegen::applies;
use gchr_runtime::templates::{ARITHMETIC, GRID_BARRIER, OFFSETS, TEXTS};

/// Cells given back by counts of references.
pub static CELLS: Template =
    Template { name: "cells", text: include_str!("../templates/cells.cu"), includes: &[] };

/// Cells found by tracing and shifted, in order, to the front.
pub static TRACE: Template = Template {
    name: "trace",
    text: concat!(
        include_str!("../templates/trace.cu"),
        "\n",
        include_str!("../templates/trace_chains.cu"),
        "\n",
        include_str!("../templates/trace_compact.cu")
    ),
    includes: &[&GRID_BARRIER, &OFFSETS],
};

/// Depth-first evaluation of calls with lazy task creation.
pub static TASKS: Template = Template {
    name: "tasks",
    text: concat!(
        include_str!("../templates/tasks.cu"),
        "\n",
        include_str!("../templates/tasks_cells.cu"),
        "\n",
        include_str!("../templates/tasks_frames.cu"),
        "\n",
        include_str!("../templates/tasks_run.cu")
    ),
    includes: &[&ARITHMETIC, &CELLS],
};

/// Topology-driven term rewriting: one thread a term slot.
pub static TOPOLOGY: Template = Template {
    name: "topology",
    text: include_str!("../templates/topology.cu"),
    includes: &[&GRID_BARRIER, &ARITHMETIC],
};

/// All templates of this crate.
pub static ALL: [&Template; 4] = [&CELLS, &TRACE, &TASKS, &TOPOLOGY];

/// The module of a scheduler for a program, with the functions of the operators that it uses.
pub(crate) fn open(
    scheduler: &Template,
    program: &Program,
    constants: &[(&str, Literal)],
) -> Result<Module, Vec<Diagnostic>> {
    let mut module = Module::default();
    if applies(program, |op, _, _| op.is_of_texts()) {
        template::instantiate(&mut module, &TEXTS, &Holes::default())?;
    }
    template::open_in(&mut module, scheduler, constants)?;
    Ok(module)
}
