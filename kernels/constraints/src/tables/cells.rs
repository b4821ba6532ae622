//! The heap of terms on a device: how it gets the terms that a run starts with, is collected, and grows.
//!
//! Cells below a mark are those that the run starts with: they never move, so that batches which are put later keep
//! their words. A collection marks what the constraints that live reach, and copies it to other buffers; words and
//! indexes follow. Dead rows are no roots: nothing reads their values again.

use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::signature::{ConstraintId, Signature, SortKind, TextId};
use gchr_base::value::Heap;
use gchr_base::value::heap::{HeapFull, ImportError};

use super::{Grown, Part, Tables, broken};
use crate::contract::{
    BLOCK, CopyCells, EnterCells, MarkColumn, MarkLeft, PlaceCells, RenameCells, RenameColumn, TermHost,
};
use crate::job::Job;
use crate::start::Input;
use crate::terms::Terms;
use gchr_kernel::device::{BufferId, Device, DeviceExt, Launch, Result, Value};
use gchr_kernel::template::{KernelArguments, KernelLayout};

/// Words that a heap has room for at first, a row of a table.
const WORDS_A_ROW: u64 = 4;
/// Most words of a heap: places of its table have numbers of 32 bits.
pub(crate) const MOST_WORDS: u64 = 1 << 31;

/// What a place holds that no cell has.
const NO_CELL: u32 = u32::MAX;

/// The heap.
pub(crate) struct Cells {
    cells: BufferId,
    /// Where cells are, by hash.
    places: BufferId,
    /// Words in use, one number; more than there is room for when something was not built.
    used: BufferId,
    capacity: u32,
    /// Words of the cells that the run starts with.
    immortal: u32,
    ranks: Ranks,
    /// The round at which it was collected last.
    collected: Option<u64>,
}

/// What the order of texts and of functors is read from.
struct Ranks {
    texts: BufferId,
    functors: BufferId,
    count: u64,
}

impl Ranks {
    fn new(terms: &Terms, signature: &Signature, device: &mut dyn Device) -> Result<Self> {
        let (texts, functors) = if terms.ordered { ranks(signature) } else { (vec![0], vec![0]) };
        let count = (texts.len() + functors.len()) as u64;
        Ok(Self { texts: device.upload_new(&texts)?, functors: device.upload_new(&functors)?, count })
    }

    fn free(self, device: &mut dyn Device) -> Result<()> {
        device.free(self.texts)?;
        device.free(self.functors)
    }
}

/// Cells that were copied between two runs.
pub(super) struct CopiedCells {
    cells: BufferId,
    places: BufferId,
    words: u64,
    capacity: u32,
}

impl CopiedCells {
    pub(super) fn free(self, device: &mut dyn Device) -> Result<()> {
        device.free(self.cells)?;
        device.free(self.places)
    }
}

/// Places of the table for so many words: a cell has two words or more.
fn places_for(capacity: u32) -> u64 {
    u64::from(capacity).next_power_of_two()
}

fn bytes_of(capacity: u32) -> u64 {
    8 * u64::from(capacity) + 4 * places_for(capacity)
}

/// What a collection of so many words takes beside the cells: marks, lists of what is left to mark, where cells go.
fn scratch_of(capacity: u32) -> u64 {
    u64::from(capacity).div_ceil(8) + 8 * u64::from(capacity) + 12 * places_for(capacity)
}

/// Cells and the table of their places, both empty.
fn empty(capacity: u32, device: &mut dyn Device) -> Result<(BufferId, BufferId)> {
    let cells = device.alloc(8 * u64::from(capacity))?;
    let bytes = 4 * places_for(capacity);
    let places = device.alloc(bytes)?;
    device.fill(places, 0, bytes, 0xff)?;
    Ok((cells, places))
}

