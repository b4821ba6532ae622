//! Functions of symbols before they have bodies.

use crate::plan::ir::*;
use gchr_base::ids::{Id, IdVec};
use gchr_base::rule::{HeadAtom, PatternKind, Program, RuleId};
use gchr_base::signature::SymbolId;

/// The function of a symbol, with parameters named after variables of its rules, and without a meaningful body.
pub(super) fn empty_function(program: &Program, symbol: SymbolId, rules: &[RuleId]) -> Function {
    let declared = &program.signature.symbols[symbol];
    let mut function = Function {
        name: declared.name.clone(),
        result: declared.result,
        locals: IdVec::new(),
        region: Region { params: Vec::new(), body: Block::returning(LocalId::from_index(0)) },
        base: None,
    };
    for (i, &sort) in declared.args.iter().enumerate() {
        let name = rules.iter().find_map(|&rule| {
            let HeadAtom::Term { args, .. } = &program.rules[rule].heads[0].atom else { return None };
            match args.get(i)?.kind {
                PatternKind::Var(v) => Some(program.rules[rule].vars[v].name.to_lowercase()),
                _ => None,
            }
        });
        let param = function.local(name.unwrap_or_else(|| "a".into()), sort);
        function.region.params.push(param);
    }
    function
}
