//! Prints the kernel IR as text.

use std::fmt::{self, Display, Formatter, Write};

use gchr_base::escape::is_hidden;

use crate::ir::*;
use crate::names;

mod expr;
mod literal;

use literal::literal;

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self, None, Style::default()))
    }
}

/// The text of a module; with the name of the program that it comes from, with `#line` directives for a compiler, which
/// has read some lines before it.
pub fn print(module: &Module, program: Option<&str>, style: Style) -> String {
    let lines = program.map(|p| Lines::new(p, style.before));
    let mut out = Printer { style, ..Printer::new(module, lines) };
    out.module();
    out.text
}

/// How a module is printed for a compiler.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Style {
    /// Lines that the compiler reads before.
    pub before: usize,
    /// Whether accesses to device memory are wrapped in functions that count them.
    pub counts: bool,
    /// Whether functions refer to what a kernel is launched with, in place of a copy of it. Functions that are not
    /// inlined would make one, and a compiler takes long for copies of large records; code that is compiled for speed
    /// is a tenth slower with references.
    pub refers: bool,
}

/// The line of each statement in the text of the module, by function, in the order of the text.
pub fn statement_lines(module: &Module) -> Vec<Vec<u32>> {
    let mut out = Printer::new(module, None);
    out.module();
    out.statements
}

/// The first line of a statement, for messages.
pub fn print_statement(module: &Module, function: &Function, stmt: &StmtKind) -> String {
    const SHOWN_DEPTH: usize = 100;
    let head = Stmt::from(head(stmt));
    if !head.exprs().into_iter().all(|e| is_within(e, SHOWN_DEPTH)) {
        return "a deeply nested statement".to_string();
    }
    let mut out = Printer::new(module, None);
    FunctionPrinter { out: &mut out, function, scopes: Vec::new(), labels: 0 }.kind(&head.kind);
    out.text.lines().next().unwrap_or_default().trim_end_matches('{').trim_end().to_string()
}

fn is_within(expr: &Expr, depth: usize) -> bool {
    depth > 0 && expr.operands().into_iter().all(|e| is_within(e, depth - 1))
}

/// The statement without the blocks inside it.
fn head(kind: &StmtKind) -> StmtKind {
    let none = Vec::new;
    match kind {
        StmtKind::If { condition, .. } => {
            StmtKind::If { condition: condition.clone(), then: none(), otherwise: none() }
        }
        StmtKind::Switch { value, .. } => {
            StmtKind::Switch { value: value.clone(), cases: Vec::new(), default: none() }
        }
        StmtKind::While { condition, .. } => StmtKind::While { condition: condition.clone(), body: none() },
        StmtKind::For { var, start, condition, next, .. } => StmtKind::For {
            var: *var,
            start: start.clone(),
            condition: condition.clone(),
            next: next.clone(),
            body: none(),
            unroll: false,
        },
        StmtKind::Everywhere { captures, .. } => {
            StmtKind::Everywhere { captures: captures.clone(), body: none() }
        }
        StmtKind::Simulated(_) => StmtKind::Simulated(none()),
        other => other.clone(),
    }
}

/// Keeps a compiler's idea of the current place, so that `#line` is printed only where it is needed.
struct Lines {
    program: String,
    /// Lines of the whole text so far.
    printed: u32,
    /// Line of the program that the compiler takes the next printed line to be; `None` for a line of this text itself.
    next: Option<u32>,
    /// Line of the statement that is being printed, and of its parts without an origin of their own.
    wanted: Option<u32>,
}

impl Lines {
    fn new(program: &str, before: usize) -> Self {
        let is_plain = |c| !is_hidden(c) && c != '"' && c != '\\';
        let program = program.chars().map(|c| if is_plain(c) { c } else { '_' });
        Self {
            program: program.collect(),
            printed: u32::try_from(before).unwrap_or(u32::MAX),
            next: None,
            wanted: None,
        }
    }
}

impl Lines {
    /// A line was printed.
    fn advance(&mut self) {
        self.printed += 1;
        self.next = self.next.map(|n| n + 1);
    }
}

struct Printer<'a> {
    module: &'a Module,
    text: String,
    indent: usize,
    lines: Option<Lines>,
    style: Style,
    /// Lines so far.
    printed: u32,
    /// Line of each statement so far, by function.
    statements: Vec<Vec<u32>>,
}

impl<'a> Printer<'a> {
    fn new(module: &'a Module, lines: Option<Lines>) -> Self {
        Self {
            module,
            text: String::new(),
            indent: 0,
            lines,
            style: Style::default(),
            printed: 0,
            statements: Vec::new(),
        }
    }

