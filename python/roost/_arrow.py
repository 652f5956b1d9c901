# Columns of Arrow, in and out (include/roost/arrow.h).  A column of one chunk is used in place; of
# several chunks its own library makes one, which is a copy.
import ctypes
from ctypes import CFUNCTYPE, addressof, byref, c_char_p, c_int, c_size_t, c_void_p
from typing import Any, Dict, List, Optional, Tuple
import numpy as np
from ._arrays import capsule_pointer, kind_of, strings, type_of as type_of_array, view
from ._library import Arrow, Call, Column, JoinConfig, check, error_of, library, make, plain_struct
from ._types import BYTES, NUMBERS, STRING, TYPES, Type, fixed

Schema = plain_struct("Schema", "sformat sname pmetadata nflags nn_children pchildren pdictionary prelease pprivate")
Array = plain_struct("Array", "nlength nnull_count noffset nn_buffers nn_children pbuffers pchildren pdictionary prelease pprivate")
DeviceArray = plain_struct("DeviceArray", "", ("array", Array), ("device_id", c_size_t), ("device_type", c_int), ("sync_event", c_void_p),
                           ("reserved", c_size_t * 3))
Stream = plain_struct("Stream", "pget_schema pget_next pget_last_error prelease pprivate")
NAMES = {Schema: b"arrow_schema", Array: b"arrow_array", Stream: b"arrow_array_stream", DeviceArray: b"arrow_device_array"}
UTF8 = 1  # ROOST_ARROW_UTF8
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_RELEASE, _GET = CFUNCTYPE(None, c_void_p), CFUNCTYPE(c_int, c_void_p, c_void_p)
_kept = _RELEASE(lambda _: None)  # of arrays whose owner is Python's

class Owned:
    """A struct that the library or a producer gave, which is released with this object unless it was moved."""
    def __init__(self, of: Any, owner: Any = None): self.struct, self.owner = of(), owner
    def capsule(self) -> Any: return _capsule_new(addressof(self.struct), NAMES[type(self.struct)], None)
    def __del__(self) -> None:
        if self.struct.release and _RELEASE:  # none while the interpreter ends
            _RELEASE(self.struct.release)(addressof(self.struct))

class GivenArray:
    """An array with its schema, for those that import by capsules."""
    def __init__(self, schema: Owned, array: Owned): self.parts = schema, array
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: return tuple(part.capsule() for part in self.parts)

class GivenStream:
    """A stream, likewise."""
    def __init__(self, stream: Owned): self.stream = stream
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: return self.stream.capsule()

class Col:
    """A column of a call: its schema, its array, and where it is; of another kind of array, if a type is given."""
    def __init__(self, x: Any, type: Optional[Type] = None):
        self.owners, self.place = [x], (0, 0, None)  # type: ignore[var-annotated]
        if not kind_of(x).arrow:
            self._make(x, type or type_of_array(x))
        elif not hasattr(x, "__arrow_c_array__") and hasattr(x, "__arrow_c_stream__"):
            self._read(x)
        else:
            device = not hasattr(x, "__arrow_c_array__")
            capsules = x.__arrow_c_device_array__() if device else x.__arrow_c_array__()
            self.owners.append(capsules)
            self.schema, self.array = _at(capsules[0], Schema), _at(capsules[1], DeviceArray if device else Array)
            if device:
                self.place, self.array = (self.array.device_type, self.array.device_id, self.array.sync_event), self.array.array
        self.n = self.array.length
    def _read(self, x: Any) -> None:
        """Takes a stream's only chunk."""
        capsule = x.__arrow_c_stream__()
        stream, got = _at(capsule, Stream), []
        for function, of in ((stream.get_schema, Schema), (stream.get_next, Array), (stream.get_next, Array)):
            got.append(Owned(of))
            if _GET(function)(addressof(stream), addressof(got[-1].struct)):
                text = CFUNCTYPE(c_char_p, c_void_p)(stream.get_last_error)(addressof(stream))
                raise OSError(f"the stream of Arrow failed: {(text or b'').decode(errors='replace')}")
            if of is Array and not got[-1].struct.release:
                break
        if len(got) == 3 and got[2].struct.release or len(got) == 2:  # several chunks, or none
            return self.__init__(_one_chunk(x))  # type: ignore[misc]
        self.owners.append(got)
        self.schema, self.array = got[0].struct, got[1].struct
    def _make(self, x: Any, type: Type) -> None:
        if type.number == STRING:
            n, offsets, text, owner = strings(x)
            buffers, device = (c_void_p * 3)(None, offsets, text), None
        else:
            one = view(x, type, "an array")
            n, device, owner, buffers = one.n, one.device, one.owner, (c_void_p * 2)(None, one.pointer)
        release = ctypes.cast(_kept, c_void_p).value
        self.schema = Schema(format=type.format.encode(), release=release)
        self.array = Array(length=n, n_buffers=len(buffers), buffers=addressof(buffers), release=release)
        self.owners += [owner, buffers]
        self.place = (0, 0, None) if device is None else (2, device, None)
    def column(self) -> Any:
        """Its roost_column, as configurations have it."""
        column = make(Column)
        check(library.arrow_column(byref(self.schema), byref(column)))
        column.nullable = int(self.array.null_count != 0)
        return column
    def type(self) -> Type:
        column = self.column()
        if column.type == STRING:
            return TYPES["str" if self.schema.format.decode().strip("v") in "uU" else "bytes"]
        return fixed(column.bytes) if column.type == BYTES else TYPES[{number: name for name, number in NUMBERS.items()}[column.type]]
