//! The plan of a program as text: instructions of its clauses.

use std::fmt::Write as _;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::LogicProgram;

use crate::code::Instr;
use crate::database::{Database, Definition};

/// The instructions of a program's clauses, by predicate.
pub fn plan(program: &LogicProgram) -> Result<String, Vec<Diagnostic>> {
    let loaded = crate::load::load(program)?;
    let db = &loaded.db;
    let mut text = String::new();
    let mut starts: Vec<u32> = db.clauses.iter().map(|clause| clause.code).collect();
    starts.push(db.code.len() as u32);
    starts.sort_unstable();
    for (number, pred) in db.preds.iter().enumerate() {
        let Definition::Clauses(clauses) = &pred.definition else { continue };
        let _ = writeln!(text, "{}:", db.label(number as u32));
        for &id in clauses.all().iter() {
            let start = db.clauses[id as usize].code;
            let end = starts.get(starts.partition_point(|&s| s <= start)).copied().unwrap_or(start);
            for at in start..end {
                let _ = writeln!(text, "  {at:5} {}", instruction(db, db.code[at as usize]));
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn instruction(db: &Database, instr: Instr) -> String {
    match instr {
        Instr::Call(pred, _) => format!("Call {}", db.label(pred)),
        Instr::Execute(pred, _) => format!("Execute {}", db.label(pred)),
        Instr::Builtin(number) => format!("Builtin {}", db.label(db.natives[number as usize])),
        Instr::GetStruct(x, f) => format!("GetStruct({x}, {}/{})", db.names.text(f.name()), f.arity()),
        Instr::PutStruct(x, f) => format!("PutStruct({x}, {}/{})", db.names.text(f.name()), f.arity()),
        Instr::GetConst(x, c) => format!("GetConst({x}, {})", constant(db, c)),
        Instr::PutConst(x, c) => format!("PutConst({x}, {})", constant(db, c)),
        Instr::UnifyConst(c) => format!("UnifyConst({})", constant(db, c)),
        Instr::SetConst(c) => format!("SetConst({})", constant(db, c)),
        Instr::NumConst(c) => format!("NumConst({})", constant(db, c)),
        Instr::Eval(name, n) => format!("Eval({}/{n})", db.names.text(name)),
        other => format!("{other:?}"),
    }
}

fn constant(db: &Database, cell: crate::cell::Cell) -> String {
    if cell.is_atom() { db.names.text(cell.as_atom()).to_string() } else { cell.as_int().to_string() }
}
