//! Cells: how they lie in the heap, reading, allocation, building.
//!
//! A cell takes 1, 2 or a multiple of 4 words, so that it is read and written in accesses of 4, 8 or 16 bytes. The
//! cells of a class lie side by side behind the parameter `base`; the index in a value counts from there, and 0 is no
//! cell.

use gchr_base::ids::Id;
use gchr_base::signature::SymbolId;
use gchr_terms::plan::{ClassId, Field, LocalId, Region, Step, Variant};

use super::super::frames::{HOLE, ROOT, SORT};
use super::{Generator, add, from_bits, halves, wide_bits};
use gchr_kernel::build;
use gchr_kernel::ir::*;

/// Words that a cell of so many words takes.
pub fn stride(words: u32) -> u32 {
    match words {
        0 | 1 => 1,
        2 => 2,
        _ => words.next_multiple_of(4),
    }
}

/// Cells that a thread takes at a time, at the very least.
pub const FEWEST_CELLS: u32 = 8;
/// Cells that a thread makes sure of at a time, at most: all but the first of the smallest run of cells that one takes.
const MOST_RESERVED: u32 = FEWEST_CELLS - 1;

/// Whether no way through a nested region builds a cell, calls, or goes round.
fn builds_nothing(region: &Region) -> bool {
    let mut nothing = !region.is_loop();
    region.body.walk(&mut |block| {
        nothing &= block.steps.iter().all(|step| match step {
            Step::Build { .. } | Step::Repeat { .. } | Step::Call { .. } => false,
            Step::Region { region, .. } => !region.is_loop(),
            _ => true,
        });
    });
    nothing
}

/// Words of an element of the view of the heap for cells of a stride.
pub fn view(stride: u32) -> u32 {
    match stride {
        1 => 1,
        2 => 2,
        _ => 4,
    }
}

/// A cell of which fields are in scope that are not read yet.
#[derive(Clone)]
pub(super) struct Unread<'p> {
    variant: &'p Variant,
    value: Expr,
    fields: Vec<(LocalId, Field)>,
}

impl Unread<'_> {
    /// Whether the local is one of its fields.
    pub(super) fn binds(&self, local: LocalId) -> bool {
        self.fields.iter().any(|(field, _)| *field == local)
    }
}

