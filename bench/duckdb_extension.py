#!/usr/bin/env python3
# Runs queries with the extension of examples/duckdb and with DuckDB alone, by turns, and compares
# times and answers.
# usage: bench/duckdb_extension.py [--extension FILE] [--runs N] [--threads N] [--probe N] [SIZE...]
#     SIZE               rows of the table that stays resident (default: 100000 1000000 4000000)
#     --probe N          rows that are joined with it (default: 4000000)
#     --extension FILE   default: build/duckdb/roost.duckdb_extension
# A line for each query: the median time of each, and the extension's ratio to DuckDB's.  Half of
# the rows have a match.  DuckDB's side of `load` copies the table; `few` are 1,000 rows, for which
# DuckDB has to read the table and the extension does not.
# Ends 1 if answers differ, and 77 if DuckDB is missing: then nothing was compared.
import argparse
import os
import statistics
import subprocess
import sys
import time

try:
    import duckdb
except ImportError as error:
    print(f"duckdb_extension: SKIPPED, nothing was compared: {error} (pip install -r tests/python/requirements.txt)")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FEW = 1000
KINDS = {"bigint": "{}", "varchar": "'a key of many bytes ' || {}"}
TOTALS = "count(*), sum(w), sum(v)"
QUERIES = (
    ("load", "select roost_load('t', 'select k, v from t')", "create or replace temp table copy as select k, v from t"),
    ("lookup", "select count(v), sum(v) from (select roost_lookup('t', k) as v from p)", "select count(v), sum(v) from p left join t using (k)"),
    ("join", f"select {TOTALS} from roost_join('t', 'select k, w from p')", f"select {TOTALS} from p join t using (k)"),
    ("join into a table", "create or replace temp table o as from roost_join('t', 'select k, w from p')",
     "create or replace temp table o as select k, w, v from p join t using (k)"),
    ("lookup of few", "select count(v), sum(v) from (select roost_lookup('t', k) as v from few)",
     "select count(v), sum(v) from few left join t using (k)"),
    ("join of few", f"select {TOTALS} from roost_join('t', 'select k, w from few')", f"select {TOTALS} from few join t using (k)"),
)


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False).stdout.strip()
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + ("-dirty" if git("status", "--porcelain") else "")


def fill(connection, kind, rows, probe):
    """t has different keys in any order; half of the keys of p and few are among them."""
    key = KINDS[kind]
    connection.execute(f"create or replace table t as select {key.format('k')} as k, v from (select i * 97 as k, i as v from range({rows}) x(i)) "
                       "order by hash(v)")
    for name, n in (("p", probe), ("few", FEW)):
        drawn = f"(hash(i) % {2 * rows})::bigint * 97"
        connection.execute(f"create or replace table {name} as select {key.format(drawn)} as k, i as w from range({n}) x(i)")


def timed(connection, query):
    begun = time.monotonic()
    answer = connection.execute(query).fetchall()
    return time.monotonic() - begun, answer


def totals(connection, query, answer):
    """What the answer is compared by: that of a query that makes a table is in the table."""
    return connection.execute(f"select {TOTALS} from o").fetchall() if " table o " in query else answer


def measure(connection, name, ours, theirs, runs):
    """Prints a line; false if the answers differ."""
    times = {ours: [], theirs: []}
    answers = {}
    for _ in range(runs):
        for query in (ours, theirs):
            seconds, answer = timed(connection, query)
            times[query].append(seconds)
            answers[query] = totals(connection, query, answer)
    same = answers[ours] == answers[theirs]
    mine, other = (statistics.median(times[query]) for query in (ours, theirs))
    result = "slower" if mine > other else "faster"
    print(f"{name:45} extension {mine * 1000:9.1f} ms   DuckDB {other * 1000:9.1f} ms   ratio {mine / other:6.2f} {result}   "
          f"{'equal' if same else 'DIFFERENT'}", flush=True)
    return same


def parse():
    parser = argparse.ArgumentParser(prog="bench/duckdb_extension.py")
    parser.add_argument("size", nargs="*", type=int, default=[100000, 1000000, 4000000])
    parser.add_argument("--extension", default=os.path.join(ROOT, "build", "duckdb", "roost.duckdb_extension"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--probe", type=int, default=4000000)
    return parser.parse_args()


def main():
    arguments = parse()
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": arguments.threads})
    connection.execute(f"load '{arguments.extension}'")
    print(f"duckdb_extension.py, commit {commit()}, DuckDB {duckdb.__version__}, {arguments.threads} threads, medians of {arguments.runs} by turns, "
          f"{arguments.probe} rows are joined")
    same = True
    for kind in KINDS:
        for size in arguments.size:
            fill(connection, kind, size, arguments.probe)
            for name, ours, theirs in QUERIES:
                same &= measure(connection, f"{kind} keys, {size} rows: {name}", ours, theirs, arguments.runs)
    connection.execute("select roost_load(null, null)")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
