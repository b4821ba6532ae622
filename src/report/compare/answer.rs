//! From a result to the common answer: constraint rules over the final store, or over the cells of the normal form.
//!
//! A mapping is itself a constraint program. It starts on the constraints of the final store; or on one constraint for
//! each cell of the normal form, `'Cons'(Cell, X, Rest)`, whose first argument is its number and whose other arguments
//! are numbers of cells, or values of `Int` and `Float`, and on `root(Cell)` (`root(Value)` when the normal form is a
//! number). Its constraints `row` are the answer.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use gchr_base::control::Control;
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::ids::Id;
use gchr_base::signature::{ConstraintId, Signature, SortKind, SymbolId};
use gchr_base::value::{Value, write_atom};
use gchr_constraints::exec::Store;
use gchr_terms::exec::{Key, NormalForm, View};

use crate::input::Input;
use crate::options::CompileOptions;
use crate::output::{Answer, Outcome};
use crate::program::{Language, Program};

/// An answer that can be compared: lines in an order that does not depend on the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// Rows of the answer, sorted.
    pub rows: Vec<String>,
}

impl Answered {
    /// The answer of a run: through `rules`, or the result as it is written.
    /// The limits are for all that is done for it.
    pub fn of(outcome: &Outcome, rules: Option<&str>, control: &mut Control<'_>) -> Result<Self, String> {
        let Some(rules) = rules else {
            let text = written(outcome, control)?;
            return Ok(Self { rows: text.lines().map(str::to_string).collect() });
        };
        let signature = &outcome.program().rules().signature;
        let source = match outcome.answer() {
            Answer::NormalForm(term) => Source::of_term(term, signature, rules),
            Answer::Store(store) => Source::of_store(store, signature, rules)?,
            Answer::Sizes(_) => return Err("sizes are compared without rules".into()),
            Answer::Logic(_) => return Err("answers of the logic machine are compared without rules".into()),
        };
        source.map(rules, control)
    }

    /// Where two answers part.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self == other {
            return None;
        }
        let at = self.rows.iter().zip(&other.rows).position(|(a, b)| a != b);
        let at = at.unwrap_or(self.rows.len().min(other.rows.len()));
        let show = |rows: &[String]| match rows.get(at) {
            Some(row) => row.chars().take(60).collect(),
            None => "no row".to_string(),
        };
        Some(format!(
            "{} row{} against {}; row {} is {} against {}",
            self.rows.len(),
            if self.rows.len() == 1 { "" } else { "s" },
            other.rows.len(),
            at + 1,
            show(&self.rows),
            show(&other.rows)
        ))
    }
}

fn written(outcome: &Outcome, control: &Control<'_>) -> Result<String, String> {
    outcome.text_under(control).map_err(|stopped| format!("{} [{}]", stopped.message, stopped.code))
}

/// Values of one column.
enum Column {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Atom(Vec<String>),
    Str(Vec<String>),
}

impl Column {
    fn type_name(&self) -> &'static str {
        match self {
            Column::Int(_) => "int",
            Column::Float(_) => "float",
            Column::Atom(_) => "atom",
            Column::Str(_) => "string",
        }
    }
}

/// Constraints that a mapping starts on.
struct Table {
    name: String,
    columns: Vec<Column>,
    rows: usize,
}

struct Source {
    tables: Vec<Table>,
}

impl Source {
    /// The constraints of a store whose names occur in the rules.
    fn of_store(store: &Store, signature: &Signature, rules: &str) -> Result<Self, String> {
        let table = |id: ConstraintId| {
            let constraint = &signature.constraints[id];
            let rows = store.rows(signature, id);
            let column = |at: usize| {
                let kind = signature.kind(constraint.columns[at].sort);
                let values: Vec<Value> = rows.iter().filter_map(|row| row.get(at)).collect();
                column(kind, &values).ok_or_else(|| {
                    let name = signature.constraint_name(id);
                    format!(
                        "argument {} of {name} is not of integers, floats, atoms or strings alone",
                        at + 1
                    )
                })
            };
            let columns = (0..constraint.columns.len()).map(column).collect::<Result<_, _>>()?;
            Ok(Table { name: constraint.name.clone(), columns, rows: rows.len() })
        };
        let named = signature.constraints.ids().filter(|&id| rules.contains(&signature.constraints[id].name));
        Ok(Self { tables: named.map(table).collect::<Result<_, String>>()? })
    }

    /// The cells of a normal form, and its root.
    fn of_term(term: &NormalForm, signature: &Signature, rules: &str) -> Self {
        let mut cells = Cells::new(signature);
        let root = cells.root(term.root());
        let mut tables = cells.tables;
        tables.retain(|table| rules.contains(&table.name));
        tables.push(Table { name: "root".into(), columns: vec![root], rows: 1 });
        Self { tables }
    }

    /// The constraint program that maps, run on these constraints.
    fn map(&self, rules: &str, control: &mut Control<'_>) -> Result<Answered, String> {
        let mut text = String::new();
        for table in &self.tables {
            let mut name = String::new();
            let _ = write_atom(&mut name, &table.name);
            let types: Vec<String> = table.columns.iter().map(|c| format!("?{}", c.type_name())).collect();
            let types = if types.is_empty() { String::new() } else { format!("({})", types.join(", ")) };
            let _ = writeln!(text, ":- chr_constraint {name}{types}.");
        }
        text += rules;
        let input = Input::text(Language::Constraints, "answer", text);
        let mut program = input.parse().map_err(|e| format!("the rules of its answer are wrong:\n{e}"))?;
        if program.is_logic() {
            let why = program.warnings();
            return Err(format!(
                "the rules of its answer are wrong: they are no rules over ground constraints\n{why}"
            ));
        }
        program.facts = Arc::new(self.facts(&mut program));
        let executable = program.compile(&CompileOptions::default()).map_err(|e| e.to_string())?;
        let outcome = executable.run(control).map_err(|stopped| stopped.to_string())?;
        let all = written(&outcome, control)?;
        let rows: Vec<_> =
            all.lines().filter(|l| *l == "row" || l.starts_with("row(")).map(str::to_string).collect();
        Ok(Answered { rows })
    }

