//! Texts in the formats of other tools that are large in one respect each.

use super::{Kind, join, lines};

/// A Maude module around declarations, and what is to be reduced.
fn module(declarations: &str, term: &str) -> String {
    format!(
        "fmod M is\nsort T .\nop a : -> T [ctor] .\nop f : T -> T .\n{declarations}\nendfm\nred {term} .\n"
    )
}

fn around(n: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(n), close.repeat(n))
}

/// Maude modules without errors.
pub const MAUDE_MODULES: &[Kind] = &[
    ("operators", 200, |n| {
        let line = |i: usize| format!("op f{i} : T -> T .\neq f{i}(X:T) = f{}(X:T) .", i.max(1) - 1);
        module(&lines("", n, line), "a")
    }),
    ("equations over constants", 200, |n| {
        module(&lines("", n, |i| format!("op c{i} : -> T .\neq f(c{i}) = c{} .", i.max(1) - 1)), "f(c1)")
    }),
    ("sorts below each other", 100, |n| {
        module(&lines("sort T0 .", n, |i| format!("sort T{} . subsort T{} < T{i} .", i + 1, i + 1)), "a")
    }),
    ("sorts beside each other", 100, |n| {
        module(&lines("", n, |i| format!("sort T{i} . subsort T{i} < T . op c{i} : -> T{i} .")), "c1")
    }),
    ("modules that import each other", 50, |n| {
        let module = |i: usize| format!("fmod M{} is\npr M{i} .\nop b{i} : -> T .\nendfm", i + 1);
        format!("fmod M0 is sort T . op a : -> T . endfm\n{}\nred a .\n", join(n, "\n", module))
    }),
    ("modules with equations that import each other", 50, |n| {
        let module = |i: usize| {
            let declared = format!("sort T{} . subsort T{i} < T{} . op b{} : -> T{i} .", i + 1, i + 1, i + 1);
            format!("fmod M{} is\npr M{i} .\npr NAT .\n{declared}\neq b{} = b{i} .\nendfm", i + 1, i + 1)
        };
        format!("fmod M0 is sort T0 . op b0 : -> T0 . endfm\n{}\nred b{n} .\n", join(n, "\n", module))
    }),
    ("terms over many operators", 100, |n| {
        let operators = lines("", n, |i| format!("op f{i} : T -> T ."));
        lines(&module(&operators, "a"), n, |i| format!("red f{i}(a) ."))
    }),
    ("operators modulo associativity and commutativity", 4, |n| {
        let line = |i: usize| format!("op _o{i}_ : T T -> T [assoc comm] .\neq X:T o{i} f(X:T) = X:T .");
        module(&lines("", n, line), "a o1 f(a)")
    }),
    ("operators between arguments", 100, |n| {
        module(&lines("", n, |i| format!("op _o{i}_ : T T -> T .")), "a o1 (a o2 a)")
    }),
    ("a chain of different operators", 50, |n| {
        let operators = lines("", n, |i| format!("op _o{i}_ : T T -> T [prec 30 gather (E e)] ."));
        module(&operators, &format!("a {}", join(n, " ", |i| format!("o{i} a"))))
    }),
    ("a sum modulo associativity and commutativity", 300, |n| {
        module("op _+_ : T T -> T [assoc comm] .\neq a + a = a .", &join(n + 1, " + ", |_| "a".into()))
    }),
    ("a string modulo associativity", 300, |n| {
        module("op __ : T T -> T [assoc] .\neq a a = a .", &join(n + 1, " ", |_| "a".into()))
    }),
    ("calls around each other", 300, |n| module("eq f(f(X:T)) = X:T .", &around(n, "f(", "a", ")"))),
    ("brackets", 300, |n| module("", &around(n, "(", "a", ")"))),
    ("terms to reduce", 200, |n| module("", "a") + &"red f(a) .\n".repeat(n)),
    ("conditions of an equation", 100, |n| {
        let variables = lines("", n + 1, |i| format!("var X{i} : T ."));
        let conditions = join(n, " /\\ ", |i| format!("X{} := f(X{i})", i + 1));
        module(&format!("{variables}op g : T -> T .\nceq g(X0) = X{n} if {conditions} ."), "g(a)")
    }),
    ("comments", 300, |n| module(&"*** of a line\n".repeat(n), "a")),
];

