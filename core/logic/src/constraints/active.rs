//! The active constraint: its rules are tried in order, and fire, until it is removed.

use std::rc::Rc;

use gchr_base::hash::HashSet;

use super::matching::Unmatched;
use crate::cell::Cell;
use crate::code::{Label, at};
use crate::machine::{Alternative, Done, Machine};
use crate::store::rules::{Guard, Occurrence, Partner, Path, Rule, Step};
use crate::store::{Asked, Change};
use crate::undo::Undo;

/// Slots of the environment of an active constraint.
pub(super) mod slot {
    /// Its number.
    pub const ID: u16 = 0;
    /// Which of its activations this is.
    pub const GENERATION: u16 = 1;
    /// The occurrence that is tried.
    pub const OCCURRENCE: u16 = 2;
    /// Whether partners were found for it, so that the search goes on behind these.
    pub const RESUME: u16 = 3;
    /// Choice points below the one that a guard of goals has.
    pub const MARK: u16 = 4;
    /// The partners.
    pub const PARTNERS: u16 = 5;
}

impl Machine<'_, '_> {
    pub(super) fn note_change(&mut self, change: Change) {
        if self.heap.has_choice {
            self.heap.note(Undo::Store(change));
        }
    }

    /// Adds the constraint whose arguments are in the registers, and makes it active.
    pub fn add_constraint(&mut self, symbol: u32) -> Done<Option<Label>> {
        let known = &self.constraints.symbols[symbol as usize];
        let (name, arity, open) = (known.name, known.arity, known.open);
        for column in 0..arity {
            if let Some(ty) = self.constraints.symbols[symbol as usize].types[column].clone() {
                self.check_type(&ty, self.x[column])?;
            }
        }
        let place = self.heap.top();
        let term = if arity == 0 {
            Cell::atom(name)
        } else {
            self.heap.push(Cell::functor(name, arity));
            for i in 0..arity {
                let cell = self.heap.deref(self.x[i]);
                self.heap.push(cell);
            }
            Cell::structure(place)
        };
        if open {
            // First: keys know variables by the place that watching them gives them.
            let mut variables = Vec::new();
            for column in 0..arity {
                if self.constraints.symbols[symbol as usize].asked[column] {
                    variables.extend(self.heap.variables(self.x[column]));
                }
            }
            let mut seen = HashSet::default();
            variables.retain(|variable| seen.insert(*variable));
            self.watch(&variables, self.constraints.suspensions.len() as u32);
        }
        let keys = self.keys(symbol, term);
        let id = self.constraints.add(symbol, term, keys);
        self.note_change(Change::Added);
        self.activate(id)
    }

    /// The keys of a constraint in all indexes of its symbol.
    pub(super) fn keys(&mut self, symbol: u32, term: Cell) -> Vec<u64> {
        let start = self.heap.args(term).0;
        let indexes = &self.constraints.symbols[symbol as usize].indexes;
        let incomplete = &mut self.constraints.tables[symbol as usize].incomplete;
        let of_index = |(paths, incomplete): (&Vec<Path>, &mut bool)| {
            let terms = paths.iter().map(|path| (self.heap.inside(start, path), path.trusted));
            let key = self.heap.key(terms);
            *incomplete |= key.has_variable;
            key.hash
        };
        indexes.iter().zip(incomplete).map(of_index).collect()
    }

    pub fn is_alive(&self, id: u32) -> bool {
        self.constraints.suspensions.get(id).is_some_and(|s| s.alive)
    }

