//! A small reader of rule systems, for tests of this crate only: the crate knows no syntax.
//!
//! `sort N = Zero | S(N) | Plus(N, N); var X : N; eqn Plus(Zero, Y) = Y; (X < Y) -> F(X, Y) = X; input Plus(Zero, Zero);`
//! A symbol with equations is a function. `Int`, `Float` and `Bool` with `true` and `false` are built in; operators stand in
//! brackets, as `(X + 1)`; `S^24(x)` repeats. Declaring a sort again adds symbols to it; a `True` makes for an own `Bool`.

use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::*;
use gchr_base::signature::{Signature, Sort, SortId, SortKind, Symbol, SymbolId, SymbolKind};
use gchr_base::source::{SourceId, Span};

/// Reads a program; panics on anything it does not understand.
pub(crate) fn program(text: &str) -> Program {
    let mut reader = Reader {
        tokens: tokens(text),
        at: 0,
        signature: Signature::with_builtin_bool(),
        sorts: HashMap::default(),
        symbols: HashMap::default(),
        vars: HashMap::default(),
    };
    reader.program()
}

/// A span for things that no source text has.
pub(crate) fn nowhere() -> Span {
    Span::new(SourceId(0), 0, 0)
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
    signature: Signature,
    sorts: HashMap<String, SortId>,
    symbols: HashMap<String, SymbolId>,
    vars: HashMap<String, SortId>,
}

fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let text: String =
        text.lines().map(|l| l.split(['%', '#']).next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let mut token = String::from(c);
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '.';
        if c.is_whitespace() {
            continue;
        } else if word(c) {
            while let Some(&c) = chars.peek().filter(|c| word(**c)) {
                token.push(c);
                chars.next();
            }
        } else if "-=<>&|!".contains(c) {
            while let Some(&c) = chars.peek().filter(|c| "=<>&|".contains(**c)) {
                token.push(c);
                chars.next();
            }
        }
        found.push(token);
    }
    found
}

/// What a term of the text is, before its sorts are known.
enum Term {
    Name(String, Vec<Term>),
    Power(String, u32, Box<Term>),
    Op(Op, Vec<Term>),
    Const(Const),
}

type RawRule = (Option<Term>, Term, Term);

