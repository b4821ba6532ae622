//! The plan of a term program: structured functions over normal forms. Every backend executes this type.
//!
//! A [`Function`] is a [`Region`]: parameters and a [`Block`]. A block is a list of [`Step`]s that each bind one local,
//! and an [`End`]. Blocks form a tree, so there are no joins but one: the value of a nested region. Locals are bound
//! once.

use crate::plan::layout::Layout;
use gchr_base::define_id;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Const, RuleId};
use gchr_base::signature::{Notation, SortId, SymbolId};
use gchr_base::source::Span;

define_id!(
    /// A function of a plan.
    FunctionId, "f"
);
define_id!(
    /// A local of one function: a parameter, a field of a matched cell, or the result of a step.
    LocalId, "%"
);

/// What to compile and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TermOptions {
    /// Inline small functions that are not truly recursive.
    pub inline: bool,
    /// Tail recursion modulo constructors (TRMC): turn calls under constructors into loops that pass a hole on.
    pub contexts: bool,
    /// Use what is known about locals: matches on known constructors, cells that exist already, unused values.
    pub simplify: bool,
    /// Report each rule application with its redex: implies none of the above.
    pub trace: bool,
    /// Find calls that may run in parallel: siblings of calls. For schedulers with many workers.
    pub split: bool,
    /// Find base cases of recursive functions, for call sites. Code is faster with them, and up to twice as long.
    pub bases: bool,
    /// Make references explicit: what is borrowed, duplicated, dropped and reused. For backends that free cells by
    /// counts.
    pub counts: bool,
    /// Nothing but the term of the program is evaluated: what that cannot come to is left out.
    pub only_start: bool,
}

impl Default for TermOptions {
    fn default() -> Self {
        Self {
            inline: true,
            contexts: true,
            simplify: true,
            trace: false,
            split: false,
            bases: false,
            counts: false,
            only_start: false,
        }
    }
}

impl TermOptions {
    /// For runs that are traced: redexes are evaluated one by one, and their arguments are kept.
    pub fn traced() -> Self {
        Self { inline: false, contexts: false, simplify: false, trace: true, ..Self::default() }
    }
    /// For native code, which copies base cases to call sites.
    pub fn native(self) -> Self {
        Self { bases: true, ..self }
    }
    /// The same for several threads that share a run.
    pub fn shared(self) -> Self {
        Self { split: true, ..self.native() }
    }
    /// For schedulers that evaluate calls side by side; `counts`: that also free cells by reference counts.
    pub fn tasks(counts: bool) -> Self {
        Self { split: true, bases: true, counts, ..Self::default() }
    }
    /// For code that has to be compiled soon: without copies of base cases.
    pub fn short(self) -> Self {
        Self { bases: false, ..self }
    }
}

/// An executable term program.
#[derive(Clone, Debug)]
pub struct TermPlan {
    /// How it was compiled.
    pub options: TermOptions,
    /// How values and cells look.
    pub layout: Layout,
    /// All functions.
    pub functions: IdVec<FunctionId, Function>,
    /// The function that normalises an application of a symbol to normal forms; none for constructors.
    pub function_of: IdVec<SymbolId, Option<FunctionId>>,
    /// Whether `liveness` has run: then the resume point of every [`Step::Call`] is filled in, and stays right.
    pub resume_points: bool,
    /// What passes after `liveness` know about references; none when [`TermOptions::counts`] does not ask for them.
    pub references: Option<References>,
    /// Names of the rules, for printing.
    pub rule_names: IdVec<RuleId, String>,
    /// Names of the symbols, for printing.
    pub symbol_names: IdVec<SymbolId, String>,
    /// How applications of the symbols are written, for printing.
    pub notations: IdVec<SymbolId, Notation>,
}

/// How values are owned, once [`Step::Ref`] steps are in the plan.
///
/// A reference to a value is held by a cell (its fields are) or by a local. A local is given its reference when it is
/// bound, unless it is a borrowed parameter or a field: these live as long as another owner holds them. Each reference
/// is given away exactly once on every path: into a cell, to an owned parameter, to the caller, or by a [`Step::Ref`].
/// A local whose reference went into a cell may be used as long as that cell lives. Values without cells (numbers,
/// sorts whose variants have no arguments) are not accounted for.
#[derive(Clone, PartialEq, Debug)]
pub struct References {
    /// Sorts with values that may have several references at a time: only their cells need a count. A cell of another
    /// sort has one reference as long as it exists, provided that the start of the run is a term without shared
    /// subterms.
    pub counted: IdVec<SortId, bool>,
}

