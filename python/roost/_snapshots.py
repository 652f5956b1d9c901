# Tables saved to files and loaded from them, and pickled.
"""Tables that outlive a process: include/roost/snapshot.h."""
from __future__ import annotations

import io
import os
import stat
from ctypes import CFUNCTYPE, byref, c_char, c_int, c_size_t, c_void_p, cast, memmove, sizeof, string_at
from typing import Any, Callable, Dict, List

from ._library import NUMBERED, LoadOptions, SaveOptions, check, library, make, struct
from ._types import BYTES, NUMBERS, STRING

WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
READ = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p)
Info = struct("Info", "uversion uflags iwhole unumber nid ikey_type ivalue_type nkey_bytes nvalue_bytes npairs ncapacity "
              "nnext_number dmin_fill dmax_fill igrowth isaturate ushards izstd", ("engine", c_char * 32), ("options", c_char * 2048))
HEADER = 1 << 16  # bytes that the header of a snapshot is within
PIECE = 1 << 26  # bytes that read() of a file is asked for at most

def _run(function: Callable[..., int], *arguments: Any, errors: List[BaseException]) -> None:
    """Calls a function of the library whose callbacks put their exceptions into `errors`."""
    status = function(*arguments)
    if errors:
        raise errors[0]
    check(status)

def _guarded(call: Callable[[], None], errors: List[BaseException]) -> int:
    """What a callback returns: 0, or 1 after an exception, which ends the library's call."""
    try:
        call()
    except BaseException as error:
        errors.append(error)
    return len(errors)

def save(table: Any, file: Any, zstd: int) -> None:
    options, errors = make(SaveOptions, zstd=zstd), []  # type: ignore[var-annotated]
    if not hasattr(file, "write"):
        return check(table._write(library.save_file, os.fsencode(file), byref(options)))

    def put(data: bytes) -> None:
        while data:  # an unbuffered file may take a part
            taken = file.write(data)
            data = data[len(data) if taken is None else taken:]
    write = WRITE(lambda _, data, n: _guarded(lambda: put(string_at(data, n)), errors))
    _run(table._write, library.save_to, cast(write, c_void_p), None, byref(options), errors=errors)

def _describe(path: bytes) -> Dict[str, Any]:
    """The settings of Table() by which a table was saved."""
    info = make(Info)
    check(library.snapshot_describe(path, byref(info), sizeof(info)))
    names = {number: name for name, number in NUMBERS.items()}
    names.update({0: "none", STRING: "str", BYTES: "bytes:"})
    s = {name: getattr(info, name) for name in ("capacity", "min_fill", "max_fill", "growth", "saturate")}
    for what, number, width in (("keys", info.key_type, info.key_bytes), ("values", info.value_type, info.value_bytes)):
        s[what] = names[number] + (str(width) if number == BYTES else "")
    return dict(s, engine=info.engine.decode() or None, options=info.options.decode() or None, numbered=bool(info.flags & NUMBERED),
                device=None, seed=None, threads=0, memory_limit=0, work="any", batch=0)

def load(cls: Any, file: Any, given: Dict[str, Any]) -> Any:
    if not hasattr(file, "read") and not stat.S_ISREG(os.stat(file).st_mode):
        with open(file, "rb") as pipe:
            return load(cls, pipe, given)
    head = b""
    if hasattr(file, "read"):
        while len(head) < HEADER and (more := file.read(HEADER - len(head))):
            head += more
        beginning = os.memfd_create("roost")
        try:
            os.write(beginning, head)
            settings = _describe(b"/proc/self/fd/%d" % beginning)
        finally:
            os.close(beginning)
    else:
        settings = _describe(os.fsencode(file))
    unknown = set(given) - set(settings) - {"comm"}
    if unknown:
        raise TypeError(f"Table() has no settings {', '.join(sorted(unknown))}")
    comm = given.pop("comm", None)
    if comm is not None:
        from ._comm import comm_of
        comm = comm_of(comm)
    settings.update(given)
    config = byref(cls._config(settings, comm)) if given or comm is not None else None
    handle, options, errors = c_void_p(), make(LoadOptions), []  # type: ignore[var-annotated]
    if not hasattr(file, "read"):
        check(library.load_file(byref(handle), os.fsencode(file), config, byref(options)))
    else:
        rest = io.BytesIO(head)

        def get(to: int, room: int, n: int) -> None:
            data = rest.read(min(room, PIECE)) or file.read(min(room, PIECE)) or b""
            memmove(to, data, len(data))
            c_size_t.from_address(n).value = len(data)
        read = READ(lambda _, to, room, n: _guarded(lambda: get(to, room, n), errors))
        _run(library.load_from, byref(handle), cast(read, c_void_p), None, config, byref(options), errors=errors)
    table = cls.__new__(cls)
    table._open(handle, settings, comm)
    return table

def dump(table: Any) -> bytes:
    if table._comm is not None or "," in (table._settings["device"] or ""):
        raise TypeError("a table that is spread over ranks or devices cannot be pickled: save() writes a file of each shard")
    file = io.BytesIO()
    save(table, file, 0)
    return file.getvalue()

def restore(settings: Dict[str, Any], data: bytes) -> Any:
    """A pickled table: on the device that it was named, else on a GPU if there is one, else on the host."""
    from ._table import Table
    return load(Table, io.BytesIO(data), dict(settings))
