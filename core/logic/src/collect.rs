//! Collection of the heap: what no goal can reach any more is left out, the rest moves down in order.
//!
//! Cells keep their order, so that older variables stay older and choice points go on to know what is younger than
//! they are. What can be reached is found from the registers of the goal that is called, the slots of environments that
//! their code still reads ([`live`]), choice points, the store, global variables and what backtracking takes back.

mod live;
mod mark;

use std::rc::Rc;

use gchr_base::hash::{HashMap, HashSet};

use crate::cell::{Cell, MAX_ARITY, Tag};
use crate::code::{FAIL, Instr, Label, at};
use crate::heap::{Heap, MARK};
use crate::machine::{Alternative, Done, FRAME, Machine};
use crate::undo::{Global, Undo, Woken};
use crate::walk::Visited;
use live::Live;
use mark::Marks;

/// How large the heap may become, of what a collection left, until the next one.
const GROWTH: usize = 3;

/// What a collection knows while it runs.
struct Collector {
    marks: Marks,
    /// Environments that were looked at; and with the code that goes on in them, those that were met again.
    seen: Visited,
    again: HashSet<(usize, Label)>,
    known: Visited,
    live: HashMap<Label, Rc<Live>>,
}

impl Machine<'_, '_> {
    /// Looks at limits, those that the program set among them, and collects where the heap grew; the first `arity`
    /// registers are in use.
    #[cold]
    pub fn rest(&mut self, arity: usize) -> Done<()> {
        if self.heap.top() >= self.collect_at {
            self.collect(arity);
        }
        self.look()?;
        if self.alarms.is_quiet() || !self.is_ringing() { Ok(()) } else { self.sound_alarms() }
    }

    /// Whether the next call collects.
    pub fn is_collection_due(&self) -> bool {
        self.heap.top() >= self.collect_at
    }

    /// How many registers the code from a place on reads before it writes them.
    pub fn registers_at(&self, label: Label) -> usize {
        live::at(&self.db, label).registers.last().map_or(0, |&x| x as usize + 1)
    }

    fn collect(&mut self, arity: usize) {
        let mut collector = Collector {
            marks: Marks::new(self.heap.top()),
            seen: Visited::default(),
            again: HashSet::default(),
            known: Visited::default(),
            live: HashMap::default(),
        };
        self.mark_all(&mut collector, arity);
        self.mark_undo(&mut collector);
        collector.marks.count();
        self.move_roots(&collector, arity);
        self.move_trail(&collector.marks);
        self.heap.compact(&collector.marks);
        self.settle();
        self.collect_at = (GROWTH * self.heap.top()).max(self.fewest);
        if self.heap.cells.capacity() > 4 * self.collect_at {
            self.heap.cells.shrink_to(self.collect_at);
        }
    }

    fn mark_all(&mut self, c: &mut Collector, arity: usize) {
        let heap = &self.heap;
        let registers = self.x[..arity].iter().chain(&self.saved).chain(self.roots.iter().flatten());
        registers.for_each(|&cell| c.marks.mark(heap, cell));
        for woken in &heap.woken {
            let Woken::Bound(place, value) = *woken else { continue };
            c.marks.mark(heap, Cell::attributed(place));
            c.marks.mark(heap, value);
        }
        for global in self.globals.values() {
            if let Global::Term(cell) = global {
                c.marks.mark(heap, *cell);
            }
        }
        let changes = heap.undo.iter().filter_map(|undo| match undo {
            Undo::Store(change) => Some(change),
            _ => None,
        });
        self.constraints.terms(changes).into_iter().for_each(|cell| c.marks.mark(heap, cell));
        let (env, cp) = self.continuation();
        self.mark_environments(c, env, cp);
        for choice in &self.choices {
            match choice.alternative {
                Alternative::Code(FAIL) => {}
                Alternative::Code(label) if label != at::PROCEED => {
                    self.mark_environments(c, choice.env, label)
                }
                _ => self.mark_environments(c, choice.env, choice.cp),
            }
        }
    }

    /// Marks what the slots of an environment and of those below it hold, as far as their code reads them.
    fn mark_environments(&self, c: &mut Collector, mut env: usize, mut label: Label) {
        let top = self.stack.len();
        while env != 0 && (c.seen.insert(env, top) || c.again.insert((env, label))) {
            let n = self.stack[env + 2].0 as usize;
            let first = env + FRAME;
            let code = &self.db.code[label as usize];
            match code {
                Instr::Woken => {
                    let live = self.live_at(c, self.stack[first].as_int() as Label);
                    let kept = live.registers.iter().map(|&x| 2 + x as usize).filter(|&slot| slot < n);
                    kept.for_each(|slot| c.slot(&self.heap, &self.stack, first + slot));
                    if live.leaves {
                        // Where the interrupted clause was last called from says nothing of its environment.
                        let own = self.stack[env].0 as usize;
                        self.mark_slots(c, own, &live);
                        label = self.stack[own + 1].0 as Label;
                        env = self.stack[own].0 as usize;
                        continue;
                    }
                }
                _ if label <= at::LAST => {
                    (first..first + n).for_each(|place| c.slot(&self.heap, &self.stack, place));
                }
                _ => {
                    let live = self.live_at(c, label);
                    self.mark_slots(c, env, &live);
                }
            }
            label = self.stack[env + 1].0 as Label;
            env = self.stack[env].0 as usize;
        }
    }

