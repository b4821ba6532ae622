//! Compiles kernels to µ-SIMD, as far as it can express them: `u32` and `bool`, plain accesses, increments, tests,
//! loops, functions,
//! `everywhere`.
//!
//! All threads are one block of warps of 32 lanes. The first memory cells hold the parameters: a scalar's value, or
//! where a buffer begins. An `everywhere` block becomes the loop of figures 1 (d) and 3 of the paper: `branch_mask`
//! finds the lanes that asked, shuffles hand out their captures.

mod expr;
mod stmt;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::{Id, IdVec};

use super::program::{Instr, Label, Operand, Program, Settings, Variable};
use gchr_kernel::ir::{Expr, ExprKind, Function, FunctionId, Module, Scalar, StmtKind, Type, VarId};
use gchr_kernel::print::print_statement;
use gchr_simulator::WARP;

type Result<T> = std::result::Result<T, Diagnostic>;

/// The program of a kernel of a verified module.
pub fn compile(module: &Module, kernel: &str) -> Result<Program> {
    let function = module.function(kernel).filter(|&f| module.functions[f].is_kernel());
    let Some(function) = function else {
        return Err(Diagnostic::error("S0302", format!("there is no kernel {kernel}"))
            .help("name a function that is declared with extern \"C\" __global__"));
    };
    let mut compiler = Compiler {
        module,
        code: Vec::new(),
        variables: IdVec::new(),
        names: HashMap::default(),
        marks: Vec::new(),
        temporaries: Vec::new(),
        live: 0,
        frame: Frame::new(module, function),
    };
    compiler.parameters()?;
    let body = &module.functions[function].body;
    compiler.block(body)?;
    compiler.emit(Instr::Stop);
    Ok(compiler.finish())
}

/// What a variable of the kernel language is here.
#[derive(Clone, Debug)]
enum Slot {
    /// Not declared yet.
    None,
    /// A scalar, or the address of a buffer.
    Variable(Variable),
    /// A record of such.
    Record(Vec<Variable>),
}

/// A function that is being compiled.
struct Frame<'m> {
    function: &'m Function,
    slots: Vec<Slot>,
}

impl<'m> Frame<'m> {
    fn new(module: &'m Module, id: FunctionId) -> Self {
        let function = &module.functions[id];
        Self { function, slots: vec![Slot::None; function.vars.len()] }
    }
}

/// A position that jumps name before it is known.
#[derive(Clone, Copy)]
struct Mark(u32);

struct Compiler<'m> {
    module: &'m Module,
    /// Targets of jumps are marks until [`finish`](Self::finish).
    code: Vec<Instr>,
    variables: IdVec<Variable, String>,
    /// How often each name was asked for.
    names: HashMap<String, u32>,
    marks: Vec<(&'static str, u32)>,
    /// Variables for parts of expressions; no value in them outlives its statement.
    temporaries: Vec<Variable>,
    /// How many of them the current statement uses.
    live: usize,
    frame: Frame<'m>,
}

impl<'m> Compiler<'m> {
    fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
    }

    /// A new variable, named after the one it stands for.
    fn variable(&mut self, name: &str) -> Variable {
        let count = self.names.entry(name.to_string()).or_insert(0);
        *count += 1;
        let is_own = Operand::NAMED.iter().any(|(known, _)| *known == name);
        let name = if *count > 1 || is_own { format!("{name}__{count}") } else { name.to_string() };
        self.variables.push(name)
    }

    fn temporary(&mut self) -> Variable {
        self.live += 1;
        if self.live > self.temporaries.len() {
            let variable = self.variable(&format!("t__{}", self.live));
            self.temporaries.push(variable);
        }
        self.temporaries[self.live - 1]
    }

    fn mark(&mut self, name: &'static str) -> Mark {
        self.marks.push((name, u32::MAX));
        Mark(self.marks.len() as u32 - 1)
    }

    fn place(&mut self, mark: Mark) {
        self.marks[mark.0 as usize].1 = self.code.len() as u32;
    }

    /// Loads what the first memory cells say.
    fn parameters(&mut self) -> Result<()> {
        let function = self.frame.function;
        let mut cell = 0;
        for &param in &function.params {
            let var = &function.vars[param];
            let slot = match var.ty {
                Type::Record(record) => {
                    let fields = &self.module.records[record].fields;
                    let load = |f: &gchr_kernel::ir::Field| {
                        self.parameter(&format!("{}_{}", var.name, f.name), f.ty, &mut cell)
                    };
                    Slot::Record(fields.iter().map(load).collect::<Result<_>>()?)
                }
                ty => Slot::Variable(self.parameter(&var.name, ty, &mut cell)?),
            };
            self.frame.slots[param.index()] = slot;
        }
        Ok(())
    }

    fn parameter(&mut self, name: &str, ty: Type, cell: &mut i64) -> Result<Variable> {
        if !is_expressible(ty.element().unwrap_or(ty)) {
            return Err(self.unsupported("a parameter that is neither u32 nor bool nor a buffer of those"));
        }
        let to = self.variable(name);
        self.emit(Instr::Load { to, address: Operand::Const(*cell) });
        *cell += 1;
        Ok(to)
    }

    /// The variable of a scalar variable, made when it is first needed.
    fn slot(&mut self, var: VarId) -> Result<Variable> {
        let declared = &self.frame.function.vars[var];
        match &self.frame.slots[var.index()] {
            Slot::Variable(variable) => Ok(*variable),
            Slot::None if is_expressible(declared.ty) => {
                let variable = self.variable(&declared.name);
                self.frame.slots[var.index()] = Slot::Variable(variable);
                Ok(variable)
            }
            _ => Err(self.unsupported("a variable that is neither u32 nor bool")),
        }
    }

    fn unsupported(&self, what: &str) -> Diagnostic {
        Diagnostic::error("S0301", format!("µ-SIMD cannot express {what}"))
            .note(format!("in function {}", self.frame.function.name))
            .help("docs/simd.md says what of the kernel language it can express")
    }

    fn unsupported_statement(&self, stmt: &StmtKind) -> Diagnostic {
        let text = print_statement(self.module, self.frame.function, stmt);
        self.unsupported(&format!("the statement `{text}`"))
    }

    /// Replaces marks by positions, and names those that are used.
    fn finish(mut self) -> Program {
        let mut named: Vec<(u32, String)> = Vec::new();
        let mut resolve = |target: &mut u32| {
            let (name, position) = self.marks[*target as usize];
            named.push((position, format!("{name}_{}", *target)));
            *target = position;
        };
        for instr in &mut self.code {
            match instr {
                Instr::Branch { target, .. } | Instr::BranchMask { target, .. } | Instr::Jump { target } => {
                    resolve(target)
                }
                _ => {}
            }
        }
        named.sort();
        named.dedup();
        let labels = named.into_iter().map(|(target, name)| Label { name, target });
        let settings = Settings { warp: Some(WARP as u32), ..Settings::default() };
        Program {
            settings,
            variables: self.variables,
            code: self.code,
            labels: labels.collect(),
            ..Program::default()
        }
    }
}

fn is_expressible(ty: Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::U32 | Scalar::Bool))
}

/// The variable that an expression is, if it is nothing else.
fn as_variable(e: &Expr) -> Option<VarId> {
    match e.kind {
        ExprKind::Var(var) => Some(var),
        _ => None,
    }
}
