//! Conditions of equations, and values of their variables.

use super::*;

impl Generator {
    /// What must be true, and perhaps what must match before and after that.
    pub(super) fn condition(&mut self, f: usize, vars: &mut Vec<Var>) -> String {
        let depth = self.below(4);
        let mut parts = Vec::new();
        if self.chance(20) {
            parts.push(self.matching(f, vars));
        }
        if parts.is_empty() || self.chance(50) {
            let scope = Scope { vars, group: f / 2, counter: None, equation: true };
            let test = self.expr(BOOL, &scope, depth);
            parts.push(if parts.is_empty() { test } else { format!("({test})") });
            if self.chance(12) {
                parts[0] = format!("({})", parts[0]);
                parts.push(self.matching(f, vars));
            }
        }
        format!("{} -> ", parts.join(" && "))
    }

    /// A pattern and a term.
    pub(super) fn matching(&mut self, f: usize, vars: &mut Vec<Var>) -> String {
        let sort = self.any_sort();
        let scope = Scope { vars, group: f / 2, counter: None, equation: true };
        let value = self.bracketed(sort, &scope, 2);
        let known: Vec<Var> = vars.clone();
        let pattern = match self.below(4) {
            0 => self.new_var(sort, false, vars),
            _ => self.pattern(sort, false, false, 2, vars),
        };
        // Parts of the first argument are known from its pattern alone.
        vars.iter_mut()
            .filter(|var| known.iter().all(|k| (k.sort, k.number) != (var.sort, var.number)))
            .for_each(|var| var.part = false);
        format!("{pattern} := {value}")
    }

    /// Values of variables for a right-hand side, and names of such that are declared nowhere, with their sorts.
    pub(super) fn values(&mut self, f: usize, vars: &mut Vec<Var>) -> (String, Vec<(String, usize)>) {
        let (mut texts, mut named, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..1 + self.below(2) {
            let sort = if self.chance(40) { self.functions[f].result } else { self.any_sort() };
            let scope = Scope { vars, group: f / 2, counter: None, equation: true };
            let value = self.expr(sort, &scope, 2);
            let number = vars.iter().filter(|v| v.sort == sort).map(|v| v.number + 1).max().unwrap_or(0);
            let number = number + given.iter().filter(|v: &&Var| v.sort == sort).count();
            if number < VARS && self.chance(60) {
                given.push(Var { number, sort, part: false });
                texts.push(format!("{} = {value}", self.var_name(sort, number)));
            } else {
                named.push((format!("let{i}"), sort));
                texts.push(format!("let{i} = {value}"));
            }
        }
        vars.extend(given);
        (format!(" whr {} end", texts.join(", ")), named)
    }
}
