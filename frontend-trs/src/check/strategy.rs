//! Strategies: which symbols they name, and whether they fit these.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::signature::{SortKind, SymbolId};
use gchr_base::source::Span;
use gchr_base::strategy::{Argument, Order, Strategy};
use gchr_maude::Axioms;

use super::Checked;
use super::builtin::lists::ListSymbol;
use super::reporter::Reporter;
use super::scope::Scope;
use crate::ast::{ARGUMENTS, Ident, ListOp, Module, Section, StrategyArgument, StrategyClause, StrategyKind};

/// What the texts of a program say. What does not fit is reported.
pub(crate) fn declared(
    module: &Module,
    axioms: &HashMap<SymbolId, Axioms>,
    scope: &mut Scope<'_>,
    reporter: &mut Reporter,
) -> Strategy {
    let mut seen = Seen::default();
    for section in module.all_sections() {
        let Section::Strategy(clauses) = section else { continue };
        for clause in clauses {
            match &clause.kind {
                StrategyKind::Order(order) => seen.order(*order, clause.span, reporter),
                StrategyKind::Arguments { symbol, args } => {
                    seen.arguments(clause, *symbol, args, scope, reporter);
                }
            }
        }
    }
    seen.lazy_outermost(reporter);
    seen.modulo(axioms, scope, reporter);
    seen.strategy
}

/// The strategy so far, and where it is said.
#[derive(Default)]
struct Seen {
    strategy: Strategy,
    /// The place of the order.
    order: Option<Span>,
    /// The places of symbols.
    symbols: HashMap<SymbolId, Span>,
    /// Where the first argument is said to be lazy.
    lazy: Option<Span>,
}

impl Seen {
    fn order(&mut self, order: Order, span: Span, reporter: &mut Reporter) {
        if let Some(first) = self.order {
            return reporter.report(
                Diagnostic::error("T0118", "a program has one order of rewriting")
                    .label(span, "said again here")
                    .label(first, "said here already")
                    .help("keep one of the two: the strategies of all texts of a program are taken together"),
            );
        }
        self.order = Some(span);
        self.strategy.order = order;
    }

    fn arguments(
        &mut self,
        clause: &StrategyClause,
        name: Option<Ident>,
        args: &[StrategyArgument],
        scope: &mut Scope<'_>,
        reporter: &mut Reporter,
    ) {
        let symbol = match name {
            Some(name) => scope.symbol(name.name),
            None => scope.list_symbol(ListSymbol::Op(ListOp::Cons), clause.span),
        };
        let Some(symbol) = symbol else {
            if let Some(name) = name.filter(|name| reporter.first_report(name.name)) {
                reporter.report(unknown(name, scope));
            }
            return;
        };
        let declared = &scope.signature.symbols[symbol];
        if declared.args.len() != args.len() {
            let (wanted, found) = (declared.args.len(), args.len());
            let plural = if wanted == 1 { "" } else { "s" };
            let mut wrong = Diagnostic::error(
                "T0103",
                format!("`{}` takes {wanted} argument{plural}, found {found}", declared.name),
            )
            .label(clause.span, format!("{found} here"));
            if let Some(span) = declared.span {
                wrong = wrong.label(span, "declared here");
            }
            let help = "write `_`, `lazy` or `frozen` for each argument, in their order";
            return reporter.report(wrong.help(help));
        }
        if let Some(&first) = self.symbols.get(&symbol) {
            return reporter.report(
                Diagnostic::error("T0118", format!("two strategies for `{}`", declared.name))
                    .label(clause.span, "said again here")
                    .label(first, "said here already")
                    .help("keep one of the two"),
            );
        }
        self.symbols.insert(symbol, clause.span);
        for (arg, &sort) in args.iter().zip(&declared.args) {
            let is_number = scope.signature.kind(sort) != SortKind::Data;
            if is_number && arg.kind != Argument::Evaluated {
                reporter.report(number(arg, scope.sort_name(sort)));
            }
            if arg.kind == Argument::Lazy {
                self.lazy.get_or_insert(arg.span);
            }
        }
        if args.iter().any(|arg| arg.kind != Argument::Evaluated) {
            self.strategy.arguments.insert(symbol, args.iter().map(|arg| arg.kind).collect());
        }
    }

