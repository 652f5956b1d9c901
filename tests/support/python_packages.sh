# Sourced by tests in Python: $python gets an interpreter that has their packages.
# It is $PYTHON, if that has them, else that of a virtual environment in the build folder, made once
# for each state of tests/python/requirements.txt.  Ends the test as skipped (77) where the packages
# cannot be had.
packages=${ROOST_SOURCE_DIR:?}/tests/python/requirements.txt
environment=${ROOST_BUILD_DIR:?}/python-packages
python=$environment/bin/python
[ -z "${ROOST_SANITIZE:-}" ] || { echo "skipped: Python is built without the sanitizers"; exit 77; }
[ -f "$ROOST_BUILD_DIR/libroost.so" ] || { echo "skipped: this build has no libroost.so"; exit 77; }

# Tests that run at the same time wait for the one that makes it.
make_environment() {
    "${PYTHON:-false}" -c "import duckdb, numpy, pandas, polars, pyarrow, pytest" 2>/dev/null && { python=$PYTHON; return 0; }
    exec 9>"$environment.lock"
    ! command -v flock >/dev/null || flock 9
    cmp -s "$packages" "$environment/made-of" && return 0
    rm -rf "$environment"
    "${PYTHON:-python3}" -m venv "$environment" && "$python" -m pip install -q --disable-pip-version-check -r "$packages" &&
        cp "$packages" "$environment/made-of"
}
make_environment >"$environment.log" 2>&1 || {
    echo "skipped: no virtual environment with $packages: $(tail -n 1 "$environment.log")"
    exit 77
}
exec 9>&- # held by the tests otherwise
