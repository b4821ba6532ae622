//! The templates of the schedulers of terms.

use gchr_kernel::template::Template;
use gchr_runtime::templates::{ARITHMETIC, GRID_BARRIER, OFFSETS};

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
