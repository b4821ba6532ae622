//! Rewrite functions of the topology scheduler, one a head symbol, generated as kernel IR.
//!
//! A rewrite function tries the equations of its head on one slot in textual order. The template `topology.cu` holds
//! everything else: slots and counts, indices, arithmetic that reports errors, the iteration and the collectors.

mod arguments;
mod equation;
mod operator;

pub(super) use arguments::argument_function;

use gchr_base::ids::IdVec;
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;

use super::contract::{Functions, Names};
use super::system::{HeadId, HeadKind, System};
use gchr_base::op::Op;
use gchr_base::signature::SymbolId;
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_kernel::spelling;
use gchr_kernel::template::FieldId;
use gchr_runtime::codegen::{DeviceTrap, Site, Sites};

/// When a slot may be rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    /// When all its arguments are in normal form.
    Innermost,
    /// When the arguments that a rule inspects, returns or drops are in normal form. An argument that is not needed for
    /// a match may still be rewritten beside it. Rules that come first in the text still come first: a rule that cannot
    /// be decided yet holds back those behind it, and what a rule drops is normalised first, so that results and rule
    /// applications are those of innermost rewriting.
    Relaxed,
}

impl Strategy {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Innermost => "innermost",
            Strategy::Relaxed => "relaxed",
        }
    }
}

/// An error that a device reports with the slot of the redex, by the number that it reports.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TermError {
    /// No rule matches an application of a symbol whose result is a number.
    NoRule {
        /// The symbol.
        symbol: SymbolId,
        /// The slot's arguments from this one on are those of the application.
        skip: usize,
    },
    /// The first arguments of the slot are no operands of an operator.
    Type {
        /// The operator.
        op: Op,
        /// Where it is written.
        site: Site,
        /// So many arguments are its operands.
        operands: usize,
    },
}

/// What generated code reports besides values.
#[derive(Default)]
pub(super) struct Reports {
    /// Arithmetic errors.
    pub sites: Sites,
    /// Others.
    pub terms: Vec<TermError>,
}

/// The template's module, and what generated code uses of it.
#[derive(Clone, Copy)]
pub(super) struct Runtime<'a> {
    pub module: &'a Module,
    pub names: &'a Names,
}

/// Generates the functions for the hole `rewrite` of the template: one a head that is rewritten, and last the one that
/// picks one of them by the head of the slot.
pub(super) fn rewrite_functions(
    system: &System,
    program: &Program,
    sources: &SourceMap,
    strategy: Strategy,
    runtime: Runtime<'_>,
) -> (Vec<Function>, Reports) {
    let mut reports = Reports::default();
    let mut functions = Vec::new();
    let mut cases: Vec<(HeadId, FunctionId)> = Vec::new();
    let first = runtime.names.functions.rewrite.0 as usize;
    for head in system.heads.ids().filter(|&h| system.is_active(h)) {
        let mut gen_ = Generator::new(system, program, sources, strategy, &runtime, head, &mut reports);
        gen_.head();
        cases.push((head, FunctionId((first + functions.len()) as u32)));
        functions.push(gen_.b.finish());
    }
    functions.push(dispatch(&runtime, &cases));
    (functions, reports)
}

/// `rewrite`: the rewrite function of the slot's head; a slot whose head is never rewritten is in normal form.
fn dispatch(runtime: &Runtime<'_>, cases: &[(HeadId, FunctionId)]) -> Function {
    let mut b = FunctionBuilder::new("rewrite", FunctionKind::Device, Type::U32);
    b.doc("Rewrites slot i once, or marks it as a normal form; says which.");
    let (p, i, t) = parameters(&mut b, runtime);
    let head = b.var("head", head_of(runtime, t.clone()));
    let status = b.var("status", build::u32(runtime.names.format.waits));
    let values = cases.iter().map(|(h, _)| u64::from(h.0)).collect();
    let args = vec![p.clone(), i.clone(), t.clone()];
    b.switch(
        head,
        values,
        |b, value| {
            if let Some((_, function)) = cases.iter().find(|(h, _)| u64::from(h.0) == value) {
                let result = Some(target(&status));
                b.push(StmtKind::Effect {
                    result,
                    effect: Effect::Call { function: *function, args: args.clone() },
                });
            }
        },
        |b| {
            let result = Some(target(&status));
            let function = runtime.names.functions.mark;
            b.push(StmtKind::Effect { result, effect: Effect::Call { function, args: args.clone() } });
        },
    );
    b.ret(Some(status));
    b.finish()
}

fn target(variable: &Expr) -> Target {
    match variable.kind {
        ExprKind::Var(v) => Target::Assign(v),
        _ => unreachable!("a variable"),
    }
}

