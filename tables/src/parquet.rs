//! Parquet files: each row group is a part.

use std::io;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::reader::{ChunkReader, Length};
use arrow_schema::{DataType, Field, Schema};
use gchr_base::reading::Account;

use crate::random_access::{FromHere, RandomAccess};
use crate::{Batch, Column, Error, arrays, guard};

/// Rows that are decoded at a time.
const ROWS: usize = 1 << 15;

/// An open file.
pub struct ParquetFile {
    file: RandomAccess,
    metadata: ArrowReaderMetadata,
    columns: Vec<Column>,
    /// For each row group its first row.
    firsts: Vec<u64>,
}

impl ParquetFile {
    pub fn open(file: RandomAccess) -> Result<Self, Error> {
        let metadata = guard::decode(|| {
            let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            let metadata = ArrowReaderMetadata::load(&file, plain)?;
            let options = ArrowReaderOptions::new().with_schema(Arc::new(by_views(metadata.schema())));
            Ok(ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)?)
        })?;
        let columns = arrays::columns(metadata.schema())?;
        let (mut firsts, mut rows) = (Vec::new(), 0u64);
        for group in metadata.metadata().row_groups() {
            firsts.push(rows);
            let more = u64::try_from(group.num_rows());
            let next = more.ok().and_then(|more| rows.checked_add(more));
            rows = next.ok_or_else(|| Error::Damaged("a number of rows is out of range".into()))?;
        }
        Ok(Self { file, metadata, columns, firsts })
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn parts(&self) -> usize {
        self.firsts.len()
    }

    /// Gives the batches of a row group.
    pub fn read<E: From<Error>>(
        &self,
        part: usize,
        account: &Account,
        take: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone());
        let builder = builder.with_row_groups(vec![part]).with_batch_size(ROWS);
        let mut reader = guard::decode(|| Ok(builder.build()?))?;
        let mut first = self.firsts[part];
        loop {
            let next = guard::decode(|| match reader.next() {
                Some(found) => {
                    let found = found?;
                    let bytes = found.get_array_memory_size() as u64;
                    Ok(Some((arrays::batch(&found, first)?, bytes)))
                }
                None => Ok(None),
            })?;
            let Some((batch, bytes)) = next else { break };
            first += batch.rows as u64;
            let fits = account.take(bytes);
            let taken = if fits { take(batch) } else { Err(no_room(account).into()) };
            account.give(bytes);
            taken?;
        }
        let wanted = self.metadata.metadata().row_group(part).num_rows();
        match first - self.firsts[part] == wanted as u64 {
            true => Ok(()),
            false => Err(Error::Damaged(format!("row group {part} has fewer rows than it says")).into()),
        }
    }
}

/// That a batch does not fit.
pub fn no_room(account: &Account) -> Error {
    Error::Memory(account.reason("a batch of rows".into()))
}

/// The same columns, with texts as views of the pages that they are on: a short page can say that a long text stands
/// in each of many rows.
fn by_views(schema: &Schema) -> Schema {
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        _ => Arc::clone(field),
    };
    Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>())
}

impl Length for RandomAccess {
    fn len(&self) -> u64 {
        self.length()
    }
}

impl ChunkReader for RandomAccess {
    type T = io::BufReader<FromHere>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(self.reader(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        let out = |error: io::Error| ParquetError::External(Box::new(error));
        self.check(start, length as u64).map_err(out)?;
        let mut bytes = vec![0; length];
        self.read_exact_at(&mut bytes, start).map_err(out)?;
        Ok(bytes.into())
    }
}
