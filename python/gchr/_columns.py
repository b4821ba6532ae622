"""Data of Python as tables of typed columns."""

from collections.abc import Mapping, Set
from typing import Any

from gchr._gchr import Table, table_error, table_of_columns


def as_table(data: Any) -> Any:
    """An object that lends a table by the C interface of Arrow: `data` itself, or a table made of its columns.

    `None` stands for no rows of which nothing is known.
    """
    if hasattr(data, "to_frame"):
        # A series of pandas or polars is a table of one column.
        data = data.to_frame()
    if isinstance(data, (str, bytes, bytearray, Set)) or _is_array_of_arrow(data):
        raise _no_table(data)
    if type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "reset_index"):
        # Rows have no names: a frame that was sorted or filtered would lend those of pandas as a column of its own.
        data = data.reset_index(drop=True)
    if hasattr(data, "__arrow_c_stream__"):
        try:
            return _whole(data)
        except ImportError:
            # pandas lends its frames only where pyarrow is installed.
            pass
    if type(data).__module__.split(".")[0] == "pandas":
        return _of_columns({str(name): column.to_numpy() for name, column in data.items()})
    if isinstance(data, Mapping):
        return _of_columns(data)
    if type(data).__module__.split(".")[0] == "numpy":
        return _of_array(data)
    if isinstance(data, (list, tuple)) or hasattr(data, "__iter__"):
        return _of_rows(list(data))
    raise _no_table(data)


def _no_table(data: Any) -> TypeError:
    return TypeError(f"a {type(data).__name__} is no table: give rows, columns by name, or a table of Arrow")


def _is_array_of_arrow(data: Any) -> bool:
    """A column of pyarrow, which no name stands before."""
    return hasattr(data, "to_pylist") and not hasattr(data, "schema")


def _whole(data: Any) -> Any:
    """An Arrow stream can be read once: what lends one only once is taken over."""
    if type(data).__module__.split(".")[0] == "pandas":
        data.__arrow_c_stream__()
    return data


def _of_columns(columns: Mapping[Any, Any]) -> Table:
    return table_of_columns([(str(name), _column(str(name), values)) for name, values in columns.items()])


def _of_array(array: Any) -> Table:
    if array.ndim == 0:
        raise _no_table(array)
    if array.dtype.names:
        return _of_columns({name: array[name] for name in array.dtype.names})
    if array.ndim == 1:
        return _of_columns({"arg1": array})
    if array.ndim == 2:
        return _of_columns({f"arg{i + 1}": array[:, i] for i in range(array.shape[1])})
    raise TypeError(f"an array of {array.ndim} dimensions is no table: give one of two, or one for each column")


def _of_rows(rows: list[Any]) -> Table | None:
    if not rows:
        return None
    rows = [row if isinstance(row, (list, tuple)) else (row,) for row in rows]
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise table_error(
            "C0604", f"the rows have different lengths: {sorted(widths)}", "give each row a value for each argument"
        )
    return _of_columns({f"arg{i + 1}": column for i, column in enumerate(zip(*rows))})


def _column(name: str, values: Any) -> Any:
    """Arrays of NumPy as buffers of 64 bits, other sequences as they are."""
    if isinstance(values, (str, bytes, Mapping, Set)) or not hasattr(values, "__iter__"):
        raise TypeError(f"column {name} is a {type(values).__name__}: give a sequence of values")
    if _is_array_of_arrow(values):
        values = values.to_pylist()
    elif type(values).__module__.split(".")[0] == "pandas":
        values = values.to_numpy()
    if type(values).__module__.startswith("numpy.ma"):
        import numpy

        masked = numpy.broadcast_to(values.mask, values.shape).nonzero()[0]
        if len(masked):
            raise table_error(
                "C0614",
                f"row {masked[0] + 1} of column {name} has no value: it is masked",
                "leave such rows out, or give them a value",
            )
    dtype = getattr(values, "dtype", None)
    if dtype is None or type(values).__module__.split(".")[0] != "numpy":
        return values
    if dtype.kind in "iu":
        if dtype.kind == "u" and dtype.itemsize == 8 and len(values) and int(values.max()) >= 2**63:
            row = int(values.argmax()) + 1
            raise table_error(
                "C0606",
                f"row {row} of column {name}: {values.max()} has more than 64 bits with the sign",
                "give the column as texts",
            )
        return _contiguous(values, "int64")
    if dtype.kind == "f":
        return _contiguous(values, "float64")
    return values.tolist()


def _contiguous(values: Any, dtype: str) -> Any:
    import numpy

    return numpy.ascontiguousarray(values, dtype=dtype)
