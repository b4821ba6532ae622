//! Which symbol a name means.

use super::{Checker, MAX_TYPES};
use crate::ast::Expr;
use crate::core::Callee;
use crate::types::{Type, bind, fits, join};

/// A symbol that a name can mean.
pub(super) struct Choice {
    pub callee: Callee,
    pub result: Type,
    /// How far arguments are from the sorts of the symbol.
    cost: u32,
}

impl Checker<'_> {
    /// The sorts of results of what a name can mean with these arguments, the nearest first.
    pub(super) fn results(&mut self, name: &str, args: &[&Expr]) -> Vec<Type> {
        let mut found = self.choices(name, args, None);
        found.sort_by_key(|choice| choice.cost);
        // A symbol for the very sorts of the arguments is meant, whatever the others would give.
        if found.first().is_some_and(|nearest| nearest.cost == 0) {
            found.retain(|choice| choice.cost == 0);
        }
        let mut results: Vec<Type> = Vec::new();
        for Choice { result, .. } in found {
            // A number of a narrow sort stands for wider ones, too: those of symbols that are further off say nothing.
            let is_wider = |nearer: &Type| nearer.rank().is_some() && nearer.rank() <= result.rank();
            if !results.iter().any(is_wider) {
                results.push(result);
            }
        }
        results
    }

    /// What a name means where a sort is expected; the symbol whose sorts are nearest, and of these the first.
    pub(super) fn choose(&mut self, name: &str, args: &[&Expr], want: Option<&Type>) -> Option<Choice> {
        let found = self.choices(name, args, want);
        let cost = |choice: &Choice| Some(choice.cost + want.map_or(Some(0), |ty| fits(&choice.result, ty))?);
        let costs: Vec<Option<u32>> = found.iter().map(cost).collect();
        let least = costs.iter().flatten().min()?;
        let at = costs.iter().position(|cost| cost.as_ref() == Some(least))?;
        found.into_iter().nth(at)
    }

    fn choices(&mut self, name: &str, args: &[&Expr], want: Option<&Type>) -> Vec<Choice> {
        let mut found = Vec::new();
        let scope = self.scope;
        for &id in scope.named(name) {
            let symbol = &scope.symbols[id];
            if args.is_empty() && (symbol.params.is_empty() || symbol.type_params == 0) {
                let mut params = vec![Type::Hole; symbol.type_params];
                if let Some(want) = want {
                    bind(&symbol.result, want, &mut params);
                }
                let result = symbol.value_type().with(&params);
                found.push(Choice { callee: Callee { symbol: id, params }, result, cost: 0 });
                continue;
            }
            if symbol.params.len() != args.len() {
                continue;
            }
            for params in self.bindings(&symbol.params, symbol.type_params, args, want, &symbol.result) {
                let types: Vec<Type> = symbol.params.iter().map(|ty| ty.with(&params)).collect();
                let cost =
                    args.iter().zip(&types).try_fold(0, |sum, (arg, ty)| Some(sum + self.can_be(arg, ty)?));
                if let Some(cost) = cost {
                    let result = symbol.result.with(&params);
                    found.push(Choice { callee: Callee { symbol: id, params }, result, cost });
                }
            }
        }
        found
    }

    /// What the parameters of a symbol can stand for.
    fn bindings(
        &mut self,
        schemes: &[Type],
        count: usize,
        args: &[&Expr],
        want: Option<&Type>,
        result: &Type,
    ) -> Vec<Vec<Type>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let mut found = vec![vec![Type::Hole; count]];
        for (scheme, arg) in schemes.iter().zip(args) {
            let types = self.types(arg);
            let mut further: Vec<Vec<Type>> = Vec::new();
            for params in &found {
                for ty in types.iter() {
                    let mut params = params.clone();
                    if bind(scheme, ty, &mut params)
                        && !further.contains(&params)
                        && further.len() < MAX_TYPES
                    {
                        further.push(params);
                    }
                }
            }
            found = further;
        }
        if let Some(want) = want {
            for params in &mut found {
                let mut wider = params.clone();
                if bind(result, want, &mut wider) {
                    *params = wider;
                }
            }
        }
        found
    }

    /// The sorts that several terms have in common.
    pub(super) fn common(&mut self, items: &[&Expr]) -> Vec<Type> {
        let mut found = vec![Type::Hole];
        for item in items {
            let types = self.types(item);
            let mut further: Vec<Type> = Vec::new();
            for common in &found {
                for joined in types.iter().filter_map(|ty| join(common, ty)) {
                    if !further.contains(&joined) && further.len() < MAX_TYPES {
                        further.push(joined);
                    }
                }
            }
            found = further;
        }
        found
    }
}
