# Arrays in and out: no byte is copied, results are of the kind that came in, streams are agreed.
import array
import gc

import numpy as np
import pytest

import roost
from roost import _arrays
from roost._types import TYPES, parse

EXPORTERS = ["numpy", "memoryview", "array", "dlpack", "dlpack unversioned", "dlpack pinned"]


def exported(kind, x, exporter):
    return {"numpy": lambda: x, "memoryview": lambda: memoryview(x), "array": lambda: x, "dlpack": lambda: exporter(x),
            "dlpack unversioned": lambda: exporter(x, version=None), "dlpack pinned": lambda: exporter(x, device_type=3)}[kind]()


@pytest.mark.parametrize("kind", EXPORTERS)
def test_nothing_is_copied(kind, exporter):
    x = np.arange(100, dtype=np.uint64)
    given = exported(kind, x, exporter)
    assert _arrays.view(given, TYPES["u64"], "keys").pointer == x.ctypes.data
    table = roost.Table("u64", "u64", device="host")
    table.insert(given, given)
    out = np.zeros(100, np.uint64)
    target = exported(kind, out, exporter)
    assert _arrays.view(target, TYPES["u64"], "out", None, 100).pointer == out.ctypes.data
    assert table.find(given, out=target, found=False) is target
    assert out.tolist() == x.tolist()
    del given, target
    gc.collect()
    assert exporter.alive == 0


def test_buffers_of_python():
    x = array.array("Q", [1, 2, 3])
    assert _arrays.view(x, TYPES["u64"], "keys").pointer == x.buffer_info()[0]
    assert roost.unique(x).dtype == np.uint64


def test_rows_of_bytes():
    rows = np.frombuffer(b"abcdefghi", np.uint8).reshape(3, 3)
    table = roost.Table("bytes:3", "bytes:8", device="host")
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    table.insert(rows, vectors)
    out = np.zeros((2, 2), np.float32)
    table.find(np.array([b"def", b"abc"]), out=out, found=False)
    assert out.tolist() == [[2, 3], [0, 1]]


def test_dlpack_is_versioned_and_its_stream_agreed(exporter):
    x = np.arange(4, dtype=np.int64)
    for stream, named in ((None, 1), (0, 1), (2, 2), (77, 77)):
        on_gpu = exporter(x, device_type=2)
        pointer, code, _, shape, contiguous, device, own, _ = _arrays.look_dlpack(on_gpu, False, stream)
        assert on_gpu.asked == [{"max_version": (1, 1), "stream": named}]
        assert (pointer, code, shape, contiguous, device, own) == (x.ctypes.data, "i64", (4,), True, 0, stream or 0)
    on_host = exporter(x)
    _arrays.look_dlpack(on_host, False, 5)
    assert on_host.asked == [{"max_version": (1, 1), "stream": None}]
    old = exporter(x, version=None)
    _arrays.look_dlpack(old, False, None)
    assert len(old.asked) == 2 and "max_version" not in old.asked[1]
    with pytest.raises(BufferError, match="DLPack 2.0"):
        _arrays.look_dlpack(exporter(x, version=(2, 0)), False, None)
    with pytest.raises(TypeError, match="device type 10"):
        _arrays.look_dlpack(exporter(x, device_type=10), False, None)
    with pytest.raises(ValueError, match="read-only"):
        _arrays.look_dlpack(exporter(x, read_only=True), True, None)
    assert not _arrays.look_dlpack(exporter(x, strides=(2,)), False, None)[4]
    with pytest.raises(ValueError, match="not contiguous"):
        roost.Table("i64", None, device="host").insert(exporter(x, strides=(2,)))


class OnGpu:
    """An array with CUDA's interface whose memory is not looked at."""
    def __init__(self, stream):
        self.__cuda_array_interface__ = dict(shape=(3,), typestr="<u8", data=(4096, False), version=3, strides=None, stream=stream)


def test_cuda_array_interface():
    for stream, own in ((None, None), (1, 0), (2, 2), (99, 99)):
        pointer, code, itemsize, shape, contiguous, device, got, _ = _arrays.look_cuda(OnGpu(stream), False, None)
        assert (pointer, code, itemsize, shape, contiguous, device, got) == (4096, "u64", 8, (3,), True, 0, own)


