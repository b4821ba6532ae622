//! Names to symbols and variables, and the sort of every subterm, in one pass over the postfix nodes of a term.
//!
//! A declared symbol has one result sort, so sorts are known bottom-up, but for terms like `_`, whose sort is that of
//! their place: these and what is around them wait until it is known.

mod applications;
mod characters;
mod functions;
mod lists;
mod open;
mod operators;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::{Op, Operands};
use gchr_base::rule::{Const, Var, VarId};
use gchr_base::signature::{SortId, SortKind, SymbolId};
use gchr_base::source::Span;
use num_bigint::BigInt;

use super::builders::{Elements, Resolved, TermBuilder, no_rules, not_ground, not_matched};
use super::builtin::lists::ListSymbol;
use super::builtin::{IF, WILD};
use super::families::too_large;
use super::made::site::Site;
use super::reporter::Reporter;
use super::scope::Scope;
use super::types::{Ty, Types};

use self::open::Open;
use crate::ast::{Ident, ListOp, Name, NodeKind, Part, operator_text};

/// Most errors reported for one term: a list of 10^6 wrong elements says enough after these.
const MAX_ERRORS: usize = 20;

/// The variables of a rule.
#[derive(Clone, Default)]
pub(crate) struct RuleVars {
    pub vars: IdVec<VarId, Var>,
    ids: HashMap<Name, VarId>,
    /// What `whr` names, which may have the name of a variable that has no value here.
    values: HashMap<Name, VarId>,
}

impl RuleVars {
    /// A variable with a value that is not matched; `None` where the name has one.
    pub fn give_value(&mut self, ident: Ident, text: &str, sort: SortId) -> Option<VarId> {
        if self.ids.contains_key(&ident.name) || self.values.contains_key(&ident.name) {
            return None;
        }
        let id = self.vars.push(Var { name: text.into(), sort, span: ident.span });
        self.values.insert(ident.name, id);
        Some(id)
    }
}

/// What a variable means in a term.
pub(crate) enum Vars<'v> {
    /// Left-hand side: its first occurrence binds it.
    Bind(&'v mut RuleVars),
    /// Condition or right-hand side: it must be bound.
    Bound(&'v RuleVars, &'static str),
    /// Input: there are none.
    None,
}

/// A complete subterm: its sort, unless something in it is wrong.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) ty: Option<Ty>,
    span: Span,
}

/// What a node means, perhaps when more sorts are known.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Known(Resolved),
    /// A symbol with parameters, for which the open sorts from `first` on stand.
    Instance {
        symbol: SymbolId,
        first: usize,
    },
    /// The same, so many times.
    Repeat {
        symbol: SymbolId,
        first: usize,
        count: u32,
    },
    /// A list of such elements.
    Elements(Ty),
    /// A variable that is a function, applied by an instance of this symbol.
    Applied {
        symbol: SymbolId,
        first: usize,
        var: VarId,
    },
}

/// A node for the builder.
struct Ready {
    meaning: Meaning,
    arity: usize,
    ty: Ty,
    span: Span,
}

/// Resolves one term.
pub(crate) struct Resolver<'a, 'v> {
    pub(super) scope: &'v mut Scope<'a>,
    pub(super) vars: Vars<'v>,
    reporter: &'v mut Reporter,
    pub(super) operands: Vec<Operand>,
    pub(super) types: Types,
    /// What the builder gets when all sorts in it are known.
    waiting: Vec<Ready>,
    errors: usize,
    /// Integers that are no constants.
    large: Vec<BigInt>,
    /// The parameters of functions without names that are open.
    open: Open,
    /// Whether the next node is the head of a left-hand side, which is checked with its own parameters.
    is_head: bool,
    /// Whether the root is that of a left-hand side.
    has_head: bool,
    /// Something is wrong, be it reported here or not: the builder gets nothing more.
    failed: bool,
}

impl<'a, 'v> Resolver<'a, 'v> {
    pub fn new(scope: &'v mut Scope<'a>, vars: Vars<'v>, reporter: &'v mut Reporter) -> Self {
        let (operands, types, waiting, open) = (Vec::new(), Types::default(), Vec::new(), Open::default());
        let (large, errors, is_head, has_head, failed) = (Vec::new(), 0, false, false, false);
        Self {
            scope,
            vars,
            reporter,
            operands,
            types,
            waiting,
            errors,
            large,
            open,
            is_head,
            has_head,
            failed,
        }
    }

    /// Says that the term is the left-hand side of an equation.
    pub fn with_head(mut self) -> Self {
        self.has_head = true;
        self
    }

