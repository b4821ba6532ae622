//! Symbols with axioms, and uses of them for all sorts. The result does not depend on the order in which equations find
//! arguments.

use super::*;

/// Equations of what [`DECLARATIONS`] declares.
pub(super) const EQUATIONS: &str = "\
var
  p3, p4: A; h1: Heap(A); k1: Row3(A);
eqn
  mix(one(p3), mix(one(p3), one(p3))) = one(p3);
  has(p3, mix(one(p3), h1)) = True;
  has(p3, h1) = False [owise];
  drop(p3, mix(one(p3), h1)) = drop(p3, h1);
  drop(p3, h1) = h1 [owise];
  only(one(p3), p4) = p3;
  only(h1, p4) = p4 [owise];
  join(link(p3), link(p3)) = link(p3);
  first(join(link(p3), k1)) = p3;
  first(link(p3)) = p3;
  turn(join(link(p3), k1)) = join(turn(k1), link(p3));
  turn(link(p3)) = link(p3);
  meet(p3, p3) = so(p3);
  meet(p3, p4) = no [owise];
";

/// A bag that takes three of a kind together, a list that leaves out neighbours, and a function of two without an
/// order.
pub(super) const DECLARATIONS: &str = "\
sort Heap(A) = struct none | one(A); Row3(A) = struct link(A);
map mix: Heap(A) # Heap(A) -> Heap(A) [assoc comm id: none]; has: A # Heap(A) -> Bool;
  drop: A # Heap(A) -> Heap(A); only: Heap(A) # A -> A;
  join: Row3(A) # Row3(A) -> Row3(A) [assoc]; first: Row3(A) -> A; turn: Row3(A) -> Row3(A);
  meet: A # A -> Opt(A) [comm];
";

impl Generator {
    /// A term of a sort that is made with symbols that have axioms.
    pub(super) fn modulo_axioms(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let [a, b, c] = [0, 1, 2].map(|_| self.expr(sort, scope, depth));
        // A list without elements does not say of which sort these would be.
        if [&a, &b, &c].iter().any(|text| *text == "[]") {
            return a;
        }
        match self.below(if sort == BOOL { 7 } else { 5 }) {
            0 => format!("only(drop({c}, mix(one({a}), one({b}))), {c})"),
            1 => format!("only(mix(mix(one({b}), none), mix(one({a}), one({c}))), {b})"),
            2 => format!("first(turn(join(link({a}), join(link({b}), link({c})))))"),
            3 => format!("first(join(turn(join(link({a}), link({b}))), link({c})))"),
            4 => format!("either(meet({a}, {b}), {c})"),
            5 => format!("has({a}, mix(one({b}), mix(none, one({c}))))"),
            _ => {
                format!("(mix(one({a}), mix(one({b}), one({c}))) == mix(mix(one({c}), one({b})), one({a})))")
            }
        }
    }
}
