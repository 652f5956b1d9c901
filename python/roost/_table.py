# Table: a hash table whose keys and values come and go in arrays.
"""The class Table."""

from __future__ import annotations

import os
import threading
import weakref
from ctypes import byref, c_size_t, c_uint64, c_void_p, sizeof
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np

from . import _cuda
from ._arrays import NUMPY, Kind, View, from_strings, kind_named, kind_of, strings, view, view_out
from ._library import (ABSENT_KEEP, EXPORT_MIN, HASH_ORDER, LOCAL, MODES, NUMBER_ORDER, NUMBERED, ORDERED,
                       SPACE_AUTO, SPACE_DEVICE, SPACE_HOST, WORKS, Call, Config, Cursor, FullError, MemoryError, Stats, Strings, check, encode,
                       error_of, gpus, library, make)
from ._types import BOOL, BYTES, STRING, TYPES, U8, Type, parse

INSERTED, FOUND, REFUSED = 1, 4, 7  # roost_item_status; REFUSED and above: not stored
BLOCK = 1 << 20  # pairs of a block of an iteration
_HOST_CALL = make(Call, space=SPACE_HOST)
_host_call = byref(_HOST_CALL)
_tables: "weakref.WeakSet[Table]" = weakref.WeakSet()
_merging = threading.Lock()


def _after_fork() -> None:
    for table in list(_tables):
        table._forked, table._broken = True, table._lock.locked() or table._readers > 0
        table._make_lock()


os.register_at_fork(after_in_child=_after_fork)


def stream_number(stream: Any) -> Optional[int]:
    """The cudaStream_t of an int, or of a stream of CuPy, PyTorch or another library."""
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    for name in ("cuda_stream", "ptr", "handle"):
        stream = getattr(stream, name, stream)
    return None if stream is None else 0 if int(stream) == 1 else int(stream)


