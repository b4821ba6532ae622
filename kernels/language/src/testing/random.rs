//! Random well-typed modules, built from a list of choices so that they shrink.

use crate::ir::*;
use crate::names;

/// The module that a list of choices stands for; the verifier accepts it.
pub fn module(choices: Vec<u16>) -> Module {
    let mut module = build(&mut Choices::new(choices));
    for id in module.functions.ids() {
        module.functions[id].renumber();
    }
    module
}

/// A list of choices, from which tests build something.
pub struct Choices {
    list: Vec<u16>,
    next: usize,
}

impl Choices {
    /// The list.
    pub fn new(list: Vec<u16>) -> Self {
        Self { list, next: 0 }
    }
    /// A number below `n`; 0 when the list is used up.
    pub fn below(&mut self, n: usize) -> usize {
        let choice = self.list.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        usize::from(choice) % n
    }
    /// One time in so many.
    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == one_in - 1
    }
    /// One of the items.
    pub fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
    /// Whether no choice is left.
    pub fn is_used_up(&self) -> bool {
        self.next >= self.list.len()
    }
}

const PLAIN: RecordId = RecordId(0);
const LAUNCH: RecordId = RecordId(1);

fn build(choices: &mut Choices) -> Module {
    let mut module = Module::default();
    let field = |name: String, ty| Field { name, ty };
    let scalars =
        (0..=choices.below(4)).map(|i| field(format!("f{i}"), Type::Scalar(choices.of(&Scalar::ALL))));
    let fields = scalars.collect();
    let align = [None, Some(16), Some(8)][choices.below(3)];
    module.records.push(Record { name: "Plain".into(), fields, align });
    let mut fields: Vec<_> = Scalar::ALL
        .into_iter()
        .map(|s| field(format!("{}s", s.name()), Type::Buffer(Space::Global, s)))
        .collect();
    fields.push(field("plains".into(), Type::Records(Space::Global, PLAIN)));
    module.records.push(Record { name: "Launch".into(), fields, align: None });
    for (i, ty) in Scalar::ALL.into_iter().enumerate() {
        let value = match choices.chance(3) {
            true => ConstantValue::Hole,
            false => ConstantValue::Given(literal(choices, ty)),
        };
        module.constants.push(Constant { name: format!("C{i}"), value, ty });
    }
    for i in 0..=choices.below(4) {
        let kind = match choices.below(4) {
            0 => FunctionKind::Kernel {
                max_threads: 32 * (1 + choices.below(32) as u32),
                min_blocks: choices.below(3) as u32,
            },
            1 => FunctionKind::Device,
            2 => FunctionKind::Outlined,
            _ => FunctionKind::Hole,
        };
        let function = Builder::new(choices, &module, kind).function(format!("function{i}"));
        module.functions.push(function);
    }
    module
}

fn literal(choices: &mut Choices, ty: Scalar) -> Literal {
    const FLOATS: [f64; 8] = [0.0, -0.0, 1.5, -2.0, 1e300, 5e-324, 0.1, -1e-7];
    let bits = match choices.below(4) {
        0 => choices.below(9) as u64,
        1 => u64::MAX - choices.below(3) as u64,
        2 => 1 << choices.below(64),
        _ => (choices.below(1 << 16) as u64) << (8 * choices.below(7)),
    };
    match ty {
        Scalar::Bool => Literal::Bool(bits & 1 == 1),
        Scalar::U8 => Literal::Int(bits & 0xff),
        Scalar::I32 | Scalar::U32 => Literal::Int(bits & 0xffff_ffff),
        Scalar::I64 | Scalar::U64 => Literal::Int(bits),
        Scalar::F64 => Literal::Float(FLOATS[bits as usize % 8]),
    }
}

/// A variable that can be used at the current point.
#[derive(Clone, Copy)]
struct Live {
    var: VarId,
    level: u32,
    writable: bool,
    uniform: bool,
}

struct Builder<'a> {
    choices: &'a mut Choices,
    module: &'a Module,
    function: Function,
    live: Vec<Live>,
    level: u32,
    loops: u32,
}

impl<'a> Builder<'a> {
    fn new(choices: &'a mut Choices, module: &'a Module, kind: FunctionKind) -> Self {
        let function = Function {
            name: String::new(),
            kind,
            params: Vec::new(),
            result: Type::Void,
            vars: Default::default(),
            body: Vec::new(),
            doc: Vec::new(),
        };
        Self { choices, module, function, live: Vec::new(), level: 0, loops: 0 }
    }