    /// Tries the rules of a constraint in the store.
    pub(super) fn activate(&mut self, id: u32) -> Done<Option<Label>> {
        let suspension = &mut self.constraints.suspensions[id as usize];
        let before = suspension.generation;
        suspension.generation += 1;
        let symbol = suspension.symbol as usize;
        let occurrences = &self.constraints.symbols[symbol].occurrences;
        if occurrences.is_empty() {
            self.constraints.suspensions[id as usize].generation = before;
            return Ok(Some(self.cp_now()));
        }
        let partners = occurrences.iter().map(|o| o.partners.len()).max().unwrap_or(0);
        self.note_change(Change::Generation(id, before));
        let mut slots = [Cell::int(0); 64];
        slots[slot::ID as usize] = Cell::int(id as usize);
        slots[slot::GENERATION as usize] = Cell::int(before as usize + 1);
        let n = slot::PARTNERS as usize + partners;
        if n <= slots.len() {
            self.frame(&slots[..n], at::CONTINUE);
        } else {
            let mut many = slots.to_vec();
            many.resize(n, Cell::int(0));
            self.frame(&many, at::CONTINUE);
        }
        self.continue_active()
    }

    /// Goes on with the constraint of the current environment.
    pub fn continue_active(&mut self) -> Done<Option<Label>> {
        loop {
            let id = self.slot(slot::ID).as_int() as u32;
            let number = self.slot(slot::OCCURRENCE).as_int() as usize;
            let generation = self.slot(slot::GENERATION).as_int();
            let current = self.constraints.suspensions.get(id);
            let current = current.filter(|s| s.alive && i64::from(s.generation) == generation);
            let symbol = current.map(|s| &self.constraints.symbols[s.symbol as usize]);
            let Some(occurrence) = symbol.and_then(|symbol| symbol.occurrences.get(number)) else {
                let waits = symbol.is_some_and(|symbol| symbol.open) && self.waits_in_guard(id);
                self.leave();
                return Ok((!waits).then(|| self.cp_now()));
            };
            let occurrence = Rc::clone(occurrence);
            let mut partners = std::mem::take(&mut self.constraints.partners);
            let found = self.search_from(id, number, &occurrence, &mut partners);
            let Ok(Some(found)) = found else {
                self.constraints.partners = partners;
                found?;
                let behind =
                    occurrence.shared.map_or(number + 1, |shared| number - shared.index + shared.len);
                self.change_slot(slot::OCCURRENCE, Cell::int(behind));
                self.change_slot(slot::RESUME, Cell::int(0));
                continue;
            };
            let occurrence = if found == number { occurrence } else { self.occurrence(id, found) };
            if found != number {
                self.change_slot(slot::OCCURRENCE, Cell::int(found));
            }
            let rule = Rc::clone(&self.constraints.rules[occurrence.rule as usize]);
            let next = self.apply_rule(id, &occurrence, &rule, &partners);
            self.constraints.partners = partners;
            if let Some(next) = next? {
                return Ok(next);
            }
        }
    }

    /// Fires a rule or begins its guard; `None` where the active constraint goes on at once.
    fn apply_rule(
        &mut self,
        id: u32,
        occurrence: &Occurrence,
        rule: &Rule,
        partners: &[u32],
    ) -> Done<Option<Option<Label>>> {
        let stays = !occurrence.removed || matches!(rule.guard, Guard::Goals);
        if stays {
            for (i, &partner) in partners.iter().enumerate() {
                self.change_slot(slot::PARTNERS + i as u16, Cell::int(partner as usize));
            }
            self.change_slot(slot::RESUME, Cell::int(1));
        }
        let bindings = std::mem::take(&mut self.constraints.bindings);
        let mut first = 0;
        if let Guard::Goals = rule.guard {
            let mark = self.choices.len();
            self.change_slot(slot::MARK, Cell::int(mark));
            self.choose(Alternative::Code(at::CONTINUE), 0);
            self.heap.bind_all(&bindings);
            let locked = self.locked(rule, !bindings.is_empty());
            let open = locked.is_some();
            let added = self.constraints.suspensions.len();
            self.ask(Asked { id, mark, open, added });
            self.x[0] = Cell::int(self.env_now());
            self.x[1] = locked.unwrap_or(Cell::int(0));
            first = 2;
        } else {
            self.heap.bind_all(&bindings);
            self.fire(id, occurrence, rule, partners)?;
            if rule.empty && stays && self.heap.woken.is_empty() {
                return Ok(None);
            }
        }
        for (i, &slot) in rule.args.iter().enumerate() {
            self.x[first + i] = self.constraints.slots[slot as usize];
        }
        if stays {
            self.set_cp(at::CONTINUE);
        } else {
            self.leave();
        }
        if rule.empty && first == 0 {
            let next = self.cp_now();
            return Ok(Some(self.behind_woken(next, 0)?));
        }
        let Some(body) = self.enter(rule.body)? else { return Ok(Some(None)) };
        Ok(Some(self.behind_woken(body, first + rule.args.len())?))
    }

