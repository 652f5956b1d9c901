# Functions of whole arrays: unique, count, isin, index, group, join.
"""What people have arrays and a hash table for."""
from __future__ import annotations

import math
from collections.abc import Mapping
from ctypes import addressof, byref, c_size_t, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._arrays import View, from_strings, kind_of, new, strings, type_of, view
from ._library import (ORDERED, SUMS_WRAP, Aggregate, Call, Column, GroupConfig, JoinConfig, JoinCursor, Result, check, encode,
                       library, make)
from ._table import Table
from ._types import BOOL, STRING, TYPES, Type

AGGREGATES = {"count": 1, "sum": 2, "min": 3, "max": 4, "mean": 5, "first": 6, "any": 7, "nunique": 8}
HOWS = ["inner", "left", "full", "semi", "anti"]
SAMPLE = 1 << 16  # keys by which unique() estimates how many are different

def _device(views: Sequence[View], device: Optional[str]) -> bytes:
    """Where the work is done: where the arrays are, unless the caller says otherwise."""
    on_gpu = [one.device for one in views if one.device is not None]
    return encode(device or (f"cuda:{on_gpu[0]}" if on_gpu else "host"))  # type: ignore[return-value]

def _expected(n: int, m: int, different: int) -> int:
    """How many of n keys are different, if `different` of the first m are, and all are drawn evenly."""
    if different >= m - 2:
        return n
    low, high = math.log(different), math.log(different) + 40.0
    for _ in range(60):  # d = k * (1 - exp(-m / k)) for the number k of possible keys
        k = math.exp((low + high) / 2)
        low, high = (low, (low + high) / 2) if -k * math.expm1(-m / k) > different else ((low + high) / 2, high)
    return min(n, int(-1.02 * k * math.expm1(-n / k)) + 64)

def _set_of(keys: Any, type: Type, device: Optional[str], engine: Optional[str], threads: int) -> Tuple[Table, View]:
    """A set of the keys, and where these are."""
    one = view(keys, type, "keys")
    place = _device([one], device).decode()
    different = one.n
    if one.n > 8 * SAMPLE:
        with Table(type, None, device=place, capacity=SAMPLE, threads=threads) as sample:
            sample._write(library.insert, 0, one.pointer, None, SAMPLE, sample._call([one], None)[0])
            different = _expected(one.n, SAMPLE, len(sample))
    if engine is None and place == "host" and type.bytes in (4, 8):
        engine = "slab"  # without growth the fastest on a host: bench/python
    table = Table(type, None, device=place, engine=engine, capacity=different, threads=threads)
    table.insert(keys)
    return table, one

def _plain(keys: Any) -> Optional[Type]:
    """The type of keys whose equality is that of their bits and that lie in one array; None: of others."""
    if kind_of(keys).arrow or isinstance(keys, Mapping):
        return None
    type = type_of(keys)
    return type if type.number not in (STRING, TYPES["f32"].number, TYPES["f64"].number) else None

def unique(keys: Any, *, ordered: bool = False, device: Optional[str] = None, engine: Optional[str] = None,
           threads: int = 0) -> Any:
    """Returns the different items of an array, in any order, or with ordered=True in that of their first
    occurrences.  0.0 and -0.0 are one, and so are all NaNs.  device: as in Table; None: where the keys are."""
    type = None if ordered else _plain(keys)
    if type is None:
        return group({"key": keys}, ordered=ordered, device=device, engine=engine, threads=threads)["key"]
    table, one = _set_of(keys, type, device, engine, threads)
    with table:
        found = table.export(kind={"pandas": "numpy", "other": "numpy"}.get(one.kind.name, one.kind.name))
        return one.kind.wrap(found)

def count(keys: Any, *, ordered: bool = False, device: Optional[str] = None, engine: Optional[str] = None,
          threads: int = 0) -> Tuple[Any, Any]:
    """Returns (keys, counts): the different items of an array, and how often each occurs, as u64."""
    made = group({"key": keys}, {"count": "count"}, ordered=ordered, device=device, engine=engine, threads=threads)
    return made["key"], made["count"]

