//! Constructs of constraint programs.

use gchr_base::op::Op;
use gchr_base::rule::Program;
use gchr_chr::ast::{Arrow, ClauseKind, Module, Rule, TermId, TermKind};

use super::rules;

/// Built-in goals that are no operators, as `name/arity`, and whether guards have them.
const GOALS: [(&str, bool); 15] = [
    ("true/0", true),
    ("fail/0", true),
    ("false/0", true),
    ("is/2", true),
    ("=/2", true),
    ("\\=/2", true),
    ("var/1", true),
    ("nonvar/1", true),
    ("ground/1", true),
    ("write/1", false),
    ("writeln/1", false),
    ("print/1", false),
    ("writeq/1", false),
    ("format/1", false),
    ("format/2", false),
];
const DIRECTIVES: [&str; 8] = [
    "chr_constraint",
    "constraints",
    "chr_type",
    "chr_option",
    "use_module",
    "module",
    "dynamic",
    "set_prolog_flag",
];
const TYPES: [&str; 12] = [
    "int",
    "dense_int",
    "natural",
    "float",
    "atom",
    "string",
    "number",
    "any",
    "weight",
    "color",
    "tree",
    "list",
];
const TERMS: [&str; 10] = [
    "a variable",
    "_",
    "an integer",
    "a float",
    "an atom",
    "[]",
    "a string",
    "a compound term",
    "a list",
    "a list with a tail",
];
/// Ways of writing a token, and what shows them in a text.
const TOKENS: [(&str, &str); 18] = [
    ("integer 0x1F", "0x1F"),
    ("integer 0o17", "0o17"),
    ("integer 0b101", "0b101"),
    ("integer 16'FF", "16'FF"),
    ("integer 0'a", "0'a"),
    ("integer 0'\\n", "0'\\n"),
    ("integer 1_000", "1_000"),
    ("float 1e5", "1e5"),
    ("string \"..\"", "\""),
    ("escape \\n", "\\n"),
    ("escape \\x41\\", "\\x41\\"),
    ("escape \\u0041", "\\u0041"),
    ("codes `..`", "`"),
    ("quoted atom", "'hello world'"),
    ("braces", "{a}"),
    ("comment %", "% "),
    ("comment /* */", "/*"),
    ("unknown pragma", "already_in_heads"),
];

/// All constructs.
pub fn all() -> Vec<String> {
    let mut all: Vec<String> = TOKENS.iter().map(|(name, _)| format!("token: {name}")).collect();
    all.extend(DIRECTIVES.map(|name| format!("directive {name}")));
    all.extend(TYPES.map(|name| format!("column of type {name}")));
    all.extend(["column without a type", "mode +", "mode ?", "mode -", "no mode"].map(String::from));
    all.extend(
        ["declared as name/arity", "declared without columns", "type by alternatives", "type by another"]
            .map(String::from),
    );
    all.extend(
        ["several directives in a clause", "several queries", "rule name", "quoted rule name"]
            .map(String::from),
    );
    for kind in ["simplification", "simpagation", "propagation"] {
        all.extend(["with", "without"].map(|guard| format!("{kind} {guard} a guard")));
        all.extend(
            (1..=4).filter(|n| kind != "simpagation" || *n > 1).map(|n| format!("{kind} of {n} heads")),
        );
    }
    all.extend(["head # passive", "head # Id", "pragma passive", "pragma unknown"].map(String::from));
    for place in ["head", "body", "query"] {
        all.extend(TERMS.map(|t| format!("{place}: {t}")));
    }
    all.retain(|name| !["query: _", "body: _"].contains(&name.as_str()));
    all.extend(
        ["repeated variable", "repeated variable in a head", "variable in two heads"].map(String::from),
    );
    let tests = Op::ALL
        .iter()
        .filter(|op| op.is_test())
        .flat_map(|op| op.row().constraints.iter().map(move |name| (format!("{name}/{}", op.arity()), true)));
    for (goal, guards) in GOALS.iter().map(|&(name, g)| (name.to_string(), g)).chain(tests) {
        all.push(if guards { format!("guard goal {goal}") } else { format!("body goal {goal}") });
    }
    all.push("body goal nl/0".into());
    let functions = Op::ALL.iter().filter(|op| !op.is_test()).flat_map(|op| {
        op.row().constraints.iter().map(move |name| format!("function {name}/{}", op.arity()))
    });
    all.extend(functions);
    all.extend(["^/2", "+/1", "pi/0", "e/0", "epsilon/0"].map(|name| format!("function {name}")));
    all.extend(rules::of_constraints());
    all
}

