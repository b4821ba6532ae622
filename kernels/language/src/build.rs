//! Builds kernel IR: functions statement by statement, with fresh names, inferred types and nested blocks as closures.
//!
//! Code generators call this instead of writing IR values out. Types are taken from the operands;
//! [`verify`](crate::verify) checks them.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;

use crate::ir::rewrite::each_statement_mut;
use crate::ir::*;
use crate::spelling;

/// `u32` literal.
pub fn u32(n: u32) -> Expr {
    Expr { kind: ExprKind::Literal(Literal::Int(u64::from(n))), ty: Type::Scalar(Scalar::U32) }
}

/// `i64` literal.
pub fn i64(n: i64) -> Expr {
    Expr { kind: ExprKind::Literal(Literal::Int(n as u64)), ty: Type::Scalar(Scalar::I64) }
}

/// `bool` literal.
pub fn bool(b: bool) -> Expr {
    Expr { kind: ExprKind::Literal(Literal::Bool(b)), ty: Type::Scalar(Scalar::Bool) }
}

/// Two-operand operation; comparisons and logical operations give `bool`, others the left operand's type.
pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    use BinaryOp::*;
    let ty = match op {
        Eq | Ne | Lt | Le | Gt | Ge | AndAlso | OrElse => Type::Scalar(Scalar::Bool),
        _ => a.ty,
    };
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty }
}

/// `a == b`.
pub fn eq(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Eq, a, b)
}

/// Conjunction of all; `true` for none.
pub fn all(conditions: impl IntoIterator<Item = Expr>) -> Expr {
    conditions.into_iter().reduce(|a, b| binary(BinaryOp::AndAlso, a, b)).unwrap_or_else(|| bool(true))
}

/// Conversion to a scalar type; nothing when the expression has it already.
pub fn cast(to: Scalar, e: Expr) -> Expr {
    if e.ty == Type::Scalar(to) {
        return e;
    }
    Expr { kind: ExprKind::Cast(Box::new(e)), ty: Type::Scalar(to) }
}

/// Pure built-in function with the given result type.
pub fn intrinsic(f: Intrinsic, args: Vec<Expr>, result: Scalar) -> Expr {
    Expr { kind: ExprKind::Intrinsic(f, args), ty: Type::Scalar(result) }
}

/// Element of a buffer or array.
///
/// # Panics
/// When `buffer` is not a buffer: a bug of the generator.
pub fn element(buffer: Expr, index: Expr) -> Expr {
    let ty = buffer.ty.element().expect("an indexed expression is a buffer");
    Expr { kind: ExprKind::Element { buffer: Box::new(buffer), index: Box::new(index) }, ty }
}

/// Field of a record value by position.
///
/// # Panics
/// When `record` has no such field: a bug of the generator.
pub fn field_at(module: &Module, record: Expr, field: u32) -> Expr {
    let Type::Record(id) = record.ty else { panic!("a field belongs to a record") };
    let ty = module.records[id].fields[field as usize].ty;
    Expr { kind: ExprKind::Field(Box::new(record), field), ty }
}

/// Field of a record value by name.
///
/// # Panics
/// When `record` has no such field: a bug of the generator.
pub fn field(module: &Module, record: Expr, name: &str) -> Expr {
    let Type::Record(id) = record.ty else { panic!("a field belongs to a record") };
    let at = module.records[id].fields.iter().position(|f| f.name == name);
    field_at(module, record, at.unwrap_or_else(|| panic!("no field {name}")) as u32)
}

/// The place that an expression reads: a variable, an element, or a field of either.
///
/// # Panics
/// When the expression is not such a read: a bug of the generator.
pub fn place(e: Expr) -> Place {
    let ty = e.ty;
    let base = |kind: ExprKind| match kind {
        ExprKind::Var(v) => PlaceBase::Var(v),
        ExprKind::Element { buffer, index } => PlaceBase::Element { buffer, index },
        other => panic!("not a place: {other:?}"),
    };
    match e.kind {
        ExprKind::Field(record, field) => Place { base: base(record.kind), field: Some(field), ty },
        kind => Place { base: base(kind), field: None, ty },
    }
}

