# The library libroost by ctypes: structs, functions, errors as exceptions.  Looked for in order:
# ROOST_LIBRARY's file, this package's, the one it was installed for, the system linker's.
import builtins
import ctypes
import functools
import glob
import os
from ctypes import byref, c_char, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p
from typing import Any, Dict, List, Optional

class Error(Exception):
    """A call of the library failed.  `status` is its roost_status."""
    status = 0
    indices: Any = None
class ArgumentError(Error, ValueError): """An argument is wrong."""
class UnsupportedError(Error, NotImplementedError): """This engine or machine cannot do this."""
class NotFoundError(Error, LookupError): """There is no engine, device or option of this name."""
class DeviceError(Error, RuntimeError): """The device or its driver failed."""
class CorruptError(Error): """A table violates one of its invariants, or a file is damaged."""
class CommError(Error, ConnectionError): """Another rank of the table's comm failed, or did not come."""
class OverflowError(Error, builtins.OverflowError): """A sum does not fit into its type."""
class IOError(Error, OSError): """The system refused to read or to write."""
class MemoryError(Error, builtins.MemoryError): """Memory was refused.  `indices`: as in FullError."""
class FullError(Error):
    """Some items were not stored: the table is full and may not grow.  `indices`: the places of these items in
    the call's arrays, ascending, as a NumPy array of int64; None where sync() raised this for an earlier call."""
ERRORS = [Error, ArgumentError, UnsupportedError, NotFoundError, FullError, MemoryError, DeviceError, CorruptError, CommError,
          OverflowError, IOError]  # by roost_status
for _status, _class in enumerate(ERRORS):
    _class.status = _status
# Types of arguments and members.
_TYPES: Dict[str, Any] = {"p": c_void_p, "n": c_size_t, "i": c_int, "s": c_char_p, "u": c_uint32, "d": c_double,
                          "b": ctypes.c_uint8, "h": ctypes.c_uint16}
def plain_struct(name: str, members: str, *more: Any) -> Any:
    """A struct of the headers: its members are words of a type's letter and a name, and more."""
    fields = [(word[1:], _TYPES[word[0]]) for word in members.split()] + list(more)
    return type(name, (ctypes.Structure,), {"_fields_": fields})
def struct(name: str, members: str, *more: Any) -> Any: return plain_struct(name, "nsize " + members, *more)  # with its size first
# The members of include/roost/*.h, in their order; nothing here uses those named p_*.
Cursor = plain_struct("Cursor", "nposition nend")
JoinCursor = plain_struct("JoinCursor", "nrow nmatch nend")
Aggregate = plain_struct("Aggregate", "ikind icolumn")
Config = struct("Config", "sengine sdevice ikey_type ivalue_type nkey_bytes nvalue_bytes ncapacity igrowth dmin_fill dmax_fill "
                "isaturate nseed ithreads nmemory_limit pp_1 pp_2 pp_3 pp_4 pp_5 pp_6 uflags soptions iwork nbatch iseed_given "
                "plike pcomm")
Call = struct("Call", "pstream ispace pstatuses uflags ureserved")
Strings = struct("Strings", "poffsets pbytes ioffset_bytes ureserved")
Stats = struct("Stats", "ncount nslots dload_factor ntable_bytes nbytes_now nbytes_peak ngrow_steps nforced_grow_steps "
               "nshrink_steps nshrink_aborts nrehashed nlargest_rehash ninserted nupdated nerased nhost_waits nlaunches")
Column = struct("Column", "itype ioffset_bytes nbytes pvalues poffsets pvalidity inullable")
Result = struct("Result", "pvalues pvalidity poffsets nbytes_room")
GroupConfig = struct("GroupConfig", "sengine sdevice ithreads uflags ncapacity ikey_columns ivalue_columns iaggregates pkeys "
                     "pvalues paggregate")
JoinConfig = struct("JoinConfig", "sengine sdevice ithreads ihow uflags irow_bytes ncapacity ikey_columns pkeys")
EngineInfo = struct("EngineInfo", "sname ssummary soperations swidths soptions imixes imulti sparameters iwide ureserved")
DeviceInfo = struct("DeviceInfo", "", ("name", c_char * 16), ("description", c_char * 128), ("memory_bytes", c_size_t),
                    ("l2_bytes", c_size_t), ("model", c_char * 128), ("profile", c_char * 1024), ("profile_path", c_char * 1024))
