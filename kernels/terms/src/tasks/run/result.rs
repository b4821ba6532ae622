//! Turns cells that came back from the device into normal forms, and errors into reasons.

use std::sync::atomic::{AtomicU64, Ordering};

use gchr_base::error::StopReason;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};
use gchr_base::op::ArithmeticError;
use gchr_base::signature::SortId;
use gchr_terms::exec::{Builder, Built, NormalForm, write_value};
use gchr_terms::plan::{ClassId, SortLayout};
use rayon::prelude::*;

use super::heap::Image;
use super::launch::End;
use super::{Job, Start};
use crate::tasks::codegen::TermError;
use gchr_base::limited::Limited;
use gchr_base::watch::Watch;
use gchr_runtime::codegen::Site;

/// Characters of a term in a message.
const SHOWN: usize = 200;

/// What came back.
#[derive(Default)]
pub(super) struct ReadBack {
    /// The normal forms of the start terms. Cells that are shared stay shared within one of them.
    pub normal_forms: Vec<NormalForm>,
    /// Their texts.
    pub texts: Vec<String>,
    /// Cells that they reach, when they were looked at.
    pub cells: Option<u64>,
    /// Those of them that the last launch made.
    pub made: Option<u64>,
}

/// Bytes of the text of one normal form, and of all of a run, that are held at most. Shared parts of a term are written each time they
/// occur, so that a text can be larger than any memory.
const TEXT: u64 = 16 << 20;
const TEXTS: u64 = 1 << 30;

/// The texts of the normal forms, straight from the cells, by all threads.
pub(super) fn texts(job: &Job<'_>, start: &Start<'_>, watch: &Watch<'_>) -> Result<Vec<String>, StopReason> {
    let held = AtomicU64::new(0);
    let text = |(sort, value)| {
        let mut out = Limited::new(Vec::new(), watch.clone()).max_output(Some(TEXT));
        write_value(&job.plan.layout, &start.image, sort, value, &mut out)?;
        if held.fetch_add(out.written(), Ordering::Relaxed) > TEXTS {
            return Err(StopReason::OutputSize { limit: TEXTS });
        }
        Ok(String::from_utf8_lossy(&out.into_inner()).into_owned())
    };
    let values: Vec<(SortId, u64)> = start.values().collect();
    values.into_par_iter().map(text).collect()
}

/// The normal forms of the start terms; `last` is the end of the last launch.
pub(super) fn read_back(
    job: &Job<'_>,
    start: &Start<'_>,
    last: Option<&End>,
) -> Result<ReadBack, StopReason> {
    let (mut normal_forms, mut all, mut of_launch) = (Vec::new(), 0, 0);
    let mut made = |class: ClassId, cell: usize| {
        let of_last = |end: &End| {
            let (k, cell) = (class.index(), cell as u64);
            end.marks[k] < cell && cell < end.cells[k]
        };
        of_launch += u64::from(last.is_some_and(of_last));
    };
    for (sort, value) in start.values() {
        let (form, cells) = normal_form(job, &start.image, sort, value, &mut made)?;
        all += cells;
        normal_forms.push(form);
    }
    Ok(ReadBack { normal_forms, texts: Vec::new(), cells: Some(all), made: Some(of_launch) })
}

