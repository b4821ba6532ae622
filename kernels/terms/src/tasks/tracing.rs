//! Collection by tracing: what the kernel of the template `trace.cu` must know of classes, sorts, frames and arguments,
//! as words of one buffer. The template's comment says what the words mean; those of the classes come first.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::SortId;
use gchr_terms::plan::{Field, FunctionId, Layout, LocalId};

use super::chains::Chains;
use super::contract::TraceFormat;
use super::frames::{Frame, Shape};
use super::shapes::pointers;
use super::states::States;
use crate::templates;
use gchr_kernel::ir::{Literal, Module};
use gchr_kernel::template::{self, Holes};

/// One cell of so many is a splitter, at which a chain can be cut.
const RULER_SPACING: u32 = 256;
/// The widest code of a cell.
const MOST_CODE_BITS: u32 = 16;

/// The table of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Tracing {
    /// All words; those of the classes are still 0, but for the places of their shapes.
    words: Vec<u32>,
    /// By sort: its place, 0 when it has no cells.
    sorts: IdVec<SortId, u32>,
    /// Bits that mark a cell and say what it is.
    pub code_bits: u32,
    /// Place of the resume points.
    pub resumes: u32,
    /// Place of the states.
    pub states: u32,
    /// Place of the shapes that are on chains, and the directions in which chains go on.
    pub chains: (u32, u32),
    /// Words of the record that a thread saves.
    pub record: u32,
    /// What the words mean.
    format: TraceFormat,
}

/// What a launch decides about a class.
#[derive(Clone, Copy, Debug)]
pub struct TracedClass {
    /// Word of cell 0.
    pub base: u32,
    /// Words a cell.
    pub stride: u32,
    /// Cells up to the last one in use.
    pub cells: u32,
    /// First word of its marks.
    pub codes: u32,
    /// Cells up to this one live as long as the run.
    pub mark: u32,
}

impl Tracing {
    /// Adds the collector to the kernels of a program.
    pub(super) fn add(&self, module: &mut Module) -> Result<(), Vec<Diagnostic>> {
        let low = (0..32).step_by(self.code_bits as usize).fold(0u32, |bits, k| bits | 1 << k);
        let constants = [("CODE_BITS", self.code_bits), ("LOW_BITS", low), ("RULER_SPACING", RULER_SPACING)];
        let constants = constants.map(|(name, value)| (name, Literal::Int(u64::from(value))));
        template::instantiate(
            module,
            &templates::TRACE,
            &Holes { constants: &constants, kernels: true, ..Holes::default() },
        )?;
        Ok(())
    }

    /// The table of a program whose threads can stop.
    pub(super) fn new(
        states: &States<'_>,
        shape: &Shape,
        format: TraceFormat,
    ) -> Result<Self, Vec<Diagnostic>> {
        let layout = &states.plan.layout;
        let mut words = vec![0; layout.classes.len() * format.trace_class];
        let sorts = sorts(layout, format, &mut words);
        let chains = Chains::new(layout);
        let (most, on_chains) = shapes(layout, &sorts, &chains, format, &mut words);
        let code_bits = (u32::BITS - most.leading_zeros()).next_power_of_two();
        if code_bits > MOST_CODE_BITS {
            let error = Diagnostic::error("P0104", "the program has too many symbols to shift cells")
                .note(format!("{most} symbols have cells of one size; {} are the most", u16::MAX))
                .help("give --gc queue or --gc none");
            return Err(vec![error]);
        }
        let chains = (words.len() as u32, chains.directions);
        words.resize(words.len() + format.chain_head, 0);
        words[chains.0 as usize] = on_chains.len() as u32;
        words.extend(on_chains);
        let table = Table { states, shape, sorts: &sorts, format };
        let (resumes, states) = (table.resumes(&mut words), table.states(&mut words));
        let record = shape.task() + shape.format.saved + shape.stack;
        Ok(Self { words, sorts, code_bits, resumes, states, chains, record, format })
    }

    /// Words in all.
    pub fn len(&self) -> usize {
        self.words.len()
    }
    /// Place of a sort; 0 when it has no cells.
    pub fn sort(&self, sort: SortId) -> u32 {
        self.sorts[sort]
    }
    /// Whether there is nothing to know.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    /// Cells that a word of marks tells of.
    pub fn cells_a_word(&self) -> u32 {
        u32::BITS / self.code_bits
    }
    /// All words of a launch; `nodes`: splitters that there is room for, of all shapes together.
    pub fn words(&self, classes: impl Iterator<Item = TracedClass>, nodes: u64) -> Vec<u32> {
        let mut words = self.words.clone();
        let f = self.format;
        for (class, to) in classes.zip(words.chunks_exact_mut(f.trace_class)) {
            let TracedClass { base, stride, cells, codes, mark } = class;
            (to[f.trace_base], to[f.trace_stride], to[f.trace_cells]) = (base, stride, cells);
            (to[f.trace_codes], to[f.trace_mark]) = (codes, mark);
        }
        let list = self.chains.0 as usize;
        let mut next = 0;
        for k in 0..words[list] as usize {
            let shape = words[list + f.chain_head + k] as usize;
            let cells = words[words[shape] as usize * f.trace_class + f.trace_cells];
            let splitters = cells / RULER_SPACING;
            if u64::from(next) + u64::from(splitters) <= nodes {
                let first = first_node(&words, shape, f);
                words[first] = next + 1;
                next += splitters;
            }
        }
        words[list + f.chain_splitters] = next;
        words
    }
}

