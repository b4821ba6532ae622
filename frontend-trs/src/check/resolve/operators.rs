//! Operators: the sorts that they take and give.

use super::*;
use crate::check::builtin::{INTEGER, no_truth};

impl Resolver<'_, '_> {
    /// An operator, written `text`, on the operands from `base` on.
    pub(super) fn operation(
        &mut self,
        op: Op,
        text: &str,
        span: Span,
        base: usize,
    ) -> Option<(Resolved, Ty)> {
        // The sort of a test or a conversion does not depend on the operands.
        let fixed = match op.result(&[SortKind::Any]) {
            SortKind::Data => Some(self.truth(span)?),
            SortKind::Int => Some(self.number(self.scope.int, "Int", "the result has", span)?),
            SortKind::Float => Some(self.number(self.scope.float, "Float", "the result has", span)?),
            _ => None,
        };
        let after_error = fixed.map(|sort| (Resolved::Op(op, sort), Ty::Sort(sort)));
        let operands: Vec<Operand> = self.operands[base..].to_vec();
        let Some(types) = operands.iter().map(|operand| operand.ty).collect::<Option<Vec<_>>>() else {
            return after_error;
        };
        let is_open = |types: &Types, ty: &Ty| !types.is_known(*ty);
        if types.iter().any(|ty| is_open(&self.types, ty)) {
            if matches!(self.vars, Vars::Bind(_)) {
                self.error(not_matched(span));
                return after_error;
            }
            if let [a, b] = types[..] {
                self.types.unify(a, b, &self.scope.families);
            }
            if let Some(at) = types.iter().position(|ty| is_open(&self.types, ty)) {
                self.error(unknown_sort(operands[at].span));
                return after_error;
            }
        }
        let mut sorts = Vec::with_capacity(types.len());
        for (&ty, operand) in types.iter().zip(&operands) {
            let Some(sort) = self.sort(ty) else {
                self.error(self.missing(operand.span));
                return after_error;
            };
            sorts.push(sort);
        }
        let wrong = sorts.iter().position(|&sort| !self.takes(op, sort));
        if let Some(wrong) = wrong {
            self.wrong_operand(text, self.operands_of(op), operands[wrong]);
            return after_error;
        }
        if let [left, right] = operands[..]
            && sorts[0] != sorts[1]
        {
            self.different_operands(&format!("the operands of `{text}`"), left, right);
        }
        let op = match op {
            Op::Eq if !self.is_number(sorts[0]) => Op::Same,
            Op::Ne if !self.is_number(sorts[0]) => Op::Differ,
            _ => op,
        };
        Some((Resolved::Op(op, sorts[0]), Ty::Sort(fixed.unwrap_or(sorts[0]))))
    }

    /// The sorts of numbers that an operator takes: integers only where their result has a sort that is known.
    pub(super) fn numbers_of(op: Op) -> [bool; 2] {
        let int = op.result(&[SortKind::Int; 2][..op.arity()]) != SortKind::Any;
        [int, !op.is_integer_only()]
    }

    /// Whether an operator takes operands of a sort.
    pub(super) fn takes(&self, op: Op, sort: SortId) -> bool {
        let [int, float] = Self::numbers_of(op);
        match op.row().operands {
            Operands::Truth => self.scope.truth.is_some_and(|truth| truth.sort == sort),
            _ if matches!(op, Op::Eq | Op::Ne) => true,
            _ => int && Some(sort) == self.scope.int || float && Some(sort) == self.scope.float,
        }
    }

    /// The operands of an operator, in words.
    pub(super) fn operands_of(&self, op: Op) -> &'static str {
        match (op.row().operands, Self::numbers_of(op)) {
            (_, [true, _]) if self.scope.signature.big_integers && op.row().operands != Operands::Truth => {
                match op {
                    Op::Eq | Op::Ne => "operands of one sort",
                    _ => "`Integer`",
                }
            }
            (Operands::Truth, _) => "`Bool`",
            _ if matches!(op, Op::Eq | Op::Ne) => "operands of one sort",
            (_, [true, true]) => "`Int` or `Float`",
            (_, [true, false]) => "`Int`",
            (_, [false, _]) => "`Float`",
        }
    }

    pub(super) fn is_number(&self, sort: SortId) -> bool {
        [self.scope.int, self.scope.float].contains(&Some(sort))
    }

    pub(super) fn truth(&mut self, span: Span) -> Option<SortId> {
        if self.scope.truth.is_none() {
            self.error(no_truth(span));
        }
        self.scope.truth.map(|truth| truth.sort)
    }

    /// The built-in sort of numbers of which something, `what` says, is one.
    pub(super) fn number(
        &mut self,
        sort: Option<SortId>,
        name: &str,
        what: &str,
        span: Span,
    ) -> Option<SortId> {
        if sort.is_none() {
            let found = Diagnostic::error("T0205", "the program has no numbers of this kind")
                .label(span, format!("{what} the built-in sort `{name}`"));
            self.error(match self.scope.signature.big_integers {
                true => found
                    .note(format!("the program uses the sort `{INTEGER}`: it has no other numbers"))
                    .help(format!("compute with integers, or use `Int` in the place of `{INTEGER}`")),
                false => found
                    .note(format!(
                        "the program declares a sort `{name}` of its own, which hides the built-in one"
                    ))
                    .help(format!("rename the declared sort `{name}`, or declare a function of your own")),
            });
        }
        sort
    }

    pub(super) fn wrong_operand(&mut self, op: &str, takes: &str, operand: Operand) {
        let found = operand.ty.map_or("?".into(), |ty| self.shown(ty));
        let help = match (op, found.as_str()) {
            (IF, _) => "compare two terms, or call a function with result `Bool`",
            ("/", "Int" | "Integer") => {
                "integers are divided by `div` (rounded down); its remainder is `mod`"
            }
            ("<" | "<=" | ">" | ">=", "Char") => "compare codes: `code(C) < code(D)`",
            ("<" | "<=" | ">" | ">=", "List(Char)") => "`Before` of `library:strings` compares texts",
            ("|", "Bool") => "truth values are joined by `||`",
            ("&", "Bool") => "truth values are joined by `&&`",
            _ => "declare a function for other sorts and write its equations",
        };
        self.error(
            Diagnostic::error("T0202", format!("`{op}` takes {takes}, found `{found}`"))
                .label(operand.span, format!("this has sort `{found}`"))
                .help(help),
        );
    }

    pub(super) fn shown(&self, ty: Ty) -> String {
        self.types.shown(ty, &self.scope.families, |sort| self.scope.sort_name(sort))
    }

    /// `what`: the operands.
    pub(super) fn different_operands(&mut self, what: &str, left: Operand, right: Operand) {
        let name = |operand: Operand| operand.ty.map_or("?".into(), |ty| self.shown(ty));
        let (a, b) = (name(left), name(right));
        let help = match (a.as_str(), b.as_str()) {
            ("Int", "Float") | ("Float", "Int") => {
                "write literals of sort `Float` with a point, e.g. `1.0`, and `float(N)` for the float of an integer"
            }
            _ => "make both operands terms of one sort",
        };
        let diagnostic = Diagnostic::error("T0202", format!("{what} have different sorts, `{a}` and `{b}`"))
            .label(right.span, format!("this has sort `{b}`"))
            .label(left.span, format!("this has sort `{a}`"))
            .help(help);
        self.error(diagnostic);
    }
}
