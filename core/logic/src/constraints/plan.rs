//! Plans of rules: how each head is matched, in which order the others are looked for, and by which index.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::logic::{ConstraintRule, LogicNode, LogicProgram, LogicTermId, Mode, RuleHead, VarId};

use super::shared::{self, Head, Planned};
use crate::build::build;
use crate::cell::Cell;
use crate::code::{Kind, X};
use crate::compile::{self, TooLarge};
use crate::database::{Database, Definition};
use crate::heap::Heap;
use crate::names::atom;
use crate::store::rules::{Expr, Guard, Match, Occurrence, Partner, Path, Rule, Step, Symbol, Test};
use crate::store::{Constraints, Table, types};

/// What is planned with.
struct Planner<'a> {
    program: &'a LogicProgram,
    db: &'a mut Database,
    heap: &'a mut Heap<'static>,
    plan: Constraints,
    symbols: HashMap<(String, usize), u32>,
    /// The occurrences of each symbol.
    planned: Vec<Planned>,
    /// Modes of the columns of each symbol.
    modes: Vec<Vec<Mode>>,
}

/// How deep indexes look into a column.
const DEPTH: usize = 3;

/// Variables of a rule's heads of which a head that is matched later knows the values.
#[derive(Default)]
struct Known {
    all: HashSet<VarId>,
    /// Those that were seen in columns that are declared `+`: they are unified in such columns, others are compared.
    trusted: HashSet<VarId>,
}

/// Numbers of the slots of the variables of a rule's heads.
type Slots = HashMap<VarId, u16>;

impl Constraints {
    pub fn plan(
        program: &LogicProgram,
        db: &mut Database,
        heap: &mut Heap<'static>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut planner = Planner {
            program,
            db,
            heap,
            plan: Constraints::default(),
            symbols: HashMap::default(),
            planned: Vec::new(),
            modes: Vec::new(),
        };
        planner.plan.types = types::Types::of(program);
        planner.declare();
        let mut problems = Vec::new();
        for rule in &program.rules {
            if let Err(problem) = planner.rule(rule) {
                problems.push(*problem);
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut plan = planner.plan;
        for (symbol, planned) in plan.symbols.iter_mut().zip(planner.planned) {
            symbol.occurrences = planned.finish();
            let indexes = vec![HashMap::default(); symbol.indexes.len()];
            let incomplete = vec![false; symbol.indexes.len()];
            plan.tables.push(Table { indexes, incomplete, ..Table::default() });
        }
        Ok(plan)
    }
}

impl Planner<'_> {
    fn declare(&mut self) {
        for declaration in &self.program.constraints {
            let name = self.db.names.intern(&declaration.name);
            let arity = declaration.columns.len();
            let number = self.plan.symbols.len() as u32;
            if self.symbols.contains_key(&(declaration.name.to_string(), arity)) {
                continue;
            }
            self.symbols.insert((declaration.name.to_string(), arity), number);
            let pred = self.db.pred(name, arity);
            if self.db.preds[pred as usize].library {
                self.db.move_to_library(pred);
            }
            self.db.preds[pred as usize].definition = Definition::Constraint(number);
            self.db.preds[pred as usize].library = false;
            let module = match &declaration.module {
                Some(module) => self.db.names.cell(module),
                None => self.db.home_module(),
            };
            // A column of any values is not looked at.
            let types = declaration
                .columns
                .iter()
                .map(|c| c.ty.map(|id| types::read(self.program, id)).filter(|ty| !ty.is_any()));
            self.planned.push(Planned::default());
            self.modes.push(declaration.columns.iter().map(|c| c.mode).collect());
            self.plan.symbols.push(Symbol {
                name,
                arity,
                module,
                occurrences: Vec::new(),
                indexes: Vec::new(),
                asked: vec![false; arity],
                partial: true,
                open: declaration.columns.iter().any(|c| c.mode != Mode::Ground),
                types: types.collect(),
            });
        }
    }

