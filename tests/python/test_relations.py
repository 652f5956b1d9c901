# unique, count, isin, index, group and join against NumPy and Python.
import numpy as np
import pytest

import roost

KEYS = {
    "u32": lambda rng, n: rng.integers(0, 500, n).astype(np.uint32),
    "u64": lambda rng, n: rng.integers(0, 500, n).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15),
    "f64": lambda rng, n: rng.integers(-5, 5, n) / 2,
    "str": lambda rng, n: [str(i) for i in rng.integers(0, 50, n)],
    "bytes:2": lambda rng, n: rng.integers(0, 256, n).astype(np.uint16).view("S2"),
}


def plain(x):
    return x.tolist() if hasattr(x, "tolist") else list(x)


@pytest.mark.parametrize("n", [0, 1, 1000, 600000])
@pytest.mark.parametrize("kind", ["u32", "u64", "f64", "str", "bytes:2"])
def test_sets_and_counts(kind, n, rng):
    keys = KEYS[kind](rng, n)
    if n == 0 and kind == "str":
        keys = np.array([], object)
    listed = plain(keys)
    different, counts = roost.count(keys)
    expected = {}
    for key in listed:
        expected[key] = expected.get(key, 0) + 1
    assert dict(zip(plain(different), plain(counts))) == expected
    assert sorted(plain(roost.unique(keys))) == sorted(expected)
    assert plain(roost.unique(keys, ordered=True)) == list(expected)
    among = KEYS[kind](rng, 20)
    if n:
        wanted = set(plain(among))
        assert plain(roost.isin(keys, among)) == [key in wanted for key in listed]
        codes, items = roost.index(keys)
        assert plain(items) == list(expected) and [plain(items)[code] for code in plain(codes)] == listed


def test_floats_as_keys():
    keys = np.array([0.0, -0.0, np.nan, -np.nan, 1.5])
    different, counts = roost.count(keys, ordered=True)
    assert counts.tolist() == [2, 2, 1] and len(roost.unique(keys)) == 3


def test_groups(rng):
    n = 20000
    a, b, v, w = rng.integers(0, 20, n), [f"s{i}" for i in rng.integers(0, 5, n)], rng.integers(-100, 100, n), rng.random(n).astype(np.float32)
    made = roost.group({"a": a, "b": b}, {"n": "count", "sum": ("sum", v), "min": ("min", v), "max": ("max", w), "mean": ("mean", v),
                                          "first": ("first", v), "different": ("nunique", v), "values": ("count", v)}, ordered=True)
    rows = {}
    for i in range(n):
        rows.setdefault((int(a[i]), b[i]), []).append(i)
    assert list(zip(made["a"].tolist(), made["b"].tolist())) == list(rows)
    for i, group in enumerate(rows.values()):
        assert (made["n"][i], made["sum"][i], made["min"][i], made["max"][i], made["first"][i], made["different"][i], made["values"][i]) == (
            len(group), v[group].sum(), v[group].min(), w[group].max(), v[group[0]], len(set(v[group])), len(group))
        assert made["mean"][i] == pytest.approx(v[group].mean())
    with pytest.raises(ValueError, match="an aggregate is"):
        roost.group(a, {"x": "sum"})
    with pytest.raises(ValueError, match="items"):
        roost.group({"a": a, "b": b[:5]})
    with pytest.raises(ValueError, match="values of 3"):
        roost.group(a, {"x": ("sum", v[:3])})


@pytest.mark.parametrize("how", ["inner", "left", "full", "semi", "anti"])
@pytest.mark.parametrize("kind", ["u64", "str"])
def test_joins(how, kind, rng):
    for n, m in ((300, 200), (5, 2000), (0, 10), (10, 0)):
        left, right = (plain(KEYS[kind](rng, size)) for size in (n, m))
        arrays = [np.array(side, np.uint64) if kind == "u64" else np.array(side, object) for side in (left, right)]
        rows, others = roost.join(*arrays, how, ordered=True)
        pairs = [(i, j) for i, key in enumerate(left) for j, other in enumerate(right) if key == other]
        matched = {i for i, _ in pairs}
        if how == "semi":
            assert others is None and rows.tolist() == sorted(matched)
        elif how == "anti":
            assert others is None and rows.tolist() == [i for i in range(n) if i not in matched]
        else:
            if how != "inner":
                pairs = sorted(pairs + [(i, -1) for i in range(n) if i not in matched])
            if how == "full":
                pairs += [(-1, j) for j in range(m) if j not in {other for _, other in pairs}]
            assert list(zip(rows.tolist(), others.tolist())) == pairs
    with pytest.raises(ValueError, match="no join"):
        roost.join([1], [1], "cross")


def test_joins_of_several_columns():
    rows = roost.join((np.array([1, 1, 2]), ["a", "b", "a"]), (np.array([1, 2]), ["b", "a"]), ordered=True)
    assert [side.tolist() for side in rows] == [[1, 2], [0, 1]]
    with pytest.raises(ValueError, match="2 columns on the left, and 1"):
        roost.join((np.array([1]), ["a"]), np.array([1]))