    fn facts(&self, program: &mut Program) -> Vec<Facts> {
        let mut all = Vec::new();
        for (index, table) in self.tables.iter().enumerate() {
            // Declarations come in this order, so positions are ids.
            let constraint = ConstraintId::from_index(index);
            let texts = &mut Arc::make_mut(&mut program.rules).signature.texts;
            let mut intern = |values: &[String]| values.iter().map(|v| texts.intern(v)).collect();
            let columns = table.columns.iter().map(|column| match column {
                Column::Int(values) => FactColumn::Int(values.clone()),
                Column::Float(values) => FactColumn::Float(values.clone()),
                Column::Atom(values) => FactColumn::Atom(intern(values)),
                Column::Str(values) => FactColumn::Str(intern(values)),
            });
            all.push(Facts { constraint, columns: columns.collect(), rows: table.rows });
        }
        all
    }
}

/// A column of a store; nothing when its values are of several types, or compound.
fn column(kind: SortKind, values: &[Value]) -> Option<Column> {
    let kind = match (kind, values.first()) {
        (SortKind::Any, Some(Value::Float(_))) => SortKind::Float,
        (SortKind::Any, Some(Value::Atom(_))) => SortKind::Atom,
        (SortKind::Any, Some(Value::Str(_))) => SortKind::Str,
        (SortKind::Any, _) => SortKind::Int,
        (kind, _) => kind,
    };
    fn all<T>(values: &[Value], of: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
        values.iter().map(of).collect()
    }
    Some(match kind {
        SortKind::Float => {
            Column::Float(all(values, |v| if let Value::Float(x) = v { Some(*x) } else { None })?)
        }
        SortKind::Atom => {
            Column::Atom(all(values, |v| if let Value::Atom(t) = v { Some((*t).into()) } else { None })?)
        }
        SortKind::Str => {
            Column::Str(all(values, |v| if let Value::Str(t) = v { Some((*t).into()) } else { None })?)
        }
        _ => Column::Int(all(values, |v| if let Value::Int(n) = v { Some(*n) } else { None })?),
    })
}

/// The cells of a normal form, numbered in order of discovery; shared cells have one number.
struct Cells {
    /// One for each symbol, so that rules can name those that do not occur; symbols of the same form share one.
    tables: Vec<Table>,
    table_of: HashMap<SymbolId, usize>,
    numbers: HashMap<Key, i64>,
}

impl Cells {
    fn new(signature: &Signature) -> Self {
        let mut cells = Self { tables: Vec::new(), table_of: HashMap::new(), numbers: HashMap::new() };
        for (id, symbol) in signature.symbols.iter_enumerated() {
            let mut columns = vec![Column::Int(Vec::new())];
            columns.extend(symbol.args.iter().map(|&sort| match signature.kind(sort) {
                SortKind::Float => Column::Float(Vec::new()),
                _ => Column::Int(Vec::new()),
            }));
            let types = |columns: &[Column]| columns.iter().map(Column::type_name).collect::<Vec<_>>();
            let same = |t: &Table| t.name == symbol.name && types(&t.columns) == types(&columns);
            let at = cells.tables.iter().position(same).unwrap_or(cells.tables.len());
            cells.table_of.insert(id, at);
            if at == cells.tables.len() {
                cells.tables.push(Table { name: symbol.name.clone(), columns, rows: 0 });
            }
        }
        cells
    }

    /// Gives all cells their rows. The column of the root: its number, or its value.
    fn root(&mut self, root: View<'_>) -> Column {
        if let Some(value) = root.float() {
            return Column::Float(vec![value]);
        }
        let number = self.number(root);
        let mut waiting = vec![root];
        while let Some(view) = waiting.pop() {
            self.row(view, &mut waiting);
        }
        Column::Int(vec![number])
    }

    /// The number of a cell, or the value of an integer.
    fn number(&mut self, view: View<'_>) -> i64 {
        if let Some(value) = view.int() {
            return value;
        }
        let next = self.numbers.len() as i64;
        *self.numbers.entry(view.key()).or_insert(next)
    }

    /// Adds the row of a cell; cells below that are seen for the first time wait for theirs.
    fn row<'v>(&mut self, view: View<'v>, waiting: &mut Vec<View<'v>>) {
        let Some(&at) = view.symbol_id().and_then(|symbol| self.table_of.get(&symbol)) else { return };
        let own = self.number(view);
        let mut fields = vec![(own, 0.0)];
        for arg in view.args() {
            let known = self.numbers.len();
            fields.push(arg.float().map_or_else(|| (self.number(arg), 0.0), |x| (0, x)));
            if self.numbers.len() > known {
                waiting.push(arg);
            }
        }
        let table = &mut self.tables[at];
        table.rows += 1;
        for (column, (number, float)) in table.columns.iter_mut().zip(fields) {
            match column {
                Column::Int(values) => values.push(number),
                Column::Float(values) => values.push(float),
                Column::Atom(_) | Column::Str(_) => {}
            }
        }
    }
}
