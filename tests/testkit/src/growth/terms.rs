//! Texts of term programs that are large in one respect each: every construct of the grammar, every kind of error.

use super::{Kind, join, lines};

const N: &str = "sort N = struct Z | S(N);";
/// Trees and a function on them.
const C: &str = "sort N = struct Z | S(N) | C(N, N); map f: N -> N; var x, y: N;";

/// A comb of so many cells that hangs to the right, with these teeth.
fn right(n: usize, end: &str, tooth: impl Fn(usize) -> String) -> String {
    format!("{}{end}{}", join(n, "", |i| format!("C({}, ", tooth(i))), ")".repeat(n))
}

/// A comb that hangs to the left.
fn left(n: usize, end: &str, tooth: impl Fn(usize) -> String) -> String {
    format!("{}{end}{}", "C(".repeat(n), join(n, "", |i| format!(", {})", tooth(i))))
}

/// Ten rules whose combs differ in some teeth.
fn combs(n: usize, comb: impl Fn(usize) -> String) -> String {
    format!("{C} eqn {} input f(Z);", join(10, " ", |k| format!("f({}) = S^{k}(x);", comb(n + k))))
}

fn tree(n: usize) -> String {
    if n < 2 { "Z".into() } else { format!("C({}, {})", tree(n / 2), tree(n - n / 2)) }
}

/// Names of a declaration, and what is behind them.
fn names(keyword: &str, n: usize, rest: &str) -> String {
    format!("{keyword} {}{rest}", numbered(&keyword[..1], n))
}

fn numbered(name: &str, n: usize) -> String {
    join(n, ", ", |i| format!("{name}{i}"))
}

fn stuck(n: usize, forward: bool) -> String {
    let symbols = join(n, " | ", |i| format!("f{i}(N)"));
    let rule = |i: usize| {
        let other = if forward { i + 1 } else { i.wrapping_sub(1) };
        let chain = if other < n { format!("f{i}(f{other}(x)) = x; f{i}(Z) = Z;") } else { String::new() };
        format!("{chain} f{i}(S(x)) = x;")
    };
    format!("sort N = struct Z | S(N) | {symbols}; var x: N; eqn {} input f0(Z);", join(n, " ", rule))
}

fn wide(n: usize, pattern: impl Fn(usize) -> String) -> String {
    let fields = join(n, ", ", |_| "N".into());
    let variables = numbered("x", n);
    format!(
        "{N} W = struct W({fields}); map f: W -> N; var {variables}: N; eqn f(W({})) = x0;",
        join(n, ", ", pattern)
    )
}

