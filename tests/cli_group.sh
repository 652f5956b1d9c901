#!/bin/sh
# `roost group` does what it documents: keys, NULLs, aggregates, outputs, errors; --verify and awk
# agree with it.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"

# group OPTION...: runs `roost group`; output goes to $work/out, errors to $work/err.
group() {
    "$roost" group --device "$device" "$@" >"$work/out" 2>"$work/err"
}

# gives WANTED OPTION...: groups and verifies; WANTED is the output with ";" for each line end.
gives() {
    wanted=$1
    shift
    group -q "$@" || { cat "$work/err"; return 1; }
    got=$(tr '\t\n' '|;' <"$work/out")
    [ "$got" = "$wanted" ] || { echo "$got"; return 1; }
    group -q --verify "$@" && [ ! -s "$work/err" ] && [ "$(tr '\t\n' '|;' <"$work/out")" = "$wanted" ] || { cat "$work/err"; return 1; }
}

# refuses CODE TEXT OPTION...: requires this exit status, one line with this text, and no output.
refuses() {
    code=$1 text=$2
    shift 2
    ends "$code" "$text" "$roost" group --device "$device" "$@" && [ "$(wc -l <"$work/err")" = 1 ]
}

# ---- Keys

printf 'k,v\nb,1\na,2\nb,3\n' >"$work/plain.csv"
check "groups come by rising key" gives "k,count,sum_v;a,1,2;b,2,4;" --by k --count --sum v "$work/plain.csv"
check "a column by number" gives "k,sum_v;a,2;b,4;" --by 1 --sum 2 "$work/plain.csv"
check "groups without aggregates" gives "k;a;b;" --by k "$work/plain.csv"
check "several aggregates of a column" gives "k,min_v,max_v,mean_v,distinct_v;a,2,2,2,1;b,1,3,2,2;" \
    --by k --min v --max v --mean v --distinct v "$work/plain.csv"
check "two files" gives "k,count;a,2;b,4;" --by k --count "$work/plain.csv" "$work/plain.csv"
printf 'x,v,k\n,5,b\n' >"$work/other.csv"
check "two files with other orders of columns" gives "k,sum_v;a,2;b,9;" --by k --sum v "$work/plain.csv" "$work/other.csv"
printf 'k,v\n"",1\n,2\n"a,b",3\n"a""b",4\na b,5\n' >"$work/quoted.csv"
check "NULL, the empty string and quotes as keys" \
    gives 'k,sum_v;,2;"",1;a b,5;"a""b",4;"a,b",3;' --by k --sum v "$work/quoted.csv"
printf '"a,1","x""y"\n1,2\n' >"$work/names.csv"
check "quoted names" gives '"a,1","sum_x""y";1,2;' --by '"a,1"' --sum '"x""y"' "$work/names.csv"
printf 'k,2,=z\na,1,7\n' >"$work/numbers.csv"
check "names that are numbers or begin with =" gives "2,sum_=z;1,7;" --by =2 --sum ==z "$work/numbers.csv"
printf 'a,b,v\n1,x,1\n1,,2\n10,x,3\n1,x,4\n9,x,5\n' >"$work/two.csv"
check "two columns, by their bytes" gives "a,b,sum_v;1,,2;1,x,5;10,x,3;9,x,5;" --by a,b --sum v "$work/two.csv"
check "two columns, in the other order" gives "b,a,count;,1,1;x,1,2;x,10,1;x,9,1;" --by b,a --count "$work/two.csv"
check "two columns, the first one by number" gives "a,b,sum_v;1,,2;1,x,5;9,x,5;10,x,3;" --by a,b --as i64,string --sum v "$work/two.csv"
printf 'k\n7\n07\n+7\n-1\n\n' >"$work/spelled.csv"
check "text as written" gives "k,count;,1;+7,1;-1,1;07,1;7,1;" --by k --count "$work/spelled.csv"
check "integers" gives "k,count;,1;-1,1;7,3;" --by k --as i64 --count "$work/spelled.csv"
printf 'd,k,t\n2024-02-29,.5,2024-02-29T12:00\n2024-02-29,0.50,2024-02-29 13:30+01:30\n1969-12-31,-0.25,1969-12-31T23:59:59.25\n' >"$work/typed.csv"
check "dates, decimals and times" \
    gives "d,k,t,count;1969-12-31,-0.25,1969-12-31T23:59:59.250000,1;2024-02-29,0.50,2024-02-29T12:00:00,2;" \
    --by d,k,t --as date,decimal:2,datetime --count "$work/typed.csv"
