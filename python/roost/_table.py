# Table: a hash table whose keys and values come and go in arrays.
import functools
import os
import threading
import weakref
from ctypes import byref, c_size_t, c_void_p, sizeof
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union
import numpy as np
from . import _arrow, _cuda, _snapshots
from ._arrays import NUMPY, View, from_strings, kind_of, known, new, strings, view
from ._comm import comm_of
from ._library import (ABSENT_KEEP, EXPORT_MIN, HASH_ORDER, LOCAL, MODES, NUMBER_ORDER, NUMBERED, ORDERED, SPACE_AUTO, SPACE_DEVICE,
                       SPACE_HOST, WORKS, Call, Config, Cursor, FullError, MemoryError, Stats, Strings, check, encode, error_of, gpus,
                       library, make)
from ._types import BOOL, STRING, U8, parse
REFUSED, BLOCK = 7, 1 << 20  # the first roost_item_status of items that were not stored; pairs of a block of an iteration
@functools.lru_cache(64)
def _call_of(stream: Any, space: int, statuses: Any, flags: int) -> Any:
    return byref(make(Call, stream=stream, space=space, statuses=statuses, flags=flags))
_tables: "weakref.WeakSet[Table]" = weakref.WeakSet()

def _after_fork() -> None:
    for table in list(_tables):
        table._forked, table._broken, table._readers = True, table._lock.locked() or table._readers > 0, 0
        table._make_lock()
os.register_at_fork(after_in_child=_after_fork)
def stream_number(stream: Any) -> Optional[int]:
    """The cudaStream_t of a number, or of a stream of CuPy, PyTorch or another library."""
    if stream is None:
        return None
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    for name in ("cuda_stream", "ptr", "handle"):
        stream = getattr(stream, name, stream)
    return 0 if int(stream) == 1 else int(stream)

