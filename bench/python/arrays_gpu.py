# The Python package beside CuPy and PyTorch on a GPU: unique, isin, join, and what a call costs.
"""usage: bench/python/arrays_gpu.py [--rows N] [--runs N] [CASE...]     CASE: unique isin join call

100 million random keys of 8 bytes in CuPy's arrays.  Needs cupy and torch.  Ends 1 if a ratio is above what is asked."""
import statistics
import sys
import time

import interleaved

given = interleaved.options(__doc__, 100_000_000)
import cupy as cp  # noqa: E402
import torch  # noqa: E402

import roost  # noqa: E402
from roost._library import library  # noqa: E402

cp.random.seed(1)
rows = interleaved.Rows(given.runs, wait=lambda: cp.cuda.Device().synchronize())
n = given.rows


def drawn(count, most=2**63 - 1):
    return cp.random.randint(0, most, count, dtype=cp.int64)


def in_torch(x):
    return torch.from_dlpack(x)


def unique():
    tail = (cp.random.pareto(0.3, n) * 1000).astype(cp.int64) % n
    for name, keys in (("unique", drawn(n)), ("unique, half", drawn(n, n) * 7919), ("unique, heavy tail", tail),
                       ("unique, ten", drawn(n, 10)), ("unique, one", cp.zeros(n, cp.int64))):
        tensor, asked = in_torch(keys), 0.4 if name == "unique" else None
        rows.compare(name, lambda: roost.unique(keys),
                     [("cupy", lambda: cp.unique(keys), asked), ("torch", lambda: cp.from_dlpack(torch.unique(tensor)), None)],
                     lambda a, b: bool(cp.array_equal(cp.sort(a), cp.sort(b))))


def isin():
    keys = drawn(n)
    among = cp.concatenate([keys[::2], drawn(n // 2)])
    tensors = in_torch(keys), in_torch(among)
    rows.compare("isin", lambda: roost.isin(keys, among),
                 [("cupy", lambda: cp.isin(keys, among), 0.4), ("torch", lambda: cp.from_dlpack(torch.isin(*tensors)), None)],
                 lambda a, b: bool(cp.array_equal(a, b)))


def sorted_join(left, right, library):
    """Pairs of rows of equal keys by sorting the right side, whose keys are different."""
    order = library.argsort(right)
    places = library.searchsorted(right[order], left)
    places = library.minimum(places, library.full_like(places, len(right) - 1)) if library is torch else cp.minimum(places, len(right) - 1)
    hit = right[order[places]] == left
    return (library.nonzero(hit, as_tuple=True) if library is torch else cp.nonzero(hit))[0], order[places[hit]]


def join():
    right = cp.unique(drawn(n // 10 * 11))
    right = right[cp.random.permutation(len(right))][: n // 10]
    left = cp.where(cp.random.rand(n) < 0.5, right[cp.random.randint(0, len(right), n)], drawn(n))
    tensors = in_torch(left), in_torch(right)

    def same(a, b):
        orders = [cp.argsort(cp.asarray(one[0])) for one in (a, b)]
        return all(bool(cp.array_equal(cp.asarray(x)[orders[0]], cp.asarray(y)[orders[1]])) for x, y in zip(a, b))
    rows.compare("join", lambda: roost.join(left, right),
                 [("cupy", lambda: sorted_join(left, right, cp), 0.6), ("torch", lambda: sorted_join(*tensors, torch), 0.6)], same)


def call():
    """A find of 8 keys that is enqueued, one array in and the output given: the time until it returns."""
    table, calls = roost.Table("i64", "f32", capacity=1000), 5000
    keys, out = cp.arange(8), cp.zeros(8, cp.float32)
    table.insert(keys, cp.ones(8, cp.float32))
    call, _ = table._call([roost._arrays.view(one, kind, "array") for one, kind in ((out, table._value), (keys, table._key))], None)
    find, handle, places = library.find, table._handle, (keys.data.ptr, 8, out.data.ptr, None)
    ours, bare = [], []
    for _ in range(given.runs):
        for times, program in ((ours, lambda: table.find(keys, out=out, found=False)), (bare, lambda: find(handle, *places, call))):
            start = time.perf_counter()
            for _ in range(calls):
                program()
            times.append((time.perf_counter() - start) / calls)
            table.sync()
    over = (statistics.median(ours) - statistics.median(bare)) * 1e6
    print(f"call of 8 keys: {statistics.median(ours) * 1e6:.2f} us, the library's alone {statistics.median(bare) * 1e6:.2f} us: {over:.2f} us over it (asked: 10)")
    if over > 10:
        rows.missed.append("call")


if __name__ == "__main__":
    cases = {"unique": unique, "isin": isin, "join": join, "call": call}
    print(cp.cuda.runtime.getDeviceProperties(0)["name"].decode())
    rows.run(cases, given.cases, roost, cp, torch)
