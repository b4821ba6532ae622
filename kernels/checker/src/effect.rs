//! Effects in the walk: accesses to memory, atomics, votes, shuffles, calls.

use super::access::{Access, AccessKind};
use super::contract::contract;
use super::merge::Choice;
use super::poly::Poly;
use super::provenance::Provenance;
use super::state::State;
use super::symbol::{Application, Level, Symbol};
use super::value::{Claim, Element, Value};
use super::vars::Vars;
use super::verdict::{Assumed, Rule};
use super::walk::*;
use gchr_kernel::ir::*;

/// Calls within calls that are followed.
const MAX_CALLS: usize = 64;
const ALL_LANES: i128 = 0xffff_ffff;

/// Which lanes a mask is known to name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// The whole warp.
    All,
    /// Those that are active.
    Active,
    Unknown,
}

impl<'m> Walk<'m, '_> {
    // Memory

    /// Reads an element, or a field of it.
    pub fn load(
        &mut self,
        state: &mut State<'m>,
        buffer: &'m Expr,
        index: &'m Expr,
        field: Option<u32>,
        ty: Type,
    ) -> Value {
        let named = self.buffer(state, buffer);
        let index = self.number(state, index);
        let level = named.level.max(self.symbols.level(&index));
        let level = match buffer.ty.space() {
            Some(Space::Global) => level,
            Some(Space::Shared) => level.max(Level::Block),
            _ => return self.unknown(Level::Thread, ty),
        };
        let element = Element { buffer: named, index, field };
        let owned = self.touch(state, &element, AccessKind::Read);
        // Another thread may read such an element after it was written, without a barrier in between.
        let alone = owned || element.buffer.roots.iter().any(|&root| self.is_handed(root));
        let provenance = self.symbols.provenance(&element.index);
        self.computed(if alone { Level::Thread } else { level }, provenance, ty)
    }

    pub fn write(&mut self, state: &mut State<'m>, place: &'m Place) {
        if let Some(element) = self.element(state, place) {
            self.touch(state, &element, AccessKind::Write);
        }
    }

    /// Records a claim of ownership (`own`).
    pub fn claim(&mut self, state: &mut State<'m>, place: &'m Place) -> Option<Claim> {
        let element = self.element(state, place)?;
        self.record(state, &element, AccessKind::Claim, [false; 2]);
        Some(element)
    }

    /// The element of a place, if other threads can see it.
    fn element(&mut self, state: &mut State<'m>, place: &'m Place) -> Option<Element> {
        let PlaceBase::Element { buffer, index } = &place.base else { return None };
        let named = self.buffer(state, buffer);
        let index = self.number(state, index);
        (buffer.ty.space() != Some(Space::Local)).then_some(Element {
            buffer: named,
            index,
            field: place.field,
        })
    }

    /// Records an access; returns whether the thread owns the element.
    fn touch(&mut self, state: &State<'m>, element: &Element, kind: AccessKind) -> bool {
        let owned = state.owns(element);
        self.record(state, element, kind, [owned, false]);
        owned
    }

    fn record(
        &mut self,
        state: &State<'m>,
        element: &Element,
        kind: AccessKind,
        [owned, uniform]: [bool; 2],
    ) {
        // The walk will be repeated: its accesses are not needed.
        if self.learnt.changed {
            return;
        }
        let Some(site) = self.site() else { return };
        let key = self.key();
        for &root in element.buffer.roots.iter() {
            self.accesses.push(Access {
                root,
                index: element.index.clone(),
                field: element.field,
                kind,
                owned,
                uniform,
                path: state.path.clone(),
                since: state.since.clone(),
                site,
                key,
            });
        }
    }

    /// Walks over an effect; `None` when control never returns from it.
    pub fn effect(&mut self, state: &mut State<'m>, effect: &'m Effect) -> Option<Value> {
        Some(match effect {
            Effect::Atomic { op, place, operands, .. } => self.atomic(state, *op, place, operands),
            Effect::Vote { op, mask, predicate } => self.vote(state, *op, mask, predicate),
            Effect::Shuffle { op, mask, value, lane } => self.shuffle(state, *op, mask, value, lane),
            Effect::ActiveMask => {
                let all = state.control.level <= Level::Warp;
                let mut symbol =
                    Symbol::new(if all { Level::Grid } else { Level::Thread }, self.varies(), true);
                symbol.mask_of = Some(state.control.token);
                self.fresh(symbol, Type::U32)
            }
            Effect::Cycles => self.unknown(Level::Thread, Type::U32),
            Effect::Call { function, args } => return self.call(state, *function, args),
        })
    }

    fn atomic(
        &mut self,
        state: &mut State<'m>,
        op: AtomicOp,
        place: &'m Place,
        operands: &'m [Expr],
    ) -> Value {
        for operand in operands {
            self.eval(state, operand);
        }
        let kind = if op == AtomicOp::Load { AccessKind::AtomicRead } else { AccessKind::AtomicWrite };
        let Some(element) = self.element(state, place) else { return Value::Unset };
        let mut level = self.symbols.level(&element.index).max(element.buffer.level);
        if let PlaceBase::Element { buffer, .. } = &place.base
            && buffer.ty.space() == Some(Space::Shared)
        {
            level = level.max(Level::Block);
        }
        let owned = state.owns(&element);
        let key = self.key();
        let known = self.learnt.is_divergent(&key);
        let divergent = op != AtomicOp::Load || owned || known;
        let level = if divergent { Level::Thread } else { level };
        self.record(state, &element, kind, [owned, level < Level::Thread]);
        if op == AtomicOp::Store {
            return Value::Unset;
        }
        let mut provenance = self.symbols.provenance(&element.index);
        if level < Level::Thread || known {
            provenance = self.symbols.provenances.load(key, provenance);
        }
        self.computed(level, provenance, place.ty)
    }

    // Warps

    /// Checks that a mask is the set of lanes that are active here.
    pub fn mask(&mut self, state: &mut State<'m>, mask: &'m Expr) -> (Poly, bool) {
        let value = self.number(state, mask);
        let converged = state.control.level <= Level::Warp;
        let lanes = match value.as_var().and_then(|v| self.symbols.get(v).mask_of) {
            _ if value.as_constant() == Some(ALL_LANES) => Lanes::All,
            Some(token) if token == state.control.token => Lanes::Active,
            _ => Lanes::Unknown,
        };
        match lanes {
            Lanes::All if !converged => {
                let text = "the mask names all lanes, but control may differ between the lanes of a warp";
                self.refuse(Rule::Mask, Some(state.control), text.into());
            }
            Lanes::Unknown => {
                let text = "the mask is not known to be the set of lanes that are active here";
                self.refuse(Rule::Mask, Some(state.control), text.into());
            }
            Lanes::All => self.record_dependence(Rule::Mask, state.control),
            Lanes::Active => {}
        }
        (value, lanes == Lanes::All || converged)
    }

    fn vote(&mut self, state: &mut State<'m>, op: VoteOp, mask: &'m Expr, predicate: &'m Expr) -> Value {
        let (_, all) = self.mask(state, mask);
        let predicate = self.truth(state, predicate);
        let ty = if op == VoteOp::Ballot { Type::U32 } else { Type::BOOL };
        let level = self.symbols.level_of(&predicate).min(Level::Warp);
        let mut provenance = self.symbols.provenance_of(&predicate);
        if all {
            provenance = self.symbols.provenances.agreed(provenance);
        }
        self.computed(if all { level } else { Level::Thread }, provenance, ty)
    }

    fn shuffle(
        &mut self,
        state: &mut State<'m>,
        op: ShuffleOp,
        mask: &'m Expr,
        value: &'m Expr,
        lane: &'m Expr,
    ) -> Value {
        let (mask, all) = self.mask(state, mask);
        let ty = value.ty;
        let value = self.eval(state, value);
        let lane = self.number(state, lane);
        let known = all || op == ShuffleOp::Index && self.is_first_of(&lane, &mask);
        if !known {
            let text = "the lane that the shuffle reads from is not known to be in the mask";
            self.refuse(Rule::ShuffleSource, Some(state.control), text.into());
        }
        let level = self.level(&value);
        if level <= Level::Warp {
            return value;
        }
        let same = all && op == ShuffleOp::Index && self.symbols.level(&lane) <= Level::Warp;
        let level = if same { Level::Warp } else { Level::Thread };
        match value {
            Value::Buffer(named) => self.one_of(named.roots, level),
            value => {
                let mut provenance = self.provenance(&value);
                if same {
                    provenance = self.symbols.provenances.agreed(provenance);
                }
                self.computed(level, provenance, ty)
            }
        }
    }

    /// `find_first_set(mask) - 1`
    fn is_first_of(&self, lane: &Poly, mask: &Poly) -> bool {
        let Some(var) = lane.plus(&Poly::constant(1), 1).and_then(|p| p.as_var()) else { return false };
        matches!(
            self.symbols.application_of(var),
            Some(Application::Intrinsic(Intrinsic::FindFirstSet, _, args)) if args.as_slice() == std::slice::from_ref(mask)
        )
    }

    // Calls

    fn call(&mut self, state: &mut State<'m>, id: FunctionId, args: &'m [Expr]) -> Option<Value> {
        let function = &self.module.functions[id];
        let values: Vec<Value> = args.iter().map(|a| self.eval(state, a)).collect();
        if self.frames.len() >= MAX_CALLS {
            self.refuse(Rule::Limit, None, format!("calls are nested more than {MAX_CALLS} deep"));
            return Some(self.unknown(Level::Thread, function.result));
        }
        let result = match function.is_hole() {
            true => self.hole(function),
            false => self.walk_call(state, function, values)?,
        };
        match contract(function) {
            Some(Scope::Device) => {
                if !function.is_hole() {
                    self.assume(&format!("`{}` keeps its contract", function.name), Assumed::Contract);
                }
                self.grid_barrier(state);
            }
            Some(Scope::Block) if function.is_hole() => self.barrier(state),
            _ => {}
        }
        Some(result)
    }

    /// A hole: the function that fills it keeps its contract.
    fn hole(&mut self, function: &'m Function) -> Value {
        self.assume(&format!("`{}` keeps its contract", function.name), Assumed::Contract);
        self.unknown(Level::Thread, function.result)
    }

    fn walk_call(
        &mut self,
        state: &mut State<'m>,
        function: &'m Function,
        values: Vec<Value>,
    ) -> Option<Value> {
        let outer = (self.context, self.stmt);
        self.context = super::hash(&(self.context, self.key().1, 3));
        let caller = std::mem::replace(&mut state.vars, Vars::new(function.vars.len()));
        for (param, value) in function.params.iter().zip(values) {
            state.set(*param, value);
        }
        self.enter_function(function);
        let end = self.block(state.clone(), &function.body);
        let mut returns = self.leave_function();
        returns.extend(end.map(|end| (end, Value::Unset)));
        (self.context, self.stmt) = outer;

        // All lanes that called return together.
        let level = match returns.as_slice() {
            [_] => Level::Grid,
            all => all.iter().map(|(s, _)| s.control.level).max().unwrap_or_default(),
        };
        let ends: Vec<Provenance> = returns.iter().map(|(end, _)| end.control.provenance).collect();
        let choice = Choice { level, provenance: self.symbols.provenances.of_all(ends) };
        let back = |(state, value): (State<'m>, Value)| (State { vars: caller.clone(), ..state }, value);
        let (merged, value) = returns.into_iter().map(back).reduce(|(a, x), (b, y)| {
            let value = self.join(&x, &y, choice, function.result);
            (self.merge_two(a, b, choice), value)
        })?;
        *state = State { control: state.control, ..merged };
        if function.result == Type::Void { Some(Value::Unset) } else { Some(value) }
    }
}
