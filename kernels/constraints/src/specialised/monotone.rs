//! Monotone tables: rounds that only add to them have kernels of their own (`monotone.cu`).

mod codegen;
mod run;

pub(crate) use run::MonotoneRun;

use super::{Source, SpecialisedKernel};
use crate::codegen::CodegenCtx;
use crate::contract::{Names, Parts};
use crate::templates;
use gchr_base::diagnostic::Diagnostic;
use gchr_kernel::build;
use gchr_kernel::ir::{Literal, Module};
use gchr_kernel::template::{self, Holes};
use gchr_runtime::codegen::Sites;

/// The kernels of `monotone.cu`.
pub(crate) struct MonotoneKernels;

impl SpecialisedKernel for MonotoneKernels {
    fn is_wanted(&self, source: Source<'_>) -> bool {
        source.layout.monotone.is_some()
    }

    fn add(&self, module: &mut Module, source: Source<'_>, sites: &mut Sites) -> Result<(), Vec<Diagnostic>> {
        let Source { program, plan, layout, sources, parts } = source;
        let parts = Parts { monotone: true, ..parts };
        let Some(monotone) = &layout.monotone else { return Ok(()) };
        let params = module.record("Params").expect("the template of rounds defines Params");
        let tables = layout.tables.len() as u64;
        let constants = [
            ("TABLES", Literal::Int(tables)),
            ("COUNTS", Literal::Int(tables + 1)),
            ("LINKS", Literal::Int(u64::from(monotone.linked.iter().any(|&linked| linked)))),
            ("KEPT_WORDS", Literal::Int(codegen::kept_words(layout, monotone))),
        ];
        let records = [("Params", params)];
        let holes =
            Holes { records: &records, constants: &constants, kernels: true, open: true, ..Holes::default() };
        template::instantiate(module, &templates::MONOTONE, &holes)?;
        for hole in ["put_kept", "derive", "link_added", "remember", "forget"] {
            let names = Names::of(module, parts, hole)?;
            let ctx = CodegenCtx { program, plan, layout, sources, module, names: &names };
            let functions = match hole {
                "put_kept" => codegen::put_functions(ctx, monotone),
                "derive" => codegen::derive_functions(ctx, monotone, sites),
                "link_added" => vec![codegen::link_function(ctx, monotone)],
                _ => vec![codegen::row_bit(ctx, monotone, hole)],
            };
            build::fill_hole(module, hole, functions);
        }
        Ok(())
    }
}