/// Builds one function.
pub struct FunctionBuilder {
    name: String,
    kind: FunctionKind,
    result: Type,
    params: Vec<VarId>,
    vars: IdVec<VarId, Var>,
    /// Open blocks, each with the origin of the statement that it will be part of.
    blocks: Vec<(Block, Origin)>,
    origin: Origin,
    doc: Vec<String>,
    names: HashMap<String, u32>,
}

impl FunctionBuilder {
    /// A function without parameters and code yet.
    pub fn new(name: impl Into<String>, kind: FunctionKind, result: Type) -> Self {
        Self {
            name: name.into(),
            kind,
            result,
            params: Vec::new(),
            vars: IdVec::new(),
            blocks: vec![(Vec::new(), Origin::default())],
            origin: Origin::default(),
            doc: Vec::new(),
            names: HashMap::default(),
        }
    }

    /// Adds a doc line, in which there may be names of a program.
    pub fn doc(&mut self, line: impl AsRef<str>) {
        self.doc.push(spelling::comment(line.as_ref()));
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: &str, ty: Type) -> Expr {
        let e = self.fresh(name, ty, Storage::Param);
        if let ExprKind::Var(v) = e.kind {
            self.params.push(v);
        }
        e
    }

    /// The next statement, with all that is inside it, comes from here. There may be names of a program in the comment.
    pub fn origin(&mut self, line: Option<u32>, comment: impl AsRef<str>) {
        self.origin = Origin { line, comment: Some(spelling::comment(comment.as_ref())) };
    }

    fn fresh(&mut self, name: &str, ty: Type, storage: Storage) -> Expr {
        let mut unique = name.to_string();
        // One that was made of another name may be there already.
        while self.names.contains_key(&unique) {
            let n = self.names.entry(name.into()).or_insert(0);
            *n += 1;
            unique = format!("{name}_{n}");
        }
        self.names.insert(unique.clone(), 0);
        let id = self.vars.push(Var { name: unique, ty, storage });
        Expr { kind: ExprKind::Var(id), ty }
    }

    fn id(e: &Expr) -> VarId {
        match e.kind {
            ExprKind::Var(v) => v,
            _ => unreachable!("made by fresh"),
        }
    }

    /// Appends a statement.
    pub fn push(&mut self, kind: StmtKind) {
        let origin = std::mem::take(&mut self.origin);
        if let Some((block, _)) = self.blocks.last_mut() {
            block.push(Stmt { kind, origin });
        }
    }

    /// Appends a statement that is complete.
    pub fn append(&mut self, stmt: Stmt) {
        if let Some((block, _)) = self.blocks.last_mut() {
            block.push(stmt);
        }
    }

    /// Declares a variable with a value.
    pub fn var(&mut self, name: &str, value: Expr) -> Expr {
        let e = self.fresh(name, value.ty, Storage::Register);
        self.push(StmtKind::Declare { var: Self::id(&e), value: Some(value) });
        e
    }

    /// Declares a variable without a value.
    pub fn declare(&mut self, name: &str, ty: Type) -> Expr {
        let e = self.fresh(name, ty, Storage::Register);
        self.push(StmtKind::Declare { var: Self::id(&e), value: None });
        e
    }

    /// Declares an array of the thread's own.
    pub fn array(&mut self, name: &str, of: Scalar, length: u32) -> Expr {
        let ty = Type::Buffer(Space::Local, of);
        let e = self.fresh(name, ty, Storage::Array(Length::Literal(length)));
        self.push(StmtKind::Declare { var: Self::id(&e), value: None });
        e
    }

