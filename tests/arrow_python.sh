#!/bin/sh
# pyarrow, Polars and DuckDB exchange arrays and streams with the library.  Skipped where Python lacks
# one of them (tests/python/requirements.txt), and where the library needs a sanitizer's own.
python=${PYTHON:-python3}
command -v "$python" >/dev/null || { echo "skipped: no $python"; exit 77; }
missing=$("$python" - <<'END'
import importlib.util
print(" ".join(name for name in ("numpy", "pyarrow", "polars", "duckdb") if importlib.util.find_spec(name) is None))
END
) || { echo "skipped: $python does not run"; exit 77; }
[ -z "$missing" ] || { echo "skipped: $python lacks $missing (pip install -r tests/python/requirements.txt)"; exit 77; }
[ -z "${ROOST_SANITIZE:-}" ] || { echo "skipped: $python is built without the sanitizers"; exit 77; }
library=${ROOST_BUILD_DIR:?}/libroost.so
[ -f "$library" ] || { echo "skipped: this build has no libroost.so"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec "$python" "${ROOST_SOURCE_DIR:?}/tests/python/arrow_exchange.py" "$library"
