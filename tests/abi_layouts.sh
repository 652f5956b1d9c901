#!/bin/sh
# Compares the public headers with the kept ones (tests/abi): every member is at its old offset, and
# new ones are behind it.  The comparison finds planted changes that would break older programs.
set -u
: "${ROOST_SOURCE_DIR:?}"
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
abi=$ROOST_SOURCE_DIR/tests/abi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

check() {
    check_name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        printf 'ok - %s\n' "$check_name"
    else
        cat "$work/log"
        printf 'not ok - %s\n' "$check_name"
        failed=1
    fi
}

# layout NAME INCLUDE
layout() { "$abi/headers.py" layout "$2" >"$work/$1.txt" && [ -s "$work/$1.txt" ]; }
check "the public headers' layout" layout now "$ROOST_SOURCE_DIR/include"
for kept in 4c39953 frozen; do
    check "the layout of $kept" layout $kept "$abi/$kept"
    check "nothing has moved since $kept" "$abi/headers.py" compare "$work/$kept.txt" "$work/now.txt"
done

# breaks NAME SED HEADER TEXT: an edit of a header is found, and the report has the text.
breaks() {
    rm -rf "$work/edited" && cp -r "$ROOST_SOURCE_DIR/include" "$work/edited" && sed -i "$2" "$work/edited/roost/$3" &&
        ! cmp -s "$work/edited/roost/$3" "$ROOST_SOURCE_DIR/include/roost/$3" && layout edited "$work/edited" || return 1
    ! "$abi/headers.py" compare "$work/frozen.txt" "$work/edited.txt" >"$work/report" && grep -q "$4" "$work/report" && return
    cat "$work/report"
    return 1
}
check "a member that is gone is found" breaks gone '/^    uint64_t seed; /d' roost.h 'roost_config.seed'
check "a member of another type is found" breaks type 's/^    uint64_t memory_limit;/    int64_t memory_limit;/' roost.h 'roost_config.memory_limit'
check "a member before others is found" breaks moved 's/^    const char \*engine; .*/    int first;\n&/' roost.h 'roost_config.engine'
check "a member in old padding is found" breaks padding 's/^    int growth; .*/&\n    int between;/' roost.h 'roost_config.between is new'
check "another number is found" breaks number 's/ROOST_MIN = 3/ROOST_MIN = 6/' roost.h 'ROOST_MIN'
check "a status between others is found" breaks status 's/X(ROOST_ITEM_FULL, 7/X(ROOST_ITEM_NEW, -1, "new") &/' status.h 'ROOST_ITEM_NEW'

grows() {
    "$abi/headers.py" grow "$ROOST_SOURCE_DIR/include" "$work/grown" && layout grown "$work/grown" &&
        [ "$(grep -c '^member .* grown ' "$work/grown.txt")" -ge 11 ] &&
        "$abi/headers.py" compare "$work/frozen.txt" "$work/grown.txt"
}
check "members behind all others are no break" grows
exit $failed
