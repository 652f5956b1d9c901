# De-duplicates the rows of a DataFrame by some of its columns: the first row of each key stays.
"""usage: python3 examples/python/dedup_frame.py [ROWS]     needs pandas"""
import sys

import numpy as np
import pandas as pd

import roost


def drop_duplicates(frame: pd.DataFrame, by: list) -> pd.DataFrame:
    """As frame.drop_duplicates(by): a group for each key, and the place of its first row."""
    rows = np.arange(len(frame))
    first = roost.group(frame[by], {"row": ("first", rows)}, ordered=True)["row"]
    return frame.iloc[first.to_numpy()]


n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
draw = np.random.default_rng(1)
visits = pd.DataFrame({"user": draw.integers(0, 5000, n), "page": draw.choice(["a", "b", "c", "d"], n), "second": np.arange(n)})
left = drop_duplicates(visits, ["user", "page"])
same = left.equals(visits.drop_duplicates(["user", "page"]))
print(f"{len(left)} of {n} rows stay, {'as pandas does it' if same else 'and pandas has others'}")
sys.exit(not same)
