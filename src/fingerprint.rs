//! What tells a program and its facts from all others: for processes that share a run, and for files that belong to
//! one.

use gchr_base::facts::{FactColumn, FactNode};
use gchr_base::ids::Id;
use gchr_base::signature::TextId;
use sha2::{Digest, Sha256};

use crate::program::Program;

/// What tells a program and its facts from all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// A hash of rules and goals.
    pub program: [u8; 32],
    /// A hash of all rows of facts.
    pub facts: [u8; 32],
}

impl Program {
    /// A number that is the same for the same rules, goals and facts, and for hardly any others. `more` counts too.
    pub fn digest(&self, more: &str) -> u64 {
        let Fingerprint { program, facts } = self.fingerprint();
        let hash = Sha256::new().chain_update(program).chain_update(facts).chain_update(more).finalize();
        hash.iter().take(8).fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    /// Hashes that tell the rules and goals, and the facts, from all others.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut facts = Sha256::new();
        let texts = &self.rules.signature.texts;
        for text in (0..texts.len() as u32).map(|id| texts.get(TextId(id))) {
            facts.update((text.len() as u64).to_le_bytes());
            facts.update(text);
        }
        for (name, arity, id) in self.rules.signature.functors() {
            hash_words(&mut facts, [u64::from(id.0), arity as u64, name.len() as u64].into_iter());
            facts.update(name);
        }
        for batch in &*self.facts {
            let (constraint, rows) = (batch.constraint.index() as u64, batch.rows as u64);
            hash_words(&mut facts, [constraint, rows].into_iter());
            for column in &batch.columns {
                match column {
                    FactColumn::Int(values) => {
                        hash_words(&mut facts, values.iter().map(|n| n.cast_unsigned()))
                    }
                    FactColumn::Float(values) => hash_words(&mut facts, values.iter().map(|x| x.to_bits())),
                    FactColumn::Atom(values) | FactColumn::Str(values) => {
                        hash_words(&mut facts, values.iter().map(|id| u64::from(id.0)));
                    }
                    FactColumn::Any(values) => {
                        hash_words(&mut facts, values.ends().iter().map(|&end| end as u64));
                        hash_words(&mut facts, values.nodes().iter().flat_map(words_of));
                    }
                }
            }
        }
        let program = Sha256::digest(self.rules.to_string()).into();
        Fingerprint { program, facts: facts.finalize().into() }
    }
}

/// The kind of a part of a value, and what it holds.
fn words_of(node: &FactNode) -> [u64; 2] {
    match *node {
        FactNode::Int(n) => [0, n.cast_unsigned()],
        FactNode::Float(x) => [1, x.to_bits()],
        FactNode::Atom(text) => [2, u64::from(text.0)],
        FactNode::Str(text) => [3, u64::from(text.0)],
        FactNode::Compound { symbol, arity } => [4 + arity as u64, u64::from(symbol.0)],
    }
}

fn hash_words(hash: &mut Sha256, words: impl Iterator<Item = u64>) {
    let mut block = [0; 4096];
    let mut filled = 0;
    for word in words {
        block[filled..filled + 8].copy_from_slice(&word.to_le_bytes());
        filled += 8;
        if filled == block.len() {
            hash.update(block);
            filled = 0;
        }
    }
    hash.update(&block[..filled]);
}
