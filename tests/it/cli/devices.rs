//! Stages, the simulator, `auto`, GPUs that are not there.

use super::*;

#[test]
fn stages_are_printed() {
    for stage in ["ast", "rules", "plan"] {
        for program in ["examples/bst.trs", "examples/floyd.chr"] {
            let run = gchr(&["emit", program, "--stage", stage]);
            assert_eq!(run.code, 0, "{program} {stage}: {}", run.stderr);
            assert!(run.stdout.lines().count() > 5, "{program} {stage}: {}", run.stdout);
        }
    }
}

#[test]
fn the_simulator_has_statistics_and_figures() {
    let tree = "examples/tree_exploration.trs";
    let cpu = gchr(&["run", tree]);
    let run = gchr(&["run", tree, "--device", "sim", "--gc", "queue", "--stats"]);
    assert_eq!((run.code, &run.stdout), (0, &cpu.stdout), "{}", run.stderr);
    for line in
        ["rewrites     19\n", "device       sim\n", "scheduler    tasks\n", "promotions ", "left_over    0\n"]
    {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    let run = gchr(&["run", tree, "--device", "sim", "--scheduler", "topology", "--stats"]);
    assert_eq!((run.code, &run.stdout), (0, &cpu.stdout), "{}", run.stderr);
    for line in ["rewrites     19\n", "device       sim\n", "scheduler    topology\n", "rounds       18\n"] {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    let figure = |key: &str| {
        let line = run.stderr.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default();
        line.trim().parse::<u64>().unwrap_or_else(|_| panic!("{key}: {}", run.stderr))
    };
    assert!(figure("rewritten ") > 19);
    assert!(figure("live_slots ") > 0);
    assert_eq!(figure("live_slots "), figure("reachable "));

    let json =
        gchr(&["run", tree, "--device", "sim", "--strategy", "relaxed", "--gc", "none", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let stats = &value["stats"];
    assert_eq!((&stats["device"], &stats["scheduler"]), (&"sim".into(), &"topology".into()));
    assert_eq!((&stats["rewrites"], &stats["firings"]), (&19.into(), &serde_json::Value::Null));
    for key in ["rounds", "peak_bytes", "live_cells", "collections"] {
        assert!(stats[key].is_u64(), "{key}: {stats}");
    }
    for key in ["wall_ms", "parse_ms", "compile_ms", "run_ms", "device_ms"] {
        assert!(stats[key].is_f64(), "{key}: {stats}");
    }
}

#[test]
fn the_input_is_part_of_what_a_device_compiles() {
    let scratch = Scratch::new();
    // No rule has an operator: those of the input have kernels all the same.
    scratch.file(
        "pair.trs",
        "sort P = struct P(Int, Int);\nmap F: Int -> P;\nvar N: Int;\neqn F(N) = P(N, N);\n",
    );
    for term in ["F(2 + 3 * 4)", "P(7 mod 4, 1)"] {
        let cpu = scratch.gchr(&["run", "pair.trs", "--input", term]);
        let sim = scratch.gchr(&["run", "pair.trs", "--input", term, "--device", "sim"]);
        assert_eq!((sim.code, sim.stdout), (0, cpu.stdout), "{term}: {}", sim.stderr);
    }
    let none = scratch.gchr(&["run", "pair.trs", "--device", "sim"]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("--input TERM"), "{}", none.stderr);
}

#[test]
fn auto_says_what_it_took_and_why() {
    let run = |file: &str, input: &str| {
        gchr(&["run", file, "--input", input, "--device", "auto", "--stats", "--timeout", "60s"])
    };
    // Too short for the GPU to come up, wherever there is one.
    let short = run("examples/fib_int.trs", "Fib(10)");
    assert_eq!((short.code, short.stdout.as_str()), (0, "55\n"), "{}", short.stderr);
    assert!(short.stderr.contains("device       cpu\n"), "{}", short.stderr);
    assert!(
        short.stderr.contains("choice       cpu: it was done before the gpu was ready"),
        "{}",
        short.stderr
    );
    let goals = ["--semantics", "rounds", "--device", "auto", "--stats"];
    let rounds = gchr(&[&["run", "examples/gcd.chr"][..], &goals].concat());
    let cpu = gchr(&["run", "examples/gcd.chr", "--semantics", "rounds"]);
    assert_eq!((rounds.code, &rounds.stdout), (0, &cpu.stdout), "{}", rounds.stderr);
    assert!(rounds.stderr.contains("choice       cpu: it was done before the gpu"), "{}", rounds.stderr);
    // Long enough to know whether there is a GPU.
    let long = run("examples/fib_int.trs", "Fib(27)");
    assert_eq!((long.code, long.stdout.as_str()), (0, "196418\n"), "{}", long.stderr);
    assert!(long.stderr.contains("rewrites     635621\n"), "{}", long.stderr);
    let wrong = run("examples/fib_int.trs", "Fib(9223372036854775807 + 1)");
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.contains("[R0101]"), "{}", wrong.stderr);
}

/// What `--device auto` starts for the GPU, with the simulator in its place.
#[test]
fn a_gpu_child_reports_its_run_and_ends_with_its_parent() {
    let child = |input: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gchr"));
        let program = ["run", "--gpu-child", "70000", "examples/fib_int.trs", "--device", "sim"];
        command.args(program).args(["--input", input]).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("gchr starts")
    };
    // Holds standard input open until the child has ended.
    let finish = |mut child: Child| {
        let waits = child.stdin.take();
        let output = child.wait_with_output().expect("gchr ends");
        drop(waits);
        let text = String::from_utf8(output.stdout).expect("a text");
        let (result, report) = text.trim_end().rsplit_once('\n').expect("a result and a report");
        let report: serde_json::Value = serde_json::from_str(report).expect("the report is JSON");
        (result.to_string(), report)
    };
    let (result, report) = finish(child("Fib(10)"));
    assert_eq!((result.as_str(), &report["exit"], &report["error"]), ("55\n", &"done".into(), &Value::Null));
    assert_eq!(report["stats"]["choice"], "gpu: it was done before the cpu");
    assert!(report["stats"]["wall_ms"].as_f64() >= Some(70000.0), "{report}");
    assert!(report["figures"].as_array().is_some_and(|figures| figures.len() >= 4), "{report}");
    let (result, report) = finish(child("Fib(9223372036854775807 + 1)"));
    assert_eq!((result.as_str(), &report["exit"]), ("", &"failed".into()));
    assert!(report["error"].as_str().is_some_and(|error| error.starts_with("overflow in ")), "{report}");
    // The parent process has gone.
    let left = child("Fib(60)").wait_with_output().expect("gchr ends");
    assert_eq!((left.status.code(), left.stdout.len()), (Some(1), 0));
}

#[test]
fn options_of_devices_are_for_devices() {
    let terms = "examples/min.trs";
    for (args, told) in [
        (&["run", terms, "--scheduler", "topology"][..], "--scheduler does not apply to --device cpu"),
        (&["run", terms, "--strategy", "relaxed"], "--strategy does not apply to --device cpu"),
        (&["run", terms, "--device", "cpu", "--gc", "none"], "--gc does not apply to --device cpu"),
        (&["run", terms, "--device", "sim", "--scheduler", "tasks", "--strategy", "relaxed"], "U0105"),
        (&["run", terms, "--device", "sim", "--trace"], "--trace is for --device cpu"),
        (&["run", "examples/min.chr", "--device", "sim"], "--semantics rounds"),
        (&["run", "examples/min.chr", "--device", "gpu"], "--semantics rounds"),
        (&["emit", terms, "--stage", "plan", "--gc", "none"], "--gc is for --stage kernels"),
        (&["emit", terms, "--stage", "cuda", "--arch", "sm_90"], "--arch is for --stage ptx"),
        (&["emit", terms, "--stage", "ptx", "--arch", "9.0"], "sm_90"),
    ] {
        let run = gchr(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(told), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn devices_are_listed() {
    let run = gchr(&["devices"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let names: Vec<_> = run.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names[..2], ["cpu", "sim"]);
    let has_gpu = names.contains(&"gpu:0");
    assert!(has_gpu != run.stderr.contains("[D01"), "{}{}", run.stdout, run.stderr);
    if !has_gpu {
        let measured = gchr(&["devices", "--measure"]);
        assert_eq!((measured.code, measured.stdout), (1, run.stdout), "nothing is measured");
    }
}

/// A number that no machine has: without a driver, the driver is missing; with one, the GPU is.
#[test]
fn a_gpu_that_is_not_there_is_a_diagnostic() {
    let scratch = Scratch::new();
    scratch.file("plus.trs", &format!("{PLUS}input Plus(Zero(), Zero());\n"));
    let run = scratch.gchr(&["run", "plus.trs", "--device", "gpu:4000", "--out", "result"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(run.stderr.contains("[D01") && run.stderr.contains("Help:"), "{}", run.stderr);
    assert_eq!(scratch.names(), ["plus.trs"]);
}

#[test]
fn limits_end_a_run_on_the_simulator() {
    let scratch = Scratch::new();
    scratch.file("loop.trs", LOOP);
    let tree = root().join("examples/tree_exploration.trs").display().to_string();
    let large = ["--input", "Visit(Multl(S^12(Zero()), Leaf(Zero())))"];
    for (program, options, code) in [
        ("loop.trs", &["--max-steps", "100"][..], "R0201"),
        ("loop.trs", &["--timeout", "5s"], "R0204"),
        ("loop.trs", &["--input", "Loop(9223372036854775807)"], "R0101"),
        (&tree, &["--memory", "64K", large[0], large[1]], "R0202"),
    ] {
        let start = Instant::now();
        let mut args = vec!["run", program, "--device", "sim", "--stats"];
        args.extend(options);
        let run = scratch.gchr(&args);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{args:?}: {}", run.stderr);
        assert!(
            run.stderr.contains(code) && run.stderr.contains("stopped after"),
            "{args:?}: {}",
            run.stderr
        );
        assert!(run.stderr.contains("device       sim\n"), "{args:?}: {}", run.stderr);
        assert!(start.elapsed() < Duration::from_secs(60), "{args:?}");
    }
}

#[test]
fn kernels_are_printed() {
    let emit = |stage: &str, strategy: &str| {
        let run =
            gchr(&["emit", "examples/bst.trs", "--stage", stage, "--strategy", strategy, "--gc", "compact"]);
        assert_eq!(run.code, 0, "{stage}: {}", run.stderr);
        run.stdout
    };
    let (kernels, cuda) = (emit("kernels", "innermost"), emit("cuda", "innermost"));
    for text in [&kernels, &cuda] {
        assert!(text.contains("iterate") && text.contains("rewrite") && text.ends_with('\n'));
    }
    assert!(cuda.contains("#line") && cuda.contains("examples/bst.trs"));
    assert_ne!(kernels, emit("kernels", "relaxed"));
    assert_eq!(cuda, emit("cuda", "innermost"));
}

#[test]
fn compiled_kernels_are_written() {
    let Some(folder) = nvrtc() else {
        let _ = writeln!(std::io::stderr(), "compiled_kernels_are_written: no NVRTC: skipped");
        return;
    };
    let scratch = Scratch::new();
    let tree = root().join("examples/tree_exploration.trs");
    let emit = |args: &[&str]| {
        let mut command = Command::new(crate::support::BINARY);
        command.current_dir(scratch.folder()).arg("emit").arg(&tree).args(args);
        let output = command
            .env("GCHR_NVRTC_DIR", &folder)
            .env("GCHR_CACHE_DIR", scratch.path("cache"))
            .output()
            .unwrap();
        (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, ptx, errors) = emit(&["--stage", "ptx", "--arch", "sm_90"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(String::from_utf8_lossy(&ptx).contains(".target sm_90"));
    let (code, nothing, errors) = emit(&["--stage", "cubin", "--arch", "sm_90", "--out", "kernels.cubin"]);
    assert_eq!((code, nothing), (Some(0), vec![]), "{errors}");
    assert!(fs::read(scratch.path("kernels.cubin")).unwrap().starts_with(b"\x7fELF"));
    let (code, _, errors) = emit(&["--stage", "cubin", "--arch", "sm_42"]);
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("[D0213]"), "{errors}");
}

/// With an empty environment NVRTC is found only where the system itself has one.
#[test]
fn a_missing_compiler_is_a_diagnostic() {
    let scratch = Scratch::new();
    scratch.file("plus.trs", PLUS);
    let output = Command::new(crate::support::BINARY)
        .current_dir(scratch.folder())
        .args(["emit", "plus.trs", "--stage", "ptx", "--out", "kernels.ptx"])
        .env_clear()
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(scratch.path("kernels.ptx").exists()),
        Some(1) => assert!(errors.contains("[D020") && errors.contains("Help:"), "{errors}"),
        other => panic!("{other:?}: {errors}"),
    }
}

#[test]
fn a_cache_in_a_folder_with_other_things_is_left_alone() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("kernels")).unwrap();
    scratch.file("kernels/my-thesis.tex", "years of work");
    let file = fs::File::options().append(true).open(scratch.path("kernels/my-thesis.tex")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let run = |folder: &std::path::Path| {
        Command::new(crate::support::BINARY)
            .current_dir(root())
            .args(["run", "examples/min.trs", "--device", "sim"])
            .env("GCHR_CACHE_DIR", folder)
            .output()
            .unwrap()
    };
    let output = run(scratch.folder());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let about_cache: Vec<_> = errors.lines().filter(|line| line.contains("the kernel cache")).collect();
    let [line] = about_cache.as_slice() else { panic!("one line is expected: {errors}") };
    assert!(line.contains("is not used: it holds other things, such as \"my-thesis.tex\""), "{line}");
    assert_eq!(scratch.read("kernels/my-thesis.tex"), "years of work");
    assert_eq!(fs::read_dir(scratch.path("kernels")).unwrap().count(), 1);
    // A folder of one's own is used without a word.
    let output = run(&scratch.path("cache"));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("cache"));
    assert!(scratch.path("cache/kernels/CACHEDIR.TAG").exists());
    // Where none can be made, also by a superuser: the run is told once that nothing was kept.
    let output = run(std::path::Path::new("/proc/gchr"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(
        errors.matches("the kernel cache /proc/gchr/kernels cannot be written: ").count(),
        1,
        "{errors}"
    );
    assert!(errors.contains("GCHR_CACHE_DIR names another folder"), "{errors}");
}

#[test]
fn the_log_shows_the_stages() {
    let output = Command::new(crate::support::BINARY)
        .current_dir(root())
        .args(["run", "examples/min.chr"])
        .env("GCHR_LOG", "gchr=info")
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    for stage in ["parse", "compile", "run", "write"] {
        assert!(log.contains(stage), "{stage}: {log}");
    }
}

#[test]
fn a_choice_of_kernels_needs_a_gpu() {
    for device in ["cpu", "sim"] {
        for kernels in ["fast", "soon"] {
            let run = gchr(&["run", "examples/bst.trs", "--device", device, "--kernels", kernels]);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{device} {kernels}: {}", run.stderr);
            assert!(run.stderr.contains("[U0105] Error: --kernels has no effect"), "{}", run.stderr);
        }
    }
}