/// Term programs without errors.
pub const TERM_PROGRAMS: &[Kind] = &[
    ("functions", 200, |n| {
        let rules = join(n, " ", |i| format!("m{i}(Z) = Z; m{i}(S(x)) = m{}(x);", (i + 1) % n));
        format!("{N} {}; var x: N; eqn {rules} input m0(S(Z));", names("map", n, ": N -> N"))
    }),
    ("choices inside of choices", 50, |n| {
        let choices = join(n, "", |i| format!("if(x == {i}, x + {i}, "));
        format!("map f: Int -> Int; var x: Int; eqn f(x) = {choices}0{}; input f(1);", ")".repeat(n))
    }),
    ("choices", 100, |n| {
        let rules = join(n, " ", |i| format!("m{i}(x) = if(x > {i}, m{}(x - 1), x);", (i + 1) % n));
        format!("{}; var x: Int; eqn {rules} input m0(1);", names("map", n, ": Int -> Int"))
    }),
    ("elements", 1_000, |n| {
        format!(
            "map f: List(Int) -> Int; var l: List(Int); eqn f(l) = #l; input f([{}]);",
            join(n, ", ", |_| "1".into())
        )
    }),
    ("elements in a rule", 200, |n| {
        format!("map f: List(Int); eqn f = [{}]; input f;", join(n, ", ", |_| "1".into()))
    }),
    ("names of sorts", 300, |n| {
        let names = join(n, " ", |i| format!("A{i} = A{};", i + 1));
        format!("sort {names} A{n} = struct a; map f: A0 -> A{n}; var x: A1; eqn f(x) = x; input f(a);")
    }),
    ("projections and recognisers", 200, |n| {
        let symbols = join(n, " | ", |i| format!("c{i}(p{i}: A, q: Int)?r{i}"));
        format!("sort A = struct a | {symbols}; map f: A -> A; var x: A; eqn f(x) = p0(x); input f(a);")
    }),
    ("patterns of a condition", 300, |n| {
        let parts = join(n, " && ", |i| format!("S(x{}) := x{i}", i + 1));
        format!(
            "{N} map f: N -> N; var {}: N; eqn {parts} -> f(x0) = x{n}; input f(Z);",
            numbered("x", n + 1)
        )
    }),
    ("values of variables", 100, |n| {
        let values = join(n, ", ", |i| format!("y{i} = f(x)"));
        format!("{N} map f: N -> N; var x: N; eqn f(Z) = Z; f(x) = y0 whr {values} end; input f(Z);")
    }),
    ("equations for what is left", 100, |n| {
        let rules = join(n, " ", |i| format!("m{i}(x) = x [owise]; m{i}(Z) = m{}(Z);", (i + 1) % n));
        format!("{N} {}; var x: N; eqn {rules} input m0(S(Z));", names("map", n, ": N -> N"))
    }),
    ("functions of four rules", 100, |n| {
        let rule = |i: usize| {
            let next = (i + 1) % n;
            format!(
                "m{i}(Z, y) = y; m{i}(S(x), Z) = x; m{i}(S(x), S(y)) = m{next}(x, y); m{i}(x, S(S(y))) = x;"
            )
        };
        lines(&format!("{N} {}; var x, y: N; eqn", names("map", n, ": N # N -> N")), n, rule)
    }),
    ("constructors, each with a rule", 500, |n| {
        let names = join(n, " | ", |i| format!("C{i}"));
        let rules = join(n, " ", |i| format!("f(C{i}, x) = {i};"));
        format!("sort C = struct {names}; map f: C # C -> Int; var x: C; eqn {rules} input f(C1, C0);")
    }),
    ("rules for pairs of constructors", 200, |n| {
        let names = join(50, " | ", |i| format!("C{i}"));
        let rule = |i: usize| format!("f(C{}, C{}, {}) = {i};", i % 50, i / 50 % 50, i / 2500);
        lines(&format!("sort C = struct {names}; map f: C # C # Int -> Int; eqn"), n, rule)
    }),
    ("rules on numbers", 500, |n| lines("map f: Int -> Int; eqn", n, |i| format!("f({i}) = {};", i / 2))),
    ("rules on floats", 200, |n| {
        lines("map f: Float -> Int; eqn", n, |i| format!("f({i}.5) = {i}; f(-{i}.0) = -{i};"))
    }),
    ("rules that overlap", 500, |n| {
        let rule = |i: usize| {
            if i.is_multiple_of(2) { format!("f({i}, x) = 0;") } else { format!("f(x, {i}) = 1;") }
        };
        lines("map f: Int # Int -> Int; var x: Int; eqn", n, rule)
    }),
    ("rules that one rule takes", 500, |n| {
        lines("map f: Int -> Int; var x: Int; eqn f(x) = x;", n, |i| format!("f({i}) = {i};"))
    }),
    ("functions with missing cases", 200, |n| {
        lines(&format!("{N} {}; eqn", names("map", n, ": N -> N")), n, |i| format!("m{i}(Z) = Z;"))
    }),
    ("rules that go on for ever", 200, |n| {
        lines(&format!("{N} {}; var x: N; eqn", names("map", n, ": N -> N")), n, |i| {
            format!("m{i}(x) = m{i}(x);")
        })
    }),
    ("stuck functions, each by the next one", 100, |n| stuck(n, true)),
    ("stuck functions, each by the one before", 100, |n| stuck(n, false)),
    ("calls in a chain", 200, |n| {
        let rule =
            |i: usize| if i == 0 { "m0(x) = x;".into() } else { format!("m{i}(x) = S(m{}(x));", i - 1) };
        lines(&format!("{N} {}; var x: N; eqn", names("map", n, ": N -> N")), n, rule)
    }),
    ("calls in circles", 100, |n| {
        let rule = |i: usize| format!("m{i}(Z) = Z; m{i}(S(x)) = m{}(m{}(x));", (i + 1) % n, (7 * i + 3) % n);
        lines(&format!("{N} {}; var x: N; eqn", names("map", n, ": N -> N")), n, rule)
    }),
    ("conditional rules", 100, |n| {
        let rules = join(n, " ", |i| format!("g(x, {i}) == x -> f(x, y) = g(y, {i});"));
        format!(
            "{N} map f: N # N -> N; g: N # Int -> N; var x, y: N; i: Int; eqn g(x, i) = x; {rules} input f(Z, Z);"
        )
    }),
    ("rules with two conditions", 100, |n| {
        lines("map f: Int -> Int; var x: Int; eqn", n, |i| format!("x > {i} && x < {} -> f(x) = {i};", i + 3))
    }),
    ("conditions of a rule", 500, |n| {
        let tests = join(n, " && ", |i| format!("x != {i}"));
        format!("map f: Int -> Int; var x: Int; eqn {tests} -> f(x) = 1;")
    }),
    ("rules with repeated variables", 100, |n| {
        let names = join(20, " | ", |i| format!("C{i}"));
        let rule = |i: usize| format!("f(x, x, {i}) = {i};");
        lines(&format!("sort C = struct {names}; map f: C # C # Int -> Int; var x: C; eqn"), n, rule)
    }),
    ("a variable that is repeated", 100, |n| format!("{C} eqn f({}) = x;", right(n, "x", |_| "x".into()))),
    ("a comb to the right", 200, |n| format!("{C} eqn f({}) = x;", right(n, "x", |_| "Z".into()))),
    ("a comb to the left", 200, |n| format!("{C} eqn f({}) = x;", left(n, "x", |_| "Z".into()))),
    ("a comb of variables", 100, |n| {
        format!("{C} {}: N; eqn f({}) = v0;", names("var", n, ""), right(n, "x", |i| format!("v{i}")))
    }),
    ("combs to the right", 50, |n| {
        combs(n, |n| right(n, "x", |i| if i % 11 == n % 10 { "S(Z)".into() } else { "Z".into() }))
    }),
    ("small combs", 40, |n| {
        let comb = |k: usize| right(6, "x", |i| if k >> i & 1 == 1 { "S(Z)".into() } else { "Z".into() });
        lines(&format!("{C} eqn"), n, |k| format!("f({}) = S(x);", comb(k)))
    }),
    ("a repeated symbol", 600, |n| format!("{C} eqn f(S^{n}(x)) = x; input f(S^{n}(Z));")),
    ("repeated symbols", 10, |n| {
        lines(&format!("{C} eqn"), 20, |k| format!("f(S^{}(x)) = S^{k}(x);", n * (20 - k)))
    }),
    ("a tree", 1000, |n| format!("{C} eqn f({}) = Z;", tree(n))),
    ("fields of constants", 100, |n| wide(n, |i| if i == 0 { "x0".into() } else { "Z".into() })),
    ("fields of variables", 100, |n| wide(n, |i| format!("x{i}"))),
    ("arguments", 500, |n| {
        let sorts = join(n, " # ", |_| "N".into());
        let (constants, variables) = (join(n, ", ", |_| "Z".into()), join(n, ", ", |i| format!("v{i}")));
        format!(
            "{N} map f: {sorts} -> N; {}: N; eqn f({constants}) = Z; f({variables}) = v0;",
            names("var", n, "")
        )
    }),
    ("a deep right-hand side", 300, |n| {
        format!("{C} eqn f(x) = {};", right(n, "Z", |i| if i % 7 == 0 { "f(x)".into() } else { "x".into() }))
    }),
    ("calls around each other", 300, |n| format!("{C} eqn f(S(x)) = {}x{};", "f(".repeat(n), ")".repeat(n))),
    ("a sum", 300, |n| {
        let sum = join(n, " + ", |i| format!("(x - {i}) * {i} div 2"));
        format!("map f: Int -> Int; var x: Int; eqn f(x) = {sum}; input f(1);")
    }),
    ("symbols", 500, |n| lines(&format!("{N} cons"), n, |i| format!("f{i}: N -> N;")) + "input f0(Z);"),
    ("sorts", 200, |n| lines("", n, |i| format!("sort A{i} = struct a{i} | b{i}(A{i}) | c{i}(A{i}, A{i});"))),
    ("sorts in a chain", 300, |n| {
        lines("", n, |i| format!("sort A{i} = struct a{i}(A{});", i + 1)) + &format!("sort A{n};")
    }),
    ("functions on sorts in a chain", 100, |n| {
        let line = |i: usize| {
            let next = i + 1;
            format!(
                "sort A{i} = struct a{i}(A{next}) | k{i}; map f{i}: A{i} -> A{i}; var x{i}: A{next}; eqn f{i}(a{i}(x{i})) = a{i}(f{next}(x{i}));"
            )
        };
        lines("", n, line) + &format!("sort A{n} = struct z; map f{n}: A{n} -> A{n}; eqn f{n}(z) = z;")
    }),
    ("callers of a large function", 300, |n| {
        let constants = join(n, " | ", |i| format!("c{i}"));
        let table = lines("", n, |i| format!("f(c{i}) = c{};", (7 * i + 1) % n));
        let callers =
            lines("", n, |i| format!("map g{i}: N -> N; var x: N; eqn g{i}(x) = f(g{}(x));", i.max(1) - 1));
        format!("sort N = struct {constants}; map f: N -> N; eqn {table} {callers}")
    }),
    ("variables that nothing uses", 300, |n| lines(&format!("{N} var"), n, |i| format!("x{i}: N;"))),
    ("variables that hide constants", 200, |n| {
        let constants = join(n, " | ", |i| format!("v{i}"));
        let rules = lines("", n, |i| format!("f(v{i}, {i}) = v{i};"));
        format!("sort N = struct {constants}; map f: N # Int -> N; {}: N; eqn {rules}", names("var", n, ""))
    }),
    ("sections", 200, |n| {
        lines(&format!("{N} map f: N # Int -> N;"), n, |i| format!("var x: N; eqn f(x, {i}) = x;"))
    }),
    ("an input", 3000, |n| {
        format!("{C} eqn f(Z) = Z; input {};", right(n, "f(Z)", |i| format!("S^{}(Z)", i % 64)))
    }),
    ("texts", 500, |n| {
        lines("map f: Int -> List(Char); eqn", n, |i| format!("f({i}) = \"text {i}\";")) + "input f(1);"
    }),
    ("functions without names", 100, |n| {
        let rule = |i: usize| format!("m{i}(x) = g(lambda y: Int. y + x + {i});");
        let maps = names("map", n, ": Int -> Int");
        lines(
            &format!("map g: (Int -> Int) -> Int; {maps}; var f: Int -> Int; x: Int; eqn g(f) = f(1);"),
            n,
            rule,
        ) + "input m0(1);"
    }),
    ("functions as values", 100, |n| {
        let rule = |i: usize| format!("m{i}(Z) = Z; m{i}(S(x)) = g(m{}, x);", (i + 1) % n);
        let maps = names("map", n, ": N -> N");
        lines(
            &format!("{N} map g: (N -> N) # N -> N; {maps}; var f: N -> N; x: N; eqn g(f, x) = f(x);"),
            n,
            rule,
        ) + "input m0(S(Z));"
    }),
    ("sorts of functions", 50, |n| {
        lines("", n, |i| {
            format!(
                "sort A{i} = struct a{i}; map h{i}: (A{i} -> Int) -> Int; k{i}: A{i} -> Int; \
                 var f{i}: A{i} -> Int; x{i}: A{i}; eqn h{i}(f{i}) = f{i}(a{i}); k{i}(x{i}) = h{i}(k{i});"
            )
        })
    }),
    ("instances of a sort", 50, |n| {
        let pair = "sort Pair(A, B) = struct P(A, B); var x: A; y: B; \
                    map swap: Pair(A, B) -> Pair(B, A); eqn swap(P(x, y)) = P(y, x);";
        lines(pair, n, |i| {
            format!("sort T{i} = struct t{i}; map m{i}: Pair(T{i}, Int); eqn m{i} = swap(P({i}, t{i}));")
        }) + "input m0;"
    }),
    ("functions for any sort in a chain", 200, |n| {
        let maps = names("map", n + 1, ": A -> A");
        lines(&format!("var A: sort; x: A; {maps}; eqn m{n}(x) = x;"), n, |i| {
            format!("m{i}(x) = m{}(x);", i + 1)
        }) + "input m0(1);"
    }),
    ("symbols with axioms", 20, |n| {
        let line =
            |i: usize| format!("map p{i}: N # N -> N [assoc comm]; var x{i}: N; eqn p{i}(Z, x{i}) = x{i};");
        lines(N, n, line) + "input p0(Z, S(Z));"
    }),
    ("strategies", 100, |n| {
        let symbols = names("cons", n, ": N # N -> N");
        let header = format!("{N} {symbols}; map f: N -> N; var x, y: N; eqn f(c0(x, y)) = x; strategy");
        lines(&header, n, |i| format!("c{i}(_, lazy);")) + "input f(c0(Z, f(Z)));"
    }),
    ("functions that are rewritten outermost", 100, |n| {
        let rule = |i: usize| format!("m{i}(Z) = Z; m{i}(S(x)) = m{}(x);", (i + 1) % n);
        let maps = names("map", n, ": N -> N");
        lines(&format!("{N} {maps}; var x: N; strategy outermost; eqn"), n, rule) + "input m0(S(Z));"
    }),
    ("functions with frozen arguments", 50, |n| {
        let rule = |i: usize| {
            format!("m{i}(Z, y) = y; m{i}(S(x), y) = m{}(x, m{}(x, y));", (i + 1) % n, (i + 7) % n)
        };
        let frozen = join(n, " ", |i| format!("m{i}(_, frozen);"));
        let maps = names("map", n, ": N # N -> N");
        lines(&format!("{N} {maps}; var x, y: N; strategy {frozen} eqn"), n, rule) + "input m0(S(Z), Z);"
    }),
    ("brackets", 1000, |n| format!("{C} eqn f(x) = {}x{}; input f(Z);", "(".repeat(n), ")".repeat(n))),
    ("calls in an input", 1000, |n| format!("{C} eqn f(x) = x; input {}Z{};", "f(".repeat(n), ")".repeat(n))),
    ("a projection of many symbols", 200, |n| {
        let symbols = join(n, " | ", |i| format!("c{i}(p: Int)"));
        format!("sort A = struct z | {symbols}; map f: A -> Int; var x: A; eqn f(x) = p(x); input f(c1(2));")
    }),
    ("conditions that match", 100, |n| {
        lines(&format!("{N} map f: N # Int -> N; g: N -> N; var x, y: N; eqn g(x) = x;"), n, |i| {
            format!("S(y) := g(x) -> f(x, {i}) = y;")
        })
    }),
    ("comments", 1000, |n| "% of a line\n".repeat(n) + N),
];

