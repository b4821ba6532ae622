//! What pieces get and give back: the parameters and registers that their code uses, and no more.
//!
//! A piece is called once a step, and a compiler that sees its caller and it apart cannot leave out what neither needs:
//! the record of parameters alone has some fifty words.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_kernel::ir::rewrite::each_statement_mut;
use gchr_kernel::ir::*;

/// Fields of a record that are used, in order; `None` where a function uses the record as a whole.
type Used = Option<Vec<u32>>;

/// Has each of the pieces, functions that [`part`](super::part) makes, take only the fields of the record of parameters
/// and of the machine that it uses, and give back these fields of the machine, as a record whose name begins with
/// `result`.
pub(in crate::tasks) fn narrow(
    module: &mut Module,
    result: &str,
    pieces: &[String],
    params: RecordId,
    machine: RecordId,
) {
    let pieces: Vec<FunctionId> = pieces.iter().filter_map(|name| module.function(name)).collect();
    let n_machine = module.records[machine].fields.len();
    let mut results: HashMap<Vec<u32>, RecordId> = HashMap::default();
    let mut narrowed: HashMap<FunctionId, Narrowing> = HashMap::default();
    for piece in pieces {
        let function = &module.functions[piece];
        let of_params = used(function, params, &module.records);
        let of_machine = used(function, machine, &module.records).filter(|used| !used.is_empty());
        let result = of_machine.as_ref().map(|used| {
            let count = results.len();
            *results.entry(used.clone()).or_insert_with(|| {
                let fields =
                    used.iter().map(|&k| module.records[machine].fields[k as usize].clone()).collect();
                let name = if count == 0 { result.to_string() } else { format!("{result}{count}") };
                module.records.push(Record { name, fields, align: None })
            })
        });
        narrowed.insert(piece, Narrowing { params, machine, of_params, of_machine, result, n_machine });
    }
    let records = &module.records;
    let ids = module.functions.ids();
    for (id, function) in ids.zip(module.functions.iter_mut()) {
        match narrowed.get(&id) {
            Some(narrowing) => narrowing.piece(function, records),
            None => {
                let mut results = HashMap::default();
                calls(&mut function.body, &narrowed, records, &mut results);
                for (var, narrowing) in results {
                    if let Some(result) = narrowing.result {
                        function.vars[var].ty = Type::Record(result);
                    }
                }
            }
        }
    }
}

/// The fields of a record that a function uses.
fn used(function: &Function, record: RecordId, records: &IdVec<RecordId, Record>) -> Used {
    let mut found = vec![false; records[record].fields.len()];
    let of = |var: VarId| function.vars[var].ty == Type::Record(record);
    let mut whole = false;
    flow::each_statement(&function.body, &mut |stmt| {
        if let StmtKind::Assign { place: Place { base: PlaceBase::Var(var), field, .. }, .. } = &stmt.kind
            && of(*var)
        {
            match field {
                Some(k) => found[*k as usize] = true,
                None => whole = true,
            }
        }
        // What is given back is what is used.
        let is_result = matches!(stmt.kind, StmtKind::Return(_));
        stmt.exprs().into_iter().for_each(|expr| mark(expr, &of, &mut found, &mut whole, is_result));
    });
    if whole {
        return None;
    }
    Some(found.iter().zip(0..).filter(|(used, _)| **used).map(|(_, k)| k).collect())
}

/// Marks the fields of variables that an expression uses. `is_result`: it may be such a variable.
fn mark(expr: &Expr, of: &impl Fn(VarId) -> bool, found: &mut [bool], whole: &mut bool, is_result: bool) {
    match &expr.kind {
        ExprKind::Field(base, k) if matches!(base.kind, ExprKind::Var(var) if of(var)) => {
            found[*k as usize] = true;
        }
        ExprKind::Var(var) if of(*var) => *whole |= !is_result,
        _ => expr.operands().into_iter().for_each(|operand| mark(operand, of, found, whole, false)),
    }
}

/// What a piece takes and gives back.
struct Narrowing {
    params: RecordId,
    machine: RecordId,
    of_params: Used,
    of_machine: Used,
    /// What it gives back, if not the whole machine.
    result: Option<RecordId>,
    n_machine: usize,
}

