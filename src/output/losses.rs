//! What a format of tables does not keep: values that `--facts` reads back as other ones.

use gchr_base::logic::{LogicNode, LogicProgram, LogicTermId};
use gchr_base::signature::{ConstraintId, Signature, SortKind};
use gchr_base::value::Value;
use gchr_constraints::exec::{Rows, Store};
use gchr_logic::Answer;

use super::table_format::TableFormat;

/// How a format writes values, as far as it matters for reading them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As text: what it is follows from how it looks, where the program does not say it.
    Text,
    /// Columns of numbers or of texts, as the program has them.
    Typed,
    /// The same in a database, which does not tell 0.0 from -0.0.
    Database,
    /// Each value with what it is.
    Json,
}

/// What a program says of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Number,
    Atom,
    Str,
    /// Values of more than one kind, or nothing.
    Open,
}

/// Which values a column holds.
#[derive(Default)]
struct ValueKinds {
    int: bool,
    float: bool,
    negative_zero: bool,
    /// Atoms that look like numbers.
    digits: bool,
    /// Other atoms.
    word: bool,
    string: bool,
    compound: bool,
    variable: bool,
    /// Integers of more than 64 bits, and floats that are not finite.
    beyond: bool,
}

/// What is lost of the constraints of a symbol, a line for each argument.
pub(super) fn of_store(
    store: &Store,
    signature: &Signature,
    id: ConstraintId,
    format: Option<TableFormat>,
) -> Vec<String> {
    let form = Form::of(format);
    if form == Form::Json {
        return Vec::new();
    }
    let columns: Vec<(usize, Declared, SortKind)> = signature.constraints[id]
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            (at, Declared::of(column.declared, signature.kind(column.sort)), signature.kind(column.sort))
        })
        .filter(|&(_, declared, kind)| may_lose(declared, kind, form))
        .collect();
    // Rows are put in order to be looked at: not where nothing can be lost.
    if columns.is_empty() {
        return Vec::new();
    }
    let rows = store.rows(signature, id);
    let lost = columns.into_iter();
    let lost =
        lost.filter_map(|(at, declared, kind)| Some((at, held(&rows, at).lost(declared, kind, form)?)));
    lines(&signature.constraint_name(id), lost)
}

/// The same of answers of the logic machine, whose tables hold texts.
pub(super) fn of_logic(
    answers: &[Answer],
    program: &LogicProgram,
    (name, arity): (&str, usize),
    format: Option<TableFormat>,
) -> Vec<String> {
    let mut held: Vec<ValueKinds> = (0..arity).map(|_| ValueKinds::default()).collect();
    for answer in answers {
        for &term in &answer.store {
            let of_symbol = answer.terms.functor(term).filter(|(n, args)| *n == name && args.len() == arity);
            for (held, &arg) in held.iter_mut().zip(of_symbol.map_or(&[][..], |(_, args)| args)) {
                held.add_term(answer, arg);
            }
        }
    }
    let symbol = program.constraints.iter().find(|c| &*c.name == name && c.columns.len() == arity);
    let declared = |at: usize| {
        let ty = symbol.and_then(|symbol| symbol.columns[at].ty);
        match ty.map(|ty| program.terms.node(ty)) {
            Some(LogicNode::Atom(ty)) => match &**ty {
                "int" | "natural" | "dense_int" | "float" => Declared::Number,
                "atom" => Declared::Atom,
                "string" => Declared::Str,
                _ => Declared::Open,
            },
            _ => Declared::Open,
        }
    };
    let form = Form::of(format);
    let lost = held.iter().enumerate();
    let lost = lost.filter_map(|(at, held)| Some((at, held.lost(declared(at), SortKind::Any, form)?)));
    lines(&format!("{name}/{arity}"), lost)
}

/// Whether there are values of a column that a format does not keep.
fn may_lose(declared: Declared, kind: SortKind, form: Form) -> bool {
    declared == Declared::Open && !(kind == SortKind::Atom && form != Form::Text)
        || form == Form::Database && kind == SortKind::Float
}

