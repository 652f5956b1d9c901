#!/bin/sh
# The command counts inputs larger than its memory limit: they are streamed, also by --verify.
# Under any limit it works or ends with one line.
# Runs on the host; skipped under sanitizers, which reserve address space for themselves.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
[ -z "${ROOST_SANITIZE:-}" ] || exit 77

limit_kib=$((128 * 1024)) # of address space
bytes=$((160 * 1024 * 1024))

# A line of 1024 bytes with its end: 256 words as u32, 1023 bases as FASTA.
line=$(gzip -dc "$genome" | tail -n +2 | head -c 2000 | tr -d '\n' | head -c 1023)

# limited OPTION...: counts standard input or a file under the limit.
limited() {
    (
        ulimit -v "$limit_kib" || exit 1
        exec "$roost" count --device host --threads 2 --json "$@"
    ) >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] && return 0
    cat "$work/out" "$work/err"
    return 1
}

works() { (ulimit -v "$limit_kib") 2>/dev/null; }
works || exit 77

# 256 words a line, so every word occurs a multiple of the number of lines.
raw_pipe() {
    yes "$line" | head -c $bytes | limited --format u32le - && says "\"total\": $((bytes / 4)),"
}
check "raw keys through a pipe, $((bytes / 1048576)) MiB under a limit of $((limit_kib / 1024)) MiB" raw_pipe

gzip_file() {
    yes "$line" | head -c $bytes | gzip -1 >"$work/keys.gz" && limited --format u64be "$work/keys.gz" --verify --count-bits 64 &&
        says "\"total\": $((bytes / 8))," '"distinct": 128,' '"verified": true'
}
check "a gzip file of the same size, counted twice with --verify" gzip_file

fasta_pipe() {
    { echo ">one line"; yes "$line" | head -c $bytes | tr -d '\n'; } | limited --kmer 12 -
}
check "one FASTA line of that length" fasta_pipe

csv_pipe() {
    { printf 'a,"b'; yes "$line" | head -c $bytes; printf '"\n1,2\n'; } | limited --column 1 --header - && says '"total": 1,'
}
check "one csv field of that length" csv_pipe

words_pipe() {
    yes "$line" | head -c $bytes | limited --words - && says "\"total\": $((bytes / 1024))," '"distinct": 1,'
}
check "words through a pipe" words_pipe

# A megabyte that becomes one field of 300 MB.
bomb() {
    { printf 'a,'; head -c 300000000 /dev/zero | tr '\0' x; } | gzip -1 >"$work/bomb.gz"
    (
        ulimit -v $((1024 * 1024)) || exit 1
        exec "$roost" count --device host --threads 2 "$@" "$work/bomb.gz"
    ) >"$work/out" 2>"$work/err"
    [ $? = 1 ] && grep -q "more than 256000000 bytes, the bound of --max-line" "$work/err" && return 0
    cat "$work/err"
    return 1
}
check "a field of 300 MB" bomb --column 2 --as string
check "a word of 300 MB" bomb --words

strings_file() {
    yes "x,$line" | head -c $bytes | gzip -1 >"$work/lines.gz" &&
        limited --column 2 --as string --format csv "$work/lines.gz" --verify && says '"verified": true' '"distinct": 2,'
}
check "a column of strings of the same size, counted twice with --verify" strings_file

# 40 million rows of 15 bytes, from two keys that all rows of both files have.
large_join() {
    awk 'BEGIN { print "k,a"; for (i = 0; i < 40000; i++) print i % 2 ",l" 10000 + i }' >"$work/left.csv"
    awk 'BEGIN { print "k,b"; for (i = 0; i < 2000; i++) print i % 2 ",r" 1000 + i }' >"$work/right.csv"
    (
        ulimit -v "$limit_kib" || exit 1
        exec "$roost" join --device host --threads 2 -q "$work/left.csv" "$work/right.csv" --on k
    ) 2>"$work/err" | awk '{ n++; bytes += length($0) + 1 } END { print n, bytes }' >"$work/out"
    [ ! -s "$work/err" ] && [ "$(cat "$work/out")" = "40000001 600000006" ] && return 0
    cat "$work/out" "$work/err"
    return 1
}
check "a join of 600 MB" large_join

# ---- Too little memory

# refused_or_done LIMIT ARGUMENT...: under this limit, in KiB, the command does its work, or exits 1
# with one line.
refused_or_done() {
    (
        ulimit -v "$1" || exit 1
        shift
        exec "$roost" "$@"
    ) >"$work/out" 2>"$work/err"
    code=$?
    [ $code = 0 ] && [ ! -s "$work/err" ] && return 0
    [ $code = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q "^roost" "$work/err" && return 0
    echo "limit $1 KiB: exit $code"
    cat "$work/err"
    return 1
}

# The least limit with which the system can load the command and its libraries: some 7 MiB beside
# its own file, and more with those of MPI.
loads() {
    image=$(($(wc -c <"$roost") / 1024))
    for limit in $(seq $((image + 6500)) 500 200000); do
        (ulimit -v "$limit" && exec "$roost" --version) 2>&1 | grep -q '^roost [0-9]' && echo "$limit" && return
    done
}
least_limit=$(loads)

# sweep ARGUMENT...: the same under limits from 1 to 41 MiB above that.  Some refuse.
sweep() {
    refusals=0
    image=$((least_limit - 7000))
    for limit in 8000 9000 10000 11000 12000 13000 14000 16000 18000 20000 22000 24000 27000 30000 34000 38000 43000 48000; do
        refused_or_done $((limit + image)) "$@" || return 1
        [ $code = 0 ] || refusals=$((refusals + 1))
    done
    [ $refusals -ge "$least" ] || { echo "$refusals refusals"; return 1; }
}
awk 'BEGIN { for (i = 0; i < 5000; i++) print i }' >"$work/numbers.tsv"
least=1
for engine in dycuckoo slab gph stadium fks compact; do
    sampled "count with little memory, $engine" sweep count --device host --threads 64 --engine $engine --column 1 --verify "$work/numbers.tsv"
done
sampled "count of strings with little memory" sweep count --device host --threads 64 --column 1 --as string --top 3 "$work/numbers.tsv"
sampled "replay with little memory" sweep replay --device host --threads 64 --column 1 --verify "$work/numbers.tsv"
sampled "tune with little memory" sweep tune --engine gph --device host --keys 200000 --budget 0 --random 0 --dry-run
least=0
check "info with little memory" sweep info --json
check "help with little memory" sweep help count

exit $failed