fn parameters(b: &mut FunctionBuilder, runtime: &Runtime<'_>) -> (Expr, Expr, Expr) {
    let p = b.param("p", Type::Record(runtime.names.params.record));
    let i = b.param("i", Type::U32);
    let t = b.param("t", Type::Record(runtime.names.term.record));
    (p, i, t)
}

/// Head of a slot's value.
fn head_of(runtime: &Runtime<'_>, term: Expr) -> Expr {
    let head = build::field_at(runtime.module, term, runtime.names.term.head.0);
    build::binary(BinaryOp::And, head, build::u32(runtime.names.format.head_mask))
}

/// Generator of the rewrite function of one head.
struct Generator<'a> {
    system: &'a System,
    program: &'a Program,
    sources: &'a SourceMap,
    strategy: Strategy,
    runtime: &'a Runtime<'a>,
    head: HeadId,
    reports: &'a mut Reports,
    b: FunctionBuilder,
    p: Expr,
    i: Expr,
    t: Expr,
    /// Values of the arguments that some equation inspects; read at the start.
    args: IdVec<ArgId, Option<Loaded>>,
}

gchr_base::define_id!(
    /// Position of an argument.
    ArgId, "arg"
);

/// An argument slot that was read.
#[derive(Clone)]
struct Loaded {
    /// Whether it is in normal form; `None` when all arguments are known to be.
    normal: Option<Expr>,
    value: Expr,
}

impl<'a> Generator<'a> {
    fn new(
        system: &'a System,
        program: &'a Program,
        sources: &'a SourceMap,
        strategy: Strategy,
        runtime: &'a Runtime<'a>,
        head: HeadId,
        reports: &'a mut Reports,
    ) -> Self {
        let name = format!("rewrite_{}_{}", head.0, spelling::part(&system.heads[head].name));
        let mut b = FunctionBuilder::new(name, FunctionKind::Device, Type::U32);
        b.doc(format!("Rules of {} in textual order.", system.heads[head].name));
        let (p, i, t) = parameters(&mut b, runtime);
        Self { system, program, sources, strategy, runtime, head, reports, b, p, i, t, args: IdVec::new() }
    }

