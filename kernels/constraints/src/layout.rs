//! Which buffers the tables of a program have on a device, and the record that hands them to its kernels.

use gchr_base::ids::{Id, IdVec};
use gchr_constraints::class::{Best, BestOrder, Monotone, Replacement};
use gchr_constraints::plan::ChrPlan;

use gchr_base::rule::{Program, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};

use super::output::Output;
use super::terms::Terms;
use gchr_kernel::ir::{Field, Module, Scalar, Space, Type};
use gchr_kernel::spelling;

/// Flags of a table in the template's `fast_paths`. The first says that the values of no other table are replaced.
pub(crate) const IS_PRODUCT: u32 = 1;
pub(crate) const IS_MONOTONE: u32 = 2;

/// Words of an entry before the rows of its heads.
pub(crate) const ENTRY_WORDS: usize = 5;

/// Words of what a thread asks of its warp.
pub(crate) const ASK_WORDS: u32 = 4;

/// Fields of the record of buffers that hold the rows of the log: kinds, and values.
pub(super) const LOG_KINDS: &str = "log_kind";
pub(super) const LOG_VALUES: &str = "log_value";

/// Buffers of all tables.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// One entry a constraint symbol.
    pub tables: IdVec<ConstraintId, TableLayout>,
    /// Number of rules.
    pub rules: usize,
    /// Most heads of a rule; at least one.
    pub heads: usize,
    /// The tables that bodies add to, ascending.
    pub added: Vec<ConstraintId>,
    /// What rules write.
    pub output: Output,
    /// The tables to which rounds only add, if such rounds have a fast path.
    pub(super) monotone: Option<Monotone>,
    /// What terms need, if there are any.
    pub terms: Option<Terms>,
}

/// Buffers of the table of one constraint symbol.
#[derive(Clone, PartialEq, Debug)]
pub struct TableLayout {
    /// Prefix of the names of its buffers.
    pub prefix: String,
    /// What the values of each column are; 64 bits each.
    pub columns: Vec<SortKind>,
    /// Whether candidates of some rule remove its rows: then they have claims and ranks.
    pub claimed: bool,
    /// Whether its rows are reduced when they are put into the store.
    pub reduced: bool,
    /// Whether rules replace values of its rows in place.
    pub replaced: bool,
    /// Whether at most one of its constraints lives: its reduction has no key.
    pub reduced_to_one: bool,
    /// What its reduction seeks beside age.
    pub best: Option<Best>,
    /// Its indexes by key: columns, and the number of the index in the plan.
    pub indexes: Vec<KeyedIndex>,
}

/// A table whose values one rule replaces by products of matrices over (min, +) or (max, +), and no other rule sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MinPlusTable {
    /// The rule.
    pub rule: RuleId,
    /// The table.
    pub table: ConstraintId,
    /// Column of the row key, of the column key, and of the value.
    pub columns: [usize; 3],
    /// Whether the greatest value is best.
    pub greatest: bool,
    /// Whether the rule is the only one of the program that replaces values.
    pub alone: bool,
}

impl MinPlusTable {
    /// Those of a plan.
    pub(crate) fn of(plan: &ChrPlan) -> Vec<Self> {
        let replacements = &plan.classes.replacements;
        let product = |replacement: &Replacement| {
            let product = replacement.product.as_ref().ok()?;
            Some(Self {
                rule: replacement.rule,
                table: replacement.constraint,
                columns: [product.row, product.column, replacement.best.column],
                greatest: replacement.best.order == BestOrder::Greatest,
                alone: replacements.len() == 1,
            })
        };
        replacements.iter().filter_map(product).collect()
    }
}

/// A hash index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyedIndex {
    /// Columns of the key, ascending.
    pub columns: Vec<usize>,
    /// Its number in the plan of the table.
    pub number: usize,
}

/// A buffer of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Values of a column: a `u64` a row.
    Column(usize),
    /// Ids: a `u32` a row.
    Ids,
    /// Claims: a `u64` a row.
    Claims,
    /// Ranks: a `u64` a row.
    Ranks,
    /// The best value found for a row in a round, as a word of which less is better; all ones for none: a `u64` a row.
    Better,
    /// The row that lives of each key of the table's reduction, by hash: a `u32` each.
    Best,
    /// Number of its places less one: a number, no buffer.
    BestMask,
    /// Places of an index, by hash: a `u32` each.
    Slots(usize),
    /// Next row of the same key: a `u32` a row.
    Next(usize),
    /// Number of places of an index less one: a number, no buffer.
    Mask(usize),
    /// One bit per key while rounds only add to the table: a `u32` for 32 of them.
    Bits,
    /// Least value of a column of the key: a number, no buffer.
    Low(usize),
    /// Number of values of a column of the key: a number, no buffer.
    Span(usize),
    /// What is added to a row to get the id of a constraint while rounds only add to the table: a number, no buffer.
    Bias,
}

