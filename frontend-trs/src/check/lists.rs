//! `List(S)`: the sort, its constructors, and functions on it, for each sort of elements that a program uses.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Rule, Var, VarId};
use gchr_base::signature::{
    Brackets, Notation, Signature, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind,
};
use gchr_base::source::Span;

use super::declarations::Scope;
use super::rules::rule_of;
use crate::ast::ListOp;

/// The name of the sort of lists, unless the program declares a sort of this name.
pub(crate) const LIST: &str = "List";

/// What there is for lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ListSymbol {
    /// `[]`.
    Empty,
    /// An operator.
    Op(ListOp),
    /// `head(l)`: the first element.
    Head,
    /// `tail(l)`: the list without it.
    Tail,
    /// `rhead(l)`: the last element.
    LastElement,
    /// `rtail(l)`: the list without it.
    WithoutLast,
    /// Number of elements and a number, which no text can write.
    Length,
}

impl ListSymbol {
    /// The functions that are written by their names, unless the program declares a symbol of this name.
    const NAMED: [ListSymbol; 4] =
        [ListSymbol::Head, ListSymbol::Tail, ListSymbol::LastElement, ListSymbol::WithoutLast];

    /// The function of a name.
    pub fn function(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|symbol| symbol.name() == name)
    }

    /// The names of functions.
    pub fn functions<'n>() -> impl Iterator<Item = &'n str> {
        Self::NAMED.into_iter().map(|symbol| -> &str { symbol.name() })
    }

    /// As results show it.
    pub fn name(self) -> &'static str {
        match self {
            ListSymbol::Empty => "[]",
            ListSymbol::Op(op) => op.text(),
            ListSymbol::Head => "head",
            ListSymbol::Tail => "tail",
            ListSymbol::LastElement => "rhead",
            ListSymbol::WithoutLast => "rtail",
            ListSymbol::Length => "#.from",
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        let operators = ListOp::ALL.into_iter().map(ListSymbol::Op);
        [ListSymbol::Empty, ListSymbol::Length].into_iter().chain(operators).chain(Self::NAMED)
    }

    fn notation(self) -> Option<Notation> {
        let brackets = Brackets { open: "[", close: "]" };
        Some(match self {
            ListSymbol::Empty => Notation::Empty(brackets),
            ListSymbol::Op(ListOp::Cons) => Notation::Element(brackets),
            ListSymbol::Op(ListOp::Snoc | ListOp::Concat | ListOp::At | ListOp::In) => Notation::Infix,
            _ => return None,
        })
    }
}

/// The sorts of lists of a program, and their symbols.
#[derive(Clone, Default)]
pub(crate) struct Lists {
    of: HashMap<SortId, SortId>,
    elements: HashMap<SortId, SortId>,
    symbols: HashMap<(ListSymbol, SortId), SymbolId>,
}

impl Lists {
    /// Those that a finished program has.
    pub fn of_program(signature: &Signature) -> Self {
        let mut lists = Self::default();
        let built_in = |symbol: &Symbol, name: &str| symbol.span.is_none() && symbol.name == name;
        for symbol in signature.symbols.iter() {
            if built_in(symbol, ListSymbol::Op(ListOp::Cons).name())
                && let [element, list] = symbol.args[..]
            {
                lists.of.insert(element, list);
                lists.elements.insert(list, element);
            }
        }
        for (id, symbol) in signature.symbols.iter_enumerated() {
            let Some(found) = ListSymbol::all().find(|list| built_in(symbol, list.name())) else { continue };
            let mut sorts = symbol.args.iter().chain([&symbol.result]);
            // An element may be a list itself: the list is the last argument of `|>` and `in`, else the first one.
            let list = match found {
                ListSymbol::Op(ListOp::Cons | ListOp::In) => symbol.args.last(),
                _ => sorts.next(),
            };
            if let Some(element) = list.and_then(|list| lists.elements.get(list)) {
                lists.symbols.insert((found, *element), id);
            }
        }
        lists
    }

    /// The sort of the elements, where a sort is one of lists.
    pub fn element(&self, list: SortId) -> Option<SortId> {
        self.elements.get(&list).copied()
    }

    /// All symbols for lists.
    pub fn symbols(&self) -> HashSet<SymbolId> {
        self.symbols.values().copied().collect()
    }

