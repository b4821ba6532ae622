//! From rules to decision trees: one test a column, textual rule order kept, code in proportion to the patterns.
//!
//! The matrix method of Luc Maranget, "Compiling Pattern Matching to Good Decision Trees" (ML 2008): rows are rules,
//! columns are values not yet inspected; a column that the first row needs is tested, and the matrix is specialised for
//! each outcome. A tree can be exponential in the number of rows; [`compile`] then splits the rows into groups that are
//! tried one after the other. A tree that gets deep goes on in another [`Part`], so that no code is nested deeply.

mod build;
mod rows;

use self::build::{Build, TooBig};
use self::rows::Rows;
use crate::plan::declare::empty_function;
use crate::plan::ir::{Function, LocalId};
use crate::plan::layout::Layout;
use gchr_base::rule::{Const, Program, RuleId, VarId};
use gchr_base::signature::SymbolId;

/// Consecutive rules that are decided on together: where none applies, the next group is tried.
pub(super) struct Group {
    /// Its trees; control starts in the first one.
    pub(super) parts: Vec<Part>,
}

/// A piece of a decision tree that is a function of its own.
pub(super) struct Part {
    /// Its parameters: those of the symbol, then what is known so far. The body has no meaning yet.
    pub(super) function: Function,
    /// What it decides.
    pub(super) tree: Tree,
}

/// A decision tree for a group of rules.
#[derive(Debug)]
pub(super) enum Tree {
    /// No rule of the group matches.
    Fail,
    /// A rule matches, provided that its checks and its guard hold.
    Leaf(Leaf),
    /// By the head symbol of a value.
    Switch { on: LocalId, arms: Vec<(SymbolId, Vec<LocalId>, Tree)>, default: Option<Box<Tree>> },
    /// Whether a number is a constant.
    Equal { on: LocalId, constant: Const, then: Box<Tree>, otherwise: Box<Tree> },
    /// Whether an integer is below a constant.
    Below { on: LocalId, constant: i64, then: Box<Tree>, otherwise: Box<Tree> },
    /// Goes on in another part of the group, which has these parameters besides those of the symbol.
    Part { part: usize, args: Vec<LocalId> },
}

/// A row of which everything but checks and guard has matched.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) rule: RuleId,
    /// The variables that guard and right-hand side need.
    pub(super) binds: Vec<(VarId, LocalId)>,
    /// Pairs that must be structurally equal: occurrences of one variable.
    pub(super) checks: Vec<(LocalId, LocalId)>,
    /// Where to go when checks or guard fail; `None` when the rule has neither.
    pub(super) otherwise: Option<Box<Tree>>,
}

/// Decision trees for the rules of a symbol, in groups of consecutive rules: where one fails, the next goes on.
pub(super) fn compile(program: &Program, layout: &Layout, symbol: SymbolId, rules: &[RuleId]) -> Vec<Group> {
    let function = empty_function(program, symbol, rules);
    let mut groups = Vec::new();
    // The first rules last.
    let mut todo = vec![rules];
    while let Some(rules) = todo.pop().filter(|rules| !rules.is_empty()) {
        let rows = Rows::new(program, layout, &function, rules);
        match Build::new(program, layout, function.clone(), &rows, rules.len() == 1).group(rows) {
            Ok(parts) => groups.push(Group { parts }),
            Err(TooBig) => {
                let (first, second) = rules.split_at(rules.len() / 2);
                todo.extend([second, first]);
            }
        }
    }
    groups
}

/// Whether some path fails, or may fail because checks or guards do not hold.
pub(super) fn can_fail(group: &Group) -> bool {
    group.parts.iter().any(|part| part.tree.can_fail())
}

impl Tree {
    /// Calls `f` on this tree and all below it, parents first.
    pub(super) fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Tree)) {
        f(self);
        match self {
            Tree::Fail | Tree::Part { .. } => {}
            Tree::Leaf(leaf) => leaf.otherwise.iter().for_each(|tree| tree.walk(f)),
            Tree::Switch { arms, default, .. } => {
                arms.iter().for_each(|(_, _, tree)| tree.walk(f));
                default.iter().for_each(|tree| tree.walk(f));
            }
            Tree::Equal { then, otherwise, .. } | Tree::Below { then, otherwise, .. } => {
                then.walk(f);
                otherwise.walk(f);
            }
        }
    }

    fn can_fail(&self) -> bool {
        let mut fails = false;
        self.walk(&mut |tree| fails |= matches!(tree, Tree::Fail));
        fails
    }
}
