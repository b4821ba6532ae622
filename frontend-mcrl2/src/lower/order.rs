//! The order in which equations are tried: as they are written, but for special cases that stand behind equations whose
//! conditions need not have a value.

use super::*;

impl Lowering {
    /// The equations in the order in which they are tried. One without a condition goes before those of its mapping
    /// right before it that it is a special case of, where their conditions may have no value for it: `f([]) = b`
    /// before
    /// `head(l) == a -> f(l) = c`.
    pub(super) fn in_order<'e>(&self, equations: &'e [Equation]) -> Vec<&'e Equation> {
        let mut order: Vec<&Equation> = Vec::with_capacity(equations.len());
        let mut places: HashMap<usize, Vec<usize>> = HashMap::default();
        for equation in equations {
            let Some(symbol) = symbol_of(&equation.left) else {
                order.push(equation);
                continue;
            };
            let places = places.entry(symbol).or_default();
            let is_behind = |&&place: &&usize| {
                let other = order[place];
                let partial = other.condition.as_ref().is_some_and(|condition| !self.has_value(condition));
                partial && covers(&other.left, &equation.left) && !covers(&equation.left, &other.left)
            };
            let before = match equation.condition {
                Some(_) => None,
                None => places.iter().rev().take_while(is_behind).last().copied(),
            };
            places.push(order.len());
            order.push(equation);
            // The places of a mapping stay; what stands at them moves up by one.
            if let Some(first) = before {
                let moved: Vec<usize> = places.iter().copied().filter(|&place| place >= first).collect();
                for pair in moved.windows(2).rev() {
                    order.swap(pair[0], pair[1]);
                }
            }
        }
        order
    }
}

fn symbol_of(left: &Term) -> Option<usize> {
    match &left.kind {
        Kind::Call(callee, _) | Kind::Value(callee) => Some(callee.symbol),
        Kind::Apply(function, _) => symbol_of(function),
        _ => None,
    }
}

/// Whether a left-hand side matches whatever another one does.
fn covers(general: &Term, special: &Term) -> bool {
    let (mut todo, mut seen) = (vec![(general, special)], HashSet::default());
    while let Some((general, special)) = todo.pop() {
        let matches = match (&general.kind, &special.kind) {
            (Kind::Var(var), _) => {
                if !seen.insert(*var) {
                    return false;
                }
                continue;
            }
            (Kind::Number(a), Kind::Number(b)) => a == b,
            (Kind::Value(a), Kind::Value(b)) => a == b,
            (Kind::Call(a, _), Kind::Call(b, _)) => a == b,
            (Kind::Apply(..), Kind::Apply(..)) => true,
            _ => false,
        };
        let (below, others) = (general.children(), special.children());
        if !matches || below.len() != others.len() {
            return false;
        }
        todo.extend(below.into_iter().zip(others));
    }
    true
}
