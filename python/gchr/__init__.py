"""Rule programs, fast: many-sorted term rewriting and Constraint Handling Rules.

>>> import gchr
>>> program = gchr.Program(text='''
... :- chr_constraint edge(+int, +int), path(+int, +int).
... path(X, Y) \\\\ path(X, Y) <=> true.
... edge(X, Y) ==> path(X, Y).
... edge(X, Y), path(Y, Z) ==> path(X, Z).
... ''')
>>> session = program.session()
>>> session.add("edge", [(1, 2), (2, 3)])
>>> reply = session.run()
>>> sorted(session["path"])
[(1, 2), (1, 3), (2, 3)]
"""

from gchr._gchr import (
    Answer,
    Diagnostic,
    GchrError,
    ProgramError,
    Reply,
    RunError,
    Table,
    TableError,
    Term,
    __version__,
)
from gchr._session import Program, Session

__all__ = [
    "Answer",
    "Diagnostic",
    "GchrError",
    "Program",
    "ProgramError",
    "Reply",
    "RunError",
    "Session",
    "Table",
    "TableError",
    "Term",
    "__version__",
]
