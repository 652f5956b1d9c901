# Compiler flags that every target shares, as interface targets:
#   roost_flags    C11 with GNU extensions, warnings, sanitizers
#   roost_dialect  what the library adds: it is also compiled as C++, so it is warned where the two languages differ
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
        # A guess of gcc's after inlining; it stays a warning.
        list(APPEND c_warnings -Wno-error=maybe-uninitialized)
    endif()
endif()
target_compile_options(roost_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${c_warnings}>")

add_library(roost_dialect INTERFACE)
target_compile_options(roost_dialect INTERFACE "$<$<COMPILE_LANGUAGE:C>:-Wc++-compat>")

if(ROOST_SANITIZE)
    # All kernels are inlined into their drivers; with a check at every access, more optimisation takes minutes a file.
    set(sanitize_flags -fsanitize=${ROOST_SANITIZE} -fno-omit-frame-pointer -O1 -g1)
    if(ROOST_SANITIZE MATCHES "undefined")
        list(APPEND sanitize_flags -fno-sanitize-recover=undefined)
    endif()
    target_compile_options(roost_flags INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${sanitize_flags}>")
    target_link_options(roost_flags INTERFACE -fsanitize=${ROOST_SANITIZE})
endif()

# Instruction sets that host kernels are compiled for; the code chooses between them at run time.
# Host kernels keep a bucket in registers; vectorising their short loops would pass it through memory (half the speed of an
# insert).  Loops over a key's homes are bounded at run time, which gcc takes for uninitialised reads, and clang for
# a loop that it was told to unroll and cannot.
set(ROOST_HOST_KERNEL_FLAGS -fno-tree-vectorize -fno-tree-slp-vectorize $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed> $<$<AND:$<BOOL:${ROOST_SOONER}>,$<C_COMPILER_ID:GNU>>:-fno-thread-jumps>)
set(ROOST_ISA_LIST base)
set(ROOST_ISA_FLAGS_base "")
set(ROOST_ISA_FLAGS_avx2 -mavx2 -mbmi2)
set(ROOST_ISA_FLAGS_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mbmi2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND ROOST_HOST_ISA STREQUAL "ALL")
    list(APPEND ROOST_ISA_LIST avx2 avx512)
else()
    target_compile_definitions(roost_flags INTERFACE ROOST_ISA_ONLY_BASE=1)
endif()

# Those of the tests' copy: sooner, of the wider ones that alone which the tests run with here.
set(ROOST_TEST_ISA_LIST ${ROOST_ISA_LIST})
set(ROOST_TEST_ISA_DEFINITIONS "")
if(ROOST_SOONER AND "avx512" IN_LIST ROOST_ISA_LIST AND EXISTS "/proc/cpuinfo")
    file(STRINGS "/proc/cpuinfo" processor_flags REGEX "^flags" LIMIT_COUNT 1)
    set(widest avx512)
    foreach(flag IN ITEMS avx512f avx512bw avx512vl avx512dq)
        if(NOT processor_flags MATCHES "${flag}")
            set(widest avx2)
        endif()
    endforeach()
    string(TOUPPER "${widest}" widest_upper)
    set(ROOST_TEST_ISA_LIST base ${widest})
    set(ROOST_TEST_ISA_DEFINITIONS ROOST_ISA_WIDEST=${widest} ROOST_HOST_ISA_WIDEST=HOST_${widest_upper})
endif()
