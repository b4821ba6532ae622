//! Modules with all that they import: module expressions, parameters, views and renamings.

mod naming;
mod parts;
mod statements;
mod views;

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::suggest::nearest;

use crate::signature::{Declaration, Identity, ModulePart, Properties, Signature};
use crate::syntax::*;

use self::naming::Naming;
use self::parts::{Keys, Parts};
use crate::grammar::Forms;

pub(crate) use self::statements::{conditions, kind_of};

/// A module with all that it imports.
#[derive(Clone, Debug)]
pub(crate) struct Flat {
    pub parts: Parts,
    /// Names and theories of parameters that have no value.
    params: Vec<(Arc<str>, Arc<Flat>)>,
    pub variables: Arc<HashMap<Arc<str>, TypeName>>,
}

impl Flat {
    /// A module without parameters.
    pub fn of_parts(parts: Vec<Arc<ModulePart>>, variables: Arc<HashMap<Arc<str>, TypeName>>) -> Self {
        Self { parts: parts.into_iter().collect(), params: Vec::new(), variables }
    }
}

/// The signature of some parts, and the forms of terms over it, as far as they have been asked for. A module whose
/// parts begin with those of the one before takes no time for these.
#[derive(Default)]
struct Built {
    parts: Parts,
    signature: Signature,
    forms: Forms,
}

type Fail = Box<Diagnostic>;

