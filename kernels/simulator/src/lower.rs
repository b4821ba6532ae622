//! From the kernel IR to the bytecode of the simulator: device functions inlined, control made explicit.
//!
//! Registers are allocated like a stack: those of a variable live as long as its block, temporaries as long as their
//! statement. So what the body of an `everywhere` block or a called function writes never overlaps what sleeping lanes
//! still need.

mod control;
mod expr;
mod queries;
mod stmt;

use std::sync::Arc;

use gchr_base::hash::HashMap;
use gchr_base::ids::Id;
use gchr_base::stack::with_large_stack;

use super::code::*;
use super::layout::Layout;
use gchr_kernel::ir::*;
use gchr_kernel::print::statement_lines;

/// Nesting of blocks, expressions and calls that is accepted: each level takes some kilobytes of the stack.
const MAX_DEPTH: u32 = 4096;
/// Instructions a kernel may have after inlining.
const MAX_CODE: usize = 4 << 20;

/// Why a module cannot be run: a template that is still open, or code that breaks a rule of the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LowerError {
    /// The function.
    pub function: String,
    /// Line of the statement in the text of the module, from 1; 0 when it is none in particular.
    pub kernel_line: u32,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, kernel line {}: {}", self.function, self.kernel_line, self.message)
    }
}

impl std::error::Error for LowerError {}

type Result<T> = std::result::Result<T, LowerError>;

/// The kernels of a module, ready to be launched.
#[derive(Clone, Debug, Default)]
pub struct Program {
    kernels: HashMap<String, KernelCode>,
}

impl Program {
    /// Lowers all kernels of a module. The module should be verified: only what would make the simulator go wrong is
    /// checked again.
    pub fn new(module: &Module) -> std::result::Result<Self, Vec<LowerError>> {
        Self::lowered(module, false)
    }

    /// As [`new`](Self::new); runs test the steps that the kernels state, too (`simulated`).
    pub fn with_steps(module: &Module) -> std::result::Result<Self, Vec<LowerError>> {
        Self::lowered(module, true)
    }

    fn lowered(module: &Module, steps: bool) -> std::result::Result<Self, Vec<LowerError>> {
        with_large_stack(|| Self::lower(module, steps))
    }
    fn lower(module: &Module, steps: bool) -> std::result::Result<Self, Vec<LowerError>> {
        let mut kernels = HashMap::default();
        let mut errors = Vec::new();
        let lines = statement_lines(module);
        for id in module.functions.ids().filter(|&id| module.functions[id].is_kernel()) {
            match Lower::kernel(module, &lines, id, steps) {
                Ok(code) => drop(kernels.insert(code.name.to_string(), code)),
                Err(e) => errors.push(e),
            }
        }
        if errors.is_empty() { Ok(Self { kernels }) } else { Err(errors) }
    }
    pub(crate) fn kernel(&self, name: &str) -> Option<&KernelCode> {
        self.kernels.get(name)
    }
    /// Names of the kernels, sorted.
    pub fn kernels(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.kernels.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
    /// Names and shapes of a kernel's parameters.
    pub fn params(&self, kernel: &str) -> Option<&[(String, ParamShape)]> {
        self.kernels.get(kernel).map(|k| k.params.as_slice())
    }
    /// Statements of a kernel and of the functions it calls, as reports name them.
    pub fn sites(&self, kernel: &str) -> Option<&[Site]> {
        self.kernels.get(kernel).map(|k| k.sites.as_slice())
    }
}

/// A value while lowering: where its parts are.
#[derive(Clone, Debug)]
enum Val {
    Void,
    Scalar(Reg),
    Record(Vec<Val>),
    Buffer(Buf),
}

/// A buffer while lowering.
#[derive(Clone, Debug)]
struct Buf {
    mem: MemRef,
    layout: Arc<Layout>,
}

/// The activation of a function.
struct Activation<'m> {
    function: &'m Function,
    id: FunctionId,
    vars: Vec<Option<Val>>,
    /// Variables declared so far in the open blocks.
    bound: Vec<VarId>,
    /// Variables that may be read before they are written.
    tracked: Vec<bool>,
    result: Val,
    /// Level of the region at whose end returning lanes wait.
    return_level: Option<u32>,
    loops: Vec<Loop>,
    /// Open `everywhere` blocks at the call.
    everywhere: u32,
    statements: u32,
    line: Option<u32>,
    comment: Option<Arc<str>>,
    name: Arc<str>,
    call: Option<u32>,
}

/// Where lanes wait that leave an iteration.
#[derive(Clone, Copy)]
struct Loop {
    break_level: u32,
    continue_level: Option<u32>,
}

