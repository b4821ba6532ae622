//! Rounds with a fast path: from the start of a batch on, and from a later round on.

use super::*;

/// Kernels that follow a fast path, beside those of the general rounds.
const FAST_PATHS: [&str; 12] = [
    "best_row",
    "monotone",
    "remember_rows",
    "link_rows",
    "column_range",
    "narrow_product",
    "narrow_spread",
    "narrow_gather",
    "narrow_offer",
    "wide_product",
    "wide_spread",
    "wide_offer",
];

#[test]
fn the_checker_accepts_the_kernels_of_fast_paths() {
    let mut seen = Vec::new();
    for text in [
        include_str!("../../../../../examples/floyd.chr"),
        include_str!("../../../../../examples/transitive_closure.chr"),
        include_str!("../../../../../examples/min.chr"),
        DOUBLING,
    ] {
        let case = Case::new(text, RoundsOptions::default());
        for verdict in check(&case.kernels.module) {
            if FAST_PATHS.contains(&&*verdict.kernel) {
                assert!(verdict.accepted(), "{verdict:?}");
                seen.push(verdict.kernel.clone());
            }
        }
    }
    assert!(FAST_PATHS.iter().all(|name| seen.iter().any(|s| s == name)), "{seen:?}");
}

/// Closure in which paths are joined with paths.
const DOUBLING: &str = ":- chr_constraint e(+int, +int), p(+int, +int).
     p(X, Y) \\ p(X, Y) <=> true. e(X, Y) ==> p(X, Y). p(X, Y), p(Y, Z) ==> p(X, Z).";

