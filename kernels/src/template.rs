//! Templates: generic kernels with named holes, written in the text form of the kernel IR (`templates/*.cu`).
//!
//! [`instantiate`] fills the holes with functions and records of a module and adds the template's own functions to it. Each template
//! has its contract in its comments: what holds before (`pre:`) and after (`post:`) a call, and what threads share between barriers
//! (`shares:`).

mod fill;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use gchr_core::diagnostic::Diagnostic;
use gchr_core::hash::HashMap;
use gchr_core::source::SourceMap;

use crate::ir::{FunctionId, Literal, Module, RecordId, Scalar};
use crate::text::{Aliases, parse_with};

/// A template.
#[derive(Debug)]
pub struct Template {
    /// Name.
    pub name: &'static str,
    /// What it computes, in one line.
    pub about: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Holes that are filled by other templates.
    uses: &'static [Use],
    /// Templates without holes that stand before it: its holes of their functions' names are filled by these.
    includes: &'static [&'static str],
}

/// A template inside another one.
#[derive(Debug)]
struct Use {
    /// The hole.
    hole: &'static str,
    /// The template that fills it.
    template: &'static str,
    /// The template's function that fills it.
    export: &'static str,
    /// Its open types.
    types: &'static [(&'static str, Scalar)],
    /// Its holes, and the functions of the outer template that fill them.
    functions: &'static [(&'static str, &'static str)],
}

/// The text of a template: its file, or the files that it is divided into, in order.
macro_rules! text {
    ($($name:literal),+) => {
        concat!($(include_str!(concat!("../templates/", $name, ".cu")), "\n"),+)
    };
}