struct Lower<'m> {
    module: &'m Module,
    /// Line of each statement in the text of the module, by function.
    lines: &'m [Vec<u32>],
    frame: Activation<'m>,
    out: KernelCode,
    constants: HashMap<u64, Reg>,
    names: HashMap<String, u32>,
    next_reg: Reg,
    /// Open regions in the current context.
    level: u32,
    /// Open `everywhere` blocks.
    everywhere: u32,
    depth: u32,
    site: u32,
    /// Whether `simulated` blocks have code; whether this is one.
    steps: bool,
    simulated: bool,
}

impl<'m> Activation<'m> {
    fn new(module: &'m Module, id: FunctionId) -> Self {
        let function = &module.functions[id];
        Self {
            function,
            id,
            vars: vec![None; function.vars.len()],
            bound: Vec::new(),
            tracked: queries::declared_unwritten(function),
            result: Val::Void,
            return_level: None,
            loops: Vec::new(),
            everywhere: 0,
            statements: 0,
            line: None,
            comment: None,
            name: function.name.as_str().into(),
            call: None,
        }
    }
}

impl<'m> Lower<'m> {
    fn kernel(module: &'m Module, lines: &'m [Vec<u32>], id: FunctionId, steps: bool) -> Result<KernelCode> {
        let frame = Activation::new(module, id);
        let max_threads = match frame.function.kind {
            FunctionKind::Kernel { max_threads, .. } => max_threads,
            _ => 0,
        };
        let out = KernelCode {
            name: frame.name.clone(),
            max_threads,
            params: Vec::new(),
            buffers: Vec::new(),
            constants: Vec::new(),
            scalar_params: 0,
            registers: FIRST_FREE,
            shared: Vec::new(),
            local: Vec::new(),
            code: Vec::new(),
            sites_of: Vec::new(),
            sites: vec![Site {
                function: frame.name.clone(),
                kernel_line: 0,
                text: "end of the kernel".into(),
                line: None,
                comment: None,
                call: None,
            }],
            names: Vec::new(),
            tables: Vec::new(),
        };
        let mut lower = Self {
            module,
            lines,
            frame,
            out,
            constants: HashMap::default(),
            names: HashMap::default(),
            next_reg: FIRST_FREE,
            level: 0,
            everywhere: 0,
            depth: 0,
            site: 0,
            steps,
            simulated: false,
        };
        lower.params()?;
        lower.block(&lower.frame.function.body)?;
        lower.site = 0;
        lower.emit(Instr::Exit)?;
        Ok(lower.out)
    }

    /// Line of the current statement in the text of the module.
    fn kernel_line(&self) -> u32 {
        let number = (self.frame.statements as usize).checked_sub(1);
        let line = || self.lines.get(self.frame.id.index())?.get(number?).copied();
        line().unwrap_or(0)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(LowerError {
            function: self.frame.name.to_string(),
            kernel_line: self.kernel_line(),
            message: message.into(),
        })
    }

    // Parameters

    fn params(&mut self) -> Result<()> {
        for &var in &self.frame.function.params {
            let Some(v) = self.frame.function.vars.get(var) else {
                return self.error("a parameter that is no variable");
            };
            let (val, shape) = self.param(&v.name, v.ty)?;
            self.out.params.push((v.name.clone(), shape));
            self.frame.vars[var.index()] = Some(val);
        }
        Ok(())
    }

    fn param(&mut self, name: &str, ty: Type) -> Result<(Val, ParamShape)> {
        match ty {
            Type::Void => self.error(format!("parameter `{name}` has no type")),
            Type::Scalar(s) => {
                let reg = FIRST_UNIFORM + self.out.scalar_params;
                self.out.scalar_params += 1;
                Ok((Val::Scalar(reg), ParamShape::Scalar(s)))
            }
            Type::Buffer(Space::Global, _) | Type::Records(Space::Global, _) => {
                let layout = self.layout(ty)?;
                let slot = self.out.buffers.len() as u32;
                self.out.buffers.push((name.to_string(), layout.clone()));
                let buf = Buf { mem: MemRef::Global(slot), layout: layout.clone() };
                Ok((Val::Buffer(buf), ParamShape::Buffer(layout)))
            }
            Type::Buffer(..) | Type::Records(..) => {
                self.error(format!("kernel parameter `{name}` is not a global buffer"))
            }
            Type::Record(id) => {
                let Some(record) = self.module.records.get(id).filter(|r| !r.is_hole()) else {
                    return self.error(format!("the record of parameter `{name}` is a hole"));
                };
                let mut vals = Vec::new();
                let mut shapes = Vec::new();
                for field in &record.fields {
                    if matches!(field.ty, Type::Record(_)) {
                        return self.error("a record within a record");
                    }
                    let (val, shape) = self.param(&format!("{name}.{}", field.name), field.ty)?;
                    vals.push(val);
                    shapes.push(shape);
                }
                Ok((Val::Record(vals), ParamShape::Record(shapes)))
            }
        }
    }

