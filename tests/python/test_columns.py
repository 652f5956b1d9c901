# Columns of Arrow, of four libraries: in place, with NULLs, offsets and several chunks.
import ctypes
import gc

import numpy as np
import pytest

import roost

pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
from roost import _arrow  # noqa: E402


def listed(column):
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def address(column):
    """Of the values of a column, as the library gets it."""
    return ctypes.cast(_arrow.Col(column).array.buffers, ctypes.POINTER(ctypes.c_void_p))[1]


def test_nothing_is_copied():
    column = pa.array(range(100), pa.uint64())
    assert address(column) == column.buffers()[1].address
    series = pl.Series(range(100), dtype=pl.UInt64)
    assert address(series) == series.to_arrow().buffers()[1].address


@pytest.mark.parametrize("make", [lambda x, t: pa.array(x, t), lambda x, t: pa.array([None, 7] + x, t)[2:], lambda x, t: pa.chunked_array([x[:1], x[1:]], t),
                                  lambda x, t: pl.Series(pa.array(x, t)), lambda x, t: pl.concat([pl.Series(pa.array(y, t)) for y in (x[:2], x[2:])], rechunk=False)],
                         ids=["array", "offset", "chunks", "polars", "polars chunks"])
def test_tables_of_columns(make):
    table = roost.Table("u64", "i64", device="host")
    keys, values = make([1, None, 3, 4], pa.uint64()), make([10, 20, 30, 40], pa.int64())
    statuses = table.insert(keys, values, statuses=True)
    assert isinstance(statuses, (pa.Array, pl.Series) if isinstance(keys, (pa.Array, pl.Series)) else pa.ChunkedArray) and listed(statuses) == [1, 0, 1, 1]
    found_values, found = table.find(keys)
    assert type(found_values) is type(values) and [listed(found_values), listed(found)] == [[10, None, 30, 40], [True, False, True, True]]
    table.erase(keys)
    assert len(table) == 0
    gc.collect()


def test_what_a_stream_gave_is_released():
    def take():
        table = roost.Table("i64", None, device="host")
        table.insert(pa.chunked_array([pa.array(range(100000))]))
        table.find(pa.chunked_array([[1, 2], [3]]))
    before = pa.total_allocated_bytes()
    for _ in range(3):
        take()
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_values_of_numpy_beside_columns():
    table = roost.Table("u64", "f32", device="host")
    table.insert(pa.array([1, 2], pa.uint64()), np.array([1, 2], np.float32))
    table.insert(np.array([3], np.uint64), pa.array([3], pa.float32()))
    table.add(pl.Series([1, 9], dtype=pl.UInt64), 5)
    assert table.find([1, 2, 3, 9])[0].tolist() == [6, 2, 3, 5]
    with pytest.raises(roost.ArgumentError):
        table.insert(pa.array([1], pa.uint64()), pa.array([None], pa.float32()))
    with pytest.raises(roost.ArgumentError):
        table.insert(pa.array(["a"]), pa.array([1], pa.float32()))
    with pytest.raises(ValueError, match="2 keys, and 1 values"):
        table.insert(pa.array([1, 2], pa.uint64()), pa.array([1], pa.float32()))


def test_full_tables_name_the_items():
    table = roost.Table("u64", None, device="host", capacity=64, growth=False)
    with pytest.raises(roost.FullError) as caught:
        table.insert(pa.array(range(1000), pa.uint64()))
    assert len(caught.value.indices) == 1000 - len(table)


def test_strings():
    table = roost.Table("str", "u32", device="host")
    for keys in (pa.array(["a", None, "\u00fc"]), pa.array(["a", "b"], pa.large_string()), pl.Series(["a", "b"]), pa.array(["a"]).dictionary_encode(),
                 pa.array(["a"], pa.string_view())):
        table.add(keys, 1)
    assert table.find(["a", "b", "\u00fc", "c"])[0].tolist() == [5, 2, 1, 0]
    assert sorted(pa.table(table)["key"].to_pylist()) == ["a", "b", "\u00fc"]


def test_tables_and_streams_come_and_go():
    table = roost.Table("u64", "f32", device="host")
    table.insert(pa.table({"k": pa.array([1, 2], pa.uint64()), "v": pa.array([1, 2], pa.float32())}))
    table.insert(pl.DataFrame({"k": pl.Series([3], dtype=pl.UInt64), "v": pl.Series([3], dtype=pl.Float32)}))
    duckdb = pytest.importorskip("duckdb")
    table.insert(duckdb.sql("select 4::ubigint k, 4::float v"))
    for frame in (pa.table(table).to_pydict(), pl.DataFrame(table).to_dict(as_series=False)):
        assert sorted(zip(frame["key"], frame["value"])) == [(i, i) for i in range(1, 5)]
    pairs = table  # DuckDB finds it by this name
    assert duckdb.sql("select sum(value), count(*) from pairs").fetchall() == [(10, 4)] and len(pairs) == 4
    reader = pa.RecordBatchReader.from_stream(table)
    table.insert([5], [5])
    with pytest.raises(Exception, match="written|export|ended|changed"):
        reader.read_all()
    table.__arrow_c_stream__()  # nobody takes it
    assert roost.Table("u64", None, device="host").__arrow_c_stream__() is not None


def test_groups_joins_and_sets_of_columns():
    frame = pl.DataFrame({"a": ["x", None, "x"], "b": [1, 1, 1]})
    made = roost.group(frame, {"n": "count", "s": ("sum", pl.Series([1, None, 3])), "m": ("mean", np.array([1, 2, 3]))}, ordered=True)
    assert {name: column.to_list() for name, column in made.items()} == {"a": ["x", None], "b": [1, 1], "n": [2, 1], "s": [4, None], "m": [2, 2]}
    for column in (pl.Series, pa.array):
        left, right = column([1, 2, None, 3]), column([3, 3, 9])
        for how, pairs in (("inner", [(3, 0), (3, 1)]), ("left", [(0, None), (1, None), (2, None), (3, 0), (3, 1)])):
            rows, others = roost.join(left, right, how, ordered=True)
            assert list(zip(listed(rows), listed(others))) == pairs
        assert [listed(side)[-1] for side in roost.join(left, right, "full", ordered=True)] == [None, 2]
        assert roost.join(left, right, "anti", ordered=True)[1] is None
    assert sorted(roost.unique(pa.array([5, 6, 5])).to_pylist()) == [5, 6]
    assert roost.isin(pl.Series([1, 2]), pl.Series([2])).to_list() == [False, True]
    codes, items = roost.index(pl.Series(["x", "y", "x"]))
    assert codes.to_list() == [0, 1, 0] and items.to_list() == ["x", "y"]
