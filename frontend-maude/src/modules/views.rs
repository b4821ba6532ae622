//! Views, and modules whose parameters get them as values.

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use super::naming::{Becomes, Naming, Template};
use super::parts::Parts;
use super::{Fail, Flat, Modules, parameter_naming, parameter_parts, theory_sorts};
use crate::grammar::{Forms, Grammar};
use crate::parser::expected;
use crate::signature::{Declaration, ModulePart, Signature};
use crate::syntax::*;
use crate::term::{Names, OpKey, Term, TermKind, Variables};

/// What a view says about a theory: the module that it goes to, what is a sort there, and what an operator is.
struct Value {
    target: Arc<Flat>,
    sorts: HashMap<Arc<str>, Arc<str>>,
    ops: Vec<(OpKey, Becomes)>,
}

/// Operators of a theory with what they become, and with the operators that they become.
type Mappings = (Vec<(OpKey, Becomes)>, Vec<(OpKey, OpKey)>);

/// Parameters of the module that an expression stands in, with their theories.
type Params<'p> = &'p [(Arc<str>, Arc<Flat>)];

impl Modules<'_> {
    /// A module whose parameters have values, with the names that they give it. `place`: of the module.
    pub(super) fn instance(
        &mut self,
        generic: &Flat,
        place: Span,
        args: &[ModuleExpr],
        params: Params<'_>,
    ) -> Option<(Flat, Naming)> {
        if generic.params.len() != args.len() {
            self.wrong_count("module", generic.params.len(), args.len(), place);
            return None;
        }
        let (mut naming, mut targets, mut open) = (Naming::default(), Vec::new(), Vec::new());
        for ((param, theory), arg) in generic.params.iter().zip(args) {
            naming.argument(param, &arg.text().into());
            if let ModuleExpr::Name(name) = arg
                && let Some(outer) = params.iter().find(|(outer, _)| *outer == name.text)
            {
                for sort in theory_sorts(theory) {
                    naming.sort(&format!("{param}${sort}"), &format!("{}${sort}", name.text));
                }
                open.push(outer.clone());
                continue;
            }
            let value = self.view(arg, params)?;
            let own = parameter_naming(param, theory);
            for sort in theory_sorts(theory) {
                let to = value.sorts.get(&sort).unwrap_or(&sort);
                naming.sort(&format!("{param}${sort}"), to);
            }
            for (key, becomes) in value.ops {
                naming.becomes(own.op(&key), becomes);
            }
            targets.push(value.target);
        }
        let mut parts = Parts::default();
        targets.iter().for_each(|target| self.keys.join(&mut parts, &target.parts));
        for (param, theory) in &open {
            self.keys.join(&mut parts, &parameter_parts(param, theory));
        }
        let is_own = |part: &&Arc<ModulePart>| !part.is_theory || !part.key.contains("::");
        let own = generic.parts.to_vec();
        self.keys.join(&mut parts, &own.iter().filter(is_own).map(|part| naming.part(part)).collect());
        let flat = Flat { parts, params: Vec::new(), variables: generic.variables.clone() };
        Some((flat, naming))
    }

    fn wrong_count(&mut self, what: &str, wanted: usize, found: usize, place: Span) {
        self.diagnostics.push(
            Diagnostic::error("T3106", format!("the {what} has {wanted} parameters, not {found}"))
                .label(place, "instantiated here")
                .help("give one view for each parameter"),
        );
    }

    /// The value of an argument: a view, maybe one whose own parameters have values.
    fn view(&mut self, expr: &ModuleExpr, params: Params<'_>) -> Option<Value> {
        let (name, args): (&Name, &[ModuleExpr]) = match expr {
            ModuleExpr::Name(name) => (name, &[]),
            ModuleExpr::Instance(of, args) if let ModuleExpr::Name(name) = &**of => (name, args),
            _ => {
                self.diagnostics.push(*expected(expr.span(), "the name of a view or of a parameter"));
                return None;
            }
        };
        let Some(view) = self.views.get(&name.text).cloned() else {
            self.diagnostics.push(*self.unknown_view(name));
            return None;
        };
        if view.params.len() != args.len() {
            self.wrong_count("view", view.params.len(), args.len(), name.span);
            return None;
        }
        let mut own = Vec::new();
        for (param, theory) in &view.params {
            own.push((param.text.clone(), self.expr(theory, &[])?));
        }
        let theory = self.expr(&view.from, &[])?;
        let generic = self.expr(&view.to, &own)?;
        let (mut ops, named) = match self.operators(&view, &theory, &generic) {
            Ok(found) => found,
            Err(found) => {
                self.diagnostics.push(*found);
                return None;
            }
        };
        let (target, naming) = if own.is_empty() {
            (generic, Naming::default())
        } else {
            let parts = generic.parts.to_vec();
            let generic = Flat { params: own, ..(*generic).clone() };
            let (flat, naming) = self.instance(&generic, name.span, args, params)?;
            // What an operator becomes is one of a parameter, which the views of the arguments map further.
            let signature = Signature::new(&parts, self.diagnostics);
            for (key, becomes) in named {
                let op = signature.op(&becomes);
                let declared = parts.iter().flat_map(|part| &part.ops).map(Declaration::key);
                let further =
                    declared.filter(|key| signature.op(key) == op).find_map(|key| naming.further(&key));
                ops.extend(further.map(|further| (key, further)));
            }
            (Arc::new(flat), naming)
        };
        let sort = |(from, to): &(Name, Name)| (from.text.clone(), naming.sort_name(&to.text));
        Some(Value {
            target,
            sorts: view.sorts.iter().map(sort).collect(),
            ops: ops.into_iter().map(|(key, becomes)| (key, becomes.map(&naming))).collect(),
        })
    }

    fn unknown_view(&self, name: &Name) -> Fail {
        let near = nearest(&name.text, self.views.keys().map(|name| &**name));
        Box::new(
            Diagnostic::error("T3103", format!("unknown view `{}`", name.text))
                .label(name.span, "used here")
                .help(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "declare a view, or name a parameter of this module".into(),
                }),
        )
    }

    /// What a view says that operators of a theory become, and what those become that become no term, by itself or by
    /// their names.
    fn operators(&mut self, view: &View, theory: &Flat, target: &Flat) -> Result<Mappings, Fail> {
        let mut found: Vec<(OpKey, Becomes)> = Vec::new();
        let source = Signature::new(&theory.parts.to_vec(), self.diagnostics);
        for mapping in &view.ops {
            match mapping {
                OpMapping::Name { from, of, to } => {
                    let meant = of.as_ref().map(|(domain, range)| {
                        let (name, domain, range) = (from.text.clone(), domain.clone(), range.clone());
                        OpKey { name, domain, range }
                    });
                    let meant = meant.map(|key| source.op(&key));
                    let before = found.len();
                    for op in own_operators(theory).iter().filter(|op| op.name == from.text) {
                        if meant.is_none_or(|meant| meant == source.op(&op.key())) {
                            found.push((op.key(), Becomes::Name(to.text.clone())));
                        }
                    }
                    if found.len() == before {
                        return Err(unknown_operator(from, theory));
                    }
                }
                OpMapping::Term { from, to, span } => {
                    found.push(self.template(view, theory, target, (from, to, *span))?);
                }
            }
        }
        let signature = Signature::new(&target.parts.to_vec(), self.diagnostics);
        let mut named = Vec::new();
        for op in &own_operators(theory) {
            let key = op.key();
            let name = match found.iter().find(|(of, _)| source.op(of) == source.op(&key)) {
                Some((_, Becomes::Term(_))) => continue,
                Some((_, Becomes::Name(to))) => to.clone(),
                None => op.name.clone(),
            };
            let mapped = |of: &TypeName| mapped(view, of);
            let domain = key.domain.iter().map(mapped).collect();
            let becomes = OpKey { name, domain, range: mapped(&key.range) };
            if signature.op(&becomes).is_none() {
                return Err(no_such_operator(view, op, &becomes));
            }
            named.push((key, becomes));
        }
        Ok((found, named))
    }

    /// An application to variables that becomes a term.
    fn template(
        &mut self,
        view: &View,
        theory: &Flat,
        target: &Flat,
        (from, to, place): (&[crate::token::Token], &[crate::token::Token], Span),
    ) -> Result<(OpKey, Becomes), Fail> {
        let named = |of: &dyn Fn(&TypeName) -> TypeName| -> HashMap<Arc<str>, TypeName> {
            view.variables.iter().map(|(name, sort)| (name.text.clone(), of(sort))).collect()
        };
        let source_variables = named(&TypeName::clone);
        let target_variables = named(&|of| mapped(view, of));
        let term = |of: &Flat, variables, tokens, diagnostics: &mut Vec<Diagnostic>| {
            let signature = Signature::new(&of.parts.to_vec(), diagnostics);
            let forms = Forms::new(&signature);
            Grammar { forms: &forms, signature: &signature, variables }.term(tokens, place, None)
        };
        let left = term(theory, &source_variables, from, self.diagnostics)?;
        let right = term(target, &target_variables, to, self.diagnostics)?;
        let wrong = || expected(left.span, "an operator of the theory, applied to different variables");
        let TermKind::App(key, args) = &left.kind else { return Err(wrong()) };
        let mut variables: Vec<Arc<str>> = Vec::new();
        for arg in args {
            match &arg.kind {
                TermKind::Var(name, _) if !variables.contains(name) => variables.push(name.clone()),
                _ => return Err(wrong()),
            }
        }
        let unknown = {
            let mut used = Variables::default();
            right.variables(&mut used);
            used.iter().find(|(name, ..)| !variables.contains(name)).map(|&(_, _, span)| span)
        };
        if let Some(span) = unknown {
            return Err(expected(span, "a variable of the operator that is mapped"));
        }
        Ok(((**key).clone(), Becomes::Term(Arc::new(Template { variables, term: right }))))
    }
}

