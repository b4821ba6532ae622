//! Names that are fine on the processor are fine on devices: programs of both languages, with names of every kind,
//! become kernels and run.

use gchr::device::Verdict;
use gchr::{CompileOptions, Control, Device, Input, Program, Schedule};
use proptest::prelude::*;

/// Names of both languages that are easily taken for others where only letters, digits and single underscores are.
const AWKWARD: [&str; 14] = [
    "a__b",
    "a_",
    "a_1",
    "a",
    "gchr_a",
    "leave_a",
    "int",
    "main",
    "min",
    "atomic_add",
    "aUx5fx",
    "Ux",
    "u0",
    "x_v",
];

/// An atom in quotes.
fn quoted(name: &str) -> String {
    let escaped = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_alphanumeric() || c == ' ' || c == '_' => c.to_string(),
        c => format!("\\x{:x}\\", u32::from(c)),
    };
    format!("'{}'", name.chars().map(escaped).collect::<String>())
}

/// Joins over indexes, a reduction, a closure and a general rule, with compound terms and atoms.
fn constraints([edge, path, best, rule, functor, atom]: &[String; 6], [x, y, z]: &[String; 3]) -> String {
    let [edge, path, best, rule, functor, atom] = [edge, path, best, rule, functor, atom].map(|n| quoted(n));
    format!(
        ":- chr_constraint {edge}(+int, +int), {path}(+int, +int), {best}(+int), {rule}(?any).\n\
         {rule} @ {path}({x}, {y}) \\ {path}({x}, {y}) <=> true.\n\
         {path} @ {edge}({x}, {y}) ==> {path}({x}, {y}).\n\
         {path}({x}, {y}), {edge}({y}, {z}) ==> {path}({x}, {z}).\n\
         {best} @ {best}({x}) \\ {best}({y}) <=> {x} =< {y} | true.\n\
         {path}({x}, {y}) ==> {z} is {x} * {y}, {best}({z}).\n\
         {edge}({x}, {y}) ==> {x} < {y} | {rule}({functor}({x}, {atom})).\n\
         {rule}({functor}({x}, {atom})), {best}({y}) ==> {x} =:= {y} | {rule}({atom}).\n\
         ?- {edge}(1, 2), {edge}(2, 3), {edge}(3, 1).\n"
    )
}

/// Calls side by side, equality of terms, conditions.
fn terms([sort, nil, cons, build, sum]: &[String; 5], [x, y, n]: &[String; 3]) -> String {
    format!(
        "sort {sort} = struct {nil} | {cons}({sort}, {sort}, Int);\n\
         map {build}: Int -> {sort};\n    {sum}: {sort} -> Int;\n\
         var {x}, {y}: {sort};\n    {n}: Int;\n\
         eqn {build}(0) = {nil};\n\
         {n} > 0 -> {build}({n}) = {cons}({build}({n} - 1), {build}({n} - 1), {n});\n\
         {sum}({nil}) = 0;\n\
         {x} == {y} -> {sum}({cons}({x}, {y}, {n})) = 2 * {sum}({x}) + {n};\n\
         {sum}({cons}({x}, {y}, {n})) = {sum}({x}) + {sum}({y}) + {n};\n\
         input {sum}({build}(3));\n"
    )
}

fn result(program: &Program, options: &CompileOptions) -> String {
    let executable = program.compile(options).unwrap_or_else(|found| panic!("{found}"));
    executable.run(&mut Control::default()).unwrap_or_else(|failure| panic!("{failure}")).to_string()
}

