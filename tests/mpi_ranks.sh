#!/bin/sh
# Tables over the processes of an MPI job answer as they must, on 1 to 16 ranks of this machine.
# If a rank does not come, the others give up.
# shellcheck source=tests/support/ranks.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/ranks.sh"
ranks=$ROOST_BUILD_DIR/tests/mpi_ranks
[ -x "$ranks" ] && command -v mpirun >/dev/null || { echo "no MPI here"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI on one machine, without ssh and without reading another process's memory.
export OMPI_MCA_plm=isolated OMPI_MCA_btl_vader_single_copy_mechanism=none

# job N ARGUMENT...: more ranks than cores, without a binding to these.
job() { timeout 120 mpirun --oversubscribe --bind-to none -n "$@" >"$work/out" 2>"$work/err"; }

for n in 1 2 3 4 8 16; do
    job "$n" "$ranks" && grep -q "^$n ranks: right$" "$work/out"
    check "$n ranks" $?
done
job 3 "$ranks" late
grep -q "^3 ranks: the others gave up$" "$work/out"
check "a rank that does not come" $?
exit $failed
