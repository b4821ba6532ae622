//! Templates: generic kernels with named holes, written in the text form of the kernel IR (`templates/*.cu`).
//!
//! [`instantiate`] fills the holes with functions and records of a module and adds the template's own functions to it.
//! Each template has its contract in its comments: what holds before (`pre:`) and after (`post:`) a call, and what
//! threads share between barriers (`shares:`).

mod contract;
mod fill;
#[cfg(test)]
mod tests;

pub use contract::{
    Contract, FieldId, HostArgument, HostValue, KernelArguments, KernelLayout, NameOfType, RecordArgument,
    RecordLayout, RecordValues, Resolver,
};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::source::SourceMap;

use crate::ir::{FunctionId, Literal, Module, RecordId, Scalar};
use crate::text::{Aliases, parse_with};

/// A template.
#[derive(Debug)]
pub struct Template {
    /// Name.
    pub name: &'static str,
    /// Its text: a file, or the files that it is divided into, in order.
    pub text: &'static str,
    /// Templates without holes that stand before it: its holes of their functions' names are filled by these.
    pub includes: &'static [&'static Template],
}

/// What fills the holes of a template.
#[derive(Clone, Debug, Default)]
pub struct Holes<'a> {
    /// Put before the names of the template's functions and constants, with an underscore; empty for none. It tells
    /// instances apart.
    pub prefix: &'a str,
    /// Open types `using T = HOLE;`.
    pub types: &'a [(&'a str, Scalar)],
    /// Constants `constexpr T N = HOLE;`. One that is not given has the value of the module's constant of that name, if
    /// there is one.
    pub constants: &'a [(&'a str, Literal)],
    /// Records `struct Params;`.
    pub records: &'a [(&'a str, RecordId)],
    /// Functions without a body.
    pub functions: &'a [(&'a str, FunctionId)],
    /// Whether the template's kernels are wanted, besides its device functions.
    pub kernels: bool,
    /// Whether functions without a body that nothing is given for stay open.
    pub open: bool,
}

/// The functions of an instantiated template, by their names in the template's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    functions: BTreeMap<String, FunctionId>,
}

impl Instance {
    /// The function of that name in the template; `None` when there is none, or it is a kernel that was not wanted.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        self.functions.get(name).copied()
    }
    /// All functions with their names in the template.
    pub fn functions(&self) -> impl Iterator<Item = (&str, FunctionId)> {
        self.functions.iter().map(|(name, &id)| (name.as_str(), id))
    }
}

/// Adds an instance of a template to `module`, which has what fills its holes. `module` is left as it was when that
/// fails.
pub fn instantiate(
    module: &mut Module,
    template: &Template,
    holes: &Holes,
) -> Result<Instance, Vec<Diagnostic>> {
    let mut extended = module.clone();
    let instance = fill::fill(&mut extended, template, holes)?;
    let found = crate::verify::verify(&extended);
    if !found.is_empty() {
        return Err(found);
    }
    *module = extended;
    Ok(instance)
}

/// Adds a scheduler's template to a module, its functions without a body still open: generated code, which calls the
/// template's own functions, takes their place ([`build::fill_hole`](crate::build::fill_hole)).
pub fn open_in(
    module: &mut Module,
    template: &Template,
    constants: &[(&str, Literal)],
) -> Result<(), Vec<Diagnostic>> {
    instantiate(module, template, &Holes { constants, kernels: true, open: true, ..Holes::default() })
        .map(|_| ())
}

/// The module of a template for some types of its open names; parsed once for each choice.
pub fn parsed(template: &Template, types: &[(&str, Scalar)]) -> Result<Arc<Module>, Vec<Diagnostic>> {
    type Key = (&'static str, Vec<(String, Scalar)>);
    static CACHE: Mutex<BTreeMap<Key, Arc<Module>>> = Mutex::new(BTreeMap::new());
    let mut key: Vec<_> = types.iter().map(|&(name, ty)| (name.to_string(), ty)).collect();
    key.sort();
    let key = (template.text, key);
    // The cache holds whole modules only, whatever a panicking thread was about.
    let lock = || CACHE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(module) = lock().get(&key) {
        return Ok(Arc::clone(module));
    }
    let mut sources = SourceMap::new();
    let source = sources.add(format!("templates/{}.cu", template.name), template.text);
    let aliases: Aliases = types.iter().map(|&(name, ty)| (name.to_string(), ty)).collect::<HashMap<_, _>>();
    let module = Arc::new(parse_with(&sources, source, &aliases)?);
    lock().insert(key, Arc::clone(&module));
    Ok(module)
}
