# Arrays of other libraries: where their items are, and new ones of the same kind.
"""Arrays in and out.  view() says where an array's items are, without a copy where that is possible, and
Kind.empty() makes an array by the library that the caller's array is from.

NumPy, CuPy, PyTorch, JAX and pandas are known by name.  Others are taken by DLPack, by the CUDA array
interface, and by the buffer protocol.  None of them is imported here before an array of it comes."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from ._types import BYTES, CODES, STRING, Type, of_dtype, parse


class View:
    """Where n items are: `pointer`; `device`: a GPU's number, or None in host memory; `owner` keeps them;
    `stream`: what the array's library orders its work by, as a cudaStream_t, or None."""

    __slots__ = ("pointer", "n", "device", "owner", "stream", "kind")

    def __init__(self, pointer: int, n: int, device: Optional[int], owner: Any, stream: Optional[int], kind: "Kind"):
        self.pointer, self.n, self.device, self.owner, self.stream, self.kind = pointer, n, device, owner, stream, kind


# pointer, code of the dtype, bytes of an item, shape, contiguous, device, stream, owner
Look = Tuple[int, str, int, Tuple[int, ...], bool, Optional[int], Optional[int], Any]


class Kind:
    """A library of arrays; this one is NumPy."""

    name = "numpy"
    arrow = False

    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        if writing and not x.flags.writeable:
            raise ValueError("the array to write to is read-only")
        return (x.__array_interface__["data"][0], CODES.get(x.dtype) or str(x.dtype), x.itemsize, x.shape, x.flags.c_contiguous,
                None, None, x)

    def contiguous(self, x: Any) -> Any:
        return np.ascontiguousarray(x)

    def empty(self, n: int, type: Type, device: Optional[int] = None) -> Any:
        """A new array of n items.  device: a GPU, for libraries that have arrays there; None: on the host."""
        return np.empty(n, type.dtype)

    def stream(self, device: int) -> Optional[int]:
        """The library's current stream on a GPU; None: it has none."""
        return None

    def host(self, x: Any) -> np.ndarray:
        """A NumPy array of an array's items."""
        return np.asarray(x)

    def wrap(self, x: Any, like: Any = None) -> Any:
        """An array that empty() made, as the caller gets it."""
        return x

    def fill(self, x: Any, value: Any) -> None:
        x[...] = value

    def take(self, x: Any, mask: Any) -> Any:
        """The items of x where a mask is true."""
        return x[mask]


class _CuPy(Kind):
    name = "cupy"

    def __init__(self, cupy: Any):
        self.cupy = cupy

    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        device = x.device.id
        return (x.data.ptr, CODES.get(x.dtype) or str(x.dtype), x.itemsize, x.shape, x.flags.c_contiguous, device,
                self.stream(device), x)

    def contiguous(self, x: Any) -> Any:
        return self.cupy.ascontiguousarray(x)

    def empty(self, n: int, type: Type, device: Optional[int] = None) -> Any:
        with self.cupy.cuda.Device(device):
            return self.cupy.empty(type.shape(n), "u1" if type.number == BYTES else type.dtype)

    def stream(self, device: int) -> Optional[int]:
        return self.cupy.cuda.get_current_stream(device).ptr

    def host(self, x: Any) -> np.ndarray:
        return self.cupy.asnumpy(x)


class _Torch(Kind):
    name = "torch"

    def __init__(self, torch: Any):
        self.torch = torch
        names = {str(dtype): code for dtype, code in CODES.items()}
        self.codes = {getattr(torch, name): code for name, code in names.items() if hasattr(torch, name)}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}

    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        device = None
        if x.device.type != "cpu":
            if x.device.type != "cuda":
                raise TypeError(f"a tensor on {x.device} cannot be used: the host and GPUs of CUDA can")
            device = x.device.index
        return (x.data_ptr(), self.codes.get(x.dtype) or str(x.dtype), x.element_size(), tuple(x.shape), x.is_contiguous(), device,
                None if device is None else self.stream(device), x)

    def contiguous(self, x: Any) -> Any:
        return x.contiguous()

    def empty(self, n: int, type: Type, device: Optional[int] = None) -> Any:
        dtype = self.torch.uint8 if type.number == BYTES else self.dtypes[type.name]
        return self.torch.empty(type.shape(n), dtype=dtype, device="cpu" if device is None else f"cuda:{device}")

    def stream(self, device: int) -> Optional[int]:
        return self.torch.cuda.current_stream(device).cuda_stream

    def host(self, x: Any) -> np.ndarray:
        return x.detach().cpu().numpy()


