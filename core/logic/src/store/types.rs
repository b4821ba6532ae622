//! Types of columns, as a program defines them.

use gchr_base::hash::HashMap;
use gchr_base::logic::{LogicNode, LogicProgram, LogicTermId, TypeBody};

/// A type: its name and its parameters; a number is a variable of the definition.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Named(String, Vec<Type>),
    Variable(u32),
}

impl Type {
    /// Whether it is the type of all values.
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Named(name, args) if name == "any" && args.is_empty())
    }
}

/// What a type is.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// One of these terms.
    Alternatives(Vec<Alternative>),
    Alias(Type),
}

/// An alternative: a functor with the types of its arguments, or a value.
#[derive(Clone, Debug)]
pub(crate) enum Alternative {
    Term(String, Vec<Type>),
    Int(i64),
    Float(f64),
}

/// Types that a program defines, by name and number of parameters, with the variables that the parameters are.
#[derive(Clone, Default, Debug)]
pub(crate) struct Types(pub HashMap<(String, usize), (Vec<u32>, Body)>);

/// A type as a term.
pub(crate) fn read(program: &LogicProgram, id: LogicTermId) -> Type {
    match program.terms.node(id) {
        LogicNode::Var(v) => Type::Variable(v.0),
        _ => match program.terms.functor(id) {
            Some((name, args)) => {
                Type::Named(name.to_string(), args.iter().map(|&arg| read(program, arg)).collect())
            }
            None => Type::Named("any".into(), Vec::new()),
        },
    }
}

impl Types {
    pub fn of(program: &LogicProgram) -> Self {
        let mut types = Self::default();
        for definition in &program.types {
            let Some((name, params)) = program.terms.functor(definition.head) else { continue };
            let params: Vec<u32> = params
                .iter()
                .map(|&p| match program.terms.node(p) {
                    LogicNode::Var(v) => v.0,
                    _ => u32::MAX,
                })
                .collect();
            let body = match &definition.body {
                TypeBody::Alias(id) => Body::Alias(read(program, *id)),
                TypeBody::Alternatives(ids) => Body::Alternatives(
                    ids.iter()
                        .filter_map(|&id| {
                            Some(match program.terms.node(id) {
                                LogicNode::Int(n) => Alternative::Int(*n),
                                LogicNode::Float(x) => Alternative::Float(*x),
                                _ => {
                                    let (name, args) = program.terms.functor(id)?;
                                    let args = args.iter().map(|&arg| read(program, arg)).collect();
                                    Alternative::Term(name.to_string(), args)
                                }
                            })
                        })
                        .collect(),
                ),
            };
            types.0.insert((name.to_string(), params.len()), (params, body));
        }
        types
    }
}

/// A type with the values of its variables put in.
pub(crate) fn instance(ty: &Type, params: &[u32], args: &[Type]) -> Type {
    match ty {
        Type::Variable(v) => match params.iter().position(|p| p == v) {
            Some(at) => args[at].clone(),
            None => Type::Named("any".into(), Vec::new()),
        },
        Type::Named(name, inner) => {
            Type::Named(name.clone(), inner.iter().map(|t| instance(t, params, args)).collect())
        }
    }
}
