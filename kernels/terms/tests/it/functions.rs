//! The named functions of term programs on every sort: the values and errors of constraint programs, on the CPU, and on
//! the simulator under tasks and topology; in rules and in start terms.

use gchr_base::control::Control;
use gchr_base::diagnostic::render_all;
use gchr_base::error::StopReason;
use gchr_base::op::{ArithmeticError, Op, Operands};
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::SortKind;
use gchr_base::source::SourceMap;
use gchr_kernels_terms::tasks::kernels::Tuning;
use gchr_kernels_terms::tasks::run::{Options, Promote, Results, Uncollected};
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::Collector;
use gchr_kernels_terms::topology::system::System;
use gchr_kernels_terms::{tasks, topology};
use gchr_simulator::SimDevice;
use gchr_terms::plan::{self, TermOptions};
use gchr_testkit::programs;

const INTS: [&str; 7] = ["-9223372036854775808", "-7", "-1", "0", "1", "12", "9223372036854775807"];
const FLOATS: [&str; 9] = [
    "-1.7976931348623157e308",
    "-2.5",
    "-0.5",
    "-0.0",
    "0.0",
    "5.0e-324",
    "0.49999999999999994",
    "2.5",
    "4.5e15",
];
/// Operands that are in the range of no integer.
const LARGE: [&str; 4] =
    ["9223372036854775808.0", "-9223372036854777856.0", "1.0e300", "-1.7976931348623157e308"];

/// A function on operands: `min(1, 2)`.
struct Call {
    op: Op,
    name: &'static str,
    float: bool,
    operands: Vec<&'static str>,
}

impl Call {
    fn text(&self) -> String {
        format!("{}({})", self.name, self.operands.join(", "))
    }

    /// The same by a function of the program, so that a rule computes it.
    fn by_rule(&self) -> String {
        format!("{}({})", self.function(), self.operands.join(", "))
    }

    fn function(&self) -> String {
        format!("By_{}_{}", self.name, if self.float { "float" } else { "int" })
    }

    /// Constructor of lists that holds the result.
    fn cons(&self) -> &'static str {
        let kind = if self.float { SortKind::Float } else { SortKind::Int };
        if self.op.result(&[kind, kind][..self.op.arity()]) == SortKind::Float { "F" } else { "I" }
    }
}

/// All functions of the table on all tuples of operands of one sort.
fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for name in Op::term_functions() {
        let op = Op::term_function(name).expect("an operator");
        let mut on = |float: bool, values: &[&'static str]| {
            for &a in values {
                let second: &[&'static str] = if op.arity() == 2 { values } else { &[""] };
                for &b in second {
                    calls.push(Call { op, name, float, operands: [a, b][..op.arity()].to_vec() });
                }
            }
        };
        on(false, &INTS);
        if op.row().operands == Operands::Numbers {
            on(true, &FLOATS);
            on(true, &LARGE);
        }
    }
    calls
}

/// What constraint programs compute: the value as text, or what is wrong.
fn by_constraints(call: &Call) -> Result<String, ArithmeticError> {
    let text = format!("?- X is {}, writeq(X).", call.text());
    let (_, program) = programs::constraints("call.chr", &text);
    let plan = gchr_constraints::plan::compile(&program).expect("the plan compiles");
    let mut written = Vec::new();
    let mut control = Control::default().output(&mut written);
    let stopped = gchr_constraints::exec::run(&program, &plan, &[], &mut control).err();
    drop(control);
    match stopped.map(|stopped| stopped.error.reason) {
        None => Ok(String::from_utf8(written).expect("text")),
        Some(StopReason::Arithmetic { error, op, .. }) if op == call.op => Err(error),
        Some(reason) => panic!("{}: {reason:?}", call.text()),
    }
}