class _Jax(Kind):
    """JAX's arrays do not change once made: results are written before the caller gets them."""

    name = "jax"

    def __init__(self, jax: Any):
        self.jax, self.numpy = jax, sys.modules["jax.numpy"]

    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        if writing:
            raise ValueError("arrays of JAX cannot be written to: leave out `out`")
        return _look_dlpack(x, False, stream)

    def contiguous(self, x: Any) -> Any:
        return x

    def empty(self, n: int, type: Type, device: Optional[int] = None) -> Any:
        place = self.jax.devices("cpu")[0] if device is None else [d for d in self.jax.devices() if d.id == device][0]
        dtype = "u1" if type.number == BYTES else type.dtype
        with self.jax.default_device(place):
            x = self.numpy.zeros(type.shape(n), dtype).block_until_ready()
        if x.dtype != dtype:
            raise TypeError(f"JAX makes {x.dtype} of {dtype}: jax.config.update('jax_enable_x64', True) allows 64 bits")
        return x

    def fill(self, x: Any, value: Any) -> None:
        raise TypeError("arrays of JAX cannot be filled: give an array of values, and no default")


class _Pandas(Kind):
    """Series of pandas over NumPy arrays; others go by Arrow."""

    name = "pandas"

    def __init__(self, pandas: Any):
        self.pandas = pandas

    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        return Kind.look(self, x.to_numpy(), writing)

    def contiguous(self, x: Any) -> Any:
        return np.ascontiguousarray(x.to_numpy() if isinstance(x, self.pandas.Series) else x)

    def wrap(self, x: Any, like: Any = None) -> Any:
        index = getattr(like, "index", None)
        return self.pandas.Series(x, index=index if index is not None and len(index) == len(x) else None)


class _Other(Kind):
    """An array of a library that is not known: by its DLPack or CUDA array interface.  What it gets is
    made by NumPy, on a GPU by CuPy or PyTorch."""

    name = "other"

    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        return (_look_dlpack if hasattr(x, "__dlpack_device__") else _look_cuda)(x, writing, stream)

    def contiguous(self, x: Any) -> Any:
        raise ValueError("the array is not contiguous")

    def _maker(self) -> Kind:
        for name in sorted(("cupy", "torch"), key=lambda name: name not in sys.modules):
            kind = _known(name)
            if kind:
                return kind
        raise TypeError("neither CuPy nor PyTorch is here to make an array on the GPU: give `out` and `found`")

    def empty(self, n: int, type: Type, device: Optional[int] = None) -> Any:
        return (NUMPY if device is None else self._maker()).empty(n, type, device)

    def host(self, x: Any) -> np.ndarray:
        return kind_of(x).host(x)

    def fill(self, x: Any, value: Any) -> None:
        kind_of(x).fill(x, value)


class _Arrow(Kind):
    """Columns of Arrow: of pyarrow, Polars, and others by their capsules (arrow.py)."""

    name = "arrow"
    arrow = True

    def wrap(self, x: Any, like: Any = None) -> Any:
        from . import _arrow

        return _arrow.array_like(x, like)


# ---- DLPack and the CUDA array interface -----------------------------------------------------------


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
                ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class _DLVersioned(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
                ("tensor", _DLTensor)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule_is = ctypes.pythonapi.PyCapsule_IsValid
_capsule_is.restype, _capsule_is.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]

_DLPACK_HOST, _DLPACK_GPU = (1, 3), (2, 13)  # CPU, pinned; CUDA, managed
_DLPACK_CODES = {(1, 32): "u32", (1, 64): "u64", (0, 32): "i32", (0, 64): "i64", (2, 32): "f32", (2, 64): "f64",
                 (1, 8): "u8", (6, 8): "bool"}


