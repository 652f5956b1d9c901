#!/bin/sh
# tests/plants/apply changes only what a patch names, and refuses one that fits nowhere or twice.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v python3 >/dev/null || exit 77
: >"$work/err"
mkdir -p "$work/root/src" && cd "$work" || exit 1

# Two places of which the second differs, and one unique place.
printf 'if (held)\n    give();\nif (held)\n    keep();\nlast();\n' >root/src/a.h
# patch_of FILE HUNKS: writes the patch.
patch_of() {
    printf '# A fault for a test.\n--- a/src/%s\n+++ b/src/%s\n%s\n' "$1" "$1" "$2" >fault.patch
}
applies() { "$ROOST_SOURCE_DIR/tests/plants/apply" fault.patch root copy >out 2>&1; }

# changes TEXT: the copy is TEXT.
changes() { applies && [ "$(cat copy/src/a.h)" = "$1" ]; }
# refuses TEXT: the patch does not apply.  The message has TEXT and the patch's name, and no copy is
# left.
refuses() {
    rm -rf copy
    ! applies && says "fault.patch: $1" && [ ! -e copy/src/a.h ] && return 0
    return 1
}

patch_of a.h '@@ -90 +90 @@ a function
-last();
+first();'
check "a line, whatever its number" changes "$(sed 's/last/first/' root/src/a.h)"
patch_of a.h '@@ -1,2 +1,1 @@
-if (held)
     give();'
check "a line that its context tells from another" changes "$(sed 1d root/src/a.h)"
patch_of a.h '@@ -2 +1,0 @@
-    give();
@@ -5 +5,2 @@
 last();
+after();'
check "two places" changes "$(sed 2d root/src/a.h; echo 'after();')"

patch_of a.h '@@ -1 +0,0 @@
-if (held)'
check "lines that are there twice are refused" refuses "hunk 1 does not apply to src/a.h: its lines occur 2 times"
patch_of a.h '@@ -5 +5 @@
-last()
+first();'
check "a part of a line is refused" refuses "hunk 1 does not apply to src/a.h: its lines occur 0 times"
patch_of a.h '@@ -5,0 +6 @@
+after();'
check "an insertion without context is refused" refuses "hunk 1 does not apply to src/a.h"
patch_of a.h '@@ -4,2 +4,2 @@
-    keep();'
check "a hunk that is cut off is refused" refuses "a hunk ends too early"
patch_of b.h '@@ -1 +1 @@
-a
+b'
check "a file that is not there is refused" refuses "there is no src/b.h"
patch_of a.h ''
check "a patch without a hunk is refused" refuses "it changes nothing"
exit $failed
