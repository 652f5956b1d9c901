# The Python package beside NumPy, pandas and Polars on a host.
"""usage: bench/python/arrays_host.py [--rows N] [--runs N] [--threads N] [CASE...]     CASE: unique isin group call

10 million random keys of 8 bytes.  Needs numpy, pandas, polars.  Ends 1 if a ratio is above what is asked."""
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time

import interleaved

given = interleaved.options(__doc__, 10_000_000)
interleaved.limit_threads(given.threads)
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import polars as pl  # noqa: E402

import roost  # noqa: E402
from roost._library import library  # noqa: E402

draw = np.random.default_rng(1)
rows = interleaved.Rows(given.runs)
threads = given.threads


def same_sets(a, b):
    return np.array_equal(np.sort(a), np.sort(b))


def unique():
    for name, keys in (("unique", draw.integers(0, 2**64, given.rows, dtype=np.uint64)),
                       ("unique, half", draw.integers(0, given.rows, given.rows, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))):
        asked = (0.5, 0.6) if name == "unique" else (None, None)
        rows.compare(name, lambda: roost.unique(keys, threads=threads),
                     [("numpy", lambda: np.unique(keys), asked[0]), ("pandas", lambda: pd.unique(keys), asked[1])], same_sets)


def isin():
    keys = draw.integers(0, 2**64, given.rows, dtype=np.uint64)
    among = np.concatenate([keys[::2], draw.integers(0, 2**64, given.rows // 2, dtype=np.uint64)])
    rows.compare("isin", lambda: roost.isin(keys, among, threads=threads),
                 [("numpy", lambda: np.isin(keys, among), 0.4), ("pandas", lambda: pd.Series(keys).isin(among).to_numpy(), None)], np.array_equal)


def group():
    for name, keys in (("group", draw.integers(0, 2**64, given.rows, dtype=np.uint64)),
                       ("group, 300,000 keys", draw.integers(0, 300_000, given.rows, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))):
        values = draw.integers(-1000, 1000, given.rows)
        frame = pl.DataFrame({"key": keys, "value": values})

        def ours():
            made = roost.group({"key": keys}, {"n": "count", "sum": ("sum", values)}, threads=threads)
            return made["key"], made["n"], made["sum"]

        def theirs():
            made = frame.group_by("key").agg(pl.len().alias("n"), pl.col("value").sum().alias("sum"))
            return made["key"].to_numpy(), made["n"].to_numpy(), made["sum"].to_numpy()

        def same(a, b):
            orders = [np.argsort(one[0]) for one in (a, b)]
            return all(np.array_equal(x[orders[0]], y[orders[1]]) for x, y in zip(a, b))
        rows.compare(name, ours, [("polars", theirs, 1.1)], same)


LOOP = """#include <roost/roost.h>
#include <time.h>
typedef roost_status find_function(const roost_table *, const void *, size_t, void *, uint8_t *, const roost_call *);
double loop(find_function *find, roost_table *t, const void *keys, size_t n, void *out, int calls) {
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (int i = 0; i < calls; i++) find(t, keys, n, out, NULL, NULL);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return (b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec)) / calls;
}
"""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def compiled_loop():
    """A loop in C that calls roost_find."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/loop.c", "w") as file:
            file.write(LOOP)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", ROOT + "/include", folder + "/loop.c", "-o", folder + "/loop.so"], check=True)
        loop = ctypes.CDLL(folder + "/loop.so").loop
    loop.restype, loop.argtypes = ctypes.c_double, [ctypes.c_void_p] * 3 + [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int]
    return loop


def call():
    """One array in, and the output given, beside the same call in a loop of C: the thread's time on the processor."""
    table, n, calls, loop = roost.Table("u64", "f32", device="host", threads=threads), 8, 20000, compiled_loop()
    keys, out, find = np.arange(n, dtype=np.uint64), np.zeros(n, np.float32), ctypes.cast(library.find, ctypes.c_void_p)
    table.insert(keys, np.ones(n, np.float32))
    ours, c = [], []
    for _ in range(given.runs):
        start = time.thread_time()
        for _ in range(calls):
            table.find(keys, out=out, found=False)
        ours.append((time.thread_time() - start) / calls)
        c.append(loop(find, table._handle, keys.ctypes.data, n, out.ctypes.data, calls))
    over = (statistics.median(ours) - statistics.median(c)) * 1e6
    print(f"call of {n} keys: {statistics.median(ours) * 1e6:.2f} us, in C {statistics.median(c) * 1e6:.2f} us: {over:.2f} us over it (asked: 10)")
    if over > 10:
        rows.missed.append("call")


if __name__ == "__main__":
    cases = {"unique": unique, "isin": isin, "group": group, "call": call}
    rows.run(cases, given.cases, roost, np, pd, pl)
