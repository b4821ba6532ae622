//! Every way to run a constraint program, against the reference.

use std::collections::HashMap;
use std::path::PathBuf;

use gchr::base::ids::Id;
use gchr::base::rule::Semantics;
use gchr::base::source::SourceMap;
use gchr::constraints::class::Verdict;
use gchr::constraints::plan::{ChrPlan, DropReason, Joins, RoundsOptions, compile, compile_rounds};
use gchr::{CompileOptions, Device, Firing, Input, Limits, Native, Program};
use gchr_chr::ast::{ClauseKind, Module, TermId, TermKind};
use gchr_testkit::coverage;
use gchr_testkit::reference::rounds::{Class, Plan};
use gchr_testkit::reference::{End, LARGE, Run, constraints as reference, refined, rounds};
use rayon::ThreadPool;

use super::answer::{self, Answer, Ran, caught, first_code};
use super::binary::Binary;
use super::case::Case;
use super::findings::{Devices, Findings};

/// What runs need beside their programs.
pub struct Tools {
    /// One thread, and several.
    pools: [ThreadPool; 2],
    /// A folder for files of facts.
    folder: PathBuf,
    /// A gchr to be compared with.
    pub binary: Option<Binary>,
}

impl Tools {
    pub fn new(folder: PathBuf, gchr: Option<&PathBuf>) -> Result<Self, String> {
        let pool = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20).build();
            pool.map_err(|e| e.to_string())
        };
        let binary = gchr.map(|path| Binary { path: path.clone(), folder: folder.clone() });
        Ok(Self { pools: [pool(1)?, pool(3)?], folder, binary })
    }
}

const FIRINGS: [(&str, Firing); 3] =
    [("indexed", Firing::Indexed), ("general", Firing::General), ("exhaustive", Firing::Exhaustive)];

/// Runs a case in all ways. `turn` chooses what devices do; `None` lets them do everything.
pub fn check(case: &Case, tools: &Tools, devices: Devices, turn: Option<u64>, found: &mut Findings) {
    let ast = parsed(&case.text);
    for (number, queries) in std::iter::once(None).chain(case.starts.iter().map(Some)).enumerate() {
        let input = Input::constraints(case.text.as_str());
        let input = if let Some(queries) = queries { input.query(queries.as_str()) } else { input };
        let program = match caught(|| input.parse()) {
            Ok(Ok(program)) => program,
            Ok(Err(refused)) if number == 0 => return found.refused = Some(first_code(&refused)),
            Ok(Err(_)) => continue,
            Err(message) => return found.differ("reading", "panic", message),
        };
        // The reference knows ground constraints only.
        match (program.is_logic(), number) {
            (true, 0) => return found.refused = Some("logic".into()),
            (true, _) => continue,
            (false, _) => {}
        }
        if number == 0 {
            let mut covered = coverage::Coverage::default();
            covered.count(coverage::constraints::used(&case.text, &ast, program.rules()));
            found.coverage = Some((covered, false));
        }
        let mut model = reference::Program::new(&ast);
        if let Some(queries) = queries {
            model = model.with_queries(&parsed(&format!("?- {queries}.")));
        }
        // Other programs of which the same is expected.
        let mut same = vec![("", program)];
        if queries.is_none() {
            let printed = same[0].1.ast().to_string();
            match Input::constraints(printed.as_str()).parse() {
                Ok(again) => {
                    if again.ast().to_string() != printed {
                        found.differ("printed program", "another text when printed again", printed);
                    }
                    same.push(("printed program, ", again));
                }
                Err(refused) => found.differ("printed program", first_code(&refused), printed),
            }
            same.extend(with_facts(&ast, &tools.folder).map(|program| ("facts from a file, ", program)));
        }
        let written = Written::of(&ast, &same[0].1);
        under_refined(&model, &written, &same, found);
        if queries.is_none()
            && let Some(text) = one_query_a_goal(&ast)
            && let Ok(split) = Input::constraints(text.as_str()).parse()
        {
            let written = Written::of(&parsed(&text), &split);
            under_refined(&model, &written, &[("a query for each goal, ", split)], found);
        }
        under_rounds(&model, &written, &same, tools, devices, turn, found);
    }
}

fn parsed(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let id = sources.add("program.chr", text);
    gchr_chr::parse(&sources, id).ast
}

/// The answer that the reference gives.
fn expected(run: &Run) -> Option<Answer> {
    Answer::expected(&run.end, || Answer::Store(run.store.clone()))
}

/// The number that a rule has in the text, by its number in the program: rules that can never fire are left out of
/// that.
struct Written(Vec<usize>);

impl Written {
    fn of(ast: &Module, program: &Program) -> Self {
        let is_rule = |clause: &&gchr_chr::ast::Clause| matches!(clause.kind, ClauseKind::Rule(_));
        let starts: Vec<u32> = ast.clauses.iter().filter(is_rule).map(|clause| clause.span.start).collect();
        let number = |start: u32| starts.iter().position(|&s| s == start).expect("a rule of the text");
        Self(program.rules().rules.iter().map(|rule| number(rule.span.start)).collect())
    }
}

