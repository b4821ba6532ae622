//! The program that the rules of modules go to.

use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::rule::{self, HeadAtom};
use gchr_base::signature::{self as ir, HIDDEN_BOOL, SortId, SortKind, SymbolId, SymbolKind};
use gchr_base::source::Span;

/// What a program of another language has already, whose rules are read.
#[derive(Clone, Default)]
pub(crate) struct Host {
    /// Sorts by name.
    pub sorts: HashMap<Arc<str>, SortId>,
    /// Symbols by name.
    pub symbols: HashMap<Arc<str>, SymbolId>,
    /// Whether rules are tried in their order: none may come before others because it is cheaper.
    pub in_order: bool,
    /// Whether normal forms have its symbols alone: no argument has a count.
    pub is_plain: bool,
}

/// What is made of all modules of a program.
#[derive(Clone)]
pub(crate) struct Output {
    pub signature: ir::Signature,
    pub rules: Vec<rule::Rule>,
    pub diagnostics: Vec<Diagnostic>,
    pub int: SortId,
    /// Once a module has floats.
    float: Option<SortId>,
    pub host: Host,
    /// Whether the rules are final: further terms use what there is.
    pub(super) frozen: bool,
    /// What a term needs and a final program does not have.
    pub(super) missing: Option<Span>,
}

impl Output {
    pub fn new() -> Self {
        let mut signature = ir::Signature { big_integers: true, ..ir::Signature::with_builtin_bool() };
        signature.sorts[signature.booleans.sort].name = HIDDEN_BOOL.into();
        let int = signature.sorts.push(ir::Sort { name: "Int".into(), kind: SortKind::Int, span: None });
        let (rules, diagnostics, host) = (Vec::new(), Vec::new(), Host::default());
        Self { signature, rules, diagnostics, int, float: None, host, frozen: false, missing: None }
    }

    /// The sort of floats.
    pub(super) fn float(&mut self) -> SortId {
        *self.float.get_or_insert_with(|| {
            self.signature.sorts.push(ir::Sort { name: "Float".into(), kind: SortKind::Float, span: None })
        })
    }

    /// The program so far.
    pub fn program(&self) -> rule::Program {
        let mut signature = self.signature.clone();
        for rule in &self.rules {
            if let Some(HeadAtom::Term { symbol, .. }) = rule.heads.first().map(|head| &head.atom) {
                signature.symbols[*symbol].kind = SymbolKind::Defined;
            }
        }
        let rules = self.rules.iter().cloned().collect();
        rule::Program { signature, rules, start: rule::Start::Term(None), semantics: None }
    }

    /// From here on, terms use what there is.
    pub fn freeze(&mut self) {
        self.rules = Vec::new();
        self.frozen = true;
    }

    pub fn take_missing(&mut self) -> Option<Span> {
        self.missing.take()
    }
}
