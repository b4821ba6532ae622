//! Plans of small systems after the passes that matter for them.

use super::*;
use gchr_base::rule::Start;
use gchr_base::signature::SymbolId;

fn program(text: &str) -> Program {
    gchr_testkit::programs::terms("test.trs", text).1
}

/// The functions of a plan (without the layout) right behind a pass; the last one of that name.
fn after(text: &str, pass: &str) -> String {
    after_with(text, pass, TermOptions::default())
}

fn after_with(text: &str, pass: &str, options: TermOptions) -> String {
    let mut shown = String::new();
    let plan = compile_here(&program(text), &options, &mut |name, plan| {
        if name == pass {
            shown = plan.to_string();
        }
    });
    assert!(plan.is_ok(), "{plan:?}");
    shown.split_once("\n\n").map_or(shown.clone(), |(_, functions)| functions.to_string())
}

const NAT: &str = "sort Nat = struct Zero | S(Nat) | Plus(Nat, Nat) | F(Nat, Nat) | G(Nat) | H(Nat);
 List = struct Nil | Cons(Nat, List) | App(List, List) | Even(List) | Odd(List);
 map P: Nat # Nat -> Bool;
var X, Y, Z : Nat; L, M : List; eqn ";

fn system(rules: &str) -> String {
    format!("{NAT}{rules}")
}

#[test]
fn decision_trees_test_each_column_once_in_textual_order() {
    let rules = "F(Zero, Y) = Zero; F(X, Zero) = X; F(S(X), S(Y)) = F(X, Y);";
    insta::assert_snapshot!(after(&system(rules), "lower"));
}

#[test]
fn failed_conditions_and_unequal_values_go_on_with_the_next_rule() {
    let rules =
        "F(X, X) = Zero; P(X, Y) -> F(X, Y) = X; F(X, S(Y)) = Y; P(Zero, Y) = true; P(S(X), Y) = false;";
    insta::assert_snapshot!(after(&system(rules), "lower"));
}

#[test]
fn equal_subterms_of_a_right_hand_side_are_one_step() {
    let rules = "G(X) = Plus(Plus(X, X), Plus(X, X)); Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));";
    insta::assert_snapshot!(after(&system(rules), "lower"));
}

#[test]
fn large_right_hand_sides_that_several_leaves_need_are_outlined() {
    let rules = "F(Zero, Zero) = Zero; F(S(Zero), S(S(Zero))) = Zero;
        F(X, Y) = Plus(Plus(S(X), S(Y)), Plus(S(S(X)), Plus(Y, S(S(Y)))));
        Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));";
    insta::assert_snapshot!(after(&system(rules), "lower"));
}

#[test]
fn chains_collapse_and_loops_are_inlined_as_loops() {
    let rules = "G(X) = H(X); H(X) = F(X, S(X)); F(X, Y) = Plus(Y, S(Y)); Plus(Zero, Y) = Y; Plus(S(X), Y) = Plus(X, S(Y));";
    insta::assert_snapshot!(after(&system(rules), "inline"));
}

#[test]
fn a_cell_that_was_matched_is_not_built_again() {
    let rules =
        "App(Cons(X, L), Cons(Y, M)) = Cons(Y, App(Cons(X, L), M)); App(L, Nil) = L; App(Nil, M) = M;";
    insta::assert_snapshot!(after(&system(rules), "simplify"));
}

#[test]
fn contexts_pass_holes_between_functions() {
    let rules = "Even(Nil) = Nil; Even(Cons(X, L)) = Cons(X, Odd(L)); Odd(Nil) = Nil; Odd(Cons(X, L)) = Cons(X, Cons(X, Even(L)));";
    insta::assert_snapshot!(after(&system(rules), "contexts"));
}

#[test]
fn a_circle_of_tail_calls_becomes_a_loop() {
    let rules =
        "Even(Nil) = Nil; Even(Cons(X, L)) = Cons(X, Odd(L)); Odd(Nil) = Nil; Odd(Cons(X, L)) = Even(L);";
    insta::assert_snapshot!(after(&system(rules), "contexts"));
}

