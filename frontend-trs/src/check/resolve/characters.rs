//! Characters, texts, and conversions to and from codes.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Const;
use gchr_base::source::Span;

use super::{Meaning, Ready, Resolved, Resolver, Vars};
use crate::ast::Name;
use crate::check::builders::{no_rules, not_matched};
use crate::check::builtin::Named;
use crate::check::builtin::characters::{Built, CHAR, CharFunction};
use crate::check::types::Ty;

impl Resolver<'_, '_> {
    /// The function on characters that a name stands for.
    pub(super) fn char_function(&self, name: Name) -> Option<CharFunction> {
        let text = self.scope.text(name);
        CharFunction::named(text).filter(|_| self.is_free(name, text) && self.is_no_variable(name))
    }

    /// The sort of characters; reports it where there is none.
    fn characters(&mut self, what: &str, span: Span) -> Option<Built> {
        let built = self.scope.characters();
        if built.is_none() && self.scope.characters.is_hidden {
            self.error(
                Diagnostic::error("T0205", "the program has no characters")
                    .label(span, format!("{what} the built-in sort `{CHAR}`"))
                    .note(format!(
                        "the program declares a sort `{CHAR}` of its own, which hides the built-in one"
                    ))
                    .help(format!("rename the declared sort `{CHAR}`")),
            );
        } else if built.is_none()
            && self.number(self.scope.int, "Int", "characters have codes of", span).is_some()
        {
            self.error(no_rules(span));
        }
        built
    }

    /// Hands on a character, but for the symbol that builds it.
    fn code(&mut self, built: Built, c: char, span: Span) -> Meaning {
        let code = Meaning::Known(Resolved::Const(Const::Int(u32::from(c).into())));
        self.waiting.push(Ready { meaning: code, arity: 0, ty: Ty::Sort(built.code), span });
        Meaning::Known(Resolved::App(built.symbol))
    }

    /// `'a'`, whose code is an operand of what this gives.
    pub(super) fn character(&mut self, c: char, span: Span) -> Option<(Meaning, Ty)> {
        let built = self.characters("a literal of", span)?;
        Some((self.code(built, c, span), Ty::Sort(built.sort)))
    }

    /// `"abc"`, whose characters are operands of what this gives.
    pub(super) fn text(&mut self, text: Name, span: Span) -> Option<(Meaning, Ty)> {
        let built = self.characters("a text of", span)?;
        let Some(family) = self.scope.list_family() else {
            self.error(no_rules(span));
            return None;
        };
        let element = Ty::Sort(built.sort);
        for c in self.scope.text(text).chars() {
            let meaning = self.code(built, c, span);
            self.waiting.push(Ready { meaning, arity: 1, ty: element, span });
        }
        Some((Meaning::Elements(element), self.types.apply(family, vec![element])))
    }

    /// A function on characters with the operands from `base` on.
    pub(super) fn call_of_characters(
        &mut self,
        function: CharFunction,
        span: Span,
        base: usize,
    ) -> Option<(Meaning, Ty)> {
        if !self.takes_one(function.name(), "on characters", span, base) {
            return None;
        }
        if matches!(self.vars, Vars::Bind(_)) {
            self.error(not_matched(span));
            return None;
        }
        let built = self.characters("this is for", span)?;
        let Some(symbol) = self.scope.char_function(function, span) else {
            self.error(no_rules(span));
            return None;
        };
        let (arg, result) = match function {
            CharFunction::Code => (built.sort, built.code),
            CharFunction::Char => (built.code, built.sort),
        };
        let operand = self.operands[base];
        if let Some(ty) = operand.ty
            && !self.types.unify(ty, Ty::Sort(arg), &self.scope.families)
        {
            let takes = format!("`{}`", self.scope.sort_name(arg));
            self.wrong_operand(function.name(), &takes, operand);
        }
        Some((Meaning::Known(Resolved::App(symbol)), Ty::Sort(result)))
    }
}
