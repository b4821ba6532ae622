//! Applications of declared symbols and of built-in functions.

use super::*;

impl Resolver<'_, '_> {
    pub(super) fn application(&mut self, name: Name, span: Span, base: usize) -> Option<(Meaning, Ty)> {
        let known = |(resolved, ty)| (Meaning::Known(resolved), ty);
        // An application starts with its name.
        let span = self.start(name, span);
        let Some(symbol) = self.scope.symbol(name) else {
            if let Some(op) = self.function(name) {
                return self.call(op, name, span, base).map(known);
            }
            if self.is_free(name, IF) {
                return self.choice(span, base).map(known);
            }
            self.unknown(name, span);
            return None;
        };
        let declared = &self.scope.signature.symbols[symbol];
        let (result, found) = (declared.result, self.operands.len() - base);
        let fits = declared.args.len() == found;
        if !fits {
            self.wrong_arity(symbol, found, span);
        }
        let count = self.scope.families.parameters_of(symbol).len();
        let first = self.types.opens(count);
        if self.is_head {
            let own = self.scope.families.parameters_of(symbol).iter().enumerate();
            own.for_each(|(at, &parameter)| self.types.give(first + at, Ty::Sort(parameter)));
        }
        if fits {
            // Large sorts are not looked through for the parameter that they stand for.
            (0..found).for_each(|i| self.whole_argument(symbol, i, base, first));
            (0..found).for_each(|i| self.argument(symbol, i, base, first));
        }
        if count == 0 {
            return Some((Meaning::Known(Resolved::App(symbol)), Ty::Sort(result)));
        }
        let ty =
            self.types.shape(result, self.scope.families.parameters_of(symbol), first, &self.scope.families);
        Some((Meaning::Instance { symbol, first }, ty))
    }

    /// Gives a parameter of a symbol the sort of an argument that has it alone, where that is made of unknown ones.
    fn whole_argument(&mut self, symbol: SymbolId, i: usize, base: usize, first: usize) {
        let sort = self.scope.signature.symbols[symbol].args[i];
        let parameters = self.scope.families.parameters_of(symbol);
        if let (Some(at), Some(ty)) =
            (parameters.iter().position(|&parameter| parameter == sort), self.operands[base + i].ty)
            && self.types.is_applied(ty)
        {
            self.types.give(first + at, ty);
        }
    }

    /// The built-in function of a name.
    pub(super) fn function(&self, name: Name) -> Option<Op> {
        let text = self.scope.text(name);
        Op::term_function(text).filter(|_| self.is_free(name, text))
    }

    /// `if` on the operands from `base` on.
    pub(super) fn choice(&mut self, span: Span, base: usize) -> Option<(Resolved, Ty)> {
        let operands: Vec<Operand> = self.operands[base..].to_vec();
        let [test, yes, no] = operands[..] else {
            let found = count(operands.len());
            self.error(
                Diagnostic::error("T0103", format!("`{IF}` takes 3 arguments, found {found}"))
                    .label(span, format!("{found} here"))
                    .help(format!("write it as `{IF}(C, X, Y)`, or declare a symbol `{IF}`")),
            );
            return None;
        };
        if matches!(self.vars, Vars::Bind(_)) {
            self.error(not_matched(span));
            return None;
        }
        let truth = self.truth(span)?;
        if let Some(ty) = test.ty
            && !self.types.unify(ty, Ty::Sort(truth), &self.scope.families)
        {
            self.wrong_operand(IF, "a condition of sort `Bool`", test);
        }
        let (Some(a), Some(b)) = (yes.ty, no.ty) else {
            return yes.ty.or(no.ty).map(|ty| (Resolved::Choice, ty));
        };
        if !self.types.unify(a, b, &self.scope.families) {
            self.different_operands(&format!("the branches of `{IF}`"), yes, no);
        }
        Some((Resolved::Choice, a))
    }

    /// A built-in function on the operands from `base` on.
    pub(super) fn call(&mut self, op: Op, name: Name, span: Span, base: usize) -> Option<(Resolved, Ty)> {
        let text = self.scope.text(name);
        let found = self.operands.len() - base;
        if found == op.arity() {
            return self.operation(op, text, span, base);
        }
        let form = ["X", "X, Y"][op.arity() - 1];
        self.error(
            Diagnostic::error(
                "T0103",
                format!("`{text}` takes {}, found {}", count(op.arity()), count(found)),
            )
            .label(span, format!("{} here", count(found)))
            .note(format!("`{text}` is a built-in function on {}", self.operands_of(op)))
            .help(format!("write it as `{text}({form})`, or declare a symbol `{text}`")),
        );
        None
    }

