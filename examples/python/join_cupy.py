# A join of two CuPy arrays: pairs of rows whose keys are equal, which stay on the GPU.
"""usage: python3 examples/python/join_cupy.py [ROWS]     needs CuPy and a GPU"""
import sys

import cupy as cp

import roost

n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
orders = cp.random.randint(0, n, 4 * n, dtype=cp.int64)  # a customer each
customers = cp.random.permutation(n).astype(cp.int64)[: n // 2]
order_rows, customer_rows = roost.join(orders, customers)
right = bool((orders[order_rows] == customers[customer_rows]).all()) and len(order_rows) == int(cp.isin(orders, customers).sum())
print(f"{len(order_rows)} pairs on {order_rows.device}: {'right' if right else 'wrong'}")
