#!/bin/sh
# .ci/check-mutants passes our sources, and finds each atomic that has no mutant.  `mutants --list`
# is complete.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v bash >/dev/null && command -v python3 >/dev/null || exit 77
: >"$work/err"

# The part of the tree that the check reads.
mkdir -p "$work/tree/src" "$work/tree/tests"
cp -R "$ROOST_SOURCE_DIR/src/portable" "$ROOST_SOURCE_DIR/src/engines" "$work/tree/src"
cp -R "$ROOST_SOURCE_DIR/tests/mutants" "$work/tree/tests"
items=$work/tree/src/engines/planted/planted_items.h
mkdir -p "$work/tree/src/engines/planted"

# judges CODE TEXT: with stdin as the items of a further engine, the check exits with CODE and
# prints TEXT.
judges() {
    { echo '/* A file for a test. */' && cat; } >"$items"
    "$ROOST_SOURCE_DIR/.ci/check-mutants" "$work/tree" >"$work/out" 2>&1
    code=$?
    [ "$code" = "$1" ] && says "$2" && return 0
    echo "exit $code"
    return 1
}

body() { printf 'ROOST_FN bool planted(uint32_t *p, uint32_t *locks)\n{\n    %s\n}\n' "$1"; }
here='planted_items.h:4: no mutant for this'
check "our sources" eval ': | judges 0 "0 not listed"'
rm -r "$work/tree/src/engines/"[!p]* # planted faults are found sooner without the other engines
check "a new engine" eval 'body "return cas_release_device32(p, 0, 1) == 0;" | judges 0 "0 not listed"'
check "an atomic that is not a verb" eval 'body "return __atomic_fetch_add(p, 1, 0);" | judges 1 "__atomic_fetch_add is not a verb"'
check "an unknown verb" eval 'body "return sub_relaxed_device32(p, 1) == 0;" | judges 1 "$here verb"'
check "an unknown fence" eval 'body "fence_seq_cst_device();" | judges 1 "$here fence"'
check "an unknown lock" eval 'body "lock_try_both(locks, 1);" | judges 1 "$here lock"'
macro() { printf '#define TWICE(p) (cas_relaxed_device32(p, 0, 1) == 0)\n'; }
check "an atomic in a macro" eval 'macro | judges 1 "planted_items.h:2: no mutant for this verb"'

# Verbs of the scheduled machine that no mutant weakens yet.
sed -i '/mutant_load_relaxed/d' "$work/tree/tests/mutants/mutant.h"
check "a mutant without its verb" eval 'body "return load_acquire_device32(p);" | judges 1 "there is no mutant_load_relaxed32"'
cp "$ROOST_SOURCE_DIR/tests/mutants/mutant.h" "$work/tree/tests/mutants"
echo '#define swap_relaxed_device32(p, v) scheduled_swap32(p, v, SCHEDULED_SITE("swap_relaxed_device32", true))' \
    >>"$work/tree/src/portable/scheduled.h"
check "a verb without a mutant" eval 'body "return swap_relaxed_device32(p, 1);" | judges 1 "the verb swap_relaxed_device32 has no mutant"'
cp "$ROOST_SOURCE_DIR/src/portable/scheduled.h" "$work/tree/src/portable"

# lists TEXT: a line of the list of the planted engine.
lists() {
    "$work/tree/tests/mutants/mutants" --list | grep planted >"$work/out"
    says "$1"
}
body 'const uint32_t seen = load_acquire_device32(p); return seen ? lock_try(locks, 0) : false;' >"$items"
check "an order" lists "planted_items.h:3: verb load_acquire_device32 in planted: torn (access), relaxed (order)"
check "a lock" lists "planted_items.h:3: lock lock_try in planted: blind (logic)"
check "a variable that is looked at" lists "planted_items.h:3: re-check seen in planted: taken for true (logic), taken for false (logic)"
body '(void)locks; return p != NULL;' >"$items"
check "nothing shared" eval '! "$work/tree/tests/mutants/mutants" --list | grep planted'

body 'const uint32_t seen = load_acquire_device32(p);
#ifdef ROOST_MACHINE_CUDA
    fence_acquire_device();
#endif
    return lock_held(locks, 0) || seen;' >"$items"
elsewhere=", on other machines"
check "a fence on another machine" lists "fence fence_acquire_device in planted: dropped (order)$elsewhere"
here_alone() { lists "re-check lock_held(locks, 0) in planted: taken for true" && ! grep "lock_held.*$elsewhere" "$work/out"; }
check "a condition beside it" here_alone
# A sample of 30 mutants: 24 of them are killed often enough where 95 % of all are, 23 are not.
in_report() { python3 -B -c "import sys; sys.path.insert(0, '$ROOST_SOURCE_DIR/tests/mutants'); import report; sys.exit(not ($1))"; }
check "a sample of mutants, of which few enough survive" in_report "not report.is_unlikely(24, 30, 0.95)"
check "one, of which too many do" in_report "report.is_unlikely(23, 30, 0.95)"
exit $failed