/// A local.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    /// Name for printing; not unique.
    pub name: String,
    /// Sort of its value.
    pub sort: SortId,
    /// Of a parameter: the caller keeps its reference to the value until the function or the region is left. All
    /// parameters are owned unless [`TermPlan::references`] are known.
    pub borrowed: bool,
}

/// A function: takes normal forms, gives the normal form of the application it stands for.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Unique name: the symbol's, or the symbol's with a suffix for an outlined part.
    pub name: String,
    /// Sort of the result.
    pub result: SortId,
    /// All locals of the function, nested regions included.
    pub locals: IdVec<LocalId, Local>,
    /// Parameters and body.
    pub region: Region,
    /// The base case of a recursive function ([`TermOptions::split`]), for call sites: the body as far as it gets
    /// without a call or a loop. Where it gets to a value it returns it; everywhere else its end is the tail call of
    /// the function with its own parameters, and nothing has happened yet that would have to be undone. Its locals are
    /// those of the body.
    pub base: Option<Box<Block>>,
}

/// A block with parameters, which [`End::Continue`] binds anew: a function, or a nested block that has a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// Bound on entry and by each [`End::Continue`].
    pub params: Vec<LocalId>,
    /// What it does.
    pub body: Block,
}

/// Steps and an end.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Rules whose application is complete, and counted, when control is here: their left-hand side has matched
    /// and their conditions hold.
    pub applied: Vec<RuleId>,
    /// In order of evaluation.
    pub steps: Vec<Step>,
    /// How it ends.
    pub end: End,
}

/// Binds one local.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A constant of a built-in sort.
    Const {
        /// Bound here.
        dst: LocalId,
        /// The constant.
        value: Const,
    },
    /// A value headed by a constructor, or by a defined symbol whose application no rule matches.
    Build {
        /// Bound here.
        dst: LocalId,
        /// A variant of the sort of `dst`.
        symbol: SymbolId,
        /// Fields.
        args: Vec<LocalId>,
        /// A token of a cell of the same class ([`RefStep::Open`]), used up here: if it has a cell, that cell is
        /// overwritten.
        reuse: Option<LocalId>,
    },
    /// A unary constructor applied many times.
    Repeat {
        /// Bound here.
        dst: LocalId,
        /// A variant of the sort of `dst` whose only field has this sort too.
        symbol: SymbolId,
        /// How often; at least 1.
        count: u32,
        /// Innermost field.
        arg: LocalId,
    },
    /// A built-in operator. Neither `Both` nor `Either`: these are regions.
    Operate {
        /// Bound here.
        dst: LocalId,
        /// The operator.
        op: Op,
        /// Operands.
        args: Vec<LocalId>,
        /// For run-time errors.
        site: Site,
    },
    /// A call that is not in tail position.
    Call {
        /// Bound here, to the result.
        dst: LocalId,
        /// The callee.
        function: FunctionId,
        /// Arguments.
        args: Vec<LocalId>,
        /// The resume point: locals other than `dst` that are needed when the call is back, in order. Filled in by the
        /// `liveness` pass.
        live: Vec<LocalId>,
        /// So many calls right after this one need neither its result nor each other's: all of them may run side by
        /// side ([`TermOptions::split`]). They are the next steps of the block, in order of growing cost; the last one
        /// may be the call of a context at the end of the block ([`End::Context`]). They join in the code after the
        /// last one.
        siblings: u32,
    },
    /// A nested region, entered with these values; its value is what its body returns.
    Region {
        /// Bound here, to the value.
        dst: LocalId,
        /// First values of the parameters.
        inits: Vec<LocalId>,
        /// Parameters and body; may use locals bound before.
        region: Box<Region>,
    },
    /// Reports the application of a rule (traced runs only); binds nothing.
    Trace {
        /// The rule.
        rule: RuleId,
        /// Head of the redex.
        symbol: SymbolId,
        /// Arguments of the redex.
        args: Vec<LocalId>,
    },
    /// Accounts for references ([`References`]). Executors that find unused cells in another way skip it.
    Ref(RefStep),
}

