# Tables saved, loaded and pickled: by paths, files and pipes, by every engine into every other.
import copy
import io
import os
import pickle
import threading

import numpy as np
import pytest

import roost

ENGINES = ["compact", "dycuckoo", "fks", "gph", "slab", "stadium"]


def filled(device="host", **settings):
    table = roost.Table("u64", "f32", device=device, **settings)
    table.insert(np.arange(1000, dtype=np.uint64), np.arange(1000, dtype=np.float32))
    return table


def same(table):
    values, found = table.find(np.arange(1001, dtype=np.uint64))
    assert len(table) == 1000 and values[:1000].tolist() == list(range(1000)) and not found[1000]
    table.check()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_loads_every_other(engine, tmp_path, device):
    path = tmp_path / "t.roost"
    filled(device, engine=engine).save(path)
    for other in ENGINES:
        loaded = roost.Table.load(path, engine=other, device=device)
        assert loaded.engine == other and (loaded.key_type, loaded.value_type) == ("u64", "f32")
        same(loaded)
    same(roost.Table.load(path))


def test_files_and_pipes(tmp_path):
    table, file = filled(), io.BytesIO()
    table.save(file)
    file.seek(0)
    same(roost.Table.load(file, device="host"))
    with open(tmp_path / "raw", "wb", buffering=0) as raw:
        table.save(raw)
    same(roost.Table.load(str(tmp_path / "raw")))
    ends = os.pipe()
    with os.fdopen(ends[0], "rb") as reader:
        def write():
            with os.fdopen(ends[1], "wb") as pipe:
                table.save(pipe)
        writer = threading.Thread(target=write)
        writer.start()
        same(roost.Table.load(reader))
        writer.join()


def test_failures(tmp_path):
    table = filled()

    class Broken(io.BytesIO):
        def write(self, data):
            raise OSError("the disk is on fire")

        def read(self, n=-1):
            raise OSError("no such tape")
    with pytest.raises(OSError, match="on fire"):
        table.save(Broken())
    with pytest.raises(OSError, match="no such tape"):
        roost.Table.load(Broken())
    with pytest.raises(OSError):
        table.save(tmp_path / "none" / "file")
    with pytest.raises(OSError):
        roost.Table.load(tmp_path / "none")
    with pytest.raises(roost.Error):
        roost.Table.load(io.BytesIO(b"something else" * 100))
    with pytest.raises(TypeError, match="no settings wrong"):
        table.save(tmp_path / "t")
        roost.Table.load(tmp_path / "t", wrong=1)
    with pytest.raises(roost.ArgumentError):
        roost.Table.load(tmp_path / "t", keys="u32")
    data = bytearray((tmp_path / "t").read_bytes())
    data[len(data) // 2] ^= 1
    with pytest.raises(roost.CorruptError):
        roost.Table.load(io.BytesIO(bytes(data)))


def test_pickles():
    for table in (filled(), filled(capacity=5000, seed=7, engine="slab"), filled(growth=False, capacity=2000)):
        for again in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
            same(again)
            assert again._settings == table._settings
    words = roost.Table("bytes", None, device="host")
    words.insert([b"a", b"", b"\0\0"])
    assert sorted(pickle.loads(pickle.dumps(words)).export().tolist()) == [b"", b"\0\0", b"a"]
    numbers = roost.Table("u32", "u32", device="host", numbered=True)
    numbers.number([9, 8, 7], ordered=True)
    assert pickle.loads(pickle.dumps(numbers)).number([7, 6, 9], ordered=True).tolist() == [2, 3, 0]