    fn symbol(&self, head: &RuleHead) -> Result<(u32, &[LogicTermId]), Box<Diagnostic>> {
        let terms = &self.program.terms;
        let found = terms
            .functor(head.constraint)
            .and_then(|(name, args)| Some((*self.symbols.get(&(name.to_string(), args.len()))?, args)));
        found.ok_or_else(|| {
            Box::new(
                Diagnostic::error("C0301", "a head that is no declared constraint")
                    .label(terms.span(head.constraint), "not declared")
                    .help("declare it: :- chr_constraint name/arity"),
            )
        })
    }

    fn rule(&mut self, rule: &ConstraintRule) -> Result<(), Box<Diagnostic>> {
        let number = self.plan.rules.len() as u32;
        let heads: Vec<(&RuleHead, bool)> =
            rule.removed.iter().map(|h| (h, true)).chain(rule.kept.iter().map(|h| (h, false))).collect();
        let mut slots = Slots::default();
        for (head, _) in &heads {
            self.symbol(head)?;
            self.number_variables(head.constraint, &mut slots);
        }
        if slots.len() > usize::from(X::MAX) {
            return Err(TooLarge.diagnostic("the rule", rule.span).into());
        }
        self.note_asked_columns(&heads, rule.guard)?;
        for (i, &(head, _)) in heads.iter().enumerate() {
            if head.passive {
                continue;
            }
            let (symbol, args) = self.symbol(head)?;
            let partial = self.wakes_partially(&self.modes[symbol as usize], args, rule.guard);
            self.plan.symbols[symbol as usize].partial &= partial;
            let (occurrence, steps) = self.occurrence(rule, number, &heads, i, &slots)?;
            let planned = &mut self.planned[symbol as usize];
            planned.occurrences.push(occurrence);
            planned.steps.push(steps);
        }
        let planned = self.body(rule, number, heads.len(), &slots);
        let planned = planned.map_err(|large| large.diagnostic("the rule", rule.span))?;
        self.plan.rules.push(planned.into());
        Ok(())
    }

    /// Notes in which columns the heads of a rule and its guard tell terms apart. That a variable is unbound holds no
    /// longer behind a binding: such conditions are no reason to look again.
    fn note_asked_columns(
        &mut self,
        heads: &[(&RuleHead, bool)],
        guard: LogicTermId,
    ) -> Result<(), Box<Diagnostic>> {
        let program = self.program;
        let terms = &program.terms;
        let mut often: HashMap<VarId, usize> = HashMap::default();
        let mut count = |planner: &Self, term: LogicTermId, by: usize| {
            let mut inside = Slots::default();
            planner.number_variables(term, &mut inside);
            inside.keys().for_each(|&variable| *often.entry(variable).or_default() += by);
        };
        let mut columns = Vec::new();
        for (head, _) in heads {
            let (symbol, args) = self.symbol(head)?;
            for (column, &arg) in args.iter().enumerate() {
                columns.push((symbol, column, arg));
                count(self, arg, 1);
            }
        }
        let mut goals = vec![guard];
        while let Some(goal) = goals.pop() {
            match terms.functor(goal) {
                Some((",", &[a, b])) => goals.extend([a, b]),
                Some(("var", &[x])) if matches!(terms.node(x), LogicNode::Var(_)) => {}
                _ => count(self, goal, 2),
            }
        }
        for (symbol, column, arg) in columns {
            let known = !matches!(terms.node(arg), LogicNode::Var(v) if often.get(v).is_none_or(|&n| n < 2));
            let trusted = self.modes[symbol as usize][column] == Mode::Ground;
            self.plan.symbols[symbol as usize].asked[column] |= known && !trusted;
        }
        Ok(())
    }

    /// Whether a head allows its constraint to be [partially woken](Symbol::partial).
    fn wakes_partially(&self, modes: &[Mode], args: &[LogicTermId], guard: LogicTermId) -> bool {
        let mut asked = Slots::default();
        self.number_variables(guard, &mut asked);
        args.iter().zip(modes).filter(|(_, mode)| **mode != Mode::Ground).all(
            |(&arg, _)| matches!(self.program.terms.node(arg), LogicNode::Var(v) if !asked.contains_key(v)),
        )
    }

