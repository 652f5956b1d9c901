#!/bin/sh
# .ci/check-anatomy passes engines with the files that CONTRIBUTING.md lists, and finds one that
# lacks a file or has an unlisted one.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
root=$work/root
engines=$root/src/engines

# sound: two engines with the files that the project's list requires.  Shared files beside their
# folders belong to no engine.
sound() {
    rm -rf "$root" && mkdir -p "$engines/one" "$engines/two" && cp "$ROOST_SOURCE_DIR/CONTRIBUTING.md" "$root"
    : >"$engines/table.c"
    sed -n '/^## Adding an engine/,/^## Changes/s/^        <name>\([^ *]*\) .*/\1/p' "$root/CONTRIBUTING.md" >"$work/ends"
    for engine in one two; do
        while read -r end; do : >"$engines/$engine/$engine$end"; done <"$work/ends"
    done
}

# judges CODE TEXT: the check of this tree exits with CODE and prints TEXT.
judges() { ends "$1" "$2" "$ROOST_SOURCE_DIR/.ci/check-anatomy" "$root"; }

check "all files of the list" eval 'sound && judges 0 "2 engines" && says ", 0 differences" && [ "$(wc -l <"$work/ends")" -ge 12 ]'
check "further item operations" eval 'sound && : >"$engines/one/one_evict_items.h" && judges 0 ", 0 differences"'
check "without an optional file" eval 'sound && rm "$engines/one/one_tune.h" && judges 0 ", 0 differences"'
for missing in .h _items.h _kernels.h _host.c _cuda.cu _isa.c _engine.h _table.h _table.c _passes.c _size.c .c _check.c; do
    check "without one$missing" eval 'sound && rm "$engines/one/one$missing" && judges 1 "one has no one$missing" && says ", 1 differences"'
done
check "a file that the list lacks" eval 'sound && : >"$engines/two/two_misc.c" && judges 1 "two/two_misc.c is not in the list"'
check "a file of another engine" eval 'sound && : >"$engines/two/one_size.c" && judges 1 "two/one_size.c is not in the list"'
check "a file without the engine's name" eval 'sound && : >"$engines/two/notes.md" && judges 1 "two/notes.md is not in the list"'
check "a line taken from the list" eval 'sound && sed -i "/<name>_find.c/d" "$root/CONTRIBUTING.md" && judges 1 "two/two_find.c is not in the list"'
check "a line added to it" eval \
    'sound && sed -i "s/^        <name>_find.c .*/&\n        <name>_merge.c      merges/" "$root/CONTRIBUTING.md" && judges 1 "two has no two_merge.c"'
check "no list" eval 'sound && sed -i "s/^## Adding an engine/## Engines/" "$root/CONTRIBUTING.md" && judges 1 "lists no files of an engine"'
check "no engines" eval 'sound && rm -r "$engines/one" "$engines/two" && judges 1 "there are no engines"'
exit $failed
