//! Text form of plans, as `gchr emit --stage plan` shows it: layout, then one block a function.
//!
//! Locals print as `name.3` (name in the source, position in the function), so that two locals of one name stay apart.

use std::fmt::{self, Display, Formatter};

use super::ir::*;
use super::layout::Layout;
use gchr_base::rule::Const;
use gchr_base::signature::SortKind;

impl Display for TermPlan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.layout.fmt(f)?;
        if let Some(references) = &self.references {
            let counted = references.counted.iter_enumerated().filter(|(_, counted)| **counted);
            let names: Vec<&str> = counted.map(|(s, _)| self.layout.sorts[s].name.as_str()).collect();
            writeln!(f, "counted: {}", if names.is_empty() { "none".into() } else { names.join(", ") })?;
        }
        for (id, function) in self.functions.iter_enumerated() {
            writeln!(f)?;
            write!(f, "fn {}", function.name)?;
            let named = |l: &LocalId| {
                let local = &function.locals[*l];
                let borrowed = if local.borrowed { " borrowed" } else { "" };
                format!("{}: {}{borrowed}", local_name(function, *l), self.layout.sorts[local.sort].name)
            };
            let params: Vec<String> = function.region.params.iter().map(named).collect();
            write!(f, "({}) -> {}", params.join(", "), self.layout.sorts[function.result].name)?;
            writeln!(f, "{}", if function.region.is_loop() { "  loop" } else { "" })?;
            let mut printer = Printer { plan: self, function: &self.functions[id], f };
            printer.block(&function.region.body, 1)?;
            if let Some(base) = &function.base {
                writeln!(printer.f, "base case of {}", function.name)?;
                printer.block(base, 1)?;
            }
        }
        Ok(())
    }
}

impl Display for Layout {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for sort in &self.sorts {
            write!(f, "sort {}: ", sort.name)?;
            match sort.kind {
                SortKind::Data => {}
                _ => {
                    writeln!(f, "64 bits")?;
                    continue;
                }
            }
            let variants: Vec<String> = sort
                .variants
                .iter()
                .enumerate()
                .map(|(tag, v)| match v.class {
                    Some(class) => format!("{} = {tag} cell of {}", v.name, self.classes[class].words),
                    None => format!("{} = {tag}", v.name),
                })
                .collect();
            writeln!(f, "tag {} bits, {}", sort.tag_bits, variants.join(", "))?;
        }
        Ok(())
    }
}

fn local_name(function: &Function, local: LocalId) -> String {
    function.locals.get(local).map_or_else(|| format!("?.{}", local.0), |l| format!("{}.{}", l.name, local.0))
}

struct Printer<'a, 'b, 'c> {
    plan: &'a TermPlan,
    function: &'a Function,
    f: &'b mut Formatter<'c>,
}