#[test]
fn chains_that_trees_wait_for_come_first_and_steps_before_the_siblings() {
    let text = "sort T = struct L(Int) | N(T, T); I = struct Z | S(I); map Make: I # I # Int -> T;";
    let text = text.replace("S(I);", "S(I) | Plus(I, I);");
    let rules = "var X, Y : I; A : Int; eqn Plus(Z, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
        Make(Z, Y, A) = L(A); Make(S(X), Y, A) = N(Make(X, Y, (A + A)), Make(X, Plus(X, Y), ((A + A) + 1)));";
    insta::assert_snapshot!(after_with(&format!("{text} {rules}"), "liveness", TermOptions::tasks(false)));
}

#[test]
fn contexts_nest_and_take_the_last_call_only() {
    let rules = "F(Zero, Y) = Y; F(S(X), Y) = S^9(S(F(X, G(Y)))); G(X) = S(X);
        Plus(Zero, Y) = Y; Plus(S(X), Y) = Plus(G(X), S(Y));";
    insta::assert_snapshot!(after(&system(rules), "contexts"));
}

#[test]
fn resume_points_hold_what_is_needed_later() {
    let rules = "Size(Zero) = 0; Size(S(X)) = (Size(X) + (1 + Size(X)));
        G(S(X)) = Plus(G(X), X); Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));";
    let text = system(rules).replace("var ", "map Size: Nat -> Int; var ");
    insta::assert_snapshot!(after(&text, "liveness"));
}

#[test]
fn calls_that_need_each_other_are_no_siblings_and_cheap_ones_come_first() {
    // `Plus` is a chain, `G` a tree; `H` is bounded, and what it needs comes before the group.
    let rules = "F(Zero, Y) = Y; F(S(X), Y) = Plus(Plus(G(X), Plus(X, Y)), Plus(G(S(X)), H(Y)));
        G(Zero) = Zero; G(S(X)) = Plus(G(X), G(S(S(X)))); H(X) = S(S(X)); Plus(Zero, Y) = Y; Plus(S(X), Y) = Plus(X, S(Y));";
    insta::assert_snapshot!(after_with(&system(rules), "liveness", TermOptions::tasks(false)));
}

#[test]
fn the_call_of_a_context_is_a_sibling() {
    let text = "sort T = struct L | N(T, T); N = struct Z | S(N); map Make: N -> T; Visit: T -> T;";
    let rules = "var X : N; A, B : T; eqn Make(Z) = L; Make(S(X)) = N(Make(X), N(L, Make(X)));
        Visit(L) = L; Visit(N(A, B)) = N(Visit(A), Visit(B));";
    insta::assert_snapshot!(after_with(&format!("{text} {rules}"), "liveness", TermOptions::tasks(false)));
}

#[test]
fn base_cases_end_in_a_value_or_in_the_call_as_it_was() {
    let text = "sort T = struct L(Int) | N(T, T); map Fib: Int -> Int; Sum: T -> Int; Loop: Int -> Int; var I : Int; A, B : T; eqn
        (I < 2) -> Fib(I) = 1; Fib(I) = (Fib((I - 1)) + Fib((I - 2))); Sum(L(I)) = (I + 1); Sum(N(A, B)) = (Sum(A) + Sum(B));
        Loop(0) = 0; Loop(I) = (1 + Loop((I - 1)));";
    insta::assert_snapshot!(after_with(text, "base-cases", TermOptions::tasks(false)));
}

/// The base case of a function as it is printed.
fn base_case(text: &str, function: &str, counts: bool) -> String {
    let plan = after_with(text, "base-cases", TermOptions::tasks(counts));
    let start = plan.find(&format!("base case of {function}\n")).expect("a base case");
    let end = plan[start..].find("\n\n").map_or(plan.len(), |length| start + length);
    plan[start..end].to_string()
}

