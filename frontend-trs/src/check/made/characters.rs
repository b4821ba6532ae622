//! Conversions between characters and their codes, with their rules.

use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Rule, Var, VarId};
use gchr_base::signature::SymbolId;
use gchr_base::source::Span;

use super::maker::{Maker, Part, rule_of};
use crate::check::builtin::Named;
use crate::check::builtin::characters::{Built, CharFunction};
use crate::check::scope::Scope;

/// Codes of characters: what is between them is none.
const CODES: [(i64, i64); 2] = [(0, 0xd7ff), (0xe000, char::MAX as i64)];

impl Scope<'_> {
    /// The sort of characters; `None` where a finished program has none, and for the reasons above.
    pub fn characters(&mut self) -> Option<Built> {
        if self.made.is_final {
            return self.characters.known();
        }
        let signature = self.signature.to_mut();
        self.characters.to_mut().built(&mut signature.sorts, &mut signature.symbols)
    }

    /// A function with its rules; `None` where a finished program has none.
    pub fn char_function(&mut self, function: CharFunction, span: Span) -> Option<SymbolId> {
        let built = self.characters()?;
        if let Some(known) = self.characters.known_function(function) {
            return Some(known);
        }
        let (arg, result) = match function {
            CharFunction::Code => (built.sort, built.code),
            CharFunction::Char => (built.code, built.sort),
        };
        let owner = self.made.owner.take();
        let id = self.make(function.name().to_string(), vec![arg], result)?;
        self.made.owner = owner;
        self.characters.to_mut().add(function, id);
        let maker = Maker { scope: self, span };
        let rules = maker.conversion(function, id, built);
        self.made.rules.extend(rules);
        Some(id)
    }
}

impl Maker<'_, '_> {
    /// The rules of a conversion: a number that is no code has none.
    fn conversion(&self, function: CharFunction, id: SymbolId, built: Built) -> Vec<Rule> {
        let mut vars: IdVec<VarId, Var> = IdVec::new();
        let code = self.var(&mut vars, "N", built.code);
        let character = self.app(built.symbol, vec![code.clone()]);
        let rule = |from: &Part, to: &Part| {
            rule_of(id, vars.clone(), vec![from.pattern.clone()], to.value.clone(), self.span)
        };
        match function {
            CharFunction::Code => vec![rule(&character, &code)],
            CharFunction::Char => CODES
                .map(|(least, most)| {
                    let bound = |op, value| self.operation(op, [code.clone(), self.int(value, built.code)]);
                    let rule = self.test(rule(&code, &character), bound(Op::Ge, least));
                    self.test(rule, bound(Op::Le, most))
                })
                .to_vec(),
        }
    }
}
