# Columns of Arrow, in and out, by the functions of include/roost/arrow.h.
"""Arrays and streams that have Arrow's capsules: of pyarrow, Polars, pandas, DuckDB and others."""
from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, Structure, addressof, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from ._arrays import _capsule_pointer, kind_of, strings, view
from ._library import Arrow, Call, Column, FullError, JoinConfig, MemoryError, check, declare, error_of, library, make
from ._types import BYTES, NUMBERS, STRING, TYPES, Type, fixed

class Schema(Structure):
    _fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
                ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p), ("private", c_void_p)]

class Array(Structure):
    _fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
                ("buffers", c_void_p), ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p), ("private", c_void_p)]

class DeviceArray(Structure):
    _fields_ = [("array", Array), ("device_id", c_int64), ("device_type", c_int32), ("sync_event", c_void_p),
                ("reserved", c_int64 * 3)]

class Stream(Structure):
    _fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p), ("release", c_void_p),
                ("private", c_void_p)]

for _name, _types in {"arrow_column": "pp", "insert_arrow": "pippp", "find_arrow": "ppppp", "erase_arrow": "ppp",
                      "number_arrow": "ppppp", "insert_arrow_stream": "pippp", "export_arrow": "ppnup", "group_add_arrow": "pppp",
                      "group_export_arrow": "ppnpu", "join_build_arrow": "ppp", "join_probe_arrow": "pppnp",
                      "join_rest_arrow": "ppnp"}.items():
    declare(library, _name, _types)
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_RELEASE, _GET = CFUNCTYPE(None, c_void_p), CFUNCTYPE(c_int, c_void_p, c_void_p)
_kept = _RELEASE(lambda _: None)  # of arrays whose owner is Python's
NULLABLE, UTF8 = 2, 1

class Owned:
    """A struct that the library or a producer gave, which is released with this object unless it was moved."""
    names = {Schema: b"arrow_schema", Array: b"arrow_array", Stream: b"arrow_array_stream"}

    def __init__(self, of: Any, owner: Any = None):
        self.struct, self.owner = of(), owner

    def capsule(self) -> Any:
        return _capsule_new(addressof(self.struct), self.names[type(self.struct)], None)

    def __del__(self) -> None:
        if self.struct.release:
            _RELEASE(self.struct.release)(addressof(self.struct))

class Given:
    """An array, or a stream, for those that import by capsules."""
    def __init__(self, *parts: Owned):
        self.parts = parts

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return tuple(part.capsule() for part in self.parts)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.parts[0].capsule()

