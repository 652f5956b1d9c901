# The class Table: calls of items against Python's dict, errors, threads, forks, iterations.
import gc
import os
import threading
import time

import numpy as np
import pytest

import roost

WIDTHS = [("u32", "u32"), ("u64", "f32"), ("i64", "i64"), ("u64", None), ("f64", "f64"), ("bytes:5", "u32"), ("str", "u32"), ("bytes", "bytes:3")]


def keys_of(name, rng, n):
    numbers = rng.integers(0, 400, n)
    if name == "str":
        return [f"key {i} \u00e4" for i in numbers]
    if name == "bytes":
        return [b"\xff%d" % i for i in numbers]
    if name.startswith("bytes:"):
        return np.array([b"%05d" % i for i in numbers], "S5")
    return numbers.astype({"u": "u", "i": "i", "f": "f"}[name[0]] + str(int(name[1:]) // 8))


def values_of(name, rng, n):
    if name is None:
        return None
    if name.startswith("bytes:"):
        return np.array([b"%03d" % i for i in rng.integers(0, 999, n)], "S3")
    return rng.integers(0, 100, n).astype(name[0] + str(int(name[1:]) // 8))


def listed(x):
    return x.tolist() if hasattr(x, "tolist") else list(x)


@pytest.mark.parametrize("keys,values", WIDTHS)
def test_calls_agree_with_a_dict(keys, values, rng, device):
    table, model = roost.Table(keys, values, device=device), {}
    for _ in range(8):
        k, v = keys_of(keys, rng, 300), values_of(values, rng, 300)
        if keys[0] in "bs":  # ordered batches have keys of 4 and 8 bytes
            k = np.unique(k) if keys == "bytes:5" else sorted(set(k))
            v = v[:len(k)]
        table.insert(k, v, ordered=keys[0] not in "bs")
        model.update(zip(listed(k), listed(v) if v is not None else [None] * len(k)))
        gone = keys_of(keys, rng, 50)
        statuses = table.erase(gone, statuses=True)
        assert set(np.asarray(statuses).tolist()) <= {5, 6}
        for key in listed(gone):
            model.pop(key, None)
        asked = keys_of(keys, rng, 300)
        answer = table.find(asked)
        found = answer[1] if values else answer
        assert listed(found) == [key in model for key in listed(asked)]
        if values:
            assert [value for value, hit in zip(listed(answer[0]), listed(found)) if hit] == [model[key] for key in listed(asked) if key in model]
        assert len(table) == len(model)
    table.check()
    blocks = [block if values else (block,) for block in table]
    assert sorted(key for block in blocks for key in listed(block[0])) == sorted(model)
    assert (listed(asked)[0] in table) == (listed(asked)[0] in model)


def test_modes(device):
    table = roost.Table("u32", "i32", device=device)
    table.insert([1, 2], [5, 5])
    table.insert([1, 3], [9, 9], mode="keep")
    table.add([1, 1], [1, 2])
    table.min([2], [3])
    table.max([3], [11])
    assert table.find([1, 2, 3], found=False).tolist() == [8, 3, 11]
    table.add([7, 7, 7])
    assert table.find([7], found=False).tolist() == [3]
    with pytest.raises(ValueError, match="no mode 'sum'"):
        table.insert([1], [1], mode="sum")


def test_statuses_outputs_and_defaults(device):
    table = roost.Table("u64", "u32", device=device)
    assert sorted(table.insert([5, 5, 6], [1, 1, 1], ordered=True, statuses=True).tolist()) == [1, 1, 2]
    out, found = np.empty(2, np.uint32), np.empty(2, np.uint8)
    got = table.find([5, 9], out=out, found=found, default=77)
    assert got[0] is out and got[1] is found and out.tolist() == [1, 77] and found.tolist() == [1, 0]
    assert table.find([9], out=out[:1], found=False).base is out
    with pytest.raises(ValueError, match="out has 2 items, not 1"):
        table.find([5], out=out)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        table.find([5, 9], out=out)


def test_wrong_arrays_are_refused(device):
    table = roost.Table("u64", "f32", device=device)
    for keys, error in (([1.5], TypeError), (np.array([1], np.int64), TypeError), ([-1], ValueError), (np.zeros((2, 2), np.uint64), TypeError),
                        (["a"], TypeError), ([None], TypeError), (np.array([1j]), TypeError)):
        with pytest.raises(error):
            table.insert(keys, [1.0] * len(keys))
    with pytest.raises(ValueError, match="2 keys, and 1 values"):
        table.insert([1, 2], [1.0])
    with pytest.raises(TypeError, match="values are missing"):
        table.insert([1])
    with pytest.raises(TypeError, match="a set"):
        roost.Table("u64", None, device=device).insert([1], [1])
    with pytest.raises(TypeError):
        roost.Table("str", "u32", device="host").insert([5], [1])
    assert len(table) == 0
    table.insert(np.array([7], np.uint32), [1])  # narrower ones are converted
    table.insert(np.arange(20, dtype=np.uint64)[::2], np.ones(10, np.float32))  # so are those with gaps
    assert sorted(table.export()[0].tolist()) == [0, 2, 4, 6, 7, 8, 10, 12, 14, 16, 18]


def test_types_are_named(device):
    for name in ("u16", "bytes:0", "bytes:x", object, 7):
        with pytest.raises(TypeError, match="no type"):
            roost.Table(name, device=device)
    assert roost.Table(np.uint32, np.float64, device=device).value_type == "f64"
    assert roost.Table("S7", None, device=device).key_type == "bytes:7"
    with pytest.raises(roost.NotFoundError):
        roost.Table(engine="none", device=device)
    with pytest.raises(ValueError):
        roost.Table(capacity=-1, device=device)


@pytest.mark.parametrize("mode", ["assign", "ordered", "number"])
def test_full_tables_name_the_items(mode, device, rng):
    numbered = mode == "number"
    table = roost.Table("u32", "u32", device=device, capacity=64, growth=False, numbered=numbered)
    keys = rng.permutation(1000).astype(np.uint32)
    with pytest.raises(roost.FullError) as caught:
        table.number(keys) if numbered else table.insert(keys, 1, ordered=mode == "ordered")
    refused = caught.value.indices
    assert refused.dtype == np.int64 and len(refused) == 1000 - len(table) > 0
    assert not table.contains(keys[refused]).any() and table.contains(np.delete(keys, refused)).all()
    assert caught.value.status == 4


def test_memory_that_is_refused_names_the_items(device):
    table = roost.Table("u64", "u64", device=device, memory_limit=1 << 20)
    keys = np.arange(1 << 20, dtype=np.uint64)
    if device == "host":
        pytest.skip("memory_limit is of devices")
    with pytest.raises(MemoryError) as caught:
        table.insert(keys, keys)
    assert isinstance(caught.value, roost.MemoryError) and len(caught.value.indices) == len(keys) - len(table)


def test_numbers(device):
    table = roost.Table("u64", "i64", device=device, numbered=True)
    numbers, statuses = table.number([30, 10, 30], ordered=True, statuses=True)
    assert numbers.tolist() == [0, 1, 0] and statuses.tolist() == [1, 1, 3]
    out = np.empty(2, np.int64)
    assert table.number([20, 10], ordered=True, out=out) is out and out.tolist() == [2, 1]
    assert table.export(order="number")[0].tolist() == [30, 10, 20]


def test_writing_while_iterating_raises(device):
    table = roost.Table("u64", "u64", device=device)
    table.insert(range(1000), range(1000))
    blocks = table.items(64)
    next(blocks)
    for write in (lambda: table.insert([1], [1]), lambda: table.erase([1]), table.clear, lambda: table.reserve(5), table.sync):
        with pytest.raises(RuntimeError, match="iterated"):
            write()
    assert 5 in table
    blocks.close()
    table.insert([1], [1])
    for _ in table:
        break
    gc.collect()
    table.clear()
    assert len(table) == 0 and list(table) == [] and table.export()[0].tolist() == []


def test_closed_tables(device):
    with roost.Table(device=device) as table:
        table.insert([1], [1])
    for call in (lambda: table.insert([1], [1]), lambda: table.find([1]), lambda: len(table), lambda: table.engine, lambda: list(table)):
        with pytest.raises(ValueError, match="closed"):
            call()
    table.close()
    assert "closed" in repr(table)


def test_children_of_a_fork_read_and_do_not_write(device):
    table = roost.Table(device="host")
    table.insert([1, 2], [1, 2])
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert table.find([2])[0][0] == 2
            try:
                table.insert([3], [3])
            except RuntimeError as error:
                code = 0 if "fork" in str(error) else 2
            own = roost.Table(device="host")
            own.insert([1], [1])
            assert len(own) == 1
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    table.insert([3], [3])


def test_threads_write_one_at_a_time_and_read_together(rng):
    table = roost.Table("u64", "u64", device="host", threads=1)
    keys = rng.integers(0, 50000, (8, 100000)).astype(np.uint64)
    failed = []

    def add(row):
        try:
            for part in np.split(keys[row], 20):
                table.add(part, 1)
                table.find(part)
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=add, args=(row,)) for row in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failed
    different, counts = np.unique(keys, return_counts=True)
    assert table.find(different)[0].tolist() == counts.tolist()
    table.check()


def test_a_writer_is_alone():
    """Stand-ins for functions of the library say whether they run beside another one."""
    table, inside, seen = roost.Table(device="host"), [], set()

    def call(name):
        def function(handle):
            inside.append(name)
            time.sleep(0.001)
            seen.add(frozenset(inside) if len(set(inside)) > 1 or inside.count(name) == 1 else f"{name} twice")
            inside.remove(name)
            return 0
        return function
    threads = [threading.Thread(target=lambda: [table._write(call("write")) for _ in range(30)]) for _ in range(2)]
    threads += [threading.Thread(target=lambda: [table._read(call("read")) for _ in range(30)]) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert frozenset(["write"]) in seen and "read twice" in seen
    assert frozenset(["write", "read"]) not in seen and "write twice" not in seen


def test_calls_release_the_interpreter(rng):
    table = roost.Table("u64", "u64", device="host", threads=1)
    keys, beats, done = rng.integers(0, 1 << 60, 2000000).astype(np.uint64), [], threading.Event()
    thread = threading.Thread(target=lambda: (table.insert(keys, keys), done.set()))
    thread.start()
    while not done.is_set():
        beats.append(None)
        time.sleep(0.0005)
    thread.join()
    assert len(beats) > 10  # this thread ran during the one call of the other


def test_tables_of_several_ranks():
    comms, answers = roost.Comm.local(["host"] * 3), [None] * 3
    assert [(comm.rank, comm.ranks) for comm in comms] == [(0, 3), (1, 3), (2, 3)]

    def work(rank):
        table = roost.Table("u64", "u32", comm=comms[rank])
        table.add(np.arange(100, dtype=np.uint64), 1)
        values = table.find(np.arange(rank, 101, dtype=np.uint64))[0]
        answers[rank] = (len(table), values.tolist(), sum(len(keys) for keys, _ in table))
        with pytest.raises(TypeError, match="pickled"):
            table.__reduce__()
        table.close()
    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert [answer[:2] for answer in answers] == [(100, [3] * (100 - rank) + [0]) for rank in range(3)]
    assert sum(answer[2] for answer in answers) == 100


def test_errors_have_their_classes():
    for error, base in ((roost.FullError, roost.Error), (roost.MemoryError, MemoryError), (roost.OverflowError, OverflowError),
                        (roost.ArgumentError, ValueError), (roost.IOError, OSError), (roost.NotFoundError, LookupError)):
        assert issubclass(error, base) and issubclass(error, roost.Error)
    with pytest.raises(roost.OverflowError):
        roost.group([1, 1], {"s": ("sum", np.array([2**63 - 1, 1]))})
    assert roost.group([1, 1], {"s": ("sum", np.array([2**63 - 1, 1]))}, wrap=True)["s"].tolist() == [-2**63]


def test_stats_engines_devices(device):
    table = roost.Table(device=device, engine="dycuckoo")
    assert table.engine == "dycuckoo" and table.stats()["count"] == 0 and "dycuckoo" in repr(table)
    assert {"compact", "dycuckoo", "fks", "gph", "slab", "stadium"} <= {engine["name"] for engine in roost.engines()}
    assert roost.devices()[-1]["name"] == "host"
