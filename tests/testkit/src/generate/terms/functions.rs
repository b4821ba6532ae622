//! Functions as values, and uses of them for all sorts.

use super::*;

/// Equations of what [`DECLARATIONS`] declares.
pub(super) const EQUATIONS: &str = "\
var
  f1: A -> B; f2, f3: A -> A; f4: A # B -> A; p5, p6: A; q2: B; b3, b4: Bush(B);
eqn
  inside(f1, no) = no;
  inside(f1, so(p5)) = so(f1(p5));
  gather(f4, p5, tip) = p5;
  gather(f4, p5, bush(b3, q2, b4)) = gather(f4, f4(gather(f4, p5, b3), q2), b4);
  after(f2, f3) = lambda x': A. f2(f3(x'));
  always(p5) = lambda x': B. p5;
  f2(p5) == p6 -> given(f2, p5, p6) = p6;
  given(f2, p5, p6) = after(f2, f2)(p5);
  flip(f4) = lambda x': B, y': A. f4(y', x');
";

/// What takes and gives functions.
pub(super) const DECLARATIONS: &str = "\
sort Endo(A) = A -> A;
map inside: (A -> B) # Opt(A) -> Opt(B); gather: (A # B -> A) # A # Bush(B) -> A;
  after: Endo(A) # (A -> A) -> Endo(A); always: A -> (B -> A); given: Endo(A) # A # A -> A;
  flip: (A # B -> A) -> (B # A -> A);
";

impl Generator {
    /// A term of a sort that is made with functions on this sort and others.
    pub(super) fn with_functions(&mut self, sort: usize, scope: &Scope<'_>, depth: usize) -> String {
        let other = self.any_sort();
        let (a, b) = (self.expr(sort, scope, depth), self.expr(sort, scope, depth));
        let c = self.expr(other, scope, depth);
        // A list without elements does not say of which sort these would be.
        if [&a, &b, &c].iter().any(|text| *text == "[]") {
            return b;
        }
        let (of, to) = (self.sorts[other], self.sorts[sort]);
        let own = format!("lambda x_{depth}: {to}. if(x_{depth} == {a}, {b}, x_{depth})");
        match self.below(if sort == N { 10 } else { 8 }) {
            0 => format!("the(inside(lambda x_{depth}: {of}. {a}, so({c})))"),
            1 => format!("after({own}, {own})({a})"),
            2 => format!("always({a})({c})"),
            3 => format!("given({own}, {a}, {b})"),
            4 => format!("gather(lambda x_{depth}: {to}, y_{depth}: {of}. {a}, {b}, put({c}, tip))"),
            5 => format!("({own})({a})"),
            6 => format!("flip(lambda x_{depth}: {to}, y_{depth}: {of}. x_{depth})({c}, {a})"),
            7 => format!("fst(two({a}, {own}))"),
            8 => format!("the(inside(S, so({a})))"),
            _ => format!("given(after(P, S), {a}, {b})"),
        }
    }
}
