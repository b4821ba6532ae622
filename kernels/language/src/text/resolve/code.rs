//! Statements of one function.

use std::ops::Range;

use gchr_base::hash::HashMap;

use super::globals::{Global, Resolver, buffer_of, literal};
use crate::ir::*;
use crate::names::{self, Builtin};
use crate::text::ast;

/// The function that is being read.
pub(super) struct FunctionResolver<'r, 'a, 'f> {
    pub resolver: &'r mut Resolver<'a>,
    pub function: &'f mut Function,
    pub vars: HashMap<String, VarId>,
    pub places: Vec<Range<usize>>,
    /// Labels of the loops around, and `None` for each `switch`.
    around: Vec<Option<Option<String>>>,
}

impl<'r, 'a, 'f> FunctionResolver<'r, 'a, 'f> {
    pub fn new(resolver: &'r mut Resolver<'a>, function: &'f mut Function) -> Self {
        Self { resolver, function, vars: HashMap::default(), places: Vec::new(), around: Vec::new() }
    }

    pub fn fail(&mut self, at: &Range<usize>, message: impl Into<String>, help: &str) {
        self.resolver.fail("K0009", at, message, help);
    }

    fn var(&mut self, name: &ast::Ident, ty: Type, storage: Storage) -> VarId {
        let id = self.function.vars.push(Var { name: name.name.clone(), ty, storage });
        if self.vars.insert(name.name.clone(), id).is_some() {
            self.resolver.twice(name);
        }
        id
    }

    pub fn param(&mut self, ty: &ast::TypeName, name: &ast::Ident) {
        let ty = self.resolver.ty(ty);
        let id = self.var(name, ty, Storage::Param);
        self.function.params.push(id);
    }

    fn register(&mut self, ty: &ast::TypeName, name: &ast::Ident) -> VarId {
        let ty = self.resolver.ty(ty);
        self.var(name, ty, Storage::Register)
    }

    pub fn block(&mut self, block: &[ast::Stmt]) -> Block {
        block.iter().filter_map(|stmt| self.statement(stmt)).collect()
    }

    fn statement(&mut self, stmt: &ast::Stmt) -> Option<Stmt> {
        self.places.push(stmt.span.clone());
        let kind = self.kind(stmt)?;
        let comment = (!stmt.comments.is_empty()).then(|| stmt.comments.join("\n"));
        Some(Stmt { kind, origin: Origin { line: stmt.line, comment } })
    }

