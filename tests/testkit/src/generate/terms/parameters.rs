//! Sorts and functions with parameters, and uses of them for all sorts.

use super::*;

/// Equations of what [`Generator::with_parameters`] declares.
pub(super) const EQUATIONS: &str = "\
var
  p1, p2: A; q1: B; o1: Opt(A); b1, b2: Bush(A); w1: Bushes(B);
eqn
  either(no, p1) = p1;
  either(o1, p1) = the(o1);
  swap(two(p1, q1)) = two(q1, p1);
  fst(two(p1, _)) = p1;
  both(p1, p2) = two(p1, p2);
  p1 == p2 -> put(p1, bush(b1, p2, b2)) = bush(b1, p2, b2);
  put(p1, tip) = bush(tip, p1, tip);
  put(p1, bush(b1, p2, b2)) = bush(b2, p2, put(p1, b1));
  root(tip, p1) = p1;
  root(bush(b1, p1, b2), p2) = if(p1 == p2, root(b2, p1), fst(both(p1, root(b1, p2))));
  same(p1, p1) = so(p1);
  two(p2, so(p1)) := two(p1, same(p1, p1)) -> some(p1, p2) = either(so(p2), p1);
  some(p1, p2) = p1 [owise];
  deep(w1, q1) = root(put(so(q1), tip), no) whr c = put(two(q1, so(q1)), w1) end;
";

impl Generator {
    /// Declarations with parameters.
    pub(super) fn with_parameters(&mut self) -> String {
        let recogniser = if self.chance(50) { "?is_no" } else { "" };
        let mut text = format!("sort Opt(A) = struct no{recogniser} | so(the: A);\n");
        text += "  Two(A, B) = struct two(A, B);\n  Bushes(B) = Bush(Two(B, Opt(B)));\nsort Bush(A);\n";
        text += "cons tip: Bush(A); bush: Bush(A) # A # Bush(A) -> Bush(A);\n";
        text += "var A, B: sort;\nmap either: Opt(A) # A -> A; swap: Two(A, B) -> Two(B, A); fst: Two(A, B) -> A;\n";
        text += "  both: A # A -> Two(A, A); put: A # Bush(A) -> Bush(A); root: Bush(A) # A -> A;\n";
        text += "  same: A # A -> Opt(A); some: A # A -> A; deep: Bushes(B) # B -> Opt(B);\n";
        text
    }

    /// A term of a sort that is made with instances for this sort and others.
    pub(super) fn of_instance(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let other = self.any_sort();
        let mut of = |sort: usize| self.expr(sort, scope, depth);
        // A list without elements does not say of which sort these would be.
        let typed = |text: String| if text == "[]" { None } else { Some(text) };
        let (a, b) = (of(sort), of(sort));
        let Some(c) = typed(of(other)) else { return a };
        let Some(a) = typed(a) else { return b };
        match self.below(if sort == BOOL { 12 } else { 10 }) {
            0 => format!("either(so({a}), {b})"),
            1 => format!("either(no, {a})"),
            2 => format!("fst(two({a}, {c}))"),
            3 => format!("fst(swap(two({c}, {a})))"),
            4 => format!("root(put({b}, put({a}, tip)), {a})"),
            5 => format!("the(so({a}))"),
            6 => format!("some({a}, {b})"),
            7 => format!("the(deep(put(two({a}, no), tip), {b}))"),
            8 => format!("fst(fst(two(two({a}, {c}), so({c}))))"),
            9 => format!("either(same({a}, {b}), {a})"),
            10 => format!("(so({c}) == no)"),
            _ => format!("(both({c}, {c}) == swap(both({c}, {c})))"),
        }
    }
}
