//! Sorts of terms. Names may mean several symbols; which one is meant follows from the sorts of the arguments and from
//! the sort that is expected. First, from the leaves up, all sorts that a term can have are found; then, from the root
//! down, one of them is chosen, and conversions are put in where a number or a finite set stands for a wider sort.

mod build;
mod choose;
mod report;

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::source::Span;

use crate::ast::{self, Binder, Binding, Expr, ExprKind};
use crate::core::{Callee, Equation, Kind, Term, Variable};
use crate::scope::{Scope, Sorts};
use crate::types::{Con, Type, fits, join};

/// Most sorts of one term that are looked at.
const MAX_TYPES: usize = 24;
/// Digits of a number: more take long to read.
const MAX_DIGITS: usize = 10_000;

/// Checks the terms of one equation.
pub(crate) struct Checker<'a> {
    scope: &'a Scope,
    /// The sorts, for names of sorts in terms.
    sorts: &'a mut Sorts,
    /// What the parameters of the library stand for.
    params: &'a [Type],
    vars: Vec<Variable>,
    /// Variables in force, the innermost last.
    in_force: Vec<(Arc<str>, usize)>,
    /// The sorts of terms that were looked at.
    known: HashMap<*const Expr, Arc<[Type]>>,
    /// The variables that a term binds.
    bound: HashMap<*const Expr, Vec<usize>>,
    /// Whether a left-hand side is being read.
    pattern: bool,
    least: Vec<(usize, i64)>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    pub fn new(
        scope: &'a Scope,
        sorts: &'a mut Sorts,
        params: &'a [Type],
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            scope,
            sorts,
            params,
            vars: Vec::new(),
            in_force: Vec::new(),
            known: HashMap::default(),
            bound: HashMap::default(),
            pattern: false,
            least: Vec::new(),
            diagnostics,
        }
    }

    fn declare(&mut self, bindings: &[Binding]) -> Vec<usize> {
        let mut found = Vec::new();
        for binding in bindings {
            let ty = self.sort(&binding.sort);
            for name in &binding.names {
                found.push(self.variable(&name.text, ty.clone(), name.span));
            }
        }
        found
    }

    fn sort(&mut self, sort: &ast::Sort) -> Type {
        let found = self.sorts.resolve(sort, self.diagnostics).unwrap_or(Type::Hole);
        if self.params.is_empty() { found } else { found.with(self.params) }
    }

    fn variable(&mut self, name: &Arc<str>, ty: Type, span: Span) -> usize {
        self.vars.push(Variable { name: name.clone(), ty, span });
        self.vars.len() - 1
    }

    fn enter(&mut self, vars: &[usize]) {
        for &var in vars {
            self.in_force.push((self.vars[var].name.clone(), var));
        }
    }

    fn leave(&mut self, vars: &[usize]) {
        self.in_force.truncate(self.in_force.len() - vars.len());
    }

    fn local(&self, name: &str) -> Option<usize> {
        self.in_force.iter().rev().find(|(local, _)| **local == *name).map(|&(_, var)| var)
    }

    /// Whether a name with arguments behind it is one of a symbol: a variable that is no function hides none there.
    fn is_applied_symbol(&self, name: &str) -> bool {
        self.local(name)
            .is_none_or(|var| self.vars[var].ty.as_function().is_none() && !self.scope.named(name).is_empty())
    }

    /// A term without variables.
    pub fn ground(mut self, expr: &Expr) -> Option<(Term, Vec<Variable>)> {
        let types = self.types(expr);
        let Some(ty) = types.first().cloned() else {
            self.report(expr);
            return None;
        };
        let term = self.check(expr, &ty)?;
        Some((term, self.vars))
    }

    /// An equation of the program.
    pub fn equation(mut self, equation: &ast::Equation, variables: &[Binding]) -> Option<Equation> {
        let vars = self.declare(variables);
        self.enter(&vars);
        let (left_types, right_types) = (self.types(&equation.left), self.types(&equation.right));
        for (side, types) in [(&equation.left, &left_types), (&equation.right, &right_types)] {
            if types.is_empty() {
                self.report(side);
                return None;
            }
        }
        let cost = |left: &Type| {
            right_types.iter().filter_map(|right| fits(right, left)).min().map(|cost| (cost, left.clone()))
        };
        let Some((_, ty)) = left_types.iter().filter_map(cost).min_by_key(|(cost, _)| *cost) else {
            let (left, right) = (self.shown(&left_types[0]), self.shown(&right_types[0]));
            self.diagnostics.push(
                Diagnostic::error("T2203", "the two sides of this equation have different sorts")
                    .label(equation.right.span, format!("this has the sort `{right}`"))
                    .label(equation.left.span, format!("this has the sort `{left}`"))
                    .help("both sides have one sort; numbers stand for wider ones: Pos, Nat, Int, Real"),
            );
            return None;
        };
        let ty = match (ty, right_types.first()) {
            (ty, Some(right)) if has_hole(&ty) => join(&ty, right).unwrap_or(ty),
            (ty, _) => ty,
        };
        self.pattern = true;
        let left = self.check(&equation.left, &ty);
        self.pattern = false;
        self.finish(equation, left?, &ty)
    }

    /// An equation of the library for a symbol.
    pub fn library_equation(
        mut self,
        equation: &ast::Equation,
        variables: &[Binding],
        callee: &Callee,
    ) -> Option<Equation> {
        let vars = self.declare(variables);
        self.enter(&vars);
        let symbol = &self.scope.symbols[callee.symbol];
        let (_, args) = equation.left.head();
        self.pattern = true;
        let mut checked = Vec::new();
        for (arg, ty) in args.into_iter().zip(&symbol.params) {
            checked.push(self.check(arg, &ty.with(self.params))?);
        }
        self.pattern = false;
        let ty = symbol.result.with(self.params);
        let kind = Kind::Call(callee.clone(), checked);
        let left = Term { kind, ty: ty.clone(), span: equation.left.span };
        self.finish(equation, left, &ty)
    }

    fn finish(mut self, equation: &ast::Equation, left: Term, ty: &Type) -> Option<Equation> {
        let bool = Type::basic(Con::Bool);
        let condition = match &equation.condition {
            Some(condition) => Some(self.check(condition, &bool)?),
            None => None,
        };
        let right = self.check(&equation.right, ty)?;
        let Checker { vars, least, .. } = self;
        Some(Equation { vars, least, condition, left, right, span: equation.span })
    }

    /// All sorts that a term can have; none when something in it is wrong.
    fn types(&mut self, expr: &Expr) -> Arc<[Type]> {
        if let Some(known) = self.known.get(&std::ptr::from_ref(expr)) {
            return known.clone();
        }
        let mut found: Vec<Type> = Vec::new();
        for ty in self.find_types(expr) {
            if !found.contains(&ty) && found.len() < MAX_TYPES {
                found.push(ty);
            }
        }
        let found: Arc<[Type]> = found.into();
        self.known.insert(expr, found.clone());
        found
    }

    fn find_types(&mut self, expr: &Expr) -> Vec<Type> {
        match &expr.kind {
            ExprKind::Number(digits) => {
                let zero = digits.bytes().all(|digit| digit == b'0');
                vec![Type::basic(if zero { Con::Nat } else { Con::Pos })]
            }
            ExprKind::Name(name) => match self.local(name) {
                Some(var) => vec![self.vars[var].ty.clone()],
                None => {
                    // A function of the library that takes any sort is no value: nothing says which sort it is for.
                    let ty = |id: &usize| {
                        let symbol = &self.scope.symbols[*id];
                        let ty = symbol.value_type().with(&vec![Type::Hole; symbol.type_params]);
                        (symbol.params.is_empty() || symbol.type_params == 0).then_some(ty)
                    };
                    self.scope.named(name).iter().filter_map(ty).collect()
                }
            },
            ExprKind::Operator(mark, args) => self.results(mark, &args.iter().collect::<Vec<_>>()),
            ExprKind::Apply(head, args) => {
                let args: Vec<&Expr> = args.iter().collect();
                match &head.kind {
                    ExprKind::Name(name) if self.is_applied_symbol(name) => {
                        let mut found = self.results(name, &args);
                        let constants = self.scope.named(name).iter().map(|&id| &self.scope.symbols[id]);
                        let constants = constants.filter(|symbol| symbol.params.is_empty());
                        let types: Vec<Type> = constants.map(|symbol| symbol.result.clone()).collect();
                        found.extend(self.applied(&types, &args));
                        found
                    }
                    _ => {
                        let types = self.types(head);
                        self.applied(&types, &args)
                    }
                }
            }
            ExprKind::List(items) => self.of_items(items, Con::List),
            // Early specifications write empty bags so, too.
            ExprKind::Set(items) if items.is_empty() => {
                [Con::FSet, Con::FBag].map(|con| Type::of(con, Type::Hole)).to_vec()
            }
            ExprKind::Set(items) => self.of_items(items, Con::FSet),
            ExprKind::Bag(items) => {
                let nat = Type::basic(Con::Nat);
                for (_, count) in items {
                    if !self.types(count).iter().any(|ty| fits(ty, &nat).is_some()) {
                        return Vec::new();
                    }
                }
                let items: Vec<&Expr> = items.iter().map(|(item, _)| item).collect();
                self.common(&items).into_iter().map(|ty| Type::of(Con::FBag, ty)).collect()
            }
            ExprKind::Comprehension(variable, body) => {
                let vars = self.bind(expr, std::slice::from_ref(&**variable));
                self.enter(&vars);
                let types = self.types(body);
                self.leave(&vars);
                let of = vars.first().map_or(Type::Hole, |&var| self.vars[var].ty.clone());
                let container = |ty: &Type| match ty.rank() {
                    Some(0 | 1) => Some(Type::of(Con::Bag, of.clone())),
                    _ => (ty.con() == Some(Con::Bool)).then(|| Type::of(Con::Set, of.clone())),
                };
                types.iter().filter_map(container).collect()
            }
            ExprKind::Update(parts) => {
                let [function, at, value] = &**parts;
                let (types, at, value) = (self.types(function), self.types(at), self.types(value));
                let updated = |ty: &Type| {
                    let ([arg], result) = ty.as_function()? else { return None };
                    if !at.iter().any(|ty| fits(ty, arg).is_some()) {
                        return None;
                    }
                    if !has_hole(result) {
                        return value.iter().any(|ty| fits(ty, result).is_some()).then(|| ty.clone());
                    }
                    // The new value says what the elements of `[]` are.
                    let result = value.iter().find_map(|ty| join(result, ty))?;
                    Some(Type::function(vec![arg.clone()], result))
                };
                types.iter().filter_map(updated).collect()
            }
            ExprKind::Binder(binder, bindings, body) => {
                let vars = self.bind(expr, bindings);
                self.enter(&vars);
                let types = self.types(body);
                self.leave(&vars);
                if *binder == Binder::Lambda {
                    let args: Vec<Type> = vars.iter().map(|&var| self.vars[var].ty.clone()).collect();
                    return types.iter().map(|ty| Type::function(args.clone(), ty.clone())).collect();
                }
                types.iter().filter(|ty| ty.con() == Some(Con::Bool)).take(1).cloned().collect()
            }
            ExprKind::Where(body, bindings) => {
                let Some(vars) = self.bind_values(expr, bindings) else { return Vec::new() };
                self.enter(&vars);
                let types = self.types(body);
                self.leave(&vars);
                types.to_vec()
            }
        }
    }

    /// The variables that a term binds, which are the same whenever it is looked at.
    fn bind(&mut self, expr: &Expr, bindings: &[Binding]) -> Vec<usize> {
        if let Some(known) = self.bound.get(&std::ptr::from_ref(expr)) {
            return known.clone();
        }
        let vars = self.declare(bindings);
        self.bound.insert(expr, vars.clone());
        vars
    }

    fn bind_values(&mut self, expr: &Expr, bindings: &[(ast::Ident, Expr)]) -> Option<Vec<usize>> {
        if let Some(known) = self.bound.get(&std::ptr::from_ref(expr)) {
            return Some(known.clone());
        }
        let mut vars = Vec::new();
        for (name, value) in bindings {
            let ty = self.types(value).first().cloned()?;
            vars.push(self.variable(&name.text, ty, name.span));
        }
        self.bound.insert(expr, vars.clone());
        Some(vars)
    }

    fn of_items(&mut self, items: &[Expr], con: Con) -> Vec<Type> {
        let items: Vec<&Expr> = items.iter().collect();
        self.common(&items).into_iter().map(|ty| Type::of(con, ty)).collect()
    }

    /// The sorts of values of a function that is a value of one of these sorts.
    fn applied(&mut self, types: &[Type], args: &[&Expr]) -> Vec<Type> {
        let mut found = Vec::new();
        for ty in types {
            let Some((params, result)) = ty.as_function() else { continue };
            let takes = params.len() == args.len()
                && args.iter().zip(params).all(|(arg, param)| self.can_be(arg, param).is_some());
            if takes {
                found.push(result.clone());
            }
        }
        found
    }

    /// How far a term is from a sort that it can have.
    fn can_be(&mut self, expr: &Expr, ty: &Type) -> Option<u32> {
        self.types(expr).iter().filter_map(|found| fits(found, ty)).min()
    }

    fn shown(&self, ty: &Type) -> String {
        ty.shown(self.sorts).to_string()
    }

    /// The term with exactly this sort; `None` when it cannot have it, which then is reported.
    fn check(&mut self, expr: &Expr, want: &Type) -> Option<Term> {
        let types = self.types(expr);
        if types.is_empty() {
            self.report(expr);
            return None;
        }
        if !types.iter().any(|ty| fits(ty, want).is_some()) {
            self.wrong_sort(expr, &types[0], want);
            return None;
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(digits) => self.number(digits, want, span),
            ExprKind::Name(name) => match self.local(name) {
                Some(var) => {
                    let ty = self.vars[var].ty.clone();
                    self.convert(Term { kind: Kind::Var(var), ty, span }, want)
                }
                None => self.symbol(name, &[], expr, want),
            },
            ExprKind::Operator(mark, args) => self.symbol(mark, &args.iter().collect::<Vec<_>>(), expr, want),
            ExprKind::Apply(head, args) => {
                let args: Vec<&Expr> = args.iter().collect();
                match &head.kind {
                    ExprKind::Name(name) if self.is_applied_symbol(name) => {
                        match self.choose(name, &args, Some(want)) {
                            Some(choice) => self.call(choice, &args, span, want),
                            None => self.apply(head, &args, span, want),
                        }
                    }
                    _ => self.apply(head, &args, span, want),
                }
            }
            ExprKind::List(items) => {
                let of = self.element(&types, want, Con::List);
                let nil = self.library("@nil", &of, Vec::new(), Type::of(Con::List, of.clone()), span);
                self.fold(items, &of, nil, "|>", want)
            }
            ExprKind::Set(items) if items.is_empty() && matches!(want.con(), Some(Con::Bag | Con::FBag)) => {
                self.bag(&[], &types, want, span)
            }
            ExprKind::Set(items) => {
                let of = self.element(&types, want, Con::FSet);
                let empty = self.library("@empty", &of, Vec::new(), Type::of(Con::FSet, of.clone()), span);
                self.fold(items, &of, empty, "@add", want)
            }
            ExprKind::Bag(items) => self.bag(items, &types, want, span),
            ExprKind::Comprehension(_, body) => {
                let vars = self.bound.get(&std::ptr::from_ref(expr)).cloned().unwrap_or_default();
                let is_set = want.con() != Some(Con::Bag);
                let result = Type::basic(if is_set { Con::Bool } else { Con::Nat });
                self.enter(&vars);
                let body = self.check(body, &result);
                self.leave(&vars);
                let of = vars.first().map_or(Type::Hole, |&var| self.vars[var].ty.clone());
                let ty = Type::function(vec![of.clone()], result);
                let test = Term { kind: Kind::Lambda(vars, Box::new(body?)), ty, span };
                let (name, con) = if is_set { ("@set", Con::Set) } else { ("@bag", Con::Bag) };
                let set = self.library(name, &of, vec![test], Type::of(con, of.clone()), span);
                self.convert(set?, want)
            }
            ExprKind::Update(parts) => {
                let found =
                    types.iter().filter(|ty| fits(ty, want).is_some()).min_by_key(|ty| fits(ty, want));
                let found = found.cloned()?;
                let ty = if has_hole(&found) { join(want, &found).unwrap_or(found) } else { found };
                let (args, result) = ty.as_function()?;
                let function = self.check(&parts[0], &ty)?;
                let (at, value) = (self.check(&parts[1], &args[0])?, self.check(&parts[2], result)?);
                let params = vec![args[0].clone(), result.clone()];
                let callee = Callee { symbol: self.scope.in_library("@update"), params };
                let kind = Kind::Call(callee, vec![function, at, value]);
                self.convert(Term { kind, ty: ty.clone(), span }, want)
            }
            ExprKind::Binder(binder, _, body) => self.binder(*binder, expr, body, want),
            ExprKind::Where(body, bindings) => {
                let vars = self.bind_values(expr, bindings)?;
                let mut values = Vec::new();
                for (&var, (_, value)) in vars.iter().zip(bindings) {
                    let ty = self.vars[var].ty.clone();
                    values.push((var, self.check(value, &ty)?));
                }
                self.enter(&vars);
                let body = self.check(body, want);
                self.leave(&vars);
                let kind = Kind::Where(values, Box::new(body?));
                Some(Term { kind, ty: want.clone(), span })
            }
        }
    }

    fn binder(&mut self, binder: Binder, expr: &Expr, body: &Expr, want: &Type) -> Option<Term> {
        let (span, bool) = (expr.span, Type::basic(Con::Bool));
        let vars = self.bound.get(&std::ptr::from_ref(expr)).cloned().unwrap_or_default();
        let result = match (binder, want.as_function()) {
            (Binder::Lambda, Some((_, result))) => result.clone(),
            _ => bool.clone(),
        };
        let text = match body.kind {
            ExprKind::Where(..) => format!("({body})"),
            _ => body.to_string(),
        };
        self.enter(&vars);
        let body = self.check(body, &result);
        self.leave(&vars);
        let body = body?;
        if binder == Binder::Lambda {
            let args = vars.iter().map(|&var| self.vars[var].ty.clone()).collect();
            let ty = Type::function(args, result);
            return self.convert(Term { kind: Kind::Lambda(vars, Box::new(body)), ty, span }, want);
        }
        let all = binder == Binder::All;
        let mut found = body;
        let mut shown = text;
        for var in vars.into_iter().rev() {
            let Variable { name, ty, .. } = &self.vars[var];
            shown = format!("{} {name}: {}. {shown}", binder.word(), self.shown(ty));
            let kind = Kind::Quantifier { all, var, body: Box::new(found), shown: shown.as_str().into() };
            found = Term { kind, ty: bool.clone(), span };
        }
        Some(found)
    }
}

/// Whether part of a sort is open.
fn has_hole(ty: &Type) -> bool {
    matches!(ty, Type::Hole) || ty.args().iter().any(has_hole)
}
