# Shared code of the shell tests of the command; to be sourced. ROOST_BIN is the command,
# ROOST_SOURCE_DIR the project. ROOST_TEST_DEVICE says where the tables live (default: the host).
set -u
roost=${ROOST_BIN:?}
device=${ROOST_TEST_DEVICE:-host}
genome=${ROOST_SOURCE_DIR:?}/data/GCF_000005845.2_ASM584v2_genomic.fna.gz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME COMMAND...: prints one line, which says whether the command succeeded.
check() {
    check_name=$1
    shift
    if "$@"; then
        printf 'ok - %s\n' "$check_name"
    else
        printf 'not ok - %s\n' "$check_name"
        failed=1
    fi
}

# sampled NAME COMMAND...: the same for a check that is alike to many others: with
# ROOST_TEST_SAMPLE=N/K one in N of them runs, from the K-th on.
sampled_checks=0
sampled() {
    part=${ROOST_TEST_SAMPLE:-1}/0
    sample=${part%%/*} part=${part#*/}
    sampled_checks=$((sampled_checks + 1))
    [ "$sample" -gt 1 ] && [ $(((sampled_checks + ${part%%/*}) % sample)) != 0 ] || check "$@"
}

# count OPTION...: runs `roost count` on the device; output goes to $work/out, errors to $work/err.
count() {
    "$roost" count --device "$device" "$@" >"$work/out" 2>"$work/err"
}

# says TEXT...: requires that the last output holds all of these texts; prints it if not.
says() {
    for text in "$@"; do
        if ! grep -qF -- "$text" "$work/out"; then
            printf 'no "%s" in:\n' "$text"
            cat "$work/out" "$work/err"
            return 1
        fi
    done
}

# succeeds OPTION...: requires that `roost count` exits with 0 and prints nothing to stderr.
succeeds() {
    if ! count "$@" || [ -s "$work/err" ]; then
        cat "$work/err"
        return 1
    fi
}
# ends CODE TEXT COMMAND...: requires this exit status, and this text in the output.
ends() {
    wanted=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    code=$?
    cat "$work/err" >>"$work/out"
    [ $code = "$wanted" ] || { echo "exit $code, not $wanted"; cat "$work/out"; return 1; }
    says "$text"
}