#[test]
fn cells_between_the_calls_of_a_base_case_are_not_built() {
    // What `Order` gives is taken apart by `Join`: two comparisons decide which leaves go where, and three cells are
    // built of five.
    let text = "sort T = struct L(Int) | N(T, T); map Warp: T # T -> T; Join: T # T -> T; Order: Int # Int -> T; var I, J : Int; A, B, C, D : T; eqn
        Warp(L(I), L(J)) = Order(I, J); Warp(N(A, B), N(C, D)) = Join(Warp(A, C), Warp(B, D));
        (I < J) -> Order(I, J) = N(L(I), L(J)); Order(I, J) = N(L(J), L(I));
        Join(N(A, B), N(C, D)) = N(N(A, C), N(B, D));";
    insta::assert_snapshot!(base_case(text, "Warp", false));
}

#[test]
fn references_of_a_base_case_wait_until_it_has_a_value() {
    let text =
        "sort T = struct L(Int) | N(T, T); map Twice: T -> T; Mirror: T -> T; var I : Int; A, B : T; eqn
        Mirror(L(I)) = L((I + 1)); Mirror(N(A, B)) = N(Mirror(B), Mirror(A)); Twice(A) = N(Mirror(A), A);";
    insta::assert_snapshot!(base_case(text, "Mirror", true));
}

#[test]
fn what_is_only_inspected_is_borrowed_and_opened_cells_are_built_again() {
    // `Check` inspects all it gets; `App` takes its first list apart and reuses its cells; `Twice` needs its argument
    // twice.
    let rules =
        "App(Nil, M) = M; App(Cons(X, L), M) = Cons(X, App(L, M)); F(Zero, Y) = Y; F(S(X), S(Y)) = F(X, Y);
        P(X, Zero) = true; P(X, S(Y)) = (F(X, Y) < F(Y, X)); Even(Cons(X, L)) = Cons(S(X), Cons(X, Odd(L)));
        Odd(Cons(X, L)) = L; Odd(Nil) = Nil;";
    let rules = rules.replace("(F(X, Y) < F(Y, X))", "(F(X, Y) == F(Y, X))");
    insta::assert_snapshot!(after_with(&system(&rules), "reuse", TermOptions::tasks(true)));
}

#[test]
fn a_sort_of_which_nothing_is_duplicated_needs_no_counts() {
    let text = "sort T = struct L(Int) | N(T, T); U = struct Pair(T, T) | Both(T) | Build(Int); map Make: Int -> T; Swap: T -> T; map Sum: T -> Int;
        var I : Int; A, B : T; eqn (I < 1) -> Make(I) = L(I); Make(I) = N(Make((I - 1)), Make((I - 2)));
        Swap(L(I)) = L(I); Swap(N(A, B)) = N(Swap(B), Swap(A)); Sum(L(I)) = I; Sum(N(A, B)) = (Sum(A) + Sum(B));
        Build(I) = Both(Swap(Make(I))); Both(A) = Pair(A, A);";
    let plan = compile(&program(text), &TermOptions::tasks(true)).expect("a plan");
    // `Pair(A, A)` shares a tree, so that `Swap` may meet a shared one.
    assert!(plan.to_string().contains("counted: T\n"), "{plan}");
    let linear = text.replace("Both(A) = Pair(A, A);", "");
    let plan = compile(&program(&linear), &TermOptions::tasks(true)).expect("a plan");
    assert!(plan.to_string().contains("counted: none\n"), "{plan}");
    let sum = plan.functions.iter().find(|f| f.name == "Sum").expect("Sum");
    assert!(sum.locals[sum.region.params[0]].borrowed, "{plan}");
}

/// Applies a change to the first block of a function that it fits, behind all passes: the verifier must object.
fn rejects_counted(text: &str, function: &str, what: &str, change: &dyn Fn(&mut Block) -> bool) {
    let mut plan = compile(&program(text), &TermOptions::tasks(true)).expect("a plan");
    plan.functions.iter_mut().for_each(|f| f.base = None);
    assert!(verify(&plan).is_empty());
    let mut changed = false;
    for f in plan.functions.iter_mut().filter(|f| f.name == function) {
        f.region.body.for_each_tail_mut(&mut |block| changed = changed || change(block));
    }
    assert!(changed, "{what}: nothing to change in {function}\n{plan}");
    assert!(!verify(&plan).is_empty(), "{what} in {function} is accepted\n{plan}");
}

