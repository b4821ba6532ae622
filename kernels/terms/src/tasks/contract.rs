//! What Rust uses of the templates `tasks.cu`, `cells.cu` and `trace.cu`: each name stands once, in the template.

use gchr_base::diagnostic::Diagnostic;
use gchr_kernel::contract;
use gchr_kernel::device::{BufferId, Value};
use gchr_kernel::ir::Module;
use gchr_kernel::template::{Contract, FieldId, KernelLayout, RecordLayout, Resolver, Template, parsed};

use crate::templates;

contract! {
    /// Numbers of `tasks.cu` by which the sizes of a program's tasks, frames and joins are chosen.
    pub constants TaskFormat: u32 {
        /// State of a thread that brings a value.
        returns,
        /// State of a thread without work.
        idle,
        /// State of a thread that has left.
        ended,
        /// The first state that is generated code.
        first_state,
        /// No ticket, no chunk.
        none,
        /// Word of a task with its return address.
        task_return,
        /// Words of a task before its arguments.
        task_head,
        /// Word of a join with its return address.
        join_return,
        /// Word of a join with the value for its resume point.
        join_value,
        /// Word of a join with a value that nobody needs.
        join_unused,
        /// Words of a join before its frame.
        join_head,
        /// Joins that a thread takes at a time.
        joins,
        /// Words of a saved thread beside its task and its stack.
        saved,
        /// Flag of return addresses of roots.
        root,
        /// Words of `control` for each class.
        cells_stride,
    }

    /// Numbers of `cells.cu`: words of a class in the table of cell layouts, of a ring, of a thread's lists.
    pub constants CellFormat: u32 {
        /// Words of a class.
        class_words,
        /// Word of a class: word of cell 0.
        class_base,
        /// Word of a class: words of a cell.
        class_stride,
        /// Word of a class: the last cell that lives as long as the run.
        class_mark,
        /// Word of a class: its first word in `shared`.
        class_shared,
        /// Word of a class: its first place in the ring.
        class_ring,
        /// Word of a class: places in the ring minus 1.
        class_ring_mask,
        /// Word of a class: cells of a batch.
        class_batch,
        /// Flag of a sort whose cells are counted.
        counted_sort,
        /// Words of a sort before the places of its variants.
        sort_tags,
        /// Word of a variant: number of its fields.
        variant_fields,
        /// Words of a variant before its fields.
        variant_head,
        /// Words of the counters of a ring.
        ring_words,
        /// Words of a thread's lists before those of the classes.
        list_head,
        /// Words of a thread's lists for each class.
        list_words,
    }

    /// Numbers of `trace.cu`: words of a class, of a shape and of the list of chains in `map`.
    pub constants TraceFormat: usize {
        /// Words of a class.
        trace_class,
        /// Word of a class: word of cell 0.
        trace_base,
        /// Word of a class: words of a cell.
        trace_stride,
        /// Word of a class: its cells.
        trace_cells,
        /// Word of a class: its first word in `codes`.
        trace_codes,
        /// Word of a class: place of its shapes.
        trace_shapes,
        /// Word of a class: the last cell that lives as long as the run.
        trace_mark,
        /// Words of a sort before the places of its shapes.
        trace_tags,
        /// Word of a shape: its code.
        shape_code,
        /// Word of a shape: number of its fields.
        shape_fields,
        /// Words of a shape before its fields.
        shape_head,
        /// Word of the list of chains: splitters of all shapes.
        chain_splitters,
        /// Words of the list of chains before its shapes.
        chain_head,
        /// Word of a resume point or a state: its destination.
        entry_destination,
        /// Word of a resume point or a state: number of its variables.
        entry_variables,
        /// Words of a resume point or a state before its variables.
        entry_head,
        /// Words of the buffer `work`.
        work_words,
    }

    /// Words of `control`.
    pub(super) constants Control: usize {
        tail,
        next_root,
        left,
        stop,
        next_join,
        next_chunk,
        full,
        cells,
    }

    /// Words of `counts`.
    pub(super) constants Counts: usize {
        applied,
        promotions,
        spills,
        in_use,
        count_words,
    }

    /// Why a launch is over.
    pub(super) constants Stop: u32 {
        done,
        asked,
        must_grow,
        collect,
    }

    /// Arguments of the scheduler's kernel. Generated fields of classes follow.
    pub(super) record Params of "Params" {
        heap: BufferId,
        pairs: BufferId,
        quads: BufferId,
        records: BufferId,
        shared: BufferId,
        shapes: BufferId,
        pool: BufferId,
        roots: BufferId,
        results: BufferId,
        queue: BufferId,
        turns: BufferId,
        joins: BufferId,
        chunks: BufferId,
        saved: BufferId,
        spare: BufferId,
        control: BufferId,
        counts: BufferId,
        error: BufferId,
        n_roots: u32,
        places: u32,
        place_bits: u32,
        joins_end: u32,
        chunks_end: u32,
        spare_mask: u32,
        split_threshold: i32,
        eager_split_threshold: i32,
        steps: u32,
        max_applied: u64,
        report: u32,
        run: u32,
        resumed: u32,
    }

    /// The scheduler's kernel.
    pub(super) kernel Run<'a> of "run" {
        p: &'a [Value],
    }

    /// Arguments of the collector's kernel.
    pub(super) record Trace of "Trace" {
        heap: BufferId,
        map: BufferId,
        codes: BufferId,
        counts: BufferId,
        before: BufferId,
        lists: BufferId,
        staging: BufferId,
        saved: BufferId,
        queue: BufferId,
        turns: BufferId,
        joins: BufferId,
        chunks: BufferId,
        roots: BufferId,
        results: BufferId,
        work: BufferId,
        block_sums: BufferId,
        arrivals: BufferId,
        classes: u32,
        resumes: u32,
        states: u32,
        chains: u32,
        directions: u32,
        code_words: u32,
        list_places: u32,
        staging_words: u32,
        threads: u32,
        places: u32,
        n_roots: u32,
        next_root: u32,
        join_count: u32,
        chunk_count: u32,
    }

    /// The collector's kernel.
    pub(super) kernel Compact<'a> of "compact" {
        t: &'a [Value],
    }

    /// Functions that generated code calls, and the holes that it fills in parts.
    pub(super) functions Functions {
        report,
        waits_for_cells,
        compares_again,
        fresh,
        inc_ref,
        dec_ref,
        is_alone,
        release_graph,
        alloc_cell,
        free_cell,
        promote,
        take_number,
        task_at,
        publish,
        report_trap,
        stop,
        enter,
        pop,
    }

    /// Constants of the template that generated code names.
    pub(super) expressions Constants {
        suspended,
        compared_mask,
        wide,
        failed,
    }

    /// Registers of a thread that generated code uses; those of the program follow.
    pub(super) fields Machine of "Machine" {
        state,
        count,
        base,
        sp,
        scan,
        ret,
        value,
        high,
        ticket,
    }

    /// Parameters that generated code uses.
    pub(super) fields ParamFields of "Params" {
        heap,
        pairs,
        quads,
        records,
        shared,
        shapes,
        pool,
        queue,
        turns,
        control,
        counts,
        error,
        places,
        place_bits,
        max_applied,
        report,
        run,
    }
}