    fn line(&mut self, text: impl Display) {
        self.place();
        self.write(text);
    }

    /// A comment: it has no place in the program that a compiler could name.
    fn comment(&mut self, text: &str) {
        self.write(format_args!("// {text}").to_string().trim_end());
        if let Some(lines) = &mut self.lines {
            lines.advance();
        }
    }

    fn write(&mut self, text: impl Display) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{text}");
        self.printed += 1;
    }

    /// The next line, or one a little later, is where a statement stands.
    fn begin_statement(&mut self, later: u32) {
        let line = self.printed + 1 + later;
        if let Some(lines) = self.statements.last_mut() {
            lines.push(line);
        }
    }

    /// Tells the compiler the place of the next line, where it would think of another one.
    fn place(&mut self) {
        let Some(lines) = &mut self.lines else { return };
        if lines.next != lines.wanted {
            lines.printed += 1;
            // Writing to a string cannot fail.
            let _ = match lines.wanted {
                Some(line) => writeln!(self.text, "#line {line} \"{}\"", lines.program),
                None => writeln!(self.text, "#line {} \"kernels.cu\"", lines.printed + 1),
            };
            lines.next = lines.wanted;
        }
        lines.advance();
    }

    fn blank(&mut self) {
        self.text.push('\n');
        self.printed += 1;
        if let Some(lines) = &mut self.lines {
            lines.advance();
        }
    }

    fn open(&mut self, text: impl Display) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }

    fn module(&mut self) {
        let module = self.module;
        for record in &module.records {
            self.record(record);
        }
        if !module.constants.is_empty() && !module.records.is_empty() {
            self.blank();
        }
        for constant in &module.constants {
            let value = match constant.value {
                ConstantValue::Hole => "HOLE".to_string(),
                ConstantValue::Given(value) => literal(value, constant.ty),
            };
            self.line(format_args!("constexpr {} {} = {value};", constant.ty.name(), constant.name));
        }
        for function in &module.functions {
            if !self.text.is_empty() {
                self.blank();
            }
            self.statements.push(Vec::new());
            FunctionPrinter { out: self, function, scopes: Vec::new(), labels: 0 }.function();
        }
    }

    fn record(&mut self, record: &Record) {
        if record.is_hole() {
            return self.line(format_args!("struct {};", record.name));
        }
        match record.align {
            Some(align) => self.open(format_args!("struct alignas({align}) {} {{", record.name)),
            None => self.open(format_args!("struct {} {{", record.name)),
        }
        for field in &record.fields {
            self.line(format_args!("{} {};", self.ty(field.ty), field.name));
        }
        self.close("};");
    }

    fn ty(&self, ty: Type) -> String {
        let space = match ty.space() {
            Some(Space::Shared) => "in_shared ",
            Some(Space::Local) => "in_local ",
            _ => "",
        };
        match ty {
            Type::Void => "void".to_string(),
            Type::Scalar(s) => s.name().to_string(),
            Type::Record(r) => self.record_name(r).to_string(),
            Type::Buffer(_, s) => format!("{space}{}*", s.name()),
            Type::Records(_, r) => format!("{space}{}*", self.record_name(r)),
        }
    }

    fn record_name(&self, record: RecordId) -> &'a str {
        self.module.records.get(record).map_or("?", |r| &r.name)
    }
}

/// What a `break` of C++ would leave.
enum Breakable {
    Loop { label: Option<usize> },
    Switch,
}

struct FunctionPrinter<'p, 'a> {
    out: &'p mut Printer<'a>,
    function: &'a Function,
    scopes: Vec<Breakable>,
    labels: usize,
}

impl FunctionPrinter<'_, '_> {
    fn function(&mut self) {
        let function = self.function;
        if let Some(lines) = &mut self.out.lines {
            lines.wanted = None;
        }
        function.doc.iter().for_each(|line| self.out.comment(line));
        let params: Vec<_> = function
            .params
            .iter()
            .filter_map(|&p| function.vars.get(p))
            .map(|v| format!("{} {}", self.parameter(v.ty), v.name))
            .collect();
        let signature = format!("{}({})", function.name, params.join(", "));
        let result = self.out.ty(function.result);
        match function.kind {
            FunctionKind::Hole => return self.out.line(format_args!("__device__ {result} {signature};")),
            FunctionKind::Device => {
                self.out.open(format_args!("__device__ __forceinline__ {result} {signature} {{"));
            }
            FunctionKind::Outlined => {
                self.out.open(format_args!("__device__ __noinline__ {result} {signature} {{"));
            }
            FunctionKind::Kernel { max_threads, min_blocks } => {
                let bounds = match min_blocks {
                    0 => format!("{max_threads}"),
                    n => format!("{max_threads}, {n}"),
                };
                self.out.open(format_args!(
                    "extern \"C\" __global__ {result} __launch_bounds__({bounds}) {signature} {{"
                ));
            }
        }
        self.block(&function.body);
        self.out.close("}");
    }

