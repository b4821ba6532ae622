//! How elements of buffers lie in memory: as C lays out scalars and structs.

use gchr_base::ids::IdVec;

use gchr_kernel::ir::{Record, RecordId, Scalar, Type};

/// Layout of an element: a scalar, or the fields of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// Bytes from one element to the next.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Byte offset and type of each field; one for a scalar.
    pub fields: Vec<(u32, Scalar)>,
}

impl Layout {
    /// Layout of a scalar.
    pub fn scalar(scalar: Scalar) -> Self {
        Self { size: scalar.bytes(), align: scalar.bytes(), fields: vec![(0, scalar)] }
    }
    /// Layout of a record of scalars; `None` when a field is no scalar, or when it does not fit 32 bits.
    pub fn record(record: &Record) -> Option<Self> {
        let mut fields = Vec::with_capacity(record.fields.len());
        let mut end = 0u32;
        let mut align = record.align.unwrap_or(1).max(1);
        for field in &record.fields {
            let scalar = field.ty.scalar()?;
            let offset = end.checked_next_multiple_of(scalar.bytes())?;
            align = align.max(scalar.bytes());
            end = offset.checked_add(scalar.bytes())?;
            fields.push((offset, scalar));
        }
        let size = end.checked_next_multiple_of(align)?;
        (size > 0).then_some(Self { size, align, fields })
    }
    /// Layout of the elements of a buffer type; `None` for other types and for records with buffers.
    pub fn element_of(ty: Type, records: &IdVec<RecordId, Record>) -> Option<Self> {
        match ty {
            Type::Buffer(_, scalar) => Some(Self::scalar(scalar)),
            Type::Records(_, id) => Self::record(records.get(id)?),
            _ => None,
        }
    }
    /// Whether memory may be seen as elements of either layout at a time: both are arrays of the same scalar.
    pub fn overlays(&self, other: &Layout) -> bool {
        let scalar = |layout: &Layout| {
            let &(_, first) = layout.fields.first()?;
            let same = layout.fields.iter().all(|f| f.1 == first);
            (same && layout.size == first.bytes() * layout.fields.len() as u32).then_some(first)
        };
        self == other || scalar(self).is_some_and(|s| scalar(other) == Some(s))
    }
    /// Number of scalars in an element.
    pub fn cells(&self) -> usize {
        self.fields.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_kernel::ir::Field;

    fn record(fields: &[Scalar], align: Option<u32>) -> Record {
        let fields = fields.iter().enumerate();
        let fields = fields.map(|(i, &s)| Field { name: format!("f{i}"), ty: Type::Scalar(s) }).collect();
        Record { name: "R".into(), fields, align }
    }

    #[test]
    fn fields_are_aligned_and_elements_padded() {
        let layout =
            Layout::record(&record(&[Scalar::U8, Scalar::U32, Scalar::Bool, Scalar::I64], None)).unwrap();
        assert_eq!(layout.fields.iter().map(|f| f.0).collect::<Vec<_>>(), [0, 4, 8, 16]);
        assert_eq!((layout.size, layout.align), (24, 8));
    }

    #[test]
    fn alignment_rounds_the_size_up() {
        let layout = Layout::record(&record(&[Scalar::U32; 3], Some(16))).unwrap();
        assert_eq!((layout.size, layout.align), (16, 16));
        assert_eq!(Layout::record(&record(&[], None)), None);
    }

    #[test]
    fn arrays_of_one_scalar_overlay_each_other() {
        let [word, pair, padded] = [1, 2, 3].map(|n| Layout::record(&record(&vec![Scalar::U32; n], Some(8))));
        let (word, pair, padded) = (word.unwrap(), pair.unwrap(), padded.unwrap());
        assert!(pair.overlays(&Layout::scalar(Scalar::U32)) && pair.overlays(&pair));
        assert!(!pair.overlays(&padded) && !pair.overlays(&word) && padded.overlays(&padded));
        assert!(!pair.overlays(&Layout::scalar(Scalar::I32)));
    }
}
