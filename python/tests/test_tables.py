"""Tables of other libraries, in and out."""

import gchr
import numpy
import pandas
import polars
import pyarrow
import pytest

PROGRAM = ":- chr_constraint row(+int, +float, +atom), pair(+int, +int).\n"


@pytest.fixture
def session():
    return gchr.Program(text=PROGRAM).session()


COLUMNS = {"number": [1, 2, 3], "value": [0.5, 1.5, 2.5], "name": ["a", "b", "c d"]}
ROWS = [(1, 0.5, "a"), (2, 1.5, "b"), (3, 2.5, "c d")]


@pytest.mark.parametrize(
    "table",
    [
        pyarrow.table(COLUMNS),
        pyarrow.concat_tables([pyarrow.table(COLUMNS).slice(0, 1), pyarrow.table(COLUMNS).slice(1)]),
        pyarrow.table(COLUMNS).to_reader(),
        pyarrow.table({**COLUMNS, "name": pyarrow.array(COLUMNS["name"]).dictionary_encode()}),
        pandas.DataFrame(COLUMNS),
        polars.DataFrame(COLUMNS),
        polars.DataFrame(COLUMNS, schema_overrides={"number": polars.UInt8, "value": polars.Float32}),
        COLUMNS,
        {name: numpy.array(values) for name, values in COLUMNS.items()},
        ROWS,
        (row for row in ROWS),
    ],
    ids=lambda table: type(table).__name__,
)
def test_tables_of_others(session, table):
    session.add("row", table)
    session.run()
    assert session["row"].rows() == ROWS


def test_arrays_of_numpy(session):
    session.add("pair", numpy.array([[1, 2], [3, 4]], dtype=numpy.int32))
    session.add("pair", numpy.array([(5, 6)], dtype=[("a", "u8"), ("b", "i2")]))
    session.add("pair", numpy.arange(12).reshape(6, 2)[::2] + 100)
    session.run()
    assert session["pair"].rows() == [(1, 2), (3, 4), (5, 6), (100, 101), (104, 105), (108, 109)]
    with pytest.raises(gchr.TableError, match="C0606.*row 1 of column arg1.*64 bits"):
        session.add("pair", numpy.array([[2**63, 1]], dtype=numpy.uint64))
    with pytest.raises(TypeError, match="dimensions"):
        session.add("pair", numpy.zeros((2, 2, 2)))


def test_stores_go_to_others(session):
    session.add("row", COLUMNS)
    session.run()
    table = session["row"]
    assert len(table) == 3 and table.column_names == ["arg1", "arg2", "arg3"]
    assert [tuple(row.values()) for row in pyarrow.table(table).to_pylist()] == ROWS
    assert polars.DataFrame(table).rows() == ROWS
    assert pyarrow.table(table).to_pandas()["arg1"].sum() == 6
    # A table can be lent more than once, and outlives its session.
    del session
    assert pyarrow.table(table).num_rows == pyarrow.table(table).num_rows == 3
    back = gchr.Program(text=PROGRAM).session()
    back.add("row", table)
    back.run()
    assert list(back["row"]) == ROWS
    assert repr(table) == "<Table of 3 rows: arg1, arg2, arg3>"


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pyarrow.array([1, None]), "C0614"),
        (pyarrow.array(["a", "b"]), "C0605"),
        (pyarrow.array([[1], [2]]), "List"),
        (pyarrow.array([2**63, 1], type=pyarrow.uint64()), "C0606"),
    ],
)
def test_columns_that_do_not_fit(session, column, said):
    with pytest.raises(gchr.ProgramError, match=said):
        session.add("pair", pyarrow.table({"a": column, "b": [1, 2]}))
    assert session.run().stats["firings"] == 0
    assert session.count("pair") == 0


@pytest.mark.parametrize(
    "data",
    ["ab", b"ab", {(1, 2)}, pyarrow.array([1, 2]), pyarrow.chunked_array([[1]]), numpy.array(7), {"a": 1, "b": 2}, None],
)
def test_what_is_no_table_is_refused(session, data):
    with pytest.raises(TypeError, match="is no table|give a sequence"):
        session.add("pair", data)
    assert session.run().stats["firings"] == 0
    assert session.count("pair") == 0


