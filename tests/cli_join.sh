#!/bin/sh
# `roost join` does what it documents: all kinds of joins, NULLs, names of columns, outputs, errors;
# --verify, join(1) and awk agree with it.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"

# join_files OPTION...: runs `roost join`; output goes to $work/out, errors to $work/err.
join_files() {
    "$roost" join --device "$device" "$@" >"$work/out" 2>"$work/err"
}

# gives WANTED OPTION...: joins and verifies; WANTED is the output with ";" for each line end.
gives() {
    wanted=$1
    shift
    join_files -q --verify "$@" && [ ! -s "$work/err" ] || { cat "$work/err"; return 1; }
    got=$(tr '\t\n' '|;' <"$work/out")
    [ "$got" = "$wanted" ] || { echo "$got"; return 1; }
    join_files -q "$@" && [ "$(tr '\t\n' '|;' <"$work/out")" = "$wanted" ]
}

# refuses CODE TEXT OPTION...: requires this exit status, and one line with this text.
refuses() {
    code=$1 text=$2
    shift 2
    ends "$code" "$text" "$roost" join --device "$device" "$@" && [ "$(wc -l <"$work/err")" = 1 ]
}

# ---- How

printf 'id,k,v\n1,a,x\n2,b,\n3,,z\n4,c,"q,r"\n5,a,w\n' >"$work/left.csv"
printf 'k,v,w\na,1,A1\na,2,A2\nc,3,\n,4,N\nd,5,D\n"",6,E\n' >"$work/right.csv"
pairs='1,a,x,1,A1;1,a,x,2,A2;'
last='5,a,w,1,A1;5,a,w,2,A2;'
# by_how HOW WANTED
by_how() { gives "$2" --on k --how "$1" "$work/left.csv" "$work/right.csv"; }
check "inner" by_how inner "id,k,v,v_right,w;${pairs}4,c,\"q,r\",3,;$last"
check "inner is the default" gives "id,k,v,v_right,w;${pairs}4,c,\"q,r\",3,;$last" --on k "$work/left.csv" "$work/right.csv"
check "left" by_how left "id,k,v,v_right,w;${pairs}2,b,,,;3,,z,,;4,c,\"q,r\",3,;$last"
check "full, with RIGHT's rows last and their keys in LEFT's columns" \
    by_how full "id,k,v,v_right,w;${pairs}2,b,,,;3,,z,,;4,c,\"q,r\",3,;$last,,,4,N;,d,,5,D;,\"\",,6,E;"
check "semi" by_how semi 'id,k,v;1,a,x;4,c,"q,r";5,a,w;'
check "anti" by_how anti 'id,k,v;2,b,;3,,z;'

# ---- Keys and names