    /// Writes a place.
    pub fn assign(&mut self, to: Expr, value: Expr) {
        self.push(StmtKind::Assign { place: place(to), value });
    }

    /// Says that the thread owns a place, for the reason given.
    pub fn own(&mut self, reason: &str, element: Expr) {
        self.push(StmtKind::Own { name: reason.into(), place: place(element) });
    }

    /// Writes a place that the thread owns, for the reason given.
    pub fn assign_owned(&mut self, reason: &str, to: Expr, value: Expr) {
        self.own(reason, to.clone());
        self.assign(to, value);
    }

    /// An effect whose result, of type `ty`, is wanted.
    pub fn effect(&mut self, name: &str, ty: Type, effect: Effect) -> Expr {
        let e = self.fresh(name, ty, Storage::Register);
        self.push(StmtKind::Effect { result: Some(Target::Declare(Self::id(&e))), effect });
        e
    }

    /// A relaxed atomic operation of device scope on a place; its result is the old value.
    pub fn atomic(&mut self, name: &str, op: AtomicOp, at: Expr, operands: Vec<Expr>) -> Expr {
        let ty = at.ty;
        let (order, scope) = (Order::Relaxed, Scope::Device);
        self.effect(name, ty, Effect::Atomic { op, order, scope, place: place(at), operands })
    }

    /// As [`atomic`](Self::atomic), the result dropped.
    pub fn update(&mut self, op: AtomicOp, at: Expr, operands: Vec<Expr>) {
        let (order, scope) = (Order::Relaxed, Scope::Device);
        let effect = Effect::Atomic { op, order, scope, place: place(at), operands };
        self.push(StmtKind::Effect { result: None, effect });
    }

    /// A call whose result is wanted.
    pub fn call(&mut self, name: &str, module: &Module, function: FunctionId, args: Vec<Expr>) -> Expr {
        self.effect(name, module.functions[function].result, Effect::Call { function, args })
    }

    /// A call of a function that is not part of a module yet.
    pub fn call_typed(&mut self, name: &str, result: Type, function: FunctionId, args: Vec<Expr>) -> Expr {
        self.effect(name, result, Effect::Call { function, args })
    }

    /// A call without result, or whose result is dropped.
    pub fn run(&mut self, function: FunctionId, args: Vec<Expr>) {
        self.push(StmtKind::Effect { result: None, effect: Effect::Call { function, args } });
    }

    /// Opens a block: statements go there until [`end`](Self::end). For generators whose own state closures could not
    /// borrow.
    pub fn begin(&mut self) {
        let origin = std::mem::take(&mut self.origin);
        self.blocks.push((Vec::new(), origin));
    }

    /// Closes the innermost open block and hands it out, to become part of a statement.
    pub fn end(&mut self) -> Block {
        let (block, origin) = self.blocks.pop().unwrap_or_default();
        self.origin = origin;
        block
    }

    /// Whether control can reach the end of the innermost open block.
    pub fn completes(&self) -> bool {
        self.blocks.last().is_none_or(|(block, _)| completes(block))
    }

    /// Closes the innermost open block as the body of `if (condition)`.
    pub fn end_if(&mut self, condition: Expr) {
        let then = self.end();
        self.push(StmtKind::If { condition, then, otherwise: Vec::new() });
    }

    /// A variable for a loop to count with, declared by [`end_for`](Self::end_for).
    pub fn counter(&mut self, name: &str, ty: Type) -> Expr {
        self.fresh(name, ty, Storage::Register)
    }

    /// Closes the innermost open block as the body of `for (counter = start; condition; counter = next)`.
    pub fn end_for(&mut self, counter: &Expr, start: Expr, condition: Expr, next: Expr) {
        let body = self.end();
        self.push(StmtKind::For { var: Self::id(counter), start, condition, next, body, unroll: false });
    }

