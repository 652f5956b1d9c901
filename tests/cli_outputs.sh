#!/bin/sh
# Outputs of the command: a signal leaves no temporary file, after SIGKILL the next run removes it,
# one file is not two outputs, links are followed, and - is standard output.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"

cd "$work" || exit 1
mkdir here
mkfifo keys.fifo
printf '5\n7\n5\n' >keys.tsv
printf '5\t2\n7\t1\n' >wanted.tsv

# ---- Signals

# begin: starts a run that has opened its output and waits for keys; $run is its process.
begin() {
    "$roost" count --device host --column 1 -q --output here/list.tsv keys.fifo 2>err &
    run=$!
    exec 3>keys.fifo # opens when the command reads
    printf '5\n' >&3
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(ls here)" ] || return 0
        sleep 0.2
    done
    echo "no temporary file"
    return 1
}

# finish: closes the keys and waits; $code is the exit code.
finish() {
    exec 3>&-
    wait "$run"
    code=$?
}

ends_by() {
    begin || return 1
    kill -"$1" "$run"
    finish
    [ $code = "$2" ] && [ -z "$(ls here)" ] && return 0
    echo "exit $code, left: $(ls here)"
    return 1
}
check "HUP leaves nothing" ends_by HUP 129
check "TERM leaves nothing" ends_by TERM 143
check "PIPE leaves nothing" ends_by PIPE 141
check "XCPU leaves nothing" ends_by XCPU 152

# A shell starts its background commands with INT ignored.
interrupted() {
    env --default-signal=INT true 2>/dev/null || { echo "# skipped: env has no --default-signal"; return 0; }
    env --default-signal=INT "$roost" count --device host --column 1 -q --output here/list.tsv keys.fifo 2>err &
    run=$!
    exec 3>keys.fifo
    sleep 0.5
    kill -INT "$run"
    finish
    [ $code = 130 ] && [ -z "$(ls here)" ] && return 0
    echo "exit $code, left: $(ls here)"
    return 1
}
check "INT leaves nothing" interrupted

ignored() {
    begin || return 1
    kill -INT "$run"
    finish
    [ $code = 0 ] && [ "$(cat here/list.tsv)" = "$(printf '5\t1')" ] && rm here/list.tsv
}
check "a signal that is ignored stays ignored" ignored

