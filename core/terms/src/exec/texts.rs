//! Texts of bytes of any length: balanced trees whose leaves are pieces, and which share what they have in common. To
//! join two of them, or to take a part, takes time in proportion to the logarithm of their lengths.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Most bytes of a leaf.
const LEAF: usize = 256;
/// Bytes that a node takes beside those of its text.
const NODE_BYTES: u64 = 80;
/// The hash of a text is a polynomial of its bytes at this place, modulo [`PRIME`]: that of two joined texts follows
/// from theirs.
const PLACE: u64 = 0x0b1e_55ed_cafe_f00d % PRIME;
const PRIME: u64 = (1 << 61) - 1;

/// A text.
#[derive(Clone)]
pub struct Text {
    root: Arc<Node>,
    /// Bytes of the nodes that were made for it.
    made: u64,
}

struct Node {
    length: u64,
    hash: u64,
    /// [`PLACE`] to the power of the length.
    power: u64,
    /// Of a leaf 0. Those of the two children of a node differ by 1 at most.
    depth: u8,
    kind: Kind,
}

enum Kind {
    Leaf(Box<[u8]>),
    Join(Arc<Node>, Arc<Node>),
}

fn product(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// What makes nodes, and counts them.
#[derive(Default)]
struct Maker {
    bytes: u64,
}

impl Maker {
    fn leaf(&mut self, bytes: &[u8]) -> Arc<Node> {
        self.bytes += NODE_BYTES + bytes.len() as u64;
        let (mut hash, mut power) = (0, 1);
        for &byte in bytes {
            hash = (product(hash, PLACE) + u64::from(byte) + 1) % PRIME;
            power = product(power, PLACE);
        }
        let (length, kind) = (bytes.len() as u64, Kind::Leaf(bytes.into()));
        Arc::new(Node { length, hash, power, depth: 0, kind })
    }

    /// Two nodes whose depths differ by 1 at most.
    fn pair(&mut self, a: Arc<Node>, b: Arc<Node>) -> Arc<Node> {
        self.bytes += NODE_BYTES;
        Arc::new(Node {
            length: a.length + b.length,
            hash: (product(a.hash, b.power) + b.hash) % PRIME,
            power: product(a.power, b.power),
            depth: a.depth.max(b.depth) + 1,
            kind: Kind::Join(a, b),
        })
    }

    /// Two nodes whose depths differ by 2 at most.
    fn balanced(&mut self, a: Arc<Node>, b: Arc<Node>) -> Arc<Node> {
        match (&a.kind, &b.kind) {
            (Kind::Join(first, rest), _) if a.depth > b.depth + 1 => match &rest.kind {
                Kind::Join(inner, last) if rest.depth > first.depth => {
                    let (left, right) =
                        (self.pair(first.clone(), inner.clone()), self.pair(last.clone(), b.clone()));
                    self.pair(left, right)
                }
                _ => {
                    let right = self.pair(rest.clone(), b.clone());
                    self.pair(first.clone(), right)
                }
            },
            (_, Kind::Join(rest, last)) if b.depth > a.depth + 1 => match &rest.kind {
                Kind::Join(first, inner) if rest.depth > last.depth => {
                    let (left, right) =
                        (self.pair(a.clone(), first.clone()), self.pair(inner.clone(), last.clone()));
                    self.pair(left, right)
                }
                _ => {
                    let left = self.pair(a.clone(), rest.clone());
                    self.pair(left, last.clone())
                }
            },
            _ => self.pair(a, b),
        }
    }

    fn join(&mut self, a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
        if a.length == 0 {
            return b.clone();
        }
        if b.length == 0 {
            return a.clone();
        }
        match (&a.kind, &b.kind) {
            (Kind::Leaf(x), Kind::Leaf(y)) if x.len() + y.len() <= LEAF => self.leaf(&[&**x, y].concat()),
            (Kind::Join(first, rest), _) if a.depth > b.depth + 1 => {
                let rest = self.join(rest, b);
                self.balanced(first.clone(), rest)
            }
            (_, Kind::Join(rest, last)) if b.depth > a.depth + 1 => {
                let rest = self.join(a, rest);
                self.balanced(rest, last.clone())
            }
            _ => self.pair(a.clone(), b.clone()),
        }
    }

    /// The first so many bytes.
    fn prefix(&mut self, of: &Arc<Node>, count: u64) -> Arc<Node> {
        match &of.kind {
            _ if count >= of.length => of.clone(),
            Kind::Leaf(bytes) => self.leaf(&bytes[..count as usize]),
            Kind::Join(a, _) if count <= a.length => self.prefix(a, count),
            Kind::Join(a, b) => {
                let rest = self.prefix(b, count - a.length);
                self.join(a, &rest)
            }
        }
    }

    /// What is behind so many bytes.
    fn behind(&mut self, of: &Arc<Node>, count: u64) -> Arc<Node> {
        match &of.kind {
            _ if count == 0 => of.clone(),
            Kind::Leaf(bytes) => self.leaf(&bytes[(count as usize).min(bytes.len())..]),
            Kind::Join(a, b) if count >= a.length => self.behind(b, count - a.length),
            Kind::Join(a, b) => {
                let rest = self.behind(a, count);
                self.join(&rest, b)
            }
        }
    }

    fn whole(&mut self, bytes: &[u8]) -> Arc<Node> {
        if bytes.len() <= LEAF {
            return self.leaf(bytes);
        }
        let (a, b) = bytes.split_at(bytes.len() / 2);
        let (a, b) = (self.whole(a), self.whole(b));
        self.join(&a, &b)
    }

    fn text(self, root: Arc<Node>) -> Text {
        Text { root, made: self.bytes }
    }
}

impl Text {
    /// The text of some bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let mut maker = Maker::default();
        let root = maker.whole(bytes);
        maker.text(root)
    }

    /// Number of bytes.
    pub fn length(&self) -> u64 {
        self.root.length
    }

    /// Bytes of memory that were taken for it.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Itself and then another one.
    pub fn joined(&self, other: &Text) -> Self {
        let mut maker = Maker::default();
        let root = maker.join(&self.root, &other.root);
        maker.text(root)
    }

    /// The first so many bytes, or all.
    pub fn prefix(&self, count: u64) -> Self {
        let mut maker = Maker::default();
        let root = maker.prefix(&self.root, count);
        maker.text(root)
    }

    /// What is behind so many bytes.
    pub fn behind(&self, count: u64) -> Self {
        let mut maker = Maker::default();
        let root = maker.behind(&self.root, count);
        maker.text(root)
    }

    /// With each byte turned into another one.
    pub fn turned(&self, to: impl Fn(u8) -> u8) -> Self {
        let bytes: Vec<u8> = self.bytes().map(to).collect();
        Self::new(&bytes)
    }

    /// The pieces in their order.
    fn pieces(&self) -> Pieces<'_> {
        Pieces { todo: vec![&self.root] }
    }

    /// The bytes in their order.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        self.pieces().flatten().copied()
    }

    /// Some of the bytes from a place on: as many as are together there.
    pub fn piece_at(&self, at: u64) -> &[u8] {
        let (mut node, mut at) = (&self.root, at);
        loop {
            match &node.kind {
                Kind::Leaf(bytes) => return &bytes[(at as usize).min(bytes.len())..],
                Kind::Join(a, _) if at < a.length => node = a,
                Kind::Join(a, b) => (node, at) = (b, at - a.length),
            }
        }
    }

    /// Where another text is in it, the first or the last time.
    pub fn find(&self, wanted: &Text, is_last: bool) -> Option<u64> {
        let wanted: Vec<u8> = wanted.bytes().collect();
        let length = wanted.len() as u64;
        if wanted.is_empty() {
            return Some(if is_last { self.length() } else { 0 });
        }
        // By place in what is wanted, how much of its beginning ends there.
        let mut borders = vec![0; wanted.len()];
        let mut same = 0;
        for at in 1..wanted.len() {
            while same > 0 && wanted[at] != wanted[same] {
                same = borders[same - 1];
            }
            same += usize::from(wanted[at] == wanted[same]);
            borders[at] = same;
        }
        let (mut same, mut found) = (0, None);
        for (at, byte) in (0u64..).zip(self.bytes()) {
            while same > 0 && byte != wanted[same] {
                same = borders[same - 1];
            }
            same += usize::from(byte == wanted[same]);
            if same == wanted.len() {
                found = Some(at + 1 - length);
                if !is_last {
                    return found;
                }
                same = borders[same - 1];
            }
        }
        found
    }

    /// The order of texts, whose bytes are numbers with a sign.
    pub fn order(&self, other: &Text) -> Ordering {
        if Arc::ptr_eq(&self.root, &other.root) {
            return Ordering::Equal;
        }
        let (mut a, mut b) = (self.pieces(), other.pieces());
        let (mut x, mut y): (&[u8], &[u8]) = (&[], &[]);
        loop {
            x = if x.is_empty() { a.next().unwrap_or_default() } else { x };
            y = if y.is_empty() { b.next().unwrap_or_default() } else { y };
            let common = x.len().min(y.len());
            if common == 0 {
                return x.len().cmp(&y.len());
            }
            if x[..common] != y[..common] {
                return gchr_base::op::texts::order(x[..common].iter(), y[..common].iter());
            }
            (x, y) = (&x[common..], &y[common..]);
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text of {} bytes", self.length())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.root, &other.root);
        Arc::ptr_eq(a, b) || (a.length, a.hash) == (b.length, b.hash) && self.order(other) == Ordering::Equal
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.root.hash.hash(state);
    }
}