/// The kernels of a program verify and print as CUDA, and give on the simulator what the processor gives.
fn runs_everywhere(program: &Program, options: &CompileOptions, text: &str) {
    let kernels = program.kernels(options).unwrap_or_else(|found| panic!("{found}\n{text}"));
    let cuda = kernels.cuda().unwrap_or_else(|found| panic!("{found}\n{text}"));
    let is_plain = |c: char| !gchr::base::escape::is_hidden(c) || c == '\n';
    assert!(cuda.chars().all(is_plain), "{text}");
    let refused = kernels.verify().iter().flat_map(Verdict::diagnostics).count();
    assert_eq!(refused, 0, "{text}");
    let on_cpu = CompileOptions { device: Device::Cpu, ..*options };
    assert_eq!(result(program, options), result(program, &on_cpu), "{text}");
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(AWKWARD.to_vec()).prop_map(String::from),
        "[a-z_]{1,4}",
        "[a-z]ö?_{0,2}[A-Zßа-я0-9]{0,3}",
        "[ -~]{1,5}",
        prop::sample::select(vec![
            "c-",
            "größe",
            "\n",
            "// x\\",
            "*/",
            "\u{1b}[31m",
            "\u{202e}",
            "\"",
            "?\u{3f}/",
            "#line 1"
        ])
        .prop_map(String::from),
        any::<char>().prop_map(|c| c.to_string()),
    ]
}

/// Different names that are not those of built-in predicates.
fn names<const N: usize>(name: impl Strategy<Value = String>) -> impl Strategy<Value = [String; N]> {
    let built_in = ["true", "fail", "write", "print", "nl", "is", "main", "min", "max", "halt", "format"];
    prop::collection::hash_set(name, N)
        .prop_filter("built in", move |names| names.iter().all(|n| !built_in.contains(&n.as_str())))
        .prop_filter_map("their number", |names| names.into_iter().collect::<Vec<_>>().try_into().ok())
}

fn term_name(first: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        (first, prop::sample::select(AWKWARD.to_vec())).prop_map(|(first, name)| first + name),
        (first, "[a-zA-Z0-9_]{0,4}").prop_map(|(first, name)| first + &name),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn names_of_constraint_programs(names in names::<6>(name()), vars in names::<3>("[A-Z_ÄÖ][a-zA-Z0-9_é]{0,2}_{0,2}")) {
        let vars = vars.map(|var| if var.starts_with('_') { format!("V{var}") } else { var });
        prop_assume!(vars[0] != vars[1] && vars[1] != vars[2] && vars[0] != vars[2]);
        let text = constraints(&names, &vars);
        // What the frontend refuses, such as the names of built-in predicates, is no program at all.
        let Ok(program) = Input::constraints(&text).parse() else { return Ok(()) };
        let options = CompileOptions {
            device: Device::Sim,
            semantics: Some(gchr::base::rule::Semantics::Rounds),
            ..CompileOptions::default()
        };
        runs_everywhere(&program, &options, &text);
    }

    #[test]
    fn names_of_term_programs(names in names::<5>(term_name("[A-Za-z]")), vars in names::<3>(term_name("[a-z]"))) {
        prop_assume!(names.iter().all(|name| !vars.contains(name)));
        let text = terms(&names, &vars);
        let Ok(program) = Input::terms(&text).parse() else { return Ok(()) };
        for scheduler in [gchr::Scheduler::Tasks, gchr::Scheduler::Topology] {
            let schedule = Schedule { scheduler, ..Schedule::default() };
            let options = CompileOptions { device: Device::Sim, schedule, ..CompileOptions::default() };
            runs_everywhere(&program, &options, &text);
        }
    }
}

#[test]
fn the_frontends_take_awkward_names() {
    // Else the properties above would hold of nothing.
    let letters = |n: usize| AWKWARD[n].to_string();
    let text = constraints(
        &["größe", "c-", "a__b", "a_", "F__g", "\n"].map(String::from),
        &["X_", "X__Y", "Größe"].map(String::from),
    );
    assert!(Input::constraints(text).parse().is_ok());
    let text = terms(
        &["S__a".into(), "F__g".into(), "C_".into(), letters(0), letters(1)],
        &["x_", "x__y", "gchr_x"].map(String::from),
    );
    assert!(Input::terms(text).parse().is_ok());
}