fn launch<K: KernelArguments>(
    layout: &KernelLayout,
    elements: u64,
    arguments: &K,
    device: &mut dyn Device,
) -> Result<()> {
    let kernel = device.kernel(layout.name())?;
    let grid = elements.div_ceil(u64::from(BLOCK)).clamp(1, 1 << 10) as u32;
    device.launch(&Launch { kernel, grid, block: BLOCK, args: &layout.args(arguments), cooperative: false })
}

impl Cells {
    /// The cells of a heap, which stay where they are for a run, with room for those of so many rows.
    pub fn of_heap(
        (terms, kernels): (&Terms, &TermHost),
        heap: &Heap,
        signature: &Signature,
        rows: u64,
        device: &mut dyn Device,
    ) -> Result<Self> {
        let immortal = heap.cells().len() as u32;
        let room = (rows * WORDS_A_ROW).clamp(64, 1 << 24);
        let capacity = (u64::from(immortal) + room).min(MOST_WORDS) as u32;
        let (cells, places) = empty(capacity, device)?;
        device.upload(cells, 0, bytemuck::cast_slice(heap.cells()))?;
        let ranks = Ranks::new(terms, signature, device)?;
        let used = device.upload_new(&[u64::from(immortal)])?;
        let this = Self { cells, places, used, capacity, immortal, ranks, collected: None };
        let starts: Vec<u32> = heap.places().collect();
        if !starts.is_empty() {
            let buffer = device.upload_new(&starts)?;
            enter(kernels, cells, buffer, starts.len() as u64, places, capacity, device)?;
            device.free(buffer)?;
        }
        Ok(this)
    }

    pub fn bytes(&self) -> u64 {
        bytes_of(self.capacity) + 4 * self.ranks.count
    }

    /// The fields of the record of buffers, in its order.
    pub fn params(&self) -> [Value; 7] {
        [
            Value::Buffer(self.cells),
            Value::Buffer(self.places),
            Value::Buffer(self.used),
            Value::U32(self.capacity),
            Value::U32((places_for(self.capacity) - 1) as u32),
            Value::Buffer(self.ranks.texts),
            Value::Buffer(self.ranks.functors),
        ]
    }

    fn words_used(&self, device: &mut dyn Device) -> Result<u32> {
        let used: Vec<u64> = device.download_vec(self.used, 1)?;
        Ok(used[0].min(u64::from(self.capacity)) as u32)
    }

    /// All cells.
    pub fn download(&self, device: &mut dyn Device) -> Result<Vec<u64>> {
        let used = self.words_used(device)?;
        device.download_vec(self.cells, used as usize)
    }

    pub fn free(self, device: &mut dyn Device) -> Result<()> {
        [self.cells, self.places, self.used].into_iter().try_for_each(|buffer| device.free(buffer))?;
        self.ranks.free(device)
    }

    /// Between two runs no batch waits that names cells: all of them can move until the next one has cells of its own.
    pub(super) fn begin_run(&mut self) {
        (self.immortal, self.collected) = (0, None);
    }

    /// A copy of all cells.
    pub(super) fn copied(&self, device: &mut dyn Device) -> Result<CopiedCells> {
        let words = u64::from(self.words_used(device)?);
        let bytes = 4 * places_for(self.capacity);
        let (cells, places) = (device.alloc((8 * words).max(8))?, device.alloc(bytes)?);
        device.copy(self.cells, cells, 8 * words)?;
        device.copy(self.places, places, bytes)?;
        Ok(CopiedCells { cells, places, words, capacity: self.capacity })
    }

    /// The cells of a copy.
    pub(super) fn restored(copied: CopiedCells, job: &Job<'_>, device: &mut dyn Device) -> Result<Self> {
        let CopiedCells { cells: copy, places, words, capacity } = copied;
        let cells = device.alloc(8 * u64::from(capacity))?;
        device.copy(copy, cells, 8 * words)?;
        device.free(copy)?;
        let used = device.upload_new(&[words])?;
        let ranks = Ranks::new(terms_of(job), &job.program.signature, device)?;
        Ok(Self { cells, places, used, capacity, immortal: 0, ranks, collected: None })
    }

