"""Sessions of constraint programs: facts in, stores out, limits, interrupts."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import gchr
import pytest

PATHS = """
:- chr_constraint edge(+int, +int), path(+int, +int), note(+atom, +float).
edge(X, Y) \\ edge(X, Y) <=> true.
path(X, Y) \\ path(X, Y) <=> true.
edge(X, Y) ==> path(X, Y).
edge(X, Y), path(Y, Z) ==> path(X, Z).
"""

COUNT = ":- chr_constraint count(+int).\ncount(N) <=> N < 100000000000 | M is N + 1, count(M).\n"


def paths(**options):
    return gchr.Program(text=PATHS).session(**options)


@pytest.mark.parametrize("semantics", [None, "refined", "rounds"])
def test_a_session_goes_on_from_what_is_new(semantics):
    session = gchr.Program(text=PATHS, semantics=semantics).session()
    session.add("edge", [(1, 2)])
    assert session.run().stats["firings"] == 1
    session.add("edge", {"from": [2], "to": [3]})
    reply = session.run("edge(3, 4)")
    assert reply.answers is None and reply.value is None and reply.halted is None
    assert session["path"].rows() == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert session.count("path/2") == 6
    assert session["note"].rows() == []
    assert session.constraints == [("edge", 2), ("path", 2), ("note", 2)]
    assert session.undo()
    assert session.count("path") == 1
    assert str(session) == "edge(1,2)\npath(1,2)\n"


def test_a_store_is_kept_in_a_file(tmp_path):
    session = paths()
    session.run("edge(1, 2), edge(2, 3)")
    session.save(tmp_path / "paths.session")
    assert [file.name for file in tmp_path.iterdir()] == ["paths.session"]
    other = paths()
    other.restore(tmp_path / "paths.session")
    assert str(other) == str(session)
    other.run("edge(3, 4)")
    assert other.count("path") == 6
    with pytest.raises(gchr.ProgramError, match="U0144"):
        gchr.Program(text=PATHS + "edge(1, 1) <=> true.\n").session().restore(tmp_path / "paths.session")
    (tmp_path / "broken").write_bytes(b"gchr session 1\nbroken")
    with pytest.raises(gchr.ProgramError, match="U0145"):
        other.restore(tmp_path / "broken")
    assert other.count("path") == 6


def test_facts_of_all_kinds():
    session = paths()
    session.add("note", [("a b", 0.5), ("c", 2.0)])
    session.add("note", {"name": ["d"], "value": [1.0]})
    session.add("edge", [])
    session.run()
    assert session["note"].rows() == [("a b", 0.5), ("c", 2.0), ("d", 1.0)]
    text = gchr.Program(text=":- chr_constraint c(?any), b(?any).\n").session()
    text.add("c", [1, 2])
    text.add("b", [True, False])
    text.run()
    assert text["c"].rows() == [(1,), (2,)]
    assert sorted(str(value) for (value,) in text["b"].rows()) == ["false", "true"]


def test_files_of_facts(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("from,to\n1,2\n2,3\n")
    session = paths()
    guessed = session.add_file("edge", file)
    assert "header" in guessed[0]
    session.run()
    assert session.count("path") == 3
    with pytest.raises(gchr.ProgramError, match="C0601"):
        session.add_file("edge", tmp_path / "missing.csv")


@pytest.mark.parametrize(
    ("constraint", "data", "error", "said"),
    [
        ("edges", [(1, 2)], gchr.ProgramError, "did you mean edge"),
        ("edge", [(1, 2, 3)], gchr.ProgramError, "C0604"),
        ("edge", [(1, "a")], gchr.ProgramError, "C0605"),
        ("edge", [(1, 2), (3,)], gchr.TableError, "C0604.*different lengths"),
        ("edge", [(1, 2), ("a", 3)], gchr.TableError, "C0605.*row 2 of column arg1 is of type str"),
        ("edge", {"a": [1, 2], "b": [1]}, gchr.TableError, "C0604.*different lengths"),
        ("edge", [(0, 1), (2**70, 1)], gchr.TableError, "C0606.*row 2 of column arg1"),
        ("edge", [(None, 1)], gchr.TableError, "C0614.*row 1 of column arg1 has no value"),
        ("edge", [(1, 2), (1, None)], gchr.TableError, "C0614.*row 2 of column arg2 has no value"),
        ("edge", 7, TypeError, "no table"),
        ("nothing", [], KeyError, "nothing"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_lost(constraint, data, error, said):
    session = paths()
    session.run("edge(1, 2)")
    with pytest.raises(error, match=said) as caught:
        session.add(constraint, data)
    if issubclass(error, gchr.GchrError):
        (found,) = caught.value.diagnostics
        assert found.severity == "error" and f"[{found.code}]" in str(caught.value) and found.help
    session.run("edge(2, 3)")
    assert session.count("path") == 3


def test_diagnostics_have_places():
    with pytest.raises(gchr.ProgramError) as caught:
        gchr.Program(text=":- chr_constraint p(+int).\np(X) <=> q(X).\n", name="my.chr")
    found = caught.value.diagnostics
    assert found[0].severity == "error"
    file, line, column, _ = found[0].labels[0]
    assert (file, line) == ("my.chr", 2) and column > 1
    assert "my.chr:2" in str(caught.value)
    session = paths()
    with pytest.raises(gchr.ProgramError):
        session.add_goals("edge(1, ")
    with pytest.raises(ValueError, match="language"):
        gchr.Program(text="", language="cobol")
    with pytest.raises(ValueError, match="path of a program, or its text"):
        gchr.Program()
    with pytest.raises(ValueError, match="device"):
        paths(device="abacus")
    with pytest.raises(gchr.ProgramError, match="U0110"):
        paths(device="gpu")


def test_limits_leave_the_store():
    session = gchr.Program(text=COUNT).session()
    for limits in [{"max_steps": 1000}, {"timeout": 0.2}]:
        with pytest.raises(gchr.RunError) as caught:
            session.run("count(0)", **limits)
        assert caught.value.stats["firings"] >= 1000
        assert caught.value.diagnostics[0].code.startswith("R02")
        assert f"give a larger `{next(iter(limits))}`" in caught.value.diagnostics[0].help
        assert caught.value.diagnostics[0].help in str(caught.value)
        assert session.count("count") == 0
    for timeout in (-1, 0, 1e-12, 1e40, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="timeout"):
            session.run("count(0)", timeout=timeout)
    for answers in (0, -1, "some", 1.5):
        with pytest.raises(ValueError, match="answers is one of 1, a larger number"):
            session.run("count(0)", answers=answers)
    # No goal of these waits for the next run.
    assert session.run().stats["firings"] == 0 and session.count("count") == 0


def test_other_threads_go_on_and_progress_is_told():
    session = gchr.Program(text=COUNT).session()
    seen, beats = [], []
    stop = threading.Event()

    def beat():
        while not stop.wait(0.005):
            beats.append(time.monotonic())

    beating = threading.Thread(target=beat)
    beating.start()
    with pytest.raises(gchr.RunError):
        session.run("count(0)", timeout=0.5, progress=lambda steps, bytes, live: seen.append(steps))
    stop.set()
    beating.join()
    assert len(beats) > 20
    assert len(seen) > 3 and seen == sorted(seen)

    def refuse(steps, bytes, live):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        session.run("count(0)", progress=refuse)
    assert session.count("count") == 0


def test_an_interrupt_stops_the_run_and_not_the_session():
    script = textwrap.dedent(
        f"""
        import gchr, sys
        session = gchr.Program(text={COUNT!r}).session()
        print("ready", flush=True)
        try:
            session.run("count(0)")
        except KeyboardInterrupt:
            print("stopped", session.count("count"))
        session.run("count(100000000000)")
        print(session["count"].rows())
        """
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    os.kill(child.pid, signal.SIGINT)
    rest, _ = child.communicate(timeout=20)
    assert rest == "stopped 0\n[(100000000000,)]\n"


def test_an_interrupt_stops_what_is_read(tmp_path):
    file = tmp_path / "many.csv"
    file.write_text("".join(f"a{i},{i}\n" for i in range(1_000_000)))
    script = textwrap.dedent(
        f"""
        import gchr
        session = gchr.Program(text=":- chr_constraint row(+any, +int).").session()
        session.run("row(b, 7)")
        print("ready", flush=True)
        try:
            while True:
                session.add_file("row", {str(file)!r})
                session._inner.drop_pending()
        except KeyboardInterrupt:
            print("stopped")
        session.run("row(c, 8)")
        print(session.count("row"))
        """
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    os.kill(child.pid, signal.SIGINT)
    start = time.monotonic()
    rest, _ = child.communicate(timeout=20)
    assert rest == "stopped\n2\n"
    assert time.monotonic() - start < 5


def test_values_of_any_type_keep_their_types():
    program = gchr.Program(text=":- chr_constraint row(+int, ?any), p(?any).\n")
    goals = 'row(1, 7), row(2, "7"), row(3, a), row(4, f(a, 1.5)), row(5, [1, x]), row(6, 0.5), row(7, [])'
    for session in (program.session(), program.session(logic=True)):
        assert session["row"].rows() == []
        session.run(goals)
        rows = sorted(session["row"].rows())
        assert [row[0] for row in rows] == [1, 2, 3, 4, 5, 6, 7]
        values = [row[1] for row in rows]
        assert values[0] == 7 and values[1] == "7" and values[5] == 0.5 and values[6] == []
        assert isinstance(values[2], gchr.Term) and str(values[2]) == "a"
        assert values[3].to_tuple() == ("f", ("a",), 1.5)
        assert values[4][0] == 1 and str(values[4][1]) == "x"
        assert list(session["row"]) == session["row"].rows()
    logic = program.session(logic=True)
    logic.run("p(X), p(g(X))")
    values = [value for (value,) in logic["p"].rows()]
    assert sorted(value.is_variable for value in values) == [False, True]


def test_a_run_with_variables_is_taken_back():
    session = gchr.Program(text=":- chr_constraint p(?any).\n").session(logic=True)
    session.run("p(X)")
    session.run("p(Y), p(f(Y))")
    assert session.count("p") == 3
    assert session.undo() and session.count("p") == 1
    assert not session.undo()


def test_what_a_program_writes_is_heard(capsys):
    program = ":- chr_constraint say(+atom).\nsay(X) <=> write(X), nl.\n"
    session = gchr.Program(text=program).session()
    session.run("say('grün')")
    assert capsys.readouterr().out == "grün\n"
    heard = []
    session.run("say(a)", output=heard.append)
    assert "".join(heard) == "a\n"


def test_answers_of_goals_with_variables():
    program = ":- chr_constraint leq(?, ?).\nleq(X, X) <=> true.\nleq(X, Y), leq(Y, X) <=> X = Y.\n"
    program += "digit(1). digit(2). digit(3).\n"
    session = gchr.Program(text=program).session(logic=True)
    reply = session.run("digit(X), Y = f(X, [a, 'B c'], \"text\")", answers="all")
    assert [answer["X"] for answer in reply.answers] == [1, 2, 3]
    assert not reply.more
    y = reply.answers[1]["Y"]
    assert (y.functor, y[0], y.args[2]) == ("f", 2, "text")
    assert str(y) == "f(2, [a, 'B c'], \"text\")"
    assert [str(item) for item in y[1]] == ["a", "'B c'"]
    first = gchr.Program(text=program).session().run("leq(A, B), leq(B, C)")
    assert first.answers[0].goals and "leq" in str(first.answers[0])
    assert first.answers[0]["A"].is_variable and first.answers[0]["A"].functor == "A"
    with pytest.raises(KeyError):
        first.answers[0]["Z"]
    big = session.run("X is 2 ** 100").answers[0]["X"]
    assert big == 2**100


def test_why():
    session = paths(derivations=True)
    session.run("edge(1, 2), edge(2, 3)")
    assert "edge(1,2)" in session.why("path(1, 3)")


def test_a_symbol_of_several_widths():
    session = gchr.Program(text=":- chr_constraint p(+int), p(+int, +int).\n").session()
    session.add("p/2", [(1, 2)])
    session.run()
    assert (session.count("p/1"), session["p/2"].rows()) == (0, [(1, 2)])
    for name in ["p", "q", "p/3"]:
        with pytest.raises(KeyError):
            session[name]


def test_a_store_goes_to_a_device_and_back():
    session = gchr.Program(text=PATHS, semantics="rounds").session()
    session.run("edge(1, 2), edge(2, 3)")
    on_device = session.run("edge(3, 4)", device="sim")
    assert "sim" in str(on_device.stats)
    assert session.count("path") == 6
    session.run("edge(4, 5)")
    assert session.count("path") == 10
    with pytest.raises(gchr.RunError):
        session.run("edge(5, 1), fail")
    assert session.undo() and not session.undo()
    assert session.count("path") == 6
    session.run("edge(4, 1)", device="cpu")
    assert session.count("path") == 16
    with pytest.raises(ValueError):
        session.run("edge(4, 1)", device="tpu")
    refined = paths()
    with pytest.raises(gchr.ProgramError) as refused:
        refined.run("edge(1, 2)", device="sim")
    assert refused.value.diagnostics[0].code == "U0110"
    # The goal still waits, and nothing is lost.
    refined.run()
    assert refined.count("path") == 1
