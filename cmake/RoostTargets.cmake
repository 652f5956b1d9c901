# The library in its two variants, the readers and the command.

# A source for targets that have no file of their own yet.
set(ROOST_EMPTY_C "${PROJECT_BINARY_DIR}/CMakeFiles/roost-empty.c")
if(NOT EXISTS "${ROOST_EMPTY_C}")
    file(WRITE "${ROOST_EMPTY_C}" "typedef int roost_empty;\n")
endif()

# Sets in the caller: ROOST_ENGINE_ROOMS, the engines of this build, the default one first. Writes
# engine_list.h for the registry.
macro(roost_find_engines)
    file(GLOB engine_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/src/engines/*/*_engine.h")
    set(ROOST_ENGINE_ROOMS "")
    set(engine_text "/* The engines of this build; CMake wrote this. */\n")
    foreach(header IN LISTS engine_headers)
        get_filename_component(room "${header}" DIRECTORY)
        get_filename_component(room "${room}" NAME)
        if(ROOST_ENGINES STREQUAL "ALL" OR room IN_LIST ROOST_ENGINES)
            list(APPEND ROOST_ENGINE_ROOMS ${room})
            string(APPEND engine_text "#include \"${header}\"\n")
        endif()
    endforeach()
    if(NOT ROOST_ENGINE_ROOMS)
        message(FATAL_ERROR "ROOST_ENGINES is '${ROOST_ENGINES}': src/engines has none of these")
    endif()
    if("dycuckoo" IN_LIST ROOST_ENGINE_ROOMS)
        list(REMOVE_ITEM ROOST_ENGINE_ROOMS dycuckoo)
        list(PREPEND ROOST_ENGINE_ROOMS dycuckoo)
    endif()
    string(REPLACE ";" ") X(" engine_calls "${ROOST_ENGINE_ROOMS}")
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/engines/engine_list.h"
         CONTENT "${engine_text}#define ROOST_ENGINE_LIST(X) X(${engine_calls})\n")
endmacro()

# True if a source includes, directly or indirectly, the room of an engine that this build lacks
# (the tree may lack it, too), or the header of a source in `lost`, which is left out for this
# reason.
function(roost_lacks_engine source result lost)
    set(${result} FALSE PARENT_SCOPE)
    if(NOT ROOST_LACKS_ROOMS)
        return()
    endif()
    execute_process(COMMAND "${CMAKE_C_COMPILER}" -MM -MG ${ARGN} -I "${PROJECT_SOURCE_DIR}/src" -I "${PROJECT_SOURCE_DIR}/include"
                            -I "${PROJECT_SOURCE_DIR}/tests" "${source}"
                    OUTPUT_VARIABLE included ERROR_QUIET)
    foreach(other IN LISTS lost)
        string(REGEX REPLACE "c$" "h" other "${other}")
        if(included MATCHES "${other}")
            set(${result} TRUE PARENT_SCOPE)
        endif()
    endforeach()
    string(REGEX MATCHALL "(src/| )engines/[a-z0-9_]+/" included "${included}")
    foreach(place IN LISTS included)
        get_filename_component(room "${place}x" DIRECTORY)
        get_filename_component(room "${room}" NAME)
        if(NOT room IN_LIST ROOST_ENGINE_ROOMS)
            set(${result} TRUE PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

# Sets in the caller: ROOST_C (ordinary sources), ROOST_HOST_C (host kernels), ROOST_ISA_C (these
# choose between the builds of the kernels), ROOST_CUDA_C and ROOST_CUDA_CU.
macro(roost_find_library_sources)
    set(src "${PROJECT_SOURCE_DIR}/src")
    roost_find_engines()
    file(GLOB ROOST_C CONFIGURE_DEPENDS "${src}/api/*.c" "${src}/relations/*.c" "${src}/arrow/*.c" "${src}/snapshots/*.c" "${src}/sharding/*.c" "${src}/comms/*.c" "${src}/transports/*.c" "${src}/teams/*.c" "${src}/profiles/*.c" "${src}/batches/*.c" "${src}/portable/*.c" "${src}/backends/*.c" "${src}/backends/host/*.c"
         "${src}/engines/*.c" "${src}/engines/*/*.c")
    list(FILTER ROOST_C EXCLUDE REGEX "/portable/[^/]*scheduled[^/]*\\.c$")
    list(FILTER ROOST_C EXCLUDE REGEX "/engines/[^/]+/[^/]*_(host|isa)\\.c$")
    file(GLOB ROOST_HOST_C CONFIGURE_DEPENDS "${src}/engines/*/*_host.c")
    list(REVERSE ROOST_HOST_C) # stadium's take the longest: started first, they are not left over at the end
    file(GLOB ROOST_ISA_C CONFIGURE_DEPENDS "${src}/engines/*/*_isa.c")
    file(GLOB ROOST_CUDA_C CONFIGURE_DEPENDS "${src}/backends/cuda/*.c")
    file(GLOB ROOST_CUDA_CU CONFIGURE_DEPENDS "${src}/backends/cuda/*.cu" "${src}/batches/*_cuda*.cu" "${src}/relations/*_cuda.cu" "${src}/engines/*_cuda.cu"
         "${src}/engines/*/*_cuda*.cu")
    file(GLOB engine_rooms RELATIVE "${src}/engines" "${src}/engines/*")
    foreach(room IN LISTS engine_rooms)
        if(IS_DIRECTORY "${src}/engines/${room}" AND NOT room IN_LIST ROOST_ENGINE_ROOMS)
            foreach(list IN ITEMS ROOST_C ROOST_HOST_C ROOST_ISA_C ROOST_CUDA_CU)
                list(FILTER ${list} EXCLUDE REGEX "/engines/${room}/")
            endforeach()
        endif()
    endforeach()
    if(NOT ROOST_WITH_CUDA)
        set(ROOST_CUDA_C "")
        set(ROOST_CUDA_CU "")
    endif()
endmacro()

# Options for every object of the library.
function(roost_library_options target probes)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include" PRIVATE "${PROJECT_SOURCE_DIR}/src"
                               "${PROJECT_BINARY_DIR}/engines")
    target_compile_definitions(${target} PRIVATE ROOST_BUILDING=1)
    target_link_libraries(${target} PRIVATE roost_flags roost_dialect)
    if(ROOST_TUNE)
        target_compile_definitions(${target} PRIVATE ROOST_TUNE=1)
    endif()
    if(ROOST_PROBES OR probes)
        target_compile_definitions(${target} PRIVATE ROOST_PROBES=1)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C>:-UNDEBUG>")
    endif()
