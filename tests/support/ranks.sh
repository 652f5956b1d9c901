# Shared code of the shell tests whose ranks are a program of their own; to be sourced.
set -u
: "${ROOST_BUILD_DIR:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME STATUS: prints one line, which says whether the status is 0.  If it is not, the output
# of the ranks ($work/out, $work/err) stands before it.
check() {
    if [ "$2" = 0 ]; then
        printf 'ok - %s\n' "$1"
    else
        cat "$work"/*
        printf 'not ok - %s\n' "$1"
        failed=1
    fi
}
