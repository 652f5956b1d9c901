# Arrays of other libraries: where their items are, and new ones of the same kind.  Some are known
# by name; others by Arrow, DLPack, the CUDA array interface and the buffer protocol.
import ctypes
import sys
from ctypes import c_int64, c_size_t, c_void_p
from typing import Any, Dict, List, NamedTuple, Optional, Tuple
import numpy as np
from ._library import plain_struct
from ._types import BYTES, CODES, Type, parse
# Where n items are.  device: a GPU's number or None.  stream orders the work.  owner keeps them.
View = NamedTuple("View", [("pointer", int), ("n", int), ("device", Optional[int]), ("owner", Any), ("stream", Optional[int]), ("kind", Any)])
# pointer, code of the dtype, bytes of an item, shape, contiguous, device, stream, owner
Look = Tuple[int, str, int, Tuple[int, ...], bool, Optional[int], Optional[int], Any]
IS_CPYTHON = sys.implementation.name == "cpython"
def address_of(x: np.ndarray) -> int:
    """Where an array's items are: behind the head of CPython's object (PyArrayObject of NumPy's C API), or as it says itself."""
    return c_size_t.from_address(id(x) + object.__basicsize__).value if IS_CPYTHON else x.__array_interface__["data"][0]
class Kind:
    """A library of arrays; this one is NumPy."""
    name, arrow = "numpy", False
    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        if writing and not x.flags.writeable:
            raise ValueError("the array to write to is read-only")
        return (address_of(x), code_of(x.dtype), x.itemsize, x.shape, x.flags.c_contiguous, None, None, x)
    def contiguous(self, x: Any) -> Any: return np.ascontiguousarray(x)
    def empty(self, n: int, type: Type, device: Optional[int]) -> Any: return np.empty(n, type.dtype)
    def host(self, x: Any) -> np.ndarray: return np.asarray(x)  # a NumPy array of the items
    def wrap(self, x: Any, like: Any = None) -> Any: return x  # an array that empty() made, as the caller gets it
    def fill(self, x: Any, value: Any) -> None: x[...] = value
    def concatenate(self, parts: List[Any]) -> Any: return np.concatenate(parts)

class CuPy(Kind):
    def __init__(self, cupy: Any): self.cupy, self.stream = cupy, cupy.cuda.get_current_stream
    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        dtype, device = x.dtype, x.device.id
        return (x.data.ptr, CODES.get(dtype) or str(dtype), dtype.itemsize, x.shape, x.flags.c_contiguous, device, self.stream(device).ptr, x)
    def contiguous(self, x: Any) -> Any: return self.cupy.ascontiguousarray(x)
    def empty(self, n: int, type: Type, device: Optional[int]) -> Any:
        with self.cupy.cuda.Device(device):
            return self.cupy.empty(type.shape(n), "u1" if type.number == BYTES else type.dtype)
    def host(self, x: Any) -> np.ndarray: return self.cupy.asnumpy(x)
    def concatenate(self, parts: List[Any]) -> Any: return self.cupy.concatenate(parts)

class Torch(Kind):
    def __init__(self, torch: Any):
        self.torch = torch
        self.codes = {getattr(torch, str(dtype)): code for dtype, code in CODES.items() if hasattr(torch, str(dtype))}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}
    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        if x.device.type not in ("cpu", "cuda"):
            raise TypeError(f"a tensor on {x.device} cannot be used: the host and GPUs of CUDA can")
        device = x.device.index if x.device.type == "cuda" else None
        own = None if device is None else self.torch.cuda.current_stream(device).cuda_stream
        return (x.data_ptr(), self.codes.get(x.dtype) or str(x.dtype), x.element_size(), tuple(x.shape), x.is_contiguous(), device, own, x)
    def contiguous(self, x: Any) -> Any: return x.contiguous()
    def empty(self, n: int, type: Type, device: Optional[int]) -> Any:
        dtype = self.torch.uint8 if type.number == BYTES else self.dtypes[type.name]
        return self.torch.empty(type.shape(n), dtype=dtype, device="cpu" if device is None else f"cuda:{device}")
    def host(self, x: Any) -> np.ndarray: return x.detach().cpu().numpy()
    def concatenate(self, parts: List[Any]) -> Any: return self.torch.cat(parts)

