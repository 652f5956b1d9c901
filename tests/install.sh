#!/bin/sh
# A copy installed into a fresh prefix is all that a user needs.  The examples are built against it,
# with pkg-config and with CMake, shared and static, and run.  The command, its manual page and its
# completion are installed and agree.
set -u
: "${ROOST_BUILD_DIR:?}" "${ROOST_SOURCE_DIR:?}"
if [ -n "${ROOST_SANITIZE:-}" ]; then
    echo "skipped: a sanitized library needs its users sanitized"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
prefix=$work/moved
cc=${CC:-cc}
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

# Installed in one place and moved to another: no file may depend on the first one.
install_and_move() {
    cmake --install "$ROOST_BUILD_DIR" --prefix "$work/installed" && mv "$work/installed" "$prefix"
}
check "installs, and the tree may be moved" install_and_move
library=$(dirname "$(find "$prefix" -name libroost.so)")
export PKG_CONFIG_PATH="$library/pkgconfig" LD_LIBRARY_PATH="$library"

has() {
    for file in include/roost/roost.h bin/roost share/man/man1/roost.1.gz share/bash-completion/completions/roost share/zsh/site-functions/_roost \
        share/fish/vendor_completions.d/roost.fish; do
        [ -f "$prefix/$file" ] || { echo "no $file"; return 1; }
    done
    [ -f "$library/libroost.a" ] && [ -L "$library/libroost.so" ] && [ -L "$library/libroost.so.0" ] &&
        readelf -d "$library/libroost.so" | grep -q 'SONAME.*\[libroost\.so\.0\]'
}
check "everything is in its place, and the soname has the major version" has

# Compiles each public header with only the installed folder on the include path.  No header of the
# dialect is found there by its own name.
headers() {
    for header in $(cd "$prefix/include" && find roost -name '*.h' ! -path '*/dialect/*' ! -name mpi.h); do
        echo "#include <$header>" | "$cc" -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" -x c - || return 1
    done
    ! echo '#include <portable/hash.h>' | "$cc" -fsyntax-only -I "$prefix/include" -x c - 2>/dev/null &&
        ! grep -rn '#include "\(portable\|engines\)/' "$prefix/include"
}
check "every public header compiles alone, and the dialect stays below roost/" headers
relocatable() {
    ! grep -rnF -e "$work" -e "$(cd "$ROOST_BUILD_DIR" && pwd)" -e "$(cd "$ROOST_SOURCE_DIR" && pwd)" -e /usr/local "$library/pkgconfig" \
        "$library/cmake"
}
check "no .pc or CMake file names a folder of the machine that built it" relocatable

# runs NAME: the program $work/NAME does what its example documents.
runs() {
    case $1 in
    first_table) "$work/$1" | grep -q "4294967295 has the value 5" ;;
    counting) printf 'to be or not to be' | "$work/$1" | sort | tr '\t\n' ': ' | grep -q '^be:2 not:1 or:1 to:2 $' ;;
    custom_allocator) "$work/$1" | grep -q "^0 bytes are left" ;;
    error_handling) "$work/$1" | grep -q "ROOST_ERR_FULL" ;;
    graph)
        printf '# three edges\n7 8\n7\t9\n\n8 7\n' >"$work/edges.txt"
        "$work/$1" | grep -q "^all degrees and neighbours are right" && "$work/$1" "$work/edges.txt" >"$work/graph.txt" &&
            grep -q "^3 edges of 2 vertices" "$work/graph.txt" && grep -q "^largest degree: 2, of vertex 7" "$work/graph.txt" &&
            ! echo "7 x" | "$work/$1" /dev/stdin 2>"$work/graph.txt" && grep -q "line 1 " "$work/graph.txt" ;;
    arrow) [ "$("$work/$1" | sort | tr '\t\n' ': ')" = "nest:30 roost:301 " ] ;;
    dedup) "$work/$1" | grep -q ": right$" ;;
    sharded | sharded_custom) [ "$("$work/$1" | grep -c ": 7 is there, 200 times; 1000 is absent$")" = 3 ] ;;
    device_dedup)
        "$work/$1" >"$work/device.txt"
        code=$?
        cat "$work/device.txt"
        [ $code = 77 ] || { [ $code = 0 ] && grep -q ": right$" "$work/device.txt"; } ;;
    device_arrays)
        "$work/$1" >"$work/device.txt"
        code=$?
        cat "$work/device.txt"
        [ $code = 77 ] || { [ $code = 0 ] && grep -q "1048576 of 1048576" "$work/device.txt"; } ;;
    esac
}

# pkg NAME FLAGS...: builds the example as its first lines say.
pkg() {
    name=$1
    shift
    # shellcheck disable=SC2046
    "$cc" -std=c11 -Wall -Wextra -Werror -pthread "$ROOST_SOURCE_DIR/examples/$name.c" -o "$work/$name" $(pkg-config --cflags "$@") \
        $(pkg-config --libs "$@") && runs "$name"
}
# The CUDA toolkit's library folder, if the library was built with it: the installed files do not
# name it.
cudart=$(sed -n 's/^ROOST_CUDART:[A-Z]*=//p' "$ROOST_BUILD_DIR/CMakeCache.txt")
[ -z "$cudart" ] || export LIBRARY_PATH="$(dirname "$cudart")"
static() { pkg "$1" roost-static && ! readelf -d "$work/$1" | grep -q 'NEEDED.*libroost'; }
for name in first_table counting custom_allocator error_handling graph arrow snapshot dedup sharded sharded_custom; do
    check "pkg-config, shared: $name" pkg $name roost
    check "pkg-config, static: $name" static $name