/// A term with the number of its cells. `found` is told of each cell once.
fn normal_form(
    job: &Job<'_>,
    image: &Image,
    sort: SortId,
    value: u64,
    found: &mut dyn FnMut(ClassId, usize),
) -> Result<(NormalForm, u64), StopReason> {
    let words: usize = image.classes.iter().map(|c| c.words.len()).sum();
    let memory = (64 + words as u64 * 8).max(1 << 20);
    let broken = || StopReason::Internal { what: "the device's result is no normal form".into() };
    let layout = &job.plan.layout;
    let mut builder = Builder::new(layout, memory)?;
    let mut known = Known::new(image);
    let mut stack = vec![(sort, value)];
    let mut args = Vec::new();
    while let Some(&(sort, value)) = stack.last() {
        let shape = &layout.sorts[sort];
        if known.get(shape, sort, value).is_some() {
            stack.pop();
            continue;
        }
        if shape.is_wide() {
            known.set(shape, sort, value, builder.number(sort, value));
            continue;
        }
        let tag = value as u32 & ((1u32 << shape.tag_bits) - 1);
        let variant = shape.variants.get(tag as usize).ok_or_else(broken)?;
        args.clear();
        let waiting = stack.len();
        if let Some(class) = variant.class {
            let cell = image.classes[class].cell(value as u32 >> shape.tag_bits).ok_or_else(broken)?;
            for field in &variant.fields {
                let at = field.offset as usize;
                let high = if field.wide { u64::from(cell[at + 1]) << 32 } else { 0 };
                let of = u64::from(cell[at]) | high;
                match known.get(&layout.sorts[field.sort], field.sort, of) {
                    Some(built) => args.push(built),
                    None => stack.push((field.sort, of)),
                }
            }
        }
        if stack.len() > waiting {
            continue;
        }
        let built = builder.apply(variant.symbol, &args).ok_or_else(broken)??;
        if let Some((class, cell)) = Known::place(shape, value) {
            found(class, cell);
        }
        known.set(shape, sort, value, built);
        stack.pop();
    }
    let root = known.get(&layout.sorts[sort], sort, value).ok_or_else(broken)?;
    builder.finish(root).ok_or_else(broken)
}

/// What has been built: by cell, and by value where there is none.
struct Known {
    cells: IdVec<ClassId, Vec<Option<Built>>>,
    others: HashMap<(SortId, u64), Built>,
}

impl Known {
    fn new(image: &Image) -> Self {
        let cells = image.classes.iter().map(|_| Vec::new()).collect();
        Self { cells, others: HashMap::default() }
    }

    fn place(shape: &SortLayout, value: u64) -> Option<(ClassId, usize)> {
        if shape.is_wide() {
            return None;
        }
        let tag = value as u32 & ((1u32 << shape.tag_bits) - 1);
        Some((shape.variants.get(tag as usize)?.class?, (value as u32 >> shape.tag_bits) as usize))
    }

    fn get(&self, shape: &SortLayout, sort: SortId, value: u64) -> Option<Built> {
        match Self::place(shape, value) {
            Some((class, cell)) => self.cells[class].get(cell).copied().flatten(),
            None => self.others.get(&(sort, value)).copied(),
        }
    }

    fn set(&mut self, shape: &SortLayout, sort: SortId, value: u64, built: Built) {
        match Self::place(shape, value) {
            Some((class, cell)) => {
                let cells = &mut self.cells[class];
                if cells.len() <= cell {
                    cells.resize(cell + 1, None);
                }
                cells[cell] = Some(built);
            }
            None => {
                self.others.insert((sort, value), built);
            }
        }
    }
}

/// A term for a message.
pub(super) fn term_text(job: &Job<'_>, image: &Image, sort: SortId, bits: u64) -> String {
    normal_form(job, image, sort, bits, &mut |_, _| {})
        .map_or_else(|_| "?".into(), |(form, _)| form.shown(SHOWN))
}

/// Why and where the device says that the run failed.
pub(super) fn explain(job: &Job<'_>, end: &End, image: &Image) -> Option<(StopReason, Option<Site>)> {
    let reports = &job.kernels.reports;
    let Some((number, values)) = end.term_error() else {
        let (reason, site) = reports.sites.explain(&end.noted()?)?;
        return Some((reason, Some(site)));
    };
    let show = |k: usize, sort: SortId| term_text(job, image, sort, values.get(k).copied().unwrap_or(0));
    Some(match reports.terms.get(number)? {
        TermError::NoRule { symbol, args } => {
            let args: Vec<String> = args.iter().enumerate().map(|(k, &sort)| show(k, sort)).collect();
            let name = &job.program.signature.symbols[*symbol].name;
            let redex = if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(", ")) };
            (StopReason::NoRule { redex }, None)
        }
        TermError::Type { op, site, sort } => {
            let operands = vec![show(0, *sort)];
            let error = ArithmeticError::Type;
            (StopReason::Arithmetic { op: *op, error, operands }, Some(*site))
        }
    })
}
