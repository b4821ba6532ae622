//! CSV form of a store: one constraint a line, its name and its arguments, no header. So the place of a value never
//! depends on what else the store holds.

use std::fmt::Write as _;
use std::io::{self, Write};

use gchr_base::signature::Signature;
use gchr_constraints::exec::Store;

pub(super) fn write(store: &Store, signature: &Signature, out: &mut impl Write) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().flexible(true).buffer_capacity(1 << 16).from_writer(out);
    let mut text = String::new();
    for (id, constraint) in signature.constraints.iter_enumerated() {
        for row in store.rows(signature, id).iter() {
            writer.write_field(&constraint.name)?;
            for value in row.values() {
                text.clear();
                write!(text, "{}", value.plain()).map_err(io::Error::other)?;
                writer.write_field(&text)?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
    }
    writer.flush()
}