endfunction()

# Options for objects that depend on CUDA. Host kernels do not, so a build that gains CUDA does not
# compile them again.
function(roost_cuda_options target)
    if(ROOST_WITH_CUDA)
        target_compile_definitions(${target} PRIVATE ROOST_WITH_CUDA=1)
        target_include_directories(${target} SYSTEM PRIVATE "${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}")
    endif()
endfunction()

# roost_add_policies(name probes): the objects of everything that is not a kernel.
function(roost_add_policies name probes)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ROOST_C} ${ROOST_CUDA_C} "${ROOST_EMPTY_C}")
    roost_library_options(${name} ${probes})
    roost_cuda_options(${name})
endfunction()

# roost_add_kernels(name isa probes): the objects of all host kernels for an instruction set.
function(roost_add_kernels name isa probes)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ROOST_HOST_C})
    roost_library_options(${name} ${probes})
    target_compile_definitions(${name} PRIVATE ROOST_ISA=${isa})
    target_compile_options(${name} PRIVATE ${ROOST_ISA_FLAGS_${isa}} ${ROOST_HOST_KERNEL_FLAGS})
    if(ROOST_PROBES OR probes) # only tests link these
        target_compile_definitions(${name} PRIVATE ROOST_OUTLINED=1)
    endif()
endfunction()

# roost_add_chooser(name [isa]): the few sources that depend on the instruction sets of the library:
# this one alone, or all.
function(roost_add_chooser name)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ROOST_ISA_C})
    roost_library_options(${name} OFF)
    if(ARGN)
        target_compile_definitions(${name} PRIVATE ROOST_ISA=${ARGN})
    endif()
endfunction()

