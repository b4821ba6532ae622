//! Functions over the arguments of a slot, unrolled for the program's largest arity.

use super::{ARITY_SHIFT, Runtime};
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;

/// The function for one of the template's holes `first_waiting`, `retain_arguments`, `release_arguments` and `renamed`.
pub(in crate::topology) fn argument_function(hole: &str, module: &Module, max_arity: usize) -> Function {
    let runtime = Runtime::new(module);
    let result = runtime.function(hole);
    let mut b = FunctionBuilder::new(hole, FunctionKind::Device, module.functions[result].result);
    let p = b.param("p", Type::Record(runtime.params));
    let t = b.param("t", Type::Record(runtime.term));
    let head = build::field(module, t.clone(), "head");
    let shifted = build::binary(BinaryOp::Shr, head.clone(), build::u32(ARITY_SHIFT));
    let arity = b.var("arity", build::binary(BinaryOp::And, shifted, build::u32(0xff)));
    let child = |k: usize| build::field_at(module, t.clone(), 1 + k as u32);
    let exists = |k: usize| build::binary(BinaryOp::Lt, build::u32(k as u32), arity.clone());
    match hole {
        "first_waiting" => {
            let start = build::binary(BinaryOp::Shr, head, build::u32(24));
            let at = b.var("at", start);
            for k in 0..max_arity {
                let here = build::eq(at.clone(), build::u32(k as u32));
                let flags = build::field(module, p.clone(), "nf_read");
                let flag = build::element(flags, child(k));
                let zero = Expr::new(ExprKind::Literal(Literal::Int(0)), Type::Scalar(Scalar::U8));
                let normal = build::binary(BinaryOp::Ne, flag, zero);
                b.when(build::all([here, exists(k), normal]), |b| {
                    b.assign(at.clone(), build::u32(k as u32 + 1))
                });
            }
            b.ret(Some(at));
        }
        "retain_arguments" => {
            let retain = runtime.function("retain");
            for k in 0..max_arity {
                b.when(exists(k), |b| b.run(retain, vec![p.clone(), child(k), build::u32(1)]));
            }
        }
        "release_arguments" => {
            let release = runtime.function("release");
            for k in 0..max_arity {
                b.when(exists(k), |b| b.run(release, vec![p.clone(), child(k)]));
            }
        }
        "renamed" => {
            let keys = build::field(module, p, "keys");
            let value = b.var("value", t.clone());
            for k in 0..max_arity {
                let to = build::field_at(module, value.clone(), 1 + k as u32);
                b.when(exists(k), |b| b.assign(to, build::element(keys.clone(), child(k))));
            }
            b.ret(Some(value));
        }
        other => unreachable!("{other} is not about arguments"),
    }
    b.finish()
}