class Table:
    """A hash table on a GPU or a host.  Calls take arrays and work on all of their items at once.

        table = roost.Table(keys="u64", values="f32", capacity=1_000_000)
        table.insert(keys, values)              # arrays of NumPy, CuPy, PyTorch, JAX, pandas, Polars, pyarrow; lists
        values, found = table.find(keys)        # the same kind as `keys`, on the same device

    Parameters.
        keys, values    "u32" "u64" "i32" "i64" "f32" "f64", "bytes:N" (N bytes each); keys also "str" and
                        "bytes" (of any length).  values=None: a set.  NumPy's dtypes are taken, too.  Keys
                        are equal when their bits are.
        device          "host", "cuda", "cuda:1", or "cuda:0,cuda:1"; None: the first GPU, else the host
        engine          "compact", "dycuckoo", "fks", "gph", "slab", "stadium"; None: the library chooses
        capacity        keys that the table holds before it grows
        growth          False: only reserve() enlarges the table, and calls raise FullError
        min_fill, max_fill, saturate, threads, memory_limit, options, work, batch: as in roost_config
        seed            of the hash functions; None: a secret one
        numbered        True: values are the keys' numbers, 0, 1, ... (number)
        like            a table whose hash functions the new one takes over
        comm            the table is spread over the ranks of a roost.Comm, of an mpi4py communicator, or of
                        one of NCCL; all ranks make the same calls with items of their own

    Arrays.  What has the table's type is used where it is; no byte is copied.  Lists, and NumPy's arrays of
    a narrower type, are converted.  Other types raise TypeError.  Keys are one-dimensional; "bytes:N" are of
    NumPy's dtype SN or VN, or rows whose items have N bytes in all.

    Streams.  Work on a GPU is ordered by the current stream of the arrays' library, or by `stream` of the call:
    a number (cudaStream_t) or a stream of CuPy or PyTorch.  A call whose arrays all lie on the table's GPU may
    return before its work has ended.  The table holds its arrays until then; sync() raises later failures.

    Threads.  Any thread may call.  Calls that read run at the same time; one that writes runs alone.  While a
    block iteration has not ended, and in the child after a fork, writing raises RuntimeError.

    Errors.  FullError and MemoryError have the refused items' `indices`.  In tables that grow they are the items
    whose keys are not stored.  statuses=True returns an array with a roost_item_status for each item:
    1 inserted, 2 updated, 3 kept, 4 found, 5 absent, 6 erased, 7 full, 8 no memory, 0 not processed.
    """

    def __init__(self, keys: Any = "u64", values: Any = "f32", *, device: Any = None, engine: Optional[str] = None,
                 capacity: int = 0, growth: bool = True, min_fill: float = 0.30, max_fill: float = 0.85,
                 saturate: bool = False, seed: Optional[int] = None, threads: int = 0, memory_limit: int = 0,
                 numbered: bool = False, options: Optional[str] = None, work: str = "any",
                 batch: int = 0, like: Optional["Table"] = None, comm: Any = None):
        self._handle: Optional[c_void_p] = None
        self._key, self._value = parse(keys), parse(values)
        device = {"cpu": "host"}.get(str(device), str(device)) if device is not None else None
        if work not in WORKS:
            raise ValueError(f"no work {work!r}: {', '.join(WORKS)}")
        self._settings = dict(keys=self._key.name, values=self._value.name, device=device, engine=engine, capacity=capacity,
                              growth=growth, min_fill=min_fill, max_fill=max_fill, saturate=saturate, seed=seed, threads=threads,
                              memory_limit=memory_limit, numbered=numbered, options=options, work=work, batch=batch)
        if comm is not None:
            from ._comm import comm_of

            comm = comm_of(comm)
        self._comm = comm
        config = self._config()
        if like is not None:
            config.like = like._handle
        handle = c_void_p()
        check(library.table_create(byref(handle), byref(config)))
        self._open(handle)

    def _config(self) -> Config:
        s, config = self._settings, Config()
        check(library.config_init(byref(config), sizeof(config)))
        for name in ("engine", "device", "options"):
            setattr(config, name, encode(s[name]))
        for name in ("capacity", "min_fill", "max_fill", "threads", "memory_limit", "batch"):
            if s[name] < 0:
                raise ValueError(f"{name} is {s[name]}")
            setattr(config, name, s[name])
        config.key_type, config.key_bytes = self._key.number, self._key.bytes
        config.value_type, config.value_bytes = self._value.number, self._value.bytes
        config.growth, config.saturate, config.work = bool(s["growth"]), bool(s["saturate"]), WORKS.index(s["work"])
        config.flags = NUMBERED * bool(s["numbered"])
        if s["seed"] is not None:
            config.seed, config.seed_given = s["seed"], 1
        config.comm = self._comm._handle if self._comm is not None else None
        return config

    def _open(self, handle: c_void_p) -> None:
        """Begins with a table of the library."""
        self._handle, self._held = handle, _cuda.Held()
        self._readers = self._iterators = 0
        self._forked = self._broken = False
        # Growing tables ask for no statuses, which some engines build faster without.
        self._foresees = not self._settings["growth"] or self._settings["memory_limit"] > 0
        self._make_lock()
        _tables.add(self)

    def _make_lock(self) -> None:
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)

    # ---- Calls -------------------------------------------------------------------------------------

    def _refuse(self) -> None:
        if not self._handle:
            raise ValueError("the table is closed")
        if self._broken:
            raise RuntimeError("another thread was using the table during the fork: this process cannot use it")
        if self._forked:
            raise RuntimeError("the table was made before a fork: this process may read it, and make its own, not write to it")
        raise RuntimeError("the table cannot be written to while its blocks are iterated: end the iteration, or close() it")

    def _write(self, function: Callable[..., int], *arguments: Any) -> int:
        with self._lock:
            while True:
                if self._iterators or self._forked or not self._handle:
                    self._refuse()
                if not self._readers:
                    return function(self._handle, *arguments)
                self._idle.wait()

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
                if not self._readers:
                    self._idle.notify()

    def _call(self, views: List[View], stream: Any, statuses: Optional[View] = None, flags: int = 0) -> Tuple[Any, Any]:
        """The roost_call of these arrays, those that are written to first, and its stream where work may go on later."""
        on_gpu = [one for one in views if one.device is not None]
        if not on_gpu:
            if statuses is None and not flags:
                return _host_call, None
            return byref(make(Call, space=SPACE_HOST, statuses=statuses and statuses.pointer, flags=flags)), None
        if not gpus():
            raise ValueError("an array is on a GPU, and the library sees none")
        ordered = [one.stream for one in on_gpu if one.stream is not None]
        number = ordered[0] if stream is None and ordered else stream_number(stream) or 0
        for one in on_gpu:
            if one.stream is not None and one.stream != number:
                _cuda.gpu(one.device or 0).order(one.stream, number)
        space = SPACE_DEVICE if len(on_gpu) == len(views) else SPACE_AUTO
        call = make(Call, stream=number, space=space, statuses=statuses and statuses.pointer, flags=flags)
        return byref(call), (on_gpu[0].device, number)

    def _hold(self, later: Any, arrays: Any) -> None:
        if later is not None:
            with self._lock:
                self._held.hold(*later, arrays)

    def _keys_in(self, keys: Any, stream: Any) -> Tuple[Any, int, Any, List[View]]:
        """What functions of the library get for keys; how many these are; their kind, device and views."""
        if self._key.number == STRING:
            n, offsets, text, owner = strings(keys, self._key)
            given = make(Strings, offsets=offsets, bytes=text, offset_bytes=8)
            return byref(given), n, View(0, n, None, (given, owner), None, _kind_of_strings(keys)), []
        one = view(keys, self._key, "keys", stream)
        return one.pointer, one.n, one, [one]

    def _function(self, name: str) -> Callable[..., int]:
        return getattr(library, name + "_strings" if self._key.number == STRING else name)

    def _no_values(self, what: str) -> None:
        if self._value.number == 0:
            raise TypeError(f"the table is a set, which has no values: {what}")

    # ---- Items -------------------------------------------------------------------------------------

    def insert(self, keys: Any, values: Any = None, *, mode: str = "assign", ordered: bool = False, statuses: bool = False,
               stream: Any = None) -> Any:
        """Inserts n keys with n values, or with one number for all.

        mode: "assign" overwrites values of keys that are there, "keep" keeps them, "add", "min" and "max"
        combine both.  ordered: operations on equal keys take
        effect in the order of the arrays.  keys alone may also be a table or stream of Arrow with a column
        of keys and one of values.
        Returns None, or with statuses=True an array of n statuses.
        Raises FullError and MemoryError, all other items being stored; TypeError, ValueError."""
        if mode not in MODES:
            raise ValueError(f"no mode {mode!r}: {', '.join(MODES)}")
        if kind_of(keys).arrow or kind_of(values).arrow:
            from . import _arrow

            return _arrow.insert(self, keys, values, MODES[mode], ORDERED * ordered, statuses, stream)
        pointer, n, like, views = self._keys_in(keys, stream)
        v = None
        if values is not None:
            self._no_values("leave out `values`")
            if isinstance(values, (int, float, np.number)):
                v = _filled(like, self._value, values)
            else:
                v = view(values, self._value, "values", stream)
            if v.n != n:
                raise ValueError(f"{n} keys, and {v.n} values")
        elif self._value.number:
            raise TypeError("values are missing")
        return self._insert(self._function("insert"), (MODES[mode], pointer, v and v.pointer, n), [v] if v else [], like, views,
                            statuses, stream, ORDERED * ordered, keys)

    def _insert(self, function: Any, arguments: Any, written: List[View], like: View, views: List[View], statuses: bool,
                stream: Any, flags: int, keys: Any) -> Any:
        """Makes a call that inserts; raises the refused items' indices."""
        given, s = _new(like, U8) if statuses or self._foresees else (None, None)
        views = ([s] if s else []) + written + views
        call, later = self._call(views, stream, s, flags)
        status = self._write(function, *arguments, call)
        self._hold(later, views)
        if status:
            error = error_of(status)
            if isinstance(error, (FullError, MemoryError)):
                if given is not None:
                    error.indices = np.flatnonzero(like.kind.host(given) >= REFUSED)  # type: ignore[attr-defined]
                else:
                    found = self.contains(keys, stream=stream)
                    error.indices = np.flatnonzero(~like.kind.host(found))  # type: ignore[attr-defined]
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

    def find(self, keys: Any, *, out: Any = None, found: Any = None, default: Any = None, local: bool = False,
             stream: Any = None) -> Any:
        """Finds n keys.

        Returns (values, found): the values, `default` or else 0 for absent keys, and an array of bool.  Of
        a set it returns `found` alone.  out, found: arrays of n items to write to, which are returned;
        found=False: not wanted, and the values alone are returned.
        local: look only into this rank's shard.  Keys from Arrow: absent and NULL keys have NULL values."""
        if kind_of(keys).arrow:
            from . import _arrow

            return _arrow.find(self, keys, found, LOCAL * local, stream)
        pointer, n, like, views = self._keys_in(keys, stream)
        flags, v, f, values = LOCAL * local, None, None, out
        if self._value.number:
            if out is not None:
                v = view_out(out, self._value, n, "out")
            else:
                values, v = _new(like, self._value)
            if default is not None:
                kind_of(values).fill(values, default)
                flags |= ABSENT_KEEP
            views.insert(0, v)
        elif out is not None or default is not None:
            self._no_values("leave out `out` and `default`")
        if found is None:
            found, f = _new(like, BOOL)
            views.insert(0, f)
            wrapped = like.kind.wrap(found, keys)
        elif found is not False:
            f = view_out(found, BOOL, n, "found")
            views.insert(0, f)
            wrapped = found
        call, later = self._call(views, stream, None, flags)
        status = self._read(self._function("find"), pointer, n, v and v.pointer, f and f.pointer, call)
        if later is not None:
            self._hold(later, views)
        if status:
            raise error_of(status)
        if v is None:
            return None if found is False else wrapped
        if out is None:
            values = like.kind.wrap(values, keys)
        return values if found is False else (values, wrapped)

    def contains(self, keys: Any, *, stream: Any = None) -> Any:
        """Returns an array of bool: which of n keys are in the table."""
        if self._value.number == 0 or kind_of(keys).arrow:
            found = self.find(keys, stream=stream)
            return found[1] if isinstance(found, tuple) else found
        pointer, n, like, views = self._keys_in(keys, stream)
        found, f = _new(like, BOOL)
        call, later = self._call([f] + views, stream)
        check(self._read(self._function("find"), pointer, n, None, f.pointer, call))
        self._hold(later, [f] + views)
        return like.kind.wrap(found, keys)

    def get(self, key: Any, default: Any = None) -> Any:
        """Returns the value of one key, or `default`."""
        self._no_values("ask `key in table`")
        values, found = self.find([key])
        return values[0] if found[0] else default

    def __contains__(self, key: Any) -> bool:
        return bool(self.contains([key])[0])

    def erase(self, keys: Any, *, statuses: bool = False, stream: Any = None) -> Any:
        """Removes n keys; those that are absent are no error.  statuses=True returns an array of n statuses."""
        if kind_of(keys).arrow:
            from . import _arrow

            return _arrow.erase(self, keys, statuses, stream)
        pointer, n, like, views = self._keys_in(keys, stream)
        given, s = _new(like, U8) if statuses else (None, None)
        views = ([s] if s else []) + views
        call, later = self._call(views, stream, s)
        check(self._write(self._function("erase"), pointer, n, call))
        self._hold(later, views)
        return like.kind.wrap(given, keys) if statuses else None

    def number(self, keys: Any, *, ordered: bool = False, statuses: bool = False, out: Any = None, stream: Any = None) -> Any:
        """Returns the numbers of n keys, and gives new keys the next ones (numbered=True): 0, 1, ..., with
        ordered=True in the order of their first items.  statuses=True returns (numbers, statuses): 1 for one
        item of each new key, with ordered=True its first."""
        if kind_of(keys).arrow:
            from . import _arrow

            return _arrow.number(self, keys, ORDERED * ordered, statuses, stream)
        pointer, n, like, views = self._keys_in(keys, stream)
        numbers, o = (out, view_out(out, self._value, n, "out")) if out is not None else _new(like, self._value)
        given = self._insert(self._function("number"), (pointer, n, o.pointer), [o], like, views, statuses, stream,
                             ORDERED * ordered, keys)
        numbers = numbers if out is not None else like.kind.wrap(numbers, keys)
        return (numbers, given) if statuses else numbers

    # ---- Contents ----------------------------------------------------------------------------------

    def items(self, room: int = BLOCK, *, kind: str = "numpy", order: Optional[str] = None) -> Iterator[Any]:
        """Yields the table's pairs in blocks (keys, values) of at most `room` of them; of a set, blocks of keys.

        kind: the library whose arrays these are: "numpy", "cupy", "torch", "jax", "pandas", "arrow"; on the
        table's GPU for those that have arrays there.  order: None, "hash" (engine compact) or "number"
        (numbered=True).  Writing to the table raises until the iteration ends."""
        with self._lock:
            if self._broken or not self._handle:
                self._refuse()
            self._iterators += 1
        try:
            cursor = Cursor()
            while not cursor.end:
                n, block = self._block(cursor, max(room, EXPORT_MIN), kind_named(kind), order)
                if n:
                    yield block
        finally:
            with self._lock:
                self._iterators -= 1

    __iter__ = items

    def export(self, *, kind: str = "numpy", order: Optional[str] = None) -> Any:
        """Returns all pairs as (keys, values), or a set's keys: items() in one block."""
        for block in self.items(len(self) + EXPORT_MIN, kind=kind, order=order):
            return block
        return self._block(Cursor(end=1), 0, kind_named(kind), order)[1]

    def _block(self, cursor: Cursor, room: int, kind: Kind, order: Optional[str]) -> Tuple[int, Any]:
        """Exports the next pairs: how many, and the block."""
        flags = {None: 0, "hash": HASH_ORDER, "number": NUMBER_ORDER}[order]
        gpu = self.device.partition(",")[0].partition(":")[2]
        like = View(0, room, int(gpu) if gpu and kind.name in ("cupy", "torch", "jax") else None, None, None, kind)
        values, v = _new(like, self._value) if self._value.number else (None, None)
        if self._key.number == STRING:
            done, keys = self._string_block(cursor, v, room)
        else:
            done, (keys, k) = 0, _new(like, self._key)
            call, _ = self._call([one for one in (k, v) if one], None, None, flags)
            n = c_size_t()
            while not cursor.end and room - done >= EXPORT_MIN:
                check(self._read(library.export, byref(cursor), k.pointer + done * self._key.bytes,
                                 v and v.pointer + done * self._value.bytes, room - done, byref(n), call))
                done += n.value
        cut = [kind.wrap(one if done == room else one[:done]) for one in (keys, values) if one is not None]
        return done, cut[0] if v is None else tuple(cut)

    def _string_block(self, cursor: Cursor, v: Optional[View], room: int) -> Tuple[int, np.ndarray]:
        offsets, n, bytes_room = np.zeros(room + 1, np.uint64), c_size_t(), 1 << 20
        text = np.empty(0, np.uint8)
        while not cursor.end and room:
            text = np.empty(bytes_room, np.uint8)
            status = self._read(library.export_strings, byref(cursor), offsets.ctypes.data, 8, text.ctypes.data, bytes_room,
                                v and v.pointer, room, byref(n), None)
            if status == 1 and bytes_room < 1 << 40:  # the first strings need more room
                bytes_room *= 8
                continue
            check(status)
            if n.value:
                break
        offsets = offsets[: n.value + 1]
        return n.value, from_strings(offsets, text[: int(offsets[-1])].tobytes(), self._key)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The pairs as a stream of Arrow, for pyarrow.table(table), polars.DataFrame(table) and DuckDB.  It is
        read before the next call that writes, which ends it with an error."""
        from . import _arrow

        return _arrow.export_stream(self)

    def __len__(self) -> int:
        return self.stats()["count"]

    def stats(self) -> Dict[str, Union[int, float]]:
        """What the table counts: count, slots, load_factor, table_bytes and more, as in roost_stats."""
        stats = make(Stats)
        check(self._read(library.table_stats, byref(stats), sizeof(stats)))
        return {name: getattr(stats, name) for name, *_ in Stats._fields_[1:]}

    def check(self) -> None:
        """Verifies every invariant of the table, slowly.  Raises CorruptError, which names the invariant."""
        check(self._read(library.table_check))

    @property
    def engine(self) -> str:
        """The name of the table's engine."""
        return library.table_engine(self._living()).decode()

    @property
    def device(self) -> str:
        """The name of the table's device: "host", "cuda:0"."""
        return library.table_device(self._living()).decode()

    key_type = property(lambda self: self._key.name, doc="The type of the keys, such as \"u64\".")
    value_type = property(lambda self: self._value.name, doc="The type of the values; \"none\" of a set.")

    def _living(self) -> c_void_p:
        if not self._handle:
            raise ValueError("the table is closed")
        return self._handle

    def __repr__(self) -> str:
        if not self._handle:
            return "<roost.Table, closed>"
        return f"<roost.Table {self._key.name} -> {self._value.name}, engine {self.engine}, on {self.device}>"

    # ---- The table as a whole ----------------------------------------------------------------------

    def sync(self) -> None:
        """Waits for all work on the table.  Raises FullError or MemoryError, without indices, if items of
        asynchronous calls since the last sync were not stored."""
        failed = c_uint64()
        status = self._write(library.table_sync, byref(failed))
        with self._lock:
            self._held.drop_passed()
        check(status)

    def reserve(self, keys: int) -> None:
        """Makes room for `keys` keys in all, and keeps the table from shrinking below it."""
        check(self._write(library.table_reserve, keys))

    def clear(self) -> None:
        """Removes all keys."""
        check(self._write(library.table_clear))

    def compact(self) -> None:
        """Frees the memory that erased keys keep."""
        check(self._write(library.compact))

    def merge(self, other: "Table", mode: str = "assign") -> None:
        """Inserts all pairs of another table with this mode."""
        self._both(library.table_merge, other, mode)

    def intersect(self, other: "Table", mode: str = "keep") -> None:
        """Removes the keys that another table lacks, and combines the values of the others."""
        self._both(library.table_intersect, other, mode)

    def _both(self, function: Any, other: "Table", mode: str) -> None:
        with _merging:
            check(other._read(lambda handle: self._write(function, handle, MODES[mode], None) if other is not self else 1))

    def save(self, file: Any, **options: Any) -> None:
        """Saves the table to a file, by its path or as an object with write().  Any engine on any machine
        loads it.  An existing file is replaced once the new one is complete."""
        from . import _snapshots

        _snapshots.save(self, file, **options)

    @classmethod
    def load(cls, file: Any, **settings: Any) -> "Table":
        """Loads a saved table from a path or an object with read().  settings: those of Table(), where they
        are not to be as saved.  Raises CorruptError, which names what is damaged."""
        from . import _snapshots

        return _snapshots.load(cls, file, settings)

    def __reduce__(self) -> Any:
        from . import _snapshots

        return _snapshots.restore, (dict(self._settings), _snapshots.dump(self))

    def close(self) -> None:
        """Waits for the table's work and frees it.  Further calls raise ValueError."""
        with self._lock:
            while self._readers:
                self._idle.wait()
            handle, self._handle = self._handle, None
            if handle:
                library.table_destroy(handle)
            self._held = _cuda.Held()

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *reason: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and not self._broken:
            library.table_destroy(self._handle)


def _new(like: View, type: Type) -> Tuple[Any, View]:
    """A new array of as many items, of the kind and on the device of `like`, and where it is."""
    kind = like.kind
    made = kind.empty(like.n, type, like.device)
    if kind.empty.__func__ is Kind.empty:  # type: ignore[attr-defined]  # NumPy's
        return made, View(made.__array_interface__["data"][0], like.n, None, made, None, NUMPY)
    pointer, _, _, _, _, device, stream, _ = kind_of(made).look(made)
    return made, View(pointer, like.n, device, made, stream, kind)


def _filled(like: View, type: Type, value: Any) -> View:
    made, one = _new(like, type)
    if type.dtype is not None and type.dtype.kind in "iu" and int(value) != value or not np.isfinite(value) and type.number == BYTES:
        raise ValueError(f"{value} does not fit into {type.name}")
    kind_of(made).fill(made, value)
    return one


def _kind_of_strings(keys: Any) -> Kind:
    kind = kind_of(keys)
    return kind if kind.name == "pandas" else NUMPY