# Defines all objects.  The libraries link those that they need, and only these are built.  All
# instruction sets are defined whatever ROOST_HOST_ISA says: objects that a new configuration does
# not define are deleted.
# Kernels come first: ninja begins in this order, and a file that takes long must not begin last.
# The library and the tests share the CUDA objects, and most tests link the library's host kernels.
# So the layout of a struct that kernels see must not depend on ROOST_PROBES.
function(roost_add_objects)
    if(ROOST_CUDA_CU)
        add_library(roost_cuda OBJECT EXCLUDE_FROM_ALL ${ROOST_CUDA_CU})
        roost_library_options(roost_cuda OFF)
        roost_cuda_options(roost_cuda)
        target_compile_options(roost_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall>")
        if(ROOST_PTXAS_VERBOSE)
            target_compile_options(roost_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xptxas -v>")
        endif()
    endif()
    foreach(isa IN LISTS ROOST_ISA_LIST)
        roost_add_kernels(roost_${isa} ${isa} OFF)
    endforeach()
    roost_add_policies(roost_objects OFF)
    roost_add_chooser(roost_chooser)
    foreach(isa IN LISTS ROOST_ISA_LIST)
        roost_add_chooser(roost_chooser_${isa} ${isa})
    endforeach()
endfunction()

# roost_link_objects(name targets...): the library consists of the objects of these targets, and of
# the CUDA objects.
function(roost_link_objects name)
    if(ROOST_CUDA_CU)
        list(APPEND ARGN roost_cuda)
    endif()
    foreach(objects IN LISTS ARGN)
        target_sources(${name} PRIVATE "$<TARGET_OBJECTS:${objects}>")
    endforeach()
endfunction()

# The objects of the library for the instruction sets that ROOST_HOST_ISA says.
function(roost_link_shipped name)
    set(objects roost_objects roost_chooser)
    list(LENGTH ROOST_ISAS isas)
    if(isas EQUAL 1)
        set(objects roost_objects roost_chooser_${ROOST_ISAS})
    endif()
    foreach(isa IN LISTS ROOST_ISAS)
        list(APPEND objects roost_${isa})
    endforeach()
    roost_link_objects(${name} ${objects})
endfunction()

# roost_add_library(name): the static library.
function(roost_add_library name)
    add_library(${name} STATIC)
    roost_link_shipped(${name})
    roost_link_library(${name} PUBLIC)
endfunction()

# The libraries that the tests link. Both have only this machine's instruction set. All their
# sources except the kernels have ROOST_PROBES: they check assertions and have the tests' hooks.
#   roost_tested  has the library's own kernels. So tests run what users run, and the kernels are
#                 not compiled a second time for them.
#   roost_probes  has kernels that check assertions, count reads of buckets, timestamp items and
#                 pause where a test says. The few programs that need this link it.
# In a ROOST_PROBES build the library itself does all of this, and both names are the library's.
function(roost_add_test_libraries)
    if(ROOST_PROBES)
        add_library(roost_probes ALIAS roost)
        add_library(roost_tested ALIAS roost)
        return()
    endif()
    if(NOT ROOST_TESTS)
        return()
    endif()
    roost_add_policies(roost_probes_objects ON)
    roost_add_kernels(roost_probes_kernels ${ROOST_TEST_ISA} ON)
    add_library(roost_tested STATIC EXCLUDE_FROM_ALL)
    roost_link_objects(roost_tested roost_probes_objects roost_chooser_${ROOST_TEST_ISA} roost_${ROOST_TEST_ISA})
    add_library(roost_probes STATIC EXCLUDE_FROM_ALL)
    roost_link_objects(roost_probes roost_probes_objects roost_chooser_${ROOST_TEST_ISA} roost_probes_kernels)
    foreach(name IN ITEMS roost_tested roost_probes)
        roost_link_library(${name} PUBLIC)
    endforeach()
endfunction()

# Links a library. Users of the static one link the same (PUBLIC), those of the shared one do not
# (PRIVATE).
function(roost_link_library name scope)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>")
    target_link_libraries(${name} ${scope} Threads::Threads m ${CMAKE_DL_LIBS})
    if(ROOST_SANITIZE)
        target_link_options(${name} ${scope} -fsanitize=${ROOST_SANITIZE})
    endif()
    if(ROOST_COVERAGE)
        target_link_options(${name} ${scope} --coverage)
    endif()
    if(ROOST_WITH_CUDA)
        target_link_libraries(${name} ${scope} "$<BUILD_INTERFACE:${ROOST_CUDART}>" "$<INSTALL_INTERFACE:CUDA::cudart_static>"
                              dl rt stdc++)
    endif()
endfunction()

# roost_add_shared_library(name): libroost.so, which exports only the symbols of libroost.map.
function(roost_add_shared_library name)
    set(map "${PROJECT_SOURCE_DIR}/cmake/libroost.map")
    add_library(${name} SHARED)
    roost_link_shipped(${name})
    roost_link_library(${name} PRIVATE)
    target_link_options(${name} PRIVATE "-Wl,--version-script=${map}")
    set_target_properties(${name} PROPERTIES OUTPUT_NAME roost VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                          LINK_DEPENDS "${map}")
endfunction()

# Tables over the processes of an MPI job, `roost_mpi`, where there is an MPI: libroost needs none.
function(roost_add_mpi_library)
    find_package(MPI QUIET COMPONENTS C)
    if(NOT MPI_C_FOUND)
        message(STATUS "Roost: no MPI, so no libroost-mpi")
        return()
    endif()
    add_library(roost_mpi STATIC "${PROJECT_SOURCE_DIR}/src/mpi/mpi_comm.c")
    add_library(roost_mpi_shared SHARED "${PROJECT_SOURCE_DIR}/src/mpi/mpi_comm.c")
    foreach(name IN ITEMS roost_mpi roost_mpi_shared)
        target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/roost-mpi>")
        set_target_properties(${name} PROPERTIES OUTPUT_NAME roost-mpi)
    endforeach()
    target_link_libraries(roost_mpi PRIVATE roost_flags PUBLIC roost MPI::MPI_C)
    target_link_libraries(roost_mpi_shared PRIVATE roost_flags PUBLIC roost_shared MPI::MPI_C)
    target_compile_definitions(roost_mpi_shared PRIVATE ROOST_BUILDING=1)
    set_target_properties(roost_mpi_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endfunction()

# The targets of `./run`. roost_ship: everything that is installed. roost_tests: the same and all
# programs of the tests, without the benchmarks.
function(roost_add_parts)
    add_custom_target(roost_ship)
    add_dependencies(roost_ship roost roost_shared)
    if(TARGET roost_command)
        add_dependencies(roost_ship roost_command)
    endif()
    if(TARGET roost_mpi_shared)
        add_dependencies(roost_ship roost_mpi_shared)
    endif()
    if(NOT ROOST_TESTS)
        return()
    endif()
    add_custom_target(roost_tests)
    foreach(directory IN ITEMS tests tests/abi)
        get_property(programs DIRECTORY "${PROJECT_SOURCE_DIR}/${directory}" PROPERTY BUILDSYSTEM_TARGETS)
        add_dependencies(roost_tests ${programs})
    endforeach()
    add_dependencies(roost_tests roost_ship)
endfunction()

# The readers, `roost_io`, and the command, `roost`, whose sources are also a library, `roost_cli`.
function(roost_add_command)
    file(GLOB io_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/io/*.c")
    file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.c")
    if(TARGET roost_mpi)
        list(FILTER cli_sources EXCLUDE REGEX "/ranks_alone\\.c$")
    else()
        list(FILTER cli_sources EXCLUDE REGEX "/ranks_mpi\\.c$")
    endif()
    add_library(roost_io STATIC ${io_sources} "${ROOST_EMPTY_C}")
    target_include_directories(roost_io PUBLIC "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(roost_io PRIVATE roost_flags PUBLIC BZip2::BZip2 PkgConfig::LZMA PkgConfig::ZLIB PkgConfig::ZSTD
                          Threads::Threads m)
    add_library(roost_cli STATIC ${cli_sources})
    target_link_libraries(roost_cli PRIVATE roost_flags PUBLIC roost_io roost PkgConfig::JANSSON)
    if(TARGET roost_mpi)
        target_link_libraries(roost_cli PUBLIC roost_mpi)
    endif()
    add_dependencies(roost_cli roost_commit)
    target_include_directories(roost_cli PRIVATE "${ROOST_COMMIT_DIR}")
    # What `roost --version` says.
    string(REPLACE ";" " " isas "${ROOST_ISAS}")
    set(cuda "none")
    if(ROOST_WITH_CUDA)
        string(REPLACE ";" " " architectures "${ROOST_CUDA_ARCHITECTURES}")
        set(cuda "${CMAKE_CUDA_COMPILER_VERSION}, architectures ${architectures}")
    endif()
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cli/main.c" PROPERTIES COMPILE_DEFINITIONS
                                "ROOST_BUILT_ISAS=\"${isas}\";ROOST_BUILT_CUDA=\"${cuda}\"")
    add_executable(roost_command "${ROOST_EMPTY_C}")
    target_link_libraries(roost_command PRIVATE roost_flags roost_cli)
    set_target_properties(roost_command PROPERTIES OUTPUT_NAME roost RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
