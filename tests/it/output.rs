//! What programs write in rounds: the same on all devices, before the store or beside it.

use crate::support::Scratch;

const SPEAK: &str = ":- chr_constraint p(+int), done(?any).
next @ p(X) <=> X < 4 | write(X), write(' next '), Y is X + 1, print('Y'-Y), nl, p(Y).
done @ p(X) <=> Z is X ** -1, writeq(f(Z, \"end\")), nl, done(Z).
?- write('first '), p(1), p(3), nl.
?- p(2), format(\"second ~w~n\", [query]).
";
const WRITTEN: &str = "first \n1 next 'Y'-2\n3 next 'Y'-4\n2 next 'Y'-3\nf(0.25,\"end\")\n3 next 'Y'-4\nf(0.25,\"end\")\n\
    second query\n2 next 'Y'-3\n3 next 'Y'-4\nf(0.25,\"end\")\n";
const STORE: &str = "done(0.25)\ndone(0.25)\ndone(0.25)\n";

#[test]
fn rules_write_the_same_on_all_devices() {
    let scratch = Scratch::new();
    scratch.file("speak.chr", SPEAK);
    for device in ["cpu", "sim", "auto"] {
        let run = |more: &[&str]| {
            let all = [&["run", "speak.chr", "--semantics", "rounds", "--device", device], more].concat();
            let ran = scratch.gchr(&all);
            assert_eq!(ran.code, 0, "{device}: {}", ran.stderr);
            ran
        };
        assert_eq!(run(&[]).stdout, format!("{WRITTEN}{STORE}"), "{device}");
        // Beside a result that other programs read, it goes to standard error.
        let csv = run(&["--format", "csv"]);
        assert_eq!(csv.stdout, "done,0.25\ndone,0.25\ndone,0.25\n", "{device}");
        assert!(csv.stderr.contains(WRITTEN), "{device}: {}", csv.stderr);
        assert_eq!(run(&["--out", "store"]).stdout, WRITTEN, "{device}");
        assert_eq!(scratch.read("store"), STORE, "{device}");
    }
}

#[test]
fn a_round_that_fails_writes_nothing() {
    let scratch = Scratch::new();
    scratch.file(
        "fails.chr",
        ":- chr_constraint p(+int).\np(X) <=> write(X), nl, Y is 6 // (3 - X), p(Y).\n?- p(1).\n",
    );
    for device in ["cpu", "sim"] {
        let ran = scratch.gchr(&["run", "fails.chr", "--semantics", "rounds", "--device", device]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, "1\n"), "{device}: {}", ran.stderr);
        assert!(ran.stderr.contains("division by zero"), "{device}: {}", ran.stderr);
    }
}
