#!/bin/sh
# .ci/check-functions passes functions of 100 lines and files that say what they are for, and finds
# each planted fault.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v bash >/dev/null || exit 77
: >"$work/err"

# lines N: N lines of a body.
lines() { yes '    x++;' | head -n "$1"; }

# judges CODE TEXT FILE: the check of this file, from stdin, exits with CODE and prints TEXT.
judges() {
    cat >"$work/$3" && "$ROOST_SOURCE_DIR/.ci/check-functions" "$work/$3" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" = "$1" ] && says "$2" && return 0
    echo "exit $code"
    return 1
}

# program N: a function of N lines behind another one, in clang-format's layout.
program() {
    printf '/* A file for a test. */\nstatic int one(void) { return 1; }\n\nstatic int\nlong_one(int x,\n         int y)\n{\n'
    lines $(($1 - 2))
    printf '}\n\nint main(void)\n{\n    return 0;\n}\n'
}
for file in a.c a.h a.cu a.cpp; do
    check "100 lines in $file" eval 'program 100 | judges 0 "2 functions in 1 files" $file'
    check "101 lines in $file" eval 'program 101 | judges 1 "$file:7: a function of 101 lines" $file'
done
attached() { printf '// A file for a test.\nextern "C" {\nint main(int x) {\n' && lines 99 && printf '}\n}\n'; }
check "a brace behind the arguments" eval 'attached | judges 1 "a.cpp:3: a function of 101 lines" a.cpp'
shell() { printf '#!/bin/sh\n# A script for a test.\nmain() {\n' && lines 99 && printf '}\nmain\n'; }
check "a shell function" eval 'shell | judges 1 "script:3: a function of 101 lines" script'
macro() { printf '/* A file for a test. */\n#define MACRO \\\n' && lines 99 | sed 's/$/ \\/' && printf '    x\n\nint main(void)\n{\n}\n'; }
check "a macro" eval 'macro | judges 1 "a.h:2: a macro of 101 lines" a.h'
check "a function that does not end" eval 'program 50 | sed "/^}/d" | judges 1 "a.c:7: a function that does not end" a.c'
check "no sources" eval 'echo "# A file for a test." | judges 1 "there are no sources" a.md'

sound() { program 5 | sed "1$1"; }
check "no first line" eval 'sound d | judges 1 "a.c:1: the line does not say" a.c'
check "an include first" eval 'sound "i #include <stdio.h>" | judges 1 "a.c:1: the line does not say" a.c'
check "a comment without words" eval 'sound "c /* a.c */" | judges 1 "a.c:1: the line does not say" a.c'
check "a comment on the second line" eval 'sound "i /*" | judges 1 "a.c:1: the line does not say" a.c'
check "a script without it" eval 'shell | sed 2d | judges 1 "script:2: the line does not say" script'
check "an empty file" eval ': | judges 1 "a.c:1: an empty file" a.c'
exit $failed