def test_arrays_on_gpus_need_a_gpu(exporter):
    if any(one["name"].startswith("cuda") for one in roost.devices()):
        pytest.skip("there is a GPU")
    table = roost.Table("u64", None, device="host")
    with pytest.raises((ValueError, TypeError)):
        table.insert(OnGpu(None))
    with pytest.raises((ValueError, TypeError)):
        table.find(exporter(np.arange(3, dtype=np.uint64), device_type=2), found=np.empty(3, bool))


def test_lists_tuples_ranges_give_numpy():
    table = roost.Table("u64", "f32", device="host")
    table.insert(range(5), [0.5, 1, 2, 3, 4])
    values, found = table.find((4, 5))
    assert isinstance(values, np.ndarray) and values.dtype == np.float32 and found.dtype == bool and values.tolist() == [4, 0]
    table.insert([], [])
    assert table.find([])[0].tolist() == []


def test_pandas_in_and_out():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([3, 1, 3], index=[10, 20, 30], name="k")
    table = roost.Table("i64", "i64", device="host")
    table.add(series, 1)
    values, found = table.find(series)
    assert isinstance(values, pandas.Series) and values.index.tolist() == [10, 20, 30] and values.tolist() == [2, 1, 2]
    assert _arrays.view(series, TYPES["i64"], "k").pointer == series.to_numpy().ctypes.data
    frame = pandas.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 1]})
    groups = roost.group(frame, {"n": "count"}, ordered=True)
    assert [groups[name].tolist() for name in "abn"] == [["x", "y"], [1, 2], [2, 1]]
    assert roost.isin(frame.b, [2]).tolist() == [False, True, False]


@pytest.mark.parametrize("name", ["torch", "cupy", "jax"])
@pytest.mark.parametrize("place", ["host", "gpu"])
def test_libraries_of_gpus(name, place):
    module = pytest.importorskip(name)
    on_gpu = any(one["name"].startswith("cuda") for one in roost.devices())
    if place == "gpu" and not on_gpu or place == "host" and name == "cupy":
        pytest.skip(f"no {place} for {name} here")
    if name == "torch":
        keys = module.arange(1000, device="cuda" if place == "gpu" else "cpu")
        pointer = keys.data_ptr()
    elif name == "cupy":
        keys = module.arange(1000)
        pointer = keys.data.ptr
    else:
        module.config.update("jax_enable_x64", True)
        keys = module.device_put(np.arange(1000), module.devices("cuda" if place == "gpu" else "cpu")[0])
        pointer = keys.unsafe_buffer_pointer()
    assert _arrays.view(keys, TYPES["i64"], "keys").pointer == pointer
    table = roost.Table("i64", "i64", device="cuda:0" if place == "gpu" else "host", capacity=2000)
    table.insert(keys, keys)
    values, found = table.find(keys)
    table.sync()
    assert type(values) is type(keys) and bool((values == keys).all()) and bool(found.all())
    if place == "gpu" and name != "jax":
        assert values.device == keys.device
        out = module.empty(1000, dtype=module.int64, device="cuda") if name == "torch" else module.empty(1000, module.int64)
        for _ in range(100):
            table.find(keys, out=out, found=False)
        table.sync()
        assert not table._held.calls and not table._held.late
    different, counts = roost.count(keys)
    assert type(different) is type(keys) and len(different) == 1000 and int(counts.sum()) == 1000
    assert bool(roost.isin(keys, keys[:10])[:10].all())
    left, right = roost.join(keys, keys[:10])
    assert type(left) is type(keys) and sorted(np.asarray(_arrays.kind_of(left).host(left)).tolist()) == list(range(10))
    codes, items = roost.index(keys[:10])
    assert codes.tolist() == list(range(10))


def test_types_of_arrays():
    for given, name in ((np.zeros(1, np.uint32), "u32"), ([1], "i64"), ([1.5], "f64"), (["a"], "str"), ([b"a"], "bytes"),
                        (np.array([b"abc"]), "bytes:3"), (np.zeros((2, 7), np.uint8), "bytes:7"), (np.array(["a"]), "str")):
        assert _arrays.type_of(given).name == name
    with pytest.raises(TypeError):
        _arrays.type_of(np.zeros(1, np.int16))
    assert parse("f32") is TYPES["f32"]


@pytest.mark.parametrize("x", [np.zeros(3), np.zeros(3)[1:], np.zeros(0), np.zeros((2, 3), np.uint8)[1], np.frombuffer(b"12345678", np.uint64),
                               np.zeros(3).view(np.recarray), np.memmap(__file__, np.uint8, "r")[5:]])
def test_addresses_are_what_arrays_say(x):
    assert _arrays.address_of(x) == x.__array_interface__["data"][0]
