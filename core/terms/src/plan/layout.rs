//! How values and cells look: variants of a sort, tag bits, fields of cells, size classes.

use gchr_base::define_id;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::signature::{Notation, Signature, SortId, SortKind, SymbolId, SymbolKind};

define_id!(
    /// A size class: cells of one size whose values have equally many tag bits live in one arena.
    ClassId, "class"
);

/// The most variants of a sort: more leave too few index bits.
const MAX_VARIANTS: usize = 1 << 16;

/// The largest cell: offsets of fields have 16 bits in bytecode.
const MAX_CELL_WORDS: u32 = 1 << 15;

/// Layout of all values of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// By sort.
    pub sorts: IdVec<SortId, SortLayout>,
    /// Size classes.
    pub classes: IdVec<ClassId, Class>,
    /// Whether integers have any size. The interpreter keeps to it; for others they have 64 bits, and a result that
    /// does not fit is an error.
    pub big_integers: bool,
    /// Texts of bytes that the program has, which words [name](gchr_base::op::texts) by their numbers.
    pub texts: Vec<Box<[u8]>>,
    tags: IdVec<SymbolId, Option<(SortId, u32)>>,
}

/// A size class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// 32-bit words per cell.
    pub words: u32,
    /// Tag bits of the values that point here.
    pub tag_bits: u32,
}

/// Layout of the values of a sort.
#[derive(Clone, PartialEq, Debug)]
pub struct SortLayout {
    /// Name of the sort.
    pub name: String,
    /// `Data`: a value is a cell index above a tag. `Int`, `Float`: 64 bits.
    pub kind: SortKind,
    /// `ceil(log2(variants))`.
    pub tag_bits: u32,
    /// Symbols that can head a normal form of this sort, by tag.
    pub variants: Vec<Variant>,
    /// Whether a value may need brackets as an argument, where it is written.
    pub may_bind: bool,
    /// Whether it has arguments with counts.
    pub has_copies: bool,
}

/// A symbol that can head a normal form.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// The symbol.
    pub symbol: SymbolId,
    /// Its name.
    pub name: String,
    /// How it is written with its fields.
    pub notation: Notation,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Where its cells live; `None` for a symbol without arguments, which needs no cell.
    pub class: Option<ClassId>,
}

/// A field of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Sort of the value.
    pub sort: SortId,
    /// First word in the cell.
    pub offset: u32,
    /// Two words (`Int`, `Float`) instead of one.
    pub wide: bool,
}

impl SortLayout {
    /// Whether values are 64-bit numbers.
    pub fn is_wide(&self) -> bool {
        self.kind != SortKind::Data
    }
    /// Whether some value of the sort is a cell.
    pub fn has_cells(&self) -> bool {
        self.variants.iter().any(|v| v.class.is_some())
    }
}

impl Layout {
    /// The layout when the defined symbols in `stuck` can head normal forms besides the constructors.
    pub fn new(signature: &Signature, stuck: &dyn Fn(SymbolId) -> bool) -> Self {
        let mut layout = Self {
            sorts: IdVec::new(),
            classes: IdVec::new(),
            big_integers: signature.big_integers,
            texts: signature.byte_texts.all().to_vec(),
            tags: signature.symbols.iter().map(|_| None).collect(),
        };
        for sort in &signature.sorts {
            layout.sorts.push(SortLayout {
                name: sort.name.clone(),
                kind: sort.kind,
                tag_bits: 0,
                variants: Vec::new(),
                may_bind: false,
                has_copies: false,
            });
        }
        for (id, symbol) in signature.symbols.iter_enumerated() {
            let number = signature.kind(symbol.result) != SortKind::Data;
            if !number && (symbol.kind != SymbolKind::Defined || stuck(id)) {
                layout.add_variant(signature, id);
            }
        }
        layout.assign_classes();
        layout
    }

    /// Adds a symbol that can head a normal form too, without a class for its cells.
    pub(super) fn add_variant(&mut self, signature: &Signature, id: SymbolId) {
        let symbol = &signature.symbols[id];
        let mut offset = 0;
        let fields = symbol.args.iter().map(|&sort| {
            let wide = signature.kind(sort) != SortKind::Data;
            let field = Field { sort, offset, wide };
            offset += 1 + u32::from(wide);
            field
        });
        let (name, notation) =
            (symbol.name.clone(), signature.notations.get(&id).copied().unwrap_or_default());
        let variant = Variant { symbol: id, name, notation, fields: fields.collect(), class: None };
        let sort = &mut self.sorts[symbol.result];
        self.tags[id] = Some((symbol.result, sort.variants.len() as u32));
        sort.variants.push(variant);
        sort.may_bind |= notation.may_bind();
        sort.has_copies |= matches!(notation, Notation::Copies(_));
    }

    fn assign_classes(&mut self) {
        let mut known: HashMap<Class, ClassId> = HashMap::default();
        for sort in self.sorts.iter_mut() {
            sort.tag_bits = usize::BITS - sort.variants.len().saturating_sub(1).leading_zeros();
            for variant in &mut sort.variants {
                let Some(last) = variant.fields.last() else { continue };
                let words = last.offset + 1 + u32::from(last.wide);
                let class = Class { words, tag_bits: sort.tag_bits };
                variant.class = Some(*known.entry(class).or_insert_with(|| self.classes.push(class)));
            }
        }
    }

    /// Errors for what the format of values cannot hold.
    pub fn check(&self, signature: &Signature) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (id, sort) in self.sorts.iter_enumerated() {
            if sort.variants.len() > MAX_VARIANTS {
                let n = sort.variants.len();
                let mut d = Diagnostic::error("P0101", format!("sort {} has {n} symbols", sort.name))
                    .note(format!(
                        "a value holds its symbol in at most 16 bits: {MAX_VARIANTS} symbols a sort"
                    ))
                    .help("split the sort");
                if let Some(span) = signature.sorts[id].span {
                    d = d.label(span, "declared here");
                }
                diagnostics.push(d);
            }
            for variant in &sort.variants {
                let words = variant.class.map_or(0, |c| self.classes[c].words);
                if words <= MAX_CELL_WORDS {
                    continue;
                }
                let mut d = Diagnostic::error("P0103", format!("{} has too many arguments", variant.name))
                    .note(format!("its cell has {words} words of 32 bits; {MAX_CELL_WORDS} are the most"))
                    .help("group arguments in terms of their own");
                if let Some(span) = signature.symbols[variant.symbol].span {
                    d = d.label(span, "declared here");
                }
                diagnostics.push(d);
            }
        }
        diagnostics
    }

    /// Whether values of a sort may be entries of the table of integers.
    pub(crate) fn is_big(&self, sort: SortId) -> bool {
        self.big_integers && self.sorts[sort].kind == SortKind::Int
    }

    /// Tag of a symbol among the variants of its sort; `None` when it never heads a normal form.
    pub fn tag(&self, symbol: SymbolId) -> Option<u32> {
        self.tags[symbol].map(|(_, tag)| tag)
    }
    /// The variant of a symbol; `None` when it never heads a normal form.
    pub fn variant(&self, symbol: SymbolId) -> Option<&Variant> {
        self.tags[symbol].map(|(sort, tag)| &self.sorts[sort].variants[tag as usize])
    }
    /// Sort and tag of a symbol; `None` when it never heads a normal form.
    pub fn sort_and_tag(&self, symbol: SymbolId) -> Option<(SortId, u32)> {
        self.tags[symbol]
    }
}
