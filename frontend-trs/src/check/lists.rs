//! `List(S)`: a sort with a parameter, its constructors, and functions on it, as far as a program uses them.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Rule, Var, VarId};
use gchr_base::signature::{Brackets, Notation, Sort, SortId, Symbol, SymbolId, SymbolKind};
use gchr_base::source::Span;

use super::declarations::Scope;
use super::families::{Families, FamilyId};
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

/// The sort of lists, and the symbols for it, once they are used.
#[derive(Clone, Default)]
pub(crate) struct Lists {
    family: Option<FamilyId>,
    symbols: HashMap<ListSymbol, SymbolId>,
}

impl Lists {
    /// The sort with its constructors.
    pub fn family(
        &mut self,
        families: &mut Families,
        sorts: &mut IdVec<SortId, Sort>,
        symbols: &mut IdVec<SymbolId, Symbol>,
    ) -> FamilyId {
        if let Some(known) = self.family {
            return known;
        }
        let element = families.hidden_parameter(sorts, symbols);
        let family = families.family(LIST, None, vec![element]);
        self.family = Some(family);
        let Some(list) = families.sort(family, vec![element], sorts) else { return family };
        for (symbol, args) in
            [(ListSymbol::Empty, vec![]), (ListSymbol::Op(ListOp::Cons), vec![element, list])]
        {
            let (name, kind) = (symbol.name().to_string(), SymbolKind::Constructor);
            let id = symbols.push(Symbol { name, args, result: list, kind, span: None });
            families.generalise(id, vec![element]);
            families.constructor(family, id);
            self.symbols.insert(symbol, id);
        }
        family
    }

    /// How the symbols are written in results.
    pub fn notations(&self) -> impl Iterator<Item = (SymbolId, Notation)> + '_ {
        self.symbols.iter().filter_map(|(symbol, id)| Some((*id, symbol.notation()?)))
    }
}

impl Scope<'_> {
    /// The sort of lists; `None` where a finished program has none.
    pub fn list_family(&mut self) -> Option<FamilyId> {
        if self.made.is_final {
            return self.lists.family;
        }
        let Self { families, lists, signature, .. } = self;
        let signature = signature.to_mut();
        Some(lists.to_mut().family(families.to_mut(), &mut signature.sorts, &mut signature.symbols))
    }

    /// The symbol for lists of any sort, with its rules; `None` where a finished program has none.
    pub fn list_symbol(&mut self, symbol: ListSymbol, span: Span) -> Option<SymbolId> {
        let family = self.list_family()?;
        if let Some(&known) = self.lists.symbols.get(&symbol) {
            return Some(known);
        }
        let element = *self.families.parameters(family).first()?;
        let list = self.families.known_sort(family, &[element])?;
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
        self.lists.to_mut().symbols.insert(symbol, id);
        let mut maker = Maker { scope: self, element, list, span };
        let rules = maker.rules(symbol, id)?;
        self.made.rules.extend(rules);
        self.made.owner = owner;
        Some(id)
    }
}

/// Makes the rules of functions on lists.
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
        let empty_symbol = self.scope.list_symbol(ListSymbol::Empty, span)?;
        let cons_symbol = self.scope.list_symbol(ListSymbol::Op(ListOp::Cons), span)?;
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
                let length = self.scope.list_symbol(ListSymbol::Length, span)?;
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
                let same = self.operation(Op::Same, [y.clone(), x.clone()]);
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