/// A change of the owners of references: the dup, drop and reuse instructions of Reinking, Xie, de Moura, Leijen:
/// "Perceus: Garbage Free Reference Counting with Reuse" (PLDI 2021). Values without a cell are left alone by all of
/// them.
#[derive(Clone, PartialEq, Debug)]
pub enum RefStep {
    /// Adds so many references.
    Dup {
        /// To this value.
        local: LocalId,
        /// At least 1.
        times: u32,
    },
    /// Releases a reference. With the last one the cell is freed and each of its fields dropped; the depth of that is
    /// bounded by memory only.
    Drop {
        /// To this value.
        local: LocalId,
    },
    /// Releases a reference to a cell whose head is known, and takes one to each of some fields that have been read
    /// from it (drop specialisation). With the last reference these fields are moved out, the others dropped, and the
    /// memory of the cell becomes the token, or is freed if there is none. Otherwise these fields are duplicated, and
    /// the token is empty.
    Open {
        /// The cell.
        cell: LocalId,
        /// Its head.
        symbol: SymbolId,
        /// By field: the local that holds a reference from now on.
        fields: Vec<Option<LocalId>>,
        /// Bound here: memory for a cell of the same class, or nothing. Not a value; its sort is that of the cell. Used
        /// up exactly once on every path, by `reuse` of [`Step::Build`] or by [`RefStep::Free`].
        token: Option<LocalId>,
    },
    /// Frees the memory that a token has, if any.
    Free {
        /// The token.
        token: LocalId,
    },
}

/// Where an operation stands in the source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Site {
    /// In which rule.
    pub rule: RuleId,
    /// Place.
    pub span: Span,
}

/// The end of a block.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// The value of the innermost region.
    Return(LocalId),
    /// The value of the function is that of another function. Not in nested regions.
    TailCall {
        /// The callee.
        function: FunctionId,
        /// Arguments.
        args: Vec<LocalId>,
    },
    /// Back to the head of the innermost region, with new values of its parameters.
    Continue(Vec<LocalId>),
    /// A tail call modulo constructors (TRMC): the value of the function is a nest of cells with the value of a call
    /// inside. The nest is built first, with a hole, and the callee fills the hole. Not in nested regions.
    Context {
        /// Stands for the value of the call; used once, in `nest`.
        hole: LocalId,
        /// `Build` and `Repeat` steps from the cell with the hole to the outermost one, each used by the next.
        nest: Vec<Step>,
        /// The function that fills the hole.
        target: Target,
        /// Arguments.
        args: Vec<LocalId>,
    },
    /// No rule matches an application of a symbol whose result is a number: a run-time error.
    NoRule {
        /// Head of the application.
        symbol: SymbolId,
        /// Its arguments.
        args: Vec<LocalId>,
    },
    /// By the head symbol of a value.
    Match {
        /// The value.
        on: LocalId,
        /// By symbol, in the order of the variants; each symbol once.
        arms: Vec<Arm>,
        /// For all other variants; present exactly when there are others.
        default: Option<Box<Block>>,
    },
    /// By a test.
    If {
        /// The test.
        test: Test,
        /// When it holds.
        then: Box<Block>,
        /// When it does not.
        otherwise: Box<Block>,
    },
}

/// The callee of a tail call modulo constructors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The function itself.
    Again,
    /// Another function.
    Function(FunctionId),
}

/// An arm of a [`End::Match`].
#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    /// A variant.
    pub symbol: SymbolId,
    /// The fields; `None` for those that are not needed.
    pub fields: Vec<Option<LocalId>>,
    /// What to do.
    pub body: Block,
}

/// A test.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// Two values of one sort are structurally equal.
    Same(LocalId, LocalId),
    /// A value of a built-in sort is this constant.
    Constant(LocalId, Const),
    /// A truth value is true.
    Holds(LocalId),
    /// A comparison of numbers of one sort.
    Compare(Op, LocalId, LocalId),
}

impl Test {
    /// The locals it reads.
    pub fn uses(&self) -> impl Iterator<Item = LocalId> + use<> {
        let (a, b) = match *self {
            Test::Same(a, b) | Test::Compare(_, a, b) => (a, Some(b)),
            Test::Constant(a, _) | Test::Holds(a) => (a, None),
        };
        std::iter::once(a).chain(b)
    }
    /// The locals it reads, mutable.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut LocalId> {
        let (a, b) = match self {
            Test::Same(a, b) | Test::Compare(_, a, b) => (a, Some(b)),
            Test::Constant(a, _) | Test::Holds(a) => (a, None),
        };
        std::iter::once(a).chain(b)
    }
}

/// The locals that a step reads directly, and the memory that it builds in: by shared or by mutable reference.
macro_rules! direct_uses {
    ($step:expr, $slice:ident, $option:ident) => {
        match $step {
            Step::Const { .. } => (Default::default(), None),
            Step::Repeat { arg, .. } => (std::slice::$slice(arg), None),
            Step::Build { args, reuse, .. } => (args, reuse.$option()),
            Step::Operate { args, .. } | Step::Call { args, .. } | Step::Trace { args, .. } => (args, None),
            Step::Region { inits, .. } => (inits, None),
            Step::Ref(
                RefStep::Dup { local, .. }
                | RefStep::Drop { local }
                | RefStep::Open { cell: local, .. }
                | RefStep::Free { token: local },
            ) => (std::slice::$slice(local), None),
        }
    };
}

