//! Columns of a store whose values have types of their own, as terms: what texts of tables do not tell apart.

use std::sync::Arc;

use gchr_base::hash::HashMap;
use gchr_base::logic::{LogicNode, LogicTermId, Terms};
use gchr_base::memory;
use gchr_base::signature::SortKind;
use gchr_base::source::{SourceId, Span};
use gchr_base::stop::StopReason;
use gchr_base::value::{self, Word};
use gchr_constraints::exec::Rows;

/// Terms that are added between two looks at the memory that they take.
const LOOK: usize = 1 << 14;

/// Columns of a constraint as terms, with the rows in the order that its table has.
#[derive(Clone, Default, Debug)]
pub struct TermColumns {
    /// All terms; equal ones of a store of ground terms are one.
    pub terms: Terms,
    /// Names of variables, by number.
    pub names: Vec<Arc<str>>,
    /// For each column its terms; nothing where its type is that of all its values.
    pub columns: Vec<Option<Vec<LogicTermId>>>,
}

impl TermColumns {
    /// The columns of any type of some rows.
    pub(super) fn of_rows(rows: &Rows<'_>) -> Result<Self, StopReason> {
        let mut made = Made { from: rows.terms(), terms: Terms::default(), known: HashMap::default() };
        let columns = rows.kinds().iter().enumerate().map(|(column, kind)| {
            let words = rows.words(column, 0..rows.len());
            (*kind == SortKind::Any).then(|| words.map(|word| made.term(word)).collect()).transpose()
        });
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Self { terms: made.terms, names: Vec::new(), columns })
    }

    /// All columns of the constraints of a symbol in a store of the logic machine.
    pub(crate) fn of_answer(answer: &gchr_logic::Answer, (name, arity): (&str, usize)) -> Self {
        let (terms, names) = (answer.terms.clone(), answer.names.clone());
        let of = |id: &LogicTermId| terms.functor(*id).filter(|(n, args)| *n == name && args.len() == arity);
        let rows: Vec<&[LogicTermId]> = answer.store.iter().filter_map(of).map(|(_, args)| args).collect();
        let columns = (0..arity).map(|column| Some(rows.iter().map(|row| row[column]).collect())).collect();
        Self { columns, terms, names }
    }
}

/// Terms that are made of words of a heap, by their words.
struct Made<'a> {
    from: value::Terms<'a>,
    terms: Terms,
    known: HashMap<u64, LogicTermId>,
}

impl Made<'_> {
    /// The term of a word, behind those of its parts.
    fn term(&mut self, word: u64) -> Result<LogicTermId, StopReason> {
        let span = Span::new(SourceId(0), 0, 0);
        let mut todo = vec![word];
        while let Some(&word) = todo.last() {
            if self.known.contains_key(&word) {
                todo.pop();
                continue;
            }
            let text = |id| self.from.signature.texts.get(id);
            let node = match self.from.heap.view(word) {
                Word::Int(n) => LogicNode::Int(n),
                Word::Float(x) => LogicNode::Float(x),
                Word::Atom(name) if text(name) == "[]" => LogicNode::Nil,
                Word::Atom(name) => LogicNode::Atom(text(name).into()),
                Word::Str(string) => LogicNode::Str(text(string).into()),
                Word::Compound(symbol, args) => {
                    let before = todo.len();
                    todo.extend(args.iter().copied().filter(|arg| !self.known.contains_key(arg)));
                    if todo.len() > before {
                        continue;
                    }
                    let args = args.iter().map(|arg| self.known[arg]).collect();
                    let name = self.from.signature.symbols[symbol].name.as_str().into();
                    LogicNode::Compound { name, args }
                }
            };
            todo.pop();
            if self.known.len().is_multiple_of(LOOK) {
                memory::ask((self.known.len() * size_of::<LogicNode>()) as u64)
                    .map_err(|shortage| shortage.of("the terms of a column"))?;
            }
            let id = self.terms.push(node, span);
            self.known.insert(word, id);
        }
        Ok(self.known[&word])
    }
}
