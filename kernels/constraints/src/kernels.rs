//! The kernels of one constraint program with what host code must know of them.

use std::sync::Arc;

use gchr_base::signature::ConstraintId;
use gchr_kernel::Unit;
use gchr_kernel::ir::Module;
use gchr_kernel::outline::{Cut, outline};
use gchr_kernel::template::KernelLayout;
use gchr_runtime::codegen::Sites;

use crate::contract::{Host, TermHost};
use crate::layout::{IS_MONOTONE, IS_PRODUCT, Layout, MinPlusTable};

/// Kernels of a program, and what its host code must know of them.
pub struct Kernels {
    /// All kernels and functions.
    pub module: Module,
    /// Where errors can arise, by the number that the device reports.
    pub sites: Sites,
    /// The buffers of its tables.
    pub layout: Layout,
    /// How many rows of each table that bodies add to the body of each rule adds, and of the log: rule by rule.
    pub adds: Vec<u32>,
    /// Which heads of each rule are removed, a bit each.
    pub removed_heads: Vec<u32>,
    /// The replacements that are products of matrices.
    pub(crate) products: Vec<MinPlusTable>,
    /// What host code uses of the module.
    pub(crate) host: Arc<Host>,
    /// Outlined functions that are compiled apart from their kernels.
    pub(crate) apart: Vec<String>,
}

/// Statements of kernels that are compiled together: about as many as the kernel that has all of a small program's
/// rules.
const STATEMENTS_OF_A_UNIT: usize = 600;

/// How kernels are cut that are to be ready soon.
const SOON: Cut = Cut { most: 300, least: 60 };

/// The first flag of a table whose values are a matrix beside others that are replaced.
const IS_OTHER_PRODUCT: u32 = 4;

impl Kernels {
    /// Cuts large functions into smaller ones, for kernels that take less time to compile and more to run.
    pub fn cut(&mut self) {
        self.apart = outline(&mut self.module, SOON);
    }

    /// What is compiled together. Runs that fail, those that move terms to make room, and those that share their work
    /// with other devices need kernels that others do not.
    pub fn units(&self) -> Vec<Unit> {
        let moving = self.host.terms.iter().flat_map(TermHost::moving);
        let rare = moving.chain([&self.host.explain_failure, &self.host.thin_out]);
        let rare: Vec<&str> = rare.map(KernelLayout::name).collect();
        let kernels = Unit::whole(&self.module).kernels.into_iter();
        let (rare, usual): (Vec<_>, Vec<_>) = kernels.partition(|name| rare.contains(&&**name));
        let units = [(usual, false), (rare, true)].into_iter().flat_map(|(kernels, rare)| {
            let unit = Unit { kernels, rare, apart: self.apart.clone() };
            unit.by_size(&self.module, STATEMENTS_OF_A_UNIT)
        });
        units.collect()
    }

    /// The fast paths that rounds can take which start from this table, one bit each.
    pub(crate) fn fast_paths_of(&self, table: ConstraintId) -> u32 {
        let product = self.products.iter().position(|p| p.table == table).map_or(0, |k| {
            // Tables share the last flag when there are too few: the host looks which of them are new.
            if self.products[k].alone { IS_PRODUCT } else { IS_OTHER_PRODUCT << k.min(29) }
        });
        let monotone = self.layout.monotone.as_ref().is_some_and(|m| m.is_monotone(table));
        product | (u32::from(monotone) * IS_MONOTONE)
    }
}