    fn module(&self) -> &'a Module {
        self.runtime.module
    }

    fn head(&mut self) {
        let head = &self.system.heads[self.head];
        self.load_arguments(head.is_builtin());
        match head.kind {
            HeadKind::Operator { op, sort, site } => self.operator(op, sort, site),
            HeadKind::Same => self.same(),
            HeadKind::All => self.all(),
            _ => head.equations.iter().for_each(|e| {
                if self.b.completes() {
                    self.equation(e);
                }
            }),
        }
        if !self.b.completes() {
            return;
        }
        if head.numeric {
            return self.no_rule(head.kind, 0);
        }
        let mark = self.runtime.names.functions.mark;
        let args = vec![self.p.clone(), self.i.clone(), self.t.clone()];
        let status = self.b.call("status", self.module(), mark, args);
        self.b.ret(Some(status));
    }

    /// No rule matches an application that is no value: an error as soon as its arguments are known.
    fn no_rule(&mut self, head: HeadKind, skip: usize) {
        let HeadKind::Symbol(symbol) = head else { unreachable!("applications of symbols have no value") };
        if self.strategy == Strategy::Relaxed {
            let arity = self.system.heads[self.head].arity;
            let normal = build::all((skip..arity).map(|k| self.is_normal(self.argument(k))));
            self.wait_unless(normal);
        }
        self.raise(TermError::NoRule { symbol, skip });
    }

    /// Reports an error at the slot; the run ends with this iteration.
    fn raise(&mut self, error: TermError) {
        let number = self.reports.terms.len() as u32;
        self.reports.terms.push(error);
        let buffer = self.param(self.runtime.names.params.error);
        let slot = build::cast(Scalar::U64, self.i.clone());
        let nothing = build::cast(Scalar::U64, build::u32(0));
        let args = vec![buffer, build::u32(number), build::u32(DeviceTrap::TYPE), slot, nothing];
        self.run(self.functions().fail, args);
        self.b.ret(Some(build::u32(self.runtime.names.format.waits)));
    }

    /// Reads the arguments that some equation inspects, if they are in normal form. Built-in steps wait for all
    /// arguments.
    fn load_arguments(&mut self, all: bool) {
        let head = &self.system.heads[self.head];
        let wanted = |k: usize| all || head.equations.iter().any(|e| e.patterns[k].inspects());
        for k in 0..head.arity {
            if !wanted(k) {
                self.args.push(None);
                continue;
            }
            let normal = match self.strategy {
                Strategy::Innermost => None,
                Strategy::Relaxed => {
                    let normal = self.is_normal(self.argument(k));
                    Some(self.b.var(&format!("normal{k}"), normal))
                }
            };
            if all && let Some(normal) = normal.clone() {
                self.wait_unless(normal);
            }
            let slot = self.slot(self.argument(k));
            let value = match normal.clone().filter(|_| !all) {
                None => self.b.var(&format!("t{k}"), slot),
                Some(normal) => {
                    let value =
                        self.b.declare(&format!("t{k}"), Type::Record(self.runtime.names.term.record));
                    self.b.begin();
                    self.b.assign(value.clone(), slot);
                    self.b.end_if(normal);
                    value
                }
            };
            self.args.push(Some(Loaded { normal: normal.filter(|_| !all), value }));
        }
    }

    /// Index of an argument's slot.
    fn argument(&self, k: usize) -> Expr {
        self.child(self.t.clone(), k)
    }

    /// Index of a child slot of a slot's value.
    fn child(&self, term: Expr, k: usize) -> Expr {
        build::field_at(self.module(), term, 1 + k as u32)
    }

    /// A field of the parameters.
    fn param(&self, field: FieldId) -> Expr {
        build::field_at(self.module(), self.p.clone(), field.0)
    }

    /// Value of a slot.
    fn slot(&self, index: Expr) -> Expr {
        build::element(self.param(self.runtime.names.params.term), index)
    }

    /// Whether a slot was in normal form when the iteration began.
    fn is_normal(&self, index: Expr) -> Expr {
        let flags = self.param(self.runtime.names.params.nf_read);
        let zero = Expr::new(ExprKind::Literal(Literal::Int(0)), Type::Scalar(Scalar::U8));
        build::binary(BinaryOp::Ne, build::element(flags, index), zero)
    }

    fn wait_unless(&mut self, ready: Expr) {
        self.b.begin();
        self.b.ret(Some(build::u32(self.runtime.names.format.waits)));
        let not = Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(ready)), Type::BOOL);
        self.b.end_if(not);
    }

    /// The 64-bit number in a slot's value, as an integer or a float.
    fn payload(&self, term: Expr, float: bool) -> Expr {
        let word = |k| build::cast(Scalar::U64, build::field_at(self.module(), term.clone(), k));
        let high = build::binary(BinaryOp::Shl, word(2), build::u32(32));
        let bits = build::binary(BinaryOp::Or, word(1), high);
        if float {
            build::intrinsic(Intrinsic::FloatFromBits, vec![bits], Scalar::F64)
        } else {
            build::cast(Scalar::I64, bits)
        }
    }

    /// A slot's value from a head and argument words; missing ones are 0.
    fn term_value(&self, head: HeadId, args: Vec<Expr>) -> Expr {
        self.term_value_of(self.head_word(head), args)
    }

    fn head_word(&self, head: HeadId) -> Expr {
        let arity = self.system.heads[head].arity as u32;
        build::u32(head.0 | arity << self.runtime.names.format.arity_shift)
    }

    fn term_value_of(&self, head: Expr, args: Vec<Expr>) -> Expr {
        let fields = self.module().records[self.runtime.names.term.record].fields.len();
        let mut words = vec![head];
        words.extend(args);
        words.resize(fields, build::u32(0));
        Expr::new(ExprKind::Record(words), Type::Record(self.runtime.names.term.record))
    }

    /// A slot's value that holds a number.
    fn number_value(&mut self, value: Expr, float: bool) -> Expr {
        let bits = if float {
            build::intrinsic(Intrinsic::FloatBits, vec![value], Scalar::U64)
        } else {
            build::cast(Scalar::U64, value)
        };
        let bits = self.b.var("bits", bits);
        let low = build::cast(Scalar::U32, bits.clone());
        let high = build::cast(Scalar::U32, build::binary(BinaryOp::Shr, bits, build::u32(32)));
        self.term_value(if float { self.system.float_head } else { self.system.int_head }, vec![low, high])
    }

    /// Head word of a truth value.
    fn truth_word(&self, value: Expr) -> Expr {
        let (yes, no) = (self.head_word(self.system.true_head), self.head_word(self.system.false_head));
        Expr::new(ExprKind::Select(Box::new(value), Box::new(yes), Box::new(no)), Type::U32)
    }

    fn run(&mut self, function: FunctionId, args: Vec<Expr>) {
        self.b.run(function, args);
    }
    fn functions(&self) -> Functions {
        self.runtime.names.functions
    }
}