/// Programs whose batches have a fast path, and stores that leave it.
pub fn fast_path_programs() -> Vec<String> {
    let closure = ":- chr_constraint e(+int, +int), p(+int, +int), n(+int), k(+int, +int, +int).
         p(X, Y) \\ p(X, Y) <=> true. e(X, Y) ==> p(X, Y). e(X, Y), p(Y, Z) ==> p(X, Z).";
    let edges = |edges: &[(i64, i64)]| {
        let all: Vec<String> = edges.iter().map(|(a, b)| format!("e({a}, {b})")).collect();
        all.join(", ")
    };
    let chain: Vec<(i64, i64)> = (0..9).map(|n| (n, n + 1)).collect();
    let ring: Vec<(i64, i64)> = (0..7).map(|n| (n * 3, (n * 3 + 3) % 21)).collect();
    let floyd = ":- chr_constraint edge(+dense_int, +dense_int, +int), neg(+int).
         edge(I, K, D1), edge(K, J, D2) \\ edge(I, J, D3) <=> D3 > D1 + D2 | D4 is D1 + D2, edge(I, J, D4).
         neg(D) <=> A is 0 - 1, edge(A, 1, D).";
    vec![
        // A chain, a ring, duplicates, several batches; keys that are negative, and so far apart that bits do not
        // suffice.
        format!("{closure} ?- {}.", edges(&chain)),
        format!("{closure} ?- {}. ?- e(3, 1), e(0, 1). ?- p(100, -3), e(-3, -3).", edges(&ring)),
        format!("{closure} ?- e(-5, 3), e(3, -5), e(-5, 3), p(3, 3)."),
        format!("{closure} ?- e(-9223372036854775808, 9223372036854775807), e(9223372036854775807, 3), e(3, 4)."),
        // Rules that add to several tables, to tables that are no sets, constants, guards that choose, and a head
        // alone.
        format!(
            "{closure} p(X, Y) ==> X < Y | n(X), k(X, 7, Y). k(A, B, C) \\ k(A, B, C) <=> true. k(A, _, B), e(A, C) ==> B =\\= C | p(B, C). ?- {}.",
            edges(&chain)
        ),
        // Partners that are found by looking at all rows.
        ":- chr_constraint a(+int), b(+int), c(+int, +int). a(X), b(Y) ==> X < Y | c(X, Y). ?- a(1), b(2), a(3), b(4), a(5). ?- b(9), a(0).".into(),
        // Partners among what is added: closure by doubling, and points-to sets.
        format!("{DOUBLING} ?- {}. ?- {}.", edges(&chain), edges(&ring)),
        ":- chr_constraint addr(+int, +int), copy(+int, +int), load(+int, +int), store(+int, +int), pt(+int, +int).
         pt(X, Y) \\ pt(X, Y) <=> true. addr(Y, X) ==> pt(Y, X). copy(Y, Z), pt(Z, X) ==> pt(Y, X).
         load(Y, X), pt(X, Z), pt(Z, W) ==> pt(Y, W). store(Y, X), pt(Y, Z), pt(X, W) ==> pt(Z, W).
         ?- addr(1, 2), addr(2, 3), addr(4, 1), addr(5, 4), copy(6, 1), copy(1, 5), load(7, 4), load(3, 7), store(4, 2), store(6, 7).
         ?- addr(3, 5), store(3, 1), load(2, 6).".into(),
        // Partners of two keys that are known at once: same generation, with rows of the first key that are no partner,
        // keys that have no row, and a third partner that needs both.
        ":- chr_constraint e(+int, +int), g(+int, +int), odd(+int, +int), all(+int, +int, +int).
         g(X, Y) \\ g(X, Y) <=> true. odd(X, Y) \\ odd(X, Y) <=> true. all(X, Y, Z) \\ all(X, Y, Z) <=> true.
         e(P, X), e(P, Y) ==> X =\\= Y | g(X, Y). g(A, B), e(A, X), e(B, Y) ==> X =\\= Y | g(X, Y).
         g(A, B), e(A, X), e(B, Y) ==> X mod 2 =:= 1, X < Y + 3 | odd(X, Y). g(A, B), e(A, X), e(B, Y), g(X, Y) ==> all(A, X, Y).
         ?- e(0, 1), e(0, 2), e(0, 9), e(1, 3), e(1, 4), e(2, 5), e(2, 6), e(2, 10), e(3, 7), e(5, 8), e(5, 11), e(9, 4), e(10, 12).
         ?- e(7, 13), e(8, 14), e(12, 15), e(9, 9)."
            .into(),
        // A rule beside them that removes.
        ":- chr_constraint s(+int), e(+int, +int), p(+int, +int). p(X, Y) \\ p(X, Y) <=> true. e(X, Y) ==> p(X, Y). e(X, Y), p(Y, Z) ==> p(X, Z).
         s(N) <=> N > 0 | M is N - 1, e(N, M), s(M). ?- s(5). ?- e(0, 5).".into(),
        // Products: no row of its own, holes, a diagonal, two constraints of one key, negative keys and values, values
        // of 64 bits, the greatest.
        format!("{floyd} ?- edge(0, 3, 9), edge(3, 1, 2), edge(0, 1, 20), edge(1, 0, 1), edge(3, 0, 5), edge(70, 0, 1), edge(70, 1, 99)."),
        format!("{floyd} ?- edge(0, 0, 5), edge(0, 1, 3), edge(1, 0, 1), edge(1, 1, 9)."),
        format!("{floyd} ?- edge(0, 1, 5), edge(1, 2, 3), edge(0, 2, 10), edge(0, 2, 9)."),
        format!("{floyd} ?- edge(1, 2, 3), edge(0, 1, 4), edge(0, 2, 9), neg(5). ?- edge(0, 3, 1)."),
        format!("{floyd} ?- edge(0, 1, -5), edge(1, 2, -300000000), edge(0, 2, 10), edge(3, 0, 1), edge(3, 2, 7), edge(3, 1, 0)."),
        format!("{floyd} ?- edge(0, 1, -250000000), edge(1, 2, -250000000), edge(0, 2, 10), edge(3, 0, 1), edge(3, 2, 7)."),
        format!("{floyd} ?- edge(0, 1, 4611686018427387904), edge(1, 2, 4611686018427387903), edge(0, 2, 9223372036854775807)."),
        format!("{floyd} ?- edge(0, 1, 5), edge(1, 2, 3), edge(0, 2, 10). ?- edge(0, 3, 99), edge(2, 3, 1), edge(1, 3, 50)."),
        ":- chr_constraint w(+dense_int, +dense_int, +int). w(A, B, X), w(B, C, Y) \\ w(A, C, Z) <=> Z < X + Y | T is X + Y, w(A, C, T).
         ?- w(0, 1, 3), w(1, 2, 4), w(0, 2, 1), w(2, 3, 1), w(0, 3, 2), w(1, 3, -7).".into(),
    ]
}

/// The kernel that follows a fast path of the program.
fn followed(text: &str) -> Option<String> {
    launched(text, FEW).into_iter().next().map(|(kernel, _)| kernel)
}