class Chunks:
    """The chunks of a column, each an Array and where it lies; a column of another kind is one chunk."""
    def __init__(self, x: Any, type: Optional[Type] = None):
        self.owners, self.arrays, self.n = [x], [], 0  # type: ignore[var-annotated]
        if not kind_of(x).arrow:
            self._make(x, type or TYPES["u64"])
        elif hasattr(x, "__arrow_c_array__"):
            self._take(x.__arrow_c_array__(), Array)
        elif hasattr(x, "__arrow_c_stream__"):
            self._read(x.__arrow_c_stream__())
        else:
            self._take(x.__arrow_c_device_array__(), DeviceArray)

    def _add(self, array: Array, *place: Any) -> None:
        self.arrays.append((array, place))
        self.n += array.length

    def _take(self, capsules: Any, of: Any) -> None:
        self.owners.append(capsules)
        self.schema = Schema.from_address(_capsule_pointer(capsules[0], b"arrow_schema"))
        if of is Array:
            return self._add(Array.from_address(_capsule_pointer(capsules[1], b"arrow_array")), 0, 0, None)
        there = DeviceArray.from_address(_capsule_pointer(capsules[1], b"arrow_device_array"))
        self._add(there.array, there.device_type, there.device_id, there.sync_event)

    def _read(self, capsule: Any) -> None:
        """Reads a stream to its end."""
        stream = Stream.from_address(_capsule_pointer(capsule, b"arrow_array_stream"))

        def get(function: int, of: Any) -> Any:
            owned = Owned(of)
            if _GET(function)(addressof(stream), addressof(owned.struct)):
                text = CFUNCTYPE(c_char_p, c_void_p)(stream.get_last_error)(addressof(stream))
                raise OSError(f"the stream of Arrow failed: {(text or b'').decode(errors='replace')}")
            self.owners.append(owned)
            return owned.struct
        self.schema = get(stream.get_schema, Schema)
        while True:
            array = get(stream.get_next, Array)
            if not array.release:
                return
            if array.length:
                self._add(array, 0, 0, None)

    def _make(self, x: Any, type: Type) -> None:
        """A column of an array of another kind, in place."""
        if type.number == STRING:
            n, offsets, text, owner = strings(x, type)
            buffers, device = (c_void_p * 3)(None, offsets, text), None
        else:
            one = view(x, type, "an array")
            n, device, owner, buffers = one.n, one.device, one.owner, (c_void_p * 2)(None, one.pointer)
        release = ctypes.cast(_kept, c_void_p).value
        self.schema = Schema(format=type.format.encode(), release=release)
        self.owners += [owner, buffers]
        self._add(Array(length=n, n_buffers=len(buffers), buffers=addressof(buffers), release=release),
                  0 if device is None else 2, device or 0, None)

    def piece(self, begin: int, end: int) -> Any:
        """A roost_arrow of the items of one chunk, from begin to end."""
        for array, (device_type, device_id, event) in self.arrays:
            if begin < array.length or begin == end == array.length == 0:
                break
            begin, end = begin - array.length, end - array.length
        cut = Array.from_buffer_copy(array)
        if begin or end != array.length:
            cut.offset, cut.length, cut.null_count = array.offset + begin, end - begin, -1 if array.null_count else 0
        made = make(Arrow, schema=addressof(self.schema), array=addressof(cut), child=-1, device_type=device_type, device_id=device_id,
                    sync_event=event)
        self.owners.append(cut)
        return made

    def ends(self) -> List[int]:
        return np.cumsum([array.length for array, _ in self.arrays]).tolist()

    def column(self) -> Any:
        """Its roost_column, as configurations have it."""
        column = make(Column)
        check(library.arrow_column(byref(self.schema), byref(column)))
        column.nullable = int(any(array.null_count for array, _ in self.arrays))
        return column

    def type(self) -> Type:
        column = self.column()
        if column.type == STRING:
            return TYPES["str" if self.schema.format.decode().strip("v") in "uU" else "bytes"]
        return fixed(column.bytes) if column.type == BYTES else TYPES[{number: name for name, number in NUMBERS.items()}[column.type]]

def type_of(x: Any) -> Type:
    """The type that a table has to have for keys as these."""
    return Chunks(x).type()

def pieces(columns: List[Chunks]) -> Iterator[Tuple[int, int, Any]]:
    """Rows that lie in one chunk of each column: the first, their end, and the columns' roost_arrow."""
    if len({column.n for column in columns}) > 1:
        raise ValueError(f"columns of {' and '.join(str(column.n) for column in columns)} items")
    begin = 0
    for end in sorted({end for column in columns for end in column.ends()}):
        yield begin, end, (Arrow * len(columns))(*[column.piece(begin, end) for column in columns])
        begin = end

def _module(x: Any) -> str:
    return type(x).__module__.partition(".")[0]

def array_like(parts: Any, like: Any) -> Any:
    """A column of the library of `like`, of parts that have capsules, or of one NumPy array."""
    if _module(like) == "polars":
        import polars
        return polars.Series(parts) if isinstance(parts, np.ndarray) else polars.concat([polars.Series(part) for part in parts])
    import pyarrow
    arrays = [pyarrow.array(part) for part in ([parts] if isinstance(parts, np.ndarray) else parts)]
    made = arrays[0] if len(arrays) == 1 and not isinstance(like, pyarrow.ChunkedArray) else pyarrow.chunked_array(arrays)
    if _module(like) == "pandas":
        import pandas
        return pandas.Series(made, dtype=pandas.ArrowDtype(made.type), index=like.index if len(like) == len(made) else None)
    return made

