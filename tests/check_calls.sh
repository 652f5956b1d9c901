#!/bin/sh
# .ci/check-calls passes a tree of files whose calls go one way, and finds each circle and each hook
# that calls back.
# shellcheck source=tests/support/cli.sh
. "${ROOST_SOURCE_DIR:?}/tests/support/cli.sh"
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
: >"$work/err"
tree=$work/tree

# add FILE: appends stdin to the file.
add() { cat >>"$tree/$1"; }

# sound: a tree with a face, a shared part that calls it through a hook, and primitives below both.
sound() {
    rm -rf "$tree" && mkdir -p "$tree/engines/one"
    printf '#include "engines/shared.h"\nint low(int x)\n{\n    return x > 0 ? low(x - 1) : helper(x);\n}\n' | add engines/low.c
    printf 'int low(int x);\n' | add engines/low.h
    printf '#include "engines/low.h"\nint create(struct table *t);\nstatic inline int width(const struct table *t) { return t->width; }\n' |
        add engines/shared.h
    printf 'struct table_hooks {\n    int (*make)(struct table *t);\n    int (*empty)(struct table *t);\n};\n' | add engines/shared.h
    printf 'struct engine {\n    struct table_hooks hooks;\n};\n' | add engines/shared.h
    printf '#include "engines/shared.h"\nint create(struct table *t)\n{\n    return t->engine->hooks.make(t);\n}\n' | add engines/shared.c
    printf 'static int step(struct table *t)\n{\n    /* other(t) */\n    return width(t) + low(1) + name("face(t)");\n}\n' | add engines/one/size.c
    printf 'int one_make(struct table *t)\n{\n    return step(t);\n}\n' | add engines/one/size.c
    printf 'int one_make(struct table *t);\n' | add engines/one/face.h
    printf '#include "engines/shared.h"\n#include "face.h"\nint face(struct table *t)\n{\n    return create(t);\n}\n' | add engines/one/face.c
    printf 'const struct engine one = {\n    .hooks =\n        {\n            .make = one_make,\n        },\n};\n' | add engines/one/face.c
    sed -i '1i #include "engines/shared.h"' "$tree/engines/one/size.c"
}

# judges CODE TEXT...: the check of the tree exits with CODE and prints each TEXT.
judges() {
    "$ROOST_SOURCE_DIR/.ci/check-calls" "$tree" >"$work/out" 2>"$work/err"
    code=$?
    wanted=$1
    shift
    [ "$code" = "$wanted" ] && says "$@" && return 0
    echo "exit $code"
    cat "$work/out"
    return 1
}

# with FILE TEXT: the sound tree, with TEXT appended to one of its files.
with() { sound && printf '%b\n' "$2" | add "$1"; }

check "calls that go one way" eval 'sound && judges 0 "0 circles, 0 hooks that call back"'
check "recursion inside one file" eval \
    'with engines/low.c "static int odd(int x);\nstatic int even(int x)\n{\n    return odd(x);\n}\nstatic int odd(int x)\n{\n    return even(x);\n}" &&
    judges 0 "0 circles"'
check "a file and its header are one" eval \
    'with engines/low.h "static inline int twice(int x) { return low(low(x)); }" && judges 0 "0 circles"'
check "a static function of another file is not meant" eval \
    'with engines/low.c "static int face(int x)\n{\n    return x;\n}\nint again(int x)\n{\n    return face(x);\n}" && judges 0 "0 circles"'
check "nor where a variable has its name" eval \
    'with engines/low.c "int again(int step)\n{\n    return step;\n}" && judges 0 "0 circles"'
check "an inline function of a header that is not included is not meant" eval \
    'with engines/one/face.h "static inline int over(int x) { return face(x); }" &&
    printf "int again(int over)\n{\n    return over;\n}\n" | add engines/low.c && judges 0 "0 circles"'
check "a member and a struct are not meant" eval \
    'with engines/low.c "int field(struct face *f)\n{\n    struct face copy = *f;\n    return copy.face + f->one_make(f);\n}" && judges 0 "0 circles"'

calls_up='int up(struct table *t)\n{\n    return face(t);\n}'
check "a circle of two" eval 'with engines/one/size.c "$calls_up" &&
    judges 1 "a circle of 2 files" "engines/one/size calls engines/one/face: face" "engines/one/face calls engines/one/size: one_make"'
check "a circle of three" eval 'with engines/low.c "$calls_up" &&
    judges 1 "a circle of 3 files" "engines/low calls engines/one/face: face" "engines/one/size calls engines/low: low"'
check "a call on one line" eval 'with engines/one/size.c "int up(struct table *t) { return face(t); }" && judges 1 "a circle of 2 files"'
check "a function that is handed on" eval 'with engines/one/size.c "int up(struct table *t)\n{\n    return each(t, face);\n}" && judges 1 "a circle of 2 files"'
check "a call in a macro" eval 'with engines/one/size.c "#define UP(t) \\\\\n    face(t)" && judges 1 "a circle of 2 files"'
check "a function inline in a header" eval \
    'with engines/one/size.h "static inline int up(struct table *t) { return face(t); }" && judges 1 "a circle of 2 files"'
check "a call in a .cu file" eval \
    'with engines/one/size.cu "extern \"C\" {\nint up(struct table *t)\n{\n    return face(t);\n}\n}" && judges 1 "a circle of 2 files"'

calls_back='int one_empty(struct table *t)\n{\n    return create(t);\n}\nstatic const struct table_hooks more = {\n    .make = one_empty,\n};'
check "a hook that calls back" eval 'with engines/one/size.c "$calls_back" &&
    judges 1 "struct table_hooks: make calls back: one_empty (engines/one/size) > create (engines/shared)" "0 circles, 1 hooks"'
check "a hook that calls back through others" eval \
    'with engines/one/more.c "int more(struct table *t)\n{\n    return create(t);\n}" && printf "int other(struct table *t)\n{\n    return more(t);\n}\n" |
    add engines/one/size.c && sed -i "s/return step(t)/return other(t)/" "$tree/engines/one/size.c" &&
    judges 1 "make calls back: one_make (engines/one/size) > other (engines/one/size) > more (engines/one/more) > create (engines/shared)"'
check "a hook that calls back through an inline function" eval \
    'with engines/shared.h "static inline int made(struct table *t) { return create(t); }" &&
    sed -i "s/return step(t)/return made(t)/" "$tree/engines/one/size.c" && judges 1 "one_make (engines/one/size) > made (engines/shared) > create"'
check "a hook without a caller" eval 'with engines/one/size.c "$calls_back" && sed -i "s/.make = one_empty/.empty = one_empty/" "$tree/engines/one/size.c" &&
    judges 0 "0 hooks that call back"'
check "no functions" eval 'rm -rf "$tree" && mkdir "$tree" && judges 1 "0 functions in 0 files"'
exit $failed
