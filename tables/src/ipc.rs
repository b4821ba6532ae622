//! Arrow IPC: files, whose messages a footer lists, and streams of messages.
//!
//! The messages are cut out here and not by the library: so nothing is allocated for a length that the file has not,
//! and a stream without its end mark is known to be cut.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::{Block, Message, MessageHeader, reader, root_as_footer, root_as_message};
use arrow_schema::SchemaRef;
use gchr_base::memory;
use gchr_base::reading::Account;

use crate::parquet::no_room;
use crate::random_access::RandomAccess;
use crate::{Batch, Column, Error, arrays, guard};

/// What a file begins and ends with.
const MAGIC: &[u8; 6] = b"ARROW1";
/// Bytes behind the footer: its length, and the magic number.
const TAIL: u64 = 10;
/// What stands before the length of a message since the version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Bytes read at a time of a stream, whose length nobody knows.
const PIECE: u64 = 1 << 20;

/// What is known while messages are read.
struct Decoder {
    schema: SchemaRef,
    columns: Vec<Column>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Rows so far.
    rows: u64,
}

impl Decoder {
    fn new(schema: arrow_ipc::Schema<'_>) -> Result<Self, Error> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(Error::Damaged("its numbers have the bytes in the other order".into()));
        }
        let schema = Arc::new(try_fb_to_schema(schema)?);
        let columns = arrays::columns(&schema)?;
        Ok(Self { schema, columns, dictionaries: HashMap::new(), rows: 0 })
    }

    /// What a message adds: a batch, or nothing where it is a dictionary.
    fn message(&mut self, message: Message<'_>, body: &Buffer) -> Result<Option<Batch>, Error> {
        match message.header_type() {
            MessageHeader::DictionaryBatch => {
                let found = message.header_as_dictionary_batch().ok_or_else(no_header)?;
                fits(&found.data().ok_or_else(no_header)?, body)?;
                let (schema, known) = (&self.schema, &mut self.dictionaries);
                reader::read_dictionary(body, found, schema, known, &message.version())?;
                Ok(None)
            }
            MessageHeader::RecordBatch => {
                let found = message.header_as_record_batch().ok_or_else(no_header)?;
                fits(&found, body)?;
                let schema = Arc::clone(&self.schema);
                let found = reader::read_record_batch(
                    body,
                    found,
                    schema,
                    &self.dictionaries,
                    None,
                    &message.version(),
                )?;
                let batch = arrays::batch(&found, self.rows)?;
                self.rows += batch.rows as u64;
                Ok(Some(batch))
            }
            other => Err(Error::Damaged(format!("a message is neither rows nor a dictionary: {other:?}"))),
        }
    }
}

fn no_header() -> Error {
    Error::Damaged("a message has no header".into())
}

/// Whether there is memory for what the buffers of a message are unpacked to.
fn fits(batch: &arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Result<(), Error> {
    if batch.compression().is_none() {
        return Ok(());
    }
    let mut total = 0u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let Some(bytes) = start.checked_add(8).and_then(|end| body.get(start..end)) else { continue };
        let length = bytes.try_into().map_or(0, i64::from_le_bytes);
        // -1 is for what is not packed.
        total = total.saturating_add(u64::try_from(length).unwrap_or(0));
    }
    memory::ask(total).map_err(|shortage| Error::Memory(shortage.of("a batch of rows")))
}

/// Decodes a message, and gives its batch.
fn give<E: From<Error>>(
    decoder: &mut Decoder,
    (head, body): (&[u8], &Buffer),
    account: &Account,
    take: &mut dyn FnMut(Batch) -> Result<(), E>,
) -> Result<(), E> {
    let batch = guard::decode(|| decoder.message(parsed(head)?, body))?;
    let Some(batch) = batch else { return Ok(()) };
    let bytes = body.len() as u64;
    let fits = account.take(bytes);
    let taken = if fits { take(batch) } else { Err(no_room(account).into()) };
    account.give(bytes);
    taken
}

fn parsed(head: &[u8]) -> Result<Message<'_>, Error> {
    root_as_message(head).map_err(|error| Error::Damaged(format!("a message cannot be read: {error}")))
}

/// An open file.
pub struct IpcFile {
    file: RandomAccess,
    decoder: Decoder,
    /// Where the messages are: the dictionaries first.
    blocks: Vec<Block>,
}