impl Reader {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |t| t.as_str())
    }
    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }
    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }
    fn want(&mut self, token: &str) {
        assert!(
            self.eat(token),
            "want {token}, got {} at {:?}",
            self.peek(),
            &self.tokens[self.at.saturating_sub(9)..self.at]
        );
    }

    fn sort(&mut self, name: &str) -> SortId {
        if let Some(&known) = self.sorts.get(name) {
            return known;
        }
        let kind = match name {
            "Int" => SortKind::Int,
            "Float" => SortKind::Float,
            _ => SortKind::Data,
        };
        let id = self.signature.sorts.push(Sort { name: name.into(), kind, span: None });
        self.sorts.insert(name.into(), id);
        id
    }

    fn program(&mut self) -> Program {
        let booleans = self.signature.booleans;
        if !self.tokens.iter().any(|t| t == "True") {
            self.sorts.insert("Bool".into(), booleans.sort);
            self.symbols.insert("true".into(), booleans.true_symbol);
            self.symbols.insert("false".into(), booleans.false_symbol);
        }
        let (mut rules, mut input): (Vec<RawRule>, _) = (Vec::new(), None);
        while self.at < self.tokens.len() {
            match self.next().as_str() {
                "sort" => {
                    while !["var", "eqn", "input", ""].contains(&self.peek()) {
                        self.sort_declaration();
                    }
                }
                "var" => {
                    while !["eqn", "input", ""].contains(&self.peek()) {
                        let mut names = vec![self.next()];
                        while self.eat(",") {
                            names.push(self.next());
                        }
                        self.want(":");
                        let sort = self.next();
                        let sort = self.sort(&sort);
                        names.into_iter().for_each(|n| {
                            self.vars.insert(n, sort);
                        });
                        self.want(";");
                    }
                }
                "eqn" => {
                    while !["input", ""].contains(&self.peek()) {
                        let first = self.term();
                        let (condition, left) =
                            if self.eat("->") { (Some(first), self.term()) } else { (None, first) };
                        self.want("=");
                        let right = self.term();
                        self.want(";");
                        rules.push((condition, left, right));
                    }
                }
                "input" => {
                    input = Some(self.term());
                    self.want(";");
                }
                other => panic!("unexpected {other}"),
            }
        }
        for (_, left, _) in &rules {
            let Term::Name(name, _) = left else { panic!("left side") };
            let symbol = self.symbols[name];
            self.signature.symbols[symbol].kind = SymbolKind::Defined;
        }
        let rules = rules.into_iter().map(|r| self.rule(r)).collect();
        if let (Some(&t), Some(&f)) = (self.symbols.get("True"), self.symbols.get("False")) {
            let sort = self.signature.symbols[t].result;
            self.signature.booleans =
                gchr_base::signature::Booleans { sort, true_symbol: t, false_symbol: f };
        }
        let start = Start::Term(input.map(|t| self.ground(&t)));
        let program = Program { signature: self.signature.clone(), rules, start, semantics: None };
        let found = verify(&program);
        assert!(found.is_empty(), "{found:?}");
        program
    }

    fn sort_declaration(&mut self) {
        let name = self.next();
        let result = self.sort(&name);
        self.want("=");
        self.eat("struct");
        loop {
            let name = self.next();
            let mut args = Vec::new();
            if self.eat("(") {
                while !self.eat(")") {
                    let sort = self.next();
                    args.push(self.sort(&sort));
                    self.eat(",");
                }
            }
            let symbol =
                Symbol { name: name.clone(), args, result, kind: SymbolKind::Constructor, span: None };
            let id = self.signature.symbols.push(symbol);
            assert!(self.symbols.insert(name, id).is_none(), "symbol declared twice");
            if !self.eat("|") {
                self.want(";");
                return;
            }
        }
    }

    fn term(&mut self) -> Term {
        if self.eat("!") {
            return Term::Op(Op::Negate, vec![self.term()]);
        }
        if self.eat("-") {
            let Term::Const(Const::Int(n)) = self.term() else { panic!("a number") };
            return Term::Const(Const::Int(-n));
        }
        if self.eat("(") {
            let left = self.term();
            let op = match self.next().as_str() {
                ")" => return left,
                "+" => Op::Add,
                "-" => Op::Sub,
                "*" => Op::Mul,
                "div" => Op::FloorDiv,
                "mod" => Op::Mod,
                "==" => Op::Eq,
                "===" => Op::Same,
                "<" => Op::Lt,
                "<=" => Op::Le,
                ">" => Op::Gt,
                "&&" => Op::Both,
                "||" => Op::Either,
                other => panic!("operator {other}"),
            };
            let right = self.term();
            self.want(")");
            return Term::Op(op, vec![left, right]);
        }
        let name = self.next();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return Term::Const(match name.parse() {
                Ok(n) => Const::Int(n),
                Err(_) => Const::Float(name.parse().expect("a float")),
            });
        }
        if self.eat("^") {
            let count = self.next().parse().expect("a count");
            self.want("(");
            let inner = self.term();
            self.want(")");
            return Term::Power(name, count, Box::new(inner));
        }
        let mut args = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                args.push(self.term());
                self.eat(",");
            }
        }
        match Op::term_function(&name).filter(|op| op.arity() == args.len()) {
            Some(op) => Term::Op(op, args),
            None => Term::Name(name, args),
        }
    }

    fn rule(&self, (condition, left, right): RawRule) -> Rule {
        let mut vars = Vars { names: HashMap::default(), vars: IdVec::new() };
        let Term::Name(name, args) = left else { panic!("left side") };
        let symbol = self.symbols[&name];
        let sorts = self.signature.symbols[symbol].args.clone();
        let args = args.iter().zip(sorts).map(|(a, s)| self.pattern(&mut vars, a, s)).collect();
        let guard = condition
            .into_iter()
            .map(|c| Goal { kind: GoalKind::Test(self.expr(&mut vars, &c)), span: nowhere() })
            .collect();
        let body = Body::Replace(self.expr(&mut vars, &right));
        let atom = HeadAtom::Term { symbol, args };
        let head = Head { role: Role::Removed, atom, passive: false, span: nowhere() };
        Rule { name: None, vars: vars.vars, heads: vec![head], guard, body, span: nowhere() }
    }

    fn number_sort(&self, c: Const) -> SortId {
        self.sorts[if matches!(c, Const::Int(_)) { "Int" } else { "Float" }]
    }

    fn pattern(&self, vars: &mut Vars, term: &Term, sort: SortId) -> Pattern {
        let kind = match term {
            Term::Const(c) => PatternKind::Const(*c),
            Term::Name(name, _) if name == "_" => PatternKind::Wild,
            Term::Name(name, args) => match self.vars.get(name) {
                Some(&sort) => PatternKind::Var(vars.get(name, sort)),
                None => {
                    let symbol = self.symbols[name];
                    let sorts = &self.signature.symbols[symbol].args;
                    let args = args.iter().zip(sorts).map(|(a, &s)| self.pattern(vars, a, s)).collect();
                    PatternKind::App { symbol, args }
                }
            },
            Term::Power(name, count, inner) => {
                let symbol = self.symbols[name];
                let inner = self.pattern(vars, inner, sort);
                return (0..*count).fold(inner, |p, _| Pattern {
                    kind: PatternKind::App { symbol, args: vec![p] },
                    sort,
                    span: nowhere(),
                });
            }
            Term::Op(..) => panic!("operator in a pattern"),
        };
        Pattern { kind, sort, span: nowhere() }
    }

    fn expr(&self, vars: &mut Vars, term: &Term) -> Expr {
        let (kind, sort) = match term {
            Term::Const(c) => (ExprKind::Const(*c), self.number_sort(*c)),
            Term::Name(name, args) => match self.vars.get(name) {
                Some(&sort) => (ExprKind::Var(vars.get(name, sort)), sort),
                None => {
                    let symbol = self.symbols[name];
                    let args = args.iter().map(|a| self.expr(vars, a)).collect();
                    (ExprKind::App { symbol, args }, self.signature.symbols[symbol].result)
                }
            },
            Term::Power(name, count, inner) => {
                let symbol = self.symbols[name];
                let arg = Box::new(self.expr(vars, inner));
                (ExprKind::Repeat { symbol, count: *count, arg }, self.signature.symbols[symbol].result)
            }
            Term::Op(op, args) => {
                let args: Vec<Expr> = args.iter().map(|a| self.expr(vars, a)).collect();
                let sort = self.signature.sort_of_result(*op, args[0].sort);
                (ExprKind::Op { op: *op, args }, sort)
            }
        };
        Expr { kind, sort, span: nowhere() }
    }

    fn ground(&self, term: &Term) -> GroundTerm {
        let mut nodes = Vec::new();
        let sort = self.ground_nodes(term, &mut nodes);
        GroundTerm { nodes, sort, span: nowhere() }
    }

    fn ground_nodes(&self, term: &Term, nodes: &mut Vec<GroundNode>) -> SortId {
        match term {
            Term::Const(c) => {
                nodes.push(GroundNode::Const(*c));
                self.number_sort(*c)
            }
            Term::Name(name, args) => {
                args.iter().for_each(|a| {
                    self.ground_nodes(a, nodes);
                });
                let symbol = self.symbols[name];
                nodes.push(GroundNode::App(symbol));
                self.signature.symbols[symbol].result
            }
            Term::Power(name, count, inner) => {
                self.ground_nodes(inner, nodes);
                let symbol = self.symbols[name];
                nodes.push(GroundNode::Repeat(symbol, *count));
                self.signature.symbols[symbol].result
            }
            Term::Op(op, args) => {
                let sorts: Vec<SortId> = args.iter().map(|a| self.ground_nodes(a, nodes)).collect();
                nodes.push(GroundNode::Op(*op, sorts[0]));
                self.signature.sort_of_result(*op, sorts[0])
            }
        }
    }
}

struct Vars {
    names: HashMap<String, VarId>,
    vars: IdVec<VarId, Var>,
}

impl Vars {
    fn get(&mut self, name: &str, sort: SortId) -> VarId {
        let vars = &mut self.vars;
        *self
            .names
            .entry(name.into())
            .or_insert_with(|| vars.push(Var { name: name.into(), sort, span: nowhere() }))
    }
}
