#!/bin/sh
# `roost replay` does what it documents: known numbers of a real trace, every answer verified, and
# the same answers in every kind of run.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
trace=$ROOST_SOURCE_DIR/data/orm-busy.trace.zst

# replay OPTION...: `roost replay` on the device exits 0 and prints nothing to stderr.
replay() {
    if ! "$roost" replay --device "$device" "$@" >"$work/out" 2>"$work/err" || [ -s "$work/err" ]; then
        cat "$work/err"
        return 1
    fi
}

# The answers of the last --json run that do not depend on speed or memory.
answers() { grep -E '"(new|found|erased|items|count|total|batches)":' "$work/out" | tr -d ' \n' | sed 's/"points".*//'; }

# ---- A trace whose numbers data/README.md holds

trace_counts() {
    succeeds "$trace" --format cache2k --verify --json && says '"total": 5000000' '"distinct": 76349' '"verified": true'
}
check "the trace has its accesses and keys" trace_counts

trace_replay() {
    replay "$trace" --format cache2k --batch 500000 --verify --json --plot "$work/fill.svg" || return 1
    says '"total": 5000000' '"batches": 20' '"verified": true' '"erase_ratio": 0.2' '"key_bytes": 4' || return 1
    grep -q '"items": 6000000' "$work/out" && grep -q '"items": 10000000' "$work/out" || return 1
    grep -q "inserts and erases swap" "$work/fill.svg" && grep -q "</svg>" "$work/fill.svg"
}
check "the trace is replayed, verified and drawn" trace_replay

# ---- The genome: it grows and shrinks

# The short runs take its first tenth.
if [ -n "${ROOST_TEST_SHORT:-}" ]; then
    gzip -dc "$genome" | head -c 470000 >"$work/genome.fna"
    genome=$work/genome.fna keys=464107 batch=40000
else
    keys=4641632 batch=400000
fi
genome_replay() {
    replay "$genome" --kmer 21 --batch $batch --erase-ratio 0.25 --verify || return 1
    says "canonical 21-mers, $keys of them" "12 of $batch keys" "0.25 erases per insert" "new" "found" "erased" \
        "growth steps" "shrinks" "verified      every answer" || return 1
    ! says " 0 growth steps" >/dev/null && ! says " 0 shrinks" >/dev/null
}
check "the genome's 21-mers make the table grow and shrink" genome_replay

gzip -dcf "$genome" | head -c 300000 >"$work/part.fna"
same_answers() {
    replay "$work/part.fna" --kmer 12 --batch 20000 --verify --json --threads 1 && answers >"$work/first" || return 1
    replay "$work/part.fna" --kmer 12 --batch 20000 --verify --json --threads 9 --capacity 1000000 \
        --option slots=8 && answers >"$work/second" && cmp "$work/first" "$work/second" || return 1
    replay "$work/part.fna" --kmer 12 --batch 20000 --verify --json --seed 3 && answers >"$work/second" &&
        ! cmp -s "$work/first" "$work/second"
}
check "the same answers with other threads and sizes, other ones with another seed" same_answers

slabs() {
    replay "$work/part.fna" --kmer 12 --batch 20000 --verify --json --threads 1 && answers >"$work/first" || return 1
    replay "$work/part.fna" --kmer 12 --batch 20000 --verify --json --engine slab && answers >"$work/second" &&
        cmp "$work/first" "$work/second" && says '"engine": "slab"' '"verified": true' || return 1
    replay "$work/part.fna" --kmer 12 --batch 20000 --verify --engine slab --capacity 300000 \
        --option growth=chain --option memory=light &&
        says "verified      every answer"
}
check "the same answers by slabs, whose table grows or whose lists do" slabs

# ---- Formats and extremes

printf '5 3 0 1\n100 2 0 2\n5 1 0 3\n' >"$work/blocks.lis"
arc() {
    printf '5\t2\n6\t1\n7\t1\n100\t1\n101\t1\n' >"$work/expected"
    succeeds "$work/blocks.lis" --format arc --verify --quiet --output "$work/list.tsv" &&
        diff "$work/expected" "$work/list.tsv" || return 1
    replay "$work/blocks.lis" --format arc --batch 2 --verify --json && says '"total": 6' '"batches": 6' '"verified": true'
}
check "a block trace is counted and replayed" arc

printf '7\n7\n7\n' >"$work/one.tsv"
extremes() {
    replay "$work/one.tsv" --column 1 --erase-ratio 0 --verify && says "verified" || return 1
    replay "$work/one.tsv" --column 1 --erase-ratio 1 --batch 1 --verify && says "verified" || return 1
    replay - --column 1 --verify --quiet <"$work/one.tsv" && [ ! -s "$work/out" ] || return 1
    printf '0\n18446744073709551615\n' | replay - --column 1 --verify && says "verified" || return 1
    : >"$work/empty"
    replay "$work/empty" --format u64le --verify --json --plot "$work/empty.svg" && says '"total": 0' '"batches": 0' &&
        grep -q "</svg>" "$work/empty.svg"
}
check "one key, no erases, as many erases as inserts, standard input, the first and last key, an empty file" extremes

# Prints how the table of the last --json run was made.
made() { sed -n '/"table": {/,/"key_bytes":/p' "$work/out"; }

same_table() {
    set -- "$work/one.tsv" --column 1 --json --seed 5 --engine gph --option keys=6 --option find=once2
    succeeds "$@" && made >"$work/first" && replay "$@" && made >"$work/second" && diff "$work/first" "$work/second" || return 1
    says '"engine": "gph"' "\"device\": \"$device" '"profile": "none"' '"options": "keys=6,find=once2"' '"kernels": {' '"find": "find_k8v4_once2"'
}
check "--json says what the table was made of as count's does" same_table

help() {
    "$roost" replay --help >"$work/out" && says "--erase-ratio" "--verify" "--plot" "section 6.1" "--kmer" "--batch" "cache2k" &&
        "$roost" help >"$work/out" && says "replay"
}
check "help" help

# ---- Errors

# refuses CODE TEXT OPTION...: this exit code, one line on stderr with the text, nothing on stdout.
refuses() {
    expected=$1
    text=$2
    shift 2
    "$roost" replay "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ $code = "$expected" ] && [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] && grep -qF -- "$text" "$work/err" && return 0
    echo "exit $code; expected $expected and: $text"
    cat "$work/out" "$work/err"
    return 1
}
for ratio in -1 1.01 x "" 0.5x nan 1e-1; do
    check "usage: ratio '$ratio'" refuses 2 "--erase-ratio is a number from 0 to 1, not '$ratio'" "$work/one.tsv" --column 1 \
        --erase-ratio "$ratio"
done
from_standard_input() {
    "$roost" replay --device "$device" --column 1 --json <"$work/one.tsv" >"$work/out" && says '"files": [' '"-"' '"total": 3,'
}
check "without a FILE the input is standard input" from_standard_input
check "usage: no keys" refuses 2 "no keys selected" "$work/one.tsv"
check "usage: an option of count" refuses 2 "'--top' is not an option" "$work/one.tsv" --column 1 --top
check "input: a missing file" refuses 1 "missing: No such file or directory" "$work/missing" --column 1
printf '1 1 0 0\nx\n' >"$work/wrong.lis"
check "input: a wrong trace" refuses 1 "line 2: it is no" "$work/wrong.lis" --format arc
check "output: a full disk" refuses 1 "/dev/full: cannot write: No space left on device" "$work/one.tsv" --column 1 --plot /dev/full

exit $failed
