//! The heap of terms on a device: how it gets the terms that a run starts with, is collected, and grows.
//!
//! Cells below a mark are those that the run starts with: they never move, so that batches which are put later keep their words. A
//! collection marks what the constraints that live reach, and copies it to other buffers; words and indexes follow. Dead rows are no
//! roots: nothing reads their values again.

use gchr_base::ids::Id;
use gchr_base::signature::{ConstraintId, Signature, SortKind, TextId};

use super::{Grown, Part, Tables};
use crate::contract::BLOCK;
use crate::job::Job;
use crate::terms::Terms;
use gchr_kernel::device::{Arg, BufferId, Device, DeviceExt, Launch, Result, Value};

/// Words that a heap has room for at first, a row of a table.
const WORDS_A_ROW: u64 = 4;
/// Most words of a heap: places of its table have numbers of 32 bits.
pub(crate) const MOST_WORDS: u64 = 1 << 31;

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
    text_ranks: BufferId,
    functor_ranks: BufferId,
    ranks: u64,
    /// The round at which it was collected last.
    collected: Option<u64>,
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

fn launch(name: &str, elements: u64, args: &[Arg<'_>], device: &mut dyn Device) -> Result<()> {
    let kernel = device.kernel(name)?;
    let grid = elements.div_ceil(u64::from(BLOCK)).clamp(1, 1 << 10) as u32;
    device.launch(&Launch { kernel, grid, block: BLOCK, args, cooperative: false })
}

impl Cells {
    pub fn new(terms: &Terms, job: &Job<'_>, rows: u64, device: &mut dyn Device) -> Result<Self> {
        let heap = &job.input.heap;
        let immortal = heap.cells().len() as u32;
        let room = (rows * WORDS_A_ROW).clamp(64, 1 << 24);
        let capacity = (u64::from(immortal) + room).min(MOST_WORDS) as u32;
        let (cells, places) = empty(capacity, device)?;
        device.upload(cells, 0, bytemuck::cast_slice(heap.cells()))?;
        let signature = &job.program.signature;
        let (texts, functors) = if terms.ordered { ranks(signature) } else { (vec![0], vec![0]) };
        let this = Self {
            cells,
            places,
            used: device.upload_new(&[u64::from(immortal)])?,
            capacity,
            immortal,
            text_ranks: device.upload_new(&texts)?,
            functor_ranks: device.upload_new(&functors)?,
            ranks: (texts.len() + functors.len()) as u64,
            collected: None,
        };
        let starts: Vec<u32> = heap.places().collect();
        if !starts.is_empty() {
            let buffer = device.upload_new(&starts)?;
            enter(cells, buffer, starts.len() as u64, places, capacity, device)?;
            device.free(buffer)?;
        }
        Ok(this)
    }

    pub fn bytes(&self) -> u64 {
        bytes_of(self.capacity) + 4 * self.ranks
    }

    /// The fields of the record of buffers, in its order.
    pub fn params(&self) -> [Value; 7] {
        [
            Value::Buffer(self.cells),
            Value::Buffer(self.places),
            Value::Buffer(self.used),
            Value::U32(self.capacity),
            Value::U32((places_for(self.capacity) - 1) as u32),
            Value::Buffer(self.text_ranks),
            Value::Buffer(self.functor_ranks),
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
        let all = [self.cells, self.places, self.used, self.text_ranks, self.functor_ranks];
        all.into_iter().try_for_each(|buffer| device.free(buffer))
    }
}

/// Puts cells into an empty table of places.
fn enter(
    cells: BufferId,
    starts: BufferId,
    count: u64,
    places: BufferId,
    capacity: u32,
    device: &mut dyn Device,
) -> Result<()> {
    let mask = (places_for(capacity) - 1) as u32;
    let args = [cells.into(), starts.into(), Arg::from(count as u32), places.into(), mask.into()];
    launch("enter_cells", count, &args, device)
}

/// The ranks of texts, as an atom and as a string, and of the names of functors. The empty list comes before all other atoms.
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

impl Tables {
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
        let words = u64::from(cells.capacity);
        let bytes = 4 * words.div_ceil(32);
        let marks = device.alloc(bytes)?;
        device.fill(marks, 0, bytes, 0)?;
        let mut left = device.alloc(4 * words.div_ceil(2))?;
        let mut more = device.alloc(4 * words.div_ceil(2))?;
        let top = device.upload_new(&[0u32])?;
        for (table, column) in self.roots() {
            let used = self.tables[table].used;
            let args = [
                Arg::from(cells.cells),
                marks.into(),
                cells.immortal.into(),
                self.buffer(table, Part::Column(column)).into(),
                self.buffer(table, Part::Ids).into(),
                used.into(),
                more.into(),
                top.into(),
            ];
            launch("mark_column", u64::from(used), &args, device)?;
        }
        loop {
            let count: Vec<u32> = device.download_vec(top, 1)?;
            if count[0] == 0 {
                break;
            }
            std::mem::swap(&mut left, &mut more);
            device.fill(top, 0, 4, 0)?;
            let args = [
                Arg::from(cells.cells),
                marks.into(),
                cells.immortal.into(),
                left.into(),
                count[0].into(),
                more.into(),
                top.into(),
            ];
            launch("mark_left", u64::from(count[0]), &args, device)?;
        }
        [left, more, top].into_iter().try_for_each(|buffer| device.free(buffer))?;
        Ok(marks)
    }

    /// Where marked cells go.
    fn keep(&self, cells: &Cells, marks: BufferId, device: &mut dyn Device) -> Result<Kept> {
        let count = places_for(cells.capacity);
        let sizes = device.alloc(4 * count)?;
        let offsets = device.alloc(4 * (count + 1))?;
        let kernel = device.kernel("place_cells")?;
        let grid = device.resident_blocks(kernel, BLOCK)?;
        let block_sums = device.alloc(4 * u64::from(grid))?;
        let args = [
            Arg::from(cells.cells),
            marks.into(),
            cells.immortal.into(),
            cells.places.into(),
            (count as u32).into(),
            sizes.into(),
            offsets.into(),
            block_sums.into(),
            self.fixed.arrivals.into(),
        ];
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: true })?;
        device.free(block_sums)?;
        let mut words = [0u32];
        device.download(offsets, 4 * count, bytemuck::cast_slice_mut(&mut words))?;
        Ok(Kept { words: u64::from(words[0]), sizes, offsets })
    }

    /// Copies the cells that are kept to other buffers, and gives all words their new values.
    fn move_cells(&self, cells: Cells, kept: &Kept, capacity: u32, device: &mut dyn Device) -> Result<Cells> {
        let count = places_for(cells.capacity);
        let (to, places) = empty(capacity, device)?;
        device.copy(cells.cells, to, 8 * u64::from(cells.immortal))?;
        let moved = device.alloc(4 * u64::from(cells.capacity))?;
        let starts = device.alloc(4 * count)?;
        let args = [
            Arg::from(cells.cells),
            cells.immortal.into(),
            cells.places.into(),
            (count as u32).into(),
            kept.sizes.into(),
            kept.offsets.into(),
            to.into(),
            moved.into(),
            starts.into(),
        ];
        launch("copy_cells", count, &args, device)?;
        let args = [Arg::from(to), cells.immortal.into(), starts.into(), (count as u32).into(), moved.into()];
        launch("rename_cells", count, &args, device)?;
        enter(to, starts, count, places, capacity, device)?;
        for (table, column) in self.roots() {
            let used = self.tables[table].used;
            let args = [
                Arg::from(self.buffer(table, Part::Column(column))),
                self.buffer(table, Part::Ids).into(),
                used.into(),
                cells.immortal.into(),
                moved.into(),
            ];
            launch("rename_column", u64::from(used), &args, device)?;
        }
        let words = u64::from(cells.immortal) + kept.words;
        device.upload(cells.used, 0, &words.to_le_bytes())?;
        [moved, starts, cells.cells, cells.places].into_iter().try_for_each(|buffer| device.free(buffer))?;
        Ok(Cells { cells: to, places, capacity, ..cells })
    }
}
