//! Kernel arguments as bytes, laid out as C does it.

use gchr_kernel::device::{Arg, Value};

/// A parameter of a kernel, as the driver knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Param {
    /// Bytes.
    pub(super) size: usize,
}

/// Records whose elements are copied 16 bytes at a time are padded to a multiple of that.
const LARGEST_ALIGNMENT: usize = 16;

/// The bytes of all arguments, and where each starts.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Packed {
    /// Replaces the content by `args`, which are checked against the parameters. `address` gives the address of a
    /// buffer.
    pub(super) fn pack<E>(
        &mut self,
        args: &[Arg<'_>],
        params: &[Param],
        mut address: impl FnMut(gchr_kernel::device::BufferId) -> Result<u64, E>,
    ) -> Result<Result<(), String>, E> {
        self.bytes.clear();
        self.starts.clear();
        if args.len() != params.len() {
            return Ok(Err(format!("it takes {} arguments and is given {}", params.len(), args.len())));
        }
        for (index, (arg, param)) in args.iter().zip(params).enumerate() {
            let start = self.bytes.len().next_multiple_of(LARGEST_ALIGNMENT);
            self.bytes.resize(start, 0);
            let fields = match arg {
                Arg::Value(value) => std::slice::from_ref(value),
                Arg::Record(fields) => fields,
            };
            let mut alignment = 1;
            for field in fields {
                let (data, size) = encode(*field, &mut address)?;
                let at = start + (self.bytes.len() - start).next_multiple_of(size);
                self.bytes.resize(at, 0);
                self.bytes.extend_from_slice(&data[..size]);
                alignment = alignment.max(size);
            }
            let natural = (self.bytes.len() - start).next_multiple_of(alignment);
            let padded = natural.next_multiple_of(LARGEST_ALIGNMENT);
            let is_record = matches!(arg, Arg::Record(_));
            if param.size != natural && !(is_record && param.size == padded) {
                return Ok(Err(format!(
                    "argument {index} has {natural} bytes, the parameter {}",
                    param.size
                )));
            }
            self.bytes.resize(start + param.size, 0);
            self.starts.push(start);
        }
        Ok(Ok(()))
    }

    /// Pointers to the arguments, valid until the next call of [`pack`](Self::pack). Each is followed by as many bytes
    /// as its parameter has.
    pub(super) fn pointers(&self) -> impl Iterator<Item = *const u8> + '_ {
        self.starts.iter().map(|&start| self.bytes[start..].as_ptr())
    }
}

/// Bytes of a value, and how many of them; that is its alignment, too.
fn encode<E>(
    value: Value,
    address: &mut impl FnMut(gchr_kernel::device::BufferId) -> Result<u64, E>,
) -> Result<([u8; 8], usize), E> {
    let (bits, size) = match value {
        Value::Bool(v) => (u64::from(v), 1),
        Value::U8(v) => (u64::from(v), 1),
        Value::I32(v) => (u64::from(v.cast_unsigned()), 4),
        Value::U32(v) => (u64::from(v), 4),
        Value::I64(v) => (v.cast_unsigned(), 8),
        Value::U64(v) => (v, 8),
        Value::F64(v) => (v.to_bits(), 8),
        Value::Buffer(buffer) => (address(buffer)?, 8),
    };
    Ok((bits.to_le_bytes(), size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gchr_kernel::device::BufferId;

    fn packed(args: &[Arg<'_>], sizes: &[usize]) -> Result<Vec<Vec<u8>>, String> {
        let params: Vec<Param> = sizes.iter().map(|&size| Param { size }).collect();
        let mut packed = Packed::default();
        let address = |buffer: BufferId| Ok::<_, std::convert::Infallible>(0xab00 + u64::from(buffer.0));
        let Ok(fits) = packed.pack(args, &params, address);
        fits?;
        assert_eq!(packed.pointers().count(), sizes.len());
        Ok(packed.starts.iter().zip(sizes).map(|(s, n)| packed.bytes[*s..s + n].to_vec()).collect())
    }

    #[test]
    fn values_are_little_endian() {
        let args = [
            Arg::from(0x0102_0304u32),
            Arg::from(5u64),
            Arg::from(BufferId(7)),
            Arg::Value(Value::Bool(true)),
            Arg::Value(Value::I32(-2)),
            Arg::Value(Value::I64(-1)),
            Arg::Value(Value::F64(1.0)),
        ];
        let bytes = packed(&args, &[4, 8, 8, 1, 4, 8, 8]).expect("fits");
        assert_eq!(bytes[0], [4, 3, 2, 1]);
        assert_eq!(bytes[1], [5, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[2], [7, 0xab, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[3], [1]);
        assert_eq!(bytes[4], [254, 255, 255, 255]);
        assert_eq!(bytes[5], [255; 8]);
        assert_eq!(bytes[6], 1.0f64.to_le_bytes());
    }

    #[test]
    fn records_are_laid_out_as_in_c() {
        // struct { bool a; u32 b; u8 c; u64 d; u32 e; }
        let fields = [Value::Bool(true), Value::U32(2), Value::U8(3), Value::U64(4), Value::U32(5)];
        let natural = packed(&[Arg::Record(&fields)], &[32]).expect("fits");
        let mut expected = [0u8; 32];
        (expected[0], expected[4], expected[8], expected[16], expected[24]) = (1, 2, 3, 4, 5);
        assert_eq!(natural, [expected.to_vec()]);
    }

    #[test]
    fn records_may_be_padded_to_sixteen() {
        let fields = [Value::U32(1), Value::U32(2), Value::U32(3)];
        assert!(packed(&[Arg::Record(&fields)], &[12]).is_ok());
        assert_eq!(packed(&[Arg::Record(&fields)], &[16]).expect("fits")[0][12..], [0; 4]);
        assert!(packed(&[Arg::Record(&fields)], &[20]).is_err());
        assert!(packed(&[Arg::from(1u32)], &[16]).is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(
            packed(&[Arg::from(1u32)], &[8]),
            Err("argument 0 has 4 bytes, the parameter 8".to_string())
        );
        assert_eq!(packed(&[], &[4]), Err("it takes 1 arguments and is given 0".to_string()));
        assert_eq!(packed(&[], &[]), Ok(vec![]));
    }
}