    fn kind(&mut self, stmt: &ast::Stmt) -> Option<StmtKind> {
        Some(match &stmt.kind {
            ast::StmtKind::Declare { ty, name, value } => return self.declare(ty, name, value.as_ref()),
            ast::StmtKind::Array { kind, element, name, length } => {
                let shared = *kind == ast::ArrayKind::Shared;
                let space = if shared { Space::Shared } else { Space::Local };
                let element_ty = self.resolver.ty(element);
                let ty = buffer_of(element_ty, space).unwrap_or(Type::Void);
                let length = self.length(length)?;
                let striped = *kind == ast::ArrayKind::Striped;
                let storage = if striped { Storage::Striped(length) } else { Storage::Array(length) };
                StmtKind::Declare { var: self.var(name, ty, storage), value: None }
            }
            ast::StmtKind::Assign(assignment) => return self.assign(assignment),
            ast::StmtKind::Call(expr) => return self.call(expr),
            ast::StmtKind::If { condition, then, otherwise } => StmtKind::If {
                condition: self.expr(condition)?,
                then: self.block(then),
                otherwise: self.block(otherwise),
            },
            ast::StmtKind::Switch { value, cases } => self.switch(value, cases)?,
            ast::StmtKind::While { condition, body, label } => StmtKind::While {
                condition: self.expr(condition)?,
                body: self.repeated(body, label.as_ref()),
            },
            ast::StmtKind::For { unroll, ty, name, head, body, label } => {
                let (start, condition, next) = &**head;
                let start = self.expr(start)?;
                let var = self.register(ty, name);
                let condition = self.expr(condition)?;
                let next = match self.assign(next)? {
                    StmtKind::Assign { place: Place { base: PlaceBase::Var(v), field: None, .. }, value }
                        if v == var =>
                    {
                        value
                    }
                    _ => {
                        self.fail(
                            &stmt.span,
                            "a `for` loop steps its own counter",
                            "write it as a `while` loop",
                        );
                        return None;
                    }
                };
                let body = self.repeated(body, label.as_ref());
                StmtKind::For { var, start, condition, next, body, unroll: *unroll }
            }
            ast::StmtKind::Break => {
                if matches!(self.around.last(), Some(None)) {
                    self.fail(
                        &stmt.span,
                        "`break` inside a case would leave the `switch`",
                        "`goto` the label behind the loop, and put `break;` behind the closing brace of the case",
                    );
                    return None;
                }
                StmtKind::Break
            }
            ast::StmtKind::Goto(label) => {
                let innermost = self.around.iter().rev().flatten().next();
                if innermost.and_then(|l| l.as_ref()) != Some(&label.name) {
                    self.fail(
                        &label.span,
                        "this label is not right behind the innermost loop",
                        "only loops can be left",
                    );
                    return None;
                }
                StmtKind::Break
            }
            ast::StmtKind::Continue => StmtKind::Continue,
            ast::StmtKind::Return(None) => StmtKind::Return(None),
            ast::StmtKind::Return(Some(value)) => StmtKind::Return(Some(self.expr(value)?)),
            ast::StmtKind::Everywhere { captures, body } => {
                let mut bound = Vec::new();
                for (ty, name, value) in captures {
                    let value = self.expr(value)?;
                    bound.push((self.register(ty, name), value));
                }
                let around = std::mem::take(&mut self.around);
                let body = self.block(body);
                self.around = around;
                StmtKind::Everywhere { captures: bound, body }
            }
            ast::StmtKind::Simulated(body) => {
                let around = std::mem::take(&mut self.around);
                let body = self.block(body);
                self.around = around;
                StmtKind::Simulated(body)
            }
            ast::StmtKind::Error => return None,
        })
    }

    fn declare(
        &mut self,
        ty: &ast::TypeName,
        name: &ast::Ident,
        value: Option<&ast::Expr>,
    ) -> Option<StmtKind> {
        let Some(value) = value else {
            return Some(StmtKind::Declare { var: self.register(ty, name), value: None });
        };
        if let Some(effect) = self.effect_of(value) {
            let effect = effect?;
            let var = self.register(ty, name);
            return Some(StmtKind::Effect { result: Some(Target::Declare(var)), effect });
        }
        let value = self.expr(value);
        let var = self.register(ty, name);
        Some(StmtKind::Declare { var, value: Some(value?) })
    }

    fn assign(&mut self, assignment: &ast::Assignment) -> Option<StmtKind> {
        let place = self.place(&assignment.place)?;
        if let Some(op) = assignment.op {
            let PlaceBase::Var(var) = place.base else {
                self.fail(
                    &assignment.place.span,
                    "only variables have `op=`",
                    "write the place on both sides",
                );
                return None;
            };
            let right = self.expr(&assignment.value)?;
            let left = Box::new(Expr { kind: ExprKind::Var(var), ty: place.ty });
            let value = Expr { ty: place.ty, kind: ExprKind::Binary(op, left, Box::new(right)) };
            return Some(StmtKind::Assign { place, value });
        }
        if let Some(effect) = self.effect_of(&assignment.value) {
            let effect = effect?;
            let (PlaceBase::Var(var), None) = (&place.base, place.field) else {
                self.fail(
                    &assignment.place.span,
                    "an effect's result goes to a variable",
                    "assign it from there",
                );
                return None;
            };
            return Some(StmtKind::Effect { result: Some(Target::Assign(*var)), effect });
        }
        let value = self.expr(&assignment.value)?;
        Some(StmtKind::Assign { place, value })
    }

