//! Executes sequences of instructions on the registers of one frame.

use super::code::{Code, Ins, Pc, Reg};
use super::evaluate::{Evaluator, Num, compare_values, numeric};
use super::table::Table;
use gchr_base::memory::Shortage;
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::signature::{Signature, SortKind, TypeKind};
use gchr_base::value::heap::HeapFull;
use gchr_base::value::{Heap, Terms, Value, Word, compare};

/// How a sequence ended.
pub(crate) enum Flow {
    /// At its end.
    Done,
    /// The instruction there does not hold.
    Failed(Pc),
    /// At an instruction that is the machine's business: a call, or output.
    Effect(Pc),
}

/// An instruction that has no result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trap {
    pub(crate) pc: Pc,
    pub(crate) kind: TrapKind,
}

/// Why.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TrapKind {
    Arithmetic(ArithmeticError),
    Column,
    HeapFull(HeapFull),
    /// There is no memory for what a body adds.
    AddsFull(Shortage),
    /// The instruction has to build a cell where the heap is shared: the work must be done again by one thread alone.
    Shared,
}

/// A heap to read, and to build cells on if it is not shared.
pub(crate) trait Cells {
    /// To read.
    fn heap(&self) -> &Heap;
    /// To build.
    fn build(&mut self) -> Result<&mut Heap, TrapKind>;
    /// The word of an integer.
    #[inline]
    fn int(&mut self, n: i64) -> Result<u64, TrapKind> {
        match Heap::small_int(n) {
            Some(word) => Ok(word),
            None => Ok(self.build()?.int(n)?),
        }
    }
}

impl Cells for Heap {
    fn heap(&self) -> &Heap {
        self
    }
    fn build(&mut self) -> Result<&mut Heap, TrapKind> {
        Ok(self)
    }
}

impl<H: Cells> Cells for &mut H {
    fn heap(&self) -> &Heap {
        (**self).heap()
    }
    fn build(&mut self) -> Result<&mut Heap, TrapKind> {
        (**self).build()
    }
}

/// Threads that search side by side share the heap.
impl Cells for &Heap {
    fn heap(&self) -> &Heap {
        self
    }
    fn build(&mut self) -> Result<&mut Heap, TrapKind> {
        Err(TrapKind::Shared)
    }
}

/// What instructions read and change besides registers.
pub(crate) struct EvalCtx<'a, H> {
    pub(crate) code: &'a Code,
    pub(crate) signature: &'a Signature,
    pub(crate) tables: &'a [Table],
    pub(crate) heap: H,
}

