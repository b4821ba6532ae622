//! Sorts numbers by their digits: first into parts by the bits in front, then each part on its own, in the nearest
//! cache.

use rayon::prelude::*;

/// A number that holds several others.
pub(super) trait Packed: Copy + Default + Ord + Send + Sync {
    /// With a number at a place at which there was zero; bits above the type's are lost.
    fn with(self, part: u64, shift: u32) -> Self;
    /// A number that this type has room for.
    fn of(number: u128) -> Self;
    /// The number at a place of so many bits.
    fn part(self, shift: u32, bits: u32) -> u64;
}

macro_rules! packed {
    ($type:ty) => {
        impl Packed for $type {
            #[inline]
            fn with(self, part: u64, shift: u32) -> Self {
                self | (part as $type).unbounded_shl(shift)
            }
            #[inline]
            fn of(number: u128) -> Self {
                number as $type
            }
            #[inline]
            fn part(self, shift: u32, bits: u32) -> u64 {
                let mask = u64::MAX.unbounded_shr(u64::BITS - bits);
                self.unbounded_shr(shift) as u64 & mask
            }
        }
    };
}

packed!(u32);
packed!(u64);
packed!(u128);

/// Bits of the parts that numbers are put into first.
const FRONT: u32 = 11;
/// Bits by which a part is sorted at a time.
const DIGIT: u32 = 8;
/// Numbers below which comparing them is as fast.
const FEW: usize = if cfg!(test) { 8 } else { 1 << 8 };
/// Numbers from which on threads share the work.
const MANY: usize = if cfg!(test) { 16 } else { 1 << 16 };
/// Threads that put numbers into parts at most: each looks at all of them.
const GROUPS: usize = 16;

/// Sorts numbers of so many bits.
pub(super) fn sorted<T: Packed>(mut values: Vec<T>, bits: u32) -> Vec<T> {
    if values.len() < FEW {
        values.sort_unstable();
        return values;
    }
    let front = FRONT.min(bits);
    let behind = bits - front;
    let mut parts = vec![T::default(); values.len()];
    let threads = if values.len() < MANY { 1 } else { rayon::current_num_threads().min(GROUPS) };
    let counts = if threads == 1 {
        let mut counts = vec![0; 1 << front];
        scatter(&values, &mut parts, behind, &mut counts);
        counts
    } else {
        scatter_together(&values, &mut parts, behind, front, threads)
    };
    if behind == 0 {
        return parts;
    }
    let mut pieces = Vec::with_capacity(counts.len());
    let (mut rest, mut spare) = (&mut parts[..], &mut values[..]);
    for count in counts {
        let (piece, pieces_behind) = rest.split_at_mut(count);
        let (other, others_behind) = spare.split_at_mut(count);
        pieces.push((piece, other));
        (rest, spare) = (pieces_behind, others_behind);
    }
    if threads > 1 {
        pieces.into_par_iter().for_each(|(piece, spare)| sort_part(piece, spare, behind));
    } else {
        pieces.into_iter().for_each(|(piece, spare)| sort_part(piece, spare, behind));
    }
    parts
}

/// As [`scatter`], by several threads; gives the counts. Each looks at all numbers and takes those of its own digits,
/// so that no two write to the same place.
fn scatter_together<T: Packed>(
    from: &[T],
    mut to: &mut [T],
    shift: u32,
    bits: u32,
    threads: usize,
) -> Vec<usize> {
    let digit = |value: &T| value.part(shift, bits) as usize;
    let counted = from.par_chunks(MANY).fold(
        || vec![0; 1 << bits],
        |mut counts, chunk| {
            chunk.iter().for_each(|value| counts[digit(value)] += 1);
            counts
        },
    );
    let counts = counted.reduce(
        || vec![0; 1 << bits],
        |mut sum, counts| {
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            sum
        },
    );
    // Neighbouring digits, about as many numbers for each thread.
    let share = from.len().div_ceil(threads);
    let mut groups = Vec::with_capacity(threads);
    let mut first = 0;
    while first < counts.len() {
        let (mut end, mut sum) = (first, 0);
        while end < counts.len() && (sum < share || counts[end] == 0) {
            sum += counts[end];
            end += 1;
        }
        let (own, others) = std::mem::take(&mut to).split_at_mut(sum);
        groups.push((first..end, own));
        (to, first) = (others, end);
    }
    groups.into_par_iter().with_max_len(1).for_each(|(digits, own)| {
        let mut starts: Vec<usize> = Vec::with_capacity(digits.len());
        let mut start = 0;
        for &count in &counts[digits.clone()] {
            starts.push(start);
            start += count;
        }
        for value in from {
            if let Some(at) = starts.get_mut(digit(value).wrapping_sub(digits.start)) {
                own[*at] = *value;
                *at += 1;
            }
        }
    });
    counts
}

/// Sorts numbers that differ in their last bits only.
fn sort_part<T: Packed>(part: &mut [T], spare: &mut [T], bits: u32) {
    let passes = bits.div_ceil(DIGIT);
    if part.len() < FEW || passes > 3 {
        part.sort_unstable();
        return;
    }
    let (mut from, mut to) = (part, spare);
    for pass in 0..passes {
        scatter(from, to, pass * DIGIT, &mut [0; 1 << DIGIT]);
        std::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 1 {
        to.copy_from_slice(from);
    }
}

/// Puts numbers in the order of one of their digits, those with the same one in the order that they have; there are as
/// many counts as digits. Leaves there how many have each digit.
fn scatter<T: Packed>(from: &[T], to: &mut [T], shift: u32, counts: &mut [usize]) {
    let bits = counts.len().trailing_zeros();
    let digit = |value: &T| value.part(shift, bits) as usize;
    from.iter().for_each(|value| counts[digit(value)] += 1);
    let mut start = 0;
    for count in counts.iter_mut() {
        (*count, start) = (start, start + *count);
    }
    for value in from {
        let at = &mut counts[digit(value)];
        to[*at] = *value;
        *at += 1;
    }
    // Each is where the next one began.
    let mut before = 0;
    for end in counts {
        (*end, before) = (*end - before, *end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_sorted<T: Packed + std::fmt::Debug>(values: &[u64], bits: u32) -> Result<(), TestCaseError> {
        let mask = u64::MAX.unbounded_shr(u64::BITS - bits);
        let values: Vec<T> = values.iter().map(|&n| T::default().with(n & mask, 0)).collect();
        let mut wanted = values.clone();
        wanted.sort_unstable();
        prop_assert_eq!(sorted(values, bits), wanted);
        Ok(())
    }

    proptest! {
        /// Digits give the order of comparisons, whatever the number of bits.
        #[test]
        fn digits_sort(values in prop::collection::vec(any::<u64>(), 0..300), bits in 0u32..=64) {
            is_sorted::<u64>(&values, bits)?;
            is_sorted::<u128>(&values, bits)?;
            is_sorted::<u32>(&values, bits.min(32))?;
        }
    }
}
