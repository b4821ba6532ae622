//! Functions over the arguments of a slot, unrolled for the program's largest arity.

use super::Runtime;
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_kernel::template::FieldId;

/// The function for one of the template's holes `first_waiting`, `retain_arguments`, `release_arguments` and `renamed`.
pub(in crate::topology) fn argument_function(
    hole: FunctionId,
    runtime: Runtime<'_>,
    max_arity: usize,
) -> Function {
    let Runtime { module, names } = runtime;
    let (functions, format) = (names.functions, names.format);
    let Function { name, result, .. } = &module.functions[hole];
    let mut b = FunctionBuilder::new(name.as_str(), FunctionKind::Device, *result);
    let p = b.param("p", Type::Record(names.params.record));
    let t = b.param("t", Type::Record(names.term.record));
    let param = |field: FieldId| build::field_at(module, p.clone(), field.0);
    let head = build::field_at(module, t.clone(), names.term.head.0);
    let shifted = build::binary(BinaryOp::Shr, head.clone(), build::u32(format.arity_shift));
    let arity = b.var("arity", build::binary(BinaryOp::And, shifted, build::u32(format.arity_mask)));
    let child = |k: usize| build::field_at(module, t.clone(), 1 + k as u32);
    let exists = |k: usize| build::binary(BinaryOp::Lt, build::u32(k as u32), arity.clone());
    match hole {
        hole if hole == functions.first_waiting => {
            let start = build::binary(BinaryOp::Shr, head, build::u32(format.waiting_shift));
            let at = b.var("at", start);
            for k in 0..max_arity {
                let here = build::eq(at.clone(), build::u32(k as u32));
                let flags = param(names.params.nf_read);
                let flag = build::element(flags, child(k));
                let zero = Expr::new(ExprKind::Literal(Literal::Int(0)), Type::Scalar(Scalar::U8));
                let normal = build::binary(BinaryOp::Ne, flag, zero);
                b.when(build::all([here, exists(k), normal]), |b| {
                    b.assign(at.clone(), build::u32(k as u32 + 1))
                });
            }
            b.ret(Some(at));
        }
        hole if hole == functions.retain_arguments => {
            let retain = functions.retain;
            for k in 0..max_arity {
                b.when(exists(k), |b| b.run(retain, vec![p.clone(), child(k), build::u32(1)]));
            }
        }
        hole if hole == functions.release_arguments => {
            let release = functions.release;
            for k in 0..max_arity {
                b.when(exists(k), |b| b.run(release, vec![p.clone(), child(k)]));
            }
        }
        _ => {
            let keys = param(names.params.keys);
            let value = b.var("value", t.clone());
            for k in 0..max_arity {
                let to = build::field_at(module, value.clone(), 1 + k as u32);
                b.when(exists(k), |b| b.assign(to, build::element(keys.clone(), child(k))));
            }
            b.ret(Some(value));
        }
    }
    b.finish()
}
