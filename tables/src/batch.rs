//! Rows of a table, column by column.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, LargeStringArray};
use arrow_schema::DataType;

use crate::Error;

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name, as the file has it.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
}

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Integers of any width, with or without sign.
    Int,
    /// Floats of any width.
    Float,
    /// Truth values.
    Bool,
    /// Texts, by a dictionary or not.
    Text,
    /// Each value has a type of its own, as in SQLite.
    Mixed,
}

/// Some rows that follow each other.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Number of the first row in the table, from 0.
    pub first: u64,
    /// How many rows there are.
    pub rows: usize,
    /// One for each column of the table, each with that many values.
    pub columns: Vec<Values>,
}

/// Values of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Integers.
    Int(Vec<i64>),
    /// Floats.
    Float(Vec<f64>),
    /// Truth values.
    Bool(Vec<bool>),
    /// Texts.
    Text(Texts),
    /// Of several types.
    Mixed(Vec<Value>),
}

/// A value with a type of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A text.
    Text(Box<str>),
}

/// Texts of a column, in the form in which they were read.
#[derive(Clone, Debug)]
pub struct Texts(ArrayRef);

impl Texts {
    /// Of an array of texts, or of a dictionary of texts, without nulls.
    pub(crate) fn new(array: ArrayRef) -> Self {
        debug_assert!(is_text(array.data_type()), "{}", array.data_type());
        Self(array)
    }

    /// Texts that are given by their places among `names`.
    pub fn of_dictionary<'a>(
        names: impl IntoIterator<Item = &'a str>,
        keys: Vec<i32>,
    ) -> Result<Self, Error> {
        let names = LargeStringArray::from_iter_values(names);
        let array = DictionaryArray::<Int32Type>::try_new(Int32Array::from(keys), Arc::new(names))?;
        Ok(Self(Arc::new(array)))
    }

    /// The array of them.
    pub(crate) fn array(&self) -> &ArrayRef {
        &self.0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The different texts and for each row the place of its own among them, where they are stored so.
    pub fn dictionary(&self) -> Option<(Texts, Vec<usize>)> {
        let dictionary = self.0.as_any_dictionary_opt()?;
        let names = Texts(Arc::clone(dictionary.values()));
        let keys = if self.0.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        Some((names, keys))
    }

    /// Calls `take` with each text, until it fails.
    pub fn try_each<E>(&self, mut take: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let Some((names, keys)) = self.dictionary() else { return each(&self.0, &mut take) };
        let mut texts: Vec<Box<str>> = Vec::with_capacity(names.len());
        each(&names.0, &mut |text: &str| {
            texts.push(text.into());
            Ok(())
        })?;
        keys.into_iter().try_for_each(|key| take(&texts[key]))
    }
}

/// Calls `take` with each text of an array that is no dictionary.
fn each<E>(array: &ArrayRef, take: &mut dyn FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    let one = |text: Option<&str>| take(text.unwrap_or_default());
    match array.data_type() {
        DataType::LargeUtf8 => array.as_string::<i64>().iter().try_for_each(one),
        DataType::Utf8View => array.as_string_view().iter().try_for_each(one),
        _ => array.as_string::<i32>().iter().try_for_each(one),
    }
}

/// Whether [`Texts`] can hold an array of a type.
pub(crate) fn is_text(ty: &DataType) -> bool {
    match ty {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, names) => {
            matches!(**names, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
        }
        _ => false,
    }
}
