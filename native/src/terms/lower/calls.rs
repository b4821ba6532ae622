//! Calls, and base cases in their place.

use gchr_terms::plan::live::LocalSet;
use gchr_terms::plan::{Block, FunctionId, LocalId};

use super::{Lower, Pending, Scope};
use crate::emit::{Label, Root, Val};
use crate::function::Kind;
use crate::terms::helpers::CONTEXT;
use crate::terms::kind;
use crate::terms::lower::operate;

impl<'p> Lower<'_, '_, 'p> {
    /// Arguments of a call as roots.
    pub(super) fn argument_roots(&self, function: FunctionId, args: &[Val]) -> Vec<Root> {
        let callee = &self.plan.functions[function];
        let sorts = callee.region.params.iter().map(|&param| callee.sort(param));
        let roots = sorts.zip(args).filter(|(sort, _)| self.has_cells(*sort));
        roots.map(|(sort, &arg)| (sort.0, arg)).collect()
    }

    pub(super) fn call(&mut self, dst: LocalId, function: FunctionId, args: &[LocalId], live: &LocalSet) {
        let args = self.values(args);
        let callee = &self.plan.functions[function];
        let base = callee.base.as_deref().filter(|base| operate::all_in_line(self.plan, callee, base));
        let value = match base {
            Some(base) if self.miss.is_none() => self.call_with_base(function, base, &args, live),
            _ => self.plain_call(function, &args, live, &[]).0,
        };
        self.set(dst, value);
    }

    /// A call, with what else is needed after it and where that is then.
    pub(super) fn plain_call(
        &mut self,
        function: FunctionId,
        args: &[Val],
        live: &LocalSet,
        more: &[Root],
    ) -> (Val, Vec<Val>) {
        let mut needed = self.argument_roots(function, args);
        needed.extend(more);
        self.burn(live, &needed);
        let roots = self.roots_with(live, more);
        let function = self.func(function, false);
        let value = self.e.call(function, args, &roots);
        // What is needed later is read from the frame: no register holds it during the call.
        let own: Vec<LocalId> = live.iter().filter(|&local| self.has_cells(self.sort(local))).collect();
        for local in own {
            if let Some(known) = self.locals[local] {
                let known = self.e.kept_value((self.sort(local).0, known));
                self.set(local, known);
            }
        }
        if let Some((hole, root)) = self.hole {
            self.hole = Some((hole, self.e.kept_value((CONTEXT, root))));
        }
        (value, more.iter().map(|&root| self.e.kept_value(root)).collect())
    }

    /// The base case of a function in the place of a call; where it has no value, the call.
    pub(super) fn call_with_base(
        &mut self,
        function: FunctionId,
        base: &'p Block,
        args: &[Val],
        live: &LocalSet,
    ) -> Val {
        let (path, hole) = (self.save(), self.hole);
        let again = path.clone();
        let (join, miss) = self.attempt(function, base, args, self.roots(live));
        self.e.bind(miss);
        self.restore(path);
        let (value, _) = self.plain_call(function, args, live, &[]);
        let pending = self.pending();
        self.e.jump(join, &[value, pending]);
        let joined = self.e.bind(join);
        self.restore(again);
        self.hole = hole;
        self.pending = Pending { fixed: 0, more: Some(joined[1]) };
        joined[0]
    }

    /// A base case: ends at one label with the value and the applications that are pending, or at the other one without
    /// a value. `roots` are what is needed after it.
    pub(super) fn attempt(
        &mut self,
        function: FunctionId,
        base: &'p Block,
        args: &[Val],
        roots: Vec<Root>,
    ) -> (Label, Label) {
        let callee = &self.plan.functions[function];
        let result = kind(self.plan.layout.sorts[callee.result].kind);
        let (join, miss) = (self.e.label(&[result, Kind::Word]), self.e.label(&[]));
        let hole = self.hole;
        let outer = std::mem::replace(&mut self.outer, roots);
        let (caller, scope) = (self.function, self.scope);
        let locals = std::mem::replace(&mut self.locals, callee.locals.iter().map(|_| None).collect());
        self.function = callee;
        self.scope = Scope::Base { join, miss };
        self.miss = Some(miss);
        self.bind(&callee.region.params, args);
        self.body(base, &LocalSet::default());
        (self.function, self.scope, self.miss, self.outer, self.hole) = (caller, scope, None, outer, hole);
        self.locals = locals;
        (join, miss)
    }
}
