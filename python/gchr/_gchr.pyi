"""The extension module."""

import os
from collections.abc import Callable, Iterator
from typing import Any

__version__: str

class GchrError(Exception):
    """What gchr refuses or cannot do."""

    diagnostics: list[Diagnostic]

class ProgramError(GchrError):
    """A program, a goal, a term or a table is wrong."""

class TableError(ProgramError):
    """Data of Python is no table of values."""

def table_error(code: str, message: str, help: str | None = None) -> TableError: ...

class RunError(GchrError):
    """A run stopped before its end."""

    stats: dict[str, Any]

class Diagnostic:
    """A finding, with the places in the text that it is about."""

    code: str
    severity: str
    message: str
    notes: list[str]
    help: str | None
    labels: list[tuple[str, int, int, str]]

class Term:
    """A term with a head symbol."""

    @property
    def functor(self) -> str: ...
    @property
    def is_variable(self) -> bool: ...
    @property
    def args(self) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Any: ...
    def to_tuple(self) -> Any: ...

class Table:
    """A table of typed columns, in memory as Arrow has it."""

    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    def rows(self) -> list[tuple[Any, ...]]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Answer:
    """An answer of a program with logical variables."""

    @property
    def bindings(self) -> dict[str, Any]: ...
    @property
    def goals(self) -> list[str]: ...
    def __getitem__(self, name: str) -> Any: ...

class Reply:
    """What a run gave."""

    @property
    def value(self) -> Any: ...
    @property
    def answers(self) -> list[Answer] | None: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    more: bool
    halted: int | None

class Session:
    """A program between runs."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        text: str | None = None,
        name: str | None = None,
        language: str | None = None,
        semantics: str | None = None,
        device: str = "cpu",
        logic: bool = False,
        threads: int | None = None,
        memory: int | None = None,
        derivations: bool = False,
    ) -> None: ...
    @property
    def language(self) -> str: ...
    @property
    def warnings(self) -> list[Diagnostic]: ...
    def constraints(self) -> list[tuple[str, int]]: ...
    def count(self, name: str, arity: int) -> int | None: ...
    def add_goals(self, text: str) -> None: ...
    def add_own_queries(self) -> int: ...
    def add_file(self, constraint: str, path: str | os.PathLike[str]) -> list[str]: ...
    def add_table(self, constraint: str, table: object) -> None: ...
    def drop_pending(self) -> None: ...
    def run(
        self,
        goals: str | None = None,
        *,
        device: str | None = None,
        answers: int | str | None = None,
        max_steps: int | None = None,
        max_rounds: int | None = None,
        memory: int | None = None,
        timeout: float | None = None,
        progress: Callable[[int, int, int], object] | None = None,
        output: Callable[[str], object] | None = None,
    ) -> Reply: ...
    def evaluate(
        self,
        term: str | None = None,
        *,
        device: str | None = None,
        max_steps: int | None = None,
        memory: int | None = None,
        timeout: float | None = None,
        progress: Callable[[int, int, int], object] | None = None,
    ) -> Reply: ...
    def undo(self) -> bool: ...
    def save(self) -> bytes: ...
    def restore(self, name: str, bytes: bytes) -> None: ...
    def table(self, name: str, arity: int) -> Table | None: ...
    def store_text(self) -> str: ...
    def why(self, of: str, *, depth: int | None = None) -> str: ...

def table_of_columns(columns: list[tuple[str, object]]) -> Table: ...