    fn lazy_outermost(&self, reporter: &mut Reporter) {
        if let (Order::Outermost, Some(lazy), Some(order)) = (self.strategy.order, self.lazy, self.order) {
            reporter.report(
                Diagnostic::error("T0117", "arguments are lazy where the others are rewritten innermost")
                    .label(lazy, "lazy")
                    .label(order, "outermost")
                    .note("outermost, each argument waits until no rule applies above it")
                    .help("remove one of the two"),
            );
        }
    }

    /// Rules that match modulo axioms take arguments apart that are evaluated.
    fn modulo(&self, axioms: &HashMap<SymbolId, Axioms>, scope: &Scope<'_>, reporter: &mut Reporter) {
        let of_symbols = self.strategy.arguments.keys().filter_map(|symbol| self.symbols.get(symbol));
        let by_order = self.order.filter(|_| self.strategy.order != Order::Innermost);
        let places = of_symbols.copied().chain(by_order);
        let (Some(place), Some(symbol)) =
            (places.min_by_key(|span| (span.source, span.start)), axioms.keys().min())
        else {
            return;
        };
        let declared = &scope.signature.symbols[*symbol];
        let mut wrong = Diagnostic::error("T0117", "a program with axioms is rewritten innermost")
            .label(place, "another strategy");
        if let Some(span) = declared.span {
            wrong = wrong.label(span, format!("`{}` has axioms", declared.name));
        }
        reporter.report(wrong.help("remove the strategy, or the axioms and the equations that rely on them"));
    }
}

fn unknown(name: Ident, scope: &Scope<'_>) -> Diagnostic {
    let text = scope.text(name.name);
    let symbols = scope.signature.symbols.iter().filter(|symbol| symbol.span.is_some());
    let nearest = gchr_base::suggest::nearest(text, symbols.map(|symbol| symbol.name.as_str()));
    let help = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "name a symbol that the program declares".into(),
    };
    Diagnostic::error("T0102", format!("unknown symbol `{text}`")).label(name.span, "not declared").help(help)
}

fn number(arg: &StrategyArgument, sort: &str) -> Diagnostic {
    let word = ARGUMENTS.iter().find(|(_, kind)| *kind == arg.kind).map_or("", |(word, _)| word);
    Diagnostic::error("T0117", format!("an argument of sort `{sort}` is always evaluated"))
        .label(arg.span, format!("cannot be {word}"))
        .note("numbers are computed where they are written, under every strategy")
        .help("write `_` for this argument")
}

/// The strategy of all symbols and instances of a program, from what is declared. `choice`: the function `if`; `parts`:
/// symbols that stand for a part of a rule.
pub(crate) fn of_instances(
    declared: Strategy,
    (choice, parts): (Option<SymbolId>, &HashMap<SymbolId, usize>),
    checked: &Checked,
) -> Strategy {
    let mut strategy = Strategy { order: declared.order, ..Strategy::default() };
    if declared.is_eager() {
        return strategy;
    }
    for (id, symbol) in checked.program.signature.symbols.iter_enumerated() {
        let origin = checked.origin(id);
        if let Some(of) = declared.arguments.get(&origin) {
            strategy.arguments.insert(id, of.clone());
        }
        if let Some(&first) = parts.get(&origin) {
            strategy.parts.insert(id, first);
        }
        let kind = checked.program.signature.kind(symbol.result);
        if choice == Some(origin) && kind == SortKind::Data {
            strategy.choices.insert(id);
        }
    }
    strategy
}