awk 'BEGIN { print "k,v"; for (i = 0; i < 3000; i++) print "a key of some length " i % 7 "," i; print "12345678901234567,1"; print "-12345678,2" }' >"$work/long.csv"
check "long keys and large integers" gives "k,count,max_v;-12345678,1,2;12345678901234567,1,1;$(
    awk 'BEGIN { for (i = 0; i < 7; i++) printf "a key of some length %d,%d,%d;", i, 428 + (i < 4), i + (i < 4 ? 2996 : 2989) }')" --by k --count --max v "$work/long.csv"

# ---- Numbers

printf 'k,v\na,9223372036854775807\na,-1\nb,\nb,1\nc,\n' >"$work/large.csv"
check "exact sums, and NULL of no numbers" gives "k,sum_v,min_v,mean_v;a,9223372036854775806,-1,4.611686018427388e+18;b,1,1,1;c,,,;" \
    --by k --sum v --min v --mean v "$work/large.csv"
printf 'k,v\na,1\na,2.5\nb,3\nc,1e3\n' >"$work/real.csv"
check "doubles" gives "k,sum_v,min_v,max_v,mean_v;a,3.5,1,2.5,1.75;b,3,3,3,3;c,1000,1000,1000,1000;" \
    --by k --sum v --min v --max v --mean v "$work/real.csv"
says_which() {
    group --by k --sum v --output "$work/o.csv" "$work/real.csv" && says "v: numbers, sums as double" &&
        group --by k --sum v --output "$work/o.csv" "$work/large.csv" && says "v: integers, sums exact" &&
        group --by k --sum v --json --output "$work/o.csv" "$work/real.csv" && says '"v": "double"' '"rows": 4' '"groups": 3'
}
check "the report says which sums are exact" says_which
# Beyond the first batches: a number that is no integer, NULLs, quotes.
awk 'BEGIN { print "k,v"; for (i = 0; i < 400000; i++) print i % 1000 "," i; print "5,0.5"; print "6,"; print "\"7\",1" }' >"$work/late.csv"
late() {
    group -q --by k --as i64 --count --sum v --max v --verify "$work/late.csv" || { cat "$work/err"; return 1; }
    awk 'BEGIN { OFMT = CONVFMT = "%.17g"; print "k,count,sum_v,max_v"
                 for (i = 0; i < 1000; i++) print i "," 400 + (i >= 5 && i <= 7) "," 400 * i + 79800000 + (i == 5) / 2 + (i == 7) "," 399000 + i }' |
        diff - "$work/out"
}
check "a late number that is no integer" late
piped() { "$roost" group --device "$device" -q --by k --as i64 --count --sum v --max v - <"$work/late.csv" 2>"$work/err" | cmp - "$work/out"; }
check "the same through a pipe" piped
by_threads() {
    group -q --by k --as i64 --count --sum v --max v --threads 1 "$work/late.csv" && cp "$work/out" "$work/one" &&
        group -q --by k --as i64 --count --sum v --max v --threads 3 "$work/late.csv" && cmp "$work/one" "$work/out"
}
check "the same with one thread and with three" by_threads
unsorted() { group -q --by k --count --unsorted "$work/late.csv" && LC_ALL=C sort "$work/out" >"$work/sorted" &&
    group -q --by k --count "$work/late.csv" && LC_ALL=C sort "$work/out" | cmp - "$work/sorted"; }
check "unsorted groups are the same" unsorted

# ---- Files

: >"$work/empty.csv"
check "an empty file" refuses 1 "empty: there is no header line" --by k "$work/empty.csv"
printf 'k,v\n' >"$work/header.csv"
check "only a header" gives "k,count,sum_v;" --by k --count --sum v "$work/header.csv"
printf 'k\tv\r\n"a\t1\r\n\t2\r\n' >"$work/tabs.tsv"
check "tsv has no quotes" gives 'k,sum_v;,2;"""a",1;' --by k --sum v "$work/tabs.tsv"
printf '\357\273\277# about\nk;v\n\n"a;b";1\n# no row\nNA;2\n"NA";3' >"$work/odd.csv"
check "a mark, comments, blank lines, another separator, another NULL" \
    gives "k,sum_v;,2;NA,3;a;b,1;" --by k --sum v --separator ';' --comment '#' --skip-blank --null NA "$work/odd.csv"