    /// Where to go on so that what bindings woke comes before a place that has its arguments in registers.
    fn behind_woken(&mut self, place: Label, registers: usize) -> Done<Option<Label>> {
        if self.heap.woken.is_empty() { Ok(Some(place)) } else { self.wake(place, registers) }
    }

    /// Removes what a rule removes, remembers that it fired, and counts.
    pub(super) fn fire(
        &mut self,
        id: u32,
        occurrence: &Occurrence,
        rule: &Rule,
        partners: &[u32],
    ) -> Done<()> {
        self.step()?;
        self.constraints.firings += 1;
        if self.control.traces() {
            self.trace(id, occurrence, rule, partners);
        }
        if rule.history {
            let (owner, combination) = combination(id, occurrence, rule, partners);
            let history = &mut self.constraints.suspensions[owner as usize].history;
            history.get_or_insert_default().insert(combination.clone());
            self.note_change(Change::Fired(owner, combination));
        }
        if occurrence.removed {
            self.kill(id);
        }
        for (partner, &other) in occurrence.partners.iter().zip(partners) {
            if partner.removed {
                self.kill(other);
            }
        }
        Ok(())
    }

    fn trace(&mut self, id: u32, occurrence: &Occurrence, rule: &Rule, partners: &[u32]) {
        let mut heads = vec![(id, occurrence.head)];
        heads.extend(occurrence.partners.iter().zip(partners).map(|(p, &id)| (id, p.head)));
        heads.sort_by_key(|&(_, head)| head);
        let text = |&(id, _): &(u32, usize)| {
            let term = self.constraints.suspensions[id as usize].term;
            self.shortly_written(term)
        };
        let heads: Vec<String> = heads.iter().map(text).collect();
        let line = format!("{}: {}", rule.name, heads.join(", "));
        self.control.trace_line(&line);
    }

    /// Takes a constraint out of the store.
    pub fn kill(&mut self, id: u32) {
        if !self.is_alive(id) {
            return;
        }
        let mut noted = self.heap.has_choice.then(Vec::new);
        self.constraints.kill(id, &mut noted);
        for change in noted.into_iter().flatten() {
            self.heap.note(Undo::Store(change));
        }
    }

    /// An occurrence of a constraint's symbol.
    pub(super) fn occurrence(&self, id: u32, number: usize) -> Rc<Occurrence> {
        let symbol = self.constraints.suspensions[id as usize].symbol as usize;
        Rc::clone(&self.constraints.symbols[symbol].occurrences[number])
    }

    /// Looks for partners where the environment says: the occurrence that has found some.
    fn search_from(
        &mut self,
        id: u32,
        number: usize,
        occurrence: &Occurrence,
        partners: &mut Vec<u32>,
    ) -> Done<Option<usize>> {
        let resume = self.slot(slot::RESUME).as_int() == 1;
        partners.clear();
        if resume {
            let of_slot = |i| self.slot(slot::PARTNERS + i as u16).as_int() as u32;
            partners.extend((0..occurrence.partners.len()).map(of_slot));
        }
        match occurrence.shared {
            Some(shared) => self.search_shared(id, number - shared.index, shared.index, resume, partners),
            None => Ok(self.search(id, occurrence, 0, resume, partners)?.then_some(number)),
        }
    }