impl Narrowing {
    /// The piece: its parameters, its machine and its result.
    fn piece(&self, function: &mut Function, records: &IdVec<RecordId, Record>) {
        let given = self.split_params(function, records);
        let mut unused: Vec<VarId> = Vec::new();
        let machines: Vec<VarId> =
            function.vars.ids().filter(|&v| function.vars[v].ty == Type::Record(self.machine)).collect();
        let place_of = |k: u32| self.of_machine.as_ref().and_then(|used| used.binary_search(&k).ok());
        let narrowed = self.result.map(Type::Record);
        each_statement_mut(&mut function.body, &mut |stmt| {
            if let StmtKind::Assign { place: Place { base: PlaceBase::Var(var), field: Some(k), .. }, .. } =
                &mut stmt.kind
                && machines.contains(var)
                && let Some(at) = place_of(*k)
            {
                *k = at as u32;
            }
            stmt.exprs_mut(&mut |expr| {
                expr.rewrite(&mut |expr| match &mut expr.kind {
                    ExprKind::Field(base, k) => match base.kind {
                        ExprKind::Var(var) if machines.contains(&var) => {
                            *k = place_of(*k).map_or(*k, |at| at as u32);
                        }
                        ExprKind::Var(var) => {
                            if let Some(&var) = given.get(&(var, *k)) {
                                expr.kind = ExprKind::Var(var);
                            }
                        }
                        _ => {}
                    },
                    ExprKind::Var(var) if machines.contains(var) => {
                        expr.ty = narrowed.unwrap_or(expr.ty);
                    }
                    // The machine as it is when the piece is called.
                    ExprKind::Record(parts)
                        if expr.ty == Type::Record(self.machine) && narrowed.is_some() =>
                    {
                        let mut kept = Vec::new();
                        for (k, part) in parts.drain(..).enumerate() {
                            match (place_of(k as u32), &part.kind) {
                                (Some(_), _) => kept.push(part),
                                (None, ExprKind::Var(var)) => unused.push(*var),
                                (None, _) => {}
                            }
                        }
                        *parts = kept;
                        expr.ty = narrowed.unwrap_or(expr.ty);
                    }
                    _ => {}
                });
            });
        });
        if let Some(narrowed) = narrowed {
            function.params.retain(|param| !unused.contains(param));
            function.result = narrowed;
            machines.into_iter().for_each(|var| function.vars[var].ty = narrowed);
        }
        function.renumber();
    }

    /// Gives a piece a parameter for each field of the record of parameters that is used, in the place of the record;
    /// by the record's variable and the field: that parameter.
    fn split_params(
        &self,
        function: &mut Function,
        records: &IdVec<RecordId, Record>,
    ) -> HashMap<(VarId, u32), VarId> {
        let mut given = HashMap::default();
        let Some(used) = &self.of_params else { return given };
        let mut params = Vec::new();
        for param in std::mem::take(&mut function.params) {
            if function.vars[param].ty != Type::Record(self.params) {
                params.push(param);
                continue;
            }
            for &k in used {
                let Field { name, ty } = records[self.params].fields[k as usize].clone();
                let var = Var { name: format!("{name}_given"), ty, storage: Storage::Param };
                let var = function.vars.push(var);
                given.insert((param, k), var);
                params.push(var);
            }
        }
        function.params = params;
        given
    }

    /// The arguments of a call: of the parameters and of the machine what is used, and all others.
    fn arguments(&self, args: Vec<Expr>, records: &IdVec<RecordId, Record>) -> Vec<Expr> {
        let first = args.len() - self.n_machine;
        let mut kept = Vec::new();
        for (at, arg) in args.into_iter().enumerate() {
            match (&self.of_params, &self.of_machine) {
                (Some(used), _) if arg.ty == Type::Record(self.params) => {
                    kept.extend(used.iter().map(|&k| {
                        let ty = records[self.params].fields[k as usize].ty;
                        Expr::new(ExprKind::Field(Box::new(arg.clone()), k), ty)
                    }))
                }
                (_, Some(used)) if at >= first && !used.contains(&((at - first) as u32)) => {}
                _ => kept.push(arg),
            }
        }
        kept
    }

    /// The fields of a result to the machine.
    fn assignments(
        &self,
        place: &Place,
        var: VarId,
        like: &Stmt,
        records: &IdVec<RecordId, Record>,
    ) -> Vec<Stmt> {
        let (Some(result), Some(used)) = (self.result, &self.of_machine) else { return Vec::new() };
        let from = Expr::new(ExprKind::Var(var), Type::Record(result));
        let one = |(at, &k): (u32, &u32)| {
            let ty = records[self.machine].fields[k as usize].ty;
            let value = Expr::new(ExprKind::Field(Box::new(from.clone()), at), ty);
            let place = Place { base: place.base.clone(), field: Some(k), ty };
            Stmt { kind: StmtKind::Assign { place, value }, ..like.clone() }
        };
        (0..).zip(used).map(one).collect()
    }
}

/// Calls of pieces: arguments, and what is done with the result. `results`: by variable, the piece whose result it is.
fn calls<'n>(
    block: &mut Block,
    narrowed: &'n HashMap<FunctionId, Narrowing>,
    records: &IdVec<RecordId, Record>,
    results: &mut HashMap<VarId, &'n Narrowing>,
) {
    for mut stmt in std::mem::take(block) {
        for inner in stmt.blocks_mut() {
            calls(inner, narrowed, records, results);
        }
        match &mut stmt.kind {
            StmtKind::Effect {
                result: Some(Target::Declare(var)),
                effect: Effect::Call { function, args },
            } if narrowed.contains_key(function) => {
                let narrowing = &narrowed[function];
                results.insert(*var, narrowing);
                *args = narrowing.arguments(std::mem::take(args), records);
                block.push(stmt);
            }
            StmtKind::Assign { place, value: Expr { kind: ExprKind::Var(var), .. } }
                if results.get(var).is_some_and(|narrowing| narrowing.result.is_some()) =>
            {
                let (place, var) = (place.clone(), *var);
                block.extend(results[&var].assignments(&place, var, &stmt, records));
            }
            _ => block.push(stmt),
        }
    }
}
