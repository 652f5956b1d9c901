#!/bin/sh
# roost-bench's rows of the engines stadium and fks and of other libraries on the host, with small
# tables.  Each is in the report with all answers right and with the numbers it is compared with,
# and --only selects its group.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
bench=${ROOST_BUILD_DIR:?}/bench/roost-bench
[ -x "$bench" ] || { echo "roost-bench was not built"; exit 77; }
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
report=$work/report.json

# measures ROWS OPTION...: makes the report of the rows whose names begin with ROWS.
measures() {
    rows=$1
    shift
    ends 0 "" "$bench" --device host --quick --host-keys 200000 --threads 2 --only "host-2/$rows" --json "$report" "$@"
}

# holds PYTHON: checks the report's rows, by name; `wrong` are those with a wrong answer, or with no
# verified one.
holds() {
    python3 - "$report" "$1" <<'END'
import json, sys
rows = {row["row"]: row for row in json.load(open(sys.argv[1]))["rows"]}
tables = {name: row for name, row in rows.items() if row["state"] == "OK" and row.get("items") and "/limit/" not in name}
wrong = [name for name, row in tables.items() if row["wrong_answers"] or not (row["verified_answers"] or "/chunk-" in name)]
bad = [name for name, row in rows.items() if row["state"] not in ("OK", "unavailable")]
within = lambda name, low, high: low <= rows[name]["rate"] <= high
if wrong or bad or not eval(f"({sys.argv[2]})"):
    sys.exit(f"wrong: {wrong}, bad: {bad}, rows: {sorted(rows)}")
END
}

# of_library NAME: inserts and finds at both of its reservations, or one row that says that it was
# not found.
of_library() {
    ends 0 "" "$bench" --device host --quick --host-keys 200000 --threads 2 --only "$1-2" --json "$report" &&
        holds "rows['$1-2']['state'] == 'unavailable' if '$1-2' in rows else len(tables) == 8"
}

check "tables at three load factors" measures stadium-0
check "with all their rows" holds 'all(f"host-2/stadium-{load}/{what}" in tables for load in ("0.80", "0.90", "0.95")
    for what in ("insert", "find-100", "find-50", "find-0", "erase", "find-erased"))'
check "and each beside a limit" holds 'all(row["limit_rate"] > 0 for row in tables.values())'
# 0.80 * 32 / (1 - 0.137) / 127
check "expected reads of pairs" holds '"0.233 pair" in rows["host-2/stadium-0.80/find-0"]["note"]'
check "tables of a fixed size" measures stadium-fixed --figures
check "are as full as they say" holds 'all(abs(rows[f"host-2/stadium-fixed-{load}/insert"]["load_factor"] - float(load)) < 0.001
    for load in ("0.80", "0.85", "0.90", "0.95", "1.00"))'
check "mixed slices" measures stadium-slices --figures
check "beside separate ones" holds 'within("host-2/stadium-slices/separate/mixed", 0.01, 100) and len(tables) == 3'
check "lookups by pairs" measures "stadium-0.80[lookup=pairs]" --figures
check "read all that are on their way" holds '"29." in rows["host-2/stadium-0.80[lookup=pairs]/find-0"]["note"]'
check "chunks" measures stadium-hybrid --figures
check "of four ways to insert" holds 'len(tables) == 200 and tables["host-2/stadium-hybrid/stash/chunk-49"]["verified_answers"] == 200000'
check "their threshold is computed" eval '"$ROOST_SOURCE_DIR/bench/hybrid-fit" "$report" --place host-2 | grep "^difference = " >/dev/null'
check "sizes of keys and values" measures stadium-sizes --figures
check "are measured or said to be none" holds 'len({name.split("/")[2] for name in rows if "sizes" in name}) == 11'
check "strings" measures stadium-strings
check "are measured" holds 'all(f"host-2/stadium-strings/{what}" in tables for what in ("insert", "find-100", "find-50", "find-0"))'
check "beside libcuckoo, if it was built" holds '"host-2/libcuckoo-strings/insert" not in rows or
    all(within(f"host-2/stadium-strings/find-{hits}/libcuckoo", 0.01, 1000) for hits in (100, 50, 0))'
for library in libcuckoo tbb urcu ck; do
    check "tables of $library, or that it is not here" of_library $library
done
check "tables of fks" measures fks
check "with their parts, and the way that finds went" holds '"partition" in rows["host-2/fks-0.80/insert"]["note"] and
    "path: direct" in rows["host-2/fks-0.80/find-50"]["note"] and "path: by region" in rows["host-2/fks-0.80[bulk=on]/find-50"]["note"] and
    "buckets reseeded" in rows["host-2/fks-0.80/insert"]["note"] and tables["host-2/fks[preset=quadratic]/find-0"]["verified_answers"] > 0'
check "its figures" measures figures/fks --figures
check "are by size, parameters and trace" holds 'all(f"host-2/figures/fks/{what}/insert" in tables
    for what in ("keys-2^10", "keys-2^16", "[bucket=100]", "[load=0.5]", "[preset=paper,iterations=4]", "trace"))'
# cliffs ENGINE ROWS: the rows of cliffs of an engine that begin so.
cliffs() {
    ends 0 "" "$bench" --device host --quick --only "cliffs/host/$1/$2" --engine "$1" --json "$report"
}
check "cliffs of a full table" cliffs slab exchange/
check "are by size" holds 'sorted(rows) == [f"cliffs/host/slab/exchange/2^{log}" for log in (10, 14, 18)]'
check "cliffs of single exchanges" cliffs slab exchange-1/
check "in tables of three sizes" holds 'sorted(rows) == [f"cliffs/host/slab/exchange-1/2^{log}" for log in (11, 14, 8)]'
check "cliffs by size" cliffs slab append-1
check "are ratios to the flat case" holds 'len(rows) == 3 and all(row["rate_is"] == "ratio" and 0 < row["rate"] < 10000 for row in rows.values())'
check "bytes of few keys" cliffs stadium bytes
check "are at least a few hundred" holds 'len(rows) == 3 and all(row["rate"] > 0.1 for row in rows.values())'
check "no cliffs without being asked" eval 'measures stadium-fixed && holds "not any(\"cliffs\" in name for name in rows)"'
check "without figures there are none" eval 'measures stadium-fixed && holds "not tables"'
exit $failed
