//! Axioms of symbols: whether they fit, and the program whose rules match modulo them.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::rule::{HeadAtom, Pattern, PatternKind};
use gchr_base::signature::{Signature, SortId, SortKind, SymbolId, SymbolKind};
use gchr_base::source::Span;
use gchr_maude::Axioms;

use super::Checked;
use super::reporter::Reporter;
use super::scope::Scope;
use crate::ast::{Axiom, AxiomKind, Ident, Module, Section};

/// The axioms of all symbols that declare some. What does not fit is reported.
pub(crate) fn declared(
    module: &Module,
    scope: &Scope<'_>,
    reporter: &mut Reporter,
) -> HashMap<SymbolId, Axioms> {
    let mut found = HashMap::default();
    for section in module.all_sections() {
        let (Section::Constructors(clauses) | Section::Maps(clauses)) = section else { continue };
        for clause in clauses.iter().filter(|clause| !clause.axioms.is_empty()) {
            once(&clause.axioms, reporter);
            for &name in &clause.names {
                if let Some(symbol) = scope.symbol(name.name)
                    && let Some(axioms) = of_symbol(symbol, name, &clause.axioms, scope, reporter)
                {
                    found.insert(symbol, axioms);
                }
            }
        }
    }
    found
}

/// Reports what is said twice.
fn once(axioms: &[Axiom], reporter: &mut Reporter) {
    for (at, axiom) in axioms.iter().enumerate() {
        let is_same =
            |other: &&Axiom| std::mem::discriminant(&other.kind) == std::mem::discriminant(&axiom.kind);
        if let Some(first) = axioms[..at].iter().find(is_same) {
            reporter.report(
                Diagnostic::error("T0114", "this axiom is said twice")
                    .label(axiom.span, "again here")
                    .label(first.span, "said here already")
                    .help("remove one of the two"),
            );
        }
    }
}

fn of_symbol(
    symbol: SymbolId,
    name: Ident,
    axioms: &[Axiom],
    scope: &Scope<'_>,
    reporter: &mut Reporter,
) -> Option<Axioms> {
    let declared = &scope.signature.symbols[symbol];
    // Of a name that is declared twice, one meaning is left.
    if declared.span != Some(name.span) {
        return None;
    }
    let mut found = Axioms::default();
    for axiom in axioms {
        if let Some(reason) = misfit(axiom, &declared.args, declared.result, scope) {
            reporter.report(
                Diagnostic::error("T0114", format!("an axiom does not fit the sorts of `{}`", declared.name))
                    .label(axiom.span, reason)
                    .label(name.span, "declared with these sorts")
                    .help("declare `F: Bag # Bag -> Bag [assoc comm id: Empty];`, of one sort that is not built in"),
            );
            return None;
        }
        match axiom.kind {
            AxiomKind::Associative => found.associative = true,
            AxiomKind::Commutative => found.commutative = true,
            AxiomKind::Identity(of) => found.identity = Some(identity(of, declared.result, scope, reporter)?),
        }
    }
    Some(found)
}

/// Why an axiom does not hold for a symbol with these sorts.
fn misfit(axiom: &Axiom, args: &[SortId], result: SortId, scope: &Scope<'_>) -> Option<&'static str> {
    let &[first, second] = args else { return Some("only symbols with two arguments have axioms") };
    if first != second {
        return Some("the two arguments have different sorts");
    }
    if axiom.kind != AxiomKind::Commutative && first != result {
        return Some("the result has another sort than the arguments");
    }
    // Terms with the symbol are values until an equation for them is found.
    let is_plain =
        scope.signature.sorts[result].kind == SortKind::Data && !scope.families.is_parameter(result);
    (!is_plain).then_some("the result is a number, or may be one")
}

/// The constant that an identity is.
fn identity(of: Ident, sort: SortId, scope: &Scope<'_>, reporter: &mut Reporter) -> Option<SymbolId> {
    let text = scope.text(of.name);
    let mut wrong = |label: String, place: Option<Span>| {
        let mut found =
            Diagnostic::error("T0115", format!("`{text}` is no identity here")).label(of.span, label);
        if let Some(place) = place {
            found = found.label(place, "declared here");
        }
        let sort = scope.sort_name(sort);
        reporter.report(found.help(format!("name a constant of sort `{sort}` that has no equations")));
        None
    };
    let Some(symbol) = scope.symbol(of.name) else { return wrong("not declared".into(), None) };
    let declared = &scope.signature.symbols[symbol];
    if !declared.args.is_empty() {
        return wrong("has arguments".into(), declared.span);
    }
    if declared.kind != SymbolKind::Constructor {
        return wrong("has equations".into(), declared.span);
    }
    let family = |sort: SortId| scope.families.origin_of_sort(sort).map(|(family, _)| family);
    if declared.result != sort && (family(sort).is_none() || family(declared.result) != family(sort)) {
        return wrong(format!("has sort `{}`", scope.sort_name(declared.result)), declared.span);
    }
    Some(symbol)
}

/// The axioms of all symbols and instances of a program, from those that are declared. `origins`: what instances are
/// instances of.
pub(crate) fn of_instances(
    declared: &HashMap<SymbolId, Axioms>,
    signature: &Signature,
    origins: &HashMap<SymbolId, SymbolId>,
) -> HashMap<SymbolId, Axioms> {
    if declared.is_empty() {
        return HashMap::default();
    }
    let origin = |symbol: SymbolId| origins.get(&symbol).copied().unwrap_or(symbol);
    let symbols = || signature.symbols.iter_enumerated();
    let constants: HashMap<(SymbolId, SortId), SymbolId> =
        symbols().map(|(id, symbol)| ((origin(id), symbol.result), id)).collect();
    let axioms = symbols().filter_map(|(id, symbol)| {
        let mut axioms = *declared.get(&origin(id))?;
        axioms.identity = axioms.identity.and_then(|of| constants.get(&(of, symbol.result)).copied());
        Some((id, axioms))
    });
    axioms.collect()
}

/// Reports left-hand sides that are something else modulo the identity of their symbol: an equation for what remains
/// would be one for every term of the sort, or for a constructor.
pub(crate) fn identities_in_heads(
    declared: &HashMap<SymbolId, Axioms>,
    checked: &Checked,
    reporter: &mut Reporter,
) {
    for head in checked.program.rules.iter().filter_map(|rule| rule.heads.first()) {
        let HeadAtom::Term { symbol, args } = &head.atom else { continue };
        // What holds for an equation holds for its instances.
        let Some(identity) = declared.get(symbol).and_then(|axioms| axioms.identity) else { continue };
        let Some(place) = args.iter().find(|arg| vanishes(arg, *symbol, identity, checked)) else { continue };
        let signature = &checked.program.signature;
        let (name, identity) = (&signature.symbols[*symbol].name, &signature.symbols[identity].name);
        reporter.report(
            Diagnostic::error(
                "T0310",
                format!("this left-hand side has the identity of `{name}` as an argument"),
            )
            .label(place.span, format!("the same as `{identity}`"))
            .note(format!("`{name}` of `{identity}` and another argument is that argument already"))
            .help("remove the equation"),
        );
    }
}

/// Whether a pattern is an identity, modulo this.
fn vanishes(pattern: &Pattern, symbol: SymbolId, identity: SymbolId, checked: &Checked) -> bool {
    let mut todo = vec![pattern];
    while let Some(pattern) = todo.pop() {
        let PatternKind::App { symbol: of, args } = &pattern.kind else { return false };
        match checked.origin(*of) {
            of if of == symbol => todo.extend(args),
            of if of == identity => {}
            _ => return false,
        }
    }
    true
}