/// The limits of runs beside the reference.
fn limits_of(run: &Run) -> Limits {
    if matches!(run.end, End::Unknown(_)) { answer::small_limits() } else { answer::limits() }
}

fn under_refined(
    model: &reference::Program,
    written: &Written,
    programs: &[(&str, Program)],
    found: &mut Findings,
) {
    let Ok(plan) = compile(programs[0].1.rules()) else {
        return found.differ("refined", "no plan", "an accepted program has none");
    };
    let orders = orders(&plan, written);
    let run = refined::run(model, &|rule, head| orders.get(&(rule, head)).cloned());
    found.note(&run.end);
    let refined = CompileOptions { semantics: Some(Semantics::Refined), ..CompileOptions::default() };
    let mut first = None;
    if run.end == End::Unknown(LARGE) {
        return;
    }
    let limits = limits_of(&run);
    for (name, program) in programs {
        for (how, native) in [("refined", Native::Off), ("refined native", Native::On)] {
            let ran = answer::run(program, &CompileOptions { native, ..refined }, limits);
            compare(&format!("{name}{how}"), expected(&run), &run, &mut first, ran, found);
        }
    }
}

/// The partners of each occurrence in the order of the plan, which the semantics leaves open.
fn orders(plan: &ChrPlan, written: &Written) -> HashMap<(usize, usize), Vec<usize>> {
    let order = |o: &gchr::constraints::plan::Occurrence| {
        ((written.0[o.rule.index()], o.head), o.joins.iter().map(|join| join.head).collect())
    };
    plan.occurrences.iter().map(order).collect()
}

fn under_rounds(
    model: &reference::Program,
    written: &Written,
    programs: &[(&str, Program)],
    tools: &Tools,
    devices: Devices,
    turn: Option<u64>,
    found: &mut Findings,
) {
    for (i, (firing_name, firing)) in FIRINGS.into_iter().enumerate() {
        let options = RoundsOptions { classes: firing == Firing::Indexed, joins: Joins::Indexed };
        let Ok(plan) = compile_rounds(programs[0].1.rules(), options) else {
            return found.differ("rounds", "no plan", "an accepted program has none");
        };
        // What is left out of the plan must never fire, whatever class it might have had.
        let mut classes = vec![Class::General; model.rule_count()];
        for (rule, verdict) in plan.classes.verdicts.iter().enumerate() {
            classes[written.0[rule]] = match verdict {
                Verdict::General { .. } => Class::General,
                Verdict::Reduction(_) => Class::Reduction,
                Verdict::Divisor(_) => Class::Divisor,
                Verdict::Replacement(_) => Class::Replacement,
            };
        }
        let redundant = |rule: usize, head: usize| {
            let dropped =
                |d: &&gchr::constraints::plan::Dropped| written.0[d.rule.index()] == rule && d.head == head;
            plan.dropped.iter().filter(dropped).any(|d| matches!(d.reason, DropReason::Symmetric { .. }))
        };
        let run = rounds::run(model, &Plan { classes, redundant: &redundant });
        found.note(&run.end);
        let options =
            CompileOptions { semantics: Some(Semantics::Rounds), firing, ..CompileOptions::default() };
        let mut first = None;
        if run.end == End::Unknown(LARGE) {
            continue;
        }
        let limits = limits_of(&run);
        for (name, program) in programs {
            for pool in &tools.pools {
                let ran = pool.install(|| answer::run(program, &options, limits));
                let name = format!("{name}rounds {firing_name}, {} threads", pool.current_num_threads());
                compare(&name, expected(&run), &run, &mut first, ran, found);
            }
        }
        let Some(expected) = expected(&run) else { continue };
        for (device, name, takes_part) in
            [(Device::Sim, "sim", devices.simulator), (Device::Gpu(0), "gpu", devices.gpu)]
        {
            if !takes_part || turn.is_some_and(|turn| turn % 3 != i as u64) {
                continue;
            }
            *(if name == "sim" { &mut found.simulated } else { &mut found.on_gpu }) += 1;
            let ran = answer::run(&programs[0].1, &CompileOptions { device, ..options }, limits);
            if matches!(&ran.answer, Answer::Refused(code) if REFUSED_BY_DEVICES.contains(&&**code)) {
                continue;
            }
            compare(
                &format!("{name} rounds {firing_name}"),
                Some(expected.clone()),
                &run,
                &mut first,
                ran,
                found,
            );
        }
    }
}

/// Codes of what devices refuse and the processor runs: more rules or heads than claims have room for, values that are
/// checked when the program runs.
const REFUSED_BY_DEVICES: [&str; 2] = ["D0612", "D0613"];

