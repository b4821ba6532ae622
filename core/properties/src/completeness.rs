//! Which applications of functions to terms of constructors no rule matches: sufficient completeness, as far as it is
//! seen at the root. J. V. Guttag and J. J. Horning, "The Algebraic Specification of Abstract Data Types"; decided on
//! patterns as by L. Maranget, "Warnings for Pattern Matching".
//!
//! A rule with conditions, or with a variable twice on its left-hand side, may leave out what its patterns cover: what
//! no other rule covers is told apart. A pattern with a function in it matches no term of constructors.

use gchr_base::cases::{Effort, Example, Matrix, Question, Values};
use gchr_base::hash::HashSet;
use gchr_base::ids::IdVec;
use gchr_base::notation::{Notated, Top, View};
use gchr_base::rule::{GoalKind, HeadAtom, Pattern, PatternKind, Program, RuleId, Shown};
use gchr_base::signature::{Signature, SortKind, SymbolId, SymbolKind};
use gchr_base::source::Span;
use gchr_base::stop::StopReason;

use crate::Watch;

/// Most missing patterns of a function that are listed.
const MOST: usize = 20;
/// Steps for a function.
const STEPS: u64 = 2_000_000;
/// Steps for all of them.
const ALL: u64 = 60_000_000;

/// The verdict on completeness: each function with what its rules match.
#[derive(Clone, PartialEq, Debug)]
pub struct Completeness {
    /// The functions, in order of declaration.
    pub functions: Vec<FunctionCases>,
}

/// A function with what its rules match.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionCases {
    /// The function.
    pub symbol: SymbolId,
    /// What they match.
    pub cases: Cases,
}

/// What the rules of a function match of its applications to terms of constructors.
#[derive(Clone, PartialEq, Debug)]
pub enum Cases {
    /// All of them.
    Complete,
    /// Not these.
    Missing {
        /// Patterns of applications that no rule matches; `_` is any term. Of numbers, one that no rule names stands
        /// for all of these.
        patterns: Vec<String>,
        /// Whether there are more.
        more: bool,
    },
    /// All of them, if conditions hold and repeated variables stand for equal terms.
    Conditional {
        /// Patterns of applications that only such rules match.
        patterns: Vec<String>,
        /// Whether there are more.
        more: bool,
        /// These rules.
        rules: Vec<RuleId>,
    },
    /// Not decided within the bounds.
    Open,
}

impl Completeness {
    /// Whether all functions are complete.
    pub fn is_shown(&self) -> bool {
        self.functions.iter().all(|function| function.cases == Cases::Complete)
    }
}

/// What the rules of each function of a term program match.
pub fn completeness(program: &Program, watch: &Watch<'_>) -> Result<Completeness, StopReason> {
    let signature = &program.signature;
    let values = Values::inhabited(signature);
    let rules = program.rules_by_symbol();
    let mut functions = Vec::new();
    let mut left = ALL;
    for (symbol, declared) in signature.symbols.iter_enumerated() {
        if declared.kind != SymbolKind::Defined {
            continue;
        }
        watch.look()?;
        let effort = Effort::new(left.min(STEPS));
        let given = left.min(STEPS);
        let search = Search { program, values: &values, effort: &effort, watch };
        let cases = search.cases(symbol, &rules[symbol])?;
        left -= given - effort.left();
        functions.push(FunctionCases { symbol, cases });
    }
    Ok(Completeness { functions })
}

/// A search for what the rules of a function leave out.
struct Search<'s> {
    program: &'s Program,
    values: &'s Values,
    effort: &'s Effort,
    watch: &'s Watch<'s>,
}

