#!/bin/sh
# Each engine with a planted fault: its test program must find the fault and report it.
# A sample (ROOST_TEST_SAMPLE) has some of the faults.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"

[ -z "${ROOST_SANITIZE:-}" ] || exit 77 # a failed test leaks, which is a finding of its own
planted=$ROOST_BUILD_DIR/tests
logs=$ROOST_BUILD_DIR/tests/engine-plants
mkdir -p "$logs" || exit 1

# A table with a fault may grow without end: 8 GB are enough for every case.
ulimit -v 8000000

# fails ENGINE FAULT CASES PATTERN: the matching cases fail, and for this reason.
fails() {
    log=$logs/$1_$2.log
    ROOST_TEST_ENGINE=$1 ROOST_TEST_SHORT=0 "$planted/engine_plant_$1_$2" --device host --only "$3" >"$log" 2>&1
    [ $? -eq 1 ] && grep -qE "$4" "$log" && echo "$1, $2: $(grep -cE "$4" "$log") times" && return 0
    echo "see $log"
    return 1
}
expect() { sampled "$1, $2" fails "$@"; }

expect dycuckoo vacancy_first 'single*' 'an export finds key 0x[0-9a-f]* twice'
expect dycuckoo leaves_slot 'many cycles 4+4' 'moving pairs: [0-9]+ of [0-9]+ pairs arrived'
expect gph leaves_bucket 'many cycles 4+4' 'rehashing: [0-9]+ keys arrived of [0-9]+'
expect slab delete_stores 'mixed, tombstones, fenced*' 'key 0x[0-9a-f]*: no order explains this'
expect slab reuse_tombstone 'mixed, tombstones, fenced*' 'an export finds key 0x[0-9a-f]* twice|no order explains this'
expect gph no_extended_move 'flags are few*' '[0-9]+ of [0-9]+ cells are flagged'
expect stadium reserves_by_and 'mixed, tombstones, fenced*' 'an export finds key 0x[0-9a-f]* twice|no order explains this'
expect stadium takes_erased 'mixed, tombstones, fenced*' 'an export finds key 0x[0-9a-f]* twice|no order explains this'
expect stadium no_sequence 'values are whole*' 'is not of one piece'
expect fks no_mark 'built or written*' 'has value 0, which none of its 1 items brought'
expect fks first_line_only 'second lines*' 'present: 1 of 1 items ended INSERTED'
expect compact host_no_filter 'lookups read one bucket*' 'the filter of a key.s first home lacks its bit|: found 0'
expect compact host_reuses_dead 'mixed, tombstones*' 'an export finds key 0x[0-9a-f]* twice|no order explains this'
exit $failed