/// A program with a function for each built-in one and sort, and an input.
fn text(calls: &[Call], input: &str) -> String {
    let mut functions: Vec<(String, &Call)> = calls.iter().map(|call| (call.function(), call)).collect();
    functions.dedup_by(|a, b| a.0 == b.0);
    let mut text = "sort L = struct E | I(Int, L) | F(Float, L);\nmap\n".to_string();
    let mut equations = String::new();
    for (function, call) in &functions {
        let sort = if call.float { "Float" } else { "Int" };
        let result = if call.cons() == "F" { "Float" } else { "Int" };
        let vars = ["X", "Y"].map(|v| format!("{v}{sort}"));
        let vars = vars[..call.op.arity()].join(", ");
        let sorts = vec![sort; call.op.arity()].join(" # ");
        text += &format!("  {function}: {sorts} -> {result};\n");
        equations += &format!("  {function}({vars}) = {}({vars});\n", call.name);
    }
    format!("{text}var XInt, YInt: Int; XFloat, YFloat: Float;\neqn\n{equations}input {input};\n")
}

/// A list of calls, as in the input.
fn list(calls: &[&Call], term: impl Fn(&Call) -> String) -> String {
    calls.iter().rev().fold("E".into(), |rest, call| format!("{}({}, {rest})", call.cons(), term(call)))
}

struct Case {
    sources: SourceMap,
    program: Program,
    input: GroundTerm,
}

/// The normal form as text, or why there is none.
type Found = Result<String, StopReason>;

impl Case {
    fn new(text: &str) -> Self {
        let (sources, program) = programs::terms("functions.trs", text);
        let input = programs::input(&program);
        Self { sources, program, input }
    }

    fn on_cpu(&self) -> Found {
        let plan = plan::compile(&self.program, &TermOptions::default()).expect("the plan compiles");
        let found = gchr_terms::exec::run(&self.program, &plan, &self.input, &mut Control::default());
        found.map(|outcome| outcome.normal_form.to_text()).map_err(|stopped| stopped.error.reason)
    }

    fn by_tasks(&self) -> Found {
        let plan = plan::compile(&self.program, &TermOptions::tasks(false)).expect("the plan compiles");
        let made = tasks::kernels::kernels(&plan, &self.program, &self.sources, Tuning::default());
        let kernels = programs::made(made, &self.sources);
        let options = Options {
            memory: 1 << 28,
            first_memory: 1 << 20,
            block: 32,
            blocks: 1,
            run: 16,
            batch: 4,
            report: 1 << 12,
            promote: Promote::WhenAsked,
            steps: 64,
            spare: None,
            uncollected: Uncollected::NONE,
            results: Results::NormalForms,
        };
        let inputs = std::slice::from_ref(&self.input);
        let job = tasks::run::Job { program: &self.program, plan: &plan, kernels: &kernels, inputs };
        match tasks::run::run(job, options, &mut simulator(&kernels.module), &mut Control::default()) {
            Ok(outcome) => Ok(outcome.normal_forms[0].to_text()),
            Err(tasks::run::Failure::Stopped(stopped)) => Err(stopped.error.reason),
            Err(tasks::run::Failure::Device(error)) => {
                panic!("{}", render_all(&error.into_diagnostics(), &self.sources, false))
            }
        }
    }

    fn by_topology(&self) -> Found {
        let plan = plan::compile(&self.program, &TermOptions::default()).expect("the plan compiles");
        let system = System::new(&self.program);
        let (strategy, collector) = (Strategy::Innermost, Collector::Queue);
        let made = topology::kernels::kernels(&system, &self.program, &self.sources, strategy, collector);
        let kernels = programs::made(made, &self.sources);
        let (program, input) = (&self.program, &self.input);
        let job = topology::run::Job { program, system: &system, kernels: &kernels, plan: &plan, input };
        let options = topology::run::Options {
            strategy,
            collector,
            memory: 1 << 28,
            slots: 1 << 14,
            counted: u64::MAX,
        };
        match topology::run::run(job, options, &mut simulator(&kernels.module), &mut Control::default()) {
            Ok(outcome) => Ok(outcome.normal_form.to_text()),
            Err(topology::run::Failure::Stopped(stopped)) => Err(stopped.error.reason),
            Err(topology::run::Failure::Device(error)) => {
                panic!("{}", render_all(&error.into_diagnostics(), &self.sources, false))
            }
        }
    }
}