/// The kernels of fast paths that a run launches, and how often, where so many constraints are few.
fn launched(text: &str, few: u32) -> Vec<(String, u64)> {
    let case = Case::new(text, RoundsOptions::default());
    let mut recorder = Recorder::new();
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    let options = Options { memory: 1 << 28, rows: 64, store: false, fast_paths: true, few };
    let mut control = Control::default().profile(&mut recorder);
    run(job, options, &mut case.simulator(), &mut control).expect("it has an end");
    drop(control);
    let kernels = recorder.kernels().iter().map(|k| (k.name.clone(), k.launches));
    kernels.filter(|(name, _)| ["product", "monotone"].contains(&&**name)).collect()
}

#[test]
fn fast_paths() {
    let options = RoundsOptions::default();
    let (mut products, mut linked) = (0, 0);
    for text in fast_path_programs() {
        agree_with(&text, options, Limits::default());
        let kernel = followed(&text);
        products += usize::from(kernel.as_deref() == Some("product"));
        let joins_added = ["p(X, Y), p(Y, Z)", "pt(X, Z), pt(Z, W)"].iter().any(|heads| text.contains(heads));
        linked += usize::from(joins_added && kernel.as_deref() == Some("monotone"));
    }
    assert_eq!(products, 7, "programs of which some batch is a product");
    assert_eq!(linked, 2, "programs that join what is added with what is added");
    for text in fast_path_programs().into_iter().take(2) {
        agree_with(&text, options, Limits { max_rounds: Some(3), ..Limits::default() });
        agree_with(&text, options, Limits { max_steps: Some(20), ..Limits::default() });
    }
}

#[test]
fn indexes_of_tables_that_only_grow_follow_them_to_other_buffers() {
    let edges: Vec<String> = (0..40).map(|n| format!("e({n}, {})", (n + 1) % 40)).collect();
    let text = format!("{DOUBLING} ?- {}. ?- e(7, 100), e(101, 3).", edges.join(", "));
    let case = Case::new(&text, RoundsOptions::default());
    let job = Job { program: &case.program, plan: &case.plan, kernels: &case.kernels, input: &case.input };
    // Tables begin with a sixteenth of the memory at most: some 370 rows here, of 1,680 in the end.
    let options = Options { memory: 1 << 18, rows: 16, store: true, fast_paths: true, few: FEW };
    let outcome = run(job, options, &mut case.simulator(), &mut Control::default()).expect("it has an end");
    let expected =
        rounds::run(&case.program, &case.plan, &case.facts, &mut Control::default()).expect("it has an end");
    let text_of = |store: &Store| case.text(store);
    assert_eq!(text_of(&outcome.store), text_of(&expected.store));
    assert_eq!(outcome.stats.rounds, expected.stats.rounds);
    assert_eq!(followed(&text).as_deref(), Some("monotone"));
}

const FLOYD: &str = ":- chr_constraint edge(+dense_int, +dense_int, +int), row(+int, +int), late(+int).
     edge(I, K, D1), edge(K, J, D2) \\ edge(I, J, D3) <=> D3 > D1 + D2 | D4 is D1 + D2, edge(I, J, D4).";

