"""Programs and sessions."""

import os
import pathlib
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

from gchr import _gchr
from gchr._columns import as_table


class Program:
    """A program: a file, or a text with its language (`trs`, `chr`, `maude`, `mcrl2`, `rec`, `ari`).

    What is wrong with it is raised at once, as a `ProgramError`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        text: str | None = None,
        language: str | None = None,
        name: str | None = None,
        semantics: str | None = None,
    ) -> None:
        self._open = partial(
            _gchr.Session, path, text=text, language=language, name=name, semantics=semantics
        )
        first = self._open()
        self.warnings = first.warnings
        """What its author probably wants to know."""
        self.language = first.language
        """`terms` or `constraints`."""

    def session(
        self,
        *,
        device: str = "cpu",
        logic: bool = False,
        threads: int | None = None,
        memory: int | None = None,
        derivations: bool = False,
    ) -> "Session":
        """A session with an empty store.

        `device` runs goals and terms: `cpu`, `gpu`, `gpu:N`, `sim`. `logic`: goals with variables from the start.
        `memory`: bytes that the program, its facts and its store may take. `derivations`: records what `why` shows.
        """
        inner = self._open(
            device=device, logic=logic, threads=threads, memory=memory, derivations=derivations
        )
        return Session(inner)

    def evaluate(self, term: Any = None, *, device: str = "cpu", **limits: Any) -> Any:
        """The normal form of a term, or of the one that the program names."""
        return self.session(device=device).evaluate(term, **limits)


class Session:
    """A program between runs. `Program.session` makes one.

    While a run goes on, other threads of Python go on; an interrupt (Ctrl-C) stops it, and the store is what it was.
    """

    def __init__(self, inner: _gchr.Session) -> None:
        self._inner = inner

    @property
    def constraints(self) -> list[tuple[str, int]]:
        """Name and number of arguments of the constraints that the program declares."""
        return self._inner.constraints()

    def add(self, constraint: str, data: Any) -> None:
        """Adds rows of a constraint (`edge`, or `edge/3` where the name is not enough) for the next run.

        `data` is a table that lends itself by Arrow (pyarrow, polars, pandas, a `Table`), an array of NumPy,
        columns by name, or rows. Columns go by their order.
        """
        table = as_table(data)
        if table is None:
            self._symbol(constraint)
        else:
            self._inner.add_table(constraint, table)

    def add_file(self, constraint: str, path: str | os.PathLike[str]) -> list[str]:
        """Adds the rows of a file (CSV, JSON lines, Parquet, Arrow, SQLite); what was guessed about it, in lines."""
        return self._inner.add_file(constraint, path)

    def add_goals(self, goals: str) -> None:
        """Adds goals for the next run."""
        self._inner.add_goals(goals)

    def run(
        self,
        goals: str | None = None,
        *,
        device: str | None = None,
        answers: int | str = 1,
        max_steps: int | None = None,
        max_rounds: int | None = None,
        memory: int | None = None,
        timeout: float | None = None,
        progress: Callable[[int, int, int], object] | None = None,
        output: Callable[[str], object] | None = None,
    ) -> _gchr.Reply:
        """Runs what was added, and `goals` behind it.

        `device`: where this run and those behind it go on, with the store: `cpu`, `gpu`, `gpu:N`, `sim` (devices run
        in rounds: `Program(..., semantics="rounds")`). `answers`: how many of a program with choices, or `all`. `timeout` in seconds, `memory` in bytes. `progress` is
        called now and then with steps, bytes and live constraints, `output` with what the program writes
        (`sys.stdout.write` where nothing is given).
        """
        return self._inner.run(
            goals,
            device=device,
            answers=answers,
            max_steps=max_steps,
            max_rounds=max_rounds,
            memory=memory,
            timeout=timeout,
            progress=progress,
            output=output if output is not None else sys.stdout.write,
        )

    def evaluate(self, term: Any = None, **limits: Any) -> Any:
        """The normal form of a term, which is a text, a `Term`, or nested tuples; of the program's own without one."""
        return self.evaluate_with_stats(term, **limits).value

    def evaluate_with_stats(self, term: Any = None, **limits: Any) -> _gchr.Reply:
        """The same with what the run did and cost."""
        return self._inner.evaluate(None if term is None else _text(term), **limits)

    def __getitem__(self, constraint: str) -> _gchr.Table:
        """The constraints of a symbol, `path` or `path/2`, as a table.

        Its rows have numbers and texts where the program's types say so; what is in a column of any type (`?any`), and
        all of a store with logical variables, is a number, a text for a string, a list or a `Term`. Other libraries
        get texts for such columns.
        """
        found = self._inner.table(*self._symbol(constraint))
        if found is None:
            raise KeyError(constraint)
        return found

    def count(self, constraint: str) -> int:
        """How many constraints of a symbol are in the store."""
        found = self._inner.count(*self._symbol(constraint))
        if found is None:
            raise KeyError(constraint)
        return found

    def undo(self) -> bool:
        """Takes back the last run; whether there was one. On a device and with logical variables, the last one only."""
        return self._inner.undo()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keeps the store in a file, which appears when it is complete: see :meth:`restore`."""
        path = pathlib.Path(path)
        data = self._inner.save()
        part, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(part, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Makes the store what it was when a session of the same program was saved. A file that is none, or of another
        program, leaves the session as it is."""
        self._inner.restore(os.fspath(path), pathlib.Path(path).read_bytes())

    def why(self, of: str, *, depth: int | None = None) -> str:
        """What led to a constraint (`path(1,4)`), or to a place of the last normal form (`1.2`)."""
        return self._inner.why(of, depth=depth)

    def __str__(self) -> str:
        return self._inner.store_text()

    def _symbol(self, constraint: str) -> tuple[str, int]:
        if not isinstance(constraint, str):
            raise TypeError(f"a constraint is named by a text such as path/2, not by a {type(constraint).__name__}")
        name, slash, arity = constraint.rpartition("/")
        if slash and arity.isdigit():
            return name, int(arity)
        arities = [arity for known, arity in self.constraints if known == constraint]
        if not arities:
            raise KeyError(constraint)
        if len(arities) > 1:
            known = ", ".join(f"{constraint}/{arity}" for arity in arities)
            raise KeyError(f"{constraint} names several constraints: {known}")
        return constraint, arities[0]


def _text(term: Any) -> str:
    """A term in the syntax of programs; the depth of tuples costs memory only."""
    if isinstance(term, str):
        return term
    pieces: list[str] = []
    pending: list[Any] = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, _Piece):
            pieces.append(part.text)
        elif isinstance(part, bool):
            pieces.append("true" if part else "false")
        elif isinstance(part, (int, float, _gchr.Term)):
            pieces.append(str(part))
        elif isinstance(part, tuple) and part and isinstance(part[0], str):
            pieces.append(part[0])
            if len(part) > 1:
                pieces.append("(")
                pending.append(_Piece(")"))
                for i, arg in reversed(list(enumerate(part[1:]))):
                    pending.append(arg)
                    if i > 0:
                        pending.append(_Piece(", "))
        else:
            raise TypeError(f"{part!r} is no term: give a text, a Term, a number, or a tuple with a name in front")
    return "".join(pieces)


class _Piece:
    """Text between parts of a term."""

    def __init__(self, text: str) -> None:
        self.text = text