/// Data specifications of mCRL2 without errors.
pub const MCRL2_SPECIFICATIONS: &[Kind] = &[
    ("mappings", 200, |n| {
        let maps = lines("sort T = struct a | b;\nmap", n, |i| format!("f{i}: T -> T;"));
        lines(&format!("{maps}var x: T;\neqn"), n, |i| format!("f{i}(x) = f{}(x);", (i + 1) % n))
    }),
    ("sorts", 100, |n| {
        lines("", n, |i| format!("sort T{i} = struct a{i}?is{i} | b{i}(p{i}: T{});", i.max(1) - 1))
    }),
    ("aliases in a chain", 200, |n| {
        lines("", n, |i| format!("sort T{i} = T{};", i + 1))
            + &format!("sort T{n} = Nat;\nmap f: T0 -> T0; var x: T0; eqn f(x) = x;\n")
    }),
    ("constructors, each with an equation", 200, |n| {
        let constructors = join(n, " | ", |i| format!("a{i}"));
        lines(&format!("sort T = struct {constructors};\nmap f: T -> T;\neqn"), n, |i| {
            format!("f(a{i}) = a{i};")
        })
    }),
    ("a sum", 200, |n| {
        format!("map f: Nat -> Nat; var x: Nat; eqn f(x) = {};\n", join(n + 1, " + ", |_| "x".into()))
    }),
    ("a list", 200, |n| {
        format!("map f: Nat -> List(Nat); var x: Nat; eqn f(x) = [{}];\n", join(n, ", ", |i| i.to_string()))
    }),
    ("a set", 200, |n| {
        format!("map f: Nat -> Set(Nat); var x: Nat; eqn f(x) = {{{}}};\n", join(n, ", ", |i| i.to_string()))
    }),
    ("a bag", 200, |n| {
        let counts = join(n, ", ", |i| format!("{i}: 1"));
        format!("map f: Nat -> Bag(Nat); var x: Nat; eqn f(x) = {{{counts}}};\n")
    }),
    ("brackets", 200, |n| {
        format!("map f: Nat -> Nat; var x: Nat; eqn f(x) = {};\n", around(n, "(", "x", ")"))
    }),
    ("functions that are applied at once", 20, |n| {
        format!("map f: Nat -> Nat; var x: Nat; eqn f(x) = {};\n", around(n, "(lambda y: Nat. ", "y", ")(x)"))
    }),
    ("conditions", 200, |n| {
        let conditions = join(n, " && ", |i| format!("x != {i}"));
        format!("map f: Nat -> Nat; var x: Nat; eqn {conditions} -> f(x) = x;\n")
    }),
    ("choices", 100, |n| {
        let choices = join(n, "", |i| format!("if(x == {i}, {i}, "));
        format!("map f: Nat -> Nat; var x: Nat; eqn f(x) = {choices}x{};\n", ")".repeat(n))
    }),
];

/// Systems in the ARI format without errors.
pub const ARI_SYSTEMS: &[Kind] = &[
    ("symbols", 200, |n| {
        let symbols = lines("(format TRS)\n(fun a 0)", n, |i| format!("(fun f{i} 1)"));
        lines(&symbols, n, |i| format!("(rule (f{i} x) (f{} x))", (i + 1) % n))
    }),
    ("rules of a symbol", 200, |n| {
        lines("(format TRS)\n(fun f 1)\n(fun g 2)", n, |i| format!("(rule (g (f x{i}) (f y{i})) (f x{i}))"))
    }),
    ("constants", 200, |n| {
        let constants = lines("(format TRS)\n(fun f 1)", n, |i| format!("(fun k{i} 0)"));
        lines(&constants, n, |i| format!("(rule (f k{i}) k{i})"))
    }),
    ("a deep pattern", 200, |n| {
        format!("(format TRS)\n(fun a 0)\n(fun f 1)\n(rule {} a)\n", around(n, "(f ", "a", ")"))
    }),
];

/// Systems in the older format of term rewriting without errors.
pub const TPDB_SYSTEMS: &[Kind] = &[
    ("rules", 200, |n| lines("(VAR x)\n(RULES", n, |i| format!("f{i}(x) -> f{}(x)", (i + 1) % n)) + ")\n"),
    ("variables", 200, |n| {
        let variables = join(n, " ", |i| format!("x{i}"));
        lines(&format!("(VAR {variables})\n(RULES"), n, |i| format!("f(x{i}, a) -> x{i}")) + ")\n"
    }),
    ("a deep pattern", 200, |n| format!("(VAR x)\n(RULES {} -> x)\n", around(n, "f(", "x", ")"))),
];

/// Specifications of the rewriting engines' competition without errors.
pub const REC_SPECIFICATIONS: &[Kind] = &[
    ("rules", 200, |n| {
        let operators = lines("REC-SPEC M\nSORTS T\nCONS\n a : -> T\nOPNS", n, |i| format!(" f{i} : T -> T"));
        lines(&format!("{operators}VARS\n x : T\nRULES"), n, |i| format!(" f{i}(x) -> x"))
            + "EVAL\n f1(a)\nEND-SPEC\n"
    }),
    ("sorts", 200, |n| {
        let sorts = join(n, " ", |i| format!("T{i}"));
        lines(&format!("REC-SPEC M\nSORTS {sorts}\nCONS"), n, |i| format!(" a{i} : -> T{i}"))
            + "OPNS\n f : T0 -> T0\nVARS\n x : T0\nRULES\n f(x) -> x\nEVAL\n f(a0)\nEND-SPEC\n"
    }),
];
