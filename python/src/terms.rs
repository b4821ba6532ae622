//! Terms: normal forms, and what answers of the logic machine are made of. They are looked at where they are: shared
//! parts of a normal form stay shared.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use gchr::base::logic::{LogicNode, LogicTermId, Terms};
use gchr::base::value::Value;
use gchr::terms::exec::{Key, NormalForm, View};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

/// A term with a head symbol. Numbers and truth values of terms are those of Python; so are strings and lists of
/// answers.
#[pyclass(frozen, module = "gchr")]
#[derive(Clone)]
pub struct Term(Place);

/// Where a term is.
#[derive(Clone)]
enum Place {
    NormalForm(Arc<NormalForm>, Key),
    Answer(Arc<AnswerTerms>, LogicTermId),
}

/// The terms of an answer with the names of its variables.
pub struct AnswerTerms {
    pub terms: Terms,
    pub names: Vec<Arc<str>>,
}

impl AnswerTerms {
    /// A term in functional notation, as it can be read back: `f('A b', [1, 2], "text")`.
    fn text(&self, root: LogicTermId) -> String {
        enum Piece {
            Term(LogicTermId),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut open = vec![Piece::Term(root)];
        // The last one comes first; so deep terms take memory only.
        let list = |open: &mut Vec<Piece>, args: &[LogicTermId]| {
            for (i, &arg) in args.iter().enumerate().rev() {
                open.push(Piece::Term(arg));
                if i > 0 {
                    open.push(Piece::Text(", "));
                }
            }
        };
        while let Some(piece) = open.pop() {
            let id = match piece {
                Piece::Term(id) => id,
                Piece::Text(piece) => {
                    text += piece;
                    continue;
                }
            };
            match self.terms.node(id) {
                LogicNode::Var(v) => text += &self.names[v.0 as usize],
                LogicNode::Int(n) => text += &Value::Int(*n).quoted().to_string(),
                LogicNode::Big(n) => text += &n.to_string(),
                LogicNode::Rational(n) => text += &n.to_string(),
                LogicNode::Float(x) => text += &Value::Float(*x).quoted().to_string(),
                LogicNode::Atom(name) => text += &Value::Atom(name).quoted().to_string(),
                LogicNode::Nil => text += "[]",
                LogicNode::Str(string) => text += &Value::Str(string).quoted().to_string(),
                LogicNode::Compound { name, args } => match items(&self.terms, id) {
                    Some(items) => {
                        text.push('[');
                        open.push(Piece::Text("]"));
                        list(&mut open, &items);
                    }
                    None => {
                        text += &Value::Atom(name).quoted().to_string();
                        text.push('(');
                        open.push(Piece::Text(")"));
                        list(&mut open, args);
                    }
                },
            }
        }
        text
    }
}

#[pymethods]
impl Term {
    /// Name of the head symbol; of a variable `_1`, or its own name.
    #[getter]
    fn functor(&self) -> String {
        match &self.0 {
            Place::NormalForm(whole, key) => name_of(whole.subterm(*key)),
            Place::Answer(answer, id) => match (answer.terms.functor(*id), answer.terms.node(*id)) {
                (Some((name, _)), _) => name.to_string(),
                (None, LogicNode::Var(v)) => answer.names[v.0 as usize].to_string(),
                (None, _) => String::new(),
            },
        }
    }

    /// Whether it is an unbound variable of an answer.
    #[getter]
    fn is_variable(&self) -> bool {
        matches!(&self.0, Place::Answer(answer, id) if matches!(answer.terms.node(*id), LogicNode::Var(_)))
    }

    /// The arguments.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let args = (0..self.__len__()).map(|i| self.arg(py, i)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, args)
    }

    fn __len__(&self) -> usize {
        match &self.0 {
            Place::NormalForm(whole, key) => whole.subterm(*key).arity(),
            Place::Answer(answer, id) => answer.terms.functor(*id).map_or(0, |(_, args)| args.len()),
        }
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let length = self.__len__();
        let at = if index < 0 { index + length as isize } else { index };
        match usize::try_from(at).ok().filter(|&at| at < length) {
            Some(at) => self.arg(py, at),
            None => Err(PyIndexError::new_err("the term has fewer arguments")),
        }
    }

    fn __str__(&self) -> String {
        match &self.0 {
            Place::NormalForm(whole, key) => text_of(whole.subterm(*key)),
            Place::Answer(answer, id) => answer.text(*id),
        }
    }

    fn __repr__(&self) -> String {
        let text = match &self.0 {
            Place::NormalForm(whole, key) if *key == whole.root().key() => whole.shown(200),
            _ => self.__str__(),
        };
        format!("<Term {text}>")
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.__str__() == other.__str__()
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hasher};
        let mut hasher = DefaultHasher::new();
        self.__str__().hash(&mut hasher);
        hasher.finish()
    }

    /// The whole term as nested tuples: `("Plus", ("Zero",), 3)`. Parts that are shared are one tuple.
    fn to_tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.0 {
            Place::NormalForm(whole, key) => nested(
                *key,
                |key| {
                    let view = whole.subterm(*key).written();
                    match leaf(py, view)? {
                        Some(leaf) => Ok(Node::Leaf(leaf)),
                        None => Ok(Node::Inner(name_of(view), view.args().map(|arg| arg.key()).collect())),
                    }
                },
                py,
            ),
            Place::Answer(answer, id) => nested(
                *id,
                |&id| match (simple(py, answer, id)?, answer.terms.functor(id)) {
                    (Some(leaf), _) => Ok(Node::Leaf(leaf)),
                    (None, Some((name, args))) => Ok(Node::Inner(name.to_string(), args.to_vec())),
                    (None, None) => {
                        Ok(Node::Leaf(Term(Place::Answer(Arc::clone(answer), id)).into_bound_py_any(py)?))
                    }
                },
                py,
            ),
        }
    }
}

