//! Turns cells that came back from the device into normal forms, and errors into reasons.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::op::ArithmeticError;
use gchr_base::signature::SortId;
use gchr_terms::exec::{Brought, Cells, NormalForm, write_value};
use gchr_terms::plan::{ClassId, Layout};
use rayon::prelude::*;

use super::end::End;
use super::fetch::Pages;
use super::heap::Image;
use super::{Job, Start};
use crate::reach;
use crate::tasks::codegen::TermError;
use gchr_base::limited::Limited;
use gchr_base::watch::Watch;
use gchr_runtime::codegen::Site;

/// What came back.
#[derive(Default)]
pub(super) struct ReadBack {
    /// The normal forms of the start terms. Cells that are shared stay shared within one of them.
    pub normal_forms: Vec<NormalForm>,
    /// Their texts.
    pub texts: Vec<String>,
    /// Cells that they reach, when they were counted.
    pub cells: Option<u64>,
    /// Those of them that the last launch made.
    pub made: Option<u64>,
}

/// Bytes of the text of one normal form, and of all of a run, that are held at most. Shared parts of a term are written
/// each time they occur, so that a text can be larger than any memory.
const TEXT: u64 = 16 << 20;
const TEXTS: u64 = 1 << 30;

/// The texts of the normal forms, straight from the cells, by all threads.
pub(super) fn texts(
    job: &Job<'_>,
    start: &Start<'_>,
    pages: Option<&Pages>,
    watch: &Watch<'_>,
) -> Result<Vec<String>, StopReason> {
    let cells: &(dyn Cells + Sync) = match pages {
        Some(pages) => pages,
        None => &start.image,
    };
    let held = AtomicU64::new(0);
    let text = |(sort, value)| {
        let mut out = Limited::new(Vec::new(), watch.clone()).max_output(Some(TEXT));
        write_value(&job.plan.layout, cells, sort, value, &mut out)?;
        if held.fetch_add(out.written(), Ordering::Relaxed) > TEXTS {
            return Err(StopReason::OutputSize { limit: TEXTS });
        }
        Ok(String::from_utf8_lossy(&out.into_inner()).into_owned())
    };
    let values: Vec<(SortId, u64)> = start.values().collect();
    values.into_par_iter().map(text).collect()
}

/// The normal forms of the start terms, which keep the cells as they came: in pages, or all of them; `last` is the end
/// of the last launch. What they reach is counted where at most so many cells are in use.
pub(super) fn read_back(
    job: &Job<'_>,
    start: &mut Start<'_>,
    pages: Option<Pages>,
    counting: (Option<&End>, u64),
) -> Result<ReadBack, StopReason> {
    match pages {
        Some(pages) => {
            let cells = pages.in_use();
            normal_forms(job, start, pages, cells, counting)
        }
        None => {
            let image = std::mem::replace(&mut start.image, Image::new(job.plan));
            let cells = image.in_use();
            normal_forms(job, start, image, cells, counting)
        }
    }
}

fn normal_forms(
    job: &Job<'_>,
    start: &Start<'_>,
    image: impl Cells + Send + Sync + 'static,
    in_use: Vec<u64>,
    (last, most): (Option<&End>, u64),
) -> Result<ReadBack, StopReason> {
    let layout = Arc::new(job.plan.layout.clone());
    let broken = || StopReason::Internal { what: "the device's result is no normal form".into() };
    let brought = Arc::new(BroughtCells { image, in_use });
    let mut back = ReadBack::default();
    if brought.in_use.iter().sum::<u64>() <= most {
        let (mut all, mut of_launch) = (0, 0);
        for value in start.values() {
            let [cells, made] = brought.reached(&layout, value, last).ok_or_else(broken)?;
            all += cells;
            of_launch += made;
        }
        (back.cells, back.made) = (Some(all), Some(of_launch));
    }
    let normal_form = |value| NormalForm::brought(Arc::clone(&layout), brought.clone(), value);
    back.normal_forms = start.values().map(normal_form).collect();
    Ok(back)
}

/// The cells of normal forms, as they came.
struct BroughtCells<C> {
    image: C,
    /// By class, as many as there are at most.
    in_use: Vec<u64>,
}

impl<C: Cells + Sync> BroughtCells<C> {
    /// How many cells a value reaches, and how many of them the last launch made.
    fn reached(&self, layout: &Layout, value: (SortId, u64), last: Option<&End>) -> Option<[u64; 2]> {
        let is_made = |class: ClassId, index: u32| {
            let (k, index) = (class.index(), u64::from(index));
            last.is_some_and(|end| end.marks[k] < index && index < end.cells[k])
        };
        reach::cells(layout, (&self.image, &self.in_use), value, is_made)
    }
}

impl<C: Cells> Cells for BroughtCells<C> {
    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
        self.image.cell(class, index)
    }
}

impl<C: Cells + Send + Sync> Brought for BroughtCells<C> {
    fn count(&self, layout: &Layout, value: (SortId, u64)) -> u64 {
        self.reached(layout, value, None).map_or(0, |[cells, _]| cells)
    }
}

/// Why and where the device says that the run failed.
pub(super) fn explain(job: &Job<'_>, end: &End, image: &Image) -> Option<(StopReason, Option<Site>)> {
    let reports = &job.kernels.reports;
    let Some((number, values)) = end.term_error() else {
        let (reason, site) = reports.sites.explain(&end.noted()?)?;
        return Some((reason, Some(site)));
    };
    let show =
        |k: usize, sort: SortId| image.shown(&job.plan.layout, sort, values.get(k).copied().unwrap_or(0));
    Some(match reports.terms.get(number)? {
        TermError::NoRule { symbol, args } => {
            let args: Vec<String> = args.iter().enumerate().map(|(k, &sort)| show(k, sort)).collect();
            let name = &job.program.signature.symbols[*symbol].name;
            let redex = if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(", ")) };
            (StopReason::NoRule { redex, symbol: Some(*symbol) }, None)
        }
        TermError::Compared { sort } => {
            (StopReason::Comparison { sort: job.plan.layout.sorts[*sort].name.clone() }, None)
        }
        TermError::Type { op, site, sort } => {
            let operands = vec![show(0, *sort)];
            let error = ArithmeticError::Type;
            (StopReason::Arithmetic { op: *op, error, operands }, Some(*site))
        }
    })
}