    /// `first`: the open sorts that stand for the parameters of the symbol.
    fn argument(&mut self, symbol: SymbolId, i: usize, base: usize, first: usize) {
        let operand = self.operands[base + i];
        let (families, parameters) = (&self.scope.families, self.scope.families.parameters_of(symbol));
        let symbol = &self.scope.signature.symbols[symbol];
        let expected = self.types.shape(symbol.args[i], parameters, first, families);
        let Some(found) = operand.ty.filter(|&found| !self.types.unify(found, expected, families)) else {
            return;
        };
        let (expected, found) = (self.shown(expected), self.shown(found));
        let mut diagnostic =
            Diagnostic::error("T0201", format!("expected sort `{expected}`, found `{found}`"))
                .label(operand.span, format!("this has sort `{found}`"));
        if let Some(declared) = symbol.span {
            diagnostic = diagnostic
                .label(declared, format!("argument {} of `{}` has sort `{expected}`", i + 1, symbol.name));
        }
        let help = match (expected.as_str(), found.as_str()) {
            ("Float", "Int") => "write the number with a point, e.g. `1.0`".to_string(),
            _ => format!(
                "put a term of sort `{expected}` here, or change the declaration of `{}`",
                symbol.name
            ),
        };
        self.error(diagnostic.help(help));
    }

    pub(super) fn wrong_arity(&mut self, symbol: SymbolId, found: usize, span: Span) {
        let symbol = &self.scope.signature.symbols[symbol];
        let sorts: Vec<_> = symbol.args.iter().map(|&sort| self.scope.sort_name(sort)).collect();
        let form = match sorts.as_slice() {
            [] => symbol.name.clone(),
            sorts => format!("{}({})", symbol.name, sorts.join(", ")),
        };
        let mut diagnostic = Diagnostic::error(
            "T0103",
            format!("`{}` takes {}, found {}", symbol.name, count(symbol.args.len()), count(found)),
        )
        .label(span, format!("{} here", count(found)));
        if let Some(declared) = symbol.span {
            diagnostic = diagnostic.label(declared, "declared here");
        }
        self.error(diagnostic.help(format!("write it as `{form}`")));
    }

    pub(super) fn unknown(&mut self, name: Name, span: Span) {
        self.failed = true;
        if !self.reporter.first_report(name) {
            return;
        }
        let text = self.scope.text(name);
        if let Some(variable) = self.scope.variable(name) {
            let diagnostic = Diagnostic::error("T0103", format!("variable `{text}` takes no arguments"))
                .label(span, "applied to arguments")
                .label(variable.ident.span, "declared here")
                .help(format!("write `{text}` alone, or declare a symbol `{text}`"));
            return self.error(diagnostic);
        }
        // With its one letter replaced, a name is another one.
        let suggests = self.reporter.suggests() && text.len() > 1;
        let near = if suggests { self.scope.nearest_term(text) } else { None };
        let (what, place) = match self.vars {
            Vars::None => ("symbol", "a `struct` or a `map` section"),
            _ => ("symbol or variable", "a `struct`, a `map` or, before its equations, a `var` section"),
        };
        let help = match near {
            _ if text == WILD => "`_` is a pattern, not a symbol with arguments".to_string(),
            _ if self.scope.is_variable_somewhere(name) => {
                format!("move the `var` section that declares `{text}` before the equations that use it")
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare `{text}` in {place}"),
        };
        let diagnostic = Diagnostic::error("T0102", format!("unknown {what} `{text}`"))
            .label(span, "not declared")
            .help(help);
        self.error(diagnostic);
    }

    pub(super) fn power(&mut self, name: Name, count: u32, span: Span, base: usize) -> Option<(Meaning, Ty)> {
        let is_built_in = self.function(name).is_some()
            || self.is_free(name, IF)
            || self.list_function(name).is_some()
            || self.char_function(name).is_some();
        if is_built_in {
            let text = self.scope.text(name);
            self.error(
                Diagnostic::error("T0206", format!("the built-in function `{text}` cannot be repeated"))
                    .label(span, "only declared symbols are repeated")
                    .help(format!(
                        "write `{text}(...)` as often as it is needed, or declare a function that repeats it"
                    )),
            );
            return None;
        }
        let (meaning, ty) = self.application(name, span, base)?;
        let symbol = self.scope.symbol(name)?;
        let declared = &self.scope.signature.symbols[symbol];
        let result = declared.result;
        if declared.args.len() == 1 && declared.args[0] != result {
            let (arg, result) = (self.scope.sort_name(declared.args[0]), self.scope.sort_name(result));
            let text = &declared.name;
            self.error(
                Diagnostic::error("T0206", format!("`{text}` cannot be applied to itself"))
                    .label(span, format!("`{text}` takes a `{arg}` and gives a `{result}`"))
                    .help("only a unary symbol whose argument and result have the same sort can be repeated"),
            );
        }
        Some(match meaning {
            Meaning::Instance { symbol, first } => (Meaning::Repeat { symbol, first, count }, ty),
            _ => (Meaning::Known(Resolved::Repeat(symbol, count)), ty),
        })
    }
}
