//! Links modules: definitions of one module become part of another.
//!
//! Equal definitions of the same name are one; different ones are an error (`K0204`).

use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::{Id, IdVec};

use crate::ir::rewrite::each_statement_mut;
use crate::ir::*;

/// Brings definitions of `from` into another module, which gives them new ids.
pub(crate) struct Linker<'a> {
    from: &'a Module,
    pub records: IdVec<RecordId, Option<RecordId>>,
    pub constants: IdVec<ConstantId, Option<ConstantId>>,
    pub functions: IdVec<FunctionId, Option<FunctionId>>,
}

impl<'a> Linker<'a> {
    pub fn new(from: &'a Module) -> Self {
        Self {
            from,
            records: from.records.iter().map(|_| None).collect(),
            constants: from.constants.iter().map(|_| None).collect(),
            functions: from.functions.iter().map(|_| None).collect(),
        }
    }

    /// Brings the records and constants.
    pub fn link_data(&mut self, into: &mut Module) -> Result<(), Vec<Diagnostic>> {
        for (id, record) in self.from.records.iter_enumerated() {
            if self.records[id].is_none() {
                let mut record = record.clone();
                record.fields.iter_mut().for_each(|f| f.ty = self.ty(f.ty));
                let here = match into.record(&record.name) {
                    Some(here) if into.records[here] == record => here,
                    _ => free(into, &record.name, |m| m.records.push(record.clone()))?,
                };
                self.records[id] = Some(here);
            }
        }
        for (id, constant) in self.from.constants.iter_enumerated() {
            if self.constants[id].is_none() {
                let here = match into.constant(&constant.name) {
                    Some(here) if into.constants[here] == *constant => here,
                    _ => free(into, &constant.name, |m| m.constants.push(constant.clone()))?,
                };
                self.constants[id] = Some(here);
            }
        }
        Ok(())
    }

    /// Brings one function.
    pub fn link_function(
        &mut self,
        into: &mut Module,
        id: FunctionId,
    ) -> Result<FunctionId, Vec<Diagnostic>> {
        let function = self.counterpart(id);
        let here = match into.function(&function.name) {
            Some(here) if into.functions[here] == function => here,
            _ => free(into, &function.name, |m| m.functions.push(function.clone()))?,
        };
        self.functions[id] = Some(here);
        Ok(here)
    }

    /// The type in the other module.
    pub fn ty(&self, ty: Type) -> Type {
        let record = |r: RecordId| self.records.get(r).copied().flatten().unwrap_or(r);
        match ty {
            Type::Record(r) => Type::Record(record(r)),
            Type::Records(space, r) => Type::Records(space, record(r)),
            Type::Void | Type::Scalar(_) | Type::Buffer(..) => ty,
        }
    }

    fn constant(&self, id: ConstantId) -> ConstantId {
        self.constants.get(id).copied().flatten().unwrap_or(id)
    }

    fn place(&self, place: &mut Place) {
        place.ty = self.ty(place.ty);
    }

    /// A function as it is in the other module; what it names has its counterparts there.
    pub fn counterpart(&self, id: FunctionId) -> Function {
        let mut function = self.from.functions[id].clone();
        function.result = self.ty(function.result);
        for var in function.vars.iter_mut() {
            var.ty = self.ty(var.ty);
            if let Storage::Array(Length::Constant(c)) | Storage::Striped(Length::Constant(c)) =
                &mut var.storage
            {
                *c = self.constant(*c);
            }
        }
        each_statement_mut(&mut function.body, &mut |stmt| {
            match &mut stmt.kind {
                StmtKind::Assign { place, .. } | StmtKind::Own { place, .. } => self.place(place),
                StmtKind::Effect { effect: Effect::Atomic { place, .. }, .. } => self.place(place),
                StmtKind::Effect { effect: Effect::Call { function, .. }, .. } => {
                    *function = self.functions.get(*function).copied().flatten().unwrap_or(*function);
                }
                _ => {}
            }
            stmt.exprs_mut(&mut |e| {
                e.rewrite(&mut |e| {
                    e.ty = self.ty(e.ty);
                    if let ExprKind::Constant(c) = &mut e.kind {
                        *c = self.constant(*c);
                    }
                });
            });
        });
        function
    }
}

/// Adds a definition whose name nothing has.
fn free<I: Id>(
    into: &mut Module,
    name: &str,
    add: impl FnOnce(&mut Module) -> I,
) -> Result<I, Vec<Diagnostic>> {
    let taken = into.record(name).is_some() || into.constant(name).is_some() || into.function(name).is_some();
    if taken {
        return Err(vec![
            Diagnostic::error("K0204", format!("two different definitions are named `{name}`"))
                .note("kernels of one program are one module, in which a name means one thing")
                .help("instantiate one of the two templates with another prefix"),
        ]);
    }
    Ok(add(into))
}
