#!/bin/sh
# The DuckDB extension of examples/duckdb, built with this build's libroost, answers as DuckDB does.
# Skipped where python_packages.sh says so, and where DuckDB's headers cannot be had.
. "${ROOST_SOURCE_DIR:?}/tests/support/python_packages.sh"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$python" "$ROOST_SOURCE_DIR/examples/duckdb/build" --library "$ROOST_BUILD_DIR" --output "$ROOST_BUILD_DIR/duckdb" || exit
exec "$python" "$ROOST_SOURCE_DIR/tests/python/duckdb_extension.py" "$ROOST_BUILD_DIR/duckdb/roost.duckdb_extension" "${ROOST_TEST_SEED:-35}"