    /// Feeds the nodes of `term` to `builder` and returns its sort; `None` when anything is wrong. `expected` is its
    /// sort where its text leaves that open.
    pub fn resolve(
        mut self,
        term: Part<'_>,
        expected: Option<SortId>,
        builder: &mut impl TermBuilder,
    ) -> Option<SortId> {
        for (at, node) in term.nodes.iter().enumerate() {
            self.is_head = self.has_head && at + 1 == term.nodes.len();
            let mut arity = node.kind.arity();
            let base = self.operands.len() - arity;
            let result = match node.kind {
                NodeKind::Parameters(at) => self.begin_lambda(&term.lambdas[at as usize], node.span),
                NodeKind::Lambda => {
                    // Its parameters are no operand of what is built.
                    arity -= 1;
                    self.end_lambda(base)
                }
                // What they are made of is no operand in the text.
                NodeKind::Character(c) => {
                    arity = 1;
                    self.character(c, node.span)
                }
                NodeKind::Text(text, count) => {
                    arity = count as usize;
                    self.text(text, node.span)
                }
                kind => self.node(kind, node.span, base),
            };
            self.operands.truncate(base);
            self.operands.push(Operand { ty: result.map(|(_, ty)| ty), span: node.span });
            match result {
                Some((meaning, ty)) if !self.failed => {
                    self.waiting.push(Ready { meaning, arity, ty, span: node.span });
                    if self.types.are_known() {
                        self.build(builder);
                    }
                }
                _ => self.failed = true,
            }
            if self.errors >= MAX_ERRORS {
                break;
            }
        }
        let ty = self.operands.last().and_then(|operand| operand.ty)?;
        if let Some(expected) = expected
            && !self.types.is_known(ty)
        {
            self.types.unify(ty, Ty::Sort(expected), &self.scope.families);
        }
        self.build(builder);
        self.sort(ty).filter(|_| !self.failed)
    }

    /// The sort, if it is known.
    fn sort(&mut self, ty: Ty) -> Option<SortId> {
        let Self { types, scope, .. } = self;
        types.sort(ty, &mut |family, args| scope.sort_instance(family, args))
    }

    /// The sort, or why there is none.
    fn needed_sort(&mut self, ty: Ty, span: Span) -> Result<SortId, Box<Diagnostic>> {
        let sort = self.sort(ty);
        sort.ok_or_else(|| match self.types.is_known(ty) {
            false => Box::new(unknown_sort(span)),
            true => Box::new(self.missing(span)),
        })
    }

    /// Why an instance is not there.
    pub(super) fn missing(&self, span: Span) -> Diagnostic {
        if self.scope.families.is_too_large() { too_large(span) } else { no_rules(span) }
    }

    /// The instance of a symbol with parameters, for which the open sorts from `first` on stand.
    fn instance(&mut self, symbol: SymbolId, first: usize, span: Span) -> Result<SymbolId, Box<Diagnostic>> {
        let count = self.scope.families.parameters_of(symbol).len();
        let args = (first..first + count).map(|at| self.needed_sort(Ty::Open(at), span));
        let args = args.collect::<Result<Vec<SortId>, _>>()?;
        self.scope.instance(symbol, &args).ok_or_else(|| Box::new(self.missing(span)))
    }

    /// What a node means now that the sorts in it should be known.
    fn meaning(&mut self, meaning: Meaning, span: Span) -> Result<Resolved, Box<Diagnostic>> {
        match meaning {
            Meaning::Known(resolved) => Ok(resolved),
            Meaning::Instance { symbol, first } => self.instance(symbol, first, span).map(Resolved::App),
            Meaning::Applied { symbol, first, var } => {
                self.instance(symbol, first, span).map(|symbol| Resolved::Applied(symbol, var))
            }
            Meaning::Repeat { symbol, first, count } => {
                self.instance(symbol, first, span).map(|symbol| Resolved::Repeat(symbol, count))
            }
            Meaning::Elements(element) => {
                let element = self.needed_sort(element, span)?;
                let mut of = |symbol| {
                    let symbol = self.scope.list_symbol(symbol, span)?;
                    self.scope.instance(symbol, &[element])
                };
                let symbols = (of(ListSymbol::Empty), of(ListSymbol::Op(ListOp::Cons)));
                let (Some(empty), Some(cons)) = symbols else { return Err(Box::new(self.missing(span))) };
                Ok(Resolved::Elements(Elements { empty, cons }))
            }
        }
    }

