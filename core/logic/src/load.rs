//! A program to the database: its clauses compiled, its rules planned.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::logic::{LogicNode, LogicProgram, LogicTermId, Mode, Terms};
use gchr_base::source::Span;

use crate::build::build;
use crate::builtins;
use crate::cell::Cell;
use crate::code::PredId;
use crate::compile::{self, TooLarge};
use crate::database::{Database, Definition};
use crate::heap::Heap;
use crate::names::atom;
use crate::store::Constraints;

/// A program that is ready to run, once.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) db: Database,
    pub(crate) constraints: Constraints,
}

/// Predicates that give variables attributes: a test compares them with the library.
pub(crate) const ATTRIBUTES: &[&str] = &[
    "freeze",
    "dif",
    "when",
    "put_attr",
    "in",
    "ins",
    "#=",
    "#\\=",
    "#<",
    "#>",
    "#=<",
    "#>=",
    "all_different",
    "all_distinct",
    "sum",
    "scalar_product",
    "element",
    "chain",
    "lex_chain",
    "tuples_in",
    "global_cardinality",
    "circuit",
    "cumulative",
    "zcompare",
    "#<==>",
    "#==>",
    "#<==",
    "#\\/",
    "#/\\",
    "#\\",
    "in_set",
    "automaton",
    "serialized",
    "disjoint2",
    "indomain",
    "label",
    "labeling",
];

/// Compiles a program; what keeps it from being run is said.
pub fn load(program: &LogicProgram) -> Result<Loaded, Vec<Diagnostic>> {
    compile(program, false)
}

/// As [`load`], for goals that are not known yet: they may give variables attributes.
pub(crate) fn load_for_goals(program: &LogicProgram) -> Result<Loaded, Vec<Diagnostic>> {
    compile(program, true)
}

fn compile(program: &LogicProgram, open: bool) -> Result<Loaded, Vec<Diagnostic>> {
    let mut db = Database::new();
    db.operators = program.operators.clone();
    db.flags = program.flags.clone();
    builtins::register(&mut db);
    let varies = |c: &gchr_base::logic::Column| c.mode != Mode::Ground;
    db.wakes = open
        || program.constraints.iter().any(|c| c.columns.iter().any(varies))
        || uses_attributes(&program.terms);
    if has_hooks(program) {
        leave_writing_to_library(&mut db);
    }
    declare(program, &mut db);
    let mut heap = Heap::new();
    let constraints = Constraints::plan(program, &mut db, &mut heap)?;
    let with_clauses = before_constraints(program, &mut db);
    add_clauses(program, &mut db, &mut heap)?;
    for (pred, hidden, span) in with_clauses {
        add_constraint_last(&mut heap, &mut db, pred, hidden)
            .map_err(|large| vec![large.diagnostic("the constraint", span)])?;
    }
    Ok(Loaded { db, constraints })
}

/// Adds the clauses of a further text to those of a program that is loaded.
pub(crate) fn consult(part: &LogicProgram, db: &mut Database) -> Result<(), Vec<Diagnostic>> {
    db.operators = part.operators.clone();
    db.flags = part.flags.clone();
    declare(part, db);
    add_clauses(part, db, &mut Heap::new())
}

/// Makes predicates the program's own that have clauses in it, or are declared.
fn declare(program: &LogicProgram, db: &mut Database) {
    for functor in &program.dynamic {
        let pred = db.named(&functor.name, functor.arity);
        own(db, pred);
        db.declare_dynamic(pred);
    }
    for clause in &program.clauses {
        if let Some((name, args)) = program.terms.functor(clause.head) {
            let name = db.names.intern(name);
            let pred = db.pred(name, args.len());
            own(db, pred);
        }
    }
}

