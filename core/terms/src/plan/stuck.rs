//! Which defined symbols can head normal forms: those with an application to normal forms that no rule matches.

use std::collections::VecDeque;

use crate::plan::layout::Layout;
use crate::plan::matching;
use crate::plan::reach::Reach;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::rule::{PatternKind, Program, RuleId};
use gchr_base::signature::{SortId, SortKind, SymbolId, SymbolKind};

/// The layout in which exactly those defined symbols are variants whose decision trees can fail, given that layout:
/// the least fixed point, since normal forms are built from smaller normal forms. An application whose result is a
/// number is no normal form.
pub(super) fn find_layout(program: &Program, reach: &Reach) -> Layout {
    let mut search = Search::new(program, reach);
    while let Some(symbol) = search.todo.pop_front() {
        search.waiting[symbol] = false;
        if !search.stuck[symbol] && search.can_be_stuck(symbol) {
            search.found(symbol);
        }
    }
    Layout::new(&program.signature, &|symbol| search.stuck[symbol])
}

/// What the left-hand sides of a symbol's rules test, by sort.
#[derive(Default)]
struct Tested {
    /// Symbols of the sort that occur in them.
    symbols: HashSet<SymbolId>,
    /// Whether values of the sort may have another symbol at their head. Then one more such symbol changes nothing.
    others: bool,
}

struct Search<'a> {
    program: &'a Program,
    rules: &'a IdVec<SymbolId, Vec<RuleId>>,
    stuck: IdVec<SymbolId, bool>,
    /// With the variants found so far.
    layout: Layout,
    /// By symbol and sort.
    tested: IdVec<SymbolId, HashMap<SortId, Tested>>,
    /// Symbols whose rules test a sort.
    testers: IdVec<SortId, Vec<SymbolId>>,
    /// Symbols whose rules have this symbol in their left-hand sides.
    mentions: IdVec<SymbolId, Vec<SymbolId>>,
    /// Symbols that may have become stuck.
    todo: VecDeque<SymbolId>,
    waiting: IdVec<SymbolId, bool>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, reach: &'a Reach) -> Self {
        let signature = &program.signature;
        let candidate = |id: SymbolId| {
            let symbol = &signature.symbols[id];
            let is_data = signature.kind(symbol.result) == SortKind::Data;
            symbol.kind == SymbolKind::Defined && is_data && reach.symbols[id]
        };
        let mut search = Self {
            program,
            rules: &reach.rules,
            stuck: signature.symbols.iter().map(|_| false).collect(),
            layout: Layout::new(signature, &|_| false),
            tested: signature.symbols.iter().map(|_| HashMap::default()).collect(),
            testers: signature.sorts.iter().map(|_| Vec::new()).collect(),
            mentions: signature.symbols.iter().map(|_| Vec::new()).collect(),
            todo: signature.symbols.ids().filter(|&id| candidate(id)).collect(),
            waiting: signature.symbols.ids().map(candidate).collect(),
        };
        for symbol in search.todo.clone() {
            search.note_tests(symbol);
        }
        search
    }

    fn note_tests(&mut self, symbol: SymbolId) {
        let signature = &self.program.signature;
        let mut tested: HashMap<SortId, Tested> = HashMap::default();
        for &rule in &self.rules[symbol] {
            let mut patterns: Vec<_> = self.program.rules[rule].heads[0].atom.args().iter().collect();
            while let Some(pattern) = patterns.pop() {
                if let PatternKind::App { symbol, args } = &pattern.kind {
                    tested.entry(signature.symbols[*symbol].result).or_default().symbols.insert(*symbol);
                    patterns.extend(args);
                }
            }
        }
        for (&sort, of_sort) in &mut tested {
            let variants = &self.layout.sorts[sort].variants;
            let known = of_sort.symbols.iter().filter(|&&s| self.layout.tag(s).is_some()).count();
            of_sort.others = known < variants.len();
            self.testers[sort].push(symbol);
            of_sort.symbols.iter().for_each(|&mentioned| self.mentions[mentioned].push(symbol));
        }
        self.tested[symbol] = tested;
    }

    /// Whether some application of the symbol to normal forms matches no rule, when normal forms look like the layout
    /// so far.
    fn can_be_stuck(&self, symbol: SymbolId) -> bool {
        let rules = &self.rules[symbol];
        matching::compile(self.program, &self.layout, symbol, rules).iter().all(matching::can_fail)
    }

    /// A symbol can head normal forms: those are asked again for which that makes a difference.
    fn found(&mut self, symbol: SymbolId) {
        self.stuck[symbol] = true;
        self.layout.add_variant(&self.program.signature, symbol);
        let sort = self.program.signature.symbols[symbol].result;
        let mut again = std::mem::take(&mut self.mentions[symbol]);
        // A symbol that a left-hand side does not have matters once.
        let tested = &mut self.tested;
        self.testers[sort].retain(|&tester| {
            let Some(of_sort) = tested[tester].get_mut(&sort).filter(|of_sort| !of_sort.others) else {
                return false;
            };
            if of_sort.symbols.contains(&symbol) {
                return true;
            }
            of_sort.others = true;
            again.push(tester);
            false
        });
        for symbol in again {
            if !self.stuck[symbol] && !std::mem::replace(&mut self.waiting[symbol], true) {
                self.todo.push_back(symbol);
            }
        }
    }
}