/// Compares a run with the reference, and, in what the reference does not say, with the first run.
fn compare(
    name: &str,
    expected: Option<Answer>,
    run: &Run,
    first: &mut Option<Ran>,
    ran: Ran,
    found: &mut Findings,
) {
    if let Some(expected) = &expected {
        found.compare(name, expected, &ran, false);
        let done = matches!(expected, Answer::Store(_)) && ran.answer == *expected;
        if done && ran.steps != Some(run.firings) {
            found.differ(
                name,
                "number of firings",
                format!("expected {}, found {:?}", run.firings, ran.steps),
            );
        }
        if done && ran.rounds.is_some_and(|rounds| rounds != run.rounds) {
            found.differ(
                name,
                "number of rounds",
                format!("expected {}, found {:?}", run.rounds, ran.rounds),
            );
        }
        match &run.output {
            Some(output) if *output != ran.output && (done || ran.answer == *expected) => {
                found.differ(name, "output", format!("expected {output:?}\nfound {:?}", ran.output));
            }
            _ => {}
        }
    } else {
        found.runs += 1;
        found.look_at(name, &ran);
    }
    match first {
        None => *first = Some(ran),
        Some(first) if first.answer.is_of_program() && ran.answer.is_of_program() && *first != ran => {
            if first.answer != ran.answer {
                let what = format!("{} where the first run has {}", ran.answer.kind(), first.answer.kind());
                found.differ(name, what, format!("first {}\nhere {}", first.answer, ran.answer));
            } else if first.output != ran.output {
                found.differ(
                    name,
                    "another output than the first run",
                    format!("{:?}\n{:?}", first.output, ran.output),
                );
            }
        }
        Some(_) => {}
    }
}

/// The same program with a query for each goal, if no variable joins them: what is refined does not see a difference.
fn one_query_a_goal(ast: &Module) -> Option<String> {
    let mut split = ast.clone();
    split.clauses.clear();
    for clause in &ast.clauses {
        match &clause.kind {
            ClauseKind::Query(goals) => {
                if !goals.iter().all(|&g| is_ground(ast, g)) {
                    return None;
                }
                let queries = goals.iter().map(|&goal| ClauseKind::Query(vec![goal]));
                split.clauses.extend(queries.map(|kind| gchr_chr::ast::Clause { kind, span: clause.span }));
            }
            _ => split.clauses.push(clause.clone()),
        }
    }
    Some(split.to_string())
}

fn is_ground(ast: &Module, id: TermId) -> bool {
    match ast.kind(id) {
        TermKind::Var(_) => false,
        TermKind::Compound { args, .. } => args.iter().all(|&a| is_ground(ast, a)),
        TermKind::List { items, tail } => items.iter().chain(tail).all(|&a| is_ground(ast, a)),
        TermKind::Int(_)
        | TermKind::Big(_)
        | TermKind::Rational(_)
        | TermKind::Float(_)
        | TermKind::Atom(_)
        | TermKind::Str(_) => true,
    }
}

/// The same program with the first goals of its first query in a file, as far as they are of one constraint over
/// numbers.
fn with_facts(ast: &Module, folder: &std::path::Path) -> Option<Program> {
    let mut rest = ast.clone();
    let query = rest.clauses.iter_mut().find_map(|clause| match &mut clause.kind {
        ClauseKind::Query(goals) => Some(goals),
        _ => None,
    })?;
    let first = *query.first()?;
    let mut symbol: Option<(String, usize)> = None;
    let mut lines = String::new();
    let mut count = 0;
    for &goal in query.iter() {
        let Some((name, args)) = ast.functor(goal) else { break };
        let own = (name.to_string(), args.len());
        let fields: Option<Vec<String>> = args
            .iter()
            .map(|&a| match ast.kind(a) {
                TermKind::Int(n) => Some(n.to_string()),
                TermKind::Float(x) => Some(format!("{x:?}")),
                _ => None,
            })
            .collect();
        let Some(fields) = fields.filter(|f| !f.is_empty() && symbol.as_ref().is_none_or(|s| *s == own))
        else {
            break;
        };
        // A column of another kind of numbers is read as its fields say, all of them together.
        let kinds = |text: &str| text.split(',').map(|f| f.contains(['.', 'e'])).collect::<Vec<_>>();
        let line = fields.join(",");
        if lines.lines().next().is_some_and(|first| kinds(first) != kinds(&line)) {
            break;
        }
        symbol = Some(own);
        lines += &format!("{line}\n");
        count += 1;
    }
    let (name, arity) = symbol?;
    query.drain(..count);
    if query.is_empty() {
        // The facts and the first query are one batch: it must stay there.
        let span = ast.span(first);
        query.push(rest.terms.push(gchr_chr::ast::Term { kind: TermKind::Atom("true".into()), span }));
    }
    let file = folder.join("facts.csv");
    std::fs::write(&file, lines).ok()?;
    Input::constraints(rest.to_string()).facts(format!("{name}/{arity}"), file).parse().ok()
}