    /// All cells as a heap, whose words are the same.
    fn heap(&self, device: &mut dyn Device) -> Result<std::result::Result<Heap, HeapFull>> {
        let cells = self.download(device)?;
        let places: Vec<u32> = device.download_vec(self.places, places_for(self.capacity) as usize)?;
        let places = places.into_iter().filter(|&place| place != NO_CELL).collect();
        Heap::of_cells(cells, places).ok_or_else(broken)
    }
}

/// Puts cells into an empty table of places.
fn enter(
    kernels: &TermHost,
    cells: BufferId,
    starts: BufferId,
    count: u64,
    places: BufferId,
    capacity: u32,
    device: &mut dyn Device,
) -> Result<()> {
    let mask = (places_for(capacity) - 1) as u32;
    let arguments = EnterCells { cells, starts, count: count as u32, places, mask };
    launch(&kernels.enter_cells, count, &arguments, device)
}

/// The ranks of texts, as an atom and as a string, and of the names of functors. The empty list comes before all other
/// atoms.
fn ranks(signature: &Signature) -> (Vec<u32>, Vec<u32>) {
    let text = |id: &usize| signature.texts.get(TextId(*id as u32));
    let mut order: Vec<usize> = (0..signature.texts.len()).collect();
    order.sort_unstable_by(|a, b| text(a).cmp(text(b)));
    let mut texts = vec![0; 2 * order.len().max(1)];
    for (rank, id) in order.iter().enumerate() {
        texts[2 * id] = if text(id) == "[]" { 0 } else { rank as u32 + 1 };
        texts[2 * id + 1] = rank as u32;
    }
    let name = |id: &usize| &signature.symbols[gchr_base::signature::SymbolId::from_index(*id)].name;
    let mut order: Vec<usize> = (0..signature.symbols.len()).collect();
    order.sort_by(|a, b| name(a).cmp(name(b)));
    let mut functors = vec![0; order.len().max(1)];
    order.iter().enumerate().for_each(|(rank, &id)| functors[id] = rank as u32);
    (texts, functors)
}

/// What is known of the cells that are kept, while they move.
struct Kept {
    /// Words behind the immortal ones.
    words: u64,
    sizes: BufferId,
    offsets: BufferId,
}

/// The terms of a program that has some.
fn terms_of<'a>(job: &Job<'a>) -> &'a Terms {
    job.kernels.layout.terms.as_ref().expect("tables with cells are those of a program with terms")
}