/// The operators of a theory, those of theories that it imports among them.
fn own_operators(theory: &Flat) -> Vec<Declaration> {
    let parts = theory.parts.to_vec();
    parts.iter().filter(|part| part.is_theory).flat_map(|part| &part.ops).cloned().collect()
}

/// What a sort of the theory is in the module that a view goes to.
fn mapped(view: &View, of: &TypeName) -> TypeName {
    let to = view.sorts.iter().find(|(from, _)| from.text == of.sort);
    let sort = to.map_or_else(|| of.sort.clone(), |(_, to)| to.text.clone());
    TypeName { sort, is_kind: of.is_kind }
}

/// The module that a view goes to has no operator in the place of one of the theory.
fn no_such_operator(view: &View, op: &Declaration, becomes: &OpKey) -> Fail {
    let sorts: Vec<&str> = becomes.domain.iter().map(|of| &*of.sort).collect();
    let wanted = format!("{} : {} -> {}", becomes.name, sorts.join(" "), becomes.range.sort);
    Box::new(
        Diagnostic::error("T3102", format!("no operator is `{}` of the theory", op.name))
            .label(view.name.span, format!("the module that this view goes to has no `{wanted}`"))
            .help("map the operator to one that the module declares for these sorts"),
    )
}

fn unknown_operator(name: &Name, theory: &Flat) -> Fail {
    let parts = theory.parts.to_vec();
    let known = parts.iter().flat_map(|part| part.ops.iter().map(|op| &*op.name));
    let near = nearest(&name.text, known);
    Box::new(
        Diagnostic::error("T3102", format!("the theory has no operator `{}`", name.text))
            .label(name.span, "mapped here")
            .help(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "map an operator that the theory declares".into(),
            }),
    )
}

impl Template {
    /// The term for some arguments.
    pub fn with(&self, args: &[Term]) -> Term {
        self.term.with(&|inner| match &inner.kind {
            TermKind::Var(name, _) => {
                self.variables.iter().position(|known| known == name).and_then(|at| args.get(at).cloned())
            }
            _ => None,
        })
    }
}