#[test]
fn the_verifier_checks_that_references_balance() {
    let text = system(
        "App(Nil, M) = M; App(Cons(X, L), M) = Cons(X, App(L, M)); F(Zero, Y) = Zero; F(S(X), S(Y)) = F(X, Y);
         G(S(X)) = Plus(X, X); Plus(Zero, Y) = Y; Plus(S(X), Y) = Plus(X, S(Y)); P(X, Y) = (Plus(X, Y) == Plus(Y, X));
         Even(Cons(X, L)) = App(Even(L), App(Odd(L), L)); Odd(Cons(X, L)) = Cons(Plus(Zero, X), Odd(L));",
    );
    let check = |name, what, change: &dyn Fn(&mut Block) -> bool| rejects_counted(&text, name, what, change);
    let without = |kind: fn(&RefStep) -> bool| {
        move |b: &mut Block| {
            let found = b.steps.iter().position(|s| matches!(s, Step::Ref(step) if kind(step)));
            found.map(|i| b.steps.remove(i)).is_some()
        }
    };
    check("Even", "a missing duplicate", &without(|s| matches!(s, RefStep::Dup { .. })));
    check("P", "a missing drop", &without(|s| matches!(s, RefStep::Drop { .. })));
    check("App", "fields that nobody took out", &without(|s| matches!(s, RefStep::Open { .. })));
    check("Odd", "an opened cell that leaks", &|b| {
        let nest: &mut [Step] = match &mut b.end {
            End::Context { nest, .. } => nest,
            _ => &mut [],
        };
        b.steps.iter_mut().chain(nest).any(|s| match s {
            Step::Build { reuse, .. } => reuse.take().is_some(),
            _ => false,
        })
    });
    check("P", "a value dropped twice", &|b| {
        let found = b.steps.iter().position(|s| matches!(s, Step::Ref(RefStep::Drop { .. })));
        found.map(|i| b.steps.insert(i, b.steps[i].clone())).is_some()
    });
    check("P", "a value dropped before it is lent", &|b| {
        let found = b.steps.iter().position(|s| matches!(s, Step::Ref(RefStep::Drop { .. })));
        found.filter(|&i| i > 0).map(|i| b.steps.swap(i - 1, i)).is_some()
    });
    let mut plan = compile(&program(&text), &TermOptions::tasks(true)).expect("a plan");
    for f in plan.functions.iter_mut().filter(|f| f.name == "App") {
        let param = f.region.params[0];
        f.locals[param].borrowed = true;
    }
    assert!(!verify(&plan).is_empty(), "a borrowed parameter that is taken apart is accepted");
}

#[test]
fn the_verifier_checks_what_cells_of_a_base_case_hold() {
    // The base case of `All` builds a cell and opens it on both ways of a choice.
    let text =
        "sort T = struct L | M | N(T, T) | Turn(T, Bool) | All(T, Bool); var A, B, C : T; X : Bool; eqn
        All(L, X) = L; All(M, X) = M; All(N(A, B), X) = Turn(N(All(A, X), B), X);
        Turn(N(M, C), X) = C; Turn(N(N(A, B), C), X) = Turn(N(A, C), X);
        Turn(N(L, C), true) = N(C, L); Turn(N(L, C), false) = N(M, N(L, C));";
    let good = compile(&program(text), &TermOptions::tasks(true)).expect("a plan");
    let broken = |what, change: &dyn Fn(&mut Block) -> bool| {
        let mut plan = good.clone();
        let bases = plan.functions.iter_mut().filter_map(|f| f.base.as_mut());
        let changed: usize = bases.map(|base| change_everywhere(base, change)).sum();
        assert!(changed > 0, "{what}: nothing to change in\n{good}");
        assert!(!verify(&plan).is_empty(), "{what} is accepted\n{plan}");
    };
    broken("another field taken out", &|b| {
        b.steps.iter_mut().any(|s| match s {
            Step::Ref(RefStep::Open { fields, .. }) if fields[0].is_none() && fields[1].is_some() => {
                fields.reverse();
                true
            }
            _ => false,
        })
    });
    broken("a field taken out that stays in the cell", &|b| {
        let opens = |s: &Step| matches!(s, Step::Ref(RefStep::Open { fields, token: Some(_), .. }) if fields[1].is_some());
        let Some(at) = b.steps.iter().position(opens) else { return false };
        if let Step::Ref(RefStep::Open { fields, .. }) = &mut b.steps[at] {
            fields[1] = None;
        }
        true
    });
}