impl<'p> Generator<'_, 'p> {
    /// A variant with its tag.
    ///
    /// # Panics
    /// When the symbol heads no normal form: the plan is verified.
    pub(super) fn variant(&self, symbol: SymbolId) -> (&'p Variant, u32) {
        let layout = self.layout();
        layout.variant(symbol).zip(layout.tag(symbol)).expect("what is built is a normal form")
    }

    pub(super) fn stride(&self, class: ClassId) -> u32 {
        stride(self.layout().classes[class].words)
    }

    /// The buffer through which cells of a stride are read and written.
    fn view_of(&self, stride: u32) -> Expr {
        let params = self.params();
        self.param(match view(stride) {
            1 => params.heap,
            2 => params.pairs,
            _ => params.quads,
        })
    }

    /// Element of the class's view with cell 0.
    fn base(&self, class: ClassId) -> Expr {
        self.param(self.generated().classes[class.index()].base)
    }

    /// Cells of a class that the launch may take.
    pub(super) fn limit(&self, class: ClassId) -> Expr {
        self.param(self.generated().classes[class.index()].limit)
    }

    /// Element of the class's view with the first words of a cell.
    fn element_index(&self, class: ClassId, cell: Expr) -> Expr {
        let stride = self.stride(class);
        let elements = stride / view(stride);
        let offset =
            if elements == 1 { cell } else { build::binary(BinaryOp::Mul, cell, build::u32(elements)) };
        build::binary(BinaryOp::Add, self.base(class), offset)
    }

    /// Index of the heap's word with a field of a cell.
    pub(super) fn word_index(&self, class: ClassId, cell: Expr, offset: u32) -> Expr {
        let per = view(self.stride(class));
        let element = self.element_index(class, cell);
        let first = if per == 1 { element } else { build::binary(BinaryOp::Mul, element, build::u32(per)) };
        add(first, offset)
    }

    /// Index of the heap's word where a class begins.
    pub(super) fn first_word(&self, class: ClassId) -> Expr {
        let base = self.base(class);
        match view(self.stride(class)) {
            1 => base,
            per => build::binary(BinaryOp::Mul, base, build::u32(per)),
        }
    }

    /// Words of a cell, those that are wanted: each element is read once.
    fn read_words(&mut self, class: ClassId, cell: Expr, wanted: &[u32]) -> Vec<Expr> {
        let stride = self.stride(class);
        let per = view(stride);
        let index = self.element_index(class, cell);
        let index = self.b.var("at", index);
        let buffer = self.view_of(stride);
        if per == 1 {
            return wanted.iter().map(|_| build::element(buffer.clone(), index.clone())).collect();
        }
        let mut elements: Vec<(u32, Expr)> = Vec::new();
        let mut words = Vec::new();
        for &word in wanted {
            let number = word / per;
            let known = elements.iter().find(|(n, _)| *n == number).map(|(_, e)| e.clone());
            let element = known.unwrap_or_else(|| {
                let element = build::element(buffer.clone(), add(index.clone(), number));
                let element = self.b.var("cell", element);
                elements.push((number, element.clone()));
                element
            });
            words.push(build::field_at(self.runtime.module, element, word % per));
        }
        words
    }

    /// Brings fields of a cell into scope. They are read when the first of them, or of another cell that is not read
    /// yet, is needed: so cells that are looked at one after the other are read side by side, and none before it must
    /// be. Where cells are given back they are read at once.
    pub(super) fn read_fields(&mut self, variant: &'p Variant, value: Expr, fields: &[Option<LocalId>]) {
        let fields: Vec<(LocalId, Field)> = fields
            .iter()
            .zip(&variant.fields)
            .filter_map(|(local, field)| Some(((*local)?, *field)))
            .collect();
        if fields.is_empty() {
            return;
        }
        self.scope.unread.push(Unread { variant, value, fields });
        if self.runtime.shapes.is_some() {
            self.read_cells();
        }
    }

    /// Reads all cells that are not read yet.
    pub(super) fn read_cells(&mut self) {
        for Unread { variant, value, fields } in std::mem::take(&mut self.scope.unread) {
            self.scope.read.extend(fields.iter().map(|(local, _)| *local));
            self.read_cell(variant, value, fields);
        }
    }

    fn read_cell(&mut self, variant: &Variant, value: Expr, wanted: Vec<(LocalId, Field)>) {
        let Some(class) = variant.class else { return };
        let cell = self.cell_of(class, value);
        let offsets: Vec<u32> = wanted
            .iter()
            .flat_map(|(_, f)| [Some(f.offset), f.wide.then_some(f.offset + 1)])
            .flatten()
            .collect();
        let mut words = self.read_words(class, cell, &offsets).into_iter();
        for (local, field) in wanted {
            let Some(low) = words.next() else { return };
            let high = if field.wide { words.next() } else { None };
            let value = match high {
                Some(high) => from_bits(self.scalar(local), wide_bits(low, high)),
                None => low,
            };
            self.bind(local, value);
        }
    }

    /// Index of the cell that a value names.
    pub(super) fn cell_of(&self, class: ClassId, value: Expr) -> Expr {
        match self.layout().classes[class].tag_bits {
            0 => value,
            bits => build::binary(BinaryOp::Shr, value, build::u32(bits)),
        }
    }

    /// The value that names a cell.
    fn value_of(&self, class: ClassId, tag: u32, cell: Expr) -> Expr {
        let shifted = match self.layout().classes[class].tag_bits {
            0 => cell,
            bits => build::binary(BinaryOp::Shl, cell, build::u32(bits)),
        };
        if tag == 0 { shifted } else { build::binary(BinaryOp::Or, shifted, build::u32(tag)) }
    }

    /// A new cell; `token` is memory for it, if it has any.
    fn allocate(&mut self, class: ClassId, token: Option<LocalId>) -> Expr {
        if self.runtime.shapes.is_some() {
            let token = token.map(|token| self.local(token));
            return self.alloc_cell(class, token);
        }
        match self.scope.reserved.get_mut(&class) {
            Some(left) if *left > 0 => *left -= 1,
            _ => self.have_cells(class, 1),
        }
        let cursor = self.reg(self.generated().cursors[class.index()]);
        let cell = self.b.var("made", cursor.clone());
        self.b.assign(cursor, build::binary(BinaryOp::Add, cell.clone(), build::u32(1)));
        cell
    }

    /// Sees to it that the thread has so many cells of a class at hand, side by side; what is left of fewer goes
    /// unused.
    fn have_cells(&mut self, class: ClassId, cells: u32) {
        let cursor = self.reg(self.generated().cursors[class.index()]);
        let run = self.param(self.params().run);
        let mask = build::binary(BinaryOp::Sub, run.clone(), build::u32(1));
        let used_up = if cells == 1 {
            build::eq(build::binary(BinaryOp::And, cursor.clone(), mask), build::u32(0))
        } else {
            let left = build::binary(BinaryOp::Sub, build::u32(0), cursor.clone());
            build::binary(BinaryOp::Lt, build::binary(BinaryOp::And, left, mask), build::u32(cells))
        };
        self.b.begin();
        let limit = self.limit(class);
        let args = vec![self.param(self.params().control), build::u32(class.0), limit, run];
        let first = self.b.call("first", self.runtime.module, self.runtime.names.functions.fresh, args);
        self.b.assign(cursor.clone(), first);
        self.b.begin();
        self.without_cell();
        self.b.end_if(build::eq(cursor, build::u32(0)));
        self.b.end_if(used_up);
    }

    /// Where the first of these steps builds a cell: looks once whether there is memory for all cells of its class that
    /// they build whatever happens. Threads in safepoint mode take cells one by one: there may be no more.
    pub(super) fn reserve(&mut self, steps: &[Step]) {
        let built = |g: &Self, step: &Step| match step {
            Step::Build { symbol, .. } => g.variant(*symbol).0.class,
            _ => None,
        };
        let Some(class) = steps.first().and_then(|step| built(self, step)) else { return };
        let reserved = self.scope.reserved.get(&class).is_some_and(|&left| left > 0);
        if reserved || self.safepoints || self.runtime.shapes.is_some() {
            return;
        }
        let straight = steps.iter().take_while(|step| match step {
            Step::Region { region, .. } => builds_nothing(region),
            step => !matches!(step, Step::Call { .. } | Step::Repeat { .. }),
        });
        let cells = straight.filter(|step| built(self, step) == Some(class)).count() as u32;
        if cells > 1 {
            let cells = cells.min(MOST_RESERVED);
            self.have_cells(class, cells);
            self.scope.reserved.insert(class, cells);
        }
    }

    /// Writes a whole cell; `words` are those of its fields.
    fn write_cell(&mut self, class: ClassId, cell: Expr, mut words: Vec<Expr>) {
        let stride = self.stride(class);
        let per = view(stride);
        words.resize(stride as usize, build::u32(0));
        let index = self.element_index(class, cell);
        let index = if stride == per { index } else { self.b.var("at", index) };
        let buffer = self.view_of(stride);
        for (number, element) in words.chunks(per as usize).enumerate() {
            let to = build::element(buffer.clone(), add(index.clone(), number as u32));
            let value = match element {
                [word] => word.clone(),
                record => Expr::new(ExprKind::Record(record.to_vec()), to.ty),
            };
            self.b.assign(to, value);
        }
    }

    fn field_words(&self, variant: &Variant, args: &[Expr]) -> Vec<Expr> {
        let mut words = Vec::new();
        for (field, arg) in variant.fields.iter().zip(args) {
            if field.wide { words.extend(halves(arg.clone())) } else { words.push(arg.clone()) }
        }
        words
    }

    /// A value headed by a variant.
    pub(super) fn build(&mut self, symbol: SymbolId, args: &[LocalId], reuse: Option<LocalId>) -> Expr {
        let args: Vec<Expr> = args.iter().map(|&a| self.local(a)).collect();
        self.build_of(symbol, &args, reuse).0
    }

    /// A value headed by a variant, and its cell.
    fn build_of(&mut self, symbol: SymbolId, args: &[Expr], reuse: Option<LocalId>) -> (Expr, Expr) {
        let (variant, tag) = self.variant(symbol);
        let Some(class) = variant.class else { return (build::u32(tag), build::u32(0)) };
        let words = self.field_words(variant, args);
        let cell = self.allocate(class, reuse);
        self.write_cell(class, cell.clone(), words);
        (self.value_of(class, tag, cell.clone()), cell)
    }

    /// A unary constructor applied many times.
    pub(super) fn repeat(&mut self, symbol: SymbolId, count: u32, arg: Expr) -> Expr {
        const UNROLLED: u32 = 4;
        if count <= UNROLLED {
            return (0..count).fold(arg, |arg, _| {
                let (value, _) = self.build_of(symbol, &[arg], None);
                self.b.var("nested", value)
            });
        }
        let value = self.b.var("nested", arg);
        let i = self.b.counter("i", Type::U32);
        self.b.begin();
        let (outer, _) = self.build_of(symbol, std::slice::from_ref(&value), None);
        self.b.assign(value.clone(), outer);
        let more = build::binary(BinaryOp::Lt, i.clone(), build::u32(count));
        let next = add(i.clone(), 1);
        self.b.end_for(&i, build::u32(0), more, next);
        value
    }

    /// Builds the cells of a context; the hole is the machine's from now on.
    pub(super) fn context(&mut self, hole: LocalId, nest: &[Step]) {
        self.scope.env.insert(hole, build::u32(0));
        self.reserve(nest);
        let mut place = None;
        for (i, step) in nest.iter().enumerate() {
            let value = match step {
                Step::Build { symbol, args, reuse, .. } => {
                    let values: Vec<Expr> = args.iter().map(|&a| self.local(a)).collect();
                    let (value, cell) = self.build_of(*symbol, &values, *reuse);
                    if i == 0 {
                        let at = args.iter().position(|&a| a == hole);
                        place = at.map(|at| (*symbol, at, cell));
                    }
                    value
                }
                Step::Repeat { symbol, count, arg, .. } => {
                    let mut arg = self.local(*arg);
                    let mut count = *count;
                    if i == 0 {
                        let (value, cell) = self.build_of(*symbol, &[arg], None);
                        arg = self.b.var("nested", value);
                        place = Some((*symbol, 0, cell));
                        count -= 1;
                    }
                    self.repeat(*symbol, count, arg)
                }
                _ => continue,
            };
            if let Some(dst) = step.dst() {
                self.bind(dst, value);
            }
        }
        let outer = nest.last().and_then(Step::dst).map(|d| self.local(d));
        let (Some(outer), Some((symbol, field, cell))) = (outer, place) else { return };
        let (variant, _) = self.variant(symbol);
        let Some(class) = variant.class else { return };
        self.fill_hole(outer);
        if let (Some(tracing), Some(dst)) = (self.runtime.tracing, nest.last().and_then(Step::dst)) {
            self.begin_context(tracing.sort(self.sort(dst)));
        }
        let next = self.word_index(class, cell, variant.fields[field].offset);
        let (_, hole) = self.root_and_hole();
        self.b.assign(hole, next);
    }

    /// Where the outermost cell and the hole of the function at hand are.
    fn root_and_hole(&self) -> (Expr, Expr) {
        self.context.clone().unwrap_or_else(|| (self.destination(ROOT), self.destination(HOLE)))
    }

    /// Puts a value where the function's own goes: into the hole, else it is the outermost cell, which is the value of
    /// the function.
    pub(super) fn fill_hole(&mut self, value: Expr) -> Expr {
        let (root, hole) = self.root_and_hole();
        let none = build::eq(hole.clone(), build::u32(0));
        self.b.begin();
        self.b.assign(root.clone(), value.clone());
        let then = self.b.end();
        self.b.begin();
        let to = build::element(self.param(self.params().heap), hole);
        self.b.assign(to, value);
        let otherwise = self.b.end();
        self.b.push(StmtKind::If { condition: none, then, otherwise });
        root
    }

    /// Where there was no context yet, the cell that was made is the outermost one: notes its sort.
    fn begin_context(&mut self, sort: u32) {
        let none = build::eq(self.destination(HOLE), build::u32(0));
        self.b.begin();
        self.set(self.destination_field(SORT), build::u32(sort));
        self.b.end_if(none);
    }

    /// The function returns a term: the value, or the outermost cell of the context that it fills.
    pub(super) fn return_term(&mut self, value: Expr) {
        if self.states.holes[self.function] {
            let root = self.fill_hole(value);
            self.set(self.machine().value, root);
        } else {
            self.set(self.machine().value, value);
        }
    }
}