printf 'x,y,v\n1,2,p\n1,,q\n"1,2",3,r\n' >"$work/two.csv"
printf 'b,a,u\n2,1,B\n,1,C\n3,"1,2",D\n' >"$work/other.csv"
check "two columns of other names" gives 'x,y,v,u;1,2,p,B;"1,2",3,r,D;' --on x=a,y=b "$work/two.csv" "$work/other.csv"
check "by number" gives 'x,y,v,u;1,2,p,B;"1,2",3,r,D;' --on 1=2,2=1 "$work/two.csv" "$work/other.csv"
check "two columns, full" gives 'x,y,v,u;1,2,p,B;1,,q,;"1,2",3,r,D;1,,,C;' --on y=b,x=a --how full "$work/two.csv" "$work/other.csv"
printf '2000,=\n7,8\n' >"$work/odd.csv"
check "odd names" gives "2000,=,=_right;7,8,8;" --on =2000==2000 "$work/odd.csv" "$work/odd.csv"
printf 'k,v,v_right\n1,2,3\n' >"$work/suffix.csv"
printf 'k,v,v\n1,4,5\n' >"$work/same.csv"
check "names that have the suffix already" gives "k,v,v_right,v_right_right,v_right_right_right;1,2,3,4,5;" --on k "$work/suffix.csv" "$work/same.csv"
check "another suffix" gives "k,v,v_right,v.y,v.y.y;1,2,3,4,5;" --on k --suffix .y "$work/suffix.csv" "$work/same.csv"
printf 'k\n1\n1\n' >"$work/keys.csv"
check "RIGHT has only the key" gives "k,v,v_right;1,2,3;1,2,3;" --on k "$work/suffix.csv" "$work/keys.csv"
check "and in a full join" gives "id,k,v;1,a,x;2,b,;3,,z;4,c,\"q,r\";5,a,w;,1,;,1,;" --on k --how full "$work/left.csv" "$work/keys.csv"
printf 'k;v\n"a";"x;y"\nNA;1\n"NA";2\n' >"$work/semicolon.csv"
printf 'k\tv\na\t"\nNA\t3\n' >"$work/tabs.tsv"
check "files of other syntax, and another NULL" gives 'k,v;a,x;y;NA,1;NA,2;' --on k --how left --separator ';' "$work/semicolon.csv" "$work/keys.csv"
check "csv and tsv" gives 'id,k,v,v_right;1,a,x,"""";5,a,w,"""";' --on k "$work/left.csv" "$work/tabs.tsv"
printf 'k,w\nNA,1\n"NA",2\na,3\n' >"$work/null.csv"
check "another NULL matches nothing" gives 'k,v,w;a,"""",3;,3,;' --on k --how left --null NA "$work/tabs.tsv" "$work/null.csv"
printf 'k,j\n1,2\n,2\n' >"$work/only_keys.csv"
check "NULL in files of keys alone" gives "k,j;1,2;" --on k,j "$work/only_keys.csv" "$work/only_keys.csv"
check "but a quoted one does not mean it" gives 'k,w,w_right;,1,;NA,2,2;a,3,3;' --on k --how left --null NA "$work/null.csv" "$work/null.csv"
printf 'k,n\n2,x\n02,y\n' >"$work/text.csv"
check "keys are text" gives "k,n,n_right;2,x,x;02,y,y;" --on k "$work/text.csv" "$work/text.csv"

# ---- Many rows: several batches, long keys, one key with many rows; join(1) agrees

awk 'BEGIN { print "k,id"; for (i = 0; i < 300000; i++) print (i % 5 ? "" : "a long key ") i * 7919 % 100003 "," i }' >"$work/many.csv"
awk 'BEGIN { print "k,w"; for (i = 0; i < 150000; i++) print (i % 3 ? "" : "a long key ") i * 31 % 90001 "," i }' >"$work/build.csv"
# sorted FILE: its rows by key, without the header
sorted() { tail -n +2 "$1" | LC_ALL=C sort -t, -k1,1; }
sorted "$work/many.csv" >"$work/many.sorted"
sorted "$work/build.csv" >"$work/build.sorted"
# agrees HOW OPTION...: the rows are those of join(1) with these options.
agrees() {
    how=$1
    shift
    join_files -q --on k --how "$how" --verify "$work/many.csv" "$work/build.csv" || { cat "$work/err"; return 1; }
    tail -n +2 "$work/out" | LC_ALL=C sort >"$work/got"
    LC_ALL=C join -t, "$@" "$work/many.sorted" "$work/build.sorted" | LC_ALL=C sort | cmp - "$work/got" && [ -s "$work/got" ]
}
check "many rows, inner" agrees inner
check "many rows, left" agrees left -a 1 -o 0,1.2,2.2
check "many rows, full" agrees full -a 1 -a 2 -o 0,1.2,2.2
check "many rows, anti" agrees anti -v 1
order() {
    join_files -q --on k --how left "$work/many.csv" "$work/build.csv" &&
        tail -n +2 "$work/out" | cut -d, -f2,3 | LC_ALL=C sort -c -t, -k1,1n -k2,2n
}
check "in the order of LEFT, and of RIGHT" order
by_threads() {
    join_files -q --on k --how full --threads 1 "$work/many.csv" "$work/build.csv" && cp "$work/out" "$work/one" &&
        join_files -q --on k --how full --threads 3 "$work/many.csv" "$work/build.csv" && cmp "$work/one" "$work/out"
}
check "the same with one thread and with three" by_threads
piped() {
    "$roost" join --device "$device" -q --on k --how full - "$work/build.csv" <"$work/many.csv" | cmp - "$work/one" &&
        gzip -c "$work/build.csv" | "$roost" join --device "$device" -q --on k --how full "$work/many.csv" - | cmp - "$work/one"
}
check "the same through a pipe" piped

