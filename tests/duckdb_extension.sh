#!/bin/sh
# The DuckDB extension of examples/duckdb, built with this build's libroost, answers as DuckDB does.
# Skipped where Python lacks DuckDB (tests/python/requirements.txt) or its headers cannot be had, and
# where the library needs a sanitizer's own.
python=${PYTHON:-python3}
command -v "$python" >/dev/null || { echo "skipped: no $python"; exit 77; }
"$python" -c 'import duckdb' 2>/dev/null || { echo "skipped: $python lacks duckdb (pip install -r tests/python/requirements.txt)"; exit 77; }
[ -z "${ROOST_SANITIZE:-}" ] || { echo "skipped: $python is built without the sanitizers"; exit 77; }
: "${ROOST_BUILD_DIR:?}" "${ROOST_SOURCE_DIR:?}"
[ -f "$ROOST_BUILD_DIR/libroost.so" ] || { echo "skipped: this build has no libroost.so"; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$python" "$ROOST_SOURCE_DIR/examples/duckdb/build" --library "$ROOST_BUILD_DIR" --output "$ROOST_BUILD_DIR/duckdb" || exit
exec "$python" "$ROOST_SOURCE_DIR/tests/python/duckdb_extension.py" "$ROOST_BUILD_DIR/duckdb/roost.duckdb_extension" "${ROOST_TEST_SEED:-35}"
