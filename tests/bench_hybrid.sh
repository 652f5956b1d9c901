#!/bin/sh
# bench/hybrid-fit finds the threshold in reports whose threshold is known, and refuses those
# without one.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
cd "$ROOST_SOURCE_DIR" || exit 1
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
report=$work/report.json

# chunks N A B C: a report of N chunks to load 0.95.  From load x on, lanes alone take A + B x + C
# x^2 ms longer than lanes that collaborate.
chunks() {
    python3 - "$@" <<'END'
import json, sys
n, a, b, c = int(sys.argv[1]), *map(float, sys.argv[2:5])
rows = []
for i in range(n):
    x = 0.95 * i / n
    for driver, ms in (("lane", 9 + a + b * x + c * x * x), ("collaborate", 9)):
        rows.append({"row": f"gpu/stadium-hybrid/{driver}/chunk-{i:02}", "state": "OK", "seconds": [1e-3 * ms], "load_factor": 0.95 * (i + 1) / n})
json.dump({"rows": rows}, sys.stdout)
END
}

# fits CODE TEXT N A B C
fits() {
    code=$1 text=$2
    shift 2
    chunks "$@" >"$report" && ends "$code" "$text" bench/hybrid-fit "$report"
}

# (x - 0.2) (x - 0.7): collaboration is faster again from 0.7 on.  Then one root in the range, and
# none.
check "the second of two roots" fits 0 "threshold: load factor 0.700" 50 0.14 -0.9 1
check "the only root" fits 0 "threshold: load factor 0.500" 50 -0.5 0.5 1
check "its polynomial" fits 0 "difference = -0.5 + 0.5 load + 1 load^2" 50 -0.5 0.5 1
check "lanes alone throughout" fits 1 "lanes alone are faster throughout" 50 -1 0.1 0.1
check "lanes that collaborate throughout" fits 1 "lanes that collaborate are faster throughout" 50 1 0.1 0.1
check "too few chunks" fits 1 "9 chunks of both drivers at gpu" 9 0.14 -0.9 1
check "another place" eval 'chunks 50 0.14 -0.9 1 >"$report" && ends 1 "0 chunks of both drivers at host-2" bench/hybrid-fit "$report" --place host-2'
check "no JSON" eval 'echo "{" >"$report" && ends 1 "bench/hybrid-fit: $report: " bench/hybrid-fit "$report"'
check "no file" ends 1 "bench/hybrid-fit: $work/none: " bench/hybrid-fit "$work/none"
check "another option" ends 2 usage: bench/hybrid-fit "$report" --fast
exit $failed
