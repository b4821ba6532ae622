//! What Rust uses of the template `topology.cu`: each name stands once, in the template.

use gchr_base::diagnostic::Diagnostic;
use gchr_kernel::contract;
use gchr_kernel::device::{BufferId, Value};
use gchr_kernel::ir::Module;
use gchr_kernel::template::{Contract, KernelLayout, RecordLayout, Resolver};

contract! {
    /// Numbers that do not depend on the program: the first word of a slot, results of rewrite functions, collectors.
    pub constants Format: u32 {
        /// Threads of a block.
        block,
        /// The bits of a slot's first word with its head.
        head_mask,
        /// Where its arity begins.
        arity_shift,
        /// The bits of the arity.
        arity_mask,
        /// Where the argument to look at first begins.
        waiting_shift,
        /// A rewrite function has done nothing yet.
        waits,
        /// It did a step that is no rule application.
        stepped,
        /// It applied a rule.
        applies,
        /// The number of the collector with a stack of free slots.
        collect_queue,
        /// The number of the collector that shifts slots.
        collect_compact,
    }

    /// Words of `control`.
    pub(super) constants Control: usize {
        next,
        keys,
        active,
        garbage,
        full,
        stop,
        control_words,
    }

    /// Words of `counts`.
    pub(super) constants CountWords: usize {
        applied,
        marked,
        iterations,
        collections,
        count_words,
    }

    /// Why a launch is over.
    pub(super) constants Stop: u32 {
        done,
        must_grow,
        failed,
    }

    /// Arguments of the kernel.
    pub(super) record Params of "Params" {
        term: BufferId,
        spare: BufferId,
        nf: BufferId,
        nf_read: BufferId,
        rc: BufferId,
        rc_read: BufferId,
        keys: BufferId,
        block_counts: BufferId,
        control: BufferId,
        arrivals: BufferId,
        error: BufferId,
        counts: BufferId,
        capacity: u32,
    }

    /// The kernel.
    pub(super) kernel Iterate<'a> of "iterate" {
        p: &'a [Value],
        max_iterations: u32,
        max_applied: u64,
    }

    /// Functions that generated code calls, and the holes that it fills.
    pub(super) functions Functions {
        first_waiting,
        retain_arguments,
        release_arguments,
        renamed,
        rewrite,
        mark,
        fresh,
        give_back,
        retain,
        release,
        write_new,
        write_root,
        copy_root,
        fail,
    }

    /// Fields of a slot that generated code names; arguments follow.
    pub(super) fields Term of "Term" {
        head,
    }

    /// Parameters that generated code uses.
    pub(super) fields ParamFields of "Params" {
        term,
        nf_read,
        keys,
        error,
    }
}

/// What generated code uses of the template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Names {
    pub format: Format,
    pub functions: Functions,
    pub term: Term,
    pub params: ParamFields,
}

impl Names {
    /// Of an opened module.
    pub fn of(module: &Module) -> Result<Self, Vec<Diagnostic>> {
        let mut resolver = Resolver::new(module, "topology");
        let r = &mut resolver;
        let (format, functions) = (Format::resolve(r), Functions::resolve(r));
        let (term, params) = (Term::resolve(r), ParamFields::resolve(r));
        resolver.finish(Self { format, functions, term, params })
    }
}

/// What host code uses of the finished kernels.
pub(super) struct Host {
    pub format: Format,
    pub control: Control,
    pub counts: CountWords,
    pub stop: Stop,
    pub params: RecordLayout<Params>,
    pub iterate: KernelLayout,
}

impl Host {
    /// Of a finished module.
    pub fn of(module: &Module) -> Result<Self, Vec<Diagnostic>> {
        let mut resolver = Resolver::new(module, "topology");
        let r = &mut resolver;
        let host = Self {
            format: Format::resolve(r),
            control: Control::resolve(r),
            counts: CountWords::resolve(r),
            stop: Stop::resolve(r),
            params: r.layout(usize::MAX),
            iterate: r.kernel::<Iterate<'_>>(),
        };
        resolver.finish(host)
    }
}
