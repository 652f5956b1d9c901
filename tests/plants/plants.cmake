# Planted faults.  Each patch here is one fault in a copy of the sources, and a test has to find it.
# The patch's name says what is built with the fault:
#   ENGINE_FAULT         kernels of the scheduled machine, from support/scheduled_ENGINE_stamp.c,
#                        a constant of this name; and the programs that are listed below
#   fks_build_FAULT      the same, from support/scheduled_fks_build_stamp.c
#   cli_FAULT, io_FAULT  the command build/planted/roost-FAULT
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB plant_patches CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.patch")
set(ROOST_PLANTS_DIR "${CMAKE_CURRENT_LIST_DIR}")
set(ROOST_PLANTS "")
foreach(patch IN LISTS plant_patches)
    get_filename_component(name "${patch}" NAME_WE)
    string(REGEX MATCH "^[a-z]+" room "${name}")
    if(room IN_LIST ROOST_ENGINE_ROOMS OR room MATCHES "^(cli|io)$")
        list(APPEND ROOST_PLANTS ${name})
    endif()
endforeach()

# plant_files(name result): the files that a patch changes, below the root.
function(plant_files name result)
    set(patch "${ROOST_PLANTS_DIR}/${name}.patch")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${patch}")
    file(STRINGS "${patch}" files REGEX "^\\+\\+\\+ b/")
    list(TRANSFORM files REPLACE "^\\+\\+\\+ b/" "")
    foreach(file IN LISTS files)
        if(NOT EXISTS "${PROJECT_SOURCE_DIR}/${file}")
            message(FATAL_ERROR "${patch}: there is no ${file}; see \"Planted faults\" in CONTRIBUTING.md")
        endif()
    endforeach()
    set(${result} ${files} PARENT_SCOPE)
endfunction()

# use_plant(target name): the target sees the files that the patch changed before those of src.
# tests/support/scheduled_sites.c knows the folder.
function(use_plant target name)
    set(directory "${PROJECT_BINARY_DIR}/planted_sources/${name}")
    if(NOT TARGET plant_${name})
        plant_files(${name} files)
        set(copies ${files})
        list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/")
        list(TRANSFORM copies PREPEND "${directory}/")
        add_custom_command(OUTPUT ${copies}
                           COMMAND Python3::Interpreter "${ROOST_PLANTS_DIR}/apply" "${ROOST_PLANTS_DIR}/${name}.patch"
                                   "${PROJECT_SOURCE_DIR}" "${directory}"
                           DEPENDS "${ROOST_PLANTS_DIR}/apply" "${ROOST_PLANTS_DIR}/${name}.patch" ${files}
                           COMMENT "Planting ${name}" VERBATIM)
        add_custom_target(plant_${name} DEPENDS ${copies})
    endif()
    add_dependencies(${target} plant_${name})
    target_include_directories(${target} BEFORE PRIVATE "${directory}/src")
endfunction()

# ---- Kernels of the scheduled machine -----------------------------------------------------------

# add_scheduled_stamp(name): the object library scheduled_<name> with the constant of this name.
function(add_scheduled_stamp name)
    string(REGEX MATCH "^(fks_build|[a-z]+)_" room "${name}")
    add_scheduled(scheduled_${name} support/scheduled_${room}stamp.c)
    target_compile_definitions(scheduled_${name} PRIVATE SCHEDULED_STAMPED=${name})
    if(name IN_LIST ROOST_PLANTS)
        use_plant(scheduled_${name} ${name})
        # Scenes end when they find the fault, so compiling takes longer than running.
        target_compile_options(scheduled_${name} PRIVATE -O1)
    else()
        use_mutants(scheduled_${name})
    endif()
endfunction()

# They take long to compile, so a program links only those that its source names: stamps_of_PROGRAM.
set(plants_used "")
foreach(source IN LISTS test_sources)
    get_filename_component(test "${source}" NAME_WE)
    set(stamps_of_${test} "")
    if(NOT test MATCHES "^test_scheduled_")
        continue()
    endif()
    foreach(name IN LISTS ROOST_PLANTS ITEMS fks_build_sound)
        file(STRINGS "${source}" named REGEX "[^a-z_]${name}[^a-z_]")
        if(named)
            list(APPEND plants_used ${name})
            list(APPEND stamps_of_${test} scheduled_${name})
            if(NOT TARGET scheduled_${name})
                add_scheduled_stamp(${name})
            endif()
        endif()
    endforeach()
endforeach()

# ---- Engines ------------------------------------------------------------------------------------

# Test programs whose engine has a fault in its host kernels, for engine_plants.sh:
# PROGRAM/ENGINE/FAULT.
foreach(item IN ITEMS test_linearisable/dycuckoo/vacancy_first test_growth/dycuckoo/leaves_slot test_growth/gph/leaves_bucket test_linearisable/slab/delete_stores
    test_linearisable/slab/reuse_tombstone test_gph/gph/no_extended_move test_linearisable/stadium/reserves_by_and
    test_linearisable/stadium/takes_erased test_stadium_wide/stadium/no_sequence test_fks/fks/no_mark test_fks/fks/first_line_only
    test_compact/compact/host_no_filter test_linearisable/compact/host_reuses_dead)
    string(REPLACE "/" ";" item "${item}")
    list(GET item 0 program)
    list(GET item 1 engine)
    list(GET item 2 fault)
    list(APPEND plants_used ${engine}_${fault})
    # Sanitizers skip engine_plants.sh.
    if(NOT engine IN_LIST ROOST_ENGINE_ROOMS OR ROOST_SANITIZE)
        continue()
    endif()
    set(name ${engine}_${fault})
    set(source "${PROJECT_SOURCE_DIR}/src/engines/${engine}/${engine}")
    # They come before the library's own, which are not linked then.  The engine chooses from the
    # basic instruction set alone.
    add_executable(engine_plant_${name} ${program}.c "${source}_host.c" "${source}_isa.c")
    target_compile_definitions(engine_plant_${name} PRIVATE ROOST_ISA=base ROOST_ISA_ONLY_BASE=1 ROOST_OUTLINED=1)
    target_compile_options(engine_plant_${name} PRIVATE ${ROOST_HOST_KERNEL_FLAGS} -O1)
    target_link_libraries(engine_plant_${name} PRIVATE roost_test_support)
    use_plant(engine_plant_${name} ${name})
endforeach()

# ---- The command --------------------------------------------------------------------------------

# The changed source comes before the libraries, whose own one is not linked then.
foreach(name IN LISTS ROOST_PLANTS)
    if(NOT name MATCHES "^(cli|io)_(.*)$")
        continue()
    endif()
    list(APPEND plants_used ${name})
    set(fault ${CMAKE_MATCH_2})
    plant_files(${name} sources)
    list(TRANSFORM sources PREPEND "${PROJECT_BINARY_DIR}/planted_sources/${name}/")
    add_executable(roost_command_${fault} ${sources})
    target_link_libraries(roost_command_${fault} PRIVATE roost_flags roost_cli)
    # Sources of src/io include each other by name alone.
    target_include_directories(roost_command_${fault} PRIVATE "${PROJECT_SOURCE_DIR}/src/io")
    set_target_properties(roost_command_${fault} PROPERTIES OUTPUT_NAME roost-${fault}
                          RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/planted")
    use_plant(roost_command_${fault} ${name})
endforeach()

set(plants_unused ${ROOST_PLANTS})
list(REMOVE_ITEM plants_unused ${plants_used})
if(plants_unused)
    message(FATAL_ERROR "no test has to find these faults of tests/plants: ${plants_unused}")
endif()