# The file of a killed run goes; files that only look like it, and that of a live run, stay.
killed() {
    begin || return 1
    kill -KILL "$run"
    finish
    dead=$(ls here)
    case $dead in list.tsv.roost-??????) ;; *) echo "left: $dead"; return 1 ;; esac
    printf 'mine\n' >here/list.tsv.roost-mine
    printf 'mine\n' >here/other.tsv.roost-abcdef
    ln -s nowhere here/list.tsv.roost-abcdef
    "$roost" count --device host --column 1 -q --output here/list.tsv keys.tsv || return 1
    left=$(echo here/*)
    rm -f here/*
    [ "$left" = "here/list.tsv here/list.tsv.roost-abcdef here/list.tsv.roost-mine here/other.tsv.roost-abcdef" ] && return 0
    echo "left: $left"
    return 1
}
check "after KILL the next run removes the file" killed

beside() {
    begin || return 1
    "$roost" count --device host --column 1 -q --output here/list.tsv keys.tsv || return 1
    cmp wanted.tsv here/list.tsv || return 1
    finish
    [ $code = 0 ] && [ "$(ls here)" = list.tsv ] && [ "$(cat here/list.tsv)" = "$(printf '5\t1')" ] && rm here/list.tsv
}
check "a run leaves the file of a live run alone" beside

# ---- One file

# twins A B: refused as two outputs, and neither is touched.
twins() {
    ls -l here >before
    "$roost" count --device host --column 1 --output "$1" --plot "$2" keys.tsv >out 2>err
    code=$?
    ls -l here >after
    [ $code = 2 ] && grep -qF -- "$1 and $2 are one file" err && [ ! -s out ] && cmp before after && return 0
    echo "exit $code"
    cat err
    return 1
}
PATH=$work/programs:$PATH
mkdir programs
printf '#!/bin/sh\n[ "$1" = --version ] || cat\n' >programs/gnuplot
chmod +x programs/gnuplot
check "one new name" twins here/a here/a
check "one new name, spelled differently" twins here/a ./here/../here/a
ln -s here there
check "one new name, through a linked folder" twins here/a there/a
printf 'old\n' >here/old
ln -s old here/soft
ln here/old here/hard
ln -s future here/dangling
check "one file, through a link" twins here/old here/soft
check "one file, through a hard link" twins here/hard here/old
check "one new name, through a dangling link" twins here/dangling here/future
check "standard output twice" twins - -
both_null() { "$roost" count --device host --column 1 -q --output /dev/null --plot /dev/null keys.tsv; }
check "/dev/null takes any number of outputs" both_null
into_stdout() {
    "$roost" count --device host --column 1 --output - --plot here/both keys.tsv 2>err >here/both
    [ $? = 2 ] && grep -q "are one file" err && [ ! -s here/both ] && rm here/both
}
check "standard output that is an output" into_stdout

# ---- Links, and standard output

writes() {
    rm -f here/future
    ln -sf future here/dangling
    ln -sf dangling here/second
    "$roost" count --device host --column 1 -q --output "$1" keys.tsv && [ -L here/second ] && [ -L here/dangling ] &&
        cmp wanted.tsv here/future
}
check "a dangling link is written like a live one" writes here/dangling
check "a dangling link to a link" writes here/second
check "a live link" writes here/second
circle() {
    ln -s circle here/circle
    "$roost" count --device host --column 1 -q --output here/circle keys.tsv 2>err
    [ $? = 1 ] && grep -q "here/circle: cannot write: Too many levels" err && [ -L here/circle ]
}
check "a circle of links" circle

stdout_list() {
    "$roost" count --device host --column 1 "$@" --output - keys.tsv >out 2>err && cmp wanted.tsv out && [ ! -e ./- ]
}
quiet_list() { stdout_list -q && [ ! -s err ]; }
check "a list on standard output" quiet_list
report_aside() { stdout_list "$@" && grep -q "$wanted" err; }
wanted='^distinct  *2$'
check "a list on standard output, and the report on standard error" report_aside
wanted='"distinct": 2,'
check "the same with the report in JSON" report_aside --json
wanted='^5	2$'
check "the same with the most frequent keys" report_aside --top 1
check "the list of a pipe" sh -c "\"$roost\" count --device host --column 1 -q --output /dev/stdout keys.tsv | cmp - wanted.tsv"

# What a group of commands writes to a file is kept, whatever the name of standard output is.
group_kept() {
    { echo before; "$roost" count --device host --column 1 -q --output "$1" keys.tsv; echo behind; } >here/group || return 1
    { echo before; cat wanted.tsv; echo behind; } | cmp - here/group && [ "$(ls here | grep -c group)" = 1 ] && rm here/group
}
for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1 here/group; do check "a group of commands that writes to $name" group_kept $name; done
ln -s /dev/stdout here/out
check "a group of commands that writes to a link to /dev/stdout" group_kept here/out
rm here/out
group_appends() {
    echo before >here/group
    { "$roost" count --device host --column 1 -q --output /dev/fd/3 keys.tsv; echo behind >&3; } 3>>here/group || return 1
    { echo before; cat wanted.tsv; echo behind; } | cmp - here/group && rm here/group
}
check "another descriptor" group_appends
named_pipe() {
    mkfifo here/pipe
    cat here/pipe >out &
    reader=$!
    "$roost" count --device host --column 1 -q --output here/pipe keys.tsv && wait $reader && cmp wanted.tsv out && [ -p here/pipe ] && rm here/pipe
}
check "a named pipe stays one" named_pipe
closed_stdout() {
    "$roost" count --device host --column 1 -q --output - keys.tsv 2>err >&-
    [ $? = 1 ] && grep -q -- "-: cannot write: Bad file descriptor" err
}
check "standard output that is closed" closed_stdout
stdout_picture() {
    "$roost" replay --device host --column 1 --plot - keys.tsv >out 2>err && grep -q "set terminal svg" out && ! grep -q "^rate" out &&
        grep -q "^keys" err
}
check "a picture on standard output" stdout_picture
standard_input() {
    for file in - ""; do
        # shellcheck disable=SC2086
        "$roost" count --device host --column 1 -q --output - $file <keys.tsv >out && cmp wanted.tsv out || return 1
    done
}
check "without a FILE the input is standard input" standard_input

# ---- Formats, and compression

printf '%s\n' 'word,"with ""q,""' plain '"a\b"' plain >words.txt
formatted() {
    name=$1
    shift
    "$roost" count --device host --column 1 --separator ';' --as string -q --output "here/$name" "$@" words.txt || return 1
    case $name in
    *.gz) gzip -dc "here/$name" >got ;;
    *.zst) zstd -qdc "here/$name" >got ;;
    *) cat "here/$name" >got ;;
    esac
    rm "here/$name"
    diff formatted got
}
printf '%s\n' 'a\\b	1' 'plain	2' 'word,"with ""q,""	1' >formatted
check "a list as tsv" formatted list.tsv
check "a list by another name is tsv" formatted list
check "a list as tsv by option" formatted list.csv --output-format tsv
check "gzip by the name" formatted list.tsv.gz
command -v zstd >/dev/null && check "Zstandard by the name" formatted list.zst
printf '%s\n' key,count 'a\\b,1' plain,2 '"word,""with """"q,""""",1' >formatted
check "a list as csv" formatted list.csv
check "a list as csv, gzip" formatted list.csv.gz
printf '%s\n' '{"key": "a\\\\b", "count": 1}' '{"key": "plain", "count": 2}' '{"key": "word,\"with \"\"q,\"\"", "count": 1}' >formatted
check "a list as JSON lines" formatted list.jsonl
check "a list as JSON lines by option" formatted list --output-format jsonl
nulls() {
    printf '1\nx\n' >null.tsv
    "$roost" count --device host --column 1 -q --bad null --output "here/$1" null.tsv 2>err && [ "$(head -n "$2" "here/$1" | tail -n 1)" = "$3" ]
}
check "records without a key in csv" nulls null.csv 2 '\N,1'
check "records without a key in JSON lines" nulls null.jsonl 1 '{"key": null, "count": 1}'
large_gz() {
    awk 'BEGIN { for (i = 0; i < 300000; i++) print i }' >many.tsv
    for name in many.gz many.zst; do
        "$roost" count --device host --column 1 -q --output "here/$name" many.tsv || return 1
        "$roost" count --device host --column 1 --json "here/$name" --format tsv | grep -q '"total": 300000,' || return 1
        rm "here/$name"
    done
}
check "large compressed lists" large_gz
compressed_full() {
    ln -sf /dev/full here/full.gz
    "$roost" count --device host --column 1 -q --output here/full.gz keys.tsv 2>err
    [ $? = 1 ] && grep -q "here/full.gz: cannot write: No space left on device" err && rm here/full.gz
}
check "a full disk under compressed output" compressed_full

# ---- Histograms, and bounds of counts

numbers() { "$roost" count --device host --column 1 -q --histogram "$1" keys.tsv >out; }
histogram_numbers() { numbers here/h.tsv && printf '1\t1\n2\t1\n' | cmp - here/h.tsv && [ ! -s out ] && rm here/h.tsv; }
check "a histogram as numbers" histogram_numbers
histogram_stdout() { numbers - && printf '1\t1\n2\t1\n' | cmp - out; }
check "a histogram on standard output" histogram_stdout
png() { numbers here/h.png && grep -q "set terminal png" here/h.png && numbers here/h.svg && grep -q "set terminal svg" here/h.svg && rm here/h.???; }
check "pictures by the ending of the name" png
other_ending() {
    for name in here/h.pdf here/h here/tsv here/h.gz; do
        numbers $name 2>err
        [ $? = 2 ] && grep -qF -- "--histogram writes .tsv, .svg or .png, not '$name'" err && [ ! -e $name ] || return 1
    done
}
check "other endings of a histogram" other_ending
printf '%s\n' 1 2 2 3 3 3 4 4 4 4 >steps.tsv
bounded() {
    wanted=$1
    shift
    "$roost" count --device host --column 1 -q --verify --output - "$@" steps.tsv >out && [ "$(tr '\t\n' ' ;' <out)" = "$wanted" ] || return 1
    "$roost" count --device host --column 1 -q --top 9 "$@" steps.tsv | sort | cmp - out
}
check "--min-count" bounded "3 3;4 4;" --min-count 3
check "--max-count" bounded "1 1;2 2;" --max-count 2
check "both" bounded "2 2;3 3;" --max-count 3 --min-count 2
summed() {
    "$roost" count --device host --column 1 steps.tsv >out && grep -q '^once  *1 keys$' out && grep -q '^largest  *4 times$' out || return 1
    "$roost" count --device host --column 1 --json steps.tsv >out && grep -q '"once": 1,' out && grep -q '"largest": 4,' out
}
check "keys that occur once, and the largest count" summed
sizes() {
    for size in 5k 5K 1Ki 1M; do "$roost" count --device host --column 1 -q --capacity $size --batch $size steps.tsv || return 1; done
    "$roost" count --device host --column 1 --json --capacity 2k --engine "${ROOST_TEST_ENGINE:-dycuckoo}" --option profile=none steps.tsv >a &&
        "$roost" count --device host --column 1 --json --capacity 2000 --engine "${ROOST_TEST_ENGINE:-dycuckoo}" --option profile=none steps.tsv >b &&
        [ "$(grep '"slots"' a)" = "$(grep '"slots"' b)" ]
}
check "sizes with units" sizes
limited() {
    "$roost" count --device host --column 1 -q --memory-limit 20M --top 1 many.tsv >out || return 1
    "$roost" count --device host --column 1 -q --memory-limit 200k many.tsv >out 2>err
    [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ]
}
check "--memory-limit" limited
stdout_profile() {
    "$roost" tune --engine gph --device host --threads 1 --keys 2000 --budget 0 --random 0 --output - >out 2>err &&
        [ "$(head -n 1 out)" = "roost profile 1" ] && [ "$(wc -l <out)" = 3 ]
}
check "a profile on standard output" stdout_profile

# ---- The folder

synced() {
    command -v strace >/dev/null || { echo "# skipped: no strace"; return 0; }
    # The leak sanitizer does not work under strace.
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -e trace=rename,fsync "$roost" count --device host --column 1 -q --output here/list.tsv keys.tsv 2>trace || return 1
    grep -A 3 'rename(' trace | grep -q 'fsync('
}
check "the folder is synced after the rename" synced

exit $failed
