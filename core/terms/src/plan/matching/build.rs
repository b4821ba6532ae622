//! Builds the decision trees of a group of rules, one part after the other, within a budget.

use super::rows::{Before, Rows};
use super::{Leaf, Part, Tree};
use crate::plan::ir::{Function, LocalId};
use crate::plan::layout::Layout;
use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::rule::{Const, Pattern, PatternKind, Program};
use gchr_base::signature::SymbolId;

/// Deeper trees go on in another part: code is nested as deeply as trees are, and passes look at each level of it from
/// each level above.
const MAX_DEPTH: usize = 96;
/// A part has what its rows still need as parameters. Where a row needs very many, its part is this share of them deep,
/// so that all parts together have parameters in proportion to the patterns.
const WIDTH_TO_DEPTH: usize = 16;
/// Positions in the budget.
const NODES: usize = 0;
const ROWS: usize = 1;
/// Nodes of a tree, for each node of the patterns; for many nodes, fewer: patterns that large are split soon.
const MAX_NODES: [usize; 2] = [16, 2];
const MANY_NODES: usize = 1 << 10;
/// Rows of all nodes of a tree: so many, and so many for each node that it may have.
const MAX_ROWS: [usize; 2] = [1 << 12, 4];
/// A row with more tests at hand than this goes on with small patterns.
const MANY_TESTS: usize = 96;
/// Columns and rows that the choice of a column looks at.
const CHOICE: [usize; 2] = [16, 256];
/// More integers than these are found by halving, not one after the other.
const FEW_CONSTANTS: usize = 16;

/// The tree has more nodes, or more rows in them, than its budget.
pub(super) struct TooBig;

pub(super) struct Build<'a> {
    program: &'a Program,
    layout: &'a Layout,
    /// Nodes and rows that may still be added.
    budget: [usize; 2],
    /// One rule: its tree is linear, however deep.
    single: bool,
    /// How many nodes the patterns of rows have that may come to have many tests at hand.
    sizes: HashMap<*const Pattern, usize>,
    /// The function of the symbol with its parameters alone.
    entry: Function,
    /// The function of the part at hand, and how deep its tree may get.
    function: Function,
    max_depth: usize,
    /// Parts in use; those that are not built yet.
    parts: usize,
    todo: Vec<(usize, Function, Rows<'a>)>,
}

impl<'a> Build<'a> {
    /// For rules of the symbol of a function that has its parameters.
    pub(super) fn new(
        program: &'a Program,
        layout: &'a Layout,
        function: Function,
        rows: &Rows<'a>,
        single: bool,
    ) -> Self {
        let mut nodes = 0;
        let mut sizes = HashMap::default();
        for at in rows.all() {
            let mut patterns = Vec::new();
            rows.row(at).tests.values().for_each(|p| p.walk(&mut |below| patterns.push(below)));
            nodes += patterns.len();
            if patterns.len() > MANY_TESTS {
                note_sizes(&patterns, &mut sizes);
            }
        }
        let nodes =
            64 + MAX_NODES[0] * nodes.min(MANY_NODES) + MAX_NODES[1] * nodes.saturating_sub(MANY_NODES);
        let budget = [nodes, MAX_ROWS[0] + MAX_ROWS[1] * nodes];
        let entry = function.clone();
        let (max_depth, todo) = (MAX_DEPTH, Vec::new());
        Self { program, layout, budget, single, sizes, function, max_depth, entry, parts: 1, todo }
    }

    /// The parts of the tree for all rows.
    pub(super) fn group(mut self, rows: Rows<'a>) -> Result<Vec<Part>, TooBig> {
        let mut built: Vec<(usize, Part)> = Vec::new();
        self.todo.push((0, self.entry.clone(), rows));
        while let Some((number, function, mut rows)) = self.todo.pop() {
            self.function = function;
            let all = rows.all();
            let width = all.iter().map(|&at| rows.row(at).size()).max().unwrap_or(0);
            self.max_depth = MAX_DEPTH.max(width / WIDTH_TO_DEPTH);
            let tree = self.tree(&mut rows, all, 0)?;
            let function = std::mem::replace(&mut self.function, self.entry.clone());
            built.push((number, Part { function, tree }));
        }
        built.sort_unstable_by_key(|&(number, _)| number);
        Ok(built.into_iter().map(|(_, part)| part).collect())
    }

