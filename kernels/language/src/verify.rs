//! Checks the invariants of the kernel IR; runs after every pass and before every printing, simulation and launch.
//!
//! The rules, with their codes:
//! - `K0101` every expression and statement is well-typed;
//! - `K0102` variables are declared once, used where they are in scope, and written only where they may be;
//! - `K0103` functions call only earlier functions that are not kernels, with fitting arguments;
//! - `K0104` atomics, votes and shuffles work on types and in orders that they have;
//! - `K0105` control flow is structured: no unreachable statement, no missing return, jumps inside their loops,
//!   distinct cases;
//! - `K0106` names are identifiers that the language leaves free, each used once;
//! - `K0107` holes are filled ([`verify_closed`]);
//! - `K0108` `everywhere` bodies use only what is the same in all lanes, and do not leave;
//! - `K0109` records, constants, arrays and parameters are well-formed;
//! - `K0111` `simulated` blocks compute and read, and do not leave;
//! - `K0110` nothing is nested more deeply than recursion over it can bear.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;

use crate::ir::*;
use crate::names;
pub(crate) use finding::Finding;
pub(crate) use finding::is_comment_line;

mod code;
mod expr;
mod finding;
#[cfg(test)]
mod tests;

/// Checks `module`, holes of templates allowed; one diagnostic a broken invariant.
pub fn verify(module: &Module) -> Vec<Diagnostic> {
    findings(module).into_iter().map(Finding::diagnostic).collect()
}

/// Checks `module` as [`verify`] does, and that all holes are filled: what can be simulated and compiled.
pub fn verify_closed(module: &Module) -> Vec<Diagnostic> {
    let mut diagnostics = verify(module);
    let records = module.records.iter().filter(|r| r.is_hole()).map(|r| ("record", &r.name));
    let constants = module.constants.iter().filter(|c| c.value == ConstantValue::Hole);
    let constants = constants.map(|c| ("constant", &c.name));
    let functions = module.functions.iter().filter(|f| f.is_hole()).map(|f| ("function", &f.name));
    diagnostics.extend(records.chain(constants).chain(functions).map(|(what, name)| {
        Diagnostic::error("K0107", format!("the {what} `{name}` is a hole of a template that is still open"))
            .help("fill it when the template is instantiated")
    }));
    diagnostics
}

pub(crate) fn findings(module: &Module) -> Vec<Finding> {
    let mut check = ModuleCheck { module, findings: Vec::new() };
    check.names();
    check.records();
    check.constants();
    for id in module.functions.ids() {
        check.function(id);
    }
    // Deep code must not be walked without a limit.
    if !check.findings.iter().any(|f| f.code == "K0110") {
        check.simulated();
    }
    check.findings
}

struct ModuleCheck<'a> {
    module: &'a Module,
    findings: Vec<Finding>,
}

impl<'a> ModuleCheck<'a> {
    fn fail(&mut self, code: &'static str, function: Option<FunctionId>, message: impl Into<String>) {
        let place = function.map(|f| format!("in function `{}`", self.module.functions[f].name));
        self.findings.push(Finding { code, message: message.into(), function, statement: None, place });
    }

    /// What `simulated` blocks call only computes and reads.
    fn simulated(&mut self) {
        let reads = simulated::only_read(self.module);
        for (id, function) in self.module.functions.iter_enumerated() {
            flow::each_statement(&function.body, &mut |stmt| {
                if let StmtKind::Simulated(body) = &stmt.kind
                    && !simulated::reads_only(body, &reads)
                {
                    self.fail("K0111", Some(id), "a `simulated` block does more than compute and read");
                }
            });
        }
    }

    fn names(&mut self) {
        let module = self.module;
        let mut seen: HashSet<&str> = HashSet::default();
        let records = module.records.iter().map(|r| (&r.name, None));
        let constants = module.constants.iter().map(|c| (&c.name, None));
        let functions = module.functions.iter_enumerated().map(|(id, f)| (&f.name, Some(id)));
        for (name, function) in records.chain(constants).chain(functions) {
            if !names::is_free_name(name) {
                self.fail("K0106", function, format!("`{name}` cannot be a name in the kernel language"));
            }
            if !seen.insert(name) {
                self.fail("K0106", function, format!("`{name}` names two things"));
            }
        }
        for (id, function) in module.functions.iter_enumerated() {
            let mut own: HashSet<&str> = HashSet::default();
            for var in &function.vars {
                let name = var.name.as_str();
                if !names::is_free_name(name) || seen.contains(name) || !own.insert(name) {
                    self.fail("K0106", Some(id), format!("the variable name `{name}` is not free"));
                }
            }
        }
    }

