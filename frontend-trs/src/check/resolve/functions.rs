//! Functions without names, functions as values, and their application.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Var, VarId};
use gchr_base::source::Span;

use super::{Meaning, Operand, Resolver, Vars, count};
use crate::ast::{Name, Parameter};
use crate::check::builders::{Resolved, no_rules};
use crate::check::types::Ty;

impl Resolver<'_, '_> {
    /// What comes before the term of a function without a name.
    pub(super) fn begin_lambda(&mut self, parameters: &[Parameter], span: Span) -> Option<(Meaning, Ty)> {
        let start = self.open.names.len();
        self.open.starts.push(start);
        if matches!(self.vars, Vars::Bind(_)) {
            self.error(not_matched(span));
        }
        let outer = match &self.vars {
            Vars::Bind(rule) => &rule.vars,
            Vars::Bound(rule, _) => &rule.vars,
            Vars::None => &IdVec::new(),
        };
        let mut vars = self.open.vars.take().unwrap_or_else(|| outer.clone());
        for Parameter { name, sort } in parameters {
            let known = self.scope.find_sort(sort, self.reporter);
            self.failed |= known.is_none();
            let text = self.scope.text(name.name).to_string();
            let any = self.scope.signature.booleans.sort;
            let id = vars.push(Var { name: text.clone(), sort: known.unwrap_or(any), span: name.span });
            if let Some((_, first, _)) = self.open.names[start..].iter().find(|(n, ..)| *n == name.name) {
                let first = vars[*first].span;
                self.error(
                    Diagnostic::error("T0106", format!("variable `{text}` is declared twice"))
                        .label(name.span, "declared again here")
                        .label(first, "first declared here")
                        .help("remove or rename one of the two"),
                );
            }
            self.open.names.push((name.name, id, known.map(Ty::Sort)));
        }
        self.open.vars = Some(vars);
        Some((Meaning::Known(Resolved::Parameters), Ty::Sort(self.scope.signature.booleans.sort)))
    }

    /// The function itself: its term is the second operand from `base` on.
    pub(super) fn end_lambda(&mut self, base: usize) -> Option<(Meaning, Ty)> {
        let start = self.open.starts.pop().unwrap_or_default();
        let parameters = self.open.names.split_off(start);
        let &(_, first, _) = parameters.first()?;
        let mut profile = parameters.iter().map(|(.., ty)| *ty).collect::<Option<Vec<Ty>>>()?;
        profile.push(self.operands[base + 1].ty?);
        let (family, _) = self.scope.function_family(parameters.len())?;
        let meaning = Meaning::Known(Resolved::Lambda(first, parameters.len() as u32));
        Some((meaning, self.types.apply(family, profile)))
    }

    /// The variable of a name that is a function, and its sort. `span`: of its application.
    pub(super) fn function_variable(&mut self, name: Name, span: Span) -> Option<(VarId, Ty)> {
        // What is matched is built by a symbol, if one has the name.
        if self.scope.symbol(name).is_some() && matches!(self.vars, Vars::Bind(_)) {
            return None;
        }
        let given = self.open.find(name).or_else(|| self.value_of(name));
        let declared = || self.scope.variable(name).filter(|_| !matches!(self.vars, Vars::None));
        let ty = given.map(|(_, ty)| ty).or_else(|| Some(Ty::Sort(declared()?.sort)))?;
        self.types.arity(ty, &self.scope.families)?;
        let found = match (given, &self.vars) {
            (Some(given), _) => given,
            // What is matched has no value yet to be applied.
            (None, Vars::Bind(_)) => return Some((VarId(0), ty)),
            _ => self.variable(name, self.start(name, span))?,
        };
        match found {
            (Resolved::Var(var), ty) => Some((var, ty)),
            _ => None,
        }
    }

    /// The place of a name that an application starts with.
    pub(super) fn start(&self, name: Name, span: Span) -> Span {
        Span { end: span.start + self.scope.text(name).len() as u32, ..span }
    }

    /// A variable applied to the operands from `base` on.
    pub(super) fn apply_variable(
        &mut self,
        (var, ty): (VarId, Ty),
        name: Span,
        base: usize,
    ) -> Option<(Meaning, Ty)> {
        let function = Operand { ty: Some(ty), span: name };
        match self.application_of(function, name, base)? {
            (Meaning::Instance { symbol, first }, ty) => Some((Meaning::Applied { symbol, first, var }, ty)),
            other => Some(other),
        }
    }