    /// Looks for partners behind the first `fixed` ones, which are given: the first others, or those behind the given
    /// ones. What heads bind is undone, and noted for the firing.
    pub(super) fn search(
        &mut self,
        id: u32,
        occurrence: &Occurrence,
        fixed: usize,
        resume: bool,
        partners: &mut Vec<u32>,
    ) -> Done<bool> {
        let rule = Rc::clone(&self.constraints.rules[occurrence.rule as usize]);
        if self.constraints.slots.len() < rule.slots {
            self.constraints.slots.resize(rule.slots, Cell::int(0));
        }
        if resume && occurrence.partners.len() == fixed {
            return Ok(false);
        }
        let mut before = self.heap.unmatched();
        if !self.match_head(id, &occurrence.pattern) {
            return Ok(false);
        }
        if occurrence.keeps_bindings && self.heap.has_bound(before) {
            before = self.keep_bindings(occurrence, before);
        }
        let found = self.search_partners(id, occurrence, &rule, fixed, partners);
        match found {
            Ok(true) => self.constraints.bindings = self.heap.take_bindings(before),
            _ => self.heap.unmatch(before),
        }
        found
    }

    /// Keeps what the active head bound, where partners can be looked for.
    #[cold]
    fn keep_bindings(&mut self, occurrence: &Occurrence, before: Unmatched) -> Unmatched {
        if occurrence.partners.first().is_none_or(|partner| self.has_list(&partner.via)) {
            let bindings = self.heap.take_bindings(before);
            self.heap.bind_all(&bindings);
            return self.heap.unmatched();
        }
        before
    }

    /// The same when the head of the active constraint is matched.
    fn search_partners(
        &mut self,
        id: u32,
        occurrence: &Occurrence,
        rule: &Rule,
        fixed: usize,
        partners: &mut Vec<u32>,
    ) -> Done<bool> {
        let n = occurrence.partners.len();
        if n == 0 {
            return self.passes(id, occurrence, rule, partners);
        }
        let mut cursors = vec![u32::MAX; n];
        // What the heap is before the partner of a level is matched.
        let mut unmatched = vec![self.heap.unmatched(); n];
        let mut level = 0;
        for (i, &partner) in partners.iter().enumerate() {
            if i >= fixed {
                cursors[i] = partner;
                if i + 1 == n {
                    break;
                }
            }
            unmatched[i] = self.heap.unmatched();
            if !self.is_alive(partner) || !self.match_head(partner, &occurrence.partners[i].pattern) {
                if i < fixed {
                    return Ok(false);
                }
                break;
            }
            level += 1;
        }
        partners.truncate(level);
        if level == n {
            return self.passes(id, occurrence, rule, partners);
        }
        unmatched[level] = self.heap.unmatched();
        loop {
            self.heap.unmatch(unmatched[level]);
            let Some(found) = self.candidate(id, &occurrence.partners[level], cursors[level], partners)
            else {
                if level == fixed {
                    return Ok(false);
                }
                level -= 1;
                partners.pop();
                // Values of variables that deeper heads gave are overwritten; those of this one are needed for its
                // key.
                continue;
            };
            cursors[level] = found;
            partners.push(found);
            if level + 1 < n {
                level += 1;
                cursors[level] = u32::MAX;
                unmatched[level] = self.heap.unmatched();
            } else if self.passes(id, occurrence, rule, partners)? {
                return Ok(true);
            } else {
                partners.pop();
            }
        }
    }

    /// Matches a constraint; what this binds is undone where it does not fit.
    pub(super) fn match_head(&mut self, id: u32, pattern: &[Step]) -> bool {
        let term = self.constraints.suspensions[id as usize].term;
        let (start, n) = self.heap.args(term);
        let before = self.heap.unmatched();
        let fits = self.heap.matches(start, n, pattern, &mut self.constraints.slots, &self.db.records);
        if !fits {
            self.heap.unmatch(before);
        }
        fits
    }

