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
    "$roost" count --device host --column 1 "$@" --output - keys.tsv >out 2>err && cmp wanted.tsv out && [ ! -s err ] && [ ! -e ./- ]
}
check "a list on standard output" stdout_list -q
check "a list on standard output has no report" stdout_list
check "the list of a pipe" sh -c "\"$roost\" count --device host --column 1 -q --output /dev/stdout keys.tsv | cmp - wanted.tsv"
stdout_busy() {
    "$roost" count --device host --column 1 "$@" --output - keys.tsv >out 2>err
    [ $? = 2 ] && [ ! -s out ] && grep -q "takes standard output" err
}
check "a list and a report in JSON on standard output" stdout_busy --json
check "a list and the top on standard output" stdout_busy --top 1
stdout_picture() {
    "$roost" replay --device host --column 1 --plot - keys.tsv >out 2>err && grep -q "set terminal svg" out && ! grep -q "^rate" out
}
check "a picture on standard output" stdout_picture
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
