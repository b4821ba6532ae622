//! Clauses, as terms on the heap, to instructions.

mod arith;
mod body;
mod goal;
mod registers;
mod term;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::source::Span;

use crate::cell::Cell;
use crate::code::{Instr, Label, Place, X};
use crate::database::{ClauseInfo, Database, Keys, keys_of};
use crate::heap::Heap;
use crate::names::atom;
use crate::walk::Visited;

use goal::Goal;
pub(crate) use goal::{comparison, test as kind};

/// What is known of a variable of the clause.
#[derive(Clone, Copy, Debug)]
struct Var {
    /// How often it occurs.
    count: u32,
    /// The part between two calls where it first occurs.
    chunk: u32,
    /// Whether it occurs in several of these.
    permanent: bool,
    /// Where its value is, once it is known.
    place: Option<Place>,
    /// Whether the value is there already.
    seen: bool,
}

/// Compiles one clause.
pub(crate) struct Compiler<'a> {
    heap: &'a Heap<'a>,
    db: &'a mut Database,
    code: Vec<Instr>,
    vars: HashMap<Cell, Var>,
    /// First register behind the arguments of all calls.
    next_x: X,
    free_x: Vec<X>,
    slots: u16,
    /// Place of the slot with the cut barrier.
    level: Option<u16>,
    has_frame: bool,
    chunk: u32,
    /// Compound terms of which it is known whether they have variables, and those that have.
    asked: Visited,
    open: Visited,
    /// Whether numbers of registers or slots were used up.
    is_too_large: bool,
}

/// A clause has more variables or values, or a goal has more arguments, than instructions have numbers for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLarge;

impl TooLarge {
    /// The finding for a clause or a rule of a program.
    pub(crate) fn diagnostic(self, what: &str, span: Span) -> Diagnostic {
        Diagnostic::error("C0322", format!("{what} has too many variables or values"))
            .label(span, format!("more than {} of them", X::MAX))
            .help("make a term or facts of them, or several clauses")
    }
}

/// Compiles the clause and gives the place of its code, and the keys of its first arguments.
pub(crate) fn compile(
    heap: &Heap,
    db: &mut Database,
    head: Cell,
    body: Cell,
) -> Result<(Label, Keys), TooLarge> {
    let (head, body) = (heap.deref(head), heap.deref(body));
    let (start, arity) = heap.args(head);
    if arity > usize::from(X::MAX) {
        return Err(TooLarge);
    }
    let args = &heap.cells[start..start + arity];
    if body == Cell::atom(atom::true_) && args.iter().all(|&arg| heap.deref(arg).is_immediate()) {
        return Ok((fact(heap, db, args), keys_of(heap, args)));
    }
    let goals = goal::read(heap, db, body, 0);
    let mut compiler = Compiler {
        heap,
        db,
        code: Vec::new(),
        vars: HashMap::default(),
        next_x: 0,
        free_x: Vec::new(),
        slots: 0,
        level: None,
        has_frame: false,
        chunk: 0,
        asked: Visited::default(),
        open: Visited::default(),
        is_too_large: false,
    };
    compiler.analyse(start, arity, &goals);
    // What is not known of all variables is nothing to make code of.
    if heap.meter.is_stopped() {
        return Ok((crate::code::FAIL, Keys::default()));
    }
    compiler.emit_clause(start, arity, &goals);
    if compiler.is_too_large {
        return Err(TooLarge);
    }
    let code = std::mem::take(&mut compiler.code);
    Ok((relocate(db, code), keys_of(heap, args)))
}

/// Code of a fact whose arguments are immediate values.
fn fact(heap: &Heap, db: &mut Database, args: &[Cell]) -> Label {
    let at = db.code.len() as Label;
    db.code.extend(args.iter().enumerate().map(|(i, &arg)| Instr::GetConst(i as X, heap.deref(arg))));
    db.code.push(Instr::Proceed);
    at
}

/// Appends code whose labels are relative to its start, but for [`FAIL`](crate::code::FAIL).
fn relocate(db: &mut Database, code: Vec<Instr>) -> Label {
    let base = db.code.len() as Label;
    let shift = |label: Label| if label == crate::code::FAIL { label } else { label - 1 + base };
    db.code.extend(code.into_iter().map(|instr| match instr {
        Instr::Try(l) => Instr::Try(shift(l)),
        Instr::Jump(l) => Instr::Jump(shift(l)),
        Instr::Compare(c, l) => Instr::Compare(c, shift(l)),
        Instr::Test(k, p, l) => Instr::Test(k, p, shift(l)),
        Instr::Identical(a, b, n, l) => Instr::Identical(a, b, n, shift(l)),
        other => other,
    }));
    base
}

/// A clause as it is stored, without its code.
pub(crate) fn clause_info(pred: u32, code: Label, keys: Keys) -> ClauseInfo {
    ClauseInfo { code, keys, erased: u64::MAX, term: None, pred }
}

/// Splits `Head :- Body`.
pub(crate) fn split(heap: &Heap, clause: Cell) -> (Cell, Cell) {
    let clause = heap.deref(clause);
    match heap.binary(clause, atom::neck) {
        Some(parts) => parts,
        None => (clause, Cell::atom(atom::true_)),
    }
}

impl Compiler<'_> {
    fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
    }
    /// A label of the next instruction: one more than its place, as zero means failure.
    fn here(&self) -> Label {
        self.code.len() as Label + 1
    }
    /// Makes jumps at these places go to the next instruction.
    fn patch(&mut self, places: &[usize]) {
        let to = self.here();
        for &place in places {
            match &mut self.code[place] {
                Instr::Try(l)
                | Instr::Jump(l)
                | Instr::Compare(_, l)
                | Instr::Test(_, _, l)
                | Instr::Identical(_, _, _, l) => *l = to,
                _ => {}
            }
        }
    }
    fn temp(&mut self) -> X {
        self.free_x.pop().unwrap_or_else(|| self.register())
    }
    /// A register that was not used before.
    fn register(&mut self) -> X {
        self.is_too_large |= self.next_x == X::MAX;
        self.next_x = self.next_x.saturating_add(1);
        self.next_x - 1
    }
    fn slot(&mut self) -> u16 {
        self.is_too_large |= self.slots == u16::MAX;
        self.slots = self.slots.saturating_add(1);
        self.slots - 1
    }
    /// Keeps registers for the arguments of a goal.
    fn keep_for(&mut self, arguments: usize) {
        self.is_too_large |= arguments > usize::from(X::MAX);
        self.next_x = self.next_x.max(arguments as X);
    }

    fn emit_clause(&mut self, start: usize, arity: usize, goals: &[Goal]) {
        if self.has_frame {
            self.emit(Instr::Allocate(0));
        }
        if self.has_frame && Goal::has_deep_cut(goals) {
            let level = self.slot();
            self.level = Some(level);
            self.emit(Instr::Level(level));
        }
        self.head(start, arity);
        if self.db.wakes && Goal::runs_inline_first(goals) {
            let live = self.next_x.max(arity as X);
            self.emit(Instr::Wake(live));
        }
        self.chunk = 0;
        self.conjunction(goals, true);
        let slots = self.slots;
        if self.has_frame {
            self.code[0] = Instr::Allocate(slots);
        }
    }
}