    fn function(mut self, name: String) -> Function {
        self.function.name = name;
        let is_kernel = self.function.is_kernel();
        self.param(Type::Record(LAUNCH), true);
        for _ in 0..self.choices.below(4) {
            let space = if is_kernel {
                Space::Global
            } else {
                self.choices.of(&[Space::Global, Space::Shared, Space::Local])
            };
            let ty = match self.choices.below(4) {
                0 => Type::Record(PLAIN),
                1 => Type::Buffer(space, self.choices.of(&Scalar::ALL)),
                2 => Type::Records(space, PLAIN),
                _ => self.scalar(),
            };
            self.param(ty, is_kernel);
        }
        if !is_kernel && self.choices.chance(2) {
            self.function.result = if self.choices.chance(4) { Type::Record(PLAIN) } else { self.scalar() };
        }
        for i in 0..self.choices.below(3) {
            self.function.doc.push(["pre: nothing", "", "  post: a < b"][i].to_string());
        }
        if self.function.is_hole() {
            return self.function;
        }
        let mut body = Vec::new();
        if is_kernel && self.choices.chance(2) {
            body.push(self.array(Space::Shared));
        }
        self.fill(&mut body, 0);
        if flow::completes(&body) && self.function.result != Type::Void {
            let value = self.expr(self.function.result, 3);
            body.push(StmtKind::Return(Some(value)).into());
        }
        self.function.body = body;
        self.function
    }

    fn scalar(&mut self) -> Type {
        Type::Scalar(self.choices.of(&Scalar::ALL))
    }

    fn param(&mut self, ty: Type, uniform: bool) {
        let var = self.var("p", ty, Storage::Param);
        self.function.params.push(var);
        self.live.push(Live { var, level: 0, writable: false, uniform });
    }

    fn var(&mut self, prefix: &str, ty: Type, storage: Storage) -> VarId {
        let name = format!("{prefix}{}", self.function.vars.len());
        self.function.vars.push(Var { name, ty, storage })
    }

    fn declare(&mut self, ty: Type, writable: bool, uniform: bool) -> VarId {
        let var = self.var("v", ty, Storage::Register);
        self.live.push(Live { var, level: self.level, writable, uniform });
        var
    }

    fn array(&mut self, space: Space) -> Stmt {
        let ty = match self.choices.chance(3) {
            true => Type::Records(space, PLAIN),
            false => Type::Buffer(space, self.choices.of(&Scalar::ALL)),
        };
        let length = match self.choices.chance(3) {
            // An open constant of an integer type is a length.
            true => self
                .module
                .constants
                .iter_enumerated()
                .find(|(_, c)| c.ty == Scalar::U32 && c.value == ConstantValue::Hole),
            false => None,
        };
        let length = length
            .map_or(Length::Literal(1 + self.choices.below(100) as u32), |(id, _)| Length::Constant(id));
        let var = self.var("a", ty, Storage::Array(length));
        self.live.push(Live { var, level: self.level, writable: false, uniform: space == Space::Shared });
        StmtKind::Declare { var, value: None }.into()
    }

    fn block(&mut self, depth: usize) -> Block {
        let mut block = Vec::new();
        self.fill(&mut block, depth);
        block
    }

    fn fill(&mut self, block: &mut Block, depth: usize) {
        let live = self.live.len();
        for _ in 0..self.choices.below(if depth == 0 { 12 } else { 4 }) {
            if self.choices.is_used_up() || !flow::completes(block) {
                break;
            }
            let kind = self.statement(depth);
            let line = self.choices.chance(6).then(|| self.choices.below(100) as u32 + 1);
            let comment = self
                .choices
                .chance(6)
                .then(|| ["rule x", "two\nlines", "", "//@ 5"][self.choices.below(4)].to_string());
            block.push(Stmt { kind, origin: Origin { line, comment } });
        }
        // Inner scopes end; the outermost one is still open for the `return`.
        if depth > 0 {
            self.live.truncate(live);
        }
    }