/// Numbers that are known before the templates are opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    /// Of `tasks.cu`.
    pub tasks: TaskFormat,
    /// Of `cells.cu`.
    pub cells: CellFormat,
    /// Of `trace.cu`.
    pub trace: TraceFormat,
}

impl Formats {
    /// Those of the templates; `tasks` is `tasks.cu`.
    pub fn of(tasks: &Template) -> Result<Self, Vec<Diagnostic>> {
        let (tasks, cells) = (parsed(tasks, &[])?, parsed(&templates::CELLS, &[])?);
        let trace = parsed(&templates::TRACE, &[])?;
        Ok(Self {
            tasks: TaskFormat::of(&tasks, "tasks")?,
            cells: CellFormat::of(&cells, "cells")?,
            trace: TraceFormat::of(&trace, "trace")?,
        })
    }
}

/// Fields of the records that depend on the program, as the generator has appended them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Generated {
    /// Where the function that a thread is in puts its value: outermost cell, destination, and the sort of the cell.
    pub destination: Vec<FieldId>,
    /// Argument registers of one word.
    pub words: Vec<FieldId>,
    /// Argument registers of 64 bits.
    pub numbers: Vec<FieldId>,
    /// By class: the next fresh cell; none where cells are counted.
    pub cursors: Vec<FieldId>,
    /// Pairs of cells that the comparison under way has looked at; none where it looks at each pair once anyway.
    pub compared: Option<FieldId>,
    /// By class: parameters.
    pub classes: Vec<ClassFields>,
    /// Number of the parameters that the template declares.
    pub declared: usize,
}

/// Parameters of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClassFields {
    pub base: FieldId,
    pub limit: FieldId,
    /// Mark and first word in `shared`, where cells are counted.
    pub counted: Option<(FieldId, FieldId)>,
}

/// Names that generated code uses.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Names {
    pub functions: Functions,
    pub constants: Constants,
    pub machine: Machine,
    pub params: ParamFields,
    pub generated: Generated,
}

impl Names {
    /// Of an opened module whose records have been widened.
    pub fn of(module: &Module, generated: Generated) -> Result<Self, Vec<Diagnostic>> {
        let mut resolver = Resolver::new(module, "tasks");
        let r = &mut resolver;
        let (functions, constants) = (Functions::resolve(r), Constants::resolve(r));
        let (machine, params) = (Machine::resolve(r), ParamFields::resolve(r));
        resolver.finish(Self { functions, constants, machine, params, generated })
    }
}

/// What host code uses of the finished kernels.
pub(super) struct Host {
    pub control: Control,
    pub counts: Counts,
    pub stop: Stop,
    pub params: RecordLayout<Params>,
    pub classes: Vec<ClassFields>,
    pub run: KernelLayout,
    /// The collector, if there is one.
    pub collector: Option<(RecordLayout<Trace>, KernelLayout)>,
}

impl Host {
    /// Of a finished module.
    pub fn of(module: &Module, generated: &Generated, collects: bool) -> Result<Self, Vec<Diagnostic>> {
        let mut resolver = Resolver::new(module, "tasks");
        let r = &mut resolver;
        let host = Self {
            control: Control::resolve(r),
            counts: Counts::resolve(r),
            stop: Stop::resolve(r),
            params: r.layout(generated.declared),
            classes: generated.classes.clone(),
            run: r.kernel::<Run<'_>>(),
            collector: collects.then(|| (r.layout(usize::MAX), r.kernel::<Compact<'_>>())),
        };
        resolver.finish(host)
    }
}