Arrow = struct("Arrow", "pschema parray nchild ndevice_id psync_event idevice_type ureserved")
SaveOptions = struct("SaveOptions", "izstd ino_sync psaved pprogress pprogress_context snote")
LoadOptions = struct("LoadOptions", "uflags ureserved ploaded pprogress pprogress_context pconfigure pconfigure_context")
# roost_config.flags, roost_call.flags, roost_space, roost_mode, roost_work
NUMBERED, SUMS_WRAP, EXPORT_MIN = 0x2, 0x100, 64
ORDERED, ABSENT_KEEP, HASH_ORDER, LOCAL, NUMBER_ORDER = 0x1, 0x2, 0x4, 0x8, 0x10
SPACE_AUTO, SPACE_HOST, SPACE_DEVICE, MODES = 0, 1, 2, {"assign": 0, "keep": 1, "add": 2, "min": 3, "max": 4}
WORKS = ["any", "insert", "find-hits", "find-half", "find-misses", "erase", "mixed", "growth"]
# Functions and the types of their arguments; what they return, where it is no status.
FUNCTIONS = {
    "config_init": "pn", "table_create": "pp", "table_clear": "p", "table_reserve": "pn", "table_sync": "pp", "insert": "pippnp",
    "find": "ppnppp", "erase": "ppnp", "export": "ppppnpp", "number": "ppnpp", "table_stats": "ppn", "table_check": "p",
    "insert_strings": "pippnp", "find_strings": "ppnppp", "erase_strings": "ppnp", "number_strings": "ppnpp",
    "export_strings": "pppipnpnpp", "group_create": "pp", "group_add": "pppnp", "group_count": "pp", "group_export": "pnnppp",
    "join_create": "pp", "join_build": "ppnp", "join_probe": "ppnpppnpp", "join_rest": "pppnpp", "comm_local": "pisp",
    "comm_from_nccl": "ppp", "engine_describe": "npn", "device_describe": "npn", "table_destroy": "p>", "group_destroy": "p>",
    "join_destroy": "p>", "comm_free": "p>", "comm_rank": "p>i", "comm_ranks": "p>i", "last_error": "p>s", "status_string": "i>s",
    "distinct": "ppnppp", "save_file": "psp", "save_to": "pppp", "load_file": "pspp", "load_from": "ppppp", "version_string": ">s", "table_engine": "p>s",
    "table_device": "p>s", "arrow_column": "pp", "insert_arrow": "pippp", "find_arrow": "ppppp", "erase_arrow": "ppp",
    "number_arrow": "ppppp", "insert_arrow_stream": "pippp", "export_arrow": "ppnup", "group_add_arrow": "pppp",
    "group_export_arrow": "ppnpu", "join_build_arrow": "ppp", "join_probe_arrow": "pppnp", "join_rest_arrow": "ppnp",
}

def open_library(path: str) -> Any:
    """Loads a libroost.  Its functions become attributes without their prefix.  Raises ImportError if it lacks one."""
    library = ctypes.CDLL(path)
    for name, types in FUNCTIONS.items():
        if not hasattr(library, "roost_" + name):
            raise ImportError(f"{path} is not the libroost of this package: it has no roost_{name}")
        function, (arguments, other, result) = getattr(library, "roost_" + name), types.partition(">")
        function.argtypes, function.restype = [_TYPES[letter] for letter in arguments], _TYPES.get(result) if other else c_int
        setattr(library, name, function)
    return library
def _load() -> Any:
    named = os.environ.get("ROOST_LIBRARY")
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libroost.so.0")
    try:
        from ._built import LIBRARY, VERSION  # type: ignore[import-not-found]  # the build wrote it
    except ImportError:
        LIBRARY = VERSION = None
    for other in glob.glob(os.path.join(os.path.dirname(inside), "*.so*")):  # what libroost needs comes before it
        if other != inside and not named:
            ctypes.CDLL(other)
    for path in [named] if named else [inside if os.path.exists(inside) else LIBRARY, "libroost.so.0", "libroost.so"]:
        try:
            library = open_library(path) if path else None
        except OSError as reason:
            if named:
                raise ImportError(f"ROOST_LIBRARY: {reason}") from None
            continue
        if library is not None:
            found = library.version_string().decode()
            if VERSION and found != VERSION:
                raise ImportError(f"{path} is roost {found}; this package is for {VERSION}")
            return library
    raise ImportError("libroost was not found: install it, or name its file in the environment variable ROOST_LIBRARY")
library: Any = _load()
version: str = library.version_string().decode()

def error_of(status: int) -> Error:
    """The exception of a status, with the last error of the thread."""
    return ERRORS[status if status < len(ERRORS) else 0]((library.last_error(None) or library.status_string(status)).decode(errors="replace"))
def check(status: int) -> None:
    if status: raise error_of(status)
def make(of: Any, **members: Any) -> Any: return of(size=ctypes.sizeof(of), **members)  # a struct with its size and these members
def encode(text: Optional[str]) -> Optional[bytes]: return None if text is None else os.fsencode(text)

def _list(of: Any, describe: Any) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    info = make(of)
    while describe(len(found), byref(info), ctypes.sizeof(info)) == 0:
        members = {name: getattr(info, name) for name, *_ in info._fields_ if name not in ("size", "reserved")}
        found.append({name: value.decode() if isinstance(value, bytes) else value for name, value in members.items()})
    return found
def engines() -> List[Dict[str, Any]]:
    """The engines of this library: for each a dict of its name, summary, widths, options and more."""
    return _list(EngineInfo, library.engine_describe)
def devices() -> List[Dict[str, Any]]:
    """The devices that tables may be on, GPUs first: for each a dict of its name, memory and more."""
    return _list(DeviceInfo, library.device_describe)
@functools.lru_cache(None)
def gpus() -> int:
    """How many GPUs the library sees."""
    return sum(device["name"].startswith("cuda") for device in devices())
