# The types of keys and values, and what an array has to be to hold items of them.
from typing import Any, Dict, Tuple

import numpy as np
NUMBERS = {"u32": 1, "u64": 2, "i32": 3, "i64": 4, "f32": 5, "f64": 6}  # roost_type
BYTES, STRING = 7, 8

class Type:
    """A type of items.  `name` is how a caller names it, `number` its roost_type, `bytes` an item's width (0 for
    strings and for none), `dtype` NumPy's type of it (None for strings), `format` Arrow's."""
    __slots__ = ("name", "number", "bytes", "dtype", "format")
    def __init__(self, name: str, number: int, dtype: Any = None, format: str = ""):
        self.name, self.number, self.format = name, number, format
        self.dtype: Any = np.dtype(dtype) if dtype else None
        self.bytes = self.dtype.itemsize if self.dtype else 0
    def fits(self, code: str, itemsize: int, shape: Tuple[int, ...]) -> bool:
        """True if an array of this code and shape holds len(array) items of the type."""
        if self.number != BYTES:
            return len(shape) == 1 and (code == self.name or self.bytes == 1 and code in ("u8", "bool"))
        return len(shape) > 0 and itemsize * int(np.prod(shape[1:])) == self.bytes
    def shape(self, n: int) -> Tuple[int, ...]:
        """The shape of an array of n items outside of NumPy: bytes are rows of uint8."""
        return (n, self.bytes) if self.number == BYTES else (n,)
TYPES = {name: Type(name, number, name[0] + str(int(name[1:]) // 8), arrow) for (name, number), arrow in zip(NUMBERS.items(), "ILilfg")}
TYPES.update(str=Type("str", STRING, None, "U"), bytes=Type("bytes", STRING, None, "Z"), none=Type("none", 0))
U8, BOOL = Type("u8", -1, "u1"), Type("bool", -1, "bool")
CODES = {one.dtype: one.name for one in [*TYPES.values(), U8, BOOL] if one.dtype}
PYTHON: Dict[Any, str] = {None: "none", int: "i64", float: "f64", str: "str", bytes: "bytes"}

def fixed(width: int) -> Type: return Type(f"bytes:{width}", BYTES, f"S{width}", f"w:{width}")  # byte strings of one width
def parse(given: Any) -> Type:
    """The type that a caller names: one of "u32" "u64" "i32" "i64" "f32" "f64" "str" "bytes" "bytes:N",
    None for no values, a NumPy dtype, or int, float, str or bytes of Python."""
    if isinstance(given, Type):
        return given
    name = PYTHON.get(given, given) if given is None or isinstance(given, type) else given
    if isinstance(name, str) and (name in TYPES or name.startswith("bytes:") and name[6:].isdigit() and int(name[6:])):
        return TYPES.get(name) or fixed(int(name[6:]))
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = np.dtype(object)
    if CODES.get(dtype) in TYPES:
        return TYPES[CODES[dtype]]
    if dtype.kind in "SV" and dtype.itemsize:
        return fixed(dtype.itemsize)
    raise TypeError(f"no type {given!r}: types are {', '.join(NUMBERS)}, 'str', 'bytes', 'bytes:N', and None for sets")
