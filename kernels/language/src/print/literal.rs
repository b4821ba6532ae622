//! Literals.

use crate::ir::*;

/// The text of a literal, which carries its type.
pub(super) fn literal(value: Literal, ty: Scalar) -> String {
    match (value, ty) {
        (Literal::Bool(b), _) => b.to_string(),
        (Literal::Float(x), _) => format!("{x:?}"),
        (Literal::Int(n), Scalar::I32) => match n as u32 as i32 {
            i32::MIN => "I32_MIN".to_string(),
            n => n.to_string(),
        },
        (Literal::Int(n), Scalar::I64) => match n as i64 {
            i64::MIN => "I64_MIN".to_string(),
            n => format!("{n}ll"),
        },
        (Literal::Int(n), Scalar::U64) => format!("{}ull", unsigned(n)),
        (Literal::Int(n), Scalar::U8) => format!("{n}_u8"),
        (Literal::Int(n), _) => format!("{}u", unsigned(n)),
    }
}

/// Masks and hash constants read better in hexadecimal.
fn unsigned(n: u64) -> String {
    if n >= 1 << 31 { format!("{n:#x}") } else { n.to_string() }
}