def _look_dlpack(x: Any, writing: bool, stream: Optional[int]) -> Look:
    """The capsule is left unused: its own destructor frees the tensor once nobody holds it."""
    device_type, device = (int(number) for number in x.__dlpack_device__())
    if device_type not in _DLPACK_HOST + _DLPACK_GPU:
        raise TypeError(f"DLPack's device type {device_type} cannot be used: the host and GPUs of CUDA can")
    on_gpu = device_type in _DLPACK_GPU
    stream = (stream or 0) if on_gpu else None
    agreed = {"stream": stream or 1} if on_gpu else {}  # DLPack calls the legacy default stream 1
    try:
        capsule = x.__dlpack__(max_version=(1, 1), **agreed)
    except TypeError:
        capsule = x.__dlpack__(**agreed)
    if _capsule_is(capsule, b"dltensor_versioned"):
        managed = _DLVersioned.from_address(_capsule_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise BufferError(f"DLPack {managed.major}.{managed.minor} is not known here: version 1 is")
        if writing and managed.flags & 1:
            raise ValueError("the array to write to is read-only")
        tensor = managed.tensor
    else:
        tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    contiguous, step = True, 1
    for i in reversed(range(tensor.ndim)):
        contiguous = contiguous and (not tensor.strides or shape[i] <= 1 or tensor.strides[i] == step)
        step *= shape[i]
    code = _DLPACK_CODES.get((tensor.code, tensor.bits), f"DLPack type {tensor.code} of {tensor.bits} bits")
    if tensor.lanes != 1:
        code = f"vectors of {tensor.lanes}"
    return ((tensor.data or 0) + tensor.byte_offset, code, tensor.bits // 8, shape, contiguous or 0 in shape,
            device if on_gpu else None, stream, (x, capsule))


def _look_cuda(x: Any, writing: bool, stream: Optional[int]) -> Look:
    interface = x.__cuda_array_interface__
    pointer, read_only = interface["data"]
    if writing and read_only:
        raise ValueError("the array to write to is read-only")
    dtype, shape, strides = np.dtype(interface["typestr"]), tuple(interface["shape"]), interface.get("strides")
    contiguous, step = True, dtype.itemsize
    for length, stride in zip(reversed(shape), reversed(strides or ())):
        contiguous, step = contiguous and (length <= 1 or stride == step), step * length
    own = interface.get("stream") if interface.get("version", 0) >= 3 else None
    device = getattr(getattr(x, "device", None), "id", getattr(x, "device_id", 0))
    return (pointer or 0, CODES.get(dtype) or str(dtype), dtype.itemsize, shape, contiguous or 0 in shape, device,
            None if own is None else 0 if own == 1 else own, x)


# ---- Which kind ------------------------------------------------------------------------------------

NUMPY = Kind()
_ARROW, _OTHER = _Arrow(), _Other()
_kinds: Dict[Any, Optional[Kind]] = {np.ndarray: NUMPY, np.memmap: NUMPY}
_makers: Dict[str, Callable[[Any], Kind]] = {"cupy": _CuPy, "torch": _Torch, "jax": _Jax, "pandas": _Pandas}


def _known(name: str) -> Optional[Kind]:
    """The kind of a library's name, which is imported; None: it is not here."""
    if name == "numpy":
        return NUMPY
    if name == "arrow":
        return _ARROW
    if name not in _kinds:
        try:
            module = __import__(name + ".numpy" if name == "jax" else name)
        except ImportError:
            return None
        _kinds[name] = _makers[name](module)
    return _kinds[name]


def kind_named(name: str) -> Kind:
    """The kind of this name: "numpy", "cupy", "torch", "jax", "pandas", "arrow"."""
    kind = _known(name) if name in _makers or name in ("numpy", "arrow") else None
    if kind is None:
        raise TypeError(f"no arrays of {name!r} here")
    return kind


def kind_of(x: Any) -> Kind:
    """The kind of an array; NumPy for lists and all else that NumPy takes."""
    kind = _kinds.get(type(x))
    return kind if kind is not None else _find_kind(x)


def _find_kind(x: Any) -> Kind:
    module = type(x).__module__.partition(".")[0]
    module = {"jaxlib": "jax"}.get(module, module)
    if module == "pandas" and not isinstance(getattr(x, "dtype", None), np.dtype):
        return _ARROW if hasattr(x, "__arrow_c_stream__") and str(x.dtype) != "category" else NUMPY
    if isinstance(x, np.ndarray):
        kind: Kind = NUMPY
    elif module in _makers:
        kind = kind_named(module)
        if module == "pandas":
            return kind
    elif any(hasattr(x, f"__arrow_c_{what}__") for what in ("array", "stream", "device_array")):
        kind = _ARROW
    elif hasattr(x, "__dlpack_device__") or hasattr(x, "__cuda_array_interface__"):
        kind = _OTHER
    else:
        return NUMPY  # also for classes that others derive from, such as list
    _kinds[type(x)] = kind
    return kind


# ---- Views -----------------------------------------------------------------------------------------


def view(x: Any, wanted: Type, what: str, stream: Optional[int] = None) -> View:
    """Where the items of an array are, which are of the wanted type.  Lists, and NumPy's arrays whose
    items all fit, are converted; so are arrays that are not contiguous.  what: names it in errors."""
    kind = kind_of(x)
    if kind is NUMPY and (type(x) is not np.ndarray or x.dtype != wanted.dtype):
        x = to_numpy(x, wanted, what)
    pointer, code, itemsize, shape, contiguous, device, own_stream, owner = kind.look(x, False, stream)
    if not wanted.fits(code, itemsize, shape):
        if kind.name == "pandas":
            one = view(to_numpy(x.to_numpy(), wanted, what), wanted, what)
            one.kind = kind
            return one
        raise TypeError(_misfit(what, code, shape, wanted))
    if not contiguous:
        pointer, _, _, shape, _, device, own_stream, owner = kind.look(kind.contiguous(x))
    return View(pointer, shape[0], device, owner, own_stream, kind)


def view_out(x: Any, wanted: Type, n: int, what: str) -> View:
    """Where n items are written to: in the memory of the caller's array, never in a copy."""
    kind = kind_of(x)
    if kind is NUMPY and not isinstance(x, np.ndarray):
        x = np.asarray(memoryview(x))
    pointer, code, itemsize, shape, contiguous, device, stream, owner = kind.look(x, True)
    if not wanted.fits(code, itemsize, shape) and not (wanted.bytes == 1 and code in ("u8", "bool") and len(shape) == 1):
        raise TypeError(_misfit(what, code, shape, wanted))
    if shape[0] != n:
        raise ValueError(f"{what} has {shape[0]} items, not {n}")
    if not contiguous:
        raise ValueError(f"{what} is not contiguous")
    return View(pointer, n, device, owner, stream, kind)


def _misfit(what: str, code: str, shape: Tuple[int, ...], wanted: Type) -> str:
    if len(shape) != 1 and wanted.number != BYTES:
        return f"{what} has {len(shape)} dimensions, not 1"
    return (f"{what} has items of type {code}{list(shape[1:]) if shape[1:] else ''}, not {wanted.name}: "
            "convert the array, or make the table with its type")


def to_numpy(x: Any, wanted: Type, what: str) -> np.ndarray:
    """A NumPy array of the wanted type of a list or another array, if all items fit."""
    given = isinstance(x, np.ndarray) or hasattr(x, "__array_interface__") or hasattr(x, "__array__")
    array = np.asarray(x)
    if array.dtype == wanted.dtype or array.size == 0 and not given:
        return array.astype(wanted.dtype, copy=False)
    if wanted.number == BYTES:
        if array.dtype.kind == "S" and array.itemsize <= wanted.bytes:
            return array.astype(wanted.dtype)
        return array  # rows, or what does not fit
    kinds = array.dtype.kind + wanted.dtype.kind
    if np.can_cast(array.dtype, wanted.dtype, "safe"):
        return array.astype(wanted.dtype)
    if not given and kinds in ("iu", "ui", "ii", "uu"):
        info = np.iinfo(wanted.dtype)
        if int(array.min()) < info.min or int(array.max()) > info.max:
            raise ValueError(f"{what} has numbers that do not fit into {wanted.name}")
        return array.astype(wanted.dtype)
    if not given and kinds in ("if", "uf", "ff"):
        return array.astype(wanted.dtype)
    return array


def type_of(x: Any) -> Type:
    """The type that a table has to have for keys as these."""
    kind = kind_of(x)
    if kind is NUMPY:
        array = x if isinstance(x, np.ndarray) else np.asarray(x)
        if array.dtype.kind in "SV" and not isinstance(x, np.ndarray):
            return parse("bytes")  # a list of bytes, of any lengths
        if array.ndim == 2 and array.dtype == np.uint8:
            return parse(f"bytes:{array.shape[1]}")
        return of_dtype(array.dtype)
    _, code, itemsize, shape, *_ = kind.look(x)
    if len(shape) == 2 and code == "u8":
        return parse(f"bytes:{shape[1]}")
    if code == "object" or code.startswith(("<U", "StringDType")):
        return parse("str")
    return parse(code)


def strings(x: Any, wanted: Type) -> Tuple[int, int, int, Any]:
    """Strings in Arrow's layout: n, the address of n + 1 offsets of 8 bytes, that of the bytes, and what
    keeps them.  Items are str, in UTF-8 with surrogate escapes, or bytes."""
    assert wanted.number == STRING
    items = x.tolist() if hasattr(x, "tolist") else list(x)
    encoded = [item.encode("utf-8", "surrogateescape") if isinstance(item, str) else bytes(memoryview(item)) for item in items]
    offsets = np.zeros(len(encoded) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, encoded), np.uint64, len(encoded)), out=offsets[1:])
    text = b"".join(encoded)
    return len(encoded), offsets.ctypes.data, ctypes.cast(text, c_void_p).value or 0, (offsets, text)


def from_strings(offsets: np.ndarray, text: bytes, wanted: Type) -> np.ndarray:
    """An object array of str, or of bytes, of strings in Arrow's layout."""
    made = np.empty(len(offsets) - 1, object)
    places = offsets.tolist()
    if wanted.name == "str":
        made[:] = [text[a:b].decode("utf-8", "surrogateescape") for a, b in zip(places, places[1:])]
    else:
        made[:] = [text[a:b] for a, b in zip(places, places[1:])]
    return made