impl Declared {
    fn of(is_declared: bool, kind: SortKind) -> Self {
        match kind {
            SortKind::Int | SortKind::Float => Declared::Number,
            SortKind::Atom if is_declared => Declared::Atom,
            SortKind::Str if is_declared => Declared::Str,
            _ => Declared::Open,
        }
    }
}

fn lines(symbol: &str, lost: impl Iterator<Item = (usize, &'static str)>) -> Vec<String> {
    lost.map(|(at, what)| format!("argument {} of {symbol}: {what}", at + 1)).collect()
}

impl Form {
    fn of(format: Option<TableFormat>) -> Self {
        match format {
            Some(TableFormat::Csv | TableFormat::Tsv) => Form::Text,
            Some(TableFormat::JsonLines) => Form::Json,
            Some(TableFormat::Parquet | TableFormat::Arrow | TableFormat::ArrowStream) => Form::Typed,
            None => Form::Database,
        }
    }
}

fn held(rows: &Rows<'_>, column: usize) -> ValueKinds {
    let mut held = ValueKinds::default();
    let kind = rows.kinds()[column];
    match kind {
        SortKind::Int => held.int = !rows.is_empty(),
        SortKind::Float => {
            held.float = !rows.is_empty();
            held.negative_zero = rows.words(column, 0..rows.len()).any(|word| word == (-0.0_f64).to_bits());
        }
        _ => {
            for word in rows.words(column, 0..rows.len()) {
                match rows.terms().value(kind, word) {
                    Value::Int(_) => held.int = true,
                    Value::Float(_) => held.float = true,
                    Value::Atom(text) => held.add_atom(text),
                    Value::Str(_) => held.string = true,
                    Value::Compound { .. } => held.compound = true,
                }
            }
        }
    }
    held
}

impl ValueKinds {
    fn add_atom(&mut self, text: &str) {
        match gchr_chr::is_number_of_facts(text) {
            true => self.digits = true,
            false => self.word = true,
        }
    }

    /// Adds a value, and what parts of it say.
    fn add_term(&mut self, answer: &Answer, term: LogicTermId) {
        let mut pending = vec![(term, true)];
        while let Some((term, is_whole)) = pending.pop() {
            match answer.terms.node(term) {
                LogicNode::Var(_) => self.variable = true,
                LogicNode::Big(_) | LogicNode::Rational(_) => self.beyond = true,
                LogicNode::Float(x) if !x.is_finite() => self.beyond = true,
                LogicNode::Compound { args, .. } => {
                    self.compound |= is_whole;
                    pending.extend(args.iter().map(|&arg| (arg, false)));
                }
                _ if !is_whole => {}
                LogicNode::Int(_) => self.int = true,
                LogicNode::Float(_) => self.float = true,
                LogicNode::Nil => self.word = true,
                LogicNode::Atom(text) => self.add_atom(text),
                LogicNode::Str(_) => self.string = true,
            }
        }
    }

    /// What is not read back as it was.
    fn lost(&self, declared: Declared, kind: SortKind, form: Form) -> Option<&'static str> {
        if self.variable {
            return Some("variables are not read back: facts are ground");
        }
        if self.beyond {
            return Some("integers of more than 64 bits and floats that are not finite are not read back");
        }
        if form == Form::Json {
            return None;
        }
        if form == Form::Database && kind == SortKind::Float && self.negative_zero {
            return Some("-0.0 is 0.0 in a database");
        }
        let texts = self.digits || self.word;
        match declared {
            Declared::Number | Declared::Atom | Declared::Str => None,
            Declared::Open if self.string => Some("strings are read back as atoms"),
            Declared::Open if self.compound => Some("compound terms are written as texts"),
            Declared::Open if form == Form::Text => match (self.int, self.float, texts) {
                (true, _, true) | (_, true, true) => Some("numbers beside atoms are read back as atoms"),
                (true, true, false) => Some("integers beside floats are read back as floats"),
                (false, false, true) if !self.word => {
                    Some("atoms that look like numbers are read back as numbers")
                }
                _ => None,
            },
            // Such a column holds texts.
            Declared::Open if matches!(kind, SortKind::Any) && (self.int || self.float) => {
                Some("numbers in a column of any values are written as texts")
            }
            Declared::Open => None,
        }
    }
}