def isin(keys: Any, among: Any, *, device: Optional[str] = None, engine: Optional[str] = None, threads: int = 0) -> Any:
    """Returns an array of bool: which items of `keys` occur in `among`.  Floats are equal as in unique()."""
    type = _plain(among)
    if type is None and not kind_of(among).arrow and type_of(among).number != STRING:
        rows, _ = join(keys, among, "semi", device=device, engine=engine, threads=threads)
        kind = kind_of(keys)
        like = view(keys, type_of(among), "keys")
        found, _ = new(like, BOOL)
        kind_of(found).fill(found, False)
        found[rows] = True
        return kind.wrap(found, keys)
    if type is None:
        with Table("str", None, device=device or "host", engine=engine, threads=threads) as table:
            table.insert(among)
            return table.contains(keys)
    table, _ = _set_of(among, type, device, engine, threads)
    with table:
        return table.contains(keys)

def index(keys: Any, *, device: Optional[str] = None, engine: Optional[str] = None, threads: int = 0) -> Tuple[Any, Any]:
    """Returns (codes, items): items has the different items of an array in the order of their first
    occurrences, and keys[i] is items[codes[i]]: dictionary encoding, as pandas.factorize.  codes are i64.
    Items are equal when their bits are."""
    if kind_of(keys).arrow:
        from . import _arrow
        return _arrow.index(keys, device, engine, threads)
    type = type_of(keys)
    views = [] if type.number == STRING else [view(keys, type, "keys")]
    if type.number == STRING and not hasattr(keys, "dtype"):
        keys = np.array(keys, object)
    with Table(type, "i64", device=_device(views, device).decode(), engine=engine, threads=threads, numbered=True) as table:
        codes, statuses = table.number(keys, ordered=True, statuses=True)
        items = views[0].owner if views else keys
        return codes, kind_of(keys).take(items, statuses == 1)

# ---- Columns ---------------------------------------------------------------------------------------

def columns_of(x: Any) -> Dict[str, Any]:
    """The columns of a mapping, a data frame, a tuple or list of arrays, or of one array."""
    if isinstance(x, Mapping):
        return dict(x)
    names = getattr(x, "column_names", getattr(x, "columns", None))
    if names is not None and not isinstance(x, np.ndarray):
        return {str(name): x[name] for name in names}
    if isinstance(x, tuple) or isinstance(x, list) and x and hasattr(x[0], "__len__") and not isinstance(x[0], (str, bytes)):
        return {f"key{i}": column for i, column in enumerate(x)}
    return {"key": x}

class Columns:
    """Columns of a call, as the library gets them."""

    def __init__(self, arrays: Sequence[Any], types: Sequence[Type], what: str):
        self.structs, self.views, self.n, self.owners = (Column * max(1, len(arrays)))(), [], None, []  # type: ignore
        self.text_bytes = [0] * len(arrays)
        self.arrays, self.types = list(arrays), list(types)
        for i, (array, type) in enumerate(zip(arrays, types)):
            column = make(Column, type=type.number, offset_bytes=8, bytes=type.bytes)
            if type.number == STRING:
                n, column.offsets, column.values, owner = strings(array)
                self.text_bytes[i] = int(owner[0][-1])
                self.owners.append(owner)
            else:
                one = view(array, type, what)
                self.views.append(one)
                n, column.values = one.n, one.pointer
            self.structs[i] = column
            if self.n not in (None, n):
                raise ValueError(f"{what}: columns of {self.n} and {n} items")
            self.n = n

    def call(self) -> Any:
        ordered = [one.stream for one in self.views if one.stream is not None]
        return byref(make(Call, stream=ordered[0] if ordered else None))

    def like(self) -> View:
        """A view by which results are made: of the first column's kind, on its device."""
        first = self.views[0] if self.views else None
        kind = kind_of(self.arrays[0])
        return View(0, self.n or 0, first.device if first else None, None, first.stream if first else None, kind)

def _result_type(function: str, type: Type) -> Type:
    if function in ("count", "nunique"):
        return TYPES["u64"]
    if function == "sum":
        return TYPES[type.name[0] + "64"]
    return TYPES["f64"] if function == "mean" else type

