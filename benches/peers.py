#!/usr/bin/env python3
"""The examples against Maude (terms) and SWI-Prolog's library(chr) (constraints), on this machine, at three sizes each.

    cargo build --release && python3 benches/peers.py [--runs N] [--only NAME,NAME] [--smallest]

Peers that are not installed are left out, and it says so. Every program runs from the text in examples/: to_maude.py translates terms,
SWI-Prolog loads constraint programs as they are, with its optimiser on and the type int for dense_int, which is faster there. Maude
evaluates equal subterms of a right-hand side each for itself, gchr once: that is a part of the ratio of tree_exploration.
Times are those of the run alone, as each system measures them, best of N. Results are compared: of terms at a small size, of
constraints at every size. Exit code 1 when results differ."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "peers"))
import to_maude  # noqa: E402

PEANO = "S^{n}(Zero())"
# name: (term, small size to compare, sizes, whether the order of rules matters)
TERMS = {
    "tree_exploration": (f"Visit(Multl({PEANO}, Leaf(Zero())))", 4, (16, 18, 20), False),
    "transformation_tree": (f"Expand({PEANO})", 4, (16, 18, 20), False),
    "bst": (f"BST(InputTree({PEANO}, S(S(Zero())), S(S(Zero())), S(S(Zero()))), Min(), Max())", 4, (14, 16, 18), False),
    "mergesort": ("Sort(Random({n}, 42))", 50, (1000, 10000, 100000), True),
    "mergesort_tree": (f"Build({PEANO}, Digits())", 3, (8, 10, 12), False),
    "nrev": (f"Rev(Upto({PEANO}))", 12, (500, 1000, 2000), False),
    "sieve": (f"Sieve(Range({PEANO}, S(S(Zero()))))", 30, (500, 1000, 2000), False),
    "ackermann": (f"Ack(S(S(S(Zero()))), {PEANO})", 2, (6, 7, 8), False),
    "hanoi": (f"Hanoi({PEANO}, A(), B(), C(), Done())", 4, (14, 16, 18), False),
    "peano": (f"Fact({PEANO})", 4, (7, 8, 9), False),
    "fib": (f"Fib({PEANO})", 10, (18, 20, 22), False),
    "fib_int": ("Fib({n})", 15, (20, 23, 26), True),
    "floyd": ("Floyd(Complete({n}, 42))", 6, (16, 32, 64), True),
    "primes": ("Primes({n})", 100, (1000, 3000, 10000), True),
    "gcd": ("All(Multiples({n}, 42))", 50, (1000, 10000, 100000), True),
    "min": ("Least(Random({n}, 42))", 50, (1000, 10000, 100000), True),
}
# name: (goals, sizes)
CONSTRAINTS = {
    "floyd": ("complete({n}, 42)", (32, 64, 128)),
    "primes": ("candidate(2, {n})", (2500, 5000, 10000)),
    "transitive_closure": ("random({n}, {n}, 7), random({n}, {n}, 8)", (250, 500, 1000)),
    "fib": ("upto({n}), fib(0, 0), fib(1, 1)", (500, 1000, 2000)),
    "min": ("random({n}, 42)", (10000, 100000, 1000000)),
    "gcd": ("multiples({n}, 42)", (10000, 100000, 1000000)),
    "mergesort": ("random({n}, 42), collect", (1000, 4000, 16000)),
    "union_find": ("make({n}), random({n}, {n}, 11)", (1000, 4000, 16000)),
    "dijkstra": ("random({n}, {n}, 5), random({n}, {n}, 6), from(0)", (1000, 4000, 16000)),
    "expressions": ("tree({n}, 1, total)", (10, 12, 14)),
}


def execute(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command[:3]} failed with {done.returncode}:\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return done


def gchr(binary, program, option, start, out):
    """Milliseconds of the run; the result is in the file `out`."""
    done = execute([binary, "run", program, option, start, "--out", out, "--stats"])
    return float(re.search(r"run_ms +([\d.]+)", done.stderr).group(1))


def maude(ast, start, ordered, show, folder):
    """Milliseconds, and the result if it is shown."""
    file = folder / "session.maude"
    file.write_text(to_maude.session(ast, start, ordered, show))
    done = execute(["maude", "-no-banner", "-no-wrap", "-batch", file])
    real = re.search(r"rewrites: \d+ in \d+ms cpu \((\d+)ms real\)", done.stdout)
    result = re.search(r"^result \S+: (.*?)\s*^(?:Bye|Maude)", done.stdout, re.S | re.M)
    if not real or not result:
        sys.exit(f"Maude says:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return max(float(real.group(1)), 1.0), result.group(1)


def swipl(text, goals, folder):
    """Milliseconds; the store is in the file `store`."""
    program = re.sub(r"^\?-.*?\.\s*$", "", text, flags=re.S | re.M)
    # Its array stores for dense_int serve look-ups by one argument only and make these programs some 20 times slower: use its hash stores.
    program = program.replace("dense_int", "int")
    program += "\n:- chr_option(optimize, full).\n:- chr_option(debug, off).\n"
    (folder / "program.pl").write_text(program)
    runner = HERE / "peers" / "run_chr.pl"
    done = execute(["swipl", "--stack-limit=8g", runner, "--", folder / "program.pl", goals, folder / "store"])
    return 1000 * float(re.search(r"seconds ([\d.]+)", done.stdout).group(1))


def plain(text):
    """A term without what the systems print differently."""
    out = re.sub(r"S\^(\d+)\(", lambda found: "S(" * int(found.group(1)) + "\1" * int(found.group(1)), text.strip())
    return re.sub(r"[\s()\1]", "", out)


def rows(file):
    return sorted(line.replace(" ", "") for line in file.read_text().splitlines())


def best(runs, measure):
    """Least time; slow runs are not repeated."""
    times = []
    while len(times) < runs and (not times or min(times) < 2000):
        times.append(measure())
    return min(times)


def compare(kind, peer, programs, arguments, measure):
    """One table; returns the names of the programs whose results differ."""
    print(f"\n{kind}: milliseconds of gchr and of {peer}\n")
    print(f"{'program':<20} {'size':>9} {'gchr':>10} {peer:>10} {'ratio':>7}")
    different = []
    for name, settings in programs.items():
        if arguments.only and name not in arguments.only:
            continue
        for size in settings[-2 if kind == "terms" else -1][: 1 if arguments.smallest else 3]:
            own, other, agree = measure(name, settings, size)
            different += [] if agree else [name]
            note = "" if agree else "  RESULTS DIFFER"
            print(f"{name:<20} {size:>9} {own:>10.1f} {other:>10.1f} {other / own:>7.1f}{note}", flush=True)
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gchr", default=ROOT / "target/release/gchr", type=pathlib.Path, help="the binary to measure")
    parser.add_argument("--runs", default=3, type=int, help="best of so many runs")
    parser.add_argument("--only", type=lambda names: names.split(","), help="these programs only")
    parser.add_argument("--smallest", action="store_true", help="the smallest size of each only")
    arguments = parser.parse_args()
    if not arguments.gchr.exists():
        sys.exit(f"{arguments.gchr} is not there: build it with `cargo build --release`, or give --gchr PATH")
    with tempfile.TemporaryDirectory() as name:
        different = run(arguments, pathlib.Path(name))
    if different:
        sys.exit(f"\nresults differ: {', '.join(sorted(set(different)))}")


def run(arguments, folder):
    own_result = folder / "result"

    def terms(name, settings, size):
        start, small, _, ordered = settings
        program = ROOT / "examples" / f"{name}.trs"
        ast = execute([arguments.gchr, "emit", program, "--stage", "ast"]).stdout
        gchr(arguments.gchr, program, "--input", start.format(n=small), own_result)
        agree = plain(own_result.read_text()) == plain(maude(ast, start.format(n=small), ordered, True, folder)[1])
        goal = start.format(n=size)
        own = best(arguments.runs, lambda: gchr(arguments.gchr, program, "--input", goal, "/dev/null"))
        return own, best(arguments.runs, lambda: maude(ast, goal, ordered, False, folder)[0]), agree

    def constraints(name, settings, size):
        program, goals = ROOT / "examples" / f"{name}.chr", settings[0].format(n=size)
        own = best(arguments.runs, lambda: gchr(arguments.gchr, program, "--query", goals, own_result))
        other = best(arguments.runs, lambda: swipl(program.read_text(), goals, folder))
        return own, other, rows(own_result) == rows(folder / "store")

    different = []
    for kind, peer, programs, measure in (("terms", "maude", TERMS, terms), ("constraints", "swipl", CONSTRAINTS, constraints)):
        if shutil.which(peer):
            different += compare(kind, peer, programs, arguments, measure)
        else:
            print(f"{kind}: {peer} is not installed, nothing is compared")
    return different


if __name__ == "__main__":
    main()