def _frame(streams: List[Any], names: List[str], like: Any) -> Dict[str, Any]:
    """The columns of streams of structs, one after the other; columns that one lacks are NULL."""
    if _module(like) == "polars":
        import polars
        frame = polars.concat([polars.DataFrame(stream) for stream in streams], how="diagonal")
        return {name: frame[name] for name in names}
    import pyarrow
    table = pyarrow.concat_tables([pyarrow.table(stream) for stream in streams], promote_options="default")
    made = {name: table.column(name) for name in names}
    return {name: array_like(made[name].chunks, like) for name in names} if _module(like) == "pandas" else made

def _columns(table: Any, keys: Any, values: Any = None) -> List[Chunks]:
    return [Chunks(keys, table._key)] + ([] if values is None else [Chunks(values, table._value)])

def _call(statuses: Any, begin: int, flags: int, stream: Any) -> Any:
    return byref(make(Call, statuses=statuses.ctypes.data + begin, flags=flags, stream=stream))

# ---- Calls on tables, with the arguments of class Table's ---------------------------------------------

def _finish(status: int, statuses: np.ndarray, wanted: bool, keys: Any) -> Any:
    if status:
        error = error_of(status)
        if isinstance(error, (FullError, MemoryError)):
            error.indices = np.flatnonzero(statuses >= 7)
        raise error
    return array_like(statuses, keys) if wanted else None

def insert(table: Any, keys: Any, values: Any, mode: int, flags: int, wanted: bool, stream: Any) -> Any:
    if values is None and table._value.number:
        capsule, rows = keys.__arrow_c_stream__(), c_uint64()
        pointer = _capsule_pointer(capsule, b"arrow_array_stream")
        return check(table._write(library.insert_arrow_stream, mode, pointer, byref(rows), byref(make(Call, flags=flags, stream=stream))))
    if isinstance(values, (int, float)):
        values = np.full(Chunks(keys, table._key).n, values, table._value.dtype)
    columns, failed = _columns(table, keys, values), 0
    statuses = np.zeros(columns[0].n, np.uint8)
    for begin, _, given in pieces(columns):
        status = table._write(library.insert_arrow, mode, byref(given[0]), byref(given[1]) if values is not None else None,
                              _call(statuses, begin, flags, stream))
        if status not in (0, FullError.status, MemoryError.status):
            check(status)
        failed = failed or status
    return _finish(failed, statuses, wanted, keys)

def _answers(do: Any, function: Any, table: Any, keys: Any, flags: int, stream: Any) -> Tuple[Any, np.ndarray, int]:
    """The array that a function gives for keys, their statuses, and the call's."""
    columns, parts, failed = _columns(table, keys), [], 0
    statuses = np.zeros(columns[0].n, np.uint8)
    for begin, _, given in pieces(columns):
        schema, array = Owned(Schema), Owned(Array)
        status = do(function, byref(given), byref(schema.struct), byref(array.struct), _call(statuses, begin, flags, stream))
        if array.struct.release:
            parts.append(Given(schema, array))
        failed = failed or status
    if failed or not parts:
        return np.empty(0, table._value.dtype or bool), statuses, failed
    return array_like(parts, keys), statuses, 0

def find(table: Any, keys: Any, found: Any, flags: int, stream: Any) -> Any:
    values, statuses, failed = _answers(table._read, library.find_arrow, table, keys, flags, stream)
    check(failed)
    return values if found is False or not table._value.number else (values, array_like(statuses == 4, keys))

def number(table: Any, keys: Any, flags: int, wanted: bool, stream: Any) -> Any:
    numbers, statuses, failed = _answers(table._write, library.number_arrow, table, keys, flags, stream)
    given = _finish(failed, statuses, wanted, keys)
    return (numbers, given) if wanted else numbers

