//! Properties of programs as people read them.

use std::fmt::Write as _;

use gchr::Program;
use gchr::base::rule::RuleId;
use gchr::properties::{
    Argument, Cases, Completeness, Component, Confluence, Interpretation, Joining, Order, Outside, Overlap,
    Properties, Reason, Side, Step, Termination, Verdict,
};

use super::place_of;

/// Most overlaps, and most lines of a file, that are shown.
const MOST: usize = 100;

/// What is known of a program, one paragraph a property.
pub fn text(file: &str, program: &Program, known: &Properties) -> String {
    let mut out = Out { text: format!("{file}\n"), program };
    if let Some(confluence) = &known.confluence {
        out.confluence(confluence);
    }
    if let Some(termination) = &known.termination {
        out.termination(termination);
    }
    if let Some(completeness) = &known.completeness {
        out.completeness(completeness);
    }
    out.text
}

struct Out<'p> {
    text: String,
    program: &'p Program,
}

impl Out<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    /// `line 7`, with the file where that is another one than the program's.
    fn rule(&self, rule: RuleId) -> String {
        self.rules(&[rule])
    }

    /// `lines 7, 9; (the library of Maude), line 3`: many rules may be of one line.
    fn rules(&self, rules: &[RuleId]) -> String {
        let mut files: Vec<(&str, Vec<usize>)> = Vec::new();
        for (file, line) in rules.iter().map(|&rule| place_of(self.program, rule)) {
            match files.iter_mut().find(|(known, _)| *known == file) {
                Some((_, lines)) => lines.push(line),
                None => files.push((file, vec![line])),
            }
        }
        let own = self.program.sources().iter().next().map(|(_, source)| source.name.as_str());
        let of_file = |(file, mut lines): (&str, Vec<usize>)| {
            lines.sort_unstable();
            lines.dedup();
            let shown: Vec<String> = lines.iter().take(MOST).map(usize::to_string).collect();
            let more = lines.len().saturating_sub(MOST);
            let place = if own == Some(file) { String::new() } else { format!("{file}, ") };
            let end = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{place}line{} {}{end}", if lines.len() > 1 { "s" } else { "" }, shown.join(", "))
        };
        files.into_iter().map(of_file).collect::<Vec<_>>().join("; ")
    }

    fn outside(&mut self, outside: &[(RuleId, Outside)]) {
        for why in [Outside::Condition, Outside::Operator, Outside::Large] {
            let rules: Vec<RuleId> =
                outside.iter().filter(|(_, own)| *own == why).map(|(rule, _)| *rule).collect();
            if !rules.is_empty() {
                let rules = self.rules(&rules);
                self.line(1, &format!("{}: {rules}", why.text()));
            }
        }
    }

    fn confluence(&mut self, found: &Confluence) {
        let verdict = match found.verdict {
            Verdict::Confluent(Reason::Orthogonal) => {
                "confluent: no left-hand sides overlap, and none has a variable twice (orthogonal)".to_string()
            }
            Verdict::Confluent(Reason::WeaklyOrthogonal) => {
                "confluent: both ends of each overlap are one term, and no left-hand side has a variable twice \
                (weakly orthogonal)"
                    .to_string()
            }
            Verdict::Confluent(Reason::Terminating) => {
                "confluent: each overlap joins, and rewriting ends (Newman's lemma)".to_string()
            }
            Verdict::NotConfluent(at) => format!("not confluent: overlap {} has two results", at + 1),
            Verdict::LocallyConfluent if found.overlaps.is_empty() => {
                "not shown: there are no overlaps, but a left-hand side has a variable twice, and it is not \
                shown that rewriting ends"
                    .to_string()
            }
            Verdict::LocallyConfluent => {
                "not shown: each overlap joins (locally confluent), but it is not shown that rewriting ends"
                    .to_string()
            }
            Verdict::Open if found.all_overlaps => {
                "not shown: an overlap is not decided within the bounds of the search".to_string()
            }
            Verdict::Open => "not shown: there are too many overlaps to look at".to_string(),
            Verdict::NotCovered => "not covered: some rules are more than rules between terms".to_string(),
        };
        self.line(0, &format!("confluence of the rules in any order: {verdict}"));
        self.outside(&found.outside);
        for (number, overlap) in (1..).zip(found.overlaps.iter().take(MOST)) {
            self.overlap(number, overlap);
        }
        if let Some(more) = found.overlaps.len().checked_sub(MOST).filter(|&more| more > 0) {
            self.line(1, &format!("and {more} overlaps more"));
        }
        if let Some(termination) = &found.termination {
            self.line(1, "what is known of its end:");
            self.termination(termination);
        }
    }

    fn overlap(&mut self, number: usize, overlap: &Overlap) {
        self.line(1, &format!("overlap {number}: {}", overlap.peak));
        self.step(2, &overlap.outer);
        self.step(2, &overlap.inner);
        match &overlap.joining {
            Joining::Equal => self.line(2, "is the same both times"),
            Joining::Joins { outer, inner } => {
                self.line(2, "joins");
                self.way("the first", outer);
                self.way("the second", inner);
            }
            Joining::Differs { outer, inner, ground } => {
                self.line(2, "has two normal forms");
                self.side("the first", outer);
                self.side("the second", inner);
                match ground {
                    Some([term, one, other]) => {
                        self.line(3, &format!("without variables: {term} gives {one} and {other}"));
                    }
                    None => self.line(3, "no term without variables was found that shows it"),
                }
            }
            Joining::Apart(outer, inner) => self.line(
                2,
                &format!("never joins: {outer} terms come from the first, {inner} from the second, and none from both"),
            ),
            Joining::Open => self.line(2, "is not decided"),
        }
    }

    fn side(&mut self, which: &str, side: &Side) {
        self.line(3, &format!("{which} leads to {}", side.normal));
        side.steps.iter().for_each(|step| self.step(4, step));
    }

    fn way(&mut self, which: &str, steps: &[Step]) {
        match steps.last() {
            None => self.line(3, &format!("{which} stays")),
            Some(last) => {
                self.line(3, &format!("{which} leads to {}", last.result));
                steps.iter().for_each(|step| self.step(4, step));
            }
        }
    }

    fn step(&mut self, depth: usize, step: &Step) {
        let rule = self.rule(step.rule);
        let place: Vec<String> = step.place.iter().map(u32::to_string).collect();
        let at = if place.is_empty() { String::new() } else { format!(" at {}", place.join(".")) };
        self.line(depth, &format!("-> {}   by {rule}{at}", step.result));
    }

    fn termination(&mut self, found: &Termination) {
        let what = if found.any_order { "in any order" } else { "innermost" };
        let verdict = if found.is_shown() {
            "ends".to_string()
        } else {
            let open = found.components.iter().filter(|component| component.order.is_none()).count();
            match open {
                0 => "not shown: the rules are too large or too many".to_string(),
                1 => "not shown: one component resists".to_string(),
                n => format!("not shown: {n} components resist"),
            }
        };
        self.line(0, &format!("termination of rewriting {what}: {verdict}"));
        self.outside(&found.outside);
        if found.is_shown() && found.components.is_empty() {
            self.line(1, "no function calls itself, directly or through others");
        }
        for (number, component) in (1..).zip(&found.components) {
            self.component(number, component, found);
        }
    }

    fn component(&mut self, number: usize, component: &Component, found: &Termination) {
        let part = match component.part_of {
            Some(of) => format!(", left of component {}", of + 1),
            None => String::new(),
        };
        self.line(1, &format!("component {number}{part}"));
        for &pair in &component.pairs {
            let own = &found.pairs[pair];
            let rule = self.rule(own.rule);
            let strict = if component.strict.contains(&pair) { " (gets smaller)" } else { "" };
            self.line(2, &format!("{} -> {}   {rule}{strict}", own.from, own.to));
        }
        match &component.order {
            None => self.line(2, "resists: no order was found"),
            Some(Order::Subterm(arguments)) => {
                self.line(2, &format!("subterm criterion: {}", shown_arguments(arguments, ", ")));
            }
            Some(Order::SizeChange { ways, loops }) => {
                self.line(2, &format!("size change: {ways} ways; what repeats makes smaller:"));
                loops.iter().for_each(|arguments| self.line(3, &shown_arguments(arguments, " and ")));
            }
            Some(Order::Polynomial { interpretations, usable }) => {
                self.line(2, "values, numbers and other constants being 0:");
                interpretations.iter().for_each(|own| self.line(3, &shown_interpretation(own)));
                if !usable.is_empty() {
                    let rules = self.rules(usable);
                    self.line(3, &format!("usable rules, none of which makes them larger: {rules}"));
                }
            }
        }
    }

    fn completeness(&mut self, found: &Completeness) {
        let open = found.functions.iter().filter(|function| function.cases != Cases::Complete).count();
        let verdict = match (open, found.functions.len()) {
            (0, _) => "each function has a rule for all arguments".to_string(),
            (open, all) => format!("not shown: of {open} of {all} functions"),
        };
        self.line(0, &format!("completeness for terms of constructors: {verdict}"));
        for function in &found.functions {
            let name = &self.program.rules().signature.symbols[function.symbol].name;
            match &function.cases {
                Cases::Complete => {}
                Cases::Missing { patterns, more } => {
                    self.line(1, &format!("{name} has no rule for"));
                    self.patterns(patterns, *more);
                }
                Cases::Conditional { patterns, more, rules } => {
                    let rules = self.rules(rules);
                    self.line(
                        1,
                        &format!(
                            "{name} has rules that apply only if conditions or equalities hold ({rules}) for"
                        ),
                    );
                    self.patterns(patterns, *more);
                }
                Cases::Open => {
                    self.line(1, &format!("{name} is not decided within the bounds of the search"))
                }
            }
        }
    }

    fn patterns(&mut self, patterns: &[String], more: bool) {
        patterns.iter().for_each(|pattern| self.line(2, pattern));
        if more {
            self.line(2, "and more");
        }
    }
}

fn shown_arguments(arguments: &[Argument], between: &str) -> String {
    let shown = arguments.iter().map(|one| format!("argument {} of {}", one.argument, one.function));
    shown.collect::<Vec<_>>().join(between)
}

/// `f(x1, x2) = x1 + 2 * x2 + 1`.
pub(super) fn shown_interpretation(own: &Interpretation) -> String {
    let names: Vec<String> = (1..=own.coefficients.len()).map(|at| format!("x{at}")).collect();
    let mut sum: Vec<String> = names
        .iter()
        .zip(&own.coefficients)
        .filter(|(_, coefficient)| **coefficient > 0)
        .map(|(name, coefficient)| match coefficient {
            1 => name.clone(),
            more => format!("{more} * {name}"),
        })
        .collect();
    if own.constant > 0 || sum.is_empty() {
        sum.push(own.constant.to_string());
    }
    let args = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
    format!("{}{args} = {}", own.symbol, sum.join(" + "))
}
