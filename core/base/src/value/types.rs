//! Whether values are of the declared types of columns.

use super::{Terms, Word};
use crate::hash::HashSet;
use crate::signature::{TypeId, TypeKind};

impl Terms<'_> {
    /// Whether a tagged word is of a type. A part that occurs many times in a term is looked at once.
    pub fn has_type(self, word: u64, ty: TypeId) -> bool {
        let types = &self.signature.column_types;
        let mut pending = vec![(word, ty)];
        let mut seen: HashSet<(u64, TypeId)> = HashSet::default();
        while let Some((word, ty)) = pending.pop() {
            let constant = |text: &str| types.variant(ty, text, 0).is_some();
            let text = |id| self.signature.texts.get(id);
            let fits = match (&types.types[ty].kind, self.heap.view(word)) {
                (TypeKind::Any, _) => true,
                (TypeKind::Natural, Word::Int(n)) => n >= 0,
                (TypeKind::Int | TypeKind::Number, Word::Int(_)) => true,
                (TypeKind::Float | TypeKind::Number, Word::Float(_)) => true,
                (TypeKind::Atom, Word::Atom(_)) | (TypeKind::Str, Word::Str(_)) => true,
                (TypeKind::Variants(_), Word::Int(n)) => constant(&n.to_string()),
                (TypeKind::Variants(_), Word::Float(x)) => constant(&format!("{x:?}")),
                (TypeKind::Variants(_), Word::Atom(name)) => constant(text(name)),
                (TypeKind::Variants(_), Word::Str(string)) => constant(&format!("\"{}\"", text(string))),
                (TypeKind::Variants(_), Word::Compound(symbol, args)) => {
                    let name = &self.signature.symbols[symbol].name;
                    let variant = types.variant(ty, name, args.len());
                    if let Some(variant) = variant
                        && seen.insert((word, ty))
                    {
                        pending.extend(args.iter().copied().zip(variant.args.iter().copied()));
                    }
                    variant.is_some()
                }
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        true
    }
}
