# Tests examples/duckdb: answers equal DuckDB's own, also beside threads and replacements; errors;
# what transactions hide.
# usage: duckdb_extension.py EXTENSION [SEED]
import os
import random
import subprocess
import sys
import tempfile
import threading

import duckdb

EXTENSION = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 35
failed = 0


def check(name, right, shown=""):
    global failed
    print(f"{'ok' if right else 'not ok'} - {name}" + ("" if right else f": {shown}"), flush=True)
    failed += not right


def connect(path=":memory:", threads=4):
    connection = duckdb.connect(path, config={"allow_unsigned_extensions": "true", "threads": threads})
    connection.execute(f"load '{EXTENSION}'")
    return connection


def rows(connection, query, values=None):
    return connection.execute(query, values).fetchall()


def load(connection, name, query):
    return rows(connection, "select roost_load(?, ?)", [name, query])[0][0]


def agrees(connection, name, ours, theirs):
    """No row is in one result and not as often in the other."""
    for table, query in (("got", ours), ("wanted", theirs)):
        connection.execute(f"create or replace temp table {table} as {query}")
    differ = rows(connection, "select count(*) from ((from got except all from wanted) union all (from wanted except all from got))")[0][0]
    found = rows(connection, "select count(*) from got")[0][0]
    check(f"{name}: {found} rows", differ == 0, f"{differ} rows differ")


def refuses(connection, name, text, query, values=None):
    try:
        shown = f"no error: {rows(connection, query, values)[:3]}"
    except duckdb.Error as error:
        shown = str(error)
    check(f"refused: {name}", text in shown, shown)


# Keys of a side, from 300 different ones: one in nine is NULL, and most come several times.
KEYS = {
    "tinyint": "(draw % 240 - 120)::tinyint",
    "smallint": "(draw % 300 - 150)::smallint",
    "integer": "(draw % 300 - 150)::integer",
    "bigint": "(draw % 300)::bigint * 20000000000 - 3000000000000",
    "utinyint": "(draw % 250)::utinyint",
    "uinteger": "(draw % 300 + 4294967000 - 10)::uinteger",
    "float": "case draw % 5 when 0 then 'nan'::float when 1 then -0.0::float when 2 then 0.0::float "
             "else (draw % 300)::float / 8 end",
    "double": "case draw % 5 when 0 then 'nan'::double when 1 then -0.0::double when 2 then 0.0::double "
              "else (draw % 300)::double / 7 end",
    "varchar": "case draw % 4 when 0 then '' when 1 then 'é' || draw % 300 "
               "else repeat('a long key ', 1 + (draw % 3)::integer) || draw % 300 end",
}


def sides(connection, key, left, right):
    """Tables l and r with these numbers of rows."""
    values = "case when i % 7 = 0 then null else i - 40 end as v, i / 3 as d, case when i % 5 = 0 then null else 'text of ' || i end as s"
    columns = {"l": (left, "i as a, date '2026-01-01' + i::integer as day, [i, i + 1] as list"), "r": (right, values)}
    for name, (n, others) in columns.items():
        connection.execute(f"create or replace table {name} as select case when draw % 9 = 0 then null else {KEYS[key]} end as k, {others} "
                           f"from (select i, (hash(i, '{name}{SEED}') % 1000000)::bigint as draw from range({n}) x(i))")


def same_answers(connection):
    numbers = random.Random(SEED)
    for key in KEYS:
        sides(connection, key, numbers.randint(2000, 4500), numbers.randint(1500, 3000))
        loaded = load(connection, "r", "select k, v, d, s from r")
        check(f"{key}: rows with a key", loaded == rows(connection, "select count(k) from r")[0][0], loaded)
        agrees(connection, f"{key}: join", "from roost_join('r', 'from l')", "select l.*, r.v, r.d, r.s from l join r using (k)")
        # Of several rows the first: min_by of DuckDB's own row numbers, NULLs among the values.
        connection.execute("create or replace table first as select k, arg_min_null(v, rowid) as v, arg_min_null(d, rowid) as d, "
                           "arg_min_null(s, rowid) as s from r where k is not null group by k")
        for column, kind in (("v", "bigint"), ("d", "double"), ("s", "varchar")):
            load(connection, column, f"select k, {column} from r")
            agrees(connection, f"{key}: lookup of {kind}", f"select a, roost_lookup('{column}', k, null::{kind}) from l",
                   f"select a, {column} from l left join first using (k)")
    agrees(connection, "a value is BIGINT without a third argument", "select a, roost_lookup('v', k) from l",
           "select a, v from l left join first using (k)")


