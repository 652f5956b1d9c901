#!/bin/sh
# pyarrow, Polars and DuckDB exchange arrays and streams with the library.
. "${ROOST_SOURCE_DIR:?}/tests/support/python_packages.sh"
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$ROOST_SOURCE_DIR/tests/python/arrow_exchange.py" "$ROOST_BUILD_DIR/libroost.so"