    /// The operand at `base` applied to those behind it.
    pub(super) fn apply(&mut self, span: Span, base: usize) -> Option<(Meaning, Ty)> {
        self.application_of(self.operands[base], span, base + 1)
    }

    /// A function applied to the operands from `base` on.
    fn application_of(&mut self, function: Operand, span: Span, base: usize) -> Option<(Meaning, Ty)> {
        if matches!(self.vars, Vars::Bind(_)) {
            self.error(not_matched(span));
            return None;
        }
        let ty = function.ty?;
        let args: Vec<Operand> = self.operands[base..].to_vec();
        if let Some(wanted) = self.types.arity(ty, &self.scope.families)
            && wanted != args.len()
        {
            let (wanted, found) = (count(wanted), count(args.len()));
            self.error(
                Diagnostic::error("T0103", format!("this function takes {wanted}, found {found}"))
                    .label(function.span, format!("has sort `{}`", self.shown(ty)))
                    .help("give it as many arguments as its sort says"),
            );
            return None;
        }
        let Some((family, apply)) = self.scope.function_family(args.len()) else {
            self.error(no_rules(span));
            return None;
        };
        let first = self.types.opens(args.len() + 1);
        let profile: Vec<Ty> = (0..=args.len()).map(|at| Ty::Open(first + at)).collect();
        let expected = self.types.apply(family, profile);
        if args.is_empty() || !self.types.unify(ty, expected, &self.scope.families) {
            let shown = self.shown(ty);
            self.error(
                Diagnostic::error("T0209", "this term is no function")
                    .label(function.span, format!("applied, and has sort `{shown}`"))
                    .help("only terms of sorts like `(Nat -> Nat)` are applied to arguments"),
            );
            return None;
        }
        for (at, arg) in args.iter().enumerate() {
            let Some(found) = arg.ty else { continue };
            if !self.types.unify(found, Ty::Open(first + at), &self.scope.families) {
                let (expected, found) = (self.shown(Ty::Open(first + at)), self.shown(found));
                self.error(
                    Diagnostic::error("T0201", format!("expected sort `{expected}`, found `{found}`"))
                        .label(arg.span, format!("this has sort `{found}`"))
                        .label(function.span, format!("argument {} has sort `{expected}`", at + 1))
                        .help(format!("put a term of sort `{expected}` here")),
                );
            }
        }
        Some((Meaning::Instance { symbol: apply, first }, Ty::Open(first + args.len())))
    }

    /// Whether a bare name is a symbol with arguments, which stands for its function.
    pub(super) fn is_function_value(&self, name: Name) -> bool {
        let symbol = self.scope.symbol(name).filter(|_| !self.is_head);
        symbol.is_some_and(|symbol| self.scope.signature.arity(symbol) > 0)
    }

    /// The function that a symbol is.
    pub(super) fn symbol_as_value(&mut self, name: Name, span: Span) -> Option<(Meaning, Ty)> {
        let symbol = self.scope.symbol(name)?;
        if matches!(self.vars, Vars::Bind(_)) {
            self.wrong_arity(symbol, 0, span);
            return None;
        }
        let Some(value) = self.scope.value_of_symbol(symbol, span) else {
            self.error(self.missing(span));
            return None;
        };
        let sort = self.scope.signature.symbols[value].result;
        let parameters = self.scope.families.parameters_of(value);
        if parameters.is_empty() {
            return Some((Meaning::Known(Resolved::App(value)), Ty::Sort(sort)));
        }
        let first = self.types.opens(parameters.len());
        let ty = self.types.shape(sort, parameters, first, &self.scope.families);
        Some((Meaning::Instance { symbol: value, first }, ty))
    }
}

/// A function in a left-hand side.
fn not_matched(span: Span) -> Diagnostic {
    Diagnostic::error("T0311", "a function cannot be matched")
        .label(span, "a function, or an application of one that is a value")
        .note("the arguments of a left-hand side are matched against normal forms")
        .help("match a variable here, and apply it in the right-hand side or in a condition")
}