/// Compiles the clauses of a program.
fn add_clauses(
    program: &LogicProgram,
    db: &mut Database,
    heap: &mut Heap<'_>,
) -> Result<(), Vec<Diagnostic>> {
    let mut refused = Vec::new();
    for clause in &program.clauses {
        let top = heap.top();
        let mut variables = vec![None; clause.variables.len()];
        let mut one =
            |id| build(heap, &mut db.names, &program.terms, id, &mut variables, &mut HashMap::default());
        let (head, body) = (one(clause.head), one(clause.body));
        let Some((name, arity)) = heap.functor(head) else { continue };
        let pred = db.pred(name, arity);
        let term = heap.compound(atom::neck, &[head, body]);
        let record = heap.record(term);
        let Ok((code, keys)) = compile::compile(heap, db, head, body) else {
            refused.push(TooLarge.diagnostic("the clause", clause.span));
            heap.cells.truncate(top);
            continue;
        };
        db.note_place(code, clause.span);
        let mut info = compile::clause_info(pred, code, keys);
        info.term = Some(std::rc::Rc::new(record));
        db.add(info, false);
        heap.cells.truncate(top);
    }
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

/// What writes terms, and calls goals of the program meanwhile, if it has any.
const WRITING: [(&str, usize); 7] = [
    ("print", 1),
    ("print", 2),
    ("write_term", 2),
    ("write_term", 3),
    ("format", 1),
    ("format", 2),
    ("$format", 3),
];

/// Whether writing may call goals: those of portray/1, or of the directive `~@`.
fn has_hooks(program: &LogicProgram) -> bool {
    let portrays = |head| matches!(program.terms.functor(head), Some(("portray", [_])));
    program.clauses.iter().any(|clause| portrays(clause.head))
        || program.dynamic.iter().any(|functor| &*functor.name == "portray" && functor.arity == 1)
        || (0..program.terms.len()).any(|i| match program.terms.node(LogicTermId(i as u32)) {
            LogicNode::Str(text) | LogicNode::Atom(text) => text.contains("~@"),
            _ => false,
        })
}

/// Gives the machine's predicates that write other names, so that the library's are called.
fn leave_writing_to_library(db: &mut Database) {
    for (name, arity) in WRITING {
        let (pred, plain) = (db.named(name, arity), db.named(&format!("$plain:{name}"), arity));
        let native = std::mem::replace(&mut db.preds[pred as usize].definition, Definition::Unknown);
        db.preds[plain as usize].definition = native;
        db.preds[plain as usize].library = true;
    }
}

/// Constraints that have clauses: the predicate that has the clauses, a hidden one that adds the constraint, and the
/// place of the first clause.
fn before_constraints(program: &LogicProgram, db: &mut Database) -> Vec<(PredId, PredId, Span)> {
    let mut found = Vec::new();
    for clause in &program.clauses {
        let Some((name, args)) = program.terms.functor(clause.head) else { continue };
        let pred = db.named(name, args.len());
        if matches!(db.preds[pred as usize].definition, Definition::Constraint(_)) {
            let hidden = db.named(&format!("$constraint:{name}"), args.len());
            let clauses = Definition::Clauses(Box::default());
            let added = std::mem::replace(&mut db.preds[pred as usize].definition, clauses);
            db.preds[hidden as usize].definition = added;
            found.push((pred, hidden, clause.span));
        }
    }
    found
}

/// The last clause of a constraint that has some: it adds the constraint.
fn add_constraint_last(
    heap: &mut Heap,
    db: &mut Database,
    pred: PredId,
    hidden: PredId,
) -> Result<(), TooLarge> {
    let top = heap.top();
    let args: Vec<Cell> = (0..db.preds[pred as usize].arity).map(|_| heap.variable()).collect();
    let (name, hidden) = (db.preds[pred as usize].name, db.preds[hidden as usize].name);
    let (head, body) = (heap.compound(name, &args), heap.compound(hidden, &args));
    let (code, keys) = compile::compile(heap, db, head, body)?;
    db.add(compile::clause_info(pred, code, keys), false);
    heap.cells.truncate(top);
    Ok(())
}

/// Makes a predicate one of the program's own; the library goes on to use what it was before.
fn own(db: &mut Database, pred: u32) {
    if !db.preds[pred as usize].library {
        if matches!(db.preds[pred as usize].definition, Definition::Unknown) {
            db.preds[pred as usize].definition = Definition::Clauses(Box::default());
        }
        return;
    }
    db.move_to_library(pred);
    db.preds[pred as usize].definition = Definition::Clauses(Box::default());
    db.preds[pred as usize].library = false;
}

fn uses_attributes(terms: &Terms) -> bool {
    let names: HashSet<&str> = ATTRIBUTES.iter().copied().collect();
    (0..terms.len()).any(|i| match terms.node(LogicTermId(i as u32)) {
        LogicNode::Atom(name) | LogicNode::Compound { name, .. } => names.contains(&**name),
        _ => false,
    })
}