def aggregates_of(aggregates: Any) -> Tuple[List[Any], List[Tuple[str, str, int]]]:
    """The value columns of aggregates, and for each its name, function, and column (-1: none)."""
    values: List[Any] = []
    made = []
    for name, given in dict(aggregates or {}).items():
        function, array = (given, None) if isinstance(given, str) else given
        if function not in AGGREGATES or array is None and function != "count":
            raise ValueError(f"{name}: no aggregate {function!r} of {'no column' if array is None else 'a column'}: "
                             f"'count', or one of {', '.join(AGGREGATES)} and a column")
        if array is not None and not any(array is one for one in values):
            values.append(array)
        made.append((name, function, -1 if array is None else [array is one for one in values].index(True)))
    return values, made

def group(keys: Any, aggregates: Any = None, *, ordered: bool = False, device: Optional[str] = None,
          engine: Optional[str] = None, threads: int = 0, capacity: int = 0, wrap: bool = False) -> Dict[str, Any]:
    """GROUP BY: aggregates of the rows that have equal keys.

        roost.group({"city": city, "year": year}, {"n": "count", "total": ("sum", price), "worst": ("min", grade)})

    keys: an array, a mapping of names to arrays, a data frame, or a tuple of arrays.  aggregates: names, and for
    each "count" of rows, or a function and an array: "count" of items that are not NULL, "sum" (of integers in 64
    bits), "min", "max", "mean", "first", "any", "nunique".  Returns a dict of arrays: the keys' columns by their
    names ("key" of one array), and the aggregates, a place for each group, in any order, or with ordered=True in
    that of the groups' first rows.  NULL keys are a group; 0.0 and -0.0 are one key, and so are all NaNs.
    wrap: sums that do not fit wrap, else OverflowError is raised.  capacity: groups that are expected."""
    columns = columns_of(keys)
    values, wanted = aggregates_of(aggregates)
    options = dict(engine=encode(engine), threads=threads, capacity=capacity, flags=ORDERED * ordered | SUMS_WRAP * wrap)
    if any(kind_of(array).arrow for array in [*columns.values(), *values]):
        from . import _arrow
        return _arrow.group(columns, values, wanted, dict(options, device=encode(device or "host")))
    k = Columns(list(columns.values()), [type_of(array) for array in columns.values()], "keys")
    v = Columns(values, [type_of(array) for array in values], "values")
    if values and v.n != k.n:
        raise ValueError(f"{k.n} keys, and {v.n} values")
    handle = make_group(k.structs, len(columns), v.structs, len(values), wanted,
                        dict(options, device=_device(k.views + v.views, device)))
    try:
        check(library.group_add(handle, k.structs, v.structs if values else None, k.n or 0, k.call()))
        return _export_groups(handle, k, v, list(columns), wanted)
    finally:
        library.group_destroy(handle)

def make_group(keys: Any, nkeys: int, values: Any, nvalues: int, wanted: Any, options: Any) -> c_void_p:
    """A group of the library's."""
    made = (Aggregate * max(1, len(wanted)))(*[(0 if column < 0 else AGGREGATES[function], max(column, 0))
                                              for _, function, column in wanted])
    config = make(GroupConfig, key_columns=nkeys, value_columns=nvalues, aggregates=len(wanted), keys=addressof(keys),
                  values=addressof(values), aggregate=addressof(made), **options)
    handle = c_void_p()
    check(library.group_create(byref(handle), byref(config)))
    return handle

def _export_groups(handle: c_void_p, k: Columns, v: Columns, names: List[str], wanted: Any) -> Dict[str, Any]:
    n = c_size_t()
    check(library.group_count(handle, byref(n)))
    like, made, text = k.like(), {}, {}
    like.n = n.value
    types = k.types + [_result_type(function, v.types[max(column, 0)] if v.types else k.types[0]) for _, function, column in wanted]
    results = (Result * len(types))()
    for i, (name, type) in enumerate(zip(names + [name for name, *_ in wanted], types)):
        results[i] = make(Result)
        if type.number == STRING:  # each string is one of those that came in
            offsets, room = np.zeros(n.value + 1, np.uint64), np.empty(k.text_bytes[i] + 1, np.uint8)
            results[i].offsets, results[i].values, results[i].bytes_room = offsets.ctypes.data, room.ctypes.data, len(room)
            text[name] = (offsets, room, type)
            made[name] = None
        else:
            made[name], one = new(like, type)
            results[i].values = one.pointer
    if n.value:
        check(library.group_export(handle, 0, n.value, byref(results), byref(results[len(names)]) if wanted else None, byref(n)))
    for name, (offsets, room, type) in text.items():
        made[name] = from_strings(offsets, room[: int(offsets[-1])].tobytes(), type)
    return {name: like.kind.wrap(array) for name, array in made.items()}