    /// The constraint behind `cursor` that fits a head: mostly the youngest one that is older.
    pub(super) fn candidate(
        &mut self,
        id: u32,
        partner: &Partner,
        mut cursor: u32,
        taken: &[u32],
    ) -> Option<u32> {
        let key = partner
            .lookup
            .as_ref()
            .and_then(|(index, columns)| Some((*index, self.lookup_key(partner.symbol, *index, columns)?)));
        let met = self.met(&partner.via);
        loop {
            let table = &self.constraints.tables[partner.symbol as usize];
            let bucket = match key {
                Some((index, key)) => table.indexes[index].get(&key)?,
                None => &table.all,
            };
            let found = bucket.behind(cursor, met)?;
            cursor = found;
            if found != id
                && self.is_alive(found)
                && !taken.contains(&found)
                && self.match_head(found, &partner.pattern)
            {
                return Some(found);
            }
        }
    }

    /// Whether the tests of a guard hold and the rule did not fire for these constraints.
    fn passes(&mut self, id: u32, occurrence: &Occurrence, rule: &Rule, partners: &[u32]) -> Done<bool> {
        if let Guard::Tests(tests) = &rule.guard
            && !self.tests_hold(tests)?
        {
            return Ok(false);
        }
        if !rule.history {
            return Ok(true);
        }
        let (owner, combination) = combination(id, occurrence, rule, partners);
        let history = &self.constraints.suspensions[owner as usize].history;
        Ok(!history.as_ref().is_some_and(|history| history.contains(&combination)))
    }

    /// All constraints in the store: by symbol in the order of declarations, the youngest first.
    pub fn stored(&mut self) -> Vec<Cell> {
        // Their terms, and some lists of them that are made to show them; what is found after a refusal means nothing.
        let lists = 8 * self.constraints.live() * size_of::<Cell>() as u64;
        if !self.heap.meter.ask(lists) {
            return Vec::new();
        }
        let alive: Vec<u32> = self.alive().map(|(_, id)| id).collect();
        let mut shown = Vec::with_capacity(alive.len());
        for id in alive {
            if !self.heap.meter.spend(1) {
                break;
            }
            shown.push(self.shown(id));
        }
        shown
    }

    /// The constraints in the store with their symbols, in the same order.
    pub(crate) fn alive(&self) -> impl Iterator<Item = (usize, u32)> {
        let tables = self.constraints.tables.iter().enumerate();
        let all = tables.flat_map(|(symbol, table)| table.all.ids.iter().rev().map(move |&id| (symbol, id)));
        all.filter(|&(_, id)| self.is_alive(id))
    }

    /// A constraint by the name that its module has for it.
    pub(crate) fn shown(&mut self, id: u32) -> Cell {
        let term = self.constraints.suspensions[id as usize].term;
        let Some((name, arity)) = self.heap.functor(term) else { return term };
        let text = self.db.names.text(name);
        let of_module = text.split_once(':').filter(|(module, name)| {
            !name.is_empty() && self.db.flags.modules.iter().any(|known| **known == **module)
        });
        let Some(plain) = of_module.map(|(_, name)| name.to_string()) else { return term };
        let name = self.db.names.intern(&plain);
        let args: Vec<Cell> = (0..arity).map(|i| self.heap.arg(term, i)).collect();
        if args.is_empty() { Cell::atom(name) } else { self.heap.compound(name, &args) }
    }
}

/// What is remembered of a firing: the youngest constraint, and the rule with all constraints in the order of its
/// heads.
fn combination(id: u32, occurrence: &Occurrence, rule: &Rule, partners: &[u32]) -> (u32, Box<[u32]>) {
    let mut all = vec![0; rule.heads + 1];
    all[0] = occurrence.rule;
    all[occurrence.head + 1] = id;
    for (partner, &other) in occurrence.partners.iter().zip(partners) {
        all[partner.head + 1] = other;
    }
    let owner = all[1..].iter().copied().max().unwrap_or(id);
    (owner, all.into_boxed_slice())
}