    fn records(&mut self) {
        for (id, record) in self.module.records.iter_enumerated() {
            let mut seen: HashSet<&str> = HashSet::default();
            for field in &record.fields {
                if !names::is_free_name(&field.name) || !seen.insert(&field.name) {
                    let text =
                        format!("the field name `{}` of record `{}` is not free", field.name, record.name);
                    self.fail("K0106", None, text);
                }
                let fits = match field.ty {
                    Type::Scalar(_) => true,
                    Type::Buffer(space, _) => space == Space::Global,
                    Type::Records(space, r) => space == Space::Global && r < id && self.is_plain(r),
                    Type::Void | Type::Record(_) => false,
                };
                if !fits {
                    let text = format!(
                        "field `{}` of record `{}` is neither a scalar nor a global buffer",
                        field.name, record.name
                    );
                    self.fail("K0109", None, text);
                }
            }
            if record.align.is_some_and(|a| !a.is_power_of_two() || a > 16 || record.is_hole()) {
                let text = format!("record `{}` has an alignment that is not 1, 2, 4, 8 or 16", record.name);
                self.fail("K0109", None, text);
            }
        }
    }

    /// Whether values of the record can be stored and computed with: it is known and without buffers.
    fn is_plain(&self, record: RecordId) -> bool {
        self.module.records.get(record).is_some_and(|r| !r.is_launch())
    }

    fn constants(&mut self) {
        for constant in &self.module.constants {
            if let ConstantValue::Given(value) = constant.value
                && !value.fits(constant.ty)
            {
                let text = format!("constant `{}` has a value that is not of its type", constant.name);
                self.fail("K0109", None, text);
            }
        }
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.module.functions[id];
        self.signature(id, function);
        let mut next = function.params.iter();
        let params_fit = function.vars.iter_enumerated().all(|(id, var)| match var.storage {
            Storage::Param => next.next() == Some(&id),
            _ => true,
        });
        if !params_fit || next.next().is_some() {
            return self.fail("K0109", Some(id), "the parameters are not the parameter variables in order");
        }
        if function.doc.iter().any(|line| !is_comment_line(line)) {
            self.fail("K0106", Some(id), "a line of its documentation cannot be printed as a comment");
        }
        if function.is_hole() {
            if !function.body.is_empty() || function.vars.len() != function.params.len() {
                self.fail("K0107", Some(id), "a hole has no body");
            }
            return;
        }
        let findings = code::check(self.module, id);
        self.findings.extend(findings);
    }

    fn signature(&mut self, id: FunctionId, function: &Function) {
        let is_kernel = function.is_kernel();
        let result_fits = match function.result {
            Type::Void => true,
            Type::Scalar(_) => !is_kernel,
            Type::Record(r) => !is_kernel && self.is_plain(r),
            Type::Buffer(..) | Type::Records(..) => false,
        };
        if !result_fits {
            self.fail("K0109", Some(id), "the result type is none that a function can have");
        }
        for var in function.params.iter().filter_map(|&p| function.vars.get(p)) {
            let space_fits = !is_kernel || var.ty.space().is_none_or(|s| s == Space::Global);
            let type_fits = match var.ty {
                Type::Void => false,
                Type::Scalar(_) | Type::Buffer(..) => true,
                Type::Record(r) => self.module.records.get(r).is_some(),
                Type::Records(_, r) => self.is_plain(r),
            };
            if !space_fits || !type_fits {
                self.fail(
                    "K0109",
                    Some(id),
                    format!("parameter `{}` has a type that it cannot have", var.name),
                );
            }
        }
        if let FunctionKind::Kernel { max_threads, min_blocks } = function.kind
            && (max_threads == 0 || max_threads > 1024 || max_threads % 32 != 0 || min_blocks > 32)
        {
            self.fail(
                "K0109",
                Some(id),
                "a block has 32 to 1024 threads, in whole warps, and 32 of them fit at most",
            );
        }
    }
}
