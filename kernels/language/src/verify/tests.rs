//! Broken invariants that no text can express, and the codes of those that it can.

use super::{verify, verify_closed};
use crate::ir::*;
use crate::testing::module;

const GOOD: &str = "struct Launch { u32* data; };\nconstexpr u32 N = 4u;\n\
    __device__ __forceinline__ u32 twice(u32 x) {\nreturn x * 2u;\n}\n\
    extern \"C\" __global__ void __launch_bounds__(64) k(Launch p, u32 n) {\n\
    u32 x = twice(n);\nif (x < N) {\np.data[x] = x;\n}\n}\n";

/// The codes that are found after a change of a good module.
fn codes(change: impl FnOnce(&mut Module)) -> Vec<&'static str> {
    let mut changed = module(GOOD);
    change(&mut changed);
    verify(&changed).iter().map(|d| d.code).collect()
}

const TWICE: FunctionId = FunctionId(0);
const KERNEL: FunctionId = FunctionId(1);

#[test]
fn a_good_module_passes() {
    assert_eq!(codes(|_| {}), Vec::<&str>::new());
    assert_eq!(verify_closed(&module(GOOD)), vec![]);
}

#[test]
fn calls_go_to_earlier_functions_that_are_no_kernels() {
    let call = |function| {
        StmtKind::Effect { result: None, effect: Effect::Call { function, args: Vec::new() } }.into()
    };
    assert_eq!(codes(|m| m.functions[TWICE].body.insert(0, call(TWICE))), ["K0103"]);
    assert_eq!(codes(|m| m.functions[TWICE].body.insert(0, call(KERNEL))), ["K0103"]);
    assert_eq!(codes(|m| m.functions[TWICE].body.insert(0, call(FunctionId(9)))), ["K0103"]);
}

#[test]
fn ids_that_lead_nowhere_are_found() {
    let var = |id| StmtKind::Return(Some(Expr::new(ExprKind::Var(VarId(id)), Type::U32))).into();
    assert_eq!(codes(|m| m.functions[TWICE].body = vec![var(7)]), ["K0102", "K0101"]);
    let constant = Expr::new(ExprKind::Constant(ConstantId(7)), Type::U32);
    let constant = StmtKind::Return(Some(constant)).into();
    assert_eq!(codes(|m| m.functions[TWICE].body = vec![constant]), ["K0101"]);
    assert_eq!(codes(|m| m.functions[TWICE].params.push(VarId(7))), ["K0109"]);
    assert_eq!(
        codes(|m| m.functions[TWICE].vars[VarId(0)].ty = Type::Record(RecordId(7))),
        ["K0109", "K0101", "K0103"]
    );
    let assign = StmtKind::Assign {
        place: Place { base: PlaceBase::Var(VarId(9)), field: None, ty: Type::U32 },
        value: Expr::new(ExprKind::Special(Special::Lane), Type::U32),
    };
    assert_eq!(codes(|m| m.functions[TWICE].body.insert(0, assign.into())), ["K0102"]);
}

#[test]
fn simulated_blocks_compute_and_read() {
    let x = VarId(2);
    let within = |kind: StmtKind| {
        codes(|m| m.functions[KERNEL].body.insert(1, StmtKind::Simulated(vec![kind.into()]).into()))
    };
    let one = || Expr::new(ExprKind::Literal(Literal::Int(1)), Type::U32);
    let assign = |base| StmtKind::Assign { place: Place { base, field: None, ty: Type::U32 }, value: one() };
    let declare =
        StmtKind::Effect { result: None, effect: Effect::Call { function: TWICE, args: vec![one()] } };
    assert_eq!(within(declare), Vec::<&str>::new());
    assert_eq!(within(StmtKind::Barrier), ["K0111"]);
    assert_eq!(within(StmtKind::Return(None)), ["K0111"]);
    assert_eq!(within(assign(PlaceBase::Var(x))), ["K0111"]);
    let launch = Expr::new(ExprKind::Var(VarId(0)), Type::Record(RecordId(0)));
    let data = Expr::new(ExprKind::Field(Box::new(launch), 0), Type::Buffer(Space::Global, Scalar::U32));
    let element = PlaceBase::Element { buffer: Box::new(data), index: Box::new(one()) };
    assert_eq!(within(assign(element)), ["K0111", "K0111"]);
}

#[test]
fn types_names_and_comments_are_checked() {
    assert_eq!(codes(|m| m.functions[TWICE].body[0].origin.comment = Some("ends in \\".into())), ["K0106"]);
    assert_eq!(codes(|m| m.functions[TWICE].doc.push("two\nlines".into())), ["K0106"]);
    for name in ["", "5x", "a b", "while", "x__y", "ballot", "min", "gchr_x", "leave_1", "threadIdx", "ü"] {
        assert!(codes(|m| m.functions[TWICE].name = name.into()).contains(&"K0106"), "{name}");
        assert!(codes(|m| m.functions[TWICE].vars[VarId(0)].name = name.into()).contains(&"K0106"), "{name}");
    }
    assert_eq!(
        codes(|m| m.constants[ConstantId(0)].value = ConstantValue::Given(Literal::Int(1 << 32))),
        ["K0109"]
    );
    assert_eq!(
        codes(|m| m.constants[ConstantId(0)].value = ConstantValue::Given(Literal::Bool(true))),
        ["K0109"]
    );
    assert_eq!(
        codes(|m| m.records[RecordId(0)].fields[0].ty = Type::Record(RecordId(0))),
        ["K0109", "K0101"]
    );
    assert_eq!(codes(|m| m.functions[TWICE].result = Type::U64), ["K0101", "K0101"]);
}

#[test]
fn open_holes_are_found_where_all_must_be_filled() {
    let open = module("struct Open;\nconstexpr u32 N = HOLE;\n__device__ void f(Open p);\n");
    assert_eq!(verify(&open), vec![]);
    assert_eq!(verify_closed(&open).iter().map(|d| d.code).collect::<Vec<_>>(), ["K0107"; 3]);
}

#[test]
fn depth_is_limited_without_recursion_beyond_the_limit() {
    let mut deep = Expr::new(ExprKind::Special(Special::Lane), Type::U32);
    for _ in 0..1000 {
        deep = Expr::new(ExprKind::Unary(UnaryOp::BitNot, Box::new(deep)), Type::U32);
    }
    let deep = StmtKind::Return(Some(deep)).into();
    assert!(codes(|m| m.functions[TWICE].body = vec![deep]).contains(&"K0110"));
    let mut nested = Vec::new();
    for _ in 0..1000 {
        let condition = Expr::new(ExprKind::Literal(Literal::Bool(true)), Type::BOOL);
        nested = vec![StmtKind::If { condition, then: nested, otherwise: Vec::new() }.into()];
    }
    assert!(codes(|m| m.functions[KERNEL].body = nested).contains(&"K0110"));
}