impl Term {
    fn arg<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let missing = || PyIndexError::new_err("the term has fewer arguments");
        match &self.0 {
            Place::NormalForm(whole, key) => {
                let view = whole.subterm(*key);
                of_normal_form(py, whole, view.arg(index).ok_or_else(missing)?.key())
            }
            Place::Answer(answer, id) => {
                let (_, args) = answer.terms.functor(*id).ok_or_else(missing)?;
                of_answer(py, answer, *args.get(index).ok_or_else(missing)?)
            }
        }
    }
}

/// A part of a term that is still to be made a tuple.
enum Node<'py, K> {
    Leaf(Bound<'py, PyAny>),
    Inner(String, Vec<K>),
}

/// Tuples from the leaves up; the depth of a term costs memory only.
fn nested<'py, K: Eq + Hash + Clone>(
    root: K,
    look: impl Fn(&K) -> PyResult<Node<'py, K>>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut done: HashMap<K, Bound<'py, PyAny>> = HashMap::new();
    let mut open = vec![root.clone()];
    while let Some(key) = open.last().cloned() {
        if done.contains_key(&key) {
            open.pop();
            continue;
        }
        match look(&key)? {
            Node::Leaf(leaf) => drop(done.insert(key, leaf)),
            Node::Inner(name, args) => {
                let missing: Vec<K> = args.iter().filter(|arg| !done.contains_key(arg)).cloned().collect();
                if !missing.is_empty() {
                    open.extend(missing);
                    continue;
                }
                let mut items = vec![PyString::new(py, &name).into_any()];
                items.extend(args.iter().map(|arg| done[arg].clone()));
                done.insert(key, PyTuple::new(py, items)?.into_any());
            }
        }
        open.pop();
    }
    Ok(done[&root].clone())
}

/// The head symbol; all of an application without a value.
fn name_of(view: View<'_>) -> String {
    view.symbol().map_or_else(|| text_of(view), str::to_string)
}

fn text_of(view: View<'_>) -> String {
    let mut bytes = Vec::new();
    // Writing to a vector does not fail.
    let _ = view.write_text(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A normal form, or a part of it, as a value of Python.
pub fn of_normal_form<'py>(
    py: Python<'py>,
    whole: &Arc<NormalForm>,
    key: Key,
) -> PyResult<Bound<'py, PyAny>> {
    let view = whole.subterm(key).written();
    match leaf(py, view)? {
        Some(leaf) => Ok(leaf),
        None => Term(Place::NormalForm(Arc::clone(whole), view.key())).into_bound_py_any(py),
    }
}

/// A number, a truth value or a text of bytes: a string, where it is one of UTF-8.
fn leaf<'py>(py: Python<'py>, view: View<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(n) = view.int() {
        return Ok(Some(PyInt::new(py, n).into_any()));
    }
    if let Some(x) = view.float() {
        return Ok(Some(PyFloat::new(py, x).into_any()));
    }
    if let Some(bytes) = view.text() {
        let text = String::from_utf8(bytes).map_err(|error| error.into_bytes());
        return Ok(Some(match text {
            Ok(text) => PyString::new(py, &text).into_any(),
            Err(bytes) => PyBytes::new(py, &bytes).into_any(),
        }));
    }
    match (view.sort_name(), view.symbol()) {
        ("Bool", Some(name @ ("true" | "false"))) => {
            Ok(Some(PyBool::new(py, name == "true").to_owned().into_any()))
        }
        // An integer of more than 64 bits; what else has no symbol is an application without a value.
        (_, None) => Ok(text_of(view)
            .parse::<num_bigint::BigInt>()
            .ok()
            .map(|n| n.into_bound_py_any(py))
            .transpose()?),
        _ => Ok(None),
    }
}

/// A term of an answer as a value of Python.
pub fn of_answer<'py>(
    py: Python<'py>,
    answer: &Arc<AnswerTerms>,
    id: LogicTermId,
) -> PyResult<Bound<'py, PyAny>> {
    match simple(py, answer, id)? {
        Some(value) => Ok(value),
        None => Term(Place::Answer(Arc::clone(answer), id)).into_bound_py_any(py),
    }
}

/// A number, a string or a list.
fn simple<'py>(
    py: Python<'py>,
    answer: &Arc<AnswerTerms>,
    id: LogicTermId,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(match answer.terms.node(id) {
        LogicNode::Int(n) => PyInt::new(py, *n).into_any(),
        LogicNode::Big(n) => n.as_ref().clone().into_bound_py_any(py)?,
        LogicNode::Rational(n) => {
            let parts = (n.numerator.clone(), n.denominator.clone());
            py.import("fractions")?.getattr("Fraction")?.call1(parts)?
        }
        LogicNode::Float(x) => PyFloat::new(py, *x).into_any(),
        LogicNode::Str(text) => PyString::new(py, text).into_any(),
        LogicNode::Nil => PyList::empty(py).into_any(),
        LogicNode::Compound { .. } => match items(&answer.terms, id) {
            Some(items) => {
                let items = items.into_iter().map(|item| of_answer(py, answer, item));
                PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            None => return Ok(None),
        },
        LogicNode::Var(_) | LogicNode::Atom(_) => return Ok(None),
    }))
}

/// The items of a list with an end.
fn items(terms: &Terms, mut id: LogicTermId) -> Option<Vec<LogicTermId>> {
    let mut items = Vec::new();
    loop {
        match terms.node(id) {
            LogicNode::Nil => return Some(items),
            LogicNode::Compound { name, args } if &**name == gchr::base::logic::CONS && args.len() == 2 => {
                items.push(args[0]);
                id = args[1];
            }
            _ => return None,
        }
    }
}
