//! What the syntax tree of a program means: its symbols, and its rules over trees.

use super::*;

impl Program {
    /// The program that a syntax tree means, if the frontend accepts it.
    pub fn new(module: &Module) -> Self {
        let (results, sorts) = declared(module);
        let parameters = parameters(module);
        let pair = if results.contains_key("True") && sorts.contains("Bool") && !results.contains_key("true")
        {
            ["True", "False"]
        } else {
            ["true", "false"]
        };
        let truth = pair.map(Arc::from);
        let (arities, lambdas, owner) = (functions::arities(module), RefCell::default(), "".into());
        let (rules, axioms) = (HashMap::new(), axioms::declared(module));
        let mut program =
            Self { results, arities, axioms, lambdas, owner, sorts, parameters, rules, truth, input: None };
        let mut variables: HashSet<&str> = HashSet::new();
        for section in &module.sections {
            match section {
                Section::Variables(clauses) => {
                    for clause in clauses.iter().filter(|clause| clause.sort.is_some()) {
                        variables.extend(clause.names.iter().map(|n| module.names.get(n.name)));
                    }
                }
                Section::Equations(equations) => {
                    equations.iter().for_each(|equation| program.equation(module, equation, &variables));
                }
                Section::Input(input) => {
                    program.owner = "".into();
                    program.input = Some(program.tree(module, &input.term, &HashSet::new()));
                }
                // Generated programs have no strategies.
                Section::Sorts(_)
                | Section::Constructors(_)
                | Section::Maps(_)
                | Section::Import(_)
                | Section::Strategy(_) => {}
            }
        }
        program.fields(module);
        program.owner = "".into();
        program
    }

    /// The rules of projections and recognisers, before all others.
    fn fields(&mut self, module: &Module) {
        let text = |ident: &ast::Ident| -> Arc<str> { module.names.get(ident.name).into() };
        let clauses = module.sections.iter().filter_map(|section| match section {
            Section::Sorts(clauses) => Some(clauses),
            _ => None,
        });
        let mut arities: HashMap<Arc<str>, (Arc<str>, usize)> = HashMap::new();
        for symbol in clauses.clone().flatten().flat_map(|c| c.symbols().iter().map(move |s| (c, s))) {
            arities.insert(text(&symbol.1.name), (text(&symbol.0.names[0]), symbol.1.args.len()));
        }
        let defined: HashSet<Arc<str>> = self.rules.keys().cloned().collect();
        let built = |name: &Arc<str>, arity: usize| {
            Tree::App(name.clone(), (0..arity).map(|i| Tree::Var(i.to_string().into())).collect())
        };
        for (clause, symbol) in clauses.flatten().flat_map(|c| c.symbols().iter().map(move |s| (c, s))) {
            let (name, sort) = (text(&symbol.name), text(&clause.names[0]));
            let mut add = |function: Arc<str>, pattern, right| {
                let (left, values) = (vec![pattern], Vec::new());
                let rule = Rule { left, condition: None, values, right, otherwise: false };
                let rules = self.rules.entry(function).or_default();
                rules.insert(0, rule);
            };
            for (i, arg) in symbol.args.iter().enumerate() {
                if let Some(projection) = &arg.projection {
                    add(text(projection), built(&name, symbol.args.len()), Tree::Var(i.to_string().into()));
                }
            }
            let Some(recogniser) = &symbol.recogniser else { continue };
            for (other, (of, arity)) in &arities {
                if *of == sort && !defined.contains(other) {
                    let value = self.truth[usize::from(*other != name)].clone();
                    add(text(recogniser), built(other, *arity), Tree::App(value, Vec::new()));
                }
            }
        }
    }

    fn equation(&mut self, module: &Module, equation: &ast::Equation, variables: &HashSet<&str>) {
        if let NodeKind::Name(name) | NodeKind::Call(name, _) | NodeKind::Power(name, _) =
            equation.left.root().kind
        {
            self.owner = module.names.get(name).into();
        }
        let condition = equation.condition.as_ref().map(|c| self.tree(module, c, variables));
        let mut inner = variables.clone();
        inner.extend(equation.values.iter().map(|binding| module.names.get(binding.name.name)));
        let right = self.tree(module, &equation.right, &inner);
        let value = |binding: &ast::Binding| {
            (module.names.get(binding.name.name).into(), self.tree(module, &binding.value, variables))
        };
        let values = equation.values.iter().map(value).collect();
        if let Tree::App(name, left) = self.tree(module, &equation.left, variables) {
            let otherwise = equation.otherwise;
            let rule = Rule { left, condition, values, right, otherwise };
            self.rules.entry(name).or_default().push(rule);
        }
    }