#[test]
fn the_verifier_checks_siblings_and_base_cases() {
    let text = system(
        "G(Zero) = Zero; G(S(X)) = Plus(G(X), G(S(X))); Plus(Zero, Y) = Y; Plus(S(X), Y) = Plus(X, S(Y));",
    );
    rejects_counted(&text, "G", "siblings that are none", &|b| {
        b.steps.iter_mut().rev().any(|s| match s {
            Step::Call { siblings, .. } => {
                *siblings += 1;
                true
            }
            _ => false,
        })
    });
    let mut plan = compile(&program(&text), &TermOptions::tasks(false)).expect("a plan");
    let rule = plan.rule_names.ids().next().expect("a rule");
    for f in plan.functions.iter_mut() {
        f.base.iter_mut().for_each(|base| base.applied.push(rule));
    }
    assert!(!verify(&plan).is_empty(), "a base case that counts a rule before the call is accepted");
}

#[test]
fn only_symbols_that_can_be_stuck_are_variants() {
    // `G` is total on what `F` leaves; `F` is not total, so that its applications are normal forms of `Nat` and `G`
    // must expect them.
    let rules = "F(Zero, Y) = Y; G(Zero) = Zero; G(S(X)) = X; H(X) = X;";
    let plan = compile(&program(&system(rules)), &TermOptions::default()).expect("a plan");
    let variants: Vec<&str> =
        plan.layout.sorts.iter().flat_map(|s| &s.variants).map(|v| v.name.as_str()).collect();
    assert_eq!(
        variants,
        ["true", "false", "P", "Zero", "S", "Plus", "F", "G", "Nil", "Cons", "App", "Even", "Odd"]
    );
}

#[test]
fn applications_without_rules_whose_result_is_a_number_are_errors() {
    let text = system("G(X) = X;").replace("var ", "map Size: Nat -> Int; var ");
    let plan = compile(&program(&text), &TermOptions::default()).expect("a plan");
    assert!(plan.to_string().contains("fn Size(a.0: Nat) -> Int\n  error: no rule for Size(a.0)"), "{plan}");
}

#[test]
fn code_stays_linear_where_trees_would_be_exponential() {
    // The classical bad case: each rule needs two columns of many.
    let n = 12;
    let args = vec!["Nat"; n].join(", ");
    let vars: Vec<String> = (0..n).map(|i| format!("X{i}")).collect();
    let rules: Vec<String> = (0..n - 1)
        .map(|i| {
            let cell = |j: usize| match j {
                _ if j == i => "Zero",
                _ if j == i + 1 => "S(Zero)",
                _ => &vars[j],
            };
            let row: Vec<&str> = (0..n).map(cell).collect();
            format!("W({}) = Zero;", row.join(", "))
        })
        .collect();
    let vars = vars.join(", ");
    let text =
        format!("sort Nat = struct Zero | S(Nat) | W({args}); var {vars} : Nat; eqn {}", rules.join("\n"));
    let plan = compile(&program(&text), &TermOptions::default()).expect("a plan");
    let size: usize = plan.functions.iter().map(|f| f.region.body.size()).sum();
    assert!(size < 4000, "{size}");
}