    /// Marks what the code of an environment reads of its slots.
    fn mark_slots(&self, c: &mut Collector, env: usize, live: &Live) {
        let n = self.stack[env + 2].0 as usize;
        let kept = live.slots.iter().map(|&y| y as usize).filter(|&slot| slot < n);
        kept.for_each(|slot| c.slot(&self.heap, &self.stack, env + FRAME + slot));
    }

    fn live_at(&self, c: &mut Collector, label: Label) -> Rc<Live> {
        let db = &self.db;
        c.live.entry(label).or_insert_with(|| Rc::new(live::at(db, label))).clone()
    }

    /// Marks what backtracking brings back, where it can be reached then.
    fn mark_undo(&self, c: &mut Collector) {
        loop {
            let before = c.marks.marked;
            for undo in &self.heap.undo {
                match undo {
                    Undo::Cell(place, _) if !c.marks.has(*place) => {}
                    Undo::Cell(_, value)
                    | Undo::Slot(_, value)
                    | Undo::Global(_, Some(Global::Term(value))) => {
                        c.marks.mark(&self.heap, *value);
                    }
                    Undo::Store(_) | Undo::Global(..) | Undo::Guard(_) => {}
                }
            }
            if c.marks.marked == before {
                return;
            }
        }
    }

    fn move_roots(&mut self, c: &Collector, arity: usize) {
        let marks = &c.marks;
        let registers =
            self.x[..arity].iter_mut().chain(&mut self.saved).chain(self.roots.iter_mut().flatten());
        registers.for_each(|cell| marks.move_cell(cell));
        for woken in &mut self.heap.woken {
            let Woken::Bound(place, value) = woken else { continue };
            *place = marks.rank(*place);
            marks.move_cell(value);
        }
        for global in self.globals.values_mut() {
            if let Global::Term(cell) = global {
                marks.move_cell(cell);
            }
        }
        self.constraints.move_terms(|cell| marks.move_cell(cell));
        c.known.for_each(|place| marks.move_cell(&mut self.stack[place]));
        for choice in &mut self.choices {
            choice.heap = marks.rank(choice.heap);
        }
        self.protect();
    }

    /// Moves what the trail refers to, and leaves out what nothing can reach.
    fn move_trail(&mut self, marks: &Marks) {
        let old = std::mem::take(&mut self.heap.trail);
        let mut undo = std::mem::take(&mut self.heap.undo).into_iter();
        let mut lengths = self.choices.iter_mut().map(|choice| &mut choice.trail).peekable();
        for (i, entry) in old.iter().enumerate() {
            while let Some(length) = lengths.next_if(|length| **length <= i) {
                *length = self.heap.trail.len();
            }
            if *entry != MARK {
                if marks.has(*entry as usize) {
                    self.heap.trail.push(marks.rank(*entry as usize) as u64);
                }
                continue;
            }
            let moved = match undo.next() {
                Some(Undo::Cell(place, _)) if !marks.has(place) => None,
                Some(Undo::Cell(place, value)) => Some(Undo::Cell(marks.rank(place), marks.moved(value))),
                Some(Undo::Slot(place, value)) => Some(Undo::Slot(place, marks.moved(value))),
                Some(Undo::Global(name, Some(Global::Term(value)))) => {
                    Some(Undo::Global(name, Some(Global::Term(marks.moved(value)))))
                }
                other => other,
            };
            if let Some(undo) = moved {
                self.heap.note(undo);
            }
        }
        lengths.for_each(|length| *length = self.heap.trail.len());
    }
}

impl Collector {
    /// Marks what a place of the stack holds.
    fn slot(&mut self, heap: &Heap, stack: &[Cell], place: usize) {
        if self.known.insert(place, stack.len()) {
            self.marks.mark(heap, stack[place]);
        }
    }
}

impl Heap<'_> {
    /// Moves marked cells down, and what they refer to with them.
    fn compact(&mut self, marks: &Marks) {
        let mut to = 0;
        let mut raw = 0;
        marks.for_each(|from| {
            let mut cell = self.cells[from];
            // Words of boxed values are no cells.
            if from >= raw {
                if cell.tag() == Tag::Header && cell.arity() > MAX_ARITY {
                    raw = from + self.box_words(Cell::boxed(from));
                }
                marks.move_cell(&mut cell);
            }
            self.cells[to] = cell;
            to += 1;
        });
        self.cells.truncate(to);
    }
}