impl Step {
    /// A call of which nothing more is known yet.
    pub fn call(dst: LocalId, function: FunctionId, args: Vec<LocalId>) -> Self {
        Step::Call { dst, function, args, live: Vec::new(), siblings: 0 }
    }
    /// The local it binds.
    pub fn dst(&self) -> Option<LocalId> {
        match self {
            Step::Const { dst, .. }
            | Step::Build { dst, .. }
            | Step::Repeat { dst, .. }
            | Step::Operate { dst, .. }
            | Step::Call { dst, .. }
            | Step::Region { dst, .. } => Some(*dst),
            Step::Ref(RefStep::Open { token, .. }) => *token,
            Step::Trace { .. } | Step::Ref(_) => None,
        }
    }
    /// The locals it reads directly, nested regions not included.
    pub fn uses(&self) -> impl Iterator<Item = LocalId> + '_ {
        let (locals, token): (&[LocalId], _) = direct_uses!(self, from_ref, as_ref);
        locals.iter().chain(token).copied()
    }
    /// The locals it reads directly, mutable.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut LocalId> {
        let (locals, token): (&mut [LocalId], _) = direct_uses!(self, from_mut, as_mut);
        locals.iter_mut().chain(token)
    }
}

impl End {
    /// The locals it reads directly: neither those of a nest, nor those of blocks below.
    pub fn uses(&self) -> Vec<LocalId> {
        match self {
            End::Return(value) => vec![*value],
            End::TailCall { args, .. }
            | End::Continue(args)
            | End::Context { args, .. }
            | End::NoRule { args, .. } => args.clone(),
            End::Match { on, .. } => vec![*on],
            End::If { test, .. } => test.uses().collect(),
        }
    }
    /// The locals it reads directly, mutable.
    pub fn for_each_use_mut(&mut self, f: &mut dyn FnMut(&mut LocalId)) {
        match self {
            End::Return(value) => f(value),
            End::TailCall { args, .. }
            | End::Continue(args)
            | End::Context { args, .. }
            | End::NoRule { args, .. } => {
                args.iter_mut().for_each(f);
            }
            End::Match { on, .. } => f(on),
            End::If { test, .. } => test.uses_mut().for_each(f),
        }
    }
    /// The blocks below.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            End::Match { arms, default, .. } => {
                arms.iter().map(|arm| &arm.body).chain(default.as_deref()).collect()
            }
            End::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }
    /// The blocks below, mutable.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            End::Match { arms, default, .. } => {
                arms.iter_mut().map(|arm| &mut arm.body).chain(default.as_deref_mut()).collect()
            }
            End::If { then, otherwise, .. } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }
}

impl Block {
    /// A block that only returns a local.
    pub fn returning(value: LocalId) -> Self {
        Self { applied: Vec::new(), steps: Vec::new(), end: End::Return(value) }
    }
    /// Calls `f` on this block and all below it, nested regions included, parents first.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Block)) {
        f(self);
        for step in &self.steps {
            if let Step::Region { region, .. } = step {
                region.body.walk(f);
            }
        }
        self.end.blocks().into_iter().for_each(|b| b.walk(f));
    }
    /// Calls `f` on this block and all in tail position below it: not those of nested regions.
    pub fn for_each_tail_mut(&mut self, f: &mut dyn FnMut(&mut Block)) {
        f(self);
        self.end.blocks_mut().into_iter().for_each(|b| b.for_each_tail_mut(f));
    }
    /// Whether some of its calls may run side by side ([`TermOptions::split`]).
    pub fn has_siblings(&self) -> bool {
        let mut found = false;
        self.walk(&mut |block| {
            found |= block.steps.iter().any(|s| matches!(s, Step::Call { siblings, .. } if *siblings > 0));
        });
        found
    }
    /// A measure of code size: steps, ends and arms.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.walk(&mut |b| size += 1 + b.steps.len() + b.applied.len() / 8);
        size
    }
}

impl Region {
    /// Whether control comes back to the head of the region.
    pub fn is_loop(&self) -> bool {
        fn tail(block: &Block) -> bool {
            matches!(block.end, End::Continue(_) | End::Context { target: Target::Again, .. })
                || block.end.blocks().into_iter().any(tail)
        }
        tail(&self.body)
    }
}

impl Function {
    /// A new local.
    pub fn local(&mut self, name: impl Into<String>, sort: SortId) -> LocalId {
        self.locals.push(Local { name: name.into(), sort, borrowed: false })
    }
    /// Sort of a local.
    pub fn sort(&self, local: LocalId) -> SortId {
        self.locals[local].sort
    }
}
