//! Properties of programs for programs that read them.

use gchr::Program;
use gchr::base::rule::RuleId;
use gchr::properties::{
    Argument, Cases, Completeness, Confluence, Joining, Order, Outside, Properties, Reason, Side, Step,
    Termination, Verdict,
};
use serde_json::{Value, json};

use super::{place_of, text};

/// One object with a key for each property that was asked for.
pub fn json(program: &Program, known: &Properties) -> Value {
    let out = Out { program };
    let mut all = serde_json::Map::new();
    if let Some(found) = &known.confluence {
        all.insert("confluence".into(), out.confluence(found));
    }
    if let Some(found) = &known.termination {
        all.insert("termination".into(), out.termination(found));
    }
    if let Some(found) = &known.completeness {
        all.insert("completeness".into(), out.completeness(found));
    }
    Value::Object(all)
}

struct Out<'p> {
    program: &'p Program,
}

impl Out<'_> {
    fn rule(&self, rule: RuleId) -> Value {
        let (file, line) = place_of(self.program, rule);
        json!({ "file": file, "line": line })
    }

    fn outside(&self, outside: &[(RuleId, Outside)]) -> Vec<Value> {
        let one = |(rule, why): &(RuleId, Outside)| json!({ "rule": self.rule(*rule), "reason": why.text() });
        outside.iter().map(one).collect()
    }

    fn step(&self, step: &Step) -> Value {
        json!({ "rule": self.rule(step.rule), "place": step.place, "result": step.result })
    }

    fn steps(&self, steps: &[Step]) -> Vec<Value> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn side(&self, side: &Side) -> Value {
        json!({ "steps": self.steps(&side.steps), "normal_form": side.normal })
    }

    fn confluence(&self, found: &Confluence) -> Value {
        let (verdict, reason) = match found.verdict {
            Verdict::Confluent(Reason::Orthogonal) => ("confluent", Some("orthogonal")),
            Verdict::Confluent(Reason::WeaklyOrthogonal) => ("confluent", Some("weakly orthogonal")),
            Verdict::Confluent(Reason::Terminating) => {
                ("confluent", Some("overlaps join, and rewriting ends"))
            }
            Verdict::NotConfluent(_) => ("not confluent", None),
            Verdict::LocallyConfluent => ("locally confluent", None),
            Verdict::Open => ("not shown", None),
            Verdict::NotCovered => ("not covered", None),
        };
        let overlaps: Vec<Value> = found
            .overlaps
            .iter()
            .map(|overlap| {
                json!({
                    "term": overlap.peak,
                    "first": self.step(&overlap.outer),
                    "second": self.step(&overlap.inner),
                    "joining": self.joining(&overlap.joining),
                })
            })
            .collect();
        json!({
            "shown": found.is_shown(),
            "verdict": verdict,
            "reason": reason,
            "left_linear": found.left_linear,
            "overlaps": overlaps,
            "all_overlaps": found.all_overlaps,
            "termination": found.termination.as_ref().map(|found| self.termination(found)),
            "outside": self.outside(&found.outside),
        })
    }

    fn joining(&self, joining: &Joining) -> Value {
        match joining {
            Joining::Equal => json!({ "verdict": "same" }),
            Joining::Joins { outer, inner } => {
                json!({ "verdict": "joins", "first": self.steps(outer), "second": self.steps(inner) })
            }
            Joining::Differs { outer, inner, ground } => json!({
                "verdict": "two normal forms",
                "first": self.side(outer),
                "second": self.side(inner),
                "ground": ground.as_ref().map(|[term, one, other]| json!({ "term": term, "normal_forms": [one, other] })),
            }),
            Joining::Apart(outer, inner) => json!({ "verdict": "never joins", "terms": [outer, inner] }),
            Joining::Open => json!({ "verdict": "not decided" }),
        }
    }

    fn termination(&self, found: &Termination) -> Value {
        let pairs: Vec<Value> = found
            .pairs
            .iter()
            .map(|pair| json!({ "from": pair.from, "to": pair.to, "rule": self.rule(pair.rule) }))
            .collect();
        let components: Vec<Value> = found
            .components
            .iter()
            .map(|component| {
                json!({
                    "pairs": component.pairs,
                    "part_of": component.part_of,
                    "order": component.order.as_ref().map(|order| self.order(order)),
                    "strict": component.strict,
                })
            })
            .collect();
        json!({
            "shown": found.is_shown(),
            "of": if found.any_order { "any order" } else { "innermost" },
            "pairs": pairs,
            "components": components,
            "all_components": found.all_components,
            "outside": self.outside(&found.outside),
        })
    }

    fn order(&self, order: &Order) -> Value {
        let arguments = |all: &[Argument]| -> Vec<Value> {
            all.iter().map(|one| json!({ "function": one.function, "argument": one.argument })).collect()
        };
        match order {
            Order::Subterm(all) => json!({ "kind": "subterm criterion", "arguments": arguments(all) }),
            Order::SizeChange { ways, loops } => {
                let loops: Vec<_> = loops.iter().map(|all| arguments(all)).collect();
                json!({ "kind": "size change", "ways": ways, "loops": loops })
            }
            Order::Polynomial { interpretations, usable } => {
                let values: Vec<String> = interpretations.iter().map(text::shown_interpretation).collect();
                let usable: Vec<Value> = usable.iter().map(|&rule| self.rule(rule)).collect();
                json!({ "kind": "polynomials", "values": values, "usable_rules": usable })
            }
        }
    }

    fn completeness(&self, found: &Completeness) -> Value {
        let functions: Vec<Value> = found
            .functions
            .iter()
            .map(|function| {
                let name = &self.program.rules().signature.symbols[function.symbol].name;
                let (verdict, patterns, more, rules) = match &function.cases {
                    Cases::Complete => ("complete", &[][..], false, &[][..]),
                    Cases::Missing { patterns, more } => ("missing", patterns.as_slice(), *more, &[][..]),
                    Cases::Conditional { patterns, more, rules } => {
                        ("conditional", patterns.as_slice(), *more, rules.as_slice())
                    }
                    Cases::Open => ("not shown", &[][..], false, &[][..]),
                };
                let rules: Vec<Value> = rules.iter().map(|&rule| self.rule(rule)).collect();
                json!({ "function": name, "verdict": verdict, "patterns": patterns, "more": more, "rules": rules })
            })
            .collect();
        json!({ "shown": found.is_shown(), "functions": functions })
    }
}
