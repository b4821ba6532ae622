//! Values of batches to columns of facts.

use gchr_tables::{CellFault, Kind, Texts, Value, Values};

use crate::facts::cell::{Cells, Shape, TextCells, Want};

/// How the values of a column are stored; nothing where they are not what is wanted. With values of several types the
/// first one may have to say it.
pub fn first_shape(kind: Kind, want: &Want) -> Option<Shape> {
    match (kind, want) {
        (Kind::Int, Want::Int | Want::Natural | Want::Number | Want::Infer) => Some(Shape::Int),
        (Kind::Int | Kind::Float, Want::Float) | (Kind::Float, Want::Number | Want::Infer) => {
            Some(Shape::Float)
        }
        (Kind::Text | Kind::Bool, Want::Atom | Want::OneOf(_) | Want::Infer | Want::Present) => {
            Some(Shape::Text)
        }
        (Kind::Text, Want::Str) => Some(Shape::Text),
        (Kind::Mixed, Want::Infer) => None,
        (Kind::Mixed, want) => Some(want.shape()),
        _ => None,
    }
}

/// What is wrong with a value, which is shown where that helps.
#[derive(Debug)]
pub enum Wrong {
    Null,
    Range(String),
    Negative(i64),
    /// An integer that no float is.
    Inexact(i64),
    Type(String),
    Encoding,
}

impl From<CellFault> for Wrong {
    fn from(fault: CellFault) -> Self {
        match fault {
            CellFault::Null => Wrong::Null,
            CellFault::Range(shown) => Wrong::Range(shown),
            CellFault::Type(shown) => Wrong::Type(shown.into()),
            CellFault::Encoding => Wrong::Encoding,
        }
    }
}

/// A text that is not what its column wants.
fn no_such_text(shown: &str) -> Wrong {
    Wrong::Type(format!("`{shown}`"))
}

/// A fault with its row in a batch.
pub type Faulty = (usize, Wrong);

/// Adds values to a column.
pub fn extend(cells: &mut Option<Cells>, values: &Values, want: &Want) -> Result<(), Faulty> {
    match (values, cells) {
        (Values::Mixed(values), cells) => values
            .iter()
            .enumerate()
            .try_for_each(|(row, value)| one(cells, value, want).map_err(|wrong| (row, wrong))),
        (Values::Int(values), Some(Cells::Int(all))) => {
            if *want == Want::Natural
                && let Some(row) = values.iter().position(|&n| n < 0)
            {
                return Err((row, Wrong::Negative(values[row])));
            }
            all.extend_from_slice(values);
            Ok(())
        }
        (Values::Int(values), Some(Cells::Float(all))) => {
            values.iter().enumerate().try_for_each(|(row, &n)| {
                all.push(exact(n).map_err(|wrong| (row, wrong))?);
                Ok(())
            })
        }
        (Values::Float(values), Some(Cells::Float(all))) => {
            all.extend_from_slice(values);
            Ok(())
        }
        (Values::Bool(values), Some(Cells::Text(all))) => {
            let shown = |value: bool| if value { "true" } else { "false" };
            let mut rows = values.iter().enumerate();
            rows.try_for_each(|(row, &value)| text(all, shown(value), want).map_err(|wrong| (row, wrong)))
        }
        (Values::Text(texts), Some(Cells::Text(all))) => match texts.dictionary() {
            Some((names, keys)) => by_dictionary(all, &names, &keys, want),
            None => {
                let mut row = 0;
                texts.try_each(|name| {
                    row += 1;
                    text(all, name, want).map_err(|wrong| (row - 1, wrong))
                })
            }
        },
        // The types of the columns were compared before.
        _ => Err((0, Wrong::Type("a value of another type".into()))),
    }
}

/// The float that an integer is.
fn exact(n: i64) -> Result<f64, Wrong> {
    let float = n as f64;
    if float as i128 == i128::from(n) { Ok(float) } else { Err(Wrong::Inexact(n)) }
}

fn text(all: &mut TextCells, name: &str, want: &Want) -> Result<(), Wrong> {
    all.add(name, want).map_err(|_| no_such_text(name))
}

/// Adds texts that are stored once each. Those that no row has may be anything.
fn by_dictionary(all: &mut TextCells, names: &Texts, keys: &[usize], want: &Want) -> Result<(), Faulty> {
    let mut used = vec![false; names.len()];
    keys.iter().for_each(|&key| used[key] = true);
    let mut known: Vec<Result<u32, Wrong>> = Vec::with_capacity(names.len());
    let _ = names.try_each::<()>(|name| {
        let wanted = used[known.len()];
        let id = if wanted { all.intern(name, want).ok() } else { None };
        known.push(id.ok_or_else(|| no_such_text(if wanted { name } else { "" })));
        Ok(())
    });
    for (row, &key) in keys.iter().enumerate() {
        match &mut known[key] {
            Ok(id) => all.values.push(*id),
            Err(wrong) => return Err((row, std::mem::replace(wrong, Wrong::Null))),
        }
    }
    Ok(())
}

/// Adds a value with a type of its own; the first one of an undeclared column says whether it holds numbers or texts.
fn one(cells: &mut Option<Cells>, value: &Value, want: &Want) -> Result<(), Wrong> {
    let first = match value {
        Value::Int(_) => Shape::Int,
        Value::Float(_) => Shape::Float,
        Value::Text(_) => Shape::Text,
    };
    let cells = cells.get_or_insert_with(|| Cells::new(first));
    if let (Cells::Int(all), Value::Float(_), Want::Number | Want::Infer) = (&*cells, value, want) {
        *cells = Cells::Float(all.iter().map(|&n| exact(n)).collect::<Result<_, _>>()?);
    }
    match (cells, value) {
        (Cells::Int(_), Value::Int(n)) if *n < 0 && *want == Want::Natural => Err(Wrong::Negative(*n)),
        (Cells::Int(all), Value::Int(n)) => {
            all.push(*n);
            Ok(())
        }
        (Cells::Float(all), Value::Int(n)) => {
            all.push(exact(*n)?);
            Ok(())
        }
        (Cells::Float(all), Value::Float(x)) => {
            all.push(*x);
            Ok(())
        }
        (Cells::Text(all), Value::Text(name)) => text(all, name, want),
        // A database has no truth values.
        (Cells::Text(all), Value::Int(1)) if *want == Want::Present => text(all, "true", want),
        (_, Value::Int(n)) => Err(Wrong::Type(n.to_string())),
        (_, Value::Float(x)) => Err(Wrong::Type(x.to_string())),
        (_, Value::Text(name)) => Err(no_such_text(name)),
    }
}
