//! Arithmetic and tests as in SWI-Prolog: the expected values are the answers of swipl 9.0.4 to `X is E` and to the
//! goals.
//!
//! The lowered goals are evaluated by a few lines of their own, so that operator priorities, the choice of operators
//! and the
//! derived functions (`round`, `floor`, `ceiling`) are what is tested.

use gchr_base::op::{ArithmeticError, Op};
use gchr_base::rule::{Const, Expr, ExprKind, GoalKind, Program, Start};
use gchr_base::signature::SortKind;
use gchr_base::source::SourceMap;
use gchr_chr::{Request, load};

/// `X is E` in SWI-Prolog.
const VALUES: &[(&str, &str)] = &[
    ("7 + 2", "9"),
    ("7 - 2 - 1", "4"),
    ("2 * 3 + 4", "10"),
    ("2 + 3 * 4", "14"),
    ("-1**2", "1"),
    ("- 1**2", "-1"),
    ("-1 ** 2", "1"),
    ("2 ** -1", "0.5"),
    ("2 ** 3", "8"),
    ("2 ** 3.0", "8.0"),
    ("2 ^ 3", "8"),
    ("2 ^ 3.0", "8.0"),
    ("0 ^ 0", "1"),
    ("7/2", "3.5"),
    ("8/2", "4"),
    ("7/2.0", "3.5"),
    ("-7/2", "-3.5"),
    ("7 // 2", "3"),
    ("-7 // 2", "-3"),
    ("-7 rem 2", "-1"),
    ("-7 mod 2", "1"),
    ("-7 div 2", "-4"),
    ("7 mod -2", "-1"),
    ("7 rem -2", "1"),
    ("7 div -2", "-4"),
    ("max(2, 3.0)", "3.0"),
    ("max(3, 2.0)", "3"),
    ("min(2, 3.0)", "2"),
    ("max(2, 7)", "7"),
    ("min(2.5, 1.5)", "1.5"),
    ("integer(2.5)", "3"),
    ("integer(-2.5)", "-3"),
    ("integer(2.4)", "2"),
    ("integer(0.49999999999999994)", "0"),
    ("round(3.5)", "4"),
    ("round(-3.4)", "-3"),
    ("truncate(-2.7)", "-2"),
    ("truncate(2.7)", "2"),
    ("floor(-2.1)", "-3"),
    ("floor(2.9)", "2"),
    ("floor(4)", "4"),
    ("ceiling(2.1)", "3"),
    ("ceiling(-2.9)", "-2"),
    ("ceiling(-0.5)", "0"),
    ("floor(-0.5)", "-1"),
    ("integer(7)", "7"),
    ("sign(-2.5)", "-1.0"),
    ("sign(-3)", "-1"),
    ("sign(0)", "0"),
    ("abs(-3)", "3"),
    ("abs(-2.5)", "2.5"),
    ("gcd(-4, 6)", "2"),
    ("gcd(0, 5)", "5"),
    ("msb(1000)", "9"),
    ("1 << 3", "8"),
    ("-8 >> 1", "-4"),
    (r#"\ 5"#, "-6"),
    (r#"\5"#, "-6"),
    ("5 xor 3", "6"),
    (r#"5 /\ 3"#, "1"),
    (r#"5 \/ 3"#, "7"),
    ("0'a", "97"),
    ("0xFF", "255"),
    ("0b101", "5"),
    ("0o17", "15"),
    ("1_000", "1000"),
    ("16'FF", "255"),
    ("1e10", "10000000000.0"),
    ("1.5e3", "1500.0"),
    ("float(3)", "3.0"),
    ("+3", "3"),
    ("3 - -3", "6"),
    ("-(3)", "-3"),
    ("- - 3", "3"),
    ("[4]", "4"),
    ("2 + 0.5", "2.5"),
    ("2 * 0.5", "1.0"),
    ("1 - 0.5", "0.5"),
    ("2.0 - 2", "0.0"),
    ("pi", "3.141592653589793"),
    ("e", "2.718281828459045"),
    ("epsilon", "2.220446049250313e-16"),
    ("2 << 1 + 1", "5"),
    ("1 + 2 << 1", "5"),
    ("6 / 2 * 3", "9"),
    ("6 // 2 * 3", "9"),
    ("10 - 4 mod 3", "9"),
    ("-(-(1))", "1"),
    ("2 ** 3 * 2", "16"),
    ("10 mod 4 ** 1", "2"),
    ("a", "type_error"),
    ("foo(1)", "type_error"),
    (r#""ab""#, "type_error"),
    ("1 + a", "type_error"),
];

/// Whether a goal holds in SWI-Prolog.
const GOALS: &[(&str, bool)] = &[
    ("1 =:= 1.0", true),
    ("1 == 1.0", false),
    ("1 = 1.0", false),
    ("1.0 is 1", false),
    ("1 is 1", true),
    ("2 is 1 + 1", true),
    ("3 is 1 + 1", false),
    ("1 < 1.5", true),
    ("2 > 1.5", true),
    (r#"2 =\= 2.0"#, false),
    ("a @< b", true),
    ("1 @< a", true),
    ("a @< f(x)", true),
    ("f(x) @< f(y)", true),
    (r#"f(x) \== f(x)"#, false),
    (r#"f(x) \= f(y)"#, true),
    ("f(x) = f(x)", true),
    ("integer(1)", true),
    ("integer(1.0)", false),
    ("float(1.0)", true),
    ("number(a)", false),
    ("atom(a)", true),
    (r#"atomic("s")"#, true),
    ("compound(f(x))", true),
    ("callable(f(x))", true),
    (r#"string("s")"#, true),
    (r#"atom("s")"#, false),
    ("var(x)", false),
    ("nonvar(x)", true),
    ("ground(f(x))", true),
];

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Int(i64),
    Float(f64),
    Atom(String),
    Str(String),
    App(String, Vec<Value>),
    Truth(bool),
}

use Value::{App, Atom, Float, Int, Str, Truth};

impl Value {
    fn float(&self) -> f64 {
        match self {
            Int(n) => *n as f64,
            Float(x) => *x,
            other => panic!("not a number: {other:?}"),
        }
    }
    /// Rank of the type and text in the standard order of terms, enough for the table.
    fn order(&self) -> (u8, String) {
        match self {
            Int(_) | Float(_) => (0, format!("{:020.5}", self.float())),
            Str(s) => (1, s.clone()),
            Atom(s) => (2, s.clone()),
            App(name, args) => (3, format!("{name}{args:?}")),
            Truth(_) => unreachable!("truth values are not terms"),
        }
    }
}

struct Machine<'a> {
    program: &'a Program,
    vars: Vec<Option<Value>>,
}

impl Machine<'_> {
    fn eval(&self, expr: &Expr) -> Result<Value, ArithmeticError> {
        let texts = &self.program.signature.texts;
        Ok(match &expr.kind {
            ExprKind::Var(v) => self.vars[v.0 as usize].clone().expect("bound"),
            ExprKind::Const(Const::Int(n)) => Int(*n),
            ExprKind::Const(Const::Float(x)) => Float(*x),
            ExprKind::Const(Const::Atom(t)) => Atom(texts.get(*t).into()),
            ExprKind::Const(Const::Str(t)) => Str(texts.get(*t).into()),
            ExprKind::App { symbol, args } => {
                let args = args.iter().map(|a| self.eval(a)).collect::<Result<_, _>>()?;
                App(self.program.signature.symbols[*symbol].name.clone(), args)
            }
            ExprKind::Repeat { .. } => unreachable!("not made by this frontend"),
            ExprKind::Op { op, args } => {
                let args = args.iter().map(|a| self.eval(a)).collect::<Result<Vec<_>, _>>()?;
                let value = operate(*op, self.program.signature.kind(expr.sort), &args)?;
                // The sort promises what the value is.
                match self.program.signature.kind(expr.sort) {
                    SortKind::Int => assert!(matches!(value, Int(_)), "{value:?}"),
                    SortKind::Float => assert!(matches!(value, Float(_)), "{value:?}"),
                    _ => {}
                }
                value
            }
        })
    }

    /// Runs the first query; the value of its last addition, or whether all tests hold.
    fn run(&mut self) -> Result<Value, ArithmeticError> {
        let Start::Goals(queries) = &self.program.start else { unreachable!("a constraint program") };
        for goal in &queries[0].goals {
            match &goal.kind {
                GoalKind::Test(test) if self.eval(test)? != Truth(true) => return Ok(Truth(false)),
                GoalKind::Test(_) => {}
                GoalKind::Bind { var, value } => self.vars[var.0 as usize] = Some(self.eval(value)?),
                GoalKind::Add { args, .. } => return self.eval(&args[0]),
                GoalKind::Fail => return Ok(Truth(false)),
                other => panic!("{other:?}"),
            }
        }
        Ok(Truth(true))
    }
}

fn operate(op: Op, sort: SortKind, args: &[Value]) -> Result<Value, ArithmeticError> {
    if op.is_structural() {
        return Ok(Truth(structural(op, args)));
    }
    let last = args.last().expect("an operand");
    if op.is_test() {
        let order = match args {
            [Int(a), Int(b)] => a.cmp(b),
            _ => args[0].float().partial_cmp(&last.float()).expect("finite"),
        };
        return Ok(Truth(op.holds(order)));
    }
    match (op, args) {
        (_, [Float(x)]) if op.rounds() => op.float_to_int(*x).map(Int),
        (Op::Min | Op::Max, [a, b]) if sort == SortKind::Any => {
            Ok(if (a.float() < b.float()) == (op == Op::Min) { a.clone() } else { b.clone() })
        }
        (Op::ToFloat, [x]) => Ok(Float(x.float())),
        (Op::Div | Op::Pow, [Int(a), Int(b)]) if sort == SortKind::Any => match op.int(*a, *b) {
            Err(ArithmeticError::Type) => op.float(*a as f64, *b as f64).map(Float),
            other => other.map(Int),
        },
        (_, [Int(a)]) => op.int(*a, 0).map(Int),
        (_, [Int(a), Int(b)]) => op.int(*a, *b).map(Int),
        _ => op.float(args[0].float(), last.float()).map(Float),
    }
}

fn structural(op: Op, args: &[Value]) -> bool {
    match (op, &args[0]) {
        (Op::Same, a) => *a == args[1],
        (Op::Differ, a) => *a != args[1],
        (Op::Before | Op::After | Op::BeforeOrSame | Op::AfterOrSame, a) => {
            op.holds(a.order().cmp(&args[1].order()))
        }
        (Op::IsInteger, a) => matches!(a, Int(_)),
        (Op::IsFloat, a) => matches!(a, Float(_)),
        (Op::IsNumber, a) => matches!(a, Int(_) | Float(_)),
        (Op::IsAtom, a) => matches!(a, Atom(_)),
        (Op::IsString, a) => matches!(a, Str(_)),
        (Op::IsAtomic, a) => !matches!(a, App(..)),
        (Op::IsCompound, a) => matches!(a, App(..)),
        (Op::IsCallable, a) => matches!(a, App(..) | Atom(_)),
        _ => panic!("not a test of terms: {op:?}"),
    }
}

/// The value of a query, or `None` when the frontend refuses it.
fn answer(query: &str) -> Option<Result<Value, ArithmeticError>> {
    let mut sources = SourceMap::new();
    let program = sources.add("p.chr", ":- chr_constraint c/1.");
    let queries = vec![sources.add("--query", query)];
    let loaded = load(&mut sources, &Request { program, queries, facts: Vec::new() });
    let program = loaded.program?;
    let Start::Goals(queries) = &program.start else { return None };
    let vars = vec![None; queries[0].vars.len()];
    Some(Machine { program: &program, vars }.run())
}

#[test]
fn values_are_those_of_swi_prolog() {
    for (expr, expected) in VALUES {
        let found = match answer(&format!("X is {expr}, c(X)")) {
            Some(Ok(Int(n))) => n.to_string(),
            Some(Ok(Float(x))) => format!("{x:?}"),
            Some(other) => format!("{other:?}"),
            None => "type_error".into(),
        };
        // A float with an exponent prints in another form; the number is the same.
        let same = match (found.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(a), Ok(b)) => {
                a.to_bits() == b.to_bits() && found.contains(['.', 'e']) == expected.contains('.')
            }
            _ => found == *expected,
        };
        assert!(same, "{expr}: found {found}, SWI-Prolog says {expected}");
    }
}

#[test]
fn goals_hold_as_in_swi_prolog() {
    for (goal, expected) in GOALS {
        assert_eq!(answer(goal), Some(Ok(Truth(*expected))), "{goal}");
    }
}