/// All templates.
pub static TEMPLATES: [Template; 20] = [
    Template {
        name: "map",
        about: "one function applied to every index",
        text: text!("map"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "reduce",
        about: "the combination of one value per index",
        text: text!("reduce"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "scan",
        about: "exclusive scan in one pass: the sum of the values of all lower indices",
        text: text!("scan"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "compact",
        about: "stable stream compaction: what is kept moves to the front, in order",
        text: text!("compact"),
        uses: &[Use {
            hole: "scan_all",
            template: "scan",
            export: "scan_all",
            types: &[("T", Scalar::U32)],
            functions: &[("value", "kept"), ("accept", "settle")],
        }],
        includes: &[],
    },
    Template {
        name: "collect",
        about: "queue collection: indices of dead slots onto a stack",
        text: text!("collect"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "grid_barrier",
        about: "all threads of a cooperative launch wait for each other",
        text: text!("grid_barrier"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "arithmetic",
        about: "operators on numbers that report errors",
        text: text!("arithmetic"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "checked",
        about: "whether operations on numbers have values",
        text: text!("checked"),
        uses: &[],
        includes: &["arithmetic"],
    },
    Template {
        name: "power",
        about: "powers of floats, with the bits of the CPU's",
        text: text!("power"),
        uses: &[],
        includes: &["arithmetic", "checked"],
    },
    Template {
        name: "claims",
        about: "which of many candidates may use the rows that they want",
        text: text!("claims"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "hash",
        about: "hashing of keys of 64-bit words",
        text: text!("hash"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "cells",
        about: "cells given back by counts of references",
        text: text!("cells"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "trace",
        about: "cells found by tracing and shifted, in order, to the front",
        text: text!("trace"),
        uses: &[],
        includes: &["grid_barrier", "offsets"],
    },
    Template {
        name: "offsets",
        about: "exclusive scan of a buffer of counts by all blocks of a cooperative launch",
        text: text!("offsets"),
        uses: &[],
        includes: &["grid_barrier"],
    },
    Template {
        name: "intern",
        about: "cells of so many fields, each distinct one once",
        text: text!("intern"),
        uses: &[],
        includes: &["hash"],
    },
    Template {
        name: "terms",
        about: "tagged words and their cells: comparisons, and the collection of cells that nothing reaches",
        text: text!("terms"),
        uses: &[],
        includes: &["hash", "checked", "grid_barrier", "offsets"],
    },
    Template {
        name: "growth",
        about: "rounds of rules that only add: a bit a key, one grid barrier a round",
        text: text!("growth"),
        uses: &[],
        includes: &["grid_barrier"],
    },
    Template {
        name: "best",
        about: "the best row of a table of which one constraint stays",
        text: text!("best"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "range",
        about: "least and greatest value of a column",
        text: text!("range"),
        uses: &[],
        includes: &[],
    },
    Template {
        name: "product",
        about: "rounds that are products of matrices over (min, +), in tiles",
        text: text!("product"),
        uses: &[],
        includes: &["grid_barrier"],
    },
];

/// Templates of schedulers: what surrounds generated code that itself calls their functions. [`open`] leaves their holes to the
/// generator.
pub static SCHEDULERS: [Template; 3] = [
    Template {
        name: "topology",
        about: "topology-driven term rewriting: one thread a term slot",
        text: text!("topology"),
        uses: &[],
        includes: &["grid_barrier", "arithmetic"],
    },
    Template {
        name: "rounds",
        about: "constraints in deterministic rounds: claims decide which candidates fire",
        text: text!("rounds", "rounds_lists", "rounds_steps"),
        uses: &[],
        includes: &["grid_barrier", "arithmetic", "checked", "claims", "hash", "offsets"],
    },
    Template {
        name: "tasks",
        about: "depth-first evaluation of calls with lazy task creation",
        text: text!("tasks"),
        uses: &[],
        includes: &["arithmetic", "cells"],
    },
];

/// What fills the holes of a template.
#[derive(Clone, Debug, Default)]
pub struct Holes<'a> {
    /// Put before the names of the template's functions and constants, with an underscore; empty for none. It tells instances apart.
    pub prefix: &'a str,
    /// Open types `using T = HOLE;`.
    pub types: &'a [(&'a str, Scalar)],
    /// Constants `constexpr T N = HOLE;`.
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

/// The template of that name.
pub fn template(name: &str) -> Result<&'static Template, Vec<Diagnostic>> {
    let all = || TEMPLATES.iter().chain(&SCHEDULERS);
    all().find(|t| t.name == name).ok_or_else(|| {
        let known: Vec<_> = all().map(|t| t.name).collect();
        vec![
            Diagnostic::error("K0201", format!("there is no kernel template `{name}`"))
                .help(format!("the templates are {}", known.join(", "))),
        ]
    })
}

/// Adds an instance of a template to `module`, which has what fills its holes. `module` is left as it was when that fails.
pub fn instantiate(module: &mut Module, name: &str, holes: &Holes) -> Result<Instance, Vec<Diagnostic>> {
    let mut extended = module.clone();
    let instance = fill::fill(&mut extended, template(name)?, holes)?;
    let found = crate::verify::verify(&extended);
    if !found.is_empty() {
        return Err(found);
    }
    *module = extended;
    Ok(instance)
}

/// The module of a scheduler's template, its functions without a body still open: generated code, which calls the template's own
/// functions, takes their place ([`build::fill_hole`](crate::build::fill_hole)).
pub fn open(name: &str, constants: &[(&str, Literal)]) -> Result<Module, Vec<Diagnostic>> {
    let mut module = Module::default();
    open_in(&mut module, name, constants)?;
    Ok(module)
}

/// As [`open`], behind what a module has already.
pub fn open_in(
    module: &mut Module,
    name: &str,
    constants: &[(&str, Literal)],
) -> Result<(), Vec<Diagnostic>> {
    instantiate(module, name, &Holes { constants, kernels: true, open: true, ..Holes::default() }).map(|_| ())
}

/// The module of a template for some types of its open names; parsed once for each choice.
pub(crate) fn parsed(template: &Template, types: &[(&str, Scalar)]) -> Result<Arc<Module>, Vec<Diagnostic>> {
    type Key = (&'static str, Vec<(String, Scalar)>);
    static CACHE: Mutex<BTreeMap<Key, Arc<Module>>> = Mutex::new(BTreeMap::new());
    let mut key: Vec<_> = types.iter().map(|&(name, ty)| (name.to_string(), ty)).collect();
    key.sort();
    let key = (template.name, key);
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