def erase(table: Any, keys: Any, wanted: bool, stream: Any) -> Any:
    columns = _columns(table, keys)
    statuses = np.zeros(columns[0].n, np.uint8)
    for begin, _, given in pieces(columns):
        check(table._write(library.erase_arrow, byref(given), _call(statuses, begin, 0, stream)))
    return _finish(0, statuses, wanted, keys)

_streams: List[Owned] = []

def export_stream(table: Any) -> Any:
    """A capsule of the table's pairs; its stream is kept until somebody has moved it."""
    _streams[:] = [owned for owned in _streams if owned.struct.release]
    _streams.append(Owned(Stream, table))
    check(table._read(library.export_arrow, byref(_streams[-1].struct), 0, UTF8 * (table._key.name == "str"), None))
    return _streams[-1].capsule()

# ---- Relations, with the arguments of _relations.py's --------------------------------------------------

def items_of(keys: Any, mask: np.ndarray) -> Any:
    """The items of a column where a mask is true."""
    return keys[mask] if _module(keys) == "pandas" else keys.filter(array_like(mask, keys))

def _structs(chunks: List[Chunks]) -> Any:
    return (Column * max(1, len(chunks)))(*[one.column() for one in chunks])

def _chunks(arrays: List[Any]) -> List[Chunks]:
    from ._arrays import type_of as of
    return [Chunks(array) if kind_of(array).arrow else Chunks(array, of(array)) for array in arrays]

def group(columns: Dict[str, Any], values: List[Any], wanted: Any, options: Any) -> Dict[str, Any]:
    from ._relations import make_group
    keys, rest = _chunks(list(columns.values())), _chunks(values)
    handle = make_group(_structs(keys), len(keys), _structs(rest), len(rest), wanted, options)
    try:
        for _, _, given in pieces(keys + rest):
            check(library.group_add_arrow(handle, byref(given), byref(given[len(keys)]) if rest else None, None))
        names = [*columns, *(name for name, *_ in wanted)]
        stream, text = Owned(Stream), (c_char_p * len(names))(*[name.encode() for name in names])
        utf8 = any(one.type().name == "str" for one in keys)
        check(library.group_export_arrow(handle, byref(stream.struct), 1 << 20, text, UTF8 * utf8))
        return _frame([Given(stream)], names, next(array for array in [*columns.values(), *values] if kind_of(array).arrow))
    finally:
        library.group_destroy(handle)

def join(left: List[Any], right: List[Any], how: str, options: Any) -> Tuple[Any, Any]:
    l, r = _chunks(left), _chunks(right)
    columns, handle = _structs(l), c_void_p()
    for i, one in enumerate(r):
        columns[i].nullable |= one.column().nullable
    config = make(JoinConfig, key_columns=len(l), keys=addressof(columns), **options)
    check(library.join_create(byref(handle), byref(config)))
    like = next(array for array in left + right if kind_of(array).arrow)
    names, frames = ["probe"] if how in ("semi", "anti") else ["probe", "build"], []
    try:
        for _, _, given in pieces(r):
            check(library.join_build_arrow(handle, byref(given), None))

        def read(function: Any, *arguments: Any) -> None:
            stream = Owned(Stream)
            check(function(handle, *arguments, byref(stream.struct), c_size_t(1 << 20), None))
            frames.append(_read_all(stream, like))
        for _, _, given in pieces(l):
            read(library.join_probe_arrow, byref(given))
        if how == "full":
            read(library.join_rest_arrow)
        made = _frame(frames, names, like)
    finally:
        library.join_destroy(handle)
    return made["probe"], made.get("build")

def _read_all(stream: Owned, like: Any) -> Any:
    """A frame of all that a stream gives, before the next batch is probed."""
    if _module(like) == "polars":
        import polars
        return polars.DataFrame(Given(stream))
    import pyarrow
    return pyarrow.table(Given(stream))