#[test]
fn the_verifier_finds_broken_plans() {
    let good =
        compile(&program(&system("G(S(X)) = X; G(Zero) = Zero;")), &TermOptions::default()).expect("a plan");
    let g = good.functions.ids().find(|&f| good.functions[f].name == "G").expect("G");
    let broken = |change: &dyn Fn(&mut Function)| {
        let mut plan = good.clone();
        change(&mut plan.functions[g]);
        verify(&plan)
    };
    assert!(broken(&|_| {}).is_empty());
    let arms = |f: &mut Function, change: &dyn Fn(&mut Vec<Arm>)| {
        if let End::Match { arms, .. } = &mut f.region.body.end {
            change(arms);
        }
    };
    assert!(!broken(&|f| arms(f, &|arms| arms.reverse())).is_empty());
    assert!(
        !broken(&|f| if let End::Match { default, .. } = &mut f.region.body.end {
            *default = None
        })
        .is_empty()
    );
    assert!(!broken(&|f| arms(f, &|arms| arms[1].fields[0] = None)).is_empty());
    assert!(!broken(&|f| f.region.body.end = End::Continue(Vec::new())).is_empty());
    assert!(!broken(&|f| f.result = good.layout.sorts.ids().next_back().expect("a sort")).is_empty());
}

/// Applies a change to a block and all below it, nested regions included: how often it applied.
fn change_everywhere(block: &mut Block, change: &dyn Fn(&mut Block) -> bool) -> usize {
    let mut changed = usize::from(change(block));
    for step in &mut block.steps {
        if let Step::Region { region, .. } = step {
            changed += change_everywhere(&mut region.body, change);
        }
    }
    changed + block.end.blocks_mut().into_iter().map(|b| change_everywhere(b, change)).sum::<usize>()
}

/// Every change of the function of one name, wherever it applies, is found.
fn rejects(text: &str, name: &str, what: &str, change: &dyn Fn(&mut Block) -> bool) {
    let good = compile(&program(text), &TermOptions::default()).expect("a plan");
    let id = good.functions.ids().find(|&f| good.functions[f].name == name).expect("the function");
    let mut plan = good.clone();
    let changed = change_everywhere(&mut plan.functions[id].region.body, change);
    assert!(changed > 0, "{what}: nothing to change in\n{good}");
    assert!(!verify(&plan).is_empty(), "{what}: not found in\n{plan}");
}

#[test]
fn the_verifier_checks_operators_contexts_and_resume_points() {
    let text = system(
        "Size(Zero) = 0; Size(S(X)) = (Size(X) + 1); P(X, Y) -> H(X) = Y; (Size(X) < Size(Y)) -> F(X, Y) = X;
         P(X, Y) = (Size(X) < 3); G(S(X)) = F(G(X), S(X)); App(Nil, L) = L;
         App(Cons(X, L), M) = Cons(X, Cons(X, App(L, M))); Only(S(X)) = 1;",
    )
    .replace("P(X, Y) -> H(X) = Y; ", "")
    .replace("var ", "map Size: Nat -> Int; Only: Nat -> Int; var ");
    let check = |name, what, change: &dyn Fn(&mut Block) -> bool| rejects(&text, name, what, change);
    check("G", "an empty resume point", &|b| {
        let mut live = b.steps.iter_mut().filter_map(|s| match s {
            Step::Call { live, .. } if !live.is_empty() => Some(live),
            _ => None,
        });
        live.next().map(|l| l.clear()).is_some()
    });
    check("Size", "an operand that is no number", &|b| {
        b.steps.iter_mut().any(|s| match s {
            Step::Operate { args, .. } => {
                args.fill(LocalId(0));
                true
            }
            _ => false,
        })
    });
    check("F", "numbers compared by the order of terms", &|b| match &mut b.end {
        End::If { test: Test::Compare(op, ..), .. } => {
            *op = gchr_base::op::Op::Before;
            true
        }
        _ => false,
    });
    check("F", "a number as truth value", &|b| match &mut b.end {
        End::If { test, .. } => {
            let Test::Compare(_, a, _) = *test else { return false };
            *test = Test::Holds(a);
            true
        }
        _ => false,
    });
    check("App", "a hole in two places", &|b| match &mut b.end {
        End::Context { hole, nest, .. } => {
            let Some(Step::Build { args, .. }) = nest.last_mut() else { return false };
            args[1] = *hole;
            true
        }
        _ => false,
    });
    check("Only", "an error with other arguments", &|b| match &mut b.end {
        End::NoRule { args, .. } => {
            args.clear();
            true
        }
        _ => false,
    });
    check("Only", "an error for a constructor", &|b| match &mut b.end {
        End::NoRule { symbol, .. } => {
            *symbol = SymbolId(0);
            true
        }
        _ => false,
    });
}

