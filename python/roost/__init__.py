# The package roost: hash tables for GPUs and CPUs, from Python.
"""Hash tables for GPUs and CPUs.

    roost.Table         a table whose keys and values come and go in arrays; help(roost.Table)
    roost.unique        the different items of an array
    roost.count         the same, and how often each occurs
    roost.isin          which items of an array another one has
    roost.index         each item's number: dictionary encoding
    roost.group         GROUP BY: aggregates of rows with equal keys
    roost.join          pairs of rows whose keys are equal
    roost.Comm          the ranks of a table that is spread over several
    roost.engines, roost.devices    what this library has

Arrays are those of NumPy, CuPy, PyTorch, JAX, pandas, Polars and pyarrow, lists, and all that have DLPack's,
Arrow's or CUDA's array interface.  What comes out is of the same kind as what came in, on the same device;
for lists it is NumPy's."""

from ._comm import Comm
from ._library import (ArgumentError, CommError, CorruptError, DeviceError, Error, FullError, IOError, MemoryError,
                       NotFoundError, OverflowError, UnsupportedError, devices, engines, version)
from ._relations import count, group, index, isin, join, unique
from ._table import Table

__version__ = version
__all__ = ["ArgumentError", "Comm", "CommError", "CorruptError", "DeviceError", "Error", "FullError", "IOError", "MemoryError",
           "NotFoundError", "OverflowError", "Table", "UnsupportedError", "count", "devices", "engines", "group", "index",
           "isin", "join", "unique"]