class Jax(Kind):
    """JAX's arrays do not change once made: results are written before the caller gets them."""
    def __init__(self, jax: Any):
        self.jax, self.numpy = jax, sys.modules["jax.numpy"]
    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        if writing:
            raise ValueError("arrays of JAX cannot be written to: leave out `out`")
        return look_dlpack(x, False, stream)
    def empty(self, n: int, type: Type, device: Optional[int]) -> Any:
        place = self.jax.devices("cpu")[0] if device is None else self.jax.devices("cuda")[device]
        dtype = np.dtype("u1") if type.number == BYTES else type.dtype
        with self.jax.default_device(place):
            x = self.numpy.zeros(type.shape(n), dtype).block_until_ready()
        if x.dtype != dtype:
            raise TypeError(f"JAX makes {x.dtype} of {dtype}: jax.config.update('jax_enable_x64', True) allows 64 bits")
        return x
    def concatenate(self, parts: List[Any]) -> Any: return self.numpy.concatenate(parts)
    def fill(self, x: Any, value: Any) -> None:
        raise TypeError("arrays of JAX cannot be filled: give an array of values, and no default")

class Pandas(Kind):
    """Series of pandas over NumPy's arrays; others go by Arrow."""
    name = "pandas"
    def __init__(self, pandas: Any): self.pandas = pandas
    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        return Kind.look(self, x.to_numpy() if isinstance(x, self.pandas.Series) else x, writing)
    def wrap(self, x: Any, like: Any = None) -> Any:
        index = getattr(like, "index", None)
        return self.pandas.Series(x, index=index if index is not None and len(index) == len(x) else None)

class Other(Kind):
    """A library that is not known, by DLPack or the CUDA array interface.  Results are made by NumPy, on a GPU by
    CuPy or PyTorch."""
    def look(self, x: Any, writing: bool = False, stream: Optional[int] = None) -> Look:
        return (look_dlpack if hasattr(x, "__dlpack_device__") else look_cuda)(x, writing, stream)
    def contiguous(self, x: Any) -> Any: raise ValueError("the array is not contiguous")
    def empty(self, n: int, type: Type, device: Optional[int]) -> Any:
        kind = NUMPY if device is None else known("cupy") or known("torch")
        if kind is None:
            raise TypeError("neither CuPy nor PyTorch is here to make an array on the GPU: give `out` and `found`")
        return kind.empty(n, type, device)
    def host(self, x: Any) -> np.ndarray: return kind_of(x).host(x)
    def concatenate(self, parts: List[Any]) -> Any: return kind_of(parts[0]).concatenate(parts)

class ByArrow(Kind):
    """Columns of Arrow: of pyarrow, Polars, and others by their capsules (_arrow.py)."""
    name, arrow = "arrow", True
    def wrap(self, x: Any, like: Any = None) -> Any:
        from ._arrow import array_like
        return array_like(x, like)
DLTensor = plain_struct("DLTensor", "pdata idevice_type idevice_id indim bcode bbits hlanes pshape pstrides nbyte_offset")
DLVersioned = plain_struct("DLVersioned", "umajor uminor pcontext pdeleter nflags", ("tensor", DLTensor))
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes = [ctypes.py_object, ctypes.c_char_p]
DLPACK_HOST, DLPACK_GPU = (1, 3), (2, 13)  # CPU, pinned; CUDA, managed
DLPACK_CODES = {(1, 32): "u32", (1, 64): "u64", (0, 32): "i32", (0, 64): "i64", (2, 32): "f32", (2, 64): "f64", (1, 8): "u8", (6, 8): "bool"}

def is_contiguous(shape: Any, strides: Any, step: int) -> bool:
    """True if items lie side by side.  strides: None, or in the unit of step, the distance of neighbours."""
    for length, stride in zip(reversed(shape), reversed(strides or ())):
        if length > 1 and stride != step:
            return 0 in shape
        step *= length
    return True
