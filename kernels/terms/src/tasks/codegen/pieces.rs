//! Parts of a program's work as functions: one, or a choice among pieces that are functions of their own when it has
//! many statements.

use gchr_base::ids::Id;
use gchr_kernel::build;
use gchr_kernel::ir::{FunctionId as FunctionNumber, *};
use gchr_kernel::template::FieldId;

use super::{Case, Generator, Part, Reports, ResumeId, Sources, StateId, Within};

/// How the parts of a program's work are cut into functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// Statements that a part may have as one function. The time to compile a function grows faster than its size, and
    /// one function keeps one processor busy.
    pub most: usize,
    /// Statements after which a function of a larger part ends.
    pub each: usize,
    /// Whether each piece is compiled apart from the others, and linked. Compilers know less of such calls.
    pub apart: bool,
}

impl Pieces {
    /// Those with which kernels run fast.
    pub const FAST: Self = Self { most: 3000, each: 600, apart: false };
    /// Those with which many processors compile them soon.
    pub const SOON: Self = Self { most: 0, each: 600, apart: true };
}

impl Default for Pieces {
    fn default() -> Self {
        Self::FAST
    }
}

/// Generates a part: the function, and before it those that have its cases where it would be too large. `before`: how
/// many functions are put into the same hole before these.
pub(in crate::tasks) fn part(
    part: Part,
    from: Sources<'_, '_>,
    before: usize,
    sizes: Pieces,
    reports: &mut Reports,
) -> Vec<Function> {
    let known = reports.clone();
    let whole = {
        let mut g = Generator::new(part, from, reports, None);
        let cases = g.cases(part, 0, usize::MAX).0;
        g.choose(part, false, cases);
        g.finish()
    };
    if statements(&whole.body) <= sizes.most {
        return vec![whole];
    }
    *reports = known;
    let mut pieces = Vec::new();
    let mut ways = Vec::new();
    let mut next = Some(0);
    while let Some(first) = next {
        let mut g = Generator::new(part, from, reports, Some(pieces.len()));
        let (cases, rest) = g.cases(part, first, sizes.each);
        next = rest;
        // States that only threads in safepoint mode have.
        if cases.is_empty() {
            continue;
        }
        ways.push(cases.iter().flat_map(|(numbers, _)| numbers.iter().copied()).collect());
        g.choose(part, true, cases);
        pieces.push(g.finish());
    }
    let mut g = Generator::new(part, from, reports, None);
    g.choose_piece(part, ways, before);
    pieces.push(g.finish());
    pieces
}

/// Statements of a block, those inside of others included.
fn statements(block: &[Stmt]) -> usize {
    let mut count = 0;
    flow::each_statement(block, &mut |_| count += 1);
    count
}

impl Generator<'_, '_> {
    /// The cases of a part from a number on, up to a number of statements; then also the first case that is left.
    fn cases(&mut self, part: Part, first: usize, most: usize) -> (Vec<Case>, Option<usize>) {
        let (mut cases, mut size) = (Vec::new(), 0);
        let count = if part.pops { self.states.resumes.len() } else { self.states.states.len() };
        for at in first..count {
            if size >= most {
                return (cases, Some(at));
            }
            let case = if part.pops {
                self.resume_case(ResumeId::from_index(at))
            } else {
                self.state_case(StateId::from_index(at))
            };
            size += case.as_ref().map_or(0, |(_, code)| statements(code));
            cases.extend(case.map(|(number, code)| (vec![u64::from(number)], code)));
        }
        (cases, None)
    }

    /// The code of a state and its number.
    fn state_case(&mut self, id: StateId) -> Option<(u32, Vec<Stmt>)> {
        if self.states.states[id].safepoints && !self.safepoints {
            return None;
        }
        self.function = self.states.states[id].function;
        self.within = Within::State(id);
        self.b.begin();
        self.state(id);
        Some((self.runtime.shape.state_number(id), self.b.end()))
    }

    /// The code of a resume point and its number.
    fn resume_case(&mut self, id: ResumeId) -> Option<(u32, Vec<Stmt>)> {
        if self.states.resumes[id].safepoints && !self.safepoints {
            return None;
        }
        self.function = self.states.resumes[id].function;
        self.within = Within::Resume;
        self.b.begin();
        self.resume(id);
        Some((id.0, self.b.end()))
    }

    /// Chooses among the cases of a part, or of a piece of one.
    fn choose(&mut self, part: Part, piece: bool, cases: Vec<Case>) {
        let value = self.chosen(part, piece);
        if !cases.is_empty() {
            self.b.push(StmtKind::Switch { value, cases, default: Vec::new() });
        }
    }

    /// Calls the piece of the part that has the case; `ways`: the cases of each.
    fn choose_piece(&mut self, part: Part, ways: Vec<Vec<u64>>, before: usize) {
        let value = self.chosen(part, false);
        let machine = Type::Record(self.runtime.machine());
        let fields = self.runtime.module.records[self.runtime.machine()].fields.len() as u32;
        let hole = part.function(self.runtime.names).index();
        let mut cases = Vec::new();
        for (number, numbers) in ways.into_iter().enumerate() {
            self.b.begin();
            let mut args = vec![self.p.clone(), self.stack.clone()];
            if self.runtime.tracing.is_none() {
                args.push(self.lists.clone());
            }
            args.extend((0..fields).map(|field| self.reg(FieldId(field))));
            let piece = FunctionNumber::from_index(hole + before + number);
            let after = self.b.call_typed("after", machine, piece, args);
            self.b.assign(self.m.clone(), after);
            cases.push((numbers, self.b.end()));
        }
        self.b.push(StmtKind::Switch { value, cases, default: Vec::new() });
    }

    /// What says which case it is: the state; or the resume point of the top frame, which is popped before pieces are
    /// called.
    fn chosen(&mut self, part: Part, piece: bool) -> Expr {
        if !part.pops {
            return self.reg(self.machine().state);
        }
        let sp = self.reg(self.machine().sp);
        if !piece {
            let stride = build::u32(self.runtime.shape.stride);
            self.b.assign(sp.clone(), build::binary(BinaryOp::Sub, sp.clone(), stride));
        }
        self.b.var("resume", build::element(self.stack.clone(), sp))
    }
}
