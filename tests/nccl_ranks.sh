#!/bin/sh
# Tables over NCCL answer as they must, on 1 to 8 ranks that are processes or threads.  If a group
# of exchanges fails, each rank learns it.  Without GPUs: by the stand-in of tests/nccl.
# shellcheck source=tests/support/ranks.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/ranks.sh"
ranks=$ROOST_BUILD_DIR/tests/nccl_ranks
[ -x "$ranks" ] || { echo "the stand-in is not built"; exit 77; }

for n in 1 2 3 4 8; do
    timeout 120 "$ranks" "$n" >"$work/out" 2>&1 && grep -q "^$n ranks: right$" "$work/out"
    check "$n processes" $?
done
timeout 120 "$ranks" 3 threads >"$work/out" 2>&1 && grep -q "^3 ranks: right$" "$work/out"
check "3 threads" $?
for at in 1 2 3 4 5 6 7 8 9 10 11; do
    STANDIN_FAIL=$at timeout 120 "$ranks" 3 fails >"$work/out" 2>&1 && grep -q "^3 ranks: all learnt$" "$work/out"
    check "group $at fails" $?
done
STANDIN_VERSION=21701 timeout 120 "$ranks" 1 >"$work/out" 2>&1
grep -q "has version 21701: it must be 2.18" "$work/out"
check "an old version" $?
exit $failed
