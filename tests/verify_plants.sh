#!/bin/sh
# --verify finds errors: commands built with one planted fault each exit 1, and only with --verify.
# The second count has its own sources, apart from those that it checks.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
planted=${ROOST_PLANTED_DIR:?}

# Inputs: the start of the genome here, and words and binary keys below.
gzip -dc "$genome" | head -c 200000 >"$work/part.fna"
k_mers="--kmer 21 $work/part.fna"
input=$k_mers key='[ACGT]\{21\}'

# run VARIANT OPTION...: runs that command on the input, and returns its exit code.
run() {
    variant=$1
    shift
    # shellcheck disable=SC2086
    "$variant" count --device "$device" $input "$@" >"$work/out" 2>"$work/err"
}

found() {
    run "$planted/roost-$1" || { cat "$work/err"; echo "the fault shows without --verify"; return 1; }
    run "$planted/roost-$1" --verify
    code=$?
    [ $code = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] &&
        grep -q -- "--verify: the first difference is key $key," "$work/err" && return 0
    echo "exit $code"
    cat "$work/out" "$work/err"
    return 1
}

check "the command without a fault is verified" run "$roost" --verify
check "--verify finds a dropped key" found dropped_key
check "--verify finds a doubled count" found doubled_count
check "--verify finds a wrong reverse complement" found wrong_complement

# several times what is read at once
gzip -dc "$ROOST_SOURCE_DIR/data/reddit-urls.txt.gz" >"$work/urls.txt"
head -c 460000 "$work/urls.txt" >"$work/urls.bin"
input="--words $work/urls.txt" key='[^ ]*'
check "words without a fault are verified" run "$roost" --verify
for plant in dropped_key doubled_count split_word; do check "--verify of words finds a ${plant%_*} ${plant#*_}" found $plant; done
input="--column 1 --as string --format tsv $work/urls.txt" key='.*'
for plant in dropped_key doubled_count; do check "--verify of a column of strings finds a ${plant%_*} ${plant#*_}" found $plant; done
input="--format bytes:20 $work/urls.bin" key='[0-9a-f]\{40\}'
for plant in dropped_key doubled_count; do check "--verify of keys of 20 bytes finds a ${plant%_*} ${plant#*_}" found $plant; done
input=$k_mers

# Here every occurrence of a key counts 2^31: two reach the largest 32-bit count.
saturates() {
    run "$planted/roost-heavy_keys" --verify --json --top 1 && says '"verified": true' '"count": 4294967295' &&
        ! grep -q '"saturated": 0,' "$work/out" || return 1
    run "$planted/roost-heavy_keys" --verify && says "saturated  " "--count-bits 64"
}
check "32-bit counts saturate, say so, and are verified as such" saturates
counts_on() {
    run "$planted/roost-heavy_keys" --verify --json --top 1 --count-bits 64 && says '"saturated": 0,' '"verified": true' &&
        ! says '"count": 4294967295' >/dev/null
}
check "64-bit counts go on" counts_on

# The same for `roost replay`: 6 batches each way.
replay() {
    variant=$1
    shift
    # shellcheck disable=SC2086
    "$variant" replay --device "$device" $input "$@" >"$work/out" 2>"$work/err"
}
replay_found() {
    replay "$planted/roost-$1" || { cat "$work/err"; echo "the fault shows without --verify"; return 1; }
    replay "$planted/roost-$1" --verify
    code=$?
    [ $code = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && [ ! -s "$work/out" ] && grep -q -- "--verify: $2" "$work/err" && return 0
    echo "exit $code"
    cat "$work/out" "$work/err"
    return 1
}
input="$k_mers --batch 40000"
check "a replay without a fault is verified" replay "$roost" --verify
check "--verify of a replay finds a stale value" \
    replay_found stale_value "batch [0-9]*, key [ACGT]\{21\}: the find gives the value"
check "--verify of a replay finds an erase that was undone" \
    replay_found undone_erase "batch 2: the table reports"

for keys in "--words $work/urls.txt" "--format bytes:20 $work/urls.bin"; do
    input="$keys --batch 2500"
    check "a replay without a fault is verified, ${keys%% /*}" replay "$roost" --verify
    check "--verify of a replay finds a stale value, ${keys%% /*}" \
        replay_found stale_value "batch [0-9]*, key [^ ]*: the find gives the value"
    check "--verify of a replay finds an erase that was undone, ${keys%% /*}" \
        replay_found undone_erase "batch 2: the table reports"
done

apart() {
    cd "$ROOST_SOURCE_DIR/src/cli" || return 1
    ! grep -h '^#include "' verify*.c verify*.h key_count.h |
        grep -v '^#include "cli/\(verify[a-z_]*\|key_count\)\.h"$'
}
check "the second count includes nothing of the table and nothing of the readers" apart

exit $failed