/// Writes the sorts, the places of their shapes still open; gives their places.
fn sorts(layout: &Layout, format: TraceFormat, words: &mut Vec<u32>) -> IdVec<SortId, u32> {
    // Place 0 stands for a sort without cells, also where there is no class.
    words.resize(words.len().max(1), 0);
    let place = |sort: &gchr_terms::plan::SortLayout| {
        if !sort.has_cells() {
            return 0;
        }
        let place = words.len() as u32;
        words.resize(words.len() + format.trace_tags + (1 << sort.tag_bits), 0);
        words[place as usize] = sort.tag_bits;
        place
    };
    layout.sorts.iter().map(place).collect()
}

/// The place in a shape of the number of its first splitter.
fn first_node(words: &[u32], shape: usize, format: TraceFormat) -> usize {
    shape + format.shape_head + 2 * words[shape + format.shape_fields] as usize
}

/// Writes the shapes, and for each class a list of them by code; gives the greatest code, and the shapes that are on
/// chains.
fn shapes(
    layout: &Layout,
    sorts: &IdVec<SortId, u32>,
    chains: &Chains<'_>,
    format: TraceFormat,
    words: &mut Vec<u32>,
) -> (u32, Vec<u32>) {
    let mut of_class: Vec<Vec<u32>> = vec![Vec::new(); layout.classes.len()];
    let mut on_chains = Vec::new();
    let two = |field: &Field| [field.offset, sorts[field.sort]];
    for (id, sort) in layout.sorts.iter_enumerated() {
        for (tag, variant) in sort.variants.iter().enumerate() {
            let Some(class) = variant.class else { continue };
            let place = words.len() as u32;
            words[sorts[id] as usize + format.trace_tags + tag] = place;
            let list = &mut of_class[class.index()];
            list.push(place);
            let fields: Vec<u32> = pointers(layout, variant).flat_map(two).collect();
            let mut head = vec![0; format.shape_head];
            head[0] = class.index() as u32;
            head[format.shape_code] = list.len() as u32;
            head[format.shape_fields] = fields.len() as u32 / 2;
            words.extend(head);
            words.extend(fields);
            let mut links: Vec<u32> =
                chains.links_by_direction(id, variant).into_iter().flat_map(two).collect();
            if !links.is_empty() {
                on_chains.push(place);
            }
            links.resize(2 * chains.directions as usize, 0);
            words.push(0);
            words.extend(links);
        }
    }
    for (k, list) in of_class.iter().enumerate() {
        words[k * format.trace_class + format.trace_shapes] = words.len() as u32;
        words.extend(list);
    }
    (of_class.iter().map(Vec::len).max().unwrap_or(0).max(1) as u32, on_chains)
}

struct Table<'a, 'p> {
    states: &'a States<'p>,
    shape: &'a Shape,
    sorts: &'a IdVec<SortId, u32>,
    format: TraceFormat,
}

impl Table<'_, '_> {
    fn sort(&self, function: FunctionId, local: LocalId) -> u32 {
        self.sorts[self.states.plan.functions[function].sort(local)]
    }
    fn result(&self, function: FunctionId) -> u32 {
        self.sorts[self.states.plan.functions[function].result]
    }

    /// Writes entries behind a list of their places; gives the place of the list.
    fn list(words: &mut Vec<u32>, entries: impl ExactSizeIterator<Item = Vec<u32>>) -> u32 {
        let list = words.len();
        words.resize(list + entries.len(), 0);
        for (k, entry) in entries.enumerate() {
            words[list + k] = words.len() as u32;
            words.extend(entry);
        }
        list as u32
    }

    /// The entry of a resume point or a state; `variables`: for each its word and its sort.
    fn entry(&self, value: u32, destination: u32, variables: Vec<u32>) -> Vec<u32> {
        let f = self.format;
        let mut entry = vec![0; f.entry_head];
        entry[0] = value;
        entry[f.entry_destination] = destination;
        entry[f.entry_variables] = variables.len() as u32 / 2;
        entry.extend(variables);
        entry
    }

    fn resumes(&self, words: &mut Vec<u32>) -> u32 {
        let entry = |(resume, frame): (&super::states::Resume<'_>, &Frame)| {
            let (value, context) = (self.sort(resume.function, resume.dst), frame.destination.unwrap_or(0));
            let variables = frame.live.iter().map(|&(local, at, _)| (at, self.sort(resume.function, local)));
            let variables: Vec<u32> = variables.filter(|v| v.1 != 0).flat_map(|v| [v.0, v.1]).collect();
            self.entry(value, context, variables)
        };
        let resumes = self.states.resumes.iter().zip(self.shape.frames.iter());
        Self::list(words, resumes.map(entry).collect::<Vec<_>>().into_iter())
    }

    fn states(&self, words: &mut Vec<u32>) -> u32 {
        let entry = |state: &super::states::State<'_>| {
            let result = self.result(state.function);
            let context = u32::from(self.states.holes[state.function]);
            // The first words of a task are its state and where its value goes; then come those of one word.
            let narrow = state.params.iter().filter(|&&p| {
                let sort = self.states.plan.functions[state.function].sort(p);
                !self.states.plan.layout.sorts[sort].is_wide()
            });
            let arguments =
                narrow.zip(self.shape.format.task_head..).map(|(&p, at)| (at, self.sort(state.function, p)));
            let arguments: Vec<u32> = arguments.filter(|a| a.1 != 0).flat_map(|a| [a.0, a.1]).collect();
            self.entry(result, context, arguments)
        };
        Self::list(words, self.states.states.iter().map(entry).collect::<Vec<_>>().into_iter())
    }
}