    fn switch(&mut self, value: &ast::Expr, cases: &[ast::Case]) -> Option<StmtKind> {
        let value = self.expr(value)?;
        let ty = value.ty.scalar().unwrap_or(Scalar::U32);
        let (mut bound, mut default) = (Vec::new(), None);
        self.around.push(None);
        for case in cases {
            let mut values = Vec::new();
            for value in &case.values {
                match literal(value, ty) {
                    Some(Literal::Int(n)) => values.push(n),
                    _ => {
                        let text = format!("a case is an integer literal of type {}", ty.name());
                        self.fail(&value.span, text, "write the literal with its suffix");
                    }
                }
            }
            let body = self.block(&case.body);
            if flow::completes(&body) != case.closed {
                self.fail(
                    &case.span,
                    "a case that ends is closed by `} break;`, another by `}`",
                    "there is no fall-through",
                );
            }
            if !case.values.is_empty() && default.is_none() {
                bound.push((values, body));
            } else if default.replace(body).is_some() {
                self.fail(&case.span, "`default` comes last and once", "reorder the cases");
            }
        }
        self.around.pop();
        Some(StmtKind::Switch { value, cases: bound, default: default.unwrap_or_default() })
    }

    fn repeated(&mut self, body: &[ast::Stmt], label: Option<&ast::Ident>) -> Block {
        self.around.push(Some(label.map(|l| l.name.clone())));
        let body = self.block(body);
        self.around.pop();
        body
    }

    fn length(&mut self, expr: &ast::Expr) -> Option<Length> {
        match &expr.kind {
            ast::ExprKind::Int(n, _) if *n <= u64::from(u32::MAX) => return Some(Length::Literal(*n as u32)),
            ast::ExprKind::Name(name) => {
                if let Some(Global::Constant(id)) = self.resolver.globals.get(name) {
                    return Some(Length::Constant(*id));
                }
            }
            _ => {}
        }
        self.fail(&expr.span, "the length of an array is a number or a constant", "name a `constexpr`");
        None
    }

    /// A call as a statement.
    fn call(&mut self, expr: &ast::Expr) -> Option<StmtKind> {
        let ast::ExprKind::Call(name, args) = &expr.kind else {
            self.fail(&expr.span, "this computes a value that nothing uses", "assign it, or remove it");
            return None;
        };
        let arg = |this: &mut Self, i: usize, n: usize| match args.get(i) {
            Some(arg) if args.len() == n => Some(arg),
            _ => {
                this.fail(
                    &expr.span,
                    format!("`{}` takes {n} arguments", name.name),
                    "docs/kernel-language.md lists them",
                );
                None
            }
        };
        match names::builtin(&name.name) {
            Some(Builtin::Barrier) if args.is_empty() => Some(StmtKind::Barrier),
            Some(Builtin::Fence(scope)) if args.is_empty() => Some(StmtKind::Fence(scope)),
            Some(Builtin::WarpBarrier) => {
                let mask = arg(self, 0, 1)?;
                Some(StmtKind::WarpBarrier { mask: self.expr(mask)? })
            }
            Some(Builtin::Sleep) => match arg(self, 0, 1)?.kind {
                ast::ExprKind::Int(n, Scalar::U32) => Some(StmtKind::Sleep(n as u32)),
                _ => {
                    self.fail(&expr.span, "the time is a u32 literal", "as in `sleep_ns(100u)`");
                    None
                }
            },
            Some(Builtin::Tally) => match arg(self, 0, 1)?.kind {
                ast::ExprKind::Int(n, Scalar::U32) => Some(StmtKind::Tally(n as u32)),
                _ => {
                    self.fail(&expr.span, "the number of a tally is a u32 literal", "as in `tally(3u)`");
                    None
                }
            },
            Some(builtin @ (Builtin::Assume | Builtin::Uniform(_) | Builtin::Own)) => {
                let ast::ExprKind::Text(name) = &arg(self, 0, 2)?.kind else {
                    self.fail(
                        &expr.span,
                        "the first argument is the name of the reason",
                        "as in `\"fresh index\"`",
                    );
                    return None;
                };
                let name = name.clone();
                let subject = arg(self, 1, 2)?;
                Some(match builtin {
                    Builtin::Assume => StmtKind::Assume { name, condition: self.expr(subject)? },
                    Builtin::Uniform(scope) => StmtKind::Uniform { name, scope, value: self.expr(subject)? },
                    _ => StmtKind::Own { name, place: self.place(subject)? },
                })
            }
            _ => match self.effect_of(expr) {
                Some(effect) => Some(StmtKind::Effect { result: None, effect: effect? }),
                None => {
                    self.fail(
                        &expr.span,
                        "this computes a value that nothing uses",
                        "assign it, or remove it",
                    );
                    None
                }
            },
        }
    }
}