def _at(capsule: Any, of: Any) -> Any: return of.from_address(capsule_pointer(capsule, NAMES[of]))

def _one_chunk(x: Any) -> Any:
    if _module(x) == "polars":
        return x.rechunk().to_arrow() if len(x) == 0 else x.rechunk()
    import pyarrow
    made = pyarrow.chunked_array(x).combine_chunks()
    return made if isinstance(made, pyarrow.Array) else pyarrow.concat_arrays(made.chunks)
def arrows(columns: List[Col]) -> Any:
    """Columns of one length, as a call gets them."""
    if len({column.n for column in columns}) > 1:
        raise ValueError(f"columns of {' and '.join(str(column.n) for column in columns)} items")
    return (Arrow * max(1, len(columns)))(*[
        make(Arrow, schema=addressof(one.schema), array=addressof(one.array), child=-1, device_type=one.place[0], device_id=one.place[1],
             sync_event=one.place[2]) for one in columns])
def type_of(x: Any) -> Type: return Col(x).type()
def _module(x: Any) -> str: return type(x).__module__.partition(".")[0]

def array_like(part: Any, like: Any) -> Any:
    """A column of the library of `like`, of a part that has capsules, or of a NumPy array."""
    if _module(like) == "polars":
        import polars
        return polars.Series(part)
    import pyarrow
    made = part if isinstance(part, (pyarrow.Array, pyarrow.ChunkedArray)) else pyarrow.array(part)
    if _module(like) == "pandas":
        import pandas
        return pandas.Series(made, dtype=pandas.ArrowDtype(made.type), index=like.index if len(like) == len(made) else None)
    return pyarrow.chunked_array([made]) if isinstance(like, pyarrow.ChunkedArray) and isinstance(made, pyarrow.Array) else made
def _frame(stream: Owned, like: Any) -> Any:
    """A frame of the library of `like`, of a stream of structs."""
    if _module(like) == "polars":
        import polars
        return polars.DataFrame(GivenStream(stream))
    import pyarrow
    return pyarrow.table(GivenStream(stream))
def _columns(frames: List[Any], names: List[str], like: Any) -> Dict[str, Any]:
    """The columns of frames, one after the other; what one of them lacks is NULL."""
    if _module(like) == "polars":
        import polars
        frame = polars.concat(frames, how="diagonal")
        return {name: frame[name] for name in names}
    import pyarrow
    frame = pyarrow.concat_tables(frames, promote_options="default") if len(frames) > 1 else frames[0]
    return {name: array_like(frame[name], like) for name in names}
def insert_stream(table: Any, x: Any, mode: int, flags: int) -> None:
    """Inserts all batches of a stream of structs of a key and a value."""
    capsule = x.__arrow_c_stream__()
    check(table._write(library.insert_arrow_stream, mode, capsule_pointer(capsule, NAMES[Stream]), None, byref(make(Call, flags=flags))))