/// How deeply the blocks of a function are nested.
fn depth(block: &Block) -> usize {
    1 + block.end.blocks().into_iter().map(depth).max().unwrap_or(0)
}

#[test]
fn deep_and_wide_patterns_are_decided_in_parts() {
    let comb = |open: &str, close: &str, n: usize| format!("{}Zero{}", open.repeat(n), close.repeat(n));
    let patterns = [
        comb("S(", ")", 10_000),
        comb("Plus(X, ", ")", 5_000),
        comb("Plus(", ", Zero)", 5_000),
        format!("Plus({0}, {0})", comb("S(", ")", 5_000)),
    ];
    for pattern in patterns {
        let several: String =
            (0..4).map(|i| format!("G(S^{i}({})) = S^{i}(Zero);", pattern.replace('X', "G(Y)"))).collect();
        for rules in [format!("G({}) = Zero;", pattern.replace('X', "Zero")), several] {
            let plan = compile(&program(&system(&rules)), &TermOptions::default()).expect("a plan");
            assert!(plan.functions.iter().all(|f| depth(&f.region.body) < 600));
            assert!(plan.functions.len() > 50, "{}", plan.functions.len());
        }
    }
}

#[test]
fn equality_with_a_constant_is_a_match() {
    let rules = "(X == Zero) -> F(X, Y) = Y; (Y != Zero) -> F(X, Y) = S(X);";
    insta::assert_snapshot!(after(&system(rules), "simplify"));
}

#[test]
fn many_integers_are_found_by_halving() {
    let rules: String = (0..20).map(|i| format!("G({i}) = {};", i * i)).collect();
    insta::assert_snapshot!(after(&format!("map G: Int -> Int; eqn {rules}"), "lower"));
}

#[test]
fn symbols_with_too_many_arguments_are_refused() {
    let arguments = vec!["T"; 40_000].join(", ");
    let wide = format!(
        "sort T = struct Zero | Wide({arguments}); F = struct Run(T); var X : T; eqn Run(X) = Run(X);"
    );
    let found = compile(&program(&wide), &TermOptions::default()).expect_err("too wide");
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["P0103"]);
}

#[test]
fn programs_without_symbols_and_sorts_without_values_compile() {
    let empty = Program {
        signature: gchr_base::signature::Signature::with_builtin_bool(),
        rules: gchr_base::ids::IdVec::new(),
        start: gchr_base::rule::Start::Term(None),
        semantics: None,
    };
    assert!(compile(&empty, &TermOptions::default()).is_ok());
    let text = "sort E = struct Id(E) | Loop(E, E); var X : E; eqn Id(X) = X; Loop(X, X) = Id(X);";
    assert!(compile(&program(text), &TermOptions::default()).is_ok());
}

/// What an operation computes is no cell, though values of its sort may be: the fields of an arm for one are nobody's
/// reference.
#[test]
fn arms_for_cells_are_accounted_for_where_the_value_is_none() {
    let text =
        "sort Nat = struct Zero | S(Nat) | F(Bool, Nat) | G(Nat); map P: Nat # Nat -> Bool; var X, Y : Nat;
        eqn F(P(X, Y), Y) = S(X); G(X) = F((X == Zero), X);";
    let plan = compile(&program(text), &TermOptions::tasks(true)).expect("a plan");
    assert!(verify(&plan).is_empty());
}

