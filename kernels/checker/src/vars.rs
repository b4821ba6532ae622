//! The values of a function's variables: copies share those that neither has written since.

use std::sync::Arc;

use super::value::Value;

/// Values that are copied together.
const CHUNK: usize = 16;

type Chunk = Arc<[Value; CHUNK]>;

/// Values by variable.
#[derive(Clone, Debug)]
pub(super) struct Vars {
    chunks: Arc<Vec<Chunk>>,
}

impl Vars {
    /// So many variables without values.
    pub fn new(count: usize) -> Self {
        let unset: Chunk = Arc::new([const { Value::Unset }; CHUNK]);
        Self { chunks: Arc::new(vec![unset; count.div_ceil(CHUNK)]) }
    }

    pub fn get(&self, var: usize) -> Value {
        self.chunks.get(var / CHUNK).map_or(Value::Unset, |chunk| chunk[var % CHUNK].clone())
    }

    pub fn set(&mut self, var: usize, value: Value) {
        if let Some(chunk) = Arc::make_mut(&mut self.chunks).get_mut(var / CHUNK) {
            Arc::make_mut(chunk)[var % CHUNK] = value;
        }
    }

    pub fn same(&self, other: &Vars) -> bool {
        Arc::ptr_eq(&self.chunks, &other.chunks)
    }

    /// The variables of which two copies have different values, and these.
    pub fn differences<'v>(
        &'v self,
        other: &'v Vars,
    ) -> impl Iterator<Item = (usize, &'v Value, &'v Value)> + 'v {
        let chunks = self.chunks.iter().zip(other.chunks.iter()).enumerate();
        let changed = chunks.filter(|(_, (a, b))| !Arc::ptr_eq(a, b));
        let values = changed.flat_map(|(at, (a, b))| {
            (at * CHUNK..).zip(a.iter().zip(b.iter())).map(|(var, (x, y))| (var, x, y))
        });
        values.filter(|(_, x, y)| x != y)
    }
}