/// The constructs that a program uses: its text, its tree, its rules.
pub fn used(text: &str, module: &Module, program: &Program) -> Vec<String> {
    let mut walk = Walk { module, found: rules::used(program) };
    let tokens = TOKENS.iter().filter(|(_, shown)| text.contains(shown));
    walk.found.extend(tokens.map(|(name, _)| format!("token: {name}")));
    let mut queries = 0;
    for clause in &module.clauses {
        match &clause.kind {
            ClauseKind::Directive(id) => {
                let all = module.members(*id, ",");
                if all.len() > 1 {
                    walk.say("several directives in a clause");
                }
                all.into_iter().for_each(|d| walk.directive(d));
            }
            ClauseKind::Rule(rule) => walk.rule(rule),
            ClauseKind::Query(goals) => {
                queries += 1;
                goals.iter().for_each(|&g| walk.goal(g, "query"));
            }
            ClauseKind::Prolog(_) => walk.say("a clause of Prolog"),
        }
    }
    if queries > 1 {
        walk.say("several queries");
    }
    walk.found
}

struct Walk<'m> {
    module: &'m Module,
    found: Vec<String>,
}

impl Walk<'_> {
    fn say(&mut self, construct: &str) {
        self.found.push(construct.into());
    }

    fn directive(&mut self, id: TermId) {
        let module = self.module;
        let Some((name, args)) = module.functor(id) else { return };
        self.say(&format!("directive {name}"));
        match (name, args) {
            ("chr_constraint" | "constraints", args) => {
                args.iter().flat_map(|&a| module.members(a, ",")).for_each(|c| self.declared(c));
            }
            ("chr_type", &[definition]) => {
                let alternatives = module.binary(definition, "--->").is_some();
                self.say(if alternatives { "type by alternatives" } else { "type by another" });
            }
            _ => {}
        }
    }

    fn declared(&mut self, id: TermId) {
        let module = self.module;
        if module.binary(id, "/").is_some() {
            return self.say("declared as name/arity");
        }
        let Some((_, args)) = module.functor(id) else { return };
        if args.is_empty() {
            self.say("declared without columns");
        }
        for &column in args {
            let (mode, ty) = match module.functor(column) {
                Some((mode @ ("+" | "-" | "?"), &[ty])) => (format!("mode {mode}"), module.functor(ty)),
                Some((mode @ ("+" | "-" | "?"), [])) => (format!("mode {mode}"), None),
                ty => ("no mode".into(), ty),
            };
            self.say(&mode);
            match ty {
                Some((name, _)) => self.say(&format!("column of type {name}")),
                None => self.say("column without a type"),
            }
        }
    }

    fn rule(&mut self, rule: &Rule) {
        let kind = match (rule.arrow, rule.kept.is_empty()) {
            (Arrow::Simplify, true) => "simplification",
            (Arrow::Simplify, false) => "simpagation",
            (Arrow::Propagate, _) => "propagation",
        };
        let guard = if rule.guard.is_empty() { "without" } else { "with" };
        self.say(&format!("{kind} {guard} a guard"));
        self.say(&format!("{kind} of {} heads", rule.kept.len() + rule.removed.len()));
        if let Some(TermKind::Atom(name)) = rule.name.map(|name| self.module.kind(name)) {
            self.say(if name.contains(' ') { "quoted rule name" } else { "rule name" });
        }
        for &pragma in &rule.pragmas {
            let passive = matches!(self.module.functor(pragma), Some(("passive", [_])));
            self.say(if passive { "pragma passive" } else { "pragma unknown" });
        }
        let mut before: Vec<String> = Vec::new();
        for &head in rule.kept.iter().chain(&rule.removed) {
            let head = self.head(head);
            let vars = self.variables(head);
            if vars.iter().any(|v| before.contains(v)) {
                self.say("variable in two heads");
            }
            let again = vars.iter().enumerate().any(|(i, v)| vars[..i].contains(v));
            if again {
                self.say("repeated variable in a head");
                self.say("repeated variable");
            }
            before.extend(vars);
            self.terms(head, "head", true);
        }
        rule.guard.iter().for_each(|&g| self.goal(g, "guard"));
        rule.body.iter().for_each(|&g| self.goal(g, "body"));
    }

    /// A head without its mark.
    fn head(&mut self, id: TermId) -> TermId {
        let Some((head, mark)) = self.module.binary(id, "#") else { return id };
        let name = matches!(self.module.kind(mark), TermKind::Var(_));
        self.say(if name { "head # Id" } else { "head # passive" });
        head
    }

    fn variables(&self, id: TermId) -> Vec<String> {
        let mut found = Vec::new();
        self.each(id, &mut |kind| {
            if let TermKind::Var(name) = kind
                && name != "_"
            {
                found.push(name.clone());
            }
        });
        found
    }

    fn each(&self, id: TermId, see: &mut dyn FnMut(&TermKind)) {
        let kind = self.module.kind(id);
        see(kind);
        match kind {
            TermKind::Compound { args, .. } => args.iter().for_each(|&a| self.each(a, see)),
            TermKind::List { items, tail } => items.iter().chain(tail).for_each(|&a| self.each(a, see)),
            TermKind::Var(_)
            | TermKind::Int(_)
            | TermKind::Big(_)
            | TermKind::Rational(_)
            | TermKind::Float(_)
            | TermKind::Atom(_)
            | TermKind::Str(_) => {}
        }
    }

    fn goal(&mut self, id: TermId, place: &str) {
        let Some((name, args)) = self.module.functor(id) else { return };
        let place_of_goal = if place == "guard" { "guard" } else { "body" };
        self.say(&format!("{place_of_goal} goal {name}/{}", args.len()));
        match (name, args) {
            ("is", &[_, right]) => self.functions(right),
            ("=:=" | "=\\=" | "<" | "=<" | ">" | ">=", &[left, right]) => {
                self.functions(left);
                self.functions(right);
            }
            _ if place != "guard" => self.terms(id, place, true),
            _ => {}
        }
    }

    fn functions(&mut self, id: TermId) {
        match self.module.kind(id) {
            TermKind::Atom(name) => self.say(&format!("function {name}/0")),
            TermKind::Compound { name, args } => {
                self.say(&format!("function {name}/{}", args.len()));
                args.iter().for_each(|&a| self.functions(a));
            }
            TermKind::List { items, .. } => items.iter().for_each(|&i| self.functions(i)),
            TermKind::Var(_)
            | TermKind::Int(_)
            | TermKind::Big(_)
            | TermKind::Rational(_)
            | TermKind::Float(_)
            | TermKind::Str(_) => {}
        }
    }

    fn terms(&mut self, id: TermId, place: &str, root: bool) {
        let module = self.module;
        let name = match module.kind(id) {
            TermKind::Var(name) if name == "_" => "_",
            TermKind::Var(_) => "a variable",
            TermKind::Int(_) | TermKind::Big(_) => "an integer",
            TermKind::Rational(_) => "a rational number",
            TermKind::Float(_) => "a float",
            TermKind::Atom(name) if name == "[]" => "[]",
            TermKind::Atom(_) => "an atom",
            TermKind::Str(_) => "a string",
            TermKind::Compound { .. } => "a compound term",
            TermKind::List { tail: None, .. } => "a list",
            TermKind::List { tail: Some(_), .. } => "a list with a tail",
        };
        if !root {
            self.say(&format!("{place}: {name}"));
        }
        match module.kind(id) {
            TermKind::Compound { args, .. } => args.iter().for_each(|&a| self.terms(a, place, false)),
            TermKind::List { items, tail } => {
                items.iter().chain(tail).for_each(|&a| self.terms(a, place, false))
            }
            _ => {}
        }
    }
}