    fn statement(&mut self, depth: usize) -> StmtKind {
        match self.choices.below(if depth < 4 { 20 } else { 12 }) {
            0..=2 => self.declaration(),
            3..=4 => self.assignment(),
            5..=8 => self.effect(),
            9 => match self.choices.below(8) {
                0 if self.level == 0 => StmtKind::Barrier,
                1 => StmtKind::WarpBarrier { mask: self.expr(Type::U32, 2) },
                2 => StmtKind::Fence(self.choices.of(&[Scope::Block, Scope::Device])),
                3 => StmtKind::Sleep(self.choices.below(1000) as u32),
                4 => StmtKind::Assume { name: "a reason".into(), condition: self.expr(Type::BOOL, 3) },
                5 => self.uniform(),
                6 if self.choices.chance(2) => self.simulated(),
                6 => StmtKind::Tally(self.choices.below(5) as u32),
                _ => StmtKind::Own { name: "fresh".into(), place: self.element() },
            },
            10 if self.loops > 0 => {
                if self.choices.chance(2) {
                    StmtKind::Break
                } else {
                    StmtKind::Continue
                }
            }
            10 | 11 if self.level == 0 && self.choices.chance(3) => {
                let ty = self.function.result;
                StmtKind::Return((ty != Type::Void).then(|| self.expr(ty, 3)))
            }
            10 | 11 => self.declaration(),
            12..=14 => StmtKind::If {
                condition: self.expr(Type::BOOL, 3),
                then: self.block(depth + 1),
                otherwise: self.block(depth + 1),
            },
            15..=16 => self.switch(depth),
            17 => {
                let condition = self.expr(Type::BOOL, 3);
                StmtKind::While { condition, body: self.repeated(depth) }
            }
            18 => self.count(depth),
            _ => self.everywhere(depth),
        }
    }

    fn simulated(&mut self) -> StmtKind {
        let live = self.live.len();
        let value = self.expr(Type::U32, 3);
        let declared = StmtKind::Declare { var: self.declare(Type::U32, true, false), value: Some(value) };
        let step = StmtKind::Assume { name: "a step".into(), condition: self.expr(Type::BOOL, 3) };
        self.live.truncate(live);
        StmtKind::Simulated(vec![declared.into(), step.into()])
    }

    fn repeated(&mut self, depth: usize) -> Block {
        self.loops += 1;
        let body = self.block(depth + 1);
        self.loops -= 1;
        body
    }

    fn count(&mut self, depth: usize) -> StmtKind {
        let ty = Type::Scalar(self.choices.of(&[Scalar::U32, Scalar::I32, Scalar::U64, Scalar::I64]));
        let start = self.expr(ty, 2);
        let live = self.live.len();
        let var = self.declare(ty, false, false);
        let (condition, next) = (self.expr(Type::BOOL, 2), self.expr(ty, 2));
        let unroll = self.choices.chance(3);
        let body = self.repeated(depth);
        self.live.truncate(live);
        StmtKind::For { var, start, condition, next, body, unroll }
    }

    fn switch(&mut self, depth: usize) -> StmtKind {
        let ty = self.choices.of(&[Scalar::U32, Scalar::I32, Scalar::U64, Scalar::I64, Scalar::U8]);
        let value = self.expr(Type::Scalar(ty), 2);
        let mut next = 0;
        let cases = (0..self.choices.below(4)).map(|_| {
            let values = (0..=self.choices.below(2)).map(|_| {
                next += 1 + self.choices.below(5) as u64;
                next
            });
            (values.collect::<Vec<_>>(), self.block(depth + 1))
        });
        let cases = cases.collect();
        StmtKind::Switch { value, cases, default: self.block(depth + 1) }
    }

    fn everywhere(&mut self, depth: usize) -> StmtKind {
        let values: Vec<_> = (0..self.choices.below(3))
            .map(|_| {
                let ty = match self.choices.below(4) {
                    0 => Type::Record(PLAIN),
                    1 => Type::Buffer(Space::Global, self.choices.of(&Scalar::ALL)),
                    _ => self.scalar(),
                };
                self.expr(ty, 2)
            })
            .collect();
        let live = self.live.len();
        self.level += 1;
        let captures = values.into_iter().map(|value| (self.declare(value.ty, false, true), value)).collect();
        let loops = std::mem::take(&mut self.loops);
        let body = self.block(depth + 1);
        self.loops = loops;
        self.level -= 1;
        self.live.truncate(live);
        StmtKind::Everywhere { captures, body }
    }

