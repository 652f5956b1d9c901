# What the tests of the Python package share: seed, device, stand-ins for libraries of arrays.
"""ROOST_TEST_DEVICE names the device of the tests' tables (default: host), ROOST_TEST_SEED the seed."""
import ctypes
import os
import random

import numpy as np
import pytest

SEED = int(os.environ.get("ROOST_TEST_SEED", random.SystemRandom().getrandbits(32)))
DEVICE = os.environ.get("ROOST_TEST_DEVICE", "host")


def pytest_report_header(config):
    return f"seed {SEED}, tables on {DEVICE}"


@pytest.fixture
def rng():
    return np.random.default_rng(SEED)


@pytest.fixture
def device():
    return DEVICE


class Exporter:
    """An array of no known library: memory of NumPy's by DLPack.  It notes what a consumer asks for, and counts
    what is alive.  device_type 2 claims that the memory is a GPU's, to see which stream a consumer names."""

    alive = 0

    def __init__(self, array, device_type=1, version=(1, 0), read_only=False, strides=None):
        self.array, self.device_type, self.version, self.read_only, self.strides = array, device_type, version, read_only, strides
        self.asked = []

    def __dlpack_device__(self):
        return (self.device_type, 0)

    def __dlpack__(self, *, stream=None, **versions):
        self.asked.append(dict(versions, stream=stream))
        if versions and self.version is None:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        return capsule_of(self)


def capsule_of(exporter):
    """A capsule as its standard asks: its destructor frees the tensor unless a consumer renamed it."""
    from roost._arrays import DLTensor, DLVersioned

    array = exporter.array
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = exporter.strides and (ctypes.c_int64 * array.ndim)(*exporter.strides)
    code = {"i": 0, "u": 1, "f": 2, "b": 6}[array.dtype.kind]
    tensor = DLTensor(data=array.ctypes.data, device_type=exporter.device_type, ndim=array.ndim, code=code,
                      bits=array.itemsize * 8, lanes=1, shape=ctypes.addressof(shape), strides=strides and ctypes.addressof(strides))
    versioned = exporter.version is not None
    if versioned:
        tensor = DLVersioned(major=exporter.version[0], minor=exporter.version[1], flags=int(exporter.read_only), tensor=tensor)
    name = b"dltensor_versioned" if versioned else b"dltensor"
    Exporter.alive += 1
    kept[ctypes.addressof(tensor)] = (tensor, shape, strides, array)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(tensor), name, ctypes.cast(destroy, ctypes.c_void_p))


kept = {}
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_GetName", ctypes.pythonapi))


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def destroy(capsule):
    del kept[_pointer(capsule, _name(capsule))]
    Exporter.alive -= 1


@pytest.fixture
def exporter():
    return Exporter


def pytest_runtest_logreport(report):
    """Lines that tests/count-results.awk counts, where a script asks for them."""
    if "ROOST_TEST_LINES" not in os.environ:
        return
    if report.skipped and report.when in ("setup", "call"):
        print(f"\nskipped - {report.nodeid}: {report.longrepr[2]}")
    elif report.when == "call" or report.failed:
        print(f"\n{'ok' if report.passed else 'not ok'} - {report.nodeid}")