class Table:
    """A hash table on a GPU or a host.  Calls take arrays and work on all of their items at once.

        table = roost.Table(keys="u64", values="f32", capacity=1_000_000)
        table.insert(keys, values)              # arrays of NumPy, CuPy, PyTorch, JAX, pandas, Polars, pyarrow; lists
        values, found = table.find(keys)        # the same kind as `keys`, on the same device

    Parameters.
        keys, values    "u32" "u64" "i32" "i64" "f32" "f64", "bytes:N" (N bytes each); keys also "str" and "bytes"
                        (of any length).  values=None: a set.  NumPy's dtypes are taken, too.  Keys are equal
                        when their bits are.
        device          "host", "cuda", "cuda:1", or "cuda:0,cuda:1"; None: the first GPU, else the host
        engine          "compact", "dycuckoo", "fks", "gph", "slab", "stadium"; None: the library chooses
        capacity        keys that the table holds before it grows
        growth          False: only reserve() enlarges the table, and calls raise FullError
        seed            of the hash functions; None: a secret one
        numbered        True: values are the keys' numbers, 0, 1, ... (number())
        like            a table whose hash functions the new one takes over
        comm            the table is spread over the ranks of a roost.Comm, of an mpi4py communicator, or of one of
                        NCCL; all ranks make the same calls, with items of their own
        min_fill, max_fill, saturate, threads, memory_limit, options, work, batch: as in roost_config (roost.h)

    Arrays.  What has the table's type is used where it is: no byte is copied.  Lists, and NumPy's arrays of a narrower
    type, are converted.  Other types raise TypeError.  Keys have one dimension; "bytes:N" are of NumPy's dtype SN or
    VN, or rows of N bytes.

    Streams.  Work on a GPU is ordered by the current stream of the arrays' library, or by `stream` of the call: a
    number (cudaStream_t) or a stream of CuPy or PyTorch.  A call whose arrays all lie on the table's GPU may return
    before its work has ended.  The table holds its arrays until then; sync() raises later failures.

    Threads.  Any thread may call.  Calls that read run at the same time; one that writes runs alone.  While blocks are
    iterated, and in the child after a fork, writing raises RuntimeError.

    Errors.  FullError and MemoryError have the refused items' `indices`; in tables that grow these are the items whose
    keys are not stored.  statuses=True returns an array with a number for each item: 1 inserted, 2 updated, 3 kept,
    5 absent, 6 erased, 7 full, 8 no memory, 0 not processed.
    """
    def __init__(self, keys: Any = "u64", values: Any = "f32", *, device: Any = None, engine: Optional[str] = None,
                 capacity: int = 0, growth: bool = True, min_fill: float = 0.30, max_fill: float = 0.85, saturate: bool = False,
                 seed: Optional[int] = None, threads: int = 0, memory_limit: int = 0, numbered: bool = False,
                 options: Optional[str] = None, work: str = "any", batch: int = 0, like: Optional["Table"] = None, comm: Any = None):
        settings = {name: value for name, value in locals().items() if name not in ("self", "like", "comm")}
        settings.update(keys=parse(keys).name, values=parse(values).name, device=None if device is None else str(device))
        if comm is not None:
            comm = comm_of(comm)
        handle, config = c_void_p(), self._config(settings, comm)
        config.like = like._handle if like is not None else None
        check(library.table_create(byref(handle), byref(config)))
        self._open(handle, settings, comm)

    _handle: Optional[c_void_p] = None
    @staticmethod
    def _config(s: Dict[str, Any], comm: Any = None) -> Any:
        """The roost_config of these settings."""
        config, key, value = Config(), parse(s["keys"]), parse(s["values"])
        check(library.config_init(byref(config), sizeof(config)))
        config.engine, config.options = encode(s["engine"]), encode(s["options"])
        config.device = encode("host" if s["device"] == "cpu" else s["device"])
        for name in ("capacity", "min_fill", "max_fill", "threads", "memory_limit", "batch"):
            if s[name] < 0:
                raise ValueError(f"{name} is {s[name]}")
            setattr(config, name, s[name])
        if s["work"] not in WORKS:
            raise ValueError(f"no work {s['work']!r}: {', '.join(WORKS)}")
        config.key_type, config.key_bytes, config.value_type, config.value_bytes = key.number, key.bytes, value.number, value.bytes
        config.growth, config.saturate, config.work = bool(s["growth"]), bool(s["saturate"]), WORKS.index(s["work"])
        config.flags, config.seed, config.seed_given = NUMBERED * bool(s["numbered"]), s["seed"] or 0, s["seed"] is not None
        config.comm = comm._handle if comm is not None else None
        return config
    def _open(self, handle: c_void_p, settings: Dict[str, Any], comm: Any) -> None:
        """Begins with a table of the library."""
        self._handle, self._settings, self._comm, self._held = handle, settings, comm, _cuda.Held()
        self._key, self._value = parse(settings["keys"]), parse(settings["values"])
        self._readers, self._iterators, self._forked, self._broken = 0, 0, False, False
        # Tables that grow ask for no statuses, without which some engines build faster.
        self._foresees = not settings["growth"] or settings["memory_limit"] > 0
        self._make_lock()
        _tables.add(self)
    def _make_lock(self) -> None:
        self._lock, self._waits = threading.Lock(), 0
        self._idle = threading.Condition(self._lock)
    def _refuse(self) -> Any:
        if not self._handle:
            raise ValueError("the table is closed")
        if self._broken:
            raise RuntimeError("another thread was using the table during the fork: this process cannot use it")
        if self._forked:
            raise RuntimeError("the table was made before a fork: this process may read it and make its own, not write to it")
        raise RuntimeError("the table cannot be written to while its blocks are iterated: end or close() the iteration")
    def _wait(self) -> None:
        self._waits += 1
        self._idle.wait()
        self._waits -= 1
    def _write(self, function: Callable[..., int], *arguments: Any) -> int:
        with self._lock:
            while True:
                if self._iterators or self._forked or not self._handle:
                    self._refuse()
                if not self._readers:
                    return function(self._handle, *arguments)
                self._wait()
    def _read(self, function: Callable[..., int], *arguments: Any) -> int:
        with self._lock:
            if self._broken or not self._handle:
                self._refuse()
            self._readers += 1
        try:
            return function(self._handle, *arguments)
        finally:
            with self._lock:
                self._readers -= 1
                if self._waits and not self._readers:
                    self._idle.notify_all()
    def _call(self, views: List[View], stream: Any, statuses: Optional[View] = None, flags: int = 0) -> Tuple[Any, Any]:
        """The roost_call for these arrays, those that are written to first, and where its work may go on later."""
        on_gpu = [one for one in views if one.device is not None]
        if not on_gpu:
            return _call_of(None, SPACE_HOST, statuses and statuses.pointer, flags), None
        if not gpus():
            raise ValueError("an array is on a GPU, and the library sees none")
        own = [one.stream for one in on_gpu if one.stream is not None]
        number = own[0] if stream is None and own else stream_number(stream) or 0
        for one in on_gpu:
            if one.stream not in (None, number):
                _cuda.gpu(one.device or 0).order(one.stream, number)  # type: ignore[arg-type]
        space = SPACE_DEVICE if len(on_gpu) == len(views) else SPACE_AUTO
        return _call_of(number, space, statuses and statuses.pointer, flags), (on_gpu[0].device, number)
    def _hold(self, later: Optional[Tuple[int, int]], arrays: Any) -> None:
        if later is not None:
            with self._lock:
                self._held.hold(*later, arrays)
    def _keys_in(self, keys: Any, stream: Any, arrow: bool = False) -> Tuple[Tuple[Any, ...], View, List[View], str]:
        """What functions of the library get for keys, where these are, the views of a call, and the functions' suffix."""
        kind = kind_of(keys)
        if arrow or kind.arrow:
            column = _arrow.Col(keys, self._key)
            return (byref(_arrow.arrows([column])),), View(0, column.n, None, column, None, kind), [], "_arrow"
        if self._key.number == STRING:
            n, offsets, text, owner = strings(keys)
            given = make(Strings, offsets=offsets, bytes=text, offset_bytes=8)
            return (byref(given), n), View(0, n, None, (given, owner), None, kind if kind.name == "pandas" else NUMPY), [], "_strings"
        one = view(keys, self._key, "keys", stream_number(stream))
        return (one.pointer, one.n), one, [one], ""
    def insert(self, keys: Any, values: Any = None, *, mode: str = "assign", ordered: bool = False, statuses: bool = False,
               stream: Any = None) -> Any:
        """Inserts n keys with n values, or with one number for all.

        mode: "assign" overwrites values of keys that are there, "keep" keeps them, "add", "min" and "max" combine both.
        ordered: operations on equal keys take effect in the order of the arrays.  keys alone may also be a table or
        stream of Arrow with a column of keys and one of values.
        Returns None, or with statuses=True an array of n statuses.  Raises FullError and MemoryError, all other items
        being stored; TypeError; ValueError."""
        if mode not in MODES:
            raise ValueError(f"no mode {mode!r}: {', '.join(MODES)}")
        arrow = kind_of(keys).arrow or kind_of(values).arrow
        if arrow:
            if values is None and self._value.number:
                return _arrow.insert_stream(self, keys, MODES[mode], ORDERED * ordered)
        if (values is None) != (self._value.number == 0):
            raise TypeError("values are missing" if values is None else "the table is a set: leave out the values")
        (pointer, *n), like, views, suffix = self._keys_in(keys, stream, arrow)
        v, place = None, None  # type: Any, Any
        if isinstance(values, (int, float, np.number)):
            number, (values, _) = values, new(like, self._value)
            if self._value.dtype.kind in "iu" and int(number) != number:
                raise ValueError(f"{number} is no value of {self._value.name}")
            kind_of(values).fill(values, number)
        if arrow and values is not None:
            v = _arrow.Col(values, self._value)
            place = byref(_arrow.arrows([v]))
        elif values is not None:
            v = view(values, self._value, "values", stream_number(stream))
            views, place = [v] + views, v.pointer
        if v is not None and v.n != like.n:
            raise ValueError(f"{like.n} keys, and {v.n} values")
        return self._insert("insert" + suffix, (MODES[mode], pointer, place, *n), views, like, statuses, stream, ORDERED * ordered, keys)
    def _insert(self, name: str, arguments: Any, views: List[View], like: View, statuses: bool, stream: Any, flags: int, keys: Any) -> Any:
        """Makes a call that writes; raises the refused items' indices."""
        given, s = new(like, U8) if statuses or self._foresees else (None, None)
        views = [s] + views if s else views
        call, later = self._call(views, stream, s, flags)
        status = self._write(getattr(library, name), *arguments, call)
        self._hold(later, views)
        if status:
            error = error_of(status)
            if isinstance(error, (FullError, MemoryError)):
                refused = like.kind.host(self.contains(keys, stream=stream)) == 0 if s is None else like.kind.host(given) >= REFUSED
                error.indices = np.flatnonzero(refused)
            raise error
        return like.kind.wrap(given, keys) if statuses else None
    def add(self, keys: Any, values: Any = 1, **options: Any) -> Any:
        """Inserts keys, or adds to the values of those that are there: insert(mode="add")."""
        return self.insert(keys, values, mode="add", **options)
    def min(self, keys: Any, values: Any, **options: Any) -> Any:
        """Inserts keys, or keeps the smaller value: insert(mode="min")."""
        return self.insert(keys, values, mode="min", **options)
    def max(self, keys: Any, values: Any, **options: Any) -> Any:
        """Inserts keys, or keeps the larger value: insert(mode="max")."""
        return self.insert(keys, values, mode="max", **options)
    def find(self, keys: Any, *, out: Any = None, found: Any = None, default: Any = None, local: bool = False, stream: Any = None) -> Any:
        """Finds n keys.

        Returns (values, found): the values, `default` or else 0 for absent keys, and an array of bool.  Of a set it
        returns `found` alone.  out, found: arrays of n items to write to, which are returned; found=False: not wanted,
        and the values alone are returned.  local: look only into this rank's shard of a table with a comm.
        Keys from Arrow: the values of keys that are absent or NULL are NULL."""
        if kind_of(keys).arrow:
            return _arrow.find(self, keys, found, LOCAL * local, stream)
        if self._value.number == 0 and (out is not None or default is not None):
            raise TypeError("the table is a set: leave out `out` and `default`")
        return self._find(keys, self._value.number > 0, out, found, default, LOCAL * local, stream)
    def _find(self, keys: Any, wanted: bool, out: Any, found: Any, default: Any, flags: int, stream: Any) -> Any:
        asked, like, views, suffix = self._keys_in(keys, stream)
        v, f, values, given = None, None, out, found
        if wanted:
            values, v = (out, view(out, self._value, "out", None, like.n)) if out is not None else new(like, self._value)
            views.insert(0, v)
            if default is not None:
                kind_of(values).fill(values, default)
                flags |= ABSENT_KEEP
        if found is not False:
            given, f = new(like, BOOL) if found is None else (found, view(found, BOOL, "found", None, like.n))
            views.insert(0, f)
        call, later = self._call(views, stream, None, flags)
        status = self._read(getattr(library, "find" + suffix), *asked, v and v.pointer, f and f.pointer, call)
        self._hold(later, views)
        check(status)
        given = like.kind.wrap(given, keys) if found is None else given
        if v is None:
            return given
        values = like.kind.wrap(values, keys) if out is None else out
        return values if found is False else (values, given)
    def contains(self, keys: Any, *, stream: Any = None) -> Any:
        """Returns an array of bool: which of n keys are in the table."""
        if kind_of(keys).arrow:
            found = self.find(keys, stream=stream)
            return found[1] if isinstance(found, tuple) else found
        return self._find(keys, False, None, None, None, 0, stream)
    def __contains__(self, key: Any) -> bool: return bool(self.contains([key])[0])
    def erase(self, keys: Any, *, statuses: bool = False, stream: Any = None) -> Any:
        """Removes n keys; those that are absent are no error.  statuses=True returns an array of n statuses."""
        given, like, views, suffix = self._keys_in(keys, stream)
        return self._insert("erase" + suffix, given, views, like, statuses, stream, 0, keys)
    def number(self, keys: Any, *, ordered: bool = False, statuses: bool = False, out: Any = None, stream: Any = None) -> Any:
        """Returns the numbers of n keys, and gives new keys the next ones (numbered=True): 0, 1, ..., with ordered=True
        in the order of their first items.  statuses=True returns (numbers, statuses): 1 for one item of each new key,
        with ordered=True its first.  out: an array of n items to write to."""
        if kind_of(keys).arrow:
            return _arrow.number(self, keys, ORDERED * ordered, statuses, stream)
        asked, like, views, suffix = self._keys_in(keys, stream)
        numbers, o = (out, view(out, self._value, "out", None, like.n)) if out is not None else new(like, self._value)
        given = self._insert("number" + suffix, (*asked, o.pointer), [o] + views, like, statuses, stream, ORDERED * ordered, keys)
        numbers = numbers if out is not None else like.kind.wrap(numbers, keys)
        return (numbers, given) if statuses else numbers
    def items(self, room: int = BLOCK, *, kind: str = "numpy", order: Optional[str] = None) -> Iterator[Any]:
        """Yields the table's pairs in blocks (keys, values) of at most `room` of them; of a set, blocks of keys.

        kind: the library whose arrays these are: "numpy", "cupy", "torch", "jax", "pandas"; on the table's GPU for
        those that have arrays there.  order: None, "hash" (engine compact) or "number" (numbered=True).  Until the
        iteration ends, writing to the table raises RuntimeError."""
        with self._lock:
            if self._broken or not self._handle:
                self._refuse()
            self._iterators += 1
        try:
            cursor = Cursor()
            while not cursor.end:
                n, block = self._block(cursor, max(room, EXPORT_MIN), kind, order)
                if n:
                    yield block
        finally:
            with self._lock:
                self._iterators -= 1
    __iter__ = items
    def export(self, *, kind: str = "numpy", order: Optional[str] = None) -> Any:
        """Returns all pairs as (keys, values), or a set's keys: items() in one block."""
        blocks = list(self.items(len(self) + EXPORT_MIN, kind=kind, order=order)) or [self._block(Cursor(end=1), 0, kind, order)[1]]
        if len(blocks) == 1:
            return blocks[0]
        columns = zip(*blocks) if self._value.number else [blocks]  # of strings, which NumPy alone has
        joined = [np.concatenate(column) for column in columns]
        return tuple(joined) if self._value.number else joined[0]
    def _block(self, cursor: Cursor, room: int, kind: str, order: Optional[str]) -> Tuple[int, Any]:
        """Exports the next pairs: how many, and the block."""
        maker = known(kind)
        if maker is None or maker.arrow:
            raise ValueError(f"no arrays of {kind!r} here")
        gpu = self.device.partition(",")[0].partition(":")[2]
        like = View(0, room, int(gpu) if gpu and kind in ("cupy", "torch", "jax") else None, None, None, maker)
        values, v = new(like, self._value) if self._value.number else (None, None)
        if self._key.number == STRING:
            done, keys = self._string_block(cursor, v, room)
        else:
            done, (keys, k), n = 0, new(like, self._key), c_size_t()
            call, _ = self._call([k, v] if v else [k], None, None, {None: 0, "hash": HASH_ORDER, "number": NUMBER_ORDER}[order])
            while not cursor.end and room - done >= EXPORT_MIN:
                check(self._read(library.export, byref(cursor), k.pointer + done * self._key.bytes,
                                 v and v.pointer + done * self._value.bytes, room - done, byref(n), call))
                done += n.value
        cut = [maker.wrap(one if done == room else one[:done]) for one in (keys, values) if one is not None]
        return done, cut[0] if v is None else tuple(cut)
    def _string_block(self, cursor: Cursor, v: Optional[View], room: int) -> Tuple[int, np.ndarray]:
        offsets, n, bytes_room, text = np.zeros(room + 1, np.uint64), c_size_t(), 1 << 20, np.empty(0, np.uint8)
        while room and not cursor.end and not n.value:
            text = np.empty(bytes_room, np.uint8)
            status = self._read(library.export_strings, byref(cursor), offsets.ctypes.data, 8, text.ctypes.data, bytes_room,
                                v and v.pointer, room, byref(n), None)
            if status != 1 or bytes_room >= 1 << 40:  # else the first strings need more room
                check(status)
            bytes_room *= 8 if status else 1
        offsets = offsets[: n.value + 1]
        return n.value, from_strings(offsets, text[: int(offsets[-1])].tobytes(), self._key)
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The pairs as a stream of Arrow, for pyarrow.table(table), polars.DataFrame(table) and DuckDB.  It is read
        before the next call that writes, which ends it with an error."""
        return _arrow.export_stream(self)
    def __len__(self) -> int: return int(self.stats()["count"])
    def stats(self) -> Dict[str, Union[int, float]]:
        """What the table counts: count, slots, load_factor, table_bytes and more, as in roost_stats."""
        stats = make(Stats)
        check(self._read(library.table_stats, byref(stats), sizeof(stats)))
        return {name: getattr(stats, name) for name, *_ in Stats._fields_[1:]}
    def check(self) -> None:
        """Verifies every invariant of the table, slowly.  Raises CorruptError, which names the invariant."""
        check(self._read(library.table_check))
    engine = property(lambda self: library.table_engine(self._living()).decode(), doc="The name of the table's engine.")
    device = property(lambda self: library.table_device(self._living()).decode(), doc="Its device: \"host\", \"cuda:0\".")
    key_type = property(lambda self: self._key.name, doc="The type of the keys, such as \"u64\".")
    value_type = property(lambda self: self._value.name, doc="The type of the values; \"none\" of a set.")
    def _living(self) -> Any: return self._handle or self._refuse()
    def __repr__(self) -> str:
        place = f"engine {self.engine}, on {self.device}" if self._handle else "closed"
        return f"<roost.Table {self._key.name} -> {self._value.name}, {place}>"
    def sync(self) -> None:
        """Waits for all work on the table.  Raises FullError or MemoryError, without indices, if items of asynchronous
        calls since the last sync were not stored."""
        with self._lock: self._held.mark()
        status = self._write(library.table_sync, None)
        with self._lock: self._held.drop_passed()
        check(status)
    def reserve(self, keys: int) -> None:
        """Makes room for `keys` keys in all, and keeps the table from shrinking below it."""
        check(self._write(library.table_reserve, keys))
    def clear(self) -> None:
        """Removes all keys."""
        check(self._write(library.table_clear))
    def save(self, file: Any, *, zstd: int = 0) -> None:
        """Saves the table to a path, or to an object with write().  Any engine on any machine loads it.  A file is
        replaced once the new one is complete.  zstd: a level of compression, 1 to 19."""
        _snapshots.save(self, file, zstd)
    @classmethod
    def load(cls, file: Any, **settings: Any) -> "Table":
        """Loads a saved table from a path, or from an object with read().  settings: those of Table(); without them
        engine, options and bounds are as saved, and the seed is drawn anew.  Raises CorruptError, which names what is
        damaged; ArgumentError: no snapshot, or other types."""
        return _snapshots.load(cls, file, settings)
    def __reduce__(self) -> Any:
        return _snapshots.restore, (self._settings, _snapshots.dump(self))
    def close(self) -> None:
        """Waits for the table's work and frees it.  Further calls raise ValueError."""
        with self._lock:
            while self._readers:
                self._wait()
            handle, self._handle = self._handle, None
            if handle and not self._broken:
                library.table_destroy(handle)
            self._held.calls.clear(), self._held.late.clear()
    def __enter__(self) -> "Table": return self
    def __exit__(self, *reason: Any) -> None: self.close()
    def __del__(self) -> None:
        if self._handle and not self._broken:
            library.table_destroy(self._handle)