impl<H: Cells> EvalCtx<'_, H> {
    /// Runs the sequence at `pc`.
    #[inline]
    pub(crate) fn run(&mut self, regs: &mut [u64], mut pc: Pc) -> Result<Flow, Trap> {
        macro_rules! reg {
            ($r:expr) => {
                regs[$r as usize]
            };
        }
        macro_rules! int {
            ($r:expr) => {
                regs[$r as usize] as i64
            };
        }
        macro_rules! hold {
            ($condition:expr) => {
                if !$condition {
                    return Ok(Flow::Failed(pc));
                }
            };
        }
        loop {
            match self.code.ins[pc as usize] {
                Ins::End => return Ok(Flow::Done),
                Ins::Fail => return Ok(Flow::Failed(pc)),
                Ins::Load { dst, row, table, column } => {
                    let row = reg!(row) as u32;
                    reg!(dst) = self.tables[table as usize].columns[column as usize].get(row);
                }
                Ins::SameColumn { src, row, table, column } => {
                    let row = reg!(row) as u32;
                    hold!(self.tables[table as usize].columns[column as usize].get(row) == reg!(src));
                }
                Ins::Const { dst, word } => reg!(dst) = word,
                Ins::Move { dst, src } => reg!(dst) = reg!(src),
                Ins::Field { dst, src, index } => {
                    reg!(dst) = self.heap.heap().field(reg!(src), index as usize)
                }
                Ins::Functor { src, symbol } => hold!(self.heap.heap().has_functor(reg!(src), symbol)),
                Ins::Same { a, b } => hold!(reg!(a) == reg!(b)),
                Ins::Differ { a, b } => hold!(reg!(a) != reg!(b)),
                Ins::SameConst { a, word } => hold!(reg!(a) == word),
                Ins::Add { dst, a, b } => match int!(a).checked_add(int!(b)) {
                    Some(n) => reg!(dst) = n as u64,
                    None => return Err(overflow(pc)),
                },
                Ins::Sub { dst, a, b } => match int!(a).checked_sub(int!(b)) {
                    Some(n) => reg!(dst) = n as u64,
                    None => return Err(overflow(pc)),
                },
                Ins::AddConst { dst, a, n } => match int!(a).checked_add(i64::from(n)) {
                    Some(n) => reg!(dst) = n as u64,
                    None => return Err(overflow(pc)),
                },
                Ins::Int { dst, a, b, op } => match op.int(int!(a), int!(b)) {
                    Ok(n) => reg!(dst) = n as u64,
                    Err(error) => return Err(arithmetic(pc, error)),
                },
                Ins::Float { dst, a, b, op } => {
                    match op.float(f64::from_bits(reg!(a)), f64::from_bits(reg!(b))) {
                        Ok(x) => reg!(dst) = x.to_bits(),
                        Err(error) => return Err(arithmetic(pc, error)),
                    }
                }
                Ins::KeyAdd { dst, a, n } => match int!(a).checked_add(i64::from(n)) {
                    Some(n) => reg!(dst) = n as u64,
                    None => return Ok(Flow::Failed(pc)),
                },
                Ins::KeySum { dst, sum } => match self.key_sum(regs, sum) {
                    Some(n) => reg!(dst) = n as u64,
                    None => return Ok(Flow::Failed(pc)),
                },
                Ins::Less { a, b } => hold!(int!(a) < int!(b)),
                Ins::LessEq { a, b } => hold!(int!(a) <= int!(b)),
                Ins::LessConst { a, n } => hold!(int!(a) < n),
                Ins::GreaterConst { a, n } => hold!(int!(a) > n),
                Ins::DifferConst { a, n } => hold!(int!(a) != n),
                Ins::IntTest { dst, a, b, op } => reg!(dst) = u64::from(op.holds(int!(a).cmp(&int!(b)))),
                Ins::Holds { a } => hold!(reg!(a) != 0),
                Ins::Not { dst, a } => reg!(dst) = u64::from(reg!(a) == 0),
                Ins::JumpIf { a, truth, to } => {
                    if (reg!(a) != 0) == truth {
                        pc = to;
                        continue;
                    }
                }
                Ins::Call { .. } | Ins::CallLast { .. } | Ins::Write { .. } | Ins::Newline => {
                    return Ok(Flow::Effect(pc));
                }
                other => {
                    if !self.slow(regs, pc, other).map_err(|kind| Trap { pc, kind })? {
                        return Ok(Flow::Failed(pc));
                    }
                }
            }
            pc += 1;
        }
    }

    /// Executes one instruction that is neither a jump nor the machine's business. Says whether it holds.
    pub(crate) fn one(&mut self, regs: &mut [u64], pc: Pc) -> Result<bool, Trap> {
        let int = |r: Reg| regs[r as usize] as i64;
        let float = |r: Reg| f64::from_bits(regs[r as usize]);
        let sum = |n: Option<i64>| n.map(|n| n as u64).ok_or_else(|| overflow(pc));
        let (dst, word) = match self.code.ins[pc as usize] {
            Ins::Add { dst, a, b } => (dst, sum(int(a).checked_add(int(b)))?),
            Ins::Sub { dst, a, b } => (dst, sum(int(a).checked_sub(int(b)))?),
            Ins::AddConst { dst, a, n } => (dst, sum(int(a).checked_add(i64::from(n)))?),
            Ins::Int { dst, a, b, op } => {
                (dst, op.int(int(a), int(b)).map_err(|error| arithmetic(pc, error))? as u64)
            }
            Ins::Float { dst, a, b, op } => {
                (dst, op.float(float(a), float(b)).map_err(|error| arithmetic(pc, error))?.to_bits())
            }
            Ins::KeySum { dst, sum } => match self.key_sum(regs, sum) {
                Some(n) => (dst, n as u64),
                None => return Ok(false),
            },
            Ins::Field { dst, src, index } => {
                (dst, self.heap.heap().field(regs[src as usize], index as usize))
            }
            Ins::Functor { src, symbol } => {
                return Ok(self.heap.heap().has_functor(regs[src as usize], symbol));
            }
            other => return self.slow(regs, pc, other).map_err(|kind| Trap { pc, kind }),
        };
        regs[dst as usize] = word;
        Ok(true)
    }

    /// Instructions on terms and on values of kinds known only at run time. Says whether the instruction holds.
    #[inline(never)]
    fn slow(&mut self, regs: &mut [u64], pc: Pc, ins: Ins) -> Result<bool, TrapKind> {
        let get = |r: Reg| regs[r as usize];
        let site = self.code.sites[pc as usize];
        let (dst, word) = match ins {
            Ins::ToAny { dst, src, kind } => (dst, self.tag(get(src), kind)?),
            Ins::FromAny { dst, src, kind } => match self.untag(get(src), kind) {
                Some(word) => (dst, word),
                None => return Ok(false),
            },
            Ins::Narrow { dst, src, kind } if site.kinds[0] == SortKind::Any => {
                (dst, self.untag(get(src), kind).ok_or(TrapKind::Column)?)
            }
            Ins::Narrow { .. } => return Err(TrapKind::Column),
            Ins::Check { src, ty, .. } => {
                let terms = Terms { signature: self.signature, heap: self.heap.heap() };
                let fits = match site.kinds[0] {
                    SortKind::Int => {
                        let natural = self.signature.column_types.types[ty].kind == TypeKind::Natural;
                        !natural || get(src) as i64 >= 0
                    }
                    _ => terms.has_type(get(src), ty),
                };
                return if fits { Ok(true) } else { Err(TrapKind::Column) };
            }
            Ins::Build { dst, build } => {
                let build = &self.code.builds[build as usize];
                let mut few = [0; 8];
                let word = if build.args.len() <= few.len() {
                    few.iter_mut().zip(&build.args).for_each(|(w, &r)| *w = get(r));
                    self.heap.build()?.compound(build.symbol, &few[..build.args.len()])?
                } else {
                    let many: Vec<u64> = build.args.iter().map(|&r| get(r)).collect();
                    self.heap.build()?.compound(build.symbol, &many)?
                };
                (dst, word)
            }
            Ins::Repeat { dst, symbol, count } => {
                let mut word = get(dst);
                for _ in 0..count {
                    word = self.heap.build()?.compound(symbol, &[word])?;
                }
                (dst, word)
            }
            Ins::Num { dst, a, b, op } => {
                let x = self.number(get(a), site.kinds[0])?;
                let y = self.number(get(b), site.kinds[1])?;
                let result = numeric(op, x, y).map_err(TrapKind::Arithmetic)?;
                (dst, self.number_word(result, site.result)?)
            }
            Ins::AnyTest { dst, a, b, op } => {
                (dst, u64::from(self.test(op, (site.kinds[0], get(a)), (site.kinds[1], get(b)))?))
            }
            _ => return Ok(true),
        };
        regs[dst as usize] = word;
        Ok(true)
    }

    fn key_sum(&self, regs: &[u64], sum: u32) -> Option<i64> {
        let sum = &self.code.sums[sum as usize];
        let term = |&(r, minus): &(Reg, bool)| {
            let n = i128::from(regs[r as usize] as i64);
            if minus { -n } else { n }
        };
        let total: i128 = sum.terms.iter().map(term).sum();
        i64::try_from(total + i128::from(sum.constant)).ok()
    }

    fn tag(&mut self, word: u64, kind: SortKind) -> Result<u64, TrapKind> {
        let text = gchr_base::signature::TextId(word as u32);
        match kind {
            SortKind::Int => self.heap.int(word as i64),
            SortKind::Float => Ok(self.heap.build()?.float(f64::from_bits(word))?),
            SortKind::Atom => Ok(Heap::atom(text)),
            SortKind::Str => Ok(Heap::str(text)),
            SortKind::Any | SortKind::Data => Ok(word),
        }
    }

    fn untag(&self, word: u64, kind: SortKind) -> Option<u64> {
        match (self.heap.heap().view(word), kind) {
            (Word::Int(n), SortKind::Int) => Some(n as u64),
            (Word::Float(x), SortKind::Float) => Some(x.to_bits()),
            (Word::Atom(t), SortKind::Atom) | (Word::Str(t), SortKind::Str) => Some(u64::from(t.0)),
            (_, SortKind::Any) => Some(word),
            _ => None,
        }
    }

    fn number(&self, word: u64, kind: SortKind) -> Result<Num, TrapKind> {
        match kind {
            SortKind::Int => Ok(Num::Int(word as i64)),
            SortKind::Float => Ok(Num::Float(f64::from_bits(word))),
            SortKind::Any => match self.heap.heap().view(word) {
                Word::Int(n) => Ok(Num::Int(n)),
                Word::Float(x) => Ok(Num::Float(x)),
                _ => {
                    let evaluator = Evaluator { signature: self.signature, heap: self.heap.heap() };
                    evaluator.evaluate(word).map_err(TrapKind::Arithmetic)
                }
            },
            _ => Err(TrapKind::Arithmetic(ArithmeticError::Type)),
        }
    }

    fn number_word(&mut self, number: Num, kind: SortKind) -> Result<u64, TrapKind> {
        match (number, kind) {
            (Num::Int(n), SortKind::Int) => Ok(n as u64),
            (Num::Float(x), SortKind::Float) => Ok(x.to_bits()),
            (Num::Int(n), SortKind::Any) => self.heap.int(n),
            (Num::Float(x), SortKind::Any) => Ok(self.heap.build()?.float(x)?),
            _ => Err(TrapKind::Arithmetic(ArithmeticError::Type)),
        }
    }

    fn test(&mut self, op: Op, a: (SortKind, u64), b: (SortKind, u64)) -> Result<bool, TrapKind> {
        let terms = Terms { signature: self.signature, heap: self.heap.heap() };
        if op.is_type_test() {
            return Ok(has_type(op, terms.value(a.0, a.1)));
        }
        if op.is_structural() {
            return Ok(op.holds(compare(terms.value(a.0, a.1), terms.value(b.0, b.1))));
        }
        let ordering = compare_values(self.number(a.1, a.0)?, self.number(b.1, b.0)?);
        Ok(op.holds(ordering))
    }
}

impl From<HeapFull> for TrapKind {
    fn from(full: HeapFull) -> Self {
        TrapKind::HeapFull(full)
    }
}

fn overflow(pc: Pc) -> Trap {
    arithmetic(pc, ArithmeticError::Overflow)
}

fn arithmetic(pc: Pc, error: ArithmeticError) -> Trap {
    Trap { pc, kind: TrapKind::Arithmetic(error) }
}

/// Type tests; the empty list is neither an atom nor callable, as in SWI-Prolog 9.
fn has_type(op: Op, value: Value<'_>) -> bool {
    match (op, value) {
        (Op::IsInteger, Value::Int(_)) | (Op::IsFloat, Value::Float(_)) | (Op::IsString, Value::Str(_)) => {
            true
        }
        (Op::IsNumber, Value::Int(_) | Value::Float(_)) => true,
        (Op::IsAtom | Op::IsCallable, Value::Atom(name)) => name != "[]",
        (Op::IsAtomic, value) => !matches!(value, Value::Compound { .. }),
        (Op::IsCompound | Op::IsCallable, Value::Compound { .. }) => true,
        _ => false,
    }
}
