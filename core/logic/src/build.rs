//! Terms of a table, built on the heap.

use gchr_base::hash::HashMap;
use gchr_base::logic::{LogicNode, LogicTermId, Terms};

use crate::cell::Cell;
use crate::heap::Heap;
use crate::names::{Names, atom};
use crate::number::Number;

/// Builds a term on the heap.
pub(crate) fn build(
    heap: &mut Heap,
    names: &mut Names,
    terms: &Terms,
    term: LogicTermId,
    variables: &mut [Option<Cell>],
    known: &mut HashMap<LogicTermId, Cell>,
) -> Cell {
    let root = heap.top();
    heap.push(Cell::int(0));
    let mut pending = vec![(root, term)];
    while let Some((place, id)) = pending.pop() {
        let cell = match terms.node(id) {
            LogicNode::Var(v) => match variables[v.0 as usize] {
                Some(cell) => cell,
                None => {
                    variables[v.0 as usize] = Some(Cell::reference(place));
                    Cell::reference(place)
                }
            },
            LogicNode::Compound { name, args } => {
                let name = if &**name == gchr_base::logic::CONS { atom::cons } else { names.intern(name) };
                let blank = vec![Cell::int(0); args.len()];
                let cell = heap.compound(name, &blank);
                let start = heap.args(cell).0;
                pending.extend(args.iter().enumerate().rev().map(|(i, &arg)| (start + i, arg)));
                cell
            }
            node => match known.get(&id) {
                Some(&cell) => cell,
                None => leaf(heap, names, node).unwrap_or(Cell::int(0)),
            },
        };
        heap.cells[place] = cell;
    }
    heap.deref(heap.cells[root])
}

/// A node that is a leaf, as a cell.
fn leaf(heap: &mut Heap, names: &mut Names, node: &LogicNode) -> Option<Cell> {
    Some(match node {
        LogicNode::Int(n) => heap.integer(*n),
        LogicNode::Big(n) => heap.big(n),
        LogicNode::Rational(n) => {
            let number = Number::of_parts(&heap.meter, n.numerator.clone(), n.denominator.clone());
            heap.push_number(&number)
        }
        LogicNode::Float(x) => heap.float(*x),
        LogicNode::Atom(name) => names.cell(name),
        LogicNode::Nil => Cell::atom(atom::nil),
        LogicNode::Str(text) => heap.string(text),
        LogicNode::Var(_) | LogicNode::Compound { .. } => return None,
    })
}
