//! The parts of a module: its own, and before it those of all that it imports.

use std::sync::Arc;

use gchr_base::hash::HashSet;

use crate::signature::ModulePart;

/// Parts in order. Modules share those that they begin with: a module that imports another one takes no time or memory
/// for the parts of that.
#[derive(Clone, Default, Debug)]
pub(crate) struct Parts {
    last: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    part: Arc<ModulePart>,
    count: usize,
    before: Option<Arc<Link>>,
    /// An earlier one, so that each is reached from any later one in a logarithm of the steps between them.
    jump: Option<Arc<Link>>,
}

fn count(link: Option<&Arc<Link>>) -> usize {
    link.map_or(0, |link| link.count)
}

impl Parts {
    /// How many there are.
    pub fn count(&self) -> usize {
        count(self.last.as_ref())
    }

    /// One more.
    pub fn push(&mut self, part: Arc<ModulePart>) {
        let before = self.last.take();
        // Jumps are as long as the digits of a number of skew binary notation say.
        let near = before.as_ref().and_then(|before| before.jump.as_ref());
        let far = near.and_then(|near| near.jump.as_ref());
        let are_equal = count(before.as_ref()) - count(near) == count(near) - count(far);
        let jump = if near.is_some() && are_equal { far.cloned() } else { before.clone() };
        self.last = Some(Arc::new(Link { part, count: count(before.as_ref()) + 1, before, jump }));
    }

    /// The one behind so many.
    fn link(&self, before: usize) -> Option<&Arc<Link>> {
        let mut link = self.last.as_ref()?;
        while link.count > before + 1 {
            let jump = link.jump.as_ref().filter(|jump| jump.count > before);
            link = jump.or(link.before.as_ref())?;
        }
        Some(link)
    }

    /// Whether these begin with all those of another module.
    pub fn start_with(&self, other: &Parts) -> bool {
        let (Some(last), count) = (&other.last, other.count()) else { return true };
        count <= self.count() && self.link(count - 1).is_some_and(|link| Arc::ptr_eq(link, last))
    }

    /// Those behind so many.
    pub fn behind(&self, before: usize) -> Vec<Arc<ModulePart>> {
        let mut found = Vec::with_capacity(self.count().saturating_sub(before));
        let mut next = self.last.as_ref();
        while let Some(link) = next.filter(|link| link.count > before) {
            found.push(link.part.clone());
            next = link.before.as_ref();
        }
        found.reverse();
        found
    }

    /// All of them.
    pub fn to_vec(&self) -> Vec<Arc<ModulePart>> {
        self.behind(0)
    }
}

/// The keys of the parts of a module, from which those of the next one are found where it begins with the same.
#[derive(Default)]
pub(super) struct Keys {
    of: Parts,
    all: HashSet<Arc<str>>,
}

impl Keys {
    /// Adds to `parts` those of `more` that are not there yet.
    pub fn join(&mut self, parts: &mut Parts, more: &Parts) {
        if more.start_with(parts) {
            parts.last.clone_from(&more.last);
        } else if !parts.start_with(more) {
            for part in more.to_vec() {
                if !self.of(parts).contains(&part.key) {
                    parts.push(part);
                }
            }
        }
    }

    fn of(&mut self, parts: &Parts) -> &HashSet<Arc<str>> {
        if !parts.start_with(&self.of) {
            *self = Self::default();
        }
        if self.of.count() < parts.count() {
            self.all.extend(parts.behind(self.of.count()).iter().map(|part| part.key.clone()));
            self.of = parts.clone();
        }
        &self.all
    }
}

impl FromIterator<Arc<ModulePart>> for Parts {
    fn from_iter<I: IntoIterator<Item = Arc<ModulePart>>>(all: I) -> Self {
        let mut parts = Self::default();
        all.into_iter().for_each(|part| parts.push(part));
        parts
    }
}

impl Drop for Parts {
    /// From the last one to the first, as far as nothing else has them: a link that drops the one before it, and so on,
    /// would take the stack of a thread.
    fn drop(&mut self) {
        let mut next = self.last.take();
        while let Some(link) = next.and_then(Arc::into_inner) {
            next = link.before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(key: &str) -> Arc<ModulePart> {
        Arc::new(ModulePart { key: key.into(), ..ModulePart::default() })
    }

    fn keys(parts: &Parts) -> Vec<String> {
        parts.to_vec().iter().map(|part| part.key.to_string()).collect()
    }

    #[test]
    fn parts_that_are_shared_are_found_and_no_part_comes_twice() {
        let (mut all, mut known) = (Parts::default(), Keys::default());
        let mut prefixes = vec![all.clone()];
        for n in 0..200 {
            all.push(part(&n.to_string()));
            prefixes.push(all.clone());
        }
        for (n, prefix) in prefixes.iter().enumerate() {
            assert_eq!((prefix.count(), all.start_with(prefix)), (n, true));
            assert_eq!(prefix.start_with(&all), n == 200);
            let mut joined = prefix.clone();
            known.join(&mut joined, &all);
            assert!(joined.start_with(&all) && all.start_with(&joined));
            known.join(&mut joined, prefix);
            assert_eq!(joined.count(), 200);
            assert_eq!(all.behind(n).len(), 200 - n);
        }
        let mut other: Parts = ["x", "5", "7"].into_iter().map(part).collect();
        known.join(&mut other, &prefixes[8]);
        assert_eq!(keys(&other), ["x", "5", "7", "0", "1", "2", "3", "4", "6"]);
        let before = other.clone();
        known.join(&mut other, &["5", "0", "x"].into_iter().map(part).collect());
        assert!(before.start_with(&other));
    }

    #[test]
    fn a_million_parts_are_dropped_in_a_small_stack() {
        let drop_all = || {
            let shared = part("a");
            drop(std::iter::repeat_n(shared, 1_000_000).collect::<Parts>());
        };
        let thread = std::thread::Builder::new().stack_size(1 << 16).spawn(drop_all);
        assert!(thread.expect("a thread").join().is_ok());
    }
}