    /// Closes the innermost open block as the body of `while (condition)`.
    pub fn end_while(&mut self, condition: Expr) {
        let body = self.end();
        self.push(StmtKind::While { condition, body });
    }

    fn block(&mut self, code: impl FnOnce(&mut Self)) -> Block {
        self.begin();
        code(self);
        self.end()
    }

    /// `if (condition) then`.
    pub fn when(&mut self, condition: Expr, then: impl FnOnce(&mut Self)) {
        self.branch(condition, then, |_| {});
    }

    /// `if (condition) then else otherwise`.
    pub fn branch(
        &mut self,
        condition: Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let then = self.block(then);
        let otherwise = self.block(otherwise);
        self.push(StmtKind::If { condition, then, otherwise });
    }

    /// Multi-way branch: `case` is called with each value's code generator in order.
    pub fn switch(
        &mut self,
        value: Expr,
        cases: Vec<u64>,
        mut case: impl FnMut(&mut Self, u64),
        default: impl FnOnce(&mut Self),
    ) {
        let cases = cases.into_iter().map(|c| (vec![c], self.block(|b| case(b, c)))).collect();
        let default = self.block(default);
        self.push(StmtKind::Switch { value, cases, default });
    }

    /// `return value;`
    pub fn ret(&mut self, value: Option<Expr>) {
        self.push(StmtKind::Return(value));
    }

    /// The finished function.
    pub fn finish(mut self) -> Function {
        Function {
            name: self.name,
            kind: self.kind,
            params: self.params,
            result: self.result,
            vars: self.vars,
            body: self.blocks.pop().unwrap_or_default().0,
            doc: self.doc,
        }
    }
}

/// Replaces a hole by functions: the last one gets its name and its callers, the earlier ones are its callees.
/// Calls inside `functions` count them from the hole's own position on.
///
/// # Panics
/// When the module has no such hole or there is nothing to put there: a bug of the generator.
pub fn fill_hole(module: &mut Module, hole: &str, mut functions: Vec<Function>) {
    let at = module.function(hole).filter(|&f| module.functions[f].is_hole());
    let at = at.unwrap_or_else(|| panic!("no hole {hole}"));
    let shift = functions.len().checked_sub(1).expect("a hole is filled by a function") as u32;
    let doc = std::mem::take(&mut module.functions[at].doc);
    if let Some(last) = functions.last_mut() {
        last.name = hole.to_string();
        last.doc = doc;
    }
    let mut all = IdVec::new();
    let mut functions = Some(functions);
    for (id, mut function) in std::mem::take(&mut module.functions).into_iter_enumerated() {
        if id == at {
            functions.take().into_iter().flatten().for_each(|f| {
                all.push(f);
            });
            continue;
        }
        each_statement_mut(&mut function.body, &mut |stmt| {
            if let StmtKind::Effect { effect: Effect::Call { function, .. }, .. } = &mut stmt.kind
                && *function >= at
            {
                function.0 += shift;
            }
        });
        all.push(function);
    }
    module.functions = all;
    simulated::remove_writing(module);
}

/// Adds a function that does what another one does, but calls other functions: those of the second name of a pair in
/// place of the first.
///
/// # Panics
/// When the module has none of such a name: a bug of the generator.
pub fn copy_function(module: &mut Module, function: &str, name: &str, instead: &[(&str, &str)]) {
    let find = |name: &str| module.function(name).unwrap_or_else(|| panic!("no function {name}"));
    let instead: Vec<_> = instead.iter().map(|(from, to)| (find(from), find(to))).collect();
    let mut copy = module.functions[find(function)].clone();
    copy.name = name.to_string();
    each_statement_mut(&mut copy.body, &mut |stmt| {
        if let StmtKind::Effect { effect: Effect::Call { function, .. }, .. } = &mut stmt.kind
            && let Some((_, to)) = instead.iter().find(|(from, _)| from == function)
        {
            *function = *to;
        }
    });
    module.functions.push(copy);
}