outputs() {
    group -q --by k --sum v --output "$work/o.tsv" "$work/quoted.csv" && [ "$(tr '\t\n' '|;' <"$work/o.tsv")" = 'k|sum_v;|2;|1;a b|5;a"b|4;a,b|3;' ] &&
        group -q --by k --sum v --output "$work/o.csv.gz" "$work/plain.csv" && [ "$(gzip -dc "$work/o.csv.gz" | tr '\n' ';')" = "k,sum_v;a,2;b,4;" ] &&
        group --by k --sum v --output - "$work/plain.csv" && [ "$(head -n 1 "$work/out")" = "k,sum_v" ] && grep -q "groups  *2" "$work/err"
}
check "tsv, a compressed file, standard output" outputs
printf 'k,v\n"a\tb",1\n' >"$work/tab.csv"
check "tsv cannot hold a tab" refuses 1 "which tsv cannot hold" --by k --output "$work/none.tsv" "$work/tab.csv"
check "and no file is left" [ ! -e "$work/none.tsv" ]

# ---- Bad records

printf 'k,v\na,1\nb\nc,x\nd,2,3\n' >"$work/bad.csv"
check "a bad record is an error" refuses 1 "line 3: 1 fields, not 2 as the header (the first of 3 bad records" --by k --sum v "$work/bad.csv"
printf 'k,v\na,1\nb,x\n' >"$work/word.csv"
check "a field that is no number" refuses 1 "line 3: column 'v': 'x' is not a number" --by k --sum v "$work/word.csv"
skipped() { group -q --by k --sum v --bad skip --verify "$work/bad.csv" && [ "$(tr '\n' ';' <"$work/out")" = "k,sum_v;a,1;" ] &&
    grep -q "3 records are left out" "$work/err"; }
check "bad records are left out" skipped
printf 'k,v,w\na,1,x\na,,2\nb,3,x\n' >"$work/behind_bad.csv"
left_out_last() { group -q --by k --sum v --sum w --bad skip "$work/behind_bad.csv" && [ "$(tr '\n' ';' <"$work/out")" = "k,sum_v,sum_w;a,,2;" ]; }
check "a record that is left out leaves nothing behind" left_out_last
nulled() { group -q --by k --sum v --bad null --verify "$work/word.csv" && [ "$(tr '\n' ';' <"$work/out")" = "k,sum_v;a,1;b,;" ] &&
    grep -q "1 fields became NULL" "$work/err"; }
check "bad fields are NULL" nulled
printf 'k,v\na,1\n"b,2\n' >"$work/open.csv"
check "a quote that is not closed" refuses 1 "line 3: a quoted field is never closed" --by k "$work/open.csv"
printf 'k,v\na,1\n"b"c,2\n' >"$work/behind.csv"
check "text behind a quote" refuses 1 "line 3: text after a closing quote" --by k "$work/behind.csv"
check "a long line" refuses 1 "--max-line" --by k --max-line 10 "$work/long.csv"
printf 'k,v\na,9223372036854775807\na,1\n' >"$work/over.csv"
check "a sum that does not fit" refuses 1 "does not fit into 64 bits" --by k --sum v "$work/over.csv"
check "no such column" refuses 1 "no column 'z' in the header" --by z "$work/plain.csv"
check "no such number" refuses 1 "no column 3, the header has 2" --by 3 "$work/plain.csv"
printf 'k,k\n1,2\n' >"$work/twice.csv"
check "two columns of one name" refuses 1 "names the column 'k' twice" --by k "$work/twice.csv"
check "a column twice" refuses 1 "has the column '1' twice" --by k,1 "$work/plain.csv"
check "no --by" refuses 2 "no --by given" "$work/plain.csv"
check "no FILE" refuses 2 "no FILE given" --by k
check "a wrong type" refuses 2 "--as is string, i64" --by k --as u99 "$work/plain.csv"
check "a file that is missing" refuses 1 "No such file" --by k "$work/missing.csv"

exit $failed
