#!/bin/sh
# The tests of the Python package, in tests/python, by pytest.
# usage: tests/python_package.sh [ARGUMENTS OF PYTEST]
set -u
. "${ROOST_SOURCE_DIR:?}/tests/support/python_packages.sh"
export PYTHONPATH="$ROOST_SOURCE_DIR/python" ROOST_LIBRARY="$ROOST_BUILD_DIR/libroost.so" ROOST_TEST_LINES=1 PYTHONDONTWRITEBYTECODE=1
"$python" -m pytest -q -s --tb=short -p no:cacheprovider "$ROOST_SOURCE_DIR/tests/python" "$@" >"$ROOST_BUILD_DIR/python-package.log" 2>&1
status=$?
grep -E '^(seed|ok - |not ok - |skipped - )' "$ROOST_BUILD_DIR/python-package.log"
skipped=$(grep -c '^skipped - ' "$ROOST_BUILD_DIR/python-package.log")
[ "$skipped" = 0 ] || echo "[  SKIPPED ] $skipped test(s), named above"
[ $status = 0 ] || sed '/^ok - /d' "$ROOST_BUILD_DIR/python-package.log"
exit $status