/// All modules that are known.
pub(crate) struct Modules<'d> {
    modules: HashMap<Arc<str>, (Arc<Module>, bool, Vec<Name>)>,
    views: HashMap<Arc<str>, Arc<View>>,
    known: HashMap<Arc<str>, Option<Arc<Flat>>>,
    /// Modules whose imports are being read.
    open: Vec<Arc<str>>,
    /// Modules that are imported without saying so.
    included: Vec<Name>,
    /// Of the module that was read last, if nothing is wrong with it.
    built: Built,
    /// Of the module whose imports were brought together last.
    keys: Keys,
    pub diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'d> Modules<'d> {
    pub fn new(library: &Text, diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        let (modules, views, known) = (HashMap::default(), HashMap::default(), HashMap::default());
        let (open, included) = (Vec::new(), Vec::new());
        let (built, keys) = (Built::default(), Keys::default());
        let mut found = Self { modules, views, known, open, included, built, keys, diagnostics };
        library.items.iter().for_each(|item| found.add(item, true));
        found
    }

    /// From here on there is such a module or view.
    pub fn add(&mut self, item: &Item, is_library: bool) {
        match item {
            Item::Module(module) => {
                let name = module.name.text.clone();
                let included = if is_library { Vec::new() } else { self.included.clone() };
                let module = (Arc::new(module.clone()), is_library, included);
                if self.modules.insert(name, module).is_some() {
                    // Another one of this name may have been imported.
                    self.known.clear();
                }
            }
            Item::View(view) => {
                self.views.insert(view.name.text.clone(), Arc::new(view.clone()));
            }
            Item::Include(name, on) => {
                self.included.retain(|known| known.text != name.text);
                self.included.extend(on.then(|| name.clone()));
            }
            Item::Reduce { .. } | Item::Select(_) => {}
        }
    }

    /// A module by its name, or none if it is wrong, which has been reported.
    pub fn named(&mut self, name: &Name) -> Option<Arc<Flat>> {
        if let Some(known) = self.known.get(&name.text) {
            return known.clone();
        }
        let Some((module, is_library, included)) = self.modules.get(&name.text).cloned() else {
            self.diagnostics.push(*self.unknown(name));
            return None;
        };
        if self.open.contains(&name.text) {
            self.diagnostics.push(
                Diagnostic::error("T3109", format!("module `{}` imports itself", name.text))
                    .label(name.span, "imported here, by itself or by what it imports")
                    .help("leave the import out"),
            );
            return None;
        }
        self.open.push(name.text.clone());
        let found = self.flatten(&module, is_library, &included).map(Arc::new);
        self.open.pop();
        self.known.insert(name.text.clone(), found.clone());
        found
    }

    fn unknown(&self, name: &Name) -> Fail {
        let text = &name.text;
        const OTHERS: [&str; 15] = [
            "RANDOM",
            "COUNTER",
            "META-LEVEL",
            "META-TERM",
            "META-MODULE",
            "META-VIEW",
            "LOOP-MODE",
            "LEXICAL",
            "META-STRATEGY",
            "INTERNAL-ERROR",
            "META-INTERPRETER",
            "STD-STREAM",
            "FILE",
            "SOCKET",
            "TIME",
        ];
        if OTHERS.contains(&&**text) {
            return crate::parser::unsupported(name.span, &format!("module `{text}`: such modules"));
        }
        let near = nearest(text, self.modules.keys().map(|name| &**name));
        Box::new(
            Diagnostic::error("T3103", format!("unknown module `{text}`"))
                .label(name.span, "used here")
                .help(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "declare it before, or load its file".to_string(),
                }),
        )
    }

    /// What a module expression stands for; `params` are those of the module that it stands in.
    pub fn expr(&mut self, expr: &ModuleExpr, params: &[(Arc<str>, Arc<Flat>)]) -> Option<Arc<Flat>> {
        match expr {
            ModuleExpr::Name(name) => self.named(name),
            ModuleExpr::Sum(all) => {
                let mut sum: Option<Flat> = None;
                for part in all {
                    let found = self.expr(part, params)?;
                    match &mut sum {
                        Some(sum) => self.keys.join(&mut sum.parts, &found.parts),
                        None => sum = Some((*found).clone()),
                    }
                }
                sum.map(Arc::new)
            }
            ModuleExpr::Renamed(of, items) => {
                let of = self.expr(of, params)?;
                let all = of.parts.to_vec();
                let naming = Naming::of_items(items, &all);
                let parts = all.iter().map(|part| naming.part(part)).collect();
                Some(Arc::new(Flat { parts, ..(*of).clone() }))
            }
            ModuleExpr::Instance(of, args) => {
                let generic = self.expr(of, params)?;
                Some(Arc::new(self.instance(&generic, of.span(), args, params)?.0))
            }
        }
    }

    fn flatten(&mut self, module: &Module, is_library: bool, included: &[Name]) -> Option<Flat> {
        let mut params = Vec::new();
        let mut parts = Parts::default();
        for (param, theory) in &module.params {
            let theory = self.expr(theory, &[])?;
            self.keys.join(&mut parts, &parameter_parts(&param.text, &theory));
            params.push((param.text.clone(), theory));
        }
        for name in included {
            let found = self.named(name)?;
            self.keys.join(&mut parts, &found.parts);
        }
        let mut complete = true;
        for statement in &module.statements {
            if let Statement::Import(expr) = statement {
                match self.expr(expr, &params) {
                    Some(found) => self.keys.join(&mut parts, &found.parts),
                    None => complete = false,
                }
            }
        }
        if !complete {
            return None;
        }
        let mut key = module.name.text.to_string();
        if !params.is_empty() {
            let names: Vec<&str> = params.iter().map(|(name, _)| &**name).collect();
            key += &format!("{{{}}}", names.join(","));
        }
        let is_theory = module.kind == ModuleKind::Theory;
        let mut own = ModulePart { key: key.into(), is_library, is_theory, ..ModulePart::default() };
        self.declarations(module, &mut own);
        let variables = Arc::new(statements::variables(module));
        let before = self.diagnostics.len();
        let mut declared = parts.clone();
        declared.push(Arc::new(own.clone()));
        let mut built = self.built(&declared);
        if self.diagnostics[before..].iter().any(Diagnostic::is_error) {
            return None;
        }
        let Built { signature, forms, .. } = &mut built;
        let read = statements::read(module, (signature, forms), &variables, &mut own, self.diagnostics);
        own.ops.iter().for_each(|op| built.signature.has_identity(op));
        parts.push(Arc::new(own));
        read.then(|| {
            built.parts = parts.clone();
            self.built = built;
            Flat { parts, params, variables }
        })
    }

    /// The signature of some parts, from what is known of the first ones.
    fn built(&mut self, parts: &Parts) -> Built {
        let mut built = std::mem::take(&mut self.built);
        if parts.start_with(&built.parts) {
            let further = parts.behind(built.parts.count());
            if built.signature.extend(&further, self.diagnostics).is_some() {
                return Built { parts: parts.clone(), ..built };
            }
        }
        built = Built { parts: parts.clone(), ..Built::default() };
        built.signature = Signature::new(&parts.to_vec(), self.diagnostics);
        built
    }

    /// Sorts, subsorts and operators of a module.
    fn declarations(&mut self, module: &Module, own: &mut ModulePart) {
        for statement in &module.statements {
            match statement {
                Statement::Sorts(sorts) => {
                    own.sorts.extend(sorts.iter().cloned());
                    own.first_names.extend(sorts.iter().map(|sort| sort.text.clone()));
                }
                Statement::Subsorts(groups) => {
                    for pair in groups.windows(2) {
                        for below in &pair[0] {
                            own.subsorts.extend(pair[1].iter().map(|above| (below.clone(), above.clone())));
                        }
                    }
                }
                Statement::Ops(declared) => {
                    let properties = self.properties(declared, own.is_library);
                    own.ops.extend(declared.names.iter().map(|name| Declaration {
                        name: name.text.clone(),
                        domain: declared.domain.clone(),
                        range: declared.range.clone(),
                        properties: properties.clone(),
                        span: name.span,
                    }));
                }
                Statement::Import(_) | Statement::Variables(..) | Statement::Equation(_) => {}
            }
        }
    }

    fn properties(&mut self, declared: &OpDeclaration, is_library: bool) -> Properties {
        let mut found = Properties::default();
        for attribute in &declared.attributes {
            match attribute {
                Attribute::Assoc => found.assoc = true,
                Attribute::Comm => found.comm = true,
                Attribute::Iter => found.iter = true,
                Attribute::Idem(span) => {
                    self.diagnostics.push(*crate::parser::unsupported(*span, "idempotent operators"));
                }
                Attribute::Identity { left, right, term } => {
                    let (left, right, tokens) = (*left, *right, term.clone());
                    found.identity = Some(Identity { left, right, tokens, term: None });
                }
                Attribute::Prec(prec) => found.prec = Some(*prec),
                Attribute::Frozen(arguments) if arguments.is_empty() => {
                    found.frozen.extend(1..=declared.domain.len() as u32);
                }
                Attribute::Frozen(arguments) => found.frozen.extend(arguments),
                Attribute::Gather(letters) => found.gather = Some(letters.clone()),
                Attribute::Strategy(order, span) => {
                    let all = (1..=declared.domain.len() as u32).all(|arg| order.contains(&arg));
                    let eager = all && order.last() == Some(&0) && !order[..order.len() - 1].contains(&0);
                    // Those of the library are built in.
                    if !is_library && !eager && !declared.domain.is_empty() {
                        self.diagnostics.push(*crate::parser::unsupported(
                            *span,
                            "strategies that leave arguments unevaluated",
                        ));
                    }
                }
                Attribute::Special(name) if is_library => found.special = Some(name.clone()),
                // Its values are not known: it may be declared, and terms that are evaluated do not have it.
                Attribute::Special(_) => found.special = Some("missing".into()),
                Attribute::Ditto | Attribute::Other => {}
            }
        }
        if found.assoc
            && let Some(identity) = &found.identity
            && !(identity.left && identity.right)
        {
            let what = "associative operators with an identity on one side only";
            self.diagnostics.push(*crate::parser::unsupported(declared.span, what));
        }
        if (found.assoc || found.comm) && declared.domain.len() != 2 {
            self.diagnostics.push(
                Diagnostic::error("T3107", "an associative or commutative operator has two arguments")
                    .label(declared.span, format!("this has {}", declared.domain.len()))
                    .help("leave the attribute out, or declare two arguments"),
            );
            (found.assoc, found.comm) = (false, false);
        }
        found
    }
}

/// Sorts that a theory declares itself.
fn theory_sorts(theory: &Flat) -> Vec<Arc<str>> {
    let parts = theory.parts.to_vec();
    let own = parts.iter().filter(|part| part.is_theory);
    own.flat_map(|part| part.sorts.iter().map(|sort| sort.text.clone())).collect()
}

/// The names of the sorts of a theory for a parameter.
fn parameter_naming(param: &str, theory: &Flat) -> Naming {
    let mut naming = Naming::default();
    for sort in theory_sorts(theory) {
        naming.sort(&sort, &format!("{param}${sort}"));
    }
    naming
}

/// The parts of a theory for a parameter: its sorts get the name of the parameter, its equations hold by themselves.
fn parameter_parts(param: &Arc<str>, theory: &Flat) -> Parts {
    let naming = parameter_naming(param, theory);
    let renamed = |part: &Arc<ModulePart>| match part.is_theory {
        false => part.clone(),
        true => {
            let key = format!("{param} :: {}", part.key).into();
            Arc::new(ModulePart {
                key,
                rules: Vec::new(),
                unread: Vec::new(),
                ..(*naming.part(part)).clone()
            })
        }
    };
    theory.parts.to_vec().iter().map(renamed).collect()
}