    fn declaration(&mut self) -> StmtKind {
        if self.choices.chance(6) {
            return self.array(Space::Local).kind;
        }
        let ty = match self.choices.below(6) {
            0 => Type::Record(PLAIN),
            1 => Type::Buffer(Space::Global, self.choices.of(&Scalar::ALL)),
            _ => self.scalar(),
        };
        let value = (!self.choices.chance(4)).then(|| self.expr(ty, 4));
        StmtKind::Declare { var: self.declare(ty, true, false), value }
    }

    fn assignment(&mut self) -> StmtKind {
        let writable: Vec<_> =
            self.live.iter().filter(|l| l.writable && l.level == self.level).map(|l| l.var).collect();
        if writable.is_empty() || self.choices.chance(2) {
            let place = self.element();
            let value = self.expr(place.ty, 3);
            return StmtKind::Assign { place, value };
        }
        let var = self.choices.of(&writable);
        let ty = self.function.vars[var].ty;
        let mut place = Place { base: PlaceBase::Var(var), field: None, ty };
        if ty == Type::Record(PLAIN) && self.choices.chance(2) {
            place = self.field_of(place);
        }
        let value = self.expr(place.ty, 4);
        StmtKind::Assign { place, value }
    }

    fn field_of(&mut self, place: Place) -> Place {
        let fields = &self.module.records[PLAIN].fields;
        let field = self.choices.below(fields.len());
        Place { base: place.base, field: Some(field as u32), ty: fields[field].ty }
    }

    /// An element of one of the launch's buffers.
    fn element(&mut self) -> Place {
        let ty = match self.choices.chance(3) {
            true => Type::Record(PLAIN),
            false => self.scalar(),
        };
        let base = PlaceBase::Element { buffer: Box::new(self.buffer(ty)), index: Box::new(self.index()) };
        let place = Place { base, field: None, ty };
        if ty == Type::Record(PLAIN) && self.choices.chance(2) { self.field_of(place) } else { place }
    }

    fn buffer(&mut self, element: Type) -> Expr {
        let wanted: Vec<_> =
            self.visible().filter(|&v| self.function.vars[v].ty.element() == Some(element)).collect();
        if !wanted.is_empty() && self.choices.chance(2) {
            let var = self.choices.of(&wanted);
            return Expr::new(ExprKind::Var(var), self.function.vars[var].ty);
        }
        let (field, ty) = match element {
            Type::Scalar(s) => {
                let i = Scalar::ALL.iter().position(|&t| t == s).unwrap_or(0);
                (i as u32, Type::Buffer(Space::Global, s))
            }
            _ => (Scalar::ALL.len() as u32, Type::Records(Space::Global, PLAIN)),
        };
        let launch = Expr::new(ExprKind::Var(self.function.params[0]), Type::Record(LAUNCH));
        Expr::new(ExprKind::Field(Box::new(launch), field), ty)
    }

    fn index(&mut self) -> Expr {
        let ty = self.choices.of(&[Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64]);
        self.expr(Type::Scalar(ty), 2)
    }

    fn uniform(&mut self) -> StmtKind {
        let scalars: Vec<VarId> =
            self.visible().filter(|&v| self.function.vars[v].ty.scalar().is_some()).collect();
        if scalars.is_empty() {
            return StmtKind::Fence(Scope::Block);
        }
        let var = self.choices.of(&scalars);
        let value = Expr::new(ExprKind::Var(var), self.function.vars[var].ty);
        let scope = self.choices.of(&[Scope::Block, Scope::Device]);
        StmtKind::Uniform { name: "the same".into(), scope, value }
    }