    fn spend(&mut self, what: usize, amount: usize) -> Result<(), TooBig> {
        if !self.single {
            self.budget[what] = self.budget[what].checked_sub(amount).ok_or(TooBig)?;
        }
        Ok(())
    }

    fn tree(&mut self, rows: &mut Rows<'a>, mut active: Vec<usize>, depth: usize) -> Result<Tree, TooBig> {
        self.spend(NODES, 1)?;
        self.spend(ROWS, active.len())?;
        let Some(&first) = active.first() else { return Ok(Tree::Fail) };
        let row = rows.row(first);
        let leaf = row.tests.is_empty();
        let conditional = !row.checks.is_empty() || !self.program.rules[row.rule].guard.is_empty();
        if depth >= self.max_depth && (conditional || !leaf) {
            return self.part(rows, &active);
        }
        if leaf {
            self.spend(ROWS, row.size())?;
            let (rule, binds, checks) = (row.rule, row.binds().collect(), row.checks.clone());
            let mut otherwise = None;
            if conditional {
                active.remove(0);
                otherwise = Some(Box::new(self.tree(rows, active, depth + 1)?));
            }
            return Ok(Tree::Leaf(Leaf { rule, binds, checks, otherwise }));
        }
        let on = self.choose_column(rows, &active);
        match rows.test(first, on).map(|p| &p.kind) {
            Some(PatternKind::Const(c)) => self.constants(rows, active, on, *c, depth),
            _ => self.switch(rows, active, on, depth),
        }
    }

    /// Goes on in another part, whose parameters are what the rows need.
    fn part(&mut self, rows: &Rows<'a>, active: &[usize]) -> Result<Tree, TooBig> {
        // A row that needs very much is in so many parts.
        let size: usize = active.iter().map(|&at| rows.row(at).size()).sum();
        self.spend(ROWS, size.div_ceil(WIDTH_TO_DEPTH))?;
        let own = self.entry.region.params.len();
        let mut args: Vec<LocalId> = active.iter().flat_map(|&at| rows.row(at).locals()).collect();
        args.sort_unstable();
        args.dedup();
        // The parameters of the symbol come first in each part, and have the same names there.
        args.retain(|arg| arg.index() >= own);
        let mut function = self.entry.clone();
        let mut names: HashMap<LocalId, LocalId> = HashMap::default();
        for &arg in &args {
            let local = self.function.locals[arg].clone();
            let param = function.local(local.name, local.sort);
            function.region.params.push(param);
            names.insert(arg, param);
        }
        let rows = rows.renamed(active, &|local| names.get(&local).copied().unwrap_or(local));
        let part = self.parts;
        self.parts += 1;
        self.todo.push((part, function, rows));
        Ok(Tree::Part { part, args })
    }

    /// By a number: `first` is what the first row has there.
    fn constants(
        &mut self,
        rows: &mut Rows<'a>,
        active: Vec<usize>,
        on: LocalId,
        first: Const,
        depth: usize,
    ) -> Result<Tree, TooBig> {
        let mut integers: Vec<i64> = active.iter().filter_map(|&at| integer(rows, at, on)).collect();
        integers.sort_unstable();
        integers.dedup();
        if integers.len() <= FEW_CONSTANTS {
            return self.equal(rows, active, on, first, depth);
        }
        let constant = integers[integers.len() / 2];
        let others = active.iter().filter(|&&at| integer(rows, at, on).is_none()).count();
        if others * (integers.len() / FEW_CONSTANTS) > self.budget[ROWS] && !self.single {
            return Err(TooBig);
        }
        self.spend(ROWS, others)?;
        let side = |below: bool| {
            let stays = |&at: &usize| integer(rows, at, on).is_none_or(|n| (n < constant) == below);
            active.iter().copied().filter(stays).collect::<Vec<usize>>()
        };
        let (below, above) = (side(true), side(false));
        drop(active);
        let then = Box::new(self.half(rows, below, on, depth + 1)?);
        let otherwise = Box::new(self.half(rows, above, on, depth + 1)?);
        Ok(Tree::Below { on, constant, then, otherwise })
    }