    fn number_variables(&self, term: LogicTermId, slots: &mut Slots) {
        let mut pending = vec![term];
        while let Some(id) = pending.pop() {
            match self.program.terms.node(id) {
                LogicNode::Var(v) => {
                    let next = slots.len() as u16;
                    slots.entry(*v).or_insert(next);
                }
                LogicNode::Compound { args, .. } => pending.extend(args.iter().rev()),
                _ => {}
            }
        }
    }

    fn occurrence(
        &mut self,
        rule: &ConstraintRule,
        number: u32,
        heads: &[(&RuleHead, bool)],
        active: usize,
        slots: &Slots,
    ) -> Result<(Occurrence, shared::Steps), Box<Diagnostic>> {
        let removed = heads[active].1;
        let mut known = Known::default();
        let (own, args) = self.symbol(heads[active].0)?;
        let mut all = vec![(own, args.to_vec())];
        let pattern = self.pattern(own, &all[0].1.clone(), slots, &mut known);
        // Each partner of an active constraint that stays has a predicate of its own in SWI-Prolog, which knows values,
        // and not where they come from.
        let keeps_bindings = !removed && heads.len() > 1;
        let mut partners = Vec::new();
        // Removed heads, which come first here, before kept ones.
        for i in (0..heads.len()).filter(|&i| i != active) {
            let (symbol, args) = self.symbol(heads[i].0)?;
            let args = args.to_vec();
            if keeps_bindings {
                known.trusted.clear();
            }
            let lookup = self.lookup(symbol, &args, slots, &known.all);
            let via = self.via(symbol, &args, slots, &known.all);
            let pattern = self.pattern(symbol, &args, slots, &mut known);
            partners.push(Partner { symbol, head: i, removed: heads[i].1, pattern, lookup, via });
            all.push((symbol, args));
        }
        let heads: Vec<Head<'_>> = all
            .iter()
            .map(|(symbol, args)| Head { symbol: *symbol, args, modes: &self.modes[*symbol as usize] })
            .collect();
        let steps = shared::steps(&self.program.terms, &heads, rule.guard, !self.program.flags.debug);
        let occurrence = Occurrence {
            rule: number,
            head: active,
            removed,
            pattern,
            partners,
            keeps_bindings,
            shared: None,
        };
        Ok((occurrence, steps))
    }

    /// The variables by which SWI-Prolog looks for a partner, if it uses no hash table.
    fn via(&self, symbol: u32, args: &[LogicTermId], slots: &Slots, bound: &HashSet<VarId>) -> Vec<u16> {
        let modes = &self.modes[symbol as usize];
        let is_known = |id| match self.program.terms.node(id) {
            LogicNode::Var(v) => bound.contains(v),
            LogicNode::Compound { .. } => false,
            _ => true,
        };
        let hashed = |(&arg, mode): (&LogicTermId, &Mode)| *mode == Mode::Ground && is_known(arg);
        if !self.program.flags.debug && args.iter().zip(modes).any(hashed) {
            return Vec::new();
        }
        let head = Head { symbol, args, modes };
        shared::via(&self.program.terms, &head, bound).iter().map(|v| slots[v]).collect()
    }

    /// What is known of a partner before it is looked for, in columns and inside of them.
    fn lookup(
        &mut self,
        symbol: u32,
        args: &[LogicTermId],
        slots: &Slots,
        bound: &HashSet<VarId>,
    ) -> Option<(usize, Vec<Match>)> {
        let (mut paths, mut values) = (Vec::new(), Vec::new());
        let columns = args.iter().enumerate();
        let mut pending: Vec<(Path, LogicTermId)> =
            columns.map(|(column, &arg)| (self.column(symbol, column), arg)).rev().collect();
        while let Some((path, id)) = pending.pop() {
            let value = match self.program.terms.node(id) {
                LogicNode::Var(v) if bound.contains(v) => Match::Same(slots[v]),
                LogicNode::Var(_) => continue,
                LogicNode::Compound { name, args } => {
                    if path.inside.len() < DEPTH {
                        let is_list = &**name == gchr_base::logic::CONS && args.len() == 2;
                        let functor = self.db.names.intern(name);
                        let functor = (!is_list).then(|| Cell::functor(functor, args.len()));
                        let below = args.iter().enumerate().rev();
                        pending.extend(below.map(|(at, &arg)| (path.below(functor, at), arg)));
                    }
                    continue;
                }
                _ => self.constant(id),
            };
            paths.push(path);
            values.push(value);
        }
        if paths.is_empty() {
            return None;
        }
        let indexes = &mut self.plan.symbols[symbol as usize].indexes;
        let index = indexes.iter().position(|known| *known == paths).unwrap_or_else(|| {
            indexes.push(paths);
            indexes.len() - 1
        });
        Some((index, values))
    }

