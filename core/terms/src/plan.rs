//! Plans of term programs: structured functions over compact values, made from rules by a list of named passes.
//!
//! [`compile`] lowers a verified program to a [`TermPlan`] and runs [`PASSES`] on it, with [`verify`] after the last
//! one, and after each where assertions of debugging are compiled.
//! See `docs/plan-terms.md` for the data type with an example, and for the invariants.

mod base;
mod copy;
mod cost;
mod declare;
mod effects;
mod inline;
mod ir;
pub(crate) mod key;
mod layout;
pub mod live;
mod lower;
mod matching;
mod print;
mod reach;
mod refs;
mod simplify;
mod sink;
mod split;
mod stuck;
mod tail;
#[cfg(test)]
mod tests;
mod verify;

pub use cost::{Callees, runs_often};
pub use ir::*;
pub use layout::{Class, ClassId, Field, Layout, SortLayout, Variant};
pub use reach::start_needs_most;
pub use verify::verify;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Program;
use gchr_base::stack::with_large_stack;

use reach::Reach;

/// A pass over plans.
pub struct Pass {
    /// Name: what errors of the verifier and [`compile_here`]'s observer call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub description: &'static str,
    /// Whether the options ask for it.
    pub wanted: fn(&TermOptions) -> bool,
    /// The pass.
    pub run: fn(&mut TermPlan),
}

/// The passes, in order. A pass may occur more than once.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "tail-calls",
        description: "calls whose value is returned at once become ends, self calls become loops",
        wanted: |_| true,
        run: tail::tail_calls,
    },
    Pass {
        name: "inline",
        description: "small functions that are not recursive, or loops, are copied to their call sites",
        wanted: |o| o.inline,
        run: inline::inline,
    },
    Pass {
        name: "simplify",
        description: "known matches, existing cells, unused values and fields",
        wanted: |o| o.simplify,
        run: simplify::simplify,
    },
    Pass {
        name: "tail-calls",
        description: "again, for what inlining has brought into tail position",
        wanted: |o| o.inline,
        run: tail::tail_calls,
    },
    Pass {
        name: "contexts",
        description: "last calls inside cells that are returned pass a hole on",
        wanted: |o| o.contexts,
        run: tail::contexts,
    },
    Pass {
        name: "sink",
        description: "values of constants are made behind the calls that do not need them",
        wanted: |_| true,
        run: sink::sink,
    },
    Pass {
        name: "split",
        description: "calls that do not need each other come together, cheapest first",
        wanted: |o| o.split,
        run: split::split,
    },
    Pass {
        name: "liveness",
        description: "resume points: the locals that each call must keep",
        wanted: |_| true,
        run: live::annotate,
    },
    Pass {
        name: "borrow",
        description: "parameters that are only inspected, or lent on, are borrowed",
        wanted: |o| o.counts,
        run: refs::borrow,
    },
    Pass {
        name: "counts",
        description: "duplicates, drops and opens: who holds which reference",
        wanted: |o| o.counts,
        run: refs::counts,
    },
    Pass {
        name: "reuse",
        description: "new cells are built in the memory of opened ones",
        wanted: |o| o.counts,
        run: refs::reuse,
    },
    Pass {
        name: "base-cases",
        description: "what recursive functions do without a call, a loop or a branch to one, for call sites",
        wanted: |o| o.bases,
        run: base::base_cases,
    },
];

/// Compiles a verified term program.
///
/// Errors are limits of the plan (a sort with too many symbols, a symbol with too many arguments) and, with codes
/// `I...`, bugs of the compiler.
pub fn compile(program: &Program, options: &TermOptions) -> Result<TermPlan, Vec<Diagnostic>> {
    if let Some(diagnostic) = lower::unsupported(program) {
        return Err(vec![diagnostic]);
    }
    // Right-hand sides may be nested deeper than the caller's stack allows.
    with_large_stack(|| compile_here(program, options, &mut |_, _| {}))
}

/// [`compile`] on the caller's stack. `observe` sees the plan after lowering (`lower`) and after each pass, by name.
pub fn compile_here(
    program: &Program,
    options: &TermOptions,
    observe: &mut dyn FnMut(&str, &TermPlan),
) -> Result<TermPlan, Vec<Diagnostic>> {
    let reach = Reach::new(program, options.only_start);
    let layout = stuck::find_layout(program, &reach);
    let diagnostics = layout.check(&program.signature);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let mut plan = lower::lower(program, &reach, layout, *options);
    // A verification takes as long as a pass: while gchr is made it finds the pass that is wrong.
    const EACH: bool = cfg!(debug_assertions);
    if EACH {
        check(&plan, "lower")?;
    }
    observe("lower", &plan);
    let wanted: Vec<&Pass> = PASSES.iter().filter(|pass| (pass.wanted)(options)).collect();
    for (at, pass) in wanted.iter().enumerate() {
        if pass.name == "split" || pass.name == "borrow" {
            fits_tasks(&plan)?;
        }
        (pass.run)(&mut plan);
        if EACH || at + 1 == wanted.len() {
            check(&plan, pass.name)?;
        }
        observe(pass.name, &plan);
    }
    Ok(plan)
}

/// Pairs of locals of one function, in all functions together, that passes for many workers look at.
const MAX_PAIRS: usize = 1 << 28;

/// Split points and references are found by passes that compare the locals of a function with each other.
fn fits_tasks(plan: &TermPlan) -> Result<(), Vec<Diagnostic>> {
    let pairs = |function: &Function| function.locals.len().saturating_mul(function.locals.len());
    let all: usize = plan.functions.iter().map(pairs).fold(0, usize::saturating_add);
    let Some(largest) = plan.functions.iter().max_by_key(|f| f.locals.len()).filter(|_| all > MAX_PAIRS)
    else {
        return Ok(());
    };
    let d = Diagnostic::error("P0104", "the program is too large for schedulers with many workers")
        .note(format!("its largest function, {}, has {} values", largest.name, largest.locals.len()))
        .help("run it on the processor (`--device cpu`), or divide the rules of the function among several");
    Err(vec![d])
}

fn check(plan: &TermPlan, pass: &str) -> Result<(), Vec<Diagnostic>> {
    let violations = verify(plan);
    if violations.is_empty() {
        return Ok(());
    }
    Err(violations.into_iter().map(|text| internal(&format!("after pass {pass}: {text}"))).collect())
}

fn internal(text: &str) -> Diagnostic {
    Diagnostic::error("I0003", "internal error: the term plan is not well-formed")
        .note(text)
        .help("this is a bug of gchr, not of the program; please report it with the program")
}
