# Python libraries exchange Arrow arrays and streams with the library, as a test.
"""pyarrow, Polars and DuckDB give arrays and streams to the library, and take what it gives: inserts,
finds, numbers, exports, groups and joins, compared with what they or Python compute themselves.
usage: python3 tests/python/arrow_exchange.py LIBROOST.SO [SEED]"""

import datetime
import decimal
import random
import sys
import traceback

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import arrow_library as al

library = al.Library(sys.argv[1])
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().getrandbits(32)
draw = random.Random(seed)
tests = []


def test(function):
    tests.append(function)
    return function


def same(expected, got):
    if expected != got:
        raise AssertionError(f"expected {str(expected)[:500]}, got {str(got)[:500]}")


def refused(text, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except (al.Refused, pa.ArrowInvalid, OSError) as error:
        if text not in str(error):
            raise AssertionError(f'"{text}" is not in "{error}"') from error
        return
    raise AssertionError(f'not refused with "{text}"')


def array_of(given):
    return pa.array(given)


def reader_of(given):
    return pa.RecordBatchReader.from_stream(given)


# ---- Tables of each type of keys


def sliced(array):
    """The same items at an offset that is no multiple of 8."""
    first = draw.randrange(1, 20)
    before = pa.nulls(first, array.type) if draw.randrange(2) else pa.concat_arrays([array] * first)[:first]
    return pa.concat_arrays([before, array, pa.nulls(3, array.type)])[first : first + len(array)]


def some(n, most):
    return [None if draw.randrange(7) == 0 else draw.randrange(most) for _ in range(n)]


def mapped(items, to):
    return [None if i is None else to(i) for i in items]


day = datetime.date(1970, 1, 1)
moment = datetime.datetime(1970, 1, 1)
KEYS = [
    # the table's type, Arrow's type, an item from a number
    ("u32", pa.uint8(), lambda i: i % 256), ("u32", pa.uint16(), lambda i: i), ("u32", pa.uint32(), lambda i: i),
    ("u32", pa.bool_(), lambda i: i % 2 == 1), ("u64", pa.uint8(), lambda i: i % 256), ("u64", pa.uint64(), lambda i: 2**63 + i),
    ("u64", pa.uint32(), lambda i: i), ("i32", pa.int8(), lambda i: i % 256 - 128), ("i32", pa.int16(), lambda i: -i),
    ("i32", pa.int32(), lambda i: -i), ("i32", pa.uint16(), lambda i: i), ("i64", pa.int8(), lambda i: i % 256 - 128),
    ("i64", pa.int64(), lambda i: -(2**62) - i), ("i64", pa.uint32(), lambda i: 2**32 - 1 - i),
    ("i32", pa.date32(), lambda i: day + datetime.timedelta(i)), ("i64", pa.date64(), lambda i: day + datetime.timedelta(i)),
    ("i64", pa.timestamp("us", "UTC"), lambda i: moment + datetime.timedelta(microseconds=i)),
    ("i64", pa.duration("s"), lambda i: datetime.timedelta(seconds=i)),
    ("i32", pa.time32("s"), lambda i: (moment + datetime.timedelta(seconds=i)).time()),
    ("f32", pa.float32(), lambda i: i / 2), ("f64", pa.float32(), lambda i: -i / 2), ("f64", pa.float64(), lambda i: i / 3),
    (16, pa.decimal128(20, 2), lambda i: decimal.Decimal(i) / 100), (3, pa.binary(3), lambda i: (i * 7).to_bytes(3, "big")),
    (8, pa.binary(8), lambda i: i.to_bytes(8, "big")), ("string", pa.string(), lambda i: "x" * (i % 30) + str(i)),
    ("string", pa.large_string(), lambda i: "é" * (i % 20)), ("string", pa.binary(), lambda i: b"\0" * (i % 5)),
    ("string", pa.large_binary(), lambda i: str(i).encode()), ("string", pa.string_view(), lambda i: "view" * (i % 9) + str(i)),
    ("string", pa.binary_view(), lambda i: b"ab" * (i % 9)),
]


def table_for(kind, values="none"):
    if isinstance(kind, int):
        return al.Table(library, "bytes", values, key_bytes=kind)
    return al.Table(library, kind, values)


def keys_check(kind, keys, model, values):
    """Inserts, finds and erases keys, some of which are NULL; model: the items as a dict's keys."""
    table = table_for(kind, "u32")
    kept = pa.array([None if k is None else v for k, v in zip(model, values)], pa.uint32())
    table.insert(keys, kept)
    expected = {}
    for key, value in zip(model, values):
        if key is not None:
            expected.setdefault(key, set()).add(value)
    got = array_of(table.find(keys))
    same(pa.uint32(), got.type)
    for key, value in zip(model, got.to_pylist()):
        if (key is None) != (value is None) or (key is not None and value not in expected[key]):
            raise AssertionError(f"{key} has {value}, not one of {expected.get(key)}")
    same(len(expected), sum(batch.num_rows for batch in reader_of(table.export(64))))
    half = len(model) // 2
    table.erase(keys[:half])
    gone = set(model[:half])
    same([k is not None and k not in gone for k in model], [v is not None for v in array_of(table.find(keys)).to_pylist()])


@test
def keys_of_every_type():
    for kind, type, item in KEYS:
        for n in (0, 1, 300, 5000):
            model = mapped(some(n, 2000), item)
            keys = sliced(pa.array(model, type))
            keys_check(kind, keys, model, [draw.randrange(2**32) for _ in range(n)])


@test
def dictionaries():
    for kind, type, item in KEYS:
        if type == pa.bool_():
            continue
        words = pa.array(mapped(some(100, 1000), item), type)
        for index in (pa.int8(), pa.uint8(), pa.int32(), pa.uint16(), pa.int64()):
            indices = some(700, 100)
            first = draw.randrange(20)
            keys = pa.DictionaryArray.from_arrays(pa.array([0] * first + indices, index), sliced(words))[first:]
            model = mapped(indices, lambda i: words[i].as_py())
            keys_check(kind, keys, model, list(range(700)))


@test
def a_set_has_bools():
    table = al.Table(library, "u64")
    table.insert(pa.array([1, None, 3], pa.uint64()))
    got = array_of(table.find(pa.array([3, 2, None, 1], pa.uint64())))
    same((pa.bool_(), [True, False, None, True]), (got.type, got.to_pylist()))


@test
def numbers():
    table = al.Table(library, "string", "u32", flags=al.NUMBERED)
    keys = pa.array(["b", None, "a", "b", "", "a"])
    got = array_of(table.number(keys)).to_pylist()
    same([True, False, True, True, True, True], [g is not None for g in got])
    same((got[0], got[2], 3), (got[3], got[5], len({g for g in got if g is not None})))
    same(got, array_of(table.find(keys)).to_pylist())


@test
def what_is_refused():
    table = al.Table(library, "u32", "f64")
    good = pa.array([1.0, 2.0])
    for type in (pa.int32(), pa.uint64(), pa.float32(), pa.string()):
        refused("does not become U32 without loss", table.insert, pa.array([None, None], type), good)
    refused('"n" are not taken', table.insert, pa.nulls(2), good)
    refused('"e" are not taken', table.insert, pa.array(np.zeros(2, np.float16)), good)
    refused('"+l" are not taken', table.insert, pa.array([[1], []]), good)
    refused("2 keys, and 1 values", table.insert, pa.array([1, 2], pa.uint32()), good[:1])
    refused("its value is NULL", table.insert, pa.array([None, 2], pa.uint32()), pa.array([1.0, None]))
    same(0, sum(b.num_rows for b in reader_of(table.export())))
    table.insert(pa.array([None, 2], pa.uint32()), pa.array([None, 1.0]))
    refused("is none of BYTES, 4 wide", al.Table(library, "bytes", key_bytes=4).insert, pa.array([b"abc"], pa.binary(3)))
    outside = pa.DictionaryArray.from_arrays(pa.array([0, 5], pa.int8()), pa.array([1, 2], pa.uint32()), safe=False)
    refused("row 1 of a dictionary array has index 5", al.Table(library, "u32").insert, outside)


@test
def batches_by_child():
    """Columns of a struct array that is sliced, and whose rows may be NULL."""
    keys, values = pa.array(range(100), pa.int64()), pa.array(range(1000, 1100), pa.int32())
    mask = np.array([i % 3 == 0 for i in range(100)])
    struct = pa.StructArray.from_arrays([keys, values], ["k", "v"], mask=pa.array(mask))[13:60]
    table = al.Table(library, "i64", "i32")
    table.insert(al.Taken(struct, 0), al.Taken(struct, 1))
    expected = {i: i + 1000 for i in range(13, 60) if i % 3}
    same(mapped(range(100), expected.get), array_of(table.find(keys)).to_pylist())


# ---- Streams


@test
def streams_in():
    n = 20000
    keys, values = np.array([draw.randrange(2**40) for _ in range(n)]), np.arange(n)
    frame = pl.DataFrame({"key": keys, "value": values})
    sources = [
        pa.Table.from_arrays([pa.array(keys), pa.array(values)], ["key", "value"]),
        frame,
        duckdb.sql("select key, value from frame"),
        pl.concat([frame[:777], frame[777:]], rechunk=False),
    ]
    sums = dict(frame.group_by("key").agg(pl.col("value").sum()).iter_rows())
    for source in sources:
        table = al.Table(library, "i64", "i64")
        same(n, table.insert_stream(source, al.ADD))
        same(sums, dict(pl.from_arrow(reader_of(table.export())).iter_rows()))
    counts = al.Table(library, "i64", "u32")
    same(n, counts.insert_stream(frame.select("key"), al.ADD))
    same(n, counts.insert_stream(pa.chunked_array([keys[:99], keys[99:]]), al.ADD))
    same(2 * n, pl.from_arrow(reader_of(counts.export()))["value"].sum())
    refused("3 columns, and must have 2", counts.insert_stream, frame.with_columns(x=1), al.MAX)
    refused("does not become I64", al.Table(library, "i64").insert_stream, frame.select(pl.col("key").cast(pl.String)))

    def failing():
        yield pa.record_batch({"key": pa.array([1, 2]), "value": pa.array([1, 2])})
        raise ValueError("a source that fails")

    fails = pa.RecordBatchReader.from_batches(pa.schema({"key": pa.int64(), "value": pa.int64()}), failing())
    refused("a source that fails", table.insert_stream, fails)


@test
def exports():
    words = [f"{'w' * (i % 50)}{i}" for i in range(3000)]
    table = al.Table(library, "string", "f64")
    table.insert(pl.Series(words).to_arrow(), pa.array([i / 2 for i in range(3000)]))
    expected = {w: i / 2 for i, w in enumerate(words)}
    same(expected, {k.decode(): v for k, v in zip(*reader_of(table.export(64)).read_all().to_pydict().values())})
    frame = pl.from_arrow(reader_of(table.export(flags=al.UTF8)))
    same((pl.String, expected), (frame.schema["key"], dict(frame.iter_rows())))
    reader = reader_of(table.export(1000, al.UTF8))
    same(3000, duckdb.sql("select count(distinct key) from reader").fetchall()[0][0])
    set_of = al.Table(library, "bytes", key_bytes=5)
    set_of.insert(pa.array([b"abcde", b"\0\0\0\0\0"], pa.binary(5)))
    got = reader_of(set_of.export()).read_all()
    same((pa.schema([pa.field("key", pa.binary(5), False)]), {b"abcde", b"\0\0\0\0\0"}),
         (got.schema, set(got["key"].to_pylist())))


@test
def exports_that_are_disturbed():
    table = al.Table(library, "u32", "u32")
    numbers = pa.array(range(1000), pa.uint32())
    table.insert(numbers, numbers)
    reader = reader_of(table.export(64))
    reader.read_next_batch()
    array_of(table.find(numbers))
    reader.read_next_batch()
    table.erase(numbers[:1])
    refused("a call wrote to the table", reader.read_next_batch)
    refused("a call wrote to the table", reader.read_next_batch)
    reader = reader_of(table.export())
    table.destroy()
    refused("was destroyed", reader.read_next_batch)


# ---- Groups and joins


def frame_of(n, words):
    return pl.DataFrame({
        "a": pl.Series(mapped(some(n, 50), lambda i: f"word{i}" * (i % 4)), dtype=pl.String),
        "b": pl.Series(some(n, 5), dtype=pl.Int16),
        "c": pl.Series(mapped(some(n, 3), lambda i: words[i % len(words)]), dtype=pl.Categorical),
        "x": pl.Series(some(n, 1000), dtype=pl.Int64),
        "y": pl.Series(mapped(some(n, 1000), lambda i: i / 8), dtype=pl.Float32),
    })


@test
def groups():
    count, total, least, most, mean = 0, 2, 3, 4, 5
    kinds = [(count, 0), (total, 0), (least, 0), (most, 1), (mean, 1)]
    names = ["a", "b", "c", "n", "sum", "min", "max", "mean"]
    for n in (1, 1000, 30000):
        frame = frame_of(n, ["red", "green", "blue"])
        table = frame.to_arrow(compat_level=pl.CompatLevel.newest())
        types = [table.column(i).chunk(0) if table.column(i).num_chunks else pa.array([], table.column(i).type) for i in range(5)]
        group = al.Group(library, types[:3], types[3:], kinds)
        batches = table.to_batches(max_chunksize=999)
        for batch in batches[: len(batches) // 2]:
            columns = [batch.column(i) for i in range(5)]
            group.add(columns[:3], columns[3:])
        rest = pa.Table.from_batches(batches[len(batches) // 2 :], table.schema)
        same(rest.num_rows, group.add_stream(rest))
        got = pl.from_arrow(reader_of(group.export(names, 100, al.UTF8)))
        keys = pl.col("a"), pl.col("b").cast(pl.Int32), pl.col("c").cast(pl.String)
        expected = frame.group_by(*keys).agg(
            pl.len().cast(pl.UInt64).alias("n"), pl.col("x").sum().alias("sum"), pl.col("x").min().alias("min"),
            pl.col("y").max().alias("max"), pl.col("y").cast(pl.Float64).mean().alias("mean"), pl.col("x").count().alias("some"))
        expected = expected.with_columns(pl.when(pl.col("some") > 0).then(pl.col("sum")).alias("sum")).drop("some")
        same(expected.schema, got.schema)
        same(expected.sort(names[:3]).rows(), got.sort(names[:3]).rows())


@test
def groups_that_change():
    group = al.Group(library, [pa.array([1])], [], [(0, 0)])
    group.add([pa.array([1, 2, 1])], [])
    given = group.export()
    reader = reader_of(given)
    same(["key0", "result0"], reader.schema.names)
    group.add([pa.array([1])], [])
    refused("rows were added", reader.read_next_batch)
    refused("a struct", group.add, [pa.StructArray.from_arrays([pa.array([1])], ["a"])], [])
    two = al.Group(library, [pa.array([1]), pa.array(["a"])], [], [])
    refused("column 1 has 2 rows, and the first one 1", two.add, [pa.array([1]), pa.array(["a", "b"])], [])
    refused("column 1", two.add, [pa.array([1]), pa.array([1])], [])


@test
def joins():
    for how in range(5):
        for row_bytes in (4, 8):
            build, probe = frame_of(700, ["red", "green"]), frame_of(900, ["blue", "green"])
            columns = ["a", "c"]
            tables = [f.select(columns).to_arrow(compat_level=pl.CompatLevel.oldest()).combine_chunks() for f in (build, probe)]
            arrays = [[t.column(i).chunk(0) for i in range(2)] for t in tables]
            join = al.Join(library, arrays[0], how, row_bytes=row_bytes)
            join.build([a[:300] for a in arrays[0]])
            same(400, join.build_stream(tables[0].slice(300)))
            pairs = []
            for first, last in ((0, 500), (500, 900)):
                given = join.probe([a[first:last] for a in arrays[1]], 333)
                got = reader_of(given).read_all()
                pairs += zip(*[column.to_pylist() for column in got.columns])
                same(pa.uint64() if row_bytes == 8 else pa.uint32(), got.schema.field("probe").type)
            rows = [[(r, i) for i, r in enumerate(f.select(columns).cast(pl.String).rows())] for f in (build, probe)]
            places = {}
            for key, i in rows[0]:
                if None not in key:
                    places.setdefault(key, []).append(i)
            meets = [(i, places.get(key, [])) for key, i in rows[1]]
            expected = [(i, b) for i, m in meets for b in m]
            if how in (al.Join.LEFT, al.Join.FULL):
                expected += [(i, None) for i, m in meets if not m]
            if how == al.Join.SEMI:
                expected = [(i,) for i, m in meets if m]
            if how == al.Join.ANTI:
                expected = [(i,) for i, m in meets if not m]
            same(sorted(expected, key=str), sorted(pairs, key=str))
            if how == al.Join.FULL:
                met = {b for _, b in pairs if b is not None}
                same([i for i in range(700) if i not in met], reader_of(join.rest(64)).read_all()["build"].to_pylist())
            else:
                refused("full joins", join.rest)


print(f"seed {seed}")
failed = 0
for one in tests:
    try:
        one()
        print(f"ok {one.__name__}")
    except Exception:
        failed += 1
        print(f"FAILED {one.__name__}")
        traceback.print_exc()
sys.exit(failed != 0)
