//! The operators of a program: those of SWI-Prolog and its `library(chr)`, and what `op/3` makes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Where an operator stands, and which operands may have its own priority (`y`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are those of Prolog")]
pub enum Fixity {
    Fx,
    Fy,
    Xf,
    Yf,
    Xfx,
    Xfy,
    Yfx,
}

impl Fixity {
    /// The type as Prolog writes it.
    pub fn name(self) -> &'static str {
        match self {
            Fixity::Fx => "fx",
            Fixity::Fy => "fy",
            Fixity::Xf => "xf",
            Fixity::Yf => "yf",
            Fixity::Xfx => "xfx",
            Fixity::Xfy => "xfy",
            Fixity::Yfx => "yfx",
        }
    }
    /// The type that Prolog writes so.
    pub fn of(name: &str) -> Option<Self> {
        use Fixity::*;
        [Fx, Fy, Xf, Yf, Xfx, Xfy, Yfx].into_iter().find(|fixity| fixity.name() == name)
    }
    /// Whether it stands before its operand.
    pub fn is_prefix(self) -> bool {
        matches!(self, Fixity::Fx | Fixity::Fy)
    }
    /// Whether it stands behind its operand.
    pub fn is_postfix(self) -> bool {
        matches!(self, Fixity::Xf | Fixity::Yf)
    }
    /// Whether it stands between two operands.
    pub fn is_infix(self) -> bool {
        !self.is_prefix() && !self.is_postfix()
    }
}

/// One operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpDef {
    /// Priority of the terms that it makes, 1 to 1200.
    pub priority: u16,
    /// Its type.
    pub fixity: Fixity,
}

impl OpDef {
    /// Greatest priority of the left operand; without meaning for prefix operators.
    pub fn left(self) -> u16 {
        self.priority - u16::from(!matches!(self.fixity, Fixity::Yfx | Fixity::Yf))
    }
    /// Greatest priority of the right operand; without meaning for postfix operators.
    pub fn right(self) -> u16 {
        self.priority - u16::from(!matches!(self.fixity, Fixity::Xfy | Fixity::Fy))
    }
    /// Greatest priority of a right operand that is written without brackets, as [`right_limit`] has it.
    pub fn right_of(self, left: Option<u16>) -> u16 {
        right_limit(self.priority, self.right(), left)
    }
}

/// Greatest priority of a right operand that is written without brackets, of an operator that takes operands up to
/// `right`; `left` is what the operator of the operand takes at its own left, where it takes something.
/// `a bar (b foo c)` keeps its brackets where `bar` is `xfy` and `foo` is `yfx` of the same priority: else `foo` would
/// take `a bar b`.
pub fn right_limit(priority: u16, right: u16, left: Option<u16>) -> u16 {
    if left == Some(priority) { right.min(priority - 1) } else { right }
}

/// What a name is as an operator.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Entry {
    prefix: Option<OpDef>,
    infix: Option<OpDef>,
    postfix: Option<OpDef>,
}

/// A table of operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operators {
    table: BTreeMap<Arc<str>, Entry>,
}

/// The operators of SWI-Prolog 9 with `library(chr)`.
const STANDARD: &[(u16, Fixity, &str)] = &[
    (1200, Fixity::Xfx, ":- --> => @"),
    (1200, Fixity::Fx, ":- ?-"),
    (1190, Fixity::Xfx, "pragma"),
    (1180, Fixity::Xfx, "<=> ==>"),
    (
        1150,
        Fixity::Fx,
        "discontiguous dynamic initialization meta_predicate module_transparent multifile public table",
    ),
    (1150, Fixity::Fx, "thread_initialization thread_local volatile"),
    (
        1150,
        Fixity::Fx,
        "? chr_constraint chr_declaration chr_preprocessor chr_type constraints handler rules",
    ),
    (1130, Fixity::Xfx, "--->"),
    (1105, Fixity::Xfy, "|"),
    (1100, Fixity::Xfy, ";"),
    (1100, Fixity::Xfx, "\\"),
    (1050, Fixity::Xfy, "-> *->"),
    (1000, Fixity::Xfy, ","),
    (900, Fixity::Fy, "\\+"),
    (800, Fixity::Xfx, ":="),
    (700, Fixity::Xfx, "< = =.. =@= =:= =< == =\\= > >= @< @=< @> @>= \\= \\== \\=@= as is >:< :<"),
    (600, Fixity::Xfy, ":"),
    (500, Fixity::Yfx, "+ - /\\ \\/ #"),
    (400, Fixity::Yfx, "* / // mod rdiv << >> div rem xor"),
    (200, Fixity::Xfx, "**"),
    (200, Fixity::Xfy, "^"),
    (200, Fixity::Fy, "- + \\"),
    (100, Fixity::Yfx, "."),
    (1, Fixity::Fx, "$"),
];

impl Default for Operators {
    fn default() -> Self {
        let mut operators = Self { table: BTreeMap::new() };
        for &(priority, fixity, names) in STANDARD {
            for name in names.split(' ') {
                operators.set(priority, fixity, name);
            }
        }
        operators
    }
}

impl Operators {
    /// A table without operators.
    pub fn none() -> Self {
        Self { table: BTreeMap::new() }
    }
    /// What `op(priority, fixity, name)` does; priority 0 takes an operator away.
    pub fn set(&mut self, priority: u16, fixity: Fixity, name: &str) {
        let entry = self.table.entry(name.into()).or_default();
        let slot = match fixity {
            f if f.is_prefix() => &mut entry.prefix,
            f if f.is_postfix() => &mut entry.postfix,
            _ => &mut entry.infix,
        };
        *slot = (priority > 0).then_some(OpDef { priority, fixity });
    }
    /// The prefix operator of a name.
    pub fn prefix(&self, name: &str) -> Option<OpDef> {
        self.table.get(name)?.prefix
    }
    /// The infix operator of a name.
    pub fn infix(&self, name: &str) -> Option<OpDef> {
        self.table.get(name)?.infix
    }
    /// The postfix operator of a name.
    pub fn postfix(&self, name: &str) -> Option<OpDef> {
        self.table.get(name)?.postfix
    }
    /// Whether a name is an operator of any kind.
    pub fn is_operator(&self, name: &str) -> bool {
        self.table.get(name).is_some_and(|e| e.prefix.or(e.infix).or(e.postfix).is_some())
    }
    /// All operators, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, OpDef)> {
        let of = |e: &Entry| [e.prefix, e.infix, e.postfix].into_iter().flatten();
        self.table.iter().flat_map(move |(name, entry)| of(entry).map(move |op| (name, op)))
    }
}