def odd_shapes(connection):
    sides(connection, "integer", 5000, 3000)
    check("an empty table has no rows", load(connection, "none", "select k, v, s from r where false") == 0)
    check("and joins with nothing", rows(connection, "select count(*) from roost_join('none', 'from l')") == [(0,)])
    check("and answers NULL", rows(connection, "select count(*), count(roost_lookup('none', k)) from l") == [(5000, 0)])
    load(connection, "r", "select k, v from r")
    check("an empty query", rows(connection, "from roost_join('r', 'from l where false')") == [])
    check("only NULLs as keys", load(connection, "nulls", "select null::integer, 1 from range(5000)") == 0
          and rows(connection, "from roost_join('nulls', 'from l')") == [])
    check("a NULL key", rows(connection, "select roost_lookup('r', null)") == [(None,)])
    load(connection, "keys", "select k from r")
    agrees(connection, "a table of keys alone", "from roost_join('keys', 'select k, a from l')",
           "select k, a from l join r using (k)")
    load(connection, "hot", "select 7, i from range(30000) x(i)")
    agrees(connection, "one key with many rows", "from roost_join('hot', 'select 7 as k, i as j from range(3) x(i)')",
           "select 7 as k, y.i as j, x.i from range(3) y(i), range(30000) x(i)")
    load(connection, "wide", "select i, [i], {'a': i, 'b': 'x' || i}, i::decimal(30, 2), timestamp '2026-01-01', i::hugeint, 'z'::blob from range(9000) x(i)")
    agrees(connection, "payload of other types", "from roost_join('wide', 'select i from range(0, 9000, 7) x(i) -- comment')",
           "select i, i, [i], {'a': i, 'b': 'x' || i}, i::decimal(30, 2), timestamp '2026-01-01', i::hugeint, 'z'::blob "
           "from range(0, 9000, 7) x(i)".replace("select i, i, [i]", "select i, [i]"))
    connection.execute("prepare again as from roost_join('r', 'select k from l')")
    check("a prepared join runs again", rows(connection, "execute again") == rows(connection, "execute again") != [])
    connection.execute("alter table l drop column k")
    refuses(connection, "a prepared join of other types now", "Error", "execute again")


def replaced(connection):
    check("a table is replaced", [load(connection, "r", f"select i, {n} from range(10) x(i)") and
                                  rows(connection, "select roost_lookup('r', 3)")[0][0] for n in (1, 2)] == [1, 2])
    load(connection, "r", "select i, 'other' from range(10) x(i)")
    check("by another type", rows(connection, "select roost_lookup('r', 3, '')") == [("other",)])


def many_threads(connection):
    """Queries look keys up while tables of the same name come and go: each answer is of one of them."""
    load(connection, "t", "select i, i * 10 from range(20000) x(i)")
    problems, ended = [], threading.Event()

    def work(query):
        mine = connection.cursor()
        while not ended.is_set():
            wrong = rows(mine, query)
            if wrong != [(0,)]:
                problems.append((query, wrong))
                return

    lookups = "select count(*) from (select i, roost_lookup('t', i) v from range(50000) x(i)) where v % 10 != 0 or v // 10 != i % 20000 and v // 10 != i or i >= 20000 and v is not null"
    joins = "select count(*) from (select count(*) n, count(distinct v // (10 * i + 10)) d from roost_join('t', 'select i from range(20000) x(i)') as j(i, v)) where n != 20000"
    threads = [threading.Thread(target=work, args=(query,)) for query in (lookups, joins, lookups)]
    for thread in threads:
        thread.start()
    for n in range(40):
        load(connection, "t", f"select i, i * 10 from range(20000) x(i) order by hash(i, {n})")
    ended.set()
    for thread in threads:
        thread.join()
    check("queries beside 40 replacements", not problems, problems)
    big = "select hash(i) % 1000000 as k, i from range(1000000) x(i)"
    connection.execute(f"create or replace table l as {big}")
    load(connection, "l", "select k::bigint, i from l")
    agrees(connection, "a million rows and four threads", "select k::bigint, roost_lookup('l', k::bigint) from l",
           "select k::bigint, f from l join (select k, min(i) as f from l group by k) using (k)")
    agrees(connection, "and joined", "from roost_join('l', 'select k::bigint, i as j from l')",
           "select l.k::bigint, l.i as j, m.i from l join l m using (k)")