impl Tables {
    /// Takes the terms of an input to those that are there, and gives its batches their words; says why there is no
    /// room for them, if so. Texts that are new have their place in the order of texts afterwards.
    pub(crate) fn take_terms(
        &mut self,
        input: &mut Input,
        job: &Job<'_>,
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<Option<StopReason>> {
        let Some(cells) = &mut self.cells else { return Ok(None) };
        let (terms, signature) = (terms_of(job), &job.program.signature);
        if input.heap.cells().is_empty() {
            if terms.ordered {
                let ranks = Ranks::new(terms, signature, device)?;
                std::mem::replace(&mut cells.ranks, ranks).free(device)?;
            }
            return Ok(None);
        }
        if 2 * cells.words_used(device)? > cells.capacity {
            // What comes now stays where it is for the run, and so does what is in its way.
            let lack = self.make_room_for_terms(memory, device)?.lack(memory);
            if lack.is_some() {
                return Ok(lack);
            }
        }
        let Some(cells) = &self.cells else { return Ok(None) };
        let mut heap = match cells.heap(device)? {
            Ok(heap) => heap,
            Err(full) => return Ok(Some(full.reason())),
        };
        match input.rename(&self.layout, &mut heap) {
            Ok(()) => {}
            Err(ImportError::Full(full)) => return Ok(Some(full.reason())),
            Err(ImportError::Broken) => return Err(broken()),
        }
        let words = heap.cells().len() as u64;
        let rows = u64::from(self.rows).max(words / WORDS_A_ROW);
        let grown = match words {
            _ if words > MOST_WORDS => Grown::NoNumbers("terms".into()),
            _ if self.bytes() + bytes_of((2 * words).min(MOST_WORDS) as u32) > memory => {
                Grown::NoMemory("terms".into())
            }
            _ => Grown::Yes,
        };
        let lack = grown.lack(memory);
        if lack.is_none() {
            let taken = Cells::of_heap((terms, self.host.of_terms()), &heap, signature, rows, device)?;
            self.cells.replace(taken).map_or(Ok(()), |old| old.free(device))?;
        }
        Ok(lack)
    }

    /// All cells; none if there are no terms.
    pub fn terms(&self, device: &mut dyn Device) -> Result<Vec<u64>> {
        self.cells.as_ref().map_or(Ok(Vec::new()), |cells| cells.download(device))
    }

    /// The columns whose words may point at cells.
    fn roots(&self) -> Vec<(ConstraintId, usize)> {
        let columns = |t: ConstraintId| self.layout.tables[t].columns.iter().enumerate();
        let any =
            |t: ConstraintId| columns(t).filter(|(_, k)| **k == SortKind::Any).map(move |(c, _)| (t, c));
        self.layout.tables.ids().flat_map(any).collect()
    }

    /// Drops the terms that no constraint has, and makes more room if there are many others.
    pub fn make_room_for_terms(&mut self, memory: u64, device: &mut dyn Device) -> Result<Grown> {
        let Some(cells) = self.cells.take() else { return Ok(Grown::Yes) };
        let round = self.state[self.words.rounds];
        let spare = memory.saturating_sub(self.bytes() + cells.bytes() + scratch_of(cells.capacity));
        let what = || "terms".to_string();
        if spare < bytes_of(cells.capacity) {
            self.cells = Some(cells);
            return Ok(Grown::NoMemory(what()));
        }
        let marks = self.mark(&cells, device)?;
        let kept = self.keep(&cells, marks, device)?;
        device.free(marks)?;
        // Half of the room is free behind a collection; a round that lacks room twice needs more.
        let needed = u64::from(cells.immortal) + kept.words;
        let again = cells.collected == Some(round);
        let capacity = u64::from(cells.capacity);
        let wanted = if again || 2 * needed > capacity { 2 * capacity } else { capacity };
        let wanted = wanted.max(2 * needed).min(MOST_WORDS);
        let lacking = if again && wanted == capacity {
            Some(Grown::NoNumbers(what()))
        } else if bytes_of(wanted as u32) > spare {
            Some(Grown::NoMemory(what()))
        } else {
            None
        };
        if let Some(lacking) = lacking {
            device.free(kept.sizes)?;
            device.free(kept.offsets)?;
            self.cells = Some(cells);
            return Ok(lacking);
        }
        let mut moved = self.move_cells(cells, &kept, wanted as u32, device)?;
        device.free(kept.sizes)?;
        device.free(kept.offsets)?;
        moved.collected = Some(round);
        self.cells = Some(moved);
        // Words are other ones now, and so are their places in indexes.
        let renamed: Vec<ConstraintId> = self.roots().into_iter().map(|(table, _)| table).collect();
        for table in self.layout.tables.ids().filter(|t| renamed.contains(t)) {
            self.move_table(table, self.tables[table].capacity, device)?;
        }
        self.upload_counts(device)?;
        Ok(Grown::Yes)
    }

    /// A bit a word for the cells that constraints reach.
    fn mark(&self, cells: &Cells, device: &mut dyn Device) -> Result<BufferId> {
        let kernels = self.host.of_terms();
        let words = u64::from(cells.capacity);
        let bytes = 4 * words.div_ceil(32);
        let marks = device.alloc(bytes)?;
        device.fill(marks, 0, bytes, 0)?;
        let mut left = device.alloc(4 * words.div_ceil(2))?;
        let mut more = device.alloc(4 * words.div_ceil(2))?;
        let top = device.upload_new(&[0u32])?;
        for (table, column) in self.roots() {
            let used = self.tables[table].used;
            let arguments = MarkColumn {
                cells: cells.cells,
                marks,
                immortal: cells.immortal,
                column: self.buffer(table, Part::Column(column)),
                ids: self.buffer(table, Part::Ids),
                rows: used,
                pending: more,
                top,
            };
            launch(&kernels.mark_column, u64::from(used), &arguments, device)?;
        }
        loop {
            let count: Vec<u32> = device.download_vec(top, 1)?;
            if count[0] == 0 {
                break;
            }
            std::mem::swap(&mut left, &mut more);
            device.fill(top, 0, 4, 0)?;
            let arguments = MarkLeft {
                cells: cells.cells,
                marks,
                immortal: cells.immortal,
                left,
                count: count[0],
                pending: more,
                top,
            };
            launch(&kernels.mark_left, u64::from(count[0]), &arguments, device)?;
        }
        [left, more, top].into_iter().try_for_each(|buffer| device.free(buffer))?;
        Ok(marks)
    }

    /// Where marked cells go.
    fn keep(&self, cells: &Cells, marks: BufferId, device: &mut dyn Device) -> Result<Kept> {
        let count = places_for(cells.capacity);
        let sizes = device.alloc(4 * count)?;
        let offsets = device.alloc(4 * (count + 1))?;
        let layout = &self.host.of_terms().place_cells;
        let kernel = device.kernel(layout.name())?;
        let grid = device.resident_blocks(kernel, BLOCK)?;
        let block_sums = device.alloc(4 * u64::from(grid))?;
        let arguments = PlaceCells {
            cells: cells.cells,
            marks,
            immortal: cells.immortal,
            places: cells.places,
            count: count as u32,
            sizes,
            offsets,
            block_sums,
            arrivals: self.fixed.arrivals,
        };
        let args = layout.args(&arguments);
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: true })?;
        device.free(block_sums)?;
        let mut words = [0u32];
        device.download(offsets, 4 * count, bytemuck::cast_slice_mut(&mut words))?;
        Ok(Kept { words: u64::from(words[0]), sizes, offsets })
    }

    /// Copies the cells that are kept to other buffers, and gives all words their new values.
    fn move_cells(&self, cells: Cells, kept: &Kept, capacity: u32, device: &mut dyn Device) -> Result<Cells> {
        let kernels = self.host.of_terms();
        let count = places_for(cells.capacity);
        let (to, places) = empty(capacity, device)?;
        device.copy(cells.cells, to, 8 * u64::from(cells.immortal))?;
        let moved = device.alloc(4 * u64::from(cells.capacity))?;
        let starts = device.alloc(4 * count)?;
        let immortal = cells.immortal;
        let copy = CopyCells {
            cells: cells.cells,
            immortal,
            places: cells.places,
            count: count as u32,
            sizes: kept.sizes,
            offsets: kept.offsets,
            to,
            moved,
            starts,
        };
        launch(&kernels.copy_cells, count, &copy, device)?;
        let rename = RenameCells { cells: to, immortal, starts, count: count as u32, moved };
        launch(&kernels.rename_cells, count, &rename, device)?;
        enter(kernels, to, starts, count, places, capacity, device)?;
        for (table, column) in self.roots() {
            let used = self.tables[table].used;
            let rename = RenameColumn {
                column: self.buffer(table, Part::Column(column)),
                ids: self.buffer(table, Part::Ids),
                rows: used,
                immortal,
                moved,
            };
            launch(&kernels.rename_column, u64::from(used), &rename, device)?;
        }
        let words = u64::from(cells.immortal) + kept.words;
        device.upload(cells.used, 0, &words.to_le_bytes())?;
        [moved, starts, cells.cells, cells.places].into_iter().try_for_each(|buffer| device.free(buffer))?;
        Ok(Cells { cells: to, places, capacity, ..cells })
    }
}