impl IpcFile {
    pub fn open(file: RandomAccess) -> Result<Self, Error> {
        let cut = || Error::Damaged("it ends too early, or is no Arrow file".into());
        let mut start = [0; MAGIC.len()];
        file.read_exact_at(&mut start, 0)?;
        if start != *MAGIC {
            return Err(Error::Damaged("it does not begin as an Arrow file does".into()));
        }
        let at = file.length().checked_sub(TAIL).ok_or_else(cut)?;
        let mut tail = [0; TAIL as usize];
        file.read_exact_at(&mut tail, at)?;
        if tail[4..] != *MAGIC {
            return Err(cut());
        }
        let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        let begin = at.checked_sub(length).ok_or_else(cut)?;
        let mut footer = vec![0; length as usize];
        file.read_exact_at(&mut footer, begin)?;
        guard::decode(|| {
            let footer = root_as_footer(&footer)
                .map_err(|error| Error::Damaged(format!("its footer cannot be read: {error}")))?;
            let decoder = Decoder::new(footer.schema().ok_or_else(no_header)?)?;
            let dictionaries = footer.dictionaries().into_iter().flatten();
            let blocks = dictionaries.chain(footer.recordBatches().into_iter().flatten()).copied().collect();
            Ok(Self { file, decoder, blocks })
        })
    }

    pub fn columns(&self) -> &[Column] {
        &self.decoder.columns
    }

    pub fn read<E: From<Error>>(
        &mut self,
        account: &Account,
        take: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        for block in std::mem::take(&mut self.blocks) {
            let (head, body) = self.block(&block)?;
            give(&mut self.decoder, (&head, &body), account, take)?;
        }
        Ok(())
    }

    /// The head and the body of a message.
    fn block(&self, block: &Block) -> Result<(Vec<u8>, Buffer), Error> {
        let number = |n: i64| u64::try_from(n).map_err(|_| Error::Damaged("a length is below zero".into()));
        let (at, length) = (number(block.offset())?, number(i64::from(block.metaDataLength()))?);
        self.file.check(at, length)?;
        let mut head = vec![0; length as usize];
        self.file.read_exact_at(&mut head, at)?;
        let from = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
        if head.len() < from {
            return Err(Error::Damaged("a message has no length".into()));
        }
        head.drain(..from);
        let start = at.saturating_add(length);
        let length = number(block.bodyLength())?;
        self.file.check(start, length)?;
        let mut body = room(length)?;
        self.file.read_exact_at(&mut body, start)?;
        Ok((head, body.into()))
    }
}

/// Zeros in memory of the alignment that arrays ask for.
fn room(length: u64) -> Result<MutableBuffer, Error> {
    let asked = memory::ask(length).map_err(|shortage| Error::Memory(shortage.of("a batch of rows")));
    asked?;
    let length = usize::try_from(length).map_err(|_| Error::Damaged("a length is out of range".into()))?;
    MutableBuffer::try_from_len_zeroed(length).map_err(|error| Error::Damaged(error.to_string()))
}

/// An open stream.
pub struct IpcStream {
    input: Box<dyn Read + Send>,
    decoder: Decoder,
}

impl IpcStream {
    pub fn open(mut input: Box<dyn Read + Send>) -> Result<Self, Error> {
        let head = next_head(&mut input)?.ok_or_else(|| Error::Damaged("it is empty".into()))?;
        let decoder = guard::decode(|| {
            let message = parsed(&head)?;
            let schema = message.header_as_schema();
            Decoder::new(
                schema.ok_or_else(|| Error::Damaged("it does not begin as an Arrow stream does".into()))?,
            )
        })?;
        Ok(Self { input, decoder })
    }

    pub fn columns(&self) -> &[Column] {
        &self.decoder.columns
    }

    pub fn read<E: From<Error>>(
        &mut self,
        account: &Account,
        take: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(head) = next_head(&mut self.input)? {
            let length = guard::decode(|| Ok(parsed(&head)?.bodyLength()))?;
            let body = self.body(length, account)?;
            give(&mut self.decoder, (&head, &body), account, take)?;
        }
        Ok(())
    }

    /// So many bytes of the stream; memory is taken as they come.
    fn body(&mut self, length: i64, account: &Account) -> Result<Buffer, Error> {
        let length = u64::try_from(length).map_err(|_| Error::Damaged("a length is below zero".into()))?;
        let mut body = MutableBuffer::new(0);
        while (body.len() as u64) < length {
            let more = (length - body.len() as u64).min(PIECE.max(body.len() as u64));
            if more > account.left() {
                return Err(no_room(account));
            }
            memory::ask(more).map_err(|shortage| Error::Memory(shortage.of("a batch of rows")))?;
            let before = body.len();
            body.resize(before + more as usize, 0);
            self.input.read_exact(&mut body[before..])?;
        }
        Ok(body.into())
    }
}

/// The head of the next message; nothing behind the mark of the end.
fn next_head(input: &mut impl Read) -> Result<Option<Vec<u8>>, Error> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    if length == CONTINUATION {
        input.read_exact(&mut length)?;
    }
    let length = i32::from_le_bytes(length);
    if length == 0 {
        return Ok(None);
    }
    let length = u64::try_from(length).map_err(|_| Error::Damaged("a length is below zero".into()))?;
    let mut head = Vec::new();
    let read = input.take(length).read_to_end(&mut head)?;
    if read as u64 == length {
        Ok(Some(head))
    } else {
        Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }
}
