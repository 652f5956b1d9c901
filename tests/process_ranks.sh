#!/bin/sh
# Tables over processes of one host, connected by a transport of sockets, answer as they must.  If a
# rank dies, the others learn it.  DEVICE (default host): where the tables lie; on a GPU the ranks
# use each other's memory.
# shellcheck source=tests/support/ranks.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/ranks.sh"
ranks=$ROOST_BUILD_DIR/tests/process_ranks
[ -x "$ranks" ] || { echo "the ranks are not built"; exit 77; }
device=${DEVICE:-host}

for n in 1 2 3 5; do
    timeout 120 "$ranks" "$n" "$device" >"$work/out" 2>&1 && grep -q "^$n ranks: right$" "$work/out"
    check "$n processes" $?
done
timeout 120 "$ranks" 3 "$device" dies >"$work/out" 2>&1 && grep -q "^3 ranks: all learnt$" "$work/out"
check "a process that dies" $?
exit $failed
