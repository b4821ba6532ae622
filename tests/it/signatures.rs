//! Programs with unusual signatures run on the simulator of a GPU as they do on the CPU, under both schedulers, in
//! every configuration.

use std::fmt::Write as _;

use crate::support::Scratch;

/// Runs the program on the CPU and in all configurations of the simulator.
fn same_everywhere(text: &str, expected: &str) {
    let scratch = Scratch::new();
    scratch.file("program.trs", text);
    let cpu = scratch.gchr(&["run", "program.trs"]);
    assert_eq!((cpu.code, cpu.stdout.as_str()), (0, expected), "{}", cpu.stderr);
    let sim = scratch.gchr(&["run", "program.trs", "--device", "sim", "--scheduler", "tasks"]);
    assert_eq!((sim.code, sim.stdout.as_str()), (0, expected), "tasks: {}", sim.stderr);
    for strategy in ["innermost", "relaxed"] {
        for gc in ["none", "queue", "compact"] {
            let options = ["--device", "sim", "--scheduler", "topology", "--strategy", strategy, "--gc", gc];
            let sim = scratch.gchr(&[&["run", "program.trs"][..], &options].concat());
            assert_eq!((sim.code, sim.stdout.as_str()), (0, expected), "{strategy} {gc}: {}", sim.stderr);
        }
    }
}

#[test]
fn a_function_of_twenty_arguments() {
    let names: Vec<_> = (0..20).map(|i| format!("X{i}")).collect();
    let sum = names.iter().rev().cloned().reduce(|sum, x| format!("Plus({x}, {sum})")).expect("some");
    let given: Vec<_> = (0..20).map(|i| format!("S^{}(Zero())", i % 3)).collect();
    let text = format!(
        "sort N = struct Zero() | S(N);
map Sum: {} -> N;
map Plus: N # N -> N;
var {}, Y: N;
eqn Plus(Zero(), Y) = Y;
    Plus(S(X0), Y) = S(Plus(X0, Y));
    Sum({}) = {sum};
input Sum({});\n",
        ["N"; 20].join(" # "),
        names.join(", "),
        names.join(", "),
        given.join(", "),
    );
    same_everywhere(&text, "S^19(Zero)\n");
}

#[test]
fn a_constructor_of_twenty_arguments() {
    let names: Vec<_> = (0..20).map(|i| format!("X{i}")).collect();
    let swapped: Vec<_> = names.iter().rev().cloned().collect();
    let given: Vec<_> = (0..20).map(|i| i.to_string()).collect();
    let text = format!(
        "sort T = struct T({});
map Turn: T -> T;
var {}: Int;
eqn Turn(T({})) = T({});
input Turn(T({}));\n",
        ["Int"; 20].join(", "),
        names.join(", "),
        names.join(", "),
        swapped.join(", "),
        given.join(", "),
    );
    let turned: Vec<_> = given.iter().rev().cloned().collect();
    same_everywhere(&text, &format!("T({})\n", turned.join(", ")));
}

#[test]
fn three_hundred_symbols() {
    const SYMBOLS: usize = 300;
    let constructors: Vec<_> = (0..SYMBOLS).map(|i| format!("C{i}()")).collect();
    let mut text = format!("sort C = struct {};\nvar X: C;\nmap Next: C -> C;\n", constructors.join(" | "));
    for i in 0..SYMBOLS {
        let _ = writeln!(text, "map F{i}: C -> C;");
    }
    text += "eqn\n";
    for i in 0..SYMBOLS {
        let _ = writeln!(text, "Next(C{i}()) = C{}();", (i + 1) % SYMBOLS);
        let further = if i + 1 < SYMBOLS { format!("F{}(Next(X))", i + 1) } else { "Next(X)".into() };
        let _ = writeln!(text, "F{i}(X) = {further};");
    }
    text += "input F290(C296());\n";
    same_everywhere(&text, "C6\n");
}

#[test]
fn no_symbols_or_no_rules() {
    same_everywhere("input 1 + 2 * 3;\n", "7\n");
    same_everywhere("sort N = struct Zero() | S(N);\ninput S(S(Zero()));\n", "S(S(Zero))\n");
    // The sorts alone are no program that could run: both say what is missing.
    let scratch = Scratch::new();
    scratch.file("empty.trs", "% nothing\n");
    scratch.file("sorts.trs", "sort N = struct Zero();\n");
    for (name, code) in [("empty.trs", "T0005"), ("sorts.trs", "U0106")] {
        for device in ["cpu", "sim"] {
            let run = scratch.gchr(&["run", name, "--device", device]);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name} {device}");
            assert!(run.stderr.contains(code), "{name} {device}: {}", run.stderr);
        }
    }
}

/// Beside what the tests of limits show on the CPU: slots that grow until memory is full, on the simulator.
#[test]
fn slots_that_outgrow_memory() {
    let scratch = Scratch::new();
    scratch.file(
        "grow.trs",
        "sort N = struct Zero() | S(N);\nmap Grow: N -> N;\nvar X: N;\neqn Grow(X) = Grow(S(X));\ninput Grow(Zero());\n",
    );
    for gc in ["none", "queue", "compact"] {
        let run = scratch.gchr(&[
            "run",
            "grow.trs",
            "--device",
            "sim",
            "--scheduler",
            "topology",
            "--gc",
            gc,
            "--memory",
            "4K",
        ]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{gc}");
        for part in ["R0202", "4 KiB", "stopped after", "--memory SIZE"] {
            assert!(run.stderr.contains(part), "{gc} {part}: {}", run.stderr);
        }
    }
}
