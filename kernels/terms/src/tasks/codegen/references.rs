//! References: code for the plan's steps that duplicate them, give them up, and take cells apart. The work is done by
//! the functions of the templates `cells.cu` and `tasks.cu`; here is what the sort of a value decides.

use gchr_base::ids::Id;
use gchr_base::signature::{SortId, SymbolId};
use gchr_terms::plan::{ClassId, LocalId, RefStep, Variant};

use super::Generator;
use crate::tasks::shapes::pointers;
use gchr_kernel::build;
use gchr_kernel::ir::*;
use gchr_kernel::template::FieldId;

impl<'p> Generator<'_, 'p> {
    /// A step that accounts for references. Nothing where no cell is given back.
    pub(super) fn reference(&mut self, step: &RefStep) {
        if self.runtime.shapes.is_none() {
            return;
        }
        match step {
            RefStep::Dup { local, times } => {
                let (value, sort) = (self.local(*local), self.sort(*local));
                self.duplicate(value, sort, *times);
            }
            RefStep::Drop { local } => {
                let (value, sort) = (self.local(*local), self.sort(*local));
                self.drop_value(value, sort);
            }
            RefStep::Open { cell, symbol, fields, token } => self.open(*cell, *symbol, fields, *token),
            RefStep::Free { token } => {
                let Some(&class) = self.tokens.get(&(self.function, *token)) else { return };
                let cell = self.local(*token);
                self.b.begin();
                self.free_cell(class, cell.clone());
                self.b.end_if(build::binary(BinaryOp::Ne, cell, build::u32(0)));
            }
        }
    }

    /// Code for a value whose cell is behind the mark, by the class of the cell.
    fn of_cell(&mut self, value: &Expr, sort: SortId, code: &mut dyn FnMut(&mut Self, ClassId, Expr)) {
        let layout = self.layout();
        let mut classes: Vec<(ClassId, Vec<u64>)> = Vec::new();
        for (tag, variant) in layout.sorts[sort].variants.iter().enumerate() {
            let Some(class) = variant.class else { continue };
            match classes.iter_mut().find(|(c, _)| *c == class) {
                Some((_, tags)) => tags.push(tag as u64),
                None => classes.push((class, vec![tag as u64])),
            }
        }
        let mut blocks = Vec::new();
        for (class, tags) in classes {
            self.b.begin();
            let cell = self.cell_of(class, value.clone());
            let cell = self.b.var("of", cell);
            self.b.begin();
            code(self, class, cell.clone());
            let behind = self.is_behind(class, cell);
            self.b.end_if(behind);
            blocks.push((tags, self.b.end()));
        }
        if let [(_, block)] = &mut blocks[..] {
            // A value without a cell has index 0.
            std::mem::take(block).into_iter().for_each(|stmt| self.b.append(stmt));
            return;
        }
        let mask = (1u32 << layout.sorts[sort].tag_bits) - 1;
        let tag = build::binary(BinaryOp::And, value.clone(), build::u32(mask));
        self.b.push(StmtKind::Switch { value: tag, cases: blocks, default: Vec::new() });
    }

    /// A parameter of a class whose cells are counted; 0 where none are, which generated code never reads.
    fn counted(&self, class: ClassId, of: impl Fn((FieldId, FieldId)) -> FieldId) -> Expr {
        let field = self.generated().classes[class.index()].counted.map(of);
        field.map_or_else(|| build::u32(0), |field| self.param(field))
    }

    /// Whether a cell is none of those that live as long as the run.
    fn is_behind(&self, class: ClassId, cell: Expr) -> Expr {
        build::binary(BinaryOp::Gt, cell, self.counted(class, |(mark, _)| mark))
    }

    /// The word in `shared` of a cell.
    fn shared_index(&self, class: ClassId, cell: Expr) -> Expr {
        build::binary(BinaryOp::Add, self.counted(class, |(_, shared)| shared), cell)
    }

    fn duplicate(&mut self, value: Expr, sort: SortId, times: u32) {
        self.of_cell(&value, sort, &mut |g, class, cell| {
            let args = vec![g.param(g.params().shared), g.shared_index(class, cell), build::u32(times)];
            g.b.run(g.runtime.names.functions.inc_ref, args);
        });
    }

    fn drop_value(&mut self, value: Expr, sort: SortId) {
        self.of_cell(&value.clone(), sort, &mut |g, class, cell| {
            let leaf = g.is_leaf_cell(sort, class);
            match (g.is_counted(sort), leaf) {
                (false, true) => g.free_cell(class, cell),
                (false, false) => g.release_graph(value.clone(), sort),
                (true, _) => g.dec_ref(class, cell, leaf, value.clone(), sort),
            }
        });
    }

    /// Gives up a reference to a cell that is counted.
    fn dec_ref(&mut self, class: ClassId, cell: Expr, leaf: bool, value: Expr, sort: SortId) {
        let args = vec![self.param(self.params().shared), self.shared_index(class, cell.clone())];
        let last = self.b.call("last", self.runtime.module, self.runtime.names.functions.dec_ref, args);
        self.b.begin();
        if leaf {
            self.free_cell(class, cell);
        } else {
            self.release_graph(value, sort);
        }
        self.b.end_if(last);
    }

    fn is_counted(&self, sort: SortId) -> bool {
        self.runtime.shapes.is_some_and(|s| s.is_counted(sort))
    }

    /// Whether cells of a class have no fields with cells, as far as values of a sort name them.
    fn is_leaf_cell(&self, sort: SortId, class: ClassId) -> bool {
        let layout = self.layout();
        let of_class = |v: &&Variant| v.class == Some(class);
        layout.sorts[sort].variants.iter().filter(of_class).all(|v| pointers(layout, v).next().is_none())
    }

    fn release_graph(&mut self, value: Expr, sort: SortId) {
        let Some(shapes) = self.runtime.shapes else { return };
        let p = self.params();
        let mut args: Vec<Expr> =
            [p.heap, p.shared, p.shapes, p.pool].map(|field| self.param(field)).to_vec();
        args.push(self.lists.clone());
        args.extend([p.control, p.queue, p.turns, p.places, p.place_bits].map(|field| self.param(field)));
        args.extend([value, build::u32(shapes.sort(sort))]);
        self.b.run(self.runtime.names.functions.release_graph, args);
    }

    /// Gives a cell back that is this thread's alone.
    fn free_cell(&mut self, class: ClassId, cell: Expr) {
        let word = self.word_index(class, cell.clone(), 0);
        let p = self.params();
        let mut args: Vec<Expr> = [p.heap, p.shapes, p.pool].map(|field| self.param(field)).to_vec();
        args.extend([self.lists.clone(), build::u32(class.0), cell, word]);
        self.b.run(self.runtime.names.functions.free_cell, args);
    }

    /// Takes fields out of a cell, and its memory.
    fn open(&mut self, local: LocalId, symbol: SymbolId, fields: &[Option<LocalId>], token: Option<LocalId>) {
        let (variant, _) = self.variant(symbol);
        let Some(class) = variant.class else { return };
        let sort = self.sort(local);
        let value = self.local(local);
        let cell = self.cell_of(class, value.clone());
        let cell = self.b.var("opened", cell);
        let memory = token.map(|token| {
            self.bind(token, build::u32(0));
            self.local(token)
        });
        self.b.begin();
        let counted = self.is_counted(sort);
        let alone = counted.then(|| {
            let args = vec![self.param(self.params().shared), self.shared_index(class, cell.clone())];
            self.b.call("alone", self.runtime.module, self.runtime.names.functions.is_alone, args)
        });
        if alone.is_some() {
            self.b.begin();
        }
        self.open_alone(class, variant, cell.clone(), fields, memory);
        if let Some(alone) = alone {
            let then = self.b.end();
            self.b.begin();
            for &field in fields.iter().flatten() {
                let (value, sort) = (self.local(field), self.sort(field));
                if self.layout().sorts[sort].has_cells() {
                    self.duplicate(value, sort, 1);
                }
            }
            self.dec_ref(class, cell.clone(), false, value, sort);
            let otherwise = self.b.end();
            self.b.push(StmtKind::If { condition: alone, then, otherwise });
        }
        let behind = self.is_behind(class, cell);
        self.b.end_if(behind);
    }

    /// A cell that is this thread's alone: fields that nobody takes are dropped, its memory is kept or given back.
    fn open_alone(
        &mut self,
        class: ClassId,
        variant: &Variant,
        cell: Expr,
        fields: &[Option<LocalId>],
        memory: Option<Expr>,
    ) {
        for (field, taken) in variant.fields.iter().zip(fields) {
            if taken.is_none() && self.layout().sorts[field.sort].has_cells() {
                let at = self.word_index(class, cell.clone(), field.offset);
                let value = build::element(self.param(self.params().heap), at);
                let value = self.b.var("dropped", value);
                self.drop_value(value, field.sort);
            }
        }
        match memory {
            Some(memory) => self.b.assign(memory, cell),
            None => self.free_cell(class, cell),
        }
    }

    /// A new cell where cells are given back; `token` is memory for it, unless it is 0.
    pub(super) fn alloc_cell(&mut self, class: ClassId, token: Option<Expr>) -> Expr {
        let first = token.clone().unwrap_or_else(|| build::u32(0));
        let made = self.b.var("made", first);
        self.b.begin();
        let base = self.first_word(class);
        let limit = self.limit(class);
        let stride = build::u32(self.stride(class));
        let args = vec![self.p.clone(), self.lists.clone(), build::u32(class.0), base, stride, limit];
        let cell = self.b.call("cell_at", self.runtime.module, self.runtime.names.functions.alloc_cell, args);
        self.b.assign(made.clone(), cell);
        self.b.begin();
        self.end_thread();
        let none = build::eq(made.clone(), build::u32(0));
        self.b.end_if(none.clone());
        if token.is_some() {
            self.b.end_if(none);
        } else {
            let block = self.b.end();
            block.into_iter().for_each(|stmt| self.b.append(stmt));
        }
        made
    }
}
