//! What is wrong with a term that has no sort.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use super::Checker;
use crate::ast::{Expr, ExprKind};
use crate::types::Type;

impl Checker<'_> {
    /// Says why a term has no sort: the first part of it that has none, or the symbol that its arguments do not fit.
    pub(super) fn report(&mut self, expr: &Expr) {
        let mut at = expr;
        loop {
            let below = self.first_wrong(at);
            match below {
                Some(below) => at = below,
                None => break,
            }
        }
        let found = self.reason(at);
        self.diagnostics.push(found);
    }

    fn first_wrong<'e>(&mut self, expr: &'e Expr) -> Option<&'e Expr> {
        let mut parts: Vec<&Expr> = Vec::new();
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Number(_) => {}
            ExprKind::Apply(head, args) => {
                let is_symbol = match &head.kind {
                    ExprKind::Name(name) => self.is_applied_symbol(name) && self.is_symbol(name),
                    _ => false,
                };
                if !is_symbol {
                    parts.push(head);
                }
                parts.extend(args);
            }
            ExprKind::Operator(_, items) | ExprKind::List(items) | ExprKind::Set(items) => {
                parts.extend(items)
            }
            ExprKind::Bag(items) => items.iter().for_each(|(item, count)| parts.extend([item, count])),
            ExprKind::Update(items) => parts.extend(items.iter()),
            ExprKind::Where(_, bindings) => parts.extend(bindings.iter().map(|(_, value)| value)),
            ExprKind::Comprehension(..) | ExprKind::Binder(..) => {}
        }
        if let Some(wrong) = parts.into_iter().find(|part| self.types(part).is_empty()) {
            return Some(wrong);
        }
        let body = match &expr.kind {
            ExprKind::Comprehension(_, body) | ExprKind::Binder(_, _, body) | ExprKind::Where(body, _) => {
                body
            }
            _ => return None,
        };
        let vars = self.bound.get(&std::ptr::from_ref(expr)).cloned().unwrap_or_default();
        self.enter(&vars);
        // The variables stay in force for what is reported below: nothing is looked up behind that.
        if self.types(body).is_empty() {
            return Some(body);
        }
        self.leave(&vars);
        None
    }

    fn is_symbol(&self, name: &str) -> bool {
        !self.scope.named(name).is_empty()
    }

    fn reason(&mut self, expr: &Expr) -> Diagnostic {
        match &expr.kind {
            ExprKind::Name(name) => self.unknown(name, expr.span),
            ExprKind::Apply(head, args) => match &head.kind {
                ExprKind::Name(name) if self.is_applied_symbol(name) => {
                    self.no_such_symbol(name, head.span, &args.iter().collect::<Vec<_>>())
                }
                _ => {
                    let ty = self.types(head).first().map(|ty| self.shown(ty)).unwrap_or_default();
                    self.not_here(
                        head.span,
                        &format!("this has the sort `{ty}`, which does not take these arguments"),
                    )
                }
            },
            ExprKind::Operator(mark, args) => {
                self.no_such_symbol(mark, expr.span, &args.iter().collect::<Vec<_>>())
            }
            ExprKind::List(_) | ExprKind::Set(_) => {
                self.not_here(expr.span, "the elements have no common sort")
            }
            ExprKind::Bag(_) => {
                self.not_here(expr.span, "the elements have no common sort, or a count is no `Nat`")
            }
            ExprKind::Comprehension(_, body) => {
                self.not_here(body.span, "a test of sort `Bool` or a count of sort `Nat` belongs here")
            }
            ExprKind::Update(_) => {
                self.not_here(expr.span, "this is no function with such an argument and such a value")
            }
            ExprKind::Binder(_, _, body) => self.not_here(body.span, "a term of sort `Bool` belongs here"),
            ExprKind::Where(..) | ExprKind::Number(_) => self.not_here(expr.span, "this term has no sort"),
        }
    }

    fn not_here(&self, span: Span, what: &str) -> Diagnostic {
        Diagnostic::error("T2202", what.to_string())
            .label(span, "this")
            .help("compare the sorts with those in the declarations")
    }

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let locals = self.in_force.iter().map(|(name, _)| &**name);
        let near = nearest(name, locals.chain(self.scope.names()));
        Diagnostic::error("T2102", format!("unknown name `{name}`")).label(span, "not declared").help(
            match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("declare it: `map {name}: ...;` or `var {name}: ...;`"),
            },
        )
    }

    fn no_such_symbol(&mut self, name: &str, span: Span, args: &[&Expr]) -> Diagnostic {
        if !self.is_symbol(name) {
            return self.unknown(name, span);
        }
        let types: Vec<String> = args
            .iter()
            .map(|arg| self.types(arg).first().map_or("?".to_string(), |ty| ty.shown(self.sorts).to_string()))
            .collect();
        let mut found = Diagnostic::error("T2103", format!("`{name}` does not take such arguments"))
            .label(span, format!("the arguments have the sorts `{}`", types.join(" # ")));
        for &id in self.scope.named(name).iter().take(8) {
            let ty: Type = self.scope.symbols[id].value_type();
            found = found.note(format!("`{name}: {}`", ty.shown(self.sorts)));
        }
        found.help("compare number and sorts of the arguments with the declarations; `Int2Nat(x)` and others convert")
    }

    pub(super) fn wrong_sort(&mut self, expr: &Expr, found: &Type, want: &Type) {
        let (found, want) = (self.shown(found), self.shown(want));
        let narrower = found == "Int" && (want == "Nat" || want == "Pos") || found == "Nat" && want == "Pos";
        let help = if narrower {
            format!("write `{found}2{want}(...)`")
        } else {
            format!("write a term of sort `{want}`")
        };
        self.diagnostics.push(
            Diagnostic::error("T2201", format!("this has the sort `{found}`, not `{want}`"))
                .label(expr.span, format!("a term of sort `{want}` is expected here"))
                .help(help),
        );
    }
}
