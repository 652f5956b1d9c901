# Tables saved to files and loaded from them, and pickled.
import io
import os
from ctypes import CFUNCTYPE, POINTER, byref, c_char, c_int, c_size_t, c_void_p, cast, memmove, sizeof, string_at
from typing import Any, Callable, Dict, List
from ._comm import comm_of
from ._library import NUMBERED, ArgumentError, Config, LoadOptions, SaveOptions, check, library, make, struct
from ._types import BYTES, NUMBERS, STRING, parse

Info = struct("Info", "uversion uflags iwhole unumber nid ikey_type ivalue_type nkey_bytes nvalue_bytes npairs ncapacity "
              "nnext_number dmin_fill dmax_fill igrowth isaturate ushards izstd", ("engine", c_char * 32), ("options", c_char * 2048),
              ("note", c_char * 2048))
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
READ = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_size_t))
CONFIGURE = CFUNCTYPE(c_int, c_void_p, POINTER(Info), POINTER(Config))
TYPES_AS_SAVED, PIECE = 0x1, 1 << 26  # roost_load_options.flags; bytes that read() of a file is asked for at most

class Callbacks:
    """Functions that the library calls; the first exception of one ends the library's call, and is raised after it."""
    def __init__(self) -> None:
        self.errors: List[BaseException] = []
        self.functions: List[Any] = []
    def add(self, type: Any, function: Callable[..., None]) -> Any:
        def guarded(_: Any, *arguments: Any) -> int:
            try:
                function(*arguments)
            except BaseException as error:
                self.errors.append(error)
            return len(self.errors)
        self.functions.append(type(guarded))
        return cast(self.functions[-1], c_void_p)
    def finish(self, status: int) -> None:
        if self.errors:
            raise self.errors[0]
        check(status)
def save(table: Any, file: Any, zstd: int) -> None:
    options, calls = byref(make(SaveOptions, zstd=zstd)), Callbacks()
    if not hasattr(file, "write"):
        return check(table._write(library.save_file, os.fsencode(file), options))
    if isinstance(file, io.RawIOBase):  # it may take a part of what is written
        buffered = io.BufferedWriter(file)
        save(table, buffered, zstd)
        buffered.detach()
        return
    write = calls.add(WRITE, lambda data, n: file.write(string_at(data, n)))
    calls.finish(table._write(library.save_to, write, None, options))
def load(cls: Any, file: Any, given: Dict[str, Any]) -> Any:
    handle, calls, settings, first = c_void_p(), Callbacks(), {}, Config()  # type: ignore[var-annotated]
    check(library.config_init(byref(first), sizeof(first)))
    comm = given.pop("comm", None)
    if comm is not None:
        comm = comm_of(comm)
        first.comm = comm._handle
    config = None if comm is None else byref(first)
    def configure(info: Any, config: Any) -> None:
        settings.update(_settings(info.contents))
        unknown = set(given) - set(settings)
        if unknown:
            raise TypeError(f"Table() has no settings {', '.join(sorted(unknown))}")
        for what in ("keys", "values"):
            saved, wanted = parse(settings[what]), parse(given.get(what, settings[what]))
            if (saved.number, saved.bytes) != (wanted.number, wanted.bytes):
                raise ArgumentError(f"the snapshot has {what} of {saved.name}, not {wanted.name}")
        settings.update(given)
        if given or comm is not None:
            made = cls._config(settings, comm)
            memmove(config, byref(made), sizeof(made))
            calls.functions.append(made)
    def get(to: int, room: int, n: Any) -> None:
        data = file.read(min(room, PIECE)) or b""
        memmove(to, data, len(data))
        n[0] = len(data)
    options = byref(make(LoadOptions, flags=TYPES_AS_SAVED, configure=calls.add(CONFIGURE, configure)))
    if hasattr(file, "read"):
        calls.finish(library.load_from(byref(handle), calls.add(READ, get), None, config, options))
    else:
        calls.finish(library.load_file(byref(handle), os.fsencode(file), config, options))
    table = cls.__new__(cls)
    table._open(handle, settings, comm)
    return table
def _settings(info: Any) -> Dict[str, Any]:
    """The settings of Table() by which a table was saved."""
    names = {number: name for name, number in NUMBERS.items()}
    names.update({0: "none", STRING: "str", BYTES: "bytes:"})
    s = {name: getattr(info, name) for name in ("capacity", "min_fill", "max_fill", "growth", "saturate")}
    for what, number, width in (("keys", info.key_type, info.key_bytes), ("values", info.value_type, info.value_bytes)):
        s[what] = names[number] + (str(width) if number == BYTES else "")
    return dict(s, engine=info.engine.decode() or None, options=info.options.decode() or None, numbered=bool(info.flags & NUMBERED),
                device=None, seed=None, threads=0, memory_limit=0, work="any", batch=0)
def dump(table: Any) -> bytes:
    if table._comm is not None or "," in (table._settings["device"] or ""):
        raise TypeError("a table that is spread over ranks or devices cannot be pickled: save() writes a file for each shard")
    file = io.BytesIO()
    save(table, file, 0)
    return file.getvalue()
def restore(settings: Dict[str, Any], data: bytes) -> Any:
    """A pickled table: on the device that it was named, else on a GPU if there is one, else on the host."""
    from ._table import Table
    return load(Table, io.BytesIO(data), dict(settings))
