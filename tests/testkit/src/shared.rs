//! Constraint programs that workers can share, and random ones, of which they can share most: rules that add, with
//! sets, best values and a rule that removes what no worker divides.

use crate::random::Random;

/// Reachable vertices of a graph, which `draw(N, Seed)` makes; tests add a step.
pub const CLOSURE: &str = ":- chr_constraint e(+int, +int), p(+int, +int), draw(+int, +int).
one @ e(X, Y) \\ e(X, Y) <=> true.
set @ p(X, Y) \\ p(X, Y) <=> true.
base @ e(X, Y) ==> p(X, Y).
none @ draw(0, _) <=> true.
next @ draw(N, S) <=> N > 0 | T is (1103515245 * S + 12345) mod 2147483648, X is (S >> 8) mod 23,
    Y is (T >> 9) mod 23, e(X, Y), M is N - 1, draw(M, T).
";

/// Shortest ways between all vertices, and which are near each other.
pub const DISTANCES: &str = ":- chr_constraint e(+int, +int, +int), d(+int, +int, +int), near(+int, +int).
best @ d(S, X, A) \\ d(S, X, B) <=> A =< B | true.
e(X, Y, L) \\ e(X, Y, L) <=> true.
near(X, Y) \\ near(X, Y) <=> true.
walk @ d(S, X, A), e(X, Y, L) ==> A + L < 60 | C is A + L, d(S, Y, C).
meet @ d(S, X, A), d(T, X, B) ==> A + B < 12 | near(S, T).
start @ e(X, _, _) ==> d(X, X, 0).
";

/// Edges for them.
pub const EDGES: &str =
    "e(1, 2, 3), e(2, 3, 4), e(3, 1, 1), e(1, 3, 9), e(3, 4, 2), e(4, 2, 1), e(4, 5, 1), e(5, 1, 1)";

/// The rules of a program, and a query.
pub fn random_program(random: &mut Random) -> (String, String) {
    let arities: Vec<usize> = (0..2 + random.below(3)).map(|_| 1 + random.below(3)).collect();
    let declared = arities.iter().enumerate().map(|(t, n)| format!("t{t}({})", vec!["+int"; *n].join(", ")));
    let mut text = format!(":- chr_constraint {}, go(+int).\n", declared.collect::<Vec<_>>().join(", "));
    let args =
        |t: usize, name: &str| (0..arities[t]).map(|c| format!("{name}{c}")).collect::<Vec<_>>().join(", ");
    let mut is_bag = vec![false; arities.len()];
    for (t, &arity) in arities.iter().enumerate() {
        match random.below(8) {
            0 => is_bag[t] = true,
            1 | 2 if arity > 1 => {
                let key = (0..arity - 1).map(|c| format!("X{c}")).collect::<Vec<_>>().join(", ");
                let order = random.pick(&["A =< B", "A >= B"]);
                text += &format!("t{t}({key}, A) \\ t{t}({key}, B) <=> {order} | true.\n");
            }
            _ => text += &format!("t{t}({0}) \\ t{t}({0}) <=> true.\n", args(t, "X")),
        }
    }
    let target = random.below(arities.len());
    text +=
        &format!("go(0) <=> true.\ngo(N) <=> N > 0 | M is N - 1, go(M), V is N mod 5, t{target}({}).\n", {
            (0..arities[target]).map(|_| random.pick(&["N", "M", "V"])).collect::<Vec<_>>().join(", ")
        });
    for rule in 0..1 + random.below(4) {
        let heads: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(arities.len())).collect();
        let mut seen: Vec<String> = Vec::new();
        let mut texts = Vec::new();
        for &t in &heads {
            let of_head: Vec<String> = (0..arities[t])
                .map(|_| match random.below(6) {
                    0 => "_".into(),
                    1 => random.below(4).to_string(),
                    n if n < 4 && !seen.is_empty() => seen[random.below(seen.len())].clone(),
                    _ => {
                        seen.push(format!("V{}", seen.len()));
                        seen[seen.len() - 1].clone()
                    }
                })
                .collect();
            texts.push(format!("t{t}({})", of_head.join(", ")));
        }
        // Bags grow without end where they feed themselves.
        let adds: Vec<usize> =
            (0..arities.len()).filter(|&t| !is_bag[t] || !heads.contains(&t) && rule == 0).collect();
        if adds.is_empty() {
            continue;
        }
        let t = adds[random.below(adds.len())];
        let value = |random: &mut Random| match seen.is_empty() || random.below(5) == 0 {
            true => random.below(5).to_string(),
            false => seen[random.below(seen.len())].clone(),
        };
        let mut body = String::new();
        let mut added: Vec<String> = (0..arities[t]).map(|_| value(random)).collect();
        if random.below(2) == 0 {
            body = format!("W is ({} + {} * {}) mod 11, ", value(random), value(random), 1 + random.below(3));
            let at = random.below(added.len());
            added[at] = "W".into();
        }
        let guard = if !seen.is_empty() && random.below(3) == 0 {
            format!("{} =< {} | ", seen[0], 3 + random.below(6))
        } else {
            String::new()
        };
        text += &format!("r{rule} @ {} ==> {guard}{body}t{t}({}).\n", texts.join(", "), added.join(", "));
    }
    let facts = (0..3 + random.below(12)).map(|_| {
        let t = random.below(arities.len());
        let values: Vec<String> = (0..arities[t]).map(|_| random.below(7).to_string()).collect();
        format!("t{t}({})", values.join(", "))
    });
    let facts: Vec<String> = facts.collect();
    (text, format!("{}, go({})", facts.join(", "), random.below(7)))
}
