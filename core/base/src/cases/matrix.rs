//! Usefulness of pattern rows, after Luc Maranget, "Warnings for pattern matching" (section 3), with an example of a
//! value that is not covered (section 5).

use crate::hash::HashMap;
use crate::rule::{Const, Pattern, PatternKind};
use crate::signature::{Signature, SortId, SymbolId};

use super::{Effort, Values};

/// Deepest recursion: one level a column that is looked at.
const MAX_DEPTH: usize = 1_000;

/// The answer to "is there a value that ...".
pub enum Question {
    /// There is, for instance these values, one a column.
    Yes(Vec<Example>),
    /// There is none.
    No,
    /// The effort did not suffice.
    Unknown,
}

/// A value, as far as it matters.
#[derive(Clone, Debug, PartialEq)]
pub enum Example {
    /// Any value of the sort.
    Any(SortId),
    /// This number or text.
    Const(Const),
    /// A symbol with values.
    App(SymbolId, Vec<Example>),
}

/// What a pattern asks of the root of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootTest {
    /// This number or text.
    Const(Const),
    /// This symbol.
    Symbol(SymbolId),
}

impl RootTest {
    /// What a pattern asks for; `None` of a variable, which asks for nothing.
    pub fn of(pattern: &Pattern) -> Option<Self> {
        match pattern.kind {
            PatternKind::App { symbol, .. } => Some(RootTest::Symbol(symbol)),
            PatternKind::Const(c) => Some(RootTest::Const(c)),
            PatternKind::Wild | PatternKind::Var(_) => None,
        }
    }
}

/// A pattern or, as `None`, any value.
type Cell<'p> = Option<&'p Pattern>;

/// Rows of patterns, one per rule; variables are taken as different.
#[derive(Clone)]
pub struct Matrix<'p> {
    signature: &'p Signature,
    values: &'p Values,
    effort: &'p Effort,
    rows: Vec<Vec<Cell<'p>>>,
}