def look_dlpack(x: Any, writing: bool, stream: Optional[int]) -> Look:
    """The capsule is left unused: its own destructor frees the tensor once nothing holds it."""
    device_type, device = (int(number) for number in x.__dlpack_device__())
    if device_type not in DLPACK_HOST + DLPACK_GPU:
        raise TypeError(f"DLPack's device type {device_type} cannot be used: the host and GPUs of CUDA can")
    on_gpu = device_type in DLPACK_GPU
    agreed = {"stream": stream or 1} if on_gpu else {}  # DLPack calls the legacy default stream 1
    try:
        capsule = x.__dlpack__(max_version=(1, 1), **agreed)
    except TypeError:  # a producer that knows no versions
        capsule = x.__dlpack__(**agreed)
    if _is_capsule(capsule, b"dltensor_versioned"):
        managed = DLVersioned.from_address(capsule_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise BufferError(f"DLPack {managed.major}.{managed.minor} is not known here: version 1 is")
        if writing and managed.flags & 1:
            raise ValueError("the array to write to is read-only")
        tensor = managed.tensor
    else:
        tensor = DLTensor.from_address(capsule_pointer(capsule, b"dltensor"))
    shape, strides = (place and list((c_int64 * tensor.ndim).from_address(place)) for place in (tensor.shape, tensor.strides))
    shape = tuple(shape or ())
    code = DLPACK_CODES.get((tensor.code, tensor.bits), "") if tensor.lanes == 1 else ""
    return ((tensor.data or 0) + tensor.byte_offset, code or f"DLPack {tensor.code}:{tensor.bits}x{tensor.lanes}", tensor.bits // 8,
            shape, is_contiguous(shape, strides, 1), device if on_gpu else None,
            (stream or 0) if on_gpu else None, (x, capsule))
def look_cuda(x: Any, writing: bool, stream: Optional[int]) -> Look:
    interface = x.__cuda_array_interface__
    pointer, read_only = interface["data"]
    if writing and read_only:
        raise ValueError("the array to write to is read-only")
    dtype, shape, own = np.dtype(interface["typestr"]), tuple(interface["shape"]), interface.get("stream")
    device = getattr(getattr(x, "device", None), "id", 0)
    return (pointer or 0, code_of(dtype), dtype.itemsize, shape, is_contiguous(shape, interface.get("strides"), dtype.itemsize), device,
            0 if own == 1 else own, x)
NUMPY = Kind()
_arrow, _other = ByArrow(), Other()
_kinds: Dict[Any, Kind] = {np.ndarray: NUMPY, np.memmap: NUMPY, "numpy": NUMPY, "arrow": _arrow}
_makers: Dict[str, Any] = {"cupy": CuPy, "torch": Torch, "jax": Jax, "pandas": Pandas}
def code_of(dtype: Any) -> str: return CODES.get(dtype) or str(dtype)

def known(name: str) -> Optional[Kind]:
    """The kind of a library that is known by this name; None: it is not here."""
    if name not in _kinds and name in _makers:
        try:
            __import__(name + ".numpy" if name == "jax" else name)
        except ImportError:
            return None
        _kinds[name] = _makers[name](sys.modules[name])
        _kinds[name].name = name
    return _kinds.get(name)
def kind_of(x: Any) -> Kind:
    """The kind of an array; NumPy for lists and all else that NumPy takes."""
    kind = _kinds.get(type(x))
    if kind is not None:
        return kind
    module = type(x).__module__.partition(".")[0].replace("jaxlib", "jax")
    if module == "pandas":
        by_arrow = not isinstance(getattr(x, "dtype", None), np.dtype) and hasattr(x, "__arrow_c_stream__")
        return _arrow if by_arrow else known("pandas") or NUMPY
    if module in _makers and not isinstance(x, np.ndarray):
        kind = known(module)
    elif any(hasattr(x, f"__arrow_c_{what}__") for what in ("array", "stream", "device_array")):
        kind = _arrow
    elif not isinstance(x, np.ndarray) and (hasattr(x, "__dlpack_device__") or hasattr(x, "__cuda_array_interface__")):
        kind = _other
    return _kinds.setdefault(type(x), kind or NUMPY)
def view(x: Any, wanted: Type, what: str, stream: Optional[int] = None, room: Optional[int] = None) -> View:
    """Where the items of an array are, which are of the wanted type.  Lists, and NumPy's arrays whose items all fit, are
    converted; so are arrays with gaps.  room: items that are written to; then there is no copy of any kind.
    what: names the array in errors."""
    if type(x) is np.ndarray and x.dtype == wanted.dtype and x.ndim == 1 and (x.flags.carray if room is not None else x.flags.c_contiguous):
        if room is None or x.size == room:
            return View(address_of(x), x.size, None, x, None, NUMPY)
    kind = kind_of(x)
    if kind is NUMPY or kind.name == "pandas":
        x = to_numpy(x, wanted, what) if room is None else x if hasattr(x, "__array_interface__") else np.asarray(memoryview(x))
    pointer, code, itemsize, shape, contiguous, device, own, owner = kind.look(x, room is not None, stream)
    if len(shape) != 1 and wanted.number != BYTES or not wanted.fits(code, itemsize, shape):
        raise TypeError(f"{what}: {len(shape)} dimensions, not 1" if len(shape) != 1 and wanted.number != BYTES else
                        f"{what}: items of type {' x '.join([code, *map(str, shape[1:])])}, not {wanted.name}: convert it, or make a table for its type")
    if room is not None and (shape[0] != room or not contiguous):
        raise ValueError(f"{what} has {shape[0]} items, not {room}" if contiguous else f"{what} is not contiguous")
    if not contiguous:
        pointer, _, _, shape, _, device, own, owner = kind.look(kind.contiguous(x), False, stream)
    return View(pointer, shape[0], device, owner, own, kind)
def new(like: View, type: Type, n: Optional[int] = None) -> Tuple[Any, View]:
    """A new array of n items (default: as many), of the kind and on the device of `like`, and where it is."""
    n = like.n if n is None else n
    if like.device is None and like.kind.empty.__func__ is Kind.empty:
        made = np.empty(n, type.dtype)
        return made, View(address_of(made), n, None, made, None, NUMPY)
    made = like.kind.empty(n, type, like.device)
    pointer, _, _, _, _, device, stream, owner = kind_of(made).look(made)
    return made, View(pointer, n, device, owner, stream, like.kind)
def to_numpy(x: Any, wanted: Type, what: str) -> np.ndarray:
    """A NumPy array of a list or another array: of the wanted type, if all items fit into it."""
    array = np.asarray(x)
    given, kinds = array is x or hasattr(x, "dtype") or hasattr(x, "__buffer__"), array.dtype.kind + str(wanted.dtype.kind)
    fits = np.can_cast(array.dtype, wanted.dtype, "safe") or not given and (kinds in ("if", "uf", "ff") or not array.size)
    if wanted.number == BYTES:
        fits = kinds == "SS" and array.itemsize <= wanted.bytes
    elif not given and array.size and kinds in ("iu", "ui", "ii", "uu"):
        fits, info = True, np.iinfo(wanted.dtype)
        if int(array.min()) < info.min or int(array.max()) > info.max:
            raise ValueError(f"{what} has numbers that do not fit into {wanted.name}")
    return array.astype(wanted.dtype, copy=False) if fits else array
def type_of(x: Any) -> Type:
    """The type that a table has to have for keys as these."""
    kind = kind_of(x)
    if kind.arrow:
        from ._arrow import type_of as of_arrow
        return of_arrow(x)
    listed = kind is NUMPY and not isinstance(x, np.ndarray)
    dtype = getattr(x, "dtype", None) if not listed else (x := np.asarray(x)).dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "UOTSV":
        return parse("bytes" if listed and dtype.kind == "S" else "str" if dtype.kind in "UOT" else dtype)
    _, code, _, shape, *_ = kind.look(x)
    return parse(f"bytes:{shape[1]}" if len(shape) == 2 and code == "u8" else code)
def strings(x: Any) -> Tuple[int, int, int, Any]:
    """Strings in Arrow's layout: n, the address of n + 1 offsets of 8 bytes, that of the bytes, and what keeps
    them.  Items are bytes or str, which become UTF-8 with surrogate escapes."""
    items = x.tolist() if hasattr(x, "tolist") else list(x)
    encoded = [item.encode("utf-8", "surrogateescape") if isinstance(item, str) else bytes(memoryview(item)) for item in items]
    offsets = np.zeros(len(encoded) + 1, np.uint64)
    np.cumsum(np.fromiter(map(len, encoded), np.uint64, len(encoded)), out=offsets[1:])
    text = b"".join(encoded)
    return len(encoded), offsets.ctypes.data, ctypes.cast(ctypes.c_char_p(text), c_void_p).value or 0, (offsets, text)
def from_strings(offsets: np.ndarray, text: bytes, wanted: Type) -> np.ndarray:
    """An object array of str, or of bytes, of strings in Arrow's layout."""
    made, places = np.empty(len(offsets) - 1, object), offsets.tolist()
    items = [text[a:b] for a, b in zip(places, places[1:])]
    made[:] = [item.decode("utf-8", "surrogateescape") for item in items] if wanted.name == "str" else items
    return made
