//! Functions as values: what they take, what they give, and the values of the variables that they use.

use super::*;

/// A function that is a value.
#[derive(Debug)]
pub(super) struct Lambda {
    parameters: Vec<Arc<str>>,
    /// The variables of its rule that it uses, in the order of the text.
    captured: Vec<Arc<str>>,
    body: Tree,
}

/// What a key has behind the name that results show.
const KEY: char = '\u{0}';

/// The name of a function value, or of any other symbol, in results.
pub(super) fn shown(name: &str) -> &str {
    name.split(KEY).next().unwrap_or(name)
}

/// Numbers of arguments of the symbols that have some.
pub(super) fn arities(module: &Module) -> HashMap<Arc<str>, usize> {
    let mut found: HashMap<Arc<str>, usize> = HashMap::new();
    let mut add = |ident: &ast::Ident, arity: usize| {
        if arity > 0 {
            found.insert(module.names.get(ident.name).into(), arity);
        }
    };
    for section in &module.sections {
        match section {
            Section::Sorts(clauses) => {
                for symbol in clauses.iter().flat_map(|clause| clause.symbols()) {
                    add(&symbol.name, symbol.args.len());
                    let fields = symbol.args.iter().filter_map(|arg| arg.projection.as_ref());
                    fields.chain(symbol.recogniser.as_ref()).for_each(|field| add(field, 1));
                }
            }
            Section::Constructors(clauses) | Section::Maps(clauses) => {
                clauses.iter().for_each(|c| c.names.iter().for_each(|name| add(name, c.args.len())));
            }
            _ => {}
        }
    }
    found
}

/// The variables of a tree that are none of these, in the order of the text.
fn free(tree: &Tree, bound: &[Arc<str>], found: &mut Vec<Arc<str>>) {
    let args = match tree {
        Tree::Var(name) if !bound.contains(name) && !found.contains(name) => return found.push(name.clone()),
        Tree::Var(_) | Tree::Wild | Tree::Int(_) | Tree::Float(_) => return,
        Tree::App(_, args) | Tree::Op(_, args) | Tree::OfList(_, args) | Tree::Function(_, args) => args,
        Tree::Power(_, _, arg) => return free(arg, bound, found),
        Tree::If(args) => &args[..],
        Tree::Apply(function, args) => {
            free(function, bound, found);
            args
        }
    };
    args.iter().for_each(|tree| free(tree, bound, found));
}

impl Program {
    /// A function without a name.
    pub(super) fn lambda(&self, parameters: Vec<Arc<str>>, body: Tree) -> Tree {
        let mut captured = Vec::new();
        free(&body, &parameters, &mut captured);
        let mut lambdas = self.lambdas.borrow_mut();
        let key: Arc<str> = format!("{}.lambda{KEY}{}", self.owner, lambdas.len()).into();
        let values = captured.iter().map(|name| Tree::Var(name.clone())).collect();
        lambdas.insert(key.clone(), Arc::new(Lambda { parameters, captured, body }));
        Tree::Function(key, values)
    }

    /// A symbol with arguments that stands for its function.
    pub(super) fn symbol_as_value(&self, name: &Arc<str>, arity: usize) -> Tree {
        let key: Arc<str> = format!("{name}{KEY}").into();
        let parameters: Vec<Arc<str>> = (0..arity).map(|at| at.to_string().into()).collect();
        let body = Tree::App(name.clone(), parameters.iter().map(|name| Tree::Var(name.clone())).collect());
        let lambda = Lambda { parameters, captured: Vec::new(), body };
        self.lambdas.borrow_mut().entry(key.clone()).or_insert_with(|| Arc::new(lambda));
        Tree::Function(key, Vec::new())
    }
}

impl Run<'_> {
    /// The normal form of a function value applied to normal forms.
    pub(super) fn apply_value(&mut self, function: &Term, args: Vec<Term>) -> Result<Term, Stop> {
        self.step()?;
        let Term::App(key, captured) = function else { return Err(Stop::Unknown("no function")) };
        let lambda = self.program.lambdas.borrow().get(key).cloned();
        let lambda = lambda.ok_or(Stop::Unknown("a function without a value"))?;
        let parameters = lambda.parameters.iter().cloned().zip(args);
        let env = parameters.chain(lambda.captured.iter().cloned().zip(captured.iter().cloned())).collect();
        self.rules += 1;
        let value = self.eval(&lambda.body, &env)?;
        self.rules -= 1;
        Ok(value)
    }
}