impl Layout {
    /// The layout for a plan.
    pub fn new(program: &Program, plan: &ChrPlan) -> Self {
        let heads = plan.general_rules().map(|(_, r)| r.heads.len()).max().unwrap_or(0).max(1);
        let adds = |id: ConstraintId| plan.general_rules().any(|(_, r)| r.added().any(|c| c == id));
        let added = plan.tables.ids().filter(|&id| adds(id)).collect();
        let table = |(id, table): (ConstraintId, &gchr_constraints::plan::TablePlan)| {
            let name = table.name.split('/').next().unwrap_or_default();
            let classes = &plan.classes;
            let divided = || classes.divisor_of(id).map(|d| d.key.as_slice());
            let reduced = classes.reduction_of(id).map(|r| r.key.as_slice()).or_else(divided);
            let keyed = table.indexes.iter().enumerate().filter(|(_, i)| !i.columns.is_empty());
            TableLayout {
                prefix: format!("t{}_{}", id.0, spelling::part(name)),
                columns: table.columns.iter().map(|c| c.kind).collect(),
                claimed: !table.removed_by.is_empty(),
                reduced: reduced.is_some(),
                replaced: plan.classes.is_replaced(id),
                best: plan.classes.reduction_of(id).and_then(|r| r.best),
                reduced_to_one: plan.classes.reduction_of(id).is_some_and(|r| r.key.is_empty()),
                indexes: keyed.map(|(number, i)| KeyedIndex { columns: i.columns.clone(), number }).collect(),
            }
        };
        Self {
            tables: plan.tables.iter_enumerated().map(table).collect(),
            rules: plan.rules.len(),
            heads,
            added,
            output: Output::of(program, plan),
            monotone: plan.monotone.clone().ok(),
            terms: Terms::of(program, plan),
        }
    }

    /// How many buffers of rows bodies can add to: the tables, and behind them the log of what rules write, if they do.
    pub fn targets(&self) -> usize {
        self.tables.len() + usize::from(!self.output.is_empty())
    }

    /// Those of them that bodies add to, ascending.
    pub fn added_targets(&self) -> Vec<u32> {
        let log = (!self.output.is_empty()).then_some(self.tables.len() as u32);
        self.added.iter().map(|t| t.0).chain(log).collect()
    }

    /// The parts of a table in the order of the fields of `Params`.
    pub fn parts(&self, table: ConstraintId) -> Vec<Part> {
        let layout = &self.tables[table];
        let mut parts: Vec<Part> = (0..layout.columns.len()).map(Part::Column).collect();
        parts.push(Part::Ids);
        if layout.replaced {
            parts.push(Part::Better);
        }
        if layout.reduced {
            parts.extend([Part::Best, Part::BestMask]);
        }
        if layout.claimed {
            parts.extend([Part::Claims, Part::Ranks]);
        }
        for k in 0..layout.indexes.len() {
            parts.extend([Part::Slots(k), Part::Next(k), Part::Mask(k)]);
        }
        if self.monotone.as_ref().is_some_and(|monotone| monotone.is_added(table)) {
            parts.push(Part::Bias);
            if layout.reduced {
                parts.push(Part::Bits);
                parts.extend((0..layout.columns.len()).flat_map(|c| [Part::Low(c), Part::Span(c)]));
            }
        }
        parts
    }

    /// Name of the field that holds a part.
    pub fn field(&self, table: ConstraintId, part: Part) -> String {
        let prefix = &self.tables[table].prefix;
        match part {
            Part::Column(c) => format!("{prefix}_c{c}"),
            Part::Ids => format!("{prefix}_id"),
            Part::Claims => format!("{prefix}_claim"),
            Part::Ranks => format!("{prefix}_rank"),
            Part::Better => format!("{prefix}_better"),
            Part::Best => format!("{prefix}_best"),
            Part::BestMask => format!("{prefix}_best_mask"),
            Part::Slots(k) => format!("{prefix}_x{k}_slots"),
            Part::Next(k) => format!("{prefix}_x{k}_next"),
            Part::Mask(k) => format!("{prefix}_x{k}_mask"),
            Part::Bits => format!("{prefix}_bits"),
            Part::Low(c) => format!("{prefix}_low{c}"),
            Part::Span(c) => format!("{prefix}_span{c}"),
            Part::Bias => format!("{prefix}_bias"),
        }
    }

    /// The keyed index of a table that has a number in the plan; `None` for the list of all rows.
    pub fn keyed(&self, table: ConstraintId, number: usize) -> Option<usize> {
        self.tables[table].indexes.iter().position(|i| i.number == number)
    }

    /// Adds the fields of all tables to the record `Params` of the template.
    pub fn extend_params(&self, module: &mut Module) {
        let Some(params) = module.record("Params") else { return };
        if self.terms.is_some() {
            module.records[params].fields.extend(Terms::fields());
        }
        if !self.output.is_empty() {
            let buffer =
                |name: &str, scalar| Field { name: name.into(), ty: Type::Buffer(Space::Global, scalar) };
            let log = [buffer(LOG_KINDS, Scalar::U32), buffer(LOG_VALUES, Scalar::U64)];
            module.records[params].fields.extend(log);
        }
        for table in self.tables.ids() {
            for part in self.parts(table) {
                let name = self.field(table, part);
                module.records[params].fields.push(Field { name, ty: part.ty() });
            }
        }
    }
}

impl Part {
    /// Type of its field.
    pub fn ty(self) -> Type {
        match self {
            Part::Column(_) | Part::Claims | Part::Ranks | Part::Better => {
                Type::Buffer(Space::Global, Scalar::U64)
            }
            Part::Ids | Part::Best | Part::Slots(_) | Part::Next(_) | Part::Bits => {
                Type::Buffer(Space::Global, Scalar::U32)
            }
            Part::BestMask | Part::Mask(_) | Part::Bias => Type::U32,
            Part::Low(_) | Part::Span(_) => Type::U64,
        }
    }
}

/// Position of an id, as a number in generated code.
pub(super) fn number(id: impl Id) -> u32 {
    id.index() as u32
}