/// The pieces of a text.
struct Pieces<'a> {
    todo: Vec<&'a Node>,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            match &self.todo.pop()?.kind {
                Kind::Leaf(bytes) if bytes.is_empty() => {}
                Kind::Leaf(bytes) => return Some(bytes),
                Kind::Join(a, b) => self.todo.extend([&**b, &**a]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A text that is put together of parts of others, with its bytes.
    fn text() -> impl Strategy<Value = (Text, Vec<u8>)> {
        let part = (prop::collection::vec(97..100u8, 0..400), 0..400usize, any::<bool>(), any::<bool>());
        prop::collection::vec(part, 0..12).prop_map(|parts| {
            let (mut text, mut bytes) = (Text::new(&[]), Vec::new());
            for (part, at, in_front, cuts) in parts {
                let new = Text::new(&part);
                (text, bytes) = match in_front {
                    true => (new.joined(&text), [part, bytes].concat()),
                    false => (text.joined(&new), [bytes, part].concat()),
                };
                let at = at.min(bytes.len());
                if cuts && in_front {
                    (text, bytes) = (text.behind(at as u64), bytes[at..].to_vec());
                } else if cuts {
                    (text, bytes) = (text.prefix(at as u64), bytes[..at].to_vec());
                }
            }
            (text, bytes)
        })
    }

    fn is_balanced(node: &Node) -> bool {
        match &node.kind {
            Kind::Leaf(_) => true,
            Kind::Join(a, b) => a.depth.abs_diff(b.depth) <= 1 && is_balanced(a) && is_balanced(b),
        }
    }

    proptest! {
        #[test]
        fn texts_are_their_bytes((a, x) in text(), (b, y) in text(), at in 0..900usize, long in 0..40usize) {
            prop_assert!(is_balanced(&a.root));
            prop_assert_eq!(&a.bytes().collect::<Vec<_>>(), &x);
            prop_assert_eq!(a.length(), x.len() as u64);
            prop_assert!(a == Text::new(&x));
            prop_assert_eq!(a == b, x == y);
            prop_assert_eq!(a.order(&b), x.cmp(&y));
            let at = at.min(x.len());
            prop_assert!(x[at..].starts_with(a.piece_at(at as u64)));
            let end = (at + long).min(x.len());
            let wanted = &x[at..end];
            let part = a.behind(at as u64).prefix((end - at) as u64);
            prop_assert!(part == Text::new(wanted));
            let places: Vec<u64> =
                (0..=x.len()).filter(|&at| x[at..].starts_with(wanted)).map(|at| at as u64).collect();
            prop_assert_eq!(a.find(&part, false), places.first().copied());
            prop_assert_eq!(a.find(&part, true), places.last().copied());
            prop_assert_eq!(a.find(&Text::new(b"abd"), false), None);
        }
    }

    #[test]
    fn a_text_that_grows_by_bytes_stays_flat() {
        let (mut front, mut back) = (Text::new(&[]), Text::new(&[]));
        let byte = Text::new(b"x");
        let mut made = 0;
        for _ in 0..50_000 {
            (front, back) = (byte.joined(&front), back.joined(&byte));
            made = made.max(front.made()).max(back.made());
        }
        assert!(front == back && front.root.depth < 16, "{}", front.root.depth);
        assert!(made < 4_000, "{made} bytes for one more");
    }
}