def _ask(do: Any, function: Any, table: Any, keys: Any, flags: int, stream: Any) -> Tuple[Owned, Owned, np.ndarray, int]:
    """The array that a function gives for keys, their statuses, and the call's."""
    one, schema, array = Col(keys, table._key), Owned(Schema), Owned(Array)
    statuses = np.zeros(one.n, np.uint8)
    call = byref(make(Call, statuses=statuses.ctypes.data, flags=flags, stream=stream))
    return schema, array, statuses, do(function, byref(arrows([one])), byref(schema.struct), byref(array.struct), call)
def find(table: Any, keys: Any, found: Any, flags: int, stream: Any) -> Any:
    schema, array, statuses, status = _ask(table._read, library.find_arrow, table, keys, flags, stream)
    check(status)
    values = array_like(GivenArray(schema, array), keys)
    return values if found is False or not table._value.number else (values, array_like(statuses == 4, keys))
def number(table: Any, keys: Any, flags: int, wanted: bool, stream: Any) -> Any:
    schema, array, statuses, status = _ask(table._write, library.number_arrow, table, keys, flags, stream)
    if status:
        error = error_of(status)
        error.indices = np.flatnonzero(statuses >= 7)
        raise error
    numbers = array_like(GivenArray(schema, array), keys)
    return (numbers, array_like(statuses, keys)) if wanted else numbers
_streams: List[Owned] = []

def export_stream(table: Any) -> Any:
    """A capsule of the table's pairs; its stream is kept until somebody has moved it."""
    _streams[:] = [owned for owned in _streams if owned.struct.release]
    _streams.append(Owned(Stream, table))
    check(table._read(library.export_arrow, byref(_streams[-1].struct), 0, UTF8 * (table._key.name == "str"), None))
    return _streams[-1].capsule()
def items_of(keys: Any, mask: np.ndarray) -> Any:
    """The items of a column where a mask is true."""
    return keys[mask] if _module(keys) == "pandas" else keys.filter(array_like(mask, keys))
def structs(columns: List[Col]) -> Any: return (Column * max(1, len(columns)))(*[one.column() for one in columns])

def group(columns: Dict[str, Any], values: List[Any], wanted: Any, options: Any) -> Dict[str, Any]:
    from ._relations import make_group
    keys, rest, stream = [Col(array) for array in columns.values()], [Col(array) for array in values], Owned(Stream)
    handle = make_group(structs(keys), len(keys), structs(rest), len(rest), wanted, options)
    try:
        given, names = arrows(keys + rest), [*columns, *(name for name, *_ in wanted)]
        check(library.group_add_arrow(handle, byref(given), byref(given[len(keys)]) if rest else None, None))
        utf8, n = any(one.type().name == "str" for one in keys), c_size_t()
        check(library.group_count(handle, byref(n)))
        check(library.group_export_arrow(handle, byref(stream.struct), max(n.value, 1), (c_char_p * len(names))(*map(str.encode, names)), UTF8 * utf8))
        like = next(array for array in [*columns.values(), *values] if kind_of(array).arrow)
        return _columns([_frame(stream, like)], names, like)
    finally:
        library.group_destroy(handle)
def join(left: List[Any], right: List[Any], how: str, options: Any) -> Tuple[Any, Any]:
    l, r, handle = [Col(array) for array in left], [Col(array) for array in right], c_void_p()
    columns = structs(l)
    for i, one in enumerate(r):
        columns[i].nullable |= one.column().nullable
    check(library.join_create(byref(handle), byref(make(JoinConfig, key_columns=len(l), keys=addressof(columns), **options))))
    names, stream, rest = ["probe"] if how in ("semi", "anti") else ["probe", "build"], Owned(Stream), Owned(Stream)
    try:
        check(library.join_build_arrow(handle, byref(arrows(r)), None))
        check(library.join_probe_arrow(handle, byref(arrows(l)), byref(stream.struct), 0, None))
        like = next(array for array in left + right if kind_of(array).arrow)
        frames = [_frame(stream, like)]
        if how == "full":
            check(library.join_rest_arrow(handle, byref(rest.struct), 0, None))
            frames.append(_frame(rest, like))
        made = _columns(frames, names, like)
    finally:
        library.join_destroy(handle)
    return made["probe"], made.get("build")
