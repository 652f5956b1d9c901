#!/bin/sh
# .ci/check-comments passes comments that end at column 100, and finds each longer one, in every
# language and kind of comment.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }

# wide N: N letters.
wide() { printf '%*s' "$1" '' | tr ' ' x; }

# judges CODE TEXT FILE: the check of this file, from stdin, exits with CODE and prints TEXT.
judges() { cat >"$work/$3" && ends "$1" "$2" "$ROOST_SOURCE_DIR/.ci/check-comments" "$work/$3"; }

for file in a.c a.h a.cu a.cpp; do
    check "a comment of 100 columns in $file" eval 'echo "/* $(wide 94) */" | judges 0 "0 comments beyond" $file'
    check "one of 101 in $file" eval 'echo "/* $(wide 95) */" | judges 1 "$file:1: a comment ends in column 101" $file'
done
check "behind code" eval '{ echo "int x;" && echo "$(wide 90) /* six */" && echo "$(wide 90) /* seven */"; } | judges 1 "a.c:3: a comment ends in column 102" a.c &&
    says "1 comments"'
check "of two slashes" eval 'echo "// $(wide 98)" | judges 1 "a.cu:1: a comment ends in column 101" a.cu'
check "the second line of one" eval '{ echo "int x; /* a" && echo " * $(wide 98)" && echo " * $(wide 97) */ int y;"; } | judges 1 "a.c:2: a comment ends in column 101" a.c &&
    says "a.c:3: a comment ends in column 103" "2 comments"'
check "on the second line" eval '{ echo "int x;" && echo "/* $(wide 95) */"; } | judges 1 "a.c:2: a comment ends in column 101" a.c'
check "of two lines in a macro, without the backslashes" eval \
    'printf "#define A \\\\\n    /* %s %50s\\\\\n     * b */ \\\\\n    1\n" "$(wide 90)" "" | judges 0 "0 comments" a.h'
check "in a macro, without the backslash" eval \
    'printf "#define A \\\\\n    /* %s */ %50s\\\\\n    1\n" "$(wide 90)" "" | judges 0 "0 comments" a.h'
check "code may be longer" eval 'echo "int $(wide 130); /*$(wide 2)*/" | judges 1 "column 142" a.c && echo "int $(wide 130);" | judges 0 "0 comments" a.c'
quoted() {
    cat <<END
const char *x = "/* $(wide 120) */ // \\" // x", y = '"', z = '\\'';
END
}
check "a string is not a comment" eval 'quoted | judges 0 "0 comments" a.c'
check "letters are counted, not bytes" eval 'echo "/* $(wide 93)é */" | judges 0 "0 comments" a.c'
check "no sources" eval 'echo text | judges 1 "there are no sources" a.md'
exit $failed