impl Printer<'_, '_, '_> {
    fn name(&self, local: LocalId) -> String {
        local_name(self.function, local)
    }
    fn names(&self, locals: &[LocalId]) -> String {
        let names: Vec<String> = locals.iter().map(|&l| self.name(l)).collect();
        names.join(", ")
    }
    fn indent(&mut self, depth: usize) -> fmt::Result {
        write!(self.f, "{:width$}", "", width = 2 * depth)
    }
    fn line(&mut self, depth: usize, text: &str) -> fmt::Result {
        self.indent(depth)?;
        writeln!(self.f, "{text}")
    }
    fn callee(&self, function: FunctionId) -> &str {
        self.plan.functions.get(function).map_or("?", |f| f.name.as_str())
    }

    fn block(&mut self, block: &Block, depth: usize) -> fmt::Result {
        if !block.applied.is_empty() {
            let names: Vec<&str> = block.applied.iter().map(|&r| self.plan.rule_names[r].as_str()).collect();
            self.line(depth, &format!("count {} ({})", names.len(), names.join(", ")))?;
        }
        for step in &block.steps {
            self.step(step, depth)?;
        }
        self.end(&block.end, depth)
    }

    fn step(&mut self, step: &Step, depth: usize) -> fmt::Result {
        let symbol = |s| self.plan.symbol_names[s].as_str();
        let text = match step {
            Step::Const { dst, value } => format!("{} = {}", self.name(*dst), constant(*value)),
            Step::Build { dst, symbol: s, args, .. } if args.is_empty() => {
                format!("{} = {}", self.name(*dst), symbol(*s))
            }
            Step::Build { dst, symbol: s, args, reuse } => {
                let at = reuse.map_or_else(String::new, |token| format!(" at {}", self.name(token)));
                format!("{} = cell {}({}){at}", self.name(*dst), symbol(*s), self.names(args))
            }
            Step::Repeat { dst, symbol: s, count, arg } => {
                format!("{} = {count} cells {}({})", self.name(*dst), symbol(*s), self.name(*arg))
            }
            Step::Operate { dst, op, args, .. } => match args.as_slice() {
                [a, b] => format!("{} = {} {} {}", self.name(*dst), self.name(*a), op.name(), self.name(*b)),
                _ => format!("{} = {}({})", self.name(*dst), op.name(), self.names(args)),
            },
            Step::Call { dst, function, args, live, siblings } => {
                let mut resume = if live.is_empty() {
                    String::new()
                } else {
                    format!("   resume {{{}}}", self.names(live))
                };
                if *siblings > 0 {
                    resume = format!("{resume}   siblings {siblings}");
                }
                format!("{} = call {}({}){resume}", self.name(*dst), self.callee(*function), self.names(args))
            }
            Step::Trace { rule, symbol: s, args } => {
                format!("trace {}: {}({})", self.plan.rule_names[*rule], symbol(*s), self.names(args))
            }
            Step::Ref(step) => self.reference(step),
            Step::Region { dst, inits, region } => {
                let borrowed = |p| if self.function.locals[p].borrowed { " borrowed" } else { "" };
                let binds: Vec<String> = region
                    .params
                    .iter()
                    .zip(inits)
                    .map(|(&p, &i)| format!("{} := {}{}", self.name(p), self.name(i), borrowed(p)))
                    .collect();
                let kind = if region.is_loop() { "loop" } else { "block" };
                let head = format!("{} = {kind} {}", self.name(*dst), binds.join(", "));
                self.line(depth, head.trim_end())?;
                return self.block(&region.body, depth + 1);
            }
        };
        self.line(depth, &text)
    }

    fn reference(&self, step: &RefStep) -> String {
        match step {
            RefStep::Dup { local, times: 1 } => format!("dup {}", self.name(*local)),
            RefStep::Dup { local, times } => format!("dup {} {times} times", self.name(*local)),
            RefStep::Drop { local } => format!("drop {}", self.name(*local)),
            RefStep::Free { token } => format!("free {}", self.name(*token)),
            RefStep::Open { cell, symbol, fields, token } => {
                let field = |f: &Option<LocalId>| f.map_or_else(|| "_".into(), |f| self.name(f));
                let fields: Vec<String> = fields.iter().map(field).collect();
                let open = format!(
                    "open {} = {}({})",
                    self.name(*cell),
                    self.plan.symbol_names[*symbol],
                    fields.join(", ")
                );
                token.map_or(open.clone(), |token| format!("{} = {open}", self.name(token)))
            }
        }
    }

    fn end(&mut self, end: &End, depth: usize) -> fmt::Result {
        match end {
            End::Return(value) => self.line(depth, &format!("return {}", self.name(*value))),
            End::TailCall { function, args } => {
                self.line(depth, &format!("return call {}({})", self.callee(*function), self.names(args)))
            }
            End::NoRule { symbol, args } => {
                let symbol = &self.plan.symbol_names[*symbol];
                self.line(depth, &format!("error: no rule for {symbol}({})", self.names(args)))
            }
            End::Continue(args) => self.line(depth, &format!("continue({})", self.names(args))),
            End::Context { hole, nest, target, args } => {
                for step in nest {
                    self.step(step, depth)?;
                }
                let call = match target {
                    Target::Again => format!("continue({})", self.names(args)),
                    Target::Function(f) => format!("call {}({})", self.callee(*f), self.names(args)),
                };
                self.line(depth, &format!("hole {} = {call}", self.name(*hole)))
            }
            End::Match { on, arms, default } => {
                self.line(depth, &format!("match {}", self.name(*on)))?;
                for arm in arms {
                    let mut head = self.plan.symbol_names[arm.symbol].clone();
                    if !arm.fields.is_empty() {
                        let name = |f: &Option<LocalId>| f.map_or_else(|| "_".into(), |f| self.name(f));
                        let fields: Vec<String> = arm.fields.iter().map(name).collect();
                        head = format!("{head}({})", fields.join(", "));
                    }
                    self.line(depth + 1, &format!("{head}:"))?;
                    self.block(&arm.body, depth + 2)?;
                }
                if let Some(default) = default {
                    self.line(depth + 1, "else:")?;
                    self.block(default, depth + 2)?;
                }
                Ok(())
            }
            End::If { test, then, otherwise } => {
                let text = match test {
                    Test::Same(a, b) => format!("{} is {}", self.name(*a), self.name(*b)),
                    Test::Constant(a, c) => format!("{} is {}", self.name(*a), constant(*c)),
                    Test::Holds(a) => self.name(*a),
                    Test::Compare(op, a, b) => format!("{} {} {}", self.name(*a), op.name(), self.name(*b)),
                };
                self.line(depth, &format!("if {text}"))?;
                self.block(then, depth + 1)?;
                self.line(depth, "else")?;
                self.block(otherwise, depth + 1)
            }
        }
    }
}

fn constant(value: Const) -> String {
    match value {
        Const::Int(n) => n.to_string(),
        Const::Float(x) => format!("{x:?}"),
        Const::Atom(t) | Const::Str(t) => t.to_string(),
    }
}