def errors(connection):
    load(connection, "t", "select i, i / 2 as d from range(10) x(i)")
    refuses(connection, "an unknown name, looked up", "roost: no table 'u' is loaded", "select roost_lookup('u', 1)")
    refuses(connection, "an unknown name, joined", "roost: no table 'u' is loaded", "from roost_join('u', 'select 1')")
    refuses(connection, "a query with an error", "syntax error", "select roost_load('t', 'selec 1')")
    refuses(connection, "an unknown table", "nosuch", "select roost_load('t', 'from nosuch')")
    refuses(connection, "a query that fails late", "late", "select roost_load('t', 'select case when i = 90000 then error(''late'') else i end from range(100000) x(i)')")
    refuses(connection, "a joined query that fails late", "late",
            "select count(*) from roost_join('t', 'select case when i = 900000 then error(''late'') else i end from range(1000000) x(i)')")
    refuses(connection, "two statements", "Error", "select roost_load('t', 'select 1); drop table l; select (1')")
    refuses(connection, "a statement that writes", "Error", "select roost_load('t', 'create table x (i integer)')")
    refuses(connection, "keys of another type", "keys of 't' are BIGINT: cast", "select roost_lookup('t', 'a')")
    refuses(connection, "joined keys of another type", "keys of 't' are BIGINT: cast", "from roost_join('t', 'select 1.5::double')")
    refuses(connection, "keys that are dates", "is no integer, float or VARCHAR", "select roost_load('t', 'select date ''2026-01-01'', 1')")
    refuses(connection, "values of another type", "values of 't' are DOUBLE", "select roost_lookup('t', 1)")
    refuses(connection, "a column of the query named as one of the table", "duplicate column name", "from roost_join('t', 'select 1 as d')")
    load(connection, "keys", "select 1")
    refuses(connection, "no values", "values of 'keys' are", "select roost_lookup('keys', 1)")
    refuses(connection, "a name that is NULL", "NULL", "select roost_lookup(null, 1)")
    refuses(connection, "a query that is NULL", "NULL", "select roost_load('t', null)")
    refuses(connection, "a joined name that is NULL", "NULL", "from roost_join(null, 'select 1')")
    refuses(connection, "several names in a call", "no constant", "select roost_lookup(n, 1, null::double) from (values ('t'), ('keys')) x(n)")
    check("a failed load keeps the table", rows(connection, "select roost_lookup('t', 4, null::double)") == [(2.0,)])
    many = " union all ".join(f"select * from roost_join('t', 'select {i}')" for i in range(17))
    refuses(connection, "more joins at a time than connections", "16 queries", many)
    check("and then as many as there are", len(rows(connection, many.rsplit(" union all ", 7)[0])) == 10)


def transactions(connection):
    connection.execute("begin")
    connection.execute("create table mine as select i, i from range(10) x(i)")
    refuses(connection, "a table of an uncommitted transaction", "mine", "select roost_load('mine', 'from mine')")
    connection.execute("rollback")
    connection.execute("create table ours as select 1 as k, 1 as v")
    connection.execute("begin")
    connection.execute("insert into ours values (2, 2)")
    check("uncommitted rows are not seen", load(connection, "ours", "from ours") == 1)
    connection.execute("commit")
    check("committed ones are", load(connection, "ours", "from ours") == 2)
    connection.execute("begin")
    load(connection, "kept", "from ours")
    connection.execute("rollback")
    check("a load is not rolled back", rows(connection, "select roost_lookup('kept', 2)") == [(2,)])


def closing():
    """After roost_load(NULL, NULL) the file can be opened by another process, and again by this one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.duckdb")
        connection = connect(path)
        connection.execute("create table t as select i, i * 2 as v from range(1000) x(i)")
        load(connection, "t", "from t")
        check("a database in a file", rows(connection, "select roost_lookup('t', 21)") == [(42,)])
        rows(connection, "select roost_load(null, null)")
        refuses(connection, "after disconnecting", "disconnected", "select roost_load('t', 'from t')")
        refuses(connection, "tables after disconnecting", "no table 't'", "select roost_lookup('t', 21)")
        connection.close()
        other = f"import duckdb; print(duckdb.connect({path!r}).execute('select count(*) from t').fetchone()[0])"
        ended = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True, check=False)
        check("another process opens the file", ended.stdout.strip() == "1000", ended.stderr)
        connection = connect(path)
        check("loaded again", load(connection, "t", "from t") == 1000 and rows(connection, "select roost_lookup('t', 21)") == [(42,)])
        two = connect()
        refuses(two, "tables of another database", "no table 't'", "select roost_lookup('t', 21)")
        rows(connection, "select roost_load(null, null)")
        connection.close()


def main():
    print(f"DuckDB {duckdb.__version__}, seed {SEED}")
    for threads, parts in ((4, (same_answers, odd_shapes, replaced, many_threads, errors, transactions)), (1, (odd_shapes, many_threads))):
        connection = connect(threads=threads)
        for part in parts:
            part(connection)
        rows(connection, "select roost_load(null, null)")
        connection.close()
    closing()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