    /// The type of a parameter.
    fn parameter(&self, ty: Type) -> String {
        let name = self.out.ty(ty);
        match (self.out.style.refers && self.out.module.is_launch(ty), self.function.is_kernel()) {
            (false, _) => name,
            (true, true) => format!("const __grid_constant__ {name}"),
            (true, false) => format!("const {name}&"),
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.statement(stmt));
    }

    fn statement(&mut self, stmt: &Stmt) {
        let outer = self.out.lines.as_ref().and_then(|l| l.wanted);
        match (&mut self.out.lines, stmt.origin.line) {
            (Some(lines), Some(line)) => lines.wanted = Some(line),
            (None, Some(line)) => self.out.line(format_args!("//@ {line}")),
            _ => {}
        }
        for line in stmt.origin.comment.iter().flat_map(|c| c.split('\n')) {
            self.out.comment(line);
        }
        self.out.begin_statement(u32::from(matches!(stmt.kind, StmtKind::For { unroll: true, .. })));
        self.kind(&stmt.kind);
        if let Some(lines) = &mut self.out.lines {
            lines.wanted = outer;
        }
    }

    fn kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Declare { var, value } => self.declare(*var, value.as_ref()),
            StmtKind::Assign { place, value } => {
                let text = self.assignment(place, value);
                self.out.line(format_args!("{text};"));
            }
            StmtKind::Effect { result, effect } => {
                let text = match result {
                    None => self.effect(effect),
                    Some(Target::Declare(v)) => format!("{} = {}", self.declaration(*v), self.effect(effect)),
                    Some(Target::Assign(v)) => format!("{} = {}", self.var(*v), self.effect(effect)),
                };
                self.out.line(format_args!("{text};"));
            }
            StmtKind::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            StmtKind::Switch { value, cases, default } => self.switch(value, cases, default),
            StmtKind::While { condition, body } => {
                let head = format!("while ({})", self.expr(condition));
                self.repeat(&head, body);
            }
            StmtKind::For { var, start, condition, next, body, unroll } => {
                if *unroll {
                    self.out.line("#pragma unroll");
                }
                let counter = Place { base: PlaceBase::Var(*var), field: None, ty: next.ty };
                let head = format!(
                    "for ({} = {}; {}; {})",
                    self.declaration(*var),
                    self.expr(start),
                    self.expr(condition),
                    self.assignment(&counter, next)
                );
                self.repeat(&head, body);
            }
            StmtKind::Break => self.leave(),
            StmtKind::Continue => self.out.line("continue;"),
            StmtKind::Return(None) => self.out.line("return;"),
            StmtKind::Return(Some(value)) => {
                let text = self.expr(value);
                self.out.line(format_args!("return {text};"));
            }
            StmtKind::Barrier => self.out.line("barrier();"),
            StmtKind::WarpBarrier { mask } => {
                let mask = self.expr(mask);
                self.out.line(format_args!("warp_barrier({mask});"));
            }
            StmtKind::Fence(scope) => self.out.line(format_args!("{}();", names::fence_name(*scope))),
            StmtKind::Tally(number) => self.out.line(format_args!("tally({number}u);")),
            StmtKind::Sleep(time) => self.out.line(format_args!("sleep_ns({time}u);")),
            StmtKind::Everywhere { captures, body } => {
                let captures: Vec<_> = captures
                    .iter()
                    .map(|(v, e)| format!("{} = {}", self.declaration(*v), self.expr(e)))
                    .collect();
                self.out.open(format_args!("everywhere ({}) {{", captures.join(", ")));
                self.block(body);
                self.out.close("}");
            }
            StmtKind::Simulated(body) => {
                self.out.open(format_args!("simulated {{"));
                self.block(body);
                self.out.close("}");
            }
            StmtKind::Assume { name, condition } => {
                let condition = self.expr(condition);
                self.out.line(format_args!("assume(\"{name}\", {condition});"));
            }
            StmtKind::Uniform { name, scope, value } => {
                let value = self.expr(value);
                let uniform = names::uniform_name(*scope);
                self.out.line(format_args!("{uniform}(\"{name}\", {value});"));
            }
            StmtKind::Own { name, place } => {
                let place = self.place(place);
                self.out.line(format_args!("own(\"{name}\", {place});"));
            }
        }
    }

    fn declare(&mut self, var: VarId, value: Option<&Expr>) {
        let shared = match self.function.vars.get(var).map(|v| (v.storage, v.ty.space())) {
            Some((Storage::Array(_), Some(Space::Shared))) => "__shared__ ",
            Some((Storage::Striped(_), _)) => "__striped__ ",
            _ => "",
        };
        let declaration = self.declaration(var);
        match value {
            None => self.out.line(format_args!("{shared}{declaration};")),
            Some(value) => {
                let value = self.expr(value);
                self.out.line(format_args!("{declaration} = {value};"));
            }
        }
    }

    /// Type and name; for arrays element type, name and length.
    fn declaration(&self, var: VarId) -> String {
        let Some(var) = self.function.vars.get(var) else { return "?".to_string() };
        match var.storage {
            Storage::Array(length) | Storage::Striped(length) => {
                let element = self.out.ty(var.ty.element().unwrap_or(Type::Void));
                let length = match length {
                    Length::Literal(n) => n.to_string(),
                    Length::Constant(c) => {
                        self.out.module.constants.get(c).map_or("?", |c| &c.name).to_string()
                    }
                };
                format!("{element} {}[{length}]", var.name)
            }
            Storage::Param | Storage::Register => format!("{} {}", self.out.ty(var.ty), var.name),
        }
    }

    /// `place = value`, or `place op= operand` where the value is an operation on the variable itself.
    fn assignment(&self, place: &Place, value: &Expr) -> String {
        if let (PlaceBase::Var(var), None, ExprKind::Binary(op, left, right)) =
            (&place.base, place.field, &value.kind)
            && left.kind == ExprKind::Var(*var)
            && names::has_assignment_form(*op)
        {
            return format!("{} {}= {}", self.var(*var), names::binary_text(*op), self.expr(right));
        }
        format!("{} = {}", self.written(place), self.expr(value))
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], mut otherwise: &[Stmt]) {
        let condition = self.expr(condition);
        self.out.open(format_args!("if ({condition}) {{"));
        self.block(then);
        // A chain of tests prints flat and without recursion.
        while let [Stmt { kind: StmtKind::If { condition, then, otherwise: rest }, origin }] = otherwise
            && *origin == Origin::default()
        {
            let condition = self.expr(condition);
            self.out.begin_statement(0);
            self.out.indent -= 1;
            self.out.open(format_args!("}} else if ({condition}) {{"));
            self.block(then);
            otherwise = rest;
        }
        if !otherwise.is_empty() {
            self.out.indent -= 1;
            self.out.open("} else {");
            self.block(otherwise);
        }
        self.out.close("}");
    }

    fn switch(&mut self, value: &Expr, cases: &[(Vec<u64>, Block)], default: &[Stmt]) {
        let ty = value.ty.scalar().unwrap_or(Scalar::U32);
        let value = self.expr(value);
        self.out.open(format_args!("switch ({value}) {{"));
        self.scopes.push(Breakable::Switch);
        for (values, body) in cases {
            let (last, front) = match values.split_last() {
                Some((last, front)) => (literal(Literal::Int(*last), ty), front),
                None => continue,
            };
            for &value in front {
                self.out.line(format_args!("case {}:", literal(Literal::Int(value), ty)));
            }
            self.case(&format!("case {last}: {{"), body);
        }
        if !default.is_empty() {
            self.case("default: {", default);
        }
        self.scopes.pop();
        self.out.close("}");
    }

    fn case(&mut self, head: &str, body: &[Stmt]) {
        self.out.open(head);
        self.block(body);
        self.out.close(if completes(body) { "} break;" } else { "}" });
    }

    fn repeat(&mut self, head: &str, body: &[Stmt]) {
        self.out.open(format_args!("{head} {{"));
        self.scopes.push(Breakable::Loop { label: None });
        self.block(body);
        let label = match self.scopes.pop() {
            Some(Breakable::Loop { label: Some(label) }) => format!("}} leave_{label}:;"),
            _ => "}".to_string(),
        };
        self.out.close(&label);
    }

    /// A `break` inside a `switch` would leave the `switch`: the text says where the loop ends.
    fn leave(&mut self) {
        if !matches!(self.scopes.last(), Some(Breakable::Switch)) {
            return self.out.line("break;");
        }
        let target = self.scopes.iter_mut().rev().find_map(|s| match s {
            Breakable::Loop { label } => Some(label),
            Breakable::Switch => None,
        });
        let label = match target {
            Some(Some(label)) => *label,
            Some(none) => {
                self.labels += 1;
                *none = Some(self.labels);
                self.labels
            }
            None => 0,
        };
        self.out.line(format_args!("goto leave_{label};"));
    }
}