    /// The path to a column.
    fn column(&self, symbol: u32, column: usize) -> Path {
        let trusted = self.modes[symbol as usize][column] == Mode::Ground;
        Path { column, inside: Vec::new(), trusted }
    }

    fn constant(&mut self, id: LogicTermId) -> Match {
        let cell = self.build(id, &mut []);
        if cell.is_immediate() {
            return Match::Const(cell);
        }
        self.db.records.push(self.heap.record(cell));
        Match::Record(self.db.records.len() as u32 - 1)
    }

    fn build(&mut self, id: LogicTermId, variables: &mut [Option<Cell>]) -> Cell {
        build(self.heap, &mut self.db.names, &self.program.terms, id, variables, &mut HashMap::default())
    }

    fn pattern(&mut self, symbol: u32, args: &[LogicTermId], slots: &Slots, known: &mut Known) -> Vec<Step> {
        let mut pattern = Vec::new();
        let modes = self.modes[symbol as usize].iter().map(|mode| *mode == Mode::Ground);
        let mut pending: Vec<(LogicTermId, bool)> = args.iter().copied().zip(modes).rev().collect();
        while let Some((id, trusted)) = pending.pop() {
            let mut binds = trusted;
            let what = match self.program.terms.node(id) {
                LogicNode::Var(v) => {
                    let first = known.all.insert(*v);
                    binds = trusted && !known.trusted.insert(*v);
                    if first { Match::First(slots[v]) } else { Match::Same(slots[v]) }
                }
                LogicNode::Compound { name, args } => {
                    pending.extend(args.iter().rev().map(|&arg| (arg, trusted)));
                    if &**name == gchr_base::logic::CONS && args.len() == 2 {
                        Match::List
                    } else {
                        let name = self.db.names.intern(name);
                        Match::Struct(Cell::functor(name, args.len()))
                    }
                }
                _ => self.constant(id),
            };
            pattern.push(Step { what, binds });
        }
        pattern
    }

    /// Guard and body; what tests cannot decide becomes a part of the clause of the body.
    fn body(
        &mut self,
        rule: &ConstraintRule,
        number: u32,
        heads: usize,
        slots: &Slots,
    ) -> Result<Rule, TooLarge> {
        let tests = self.tests(rule.guard, slots);
        let (trusted, locked) = if tests.is_some() { Default::default() } else { self.guarded(rule, slots) };
        let mut variables = vec![None; rule.variables.len()];
        let mut order: Vec<(VarId, u16)> = slots.iter().map(|(v, s)| (*v, *s)).collect();
        order.sort_by_key(|&(_, slot)| slot);
        for &(v, _) in &order {
            variables[v.0 as usize] = Some(self.heap.variable());
        }
        let mut body = self.build(rule.body, &mut variables);
        // Identifiers of heads are the constraints themselves.
        let empty = body == Cell::atom(atom::true_);
        let mut args: Vec<Cell> = Vec::new();
        if tests.is_none() {
            let guard = self.build(rule.guard, &mut variables);
            let (frame, locked) = (self.heap.variable(), self.heap.variable());
            args.extend([frame, locked]);
            let commit = self.db.names.intern("$chr_commit");
            let commit = self.heap.compound(commit, &[frame, locked]);
            body = self.heap.compound(atom::comma, &[commit, body]);
            body = self.heap.compound(atom::comma, &[guard, body]);
        }
        let used: HashSet<Cell> = self.heap.variables(body).into_iter().collect();
        order.retain(|(v, _)| variables[v.0 as usize].is_some_and(|cell| used.contains(&cell)));
        args.extend(order.iter().filter_map(|(v, _)| variables[v.0 as usize]));
        let name = self.db.names.intern(&format!("$rule {number}"));
        let pred = self.db.pred(name, args.len());
        let head = self.heap.compound(name, &args);
        let (code, keys) = compile::compile(self.heap, self.db, head, body)?;
        self.db.note_place(code, rule.span);
        self.db.add(compile::clause_info(pred, code, keys), false);
        let shown =
            rule.name.as_ref().map_or_else(|| format!("rule {}", number + 1), |name| name.to_string());
        Ok(Rule {
            name: shown,
            heads,
            slots: slots.len(),
            guard: tests.map_or(Guard::Goals, Guard::Tests),
            body: pred,
            args: order.into_iter().map(|(_, slot)| slot).collect(),
            empty,
            history: rule.removed.is_empty() && !rule.no_history,
            trusted,
            locked,
        })
    }