/// Programs with a fast path that begins behind some general rounds, and the kernel that follows it; `None` where what
/// comes does not fit.
pub fn late_fast_paths() -> [(String, Option<&'static str>); 7] {
    let closure = ":- chr_constraint e(+int, +int), p(+int, +int), gen(+int, +int).
         p(X, Y) \\ p(X, Y) <=> true. e(X, Y) ==> p(X, Y). e(X, Y), p(Y, Z) ==> p(X, Z).
         gen(A, B) <=> B - A > 1 | M is (A + B) // 2, gen(A, M), gen(M, B). gen(A, _) <=> X is A * 7 mod 11, e(A, X), e(X, A).";
    let cells = "row(A, B) <=> B - A > 1 | M is (A + B) // 2, row(A, M), row(M, B).
         row(A, _) <=> I is A // 6, J is A mod 6, D is (A * 37 + 11) mod 50 + 1, edge(I, J, D).";
    [
        // All edges in one round; in two, so that values change before the fast path begins; twice, with general rounds
        // in between.
        (format!("{FLOYD} {cells} ?- row(0, 32)."), Some("product")),
        (format!("{FLOYD} {cells} ?- row(0, 36)."), Some("product")),
        (
            format!("{FLOYD} {cells} ?- row(0, 36). ?- edge(0, 7, 3), row(36, 41), edge(7, 9, 1)."),
            Some("product"),
        ),
        // Edges that come long behind the others, and then one that does not fit.
        (
            format!(
                "{FLOYD} {cells} late(N) <=> N > 0 | M is N - 1, late(M). late(0) <=> edge(2, 9, 1), edge(9, 4, 1). ?- row(0, 36), late(12)."
            ),
            Some("product"),
        ),
        (
            format!(
                "{FLOYD} {cells} late(N) <=> N > 0 | M is N - 1, K is 0 - N, edge(0, K, N), late(M). ?- row(0, 4), late(3)."
            ),
            None,
        ),
        // Sets that grow from what rules have made, in one round and in two.
        (format!("{closure} ?- gen(0, 16). ?- gen(16, 21), e(3, 50)."), Some("monotone")),
        (format!("{closure} ?- gen(-3, 8), p(90, 91)."), Some("monotone")),
    ]
}

#[test]
fn fast_paths_that_begin_behind_general_rounds() {
    for (text, kernel) in late_fast_paths() {
        agree_with(&text, RoundsOptions::default(), Limits::default());
        agree_with(&text, RoundsOptions::default(), Limits { max_rounds: Some(6), ..Limits::default() });
        assert_eq!(followed(&text).as_deref(), kernel, "{text}");
    }
}

/// Shortest paths in two tables, by one rule each.
const TWO_PRODUCTS: &str =
    ":- chr_constraint a(+dense_int, +dense_int, +int), b(+dense_int, +dense_int, +int), go(+int).
     near @ a(I, K, D), a(K, J, E) \\ a(I, J, F) <=> F > D + E | G is D + E, a(I, J, G).
     far @ b(I, K, D), b(K, J, E) \\ b(I, J, F) <=> F < D + E | G is D + E, b(I, J, G).
     go(N) <=> N > 0 | M is N - 1, a(N, M, N), b(M, N, N), go(M).";

#[test]
fn each_of_two_replacements_is_a_product_while_only_its_table_is_new() {
    let a = "a(0, 1, 5), a(1, 2, 3), a(2, 3, 1), a(0, 2, 10), a(0, 3, 30), a(1, 3, 9)";
    let b = "b(0, 1, 5), b(1, 2, 3), b(2, 3, 1), b(0, 2, 1), b(0, 3, 2), b(1, 3, 0)";
    let (_, program) = programs::constraints("test.chr", TWO_PRODUCTS);
    let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
    let text = plan.display(&program).to_string();
    assert!(text.contains("a/3: products of matrices over (min, +), by near"), "{text}");
    assert!(text.contains("b/3: products of matrices over (max, +), by far"), "{text}");
    for (queries, kernel) in [
        (format!("?- {a}."), Some("product")),
        (format!("?- {b}."), Some("product")),
        (format!("?- {a}. ?- {b}. ?- a(3, 4, 1), a(0, 4, 99)."), Some("product")),
        (format!("?- {a}, {b}."), None),
        (format!("?- {a}, {b}, go(3). ?- go(2), {a}."), None),
    ] {
        let text = format!("{TWO_PRODUCTS} {queries}");
        agree_with(&text, RoundsOptions::default(), Limits::default());
        agree_with(&text, RoundsOptions::default(), Limits { max_rounds: Some(2), ..Limits::default() });
        assert_eq!(followed(&text).as_deref(), kernel, "{text}");
    }
}

#[test]
fn values_that_change_beside_monotone_tables_are_not_forgotten() {
    let text = ":- chr_constraint e(+int, +int), d(+int, +int), a(+int), b(+int).
         e(X, Y), d(X, A) \\ d(Y, B) <=> B > A + 1 | C is A + 1, d(Y, C).
         a(X) ==> b(X).
         ?- a(1), e(0, 1), e(1, 2), e(2, 3), e(3, 4), d(0, 0), d(1, 90), d(2, 91), d(3, 92), d(4, 93).";
    agree_with(text, RoundsOptions::default(), Limits::default());
}

#[test]
fn rules_that_compute_signs_only_add() {
    let text = ":- chr_constraint s(+int), t(+int).
         s(X) ==> sign(X) =\\= 0 | Y is sign(X), t(Y). t(X) ==> X > 1 | s(X).
         ?- s(7), s(0), s(-7), s(1).";
    agree_with(text, RoundsOptions::default(), Limits::default());
    assert_eq!(followed(text).as_deref(), Some("monotone"));
}

/// Programs in which values of a matrix are new or change in rounds that start from other constraints, too, and whether
/// a product is launched to find what they offer: two constraints of one key are seen by it only.
pub fn values_beside_others() -> Vec<(String, bool)> {
    let floyd = FLOYD.replace("row(+int, +int)", "row(+int, +int), go(+int), slow(+int), w(+int)");
    let edges = "edge(0, 1, 9), edge(1, 2, 3), edge(2, 0, 4), edge(0, 2, 30), edge(2, 1, 30), edge(1, 0, 30)";
    // Edges that come one after the other, each with something else.
    let go = "go(N) <=> N > 0 | M is N - 1, J is N mod 3, K is (N + 1) mod 3 + 3, edge(J, K, N), edge(K, J, 1), go(M).";
    vec![
        (format!("{floyd} go(N) <=> N > 0 | M is N - 1, go(M). ?- {edges}, go(4)."), true),
        (
            format!(
                "{floyd} go(N) <=> N > 0 | M is N - 1, K is N + 2, edge(K, 0, N), edge(1, K, 2), go(M). ?- {edges}, go(5)."
            ),
            true,
        ),
        (
            format!(
                "{floyd} go(N) <=> N > 0 | M is N - 1, K is N + 2, edge(K, 0, N), edge(1, K, 2), go(M). ?- {edges}, go(3). ?- edge(7, 8, 1), edge(0, 7, 1), edge(0, 8, 100), go(6)."
            ),
            true,
        ),
        // Candidates that are carried over: of those that want one constraint only one fires in a round.
        (
            format!(
                "{floyd} slow(A), slow(B) <=> C is A + B, slow(C). ?- {edges}, slow(1), slow(2), slow(3), slow(4), slow(5)."
            ),
            true,
        ),
        // Rounds that are given up: no room for what bodies add, a guard and a body without a value.
        (
            format!(
                "{floyd} go(N) <=> N > 0 | M is N - 1, w(N), w(M), w(N), w(M), go(M), go(M). ?- {edges}, go(5)."
            ),
            true,
        ),
        (format!("{floyd} go(N) <=> 7 // N > 0 | M is N - 1, go(M). ?- {edges}, go(2)."), true),
        (
            format!("{floyd} go(N) <=> N > -3 | M is N - 1, K is 7 // M, w(K), go(M). ?- {edges}, go(2)."),
            true,
        ),
        // Two edges of one key after some rounds, and at once; keys that are far apart, values that are too great.
        (format!("{floyd} {go} ?- {edges}, go(7)."), true),
        (format!("{floyd} {go} ?- {edges}, edge(0, 1, 8), go(7)."), true),
        (
            format!(
                "{floyd} go(N) <=> N > 0 | M is N - 1, K is N * 100000, edge(K, 0, N), edge(1, K, 2), go(M). ?- {edges}, edge(70000, 1, 2), go(3)."
            ),
            false,
        ),
        (
            format!(
                "{floyd} go(N) <=> N > 0 | M is N - 1, go(M). ?- {edges}, edge(2, 3, 5000000000000000000), go(3)."
            ),
            false,
        ),
        // The greatest value is best.
        (
            ":- chr_constraint w(+dense_int, +dense_int, +int), go(+int).
             w(A, B, X), w(B, C, Y) \\ w(A, C, Z) <=> Z < X + Y | T is X + Y, w(A, C, T).
             go(N) <=> N > 0 | M is N - 1, K is N + 3, w(K, 0, N), w(K, 2, -9), go(M).
             ?- w(0, 1, 3), w(1, 2, 4), w(0, 2, 1), w(2, 3, 1), w(0, 3, 2), w(1, 3, -7), go(3)."
                .into(),
            true,
        ),
    ]
}

#[test]
fn values_are_offered_by_products_beside_other_constraints() {
    for (text, offered) in values_beside_others() {
        agree_with(&text, RoundsOptions::default(), Limits::default());
        for rounds in 1..4 {
            let limits = Limits { max_rounds: Some(rounds), ..Limits::default() };
            agree_with(&text, RoundsOptions::default(), limits);
        }
        if !text.contains("//") {
            assert_eq!(!launched(&text, 0).is_empty(), offered, "{text}");
        }
    }
}

#[test]
fn products_are_offered_where_they_are_worth_their_launches() {
    let text = &values_beside_others()[0].0;
    // Two products beside the constraints that count down, where six edges are many.
    assert!(launched(text, FEW).is_empty());
    assert_eq!(launched(text, 0), [("product".into(), 2)]);
}