done

# The examples of comms: with MPI's compiler, and with the stand-in for NCCL.
mpi_example() {
    # shellcheck disable=SC2046
    mpicc -std=gnu11 -Wall -Wextra "$ROOST_SOURCE_DIR/examples/sharded_mpi.c" -o "$work/sharded_mpi" \
        $(pkg-config --cflags --libs roost-mpi) || return 1
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated timeout 120 mpirun --oversubscribe --bind-to none -n 3 \
        "$work/sharded_mpi" >"$work/sharded.txt" || return 1
    [ "$(grep -c ": 7 is there, 200 times; 1000 is absent$" "$work/sharded.txt")" = 3 ]
}
if [ -f "$library/libroost-mpi.so" ] && command -v mpicc >/dev/null; then check "MPI: sharded_mpi" mpi_example; fi
nccl_example() {
    standin=$ROOST_BUILD_DIR/tests/nccl
    # shellcheck disable=SC2046
    "$cc" -std=gnu11 -Wall -Wextra -Werror -I "$ROOST_SOURCE_DIR/tests/nccl" "$ROOST_SOURCE_DIR/examples/sharded_nccl.c" \
        -o "$work/sharded_nccl" $(pkg-config --cflags --libs roost) -L "$standin" -lnccl || return 1
    LD_LIBRARY_PATH="$standin:$library" timeout 120 "$work/sharded_nccl" 3 >"$work/sharded.txt" || return 1
    [ "$(grep -c ": 7 is there, 200 times; 1000 is absent$" "$work/sharded.txt")" = 3 ]
}
check "NCCL's stand-in: sharded_nccl" nccl_example

# with_cmake DIRECTORY OPTION...: builds all examples with find_package(roost) and runs them.
with_cmake() {
    directory=$work/$1
    shift
    cmake -S "$ROOST_SOURCE_DIR/examples" -B "$directory" -DCMAKE_PREFIX_PATH="$prefix" "$@" && cmake --build "$directory" || return 1
    for name in first_table counting custom_allocator error_handling graph dedup sharded sharded_custom; do
        cp "$directory/$name" "$work/$name" && runs $name || return 1
    done
}
check "CMake, shared" with_cmake cmake-shared
check "CMake, static" with_cmake cmake-static -DSTATIC=ON

# The CUDA compiler, if the library was built with one.
nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$ROOST_BUILD_DIR/CMakeCache.txt")
architecture=$(sed -n 's/^ROOST_CUDA_ARCHITECTURES:[A-Z]*=\([0-9]*\).*/\1/p' "$ROOST_BUILD_DIR/CMakeCache.txt")
# cuda_example SOURCE PROGRAM
cuda_example() {
    # shellcheck disable=SC2046
    "$nvcc" -std=c++17 -arch="sm_$architecture" "$ROOST_SOURCE_DIR/examples/$1.cu" -o "$work/$2" $(pkg-config --cflags --libs roost) &&
        runs "$2"
}
if [ -n "$nvcc" ]; then
    for pair in device_arrays:device_arrays dedup:device_dedup; do
        check "nvcc: ${pair%:*}" cuda_example ${pair%:*} ${pair#*:}
        cat "$work/log"
    done
fi

# Every option of --help is in the manual page and in the completion, and the other way round.
options() {
    for subcommand in count query merge dump group join replay tune info; do
        "$prefix/bin/roost" $subcommand --help | grep -o -- '--[a-z][a-z-]*' | sort -u >"$work/help" || return 1
        zcat "$prefix/share/man/man1/roost.1.gz" | sed 's/\\-/-/g' | grep -o -- '--[a-z][a-z-]*' | sort -u >"$work/man"
        comm -23 "$work/help" "$work/man" | grep . && { echo "roost $subcommand has options that the manual page lacks"; return 1; }
        bash -c ". '$prefix/share/bash-completion/completions/roost'; COMP_WORDS=(roost $subcommand --); COMP_CWORD=2; _roost
                 printf '%s\n' \"\${COMPREPLY[@]}\"" | sort -u >"$work/completed"
        diff "$work/help" "$work/completed" || { echo "the completion of roost $subcommand differs"; return 1; }
        cat "$work/help" >>"$work/all"
    done
    zcat "$prefix/share/man/man1/roost.1.gz" | sed 's/\\-/-/g' | grep -o -- '--[a-z][a-z-]*' | sort -u |
        comm -23 - "$(sort -u -o "$work/all" "$work/all" && echo "$work/all")" | grep -v -e '--version'
    [ $? = 1 ] || { echo "the manual page has options that no subcommand has"; return 1; }
}
check "manual page, completion and --help name the same options" options
formats() {
    man --warnings=w -l "$prefix/share/man/man1/roost.1.gz" 2>&1 >/dev/null | grep . && return 1
    zcat "$prefix/share/man/man1/roost.1.gz" | grep -q "Roost $("$prefix/bin/roost" --version | sed -n 's/^roost //p')"
}
if command -v man >/dev/null; then check "the manual page is well formed and of this version" formats; fi

exit $failed