fn simulator<'a>(module: &gchr_kernel::ir::Module) -> SimDevice<'a> {
    let program = gchr_simulator::Program::new(module).unwrap_or_else(|errors| panic!("{errors:?}"));
    let options = gchr_simulator::SimulatorOptions {
        resident_blocks: 2,
        ..gchr_simulator::SimulatorOptions::default()
    };
    SimDevice::new(program, options).max_thread_steps(400_000_000)
}

/// The numbers of a normal form that is a list: the bits of floats, and integers.
fn numbers(list: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
    list.split(|c: char| !is_part(c))
        .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
        .map(number)
        .collect()
}

fn number(text: &str) -> String {
    match text.parse::<i64>() {
        Ok(n) => n.to_string(),
        Err(_) => format!("{:?}", text.parse::<f64>().expect("a number").to_bits()),
    }
}

/// Calls and what becomes of them.
type Expected<'c, T> = Vec<(&'c Call, T)>;

/// Calls with a value and what it is, and calls that fail.
fn expected(calls: &[Call]) -> (Expected<'_, String>, Expected<'_, ArithmeticError>) {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for call in calls {
        match by_constraints(call) {
            Ok(value) => values.push((call, number(&value))),
            Err(error) => errors.push((call, error)),
        }
    }
    (values, errors)
}

#[test]
fn functions_have_the_values_of_constraint_programs() {
    let calls = calls();
    let (values, _) = expected(&calls);
    assert!(values.len() > 300, "{} values", values.len());
    let (of, wanted): (Vec<&Call>, Vec<String>) = values.into_iter().unzip();
    for (place, input) in [("rules", list(&of, Call::by_rule)), ("start", list(&of, Call::text))] {
        let case = Case::new(&text(&calls, &input));
        for (way, found) in
            [("CPU", case.on_cpu()), ("tasks", case.by_tasks()), ("topology", case.by_topology())]
        {
            let found = numbers(&found.unwrap_or_else(|reason| panic!("{way}, {place}: {reason:?}")));
            assert_eq!(found.len(), wanted.len(), "{way}, {place}");
            for ((call, found), wanted) in of.iter().zip(found).zip(&wanted) {
                assert_eq!(&found, wanted, "{way}, {place}: {}", call.text());
            }
        }
    }
}

#[test]
fn functions_have_the_errors_of_constraint_programs() {
    let calls = calls();
    let (_, mut errors) = expected(&calls);
    // One of each function, sort and error, and the first and last of them for the range of integers.
    errors.dedup_by_key(|(call, error)| (call.name, call.float, *error));
    let named: Vec<&str> = errors.iter().map(|(call, _)| call.name).collect();
    for name in ["abs", "gcd", "msb", "truncate", "round", "integer", "floor", "ceiling"] {
        assert!(named.contains(&name), "{name} never fails");
    }
    for (call, error) in errors {
        for (place, input) in [("rules", call.by_rule()), ("start", call.text())] {
            let case = Case::new(&text(&calls, &input));
            for (way, found) in
                [("CPU", case.on_cpu()), ("tasks", case.by_tasks()), ("topology", case.by_topology())]
            {
                let Err(StopReason::Arithmetic { op, error: found, operands }) = found else {
                    panic!("{way}, {place}: {} is {found:?}", call.text())
                };
                assert_eq!((op, found), (call.op, error), "{way}, {place}: {}", call.text());
                assert_eq!(operands.len(), op.arity());
                assert!(
                    operands.iter().zip(&call.operands).all(|(a, b)| number(a) == number(b)),
                    "{operands:?}"
                );
            }
        }
    }
}

/// A symbol of the program hides the function of its name, in rules and in the input.
#[test]
fn a_program_has_its_own_function_of_a_name() {
    let text = "map min, Twice: Int # Int -> Int; var X, Y: Int;
        eqn min(X, Y) = X - Y; Twice(X, Y) = max(min(X, Y), min(Y, X)); input Twice(1, min(9, 5));";
    let case = Case::new(text);
    for found in [case.on_cpu(), case.by_tasks(), case.by_topology()] {
        assert_eq!(found, Ok("3".into()));
    }
}