/// Of a program of which nothing but its own term is evaluated nothing is compiled that the term cannot come to; what
/// that makes of it is what the whole plan makes of it.
#[test]
fn what_a_term_cannot_come_to_is_not_compiled() {
    let rules =
        "F(Zero, Y) = Y; F(S(X), Y) = S(F(X, Plus(X, Y))); Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
        H(S(S(X))) = G(X); G(H(X)) = X; G(F(X, Y)) = Y; Odd(Cons(X, L)) = Even(L);";
    let names = |plan: &TermPlan| plan.functions.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    for (input, functions, variants) in [
        ("F(S(S(S(Zero))), Zero)", &["Plus", "F"][..], 2),
        ("S(H(S(Zero)))", &["G", "H"], 4),
        ("G(S(Zero))", &["G"], 3),
        ("Cons(S(Zero), Odd(Nil))", &["Odd"], 2),
    ] {
        let program = program(&format!("{} input {input};", system(rules)));
        let Start::Term(Some(term)) = &program.start else { panic!("no term") };
        let options = TermOptions { only_start: true, ..TermOptions::default() };
        let value = |plan: &TermPlan| {
            let value = crate::exec::run(&program, plan, term, &mut Default::default());
            value.expect("a value").normal_form.to_text()
        };
        let (whole, part) = (compile(&program, &TermOptions::default()), compile(&program, &options));
        let (whole, part) = (whole.expect("a plan"), part.expect("a plan"));
        assert_eq!(names(&part), functions, "{input}");
        assert!(functions.len() < names(&whole).len());
        assert_eq!(value(&part), value(&whole), "{input}");
        let zero = program.signature.symbols.iter().find(|symbol| symbol.name == "Zero").expect("a symbol");
        assert_eq!(part.layout.sorts[zero.result].variants.len(), variants, "{input}");
    }
}

/// A term that needs most rules is no reason to compile others for it alone.
#[test]
fn terms_that_need_most_rules_are_known() {
    let rules =
        "F(Zero, Y) = Y; F(S(X), Y) = S(F(X, Plus(X, Y))); Plus(Zero, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
        H(X) = X; Even(Nil) = Nil;";
    for (input, most) in [
        ("F(Zero, Zero)", false),
        ("H(F(Zero, Zero))", true),
        ("Cons(H(Zero), Even(Nil))", false),
        ("Cons(H(F(Zero, Zero)), Even(Nil))", true),
        ("Zero", false),
    ] {
        let program = program(&format!("{} input {input};", system(rules)));
        assert_eq!(start_needs_most(&program), most, "{input}");
    }
    assert!(start_needs_most(&program(&system(rules))), "no term: all");
}

/// Calls keep no values of constants that only later calls need: a resume point of each would be as long as the rest.
#[test]
fn constants_are_made_behind_calls_that_do_not_need_them() {
    let text = "sort T = struct L(Int) | P(Int, T) | A(T, T); map G: T -> T; H: T -> T; var X, Y: T; I: Int;
        eqn A(L(I), Y) = Y; A(P(I, X), Y) = P(I, A(X, Y)); H(X) = A(A(X, X), P(5, L(6)));
            G(X) = A(L(1), A(P(2, L(7)), A(X, A(L(3), A(L(4), X)))));";
    let options = TermOptions { inline: false, ..TermOptions::default() };
    let plan = compile(&program(text), &options).expect("a plan");
    for function in plan.functions.iter().filter(|f| ["G", "H"].contains(&&*f.name)) {
        function.region.body.walk(&mut |block| {
            for step in &block.steps {
                let Step::Call { live, .. } = step else { continue };
                let is_param = |local: &LocalId| function.region.params.contains(local);
                assert!(live.iter().all(is_param), "{plan}");
            }
        });
    }
}