/// Term programs with very many errors of one kind.
pub const TERM_ERRORS: &[Kind] = &[
    ("brackets that are not closed", 200, |n| lines(&format!("{C} eqn"), n, |_| "f(Z = Z;".into())),
    ("sections that are not understood", 100, |n| lines("", n, |_| "sort = ; eqn ) ;".into())),
    ("characters that start no token", 500, |n| "$ \u{1}\n".repeat(n)),
    ("brackets around nothing", 1000, |n| format!("{C} eqn f({}", "(".repeat(n))),
    ("unknown names", 100, |n| lines(&format!("{C} eqn"), n, |i| format!("f(g{i}(Z)) = h{i};"))),
    ("unknown names in one line", 100, |n| format!("{C} eqn {}", join(n, " ", |i| format!("f(Y{i}) = Z;")))),
    ("unknown sorts", 100, |n| lines("", n, |i| format!("sort S{i}; map f{i}: B{i} -> C{i};"))),
    ("unknown sorts of variables", 100, |n| lines("", n, |i| format!("var x{i}: B{i};"))),
    ("sides of different sorts", 100, |n| {
        lines("sort N = struct Z; B = struct b; map f: N -> N; eqn", n, |_| "f(Z) = b;".into())
    }),
    ("arguments of another sort", 100, |n| {
        lines("sort N = struct Z; B = struct b; map f: N -> N; eqn", n, |_| "f(b) = Z;".into())
    }),
    ("operands of another sort", 100, |n| lines(&format!("{C} eqn"), n, |_| "f(Z) = Z + 1;".into())),
    ("wrong numbers of arguments", 100, |n| lines(&format!("{C} eqn"), n, |_| "f(Z, Z) = Z;".into())),
    ("sorts declared again", 100, |n| lines("", n, |_| "sort A;".into())),
    ("symbols declared again", 100, |n| lines(N, n, |_| "map f: N;".into())),
    ("variables declared again", 100, |n| lines(&format!("{N} var"), n, |_| "x: N;".into())),
    ("inputs", 100, |n| lines(N, n, |_| "input Z;".into())),
    ("variables that are not bound", 100, |n| lines(&format!("{C} eqn"), n, |_| "f(x) = y;".into())),
    ("left-hand sides that are variables", 100, |n| lines(&format!("{C} eqn"), n, |_| "x = Z;".into())),
    ("operators in left-hand sides", 100, |n| {
        lines("map f: Int -> Int; var x: Int; eqn", n, |_| "f(x + 1) = x;".into())
    }),
    ("numbers that are too large", 100, |n| {
        lines("map f: Int -> Int; eqn", n, |_| "f(99999999999999999999) = 1;".into())
    }),
    ("conditions that are none", 100, |n| lines(&format!("{C} eqn"), n, |_| "x -> f(x) = x;".into())),
    ("comparisons in a chain", 100, |n| lines(&format!("{C} eqn"), n, |_| "1 < 2 < 3 -> f(x) = x;".into())),
    ("projections of functions", 100, |n| {
        lines("var x: Int;", n, |i| {
            format!("sort A{i} = struct a{i}(p{i}: Int)?q{i}; eqn a{i}(x) = a{i}(0);")
        })
    }),
];