    pub(super) fn tree(&self, module: &Module, term: &ast::Term, variables: &HashSet<&str>) -> Tree {
        let mut stack: Vec<Tree> = Vec::new();
        let mut open: Vec<Vec<Arc<str>>> = Vec::new();
        for (at, node) in term.nodes.iter().enumerate() {
            let is_root = at + 1 == term.nodes.len();
            let is_variable = |open: &[Vec<Arc<str>>], n| {
                let text = module.names.get(n);
                open.iter().flatten().any(|known| **known == *text) || variables.contains(text)
            };
            let args = stack.split_off(stack.len() - node.kind.arity());
            let only = |mut args: Vec<Tree>| Box::new(args.pop().expect("an operand"));
            let name = |name| -> Arc<str> { module.names.get(name).into() };
            stack.push(match node.kind {
                NodeKind::Name(n) if is_variable(&open, n) => Tree::Var(name(n)),
                NodeKind::Call(n, 1..) if is_variable(&open, n) && !self.results.contains_key(&name(n)) => {
                    Tree::Apply(Box::new(Tree::Var(name(n))), args)
                }
                NodeKind::Name(n) if !is_root && let Some(&arity) = self.arities.get(&name(n)) => {
                    self.symbol_as_value(&name(n), arity)
                }
                NodeKind::Apply(_) => {
                    let mut args = args;
                    Tree::Apply(Box::new(args.remove(0)), args)
                }
                NodeKind::Parameters(at) => {
                    let parameters = term.lambdas[at as usize].iter();
                    open.push(parameters.map(|parameter| name(parameter.name.name)).collect());
                    Tree::Wild
                }
                NodeKind::Lambda => {
                    let parameters = open.pop().expect("parameters before the term");
                    self.lambda(parameters, *only(args))
                }
                NodeKind::Name(n) | NodeKind::Call(n, _) => self.application(name(n), args),
                NodeKind::Power(n, count) => Tree::Power(name(n), count, only(args)),
                NodeKind::Int(n) => Tree::Int(n),
                // Programs with such integers are no programs of the reference: it knows none of the name.
                NodeKind::Large { digits, .. } => Tree::Op(name(digits), args),
                NodeKind::Float(x) => Tree::Float(x),
                NodeKind::Character(c) => texts::character(c),
                NodeKind::Text(text, _) => texts::text(module.names.get(text)),
                NodeKind::Prefix(op) | NodeKind::Infix(op) => Tree::Op(operator_text(op).into(), args),
                NodeKind::Match => Tree::Op(MATCHES.into(), args),
                NodeKind::List(_) => {
                    let empty = Tree::App(EMPTY.into(), Vec::new());
                    args.into_iter().rev().fold(empty, |rest, x| Tree::App(CONS.into(), vec![x, rest]))
                }
                NodeKind::ListOp(ListOp::Cons) => Tree::App(CONS.into(), args),
                NodeKind::ListOp(op) => Tree::OfList(op.text().into(), args),
            });
        }
        stack.pop().expect("a term has a root")
    }

    fn application(&self, name: Arc<str>, args: Vec<Tree>) -> Tree {
        if self.results.contains_key(&name) {
            return Tree::App(name, args);
        }
        match &*name {
            "_" if args.is_empty() => Tree::Wild,
            "head" | "tail" | "rhead" | "rtail" => Tree::OfList(name, args),
            "if" => Tree::If(Box::new(args.try_into().expect("`if` has three arguments"))),
            "true" | "True" => Tree::App(self.truth[0].clone(), args),
            "false" | "False" => Tree::App(self.truth[1].clone(), args),
            _ => Tree::Op(name, args),
        }
    }
}

/// The names that stand for any sort.
fn parameters(module: &Module) -> HashSet<String> {
    let found = module.sections.iter().flat_map(|section| match section {
        Section::Sorts(clauses) => clauses.iter().flat_map(|clause| &clause.parameters).collect(),
        Section::Variables(clauses) => {
            clauses.iter().filter(|clause| clause.sort.is_none()).flat_map(|clause| &clause.names).collect()
        }
        _ => Vec::new(),
    });
    found.map(|ident| module.names.get(ident.name).to_string()).collect()
}

fn declared(module: &Module) -> (HashMap<Arc<str>, String>, HashSet<String>) {
    let (mut results, mut sorts, mut aliases) = (HashMap::new(), HashSet::new(), Vec::new());
    let text = |ident: &ast::Ident| module.names.get(ident.name);
    for section in &module.sections {
        match section {
            Section::Sorts(clauses) => {
                for clause in clauses {
                    sorts.extend(clause.names.iter().map(|n| text(n).to_string()));
                    if let SortBody::Alias(of) = &clause.body {
                        aliases.push((text(&clause.names[0]), of.name.as_ref().map_or("->", text)));
                    }
                    for symbol in clause.symbols() {
                        results.insert(text(&symbol.name).into(), text(&clause.names[0]).to_string());
                        let fields = symbol
                            .args
                            .iter()
                            .filter_map(|arg| Some((arg.projection?, arg.sort.name.as_ref())));
                        results.extend(
                            fields.map(|(p, sort)| (text(&p).into(), sort.map_or("->", text).to_string())),
                        );
                        let recogniser = symbol.recogniser.iter();
                        results.extend(recogniser.map(|r| (text(r).into(), "Bool".to_string())));
                    }
                }
            }
            Section::Constructors(clauses) | Section::Maps(clauses) => {
                for clause in clauses {
                    let result = clause.result.name.as_ref().map_or("->", text);
                    results.extend(clause.names.iter().map(|n| (text(n).into(), result.to_string())));
                }
            }
            Section::Variables(_)
            | Section::Equations(_)
            | Section::Input(_)
            | Section::Import(_)
            | Section::Strategy(_) => {}
        }
    }
    // Names of one sort are one name here: generated programs have no others of others.
    for result in results.values_mut() {
        if let Some((_, of)) = aliases.iter().find(|(name, _)| name == result) {
            *result = of.to_string();
        }
    }
    (results, sorts)
}