    fn layout(&self, ty: Type) -> Result<Arc<Layout>> {
        match Layout::element_of(ty, &self.module.records) {
            Some(layout) => Ok(Arc::new(layout)),
            None => self.error("a buffer whose elements have no layout"),
        }
    }

    // Emission

    fn emit(&mut self, instr: Instr) -> Result<usize> {
        if self.out.code.len() >= MAX_CODE {
            return self.error(format!("more than {MAX_CODE} instructions after inlining"));
        }
        self.out.code.push(instr);
        self.out.sites_of.push(self.site);
        Ok(self.out.code.len() - 1)
    }

    /// Position of the next instruction.
    fn here(&self) -> u32 {
        self.out.code.len() as u32
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    // Registers

    fn temp(&mut self) -> Reg {
        let reg = self.next_reg;
        self.next_reg += 1;
        self.out.registers = self.out.registers.max(self.next_reg);
        reg
    }

    /// Register of a constant.
    fn constant(&mut self, bits: u64) -> Reg {
        let values = &mut self.out.constants;
        // The number of scalar parameters is known by now: constants are only made in the body.
        let base = FIRST_UNIFORM + self.out.scalar_params;
        *self.constants.entry(bits).or_insert_with(|| {
            values.push(bits);
            base + values.len() as u32 - 1
        })
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.out.names.len() as u32;
        self.out.names.push(name.to_string());
        self.names.insert(name.to_string(), id);
        id
    }

    /// Fresh registers for a value of a type.
    fn alloc(&mut self, ty: Type) -> Result<Val> {
        match ty {
            Type::Void => Ok(Val::Void),
            Type::Scalar(_) => Ok(Val::Scalar(self.temp())),
            Type::Buffer(..) | Type::Records(..) => {
                let layout = self.layout(ty)?;
                Ok(Val::Buffer(Buf { mem: MemRef::Handle(self.temp()), layout }))
            }
            Type::Record(id) => match self.module.records.get(id).filter(|r| !r.is_launch()) {
                Some(record) => {
                    Ok(Val::Record(record.fields.iter().map(|_| Val::Scalar(self.temp())).collect()))
                }
                None => self.error("a record with buffers outside of parameters"),
            },
        }
    }

    /// The registers of a value, in order; buffers as handles.
    fn regs(&mut self, val: &Val) -> Result<Vec<Reg>> {
        Ok(match val {
            Val::Void => Vec::new(),
            Val::Scalar(reg) => vec![*reg],
            Val::Buffer(buf) => vec![self.handle(buf.mem)?],
            Val::Record(fields) => {
                let mut regs = Vec::with_capacity(fields.len());
                for field in fields {
                    regs.extend(self.regs(field)?);
                }
                regs
            }
        })
    }

    fn handle(&mut self, mem: MemRef) -> Result<Reg> {
        match mem {
            MemRef::Handle(reg) => Ok(reg),
            MemRef::Global(slot) => Ok(self.constant(u64::from(slot))),
            MemRef::Shared(slot) => Ok(self.constant(SHARED_HANDLE | u64::from(slot))),
            MemRef::Local(_) => self.error("a local array used as a value"),
        }
    }

    /// Writes a value to registers, in the active lanes.
    fn set(&mut self, dst: &Val, src: &Val) -> Result<()> {
        let dst = self.regs(dst)?;
        let mut src = self.regs(src)?;
        if dst.len() != src.len() {
            return self.error("values of different shape");
        }
        if dst.len() > 1 && src.iter().any(|s| dst.contains(s)) {
            for reg in &mut src {
                let copy = self.temp();
                self.emit(Instr::Set { dst: copy, src: *reg })?;
                *reg = copy;
            }
        }
        for (&dst, &src) in dst.iter().zip(&src) {
            if dst >= UNIFORM {
                return self.error("a parameter of the kernel is assigned");
            }
            self.emit(Instr::Set { dst, src })?;
        }
        Ok(())
    }
}

/// Bits of a literal of a scalar type.
fn literal_bits(literal: Literal, ty: Scalar) -> u64 {
    match literal {
        Literal::Bool(b) => u64::from(b),
        Literal::Int(bits) => bits & width_mask(ty),
        Literal::Float(value) => value.to_bits(),
    }
}

/// The bits that values of a scalar type use.
fn width_mask(ty: Scalar) -> u64 {
    u64::MAX >> (64 - 8 * ty.bytes())
}
