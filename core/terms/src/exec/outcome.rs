//! How a run ends.

use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::heap::Heap;
use super::normal_form::NormalForm;
use super::text::write_value;
use crate::plan::Layout;
use gchr_base::error::RunError;
use gchr_base::signature::SortId;
use gchr_base::stats::Stats;

/// A run that reached a normal form.
#[derive(Debug)]
pub struct Evaluation {
    /// The normal form.
    pub normal_form: NormalForm,
    /// What it cost; its cells are not counted.
    pub stats: Stats,
}

impl Evaluation {
    /// With the number of cells that the normal form reaches: that takes as long as to go through all of them.
    #[must_use]
    pub fn counted(mut self) -> Self {
        self.stats.live_cells = Some(self.normal_form.count_cells(NonZeroUsize::MIN));
        self
    }
}

/// A run that did not.
#[derive(Debug)]
pub struct Stopped {
    /// Why, and where.
    pub error: RunError,
    /// What it cost so far.
    pub stats: Stats,
    /// Of several terms that were evaluated together, what those came to that were before.
    pub results: Option<Box<Results>>,
}

/// Of several terms that are evaluated together, the normal forms of those that had one when the run stopped.
pub struct Results {
    layout: Arc<Layout>,
    heap: Box<Heap>,
    values: Vec<(SortId, u64)>,
    terms: usize,
}

impl Results {
    /// What is left of a run on the processor, where that is something; else its heap.
    pub fn of(
        layout: &Arc<Layout>,
        heap: Heap,
        (values, terms): (Vec<(SortId, u64)>, usize),
    ) -> Result<Box<Self>, Box<Heap>> {
        let heap = Box::new(heap);
        match terms {
            0 => Err(heap),
            _ => Ok(Box::new(Self { layout: Arc::clone(layout), heap, values, terms })),
        }
    }

    /// How many terms have a normal form.
    pub fn done(&self) -> usize {
        self.values.len()
    }

    /// How many terms there are.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Writes the normal forms, each on a line.
    pub fn write_lines(&self, out: &mut impl Write) -> io::Result<()> {
        self.values.iter().try_for_each(|&(sort, value)| {
            write_value(&self.layout, &*self.heap, sort, value, out)?;
            writeln!(out)
        })
    }

    /// The normal forms as texts.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.values.iter().map(|&(sort, value)| {
            let mut text = Vec::new();
            // Writing to a vector does not fail.
            let _ = write_value(&self.layout, &*self.heap, sort, value, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        })
    }
}

impl fmt::Debug for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} terms", self.done(), self.terms)
    }
}