    /// The sort of lists of elements of a sort, and its constructors where they are new.
    pub fn sort(
        &mut self,
        element: SortId,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> SortId {
        if let Some(&known) = self.of.get(&element) {
            return known;
        }
        let name = format!("{LIST}({})", sorts[element].name);
        let list = sorts.push(Sort { name, kind: SortKind::Data, span: None });
        self.of.insert(element, list);
        self.elements.insert(list, element);
        for (symbol, args) in
            [(ListSymbol::Empty, vec![]), (ListSymbol::Op(ListOp::Cons), vec![element, list])]
        {
            let (name, kind) = (symbol.name().to_string(), SymbolKind::Constructor);
            let id = symbols.push(Symbol { name, args, result: list, kind, span: None });
            self.symbols.insert((symbol, element), id);
        }
        list
    }

    /// How the symbols are written in results.
    pub fn notations(&self) -> impl Iterator<Item = (SymbolId, Notation)> + '_ {
        self.symbols.iter().filter_map(|((symbol, _), id)| Some((*id, symbol.notation()?)))
    }
}

impl Scope<'_> {
    /// The sort of lists of elements of a sort; `None` where a finished program has none.
    pub fn list_sort(&mut self, element: SortId) -> Option<SortId> {
        let known = self.lists.of.get(&element).copied();
        if known.is_some() || self.made.is_final {
            return known;
        }
        let signature = self.signature.to_mut();
        Some(self.lists.sort(element, &mut signature.sorts, &mut signature.symbols))
    }

    /// The symbol for lists of elements of a sort, with its rules; `None` where a finished program has none.
    pub fn list_symbol(&mut self, symbol: ListSymbol, element: SortId, span: Span) -> Option<SymbolId> {
        let list = self.list_sort(element)?;
        if let Some(&known) = self.lists.symbols.get(&(symbol, element)) {
            return Some(known);
        }
        let int = || self.int;
        let (args, result) = match symbol {
            ListSymbol::Empty => (vec![], list),
            ListSymbol::Op(ListOp::Cons) => (vec![element, list], list),
            ListSymbol::Op(ListOp::Snoc) => (vec![list, element], list),
            ListSymbol::Op(ListOp::Concat) => (vec![list, list], list),
            ListSymbol::Op(ListOp::At) => (vec![list, int()?], element),
            ListSymbol::Op(ListOp::In) => (vec![element, list], self.truth?.sort),
            ListSymbol::Op(ListOp::Size) => (vec![list], int()?),
            ListSymbol::Length => (vec![list, int()?], int()?),
            ListSymbol::Head | ListSymbol::LastElement => (vec![list], element),
            ListSymbol::Tail | ListSymbol::WithoutLast => (vec![list], list),
        };
        let owner = self.made.owner.take();
        let id = self.make(symbol.name().to_string(), args, result)?;
        self.lists.symbols.insert((symbol, element), id);
        let mut maker = Maker { scope: self, element, list, span };
        for rule in maker.rules(symbol, id)? {
            self.made.rules.push(rule);
        }
        self.made.owner = owner;
        Some(id)
    }
}

/// Makes the rules of functions on lists of one sort.
struct Maker<'v, 'a> {
    scope: &'v mut Scope<'a>,
    element: SortId,
    list: SortId,
    span: Span,
}

/// A rule in the making: its variables, and the patterns and terms of its parts.
#[derive(Clone)]
struct Part {
    pattern: Pattern,
    value: Expr,
}

impl Maker<'_, '_> {
    fn var(&self, vars: &mut IdVec<VarId, Var>, name: &str, sort: SortId) -> Part {
        let span = self.span;
        let id = vars.push(Var { name: name.into(), sort, span });
        Part {
            pattern: Pattern { kind: PatternKind::Var(id), sort, span },
            value: Expr { kind: ExprKind::Var(id), sort, span },
        }
    }

    fn app(&self, symbol: SymbolId, args: Vec<Part>) -> Part {
        let (sort, span) = (self.scope.signature.symbols[symbol].result, self.span);
        let (patterns, values) = args.into_iter().map(|arg| (arg.pattern, arg.value)).unzip();
        Part {
            pattern: Pattern { kind: PatternKind::App { symbol, args: patterns }, sort, span },
            value: Expr { kind: ExprKind::App { symbol, args: values }, sort, span },
        }
    }

    fn int(&self, value: i64, sort: SortId) -> Part {
        let (value, span) = (Const::Int(value), self.span);
        Part {
            pattern: Pattern { kind: PatternKind::Const(value), sort, span },
            value: Expr { kind: ExprKind::Const(value), sort, span },
        }
    }

    fn operation(&self, op: Op, args: [Part; 2]) -> Expr {
        let sort = self.scope.signature.sort_of_result(op, args[0].value.sort);
        let args = args.map(|arg| arg.value).to_vec();
        Expr { kind: ExprKind::Op { op, args }, sort, span: self.span }
    }

