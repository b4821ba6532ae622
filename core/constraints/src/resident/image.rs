//! A store without the process that it is in: what a saved session keeps. Constraints keep their ids, so that rules
//! find them in the same order afterwards.

use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::signature::{ConstraintId, Functors, Signature, SortId, SortKind};
use gchr_base::value::Heap;
use gchr_base::watch::Watch;
use serde::{Deserialize, Serialize};

use super::Resident;
use crate::exec::Store;
use crate::exec::image::{ImageRows, MAX_ID, Reader, Unrestored, Values, Writer};
use crate::exec::table::Table;

/// A store as plain data.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Image {
    /// The id of the next constraint.
    next_id: u64,
    values: Values,
    /// By constraint symbol, in the order of the signature; none before the first run.
    tables: Vec<ImageRows>,
}

impl Image {
    /// What the columns of each symbol hold that has constraints.
    pub fn kinds(&self) -> Vec<(ConstraintId, Vec<SortKind>)> {
        let inhabited = self.tables.iter().enumerate().filter(|(_, rows)| !rows.ids.is_empty());
        let kinds = |rows: &ImageRows| rows.kinds.iter().map(|kind| kind.sort()).collect();
        inhabited.map(|(at, rows)| (ConstraintId::from_index(at), kinds(rows))).collect()
    }
}

impl Resident {
    /// The store as plain data; `signature` is that of the program that ran. The reason where there is no room for
    /// it, or where the watch says so.
    pub fn image(&self, signature: &Signature, watch: &Watch<'_>) -> Result<Image, StopReason> {
        let words: usize = self.store.tables.iter().map(|table| table.live() * (1 + table.kinds.len())).sum();
        memory::ask(8 * words as u64).map_err(|shortage| shortage.of("a saved session"))?;
        let mut writer = Writer::new(&self.store.heap, watch.clone());
        let tables = self.store.tables.iter().map(|table| writer.rows(table, 0..self.next_id));
        let tables = tables.collect::<Result<_, StopReason>>()?;
        Ok(Image { next_id: self.next_id, values: writer.values(signature), tables })
    }

    /// A store of an image, with texts and functors that the signature has or gets. `any` is the sort of all values.
    /// The watch stops it.
    pub fn restore(
        image: Image,
        signature: &mut Signature,
        any: SortId,
        depth: usize,
        watch: &Watch<'_>,
    ) -> Result<Self, Unrestored> {
        let Image { next_id, values, tables } = image;
        if !tables.is_empty() && tables.len() != signature.constraints.len() {
            return Err(Unrestored::Damaged("it has other constraints"));
        }
        if next_id > MAX_ID {
            return Err(Unrestored::Damaged("it has too many constraints"));
        }
        let mut heap = Heap::new();
        let texts = values.texts().map(|text| signature.texts.intern(text)).collect();
        let mut known = Functors::of(signature, any);
        let symbol = |name: &str, arity| Some(known.functor(signature, name, arity, None));
        let reader = Reader::new(&values, &mut heap, watch.clone(), texts, symbol)?;
        let made = tables.iter().zip(signature.constraints.iter());
        let made = made.map(|(rows, c)| plain(&reader, rows, &c.name, c.columns.len(), next_id));
        let tables = made.collect::<Result<Vec<Table>, Unrestored>>()?;
        let store = Store { tables, heap };
        Ok(Self { store, next_id, ..Self::new(depth) })
    }
}

/// A table of these constraints, without indexes.
fn plain(
    reader: &Reader<'_>,
    rows: &ImageRows,
    name: &str,
    arity: usize,
    next_id: u64,
) -> Result<Table, Unrestored> {
    let kinds = rows.kinds.iter().map(|kind| kind.sort()).collect();
    let mut table = Table::plain(format!("{name}/{arity}"), kinds);
    reader.rows(rows, arity, next_id, |id, values| {
        let added = table.insert(id, values).map(drop);
        added.map_err(|full| Unrestored::Stopped(full.reason(format!("constraints {name}/{arity}"))))
    })?;
    Ok(table)
}
