# Functions of whole arrays: unique, count, isin, index, group, join.
from collections.abc import Mapping
from ctypes import addressof, byref, c_size_t, c_void_p, sizeof
from typing import Any, Dict, List, Optional, Sequence, Tuple
import numpy as np
from . import _arrow
from ._arrays import View, from_strings, kind_of, new, strings, type_of, view
from ._library import EXPORT_MIN, ORDERED, SUMS_WRAP, Aggregate, Call, Column, Config, GroupConfig, JoinConfig, JoinCursor, Result, check, encode, library, make
from ._table import Table
from ._types import STRING, TYPES, Type
AGGREGATES = {"count": 1, "sum": 2, "min": 3, "max": 4, "mean": 5, "first": 6, "any": 7, "nunique": 8}  # roost_aggregate_kind
HOWS = ["inner", "left", "full", "semi", "anti"]  # roost_join_how
MANY = 1 << 19  # words from which on isin names the engine that is the fastest for sets (bench/python)

def _device(views: Sequence[View], device: Optional[str]) -> str:
    """Where the work is done: where the arrays are, unless the caller says otherwise."""
    on_gpu = [one.device for one in views if one.device is not None]
    return device or (f"cuda:{on_gpu[0]}" if on_gpu else "host")
def unique(keys: Any, *, ordered: bool = False, device: Optional[str] = None, engine: Optional[str] = None, threads: int = 0) -> Any:
    """Returns the different items of an array, in any order, or with ordered=True in that of their first occurrences.
    0.0 and -0.0 are one, and so are all NaNs.  device: as in Table; None: where the keys are."""
    type = type_of(keys)
    if ordered or kind_of(keys).arrow or type.number == STRING or type.name[0] == "f":
        return group({"key": keys}, ordered=ordered, device=device, engine=engine, threads=threads)["key"]
    column, config, n = Columns([keys], [type], "keys"), Config(), c_size_t()
    check(library.config_init(byref(config), sizeof(config)))
    like, config.key_type, config.key_bytes, config.threads = column.like(), type.number, type.bytes, threads
    config.device, config.engine = encode(_device(column.views, device)), encode(engine)
    made, place = new(like, type, column.n + EXPORT_MIN)
    check(library.distinct(byref(config), column.views[0].pointer, column.n, place.pointer, byref(n), column.call()))
    return like.kind.wrap(like.kind.concatenate([made[: n.value]]) if n.value < column.n // 2 else made[: n.value])
def count(keys: Any, *, ordered: bool = False, device: Optional[str] = None, engine: Optional[str] = None,
          threads: int = 0) -> Tuple[Any, Any]:
    """Returns (keys, counts): the different items of an array as unique() does, and how often each occurs, as u64."""
    made = group({"key": keys}, {"count": "count"}, ordered=ordered, device=device, engine=engine, threads=threads)
    return made["key"], made["count"]
def isin(keys: Any, among: Any, *, device: Optional[str] = None, engine: Optional[str] = None, threads: int = 0) -> Any:
    """Returns an array of bool: which items of `keys` occur in `among`.  Items are equal when their bits are."""
    type = type_of(keys if isinstance(among, (list, tuple)) and not isinstance(keys, (list, tuple)) else among)
    a, k = ([] if type.number == STRING or kind_of(one).arrow else [view(one, type, "isin")] for one in (among, keys))
    place, n = _device(a + k, device), a[0].n if a else 0
    if n >= MANY and type.bytes in (4, 8):
        engine = engine or ("dycuckoo" if place == "host" else "slab")
    with Table(type, None, device=place, engine=engine, capacity=n, threads=threads) as table:
        table.insert(among)
        return table.contains(keys)
def index(keys: Any, *, device: Optional[str] = None, engine: Optional[str] = None, threads: int = 0) -> Tuple[Any, Any]:
    """Returns (codes, items): `items` has the different items of an array in the order of their first occurrences, and
    keys[i] is items[codes[i]]: dictionary encoding, as pandas.factorize.  codes are i64.  Items are equal when their
    bits are."""
    type, kind = type_of(keys), kind_of(keys)
    views = [] if type.number == STRING or kind.arrow else [view(keys, type, "keys")]
    with Table(type, "i64", device=_device(views, device if views else device or "host"), engine=engine, threads=threads,
               numbered=True) as table:
        codes, statuses = table.number(keys, ordered=True, statuses=True)
    if kind.arrow:
        return codes, _arrow.items_of(keys, np.asarray(statuses) == 1)
    items = views[0].owner if views and not hasattr(keys, "dtype") else keys
    return codes, (items if hasattr(items, "dtype") else np.array(items, object))[statuses == 1]
def columns_of(x: Any) -> Dict[str, Any]:
    """The columns of a mapping, a data frame, a tuple or list of arrays, or of one array."""
    if isinstance(x, Mapping):
        return dict(x)
    names = getattr(x, "column_names", getattr(x, "columns", None))
    if names is not None:
        return {str(name): x[name] for name in names}
    if isinstance(x, tuple) or isinstance(x, list) and x and hasattr(x[0], "__len__") and not isinstance(x[0], (str, bytes)):
        return {f"key{i}": column for i, column in enumerate(x)}
    return {"key": x}

class Columns:
    """Columns of one length, as calls get them."""
    def __init__(self, arrays: Sequence[Any], types: Sequence[Type], what: str):
        self.structs, self.views, self.texts, lengths = (Column * max(1, len(arrays)))(), [], {}, set()  # type: ignore[var-annotated]
        self.types, self.kind = list(types), kind_of(arrays[0]) if arrays else None
        for i, (array, type) in enumerate(zip(arrays, types)):
            column = make(Column, type=type.number, offset_bytes=8, bytes=type.bytes)
            if type.number == STRING:
                n, column.offsets, column.values, self.texts[i] = strings(array)
            else:
                self.views.append(view(array, type, what))
                n, column.values = self.views[-1].n, self.views[-1].pointer
            self.structs[i] = column
            lengths.add(n)
        if len(lengths) > 1:
            raise ValueError(f"{what}: columns of {' and '.join(map(str, sorted(lengths)))} items")
        self.n = lengths.pop() if lengths else 0
    def call(self) -> Any:
        return byref(make(Call, stream=next((one.stream for one in self.views if one.stream is not None), None)))
    def like(self) -> View:
        """A view by which results are made: of the first column's kind, on its device."""
        first = self.views[0] if self.views else None
        return View(0, self.n, first and first.device, None, first and first.stream, self.kind)
def group(keys: Any, aggregates: Any = None, *, ordered: bool = False, device: Optional[str] = None, engine: Optional[str] = None,
          threads: int = 0, capacity: int = 0, wrap: bool = False) -> Dict[str, Any]:
    """GROUP BY: aggregates of the rows that have equal keys.

        roost.group({"city": city, "year": year}, {"n": "count", "total": ("sum", price), "worst": ("min", grade)})

    keys: an array, a mapping of names to arrays, a data frame, or a tuple of arrays.  aggregates: names, and for each
    "count" of rows, or a function and an array: "count" of items that are not NULL, "sum" (of integers in 64 bits),
    "min", "max", "mean", "first", "any", "nunique".  Returns a dict of arrays: the keys' columns by their names ("key"
    of one array), and the aggregates, with a place for each group, in any order, or with ordered=True in that of the
    groups' first rows.  NULL keys are a group; 0.0 and -0.0 are one key, and so are all NaNs.
    wrap: sums that do not fit wrap, else OverflowError is raised.  capacity: groups that are expected."""
    columns, values, wanted = columns_of(keys), [], []  # type: ignore[var-annotated]
    for name, given in dict(aggregates or {}).items():
        function, array = (given, None) if isinstance(given, str) else given
        if function not in AGGREGATES or array is None and function != "count":
            raise ValueError(f"{name}: an aggregate is \"count\", or one of {', '.join(AGGREGATES)} and an array")
        at = next((i for i, one in enumerate(values) if one is array), len(values))
        wanted.append((name, function, -1 if array is None else at))
        values += [array] * (array is not None and at == len(values))
    options = dict(engine=encode(engine), threads=threads, capacity=capacity, flags=ORDERED * ordered | SUMS_WRAP * wrap)
    if any(kind_of(array).arrow for array in [*columns.values(), *values]):
        return _arrow.group(columns, values, wanted, dict(options, device=encode(device or "host")))
    k, v = (Columns(arrays, [type_of(array) for array in arrays], "group") for arrays in (list(columns.values()), values))
    if values and v.n != k.n:
        raise ValueError(f"keys of {k.n} items, and values of {v.n}")
    handle = make_group(k.structs, len(columns), v.structs, len(values), wanted, dict(options, device=encode(_device(k.views + v.views, device))))
    try:
        check(library.group_add(handle, k.structs, v.structs if values else None, k.n, k.call()))
        return _export_groups(handle, k, v, list(columns), wanted)
    finally:
        library.group_destroy(handle)
def make_group(keys: Any, nkeys: int, values: Any, nvalues: int, wanted: Any, options: Any) -> c_void_p:
    """A group of the library's.  wanted: for each aggregate its name, function, and column (-1: none)."""
    made = (Aggregate * max(1, len(wanted)))(*[(0 if column < 0 else AGGREGATES[function], max(column, 0)) for _, function, column in wanted])
    config, handle = make(GroupConfig, key_columns=nkeys, value_columns=nvalues, aggregates=len(wanted), keys=addressof(keys),
                          values=addressof(values), aggregate=addressof(made), **options), c_void_p()
    check(library.group_create(byref(handle), byref(config)))
    return handle
def _export_groups(handle: c_void_p, k: Columns, v: Columns, names: List[str], wanted: Any) -> Dict[str, Any]:
    n, like, made, texts = c_size_t(), k.like(), {}, {}  # type: ignore[var-annotated]
    check(library.group_count(handle, byref(n)))
    names, types = names + [name for name, *_ in wanted], list(k.types)
    for _, function, column in wanted:
        type = v.types[column] if column >= 0 else TYPES["u64"]
        types.append(TYPES["u64" if function in ("count", "nunique") else type.name[0] + "64" if function == "sum"
                           else "f64" if function == "mean" else type.name])
    results = (Result * len(types))(*[make(Result) for _ in types])
    for i, (name, type) in enumerate(zip(names, types)):
        if type.number == STRING:  # each string is one of those that came in
            texts[name] = np.zeros(n.value + 1, np.uint64), np.empty(len(k.texts[i][1]) + 1, np.uint8), type
            results[i].offsets, results[i].values = (one.ctypes.data for one in texts[name][:2])
            results[i].bytes_room, made[name] = len(texts[name][1]), None
        else:
            made[name], one = new(like, type, n.value)
            results[i].values = one.pointer
    if n.value:
        check(library.group_export(handle, 0, n.value, results, byref(results[len(k.types)]) if wanted else None, byref(n)))
    for name, (offsets, text, type) in texts.items():
        made[name] = from_strings(offsets, text[: int(offsets[-1])].tobytes(), type)
    return {name: like.kind.wrap(array) for name, array in made.items()}
def join(left: Any, right: Any, how: str = "inner", *, ordered: bool = False, device: Optional[str] = None,
         engine: Optional[str] = None, threads: int = 0) -> Tuple[Any, Any]:
    """Pairs of rows whose keys are equal.

    left, right: an array each, or several columns as in group(); a table is built of the right side, which is best the
    smaller one.  how: "inner"; "left": also left rows without a match, with right row -1; "full": also right rows
    without one; "semi": left rows that have a match, once each; "anti": those that have none.
    Returns (left_rows, right_rows): arrays of i64; of semi and anti joins right_rows is None.  ordered: by left row and
    then right row.  NULL equals nothing; floats are equal as in group().  Of Arrow's columns rows are u64, or NULL."""
    if how not in HOWS:
        raise ValueError(f"no join {how!r}: {', '.join(HOWS)}")
    sides = [list(columns_of(side).values()) for side in (left, right)]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(f"{len(sides[0])} columns on the left, and {len(sides[1])} on the right")
    options = dict(engine=encode(engine), threads=threads, how=HOWS.index(how), flags=ORDERED * ordered, row_bytes=8)
    if any(kind_of(array).arrow for array in sides[0] + sides[1]):
        return _arrow.join(sides[0], sides[1], how, dict(options, device=encode(device or "host")))
    types = [type_of(array) for array in sides[0]]
    l, r, handle = Columns(sides[0], types, "left"), Columns(sides[1], types, "right"), c_void_p()
    config = make(JoinConfig, key_columns=len(types), keys=addressof(l.structs), device=encode(_device(l.views + r.views, device)), **options)
    check(library.join_create(byref(handle), byref(config)))
    try:
        check(library.join_build(handle, r.structs, r.n, r.call()))
        return _probe(handle, l, how)
    finally:
        library.join_destroy(handle)
def _probe(handle: c_void_p, l: Columns, how: str) -> Tuple[Any, Any]:
    """All pairs: in one piece where no left row has two, else in several, which are put together."""
    like, sides, room, n, pieces = l.like(), 1 if how in ("semi", "anti") else 2, l.n + 1, c_size_t(), []  # type: ignore[var-annotated]
    cursor, rest = JoinCursor(), JoinCursor(end=how != "full")
    while not cursor.end:
        made = [new(like, TYPES["i64"], room) for _ in range(sides)]
        places = [one.pointer for _, one in made] + [None]
        check(library.join_probe(handle, l.structs, l.n, byref(cursor), places[0], places[1], room, byref(n), l.call()))
        pieces.append([array[: n.value] for array, _ in made])
    while not rest.end:
        (left, _), (right, place) = new(like, TYPES["i64"], room), new(like, TYPES["i64"], room)
        check(library.join_rest(handle, byref(rest), place.pointer, room, byref(n), l.call()))
        like.kind.fill(left, -1)
        pieces.append([left[: n.value], right[: n.value]])
    joined = [column[0] if len(pieces) == 1 else like.kind.concatenate(column) for column in map(list, zip(*pieces))]
    return like.kind.wrap(joined[0]), like.kind.wrap(joined[1]) if sides == 2 else None
