# Compiler flags that every target shares, as interface targets:
#   roost_flags    C11 with GNU extensions, warnings, sanitizers
#   roost_dialect  for the library, which is also compiled as C++: warnings where the two differ
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O3 -g -DNDEBUG")
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(roost_flags INTERFACE)
set(c_warnings -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes)
if(ROOST_WERROR)
    list(APPEND c_warnings -Werror)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # gcc guesses this after inlining; it stays a warning.
        list(APPEND c_warnings -Wno-error=maybe-uninitialized)
    endif()
endif()
target_compile_options(roost_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${c_warnings}>")

add_library(roost_dialect INTERFACE)
target_compile_options(roost_dialect INTERFACE "$<$<COMPILE_LANGUAGE:C>:-Wc++-compat>")

if(ROOST_SANITIZE)
    set(sanitize_flags -fsanitize=${ROOST_SANITIZE} -fno-omit-frame-pointer -O1 -g1)
    if(ROOST_SANITIZE MATCHES "undefined")
        # gcc's group has no conversions of a floating-point number that is out of range.
        list(APPEND sanitize_flags -fsanitize=float-cast-overflow -fno-sanitize-recover=undefined,float-cast-overflow)
    endif()
    target_compile_options(roost_flags INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${sanitize_flags}>")
    target_compile_definitions(roost_flags INTERFACE ROOST_OUTLINED=1)
    target_link_options(roost_flags INTERFACE -fsanitize=${ROOST_SANITIZE})
endif()

# Threads share counters, so these are atomic.
if(ROOST_COVERAGE)
    target_compile_options(roost_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:SHELL:--coverage -fprofile-update=atomic -O1 -g1>")
    target_compile_definitions(roost_flags INTERFACE ROOST_OUTLINED=1)
    target_link_options(roost_flags INTERFACE --coverage)
endif()

# Host kernels keep a bucket in registers. Vectorising their short loops would pass the bucket
# through memory, which halves the speed of an insert. Loops over a key's homes are bounded at run
# time. gcc takes this for uninitialised reads; clang cannot unroll such a loop as it was told to.
set(ROOST_HOST_KERNEL_FLAGS -fno-tree-vectorize -fno-tree-slp-vectorize $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)

# Instruction sets that host kernels can be compiled for, the widest last.
set(ROOST_ISA_LIST base)
set(ROOST_ISA_FLAGS_base "")
set(ROOST_ISA_FLAGS_avx2 -mavx2 -mbmi2)
set(ROOST_ISA_FLAGS_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mbmi2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    list(APPEND ROOST_ISA_LIST avx2 avx512)
endif()

# The processor features that backends/host/host_isa.c asks for at run time, as named in
# /proc/cpuinfo.
set(ROOST_ISA_NEEDS_avx2 avx2 bmi1 bmi2)
set(ROOST_ISA_NEEDS_avx512 ${ROOST_ISA_NEEDS_avx2} avx512f avx512bw avx512vl avx512dq)

# The widest instruction set that the processor of this machine has.  It is base if the processor
# lacks AVX2, is not x86-64, or cannot be asked: every processor runs base.
function(roost_native_isa result)
    set(native base)
    if(EXISTS "/proc/cpuinfo" AND NOT CMAKE_CROSSCOMPILING)
        file(STRINGS "/proc/cpuinfo" flags REGEX "^flags" LIMIT_COUNT 1)
        string(REGEX MATCHALL "[a-z0-9_]+" flags "${flags}")
        foreach(isa IN LISTS ROOST_ISA_LIST)
            set(missing ${ROOST_ISA_NEEDS_${isa}})
            if(flags AND missing)
                list(REMOVE_ITEM missing ${flags})
            endif()
            if(NOT missing)
                set(native ${isa})
            endif()
        endforeach()
    endif()
    set(${result} ${native} PARENT_SCOPE)
endfunction()

# ROOST_ISAS: instruction sets of the library and the command. ROOST_TEST_ISA: the one that tests
# link.
roost_native_isa(ROOST_TEST_ISA)
set(wanted ${ROOST_HOST_ISA})
if(wanted STREQUAL "AUTO")
    set(wanted ALL)
    if(ROOST_LOCAL)
        set(wanted NATIVE)
    endif()
endif()
if(wanted STREQUAL "ALL")
    set(ROOST_ISAS ${ROOST_ISA_LIST})
elseif(wanted STREQUAL "NATIVE")
    set(ROOST_ISAS ${ROOST_TEST_ISA})
elseif(wanted MATCHES "^(BASE|AVX2|AVX512)$")
    string(TOLOWER "${wanted}" ROOST_ISAS)
    set(ROOST_TEST_ISA ${ROOST_ISAS})
else()
    message(FATAL_ERROR "ROOST_HOST_ISA is AUTO, ALL, NATIVE, BASE, AVX2 or AVX512, not '${ROOST_HOST_ISA}'")
endif()
message(STATUS "Roost: host kernels for ${ROOST_ISAS}")
