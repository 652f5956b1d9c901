# The types of keys and values, and what an array has to be to hold items of them.
"""Types of keys and values: "u64", "f32", "str", "bytes:16" and so on."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

NUMBERS = {"u32": 1, "u64": 2, "i32": 3, "i64": 4, "f32": 5, "f64": 6}
BYTES, STRING = 7, 8
DTYPES = {name: np.dtype(name[0] + str(int(name[1:]) // 8)) for name in NUMBERS}
CODES = {dtype: name for name, dtype in DTYPES.items()}
CODES.update({np.dtype("u1"): "u8", np.dtype("bool"): "bool"})
PYTHON = {int: "i64", float: "f64", str: "str", bytes: "bytes"}


class Type:
    """A type of items.  `name` is how a caller names it, `number` its roost_type, `bytes` an item's width
    (0 for strings and for none), `dtype` NumPy's type of it (None for strings)."""

    __slots__ = ("name", "number", "bytes", "dtype", "format")

    def __init__(self, name: str, number: int, width: int, dtype: Optional[np.dtype], format: str = ""):
        self.name, self.number, self.bytes, self.dtype, self.format = name, number, width, dtype, format

    def __repr__(self) -> str:
        return self.name

    def fits(self, code: str, itemsize: int, shape: Tuple[int, ...]) -> bool:
        """True if an array of this code and shape holds len(array) items of the type."""
        if self.number != BYTES:
            return code == self.name and len(shape) == 1
        for length in shape[1:]:
            itemsize *= length
        return itemsize == self.bytes and len(shape) > 0

    def shape(self, n: int) -> Tuple[int, ...]:
        """The shape of an array of n items outside of NumPy: bytes are rows of uint8."""
        return (n, self.bytes) if self.number == BYTES else (n,)


NONE = Type("none", 0, 0, None)
STR, VARIABLE = Type("str", STRING, 0, None, "U"), Type("bytes", STRING, 0, None, "Z")
TYPES = {name: Type(name, number, DTYPES[name].itemsize, DTYPES[name], arrow)
         for (name, number), arrow in zip(NUMBERS.items(), "ILilfg")}
TYPES.update({"str": STR, "bytes": VARIABLE, "none": NONE})
U8, BOOL = Type("u8", -1, 1, np.dtype("u1"), "C"), Type("bool", -1, 1, np.dtype("bool"))


def fixed(width: int) -> Type:
    """The type of byte strings of one width."""
    return Type(f"bytes:{width}", BYTES, width, np.dtype(f"S{width}"), f"w:{width}")


def parse(name: Any) -> Type:
    """The type that a caller names: one of "u32" "u64" "i32" "i64" "f32" "f64" "str" "bytes" "bytes:N",
    None for no values, a NumPy dtype, or int, float, str or bytes of Python."""
    if name is None or isinstance(name, Type):
        return name or NONE
    if isinstance(name, type) and name in PYTHON:
        name = PYTHON[name]
    if isinstance(name, str):
        if name in TYPES:
            return TYPES[name]
        if name.startswith("bytes:") and name[6:].isdigit():
            return fixed(int(name[6:]))
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = np.dtype(object)
    if dtype in CODES and CODES[dtype] in TYPES:
        return TYPES[CODES[dtype]]
    if dtype.kind in "SV" and dtype.itemsize:
        return fixed(dtype.itemsize)
    raise TypeError(f"no type {name!r}: types are {', '.join(NUMBERS)}, 'str', 'bytes', 'bytes:N', and None for sets")


def of_dtype(dtype: np.dtype) -> Type:
    """The type of a NumPy array's items, as keys."""
    return STR if dtype.kind in "UOT" else parse(dtype)
