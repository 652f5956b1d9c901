#!/bin/sh
# bench/choice accepts what roost-bench --house measures of all engines, chooses otherwise by an
# edited report, and finds rows that are missing or wrong.  The built-in choice agrees with
# bench/results.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
bench=${ROOST_BUILD_DIR:?}/bench/roost-bench
[ -x "$bench" ] || { echo "roost-bench was not built"; exit 77; }
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
choice=$ROOST_SOURCE_DIR/bench/choice
report=$work/report.json

# edit PYTHON: changes the report's rows, and writes edited.json.
edit() {
    python3 - "$report" "$work/edited.json" "$1" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
rows = report["rows"]
exec(sys.argv[3])
report["rows"] = rows
json.dump(report, open(sys.argv[2], "w"))
END
}
refuses() { ! "$choice" "$work/edited.json" >"$work/said" 2>&1 && grep -q "$1" "$work/said"; }

check "all engines on one workload" ends 0 "" "$bench" --device host --quick --host-keys 80000 --threads 2 --house --only host-2/house --json "$report"
check "each is measured or said to lack it" "$choice" "$report"
check "a missing row is found" eval 'edit "rows = [r for r in rows if r[\"row\"] != \"host-2/house/fks/base/erase\"]" && refuses "is in no report"'
check "a wrong row is found" eval 'edit "rows[-1][\"state\"] = \"WRONG\"" && refuses WRONG'
check "no rows at all are found" eval 'edit "rows = []" && refuses "no rows"'
check "an edited report leads to other choices" eval \
    'edit "
for r in rows:
    if \"/house/slab/\" in r[\"row\"]: r[\"rate\"] *= 1000" && "$choice" "$work/edited.json" | grep "choices differ" >/dev/null'
check "wrong options are refused" ends 2 "" "$choice" --frobnicate
exit $failed