    /// The rules of a function: `None` where something that they need is missing.
    fn rules(&mut self, symbol: ListSymbol, id: SymbolId) -> Option<Vec<Rule>> {
        let (element, list, span) = (self.element, self.list, self.span);
        let empty_symbol = self.scope.list_symbol(ListSymbol::Empty, element, span)?;
        let cons_symbol = self.scope.list_symbol(ListSymbol::Op(ListOp::Cons), element, span)?;
        let mut vars = IdVec::new();
        let [x, y] = ["X", "Y"].map(|name| self.var(&mut vars, name, element));
        let [l, m] = ["L", "M"].map(|name| self.var(&mut vars, name, list));
        let empty = self.app(empty_symbol, vec![]);
        let cons = |maker: &Self, first: &Part, rest: &Part| {
            maker.app(cons_symbol, vec![first.clone(), rest.clone()])
        };
        let rule = |vars: &IdVec<VarId, Var>, args: Vec<&Part>, value: Expr| {
            let args = args.into_iter().map(|arg| arg.pattern.clone()).collect();
            rule_of(id, vars.clone(), args, value, span)
        };
        let (xl, one) = (cons(self, &x, &l), cons(self, &x, &empty));
        Some(match symbol {
            ListSymbol::Empty | ListSymbol::Op(ListOp::Cons) => Vec::new(),
            ListSymbol::Op(ListOp::Snoc) => {
                let rest = self.app(id, vec![l.clone(), y.clone()]);
                let last = cons(self, &y, &empty);
                vec![
                    rule(&vars, vec![&empty, &y], last.value),
                    rule(&vars, vec![&xl, &y], cons(self, &x, &rest).value),
                ]
            }
            ListSymbol::Op(ListOp::Concat) => {
                let rest = self.app(id, vec![l.clone(), m.clone()]);
                vec![
                    rule(&vars, vec![&empty, &m], m.value.clone()),
                    rule(&vars, vec![&xl, &m], cons(self, &x, &rest).value),
                ]
            }
            ListSymbol::Op(ListOp::Size) => {
                let int = self.scope.int?;
                let length = self.scope.list_symbol(ListSymbol::Length, element, span)?;
                let zero = self.int(0, int);
                vec![rule(&vars, vec![&l], self.app(length, vec![l.clone(), zero]).value)]
            }
            ListSymbol::Length => {
                let int = self.scope.int?;
                let n = self.var(&mut vars, "N", int);
                let mut next = n.clone();
                next.value = self.operation(Op::Add, [n.clone(), self.int(1, int)]);
                vec![
                    rule(&vars, vec![&empty, &n], n.value.clone()),
                    rule(&vars, vec![&xl, &n], self.app(id, vec![l.clone(), next]).value),
                ]
            }
            ListSymbol::Op(ListOp::At) => {
                let int = self.scope.int?;
                let n = self.var(&mut vars, "N", int);
                let zero = self.int(0, int);
                let mut before = n.clone();
                before.value = self.operation(Op::Sub, [n.clone(), self.int(1, int)]);
                let positive = self.operation(Op::Gt, [n.clone(), zero.clone()]);
                let mut further = rule(&vars, vec![&xl, &n], self.app(id, vec![l.clone(), before]).value);
                further.guard.push(Goal { kind: GoalKind::Test(positive), span });
                vec![rule(&vars, vec![&xl, &zero], x.value.clone()), further]
            }
            ListSymbol::Op(ListOp::In) => {
                let truth = self.scope.truth?;
                let [yes, no] =
                    [truth.true_symbol, truth.false_symbol].map(|value| self.app(value, vec![]).value);
                let is_number = [self.scope.int, self.scope.float].contains(&Some(element));
                let equal = if is_number { Op::Eq } else { Op::Same };
                let same = self.operation(equal, [y.clone(), x.clone()]);
                let mut found = rule(&vars, vec![&y, &xl], yes);
                found.guard.push(Goal { kind: GoalKind::Test(same), span });
                let further = self.app(id, vec![y.clone(), l.clone()]).value;
                vec![rule(&vars, vec![&y, &empty], no), found, rule(&vars, vec![&y, &xl], further)]
            }
            ListSymbol::Head => vec![rule(&vars, vec![&xl], x.value.clone())],
            ListSymbol::Tail => vec![rule(&vars, vec![&xl], l.value.clone())],
            ListSymbol::LastElement => vec![
                rule(&vars, vec![&one], x.value.clone()),
                rule(&vars, vec![&xl], self.app(id, vec![l.clone()]).value),
            ],
            ListSymbol::WithoutLast => {
                let yl = cons(self, &y, &l);
                let (two, rest) = (cons(self, &x, &yl), self.app(id, vec![yl]));
                vec![
                    rule(&vars, vec![&one], empty.value.clone()),
                    rule(&vars, vec![&two], cons(self, &x, &rest).value),
                ]
            }
        })
    }
}