impl Search<'_> {
    fn cases(&self, symbol: SymbolId, rules: &[RuleId]) -> Result<Cases, StopReason> {
        let signature = &self.program.signature;
        let is_empty = |sort| signature.kind(sort) == SortKind::Data && self.values.heads(sort).is_empty();
        if signature.symbols[symbol].args.iter().any(|&sort| is_empty(sort)) {
            // There is no application at all.
            return Ok(Cases::Complete);
        }
        let args = |rule: &RuleId| self.program.rules[*rule].heads[0].atom.args();
        let all: Vec<&[Pattern]> = rules.iter().map(args).collect();
        let Some((patterns, more)) = self.missing(symbol, &all)? else { return Ok(Cases::Open) };
        if !patterns.is_empty() {
            return Ok(Cases::Missing { patterns, more });
        }
        let (certain, doubtful): (Vec<RuleId>, Vec<RuleId>) =
            rules.iter().partition(|rule| is_certain(self.program, **rule));
        let all: Vec<&[Pattern]> = certain.iter().map(args).collect();
        let Some((patterns, more)) = self.missing(symbol, &all)? else { return Ok(Cases::Open) };
        if patterns.is_empty() {
            return Ok(Cases::Complete);
        }
        Ok(Cases::Conditional { patterns, more, rules: doubtful })
    }

    /// Applications that none of these left-hand sides matches, and whether there are more. `None` when that is not
    /// decided.
    fn missing(
        &self,
        symbol: SymbolId,
        rows: &[&[Pattern]],
    ) -> Result<Option<(Vec<String>, bool)>, StopReason> {
        let signature = &self.program.signature;
        let mut found: Vec<Vec<Pattern>> = Vec::new();
        let mut texts = Vec::new();
        loop {
            self.watch.look()?;
            let mut matrix = Matrix::new(signature, self.values, self.effort);
            rows.iter().for_each(|row| matrix.push(row));
            found.iter().for_each(|row| matrix.push(row));
            let args = match matrix.uncovered(&signature.symbols[symbol].args) {
                Question::Yes(args) => args,
                Question::No => return Ok(Some((texts, false))),
                // What is found is missing, whatever else is.
                Question::Unknown if texts.is_empty() => return Ok(None),
                Question::Unknown => return Ok(Some((texts, true))),
            };
            if texts.len() == MOST {
                return Ok(Some((texts, true)));
            }
            texts.push(text(signature, symbol, &args));
            let span = self.program.rules.iter().next().map(|rule| rule.span);
            let Some(span) = span else { return Ok(Some((texts, false))) };
            let sorts = &signature.symbols[symbol].args;
            found.push(args.iter().zip(sorts).map(|(arg, &sort)| row(signature, arg, sort, span)).collect());
        }
    }
}

/// Whether a rule applies to all that its patterns match.
fn is_certain(program: &Program, rule: RuleId) -> bool {
    let rule = &program.rules[rule];
    let mut seen = HashSet::default();
    let mut linear = true;
    if let HeadAtom::Term { args, .. } = &rule.heads[0].atom {
        args.iter().for_each(|arg| {
            arg.walk(&mut |pattern| {
                if let PatternKind::Var(var) = pattern.kind {
                    linear &= seen.insert(var);
                }
            });
        });
    }
    linear && rule.guard.iter().all(|goal| matches!(goal.kind, GoalKind::Bind { .. }))
}

/// A pattern for an example. A number that no rule has stands for all numbers: there are more of them than can be
/// listed.
fn row(signature: &Signature, example: &Example, sort: gchr_base::signature::SortId, span: Span) -> Pattern {
    let kind = match example {
        Example::Any(_) | Example::Const(_) => PatternKind::Wild,
        Example::App(symbol, args) => {
            let sorts = &signature.symbols[*symbol].args;
            let args = args.iter().zip(sorts).map(|(arg, &sort)| row(signature, arg, sort, span)).collect();
            PatternKind::App { symbol: *symbol, args }
        }
    };
    Pattern { kind, sort, span }
}

/// An application to examples, or one of them.
#[derive(Clone, Copy)]
enum Node<'e> {
    Call(SymbolId, &'e [Example]),
    Arg(&'e Example),
}

/// Examples as terms.
struct Examples<'e> {
    signature: &'e Signature,
    call: Node<'e>,
}

impl<'e> View for Examples<'e> {
    type Node = Node<'e>;
    fn top(&self, node: Node<'e>) -> Top<'_, Node<'e>> {
        let app = |symbol, args: &'e [Example]| Top::App(symbol, args.iter().map(Node::Arg).collect());
        match node {
            Node::Call(symbol, args) => app(symbol, args),
            Node::Arg(Example::App(symbol, args)) => app(*symbol, args),
            Node::Arg(Example::Any(_)) => Top::Text("_".into()),
            Node::Arg(Example::Const(c)) => {
                let constant = Shown { sig: self.signature, vars: &IdVec::new(), what: c };
                Top::Text(constant.to_string().into())
            }
        }
    }
}

/// An application to examples as text.
fn text(signature: &Signature, symbol: SymbolId, args: &[Example]) -> String {
    let view = Examples { signature, call: Node::Call(symbol, args) };
    Notated { view: &view, signature, node: view.call, powers: None }.to_string()
}