    /// Gives the builder the pending terms.
    fn build(&mut self, builder: &mut impl TermBuilder) {
        if self.failed {
            return;
        }
        for Ready { meaning, arity, ty, span } in std::mem::take(&mut self.waiting) {
            let resolved = match self.meaning(meaning, span) {
                Ok(resolved) => resolved,
                Err(diagnostic) => return self.error(*diagnostic),
            };
            let sort = match self.needed_sort(ty, span) {
                Ok(sort) => sort,
                Err(diagnostic) => return self.error(*diagnostic),
            };
            if let (Resolved::Var(var), Vars::Bind(rule)) = (resolved, &mut self.vars) {
                rule.vars[var].sort = sort;
            }
            let none = IdVec::new();
            let vars = match &self.vars {
                _ if self.open.vars.is_some() => self.open.vars.as_ref().unwrap_or(&none),
                Vars::Bind(rule) => &rule.vars,
                Vars::Bound(rule, _) => &rule.vars,
                Vars::None => &none,
            };
            let mut site = Site { scope: self.scope, vars, large: &self.large };
            if let Err(diagnostic) = builder.push(resolved, arity, sort, span, &mut site) {
                return self.error(*diagnostic);
            }
        }
    }

    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.failed = true;
        self.errors += 1;
        self.reporter.report(diagnostic);
    }

    /// Meaning and sort of a node whose operands start at `base`. Also wrong operands leave the sort known where it is
    /// certain.
    fn node(&mut self, kind: NodeKind, span: Span, base: usize) -> Option<(Meaning, Ty)> {
        let found = match kind {
            NodeKind::Apply(_) => return self.apply(span, base),
            // `X()` is a constant, if there is one.
            NodeKind::Call(name, count)
                if (count > 0 || self.scope.symbol(name).is_none())
                    && let Some(function) = self.function_variable(name, span) =>
            {
                return self.apply_variable(function, self.start(name, span), base);
            }
            // What is wrong with the sort of a parameter is said.
            NodeKind::Call(name, _) if self.open.knows(name) && self.open.find(name).is_none() => None,
            NodeKind::List(_) => return self.elements(span, base),
            NodeKind::ListOp(op) => return self.of_list(ListSymbol::Op(op), span, base),
            NodeKind::Call(name, _) | NodeKind::Name(name) if self.list_function(name).is_some() => {
                let function = self.list_function(name)?;
                return self.call_of_list(function, name, span, base);
            }
            NodeKind::Call(name, _) | NodeKind::Name(name) if self.char_function(name).is_some() => {
                let function = self.char_function(name)?;
                return self.call_of_characters(function, span, base);
            }
            NodeKind::Int(n) => self.integer(n.into(), span),
            NodeKind::Large { digits, negative } => {
                let number: BigInt = self.scope.text(digits).parse().unwrap_or_default();
                self.integer(if negative { -number } else { number }, span)
            }
            NodeKind::Float(x) => {
                let sort = self.number(self.scope.float, "Float", "a literal of", span)?;
                Some((Resolved::Const(Const::Float(x)), Ty::Sort(sort)))
            }
            NodeKind::Name(name) => match self.scope.variable(name) {
                _ if self.open.knows(name) => self.open.find(name),
                _ if self.value_of(name).is_some() => self.value_of(name),
                Some(_) if !matches!(self.vars, Vars::None) => self.variable(name, span),
                _ if self.is_stray_variable(name) => {
                    self.error(not_ground(span));
                    None
                }
                _ if self.is_free(name, WILD) => self.wildcard(span),
                _ if self.is_function_value(name) => return self.symbol_as_value(name, span),
                _ => return self.application(name, span, base),
            },
            NodeKind::Call(name, _) => return self.application(name, span, base),
            NodeKind::Power(name, count) => return self.power(name, count, span, base),
            NodeKind::Prefix(op) | NodeKind::Infix(op) => self.operation(op, operator_text(op), span, base),
            NodeKind::Parameters(_) | NodeKind::Lambda | NodeKind::Character(_) | NodeKind::Text(..) => None,
            NodeKind::Match => {
                self.error(
                    Diagnostic::error("T0307", "`:=` is part of a condition")
                        .label(span, "matches nothing here")
                        .note("a condition is made of terms and of `P := T`, which are joined by `&&` and tried in order")
                        .help("write `P := T -> L = R;`, or compare with `==`"),
                );
                None
            }
        };
        found.map(|(resolved, ty)| (Meaning::Known(resolved), ty))
    }

    /// A variable that `whr` gave a value.
    fn value_of(&self, name: Name) -> Option<(Resolved, Ty)> {
        let Vars::Bound(rule, _) = &self.vars else { return None };
        let id = rule.values.get(&name)?;
        Some((Resolved::Var(*id), Ty::Sort(rule.vars[*id].sort)))
    }

    /// Whether a name of the input is no symbol, but a variable in equations.
    fn is_stray_variable(&self, name: Name) -> bool {
        let input = matches!(self.vars, Vars::None);
        input && self.scope.symbol(name).is_none() && self.scope.is_variable_somewhere(name)
    }

    /// An integer that the text has.
    fn integer(&mut self, number: BigInt, span: Span) -> Option<(Resolved, Ty)> {
        let sort = self.number(self.scope.int, "Int", "a literal of", span)?;
        let constant = match self.scope.signature.big_integers {
            true => Const::of_integer(&number),
            false => i64::try_from(&number).ok().map(Const::Int),
        };
        if let Some(constant) = constant {
            return Some((Resolved::Const(constant), Ty::Sort(sort)));
        }
        if !self.scope.signature.big_integers {
            self.error(
                Diagnostic::error("T0002", "this number does not fit its sort")
                    .label(span, "too large")
                    .note(format!("an `Int` lies between {} and {}", i64::MIN, i64::MAX))
                    .help("write a smaller number, or use the sort `Integer`, which has numbers of any size"),
            );
        }
        self.large.push(number);
        Some((Resolved::Large(self.large.len() - 1), Ty::Sort(sort)))
    }

    /// Whether a name stands for something built in: the program's own symbol of that name hides it, even one whose
    /// declaration is wrong.
    pub(super) fn is_free(&self, name: Name, built_in: &str) -> bool {
        self.scope.text(name) == built_in
            && self.scope.symbol(name).is_none()
            && !self.reporter.is_silenced(name)
    }

    /// Whether a name is no variable here.
    pub(super) fn is_no_variable(&self, name: Name) -> bool {
        matches!(self.vars, Vars::None) && self.open.find(name).is_none()
            || self.scope.variable(name).is_none()
                && self.value_of(name).is_none()
                && self.open.find(name).is_none()
    }

    /// `_`: any term of the sort of its place.
    fn wildcard(&mut self, span: Span) -> Option<(Resolved, Ty)> {
        if let Vars::Bind(rule) = &mut self.vars {
            let (name, sort) = (WILD.to_string(), self.scope.signature.booleans.sort);
            return Some((Resolved::Var(rule.vars.push(Var { name, sort, span })), self.types.open()));
        }
        self.error(match self.vars {
            Vars::None => not_ground(span),
            _ => Diagnostic::error("T0304", "`_` has no value")
                .label(span, "matches anything on a left-hand side, and stands for nothing here")
                .help("write a variable in both places"),
        });
        None
    }

    fn variable(&mut self, name: Name, span: Span) -> Option<(Resolved, Ty)> {
        let declared = self.scope.variable(name)?;
        declared.used.set(true);
        let sort = declared.sort;
        let found = match &mut self.vars {
            Vars::Bind(rule) => {
                let text = self.scope.text(name);
                let vars = &mut rule.vars;
                Ok(*rule.ids.entry(name).or_insert_with(|| vars.push(Var { name: text.into(), sort, span })))
            }
            Vars::Bound(rule, place) => rule.ids.get(&name).copied().ok_or(*place),
            Vars::None => return None,
        };
        match found {
            Ok(var) => Some((Resolved::Var(var), Ty::Sort(sort))),
            Err(place) => {
                let text = self.scope.text(name);
                self.error(
                    Diagnostic::error("T0304", format!("variable `{text}` is not bound"))
                        .label(span, format!("used in the {place}, but matched nowhere before"))
                        .note("only matching the left-hand side, or a pattern of the condition, gives a variable its value")
                        .help(format!("let `{text}` occur in the left-hand side, or write a term here")),
                );
                // Its sort is known: go on checking what is around it.
                self.failed = true;
                Some((Resolved::Var(VarId(0)), Ty::Sort(sort)))
            }
        }
    }
}

/// What is written with a term leaves its sort open.
fn unknown_sort(span: Span) -> Diagnostic {
    Diagnostic::error("T0208", "the sort of this term is not known")
        .label(span, "neither it nor its place says of which sort it is")
        .help("write it as an argument of a declared symbol, e.g. of one that gives its argument")
}

/// A number of arguments, in words.
fn count(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        n => format!("{n} arguments"),
    }
}
