#!/bin/sh
# The command counts inputs larger than its memory limit: they are streamed, also by --verify.
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

strings_file() {
    yes "x,$line" | head -c $bytes | gzip -1 >"$work/lines.gz" &&
        limited --column 2 --as string --format csv "$work/lines.gz" --verify && says '"verified": true' '"distinct": 2,'
}
check "a column of strings of the same size, counted twice with --verify" strings_file

exit $failed