    fn visible(&self) -> impl Iterator<Item = VarId> + '_ {
        self.live.iter().filter(|l| l.level == self.level || l.uniform).map(|l| l.var)
    }

    fn effect(&mut self) -> StmtKind {
        let (effect, ty) = match self.choices.below(7) {
            0 => (Effect::ActiveMask, Type::U32),
            6 => (Effect::Cycles, Type::U32),
            1 => {
                let op = self.choices.of(&[VoteOp::Ballot, VoteOp::Any, VoteOp::All]);
                let ty = if op == VoteOp::Ballot { Type::U32 } else { Type::BOOL };
                (Effect::Vote { op, mask: self.expr(Type::U32, 2), predicate: self.expr(Type::BOOL, 3) }, ty)
            }
            2 => {
                let op = self.choices.of(&[ShuffleOp::Index, ShuffleOp::Up, ShuffleOp::Down, ShuffleOp::Xor]);
                let ty = Type::Scalar(self.choices.of(&[Scalar::U32, Scalar::I64, Scalar::F64]));
                let (mask, lane) = (self.expr(Type::U32, 2), self.expr(Type::U32, 2));
                (Effect::Shuffle { op, mask, value: self.expr(ty, 3), lane }, ty)
            }
            3 => match self.call() {
                Some(call) => call,
                None => (Effect::ActiveMask, Type::U32),
            },
            _ => self.atomic(),
        };
        let result = match self.choices.below(3) {
            _ if ty == Type::Void => None,
            0 => None,
            _ => Some(Target::Declare(self.declare(ty, true, false))),
        };
        StmtKind::Effect { result, effect }
    }

    fn atomic(&mut self) -> (Effect, Type) {
        let op = self.choices.of(&names::ATOMICS);
        let order = self.choices.of(names::atomic_orders(op));
        let scope = self.choices.of(&[Scope::Block, Scope::Device]);
        let ty = Type::Scalar(self.choices.of(&[Scalar::U32, Scalar::I32, Scalar::U64, Scalar::I64]));
        let buffer = self.buffer(ty);
        let count = match op {
            _ if buffer.ty.space() == Some(Space::Local) => return (Effect::ActiveMask, Type::U32),
            AtomicOp::Load => 0,
            AtomicOp::CompareExchange => 2,
            _ => 1,
        };
        let base = PlaceBase::Element { buffer: Box::new(buffer), index: Box::new(self.index()) };
        let operands = (0..count).map(|_| self.expr(ty, 3)).collect();
        let result = if op == AtomicOp::Store { Type::Void } else { ty };
        (Effect::Atomic { op, order, scope, place: Place { base, field: None, ty }, operands }, result)
    }

    fn call(&mut self) -> Option<(Effect, Type)> {
        let callable: Vec<_> = self
            .module
            .functions
            .iter_enumerated()
            .filter(|(_, f)| !f.is_kernel())
            .map(|(id, _)| id)
            .collect();
        if callable.is_empty() {
            return None;
        }
        let function = self.choices.of(&callable);
        let callee = &self.module.functions[function];
        let mut args = Vec::new();
        for &param in &callee.params {
            let ty = callee.vars[param].ty;
            let fits = match ty.space() {
                Some(Space::Shared | Space::Local) => {
                    self.visible().find(|&v| self.function.vars[v].ty == ty)
                }
                _ if ty == Type::Record(LAUNCH) => Some(self.function.params[0]),
                _ => None,
            };
            args.push(match (fits, ty.space()) {
                (Some(var), _) => Expr::new(ExprKind::Var(var), ty),
                (None, Some(Space::Shared | Space::Local)) => return None,
                (None, _) => self.expr(ty, 2),
            });
        }
        Some((Effect::Call { function, args }, callee.result))
    }

    fn expr(&mut self, ty: Type, depth: usize) -> Expr {
        let known: Vec<_> = self.visible().filter(|&v| self.function.vars[v].ty == ty).collect();
        if !known.is_empty() && self.choices.chance(2) {
            return Expr::new(ExprKind::Var(self.choices.of(&known)), ty);
        }
        let kind = match ty {
            Type::Scalar(s) if depth == 0 => ExprKind::Literal(literal(self.choices, s)),
            Type::Scalar(s) => self.scalar_expr(s, depth - 1),
            Type::Record(r) if depth == 0 || self.choices.chance(2) => {
                let fields =
                    self.module.records[r].fields.iter().map(|f| self.expr(f.ty, depth.saturating_sub(1)));
                ExprKind::Record(fields.collect())
            }
            Type::Record(_) => {
                ExprKind::Element { buffer: Box::new(self.buffer(ty)), index: Box::new(self.index()) }
            }
            Type::Buffer(_, s) if depth > 0 && self.choices.chance(3) => {
                let (a, b) = (self.expr(ty, 0), self.expr(ty, 0));
                let _ = s;
                ExprKind::Select(Box::new(self.expr(Type::BOOL, depth - 1)), Box::new(a), Box::new(b))
            }
            Type::Buffer(_, s) => {
                let field = Scalar::ALL.iter().position(|&t| t == s).unwrap_or(0) as u32;
                let launch = Expr::new(ExprKind::Var(self.function.params[0]), Type::Record(LAUNCH));
                ExprKind::Field(Box::new(launch), field)
            }
            Type::Records(..) | Type::Void => {
                let launch = Expr::new(ExprKind::Var(self.function.params[0]), Type::Record(LAUNCH));
                ExprKind::Field(Box::new(launch), Scalar::ALL.len() as u32)
            }
        };
        Expr::new(kind, ty)
    }

    fn scalar_expr(&mut self, s: Scalar, depth: usize) -> ExprKind {
        let ty = Type::Scalar(s);
        match self.choices.below(10) {
            0 => ExprKind::Literal(literal(self.choices, s)),
            1 => {
                let id = self.module.constants.ids().find(|&c| self.module.constants[c].ty == s);
                id.map_or(ExprKind::Literal(Literal::Int(0)), ExprKind::Constant)
            }
            2 => {
                let from = self.scalar();
                ExprKind::Cast(Box::new(self.expr(from, depth)))
            }
            3 => {
                let c = self.expr(Type::BOOL, depth);
                ExprKind::Select(Box::new(c), Box::new(self.expr(ty, depth)), Box::new(self.expr(ty, depth)))
            }
            4 => ExprKind::Element { buffer: Box::new(self.buffer(ty)), index: Box::new(self.index()) },
            5 => self.field(s).unwrap_or(ExprKind::Literal(literal(self.choices, s))),
            6 => self.unary(s, depth),
            _ => self.binary(s, depth),
        }
    }

    fn field(&mut self, s: Scalar) -> Option<ExprKind> {
        let field = self.module.records[PLAIN].fields.iter().position(|f| f.ty == Type::Scalar(s))?;
        Some(ExprKind::Field(Box::new(self.expr(Type::Record(PLAIN), 1)), field as u32))
    }

    fn unary(&mut self, s: Scalar, depth: usize) -> ExprKind {
        let ops: &[UnaryOp] = match s {
            Scalar::Bool => &[UnaryOp::Not],
            Scalar::F64 => &[UnaryOp::Neg],
            Scalar::U8 => return ExprKind::Literal(literal(self.choices, s)),
            _ => &[UnaryOp::Neg, UnaryOp::BitNot],
        };
        let op = self.choices.of(ops);
        ExprKind::Unary(op, Box::new(self.expr(Type::Scalar(s), depth)))
    }

    fn binary(&mut self, s: Scalar, depth: usize) -> ExprKind {
        use BinaryOp as B;
        let ty = Type::Scalar(s);
        let (ops, left, right): (&[BinaryOp], Type, Type) = match s {
            Scalar::Bool if self.choices.chance(2) => (&[B::AndAlso, B::OrElse], ty, ty),
            Scalar::Bool => {
                let operand = self.scalar();
                let ops: &[BinaryOp] = match operand {
                    Type::BOOL => &[B::Eq, B::Ne],
                    _ => &[B::Eq, B::Ne, B::Lt, B::Le, B::Gt, B::Ge],
                };
                (ops, operand, operand)
            }
            Scalar::U8 => return ExprKind::Literal(literal(self.choices, s)),
            Scalar::F64 => (&[B::Add, B::Sub, B::Mul, B::Div], ty, ty),
            _ if self.choices.chance(4) => (&[B::Shl, B::Shr], ty, self.choices.of(&[Type::U32, Type::I64])),
            Scalar::U32 if self.choices.chance(4) => return self.intrinsic(depth),
            _ => (&[B::Add, B::Sub, B::Mul, B::Div, B::Rem, B::And, B::Or, B::Xor], ty, ty),
        };
        let op = self.choices.of(ops);
        ExprKind::Binary(op, Box::new(self.expr(left, depth)), Box::new(self.expr(right, depth)))
    }

    /// A built-in function or position with a `u32`.
    fn intrinsic(&mut self, depth: usize) -> ExprKind {
        use Intrinsic as I;
        match self.choices.below(3) {
            0 => ExprKind::Special(self.choices.of(&[
                Special::ThreadInBlock,
                Special::Block,
                Special::BlockSize,
                Special::GridSize,
                Special::Lane,
            ])),
            1 => {
                let f = self.choices.of(&[I::PopCount, I::FindFirstSet, I::LeadingZeros]);
                let ty = self.choices.of(&[Type::U32, Type::U64]);
                ExprKind::Intrinsic(f, vec![self.expr(ty, depth)])
            }
            _ => {
                let f = self.choices.of(&[I::Min, I::Max, I::MulHigh]);
                ExprKind::Intrinsic(f, vec![self.expr(Type::U32, depth), self.expr(Type::U32, depth)])
            }
        }
    }
}