    /// The variables of heads that occur in a guard: those of columns that are declared `+`, and the others.
    fn guarded(&self, rule: &ConstraintRule, slots: &Slots) -> (Vec<u16>, Vec<u16>) {
        let mut trusted = Slots::default();
        for head in rule.removed.iter().chain(&rule.kept) {
            let Ok((symbol, args)) = self.symbol(head) else { continue };
            let columns = args.iter().zip(&self.modes[symbol as usize]);
            columns
                .filter(|(_, mode)| **mode == Mode::Ground)
                .for_each(|(&arg, _)| self.number_variables(arg, &mut trusted));
        }
        let mut asked = Slots::default();
        self.number_variables(rule.guard, &mut asked);
        let known = asked.keys().filter_map(|v| Some((*v, *slots.get(v)?)));
        let (trusted, locked): (Vec<_>, Vec<_>) = known.partition(|(v, _)| trusted.contains_key(v));
        let sorted = |found: Vec<(VarId, u16)>| {
            let mut slots: Vec<u16> = found.into_iter().map(|(_, slot)| slot).collect();
            slots.sort_unstable();
            slots
        };
        (sorted(trusted), sorted(locked))
    }

    /// The tests that a guard consists of; `None` where it needs goals.
    fn tests(&mut self, guard: LogicTermId, slots: &Slots) -> Option<Vec<Test>> {
        let (mut tests, mut pending) = (Vec::new(), vec![guard]);
        while let Some(id) = pending.pop() {
            let (name, args) = self.program.terms.functor(id)?;
            let name = self.db.names.intern(name);
            match *args {
                [] if name == atom::true_ => {}
                [a, b] if name == atom::comma => pending.extend([b, a]),
                [a, b] => {
                    if let Some(compare) = crate::compile::comparison(name) {
                        tests.push(Test::Compare(compare, self.expr(a, slots, 0)?, self.expr(b, slots, 0)?));
                    } else if name == atom::identical || name == atom::not_identical {
                        let negated = name == atom::not_identical;
                        tests.push(Test::Identical(self.simple(a, slots)?, self.simple(b, slots)?, negated));
                    } else {
                        return None;
                    }
                }
                [a] => tests.push(Test::Kind(kind(name)?, self.simple(a, slots)?)),
                _ => return None,
            }
        }
        Some(tests)
    }

    /// A variable of the heads or a constant.
    fn simple(&mut self, id: LogicTermId, slots: &Slots) -> Option<Expr> {
        match self.program.terms.node(id) {
            LogicNode::Var(v) => slots.get(v).map(|&slot| Expr::Slot(slot)),
            LogicNode::Compound { .. } => None,
            _ => match self.constant(id) {
                Match::Const(cell) => Some(Expr::Const(cell)),
                _ => None,
            },
        }
    }

    fn expr(&mut self, id: LogicTermId, slots: &Slots, depth: usize) -> Option<Expr> {
        let LogicNode::Compound { name, args } = self.program.terms.node(id) else {
            return self.simple(id, slots);
        };
        if depth > 50 || args.len() > 2 || &**name == gchr_base::logic::CONS {
            return None;
        }
        let args: Option<Vec<Expr>> = args.iter().map(|&arg| self.expr(arg, slots, depth + 1)).collect();
        Some(Expr::Apply(self.db.names.intern(name), args?))
    }
}

fn kind(name: crate::cell::Atom) -> Option<Kind> {
    crate::compile::kind(name)
}