impl<'p> Matrix<'p> {
    /// Without rows: no value is matched.
    pub fn new(signature: &'p Signature, values: &'p Values, effort: &'p Effort) -> Self {
        Self { signature, values, effort, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &'p [Pattern]) {
        // Columns are taken from the end.
        self.rows.push(row.iter().rev().map(cell).collect());
    }

    /// Whether `row` matches values that no row of the matrix matches.
    pub fn useful(&self, row: &'p [Pattern]) -> Question {
        let row: Vec<_> = row.iter().rev().map(|pattern| (cell(pattern), pattern.sort)).collect();
        self.ask(row)
    }

    /// Whether there are values of these sorts that no row of the matrix matches.
    pub fn uncovered(&self, sorts: &[SortId]) -> Question {
        self.ask(sorts.iter().rev().map(|&sort| (None, sort)).collect())
    }

    fn ask(&self, row: Vec<(Cell<'p>, SortId)>) -> Question {
        match self.search(&self.rows, row, 0) {
            Ok(Some(mut examples)) => {
                examples.reverse();
                Question::Yes(examples)
            }
            Ok(None) => Question::No,
            Err(Exhausted) => Question::Unknown,
        }
    }

    /// Values (last column first) that `row` matches and no row of `rows` does.
    fn search(
        &self,
        rows: &[Vec<Cell<'p>>],
        mut row: Vec<(Cell<'p>, SortId)>,
        depth: usize,
    ) -> Result<Option<Vec<Example>>, Exhausted> {
        if !self.effort.spend(1 + rows.len().max(1) * row.len().max(1)) || depth > MAX_DEPTH {
            return Err(Exhausted);
        }
        let Some((first, sort)) = row.pop() else {
            return Ok(rows.is_empty().then(Vec::new));
        };
        if let Some(pattern) = first {
            return self.specialised(
                rows.iter().map(Vec::as_slice),
                &row,
                head(pattern),
                args(pattern),
                depth,
            );
        }
        // The rows by what they ask of the first column.
        let mut by_head: HashMap<RootTest, Vec<&[Cell<'p>]>> = HashMap::default();
        let mut any: Vec<&[Cell<'p>]> = Vec::new();
        for row in rows {
            match row.last().copied().flatten() {
                Some(pattern) => by_head.entry(head(pattern)).or_default().push(row),
                None => any.push(row),
            }
        }
        let all = self.values.heads(sort);
        let missing = all.iter().find(|&&symbol| !by_head.contains_key(&RootTest::Symbol(symbol))).copied();
        if missing.is_none() && !all.is_empty() {
            for &symbol in all {
                let head = RootTest::Symbol(symbol);
                let rows = by_head[&head].iter().chain(&any).copied();
                if let found @ Some(_) = self.specialised(rows, &row, head, &[], depth)? {
                    return Ok(found);
                }
            }
            return Ok(None);
        }
        let others: Vec<Vec<Cell<'p>>> = any.iter().map(|row| row[..row.len() - 1].to_vec()).collect();
        Ok(self.search(&others, row, depth + 1)?.map(|mut examples| {
            examples.push(self.other_than(&by_head, sort, missing));
            examples
        }))
    }

    /// As [`search`](Self::search), for values whose first column starts with `head`; `args` are the patterns below it,
    /// or nothing for any.
    fn specialised<'r>(
        &self,
        rows: impl Iterator<Item = &'r [Cell<'p>]>,
        rest: &[(Cell<'p>, SortId)],
        head: RootTest,
        args: &'p [Pattern],
        depth: usize,
    ) -> Result<Option<Vec<Example>>, Exhausted>
    where
        'p: 'r,
    {
        let sorts: &[SortId] = match head {
            RootTest::Symbol(symbol) => &self.signature.symbols[symbol].args,
            RootTest::Const(_) => &[],
        };
        let mut row = rest.to_vec();
        let below = |i: usize| args.get(i).and_then(cell);
        row.extend(sorts.iter().enumerate().rev().map(|(i, &sort)| (below(i), sort)));
        let rows: Vec<_> = rows.filter_map(|row| specialise(row, head, sorts.len())).collect();
        Ok(self.search(&rows, row, depth + 1)?.map(|mut examples| {
            let below: Vec<_> = examples.drain(examples.len() - sorts.len()..).rev().collect();
            examples.push(match head {
                RootTest::Const(c) => Example::Const(c),
                RootTest::Symbol(symbol) => Example::App(symbol, below),
            });
            examples
        }))
    }

    /// A value of `sort` that starts with none of `heads`; `missing` when that is a symbol.
    fn other_than<T>(
        &self,
        heads: &HashMap<RootTest, T>,
        sort: SortId,
        missing: Option<SymbolId>,
    ) -> Example {
        if let Some(symbol) = missing.filter(|_| !heads.is_empty()) {
            let args = &self.signature.symbols[symbol].args;
            return Example::App(symbol, args.iter().map(|&arg| Example::Any(arg)).collect());
        }
        match heads.keys().next() {
            Some(RootTest::Const(Const::Int(_))) => {
                let fresh = (0..).map(Const::Int).find(|&c| !heads.contains_key(&RootTest::Const(c)));
                fresh.map_or(Example::Any(sort), Example::Const)
            }
            Some(RootTest::Const(Const::Float(_))) => {
                let fresh = (0..)
                    .map(|n| Const::Float(f64::from(n)))
                    .find(|&c| !heads.contains_key(&RootTest::Const(c)));
                fresh.map_or(Example::Any(sort), Example::Const)
            }
            _ => Example::Any(sort),
        }
    }
}

/// The effort did not suffice.
struct Exhausted;

fn cell(pattern: &Pattern) -> Cell<'_> {
    (!matches!(pattern.kind, PatternKind::Wild | PatternKind::Var(_))).then_some(pattern)
}

fn head(pattern: &Pattern) -> RootTest {
    RootTest::of(pattern).unwrap_or_else(|| unreachable!("`cell` keeps these out"))
}

fn args(pattern: &Pattern) -> &[Pattern] {
    match &pattern.kind {
        PatternKind::App { args, .. } => args,
        _ => &[],
    }
}

/// The row below `head`, if its first pattern allows that head.
fn specialise<'p>(row: &[Cell<'p>], wanted: RootTest, arity: usize) -> Option<Vec<Cell<'p>>> {
    let (first, rest) = row.split_last()?;
    let mut below = Vec::with_capacity(rest.len() + arity);
    below.extend_from_slice(rest);
    match *first {
        None => below.extend(std::iter::repeat_n(None, arity)),
        Some(pattern) if head(pattern) == wanted => below.extend(args(pattern).iter().rev().map(cell)),
        Some(_) => return None,
    }
    Some(below)
}