def join(left: Any, right: Any, how: str = "inner", *, ordered: bool = False, device: Optional[str] = None,
         engine: Optional[str] = None, threads: int = 0) -> Tuple[Any, Any]:
    """Pairs of rows whose keys are equal.

    left, right: an array each, or several columns as in group(); a table is built of the right side, which is
    best the smaller one.  how: "inner"; "left": also left rows without a match, with right row -1; "full": also
    right rows without one; "semi": left rows that have a match, once each; "anti": those that have none.
    Returns (left_rows, right_rows): arrays of i64; of semi and anti joins right_rows is None.  ordered: by left
    row and then right row.  NULL equals nothing; floats are equal as in group()."""
    if how not in HOWS:
        raise ValueError(f"no join {how!r}: {', '.join(HOWS)}")
    sides = [list(columns_of(side).values()) for side in (left, right)]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(f"{len(sides[0])} columns on the left, and {len(sides[1])} on the right")
    options = dict(engine=encode(engine), threads=threads, how=HOWS.index(how), flags=ORDERED * ordered, row_bytes=8)
    if any(kind_of(array).arrow for array in sides[0] + sides[1]):
        from . import _arrow
        return _arrow.join(sides[0], sides[1], how, dict(options, device=encode(device or "host")))
    types = [type_of(array) for array in sides[0]]
    l, r = Columns(sides[0], types, "left keys"), Columns(sides[1], types, "right keys")
    config = make(JoinConfig, key_columns=len(types), keys=addressof(l.structs), device=_device(l.views + r.views, device), **options)
    handle = c_void_p()
    check(library.join_create(byref(handle), byref(config)))
    try:
        check(library.join_build(handle, r.structs, r.n, r.call()))
        return _probe(handle, l, r, how)
    finally:
        library.join_destroy(handle)

def _probe(handle: c_void_p, l: Columns, r: Columns, how: str) -> Tuple[Any, Any]:
    """All pairs, in arrays with room for one pair of each left row, or after counting them for all."""
    like, one_side, total = l.like(), how in ("semi", "anti"), c_size_t()
    like.n = l.n or 0
    counted = how == "full" or like.kind.name == "jax"
    if counted:
        check(library.join_count(handle, l.structs, l.n, byref(total), l.call()))
        like.n = total.value + (r.n or 0) * (how == "full")
    rows, places = _pair(like, one_side)
    cursor, done, n = JoinCursor(), 0, c_size_t()
    while not cursor.end:
        if done == like.n and not counted and done:
            check(library.join_count(handle, l.structs, l.n, byref(total), l.call()))
            like.n, counted, before = total.value, True, rows
            rows, places = _pair(like, one_side)
            for new, old in zip(rows, before):
                new[:done] = old
        check(library.join_probe(handle, l.structs, l.n, byref(cursor), places[0] + 8 * done, None if one_side else places[1] + 8 * done,
                                 like.n - done, byref(n), l.call()))
        done += n.value
    if how == "full":
        cursor, first = JoinCursor(), done
        while not cursor.end:
            check(library.join_rest(handle, byref(cursor), places[1] + 8 * done, like.n - done, byref(n), l.call()))
            done += n.value
        like.kind.fill(rows[0][first:done], -1)
    made = [like.kind.wrap(one if done == like.n else one[:done]) for one in rows]
    return (made[0], None) if one_side else (made[0], made[1])

def _pair(like: View, one_side: bool) -> Tuple[List[Any], List[int]]:
    made = [new(like, TYPES["i64"]) for _ in range(1 if one_side else 2)]
    return [array for array, _ in made], [one.pointer for _, one in made]
