//! `gchr simd` from outside: results, trace, statistics, limits, mistakes.

use crate::support::{Scratch, gchr};

/// Every thread adds its own cell to a sum, by increments.
const SUM: &str = ".threads 4
.warp 4
.memory 0: 3 0 2 1 0
    load n, [tid]
more:
    bz n, done
    atomic_inc sum, [4]
    sub n, n, 1
    jump more
done:
    sync
    stop
";

#[test]
fn a_program_runs_to_its_memory_and_variables() {
    let scratch = Scratch::new();
    scratch.file("sum.simd", SUM);
    let run = scratch.gchr(&["simd", "sum.simd", "--stats"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "0: 3 0 2 1 6\n% thread n sum\n% 0 0 6\n% 1 0 _\n% 2 0 5\n% 3 0 3\n")
    );
    for line in
        ["steps              17", "load_transactions  1", "atomics            6", "divergent_branches 3"]
    {
        assert!(run.stderr.contains(line), "{line}\n{}", run.stderr);
    }
    // A result is a memory file.
    scratch.file("result", &run.stdout);
    let run = scratch.gchr(&["simd", "sum.simd", "--memory", "result", "--threads", "3", "--warp", "2"]);
    assert!(run.stdout.starts_with("0: 3 0 2 1 11\n"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn the_trace_has_one_line_a_step() {
    let run = gchr(&["simd", "examples/simd/bench08.simd", "--trace"]);
    assert_eq!(run.code, 0);
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 22);
    assert_eq!(lines[0], "     1  warp 0  LD  pc   1  1111  load v0, [tid]");
    assert_eq!(lines[10], "    11  warp 0  EB  pc  11  ...1  everywhere");
    assert_eq!(lines[21], "    22  warp 0  SP  pc  19  1111  stop");
}

#[test]
fn every_example_runs() {
    for name in ["bench08", "memcpy_a", "memcpy_c", "memcpy_d", "memcpy_everywhere"] {
        let path = format!("examples/simd/{name}.simd");
        let run = gchr(&["simd", &path]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        let printed = gchr(&["simd", &path, "--print"]);
        let scratch = Scratch::new();
        scratch.file("printed.simd", &printed.stdout);
        assert_eq!(scratch.gchr(&["simd", "printed.simd"]).stdout, run.stdout, "{name}");
    }
}

#[test]
fn a_kernel_is_compiled() {
    let memory = "examples/simd/rows.memory";
    let kernel = ["simd", "examples/simd/rows.cu", "--memory", memory];
    let run = gchr(&kernel);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    // What counting without a machine gives.
    let cells = |text: &str| -> Vec<i64> {
        let lines = text.lines().filter(|line| !line.starts_with('%'));
        let values = lines.flat_map(|line| line.split_once(": ").expect("an address").1.split(' '));
        let counted = values.map(|value| value.split_once('*').unwrap_or((value, "1")));
        counted.flat_map(|(v, n)| vec![v.parse().expect("a number"); n.parse().expect("a number")]).collect()
    };
    let before = cells(&std::fs::read_to_string(crate::support::root().join(memory)).expect("a memory file"));
    let [starts, values, counts] = [0, 1, 2].map(|i| before[i] as usize);
    let ones = (0..32).map(|row| {
        let [from, to] = [row, row + 1].map(|i| values + before[starts + i] as usize);
        before[from..to].iter().sum::<i64>()
    });
    assert_eq!(cells(&run.stdout)[counts..], ones.collect::<Vec<_>>());
    for (file, wanted) in [("nosuch.simd", "bench08.simd"), ("nosuch.cu", "rows.cu")] {
        let missing = gchr(&["simd", file]);
        assert!(missing.code == 2 && missing.stderr.contains(wanted), "{}", missing.stderr);
    }
    let missing = gchr(&["simd", "examples/simd/bench08.simd", "--memory", "nosuch"]);
    assert!(missing.stderr.contains("give the path of a memory file"), "{}", missing.stderr);
    let missing = gchr(&["simd", "examples/simd/rows.cu", "--kernel", "count"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("S0302"), "{}", missing.stderr);
    let scratch = Scratch::new();
    let barrier = "extern \"C\" __global__ void __launch_bounds__(32) k(u32* p) { barrier(); p[0u] = 1u; }";
    scratch.file("barrier.cu", barrier);
    let refused = scratch.gchr(&["simd", "barrier.cu"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("S0301") && refused.stderr.contains("barrier()"), "{}", refused.stderr);
}

#[test]
fn undefined_results_are_told_and_left_out() {
    let scratch = Scratch::new();
    scratch.file("clash.simd", ".threads 2\n.memory 0 0\n store [0], tid\n store [1], 5\n stop\n");
    let run = scratch.gchr(&["simd", "clash.simd"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "0: _ 5\n"));
    assert!(run.stderr.contains("S0122") && run.stderr.contains("clash.simd:3:"), "{}", run.stderr);
}

#[test]
fn an_endless_loop_is_stopped() {
    let scratch = Scratch::new();
    scratch.file("loop.simd", "again: jump again\n");
    let run = scratch.gchr(&["simd", "loop.simd", "--max-steps", "1000"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(
        run.stderr.contains("S0201") && run.stderr.contains("stopped after 1000 steps"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("loop.simd:1:") && run.stderr.contains("--max-steps"), "{}", run.stderr);
}

#[test]
fn mistakes_are_exit_code_2_with_their_line() {
    let scratch = Scratch::new();
    scratch.file("good.simd", "stop\n");
    scratch.file("memory", "0: 1 2\n2: x\n");
    for (name, text, code) in [
        ("unknown.simd", "\n fly v, 1\n stop\n", "S0003"),
        ("label.simd", "\n jump away\n stop\n", "S0005"),
        ("outside.simd", "\n jump 7\n stop\n", "S0005"),
        ("end.simd", "\n sync\n", "S0008"),
    ] {
        scratch.file(name, text);
        let run = scratch.gchr(&["simd", name]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}");
        assert!(
            run.stderr.contains(code) && run.stderr.contains(&format!("{name}:2:")),
            "{name}: {}",
            run.stderr
        );
    }
    for args in [
        &["simd"][..],
        &["simd", "missing.simd"],
        &["simd", "good.simd", "--memory", "memory"],
        &["simd", "good.simd", "--memory", "none"],
        &["simd", "good.simd", "--warp", "65"],
        &["simd", "good.simd", "--warp", "0"],
        &["simd", "good.simd", "--threads", "100000"],
    ] {
        let run = scratch.gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!run.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn missing_synchronisation_points_are_told() {
    let scratch = Scratch::new();
    for (text, line) in
        [("bz tid, 3\n const v, 1\n stop\n", "open.simd:3:"), ("sync\n stop\n", "open.simd:1:")]
    {
        scratch.file("open.simd", text);
        let run = scratch.gchr(&["simd", "open.simd"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        assert!(run.stderr.contains(line), "{}", run.stderr);
    }
}