def test_values_that_are_no_values_are_named(session):
    rows = [(i, i) for i in range(100_000)] + [(1, "a")]
    with pytest.raises(gchr.TableError, match="row 100001 of column arg2 is of type str, the first one of type int"):
        session.add("pair", rows)
    masked = numpy.ma.array([[1, 2], [3, 4]], mask=[[False, False], [False, True]])
    with pytest.raises(gchr.TableError, match="C0614.*row 2 of column arg2 has no value"):
        session.add("pair", masked)
    with pytest.raises(TypeError, match="named by a text"):
        session[3]
    with pytest.raises(gchr.ProgramError, match="C0604"):
        session.add("pair", polars.Series("a", [1, 2]))
    for column in (pandas.Series([1, 2]), polars.Series([1, 2]), pyarrow.array([1, 2])):
        session.add("pair", {"a": column, "b": numpy.ma.array([3, 4])})
    session.run()
    assert session["pair"].rows() == [(1, 3), (1, 3), (1, 3), (2, 4), (2, 4), (2, 4)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 1, 3], [3, 1, 3]),
        ([0.5, 2.5, 0.5], "C0605"),
        ([3, None, 3], "C0614"),
        ([], []),
    ],
)
def test_numbers_that_are_stored_once(session, values, expected):
    column = pyarrow.array(values, pyarrow.float64() if 0.5 in values else pyarrow.int64()).dictionary_encode()
    table = pyarrow.table({"a": column, "b": pyarrow.array([7] * len(values), pyarrow.int64())})
    if isinstance(expected, str):
        with pytest.raises(gchr.ProgramError, match=expected) as caught:
            session.add("pair", table)
        assert caught.value.diagnostics[0].code == expected
    else:
        session.add("pair", table)
        session.run()
        assert sorted(session["pair"].rows()) == sorted((value, 7) for value in expected)


def test_entries_that_no_row_has_may_be_anything():
    session = gchr.Program(text=":- chr_constraint p(+int).\n").session()
    entries = pyarrow.array([1, 2**63, 5], pyarrow.uint64())
    keys = pyarrow.array([2, 0, 2], pyarrow.int8())
    session.add("p", pyarrow.table({"a": pyarrow.DictionaryArray.from_arrays(keys, entries)}))
    session.run()
    assert sorted(session["p"].rows()) == [(1,), (5,), (5,)]


def test_integers_that_are_no_floats_are_refused():
    session = gchr.Program(text=":- chr_constraint p(+float).\n").session()
    exact = [2**53, -(2**60), 2**53 + 2, -(2**63)]
    for data in ({"a": exact}, pyarrow.table({"a": exact}), numpy.array(exact)):
        session.add("p", data)
        with pytest.raises(gchr.ProgramError, match=f"row 2.*no float is {2**53 + 1}") as caught:
            session.add("p", {"a": [1, 2**53 + 1]})
        assert caught.value.diagnostics[0].code == "C0606"
    session.run()
    assert sorted({value for (value,) in session["p"].rows()}) == sorted(float(n) for n in exact)


def _texts(offsets, data):
    buffers = [None, pyarrow.py_buffer(numpy.array(offsets, dtype=numpy.int32)), pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(pyarrow.string(), len(offsets) - 1, buffers)


def test_damaged_tables_are_refused():
    session = gchr.Program(text=":- chr_constraint r(+string).\n").session()
    columns = [
        _texts([0, 2], b"\xff\xfe"),
        _texts([0, 50, 2], b"abc"),
        _texts([0, 3, 1], b"abc"),
        pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 99], pyarrow.int32()), pyarrow.array(["x"]), safe=False),
    ]
    for column in columns:
        with pytest.raises(gchr.TableError, match="C0615.*the table is damaged: column name"):
            session.add("r", pyarrow.table({"name": column}))
    session.add("r", pyarrow.table({"name": _texts([0, 2, 3], b"abc")}))
    session.run()
    assert sorted(session["r"].rows()) == [("ab",), ("c",)]


def test_frames_that_were_sorted_or_filtered(session):
    frame = pandas.DataFrame({"from": [3, 1, 2], "to": [4, 2, 3]})
    session.add("pair", frame.sort_values("from"))
    session.add("pair", frame[frame["from"] != 1].set_index(pandas.Index(["a", "b"], name="name")))
    session.run()
    assert sorted(set(session["pair"].rows())) == [(1, 2), (2, 3), (3, 4)]


def test_a_capsule_that_is_none(session):
    class Liar:
        def __arrow_c_stream__(self, requested_schema=None):
            return 7

    with pytest.raises(TypeError):
        session.add("pair", Liar())

    class Other:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.table({"a": [1]}).schema.__arrow_c_schema__()

    with pytest.raises(ValueError, match="incorrect name"):
        session.add("pair", Other())


def test_many_rows_come_and_go():
    count = 1_000_000
    numbers = numpy.arange(count)
    session = gchr.Program(text=PROGRAM).session()
    session.add("pair", {"a": numbers, "b": numbers + 1})
    session.run()
    table = pyarrow.table(session["pair"])
    assert table.num_rows == count
    assert int(table["arg2"].to_numpy().sum()) == int((numbers + 1).sum())