# ---- Files

printf 'k,w\n' >"$work/header.csv"
printf 'k,w\n1,x\n' >"$work/one_row.csv"
: >"$work/empty.csv"
check "RIGHT has no rows" gives "id,k,v,w;1,a,x,;2,b,,;3,,z,;4,c,\"q,r\",;5,a,w,;" --on k --how left "$work/left.csv" "$work/header.csv"
check "LEFT has no rows" gives "k,w,w_right;1,,x;" --on k=k --how full "$work/header.csv" "$work/one_row.csv"
check "neither has rows" gives "k,w,w_right;" --on k --how full "$work/header.csv" "$work/header.csv"
check "anti without rows of RIGHT" gives "k,v,v_right;1,2,3;" --on k --how anti "$work/suffix.csv" "$work/header.csv"
check "an empty file" refuses 1 "empty: there is no header line" --on k "$work/left.csv" "$work/empty.csv"
outputs() {
    join_files -q --on k --output "$work/o.tsv" "$work/suffix.csv" "$work/same.csv" &&
        [ "$(tr '\t\n' '|;' <"$work/o.tsv")" = 'k|v|v_right|v_right_right|v_right_right_right;1|2|3|4|5;' ] &&
        join_files -q --on k --output "$work/o.csv.zst" "$work/suffix.csv" "$work/keys.csv" &&
        "$roost" join --device "$device" -q --on k --how semi "$work/o.csv.zst" "$work/keys.csv" >"$work/out" &&
        [ "$(wc -l <"$work/out")" = 3 ]
}
check "tsv, and a compressed file that is read again" outputs
report() {
    join_files --on k --how left --output "$work/o.csv" "$work/left.csv" "$work/right.csv" && says "5 rows, 3 of them (60.00 %) have a match" "7 rows, left" &&
        join_files --on k --how anti --json "$work/left.csv" "$work/right.csv" && cp "$work/err" "$work/out" &&
        says '"how": "anti"' '"left_rows": 5' '"right_rows": 6' '"matched": 3' '"rows": 2'
}
check "the report counts matches" report

# ---- Errors

printf 'k,v\na\n' >"$work/short.csv"
check "a bad record of RIGHT" refuses 1 "short.csv: line 2: 1 fields, not 2 as the header" --on k "$work/left.csv" "$work/short.csv"
check "a bad record of LEFT" refuses 1 "short.csv: line 2: 1 fields, not 2 as the header" --on k "$work/short.csv" "$work/left.csv"
skipped() { join_files -q --on k --how left --bad skip --verify "$work/short.csv" "$work/left.csv" && grep -q "1 records are left out" "$work/err" &&
    [ "$(cat "$work/out")" = "k,v,id,v_right" ]; }
check "bad records are left out" skipped
printf 'k,v\na,"x\ty"\n' >"$work/tab.csv"
check "tsv cannot hold a tab" refuses 1 "which tsv cannot hold" --on k --output "$work/none.tsv" "$work/left.csv" "$work/tab.csv"
check "and no file is left" [ ! -e "$work/none.tsv" ]
check "no such column of LEFT" refuses 1 "left.csv: no column 'z' in the header" --on z "$work/left.csv" "$work/right.csv"
check "no such column of RIGHT" refuses 1 "right.csv: no column 'id' in the header" --on id "$work/left.csv" "$work/right.csv"
check "a column twice" refuses 1 "--on has the column '2' twice" --on k,2=k "$work/left.csv" "$work/right.csv"
check "one file" refuses 2 "a join has two files" --on k "$work/left.csv"
check "three files" refuses 2 "a join has two files" --on k "$work/left.csv" "$work/left.csv" "$work/left.csv"
check "no --on" refuses 2 "no --on given" "$work/left.csv" "$work/right.csv"
check "a wrong kind" refuses 2 "--how is inner, left, full, semi or anti" --on k --how outer "$work/left.csv" "$work/right.csv"
check "half a pair of names" refuses 2 "a name is empty" --on k= "$work/left.csv" "$work/right.csv"
check "--verify of a pipe" refuses 1 "--verify reads a file twice" --on k --verify - "$work/right.csv"

exit $failed
