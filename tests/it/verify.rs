//! `gchr verify` from outside: verdicts on generated and given kernels, their form, mistakes.

use std::fs;
use std::process::Command;

use crate::support::{BINARY, Scratch, gchr};

#[test]
fn kernels_of_a_program_are_accepted_under_named_assumptions() {
    let run = gchr(&["verify", "examples/fib_int.trs", "--gc", "compact"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for kernel in ["run", "compact"] {
        let accepted = format!("kernel {kernel}: accepted\n  under ");
        assert!(run.stdout.contains(&accepted), "{}", run.stdout);
    }
    let run =
        gchr(&["verify", "examples/fib_int.trs", "--gc", "queue", "--strategy", "relaxed", "--explain"]);
    assert_eq!(run.code, 0);
    for name in ["slots in use", "fresh slot", "first error", "`grid_barrier` keeps its contract"] {
        assert!(run.stdout.contains(&format!("  assumes \"{name}\"")), "{name}\n{}", run.stdout);
    }
}

#[test]
fn steps_are_told_as_tested() {
    let run = gchr(&["verify", "kernels/checker/tests/paper/reduce_steps.cu", "--explain"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let step = "tested, not proved: \"lane 0 has combined the lanes at multiples of the distance\"";
    assert!(run.stdout.contains(step), "{}", run.stdout);
    let run = gchr(&["verify", "examples/gcd.chr", "--firing", "exhaustive", "--kernel", "rounds"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn a_wrong_kernel_is_refused_with_rule_and_places() {
    let run = gchr(&["verify", "kernels/checker/tests/wrong/barrier_in_call.cu"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert_eq!(
        run.stdout,
        "kernel k: refused\n  barrier: a block barrier stands where control may differ between the threads of a block\n    \
         at meet, statement 0 (barrier();)\n    and k, statement 0 (if (threadIdx.x != 3u))\n"
    );
    let run = gchr(&["verify", "kernels/checker/tests/wrong/write_race.cu", "--format", "json"]);
    let verdicts: serde_json::Value = serde_json::from_str(&run.stdout).expect("is JSON");
    assert_eq!((run.code, &verdicts[0]["accepted"]), (1, &false.into()));
    assert_eq!(verdicts[0]["reasons"][0]["code"], "K0303");
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (empty, binary) = (folder.path().join("empty.cu"), folder.path().join("binary.cu"));
    std::fs::write(&empty, "").expect("written");
    std::fs::write(&binary, [0x7f, 0xff, 0x00, 0xfe]).expect("written");
    let (empty, binary) = (empty.to_str().expect("a path"), binary.to_str().expect("a path"));
    let cases: [(&[&str], &str); 7] = [
        (&["verify", "examples/fib_int.trs", "--firing", "general"], "does not apply to a term program"),
        (&["verify", "kernels/checker/tests/paper/map.cu", "--kernel", "nap"], "the kernels are: map"),
        (&["verify", "kernels/checker/tests/paper/map.cu", "--gc", "none"], "leave out --gc"),
        (&["verify", "kernels/checker/tests/paper/absent.cu"], "cannot read"),
        (&["verify", empty], "the file has no kernel"),
        (&["verify", binary], "is not a UTF-8 text"),
        (&["simd", empty], "the file has no kernel"),
    ];
    for (args, message) in cases {
        let run = gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn assumptions_are_explained_to_the_end() {
    let run = gchr(&["verify", "examples/bst.trs", "--explain"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let whole = "with a task, a join, a result or a batch, and read for the last time before the last reference to it is given up\"";
    assert!(run.stdout.contains(whole), "{}", run.stdout);
    assert!(!run.stdout.contains(" 1 accesses") && !run.stdout.contains(" 1 pairs"), "{}", run.stdout);
}

#[test]
fn a_launch_says_what_its_check_took() {
    let terms = ["run", "examples/min.trs", "--device", "sim", "--stats"];
    let constraints = ["run", "examples/gcd.chr", "--semantics", "rounds", "--device", "sim", "--stats"];
    for args in [&terms[..], &constraints] {
        let run = gchr(args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.contains("\nverify_ms "), "{}", run.stderr);
    }
}

#[test]
fn accepted_kernels_are_noted_beside_the_compiled_ones() {
    let scratch = Scratch::new();
    let run = || {
        let run = Command::new(BINARY)
            .args(["run", "examples/min.trs", "--device", "sim"])
            .env("GCHR_CACHE_DIR", scratch.folder())
            .env("GCHR_LOG", "info")
            .output()
            .expect("gchr starts");
        let log = String::from_utf8(run.stderr).expect("is UTF-8");
        assert!(run.status.success(), "{log}");
        log.contains("known=true")
    };
    assert!(!run());
    let kept: Vec<_> = fs::read_dir(scratch.path("kernels")).expect("a cache").collect();
    let is_note = |f: &&std::io::Result<fs::DirEntry>| {
        f.as_ref().is_ok_and(|f| f.path().extension().is_some_and(|ending| ending == "accepted"))
    };
    let notes: Vec<_> = kept.iter().filter(is_note).collect();
    let [Ok(note)] = notes.as_slice() else { panic!("one note is expected: {kept:?}") };
    assert!(run());
    // A torn note counts as none, and is made again.
    let whole = fs::read(note.path()).expect("readable");
    fs::write(note.path(), &whole[..whole.len() / 2]).expect("written");
    assert!(!run());
    assert_eq!(fs::read(note.path()).expect("readable"), whole);
}