    /// Goes on with the same column, which some row tests.
    fn half(
        &mut self,
        rows: &mut Rows<'a>,
        active: Vec<usize>,
        on: LocalId,
        depth: usize,
    ) -> Result<Tree, TooBig> {
        match active.iter().find_map(|&at| integer(rows, at, on)) {
            Some(first) if depth < self.max_depth => {
                self.constants(rows, active, on, Const::Int(first), depth)
            }
            _ => self.tree(rows, active, depth),
        }
    }

    fn equal(
        &mut self,
        rows: &mut Rows<'a>,
        active: Vec<usize>,
        on: LocalId,
        constant: Const,
        depth: usize,
    ) -> Result<Tree, TooBig> {
        let is = |rows: &Rows<'a>, at: usize| {
            rows.test(at, on).map(|p| matches!(&p.kind, PatternKind::Const(c) if *c == constant))
        };
        let then: Vec<usize> = active.iter().copied().filter(|&at| is(rows, at) != Some(false)).collect();
        let otherwise: Vec<usize> = active.iter().copied().filter(|&at| is(rows, at) != Some(true)).collect();
        let then = Box::new(self.specialised(rows, then, on, &[], depth)?);
        let otherwise = Box::new(self.tree(rows, otherwise, depth + 1)?);
        Ok(Tree::Equal { on, constant, then, otherwise })
    }

    fn switch(
        &mut self,
        rows: &mut Rows<'a>,
        active: Vec<usize>,
        on: LocalId,
        depth: usize,
    ) -> Result<Tree, TooBig> {
        let variants = self.layout.sorts[self.function.sort(on)].variants.len();
        let symbol_at = |at: usize| match rows.test(at, on).map(|p| &p.kind) {
            Some(PatternKind::App { symbol, .. }) => Some(*symbol),
            _ => None,
        };
        let tag = |symbol: SymbolId| Some((self.layout.tag(symbol)?, symbol));
        let mut symbols: Vec<(u32, SymbolId)> = active.iter().filter_map(|&at| tag(symbol_at(at)?)).collect();
        symbols.sort_unstable();
        symbols.dedup();
        // The rows of each arm: those with its symbol, and those without a test, in order.
        let arm_of: HashMap<SymbolId, usize> =
            symbols.iter().enumerate().map(|(at, &(_, symbol))| (symbol, at)).collect();
        let others: Vec<usize> = active.iter().copied().filter(|&at| symbol_at(at).is_none()).collect();
        let copies = others.len() * symbols.len();
        let mut rows_of: Vec<Vec<usize>> = Vec::new();
        if self.single || copies <= self.budget[ROWS] {
            rows_of.resize_with(symbols.len(), Vec::new);
            for &at in &active {
                match symbol_at(at) {
                    Some(symbol) => rows_of[arm_of[&symbol]].push(at),
                    None => rows_of.iter_mut().for_each(|of| of.push(at)),
                }
            }
        }
        self.spend(ROWS, active.len() + copies)?;
        let mut arms = Vec::with_capacity(symbols.len());
        for (&(_, symbol), active) in symbols.iter().zip(rows_of) {
            let fields = self.fields(rows, &active, on, symbol);
            let tree = self.specialised(rows, active, on, &fields, depth)?;
            arms.push((symbol, fields, tree));
        }
        let default =
            if arms.len() < variants { Some(Box::new(self.tree(rows, others, depth + 1)?)) } else { None };
        Ok(Tree::Switch { on, arms, default })
    }

    /// The tree where the column has the value that all rows with a test of it have there.
    fn specialised(
        &mut self,
        rows: &mut Rows<'a>,
        active: Vec<usize>,
        on: LocalId,
        fields: &[LocalId],
        depth: usize,
    ) -> Result<Tree, TooBig> {
        let mut opened: Vec<Before<'a>> = Vec::new();
        let mut left = Vec::with_capacity(active.len());
        for at in active {
            if rows.test(at, on).is_some() {
                let Some(before) = rows.open(at, on, fields) else { continue };
                opened.push(before);
            }
            left.push(at);
        }
        let tree = self.tree(rows, left, depth + 1)?;
        opened.into_iter().for_each(|before| rows.close(before, on, fields));
        Ok(tree)
    }

    /// A column that the first row needs: the one that most of the rows below need too without a gap, the leftmost of
    /// these. Where very many tests are at hand, it is one of the last columns, and the smallest pattern of these: so
    /// there are not many more before there are fewer, since all of them are arguments of each part.
    fn choose_column(&self, rows: &Rows<'a>, active: &[usize]) -> LocalId {
        let [columns, below] = CHOICE;
        let tests = &rows.row(active[0]).tests;
        let many = tests.len() > MANY_TESTS;
        let mut best: Vec<LocalId> = if many {
            tests.keys().rev().copied().take(columns).collect()
        } else {
            tests.keys().copied().take(columns).collect()
        };
        for &at in active[1..].iter().take(below) {
            if best.len() == 1 {
                break;
            }
            let left: Vec<LocalId> = best.iter().copied().filter(|&on| rows.test(at, on).is_some()).collect();
            if left.is_empty() {
                break;
            }
            best = left;
        }
        if !many {
            return best[0];
        }
        let size = |&on: &LocalId| rows.test(active[0], on).map(|p| self.sizes.get(&std::ptr::from_ref(p)));
        best.iter().copied().min_by_key(size).unwrap_or(best[0])
    }

    /// Locals for the fields of `symbol`, named after variables that the rows have there.
    fn fields(&mut self, rows: &Rows<'a>, active: &[usize], on: LocalId, symbol: SymbolId) -> Vec<LocalId> {
        let sorts = &self.program.signature.symbols[symbol].args;
        let mut names: Vec<Option<String>> = vec![None; sorts.len()];
        for &at in active {
            let Some(PatternKind::App { args, .. }) = rows.test(at, on).map(|p| &p.kind) else { continue };
            for (name, arg) in names.iter_mut().zip(args).filter(|(name, _)| name.is_none()) {
                if let PatternKind::Var(var) = arg.kind {
                    *name = Some(self.program.rules[rows.row(at).rule].vars[var].name.to_lowercase());
                }
            }
        }
        let name = |name: Option<String>| name.unwrap_or_else(|| "v".into());
        names.into_iter().zip(sorts).map(|(given, &sort)| self.function.local(name(given), sort)).collect()
    }
}

fn integer(rows: &Rows<'_>, at: usize, on: LocalId) -> Option<i64> {
    match rows.test(at, on)?.kind {
        PatternKind::Const(Const::Int(n)) => Some(n),
        _ => None,
    }
}

/// How many nodes each of these patterns has, which are followed by those below them.
fn note_sizes(patterns: &[&Pattern], sizes: &mut HashMap<*const Pattern, usize>) {
    for &pattern in patterns.iter().rev() {
        let below: usize = match &pattern.kind {
            PatternKind::App { args, .. } => args.iter().map(|arg| sizes[&std::ptr::from_ref(arg)]).sum(),
            _ => 0,
        };
        sizes.insert(pattern, 1 + below);
    }
}
